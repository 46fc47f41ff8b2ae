//! The output of test programs: kept in a file, counted, and shown when something failed.

use super::{Args, Counts};
use crate::cargo;
use crate::process::Program;
use anyhow::{Context, Result};

/// The number of lines of a failed program that are shown. Its log has all.
const MAX_SHOWN: usize = 120;

/// The kinds of programs whose output is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// `cargo test`, and wasm-bindgen's runner.
    Cargo,
    /// `node --test` with the reporter `spec`.
    Node,
    /// `python -m unittest -v`.
    Python,
    /// A program without counts: it succeeds or fails as a whole.
    Whole,
}

/// Runs a test program and counts its results.
pub fn counted(args: &Args, log: &str, program: Program, runner: Runner) -> Result<Counts> {
    let ran = program.stream(args.verbose).counting(runner.ends_test()).run()?;
    let log = cargo::scratch("logs")?.join(format!("{log}.log"));
    std::fs::write(&log, &ran.output)
        .with_context(|| format!("cannot write `{}`", log.display()))?;
    let mut counts = runner.count(&ran.output);
    if !ran.success && counts.failed == 0 {
        // it ended before a result: a compile error, a crash, a missing file
        counts.failed = 1;
    }
    if ran.success && runner == Runner::Whole {
        counts.passed = 1;
    }
    if counts.failed > 0 && !args.verbose {
        let lines: Vec<&str> = ran.output.lines().collect();
        let cut = lines.len().saturating_sub(MAX_SHOWN);
        for line in lines.iter().skip(cut) {
            eprintln!("      {line}");
        }
        if cut > 0 {
            eprintln!("      ({cut} more lines in `{}`)", log.display());
        }
    }
    Ok(counts)
}

impl Runner {
    /// Returns a function that detects the line that ends a test.
    fn ends_test(self) -> fn(&str) -> bool {
        match self {
            Self::Cargo => |line| line.starts_with("test ") && !line.starts_with("test result"),
            Self::Node => |line| line.trim_start().starts_with(['✔', '✖']),
            Self::Python => |line| result_of(line).is_some(),
            Self::Whole => |_| false,
        }
    }

    fn count(self, output: &str) -> Counts {
        match self {
            Self::Cargo => count_cargo(output),
            Self::Node => count_node(output),
            Self::Python => count_python(output),
            Self::Whole => Counts::default(),
        }
    }
}

/// Counts the lines `test result: ok. 3 passed; 0 failed; 1 ignored; ...`, one per test program.
fn count_cargo(output: &str) -> Counts {
    let mut counts = Counts::default();
    let mut ignored = 0;
    for line in output.lines().map(str::trim_start) {
        if line.starts_with("test result: ") {
            counts.passed += number_before(line, "passed");
            counts.failed += number_before(line, "failed");
            ignored += number_before(line, "ignored");
        } else if let Some(rest) = line.strip_prefix("test ")
            && let Some(name) = rest.strip_suffix(" ... FAILED")
        {
            counts.failures.push(name.to_owned());
        }
    }
    if ignored > 0 {
        counts.note = format!("{ignored} ignored");
    }
    counts
}

fn number_before(line: &str, word: &str) -> usize {
    let mut before = 0;
    for part in line.split([' ', ';', '.']).filter(|part| !part.is_empty()) {
        if part == word {
            return before;
        }
        before = part.parse().unwrap_or(0);
    }
    0
}

/// The reason with which a test is skipped that runs only with `--deep`.
const DEEP: &str = "deep: ";

/// Counts the last lines of `node --test`: `ℹ pass 3`, `ℹ fail 0`, `ℹ skipped 1`.
fn count_node(output: &str) -> Counts {
    let number = |word: &str| {
        let of_line = |line: &str| {
            let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
            rest.strip_prefix(word)?.trim().parse::<usize>().ok()
        };
        output.lines().rev().find_map(of_line).unwrap_or(0)
    };
    let mut counts = Counts {
        passed: number("pass "),
        failed: number("fail ") + number("cancelled "),
        ..Counts::default()
    };
    // the suites around a line, and whether one of their tests failed
    let mut open: Vec<(&str, bool)> = Vec::new();
    for line in output.lines().map(str::trim) {
        if let Some(suite) = line.strip_prefix("▶ ") {
            open.push((suite, false));
        } else if let Some((name, failed)) = ended(line) {
            let suite = open.pop_if(|(suite, _)| *suite == name);
            if failed && !suite.is_some_and(|(_, has_failed_test)| has_failed_test) {
                counts.failures.push(name.to_owned());
            }
            if failed && let Some(around) = open.last_mut() {
                around.1 = true;
            }
        } else if let Some((name, reason)) = skipped(line)
            && reason.starts_with(DEEP)
        {
            counts.only_deep.push(format!("{name} ({reason})"));
        }
    }
    // the reporter repeats failures at its end
    counts.failures.sort_unstable();
    counts.failures.dedup();
    counts.only_deep.sort_unstable();
    counts.only_deep.dedup();
    let others = (number("skipped ") + number("todo ")).saturating_sub(counts.only_deep.len());
    if others > 0 {
        counts.note = format!("{others} skipped");
    }
    counts
}

/// Counts the lines `test_name (module.Class.test_name) ... ok` of `python -m unittest -v`. A test
/// with a comment prints its result in the next line, and so does a test that logs.
fn count_python(output: &str) -> Counts {
    let mut counts = Counts::default();
    let (mut name, mut is_open) = ("", false);
    for line in output.lines() {
        if line.starts_with("test_") {
            name = line.split(' ').next().unwrap_or_default();
            is_open = true;
        }
        let result = result_of(line).or_else(|| line_is_result(line).filter(|_| is_open));
        is_open &= result.is_none();
        match result {
            Some("ok") => counts.passed += 1,
            Some("FAIL" | "ERROR") => {
                counts.failed += 1;
                counts.failures.push(name.to_owned());
            }
            Some(skipped) => {
                let reason = skipped.trim_start_matches("skipped ").trim_matches(['\'', '"']);
                if reason.starts_with(DEEP) {
                    counts.only_deep.push(format!("{name} ({reason})"));
                }
            }
            None => {}
        }
    }
    counts
}

/// Returns the result in a line of `python -m unittest -v`.
fn result_of(line: &str) -> Option<&str> {
    line_is_result(line.rsplit_once(" ... ")?.1)
}

fn line_is_result(line: &str) -> Option<&str> {
    let is_result = matches!(line, "ok" | "FAIL" | "ERROR") || line.starts_with("skipped ");
    is_result.then_some(line)
}

/// Returns the name in `✔ the name (0.1ms)` or `✖ the name (0.1ms)`, and whether it failed.
fn ended(line: &str) -> Option<(&str, bool)> {
    let failed = line.strip_prefix("✖ ");
    let name = failed.or_else(|| line.strip_prefix("✔ "))?.rsplit_once(" (")?.0;
    Some((name, failed.is_some()))
}

/// Returns the name and the reason in `﹣ the name (0.1ms) # the reason`.
fn skipped(line: &str) -> Option<(&str, &str)> {
    let (test, reason) = line.strip_prefix("﹣ ")?.rsplit_once(" # ")?;
    Some((test.rsplit_once(" (")?.0, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_test_programs_are_summed() {
        let output = "test a ... ok\n\
            test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
            test some::b ... FAILED\n\
            test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.01s\n";
        let counts = count_cargo(output);
        assert_eq!((counts.passed, counts.failed), (15, 2));
        assert_eq!(counts.failures, ["some::b"]);
        assert_eq!(counts.note, "1 ignored");
    }

    #[test]
    fn tests_that_run_only_with_deep_are_named_once() {
        let line =
            "﹣ every part (the core too) loads alone (0.1ms) # deep: needs the shipped build\n";
        let output =
            format!("{line}﹣ no pipes here (0.2ms) # SKIP\n{line}ℹ pass 3\nℹ skipped 2\n");
        let counts = count_node(&output);
        assert_eq!(counts.note, "1 skipped");
        assert_eq!(
            counts.only_deep,
            ["every part (the core too) loads alone (deep: needs the shipped build)"]
        );
    }

    #[test]
    fn a_suite_fails_by_its_tests_or_by_itself() {
        let output = "▶ file\n  ✖ a test (1ms)\n  ▶ part\n    ✔ another (1ms)\n  ✔ part (1ms)\n✖ file (2ms)\n\
            ✖ no file (3ms)\n▶ late\n  ✔ a third (1ms)\n✖ late (4ms)\nℹ fail 1\n\
            ✖ failing tests:\n✖ a test (1ms)\n";
        let counts = count_node(output);
        assert_eq!(counts.failures, ["a test", "late", "no file"]);
    }

    #[test]
    fn results_of_unittest_are_counted() {
        let output = "test_a (test_x.Some.test_a) ... ok\n\
            test_b (test_x.Some.test_b)\nA comment. ... FAIL\n\
            test_c (test_x.Some.test_c) ... skipped 'deep: needs a wheel'\n\
            test_d (test_x.Some.test_d) ... Executing <Task> took 0.3 seconds\nok\nok\n";
        let counts = count_python(output);
        assert_eq!((counts.passed, counts.failed), (2, 1));
        assert_eq!(counts.failures, ["test_b"]);
        assert_eq!(counts.only_deep, ["test_c (deep: needs a wheel)"]);
    }

    #[test]
    fn both_reporters_of_node_are_read() {
        for mark in ["#", "ℹ"] {
            let output = format!(
                "  ✖ it fails (3.2ms)\n{mark} tests 6\n{mark} pass 3\n{mark} fail 1\n{mark} cancelled 1\n{mark} skipped 1\n{mark} todo 0\n✖ it fails (3.2ms)\n"
            );
            let counts = count_node(&output);
            assert_eq!((counts.passed, counts.failed), (3, 2));
            assert_eq!(counts.failures, ["it fails"]);
            assert_eq!(counts.note, "1 skipped");
        }
    }
}
