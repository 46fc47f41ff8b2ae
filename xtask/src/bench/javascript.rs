//! The package in Node: against plain JavaScript doing the same jobs, and under its heaviest calls.

use crate::package::Form;
use crate::{npm, package, tree};
use anyhow::{Context, Result, bail};
use std::process::Stdio;

/// Builds the package as it is published, measures it by a script of `tests/bench` and prints a
/// table; with `json` the last line of the output is one object.
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
        bail!("the measurement failed");
    }
    Ok(())
}
