//! `cargo xtask bench`: how the core's work grows with what it is given.

mod fork_join;
mod handoff;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use std::process::ExitCode;

/// Measure the core and print the growth.
///
/// Times are those of this machine and build; what counts is how they grow.
#[derive(Parser)]
pub struct Args {
    /// What to measure; everything when absent
    #[arg(value_enum)]
    pub what: Option<What>,
}

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// A batch of 100 and of 1,000 tasks over 100 shared boxes
    #[value(name = "fork_join")]
    ForkJoin,
    /// Load plans for 1,000 and 10,000 failed samples
    Handoff,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let chosen = args.what.map_or_else(|| What::value_variants().to_vec(), |what| vec![what]);
    for what in chosen {
        match what {
            What::ForkJoin => fork_join::run()?,
            What::Handoff => handoff::run()?,
        }
    }
    Ok(ExitCode::SUCCESS)
}
