//! The recorded cases through the npm package in Node: one line of JSON an outcome.

use super::answers::{Answer, Line, Said};
use super::vectors::VectorFile;
use crate::{npm, package, tree};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

/// Runs every file through `tests/conform/node.mjs`; nothing for a file it has no adaptor for.
pub fn answers(dir: &Path, files: &[VectorFile]) -> Result<Vec<Option<Vec<Answer>>>> {
    package::build(package::Args::default())?;
    let script = tree::root().join("tests/conform/node.mjs");
    // `DIR` is the caller's: relative to where the command was started
    let dir = dir.canonicalize()?;
    let done = npm::node().arg(&script).arg(dir).stderr(Stdio::inherit()).output();
    let done = done.context("cannot start `node`")?;
    if !done.status.success() {
        bail!("`node {}` ended with {}", tree::shown(&script), done.status);
    }
    let text = String::from_utf8(done.stdout).context("Node's answers are not UTF-8")?;
    let mut by_file: BTreeMap<String, BTreeMap<String, Answer>> = BTreeMap::new();
    let mut skipped_files = Vec::new();
    for line in text.lines() {
        let line = Line::read(line)
            .with_context(|| format!("Node printed a line that is no answer: {line}"))?;
        let Some(case) = line.case else {
            skipped_files.push(line.file);
            continue;
        };
        add(by_file.entry(line.file).or_default(), case, line.said);
    }
    let of_file = |file: &VectorFile| {
        if skipped_files.contains(&file.name) {
            return None;
        }
        let mut answers = by_file.remove(&file.name).unwrap_or_default();
        let silent = || Answer::Crashed("no answer came back".into());
        let cases = file.cases.iter();
        Some(cases.map(|case| answers.remove(&case.name).unwrap_or_else(silent)).collect())
    };
    Ok(files.iter().map(of_file).collect())
}

/// Adds one line to the answers of its case. A crash outweighs whatever else was said.
fn add(answers: &mut BTreeMap<String, Answer>, case: String, said: Said) {
    let answer = answers.entry(case).or_insert(Answer::Outcomes(Vec::new()));
    match (answer, said) {
        (Answer::Crashed(_), _) => {}
        (Answer::Outcomes(outcomes), Said::Outcome(label, actual)) => {
            outcomes.push((label, actual));
        }
        (answer, Said::Outcome(label, actual)) => {
            *answer = Answer::Outcomes(vec![(label, actual)]);
        }
        (answer, Said::Crashed(message)) => *answer = Answer::Crashed(message),
        (answer, Said::Skipped) => *answer = Answer::Skipped,
    }
}
