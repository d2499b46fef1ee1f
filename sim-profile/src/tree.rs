//! The instruction tree: every executed instruction's name laid over the others.
//!
//! A node is found among its siblings by name and position: `add(reg(ax())reg(bx()))` has two
//! nodes `reg` below `add`. Nodes carry the figures of the *whole* instructions that passed
//! through them, so a node's figures do not sum up those of its children; what a node's own
//! operation did is counted apart, and sums up to the roots' figures over the whole tree.

use std::collections::{BTreeMap, HashMap};

use crate::measurement::count;
use crate::path::PathTree;
use crate::spent::Spent;
use crate::{Accesses, InstructionRecord, Measurement, ModelTables};

/// One group or operation, as it was passed through by executed instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeNode {
    /// Name of the group or operation.
    pub name: String,
    /// Position among the siblings in the decode path, from 0.
    pub position: u32,
    /// Number of executed instructions that passed through.
    pub executed: u64,
    /// Accesses of these whole instructions, by resource number; no entry is zero.
    pub accesses: BTreeMap<u32, Accesses>,
    /// Their sum over all resources.
    pub total: Accesses,
    /// Cycles of these instructions, of all their runs, whatever became of them.
    pub spent: Spent,
    /// What this node's operation itself did, over all resources.
    pub own: Accesses,
    /// By position; at one position in the order in which the names first come in
    /// [`ModelTables::instructions`], names that do not come there (operands) behind those, by
    /// name.
    pub children: Vec<TreeNode>,
}

/// The instruction trees of a run, one for each operation that holds a CODINGROOT.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionTree {
    /// The outermost names, ordered as [`TreeNode::children`] are.
    pub roots: Vec<TreeNode>,
}

impl InstructionTree {
    /// Lays all executed instructions of a measurement over each other. A name that is no decode
    /// path is a root of its own, an access in a node that a name does not have is its root's;
    /// neither occurs in a valid measurement.
    pub fn of(measurement: &Measurement) -> InstructionTree {
        // Programs have many instructions of few names.
        let mut imports: Vec<Import> = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for record in measurement.instructions.values().filter(|record| record.executed > 0) {
            let number = *numbers.entry(&record.name).or_insert(imports.len());
            if number == imports.len() {
                imports.push(Import::of(&record.name));
            }
            imports[number].take(record);
        }
        let mut roots = Vec::new();
        imports.iter().for_each(|import| import.add(&mut roots, 0));
        sort_siblings(&mut roots, &rank_names(&measurement.tables));
        InstructionTree { roots }
    }

    /// Accesses of all instructions in the tree.
    pub fn total(&self) -> Accesses {
        let mut total = Accesses::default();
        self.roots.iter().for_each(|root| total.add(root.total));
        total
    }
}

/// The records of one name on their way into the tree.
struct Import {
    path: PathTree,
    executed: u64,
    accesses: BTreeMap<u32, Accesses>,
    total: Accesses,
    spent: Spent,
    /// By node of the path.
    own: Vec<Accesses>,
}

impl Import {
    fn of(name: &str) -> Import {
        let path = PathTree::parse(name).unwrap_or_else(|_| PathTree::opaque(name));
        Import {
            executed: 0,
            accesses: BTreeMap::new(),
            total: Accesses::default(),
            spent: Spent::default(),
            own: vec![Accesses::default(); path.nodes().len()],
            path,
        }
    }

    fn take(&mut self, record: &InstructionRecord) {
        count(&mut self.executed, record.executed);
        self.spent.add(&Spent::of(record));
        for (&(node, resource), &accesses) in &record.accesses {
            let node = usize::try_from(node).ok().filter(|&at| at < self.own.len()).unwrap_or(0);
            self.own[node].add(accesses);
            self.total.add(accesses);
            self.accesses.entry(resource).or_default().add(accesses);
        }
    }

    /// Adds node `index` of the path, and all below it, to its siblings in the tree.
    fn add(&self, siblings: &mut Vec<TreeNode>, index: usize) {
        let from = &self.path.nodes()[index];
        let same = |node: &TreeNode| node.position == from.position && node.name == from.name;
        let at = siblings.iter().position(same).unwrap_or_else(|| {
            let (name, position) = (from.name.clone(), from.position);
            siblings.push(TreeNode { name, position, ..TreeNode::default() });
            siblings.len() - 1
        });
        let node = &mut siblings[at];
        count(&mut node.executed, self.executed);
        node.total.add(self.total);
        node.spent.add(&self.spent);
        node.own.add(self.own[index]);
        for (&resource, &accesses) in &self.accesses {
            node.accesses.entry(resource).or_default().add(accesses);
        }
        for &child in self.path.children(index) {
            self.add(&mut node.children, child);
        }
    }
}

/// Names in the order in which they first come in the model's instructions.
fn rank_names(tables: &ModelTables) -> BTreeMap<&str, usize> {
    let mut ranks = BTreeMap::new();
    for name in tables.instructions.iter().flat_map(|path| path.split(['(', ')'])) {
        let next = ranks.len();
        ranks.entry(name).or_insert(next);
    }
    ranks
}

fn sort_siblings(siblings: &mut [TreeNode], ranks: &BTreeMap<&str, usize>) {
    let rank = |node: &TreeNode| ranks.get(node.name.as_str()).copied().unwrap_or(usize::MAX);
    siblings.sort_by(|a, b| (a.position, rank(a), &a.name).cmp(&(b.position, rank(b), &b.name)));
    siblings.iter_mut().for_each(|node| sort_siblings(&mut node.children, ranks));
}
