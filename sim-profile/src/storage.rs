//! A profile as a file.
//!
//! JSON, one value a line: what the file is, the model with the run's totals, one line an entry
//! in ascending order, and the number of entries, without which the file is truncated.
//!
//! ```text
//! {"format":"isac-profile","version":5}
//! {"tables":{...},"provenance":{...},"cycles":12,"extra_cycles":0,"undecoded":0,
//!  "occupancy":[]}
//! {"instruction":[{"address":128,"word":"03"},{"name":"decode(...)",...,"unfinished":0,...}]}
//! {"transfer":[130,128,7]}
//! {"undecoded_fault":[131,1]}
//! {"event":["retired",4]}
//! {"lines":[128,0,[11,1,0]]}
//! {"overhead":[131,{"extra_cycles":2,"lost":[]}]}
//! {"static":[{"address":128,"word":"03"},{"text":"nop"}]}
//! {"call":[{"caller":128,"site":130,"callee":140,"kind":"call"},{"calls":2,"inclusive":[20,25]}]}
//! {"function":[140,{"own":[20,25],"inclusive":[20,25]}]}
//! {"context":{"parent":0,"function":140,"own":[20,25]}}
//! {"in_vain":[null,130,2]}
//! {"known_functions":["85944171f73967e8"]}
//! {"calls":0}
//! {"visits":[12,12,0,3]}
//! {"pipeline":{"first":1,"cycles":9,"rows":[...]}}
//! {"end":13}
//! ```
//!
//! An instruction's accesses are a list of `[[node,resource],[reads,writes,executes]]`, a transfer
//! is `[from,to,count]`, an undecoded fault `[address,count]`, an event `[name,count]`,
//! lines of a cache `[address,cache,[hits,misses,write_backs]]`, the address being null if there is none.
//! An overhead is lost and extra cycles of what was never decoded; those of an instruction are in its
//! entry, if there are any. A static entry is what the model says of an instruction, whatever it did.
//! Of calls there is the line `calls`, with the number of those that were forgotten, if they were
//! followed, and costs are lists of instructions and cycles; `in_vain` is `[address or null,address,cycles]`,
//! `known_functions` what tells the functions of files apart between which calls were followed.
//! Where runs of several programs were added up, their files and sums are in the provenance, nothing has an
//! address, and the number in its place tells instructions apart. `visits` are counts of the description's
//! points, by number, if they were counted, and `pipeline` which instruction was in which stage in some
//! cycles.
//!
//! The version is that of what the entries mean. What is new and may be missing, as `known_functions`, comes without
//! another one: files that have none of it are read as before, and a reader that does not know it refuses it
//! by its name.

mod sum;
mod template;

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::lines::{LineError, Lines};
use crate::measurement::{SoundNames, is_index};
use crate::{
    CacheLines, CallContext, CallCount, CallKey, FunctionCount, InstructionKey, InstructionRecord,
    InvalidMeasurement, InvalidView, Measurement, Mode, ModelTables, Overhead, PipelineView, Profile,
    Provenance, Samples, Sampling, StageCycles, StaticFacts,
};

pub use sum::{ProfileSum, SumError};

/// What to do about a profile that somebody has changed.
const DAMAGED: &str = "the file is damaged: copy it again or measure the run anew";

/// What to do about a profile that says something which is not known here.
const NEWER: &str = "a later gentool may have written it: read it with that one, or measure the run anew";

const FORMAT: &str = "isac-profile";
const VERSION: u64 = 5;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Format {
    format: String,
    version: u64,
}

/// The second line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    tables: ModelTables,
    provenance: Provenance,
    cycles: u64,
    extra_cycles: u64,
    undecoded: u64,
    occupancy: Vec<StageCycles>,
    /// Of a sampled run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    samples: Option<Samples>,
}

/// Every further line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    Instruction(InstructionKey, InstructionRecord),
    /// From, to, count.
    Transfer(u64, u64, u64),
    /// Address, count.
    UndecodedFault(u64, u64),
    /// Name, count.
    Event(String, u64),
    /// Address, cache, counts.
    Lines(Option<u64>, u32, CacheLines),
    /// Address, cycles.
    Overhead(Option<u64>, Overhead),
    /// What is known of an instruction.
    Static(InstructionKey, StaticFacts),
    /// An arc of the call graph.
    Call(CallKey, CallCount),
    /// A function of it, by its beginning.
    Function(u64, FunctionCount),
    /// A stack of calls.
    Context(CallContext),
    /// Cycles by address, if there is one, and the address that pays for them.
    InVain(Option<u64>, u64, u64),
    /// Digests of the functions of files that were known.
    KnownFunctions(BTreeSet<String>),
    /// Calls were followed; how many were forgotten.
    Calls(u64),
    /// How often each point of the description was passed.
    Visits(Vec<u64>),
    /// Some cycles of a pipeline.
    Pipeline(PipelineView),
    /// Number of entries before.
    End(u64),
}

/// Writes a profile. Equal profiles give equal bytes.
///
/// # Errors
/// `out` fails.
pub fn write_profile<W: Write>(mut out: W, profile: &Profile) -> io::Result<()> {
    let Profile { measurement, provenance, .. } = profile;
    write_line(&mut out, &Format { format: FORMAT.to_owned(), version: VERSION })?;
    write_line(
        &mut out,
        &Head {
            tables: measurement.tables.clone(),
            provenance: provenance.clone(),
            cycles: measurement.cycles,
            extra_cycles: measurement.extra_cycles,
            undecoded: measurement.undecoded,
            occupancy: measurement.occupancy.clone(),
            samples: profile.samples,
        },
    )?;
    let mut entries = 0;
    for entry in entries_of(profile) {
        write_line(&mut out, &entry)?;
        entries += 1;
    }
    write_line(&mut out, &Entry::End(entries))?;
    out.flush()
}

fn entries_of(profile: &Profile) -> impl Iterator<Item = Entry> {
    let Measurement { instructions, transfers, undecoded_faults, events, lines, overheads, .. } =
        &profile.measurement;
    let instructions = instructions.iter().map(|(&key, record)| Entry::Instruction(key, record.clone()));
    let transfers = transfers.iter().map(|(&(from, to), &count)| Entry::Transfer(from, to, count));
    let faults = undecoded_faults.iter().map(|(&address, &count)| Entry::UndecodedFault(address, count));
    let events = events.iter().map(|(name, &count)| Entry::Event(name.clone(), count));
    let lines = lines.iter().map(|(&(address, cache), &lines)| Entry::Lines(address, cache, lines));
    let overheads = overheads.iter().map(|(&address, overhead)| Entry::Overhead(address, overhead.clone()));
    let statics = profile.statics.iter().map(|(&key, facts)| Entry::Static(key, facts.clone()));
    let calls = profile.calls.iter();
    let arcs = calls.clone().flat_map(|calls| &calls.arcs).map(|(&key, &arc)| Entry::Call(key, arc));
    let functions = calls.clone().flat_map(|calls| &calls.functions);
    let functions = functions.map(|(&start, &count)| Entry::Function(start, count));
    let contexts = calls.clone().flat_map(|calls| &calls.contexts).map(|&context| Entry::Context(context));
    let in_vain = calls.clone().flat_map(|calls| &calls.in_vain);
    let in_vain = in_vain.map(|(&(place, payer), &cycles)| Entry::InVain(place, payer, cycles));
    let known = calls.clone().filter_map(|calls| calls.known_functions.clone()).map(Entry::KnownFunctions);
    let forgotten = calls.map(|calls| Entry::Calls(calls.forgotten));
    let visits = profile.visits.iter().map(|visits| Entry::Visits(visits.clone()));
    let pipeline = profile.pipeline.iter().map(|view| Entry::Pipeline(view.clone()));
    let counts = instructions.chain(transfers).chain(faults).chain(events).chain(lines).chain(overheads);
    counts
        .chain(statics)
        .chain(arcs)
        .chain(functions)
        .chain(contexts)
        .chain(in_vain)
        .chain(known)
        .chain(forgotten)
        .chain(visits)
        .chain(pipeline)
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Reads what [`write_profile`] wrote.
///
/// # Errors
/// The file is no complete profile of this version, or breaks a rule of
/// [`Measurement::validate`].
pub fn read_profile<R: BufRead>(reader: R) -> Result<Profile, ProfileError> {
    let mut lines = Lines::new(reader);
    read_lines(&mut lines).map_err(|cause| ProfileError { line: lines.number, cause })
}

fn read_lines<R: BufRead>(lines: &mut Lines<R>) -> Result<Profile, ProfileErrorCause> {
    let mut profile = read_head(lines)?;
    let mut reading = Reading::default();
    let mut entries = 0;
    loop {
        let entry = serde_json::from_str(lines.next_line()?).map_err(ProfileErrorCause::Malformed)?;
        if let Entry::End(written) = entry {
            return match lines.has_more()? {
                _ if written != entries => Err(ProfileErrorCause::Count { written, found: entries }),
                true => Err(ProfileErrorCause::AfterEnd),
                false if reading.lacks_calls(&profile) => Err(ProfileErrorCause::CallsNotFollowed),
                false if is_not_of_run(&profile) => Err(ProfileErrorCause::NotOfRun),
                false => Ok(profile),
            };
        }
        insert_entry(&mut profile, &mut reading, entry)?;
        entries += 1;
    }
}

/// Whether samples have counted what they cannot have of the run that they are of.
fn is_not_of_run(profile: &Profile) -> bool {
    let (Some(samples), Mode::Sampled(sampling)) = (profile.samples, profile.provenance.mode) else {
        return false;
    };
    let Measurement { instructions, cycles, extra_cycles, undecoded, .. } = &profile.measurement;
    let executed = instructions.values().fold(0, |sum: u64, record| sum.saturating_add(record.executed));
    let has_more = executed > samples.instructions || cycles.saturating_add(*extra_cycles) > samples.cycles;
    // A sample begins at a check, or with the run, or with a part of it, and may go on in another part.
    let Provenance { runs, parts, .. } = profile.provenance;
    let most_samples = samples.checks.saturating_add(runs).saturating_add(parts.unwrap_or(0));
    let is_all = sampling.is_plain() && sampling.interval == sampling.burst;
    let lacks = samples.samples == 0 && executed > 0
        || is_all && executed.saturating_add(*undecoded) < samples.instructions;
    has_more || samples.samples > most_samples || parts.is_none() && lacks
}

fn read_head<R: BufRead>(lines: &mut Lines<R>) -> Result<Profile, ProfileErrorCause> {
    let first = match lines.next_line() {
        Ok(first) => first,
        Err(LineError::Io(error)) => return Err(ProfileErrorCause::Io(error)),
        Err(LineError::Truncated | LineError::NotUtf8) => {
            return Err(ProfileErrorCause::NotAProfile);
        }
    };
    match serde_json::from_str(first) {
        Ok(Format { format, version: VERSION }) if format == FORMAT => {}
        Ok(Format { format, version }) if format == FORMAT => {
            return Err(ProfileErrorCause::Version(version));
        }
        _ => return Err(ProfileErrorCause::NotAProfile),
    }
    let head: Head = serde_json::from_str(lines.next_line()?).map_err(ProfileErrorCause::Malformed)?;
    let mut measurement = Measurement::new(head.tables);
    measurement.cycles = head.cycles;
    measurement.extra_cycles = head.extra_cycles;
    measurement.undecoded = head.undecoded;
    measurement.occupancy = head.occupancy;
    measurement.validate_occupancy().map_err(ProfileErrorCause::Invalid)?;
    let (provenance, samples) = (head.provenance, head.samples);
    measurement.is_of_several_programs = !provenance.programs.is_empty();
    if let Mode::Sampled(Sampling { interval, burst, .. }) = provenance.mode
        && !(1..=interval).contains(&burst)
    {
        return Err(ProfileErrorCause::Sampling { interval, burst });
    }
    Ok(Profile { measurement, provenance, samples, ..Profile::default() })
}

/// What is known of the entries before.
#[derive(Default)]
struct Reading {
    names: SoundNames,
    /// Whether one has said that calls were followed.
    follows_calls: bool,
}

impl Reading {
    /// Whether there are calls, and no entry that says that they were followed.
    fn lacks_calls(&self, profile: &Profile) -> bool {
        profile.calls.is_some() && !self.follows_calls
    }
}

/// The same with targets that ascend, each once, as those who look for one expect.
fn in_order(mut facts: StaticFacts) -> StaticFacts {
    let own = facts.control.iter_mut().map(|control| &mut control.targets);
    for targets in own.chain(facts.delayed.iter_mut().map(|delayed| &mut delayed.targets)) {
        targets.sort_unstable();
        targets.dedup();
    }
    facts
}

fn insert_entry(profile: &mut Profile, reading: &mut Reading, entry: Entry) -> Result<(), ProfileErrorCause> {
    let Profile { measurement, statics, calls, visits, pipeline, .. } = profile;
    let repeated = match entry {
        Entry::Instruction(key, record) => {
            measurement
                .validate_record(&mut reading.names, &key, &record)
                .map_err(ProfileErrorCause::Invalid)?;
            measurement.instructions.insert(key, record).is_some()
        }
        Entry::Transfer(from, to, count) => measurement.transfers.insert((from, to), count).is_some(),
        Entry::UndecodedFault(address, count) => {
            measurement.undecoded_faults.insert(address, count).is_some()
        }
        Entry::Event(name, count) => measurement.events.insert(name, count).is_some(),
        Entry::Lines(address, cache, lines) => {
            measurement.validate_lines(cache, lines).map_err(ProfileErrorCause::Invalid)?;
            measurement.lines.insert((address, cache), lines).is_some()
        }
        Entry::Overhead(address, overhead) => {
            measurement.validate_overhead(&overhead).map_err(ProfileErrorCause::Invalid)?;
            measurement.overheads.insert(address, overhead).is_some()
        }
        Entry::Static(key, facts) => statics.insert(key, in_order(facts)).is_some(),
        Entry::Call(key, arc) => calls.get_or_insert_default().arcs.insert(key, arc).is_some(),
        Entry::Function(start, function) => {
            calls.get_or_insert_default().functions.insert(start, function).is_some()
        }
        Entry::Context(context) => {
            let contexts = &mut calls.get_or_insert_default().contexts;
            let is_known = context.parent.is_none_or(|parent| is_index(parent, contexts.len()));
            contexts.push(context);
            !is_known
        }
        Entry::InVain(place, payer, cycles) => {
            calls.get_or_insert_default().in_vain.insert((place, payer), cycles).is_some()
        }
        Entry::KnownFunctions(known) => {
            calls.get_or_insert_default().known_functions.replace(known).is_some()
        }
        Entry::Calls(forgotten) => {
            calls.get_or_insert_default().forgotten = forgotten;
            std::mem::replace(&mut reading.follows_calls, true)
        }
        Entry::Visits(counts) => visits.replace(counts).is_some(),
        Entry::Pipeline(view) => {
            view.validate(&measurement.tables).map_err(ProfileErrorCause::View)?;
            pipeline.replace(view).is_some()
        }
        Entry::End(_) => false,
    };
    if repeated { Err(ProfileErrorCause::Repeated) } else { Ok(()) }
}

/// What is wrong with a profile's file, and where.
#[derive(Debug)]
pub struct ProfileError {
    /// Number of the line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub cause: ProfileErrorCause,
}

/// What can be wrong with a line of a profile's file.
#[derive(Debug)]
pub enum ProfileErrorCause {
    /// It cannot be read.
    Io(io::Error),
    /// The file does not begin as a profile does.
    NotAProfile,
    /// The file is of another version, given here.
    Version(u64),
    /// It is not what is expected there.
    Malformed(serde_json::Error),
    /// It is no text.
    NotUtf8,
    /// An entry that the file has already.
    Repeated,
    /// There are entries of calls, and none that says that they were followed.
    CallsNotFollowed,
    /// The record breaks a rule.
    Invalid(InvalidMeasurement),
    /// Cycles of a pipeline that cannot be.
    View(InvalidView),
    /// The file ends before its last line.
    Truncated,
    /// The file has not as many entries as its last line says.
    Count {
        /// As the last line says.
        written: u64,
        /// Counted.
        found: u64,
    },
    /// Something follows the last line.
    AfterEnd,
    /// Samples have other counts than they can have of their run.
    NotOfRun,
    /// No run can be sampled so.
    Sampling {
        /// Checks between two samples.
        interval: u64,
        /// Stretches of one.
        burst: u64,
    },
}

impl From<LineError> for ProfileErrorCause {
    fn from(error: LineError) -> ProfileErrorCause {
        match error {
            LineError::Io(error) => ProfileErrorCause::Io(error),
            LineError::Truncated => ProfileErrorCause::Truncated,
            LineError::NotUtf8 => ProfileErrorCause::NotUtf8,
        }
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.cause)
    }
}

impl fmt::Display for ProfileErrorCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProfileErrorCause::Io(error) => write!(f, "cannot be read: {error}"),
            ProfileErrorCause::NotAProfile => {
                write!(f, "no profile; expected a file that `--profile` wrote")
            }
            ProfileErrorCause::Sampling { interval, burst } => {
                write!(f, "samples of {burst} stretches at intervals of {interval} cannot be; measure again")
            }
            ProfileErrorCause::Version(version) => {
                write!(f, "profile of version {version}; expected {VERSION}: measure the run anew")
            }
            ProfileErrorCause::Malformed(error) => {
                // The place that is told is in the line, whose number stands before.
                let message = error.to_string();
                let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message);
                let is_unknown =
                    ["unknown variant", "unknown field"].iter().any(|it| message.starts_with(it));
                let remedy = if is_unknown { NEWER } else { DAMAGED };
                write!(f, "not as expected in column {}: {message}; {remedy}", error.column())
            }
            ProfileErrorCause::NotUtf8 => write!(f, "not UTF-8 text; {DAMAGED}"),
            ProfileErrorCause::CallsNotFollowed => {
                write!(
                    f,
                    "the file has entries of calls and no line `{{\"calls\":FORGOTTEN}}`, which says that they \
                     were followed; {DAMAGED}"
                )
            }
            ProfileErrorCause::Repeated => write!(f, "an entry that came before; {DAMAGED}"),
            ProfileErrorCause::Invalid(invalid) => write!(f, "{invalid}"),
            ProfileErrorCause::View(invalid) => write!(f, "{invalid}"),
            ProfileErrorCause::Truncated => {
                write!(
                    f,
                    "the file ends here; expected more entries or the line `{{\"end\":COUNT}}`; it was not \
                     written to its end: copy it again or measure the run anew"
                )
            }
            ProfileErrorCause::Count { written, found } => {
                write!(f, "the file has {found} entries; its last line says {written}; {DAMAGED}")
            }
            ProfileErrorCause::AfterEnd => {
                write!(f, "something follows the line `{{\"end\":COUNT}}`; {DAMAGED}")
            }
            ProfileErrorCause::NotOfRun => {
                write!(
                    f,
                    "the samples cannot be of a run of so many instructions, cycles and checks; {DAMAGED}"
                )
            }
        }
    }
}

impl std::error::Error for ProfileError {}
