//! Steps, carried out one statement after the other: for code that is not hot, and for the last
//! instructions before the run has to stop.

mod entries;

use isac_ir::behavior::BinaryOp;
use isac_ir::bits::{mask, sign_extend};
use isac_ir::syntax::evaluate::{binary, unary};
use sim_profile::ValuePlace;
use sim_runtime::FaultKind;
use sim_runtime::print::print_parts;

use crate::core::{Core, Ending};
use crate::linear::Linear;
use crate::residual::{Kind, Op, PC, Trap, Value};
use crate::specialise::{Decodes, Step};

/// After so many turns of loops somebody is asked whether the run is to end.
pub(crate) const TURNS_UNASKED: u64 = 1 << 10;

/// What became of a step; [`Core::counters`] has what it has counted.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The program counter behind it.
    pub(crate) pc: u64,
    /// How it ended, if not as instructions do.
    pub(crate) ending: Option<Ending>,
    /// The cycle had an instruction.
    pub(crate) is_decoded: bool,
    /// If a HALT has ended it, the number of what it has not come to.
    pub(crate) unreached: Option<u32>,
}

/// Carries out a step from its address; the program counter is set. Gives the same whether there is a list of
/// the step or not.
pub(crate) fn interpret(core: &mut Core<'_>, step: &Step, linear: Option<&Linear>) -> Outcome {
    match linear {
        Some(linear) => Run::new(core, step).follow(step, linear, step.address),
        None => interpret_from(core, step, step.address),
    }
}

/// The same with the program counter elsewhere.
pub(crate) fn interpret_from(core: &mut Core<'_>, step: &Step, pc: u64) -> Outcome {
    let mut run = Run::new(core, step);
    run.make_locals(step.locals.len());
    run.locals[PC as usize] = pc.into();
    let went = run.list(&step.ops);
    let ending = run.ending(went);
    if matches!(ending, Some(Ending::Halted(_))) {
        step.deferred.iter().for_each(|(counter, local)| run.count_local(*counter, *local));
    }
    let pc = run.locals[PC as usize] as u64;
    run.end(pc, ending)
}

/// Why a list is left before its end.
#[derive(Debug, Clone, Copy)]
enum Leaving {
    Label(u32),
    End(Ending),
}

/// A step that is being carried out. Its methods give `None` where it is left, and [`Run::leaving`] says why:
/// an answer in registers takes half the time of one that holds the reason.
struct Run<'c, 'm> {
    core: &'c mut Core<'m>,
    /// Of the values that the step tells.
    places: &'c [ValuePlace],
    locals: Vec<u128>,
    counters: Vec<u64>,
    is_decoded: bool,
    unreached: Option<u32>,
    leaving: Leaving,
}

impl<'c, 'm> Run<'c, 'm> {
    fn new(core: &'c mut Core<'m>, step: &'c Step) -> Run<'c, 'm> {
        let (locals, mut counters) = (std::mem::take(&mut core.locals), std::mem::take(&mut core.counters));
        counters.clear();
        let is_decoded = step.decodes == Decodes::Always;
        let leaving = Leaving::Label(0);
        Run { core, places: &step.noted, locals, counters, is_decoded, unreached: None, leaving }
    }

    /// Room for so many locals, all 0.
    fn make_locals(&mut self, count: usize) {
        self.locals.clear();
        self.locals.resize(count, 0);
    }

    /// How the step has ended, if not as instructions do.
    fn ending(&self, went: Option<()>) -> Option<Ending> {
        match (went, self.leaving) {
            (None, Leaving::End(ending)) => Some(ending),
            (None, Leaving::Label(_)) | (Some(()), _) => None,
        }
    }

    /// Behind it the program counter is this.
    fn end(self, pc: u64, ending: Option<Ending>) -> Outcome {
        let Run { core, locals, counters, is_decoded, unreached, .. } = self;
        core.locals = locals;
        core.counters = counters;
        core.state.set_pc(pc);
        Outcome { pc, ending, is_decoded, unreached }
    }

    fn list(&mut self, ops: &[Op]) -> Option<()> {
        for op in ops {
            self.op(op)?;
        }
        Some(())
    }

    fn leave<T>(&mut self, ending: Ending) -> Option<T> {
        self.leaving = Leaving::End(ending);
        None
    }

    fn end_if_left<T>(&mut self, done: Result<T, Ending>) -> Option<T> {
        match done {
            Ok(value) => Some(value),
            Err(ending) => self.leave(ending),
        }
    }

    /// What becomes of a list that labels may be left in: `None` if it is left further.
    fn left(&mut self, label: u32, went: Option<()>) -> Option<Left> {
        match (went, self.leaving) {
            (Some(()), _) => Some(Left::Not),
            (None, Leaving::Label(left)) if left == label => Some(Left::Here),
            (None, _) => None,
        }
    }

    fn op(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Set(local, value) => self.locals[*local as usize] = self.value(value)?,
            Op::SetRegister { register, element, low, value } => {
                let new = self.value(value)?;
                self.core.state.write_element((*register, *element), *low, value.width, new);
            }
            Op::SetElement { register, index, low, value } => {
                let new = self.value(value)?;
                let element = self.element(*register, index)?;
                self.core.state.write_bits(*register as usize, element, *low, value.width, new);
            }
            Op::SetMemory { map, cells, address, value } => {
                let new = self.value(value)?;
                let address = self.low_bits(address)?;
                let stored = self.core.store((*map, *cells), address, new);
                self.end_if_left(stored)?;
            }
            Op::SetCellPart { map, address, low, value } => {
                let new = self.value(value)?;
                let address = self.low_bits(address)?;
                let stored = self.core.store_part(*map, address, (*low, value.width), new);
                self.end_if_left(stored)?;
            }
            Op::Count(counter) => self.count(*counter, 1),
            Op::CountLocal(counter, local) => self.count_local(*counter, *local),
            Op::If(condition, then, otherwise) => {
                let arm = if self.low_bits(condition)? != 0 { then } else { otherwise };
                self.list(arm)?;
            }
            Op::Loop(label, body) => loop {
                self.turn()?;
                let went = self.list(body);
                if self.left(*label, went)? == Left::Here {
                    break;
                }
            },
            Op::Block(label, body) => {
                let went = self.list(body);
                self.left(*label, went)?;
            }
            Op::Leave(label, _) => {
                self.leaving = Leaving::Label(*label);
                return None;
            }
            Op::Trap(trap) => {
                return self.leave(match trap {
                    Trap::Illegal => Ending::Fault(FaultKind::IllegalInstruction),
                    Trap::Unhandled => {
                        let (address, access) = self.core.fault;
                        Ending::Fault(FaultKind::Memory { access, address })
                    }
                    Trap::DivisionByZero => Ending::Fault(FaultKind::DivisionByZero),
                    Trap::Cancel => Ending::Cancelled,
                });
            }
            Op::Halt(status, unreached) => {
                self.unreached = Some(*unreached);
                let status = self.value(status)? as u32 as i32;
                return self.leave(Ending::Halted(status));
            }
            Op::Strike(next) => {
                let next = self.value(next)? as u64;
                self.core.strike(next);
            }
            Op::ExtraCycles(cycles) => {
                let cycles = self.value(cycles)? as u64;
                self.core.add_extra_cycles(cycles);
            }
            Op::LinuxCall(result, values) => {
                let values = self.values(values)?;
                let returned = self.core.linux_call(0, values);
                self.locals[*result as usize] = self.end_if_left(returned)?.into();
            }
            Op::Semihost(result, values) => {
                let values = self.values(values)?;
                let returned = self.core.semihost(0, values);
                self.locals[*result as usize] = self.end_if_left(returned)?.into();
            }
            Op::Print(parts, values) => {
                let values = self.list_of_values(values)?;
                self.core.host.print(&print_parts(parts, &values));
            }
            Op::Explain(parts, values) => {
                let told = self.list_of_values(values)?;
                let (address, values) =
                    told.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
                self.core.host.explain(address as u64, &print_parts(parts, values));
            }
            Op::Event(name) => self.core.event(name),
            Op::Note(place, value) => {
                let value = self.value(value)?;
                if let Some(values) = &mut self.core.values {
                    values.add(self.places[*place as usize], value);
                }
            }
            Op::Decoded => self.is_decoded = true,
            Op::Empty => {}
            Op::Undecoded(kind) => return self.leave(Ending::Fault(*kind)),
        }
        Some(())
    }

    fn turn(&mut self) -> Option<()> {
        let offset = crate::layout::TURNS as u64;
        let turns = self.core.state.arena.word(offset).wrapping_add(1);
        self.core.state.arena.set_word(offset, turns);
        match turns.is_multiple_of(TURNS_UNASKED) && self.core.host.is_interrupted() {
            true => self.leave(Ending::Interrupted),
            false => Some(()),
        }
    }

    fn count_local(&mut self, counter: u32, local: u32) {
        self.count(counter, self.locals[local as usize] as u64);
    }

    fn count(&mut self, counter: u32, times: u64) {
        let index = counter as usize;
        if self.counters.len() <= index {
            self.counters.resize(index + 1, 0);
        }
        self.counters[index] += times;
    }

    fn values<const N: usize>(&mut self, values: &[Value]) -> Option<[u64; N]> {
        let mut found = [0; N];
        for (place, value) in found.iter_mut().zip(values) {
            *place = self.value(value)? as u64;
        }
        Some(found)
    }

    fn list_of_values(&mut self, values: &[Value]) -> Option<Vec<u128>> {
        values.iter().map(|value| self.value(value)).collect()
    }

    fn element(&mut self, register: u32, index: &Value) -> Option<usize> {
        let index = self.value(index)?;
        let elements = self.core.model().registers[register as usize].elements();
        match u32::try_from(index) {
            Ok(element) if element < elements => Some(element as usize),
            _ => self.leave(Ending::Fault(FaultKind::RegisterIndex { register, index: index as u64 })),
        }
    }

    fn value(&mut self, value: &Value) -> Option<u128> {
        match value.width {
            ..=64 => self.narrow(value).map(u128::from),
            _ => self.wide(value),
        }
    }

    /// The low bits of a value.
    fn low_bits(&mut self, value: &Value) -> Option<u64> {
        match value.width {
            ..=64 => self.narrow(value),
            _ => self.wide(value).map(|wide| wide as u64),
        }
    }

    /// A value of up to 64 bits: nearly all are, and they fit a register of the host.
    fn narrow(&mut self, value: &Value) -> Option<u64> {
        let width = value.width;
        let found = match &value.kind {
            Kind::Const(value) => return Some(*value as u64),
            Kind::Local(local) => self.locals[*local as usize] as u64,
            Kind::Register { register, element, low } => {
                self.core.state.read_element((*register, *element), *low, width) as u64
            }
            Kind::ZeroExtend(operand) => return self.narrow(operand),
            Kind::SignExtend(operand) => {
                sign_extend(self.narrow(operand)?.into(), operand.width, width) as u64
            }
            Kind::Slice { base, low } if base.width <= 64 => self.narrow(base)? >> low,
            Kind::Unary(operator, operand) if operand.width <= 64 => {
                unary(*operator, self.narrow(operand)?.into(), operand.width) as u64
            }
            Kind::Binary(operator, left, right) if left.width <= 64 && right.width <= 64 => {
                let (a, b) = (self.narrow(left)?, self.narrow(right)?);
                match operator {
                    BinaryOp::Add => a.wrapping_add(b),
                    BinaryOp::Subtract => a.wrapping_sub(b),
                    BinaryOp::And => a & b,
                    BinaryOp::Or => a | b,
                    BinaryOp::Xor => a ^ b,
                    BinaryOp::Equal => (a == b).into(),
                    BinaryOp::NotEqual => (a != b).into(),
                    BinaryOp::LessUnsigned => (a < b).into(),
                    BinaryOp::LessEqualUnsigned => (a <= b).into(),
                    _ => binary(*operator, a.into(), b.into(), left.width) as u64,
                }
            }
            Kind::Select(condition, then, otherwise) => {
                let chosen = if self.low_bits(condition)? == 0 { otherwise } else { then };
                return self.narrow(chosen);
            }
            _ => return self.wide(value).map(|wide| wide as u64),
        };
        Some(found & (u64::MAX >> (64 - width)))
    }

    fn wide(&mut self, value: &Value) -> Option<u128> {
        let width = value.width;
        let found = match &value.kind {
            Kind::Const(value) => *value,
            Kind::Local(local) => self.locals[*local as usize],
            Kind::Register { register, element, low } => {
                self.core.state.read_element((*register, *element), *low, width)
            }
            Kind::Element { register, index, low } => {
                let element = self.element(*register, index)? as u32;
                self.core.state.read_element((*register, element), *low, width)
            }
            Kind::Memory { map, cells, address, access } => {
                let address = self.low_bits(address)?;
                let loaded = self.core.load(0, (*map, *cells), address, *access);
                self.end_if_left(loaded)?
            }
            Kind::CellPart { map, address, low, access } => {
                let address = self.low_bits(address)?;
                let loaded = self.core.load_part(*map, address, (*low, width), *access);
                self.end_if_left(loaded)?
            }
            Kind::Cycles => self.core.cycles(0).into(),
            Kind::Instructions => self.core.instructions.into(),
            Kind::FaultAddress => self.core.fault.0.into(),
            Kind::FaultAccess => self.core.fault.1.number().into(),
            Kind::Pending(device) => {
                self.core.devices.is_pending(*device as usize, self.core.cycles(0)).into()
            }
            Kind::Unary(operator, operand) => unary(*operator, self.value(operand)?, operand.width),
            Kind::Binary(operator, left, right) => {
                let (a, b) = (self.value(left)?, self.value(right)?);
                binary(*operator, a, b, left.width)
            }
            Kind::ZeroExtend(operand) => self.value(operand)?,
            Kind::SignExtend(operand) => sign_extend(self.value(operand)?, operand.width, width),
            Kind::Slice { base, low } => self.value(base)? >> low,
            Kind::Bit { base, index } => {
                let (bits, index) = (self.value(base)?, self.value(index)?);
                if index < base.width.into() { bits >> index & 1 } else { 0 }
            }
            Kind::Concat(parts) => {
                let mut joined = 0u128;
                for part in parts {
                    joined = joined.checked_shl(part.width).unwrap_or(0) | self.value(part)?;
                }
                joined
            }
            Kind::Select(condition, then, otherwise) => match self.value(condition)? {
                0 => self.value(otherwise)?,
                _ => self.value(then)?,
            },
        };
        Some(found & mask(width))
    }
}

/// Where a list is left that may be.
#[derive(PartialEq)]
enum Left {
    Not,
    Here,
}
