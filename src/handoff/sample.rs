//! An entry of the failure index, read strictly.
//!
//! The reference systems accept any object as an entry. Code that follows a path or orders by
//! priority needs checked values, so checks, plans and loads read the entries again, strictly.

use super::finding::{Findings, Kind};
use super::layout::Part;
use super::path::{ArtifactPath, shown};
use crate::value::json::{Json, Number, Object};
use crate::{Path, Result};
use serde::Serialize;

/// The priority of a failed sample.
///
/// Shown by the example of [`failure_samples`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// First.
    High,
    /// Second.
    Medium,
    /// Last; also the default.
    #[default]
    Low,
}

impl Priority {
    pub(super) const WORDS: [(&'static str, Self); 3] =
        [("high", Self::High), ("medium", Self::Medium), ("low", Self::Low)];

    /// Returns the priority as on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// A failed sample: its paths below the output directory, and its numbers.
///
/// Shown by the example of [`failure_samples`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailureSample {
    /// The id of the sample.
    pub sample_id: String,
    /// The paths of the entry, in the order of [`Part::ALL`].
    #[serde(skip)]
    paths: [Option<ArtifactPath>; 4],
    /// The kind of failure, as the evaluator names it.
    pub failure_type: Option<String>,
    /// The number of turns of the conversation.
    pub conversation_turns: Option<u64>,
    /// The checkers that failed.
    pub checkers_failed: Vec<String>,
    /// The priority.
    pub priority: Priority,
}

impl FailureSample {
    /// Returns the path of one part, if the entry has it.
    pub fn path(&self, part: Part) -> Option<&ArtifactPath> {
        self.paths
            .iter()
            .zip(Part::ALL)
            .find(|(_, p)| *p == part)
            .and_then(|(path, _)| path.as_ref())
    }

    /// Reads one entry and adds its errors to `findings`.
    pub(super) fn read(entry: &Object, path: &Path, findings: &mut Findings) -> Option<Self> {
        let mut reader = Entry { entry, path, findings, sound: true };
        let sample_id = reader.text("sample_id", true);
        if let Some(id) = &sample_id {
            reader.file_name(id);
        }
        let sample = Self {
            sample_id: sample_id.unwrap_or_default(),
            paths: Part::ALL.map(|part| reader.artifact(part.path_field())),
            failure_type: reader.text("failure_type", false),
            conversation_turns: reader.count("conversation_turns"),
            checkers_failed: reader.texts("checkers_failed"),
            priority: reader.priority(),
        };
        reader.sound.then_some(sample)
    }
}

struct Entry<'a> {
    entry: &'a Object,
    path: &'a Path,
    findings: &'a mut Findings,
    sound: bool,
}

impl Entry<'_> {
    fn refuse(&mut self, key: &str, kind: Kind, message: String) {
        self.sound = false;
        self.findings.error(kind, self.path.key(key), message);
    }

    fn expected(&mut self, key: &str, kind: Kind, what: &str, found: &Json) {
        self.refuse(key, kind, format!("invalid `{key}`: expected {what}, found {}", found.kind()));
    }

    fn text(&mut self, key: &str, required: bool) -> Option<String> {
        match self.entry.get(key) {
            Some(Json::String(text)) => Some(text.clone()),
            None if required => {
                self.refuse(key, Kind::Missing, format!("`{key}` is missing"));
                None
            }
            None => None,
            Some(Json::Null) if !required => None,
            Some(other) => {
                self.expected(key, Kind::StringType, "a string", other);
                None
            }
        }
    }

    fn file_name(&mut self, id: &str) {
        if !super::layout::is_file_name(id) {
            let message = format!("the sample id `{}` cannot be part of a file name", shown(id));
            self.refuse("sample_id", Kind::UnsafeName, message);
        }
    }

    fn artifact(&mut self, key: &str) -> Option<ArtifactPath> {
        let text = self.text(key, false)?;
        let read = read_path(&text, self.path.key(key), self.findings);
        self.sound &= read.is_some();
        read
    }

    fn count(&mut self, key: &str) -> Option<u64> {
        let value = self.entry.get(key).filter(|value| !value.is_null())?;
        let whole = value.as_number().and_then(Number::whole);
        match whole.map(u64::try_from) {
            Some(Ok(count)) => Some(count),
            Some(Err(_)) => {
                self.expected(key, Kind::GreaterThanEqual, "a number from 0", value);
                None
            }
            None => {
                self.expected(key, Kind::IntType, "a whole number", value);
                None
            }
        }
    }

    fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(value) = self.entry.get(key).filter(|value| !value.is_null()) else {
            return Vec::new();
        };
        let Some(items) = value.as_array() else {
            self.expected(key, Kind::ListType, "a list", value);
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => {
                    self.sound = false;
                    self.findings.error(
                        Kind::StringType,
                        self.path.key(key).index(index),
                        format!("expected a string, found {}", item.kind()),
                    );
                }
            }
        }
        texts
    }

    fn priority(&mut self) -> Priority {
        let Some(value) = self.entry.get("priority").filter(|value| !value.is_null()) else {
            return Priority::default();
        };
        let found = Priority::WORDS.iter().find(|(word, _)| value.as_str() == Some(word));
        if found.is_none() {
            let what = "`high`, `medium` or `low`";
            let message = match value.as_str() {
                Some(text) => {
                    format!("invalid `priority`: expected {what}, found `{}`", shown(text))
                }
                None => format!("invalid `priority`: expected {what}, found {}", value.kind()),
            };
            self.refuse("priority", Kind::LiteralError, message);
        }
        found.map_or_else(Priority::default, |(_, priority)| *priority)
    }
}

/// Reads a path of a package, or adds a finding.
pub(super) fn read_path(text: &str, path: Path, findings: &mut Findings) -> Option<ArtifactPath> {
    match ArtifactPath::take(text) {
        Ok(path) => Some(path),
        Err(fault) => {
            let message = format!("the path `{}` {}", shown(text), fault.sentence());
            let details = Json::from([("fault", fault.as_str())]);
            findings.add(super::finding::Weight::Error, Kind::UnsafePath, path, message, details);
            None
        }
    }
}

/// Reads an index. Entries with an error are omitted.
pub(super) fn read_index(
    entries: &[Object],
    path: &Path,
    findings: &mut Findings,
) -> Vec<FailureSample> {
    let mut seen = crate::value::Map::with_capacity_and_hasher(entries.len(), Default::default());
    let mut samples = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let here = path.index(index);
        let Some(sample) = FailureSample::read(entry, &here, findings) else { continue };
        if let Some(first) = seen.get(&sample.sample_id) {
            findings.error(
                Kind::DuplicateSample,
                here.key("sample_id"),
                format!("duplicate sample `{}`; it is already entry `{first}`", sample.sample_id),
            );
            continue;
        }
        seen.insert(sample.sample_id.clone(), index);
        samples.push(sample);
    }
    samples
}

/// Reads the index of a package.
///
/// # Errors
/// `invalid_content` with every wrong entry in `details.errors`.
///
/// ```
/// use tuckbox::handoff::{ExecuteToInit, Part, Priority, failure_samples};
/// use tuckbox::json;
///
/// let mut package = ExecuteToInit::new("t", "out");
/// let entry = json!({"sample_id": "S1", "trace_path": "execution_traces/S1_trace.json", "priority": "high"});
/// package.failure_samples_index.push(entry.as_object().cloned().unwrap());
/// let sample = &failure_samples(&package)?[0];
/// assert_eq!((sample.sample_id.as_str(), sample.priority), ("S1", Priority::High));
/// assert_eq!(sample.path(Part::Trace).unwrap().name(), "S1_trace.json");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn failure_samples(package: &super::ExecuteToInit) -> Result<Vec<FailureSample>> {
    let mut findings = Findings::new();
    let path = Path::root().key("failure_samples_index");
    let samples = read_index(&package.failure_samples_index, &path, &mut findings);
    findings.accepted("the failure index")?;
    Ok(samples)
}
