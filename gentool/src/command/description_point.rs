//! The points of a description, as a profile's reports need them.

use std::collections::BTreeMap;

use gentool::lower::{Decision, DescriptionPoint, PointKind};
use isac_parser::source::{FileId, SourceMap, Span};
use sim_profile::description::{self, DescriptionPoints};

/// The path of a file, as reports name it.
pub(super) fn path_of(sources: &SourceMap, file: FileId) -> String {
    sources.path(file).to_string_lossy().into_owned()
}

/// Files, lines and decisions, in place of spans.
pub(super) fn list_points(sources: &SourceMap, points: Vec<DescriptionPoint>) -> DescriptionPoints {
    let files = sources.files().map(|file| path_of(sources, file)).collect();
    // Where a decision begins tells its place among the others of its file.
    let mut decisions: BTreeMap<(Span, Decision), u32> = BTreeMap::new();
    for point in &points {
        if let PointKind::Side { decision, .. } = point.kind {
            decisions.insert((point.span, decision), 0);
        }
    }
    for (place, number) in decisions.values_mut().zip(0..) {
        *place = number;
    }
    let convert = |point: DescriptionPoint| description::DescriptionPoint {
        file: point.span.file.0,
        line: u32::try_from(sources.line_column(point.span).0).unwrap_or(u32::MAX),
        kind: match point.kind {
            PointKind::Section(name) => description::PointKind::Section(name),
            PointKind::Statement => description::PointKind::Statement,
            PointKind::Side { decision, side } => {
                description::PointKind::Side { decision: decisions[&(point.span, decision)], side }
            }
        },
    };
    DescriptionPoints { files, points: points.into_iter().map(convert).collect() }
}
