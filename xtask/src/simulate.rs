//! `cargo xtask simulate`: orchestration under hosts that fail, from seeds.
//!
//! The runs are those of `tests/simulate.rs`, which is compiled with optimisation.

use crate::{cargo, tree};
use anyhow::{Context, Result};
use clap::Parser;
use std::process::{Command, ExitCode, Stdio};

/// Simulate hosts that fail, and check the laws of orchestration after every step.
///
/// Prints the seed of the first run, and the shortest history of a run that breaks a law; on stderr,
/// how far it is.
#[derive(Parser)]
pub struct Args {
    /// The seed of the first run; each run takes the next one [default: from the clock, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How many runs [default: 200; of each bug 2,000]
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// How many steps a run has before everything heals
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub steps: usize,
    /// Go on with fresh seeds for so long
    #[arg(long, value_name = "M", conflicts_with = "runs")]
    pub minutes: Option<u64>,
    /// How many runs at once [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<u64>,
    /// Print the history of the first run, broken or not
    #[arg(long)]
    pub history: bool,
    /// Plant every known bug, one after the other, and write how each is found to
    /// `tests/sim/planted-bugs.md`
    #[arg(long, conflicts_with_all = ["minutes", "history", "jobs"])]
    pub bugs: bool,
}

/// The page of the planted bugs.
const PAGE: &str = "tests/sim/planted-bugs.md";

const HEAD: &str = "\
# Planted bugs

`cargo xtask simulate --bugs` writes this page. Each row is a documented bug that a test plants in the
rules of orchestration. The columns:

- *law*: the invariant that the simulator finds broken
- *seed*: the first seed from 1 on that breaks it
- *lines*: the length of the shortest history that still breaks it
- *model*: the first seed, of 40, with which the naive model alone finds the bug; empty if none does

[Tests under failures](../../docs/how-to/run-agents.md#tests-under-failures) describes the simulator and the
model. `tests/run_simulator.rs` runs every seed of this table again.

| bug | what it does | law | seed | lines | model |
|---|---|---|---|---|---|
";

/// How the simulator is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// With the other native tests, so that nothing is compiled twice.
    Dev,
    /// With optimisation, for many runs.
    Laws,
}

/// Returns the program with the options that are given.
pub fn program(profile: Profile, options: &[(&str, Option<u64>)]) -> Command {
    let mut command = match profile {
        Profile::Dev => cargo::cargo(["test", "--quiet", "--workspace"]),
        Profile::Laws => cargo::cargo(["test", "--quiet", "--profile", "laws", "--workspace"]),
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
        return bugs(args, steps);
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

fn bugs(args: &Args, steps: Option<u64>) -> Result<ExitCode> {
    let runs = args.runs.or(Some(2000));
    let mut command =
        program(Profile::Laws, &[("--seed", args.seed), ("--runs", runs), ("--steps", steps)]);
    command.arg("--bugs").stderr(Stdio::inherit());
    let output = command.output().context("cannot start cargo")?;
    let told = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        print!("{told}");
        return Ok(ExitCode::FAILURE);
    }
    let page = tree::root().join(PAGE);
    std::fs::write(&page, format!("{HEAD}{}\n", told.trim_end()))
        .with_context(|| format!("cannot write `{}`", page.display()))?;
    println!("written to `{PAGE}`");
    Ok(ExitCode::SUCCESS)
}
