//! `cargo xtask mutants`: plants bugs, and checks that the tests detect each of them.
//!
//! A copy of the repository contains all mutants and is compiled once. The environment variable
//! `TUCKBOX_MUTANT` selects a mutant. The tests that the list names must fail with it.

pub mod bugs;
mod copy;
mod list;

use crate::process::{Program, seconds};
use crate::{npm, package};
use anyhow::{Context, Result, bail};
use clap::Parser;
use list::Mutant;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Plant bugs, one at a time, and check that the tests detect each of them.
#[derive(Parser)]
pub struct Args {
    /// Only mutants whose description or file contains this text
    pub only: Option<String>,
    /// List the mutants and run nothing
    #[arg(long)]
    pub list: bool,
}

const LIST: &str = include_str!("mutants.txt");

const REMEDY: &str = "the copy under the target folder could not be tested";

/// Returns all mutants: those of the tests, then the bugs of orchestration.
fn all() -> Result<Vec<Mutant>> {
    let mut all = list::read(LIST)?;
    all.extend(list::read(bugs::LIST)?);
    Ok(all)
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let all = all()?;
    let wanted = |mutant: &Mutant| args.only.as_ref().is_none_or(|text| mutant.mentions(text));
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
    if chosen.iter().any(|(_, mutant)| mutant.is_script()) {
        package::build(package::Form::Quick)?;
    }
    let copy = copy::make(&all)?;
    let needed: BTreeSet<&str> = chosen
        .iter()
        .filter(|(_, mutant)| !mutant.is_script())
        .flat_map(|(_, mutant)| mutant.tests.iter().map(|test| program_of(test)))
        .collect();
    let programs = copy::build(&copy, &needed, "dev")?;
    let mut survivors = 0;
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
    println!("{} mutants, {survivors} survived", chosen.len());
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

fn passes(
    test: &str,
    copy: &Path,
    programs: &BTreeMap<String, PathBuf>,
    number: usize,
) -> Result<bool> {
    let mut command = match test.ends_with(".mjs") {
        true => {
            npm::need_node()?;
            let mut node = Command::new("node");
            node.args(["--test", test]);
            node
        }
        false => {
            let name = program_of(test);
            let program =
                programs.get(name).with_context(|| format!("no test program `{name}`"))?;
            let mut command = Command::new(program);
            if name == SUITES {
                command.arg(format!("{test}::"));
            }
            command
        }
    };
    command.current_dir(copy).env(copy::SWITCH, number.to_string());
    // the programs are not optimized; a bug that needs a million cases needs a separate test
    command.env("TUCKBOX_CASES", "3000");
    Ok(Program::new(command, REMEDY).run()?.success)
}
