//! Orchestration under hosts that fail, run after run: the program behind `cargo xtask simulate` and
//! the step `simulate` of `cargo xtask test`.
//!
//! `cargo test --profile laws --test simulate -- --runs 500` runs it alone. Without a seed it takes one
//! from the clock, and prints it.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "new seeds come from the clock and are printed"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tuckbox::run::Bug;
use tuckbox::run::sim::{Judges, Plan, Report, run, shrunk};

#[path = "simulate/progress.rs"]
mod progress;

use progress::{Goal, Progress};

/// What to run.
struct Args {
    seed: Option<u64>,
    runs: u64,
    steps: usize,
    minutes: Option<u64>,
    jobs: usize,
    history: bool,
    bugs: bool,
    /// Only this bug.
    bug: Option<String>,
}

impl Args {
    /// Reads `--name value` and flags; words of the test harness are not ours.
    fn read(mut given: impl Iterator<Item = String>) -> Result<Self, String> {
        let jobs = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut args = Self {
            seed: None,
            runs: 200,
            steps: 200,
            minutes: None,
            jobs,
            history: false,
            bugs: false,
            bug: None,
        };
        while let Some(name) = given.next() {
            if name == "--bug" {
                args.bug = given.next();
                continue;
            }
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
                "--bugs" => args.bugs = true,
                other => return Err(format!("`{other}` is no option")),
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
    let well = if args.bugs { bugs(&args) } else { clean(&args) };
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs seeds one after the other; true when no law was broken.
fn clean(args: &Args) -> bool {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos());
    let first = args.seed.unwrap_or(u64::try_from(clock % 1_000_000_000_000).unwrap_or(1));
    println!("seeds from {first}");
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let sum = Mutex::new((0_u64, 0, 0, 0));
    // of every operation: how often a call read at most, and a seed that shows it
    let most_reads: Mutex<BTreeMap<&str, (usize, u64)>> = Mutex::default();
    let broken: Mutex<Option<Plan>> = Mutex::new(None);
    let goal = match args.minutes {
        Some(minutes) => Goal::Time(Duration::from_secs(minutes * 60)),
        None => Goal::Runs(args.runs),
    };
    let progress = Mutex::new(Progress::new(goal, std::io::stderr().is_terminal()));
    let work = || {
        while broken.lock().is_ok_and(|broken| broken.is_none()) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let goes_on = match args.minutes {
                Some(minutes) => start.elapsed() < Duration::from_secs(minutes * 60),
                None => number < args.runs,
            };
            if !goes_on {
                break;
            }
            let plan = Plan {
                seed: first.wrapping_add(number),
                steps: args.steps,
                history: args.history && number == 0,
                ..Plan::default()
            };
            let report = run(&plan);
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
            {
                broken.get_or_insert(plan);
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
        println!("{}", shrunk(&plan));
        return false;
    }
    let (runs, calls, turns, batches) = sum.into_inner().unwrap_or_default();
    println!(
        "{runs} runs of {} steps from seed {first}: {calls} calls, {turns} turns, {batches} batches joined in {seconds:.1} s",
        args.steps
    );
    let mut often = most_reads.into_inner().unwrap_or_default();
    often.retain(|_, (reads, _)| *reads > 2);
    for (op, (reads, seed)) in &often {
        println!("seed {seed}: `{op}` read {reads} times before it was decided; two are enough");
    }
    often.is_empty()
}

/// Plants every bug and prints how it was found, as a page of the documentation; true when each was.
fn bugs(args: &Args) -> bool {
    let first = args.seed.unwrap_or(1);
    let mut missed = 0;
    let (mut table, mut histories) = (String::new(), String::new());
    let wanted = |bug: &&Bug| args.bug.as_deref().is_none_or(|name| name == bug.as_str());
    for bug in Bug::ALL.iter().filter(wanted) {
        let Some(found) = find(args, args.runs, first, *bug, Judges::All) else {
            missed += 1;
            _ = writeln!(table, "| `{}` | {} | **not found** | | | |", bug.as_str(), bug.what());
            continue;
        };
        let report = shrunk(&found);
        let law = report.failure.as_ref().map_or("", |failure| failure.law);
        let alone = find(args, args.runs.min(ALONE), first, *bug, Judges::Model);
        let alone = alone.map_or_else(String::new, |plan| plan.seed.to_string());
        _ = writeln!(
            table,
            "| [`{}`](#{}) | {} | {law} | {} | {} | {alone} |",
            bug.as_str(),
            bug.as_str(),
            bug.what(),
            found.seed,
            report.history.len()
        );
        _ = writeln!(histories, "\n### {}\n```text\n{}\n```", bug.as_str(), told(&report));
    }
    println!("{table}\n## Histories{histories}");
    eprintln!("{missed} bugs were not found in {} runs each", args.runs);
    missed == 0
}

/// How many runs the model gets to see a bug alone.
const ALONE: u64 = 40;

/// The first run that shows a bug to these judges, and nothing without it.
fn find(args: &Args, runs: u64, first: u64, bug: Bug, judges: Judges) -> Option<Plan> {
    let plan = |number: u64, bug| Plan {
        seed: first.wrapping_add(number),
        steps: args.steps,
        bug,
        judges,
        history: false,
        ..Plan::default()
    };
    let shows = |number: u64| {
        let (planted, clean) = (plan(number, bug), plan(number, Bug::None));
        run(&planted).failure.is_some() && run(&clean).failure.is_none()
    };
    let jobs = u64::try_from(args.jobs).unwrap_or(1);
    for begin in (0..runs).step_by(args.jobs) {
        let numbers = begin..runs.min(begin.saturating_add(jobs));
        let shown = thread::scope(|scope| {
            let hands: Vec<_> =
                numbers.map(|number| (number, scope.spawn(move || shows(number)))).collect();
            hands.into_iter().find_map(|(number, hand)| hand.join().ok()?.then_some(number))
        });
        if let Some(number) = shown {
            return Some(plan(number, bug));
        }
    }
    None
}

fn told(report: &Report) -> String {
    let text = report.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
