//! The simulator itself: its runs are repeatable, and it shrinks a history. `tests/simulate.rs` runs it
//! with new seeds; `cargo xtask mutants` checks that it finds bugs planted in the rules.

use crate::sim::{Failure, Judges, Plan, Report, run, shrunk};

#[test]
fn a_seed_gives_the_same_history_every_time() {
    let plan = Plan { seed: 11, steps: 60, ..Plan::default() };
    assert_eq!(run(&plan).history, run(&plan).history);
}

/// A reclaim ended the turn of the child, its event was lost, and then its head again. No process
/// rebuilt the head, and the batch never saw the end.
#[test]
fn a_missed_end_is_handled_without_a_head() {
    let found = run(&Plan { seed: 588_851_173_468, ..Plan::default() }).failure;
    assert!(found.is_none(), "{:?}", found.map(|failure| failure.invariant));
}

/// A late `turn_tools` had nothing to write for a call that already waited. It committed after that row
/// was lost.
#[test]
fn an_unchanged_row_must_still_exist_at_the_commit() {
    let found = run(&Plan { seed: 320_581_901_158, ..Plan::default() }).failure;
    assert!(found.is_none(), "{:?}", found.map(|failure| failure.invariant));
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
    assert!(found.is_none(), "{:?}", found.map(|failure| failure.invariant));
}

/// An invariant of this test, which runs break: no agent gets a second wakeup.
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
    assert_eq!(shrunk(&plan, without_second_wakeup).history, short);
}
