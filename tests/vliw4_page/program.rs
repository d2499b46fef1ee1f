//! Random programs: bundles of the description's operations, with what has to be true for a program to
//! go on.

use isac_ir::Model;
use isac_ir::syntax::Tree;
use isac_ir::syntax::encode::encode;

use super::super::differential::tree::Trees;
use crate::support::random::Random;

/// Registers that hold a value from the beginning on: those below are any operation's results.
const LINK: u32 = 28;
const FIRST_BASE: u32 = 29;

/// Where the base registers point; what a load or store adds stays in data memory.
const BASES: [u128; 3] = [0x2000, 0x8000, 0xe010];

/// How far the console is from the last of them.
const CONSOLE: u32 = 0x1ff0;

/// Bundles that give every register a value, and bundles in all.
const PROLOGUE: usize = 16;
const BUNDLES: usize = 64;

/// One slot in so many is any word, and one address in so many is any.
const WILD_WORD: usize = 3_000;
const WILD_ADDRESS: usize = 200;
/// One operation in so many that ends the run stays, and one in so many that leads elsewhere.
const HALT: usize = 24;
const JUMP: usize = 2;

/// A program: where its first bundle is, at which it begins, and all of them. Behind the last of program
/// memory comes the first.
pub(crate) struct Program {
    pub(crate) origin: u16,
    pub(crate) bundles: Vec<u128>,
}

/// Makes programs of a description whose words are bundles of four slots.
pub(crate) struct Maker<'m> {
    trees: Trees<'m>,
    bundle: u32,
    always: u32,
}

impl<'m> Maker<'m> {
    pub(crate) fn new(model: &'m Model) -> Maker<'m> {
        let operation = |name: &str| {
            let found = model.operations.iter().position(|operation| operation.name == name);
            found.expect("the description has it") as u32
        };
        Maker { trees: Trees(model), bundle: operation("bundle"), always: operation("always") }
    }

    /// A program anywhere in program memory, often at one of its ends. It jumps about in itself until it ends
    /// or is left.
    pub(crate) fn program(&self, random: &mut Random) -> Program {
        let near = 0u16.wrapping_sub(random.below(BUNDLES) as u16);
        let any = random.next() as u16;
        let origin = *random.choose(&[0, near, any, any]);
        Program { origin, bundles: self.bundles(origin, random) }
    }

    fn bundles(&self, origin: u16, random: &mut Random) -> Vec<u128> {
        let mut bundles = self.prologue(origin, random);
        while bundles.len() < BUNDLES - 2 {
            let slots = [0, 1, 2, 3].map(|number| self.slot(number, origin, random, |_| true));
            bundles.push(self.wild(self.encoded(slots), random));
        }
        let is_nop = |tree: &Tree| self.trees.name(tree) == "nop";
        let mut jump = self.slot(0, origin, random, |tree| self.trees.name(tree) == "jump");
        self.set_always(&mut jump);
        let nothing = [1, 2, 3].map(|number| self.slot(number, origin, random, is_nop));
        let [second, third, fourth] = nothing;
        bundles.push(self.encoded([jump, second, third, fourth]));
        let stays = |tree: &Tree| !self.leads(tree) && self.trees.name(tree) != "halt";
        bundles.push(self.encoded([0, 1, 2, 3].map(|number| self.slot(number, origin, random, stays))));
        bundles
    }

    /// Both halves of a value in every register: what links a bundle, bases an address of data.
    fn prologue(&self, origin: u16, random: &mut Random) -> Vec<u128> {
        let mut words: Vec<(&str, u32, u128)> = Vec::new();
        for register in 1..LINK {
            words.push(("li", register, random.value(19).into()));
        }
        // What is above the 16 bits of an address does not count.
        let above = random.value(3) << 16;
        words.push(("li", LINK, target(origin, random) | u128::from(above)));
        words.extend((FIRST_BASE..).zip(BASES).map(|(register, base)| ("li", register, base)));
        for register in 1..LINK {
            words.push(("lih", register, random.value(16).into()));
        }
        let mut bundles: Vec<u128> = words
            .chunks(4)
            .map(|words| {
                self.encoded([0, 1, 2, 3].map(|number| {
                    let (name, register, value) = words.get(number).copied().unwrap_or(("nop", 0, 0));
                    let mut tree = self.slot(number, origin, random, |tree| self.trees.name(tree) == name);
                    if name != "nop" {
                        self.set_always(&mut tree);
                        self.set_register(&mut tree, "rd", register);
                        self.trees.set_field(&mut tree, "value", value);
                    }
                    tree
                }))
            })
            .collect();
        bundles.resize(PROLOGUE, 0);
        bundles
    }

    /// An operation of a slot that is meant, most of them without a condition.
    fn slot(
        &self,
        number: usize,
        origin: u16,
        random: &mut Random,
        is_meant: impl Fn(&Tree) -> bool,
    ) -> Tree {
        let target = self.trees.0.operation(self.bundle).instances[number].target;
        loop {
            let mut tree = self.trees.random(target, random);
            let stays = match () {
                () if self.trees.name(&tree) == "halt" => random.once_in(HALT),
                () if self.leads(&tree) => random.once_in(JUMP),
                () => true,
            };
            if is_meant(&tree) && stays {
                if !random.once_in(3) {
                    self.set_always(&mut tree);
                }
                self.tame(&mut tree, origin, random);
                return tree;
            }
        }
    }

    /// Whether it sets the PC: it has a target, or goes where a register says.
    fn leads(&self, tree: &Tree) -> bool {
        self.trees.has_field(tree, "target") || self.trees.name(tree) == "jumpr"
    }

    /// Leaves the registers of the program alone, stays in it, and touches memory that is there.
    fn tame(&self, tree: &mut Tree, origin: u16, random: &mut Random) {
        let result =
            if self.trees.has_field(tree, "target") { LINK } else { random.below(LINK as usize) as u32 };
        self.set_register(tree, "rd", result);
        if self.trees.has_field(tree, "target") {
            self.trees.set_field(tree, "target", target(origin, random));
        } else if self.leads(tree) {
            self.set_register(tree, "ra", LINK);
        } else if self.trees.has_field(tree, "offset") {
            self.place(tree, random);
        }
    }

    /// Where a load or store goes: the console is reached by bytes, nearly all that goes there.
    fn place(&self, tree: &mut Tree, random: &mut Random) {
        let is_console = random.once_in(20);
        let of_bytes = |op: &Tree| ["lb", "lbu", "sb"].contains(&self.trees.name(op));
        if is_console && !random.once_in(50) {
            let instances = &self.trees.0.operation(tree.operation).instances;
            let op = instances.iter().find(|instance| instance.alias == "op").expect("it says what it does");
            let op = op.target;
            let child = self.trees.child(tree, "op").expect("it says what it does");
            while !of_bytes(child) {
                *child = self.trees.random(op, random);
            }
        }
        let near = FIRST_BASE + random.below(2) as u32;
        let (base, offset) = match random.below(WILD_ADDRESS) {
            _ if is_console => (FIRST_BASE + 2, CONSOLE),
            0 => (random.below(32) as u32, random.value(14)),
            // Near the end of memory, and at its beginning.
            1..70 => (FIRST_BASE + 2, random.below(CONSOLE as usize) as u32),
            70..110 => (0, random.below(0x2000) as u32),
            _ => (near, random.value(14)),
        };
        self.set_register(tree, "ra", base);
        self.trees.set_field(tree, "offset", offset.into());
    }

    /// Where the operation has one under this alias.
    fn set_register(&self, tree: &mut Tree, alias: &str, register: u32) {
        if let Some(child) = self.trees.child(tree, alias) {
            self.trees.set_field(child, "index", register.into());
        }
    }

    fn set_always(&self, tree: &mut Tree) {
        if let Some(when) = self.trees.child(tree, "when") {
            *when = Tree { operation: self.always, fields: Vec::new(), children: Vec::new() };
        }
    }

    fn encoded(&self, slots: [Tree; 4]) -> u128 {
        let children = (0..).zip(slots).collect();
        let bundle = Tree { operation: self.bundle, fields: Vec::new(), children };
        encode(self.trees.0, &bundle)[0].0.to_u128()
    }

    /// The bundle, or one with any word in a slot.
    fn wild(&self, bundle: u128, random: &mut Random) -> u128 {
        if !random.once_in(WILD_WORD / 4) {
            return bundle;
        }
        let low = 32 * random.below(4);
        bundle & !(u128::from(u32::MAX) << low) | u128::from(random.next() as u32) << low
    }
}

/// A bundle behind the prologue.
fn target(origin: u16, random: &mut Random) -> u128 {
    origin.wrapping_add((PROLOGUE + random.below(BUNDLES - PROLOGUE)) as u16).into()
}
