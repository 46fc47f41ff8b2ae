//! Reads neutral messages as turns.

use super::loss::{Change, Losses, unknown_keys};
use super::part::{self, CacheMark, CallPart, Context, Item, Part, Proof, Reasoning, ResultPart};
use super::turn::{Block, Speaker, Turn};
use super::{Loss, Provider};
use crate::render::{REASONING, THINKING_BLOCKS};
use crate::value::json::Json;
use crate::value::message::{Content, Message, Role};
use crate::value::tool_blocks::has_failed;

/// Keys of a message that are read here, or that are never meant for a model.
const OURS: [&str; 7] =
    ["internal", REASONING, "function_call", THINKING_BLOCKS, "cache", "cache_control", "parts"];

/// Keys that the message of a tool can have.
const OF_RESULTS: [&str; 3] = ["is_error", "isError", "status"];

/// Reads all parts of a message: reasoning and content, then a refusal and calls. Dropped values are
/// reported, as in [`payload`](super::payload).
///
/// ```
/// use tuckbox::prompt::provider::part::Part;
/// use tuckbox::prompt::provider::read_parts;
/// use tuckbox::value::json::{Field, Json};
/// use tuckbox::Message;
///
/// let json = Json::parse(r#"{"role": "assistant", "content": "Let me see.", "tool_calls": [
///     {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]}"#)?;
/// let (items, losses) = read_parts(&Message::from_json(&Field::root(&json))?);
/// let [text, call] = items.as_slice() else { panic!("two parts") };
/// assert!(matches!(&text.part, Part::Text(text) if text.as_str() == "Let me see."));
/// assert!(matches!(&call.part, Part::ToolCall(call) if call.name == "search"));
/// assert!(losses.is_empty());
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn read_parts(message: &Message) -> (Vec<Item>, Vec<Loss>) {
    let mut losses = Losses::of(Provider::Neutral.as_str());
    let turns = read(&[message], &mut losses);
    let blocks = turns.into_iter().flat_map(|turn| turn.blocks);
    let items = blocks.map(|block| block.item).collect();
    (items, losses.finish(&[]))
}

/// Reads every message. Most become one turn; a message with several results becomes several.
pub(super) fn read(messages: &[&Message], losses: &mut Losses) -> Vec<Turn> {
    let mut turns = Vec::with_capacity(messages.len());
    for (at, message) in messages.iter().enumerate() {
        read_message(message, at, &mut turns, losses);
    }
    turns
}

fn read_message(message: &Message, at: usize, turns: &mut Vec<Turn>, losses: &mut Losses) {
    let listed = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
    let legacy = message.extra.get("function_call").filter(|call| call.is_truthy());
    let answers = message.tool_call_id.as_deref().filter(|id| !id.is_empty());
    let mut blocks = written(message, at, losses);
    let split = blocks.iter().any(|block| matches!(block.item.part, Part::ToolResult(_)));
    let inline = blocks.iter().any(|block| matches!(block.item.part, Part::ToolCall(_)));
    let has_calls = listed || legacy.is_some() || inline;
    if has_calls && answers.is_some() {
        let reason = "a message with calls cannot be a result; its `tool_call_id` is removed";
        losses.message(Change::AnswerAndCalls, at, reason);
    }
    let answers = answers.filter(|_| !has_calls && !split);
    let speaker = speaker(message, at, has_calls, answers.is_some() || split, losses);
    note_keys(message, at, speaker, losses);
    if message.failure.is_some_and(|failure| failure.has_partial_result) {
        let reason = "the failed call has a partial result, which is not sent";
        losses.message(Change::PartialResultHidden, at, reason);
    }
    if answers.is_some() || (speaker == Speaker::Tool && !split) {
        let call_id = answers.unwrap_or_default().to_owned();
        let mut context = Context { at, losses };
        turns.push(answered(message, call_id, blocks, &mut context));
        return;
    }
    let calls = message.tool_calls.iter().flatten().chain(legacy);
    blocks.extend(calls.filter_map(|call| call_block(call, at, losses)));
    let name = message.name.clone();
    if !split || speaker == Speaker::Assistant {
        if split {
            // results in an assistant message are text: the assistant cannot answer itself
            blocks = blocks.into_iter().map(|block| as_text(block, at, losses)).collect();
        }
        turns.push(Turn { at: Some(at), speaker, name, blocks });
        return;
    }
    push_split(at, name, blocks, turns);
}

/// Returns the reasoning, the content and the refusal of a message.
fn written(message: &Message, at: usize, losses: &mut Losses) -> Vec<Block> {
    let mut blocks = thoughts(message, at, losses);
    let mut content = content(message, at, losses);
    match blocks.is_empty() {
        true => blocks = content,
        false => blocks.append(&mut content),
    }
    if let Some(mark) = message_mark(message)
        && let Some(last) = blocks.last_mut()
    {
        last.item.metadata_mut().cache = Some(mark);
    }
    if let Some(text) = message.extra.get("refusal").and_then(Json::as_str) {
        blocks.push(Block::new(Some(at), Part::Refusal(text.into())));
    }
    blocks
}

/// Reads a call of the list of calls. A call without a name is removed.
fn call_block(call: &Json, at: usize, losses: &mut Losses) -> Option<Block> {
    let mut context = Context { at, losses };
    let Some(read) = read_call(call, &mut context) else {
        context.losses.message(Change::MalformedCall, at, "a call without a name is removed");
        return None;
    };
    let mut block = Block::new(Some(at), Part::ToolCall(read));
    if let Some(kept) = part::options(call, &mut context) {
        block.item.metadata_mut().options = Some(kept);
    }
    if let Some(signature) = signature(call) {
        block.item.metadata_mut().signature = Some(signature.to_owned());
    }
    Some(block)
}

/// Splits results into separate turns. Other parts become a turn of the user.
fn push_split(at: usize, name: Option<String>, blocks: Vec<Block>, turns: &mut Vec<Turn>) {
    let mut of_user: Vec<Block> = Vec::new();
    let turn = |speaker, blocks| Turn { at: Some(at), speaker, name: name.clone(), blocks };
    for block in blocks {
        if matches!(block.item.part, Part::ToolResult(_)) {
            if !of_user.is_empty() {
                turns.push(turn(Speaker::User, std::mem::take(&mut of_user)));
            }
            turns.push(Turn { name: None, ..turn(Speaker::Tool, vec![block]) });
        } else {
            of_user.push(block);
        }
    }
    if !of_user.is_empty() {
        turns.push(turn(Speaker::User, of_user));
    }
}

/// Returns a result as text of the message that has it.
fn as_text(block: Block, at: usize, losses: &mut Losses) -> Block {
    let Part::ToolResult(answer) = block.item.part else { return block };
    let reason = format!("the result of `{}` is in an assistant message", answer.call_id);
    losses.message(Change::OrphanResult, at, reason);
    let text = answer.parts.iter().find_map(Part::as_text);
    let label = format!("[result of tool call {}]", answer.call_id);
    let words = text.map_or_else(|| label.clone(), |text| format!("{label} {text}"));
    Block::new(block.at, Part::Text(words.into()))
}

/// Reads a message that answers one call.
fn answered(
    message: &Message,
    call_id: String,
    blocks: Vec<Block>,
    context: &mut Context<'_>,
) -> Turn {
    let at = context.at;
    let failed = message.failure.is_some() || has_failed(&|key| message.extra.get(key));
    let cache = blocks.last().and_then(|block| block.item.cache());
    let answer = ResultPart {
        call_id,
        tool_name: message.name.clone().unwrap_or_default(),
        parts: blocks.into_iter().map(|block| part::flat(block.item.part, context)).collect(),
        failed,
    };
    let mut block = Block::new(Some(at), Part::ToolResult(answer));
    if cache.is_some() {
        block.item.metadata_mut().cache = cache;
    }
    let name = message.name.clone();
    Turn { at: Some(at), speaker: Speaker::Tool, name, blocks: vec![block] }
}

fn note_keys(message: &Message, at: usize, speaker: Speaker, losses: &mut Losses) {
    let known = |key: &str, value: &Json| match key {
        "refusal" => value.as_str().is_some(),
        "providerOptions" => message_mark(message).is_some(),
        key => speaker == Speaker::Tool && OF_RESULTS.contains(&key),
    };
    for key in unknown_keys(Some(&message.extra), &OURS) {
        if message.extra.get(key).is_some_and(|value| known(key, value)) {
            continue;
        }
        let reason = format!("`{}` does not take the key `{key}` of a message", losses.provider());
        losses.message(Change::KeyDropped, at, reason);
    }
}

/// Returns the reasoning of a message that is not in its content.
fn thoughts(message: &Message, at: usize, losses: &mut Losses) -> Vec<Block> {
    let blocks = message.extra.get(THINKING_BLOCKS).and_then(Json::as_array).unwrap_or_default();
    let mut context = Context { at, losses };
    let mut read: Vec<Block> = blocks.iter().map(|block| block_of(block, &mut context)).collect();
    let text = message.extra.get(REASONING).and_then(Json::as_str);
    if let Some(text) = text.filter(|_| read.is_empty()) {
        let thought = Reasoning { text: text.into(), proof: Proof::None };
        read.push(Block::new(Some(at), Part::Reasoning(thought)));
    }
    read
}

fn message_mark(message: &Message) -> Option<CacheMark> {
    let marked = ["cache", "cache_control", "providerOptions"];
    if !marked.iter().any(|key| message.extra.contains_key(key)) {
        return None;
    }
    part::cache_mark(&Json::Object(message.extra.clone()))
}

fn speaker(
    message: &Message,
    at: usize,
    calls: bool,
    answers: bool,
    losses: &mut Losses,
) -> Speaker {
    let stated = match &message.role {
        Role::System => Speaker::System,
        Role::Developer => Speaker::Developer,
        Role::User => Speaker::User,
        Role::Assistant => Speaker::Assistant,
        Role::Tool => Speaker::Tool,
        Role::Other(role) => {
            let known = match role.as_str() {
                Some("human") => Some(Speaker::User),
                Some("ai" | "model") => Some(Speaker::Assistant),
                Some("function") => Some(Speaker::Tool),
                Some(_) | None => None,
            };
            let name = known.unwrap_or(Speaker::User).as_str();
            let (change, why) = match known {
                Some(_) => (Change::RoleRenamed, "goes as"),
                None => (Change::UnknownRole, "is unknown and is sent as"),
            };
            losses.message(change, at, format!("the role `{}` {why} `{name}`", role.text_form()));
            known.unwrap_or(Speaker::User)
        }
    };
    let needed = match (calls, answers) {
        (true, _) => Speaker::Assistant,
        (false, true) => Speaker::Tool,
        (false, false) => return stated,
    };
    // a user message can contain results, as Anthropic and Gemini write them
    let held = message.tool_call_id.as_deref().unwrap_or_default().is_empty();
    if stated != needed && !(needed == Speaker::Tool && stated == Speaker::User && held) {
        let (stated, needed) = (stated.as_str(), needed.as_str());
        let what = if calls { "makes calls" } else { "is the result of a call" };
        let reason = format!("a message of `{stated}` that {what} is sent as `{needed}`");
        losses.message(Change::RoleRewritten, at, reason);
    }
    needed
}

fn content(message: &Message, at: usize, losses: &mut Losses) -> Vec<Block> {
    let mut context = Context { at, losses };
    match &message.content {
        Content::Absent | Content::Null => {
            // Gemini writes `parts` where others write `content`
            let parts = message.extra.get("parts").and_then(Json::as_array).unwrap_or_default();
            parts.iter().map(|part| block_of(part, &mut context)).collect()
        }
        Content::Text(text) => vec![Block::new(Some(at), Part::Text(text.clone()))],
        Content::Parts(given) => {
            if message.extra.get("parts").is_some_and(Json::is_truthy) {
                let reason = "the message has `content`, so its `parts` are ignored";
                context.losses.message(Change::KeyDropped, at, reason);
            }
            given.iter().map(|part| block_of(part, &mut context)).collect()
        }
    }
}

fn block_of(part: &Json, context: &mut Context<'_>) -> Block {
    Block { at: Some(context.at), item: part::read(part, context) }
}

/// Returns Gemini's signature of a call, if it has one.
fn signature(call: &Json) -> Option<&str> {
    let google = || call.get("extra_content")?.get("google")?.get("thought_signature");
    call.get("thoughtSignature").or_else(google)?.as_str()
}

/// Reads `{"id", "function": {"name", "arguments"}}`, and the flat `{"id", "name", "args"}`.
fn read_call(call: &Json, context: &mut Context<'_>) -> Option<CallPart> {
    let inner = call.get("function");
    let function = inner.unwrap_or(call);
    let name = function.get("name")?.as_str().filter(|name| !name.is_empty())?;
    let keys = ["arguments", "args", "input"];
    let given = keys.iter().find_map(|key| function.get(key));
    let arguments = part::arguments(name, given, false, context);
    // a key of a call that contains only its signature
    let signed = signature(call).map_or("id", |_| "extra_content");
    let flat =
        [signed, "id", "type", "index", "name", "arguments", "args", "input", "thoughtSignature"];
    let outer = [signed, "id", "type", "index", "function", "thoughtSignature", "providerOptions"];
    match inner {
        None => context.keys(call, &flat, "a call"),
        Some(function) => {
            context.keys(call, &outer, "a call");
            context.keys(function, &["name", "arguments", "args", "input"], "a call's function");
        }
    }
    let id = call.get("id").and_then(Json::as_str).unwrap_or_default();
    Some(CallPart { id: id.to_owned(), name: name.to_owned(), arguments })
}
