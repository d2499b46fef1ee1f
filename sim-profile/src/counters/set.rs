//! What was counted of one run, as it is kept.
//!
//! A file of JSON: what it is, whose run it was, and one reading for each region and event. Sets of one
//! run are joined, be it from several passes or from several questions; what two of them count has to
//! agree.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use super::{CountedEvent, MetricGraph, Region};
use crate::measurement::count;
use crate::{CallKey, Profile};

const FORMAT: &str = "isac-counters";
const VERSION: u64 = 1;

/// Largest file that may hold a set.
const FILE_LIMIT: u64 = 1 << 30;

/// What a counter counted.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Where.
    pub region: Region,
    /// What.
    pub event: CountedEvent,
    /// How often.
    pub count: u64,
}

/// Counters of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterSet {
    /// Name of the model.
    pub model: String,
    /// Digest of its description.
    pub model_digest: String,
    /// Digests of what was run, the program first.
    pub programs: Vec<String>,
    /// How many runs, one with each group of counters, it would have taken on a processor.
    pub passes: u64,
    /// All counts.
    pub counts: BTreeMap<(Region, CountedEvent), u64>,
    /// Metrics besides those that are always there: name and formula.
    pub metrics: BTreeMap<String, String>,
    /// Calls between functions that are regions here: caller, callee, how often.
    pub calls: BTreeMap<(String, String), u64>,
}

/// The same as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: String,
    version: u64,
    model: String,
    model_digest: String,
    programs: Vec<String>,
    passes: u64,
    readings: Vec<Reading>,
    metrics: BTreeMap<String, String>,
    calls: Vec<(String, String, u64)>,
}

/// Why a set cannot be read, or joined with another.
#[derive(Debug)]
pub enum SetError {
    /// It cannot be read at all.
    Read(io::Error),
    /// It is no such file.
    Json(serde_json::Error),
    /// It is of another format or version.
    Format {
        /// The format found.
        format: String,
        /// The version found.
        version: u64,
    },
    /// The two are of different models, descriptions or programs.
    OtherRun,
    /// They disagree on a count.
    Contradiction {
        /// The region and the event.
        place: Box<(Region, CountedEvent)>,
        /// The two counts.
        counts: [u64; 2],
    },
    /// They give one metric two formulas.
    Metric(String),
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetError::Read(error) => write!(f, "cannot be read: {error}; name a file that exists"),
            SetError::Json(error) => {
                write!(
                    f,
                    "is no set of counters: {error}; give a file that `gentool counters --save` has written"
                )
            }
            SetError::Format { format, version } => write!(
                f,
                "is `{format}` version {version}; expected `{FORMAT}` version {VERSION}: write it anew by \
                 `gentool counters --save`"
            ),
            SetError::OtherRun => {
                f.write_str("is of another model, description or program; join counters of one program alone")
            }
            SetError::Contradiction { place, counts: [ours, theirs] } => write!(
                f,
                "counts {theirs} `{}` in {}, where another set has {ours}; join counters of equal runs alone",
                place.1, place.0
            ),
            SetError::Metric(name) => {
                write!(f, "gives the metric `{name}` another formula than another set; rename one of them")
            }
        }
    }
}

impl std::error::Error for SetError {}

impl CounterSet {
    /// Nothing counted yet of a run.
    pub fn of(profile: &Profile) -> CounterSet {
        let provenance = &profile.provenance;
        CounterSet {
            model: profile.measurement.tables.model.clone(),
            model_digest: provenance.model_digest.clone(),
            programs: provenance.images.iter().map(|image| image.digest.clone()).collect(),
            ..CounterSet::default()
        }
    }

    /// Reads what [`CounterSet::write`] has written.
    ///
    /// # Errors
    /// It cannot be read, or is something else.
    pub fn read(file: impl Read) -> Result<CounterSet, SetError> {
        let mut text = Vec::new();
        file.take(FILE_LIMIT).read_to_end(&mut text).map_err(SetError::Read)?;
        let stored: Stored = serde_json::from_slice(&text).map_err(SetError::Json)?;
        if stored.format != FORMAT || stored.version != VERSION {
            return Err(SetError::Format { format: stored.format, version: stored.version });
        }
        let mut set = CounterSet {
            model: stored.model,
            model_digest: stored.model_digest,
            programs: stored.programs,
            passes: stored.passes,
            metrics: stored.metrics,
            ..CounterSet::default()
        };
        for Reading { region, event, count } in stored.readings {
            set.add(region, event, count)?;
        }
        for (caller, callee, times) in stored.calls {
            count(set.calls.entry((caller, callee)).or_default(), times);
        }
        Ok(set)
    }

    /// Writes the set. Equal sets give equal bytes.
    ///
    /// # Errors
    /// `out` fails.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let readings = self.counts.iter().map(|((region, event), count)| Reading {
            region: region.clone(),
            event: event.clone(),
            count: *count,
        });
        let calls =
            self.calls.iter().map(|((caller, callee), times)| (caller.clone(), callee.clone(), *times));
        let stored = Stored {
            format: FORMAT.to_owned(),
            version: VERSION,
            model: self.model.clone(),
            model_digest: self.model_digest.clone(),
            programs: self.programs.clone(),
            passes: self.passes,
            readings: readings.collect(),
            metrics: self.metrics.clone(),
            calls: calls.collect(),
        };
        serde_json::to_writer_pretty(&mut out, &stored)?;
        out.write_all(b"\n")
    }

    /// Adds a count.
    ///
    /// # Errors
    /// Another one is there already.
    pub fn add(&mut self, region: Region, event: CountedEvent, count: u64) -> Result<(), SetError> {
        let place = (region, event);
        match self.counts.get(&place) {
            Some(known) if *known != count => {
                Err(SetError::Contradiction { place: Box::new(place), counts: [*known, count] })
            }
            _ => {
                self.counts.insert(place, count);
                Ok(())
            }
        }
    }

    /// Joins another set of the same run.
    ///
    /// # Errors
    /// It is of another run, or disagrees.
    pub fn join(&mut self, other: CounterSet) -> Result<(), SetError> {
        let whose = |set: &CounterSet| (set.model.clone(), set.model_digest.clone(), set.programs.clone());
        if whose(self) != whose(&other) {
            return Err(SetError::OtherRun);
        }
        for ((region, event), count) in other.counts {
            self.add(region, event, count)?;
        }
        for (name, formula) in other.metrics {
            match self.metrics.get(&name) {
                Some(known) if *known != formula => return Err(SetError::Metric(name)),
                _ => self.metrics.insert(name, formula),
            };
        }
        self.calls.extend(other.calls);
        count(&mut self.passes, other.passes);
        Ok(())
    }

    /// What was counted of an event in a region.
    pub fn count(&self, region: &Region, event: &CountedEvent) -> Option<u64> {
        self.counts.get(&(region.clone(), event.clone())).copied()
    }

    /// The metrics of a region that follow from what was counted, by name.
    pub fn metric_values<'g>(&self, graph: &'g MetricGraph, region: &Region) -> BTreeMap<&'g str, f64> {
        let of_region = |event: &CountedEvent| self.count(region, event);
        graph.values(&of_region, &|event| self.count(&Region::Run, event))
    }

    /// Adds the calls between functions that are regions here, `name` saying which one begins at an
    /// address.
    pub fn add_calls<'a>(
        &mut self,
        arcs: impl Iterator<Item = (&'a CallKey, u64)>,
        name: impl Fn(u64) -> Option<String>,
    ) {
        let mut calls: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (key, times) in arcs {
            if let (Some(caller), Some(callee)) = (name(key.caller), name(key.callee)) {
                count(calls.entry((caller, callee)).or_default(), times);
            }
        }
        self.calls.extend(calls);
    }
}

#[cfg(test)]
mod tests {
    use super::{CounterSet, SetError};

    fn set(counts: &[(&str, &str, u64)]) -> CounterSet {
        let mut set = CounterSet { passes: 1, programs: vec!["1".to_owned()], ..CounterSet::default() };
        for (region, event, count) in counts {
            set.add(region.parse().unwrap(), event.parse().unwrap(), *count).unwrap();
        }
        set
    }

    #[test]
    fn a_set_is_read_as_it_was_written() {
        let mut set =
            set(&[("run", "cycles", 9), ("self:f(int)", "misses.dcache", 0), ("0x1-0x2", "event.x", 1)]);
        set.metrics.insert("half".to_owned(), "cycles / 2".to_owned());
        set.calls.insert(("main".to_owned(), "f".to_owned()), 3);
        let mut file = Vec::new();
        set.write(&mut file).unwrap();
        assert_eq!(CounterSet::read(&file[..]).unwrap(), set);
    }

    #[test]
    fn sets_of_one_run_are_joined() {
        let mut sum = set(&[("run", "cycles", 9)]);
        sum.join(set(&[("run", "cycles", 9), ("run", "loads", 2)])).unwrap();
        assert_eq!((sum.passes, sum.counts.len()), (2, 2));
        let error = sum.join(set(&[("run", "loads", 3)])).expect_err("they disagree");
        assert_eq!(
            error.to_string(),
            "counts 3 `loads` in run, where another set has 2; join counters of equal runs alone"
        );
        let other = CounterSet { programs: vec!["2".to_owned()], ..set(&[]) };
        assert!(matches!(sum.join(other), Err(SetError::OtherRun)));
    }

    #[test]
    fn what_is_no_set_is_refused() {
        let read = |text: &str| CounterSet::read(text.as_bytes()).expect_err("no set").to_string();
        assert!(read("").starts_with("is no set of counters: "));
        assert!(read("{\"format\":\"isac-profile\"}").starts_with("is no set of counters: "));
        let mut file = Vec::new();
        set(&[]).write(&mut file).unwrap();
        let text = String::from_utf8(file).unwrap();
        assert!(
            read(&text.replace("\"version\": 1", "\"version\": 2"))
                .starts_with("is `isac-counters` version 2; ")
        );
        assert!(read(&text[..text.len() / 2]).starts_with("is no set of counters: "));
    }
}
