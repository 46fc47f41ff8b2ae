//! Makes turns legal for a provider, and records every change.

use super::demands::{Alternate, Blank, Demands, System};
use super::loss::{Change, Losses};
use super::models::Model;
use super::part::{Arguments, Item, Part, Proof, ResultPart};
use super::turn::{Block, Speaker, Turn};
use super::{Options, Provider, media, own, pair};
use crate::value::json::{Json, trim};

/// The user message before a conversation that begins with the assistant.
const OPENING: &str = "(start)";
/// The user message after a conversation that ends with the assistant.
const CLOSING: &str = "(continue)";
/// The text of an assistant between a result and the user, for providers that require one.
const BETWEEN: &str = "(understood)";

/// The part of a conversation that turns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartOf {
    /// The whole conversation, or its beginning.
    Start,
    /// What follows turns that are legal already.
    Later,
}

/// Makes turns legal for a provider. Separate system turns come first. Turns of a later part of a
/// conversation do not begin it.
pub(super) fn legalise(
    turns: Vec<Turn>,
    provider: Provider,
    (options, model): (&Options, &Model),
    part: PartOf,
    losses: &mut Losses,
) -> Vec<Turn> {
    let demands = options.demands(provider);
    if !demands.paired {
        return turns;
    }
    let mut turns = pair::pair(turns, &demands, losses);
    own::legalise(&mut turns, provider, losses);
    reasoning(&mut turns, provider, options, losses);
    names(&mut turns, &demands, losses);
    media::legalise(&mut turns, provider, model, losses);
    failures(&mut turns, &demands, losses);
    refusals(&mut turns, &demands, losses);
    if demands.object_arguments {
        arguments(&mut turns, losses);
    }
    empties(&mut turns, demands.blank, losses);
    if !demands.developer {
        developers(&mut turns, losses);
    }
    match demands.system {
        System::Anywhere => {}
        System::First | System::Apart => turns = systems_first(turns, &demands, model, losses),
    }
    if demands.alternate != Alternate::No {
        merge(&mut turns, demands.alternate, losses);
    }
    if demands.assistant_after_results {
        turns = assistants_between(turns, losses);
    }
    if !turns.is_empty() {
        bounds(&mut turns, &demands, (part, options.prefill && demands.prefill), losses);
    }
    turns
}

/// Keeps reasoning only for the provider that can verify its signature.
fn reasoning(turns: &mut [Turn], provider: Provider, options: &Options, losses: &mut Losses) {
    let takes = provider.spec().reasoning;
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        let assistant = turn.speaker == Speaker::Assistant;
        let last_other = turn.blocks.iter().rposition(|block| match &block.item.part {
            Part::Reasoning(_) => false,
            Part::Text(_)
            | Part::Media(_)
            | Part::ToolCall(_)
            | Part::ToolResult(_)
            | Part::Refusal(_)
            | Part::Own(_) => true,
        });
        let mut index = 0;
        turn.blocks.retain(|block| {
            let Part::Reasoning(thought) = &block.item.part else {
                index += 1;
                return true;
            };
            let is_followed = last_other.is_some_and(|last| index < last);
            index += 1;
            let item = matches!(thought.proof, Proof::Item(_));
            let why = if !assistant || !takes(thought, options) {
                "reasoning is not sent to this provider"
            } else if item && !is_followed {
                "a reasoning item must be followed by its message or call"
            } else {
                return true;
            };
            losses.message(Change::ReasoningDropped, at, why);
            false
        });
    }
}

/// Checks names of speakers: chat completions accept one without white space and `<|\/>`, other
/// providers none.
fn names(turns: &mut [Turn], demands: &Demands, losses: &mut Losses) {
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        let Some(name) = turn.name.take() else { continue };
        // the name of a result is that of its tool, which the call has
        if turn.answer().is_some_and(|answer| answer.tool_name == name) {
            continue;
        }
        if !demands.names || turn.speaker == Speaker::Tool || name.is_empty() {
            let reason = format!("`{}` accepts no name here: `{name}`", losses.provider());
            losses.message(Change::NameDropped, at, reason);
            continue;
        }
        let refused = |c: char| c.is_whitespace() || matches!(c, '<' | '|' | '\\' | '/' | '>');
        let legal: String =
            name.chars().map(|c| if refused(c) { '_' } else { c }).take(64).collect();
        if legal != name {
            let reason = format!("the name `{name}` is sent as `{legal}`");
            losses.message(Change::NameRewritten, at, reason);
        }
        turn.name = Some(legal);
    }
}

/// Marks a failed call, or relies on its text, or reports the loss.
fn failures(turns: &mut [Turn], demands: &Demands, losses: &mut Losses) {
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        let Some(answer) = turn.answer_mut().filter(|answer| answer.failed) else { continue };
        if demands.failures {
            if answer.parts.iter().all(is_blank) {
                let reason = "the result of a failed call cannot be empty; it becomes `(failed)`";
                losses.message(Change::EmptyDropped, at, reason);
                answer.parts = vec![Part::Text("(failed)".into())];
            }
        } else if error_of(answer).is_none() {
            let reason = format!(
                "`{}` cannot mark a failed call, and the text of this result does not mention the failure",
                losses.provider()
            );
            losses.message(Change::FailureUnmarked, at, reason);
        }
    }
}

fn is_blank(part: &Part) -> bool {
    match part {
        Part::Text(text) => trim(text).is_empty(),
        Part::Media(_)
        | Part::ToolCall(_)
        | Part::ToolResult(_)
        | Part::Reasoning(_)
        | Part::Refusal(_)
        | Part::Own(_) => false,
    }
}

/// Returns the error of a failed call whose whole text is `{"error": ..}`.
pub(super) fn error_of(answer: &ResultPart) -> Option<Json> {
    let [Part::Text(text)] = answer.parts.as_slice() else { return None };
    let Ok(Json::Object(object)) = Json::parse(text) else { return None };
    let (key, value) = object.first().filter(|_| object.len() == 1)?;
    (key == "error").then(|| value.clone())
}

fn refusals(turns: &mut [Turn], demands: &Demands, losses: &mut Losses) {
    let has_place = |turn: &Turn| demands.refusals && turn.speaker == Speaker::Assistant;
    for turn in turns.iter_mut().filter(|turn| !has_place(turn)) {
        let at = turn.at.unwrap_or_default();
        for block in &mut turn.blocks {
            if let Part::Refusal(text) = &block.item.part {
                let reason = "a refusal is sent as text";
                losses.message(Change::RefusalAsText, at, reason);
                block.item.part = Part::Text(text.clone());
            }
        }
    }
}

fn arguments(turns: &mut [Turn], losses: &mut Losses) {
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        for block in &mut turn.blocks {
            let Part::ToolCall(call) = &mut block.item.part else { continue };
            let Arguments::Text(text) = &call.arguments else { continue };
            let value = match Json::parse(text) {
                Ok(Json::Object(object)) => Json::Object(object),
                Ok(_) | Err(_) if trim(text).is_empty() => {
                    let reason = format!(
                        "the call of `{}` has no arguments; they become an empty object",
                        call.name
                    );
                    losses.message(Change::ArgumentsRewritten, at, reason);
                    Json::Object(crate::value::json::Object::default())
                }
                Ok(_) | Err(_) => {
                    let reason = format!(
                        "the arguments of `{}` are not a JSON object; they are wrapped in one, under `arguments`",
                        call.name
                    );
                    losses.message(Change::ArgumentsWrapped, at, reason);
                    Json::from([("arguments", text.as_str())])
                }
            };
            call.arguments = Arguments::Value(value);
        }
    }
}

/// Drops empty text, and turns without content.
fn empties(turns: &mut Vec<Turn>, blank: Blank, losses: &mut Losses) {
    let is_blank = |text: &str| match blank {
        Blank::Keep => false,
        Blank::RefuseEmpty => text.is_empty(),
        Blank::Refuse => trim(text).is_empty(),
    };
    turns.retain_mut(|turn| {
        let has_content = |part: &Part| part.as_written().is_none_or(|text| !is_blank(text));
        let before = turn.blocks.len();
        turn.blocks.retain(|block| has_content(&block.item.part));
        // a result is kept, even without content
        let inner = turn.answer_mut().filter(|answer| answer.parts.len() > 1);
        let emptied = inner.is_some_and(|answer| {
            let before = answer.parts.len();
            answer.parts.retain(has_content);
            answer.parts.len() < before
        });
        let at = turn.at.unwrap_or_default();
        if turn.blocks.iter().all(|block| matches!(block.item.part, Part::Reasoning(_))) {
            for _ in &turn.blocks {
                let reason = "reasoning without a following message or call is not sent";
                losses.message(Change::ReasoningDropped, at, reason);
            }
            losses.message(Change::EmptyDropped, at, "the message has no content and is removed");
            return false;
        }
        if emptied || turn.blocks.len() < before {
            losses.message(Change::EmptyDropped, at, "empty text of the message is removed");
        }
        true
    });
}

fn developers(turns: &mut [Turn], losses: &mut Losses) {
    for turn in turns.iter_mut().filter(|turn| turn.speaker == Speaker::Developer) {
        let at = turn.at.unwrap_or_default();
        losses.message(Change::RoleRenamed, at, "the role `developer` is sent as `system`");
        turn.speaker = Speaker::System;
    }
}

/// Moves system messages before the conversation. A model that accepts them in the conversation keeps
/// those directly after a user message.
fn systems_first(
    turns: Vec<Turn>,
    demands: &Demands,
    model: &Model,
    losses: &mut Losses,
) -> Vec<Turn> {
    let mut talk = turns.iter().skip_while(|turn| turn.speaker.is_system());
    if !talk.any(|turn| turn.speaker.is_system()) {
        return turns;
    }
    let in_place = demands.system == System::Apart && model.system_in_conversation;
    let mut before: Option<Speaker> = None;
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    let mut turns = turns.into_iter().peekable();
    while let Some(turn) = turns.next() {
        if !turn.speaker.is_system() {
            before = Some(turn.speaker);
            rest.push(turn);
            continue;
        }
        let follows = matches!(before, Some(Speaker::User | Speaker::Tool));
        let leads = turns.peek().is_none_or(|next| next.speaker == Speaker::Assistant);
        let says_text = turn.blocks.iter().all(|block| matches!(block.item.part, Part::Text(_)));
        if in_place && follows && leads && says_text {
            before = Some(Speaker::System);
            rest.push(turn);
            continue;
        }
        if before.is_some() {
            let reason = "a system message moves before the conversation";
            losses.message(Change::SystemMoved, turn.at.unwrap_or_default(), reason);
        }
        first.push(turn);
    }
    first.append(&mut rest);
    first
}

/// Merges adjacent messages of one speaker into one turn. System turns do not change.
fn merge(turns: &mut Vec<Turn>, alternate: Alternate, losses: &mut Losses) {
    let Some(first) = turns.first_mut() else { return };
    let mut last = first.speaker;
    first.speaker = alternate.side(last);
    turns.dedup_by(|turn, open| {
        let both_tools = last == Speaker::Tool && turn.speaker == Speaker::Tool;
        last = turn.speaker;
        let mine = alternate.side(last);
        turn.speaker = mine;
        if open.speaker != mine || !alternate.merges(mine) {
            return false;
        }
        // several results of one message are already one turn
        if !both_tools && open.at != turn.at {
            let reason = ["follows another message of `", mine.as_str(), "`"].concat();
            losses.message(Change::TurnsMerged, turn.at.unwrap_or_default(), reason);
        }
        open.blocks.append(&mut turn.blocks);
        true
    });
}

fn assistants_between(turns: Vec<Turn>, losses: &mut Losses) -> Vec<Turn> {
    let mut out: Vec<Turn> = Vec::with_capacity(turns.len());
    for turn in turns {
        let after_result = out.last().is_some_and(|last| last.speaker == Speaker::Tool);
        if after_result && turn.speaker == Speaker::User {
            out.push(Turn::added(Speaker::Assistant, BETWEEN));
            let reason = "a result must be followed by an assistant message, not by a user message";
            losses.whole(Change::AssistantAdded, reason);
        }
        out.push(turn);
    }
    out
}

fn bounds(
    turns: &mut Vec<Turn>,
    demands: &Demands,
    (part, prefill): (PartOf, bool),
    losses: &mut Losses,
) {
    let first = turns.iter().position(|turn| !turn.speaker.is_system()).unwrap_or(turns.len());
    let opens = turns.get(first).is_some_and(|turn| turn.speaker == Speaker::User);
    if demands.user_first && !opens && part == PartOf::Start {
        turns.insert(first, Turn::added(Speaker::User, OPENING));
        losses.whole(Change::UserAdded, "the conversation must begin with a user message");
    }
    if !demands.user_last {
        return;
    }
    let Some(last) = turns.last_mut().filter(|turn| turn.speaker == Speaker::Assistant) else {
        return;
    };
    if !prefill {
        turns.push(Turn::added(Speaker::User, CLOSING));
        losses.whole(Change::UserAdded, "the conversation must end with a user message");
    } else if let Some(Block { item: Item { part: Part::Text(text), .. }, .. }) =
        last.blocks.last_mut()
    {
        let trimmed = text.trim_end();
        if trimmed.len() < text.len() {
            *text = trimmed.into();
            let reason = "white space at the end of a started answer is removed";
            losses.message(Change::SpaceTrimmed, last.at.unwrap_or_default(), reason);
        }
    }
}
