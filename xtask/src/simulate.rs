//! `cargo xtask simulate`: orchestration under hosts that fail, from seeds.

use anyhow::Result;
use clap::Parser;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tuckbox::run::Bug;
use tuckbox::run::sim::{Plan, run, shrunk};

/// Simulate hosts that fail, and check the laws of orchestration after every step.
///
/// Prints the seed of every run that breaks a law, and the shortest history that still does.
#[derive(Parser)]
pub struct Args {
    /// The seed of the first run [default: from the clock, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How many runs, each with the next seed
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub runs: u64,
    /// How many steps a run has before everything heals
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub steps: usize,
    /// Go on with fresh seeds for so long
    #[arg(long, value_name = "M")]
    pub minutes: Option<u64>,
    /// Plant every known bug, one after the other, and show that each is found
    #[arg(long)]
    pub bugs: bool,
    /// Print the history of the first run, broken or not
    #[arg(long)]
    pub history: bool,
}

/// Runs the command.
pub fn run_command(args: &Args) -> Result<ExitCode> {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let first = args.seed.unwrap_or(u64::try_from(clock.as_nanos() % 1_000_000_000_000)?);
    if args.bugs {
        return Ok(if bugs(first, args)? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    println!("seeds from {first}");
    Ok(if clean(first, args) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs seeds from `first` on; true when no law was broken.
pub fn clean(first: u64, args: &Args) -> bool {
    let start = Instant::now();
    let (mut runs, mut calls, mut turns, mut batches) = (0_u64, 0, 0, 0);
    let mut sound = true;
    let goes_on = |runs: u64| match args.minutes {
        Some(minutes) => start.elapsed() < Duration::from_secs(minutes * 60),
        None => runs < args.runs,
    };
    while goes_on(runs) {
        let plan = Plan { seed: first.wrapping_add(runs), steps: args.steps, ..Plan::default() };
        let report = run(&plan);
        runs += 1;
        calls += report.calls;
        turns += report.turns;
        batches += report.batches;
        if args.history && runs == 1 {
            println!("{report}");
        }
        if report.failure.is_some() {
            println!("{}", shrunk(&plan));
            sound = false;
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{runs} runs of {} steps, {calls} calls, {turns} turns, {batches} batches joined in {seconds:.1} s",
        args.steps
    );
    sound
}

/// Plants every bug; true when each was found.
fn bugs(first: u64, args: &Args) -> Result<bool> {
    let mut missed = 0;
    println!("| bug | law | seed | run | history |\n|---|---|---|---|---|");
    for bug in Bug::ALL {
        let found = (0..args.runs).find_map(|number| {
            let plan = Plan {
                seed: first.wrapping_add(number),
                steps: args.steps,
                bug: *bug,
                ..Plan::default()
            };
            run(&plan).failure.is_some().then_some((number, plan))
        });
        match found {
            Some((number, plan)) => {
                let report = shrunk(&plan);
                let law = report.failure.as_ref().map_or("", |failure| failure.law);
                println!(
                    "| {} | {law} | {} | {} | {} lines |",
                    bug.as_str(),
                    plan.seed,
                    number + 1,
                    report.history.len()
                );
                if args.history {
                    println!("{report}\n");
                }
            }
            None => {
                missed += 1;
                println!("| {} | **not found** | | {} | |", bug.as_str(), args.runs);
            }
        }
    }
    println!("{} bugs, {missed} not found", Bug::ALL.len());
    Ok(missed == 0)
}
