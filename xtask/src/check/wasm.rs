//! The wasm tests, through wasm-bindgen's test runner, which is part of this very program: cargo
//! calls it back as its runner.

use super::log::{count_cargo, counted};
use super::{Args, Counts};
use crate::{cargo, chromium, npm};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::process::{Command, ExitCode};
use tuckbox::Json;

/// The hidden subcommand that cargo calls.
pub const RUNNER: &str = "wasm-test-runner";

/// Runs one compiled test program; `arguments` are those that cargo gives to a runner.
pub fn run_tests(arguments: &[OsString]) -> Result<ExitCode> {
    let name = OsString::from("wasm-bindgen-test-runner");
    let arguments = std::iter::once(&name).chain(arguments);
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments)?;
    Ok(ExitCode::SUCCESS)
}

pub fn in_node(args: &Args) -> Result<Counts> {
    npm::need_node()?;
    something(counted(args, "wasm-node", cargo::program(command()?), count_cargo)?)
}

pub fn in_browser(args: &Args) -> Result<Counts> {
    let chromium = chromium::need()?;
    let mut command = command()?;
    command.env("WASM_BINDGEN_USE_BROWSER", "1");
    command.env("CHROMEDRIVER", &chromium.driver);
    command.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", chromium::driver_configuration(&chromium)?);
    // a machine that compiles at the same time starts a browser slowly
    command.env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60");
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "120");
    something(counted(args, "wasm-browser", cargo::program(command), count_cargo)?)
}

/// The tests in `pkg/binding/tests`, compiled for WebAssembly.
fn command() -> Result<Command> {
    cargo::need_wasm_target()?;
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    // a list, because the path of this program may hold spaces
    let runner = Json::from(vec![program.display().to_string(), RUNNER.to_owned()]);
    let mut command = cargo::cargo(["test", "--package", "tuckbox-binding", "--test", "*"]);
    command.args(["--no-fail-fast", "--target", cargo::WASM]);
    command.arg("--config").arg(format!("target.{}.runner={runner}", cargo::WASM));
    Ok(command)
}

fn something(counts: Counts) -> Result<Counts> {
    if counts.passed + counts.failed == 0 {
        bail!("no wasm test ran: `pkg/binding/tests` holds none");
    }
    Ok(counts)
}
