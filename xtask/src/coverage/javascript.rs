//! The branches of the npm package that the tests of stores, engine and package run in Node.
//!
//! V8 counts the blocks of each function, and c8 reads the counts of all processes. A branch is a block
//! with a count of its own. A function that is never called has no branches, so functions are counted
//! too. The page and the processes that tests kill have no counts.

use super::runs;
use crate::package::Form;
use crate::{cargo, chromium, nats, npm, package, tree};
use anyhow::{Result, bail};
use std::path::Path;

/// The folders of tests, each with its own process group.
const TESTS: [&str; 3] = ["node", "stores", "engine"];

/// Generated files of the package.
const GENERATED: [&str; 3] =
    ["pkg/generated/**", "pkg/inspector/**", "pkg/{node_modules,binding}/**"];

/// A file of the package: the number of its branches, the lines of those that are not covered, the
/// number of its functions, and of those that are called.
#[derive(Default)]
struct File {
    name: String,
    branches: usize,
    not_run: Vec<usize>,
    functions: usize,
    called: usize,
}

/// Runs the tests, prints the files with most uncovered branches, and returns the percentage of all
/// branches.
pub fn measure(max: usize) -> Result<f64> {
    package::build(Form::Quick)?;
    npm::install(&tree::root().join("tests"))?;
    let tools = tree::root().join("tests/coverage");
    npm::install(&tools)?;
    let dir = cargo::scratch("coverage-javascript")?;
    let (profiles, report) = (dir.join("profiles"), dir.join("report"));
    for old in [&profiles, &report] {
        if old.is_dir() {
            std::fs::remove_dir_all(old)?;
        }
    }
    for folder in TESTS {
        let mut command = npm::offline_node();
        command.arg("tests/support/run.mjs").arg(folder).env("NODE_V8_COVERAGE", &profiles);
        command.envs(chromium::environment()?).env("NATS_SERVER", nats::need()?);
        let ran = npm::program(command).run()?;
        if !ran.success {
            bail!("the tests of `{folder}` failed\n{}", ran.output);
        }
    }
    let mut command = npm::offline_node();
    // the profiles of some hundred processes do not fit into the default memory at once
    command.arg(tools.join("node_modules/c8/bin/c8.js"));
    command.args(["report", "--merge-async", "--all", "--reporter=lcovonly"]);
    command.arg("--temp-directory").arg(&profiles).arg("--reports-dir").arg(&report);
    command.args(["--include", "pkg/**/*.js"]);
    for name in GENERATED {
        command.args(["--exclude", name]);
    }
    npm::program(command).succeed("`c8 report`")?;
    Ok(print(&read(&std::fs::read_to_string(report.join("lcov.info"))?), max))
}

/// Reads a report in the format of lcov: `BRDA:LINE,BLOCK,BRANCH,COUNT` is a branch, and `FNF` and
/// `FNH` are the numbers of functions.
fn read(report: &str) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for line in report.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            let name = tree::shown(Path::new(name)).replace('\\', "/");
            files.push(File { name, ..File::default() });
        }
        let (Some(file), Some((kind, value))) = (files.last_mut(), line.split_once(':')) else {
            continue;
        };
        let mut parts = value.split(',');
        let Some(number) = parts.next().and_then(|number| number.parse().ok()) else { continue };
        match kind {
            "FNF" => file.functions = number,
            "FNH" => file.called = number,
            "BRDA" => {
                file.branches += 1;
                // `-` is a block that was never reached
                if matches!(parts.next_back(), Some("0" | "-")) {
                    file.not_run.push(number);
                }
            }
            _ => {}
        }
    }
    files
}

/// Prints the files with most uncovered branches, then the percentage of all branches. Returns the
/// percentage.
fn print(files: &[File], max: usize) -> f64 {
    let mut worst: Vec<&File> = files.iter().filter(|file| !file.not_run.is_empty()).collect();
    worst.sort_by_key(|file| std::cmp::Reverse(file.not_run.len()));
    for File { name, branches, not_run, .. } in worst.iter().take(max) {
        println!("{:>5} of {branches:>3} not covered  {name}: {}", not_run.len(), runs(not_run));
    }
    let all: usize = files.iter().map(|file| file.branches).sum();
    let not_run: usize = files.iter().map(|file| file.not_run.len()).sum();
    let percent = if all > 0 { (all - not_run) as f64 * 100.0 / all as f64 } else { 0.0 };
    let functions: usize = files.iter().map(|file| file.functions).sum();
    let called: usize = files.iter().map(|file| file.called).sum();
    println!(
        "{percent:.1} % of {all} branches of the package are covered, {called} of {functions} functions \
         are called"
    );
    percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_counted_by_file() {
        let report = "SF:/r/pkg/a.js\nDA:1,1\nBRDA:1,0,0,4\nBRDA:3,1,0,0\nBRDA:9,2,0,-\nFNF:5\nFNH:4\nend_of_record\n\
                      SF:/r/pkg/b.js\nBRDA:2,0,0,1\nend_of_record\n";
        let files = read(report);
        assert_eq!((files[0].branches, runs(&files[0].not_run)), (3, "3, 9".to_owned()));
        assert_eq!((files[0].functions, files[0].called, files[1].called), (5, 4, 0));
        assert_eq!(print(&files, 9), 50.0);
        assert_eq!(print(&[], 9), 0.0);
    }
}
