//! The flow graph of a whole program: basic blocks, edges between them, and how often they were
//! taken.

use super::graph::{Graph, OUTSIDE, index};
use super::step::{Site, Step, StepKind, Steps, leaving_control};
use crate::{CodeSizes, ControlTable, Measurement, Transfer};

/// Instructions that control enters at the first and leaves at the last of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Address of the first instruction.
    pub first: u64,
    /// Address of the last instruction.
    pub last: u64,
    /// Address behind it; that of the first if the block has none.
    pub end: u64,
    /// Number of instructions; 0 where control came, or could have come, and nothing was decoded.
    pub instructions: u32,
    /// How often control came to the block.
    pub entered: u64,
    /// How often its instructions ran to their end.
    pub executed: u64,
    /// Whether an instruction of it was seen to write memory.
    pub writes_memory: bool,
}

/// What an edge of a program's graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// To the successor in memory.
    Fall,
    /// To anywhere else, neither called nor returning.
    Jump,
    /// To where it comes back from.
    Call,
    /// To behind a call.
    Return,
    /// From outside: the run begins, or goes on where no instruction has led.
    Entry,
    /// To outside, by a fault.
    Fault,
    /// To outside: the instruction was cancelled.
    Cancel,
    /// To outside: the instruction was in flight when the run was over.
    Unfinished,
    /// To outside: the run was over, or went on elsewhere.
    End,
}

/// The flow graph of what ran.
///
/// Blocks are numbered by ascending address, edges by the block that they leave; virtual edges come
/// behind all others. An edge that was never taken is there if an instruction that ran, or was
/// decoded, may take it. Edges are one step long each, so a call is an edge to the function, and a
/// return one from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramFlow {
    /// By number.
    pub blocks: Vec<Block>,
    /// Blocks and edges by number.
    pub graph: Graph,
    /// By edge.
    pub kinds: Vec<EdgeKind>,
    /// How often each edge was taken, by edge.
    pub counts: Vec<u64>,
}

impl ProgramFlow {
    /// The graph of a measurement; `control` says where else instructions may go on.
    pub fn of(measurement: &Measurement, control: &ControlTable) -> ProgramFlow {
        ProgramFlow::with_code(measurement, control, &CodeSizes::new(), &[])
    }

    /// As [`ProgramFlow::of`], with instructions that could have run. No block goes on over one of the
    /// `boundaries`, addresses in ascending order: there functions begin.
    pub fn with_code(
        measurement: &Measurement,
        control: &ControlTable,
        code: &CodeSizes,
        boundaries: &[u64],
    ) -> ProgramFlow {
        let steps = Steps::of(measurement, control, code);
        let block_of = divide(&steps, &leaving_control(measurement, control), boundaries);
        let mut flow = ProgramFlow::default();
        for (site, &block) in steps.sites.iter().zip(&block_of) {
            flow.add_site(site, block);
        }
        for step in &steps.steps {
            let (from, to) = (block_of[step.from], block_of[step.to]);
            // From an instruction of a block to the next one is no edge.
            if from != to || steps.sites[step.to].address == flow.blocks[index(to)].first {
                flow.add_edge(from, to, kind_of(step.kind), step.count);
            }
        }
        for (site, &block) in steps.sites.iter().zip(&block_of) {
            flow.add_virtual_edges(site, block);
        }
        flow
    }

    /// The block that an address is in.
    pub fn block_at(&self, address: u64) -> Option<u32> {
        let behind = self.blocks.partition_point(|block| block.first <= address);
        let number = behind.checked_sub(1)?;
        let block = &self.blocks[number];
        (address == block.first || address < block.end).then_some(u32::try_from(number).ok()?)
    }

    fn add_site(&mut self, site: &Site, block: u32) {
        if index(block) == self.blocks.len() {
            self.graph.add_block();
            self.blocks.push(Block {
                first: site.address,
                last: site.address,
                end: site.end,
                instructions: 0,
                entered: site.arrived.max(site.executed),
                executed: site.executed,
                writes_memory: false,
            });
        }
        let block = &mut self.blocks[index(block)];
        (block.last, block.end) = (site.address, site.end);
        block.instructions += u32::from(site.is_instruction);
        block.writes_memory |= site.writes_memory;
    }

    fn add_edge(&mut self, from: u32, to: u32, kind: EdgeKind, count: u64) {
        self.graph.add_edge(from, to);
        self.kinds.push(kind);
        self.counts.push(count);
    }

    /// What came to a site and did not go on from it, or went on from it and had not come.
    fn add_virtual_edges(&mut self, site: &Site, block: u32) {
        if let Some(begun) = site.executed.checked_sub(site.arrived).filter(|begun| *begun > 0) {
            self.add_edge(OUTSIDE, block, EdgeKind::Entry, begun);
        }
        let mut lost = site.arrived.saturating_sub(site.executed);
        let reasons = [
            (EdgeKind::Fault, site.faulted),
            (EdgeKind::Cancel, site.cancelled),
            (EdgeKind::Unfinished, site.unfinished),
            (EdgeKind::End, u64::MAX),
        ];
        for (kind, most) in reasons {
            let count = lost.min(most);
            if count > 0 {
                self.add_edge(block, OUTSIDE, kind, count);
            }
            lost -= count;
        }
        if site.ended > 0 {
            self.add_edge(block, OUTSIDE, EdgeKind::End, site.ended);
        }
    }
}

fn kind_of(kind: StepKind) -> EdgeKind {
    match kind {
        StepKind::Fall => EdgeKind::Fall,
        StepKind::Transfer(Transfer::Jump) => EdgeKind::Jump,
        StepKind::Transfer(Transfer::Call) => EdgeKind::Call,
        StepKind::Transfer(Transfer::Return) => EdgeKind::Return,
    }
}

/// The block of every site, numbered from 0 in their order: a site goes on the block of the one before
/// if that leads to it alone, it comes from that alone, and it ran as often.
fn divide(steps: &Steps, control: &ControlTable, boundaries: &[u64]) -> Vec<u32> {
    let sites = steps.sites.len();
    let (mut ways_out, mut ways_in) = (vec![0_u32; sites], vec![0_u32; sites]);
    let mut falls_to: Vec<Option<usize>> = vec![None; sites];
    for &Step { from, to, kind, .. } in &steps.steps {
        ways_out[from] += 1;
        ways_in[to] += 1;
        if kind == StepKind::Fall {
            falls_to[from] = Some(to);
        }
    }
    let mut block_of = Vec::with_capacity(sites);
    let mut next = 0;
    for (number, site) in steps.sites.iter().enumerate() {
        let goes_on = number.checked_sub(1).is_some_and(|before| {
            falls_to[before] == Some(number)
                && ways_out[before] == 1
                && ways_in[number] == 1
                && site.arrived == site.executed
                && site.is_instruction
                && boundaries.binary_search(&site.address).is_err()
                && !control.contains_key(&steps.sites[before].address)
        });
        if !goes_on {
            next += 1;
        }
        block_of.push(next - 1);
    }
    block_of
}
