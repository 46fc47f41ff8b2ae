//! Benchmark of the package in Node: against plain JavaScript, and with its heaviest calls.

use crate::package::Form;
use crate::{npm, package, tree};
use anyhow::{Context, Result, bail};
use std::process::Stdio;

/// Builds the published package, runs a script of `tests/bench` and prints a table. With `json` the
/// last line of output is one object.
pub fn run(script: &str, json: bool) -> Result<()> {
    package::build(Form::Small)?;
    npm::need_node()?;
    let mut command = npm::node();
    command.arg(tree::root().join("tests/bench").join(script));
    if json {
        command.arg("--json");
    }
    let status = command.stdin(Stdio::null()).status().context("cannot start Node")?;
    if !status.success() {
        bail!("the benchmark failed");
    }
    Ok(())
}
