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

use super::CountedEvent;
use super::formula::Formula;
use super::metric_error::MetricError;

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

/// Most metrics besides those. Tables have a column for each of them, and a row for each function.
pub(super) const MOST_METRICS: usize = 1000;

/// What stands before a name that is of the whole run.
const OF_RUN: &str = "run.";

/// Metrics by name, each with its formula.
#[derive(Clone, Debug)]
pub struct MetricGraph {
    metrics: BTreeMap<String, Formula>,
    /// Their names, each behind those of the metrics that its formula names.
    order: Vec<String>,
}

/// What was counted of an event, if it was.
type Counts<'a> = &'a dyn Fn(&CountedEvent) -> Option<u64>;

/// What metrics are, if they can be computed.
type Values<'a> = BTreeMap<&'a str, Option<f64>>;

impl MetricGraph {
    /// The metrics that are always there, and further ones: name and formula. A further one may stand
    /// for one that is always there.
    ///
    /// # Errors
    /// A name or formula that makes no sense, too many metrics, or a circle.
    pub fn new(further: &BTreeMap<String, String>) -> Result<MetricGraph, MetricError> {
        if further.len() > MOST_METRICS {
            return Err(MetricError::TooMany(further.len()));
        }
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
        let order = order_of(&metrics)?;
        Ok(MetricGraph { metrics, order })
    }

    /// Names of all metrics.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.metrics.keys().map(String::as_str)
    }

    /// The events that a metric follows from: in the region itself, and in the whole run.
    pub fn events(&self, metric: &str) -> (BTreeSet<CountedEvent>, BTreeSet<CountedEvent>) {
        let (mut own, mut of_run) = (BTreeSet::new(), BTreeSet::new());
        let mut seen = BTreeSet::from([(metric, false)]);
        let mut open = vec![(metric, false)];
        while let Some((metric, is_of_run)) = open.pop() {
            for name in self.metrics.get(metric).into_iter().flat_map(Formula::names) {
                let is_of_run = is_of_run || name.starts_with(OF_RUN);
                let bare = bare(name);
                if self.metrics.contains_key(bare) {
                    if seen.insert((bare, is_of_run)) {
                        open.push((bare, is_of_run));
                    }
                } else if let Ok(event) = bare.parse() {
                    if is_of_run { &mut of_run } else { &mut own }.insert(event);
                }
            }
        }
        (own, of_run)
    }

    /// The values of all metrics that can be computed from what was counted in a region and in the whole
    /// run: nothing is missing, and nothing was divided by nothing. Each is computed once.
    pub fn values(&self, of_region: Counts<'_>, of_run: Counts<'_>) -> BTreeMap<&str, f64> {
        let mut run = Values::new();
        for name in &self.order {
            let value = compute(&self.metrics[name], (&run, of_run), (&run, of_run));
            run.insert(name, value);
        }
        let mut own = Values::new();
        for name in &self.order {
            let value = compute(&self.metrics[name], (&own, of_region), (&run, of_run));
            own.insert(name, value);
        }
        let known = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
        known.filter(|(_, value)| value.is_finite()).collect()
    }
}

/// A name without what says that it is of the whole run.
fn bare(name: &str) -> &str {
    name.strip_prefix(OF_RUN).unwrap_or(name)
}

/// The value of a formula; every metric that it names was computed before. What it names in the region, and
/// what in the whole run: metrics and events.
fn compute(
    formula: &Formula,
    region: (&Values<'_>, Counts<'_>),
    run: (&Values<'_>, Counts<'_>),
) -> Option<f64> {
    match formula {
        Formula::Number(number) => Some(*number),
        Formula::Minus(inner) => Some(-compute(inner, region, run)?),
        Formula::Name(name) => {
            let (metrics, counts) = if name.starts_with(OF_RUN) { run } else { region };
            match metrics.get(bare(name)) {
                Some(value) => *value,
                None => counts(&bare(name).parse().ok()?).map(|count| count as f64),
            }
        }
        Formula::Pair(left, sign, right) => {
            let (left, right) = (compute(left, region, run)?, compute(right, region, run)?);
            Some(match sign {
                '+' => left + right,
                '-' => left - right,
                '*' => left * right,
                _ => left / right,
            })
        }
    }
}

/// A metric on the way to those that its formula names.
struct Step<'a> {
    metric: &'a str,
    /// The metrics that it names and that were not looked at yet.
    rest: Vec<&'a str>,
}

/// The names of metrics, each behind those that its formula names: depth-first, each metric once, without
/// recursion.
fn order_of(metrics: &BTreeMap<String, Formula>) -> Result<Vec<String>, MetricError> {
    let mut order = Vec::new();
    let (mut done, mut on_the_way) = (BTreeSet::new(), BTreeSet::new());
    for first in metrics.keys().map(String::as_str) {
        let mut way: Vec<Step<'_>> = Vec::new();
        let mut next = Some(first).filter(|first| !done.contains(first));
        loop {
            if let Some(metric) = next.take() {
                on_the_way.insert(metric);
                way.push(Step { metric, rest: metrics_in(metrics, metric)? });
            }
            let Some(step) = way.last_mut() else { break };
            let Some(named) = step.rest.pop() else {
                on_the_way.remove(step.metric);
                done.insert(step.metric);
                order.push(step.metric.to_owned());
                way.pop();
                continue;
            };
            if on_the_way.contains(named) {
                let circle = way.iter().map(|step| step.metric).skip_while(|metric| *metric != named);
                return Err(MetricError::Circle(circle.map(str::to_owned).collect()));
            }
            next = Some(named).filter(|named| !done.contains(named));
        }
    }
    Ok(order)
}

/// The metrics that a metric's formula names, each once, the first one last.
fn metrics_in<'a>(
    metrics: &'a BTreeMap<String, Formula>,
    metric: &'a str,
) -> Result<Vec<&'a str>, MetricError> {
    let mut named = Vec::new();
    let mut seen = BTreeSet::new();
    for name in metrics[metric].names() {
        let is_metric = metrics.contains_key(bare(name));
        if !is_metric && bare(name).parse::<CountedEvent>().is_err() {
            return Err(MetricError::Unknown { metric: metric.to_owned(), name: name.to_owned() });
        }
        if is_metric && seen.insert(bare(name)) {
            named.push(bare(name));
        }
    }
    named.reverse();
    Ok(named)
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
        let values = graph.values(&|event| own.get(event).copied(), &|event| run.get(event).copied());
        let value = |name: &str| values.get(name).copied();
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
        assert!(!graph(&[]).unwrap().values(&none, &none).contains_key("cpi"));
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
        let nested = |depth: usize| format!("{}1{}", "-(".repeat(depth / 2), ")".repeat(depth / 2));
        assert!(graph(&[("x", &nested(64))]).is_ok());
        assert!(error("x", &nested(66)).contains("fewer signs and parentheses within each other"));
        let circle = graph(&[("a", "b"), ("b", "1 + run.a")]).expect_err("a circle");
        assert_eq!(circle, MetricError::Circle(vec!["a".to_owned(), "b".to_owned()]));
    }

    /// Metrics of which each names the next twice, up to one cycle.
    fn doubled(metrics: usize) -> Vec<(String, String)> {
        let next = |number: usize| match number + 1 == metrics {
            true => "cycles".to_owned(),
            false => format!("m{:03}", number + 1),
        };
        let formula = |number| (format!("m{number:03}"), format!("{0} + run.{0}", next(number)));
        (0..metrics).map(formula).collect()
    }

    fn graph_of(list: &[(String, String)]) -> Result<MetricGraph, MetricError> {
        MetricGraph::new(&list.iter().cloned().collect())
    }

    #[test]
    fn metrics_that_are_named_often_are_computed_once() {
        let graph = graph_of(&doubled(1000)).unwrap();
        assert_eq!(graph.events("m000"), ([CountedEvent::Cycles].into(), [CountedEvent::Cycles].into()));
        let values = graph.values(&|_| Some(1), &|_| Some(1));
        assert_eq!((values["m999"], values["m960"]), (2.0, (1_u64 << 40) as f64));
    }

    #[test]
    fn a_long_circle_is_told_by_its_first_names() {
        let mut list = doubled(300);
        list[299].1 = "1 + m100".to_owned();
        let error = graph_of(&list).expect_err("a circle").to_string();
        assert_eq!(
            error,
            "metrics name each other in a circle: m100, m101, m102, m103, m104, m105, m106, m107 and 192 more; \
             define one without the others"
        );
    }

    #[test]
    fn a_thousand_metrics_are_the_most() {
        let error = graph_of(&doubled(200_000)).expect_err("too many").to_string();
        assert_eq!(
            error,
            "200000 metrics are too many; define at most 1000 besides those that are always there"
        );
    }
}
