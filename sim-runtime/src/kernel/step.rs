//! How a step goes on: with the next record, through a link, or back to the dispatcher.

use super::block::{Link, Record};
use super::code::Code;
use sim_profile::Spending;

use super::machine::{BlockCore, Kernel, Leave, Profiling, Trap};

/// What the operations of one instruction share.
#[derive(Debug, Clone, Copy)]
pub struct Step<const REGIONS: usize> {
    /// The program counter.
    pub pc: u64,
    /// Address of the instruction.
    pub address: u64,
    /// Its size in cells.
    pub size_cells: u32,
    /// The budget, this instruction included.
    pub left: u64,
    /// Instances that are scheduled, a bit for each queue.
    pub due: u64,
    /// How often each counted region ran: a loop may turn more often than 32 bits can count.
    pub regions: [u64; REGIONS],
}

impl<const REGIONS: usize> Step<REGIONS> {
    /// At the beginning of an instruction.
    #[inline(always)]
    pub fn new(address: u64, size_cells: u32, left: u64) -> Self {
        Step { pc: address, address, size_cells, left, due: 0, regions: [0; REGIONS] }
    }

    /// A turn of a loop begins.
    ///
    /// # Errors
    /// The trap of a run that is to end.
    #[inline(always)]
    pub fn turn(&mut self, kernel: &mut Kernel) -> Result<(), Trap> {
        kernel.turn()
    }

    /// A region begins.
    #[inline(always)]
    pub fn count(&mut self, region: usize) {
        if let Some(count) = self.regions.get_mut(region) {
            *count += 1;
        }
    }
}

/// Goes on with the next record; `rest` are the records behind this one.
#[inline(always)]
pub fn next<C: BlockCore, P: Profiling>(
    core: &mut C,
    code: &Code<C, P>,
    rest: &[Record<C, P>],
    pc: u64,
    fuel: u64,
) {
    match rest.first() {
        Some(record) => (record.run)(core, code, rest, pc, fuel),
        None => leave_empty(core, pc, fuel),
    }
}

/// Goes on after an instruction that may have set the PC: with the next record if `pc` is the
/// successor's address, else through the record's site.
#[inline(always)]
pub fn finish<C: BlockCore, P: Profiling>(
    core: &mut C,
    code: &Code<C, P>,
    records: &[Record<C, P>],
    successor: u64,
    pc: u64,
    fuel: u64,
) {
    let Some((record, rest)) = records.split_first() else { return leave_empty(core, pc, fuel) };
    if pc == successor {
        return next(core, code, rest, pc, fuel);
    }
    transfer(core, code, record.site, pc, fuel + rest.len() as u64);
}

/// Leaves a block through a site's link; `left` is the budget.
#[inline(always)]
fn transfer<C: BlockCore, P: Profiling>(core: &mut C, code: &Code<C, P>, site: u32, pc: u64, left: u64) {
    if let Some(entry) = code.sites.get(site as usize)
        && entry.first.target == pc
        && let Some(records) = code.records.get(entry.first.block as usize)
        && let Some(fuel) = left.checked_sub(records.len() as u64)
        && let Some(record) = records.first()
    {
        if P::ON {
            entry.first.count.set(entry.first.count.get() + 1);
        }
        return (record.run)(core, code, records, pc, fuel);
    }
    transfer_further(core, code, site, pc, left);
}

/// The same where the first link is not the one: one that has to be told of, a target among others, or
/// none yet.
#[inline(never)]
fn transfer_further<C: BlockCore, P: Profiling>(
    core: &mut C,
    code: &Code<C, P>,
    site: u32,
    pc: u64,
    left: u64,
) {
    let Some(link) = code.link(site, pc) else { return leave_transfer(core, site, pc, left) };
    if link.is_told() {
        return transfer_told(core, code, link, (site, pc), left);
    }
    if let Some(records) = code.records.get(link.block as usize)
        && let Some(fuel) = left.checked_sub(records.len() as u64)
        && let Some(record) = records.first()
    {
        if P::ON {
            link.count.set(link.count.get() + 1);
        }
        return (record.run)(core, code, records, pc, fuel);
    }
    leave_transfer(core, site, pc, left);
}

/// The same through a link of which somebody is told.
#[inline(never)]
fn transfer_told<C: BlockCore, P: Profiling>(
    core: &mut C,
    code: &Code<C, P>,
    link: &Link,
    (site, pc): (u32, u64),
    left: u64,
) {
    if let Some(records) = code.records.get(link.leads_to as usize)
        && let Some(fuel) = left.checked_sub(records.len() as u64)
        && let Some(record) = records.first()
    {
        if link.way != Link::NO_WAY
            && let Some(calls) = &code.calls
        {
            let kernel = core.kernel();
            let now = Spending { instructions: kernel.instructions_at(left), cycles: kernel.cycles_at(left) };
            calls.borrow_mut().take(link.way, now);
        }
        if P::ON {
            link.count.set(link.count.get() + 1);
        }
        return (record.run)(core, code, records, pc, fuel);
    }
    leave_transfer(core, site, pc, left);
}

/// The step behind a block's last instruction: leaves in sequence.
pub fn block_end<C: BlockCore, P: Profiling>(
    core: &mut C,
    code: &Code<C, P>,
    records: &[Record<C, P>],
    pc: u64,
    fuel: u64,
) {
    match records.first() {
        Some(record) => transfer(core, code, record.site, pc, fuel + 1),
        None => leave_empty(core, pc, fuel),
    }
}

/// The step in front of a block that a check leads to, whose number is the record's site: counts it, and
/// goes on with the block.
pub(super) fn gate<C: BlockCore, P: Profiling>(
    core: &mut C,
    code: &Code<C, P>,
    records: &[Record<C, P>],
    pc: u64,
    fuel: u64,
) {
    if code.pass_check() {
        return leave_check(core, code, records, pc, fuel);
    }
    match records {
        [_, rest @ ..] => next(core, code, rest, pc, fuel + 1),
        [] => leave_empty(core, pc, fuel),
    }
}

/// The instruction at `address` did not end as instructions do; the core's PC is set already.
#[cold]
#[inline(never)]
pub fn leave_trap<C: BlockCore, P: Profiling>(
    core: &mut C,
    records: &[Record<C, P>],
    address: u64,
    fuel: u64,
    trap: Trap,
) {
    let kernel = core.kernel();
    kernel.site = records.first().map_or(0, |record| record.site);
    kernel.address = address;
    kernel.leave = Leave::Trap(trap);
    kernel.remaining = fuel + records.len() as u64;
}

/// The instruction has ended and has written code.
#[cold]
#[inline(never)]
pub fn leave_code_written<C: BlockCore, P: Profiling>(
    core: &mut C,
    records: &[Record<C, P>],
    pc: u64,
    fuel: u64,
) {
    core.set_pc(pc);
    let kernel = core.kernel();
    kernel.site = records.first().map_or(0, |record| record.site);
    kernel.leave = Leave::CodeWritten;
    kernel.remaining = fuel + (records.len() as u64).saturating_sub(1);
}

#[cold]
#[inline(never)]
fn leave_transfer<C: BlockCore>(core: &mut C, site: u32, pc: u64, left: u64) {
    core.set_pc(pc);
    let kernel = core.kernel();
    kernel.site = site;
    kernel.leave = Leave::Transfer;
    kernel.remaining = left;
}

/// The last check before the sampler's turn was passed at a gate: the block behind it is not begun.
#[cold]
#[inline(never)]
fn leave_check<C: BlockCore, P: Profiling>(
    core: &mut C,
    code: &Code<C, P>,
    records: &[Record<C, P>],
    pc: u64,
    fuel: u64,
) {
    if let Some(gate) = records.first() {
        code.stop_block(gate.site, 0);
    }
    core.set_pc(pc);
    let kernel = core.kernel();
    kernel.leave = Leave::Check;
    kernel.remaining = fuel + records.len() as u64;
}

/// A record's operands are not those of its step: the record was not made by this decoder.
///
/// # Panics
/// Always: it is a bug of the generator.
#[cold]
#[inline(never)]
pub fn leave_mismatch(step: &str) {
    panic!("the operands of a record do not belong to the step of {step}");
}

/// No record is left to execute.
#[cold]
#[inline(never)]
pub fn leave_empty<C: BlockCore>(core: &mut C, pc: u64, fuel: u64) {
    core.set_pc(pc);
    let kernel = core.kernel();
    kernel.leave = Leave::RanOut;
    kernel.remaining = fuel;
}

impl<C: BlockCore, P: Profiling> Code<C, P> {
    /// Charges a record with the extra cycles of its step.
    #[inline]
    pub fn count_extra_cycles(&self, record: &Record<C, P>, kernel: &mut Kernel) {
        if P::ON {
            self.charge_extra_cycles(record.site, kernel.take_extra_cycles());
        }
    }

    /// Adds to the counters of a record's regions.
    #[inline(always)]
    pub fn count<const N: usize>(&self, record: &Record<C, P>, regions: &[u64; N]) {
        if !P::ON {
            return;
        }
        let Some(site) = self.sites.get(record.site as usize) else { return };
        for (index, region) in regions.iter().enumerate() {
            if *region != 0
                && let Some(counter) = self.counters.get(site.counters as usize + index)
            {
                counter.set(counter.get() + *region);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Step;

    #[test]
    fn a_region_is_counted_beyond_32_bits_within_one_instruction() {
        let mut step = Step::<2>::new(0, 1, 1);
        step.regions[1] = u32::MAX.into();
        step.count(1);
        assert_eq!(step.regions, [0, 1 << 32]);
    }
}
