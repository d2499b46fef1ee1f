//! From a measurement to the report's elements.

use std::collections::BTreeMap;

use super::each::Each;
use super::element::{
    Cache, CacheUser, Caches, Coverage, Events, Excluded, ExcludedInstruction, Execution, Executions,
    Instruction, InstructionSet, Instructions, Lines, ModelEvent, Operation, Operations, Profiler, Programs,
    Resource, ResourceUsage, Resources, RunProgram, Summary, Transfer, Transfers, UndecodedFaults, Unused,
};
use super::flow::flow_of;
use super::pipeline::pipeline_of;
use super::time::time_of;
use crate::coverage::Exclusions;
use crate::spent::{Spent, format_cpi};
use crate::summary::{cache_totals, resource_totals};
use crate::text::sanitize;
use crate::tree::{InstructionTree, TreeNode};
use crate::{
    Accesses, CacheLines, InstructionKey, InstructionRecord, Measurement, ModelTables, Profile, ProgramRuns,
    StaticTable,
};

/// The same of a profile, with what it holds of the pipeline.
pub(super) fn report_of_profile(profile: &Profile) -> Profiler<'_> {
    let measurement = &profile.measurement;
    let mut report = report_of(measurement, &profile.statics);
    report.parts = profile.provenance.parts;
    report.programs = programs_of(&profile.provenance.programs);
    report.pipeline = profile.pipeline.as_ref().map(|view| pipeline_of(view, &measurement.tables));
    report
}

/// Every figure of the report, and the texts that `statics` has.
pub(super) fn report_of<'a>(measurement: &'a Measurement, statics: &'a StaticTable) -> Profiler<'a> {
    let tables = &measurement.tables;
    let tree = InstructionTree::of(measurement);
    Profiler {
        version: super::VERSION,
        model: sanitize(&tables.model),
        parts: None,
        programs: None,
        summary: summary_of(measurement),
        resource_usage: ResourceUsage {
            operations: Operations { operation: operations_of(&tree.roots, tables) },
        },
        coverage: coverage_of(measurement, &Exclusions::new()),
        #[cfg(feature = "program")]
        operands: None,
        #[cfg(feature = "program")]
        description: None,
        executions: Executions { execution: counts_of(crate::executions::executions(measurement), tables) },
        resources: resources_of(&resource_totals(measurement), tables),
        transfers: transfers_of(measurement),
        instructions: instructions_of(measurement, statics),
        undecoded_faults: UndecodedFaults {
            undecoded_fault: counts_of(undecoded_faults_of(measurement), tables),
        },
        events: events_of(measurement),
        caches: caches_of(measurement),
        time: time_of(measurement),
        pipeline: None,
        flow: flow_of(measurement),
        #[cfg(feature = "program")]
        program: None,
    }
}

fn summary_of(measurement: &Measurement) -> Summary {
    let summary = crate::summary::Summary::of(measurement);
    Summary {
        executed: summary.executed,
        cancelled: summary.cancelled,
        faulted: summary.faulted,
        unfinished: summary.unfinished,
        undecoded: summary.undecoded,
        idle_cycles: summary.idle_cycles,
        cycles: summary.cycles,
        extra_cycles: summary.extra_cycles,
        total_cycles: summary.total_cycles,
        reads: summary.accesses.reads,
        writes: summary.accesses.writes,
        executes: summary.accesses.executes,
        cpi: format_cpi(summary.total_cycles, summary.executed),
    }
}

/// Recursion is as deep as a decode path, [`crate::path::DEEPEST`] at most.
fn operations_of(nodes: &[TreeNode], tables: &ModelTables) -> Vec<Operation> {
    let operation_of = |node: &TreeNode| Operation {
        position: node.position,
        own_reads: node.own.reads,
        own_writes: node.own.writes,
        own_executes: node.own.executes,
        lost_cycles: node.spent.overhead.lost_cycles(),
        extra_cycles: node.spent.overhead.extra_cycles,
        cycles: node.spent.cycles(),
        cpi: node.spent.cpi(),
        name: sanitize(&node.name),
        executed: node.executed,
        reads: node.total.reads,
        writes: node.total.writes,
        executes: node.total.executes,
        resources: resources_of(&node.accesses, tables),
        operation: operations_of(&node.children, tables),
    };
    nodes.iter().map(operation_of).collect()
}

fn resources_of(accesses: &BTreeMap<u32, Accesses>, tables: &ModelTables) -> Resources {
    let resource_of = |(&resource, &Accesses { reads, writes, executes }): (&u32, &Accesses)| Resource {
        name: sanitize(&tables.resource_name(resource)),
        reads,
        writes,
        executes,
    };
    Resources { resource: accesses.iter().map(resource_of).collect() }
}

pub(super) fn coverage_of(measurement: &Measurement, exclusions: &Exclusions) -> Coverage {
    let coverage = crate::coverage::Coverage::without(measurement, exclusions);
    let excluded = coverage
        .excluded
        .iter()
        .map(|(name, reason)| ExcludedInstruction { reason: sanitize(reason), name: sanitize(name) });
    Coverage {
        instructionset: InstructionSet {
            used: coverage.used,
            total: coverage.total,
            percent: coverage.percent(),
        },
        unused: Unused { instruction: coverage.unused.iter().map(|name| sanitize(name)).collect() },
        excluded: (!coverage.excluded.is_empty()).then(|| Excluded { instruction: excluded.collect() }),
    }
}

fn counts_of(counts: BTreeMap<u64, u64>, tables: &ModelTables) -> Each<'_, Execution> {
    let count_of =
        |(address, count): (u64, u64)| Execution { address: tables.format_address(address), count };
    Each::of(counts.into_iter().map(count_of))
}

fn transfers_of(measurement: &Measurement) -> Transfers<'_> {
    let tables = &measurement.tables;
    let transfer_of = move |(&(from, to), &count): (&(u64, u64), &u64)| Transfer {
        from: tables.format_address(from),
        to: tables.format_address(to),
        count,
    };
    Transfers { transfer: Each::of(measurement.transfers.iter().map(transfer_of)) }
}

fn instructions_of<'a>(measurement: &'a Measurement, statics: &'a StaticTable) -> Instructions<'a> {
    let tables = &measurement.tables;
    let instruction_of = move |(key, record): (&InstructionKey, &InstructionRecord)| {
        let mut total = Accesses::default();
        record.accesses.values().for_each(|&accesses| total.add(accesses));
        let spent = Spent::of(record);
        let text = statics.get(key).and_then(|facts| facts.text.as_deref());
        Instruction {
            address: tables.format_address(key.address),
            word: key.word.to_string(),
            name: sanitize(&record.name),
            text: text.map(sanitize),
            size_cells: record.size_cells,
            executed: record.executed,
            cancelled: record.cancelled,
            faulted: record.faulted,
            unfinished: record.unfinished,
            reads: total.reads,
            writes: total.writes,
            executes: total.executes,
            lost_cycles: spent.overhead.lost_cycles(),
            extra_cycles: spent.overhead.extra_cycles,
            cycles: spent.cycles(),
            cpi: spent.cpi(),
        }
    };
    let instructions = measurement.instructions.iter().filter(|_| !measurement.is_of_several_programs);
    Instructions { instruction: Each::of(instructions.map(instruction_of)) }
}

/// By address, which several programs do not have.
fn undecoded_faults_of(measurement: &Measurement) -> BTreeMap<u64, u64> {
    match measurement.is_of_several_programs {
        true => BTreeMap::new(),
        false => measurement.undecoded_faults.clone(),
    }
}

fn programs_of(programs: &[ProgramRuns]) -> Option<Programs> {
    let program_of = |program: &ProgramRuns| RunProgram {
        name: sanitize(&program.names()),
        runs: program.runs,
        executed: program.executed,
        cycles: program.cycles,
    };
    (!programs.is_empty()).then(|| Programs { program: programs.iter().map(program_of).collect() })
}

fn events_of(measurement: &Measurement) -> Events {
    let event_of = |(name, &count): (&String, &u64)| ModelEvent { name: sanitize(name), count };
    Events { event: measurement.events.iter().map(event_of).collect() }
}

fn caches_of(measurement: &Measurement) -> Caches {
    let totals = cache_totals(measurement);
    Caches { cache: totals.into_iter().map(|(cache, total)| cache_of(measurement, cache, total)).collect() }
}

fn cache_of(measurement: &Measurement, cache: u32, total: CacheLines) -> Cache {
    let tables = &measurement.tables;
    let other = measurement.lines.get(&(None, cache)).copied().unwrap_or_default();
    let users = measurement.lines.iter().filter(|((_, touched), _)| *touched == cache);
    let user_of = |(&(address, _), lines): (&(Option<u64>, u32), &CacheLines)| {
        let CacheLines { hits, misses, write_backs } = *lines;
        Some(CacheUser { address: tables.format_address(address?), hits, misses, write_backs })
    };
    Cache {
        name: sanitize(&tables.cache_name(cache)),
        hits: total.hits,
        misses: total.misses,
        write_backs: total.write_backs,
        other: Lines { hits: other.hits, misses: other.misses, write_backs: other.write_backs },
        user: users.filter_map(user_of).collect(),
    }
}
