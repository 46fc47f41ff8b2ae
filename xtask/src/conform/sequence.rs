//! Compares recorded orchestration step by step, with its deliberate differences.

use super::bugs::{self, Place};
use super::compare::{Actual, Mismatch, Options, compare};
use super::differences::Difference;
use super::recorded::{drop_orphans, member, shape, text};
use super::vectors::{Case, Expected};
use tuckbox::Json;
use tuckbox::value::error::Step;

const NOT_COMPLETED: Difference = Difference::of_a_part(
    "a turn that is not running cannot be completed",
    "completing a turn that has not started or that waits for tools ends it without an answer",
);
const OLDEST_FIRST: Difference = Difference::of_a_part(
    "messages are processed oldest first",
    "the recorded worker processes claimed messages in the order of its database",
);
const REPEATED: Difference = Difference::of_a_part(
    "a repeated report has the answer of the first",
    "the reference system accepts it under an id that does not exist",
);
const CONTRADICTED: Difference = Difference::of_a_part(
    "a report that contradicts the first is a conflict",
    "the reference system accepts it, discards it and sends a wakeup",
);
const IDLE_FIRST: Difference = Difference::of_a_part(
    "the idle event precedes the next wakeup",
    "otherwise listeners see the next turn before the end of the last one",
);
const NO_ORPHANS: Difference = Difference::of_a_part(
    "a box is created only for an accepted turn",
    "the recorded dispatcher creates it before it accepts, and leaves an unused box",
);

/// What a sequence that passes differs in.
#[derive(Default)]
pub struct Passed {
    pub differences: Vec<&'static Difference>,
    /// The places of steps that show a recorded bug.
    pub bugs: Vec<Place>,
}

/// Compares a sequence step by step. Returns the deliberate differences and recorded bugs that apply,
/// or the mismatches.
///
/// After a difference that does not change rows, later steps are compared too. After one that does,
/// they cannot be compared.
pub fn judge(
    case: &Case,
    expected: &Expected,
    raw: &Actual,
    options: Options,
) -> Result<Passed, Vec<Mismatch>> {
    let actual = shape(case, raw);
    let (Expected::Ok(Json::Array(theirs)), Ok(Json::Array(ours)), Ok(raw)) =
        (expected, &actual, raw)
    else {
        let mismatches = compare(expected, &actual, options);
        return if mismatches.is_empty() { Ok(Passed::default()) } else { Err(mismatches) };
    };
    let (mut theirs, mut ours) = (theirs.clone(), ours.clone());
    let bugs = bugs::take(case, &mut theirs, &ours, options);
    let mut differences = Vec::new();
    let mut settled = Vec::new();
    loop {
        let recorded = Expected::Ok(Json::Array(theirs.clone()));
        let mismatches = compare(&recorded, &Ok(Json::Array(ours.clone())), options);
        let step = mismatches.iter().filter_map(|mismatch| match mismatch.path.steps().first() {
            Some(Step::Index(step)) => Some(*step),
            Some(Step::Key(_)) | None => None,
        });
        let Some(step) = step.min() else {
            if leaves_orphans(&case.input) {
                differences.push(&NO_ORPHANS);
            }
            return match mismatches.is_empty() {
                true => Ok(Passed { differences, bugs }),
                false => Err(mismatches),
            };
        };
        let found = match (theirs.get(step), ours.get(step)) {
            (Some(theirs), Some(ours)) if !settled.contains(&step) => {
                excuse(case, raw, theirs, ours, step, options)
            }
            _ => None,
        };
        let Some((difference, rows)) = found else { return Err(mismatches) };
        differences.push(difference);
        settled.push(step);
        match rows {
            Rows::Stay => {
                if let (Some(theirs), Some(ours)) = (theirs.get_mut(step), ours.get(step)) {
                    theirs.clone_from(ours);
                }
            }
            Rows::Part => {
                theirs.truncate(step);
                ours.truncate(step);
            }
        }
    }
}

/// Returns true if the recorded steps have an unused box.
fn leaves_orphans(case: &Json) -> bool {
    let steps = case.get("steps").and_then(Json::as_array).unwrap_or_default();
    steps.iter().take(bugs::first_step(case)).any(|step| {
        let recorded = member(step, "expected").as_object().cloned().unwrap_or_default();
        let mut without = recorded.clone();
        drop_orphans(&mut without);
        without != recorded
    })
}

/// The effect of a difference on the rows.
enum Rows {
    /// The rows are as recorded.
    Stay,
    /// The rows differ from here on.
    Part,
}

/// Returns the difference that allows another answer in a step without a tag.
fn excuse(
    case: &Case,
    raw: &Json,
    theirs: &Json,
    ours: &Json,
    step: usize,
    options: Options,
) -> Option<(&'static Difference, Rows)> {
    let recorded = case.input.get("steps").and_then(Json::as_array)?.get(step)?;
    let op = text(recorded.get("call")?, "op");
    let raw = raw.as_array()?.get(step)?;
    let same =
        |theirs: Json, ours: Json| compare(&Expected::Ok(theirs), &Ok(ours), options).is_empty();
    let both = |change: &dyn Fn(&Json) -> Json| same(change(theirs), change(ours));
    let is_empty = |key: &str| match ours.get(key) {
        Some(Json::Object(object)) => object.is_empty(),
        Some(Json::Array(list)) => list.is_empty(),
        _ => false,
    };
    let status = |of: &Json| of.get("ok").map_or("", |ok| text(ok, "status")).to_owned();
    match op {
        "turn_complete" if is_empty("changes") && is_empty("messages") && frees_head(theirs) => {
            Some((&NOT_COMPLETED, Rows::Part))
        }
        "worker_wakeup" if claimed_together(raw) > 1 && both(&inbox_changes) => {
            Some((&OLDEST_FIRST, Rows::Part))
        }
        "report" | "tool_result_for" if status(theirs) == "accepted" && no_new_message(theirs) => {
            let code = ours.get("ok").map_or("", |ok| text(ok, "error_code"));
            if status(ours) == "accepted" && both(&without_inbox_id) {
                Some((&REPEATED, Rows::Stay))
            } else if code == "conflict"
                && is_empty("messages")
                && both(&|of| member(of, "changes"))
                && only_wakeups(theirs)
            {
                Some((&CONTRADICTED, Rows::Stay))
            } else {
                None
            }
        }
        _ if reaped(ours) && both(&by_subject) => Some((&IDLE_FIRST, Rows::Stay)),
        _ => None,
    }
}

/// Returns true if a step sends nothing but wakeups.
fn only_wakeups(step: &Json) -> bool {
    let messages = member(step, "messages");
    let messages = messages.as_array().unwrap_or_default();
    messages.iter().all(|message| text(message, "subject").ends_with(".wakeup"))
}

/// Returns true if a step ends the turn of a head.
fn frees_head(step: &Json) -> bool {
    let heads = member(&member(&member(step, "changes"), "agent_state_head"), "update");
    let changes_turn = |head: &Json| member(head, "set").get("active_agent_turn_id").is_some();
    heads.as_array().unwrap_or_default().iter().any(changes_turn)
}

fn claimed_together(raw: &Json) -> usize {
    let claims = |writes: &Json| {
        let rows = writes.get("rows").and_then(Json::as_array).unwrap_or_default();
        let taken =
            |row: &&Json| row.get("row").is_some_and(|row| text(row, "status") == "processing");
        rows.iter().filter(taken).count()
    };
    member(raw, "writes").as_array().unwrap_or_default().iter().map(claims).max().unwrap_or(0)
}

fn inbox_changes(step: &Json) -> Json {
    member(&member(step, "changes"), "agent_inbox")
}

fn no_new_message(step: &Json) -> bool {
    inbox_changes(step).is_null()
}

/// Returns a step without the id of an accepted message.
fn without_inbox_id(step: &Json) -> Json {
    let mut step = step.clone();
    if let Json::Object(step) = &mut step
        && let Some(Json::Object(ok)) = step.get_mut("ok")
        && let Some(Json::Object(payload)) = ok.get_mut("payload")
    {
        payload.remove("inbox_id");
    }
    step
}

fn reaped(step: &Json) -> bool {
    step.to_string().contains("timeout_reaped_by_watchdog")
}

/// Returns a step with its messages sorted by subject.
fn by_subject(step: &Json) -> Json {
    let mut step = step.clone();
    if let Json::Object(step) = &mut step
        && let Some(Json::Array(messages)) = step.get_mut("messages")
    {
        messages.sort_by_key(|message| text(message, "subject").to_owned());
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "inbox_019b76daafd0720bb3e9dc8d289fba44";

    fn reported(inbox_id: &str) -> String {
        format!(r#"{{"status": "accepted", "payload": {{"inbox_id": "{inbox_id}"}}}}"#)
    }

    /// Judges a report, the same report again, and a call that answers 1.
    fn judged(again: &str, last: &str) -> Result<Vec<&'static str>, usize> {
        let step = |op: &str, ok: &str| {
            format!(
                r#"{{"call": {{"op": "{op}"}}, "clock": "2026-01-01T00:00:00Z",
                    "expected": {{"ok": {ok}, "changes": {{}}, "messages": []}}}}"#
            )
        };
        let steps = [
            step("report", &reported("inbox_$id1")),
            step("report", &reported("inbox_$id2")),
            step("due", "1"),
        ];
        let input = Json::parse(&format!(r#"{{"steps": [{}]}}"#, steps.join(","))).unwrap();
        let step_of = |ok: &str| format!(r#"{{"ok": {ok}, "writes": []}}"#);
        let raw = [step_of(&reported(FIRST)), step_of(again), step_of(last)].join(",");
        let raw = Json::parse(&format!("[{raw}]")).unwrap();
        let expected = Expected::Ok(super::super::recorded::expected(&input));
        let case = Case { name: "c".into(), input, tags: Vec::new(), expected: Vec::new() };
        let judged = judge(&case, &expected, &Ok(raw), Options::default());
        judged
            .map(|found| found.differences.iter().map(|difference| difference.name).collect())
            .map_err(|mismatches| mismatches.len())
    }

    #[test]
    fn difference_applies_only_to_its_step() {
        assert_eq!(judged(&reported(FIRST), "1"), Ok(vec![REPEATED.name]));
        assert_eq!(judged(&reported("inbox_019b76daafd0720bb3e9dc8d289fba45"), "1"), Ok(vec![]));
        assert!(judged(&reported(FIRST), "2").is_err());
        let conflict = r#"{"status": "rejected", "error_code": "conflict"}"#;
        assert_eq!(judged(conflict, "1"), Ok(vec![CONTRADICTED.name]));
        assert!(judged(conflict, "2").is_err());
        assert!(judged(r#"{"status": "rejected", "error_code": "unknown_agent"}"#, "1").is_err());
        assert!(judged("null", "1").is_err());
    }
}
