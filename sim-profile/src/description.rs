//! How much of a model's description was used: sections, lines and decisions with their counts.
//!
//! A profile holds how often each *point* of the description was passed, by number. What the points
//! are, only the description tells: they come as plain data from who has it.

mod coverage;
#[cfg(feature = "reports")]
mod lcov;

pub use coverage::{DecisionCoverage, DescriptionCoverage, FileCoverage};
#[cfg(feature = "reports")]
pub use lcov::render_description_lcov;

/// What the numbers of a profile's points mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescriptionPoints {
    /// Paths of the description's files.
    pub files: Vec<String>,
    /// The points, by number.
    pub points: Vec<DescriptionPoint>,
}

/// A point of a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptionPoint {
    /// Index into [`DescriptionPoints::files`].
    pub file: u32,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// What is counted there.
    pub kind: PointKind,
}

/// What a point is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// A section of an operation, or a FUNCTION, of this name.
    Section(String),
    /// A statement.
    Statement,
    /// A side of a decision.
    Side {
        /// Which decision: the same for its sides, ascending in the order of the text.
        decision: u32,
        /// Which side, from 0.
        side: u32,
    },
}
