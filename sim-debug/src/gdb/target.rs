//! The processor as `gdbstub` wants it.

use std::convert::Infallible;

use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::breakpoints::BreakpointsOps;
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};
use isac_ir::Model;

use super::arch::AnyArch;
use super::layout::Layout;
use super::render_description;
use crate::course::How;
use crate::debugger::Debugger;
use crate::engine::Order;
use crate::named_points::NamedPoints;

/// A debugger behind gdb's protocol.
pub(super) struct GdbTarget<'e> {
    /// Away while the run goes on.
    pub(super) debugger: Option<Box<Debugger<'e>>>,
    pub(super) model: &'e Model,
    pub(super) layout: Layout,
    description: String,
    /// What gdb has asked the run to do.
    pub(super) order: Option<Order>,
    /// How the next `continue` goes on.
    pub(super) goal: Option<How>,
    /// What `stepi` steps.
    pub(super) steps: How,
    /// What `monitor break` has set.
    pub(super) points: NamedPoints<'e>,
}

impl<'e> GdbTarget<'e> {
    pub(super) fn new(model: &'e Model) -> GdbTarget<'e> {
        let layout = Layout::of_model(model);
        let description = render_description(&layout);
        GdbTarget {
            debugger: None,
            model,
            layout,
            description,
            order: None,
            goal: None,
            steps: How::Step,
            points: NamedPoints::new(model),
        }
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
    pub(super) fn changed(&mut self) -> Result<&mut Debugger<'e>, TargetError<Infallible>> {
        let debugger = self.debugger()?;
        if debugger.within().is_some() {
            return Err(TargetError::NonFatal);
        }
        debugger.change();
        Ok(debugger)
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
