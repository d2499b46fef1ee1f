//! What of the description was used, as elements.

use serde::Serialize;

use crate::coverage::format_percent;
use crate::description::{DescriptionCoverage, FileCoverage};
use crate::text::sanitize;

#[derive(Serialize)]
pub(super) struct Description {
    lines: Share,
    sides: Share,
    file: Vec<File>,
}

#[derive(Serialize)]
struct Share {
    #[serde(rename = "@used")]
    used: u64,
    #[serde(rename = "@total")]
    total: u64,
    #[serde(rename = "@percent")]
    percent: String,
}

#[derive(Serialize)]
struct File {
    #[serde(rename = "@name")]
    name: String,
    section: Vec<Section>,
    line: Vec<Line>,
    decision: Vec<Decision>,
}

#[derive(Serialize)]
struct Section {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@line")]
    line: u32,
    #[serde(rename = "@count")]
    count: u64,
}

#[derive(Serialize)]
struct Line {
    #[serde(rename = "@number")]
    number: u32,
    #[serde(rename = "@count")]
    count: u64,
}

#[derive(Serialize)]
struct Decision {
    #[serde(rename = "@line")]
    line: u32,
    side: Vec<Side>,
}

#[derive(Serialize)]
struct Side {
    #[serde(rename = "@count")]
    count: u64,
}

pub(super) fn description_of(coverage: &DescriptionCoverage) -> Description {
    let share = |(used, total)| Share { used, total, percent: format_percent(used, total) };
    Description {
        lines: share(coverage.lines()),
        sides: share(coverage.sides()),
        file: coverage.files.iter().map(|(name, file)| file_of(name, file)).collect(),
    }
}

fn file_of(name: &str, file: &FileCoverage) -> File {
    let section = |((line, name), count): (&(u32, String), &u64)| Section {
        name: sanitize(name),
        line: *line,
        count: *count,
    };
    let sides = |counts: &std::collections::BTreeMap<u32, u64>| {
        counts.values().map(|count| Side { count: *count }).collect()
    };
    File {
        name: sanitize(name),
        section: file.sections.iter().map(section).collect(),
        line: file.lines.iter().map(|(number, count)| Line { number: *number, count: *count }).collect(),
        decision: (file.decisions.iter())
            .map(|((line, _), decision)| Decision { line: *line, side: sides(&decision.sides) })
            .collect(),
    }
}
