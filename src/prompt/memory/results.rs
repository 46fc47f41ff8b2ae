//! The results of map-reduce workers: `mapreduce_results` of the state, by the id of their task.

use super::Memory;
use super::effect::{Effect, Step};
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json, Object};
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};

const KEY: &str = "mapreduce_results";

/// The result of a map-reduce worker.
pub(super) struct TaskResult(pub Object);

shape! {
    /// The result of a map-reduce worker.
    pub struct TaskResult {
        /// The id of the task.
        pub task_id: CardId,
        #[serde(flatten)]
        pub more: Object,
    }
}

impl Argument for TaskResult {
    fn read(field: &Field<'_>) -> Result<Self> {
        let result = field.object()?;
        let id = result.required("task_id")?;
        if id.string()?.is_empty() {
            return Err(id.error("`task_id` must not be empty"));
        }
        Ok(Self(result.json().clone()))
    }
}

/// Adds results. A known result stays in its position. A newer result of the same task replaces it, so
/// that a worker that ran again counts once.
pub(super) fn add(memory: &mut Memory, given: &[Object]) -> Result<Vec<Step>> {
    let kept = taken(memory)?;
    let mut places = StrMap::new();
    for (position, known) in kept.iter().enumerate() {
        if let Some(id) = known.get("task_id").and_then(Json::as_str) {
            // the first result of a task has its position
            places.insert_new(id, position);
        }
    }
    let mut ledger = Vec::with_capacity(given.len());
    for result in given {
        let id = task_id(result).unwrap_or_default().to_owned();
        let new = Json::Object(result.clone());
        let there = places.get(&id).copied();
        let effect = match there.and_then(|position| Some((position, kept.get_mut(position)?))) {
            Some((position, known)) if known.same_value(&new) => Effect::AlreadyThere { position },
            Some((position, known)) => {
                *known = new;
                Effect::Replaced { position }
            }
            None => {
                places.insert_new(id.as_str(), kept.len());
                kept.push(new);
                Effect::Appended { position: kept.len() - 1 }
            }
        };
        ledger.push(Step { id, effect });
    }
    Ok(ledger)
}

/// Removes all results, before the next task is split.
pub(super) fn clear(memory: &mut Memory) -> Result<Vec<Step>> {
    let kept = std::mem::take(taken(memory)?);
    let ids = kept.iter().filter_map(Json::as_object).filter_map(task_id);
    Ok(ids.map(|id| Step { id: id.to_owned(), effect: Effect::Cleared }).collect())
}

/// Returns the number of results.
pub(super) fn count(memory: &Memory) -> usize {
    memory.rest.get(KEY).and_then(Json::as_array).map_or(0, <[Json]>::len)
}

fn task_id(result: &Object) -> Option<&str> {
    result.get("task_id").and_then(Json::as_str)
}

/// Returns the list of results.
fn taken(memory: &mut Memory) -> Result<&mut Vec<Json>> {
    let kept = memory.rest.get_or_insert_with(KEY, || Json::Null);
    if kept.is_null() {
        *kept = Json::Array(Vec::new());
    }
    match kept {
        Json::Array(results) => Ok(results),
        other => {
            let message = format!("expected a list, found {}", other.kind());
            Err(Error::bad_request(message).at(Path::root().key("state").key(KEY)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Change, reduce};
    use super::*;

    fn change(text: &str) -> Result<Change> {
        Change::read(&Field::root(&Json::parse(text).unwrap()))
    }

    fn effects(steps: &[Step]) -> Vec<(&str, &Effect)> {
        steps.iter().map(|step| (step.id.as_str(), &step.effect)).collect()
    }

    #[test]
    fn a_result_that_arrives_twice_counts_once_and_a_newer_one_takes_its_place() {
        let add = change(
            r#"{"op": "add_results", "results": [{"task_id": "t1", "out": 1}, {"task_id": "t2", "out": 2}]}"#,
        )
        .unwrap();
        let first = reduce(Memory::new(), &add).unwrap();
        let again = reduce(first.memory, &add).unwrap();
        assert_eq!(
            effects(&again.ledger),
            [
                ("t1", &Effect::AlreadyThere { position: 0 }),
                ("t2", &Effect::AlreadyThere { position: 1 })
            ]
        );
        let newer = change(r#"{"op": "add_results", "results": [{"task_id": "t1", "out": 3}]}"#);
        let newer = reduce(again.memory, &newer.unwrap()).unwrap();
        assert_eq!(effects(&newer.ledger), [("t1", &Effect::Replaced { position: 0 })]);
        assert_eq!(
            newer.memory.rest().get(KEY).unwrap().to_string(),
            r#"[{"task_id":"t1","out":3},{"task_id":"t2","out":2}]"#
        );
        let cleared = reduce(newer.memory, &change(r#"{"op": "clear_results"}"#).unwrap()).unwrap();
        assert_eq!(effects(&cleared.ledger), [("t1", &Effect::Cleared), ("t2", &Effect::Cleared)]);
        assert_eq!(cleared.memory.rest().get(KEY).unwrap().to_string(), "[]");
    }

    #[test]
    fn a_result_without_a_task_is_refused() {
        for (text, path) in [
            (r#"{"op": "add_results", "results": [{"out": 1}]}"#, "results[0].task_id"),
            (r#"{"op": "add_results", "results": [{"task_id": ""}]}"#, "results[0].task_id"),
            (r#"{"op": "add_results", "results": ["x"]}"#, "results[0]"),
            (r#"{"op": "add_results", "result": []}"#, "result"),
            (r#"{"op": "clear_results", "all": true}"#, "all"),
        ] {
            assert_eq!(change(text).unwrap_err().path().to_string(), path);
        }
    }
}
