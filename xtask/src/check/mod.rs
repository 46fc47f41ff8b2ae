//! `cargo xtask test`: everything that is checked, in numbered steps.
//!
//! A step never skips in silence: what it needs is installed, or it fails and says how to get it.
//! A failed step does not stop the others, so one run tells everything that is wrong.
//!
//! Two steps run at once. What compiles keeps one core busy for minutes, what drives databases and
//! browsers mostly waits: side by side they take little more than half of the time.

mod api;
mod fence;
mod javascript;
mod log;
mod order;
mod pages;
mod plan;
pub mod results;
mod rust;
mod wasm;

use crate::package::Form;
use crate::process::{self, seconds};
use crate::{conform, licences, tree};
use anyhow::Result;
use clap::Parser;
use clap::builder::PossibleValuesParser;
use plan::Plan;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

/// Run every check and test, natively, in Node and in headless Chromium.
///
/// Installs what is missing where that is possible, goes on after a failure, and ends with a line
/// "N passed, N failed".
#[derive(Parser)]
#[command(after_help = steps_help())]
pub struct Args {
    /// Run only these steps, separated by commas
    #[arg(long, value_name = "STEPS", value_delimiter = ',', value_parser = step_names(), hide_possible_values = true)]
    pub only: Vec<String>,
    /// Run what one runs between two edits: formatting, the order of the groups, the types of
    /// results, unit tests, the recorded cases, and the tests of the package in Node over a quick build of it
    #[arg(long, conflicts_with = "only")]
    pub quick: bool,
    /// Show the output of every program as it comes
    #[arg(long, short)]
    pub verbose: bool,
}

/// What a step counted.
#[derive(Default)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    /// Said beside the result.
    pub note: String,
}

impl Counts {
    /// A check that either holds or is an error.
    pub fn holds(note: impl Into<String>) -> Self {
        Self { passed: 1, failed: 0, note: note.into() }
    }
}

struct Step {
    name: &'static str,
    title: &'static str,
    when: When,
    run: fn(&Args) -> Result<Counts>,
}

/// When a step may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// At once.
    Anytime,
    /// When no other of these runs: cargo lets only one build for tests at a time.
    Alone,
    /// When the package is built.
    Built,
}

/// The name of the step that builds the package.
const BUILD: &str = "build";

/// In the order in which they begin where nothing keeps them: long ones first.
const STEPS: &[Step] = &[
    Step {
        name: BUILD,
        title: "the npm package builds",
        when: When::Anytime,
        run: javascript::build,
    },
    Step { name: "fmt", title: "the code is formatted", when: When::Alone, run: rust::format },
    Step {
        name: "clippy",
        title: "the lints hold, natively and for WebAssembly",
        when: When::Alone,
        run: rust::lint,
    },
    Step {
        name: "fence",
        title: "the core knows nothing of its binding",
        when: When::Alone,
        run: fence::check,
    },
    Step {
        name: "api",
        title: "the public surface is the one on record",
        when: When::Anytime,
        run: api::check,
    },
    Step {
        name: "results",
        title: "the TypeScript types of results are those of the crate",
        when: When::Anytime,
        run: results::check,
    },
    Step {
        name: "order",
        title: "no group of the core imports a higher one",
        when: When::Anytime,
        run: order::check,
    },
    Step {
        name: "licences",
        title: "every dependency has an allowed licence",
        when: When::Alone,
        run: |_| licences::check().map(Counts::holds),
    },
    Step {
        name: "laws",
        title: "the tests and laws in `tests/`, optimised",
        when: When::Alone,
        run: rust::test_laws,
    },
    Step {
        name: "simulate",
        title: "orchestration under hosts that fail, with new seeds",
        when: When::Alone,
        run: rust::simulate,
    },
    Step { name: "rust", title: "the unit tests", when: When::Alone, run: rust::test },
    Step {
        name: "doc",
        title: "the pages of the library, and their examples",
        when: When::Alone,
        run: rust::test_examples,
    },
    Step {
        name: "examples",
        title: "the programs in `examples/`",
        when: When::Alone,
        run: rust::run_examples,
    },
    Step {
        name: "wasm-node",
        title: "the wasm tests in Node",
        when: When::Alone,
        run: wasm::in_node,
    },
    Step {
        name: "wasm-browser",
        title: "the wasm tests in headless Chromium",
        when: When::Alone,
        run: wasm::in_browser,
    },
    Step {
        name: "page",
        title: "the page in headless Chromium",
        when: When::Built,
        run: javascript::test_page,
    },
    Step {
        name: "stores",
        title: "the contract of a store, on every store",
        when: When::Built,
        run: javascript::test_stores,
    },
    Step {
        name: "engine",
        title: "the contract of an engine, on every kind of store",
        when: When::Built,
        run: javascript::test_engine,
    },
    Step {
        name: "conform-all",
        title: "the recorded cases through every runtime, with the native bytes",
        when: When::Built,
        run: |_| conformance(conform::Through::All),
    },
    Step {
        name: "consumers",
        title: "the packed package in every runtime and bundler",
        when: When::Built,
        run: javascript::test_consumers,
    },
    Step {
        name: "node",
        title: "the tests of the npm package in Node",
        when: When::Built,
        run: javascript::test_package,
    },
    Step {
        name: "types",
        title: "the TypeScript types",
        when: When::Built,
        run: javascript::test_types,
    },
    Step {
        name: CONFORM,
        title: "the recorded cases, natively",
        when: When::Anytime,
        run: |_| conformance(conform::Through::Native),
    },
];

/// The name of the step that is only for those who ask for it: all runtimes are held against the core
/// itself, which is held against the recorded cases there.
const CONFORM: &str = "conform";

/// The steps of `--quick`.
const QUICK: [&str; 7] = ["fmt", "order", "results", "fence", "rust", "conform", "node"];

impl Args {
    /// True when the step of this name is to run.
    fn wants(&self, name: &str) -> bool {
        if self.quick {
            return QUICK.contains(&name);
        }
        if self.only.is_empty() {
            return name != CONFORM;
        }
        self.only.iter().any(|wanted| wanted == name)
    }

    /// How the package is built that is tested.
    fn form(&self) -> Form {
        if self.quick { Form::Quick } else { Form::Small }
    }
}

fn step_names() -> PossibleValuesParser {
    PossibleValuesParser::new(STEPS.iter().map(|step| step.name))
}

fn steps_help() -> String {
    let lines = STEPS.iter().map(|step| format!("  {:<14}{}\n", step.name, step.title));
    format!("Steps:\n{}", lines.collect::<String>())
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let steps: Vec<&Step> = STEPS.iter().filter(|step| args.wants(step.name)).collect();
    let total = steps.len();
    let started = Instant::now();
    let plan = Plan::new(steps);
    let work = || {
        while let Some((number, step)) = plan.next() {
            let counts = run_step(args, step, &format!("[{number}/{total}]"));
            plan.finished(step, counts);
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let done = plan.done();
    let failed = done.iter().filter(|(_, counts)| counts.failed > 0).map(|(name, _)| *name);
    let failed: Vec<&str> = failed.collect();
    if !failed.is_empty() {
        println!("failed steps: {}", failed.join(","));
    }
    println!("{total} steps in {}", seconds(started.elapsed()));
    let sum = |of: fn(&Counts) -> usize| done.iter().map(|(_, counts)| of(counts)).sum::<usize>();
    println!("{} passed, {} failed", sum(|counts| counts.passed), sum(|counts| counts.failed));
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_step(args: &Args, step: &Step, number: &str) -> Counts {
    let number = format!("{number} {}", step.name);
    eprintln!("{number}: {}", step.title);
    process::speak_as(step.name);
    let begun = Instant::now();
    let counts = (step.run)(args).unwrap_or_else(|error| {
        eprintln!("{number}: {error:#}");
        Counts { failed: 1, ..Counts::default() }
    });
    let verdict = if counts.failed == 0 { "ok" } else { "FAILED" };
    let note = if counts.note.is_empty() { "" } else { ", " };
    eprintln!(
        "{number}: {verdict} after {}, {} passed, {} failed{note}{}",
        seconds(begun.elapsed()),
        counts.passed,
        counts.failed,
        counts.note
    );
    counts
}

fn conformance(through: conform::Through) -> Result<Counts> {
    let mut counts = Counts { passed: 0, failed: 0, note: String::new() };
    // the recorded cases, and logs of our own
    for dir in [None, Some(tree::root().join("tests/imports"))] {
        let report = conform::check(&conform::Args { dir, through, json: false, show: 10 })?;
        if report.failed() > 0 {
            report.print(10);
        }
        counts.passed += report.passed();
        counts.failed += report.failed();
        let skipped = report.skipped();
        if counts.note.is_empty() {
            counts.note = format!("in {}", report.places().collect::<Vec<_>>().join(", "));
        }
        if !skipped.is_empty() {
            counts.note = format!("{}; skipped: {}", counts.note, skipped.join(", "));
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_quick_steps_are_steps() {
        let quick = Args::try_parse_from(["test", "--quick"]).unwrap();
        let wanted: Vec<_> = STEPS.iter().filter(|step| quick.wants(step.name)).collect();
        assert_eq!(wanted.len(), QUICK.len());
    }

    #[test]
    fn the_help_names_every_step_and_unknown_steps_are_refused() {
        let help = Args::command().render_help().to_string();
        for step in STEPS {
            assert!(help.contains(step.name), "{}", step.name);
        }
        assert!(Args::try_parse_from(["test", "--only", "rust,page"]).is_ok());
        assert!(Args::try_parse_from(["test", "--only", "rust,pge"]).is_err());
        assert!(Args::try_parse_from(["test", "--only", "rust", "--quick"]).is_err());
    }
}
