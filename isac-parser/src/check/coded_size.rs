//! `coded_size(group, word)`: the first bits of a word tell how long it is.

use std::collections::{BTreeMap, BTreeSet};

use super::walk::{Met, walk_statements};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{
    Builtin, Decoding, DecodingPath, Expr, ExprKind, InstanceRole, MapId, Model, OperationOrGroup,
    RootSource, Stmt, WordSizes, root_decodes,
};
use crate::resolve::code;
use crate::resolve::report::{count, error};
use crate::source::Span;

/// Reports the words whose size is asked for and not told; of the others the sizes, and how many bits a
/// cell has that they are fetched from.
///
/// Where names are not sound, what fetches the words may be among what was refused.
pub(super) fn check_coded_sizes(
    model: &Model,
    decodings: &BTreeMap<OperationOrGroup, Decoding>,
    names_are_sound: bool,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<OperationOrGroup, (WordSizes, u32)> {
    let bodies = model.functions.iter().map(|function| &function.body);
    let bodies = bodies.chain(model.operations.iter().filter_map(|operation| operation.behavior.as_ref()));
    let statements: Vec<&[Stmt]> = bodies.map(|body| body.statements.as_slice()).collect();
    let fetches = Fetches::of(model, names_are_sound, diagnostics.has_errors());
    let mut answers: BTreeMap<OperationOrGroup, Answer> = BTreeMap::new();
    for statements in statements {
        walk_statements(statements, &mut |met| {
            let Met::Expr(Expr { kind: ExprKind::Builtin { builtin, arguments }, span, .. }) = met else {
                return;
            };
            let (Builtin::CodedSize(target), [word]) = (*builtin, arguments.as_slice()) else { return };
            let answer = answers.entry(target);
            match answer.or_insert_with(|| fetches.answer(target, decodings.get(&target), *span)) {
                Answer::Sizes(sizes, _) => {
                    diagnostics.extend(wrong_width(name_of(model, target), sizes.shortest_bits, word));
                }
                Answer::Refused(finding) => {
                    let (_, label) = finding.primary.clone();
                    diagnostics.push(Diagnostic { primary: (*span, label), ..finding.clone() });
                }
                Answer::Unknown => {}
            }
        });
    }
    let sizes = answers.into_iter().filter_map(|(target, answer)| match answer {
        Answer::Sizes(sizes, cell_bits) => Some((target, (sizes, cell_bits))),
        Answer::Refused(_) | Answer::Unknown => None,
    });
    sizes.collect()
}

/// What is known of the words of a target.
enum Answer {
    /// Their sizes, and how many bits a cell has.
    Sizes(WordSizes, u32),
    /// What is said wherever their size is asked for.
    Refused(Diagnostic),
    /// What would tell it was refused.
    Unknown,
}

/// Where words are fetched from.
struct Fetches<'m> {
    model: &'m Model,
    /// By what is decoded: the maps, each with its first mention.
    maps: BTreeMap<OperationOrGroup, Vec<(MapId, Span)>>,
    /// True if no CODINGROOT was refused.
    are_all_known: bool,
}

impl<'m> Fetches<'m> {
    fn of(model: &'m Model, names_are_sound: bool, has_errors: bool) -> Self {
        let mut maps: BTreeMap<OperationOrGroup, Vec<(MapId, Span)>> = BTreeMap::new();
        let mut are_all_known = names_are_sound;
        for operation in &model.operations {
            let decodes = root_decodes(&operation.coding_root);
            let known: BTreeSet<usize> = decodes.iter().map(|decode| decode.instance.index()).collect();
            let mut roots = operation.instances.iter().enumerate();
            are_all_known &=
                roots.all(|(id, instance)| instance.role != InstanceRole::Root || known.contains(&id));
            for decode in decodes {
                if let RootSource::Map { map, .. } = decode.source {
                    let target = operation.instances[decode.instance.index()].target;
                    let known = maps.entry(target).or_default();
                    if !known.iter().any(|(other, _)| *other == map) {
                        known.push((map, decode.span));
                    }
                }
            }
        }
        Fetches { model, maps, are_all_known: are_all_known || !has_errors }
    }

    fn answer(&self, target: OperationOrGroup, decoding: Option<&Decoding>, span: Span) -> Answer {
        let name = name_of(self.model, target);
        let refused = |message: String, label: &str, help: &str| {
            error(code::SIZE_NOT_TOLD, span, message, label).help(help).cause(name)
        };
        let maps = self.maps.get(&target).map_or(&[][..], Vec::as_slice);
        let Some((first, rest)) = maps.split_first() else {
            if !self.are_all_known {
                return Answer::Unknown;
            }
            let message = format!("no CODINGROOT fetches `{name}` from a map");
            let help = "name what a CODINGROOT decodes, as `instr` of `CODINGROOT { instr (map[pc]); }`";
            return Answer::Refused(refused(message, "has no size in cells", help));
        };
        let cell_bits = |map: MapId| self.model.maps[map.index()].cell_bits;
        if let Some(other) = rest.iter().find(|(map, _)| cell_bits(*map) != cell_bits(first.0)) {
            let message = format!("`{name}` is fetched from maps whose cells differ in width");
            let help = "ask for what is fetched from one map, a group of its own for each";
            let finding = refused(message, "has no one size in cells", help);
            let cells = |map: MapId| format!("in cells of {} here", count(cell_bits(map), "bit"));
            let finding = finding.secondary(first.1, cells(first.0)).secondary(other.1, cells(other.0));
            return Answer::Refused(finding);
        }
        // What could not be decoded was reported.
        let Some(decoding) = decoding else { return Answer::Unknown };
        let not_known = "the size is not known from here";
        if decoding.paths.iter().any(|path| self.has_tail(path)) {
            let message = format!("words of `{name}` may have a TAIL, which their first bits do not tell");
            let help = "ask for a group without it, or code what follows in CODINGs of several widths";
            return Answer::Refused(refused(message, not_known, help));
        }
        match WordSizes::of(decoding, self.model.target.endian) {
            Some(sizes) => Answer::Sizes(sizes, cell_bits(first.0)),
            None => {
                let message = format!("the first bits of a word of `{name}` do not tell how long it is");
                let help = "let words of different widths differ in the bits that all of them begin with";
                Answer::Refused(refused(message, not_known, help))
            }
        }
    }

    fn has_tail(&self, path: &DecodingPath) -> bool {
        path.steps.iter().any(|step| match step.target {
            OperationOrGroup::Operation(id) => !self.model.operations[id.index()].tail.is_empty(),
            OperationOrGroup::Group(_) => false,
        })
    }
}

fn name_of(model: &Model, target: OperationOrGroup) -> &str {
    match target {
        OperationOrGroup::Operation(id) => &model.operations[id.index()].name,
        OperationOrGroup::Group(id) => &model.groups[id.index()].name,
    }
}

/// What is wrong with the width of a word, if anything is.
fn wrong_width(name: &str, shortest_bits: u32, word: &Expr) -> Option<Diagnostic> {
    let found = word.ty.map_or(0, |ty| ty.width_bits);
    (found != shortest_bits).then(|| {
        let wanted = count(shortest_bits, "bit");
        let message = format!("words of `{name}` begin with {wanted}");
        error(code::SIZE_NOT_TOLD, word.span, message, format!("has {}", count(found, "bit")))
            .help("give what is fetched first, as `map.fetch16[pc]`")
    })
}
