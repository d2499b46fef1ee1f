//! Whoever follows calls is told of instructions and of what they cost.

use sim_profile::Spending;

use super::ReferenceEngine;
use super::instruction::Instruction;
use super::step::Counts;
use crate::record::{CostPlace, Executed};

impl ReferenceEngine<'_> {
    /// Cycles are lost for an instruction in flight, or are extra ones; `None`: for operation `reset`.
    pub(super) fn charge(&mut self, id: Option<u64>, cycles: u64) {
        if let Some(calls) = &mut self.calls_in_flight {
            calls.charge(id, cycles);
        }
    }

    /// A turn of an instruction in flight is over, in which it had so many extra cycles and was perhaps
    /// found at fault.
    pub(super) fn follow_turn(&mut self, instruction: &Instruction, extra_cycles: u64, is_at_fault: bool) {
        let Some(calls) = &mut self.calls_in_flight else { return };
        let known = |is_known: bool| is_known.then_some(instruction.address);
        let is_decoded = instruction.decoded.is_some();
        let begun = known(is_decoded || is_at_fault);
        let charged = known(is_decoded || is_at_fault || instruction.is_undecoded);
        calls.place(instruction.id, CostPlace { begun, charged });
        calls.charge(Some(instruction.id), extra_cycles);
    }

    /// A turn has perhaps fetched, or sent the run elsewhere beside the instructions.
    pub(super) fn follow_strikes(&mut self) {
        for (id, address) in std::mem::take(&mut self.flight.fetched) {
            if let Some(calls) = &mut self.calls_in_flight {
                calls.fetch(id, address);
            }
        }
        for strike in std::mem::take(&mut self.flight.strikes) {
            if let Some(calls) = &mut self.calls_in_flight {
                calls.strike(strike, &[]);
            }
        }
    }

    /// An instruction in flight was flushed.
    pub(super) fn follow_flushed(&mut self, id: u64) {
        if let Some(calls) = &mut self.calls_in_flight {
            calls.flush(id);
        }
    }

    /// An instruction in flight is over.
    pub(super) fn follow_end(&mut self, instruction: &Instruction, is_executed: bool) {
        let Some(calls) = &mut self.calls_in_flight else { return };
        let Instruction { id, address, size_cells, word, .. } = *instruction;
        if !is_executed {
            return calls.abandon(id);
        }
        let decoded = instruction.decoded.as_ref();
        let executed = decoded.map(|decoded| Executed { address, size_cells, word, decoded });
        let followed = executed.map(|executed| calls.learn(self.plain, &executed));
        calls.execute(id, followed);
    }

    /// Tells where an instruction that was executed has gone on.
    pub(super) fn follow_calls(&mut self, instruction: &Instruction) {
        let to = self.state.pc();
        let Some(calls) = &mut self.calls else { return };
        let Instruction { address, size_cells, word, struck, .. } = *instruction;
        let Counts { instructions, cycles, .. } = self.counts;
        let now = Spending { instructions, cycles: cycles.saturating_add(1) };
        let Some(decoded) = &instruction.decoded else { return calls.follow_nothing(struck, to, now) };
        let executed = Executed { address, size_cells, word, decoded };
        calls.follow(self.plain, &executed, (struck, to), now);
    }

    /// Tells where the run goes on behind an instruction that was cancelled.
    pub(super) fn follow_cancelled(&mut self, instruction: &Instruction) {
        let to = self.state.pc();
        let (Some(calls), Some(_)) = (&mut self.calls, &instruction.decoded) else { return };
        let successor = self.state.model.successor(instruction.address, instruction.size_cells);
        let Counts { instructions, cycles, .. } = self.counts;
        let now = Spending { instructions, cycles: cycles.saturating_add(1) };
        calls.follow_cancelled(instruction.address, to, successor, now);
    }
}
