//! `cargo xtask chaos`: kills hosts while batches run, on real servers.

use crate::package::Form;
use crate::{nats, npm, package, tree};
use anyhow::{Context, Result};
use clap::Parser;
use std::process::{ExitCode, Stdio};

/// Kill workers, engines, the NATS server and PostgreSQL while batches run, then check every
/// invariant.
///
/// `cargo xtask test` does the same with 5 kills, `cargo xtask test --deep` with 200.
#[derive(Parser)]
pub struct Args {
    /// Number of kills
    #[arg(long, default_value_t = 300, value_name = "N")]
    pub kills: u32,
    /// Number of worker processes
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub workers: u32,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let server = nats::need()?;
    package::build(Form::Quick)?;
    npm::install(&tree::root().join("tests"))?;
    let mut command = npm::node();
    command.arg(tree::root().join("tests/engine/chaos/run.mjs")).env("NATS_SERVER", server);
    command.args(["--kills", &args.kills.to_string(), "--workers", &args.workers.to_string()]);
    let status = command.stdin(Stdio::null()).status().context("cannot start Node")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
