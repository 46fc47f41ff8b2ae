//! `cargo xtask test`: every check and test, in numbered steps.
//!
//! A step never skips silently: it installs missing programs, or it fails and names what to install.
//! A failed step does not stop the others, so one run reports every failure.
//!
//! One step more than there are cores runs at once, because databases and browsers wait while
//! compilation keeps the cores busy.

mod api;
mod fence;
mod javascript;
mod log;
mod order;
mod pages;
mod plan;
mod python;
mod rust;
pub mod schema;
mod steps;
mod summary;
mod wasm;

use crate::package::Form;
use crate::process::{self, seconds};
use anyhow::Result;
use clap::Parser;
use clap::builder::PossibleValuesParser;
use plan::Plan;
use std::num::NonZero;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};
use steps::{QUICK, STEPS, Step};
pub use wasm::RUNNER;

/// Run the checks and tests: native, Node, PostgreSQL, NATS and headless Chromium.
///
/// Installs missing programs if possible, continues after a failure, and ends with a line "N
/// passed, N failed".
#[derive(Parser, Default)]
#[command(after_help = steps_help())]
pub struct Args {
    /// Run the long checks too: the shipped build with its size limits, millions of cases, every
    /// runtime and bundler, hundreds of kills, slow browsers
    #[arg(long, conflicts_with = "quick")]
    pub deep: bool,
    /// Run only these steps, separated by commas
    #[arg(long, value_name = "STEPS", value_delimiter = ',', value_parser = step_names(), hide_possible_values = true)]
    pub only: Vec<String>,
    /// Run only the tests with this name in the steps of `--only`; can be repeated
    #[arg(long, value_name = "NAME", requires = "only")]
    pub name: Vec<String>,
    /// Run a fast subset: formatting, group order, result types, lints and types of the JavaScript,
    /// native tests, recorded cases, and the package in Node
    #[arg(long, conflicts_with = "only")]
    pub quick: bool,
    /// Show the output of every program
    #[arg(long, short)]
    pub verbose: bool,
}

/// The result of a step.
#[derive(Default)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    /// The names of failed tests, if the program prints them.
    pub failures: Vec<String>,
    /// Tests that run only with `--deep`.
    pub only_deep: Vec<String>,
    /// Printed after the result.
    pub note: String,
}

impl Counts {
    /// Returns the result of a check that passed.
    pub fn holds(note: impl Into<String>) -> Self {
        Self { passed: 1, note: note.into(), ..Self::default() }
    }

    /// Adds the result of another part of the same step.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self.only_deep.extend(other.only_deep);
        if !self.note.is_empty() && !other.note.is_empty() {
            self.note.push_str("; ");
        }
        self.note.push_str(&other.note);
    }
}

/// A step that has run.
pub struct Finished {
    step: &'static Step,
    took: Duration,
    counts: Counts,
}

impl Args {
    /// Returns true if the step must run.
    fn wants(&self, step: &Step) -> bool {
        if self.quick {
            return QUICK.contains(&step.name);
        }
        if self.only.is_empty() {
            return self.deep || !step.is_deep;
        }
        self.only.iter().any(|wanted| wanted == step.name)
    }

    /// Returns the form in which the tested package is built.
    fn form(&self) -> Form {
        if self.deep { Form::Small } else { Form::Quick }
    }
}

fn step_names() -> PossibleValuesParser {
    PossibleValuesParser::new(STEPS.iter().map(|step| step.name))
}

fn steps_help() -> String {
    let line = |step: &Step| {
        let deep = if step.is_deep { " (--deep)" } else { "" };
        format!("  {:<14}{}{deep}\n", step.name, step.title)
    };
    format!("Steps:\n{}", STEPS.iter().map(line).collect::<String>())
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let steps: Vec<&Step> = STEPS.iter().filter(|step| args.wants(step)).collect();
    let total = steps.len();
    let started = Instant::now();
    let plan = Plan::new(steps);
    let work = || {
        while let Some((number, step)) = plan.next() {
            plan.finish(run_step(args, step, &format!("[{number}/{total}] {}", step.name)));
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(work);
        }
        work();
    });
    let finished = plan.finished();
    summary::print(args, &finished, started.elapsed());
    let failed = finished.iter().any(|one| one.counts.failed > 0);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn run_step(args: &Args, step: &'static Step, label: &str) -> Finished {
    eprintln!("{label}: {}", step.title);
    process::report_as(step.name);
    let started = Instant::now();
    let counts = (step.run)(args).unwrap_or_else(|error| {
        eprintln!("{label}: {error:#}");
        Counts { failed: 1, ..Counts::default() }
    });
    let took = started.elapsed();
    let verdict = if counts.failed == 0 { "ok" } else { "FAILED" };
    let (passed, failed) = (counts.passed, counts.failed);
    eprintln!("{label}: {verdict} after {}, {passed} passed, {failed} failed", seconds(took));
    Finished { step, took, counts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn quick_steps_are_steps() {
        let quick = Args::try_parse_from(["test", "--quick"]).unwrap();
        assert_eq!(STEPS.iter().filter(|step| quick.wants(step)).count(), QUICK.len());
    }

    #[test]
    fn deep_runs_every_step() {
        let deep = Args::try_parse_from(["test", "--deep"]).unwrap();
        assert!(STEPS.iter().all(|step| deep.wants(step)));
        let usual = Args::try_parse_from(["test"]).unwrap();
        assert!(STEPS.iter().all(|step| usual.wants(step) != step.is_deep));
    }

    #[test]
    fn help_names_every_step_and_unknown_steps_are_refused() {
        let help = Args::command().render_help().to_string();
        for step in STEPS {
            assert!(help.contains(step.name), "{}", step.name);
        }
        assert!(Args::try_parse_from(["test", "--only", "rust,page"]).is_ok());
        assert!(Args::try_parse_from(["test", "--only", "rust,pge"]).is_err());
        assert!(Args::try_parse_from(["test", "--only", "rust", "--quick"]).is_err());
        assert!(Args::try_parse_from(["test", "--name", "x"]).is_err());
    }
}
