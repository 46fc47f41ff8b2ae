//! The allocator of the WebAssembly module.
//!
//! Small calls spend most of their time in allocations, so this crate is compiled for speed. The
//! rest of the module is compiled for size. Compiled for speed, the binding inlined half of the
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
static ALLOCATOR: FreeLists = FreeLists {
    rest: TalcSyncCell::new_wasm(GrowingMemory { end: None }),
    tops: [const { Cell::new(null_mut()) }; SIZES],
    free_slots: Cell::new(MAX_FREE_BLOCKS),
};

/// The step between the sizes of free lists, which is also their alignment.
const STEP: usize = 16;
/// The number of free lists: for blocks of at most 512 bytes.
const SIZES: usize = 32;
/// The maximum number of free blocks. Further blocks return to talc, which merges neighbors.
const MAX_FREE_BLOCKS: usize = 4096;

/// Free lists of small blocks, by size. A small call allocates and frees a few hundred blocks, and
/// nearly all have a size that the previous call also used.
struct FreeLists {
    rest: TalcSyncCell<GrowingMemory, WasmBinning>,
    /// The last freed block of each size. It contains the pointer to the previous one.
    tops: [Cell<*mut u8>; SIZES],
    free_slots: Cell<usize>,
}

// SAFETY: the module has one thread, which `TalcSyncCell` also requires
unsafe impl Sync for FreeLists {}

/// Returns the layout of the block that is allocated for a small layout.
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
    // a size of 0 is not small
    layout.size().wrapping_sub(1) < STEP * SIZES && layout.align() <= STEP
}

impl FreeLists {
    #[inline(always)]
    fn free_list(&self, layout: Layout) -> Option<&Cell<*mut u8>> {
        if is_small(layout) { self.tops.get((layout.size() - 1) / STEP) } else { None }
    }
}

// SAFETY: every block comes from talc with the layout `whole` and returns with it. In between it is
// in the free list of its size, or has one owner
unsafe impl GlobalAlloc for FreeLists {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(list) = self.free_list(layout) {
            let top = list.get();
            if !top.is_null() {
                // SAFETY: a block in a free list contains the pointer to the previous one
                list.set(unsafe { top.cast::<*mut u8>().read() });
                self.free_slots.set(self.free_slots.get() + 1);
                return top;
            }
        }
        // SAFETY: the requirements of the caller
        unsafe { self.rest.alloc(whole(layout)) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(list) = self.free_list(layout)
            && let Some(slots) = self.free_slots.get().checked_sub(1)
        {
            // SAFETY: the block has at least 16 bytes and no owner
            unsafe { block.cast::<*mut u8>().write(list.get()) };
            list.set(block);
            self.free_slots.set(slots);
            return;
        }
        // SAFETY: talc allocated the block with this layout
        unsafe { self.rest.dealloc(block, whole(layout)) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is valid for this alignment
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_small(layout), is_small(wanted)) {
            // SAFETY: talc allocated the block with this layout
            (false, false) => unsafe { self.rest.realloc(block, layout, size) },
            (true, true) if whole(layout).size() == whole(wanted).size() => block,
            // SAFETY: the requirements of the caller; two blocks do not overlap
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

/// Memory grows by at least 1/8 of its size,
const PART: usize = 8;
/// up to this number of pages (16 MiB).
const MAX_PAGES: usize = 256;

/// Grows the memory by a share of its size. The host may collect garbage after every growth. With
/// talc's own source, which grows page by page, a call that needs 100 MiB spends most of its time
/// there.
#[derive(Debug)]
struct GrowingMemory {
    end: Option<NonNull<u8>>,
}

// SAFETY: it allocates nothing, and claims only memory that has no other owner
unsafe impl Source for GrowingMemory {
    fn acquire<B: Binning>(talc: &mut Talc<Self, B>, layout: Layout) -> Result<(), ()> {
        // one extra page for the data of the allocator itself
        let needed = (layout.size() + layout.align()).div_ceil(PAGE) + 1;
        let share = (memory_size::<0>() / PART).min(MAX_PAGES).max(needed);
        let (start, pages) = match (memory_grow::<0>(share), share) {
            (usize::MAX, _) => (memory_grow::<0>(needed), needed),
            grown => grown,
        };
        if start == usize::MAX {
            return Err(());
        }
        let start = core::ptr::without_provenance_mut::<u8>(start * PAGE);
        let added = pages * PAGE;
        // SAFETY: the memory between was just added, and `end` is the end of the previous growth
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
