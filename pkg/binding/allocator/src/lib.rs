//! The allocator of the module.
//!
//! Calls of everyday size are mostly allocations, so this is compiled for speed. The rest of the
//! module is compiled for size: where it was compiled for speed too, the binding drew half of the
//! core into its exports.
#![cfg(target_arch = "wasm32")]
#![no_std]

use core::alloc::Layout;
use core::arch::wasm32::{memory_grow, memory_size};
use core::ptr::NonNull;
use talc::base::Talc;
use talc::base::binning::Binning;
use talc::cell::TalcSyncCell;
use talc::source::Source;
use talc::wasm::WasmBinning;

#[global_allocator]
static ALLOCATOR: TalcSyncCell<Shares, WasmBinning> = TalcSyncCell::new_wasm(Shares { end: None });

const PAGE: usize = 64 * 1024;

/// So much of what there is already is added at least: an eighth,
const PART: usize = 8;
/// as long as that is at most so many pages: 16 MiB.
const MOST: usize = 256;

/// Grows the memory by a share of it. The host takes every growth for a sign that much was thrown
/// away: page by page, as talc's own sources do it, a call that needs 100 MiB spends more time in the
/// host's garbage collection than in its own work.
#[derive(Debug)]
struct Shares {
    end: Option<NonNull<u8>>,
}

// SAFETY: it allocates nothing, and claims only memory that nobody else has
unsafe impl Source for Shares {
    fn acquire<B: Binning>(talc: &mut Talc<Self, B>, layout: Layout) -> Result<(), ()> {
        // a page more than asked for holds what the allocator itself writes
        let needed = (layout.size() + layout.align()).div_ceil(PAGE) + 1;
        let share = (memory_size::<0>() / PART).min(MOST).max(needed);
        let (start, pages) = match (memory_grow::<0>(share), share) {
            (usize::MAX, _) => (memory_grow::<0>(needed), needed),
            grown => grown,
        };
        if start == usize::MAX {
            return Err(());
        }
        let start = core::ptr::without_provenance_mut::<u8>(start * PAGE);
        let added = pages * PAGE;
        // SAFETY: the memory between was just added, and the end is that of the last time
        let end = unsafe {
            match talc.source.end.filter(|end| end.as_ptr() == start) {
                Some(end) => Some(talc.extend(end, start.wrapping_add(added))),
                None => talc.claim(start, added),
            }
        };
        talc.source.end = end;
        end.map(drop).ok_or(())
    }
}
