//! What a run stops for by the word of who types: numbered, listed, removed.
//!
//! The same words mean the same, whatever front they come by.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use isac_ir::Model;

use crate::address::AddressSpace;
use crate::breakpoint::Asker;
use crate::debugger::Debugger;
use crate::point::{WatchKind, Watched, Watchpoint};
use crate::stall::find_stages;

/// What can be told only by who has read the description.
pub trait Guide<'e> {
    /// Which of the names that there are was probably meant by one that is none of them, as "did you mean
    /// `add`?".
    fn suggest(&self, name: &str, known: &[&str]) -> Option<String>;

    /// Whether an instruction is decoded by way of an operation; `None` if none is, or if instructions as
    /// they stand in memory do not tell.
    fn decoded_by(&self, model: &'e Model, space: &AddressSpace, operation: u32) -> Option<Asker<'e>>;
}

/// What a run stops for.
pub enum Named<'e> {
    /// What the program counter holds for an instruction.
    Address(u64),
    /// Instructions for which this holds.
    Where(Asker<'e>),
    /// Statements of the description: of a line, or where an operation begins to run.
    Statements(Vec<u32>),
    /// Stages that begin to stand, by their numbers among those of all pipelines.
    Stages(BTreeSet<u32>),
    /// A place that is touched in a way; the watchpoint is known by the number of the point.
    Watch(Watched, WatchKind),
}

/// A thing that a run stops for, as it was asked for.
struct Point<'e> {
    number: u64,
    named: Named<'e>,
    text: String,
}

/// All that a run stops for in this way.
pub struct NamedPoints<'e> {
    model: &'e Model,
    guide: Option<Box<dyn Guide<'e> + 'e>>,
    points: Vec<Point<'e>>,
    /// How many there have been.
    numbered: u64,
}

impl<'e> NamedPoints<'e> {
    /// None, for a model.
    #[must_use]
    pub fn new(model: &'e Model) -> NamedPoints<'e> {
        NamedPoints { model, guide: None, points: Vec::new(), numbered: 0 }
    }

    /// The same with somebody to ask.
    #[must_use]
    pub fn with_guide(mut self, guide: Box<dyn Guide<'e> + 'e>) -> NamedPoints<'e> {
        self.guide = Some(guide);
        self
    }

    /// What `operation NAME`, `stall`, `stall STAGE` and `FILE:LINE` mean, and the same in words; `None` of
    /// anything else.
    ///
    /// # Errors
    /// There is nothing of that name, or it cannot be stopped at.
    pub fn find(
        &self,
        debugger: &Debugger<'e>,
        place: &[&str],
    ) -> Result<Option<(Named<'e>, String)>, String> {
        Ok(Some(match place {
            ["operation", name] => (self.find_operation(debugger, name)?, format!("operation {name}")),
            ["operation", ..] => {
                return Err("break operation takes one name, as in break operation add".to_owned());
            }
            ["stall", stage @ ..] if stage.len() < 2 => {
                let stage = stage.first().copied();
                let text = format!("stall of {}", stage.unwrap_or("any stage"));
                (Named::Stages(find_stages(self.model, stage)?), text)
            }
            ["stall", ..] => return Err("break stall takes one stage, or none for all".to_owned()),
            [line] if line.contains(':') => {
                debugger.check_follows()?;
                let found = debugger.statements().find_line(line)?;
                (Named::Statements(found.numbers), format!("break at {}", found.shown))
            }
            _ => return Ok(None),
        }))
    }

    /// An operation that instructions are decoded by way of is asked for before these begin; another one is
    /// found where it begins to run.
    fn find_operation(&self, debugger: &Debugger<'e>, name: &str) -> Result<Named<'e>, String> {
        let known: Vec<&str> = self.model.operations.iter().map(|operation| &*operation.name).collect();
        let Some(index) = known.iter().position(|known| *known == name) else {
            let near = self.guide.as_ref().and_then(|guide| guide.suggest(name, &known));
            let near = near.map(|near| format!("; {near}")).unwrap_or_default();
            return Err(format!("the model has no operation `{name}`{near}"));
        };
        let guide = self.guide.as_ref();
        if let Some(asker) =
            guide.and_then(|guide| guide.decoded_by(self.model, debugger.space(), index as u32))
        {
            return Ok(Named::Where(asker));
        }
        debugger.check_follows()?;
        let numbers = debugger.statements().first_of_operation(name);
        match numbers.is_empty() {
            true => Err(format!("operation `{name}` has nothing to run but what it leads to")),
            false => Ok(Named::Statements(numbers)),
        }
    }

    /// Stops for one more; what is said of it.
    ///
    /// # Errors
    /// The engine cannot stop for it.
    pub fn add(
        &mut self,
        debugger: &mut Debugger<'e>,
        named: Named<'e>,
        text: String,
    ) -> Result<String, String> {
        let number = self.numbered + 1;
        match &named {
            Named::Address(address) => {
                debugger.add_breakpoint(*address);
            }
            Named::Watch(watched, kind) => {
                let machine = &*debugger.engine.machine();
                let watchpoint = Watchpoint::new(number, watched.clone(), *kind, machine);
                if !debugger.add_watchpoint(watchpoint) {
                    return Err(
                        "this engine does not tell what the program accesses; take --engine reference"
                            .to_owned(),
                    );
                }
            }
            Named::Where(_) | Named::Statements(_) | Named::Stages(_) => {}
        }
        self.numbered = number;
        let said = format!("point {number}: {text}\n");
        self.points.push(Point { number, named, text });
        self.tell(debugger)?;
        Ok(said)
    }

    /// Stops no longer for those of these numbers, or for nothing without one; how many that were.
    ///
    /// # Errors
    /// There is none of a number: then all stay.
    pub fn delete(&mut self, debugger: &mut Debugger<'e>, numbers: &[&str]) -> Result<usize, String> {
        let is_known = |number: &&&str| self.points.iter().any(|point| point.number.to_string() == ***number);
        if let Some(unknown) = numbers.iter().find(|number| !is_known(number)) {
            let known: Vec<String> = self.points.iter().map(|point| point.number.to_string()).collect();
            return Err(match known.is_empty() {
                true => format!("there is no point {unknown}, nor any other"),
                false => format!("there is no point {unknown}; there is {}", known.join(", ")),
            });
        }
        let is_meant =
            |point: &Point<'_>| numbers.is_empty() || numbers.contains(&&*point.number.to_string());
        let (gone, kept) = std::mem::take(&mut self.points).into_iter().partition::<Vec<_>, _>(is_meant);
        self.points = kept;
        for point in &gone {
            match point.named {
                Named::Watch(..) => {
                    debugger.remove_watchpoint(|watchpoint| watchpoint.id == point.number);
                }
                Named::Address(address) if !self.has_address(address) => {
                    debugger.remove_breakpoint(address);
                }
                _ => {}
            }
        }
        self.tell(debugger)?;
        Ok(gone.len())
    }

    fn has_address(&self, address: u64) -> bool {
        self.points.iter().any(|point| matches!(point.named, Named::Address(other) if other == address))
    }

    /// A line for each.
    #[must_use]
    pub fn show(&self) -> String {
        if self.points.is_empty() {
            return "there are none\n".to_owned();
        }
        self.points.iter().fold(String::new(), |mut text, point| {
            // A `String` takes every write.
            let _ = writeln!(text, "point {}: {}", point.number, point.text);
            text
        })
    }

    /// What a point was asked for by; `None` if there is none of that number.
    #[must_use]
    pub fn text(&self, number: u64) -> Option<&str> {
        self.points.iter().find(|point| point.number == number).map(|point| point.text.as_str())
    }

    /// Tells the debugger all that it is to stop for and does not keep by itself.
    fn tell(&self, debugger: &mut Debugger<'e>) -> Result<(), String> {
        let (mut askers, mut stages, mut statements) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for point in &self.points {
            match &point.named {
                Named::Where(asker) => askers.push(Asker::clone(asker)),
                Named::Stages(numbers) => stages.extend(numbers),
                Named::Statements(numbers) => statements.extend(numbers),
                Named::Address(_) | Named::Watch(..) => {}
            }
        }
        debugger.stop_where(askers);
        debugger.stop_at_stalls(stages);
        Ok(debugger.stop_at_statements(statements)?)
    }
}
