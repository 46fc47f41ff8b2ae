//! Renders one card as a message.

use super::reasoning::{REASONING, THINKING_BLOCKS, reasoning};
use crate::render::lint::RenderLint;
use crate::value::card::{Content, FileRef, ToolResult};
use crate::value::json::{Json, Object};
use crate::value::message::{Content as MessageContent, Failure, Message, Role};
use crate::{Card, Lint, Path};

/// A rendered card.
///
/// Shown by the example of [`render_card`].
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<'a> {
    /// A message.
    Message(Box<Message>),
    /// Tool definitions, outside of the conversation.
    Tools(&'a [Object]),
    /// Nothing: the card is the record of a call that the assistant's message has.
    CallRecord,
}

/// Renders a card.
///
/// - Tool definitions stay tool definitions, regardless of other fields of the card.
/// - A card with `tool_calls` is an assistant's message with these calls; its content is text.
/// - The record of a call becomes nothing, because the assistant's message has the call.
/// - A card with a `tool_call_id` answers that call; its role is `tool` unless it has its own.
/// - A file becomes a list of parts, with `metadata.text` before it.
/// - Text or data whose metadata has a `mime_type`, and `base64` or `uri` as its `encoding`, is
///   media: a placeholder part for a host. Data is its JSON text.
/// - Everything else is text.
///
/// ```
/// use tuckbox::render::{Piece, render_card};
/// use tuckbox::value::message::Role;
/// # use tuckbox::{Card, json, value::json::Field};
/// # let read = |wire| Card::from_row(&Field::root(&wire));
/// let answer = read(json!({"card_id": "c1", "metadata": {}, "tool_call_id": "call_1",
///     "content": {"__type__": "TextContent", "text": "12 degrees"}}))?;
/// let Piece::Message(message) = render_card(&answer) else { panic!() };
/// assert_eq!((message.role, message.tool_call_id.as_deref()), (Role::Tool, Some("call_1")));
///
/// let tools = read(json!({"card_id": "c2", "metadata": {}, "content": {"__type__": "ToolContent", "tools": [{"name": "search"}]}}))?;
/// assert!(matches!(render_card(&tools), Piece::Tools([_])));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn render_card(card: &Card) -> Piece<'_> {
    let message = match &card.content {
        Content::Tools(tools) => return Piece::Tools(tools),
        Content::Text(_)
        | Content::Json(_)
        | Content::Fields(_)
        | Content::File(_)
        | Content::Files(_)
        | Content::ToolCall(_)
        | Content::ToolResult(_) => match form(card) {
            Form::CallRecord => return Piece::CallRecord,
            Form::Calls(calls) => {
                let calls = calls.iter().map(|call| Json::Object(call.clone())).collect();
                let content = message_parts(card)
                    .unwrap_or_else(|| MessageContent::from(card.content.text_view()));
                let message = Message::new(role(card, Role::Assistant), content);
                with_reasoning(card, Message { tool_calls: Some(calls), ..message })
            }
            Form::Answer(call_id) => Message {
                tool_call_id: Some(call_id.to_owned()),
                failure: failure(&card.content),
                ..Message::new(role(card, Role::Tool), text(&card.content))
            },
            Form::Files(files) => {
                let files = files.iter().map(file_part);
                Message::new(role(card, Role::User), parts(card, files))
            }
            Form::Media => {
                let media = media_part(card, text(&card.content));
                Message::new(role(card, Role::User), parts(card, [media].into_iter()))
            }
            Form::Text => {
                let content = message_parts(card)
                    .unwrap_or_else(|| MessageContent::from(text(&card.content)));
                let message = Message::new(role(card, Role::User), content);
                with_reasoning(card, Message { failure: failure(&card.content), ..message })
            }
        },
    };
    Piece::Message(Box::new(message))
}

/// The shape of a message.
enum Form<'a> {
    Calls(&'a [Object]),
    Answer(&'a str),
    Files(&'a [FileRef]),
    Media,
    Text,
    CallRecord,
}

fn form(card: &Card) -> Form<'_> {
    if let Some(calls) = card.tool_calls.as_deref().filter(|calls| !calls.is_empty()) {
        return Form::Calls(calls);
    }
    if matches!(card.content, Content::ToolCall(_)) {
        return Form::CallRecord;
    }
    if let Some(call_id) = card.tool_call_id.as_deref().filter(|id| !id.is_empty()) {
        return Form::Answer(call_id);
    }
    match &card.content {
        Content::File(file) => Form::Files(std::slice::from_ref(file)),
        Content::Files(files) => Form::Files(files),
        Content::Text(_) | Content::Json(_) if is_media(card) => Form::Media,
        Content::Text(_)
        | Content::Json(_)
        | Content::Fields(_)
        | Content::Tools(_)
        | Content::ToolCall(_)
        | Content::ToolResult(_) => Form::Text,
    }
}

/// The key of a card's metadata with the parts of its message. Parts keep the signatures and marks
/// of a model's answer, which text does not have.
///
/// ```
/// use tuckbox::render::MESSAGE_PARTS;
/// use tuckbox::{Content, NewCard, json};
///
/// let mut answer = NewCard::new("agent.message", "agent_a", Content::text("It is noon."));
/// answer.metadata.insert(MESSAGE_PARTS.into(), json!([{"type": "text", "text": "It is noon."}]));
/// assert!(answer.metadata.contains_key("message_parts"));
/// ```
pub const MESSAGE_PARTS: &str = "message_parts";

/// Returns the parts of a message in the metadata of a card.
fn message_parts(card: &Card) -> Option<MessageContent> {
    let parts = card.metadata.get(MESSAGE_PARTS)?.as_array().filter(|parts| !parts.is_empty())?;
    Some(MessageContent::Parts(parts.to_vec()))
}

/// Returns the role of a card: any JSON value, also `null`. Only a missing role has a default.
fn role(card: &Card, default: Role) -> Role {
    card.metadata.get("role").map_or(default, Role::from_json)
}

fn text(content: &Content) -> String {
    match content {
        Content::ToolResult(result) => result_text(result),
        Content::Text(_)
        | Content::Json(_)
        | Content::Fields(_)
        | Content::File(_)
        | Content::Files(_)
        | Content::Tools(_)
        | Content::ToolCall(_) => content.text_view(),
    }
}

/// Returns the text of a tool's result: the result, or the error under `error`.
fn result_text(result: &ToolResult) -> String {
    match (&result.error, &result.result) {
        (Some(error), _) => Json::from([("error", error.clone())]).spaced(),
        (None, Json::Null) => String::new(),
        (None, Json::String(text)) => text.clone(),
        (None, other) => other.spaced(),
    }
}

/// Returns the failure of a call and its partial result, which messages have no field for.
fn failure(content: &Content) -> Option<Failure> {
    match content {
        Content::ToolResult(ToolResult { error: Some(_), result, .. }) => {
            Some(Failure { has_partial_result: !result.is_null() })
        }
        Content::ToolResult(_)
        | Content::Text(_)
        | Content::Json(_)
        | Content::Fields(_)
        | Content::File(_)
        | Content::Files(_)
        | Content::Tools(_)
        | Content::ToolCall(_) => None,
    }
}

fn truthy<'a>(card: &'a Card, key: &str) -> Option<&'a Json> {
    card.metadata.get(key).filter(|value| value.is_truthy())
}

fn is_media(card: &Card) -> bool {
    let encoding = card.metadata.get("encoding").and_then(Json::as_str);
    truthy(card, "mime_type").is_some() && matches!(encoding, Some("base64" | "uri"))
}

fn parts(card: &Card, parts: impl Iterator<Item = Json>) -> Vec<Json> {
    let caption = truthy(card, "text").map(|text| text_part(&text.text_form()));
    caption.into_iter().chain(parts).collect()
}

fn text_part(text: &str) -> Json {
    Json::from([("type", "text"), ("text", text)])
}

fn file_part(file: &FileRef) -> Json {
    let reference = Json::from([
        ("file_id", Json::from(file.uri.as_str())),
        ("format", file.content_type.as_deref().into()),
    ]);
    Json::from([("type", Json::from("file")), ("file", reference)])
}

fn media_part(card: &Card, content: String) -> Json {
    let given = |key: &str| card.metadata.get(key).cloned().unwrap_or_default();
    let info = Json::from([
        ("mime_type", given("mime_type")),
        ("encoding", given("encoding")),
        ("content", Json::from(content)),
    ]);
    Json::from([("type", Json::from("media_placeholder")), ("media_info", info)])
}

/// Returns the reasoning of an assistant. The metadata of other roles is ignored.
fn with_reasoning(card: &Card, message: Message) -> Message {
    if message.role != Role::Assistant {
        return message;
    }
    let blocks = card.metadata.get(THINKING_BLOCKS).and_then(Json::as_array).unwrap_or_default();
    let message = match blocks {
        [] => message,
        blocks => message.with_extra(THINKING_BLOCKS, Json::Array(blocks.to_vec())),
    };
    match card.metadata.get(REASONING).and_then(reasoning) {
        Some(text) => message.with_extra(REASONING, text),
        None => message,
    }
}

/// Returns the lints of a card's message.
pub(super) fn lints(card: &Card, path: &Path, lints: &mut Vec<Lint>) {
    let id = &card.card_id;
    if card.untyped {
        let shown = card.content.type_name();
        let message = format!("card `{id}` has no `__type__` and is shown as `{shown}`");
        lints.push(Lint::new(RenderLint::UntypedContent, path.clone(), message));
    }
    let has_calls = card.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
    if matches!(card.content, Content::Tools(_)) {
        if has_calls {
            let message =
                format!("the `tool_calls` of card `{id}` are not shown: it defines tools");
            lints.push(Lint::new(RenderLint::ToolCallsHidden, path.clone(), message));
        }
        return;
    }
    if matches!(card.content, Content::ToolCall(_)) && !has_calls {
        return;
    }
    let mut note = |code, message| lints.push(Lint::new(code, path.clone(), message));
    let role = card.metadata.get("role").map(Role::from_json);
    match &role {
        Some(Role::Other(value)) => {
            note(RenderLint::UnknownRole, format!("card `{id}` has the unknown role `{value}`"));
        }
        None if !has_calls && card.tool_call_id.is_none() => {
            note(
                RenderLint::DefaultRole,
                format!("card `{id}` has no role and is shown as a user's"),
            );
        }
        Some(_) | None => {}
    }
    let answers = card.tool_call_id.as_ref().is_some_and(|id| !id.is_empty());
    if has_calls && answers {
        note(
            RenderLint::TwoCallRoles,
            format!("card `{id}` has `tool_calls`, so its `tool_call_id` is not shown"),
        );
    }
    if matches!(card.content, Content::ToolResult(_)) && !answers {
        note(
            RenderLint::ResultWithoutCall,
            format!("card `{id}` is a tool's result but names no call"),
        );
    }
    if failure(&card.content).is_some_and(|failure| failure.has_partial_result) {
        note(
            RenderLint::PartialResultHidden,
            format!("the partial result of card `{id}` is not shown with its error"),
        );
    }
    let blocks = card.metadata.get(THINKING_BLOCKS).and_then(Json::as_array).unwrap_or_default();
    let reasons = role == Some(Role::Assistant)
        && (!blocks.is_empty() || card.metadata.get(REASONING).and_then(reasoning).is_some());
    let shown = match form(card) {
        Form::Calls(_) | Form::Text => true,
        Form::Answer(_) | Form::Files(_) | Form::Media | Form::CallRecord => false,
    };
    if reasons && !shown {
        note(RenderLint::ReasoningHidden, format!("the reasoning of card `{id}` is not shown"));
    }
}
