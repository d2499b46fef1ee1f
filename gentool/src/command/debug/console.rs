//! The debugger's commands.

mod contents;
mod points;

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gentool::disassembler::Symbol;
use isac_ir::Model;
use isac_parser::did_you_mean;
use sim_debug::{
    Debugger, Direction, Front, How, NamedPoints, Order, Statements, Stopped, WatchKind, show_bodies,
    show_locals, show_operands, show_pending, show_pipeline, show_profile, show_source, show_within,
    stage_name,
};
use sim_runtime::launcher::parse_count;
use sim_runtime::{FaultKind, Stop};

use super::code::Code;
use super::completion::Words;
use super::guide::DescriptionGuide;
use super::line::Lines;
use super::location::describe_address;
use crate::command::Failure;
use crate::command::program::Extent;

const HELP: &str = "\
break WHERE [if REGISTER OPERATOR VALUE]   stop before the instruction at an address or symbol
break operation NAME                       stop before each instruction with this operation
break FILE:LINE                            stop before a statement on this line of the description
break stall [STAGE]                        stop when a stage of a pipeline begins to stand
watch REGISTER | watch WHERE [CELLS] [MAP] stop when it holds something else
rwatch WHERE [CELLS] [MAP], awatch ...     stop when the program reads it; either
points, delete [NUMBER...]                 what the run stops for; no longer
step [N], cycle [N], continue              on: by instruction, by cycle, until something stops it
back [N], backcycle [N], reverse-continue  the same backwards
statement [N], backstatement [N]           to the next statement of the description; to the one before
over [N], out                              the same, over FUNCTIONs and EXPRESSIONs; to behind the one at hand
goto N                                     to where N instructions have ended, before or behind
where                                      address, instruction, position in the run; statements being run
locals, operands, source [N]               what the statement at hand sees; lines around it
registers [NAME...], set NAME VALUE        look at registers; change one
memory WHERE [CELLS] [MAP]                 look at memory, in cells of a map
list [WHERE] [N]                           instructions from here or there on
pipeline, pending, profile                 what is in flight, what is due, the sums so far
leave, quit                                let the program run on by itself; end the run
An empty line repeats the last step. Addresses count cells, as the program counter does.
";

const COMMANDS: [&str; 35] = [
    "awatch",
    "back",
    "backcycle",
    "backstatement",
    "break",
    "continue",
    "cycle",
    "delete",
    "goto",
    "help",
    "leave",
    "list",
    "locals",
    "memory",
    "operands",
    "out",
    "over",
    "pending",
    "pipeline",
    "points",
    "profile",
    "quit",
    "registers",
    "reverse-continue",
    "rwatch",
    "set",
    "source",
    "statement",
    "step",
    "watch",
    "where",
    "b",
    "c",
    "q",
    "s",
];

/// The command line as the front of a debugger.
pub(super) struct Console<'m> {
    model: &'m Model,
    code: Code<'m>,
    symbols: Vec<Symbol>,
    extents: Vec<Extent>,
    lines: Lines,
    points: NamedPoints<'m>,
    asked: Arc<AtomicBool>,
    /// The last line that moved the run, which an empty one repeats.
    last: String,
}

impl<'m> Console<'m> {
    pub(super) fn new(
        model: &'m Model,
        (symbols, extents): (Vec<Symbol>, Vec<Extent>),
        statements: &Statements,
        asked: Arc<AtomicBool>,
    ) -> Result<Console<'m>, Failure> {
        let mut others: Vec<String> = ["if", "operation", "stall"].map(str::to_owned).to_vec();
        for register in &model.registers {
            others.push(register.name.clone());
            others.extend(register.element_names.iter().flatten().cloned());
        }
        others.extend(model.aliases.iter().map(|alias| alias.name.clone()));
        others.extend(model.operations.iter().map(|operation| operation.name.clone()));
        let stages = model.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
        others.extend(stages.map(|stage| stage.name.clone()));
        others.extend(statements.files.iter().map(|file| format!("{}:", file.name())));
        others.extend(symbols.iter().map(|symbol| symbol.name.clone()));
        others.sort();
        others.dedup();
        let words = Words { commands: COMMANDS.map(str::to_owned).to_vec(), others };
        Ok(Console {
            model,
            code: Code::new(model),
            symbols,
            extents,
            lines: Lines::new(words)?,
            points: NamedPoints::new(model).with_guide(Box::new(DescriptionGuide)),
            asked,
            last: String::new(),
        })
    }

    fn tell_stop(&self, debugger: &mut Debugger<'m>, why: Stopped) {
        let what = match why {
            Stopped::AtStart => "the program is about to begin".to_owned(),
            Stopped::Stepped
            | Stopped::Breakpoint
            | Stopped::Instruction
            | Stopped::Statement
            | Stopped::Line => String::new(),
            Stopped::Stall(stage) => format!("stage {} begins to stand", stage_name(self.model, stage)),
            Stopped::Asked => "interrupted".to_owned(),
            Stopped::AtBeginning => "this is the beginning: there is no way back from here".to_owned(),
            Stopped::Watch(number, _) => {
                let text = self.points.text(number);
                text.map_or_else(String::new, |text| format!("point {number}: {text}"))
            }
            Stopped::Ended(Stop::Halted(status)) => {
                format!("the program has ended with status {}", status & 0xff)
            }
            Stopped::Ended(Stop::Fault(fault)) => {
                let what = match fault.kind {
                    FaultKind::IllegalInstruction => "illegal instruction",
                    FaultKind::DivisionByZero => "division by zero",
                    FaultKind::Memory { .. } => "memory fault",
                    FaultKind::RegisterIndex { .. } => "register index",
                };
                let at = debugger.info().format_address(fault.instruction_address);
                format!("the program is at fault: {what}, by the instruction at {at}")
            }
            Stopped::Ended(_) => "the run is over".to_owned(),
        };
        if !what.is_empty() {
            say(&format!("{what}\n"));
        }
        say(&self.place(debugger));
        say(&show_within(debugger));
    }

    /// Address, name and instruction at hand.
    fn place(&self, debugger: &mut Debugger<'m>) -> String {
        let address = debugger.address();
        self.listed(debugger, address).0
    }

    /// The line of an instruction, and the address behind it.
    fn listed(&self, debugger: &mut Debugger<'m>, address: u64) -> (String, u64) {
        let space = debugger.space().clone();
        let shown = debugger.info().format_address(address);
        let name = describe_address(&self.symbols, address);
        let name = if name.is_empty() { name } else { format!(" <{name}>") };
        let instruction = self.code.instruction(&space, &*debugger.engine().machine(), address);
        let (text, size) = match instruction {
            Some(found) => {
                let text =
                    found.printed.map_or_else(|| "(without a text)".to_owned(), |printed| printed.text);
                (text, u64::from(found.size_cells.max(1)))
            }
            None => ("(no instruction)".to_owned(), 1),
        };
        (format!("{shown}{name}: {text}\n"), address.wrapping_add(size))
    }

    /// Carries out a command; what is to become of the run, if it moves.
    fn command(&mut self, debugger: &mut Debugger<'m>, line: &str) -> Result<Option<Order>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((command, rest)) = words.split_first() else { return Ok(None) };
        let moves = |direction, how, rest: &[&str]| -> Result<(Direction, How, u64), String> {
            let times = rest.first().map_or(Ok(1), |text| parse_count(text))?;
            match times {
                0 => Err(format!("`{command} 0` goes nowhere; write 1 or more")),
                _ => Ok((direction, how, times)),
            }
        };
        if let Some(further) = most_operands(command).and_then(|most| rest.get(most)) {
            return Err(format!("`{command}` does not take `{further}`; `help` lists the commands"));
        }
        let going = match *command {
            "step" | "s" => Some(moves(Direction::Forward, How::Step, rest)?),
            "cycle" => Some(moves(Direction::Forward, How::StepCycle, rest)?),
            "back" => Some(moves(Direction::Backward, How::Step, rest)?),
            "backcycle" => Some(moves(Direction::Backward, How::StepCycle, rest)?),
            "continue" | "c" => Some((Direction::Forward, How::Continue, 1)),
            "reverse-continue" => Some((Direction::Backward, How::Continue, 1)),
            "statement" => Some(moves(Direction::Forward, How::Statement, rest)?),
            "backstatement" => Some(moves(Direction::Backward, How::Statement, rest)?),
            "over" => Some(moves(Direction::Forward, How::Over, rest)?),
            "out" => Some((Direction::Forward, How::Out, 1)),
            "goto" => {
                let number = rest.first().ok_or("goto takes a number of instructions, as in goto 1000")?;
                Some((Direction::Forward, How::GoTo(parse_count(number)?), 1))
            }
            _ => None,
        };
        if let Some((direction, how, times)) = going {
            let leads_back = match how {
                How::GoTo(instructions) => instructions < debugger.instructions(),
                _ => direction == Direction::Backward,
            };
            if debugger.ended().is_some() && direction == Direction::Forward && !leads_back {
                return Err("the program has ended; go `back`, or `leave` or `quit`".to_owned());
            }
            if leads_back && !debugger.can_go_back() {
                return Err(
                    "a run whose program may open files cannot be taken back; leave out --root".to_owned()
                );
            }
            if matches!(how, How::Statement | How::Over | How::Out) {
                debugger.check_follows()?;
            }
            self.last = line.to_owned();
            return Ok(Some(Order::Go(direction, how, times)));
        }
        match *command {
            "quit" | "q" => {
                // Nothing is left to be ended of a program that has ended.
                return Ok(Some(if debugger.ended().is_some() { Order::Leave } else { Order::Quit }));
            }
            "leave" => return Ok(Some(Order::Leave)),
            "help" => say(HELP),
            "where" => {
                say(&self.place(debugger));
                let (instructions, cycles) = (debugger.instructions(), debugger.engine().cycles());
                say(&format!("{instructions} instructions have ended, in {cycles} cycles\n"));
                if debugger.within().is_some() {
                    say(&show_bodies(debugger));
                }
            }
            "break" | "b" => self.add_break(debugger, rest)?,
            "watch" => self.add_watch(debugger, rest, WatchKind::Write, line)?,
            "rwatch" => self.add_watch(debugger, rest, WatchKind::Read, line)?,
            "awatch" => self.add_watch(debugger, rest, WatchKind::Access, line)?,
            "points" => say(&self.points.show()),
            "delete" => {
                self.points.delete(debugger, rest)?;
            }
            "registers" => self.show_registers(debugger, rest)?,
            "set" => self.set(debugger, rest)?,
            "memory" => self.show_memory(debugger, rest)?,
            "list" => self.list(debugger, rest)?,
            "locals" => say(&show_locals(debugger)),
            "operands" => say(&show_operands(debugger)),
            "source" => {
                let around = rest.first().map_or(Ok(4), |text| parse_count(text))?;
                say(&show_source(debugger, u32::try_from(around).unwrap_or(u32::MAX)));
            }
            "pipeline" => say(&show_pipeline(debugger)),
            "pending" => say(&show_pending(debugger)),
            "profile" => say(&show_profile(debugger)),
            other => {
                let near = did_you_mean(other, COMMANDS);
                let remedy = near.unwrap_or_else(|| "`help` lists them".to_owned());
                return Err(format!("there is no command `{other}`; {remedy}"));
            }
        }
        Ok(None)
    }
}

impl<'m> Front<'m> for Console<'m> {
    fn stand(
        &mut self,
        mut debugger: Box<Debugger<'m>>,
        why: Stopped,
        is_over: &dyn Fn() -> bool,
    ) -> (Box<Debugger<'m>>, Order) {
        self.asked.store(false, Ordering::Relaxed);
        self.tell_stop(&mut debugger, why);
        loop {
            if is_over() {
                return (debugger, Order::End);
            }
            let Some(line) = self.lines.next() else {
                let order = if debugger.ended().is_some() { Order::Leave } else { Order::Quit };
                return (debugger, order);
            };
            if let Some(echo) = self.lines.echo(&line) {
                say(&echo);
            }
            let line = if line.trim().is_empty() { self.last.clone() } else { line };
            match self.command(&mut debugger, &line) {
                Ok(Some(order)) => return (debugger, order),
                Ok(None) => {}
                Err(wrong) => say(&format!("error: {wrong}\n")),
            }
        }
    }

    fn is_asked(&mut self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

/// Most operands of a command that would pass over others; `None` if it looks at all that it is given.
fn most_operands(command: &str) -> Option<usize> {
    Some(match command {
        "step" | "s" | "cycle" | "back" | "backcycle" | "statement" | "backstatement" | "over" | "goto"
        | "source" => 1,
        "list" => 2,
        "memory" => 3,
        "break" | "b" | "watch" | "rwatch" | "awatch" | "registers" | "set" | "delete" => return None,
        _ => 0,
    })
}

/// Shows a text; whoever does not listen does not hear.
fn say(text: &str) {
    let mut output = io::stdout();
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}
