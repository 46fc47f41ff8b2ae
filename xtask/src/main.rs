//! The commands that check and measure. `cargo xtask` starts this program for them. The commands
//! that build and serve are in `xtask/build`.
#![forbid(unsafe_code)]

mod apt;
mod bench;
mod chaos;
mod check;
mod chromium;
mod conform;
mod coverage;
mod extension;
mod fuzz;
mod import;
mod licenses;
mod models;
mod mutants;
mod nats;
mod plan;
mod python;
mod release;
mod screenshots;
mod simulate;
mod site;
mod tokens;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask_build::{cargo, component, inspect, npm, package, process, serve, tree};

/// The commands of the Tuckbox repository that check and measure.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Test(check::Args),
    Extension(extension::Args),
    Conform(conform::Args),
    Simulate(simulate::Args),
    Chaos(chaos::Args),
    Tokens(tokens::Args),
    Bench(bench::Args),
    Fuzz(fuzz::Args),
    Mutants(mutants::Args),
    Coverage(coverage::Args),
    Import(import::Args),
    Models(models::Args),
    Screenshots(screenshots::Args),
    Release(release::Args),
    Site(site::Args),
    Plan(plan::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Test(args) => check::run(&args),
        Command::Extension(args) => extension::run(&args),
        Command::Conform(args) => conform::run(&args),
        Command::Simulate(args) => simulate::run_command(&args),
        Command::Chaos(args) => chaos::run(&args),
        Command::Tokens(args) => tokens::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Mutants(args) => mutants::run(&args),
        Command::Coverage(args) => coverage::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Models(args) => models::run(&args),
        Command::Screenshots(args) => screenshots::run(&args),
        Command::Release(args) => release::run(&args),
        Command::Site(args) => site::run(&args),
        Command::Plan(args) => plan::run(&args),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
