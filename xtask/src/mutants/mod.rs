//! `cargo xtask mutants`: plants bugs, and checks that the tests detect each of them.
//!
//! A copy of the repository contains all mutants and is compiled once. The environment variable
//! `TUCKBOX_MUTANT` selects a mutant. The tests that the list names must fail with it. `cargo-mutants`
//! compiles each mutant separately, and does not read JavaScript.

pub mod bugs;
mod copy;
mod list;

use crate::process::{Program, seconds};
use crate::{cargo, chromium, nats, npm, package, tree};
use anyhow::{Context, Result, bail};
use clap::Parser;
use list::Mutant;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;
use tuckbox::Json;

/// Plant bugs, one at a time, and check that the tests detect each of them.
#[derive(Parser)]
pub struct Args {
    /// Only mutants whose description or file contains this text
    pub only: Option<String>,
    /// Only bugs in the JavaScript
    #[arg(long)]
    pub javascript: bool,
    /// List the mutants and run nothing
    #[arg(long)]
    pub list: bool,
}

const LIST: &str = include_str!("mutants.txt");

/// The bugs in the JavaScript.
const JAVASCRIPT: &str = include_str!("javascript.txt");

const REMEDY: &str = "the copy under the target folder could not be tested";

/// Returns all mutants: those of the tests, the bugs of orchestration, and those in the JavaScript.
fn all() -> Result<Vec<Mutant>> {
    let mut all = list::read(LIST)?;
    all.extend(list::read(bugs::LIST)?);
    all.extend(list::read(JAVASCRIPT)?);
    Ok(all)
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let all = all()?;
    let wanted = |mutant: &Mutant| {
        args.only.as_ref().is_none_or(|text| mutant.mentions(text))
            && (!args.javascript || mutant.is_script())
    };
    let numbered = all.iter().enumerate().map(|(at, mutant)| (at + 1, mutant));
    let chosen: Vec<(usize, &Mutant)> = numbered.filter(|(_, mutant)| wanted(mutant)).collect();
    if args.list {
        for (number, mutant) in &chosen {
            println!("{number:>3} {} ({})", mutant.what, mutant.files().join(", "));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (planted, chosen): (Vec<_>, Vec<_>) =
        chosen.into_iter().partition(|(_, mutant)| mutant.tests == [bugs::PROGRAM]);
    let (scripts, chosen): (Vec<_>, Vec<_>) =
        chosen.into_iter().partition(|(_, mutant)| mutant.is_script());
    if !scripts.is_empty() {
        package::build(package::Form::Quick)?;
        npm::install(&tree::root().join("tests"))?;
    }
    let copy = copy::make(&all)?;
    let mut survivors = usize::from(!scripts.is_empty() && !notices_scripts(&copy, &scripts)?);
    let needed: BTreeSet<&str> = chosen
        .iter()
        .flat_map(|(_, mutant)| mutant.tests.iter().map(|test| program_of(test)))
        .collect();
    let programs = copy::build(&copy, &needed, "dev")?;
    let mut checked: BTreeSet<&str> = BTreeSet::new();
    for (number, mutant) in &chosen {
        let begun = Instant::now();
        let mut noticed = None;
        for test in &mutant.tests {
            if checked.insert(test) && !passes(test, &copy, &programs, 0)? {
                bail!("`{test}` fails without any mutant");
            }
            if noticed.is_none() && !passes(test, &copy, &programs, *number)? {
                noticed = Some(test);
            }
        }
        let verdict = noticed.map_or("SURVIVED".to_owned(), |test| format!("noticed by {test}"));
        println!("{number:>3} {}: {verdict} ({})", mutant.what, seconds(begun.elapsed()));
        survivors += usize::from(noticed.is_none());
    }
    if !chosen.is_empty() {
        println!("{} mutants, {survivors} survived", chosen.len());
    }
    if !planted.is_empty() {
        let names: Vec<&str> = planted.iter().map(|(_, mutant)| bugs::name(mutant)).collect();
        let wrong = bugs::check(Some(&names))?;
        println!("{} bugs of orchestration, {} problems", names.len(), wrong.len());
        wrong.iter().for_each(|line| println!("    {line}"));
        survivors += wrong.len();
    }
    Ok(if survivors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The program of all suites in `tests/native`.
const SUITES: &str = "native";

/// Returns the program that contains a test of the list.
fn program_of(test: &str) -> &str {
    match test {
        "lib" | "fuzz" => test,
        _ => SUITES,
    }
}

/// Runs the tests in JavaScript under their mutants, and returns true if all are noticed.
fn notices_scripts(copy: &Path, mutants: &[(usize, &Mutant)]) -> Result<bool> {
    let list: Vec<Json> = mutants
        .iter()
        .map(|(number, mutant)| {
            let tests = mutant.tests.iter().map(|test| Json::from(test.as_str())).collect();
            let members = [
                ("number".into(), Json::from(*number)),
                ("what".into(), Json::from(mutant.what.as_str())),
                ("tests".into(), Json::Array(tests)),
            ];
            Json::Object(members.into_iter().collect())
        })
        .collect();
    let file = cargo::scratch("mutants")?.join("javascript.json");
    std::fs::write(&file, Json::Array(list).to_string())?;
    let mut command = npm::offline_node();
    command.arg("tests/support/mutants.mjs").arg(&file).current_dir(copy);
    command.envs(chromium::environment()?).env("NATS_SERVER", nats::need()?);
    Ok(command.status().context("cannot start node")?.success())
}

fn passes(
    test: &str,
    copy: &Path,
    programs: &BTreeMap<String, PathBuf>,
    number: usize,
) -> Result<bool> {
    let name = program_of(test);
    let program = programs.get(name).with_context(|| format!("no test program `{name}`"))?;
    let mut command = Command::new(program);
    if name == SUITES {
        command.arg(format!("{test}::"));
    }
    command.current_dir(copy).env(copy::SWITCH, number.to_string());
    // the programs are not optimized; a bug that needs a million cases needs a separate test
    command.env("TUCKBOX_CASES", "3000");
    Ok(Program::new(command, REMEDY).run()?.success)
}
