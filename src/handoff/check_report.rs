//! Checks a report, alone and against its package.

use super::finding::{Findings, Kind};
use super::package::ExecuteToInit;
use super::path::shown;
use super::report::{Problem, Report};
use super::sample::FailureSample;
use crate::Path;
use crate::value::json::{Json, Number};
use crate::value::{Map as IndexMap, Set as IndexSet};

pub(super) fn report(
    report: &Report,
    package: &ExecuteToInit,
    samples: &[FailureSample],
    findings: &mut Findings,
) {
    let root = Path::root();
    if report.failed_samples > report.total_samples {
        findings.error(
            Kind::CountMismatch,
            root.key("failed_samples"),
            format!(
                "{} samples have failed but only {} were run",
                report.failed_samples, report.total_samples
            ),
        );
    } else if !rate_fits(&report.failure_rate, report.failed_samples, report.total_samples) {
        findings.error(
            Kind::RateMismatch,
            root.key("failure_rate"),
            format!(
                "the rate is `{}`, but `{}` of `{}` samples failed",
                report.failure_rate.as_str(),
                report.failed_samples,
                report.total_samples
            ),
        );
    }
    for (key, counted) in
        [("total_samples", report.total_samples), ("failed_samples", report.failed_samples)]
    {
        let given = package.iteration_summary.get(key).and_then(Json::as_number);
        if let Some(given) =
            given.and_then(Number::whole).filter(|given| i128::from(*given) != i128::from(counted))
        {
            findings.error(
                Kind::CountMismatch,
                root.key(key),
                format!("the report has `{counted}`, but `iteration_summary` of the package has `{given}`"),
            );
        }
    }
    problems(report, samples, findings);
    ranks(report, findings);
}

/// Returns true if the rate is the quotient, rounded to its own digits or to at least 1%.
fn rate_fits(rate: &Number, failed: u64, total: u64) -> bool {
    if total == 0 {
        return rate.is_zero();
    }
    let decimals = match rate.as_str().split_once('.') {
        Some((_, decimals)) if !decimals.contains(['e', 'E']) => decimals.len().clamp(2, 12),
        Some(_) => 12,
        None => 2,
    };
    let half = 0.5 / 10_f64.powi(decimals as i32);
    (rate.as_f64() - failed as f64 / total as f64).abs() <= half + 1e-12
}

fn problems(report: &Report, samples: &[FailureSample], findings: &mut Findings) {
    let known: IndexSet<&str> = samples.iter().map(|sample| sample.sample_id.as_str()).collect();
    let whole_index = known.len() as u64 == report.failed_samples;
    let mut seen: IndexMap<&str, usize> = IndexMap::default();
    for (at, problem) in report.layer1_problems.iter().enumerate() {
        let path = Path::root().key("layer1_problems").index(at);
        if let Some(first) = seen.insert(&problem.problem_id, at) {
            findings.error(
                Kind::DuplicateProblem,
                path.key("problem_id"),
                format!(
                    "duplicate problem `{}`; it is already entry `{first}`",
                    shown(&problem.problem_id)
                ),
            );
        }
        affected(problem, report, &path, findings);
        let listed: IndexSet<&str> = problem.listed_samples().iter().map(String::as_str).collect();
        if !problem.typical_case_id.is_empty()
            && !listed.contains(problem.typical_case_id.as_str())
            && !problem.is_elided()
        {
            findings.error(
                Kind::UnknownSample,
                path.key("typical_case_id"),
                format!("`{}` is not among the affected samples", shown(&problem.typical_case_id)),
            );
        }
        for (item, sample) in problem.listed_samples().iter().enumerate() {
            if whole_index && !known.contains(sample.as_str()) {
                findings.error(
                    Kind::UnknownSample,
                    path.key("affected_samples").index(item),
                    format!("`{}` is not in the failure index", shown(sample)),
                );
            }
        }
        blank(problem, &path, findings);
    }
}

fn affected(problem: &Problem, report: &Report, path: &Path, findings: &mut Findings) {
    let listed = problem.listed_samples();
    let names: IndexSet<&String> = listed.iter().collect();
    if names.len() < listed.len() {
        findings.error(
            Kind::DuplicateSample,
            path.key("affected_samples"),
            format!("`{}` samples are listed twice", listed.len() - names.len()),
        );
    }
    let (count, listed) = (problem.affected_count, listed.len() as u64);
    if problem.is_elided() && listed < count {
        findings.lint(
            Kind::ListElided,
            path.key("affected_samples"),
            format!("the list is shortened to `{listed}` of `{count}` samples"),
        );
    } else if listed != count {
        findings.error(
            Kind::CountMismatch,
            path.key("affected_count"),
            format!("the count is `{count}`, but the list has `{listed}` samples"),
        );
    }
    if count > report.failed_samples {
        findings.error(
            Kind::CountMismatch,
            path.key("affected_count"),
            format!("`{count}` samples are affected, but only `{}` failed", report.failed_samples),
        );
    }
}

fn blank(problem: &Problem, path: &Path, findings: &mut Findings) {
    let fix = &problem.suggested_fix;
    let fix_path = path.key("suggested_fix");
    for (text, path, key) in [
        (&problem.title, path, "title"),
        (&problem.description, path, "description"),
        (&problem.evidence_summary, path, "evidence_summary"),
        (&problem.typical_case_id, path, "typical_case_id"),
        (&fix.target, &fix_path, "target"),
        (&fix.modification, &fix_path, "modification"),
    ] {
        if text.trim().is_empty() {
            findings.lint(Kind::BlankField, path.key(key), format!("`{key}` is still blank"));
        }
    }
}

fn ranks(report: &Report, findings: &mut Findings) {
    let known: IndexSet<&str> =
        report.layer1_problems.iter().map(|problem| problem.problem_id.as_str()).collect();
    let mut ranked: IndexSet<&str> = IndexSet::default();
    let mut numbers: IndexSet<u64> = IndexSet::default();
    for (at, rank) in report.modification_priority.iter().enumerate() {
        let path = Path::root().key("modification_priority").index(at);
        if !known.contains(rank.problem_id.as_str()) {
            findings.error(
                Kind::UnknownProblem,
                path.key("problem_id"),
                format!("the report has no problem `{}`", shown(&rank.problem_id)),
            );
        }
        if !ranked.insert(&rank.problem_id) {
            findings.error(
                Kind::DuplicateProblem,
                path.key("problem_id"),
                format!("the problem `{}` is ranked twice", shown(&rank.problem_id)),
            );
        }
        if !numbers.insert(rank.priority) {
            findings.lint(
                Kind::DuplicateProblem,
                path.key("priority"),
                format!("two problems have priority `{}`", rank.priority),
            );
        }
    }
    for (at, problem) in report.layer1_problems.iter().enumerate() {
        if !ranked.contains(problem.problem_id.as_str()) {
            findings.lint(
                Kind::UnrankedProblem,
                Path::root().key("layer1_problems").index(at),
                format!(
                    "problem `{}` is not in `modification_priority`",
                    shown(&problem.problem_id)
                ),
            );
        }
    }
}
