//! Random programs for the bare ARMv6-M: calls of the supervisor, faults of all kinds, NMI, PendSV and
//! SysTick that software asks for, priorities, stacks and special registers. The engines and QEMU's
//! Cortex-M0 write the same log of exceptions and the same registers.
//!
//! Without QEMU the engines are held against each other alone, and a line says so; `ISAC_REQUIRE_TOOLS`
//! names what may not be missing.
//! `ISAC_EXCEPTION_PROGRAMS` is the number of programs, `ISAC_EXCEPTION_SEED` the first one's seed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gentool::assembler::output::write_elf;
use gentool::assembler::{Assembled, Assembler, Bases};
use isac::simulators::armv6m;
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{InMemory, SourceMap};
use sim_runtime::host::{Host, Streams};
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, Stop};
use sim_translate::TranslatedEngine;

#[allow(dead_code, reason = "programs of users are another test's")]
mod differential {
    pub(crate) mod encoder;
    pub(crate) mod figures;
    pub(crate) mod program;
    pub(crate) mod thumb;
}
mod support;

use differential::encoder::{Encoder, Instruction, Word};
use differential::figures::{self, assert_figures_are_of};
use differential::thumb::random_instructions;
use support::installed::can_compare;
use support::random::Random;
use support::setting::setting;
use support::thorough::quarter;

const PROGRAMS: u64 = 26;
/// What the default number of programs executes at least.
const LEAST_INSTRUCTIONS: u64 = 100_000;
/// Units of a program; its log has room for what they cause.
const UNITS: u32 = 130;
/// More than any program executes.
const LIMIT: u64 = 1_000_000;
/// What a run writes begins at the beginning of memory; the number of its file is the host's matter.
const HANDLE: std::ops::Range<usize> = 0x20..0x24;
/// Where the log begins in what is written, and how many bytes each exception has in it.
const LOG: usize = 0x100;
const LOG_ENTRY: usize = 20;
/// Where the return address stands in an entry.
const ADDRESS: usize = 12;
const BARRIER_BYTES: u32 = 4;

/// Those of no access and no jump that are left out: what moves the stack, on which exceptions lie (what
/// `msr` writes is chosen), and what waits there for something to come.
const NOT_RANDOM: [&str; 5] = ["add_sp", "sub_sp", "msr", "wfi", "wfe"];
/// The special registers that are no stack and do not choose one: status registers, PRIMASK.
const WRITABLE: [u32; 8] = [0, 1, 2, 3, 5, 6, 7, 16];
/// The flags and PRIMASK: QEMU has Q below the flags, which this architecture lacks (B1.4.2).
const FLAGS_AND_MASK: u32 = 0xf000_0001;

/// What are no instructions of ARMv6-M and the other machine executes: some of ARMv7 (`cbz`, `cbnz`, `it`,
/// `setend`, `cps`), `cmp` of two low registers in its form for high ones, which is UNPREDICTABLE (A6.7.18),
/// and `hlt #60` of ARMv8, a call of the host there. Bits that tell them, and what these are.
const EXECUTED_THERE: [(u32, u32); 5] =
    [(0xf500, 0xb100), (0xff00, 0xbf00), (0xff80, 0xb600), (0xffc0, 0x4500), (0xffff, 0xbabc)];
/// `nop`, in the second half of a word of 32 bits: the handler goes on there.
const NOP: u32 = 0xbf00;

/// Registers that units use: those below r7, where the accesses are, and where from.
const REGISTERS: usize = 7;
const PLACE: u32 = 6;
const OFFSET: u32 = 4;

/// The text of a program.
struct Text<'e, 'm> {
    encoder: &'e Encoder<'m>,
    lines: String,
    random: Random,
}

impl Text<'_, '_> {
    /// An instruction as bytes.
    fn word(&mut self, word: Word) {
        match word.bytes {
            2 => self.add(&format!(".half {:#x}", word.bits)),
            _ => self.add(&format!(".half {:#x}, {:#x}", word.bits & 0xffff, word.bits >> 16)),
        }
    }

    /// One of the instructions of the description that are meant.
    fn choose(&mut self, is_meant: impl Fn(&Instruction) -> bool) -> Instruction {
        let all: Vec<&Instruction> = self.encoder.instructions().iter().filter(|one| is_meant(one)).collect();
        (*self.random.choose(&all)).clone()
    }

    /// The word with a register that units use in each place that is written; else any.
    fn with_registers(&mut self, instruction: &Instruction) -> Word {
        let mut word = self.encoder.random_word(instruction, &mut self.random);
        for place in ["rd", "rdn", "rdm", "rt"] {
            if instruction.has(place) {
                let register = self.random.below(REGISTERS) as u32;
                word = self.encoder.set(instruction, word, place, register);
            }
        }
        word
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len())]
    }

    fn add(&mut self, line: &str) {
        let _ = writeln!(self.lines, "        {line}");
    }

    fn all(&mut self, lines: &[&str]) {
        lines.iter().for_each(|line| self.add(line));
    }

    /// A number in a register, in eight instructions at most.
    fn number(&mut self, register: &str, value: u32) {
        self.add(&format!("movs {register}, #{}", value >> 24));
        for byte in value.to_be_bytes().into_iter().skip(1) {
            self.add(&format!("lsls {register}, {register}, #8"));
            self.add(&format!("adds {register}, #{byte}"));
        }
    }

    fn any(&mut self) -> u32 {
        self.random.next() as u32
    }

    fn register(&mut self) -> String {
        format!("r{}", self.random.below(REGISTERS))
    }

    fn unit(&mut self) {
        match self.random.below(15) {
            0 | 1 => self.compute(),
            // QEMU 7.2 stores the next instruction's address where a call is at fault; it is that of
            // this one (B1.5.6, ReturnAddress).
            2 | 3 => {
                self.add("cpsie i");
                let number = self.random.below(16);
                self.add(&format!("svc {number}"));
            }
            4 => self.fail(),
            5 => self.access(0x2000_2801),
            6 => self.access(0x6000_0000),
            7 => {
                let line = self.pick(&["cpsid i", "cpsie i"]);
                self.add(line);
            }
            8 => self.ask(),
            9 => {
                let stack = self.pick(&["movs r4, #0", "movs r4, #2"]);
                self.all(&[stack, "msr control, r4", "isb sy"]);
            }
            10 => {
                let jump = self.pick(&["bx r6", "blx r6"]);
                self.all(&["mov r6, pc", jump, "nop"]);
            }
            11 if self.random.once_in(3) => self.write_special(),
            11 => self.read_special(),
            12 => {
                let register = self.pick(&["#0", "#4", "#0x14", "#0x1c", "#0x20"]);
                self.number("r6", 0xe000_ed00);
                self.read_control(register);
            }
            13 => self.move_stack(),
            _ => self.choose_priorities(),
        }
    }

    /// A number, or any instruction without an access and without a jump.
    fn compute(&mut self) {
        if self.random.once_in(3) {
            let (to, value) = (self.register(), self.any());
            return self.number(&to, value);
        }
        let of_users: Vec<String> =
            random_instructions(self.encoder).into_iter().map(|one| one.path.clone()).collect();
        let instruction = self.choose(|one| {
            let is_left_out = NOT_RANDOM.contains(&one.name.as_str()) || !of_users.contains(&one.path);
            !one.touches_memory && !one.sets_pc && !is_left_out
        });
        let word = self.with_registers(&instruction);
        self.word(word);
    }

    /// An instruction at fault, or a word that is none.
    fn fail(&mut self) {
        let instruction =
            self.choose(|one| ["udf", "bkpt"].contains(&&*one.name) || one.is_in("no_instruction"));
        let word = loop {
            let mut word = self.encoder.random_word(&instruction, &mut self.random);
            if word.bytes == 4 {
                word.bits = word.bits & 0xffff | NOP << 16;
            }
            let is_executed = EXECUTED_THERE.iter().any(|(mask, value)| word.bits & mask == *value);
            let is_it = self.encoder.find(word).is_some_and(|found| found.path == instruction.path);
            if is_it && (word.bytes == 4 || !is_executed) {
                break word;
            }
        };
        self.word(word);
    }

    /// Any load or store by registers; where the address is not aligned those of bytes are not at fault.
    fn access(&mut self, address: u32) {
        let odd = if address & 3 == 0 { 0 } else { 2 * self.random.below(2) as u32 };
        let instruction = self.choose(|one| one.is_in("load_store") && one.has("rn"));
        let mut word = self.with_registers(&instruction);
        word = self.encoder.set(&instruction, word, "rn", PLACE);
        self.number(&format!("r{PLACE}"), address + odd);
        if instruction.has("rm") {
            word = self.encoder.set(&instruction, word, "rm", OFFSET);
            self.add(&format!("movs r{OFFSET}, #4"));
        }
        self.word(word);
    }

    /// Reads any special register.
    fn read_special(&mut self) {
        let instruction = self.encoder.instruction("mrs").clone();
        let word = self.with_registers(&instruction);
        self.word(word);
    }

    /// Writes a special register that is no stack.
    fn write_special(&mut self) {
        let instruction = self.encoder.instruction("msr");
        let (from, to) = (self.random.below(REGISTERS) as u32, *self.random.choose(&WRITABLE));
        let word = self.encoder.encode(&instruction.name, &[("to", to), ("rn", from)]);
        let value = self.any() & FLAGS_AND_MASK;
        self.number(&format!("r{from}"), value);
        self.word(word);
    }

    /// Moves one of the two stacks, the one at hand or the other, on which what comes then lies, and back.
    fn move_stack(&mut self) {
        let (stack, bytes) = (self.pick(&["msp", "psp"]), 4 * (1 + self.random.below(8)));
        self.all(&[&format!("mrs r4, {stack}"), &format!("subs r4, #{bytes}"), &format!("msr {stack}, r4")]);
        let line =
            self.pick(&["cpsie i\n svc #1", "nop", "udf #1", "mrs r5, msp", "mrs r5, psp", "mov r5, sp"]);
        self.add(line);
        self.all(&[&format!("mrs r4, {stack}"), &format!("adds r4, #{bytes}"), &format!("msr {stack}, r4")]);
    }

    /// A register of the system control space, without bit 11 of ICSR: QEMU has RETTOBASE there, which
    /// this architecture lacks (B3.2.4).
    fn read_control(&mut self, register: &str) {
        self.add(&format!("ldr r5, [r6, {register}]"));
        self.all(&["movs r4, #8", "lsls r4, r4, #8", "bics r5, r4"]);
    }

    /// Asks for NMI, PendSV and SysTick, or takes that back. What is asked for comes before or behind the
    /// barrier, as QEMU divides its blocks of instructions.
    fn ask(&mut self) {
        self.add(".balign 64");
        self.number("r6", 0xe000_ed00);
        self.read_control("#4");
        let asked =
            ["movs r4, #16", "movs r4, #4", "movs r4, #8", "movs r4, #2", "movs r4, #20", "movs r4, #128"];
        let asked = self.pick(&asked);
        self.all(&[asked, "lsls r4, r4, #24", "str r4, [r6, #4]", "isb sy", "nop"]);
    }

    fn choose_priorities(&mut self) {
        self.add("cpsid i");
        self.number("r6", 0xe000_ed00);
        let (calls, asked) = (self.any() & 0xc000_0000, self.any() & 0xc0c0_0000);
        self.number("r4", calls);
        self.add("str r4, [r6, #0x1c]");
        self.number("r4", asked);
        self.all(&["str r4, [r6, #0x20]", "cpsie i"]);
    }
}

fn program(frame: &str, seed: u64) -> String {
    let encoder = Encoder::new(armv6m::model());
    let mut text = Text { encoder: &encoder, lines: String::new(), random: Random::new(seed) };
    (0..UNITS).for_each(|_| text.unit());
    frame.replace("@ units\n", &text.lines)
}

fn assemble(assembler: &Assembler<'_>, text: &str, sources: &mut SourceMap) -> Assembled {
    let loader = InMemory::new([("exceptions.s", text)]);
    let mut findings = Diagnostics::new();
    let files = [PathBuf::from("exceptions.s")];
    let program = assembler.assemble(&files, Bases::default(), &loader, sources, &mut findings);
    let program = program.expect("the file is there");
    program.unwrap_or_else(|| panic!("{}", findings.render(sources, Style::Plain)))
}

/// What a program writes on an engine, and how many instructions it executes.
fn run(engine: &mut dyn Engine, model: &Model, program: &Assembled) -> (Vec<u8>, u64) {
    let map = model.target.host_map.unwrap_or(0) as usize;
    for piece in &program.pieces {
        engine.machine().write_bytes(map, piece.address, &piece.bytes).expect("it lies in memory");
    }
    engine.machine().write_place(&model.pc, program.entry.into());
    let (streams, output, _) = Streams::captured(b"");
    let mut host = Host::new(streams);
    assert_eq!(engine.run(&mut host, LIMIT), Stop::Halted(0));
    host.flush().expect("buffers take everything");
    (without_handle(output.bytes()), engine.instructions())
}

fn without_handle(mut output: Vec<u8>) -> Vec<u8> {
    assert!(output.len() > LOG, "the log has been written: {} bytes", output.len());
    output[HANDLE].fill(0);
    output
}

const QEMU: &str = "qemu-system-arm";

fn has_qemu() -> bool {
    let started = Command::new(QEMU).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = started.is_ok_and(|status| status.success());
    can_compare(QEMU, is_there, "exceptions of armv6m on our engines alone")
}

/// A program on QEMU's Cortex-M0.
fn qemu_command(file: &Path) -> Command {
    let mut command = Command::new(QEMU);
    command.args(["-M", "microbit", "-cpu", "cortex-m0", "-display", "none", "-monitor", "none"]);
    command.args(["-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel"]).arg(file);
    command.stdin(Stdio::null());
    command
}

/// What a program writes there.
fn run_qemu(file: &Path) -> Vec<u8> {
    let output = qemu_command(file).output().expect("QEMU runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    without_handle(output.stdout)
}

/// Where two runs first differ, with the words there. What was asked for may have come before the
/// barrier or behind it, whose 4 bytes the return addresses then are apart.
fn first_difference(expected: &[u8], found: &[u8]) -> Option<(usize, Option<u32>, Option<u32>)> {
    let word = |bytes: &[u8], at: usize| {
        let word = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(word.try_into().expect("four bytes")))
    };
    (0..expected.len().max(found.len())).step_by(4).find_map(|at| {
        let (here, there) = (word(expected, at), word(found, at));
        let in_entry = at.checked_sub(LOG).map_or(0, |at| at % LOG_ENTRY);
        let is_asked = in_entry == ADDRESS && matches!(word(expected, at - ADDRESS), Some(2 | 14 | 15));
        let apart = here.zip(there).map_or(u32::MAX, |(here, there)| here.abs_diff(there));
        (here != there && !(is_asked && apart == BARRIER_BYTES)).then_some((at, here, there))
    })
}

/// The engines that compile: the translated one does it with whatever it comes to.
fn compiled(model: &'static Model) -> [(&'static str, Box<dyn Engine>); 3] {
    let translated = TranslatedEngine::new(model).expect("the model is translated").with_threshold(1);
    [
        ("emitted", armv6m::engine(false)),
        ("profiled", armv6m::engine(true)),
        ("translated", Box::new(translated)),
    ]
}

/// Runs the program of a seed everywhere; gives its number of instructions and of exceptions.
fn compare(seed: u64, frame: &str, assembler: &Assembler<'_>, qemu: Option<&Path>) -> (u64, usize) {
    let model = armv6m::model();
    let mut sources = SourceMap::new();
    let program = assemble(assembler, &program(frame, seed), &mut sources);
    let (expected, counted) = run(&mut ReferenceEngine::new(model), model, &program);
    for (name, mut engine) in compiled(model) {
        let found = run(engine.as_mut(), model, &program);
        assert_eq!(found, (expected.clone(), counted), "{name}, seed {seed}");
    }
    if let Some(folder) = qemu {
        let file = folder.join("program.elf");
        let elf = write_elf(model, &program, &sources).expect("the program has contents");
        fs::write(&file, elf).expect("the folder is ours");
        let difference = first_difference(&expected, &run_qemu(&file));
        assert_eq!(difference, None, "{QEMU}, seed {seed}");
    }
    (counted, (expected.len() - LOG) / LOG_ENTRY)
}

/// The figures of longer runs are of the programs that are made today.
#[test]
fn longer_runs_are_of_these_programs() {
    let (_, frame, _) = workbench("exceptions.s");
    assert_figures_are_of("armv6m", program(&frame, figures::SEED).as_bytes());
}

/// What a program of `bare.s` does, in its places, and the status that it ends with.
struct Bare {
    name: &'static str,
    body: &'static str,
    service: &'static str,
    hard: &'static str,
    /// Bit 0 of vector 11, that of calls.
    is_thumb: bool,
    status: i32,
}

const BARE: Bare = Bare { name: "", body: "", service: "", hard: "", is_thumb: true, status: 0 };

const NMI_ASKED: &str = "movs r0, #1\n lsls r0, r0, #31\n str r0, [r6, #4]\n isb sy\n nop";
const NO_STACK: &str = "movs r0, #3\n lsls r0, r0, #28\n mov sp, r0\n svc #0";
/// Asks for a reset, once: a word of memory, which that leaves alone, says that it was asked for.
const RESET: &str = "movs r2, #32\n lsls r2, r2, #24\n ldr r7, [r2, #16]\n cmp r7, #5\n beq exit
        movs r3, #5\n str r3, [r2, #16]\n movs r0, #5\n lsls r0, r0, #8\n adds r0, #0xfa
        lsls r0, r0, #16\n adds r0, #4\n str r0, [r6, #12]\n dsb sy\n b .";

/// What programs do one at a time that random ones cannot: most end in a fault.
const BARE_PROGRAMS: [Bare; 12] = [
    Bare { name: "a call", body: "svc #0", status: 8, ..BARE },
    // QEMU fetches zeros from the end of memory, where no instructions are (B3.1).
    Bare {
        name: "BLX is no return",
        body: "svc #0",
        service: "blx lr",
        hard: "movs r7, #64",
        status: 64,
        ..BARE
    },
    Bare { name: "BX is one", body: "svc #0", service: "mov r1, lr\n bx r1", status: 8, ..BARE },
    Bare { name: "no instruction", body: ".2byte 0xba80", status: 64, ..BARE },
    Bare { name: "none of 32 bits", body: ".4byte 0x0010ee00", status: 64, ..BARE },
    Bare { name: "NMI", body: NMI_ASKED, status: 1, ..BARE },
    Bare {
        name: "NMI with PRIMASK",
        body: "cpsid i\n movs r0, #1\n lsls r0, r0, #31\n str r0, [r6, #4]\n isb sy\n nop",
        status: 1,
        ..BARE
    },
    Bare { name: "NMI in HardFault", body: "udf #0", hard: NMI_ASKED, status: 129, ..BARE },
    Bare { name: "a vector without T", body: "svc #0", is_thumb: false, status: 64, ..BARE },
    Bare { name: "a call without a stack", body: NO_STACK, status: 64, ..BARE },
    Bare {
        name: "a return without a stack",
        body: "svc #0",
        service: "movs r0, #3\n lsls r0, r0, #28\n mov sp, r0",
        status: 72,
        ..BARE
    },
    Bare { name: "a reset", body: RESET, status: 5, ..BARE },
];

/// Runs a program of `bare.s` everywhere; gives the difference.
fn compare_bare(bare: &Bare, frame: &str, assembler: &Assembler<'_>, qemu: Option<&Path>) -> Vec<String> {
    let model = armv6m::model();
    let vector = if bare.is_thumb { " service + 1," } else { " service," };
    let text = frame.replace(" SERVICE,", vector).replace("@ body", bare.body);
    let text = text.replace("@ service", bare.service).replace("@ hard", bare.hard);
    let mut sources = SourceMap::new();
    let program = assemble(assembler, &text, &mut sources);
    let mut ends = Vec::new();
    let reference = Box::new(ReferenceEngine::new(model)) as Box<dyn Engine>;
    let compiled = compiled(model).into_iter().map(|(_, engine)| engine);
    for mut engine in std::iter::once(reference).chain(compiled) {
        let map = model.target.host_map.unwrap_or(0) as usize;
        for piece in &program.pieces {
            engine.machine().write_bytes(map, piece.address, &piece.bytes).expect("it lies in memory");
        }
        // As a raw image: it begins at vector 1.
        let (streams, _, _) = Streams::captured(b"");
        ends.push(engine.run(&mut Host::new(streams), LIMIT));
    }
    let mut different: Vec<String> = ends
        .iter()
        .filter(|end| **end != Stop::Halted(bare.status))
        .map(|end| format!("{}: {end:?}, expected {}", bare.name, bare.status))
        .collect();
    if let Some(folder) = qemu {
        let file = folder.join("bare.elf");
        let elf = write_elf(model, &program, &sources).expect("the program has contents");
        fs::write(&file, elf).expect("the folder is ours");
        let status = qemu_command(&file).status().expect("QEMU runs");
        if status.code() != Some(bare.status) {
            different.push(format!("{}: {QEMU} ends with {status}", bare.name));
        }
    }
    different
}

/// What programs are made with: the assembler, their frame, and a folder for them.
fn workbench(frame: &str) -> (Assembler<'static>, String, tempfile::TempDir) {
    let assembler = Assembler::new(armv6m::model()).expect("the model's instructions have texts");
    let frame = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential").join(frame);
    let frame = fs::read_to_string(frame).expect("the frame of the programs");
    (assembler, frame, tempfile::tempdir().expect("a folder"))
}

#[test]
fn one_thing_at_a_time_ends_as_on_a_cortex_m0() {
    let (assembler, frame, folder) = workbench("bare.s");
    let qemu = has_qemu().then_some(folder.path());
    let programs = BARE_PROGRAMS.iter();
    let different: Vec<String> =
        programs.flat_map(|bare| compare_bare(bare, &frame, &assembler, qemu)).collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn exceptions_of_armv6m_are_those_of_a_cortex_m0() {
    let (assembler, frame, folder) = workbench("exceptions.s");
    let qemu = has_qemu().then_some(folder.path());
    let (mut instructions, mut exceptions) = (0, 0);
    let first = setting("ISAC_EXCEPTION_SEED", 1);
    for seed in first..first + setting("ISAC_EXCEPTION_PROGRAMS", quarter(PROGRAMS)) {
        let (counted, taken) = compare(seed, &frame, &assembler, qemu);
        instructions += counted;
        exceptions += taken;
    }
    println!("{instructions} instructions, {exceptions} exceptions");
    if setting("ISAC_EXCEPTION_PROGRAMS", quarter(PROGRAMS)) >= PROGRAMS {
        assert!(instructions > LEAST_INSTRUCTIONS, "{instructions} instructions");
        assert!(exceptions > 1_000, "{exceptions} exceptions");
    }
}
