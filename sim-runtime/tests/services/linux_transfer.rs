//! `read`, `write`, `readv`, `writev`, `exit` and everything a guest can do wrong with them.

use std::io::{self, Read, Write};

use sim_runtime::host::{Host, LinuxResult, Streams};

use crate::fake::{BIG32, BIG64, Caller, LITTLE32, LITTLE64, MEMORY, MEMORY_SIZE, NOWHERE};

const READ: u64 = 63;
const WRITE: u64 = 64;
const READV: u64 = 65;
const WRITEV: u64 = 66;
const END: u64 = MEMORY + MEMORY_SIZE as u64;

const EBADF: i64 = -9;
const EFAULT: i64 = -14;
const EINVAL: i64 = -22;
const EPIPE: i64 = -32;
const ENOSYS: i64 = -38;

#[test]
fn output_and_errors_go_to_their_streams_in_order() {
    let mut guest = Caller::new(LITTLE32, b"");
    guest.put(MEMORY, b"one two");
    assert_eq!(guest.call(WRITE, &[1, MEMORY, 4]), 4);
    guest.host.print(b"printed ");
    guest.host.console_write(b'!');
    assert_eq!(guest.output.text(), "", "output is gathered");
    assert_eq!(guest.call(WRITE, &[2, MEMORY + 4, 3]), 3);
    assert_eq!(guest.output.text(), "one printed !", "errors do not overtake output");
    assert_eq!(guest.errors.text(), "two");
}

#[test]
fn exit_flushes_and_gives_the_status() {
    for number in [93, 94] {
        let mut guest = Caller::new(LITTLE64, b"");
        guest.host.print(b"last words");
        let status = u64::from(0x1_ff_u32);
        assert_eq!(guest.result(number, &[status]), LinuxResult::Exit(0x1ff));
        assert_eq!(guest.output.text(), "last words");
    }
    let mut guest = Caller::new(LITTLE32, b"");
    assert_eq!(guest.result(93, &[u64::MAX]), LinuxResult::Exit(-1));
}

#[test]
fn input_is_read_as_far_as_it_goes() {
    let mut guest = Caller::new(LITTLE32, b"hello");
    assert_eq!(guest.call(READ, &[0, MEMORY, 3]), 3);
    assert_eq!(guest.call(READ, &[0, MEMORY + 3, 100]), 2);
    assert_eq!(guest.bytes(MEMORY, 6), b"hello\0");
    assert_eq!(guest.call(READ, &[0, MEMORY, 100]), 0);
    assert_eq!(guest.host.console_read(), None);
}

#[test]
fn the_console_reads_the_same_input() {
    let mut guest = Caller::new(LITTLE32, b"ab");
    guest.host.print(b"? ");
    assert_eq!(guest.host.console_read(), Some(b'a'));
    assert_eq!(guest.output.text(), "? ", "a question stands before its answer");
    assert_eq!(guest.call(READ, &[0, MEMORY, 9]), 1);
}

#[test]
fn descriptors_must_be_open_in_the_right_direction() {
    let mut guest = Caller::new(LITTLE64, b"input");
    for number in [READ, WRITE, READV, WRITEV] {
        for descriptor in [99, 3, 0xffff_ffff, u64::MAX, 1 << 31] {
            assert_eq!(guest.call(number, &[descriptor, MEMORY, 1]), EBADF);
        }
    }
    assert_eq!(guest.call(READ, &[1, MEMORY, 1]), EBADF);
    assert_eq!(guest.call(WRITE, &[0, MEMORY, 1]), EBADF);
    // A descriptor is an int: what stands above does not matter.
    assert_eq!(guest.call(WRITE, &[0xdead_0000_0001, MEMORY, 1]), 1);
}

#[test]
fn a_closed_stream_is_closed() {
    let mut guest = Caller::new(LITTLE32, b"");
    assert_eq!(guest.call(57, &[1]), 0);
    assert_eq!(guest.call(WRITE, &[1, MEMORY, 1]), EBADF);
    assert_eq!(guest.call(57, &[1]), EBADF);
}

#[test]
fn nothing_mapped_is_a_fault_and_a_part_is_a_part() {
    let mut guest = Caller::new(LITTLE32, &[b'x'; 100]);
    for number in [READ, WRITE] {
        let descriptor = number - READ;
        assert_eq!(guest.call(number, &[descriptor, NOWHERE, 1]), EFAULT);
        assert_eq!(guest.call(number, &[descriptor, NOWHERE, 0]), 0);
        assert_eq!(guest.call(number, &[descriptor, END - 4, 10]), 4);
    }
    // The input that found no place is still there.
    assert_eq!(guest.call(READ, &[0, MEMORY, 1000]), 96);
}

#[test]
fn lengths_that_lie_cost_nothing() {
    for abi in [LITTLE32, LITTLE64, BIG32, BIG64] {
        let mut guest = Caller::new(abi, b"input");
        let top = if abi.word_bits == 64 { u64::MAX } else { u64::from(u32::MAX) };
        assert_eq!(guest.call(WRITE, &[1, MEMORY, top]), EFAULT, "it wraps around");
        assert_eq!(guest.call(READ, &[0, MEMORY, top]), EFAULT);
        assert_eq!(guest.call(WRITE, &[1, top, 1]), EFAULT);
        let rest = i64::try_from(MEMORY_SIZE).expect("small");
        assert_eq!(guest.call(WRITE, &[1, MEMORY, top / 2]), rest);
        assert_eq!(guest.call(READ, &[0, MEMORY, top / 2]), 5);
    }
    let mut guest = Caller::new(LITTLE64, b"");
    let rest = i64::try_from(MEMORY_SIZE).expect("small");
    assert_eq!(guest.call(WRITE, &[1, MEMORY, 1 << 63]), rest);
}

#[test]
fn vectors_gather_and_scatter_in_every_word_format() {
    for abi in [LITTLE32, LITTLE64, BIG32, BIG64] {
        let mut guest = Caller::new(abi, b"ABCDEFG");
        guest.put(MEMORY, b"left right");
        guest.put_words(MEMORY + 0x100, &[MEMORY + 5, 5, NOWHERE, 0, MEMORY, 4]);
        assert_eq!(guest.call(WRITEV, &[1, MEMORY + 0x100, 3]), 9);
        assert_eq!(guest.flushed_output(), "rightleft");

        guest.put_words(MEMORY + 0x100, &[MEMORY, 2, MEMORY + 0x20, 100]);
        assert_eq!(guest.call(READV, &[0, MEMORY + 0x100, 2]), 7);
        assert_eq!(guest.bytes(MEMORY, 2), b"AB");
        assert_eq!(guest.bytes(MEMORY + 0x20, 5), b"CDEFG");
    }
}

#[test]
fn vectors_are_checked_before_anything_moves() {
    let mut guest = Caller::new(LITTLE64, b"");
    assert_eq!(guest.call(WRITEV, &[1, NOWHERE, 0]), 0);
    assert_eq!(guest.call(WRITEV, &[1, NOWHERE, 1]), EFAULT);
    assert_eq!(guest.call(WRITEV, &[1, END - 8, 1]), EFAULT);
    assert_eq!(guest.call(WRITEV, &[1, MEMORY, 1025]), EINVAL);
    assert_eq!(guest.call(WRITEV, &[1, MEMORY, u64::MAX]), EINVAL);
    guest.put_words(MEMORY, &[MEMORY, 1, MEMORY, 1 << 63]);
    assert_eq!(guest.call(WRITEV, &[1, MEMORY, 2]), EINVAL);
    guest.put_words(MEMORY, &[MEMORY, 1, NOWHERE, 1]);
    assert_eq!(guest.call(WRITEV, &[1, MEMORY, 2]), 1, "what went well counts");
}

#[test]
fn unknown_calls_are_not_there() {
    let mut guest = Caller::new(LITTLE32, b"");
    for number in [0, 61, 172, 9999, u64::MAX] {
        assert_eq!(guest.call(number, &[]), ENOSYS);
    }
}

/// A stream whose other end is closed.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Closed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Interrupted.into())
    }
}

#[test]
fn a_reader_that_went_away_is_told_to_the_guest() {
    let mut guest = Caller::new(LITTLE32, b"");
    guest.host =
        Host::new(Streams { input: Box::new(Closed), output: Box::new(Closed), errors: Box::new(Closed) });
    assert_eq!(guest.call(WRITE, &[1, MEMORY, 100]), 100, "it is only gathered");
    assert_eq!(guest.call(READ, &[0, MEMORY, 1]), -4, "interrupted; and the output is flushed");
    assert_eq!(guest.call(WRITE, &[1, MEMORY, 100]), EPIPE);
    assert_eq!(guest.call(WRITE, &[2, MEMORY, 1]), EPIPE);
    guest.host.print(b"nobody reads this");
    guest.host.console_write(b'!');
    assert_eq!(guest.host.flush(), Ok(()), "the guest has been told");
    assert_eq!(guest.result(93, &[0]), LinuxResult::Exit(0));
}

#[test]
fn long_output_does_not_wait_for_the_end() {
    let mut guest = Caller::new(LITTLE32, b"");
    let size = MEMORY_SIZE as u64;
    assert_eq!(guest.call(WRITE, &[1, MEMORY, size]), i64::try_from(size).expect("small"));
    assert_eq!(guest.output.bytes().len(), MEMORY_SIZE);
}
