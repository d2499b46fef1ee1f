//! The stack that a program finds at its start.

use std::fmt;

use crate::engine::Machine;
use crate::host::abi::Abi;
use crate::host::guest::Guest;

/// What a guest is given at its start, and where.
#[derive(Debug, Clone, Copy)]
pub struct InitialStack<'a> {
    /// First byte address above the stack; a multiple of 16 or rounded down to one.
    pub top: u64,
    /// The program's name and its arguments.
    pub argv: &'a [String],
    /// `NAME=value`; never the host's environment, so that runs can be repeated.
    pub envp: &'a [String],
    /// Where the C library takes its secrets from (AT_RANDOM).
    pub random: [u8; 16],
}

/// The stack does not fit into the guest's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackError {
    /// First byte address above the stack.
    pub top: u64,
    /// Bytes that arguments and environment take.
    pub size_bytes: u64,
}

impl fmt::Display for StackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the {} bytes of program arguments below {:#x} do not fit into memory; give STACK an \
             address at the end of a RANGE with room below, or pass fewer arguments",
            self.size_bytes, self.top
        )
    }
}

impl std::error::Error for StackError {}

const STACK_ALIGNMENT: u64 = 16;
const AT_NULL: u64 = 0;
const AT_PAGESZ: u64 = 6;
const AT_RANDOM: u64 = 25;
const PAGE_BYTES: u64 = 4096;

/// Writes argc, argv, the environment and the auxiliary vector as Linux lays them out, and
/// returns the stack pointer, a multiple of 16, which points to argc.
///
/// From the stack pointer up: argc; argv and a zero word; envp and a zero word; pairs of
/// AT_PAGESZ, AT_RANDOM and AT_NULL; then the bytes that these point to.
///
/// # Errors
/// If the bytes do not fit between address 0 and the top or memory is not mapped there.
pub fn setup_stack(
    machine: &mut dyn Machine,
    map: usize,
    abi: Abi,
    stack: &InitialStack<'_>,
) -> Result<u64, StackError> {
    let top = stack.top & !(STACK_ALIGNMENT - 1);
    let texts = stack.argv.iter().chain(stack.envp);
    let text_bytes: u64 = texts.map(|text| text.len() as u64 + 1).sum();
    // argc, the two zero words and three pairs stand beside the pointers.
    let words = (stack.argv.len() + stack.envp.len()) as u64 + 9;
    let table_bytes = words * abi.word_bytes() as u64;
    let size_bytes = table_bytes + stack.random.len() as u64 + text_bytes;
    let error = StackError { top, size_bytes };

    let low = top.checked_sub(size_bytes).ok_or(error)?;
    let pointer = low & !(STACK_ALIGNMENT - 1);
    let bytes = layout(abi, stack, pointer, table_bytes);
    let mut guest = Guest { machine, map, abi };
    guest.write(pointer, &bytes).map_err(|_| error)?;
    Ok(pointer)
}

/// The bytes from the stack pointer up.
fn layout(abi: Abi, stack: &InitialStack<'_>, pointer: u64, table_bytes: u64) -> Vec<u8> {
    let random_address = pointer + table_bytes;
    let mut text_address = random_address + stack.random.len() as u64;
    let mut bytes = Vec::new();
    let mut texts = Vec::new();
    abi.put_word(&mut bytes, stack.argv.len() as u64);
    for list in [stack.argv, stack.envp] {
        for text in list {
            abi.put_word(&mut bytes, text_address);
            texts.extend_from_slice(text.as_bytes());
            texts.push(0);
            text_address += text.len() as u64 + 1;
        }
        abi.put_word(&mut bytes, 0);
    }
    let auxiliary = [(AT_PAGESZ, PAGE_BYTES), (AT_RANDOM, random_address), (AT_NULL, 0)];
    for (key, value) in auxiliary {
        abi.put_word(&mut bytes, key);
        abi.put_word(&mut bytes, value);
    }
    bytes.extend_from_slice(&stack.random);
    bytes.extend_from_slice(&texts);
    bytes
}
