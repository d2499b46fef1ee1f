//! From counts of points to files with lines and decisions.

use std::collections::BTreeMap;

use super::{DescriptionPoint, DescriptionPoints, PointKind};
use crate::coverage::format_percent;

/// What was used of a description, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescriptionCoverage {
    /// Path of each file that has points, with what was used of it, by path.
    pub files: BTreeMap<String, FileCoverage>,
}

/// What was used of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// Line and name of each section, with how often it ran.
    pub sections: BTreeMap<(u32, String), u64>,
    /// Each line on which a statement begins, with how often the one that ran most did.
    pub lines: BTreeMap<u32, u64>,
    /// Line of each decision and its place in the order of the text.
    pub decisions: BTreeMap<(u32, u32), DecisionCoverage>,
}

/// How often each side of a decision was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionCoverage {
    /// By side.
    pub sides: BTreeMap<u32, u64>,
}

impl DecisionCoverage {
    /// True if it was reached at all.
    pub fn was_reached(&self) -> bool {
        self.sides.values().any(|count| *count > 0)
    }
}

impl DescriptionCoverage {
    /// Puts points and their counts together; `None` if they are not of one description.
    pub fn of(points: &DescriptionPoints, counts: &[u64]) -> Option<DescriptionCoverage> {
        if points.points.len() != counts.len() {
            return None;
        }
        let mut coverage = DescriptionCoverage::default();
        for (point, count) in points.points.iter().zip(counts) {
            let path = points.files.get(point.file as usize)?;
            coverage.files.entry(path.clone()).or_default().add(point, *count);
        }
        Some(coverage)
    }

    /// How many lines ran, and how many there are.
    pub fn lines(&self) -> (u64, u64) {
        self.sum(FileCoverage::line_counts)
    }

    /// How many sides of decisions were taken, and how many there are.
    pub fn sides(&self) -> (u64, u64) {
        self.sum(FileCoverage::side_counts)
    }

    /// Two sentences for people.
    pub fn text(&self) -> String {
        let [(lines, all_lines), (sides, all_sides)] = [self.lines(), self.sides()];
        format!(
            "\n{lines} of {all_lines} lines of the description were run ({} %)\n\
             {sides} of {all_sides} sides of its decisions were taken ({} %)\n",
            format_percent(lines, all_lines),
            format_percent(sides, all_sides)
        )
    }

    fn sum(&self, counts: fn(&FileCoverage) -> (u64, u64)) -> (u64, u64) {
        self.files
            .values()
            .map(counts)
            .fold((0, 0), |(used, all), (more, further)| (used + more, all + further))
    }
}

impl FileCoverage {
    fn add(&mut self, point: &DescriptionPoint, count: u64) {
        match &point.kind {
            PointKind::Section(name) => {
                self.sections.insert((point.line, name.clone()), count);
            }
            PointKind::Statement => {
                let line = self.lines.entry(point.line).or_default();
                *line = count.max(*line);
            }
            PointKind::Side { decision, side } => {
                let decision = self.decisions.entry((point.line, *decision)).or_default();
                decision.sides.insert(*side, count);
            }
        }
    }

    /// How many lines ran, and how many there are.
    pub fn line_counts(&self) -> (u64, u64) {
        share(self.lines.values())
    }

    /// How many sides of decisions were taken, and how many there are.
    pub fn side_counts(&self) -> (u64, u64) {
        share(self.decisions.values().flat_map(|decision| decision.sides.values()))
    }
}

fn share<'a>(counts: impl Iterator<Item = &'a u64>) -> (u64, u64) {
    counts.fold((0, 0), |(used, all), count| (used + u64::from(*count > 0), all + 1))
}
