//! The programs in `benches/`, compiled as the laws are.

use crate::cargo;
use anyhow::{Context, Result, bail};
use std::process::Stdio;

/// Runs one of them and shows what it prints.
pub fn run(name: &str) -> Result<()> {
    let mut command = cargo::cargo(["bench", "--profile", "laws", "--package", "tuckbox"]);
    command.args(["--bench", name]);
    let status = command.stdin(Stdio::null()).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("`{name}` failed: what it measured is above");
    }
    Ok(())
}
