//! The output of test programs: kept in a file, counted, and shown when something failed.

use super::{Args, Counts};
use crate::cargo;
use crate::process::Program;
use anyhow::{Context, Result};

/// How many lines of a failed program are shown; the rest is in its log.
const SHOWN: usize = 120;

/// Runs a program that tests something and counts what its output says.
pub fn counted(
    args: &Args,
    name: &str,
    program: Program,
    count: fn(&str) -> Counts,
) -> Result<Counts> {
    let ran = program.stream(args.verbose).run()?;
    let log = cargo::scratch("logs")?.join(format!("{name}.log"));
    std::fs::write(&log, &ran.output)
        .with_context(|| format!("cannot write `{}`", log.display()))?;
    let mut counts = count(&ran.output);
    if !ran.success && counts.failed == 0 {
        // it did not come as far as a result: a compile error, a crash, a missing file
        counts.failed = 1;
    }
    if counts.failed > 0 && !args.verbose {
        let lines: Vec<&str> = ran.output.lines().collect();
        let cut = lines.len().saturating_sub(SHOWN);
        for line in lines.iter().skip(cut) {
            eprintln!("      {line}");
        }
        if cut > 0 {
            eprintln!("      ({cut} more lines in `{}`)", log.display());
        }
    }
    Ok(counts)
}

/// Counts what `cargo test` and wasm-bindgen's runner say: `test result: ok. 3 passed; 0 failed;
/// 1 ignored; ...`, once a test program.
pub fn count_cargo(output: &str) -> Counts {
    let mut counts = Counts::default();
    let mut ignored = 0;
    for line in output.lines().filter(|line| line.trim_start().starts_with("test result: ")) {
        counts.passed += number_before(line, "passed");
        counts.failed += number_before(line, "failed");
        ignored += number_before(line, "ignored");
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

/// Counts what `node --test` says at its end: `# pass 3`, `# fail 0`, `# skipped 1`.
pub fn count_node(output: &str) -> Counts {
    let number = |word: &str| {
        let of_line = |line: &str| {
            let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
            rest.strip_prefix(word)?.trim().parse::<usize>().ok()
        };
        output.lines().rev().find_map(of_line).unwrap_or(0)
    };
    let skipped = number("skipped ") + number("todo ");
    let note = if skipped > 0 { format!("{skipped} skipped") } else { String::new() };
    Counts { passed: number("pass "), failed: number("fail ") + number("cancelled "), note }
}

/// The same, and names what tests leave out of a quick run.
pub fn count_quick(output: &str) -> Counts {
    let mut counts = count_node(output);
    let mut left: Vec<&str> = output.lines().filter_map(left_out).collect();
    left.sort_unstable();
    left.dedup();
    if !left.is_empty() {
        counts.note = format!("{}, in --quick: {}", counts.note, left.join("; "));
    }
    counts
}

/// The name in `﹣ the name (0.1ms) # not in a quick run`.
fn left_out(line: &str) -> Option<&str> {
    let told = line.trim().strip_prefix("﹣ ")?.strip_suffix(" # not in a quick run")?;
    Some(told.rsplit_once(" (")?.0)
}

/// A program without counts: it succeeds or fails as a whole.
pub fn count_one(_output: &str) -> Counts {
    Counts::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_test_programs_are_summed() {
        let output = "test a ... ok\n\
            test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
            test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.01s\n";
        let counts = count_cargo(output);
        assert_eq!((counts.passed, counts.failed), (15, 2));
        assert_eq!(counts.note, "1 ignored");
    }

    #[test]
    fn what_a_quick_run_leaves_out_is_named_once() {
        let line = "﹣ every part (the core too) stands alone (0.1ms) # not in a quick run\n";
        let output =
            format!("{line}﹣ no pipes here (0.2ms) # SKIP\n{line}ℹ pass 3\nℹ skipped 2\n");
        let note = "2 skipped, in --quick: every part (the core too) stands alone";
        assert_eq!(count_quick(&output).note, note);
    }

    #[test]
    fn both_reporters_of_node_are_read() {
        for sign in ["#", "ℹ"] {
            let output = format!(
                "ok 1\n{sign} tests 6\n{sign} pass 3\n{sign} fail 1\n{sign} cancelled 1\n{sign} skipped 1\n{sign} todo 0\n"
            );
            let counts = count_node(&output);
            assert_eq!((counts.passed, counts.failed), (3, 2));
            assert_eq!(counts.note, "1 skipped");
        }
    }
}
