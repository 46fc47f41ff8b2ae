//! The legaliser: turns that a provider takes, and a note of every change.

use super::demands::{Blank, Demands};
use super::loss::{Change, Losses};
use super::turn::{Arguments, Body, Speaker, Turn};
use super::{Options, Provider, media, pair};
use crate::value::json::{Json, trim};

/// What opens a conversation that the assistant began.
const OPENING: &str = "(start)";
/// What closes a conversation that the assistant spoke last in.
const CLOSING: &str = "(continue)";

/// Makes turns legal for a provider. System turns that stand apart come first.
pub(super) fn legalise(
    turns: Vec<Turn>,
    provider: Provider,
    options: &Options,
    losses: &mut Losses,
) -> Vec<Turn> {
    let demands = provider.demands();
    if !demands.paired {
        return turns;
    }
    let mut turns = pair::pair(turns, &demands, losses);
    reasoning(&mut turns, options.keep_reasoning && provider == Provider::OpenaiChat, losses);
    names(&mut turns, &demands, provider, losses);
    media::legalise(&mut turns, provider, losses);
    if demands.object_arguments {
        arguments(&mut turns, losses);
    }
    let mut turns = empties(turns, demands.blank, losses);
    if demands.system_apart {
        turns = systems_first(turns, losses);
    }
    if demands.alternate {
        turns = merged(turns, losses);
    }
    if demands.user_bounds && !turns.is_empty() {
        bounds(&mut turns, options.prefill && provider == Provider::Anthropic, losses);
    }
    turns
}

fn reasoning(turns: &mut [Turn], keep: bool, losses: &mut Losses) {
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        turn.blocks.retain(|block| {
            let drop = matches!(block.body, Body::Reasoning(_)) && !keep;
            if drop {
                let reason = "reasoning is not taken back as text";
                losses.message(Change::ReasoningDropped, at, reason);
            }
            !drop
        });
    }
}

/// Chat completions take a name without white space and `<|\/>`; the others take none.
fn names(turns: &mut [Turn], demands: &Demands, provider: Provider, losses: &mut Losses) {
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        let Some(name) = turn.name.take() else { continue };
        if !demands.names || turn.speaker == Speaker::Tool || name.is_empty() {
            let reason = format!("`{}` takes no name here: `{name}`", provider.as_str());
            losses.message(Change::NameDropped, at, reason);
            continue;
        }
        let refused = |c: char| c.is_whitespace() || "<|\\/>".contains(c);
        let legal: String =
            name.chars().map(|c| if refused(c) { '_' } else { c }).take(64).collect();
        if legal != name {
            let reason = format!("the name `{name}` goes as `{legal}`");
            losses.message(Change::NameRewritten, at, reason);
        }
        turn.name = Some(legal);
    }
}

fn arguments(turns: &mut [Turn], losses: &mut Losses) {
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        for block in &mut turn.blocks {
            let Body::Call(call) = &mut block.body else { continue };
            let Arguments::Text(text) = &call.arguments else { continue };
            let value = match Json::parse(text) {
                Ok(Json::Object(object)) => Json::Object(object),
                Ok(_) | Err(_) if trim(text).is_empty() => {
                    let reason = format!("`{}` is called with nothing: an empty object", call.name);
                    losses.message(Change::ArgumentsRewritten, at, reason);
                    Json::Object(crate::value::json::Object::default())
                }
                Ok(_) | Err(_) => {
                    let reason = format!(
                        "the arguments of `{}` are no JSON object and stand in one, under `arguments`",
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

/// Takes out text without a word, and turns of which nothing is left.
fn empties(turns: Vec<Turn>, blank: Blank, losses: &mut Losses) -> Vec<Turn> {
    let is_blank = |text: &str| match blank {
        Blank::Keep => false,
        Blank::RefuseEmpty => text.is_empty(),
        Blank::Refuse => trim(text).is_empty(),
    };
    let keep = |mut turn: Turn| {
        let says = |body: &Body| match body {
            Body::Text(text) => !is_blank(text),
            Body::Media(_) | Body::Call(_) | Body::Answer(_) | Body::Reasoning(_) => true,
        };
        let before = turn.blocks.len();
        turn.blocks.retain(|block| says(&block.body));
        // an answer stays, even when it says nothing
        let inner = turn.answer_mut().filter(|answer| answer.blocks.len() > 1);
        let emptied = inner.is_some_and(|answer| {
            let before = answer.blocks.len();
            answer.blocks.retain(says);
            answer.blocks.len() < before
        });
        let at = turn.at.unwrap_or_default();
        if turn.blocks.iter().all(|block| matches!(block.body, Body::Reasoning(_))) {
            losses.message(Change::EmptyDropped, at, "the message says nothing and is gone");
            return None;
        }
        if emptied || turn.blocks.len() < before {
            losses.message(Change::EmptyDropped, at, "empty text of the message is gone");
        }
        Some(turn)
    };
    turns.into_iter().filter_map(keep).collect()
}

fn systems_first(turns: Vec<Turn>, losses: &mut Losses) -> Vec<Turn> {
    let mut talked = false;
    for turn in &turns {
        let at = turn.at.unwrap_or_default();
        if !turn.speaker.is_system() {
            talked = true;
            continue;
        }
        if talked {
            let reason = "a system message stands before the conversation, not in it";
            losses.message(Change::SystemMoved, at, reason);
        }
        if turn.speaker == Speaker::Developer {
            losses.message(Change::RoleRenamed, at, "the role `developer` goes as `system`");
        }
    }
    let (mut first, rest): (Vec<_>, Vec<_>) =
        turns.into_iter().partition(|turn| turn.speaker.is_system());
    first.extend(rest);
    first
}

/// Who holds a turn once results count as the user's.
fn side(speaker: Speaker) -> Speaker {
    match speaker {
        Speaker::Tool | Speaker::User => Speaker::User,
        Speaker::Developer | Speaker::System => Speaker::System,
        Speaker::Assistant => Speaker::Assistant,
    }
}

/// Every message of one speaker in one turn; system turns stay as they are.
fn merged(turns: Vec<Turn>, losses: &mut Losses) -> Vec<Turn> {
    let mut merged: Vec<Turn> = Vec::with_capacity(turns.len());
    let mut last = None;
    for turn in turns {
        let both_tools = last == Some(Speaker::Tool) && turn.speaker == Speaker::Tool;
        last = Some(turn.speaker);
        let mine = side(turn.speaker);
        match merged.last_mut().filter(|open| open.speaker == mine && mine != Speaker::System) {
            Some(open) => {
                // several results of one message are one turn by nature
                if !both_tools {
                    let reason = format!("follows another message of `{}`", mine.as_str());
                    losses.message(Change::TurnsMerged, turn.at.unwrap_or_default(), reason);
                }
                open.blocks.extend(turn.blocks);
            }
            None => merged.push(Turn { speaker: mine, ..turn }),
        }
    }
    merged
}

fn bounds(turns: &mut Vec<Turn>, prefill: bool, losses: &mut Losses) {
    let first = turns.iter().position(|turn| !turn.speaker.is_system()).unwrap_or(turns.len());
    let opens = turns.get(first).is_some_and(|turn| turn.speaker == Speaker::User);
    if !opens {
        turns.insert(first, Turn::added(OPENING));
        losses.whole(Change::UserAdded, "the conversation has to begin with the user");
    }
    let Some(last) = turns.last_mut().filter(|turn| turn.speaker == Speaker::Assistant) else {
        return;
    };
    if !prefill {
        turns.push(Turn::added(CLOSING));
        losses.whole(Change::UserAdded, "the conversation has to end with the user");
    } else if let Some(Body::Text(text)) = last.blocks.last_mut().map(|block| &mut block.body) {
        let trimmed = text.trim_end();
        if trimmed.len() < text.len() {
            *text = trimmed.into();
            let reason = "white space at the end of the beginning of an answer is gone";
            losses.message(Change::SpaceTrimmed, last.at.unwrap_or_default(), reason);
        }
    }
}
