//! `cargo xtask simulate`: runs orchestration on hosts that fail, from seeds.
//!
//! The runs are those of `tests/simulate.rs`, which is compiled with optimization.

use crate::{cargo, mutants};
use anyhow::{Context, Result};
use clap::Parser;
use std::process::{Command, ExitCode};

/// Simulate hosts that fail, and check the invariants of orchestration after every step.
///
/// Prints the seed of the first run, and the shortest history of a run that breaks an invariant. Reports
/// progress on stderr.
#[derive(Parser)]
pub struct Args {
    /// The seed of the first run; each run uses the next one [default: from the clock, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The number of runs [default: 200; for each bug 400]
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// The number of steps of a run in which hosts fail
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub steps: usize,
    /// Run new seeds for this many minutes
    #[arg(long, value_name = "M", conflicts_with = "runs")]
    pub minutes: Option<u64>,
    /// The number of runs at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<u64>,
    /// Print the history of the first run, broken or not
    #[arg(long)]
    pub history: bool,
    /// Plant each bug of `xtask/src/mutants/bugs.txt` in a copy of the rules, search a seed that finds
    /// it, and write `tests/sim/planted-bugs.md`
    #[arg(long, conflicts_with_all = ["minutes", "history", "jobs"])]
    pub bugs: bool,
}

/// The profile of the simulator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The profile of the other native tests, so that cargo compiles nothing twice.
    Dev,
    /// With optimization, for many runs.
    Laws,
}

/// Returns the program with these options.
pub fn program(profile: Profile, options: &[(&str, Option<u64>)]) -> Command {
    let mut command = match profile {
        Profile::Dev => cargo::cargo(["test", "--quiet", "--workspace"]),
        Profile::Laws => {
            cargo::cargo(["test", "--quiet", "--profile", "properties", "--workspace"])
        }
    };
    command.args(["--test", "simulate", "--"]);
    for (name, value) in options {
        if let Some(value) = value {
            command.arg(name).arg(value.to_string());
        }
    }
    command
}

/// Runs the command.
pub fn run_command(args: &Args) -> Result<ExitCode> {
    let steps = u64::try_from(args.steps).ok();
    if args.bugs {
        let (seed, runs) = (args.seed.unwrap_or(1), args.runs.unwrap_or(400));
        return mutants::bugs::write_page(seed, runs, steps.unwrap_or(u64::MAX));
    }
    let mut command = program(
        Profile::Laws,
        &[
            ("--seed", args.seed),
            ("--runs", args.runs),
            ("--steps", steps),
            ("--minutes", args.minutes),
            ("--jobs", args.jobs),
        ],
    );
    if args.history {
        command.arg("--history");
    }
    let status = command.status().context("cannot start cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
