//! Where moves lead, and that several at once lead to where one after the other does.

use super::{SUM, check, session};

pub(super) const PIPELINE: &str = "models/rv32im5/rv32im5.isac models/rv32im/programs/crc32.elf";

/// What a session shows last, from a command on.
#[track_caller]
fn last_shown(line: &str, commands: &[&str]) -> String {
    let shown = session(line, &(commands.join("\n") + "\n"));
    let last = shown.rfind("(isac) where").unwrap_or_else(|| panic!("no place is shown:\n{shown}"));
    shown[last..].to_owned()
}

#[test]
fn where_a_run_stands_already_it_stays() {
    let commands = ["goto 0", "where", "goto 5", "goto 5", "where", "statement 2", "goto 5", "where", "quit"];
    check("goto", SUM, &commands);
    let once = last_shown(PIPELINE, &["goto 30", "where", "quit"]);
    for commands in [
        &["goto 30", "goto 30", "where", "quit"][..],
        &["goto 30", "cycle", "goto 30", "where", "quit"],
        &["goto 40", "goto 30", "where", "quit"],
    ] {
        assert_eq!(last_shown(PIPELINE, commands), once, "{commands:?}");
    }
}

#[test]
fn what_was_changed_counts_where_the_run_stands_already() {
    check(
        "goto_changed",
        SUM,
        &["goto 4", "set bx 3", "goto 4", "registers bx", "goto 6", "goto 4", "registers bx"],
    );
}

#[test]
fn several_steps_back_lead_where_single_ones_do() {
    for (line, first) in [(SUM, "goto 30"), (PIPELINE, "goto 60")] {
        for (back, most) in [("back", 7), ("backcycle", 9), ("backstatement", 25)] {
            let mut single = vec![first];
            single.extend(vec![back; most]);
            let several = format!("{back} {most}");
            assert_eq!(
                last_shown(line, &[first, &several, "where", "quit"]),
                last_shown(line, &[&single[..], &["where", "quit"]].concat()),
                "{several} on {line}"
            );
            // From within an instruction, and further than there is.
            let inside = [first, "statement 3", &several, "where", "quit"];
            let single = [&[first, "statement 3"][..], &vec![back; most], &["where", "quit"]].concat();
            assert_eq!(
                last_shown(line, &inside),
                last_shown(line, &single),
                "{several} from within on {line}"
            );
            let beyond = format!("{back} 100000");
            let begin = last_shown(line, &[first, &beyond, "where", "quit"]);
            assert!(begin.contains("\n0 instructions have ended"), "{begin}");
        }
    }
}

#[test]
fn a_limit_holds_for_a_run_that_goes_on_from_within_an_instruction() {
    let limited = format!("{SUM} --limit-instructions 8");
    check("limit", &limited, &["goto 5", "statement", "statement", "break 200", "continue", "quit"]);
}

#[test]
fn what_an_instruction_does_later_stops_nobody_who_goes_back() {
    check("later", SUM, &["watch 0x80", "goto 9", "statement", "memory 0x80 1", "reverse-continue", "quit"]);
}

#[test]
fn a_breakpoint_whose_condition_does_not_hold_stops_no_run_in_any_direction() {
    let commands = [
        "goto 5",
        "break 9 if ax == 0xff",
        "break 8 if bx == 9",
        "continue",
        "registers bx",
        "points",
        "delete 2",
        "reverse-continue",
        "break 8 if bx == 0x100",
        "break 0x100",
    ];
    check("conditions", SUM, &commands);
}

#[test]
fn several_steps_end_at_a_breakpoint_and_at_the_end() {
    let commands = [
        "break 5",
        "step 10",
        "cycle 3",
        "back 5",
        "cycle 7",
        "rwatch ax",
        "watch ax 4",
        "delete",
        "continue",
        "step",
        "",
        "continue",
        "goto 1000",
        "back",
        "where",
    ];
    check("several", SUM, &commands);
}

#[test]
fn symbols_are_where_the_program_has_them() {
    let sorting = |model: &str| {
        format!("models/{model}/{model}.isac models/{model}/programs/sorting.elf --limit-instructions 60K")
    };
    // The functions of Thumb code are marked by odd addresses.
    let commands =
        ["break main", "continue", "list main 2", "watch comparisons", "continue", "memory comparisons"];
    check("symbols_armv6m", &sorting("armv6m"), &commands);
    // The first cell of a big-endian number is its highest.
    check("symbols_mips32", &sorting("mips32"), &["watch comparisons", "continue", "continue"]);
    // Data lies in a map of its own.
    let commands = [
        "watch comparisons",
        "memory comparisons",
        "continue",
        "continue",
        "delete",
        "memory 0x100 4 data",
        "watch 0x100 2 data",
        "watch 0x100 2 none",
        "watch 0xfffff 2 data",
        "watch comparisons x",
    ];
    check("symbols_avr", &sorting("avr"), &commands);
}

#[test]
fn a_write_of_what_was_there_is_an_access_and_no_change() {
    // The first store writes 0 over 0.
    let commands = [
        "awatch 0x80",
        "continue",
        "continue",
        "continue",
        "reverse-continue",
        "reverse-continue",
        "delete",
        "rwatch 0x80",
        "watch 0x80",
        "goto 0",
        "continue",
        "continue",
        "quit",
    ];
    check("accesses", SUM, &commands);
}

#[test]
fn registers_take_negative_values_and_several_points_go_at_once() {
    let commands = [
        "set ax -1",
        "registers ax",
        "set ax -128",
        "registers ax",
        "set ax -129",
        "set ax 255",
        "set ax 256",
        "set ax -x",
        "break 1",
        "break 1",
        "break 2",
        "watch ax",
        "delete 1 9",
        "delete 1 4",
        "points",
        "continue",
        "delete 2 3",
        "points",
        "quit",
    ];
    check("several_points", SUM, &commands);
}

#[test]
fn the_profile_within_an_instruction_is_that_of_before_it() {
    for (line, first) in [(SUM, "goto 4"), (PIPELINE, "goto 40")] {
        let shown =
            session(line, &format!("{first}\nprofile\nstatement 2\nprofile\nover 2\nregisters\nquit\n"));
        let profiles: Vec<&str> =
            shown.split("(isac) ").filter(|part| part.starts_with("profile\n")).collect();
        assert!(profiles.len() == 2 && profiles[0].len() > 100, "{shown}");
        assert_eq!(profiles[0], profiles[1]);
        let undisturbed = session(line, &format!("{first}\nstatement 2\nover 2\nregisters\nquit\n"));
        let registers = |shown: &str| shown[shown.rfind("(isac) registers").expect("registers")..].to_owned();
        assert_eq!(registers(&shown), registers(&undisturbed));
    }
}

/// An instruction that runs for ever, in a loop over a line of its own.
const SPINNING: &str = "\
RESOURCE {
    PC REGISTER bit[8] pc;
    REGISTER bit[8] a;
    RAM bit[8] ram { SIZE (0x100); };
    MEMORY_MAP defaultmap { RANGE (0, 0xff) -> ram; };
};
OPERATION main { ACTIVATION { decode; }; };
OPERATION decode { CODINGROOT { spin (defaultmap[pc]); }; BEHAVIOR { pc = pc + 1; }; };
OPERATION spin {
    CODING { 0bx[8] };
    BEHAVIOR {
        while (a != 300)
            a = a + 1;
    };
};
";

#[test]
fn an_instruction_that_never_ends_is_looked_into_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let [model, program] = ["spin.isac", "spin.bin"].map(|name| folder.path().join(name));
    std::fs::write(&model, SPINNING).expect("a file");
    std::fs::write(&program, [0; 4]).expect("a file");
    let line = format!("{} {} --timeout 300", model.display(), program.display());
    let commands = [
        "break spin.isac:13",
        "continue",
        "registers a",
        "continue",
        "continue",
        "registers a",
        "statement 3",
        "where",
        "backstatement 4",
        "registers a",
        "reverse-continue",
        "registers a",
        "delete",
        "over 5",
        "registers a",
        "back",
        "where",
        "statement 9",
        "where",
        "quit",
    ];
    check("endless", &line, &commands);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let shown = session(&format!("{SUM} --sample 100 --profile none.profile"), "");
    assert!(shown.contains("a run is debugged as a whole; leave out --sample"), "{shown}");
}
