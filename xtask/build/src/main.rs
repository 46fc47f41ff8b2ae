//! The commands of this repository. `cargo xtask --help` lists them.
//!
//! This small program builds the package and serves the inspector. All other commands are in the
//! program `xtask`, which takes longer to compile. Cargo builds it on first use.
#![forbid(unsafe_code)]

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;
use xtask_build::{cargo, component, inspect, package};

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
    /// Run all checks and tests: natively, in Node and in headless Chromium. `--quick` runs a fast
    /// subset
    Test(Forwarded),
    Build(package::Args),
    Component(component::Args),
    /// Build the browser extension with the DevTools panel
    Extension(Forwarded),
    /// Run the recorded cases
    Conform(Forwarded),
    /// Print the error of the token estimator against exact counts
    Tokens(Forwarded),
    /// Benchmark the package against plain JavaScript, and measure how the core's work grows
    Bench(Forwarded),
    /// Run the fuzz targets with new inputs
    Fuzz(Forwarded),
    /// Plant bugs one at a time and check that tests detect them
    Mutants(Forwarded),
    /// Print which lines of the core the native tests cover
    Coverage(Forwarded),
    /// Import logs of other tools and print a report
    Import(Forwarded),
    /// Take the screenshots of the documentation
    Screenshots(Forwarded),
    /// Check whether this commit can be released, or set its version
    Release(Forwarded),
    /// Build the documentation as a static site
    Site(Forwarded),
    /// Compute what a number of turns per day needs
    Plan(Forwarded),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// The arguments of a command of the program `xtask`.
#[derive(Args)]
#[command(disable_help_flag = true)]
struct Forwarded {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<OsString>,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Inspect(args) => inspect::run(&args),
        Command::Build(args) => package::run(args),
        Command::Component(args) => component::run(args),
        Command::Test(_)
        | Command::Extension(_)
        | Command::Conform(_)
        | Command::Tokens(_)
        | Command::Bench(_)
        | Command::Fuzz(_)
        | Command::Mutants(_)
        | Command::Coverage(_)
        | Command::Import(_)
        | Command::Screenshots(_)
        | Command::Release(_)
        | Command::Site(_)
        | Command::Plan(_) => cargo::run_xtask(std::env::args_os().skip(1)),
        Command::Other(words) => cargo::run_xtask(words.into_iter()),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
