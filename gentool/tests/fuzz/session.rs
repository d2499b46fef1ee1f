//! Sessions of a debugger that speaks gdb's protocol and makes no sense: nothing that it sends ends the
//! run.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use gentool::lower::{FollowedStatement, lower_followed_model, lower_model};
use isac_ir::Model;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::SourceMap;
use sim_debug::gdb::GdbServer;
use sim_debug::{DebuggedEngine, Debugger, Statement, Statements};
use sim_runtime::host::{Host, Streams};
use sim_runtime::launcher::LaunchInfo;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, Stop};

use super::target::Files;

/// Most messages of a session.
const MOST_MESSAGES: u64 = 40;
/// Instructions of a program that goes on when nobody debugs it any more.
const BUDGET: u64 = 3000;

/// The models: instructions by themselves, in a pipeline, and with delays.
pub(crate) const DEBUGGED: [&str; 3] =
    ["models/tiny8/tiny8.isac", "models/rv32im5/rv32im5.isac", "models/timing-demo/timing-demo.isac"];

/// What `monitor` is asked for.
const COMMANDS: [&str; 22] = [
    "",
    "help",
    "pipeline",
    "pending",
    "profile",
    "position",
    "goto 3",
    "goto 0",
    "goto x",
    "step cycle",
    "statement",
    "over",
    "out",
    "where",
    "locals",
    "operands",
    "source",
    "break stall",
    "break operation main",
    "break a:1",
    "points",
    "delete",
];

/// Beginnings of packets.
const PACKETS: [&str; 34] = [
    "?",
    "g",
    "G",
    "m0,8",
    "m",
    "M0,1:00",
    "M",
    "p0",
    "P0=00",
    "Z0,0,1",
    "Z0,4,4",
    "z0,0,1",
    "Z2,80,1",
    "Z3,0,4",
    "Z4,0,1",
    "z2,80,1",
    "vCont?",
    "vCont;c",
    "vCont;s",
    "vCont;s:1",
    "vCont;r0,8",
    "c",
    "s",
    "bs",
    "bc",
    "qSupported:multiprocess+",
    "qXfer:features:read:target.xml:0,100",
    "QStartNoAckMode",
    "qC",
    "H",
    "T1",
    "D",
    "k",
    "vKill;1",
];

/// A model to debug.
pub(crate) struct Debugged {
    plain: Model,
    followed: Model,
    statements: Rc<Statements>,
}

impl Debugged {
    /// That of a description of the repository.
    pub(crate) fn new(known: &BTreeMap<PathBuf, Vec<u8>>, path: &Path) -> Debugged {
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        let files = Files { known, path, bytes: &known[path] };
        let model = load_model(path, &files, &BTreeMap::new(), &mut sources, &mut findings);
        let model = model.expect("the repository's models are sound");
        let (followed, statements) = lower_followed_model(&model, &sources, "fuzzed");
        let convert =
            |found: &FollowedStatement| Statement { section: found.section.clone(), ..Statement::default() };
        let statements =
            Statements { statements: statements.iter().map(convert).collect(), ..Statements::default() };
        Debugged { plain: lower_model(&model, &sources, "fuzzed"), followed, statements: Rc::new(statements) }
    }

    /// Runs memory full of zeros as a debugger says; what it was answered.
    ///
    /// # Panics
    /// If the run ends otherwise than programs end, or by the debugger's wish, or is another one behind it.
    pub(crate) fn serve(&self, session: &[u8]) -> Vec<u8> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let address = listener.local_addr().expect("it has a number");
        let session = session.to_vec();
        let peer =
            thread::spawn(move || speak(TcpStream::connect(address).expect("somebody listens"), &session));
        let info = LaunchInfo::of_model(&self.plain, "reference", "");
        let engine = ReferenceEngine::new(&self.plain).with_profile().with_statements(&self.followed);
        let server = GdbServer::new(listener, &self.plain).expect("a thread can be started");
        let debugger = Debugger::new(Box::new(engine), &info).expect("the engine tells its model");
        let debugger = debugger.with_statements(Rc::clone(&self.statements));
        let is_over = std::cell::Cell::new(false);
        let mut debugged = DebuggedEngine::new(debugger, Box::new(server), || is_over.set(true));
        let mut host = Host::new(Streams {
            input: Box::new(std::io::empty()),
            output: Box::new(std::io::sink()),
            errors: Box::new(std::io::sink()),
        });
        let mut taken = 0;
        while !is_over.get() && taken < BUDGET {
            match debugged.run(&mut host, BUDGET - taken) {
                Stop::Budget => taken = BUDGET,
                Stop::Paused { taken: more, .. } => taken += more.max(1),
                Stop::Halted(_) | Stop::Fault(_) | Stop::Interrupted => break,
            }
        }
        let measurement = debugged.measurement().expect("the run was measured");
        assert!(measurement.cycles <= debugged.cycles());
        drop(debugged);
        peer.join().expect("the debugger speaks to its end")
    }
}

/// Sends all of a session, then hears what is still said.
fn speak(mut stream: TcpStream, session: &[u8]) -> Vec<u8> {
    let mut answers = Vec::new();
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time to wait");
    let mut hears = stream.try_clone().expect("a second way");
    let heard = thread::spawn(move || {
        let _ = hears.read_to_end(&mut answers);
        answers
    });
    // A run that has ended hears no more.
    let _ = stream.write_all(session);
    let _ = stream.shutdown(Shutdown::Write);
    heard.join().expect("answers are bytes")
}

/// A session: packets with sense and without, and what is no packet.
pub(crate) fn random_session(random: &mut impl FnMut() -> u64) -> Vec<u8> {
    let mut session = Vec::new();
    for _ in 0..=random() % MOST_MESSAGES {
        match random() % 16 {
            0 => session.push(0x03),
            1 => session.extend(noise(random)),
            kind => {
                let mut body = match kind {
                    2..5 => monitor(COMMANDS[random() as usize % COMMANDS.len()]),
                    _ => PACKETS[random() as usize % PACKETS.len()].as_bytes().to_vec(),
                };
                if random().is_multiple_of(3) {
                    body.extend(noise(random));
                }
                if random().is_multiple_of(4) && !body.is_empty() {
                    let place = random() as usize % body.len();
                    body[place] = random() as u8;
                }
                session.extend(packet(&body, random().is_multiple_of(16)));
            }
        }
    }
    session
}

fn noise(random: &mut impl FnMut() -> u64) -> Vec<u8> {
    let letters = b"0123456789abcdef,;:=#$}*+-~ \x00\x7f\xff";
    (0..random() % 20).map(|_| letters[random() as usize % letters.len()]).collect()
}

fn monitor(command: &str) -> Vec<u8> {
    let digits: String = command.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("qRcmd,{digits}").into_bytes()
}

fn packet(body: &[u8], is_wrong: bool) -> Vec<u8> {
    let sum = body.iter().fold(u8::from(is_wrong), |sum, byte| sum.wrapping_add(*byte));
    [&b"$"[..], body, format!("#{sum:02x}").as_bytes()].concat()
}
