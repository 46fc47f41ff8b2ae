//! Cargo and rustup commands.

use crate::process::{Installer, Program, installing, timed};
use crate::tree;
use anyhow::{Context, Result};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The target of everything that runs in JavaScript.
pub const WASM: &str = "wasm32-unknown-unknown";

const REMEDY: &str = "install Rust with rustup from https://rustup.rs";

/// Returns a cargo command that runs at the root of the repository.
pub fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(tree::root()).env("CARGO_TERM_COLOR", "never");
    // these variables belong to this run, not to the new process
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME"] {
        command.env_remove(name);
    }
    command
}

/// Returns a cargo command as a [`Program`].
pub fn program(command: Command) -> Program {
    Program::new(command, REMEDY)
}

/// Runs a command of the program `xtask`, which cargo builds first if needed.
pub fn run_xtask(words: impl Iterator<Item = OsString>) -> Result<ExitCode> {
    let mut command = cargo(["run", "--package", "xtask", "--"]);
    command.args(words).env_remove("CARGO_TERM_COLOR");
    let status = command.status().with_context(|| format!("cannot start cargo; {REMEDY}"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Returns the output of `cargo metadata` for the workspace, with or without its dependencies.
pub fn metadata(with_dependencies: bool) -> Result<Value> {
    let mut command = cargo(["metadata", "--format-version", "1", "--locked"]);
    if !with_dependencies {
        command.arg("--no-deps");
    }
    // standard error has progress lines, so the streams are read separately
    let done = command.output().with_context(|| format!("cannot start cargo; {REMEDY}"))?;
    if !done.status.success() {
        anyhow::bail!("`cargo metadata` failed\n{}", String::from_utf8_lossy(&done.stderr));
    }
    serde_json::from_slice(&done.stdout).context("`cargo metadata` did not print JSON")
}

/// Returns the folder that cargo builds into.
pub fn target_dir() -> Result<PathBuf> {
    let metadata = metadata(false)?;
    let dir = metadata.get("target_directory").and_then(Value::as_str);
    Ok(PathBuf::from(dir.context("`cargo metadata` does not name a target folder")?))
}

/// Creates a folder for intermediate files under the target folder.
pub fn scratch(name: &str) -> Result<PathBuf> {
    let dir = target_dir()?.join("xtask").join(name);
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create `{}`", dir.display()))?;
    Ok(dir)
}

/// Installs the standard library for WebAssembly if it is missing.
pub fn need_wasm_target() -> Result<()> {
    let _guard = installing(Installer::Rustup);
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "sysroot"]).current_dir(tree::root());
    let sysroot = Program::new(rustc, REMEDY).succeed("`rustc --print sysroot`")?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(WASM);
    if library.is_dir() {
        return Ok(());
    }
    timed(&format!("rustup target add {WASM}"), || {
        let mut rustup = Command::new("rustup");
        rustup.args(["target", "add", WASM]).current_dir(tree::root());
        let remedy = "this Rust is not from rustup; install its wasm32-unknown-unknown \
                      standard library, or Rust from https://rustup.rs";
        Program::new(rustup, remedy).succeed("`rustup target add`").map(drop)
    })
}
