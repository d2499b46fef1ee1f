//! Breakpoints and watchpoints as gdb sets them.

use gdbstub::target::TargetResult;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps,
    WatchKind as GdbWatchKind,
};

use super::target::GdbTarget;
use crate::point::{WatchKind, Watched, Watchpoint};

/// Largest piece of memory that is watched.
const MOST_WATCHED: usize = 4096;

impl GdbTarget<'_> {
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
