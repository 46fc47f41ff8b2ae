//! Benchmark of agents on a PostgreSQL server, in separate processes.

use crate::package::Form;
use crate::{npm, package, tree};
use anyhow::{Context, Result, bail};
use std::process::Stdio;

/// Runs `turns` turns, each once and in order, and prints the measurements.
pub fn run(turns: u32) -> Result<()> {
    package::build(Form::Small)?;
    npm::install(&tree::root().join("tests"))?;
    let mut command = npm::node();
    command
        .arg(tree::root().join("tests/engine/load/run.mjs"))
        .args(["--turns", &turns.to_string()]);
    let status = command.stdin(Stdio::null()).status().context("cannot start Node")?;
    if !status.success() {
        bail!("the benchmark failed");
    }
    Ok(())
}
