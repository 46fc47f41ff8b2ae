//! The text of a card, for rows and searches: its content, its reasoning and its tool calls.

use crate::value::card::{Card, Content};
use crate::value::json::{Json, Object, trim};
use std::borrow::Cow;

/// Returns all text of a card that a search looks at.
pub(super) fn searched_text(card: &Card) -> Cow<'_, str> {
    let content = card.content.shown_text();
    let reasoning = reasoning(card);
    let calls = card.tool_calls.as_deref().unwrap_or_default();
    if reasoning.is_empty() && calls.is_empty() {
        return content;
    }
    let mut text = content.into_owned();
    let calls = calls.iter().filter_map(function);
    let calls = calls.map(|(name, arguments)| [name, arguments].join(" "));
    for part in std::iter::once(reasoning.to_owned()).chain(calls) {
        if !text.is_empty() && !part.is_empty() {
            text.push('\n');
        }
        text.push_str(&part);
    }
    text.into()
}

/// Returns the most useful text of a card: its content, otherwise its tool calls, otherwise its
/// reasoning.
pub(super) fn gist(card: &Card) -> String {
    let content = of_content(&card.content);
    if !trim(&content).is_empty() {
        return content;
    }
    let calls = card.tool_calls.as_deref().unwrap_or_default();
    let calls: Vec<String> = calls.iter().filter_map(function).map(call).collect();
    if calls.is_empty() { reasoning(card).to_owned() } else { calls.join(", ") }
}

/// Returns the reasoning on a card.
fn reasoning(card: &Card) -> &str {
    card.metadata.get("reasoning_content").and_then(Json::as_str).unwrap_or_default()
}

/// Returns the name and the arguments of a tool call.
fn function(call: &Object) -> Option<(&str, &str)> {
    let function = call.get("function")?;
    let text = |key: &str| function.get(key).and_then(Json::as_str);
    Some((text("name")?, text("arguments").unwrap_or_default()))
}

/// Describes a call by its tool and its first text: "Edit src/retry.ts".
fn call((name, arguments): (&str, &str)) -> String {
    let Ok(Json::Object(given)) = Json::parse(arguments) else {
        return [name, arguments].join(" ");
    };
    let first = given.values().filter_map(Json::as_str).find(|text| !trim(text).is_empty());
    first.map_or_else(|| name.to_owned(), |first| [name, first].join(" "))
}

/// Returns the text of a content, the most useful part first.
fn of_content(content: &Content) -> String {
    match content {
        Content::ToolCall(call) => {
            format!("{} {}", call.tool_name, Json::Object(call.arguments.clone()).spaced())
        }
        Content::ToolResult(result) => {
            let text = match &result.error {
                Some(error) => Json::Object(error.clone()).spaced(),
                None => result.result.spaced(),
            };
            format!("{} {text}", result.status)
        }
        Content::Fields(fields) => {
            let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
            names.join(", ")
        }
        Content::Text(_)
        | Content::Json(_)
        | Content::File(_)
        | Content::Files(_)
        | Content::Tools(_) => content.text_view(),
    }
}
