//! The sources with what their lines cost.

use std::collections::BTreeMap;

use serde::Serialize;

use super::number::{Count, Counts};
use crate::program::line::{LineCount, LineKey, StatementRows, Steps, line_counts};
use crate::program::{Program, ProgramProfile};

/// A source of which something ran.
#[derive(Serialize)]
pub(super) struct Source {
    name: String,
    /// Its lines; none if it cannot be read.
    text: Option<Vec<String>>,
    executed: Count,
    cycles: Count,
}

/// The lines that have code, of all these sources.
#[derive(Serialize, Default)]
pub(super) struct Lines {
    /// Index of the source.
    source: Vec<usize>,
    /// From 1.
    number: Vec<u32>,
    count: Counts,
    executed: Counts,
    cycles: Counts,
}

/// Lines by number, and how to find them.
pub(super) struct LineTable {
    /// Indices of sources by their numbers in the program, by name.
    sources: Vec<u32>,
    indices: BTreeMap<LineKey, usize>,
    lines: Lines,
    costs: Vec<(u64, u64)>,
}

impl LineTable {
    /// Lines of the sources of which something was executed.
    pub(super) fn of(profile: &ProgramProfile<'_>, steps: &Steps) -> LineTable {
        let counted = line_counts(profile, steps, &StatementRows::of(profile, steps));
        let mut costs: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for ((source, _), LineCount { cost, .. }) in &counted {
            let (executed, cycles) = costs.entry(*source).or_default();
            *executed = executed.saturating_add(cost.executed);
            *cycles = cycles.saturating_add(cost.cycles);
        }
        costs.retain(|_, (executed, _)| *executed > 0);
        let mut sources: Vec<u32> = costs.keys().copied().collect();
        sources.sort_by_key(|source| (profile.program.source(*source), *source));
        let costs = sources.iter().map(|source| costs[source]).collect();
        let mut table = LineTable { sources, indices: BTreeMap::new(), lines: Lines::default(), costs };
        for (index, number) in table.sources.clone().into_iter().enumerate() {
            for (key, line) in counted.range((number, 0)..=(number, u32::MAX)) {
                table.indices.insert(*key, table.lines.number.len());
                table.lines.push(index, key.1, line);
            }
        }
        table
    }

    /// The line of an address.
    pub(super) fn index_at(&self, program: &Program, address: u64) -> Option<usize> {
        let row = program.row_at(address)?;
        self.indices.get(&(row.source, row.line)).copied()
    }

    /// Names and texts.
    pub(super) fn sources(&self, profile: &ProgramProfile<'_>) -> Vec<Source> {
        let source_of = |(number, (executed, cycles)): (&u32, &(u64, u64))| {
            let name = profile.program.source(*number).to_owned();
            let text = profile.texts.get(&name).map(|text| text.lines().map(str::to_owned).collect());
            Source { name, text, executed: Count(*executed), cycles: Count(*cycles) }
        };
        self.sources.iter().zip(&self.costs).map(source_of).collect()
    }

    /// Whether there are sources that cannot be read.
    pub(super) fn has_gone(&self, profile: &ProgramProfile<'_>) -> bool {
        self.sources.iter().any(|number| !profile.texts.contains_key(profile.program.source(*number)))
    }

    /// Whether there is no line at all.
    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The columns.
    pub(super) fn into_lines(self) -> Lines {
        self.lines
    }
}

impl Lines {
    fn push(&mut self, source: usize, number: u32, line: &LineCount) {
        self.source.push(source);
        self.number.push(number);
        self.count.push(Count(line.count));
        self.executed.push(Count(line.cost.executed));
        self.cycles.push(Count(line.cost.cycles));
    }
}
