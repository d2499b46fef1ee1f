//! The memory that compiled code and the engine share.
//!
//! It is reached by raw pointers on both sides, never by references that would promise that nobody
//! else writes: so a read or write here is right at any time at which no compiled code runs at the
//! same moment, and one thread alone reaches it: what
//! makes code beside a run does not. Every access is checked against the end.

#![allow(unsafe_code, reason = "memory that machine code writes cannot be borrowed")]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// The piece begins at a multiple of this.
const PAGE: usize = 4096;
/// As far as the allocator aligns without touching what it gives: pages that nobody writes take no
/// memory.
const UNTOUCHED_ALIGN: usize = 16;

/// A piece of memory, all 0 at first, at a place that does not change.
pub(crate) struct Arena {
    /// What was allocated, and how: a page more than the piece.
    allocated: NonNull<u8>,
    layout: Layout,
    base: NonNull<u8>,
    bytes: usize,
}

impl Arena {
    /// A piece of so many bytes, aligned to a page.
    ///
    /// # Panics
    /// If there is no memory for it, as any allocation does.
    pub(crate) fn new(bytes: u64) -> Arena {
        let bytes = bytes as usize;
        let layout = Layout::from_size_align(bytes + PAGE, UNTOUCHED_ALIGN);
        let layout = layout.unwrap_or_else(|_| panic!("a piece of {bytes} bytes is below 1 GiB"));
        // SAFETY: the layout's size is not 0.
        let allocated = unsafe { alloc_zeroed(layout) };
        let Some(allocated) = NonNull::new(allocated) else { handle_alloc_error(layout) };
        // SAFETY: the next page begins less than a page behind, and a page more was allocated.
        let base = unsafe { allocated.add(allocated.align_offset(PAGE)) };
        Arena { allocated, layout, base, bytes }
    }

    /// Its address, which compiled code is given.
    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    fn check(&self, offset: u64, bytes: usize) -> *mut u8 {
        let end = offset.checked_add(bytes as u64);
        assert!(end.is_some_and(|end| end <= self.bytes as u64), "beyond the end at {offset:#x}");
        // SAFETY: offset and all bytes lie within the allocation, as was just checked.
        unsafe { self.base.as_ptr().add(offset as usize) }
    }

    /// The bytes from an offset on.
    pub(crate) fn get<const N: usize>(&self, offset: u64) -> [u8; N] {
        let from = self.check(offset, N);
        let mut bytes = [0; N];
        // SAFETY: N bytes lie there, initialised when they were allocated; `bytes` is our own.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), N) };
        bytes
    }

    /// The same of any number of bytes.
    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) {
        let from = self.check(offset, bytes.len());
        // SAFETY: as many bytes lie there, initialised when they were allocated; `bytes` is the caller's own, and none
        // of it lies there, where nobody has references.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
    }

    /// Sets the bytes from an offset on.
    pub(crate) fn put<const N: usize>(&self, offset: u64, bytes: [u8; N]) {
        let to = self.check(offset, N);
        // SAFETY: N bytes lie there, and nobody holds a reference to any.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, N) };
    }

    /// A number of up to 16 bytes, a power of two.
    pub(crate) fn number(&self, offset: u64, bytes: u32) -> u128 {
        match bytes {
            1 => self.get::<1>(offset)[0].into(),
            2 => u16::from_le_bytes(self.get(offset)).into(),
            4 => u32::from_le_bytes(self.get(offset)).into(),
            8 => u64::from_le_bytes(self.get(offset)).into(),
            _ => u128::from_le_bytes(self.get(offset)),
        }
    }

    /// Sets a number of up to 16 bytes, a power of two.
    pub(crate) fn set_number(&self, offset: u64, bytes: u32, value: u128) {
        match bytes {
            1 => self.put(offset, (value as u8).to_le_bytes()),
            2 => self.put(offset, (value as u16).to_le_bytes()),
            4 => self.put(offset, (value as u32).to_le_bytes()),
            8 => self.put(offset, (value as u64).to_le_bytes()),
            _ => self.put(offset, value.to_le_bytes()),
        }
    }

    /// A number of 8 bytes.
    pub(crate) fn word(&self, offset: u64) -> u64 {
        u64::from_le_bytes(self.get(offset))
    }

    /// Sets a number of 8 bytes.
    pub(crate) fn set_word(&self, offset: u64, value: u64) {
        self.put(offset, value.to_le_bytes());
    }

    /// Sets bytes to 0.
    pub(crate) fn clear(&self, offset: u64, bytes: u64) {
        self.fill(offset, bytes, 0);
    }

    /// Sets bytes to a value.
    pub(crate) fn fill(&self, offset: u64, bytes: u64, value: u8) {
        let to = self.check(offset, bytes as usize);
        // SAFETY: as for `put`.
        unsafe { std::ptr::write_bytes(to, value, bytes as usize) };
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and nothing uses it any more.
        unsafe { dealloc(self.allocated.as_ptr(), self.layout) };
    }
}
