//! Functions with their costs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::number::{Count, Counts, hexadecimal, index_or_none};
use crate::coverage::format_percent;
use crate::program::line::Steps;
use crate::program::render::FunctionNames;
use crate::program::{Cost, ProgramProfile};
use crate::{Spending, spending_of};

/// Functions that were executed, or were on the stack of calls, and what stands for what has none.
#[derive(Serialize, Default)]
pub(super) struct Functions {
    name: Vec<String>,
    image: Vec<String>,
    address: Vec<String>,
    entered: Counts,
    executed: Counts,
    cycles: Counts,
    /// Share of all cycles in percent.
    percent: Vec<String>,
    lost: Counts,
    reads: Counts,
    writes: Counts,
    inclusive_executed: Counts,
    inclusive_cycles: Counts,
    inclusive_percent: Vec<String>,
}

/// Functions by number, and how to find them.
pub(super) struct FunctionTable {
    indices: BTreeMap<u32, usize>,
    functions: Functions,
}

impl FunctionTable {
    /// As the element `program` of the XML report has them.
    pub(super) fn of(profile: &ProgramProfile<'_>, steps: &Steps) -> FunctionTable {
        let entered = steps.function_entries(profile.program);
        let names = FunctionNames::of(profile.program);
        let total = spending_of(profile.measurement).cycles;
        let mut table = FunctionTable { indices: BTreeMap::new(), functions: Functions::default() };
        for (number, cost, inclusive) in profile.functions() {
            table.indices.insert(number, table.functions.name.len());
            let entered = entered.get(&number).copied().unwrap_or(0);
            table.functions.place(profile, names.number(number), number);
            table.functions.count(&cost, inclusive, entered, total);
        }
        table
    }

    /// Index of a function by its number in the program, or -1.
    pub(super) fn index(&self, number: u32) -> i64 {
        index_or_none(self.indices.get(&number).copied())
    }

    /// The columns.
    pub(super) fn into_functions(self) -> Functions {
        self.functions
    }
}

impl Functions {
    fn place(&mut self, profile: &ProgramProfile<'_>, name: String, number: u32) {
        let function = profile.program.function(number);
        let image = function.image.and_then(|image| profile.program.images().get(image as usize));
        self.name.push(name);
        self.image.push(image.cloned().unwrap_or_default());
        self.address.push(image.map(|_| hexadecimal(function.start)).unwrap_or_default());
    }

    fn count(&mut self, cost: &Cost, inclusive: Spending, entered: u64, total: u64) {
        self.entered.push(Count(entered));
        self.executed.push(Count(cost.executed));
        self.cycles.push(Count(cost.cycles));
        self.percent.push(format_percent(cost.cycles, total));
        self.lost.push(Count(cost.lost));
        self.reads.push(Count(cost.accesses.reads));
        self.writes.push(Count(cost.accesses.writes));
        self.inclusive_executed.push(Count(inclusive.instructions));
        self.inclusive_cycles.push(Count(inclusive.cycles));
        self.inclusive_percent.push(format_percent(inclusive.cycles, total));
    }
}
