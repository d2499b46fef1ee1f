//! Stops before instructions: at addresses, and wherever somebody says so.

use std::rc::Rc;

use sim_runtime::Machine;

use crate::course::Stopped;
use crate::debugger::Debugger;

/// Whether a run stops before the instruction that the program counter's value is of.
pub type Asker<'e> = Rc<dyn Fn(&dyn Machine, u64) -> bool + 'e>;

impl<'e> Debugger<'e> {
    /// Stops before instructions at what the program counter holds for them; false if it was set.
    pub fn add_breakpoint(&mut self, pc: u64) -> bool {
        self.breakpoints.insert(pc)
    }

    /// The opposite; false if there was none.
    pub fn remove_breakpoint(&mut self, pc: u64) -> bool {
        self.breakpoints.remove(&pc)
    }

    /// Also stops before instructions for which one of these holds, and for no others any more; they are
    /// asked before each instruction.
    pub fn stop_where(&mut self, askers: Vec<Asker<'e>>) {
        self.askers = askers;
    }

    pub(crate) fn has_breakpoints(&self) -> bool {
        !self.breakpoints.is_empty() || !self.askers.is_empty()
    }

    /// Why the run stops here, if an instruction is about to begin that it stops before.
    pub(crate) fn breakpoint_here(&mut self) -> Option<Stopped> {
        if !self.is_boundary || !self.has_breakpoints() {
            return None;
        }
        let address = self.address();
        if self.breakpoints.contains(&address) {
            return Some(Stopped::Breakpoint);
        }
        let machine = &*self.engine.machine();
        self.askers.iter().any(|asker| asker(machine, address)).then_some(Stopped::Instruction)
    }
}
