//! The commands of this repository. `cargo xtask --help` lists them.
#![forbid(unsafe_code)]

mod bench;
mod cargo;
mod check;
mod chromium;
mod conform;
mod extension;
mod import;
mod inspect;
mod licences;
mod npm;
mod package;
mod process;
mod screenshots;
mod serve;
mod split;
mod tokens;
mod tree;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The commands of the Tuckbox repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Inspect(inspect::Args),
    Test(check::Args),
    Build(package::Args),
    Extension(extension::Args),
    Conform(conform::Args),
    Tokens(tokens::Args),
    Bench(bench::Args),
    Import(import::Args),
    Screenshots(screenshots::Args),
    /// What cargo calls to run a test program made for WebAssembly.
    #[command(name = check::WASM_TEST_RUNNER, hide = true, disable_help_flag = true)]
    WasmTestRunner {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Inspect(args) => inspect::run(&args),
        Command::Test(args) => check::run(&args),
        Command::Build(args) => package::run(args),
        Command::Extension(args) => extension::run(&args),
        Command::Conform(args) => conform::run(&args),
        Command::Tokens(args) => tokens::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Screenshots(args) => screenshots::run(&args),
        Command::WasmTestRunner { arguments } => check::run_wasm_tests(&arguments),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
