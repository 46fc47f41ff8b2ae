//! The simulator itself: its runs are the same every time, and its judges see what they should.
//! `tests/simulate.rs` runs it with new seeds.

use tuckbox::run::Bug;
use tuckbox::run::sim::{Judges, Plan, run};

#[test]
fn a_seed_tells_the_same_history_every_time() {
    let plan = Plan { seed: 11, steps: 60, ..Plan::default() };
    assert_eq!(run(&plan).history, run(&plan).history);
}

#[test]
fn a_turn_that_is_given_back_under_its_old_epoch_is_found() {
    let plan = |seed| Plan { seed, bug: Bug::GiveBackKeepsEpoch, ..Plan::default() };
    let found = (1..60).find_map(|seed| run(&plan(seed)).failure);
    assert_eq!(
        found.map(|failure| failure.law),
        Some("a turn that is given back waits at a new epoch")
    );
}

#[test]
fn the_model_alone_sees_bugs_that_no_law_told_it_of() {
    let plan = |bug| Plan { seed: 1, bug, judges: Judges::Model, ..Plan::default() };
    let bugs = [
        Bug::RetransmitWritesRow,
        Bug::FinishWithoutPromotion,
        Bug::EnqueueIgnoresQueue,
        Bug::None,
    ];
    let seen = bugs.map(|bug| run(&plan(bug)).failure.is_some());
    assert_eq!(seen, [true, true, true, false]);
}
