//! Steps, carried out one statement after the other: for code that is not hot, and for the last
//! instructions before the run has to stop.

use isac_ir::bits::{mask, sign_extend};
use isac_ir::syntax::evaluate::{binary, unary};
use sim_runtime::FaultKind;
use sim_runtime::print::print_parts;

use crate::core::{Core, Ending};
use crate::residual::{Kind, Op, PC, Trap, Value};
use crate::specialise::{Decodes, Step};

/// After so many turns of loops somebody is asked whether the run is to end.
pub(crate) const TURNS_UNASKED: u64 = 1 << 10;

/// What carrying out a step has counted.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Its counters; empty if all are 0.
    pub(crate) counters: Vec<u64>,
    /// The program counter behind it.
    pub(crate) pc: u64,
    /// How it ended, if not as instructions do.
    pub(crate) ending: Option<Ending>,
    /// The cycle had an instruction.
    pub(crate) is_decoded: bool,
    /// If a HALT has ended it, the number of what it has not come to.
    pub(crate) unreached: Option<u32>,
}

/// Carries out a step from its address; the program counter is set.
pub(crate) fn interpret(core: &mut Core<'_>, step: &Step) -> Outcome {
    interpret_from(core, step, step.address)
}

/// The same with the program counter elsewhere.
pub(crate) fn interpret_from(core: &mut Core<'_>, step: &Step, pc: u64) -> Outcome {
    let mut locals = std::mem::take(&mut core.locals);
    locals.clear();
    locals.resize(step.locals.len(), 0);
    locals[PC as usize] = pc.into();
    let is_decoded = step.decodes == Decodes::Always;
    let mut run = Run { core, locals, counters: Vec::new(), is_decoded, unreached: None };
    let left = run.list(&step.ops);
    let ending = match left {
        Err(Leaving::End(ending)) => {
            if matches!(ending, Ending::Halted(_)) {
                step.deferred.iter().for_each(|(counter, local)| run.count_local(*counter, *local));
            }
            Some(ending)
        }
        Ok(()) | Err(Leaving::Label(_)) => None,
    };
    let pc = run.locals[PC as usize] as u64;
    let Run { core, locals, counters, is_decoded, unreached } = run;
    core.locals = locals;
    core.state.set_pc(pc);
    Outcome { counters, pc, ending, is_decoded, unreached }
}

/// Why a list is left before its end.
enum Leaving {
    Label(u32),
    End(Ending),
}

impl From<Ending> for Leaving {
    fn from(ending: Ending) -> Leaving {
        Leaving::End(ending)
    }
}

struct Run<'c, 'm> {
    core: &'c mut Core<'m>,
    locals: Vec<u128>,
    counters: Vec<u64>,
    is_decoded: bool,
    unreached: Option<u32>,
}

impl Run<'_, '_> {
    fn list(&mut self, ops: &[Op]) -> Result<(), Leaving> {
        ops.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op) -> Result<(), Leaving> {
        match op {
            Op::Set(local, value) => self.locals[*local as usize] = self.value(value)?,
            Op::SetRegister { register, element, low, value } => {
                let new = self.value(value)?;
                self.core.state.write_bits(*register as usize, *element as usize, *low, value.width, new);
            }
            Op::SetElement { register, index, low, value } => {
                let new = self.value(value)?;
                let element = self.element(*register, index)?;
                self.core.state.write_bits(*register as usize, element, *low, value.width, new);
            }
            Op::SetMemory { map, cells, address, value } => {
                let new = self.value(value)?;
                let address = self.value(address)? as u64;
                self.core.store((*map, *cells), address, new)?;
            }
            Op::SetCellPart { map, address, low, value } => {
                let new = self.value(value)?;
                let address = self.value(address)? as u64;
                self.core.store_part(*map, address, (*low, value.width), new)?;
            }
            Op::Count(counter) => self.count(*counter, 1),
            Op::CountLocal(counter, local) => self.count_local(*counter, *local),
            Op::If(condition, then, otherwise) => {
                let arm = if self.value(condition)? != 0 { then } else { otherwise };
                self.list(arm)?;
            }
            Op::Loop(label, body) => loop {
                self.turn()?;
                match self.list(body) {
                    Err(Leaving::Label(left)) if left == *label => break,
                    other => other?,
                }
            },
            Op::Block(label, body) => match self.list(body) {
                Err(Leaving::Label(left)) if left == *label => {}
                other => other?,
            },
            Op::Leave(label, _) => return Err(Leaving::Label(*label)),
            Op::Trap(trap) => {
                return Err(Leaving::End(match trap {
                    Trap::Illegal => Ending::Fault(FaultKind::IllegalInstruction),
                    Trap::Unhandled => {
                        let (address, access) = self.core.fault;
                        Ending::Fault(FaultKind::Memory { access, address })
                    }
                    Trap::DivisionByZero => Ending::Fault(FaultKind::DivisionByZero),
                    Trap::Cancel => Ending::Cancelled,
                }));
            }
            Op::Halt(status, unreached) => {
                self.unreached = Some(*unreached);
                let status = self.value(status)? as u32 as i32;
                return Err(Leaving::End(Ending::Halted(status)));
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
                self.locals[*result as usize] = self.core.linux_call(0, values)?.into();
            }
            Op::Semihost(result, values) => {
                let values = self.values(values)?;
                self.locals[*result as usize] = self.core.semihost(0, values)?.into();
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
            Op::Decoded => self.is_decoded = true,
            Op::Empty => {}
            Op::Undecoded(kind) => return Err(Leaving::End(Ending::Fault(*kind))),
        }
        Ok(())
    }

    fn turn(&mut self) -> Result<(), Leaving> {
        let offset = crate::layout::TURNS as u64;
        let turns = self.core.state.arena.word(offset).wrapping_add(1);
        self.core.state.arena.set_word(offset, turns);
        match turns.is_multiple_of(TURNS_UNASKED) && self.core.host.is_interrupted() {
            true => Err(Leaving::End(Ending::Interrupted)),
            false => Ok(()),
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

    fn values<const N: usize>(&mut self, values: &[Value]) -> Result<[u64; N], Leaving> {
        let mut found = [0; N];
        for (place, value) in found.iter_mut().zip(values) {
            *place = self.value(value)? as u64;
        }
        Ok(found)
    }

    fn list_of_values(&mut self, values: &[Value]) -> Result<Vec<u128>, Leaving> {
        values.iter().map(|value| self.value(value)).collect()
    }

    fn element(&mut self, register: u32, index: &Value) -> Result<usize, Leaving> {
        let index = self.value(index)?;
        let elements = self.core.model().registers[register as usize].elements();
        match u32::try_from(index) {
            Ok(element) if element < elements => Ok(element as usize),
            _ => {
                let kind = FaultKind::RegisterIndex { register, index: index as u64 };
                Err(Leaving::End(Ending::Fault(kind)))
            }
        }
    }

    fn value(&mut self, value: &Value) -> Result<u128, Leaving> {
        let width = value.width;
        let found = match &value.kind {
            Kind::Const(value) => *value,
            Kind::Local(local) => self.locals[*local as usize],
            Kind::Register { register, element, low } => {
                self.core.state.get_register(*register as usize, *element as usize).extract(*low, width)
            }
            Kind::Element { register, index, low } => {
                let element = self.element(*register, index)?;
                self.core.state.get_register(*register as usize, element).extract(*low, width)
            }
            Kind::Memory { map, cells, address, access } => {
                let address = self.value(address)? as u64;
                self.core.load(0, (*map, *cells), address, *access)?
            }
            Kind::CellPart { map, address, low, access } => {
                let address = self.value(address)? as u64;
                self.core.load_part(*map, address, (*low, width), *access)?
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
        Ok(found & mask(width))
    }
}
