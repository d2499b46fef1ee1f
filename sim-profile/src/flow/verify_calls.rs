//! Whether the calls of a run can be what it did: what they cost, and where control went.

use std::collections::{BTreeMap, BTreeSet};

use super::verify::Finding;
use crate::measurement::count;
use crate::summary::Summary;
use crate::{CallKey, CallKind, Calls, Measurement, Profile, Spending, StaticTable};

/// Everything that is wrong with where instructions led, and with the calls if they were followed;
/// `is_same_function` tells whether two addresses, of which the second is a function's beginning, may be of
/// one function.
pub fn verify_calls(profile: &Profile, is_same_function: &dyn Fn(u64, u64) -> bool) -> Vec<Finding> {
    let mut findings = verify_leads(&profile.measurement, &profile.statics);
    if let Some(calls) = &profile.calls {
        let sites = Sites::of(profile);
        verify_arcs(&sites, calls, is_same_function, &mut findings);
        verify_callers(&sites, calls, is_same_function, &mut findings);
        verify_costs(&profile.measurement, calls, &mut findings);
    }
    findings
}

/// Every transfer leads where the instruction may lead, or the branch in whose delay slot it stands.
fn verify_leads(measurement: &Measurement, statics: &StaticTable) -> Vec<Finding> {
    // Where instructions overlap, others that were abandoned may lie between the two.
    if !measurement.tables.stages.is_empty() {
        return Vec::new();
    }
    let mut known: BTreeMap<u64, Leads<'_>> = BTreeMap::new();
    for key in measurement.instructions.keys() {
        let leads = known.entry(key.address).or_default();
        match statics.get(key) {
            None => leads.is_anywhere = true,
            Some(facts) => {
                let control = facts.control.as_ref();
                control.into_iter().for_each(|control| leads.add(control.computed, &control.targets));
            }
        }
    }
    for delayed in statics.values().filter_map(|facts| facts.delayed.as_ref()) {
        if let Some(leads) = known.get_mut(&delayed.slot) {
            leads.add(delayed.computed, &delayed.targets);
        }
    }
    let misled = |(from, to): (u64, u64)| {
        let leads = known.get(&from)?;
        let is_explained =
            leads.is_anywhere || leads.targets.iter().any(|all| all.binary_search(&to).is_ok());
        (!is_explained).then_some((from, to))
    };
    let transfers = measurement.transfers.iter();
    let found =
        transfers.filter_map(|(&transfer, &times)| misled(transfer).map(|(from, to)| (from, to, times)));
    found.map(|(from, to, times)| Finding::Misled { from, to, times }).collect()
}

/// Where what stood at an address may lead.
#[derive(Default)]
struct Leads<'a> {
    is_anywhere: bool,
    targets: Vec<&'a [u64]>,
}

impl<'a> Leads<'a> {
    fn add(&mut self, is_computed: bool, targets: &'a [u64]) {
        self.is_anywhere |= is_computed;
        self.targets.push(targets);
    }
}

/// What instructions did, by address.
struct Sites<'a> {
    measurement: &'a Measurement,
    sites: BTreeMap<u64, Site<'a>>,
    /// Functions that interrupts have called.
    handlers: BTreeSet<u64>,
    /// A part of a run may end between a transfer and its call.
    slack: u64,
    overlaps: bool,
}

#[derive(Default)]
struct Site<'a> {
    executed: u64,
    /// Abandoned, whatever the cause.
    abandoned: u64,
    /// Led elsewhere.
    transfers: u64,
    /// What is behind it; several if instructions of several sizes stood there.
    successors: Vec<u64>,
    /// Some of what stood there does not keep the address behind itself.
    has_others: bool,
    /// Where each of what stood there leads by itself.
    targets: Vec<&'a [u64]>,
}

impl<'a> Sites<'a> {
    fn of(profile: &'a Profile) -> Sites<'a> {
        let measurement = &profile.measurement;
        let mut sites: BTreeMap<u64, Site<'a>> = BTreeMap::new();
        for (key, record) in &measurement.instructions {
            let site = sites.entry(key.address).or_default();
            count(&mut site.executed, record.executed);
            for abandoned in [record.cancelled, record.faulted, record.unfinished] {
                count(&mut site.abandoned, abandoned);
            }
            let successor = measurement.tables.successor(key.address, record.size_cells);
            site.successors.push(successor);
            let control = profile.statics.get(key).and_then(|facts| facts.control.as_ref());
            site.has_others |= control.and_then(|control| control.keeps) != Some(successor);
            site.targets.push(control.map_or(&[], |control| &control.targets));
        }
        for (&(from, _), &times) in &measurement.transfers {
            if let Some(site) = sites.get_mut(&from) {
                count(&mut site.transfers, times);
            }
        }
        let arcs = profile.calls.iter().flat_map(|calls| calls.arcs.keys());
        let handlers = arcs.filter(|key| key.kind == CallKind::Interrupt).map(|key| key.callee).collect();
        let overlaps = !measurement.tables.stages.is_empty();
        Sites { measurement, sites, handlers, slack: profile.provenance.parts.unwrap_or(0), overlaps }
    }

    /// How often an instruction led to a handler of interrupts.
    fn struck(&self, site: u64, is_same_function: &dyn Fn(u64, u64) -> bool) -> u64 {
        let transfers = self.measurement.transfers.range((site, 0)..=(site, u64::MAX));
        let struck = transfers
            .filter(|((_, to), _)| self.handlers.iter().any(|handler| is_same_function(*to, *handler)));
        struck.fold(0, |sum, (_, times)| sum.saturating_add(*times))
    }

    /// How often control can have come to a function from an instruction at most.
    fn most(&self, key: &CallKey, site: &Site<'_>, is_same_function: &dyn Fn(u64, u64) -> bool) -> u64 {
        let is_interrupt = key.kind == CallKind::Interrupt;
        let led = match self.overlaps {
            // The order in which instructions ran is known, what was abandoned between them is not.
            true => site.executed,
            false => {
                // Where the instruction leads by itself, no interrupt takes it.
                let leads = |to: &u64| site.targets.iter().all(|targets| targets.binary_search(to).is_ok());
                let transfers = self.measurement.transfers.range((key.site, 0)..=(key.site, u64::MAX));
                let there = transfers
                    .filter(|((_, to), _)| is_same_function(*to, key.callee) && !(is_interrupt && leads(to)));
                let there = there.fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
                let goes_on = site.successors.iter().any(|behind| is_same_function(*behind, key.callee));
                let behind = if goes_on { site.executed.saturating_sub(site.transfers) } else { 0 };
                there.saturating_add(behind)
            }
        };
        match is_interrupt {
            // It may strike before the instruction there, which runs once the handler comes back.
            true => led.max(site.executed).saturating_add(site.abandoned).saturating_add(1),
            // Where one strikes behind it, it has led elsewhere before the handler was come to.
            false => led.saturating_add(self.struck(key.site, is_same_function)),
        }
        .saturating_add(self.slack)
    }
}

/// No instruction calls a function more often than it led there.
fn verify_arcs(
    sites: &Sites<'_>,
    calls: &Calls,
    is_same_function: &dyn Fn(u64, u64) -> bool,
    findings: &mut Vec<Finding>,
) {
    for (key, arc) in &calls.arcs {
        let CallKey { site: address, callee, kind, .. } = *key;
        let Some(site) = sites.sites.get(&address) else {
            // What an interrupt kept from running may never have run.
            if arc.calls > 0 && kind != CallKind::Interrupt {
                findings.push(Finding::CallFromNowhere { site: address, callee });
            }
            continue;
        };
        let most = sites.most(key, site, is_same_function);
        if arc.calls > most && arc.calls < u64::MAX {
            findings.push(Finding::MoreCalls { site: address, callee, kind, calls: arc.calls, most });
        }
    }
}

/// Whoever keeps the address behind itself calls wherever it leads.
fn verify_callers(
    sites: &Sites<'_>,
    calls: &Calls,
    is_same_function: &dyn Fn(u64, u64) -> bool,
    findings: &mut Vec<Finding>,
) {
    // What is in flight when a run ends is not followed to where it leads.
    if sites.overlaps {
        return;
    }
    let mut called: BTreeMap<u64, u64> = BTreeMap::new();
    for (key, arc) in calls.arcs.iter().filter(|(key, _)| key.kind == CallKind::Call) {
        count(called.entry(key.site).or_default(), arc.calls);
    }
    for (&address, site) in &sites.sites {
        let calls = called.get(&address).copied().unwrap_or(0);
        // What does not call and is struck has led to a handler, where it does not lead by itself.
        let leads = |to: u64| site.targets.iter().any(|targets| targets.binary_search(&to).is_ok());
        let is_handler = |to: u64, handler: u64| !leads(to) && is_same_function(to, handler);
        let transfers = site.transfers.saturating_sub(sites.struck(address, &is_handler));
        if !site.has_others && transfers > calls.saturating_add(sites.slack) && transfers < u64::MAX {
            findings.push(Finding::FewerCalls { site: address, calls, transfers });
        }
    }
}

/// What functions cost is what their stacks of calls have cost, and all stacks together the run.
fn verify_costs(measurement: &Measurement, calls: &Calls, findings: &mut Vec<Finding>) {
    let (mut own, mut inclusive): (Costs, Costs) = (BTreeMap::new(), BTreeMap::new());
    let mut total = Spending::default();
    for (context, spent) in calls.contexts.iter().zip(calls.inclusive_by_context()) {
        total.add(context.own);
        own.entry(context.function).or_default().add(context.own);
        // No function stands twice on one stack.
        inclusive.entry(context.function).or_default().add(spent);
    }
    let run = Summary::of(measurement);
    // A cycle in which nothing is decoded may have ended as an instruction does.
    let ended = run.executed..=run.executed.saturating_add(run.undecoded);
    let executed = if ended.contains(&total.instructions) { total.instructions } else { run.executed };
    for (one, first, other, second) in [
        ("total cycles", run.total_cycles, "cycles of all stacks of calls", total.cycles),
        ("executed instructions", executed, "those of all stacks of calls", total.instructions),
    ] {
        // A sum that got to its end says nothing any more.
        if first != second && first != u64::MAX && second != u64::MAX {
            findings.push(Finding::Sum { one, first, other, second });
        }
    }
    let circles = calls.cycles().into_iter().filter(|group| group.len() > 1);
    let in_circles: BTreeSet<u64> = circles.flatten().collect();
    let addresses: BTreeSet<u64> = calls.functions.keys().chain(own.keys()).copied().collect();
    for address in addresses {
        let told = calls.functions.get(&address).copied().unwrap_or_default();
        let mut compare = |cost, told: Spending, sums: &Costs, may_be_more: bool| {
            let sum = sums.get(&address).copied().unwrap_or_default();
            let is_less = told.instructions < sum.instructions || told.cycles < sum.cycles;
            if is_less || (told != sum && !may_be_more) {
                findings.push(Finding::Function { address, cost, told, sum, may_be_more });
            }
        };
        compare("by itself", told.own, &own, false);
        // Of what was forgotten the callers are not known any more.
        if calls.forgotten == 0 {
            compare("with its calls", told.inclusive, &inclusive, in_circles.contains(&address));
        }
    }
    if calls.forgotten == 0 {
        verify_costs_of_calls(calls, in_circles, findings);
    }
}

/// Calls cost what the functions do that are called, and a function that calls itself by no way costs by
/// itself, and in its calls, what it costs with them.
fn verify_costs_of_calls(calls: &Calls, mut in_circles: BTreeSet<u64>, findings: &mut Vec<Finding>) {
    let mut sums: Costs = calls.functions.iter().map(|(address, told)| (*address, told.own)).collect();
    let with_calls =
        |address: u64| calls.functions.get(&address).map(|told| told.inclusive).unwrap_or_default();
    for (&CallKey { caller, site, callee, .. }, arc) in &calls.arcs {
        sums.entry(caller).or_default().add(arc.inclusive);
        if caller == callee {
            in_circles.insert(caller);
        }
        let (told, most) = (arc.inclusive, with_calls(callee));
        if told.instructions > most.instructions || told.cycles > most.cycles {
            findings.push(Finding::Call { site, callee, told, most });
        }
    }
    for (address, sum) in sums.into_iter().filter(|(address, _)| !in_circles.contains(address)) {
        let told = with_calls(address);
        if told != sum {
            findings.push(Finding::FunctionOfCalls { address, told, sum });
        }
    }
}

/// By function.
type Costs = BTreeMap<u64, Spending>;

#[cfg(test)]
mod tests {
    use super::{Finding, verify_costs};
    use crate::{CallContext, Calls, FunctionCount, InstructionKey, InstructionRecord, Measurement};
    use crate::{ModelTables, Spending, Word};

    /// A run of five instructions, and of cycles without one, of which the stacks of calls have so many.
    fn findings(instructions: u64, undecoded: u64) -> Vec<Finding> {
        let mut measurement = Measurement::new(ModelTables { address_bits: 8, ..ModelTables::default() });
        let key = InstructionKey { address: 0, word: Word::new(&[1]).expect("a word") };
        let record = InstructionRecord { size_cells: 1, executed: 5, ..InstructionRecord::default() };
        measurement.instructions.insert(key, record);
        measurement.undecoded = undecoded;
        measurement.cycles = 5 + undecoded;
        let own = Spending { instructions, cycles: 5 + undecoded };
        let calls = Calls {
            functions: [(0, FunctionCount { own, inclusive: own })].into(),
            contexts: vec![CallContext { parent: None, function: 0, own }],
            ..Calls::default()
        };
        let mut findings = Vec::new();
        verify_costs(&measurement, &calls, &mut findings);
        findings
    }

    #[test]
    fn stacks_of_calls_have_the_instructions_of_the_run() {
        assert_eq!(findings(5, 0), []);
        // A cycle without one may end as they do.
        assert_eq!((findings(5, 1), findings(6, 1)), (vec![], vec![]));
        let (one, other) = ("executed instructions", "those of all stacks of calls");
        assert_eq!(findings(4, 0), [Finding::Sum { one, first: 5, other, second: 4 }]);
    }
}
