//! What is wrong with a metric.

use std::fmt;

use super::metric::MOST_METRICS;

/// Most metrics of a circle that a message names.
const MOST_SHOWN: usize = 8;

/// What is wrong with a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricError {
    /// It has no name, or one that an event or another metric has.
    Name(String),
    /// Its formula makes no sense: the formula, or of a long one what stands around the place; from which
    /// letter on; and what was expected.
    Formula(String, usize, &'static str),
    /// Its formula names something that is neither an event nor a metric.
    Unknown {
        /// The metric.
        metric: String,
        /// The name in its formula.
        name: String,
    },
    /// Metrics that name each other in a circle: each names the next, and the last one the first.
    Circle(Vec<String>),
    /// There are more than `MOST_METRICS`: how many.
    TooMany(usize),
}

impl fmt::Display for MetricError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetricError::Name(name) => write!(
                f,
                "a metric cannot be called `{name}`; give it a name of letters, digits and _ that no event \
                 and no other metric has"
            ),
            MetricError::Formula(formula, at, expected) => {
                write!(
                    f,
                    "the formula `{formula}` makes no sense from letter {} on; expected {expected}",
                    at + 1
                )
            }
            MetricError::Unknown { metric, name } => {
                write!(
                    f,
                    "the metric `{metric}` names `{name}`, which is neither an event nor a metric; define it"
                )
            }
            MetricError::Circle(names) => {
                let shown = names.iter().take(MOST_SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
                let others = match names.len().saturating_sub(MOST_SHOWN) {
                    0 => String::new(),
                    others => format!(" and {others} more"),
                };
                write!(
                    f,
                    "metrics name each other in a circle: {shown}{others}; define one without the others"
                )
            }
            MetricError::TooMany(count) => {
                write!(
                    f,
                    "{count} metrics are too many; define at most {MOST_METRICS} besides those that are always there"
                )
            }
        }
    }
}

impl std::error::Error for MetricError {}
