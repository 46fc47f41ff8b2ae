//! What was answered to a case, natively or through a JavaScript runtime.

use super::adaptors;
use super::compare::{Actual, Mismatch};
use super::report::Failure;
use super::vectors::{Case, VectorFile};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tuckbox::{Error, Json, Path};

/// The answer to one case.
pub enum Answer {
    /// The rule of this case does not exist yet.
    Skipped,
    /// The adaptor or the core trapped: always a failure.
    Crashed(String),
    /// The outcomes by label.
    Outcomes(Vec<(String, Actual)>),
}

/// Runs every case of a file in the native core; nothing where the file has no adaptor.
pub fn native(file: &VectorFile) -> Option<Vec<Answer>> {
    let adaptor = adaptors::find(&file.name)?;
    let answer = |case: &Case| {
        let ran = catch_unwind(AssertUnwindSafe(|| adaptor(&case.input, &file.worlds)));
        match ran {
            Err(panic) => Answer::Crashed(panic_text(panic.as_ref())),
            Ok(outcomes) if outcomes.is_empty() => Answer::Skipped,
            Ok(outcomes) => Answer::Outcomes(
                outcomes
                    .into_iter()
                    .map(|outcome| {
                        let actual = outcome.actual.map_err(|error: Error| error.to_json());
                        (outcome.label.to_owned(), actual)
                    })
                    .collect(),
            ),
        }
    };
    Some(file.cases.iter().map(answer).collect())
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}

/// The outcomes that have other bytes than the native ones.
pub fn other_bytes(
    case: &Case,
    outcomes: &[(String, Actual)],
    native: &[(String, Actual)],
) -> Vec<Failure> {
    let text = |actual: &Actual| match actual {
        Ok(value) => format!("ok {value}"),
        Err(error) => format!("error {error}"),
    };
    let mut failures = Vec::new();
    for (label, actual) in outcomes {
        let twin = native.iter().find(|(named, _)| named == label);
        let expected = twin.map_or("no native outcome".to_owned(), |(_, actual)| text(actual));
        let actual = text(actual);
        if expected != actual {
            let path = Path::root();
            let mismatch = Mismatch { path, expected, actual };
            failures.push(Failure::other_bytes(case, label, mismatch));
        }
    }
    failures
}

/// One line of a JavaScript runtime, read: the case it answers and the answer under one label.
pub struct Line {
    pub file: String,
    /// Absent when the line is about the whole file.
    pub case: Option<String>,
    pub said: Said,
}

/// What a line says.
pub enum Said {
    Skipped,
    Crashed(String),
    Outcome(String, Actual),
}

impl Line {
    /// Reads `{file, case?, label, ok|error|skipped|crash}`.
    pub fn read(text: &str) -> Option<Self> {
        let json = Json::parse(text).ok()?;
        let field = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        let said = if let Some(ok) = json.get("ok") {
            Said::Outcome(field("label").unwrap_or_default(), Ok(ok.clone()))
        } else if let Some(error) = json.get("error") {
            Said::Outcome(field("label").unwrap_or_default(), Err(error.clone()))
        } else if let Some(message) = field("crash") {
            Said::Crashed(message)
        } else {
            json.get("skipped")?;
            Said::Skipped
        };
        Some(Self { file: field("file")?, case: field("case"), said })
    }
}
