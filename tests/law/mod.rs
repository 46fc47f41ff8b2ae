//! Holding a law against many cases: chance from a number, the smallest case that breaks it, and how
//! long it took.

#![allow(clippy::disallowed_methods, reason = "how long a law took is read from the clock")]

mod cases;
mod dice;
mod shrink;

pub use dice::Dice;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// How many cases a throw of the dice was: one, none where there was nothing to hold the law against,
/// or several that share what is dear to make.
pub trait Held {
    fn cases(self) -> u64;
}

impl Held for () {
    fn cases(self) -> u64 {
        1
    }
}

impl Held for bool {
    fn cases(self) -> u64 {
        u64::from(self)
    }
}

impl Held for usize {
    fn cases(self) -> u64 {
        self as u64
    }
}

/// Holds a law against as many cases as `cases` lists for it, thrown from 0, 1, 2 and so on, and says
/// how long that took; answers how many there were, because `TUCKBOX_CASES` can say how many at most.
///
/// What breaks the law is made small and shown, with the rolls that make it: `TUCKBOX_ROLLS` is that
/// case again.
pub fn hold<H: Held>(law: &str, mut holds: impl FnMut(&mut Dice) -> H) -> u64 {
    if let Some(rolls) = std::env::var("TUCKBOX_ROLLS").ok().and_then(|rolls| shrink::read(&rolls))
    {
        return holds(&mut Dice::given(rolls)).cases();
    }
    let most = std::env::var("TUCKBOX_CASES").ok().and_then(|most| most.parse().ok());
    let cases = cases::of(law).min(most.unwrap_or(u64::MAX));
    let begun = Instant::now();
    let (mut held, mut throw) = (0, 0);
    while held < cases {
        match catch_unwind(AssertUnwindSafe(|| holds(&mut Dice::of(throw)))) {
            Ok(more) => held += more.cases(),
            Err(_) => shrink::show(law, throw, |dice| _ = holds(dice)),
        }
        throw += 1;
        assert!(throw < 1_000 + 4 * cases, "most throws should be a case: {law}");
    }
    // not captured, as the output of a test would be
    let line = format!("law: {law}: {held} cases in {:.1} s\n", begun.elapsed().as_secs_f64());
    let _ = std::io::stderr().write_all(line.as_bytes());
    held
}
