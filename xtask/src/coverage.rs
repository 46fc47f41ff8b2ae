//! `cargo xtask coverage`: which lines of the core the native tests, the examples of its pages and the
//! recorded cases run.

use crate::process::{Program, timed};
use crate::{cargo, tree};
use anyhow::{Context, Result, bail};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tuckbox::Json;

/// Print how many lines of the core the native tests run, file by file.
#[derive(Parser)]
pub struct Args {
    /// Fail below this many percent of all lines
    #[arg(long, value_name = "PERCENT", default_value_t = 95.0)]
    pub least: f64,
    /// Show only files below this many percent
    #[arg(long, value_name = "PERCENT", default_value_t = 100.0)]
    pub below: f64,
}

const REMEDY: &str = "run `rustup component add llvm-tools`, or put `llvm-profdata` and `llvm-cov` \
                      of the compiler's LLVM version on the path";

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (profdata, cov) = (tool("llvm-profdata")?, tool("llvm-cov")?);
    let dir = cargo::scratch("coverage")?;
    let profiles = dir.join("profiles");
    if profiles.is_dir() {
        std::fs::remove_dir_all(&profiles)?;
    }
    let instrumented = |mut command: Command| {
        // fewer cases of each law: counting at every branch makes them slower, and the millionth case
        // runs no new line
        command
            .env("CARGO_TARGET_DIR", dir.join("target"))
            .env("TUCKBOX_CASES", "3000")
            .env("RUSTFLAGS", "-C instrument-coverage")
            .env("RUSTDOCFLAGS", "-C instrument-coverage")
            .env("LLVM_PROFILE_FILE", profiles.join("%p-%m.profraw"));
        command
    };
    let mut programs = Vec::new();
    for (what, words) in [
        ("the tests", &["test", "--package", "tuckbox", "--lib", "--tests", "--no-fail-fast"][..]),
        ("the examples of the pages", &["test", "--package", "tuckbox", "--doc"]),
        ("the commands", &["build", "--package", "xtask"]),
    ] {
        let mut command = cargo::cargo([]);
        command.args(words).args(["--profile", "laws", "--message-format=json"]);
        let done = timed(what, || instrumented(command).output().context("cannot start cargo"))?;
        if !done.status.success() {
            bail!("{what} fail\n{}", String::from_utf8_lossy(&done.stderr));
        }
        let notes = String::from_utf8_lossy(&done.stdout);
        let notes = notes.lines().filter_map(|line| Json::parse(line).ok());
        programs
            .extend(notes.filter_map(|note| note.get("executable")?.as_str().map(str::to_owned)));
    }
    // the recorded cases, and logs of our own
    let commands = dir.join("target/laws/xtask").with_extension(std::env::consts::EXE_EXTENSION);
    for cases in ["tests/vectors", "tests/imports"] {
        let mut conform = Command::new(&commands);
        conform.args(["conform", cases]).current_dir(tree::root());
        Program::new(instrumented(conform), REMEDY).succeed("`cargo xtask conform`")?;
    }

    let merged = dir.join("all.profdata");
    let mut merge = Command::new(&profdata);
    merge.args(["merge", "--sparse", "-o"]).arg(&merged);
    merge.args(tree::files_below(&profiles, &[])?);
    Program::new(merge, REMEDY).succeed("`llvm-profdata merge`")?;
    let mut export = Command::new(&cov);
    export.args(["export", "--summary-only", "--instr-profile"]).arg(&merged);
    export.args(["--ignore-filename-regex", "(registry|rustc|tests?|xtask)[/.]"]);
    for program in &programs {
        export.arg("--object").arg(program);
    }
    let printed = Program::new(export, REMEDY).succeed("`llvm-cov export`")?;
    // warnings stand before it
    let report = printed.lines().find(|line| line.starts_with('{'));
    let report = Json::parse(report.context("`llvm-cov` printed no report")?)?;
    let covered = print(&report, args.below)?;
    Ok(if covered >= args.least { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the lines of each file, and gives the percent of all.
fn print(report: &Json, below: f64) -> Result<f64> {
    let data = report.get("data").and_then(Json::as_array).and_then(<[Json]>::first);
    let data = data.context("`llvm-cov` printed no data")?;
    let number = |of: &Json, key: &str| {
        let lines = of.get("summary").unwrap_or(of).get("lines").or_else(|| of.get("lines"));
        lines.and_then(|lines| lines.get(key)).map_or(0.0, |value| match value {
            Json::Number(number) => number.as_f64(),
            _ => 0.0,
        })
    };
    for file in data.get("files").and_then(Json::as_array).unwrap_or_default() {
        let percent = number(file, "percent");
        if percent < below {
            let name = file.get("filename").and_then(Json::as_str).unwrap_or("?");
            println!("{percent:>6.1} % {}", tree::shown(Path::new(name)));
        }
    }
    let totals = data.get("totals").context("`llvm-cov` printed no totals")?;
    let (count, covered) = (number(totals, "count"), number(totals, "covered"));
    let percent = if count > 0.0 { covered * 100.0 / count } else { 0.0 };
    println!("{percent:>6.1} % of {count} lines of the core");
    Ok(percent)
}

/// A tool of the compiler's LLVM: that of rustup, which is installed where it is missing, or one on
/// the path where rustup is not there.
fn tool(name: &str) -> Result<PathBuf> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir"]).current_dir(tree::root());
    let lib = Program::new(rustc, REMEDY).succeed("`rustc --print target-libdir`")?;
    let own = Path::new(lib.trim()).with_file_name("bin").join(name);
    if !own.is_file() {
        let mut rustup = Command::new("rustup");
        rustup.args(["component", "add", "llvm-tools"]).current_dir(tree::root());
        // without rustup the path has the last word
        let _ = Program::new(rustup, REMEDY).succeed("`rustup component add llvm-tools`");
    }
    if own.is_file() {
        return Ok(own);
    }
    let on_path = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>())
        .map(|dir| dir.join(name))
        .find(|file| file.is_file());
    on_path.with_context(|| format!("`{name}` is not there; {REMEDY}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_percent_is_that_of_all_lines() {
        let report = Json::parse(
            r#"{"data": [{"files": [{"filename": "a.rs", "summary": {"lines": {"count": 4, "covered": 1, "percent": 25}}}],
                "totals": {"lines": {"count": 8, "covered": 6, "percent": 75}}}]}"#,
        );
        assert_eq!(print(&report.unwrap(), 100.0).unwrap(), 75.0);
        assert!(print(&Json::Null, 100.0).is_err());
    }
}
