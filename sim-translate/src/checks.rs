//! Checks: where a run that is sampled may begin to be counted, or cease to be.

use isac_ir::Model;
use sim_profile::{CheckPlaces, Duplication, Instrumented, Sampling};
use sim_runtime::record::is_check;

use crate::region::Numbered;
use crate::residual::{Item, Kind, Op, walk_ops};
use crate::specialise::Step;

/// What is a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checks {
    /// Calls, jumps to addresses that are not above their own, or both.
    Transfers(CheckPlaces),
    /// What carries instrumentation, and nothing else.
    Each(Instrumented),
}

impl Checks {
    /// Those that samples are taken by.
    pub(crate) fn of(sampling: Sampling) -> Checks {
        match sampling.duplication {
            Duplication::Full | Duplication::Partial(_) => Checks::Transfers(sampling.places),
            Duplication::None(instrumented) => Checks::Each(instrumented),
        }
    }

    /// Whether no address runs twice between two of them.
    pub(crate) fn bounds_instructions(self) -> bool {
        matches!(self, Checks::Transfers(places) if places.includes_back_edges())
    }

    /// Whether each call is one.
    pub(crate) fn includes_calls(self) -> bool {
        match self {
            Checks::Transfers(places) => places.includes_calls(),
            Checks::Each(instrumented) => instrumented == Instrumented::Calls,
        }
    }

    /// Whether a step is one wherever it goes on.
    pub(crate) fn includes(self, numbered: &Numbered) -> bool {
        self == Checks::Each(Instrumented::Accesses) && numbered.accesses_memory
    }

    /// Whether it is one to go from an instruction to an address; `calls` tells whether jumps
    /// from the instruction are calls.
    pub(crate) fn is_check(
        self,
        way @ (_, to, successor): (u64, u64, u64),
        calls: impl FnOnce() -> bool,
    ) -> bool {
        match self {
            Checks::Transfers(places) => is_check(places, way, calls),
            Checks::Each(Instrumented::Calls) => to != successor && calls(),
            Checks::Each(Instrumented::Accesses) => false,
        }
    }

    /// Whether it is one to go from a step of a region to an address.
    pub(crate) fn is_check_of(self, model: &Model, numbered: &Numbered, to: u64) -> bool {
        let (from, size_cells) = (numbered.step.address, numbered.step.size_cells);
        self.is_check((from, to, model.successor(from, size_cells)), || numbered.calls)
    }
}

/// Whether a step reads or writes memory, or what a map has in its place.
pub(crate) fn accesses_memory(step: &Step) -> bool {
    let mut accesses = step.touches;
    walk_ops(&step.ops, &mut |item| {
        accesses |= match item {
            Item::Op(op) => matches!(op, Op::SetMemory { .. } | Op::SetCellPart { .. }),
            Item::Value(value) => matches!(value.kind, Kind::Memory { .. } | Kind::CellPart { .. }),
        };
    });
    accesses
}
