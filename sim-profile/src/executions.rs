//! How often the instructions at each address were executed: the classical profile.

use std::collections::BTreeMap;

use crate::Measurement;
use crate::ascending::sum_ascending;
use crate::measurement::count;

/// Executions by address, ascending: the sum over all words that were decoded there. Addresses
/// where nothing ran to its end are left out; of several programs, all.
pub fn executions(measurement: &Measurement) -> BTreeMap<u64, u64> {
    let has_addresses = !measurement.is_of_several_programs;
    let executed = measurement.instructions.iter().filter(|(_, record)| has_addresses && record.executed > 0);
    sum_ascending(executed.map(|(key, record)| (key.address, record.executed)), count)
}

#[cfg(test)]
mod tests {
    use super::executions;
    use crate::{InstructionKey, InstructionRecord, Measurement, Word};

    #[test]
    fn words_at_one_address_are_summed_and_what_never_ran_is_left_out() {
        let mut measurement = Measurement::default();
        for (address, byte, executed, cancelled) in [(8, 1, 2, 0), (4, 2, 3, 1), (8, 3, 5, 0), (2, 4, 0, 9)] {
            let key = InstructionKey { address, word: Word::new(&[byte]).unwrap() };
            let record = InstructionRecord {
                name: "op()".to_owned(),
                executed,
                cancelled,
                ..InstructionRecord::default()
            };
            measurement.instructions.insert(key, record);
        }
        assert_eq!(executions(&measurement).into_iter().collect::<Vec<_>>(), [(4, 3), (8, 7)]);
    }
}
