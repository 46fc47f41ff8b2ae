//! Runs the WebAssembly tests with wasm-bindgen's test runner, which is a program of this
//! repository.

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
    // long timeouts, because a browser starts slowly on a busy machine
    command.env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "300");
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "600");
    something(counted(args, "wasm-browser", cargo::program(command), Runner::Cargo)?)
}

/// Returns the command for the tests in `pkg/binding/tests`, compiled for WebAssembly.
fn command(args: &Args) -> Result<Command> {
    cargo::need_wasm_target()?;
    // built with the workspace like the unit tests; alone, cargo selects other features of shared
    // crates
    let build = cargo::cargo(["build", "--workspace", "--bins"]);
    cargo::program(build).succeed("building the runner")?;
    let program = cargo::target_dir()?.join("debug").join(RUNNER);
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    // a list, because the path of the program can contain spaces
    let runner = Json::from(vec![program.display().to_string()]);
    let mut command = cargo::cargo(["test", "--package", "tuckbox-binding", "--test", "*"]);
    command.arg("--no-fail-fast");
    package::for_module(&mut command, args.form());
    command.arg("--config").arg(format!("target.{}.runner={runner}", cargo::WASM));
    Ok(command)
}

fn something(counts: Counts) -> Result<Counts> {
    if counts.passed + counts.failed == 0 {
        bail!("no WebAssembly test ran; expected tests in `pkg/binding/tests`");
    }
    Ok(counts)
}
