//! Separates the requests of a recording into conversations.

use super::model::{Draft, Message, Part, Role};
use super::pick::{deep_text, text};
use super::requests::{thread_of_each, words};
use crate::value::str_map::StrMap;

/// The minimum length of a string that shows that two requests belong together, in bytes.
const MIN_SHARED: usize = 40;
/// The number of earlier answers that can be the summary of a new conversation.
const MAX_ANSWERS: usize = 20;

/// Returns the conversations of a recording, in the order of their first requests.
///
/// A thread is the requests with the same system prompt and first message. Two threads belong
/// together if they name the same conversation, or if one continues or repeats messages of the
/// other. A thread that runs during another one with another system prompt is that of a sub-agent
/// and belongs to the other one.
pub fn conversations(drafts: Vec<Draft>) -> Vec<Vec<Draft>> {
    let threads = thread_of_each(&drafts, &vec![Default::default(); drafts.len()]);
    let groups = Groups::of(&drafts, &threads);
    let mut out: Vec<(usize, Vec<Draft>)> = Vec::new();
    for (draft, thread) in drafts.into_iter().zip(threads) {
        let group = groups.root(thread);
        match out.iter_mut().find(|(known, _)| *known == group) {
            Some((_, drafts)) => drafts.push(draft),
            None => out.push((group, vec![draft])),
        }
    }
    out.into_iter().map(|(_, drafts)| drafts).collect()
}

/// A thread of requests.
#[derive(Default)]
struct Thread {
    first: usize,
    last: usize,
    name: Option<String>,
    /// The number of messages that were already compared.
    known: usize,
}

/// Threads that belong together: each names an earlier one, or itself.
struct Groups(Vec<usize>);

impl Groups {
    fn of(drafts: &[Draft], of_each: &[usize]) -> Self {
        let count = of_each.iter().max().map_or(0, |last| last + 1);
        let mut groups = Self((0..count).collect());
        let mut threads: Vec<Thread> = Vec::new();
        // the thread of each name, response and long message
        let (mut names, mut responses, mut answers) = (StrMap::new(), StrMap::new(), StrMap::new());
        for (at, (draft, number)) in drafts.iter().zip(of_each).enumerate() {
            let number = *number;
            let is_new = number >= threads.len();
            if is_new {
                threads.resize_with(number + 1, Thread::default);
                if let Some(thread) = threads.get_mut(number) {
                    thread.first = at;
                    thread.name = name(draft);
                }
            }
            let Some(thread) = threads.get_mut(number) else { continue };
            thread.last = at;
            let earlier = drafts.get(at.saturating_sub(MAX_ANSWERS)..at).unwrap_or_default();
            if is_new && let Some(answered) = summarized(draft, earlier) {
                let before = at - earlier.len() + answered;
                groups.join(number, of_each.get(before).copied());
            }
            if let Some(name) = &thread.name {
                groups.join(number, names.get(name).copied());
                names.insert_new(name.as_str(), number);
            }
            let before = draft.body.as_deref().and_then(|body| text(body, "previous_response_id"));
            groups.join(number, before.and_then(|id| responses.get(id).copied()));
            if let Some(id) = &draft.response_id {
                responses.insert(id.as_str(), number);
            }
            let new = draft.messages.get(thread.known..).unwrap_or_default();
            thread.known = draft.messages.len();
            for message in new {
                let key = words(&message.parts);
                // the first message of the user can be repeated in another conversation
                let is_answer = message.role == Role::Assistant;
                if key.len() >= MIN_SHARED && is_answer {
                    groups.join(number, answers.get(&key).copied());
                    answers.insert(key, number);
                }
            }
        }
        groups.join_nested(drafts, &threads);
        groups
    }

    /// Joins threads that run during another one with another system prompt.
    fn join_nested(&mut self, drafts: &[Draft], threads: &[Thread]) {
        // a thread that can still run
        let mut open: Vec<usize> = Vec::new();
        for (number, thread) in threads.iter().enumerate() {
            open.retain(|other| threads.get(*other).is_some_and(|it| it.last > thread.first));
            let system = |thread: &Thread| drafts.get(thread.first).map(|draft| &draft.system);
            for other in open.iter().rev() {
                let Some(outer) = threads.get(*other) else { continue };
                let is_named = outer.name.is_some() && thread.name.is_some();
                if system(outer) != system(thread) && !is_named {
                    self.join(number, Some(*other));
                    break;
                }
            }
            open.push(number);
        }
    }

    /// Returns the first thread of a group.
    fn root(&self, thread: usize) -> usize {
        let mut at = thread;
        while let Some(next) = self.0.get(at).copied().filter(|next| *next != at) {
            at = next;
        }
        at
    }

    fn join(&mut self, thread: usize, other: Option<usize>) {
        let Some(other) = other else { return };
        let (a, b) = (self.root(thread), self.root(other));
        if let Some(later) = self.0.get_mut(a.max(b)) {
            *later = a.min(b);
        }
    }
}

/// Returns the name of the conversation in a request.
fn name(draft: &Draft) -> Option<String> {
    let body = draft.body.as_deref()?;
    let session = deep_text(body, &["metadata", "user_id"]).filter(|id| id.contains("session"));
    let other = || {
        ["prompt_cache_key", "conversation", "session_id"].iter().find_map(|key| text(body, key))
    };
    session.or_else(other).map(str::to_owned)
}

/// Returns the index of the request whose answer is in the first message of a new thread.
fn summarized(draft: &Draft, earlier: &[Draft]) -> Option<usize> {
    let first = draft.messages.iter().find(|message| message.role == Role::User)?;
    let text_of = |parts: &[Part]| -> String {
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    };
    let Message { parts, .. } = first;
    let asked = text_of(parts);
    earlier.iter().rposition(|other| {
        let answer = text_of(&other.output);
        answer.len() >= MIN_SHARED && asked.contains(answer.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::body;
    use crate::import::model::Origin;
    use crate::value::json::Json;

    fn draft(system: &str, texts: &[&str], answer: &str) -> Draft {
        let message = |(at, text): (usize, &&str)| {
            let role = if at % 2 == 0 { Role::User } else { Role::Assistant };
            Message::text(role, *text, Origin::default())
        };
        Draft {
            system: vec![system.to_owned()],
            messages: texts.iter().enumerate().map(message).collect(),
            output: vec![Part::Text(answer.to_owned())],
            ..Draft::default()
        }
    }

    /// Returns the conversations as the indexes of their requests.
    fn split(drafts: Vec<Draft>) -> Vec<Vec<i64>> {
        let numbered = drafts.into_iter().enumerate();
        let numbered = numbered.map(|(at, draft)| Draft { at: Some(at as i64), ..draft });
        let found = conversations(numbered.collect());
        found.iter().map(|one| one.iter().filter_map(|draft| draft.at).collect()).collect()
    }

    const LONG: &str = "The gate closes at 23:41, and the boat leaves at 23:52 on Fridays.";

    #[test]
    fn other_questions_are_other_conversations() {
        let (a, b) = (draft("S", &["a"], "1"), draft("S", &["b"], "2"));
        assert_eq!(split(vec![a.clone(), b.clone()]), [[0], [1]]);
        // at the same time, too
        let (more, rest) = (draft("S", &["a", "1", "c"], "3"), draft("S", &["b", "2", "d"], "4"));
        assert_eq!(split(vec![a, b, more, rest]), [[0, 2], [1, 3]]);
    }

    #[test]
    fn a_sub_agent_and_a_compaction_stay_in_their_conversation() {
        let first = draft("S", &["a"], "1");
        let sub = draft("You explore.", &["look"], "2");
        let next = draft("S", &["a", "1", "c"], LONG);
        let compacted = draft("S", &[&format!("Summary: {LONG}")], "3");
        assert_eq!(split(vec![first.clone(), sub, next, compacted]), [[0, 1, 2, 3]]);
        // the first messages are dropped
        let whole = draft("S", &["a", LONG, "c"], "3");
        let short = draft("S", &["c", LONG, "d"], "4");
        assert_eq!(split(vec![whole, short]), [[0, 1]]);
    }

    #[test]
    fn a_name_decides() {
        let named = |system: &str, text: &str, id: &str| {
            let mut draft = draft(system, &[text], "1");
            draft.body =
                Some(Json::parse(&format!(r#"{{"prompt_cache_key":"{id}"}}"#)).unwrap().into());
            draft
        };
        let found = split(vec![
            named("S", "a", "x"),
            named("T", "b", "y"),
            named("S", "a", "x"),
            named("T", "c", "x"),
        ]);
        assert_eq!(found, [vec![0, 2, 3], vec![1]]);
    }

    #[test]
    fn a_chain_by_response_is_one_conversation() {
        let mut first = draft("S", &["a"], "1");
        first.response_id = Some("r1".into());
        let body = Json::parse(r#"{"previous_response_id":"r1","model":"m","input":"b"}"#).unwrap();
        let next = Draft { system: vec!["S".to_owned()], ..body::draft(&body, &Origin::default()) };
        assert_eq!(split(vec![first, draft("S", &["z"], "2"), next]), [vec![0, 2], vec![1]]);
    }
}
