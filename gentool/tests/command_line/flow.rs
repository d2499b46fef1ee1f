//! What commands say of the flow of control in stored profiles.

use std::fs;

use super::bench::{Bench, RV32IM, TINY8, check, check_text, reference, root, status};

/// The profiles of two programs, and one of the first in which counts were changed.
fn bench() -> Bench {
    let bench = Bench::new();
    for program in ["sum", "hello"] {
        let file = format!("models/tiny8/programs/{program}.bin");
        bench.run(&reference(TINY8, &file, &format!("--profile @{program}")));
    }
    let sound = bench.text("sum");
    assert!(sound.contains("{\"transfer\":[13,7,9]}"), "{sound}");
    bench
        .with("more", sound.replace("{\"transfer\":[13,7,9]}", "{\"transfer\":[13,7,11]}"))
        .with("less", sound.replace("{\"transfer\":[13,7,9]}", "{\"transfer\":[13,7,8]}"))
        .with("cycles", sound.replace("\"cycles\":79,", "\"cycles\":78,"))
}

#[test]
fn a_profile_is_checked() {
    let bench = bench();
    check(
        "verify",
        &bench,
        &[
            "verify @sum",
            "verify @hello --strict",
            "verify @more",
            "verify @less",
            "verify @less --strict",
            "verify @cycles",
            "verify @nowhere",
        ],
    );
}

/// An instruction of another name, one of another word, and a text that is another one's.
#[test]
fn instructions_are_checked_against_the_description() {
    let program = "models/tiny8/programs/sum.bin";
    let sound = bench().text("sum");
    let changed = |begins: &str, from: &str, to: &str| {
        let line = sound.lines().find(|line| line.starts_with(begins)).expect("there is one");
        assert!(line.contains(from), "{line}");
        sound.replacen(line, &line.replacen(from, to, 1), 1)
    };
    let bench = Bench::new()
        .with("sound", &sound)
        .with("name", changed("{\"instruction\"", "(", "_other("))
        .with("text", changed("{\"static\"", "\"text\":\"", "\"text\":\"not "));
    let lines =
        ["sound", "name", "text"].map(|file| format!("verify @{file} --model {TINY8} --image {program}"));
    check("verify_instructions", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Calls from a site beyond its executions, fewer than it led elsewhere, of another function, from nowhere; a
/// transfer to where the instruction does not lead; calls that cost more, and less, than what is called.
#[test]
fn calls_are_checked_against_where_control_went() {
    let bench = Bench::new();
    let elf = "models/rv32im/programs/sorting.elf";
    let options = "--limit-instructions 20000 --calls --profile @sound";
    assert_eq!(status(&bench.run(&reference(RV32IM, elf, options))), 124);
    let sound = bench.text("sound");
    let first = |kind: &str, with: &str| {
        let begins = format!("{{\"{kind}\":");
        let is_meant = |line: &&str| line.starts_with(&begins) && line.contains(with);
        sound.lines().find(is_meant).expect("there is one").to_owned()
    };
    let call = first("call", "\"calls\":1,");
    let changed = |line: &str, from: &str, to: &str| {
        assert!(line.contains(from), "{line}");
        sound.replacen(line, &line.replacen(from, to, 1), 1)
    };
    let site = call.split("\"site\":").nth(1).and_then(|rest| rest.split(',').next()).expect("a site");
    let callee = call.split("\"callee\":").nth(1).and_then(|rest| rest.split(',').next()).expect("a callee");
    let transfer = first("transfer", &format!("[{site},"));
    let cost = call.split("\"inclusive\":").nth(1).and_then(|rest| rest.split(']').next()).expect("a cost");
    let bench = bench
        .with("more", changed(&call, "\"calls\":1,", "\"calls\":3,"))
        .with("fewer", changed(&call, "\"calls\":1,", "\"calls\":0,"))
        .with("other", changed(&call, &format!("\"callee\":{callee}"), "\"callee\":12345678"))
        .with("nowhere", changed(&call, &format!("\"site\":{site}"), "\"site\":3"))
        .with("interrupt", changed(&call, "\"kind\":\"call\"", "\"kind\":\"interrupt\""))
        .with("dear", changed(&call, cost, "[30000,30000"))
        .with("cheap", changed(&call, cost, "[1,1"))
        .with("misled", changed(&transfer, &format!("[{site},{callee},"), &format!("[{site},65540,")));
    let mut lines = Vec::new();
    for file in ["sound", "more", "fewer", "other", "nowhere", "interrupt", "dear", "cheap", "misled"] {
        lines.push(format!("verify @{file} --image {elf}"));
    }
    lines.push("verify @more".to_owned());
    let transcripts = lines.iter().map(|line| bench.transcript(line));
    let told = |text: String| -> String {
        let is_told = |line: &&str| !line.ends_with(": consistent") && !line.ends_with("  function");
        text.lines().filter(is_told).map(|line| format!("{line}\n")).collect()
    };
    check_text("verify_calls", &transcripts.map(told).collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_can_be_guessed_stands_beside_what_was_measured() {
    check("estimates", &bench(), &["report @sum --format estimates"]);
}

#[test]
fn a_flow_graph_can_be_drawn() {
    let bench = bench();
    check(
        "flow_dot",
        &bench,
        &[
            "report @sum --format flow-dot",
            "report @sum --format flow-dot --at 0xff",
            "report @sum --at 0",
            "report @sum --format flow-dot --at here",
        ],
    );
}

#[test]
fn two_profiles_are_compared() {
    let model = fs::read_to_string(root().join(TINY8)).expect("the model is there");
    let bench = bench().with(
        "other/tiny8.isac",
        model.replace(
            "BEHAVIOR { dst = dst[3..0] :: value; }",
            "BEHAVIOR { dst = dst[3..0] :: value; extra_cycles(1); }",
        ),
    );
    let line = reference("@other/tiny8.isac", "models/tiny8/programs/sum.bin", "--profile @slower");
    assert_eq!(status(&bench.run(&line)), 55);
    check("diff", &bench, &["diff @sum @sum", "diff @sum @slower", "diff @sum @hello", "diff @sum @nowhere"]);
}

/// Calls that differ where all else is equal, and those of runs of other lengths.
#[test]
fn calls_of_two_profiles_are_compared() {
    let bench = Bench::new();
    let elf = "models/rv32im/programs/sorting.elf";
    for (file, options) in [
        ("short", "--limit-instructions 20000 --calls"),
        ("long", "--limit-instructions 30000 --calls"),
        ("unfollowed", "--limit-instructions 20000"),
    ] {
        assert_eq!(status(&bench.run(&reference(RV32IM, elf, &format!("{options} --profile @{file}")))), 124);
    }
    let text = bench.text("short");
    let call = text.lines().find(|line| line.starts_with("{\"call\":")).expect("a call");
    let bench = bench.with("more", text.replace(call, &call.replace("\"calls\":1,", "\"calls\":4,")));
    let lines = [
        format!("diff @short @more --image {elf}"),
        "diff @short @more".to_owned(),
        format!("diff @short @unfollowed --image {elf}"),
        "diff @unfollowed @long".to_owned(),
        format!("diff @short @long --image {elf}"),
    ];
    // Of what else differs there is much.
    let is_of_calls = |table: &&str| {
        let title = table.lines().find(|line| line.contains("  more") || line.starts_with("$"));
        title.is_some_and(|title| {
            ["$", "  run", "with its calls", "-> called"]
                .iter()
                .any(|part| title.starts_with(part) || title.ends_with(part))
        })
    };
    let transcripts = lines.iter().map(|line| bench.transcript(line));
    let tables =
        transcripts.map(|text| text.split("\n\n").filter(is_of_calls).collect::<Vec<_>>().join("\n\n"));
    check_text("diff_of_calls", &tables.collect::<Vec<_>>().join("\n\n"));
}

/// Functions and lines of a program that has symbols.
#[test]
fn functions_are_called_by_their_names() {
    let bench = Bench::new();
    let elf = "models/rv32im/programs/sorting.elf";
    for (file, limit) in [("short", "20000"), ("long", "30000")] {
        let options = format!("--limit-instructions {limit} --profile @{file}");
        assert_eq!(status(&bench.run(&reference(RV32IM, elf, &options))), 124);
    }
    let lines = [
        format!("verify @short --image {elf}"),
        format!("report @short --image {elf} --format estimates"),
        format!("report @short --image {elf} --format flow-dot"),
        format!("diff @short @long --image {elf}"),
    ];
    check("flow_of_functions", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Where compiled code counts, for a run that has none, and by what is no profile of the model.
#[test]
fn counters_that_cannot_be_placed_are_told() {
    let bench = Bench::new().with("text", "no profile");
    let elf = "models/rv32im/programs/sorting.elf";
    let line = reference(TINY8, "models/tiny8/programs/sum.bin", "--profile @other");
    assert_eq!(status(&bench.run(&line)), 55);
    let run = format!("run {RV32IM} {elf} --limit-instructions 1000");
    let lines = [
        format!("{run} --engine reference --counters random"),
        format!("{run} --engine reference --counters-from @other"),
        format!("{run} --engine translated --counters-from @other"),
        format!("{run} --engine translated --counters-from @text"),
        format!("{run} --engine translated --counters-from @nowhere"),
        format!("{run} --engine translated --counters-from @other --counters every"),
        format!("{run} --engine translated --counters-from @other --profile @other"),
    ];
    check("counters_unplaced", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}
