//! Flow between instructions: what ran, and where else it could have gone.

use std::collections::{BTreeMap, BTreeSet};

use crate::control::is_telling;
use crate::measurement::count;
use crate::{CodeSizes, ControlTable, InstructionKey, Measurement, Transfer, Transfers};

/// An instruction, or an address that control came to or could have come to without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) address: u64,
    /// Whether something was decoded there.
    pub(super) is_instruction: bool,
    /// Behind the instruction.
    pub(super) end: u64,
    /// How often it ran to its end, over all words.
    pub(super) executed: u64,
    /// How often it was at fault, decoded or not.
    pub(super) faulted: u64,
    pub(super) cancelled: u64,
    pub(super) unfinished: u64,
    /// How often control came there by a step.
    pub(super) arrived: u64,
    /// How often the run was over behind it.
    pub(super) ended: u64,
    /// Whether the instruction was seen to write memory.
    pub(super) writes_memory: bool,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StepKind {
    Fall,
    Transfer(Transfer),
}

/// A step from one site to another, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: StepKind,
    /// 0 if it is known from the instruction alone.
    pub(super) count: u64,
}

/// All sites by ascending address, and all steps by their beginnings.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) sites: Vec<Site>,
    pub(super) steps: Vec<Step>,
}

impl Steps {
    pub(super) fn of(measurement: &Measurement, control: &ControlTable, code: &CodeSizes) -> Steps {
        let transfers = Transfers::with_code(measurement, control, code);
        let mut found = collect_sites(measurement);
        for (&address, &size_cells) in code {
            let end = measurement.tables.successor(address, size_cells);
            let site = found.entry(address).or_default();
            if !site.is_instruction {
                (site.address, site.end, site.is_instruction) = (address, end, true);
            }
        }
        let control = leaving_control(measurement, control);
        let ways = collect_ways(&transfers, &control, &mut found);
        for to in ways.keys().map(|way| way.1).collect::<BTreeSet<_>>() {
            found.entry(to).or_insert_with(|| Site { address: to, end: to, ..Site::default() });
        }
        number(found, &ways)
    }
}

/// Where control went, and could have gone, from one address to another.
type Ways = BTreeMap<(u64, u64), (StepKind, u64)>;

/// The steps that were made or could have been; where the run was over is noted at its site.
fn collect_ways(transfers: &Transfers<'_>, control: &ControlTable, found: &mut BTreeMap<u64, Site>) -> Ways {
    let mut ways = Ways::new();
    let mut left: BTreeMap<u64, u64> = BTreeMap::new();
    for ((from, to), kind, times) in transfers.iter() {
        count(left.entry(from).or_default(), times);
        ways.insert((from, to), (StepKind::Transfer(kind), times));
    }
    let known: BTreeSet<u64> = found.keys().copied().chain(ways.keys().map(|way| way.1)).collect();
    for (&address, site) in found.iter_mut() {
        let fallen = site.executed.saturating_sub(left.get(&address).copied().unwrap_or(0));
        let control = control.get(&address);
        let may_fall = control.map_or(site.executed == 0, |control| control.falls_through);
        if fallen > 0 && !known.contains(&site.end) {
            site.ended = fallen;
        } else if site.is_instruction && (fallen > 0 || may_fall) {
            let way = ways.entry((address, site.end)).or_insert((StepKind::Fall, 0));
            count(&mut way.1, fallen);
        }
        for &target in control.iter().flat_map(|control| &control.targets) {
            let kind = || StepKind::Transfer(transfers.kind(address, target));
            ways.entry((address, target)).or_insert_with(|| (kind(), 0));
        }
    }
    ways
}

/// The control of the instructions that control really leaves from.
///
/// Where a branch has a delay slot, that is the instruction behind it. Nobody says so; but in a run the
/// transfers to the targets of branches come from there.
pub(super) fn leaving_control(measurement: &Measurement, control: &ControlTable) -> ControlTable {
    let sizes: BTreeMap<u64, u32> =
        measurement.instructions.iter().map(|(key, record)| (key.address, record.size_cells)).collect();
    let behind = |address: u64| Some(measurement.tables.successor(address, *sizes.get(&address)?));
    let made = |from: u64, target: &u64| measurement.transfers.contains_key(&(from, *target));
    let (mut own, mut delayed) = (0_u64, 0_u64);
    for (&address, control) in control {
        own += u64::from(control.targets.iter().any(|target| made(address, target)));
        let slot = behind(address);
        delayed +=
            u64::from(slot.is_some_and(|slot| control.targets.iter().any(|target| made(slot, target))));
    }
    let place = |address: u64| if delayed <= own { Some(address) } else { behind(address) };
    let telling = control.iter().filter(|(_, control)| is_telling(control));
    telling.filter_map(|(&address, control)| Some((place(address)?, control.clone()))).collect()
}

fn number(found: BTreeMap<u64, Site>, ways: &Ways) -> Steps {
    let mut sites: Vec<Site> = found.into_values().collect();
    let addresses: Vec<u64> = sites.iter().map(|site| site.address).collect();
    let mut steps = Vec::with_capacity(ways.len());
    for (&(from, to), &(kind, times)) in ways {
        // A transfer may come from where nothing was decoded, in a file that is not sound.
        let ends = (addresses.binary_search(&from), addresses.binary_search(&to));
        let (Ok(from), Ok(to)) = ends else { continue };
        count(&mut sites[to].arrived, times);
        steps.push(Step { from, to, kind, count: times });
    }
    Steps { sites, steps }
}

fn collect_sites(measurement: &Measurement) -> BTreeMap<u64, Site> {
    let tables = &measurement.tables;
    let mut sites: BTreeMap<u64, Site> = BTreeMap::new();
    if measurement.is_of_several_programs {
        // What stands behind an instruction is another one in each of them.
        return sites;
    }
    for (&InstructionKey { address, .. }, record) in &measurement.instructions {
        let site = sites.entry(address).or_insert_with(|| Site { address, ..Site::default() });
        // Of several words at one address, the one that ran last in the order of words.
        if !site.is_instruction || record.executed > 0 {
            site.end = tables.successor(address, record.size_cells);
        }
        site.is_instruction = true;
        count(&mut site.executed, record.executed);
        count(&mut site.faulted, record.faulted);
        count(&mut site.cancelled, record.cancelled);
        count(&mut site.unfinished, record.unfinished);
        let mut written = record.accesses.iter().filter(|(_, accesses)| accesses.writes > 0);
        site.writes_memory |= written.any(|(&(_, resource), _)| tables.reaches_memory(resource));
    }
    for (&address, &faults) in &measurement.undecoded_faults {
        let site = sites.entry(address).or_insert_with(|| Site { address, end: address, ..Site::default() });
        count(&mut site.faulted, faults);
    }
    sites
}
