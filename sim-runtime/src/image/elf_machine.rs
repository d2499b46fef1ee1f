//! Names of the processors that ELF files are for.

use std::fmt;

/// An `e_machine` that prints as its number with its name, where we know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElfMachine(pub(crate) u16);

/// Numbers as the System V ABI gives them out.
const NAMES: &[(u16, &str)] = &[
    (2, "SPARC"),
    (3, "x86"),
    (4, "68000"),
    (8, "MIPS"),
    (20, "PowerPC"),
    (21, "PowerPC 64"),
    (22, "S/390"),
    (40, "Arm"),
    (42, "SuperH"),
    (43, "SPARC V9"),
    (45, "ARC"),
    (50, "Itanium"),
    (62, "x86-64"),
    (83, "AVR"),
    (88, "M32R"),
    (92, "OpenRISC"),
    (94, "Xtensa"),
    (105, "MSP430"),
    (106, "Blackfin"),
    (113, "Nios II"),
    (140, "TI C6000"),
    (164, "Hexagon"),
    (183, "AArch64"),
    (189, "MicroBlaze"),
    (220, "Z80"),
    (243, "RISC-V"),
    (247, "BPF"),
    (252, "C-SKY"),
    (258, "LoongArch"),
];

impl fmt::Display for ElfMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(number, _)| *number == self.0) {
            Some((number, name)) => write!(f, "{number} ({name})"),
            None => write!(f, "{}", self.0),
        }
    }
}
