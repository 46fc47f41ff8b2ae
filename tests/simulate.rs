//! Runs the simulator with many seeds. `cargo xtask simulate` and the step `simulate` of
//! `cargo xtask test` start this program.
//!
//! `cargo test --profile properties --test simulate -- --runs 500` runs it alone. Without `--seed`,
//! the first seed comes from the clock. The program prints it.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "new seeds come from the clock and are printed"
)]

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[path = "simulate/progress.rs"]
mod progress;
mod sim;

use progress::{Goal, Progress};
use sim::{Judges, Plan, check_ticks, run, shrunk};

/// The options of a run.
struct Args {
    seed: Option<u64>,
    runs: u64,
    steps: usize,
    minutes: Option<u64>,
    jobs: usize,
    history: bool,
    judges: Judges,
}

impl Args {
    /// Reads `--name value` and flags.
    fn read(mut given: impl Iterator<Item = String>) -> Result<Self, String> {
        let jobs = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut args = Self {
            seed: None,
            runs: 200,
            steps: 200,
            minutes: None,
            jobs,
            history: false,
            judges: Judges::All,
        };
        while let Some(name) = given.next() {
            let mut number = || {
                let value = given.next().ok_or_else(|| format!("`{name}` needs a number"))?;
                value.parse::<u64>().map_err(|_| format!("`{name} {value}`: not a number"))
            };
            match name.as_str() {
                "--seed" => args.seed = Some(number()?),
                "--runs" => args.runs = number()?,
                "--steps" => args.steps = usize::try_from(number()?).unwrap_or(usize::MAX),
                "--minutes" => args.minutes = Some(number()?),
                "--jobs" => args.jobs = usize::try_from(number()?).unwrap_or(1).max(1),
                "--history" => args.history = true,
                "--model-only" => args.judges = Judges::Model,
                other => return Err(format!("`{other}` is not an option")),
            }
        }
        Ok(args)
    }
}

fn main() -> ExitCode {
    let args = match Args::read(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    if simulate(&args) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns how often a call may read. The end of a batch whose children ended in another order than
/// their events arrive follows each of them.
fn most(op: &str) -> usize {
    match op {
        "child_event" | "reconcile_task" => 8,
        _ => 2,
    }
}

/// Runs the seeds in order. Returns true if every invariant holds.
fn simulate(args: &Args) -> bool {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos());
    let first = args.seed.unwrap_or(u64::try_from(clock % 1_000_000_000_000).unwrap_or(1));
    println!("seeds from {first}");
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let sum = Mutex::new((0_u64, 0, 0, 0));
    // by operation: the most reads of one call, and the seed of that call
    let most_reads: Mutex<BTreeMap<&str, (usize, u64)>> = Mutex::default();
    let broken: Mutex<Option<Plan>> = Mutex::new(None);
    // the first batch whose outcome depends on the times of the watchdog
    let moved: Mutex<Option<String>> = Mutex::new(None);
    let goal = match args.minutes {
        Some(minutes) => Goal::Time(Duration::from_secs(minutes * 60)),
        None => Goal::Runs(args.runs),
    };
    let progress = Mutex::new(Progress::new(goal, std::io::stderr().is_terminal()));
    let work = || {
        while broken.lock().is_ok_and(|broken| broken.is_none()) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let continues = match args.minutes {
                Some(minutes) => start.elapsed() < Duration::from_secs(minutes * 60),
                None => number < args.runs,
            };
            if !continues {
                break;
            }
            let plan = Plan {
                seed: first.wrapping_add(number),
                steps: args.steps,
                judges: args.judges,
                history: args.history && number == 0,
                ..Plan::default()
            };
            let report = run(&plan);
            if let Err(failure) = check_ticks(plan.seed)
                && let Ok(mut moved) = moved.lock()
            {
                *moved = Some(format!("seed {}: {}", plan.seed, failure.found));
            }
            if args.history && number == 0 {
                println!("{report}");
            }
            if let (Ok(mut sum), Ok(mut progress)) = (sum.lock(), progress.lock()) {
                *sum =
                    (sum.0 + 1, sum.1 + report.calls, sum.2 + report.turns, sum.3 + report.batches);
                if let Some(line) = progress.line(sum.0, start.elapsed()) {
                    eprintln!("{line}");
                }
            }
            if let Ok(mut most_reads) = most_reads.lock() {
                for (op, reads) in report.most_reads {
                    let most = most_reads.entry(op).or_default();
                    if reads > most.0 {
                        *most = (reads, plan.seed);
                    }
                }
            }
            if report.failure.is_some()
                && let Ok(mut broken) = broken.lock()
                && broken.as_ref().is_none_or(|first| plan.seed < first.seed)
            {
                *broken = Some(plan);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..args.jobs {
            scope.spawn(work);
        }
        work();
    });
    let seconds = start.elapsed().as_secs_f64();
    if let Ok(Some(plan)) = broken.into_inner() {
        println!("{}", shrunk(&plan, run));
        return false;
    }
    if let Ok(Some(moved)) = moved.into_inner() {
        println!("{moved}");
        return false;
    }
    let (runs, calls, turns, batches) = sum.into_inner().unwrap_or_default();
    println!(
        "{runs} runs of {} steps from seed {first}: {calls} calls, {turns} turns, {batches} batches joined in {seconds:.1} s",
        args.steps
    );
    let mut often = most_reads.into_inner().unwrap_or_default();
    often.retain(|op, (reads, _)| *reads > most(op));
    for (op, (reads, seed)) in &often {
        println!("seed {seed}: `{op}` reads {reads} times; expected at most {}", most(op));
    }
    often.is_empty()
}
