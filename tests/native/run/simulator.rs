//! Tests of the simulator: a seed repeats its run, and failures shrink. `tests/simulate.rs` runs
//! new seeds. `cargo xtask mutants` checks that the simulator finds planted bugs.

use crate::sim::{Failure, Judges, Plan, Report, check_ticks, run, shrunk};
use tuckbox::agents::Setup;

#[test]
fn a_seed_gives_the_same_history_every_time() {
    let plan = Plan { seed: 11, steps: 60, ..Plan::default() };
    assert_eq!(run(&plan).history, run(&plan).history);
}

#[test]
fn outcomes_do_not_depend_on_the_times_of_ticks() {
    for seed in 0..3 {
        assert_eq!(check_ticks(seed), Ok(()));
    }
}

/// The rules of the reference systems end batches by what a tick finds.
#[test]
fn outcomes_of_the_reference_systems_depend_on_ticks() {
    let mut setup = Setup::default();
    setup.defaults.reference_behavior = true;
    let mut failures =
        (0..12).filter_map(|seed| crate::sim::ticks::check_ticks_of(&setup, seed).err());
    assert!(failures.any(|failure| failure.invariant == "outcomes do not depend on ticks"));
}

/// Regression: a turn that a worker claimed and lost was dispatched anew from the time of its claim,
/// because its message returned before the turn.
#[test]
fn a_claimed_turn_returns_before_its_message() {
    assert_eq!(check_ticks(149), Ok(()));
}

/// Regression: a reclaim ended the turn of a child, then its event and its head were lost. No
/// process rebuilt the head, and the batch never saw the end.
#[test]
fn a_lost_end_of_a_turn_is_handled_without_its_head() {
    let found = run(&Plan { seed: 588_851_173_468, ..Plan::default() }).failure;
    assert!(found.is_none(), "{found:?}");
}

/// Regression: a late `turn_tools` had nothing to write for a call that already waited. It
/// committed after that row was lost.
#[test]
fn an_unchanged_row_must_still_exist_at_the_commit() {
    let found = run(&Plan { seed: 320_581_901_158, ..Plan::default() }).failure;
    assert!(found.is_none(), "{found:?}");
}

#[test]
fn a_run_has_turns_and_batches_and_each_call_reads_at_most_twice() {
    let report = run(&Plan { seed: 18, history: false, ..Plan::default() });
    assert!(report.turns > 0 && report.batches > 0 && report.calls > report.turns, "{report}");
    assert!(report.most_reads.values().all(|reads| *reads <= 2), "{:?}", report.most_reads);
}

#[test]
fn the_model_alone_accepts_the_rules() {
    let found = run(&Plan { seed: 1, judges: Judges::Model, ..Plan::default() }).failure;
    assert!(found.is_none(), "{found:?}");
}

/// Checks an invariant that some runs break: no agent gets a second wakeup.
fn without_second_wakeup(plan: &Plan) -> Report {
    let report = run(plan);
    let found = report.history.iter().find(|line| line.contains(" ring_again ")).cloned();
    let failure = found.map(|found| Failure {
        invariant: "no agent gets a second wakeup",
        found,
        step: None,
    });
    Report { failure, ..report }
}

#[test]
fn a_failure_shrinks_to_fewer_steps_that_break_the_same_invariant() {
    let plan = Plan { seed: 1, steps: 60, ..Plan::default() };
    let (whole, short) = (without_second_wakeup(&plan), shrunk(&plan, without_second_wakeup));
    assert!(whole.failure.is_some());
    assert_eq!(
        short.failure.map(|failure| failure.invariant),
        whole.failure.map(|failure| failure.invariant)
    );
    let (short, whole) = (short.history, whole.history);
    assert!(short.len() * 2 < whole.len(), "{} lines of {}", short.len(), whole.len());
}
