//! A result as the assembler will meet it, with operands as what they may be.

use crate::check::member::operations_of;
use crate::model::{
    AssemblerItem, Format, Model, Operation, OperationOrGroup, PatternItem, Pseudo, PseudoPiece,
};

/// Most lines that one result is looked at as.
const MOST_LINES: usize = 256;
/// So many operands of a line are written out.
const MOST_LEVELS: usize = 8;

/// In the place of a piece: what stands between two pieces.
const BETWEEN: usize = usize::MAX;

/// A letter, or something that stands for several.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit<'a> {
    Letter(char),
    /// What an operation or group may be written as.
    Choice(OperationOrGroup),
    /// What is written in a format.
    Value(&'a Format),
}

/// A line to be assembled: its units, each with the number of the piece that it belongs to.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    pub(super) units: Vec<(Unit<'a>, usize)>,
}

impl<'a> Line<'a> {
    pub(super) fn unit(&self, at: usize) -> Option<Unit<'a>> {
        self.units.get(at).map(|(unit, _)| *unit)
    }

    pub(super) fn letter(&self, at: usize) -> Option<char> {
        match self.unit(at)? {
            Unit::Letter(letter) => Some(letter),
            _ => None,
        }
    }

    /// The first unit from `at` on that is no blank.
    pub(super) fn skip_blanks(&self, mut at: usize) -> usize {
        while self.letter(at).is_some_and(char::is_whitespace) {
            at += 1;
        }
        at
    }

    /// True if no operand stands before a unit, nor there.
    pub(super) fn is_plain_before(&self, at: usize) -> bool {
        let end = self.units.len().min(at + 1);
        self.units[..end].iter().all(|(unit, _)| !matches!(unit, Unit::Choice(_)))
    }

    /// The line with the texts of an operand in its place, each.
    fn with(&self, at: usize, texts: &[Vec<Unit<'a>>]) -> Vec<Line<'a>> {
        let piece = self.units[at].1;
        let one = |text: &Vec<Unit<'a>>| {
            let mut units = self.units[..at].to_vec();
            units.extend(text.iter().map(|unit| (*unit, piece)));
            units.extend_from_slice(&self.units[at + 1..]);
            Line { units }
        };
        texts.iter().map(one).collect()
    }
}

/// A result with its operands as they are.
pub(super) fn line_of<'a>(pseudo: &'a Pseudo, result: &'a [PseudoPiece]) -> Line<'a> {
    let operands: Vec<&PatternItem> =
        pseudo.pattern.iter().filter(|item| !matches!(item, PatternItem::Text(_))).collect();
    let mut units = Vec::new();
    for (number, piece) in result.iter().enumerate() {
        if number > 0 {
            units.push((Unit::Letter(' '), BETWEEN));
        }
        match piece {
            PseudoPiece::Text(text) => {
                units.extend(text.chars().map(|letter| (Unit::Letter(letter), number)))
            }
            PseudoPiece::Operand(operand) => match operands.get(*operand as usize) {
                Some(PatternItem::Operand(target)) => units.push((Unit::Choice(*target), number)),
                Some(PatternItem::Value(format)) => units.push((Unit::Value(format), number)),
                _ => {}
            },
        }
    }
    Line { units }
}

/// The lines in which operands that are more than a register are written out as their texts; `None`
/// if there are too many.
pub(super) fn written_out<'a>(model: &'a Model, line: &Line<'a>) -> Option<Vec<Line<'a>>> {
    let mut all = Vec::new();
    let mut waiting = vec![(line.clone(), 0)];
    while let Some((line, level)) = waiting.pop() {
        let open = line.units.iter().enumerate().find_map(|(at, (unit, _))| match unit {
            Unit::Choice(target) if !is_register(model, *target) => Some((at, *target)),
            _ => None,
        });
        let Some((at, target)) = open else {
            all.push(line);
            continue;
        };
        let texts: Vec<Vec<Unit<'a>>> = texts_of(model, target).map(|(of, items)| units(of, items)).collect();
        if level >= MOST_LEVELS || all.len() + waiting.len() + texts.len() > MOST_LINES {
            return None;
        }
        waiting.extend(line.with(at, &texts).into_iter().map(|line| (line, level + 1)));
    }
    Some(all)
}

/// The texts of all operations that a target may be.
pub(super) fn texts_of(
    model: &Model,
    target: OperationOrGroup,
) -> impl Iterator<Item = (&Operation, &[AssemblerItem])> {
    let operations = operations_of(model, target).into_iter();
    operations.flat_map(move |id| {
        let operation = &model.operations[id.index()];
        operation.assembler.iter().map(move |text| (operation, text.as_slice()))
    })
}

/// True if all that a target may be is written as an element of a register file.
fn is_register(model: &Model, target: OperationOrGroup) -> bool {
    texts_of(model, target)
        .all(|(_, items)| matches!(items, [AssemblerItem::Field { format: Format::Name { .. }, .. }]))
}

/// A text as units. Of neighbours that are joined nothing has to be known here: where a blank may
/// stand and where it has to is decided when the line is compared.
fn units<'a>(operation: &'a Operation, items: &'a [AssemblerItem]) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let mut is_joined = true;
    for item in items {
        if !is_joined && !matches!(item, AssemblerItem::Join) {
            units.push(Unit::Letter(' '));
        }
        is_joined = matches!(item, AssemblerItem::Join);
        match item {
            AssemblerItem::Text(text) => units.extend(text.chars().map(Unit::Letter)),
            AssemblerItem::Join => {}
            AssemblerItem::Instance(instance) => {
                units.push(Unit::Choice(operation.instances[instance.index()].target));
            }
            AssemblerItem::Field { format, .. } => units.push(Unit::Value(format)),
        }
    }
    units
}
