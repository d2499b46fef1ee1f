//! The elements of the report, as they are written; `docs/report.xsd` says what they mean.
//!
//! Field names are element names; `@` marks attributes.

use serde::Serialize;

use super::each::Each;

#[derive(Serialize)]
pub(super) struct Profiler<'a> {
    #[serde(rename = "@version")]
    pub(super) version: u32,
    #[serde(rename = "@model")]
    pub(super) model: String,
    #[serde(rename = "@parts", skip_serializing_if = "Option::is_none")]
    pub(super) parts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) programs: Option<Programs>,
    pub(super) summary: Summary,
    pub(super) resource_usage: ResourceUsage,
    pub(super) coverage: Coverage,
    #[cfg(feature = "program")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) operands: Option<super::operand::Operands>,
    #[cfg(feature = "program")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<super::description::Description>,
    pub(super) executions: Executions<'a>,
    pub(super) resources: Resources,
    pub(super) transfers: Transfers<'a>,
    pub(super) instructions: Instructions<'a>,
    pub(super) undecoded_faults: UndecodedFaults<'a>,
    pub(super) events: Events,
    pub(super) caches: Caches,
    pub(super) time: Time<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pipeline: Option<super::pipeline::Pipeline>,
    pub(super) flow: FlowElement<'a>,
    #[cfg(feature = "program")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) program: Option<super::program::Program<'a>>,
}

#[derive(Serialize)]
pub(super) struct Programs {
    pub(super) program: Vec<RunProgram>,
}

#[derive(Serialize)]
pub(super) struct RunProgram {
    #[serde(rename = "@name")]
    pub(super) name: String,
    #[serde(rename = "@runs")]
    pub(super) runs: u64,
    #[serde(rename = "@executed")]
    pub(super) executed: u64,
    #[serde(rename = "@cycles")]
    pub(super) cycles: u64,
}

#[derive(Serialize)]
pub(super) struct Summary {
    pub(super) executed: u64,
    pub(super) cancelled: u64,
    pub(super) faulted: u64,
    pub(super) unfinished: u64,
    pub(super) undecoded: u64,
    pub(super) idle_cycles: u64,
    pub(super) cycles: u64,
    pub(super) extra_cycles: u64,
    pub(super) total_cycles: u64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) executes: u64,
    pub(super) cpi: String,
}

#[derive(Serialize)]
pub(super) struct ResourceUsage {
    pub(super) operations: Operations,
}

#[derive(Serialize)]
pub(super) struct Operations {
    pub(super) operation: Vec<Operation>,
}

#[derive(Serialize)]
pub(super) struct Operation {
    #[serde(rename = "@position")]
    pub(super) position: u32,
    #[serde(rename = "@own_reads")]
    pub(super) own_reads: u64,
    #[serde(rename = "@own_writes")]
    pub(super) own_writes: u64,
    #[serde(rename = "@own_executes")]
    pub(super) own_executes: u64,
    #[serde(rename = "@lost_cycles")]
    pub(super) lost_cycles: u64,
    #[serde(rename = "@extra_cycles")]
    pub(super) extra_cycles: u64,
    #[serde(rename = "@cycles")]
    pub(super) cycles: u64,
    #[serde(rename = "@cpi")]
    pub(super) cpi: String,
    pub(super) name: String,
    pub(super) executed: u64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) executes: u64,
    pub(super) resources: Resources,
    pub(super) operation: Vec<Operation>,
}

#[derive(Serialize)]
pub(super) struct Resources {
    pub(super) resource: Vec<Resource>,
}

#[derive(Serialize)]
pub(super) struct Resource {
    pub(super) name: String,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) executes: u64,
}

#[derive(Serialize)]
pub(super) struct Coverage {
    pub(super) instructionset: InstructionSet,
    pub(super) unused: Unused,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) excluded: Option<Excluded>,
}

#[derive(Serialize)]
pub(super) struct Excluded {
    pub(super) instruction: Vec<ExcludedInstruction>,
}

#[derive(Serialize)]
pub(super) struct ExcludedInstruction {
    #[serde(rename = "@reason")]
    pub(super) reason: String,
    pub(super) name: String,
}

#[derive(Serialize)]
pub(super) struct InstructionSet {
    pub(super) used: u64,
    pub(super) total: u64,
    pub(super) percent: String,
}

#[derive(Serialize)]
pub(super) struct Unused {
    pub(super) instruction: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Executions<'a> {
    pub(super) execution: Each<'a, Execution>,
}

#[derive(Serialize)]
pub(super) struct Execution {
    pub(super) address: String,
    pub(super) count: u64,
}

#[derive(Serialize)]
pub(super) struct Transfers<'a> {
    pub(super) transfer: Each<'a, Transfer>,
}

#[derive(Serialize)]
pub(super) struct Transfer {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) count: u64,
}

#[derive(Serialize)]
pub(super) struct Instructions<'a> {
    pub(super) instruction: Each<'a, Instruction>,
}

#[derive(Serialize)]
pub(super) struct Instruction {
    pub(super) address: String,
    pub(super) word: String,
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    pub(super) size_cells: u32,
    pub(super) executed: u64,
    pub(super) cancelled: u64,
    pub(super) faulted: u64,
    pub(super) unfinished: u64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) executes: u64,
    pub(super) lost_cycles: u64,
    pub(super) extra_cycles: u64,
    pub(super) cycles: u64,
    pub(super) cpi: String,
}

#[derive(Serialize)]
pub(super) struct UndecodedFaults<'a> {
    pub(super) undecoded_fault: Each<'a, Execution>,
}

#[derive(Serialize)]
pub(super) struct Events {
    pub(super) event: Vec<ModelEvent>,
}

#[derive(Serialize)]
pub(super) struct ModelEvent {
    pub(super) name: String,
    pub(super) count: u64,
}

#[derive(Serialize)]
pub(super) struct Caches {
    pub(super) cache: Vec<Cache>,
}

#[derive(Serialize)]
pub(super) struct Cache {
    pub(super) name: String,
    pub(super) hits: u64,
    pub(super) misses: u64,
    pub(super) write_backs: u64,
    pub(super) other: Lines,
    pub(super) user: Vec<CacheUser>,
}

#[derive(Serialize)]
pub(super) struct Lines {
    pub(super) hits: u64,
    pub(super) misses: u64,
    pub(super) write_backs: u64,
}

#[derive(Serialize)]
pub(super) struct CacheUser {
    pub(super) address: String,
    pub(super) hits: u64,
    pub(super) misses: u64,
    pub(super) write_backs: u64,
}

#[derive(Serialize)]
pub(super) struct Time<'a> {
    pub(super) lost: Lost,
    pub(super) stages: Stages,
    pub(super) addresses: Addresses<'a>,
    pub(super) other: Spent,
    pub(super) kinds: Kinds,
}

#[derive(Serialize)]
pub(super) struct Lost {
    pub(super) cause: Vec<Cause>,
}

#[derive(Serialize)]
pub(super) struct Cause {
    pub(super) reason: &'static str,
    pub(super) cache: String,
    pub(super) operation: String,
    pub(super) stage: String,
    pub(super) cycles: u64,
}

#[derive(Serialize)]
pub(super) struct Stages {
    pub(super) stage: Vec<Stage>,
}

#[derive(Serialize)]
pub(super) struct Stage {
    pub(super) name: String,
    pub(super) occupied: u64,
    pub(super) standing: u64,
    pub(super) percent: String,
}

#[derive(Serialize)]
pub(super) struct Addresses<'a> {
    pub(super) place: Each<'a, Place>,
}

#[derive(Serialize)]
pub(super) struct Place {
    pub(super) address: String,
    pub(super) spent: Spent,
}

#[derive(Serialize)]
pub(super) struct Kinds {
    pub(super) kind: Vec<Kind>,
}

#[derive(Serialize)]
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) spent: Spent,
}

#[derive(Serialize)]
pub(super) struct Spent {
    pub(super) executed: u64,
    pub(super) begun: u64,
    pub(super) lost_cycles: u64,
    pub(super) extra_cycles: u64,
    pub(super) cycles: u64,
    pub(super) cpi: String,
    pub(super) lost: Lost,
}

#[derive(Serialize)]
pub(super) struct FlowElement<'a> {
    pub(super) blocks: FlowBlocks<'a>,
    pub(super) edges: FlowEdges<'a>,
}

#[derive(Serialize)]
pub(super) struct FlowBlocks<'a> {
    pub(super) block: Each<'a, FlowBlock>,
}

#[derive(Serialize)]
pub(super) struct FlowBlock {
    pub(super) first: String,
    pub(super) last: String,
    pub(super) instructions: u32,
    pub(super) entered: u64,
    pub(super) executed: u64,
}

#[derive(Serialize)]
pub(super) struct FlowEdges<'a> {
    pub(super) edge: Each<'a, FlowEdge>,
}

#[derive(Serialize)]
pub(super) struct FlowEdge {
    #[serde(rename = "@kind")]
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<String>,
    pub(super) count: u64,
}
