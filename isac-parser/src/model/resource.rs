//! Resources and the target section, resolved.

use super::{FunctionId, id};
use crate::source::Span;

id!(
    /// Index into [`super::Model::registers`].
    RegisterId
);
id!(
    /// Index into [`super::Model::rams`].
    RamId
);
id!(
    /// Index into [`super::Model::caches`].
    CacheId
);
id!(
    /// Index into [`super::Model::devices`].
    DeviceId
);
id!(
    /// Index into [`super::Model::maps`].
    MapId
);

/// A register or a file of registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Width of an element in bits, 1 to 256.
    pub width_bits: u32,
    /// Number of elements of a file; `None` for a single register.
    pub count: Option<u32>,
    /// Value of each element after reset.
    pub reset: u128,
    /// Elements that have another value after reset, by ascending element: RESET of a PC ALIAS.
    pub element_resets: Vec<(u32, u128)>,
    /// Elements that always read a value and ignore writes, by element.
    pub hardwired: Vec<(u32, u128)>,
    /// Names of the elements, synonyms in order; empty for a single register, never shorter than
    /// `count` for a file (default `x0`, `x1`, ... after the file's name).
    pub element_names: Vec<Vec<String>>,
}

/// Bits of registers under one name: the program counter, an ALIAS, the stack pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterPlace {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Width in bits, the sum of its parts'.
    pub width_bits: u32,
    /// Its parts, the most significant first.
    pub parts: Vec<RegisterPart>,
}

/// Bits of an element of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterPart {
    /// The register.
    pub register: RegisterId,
    /// The element; 0 for a single register.
    pub element: u32,
    /// Least significant bit taken.
    pub low: u32,
    /// Number of bits taken.
    pub width_bits: u32,
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ram {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Width of a cell in bits, 1 to 256.
    pub cell_bits: u32,
    /// Number of cells.
    pub size_cells: u64,
    /// Flag R.
    pub readable: bool,
    /// Flag W.
    pub writable: bool,
    /// Flag X.
    pub executable: bool,
    /// Cycles of an access.
    pub latency: u32,
    /// The option that says so.
    pub latency_span: Option<Span>,
    /// What every cell is before the program is loaded.
    pub fill: u128,
}

/// A memory map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Width of an address in bits, 1 to 64; addresses count cells.
    pub address_bits: u32,
    /// Width of a cell in bits; all ranges share it.
    pub cell_bits: u32,
    /// The ranges by ascending address, disjoint.
    pub ranges: Vec<Range>,
}

/// One range of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// First address.
    pub low: u64,
    /// Last address.
    pub high: u64,
    /// What is behind it.
    pub target: RangeTarget,
    /// Least significant bit of the map's cell in a cell of the target.
    pub low_bit: u32,
    /// The range's text.
    pub span: Span,
}

/// What a range stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeTarget {
    /// A memory; its cell 0 is at the range's first address.
    Ram(RamId),
    /// A cache, which stands for the memory that it is over.
    Cache(CacheId),
    /// A device; its cell 0 is at the range's first address.
    Device(DeviceId),
    /// A register, or a file whose element 0 is at the range's first address.
    Register(RegisterId),
    /// Two functions: `bit[n] read(address)` and `void write(address, bit[n] cell)`.
    Functions {
        /// Called for each cell read.
        read: FunctionId,
        /// Called for each cell written.
        write: FunctionId,
    },
}

/// A cache: it keeps tags, never data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Number of cells, a power of two.
    pub size_cells: u64,
    /// Cells of a line, a power of two.
    pub line_cells: u64,
    /// Lines of a set, a power of two.
    pub ways: u64,
    /// Which line of a set goes.
    pub replacement: Replacement,
    /// What becomes of a written line.
    pub write: WritePolicy,
    /// Cycles of each line touched.
    pub hit_cycles: u32,
    /// The option that says so.
    pub hit_span: Option<Span>,
    /// Further cycles of a line that was absent, and again of a dirty victim.
    pub miss_cycles: u32,
    /// The memory behind it.
    pub over: RamId,
}

/// Which line of a set makes room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// LRU: the one not touched for longest.
    LeastRecentlyUsed,
    /// FIFO: the one that came first.
    FirstInFirstOut,
    /// RANDOM: any, by the run's seed.
    Random,
}

/// What becomes of a written line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WritePolicy {
    /// BACK: it is dirty until it goes.
    Back,
    /// THROUGH: it is never dirty.
    Through,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// What it does.
    pub kind: DeviceKind,
}

/// What a device does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    /// Bytes from standard input and to standard output.
    Console,
    /// The time in cycles, and one to compare it with.
    Timer,
    /// Ends the run.
    Exit,
}

/// Byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    /// The first cell is the least significant.
    Little,
    /// The first cell is the most significant.
    Big,
}

/// System calls that `linux_call` answers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syscalls {
    /// The numbers of `asm-generic/unistd.h`.
    LinuxGeneric,
    /// Those of 32-bit MIPS, with its flags and error numbers.
    LinuxO32,
    /// Those of 32-bit Arm, with its flags.
    LinuxEabi,
}

/// Which of its two addresses a segment of an ELF file is loaded at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElfAddress {
    /// Where the running program finds it.
    Virtual,
    /// Where it is stored before the program runs.
    Physical,
}

/// The TARGET section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// ENDIAN, default little.
    pub endian: Endian,
    /// ELF_MACHINE: the `e_machine` that the loader accepts; `None` accepts any.
    pub elf_machine: Option<u16>,
    /// ELF_CLASS: 32 or 64; `None` accepts any.
    pub elf_class: Option<u32>,
    /// ELF_ADDRESS, default virtual.
    pub elf_address: ElfAddress,
    /// STACK: the stack pointer and its initial value.
    pub stack: Option<(RegisterPlace, u128)>,
    /// HOST: the map that loader and host calls use; default `defaultmap`, else the only map.
    pub host: Option<MapId>,
    /// SYSCALLS, default the generic numbers.
    pub syscalls: Syscalls,
    /// LOAD: image bytes `low..=high` go to the map from cell 0 on.
    pub loads: Vec<(u64, u64, MapId)>,
    /// COMMENT: what begins a comment in assembler text.
    pub comment: Option<String>,
    /// HEX: prefix of a hexadecimal number in assembler text.
    pub hex: Option<String>,
    /// BINARY: prefix of a binary number in assembler text.
    pub binary: Option<String>,
}
