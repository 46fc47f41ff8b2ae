//! Holding a law against many cases: chance from a number, and how long it took.

#![allow(clippy::disallowed_methods, reason = "how long a law took is read from the clock")]

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// A small generator (SplitMix64): the same case is the same everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn of(case: u64) -> Self {
        Self(case ^ 0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of several.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// A list that is shorter than `end`.
    pub fn fewer<T>(&mut self, end: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(end)).map(|_| make(self)).collect()
    }
}

/// Holds a law against cases 0, 1, 2 and so on, and says how long that took; answers how many there
/// were, because `TUCKBOX_CASES` can say how many at most. A case that breaks the law is named:
/// `Dice::of` that number is the same case again.
pub fn hold(law: &str, cases: u64, mut holds: impl FnMut(&mut Dice)) -> u64 {
    let most = std::env::var("TUCKBOX_CASES").ok().and_then(|most| most.parse().ok());
    let cases = cases.min(most.unwrap_or(u64::MAX));
    let begun = Instant::now();
    for case in 0..cases {
        let dice = &mut Dice::of(case);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| holds(dice))) {
            eprintln!("case {case} breaks the law that {law}");
            resume_unwind(panic);
        }
    }
    // not captured, as the output of a test would be
    let line = format!("law: {law}: {cases} cases in {:.1} s\n", begun.elapsed().as_secs_f64());
    let _ = std::io::stderr().write_all(line.as_bytes());
    cases
}
