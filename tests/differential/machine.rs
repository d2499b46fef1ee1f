//! Random programs for RISC-V in machine mode: CSRs, traps with a handler, interrupts, vectored or not.
//!
//! The handler sums up what each trap has told it in a word of the data, and goes on behind the
//! instruction; of an interrupt it takes the cause away. Vectored ones add their vector to the sum.

use std::collections::BTreeMap;

use super::encoder::{Encoder, Instruction, Word};
use super::program::{Forward, Jump, Layout, Row, Way, Writer};
use super::riscv::{FIRST_SHORT, RV32, RV64, RiscV, is_on_stack, is_short, random_instructions, riscv};
use crate::support::random::Random;

/// Programs for the bare machine lie where its memory is.
pub(crate) const BARE32: Layout = Layout { code: 0x8000_0000, data: 0x80c0_0000, ..RV32 };
pub(crate) const BARE64: Layout = Layout { code: BARE32.code, data: BARE32.data, ..RV64 };

/// What programs may write as they like.
const WRITABLE: [&str; 4] = ["mscratch", "mcause", "mtval", "misa"];
/// What they may write these bits of: the other machine has more modes, interrupts of their own, and bit 0 of mepc.
const PARTLY_WRITABLE: [(&str, u32); 4] =
    [("mstatus", MIE_BIT | MPIE_BIT), ("mie", OF_MODE), ("mepc", !1), ("mip", OF_MODE)];
/// Of the CSRs that the description has those whose values differ from machine to machine: mstatus,
/// which has more modes there; counters, which count the handler, and are read by differences; marchid
/// and mimpid, a version there.
const DIFFERENT: [&str; 13] = [
    "mstatus",
    "mcycle",
    "minstret",
    "mcycleh",
    "minstreth",
    "cycle",
    "time",
    "instret",
    "cycleh",
    "timeh",
    "instreth",
    "marchid",
    "mimpid",
];
/// Of those that it has not, all that is there on the other machine: medeleg and mideleg, which a
/// processor without supervisor mode has not (3.1.8), and mcountinhibit, which is for each to choose (3.1.12).
const THERE_ALONE: [u32; 3] = [0x302, 0x303, 0x320];

/// MIE and MPIE in mstatus, MPP as it is for machine mode.
pub(super) const MIE_BIT: u32 = 1 << 3;
pub(super) const MPIE_BIT: u32 = 1 << 7;
const MPP: u32 = 3 << 11;
/// The interrupts of software and timer, and their bits in mie and mip.
pub(super) const SOFTWARE: u32 = 3;
pub(super) const TIMER: u32 = 7;
const INTERRUPTS: u32 = 1 << SOFTWARE | 1 << TIMER;
/// Those of machine mode, from outside, too.
const OF_MODE: u32 = INTERRUPTS | 1 << 11;
/// The mode of mtvec in which each interrupt goes to a vector of its own.
const VECTORED: u32 = 1;

pub(super) const MSIP: u32 = 0x0200_0000;
pub(super) const MTIMECMP: u32 = 0x0200_4000;
/// Where nothing is, here and there.
const NOWHERE: u32 = 0x0120_0000;
const SERIAL: u32 = 0x1000_0000;
const POWER: u32 = 0x1000_1000;
/// The device that ends the run there, and what it is told.
const FINISHER: u32 = 0x0010_0000;
const FINISHED: u32 = 0x5555;

/// The writer of a seed's program.
pub(crate) fn writer<'e>(encoder: &'e Encoder<'_>, layout: &Layout, seed: u64) -> Box<dyn Writer + 'e> {
    let mut user = riscv(encoder, layout, seed);
    // What goes by the stack pointer needs programs with the data there; a few are enough.
    if seed.is_multiple_of(4) && user.counter != STACK_POINTER {
        user.base = STACK_POINTER;
    }
    Box::new(Machine::new(user))
}

/// What it has of user mode, everything; and the numbers of CSRs.
pub(super) struct Machine<'e, 'm> {
    pub(super) user: RiscV<'e, 'm>,
    /// The numbers of CSRs by their names, of those that have one number.
    csrs: BTreeMap<String, u32>,
    /// Those that can be written, and hold the same everywhere.
    readable: Vec<u32>,
    /// Those that can only be read, and hold the same everywhere.
    read_only: Vec<u32>,
    /// Those that can only be read.
    constant: Vec<u32>,
    /// Those that are not there, on neither machine.
    absent: Vec<u32>,
}

impl Writer for Machine<'_, '_> {
    fn prologue(&self) -> Vec<Word> {
        let handler = [self.vectors(), self.handler()].concat();
        let mut words = vec![
            self.encode("auipc", &[("rd", 1), ("imm", 0)]),
            self.user.add(1, 1, 16),
            self.write("mtvec", 1),
            self.to(size(&handler)),
        ];
        words.extend(handler);
        // The timer's time comes when the upper half of what it is compared with is 0.
        words.extend(self.user.constant(1, MTIMECMP));
        words.push(self.user.add(2, 0, 0xfff));
        words.push(self.store("sw", 2, 1, 4));
        words.push(self.store("sw", 0, 1, 0));
        words.extend(self.user.prologue());
        words
    }

    fn epilogue(&self) -> Vec<Word> {
        let mut words =
            vec![self.encode("csrrci", &[("rd", 0), ("csr", self.csr("mstatus")), ("imm", MIE_BIT)])];
        words.extend(self.user.stored_registers());
        // One of the registers that are stored by now
        let value = if self.user.base == 1 { 2 } else { 1 };
        for (index, csr) in (0..).zip(["mscratch", "mepc", "mcause", "mtval", "mie", "mip", "mstatus"]) {
            words.push(self.read(value, csr));
            if csr == "mstatus" {
                words
                    .push(self.encode("andi", &[("rd", value), ("rs1", value), ("imm", MIE_BIT | MPIE_BIT)]));
            }
            words.push(self.user.stored(value, LOG + 32 + 8 * index));
        }
        words.extend(self.written_data());
        words.extend(self.user.constant(10, POWER));
        words.push(self.store("sw", 0, 10, 0));
        words.extend(self.user.constant(10, FINISHER));
        words.extend(self.user.constant(11, FINISHED));
        words.push(self.store("sw", 11, 10, 0));
        words.push(self.encode("jal", &[("rd", 0), ("offset", 0)]));
        words
    }

    fn unit(&self, row: &mut Row, is_looped: bool, random: &mut Random) -> Vec<Word> {
        match random.below(16) {
            0 if random.once_in(2) => self.write_part(random),
            0 => self.write_any(random),
            1 if random.once_in(8) => self.write_handler(random),
            1 => self.read_any(random),
            2 => self.choose_interrupts(random),
            3 => self.interrupt(random),
            4 => self.leave_trap(random),
            5 => self.count(random),
            6 => self.exception(random),
            7 if self.has_atomics() && random.once_in(2) => self.fail_atomic(random),
            7 => self.fail(random),
            _ => self.user.unit(row, is_looped, random),
        }
    }

    fn repeat(&self, rounds: u32, body: Vec<Word>) -> Vec<Word> {
        self.user.repeat(rounds, body)
    }

    fn aim(&self, jump: &Forward, word: Word, way: Way) -> Option<Word> {
        self.user.aim(jump, word, way)
    }

    fn leap(&self, space: u32) -> Jump {
        self.user.leap(space)
    }

    fn grain(&self) -> u32 {
        self.user.grain()
    }
}

const STACK_POINTER: u32 = 2;

/// Where the handler keeps three registers, and behind them its sum: at the data's beginning.
pub(super) const SAVED: u32 = 0x800;
pub(super) const LOG: u32 = SAVED + 24;

/// The numbers of CSRs, of which `any` is one, that a word of an instruction can name so that it stays an
/// instruction of `group`.
fn numbers_of(encoder: &Encoder<'_>, any: u32, name: &str, group: &str) -> Vec<u32> {
    let word = encoder.encode(name, &[("csr", any), ("rs1", 0)]);
    let named = |number: &u32| Word { bits: word.bits & 0x000f_ffff | number << 20, ..word };
    let is_there = |number: &u32| encoder.find(named(number)).is_some_and(|found| found.is_in(group));
    (0..0x1000).filter(is_there).collect()
}

pub(super) fn size(words: &[Word]) -> u32 {
    words.iter().map(|word| word.bytes).sum()
}

impl<'e, 'm> Machine<'e, 'm> {
    fn new(user: RiscV<'e, 'm>) -> Machine<'e, 'm> {
        let csrs: BTreeMap<String, u32> =
            ["csr", "csr_read_only"].into_iter().flat_map(|group| user.encoder.numbers(group)).collect();
        let of = |name, group| numbers_of(user.encoder, csrs["mscratch"], name, group);
        let different: Vec<u32> = DIFFERENT.iter().filter_map(|name| csrs.get(*name)).copied().collect();
        let alike = |numbers: &[u32]| -> Vec<u32> {
            numbers.iter().copied().filter(|number| !different.contains(number)).collect()
        };
        let (writable, named) = (of("csrrw", "control"), of("csrrs", "control"));
        let constant: Vec<u32> = named.iter().copied().filter(|number| !writable.contains(number)).collect();
        let absent = of("csrrs", "undefined").into_iter();
        let absent = absent.filter(|number| !THERE_ALONE.contains(number)).collect();
        Machine { user, csrs, readable: alike(&writable), read_only: alike(&constant), constant, absent }
    }

    pub(super) fn encode(&self, name: &str, values: &[(&str, u32)]) -> Word {
        self.user.encode(name, values)
    }

    /// Goes on behind so many bytes behind it.
    pub(super) fn to(&self, bytes: u32) -> Word {
        self.encode("jal", &[("rd", 0), ("offset", 4 + bytes)])
    }

    /// The instructions that access CSRs, with what is written or without.
    fn of_control(&self, writes: bool) -> Vec<&'e Instruction> {
        let is_one =
            |one: &&Instruction| one.is_in("control") && (one.has("rs1") || one.has("imm")) == writes;
        self.user.encoder.instructions().iter().filter(is_one).collect()
    }

    pub(super) fn has_atomics(&self) -> bool {
        self.user.encoder.instructions().iter().any(|one| one.is_in("atomic"))
    }

    /// The number of a CSR that the description has.
    fn csr(&self, name: &str) -> u32 {
        self.csrs[name]
    }

    pub(super) fn write(&self, csr: &str, from: u32) -> Word {
        self.encode("csrrw", &[("rd", 0), ("csr", self.csr(csr)), ("rs1", from)])
    }

    pub(super) fn read(&self, to: u32, csr: &str) -> Word {
        self.encode("csrrs", &[("rd", to), ("csr", self.csr(csr)), ("rs1", 0)])
    }

    pub(super) fn store(&self, name: &str, value: u32, base: u32, offset: u32) -> Word {
        self.encode(name, &[("rs2", value), ("rs1", base), ("offset", offset)])
    }

    /// Two registers that are not the harness's.
    fn two(&self, random: &mut Random) -> (u32, u32) {
        let first = self.user.writable(random);
        loop {
            let second = self.user.writable(random);
            if second != first {
                return (first, second);
            }
        }
    }

    /// Any instruction that writes a CSR.
    fn write_any(&self, random: &mut Random) -> Vec<Word> {
        let instruction = *random.choose(&self.of_control(true));
        let written = self.user.writable(random);
        let (rd, any) = (*random.choose(&[0, written]), random.value(5));
        let last = if instruction.has("imm") { "imm" } else { "rs1" };
        let values = [("rd", rd), ("csr", self.csr(random.pick(&WRITABLE))), (last, any)];
        vec![self.encode(&instruction.name, &values)]
    }

    /// Any instruction that writes a CSR of which both machines have some bits. What is read of `mstatus` is
    /// those; written as a whole it keeps the mode to return to.
    fn write_part(&self, random: &mut Random) -> Vec<Word> {
        let (csr, bits) = *random.choose(&PARTLY_WRITABLE);
        let (rd, from) = self.two(random);
        loop {
            let instruction = *random.choose(&self.of_control(true));
            let is_whole = instruction.name.starts_with("csrrw");
            let mut words = Vec::new();
            let (last, value) = match instruction.has("imm") {
                true if is_whole && csr == "mstatus" => continue,
                true => ("imm", random.value(5) & bits),
                false => {
                    let mode = if is_whole && csr == "mstatus" { MPP } else { 0 };
                    words = self.user.constant(from, random.next() as u32 & bits | mode);
                    ("rs1", from)
                }
            };
            let values = [("rd", rd), ("csr", self.csr(csr)), (last, value)];
            words.push(self.encode(&instruction.name, &values));
            if csr == "mstatus" {
                words.push(self.encode("andi", &[("rd", rd), ("rs1", rd), ("imm", bits)]));
            }
            return words;
        }
    }

    /// Writes any number to `mtvec`, reads what that has made of it, and writes what it was; nothing
    /// interrupts meanwhile. Of the lowest bits the upper one stays 0: what is kept of one that is not is for
    /// each machine to choose (3.1.7).
    fn write_handler(&self, random: &mut Random) -> Vec<Word> {
        let (old, any) = self.two(random);
        let mut words =
            vec![self.encode("csrrci", &[("rd", 0), ("csr", self.csr("mstatus")), ("imm", MIE_BIT)])];
        words.push(self.encode("andi", &[("rd", any), ("rs1", any), ("imm", 0xffd)]));
        words.push(self.encode("csrrw", &[("rd", old), ("csr", self.csr("mtvec")), ("rs1", any)]));
        words.push(self.encode("csrrw", &[("rd", any), ("csr", self.csr("mtvec")), ("rs1", old)]));
        words.push(self.user.add(old, 0, 0));
        words
    }

    /// Any instruction that reads a CSR and changes nothing.
    fn read_any(&self, random: &mut Random) -> Vec<Word> {
        let rd = self.user.writable(random);
        if random.once_in(4) {
            let instruction = *random.choose(&self.of_control(false));
            let csr = *random.choose(&self.read_only);
            return vec![self.encode(&instruction.name, &[("rd", rd), ("csr", csr)])];
        }
        // Of the words of such an instruction those that write nothing may name what can only be read.
        let csr = *random.choose(&self.readable);
        loop {
            let instruction = *random.choose(&self.of_control(true));
            let last = if instruction.has("imm") { "imm" } else { "rs1" };
            let word = self.encode(&instruction.name, &[("rd", rd), ("csr", csr), (last, 0)]);
            let of_constant = Word { bits: word.bits & 0x000f_ffff | self.constant[0] << 20, ..word };
            if self.user.encoder.find(of_constant).is_some_and(|found| found.is_in("control")) {
                return vec![word];
            }
        }
    }

    /// Registers have 32 bits.
    fn has_high_halves(&self) -> bool {
        self.user.layout.register_bytes == 4
    }

    /// Lets interrupts in or keeps them out, one of them or all; or says whether they are vectored.
    fn choose_interrupts(&self, random: &mut Random) -> Vec<Word> {
        let name = *random.choose(&["csrrsi", "csrrci"]);
        match random.below(4) {
            0 | 1 => {
                return vec![self.encode(name, &[("rd", 0), ("csr", self.csr("mstatus")), ("imm", MIE_BIT)])];
            }
            2 => return vec![self.encode(name, &[("rd", 0), ("csr", self.csr("mtvec")), ("imm", VECTORED)])],
            _ => {}
        }
        let (register, old) = self.two(random);
        let mut words = self.user.constant(register, random.next() as u32 & INTERRUPTS);
        words.push(self.encode("csrrw", &[("rd", old), ("csr", self.csr("mie")), ("rs1", register)]));
        words
    }

    /// Asks for an interrupt: software's, or that of the timer.
    fn interrupt(&self, random: &mut Random) -> Vec<Word> {
        let (place, value) = self.two(random);
        if random.once_in(2) {
            let mut words = self.user.constant(place, MTIMECMP);
            words.push(self.store("sw", 0, place, 4));
            return words;
        }
        let mut words = self.user.constant(place, MSIP);
        words.push(self.user.add(value, 0, 1 + random.below(2) as u32));
        words.push(self.store("sw", value, place, 0));
        words
    }

    /// MRET to the next instruction, with what it lets in.
    fn leave_trap(&self, random: &mut Random) -> Vec<Word> {
        let register = self.user.writable(random);
        let mut words = self.user.constant(register, MPP | (random.next() as u32 & MPIE_BIT));
        words.push(self.encode("csrrs", &[("rd", 0), ("csr", self.csr("mstatus")), ("rs1", register)]));
        words.push(self.encode("auipc", &[("rd", register), ("imm", 0)]));
        words.push(self.user.add(register, register, 16));
        words.push(self.write("mepc", register));
        words.push(self.encode("mret", &[]));
        words
    }

    /// How much a counter counts from one reading to the next; its high half may be written between them.
    fn count(&self, random: &mut Random) -> Vec<Word> {
        let (first, second) = self.two(random);
        let csr = random.pick(&["mcycle", "minstret", "cycle", "instret"]);
        let is_read_only = self.csr(csr) >> 10 == 3;
        let read = |register| match is_read_only {
            false => self.read(register, csr),
            true => self.encode("csrrs_read", &[("rd", register), ("csr", self.csr(csr))]),
        };
        let mut words = vec![read(first)];
        words.extend((0..random.below(4)).map(|_| self.user.add(second, first, 1)));
        if self.has_high_halves() && random.once_in(2) {
            words.push(self.write(random.pick(&["mcycleh", "minstreth"]), second));
        }
        words.push(read(second));
        words.push(self.encode("sub", &[("rd", first), ("rs1", second), ("rs2", first)]));
        words.push(self.user.add(second, 0, 0));
        words
    }

    /// What is an exception by its nature.
    fn exception(&self, random: &mut Random) -> Vec<Word> {
        let absent = |name: &str, csr, random: &mut Random| {
            let word =
                self.encode(name, &[("rd", self.user.writable(random)), ("csr", self.csr("mscratch"))]);
            vec![Word { bits: word.bits & 0x000f_ffff | csr << 20, ..word }]
        };
        match random.below(7) {
            0 => absent("csrrw", *random.choose(&self.constant), random),
            1 => {
                let instruction = *random.choose(&self.of_control(true));
                absent(&instruction.name, *random.choose(&self.absent), random)
            }
            _ => {
                let instruction = *random.choose(&self.trapping());
                vec![match instruction.is_in("undefined") {
                    true => self.undefined(&instruction.name, random),
                    false => self.encode(&instruction.name, &[]),
                }]
            }
        }
    }

    /// What programs of user mode have none of since it ends them, and words that are no instruction.
    fn trapping(&self) -> Vec<&'e Instruction> {
        let of_users = random_instructions(self.user.encoder);
        let is_one = |one: &&Instruction| {
            let is_of_users = of_users.iter().any(|other| other.path == one.path);
            !is_of_users && !one.is_in("control") && !one.is_in("privileged")
        };
        self.user.encoder.instructions().iter().filter(is_one).collect()
    }

    /// A word that is no instruction here; of those that name CSRs the other machine has more.
    fn undefined(&self, name: &str, random: &mut Random) -> Word {
        loop {
            let word = self.user.encoder.random_word(self.user.encoder.instruction(name), random);
            let is_system = word.bits & 0x7f == 0x73;
            if !is_system && self.user.encoder.find(word).is_some_and(|found| found.name == name) {
                return word;
            }
        }
    }

    /// An access where nothing is: any load or store by a register that it names, or a fetch.
    fn fail(&self, random: &mut Random) -> Vec<Word> {
        let (place, back) = self.two(random);
        if random.once_in(3) {
            // The handler goes on where mscratch says.
            let mut words = self.user.constant(place, self.nowhere(random));
            words.push(self.encode("auipc", &[("rd", back), ("imm", 0)]));
            words.push(self.user.add(back, back, 16));
            words.push(self.write("mscratch", back));
            words.push(self.encode("jalr", &[("rd", 0), ("rs1", place), ("offset", 0)]));
            return words;
        }
        let is_access = |one: &&&Instruction| {
            one.touches_memory && one.has("offset") && !is_on_stack(one) && !one.sets_pc
        };
        let of_users = random_instructions(self.user.encoder);
        let accesses: Vec<&&Instruction> = of_users.iter().filter(is_access).collect();
        let instruction = **random.choose(&accesses);
        let place = loop {
            let register = self.user.writable(random);
            let is_named = (FIRST_SHORT..FIRST_SHORT + 8).contains(&register);
            if is_named || !is_short(instruction, "rs1") {
                break register;
            }
        };
        let named = if is_short(instruction, "rs1") { place - FIRST_SHORT } else { place };
        let mut words = self.user.constant(place, self.nowhere(random));
        let word = self.user.word(instruction, random);
        let word = self.user.encoder.set(instruction, word, "rs1", named);
        words.push(self.user.encoder.set(instruction, word, "offset", 8));
        words
    }

    /// An address where nothing is, a multiple of 8: of a load that fails and is not aligned the other
    /// machine tells another one.
    fn nowhere(&self, random: &mut Random) -> u32 {
        NOWHERE + 8 * random.below(1000) as u32
    }

    /// An atomic access that is not aligned, or where nothing is. A conditional store that is not aligned
    /// is left out, which traps here alone.
    fn fail_atomic(&self, random: &mut Random) -> Vec<Word> {
        let atomic: Vec<&Instruction> =
            self.user.encoder.instructions().iter().filter(|one| one.is_in("atomic")).collect();
        let instruction = *random.choose(&atomic);
        let place = self.user.writable(random);
        let is_doubleword = instruction.path.contains("of_doubleword");
        let mut words = match instruction.name != "sc" && random.once_in(2) {
            true => {
                let odd = if is_doubleword { 1 + random.below(7) } else { 1 + random.below(3) };
                vec![self.user.add(place, self.user.base, 0x100 + odd as u32)]
            }
            false => self.user.constant(place, self.nowhere(random)),
        };
        let word = self.user.word(instruction, random);
        words.push(self.user.encoder.set(instruction, word, "rs1", place));
        words
    }

    /// Writes the data to the serial line.
    fn written_data(&self) -> Vec<Word> {
        let mut words = self.user.constant(10, self.user.layout.data);
        words.extend(self.user.constant(11, self.user.layout.data + Layout::DATA_BYTES));
        words.extend(self.user.constant(12, SERIAL));
        words.push(self.encode("lbu", &[("rd", 13), ("rs1", 12), ("offset", 5)]));
        words.push(self.encode("andi", &[("rd", 13), ("rs1", 13), ("imm", 0x20)]));
        words.push(self.encode("beq", &[("rs1", 13), ("rs2", 0), ("offset", 8u32.wrapping_neg())]));
        words.push(self.encode("lbu", &[("rd", 13), ("rs1", 10), ("offset", 0)]));
        words.push(self.store("sb", 13, 12, 0));
        words.push(self.user.add(10, 10, 1));
        words.push(self.encode("bne", &[("rs1", 10), ("rs2", 11), ("offset", 24u32.wrapping_neg())]));
        words
    }
}
