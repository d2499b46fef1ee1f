//! What one run, or several merged runs, did to the processor: counts per static instruction.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    AccessEvent, CacheLines, ImageDifference, InvalidOverhead, LostCause, Mode, ModelTables, Overhead,
    PathError, PathTree, StageCycles, Word, pairs,
};

/// A static instruction: where it stands and what stood there.
///
/// The word belongs to the key because code can change: what was decoded at one address may be
/// several instructions in the course of a run.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionKey {
    /// Address of the first cell.
    pub address: u64,
    /// The decoded word(s).
    pub word: Word,
}

/// How often something was touched. Sums stay at `u64::MAX` once they reach it. Stored as a
/// list of the three numbers, for there are many of them.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(from = "(u64, u64, u64)", into = "(u64, u64, u64)")]
pub struct Accesses {
    /// Evaluations that read a value.
    pub reads: u64,
    /// Evaluations that wrote a value.
    pub writes: u64,
    /// Instruction fetches.
    pub executes: u64,
}

impl Accesses {
    /// Adds the counts of `other`.
    pub fn add(&mut self, other: Accesses) {
        count(&mut self.reads, other.reads);
        count(&mut self.writes, other.writes);
        count(&mut self.executes, other.executes);
    }

    /// Adds one access.
    pub fn add_one(&mut self, kind: AccessEvent) {
        count(
            match kind {
                AccessEvent::Read => &mut self.reads,
                AccessEvent::Write => &mut self.writes,
                AccessEvent::Execute => &mut self.executes,
            },
            1,
        );
    }

    /// Whether nothing was touched.
    pub fn is_zero(&self) -> bool {
        *self == Accesses::default()
    }
}

impl From<(u64, u64, u64)> for Accesses {
    fn from((reads, writes, executes): (u64, u64, u64)) -> Accesses {
        Accesses { reads, writes, executes }
    }
}

impl From<Accesses> for (u64, u64, u64) {
    fn from(Accesses { reads, writes, executes }: Accesses) -> (u64, u64, u64) {
        (reads, writes, executes)
    }
}

/// What is known of one static instruction.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct InstructionRecord {
    /// The whole decode path, balanced: `decode(instr(add(g_reg(ax())g_reg(bx()))))`.
    pub name: String,
    /// What it occupies in memory, in cells.
    pub size_cells: u32,
    /// How often it ran to its end.
    pub executed: u64,
    /// How often it was decoded and then cancelled.
    pub cancelled: u64,
    /// How often it was decoded and then found at fault.
    pub faulted: u64,
    /// How often it was decoded and then still in flight when the run was over.
    pub unfinished: u64,
    /// Accesses of its executed runs alone, by (node, resource): node is the preorder number of
    /// the touching operation in the name, the outermost name being 0; resource is an index
    /// into [`ModelTables::resources`]. No entry is zero throughout, so that equal
    /// measurements are structurally equal.
    #[serde(with = "pairs")]
    pub accesses: BTreeMap<(u32, u32), Accesses>,
    /// Cycles that it took beyond the one in which it began, of all its runs, whatever became of
    /// them.
    #[serde(default, skip_serializing_if = "Overhead::is_zero")]
    pub overhead: Overhead,
}

impl InstructionRecord {
    /// Adds the counts of `other`, a record of the same instruction.
    pub(crate) fn add(&mut self, other: &InstructionRecord) {
        count(&mut self.executed, other.executed);
        count(&mut self.cancelled, other.cancelled);
        count(&mut self.faulted, other.faulted);
        count(&mut self.unfinished, other.unfinished);
        self.overhead.add(&other.overhead);
        for (&place, &accesses) in &other.accesses {
            if !accesses.is_zero() {
                self.accesses.entry(place).or_default().add(accesses);
            }
        }
    }
}

/// The counts of one run, or of several merged ones, of one model.
///
/// Two engines that run the same program give equal measurements.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// The names behind all numbers below.
    pub tables: ModelTables,
    /// Every instruction that was decoded at least once.
    #[serde(with = "pairs")]
    pub instructions: BTreeMap<InstructionKey, InstructionRecord>,
    /// `(from, to)`: how often the instruction at `from` ended and went on at `to`, where `to`
    /// is not its successor.
    #[serde(with = "pairs")]
    pub transfers: BTreeMap<(u64, u64), u64>,
    /// Cycles begun, extra cycles left out.
    pub cycles: u64,
    /// Sum of the model's `extra_cycles(n)`.
    pub extra_cycles: u64,
    /// Faults of instructions that were never decoded (fetch fault, illegal word), by address.
    #[serde(with = "pairs")]
    pub undecoded_faults: BTreeMap<u64, u64>,
    /// Instructions that were never decoded and not at fault, whatever became of them: what a
    /// cycle begins that decodes nothing, and what is cancelled or unfinished before.
    pub undecoded: u64,
    /// The model's own events, by name.
    pub events: BTreeMap<String, u64>,
    /// Lines of caches that were touched, by the address of the instruction that did so and the
    /// cache, an index into [`ModelTables::caches`]. Those of an instruction that was never
    /// decoded, and of operation `reset`, have no address. Every instruction counts, whatever
    /// became of it: summed up, this is what happened to the cache. No entry is zero throughout.
    #[serde(with = "pairs")]
    pub lines: BTreeMap<(Option<u64>, u32), CacheLines>,
    /// Lost and extra cycles of instructions that were never decoded, by address: of those that
    /// could not be decoded it is known, of all others, and of operation `reset`, not. No entry is
    /// zero throughout.
    #[serde(with = "pairs")]
    pub overheads: BTreeMap<Option<u64>, Overhead>,
    /// In how many cycles instructions were in each of [`ModelTables::stages`].
    pub occupancy: Vec<StageCycles>,
    /// True of runs of several programs, added up. Then addresses say nothing: those of the instructions
    /// are numbers that tell them apart, and nothing else has one.
    #[serde(default)]
    pub is_of_several_programs: bool,
}

impl Measurement {
    /// Nothing measured yet of this model.
    pub fn new(tables: ModelTables) -> Measurement {
        let occupancy = vec![StageCycles::default(); tables.stages.len()];
        Measurement { tables, occupancy, ..Measurement::default() }
    }

    /// Adds what `other` counted. Associative and commutative.
    ///
    /// # Errors
    /// The two are of different models, or name an instruction differently; nothing is added
    /// then.
    pub fn merge(&mut self, other: &Measurement) -> Result<(), MergeError> {
        self.check_mergeable(other)?;
        for (key, record) in &other.instructions {
            self.instructions
                .entry(*key)
                .or_insert_with(|| InstructionRecord {
                    name: record.name.clone(),
                    size_cells: record.size_cells,
                    ..InstructionRecord::default()
                })
                .add(record);
        }
        add_counts(&mut self.transfers, &other.transfers);
        add_counts(&mut self.undecoded_faults, &other.undecoded_faults);
        add_counts(&mut self.events, &other.events);
        count(&mut self.undecoded, other.undecoded);
        for (&(address, cache), &lines) in &other.lines {
            self.add_lines(address, cache, lines);
        }
        for (&address, overhead) in &other.overheads {
            self.add_overhead(address, overhead);
        }
        for (ours, theirs) in self.occupancy.iter_mut().zip(&other.occupancy) {
            ours.add(*theirs);
        }
        count(&mut self.cycles, other.cycles);
        count(&mut self.extra_cycles, other.extra_cycles);
        Ok(())
    }

    /// Adds lines of a cache that were touched.
    pub fn add_lines(&mut self, address: Option<u64>, cache: u32, lines: CacheLines) {
        if !lines.is_zero() {
            self.lines.entry((address, cache)).or_default().add(lines);
        }
    }

    /// Adds lost and extra cycles of what was never decoded.
    pub fn add_overhead(&mut self, address: Option<u64>, overhead: &Overhead) {
        if !overhead.is_zero() {
            self.overheads.entry(address).or_default().add(overhead);
        }
    }

    /// Adds a cycle in which an instruction was in a stage; one that the model does not have is left
    /// out.
    pub fn add_occupied(&mut self, stage: u32, stands: bool) {
        let stage = usize::try_from(stage).ok().and_then(|stage| self.occupancy.get_mut(stage));
        stage.into_iter().for_each(|cycles| cycles.add_one(stands));
    }

    /// Cycles in which no instruction began, by cause: of a whole run they are all such cycles.
    pub fn lost(&self) -> BTreeMap<LostCause, u64> {
        let records = self.instructions.values().map(|record| &record.overhead);
        let mut sum = Overhead::default();
        records.chain(self.overheads.values()).for_each(|overhead| sum.add(overhead));
        sum.lost
    }

    /// Whether both are of one model.
    pub(crate) fn check_tables(&self, other: &Measurement) -> Result<(), MergeError> {
        match self.tables == other.tables {
            true => Ok(()),
            false => Err(MergeError::Tables {
                ours: self.tables.model.clone(),
                theirs: other.tables.model.clone(),
            }),
        }
    }

    fn check_mergeable(&self, other: &Measurement) -> Result<(), MergeError> {
        self.check_tables(other)?;
        if self.is_of_several_programs != other.is_of_several_programs {
            return Err(MergeError::Addresses);
        }
        for (key, theirs) in &other.instructions {
            if let Some(ours) = self.instructions.get(key)
                && (ours.name != theirs.name || ours.size_cells != theirs.size_cells)
            {
                return Err(MergeError::Instruction(*key));
            }
        }
        Ok(())
    }

    /// Checks what the types leave open; what is read from a file is checked already.
    ///
    /// # Errors
    /// The first record that breaks a rule of [`InstructionRecord`], count of a cache that one of
    /// [`Measurement::lines`], or cycles that one of the other members.
    pub fn validate(&self) -> Result<(), InvalidMeasurement> {
        let mut names = SoundNames::default();
        let mut records = self.instructions.iter();
        records.try_for_each(|(key, record)| self.validate_record(&mut names, key, record))?;
        self.lines.iter().try_for_each(|(&(_, cache), &lines)| self.validate_lines(cache, lines))?;
        self.overheads.values().try_for_each(|overhead| self.validate_overhead(overhead))?;
        self.validate_occupancy()
    }

    /// The rules of cycles of what was never decoded.
    pub(crate) fn validate_overhead(&self, overhead: &Overhead) -> Result<(), InvalidMeasurement> {
        let found = match overhead.is_zero() {
            true => Err(InvalidOverhead::Zero),
            false => overhead.validate(&self.tables),
        };
        found.map_err(InvalidMeasurement::Overhead)
    }

    /// The rules of cycles of stages.
    pub(crate) fn validate_occupancy(&self) -> Result<(), InvalidMeasurement> {
        let (expected, found) = (self.tables.stages.len(), self.occupancy.len());
        let numbered = (0..).zip(&self.occupancy);
        let too_many =
            numbered.filter(|(_, cycles)| cycles.standing > cycles.occupied).map(|(stage, _)| stage).next();
        match too_many {
            _ if expected != found => {
                Err(InvalidMeasurement::Overhead(InvalidOverhead::Stages { expected, found }))
            }
            Some(stage) => Err(InvalidMeasurement::Overhead(InvalidOverhead::Standing(stage))),
            None => Ok(()),
        }
    }

    /// The rules of lines of a cache.
    pub(crate) fn validate_lines(&self, cache: u32, lines: CacheLines) -> Result<(), InvalidMeasurement> {
        if !is_index(cache, self.tables.caches.len()) {
            return Err(InvalidMeasurement::Cache(cache));
        }
        match lines.is_zero() {
            true => Err(InvalidMeasurement::ZeroLines),
            false => Ok(()),
        }
    }

    /// The rules of one record.
    pub(crate) fn validate_record(
        &self,
        names: &mut SoundNames,
        key: &InstructionKey,
        record: &InstructionRecord,
    ) -> Result<(), InvalidMeasurement> {
        let invalid = |cause| InvalidMeasurement::Record { key: *key, cause };
        let nodes = names.nodes_of(&record.name).map_err(|e| invalid(InvalidRecord::Name(e)))?;
        for (&(node, resource), accesses) in &record.accesses {
            if !is_index(node, nodes) {
                return Err(invalid(InvalidRecord::Node(node)));
            }
            if !is_index(resource, self.tables.resources.len()) {
                return Err(invalid(InvalidRecord::Resource(resource)));
            }
            if accesses.is_zero() {
                return Err(invalid(InvalidRecord::ZeroAccesses));
            }
        }
        if record.executed == 0 && !record.accesses.is_empty() {
            return Err(invalid(InvalidRecord::AccessesWithoutExecution));
        }
        record.overhead.validate(&self.tables).map_err(|e| invalid(InvalidRecord::Overhead(e)))
    }
}

/// Decode paths that were found to be sound, with how many nodes each has: programs have many instructions of
/// few names.
#[derive(Default)]
pub(crate) struct SoundNames(HashMap<String, usize>);

impl SoundNames {
    fn nodes_of(&mut self, name: &str) -> Result<usize, PathError> {
        if let Some(nodes) = self.0.get(name) {
            return Ok(*nodes);
        }
        let nodes = PathTree::parse(name)?.nodes().len();
        self.0.insert(name.to_owned(), nodes);
        Ok(nodes)
    }
}

/// Whether `number` is an index into something of `length` elements.
pub(crate) fn is_index(number: u32, length: usize) -> bool {
    usize::try_from(number).is_ok_and(|index| index < length)
}

/// Adds to a counter, which stays at `u64::MAX` once it gets there: associative, and no hostile
/// file can make it wrap.
pub(crate) fn count(counter: &mut u64, by: u64) {
    *counter = counter.saturating_add(by);
}

fn add_counts<K: Ord + Clone>(ours: &mut BTreeMap<K, u64>, theirs: &BTreeMap<K, u64>) {
    for (key, &by) in theirs {
        count(ours.entry(key.clone()).or_default(), by);
    }
}

/// Why two measurements cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// They are of two models, or of two versions of one.
    Tables {
        /// Name of the model measured here.
        ours: String,
        /// Name of the other's model.
        theirs: String,
    },
    /// They give one instruction two names or sizes.
    Instruction(InstructionKey),
    /// They are of two descriptions of one model.
    Model {
        /// Its name.
        model: String,
        /// The digests of the descriptions.
        digests: [String; 2],
    },
    /// One is of several programs, the other of one and has addresses.
    Addresses,
    /// They are of two programs.
    Program(Box<ImageDifference>),
    /// They were not obtained in the same way.
    Mode(Mode, Mode),
    /// They count so many points of the description.
    Points([usize; 2]),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Tables { ours, theirs } if ours == theirs => {
                write!(f, "the profiles are of two versions of model `{ours}`; measure both anew")
            }
            MergeError::Tables { ours, theirs } => {
                write!(f, "the profiles are of two models, `{ours}` and `{theirs}`; expected one")
            }
            MergeError::Instruction(InstructionKey { address, word }) => write!(
                f,
                "the profiles disagree on the instruction {word} at {address:#x}; expected the \
                 same name and size"
            ),
            MergeError::Model { model, digests: [ours, theirs] } => write!(
                f,
                "the profiles are of two versions of model `{model}`, with the digests {ours} and {theirs}; \
                 measure both anew"
            ),
            MergeError::Program(difference) => {
                write!(f, "the profiles are of two programs: {difference}; expected runs of one")
            }
            MergeError::Addresses => {
                write!(f, "one is of several programs, the other of one; take the addresses from that, too")
            }
            MergeError::Mode(ours, theirs) => {
                write!(f, "one profile is {ours}, the other {theirs}; measure both in the same way")
            }
            MergeError::Points([ours, theirs]) => write!(
                f,
                "one profile has counts of {ours} points of the description, the other of {theirs}; measure \
                 both anew, with the same gentool"
            ),
        }
    }
}

impl std::error::Error for MergeError {}

/// What breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidMeasurement {
    /// A record that breaks one of [`InstructionRecord`].
    Record {
        /// The instruction.
        key: InstructionKey,
        /// The rule.
        cause: InvalidRecord,
    },
    /// Lines of a cache that the model does not have.
    Cache(u32),
    /// Lines of a cache of which none was touched.
    ZeroLines,
    /// Cycles of what was never decoded, or of stages.
    Overhead(InvalidOverhead),
}

/// What is wrong with an instruction's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidRecord {
    /// Its name is no decode path.
    Name(PathError),
    /// Its name has no such node.
    Node(u32),
    /// The model has no such resource.
    Resource(u32),
    /// An entry counts nothing.
    ZeroAccesses,
    /// It has accesses and was never executed.
    AccessesWithoutExecution,
    /// Cycles that it took.
    Overhead(InvalidOverhead),
}

impl fmt::Display for InvalidMeasurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (InstructionKey { address, word }, cause) = match self {
            InvalidMeasurement::Record { key, cause } => (*key, cause),
            InvalidMeasurement::Cache(cache) => return write!(f, "the model has no cache {cache}"),
            InvalidMeasurement::Overhead(invalid) => return write!(f, "{invalid}"),
            InvalidMeasurement::ZeroLines => {
                return write!(f, "an entry of a cache is zero; leave it out");
            }
        };
        write!(f, "instruction {word} at {address:#x}: ")?;
        match cause {
            InvalidRecord::Name(error) => write!(f, "{error}"),
            InvalidRecord::Node(node) => write!(f, "its name has no node {node}"),
            InvalidRecord::Resource(resource) => write!(f, "the model has no resource {resource}"),
            InvalidRecord::ZeroAccesses => write!(f, "an access entry is zero; leave it out"),
            InvalidRecord::AccessesWithoutExecution => {
                write!(f, "it has accesses but was never executed; only executed runs count")
            }
            InvalidRecord::Overhead(invalid) => write!(f, "{invalid}"),
        }
    }
}

impl std::error::Error for InvalidMeasurement {}
