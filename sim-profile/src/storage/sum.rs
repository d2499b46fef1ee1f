//! The sum of many stored profiles.
//!
//! Thousands of runs of one program give profiles whose lines differ in their counts and in little
//! else, and most of the time that merging takes goes into telling the same names again. So a line that
//! reads as one of an earlier file of its program does, but for its counts, is not taken apart: its counts
//! are added to those of that line's [`Template`]. Everything else is read and merged as a profile of its
//! own. Where there are several programs, each is added up by itself first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::BufRead;

use super::template::{Matched, Template};
use super::{Entry, Reading, insert_entry, read_head};
use crate::image::identities;
use crate::lines::Lines;
use crate::measurement::count;
use crate::{InstructionKey, MergeError, Mode, Profile, ProfileError, ProfileErrorCause};

/// Stored profiles, added up one by one.
#[derive(Default)]
pub struct ProfileSum {
    /// The programs of late, the last one at the end.
    programs: Vec<ProgramSum>,
    /// What others did, once there are more programs than can be kept.
    finished: Option<Profile>,
    has_calls: bool,
    has_visits: bool,
    known_functions: BTreeSet<String>,
}

/// So many programs are kept, for further files of theirs: the templates of each take some megabytes.
const MOST_PROGRAMS: usize = 16;

/// Stored profiles of one program, or of several programs each.
#[derive(Default)]
struct ProgramSum {
    /// The first file, and what is no template's of all others.
    profile: Profile,
    /// In the order in which they were met, which is that of the files.
    templates: Vec<Template>,
    /// By what a line begins with.
    index: BTreeMap<Vec<u8>, usize>,
    /// The templates of an instruction.
    instructions: BTreeMap<InstructionKey, Vec<usize>>,
    /// The same of what is known of an instruction whatever it did.
    statics: BTreeMap<InstructionKey, Vec<usize>>,
    /// Files so far.
    files: u32,
}

/// Why a stored profile cannot be added.
#[derive(Debug)]
pub enum SumError {
    /// It is no complete profile.
    File(ProfileError),
    /// It is not of the same model, program and way of measuring.
    Merge(MergeError),
}

impl fmt::Display for SumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SumError::File(error) => error.fmt(f),
            SumError::Merge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SumError {}

impl ProfileSum {
    /// Adds a file that [`write_profile`](crate::write_profile) wrote.
    ///
    /// # Errors
    /// The file cannot be added. A part of it may have been: the sum is then worth nothing.
    pub fn add<R: BufRead>(&mut self, reader: R) -> Result<(), SumError> {
        let mut lines = Lines::new(reader);
        let unreadable = |cause, lines: &Lines<R>| SumError::File(ProfileError { line: lines.number, cause });
        let head = read_head(&mut lines).map_err(|cause| unreadable(cause, &lines))?;
        let known = self.programs.iter().position(|program| program.is_of(&head));
        let mut program = known.map(|known| self.programs.remove(known)).unwrap_or_default();
        program.files += 1;
        let rest = program.read_lines(&mut lines, head).map_err(|cause| unreadable(cause, &lines))?;
        self.has_calls |= rest.calls.is_some();
        let known = rest.calls.iter().filter_map(|calls| calls.known_functions.as_ref());
        self.known_functions.extend(known.flatten().cloned());
        self.has_visits |= rest.visits.is_some();
        if let Some(other) = self.programs.last() {
            rest.check_mergeable(&other.profile).map_err(SumError::Merge)?;
        }
        match program.files {
            1 => program.profile = rest,
            _ => program.profile.merge(&rest).map_err(SumError::Merge)?,
        }
        self.programs.push(program);
        if self.programs.len() > MOST_PROGRAMS {
            let oldest = self.programs.remove(0).finish();
            add(&mut self.finished, oldest).map_err(SumError::Merge)?;
        }
        Ok(())
    }

    /// How the counts came about; `None` of no files.
    pub fn mode(&self) -> Option<Mode> {
        self.programs.last().map(|program| program.profile.provenance.mode)
    }

    /// True if calls were followed in one of the runs.
    pub fn has_calls(&self) -> bool {
        self.has_calls
    }

    /// What was known in one of the runs at least of what [`Calls::known_functions`](crate::Calls) tells.
    pub fn known_functions(&self) -> &BTreeSet<String> {
        &self.known_functions
    }

    /// True if points of the description were counted in one of the runs.
    pub fn has_visits(&self) -> bool {
        self.has_visits
    }

    /// The sum: what [`Profile::merge`] makes of the profiles, in whatever order. `None` of no files.
    ///
    /// # Errors
    /// Profiles of different programs cannot be added.
    pub fn finish(self) -> Result<Option<Profile>, MergeError> {
        let mut sum = self.finished;
        for program in self.programs {
            add(&mut sum, program.finish())?;
        }
        Ok(sum)
    }
}

fn add(sum: &mut Option<Profile>, profile: Profile) -> Result<(), MergeError> {
    match sum {
        Some(sum) => sum.merge(&profile),
        None => {
            *sum = Some(profile);
            Ok(())
        }
    }
}

impl ProgramSum {
    /// Whether a file that begins so is of the same program, or of several, as these are.
    fn is_of(&self, head: &Profile) -> bool {
        let (ours, theirs) = (&self.profile.provenance, &head.provenance);
        self.profile.is_of_several_programs() == head.is_of_several_programs()
            && identities(&ours.images) == identities(&theirs.images)
    }

    /// # Panics
    /// Never: a template writes what was read.
    fn finish(self) -> Profile {
        let mut profile = self.profile;
        let measurement = &mut profile.measurement;
        for template in self.templates.iter().filter(|template| template.was_met()) {
            match serde_json::from_str(&template.line()).expect("a template writes what was read") {
                Entry::Instruction(key, record) => {
                    measurement.instructions.entry(key).or_default().add(&record);
                }
                Entry::Transfer(from, to, times) => {
                    count(measurement.transfers.entry((from, to)).or_default(), times);
                }
                _ => {}
            }
        }
        profile
    }

    /// What of a file is in no template.
    fn read_lines<R: BufRead>(
        &mut self,
        lines: &mut Lines<R>,
        head: Profile,
    ) -> Result<Profile, ProfileErrorCause> {
        let mut rest = head;
        let (mut entries, mut next) = (0, 0);
        let mut reading = Reading::default();
        loop {
            let line = lines.next_line()?;
            if let Some(at) = self.find(line.as_bytes(), next) {
                match self.templates[at].add(line.as_bytes(), self.files) {
                    Matched::Added => {
                        next = at + 1;
                        entries += 1;
                        continue;
                    }
                    Matched::Twice => return Err(ProfileErrorCause::Repeated),
                    Matched::Differs => {}
                }
            }
            let entry = serde_json::from_str(line).map_err(ProfileErrorCause::Malformed)?;
            if let Entry::End(written) = entry {
                return match lines.has_more()? {
                    _ if written != entries => Err(ProfileErrorCause::Count { written, found: entries }),
                    true => Err(ProfileErrorCause::AfterEnd),
                    false if self.has_twice(&rest) => Err(ProfileErrorCause::Repeated),
                    false if reading.lacks_calls(&rest) => Err(ProfileErrorCause::CallsNotFollowed),
                    false => Ok(rest),
                };
            }
            self.add_template(line.as_bytes(), &entry);
            insert_entry(&mut rest, &mut reading, entry)?;
            entries += 1;
        }
    }

    /// The template that a line may be of: most often the one behind that of the line before.
    fn find(&self, line: &[u8], next: usize) -> Option<usize> {
        match self.templates.get(next) {
            Some(template) if line.starts_with(template.prefix()) => Some(next),
            _ => self.index.get(Template::prefix_of(line)?).copied(),
        }
    }

    fn add_template(&mut self, line: &[u8], entry: &Entry) {
        let Some(template) = Template::of(line, entry, self.files) else { return };
        if self.index.contains_key(template.prefix()) {
            return;
        }
        let number = self.templates.len();
        self.index.insert(template.prefix().to_vec(), number);
        match entry {
            Entry::Instruction(key, _) => self.instructions.entry(*key).or_default().push(number),
            Entry::Static(key, _) => self.statics.entry(*key).or_default().push(number),
            _ => {}
        }
        self.templates.push(template);
    }

    /// True if something that was read as if it were new was in the file as a known line, too.
    fn has_twice(&self, rest: &Profile) -> bool {
        let measurement = &rest.measurement;
        let known = measurement.instructions.keys().filter_map(|key| self.instructions.get(key)).flatten();
        let known = known.chain(rest.statics.keys().filter_map(|key| self.statics.get(key)).flatten());
        let known = known.chain(
            measurement
                .transfers
                .keys()
                .filter_map(|(from, to)| self.index.get(&Template::prefix_of_transfer(*from, *to))),
        );
        known.into_iter().any(|number| self.templates[*number].was_in(self.files))
    }
}
