//! What a set of counters cannot say, whoever wrote the file.

use super::set::FILE_LIMIT;
use super::{CountedEvent, CounterSet, Region, SetError};

/// Refuses what no run can have counted: another sum than that of the run, more in a part of it than in all,
/// more passes than a file has room for counters.
pub(super) fn check_possible(set: &CounterSet) -> Result<(), SetError> {
    if set.passes > FILE_LIMIT {
        let passes = set.passes;
        return Err(SetError::Impossible(format!("has {passes} passes, more than there can be counters")));
    }
    let Some(run) = &set.run else { return Ok(()) };
    for ((region, event), count) in &set.counts {
        let whole = match event {
            CountedEvent::Instructions => run.instructions,
            CountedEvent::Cycles => run.cycles,
            _ => continue,
        };
        if *count > whole || *region == Region::Run && *count < whole {
            let what = format!("counts {count} {event} in {region}, where the run has {whole}");
            return Err(SetError::Impossible(what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_possible;
    use crate::counters::{CountedRun, CounterSet};

    /// What is said of a set of one counter, of a run of 5 instructions in 7 cycles.
    fn refused(region: &str, event: &str, count: u64, passes: u64) -> Option<String> {
        let run = CountedRun { runs: 1, instructions: 5, cycles: 7, ..CountedRun::default() };
        let counts = [((region.parse().unwrap(), event.parse().unwrap()), count)].into();
        let set = CounterSet { passes, run: Some(run), counts, ..CounterSet::default() };
        check_possible(&set).err().map(|error| error.to_string())
    }

    #[test]
    fn what_no_run_can_have_counted_is_refused() {
        for (region, event, count) in [("run", "cycles", 7), ("self:f", "cycles", 0), ("run", "loads", 9)] {
            assert_eq!(refused(region, event, count, 1), None);
        }
        let told = |what: &str| {
            Some(format!("{what}: the file is damaged; write it anew by `gentool counters --save`"))
        };
        assert_eq!(refused("run", "cycles", 0, 1), told("counts 0 cycles in run, where the run has 7"));
        assert_eq!(
            refused("self:f", "instructions", 6, 1),
            told("counts 6 instructions in self:f, where the run has 5")
        );
        let many = format!("has {} passes, more than there can be counters", u64::MAX);
        assert_eq!(refused("run", "cycles", 7, u64::MAX), told(&many));
    }
}
