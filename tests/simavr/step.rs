//! Random instructions of the description, and what has to come before them so that the program
//! stays alive.

use gentool::disassembler::Disassembler;
use isac_ir::Model;
use isac_ir::operation::Target;
use isac_ir::syntax::Tree;
use isac_ir::syntax::encode::{cells_of_words, encode};

use super::super::differential::tree::Trees;
use super::program::{DATA, FLASH, Program};
use crate::support::random::Random;

/// How many steps a jump may go over, and one.
const REACH: usize = 4;

/// Every so many steps the stack pointer is set anew: pushes and calls have moved it.
const STACK_EVERY: usize = 16;

/// I/O registers that take any value, by their addresses in data memory: three of general purpose,
/// and SREG.
const WRITABLE: [u16; 4] = [0x3e, 0x4a, 0x4b, 0x5f];
/// The same, and those that are only read: RAMPZ and the stack pointer, which has to stay in memory.
const READABLE: [u16; 7] = [0x3e, 0x4a, 0x4b, 0x5d, 0x5f, 0x5b, 0x5e];
/// Where I/O registers begin in data memory.
const IO_BASE: u16 = 0x20;
/// The I/O register of general purpose whose bits have addresses.
const GPIOR0: u128 = 0x1e;

/// An instruction of a program, with what is needed before it. `TARGET` stands for the label of
/// another step, `HERE` for its own number.
struct Step {
    before: Vec<String>,
    text: String,
    /// How many steps the target lies behind the next one.
    over: usize,
}

/// The instructions of a random program.
pub(crate) struct Steps {
    seed: u64,
    steps: Vec<Step>,
}

impl Steps {
    pub(crate) fn random(model: &Model, random: &mut Random, count: usize) -> Steps {
        let maker = Maker::new(model);
        let mut steps: Vec<Step> = Vec::new();
        while steps.len() < count {
            let is_skipped = steps.last().is_some_and(|last| skips(&last.text));
            let mut step = maker.step(random);
            // What is skipped is one instruction.
            if is_skipped && (!step.before.is_empty() || is_taken_for_call(&step.text)) {
                continue;
            }
            if !is_skipped && steps.len().is_multiple_of(STACK_EVERY) {
                step.before.splice(0..0, set_stack_pointer(random));
            }
            steps.push(step);
        }
        Steps { seed: random.next(), steps }
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The program of the first so many steps.
    pub(crate) fn program(&self, count: usize) -> Program {
        let lines = (0..count).flat_map(|index| self.lines(index, count)).collect();
        Program::new(lines, count, &mut Random::new(self.seed))
    }

    fn lines(&self, index: usize, count: usize) -> Vec<String> {
        let step = &self.steps[index];
        let target = format!("step{}", (index + 1 + step.over).min(count));
        let lines = step.before.iter().chain([&step.text]);
        let lines = lines.map(|line| line.replace("TARGET", &target).replace("HERE", &index.to_string()));
        [format!("step{index}:")].into_iter().chain(lines).collect()
    }

    /// The last lines of the program of so many steps.
    pub(crate) fn tail(&self, count: usize) -> String {
        let shown = count.saturating_sub(8)..count;
        shown.flat_map(|index| self.lines(index, count)).collect::<Vec<_>>().join("\n")
    }
}

/// True for an instruction that may skip the next one.
fn skips(text: &str) -> bool {
    ["cpse", "sbrc", "sbrs", "sbic", "sbis"].iter().any(|name| text.starts_with(name))
}

/// simavr 1.6 steps over two words where it skips ADIW or SBIW with a number that ends in 12 to 15:
/// it takes them for JMP and CALL, since it does not look at bit 9, which is 1 in the former and 0 in
/// the latter (AVR Instruction Set Manual, DS40002198A, section 6).
fn is_taken_for_call(text: &str) -> bool {
    let is_wide = text.starts_with("adiw") || text.starts_with("sbiw");
    let number = text.rsplit(' ').next().and_then(|number| number.parse::<u8>().ok());
    is_wide && number.is_some_and(|number| number & 0xf >= 0xc)
}

fn set_stack_pointer(random: &mut Random) -> [String; 4] {
    let (high, low) = (2 + random.below(2), random.below(256));
    [format!("ldi r16, {high}"), "out 0x3e, r16".into(), format!("ldi r17, {low}"), "out 0x3d, r17".into()]
}

/// Instructions that set a pair of registers.
fn set_pair(low: u16, value: u16) -> Vec<String> {
    vec![format!("ldi r{low}, {}", value & 0xff), format!("ldi r{}, {}", low + 1, value >> 8)]
}

struct Maker<'m> {
    model: &'m Model,
    trees: Trees<'m>,
    disassembler: Disassembler<'m>,
    /// The group that the CODINGROOT decodes.
    root: Target,
}

impl<'m> Maker<'m> {
    fn new(model: &'m Model) -> Maker<'m> {
        let disassembler = Disassembler::new(model).expect("the model's instructions have texts");
        let root = model.decoders[disassembler.entries()[0].decoder as usize].target;
        Maker { model, trees: Trees(model), disassembler, root }
    }

    fn step(&self, random: &mut Random) -> Step {
        loop {
            let mut tree = self.trees.random(self.root, random);
            let Some(before) = self.tame(&mut tree, random) else { continue };
            let Some(text) = self.text(&tree) else { continue };
            let step = Step { before, text, over: random.below(REACH) };
            return if self.trees.has_field(&tree, "target") { jump(step, random) } else { step };
        }
    }

    /// The text of the word, which may be another instruction's than was meant.
    fn text(&self, tree: &Tree) -> Option<String> {
        let cells = cells_of_words(&encode(self.model, tree), 16, false);
        Some(self.disassembler.instruction(&cells, 0x100)?.printed?.text)
    }

    /// Makes the operands lead to where something is: what has to stand before the instruction.
    /// `None` if there is no way, or what it does is undefined.
    fn tame(&self, tree: &mut Tree, random: &mut Random) -> Option<Vec<String>> {
        let name = self.trees.name(tree);
        let is_store = name.starts_with("st");
        let mut before = Vec::new();
        match name {
            "sleep" | "spm" => return None,
            "ijmp" | "icall" => {
                before = vec!["ldi r30, TARGET & 0xff".into(), "ldi r31, TARGET >> 8".into()];
            }
            "ret" | "reti" => {
                let halves = ["ldi r16, TARGET & 0xff", "push r16", "ldi r16, TARGET >> 8", "push r16"];
                before = halves.map(str::to_owned).to_vec();
            }
            "lds" | "sts" => self.trees.set_field(tree, "k", data_address(random, is_store, 32).into()),
            "in" => self.trees.set_field(tree, "a", (random.choose(&READABLE) - IO_BASE).into()),
            "out" => self.trees.set_field(tree, "a", (random.choose(&WRITABLE) - IO_BASE).into()),
            "sbi" | "cbi" | "sbic" | "sbis" => self.trees.set_field(tree, "a", GPIOR0),
            "lpm" | "lpm_r0" | "lpm_after" => {
                before = match self.trees.has(tree, "far") {
                    true => far_pointer(random),
                    false => set_pair(30, random.next() as u16),
                };
            }
            "ld_x" | "ld_after" | "ld_before" | "ldd" | "st_x" | "st_after" | "st_before" | "std" => {
                // The pointers themselves are at 26 to 31.
                before = self.pointer(tree, data_address(random, is_store, 26));
            }
            _ => {}
        }
        let steps = name.ends_with("_after") || name.ends_with("_before");
        let pointer = if name.contains("lpm") { 30 } else { self.pointer_register(tree) };
        let is_undefined = steps && self.register(tree).is_some_and(|register| register & !1 == pointer);
        (!is_undefined).then_some(before)
    }

    /// Sets the pointer of a load or store so that it touches an address.
    fn pointer(&self, tree: &mut Tree, address: u16) -> Vec<String> {
        let register = self.pointer_register(tree) as u16;
        match self.trees.name(tree) {
            "ld_before" | "st_before" => set_pair(register, address + 1),
            "ldd" | "std" => {
                let displacement = self.trees.field(tree, "q").min(u128::from(address));
                self.trees.set_field(tree, "q", displacement);
                set_pair(register, address - displacement as u16)
            }
            _ => set_pair(register, address),
        }
    }

    /// The first register of the pair that a load or store goes by.
    fn pointer_register(&self, tree: &Tree) -> u128 {
        match (self.trees.has(tree, "base_y"), self.trees.has(tree, "base_z")) {
            (true, _) => 28,
            (_, true) => 30,
            _ => 26,
        }
    }

    /// The register operand.
    fn register(&self, tree: &Tree) -> Option<u128> {
        let is_register = |id| self.model.operation(id).name == "reg";
        tree.children.iter().find(|(_, child)| is_register(child.operation)).map(|(_, child)| child.fields[0])
    }
}

/// A jump to a step behind; or back over an instruction, to one that leads on from there.
fn jump(step: Step, random: &mut Random) -> Step {
    let mnemonic = step.text.split(' ').next().unwrap_or_default();
    if random.once_in(3) {
        let before = ["rjmp thereHERE", "backHERE:", "rjmp TARGET", "thereHERE:"].map(str::to_owned).to_vec();
        return Step { before, text: format!("{mnemonic} backHERE"), ..step };
    }
    Step { text: format!("{mnemonic} TARGET"), ..step }
}

/// Instructions that set RAMPZ and Z to a byte of program memory that is written down.
fn far_pointer(random: &mut Random) -> Vec<String> {
    let address = if random.once_in(2) { random.below(FLASH - 1) } else { 0xff00 + random.below(0x1ff) };
    let mut before = vec![format!("ldi r16, {}", address >> 16), "out 0x3b, r16".to_owned()];
    before.extend(set_pair(30, address as u16));
    before
}

/// An address of data memory: SRAM, the first so many registers, or an I/O register.
fn data_address(random: &mut Random, is_store: bool, registers: usize) -> u16 {
    match random.below(8) {
        0 => random.below(registers) as u16,
        1 if is_store => *random.choose(&WRITABLE),
        1 => *random.choose(&READABLE),
        _ => DATA.start + random.below(DATA.len()) as u16,
    }
}
