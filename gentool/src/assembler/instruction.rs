//! Statements that are instructions.

use std::ops::ControlFlow;

use isac_ir::syntax::Pseudo;
use isac_parser::diagnostic::Diagnostic;

use super::candidate::{Candidate, Misfit, misfit_of_operand};
use super::choice::{Foreseen, foresee, keep_literal_parentheses};
use super::code;
use super::directive::data_instead;
use super::furthest::Furthest;
use super::item::{Instruction, ItemKind};
use super::matching::{Matcher, PseudoWay};
use super::message::{LITERAL_PARENTHESIS, misfit_diagnostic};
use super::pseudo::filled;
use super::reader::{Reader, name_of, pinned, without_marks};
use super::reading::{Reading, Statement};
use super::symbol::Known;

/// Deepest nesting of PSEUDOs.
const MOST_REWRITTEN: usize = 16;

/// Most lines that PSEUDOs may make of one.
const MOST_MADE: usize = 1 << 16;

impl Reading<'_, '_> {
    /// Reads an instruction; `depth` PSEUDOs have led to it. It breaks off where PSEUDOs make no end of
    /// lines, which is told once.
    pub(super) fn instruction(&mut self, statement: Statement<'_>, depth: usize) -> ControlFlow<()> {
        let (table, surface) = (self.table, self.surface);
        let mut scope = self.scope(!statement.is_source);
        let mut matcher = Matcher::new(table, surface, statement.text, &mut scope);
        let ways = matcher.instructions();
        let (furthest, overflow) = (matcher.furthest, matcher.overflow);
        let mut candidates: Vec<Candidate> = ways
            .into_iter()
            .map(|(entry, written)| Candidate::new(self.model, self.table.entries[entry], written))
            .collect();
        if overflow {
            self.findings.push(too_many_readings(statement));
            return ControlFlow::Continue(());
        }
        // Most literal characters first; what is alike stays in GROUP order.
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.written.literals));
        // PSEUDOs put expressions into parentheses of their own.
        let is_literal = statement.is_source && keep_literal_parentheses(statement.text, &mut candidates);
        let known = Known { symbols: &self.symbols, model: self.model };
        let misfit = match foresee(self.model, &candidates, &known) {
            Foreseen::Fixed(words, size_cells) => {
                self.push(statement.whole(), ItemKind::Fixed { words, size_cells });
                return ControlFlow::Continue(());
            }
            // Nothing else is tried: what does not fit is told when all values are known.
            Foreseen::Never(_) if self.model.pseudos.is_empty() => None,
            Foreseen::Never(misfit) => Some(misfit),
            Foreseen::Open => None,
        };
        if candidates.is_empty() || misfit.is_some() {
            let (further, unfit, refused) = match self.rewrite(statement, depth) {
                Rewritten::Done(flow) => return flow,
                Rewritten::Not(refusal) => (refusal.furthest, refusal.misfit, refusal.condition),
            };
            match (misfit.or(unfit), refused) {
                (Some(misfit), _) => {
                    let place = |range: (u32, u32)| statement.span(range.0 as usize, range.1 as usize);
                    let context = self.context(statement);
                    let diagnostic =
                        misfit_diagnostic(self.model, &self.symbols, &misfit, statement.whole(), &place);
                    let word = name_of(statement.text);
                    let data = matches!(misfit, Misfit::Otherwise(_)).then(|| data_instead(word)).flatten();
                    let literal = is_literal.then(|| LITERAL_PARENTHESIS.to_owned());
                    let diagnostic = data.into_iter().chain(literal).fold(diagnostic, Diagnostic::help);
                    self.findings.push(with_context(diagnostic, context));
                }
                (None, Some(location)) => {
                    let diagnostic = no_condition_holds(statement, &location);
                    self.findings.push(with_context(diagnostic, self.context(statement)));
                }
                (None, None) => self.no_instruction(statement, furthest, further),
            }
            return ControlFlow::Continue(());
        }
        let expanded = (!statement.is_source).then(|| without_marks(statement.text));
        self.push(
            statement.whole(),
            ItemKind::Instruction(Instruction::new(candidates, expanded, is_literal)),
        );
        ControlFlow::Continue(())
    }

    /// Takes the first PSEUDO that the line is written like.
    fn rewrite(&mut self, statement: Statement<'_>, depth: usize) -> Rewritten {
        let mut furthest = Furthest::default();
        let (mut misfit, mut refused) = (None, None);
        for pseudo in self.pseudos.fitting(statement.text) {
            let (table, surface) = (self.table, self.surface);
            let mut scope = self.scope(!statement.is_source);
            let mut matcher = Matcher::new(table, surface, statement.text, &mut scope);
            let ways = matcher.pseudo(&pseudo.pattern);
            if matcher.overflow {
                self.findings.push(too_many_readings(statement));
                return Rewritten::Done(ControlFlow::Continue(()));
            }
            if matcher.furthest.at > furthest.at {
                furthest = matcher.furthest;
            } else if matcher.furthest.at == furthest.at {
                furthest.expected.extend(matcher.furthest.expected);
            }
            let unfit: Vec<Option<Misfit>> = ways.iter().map(|way| self.misfit_of_way(way)).collect();
            let Some(fitting) = unfit.iter().position(Option::is_none) else {
                misfit = misfit.or(unfit.into_iter().flatten().next());
                continue;
            };
            let ranges = &ways[fitting].ranges;
            let operands: Vec<&str> =
                ranges.iter().map(|(start, end)| statement.text[*start..*end].trim()).collect();
            if !self.holds(pseudo, &operands) {
                refused.get_or_insert_with(|| pseudo.location.clone());
                continue;
            }
            let operands = self.pinned_operands(statement, &ways[fitting]);
            let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
            self.made += pseudo.results.len();
            let endless = if depth >= MOST_REWRITTEN {
                Some(format!("PSEUDOs lead to each other more than {MOST_REWRITTEN} deep"))
            } else if self.made > MOST_MADE {
                Some(format!("PSEUDOs make more than {MOST_MADE} lines of this"))
            } else {
                None
            };
            if let Some(message) = endless {
                let help = format!("the last of them stands in {}", pseudo.location);
                self.findings
                    .push(Diagnostic::error(code::BAD_PSEUDO, statement.whole(), message).help(help));
                return Rewritten::Done(ControlFlow::Break(()));
            }
            let flow = pseudo.results.iter().try_for_each(|result| {
                let text = filled(result, &operands);
                let line = Statement { text: text.trim(), is_source: false, ..statement };
                self.instruction(line, depth + 1)
            });
            return Rewritten::Done(flow);
        }
        Rewritten::Not(Box::new(Refusal { furthest, misfit, condition: refused }))
    }

    /// What stands for the operands of a PSEUDO, each `.` in them being the address of the line.
    fn pinned_operands(&self, statement: Statement<'_>, way: &PseudoWay) -> Vec<String> {
        let operands = way.ranges.iter().map(|(start, end)| {
            let (mut text, mut done) = (String::new(), *start);
            for (first, last) in &way.expressions {
                if *first < done || *last > *end {
                    continue;
                }
                text.push_str(&statement.text[done..*first]);
                text.push_str(&pinned(&statement.text[*first..*last], self.items.len()));
                done = *last;
            }
            text.push_str(&statement.text[done..*end]);
            text.trim().to_owned()
        });
        operands.collect()
    }

    /// Why an operand of a PSEUDO can be no such thing.
    fn misfit_of_way(&self, way: &PseudoWay) -> Option<Misfit> {
        let known = Known { symbols: &self.symbols, model: self.model };
        way.operands.iter().find_map(|written| misfit_of_operand(self.model, written, &known))
    }

    /// True if a PSEUDO's WHEN is known and holds.
    fn holds(&mut self, pseudo: &Pseudo, operands: &[&str]) -> bool {
        let Some(condition) = &pseudo.condition else { return true };
        let text = filled(condition, operands);
        let surface = self.surface;
        let mut scope = self.scope(true);
        let Ok((expr, _)) = Reader::new(&text, surface, &mut scope).expression(0) else { return false };
        let known = Known { symbols: &self.symbols, model: self.model };
        expr.value(&known).is_ok_and(|value| value != 0)
    }

    /// The line that a PSEUDO made, for messages.
    pub(super) fn context(&self, statement: Statement<'_>) -> Option<String> {
        (!statement.is_source).then(|| without_marks(statement.text))
    }
}

/// What became of a line that may be a PSEUDO's.
enum Rewritten {
    /// It is one; whether reading goes on.
    Done(ControlFlow<()>),
    /// It is none.
    Not(Box<Refusal>),
}

/// Why no PSEUDO was taken.
struct Refusal {
    /// How far their readings have come.
    furthest: Furthest,
    /// The value that does not fit where all else does.
    misfit: Option<Misfit>,
    /// Where the first stands that is written like the line, and whose WHEN does not hold.
    condition: Option<String>,
}

fn no_condition_holds(statement: Statement<'_>, location: &str) -> Diagnostic {
    let message = "this is written like a PSEUDO whose WHEN does not hold";
    Diagnostic::error(code::BAD_OPERANDS, statement.whole(), message).label("not with these values").help(
        format!("it stands in {location}; WHEN may ask for numbers that are known where the line stands"),
    )
}

fn too_many_readings(statement: Statement<'_>) -> Diagnostic {
    let message = "this line can be read in more ways than are tried";
    Diagnostic::error(code::TOO_MANY_READINGS, statement.whole(), message)
        .help("put operands into parentheses, or make the texts of the description differ more")
}

/// Says what a PSEUDO made of the line.
pub(super) fn with_context(diagnostic: Diagnostic, expanded: Option<String>) -> Diagnostic {
    match expanded {
        Some(text) => diagnostic.help(format!("a PSEUDO of the description made `{text}` of this line")),
        None => diagnostic,
    }
}
