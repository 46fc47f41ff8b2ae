//! Load plans: measures the growth from 1,000 to 10,000 failed samples. Linear growth is 10.
//!
//! `cargo xtask bench handoff` runs it.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::hint::black_box;
use std::time::{Duration, Instant};
use tuckbox::Result;
use tuckbox::handoff::{ExecuteToInit, Package, Part, PlanHandoff, Report};
use tuckbox::prompt::tokens::Estimate;
use tuckbox::value::json::{Field, Json, Object};

const SMALL: usize = 1_000;
const LARGE: usize = 10_000;
const RUNS: usize = 7;

fn main() -> Result<()> {
    println!("handoff: a load plan over an index of failed samples, best of {RUNS}");
    for (label, budget) in [("40,000 tokens", 40_000), ("no limit", u64::MAX)] {
        let small = best(&planning(SMALL, budget)?)?;
        let large = best(&planning(LARGE, budget)?)?;
        let growth = large.as_secs_f64() / small.as_secs_f64().max(1e-9);
        println!(
            "  budget {label:>13}: {SMALL} samples {:8.2} ms, {LARGE} samples {:8.2} ms, growth {growth:.1} (linear is {})",
            small.as_secs_f64() * 1e3,
            large.as_secs_f64() * 1e3,
            LARGE / SMALL,
        );
    }
    Ok(())
}

fn best(planning: &PlanHandoff) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        black_box(planning.plan(&Estimate)?);
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// An index of `count` failed samples and a report with a problem for every hundred of them.
fn planning(count: usize, budget: u64) -> Result<PlanHandoff> {
    let mut package = ExecuteToInit::new("2026-01-04T15:30:00", "scenarios/leave/iteration_12");
    package.trigger_reason = "too many failures".into();
    package.modification_suggestions_summary = vec!["a".into(), "b".into(), "c".into()];
    for at in 0..count {
        package.failure_samples_index.push(entry(at)?);
    }
    let report = report(count)?;
    let mut planning = PlanHandoff::new(Package::ExecuteToInit(package), Some(report));
    planning.budget = budget;
    Ok(planning)
}

fn entry(at: usize) -> Result<Object> {
    let id = format!("BS_MT_{at:05}");
    let mut entry = Object::from_iter([("sample_id".to_owned(), Json::from(id.as_str()))]);
    for part in Part::ALL {
        entry.insert(part.path_field().to_owned(), part.path(&id)?.as_str().into());
    }
    let priority = ["high", "medium", "low"].get(at % 3).copied().unwrap_or("low");
    entry.insert("conversation_turns".to_owned(), (at % 60).into());
    entry.insert("checkers_failed".to_owned(), vec!["leave_balance_deducted"].into());
    entry.insert("priority".to_owned(), priority.into());
    Ok(entry)
}

fn report(count: usize) -> Result<Report> {
    let problems = (0..count / 100).map(|at| {
        let samples: Vec<String> =
            (at * 100..at * 100 + 100).map(|id| format!("BS_MT_{id:05}")).collect();
        let fix = [("target", "a"), ("section", "b"), ("modification", "c"), ("rationale", "d")];
        Json::from([
            ("problem_id", Json::from(format!("L1P_{at:03}"))),
            ("problem_type", "BusinessRule_Unclear".into()),
            ("severity", "high".into()),
            ("title", "balance".into()),
            ("description", "when the balance is deducted is not clear".into()),
            ("typical_case_id", samples.first().cloned().into()),
            ("affected_count", samples.len().into()),
            ("affected_samples", samples.into()),
            ("evidence_summary", "seen in all of them".into()),
            ("suggested_fix", Json::from(fix)),
        ])
    });
    let report = Json::from([
        ("report_version", Json::from("1.0")),
        ("generated_at", "2026-01-04T15:30:00".into()),
        ("iteration", 12_u64.into()),
        ("total_samples", count.into()),
        ("failed_samples", count.into()),
        ("failure_rate", 1_u64.into()),
        ("layer1_problems", Json::Array(problems.collect())),
        ("modification_priority", Json::Array(Vec::new())),
    ]);
    Report::from_json(&Field::root(&report))
}
