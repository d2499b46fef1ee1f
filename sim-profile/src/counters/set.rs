//! What was counted of one run, as it is kept.
//!
//! A file of JSON: what it is, whose run it was, and one reading for each region and event. Sets of one
//! run are joined, be it from several passes or from several questions; what two of them count has to
//! agree. Files of version 1 do not say which run they are of: they are read, and not joined.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use super::possible::check_possible;
use super::set_error::SetError;
use super::{CountedEvent, CountedRun, MetricGraph, Region};
use crate::measurement::count;
use crate::{CallKey, Profile};

/// What a file of a set says that it is.
pub(super) const FORMAT: &str = "isac-counters";
/// The version that is written.
pub(super) const VERSION: u64 = 2;
/// The oldest version that is read.
pub(super) const OLDEST: u64 = 1;

/// Largest file that may hold a set.
pub(super) const FILE_LIMIT: u64 = 1 << 30;

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
    /// The run; none if the set is of a file that does not tell.
    pub run: Option<CountedRun>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<CountedRun>,
    passes: u64,
    readings: Vec<Reading>,
    metrics: BTreeMap<String, String>,
    calls: Vec<(String, String, u64)>,
}

/// What every version of the format begins with.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
}

impl Header {
    fn check(self) -> Result<(), SetError> {
        match self.format == FORMAT && (OLDEST..=VERSION).contains(&self.version) {
            true => Ok(()),
            false => Err(SetError::Format { format: self.format, version: self.version }),
        }
    }
}

impl CounterSet {
    /// Nothing counted yet of a run.
    pub fn of(profile: &Profile) -> CounterSet {
        let provenance = &profile.provenance;
        CounterSet {
            model: profile.measurement.tables.model.clone(),
            model_digest: provenance.model_digest.clone(),
            programs: provenance.images.iter().map(|image| image.digest.clone()).collect(),
            run: Some(CountedRun::of(profile)),
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
        let stored = serde_json::from_slice::<Stored>(&text).map_err(|error| {
            // What other versions have, too, tells more than what they have not.
            let header = serde_json::from_slice::<Header>(&text).ok();
            header.and_then(|header| header.check().err()).unwrap_or(SetError::Json(error))
        })?;
        Header { format: stored.format, version: stored.version }.check()?;
        let mut set = CounterSet {
            model: stored.model,
            model_digest: stored.model_digest,
            programs: stored.programs,
            run: stored.run,
            passes: stored.passes,
            metrics: stored.metrics,
            ..CounterSet::default()
        };
        for Reading { region, event, count } in stored.readings {
            set.add(region, event, count)?;
        }
        for (caller, callee, times) in stored.calls {
            set.add_call(caller, callee, times)?;
        }
        check_possible(&set)?;
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
            run: self.run.clone(),
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

    /// Adds how often a function has called another.
    fn add_call(&mut self, caller: String, callee: String, times: u64) -> Result<(), SetError> {
        let names = (caller, callee);
        match self.calls.get(&names) {
            Some(known) if *known != times => {
                Err(SetError::Calls { names: Box::new(names), counts: [*known, times] })
            }
            _ => {
                self.calls.insert(names, times);
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
            return Err(SetError::OtherProgram);
        }
        match (&self.run, other.run) {
            (Some(ours), Some(theirs)) if *ours == theirs => {}
            (Some(ours), Some(theirs)) => {
                return Err(SetError::OtherRun(Box::new([ours.clone(), theirs])));
            }
            _ => return Err(SetError::UnknownRun),
        }
        let (ours, theirs) = (self.counts.len(), other.counts.len());
        for ((region, event), count) in other.counts {
            self.add(region, event, count)?;
        }
        // Where one of the two has all that the other has, its passes are enough.
        self.passes = match self.counts.len() {
            all if all == ours && all == theirs => self.passes.min(other.passes),
            all if all == ours => self.passes,
            all if all == theirs => other.passes,
            _ => self.passes.saturating_add(other.passes),
        };
        for (name, formula) in other.metrics {
            match self.metrics.get(&name) {
                Some(known) if *known != formula => return Err(SetError::Metric(name)),
                _ => self.metrics.insert(name, formula),
            };
        }
        for ((caller, callee), times) in other.calls {
            self.add_call(caller, callee, times)?;
        }
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
    ///
    /// # Errors
    /// The set has others already.
    pub fn add_calls<'a>(
        &mut self,
        arcs: impl Iterator<Item = (&'a CallKey, u64)>,
        name: impl Fn(u64) -> Option<String>,
    ) -> Result<(), SetError> {
        let mut calls: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (key, times) in arcs {
            if let (Some(caller), Some(callee)) = (name(key.caller), name(key.callee)) {
                count(calls.entry((caller, callee)).or_default(), times);
            }
        }
        calls.into_iter().try_for_each(|((caller, callee), times)| self.add_call(caller, callee, times))
    }
}

#[cfg(test)]
mod tests {
    use super::{CountedRun, CounterSet, SetError};

    fn set(counts: &[(&str, &str, u64)]) -> CounterSet {
        let run = CountedRun { cycles: 9, ..CountedRun::default() };
        let (programs, run) = (vec!["1".to_owned()], Some(run));
        let mut set = CounterSet { passes: 1, programs, run, ..CounterSet::default() };
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
        assert_eq!((sum.passes, sum.counts.len()), (1, 2), "the second has all of the first");
        let joined = |one: &[_], other: &[_]| {
            let mut sum = set(one);
            sum.join(set(other)).unwrap();
            sum.passes
        };
        let [cycles, loads, both] = [
            &[("run", "cycles", 9)][..],
            &[("run", "loads", 2)],
            &[("run", "cycles", 9), ("run", "loads", 2)],
        ];
        assert_eq!([joined(cycles, loads), joined(cycles, both), joined(both, cycles)], [2, 1, 1]);
        assert_eq!([joined(cycles, cycles), joined(both, both)], [1, 1]);
        let error = sum.join(set(&[("run", "loads", 3)])).expect_err("they disagree");
        assert_eq!(
            error.to_string(),
            "counts 3 `loads` in run, where another set has 2; join counters of equal runs alone"
        );
        let other = CounterSet { programs: vec!["2".to_owned()], ..set(&[]) };
        assert!(matches!(sum.join(other), Err(SetError::OtherProgram)));
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
            read(&text.replace("\"version\": 2", "\"more\": 1, \"version\": 3"))
                .starts_with("is `isac-counters` version 3; expected `isac-counters` version 1 to 2: ")
        );
        assert!(read(&text[..text.len() / 2]).starts_with("is no set of counters: "));
    }

    #[test]
    fn sets_of_different_runs_are_refused() {
        let of = |run| CounterSet { run, ..set(&[("run", "loads", 2)]) };
        let run = |cycles| CountedRun { runs: 1, cycles, course: "c".to_owned(), ..CountedRun::default() };
        let error = of(Some(run(3))).join(of(Some(run(4)))).expect_err("another run").to_string();
        assert_eq!(
            error,
            "is of 1 run of 0 instructions in 4 cycles, course c, where another set is of 1 run of 0 \
             instructions in 3 cycles, course c; join counters of equal runs alone"
        );
        for (ours, theirs) in [(None, Some(run(3))), (Some(run(3)), None), (None, None)] {
            assert!(matches!(of(ours).join(of(theirs)), Err(SetError::UnknownRun)));
        }
    }

    #[test]
    fn a_file_of_version_1_is_read() {
        let text = r#"{"format": "isac-counters", "version": 1, "model": "m", "model_digest": "d",
            "programs": ["1"], "passes": 1, "readings": [{"region": "run", "event": "cycles", "count": 9}],
            "metrics": {}, "calls": [["f", "g", 2]]}"#;
        let set = CounterSet::read(text.as_bytes()).expect("a set");
        assert_eq!((set.counts.len(), set.calls.len(), set.run), (1, 1, None));
    }

    #[test]
    fn sets_agree_on_calls() {
        let called = |times| {
            let mut set = set(&[]);
            set.calls.insert(("f".to_owned(), "g".to_owned()), times);
            set
        };
        let told = "has 3 calls of `g` by `f`, where another set has 2; join counters of equal runs alone";
        assert_eq!(called(2).join(called(3)).expect_err("they disagree").to_string(), told);
        let mut sum = called(2);
        sum.join(called(2)).expect("they agree");
        assert_eq!(sum.calls, called(2).calls);
        let mut file = Vec::new();
        sum.write(&mut file).expect("memory takes it");
        let entry = "[\n      \"f\",\n      \"g\",\n      2\n    ]";
        let text = String::from_utf8(file).expect("text");
        assert!(text.contains(entry), "{text}");
        let twice = |times: &str| text.replace(entry, &format!("{entry}, {}", entry.replace('2', times)));
        assert_eq!(CounterSet::read(twice("2").as_bytes()).expect("it agrees").calls, called(2).calls);
        assert_eq!(CounterSet::read(twice("3").as_bytes()).expect_err("it disagrees").to_string(), told);
    }
}
