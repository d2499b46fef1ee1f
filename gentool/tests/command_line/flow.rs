//! What commands say of the flow of control in stored profiles.

use std::fs;

use super::bench::{Bench, RV32IM, TINY8, check, reference, root, status};

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
