//! The report that follows from the records alone: groups of failures, their counts and typical
//! cases. The other fields stay blank.

use super::build::Iteration;
use super::record::SampleRecord;
use super::report::{Problem, Rank, Report, Severity, SuggestedFix};
use crate::value::Map as IndexMap;
use crate::value::json::{Number, Object};
use crate::value::sort::sort_by_key;
use std::cmp::Reverse;
use std::collections::BTreeSet;

pub(super) fn report(iteration: &Iteration, failed: &[&SampleRecord]) -> Report {
    let total = iteration.records.len();
    let mut groups: IndexMap<&str, Vec<&SampleRecord>> = IndexMap::default();
    for record in failed {
        if let Some(key) = record.problem_key() {
            groups.entry(key).or_default().push(record);
        }
    }
    let mut problems: Vec<Problem> =
        groups.into_values().map(|group| problem(&group, failed.len())).collect();
    sort_by_key(&mut problems, |problem| (problem.severity, Reverse(problem.affected_count)));
    number(&mut problems);
    let ranks = problems.iter().zip(1..).map(|(problem, priority)| Rank {
        priority,
        problem_id: problem.problem_id.clone(),
        impact: format!("{} failed samples", problem.affected_count),
        estimated_improvement: format!("+{}%", percent(problem.affected_count, total as u64)),
        extra: Object::default(),
    });
    Report {
        report_version: "1.0".to_owned(),
        generated_at: iteration.timestamp.clone(),
        iteration: iteration.iteration,
        total_samples: total as u64,
        failed_samples: failed.len() as u64,
        failure_rate: rate(failed.len() as u64, total as u64),
        modification_priority: ranks.collect(),
        layer1_problems: problems,
        extra: Object::default(),
    }
}

fn problem(group: &[&SampleRecord], failed: usize) -> Problem {
    let first = |key| group.iter().find_map(|record| record.attributed(key)).map(str::to_owned);
    let failure = first("failure_type").unwrap_or_default();
    let kind = failure.split_once('_').map_or(failure.as_str(), |(_, kind)| kind).to_owned();
    Problem {
        problem_id: first("problem_id").unwrap_or_default(),
        problem_type: first("problem_type").unwrap_or(kind),
        severity: group
            .iter()
            .filter_map(|record| record.severity())
            .min()
            .unwrap_or_else(|| by_share(group.len(), failed)),
        title: first("title").unwrap_or_default(),
        description: first("description").unwrap_or_default(),
        affected_samples: group.iter().map(|record| record.sample_id.clone()).collect(),
        affected_count: group.len() as u64,
        evidence_summary: String::new(),
        typical_case_id: typical(group).map(|record| record.sample_id.clone()).unwrap_or_default(),
        suggested_fix: SuggestedFix::default(),
        extra: Object::default(),
    }
}

/// The default severity: critical from a third of all failures, high from a tenth.
fn by_share(group: usize, failed: usize) -> Severity {
    if group * 3 >= failed {
        Severity::Critical
    } else if group * 10 >= failed {
        Severity::High
    } else {
        Severity::Medium
    }
}

/// Returns the typical case of a group: the one with the most common failed checkers, then the
/// shortest conversation.
fn typical<'a>(group: &[&'a SampleRecord]) -> Option<&'a SampleRecord> {
    let mut shared: IndexMap<Vec<String>, usize> = IndexMap::default();
    for record in group {
        *shared.entry(record.checkers_failed()).or_default() += 1;
    }
    group.iter().copied().min_by_key(|record| {
        let count = shared.get(&record.checkers_failed()).copied().unwrap_or(0);
        (Reverse(count), record.conversation_turns().unwrap_or(usize::MAX))
    })
}

/// Names the problems that have no name, avoiding names that exist.
fn number(problems: &mut [Problem]) {
    let taken: BTreeSet<String> =
        problems.iter().map(|problem| problem.problem_id.clone()).collect();
    let mut next = 0;
    for problem in problems.iter_mut().filter(|problem| problem.problem_id.is_empty()) {
        loop {
            next += 1;
            let name = format!("L1P_{next:03}");
            if !taken.contains(&name) {
                problem.problem_id = name;
                break;
            }
        }
    }
}

fn percent(part: u64, total: u64) -> u64 {
    if total == 0 { 0 } else { (part * 200 + total) / (total * 2) }
}

/// Returns the quotient rounded half up to two decimals.
fn rate(failed: u64, total: u64) -> Number {
    let hundredths = percent(failed, total);
    let text = match (hundredths / 100, hundredths % 100) {
        (whole, rest) if rest % 10 == 0 => format!("{whole}.{}", rest / 10),
        (whole, rest) => format!("{whole}.{rest:02}"),
    };
    Number::from_grammar(&text)
}
