//! The smallest case that breaks a law, found by changing the rolls that made it: whatever a law makes
//! of its dice becomes smaller that way, and no law has to say how.

use super::Dice;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// How many cases are tried at most on the way.
const TRIES: usize = 5_000;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Reads rolls as they are shown.
pub fn read(rolls: &str) -> Option<Vec<usize>> {
    rolls.split(',').map(|roll| roll.trim().parse().ok()).collect()
}

/// Shows the smallest case like this one, and panics as it does.
pub fn show(law: &str, throw: u64, mut holds: impl FnMut(&mut Dice)) {
    let dice = &mut Dice::keeping(throw);
    let mut breaks = |dice: &mut Dice| quietly(|| holds(dice));
    assert!(breaks(dice), "throw {throw} breaks the law that {law}, but not a second time");
    let rolls = std::mem::replace(dice, Dice::of(0)).kept();
    let rolls = smallest(rolls, |rolls| breaks(&mut Dice::given(rolls.to_vec())));
    let shown: Vec<String> = rolls.iter().map(usize::to_string).collect();
    eprintln!("throw {throw} breaks the law that {law}; TUCKBOX_ROLLS={} also:", shown.join(","));
    holds(&mut Dice::given(rolls));
}

/// True where it panics, without a word.
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

/// Takes rolls away and makes them smaller, for as long as the law stays broken.
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
                    // also with one less of whatever was counted before
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
