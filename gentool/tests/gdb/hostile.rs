//! Packets that are none, and packets that make no sense: the run goes on, and the session too.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::bench::{Session, Waiting};

const SESSION: Session =
    Session { model: "tiny8", program: "sum.bin", model_of_program: "tiny8", options: &[], arguments: &[] };

/// A debugger that says what it likes.
struct Peer {
    stream: TcpStream,
    waiting: Waiting,
    folder: tempfile::TempDir,
}

impl Peer {
    fn connect(further: &[&str]) -> Peer {
        let folder = tempfile::tempdir().expect("a folder");
        let waiting = SESSION.wait(&folder.path().join("report.xml"), further);
        let stream = TcpStream::connect(("127.0.0.1", waiting.port)).expect("somebody listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time to wait");
        Peer { stream, waiting, folder }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the run still listens");
    }

    /// Sends a packet and reads the answer to it, signs of receipt left out.
    fn ask(&mut self, body: &str) -> String {
        let sum = body.bytes().fold(0u8, u8::wrapping_add);
        self.send(format!("${body}#{sum:02x}").as_bytes());
        self.answer()
    }

    /// What a `monitor` command says.
    fn monitor(&mut self, command: &str) -> String {
        let body: String = command.bytes().map(|byte| format!("{byte:02x}")).collect();
        let body = format!("qRcmd,{body}");
        let sum = body.bytes().fold(0u8, u8::wrapping_add);
        self.send(format!("${body}#{sum:02x}").as_bytes());
        let mut said = String::new();
        loop {
            let packet = self.packet();
            let Some(digits) = packet.strip_prefix('O').filter(|digits| *digits != "K") else { return said };
            let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
            said.extend((0..digits.len()).step_by(2).map(|at| char::from(byte(at))));
        }
    }

    /// The next answer; what is to be shown to the user comes before it.
    fn answer(&mut self) -> String {
        loop {
            let packet = self.packet();
            if packet == "OK" || !packet.starts_with('O') {
                return packet;
            }
        }
    }

    fn packet(&mut self) -> String {
        let (mut text, mut behind) = (Vec::new(), None);
        loop {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).expect("an answer comes");
            match (text.is_empty(), byte[0]) {
                (true, b'$') => text.push(b'$'),
                (true, _) => {}
                (false, b'#') => behind = Some(0),
                (false, _) if behind.is_some() => {
                    behind = behind.map(|digits| digits + 1);
                    if behind == Some(2) {
                        return String::from_utf8_lossy(&text[1..]).into_owned();
                    }
                }
                (false, byte) => text.push(byte),
            }
        }
    }
}

impl Peer {
    /// Ends the program and waits for it; what gentool said.
    fn end(mut self) -> String {
        self.send(b"$k#6b");
        let (status, _, messages) = self.waiting.end();
        assert_eq!(status, 124, "{messages}");
        assert!(self.folder.path().join("report.xml").exists());
        messages
    }
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

#[test]
fn what_is_no_packet_is_asked_for_again_and_the_session_goes_on() {
    let mut peer = Peer::connect(&[]);
    assert!(peer.ask("qSupported:multiprocess+").contains("PacketSize="));
    peer.send(b"$g#00");
    peer.send(b"$$$#\x03\x03$g");
    peer.send(&vec![b'$'; 100_000]);
    peer.send(&[&b"$"[..], &vec![b'a'; 100_000], b"#00"].concat());
    let registers = peer.ask("g");
    assert!(!registers.is_empty() && !registers.starts_with('E'), "{registers}");
    // The last answer comes again.
    peer.send(b"-");
    assert_eq!(peer.answer(), registers);
    peer.end();
}

#[test]
fn packets_without_sense_are_answered_and_end_nothing() {
    let mut peer = Peer::connect(&[]);
    peer.ask("qSupported:multiprocess+");
    let hostile = [
        "m",
        "m,",
        "m0",
        "m0,",
        "mffffffffffffffff,ffffffffffffffff",
        "mfffffffffffffff0,20",
        "m0,100000",
        "M0,4:",
        "M0,4:zz",
        "Mffffffffffffffff,4:00000000",
        "X0,5:a",
        "G",
        "Gzz",
        "G00",
        "p",
        "pffffffff",
        "P0",
        "P0=",
        "Pffff=00",
        "P0=000000000000000000000000",
        "Z0,",
        "Z0,ffffffffffffffff,ffffffffffffffff",
        "Z1,0,0",
        "Z2,0,0",
        "Z2,0,ffffffff",
        "Z3,fffffffffffffff8,8",
        "Z4,0,1",
        "z0,0,0",
        "z2,0,1",
        "Z9,0,0",
        "qRcmd,",
        "qRcmd,zz",
        "qRcmd,6",
        "qXfer:features:read:target.xml:ffffffffffffffff,ffffffffffffffff",
        "qXfer:features:read:other.xml:0,10",
        "qXfer:features:read::,",
        "vCont",
        "vCont;",
        "vCont;x",
        "vCont;s:99",
        "vCont;r",
        "vCont;r0",
        "Hg",
        "Hgffffffffffffffffff",
        "Hc-2",
        "T",
        "T99",
        "vKill",
        "vFile:open:",
        "qC",
        "qfThreadInfo",
        "QStartNoAckMode1",
        "?x",
        "!",
        "R",
        "r",
        "",
        "\u{1}",
        "qSupported:multiprocess=",
    ];
    for body in hostile {
        let sum = body.bytes().fold(0u8, u8::wrapping_add);
        peer.send(format!("${body}#{sum:02x}").as_bytes());
        let _ = peer.answer();
    }
    assert!(peer.ask("?").starts_with("T05"));
    peer.end();
}

/// What is changed within an instruction would be lost: it is run again to go on.
#[test]
fn nothing_can_be_written_within_an_instruction() {
    let mut peer = Peer::connect(&[]);
    peer.ask("qSupported:multiprocess+");
    assert_eq!((peer.ask("P1=07"), peer.ask("Mff,1:07")), ("OK".to_owned(), "OK".to_owned()));
    let command: String = "break tiny8.isac:51".bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(peer.ask(&format!("qRcmd,{command}")), "OK");
    let stopped = peer.ask("vCont;c");
    assert!(["S05", "T05"].iter().any(|sign| stopped.starts_with(sign)), "{stopped}");
    assert!(peer.ask("P1=09").starts_with('E') && peer.ask("Mff,1:09").starts_with('E'));
    assert_eq!(peer.ask("mff,1"), "07");
    peer.end();
}

#[test]
fn what_an_engine_cannot_do_is_refused_and_the_run_goes_on() {
    let mut peer = Peer::connect(&["--engine", "translated"]);
    peer.ask("qSupported:multiprocess+");
    for command in ["statement", "over", "out", "break operation decode", "break tiny8.isac:51"] {
        let said = peer.monitor(command);
        assert!(said.starts_with("error: this engine does not tell the statements"), "{command}: {said}");
    }
    for _ in 0..3 {
        assert_eq!(peer.ask("vCont;s"), "S05");
    }
    let said = peer.monitor("goto 1");
    assert!(
        said.starts_with("error: 3 instructions have ended, and this run cannot be taken back"),
        "{said}"
    );
    for _ in 0..2 {
        assert!(peer.monitor("goto 3").starts_with("the next `continue` stops"));
        assert_eq!(peer.ask("vCont;c"), "S05");
        assert!(peer.monitor("position").starts_with("3 instructions"));
    }
    assert!(peer.monitor("goto").starts_with("goto takes a number"));
    assert!(peer.monitor("step").starts_with("write `monitor step cycle`"));
    // What is decoded is found before it runs, which every engine can.
    assert_eq!(peer.monitor("break operation add"), "point 1: operation add\n");
    assert_eq!(peer.ask("vCont;c"), "S05");
    assert!(peer.monitor("position").starts_with("8 instructions"));
    assert!(peer.monitor("delete 2").starts_with("error: there is no point 2; there is 1"));
    assert_eq!(peer.monitor("delete 1"), "1 removed\n");
    // The sum of 1 to 10.
    assert!(peer.ask("vCont;c").starts_with("W37"));
    let Peer { stream, waiting, folder: _folder } = peer;
    drop(stream);
    assert_eq!(waiting.end().0, 55);
}

#[test]
fn a_goal_behind_is_reached_on_the_way_back_and_one_ahead_is_kept() {
    let mut peer = Peer::connect(&[]);
    peer.ask("qSupported:multiprocess+;ReverseStep+;ReverseContinue+");
    peer.monitor("goto 9");
    assert_eq!(peer.ask("vCont;c"), "S05");
    peer.monitor("goto 4");
    assert_eq!(peer.ask("bc"), "S05");
    assert!(peer.monitor("position").starts_with("4 instructions"));
    peer.monitor("goto 9");
    assert!(peer.ask("bc").contains("replaylog:begin"));
    assert_eq!(peer.ask("vCont;c"), "S05");
    assert!(peer.monitor("position").starts_with("9 instructions"));
    peer.end();
}

#[test]
fn ten_thousand_random_packets_end_nothing() {
    let mut peer = Peer::connect(&[]);
    peer.ask("qSupported:multiprocess+");
    // Nothing here lets the run go on: that is told by a stop, and here nobody waits for one.
    let beginnings =
        ["m", "M", "g", "G", "p", "P", "Z0", "Z2", "z3", "q", "qXfer:", "Q", "H", "qRcmd,", "X", "v", "?"];
    let letters = b"0123456789abcdef,;:=#$}*+-~\x00\x7f\xff";
    let mut random = Random(7);
    for _ in 0..10_000 {
        let mut body = beginnings[random.below(beginnings.len())].as_bytes().to_vec();
        for _ in 0..random.below(24) {
            body.push(letters[random.below(letters.len())]);
        }
        let escaped: Vec<u8> = body.into_iter().filter(|byte| !b"#$".contains(byte)).collect();
        if [&b"vC"[..], b"vK", b"vR", b"QStart"].iter().any(|begin| escaped.starts_with(begin)) {
            continue;
        }
        let sum = escaped.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
        let wrong = random.below(16) == 0;
        let mut packet = [&b"$"[..], &escaped, b"#"].concat();
        packet.extend(format!("{:02x}", if wrong { sum ^ 1 } else { sum }).bytes());
        peer.send(&packet);
        if !wrong {
            let _ = peer.answer();
        }
    }
    let stands = peer.ask("?");
    assert!(stands.starts_with("T05"), "{stands}");
    peer.end();
}

#[test]
fn a_debugger_that_goes_away_leaves_the_run_to_itself() {
    let mut peer = Peer::connect(&[]);
    peer.ask("?");
    let Peer { stream, waiting, folder: _folder } = peer;
    drop(stream);
    let (status, _, messages) = waiting.end();
    // The sum of 1 to 10.
    assert_eq!((status, messages.as_str()), (55, ""));
}

#[test]
fn a_debugger_that_ends_the_program_leaves_a_report() {
    let mut peer = Peer::connect(&["--stats"]);
    peer.ask("?");
    let messages = peer.end();
    assert!(messages.contains("interrupted"), "{messages}");
}
