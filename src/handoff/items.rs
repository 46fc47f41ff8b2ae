//! The items of a package, with their levels of detail, in reading order.

use super::check;
use super::detail::Detail;
use super::excerpt::Excerpt;
use super::finding::Findings;
use super::layout::Part;
use super::order::{Case, Depth, HandoffPart, Item, cases};
use super::package::{ExecuteToInit, InitToExecute, Package};
use super::path::ArtifactPath;
use super::report::Report;
use super::sample::FailureSample;
use crate::Result;
use crate::prompt::tokens::Counter;
use crate::value::json::{Json, Object};

/// The costs of files.
pub(super) trait Costs {
    /// Returns the levels of a part of a case. `None` if there is no such file.
    fn part(&self, path: &ArtifactPath, part: Part, sample: &FailureSample) -> Option<KnownCost>;
    /// Returns the levels of a design artifact. `None` if there is no such file.
    fn artifact(&self, path: &ArtifactPath, name: &str) -> Option<KnownCost>;
    /// Returns the levels of a report that was not read.
    fn report(&self, path: &ArtifactPath) -> Detail;
}

/// The known cost of a file.
pub(super) struct KnownCost {
    pub(super) detail: Detail,
    /// False if the text was requested and is not read yet.
    pub(super) at_hand: bool,
}

/// Returns the items of a package, in reading order.
pub(super) fn items(
    package: &Package,
    report: Option<&Report>,
    counter: &dyn Counter,
    costs: &dyn Costs,
) -> Result<Vec<Item>> {
    match package {
        Package::InitToExecute(package) => init_items(package, counter, costs),
        Package::ExecuteToInit(package) => execute_items(package, report, counter, costs),
    }
}

fn init_items(
    package: &InitToExecute,
    counter: &dyn Counter,
    costs: &dyn Costs,
) -> Result<Vec<Item>> {
    let package_header = header(HandoffPart::Package, None, None);
    let tokens = counter.count(&format!("{package_header}\n{}", package.to_json().spaced()));
    let detail = Detail::Once { tokens, cut: Excerpt::Whole };
    let mut items = vec![Item::new(HandoffPart::Package, detail, Depth::ReportSummary)];
    for (name, path) in &package.design_artifacts {
        let path = ArtifactPath::new(path.as_str())?;
        if let Some(known) = costs.artifact(&path, name) {
            items.push(Item {
                path: Some(path),
                name: Some(name.clone()),
                at_hand: known.at_hand,
                ..Item::new(HandoffPart::Artifact, known.detail, Depth::TypicalCases)
            });
        }
    }
    Ok(items)
}

fn execute_items(
    package: &ExecuteToInit,
    report: Option<&Report>,
    counter: &dyn Counter,
    costs: &dyn Costs,
) -> Result<Vec<Item>> {
    let mut findings = Findings::new();
    let (dir, samples, report_path) = check::execute_parts(package, &mut findings);
    findings.accepted("the package")?;
    let (Some(dir), Some(report_path)) = (dir, report_path) else { return Ok(Vec::new()) };
    let report_path = dir.join(&report_path)?;
    let package_header = header(HandoffPart::Package, None, None);
    let tokens = counter.count(&format!("{package_header}\n{}", package.head().spaced()));
    let head = Detail::Once { tokens, cut: Excerpt::Head };
    let detail = match report {
        Some(report) => report_ladder(report, &report_path, counter),
        None => costs.report(&report_path),
    };
    let mut items = Vec::with_capacity(2 + samples.len() * 5);
    items.push(Item::new(HandoffPart::Package, head, Depth::ReportSummary));
    items.push(Item {
        path: Some(report_path),
        ..Item::new(HandoffPart::Report, detail, Depth::ReportSummary)
    });
    for case in cases(&samples, report) {
        case_items(&case, package, &dir, counter, costs, &mut items)?;
    }
    Ok(items)
}

/// The reading order of the parts of a case.
const READING: [Part; 4] = [Part::Evaluation, Part::Attribution, Part::Sample, Part::Trace];

fn case_items(
    case: &Case<'_>,
    package: &ExecuteToInit,
    dir: &ArtifactPath,
    counter: &dyn Counter,
    costs: &dyn Costs,
    items: &mut Vec<Item>,
) -> Result<()> {
    let depth = if case.is_typical() { Depth::TypicalCases } else { Depth::AllCases };
    let entry = package.failure_samples_index.get(case.index).map(entry_text).unwrap_or_default();
    let entry_header = header(HandoffPart::Entry, Some(&case.sample.sample_id), None);
    let tokens = counter.count(&format!("{entry_header}\n{entry}"));
    let entry = Detail::Once { tokens, cut: Excerpt::Whole };
    items.push(Item {
        name: Some(case.sample.sample_id.clone()),
        reason: case.reason.clone(),
        ..Item::new(HandoffPart::Entry, entry, depth)
    });
    for part in READING {
        let Some(path) = case.sample.path(part) else { continue };
        let path = dir.join(path)?;
        let Some(known) = costs.part(&path, part, case.sample) else { continue };
        items.push(Item {
            path: Some(path),
            name: Some(case.sample.sample_id.clone()),
            reason: case.reason.clone(),
            at_hand: known.at_hand,
            ..Item::new(part.into(), known.detail, depth)
        });
    }
    Ok(())
}

pub(super) fn entry_text(entry: &Object) -> String {
    Json::Object(entry.clone()).spaced()
}

/// Returns the heading of a piece.
pub(super) fn header(what: HandoffPart, name: Option<&str>, path: Option<&ArtifactPath>) -> String {
    let mut header = format!("## {}", what.as_str());
    if let Some(name) = name {
        header.push(' ');
        header.push_str(name);
    }
    if let Some(path) = path {
        header.push_str(&format!(" ({path})"));
    }
    header
}

/// Returns the parts of a report that are read one by one: heading and numbers, then the problems.
fn report_parts(report: &Report, path: &ArtifactPath) -> impl Iterator<Item = String> {
    let head =
        format!("{}\n{}", header(HandoffPart::Report, None, Some(path)), report.head().spaced());
    let problems = report.in_order();
    let problems = problems.into_iter().map(|problem| format!("\n{}", problem.summary().spaced()));
    std::iter::once(head).chain(problems)
}

fn report_whole(report: &Report, path: &ArtifactPath) -> String {
    format!("{}\n{}", header(HandoffPart::Report, None, Some(path)), report.to_json().spaced())
}

fn report_ladder(report: &Report, path: &ArtifactPath, counter: &dyn Counter) -> Detail {
    let mut spent = 0_u64;
    let mut costs = Vec::with_capacity(report.layer1_problems.len() + 2);
    for part in report_parts(report, path) {
        spent = spent.saturating_add(counter.count(&part));
        costs.push(spent);
    }
    costs.push(counter.count(&report_whole(report, path)));
    Detail::Report { costs }
}

/// Returns the text of a report at one level.
pub(super) fn report_text(report: &Report, item: &Item, level: u32) -> String {
    let Some(path) = &item.path else { return String::new() };
    match item.detail.cut(level) {
        Excerpt::Summary { problems, .. } => {
            let parts = usize::try_from(problems).unwrap_or(usize::MAX).saturating_add(1);
            report_parts(report, path).take(parts).collect()
        }
        Excerpt::Whole | Excerpt::Head | Excerpt::HeadAndTail { .. } | Excerpt::Turns { .. } => {
            report_whole(report, path)
        }
    }
}
