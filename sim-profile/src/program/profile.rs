//! A measurement joined with the program that was run.

use std::collections::BTreeMap;
use std::path::Path;

use super::{NO_INSTRUCTION, OUTSIDE, Program};
use crate::ascending::sum_ascending;
use crate::calls::Payable;
use crate::measurement::count;
use crate::spent::spent_by_address;
use crate::{Accesses, Calls, CodeSizes, ControlTable, Measurement, Spending, StaticTable, Transfers};

/// Texts of sources, by their names in [`Program::sources`]; those that are gone are not there.
pub type SourceTexts = BTreeMap<String, String>;

/// What the reports of a program are made of.
#[derive(Clone, Copy)]
pub struct ProgramProfile<'a> {
    /// What was counted.
    pub measurement: &'a Measurement,
    /// Functions and lines.
    pub program: &'a Program,
    /// What is known of instructions whatever they did.
    pub statics: &'a StaticTable,
    /// What they may do to the flow of control: [`crate::control_table`] of those.
    pub control: &'a ControlTable,
    /// Its calls, if they were followed.
    pub calls: Option<&'a Calls>,
    /// Texts of sources.
    pub texts: &'a SourceTexts,
    /// Instructions that could have run and did not, where the description was asked; of these `statics` and
    /// `control` say something, too.
    pub code: &'a CodeSizes,
    /// The folder that relative names of sources begin at, for whoever is elsewhere.
    pub folder: Option<&'a Path>,
}

/// What some instructions cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Instructions that ran to their end.
    pub executed: u64,
    /// Cycles that they took.
    pub cycles: u64,
    /// Of these, cycles in which no instruction could begin.
    pub lost: u64,
    /// Jumps to anywhere but the successor.
    pub taken: u64,
    /// Accesses to memory and devices by maps, fetches among them.
    pub accesses: Accesses,
}

impl Cost {
    /// Adds `other`.
    pub fn add(&mut self, other: &Cost) {
        count(&mut self.executed, other.executed);
        count(&mut self.cycles, other.cycles);
        count(&mut self.lost, other.lost);
        count(&mut self.taken, other.taken);
        self.accesses.add(other.accesses);
    }
}

impl Payable for Cost {
    fn take(&mut self, cycles: u64) -> Cost {
        let moved = self.cycles.min(cycles);
        self.cycles -= moved;
        // What remains is lost as far as it was.
        let moved_lost = self.lost.saturating_sub(self.cycles);
        self.lost -= moved_lost;
        Cost { cycles: moved, lost: moved_lost, ..Cost::default() }
    }

    fn pay(&mut self, paid: &Cost) {
        self.add(paid);
    }
}

static NO_STATICS: StaticTable = StaticTable::new();
static NO_TEXTS: SourceTexts = SourceTexts::new();
static NO_CODE: CodeSizes = CodeSizes::new();

impl<'a> ProgramProfile<'a> {
    /// What was counted, of a program, with what instructions may do to the flow of control, and nothing else.
    pub fn of(
        measurement: &'a Measurement,
        program: &'a Program,
        control: &'a ControlTable,
    ) -> ProgramProfile<'a> {
        let (statics, texts, code) = (&NO_STATICS, &NO_TEXTS, &NO_CODE);
        ProgramProfile { measurement, program, statics, control, calls: None, texts, code, folder: None }
    }

    /// Calls and returns of the run.
    pub fn transfers(&self) -> Transfers<'a> {
        Transfers::of(self.measurement, self.control)
    }

    /// Costs by address, ascending; what has no address is under `None`. Together they are those of
    /// the run.
    pub fn cost_by_address(&self) -> BTreeMap<Option<u64>, Cost> {
        let accesses = self.measurement.instructions.iter().map(|(key, record)| {
            let maps = record
                .accesses
                .iter()
                .filter(|((_, resource), _)| self.measurement.tables.reaches_memory(*resource));
            let mut accesses = Accesses::default();
            maps.for_each(|(_, of_map)| accesses.add(*of_map));
            (Some(key.address), accesses)
        });
        let mut accesses = sum_ascending(accesses, |sum, more| sum.add(more)).into_iter().peekable();
        let spent = spent_by_address(self.measurement).into_iter().map(|(address, spent)| {
            // Whatever was decoded has spent something, and both ascend.
            let accesses = accesses.next_if(|(accessed, _)| *accessed == address);
            let cost = Cost {
                executed: spent.executed,
                cycles: spent.cycles(),
                lost: spent.overhead.lost_cycles(),
                taken: 0,
                accesses: accesses.map_or_else(Accesses::default, |(_, accesses)| accesses),
            };
            (address, cost)
        });
        let mut all: BTreeMap<Option<u64>, Cost> = spent.collect();
        for (&(from, _), &taken) in &self.measurement.transfers {
            count(&mut all.entry(Some(from)).or_default().taken, taken);
        }
        all
    }

    /// The same, where cycles that were begun in vain are at the address that pays for them, if calls were
    /// followed: as the call graph has them.
    pub fn paid_by_address(&self) -> BTreeMap<Option<u64>, Cost> {
        let mut all = self.cost_by_address();
        if let Some(calls) = self.calls {
            calls.pay_in_vain(&mut all);
        }
        all
    }

    /// Number of the function of an address; that of [`NO_INSTRUCTION`] of none.
    pub fn function_of(&self, address: Option<u64>) -> u32 {
        address.map_or(NO_INSTRUCTION, |address| self.program.function_at(address))
    }

    /// Costs by number of the function, as [`ProgramProfile::paid_by_address`] has them.
    pub fn cost_by_function(&self) -> BTreeMap<u32, Cost> {
        let mut all: BTreeMap<u32, Cost> = BTreeMap::new();
        for (address, cost) in self.paid_by_address() {
            let function = self.function_of(address);
            all.entry(function).or_default().add(&cost);
        }
        all
    }

    /// What functions cost with all that they called, by number, if calls were followed.
    ///
    /// Code without symbols is one function, wherever calls lead in it. What such a one cost is that of the
    /// stacks that it is on, so that nothing counts twice.
    pub fn inclusive_by_function(&self) -> BTreeMap<u32, Spending> {
        let by_number = |calls: &Calls| calls.inclusive_by(|start| self.program.function_at(start));
        self.calls.map(by_number).unwrap_or_default()
    }

    /// Numbers of the functions that were executed, or were on the stack of calls, with what each cost by itself
    /// and with all that it called; what is outside of all files only if something ran there.
    pub(crate) fn functions(&self) -> Vec<(u32, Cost, Spending)> {
        let inclusive = self.inclusive_by_function();
        let mut costs = self.cost_by_function();
        inclusive.keys().for_each(|number| {
            costs.entry(*number).or_default();
        });
        let known = costs.into_iter().filter(|(number, cost)| *number != OUTSIDE || cost.cycles > 0);
        known
            .map(|(number, cost)| (number, cost, inclusive.get(&number).copied().unwrap_or_default()))
            .collect()
    }
}
