//! The text of the description with what was used of it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::number::{Count, Counts};
use crate::coverage::format_percent;
use crate::description::{DescriptionCoverage, FileCoverage};

/// What was used of all files.
#[derive(Serialize)]
pub(super) struct ModelSources {
    lines: Share,
    sides: Share,
    files: Vec<ModelSource>,
}

/// Used, all, in percent.
type Share = (u64, u64, String);

/// A file of the description.
#[derive(Serialize)]
struct ModelSource {
    name: String,
    /// Its lines; none if it is not at hand.
    text: Option<Vec<String>>,
    lines: Share,
    sides: Share,
    /// Numbers of the lines that have something to run, from 1, and how often each ran.
    number: Vec<u32>,
    count: Counts,
    /// Line and name of each section, how often it ran.
    sections: Vec<(u32, String, Count)>,
    /// Line of each decision, how often each of its sides was taken.
    decisions: Vec<(u32, Counts)>,
}

/// Coverage and texts together; texts by the path of their file.
pub(super) fn sources_of(coverage: &DescriptionCoverage, texts: &BTreeMap<String, String>) -> ModelSources {
    let source = |(name, file): (&String, &FileCoverage)| ModelSource {
        name: name.clone(),
        text: texts.get(name).map(|text| text.lines().map(str::to_owned).collect()),
        lines: share(file.line_counts()),
        sides: share(file.side_counts()),
        number: file.lines.keys().copied().collect(),
        count: file.lines.values().copied().map(Count).collect(),
        sections: sections(file),
        decisions: (file.decisions.iter())
            .map(|((line, _), decision)| (*line, decision.sides.values().copied().map(Count).collect()))
            .collect(),
    };
    ModelSources {
        lines: share(coverage.lines()),
        sides: share(coverage.sides()),
        files: coverage.files.iter().map(source).collect(),
    }
}

fn sections(file: &FileCoverage) -> Vec<(u32, String, Count)> {
    let sections = file.sections.iter();
    sections.map(|((line, name), count)| (*line, name.clone(), Count(*count))).collect()
}

fn share((used, all): (u64, u64)) -> Share {
    (used, all, format_percent(used, all))
}
