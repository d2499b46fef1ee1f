//! A model's registers as gdb wants them.
//!
//! gdb knows some processors itself: there it expects registers of certain names, which it then uses
//! to find frames and return addresses. They are filled from the model's. All others of the model
//! follow in a group of their own; of a processor that gdb does not know there are only these.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::resource::RegisterPlace;

use super::value::Source;
use crate::place::find_place;
use crate::touching::Touching;

/// Files with more elements are not shown by gdb, which reads all registers at every stop.
const MOST_ELEMENTS: u32 = 256;

/// A register that gdb sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GdbRegister {
    pub(super) name: String,
    /// 8, 16, 32, 64, 128 or 256.
    pub(super) width_bits: u32,
    pub(super) source: Source,
    /// gdb's number of it.
    pub(super) number: usize,
}

/// Registers that belong together, by a name that gdb may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Feature {
    pub(super) name: String,
    pub(super) registers: Vec<GdbRegister>,
}

/// What gdb is told of a processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Its name for gdb; `None` if gdb does not know it, or is not to be told.
    pub(super) architecture: Option<&'static str>,
    pub(super) features: Vec<Feature>,
    /// True if gdb lets itself be told of registers; else it expects its own and no others.
    pub(super) is_told: bool,
    pub(super) big_endian: bool,
    /// Where gdb takes it that the processor stops before an instruction that touches what is watched: it
    /// then steps over that instruction by itself before it looks.
    pub(super) stops_before_touching: Option<Touching>,
}

/// What gdb takes it that processors do, by their number in ELF files. AVRs stop behind.
fn touching(elf_machine: u16) -> Option<Touching> {
    match elf_machine {
        // MIPS and OpenRISC.
        8 | 92 => Some(Touching::OrJumpBefore),
        // ARM, Xtensa, AArch64, RISC-V, LoongArch, Alpha.
        40 | 94 | 183 | 243 | 258 | 0x9026 => Some(Touching::Before),
        _ => None,
    }
}

impl Layout {
    /// That of a model.
    #[must_use]
    pub fn of_model(model: &Model) -> Layout {
        let known = match (model.target.elf_machine, model.target.elf_class) {
            (Some(243), Some(64)) => riscv(model, "riscv:rv64", 64),
            (Some(243), _) => riscv(model, "riscv:rv32", 32),
            (Some(8), _) => mips(model),
            (Some(40), _) => arm(model),
            (Some(83), _) => avr(model),
            _ => None,
        };
        let mut layout = known.unwrap_or(Layout {
            architecture: None,
            features: Vec::new(),
            is_told: true,
            big_endian: false,
            stops_before_touching: None,
        });
        layout.big_endian = model.target.big_endian;
        layout.stops_before_touching = model.target.elf_machine.and_then(touching);
        if layout.is_told {
            layout.add_others(model);
        }
        layout
    }

    /// All registers, by ascending number.
    pub(super) fn registers(&self) -> impl Iterator<Item = &GdbRegister> {
        self.features.iter().flat_map(|feature| &feature.registers)
    }

    pub(super) fn register(&self, number: usize) -> Option<&GdbRegister> {
        self.registers().find(|register| register.number == number)
    }

    /// Registers of the model that gdb has not asked for.
    fn add_others(&mut self, model: &Model) {
        let parts =
            |source: &Source| source.fields.iter().flat_map(|(_, place)| place.parts.clone()).collect();
        let shown: Vec<_> =
            self.registers().flat_map(|register| -> Vec<_> { parts(&register.source) }).collect();
        let mut names: BTreeSet<String> = self.registers().map(|register| register.name.clone()).collect();
        let mut others = Vec::new();
        let has_pc = self.registers().any(|register| register.source.is_pc);
        if !has_pc {
            names.insert("pc".to_owned());
            let width_bits = width_in_packets(model.pc.width_bits.max(32));
            others.push(("pc".to_owned(), width_bits, Source { is_pc: true, ..Source::default() }));
        }
        for (index, register) in (0u32..).zip(&model.registers) {
            if register.elements() > MOST_ELEMENTS {
                continue;
            }
            for element in 0..register.elements() {
                let whole = |part: &isac_ir::resource::RegisterPart| {
                    (part.register, part.element, part.low, part.width_bits)
                        == (index, element, 0, register.width_bits.min(128))
                };
                let is_pc = model.pc.parts.iter().any(whole);
                if is_pc || shown.iter().any(whole) {
                    continue;
                }
                let name = element_name(register, element);
                let name = if names.insert(name.clone()) { name } else { unused(&mut names, &name) };
                let place = RegisterPlace::of_element(&name, index, element, register.width_bits);
                others.push((name, width_in_packets(register.width_bits), Source::of(place)));
            }
        }
        let first = self.registers().map(|register| register.number + 1).max().unwrap_or(0);
        let registers = others
            .into_iter()
            .zip(first..)
            .map(|((name, width_bits, source), number)| GdbRegister { name, width_bits, source, number });
        self.features.push(Feature { name: "org.isac.model".to_owned(), registers: registers.collect() });
    }
}

fn element_name(register: &isac_ir::resource::Register, element: u32) -> String {
    let named = register.element_names.get(element as usize).and_then(|names| names.first());
    match (register.count, named) {
        (None, _) => register.name.clone(),
        (Some(_), Some(name)) => name.clone(),
        (Some(_), None) => format!("{}{element}", register.name),
    }
}

fn unused(names: &mut BTreeSet<String>, name: &str) -> String {
    let candidates = (1..).map(|number| format!("{name}_{number}"));
    let mut free = candidates.filter(|candidate| names.insert(candidate.clone()));
    free.next().unwrap_or_default()
}

/// The width that a value takes in packets.
fn width_in_packets(width_bits: u32) -> u32 {
    width_bits.max(8).next_power_of_two()
}

/// Registers under construction: each takes the next number unless it is told another.
struct Builder<'m> {
    model: &'m Model,
    registers: Vec<GdbRegister>,
    next: usize,
}

impl<'m> Builder<'m> {
    fn new(model: &'m Model, next: usize) -> Builder<'m> {
        Builder { model, registers: Vec::new(), next }
    }

    fn add(&mut self, name: &str, width_bits: u32, source: Source) {
        let number = self.next;
        self.registers.push(GdbRegister { name: name.to_owned(), width_bits, source, number });
        self.next += 1;
    }

    /// A register of the model's; `None` if it has none of that name.
    fn place(&mut self, name: &str, width_bits: u32, of_model: &str) -> Option<()> {
        let place = find_place(self.model, of_model)?;
        self.add(name, width_bits, Source::of(place));
        Some(())
    }

    /// One that reads as zero.
    fn absent(&mut self, name: &str, width_bits: u32) {
        self.add(name, width_bits, Source::default());
    }

    fn pc(&mut self, name: &str, width_bits: u32) {
        self.add(name, width_bits, Source { is_pc: true, ..Source::default() });
    }

    fn feature(self, name: &str) -> Feature {
        Feature { name: name.to_owned(), registers: self.registers }
    }
}

fn told(architecture: &'static str, features: Vec<Feature>) -> Layout {
    Layout {
        architecture: Some(architecture),
        features,
        is_told: true,
        big_endian: false,
        stops_before_touching: None,
    }
}

/// gdb manual, "RISC-V Features".
fn riscv(model: &Model, architecture: &'static str, width_bits: u32) -> Option<Layout> {
    let mut cpu = Builder::new(model, 0);
    for index in 0..32 {
        cpu.place(&format!("x{index}"), width_bits, &format!("x[{index}]"))?;
    }
    cpu.pc("pc", width_bits);
    Some(told(architecture, vec![cpu.feature("org.gnu.gdb.riscv.cpu")]))
}

/// gdb manual, "MIPS Features": what it demands of coprocessors is there and zero.
fn mips(model: &Model) -> Option<Layout> {
    let mut cpu = Builder::new(model, 0);
    for index in 0..32 {
        cpu.place(&format!("r{index}"), 32, &format!("r[{index}]"))?;
    }
    cpu.next = 33;
    cpu.place("lo", 32, "LO")?;
    cpu.place("hi", 32, "HI")?;
    cpu.next = 37;
    cpu.pc("pc", 32);
    let mut system = Builder::new(model, 32);
    system.absent("status", 32);
    system.next = 35;
    system.absent("badvaddr", 32);
    system.absent("cause", 32);
    let mut floating = Builder::new(model, 38);
    for index in 0..32 {
        floating.absent(&format!("f{index}"), 32);
    }
    floating.absent("fcsr", 32);
    floating.absent("fir", 32);
    let features = vec![
        cpu.feature("org.gnu.gdb.mips.cpu"),
        system.feature("org.gnu.gdb.mips.cp0"),
        floating.feature("org.gnu.gdb.mips.fpu"),
    ];
    Some(told("mips", features))
}

/// gdb manual, "ARM Features", for microcontrollers; XPSR as ARMv6-M has it, always in Thumb state.
fn arm(model: &Model) -> Option<Layout> {
    let mut profile = Builder::new(model, 0);
    for index in 0..13 {
        profile.place(&format!("r{index}"), 32, &format!("r[{index}]"))?;
    }
    profile.place("sp", 32, "r[13]")?;
    profile.place("lr", 32, "r[14]")?;
    profile.pc("pc", 32);
    profile.next = 25;
    let flags = [(31, "n"), (30, "z"), (29, "c"), (28, "v"), (0, "exception")];
    let fields = flags.into_iter().map(|(low, name)| Some((low, find_place(model, name)?)));
    let source = Source { fields: fields.collect::<Option<_>>()?, constant: 1 << 24, is_pc: false };
    profile.add("xpsr", 32, source);
    Some(told("arm", vec![profile.feature("org.gnu.gdb.arm.m-profile")]))
}

/// What gdb expects of an AVR, which it does not let itself be told otherwise.
fn avr(model: &Model) -> Option<Layout> {
    let mut core = Builder::new(model, 0);
    for index in 0..32 {
        core.place(&format!("r{index}"), 8, &format!("r[{index}]"))?;
    }
    core.place("SREG", 8, "sreg")?;
    core.place("SP", 16, "sp")?;
    core.pc("PC2", 32);
    // Which of the AVRs it is, the program's file tells.
    let features = vec![core.feature("org.isac.avr")];
    let (architecture, is_told) = (None, false);
    Some(Layout { architecture, features, is_told, big_endian: false, stops_before_touching: None })
}
