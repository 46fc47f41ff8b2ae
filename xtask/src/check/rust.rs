//! Formatting, lints and native tests.
//!
//! Every command works on the whole workspace: for a part of it cargo would choose other features
//! of the dependencies, and compile them again.

use super::log::{count_cargo, counted};
use super::{Args, Counts, pages};
use crate::process::{Program, installing, say};
use crate::{cargo, simulate, tree};
use anyhow::Result;
use std::process::Command;

pub fn format(args: &Args) -> Result<Counts> {
    need_component("rustfmt", "fmt")?;
    let command = cargo::cargo(["fmt", "--all", "--check"]);
    cargo::program(command).stream(args.verbose).succeed("`cargo fmt --check`")?;
    Ok(Counts::holds(""))
}

pub fn lint(args: &Args) -> Result<Counts> {
    need_component("clippy", "clippy")?;
    cargo::need_wasm_target()?;
    let mut native = cargo::cargo(["clippy", "--workspace", "--all-targets"]);
    // four lines of ours that stand on a hundred crates: building it says what is wrong with it
    native.args(["--exclude", super::wasm::RUNNER]);
    // native builds never compile the binding, so it is linted for its own target
    let mut wasm = cargo::cargo(["clippy", "--package", "tuckbox-binding", "--all-targets"]);
    // the core was looked at natively
    wasm.args(["--no-deps", "--target", cargo::WASM]);
    for mut command in [native, wasm] {
        command.args(["--", "--deny", "warnings"]);
        cargo::program(command).stream(args.verbose).succeed("`cargo clippy`")?;
    }
    Ok(Counts::holds(""))
}

pub fn test(args: &Args) -> Result<Counts> {
    let mut command = cargo::cargo(["test", "--workspace", "--no-fail-fast"]);
    command.args(["--lib", "--bins", "--examples"]);
    counted(args, "rust", cargo::program(command), count_cargo)
}

/// Runs the suites in `tests/`, optimised: most of them are laws over many random cases.
pub fn test_laws(args: &Args) -> Result<Counts> {
    let mut command = cargo::cargo(["test", "--profile", "laws", "--package", "tuckbox"]);
    command.args(["--no-fail-fast", "--test", "native", "--test", "fuzz"]);
    counted(args, "laws", cargo::program(command), count_laws)
}

/// As for every test program; besides, each law has said how long it took.
fn count_laws(output: &str) -> Counts {
    for line in output.lines().filter(|line| line.starts_with("law: ")) {
        say(line);
    }
    count_cargo(output)
}

/// How many runs of the simulator belong to every test, each with a seed of its own.
const RUNS: u64 = 2000;

/// Runs the simulator with new seeds; the note says which.
pub fn simulate(args: &Args) -> Result<Counts> {
    let command = simulate::program(&[("--runs", Some(RUNS)), ("--steps", Some(200))]);
    counted(args, "simulate", cargo::program(command), |output| {
        match output.lines().find(|line| line.contains(" runs of ")) {
            Some(line) => Counts::holds(line),
            None => Counts { failed: 1, ..Counts::default() },
        }
    })
}

/// Builds the pages that people read, those of the library, and runs their examples.
pub fn test_examples(args: &Args) -> Result<Counts> {
    let mut build = cargo::cargo(["doc", "--package", "tuckbox", "--no-deps"]);
    build.env("RUSTDOCFLAGS", "--deny warnings");
    cargo::program(build).stream(args.verbose).succeed("`cargo doc`")?;
    let note = pages::check(&cargo::target_dir()?.join("doc").join("tuckbox"))?;
    let command = cargo::cargo(["test", "--workspace", "--doc"]);
    let ran = counted(args, "doc", cargo::program(command), count_cargo)?;
    Ok(Counts { note, ..ran })
}

/// Runs every program in Rust in `examples/`: each checks what it shows, and fails if it is not so.
/// Those in JavaScript are run by the tests of the engine.
pub fn run_examples(args: &Args) -> Result<Counts> {
    let build = cargo::cargo(["build", "--workspace", "--lib", "--bins", "--examples"]);
    cargo::program(build).stream(args.verbose).succeed("building the examples")?;
    let programs = cargo::target_dir()?.join("debug").join("examples");
    let mut passed = 0;
    for file in tree::files_below(&tree::root().join("examples"), &[])? {
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

/// Installs a part of the toolchain that a minimal rustup leaves out.
fn need_component(component: &str, subcommand: &str) -> Result<()> {
    let _guard = installing();
    let mut probe = cargo::cargo([subcommand]);
    probe.arg("--version");
    if cargo::program(probe).run()?.success {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["component", "add", component]).current_dir(tree::root());
    let remedy = "this Rust did not come from rustup: install rustfmt and clippy beside it";
    Program::new(rustup, remedy).succeed("`rustup component add`").map(drop)
}
