//! The timing automaton as text.

use std::fmt::Write as _;

use super::{Automaton, Course, Event, Fate, Happening, State, TooLarge};
use crate::Model;
use crate::print::print_stage;
use crate::schedule::PlaceKind;

/// One state a line, below it what its cycle can bring: what runs as long as nothing else happens,
/// then each event that changes that, with the state behind the cycle.
///
/// `explored` says how far the automaton is known.
pub fn print_automaton(model: &Model, automaton: &Automaton, explored: Result<(), TooLarge>) -> String {
    let mut text = String::new();
    let (states, courses) = (automaton.states().len(), automaton.courses().len());
    let bound = match explored {
        Ok(()) => String::new(),
        Err(large) => format!("; not all of them: {}", describe_bound(automaton, large)),
    };
    let _ = writeln!(text, "timing automaton: {states} states, {courses} courses of a cycle{bound}");
    let printer = Printer { model, automaton };
    for (number, state) in automaton.states().iter().enumerate() {
        let _ = writeln!(text, "  t{number} {}", printer.state(state));
        if let Some(first) = automaton.firsts[number] {
            printer.print_course(first, 2, None, &mut text);
        }
    }
    text
}

/// A bound in words.
pub fn describe_bound(automaton: &Automaton, large: TooLarge) -> String {
    let name = |place: u32| automaton.schedule().places[place as usize].name.clone();
    match large {
        TooLarge::States(most) => format!("more than {most} states"),
        TooLarge::Courses(most) => format!("more than {most} courses"),
        TooLarge::Instructions(most) => format!("{most} or more instructions in flight"),
        TooLarge::Conditions { limit, place } => {
            format!("more than {limit} conditional activations by `{}`", name(place))
        }
        TooLarge::Twice(twice) => {
            format!("`{}` may run twice in a cycle, for two instructions", name(twice.place))
        }
    }
}

struct Printer<'a> {
    model: &'a Model,
    automaton: &'a Automaton,
}

impl Printer<'_> {
    /// `fetch#1 decode#0 +2:write_back#0`: places with the ranks of their instructions, those that
    /// wait behind the cycles that they still wait.
    fn state(&self, state: &State) -> String {
        if state.pending.is_empty() {
            return "nothing is pending".to_string();
        }
        let pending = state.pending.iter().map(|pending| {
            let wait = if pending.delay > 0 { format!("+{}:", pending.delay) } else { String::new() };
            format!("{wait}{}#{}", self.place(pending.place), pending.rank)
        });
        pending.collect::<Vec<String>>().join(" ")
    }

    fn place(&self, place: u32) -> String {
        let entry = &self.automaton.schedule().places[place as usize];
        match (&entry.kind, entry.stage) {
            (PlaceKind::Walk { .. }, Some(stage)) => format!("(fault in {})", print_stage(self.model, stage)),
            _ => entry.name.clone(),
        }
    }

    fn print_course(&self, number: u32, depth: usize, happening: Option<Happening>, text: &mut String) {
        let course = &self.automaton.courses()[number as usize];
        let indent = "  ".repeat(depth);
        let what = happening.map_or(String::new(), |happening| format!("{}: ", self.happening(happening)));
        let _ = writeln!(text, "{indent}{what}{} -> t{}", self.turns(course), course.next);
        for (happening, further) in course.further() {
            self.print_course(*further, depth + 1, Some(*happening), text);
        }
    }

    /// The turns in their order; behind one what has become of instructions with it.
    fn turns(&self, course: &Course) -> String {
        if course.turns.is_empty() {
            return "nothing runs".to_string();
        }
        let turns = (0u32..).zip(&course.turns).map(|(index, turn)| {
            let ends = course.ends.iter().filter(|end| end.turn == index).map(|end| match end.fate {
                Fate::Executed => format!(" (#{} ends)", end.rank),
                Fate::Cancelled | Fate::Flushed => format!(" (#{} cancelled)", end.rank),
                Fate::Faulted => format!(" (#{} faulted)", end.rank),
            });
            format!("{}#{}{}", self.place(turn.place), turn.rank, ends.collect::<String>())
        });
        turns.collect::<Vec<String>>().join(" ")
    }

    fn happening(&self, happening: Happening) -> String {
        let place = happening.place.map_or(String::new(), |place| self.place(place));
        match happening.event {
            Event::Stands(stage) => format!("{} stands", print_stage(self.model, stage)),
            Event::Class(class) => {
                let form = self.automaton.schedule().classes[class as usize].forms.first();
                let name = form.map_or(String::new(), |form| self.form_name(*form));
                format!("{place} decodes as {name} and its like")
            }
            Event::Taken(conditions) => {
                let numbers = (0..u64::BITS).filter(|number| conditions >> number & 1 == 1);
                let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
                format!("{place} takes its condition {}", numbers.join(", "))
            }
            Event::Retry => format!("{place} retries"),
            Event::Flush(stage) => format!("{place} flushes {}", print_stage(self.model, stage)),
            Event::Over(Fate::Cancelled) => format!("{place} cancels"),
            Event::Over(_) => format!("{place} ends the instruction"),
            Event::Doomed => format!("{place} cannot fetch or decode"),
        }
    }

    /// The last operation of a variant that is no operand.
    fn form_name(&self, variant: u32) -> String {
        let schedule = self.automaton.schedule();
        let last = schedule.forms[variant as usize].turns.iter().flatten().rev();
        let mut decoded = last.filter(|section| section.node.is_some());
        let operation = decoded.next().map(|section| section.operation);
        operation.map_or(String::new(), |operation| self.model.operation(operation).name.clone())
    }
}
