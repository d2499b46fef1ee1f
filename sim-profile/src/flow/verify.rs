//! Whether a measurement can be what a run did: the flow of control, and the sums.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::graph::{OUTSIDE, index};
use super::program::{EdgeKind, ProgramFlow};
use super::routine::RoutineFlow;
use crate::measurement::count;
use crate::spent::spent_by_address;
use crate::summary::Summary;
use crate::tree::{InstructionTree, TreeNode};
use crate::{Accesses, CallKind, InstructionKey, Measurement, Spending, Word};

/// Something that no run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// An instruction led elsewhere more often than it ran.
    MoreTransfers {
        /// Its address.
        address: u64,
        /// How often it ran to its end.
        executed: u64,
        /// How often it led elsewhere.
        transfers: u64,
    },
    /// A transfer from where nothing was decoded.
    TransferFromNowhere {
        /// From there.
        from: u64,
        /// To there.
        to: u64,
    },
    /// A transfer to the successor, which is none.
    TransferToSuccessor(u64),
    /// A transfer that was made as often as never.
    EmptyTransfer {
        /// From there.
        from: u64,
        /// To there.
        to: u64,
    },
    /// Control came to a block not as often as it left it.
    Unbalanced {
        /// Address of the block.
        address: u64,
        /// How often it came.
        comes: u64,
        /// How often it left.
        leaves: u64,
    },
    /// Two figures that are of one thing, and differ.
    Sum {
        /// Of what the first is.
        one: &'static str,
        /// The first.
        first: u64,
        /// Of what the second is.
        other: &'static str,
        /// The second.
        second: u64,
    },
    /// What a function cost, by itself or with its calls, is not what its stacks of calls have cost.
    Function {
        /// Address at which it begins.
        address: u64,
        /// Which cost.
        cost: &'static str,
        /// Instructions and cycles, as they are told of the function.
        told: Spending,
        /// The same as the sum over the stacks.
        sum: Spending,
        /// It may be more than that: of functions that call each other in a circle a stack names those alone
        /// that came first.
        may_be_more: bool,
    },
    /// What a function cost with its calls is not what it cost by itself and what its calls did.
    FunctionOfCalls {
        /// Address at which it begins.
        address: u64,
        /// Instructions and cycles, as they are told of the function.
        told: Spending,
        /// The same as that sum.
        sum: Spending,
    },
    /// Calls cost more than the function that is called.
    Call {
        /// From there.
        site: u64,
        /// The function that is called.
        callee: u64,
        /// What the calls cost.
        told: Spending,
        /// What the function cost with its calls.
        most: Spending,
    },
    /// A call from where nothing was decoded.
    CallFromNowhere {
        /// From there.
        site: u64,
        /// The function that is called.
        callee: u64,
    },
    /// An instruction called a function more often than it can have led there.
    MoreCalls {
        /// Its address.
        site: u64,
        /// The function that is called.
        callee: u64,
        /// How.
        kind: CallKind,
        /// How often.
        calls: u64,
        /// How often it can have led there.
        most: u64,
    },
    /// An instruction that calls wherever it leads led elsewhere more often than it called.
    FewerCalls {
        /// Its address.
        site: u64,
        /// How often it called anything.
        calls: u64,
        /// How often it led elsewhere.
        transfers: u64,
    },
    /// A transfer to where the instruction cannot lead.
    Misled {
        /// From there.
        from: u64,
        /// To there.
        to: u64,
        /// How often.
        times: u64,
    },
    /// What is stored of an instruction is not what the description says.
    Instruction {
        /// Its address.
        address: u64,
        /// Its word.
        word: Word,
        /// What of it.
        what: &'static str,
        /// As it is stored.
        told: String,
        /// As the description says.
        expected: String,
    },
    /// Control went on where no instruction had led: by interrupts, or counts are missing.
    Jumps {
        /// Address of the place where it most often did, beginnings of the run left out.
        address: u64,
        /// How often there.
        most: u64,
        /// How often it did.
        entries: u64,
        /// As often it may by what is known: runs that began, and instructions that were not executed.
        explained: u64,
    },
}

impl Finding {
    /// Whether no run can have done it; else it is worth a look.
    pub fn is_error(&self) -> bool {
        !matches!(self, Finding::Jumps { .. })
    }

    /// Where it is, if it is at one place.
    pub fn address(&self) -> Option<u64> {
        match *self {
            Finding::MoreTransfers { address, .. }
            | Finding::Function { address, .. }
            | Finding::FunctionOfCalls { address, .. }
            | Finding::Unbalanced { address, .. }
            | Finding::Instruction { address, .. }
            | Finding::Jumps { address, .. } => Some(address),
            Finding::CallFromNowhere { site, .. }
            | Finding::Call { site, .. }
            | Finding::MoreCalls { site, .. }
            | Finding::FewerCalls { site, .. } => Some(site),
            Finding::Misled { from, .. }
            | Finding::TransferFromNowhere { from, .. }
            | Finding::TransferToSuccessor(from)
            | Finding::EmptyTransfer { from, .. } => Some(from),
            Finding::Sum { .. } => None,
        }
    }
}

/// Everything that is wrong with a measurement of so many runs, which began at an address, if it is known: flow
/// first, by address, then sums.
pub fn verify(
    measurement: &Measurement,
    runs: (u64, Option<u64>),
    flow: &ProgramFlow,
    routines: &[RoutineFlow],
) -> Vec<Finding> {
    let mut findings = verify_transfers(measurement);
    let mut told = BTreeSet::new();
    verify_balance(flow, &mut told, &mut findings);
    for routine in routines {
        verify_routine(flow, routine, &mut told, &mut findings);
    }
    findings.extend(verify_entries(measurement, runs, flow));
    findings.sort_by_key(Finding::address);
    verify_sums(measurement, &mut findings);
    findings
}

fn verify_transfers(measurement: &Measurement) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut executed: BTreeMap<u64, u64> = BTreeMap::new();
    let mut successors: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (&InstructionKey { address, .. }, record) in &measurement.instructions {
        count(executed.entry(address).or_default(), record.executed);
        let successor = measurement.tables.successor(address, record.size_cells);
        successors.entry(address).or_default().push(successor);
    }
    let mut left: BTreeMap<u64, u64> = BTreeMap::new();
    for (&(from, to), &times) in &measurement.transfers {
        count(left.entry(from).or_default(), times);
        match successors.get(&from) {
            None => findings.push(Finding::TransferFromNowhere { from, to }),
            // Of several words at one address, one may have another size.
            Some(all) if all.iter().all(|&successor| successor == to) => {
                findings.push(Finding::TransferToSuccessor(from));
            }
            Some(_) => {}
        }
        if times == 0 {
            findings.push(Finding::EmptyTransfer { from, to });
        }
    }
    for (&address, &transfers) in &left {
        let executed = executed.get(&address).copied().unwrap_or(transfers);
        if transfers > executed {
            findings.push(Finding::MoreTransfers { address, executed, transfers });
        }
    }
    findings
}

/// Kirchhoff's law at every block of the program; `told` gets the addresses of those that break it.
fn verify_balance(flow: &ProgramFlow, told: &mut BTreeSet<u64>, findings: &mut Vec<Finding>) {
    let (comes, leaves) = sums(&flow.graph, &flow.counts);
    for ((block, &comes), &leaves) in flow.blocks.iter().zip(&comes).zip(&leaves) {
        if comes != leaves {
            told.insert(block.first);
            findings.push(Finding::Unbalanced { address: block.first, comes, leaves });
        }
    }
}

/// The same for a function by itself; what was told before is not told again.
fn verify_routine(
    flow: &ProgramFlow,
    routine: &RoutineFlow,
    told: &mut BTreeSet<u64>,
    findings: &mut Vec<Finding>,
) {
    let (comes, leaves) = sums(&routine.graph, &routine.counts);
    for ((&block, &comes), &leaves) in routine.blocks.iter().zip(&comes).zip(&leaves) {
        let address = flow.blocks[index(block)].first;
        if comes != leaves && told.insert(address) {
            findings.push(Finding::Unbalanced { address, comes, leaves });
        }
    }
}

/// By block, how often control came and how often it left.
fn sums(graph: &super::Graph, counts: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let blocks = index(graph.blocks());
    let (mut comes, mut leaves) = (vec![0; blocks], vec![0; blocks]);
    for (edge, &times) in graph.edges().iter().zip(counts) {
        if edge.to != OUTSIDE {
            count(&mut comes[index(edge.to)], times);
        }
        if edge.from != OUTSIDE {
            count(&mut leaves[index(edge.from)], times);
        }
    }
    (comes, leaves)
}

/// Control comes from outside once for each run, and behind each instruction that was not executed.
fn verify_entries(
    measurement: &Measurement,
    (runs, beginning): (u64, Option<u64>),
    flow: &ProgramFlow,
) -> Option<Finding> {
    let summary = Summary::of(measurement);
    let lost = [summary.cancelled, summary.faulted, summary.unfinished, summary.undecoded];
    let explained = lost.into_iter().fold(runs, u64::saturating_add);
    let entries = (0..).zip(&flow.kinds).filter(|(_, kind)| **kind == EdgeKind::Entry);
    let address = |edge: usize| flow.blocks[index(flow.graph.edges()[edge].to)].first;
    let mut entries: Vec<(u64, u64)> =
        entries.map(|(edge, _): (usize, _)| (address(edge), flow.counts[edge])).collect();
    let sum = entries.iter().fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
    if sum <= explained {
        return None;
    }
    let begins = |(address, times): &&mut (u64, u64)| match beginning {
        Some(beginning) => *address == beginning,
        None => *times >= runs,
    };
    if let Some((_, times)) = entries.iter_mut().find(begins) {
        *times = times.saturating_sub(runs);
    }
    let (address, most) = entries.into_iter().max_by_key(|(address, times)| (*times, Reverse(*address)))?;
    Some(Finding::Jumps { address, most, entries: sum, explained })
}

fn verify_sums(measurement: &Measurement, findings: &mut Vec<Finding>) {
    let summary = Summary::of(measurement);
    let mut equal = |one, first: u64, other, second: u64| {
        // A sum that got to its end says nothing any more.
        if first != second && first != u64::MAX && second != u64::MAX {
            findings.push(Finding::Sum { one, first, other, second });
        }
    };
    let lost = measurement.lost().values().fold(0, |sum: u64, &cycles| sum.saturating_add(cycles));
    let begun = summary.begun();
    equal("cycles", summary.cycles, "instructions begun, with the lost cycles", begun.saturating_add(lost));
    let places = spent_by_address(measurement);
    let extra = places.values().fold(0, |sum: u64, spent| sum.saturating_add(spent.overhead.extra_cycles));
    equal("extra cycles", summary.extra_cycles, "extra cycles of all addresses", extra);
    let cycles = places.values().fold(0, |sum: u64, spent| sum.saturating_add(spent.cycles()));
    equal("total cycles", summary.total_cycles, "cycles of all addresses", cycles);
    let tree = InstructionTree::of(measurement);
    let executed = tree.roots.iter().fold(0, |sum: u64, root| sum.saturating_add(root.executed));
    equal("executed instructions", summary.executed, "those in the instruction tree", executed);
    let (total, mut own) = (tree.total(), Accesses::default());
    tree.roots.iter().for_each(|root| add_own(root, &mut own));
    for (part, name) in [(total, "those of the tree's roots"), (own, "those of its nodes by themselves")] {
        equal("reads", summary.accesses.reads, name, part.reads);
        equal("writes", summary.accesses.writes, name, part.writes);
        equal("executes", summary.accesses.executes, name, part.executes);
    }
    for stage in &measurement.occupancy {
        let most = stage.occupied.max(summary.cycles);
        equal("cycles", summary.cycles, "cycles in which a stage was occupied, which are more", most);
    }
}

/// Recursion is as deep as a decode path, [`crate::path::DEEPEST`] at most.
fn add_own(node: &TreeNode, own: &mut Accesses) {
    own.add(node.own);
    node.children.iter().for_each(|child| add_own(child, own));
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::MoreTransfers { address, executed, transfers } => write!(
                f,
                "the instruction at {address:#x} led elsewhere {transfers} times and ran {executed} times; \
                 expected no more"
            ),
            Finding::TransferFromNowhere { from, to } => write!(
                f,
                "a transfer from {from:#x} to {to:#x}, and nothing was decoded at {from:#x}; expected an \
                 instruction"
            ),
            Finding::TransferToSuccessor(from) => write!(
                f,
                "a transfer from {from:#x} to its successor; expected one to anywhere else, for going on is none"
            ),
            Finding::EmptyTransfer { from, to } => {
                write!(f, "a transfer from {from:#x} to {to:#x} made 0 times; expected at least 1")
            }
            Finding::Unbalanced { address, comes, leaves } => write!(
                f,
                "control came to the block at {address:#x} {comes} times and left it {leaves} times; expected \
                 the same"
            ),
            Finding::Function { address, cost, told, sum, may_be_more } => write!(
                f,
                "the function at {address:#x} {cost}: {} instructions and {} cycles; its stacks of calls: {} and {}; \
                 expected {}",
                told.instructions,
                told.cycles,
                sum.instructions,
                sum.cycles,
                if *may_be_more { "no less" } else { "the same" }
            ),
            Finding::FunctionOfCalls { address, told, sum } => write!(
                f,
                "the function at {address:#x} with its calls: {} instructions and {} cycles; by itself and in its \
                 calls: {} and {}; expected the same",
                told.instructions, told.cycles, sum.instructions, sum.cycles
            ),
            Finding::Call { site, callee, told, most } => write!(
                f,
                "calls from {site:#x} to the function at {callee:#x}: {} instructions and {} cycles; the function \
                 with its calls: {} and {}; expected no more",
                told.instructions, told.cycles, most.instructions, most.cycles
            ),
            Finding::CallFromNowhere { site, callee } => write!(
                f,
                "a call from {site:#x} to the function at {callee:#x}, and nothing was decoded at {site:#x}; \
                 expected an instruction"
            ),
            Finding::MoreCalls { site, callee, kind, calls, most } => {
                let kind = match kind {
                    CallKind::Call => "calls",
                    CallKind::Tail => "tail calls",
                    CallKind::Interrupt => "interrupts",
                };
                write!(
                    f,
                    "{calls} {kind} from {site:#x} to the function at {callee:#x}, and control went there from \
                     {site:#x} {most} times at most; expected no more"
                )
            }
            Finding::FewerCalls { site, calls, transfers } => write!(
                f,
                "the instruction at {site:#x} calls wherever it leads; it led elsewhere {transfers} times, and \
                 there are {calls} calls from it; expected as many"
            ),
            Finding::Misled { from, to, times } => write!(
                f,
                "a transfer from {from:#x} to {to:#x}, made {times} times, and the instruction at {from:#x} \
                 cannot lead there; expected one to where it can"
            ),
            Finding::Sum { one, first, other, second } => {
                write!(f, "{one}: {first}; {other}: {second}; expected the same")
            }
            Finding::Instruction { address, word, what, told, expected } => write!(
                f,
                "the instruction {word} at {address:#x} has the {what} `{told}`; by the description it is `{expected}`"
            ),
            Finding::Jumps { address, most, entries, explained } => write!(
                f,
                "control went on {entries} times where no instruction had led, {most} of them at {address:#x}; \
                 runs and instructions that were not executed explain {explained} of them, the others \
                 are interrupts or counts that are missing"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Graph;
    use super::{Finding, OUTSIDE, verify};
    use crate::flow::program::{Block, EdgeKind, ProgramFlow};
    use crate::flow::routine::{RoutineEdge, RoutineFlow};
    use crate::{Measurement, ModelTables};

    /// Blocks that control came to once each and never left, in the program as in its one function.
    #[test]
    fn blocks_out_of_balance_are_told_once_each_however_many_they_are() {
        const BLOCKS: u32 = 200_000;
        let mut graph = Graph::new(BLOCKS);
        (0..BLOCKS).for_each(|block| {
            graph.add_edge(OUTSIDE, block);
        });
        let block = |address| Block {
            first: address,
            last: address,
            end: address + 1,
            instructions: 1,
            entered: 1,
            executed: 1,
            writes_memory: false,
        };
        let counts = vec![1; BLOCKS as usize];
        let routine = RoutineFlow {
            blocks: (0..BLOCKS).collect(),
            graph: graph.clone(),
            kinds: vec![RoutineEdge::Entry; BLOCKS as usize],
            counts: counts.clone(),
            ..RoutineFlow::default()
        };
        let flow = ProgramFlow {
            blocks: (0..u64::from(BLOCKS)).map(block).collect(),
            graph,
            kinds: vec![EdgeKind::Entry; BLOCKS as usize],
            counts,
        };
        let measurement = Measurement::new(ModelTables::default());
        let findings = verify(&measurement, (u64::from(BLOCKS), None), &flow, &[routine]);
        let expected =
            (0..u64::from(BLOCKS)).map(|address| Finding::Unbalanced { address, comes: 1, leaves: 0 });
        assert!(findings.into_iter().eq(expected));
    }
}
