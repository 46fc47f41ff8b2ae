//! Agents that run on a real PostgreSQL server, in processes of their own.

use crate::package::Form;
use crate::{npm, package, tree};
use anyhow::{Context, Result, bail};
use std::process::Stdio;

/// Runs so many turns, each once and in order, and prints what they cost.
pub fn run(turns: u32) -> Result<()> {
    package::build(Form::Small)?;
    npm::install(&tree::root().join("tests"))?;
    let mut command = npm::node();
    command
        .arg(tree::root().join("tests/engine/load/run.mjs"))
        .args(["--turns", &turns.to_string()]);
    let status = command.stdin(Stdio::null()).status().context("cannot start Node")?;
    if !status.success() {
        bail!("the measurement failed");
    }
    Ok(())
}
