//! Checks properties with many random cases, and shrinks a case that breaks one.

#![allow(clippy::disallowed_methods, reason = "the duration is read from the clock")]

mod cases;
mod dice;
mod shrink;

pub use dice::Dice;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// The number of cases of one seed: usually 1; 0 if the property does not apply; more if cases
/// share an expensive setup.
pub trait CaseCount {
    fn cases(self) -> u64;
}

impl CaseCount for () {
    fn cases(self) -> u64 {
        1
    }
}

impl CaseCount for bool {
    fn cases(self) -> u64 {
        u64::from(self)
    }
}

impl CaseCount for usize {
    fn cases(self) -> u64 {
        self as u64
    }
}

/// Returns true in `cargo xtask test --deep`, which runs every test in its long form.
pub fn is_deep() -> bool {
    std::env::var_os("TUCKBOX_DEEP").is_some()
}

/// Returns the number of repetitions: `usual`, or `deep` with `--deep`.
pub fn times(usual: u64, deep: u64) -> u64 {
    if is_deep() { deep } else { usual }
}

/// The number of cases of a property without `--deep` and `TUCKBOX_CASES`.
const USUAL_CASES: u64 = 2_000;

/// The same for properties whose cases take milliseconds.
const COSTLY_CASES: u64 = 400;

fn max_cases(property: &str) -> u64 {
    let given = std::env::var("TUCKBOX_CASES").ok().and_then(|cases| cases.parse().ok());
    let usual = if cases::is_costly(property) { COSTLY_CASES } else { USUAL_CASES };
    given.unwrap_or_else(|| times(usual, u64::MAX))
}

/// Checks a property with random cases from the seeds 0, 1, 2 and so on. Prints the duration and
/// returns the number of cases.
///
/// `cases` lists the number of cases for `--deep`. Without `--deep` there are at most 2,000, and 400 of
/// costly ones.
/// `TUCKBOX_CASES` sets another limit.
///
/// A case that breaks the property is shrunk and printed with its rolls. `TUCKBOX_ROLLS` runs it
/// again.
pub fn hold<H: CaseCount>(property: &str, mut holds: impl FnMut(&mut Dice) -> H) -> u64 {
    if let Some(rolls) = std::env::var("TUCKBOX_ROLLS").ok().and_then(|rolls| shrink::read(&rolls))
    {
        return holds(&mut Dice::given(rolls)).cases();
    }
    let cases = cases::of(property).min(max_cases(property));
    let begun = Instant::now();
    let (mut held, mut throw) = (0, 0);
    while held < cases {
        match catch_unwind(AssertUnwindSafe(|| holds(&mut Dice::of(throw)))) {
            Ok(more) => held += more.cases(),
            Err(_) => shrink::show(property, throw, |dice| _ = holds(dice)),
        }
        throw += 1;
        assert!(throw < 1_000 + 4 * cases, "too few random inputs are cases of `{property}`");
    }
    // stderr, because the test runner captures standard output
    let line =
        format!("property: {property}: {held} cases in {:.1} s\n", begun.elapsed().as_secs_f64());
    let _ = std::io::stderr().write_all(line.as_bytes());
    held
}
