//! Benchmark of the Python package against plain Python.

use crate::{npm, python, tree};
use anyhow::{Context, Result, bail};
use std::process::Command;

/// Builds a wheel, installs it into an empty environment, and runs `tests/bench/python.py`.
pub fn run() -> Result<()> {
    npm::need_node()?;
    let builder = python::environment("python-deep", true)?;
    python::install(&builder, &[python::MATURIN])?;
    let installed = python::installed(&python::wheel(&builder, true)?)?;
    let mut command = Command::new(installed);
    command.arg(tree::root().join("tests/bench/python.py"));
    if !command.status().context("cannot start Python")?.success() {
        bail!("the benchmark failed");
    }
    Ok(())
}
