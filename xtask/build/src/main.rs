//! The commands of this repository. `cargo xtask --help` lists them.
//!
//! What a first minute needs is here: building the package and serving the inspector. Everything
//! else is the program `xtask`, which compiles much more; it is built when it is first asked for.
#![forbid(unsafe_code)]

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;
use xtask_build::{cargo, inspect, package};

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
    /// Run every check and test, natively, in Node and in headless Chromium; `--quick` for what one
    /// runs between two edits
    Test(PassedOn),
    Build(package::Args),
    /// Build the extension with the DevTools panel
    Extension(PassedOn),
    /// Run the recorded cases
    Conform(PassedOn),
    /// Print the error of the token estimator against exact counts
    Tokens(PassedOn),
    /// Measure the package against plain JavaScript, and how the core's work grows
    Bench(PassedOn),
    /// Run the fuzz targets with new cases
    Fuzz(PassedOn),
    /// Plant bugs, one at a time, and see that the tests notice
    Mutants(PassedOn),
    /// Print which lines of the core the native tests run
    Coverage(PassedOn),
    /// Import the logs of other tools and print what was found
    Import(PassedOn),
    /// Take the pictures of the documentation
    Screenshots(PassedOn),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// The words behind a command that another program reads.
#[derive(Args)]
#[command(disable_help_flag = true)]
struct PassedOn {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<OsString>,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Inspect(args) => inspect::run(&args),
        Command::Build(args) => package::run(args),
        Command::Test(_)
        | Command::Extension(_)
        | Command::Conform(_)
        | Command::Tokens(_)
        | Command::Bench(_)
        | Command::Fuzz(_)
        | Command::Mutants(_)
        | Command::Coverage(_)
        | Command::Import(_)
        | Command::Screenshots(_) => cargo::pass_on(std::env::args_os().skip(1)),
        Command::Other(words) => cargo::pass_on(words.into_iter()),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
