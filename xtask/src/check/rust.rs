//! Formatting, lints and native tests.
//!
//! Every command works on the whole workspace. For a part of it cargo selects other features of
//! dependencies and compiles them again.

use super::log::{Runner, counted};
use super::wasm::RUNNER;
use super::{Args, Counts, pages};
use crate::process::{Installer, Program, installing};
use crate::simulate::Profile;
use crate::{cargo, mutants, python, simulate, tree};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

pub fn format(args: &Args) -> Result<Counts> {
    need_component("rustfmt", "fmt")?;
    let command = cargo::cargo(["fmt", "--all", "--check"]);
    cargo::program(command).stream(args.verbose).succeed("`cargo fmt --check`")?;
    Ok(Counts::holds(""))
}

/// The packages of the native tests. The runner of the WebAssembly tests depends on 100 more
/// crates, so only `--deep` builds it. The step `python` builds the module of Python.
const NATIVE: [&str; 13] = [
    "--workspace",
    "--exclude",
    RUNNER,
    "--exclude",
    python::CRATE,
    "--lib",
    "--bins",
    "--examples",
    "--test=native",
    "--test=fuzz",
    "--test=simulate",
    "--no-fail-fast",
    "--no-run",
];

/// Compiles the native tests. The compiler is clippy (`.cargo/config.toml`), so this runs the
/// lints. Cargo repeats the lints of earlier compilations. With `--deep` it also checks the
/// benchmarks, and the binding for its own target.
pub fn lint(args: &Args) -> Result<Counts> {
    need_component("clippy", "clippy")?;
    let mut build = cargo::cargo(["test"]);
    build.args(NATIVE);
    let output =
        cargo::program(build).stream(args.verbose).succeed("compiling the native tests")?;
    if output.lines().any(|line| line.starts_with("warning: ")) {
        bail!("clippy reports lints\n{}", output.trim_end());
    }
    if args.deep {
        cargo::need_wasm_target()?;
        let mut native = cargo::cargo(["clippy", "--workspace", "--all-targets"]);
        native.args(["--exclude", RUNNER, "--exclude", python::CRATE]);
        let mut wasm = cargo::cargo(["clippy", "--package", "tuckbox-binding", "--all-targets"]);
        wasm.args(["--no-deps", "--target", cargo::WASM]);
        for mut command in [native, wasm] {
            command.args(["--", "--deny", "warnings"]);
            cargo::program(command).stream(args.verbose).succeed("`cargo clippy`")?;
        }
    }
    Ok(Counts::holds(""))
}

/// Runs the unit tests and the suites in `tests/native`.
pub fn test(args: &Args) -> Result<Counts> {
    let mut command = cargo::cargo(["test"]);
    command.args(NATIVE.iter().filter(|flag| !matches!(**flag, "--no-run" | "--test=simulate")));
    named(args, &mut command);
    counted(args, "rust", cargo::program(command), Runner::Cargo)
}

/// Runs the suites in `tests/native` with optimization and all their cases.
pub fn test_properties(args: &Args) -> Result<Counts> {
    let mut command = cargo::cargo(["test", "--profile", "properties", "--package", "tuckbox"]);
    command.args(["--no-fail-fast", "--test", "native", "--test", "fuzz"]);
    command.env("TUCKBOX_DEEP", "1");
    named(args, &mut command);
    counted(args, "properties", cargo::program(command), Runner::Cargo)
}

/// Runs the tests of the Rust store in SQLite, a workspace of its own.
pub fn test_sqlite(args: &Args) -> Result<Counts> {
    let folder = ["--manifest-path", "sqlite/Cargo.toml"];
    let mut format = cargo::cargo(["fmt", "--check"]);
    format.args(folder);
    cargo::program(format).stream(args.verbose).succeed("`cargo fmt --check`")?;
    let mut command = cargo::cargo(["test"]);
    command.args(folder).arg("--target-dir").arg(cargo::target_dir()?.join("sqlite"));
    named(args, &mut command);
    let mut counts = counted(args, "sqlite", cargo::program(command), Runner::Cargo)?;
    counts.add(run_async_example(args)?);
    Ok(counts)
}

/// Builds the example of the Rust store that appends to a file. Returns the program.
pub fn sqlite_writer() -> Result<PathBuf> {
    let target = cargo::target_dir()?.join("sqlite");
    let mut command = cargo::cargo(["build", "--example", "append"]);
    command.args(["--manifest-path", "sqlite/Cargo.toml", "--target-dir"]).arg(&target);
    cargo::program(command).succeed("building the example `append`")?;
    let program = format!("append{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join("debug/examples").join(program))
}

/// Runs `examples/rust_async`, a workspace of its own that uses the Rust store in SQLite.
fn run_async_example(args: &Args) -> Result<Counts> {
    let folder = ["--manifest-path", "examples/rust_async/Cargo.toml"];
    let mut format = cargo::cargo(["fmt", "--check"]);
    format.args(folder);
    cargo::program(format).stream(args.verbose).succeed("`cargo fmt --check`")?;
    let mut command = cargo::cargo(["run", "--quiet"]);
    command.args(folder).arg("--target-dir").arg(cargo::target_dir()?.join("sqlite"));
    cargo::program(command).stream(args.verbose).succeed("`examples/rust_async`")?;
    Ok(Counts::holds(""))
}

/// Selects the tests of `--name`.
fn named(args: &Args, command: &mut Command) {
    if !args.name.is_empty() {
        command.args(["--", "--exact"]).args(&args.name);
    }
}

/// The number of simulator runs in a test run, each with a new seed.
const RUNS: u64 = 20;
const DEEP_RUNS: u64 = 2000;

/// Runs the simulator with new seeds and reports them. With `--deep`, also checks that it finds the
/// planted bugs.
pub fn simulate(args: &Args) -> Result<Counts> {
    let runs = if args.deep { DEEP_RUNS } else { RUNS };
    let profile = if args.deep { Profile::Optimized } else { Profile::Dev };
    let command = simulate::program(profile, &[("--runs", Some(runs)), ("--steps", Some(200))]);
    let ran = cargo::program(command).stream(args.verbose).run()?;
    let note = ran.output.lines().find(|line| line.contains(" runs of ")).unwrap_or_default();
    if !ran.success || note.is_empty() {
        eprintln!("{}", ran.output);
        return Ok(Counts { failed: 1, ..Counts::default() });
    }
    let wrong = if args.deep { mutants::bugs::check(None)? } else { Vec::new() };
    wrong.iter().for_each(|line| eprintln!("{line}"));
    if wrong.is_empty() {
        Ok(Counts::holds(note.trim()))
    } else {
        Ok(Counts { failed: wrong.len(), ..Counts::default() })
    }
}

/// Runs the examples of the library's documentation; with `--deep`, also builds its pages and checks
/// that every public item has an example.
pub fn test_examples(args: &Args) -> Result<Counts> {
    let mut command = cargo::cargo(["test", "--workspace", "--doc"]);
    command.args(["--exclude", RUNNER, "--exclude", python::CRATE]);
    let mut counts = counted(args, "doc", cargo::program(command), Runner::Cargo)?;
    if args.deep {
        let mut build = cargo::cargo(["doc", "--package", "tuckbox", "--no-deps"]);
        build.env("RUSTDOCFLAGS", "--deny warnings");
        cargo::program(build).stream(args.verbose).succeed("`cargo doc`")?;
        let note = pages::check(&cargo::target_dir()?.join("doc").join("tuckbox"))?;
        counts.add(Counts::holds(note));
    }
    Ok(counts)
}

/// Runs every Rust program that is a file of `examples/`. Each program checks its own results. The
/// tests of the engine run those in JavaScript.
pub fn run_examples(args: &Args) -> Result<Counts> {
    let mut build = cargo::cargo(["build", "--workspace", "--exclude", RUNNER, "--lib"]);
    build.args(["--exclude", python::CRATE, "--examples"]);
    cargo::program(build).stream(args.verbose).succeed("building the examples")?;
    let programs = cargo::target_dir()?.join("debug").join("examples");
    let mut passed = 0;
    let folder = tree::root().join("examples");
    for entry in
        fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?
    {
        let file = entry?.path();
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let Some(name) = file.file_stem().and_then(|name| name.to_str()) else { continue };
        let program = programs.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        let what = format!("`cargo run --example {name}`");
        let mut command = Command::new(program);
        command.current_dir(tree::root());
        cargo::program(command).stream(args.verbose).succeed(&what)?;
        passed += 1;
    }
    Ok(Counts { passed, ..Counts::default() })
}

/// Installs a component of the toolchain that a minimal rustup omits.
fn need_component(component: &str, subcommand: &str) -> Result<()> {
    let _guard = installing(Installer::Rustup);
    let mut probe = cargo::cargo([subcommand]);
    probe.arg("--version");
    if cargo::program(probe).run()?.success {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["component", "add", component]).current_dir(tree::root());
    let remedy = "this Rust is not from rustup; install its rustfmt and clippy";
    Program::new(rustup, remedy).succeed("`rustup component add`").map(drop)
}
