//! The program's globals: kept once after its static constructors, restored before every run.

use std::ffi::{c_int, c_void};

use crate::sys;

static mut KEPT: Vec<(usize, Vec<u8>)> = Vec::new();

fn kept() -> &'static mut Vec<(usize, Vec<u8>)> {
    // SAFETY: one OS thread; the list is only touched between runs.
    unsafe {
        let at = &raw mut KEPT;
        &mut *at
    }
}

/// Keeps the writable segment of the executable but for what is read-only after relocation. The player's own data are
/// in its shared object.
pub fn take() {
    unsafe extern "C" fn first(info: *mut sys::DlInfo, _: usize, _: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid description of the executable, with `phnum` headers.
        let (base, headers) = unsafe {
            let info = &*info;
            (info.addr as usize, std::slice::from_raw_parts(info.phdr, usize::from(info.phnum)))
        };
        let range = |h: &sys::Phdr| (base + h.vaddr as usize, base + (h.vaddr + h.memsz) as usize);
        let fixed = headers.iter().find(|h| h.kind == sys::PT_GNU_RELRO).map(range);
        for header in headers.iter().filter(|h| h.kind == sys::PT_LOAD && h.flags & 2 != 0) {
            let (mut from, to) = range(header);
            if let Some((low, high)) = fixed
                && (low..high).contains(&from)
            {
                from = high.next_multiple_of(4096);
            }
            if from < to {
                // SAFETY: the segment is mapped and readable.
                let bytes = unsafe { std::slice::from_raw_parts(from as *const u8, to - from) };
                kept().push((from, bytes.to_vec()));
            }
        }
        1
    }
    kept().clear();
    // SAFETY: the callback keeps the contract.
    unsafe { sys::dl_iterate_phdr(first, std::ptr::null_mut()) };
}

/// Where the globals are.
pub fn ranges() -> Vec<(usize, usize)> {
    kept().iter().map(|(at, bytes)| (*at, at + bytes.len())).collect()
}

/// Puts everything back.
pub fn restore() {
    for (at, bytes) in kept().iter() {
        // SAFETY: the range was mapped and writable when it was kept, and still is.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), *at as *mut u8, bytes.len()) };
    }
}
