//! The bugs of orchestration: the simulator searches seeds that reveal them, and checks the seeds
//! again.

use super::list::Mutant;
use super::{REMEDY, all, copy};
use crate::process::Program;
use crate::tree;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The list of the bugs.
pub const LIST: &str = include_str!("bugs.txt");

/// The test program that must find them.
pub const PROGRAM: &str = "simulate";

/// The page that shows how each bug is found.
const PAGE: &str = "tests/sim/planted-bugs.md";

const HEAD: &str = "\
# Planted bugs

`cargo xtask simulate --bugs` writes this page. Each line is a bug that `xtask/src/mutants/bugs.txt` plants
in a copy of the rules. The seed is the first one, from 1 on, with which the simulator breaks an invariant.
*Lines* is the length of its shortest history. *Model* is the first of 40 seeds with which the naive model
(`tests/sim/model`) finds the bug without the other invariants.

`cargo xtask mutants` and `cargo xtask test --deep` check every seed of this page.
";

/// The number of runs in which the model alone can find a bug.
const MODEL_RUNS: u64 = 40;

/// Returns the name of a bug.
pub fn name(bug: &Mutant) -> &str {
    bug.what.split(": ").next().unwrap_or_default()
}

fn description(bug: &Mutant) -> &str {
    bug.what.split_once(": ").map_or("", |(_, description)| description)
}

/// The simulator in the copy. Each bug has a number that selects it.
struct Simulator {
    program: PathBuf,
    bugs: Vec<(usize, Mutant)>,
}

/// A run that broke an invariant.
struct Found {
    seed: String,
    invariant: String,
    /// The whole report: the seed, the history and the failure.
    report: String,
}

impl Found {
    /// Reads the report at the end of the output of the simulator.
    fn read(output: &str) -> Option<Self> {
        let report: Vec<&str> = output
            .lines()
            .skip_while(|line| !line.starts_with("seed "))
            .map(str::trim_end)
            .collect();
        let seed = report.first()?.strip_prefix("seed ")?;
        let last = report.iter().rfind(|line| !line.is_empty())?;
        let failure =
            last.strip_prefix("at rest: ").or_else(|| last.split_once(": ").map(|(_, l)| l));
        let (invariant, _) = failure?.split_once(": ")?;
        let report = report.join("\n").trim_end().to_owned();
        Some(Self { seed: seed.to_owned(), invariant: invariant.to_owned(), report })
    }

    /// Returns the number of lines of the history.
    fn lines(&self) -> usize {
        self.report.lines().count().saturating_sub(2)
    }
}

impl Simulator {
    fn build() -> Result<Self> {
        let all = all()?;
        let copy = copy::make(&all)?;
        let mut programs = copy::build(&copy, &BTreeSet::from([PROGRAM]), "properties")?;
        let program = programs.remove(PROGRAM).context("no test program `simulate`")?;
        let numbered = all.into_iter().enumerate().map(|(at, mutant)| (at + 1, mutant));
        let bugs = numbered.filter(|(_, mutant)| mutant.tests == [PROGRAM]).collect();
        Ok(Self { program, bugs })
    }

    /// Runs seeds with the bug of this number, and returns the first that breaks an invariant.
    fn find(&self, number: usize, options: &[&str]) -> Result<Option<Found>> {
        let mut command = Command::new(&self.program);
        command.args(options).env(copy::SWITCH, number.to_string());
        let ran = Program::new(command, REMEDY).run()?;
        let found = if ran.success { None } else { Found::read(&ran.output) };
        // a bug can make calls read more often, which ends no run: then no invariant is broken
        if found.is_none() && !ran.output.contains(" runs of ") {
            bail!("no report: {}", ran.output);
        }
        Ok(found)
    }
}

/// A row of the page.
struct Line {
    name: String,
    invariant: String,
    seed: String,
    model_seed: String,
}

fn read_page(page: &str) -> Result<Vec<Line>> {
    let rows = page.lines().filter(|line| line.starts_with("| [`"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, name, _, invariant, seed, _, model_seed, _] = cells.as_slice() else {
            bail!("`{PAGE}` has a row without six columns: `{row}`");
        };
        let name = name.split('`').nth(1).unwrap_or_default();
        let [name, invariant, seed, model_seed] =
            [name, invariant, seed, model_seed].map(str::to_owned);
        Ok(Line { name, invariant, seed, model_seed })
    })
    .collect()
}

fn page() -> Result<String> {
    let path = tree::root().join(PAGE);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read `{PAGE}`"))
}

/// Checks that the simulator finds each bug of the page with its seed, and nothing without the bug.
/// Returns the errors. `only` names the bugs to check; `None` checks all.
pub fn check(only: Option<&[&str]>) -> Result<Vec<String>> {
    let simulator = Simulator::build()?;
    let mut wrong = Vec::new();
    for line in read_page(&page()?)? {
        let Line { name: bug, invariant, seed, model_seed } = line;
        if only.is_some_and(|only| !only.contains(&bug.as_str())) {
            continue;
        }
        let Some((number, _)) = simulator.bugs.iter().find(|(_, known)| name(known) == bug) else {
            wrong.push(format!("`{PAGE}` has the bug `{bug}`, which is not in the list"));
            continue;
        };
        let found = simulator.find(*number, &["--seed", &seed, "--runs", "1"])?;
        match found {
            Some(found) if found.invariant == invariant => {}
            Some(found) => wrong.push(format!("{bug}: seed {seed} breaks: {}", found.invariant)),
            None => wrong.push(format!("{bug}: seed {seed} finds nothing")),
        }
        if !model_seed.is_empty() {
            let options = ["--seed", &model_seed, "--runs", "1", "--model-only"];
            if simulator.find(*number, &options)?.is_none() {
                wrong.push(format!("{bug}: the model finds nothing with seed {model_seed}"));
            }
        }
        if let Some(found) = simulator.find(0, &["--seed", &seed, "--runs", "1"])? {
            wrong.push(format!("seed {seed} without a bug breaks: {}", found.invariant));
        }
    }
    Ok(wrong)
}

/// Searches a seed for every bug, and writes the page. Fails if a bug of the current page is not
/// found.
pub fn write_page(seed: u64, runs: u64, steps: u64) -> Result<ExitCode> {
    let before = read_page(&page()?)?;
    let simulator = Simulator::build()?;
    let (seed, steps) = (seed.to_string(), steps.to_string());
    let search = |number: usize, runs: u64, more: &[&str]| {
        let runs = runs.to_string();
        let options = ["--seed", &seed, "--steps", &steps, "--runs", &runs];
        simulator.find(number, &[&options[..], more].concat())
    };
    let (mut table, mut histories, mut missed) = (String::new(), String::new(), Vec::new());
    for (number, bug) in &simulator.bugs {
        let bug_name = name(bug);
        let Some(found) = search(*number, runs, &[])? else {
            eprintln!("{bug_name}: not found in {runs} runs");
            missed.push(bug_name);
            continue;
        };
        let model = search(*number, runs.min(MODEL_RUNS), &["--model-only"])?;
        let model = model.map(|found| found.seed).unwrap_or_default();
        eprintln!("{bug_name}: seed {}", found.seed);
        _ = writeln!(
            table,
            "| [`{bug_name}`](#{bug_name}) | {} | {} | {} | {} | {model} |",
            description(bug),
            found.invariant,
            found.seed,
            found.lines()
        );
        _ = write!(histories, "\n### {bug_name}\n```text\n{}\n```\n", found.report);
    }
    let mut text = HEAD.to_owned();
    if !missed.is_empty() {
        let names: Vec<String> = missed.iter().map(|name| format!("`{name}`")).collect();
        _ = writeln!(text, "\nNo seed was found for: {}.", names.join(", "));
    }
    _ = write!(
        text,
        "\n| bug | effect | invariant | seed | lines | model |\n|---|---|---|---|---|---|\n"
    );
    _ = write!(text, "{table}\n## Histories\n{}", histories.trim_start());
    std::fs::write(tree::root().join(PAGE), text)
        .with_context(|| format!("cannot write `{PAGE}`"))?;
    println!("written to `{PAGE}`");
    let lost: Vec<&str> =
        missed.into_iter().filter(|name| before.iter().any(|line| line.name == *name)).collect();
    if !lost.is_empty() {
        println!("no longer found: {}", lost.join(", "));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_of_the_page_is_in_the_list_with_its_description() {
        let page = page().unwrap();
        let bugs = super::super::list::read(LIST).unwrap();
        let lines = read_page(&page).unwrap();
        assert!(lines.len() >= 25, "{}", lines.len());
        for line in &lines {
            assert!(bugs.iter().any(|bug| name(bug) == line.name), "{}", line.name);
            line.seed.parse::<u64>().unwrap();
        }
        for bug in &bugs {
            assert!(page.contains(&format!("`{}`", name(bug))), "{}", name(bug));
        }
    }

    #[test]
    fn a_report_is_read() {
        let output = "seeds from 1\nseed 3\n     0 s  p1 enqueue w1\nafter step 7: a turn ends once: turn_1: x\n";
        let found = Found::read(output).unwrap();
        assert_eq!((found.seed.as_str(), found.invariant.as_str()), ("3", "a turn ends once"));
        assert_eq!(found.lines(), 1);
        assert!(Found::read("seeds from 1\n").is_none());
    }
}
