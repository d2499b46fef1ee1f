//! How long it takes to read descriptions and programs: sound ones, large ones, hostile ones.
//!
//! `cargo bench -p gentool --bench reading` checks every model, assembles 100,000 lines and lets
//! descriptions that were made to be expensive be refused. It prints the tables of
//! `docs/performance.md`: processor time, the median of five runs, and the most memory. A missed
//! target makes the exit status 1.

#[path = "../../benches/speed/process.rs"]
mod process;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use process::{Usage, run};

/// Of so many runs the median counts.
const REPETITIONS: usize = 5;
/// Lines of the program that is assembled.
const LINES: usize = 100_000;
const CHECK_SECONDS: f64 = 0.3;
const ASSEMBLE_SECONDS: f64 = 1.0;
const REFUSE_SECONDS: f64 = 5.0;
/// Exit status of a command that found errors in a description.
const REFUSED: i32 = sim_runtime::launcher::exit_status::MODEL;

/// Rows of the table, and whether each target so far was reached.
struct Table {
    is_missed: bool,
}

impl Table {
    fn new() -> Table {
        println!("| what | seconds | at most | | peak MiB |\n|---|---:|---:|---|---:|");
        Table { is_missed: false }
    }

    /// Runs gentool; its exit status has to be `wanted`.
    fn measure(&mut self, what: &str, arguments: &[&str], wanted: i32, at_most: f64) {
        let mut runs: Vec<Usage> = (0..REPETITIONS)
            .map(|_| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
                let usage = run(command.args(arguments)).expect("gentool runs");
                assert_eq!(usage.status, Some(wanted), "{what}: {}", usage.errors);
                usage
            })
            .collect();
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let seconds = runs[REPETITIONS / 2].seconds;
        let peak = runs.iter().filter_map(|run| run.peak_kib).max();
        let peak = peak.map_or_else(String::new, |kib| kib.div_ceil(1024).to_string());
        let word = if seconds <= at_most { "reached" } else { "MISSED" };
        self.is_missed |= seconds > at_most;
        println!("| {what} | {seconds:.3} | {at_most} | {word} | {peak} |");
    }
}

fn main() -> ExitCode {
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    let mut table = Table::new();
    for model in models() {
        let name = name_of(&model);
        table.measure(&format!("check `{name}`"), &["check", text(&model)], 0, CHECK_SECONDS);
    }
    let program = scratch.path().join("program.s");
    fs::write(&program, lines()).expect("the program can be written");
    for name in ["rv32im", "rv32imc", "rv64imac"] {
        let model = repository(&format!("models/{name}/{name}.isac"));
        let out = scratch.path().join("program.elf");
        let arguments = ["asm", text(&model), text(&program), "-o", text(&out)];
        table.measure(&format!("assemble {LINES} lines for `{name}`"), &arguments, 0, ASSEMBLE_SECONDS);
    }
    for (what, description) in hostile() {
        let path = scratch.path().join("hostile.isac");
        fs::write(&path, description).expect("the description can be written");
        table.measure(&format!("refuse {what}"), &["check", text(&path)], REFUSED, REFUSE_SECONDS);
    }
    if table.is_missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The root files of all models, in the order of their names.
fn models() -> Vec<PathBuf> {
    let folders = fs::read_dir(repository("models")).expect("the models are there");
    let mut found: Vec<PathBuf> = folders
        .filter_map(|folder| {
            let folder = folder.expect("the folder can be read").path();
            let root = folder.join(folder.file_name()?).with_extension("isac");
            root.is_file().then_some(root)
        })
        .collect();
    found.sort();
    found
}

/// A tenth of the lines each are labels, loads, branches and PSEUDOs.
fn lines() -> String {
    let mut lines = String::new();
    for number in 0..LINES {
        let line = match number % 10 {
            0 => format!("l{number}: addi a0, a0, {}", number % 2000),
            3 => format!(" beq a0, a1, l{}", number - 3),
            5 => format!(" lw a2, {}(sp)", number % 2000),
            7 => format!(" li a3, {number}"),
            _ => format!(" add t0, t{}, a{} // line {number}", number % 7, number % 8),
        };
        lines += &line;
        lines.push('\n');
    }
    lines
}

/// Descriptions that were made to be expensive.
fn hostile() -> Vec<(&'static str, String)> {
    let mut groups = String::new();
    for number in 0..1_000_000 {
        let _ = write!(groups, "GROUP g{number}=a;");
    }
    let nested = format!("CONSTANT deep = {}1{};\n", "(".repeat(100_000), ")".repeat(100_000));
    let long = format!("CONSTANT long = 1{};\n", " + 1".repeat(25_000_000));
    let mut circle = String::new();
    for number in 0..50_000 {
        let _ = write!(circle, "GROUP g{number}=g{};", (number + 1) % 50_000);
    }
    let sum = format!("CONSTANT sum = 1{};\n", "+1".repeat(8_000_000));
    vec![
        ("a million GROUPs", groups),
        ("100,000 nested parentheses", nested),
        ("a sum of eight million operands", sum),
        ("a line of 100 MB", long),
        ("a file that INCLUDEs itself", "INCLUDE \"hostile.isac\";\n".repeat(90_000)),
        ("a circle of 50,000 GROUPs", circle),
        ("16 codings that compare bits with bits", compared_bits()),
        ("50,000 instructions", instructions()),
    ]
}

/// What every processor needs but its group `instr`.
const FRAME: &str = "RESOURCE { PC REGISTER bit[32] pc; RAM bit[8] ram { SIZE (16); };
    MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
    OPERATION main { CODINGROOT { instr (defaultmap[pc]); }; BEHAVIOR { pc = pc + 4; }; };\n";

/// Members that are told apart by which bit is the first that is equal to its partner: a decoder of
/// fixed bits would have a state for each set of bits.
fn compared_bits() -> String {
    let mut text = format!("{FRAME}GROUP instr = rest");
    for member in 0..16 {
        let _ = write!(text, ", o{member}");
    }
    text += ";\nOPERATION rest { CODING { 0bx[32] }; };\n";
    for member in 0..16 {
        let before: String = (0..member).map(|bit| format!(" && f[{bit}] != f[{}]", 31 - bit)).collect();
        let last = 31 - member;
        let when = format!("f[{member}] == f[{last}]{before}");
        let _ = writeln!(text, "OPERATION o{member} {{ CODING {{ f=0bx[32] }}; WHEN {{ {when} }}; }};");
    }
    text
}

/// A group that is too large to be listed.
fn instructions() -> String {
    let names: Vec<String> = (0..50_000).map(|number| format!("o{number}")).collect();
    let mut text = format!("{FRAME}GROUP instr = {};\n", names.join(", "));
    for number in 0..50_000 {
        let _ = writeln!(text, "OPERATION o{number} {{ CODING {{ 0b{number:032b} }}; }};");
    }
    text
}

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A file as an argument.
fn text(path: &Path) -> &str {
    path.to_str().expect("paths of this repository are texts")
}

fn name_of(model: &Path) -> String {
    model.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
