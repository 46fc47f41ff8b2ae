//! Runs the recorded cases through the npm package in a JavaScript runtime, the Python package, or
//! the component. Each prints one line of JSON per outcome.

use super::adaptors;
use super::answers::{self, Answer, Line, LineContent};
use super::vectors::{Case, VectorFile};
use crate::component::Operations;
use crate::package::Form;
use crate::{cargo, chromium, component, npm, package, python, tree};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use tuckbox::Json;

/// A JavaScript runtime, Python, or the component in Node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runtime {
    Node,
    Deno,
    Bun,
    Workerd,
    Edge,
    Chromium,
    Python,
    Component,
}

impl Runtime {
    /// All runtimes, first the one that needs no installation.
    pub const ALL: [Self; 8] = [
        Self::Node,
        Self::Deno,
        Self::Bun,
        Self::Workerd,
        Self::Edge,
        Self::Chromium,
        Self::Python,
        Self::Component,
    ];

    /// Returns its name, here and in `tests/conform/run.mjs`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Deno => "deno",
            Self::Bun => "bun",
            Self::Workerd => "workerd",
            Self::Edge => "edge-runtime",
            Self::Chromium => "chromium",
            Self::Python => "python",
            Self::Component => "component",
        }
    }
}

/// Returns the lines that each of `runtimes` prints for the cases in `dir`. `scripts` are files of
/// sequences by name, as calls.
pub fn lines(runtimes: &[Runtime], dir: &Path, scripts: &[(&str, &Json)]) -> Result<Vec<String>> {
    if runtimes.iter().any(|runtime| *runtime != Runtime::Python) {
        package::build(Form::Quick)?;
    }
    // `DIR` is relative to the folder of the caller
    let dir = dir.canonicalize()?;
    let calls = cargo::scratch(&format!("calls-{}", std::process::id()))?;
    for (name, script) in scripts {
        std::fs::write(calls.join(name).with_extension("json"), script.to_string())?;
    }
    let lines = lines_for(runtimes, &dir, &calls);
    std::fs::remove_dir_all(&calls)?;
    lines
}

fn lines_for(runtimes: &[Runtime], dir: &Path, calls: &Path) -> Result<Vec<String>> {
    let commands: Vec<(Runtime, Command)> = runtimes
        .iter()
        .map(|runtime| Ok((*runtime, command(*runtime, dir, calls)?)))
        .collect::<Result<_>>()?;
    let mut waiting = commands.into_iter();
    let mut lines = Vec::new();
    // one runtime per core at a time
    let at_once = thread::available_parallelism().map_or(1, usize::from);
    loop {
        let batch: Vec<_> = waiting.by_ref().take(at_once).collect();
        if batch.is_empty() {
            return Ok(lines);
        }
        let running: Vec<_> = batch
            .into_iter()
            .map(|(runtime, command)| thread::spawn(move || lines_of(runtime, command)))
            .collect();
        for done in running {
            lines.push(done.join().unwrap_or_else(|_| bail!("the thread of a runtime panicked"))?);
        }
    }
}

/// Returns the command that runs the cases in `dir` in a runtime. Installs the runtime if it is
/// missing.
fn command(runtime: Runtime, dir: &Path, calls: &Path) -> Result<Command> {
    let mut command = npm::offline_node();
    command.arg(tree::root().join("tests/conform/run.mjs")).arg(runtime.name()).args([dir, calls]);
    match runtime {
        Runtime::Node => {}
        Runtime::Workerd => npm::install(&tree::root().join("tests/consumers"))?,
        Runtime::Deno | Runtime::Bun | Runtime::Edge => {
            npm::install(&tree::root().join("tests/consumers/deep"))?;
        }
        Runtime::Chromium => {
            command.env("CHROMIUM", &chromium::need()?.browser);
        }
        Runtime::Python => {
            command.env("PYTHON", python::built()?);
        }
        Runtime::Component => {
            command.env("COMPONENT", component::build(Form::Quick, Operations::Full)?);
        }
    }
    Ok(command)
}

fn lines_of(runtime: Runtime, mut command: Command) -> Result<String> {
    let name = runtime.name();
    let done = command.stderr(Stdio::inherit()).output().context("cannot start `node`")?;
    if !done.status.success() {
        bail!("the cases through {name} ended with {}", done.status);
    }
    String::from_utf8(done.stdout)
        .with_context(|| format!("the answers through {name} are not UTF-8"))
}

/// Reads the lines of a runtime. The result is `None` for files without an adaptor.
pub fn read(text: &str, files: &[VectorFile]) -> Result<Vec<Option<Vec<Answer>>>> {
    let mut by_file: BTreeMap<String, BTreeMap<String, Answer>> = BTreeMap::new();
    let mut skipped_files = Vec::new();
    for line in text.lines() {
        let line =
            Line::read(line).with_context(|| format!("a line is not an answer: `{line}`"))?;
        let Some(case) = line.case else {
            skipped_files.push(line.file);
            continue;
        };
        add(by_file.entry(line.file).or_default(), case, line.content);
    }
    let of_file = |file: &VectorFile| {
        if skipped_files.contains(&file.name) {
            return None;
        }
        let mut answers = by_file.remove(&file.name).unwrap_or_default();
        let silent = || Answer::Crashed("the runtime returned no answer".into());
        let player = adaptors::player(&file.name);
        let answer = |case: &Case| {
            let answer = answers.remove(&case.name).unwrap_or_else(silent);
            match player {
                Some(player) => answers::replayed(player, case, answer),
                None => answer,
            }
        };
        Some(file.cases.iter().map(answer).collect())
    };
    Ok(files.iter().map(of_file).collect())
}

/// Adds a line to the answers of its case. A crash replaces all other answers.
fn add(answers: &mut BTreeMap<String, Answer>, case: String, content: LineContent) {
    let answer = answers.entry(case).or_insert(Answer::Outcomes(Vec::new()));
    match (answer, content) {
        (Answer::Crashed(_), _) => {}
        (Answer::Outcomes(outcomes), LineContent::Outcome(label, actual)) => {
            outcomes.push((label, actual));
        }
        (answer, LineContent::Outcome(label, actual)) => {
            *answer = Answer::Outcomes(vec![(label, actual)]);
        }
        (answer, LineContent::Crashed(message)) => *answer = Answer::Crashed(message),
        (answer, LineContent::Skipped) => *answer = Answer::Skipped,
    }
}
