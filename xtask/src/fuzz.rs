//! `cargo xtask fuzz`: the fuzz targets for as long as one likes.

use crate::package::{self, Form};
use crate::{cargo, npm};
use anyhow::{Context, Result};
use clap::Parser;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Run the fuzz targets on the stable compiler, with new cases each time; then what the package and
/// the page take from strangers, in Node.
///
/// What crashes is written to `target/fuzz/TARGET/`; move it to `fuzz/crashes/TARGET/` to keep it as
/// a test. With a nightly compiler, `cargo fuzz run TARGET` in `fuzz/` runs the same bodies under
/// libFuzzer.
#[derive(Parser)]
pub struct Args {
    /// How long all targets run together
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub minutes: u64,
    /// Where the random numbers begin; the clock by default
    #[arg(long)]
    pub seed: Option<u64>,
}

/// How many cases each test of `tests/node/fuzz.test.mjs` runs for a minute that was asked for.
const CASES: u64 = 2_000;

/// How many targets `tests/fuzz.rs` runs.
const TARGETS: u64 = 6;

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
    let seed = args.seed.unwrap_or(clock);
    let seconds = (args.minutes * 60 / TARGETS).max(1);
    println!("{TARGETS} targets, {seconds} s each, seed {seed}");
    let mut command = cargo::cargo(["test", "--package", "tuckbox", "--test", "fuzz"]);
    // one after the other: each gets its time, and the seed makes the same cases again
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
