//! Rules for logs that keep whole requests: retries, chains, and which request belongs to the
//! conversation.

use super::model::{Draft, Kind, Message, Part, Role, Session, What};
use super::pick::{some, text};

const CHAINED: &str =
    "the request names an earlier response; what that one answered is not in the log";

/// Adds the requests of a log in the order they were sent.
pub fn add(session: &mut Session, drafts: Vec<Draft>) {
    let drafts = chain(drafts);
    let kinds = threads(&drafts);
    let mut last: Option<(Draft, usize)> = None;
    let mut retries = 0;
    for (at, (mut draft, kind)) in drafts.into_iter().zip(kinds).enumerate() {
        draft.kind = draft.kind.or(kind);
        if let Some((before, _)) = &last {
            let again =
                before.body.is_some() && before.body == draft.body && before.output.is_empty();
            if again {
                retries += 1;
                // it was read where it was sent first
                draft.messages.clone_from(&before.messages);
                draft.origin.clone_from(&before.origin);
                last = Some((draft, at));
                continue;
            }
        }
        finish(session, last.take(), retries);
        retries = 0;
        last = Some((draft, at));
    }
    finish(session, last, retries);
}

fn finish(session: &mut Session, last: Option<(Draft, usize)>, retries: usize) {
    if let Some((draft, at)) = last {
        session.push(draft);
        if let Some(request) = session.requests.last_mut() {
            request.index = Some(at);
            request.retries = retries;
        }
    }
}

fn previous(draft: &Draft) -> Option<&str> {
    draft.body.as_deref().and_then(|body| text(body, "previous_response_id"))
}

/// Puts the earlier part of a conversation before a request that only holds what is new.
fn chain(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut out: Vec<Draft> = Vec::with_capacity(drafts.len());
    for mut draft in drafts {
        let named = previous(&draft).map(str::to_owned);
        let dangling = dangling_result(&draft.messages);
        let before = match (&named, &dangling) {
            (Some(id), _) => out
                .iter()
                .rposition(|earlier| earlier.response_id.as_deref() == Some(id))
                .or_else(|| out.len().checked_sub(1)),
            (None, Some(call)) => out.iter().rposition(|earlier| calls(&earlier.output, call)),
            (None, None) => None,
        };
        let repeated = before
            .and_then(|at| out.get(at))
            .is_some_and(|earlier| earlier.body.is_some() && earlier.body == draft.body);
        if let Some(earlier) = before.and_then(|at| out.get(at)) {
            let mut all = earlier.messages.clone();
            if repeated {
                draft.messages = all;
                draft.unknown.clone_from(&earlier.unknown);
                out.push(draft);
                continue;
            }
            if earlier.output.is_empty() {
                draft.lacks(What::Messages, CHAINED);
                if dangling.is_some() || earlier.unknown.iter().any(|u| u.what == What::ToolCalls) {
                    draft.lacks(What::ToolCalls, CHAINED);
                }
                if earlier.body.as_deref().is_some_and(|body| some(body, "reasoning").is_some()) {
                    draft.lacks(What::Reasoning, CHAINED);
                }
            } else {
                let output = earlier.output.clone();
                all.push(Message {
                    role: Role::Assistant,
                    parts: output,
                    origin: earlier.origin.clone(),
                });
                if earlier.unknown.iter().all(|u| u.what != What::Messages) {
                    draft.unknown.retain(|u| u.what != What::Messages);
                }
            }
            for unknown in &earlier.unknown {
                if matches!(unknown.what, What::Messages | What::ToolCalls | What::Reasoning) {
                    draft.lacks(unknown.what, unknown.why);
                }
            }
            all.append(&mut draft.messages);
            draft.messages = all;
        }
        out.push(draft);
    }
    out
}

/// The id of the first result whose call is not in the same messages.
fn dangling_result(messages: &[Message]) -> Option<String> {
    let mut called: Vec<&str> = Vec::new();
    for part in messages.iter().flat_map(|message| &message.parts) {
        match part {
            Part::Call { id: Some(id), .. } => called.push(id),
            Part::Result { id: Some(id), .. } if !called.contains(&id.as_str()) => {
                return Some(id.clone());
            }
            _ => {}
        }
    }
    None
}

fn calls(output: &[Part], call: &str) -> bool {
    output.iter().any(|part| matches!(part, Part::Call { id: Some(id), .. } if id == call))
}

/// Tells sub-agents from the conversation where the log does not: a thread of requests whose first
/// message is new, and which stands between two requests of another thread.
fn threads(drafts: &[Draft]) -> Vec<Option<Kind>> {
    let keys: Vec<String> = drafts
        .iter()
        .map(|draft| {
            let first =
                draft.messages.first().map(|m| format!("{:?}", m.parts)).unwrap_or_default();
            format!("{:?}\u{1}{first}", draft.system)
        })
        .collect();
    let inside = |at: usize| {
        let key = keys.get(at);
        let before = keys.iter().take(at).rev().find(|other| Some(*other) != key);
        let after = keys.iter().skip(at + 1);
        match before {
            // the same other thread goes on later, and this one does not
            Some(other) => {
                let mut later = after;
                let goes_on = later.clone().any(|next| next == other);
                goes_on && {
                    let back = later.position(|next| next == other).unwrap_or(0);
                    !keys.iter().skip(at + 1 + back).any(|next| Some(next) == key)
                        && keys.iter().take(at).position(|next| Some(next) == key).is_none_or(
                            |first| {
                                keys.iter()
                                    .position(|next| next == other)
                                    .is_some_and(|o| o < first)
                            },
                        )
                }
            }
            None => false,
        }
    };
    (0..drafts.len()).map(|at| if inside(at) { Some(Kind::Sub) } else { None }).collect()
}
