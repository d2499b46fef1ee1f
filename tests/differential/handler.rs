//! Where traps of random programs for RISC-V in machine mode go.

use super::encoder::Word;
use super::machine::{LOG, MIE_BIT, MPIE_BIT, MSIP, MTIMECMP, Machine, SAVED, SOFTWARE, TIMER, size};

impl Machine<'_, '_> {
    /// The registers that the handler works with.
    fn temporaries(&self) -> [u32; 3] {
        let mut free = (5..32).filter(|register| ![self.user.base, self.user.counter].contains(register));
        std::array::from_fn(|_| free.next().expect("two are taken"))
    }

    /// Where traps go: exceptions, and interrupts that have no vector of their own, to the first of the
    /// words, which leads to the handler behind them; a vectored interrupt by way of its own vector,
    /// which adds its number to the sum.
    pub(super) fn vectors(&self) -> Vec<Word> {
        let [sum, ..] = self.temporaries();
        let add = |number| {
            vec![
                self.user.stored(sum, SAVED),
                self.user.loaded(sum, LOG),
                self.user.add(sum, sum, number),
                self.user.stored(sum, LOG),
                self.user.loaded(sum, SAVED),
            ]
        };
        let (software, timer) = (add(SOFTWARE), add(TIMER));
        let vectors = 4 * (TIMER + 1);
        let handler = vectors + size(&software) + 4 + size(&timer);
        let mut words: Vec<Word> = (0..=TIMER)
            .map(|number| {
                let target = match number {
                    SOFTWARE => vectors,
                    TIMER => vectors + size(&software) + 4,
                    _ => handler,
                };
                self.to(target - 4 * number - 4)
            })
            .collect();
        words.extend(software);
        words.push(self.to(size(&timer)));
        words.extend(timer);
        words
    }

    /// What fails of an atomic memory operation is a store, which the other machine calls a load: the
    /// cause is made that of a store there, too.
    fn cause_of_atomic(&self) -> Vec<Word> {
        let [third, value, other] = self.temporaries();
        let less = |register, number: u32| self.user.add(register, register, number.wrapping_neg());
        let shift =
            |register, shamt| self.encode("srli", &[("rd", register), ("rs1", register), ("shamt", shamt)]);
        // The words, and before them a branch around them.
        let unless = |name, register, words: Vec<Word>| {
            let offset = 4 + size(&words);
            let branch = self.encode(name, &[("rs1", register), ("rs2", 0), ("offset", offset)]);
            [vec![branch], words].concat()
        };
        let store = vec![
            self.encode("ori", &[("rd", value), ("rs1", value), ("imm", 2)]),
            self.write("mcause", value),
        ];
        // All but LR, by the bits of the opcode above.
        let of_load = [vec![shift(other, 27), less(other, 2)], unless("beq", other, store)].concat();
        let opcode = self.encode("andi", &[("rd", third), ("rs1", other), ("imm", 0x7f)]);
        let of_atomic = [vec![opcode, less(third, 0x2f)], unless("bne", third, of_load)].concat();
        let word = self.encode("lw", &[("rd", other), ("rs1", other), ("offset", 0)]);
        let of_access = [vec![self.read(other, "mepc"), word], of_atomic].concat();
        // Causes 4 and 5, those of loads.
        let mut words = vec![
            self.read(value, "mcause"),
            self.user.add(other, value, 4u32.wrapping_neg()),
            shift(other, 1),
        ];
        words.extend(unless("bne", other, of_access));
        words
    }

    pub(super) fn handler(&self) -> Vec<Word> {
        let [sum, value, other] = self.temporaries();
        let bytes = self.user.layout.register_bytes;
        let saved = |index: u32| SAVED + index * bytes;
        let mut words: Vec<Word> = (0..)
            .zip([sum, value, other])
            .map(|(index, register)| self.user.stored(register, saved(index)))
            .collect();
        if self.has_atomics() {
            words.extend(self.cause_of_atomic());
        }
        words.push(self.user.loaded(sum, LOG));
        for csr in ["mcause", "mepc", "mtval", "mstatus"] {
            words.extend(self.added(csr));
        }
        words.push(self.user.stored(sum, LOG));
        let exception = self.after_exception();
        let interrupt = self.after_interrupt();
        words.push(self.read(value, "mcause"));
        let behind = 8 + size(&exception);
        words.push(self.encode("blt", &[("rs1", value), ("rs2", 0), ("offset", behind)]));
        words.extend(exception);
        words.push(self.to(size(&interrupt)));
        words.extend(interrupt);
        words.extend(
            (0..).zip([sum, value, other]).map(|(index, register)| self.user.loaded(register, saved(index))),
        );
        words.push(self.encode("mret", &[]));
        words
    }

    /// Adds a CSR to the sum. What mtval is at a breakpoint is for each machine to choose (3.1.16): it
    /// is made 0 there. Of mstatus what both machines have is taken.
    fn added(&self, csr: &str) -> Vec<Word> {
        let [sum, value, other] = self.temporaries();
        let mut words = vec![self.read(value, csr)];
        match csr {
            "mtval" => {
                words.push(self.read(other, "mcause"));
                words.push(self.user.add(other, other, 3u32.wrapping_neg()));
                words.push(self.encode("bne", &[("rs1", other), ("rs2", 0), ("offset", 8)]));
                words.push(self.user.add(value, 0, 0));
                words.push(self.write("mtval", value));
            }
            "mstatus" => {
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
            self.read(address, "mepc"),
            self.user.add(value, value, 1u32.wrapping_neg()),
            not_equal(value, 12),
            self.read(address, "mscratch"),
            self.encode("jal", &[("rd", 0), ("offset", 28)]),
            self.encode("lbu", &[("rd", value), ("rs1", address), ("offset", 0)]),
            self.encode("andi", &[("rd", value), ("rs1", value), ("imm", 3)]),
            self.user.add(value, value, 3u32.wrapping_neg()),
            self.user.add(address, address, 2),
            not_equal(value, 8),
            self.user.add(address, address, 2),
            self.write("mepc", address),
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
        words.push(self.to(size(&timer)));
        words.extend(timer);
        words
    }
}
