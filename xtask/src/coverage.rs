//! `cargo xtask coverage`: the lines of the core that native tests, documentation examples and
//! recorded cases cover, and the branches of the package that tests in Node cover.
//!
//! `cargo-llvm-cov` measures documentation examples only with a nightly compiler.

mod javascript;

use crate::process::{Program, timed};
use crate::{cargo, tree};
use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tuckbox::Json;

/// Print how many lines of the core and branches of the package the tests cover, and which they do
/// not.
///
/// Counts every code line of `src/` once, without unit tests. A line is covered if unit tests,
/// property tests, documentation examples or recorded cases run it. JavaScript tests run the core
/// as WebAssembly and do not count.
///
/// Counts the branches of the JavaScript in `pkg/`, as V8 does. A branch is covered if the tests of
/// the package, the stores or the engine run it in Node.
#[derive(Parser)]
pub struct Args {
    /// Measure only this part
    #[arg(long, value_enum)]
    pub only: Option<Part>,
    /// Fail below this percentage of all lines of the core
    #[arg(long, value_name = "PERCENT", default_value_t = 95.0)]
    pub least: f64,
    /// Fail below this percentage of all branches of the package
    #[arg(long, value_name = "PERCENT", default_value_t = 90.0)]
    pub least_branches: f64,
    /// Number of files to show, those with most uncovered lines first
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub files: usize,
    /// Copy a program into this folder, then run it. rustdoc calls this to keep its compiled
    /// examples
    #[arg(long, value_name = "FOLDER", hide = true, requires = "program")]
    pub keep: Option<PathBuf>,
    /// The program and its arguments
    #[arg(hide = true, requires = "keep", trailing_var_arg = true, allow_hyphen_values = true)]
    pub program: Vec<OsString>,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    Core,
    Javascript,
}

const REMEDY: &str = "run `rustup component add llvm-tools`, or put `llvm-profdata` and `llvm-cov` \
                      of the compiler's LLVM version on the path";

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    if let (Some(folder), [program, given @ ..]) = (&args.keep, &args.program[..]) {
        return keep(folder, Path::new(program), given);
    }
    let mut is_enough = true;
    if args.only != Some(Part::Javascript) {
        is_enough &= measure(args.files)? >= args.least;
    }
    if args.only != Some(Part::Core) {
        is_enough &= javascript::measure(args.files)? >= args.least_branches;
    }
    Ok(if is_enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the native tests, prints the files with most uncovered lines, and returns the percentage of
/// all lines.
fn measure(max: usize) -> Result<f64> {
    let (profdata, cov) = (tool("llvm-profdata")?, tool("llvm-cov")?);
    let dir = cargo::scratch("coverage")?;
    let (profiles, examples) = (dir.join("profiles"), dir.join("examples"));
    for old in [&profiles, &examples] {
        if old.is_dir() {
            std::fs::remove_dir_all(old)?;
        }
    }
    // only the examples contain generic code and code that is inlined into callers; rustdoc runs
    // them through this program, which keeps them
    let this = std::env::current_exe()?;
    let mut documented = OsString::from("-Cinstrument-coverage\u{1f}--test-runtool\u{1f}");
    documented.push(&this);
    for word in ["coverage", "--keep"].map(OsStr::new).into_iter().chain([examples.as_os_str()]) {
        documented.push("\u{1f}--test-runtool-arg\u{1f}");
        documented.push(word);
    }
    let instrumented = |mut command: Command| {
        // fewer cases of each property: coverage makes them slower, and more cases cover no new
        // line
        command
            .env("CARGO_TARGET_DIR", dir.join("target"))
            .env("TUCKBOX_CASES", "3000")
            .env("RUSTFLAGS", "-C instrument-coverage")
            .env("CARGO_ENCODED_RUSTDOCFLAGS", &documented)
            .env("LLVM_PROFILE_FILE", profiles.join("%p-%m.profraw"));
        command
    };
    let mut programs: Vec<PathBuf> = Vec::new();
    for (what, words) in [
        ("the tests", &["test", "--package", "tuckbox", "--lib", "--tests", "--no-fail-fast"][..]),
        ("the documentation examples", &["test", "--package", "tuckbox", "--doc"]),
        ("the commands", &["build", "--package", "xtask"]),
    ] {
        let mut command = cargo::cargo([]);
        command.args(words).args(["--profile", "properties", "--message-format=json"]);
        let done = timed(what, || instrumented(command).output().context("cannot start cargo"))?;
        let notes = String::from_utf8_lossy(&done.stdout);
        if !done.status.success() {
            let is_message = |line: &&str| !line.starts_with('{') && !line.ends_with(" ... ok");
            let messages = notes.lines().filter(is_message).collect::<Vec<_>>();
            bail!(
                "{what} failed\n{}\n{}",
                messages.join("\n"),
                String::from_utf8_lossy(&done.stderr)
            );
        }
        let notes = notes.lines().filter_map(|line| Json::parse(line).ok());
        programs.extend(notes.filter_map(|note| Some(note.get("executable")?.as_str()?.into())));
    }
    programs.extend(tree::files_below(&examples, &[])?);
    // the recorded cases, and logs of this repository
    let commands =
        dir.join("target/properties/xtask").with_extension(std::env::consts::EXE_EXTENSION);
    timed("the recorded cases", || {
        for cases in ["tests/vectors", "tests/imports"] {
            let mut conform = Command::new(&commands);
            conform.args(["conform", cases]).current_dir(tree::root());
            Program::new(instrumented(conform), REMEDY).succeed("`cargo xtask conform`")?;
        }
        Ok(())
    })?;

    let merged = dir.join("all.profdata");
    let mut merge = Command::new(&profdata);
    merge.args(["merge", "--sparse", "-o"]).arg(&merged);
    merge.args(tree::files_below(&profiles, &[])?);
    Program::new(merge, REMEDY).succeed("`llvm-profdata merge`")?;
    let mut export = Command::new(&cov);
    export.args(["export", "--format=lcov", "--instr-profile"]).arg(&merged);
    for program in &programs {
        export.arg("--object").arg(program);
    }
    export.arg("--sources").arg(tree::root().join("src"));
    let report = Program::new(export, REMEDY).succeed("`llvm-cov export`")?;
    let files = read(&report, &|name| std::fs::read_to_string(name).unwrap_or_default());
    Ok(print(&files, max))
}

/// Copies a program into a folder and runs it.
fn keep(folder: &Path, program: &Path, given: &[OsString]) -> Result<ExitCode> {
    std::fs::create_dir_all(folder)?;
    std::fs::copy(program, folder.join(std::process::id().to_string()))?;
    let done = Command::new(program).args(given).status()?;
    Ok(if done.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A file of the core: the number of its code lines, and the lines that are not covered.
struct File {
    name: String,
    lines: usize,
    not_run: Vec<usize>,
}

/// Reads the lines that `llvm-cov` counted. Unit tests do not count. They are in a folder `tests`
/// or at the end of a file.
fn read(report: &str, source: &dyn Fn(&str) -> String) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let mut end = usize::MAX;
    for line in report.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            let shown = tree::shown(Path::new(name)).replace('\\', "/");
            let is_tests = shown.contains("/tests/") || shown.ends_with("/tests.rs");
            let text = source(name);
            let tests = text.lines().position(|line| line == "mod tests {");
            end = if is_tests { 0 } else { tests.unwrap_or(usize::MAX) };
            files.push(File { name: name.to_owned(), lines: 0, not_run: Vec::new() });
        }
        let Some((number, count)) = line.strip_prefix("DA:").and_then(|line| line.split_once(','))
        else {
            continue;
        };
        let (Some(file), Ok(number)) = (files.last_mut(), number.parse::<usize>()) else {
            continue;
        };
        if number <= end {
            file.lines += 1;
            if count == "0" {
                file.not_run.push(number);
            }
        }
    }
    files
}

/// Prints the files with most uncovered lines, then the percentage of all lines. Returns the
/// percentage.
fn print(files: &[File], max: usize) -> f64 {
    let mut worst: Vec<&File> = files.iter().filter(|file| !file.not_run.is_empty()).collect();
    worst.sort_by_key(|file| std::cmp::Reverse(file.not_run.len()));
    for file in worst.iter().take(max) {
        let name = tree::shown(Path::new(&file.name));
        println!(
            "{:>5} of {:>3} not covered  {name}: {}",
            file.not_run.len(),
            file.lines,
            runs(&file.not_run)
        );
    }
    let all: usize = files.iter().map(|file| file.lines).sum();
    let not_run: usize = files.iter().map(|file| file.not_run.len()).sum();
    let percent = if all > 0 { (all - not_run) as f64 * 100.0 / all as f64 } else { 0.0 };
    println!("{percent:.1} % of {all} lines of the core are covered");
    percent
}

/// Formats numbers, with ranges as `first-last`.
fn runs(numbers: &[usize]) -> String {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match out.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            Some(_) | None => out.push((*number, *number)),
        }
    }
    let ranges = out.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    ranges.collect::<Vec<_>>().join(", ")
}

/// Returns a tool of the compiler's LLVM from rustup, which installs it if it is missing, or from
/// the path.
fn tool(name: &str) -> Result<PathBuf> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir"]).current_dir(tree::root());
    let lib = Program::new(rustc, REMEDY).succeed("`rustc --print target-libdir`")?;
    let own = Path::new(lib.trim()).with_file_name("bin").join(name);
    if !own.is_file() {
        let mut rustup = Command::new("rustup");
        rustup.args(["component", "add", "llvm-tools"]).current_dir(tree::root());
        // without rustup the tool must be on the path
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
    on_path.with_context(|| format!("`{name}` is missing; {REMEDY}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentage_ignores_lines_of_tests() {
        let report = "SF:/r/src/a.rs\nDA:1,7\nDA:2,0\nDA:3,0\nDA:5,0\nDA:9,0\nend_of_record\n\
                      SF:/r/src/b.rs\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,1\nend_of_record\n\
                      SF:/r/src/a/tests.rs\nDA:1,0\nend_of_record\n";
        let source = |name: &str| match name.ends_with("a.rs") {
            true => "a\nb\nc\nd\ne\n\n#[cfg(test)]\nmod tests {\n}".to_owned(),
            false => String::new(),
        };
        let files = read(report, &source);
        assert_eq!(runs(&files[0].not_run), "2-3, 5");
        assert_eq!(print(&files, 9), 62.5);
        assert_eq!(print(&[], 9), 0.0);
    }
}
