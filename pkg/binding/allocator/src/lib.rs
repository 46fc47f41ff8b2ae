//! The allocator of the module.
//!
//! Calls of everyday size are mostly allocations, so this is compiled for speed. The rest of the
//! module is compiled for size: where it was compiled for speed too, the binding drew half of the
//! core into its exports.
#![cfg(target_arch = "wasm32")]
#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size};
use core::cell::Cell;
use core::ptr::{NonNull, null_mut};
use talc::base::Talc;
use talc::base::binning::Binning;
use talc::cell::TalcSyncCell;
use talc::source::Source;
use talc::wasm::WasmBinning;

#[global_allocator]
static ALLOCATOR: Shelves = Shelves {
    rest: TalcSyncCell::new_wasm(Shares { end: None }),
    tops: [const { Cell::new(null_mut()) }; SIZES],
    room: Cell::new(ROOM),
};

/// Sizes of blocks that are kept differ by so many bytes, which is also their alignment.
const STEP: usize = 16;
/// How many sizes are kept: blocks of at most 512 bytes.
const SIZES: usize = 32;
/// How many blocks are kept at most. What is beyond goes back, so that blocks beside each other
/// become one again.
const ROOM: usize = 4096;

/// Keeps small blocks that were given back, by their size, for whoever asks next: a call of everyday
/// size takes and gives back a few hundred, and nearly all of them have a size that the call before
/// had as well.
struct Shelves {
    rest: TalcSyncCell<Shares, WasmBinning>,
    /// The last block of each size that was given back. It holds the one before.
    tops: [Cell<*mut u8>; SIZES],
    room: Cell<usize>,
}

// SAFETY: the module has one thread, as `TalcSyncCell` asks for too
unsafe impl Sync for Shelves {}

/// The layout of the block that is made for one, where it is small.
#[inline(always)]
const fn whole(layout: Layout) -> Layout {
    match layout.size().next_multiple_of(STEP) {
        // SAFETY: the alignment is a power of two, and the size is small
        size if is_small(layout) => unsafe { Layout::from_size_align_unchecked(size, STEP) },
        _ => layout,
    }
}

#[inline(always)]
const fn is_small(layout: Layout) -> bool {
    // no block is empty
    layout.size().wrapping_sub(1) < STEP * SIZES && layout.align() <= STEP
}

impl Shelves {
    #[inline(always)]
    fn shelf(&self, layout: Layout) -> Option<&Cell<*mut u8>> {
        if is_small(layout) { self.tops.get((layout.size() - 1) / STEP) } else { None }
    }
}

// SAFETY: every block comes from talc with the layout `whole` and goes back with it; between, it is
// on the shelf of its size, or with one owner
unsafe impl GlobalAlloc for Shelves {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(shelf) = self.shelf(layout) {
            let top = shelf.get();
            if !top.is_null() {
                // SAFETY: a block on a shelf holds the one before it
                shelf.set(unsafe { top.cast::<*mut u8>().read() });
                self.room.set(self.room.get() + 1);
                return top;
            }
        }
        // SAFETY: as the caller says
        unsafe { self.rest.alloc(whole(layout)) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(shelf) = self.shelf(layout)
            && let Some(room) = self.room.get().checked_sub(1)
        {
            // SAFETY: the block has at least 16 bytes, and nobody owns it any more
            unsafe { block.cast::<*mut u8>().write(shelf.get()) };
            shelf.set(block);
            self.room.set(room);
            return;
        }
        // SAFETY: it came from there under this layout
        unsafe { self.rest.dealloc(block, whole(layout)) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller says that the size is one for this alignment
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_small(layout), is_small(wanted)) {
            // SAFETY: it came from there, and goes back there
            (false, false) => unsafe { self.rest.realloc(block, layout, size) },
            (true, true) if whole(layout).size() == whole(wanted).size() => block,
            // SAFETY: as for the caller; two blocks do not overlap
            _ => unsafe {
                let moved = self.alloc(wanted);
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(block, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

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
