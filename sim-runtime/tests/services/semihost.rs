//! Semihosting calls, with files below a root, in both widths and byte orders.

use std::fs;

use sim_runtime::host::{Abi, LinuxResult, RootDirectory};
use tempfile::TempDir;

use crate::fake::{BIG32, BIG64, Caller, LITTLE32, LITTLE64, MEMORY, NOWHERE};

const OPEN: u64 = 0x01;
const CLOSE: u64 = 0x02;
const WRITEC: u64 = 0x03;
const WRITE0: u64 = 0x04;
const WRITE: u64 = 0x05;
const READ: u64 = 0x06;
const READC: u64 = 0x07;
const ISERROR: u64 = 0x08;
const ISTTY: u64 = 0x09;
const SEEK: u64 = 0x0a;
const FLEN: u64 = 0x0c;
const TMPNAM: u64 = 0x0d;
const REMOVE: u64 = 0x0e;
const RENAME: u64 = 0x0f;
const CLOCK: u64 = 0x10;
const TIME: u64 = 0x11;
const SYSTEM: u64 = 0x12;
const ERRNO: u64 = 0x13;
const GET_CMDLINE: u64 = 0x15;
const HEAPINFO: u64 = 0x16;
const EXIT: u64 = 0x18;
const EXIT_EXTENDED: u64 = 0x20;
const ELAPSED: u64 = 0x30;
const TICKFREQ: u64 = 0x31;

const ABIS: [Abi; 4] = [LITTLE32, LITTLE64, BIG32, BIG64];
const BLOCK: u64 = MEMORY;
const TEXT: u64 = MEMORY + 0x1000;
const OTHER: u64 = MEMORY + 0x2000;
const BUFFER: u64 = MEMORY + 0x3000;

const ENOENT: i64 = 2;
const EBADF: i64 = 9;
const EACCES: i64 = 13;
const EFAULT: i64 = 14;
const ENOSYS: i64 = 38;

/// A guest with a root that holds `old.txt`.
fn guest_with_files(abi: Abi) -> (Caller, TempDir) {
    let root = tempfile::tempdir().expect("a temporary folder");
    fs::write(root.path().join("old.txt"), "0123456789").expect("a file");
    let mut guest = Caller::new(abi, b"typed");
    let directory = RootDirectory::open(root.path()).expect("it is there");
    guest.host = std::mem::take(&mut guest.host).with_root(directory);
    (guest, root)
}

fn result(guest: &mut Caller, operation: u64, argument: u64) -> LinuxResult {
    guest.host.semihost(&mut guest.machine, 0, guest.abi, guest.cycles, operation, argument)
}

fn call(guest: &mut Caller, operation: u64, argument: u64) -> i64 {
    match result(guest, operation, argument) {
        LinuxResult::Return(value) => value,
        LinuxResult::Exit(status) => panic!("operation {operation:#x} ended the guest with {status}"),
    }
}

/// A call whose argument is a block of words.
fn call_block(guest: &mut Caller, operation: u64, words: &[u64]) -> i64 {
    guest.put_words(BLOCK, words);
    call(guest, operation, BLOCK)
}

fn open(guest: &mut Caller, name: &str, mode: u64) -> i64 {
    guest.put(TEXT, name.as_bytes());
    call_block(guest, OPEN, &[TEXT, mode, name.len() as u64])
}

/// A handle that was given.
fn opened(guest: &mut Caller, name: &str, mode: u64) -> u64 {
    let handle = open(guest, name, mode);
    assert!(handle > 0, "{name} opens");
    handle.cast_unsigned()
}

fn write(guest: &mut Caller, handle: u64, text: &str) -> i64 {
    guest.put(BUFFER, text.as_bytes());
    call_block(guest, WRITE, &[handle, BUFFER, text.len() as u64])
}

/// What was not read of `size` bytes, and what was.
fn read(guest: &mut Caller, handle: u64, size: u64) -> (i64, String) {
    let rest = call_block(guest, READ, &[handle, BUFFER, size]);
    let count = usize::try_from(size - u64::try_from(rest).expect("the file can be read")).expect("small");
    (rest, String::from_utf8_lossy(&guest.bytes(BUFFER, count)).into_owned())
}

fn errno(guest: &mut Caller) -> i64 {
    call(guest, ERRNO, 0)
}

#[test]
fn files_are_written_read_and_measured() {
    for abi in ABIS {
        let (mut guest, root) = guest_with_files(abi);
        let handle = opened(&mut guest, "new.txt", 6);
        assert_eq!(write(&mut guest, handle, "hello"), 0, "everything is written");
        assert_eq!(call_block(&mut guest, FLEN, &[handle]), 5);
        assert_eq!(call_block(&mut guest, SEEK, &[handle, 1]), 0);
        assert_eq!(read(&mut guest, handle, 3), (0, "ell".to_owned()));
        assert_eq!(read(&mut guest, handle, 10), (9, "o".to_owned()));
        assert_eq!(read(&mut guest, handle, 10), (10, String::new()), "all is missing at the end");
        assert_eq!(call_block(&mut guest, ISTTY, &[handle]), 0);
        assert_eq!(call_block(&mut guest, CLOSE, &[handle]), 0);
        assert_eq!(call_block(&mut guest, CLOSE, &[handle]), -1);
        assert_eq!(errno(&mut guest), EBADF);
        assert_eq!(fs::read(root.path().join("new.txt")).expect("it is there"), b"hello");
    }
}

#[test]
fn the_modes_are_those_of_fopen() {
    let (mut guest, root) = guest_with_files(LITTLE32);
    let reading = opened(&mut guest, "old.txt", 0);
    assert_eq!(write(&mut guest, reading, "x"), -1, "r does not write");
    let updating = opened(&mut guest, "old.txt", 3);
    assert_eq!(write(&mut guest, updating, "ab"), 0, "r+b does, from the beginning");
    let appending = opened(&mut guest, "old.txt", 8);
    assert_eq!(write(&mut guest, appending, "!"), 0);
    assert_eq!(read(&mut guest, reading, 20), (9, "ab23456789!".to_owned()));
    opened(&mut guest, "old.txt", 4);
    assert_eq!(fs::read(root.path().join("old.txt")).expect("it is there"), b"", "w empties");
    assert_eq!(open(&mut guest, "none.txt", 1), -1);
    assert_eq!(errno(&mut guest), ENOENT);
    assert_eq!(open(&mut guest, "old.txt", 12), -1, "there is no mode 12");
}

#[test]
fn files_stay_below_the_root() {
    let (mut guest, _root) = guest_with_files(LITTLE64);
    for name in ["/etc/passwd", "../secret", "sub/../../secret"] {
        assert_eq!(open(&mut guest, name, 0), -1, "{name}");
    }
    assert_eq!(open(&mut guest, "/old.txt", 4), -1);
    assert_eq!(errno(&mut guest), EACCES);
    guest.put(TEXT, b"old.txt");
    guest.put(OTHER, b"../gone.txt");
    assert_ne!(call_block(&mut guest, RENAME, &[TEXT, 7, OTHER, 11]), 0);
    guest.put(TEXT, b"../old.txt");
    assert_ne!(call_block(&mut guest, REMOVE, &[TEXT, 10]), 0);
    let mut rootless = Caller::new(LITTLE32, b"");
    assert_eq!(open(&mut rootless, "old.txt", 0), -1);
    assert_eq!(errno(&mut rootless), ENOENT);
    assert_eq!(open(&mut rootless, "new.txt", 4), -1);
    assert_eq!(errno(&mut rootless), EACCES);
}

#[test]
fn files_are_renamed_and_removed() {
    let (mut guest, root) = guest_with_files(BIG32);
    guest.put(TEXT, b"old.txt");
    guest.put(OTHER, b"new name");
    assert_eq!(call_block(&mut guest, RENAME, &[TEXT, 7, OTHER, 8]), 0);
    assert!(root.path().join("new name").exists());
    assert_eq!(call_block(&mut guest, REMOVE, &[TEXT, 7]), ENOENT, "the host's error is the result");
    assert_eq!(errno(&mut guest), ENOENT);
    assert_eq!(call_block(&mut guest, REMOVE, &[OTHER, 8]), 0);
    assert!(!root.path().join("new name").exists());
}

#[test]
fn the_console_is_three_streams() {
    let (mut guest, _root) = guest_with_files(LITTLE32);
    let input = opened(&mut guest, ":tt", 0);
    let output = opened(&mut guest, ":tt", 4);
    let errors = opened(&mut guest, ":tt", 8);
    for handle in [input, output, errors] {
        assert_eq!(call_block(&mut guest, ISTTY, &[handle]), 1);
        assert_eq!(call_block(&mut guest, SEEK, &[handle, 0]), -1);
        assert_eq!(call_block(&mut guest, FLEN, &[handle]), -1);
    }
    assert_eq!(read(&mut guest, input, 3), (0, "typ".to_owned()));
    assert_eq!(call(&mut guest, READC, 0), i64::from(b'e'));
    assert_eq!(call(&mut guest, READC, 0), i64::from(b'd'));
    assert_eq!(call(&mut guest, READC, 0), -1, "the input has ended");
    assert_eq!(write(&mut guest, output, "out "), 0);
    assert_eq!(write(&mut guest, errors, "err"), 0);
    assert_eq!(write(&mut guest, input, "no"), -1);
    guest.put(TEXT, b"text\0rest");
    assert_eq!(call(&mut guest, WRITE0, TEXT), 0);
    assert_eq!(call(&mut guest, WRITEC, TEXT), 0);
    assert_eq!(guest.flushed_output(), "out textt");
    assert_eq!(guest.errors.text(), "err");
}

#[test]
fn the_features_are_told() {
    let (mut guest, _root) = guest_with_files(LITTLE32);
    let features = opened(&mut guest, ":semihosting-features", 0);
    assert_eq!(call_block(&mut guest, FLEN, &[features]), 5);
    assert_eq!(read(&mut guest, features, 5), (0, "SHFB\u{3}".to_owned()));
    assert_eq!(call_block(&mut guest, SEEK, &[features, 4]), 0);
    assert_eq!(read(&mut guest, features, 2), (1, "\u{3}".to_owned()));
    assert_eq!(open(&mut guest, ":semihosting-features", 4), -1);
}

#[test]
fn time_counts_cycles() {
    for abi in ABIS {
        let mut guest = Caller::new(abi, b"");
        guest.host = std::mem::take(&mut guest.host).with_clock_hz(1_000);
        guest.cycles = 0x1_0000_2345;
        assert_eq!(call(&mut guest, CLOCK, 0), 0x1_0000_2345 / 10);
        assert_eq!(call(&mut guest, TIME, 0), 0x1_0000_2345 / 1_000);
        assert_eq!(call(&mut guest, TICKFREQ, 0), 1_000);
        assert_eq!(call(&mut guest, ELAPSED, BLOCK), 0);
        let ticks = match abi.word_bits {
            64 => guest.number(BLOCK, 8),
            _ => guest.number(BLOCK, 4) | guest.number(BLOCK + 4, 4) << 32,
        };
        assert_eq!(ticks, 0x1_0000_2345);
    }
    let mut fast = Caller::new(LITTLE32, b"");
    fast.host = std::mem::take(&mut fast.host).with_clock_hz(3_000_000_000);
    assert_eq!(call(&mut fast, TICKFREQ, 0), -1, "a word does not hold it");
}

#[test]
fn arguments_and_heap_are_told() {
    for abi in ABIS {
        let mut guest = Caller::new(abi, b"");
        let arguments = vec!["program".to_owned(), "one".to_owned()];
        guest.host = std::mem::take(&mut guest.host).with_arguments(arguments);
        guest.host.set_heap(0x2000, 0x3000);
        let word = abi.word_bits as usize / 8;
        assert_eq!(call_block(&mut guest, GET_CMDLINE, &[BUFFER, 12]), 0);
        assert_eq!(guest.bytes(BUFFER, 12), b"program one\0");
        assert_eq!(guest.number(BLOCK + word as u64, word), 11);
        assert_eq!(call_block(&mut guest, GET_CMDLINE, &[BUFFER, 11]), -1);
        assert_eq!(call_block(&mut guest, HEAPINFO, &[OTHER]), 0);
        let words: Vec<u64> = (0..4).map(|index| guest.number(OTHER + index * word as u64, word)).collect();
        assert_eq!(words, [0x2000, 0x3000, 0, 0]);
        assert_eq!(call_block(&mut guest, TMPNAM, &[BUFFER, 7, 7]), 0);
        assert_eq!(guest.bytes(BUFFER, 7), b"tmp007\0");
        assert_eq!(call_block(&mut guest, TMPNAM, &[BUFFER, 7, 6]), -1);
        assert_eq!(call_block(&mut guest, TMPNAM, &[BUFFER, 256, 100]), -1);
    }
}

#[test]
fn an_exit_has_the_status_of_its_reason() {
    for abi in ABIS {
        let mut guest = Caller::new(abi, b"");
        guest.put_words(BLOCK, &[0x20026, 7]);
        assert_eq!(result(&mut guest, EXIT_EXTENDED, BLOCK), LinuxResult::Exit(7));
        let (argument, status) = if abi.word_bits == 64 { (BLOCK, 7) } else { (0x20026, 0) };
        assert_eq!(result(&mut guest, EXIT, argument), LinuxResult::Exit(status));
        guest.put_words(BLOCK, &[0x20023, 7]);
        assert_eq!(result(&mut guest, EXIT_EXTENDED, BLOCK), LinuxResult::Exit(1));
        assert_eq!(result(&mut guest, EXIT_EXTENDED, NOWHERE), LinuxResult::Exit(1));
    }
}

#[test]
fn what_is_wrong_fails_and_says_why() {
    for abi in ABIS {
        let mut guest = Caller::new(abi, b"");
        assert_eq!(errno(&mut guest), 0);
        for (operation, reason) in [(SYSTEM, ENOSYS), (0x17, ENOSYS), (0x99, ENOSYS), (OPEN, EFAULT)] {
            assert_eq!(call(&mut guest, operation, NOWHERE), -1, "{operation:#x}");
            assert_eq!(errno(&mut guest), reason, "{operation:#x}");
        }
        assert_eq!(call_block(&mut guest, CLOSE, &[0]), -1, "0 is no handle");
        assert_eq!(call_block(&mut guest, ISERROR, &[0]), 0);
        assert_eq!(call_block(&mut guest, ISERROR, &[u64::MAX]), 1);
        assert_eq!(call_block(&mut guest, OPEN, &[TEXT, 0, 1 << 31]), -1, "a name without end");
        assert_eq!(call_block(&mut guest, WRITE, &[2, NOWHERE, 5]), -1);
        assert_eq!(call_block(&mut guest, READ, &[1, MEMORY, abi.last_address()]), -1, "it wraps around");
    }
}

#[test]
fn nothing_that_a_guest_passes_harms_the_host() {
    let edges = [0, 1, 2, 3, 4, 5, 0x7f, MEMORY, MEMORY + 0x3_fffc, NOWHERE, u64::MAX, 1 << 31, 1 << 63];
    for abi in ABIS {
        let (mut guest, _root) = guest_with_files(abi);
        guest.put(TEXT, b"a/../b");
        for operation in (0..0x40).chain([0x100, u64::MAX]) {
            for first in edges {
                for second in edges {
                    guest.put_words(BLOCK, &[first, second, second, first]);
                    if let LinuxResult::Return(value) = result(&mut guest, operation, BLOCK) {
                        assert!(value >= -1, "{operation:#x}");
                    }
                    let _ = result(&mut guest, operation, first);
                }
            }
        }
    }
}
