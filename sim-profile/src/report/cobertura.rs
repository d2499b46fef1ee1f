//! Coverage of lines and branches in the format of Cobertura.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::coverage::share_in;
use crate::program::decision::decisions;
use crate::program::line::{StatementRows, Steps, line_counts};
use crate::program::{ProgramProfile, normalize};
use crate::text::sanitize;

#[derive(Serialize)]
struct Coverage {
    #[serde(rename = "@line-rate")]
    line_rate: String,
    #[serde(rename = "@branch-rate")]
    branch_rate: String,
    #[serde(rename = "@lines-covered")]
    lines_covered: u64,
    #[serde(rename = "@lines-valid")]
    lines_valid: u64,
    #[serde(rename = "@branches-covered")]
    branches_covered: u64,
    #[serde(rename = "@branches-valid")]
    branches_valid: u64,
    #[serde(rename = "@complexity")]
    complexity: u64,
    #[serde(rename = "@version")]
    version: &'static str,
    #[serde(rename = "@timestamp")]
    timestamp: u64,
    sources: Sources,
    packages: Packages,
}

#[derive(Serialize)]
struct Sources {
    source: String,
}

#[derive(Serialize)]
struct Packages {
    package: Package,
}

#[derive(Serialize)]
struct Package {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@line-rate")]
    line_rate: String,
    #[serde(rename = "@branch-rate")]
    branch_rate: String,
    #[serde(rename = "@complexity")]
    complexity: u64,
    classes: Classes,
}

#[derive(Serialize)]
struct Classes {
    class: Vec<Class>,
}

#[derive(Serialize)]
struct Class {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@filename")]
    filename: String,
    #[serde(rename = "@line-rate")]
    line_rate: String,
    #[serde(rename = "@branch-rate")]
    branch_rate: String,
    #[serde(rename = "@complexity")]
    complexity: u64,
    methods: Methods,
    lines: Lines,
}

#[derive(Serialize)]
struct Methods {}

#[derive(Serialize)]
struct Lines {
    line: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    #[serde(rename = "@number")]
    number: u32,
    #[serde(rename = "@hits")]
    hits: u64,
    #[serde(rename = "@branch")]
    branch: bool,
    #[serde(rename = "@condition-coverage", skip_serializing_if = "String::is_empty")]
    condition_coverage: String,
}

/// How many of some things there are, and how many of them were covered.
#[derive(Clone, Copy, Default)]
struct Share {
    covered: u64,
    valid: u64,
}

impl Share {
    fn count(&mut self, is_covered: bool) {
        self.covered += u64::from(is_covered);
        self.valid += 1;
    }

    fn add(&mut self, other: Share) {
        self.covered += other.covered;
        self.valid += other.valid;
    }

    /// With four decimals, rounded down; 0 of nothing, which shows nothing.
    fn rate(self) -> String {
        let parts = share_in(self.covered, self.valid, 10_000);
        format!("{}.{:04}", parts / 10_000, parts % 10_000)
    }

    /// As `50% (1/2)`; nothing of nothing.
    fn condition(self) -> String {
        if self.valid == 0 {
            return String::new();
        }
        format!("{}% ({}/{})", share_in(self.covered, self.valid, 100), self.covered, self.valid)
    }
}

/// Lines and branches of a source.
#[derive(Default)]
struct Source {
    /// By line: how often it was executed.
    lines: BTreeMap<u32, u64>,
    /// By line: sides of branches.
    branches: BTreeMap<u32, Share>,
}

/// Lines and branches of all sources, by name: a package for the program, a class for each source.
/// Both are those of [`crate::program::render::render_lcov`].
pub fn render_cobertura(profile: &ProgramProfile<'_>) -> String {
    let steps = Steps::of(profile);
    let rows = StatementRows::of(profile, &steps);
    let mut sources: BTreeMap<&str, Source> = BTreeMap::new();
    for ((source, line), counted) in line_counts(profile, &steps, &rows) {
        sources.entry(profile.program.source(source)).or_default().lines.insert(line, counted.count);
    }
    for branch in decisions(profile, &steps, &rows) {
        let Some(row) = rows.row_at(branch.address) else { continue };
        let source = sources.entry(profile.program.source(row.source)).or_default();
        let sides = source.branches.entry(row.line).or_default();
        branch.sides.iter().for_each(|(_, times)| sides.count(*times > 0));
    }
    let (mut lines, mut branches) = (Share::default(), Share::default());
    let mut classes = Vec::new();
    let folder = profile.folder.map(|folder| normalize(&folder.to_string_lossy()));
    for (name, source) in &sources {
        // Who looks for the file does so below the folder of the sources.
        let below = folder.as_deref().and_then(|folder| name.strip_prefix(folder)?.strip_prefix('/'));
        let (class, of_lines, of_branches) = class_of(below.unwrap_or(name), source);
        lines.add(of_lines);
        branches.add(of_branches);
        classes.push(class);
    }
    let (line_rate, branch_rate) = (lines.rate(), branches.rate());
    let name = sanitize(&profile.program.images().join(" "));
    let classes = Classes { class: classes };
    let package = Package {
        name,
        line_rate: line_rate.clone(),
        branch_rate: branch_rate.clone(),
        complexity: 0,
        classes,
    };
    let coverage = Coverage {
        line_rate,
        branch_rate,
        lines_covered: lines.covered,
        lines_valid: lines.valid,
        branches_covered: branches.covered,
        branches_valid: branches.valid,
        complexity: 0,
        version: "1",
        // A report says nothing of when it was made.
        timestamp: 0,
        sources: Sources { source: sanitize(folder.as_deref().unwrap_or(".")) },
        packages: Packages { package },
    };
    super::render_element("coverage", &coverage)
}

fn class_of(name: &str, source: &Source) -> (Class, Share, Share) {
    let (mut lines, mut branches) = (Share::default(), Share::default());
    source.lines.values().for_each(|times| lines.count(*times > 0));
    source.branches.values().for_each(|sides| branches.add(*sides));
    let line_of = |(&number, &hits): (&u32, &u64)| {
        let condition = source.branches.get(&number).copied().unwrap_or_default().condition();
        Line { number, hits, branch: !condition.is_empty(), condition_coverage: condition }
    };
    let class = Class {
        name: sanitize(name.rsplit('/').next().unwrap_or(name)),
        filename: sanitize(name),
        line_rate: lines.rate(),
        branch_rate: branches.rate(),
        complexity: 0,
        methods: Methods {},
        lines: Lines { line: source.lines.iter().map(line_of).collect() },
    };
    (class, lines, branches)
}
