//! The result of a batch.

use crate::run::rows::Task;
use crate::run::rows::status::{BatchStatus, TaskStatus};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{any_text, object, present, text_of};
use crate::value::arguments::arguments;
use crate::value::card::{AfterExecution, Card, Content};
use crate::value::json::{Json, Object};

/// A row of a task. Operations read its status, output box, error and metadata.
type TaskInput = Object;

/// The result of a batch.
type BatchResult = Json;

shape! {
    /// A row of a task.
    pub struct TaskInput {
        pub status: Maybe<Json>,
        pub output_box_id: Maybe<Json>,
        pub error_detail: Maybe<Json>,
        pub metadata: Maybe<Json>,
        #[serde(flatten)]
        pub more: Object,
    }

    /// The result of a batch.
    pub struct BatchResult {
        pub status: String,
        pub results: Vec<TaskResult>,
    }

    /// The result of a task.
    pub struct TaskResult {
        pub task_index: i64,
        pub status: String,
        pub summary: Maybe<String>,
        pub output_box_id: Maybe<String>,
        pub error: Maybe<String>,
    }
}

arguments! {
    /// Builds the result of a batch.
    ///
    /// ```
    /// use tuckbox::run::BuildBatchResult;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = BuildBatchResult::from_json(&json!({"status": "success", "tasks": [{"status": "success"}]}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let built = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!(built, json!({"status": "success", "results": [{"task_index": 0, "status": "success"}]}));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct BuildBatchResult {
        /// The status of the batch.
        pub status: String,
        /// The rows of the tasks.
        pub tasks: Vec<TaskInput>,
        shared terms: RunTerms,
    }
}

perform! {
    BuildBatchResult -> BatchResult {
        |call, _tx| {
            let tasks: Vec<TaskOutcome> = call.tasks.iter().map(TaskOutcome::read).collect();
            Ok(build(&call.status, &tasks))
        }
    }
}

/// The outcome of a task.
pub(crate) struct TaskOutcome {
    /// The status.
    pub status: String,
    /// The output box.
    pub output_box_id: Option<String>,
    /// The error.
    pub error_detail: Option<String>,
    /// The metadata, with the index and the view.
    pub metadata: Object,
}

impl TaskOutcome {
    /// Reads the outcome of a task from its row.
    fn read(task: &TaskInput) -> Self {
        let text = |key: &str| task.get(key).and_then(any_text);
        Self {
            status: text("status")
                .filter(|status| !status.is_empty())
                .unwrap_or_else(|| "failed".into()),
            output_box_id: text("output_box_id"),
            error_detail: text("error_detail"),
            metadata: task.get("metadata").and_then(Json::as_object).cloned().unwrap_or_default(),
        }
    }

    /// Returns the outcome of a task.
    pub fn of(task: &Task) -> Self {
        Self {
            status: task.status.as_str().to_owned(),
            output_box_id: task.output_box_id.clone(),
            error_detail: task.error_detail.clone(),
            metadata: task.metadata.clone(),
        }
    }
}

/// Returns the index of a task among the results: that of its metadata, or its position.
pub(crate) fn index_of(value: Option<&Json>, position: usize) -> i64 {
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    value.and_then(task_index).unwrap_or(position)
}

/// Reads the index of a task: a whole number from 0 on, or its digits.
pub(crate) fn task_index(value: &Json) -> Option<i64> {
    let index = match value {
        Json::Number(number) if number.is_integer() => number.whole(),
        Json::String(text) => digits(text.trim()),
        _ => None,
    };
    index.filter(|index| *index >= 0)
}

/// Reads decimal digits of any script.
fn digits(text: &str) -> Option<i64> {
    if text.is_empty() {
        return None;
    }
    text.chars().try_fold(0_i64, |whole, digit| {
        let digit = i64::from(decimal_digit(digit)?);
        whole.checked_mul(10)?.checked_add(digit)
    })
}

/// Returns the value of a decimal digit. Each script has a block of ten digits that starts at its zero.
fn decimal_digit(digit: char) -> Option<u32> {
    const ZEROS: [u32; 20] = [
        0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
        0xE50, 0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0xFF10,
    ];
    let code = u32::from(digit);
    ZEROS.iter().find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10))
}

/// Returns the text of a value.
fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(_) | Json::Object(_) => value.spaced(),
        Json::Null | Json::Bool(_) | Json::Number(_) => value.text_form(),
    }
}

/// Returns the summary in a view: its digest, or the field `summary`.
fn summary(view: &Object) -> Option<String> {
    let digest = view.get("digest").filter(|digest| !digest.is_null()).map(shown);
    if let Some(digest) = digest.filter(|digest| !digest.trim().is_empty()) {
        return Some(digest);
    }
    let fields = view.get("result_fields").and_then(Json::as_array)?;
    let named = |field: &&Json| {
        let name = field.get("name").and_then(Json::as_str).unwrap_or_default();
        name.trim().eq_ignore_ascii_case("summary")
    };
    // the first field of this name decides, also if it is empty
    let value = fields.iter().find(named)?.get("value").filter(|value| !value.is_null())?;
    Some(shown(value).trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the result of a batch: its status, and the outcome of every task by index.
pub(crate) fn build(status: &str, tasks: &[TaskOutcome]) -> Json {
    let mut results: Vec<(i64, Object)> = Vec::with_capacity(tasks.len());
    for (position, task) in tasks.iter().enumerate() {
        let index = index_of(task.metadata.get("task_index"), position);
        let none = Object::default();
        let view = task.metadata.get("result_view").and_then(Json::as_object).unwrap_or(&none);
        let mut result = object! { "task_index" => index, "status" => task.status.as_str() };
        if let Some(summary) = summary(view) {
            result.insert("summary".into(), summary.into());
        }
        if let Some(output) = task.output_box_id.as_deref().filter(|id| !id.is_empty()) {
            result.insert("output_box_id".into(), output.into());
        }
        if task.status != "success" {
            let error = task
                .error_detail
                .clone()
                .filter(|error| !error.is_empty())
                .or_else(|| text_of(view, "tool_result_error"))
                .or_else(|| text_of(view, "error_code"));
            if let Some(error) = error {
                result.insert("error".into(), error.into());
            }
        }
        results.push((index, result));
    }
    results.sort_by_key(|(index, _)| *index);
    let results: Vec<Json> = results.into_iter().map(|(_, result)| Json::Object(result)).collect();
    Json::Object(object! { "status" => status, "results" => results })
}

/// Returns the view of a child's deliverable, and of the result that ended it.
pub(crate) fn view(
    tx: &mut Transaction<'_>,
    deliverable: Option<&str>,
    tool_result: Option<&str>,
    structured: bool,
) -> Run<Object> {
    tx.want_card(deliverable);
    tx.want_card(tool_result.filter(|_| structured));
    let mut view = match deliverable.filter(|id| !id.is_empty()) {
        None => object! { "error_code" => "missing_deliverable_card_id" },
        Some(id) => {
            let card = tx.card(id)?;
            let mut view = object! { "deliverable_card_id" => id };
            deliverable_view(card.as_ref(), &mut view);
            view
        }
    };
    if let Some(id) = tool_result.filter(|id| !id.is_empty()) {
        view.insert("tool_result_card_id".into(), id.into());
        if structured {
            match tx.card(id)?.map(|card| card.content) {
                None => {
                    drop(view.insert("tool_result_error".into(), "tool_result_not_found".into()))
                }
                Some(Content::ToolResult(result)) => {
                    let control = result.result.get("__cg_control");
                    let given = control.and_then(|control| control.get("after_execution"));
                    let after = match given.and_then(Json::as_str) {
                        Some("terminate") => AfterExecution::Terminate,
                        Some("suspend") => AfterExecution::Suspend,
                        Some(_) | None => result.after_execution,
                    };
                    let payload = object! {
                        "status" => result.status,
                        "after_execution" => after.as_str(),
                        "result" => result.result,
                        "error" => result.error,
                    };
                    view.insert("tool_result_payload".into(), Json::Object(payload));
                }
                Some(_) => {
                    view.insert("tool_result_error".into(), "tool_result_read_failed".into());
                }
            }
        }
    }
    Ok(view)
}

fn deliverable_view(card: Option<&Card>, view: &mut Object) {
    let Some(card) = card else {
        view.insert("digest".into(), "".into());
        return;
    };
    let fields = match &card.content {
        Content::Json(data) => data.get("fields").and_then(Json::as_array),
        _ => None,
    };
    let Some(fields) = fields else {
        let text = match &card.content {
            Content::Json(data) => data.spaced(),
            other => other.text_view(),
        };
        view.insert("digest".into(), text.trim().into());
        return;
    };
    let mut named = Vec::new();
    for field in fields {
        let name = field.get("name").and_then(Json::as_str).map(str::trim);
        let Some(name) = present(name) else { continue };
        let value = match field.get("value").unwrap_or(&Json::Null) {
            Json::String(text) => text.clone(),
            other => other.spaced(),
        };
        named.push((name.to_owned(), value));
    }
    let digest: Vec<String> = named
        .iter()
        .take(5)
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    view.insert("digest".into(), digest.join(" | ").trim().into());
    let fields =
        named.into_iter().map(|(name, value)| Json::from([("name", name), ("value", value)]));
    view.insert("result_fields".into(), fields.collect());
}

/// The statuses of a task that end a batch with `fail_fast`.
pub(super) const FAILED: [TaskStatus; 3] =
    [TaskStatus::Failed, TaskStatus::Canceled, TaskStatus::Timeout];

/// Returns the status of a batch that ends; `None` if it does not end yet.
pub(crate) fn verdict(
    fail_fast: bool,
    task_count: i64,
    tasks: &[TaskStatus],
) -> Option<BatchStatus> {
    let any = |status: TaskStatus| tasks.contains(&status);
    if fail_fast && FAILED.into_iter().any(any) {
        return Some(BatchStatus::Failed);
    }
    let done = tasks.iter().filter(|status| status.is_final()).count();
    if i64::try_from(done).unwrap_or(i64::MAX) < task_count {
        return None;
    }
    Some(if !tasks.is_empty() && tasks.iter().all(|status| *status == TaskStatus::Success) {
        BatchStatus::Success
    } else if any(TaskStatus::Success) {
        BatchStatus::Partial
    } else if any(TaskStatus::Failed) {
        BatchStatus::Failed
    } else if any(TaskStatus::Timeout) {
        BatchStatus::Timeout
    } else if any(TaskStatus::Partial) {
        BatchStatus::Partial
    } else {
        BatchStatus::Failed
    })
}
