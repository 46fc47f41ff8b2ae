//! The commands of this repository. `cargo xtask --help` lists them.
#![forbid(unsafe_code)]

mod cargo;
mod conform;
mod npm;
mod package;
mod process;
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
    /// Build the npm package and print its size.
    Build(package::Args),
    /// Run the recorded cases through the core and compare the answers.
    Conform(conform::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Build(args) => package::run(args),
        Command::Conform(args) => conform::run(&args),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
