//! A machine that is nothing but memory and registers, and an engine that follows a script.

use std::collections::BTreeSet;

use isac_ir::resource::Syscalls;
use isac_ir::resource::{RegisterPart, RegisterPlace};
use sim_profile::{Measurement, ModelTables};
use sim_runtime::host::{Abi, Capture, Host, LinuxResult, Streams};
use sim_runtime::launcher::{LaunchInfo, LaunchMap, LaunchRegister, LaunchStack};
use sim_runtime::{Engine, Machine, Stop};

/// 32-bit, little-endian.
pub(crate) const LITTLE32: Abi = Abi { word_bits: 32, big_endian: false, syscalls: Syscalls::Generic };
/// 64-bit, little-endian.
pub(crate) const LITTLE64: Abi = Abi { word_bits: 64, big_endian: false, syscalls: Syscalls::Generic };
/// 32-bit, big-endian.
pub(crate) const BIG32: Abi = Abi { word_bits: 32, big_endian: true, syscalls: Syscalls::Generic };
/// 64-bit, big-endian.
pub(crate) const BIG64: Abi = Abi { word_bits: 64, big_endian: true, syscalls: Syscalls::Generic };

/// Registers, and maps of pieces of memory, each with the byte address of its first cell.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeMachine {
    pub(crate) registers: Vec<Vec<u128>>,
    pub(crate) maps: Vec<Vec<(u64, Vec<u8>)>>,
}

impl FakeMachine {
    /// One map with one piece of zeros.
    pub(crate) fn with_memory(address: u64, size: usize) -> Self {
        Self { registers: Vec::new(), maps: vec![vec![(address, vec![0; size])]] }
    }

    pub(crate) fn bytes(&self, map: usize, address: u64, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        self.read_bytes(map, address, &mut bytes).expect("the test reads mapped memory");
        bytes
    }

    pub(crate) fn put(&mut self, map: usize, address: u64, bytes: &[u8]) {
        self.write_bytes(map, address, bytes).expect("the test writes mapped memory");
    }

    /// The piece and the offset in it of a byte.
    fn find(&self, map: usize, address: u64) -> Option<(usize, usize)> {
        let holds = |(base, bytes): &(u64, Vec<u8>)| {
            let offset = usize::try_from(address.checked_sub(*base)?).ok()?;
            (offset < bytes.len()).then_some(offset)
        };
        (0..).zip(self.maps.get(map)?).find_map(|(index, piece)| Some((index, holds(piece)?)))
    }
}

impl Machine for FakeMachine {
    fn read_register(&self, register: usize, element: usize) -> u128 {
        self.registers[register][element]
    }

    fn write_register(&mut self, register: usize, element: usize, value: u128) {
        self.registers[register][element] = value;
    }

    fn read_bytes(&self, map: usize, address: u64, bytes: &mut [u8]) -> Result<(), u64> {
        for (place, byte) in (0..).zip(bytes) {
            let address = address.checked_add(place).ok_or(u64::MAX)?;
            let (piece, offset) = self.find(map, address).ok_or(address)?;
            *byte = self.maps[map][piece].1[offset];
        }
        Ok(())
    }

    fn write_bytes(&mut self, map: usize, address: u64, bytes: &[u8]) -> Result<(), u64> {
        let mut unread = vec![0; bytes.len()];
        self.read_bytes(map, address, &mut unread)?;
        for (place, byte) in (0..).zip(bytes) {
            let (piece, offset) = self.find(map, address + place).ok_or(address)?;
            self.maps[map][piece].1[offset] = *byte;
        }
        Ok(())
    }
}

/// A guest that makes system calls.
pub(crate) struct Caller {
    pub(crate) machine: FakeMachine,
    pub(crate) host: Host,
    pub(crate) output: Capture,
    pub(crate) errors: Capture,
    pub(crate) abi: Abi,
    pub(crate) cycles: u64,
}

/// Where a [`Caller`] has its memory.
pub(crate) const MEMORY: u64 = 0x1000;
/// How many bytes.
pub(crate) const MEMORY_SIZE: usize = 0x4_0000;
/// An address that nothing is at.
pub(crate) const NOWHERE: u64 = 0x4000_0000;

impl Caller {
    pub(crate) fn new(abi: Abi, input: &[u8]) -> Self {
        let (streams, output, errors) = Streams::captured(input);
        let machine = FakeMachine::with_memory(MEMORY, MEMORY_SIZE);
        Self { machine, host: Host::new(streams), output, errors, abi, cycles: 0 }
    }

    pub(crate) fn result(&mut self, number: u64, arguments: &[u64]) -> LinuxResult {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        self.host.linux_call(&mut self.machine, 0, self.abi, self.cycles, number, all)
    }

    /// The result of a call that returns.
    pub(crate) fn call(&mut self, number: u64, arguments: &[u64]) -> i64 {
        match self.result(number, arguments) {
            LinuxResult::Return(value) => value,
            LinuxResult::Exit(status) => panic!("call {number} ended the guest with {status}"),
        }
    }

    pub(crate) fn put(&mut self, address: u64, bytes: &[u8]) {
        self.machine.put(0, address, bytes);
    }

    pub(crate) fn bytes(&self, address: u64, size: usize) -> Vec<u8> {
        self.machine.bytes(0, address, size)
    }

    /// Stores words in the guest's order.
    pub(crate) fn put_words(&mut self, address: u64, words: &[u64]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| self.word_bytes(*word)).collect();
        self.put(address, &bytes);
    }

    fn word_bytes(&self, word: u64) -> Vec<u8> {
        let size = if self.abi.word_bits == 64 { 8 } else { 4 };
        let mut bytes = word.to_le_bytes()[..size].to_vec();
        if self.abi.big_endian {
            bytes.reverse();
        }
        bytes
    }

    /// A number of `size` bytes in the guest's order.
    pub(crate) fn number(&self, address: u64, size: usize) -> u64 {
        let mut bytes = self.bytes(address, size);
        if self.abi.big_endian {
            bytes.reverse();
        }
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    pub(crate) fn flushed_output(&mut self) -> String {
        self.host.flush().expect("a capture takes everything");
        self.output.text()
    }
}

/// What a scripted guest does in the end.
type Action = Box<dyn FnMut(&mut Host, &mut FakeMachine)>;

/// An engine that counts instructions up to a scripted stop.
pub(crate) struct FakeEngine {
    pub(crate) machine: FakeMachine,
    pub(crate) ended: u64,
    pub(crate) cycles_each: u64,
    /// After so many instructions comes `stop`; `None` never ends.
    pub(crate) length: Option<u64>,
    pub(crate) stop: Stop,
    /// Runs before the first instruction of every slice.
    pub(crate) action: Option<Action>,
    /// So many runs pause after an instruction.
    pub(crate) pauses: u32,
    /// Whether that is at one of the addresses that were asked for.
    pub(crate) is_at_address: bool,
    /// Number of runs of 0 instructions.
    pub(crate) resets: u32,
    pub(crate) profiled: bool,
    /// Sum and number of all budgets.
    pub(crate) budgets: Vec<u64>,
}

impl FakeEngine {
    pub(crate) fn new(length: Option<u64>, stop: Stop) -> Self {
        let mut machine = FakeMachine::with_memory(0x1_0000, 0x2_0000);
        machine.registers = vec![vec![0x1_0000], vec![0; 4]];
        Self {
            machine,
            ended: 0,
            cycles_each: 2,
            length,
            stop,
            action: None,
            pauses: 0,
            is_at_address: true,
            resets: 0,
            profiled: true,
            budgets: Vec::new(),
        }
    }

    pub(crate) fn with_pauses(self, pauses: u32) -> Self {
        Self { pauses, ..self }
    }

    pub(crate) fn with_action(mut self, action: impl FnMut(&mut Host, &mut FakeMachine) + 'static) -> Self {
        self.action = Some(Box::new(action));
        self
    }
}

impl Engine for FakeEngine {
    fn machine(&mut self) -> &mut dyn Machine {
        &mut self.machine
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        if instructions == 0 {
            self.resets += 1;
            return Stop::Budget;
        }
        self.budgets.push(instructions);
        if let Some(action) = &mut self.action {
            action(host, &mut self.machine);
        }
        if self.pauses > 0 {
            self.pauses -= 1;
            self.ended += 1;
            return Stop::Paused { taken: 1, is_at_address: self.is_at_address };
        }
        let rest = self.length.map_or(u64::MAX, |length| length - self.ended);
        self.ended += instructions.min(rest);
        if rest <= instructions { self.stop } else { Stop::Budget }
    }

    fn pause_at(&mut self, _: &BTreeSet<u64>) -> bool {
        true
    }

    fn instructions(&self) -> u64 {
        self.ended
    }

    fn cycles(&self) -> u64 {
        self.ended.saturating_mul(self.cycles_each)
    }

    fn measurement(&mut self) -> Option<Measurement> {
        let tables = ModelTables { model: "fake".to_owned(), ..ModelTables::default() };
        self.profiled.then(|| Measurement { cycles: self.cycles(), ..Measurement::new(tables) })
    }
}

/// The model of [`FakeEngine`]: `pc`, `r[4]` with a stack pointer `sp`, one map.
pub(crate) fn fake_info() -> LaunchInfo {
    let register = |name: &str, count, names: &[&str]| LaunchRegister {
        name: name.to_owned(),
        width_bits: 32,
        count,
        element_names: names
            .iter()
            .map(|synonyms| synonyms.split('|').map(str::to_owned).collect())
            .collect(),
    };
    LaunchInfo {
        model: "fake".to_owned(),
        model_digest: "model".to_owned(),
        engine: "fake engine".to_owned(),
        registers: vec![register("pc", None, &[]), register("r", Some(4), &["zero", "sp", "a0|arg", "a1"])],
        maps: vec![LaunchMap {
            name: "defaultmap".to_owned(),
            address_bits: 32,
            cell_bits: 8,
            ranges: vec![(0x1_0000, 0x2_ffff)],
        }],
        aliases: Vec::new(),
        pc: place("pc", 0, 0),
        host_map: 0,
        big_endian: false,
        elf_machine: Some(243),
        elf_class: Some(32),
        physical_addresses: false,
        stack: Some(LaunchStack { pointer: place("sp", 1, 1), top: 0x3_0000 }),
        loads: Vec::new(),
    }
}

/// An element of 32 bits as a whole.
fn place(name: &str, register: u32, element: u32) -> RegisterPlace {
    let part = RegisterPart { register, element, low: 0, width_bits: 32 };
    RegisterPlace { name: name.to_owned(), location: String::new(), width_bits: 32, parts: vec![part] }
}
