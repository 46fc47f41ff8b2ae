//! `cargo xtask plan`: computes what a number of turns per day needs.

use crate::package::Form;
use crate::{npm, package, tree};
use anyhow::{Context, Result};
use clap::Parser;
use std::process::{ExitCode, Stdio};

/// Compute what a number of turns per day needs, from measurements of this machine.
#[derive(Parser)]
pub struct Args {
    /// Turns per day of all projects
    #[arg(long, value_name = "N")]
    turns_per_day: Option<u64>,
    /// Measure this machine and write `tests/engine/load/calibration.json`
    #[arg(long)]
    calibrate: bool,
    /// Measure twice, with other numbers of workers and agents. Fail if the first measurement
    /// predicts the second with an error above 20 %
    #[arg(long)]
    check: bool,
    /// Options of the computation: --peak N, --keep-days N, --call-ms N, --turns N
    #[arg(last = true)]
    more: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    npm::install(&tree::root().join("tests"))?;
    let mut command = npm::node();
    command.arg("tests/engine/load/plan.mjs");
    if let Some(turns) = args.turns_per_day {
        command.args(["--turns-per-day", &turns.to_string()]);
    }
    for (name, is_set) in [("--calibrate", args.calibrate), ("--check", args.check)] {
        command.args(is_set.then_some(name));
    }
    if args.calibrate || args.check {
        package::build(Form::Small)?;
    }
    let status = command.args(&args.more).stdin(Stdio::null()).status();
    let status = status.context("cannot start Node")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
