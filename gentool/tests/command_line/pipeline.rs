//! The pipeline as it is drawn, and as it is written for a viewer.

use super::bench::{Bench, FIVE, TIMING_DEMO, TINY8, check, reference};

/// Words of 16 bits as `tests/time/five.isac` has them in memory.
fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// li r1, 0x40; load r2, (r1); add r3, r2, r2; bz r0, 2; li r4, 1; stop 0
const INTERLOCK: [u16; 6] = [0x1140, 0xa210, 0x8322, 0xc200, 0x1401, 0x3000];

#[test]
fn the_pipeline_is_drawn_cycle_by_cycle() {
    let bench = Bench::new()
        .with("interlock.bin", words(&INTERLOCK))
        .with("endless.bin", words(&[0x2000]))
        .with("fault.bin", words(&[0x1106, 0x9210]))
        .with("walking.bin", words(&[0x1106, 0x9211, 0xf000]))
        .with("steps.bin", [0x01, 0x00, 0x80]);
    let five = |program: &str, options: &str| format!("run {FIVE} @{program}.bin --raw {options}");
    let lines = [
        five("interlock", "--pipeline-diagram 1:40"),
        five("interlock", "--pipeline-diagram 4:3"),
        five("interlock", "--pipeline-diagram 1K:5"),
        five("endless", "--limit-cycles 2K --pipeline-diagram 995:12"),
        five("fault", "--pipeline-diagram 1:40"),
        five("walking", "--pipeline-diagram 2:200"),
        reference(TINY8, "models/tiny8/programs/hello.bin", "--pipeline-diagram 3:4"),
        reference(TIMING_DEMO, "@steps.bin", "--raw --pipeline-diagram 1:6"),
        five("interlock", "--pipeline-diagram 1:201"),
        five("interlock", "--pipeline-diagram 0:5"),
        five("interlock", "--pipeline-diagram 40"),
        five("interlock", "--engine emitted --pipeline-diagram 1:40"),
    ];
    check("pipeline_diagram", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_limit_of_cycles_leaves_what_is_in_flight_unfinished() {
    let bench = Bench::new().with("interlock.bin", words(&INTERLOCK));
    let lines = [1, 3, 5].map(|cycles| {
        format!(
            "run {FIVE} @interlock.bin --raw --engine reference --limit-cycles {cycles} --pipeline-diagram 1:9 \
             --report @{cycles}.xml"
        )
    });
    check("limit_in_a_pipeline", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    for (cycles, executed, unfinished, undecoded) in [(1, 0, 0, 1), (3, 0, 2, 1), (5, 1, 2, 1)] {
        let report = bench.text(&format!("{cycles}.xml"));
        for (name, count) in
            [("executed", executed), ("unfinished", unfinished), ("undecoded", undecoded), ("cycles", cycles)]
        {
            let found = report.contains(&format!("\n    <{name}>{count}</{name}>"));
            assert!(found, "{cycles} cycles: {count} {name}\n{report}");
        }
    }
}

#[test]
fn the_pipeline_is_written_for_a_viewer() {
    let bench = Bench::new()
        .with("interlock.bin", words(&INTERLOCK))
        .with("steps.bin", [0x01, 0x00, 0x80])
        .with("trace", "of another run");
    let mut files = String::new();
    for line in [
        format!("run {FIVE} @interlock.bin --raw --pipeline-trace @trace"),
        format!("run {FIVE} @interlock.bin --raw --pipeline-trace @trace --pipeline-window 5:3"),
        format!("run {FIVE} @interlock.bin --raw --pipeline-trace @trace --pipeline-window 100:1"),
        format!("run {TIMING_DEMO} @steps.bin --raw --pipeline-trace @trace"),
        // What cannot be run leaves the file as it is.
        format!("run {FIVE} @nowhere.bin --pipeline-trace @trace --pipeline-diagram 1:5"),
    ] {
        files += &format!("{}{}\n", bench.transcript(&line), bench.text("trace").replace('\t', "  "));
    }
    insta::with_settings!({ snapshot_path => "../cli", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("pipeline_trace", files);
    });
}

#[test]
fn a_viewer_can_follow_every_trace() {
    let bench = Bench::new().with("interlock.bin", words(&INTERLOCK));
    for window in ["1:100", "4:3", "2:2"] {
        bench.run(&format!(
            "run {FIVE} @interlock.bin --raw --pipeline-trace @trace --pipeline-window {window}"
        ));
        check_kanata(&bench.text("trace"));
    }
}

/// Numbers go up by one, nothing is told of what has not begun or has left, stages end as they
/// began.
fn check_kanata(text: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("Kanata\t0004"));
    assert!(lines.next().is_some_and(|line| line.starts_with("C=\t")));
    let mut open: Vec<Option<Vec<(&str, &str)>>> = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split('\t').collect();
        let number: usize = words[1].parse().expect("a number");
        match words[..] {
            ["C", "1"] => {}
            ["I", _, _, "0"] => {
                assert_eq!(number, open.len(), "{line}");
                open.push(Some(Vec::new()));
            }
            ["L", _, "0" | "1", text] => assert!(open[number].is_some() && !text.is_empty(), "{line}"),
            ["S", _, lane, stage] => {
                let stages = open[number].as_mut().expect(line);
                assert!(stages.iter().all(|(other, _)| *other != lane), "{line}");
                stages.push((lane, stage));
            }
            ["E", _, lane, stage] => {
                let stages = open[number].as_mut().expect(line);
                let place = stages.iter().position(|open| *open == (lane, stage)).expect(line);
                stages.remove(place);
            }
            ["R", _, _, "0" | "1"] => assert_eq!(open[number].take(), Some(Vec::new()), "{line}"),
            _ => panic!("{line}"),
        }
    }
}
