//! The records of one sample, and the numbers that the index takes from them.
//!
//! The protocol defines the purpose of the four files, not their content. The index reads:
//!
//! - from a trace: `conversation_history` (a list of turns), or the list itself;
//! - from an evaluation: `passed`, or `checkers_failed`, or `checker_results`, which is a list of
//!   `{name, passed}` or an object from name to `passed` or `{passed}`;
//! - from an attribution: `failure_type`, `problem_id`, `problem_type`, `severity` and `priority`,
//!   if present.

use super::report::Severity;
use super::sample::Priority;
use crate::value::arguments::arguments;
use crate::value::json::Json;

arguments! {
    /// The records of one sample.
    ///
    /// ```
    /// use tuckbox::handoff::SampleRecord;
    /// use tuckbox::json;
    ///
    /// let record = json!({"sample_id": "S1", "sample": {}, "trace": {"conversation_history": [{}, {}]},
    ///     "evaluation": {"passed": false, "checkers_failed": ["balance"]}});
    /// let record = SampleRecord::from_json(&record)?;
    /// assert_eq!((record.passed(), record.conversation_turns()), (Some(false), Some(2)));
    /// assert_eq!(record.checkers_failed(), ["balance"]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct SampleRecord {
        /// The id of the sample. It becomes part of file names.
        pub sample_id: String,
        /// The sample itself.
        pub sample: Json,
        /// The trace: an object with `conversation_history`, or the list of turns.
        pub trace: Json,
        /// The evaluation, with `passed`, `checkers_failed` or `checker_results`.
        pub evaluation: Json,
        /// The attribution of a failure. It can have `failure_type`, `problem_id`, `problem_type`, `severity` and `priority`.
        pub attribution: Option<Json>,
    }
}

impl SampleRecord {
    /// Returns the checkers that failed.
    pub fn checkers_failed(&self) -> Vec<String> {
        checkers_failed(&self.evaluation)
    }

    /// Returns whether the sample passed, if the evaluation has a verdict.
    pub fn passed(&self) -> Option<bool> {
        let verdict = self.evaluation.get("passed").and_then(Json::as_bool);
        verdict.or_else(|| {
            let known = ["checkers_failed", "checker_results"];
            known
                .iter()
                .any(|key| self.evaluation.get(key).is_some())
                .then(|| self.checkers_failed().is_empty())
        })
    }

    /// Returns the number of turns of the conversation.
    pub fn conversation_turns(&self) -> Option<usize> {
        turns(&self.trace).map(<[Json]>::len)
    }

    pub(super) fn attributed(&self, key: &str) -> Option<&str> {
        self.attribution.as_ref()?.get(key)?.as_str().filter(|text| !text.trim().is_empty())
    }

    pub(super) fn severity(&self) -> Option<Severity> {
        let word = self.attributed("severity")?;
        Severity::WORDS.iter().find(|(known, _)| *known == word).map(|(_, severity)| *severity)
    }

    pub(super) fn priority(&self) -> Option<Priority> {
        let word = self.attributed("priority")?;
        Priority::WORDS.iter().find(|(known, _)| *known == word).map(|(_, priority)| *priority)
    }

    /// Returns the name that groups failures with the same cause in the design.
    pub(super) fn problem_key(&self) -> Option<&str> {
        self.attributed("problem_id").or_else(|| {
            self.attributed("failure_type").filter(|failure| {
                failure.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("layer1"))
            })
        })
    }
}

/// Returns the turns of a trace.
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
