//! The programs in `benches/`, compiled with optimization.

use crate::cargo;
use anyhow::{Context, Result, bail};
use std::process::Stdio;

/// Runs a program and shows its output.
pub fn run(name: &str) -> Result<()> {
    let mut command = cargo::cargo(["bench", "--profile", "properties", "--package", "tuckbox"]);
    command.args(["--bench", name]);
    let status = command.stdin(Stdio::null()).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("`{name}` failed; see its measurements above");
    }
    Ok(())
}
