//! `cargo xtask simulate`: runs orchestration on hosts that fail, from seeds.
//!
//! The runs are those of `tests/simulate.rs`, which is compiled with optimization.

use crate::package::Form;
use crate::{cargo, mutants, npm, package, tree};
use anyhow::{Context, Result};
use clap::Parser;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

/// Simulate hosts that fail, and check the invariants of orchestration after every step.
///
/// Prints the seed of the first run, and the shortest history of a run that breaks an invariant. Reports
/// progress on stderr.
#[derive(Parser)]
pub struct Args {
    /// The seed of the first run; each run uses the next one [default: from the clock, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The number of runs [default: 200; for each bug 400]
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// The number of steps of a run in which hosts fail
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub steps: usize,
    /// Run new seeds for this many minutes
    #[arg(long, value_name = "M", conflicts_with = "runs")]
    pub minutes: Option<u64>,
    /// The number of runs at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<u64>,
    /// Print the history of the first run, broken or not
    #[arg(long)]
    pub history: bool,
    /// Plant each bug of `xtask/src/mutants/bugs.txt` in a copy of the rules, search a seed that finds
    /// it, and write `tests/sim/planted-bugs.md`
    #[arg(long, conflicts_with_all = ["minutes", "history", "jobs"])]
    pub bugs: bool,
    /// Run the engines, workers, stores and transports of the package instead of the rules. The
    /// disk and the network fail, clocks are wrong, and processes crash
    #[arg(long, conflicts_with_all = ["bugs", "history"])]
    pub shell: bool,
    /// The only store of a run with `--shell`: memory, clock, file, kv or http
    #[arg(long, requires = "shell")]
    pub store: Option<String>,
}

/// The profile of the simulator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The profile of the other native tests, so that cargo compiles nothing twice.
    Dev,
    /// With optimization, for many runs.
    Optimized,
}

/// Returns the program with these options.
pub fn program(profile: Profile, options: &[(&str, Option<u64>)]) -> Command {
    let mut command = match profile {
        Profile::Dev => cargo::cargo(["test", "--quiet", "--workspace"]),
        Profile::Optimized => {
            cargo::cargo(["test", "--quiet", "--profile", "properties", "--workspace"])
        }
    };
    command.args(["--test", "simulate", "--"]);
    for (name, value) in options {
        if let Some(value) = value {
            command.arg(name).arg(value.to_string());
        }
    }
    command
}

/// Runs the command.
pub fn run_command(args: &Args) -> Result<ExitCode> {
    let steps = u64::try_from(args.steps).ok();
    if args.shell {
        return run_shell(args);
    }
    if args.bugs {
        let (seed, runs) = (args.seed.unwrap_or(1), args.runs.unwrap_or(400));
        return mutants::bugs::write_page(seed, runs, steps.unwrap_or(u64::MAX));
    }
    let mut command = program(
        Profile::Optimized,
        &[
            ("--seed", args.seed),
            ("--runs", args.runs),
            ("--steps", steps),
            ("--minutes", args.minutes),
            ("--jobs", args.jobs),
        ],
    );
    if args.history {
        command.arg("--history");
    }
    let status = command.status().context("cannot start cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the simulator of the package. Each process has its own seeds.
fn run_shell(args: &Args) -> Result<ExitCode> {
    package::build(Form::Quick)?;
    npm::install(&tree::root().join("tests"))?;
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let runs = args.runs.unwrap_or(200);
    let jobs = args.jobs.unwrap_or(cores).clamp(1, runs.max(1));
    let mut seed = args.seed;
    let mut started = Vec::new();
    for job in 0..jobs {
        let own = runs / jobs + u64::from(job < runs % jobs);
        let mut command = npm::node();
        command.arg(tree::root().join("tests/shell/run.mjs")).stdin(Stdio::null());
        let length = match args.minutes {
            Some(minutes) => ("--minutes", minutes),
            None => ("--runs", own),
        };
        // without a seed, each process begins at another one, far from the others
        let first = ("--seed", seed.unwrap_or_else(|| new_seed() + job * 100_000_000));
        for (name, value) in [first, length] {
            command.arg(name).arg(value.to_string());
        }
        if let Some(store) = &args.store {
            command.args(["--store", store]);
        }
        seed = seed.map(|seed| seed + own);
        started.push(command.spawn().context("cannot start Node")?);
    }
    let mut success = true;
    for mut process in started {
        success &= process.wait()?.success();
    }
    Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns a seed from the clock.
fn new_seed() -> u64 {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    clock.map_or(1, |since| since.as_secs() % 100_000_000)
}
