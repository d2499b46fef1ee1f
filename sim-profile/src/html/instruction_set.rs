//! Instructions of the set, executed or not, and the tree that their names make.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::function::FunctionTable;
use super::number::{Count, Counts};
use crate::coverage::format_percent;
use crate::measurement::count;
use crate::path::{PathTree, instruction_of};
use crate::program::ProgramProfile;
use crate::spent::{Spent, spent_by_instruction};
use crate::tree::{InstructionTree, TreeNode};
use crate::{Measurement, spending_of};

/// All instructions by number: those of the set in the model's order, then what was decoded besides.
pub(super) struct InstructionSet {
    names: Vec<String>,
    /// By decode path.
    numbers: HashMap<String, Vec<usize>>,
}

/// The columns of the table.
#[derive(Serialize, Default)]
pub(super) struct Instructions {
    name: Vec<String>,
    executed: Counts,
    begun: Counts,
    cycles: Counts,
    /// Share of all cycles in percent.
    percent: Vec<String>,
    lost: Counts,
    extra: Counts,
    cpi: Vec<String>,
    /// Instruction, function, how often it was executed there.
    by_function: Vec<(usize, i64, Count)>,
}

/// A node of the tree; one that was never executed has counts of zero.
#[derive(Serialize)]
pub(super) struct Node {
    name: String,
    position: u32,
    executed: Count,
    cycles: Count,
    lost: Count,
    cpi: String,
    /// Reads, writes, executes of the whole instructions.
    accesses: (Count, Count, Count),
    /// Those of the node's own operation.
    own: (Count, Count, Count),
    /// Number of the instruction that ends here.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Node>,
}

impl InstructionSet {
    pub(super) fn of(measurement: &Measurement) -> InstructionSet {
        let mut names = measurement.tables.instructions.clone();
        let mut by_name: HashMap<String, usize> = names.iter().cloned().zip(0..).collect();
        let mut numbers: HashMap<String, Vec<usize>> = HashMap::new();
        for record in measurement.instructions.values() {
            if numbers.contains_key(&record.name) {
                continue;
            }
            let path = PathTree::parse(&record.name).ok();
            let found =
                path.map(|path| instruction_of(&path, &measurement.tables.operands)).unwrap_or_default();
            let found = found.into_iter().map(|name| {
                *by_name.entry(name.clone()).or_insert_with(|| {
                    names.push(name);
                    names.len() - 1
                })
            });
            numbers.insert(record.name.clone(), found.collect());
        }
        InstructionSet { names, numbers }
    }

    /// The instructions that a decode path is.
    pub(super) fn numbers_of(&self, path: &str) -> &[usize] {
        self.numbers.get(path).map_or(&[], Vec::as_slice)
    }

    /// Names by number.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn instructions(
        &self,
        measurement: &Measurement,
        functions: &FunctionTable,
        program: &ProgramProfile<'_>,
    ) -> Instructions {
        let spent = spent_by_instruction(measurement);
        let total = spending_of(measurement).cycles;
        let mut table = Instructions { name: self.names.clone(), ..Instructions::default() };
        let none = Spent::default();
        for name in &self.names {
            let spent = spent.get(name).unwrap_or(&none);
            table.executed.push(Count(spent.executed));
            table.begun.push(Count(spent.begun));
            table.cycles.push(Count(spent.cycles()));
            table.percent.push(format_percent(spent.cycles(), total));
            table.lost.push(Count(spent.overhead.lost_cycles()));
            table.extra.push(Count(spent.overhead.extra_cycles));
            table.cpi.push(spent.cpi());
        }
        let mut sums: BTreeMap<(usize, i64), u64> = BTreeMap::new();
        let has_addresses = !measurement.is_of_several_programs;
        for (key, record) in
            measurement.instructions.iter().filter(|(_, record)| has_addresses && record.executed > 0)
        {
            let function = functions.index(program.program.function_at(key.address));
            for &number in self.numbers_of(&record.name) {
                count(sums.entry((number, function)).or_default(), record.executed);
            }
        }
        table.by_function = sums.into_iter().map(|((i, f), n)| (i, f, Count(n))).collect();
        table
    }

    /// The instruction tree, with what was never executed.
    pub(super) fn tree(&self, measurement: &Measurement) -> Vec<Node> {
        let executed = InstructionTree::of(measurement).roots;
        let mut roots: Vec<Node> = executed.iter().map(Node::of).collect();
        for (number, name) in self.names.iter().enumerate() {
            // An instruction of the set is a single chain, and no deeper than names may be.
            if let Ok(path) = PathTree::parse(name)
                && path.nodes().iter().enumerate().all(|(at, node)| node.parent == at.checked_sub(1))
            {
                let chain: Vec<&str> = path.nodes().iter().map(|node| node.name.as_str()).collect();
                add_instruction(&mut roots, &chain, number);
            }
        }
        roots.iter_mut().for_each(Node::sort);
        roots
    }
}

/// Goes down the names of an instruction, and adds those nodes that were never passed.
fn add_instruction(siblings: &mut Vec<Node>, chain: &[&str], number: usize) {
    let [first, rest @ ..] = chain else { return };
    let at = siblings.iter().position(|node| node.name == *first).unwrap_or_else(|| {
        siblings.push(Node::of(&TreeNode { name: (*first).to_owned(), ..TreeNode::default() }));
        siblings.len() - 1
    });
    match rest {
        [] => siblings[at].instruction = Some(number),
        rest => add_instruction(&mut siblings[at].children, rest, number),
    }
}

impl Node {
    /// What was never executed goes where the description has it: children by the first instruction
    /// below them, operands behind.
    fn sort(&mut self) {
        self.children.iter_mut().for_each(Node::sort);
        self.children.sort_by_key(|child| child.first_instruction().unwrap_or(usize::MAX));
    }

    fn first_instruction(&self) -> Option<usize> {
        let below = self.children.iter().filter_map(Node::first_instruction);
        self.instruction.into_iter().chain(below).min()
    }

    fn of(node: &TreeNode) -> Node {
        let triple = |accesses: crate::Accesses| {
            (Count(accesses.reads), Count(accesses.writes), Count(accesses.executes))
        };
        Node {
            name: node.name.clone(),
            position: node.position,
            executed: Count(node.executed),
            cycles: Count(node.spent.cycles()),
            lost: Count(node.spent.overhead.lost_cycles()),
            cpi: node.spent.cpi(),
            accesses: triple(node.total),
            own: triple(node.own),
            instruction: None,
            children: node.children.iter().map(Node::of).collect(),
        }
    }
}
