//! The wasm tests, through wasm-bindgen's test runner, which is a program of this repository.

use super::log::{Runner, counted};
use super::{Args, Counts};
use crate::{cargo, chromium, npm, package};
use anyhow::{Result, bail};
use std::process::Command;
use tuckbox::Json;

/// The program that runs a compiled test program.
pub const RUNNER: &str = "wasm-test-runner";

/// Runs the tests of the binding in Node and in Chromium.
pub fn test(args: &Args) -> Result<Counts> {
    npm::need_node()?;
    let node = cargo::program(command(args)?);
    let mut counts = something(counted(args, "wasm-node", node, Runner::Cargo)?)?;
    counts.add(in_browser(args)?);
    Ok(counts)
}

fn in_browser(args: &Args) -> Result<Counts> {
    let chromium = chromium::need()?;
    let mut command = command(args)?;
    command.env("WASM_BINDGEN_USE_BROWSER", "1");
    command.env("CHROMEDRIVER", &chromium.driver);
    command.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", chromium::driver_configuration(&chromium)?);
    // guards of minutes: a busy machine starts a browser slowly
    command.env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "300");
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "600");
    something(counted(args, "wasm-browser", cargo::program(command), Runner::Cargo)?)
}

/// The tests in `pkg/binding/tests`, compiled for WebAssembly.
fn command(args: &Args) -> Result<Command> {
    cargo::need_wasm_target()?;
    // with the workspace, as the unit tests: for the program alone cargo would choose other features
    // of what it shares with the others
    let build = cargo::cargo(["build", "--workspace", "--bins"]);
    cargo::program(build).succeed("building the runner")?;
    let program = cargo::target_dir()?.join("debug").join(RUNNER);
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    // a list, because the path of the program may hold spaces
    let runner = Json::from(vec![program.display().to_string()]);
    let mut command = cargo::cargo(["test", "--package", "tuckbox-binding", "--test", "*"]);
    command.arg("--no-fail-fast");
    package::for_module(&mut command, args.form());
    command.arg("--config").arg(format!("target.{}.runner={runner}", cargo::WASM));
    Ok(command)
}

fn something(counts: Counts) -> Result<Counts> {
    if counts.passed + counts.failed == 0 {
        bail!("no wasm test ran: `pkg/binding/tests` holds none");
    }
    Ok(counts)
}
