//! The call graph as tables: a flat profile, and each function among its callers and callees, in the
//! shape of gprof's.
//!
//! All costs are exact; none is a share. A call's cost is that of the time in which it was on the
//! stack, so that of a function that is in no cycle the callers' lines add up to its own, and its self
//! cost and the callees' lines do, too.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::annotated_source::write_notes;
use super::function_names::FunctionNames;
use crate::Spending;
use crate::calls::{CallKind, Calls};
use crate::coverage::format_percent;
use crate::measurement::count;
use crate::program::ProgramProfile;
use crate::program::line::Steps;
use crate::{Transfer, spending_of};

/// The arcs between two functions, all sites together.
#[derive(Clone, Copy, Default)]
pub(super) struct Arc {
    pub calls: u64,
    pub inclusive: Spending,
}

/// Arcs by caller and callee.
pub(super) fn arcs_of(calls: &Calls) -> BTreeMap<(u64, u64), Arc> {
    let mut arcs: BTreeMap<(u64, u64), Arc> = BTreeMap::new();
    for (key, arc) in &calls.arcs {
        let sum = arcs.entry((key.caller, key.callee)).or_default();
        sum.calls = sum.calls.saturating_add(arc.calls);
        sum.inclusive.add(arc.inclusive);
    }
    arcs
}

/// Both tables, in cycles.
pub fn render_gprof(profile: &ProgramProfile<'_>) -> String {
    let mut out = String::new();
    match profile.calls {
        None => write_without_calls(&mut out, profile),
        Some(calls) => {
            let graph = Graph::of(profile, calls);
            graph.write_flat(&mut out);
            graph.write_graph(&mut out);
            if calls.forgotten > 0 {
                let _ = writeln!(
                    out,
                    "note: {} calls were forgotten before they returned: the stack of calls was full",
                    calls.forgotten
                );
            }
        }
    }
    write_notes(&mut out, profile.program.notes());
    out
}

/// Costs of functions alone, and how often control came to their beginnings.
fn write_without_calls(out: &mut String, profile: &ProgramProfile<'_>) {
    let names = FunctionNames::of(profile.program);
    let entered = Steps::of(profile).function_entries(profile.program);
    let mut costs: Vec<_> = profile.cost_by_function().into_iter().collect();
    costs.sort_by_key(|(number, cost)| (std::cmp::Reverse(cost.cycles), *number));
    let total = spending_of(profile.measurement).cycles;
    out.push_str(
        "Flat profile, in cycles\n\n  %time     cumulative           self    entered    self/entry  name\n",
    );
    let mut sum = 0u64;
    for (number, cost) in costs {
        sum = sum.saturating_add(cost.cycles);
        let share = format_percent(cost.cycles, total);
        let times = entered.get(&number).copied().unwrap_or(0);
        let (times, each) = match times {
            0 => (String::new(), String::new()),
            times => (times.to_string(), crate::spent::format_cpi(cost.cycles, times)),
        };
        let (own, name) = (cost.cycles, names.number(number));
        let _ = writeln!(out, "{share:>7} {sum:>14} {own:>14} {times:>10} {each:>13}  {name}");
    }
    out.push_str("\nnote: calls were not followed; run with --calls for the call graph\n");
}

struct Graph<'a> {
    calls: &'a Calls,
    names: FunctionNames<'a>,
    arcs: BTreeMap<(u64, u64), Arc>,
    /// Callers of each function, itself left out.
    callers: BTreeMap<u64, Vec<u64>>,
    /// How often each function was called, by others and by itself.
    called: BTreeMap<u64, (u64, u64)>,
    /// Number of the cycle that a function is in, from 1.
    cycles: BTreeMap<u64, u32>,
    /// Number in the table, from 1, by inclusive cost.
    index: BTreeMap<u64, usize>,
    total: u64,
}

impl<'a> Graph<'a> {
    fn of(profile: &ProgramProfile<'a>, calls: &'a Calls) -> Graph<'a> {
        let arcs = arcs_of(calls);
        let mut called: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        let mut callers: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (&(caller, callee), arc) in &arcs {
            if caller != callee {
                callers.entry(callee).or_default().push(caller);
            }
            let (by_others, by_itself) = called.entry(callee).or_default();
            let sum = if caller == callee { by_itself } else { by_others };
            *sum = sum.saturating_add(arc.calls);
        }
        let groups = calls.cycles().into_iter().filter(|group| group.len() > 1);
        let numbered = (1u32..).zip(groups);
        let cycles = numbered.flat_map(|(n, group)| group.into_iter().map(move |f| (f, n))).collect();
        let mut order: Vec<u64> = calls.functions.keys().copied().collect();
        order.sort_by_key(|f| (std::cmp::Reverse(calls.functions[f].inclusive.cycles), *f));
        let index = order.into_iter().zip(1..).collect();
        let total = spending_of(profile.measurement).cycles;
        Graph {
            calls,
            names: FunctionNames::of(profile.program),
            arcs,
            callers,
            called,
            cycles,
            index,
            total,
        }
    }

    /// Name, number of the cycle and number in the table.
    fn label(&self, function: u64) -> String {
        let name = self.names.at(function);
        let cycle = self.cycles.get(&function).map_or_else(String::new, |n| format!(" <cycle {n}>"));
        let index = self.index.get(&function).copied().unwrap_or(0);
        format!("{name}{cycle} [{index}]")
    }

    fn write_flat(&self, out: &mut String) {
        out.push_str("Flat profile, in cycles\n\n");
        let _ = writeln!(
            out,
            "{:>7} {:>14} {:>14} {:>10} {:>12} {:>12}  name",
            "%time", "cumulative", "self", "calls", "self/call", "total/call"
        );
        let mut functions: Vec<_> = self.calls.functions.iter().collect();
        functions.sort_by_key(|(start, it)| (std::cmp::Reverse(it.own.cycles), **start));
        let mut sum = 0u64;
        for (start, it) in functions {
            sum = sum.saturating_add(it.own.cycles);
            let (share, own) = (format_percent(it.own.cycles, self.total), it.own.cycles);
            let (by_others, by_itself) = self.called.get(start).copied().unwrap_or_default();
            let calls = by_others.saturating_add(by_itself);
            let each = |cycles: u64, calls: u64| match calls {
                0 => String::new(),
                calls => crate::spent::format_cpi(cycles, calls),
            };
            let (own_each, all_each) = (each(own, calls), each(it.inclusive.cycles, by_others));
            let calls = if calls > 0 { calls.to_string() } else { String::new() };
            let name = self.names.at(*start);
            let _ = writeln!(
                out,
                "{share:>7} {sum:>14} {own:>14} {calls:>10} {own_each:>12} {all_each:>12}  {name}"
            );
        }
        out.push('\n');
    }

    fn write_graph(&self, out: &mut String) {
        out.push_str("Call graph, in cycles: callers above a function, callees below it\n\n");
        let _ = writeln!(
            out,
            "{:>6} {:>7} {:>14} {:>14} {:>17}  name",
            "index", "%time", "self", "inclusive", "called"
        );
        let order: BTreeMap<usize, u64> = self.index.iter().map(|(f, index)| (*index, *f)).collect();
        for (index, function) in order {
            self.write_entry(out, index, function);
        }
    }

    fn write_entry(&self, out: &mut String, index: usize, function: u64) {
        let it = &self.calls.functions[&function];
        let (by_others, by_itself) = self.called.get(&function).copied().unwrap_or_default();
        let callers = self.callers.get(&function).map_or(&[][..], Vec::as_slice);
        for caller in callers {
            self.write_arc(out, &self.arcs[&(*caller, function)], by_others, *caller);
        }
        if callers.is_empty() {
            let _ = writeln!(out, "{:>64}    <spontaneous>", "");
        }
        let called = match by_itself {
            0 => by_others.to_string(),
            again => format!("{by_others}+{again}"),
        };
        let (share, own) = (format_percent(it.inclusive.cycles, self.total), it.own.cycles);
        let index = format!("[{index}]");
        let inclusive = it.inclusive.cycles;
        let _ = writeln!(
            out,
            "{index:>6} {share:>7} {own:>14} {inclusive:>14} {called:>17}  {}",
            self.label(function)
        );
        let callees = self.arcs.range((function, 0)..=(function, u64::MAX));
        for ((_, callee), arc) in callees.filter(|((_, callee), _)| *callee != function) {
            let of = self.called.get(callee).map_or(0, |(by_others, _)| *by_others);
            self.write_arc(out, arc, of, *callee);
        }
        out.push_str(&"-".repeat(80));
        out.push('\n');
    }

    fn write_arc(&self, out: &mut String, arc: &Arc, of: u64, other: u64) {
        let called = format!("{}/{of}", arc.calls);
        let _ = writeln!(
            out,
            "{:>6} {:>7} {:>14} {:>14} {called:>17}      {}",
            "",
            "",
            "",
            arc.inclusive.cycles,
            self.label(other)
        );
    }
}

/// The call graph as a drawing for `dot`: cycles and their shares at functions, calls and inclusive
/// cycles at arcs; tail calls are dashed, interrupts dotted.
///
/// If calls were not followed, it is drawn from the transfers: calls and self cycles alone.
pub fn render_dot(profile: &ProgramProfile<'_>) -> String {
    let mut out = String::from("digraph calls {\n    node [shape=box];\n");
    let names = FunctionNames::of(profile.program);
    let total = spending_of(profile.measurement).cycles;
    if profile.calls.is_none() {
        write_transfers(&mut out, profile, &names, total);
    }
    for (start, it) in profile.calls.iter().flat_map(|calls| &calls.functions) {
        let (own, inclusive) = (it.own.cycles, it.inclusive.cycles);
        let name = escape(&names.at(*start));
        let (own_share, share) = (format_percent(own, total), format_percent(inclusive, total));
        let _ = writeln!(
            out,
            "    f{start:x} [label=\"{name}\\nself {own} ({own_share} %)\\ninclusive {inclusive} ({share} %)\"];"
        );
    }
    let mut arcs: BTreeMap<(u64, u64, CallKind), Arc> = BTreeMap::new();
    for (key, arc) in profile.calls.iter().flat_map(|calls| &calls.arcs) {
        let sum = arcs.entry((key.caller, key.callee, key.kind)).or_default();
        sum.calls = sum.calls.saturating_add(arc.calls);
        sum.inclusive.add(arc.inclusive);
    }
    for ((caller, callee, kind), arc) in arcs {
        let style = match kind {
            CallKind::Call => "solid",
            CallKind::Tail => "dashed",
            CallKind::Interrupt => "dotted",
        };
        let (calls, cycles) = (arc.calls, arc.inclusive.cycles);
        let _ = writeln!(
            out,
            "    f{caller:x} -> f{callee:x} [label=\"{calls} x\\n{cycles} cycles\", style={style}];"
        );
    }
    out.push_str("}\n");
    out
}

/// Functions with what they cost by themselves, and the calls between them, as the transfers have them.
fn write_transfers(out: &mut String, profile: &ProgramProfile<'_>, names: &FunctionNames<'_>, total: u64) {
    for (number, cost) in profile.cost_by_function() {
        let (name, own) = (escape(&names.number(number)), cost.cycles);
        let share = format_percent(own, total);
        let _ = writeln!(out, "    n{number} [label=\"{name}\\nself {own} ({share} %)\"];");
    }
    let transfers = profile.transfers();
    let mut calls: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for ((from, to), _, times) in transfers.iter().filter(|(_, kind, _)| *kind == Transfer::Call) {
        let between = [from, to].map(|address| profile.program.function_at(address));
        count(calls.entry(between.into()).or_default(), times);
    }
    for ((caller, callee), times) in calls {
        let _ = writeln!(out, "    n{caller} -> n{callee} [label=\"{times} x\"];");
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
