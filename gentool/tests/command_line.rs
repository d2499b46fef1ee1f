//! The command line as a user meets it: what it says to what, and the exit status.
//!
//! Whole output is held in `cli/*.snap`; `@` stands for the test's own folder. Runs are the
//! reference engine's, so that no simulator is built.

#[path = "../../sim-runtime/tests/services/elf_file.rs"]
#[allow(dead_code, reason = "made for the tests of the loader")]
mod elf_file;

mod command_line {
    pub(crate) mod bench;
    mod counters;
    mod flow;
    mod functions;
    mod images;
    mod package;
    mod pipeline;
    mod program;
    mod result;
}

use std::fs;
use std::process::{Command, Stdio};

use command_line::bench::{Bench, TINY8, check, reference, status};

#[test]
fn a_description_that_cannot_be_read_is_named() {
    let bench = Bench::new().with("latin1.isac", b"// \xe9\n");
    check(
        "unreadable_description",
        &bench,
        &["check @nowhere.isac", "check models/tiny8", "check @latin1.isac"],
    );
}

#[test]
fn a_wrong_description_is_shown_where_it_is_wrong() {
    let errors = "isac-parser/tests/errors";
    let cases = [
        "syntax/missing_semicolon",
        "resolve/undefined_name",
        "resolve/defined_twice",
        "resolve/coding_width",
        "resolve/ambiguous",
        "resolve/missing_main",
        "resolve/missing_pc",
    ];
    let lines: Vec<String> = cases.iter().map(|case| format!("check {errors}/{case}.isac")).collect();
    check("wrong_description", &Bench::new(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Every command that takes a description refuses a wrong one with the same status.
#[test]
fn no_command_goes_on_with_a_wrong_description() {
    let bench = Bench::new().with("wrong.isac", "OPERATION main { BEHAVIOR { nothing = 1; }; };\n");
    for line in [
        "check @wrong.isac",
        "dump decoder @wrong.isac",
        "generate @wrong.isac --out @out",
        "run @wrong.isac @nowhere.elf --engine reference --report @r.xml",
        "run @wrong.isac @nowhere.elf",
    ] {
        let output = bench.run(line);
        assert_eq!(status(&output), 126, "{line}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("wrong.isac:1:"), "{line} names the place");
    }
    assert!(!bench.exists("out") && !bench.exists("r.xml"), "nothing is written");
}

#[test]
fn a_sound_description_is_summed_up() {
    check(
        "sound_description",
        &Bench::new(),
        &["check models/tiny8/tiny8.isac", "check models/rv32im/rv32im.isac"],
    );
}

#[test]
fn a_constant_can_be_replaced_by_a_number_that_exists() {
    let bench = Bench::new().with("wide.isac", "CONSTANT SIZE = 256;\n");
    check(
        "constants",
        &bench,
        &[
            "check -D SIZE @wide.isac",
            "check -D SIZE=many @wide.isac",
            "check -D OTHER=1 @wide.isac",
            "check -D SIZE=1 -D SIZE=2 @wide.isac",
            "check -D 1SIZE=1 @wide.isac",
            "check -D SIZE=0x100000000000000000000000000000000 @wide.isac",
        ],
    );
}

#[test]
fn an_option_that_makes_no_sense_is_explained() {
    let hello = "models/tiny8/programs/hello.bin";
    let lines = [
        String::new(),
        "simulate".to_owned(),
        "check".to_owned(),
        "check --loudly models/tiny8/tiny8.isac".to_owned(),
        "dump everything models/tiny8/tiny8.isac".to_owned(),
        reference(TINY8, hello, "--reprot r.xml"),
        reference(TINY8, hello, "--limit-instructions many"),
        reference(TINY8, hello, "--timeout -1"),
        reference(TINY8, hello, "--set cx=1"),
        reference(TINY8, hello, "--set ax"),
        reference(TINY8, hello, "--set ax=256"),
        reference(TINY8, hello, "--pc here"),
        reference(TINY8, hello, "--pc 0x100"),
        reference(TINY8, hello, "--raw --format elf"),
        reference(TINY8, hello, "--root @missing"),
        reference(TINY8, hello, "-- an argument"),
        format!("run {TINY8} {hello} --engine fastest"),
        format!("run {TINY8} {hello} --engine emitted --events @events"),
        format!("run {TINY8} {hello} --engine emitted --pipeline-trace @trace"),
        format!("run {TINY8} {hello} --gdb here"),
        format!("run {TINY8} {hello} --gdb 0 --engine emitted"),
        format!("run {TINY8} {hello} --gdb 0 --events @events"),
        format!("debug {TINY8} {hello} --events @events"),
        format!("debug {TINY8} {hello} --input @missing"),
    ];
    check("bad_options", &Bench::new(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn every_command_explains_itself() {
    for command in [
        "",
        "new ",
        "check ",
        "fmt ",
        "lsp ",
        "generate ",
        "run ",
        "debug ",
        "dump ",
        "report ",
        "counters ",
        "advise ",
        "completions ",
        "man ",
    ] {
        let name = format!("help_{}", command.trim()).trim_end_matches('_').to_owned();
        check(&name, &Bench::new(), &[&format!("{command}--help")]);
    }
}

/// The commands that the help lists.
fn listed_commands() -> Vec<String> {
    let help = String::from_utf8(Bench::new().run("--help").stdout).expect("text");
    let list = help.split_once("Commands:\n").expect("a list").1.split_once("\n\n").expect("it ends").0;
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_manual_page_with_its_options() {
    let bench = Bench::new();
    assert_eq!(status(&bench.run("man @deep/man1")), 0);
    let commands = listed_commands();
    assert!(commands.len() >= 16, "{commands:?}");
    assert_eq!(fs::read_dir(bench.path("deep/man1")).expect("a folder").count(), commands.len() + 1);
    let first = bench.text("deep/man1/gentool.1");
    assert!(first.contains("gentool\\-run(1)") && !first.contains("gentool\\-help(1)"), "{first}");
    assert!(!first.contains("EXTRA") && first.contains(".SH NOTES"), "{first}");
    let report = bench.text("deep/man1/gentool-report.1");
    for part in ["[\\-\\-require LEVEL=PERCENT]...", "[\\-o|\\-\\-out FILE]", "[PROFILE]..."] {
        assert!(report.contains(part), "{part}: {report}");
    }
    for command in commands {
        let page = bench.text(&format!("deep/man1/gentool-{command}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
        let help = String::from_utf8(bench.run(&format!("{command} --help")).stdout).expect("text");
        let options = help.lines().filter_map(|line| line.trim_start().strip_prefix("--")?.split(' ').next());
        for option in options.filter(|option| option.chars().all(|letter| letter.is_ascii_lowercase())) {
            assert!(page.contains(&format!("\\-\\-{option}")), "{command}: --{option}");
        }
    }
    let bench = Bench::new().with("file", "mine");
    let refused = bench.run("man @file");
    assert_eq!(status(&refused), 125);
    assert_eq!(bench.text("file"), "mine");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("it is a file; name a folder"), "{refused:?}");
}

/// What bash offers for a word that was begun.
#[cfg(unix)]
fn offered(script: &str, words: &[&str]) -> String {
    let last = words.len() - 1;
    let (word, before) = (words[last], words[last - 1]);
    let ask = format!(
        "{script}\nCOMP_WORDS=({}); COMP_CWORD={last}; _gentool gentool '{word}' '{before}'; echo \"${{COMPREPLY[@]}}\"",
        words.join(" ")
    );
    let output = Command::new("bash").args(["-c", &ask]).output().expect("bash runs");
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

#[cfg(unix)]
#[test]
fn a_shell_completes_commands_options_and_their_values() {
    let script = String::from_utf8(Bench::new().run("completions bash").stdout).expect("text");
    assert_eq!(offered(&script, &["gentool", "rep"]), "report");
    assert_eq!(offered(&script, &["gentool", "report", "--req"]), "--require");
    assert_eq!(offered(&script, &["gentool", "run", "--engine", "tr"]), "translated");
    assert_eq!(offered(&script, &["gentool", "report", "--require", "op"]), "operands=100");
    for shell in ["elvish", "fish", "powershell", "zsh"] {
        let output = Bench::new().run(&format!("completions {shell}"));
        assert_eq!(status(&output), 0);
        let script = String::from_utf8(output.stdout).expect("text");
        let missing = listed_commands().into_iter().find(|command| !script.contains(command.as_str()));
        assert_eq!(missing, None, "{shell}");
    }
}

/// Whether anybody listens or not, no command panics.
#[cfg(target_os = "linux")]
#[test]
fn output_that_goes_nowhere_is_a_failure_and_a_closed_pipe_is_none() {
    let bench = Bench::new().with("events", "").with("wrong.isac", "GROUP;");
    let full = || fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    for line in ["check models/pdp11/pdp11.isac", "dump behavior models/rv32im/rv32im.isac", "new @cpu"] {
        let output = bench.command(line).stdout(full()).output().expect("gentool runs");
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(status(&output), 125, "{line}");
        assert!(messages.starts_with("error: cannot write to standard output: "), "{messages}");
    }
    for (line, expected) in
        [("check @wrong.isac", 126), ("check @nowhere", 125), ("report --events @events", 125)]
    {
        let output = bench.command(line).stderr(full()).output().expect("gentool runs");
        assert_eq!(status(&output), expected, "{line}");
    }
    let mut dump = bench.command("dump behavior models/rv32im/rv32im.isac");
    let mut child = dump.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gentool runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("gentool ends");
    assert_eq!((status(&output), String::from_utf8_lossy(&output.stderr).as_ref()), (0, ""));
}

/// Neither a device without end nor a file of any size takes more than its limit.
#[cfg(unix)]
#[test]
fn input_without_end_is_refused() {
    for (line, said) in
        [("check /dev/zero", "larger than 16 MiB"), ("report --events /dev/zero", "no event file")]
    {
        let output = Bench::new().run(line);
        assert!(matches!(status(&output), 125 | 126), "{line}");
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(messages.contains(said) && messages.len() < 1000, "{messages}");
    }
}

/// Nobody writes to the pipe: whoever opens it waits for ever.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_no_descriptions_and_no_programs() {
    let bench = Bench::new().with("root.isac", "INCLUDE \"pipe\";");
    let made = Command::new("mkfifo").arg(bench.path("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    let program = "run models/tiny8/tiny8.isac --engine reference";
    for (line, expected, said) in [
        ("check @pipe".to_owned(), 125, "it is a pipe; name a file"),
        ("check @root.isac".to_owned(), 126, "it is a pipe; name a file"),
        (format!("{program} @pipe"), 125, "it is a pipe or a device; expected a program"),
        (format!("{program} /dev/zero"), 125, "it is a pipe or a device; expected a program"),
        (format!("{program} /"), 125, "directory"),
    ] {
        let output = bench.run(&line);
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(status(&output), expected, "{line}: {messages}");
        assert!(messages.contains(said), "{messages}");
    }
}

/// Through links that lead in a circle one file has paths without end.
#[cfg(unix)]
#[test]
fn a_file_is_included_once_however_many_paths_lead_to_it() {
    let bench = Bench::new().with("root.isac", "INCLUDE \"a/b/x.isac\"; INCLUDE \"b/x.isac\";");
    let bench = bench.with("x.isac", "CONSTANT N = 1; INCLUDE \"a/y.isac\"; INCLUDE \"b/y.isac\";");
    let bench = bench.with("y.isac", "CONSTANT M = 1;");
    for link in ["a", "b"] {
        std::os::unix::fs::symlink(".", bench.path(link)).expect("a link");
    }
    let output = bench.run("check @root.isac");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.contains("error[E0501]") && !messages.contains("error[E0202]"), "{messages}");
}
