//! An allocator that counts, and says what is held.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

/// Counts allocations; everything else is the system's.
pub struct Counting;

pub(crate) static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
pub(crate) static REALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static COUNTS: AtomicBool = AtomicBool::new(true);
static HOLDS: AtomicBool = AtomicBool::new(false);

/// Sizes are told apart in steps of that many bytes.
const STEP: usize = 16;
const STEPS: usize = 1024;
/// What is held, by size; the last are all that are larger.
static HELD: [AtomicI64; STEPS] = [const { AtomicI64::new(0) }; STEPS];

/// Counts nothing any more: the time of this process is measured.
pub fn stop_counting() {
    COUNTS.store(false, Ordering::Relaxed);
}

/// Keeps account of what is held from now on.
pub fn keep_account() {
    HOLDS.store(true, Ordering::Relaxed);
}

/// How many allocations of each size are held that were made since the account began.
pub fn held() -> Vec<(usize, i64)> {
    let counts = HELD.iter().map(|count| count.load(Ordering::Relaxed));
    let counts = counts.enumerate().filter(|(_, count)| *count > 0);
    counts.map(|(step, count)| ((step + 1) * STEP, count)).collect()
}

fn count(counter: &AtomicU64) {
    if COUNTS.load(Ordering::Relaxed) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

fn hold(size: usize, by: i64) {
    if HOLDS.load(Ordering::Relaxed) {
        let step = (size.max(1) - 1) / STEP;
        HELD[step.min(STEPS - 1)].fetch_add(by, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(&ALLOCATIONS);
        hold(layout.size(), 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(layout.size(), -1);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(&REALLOCATIONS);
        hold(layout.size(), -1);
        hold(size, 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
