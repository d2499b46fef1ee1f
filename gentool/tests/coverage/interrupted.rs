//! Interrupts come in between and change no count of the program: of lines, functions and branches, whatever takes
//! them and whatever they do to what they strike.

use std::fs;

use super::command_in_folder::gentool;

/// Calls `leaf` and, by a register, `other`, a hundred times.
const PROGRAM: &str = "\
        .global start, leaf, other, handler
        .org 0x10
start:  load 0x30
again:  call leaf
        call_there
        again again
        stop
        .org 0x20
leaf:   nothing
        nothing
        back
        .org 0x30
other:  nothing
        back
        .org 0x80
handler: nothing
        resume
";

/// The program's own part of the tracefile of a run on a model, and how often the handler was.
fn counted(model: &str, engine: &str) -> (Vec<String>, Vec<u64>) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.s"), PROGRAM).expect("a program");
    let model = format!("tests/models/{model}.isac");
    gentool(&folder, &format!("asm {model} @p.s -o @p.elf"));
    gentool(&folder, &format!("run {model} @p.elf --engine {engine} --calls --profile @p.prof"));
    gentool(&folder, "report @p.prof --image @p.elf --format lcov -o @p.info");
    let info = fs::read_to_string(folder.path().join("p.info")).expect("a tracefile");
    let told =
        info.lines().filter(|line| ["FNDA:", "BRDA:", "DA:"].iter().any(|kind| line.starts_with(kind)));
    let is_handlers = |line: &&str| ["handler", "DA:16,", "DA:17,"].iter().any(|own| line.contains(own));
    let (handlers, others): (Vec<&str>, Vec<&str>) = told.partition(is_handlers);
    let number = |text: &str| text.split([':', ',']).filter_map(|part| part.parse().ok()).next_back();
    (others.into_iter().map(str::to_owned).collect(), handlers.into_iter().filter_map(number).collect())
}

#[test]
fn interrupts_change_no_count_of_the_program() {
    let expected = [
        "FNDA:1,start",
        "FNDA:100,leaf",
        "FNDA:100,other",
        "BRDA:6,0,0,1",
        "BRDA:6,0,1,99",
        "DA:3,1",
        "DA:4,100",
        "DA:5,100",
        "DA:6,100",
        "DA:7,1",
        "DA:9,100",
        "DA:10,100",
        "DA:11,100",
        "DA:13,100",
        "DA:14,100",
    ];
    for (model, engine) in [
        ("cancels", "reference"),
        ("cancels", "translated"),
        ("cancels_in_flight", "reference"),
        ("strikes_in_flight", "reference"),
        ("strikes_before_fetch", "reference"),
    ] {
        let (counts, handlers) = counted(model, engine);
        assert_eq!(counts, expected, "{model}, {engine}");
        assert!(
            handlers[0] > 50 && handlers.iter().all(|times| *times == handlers[0]),
            "{model}: {handlers:?}"
        );
    }
}
