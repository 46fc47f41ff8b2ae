//! From an iteration's records to the files, the failure index, the report and the package.

use super::check;
use super::finding::{Findings, Kind};
use super::layout::{FAILURE_SUMMARY, Part, REPORT};
use super::package::{ExecuteToInit, Package};
use super::path::{ArtifactPath, shown};
use super::record::SampleRecord;
use super::report::{Report, Severity};
use super::sample::Priority;
use super::skeleton;
use crate::value::json::{Field, Json, Object};
use crate::value::{Map as IndexMap, Set as IndexSet};
use crate::{Path, Result};
use serde::Serialize;

/// One file: its path from the package's root, and its text.
///
/// Shown by the example of [`Persist`](super::Persist).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArtifactFile {
    /// Where it belongs.
    pub path: ArtifactPath,
    /// What it holds.
    pub text: String,
}

/// The records of one iteration and what only its runner knows.
///
/// ```
/// use tuckbox::handoff::Iteration;
/// use tuckbox::value::json::{Field, Json};
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
/// let built = Iteration::from_json(&Field::root(&call))?.build()?;
/// assert_eq!(built.package.failure_samples_index[0]["trace_path"].as_str(), Some("execution_traces/S1_trace.json"));
/// assert_eq!(built.report.layer1_problems[0].affected_samples, ["S1"]);
/// assert_eq!(built.report.failure_rate.as_str(), "0.5");
/// assert_eq!(built.files.len(), 9); // four files, three files, the summary and the report
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// Where its files belong, from the package's root.
    pub execution_output_dir: String,
    /// When it ended.
    pub timestamp: String,
    /// Which one it is.
    pub iteration: u64,
    /// Why the package goes back.
    pub trigger_reason: String,
    /// Figures to put beside the counted ones.
    pub iteration_summary: Object,
    /// One record a sample.
    pub records: Vec<SampleRecord>,
    /// The changes that matter most; taken from the report when empty.
    pub modification_suggestions_summary: Vec<String>,
    /// The finished report, if there is one; a skeleton is made otherwise.
    pub report: Option<Report>,
    /// The package's extension point.
    pub metadata: Object,
}

/// What an iteration became.
///
/// Shown by the example of [`Iteration`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Built {
    /// The package.
    pub package: ExecuteToInit,
    /// The report; as a skeleton it has blank fields, each with a lint.
    pub report: Report,
    /// Every file of the layout, the report and the summary last.
    pub files: Vec<ArtifactFile>,
    /// What a person should look at.
    pub findings: Findings,
}

impl Iteration {
    /// Reads an iteration.
    ///
    /// # Errors
    /// `bad_request` for what is missing, unknown or mistyped.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&[
            "op",
            "execution_output_dir",
            "timestamp",
            "iteration",
            "trigger_reason",
            "iteration_summary",
            "records",
            "modification_suggestions_summary",
            "report",
            "metadata",
        ])?;
        let text = |key| fields.required(key)?.string().map(str::to_owned);
        let object = |key| match fields.optional(key) {
            Some(field) => Ok(field.object()?.json().clone()),
            None => Ok(Object::default()),
        };
        let suggestions = match fields.optional("modification_suggestions_summary") {
            Some(field) => field.strings()?.into_iter().map(str::to_owned).collect(),
            None => Vec::new(),
        };
        Ok(Self {
            execution_output_dir: text("execution_output_dir")?,
            timestamp: text("timestamp")?,
            iteration: fields.required("iteration")?.count()?,
            trigger_reason: text("trigger_reason")?,
            iteration_summary: object("iteration_summary")?,
            records: fields
                .required("records")?
                .list()?
                .iter()
                .map(SampleRecord::from_json)
                .collect::<Result<_>>()?,
            modification_suggestions_summary: suggestions,
            report: fields.optional("report").as_ref().map(Report::from_json).transpose()?,
            metadata: object("metadata")?,
        })
    }

    /// Makes files, index, report and package, and checks them against each other.
    ///
    /// # Errors
    /// `invalid_content` with every fault in `details.errors`: an unsafe path or id, a sample that
    /// stands twice or has no verdict, counts that do not add up.
    pub fn build(&self) -> Result<Built> {
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
        Ok(Built { package, report, files, findings })
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
                let message = format!("the sample `{}` stands twice", shown(id));
                findings.error(Kind::DuplicateSample, path.key("sample_id"), message);
            }
            match record.passed() {
                Some(true) => {}
                Some(false) => {
                    if record.attribution.is_none() {
                        let message = format!("`{}` has failed and nothing says why", shown(id));
                        findings.lint(Kind::FileMissing, path.key("attribution"), message);
                    }
                    failed.push(record);
                }
                None => {
                    let message = format!(
                        "the evaluation of `{}` has no verdict: `passed`, `checkers_failed` or `checker_results` is due",
                        shown(id)
                    );
                    findings.error(Kind::Missing, path.key("evaluation").key("passed"), message);
                }
            }
        }
        failed
    }

    /// The runner's own figures and the counted ones, which must agree where both exist.
    fn summary(&self, failed: usize, findings: &mut Findings) -> Object {
        let mut summary = self.iteration_summary.clone();
        summary.get_or_insert_with("total_iterations", || self.iteration.into());
        let counted =
            [("total_samples", self.records.len() as u64), ("failed_samples", failed as u64)];
        for (key, counted) in counted {
            let counted = Json::from(counted);
            if let Some(said) = summary.insert(key.to_owned(), counted.clone())
                && !said.same_value(&counted)
            {
                findings.error(
                    Kind::CountMismatch,
                    Path::root().key("iteration_summary").key(key),
                    format!("`{key}` is given as {said} but {counted} are in the records"),
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
            // an id without a path has been reported with the records
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

/// What the attribution says; else what its severity or that of its problem amounts to.
fn priority(record: &SampleRecord, problem: Option<Severity>) -> Priority {
    record.priority().unwrap_or_else(|| match record.severity().or(problem) {
        Some(Severity::Critical | Severity::High) => Priority::High,
        Some(Severity::Medium) => Priority::Medium,
        Some(Severity::Low) | None => Priority::Low,
    })
}
