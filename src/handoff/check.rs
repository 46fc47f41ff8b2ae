//! Checks a package: version, paths, counts and names.
//!
//! Reading a package is lenient, as in the reference systems. [`verify`] is strict, and every plan,
//! load and store requires it.

use super::base::{ContextPackage, VERSION};
use super::check_report;
use super::finding::{Findings, Kind};
use super::layout::{Part, Place};
use super::package::{ExecuteToInit, InitToExecute, Package};
use super::path::{ArtifactPath, shown};
use super::report::Report;
use super::sample::{FailureSample, read_index, read_path};
use super::size::{self, Size};
use crate::prompt::tokens::Counter;
use crate::value::arguments::{OrText, arguments};
use crate::value::error::Step;
use crate::value::json::{Json, Number, Object};
use crate::{Path, Result};
use serde::Serialize;

/// A longer string in an index entry or in metadata is reported as content.
const INLINE_CHARS: usize = 2_000;

arguments! {
    /// Checks a handoff package and lists findings: version, paths, counts, names and size.
    ///
    /// Shown by the [example of the examples](super::example).
    #[derive(Clone, Debug, PartialEq)]
    pub struct CheckHandoff {
        /// The package.
        pub package: Package,
        /// The report that the package refers to.
        pub report: Option<OrText<Report>>,
    }
}

impl CheckHandoff {
    /// Checks the package.
    pub fn check(&self, counter: &dyn Counter) -> HandoffCheck {
        let size = size::size(&self.package, counter);
        let mut findings = verify(&self.package, self.report.as_ref());
        size::check(&size, &mut findings);
        let findings = in_call(findings);
        HandoffCheck { accepted: findings.is_accepted(), findings, size }
    }
}

/// The result of [`CheckHandoff::check`].
///
/// Shown by the [example of the examples](super::example).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandoffCheck {
    /// True if no finding is an error.
    pub accepted: bool,
    /// The findings of the package, then those of the report.
    pub findings: Findings,
    /// The tokens of the package.
    pub size: Size,
}

/// Checks a package and the report that it refers to. The paths of findings about the report start
/// with `report`.
///
/// ```
/// use tuckbox::handoff::{verify, Package};
/// use tuckbox::value::json::{Field, Json};
///
/// let given = Json::parse(r#"{"handoff_type": "init_to_execute", "timestamp": "t", "version": "3.0",
///   "user_requirement": "r", "design_artifacts": {"rules": "../secrets.md"}}"#)?;
/// let package = Package::from_json(&Field::root(&given))?;
/// let error = verify(&package, None).accepted("the package").unwrap_err();
/// let errors = error.details()["errors"].as_array().unwrap();
/// assert_eq!(errors[0].get("type").unwrap().as_str(), Some("unsupported_version"));
/// assert_eq!(errors[1].get("type").unwrap().as_str(), Some("unsafe_path"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn verify(package: &Package, report: Option<&Report>) -> Findings {
    let mut findings = Findings::new();
    base(package.base(), &mut findings);
    match package {
        Package::InitToExecute(package) => init(package, &mut findings),
        Package::ExecuteToInit(package) => execute(package, report, &mut findings),
    }
    findings
}

/// As [`verify`], for a call that has the package under `package`: paths are those of the call.
///
/// # Errors
/// `invalid_content` with every error in `details.errors`.
pub(super) fn verify_call(package: &Package, report: Option<&Report>) -> Result<Findings> {
    in_call(verify(package, report)).accepted("the package")
}

/// Returns findings about a package with the paths of a call.
pub(super) fn in_call(findings: Findings) -> Findings {
    findings.relocate(|path| match path.steps().first() {
        Some(Step::Key(key)) if **key == *"report" => path.clone(),
        Some(_) | None => Path::root().key("package").join(path),
    })
}

fn base(base: &ContextPackage, findings: &mut Findings) {
    if base.version != VERSION {
        findings.error(
            Kind::UnsupportedVersion,
            Path::root().key("version"),
            format!("unsupported version `{}`; expected `{VERSION}`", shown(&base.version)),
        );
    }
    inline(&base.metadata, &Path::root().key("metadata"), findings);
}

fn inline(object: &Object, path: &Path, findings: &mut Findings) {
    for (key, value) in object {
        if let Json::String(text) = value
            && text.chars().nth(INLINE_CHARS).is_some()
        {
            findings.lint(
                Kind::InlineContent,
                path.key(key),
                format!(
                    "`{key}` has {} characters; move the content to a file",
                    text.chars().count()
                ),
            );
        }
    }
}

fn init(package: &InitToExecute, findings: &mut Findings) {
    let path = Path::root().key("design_artifacts");
    for (name, artifact) in &package.design_artifacts {
        read_path(artifact, path.key(name), findings);
    }
}

/// The valid paths and entries of a package.
pub(super) fn execute_parts(
    package: &ExecuteToInit,
    findings: &mut Findings,
) -> (Option<ArtifactPath>, Vec<FailureSample>, Option<ArtifactPath>) {
    let root = Path::root();
    let dir = read_path(&package.execution_output_dir, root.key("execution_output_dir"), findings);
    let index = root.key("failure_samples_index");
    let samples = read_index(&package.failure_samples_index, &index, findings);
    let report_path = root.key("layer1_problems_report_path");
    let report = read_path(&package.layer1_problems_report_path, report_path, findings);
    (dir, samples, report)
}

fn execute(package: &ExecuteToInit, report: Option<&Report>, findings: &mut Findings) {
    let root = Path::root();
    let (_, samples, report_path) = execute_parts(package, findings);
    let index = root.key("failure_samples_index");
    for (at, entry) in package.failure_samples_index.iter().enumerate() {
        let path = index.index(at);
        in_layout(entry, &path, findings);
        inline(entry, &path, findings);
    }
    if report_path.is_some_and(|path| Place::of(&path) != Some(Place::Report)) {
        findings.lint(
            Kind::OutsideLayout,
            root.key("layer1_problems_report_path"),
            format!("the layout expects the report at `{}`", super::layout::REPORT),
        );
    }
    summary(package, findings);
    let suggestions = package.modification_suggestions_summary.len();
    if !(3..=5).contains(&suggestions) {
        findings.lint(
            Kind::SuggestionCount,
            root.key("modification_suggestions_summary"),
            format!("expected three to five suggestions, found `{suggestions}`"),
        );
    }
    if let Some(report) = report {
        let mut inner = Findings::new();
        check_report::report(report, package, &samples, &mut inner);
        findings.absorb(inner, &root.key("report"));
    }
}

fn in_layout(entry: &Object, path: &Path, findings: &mut Findings) {
    let Some(id) = entry.get("sample_id").and_then(Json::as_str) else { return };
    for part in Part::ALL {
        let key = part.path_field();
        let Some(given) = entry.get(key).and_then(Json::as_str) else { continue };
        if part.is_at(id, given) || ArtifactPath::check(given).is_err() {
            continue;
        }
        if let Ok(meant) = part.path(id) {
            findings.lint(
                Kind::OutsideLayout,
                path.key(key),
                format!("the layout expects the {} of `{id}` at `{meant}`", part.as_str()),
            );
        }
    }
}

/// Returns a count of a free-form object, if it is one.
fn count(object: &Object, key: &str, path: &Path, findings: &mut Findings) -> Option<u64> {
    let value = object.get(key)?;
    let whole =
        value.as_number().and_then(Number::whole).and_then(|whole| u64::try_from(whole).ok());
    if whole.is_none() {
        findings.error(
            Kind::IntType,
            path.key(key),
            format!("invalid `{key}`: expected a whole number from 0, found {}", value.kind()),
        );
    }
    whole
}

fn summary(package: &ExecuteToInit, findings: &mut Findings) {
    let path = Path::root().key("iteration_summary");
    let summary = &package.iteration_summary;
    let total = count(summary, "total_samples", &path, findings);
    let failed = count(summary, "failed_samples", &path, findings);
    let iterations = count(summary, "total_iterations", &path, findings);
    let layer2 = count(summary, "layer2_iterations", &path, findings);
    let layer3 = count(summary, "layer3_iterations", &path, findings);
    if let (Some(total), Some(failed)) = (total, failed)
        && failed > total
    {
        let message = format!("`{failed}` samples failed, but only `{total}` were run");
        findings.error(Kind::CountMismatch, path.key("failed_samples"), message);
    }
    if let Some(iterations) = iterations {
        let parts = layer2.unwrap_or(0).saturating_add(layer3.unwrap_or(0));
        if parts > iterations {
            let message =
                format!("the layers add up to `{parts}` iterations, but there were `{iterations}`");
            findings.error(Kind::CountMismatch, path.key("total_iterations"), message);
        }
    }
    let indexed = package.failure_samples_index.len() as u64;
    match failed {
        Some(failed) if indexed > failed => findings.error(
            Kind::CountMismatch,
            path.key("failed_samples"),
            format!("the index has `{indexed}` failed samples, but the count is `{failed}`"),
        ),
        Some(failed) if indexed < failed => findings.lint(
            Kind::IndexIncomplete,
            Path::root().key("failure_samples_index"),
            format!("the index has `{indexed}` of `{failed}` failed samples"),
        ),
        Some(_) | None => {}
    }
}
