//! Random programs for RISC-V in machine mode: CSRs, traps with a handler, interrupts.
//!
//! The handler sums up what each trap has told it in a word of the data, and goes on behind the
//! instruction; of an interrupt it takes the cause away.

use super::encoder::{Encoder, Word};
use super::program::{Forward, Layout, Row, Way, Writer};
use super::random::Random;
use super::riscv::{RV32, RV64, RiscV, riscv};

/// Programs for the bare machine lie where its memory is.
pub(crate) const BARE32: Layout = Layout { code: 0x8000_0000, data: 0x8010_0000, ..RV32 };
pub(crate) const BARE64: Layout = Layout { code: BARE32.code, data: BARE32.data, ..RV64 };

const MSTATUS: u32 = 0x300;
const MIE: u32 = 0x304;
const MTVEC: u32 = 0x305;
const MSCRATCH: u32 = 0x340;
const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const MTVAL: u32 = 0x343;
const MIP: u32 = 0x344;
const MCYCLE: u32 = 0xb00;
const MINSTRET: u32 = 0xb02;
/// From a counter to its high half, where registers have 32 bits.
const HIGH: u32 = 0x80;

/// What programs may write as they like.
const WRITABLE: [u32; 3] = [MSCRATCH, MCAUSE, MTVAL];
/// What they read: misa, mtvec, mip, mie, two of the counters that are not there, and their events.
const READABLE: [u32; 8] = [0x301, MTVEC, MIP, MIE, 0xb03, 0xb1f, 0x323, 0x33f];
/// The same where registers have 32 bits: mstatush, and high halves of counters that are not there.
const READABLE_HIGH: [u32; 3] = [0x310, 0xb83, 0xb9f];
/// What can only be read: mvendorid, mhartid, mconfigptr, two of the counters that are not there.
const READ_ONLY: [u32; 5] = [0xf11, 0xf14, 0xf15, 0xc03, 0xc1f];
/// The same where registers have 32 bits: high halves of counters that are not there.
const READ_ONLY_HIGH: [u32; 2] = [0xc83, 0xc9f];
/// What is not there: sstatus, satp, fcsr, and what machine mode leaves to custom extensions.
const ABSENT: [u32; 4] = [0x100, 0x180, 0x003, 0x7c0];

/// MIE and MPIE in mstatus, MPP as it is for machine mode.
const MIE_BIT: u32 = 1 << 3;
const MPIE_BIT: u32 = 1 << 7;
const MPP: u32 = 3 << 11;
/// The interrupts of software and timer, in mie and mip.
const INTERRUPTS: u32 = 1 << 3 | 1 << 7;

const MSIP: u32 = 0x0200_0000;
const MTIMECMP: u32 = 0x0200_4000;
/// Where nothing is, here and there.
const NOWHERE: u32 = 0x0120_0000;
const SERIAL: u32 = 0x1000_0000;
const POWER: u32 = 0x1000_1000;
/// The device that ends the run there, and what it is told.
const FINISHER: u32 = 0x0010_0000;
const FINISHED: u32 = 0x5555;

/// The writer of a seed's program.
pub(crate) fn writer<'e>(encoder: &'e Encoder<'_>, layout: &Layout, seed: u64) -> Box<dyn Writer + 'e> {
    Box::new(Machine { user: riscv(encoder, layout, seed) })
}

/// What it has of user mode: everything.
struct Machine<'e, 'm> {
    user: RiscV<'e, 'm>,
}

impl Writer for Machine<'_, '_> {
    fn prologue(&self) -> Vec<Word> {
        let handler = self.handler();
        let mut words = vec![
            self.encode("auipc", &[("rd", 1), ("imm", 0)]),
            self.user.add(1, 1, 16),
            self.write(MTVEC, 1),
            self.encode("jal", &[("rd", 0), ("offset", 4 + size(&handler))]),
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
        let mut words = vec![self.encode("csrrci", &[("rd", 0), ("csr", MSTATUS), ("imm", MIE_BIT)])];
        words.extend(self.user.stored_registers());
        // One of the registers that are stored by now
        let value = if self.user.base == 1 { 2 } else { 1 };
        for (index, csr) in (0..).zip([MSCRATCH, MEPC, MCAUSE, MTVAL, MIE, MIP, MSTATUS]) {
            words.push(self.read(value, csr));
            if csr == MSTATUS {
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
            0 => self.write_any(random),
            1 => self.read_any(random),
            2 => self.choose_interrupts(random),
            3 => self.interrupt(random),
            4 => self.leave_trap(random),
            5 => self.count(random),
            6 => self.exception(random),
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
}

/// Where the handler keeps three registers, and behind them its sum: at the data's beginning.
const SAVED: u32 = 0x800;
const LOG: u32 = SAVED + 24;

fn size(words: &[Word]) -> u32 {
    words.iter().map(|word| word.bytes).sum()
}

impl Machine<'_, '_> {
    fn encode(&self, name: &str, values: &[(&str, u32)]) -> Word {
        self.user.encode(name, values)
    }

    fn write(&self, csr: u32, from: u32) -> Word {
        self.encode("csrrw", &[("rd", 0), ("csr", csr), ("rs1", from)])
    }

    fn read(&self, to: u32, csr: u32) -> Word {
        self.encode("csrrs", &[("rd", to), ("csr", csr), ("rs1", 0)])
    }

    fn store(&self, name: &str, value: u32, base: u32, offset: u32) -> Word {
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
        let names = ["csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci"];
        let name = *random.choose(&names);
        let written = self.user.writable(random);
        let (rd, any) = (*random.choose(&[0, written]), random.value(5));
        let last = if name.ends_with('i') { "imm" } else { "rs1" };
        vec![self.encode(name, &[("rd", rd), ("csr", *random.choose(&WRITABLE)), (last, any)])]
    }

    /// Any instruction that reads a CSR and changes nothing.
    fn read_any(&self, random: &mut Random) -> Vec<Word> {
        let rd = self.user.writable(random);
        if random.once_in(4) {
            let names = ["csrrs_read", "csrrc_read", "csrrsi_read", "csrrci_read"];
            let name = *random.choose(&names);
            let csr = self.choose(&READ_ONLY, &READ_ONLY_HIGH, random);
            return vec![self.encode(name, &[("rd", rd), ("csr", csr)])];
        }
        let (name, last) =
            *random.choose(&[("csrrs", "rs1"), ("csrrc", "rs1"), ("csrrsi", "imm"), ("csrrci", "imm")]);
        let csr = self.choose(&READABLE, &READABLE_HIGH, random);
        vec![self.encode(name, &[("rd", rd), ("csr", csr), (last, 0)])]
    }

    /// One of some CSRs, and of those that there are besides where registers have 32 bits.
    fn choose(&self, both: &[u32], high: &[u32], random: &mut Random) -> u32 {
        match self.has_high_halves() && random.once_in(4) {
            true => *random.choose(high),
            false => *random.choose(both),
        }
    }

    /// Registers have 32 bits.
    fn has_high_halves(&self) -> bool {
        self.user.layout.register_bytes == 4
    }

    /// Lets interrupts in or keeps them out, one of them or all.
    fn choose_interrupts(&self, random: &mut Random) -> Vec<Word> {
        if random.once_in(2) {
            let name = *random.choose(&["csrrsi", "csrrci"]);
            return vec![self.encode(name, &[("rd", 0), ("csr", MSTATUS), ("imm", MIE_BIT)])];
        }
        let (register, old) = self.two(random);
        let mut words = self.user.constant(register, random.next() as u32 & INTERRUPTS);
        words.push(self.encode("csrrw", &[("rd", old), ("csr", MIE), ("rs1", register)]));
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
        words.push(self.encode("csrrs", &[("rd", 0), ("csr", MSTATUS), ("rs1", register)]));
        words.push(self.encode("auipc", &[("rd", register), ("imm", 0)]));
        words.push(self.user.add(register, register, 16));
        words.push(self.write(MEPC, register));
        words.push(self.encode("mret", &[]));
        words
    }

    /// How much a counter counts from one reading to the next; its high half may be written between them.
    fn count(&self, random: &mut Random) -> Vec<Word> {
        let (first, second) = self.two(random);
        let csr = *random.choose(&[MCYCLE, MINSTRET, 0xc00, 0xc02]);
        let name = if csr >> 10 == 3 { "csrrs_read" } else { "csrrs" };
        let read = |register| match name {
            "csrrs" => self.read(register, csr),
            _ => self.encode(name, &[("rd", register), ("csr", csr)]),
        };
        let mut words = vec![read(first)];
        words.extend((0..random.below(4)).map(|_| self.user.add(second, first, 1)));
        if self.has_high_halves() && random.once_in(2) {
            words.push(self.write(*random.choose(&[MCYCLE, MINSTRET]) + HIGH, second));
        }
        words.push(read(second));
        words.push(self.encode("sub", &[("rd", first), ("rs1", second), ("rs2", first)]));
        words.push(self.user.add(second, 0, 0));
        words
    }

    /// What is an exception by its nature.
    fn exception(&self, random: &mut Random) -> Vec<Word> {
        let absent = |name: &str, csr, random: &mut Random| {
            let word = self.encode(name, &[("rd", self.user.writable(random)), ("csr", MSCRATCH)]);
            vec![Word { bits: word.bits & 0x000f_ffff | csr << 20, ..word }]
        };
        match random.below(7) {
            0 => vec![self.encode("ecall", &[])],
            1 => vec![self.encode("ebreak", &[])],
            2 => vec![self.encode("c_ebreak", &[])],
            3 => absent("csrrw", *random.choose(&READ_ONLY), random),
            4 => absent("csrrs", *random.choose(&ABSENT), random),
            5 => vec![self.undefined("undefined_short", random)],
            _ => vec![self.undefined("undefined_long", random)],
        }
    }

    /// A word that is no instruction here; of those that name CSRs the other machine has more.
    fn undefined(&self, name: &str, random: &mut Random) -> Word {
        loop {
            let word = match name {
                "undefined_short" => Word { bits: random.next() as u32 & 0xffff, bytes: 2 },
                _ => Word { bits: random.next() as u32 | 3, bytes: 4 },
            };
            let is_system = word.bits & 0x7f == 0x73;
            if !is_system && self.user.encoder.find(word).is_some_and(|found| found.name == name) {
                return word;
            }
        }
    }

    /// An access where nothing is.
    fn fail(&self, random: &mut Random) -> Vec<Word> {
        let (place, back) = self.two(random);
        let mut words = self.user.constant(place, NOWHERE + 8 * random.below(1000) as u32);
        let (load, store) =
            (*random.choose(&["lb", "lbu", "lh", "lhu", "lw"]), *random.choose(&["sb", "sh", "sw"]));
        match random.below(3) {
            0 => words.push(self.encode(load, &[("rd", back), ("rs1", place), ("offset", 8)])),
            1 => words.push(self.store(store, back, place, 8)),
            _ => {
                // The handler goes on where mscratch says.
                words.push(self.encode("auipc", &[("rd", back), ("imm", 0)]));
                words.push(self.user.add(back, back, 16));
                words.push(self.write(MSCRATCH, back));
                words.push(self.encode("jalr", &[("rd", 0), ("rs1", place), ("offset", 0)]));
            }
        }
        words
    }

    /// The registers that the handler works with.
    fn temporaries(&self) -> [u32; 3] {
        let mut free = (5..32).filter(|register| ![self.user.base, self.user.counter].contains(register));
        std::array::from_fn(|_| free.next().expect("two are taken"))
    }

    fn handler(&self) -> Vec<Word> {
        let [sum, value, other] = self.temporaries();
        let bytes = self.user.layout.register_bytes;
        let saved = |index: u32| SAVED + index * bytes;
        let mut words: Vec<Word> = (0..)
            .zip([sum, value, other])
            .map(|(index, register)| self.user.stored(register, saved(index)))
            .collect();
        words.push(self.user.loaded(sum, LOG));
        for csr in [MCAUSE, MEPC, MTVAL, MSTATUS] {
            words.extend(self.added(csr));
        }
        words.push(self.user.stored(sum, LOG));
        let exception = self.after_exception();
        let interrupt = self.after_interrupt();
        words.push(self.read(value, MCAUSE));
        let behind = 8 + size(&exception);
        words.push(self.encode("blt", &[("rs1", value), ("rs2", 0), ("offset", behind)]));
        words.extend(exception);
        words.push(self.encode("jal", &[("rd", 0), ("offset", 4 + size(&interrupt))]));
        words.extend(interrupt);
        words.extend(
            (0..).zip([sum, value, other]).map(|(index, register)| self.user.loaded(register, saved(index))),
        );
        words.push(self.encode("mret", &[]));
        words
    }

    /// Adds a CSR to the sum. What mtval is at a breakpoint is for each machine to choose (3.1.16): it
    /// is made 0 there. Of mstatus what both machines have is taken.
    fn added(&self, csr: u32) -> Vec<Word> {
        let [sum, value, other] = self.temporaries();
        let mut words = vec![self.read(value, csr)];
        match csr {
            MTVAL => {
                words.push(self.read(other, MCAUSE));
                words.push(self.user.add(other, other, 3u32.wrapping_neg()));
                words.push(self.encode("bne", &[("rs1", other), ("rs2", 0), ("offset", 8)]));
                words.push(self.user.add(value, 0, 0));
                words.push(self.write(MTVAL, value));
            }
            MSTATUS => {
                words
                    .push(self.encode("andi", &[("rd", value), ("rs1", value), ("imm", MIE_BIT | MPIE_BIT)]));
            }
            _ => {}
        }
        words.push(self.encode("slli", &[("rd", other), ("rs1", sum), ("shamt", 5)]));
        words.push(self.encode("sub", &[("rd", sum), ("rs1", other), ("rs2", sum)]));
        words.push(self.encode("add", &[("rd", sum), ("rs1", sum), ("rs2", value)]));
        words
    }

    /// The program goes on behind the instruction, or, where it could not be fetched, where mscratch
    /// says; `value` is the cause.
    fn after_exception(&self) -> Vec<Word> {
        let [address, value, _] = self.temporaries();
        let not_equal =
            |register, offset| self.encode("bne", &[("rs1", register), ("rs2", 0), ("offset", offset)]);
        vec![
            self.read(address, MEPC),
            self.user.add(value, value, 1u32.wrapping_neg()),
            not_equal(value, 12),
            self.read(address, MSCRATCH),
            self.encode("jal", &[("rd", 0), ("offset", 28)]),
            self.encode("lbu", &[("rd", value), ("rs1", address), ("offset", 0)]),
            self.encode("andi", &[("rd", value), ("rs1", value), ("imm", 3)]),
            self.user.add(value, value, 3u32.wrapping_neg()),
            self.user.add(address, address, 2),
            not_equal(value, 8),
            self.user.add(address, address, 2),
            self.write(MEPC, address),
        ]
    }

    /// The cause goes away: bit 2 of its number tells the timer's from software's.
    fn after_interrupt(&self) -> Vec<Word> {
        let [place, value, _] = self.temporaries();
        let mut words = vec![self.encode("andi", &[("rd", value), ("rs1", value), ("imm", 4)])];
        let software = [self.user.constant(place, MSIP), vec![self.store("sw", 0, place, 0)]].concat();
        let mut timer = self.user.constant(place, MTIMECMP);
        timer.push(self.user.add(value, 0, 0xfff));
        timer.push(self.store("sw", value, place, 4));
        words.push(self.encode("bne", &[("rs1", value), ("rs2", 0), ("offset", 8 + size(&software))]));
        words.extend(software);
        words.push(self.encode("jal", &[("rd", 0), ("offset", 4 + size(&timer))]));
        words.extend(timer);
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
