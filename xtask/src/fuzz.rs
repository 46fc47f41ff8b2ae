//! `cargo xtask fuzz`: runs the fuzz targets for a given time.

use crate::package::{self, Form};
use crate::{cargo, npm};
use anyhow::{Context, Result};
use clap::Parser;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Run the fuzz targets on the stable compiler with new inputs, then the fuzz tests of the package
/// and the page in Node.
///
/// Crashing inputs are written to `target/fuzz/TARGET/`. Move one to `fuzz/crashes/TARGET/` to keep
/// it as a test. With a nightly compiler, `cargo fuzz run TARGET` in `fuzz/` runs the same code
/// under libFuzzer.
#[derive(Parser)]
pub struct Args {
    /// Minutes for all targets together
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub minutes: u64,
    /// Seed of the random numbers [default: from the clock]
    #[arg(long)]
    pub seed: Option<u64>,
}

/// The cases per minute that each test of `tests/node/fuzz.test.mjs` runs.
const CASES: u64 = 2_000;

/// The number of targets in `tests/fuzz.rs`.
const TARGETS: u64 = 6;

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
    let seed = args.seed.unwrap_or(clock);
    let seconds = (args.minutes * 60 / TARGETS).max(1);
    println!("{TARGETS} targets, {seconds} s each, seed {seed}");
    let mut command = cargo::cargo(["test", "--package", "tuckbox", "--test", "fuzz"]);
    // in sequence, so that each target gets its time and the seed repeats the same cases
    command.args(["--", "--nocapture", "--test-threads", "1"]);
    command.env("TUCKBOX_FUZZ_SECONDS", seconds.to_string());
    command.env("TUCKBOX_FUZZ_SEED", seed.to_string());
    let status = command.status().context("cannot start cargo")?;
    if !status.success() {
        return Ok(ExitCode::FAILURE);
    }
    npm::need_node()?;
    package::build(Form::Quick)?;
    let mut node = npm::node();
    node.args(["--test", "tests/node/fuzz.test.mjs"]);
    node.env("FUZZ_SEED", seed.to_string()).env("FUZZ_CASES", (args.minutes * CASES).to_string());
    let status = node.status().context("cannot start Node")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
