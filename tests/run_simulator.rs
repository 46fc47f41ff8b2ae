//! Orchestration under hosts that fail. `cargo xtask simulate` runs the same with more seeds.

#![allow(clippy::disallowed_methods, reason = "new seeds come from the clock and are printed")]
use tuckbox::run::sim::{Plan, run, shrunk};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn no_law_is_broken_whatever_fails() {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let first =
        number("SIMULATE_SEED", u64::try_from(clock.as_nanos() % 1_000_000_000_000).unwrap());
    let runs = number("SIMULATE_RUNS", 40);
    println!("seeds from {first}");
    let start = std::time::Instant::now();
    let mut calls = 0;
    for seed in first..first + runs {
        let plan = Plan { seed, ..Plan::default() };
        let report = run(&plan);
        calls += report.calls;
        assert!(report.failure.is_none(), "{}", shrunk(&plan));
    }
    println!("{runs} runs, {calls} calls in {:?}", start.elapsed());
}

#[test]
fn a_seed_tells_the_same_history_every_time() {
    let plan = Plan { seed: 11, steps: 60, ..Plan::default() };
    assert_eq!(run(&plan).history, run(&plan).history);
}

#[test]
fn a_turn_that_is_given_back_under_its_old_epoch_is_found() {
    let plan = |seed| Plan { seed, bug: tuckbox::run::Bug::GiveBackKeepsEpoch, ..Plan::default() };
    let found = (1..60).find_map(|seed| run(&plan(seed)).failure);
    assert_eq!(
        found.map(|failure| failure.law),
        Some("a turn that is given back waits at a new epoch")
    );
}
