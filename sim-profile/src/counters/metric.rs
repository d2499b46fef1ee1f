//! Figures that follow from counters: formulas over events, and over other metrics.
//!
//! ```text
//! cpi        = cycles / instructions
//! share      = 100 * cycles / run.cycles      run.X is X of the whole run
//! miss_share = 100 * misses / (hits + misses)
//! ```
//!
//! Metrics are a graph: each names events and metrics, in no circle. From what was counted, the graph
//! finds which of them can be computed, and of the others what is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::CountedEvent;
use super::formula::Formula;

/// Metrics that are always there.
const BUILT_IN: [(&str, &str); 8] = [
    ("cpi", "cycles / instructions"),
    ("share", "100 * cycles / run.cycles"),
    ("stall_share", "100 * stalls / cycles"),
    ("ideal_cpi", "(cycles - stalls) / instructions"),
    ("miss_share", "100 * misses / (hits + misses)"),
    ("taken_share", "100 * taken / instructions"),
    ("load_share", "100 * loads / instructions"),
    ("store_share", "100 * stores / instructions"),
];

/// What stands before a name that is of the whole run.
const OF_RUN: &str = "run.";

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
    /// Metrics that name each other in a circle.
    Circle(Vec<String>),
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
                write!(
                    f,
                    "metrics name each other in a circle: {}; define one without the others",
                    names.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for MetricError {}

/// Metrics by name, each with its formula.
#[derive(Clone, Debug)]
pub struct MetricGraph {
    metrics: BTreeMap<String, Formula>,
}

impl MetricGraph {
    /// The metrics that are always there, and further ones: name and formula. A further one may stand
    /// for one that is always there.
    ///
    /// # Errors
    /// A name or formula that makes no sense, or a circle.
    pub fn new(further: &BTreeMap<String, String>) -> Result<MetricGraph, MetricError> {
        let built_in = BUILT_IN.iter().map(|(name, formula)| ((*name).to_owned(), (*formula).to_owned()));
        let mut formulas: BTreeMap<String, String> = built_in.collect();
        for (name, formula) in further {
            let is_word = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            let is_number = name.chars().next().is_none_or(|letter| letter.is_ascii_digit());
            if !is_word || is_number || name.parse::<CountedEvent>().is_ok() || name == "run" {
                return Err(MetricError::Name(name.clone()));
            }
            formulas.insert(name.clone(), formula.clone());
        }
        let mut metrics = BTreeMap::new();
        for (name, formula) in formulas {
            metrics.insert(name, Formula::parse(&formula)?);
        }
        let graph = MetricGraph { metrics };
        graph.metrics.keys().try_for_each(|name| graph.check(name, &mut Vec::new()))?;
        Ok(graph)
    }

    /// Names of all metrics.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.metrics.keys().map(String::as_str)
    }

    /// The events that a metric follows from: in the region itself, and in the whole run.
    pub fn events(&self, metric: &str) -> (BTreeSet<CountedEvent>, BTreeSet<CountedEvent>) {
        let (mut own, mut of_run) = (BTreeSet::new(), BTreeSet::new());
        self.gather(metric, false, &mut own, &mut of_run);
        (own, of_run)
    }

    /// A metric's value from what was counted in the region and in the whole run; none if something is
    /// missing, or was divided by nothing.
    pub fn value(
        &self,
        metric: &str,
        of_region: &dyn Fn(&CountedEvent) -> Option<u64>,
        of_run: &dyn Fn(&CountedEvent) -> Option<u64>,
    ) -> Option<f64> {
        let value = self.compute(self.metrics.get(metric)?, of_region, of_run)?;
        value.is_finite().then_some(value)
    }

    fn compute(
        &self,
        formula: &Formula,
        of_region: &dyn Fn(&CountedEvent) -> Option<u64>,
        of_run: &dyn Fn(&CountedEvent) -> Option<u64>,
    ) -> Option<f64> {
        match formula {
            Formula::Number(number) => Some(*number),
            Formula::Minus(inner) => Some(-self.compute(inner, of_region, of_run)?),
            Formula::Name(name) => {
                let (name, counts) = match name.strip_prefix(OF_RUN) {
                    Some(name) => (name, of_run),
                    None => (name.as_str(), of_region),
                };
                match self.metrics.get(name) {
                    Some(metric) => self.compute(metric, counts, of_run),
                    None => counts(&name.parse().ok()?).map(|count| count as f64),
                }
            }
            Formula::Pair(left, sign, right) => {
                let left = self.compute(left, of_region, of_run)?;
                let right = self.compute(right, of_region, of_run)?;
                Some(match sign {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ => left / right,
                })
            }
        }
    }

    /// Every name in a metric's formula is known, and none leads back to it.
    fn check(&self, metric: &str, above: &mut Vec<String>) -> Result<(), MetricError> {
        if let Some(from) = above.iter().position(|name| name == metric) {
            return Err(MetricError::Circle(above[from..].to_vec()));
        }
        above.push(metric.to_owned());
        for name in self.metrics[metric].names() {
            let bare = name.strip_prefix(OF_RUN).unwrap_or(name);
            if self.metrics.contains_key(bare) {
                self.check(bare, above)?;
            } else if bare.parse::<CountedEvent>().is_err() {
                return Err(MetricError::Unknown { metric: metric.to_owned(), name: name.to_owned() });
            }
        }
        above.pop();
        Ok(())
    }

    fn gather(
        &self,
        metric: &str,
        is_of_run: bool,
        own: &mut BTreeSet<CountedEvent>,
        of_run: &mut BTreeSet<CountedEvent>,
    ) {
        for name in self.metrics.get(metric).into_iter().flat_map(Formula::names) {
            let is_of_run = is_of_run || name.starts_with(OF_RUN);
            let bare = name.strip_prefix(OF_RUN).unwrap_or(name);
            if self.metrics.contains_key(bare) {
                self.gather(bare, is_of_run, own, of_run);
            } else if let Ok(event) = bare.parse() {
                if is_of_run {
                    of_run.insert(event)
                } else {
                    own.insert(event)
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::CountedEvent;
    use super::{MetricError, MetricGraph};

    fn graph(further: &[(&str, &str)]) -> Result<MetricGraph, MetricError> {
        let further = further.iter().map(|(name, formula)| ((*name).to_owned(), (*formula).to_owned()));
        MetricGraph::new(&further.collect())
    }

    fn counts(list: &[(&str, u64)]) -> BTreeMap<CountedEvent, u64> {
        list.iter().map(|(name, count)| (name.parse().expect("an event"), *count)).collect()
    }

    #[test]
    fn a_metric_is_computed_from_what_was_counted() {
        let own = counts(&[("cycles", 30), ("instructions", 20), ("stalls", 6)]);
        let run = counts(&[("cycles", 120)]);
        let graph = graph(&[("half", "-(1 - cpi) / 2 + 0.5 * 2"), ("rest", "run.cycles - cycles")]).unwrap();
        let value = |name: &str| {
            graph.value(name, &|event| own.get(event).copied(), &|event| run.get(event).copied())
        };
        assert_eq!(value("cpi"), Some(1.5));
        assert_eq!(value("share"), Some(25.0));
        assert_eq!(value("ideal_cpi"), Some(1.2));
        assert_eq!(value("half"), Some(1.25));
        assert_eq!(value("rest"), Some(90.0));
        assert_eq!(value("miss_share"), None, "misses were not counted");
        assert_eq!(value("nothing"), None);
    }

    #[test]
    fn what_is_divided_by_nothing_has_no_value() {
        let none = |_: &CountedEvent| Some(0);
        assert_eq!(graph(&[]).unwrap().value("cpi", &none, &none), None);
    }

    #[test]
    fn the_graph_finds_what_a_metric_follows_from() {
        let graph = graph(&[("both", "cpi + run.cpi")]).unwrap();
        let (own, of_run) = graph.events("both");
        let both = [CountedEvent::Instructions, CountedEvent::Cycles];
        assert_eq!(own, both.clone().into());
        assert_eq!(of_run, both.into());
        assert_eq!(graph.events("share").1, [CountedEvent::Cycles].into());
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_place() {
        let error = |name: &str, formula: &str| graph(&[(name, formula)]).expect_err("wrong").to_string();
        assert_eq!(
            error("x", "cycles / "),
            "the formula `cycles / ` makes no sense from letter 10 on; expected a number, an event, a metric \
             or a sum in parentheses"
        );
        assert_eq!(
            error("x", "(cycles 2)"),
            "the formula `(cycles 2)` makes no sense from letter 9 on; expected `)`"
        );
        assert_eq!(
            error("x", "cycles)"),
            "the formula `cycles)` makes no sense from letter 7 on; expected +, -, *, / or the end"
        );
        assert_eq!(
            error("x", "cycle + 1"),
            "the metric `x` names `cycle`, which is neither an event nor a metric; define it"
        );
        assert_eq!(
            error("x", "1 + x"),
            "metrics name each other in a circle: x; define one without the others"
        );
        assert_eq!(
            error("cycles", "1"),
            "a metric cannot be called `cycles`; give it a name of letters, digits and _ that no event and no \
             other metric has"
        );
        let long = error("x", &format!("cycles{}?{}", " + 1".repeat(500), " + 1".repeat(500)));
        let around = " + 1".repeat(15);
        assert_eq!(
            long,
            format!(
                "the formula `...{around}?{}...` makes no sense from letter 2007 on; expected +, -, *, / or the \
                 end",
                &around[..59]
            )
        );
        assert!(error("x", &format!("1{}", " + 1".repeat(100_000))).contains("from letter 4000 on"));
        assert!(
            error("x", &format!("{}1{}", "(".repeat(100), ")".repeat(100))).contains("fewer parentheses")
        );
        let circle = graph(&[("a", "b"), ("b", "1 + run.a")]).expect_err("a circle");
        assert_eq!(circle, MetricError::Circle(vec!["a".to_owned(), "b".to_owned()]));
    }
}
