//! What runs of several programs did together: to the processor, and nothing by address, for an address
//! is something else in each of them.

use serde::{Deserialize, Serialize};

use crate::digest::digest;
use crate::image::identities;
use crate::measurement::count;
use crate::{InstructionKey, InstructionRecord, Measurement, Profile, ProgramImage, Provenance};

/// One of several programs whose runs were added up.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ProgramRuns {
    /// What was loaded, the program first.
    pub images: Vec<ProgramImage>,
    /// Number of runs.
    pub runs: u64,
    /// Instructions that ran to their end, in all of them.
    pub executed: u64,
    /// Cycles of all of them, extra cycles included.
    pub cycles: u64,
}

impl ProgramRuns {
    /// Names of what was loaded, without their folders.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.images.iter().map(|image| image.name.as_str()).collect();
        names.join(" ")
    }

    fn add(&mut self, other: &ProgramRuns) {
        count(&mut self.runs, other.runs);
        count(&mut self.executed, other.executed);
        count(&mut self.cycles, other.cycles);
        keep_first_files(&mut self.images, &other.images);
    }
}

/// Of a program in several files, with symbols and without, any does; this one whatever the order of
/// merging.
pub(crate) fn keep_first_files(ours: &mut [ProgramImage], theirs: &[ProgramImage]) {
    for (ours, theirs) in ours.iter_mut().zip(theirs) {
        if (&theirs.name, &theirs.digest) < (&ours.name, &ours.digest) {
            ours.name.clone_from(&theirs.name);
            ours.digest.clone_from(&theirs.digest);
        }
    }
}

impl Profile {
    /// True if runs of several programs were added up: then nothing is known by address.
    pub fn is_of_several_programs(&self) -> bool {
        self.measurement.is_of_several_programs
    }

    /// What is left of a profile when its runs are added to those of another program: instructions by word
    /// and name, sums, counts of the description's points. Sums of this are this of sums.
    pub fn without_addresses(&self) -> Profile {
        if self.is_of_several_programs() {
            return self.clone();
        }
        let summary = crate::summary::Summary::of(&self.measurement);
        let program = ProgramRuns {
            images: self.provenance.images.clone(),
            runs: self.provenance.runs,
            executed: summary.executed,
            cycles: summary.total_cycles,
        };
        let provenance =
            Provenance { images: Vec::new(), programs: vec![program], ..self.provenance.clone() };
        Profile {
            measurement: self.measurement.without_addresses(),
            provenance,
            visits: self.visits.clone(),
            ..Profile::default()
        }
    }
}

impl Provenance {
    /// Adds the programs of another sum, which stay in the order of what they load.
    pub(crate) fn add_programs(&mut self, others: &[ProgramRuns]) {
        self.programs.sort_by(|one, other| identities(&one.images).cmp(&identities(&other.images)));
        for other in others {
            let found = self
                .programs
                .binary_search_by(|program| identities(&program.images).cmp(&identities(&other.images)));
            match found {
                Ok(known) => self.programs[known].add(other),
                Err(place) => self.programs.insert(place, other.clone()),
            }
        }
    }
}

impl Measurement {
    fn without_addresses(&self) -> Measurement {
        let mut sum = Measurement::new(self.tables.clone());
        sum.is_of_several_programs = true;
        (sum.cycles, sum.extra_cycles) = (self.cycles, self.extra_cycles);
        sum.undecoded = self.undecoded;
        sum.events.clone_from(&self.events);
        sum.occupancy.clone_from(&self.occupancy);
        for (key, record) in &self.instructions {
            let entry = sum.instructions.entry(key_without_address(*key, record));
            let named = || InstructionRecord {
                name: record.name.clone(),
                size_cells: record.size_cells,
                ..InstructionRecord::default()
            };
            entry.or_insert_with(named).add(record);
        }
        for &faults in self.undecoded_faults.values() {
            count(sum.undecoded_faults.entry(0).or_default(), faults);
        }
        for (&(_, cache), &lines) in &self.lines {
            sum.add_lines(None, cache, lines);
        }
        self.overheads.values().for_each(|overhead| sum.add_overhead(None, overhead));
        sum
    }
}

/// One word may be several instructions, in several modes; each gets a number of its own in the place of
/// an address, which follows from what it is.
fn key_without_address(key: InstructionKey, record: &InstructionRecord) -> InstructionKey {
    let InstructionRecord { name, size_cells, .. } = record;
    let bytes = key.word.bytes().iter().chain(name.as_bytes());
    let address = digest(bytes.copied().chain(size_cells.to_le_bytes()));
    InstructionKey { address, word: key.word }
}
