//! The simulator itself: its runs are the same every time, and its judges see what they should.
//! `tests/simulate.rs` runs it with new seeds.

use crate::law::is_deep;
use tuckbox::run::Bug;
use tuckbox::run::sim::{Judges, Plan, run, shrunk};

#[test]
fn a_seed_tells_the_same_history_every_time() {
    let plan = Plan { seed: 11, steps: 60, ..Plan::default() };
    assert_eq!(run(&plan).history, run(&plan).history);
}

/// The child's turn was ended by a reclaim, its event was lost, and then its head once more: nobody made
/// the head again, and nobody took the end in.
#[test]
fn an_end_that_nobody_heard_of_is_taken_in_without_a_head() {
    let found = run(&Plan { seed: 588_851_173_468, ..Plan::default() }).failure;
    assert!(found.is_none(), "{:?}", found.map(|failure| failure.law));
}

/// A late `turn_tools` had nothing to write of a call that was waited for already, and committed when that row was lost.
#[test]
fn a_row_that_is_as_it_should_be_must_still_be_so_at_the_commit() {
    let found = run(&Plan { seed: 320_581_901_158, ..Plan::default() }).failure;
    assert!(found.is_none(), "{:?}", found.map(|failure| failure.law));
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
fn a_failure_is_told_in_fewer_steps_that_still_break_the_same_law() {
    let plan = Plan { seed: 1, steps: 60, bug: Bug::RetransmitWritesRow, ..Plan::default() };
    let (whole, short) = (run(&plan), shrunk(&plan));
    let law =
        |report: &tuckbox::run::sim::Report| report.failure.as_ref().map(|failure| failure.law);
    assert!(law(&whole).is_some());
    assert_eq!(law(&short), law(&whole));
    assert!(
        short.history.len() * 2 < whole.history.len(),
        "{} steps of {}",
        short.history.len(),
        whole.history.len()
    );
    assert_eq!(shrunk(&plan).history, short.history);
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

/// Returns the table of planted bugs: bug, law, seed, and the seed with which the model finds it alone.
fn table() -> Vec<[String; 4]> {
    let page = include_str!("sim/planted-bugs.md");
    let lines = page.lines().filter(|line| line.starts_with("| [`"));
    let cells = lines.map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    cells
        .map(|cells| {
            let name = cells[1].split('`').nth(1).unwrap();
            [name, cells[3], cells[4], cells[6]].map(str::to_owned)
        })
        .collect()
}

#[test]
fn every_planted_bug_is_found_with_the_seed_of_the_table() {
    let table = table();
    assert!(table.len() >= 25);
    let mut wrong = Vec::new();
    for [name, law, seed, alone] in &table {
        let bug = Bug::ALL.iter().find(|bug| bug.as_str() == name).unwrap();
        let with = |seed: &str, judges| {
            let plan = Plan { seed: seed.parse().unwrap(), bug: *bug, judges, ..Plan::default() };
            run(&plan).failure
        };
        let found = with(seed, Judges::All).map(|failure| failure.law);
        if found != Some(law.as_str()) {
            wrong.push(format!("{name}: {found:?}"));
        }
        // other tests run the model alone with a few bugs, and the simulator without bugs
        if !is_deep() {
            continue;
        }
        if !alone.is_empty() && with(alone, Judges::Model).is_none() {
            wrong.push(format!("{name}: the model alone"));
        }
        let clean = Plan { seed: seed.parse().unwrap(), ..Plan::default() };
        if let Some(failure) = run(&clean).failure {
            wrong.push(format!("{name}: without the bug, {}", failure.law));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
