//! `cargo xtask bench`: measures the package against plain JavaScript, the growth of the core's
//! work, and the page.

mod engine;
mod import;
mod javascript;
mod legal;
mod page;
mod peers;
mod python;
mod rust;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use std::process::ExitCode;

/// Benchmark the package against plain JavaScript, and measure how the core's work grows.
///
/// Both sides of a ratio alternate in one process. Times depend on the machine and its load;
/// compare ratios and growth.
#[derive(Parser)]
pub struct Args {
    /// Print the metrics of the package as a last line of JSON
    #[arg(long)]
    pub json: bool,
    /// Number of turns that `engine` runs
    #[arg(long, default_value_t = 5000, value_name = "N")]
    pub turns: u32,
    /// Megabytes of session logs that `import` reads
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub megabytes: u32,
    /// What to measure [default: all but page, proxy, engine, import, cache, lock, legal, peers and python]
    #[arg(value_enum)]
    pub benchmark: Option<Benchmark>,
}

/// The benchmarks.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Benchmark {
    /// Packing, turn views, rendering and batches in Node against plain JavaScript. Also the size
    /// of the module, the time to open it, and the memory of a million ids
    Package,
    /// A batch of 100 and of 1,000 tasks over 100 shared boxes
    #[value(name = "fork_join")]
    ForkJoin,
    /// Growth limits: the cost of a doubled input, and keys chosen to collide
    Growth,
    /// The heaviest calls in a body of 8 MiB: no trap, at most 2 s of CPU and 512 MiB each
    Heavy,
    /// Load plans for 1,000 and 10,000 failed samples
    Handoff,
    /// Orchestration calls with 10 and 100,000 rows in the inbox, and batches of up to 1,000
    /// children
    Orchestration,
    /// Turns per second of 4 worker processes and 200 agents on PostgreSQL, and of as many plain
    /// commits
    Engine,
    /// Streamed imports of session logs in Node and natively, against plain JavaScript, and their
    /// memory
    Import,
    /// Explanations of caches: sessions of up to 10,000 requests against plain JavaScript, and forecasts
    /// for a recorded session
    Cache,
    /// Checks of lockfiles: 100 contexts of 50 cards, and one change among 1,000
    Lock,
    /// Legal, refused and illegal requests of the AI SDK, LiteLLM, LangChain and this package;
    /// installs them
    Legal,
    /// The Python package against plain Python: packing, and imports of 50 MB
    Python,
    /// The recording proxy: first bytes of 50 streams, throughput, and 10,000 exchanges
    Proxy,
    /// From messages to the text of a body: this package, LangChain and the AI SDK; installs them
    Peers,
    /// The page in headless Chromium: first paint, long tasks, the slider, bytes of the first load
    Page,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    // the package is last, because its JSON must be the last line
    let all = || {
        let rust =
            [Benchmark::Growth, Benchmark::ForkJoin, Benchmark::Orchestration, Benchmark::Handoff];
        rust.into_iter().chain([Benchmark::Heavy, Benchmark::Package]).collect()
    };
    for benchmark in args.benchmark.map_or_else(all, |one| vec![one]) {
        match benchmark {
            Benchmark::Package => javascript::run("run.mjs", args.json)?,
            Benchmark::Heavy => javascript::run("heavy.mjs", false)?,
            Benchmark::Growth => rust::run("growth")?,
            Benchmark::ForkJoin => rust::run("fork_join")?,
            Benchmark::Handoff => rust::run("handoff")?,
            Benchmark::Orchestration => rust::run("orchestration")?,
            Benchmark::Engine => engine::run(args.turns)?,
            Benchmark::Import => import::run(args.megabytes)?,
            Benchmark::Cache => javascript::run("cache.mjs", false)?,
            Benchmark::Lock => javascript::run("lock.mjs", false)?,
            Benchmark::Proxy => javascript::run("proxy.mjs", false)?,
            Benchmark::Legal => legal::run()?,
            Benchmark::Python => python::run()?,
            Benchmark::Peers => peers::run()?,
            Benchmark::Page => page::run()?,
        }
    }
    Ok(ExitCode::SUCCESS)
}
