//! Fuzzes the loop of messages: random sessions of an editor, in memory.
//!
//! ```sh
//! cargo run -p isac-lsp --example fuzz_sessions -- SECONDS [SEED]
//! ```
//!
//! A session in which something panics is written to `target/fuzz`, and the status is 1. One seed gives one
//! row of sessions.

#[path = "../tests/support/messages.rs"]
mod messages;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Panics of all threads: the server hides some from its editor.
static PANICS: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    let arguments: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let Some(&seconds) = arguments.first() else {
        eprintln!("usage: fuzz SECONDS [SEED]");
        return ExitCode::from(2);
    };
    let seed = arguments.get(1).copied().unwrap_or(1);
    let hook = take_hook();
    set_hook(Box::new(move |found| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        hook(found);
    }));
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    // xorshift64*
    let mut random = move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8
    };
    let begun = Instant::now();
    let (mut sessions, mut answers, mut failed) = (0u64, 0, 0u64);
    while begun.elapsed() < Duration::from_secs(seconds) {
        let session = messages::session(&mut random);
        let before = PANICS.load(Ordering::SeqCst);
        let found = catch_unwind(AssertUnwindSafe(|| messages::answer(session.clone())));
        sessions += 1;
        answers += found.map_or(0, |found| found.len());
        if PANICS.load(Ordering::SeqCst) > before {
            failed += 1;
            keep(&session);
        }
    }
    println!("server, seed {seed}: {sessions} sessions in {seconds} s, {answers} answers, {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}

fn keep(session: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz");
    let hash =
        session.iter().fold(0u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let path = folder.join(format!("session-{hash:016x}.txt"));
    if let Err(error) = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, session)) {
        eprintln!("cannot write {}: {error}", path.display());
    }
    eprintln!("panic: {}", path.display());
}
