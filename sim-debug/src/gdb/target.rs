//! The processor as `gdbstub` wants it: registers, memory, points, commands.

use std::convert::Infallible;
use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use gdbstub::common::Signal;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::reverse_exec::{ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadRangeStepping, SingleThreadRangeSteppingOps, SingleThreadResume,
    SingleThreadResumeOps, SingleThreadSingleStep, SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind as GdbWatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};

use super::layout::{GdbRegister, Layout};
use super::monitor::{MonitorPoints, Suggest};
use super::render_description;
use super::value::{from_bytes, to_bytes};
use crate::debugger::{Debugger, Direction, How};
use crate::engine::Order;
use crate::point::{WatchKind, Watched, Watchpoint};

/// Largest piece of memory that is watched.
const MOST_WATCHED: usize = 4096;
/// Addresses so close to the end of 64 bits are none: `gdbstub` adds to them without asking.
const LAST_ADDRESS: u64 = u64::MAX - (1 << 20);

/// Whatever the model is.
pub(super) enum AnyArch {}

impl Arch for AnyArch {
    type Usize = u64;
    type Registers = AllRegisters;
    type BreakpointKind = usize;
    type RegId = RegisterNumber;
}

/// The bytes of all registers in gdb's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AllRegisters(Vec<u8>);

impl Registers for AllRegisters {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        0
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        self.0.iter().for_each(|byte| write_byte(Some(*byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0 = bytes.to_vec();
        Ok(())
    }
}

/// gdb's number of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RegisterNumber(usize);

impl RegId for RegisterNumber {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        Some((RegisterNumber(id), None))
    }
}

/// A debugger behind gdb's protocol.
pub(super) struct GdbTarget<'e> {
    /// Away while the run goes on.
    pub(super) debugger: Option<Box<Debugger<'e>>>,
    layout: Layout,
    description: String,
    /// What gdb has asked the run to do.
    pub(super) order: Option<Order>,
    /// How the next `continue` goes on.
    pub(super) goal: Option<How>,
    /// What `stepi` steps.
    pub(super) steps: How,
    pub(super) points: MonitorPoints,
}

impl<'e> GdbTarget<'e> {
    pub(super) fn new(layout: Layout) -> GdbTarget<'e> {
        let description = render_description(&layout);
        GdbTarget {
            debugger: None,
            layout,
            description,
            order: None,
            goal: None,
            steps: How::Step,
            points: MonitorPoints::default(),
        }
    }

    /// Says which name was probably meant where there is none.
    pub(super) fn suggest(&mut self, suggest: Suggest) {
        self.points.suggest = Some(suggest);
    }

    /// The run stands: this is its debugger.
    pub(super) fn take(&mut self, mut debugger: Box<Debugger<'e>>) {
        debugger.stop_before_touching(self.layout.stops_before_touching);
        self.debugger = Some(debugger);
    }

    /// The debugger while the run stands; none of gdb's questions come at other times.
    pub(super) fn debugger(&mut self) -> Result<&mut Debugger<'e>, TargetError<Infallible>> {
        self.debugger.as_deref_mut().ok_or(TargetError::NonFatal)
    }

    /// The same to change the state; within an instruction, which is run again to go on, nothing can be.
    fn changed(&mut self) -> Result<&mut Debugger<'e>, TargetError<Infallible>> {
        let debugger = self.debugger()?;
        if debugger.within().is_some() {
            return Err(TargetError::NonFatal);
        }
        debugger.change();
        Ok(debugger)
    }

    fn step(&self) -> How {
        self.steps
    }

    fn register_bytes(&mut self, register: &GdbRegister) -> Result<Vec<u8>, TargetError<Infallible>> {
        let big_endian = self.layout.big_endian;
        let debugger = self.debugger()?;
        let value = match register.source.is_pc {
            true => {
                let pc = debugger.address();
                isac_ir::bits::Bits::from_u128(debugger.space().of_code(pc).into())
            }
            false => register.source.read(debugger.engine.machine()),
        };
        Ok(to_bytes(value, register.width_bits, big_endian))
    }

    fn set_register(&mut self, register: &GdbRegister, bytes: &[u8]) -> Result<(), TargetError<Infallible>> {
        if bytes.len() * 8 != register.width_bits as usize {
            return Err(TargetError::NonFatal);
        }
        let value = from_bytes(bytes, self.layout.big_endian);
        // gdb writes all registers where it wants to set one: what stays is not set.
        if self.register_bytes(register)? == bytes {
            return Ok(());
        }
        let debugger = self.changed()?;
        match register.source.is_pc {
            true => {
                let pc = debugger.space().to_pc(value.to_u128() as u64);
                let place = debugger.model().pc.clone();
                debugger.engine.machine().write_place(&place, pc.into());
            }
            false => register.source.write(debugger.engine.machine(), value),
        }
        Ok(())
    }

    fn watched(&mut self, address: u64, size: u64, kind: GdbWatchKind) -> Option<(Watched, WatchKind)> {
        let size_bytes = usize::try_from(size).ok().filter(|size| (1..=MOST_WATCHED).contains(size))?;
        let (map, address) = self.debugger().ok()?.space().locate(address);
        let kind = match kind {
            GdbWatchKind::Write => WatchKind::Write,
            GdbWatchKind::Read => WatchKind::Read,
            GdbWatchKind::ReadWrite => WatchKind::Access,
        };
        Some((Watched::Memory { map, address, size_bytes }, kind))
    }
}

impl Target for GdbTarget<'_> {
    type Arch = AnyArch;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, AnyArch, Infallible> {
        BaseOps::SingleThread(self)
    }

    fn guard_rail_implicit_sw_breakpoints(&self) -> bool {
        true
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadBase for GdbTarget<'_> {
    fn read_registers(&mut self, registers: &mut AllRegisters) -> TargetResult<(), Self> {
        let mut all: Vec<GdbRegister> = self.layout.registers().cloned().collect();
        all.sort_by_key(|register| register.number);
        for register in &all {
            registers.0.extend(self.register_bytes(register)?);
        }
        Ok(())
    }

    fn write_registers(&mut self, registers: &AllRegisters) -> TargetResult<(), Self> {
        let mut all: Vec<GdbRegister> = self.layout.registers().cloned().collect();
        all.sort_by_key(|register| register.number);
        let mut rest = &registers.0[..];
        for register in &all {
            let size = (register.width_bits / 8) as usize;
            let (bytes, behind) = rest.split_at_checked(size).ok_or(TargetError::NonFatal)?;
            self.set_register(register, bytes)?;
            rest = behind;
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u64, data: &mut [u8]) -> TargetResult<usize, Self> {
        let debugger = self.debugger()?;
        let mut read = 0;
        while read < data.len() {
            let address = start.checked_add(read as u64).filter(|address| *address <= LAST_ADDRESS);
            let Some(address) = address else { break };
            let (map, byte) = debugger.space().locate(address);
            if debugger.engine.machine().read_bytes(map, byte, &mut data[read..=read]).is_err() {
                break;
            }
            read += 1;
        }
        // Memory ends here, or never was.
        if read == 0 && !data.is_empty() { Err(TargetError::NonFatal) } else { Ok(read) }
    }

    fn write_addrs(&mut self, start: u64, data: &[u8]) -> TargetResult<(), Self> {
        let debugger = self.changed()?;
        start
            .checked_add(data.len() as u64)
            .filter(|end| *end <= LAST_ADDRESS)
            .ok_or(TargetError::NonFatal)?;
        let (map, byte) = debugger.space().locate(start);
        debugger.engine.machine().write_bytes(map, byte, data).map_err(|_| TargetError::NonFatal)
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<()> for GdbTarget<'_> {
    fn read_register(
        &mut self,
        _thread: (),
        RegisterNumber(number): RegisterNumber,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let register = self.layout.register(number).cloned().ok_or(TargetError::NonFatal)?;
        let bytes = self.register_bytes(&register)?;
        buffer.get_mut(..bytes.len()).ok_or(TargetError::NonFatal)?.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(
        &mut self,
        _thread: (),
        RegisterNumber(number): RegisterNumber,
        bytes: &[u8],
    ) -> TargetResult<(), Self> {
        let register = self.layout.register(number).cloned().ok_or(TargetError::NonFatal)?;
        self.set_register(&register, bytes)
    }
}

impl SingleThreadResume for GdbTarget<'_> {
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        let how = self.goal.take().unwrap_or(How::Continue);
        self.order = Some(Order::Go(Direction::Forward, how, 1));
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<SingleThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        let can = self.debugger.as_ref().is_none_or(|debugger| debugger.can_go_back());
        can.then_some(self as &mut dyn ReverseStep<(), Arch = AnyArch, Error = Infallible>)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        let can = self.debugger.as_ref().is_none_or(|debugger| debugger.can_go_back());
        can.then_some(self as &mut dyn ReverseCont<(), Arch = AnyArch, Error = Infallible>)
    }
}

impl SingleThreadSingleStep for GdbTarget<'_> {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.order = Some(Order::Go(Direction::Forward, GdbTarget::step(self), 1));
        Ok(())
    }
}

impl SingleThreadRangeStepping for GdbTarget<'_> {
    fn resume_range_step(&mut self, start: u64, end: u64) -> Result<(), Infallible> {
        let range = self.debugger.as_ref().map(|debugger| {
            let space = debugger.space();
            (space.to_pc(start), end.div_ceil(space.code_cell_bytes()))
        });
        let how = range.map_or(How::Step, |(first, behind)| How::StepRange(first, behind));
        self.order = Some(Order::Go(Direction::Forward, how, 1));
        Ok(())
    }
}

impl ReverseStep<()> for GdbTarget<'_> {
    fn reverse_step(&mut self, _thread: ()) -> Result<(), Infallible> {
        self.order = Some(Order::Go(Direction::Backward, GdbTarget::step(self), 1));
        Ok(())
    }
}

impl ReverseCont<()> for GdbTarget<'_> {
    fn reverse_cont(&mut self) -> Result<(), Infallible> {
        let instructions = self.debugger.as_ref().map_or(0, |debugger| debugger.instructions());
        self.order = Some(match self.goal {
            Some(how @ (How::Statement | How::StepCycle)) => {
                self.goal = None;
                Order::Go(Direction::Backward, how, 1)
            }
            Some(how @ How::GoTo(goal)) if goal <= instructions => {
                self.goal = None;
                Order::Go(Direction::Forward, how, 1)
            }
            // What leads on is for the next `continue`.
            _ => Order::Go(Direction::Backward, How::Continue, 1),
        });
        Ok(())
    }
}

impl Breakpoints for GdbTarget<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for GdbTarget<'_> {
    fn add_sw_breakpoint(&mut self, address: u64, _kind: usize) -> TargetResult<bool, Self> {
        let debugger = self.debugger()?;
        let pc = debugger.space().to_pc(address);
        debugger.add_breakpoint(pc);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _kind: usize) -> TargetResult<bool, Self> {
        let debugger = self.debugger()?;
        let pc = debugger.space().to_pc(address);
        Ok(debugger.remove_breakpoint(pc))
    }
}

/// A breakpoint changes no memory, so that there is no other kind.
impl HwBreakpoint for GdbTarget<'_> {
    fn add_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

impl HwWatchpoint for GdbTarget<'_> {
    fn add_hw_watchpoint(&mut self, address: u64, size: u64, kind: GdbWatchKind) -> TargetResult<bool, Self> {
        let Some((watched, kind)) = self.watched(address, size, kind) else { return Ok(false) };
        let debugger = self.debugger()?;
        let watchpoint = Watchpoint::new(address, watched, kind, debugger.engine.machine());
        Ok(debugger.add_watchpoint(watchpoint))
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        size: u64,
        kind: GdbWatchKind,
    ) -> TargetResult<bool, Self> {
        let Some((watched, kind)) = self.watched(address, size, kind) else { return Ok(false) };
        Ok(self.debugger()?.remove_watchpoint(|point| point.watched == watched && point.kind == kind))
    }
}

impl MonitorCmd for GdbTarget<'_> {
    fn handle_monitor_cmd(&mut self, line: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Infallible> {
        let line = String::from_utf8_lossy(line);
        let said = self.command(line.trim()).unwrap_or_else(|_| "the run goes on\n".to_owned());
        out.write_raw(said.as_bytes());
        Ok(())
    }
}

impl TargetDescriptionXmlOverride for GdbTarget<'_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(self.description.len());
        let rest = &self.description.as_bytes()[offset..];
        let count = rest.len().min(length).min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}
