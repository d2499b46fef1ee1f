//! What hazards cost on the five-stage RV32IM: each row of its README's table as a small program.

use crate::differential::encoder::Encoder;

/// Behind the caches, at the beginning of a line.
const CACHED: u32 = 0x0001_0000;
/// On the chip: no cache.
const CHIP: u32 = 0x8000_0000;

/// A program that meets a hazard once.
pub(crate) struct Hazard {
    /// As the table has it.
    pub(crate) name: &'static str,
    pub(crate) address: u32,
    pub(crate) words: Vec<u32>,
    /// Cycles lost, as the table has it.
    pub(crate) cycles: u64,
}

/// Every row of the table.
pub(crate) fn hazards(encoder: &Encoder<'_>) -> Vec<Hazard> {
    // What is not said is 0.
    let zeros = ["rd", "rs1", "rs2", "imm", "offset"].map(|place| (place, 0));
    let code = |name: &str, values: &[(&str, u32)]| encoder.encode(name, &[&zeros, values].concat()).bits;
    let add = |rd, rs1, rs2| code("add", &[("rd", rd), ("rs1", rs1), ("rs2", rs2)]);
    let addi = |rd, rs1, imm| code("addi", &[("rd", rd), ("rs1", rs1), ("imm", imm)]);
    let load = |rd, rs1| code("lw", &[("rd", rd), ("rs1", rs1)]);
    let branch = |name, offset| code(name, &[("offset", offset)]);
    let nop = addi(0, 0, 0);
    // x5 is an address on the chip, from which 0 is loaded.
    let upper = |rd, imm| code("lui", &[("rd", rd), ("imm", imm)]);
    let at_data = upper(5, 0x80800);
    let rows: Vec<(&'static str, Vec<u32>, u64)> = vec![
        ("results that the next instructions read", vec![addi(6, 0, 1), add(7, 6, 6), add(8, 7, 6)], 0),
        (
            "a load whose register the second instruction behind it reads",
            vec![at_data, load(6, 5), nop, add(7, 6, 0)],
            0,
        ),
        ("a load whose register the next instruction reads", vec![at_data, load(6, 5), add(7, 0, 6)], 1),
        (
            "a load whose register the next word names where others have rs2",
            vec![at_data, load(6, 5), addi(7, 0, 6)],
            1,
        ),
        (
            "a load, and a store of what it loaded",
            vec![at_data, load(6, 5), code("sw", &[("rs1", 5), ("rs2", 6)])],
            1,
        ),
        ("a load of `x0`", vec![at_data, load(0, 5), add(7, 0, 0)], 0),
        ("a branch not taken", vec![branch("bne", 8), nop, nop], 0),
        ("a branch taken", vec![branch("beq", 8), nop, nop], 2),
        ("`jal`", vec![branch("jal", 8), nop, nop], 2),
        ("`jalr`", vec![upper(6, 0x80000), code("jalr", &[("rs1", 6), ("offset", 12)]), nop, nop], 2),
        (
            "`mul`, and an instruction that reads its result",
            vec![code("mul", &[("rd", 6), ("rs1", 5), ("rs2", 5)]), add(7, 6, 6)],
            0,
        ),
        (
            "`div`, `divu`, `rem`, `remu`",
            vec![code("div", &[("rd", 6), ("rs1", 5), ("rs2", 5)]), add(7, 6, 6)],
            31,
        ),
        (
            "two of them",
            vec![
                code("rem", &[("rd", 6), ("rs1", 5), ("rs2", 5)]),
                code("divu", &[("rd", 6), ("rs1", 6), ("rs2", 5)]),
            ],
            62,
        ),
        ("`fence.i`", vec![code("fence_i", &[]), nop], 2),
        ("`ecall`, and an instruction that reads its result", vec![code("ecall", &[]), add(7, 10, 10)], 3),
    ];
    // x5 is the address of a line in cached memory, 2 KiB before another one of the same set.
    let cached = upper(5, 0x20);
    let load_at = |offset| code("lw", &[("rd", 6), ("rs1", 5), ("offset", offset)]);
    let store = code("sw", &[("rs1", 5)]);
    let misses: Vec<(&'static str, Vec<u32>, u64)> = vec![
        ("a load from a line that is absent", vec![cached, load_at(0)], 10),
        ("a store to a line that is absent", vec![cached, store], 10),
        ("two loads from one absent line", vec![cached, load_at(0), load_at(28)], 10),
        (
            "a load from the end of one absent line and the beginning of another",
            vec![cached, load_at(30)],
            21,
        ),
        (
            "a store and two loads, of three absent lines that two ways have to hold",
            vec![cached, store, upper(5, 0x21), load_at(0), load_at(0xffff_f800)],
            40,
        ),
    ];
    let hazard = |(name, mut words, cycles): (_, Vec<u32>, _)| {
        words.push(code("ebreak", &[]));
        Hazard { name, address: CHIP, words, cycles }
    };
    let mut hazards: Vec<Hazard> = rows.into_iter().chain(misses).map(hazard).collect();
    let fetched = ("code in a line that is absent", vec![nop; 3], 10);
    hazards.push(Hazard { address: CACHED, ..hazard(fetched) });
    hazards
}
