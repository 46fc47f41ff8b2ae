//! Rules for logs of whole requests: retries, chains, and which requests belong to the
//! conversation.

use super::model::{CalledUpTo, Draft, Kind, Message, Part, Role, Session, UnknownSubject};
use super::pick::{some, text};
use crate::value::str_map::StrMap;

const CHAINED: &str = "the request names an earlier response, which is not in the log";

/// Adds the requests of a log that does not have all of them, in the order of sending. Their index
/// among all requests is unknown.
pub fn add_some(session: &mut Session, drafts: Vec<Draft>) {
    add(session, drafts);
    for request in &mut session.requests {
        request.index = None;
    }
}

/// Adds the requests of a log in the order of sending.
pub fn add(session: &mut Session, mut drafts: Vec<Draft>) {
    let links = chain(&mut drafts);
    let kinds = threads(&drafts, &links);
    // the start of a request that continues another one
    let mut ends: Vec<Option<usize>> = Vec::with_capacity(drafts.len());
    let mut last: Option<Placed> = None;
    let mut called = CalledUpTo::default();
    for (at, ((mut draft, kind), link)) in drafts.into_iter().zip(kinds).zip(&links).enumerate() {
        draft.kind = draft.kind.or(kind);
        let again = last.take_if(|Placed { draft: before, .. }| {
            before.body.is_some() && before.body == draft.body && before.output.is_empty()
        });
        let placed = match again {
            Some(before) => {
                // it was read where it was sent first
                draft.origin = before.draft.origin;
                Placed { draft, at, tail: before.tail, retries: before.retries + 1 }
            }
            None => {
                finish(session, &mut called, last.take());
                let mut tail = link.after.and_then(|before| ends.get(before).copied().flatten());
                for message in std::mem::take(&mut draft.messages) {
                    tail = Some(session.node(tail, message));
                }
                Placed { draft, at, tail, retries: 0 }
            }
        };
        let answer = link.is_continued.then(|| answer(&placed.draft)).flatten();
        ends.push(match answer {
            Some(answer) => Some(session.node(placed.tail, answer)),
            None => placed.tail,
        });
        last = Some(placed);
    }
    finish(session, &mut called, last);
}

/// A request whose messages are in the session.
struct Placed {
    draft: Draft,
    at: usize,
    tail: Option<usize>,
    retries: usize,
}

fn finish(session: &mut Session, called: &mut CalledUpTo, last: Option<Placed>) {
    let Some(Placed { draft, at, tail, retries }) = last else { return };
    called.push(session, tail, draft);
    if let Some(request) = session.requests.last_mut() {
        request.index = Some(at);
        request.retries = retries;
    }
}

/// Returns the answer of a request as the message that the next request has.
fn answer(draft: &Draft) -> Option<Message> {
    (!draft.output.is_empty()).then(|| Message {
        role: Role::Assistant,
        parts: draft.output.clone(),
        origin: draft.origin.clone(),
    })
}

fn previous(draft: &Draft) -> Option<&str> {
    draft.body.as_deref().and_then(|body| text(body, "previous_response_id"))
}

/// The link of a request to an earlier one whose messages it does not repeat. So 1,000 linked
/// requests do not copy their conversation 1,000 times.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Link {
    /// The index of the earlier request.
    after: Option<usize>,
    /// True if a later request continues this one.
    is_continued: bool,
}

/// Finds the earlier part of the conversation for requests that only have new messages, and records
/// what is unknown.
fn chain(drafts: &mut [Draft]) -> Vec<Link> {
    let mut links = vec![Link::default(); drafts.len()];
    // the last earlier request with that response, or with a call of that id in its answer
    let (mut responses, mut callers) = (StrMap::new(), StrMap::new());
    for at in 0..drafts.len() {
        let Some((earlier, [draft, ..])) = drafts.split_at_mut_checked(at) else { break };
        let dangling = dangling_result(&draft.messages);
        let before = match (draft.after, previous(draft), &dangling) {
            (Some(before), _, _) => Some(before),
            (None, Some(id), _) => responses.get(id).copied().or_else(|| at.checked_sub(1)),
            (None, None, Some(call)) => callers.get(call).copied(),
            (None, None, None) => None,
        };
        if let Some((before, earlier)) = before.and_then(|at| Some((at, earlier.get(at)?))) {
            let is_repeated = earlier.body.is_some() && earlier.body == draft.body;
            let after = if is_repeated {
                draft.unknown.clone_from(&earlier.unknown);
                links.get(before).and_then(|link| link.after)
            } else {
                goes_on(draft, earlier, dangling.is_some());
                Some(before)
            };
            if let Some(link) = after.and_then(|after| links.get_mut(after)) {
                link.is_continued = true;
            }
            if let Some(link) = links.get_mut(at) {
                link.after = after;
            }
        }
        if let Some(id) = &draft.response_id {
            responses.insert(id.as_str(), at);
        }
        for part in &draft.output {
            if let Part::Call { id: Some(id), .. } = part {
                callers.insert(id.as_str(), at);
            }
        }
    }
    links
}

/// Records what is unknown because of the request that this one continues.
fn goes_on(draft: &mut Draft, earlier: &Draft, is_dangling: bool) {
    if earlier.output.is_empty() {
        draft.lacks(UnknownSubject::Messages, CHAINED);
        if is_dangling || earlier.unknown.iter().any(|u| u.what == UnknownSubject::ToolCalls) {
            draft.lacks(UnknownSubject::ToolCalls, CHAINED);
        }
        if earlier.body.as_deref().is_some_and(|body| some(body, "reasoning").is_some()) {
            draft.lacks(UnknownSubject::Reasoning, CHAINED);
        }
    } else if earlier.unknown.iter().all(|u| u.what != UnknownSubject::Messages) {
        draft.unknown.retain(|u| u.what != UnknownSubject::Messages);
    }
    for unknown in &earlier.unknown {
        if matches!(
            unknown.what,
            UnknownSubject::Messages | UnknownSubject::ToolCalls | UnknownSubject::Reasoning
        ) {
            draft.lacks(unknown.what, unknown.why);
        }
    }
}

/// Returns the id of the first result whose call is not in the same messages.
fn dangling_result(messages: &[Message]) -> Option<String> {
    let mut called: StrMap<()> = StrMap::new();
    for part in messages.iter().flat_map(|message| &message.parts) {
        match part {
            Part::Call { id: Some(id), .. } => {
                called.insert(id.as_str(), ());
            }
            Part::Result { id: Some(id), .. } if !called.contains_key(id) => {
                return Some(id.clone());
            }
            _ => {}
        }
    }
    None
}

/// Separates sub-agents from the conversation if the log does not. A sub-agent is a thread with a
/// new first message between two requests of another thread.
fn threads(drafts: &[Draft], links: &[Link]) -> Vec<Option<Kind>> {
    let threads = thread_of_each(drafts, links);
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (at, thread) in threads.iter().enumerate() {
        if *thread >= places.len() {
            places.resize_with(thread + 1, Vec::new);
        }
        if let Some(places) = places.get_mut(*thread) {
            places.push(at);
        }
    }
    let mut other = None;
    let mut last = None;
    let each = threads.iter().enumerate().map(|(at, thread)| {
        if last != Some(*thread) {
            other = last.replace(*thread);
        }
        let (mine, theirs) = (places.get(*thread)?, places.get(other?)?);
        // the other thread continues later, and this one does not
        let back = theirs.get(theirs.partition_point(|place| *place <= at))?;
        let is_over = mine.last() < Some(back);
        let is_later = mine.first() == Some(&at) || theirs.first() < mine.first();
        (is_over && is_later).then_some(Kind::Sub)
    });
    each.collect()
}

/// Returns the thread of every request: requests with the same system prompt and first message.
pub(super) fn thread_of_each(drafts: &[Draft], links: &[Link]) -> Vec<usize> {
    let number = |known: &mut StrMap<usize>, key: String| {
        let next = known.len();
        known.get(&key).copied().unwrap_or_else(|| {
            known.insert(key.as_str(), next);
            next
        })
    };
    let (mut firsts, mut systems, mut threads) = (StrMap::new(), StrMap::new(), StrMap::new());
    let mut first_of: Vec<Option<usize>> = Vec::with_capacity(drafts.len());
    let each = drafts.iter().zip(links).map(|(draft, link)| {
        let earlier = link.after.and_then(|at| Some((first_of.get(at)?, drafts.get(at)?)));
        let first = match earlier {
            Some((Some(first), _)) => Some(*first),
            Some((None, Draft { output, .. })) if !output.is_empty() => {
                Some(number(&mut firsts, words(output)))
            }
            Some((None, _)) | None => {
                let first = draft.messages.first();
                first.map(|first| number(&mut firsts, words(&first.parts)))
            }
        };
        first_of.push(first);
        let system = draft.system.iter().map(|part| format!("{} {part}", part.len())).collect();
        let system = number(&mut systems, system);
        number(&mut threads, format!("{system} {first:?}"))
    });
    each.collect()
}

/// Returns a string that only equal parts share. Nearly all parts are one text, which is used
/// without a copy.
pub(super) fn words(parts: &[Part]) -> String {
    match parts {
        [Part::Text(text)] => ["text ", text.as_str()].concat(),
        parts => format!("{parts:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::model::Origin;

    /// A direct implementation of the rule.
    fn is_inside(keys: &[usize], at: usize) -> bool {
        let (before, after) = (&keys[..at], &keys[at + 1..]);
        let Some(other) = before.iter().rev().find(|key| **key != keys[at]) else { return false };
        let Some(back) = after.iter().position(|key| key == other) else { return false };
        let first = |of: &usize| keys.iter().position(|key| key == of);
        !after[back..].contains(&keys[at])
            && (!before.contains(&keys[at]) || first(other) < first(&keys[at]))
    }

    #[test]
    fn a_system_prompt_in_other_parts_is_another_thread() {
        let draft = |parts: &[&str]| Draft {
            system: parts.iter().map(|part| (*part).to_owned()).collect(),
            ..Draft::default()
        };
        let drafts = [draft(&["a", "b"]), draft(&["a1 b"]), draft(&["a", "b"])];
        assert_eq!(thread_of_each(&drafts, &[Link::default(); 3]), [0, 1, 0]);
    }

    #[test]
    fn a_thread_that_ends_inside_another_is_a_sub_agent() {
        for number in 0..4_usize.pow(7) {
            let keys: Vec<usize> = (0..7).map(|at| number / 4_usize.pow(at) % 4).collect();
            let draft = |key: &usize| Draft {
                messages: vec![Message::text(Role::User, key.to_string(), Origin::default())],
                ..Draft::default()
            };
            let drafts: Vec<Draft> = keys.iter().map(draft).collect();
            let found = threads(&drafts, &vec![Link::default(); drafts.len()]);
            let expected = (0..7).map(|at| is_inside(&keys, at).then_some(Kind::Sub));
            assert_eq!(found, expected.collect::<Vec<_>>(), "{keys:?}");
        }
    }
}
