//! Benchmark of streamed imports: in Node and natively, against plain JavaScript.

use crate::package::Form;
use crate::{cargo, npm, package, tree};
use anyhow::{Context, Result, bail};
use std::process::Stdio;

/// Builds the package and `benches/import.rs` in release form. Then runs `tests/bench/import.mjs`
/// over generated logs of `megabytes` megabytes.
pub fn run(megabytes: u32) -> Result<()> {
    package::build(Form::Small)?;
    npm::need_node()?;
    let program = program()?;
    let mut command = npm::node();
    command.arg(tree::root().join("tests/bench/import.mjs")).arg(program);
    command.arg(format!("--megabytes={megabytes}"));
    let status = command.stdin(Stdio::null()).status().context("cannot start Node")?;
    if !status.success() {
        bail!("the benchmark failed");
    }
    Ok(())
}

/// Returns the path of the program from the messages of cargo.
fn program() -> Result<String> {
    let mut command = cargo::cargo(["build", "--release", "--package", "tuckbox"]);
    command.args(["--bench", "import", "--message-format", "json"]);
    let done = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !done.status.success() {
        bail!("`benches/import.rs` does not compile; see the errors above");
    }
    let output = String::from_utf8_lossy(&done.stdout);
    let messages =
        output.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut programs =
        messages.filter_map(|message| Some(message.get("executable")?.as_str()?.to_owned()));
    programs.next_back().context("cargo did not report a program")
}
