//! A verdict as findings at lines of the lockfile: workflow commands of GitHub, and SARIF.

use super::report::{Place, line, names};
use super::verdict::{LockStatus, LockVerdict};
use crate::value::json::{Json, to_json};
use serde::Serialize;

/// The maximum number of annotations: GitHub shows 10 for a step.
const MAX_ANNOTATIONS: usize = 10;

/// A finding at a line of the lockfile.
struct Found {
    level: &'static str,
    /// The kind of the finding: that of a change, or of another reason.
    rule: String,
    line: usize,
    text: String,
}

/// Returns the findings of a verdict, errors first.
fn findings(verdict: &LockVerdict, place: &Place<'_>) -> Vec<Found> {
    let line_of = |name: Option<&String>| {
        let start = name.map(|name| format!("entry {}", Json::from(name.as_str())));
        let at = start.and_then(|start| place.lock.lines().position(|line| line == start));
        at.map_or(1, |at| at + 1)
    };
    let mut found = Vec::new();
    let mut push = |level, rule: &str, name: Option<&String>, text: String| {
        found.push(Found { level, rule: rule.to_owned(), line: line_of(name), text });
    };
    for error in &verdict.errors {
        let text = format!("{}: {}", error.name, error.message);
        push("error", "not_built", Some(&error.name), text);
    }
    for failure in &verdict.failures {
        let text = format!("{}: {}: {}", failure.name, failure.assertion, failure.message);
        push("error", "assertion", Some(&failure.name), text);
    }
    for group in &verdict.groups {
        let rule = word(&group.change);
        push("warning", &rule, group.entries.first(), group.title.clone());
    }
    for (rule, kind, listed) in [
        ("not_in_lockfile", "not in the lockfile", &verdict.added),
        ("only_in_lockfile", "only in the lockfile", &verdict.removed),
    ] {
        if !listed.is_empty() {
            push("warning", rule, listed.first(), format!("{kind}: {}", names(listed)));
        }
    }
    for slot in &verdict.unmatched {
        let text = format!("{}: no slot matches the declared `{}`", slot.name, slot.slot);
        push("warning", "volatile_unmatched", Some(&slot.name), text);
    }
    found
}

/// Returns the name of a variant in JSON.
fn word(value: &impl Serialize) -> String {
    let json = to_json(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}

/// Escapes text for a workflow command.
fn command(text: &str) -> String {
    line(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    command(text).replace(':', "%3A").replace(',', "%2C")
}

pub(super) fn annotations(verdict: &LockVerdict, place: &Place<'_>) -> String {
    let mut out = String::new();
    for Found { level, line, text, .. } in findings(verdict, place).iter().take(MAX_ANNOTATIONS) {
        let (file, text) = (property(place.file), command(text));
        out.push_str(&format!("::{level} file={file},line={line},title=Context::{text}\n"));
    }
    out
}

/// Returns a path as a URI reference.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

pub(super) fn sarif(verdict: &LockVerdict, place: &Place<'_>) -> String {
    let found = findings(verdict, place);
    let mut ids: Vec<&str> = found.iter().map(|found| found.rule.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Json = ids.iter().map(|id| Json::from([("id", *id)])).collect();
    let file = Json::from([("uri", uri(place.file).as_str())]);
    let result = |found: &Found| {
        let region = Json::from([("startLine", Json::from(found.line))]);
        let physical = Json::from([("artifactLocation", file.clone()), ("region", region)]);
        let location = Json::from([("physicalLocation", physical)]);
        Json::from([
            ("ruleId", Json::from(found.rule.as_str())),
            ("level", Json::from(found.level)),
            ("message", Json::from([("text", line(&found.text).as_str())])),
            ("locations", Json::Array(vec![location])),
        ])
    };
    let driver = Json::from([
        ("name", Json::from("tuckbox")),
        ("version", Json::from(env!("CARGO_PKG_VERSION"))),
        ("rules", rules),
    ]);
    let invocation = Json::from([
        ("executionSuccessful", Json::from(verdict.status != LockStatus::Undecided)),
        ("exitCode", Json::from(u64::from(verdict.exit_code))),
    ]);
    let run = Json::from([
        ("tool", Json::from([("driver", driver)])),
        ("invocations", Json::Array(vec![invocation])),
        ("results", found.iter().map(result).collect()),
    ]);
    let log = Json::from([
        ("$schema", Json::from("https://json.schemastore.org/sarif-2.1.0.json")),
        ("version", Json::from("2.1.0")),
        ("runs", Json::Array(vec![run])),
    ]);
    format!("{log}\n")
}
