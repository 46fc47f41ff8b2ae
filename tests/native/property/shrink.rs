//! Shrinks a case that breaks a property. It changes the rolls of the case, so properties need no
//! code for it.

use super::Dice;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The maximum number of cases to try.
const TRIES: usize = 5_000;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Reads rolls in the printed form.
pub fn read(rolls: &str) -> Option<Vec<usize>> {
    rolls.split(',').map(|roll| roll.trim().parse().ok()).collect()
}

/// Shows the smallest failing case, and panics with it.
pub fn show(property: &str, throw: u64, mut holds: impl FnMut(&mut Dice)) {
    let dice = &mut Dice::keeping(throw);
    let mut breaks = |dice: &mut Dice| quietly(|| holds(dice));
    assert!(
        breaks(dice),
        "seed {throw} breaks `{property}` only once; the property is not deterministic"
    );
    let rolls = std::mem::replace(dice, Dice::of(0)).kept();
    let rolls = smallest(rolls, |rolls| breaks(&mut Dice::given(rolls.to_vec())));
    let shown: Vec<String> = rolls.iter().map(usize::to_string).collect();
    eprintln!(
        "seed {throw} breaks `{property}`; TUCKBOX_ROLLS={} repeats the smallest case:",
        shown.join(",")
    );
    holds(&mut Dice::given(rolls));
}

/// Returns true if it panics, without printing.
fn quietly(holds: impl FnOnce()) -> bool {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let aloud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                aloud(panic);
            }
        }));
    });
    QUIET.set(true);
    let done = catch_unwind(AssertUnwindSafe(holds));
    QUIET.set(false);
    done.is_err()
}

/// Removes and reduces rolls while the case still breaks the property.
fn smallest(mut rolls: Vec<usize>, mut breaks: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut tries = TRIES;
    let mut better = |rolls: &mut Vec<usize>, smaller: Vec<usize>| {
        let is_smaller = (smaller.len(), &smaller) < (rolls.len(), &*rolls);
        let is_better = tries > 0 && is_smaller && breaks(&smaller);
        tries = tries.saturating_sub(1);
        if is_better {
            *rolls = smaller;
        }
        is_better
    };
    let mut again = true;
    while again {
        again = false;
        let mut length = rolls.len();
        while length > 0 {
            let mut at = rolls.len().saturating_sub(length);
            loop {
                let mut without = rolls.clone();
                without.drain(at..(at + length).min(rolls.len()));
                if without.len() < rolls.len() {
                    // also with one less in the preceding count
                    let mut fewer = without.clone();
                    let counted = fewer
                        .get_mut(..at)
                        .and_then(|before| before.iter_mut().rfind(|roll| **roll > 0));
                    if let Some(counted) = counted {
                        *counted -= 1;
                    }
                    again |= better(&mut rolls, fewer) || better(&mut rolls, without);
                }
                let Some(before) = at.checked_sub(1) else { break };
                at = before;
            }
            length /= 2;
        }
        for at in 0..rolls.len() {
            let Some(&roll) = rolls.get(at) else { break };
            for less in [0, roll / 2, roll.saturating_sub(1)] {
                let mut lower = rolls.clone();
                lower[at] = less;
                if better(&mut rolls, lower) {
                    again = true;
                    break;
                }
            }
        }
    }
    rolls
}
