//! `cargo xtask mutants`: bugs planted on purpose, and whether the tests notice.
//!
//! All mutants are compiled once, in a copy of the repository, each behind one switch: the
//! environment variable `TUCKBOX_MUTANT` selects one. Then the test programs named in the list run
//! under each of them, and must fail.

mod list;

use crate::process::{Program, seconds};
use crate::{cargo, npm, package, tree};
use anyhow::{Context, Result, bail};
use clap::Parser;
use list::Mutant;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;
use tuckbox::Json;

/// Plant bugs, one at a time, and see that the tests notice every one.
#[derive(Parser)]
pub struct Args {
    /// Only mutants whose description or file contains this text
    pub only: Option<String>,
    /// List the mutants and run nothing
    #[arg(long)]
    pub list: bool,
}

const LIST: &str = include_str!("mutants.txt");

/// What the copy holds of the repository.
const PARTS: [&str; 10] = [
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "src",
    "tests",
    "benches",
    "examples",
    "docs",
    "xtask",
    "pkg",
];

/// Folders that stay out of the copy, or belong to it alone.
const NOT_COPIED: [&str; 3] = ["node_modules", "target", ".cache"];

const REMEDY: &str = "the copy under the target folder could not be tested";

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let all = list::read(LIST)?;
    let wanted = |mutant: &Mutant| {
        args.only
            .as_ref()
            .is_none_or(|text| mutant.what.contains(text) || mutant.file.contains(text))
    };
    let chosen: Vec<(usize, &Mutant)> =
        all.iter().enumerate().map(|(at, m)| (at + 1, m)).filter(|(_, m)| wanted(m)).collect();
    if args.list {
        for (number, mutant) in &chosen {
            println!("{number:>3} {} ({})", mutant.what, mutant.file);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let is_script = |mutant: &Mutant| !mutant.file.ends_with(".rs");
    if chosen.iter().any(|(_, mutant)| is_script(mutant)) {
        package::build(package::Form::Quick)?;
    }
    let copy = planted(&all)?;
    let needed: BTreeSet<&str> = chosen
        .iter()
        .filter(|(_, mutant)| !is_script(mutant))
        .flat_map(|(_, mutant)| mutant.tests.iter().map(String::as_str))
        .collect();
    let programs = build(&copy, &needed)?;
    let mut survivors = Vec::new();
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
        if noticed.is_none() {
            survivors.push(*number);
        }
    }
    println!("{} mutants, {} survived", chosen.len(), survivors.len());
    Ok(if survivors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A copy of the repository with every mutant behind the switch.
fn planted(mutants: &[Mutant]) -> Result<PathBuf> {
    let root = tree::root();
    let copy = cargo::scratch("mutants")?.join("copy");
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for (at, mutant) in mutants.iter().enumerate() {
        let source = match sources.get(&mutant.file) {
            Some(source) => source.clone(),
            None => fs::read_to_string(root.join(&mutant.file))
                .with_context(|| format!("cannot read `{}`", mutant.file))?,
        };
        sources.insert(mutant.file.clone(), mutant.plant(&source, at + 1)?);
    }
    let switch = r#"
/// Whether the mutant of this number is selected.
#[doc(hidden)]
pub fn planted(number: u32) -> bool {
    static SELECTED: std::sync::OnceLock<Option<u32>> = std::sync::OnceLock::new();
    let selected = SELECTED.get_or_init(|| std::env::var("TUCKBOX_MUTANT").ok()?.parse().ok());
    *selected == Some(number)
}
"#;
    let manual = fs::read_to_string(root.join("src/lib.rs"))?;
    sources.insert("src/lib.rs".to_owned(), manual + switch);
    for part in PARTS {
        let from = root.join(part);
        let files = match from.is_dir() {
            true => tree::files_below(&from, &NOT_COPIED)?,
            false => vec![from],
        };
        let mut copied = BTreeSet::new();
        for file in files {
            let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
            let bytes = match sources.get(&name) {
                Some(text) => text.clone().into_bytes(),
                None => fs::read(&file)?,
            };
            let to = copy.join(&name);
            write_changed(&to, &bytes)?;
            copied.insert(to);
        }
        // what an earlier copy had and the repository has no more
        if copy.join(part).is_dir() {
            for old in tree::files_below(&copy.join(part), &NOT_COPIED)? {
                if !copied.contains(&old) {
                    fs::remove_file(&old)?;
                }
            }
        }
    }
    for tools in ["tests/node_modules", "pkg/node_modules"] {
        let (from, to) = (root.join(tools), copy.join(tools));
        if from.is_dir() && !to.exists() {
            link(&from, &to)?;
        }
    }
    Ok(copy)
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    std::os::unix::fs::symlink(from, to).with_context(|| format!("cannot link `{}`", to.display()))
}

#[cfg(not(unix))]
fn link(from: &Path, _: &Path) -> Result<()> {
    bail!("mutants in JavaScript need a link to `{}`, which only Unix systems make", from.display())
}

/// Writes a file unless it is the same: cargo goes by the time of a file.
fn write_changed(to: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(to).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write(to, bytes).with_context(|| format!("cannot write `{}`", to.display()))
}

/// Compiles the test programs in the copy; `lib` is that of the unit tests.
fn build(copy: &Path, needed: &BTreeSet<&str>) -> Result<BTreeMap<String, PathBuf>> {
    let mut programs = BTreeMap::new();
    if needed.is_empty() {
        return Ok(programs);
    }
    let target = cargo::scratch("mutants")?.join("target");
    let mut command = cargo::cargo(["test", "--package", "tuckbox", "--no-run"]);
    command
        .arg("--message-format=json-render-diagnostics")
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", target);
    for program in needed.iter().map(|test| program_of(test)).collect::<BTreeSet<_>>() {
        match program {
            "lib" => command.arg("--lib"),
            name => command.args(["--test", name]),
        };
    }
    let done = command.output().context("cannot start cargo")?;
    if !done.status.success() {
        bail!("the mutants do not compile\n{}", String::from_utf8_lossy(&done.stderr));
    }
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        let Ok(note) = Json::parse(line) else { continue };
        let Some(program) = note.get("executable").and_then(Json::as_str) else { continue };
        let target = note.get("target");
        let name = target.and_then(|target| target.get("name")).and_then(Json::as_str);
        let name = match name {
            Some("tuckbox") => "lib",
            Some(name) => name,
            None => continue,
        };
        programs.insert(name.to_owned(), PathBuf::from(program));
    }
    Ok(programs)
}

/// The program of all suites in `tests/`.
const SUITES: &str = "native";

/// The program that holds a test of the list.
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
    command.current_dir(copy).env("TUCKBOX_MUTANT", number.to_string());
    // not optimised, and a bug that needs a million cases to be seen is a case for a test of its own
    command.env("TUCKBOX_CASES", "3000");
    Ok(Program::new(command, REMEDY).run()?.success)
}
