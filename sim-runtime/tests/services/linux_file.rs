//! `openat`, `close`, `lseek`, `fstat` and transfers with files below a root.

use std::fs;

use sim_runtime::host::{Abi, RootDirectory};
use tempfile::TempDir;

use crate::fake::{BIG32, BIG64, Caller, LITTLE32, LITTLE64, MEMORY, NOWHERE};

const OPENAT: u64 = 56;
const CLOSE: u64 = 57;
const LSEEK: u64 = 62;
const READ: u64 = 63;
const WRITE: u64 = 64;
const FSTAT: u64 = 80;

const HERE: u64 = (-100_i64).cast_unsigned();
const RDONLY: u64 = 0;
const WRONLY: u64 = 1;
const RDWR: u64 = 2;
const CREAT: u64 = 0o100;
const EXCL: u64 = 0o200;
const TRUNC: u64 = 0o1000;
const APPEND: u64 = 0o2000;
const DIRECTORY: u64 = 0o200_000;

const PATH: u64 = MEMORY + 0x2_0000;

/// A guest with a root that holds `old.txt` and a folder `sub` with `deep.txt`.
fn guest_with_files(abi: Abi) -> (Caller, TempDir) {
    let root = tempfile::tempdir().expect("a temporary folder");
    fs::write(root.path().join("old.txt"), "0123456789").expect("a file");
    fs::create_dir(root.path().join("sub")).expect("a folder");
    fs::write(root.path().join("sub/deep.txt"), "deep").expect("a file");
    let mut guest = Caller::new(abi, b"");
    let directory = RootDirectory::open(root.path()).expect("it is there");
    guest.host = std::mem::take(&mut guest.host).with_root(directory);
    (guest, root)
}

fn open(guest: &mut Caller, path: &str, flags: u64) -> i64 {
    open_in(guest, HERE, path, flags)
}

fn open_in(guest: &mut Caller, directory: u64, path: &str, flags: u64) -> i64 {
    guest.put(PATH, path.as_bytes());
    guest.put(PATH + path.len() as u64, &[0]);
    guest.call(OPENAT, &[directory, PATH, flags, 0o644])
}

/// Writes a text to a descriptor.
fn write(guest: &mut Caller, descriptor: i64, text: &str) -> i64 {
    guest.put(MEMORY, text.as_bytes());
    guest.call(WRITE, &[descriptor.cast_unsigned(), MEMORY, text.len() as u64])
}

/// Reads what is left of a file, at most 100 bytes.
fn rest(guest: &mut Caller, descriptor: i64) -> String {
    let count = guest.call(READ, &[descriptor.cast_unsigned(), MEMORY, 100]);
    let count = usize::try_from(count).expect("the file can be read");
    String::from_utf8(guest.bytes(MEMORY, count)).expect("texts")
}

#[test]
fn files_are_read_and_closed_and_numbers_used_again() {
    let (mut guest, _root) = guest_with_files(LITTLE32);
    assert_eq!(open(&mut guest, "old.txt", RDONLY), 3);
    assert_eq!(open(&mut guest, "sub/deep.txt", RDONLY), 4);
    assert_eq!(rest(&mut guest, 4), "deep");
    assert_eq!(rest(&mut guest, 4), "");
    assert_eq!(write(&mut guest, 3, "no"), -9);
    assert_eq!(guest.call(CLOSE, &[3]), 0);
    assert_eq!(guest.call(CLOSE, &[3]), -9);
    assert_eq!(open(&mut guest, "./sub/../old.txt", RDWR), 3);
    assert_eq!(rest(&mut guest, 3), "0123456789");
}

#[test]
fn files_are_made_emptied_and_appended_to() {
    let (mut guest, root) = guest_with_files(LITTLE64);
    let contents = |name: &str| fs::read_to_string(root.path().join(name)).expect("it is there");

    let made = open(&mut guest, "new.txt", WRONLY | CREAT | EXCL);
    assert_eq!(write(&mut guest, made, "first"), 5);
    assert_eq!(guest.call(READ, &[made.cast_unsigned(), MEMORY, 1]), -9);
    assert_eq!(contents("new.txt"), "first");
    assert_eq!(open(&mut guest, "new.txt", WRONLY | CREAT | EXCL), -17);

    let end = open(&mut guest, "new.txt", WRONLY | APPEND);
    assert_eq!(write(&mut guest, end, "+second"), 7);
    assert_eq!(contents("new.txt"), "first+second");

    let emptied = open(&mut guest, "old.txt", RDWR | TRUNC);
    assert_eq!(write(&mut guest, emptied, "new"), 3);
    assert_eq!(contents("old.txt"), "new");
    let emptied = open(&mut guest, "old.txt", WRONLY | TRUNC | APPEND);
    assert_eq!(write(&mut guest, emptied, "newer"), 5);
    assert_eq!(contents("old.txt"), "newer");

    let read = open(&mut guest, "empty.txt", RDONLY | CREAT);
    assert_eq!(rest(&mut guest, read), "");
    assert_eq!(open(&mut guest, "empty.txt", RDONLY | CREAT | EXCL), -17);
}

#[test]
fn directories_are_opened_to_open_in_them() {
    let (mut guest, _root) = guest_with_files(LITTLE32);
    let folder = open(&mut guest, "sub", RDONLY | DIRECTORY);
    assert_eq!(folder, 3);
    let folder = folder.cast_unsigned();
    assert_eq!(open_in(&mut guest, folder, "deep.txt", RDONLY), 4);
    assert_eq!(rest(&mut guest, 4), "deep");
    assert_eq!(open_in(&mut guest, 4, "deep.txt", RDONLY), -20);
    assert_eq!(open_in(&mut guest, 99, "deep.txt", RDONLY), -9);
    assert_eq!(guest.call(READ, &[folder, MEMORY, 1]), -21);
    assert_eq!(guest.call(WRITE, &[folder, MEMORY, 1]), -9);
    assert_eq!(open(&mut guest, "sub", WRONLY), -21);
    assert_eq!(open(&mut guest, "old.txt", RDONLY | DIRECTORY), -20);
    assert_eq!(open(&mut guest, "old.txt/below", RDONLY), -20);
}

#[test]
fn wrong_paths_and_flags_have_their_errors() {
    let (mut guest, _root) = guest_with_files(LITTLE32);
    assert_eq!(open(&mut guest, "missing", RDONLY), -2);
    assert_eq!(open(&mut guest, "missing/file", WRONLY | CREAT), -2);
    assert_eq!(open(&mut guest, "", RDONLY), -2);
    assert_eq!(open(&mut guest, "old.txt", 3), -22);
    assert_eq!(guest.call(OPENAT, &[HERE, NOWHERE, RDONLY, 0]), -14);
    guest.put(MEMORY, &[b'a'; 5000]);
    assert_eq!(guest.call(OPENAT, &[HERE, MEMORY, RDONLY, 0]), -36);
    assert_eq!(open(&mut guest, &"a".repeat(300), RDONLY), -36);
    // A text that runs into the end of memory has no end.
    let end = MEMORY + crate::fake::MEMORY_SIZE as u64;
    guest.put(end - 3, b"abc");
    assert_eq!(guest.call(OPENAT, &[HERE, end - 3, RDONLY, 0]), -14);
}

#[test]
fn descriptors_run_out_before_a_file_is_made() {
    let (mut guest, root) = guest_with_files(LITTLE32);
    for number in 3..1024 {
        assert_eq!(open(&mut guest, "sub", RDONLY), number);
    }
    assert_eq!(open(&mut guest, "new.txt", WRONLY | CREAT), -24);
    assert!(!root.path().join("new.txt").exists());
}

#[test]
fn a_64_bit_guest_seeks_by_result() {
    for abi in [LITTLE64, BIG64] {
        let (mut guest, _root) = guest_with_files(abi);
        open(&mut guest, "old.txt", RDONLY);
        assert_eq!(guest.call(LSEEK, &[3, 4, 0]), 4);
        assert_eq!(guest.call(LSEEK, &[3, (-1_i64).cast_unsigned(), 1]), 3);
        assert_eq!(guest.call(LSEEK, &[3, (-2_i64).cast_unsigned(), 2]), 8);
        assert_eq!(rest(&mut guest, 3), "89");
        assert_eq!(guest.call(LSEEK, &[3, (-1_i64).cast_unsigned(), 0]), -22);
        assert_eq!(guest.call(LSEEK, &[3, (-99_i64).cast_unsigned(), 1]), -22);
        assert_eq!(guest.call(LSEEK, &[3, 0, 9]), -22);
        assert_eq!(guest.call(LSEEK, &[99, 0, 0]), -9);
        assert_eq!(guest.call(LSEEK, &[1, 0, 0]), -29);
    }
}

#[test]
fn a_32_bit_guest_seeks_through_memory() {
    for abi in [LITTLE32, BIG32] {
        let (mut guest, _root) = guest_with_files(abi);
        open(&mut guest, "old.txt", RDONLY);
        let result = MEMORY + 0x80;
        guest.put(result, &[0xff; 8]);
        assert_eq!(guest.call(LSEEK, &[3, 0, 7, result, 0]), 0);
        assert_eq!(guest.number(result, 8), 7);
        assert_eq!(rest(&mut guest, 3), "789");
        let minus_four = 0xffff_fffc;
        assert_eq!(guest.call(LSEEK, &[3, 0xffff_ffff, minus_four, result, 2]), 0);
        assert_eq!(guest.number(result, 8), 6);
        assert_eq!(guest.call(LSEEK, &[3, 2, 1, result, 0]), 0);
        assert_eq!(guest.number(result, 8), 0x2_0000_0001);
        assert_eq!(guest.call(LSEEK, &[3, 0, 0, NOWHERE, 0]), -14);
        assert_eq!(guest.call(LSEEK, &[3, 0, 0, result, 99]), -22);
        assert_eq!(guest.call(LSEEK, &[99, 0, 0, result, 99]), -9);
        assert_eq!(guest.call(LSEEK, &[0, 0, 0, result, 0]), -29);
    }
}

#[test]
fn fstat_has_the_fields_of_asm_generic() {
    for (abi, size) in [(LITTLE32, 104), (BIG32, 104), (LITTLE64, 128), (BIG64, 128)] {
        let (mut guest, _root) = guest_with_files(abi);
        open(&mut guest, "old.txt", RDONLY);
        open(&mut guest, "sub", RDONLY);
        let at = MEMORY + 0x100;
        guest.put(at, &[0xee; 200]);
        assert_eq!(guest.call(FSTAT, &[3, at]), 0);
        let field = |guest: &Caller, offset, size| guest.number(at + offset, size);
        assert_eq!(field(&guest, 16, 4), 0o100_644, "st_mode");
        assert_eq!(field(&guest, 20, 4), 1, "st_nlink");
        assert_eq!(field(&guest, 48, 8), 10, "st_size");
        assert_eq!(field(&guest, 56, 4), 4096, "st_blksize");
        assert_eq!(field(&guest, 64, 8), 1, "st_blocks");
        assert!(guest.bytes(at + 72, size - 72).iter().all(|byte| *byte == 0), "no host time");
        assert_eq!(guest.bytes(at + size as u64, 4), [0xee; 4], "the structure ends");
        assert_eq!(guest.call(FSTAT, &[1, at]), 0);
        assert_eq!(field(&guest, 16, 4), 0o020_620);
        assert_eq!(guest.call(FSTAT, &[4, at]), 0);
        assert_eq!(field(&guest, 16, 4), 0o040_755);
        assert_eq!(guest.call(FSTAT, &[99, at]), -9);
        assert_eq!(guest.call(FSTAT, &[1, NOWHERE]), -14);
    }
}
