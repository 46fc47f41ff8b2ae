//! The last lines of a test run: failures, then the duration of each step.

use super::{Args, Finished};
use crate::process::seconds;
use std::time::Duration;

/// The maximum number of tests in a command that runs them again.
const MAX_NAMED: usize = 5;

/// Prints the summary of a run.
pub fn print(args: &Args, finished: &[Finished], took: Duration) {
    for failed in finished.iter().filter(|one| one.counts.failed > 0) {
        println!("FAILED {}: {}", failed.step.name, failed.step.title);
        for name in &failed.counts.failures {
            println!("    {name}");
        }
        println!("  run again: {}", again(args, failed));
    }
    println!("steps, the longest first:");
    let mut by_time: Vec<&Finished> = finished.iter().collect();
    by_time.sort_by_key(|one| std::cmp::Reverse(one.took));
    for Finished { step, took, counts } in by_time {
        let note = if counts.note.is_empty() { "" } else { "  " };
        let (took, passed) = (seconds(*took), counts.passed);
        println!("  {took:>12}  {:<13}{passed:>5} passed{note}{}", step.name, counts.note);
    }
    let deep: Vec<&str> =
        finished.iter().flat_map(|one| &one.counts.only_deep).map(String::as_str).collect();
    if !deep.is_empty() {
        println!("{} tests run only with --deep:", deep.len());
        for name in deep {
            println!("    {name}");
        }
    }
    println!("{} steps in {}", finished.len(), seconds(took));
    let sum = |of: fn(&Finished) -> usize| finished.iter().map(of).sum::<usize>();
    println!("{} passed, {} failed", sum(|one| one.counts.passed), sum(|one| one.counts.failed));
}

/// Returns the command that runs the failed tests again.
fn again(args: &Args, failed: &Finished) -> String {
    let mut command = "cargo xtask test".to_owned();
    if args.deep {
        command.push_str(" --deep");
    }
    command.push_str(" --only ");
    command.push_str(failed.step.name);
    if failed.step.takes_names && failed.counts.failures.len() <= MAX_NAMED {
        for name in &failed.counts.failures {
            command.push_str(" --name ");
            command.push_str(&quoted(name));
        }
    }
    command
}

/// Quotes an argument for a POSIX shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '/');
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::super::{Counts, STEPS};
    use super::*;

    fn failed(step: &str, failures: &[&str]) -> Finished {
        let step = STEPS.iter().find(|known| known.name == step).unwrap();
        let failures: Vec<String> = failures.iter().map(|name| (*name).to_owned()).collect();
        let counts = Counts { failed: 1, failures, ..Counts::default() };
        Finished { step, took: Duration::ZERO, counts }
    }

    #[test]
    fn command_runs_only_failed_tests() {
        let args = Args { deep: true, ..Args::default() };
        let one = failed("page", &["it's full", "plain"]);
        assert_eq!(
            again(&args, &one),
            "cargo xtask test --deep --only page --name 'it'\\''s full' --name plain"
        );
        let many = failed("page", &["a", "b", "c", "d", "e", "f"]);
        assert_eq!(again(&Args::default(), &many), "cargo xtask test --only page");
        let whole = failed("fmt", &["src/lib.rs"]);
        assert_eq!(again(&Args::default(), &whole), "cargo xtask test --only fmt");
    }
}
