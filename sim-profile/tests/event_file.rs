//! Events on file: written, read, replayed, refused.

mod support;

use std::io::{self, Write};

use sim_profile::{Event, EventProfiler, EventSink, EventWriter, read_events, replay_events};

fn file() -> String {
    let mut writer = EventWriter::new(Vec::new(), &support::tables());
    support::events(&mut writer);
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

#[test]
fn replayed_events_give_the_same_measurement() {
    assert_eq!(replay_events(file().as_bytes()).unwrap(), support::measurement());
}

#[test]
fn read_events_can_be_written_again() {
    let writer = read_events(file().as_bytes(), |tables| EventWriter::new(Vec::new(), &tables));
    assert_eq!(String::from_utf8(writer.unwrap().finish().unwrap()).unwrap(), file());
    assert!(read_events(file().as_bytes(), EventProfiler::new).unwrap().misplaced().is_none());
}

#[test]
fn one_event_is_one_short_line() {
    let file = file();
    let lines: Vec<&str> = file.lines().collect();
    assert_eq!(lines[0], "isac-events 2");
    assert!(lines[1].starts_with("{\"model\":\"little\""), "{}", lines[1]);
    let before = lines.iter().position(|line| *line == "a 1 0 2 0").unwrap();
    assert_eq!(lines[before + 1..before + 4], ["y 4", "c", "z - miss 0 0 1"]);
    let events = before + 4;
    assert!(lines[2..before].iter().all(|line| line.starts_with('#')));
    assert_eq!(
        lines[events..events + 11],
        [
            "c",
            "b",
            "n \"decode(\"",
            "n \"inc(reg(ax())))\"",
            "d 10 16 1",
            "t 10",
            "x 0 2",
            "a 0 1 1 0",
            "w 1 0",
            "r 3 0",
            "e"
        ]
    );
    assert_eq!(lines.last(), Some(&"end 119"));
}

#[test]
fn any_text_stays_on_its_line() {
    let mut writer = EventWriter::new(Vec::new(), &support::tables());
    writer.event(Event::ModelEvent { name: "a\nend 0\n\"é\u{1}" });
    let file = writer.finish().unwrap();
    let events = replay_events(file.as_slice()).unwrap().events;
    assert_eq!(events.into_iter().collect::<Vec<_>>(), [("a\nend 0\n\"é\u{1}".to_owned(), 1)]);
}

/// The message for a file of the usual head and these lines.
fn message(lines: &str) -> String {
    let head: String = file().lines().take(2).flat_map(|line| [line, "\n"]).collect();
    replay_events(format!("{head}{lines}").as_bytes()).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let cases = [
        ("c\n", "line 4: the file ends here; expected more events or the line `end COUNT`"),
        ("c\nend 1", "line 4: the file ends here; expected more events or the line `end COUNT`"),
        ("c\nend 2\n", "line 4: the file has 1 events; its last line says 2"),
        ("end 0\nc\n", "line 4: something follows the line `end COUNT`"),
        ("end x\n", "line 3: `end x` is no event"),
        ("c 1\n", "line 3: `c 1` is no event"),
        ("\n", "line 3: `` is no event"),
        ("b\nq\n", "line 4: `q` is no event"),
        ("b\nq 4294967296\n", "line 4: `q 4294967296` is no event"),
        ("b\nr 1\n", "line 4: `r 1` is no event"),
        ("a 0 1 2\n", "line 3: `a 0 1 2` is no event"),
        ("a 0 1 2 0 0\n", "line 3: `a 0 1 2 0 0` is no event"),
        ("a 2 1 0 0\n", "line 3: the model has no cache 2"),
        ("z - stall 0\n", "line 3: `z - stall 0` is no event"),
        ("z - stall 0 0 0\n", "line 3: `z - stall 0 0 0` is no event"),
        ("z - miss 0 0\n", "line 3: `z - miss 0 0` is no event"),
        ("z - sleep 0 0\n", "line 3: `z - sleep 0 0` is no event"),
        ("z - stall 2 0\n", "line 3: the model has no operation 2"),
        ("z - retry 0 2\n", "line 3: the model has no stage 2"),
        ("z - miss 0 0 2\n", "line 3: the model has no cache 2"),
        ("z 1 stall 0 0\n", "line 3: instruction 1 is not there"),
        ("b\ne\nb\nz 1 stall 0 0\n", "line 6: instruction 1 is not there"),
        ("p 0 2\n", "line 3: `p 0 2` is no event"),
        ("p 2 0\n", "line 3: the model has no stage 2"),
        ("b\nd 10 0g 1\n", "line 4: `d 10 0g 1` is no event"),
        ("b\nn decode\n", "line 4: `n decode` is no event"),
        ("b\ns 1\n", "line 4: instance 1 starts but its queue is empty; expected it to be scheduled before"),
        ("e\n", "line 3: no instruction is current; expected one to begin or start before"),
        ("b\nq 2\n", "line 4: the model has no instance 2"),
        ("b\nr 0 3\n", "line 4: the model has no resource 3"),
        (
            "b\nn \"op(\"\nd 0 00 1\ne\n",
            "line 6: an instruction ended with a bad name: decode path: a `)` is missing at its end",
        ),
        (
            "b\nn \"op()\"\nd 0 00 1\nr 1 0\ne\n",
            "line 7: an instruction ended with an access in node 1, which its name lacks",
        ),
        ("b\nf\ne\n", "line 5: an instruction ended at fault before its address was told"),
        ("b\nf\nend 2\n", "line 5: an instruction ended at fault before its address was told"),
        (
            "b\nn \"a()\"\nd 0 00 1\nb\nn \"b()\"\nd 0 00 1\ne\n",
            "line 9: the instruction 00 at 0x0 ended with another name or size than before",
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(message(lines), expected, "{lines:?}");
    }
}

#[test]
fn files_of_another_kind_or_version_are_refused() {
    let message = |file: &[u8]| replay_events(file).unwrap_err().to_string();
    let no_events = "line 1: no event file; expected it to begin with `isac-events 2`";
    assert_eq!(message(b""), no_events);
    assert_eq!(message(b"isac-events"), no_events);
    assert_eq!(message(b"\x7fELF\xff\n"), no_events);
    assert_eq!(
        message(b"isac-events 1\n"),
        "line 1: event file of version `1`; expected 2: record the run anew"
    );
    assert!(message(b"isac-events 2\n{}\n").starts_with("line 2: the model's tables are not as"));
    assert_eq!(
        message(b"isac-events 2\n"),
        "line 2: the file ends here; expected more events or the line `end COUNT`"
    );
}

/// Takes so many bytes and then fails.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::Error::other("the disk is full"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_first_error_of_writing_is_returned_at_the_end() {
    for size in [0, 10, 2_000] {
        let mut writer = EventWriter::new(Full(size), &support::tables());
        (0..1_000).for_each(|_| writer.event(Event::CycleBegins));
        assert_eq!(writer.finish().err().unwrap().to_string(), "the disk is full");
    }
}
