//! The deliberate differences from the reference systems, each as a rule with a reason and never by
//! case name.
//!
//! A difference is checked only after the plain comparison failed. Every use is counted and
//! printed.

use super::compare::{Actual, Mismatch};
use super::vectors::{Case, Expected};
use tuckbox::value::error::Step;
use tuckbox::{Json, Path};

/// A deliberate difference.
pub struct Difference {
    /// A short name, printed with the number of its cases.
    pub name: &'static str,
    /// The reason for the difference.
    pub reason: &'static str,
    /// The kind of the recorded error that it replaces. `None` if an answer was recorded.
    instead_of: Option<&'static str>,
    /// The places of two answers that can differ. All other places are compared.
    places: &'static [&'static str],
    applies: fn(file: &str, input: &Json, actual: &Actual) -> bool,
}

impl Difference {
    /// Creates a difference of a part of an outcome: of a step of a sequence (`sequence`), or of
    /// some [places](Placed).
    pub const fn of_a_part(name: &'static str, reason: &'static str) -> Self {
        Self { name, reason, instead_of: None, places: &[], applies: |_, _, _| false }
    }
}

/// All differences.
pub const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "a batch with finished tasks keeps their result",
        reason: "a deadline after the end of the last task changes nothing",
        instead_of: None,
        places: &[
            "batch_status",
            "children_terminated",
            "resume.payload.status",
            "resume.card.content.status",
            "resume.card.content.result.status",
            "resume.card.content.error",
            "resume.join_response_metadata.status",
        ],
        applies: |file, input, actual| {
            let open = |task: &Json| {
                matches!(task.get("status").and_then(Json::as_str), Some("pending" | "dispatched"))
            };
            file == "batch"
                && actual.is_ok()
                && input.get("op").and_then(Json::as_str) == Some("deadline")
                && batch_tasks(input).iter().all(|task| !open(task))
        },
    },
    Difference {
        name: "an ended batch has no open tasks",
        reason: "a batch that counts fewer tasks than it has leaves the others running without a receiver",
        instead_of: None,
        places: &["tasks.status", "resume.card.content.result.results.status"],
        applies: |file, input, actual| {
            let count =
                input.get("task_count").and_then(Json::as_number).and_then(|count| count.whole());
            let tasks = i64::try_from(batch_tasks(input).len()).unwrap_or(0);
            file == "batch" && actual.is_ok() && count.is_some_and(|count| count < tasks)
        },
    },
    Difference {
        name: "a field without a name is ignored",
        reason: "the reference system crashes and never joins its batch",
        instead_of: Some("internal"),
        places: &[],
        applies: |file, input, actual| {
            file == "batch"
                && actual.is_ok()
                && input.get("op").and_then(Json::as_str) == Some("build_result")
        },
    },
    Difference {
        name: "a tool result as a deliverable is JSON",
        reason: "the reference system prints a Python object",
        instead_of: None,
        places: &["tasks.result_view.digest", "resume.card.content.result.results.summary"],
        applies: |file, input, actual| {
            let cards = input.get("cards").and_then(Json::as_object);
            let is_result = |card: &Json| {
                let content = card.get("content").and_then(|content| content.get("__type__"));
                content.and_then(Json::as_str) == Some("ToolResultContent")
            };
            file == "batch"
                && actual.is_ok()
                && cards.and_then(|cards| cards.get("card_d")).is_some_and(is_result)
        },
    },
    Difference {
        name: "empty project refused",
        reason: "the oldest system stores the cards under an empty project and their box under `public`",
        instead_of: None,
        places: &[],
        applies: |file, input, actual| {
            file == "pack"
                && is_error(actual, "bad_request")
                && input.get("project_id").and_then(Json::as_str) == Some("")
        },
    },
    Difference {
        name: "structured instruction refused",
        reason: "the reference system prints a list or object as Python source",
        instead_of: None,
        places: &[],
        applies: |file, input, actual| {
            file == "recipes"
                && is_error(actual, "bad_request")
                && instructions(input)
                    .any(|value| value.as_array().is_some() || value.as_object().is_some())
        },
    },
    Difference {
        name: "endless deadline refused",
        reason: "`inf` and `nan` are not JSON numbers; callers omit the deadline instead",
        instead_of: None,
        places: &[],
        applies: |file, input, actual| {
            file == "recipes"
                && is_error(actual, "bad_request")
                && arguments(input).get("deadline_seconds").is_some_and(is_not_finite)
        },
    },
    Difference {
        name: "delegation to the same agent refused",
        reason: "an agent that reuses or clones itself waits for its own turn or forks forever",
        instead_of: None,
        places: &[],
        applies: |file, input, actual| {
            let error = actual.as_ref().err();
            let itself = error.and_then(|error| error.get("details")?.get("agent_id"));
            file == "recipes"
                && is_error(actual, "bad_request")
                && itself.is_some_and(|itself| {
                    tasks(input).any(|task| {
                        task.get("target_ref") == Some(itself)
                            && task.get("target_strategy").and_then(Json::as_str) != Some("new")
                    })
                })
        },
    },
    Difference {
        name: "boxes as a string refused",
        reason: "the reference system splits a string into characters and looks up each as a box",
        instead_of: Some("not_found"),
        places: &[],
        applies: |file, input, actual| {
            file == "recipes"
                && is_error(actual, "bad_request")
                && input.get("inherit_box_ids").is_some_and(|given| given.as_str().is_some())
        },
    },
    Difference {
        name: "two queries refused",
        reason: "the documents allow one query; a `human_message` with another query makes two",
        instead_of: None,
        places: &[],
        applies: |file, input, actual| {
            let human = input.get("human_message").and_then(Json::as_str).unwrap_or_default();
            let truthy = |key: &str| input.get(key).is_some_and(Json::is_truthy);
            file == "compose"
                && is_error(actual, "bad_request")
                && !human.trim().is_empty()
                && (truthy("query") || truthy("checkpoint_messages"))
        },
    },
    Difference {
        name: "block under a wrong key refused",
        reason: "the reference system silently drops a block whose key does not end in `__context`",
        instead_of: None,
        places: &[],
        applies: |file, input, actual| {
            let contexts = input.get("contexts").and_then(Json::as_object);
            file == "compose"
                && is_error(actual, "bad_request")
                && contexts
                    .is_some_and(|blocks| blocks.keys().any(|key| !key.ends_with("__context")))
        },
    },
    Difference {
        name: "lineage that is not a list refused",
        reason: "the reference system splits a string into characters, each as a parent",
        instead_of: None,
        places: &[],
        applies: |file, input, actual| {
            let parents = input.get("box").and_then(|given| given.get("parent_ids"));
            file == "cards"
                && is_error(actual, "invalid_content")
                && parents.is_some_and(|parents| parents.as_array().is_none())
        },
    },
];

/// A difference at some places of an outcome. All other places are compared.
struct Placed {
    difference: Difference,
    file: &'static str,
    places: &'static [&'static str],
    /// Takes the recorded world, the recorded outcome and ours.
    applies: fn(world: &Json, recorded: &Json, ours: &Json) -> bool,
}

/// The recordings of recipes use a mock dispatcher. It accepts every request at epoch 1, unless the
/// world sets another answer.
const PLACED: &[Placed] = &[
    Placed {
        difference: Difference::of_a_part(
            "a queued turn has no epoch yet",
            "the mock dispatcher ignores the receiver; the documented one sets an epoch when it promotes the turn",
        ),
        file: "recipes",
        places: &["result.turn_epoch"],
        applies: |world, recorded, ours| {
            let receiver = text(recorded, &["result", "agent_id"]);
            let status = text(world, &["state", receiver, "status"]);
            !matches!(status, "" | "idle") && text(ours, &["result", "status"]) == "accepted"
        },
    },
    Placed {
        difference: Difference::of_a_part(
            "a reused agent keeps its output box",
            "the oldest system lets the dispatcher create a new box, so the turn loses the agent's earlier output",
        ),
        file: "recipes",
        places: &["result.output_box_id"],
        applies: |world, recorded, ours| {
            let receiver = text(recorded, &["result", "agent_id"]);
            let own = [
                ["state", receiver, "output_box_id"],
                ["pointers", receiver, "last_output_box_id"],
            ];
            let leaves = recorded
                .get("dispatch")
                .is_some_and(|dispatch| dispatch.get("output_box_id").is_none());
            let ours = text(ours, &["result", "output_box_id"]);
            leaves && !ours.is_empty() && own.iter().any(|place| text(world, place) == ours)
        },
    },
    Placed {
        difference: Difference::of_a_part(
            "a refusal has an error code of the dispatcher",
            "the mock dispatcher refuses with a code that no dispatcher has",
        ),
        file: "recipes",
        places: &["result.error_code"],
        applies: |world, _, ours| {
            world.get("dispatch_error_code").is_some()
                && text(ours, &["result", "status"]) != "accepted"
                && !text(ours, &["result", "error_code"]).is_empty()
        },
    },
    Placed {
        difference: Difference::of_a_part(
            "a dispatcher is never busy",
            "the mock dispatcher reports `busy`; the documented system also queues a turn for a busy agent",
        ),
        file: "recipes",
        places: &["result.status"],
        applies: |world, recorded, ours| {
            let of = |outcome| text(outcome, &["result", "status"]);
            text(world, &["dispatch_status"]) == "busy"
                && (of(recorded), of(ours)) == ("busy", "rejected")
        },
    },
    Placed {
        difference: Difference::of_a_part(
            "a refused call writes nothing",
            "the reference system stores cards that have no reader",
        ),
        file: "recipes",
        places: &["new_cards", "author_id"],
        applies: |_, recorded, ours| {
            let is_refused = |outcome| text(outcome, &["result", "status"]) != "accepted";
            is_refused(recorded) && is_refused(ours)
        },
    },
];

/// Removes the mismatches at places of a difference. Returns those differences.
pub fn take_placed(
    file: &str,
    world: &Json,
    expected: &Expected,
    actual: &Actual,
    mismatches: &mut Vec<Mismatch>,
) -> Vec<&'static Difference> {
    let (Expected::Ok(recorded), Ok(ours)) = (expected, actual) else { return Vec::new() };
    let known = PLACED.iter().filter(|placed| placed.file == file);
    let mut by = Vec::new();
    for placed in known.filter(|placed| (placed.applies)(world, recorded, ours)) {
        let before = mismatches.len();
        mismatches
            .retain(|mismatch| !placed.places.iter().any(|place| covers(place, &mismatch.path)));
        if mismatches.len() < before {
            by.push(&placed.difference);
        }
    }
    by
}

/// Returns true if a path is at a place, or below it. The items of a list are one place.
fn covers(place: &str, path: &Path) -> bool {
    let mut keys = path.steps().iter().filter_map(|step| match step {
        Step::Key(key) => Some(&**key),
        Step::Index(_) => None,
    });
    place.split('.').all(|part| keys.next() == Some(part))
}

fn text<'a>(json: &'a Json, keys: &[&str]) -> &'a str {
    let found = keys.iter().try_fold(json, |json, key| json.get(key));
    found.and_then(Json::as_str).unwrap_or_default()
}

/// Returns the difference that explains all mismatches.
pub fn explain(
    file: &str,
    case: &Case,
    expected: &Expected,
    actual: &Actual,
    mismatches: &[Mismatch],
) -> Option<&'static Difference> {
    // a difference never replaces an expected error by an answer
    let recorded = match expected {
        Expected::Ok(_) => None,
        Expected::Error { kind, .. } => Some(kind.as_str()),
    };
    let two_answers = recorded.is_none() && actual.is_ok();
    let is_placed = |difference: &Difference| {
        let covered = |mismatch: &Mismatch| {
            difference.places.iter().any(|place| covers(place, &mismatch.path))
        };
        !two_answers || mismatches.iter().all(covered)
    };
    let mut known = DIFFERENCES.iter().filter(|difference| difference.instead_of == recorded);
    known
        .find(|difference| (difference.applies)(file, &case.input, actual) && is_placed(difference))
}

fn is_error(actual: &Actual, code: &str) -> bool {
    let error = actual.as_ref().err();
    error.and_then(|error| error.get("code")).and_then(Json::as_str) == Some(code)
}

fn batch_tasks(input: &Json) -> &[Json] {
    input.get("tasks").and_then(Json::as_array).unwrap_or_default()
}

fn arguments(input: &Json) -> &Json {
    input.get("arguments").unwrap_or(input)
}

/// Returns the tasks of a recipe's arguments. Arguments without a list of tasks are one task.
fn tasks(input: &Json) -> impl Iterator<Item = &Json> {
    let arguments = arguments(input);
    let tasks = arguments.get("tasks").and_then(Json::as_array).unwrap_or_default();
    tasks.iter().chain([arguments])
}

fn instructions(input: &Json) -> impl Iterator<Item = &Json> {
    tasks(input).flat_map(|task| [task.get("instruction"), task.get("question")]).flatten()
}

/// Returns true if a recorded box or agent has Python's form of a list or object as its name, even
/// without the tag `py_repr`.
pub fn prints_python(file: &str, input: &Json) -> bool {
    if file == "batch" {
        return true;
    }
    let names = |task| ["target_ref", "context_box_id"].map(|key| Json::get(task, key));
    let is_structured = |value: &Json| value.as_array().is_some() || value.as_object().is_some();
    file == "recipes" && tasks(input).flat_map(names).flatten().any(is_structured)
}

fn is_not_finite(value: &Json) -> bool {
    let text = value.as_str().map(|text| text.trim().to_ascii_lowercase());
    // a number that overflows to infinity also counts
    text.and_then(|text| text.parse::<f64>().ok()).is_some_and(|value| !value.is_finite())
}

/// Returns Python's `repr` of a JSON value, for the tag `py_repr`.
pub fn python_repr(value: &Json) -> String {
    let joined = |items: Vec<String>| items.join(", ");
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => value.text_form(),
        Json::String(text) => python_quoted(text),
        Json::Array(items) => format!("[{}]", joined(items.iter().map(python_repr).collect())),
        Json::Object(object) => {
            let entry = |(key, value): (&String, &Json)| {
                format!("{}: {}", python_quoted(key), python_repr(value))
            };
            format!("{{{}}}", joined(object.iter().map(entry).collect()))
        }
    }
}

fn python_quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 || u32::from(c) == 0x7f => {
                out.push_str(&format!("\\x{:02x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::compare::{Options, compare};

    fn case(input: &str) -> Case {
        let input = Json::parse(input).unwrap();
        Case { name: "c".into(), input, tags: Vec::new(), expected: Vec::new() }
    }

    fn refused() -> Actual {
        Err(Json::parse(r#"{"code":"bad_request"}"#).unwrap())
    }

    fn explained(input: &str, actual: &Actual) -> Option<&'static str> {
        let expected = Expected::Ok(Json::Null);
        explain("recipes", &case(input), &expected, actual, &[]).map(|difference| difference.name)
    }

    #[test]
    fn only_listed_differences_are_accepted() {
        let task = r#"{"op":"fork_join","arguments":{"tasks":[{"instruction":["a"]}]}}"#;
        assert_eq!(explained(task, &refused()), Some("structured instruction refused"));
        assert_eq!(explained(task, &Ok(Json::Null)), None);
        let plain = r#"{"op":"fork_join","arguments":{"tasks":[{"instruction":"a"}]}}"#;
        assert_eq!(explained(plain, &refused()), None);
        let endless = r#"{"arguments":{"deadline_seconds":" -Infinity "}}"#;
        assert_eq!(explained(endless, &refused()), Some("endless deadline refused"));
        assert_eq!(explained(r#"{"arguments":{"deadline_seconds":"5"}}"#, &refused()), None);
    }

    #[test]
    fn refused_block_is_accepted_only_for_its_key() {
        let explained = |input: &str| {
            let expected = Expected::Ok(Json::Null);
            explain("compose", &case(input), &expected, &refused(), &[]).map(|found| found.name)
        };
        assert_eq!(
            explained(r#"{"contexts":{"memory_context":"x"}}"#),
            Some("block under a wrong key refused")
        );
        assert_eq!(explained(r#"{"contexts":{"memory__context":"x"}}"#), None);
    }

    #[test]
    fn expected_error_is_never_replaced() {
        let expected = Expected::Error { kind: "not_found".into(), errors: None };
        let input = case(r#"{"arguments":{"instruction":["a"]}}"#);
        assert!(explain("recipes", &input, &expected, &refused(), &[]).is_none());

        let boxes_as_text =
            case(r#"{"op":"pack_context_with_instruction","inherit_box_ids":"b1"}"#);
        let found = explain("recipes", &boxes_as_text, &expected, &refused(), &[]);
        assert_eq!(found.map(|difference| difference.name), Some("boxes as a string refused"));
        assert!(explain("recipes", &boxes_as_text, &expected, &Ok(Json::Null), &[]).is_none());
    }

    #[test]
    fn difference_at_a_place_does_not_affect_others() {
        let json = |text: &str| Json::parse(text).unwrap();
        let recorded = json(r#"{"result":{"agent_id":"a","status":"accepted","turn_epoch":1}}"#);
        let ours = Ok(json(r#"{"result":{"agent_id":"a","status":"accepted"}}"#));
        let left = |file: &str, world: &str| {
            let at = |keys: &[&str]| Mismatch {
                path: keys.iter().fold(Path::root(), |path, key| path.key(*key)),
                expected: String::new(),
                actual: String::new(),
            };
            let mut found = vec![at(&["result", "turn_epoch"]), at(&["result", "status"])];
            let expected = Expected::Ok(recorded.clone());
            let by = take_placed(file, &json(world), &expected, &ours, &mut found);
            assert_eq!(by.len(), 2 - found.len());
            found.iter().map(|mismatch| mismatch.path.to_string()).collect::<Vec<_>>()
        };
        let waits = r#"{"state":{"a":{"status":"suspended"}}}"#;
        assert_eq!(left("recipes", waits), ["result.status"]);
        assert_eq!(left("pack", waits).len(), 2);
        assert_eq!(left("recipes", r#"{"state":{"a":{"status":"idle"}}}"#).len(), 2);
        assert_eq!(left("recipes", "null").len(), 2);
    }

    #[test]
    fn python_repr_matches_python() {
        let value = Json::parse(r#"{"a": [null, true, 1.0, "it's", "\"'", "x\ny"]}"#).unwrap();
        assert_eq!(python_repr(&value), r#"{'a': [None, True, 1.0, "it's", '"\'', 'x\ny']}"#);
    }

    #[test]
    fn difference_of_two_answers_covers_its_places_only() {
        let explained = |ours: &str| {
            let recorded = r#"{"batch_status":"timeout","tasks":[{"status":"success"}]}"#;
            let expected = Expected::Ok(Json::parse(recorded).unwrap());
            let ours = Ok(Json::parse(ours).unwrap());
            let found = compare(&expected, &ours, Options::default());
            let case = case(r#"{"op":"deadline","tasks":[{"status":"success"}]}"#);
            explain("batch", &case, &expected, &ours, &found).map(|found| found.name)
        };
        let kept = Some("a batch with finished tasks keeps their result");
        assert_eq!(explained(r#"{"batch_status":"success","tasks":[{"status":"success"}]}"#), kept);
        assert_eq!(explained(r#"{"batch_status":"success","tasks":[{"status":"failed"}]}"#), None);
    }
}
