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

/// Returns true in `cargo xtask test --deep`, which runs every test in its long form.
pub fn is_deep() -> bool {
    std::env::var_os("TUCKBOX_DEEP").is_some()
}

/// How often something is done: in every test run, or with `--deep`.
pub fn times(usual: u64, deep: u64) -> u64 {
    if is_deep() { deep } else { usual }
}

/// How many cases a property is checked with where `--deep` and `TUCKBOX_CASES` are not set.
const USUAL_CASES: u64 = 2_000;

fn max_cases() -> u64 {
    let given = std::env::var("TUCKBOX_CASES").ok().and_then(|cases| cases.parse().ok());
    given.unwrap_or_else(|| times(USUAL_CASES, u64::MAX))
}

/// Checks a property with random cases from the seeds 0, 1, 2 and so on, prints how long that took, and
/// returns how many cases there were.
///
/// `cases` lists the number of cases for `--deep`; without it there are at most 2,000. `TUCKBOX_CASES`
/// sets another limit.
///
/// A case that breaks the property is shrunk and printed with its rolls; `TUCKBOX_ROLLS` runs it again.
pub fn hold<H: Held>(law: &str, mut holds: impl FnMut(&mut Dice) -> H) -> u64 {
    if let Some(rolls) = std::env::var("TUCKBOX_ROLLS").ok().and_then(|rolls| shrink::read(&rolls))
    {
        return holds(&mut Dice::given(rolls)).cases();
    }
    let cases = cases::of(law).min(max_cases());
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
