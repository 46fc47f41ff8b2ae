//! `cargo xtask bench`: how fast the package is beside plain JavaScript, and how the core's work
//! grows with what it is given; and how the page moves.

mod engine;
mod import;
mod javascript;
mod legal;
mod page;
mod rust;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use std::process::ExitCode;

/// Measure the package against plain JavaScript, and how the core's work grows.
///
/// Both sides of a ratio are measured by turns in one process. Times are those of this machine and
/// hour; what counts is the ratio and the growth.
#[derive(Parser)]
pub struct Args {
    /// End with one line of JSON: the metrics of the package
    #[arg(long)]
    pub json: bool,
    /// How many turns `engine` runs
    #[arg(long, default_value_t = 5000, value_name = "N")]
    pub turns: u32,
    /// How many megabytes of session logs `import` reads
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub megabytes: u32,
    /// What to measure; everything but the page, the engine, imports and other libraries when absent
    #[arg(value_enum)]
    pub what: Option<What>,
}

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Packing, turn views, rendering and batches in Node, against plain JavaScript; the size of
    /// the module, the time to open it, the memory of a million ids
    Package,
    /// A batch of 100 and of 1,000 tasks over 100 shared boxes
    #[value(name = "fork_join")]
    ForkJoin,
    /// The gates of growth: what a doubled input costs, and keys chosen to collide
    Growth,
    /// The heaviest calls that fit into a body of 8 MiB: no trap, at most 2 s of CPU and 512 MiB each
    Heavy,
    /// Load plans for 1,000 and 10,000 failed samples
    Handoff,
    /// Calls of orchestration with 10 and 100,000 rows in the inbox, and batches of up to 1,000 children
    Orchestration,
    /// Turns a second of 4 worker processes and 200 agents on PostgreSQL, beside as many bare commits
    Engine,
    /// Session logs imported in a stream, in Node and natively, against plain JavaScript, and their memory
    Import,
    /// Legal, refused and illegal requests of the AI SDK, LiteLLM and LangChain beside ours: installs them
    Legal,
    /// The page in headless Chromium: first paint, long tasks, the slider, bytes of the first load
    Page,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    // the package comes last, so that its line of JSON does
    let all = || {
        let rust = [What::Growth, What::ForkJoin, What::Orchestration, What::Handoff];
        rust.into_iter().chain([What::Heavy, What::Package]).collect()
    };
    for what in args.what.map_or_else(all, |what| vec![what]) {
        match what {
            What::Package => javascript::run("run.mjs", args.json)?,
            What::Heavy => javascript::run("heavy.mjs", false)?,
            What::Growth => rust::run("growth")?,
            What::ForkJoin => rust::run("fork_join")?,
            What::Handoff => rust::run("handoff")?,
            What::Orchestration => rust::run("orchestration")?,
            What::Engine => engine::run(args.turns)?,
            What::Import => import::run(args.megabytes)?,
            What::Legal => legal::run()?,
            What::Page => page::run()?,
        }
    }
    Ok(ExitCode::SUCCESS)
}
