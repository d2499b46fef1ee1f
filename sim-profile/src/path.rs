//! Decode paths: the names of instructions, taken apart.
//!
//! A name is the walk through the decoding tree in preorder: a node is its name and, in
//! parentheses, its children one behind the other. Every leaf is followed by `()`, so that
//! neighbours can be told apart: `add(g_reg(ax())g_reg(bx()))`.

use std::collections::BTreeMap;
use std::fmt;

/// How deep a path may nest, in levels. Decoding trees are a handful deep; the bound keeps every
/// walk over a path that came from a file within the stack, and the elements of a report below
/// the 256 levels at which common XML readers give up.
pub const DEEPEST: u32 = 128;

/// One name of a decode path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathNode {
    /// Name of the group or operation, or of a part of a SWITCH.
    pub name: String,
    /// Position among its siblings, from 0.
    pub position: u32,
    /// Index of the node that it is a child of; `None` for the outermost one.
    pub parent: Option<usize>,
    /// Number of nodes above it.
    pub depth: u32,
}

/// A decode path as a tree: nodes in preorder, the outermost first. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTree {
    nodes: Vec<PathNode>,
    /// Children of each node, ascending, by position.
    children: Vec<Vec<usize>>,
    /// What each node is of a SWITCH.
    parts: Vec<SwitchPart>,
}

impl PathTree {
    /// Takes a decode path apart.
    ///
    /// # Errors
    /// The text is not one balanced path.
    pub fn parse(text: &str) -> Result<PathTree, PathError> {
        let mut tree = PathTree { nodes: Vec::new(), children: Vec::new(), parts: Vec::new() };
        let mut open: Option<usize> = None;
        let mut name_at = 0;
        for (at, character) in text.char_indices() {
            if character != '(' && character != ')' {
                continue;
            }
            let name = &text[name_at..at];
            name_at = at + 1;
            if character == '(' {
                open = Some(tree.open(name, open, at)?);
            } else {
                let closed = open.ok_or(PathError::NothingToClose(at))?;
                if !name.is_empty() {
                    return Err(PathError::LeafWithoutParentheses(at));
                }
                open = tree.nodes[closed].parent;
            }
        }
        match open {
            Some(_) => Err(PathError::NotClosed),
            None if tree.nodes.is_empty() || name_at < text.len() => {
                Err(PathError::LeafWithoutParentheses(text.len()))
            }
            None => Ok(tree),
        }
    }

    /// A path of one node, for a name that is no path.
    pub(crate) fn opaque(name: &str) -> PathTree {
        let node = PathNode { name: name.to_owned(), position: 0, parent: None, depth: 0 };
        PathTree { nodes: vec![node], children: vec![Vec::new()], parts: vec![SwitchPart::None] }
    }

    /// Appends a child of `parent`, whose `(` stands at byte `at`.
    fn open(&mut self, name: &str, parent: Option<usize>, at: usize) -> Result<usize, PathError> {
        let index = self.nodes.len();
        let (position, depth, part) = match parent {
            None if index > 0 => return Err(PathError::SecondRoot(at)),
            None => (0, 0, SwitchPart::None),
            Some(parent) => (self.children[parent].len(), self.nodes[parent].depth + 1, self.parts[parent]),
        };
        if name.is_empty() {
            return Err(PathError::NoName(at));
        }
        if depth >= DEEPEST {
            return Err(PathError::TooDeep(at));
        }
        let position = u32::try_from(position).map_err(|_| PathError::TooDeep(at))?;
        self.parts.push(SwitchPart::below(part, name, position));
        self.nodes.push(PathNode { name: name.to_owned(), position, parent, depth });
        self.children.push(Vec::new());
        if let Some(parent) = parent {
            self.children[parent].push(index);
        }
        Ok(index)
    }

    /// The nodes in preorder; index 0 is the outermost.
    pub fn nodes(&self) -> &[PathNode] {
        &self.nodes
    }

    /// Indices of the children of node `index`, by position; none for an index out of range.
    pub fn children(&self, index: usize) -> &[usize] {
        self.children.get(index).map_or(&[], Vec::as_slice)
    }

    /// The path from the outermost node to node `index`, siblings and children left out:
    /// `decode(instr(add()))`.
    fn chain(&self, index: usize) -> String {
        let ancestors = |&at: &usize| self.nodes[at].parent;
        let upwards: Vec<usize> = std::iter::successors(Some(index), ancestors).collect();
        let mut text = String::new();
        for &at in upwards.iter().rev() {
            text.push_str(&self.nodes[at].name);
            text.push('(');
        }
        text.extend(upwards.iter().map(|_| ')'));
        text
    }
}

/// `switch_0(<selector>cases(<case>(<elements>)))`: the names that are no operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SwitchPart {
    /// An operation or group.
    None,
    /// `switch_N`.
    Switch,
    /// `cases`, behind the selector.
    Cases,
    /// The chosen case: a member's name, but its children are elements of the case.
    Case,
}

impl SwitchPart {
    /// What the node `name` at `position` below a node of part `parent` is.
    fn below(parent: SwitchPart, name: &str, position: u32) -> SwitchPart {
        match parent {
            SwitchPart::Cases => SwitchPart::Case,
            SwitchPart::Switch if name == "cases" && position > 0 => SwitchPart::Cases,
            _ if is_switch_name(name) => SwitchPart::Switch,
            _ => SwitchPart::None,
        }
    }
}

fn is_switch_name(name: &str) -> bool {
    name.strip_prefix("switch_")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
}

/// The instructions that a decode path counts as: the path cut at operands.
///
/// `operands` is [`crate::ModelTables::operands`]. Children marked there are left out with all
/// below them; a name that is not listed (a group) has no operands, so its member is what the
/// alias that led to the group is. Where several children remain (elements of a root, children
/// of an operation, the selector of a SWITCH and the elements of its chosen case), each is an
/// instruction by itself, written as the path from the outermost name to it without siblings;
/// so counts of instructions add and never multiply. A SWITCH of which no case was taken, or
/// one without elements, counts by its selector alone. In preorder.
pub fn instruction_of(path: &PathTree, operands: &BTreeMap<String, Vec<bool>>) -> Vec<String> {
    let mut instructions = Vec::new();
    // Preorder with an explicit stack: the next node is the last one.
    let mut pending = vec![0];
    while let Some(index) = pending.pop() {
        let part = path.parts[index];
        let marks = match part {
            SwitchPart::None => operands.get(&path.nodes[index].name).map_or(&[][..], Vec::as_slice),
            SwitchPart::Switch | SwitchPart::Cases | SwitchPart::Case => &[],
        };
        let before = pending.len();
        let remaining = path.children(index).iter().enumerate();
        pending.extend(
            remaining
                .filter(|(position, _)| !marks.get(*position).copied().unwrap_or(false))
                .map(|(_, &child)| child),
        );
        pending[before..].reverse();
        if pending.len() == before && part == SwitchPart::None {
            instructions.push(path.chain(index));
        }
    }
    instructions
}

/// Why a text is no decode path. Numbers are bytes from the text's beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathError {
    /// A `)` that closes nothing.
    NothingToClose(usize),
    /// A `(` without a name before it.
    NoName(usize),
    /// A name that is not followed by `(`; every leaf ends with `()`.
    LeafWithoutParentheses(usize),
    /// A second path behind the first.
    SecondRoot(usize),
    /// More than [`DEEPEST`] levels.
    TooDeep(usize),
    /// The text ends before the path does.
    NotClosed,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathError::NothingToClose(at) => {
                write!(f, "decode path: `)` at byte {at} closes nothing")
            }
            PathError::NoName(at) => {
                write!(f, "decode path: `(` at byte {at} has no name before it")
            }
            PathError::LeafWithoutParentheses(at) => {
                write!(f, "decode path: expected a name and `(` before byte {at}")
            }
            PathError::SecondRoot(at) => {
                write!(f, "decode path: a second path at byte {at}; expected one")
            }
            PathError::TooDeep(at) => {
                write!(f, "decode path: more than {DEEPEST} levels at byte {at}")
            }
            PathError::NotClosed => write!(f, "decode path: a `)` is missing at its end"),
        }
    }
}

impl std::error::Error for PathError {}
