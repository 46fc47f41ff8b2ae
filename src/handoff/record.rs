//! What an iteration leaves behind for one sample, and what the figures in the index are read from.
//!
//! The protocol says what the four files are for and leaves their inside to whoever runs the
//! samples. Read here is the little that an index needs:
//!
//! - a trace is an object with `conversation_history` (a list of turns), or the list itself;
//! - an evaluation says `passed`, or lists `checkers_failed`, or has `checker_results`: a list of
//!   `{name, passed}` or an object from name to `passed` or `{passed}`;
//! - an attribution may say `failure_type`, `problem_id`, `problem_type`, `severity`, `priority`.

use super::report::Severity;
use super::sample::Priority;
use crate::Result;
use crate::value::json::{Field, Json};

/// One sample's records, as they came from the run.
///
/// ```
/// use tuckbox::handoff::SampleRecord;
/// use tuckbox::json;
/// use tuckbox::value::json::Field;
///
/// let record = json!({"sample_id": "S1", "sample": {}, "trace": {"conversation_history": [{}, {}]},
///     "evaluation": {"passed": false, "checkers_failed": ["balance"]}});
/// let record = SampleRecord::from_json(&Field::root(&record))?;
/// assert_eq!((record.passed(), record.conversation_turns()), (Some(false), Some(2)));
/// assert_eq!(record.checkers_failed(), ["balance"]);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRecord {
    /// Which sample.
    pub sample_id: String,
    /// What was asked.
    pub sample: Json,
    /// What happened.
    pub trace: Json,
    /// What the checkers and the judge said.
    pub evaluation: Json,
    /// Why it failed, where it did.
    pub attribution: Option<Json>,
}

impl SampleRecord {
    /// Reads `{sample_id, sample, trace, evaluation, attribution?}`.
    ///
    /// # Errors
    /// `bad_request` when a part is missing or unknown.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["sample_id", "sample", "trace", "evaluation", "attribution"])?;
        Ok(Self {
            sample_id: fields.required("sample_id")?.string()?.to_owned(),
            sample: fields.required("sample")?.json().clone(),
            trace: fields.required("trace")?.json().clone(),
            evaluation: fields.required("evaluation")?.json().clone(),
            attribution: fields.optional("attribution").map(|field| field.json().clone()),
        })
    }

    /// The checkers that said no.
    pub fn checkers_failed(&self) -> Vec<String> {
        checkers_failed(&self.evaluation)
    }

    /// Whether the sample passed, if the evaluation says so in any of the known ways.
    pub fn passed(&self) -> Option<bool> {
        let said = self.evaluation.get("passed").and_then(Json::as_bool);
        said.or_else(|| {
            let known = ["checkers_failed", "checker_results"];
            known
                .iter()
                .any(|key| self.evaluation.get(key).is_some())
                .then(|| self.checkers_failed().is_empty())
        })
    }

    /// How many turns the conversation has.
    pub fn conversation_turns(&self) -> Option<usize> {
        turns(&self.trace).map(<[Json]>::len)
    }

    pub(super) fn attributed(&self, key: &str) -> Option<&str> {
        self.attribution.as_ref()?.get(key)?.as_str().filter(|text| !text.trim().is_empty())
    }

    pub(super) fn severity(&self) -> Option<Severity> {
        let said = self.attributed("severity")?;
        Severity::WORDS.iter().find(|(word, _)| *word == said).map(|(_, severity)| *severity)
    }

    pub(super) fn priority(&self) -> Option<Priority> {
        let said = self.attributed("priority")?;
        Priority::WORDS.iter().find(|(word, _)| *word == said).map(|(_, priority)| *priority)
    }

    /// The name under which failures with the same cause in the design come together.
    pub(super) fn problem_key(&self) -> Option<&str> {
        self.attributed("problem_id").or_else(|| {
            self.attributed("failure_type").filter(|failure| {
                failure.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("layer1"))
            })
        })
    }
}

/// The turns of a trace.
pub(super) fn turns(trace: &Json) -> Option<&[Json]> {
    trace.as_array().or_else(|| trace.get("conversation_history")?.as_array())
}

fn checkers_failed(evaluation: &Json) -> Vec<String> {
    if let Some(listed) = evaluation.get("checkers_failed").and_then(Json::as_array) {
        return listed.iter().filter_map(Json::as_str).map(str::to_owned).collect();
    }
    let failed = |result: &Json| {
        let passed = result.as_bool().or_else(|| result.get("passed")?.as_bool());
        passed == Some(false)
    };
    match evaluation.get("checker_results") {
        Some(Json::Object(results)) => results
            .iter()
            .filter(|(_, result)| failed(result))
            .map(|(name, _)| name.clone())
            .collect(),
        Some(Json::Array(results)) => results
            .iter()
            .filter(|result| failed(result))
            .filter_map(|result| result.get("name")?.as_str())
            .map(str::to_owned)
            .collect(),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(evaluation: &str) -> SampleRecord {
        SampleRecord {
            sample_id: "s".into(),
            sample: Json::Null,
            trace: Json::parse(r#"{"conversation_history": [{}, {}]}"#).unwrap(),
            evaluation: Json::parse(evaluation).unwrap(),
            attribution: None,
        }
    }

    #[test]
    fn a_verdict_is_read_from_every_known_shape() {
        for (evaluation, passed, failed) in [
            (r#"{"passed": false}"#, Some(false), vec![]),
            (r#"{"checkers_failed": ["a"]}"#, Some(false), vec!["a"]),
            (r#"{"checkers_failed": []}"#, Some(true), vec![]),
            (r#"{"checker_results": {"a": true, "b": {"passed": false}}}"#, Some(false), vec!["b"]),
            (
                r#"{"checker_results": [{"name": "a", "passed": true}, {"name": "b", "passed": false}]}"#,
                Some(false),
                vec!["b"],
            ),
            (r#"{"passed": true, "checkers_failed": ["soft"]}"#, Some(true), vec!["soft"]),
            (r#"{"score": 3}"#, None, vec![]),
            ("7", None, vec![]),
        ] {
            let record = record(evaluation);
            assert_eq!(record.passed(), passed, "{evaluation}");
            assert_eq!(record.checkers_failed(), failed, "{evaluation}");
        }
        assert_eq!(record("{}").conversation_turns(), Some(2));
    }
}
