//! Exports of Langfuse: observations as lines, in a list, or in `data` or `observations` of an
//! object. A generation is a request.

use crate::import::file::Doc;
use crate::import::message::{is_message, messages};
use crate::import::model::{Draft, Findings, Message, Origin, Role, Session, Usage};
use crate::import::pick::{self, first_count, first_text, first_time, list, opened, some, text};
use crate::import::tools::tools;
use crate::import::{body, requests};
use crate::value::json::Json;

pub fn claims(doc: &Doc) -> bool {
    super::shared::some_row(doc, |value| observations(value).any(|(_, one)| is_generation(one)))
}

fn is_generation(value: &Json) -> bool {
    first_text(value, &["traceId", "trace_id"]).is_some()
        && text(value, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("generation"))
}

/// Returns the observations of a value and the keys that lead to them.
fn observations(value: &Json) -> impl Iterator<Item = (Option<(&'static str, usize)>, &Json)> {
    let inner = ["data", "observations", ""].into_iter().find_map(|key| {
        let items = if key.is_empty() { value.as_array()? } else { value.get(key)?.as_array()? };
        Some(items.iter().enumerate().map(move |(at, one)| (Some((key, at)), one)))
    });
    let own = value.get("type").is_some().then_some((None, value));
    inner.into_iter().flatten().chain(own)
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let mut found: Vec<(String, Draft)> = Vec::new();
        for row in doc.rows() {
            let origin = doc.origin(row);
            for (place, one) in observations(&row.value) {
                if !is_generation(one) {
                    continue;
                }
                let origin = match place {
                    None => origin.clone(),
                    Some(("", at)) => origin.at(at),
                    Some((key, at)) => origin.at(key).at(at),
                };
                let id = first_text(one, &["sessionId", "session_id", "traceId", "trace_id"]);
                found.push((id.unwrap_or_default().to_owned(), draft(one, &origin)));
            }
        }
        // exports list the newest first
        found.sort_by_key(|(_, draft)| draft.at);
        let mut sessions: Vec<(String, Vec<Draft>)> = Vec::new();
        for (id, draft) in found {
            match sessions.iter_mut().find(|(known, _)| *known == id) {
                Some((_, drafts)) => drafts.push(draft),
                None => sessions.push((id, vec![draft])),
            }
        }
        for (id, drafts) in sessions {
            let mut session = Session::new("langfuse", id);
            requests::add_some(&mut session, drafts);
            findings.sessions.push(session);
        }
    }
}

fn draft(one: &Json, origin: &Origin) -> Draft {
    let mut draft = Draft {
        model: text(one, "model").map(str::to_owned),
        at: first_time(one, &["startTime", "start_time"]),
        origin: origin.clone(),
        ..Draft::default()
    };
    let origin = origin.at("input");
    if let Some(input) = some(one, "input") {
        let input = opened(input);
        if let Some(words) = input.as_str() {
            draft.messages.push(Message::text(Role::User, words, origin));
        } else if let Some(items) = input.as_array() {
            draft.messages = messages(items, &origin);
        } else if is_message(&input) {
            draft.messages = messages(std::slice::from_ref(&input), &origin);
        } else {
            draft.messages = messages(list(&input, "messages"), &origin.at("messages"));
            draft.system = some(&input, "system").map(body::texts).unwrap_or_default();
            draft.tools = some(&input, "tools").map(tools);
        }
    }
    draft.lead_system();
    if draft.tools.is_none() {
        let parameters = some(one, "modelParameters").or_else(|| some(one, "model_parameters"));
        draft.tools = parameters.map(opened).and_then(|held| some(&held, "tools").map(tools));
    }
    if draft.tools.is_none() {
        super::shared::history_lacks(&mut draft, true);
    }
    if let Some(output) = some(one, "output") {
        let output = opened(output);
        let message = match output.as_str() {
            Some(words) => vec![Message::text(Role::Assistant, words, Origin::default())],
            None if output.as_array().is_some() || is_message(&output) => {
                let items = output.as_array().unwrap_or(std::slice::from_ref(&output));
                messages(items, &Origin::default())
            }
            None => {
                body::answer(&output, &mut draft);
                Vec::new()
            }
        };
        draft.output.extend(message.into_iter().flat_map(|message| message.parts));
    }
    let counted = ["usageDetails", "usage_details", "usage"].iter();
    if let Some(counted) = counted.filter_map(|key| some(one, key)).map(opened).next() {
        draft.usage = usage(&counted);
    }
    draft
}

/// Returns the tokens of a generation. Details of the input are counted in addition to it.
fn usage(counted: &Json) -> Usage {
    let cached = first_count(counted, &["input_cached_tokens", "cache_read_input_tokens"]);
    let written = first_count(counted, &["input_cache_creation", "cache_creation_input_tokens"]);
    let whole = pick::usage(counted);
    let extra = first_count(counted, &["input_cached_tokens"]).unwrap_or(0)
        + first_count(counted, &["input_cache_creation"]).unwrap_or(0);
    Usage {
        input: whole.input.map(|input| input + extra),
        output: whole.output,
        cached: cached.or(whole.cached),
        written: written.or(whole.written),
    }
}

#[cfg(test)]
mod tests {
    use crate::import::{SourceFile, import};

    #[test]
    fn generations_are_the_requests_of_their_session() {
        let log = concat!(
            r#"{"data":[{"id":"o2","traceId":"t1","sessionId":"s1","type":"GENERATION","startTime":"2026-03-01T10:00:05Z","#,
            r#""model":"gpt-5","input":{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},"#,
            r#"{"role":"assistant","content":"Hello."},{"role":"user","content":"Bye"}],"tools":[{"type":"function","#,
            r#""function":{"name":"look","parameters":{}}}]},"output":{"role":"assistant","content":"Bye."},"#,
            r#""usageDetails":{"input":40,"input_cached_tokens":10,"output":2,"total":52}},"#,
            r#"{"id":"o1","traceId":"t0","sessionId":"s1","type":"GENERATION","startTime":"2026-03-01T10:00:01Z","model":"gpt-5","#,
            r#""input":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}],"output":"Hello.","#,
            r#""usage":{"input":30,"output":3}},{"id":"o0","traceId":"t0","type":"SPAN"}]}"#,
        );
        let found = import(&[SourceFile { name: "a.json", bytes: log.as_bytes() }]);
        let [session] = found.sessions.as_slice() else { panic!("{:?}", found.sessions) };
        assert_eq!((session.source, session.id.as_str()), ("langfuse", "s1"));
        let [first, second] = session.requests.as_slice() else { panic!() };
        assert_eq!((first.usage.input, first.usage.output), (Some(30), Some(3)));
        assert_eq!((second.usage.input, second.usage.cached), (Some(50), Some(10)));
        assert_eq!(second.system.as_slice(), ["Be brief."]);
        assert_eq!((first.output.len(), second.tools.len()), (1, 1));
        assert_eq!(second.model.as_deref(), Some("gpt-5"));
        // the second request continues the first
        assert_eq!(session.all().count(), 3);
    }
}
