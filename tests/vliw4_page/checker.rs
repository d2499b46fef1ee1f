//! A simulator of VLIW4, written from the machine's manual page `models/vliw4/README.md` alone. It
//! knows nothing of the description and of what simulates it; its sections are the page's.

use std::collections::BTreeMap;

use super::program::Program;

/// Bytes of data memory.
pub(crate) const MEMORY_BYTES: usize = 0x10000;
/// The byte that is the console.
const CONSOLE: u32 = 0x10000;

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Running,
    Halted(u32),
    Fault,
}

/// What happens later than at the issue.
#[derive(Debug, Clone, Copy)]
enum Effect {
    Register {
        number: u32,
        value: u32,
    },
    Predicate {
        number: u32,
        value: bool,
    },
    Go {
        target: u16,
    },
    /// Into the place of the load's result.
    Read {
        address: u32,
        load: usize,
        bytes: u32,
        is_signed: bool,
    },
    Loaded {
        number: u32,
        load: usize,
    },
    Write {
        address: u32,
        value: u32,
        bytes: u32,
    },
}

/// The state, and what is under way.
pub(crate) struct Checker {
    registers: [u32; 32],
    predicates: [bool; 4],
    pub(crate) pc: u16,
    origin: u16,
    bundles: Vec<u128>,
    pub(crate) memory: Vec<u8>,
    /// What the console has still to give, the last byte first.
    input: Vec<u8>,
    /// What was sent to it.
    pub(crate) output: Vec<u8>,
    cycle: u64,
    due: BTreeMap<u64, Vec<Effect>>,
    /// What loads have read, in the order of their issue.
    loads: Vec<u32>,
    pub(crate) end: End,
}

/// A word of a slot, taken apart as section 4 says.
#[derive(Clone, Copy)]
struct Slot {
    word: u32,
    number: usize,
}

impl Slot {
    fn bits(self, high: u32, low: u32) -> u32 {
        (self.word >> low) & (u32::MAX >> (31 - (high - low)))
    }

    fn signed(self, high: u32, low: u32) -> u32 {
        let unused = 31 - (high - low);
        ((self.bits(high, low) << unused).cast_signed() >> unused).cast_unsigned()
    }
}

impl Checker {
    pub(crate) fn new(program: &Program, input: &[u8]) -> Checker {
        Checker {
            registers: [0; 32],
            predicates: [true, false, false, false],
            pc: program.origin,
            origin: program.origin,
            bundles: program.bundles.clone(),
            memory: vec![0; MEMORY_BYTES],
            input: input.iter().rev().copied().collect(),
            output: Vec::new(),
            cycle: 0,
            due: BTreeMap::new(),
            loads: Vec::new(),
            end: End::Running,
        }
    }

    pub(crate) fn register(&self, number: usize) -> u32 {
        self.registers[number]
    }

    pub(crate) fn predicate(&self, number: usize) -> bool {
        self.predicates[number]
    }

    /// Section 2: runs a cycle, unless the run has ended.
    pub(crate) fn step(&mut self) {
        for effect in self.due.remove(&self.cycle).unwrap_or_default() {
            if self.end == End::Running && self.happen(effect).is_none() {
                self.end = End::Fault;
            }
        }
        if self.end == End::Running {
            self.issue();
        }
        self.cycle += 1;
    }

    /// `None` if memory is not there.
    fn happen(&mut self, effect: Effect) -> Option<()> {
        match effect {
            Effect::Register { number: 0, .. }
            | Effect::Loaded { number: 0, .. }
            | Effect::Predicate { number: 0, .. } => {}
            Effect::Register { number, value } => self.registers[number as usize] = value,
            Effect::Loaded { number, load } => self.registers[number as usize] = self.loads[load],
            Effect::Predicate { number, value } => self.predicates[number as usize] = value,
            Effect::Go { target } => self.pc = target,
            Effect::Read { address, load, bytes, is_signed } => {
                let value = match (address, bytes) {
                    (CONSOLE, 1) => self.input.pop().unwrap_or(0xff).into(),
                    _ => self.bytes(address, bytes)?,
                };
                let sign = 1 << (8 * bytes - 1);
                let extends = is_signed && value & sign != 0;
                self.loads[load] = if extends { value.wrapping_sub(sign << 1) } else { value };
            }
            Effect::Write { address: CONSOLE, value, bytes: 1 } => self.output.push(value as u8),
            Effect::Write { address, value, bytes } => {
                let place = self.memory.get_mut(address as usize..address as usize + bytes as usize)?;
                place.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
            }
        }
        Some(())
    }

    /// Bytes of data memory, low byte first.
    fn bytes(&self, address: u32, bytes: u32) -> Option<u32> {
        let place = self.memory.get(address as usize..address as usize + bytes as usize)?;
        Some(place.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }

    fn issue(&mut self) {
        let address = self.pc;
        let bundle = self.bundles.get(usize::from(address.wrapping_sub(self.origin))).copied().unwrap_or(0);
        let slots = [0, 1, 2, 3].map(|number| Slot { word: (bundle >> (32 * number)) as u32, number });
        if !slots.iter().all(|slot| is_operation(*slot)) {
            self.end = End::Fault;
            return;
        }
        self.pc = address.wrapping_add(1);
        for slot in slots.into_iter().filter(|slot| slot.word != 0) {
            // Section 4: the predicate is asked at the issue.
            if self.predicates[slot.bits(31, 30) as usize] && self.end == End::Running {
                self.execute(slot, address);
            }
        }
    }

    fn note(&mut self, latency: u64, effect: Effect) {
        self.due.entry(self.cycle + latency).or_default().push(effect);
    }

    fn read(&self, slot: Slot, high: u32) -> u32 {
        self.registers[slot.bits(high, high - 4) as usize]
    }

    fn execute(&mut self, slot: Slot, address: u16) {
        match (slot.number, slot.bits(28, 24)) {
            (_, 1..=23) => self.integer(slot),
            (0, _) => self.control(slot, address),
            (1, _) => self.multiply(slot),
            _ => self.memory(slot),
        }
    }

    /// Section 5
    fn integer(&mut self, slot: Slot) {
        let a = self.read(slot, 18);
        let b = if slot.bits(29, 29) == 1 { slot.signed(13, 0) } else { self.read(slot, 4) };
        let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
        let holds = match slot.bits(28, 24) {
            16 => Some(a == b),
            17 => Some(a != b),
            18 => Some(signed_a < signed_b),
            19 => Some(signed_a >= signed_b),
            20 => Some(a < b),
            21 => Some(a >= b),
            _ => None,
        };
        if let Some(value) = holds {
            self.note(1, Effect::Predicate { number: slot.bits(20, 19), value });
            return;
        }
        let value = match slot.bits(28, 24) {
            1 => a.wrapping_add(b),
            2 => a.wrapping_sub(b),
            3 => a & b,
            4 => a | b,
            5 => a ^ b,
            6 => a << (b & 31),
            7 => a >> (b & 31),
            8 => (signed_a >> (b & 31)).cast_unsigned(),
            9 => signed_a.min(signed_b).cast_unsigned(),
            10 => signed_a.max(signed_b).cast_unsigned(),
            22 => slot.signed(18, 0),
            _ => slot.bits(15, 0) << 16 | self.read(slot, 23) & 0xffff,
        };
        self.note(1, Effect::Register { number: slot.bits(23, 19), value });
    }

    /// Section 6
    fn multiply(&mut self, slot: Slot) {
        let (a, b) = (self.read(slot, 18), self.read(slot, 4));
        let value = match slot.bits(28, 24) {
            24 => a.wrapping_mul(b),
            25 => ((i64::from(a.cast_signed()) * i64::from(b.cast_signed())) >> 32) as u32,
            _ => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        };
        self.note(3, Effect::Register { number: slot.bits(23, 19), value });
    }

    /// Section 7
    fn memory(&mut self, slot: Slot) {
        let address = self.read(slot, 18).wrapping_add(slot.signed(13, 0));
        let number = slot.bits(23, 19);
        let (bytes, is_signed) = match slot.bits(28, 24) {
            24 | 29 => (4, false),
            25 => (2, true),
            26 | 30 => (2, false),
            27 => (1, true),
            _ => (1, false),
        };
        if slot.bits(28, 24) >= 29 {
            let value = self.read(slot, 23);
            self.note(1, Effect::Write { address, value, bytes });
            return;
        }
        let load = self.loads.len();
        self.loads.push(0);
        self.note(1, Effect::Read { address, load, bytes, is_signed });
        self.note(2, Effect::Loaded { number, load });
    }

    /// Section 8
    fn control(&mut self, slot: Slot, address: u16) {
        match slot.bits(28, 24) {
            24 => self.note(2, Effect::Go { target: slot.bits(15, 0) as u16 }),
            25 => {
                let value = address.wrapping_add(2).into();
                self.note(1, Effect::Register { number: slot.bits(23, 19), value });
                self.note(2, Effect::Go { target: slot.bits(15, 0) as u16 });
            }
            26 => {
                let target = self.read(slot, 18) as u16;
                self.note(2, Effect::Go { target });
            }
            _ => self.end = End::Halted(self.read(slot, 18)),
        }
    }
}

/// Sections 3 to 8: true if the word is an operation of its slot.
fn is_operation(slot: Slot) -> bool {
    let is_register = slot.bits(29, 29) == 0;
    let second = !is_register || slot.bits(13, 5) == 0;
    match (slot.number, slot.bits(28, 24)) {
        (_, 0) => slot.word == 0,
        (_, 1..=10) => second,
        (_, 16..=21) => second && slot.bits(23, 21) == 0,
        (_, 22) => is_register,
        (_, 23) => is_register && slot.bits(18, 16) == 0,
        (0, 24) => is_register && slot.bits(23, 16) == 0,
        (0, 25) => is_register && slot.bits(18, 16) == 0,
        (0, 26 | 27) => is_register && slot.bits(23, 19) == 0 && slot.bits(13, 0) == 0,
        (1, 24..=26) => is_register && slot.bits(13, 5) == 0,
        (2 | 3, 24..=31) => is_register,
        _ => false,
    }
}
