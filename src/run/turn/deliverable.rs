//! Cards that the rules write: fallback deliverables and results of tools.

use crate::run::rows::StepCard;
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{card_text, object};
use crate::value::card::{AfterExecution, Card, Content, NewCard, ToolResult};
use crate::value::json::{Json, Object, ParseLimits};
use crate::value::limits::Limits;
use std::borrow::Cow;

/// Indexes a card by its step and its call.
pub(crate) fn index_card(tx: &mut Transaction<'_>, card: &Card) -> Run<()> {
    let text = |key: &str| card.metadata.get(key).and_then(Json::as_str).map(str::to_owned);
    let step_id = text("step_id").filter(|step| !step.is_empty());
    let tool_call_id = card.tool_call_id.clone().or_else(|| text("tool_call_id"));
    if step_id.is_none() && tool_call_id.is_none() {
        return Ok(());
    }
    let (status, after) = match &card.content {
        Content::ToolResult(result) => {
            (Some(result.status.clone()), Some(result.after_execution.as_str().to_owned()))
        }
        _ => (None, None),
    };
    let row = StepCard {
        card_id: card_text(&card.card_id),
        step_id,
        tool_call_id,
        card_type: card.card_type().unwrap_or_default().to_owned(),
        created_at: card.created_at().unwrap_or_else(|| tx.now()),
        seq: tx.rank(),
        calls: card.tool_calls.as_ref().map(|calls| !calls.is_empty()),
        status,
        after_execution: after,
    };
    tx.put(&row, "card", "a card of a step")
}

/// Makes a card and indexes it.
pub(crate) fn make(tx: &mut Transaction<'_>, new: NewCard) -> Run<Card> {
    let card = tx.make_card(new)?;
    index_card(tx, &card)?;
    Ok(card)
}

/// Makes the deliverable of a turn from the arguments of the call that delivers it: each is a field. A value
/// that is not text is JSON text.
pub(crate) fn deliver_fields(
    tx: &mut Transaction<'_>,
    author_id: &str,
    mut metadata: Object,
    arguments: &str,
) -> Run<String> {
    // the card has only texts: the depth of the arguments does not matter
    let limits = ParseLimits { max_depth: Limits::MAX_DEPTH, ..ParseLimits::default() };
    let given: Vec<(String, Json)> = match Json::parse_bytes(arguments.as_bytes(), &limits)? {
        Json::Object(object) => object.into_iter().collect(),
        Json::Array(items) => {
            items.into_iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        other => vec![("output".to_owned(), other)],
    };
    let text = |value: Json| match value {
        Json::String(text) => text,
        other => other.to_string(),
    };
    let fields = given.into_iter().map(|(name, value)| [("name", name), ("value", text(value))]);
    let data = object! {
        "schema_version" => 1_i64,
        "kind" => "deliverable",
        "status" => "success",
        "fields" => fields.map(Json::from).collect::<Vec<_>>(),
    };
    metadata.insert("role".into(), "assistant".into());
    let content = Content::json(Json::Object(data))?;
    let new = NewCard { metadata, ..NewCard::new(DELIVERABLE, author_id, content) };
    Ok(card_text(&tx.make_card(new)?.card_id))
}

/// The type of the card that a turn delivers.
const DELIVERABLE: &str = "task.deliverable";

/// The deliverable of a turn that has none.
pub(crate) struct Fallback<'a> {
    pub source: &'a str,
    pub author_id: &'a str,
    pub headline: &'a str,
    pub reason: &'a str,
    pub terminal_status: &'a str,
    pub partial: bool,
    /// The text of the last thought.
    pub thought: String,
    pub tool_results: usize,
    pub diagnostics: Object,
    pub metadata: Object,
}

/// Returns the headline of a fallback deliverable.
pub(crate) const fn headline(partial: bool) -> &'static str {
    if partial {
        "Partial result (turn did not finish cleanly)."
    } else {
        "Final result (fallback deliverable; no explicit task.deliverable was produced)."
    }
}

/// Returns the last thought among cards, and the number of tool results.
pub(crate) fn summary(cards: &[Cow<'_, Card>]) -> (String, usize) {
    let thoughts = cards.iter().filter(|card| card.card_type() == Some("agent.thought"));
    let last = thoughts.map(|card| card.content.text_view()).rfind(|text| !text.trim().is_empty());
    let results = cards.iter().filter(|card| card.card_type() == Some("tool.result")).count();
    (last.map(|text| text.trim().to_owned()).unwrap_or_default(), results)
}

/// Returns the last deliverable among cards.
pub(crate) fn deliverable(cards: &[Cow<'_, Card>]) -> Option<String> {
    let found = cards.iter().rfind(|card| card.card_type() == Some(DELIVERABLE));
    found.map(|card| card_text(&card.card_id))
}

/// Makes the deliverable of a turn that has none, and appends it to the output box.
pub(crate) fn append_fallback(
    tx: &mut Transaction<'_>,
    output: &str,
    fallback: Fallback<'_>,
) -> Run<String> {
    if tx.dialect.plain_deliverables {
        return append_plain(tx, output, fallback);
    }
    let Fallback { reason, partial, thought, tool_results, .. } = fallback;
    let summary =
        if partial { "Partial result available." } else { "Final fallback result available." };
    let shown = if thought.is_empty() { format!("reason={reason}") } else { thought.clone() };
    let tail = if thought.is_empty() {
        "No agent thought content available.".to_owned()
    } else {
        format!("Last agent thought (may be incomplete):\n{thought}")
    };
    let message = format!(
        "{}\nReason: {reason}\nCollected tool results: {tool_results}\n\n{tail}",
        fallback.headline
    );
    let field = |name: &str, value: &str| Json::from([("name", name), ("value", value)]);
    let mut diagnostics = object! {
        "source" => fallback.source,
        "tool_result_count" => tool_results,
        "last_agent_thought" => thought,
        "partial" => partial,
        "terminal_status" => fallback.terminal_status,
    };
    diagnostics.extend(fallback.diagnostics);
    let data = object! {
        "schema_version" => 1_i64,
        "kind" => "fallback_deliverable",
        "status" => if partial { "partial" } else { "success" },
        "partial" => partial,
        "message" => message,
        "fields" => vec![field("summary", summary), field("output", &shown), field("reason", reason)],
        "diagnostics" => diagnostics,
    };
    let mut metadata = fallback.metadata;
    metadata.insert("role".into(), "assistant".into());
    metadata.insert("partial".into(), partial.into());
    let content = Content::json(Json::Object(data))?;
    let new = NewCard { metadata, ..NewCard::new(DELIVERABLE, fallback.author_id, content) };
    let card = card_text(&make(tx, new)?.card_id);
    tx.append(output, std::slice::from_ref(&card))?;
    Ok(card)
}

/// Makes a deliverable with only the last text of the model, and the error of a failed turn. The
/// rest is in the metadata, which models do not see.
fn append_plain(tx: &mut Transaction<'_>, output: &str, fallback: Fallback<'_>) -> Run<String> {
    let Fallback { reason, partial, thought, .. } = fallback;
    let field = |name: &str, value: &str| Json::from([("name", name), ("value", value)]);
    let mut fields = Vec::new();
    if !thought.is_empty() || !partial {
        fields.push(field("output", &thought));
    }
    if partial {
        fields.push(field("error", reason));
    }
    let data = object! {
        "status" => if partial { "failed" } else { "success" },
        "fields" => fields,
    };
    let mut metadata = fallback.metadata;
    metadata.extend(object! {
        "role" => "assistant",
        "partial" => partial,
        "is_fallback" => true,
        "source" => fallback.source,
        "reason" => reason,
        "tool_result_count" => fallback.tool_results,
    });
    metadata.extend(fallback.diagnostics);
    let content = Content::json(Json::Object(data))?;
    let new = NewCard { metadata, ..NewCard::new(DELIVERABLE, fallback.author_id, content) };
    let card = card_text(&make(tx, new)?.card_id);
    tx.append(output, std::slice::from_ref(&card))?;
    Ok(card)
}

/// Returns true for a deliverable that the rules wrote.
pub(crate) fn is_fallback(card: &Card) -> bool {
    let marked = card.metadata.get("is_fallback").is_some_and(Json::is_truthy);
    let kind = match &card.content {
        Content::Json(data) => data.get("kind").and_then(Json::as_str),
        _ => None,
    };
    marked || kind == Some("fallback_deliverable")
}

/// The result of a tool that failed.
pub(crate) struct FailedResult<'a> {
    pub author_id: &'a str,
    pub tool_call_id: &'a str,
    pub function_name: &'a str,
    pub status: &'a str,
    pub after: AfterExecution,
    pub error: Object,
    pub metadata: Object,
}

/// Makes the card of a failed result.
pub(crate) fn failed_result(tx: &mut Transaction<'_>, failed: FailedResult<'_>) -> Run<Card> {
    let content = Content::ToolResult(ToolResult {
        status: failed.status.to_owned(),
        after_execution: failed.after,
        result: Json::Null,
        error: Some(failed.error),
    });
    tool_result(
        tx,
        failed.author_id,
        failed.tool_call_id,
        failed.function_name,
        content,
        failed.metadata,
    )
}

/// Makes the card of a result.
pub(crate) fn tool_result(
    tx: &mut Transaction<'_>,
    author_id: &str,
    tool_call_id: &str,
    function_name: &str,
    content: Content,
    mut metadata: Object,
) -> Run<Card> {
    metadata.insert("role".into(), "tool".into());
    metadata.insert("tool_call_id".into(), tool_call_id.into());
    metadata.insert("function_name".into(), function_name.into());
    make(
        tx,
        NewCard {
            metadata,
            tool_call_id: Some(tool_call_id.to_owned()),
            ..NewCard::new("tool.result", author_id, content)
        },
    )
}

/// Writes JSON with two spaces per level.
pub(crate) fn pretty(json: &Json) -> String {
    let mut out = String::new();
    write_pretty(json, 0, &mut out);
    out
}

fn write_pretty(json: &Json, level: usize, out: &mut String) {
    let indent = |out: &mut String, level: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(level));
    };
    match json {
        Json::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                indent(out, level + 1);
                write_pretty(item, level + 1, out);
            }
            indent(out, level);
            out.push(']');
        }
        Json::Object(object) if !object.is_empty() => {
            out.push('{');
            for (at, (key, value)) in object.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                indent(out, level + 1);
                out.push_str(&Json::from(key.as_str()).to_string());
                out.push_str(": ");
                write_pretty(value, level + 1, out);
            }
            indent(out, level);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}
