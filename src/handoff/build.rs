//! Builds files, failure index, report and package from the records of an iteration.

use super::check;
use super::finding::{Findings, Kind};
use super::layout::{FAILURE_SUMMARY, Part, REPORT};
use super::package::{ExecuteToInit, Package};
use super::path::{ArtifactPath, shown};
use super::record::SampleRecord;
use super::report::{Report, Severity};
use super::sample::Priority;
use super::skeleton;
use crate::value::arguments::{OrText, arguments};
use crate::value::json::{Json, Object};
use crate::value::{Map as IndexMap, Set as IndexSet};
use crate::{Path, Result};
use serde::Serialize;

arguments! {
    /// A file of a package.
    ///
    /// Shown by the example of [`StoreHandoff`](super::StoreHandoff).
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct ArtifactFile {
        /// The path of the file, relative to the root of the package.
        pub path: ArtifactPath,
        /// The content of the file.
        pub text: String,
    }
}

arguments! {
    /// The records of one iteration. `build_handoff` makes files, index, report and package from them.
    ///
    /// ```
    /// use tuckbox::Json;
    /// use tuckbox::handoff::Iteration;
    ///
    /// let call = Json::parse(r#"{
    ///   "execution_output_dir": "leave/execution_outputs/iteration_12", "timestamp": "2026-01-04T15:30:00",
    ///   "iteration": 12, "trigger_reason": "too many failures",
    ///   "modification_suggestions_summary": ["a", "b", "c"],
    ///   "records": [
    ///     {"sample_id": "S1", "sample": {}, "trace": {"conversation_history": [{}, {}]},
    ///      "evaluation": {"checkers_failed": ["balance"]},
    ///      "attribution": {"failure_type": "Layer1_BusinessRule", "severity": "high"}},
    ///     {"sample_id": "S2", "sample": {}, "trace": [], "evaluation": {"passed": true}}]}"#)?;
    /// let built = Iteration::from_json(&call)?.build()?;
    /// assert_eq!(built.package.failure_samples_index[0]["trace_path"].as_str(), Some("execution_traces/S1_trace.json"));
    /// assert_eq!(built.report.layer1_problems[0].affected_samples, ["S1"]);
    /// assert_eq!(built.report.failure_rate.as_str(), "0.5");
    /// assert_eq!(built.files.len(), 9); // four files, three files, the summary and the report
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Iteration {
        /// The directory of the iteration's files, relative to the root of the package.
        pub execution_output_dir: String,
        /// The time at which the iteration ended. Its format is not checked.
        pub timestamp: String,
        /// The number of the iteration.
        pub iteration: u64,
        /// The reason why the package is sent back.
        pub trigger_reason: String,
        /// Numbers to add to those that the core counts.
        pub iteration_summary: Object = Object::default(),
        /// One record for each sample.
        pub records: Vec<SampleRecord>,
        /// The most important changes. If the list is empty, they come from the report.
        pub modification_suggestions_summary: Vec<String> = Vec::new(),
        /// The finished report. By default a skeleton is made.
        pub report: Option<OrText<Report>>,
        /// Anything else that the sender records in the package.
        pub metadata: Object = Object::default(),
    }
}

/// The files and the package of an iteration.
///
/// Shown by the example of [`Iteration`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BuiltHandoff {
    /// The package.
    pub package: ExecuteToInit,
    /// The report. A skeleton has blank fields, each with a lint.
    pub report: Report,
    /// Every file of the layout; summary and report last.
    pub files: Vec<ArtifactFile>,
    /// The findings.
    pub findings: Findings,
}

impl Iteration {
    /// Makes files, index, report and package, and checks that they agree.
    ///
    /// # Errors
    /// `invalid_content` for an unsafe path or id, a duplicate sample, a sample without a verdict,
    /// or counts that do not agree. `details.errors` has every error.
    pub fn build(&self) -> Result<BuiltHandoff> {
        let mut findings = Findings::new();
        let failed = self.failed(&mut findings);
        let report = match &self.report {
            Some(report) => report.clone(),
            None => skeleton::report(self, &failed),
        };
        let mut package = ExecuteToInit::new(&*self.timestamp, &*self.execution_output_dir);
        package.trigger_reason.clone_from(&self.trigger_reason);
        package.base.metadata.clone_from(&self.metadata);
        package.iteration_summary = self.summary(failed.len(), &mut findings);
        package.failure_samples_index = index(&failed, &report, &mut findings);
        package.modification_suggestions_summary = self.suggestions(&report);
        let checked = check::verify(&Package::ExecuteToInit(package.clone()), Some(&report));
        findings.absorb(checked, &Path::root());
        let findings = findings.accepted("the iteration")?;
        let files = self.files(&package, &report)?;
        Ok(BuiltHandoff { package, report, files, findings })
    }

    fn failed(&self, findings: &mut Findings) -> Vec<&SampleRecord> {
        let mut seen = IndexSet::default();
        let mut failed = Vec::new();
        for (at, record) in self.records.iter().enumerate() {
            let path = Path::root().key("records").index(at);
            let id = record.sample_id.as_str();
            if !super::layout::is_file_name(id) {
                let message =
                    format!("the sample id `{}` cannot be part of a file name", shown(id));
                findings.error(Kind::UnsafeName, path.key("sample_id"), message);
            }
            if !seen.insert(id) {
                let message = format!("duplicate sample `{}`", shown(id));
                findings.error(Kind::DuplicateSample, path.key("sample_id"), message);
            }
            match record.passed() {
                Some(true) => {}
                Some(false) => {
                    if record.attribution.is_none() {
                        let message =
                            format!("sample `{}` failed and has no attribution", shown(id));
                        findings.lint(Kind::FileMissing, path.key("attribution"), message);
                    }
                    failed.push(record);
                }
                None => {
                    let message = format!(
                        "the evaluation of `{}` has no verdict; expected `passed`, `checkers_failed` or `checker_results`",
                        shown(id)
                    );
                    findings.error(Kind::Missing, path.key("evaluation").key("passed"), message);
                }
            }
        }
        failed
    }

    /// Returns the numbers of the caller and the counted ones, which must agree.
    fn summary(&self, failed: usize, findings: &mut Findings) -> Object {
        let mut summary = self.iteration_summary.clone();
        summary.get_or_insert_with("total_iterations", || self.iteration.into());
        let counted =
            [("total_samples", self.records.len() as u64), ("failed_samples", failed as u64)];
        for (key, counted) in counted {
            let counted = Json::from(counted);
            if let Some(given) = summary.insert(key.to_owned(), counted.clone())
                && !given.same_value(&counted)
            {
                findings.error(
                    Kind::CountMismatch,
                    Path::root().key("iteration_summary").key(key),
                    format!("`{key}` is `{given}`, but the records have `{counted}`"),
                );
            }
        }
        summary
    }

    fn suggestions(&self, report: &Report) -> Vec<String> {
        if !self.modification_suggestions_summary.is_empty() {
            return self.modification_suggestions_summary.clone();
        }
        let fixes =
            report.in_order().into_iter().map(|problem| &problem.suggested_fix.modification);
        fixes.filter(|text| !text.trim().is_empty()).take(5).cloned().collect()
    }

    fn files(&self, package: &ExecuteToInit, report: &Report) -> Result<Vec<ArtifactFile>> {
        let dir = ArtifactPath::new(&*self.execution_output_dir)?;
        let mut files = Vec::with_capacity(self.records.len() * 4 + 2);
        for record in &self.records {
            for part in Part::ALL {
                let json = match part {
                    Part::Sample => Some(&record.sample),
                    Part::Trace => Some(&record.trace),
                    Part::Evaluation => Some(&record.evaluation),
                    Part::Attribution => record.attribution.as_ref(),
                };
                if let Some(json) = json {
                    let path = dir.join(&part.path(&record.sample_id)?)?;
                    files.push(ArtifactFile { path, text: json.to_string() });
                }
            }
        }
        let summary = Json::from([
            ("iteration_summary", Json::Object(package.iteration_summary.clone())),
            ("failure_samples_index", package.failure_samples_index.clone().into()),
        ]);
        for (name, json) in [(FAILURE_SUMMARY, summary), (REPORT, report.to_json())] {
            let path = dir.join(&ArtifactPath::new(name)?)?;
            files.push(ArtifactFile { path, text: json.to_string() });
        }
        Ok(files)
    }
}

fn index(failed: &[&SampleRecord], report: &Report, findings: &mut Findings) -> Vec<Object> {
    let mut severities: IndexMap<&str, Severity> = IndexMap::default();
    for problem in report.in_order() {
        for sample in problem.listed_samples() {
            severities.entry(sample.as_str()).or_insert(problem.severity);
        }
    }
    let mut entries = Vec::with_capacity(failed.len());
    for record in failed {
        let id = record.sample_id.as_str();
        let mut entry = Object::from_iter([("sample_id".to_owned(), Json::from(id))]);
        for part in Part::ALL {
            let stored = part != Part::Attribution || record.attribution.is_some();
            // an id without a path is a finding of its record
            if let (true, Ok(path)) = (stored, part.path(id)) {
                entry.insert(part.path_field().to_owned(), path.as_str().into());
            }
        }
        if let Some(failure) = record.attributed("failure_type") {
            entry.insert("failure_type".to_owned(), failure.into());
        }
        match record.conversation_turns() {
            Some(turns) => {
                entry.insert("conversation_turns".to_owned(), turns.into());
            }
            None => findings.lint(
                Kind::Unreadable,
                Path::root().key("failure_samples_index").index(entries.len()),
                format!("the trace of `{}` has no `conversation_history`", shown(id)),
            ),
        }
        entry.insert("checkers_failed".to_owned(), record.checkers_failed().into());
        let priority = priority(record, severities.get(id).copied());
        entry.insert("priority".to_owned(), priority.as_str().into());
        entries.push(entry);
    }
    entries
}

/// Returns the priority of the attribution, otherwise the one that follows from the severity.
fn priority(record: &SampleRecord, problem: Option<Severity>) -> Priority {
    record.priority().unwrap_or_else(|| match record.severity().or(problem) {
        Some(Severity::Critical | Severity::High) => Priority::High,
        Some(Severity::Medium) => Priority::Medium,
        Some(Severity::Low) | None => Priority::Low,
    })
}
