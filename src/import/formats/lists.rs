//! Lists of messages of a program: AI SDK model and UI messages, LangChain messages, items of the
//! Responses API, or plain `{role, content}`. A file has one list, or one message on each line.

use crate::import::file::Doc;
use crate::import::history::{self, Entry};
use crate::import::message::{is_message, is_tool_part, messages};
use crate::import::model::{Draft, Findings, Message, Origin, Role, Session, UnknownSubject};
use crate::import::pick::{self, first_text, first_time, list, some, text};
use crate::value::json::Json;

pub fn claims(doc: &Doc) -> bool {
    match doc.value() {
        Some(value) => spoken(value).is_some(),
        None => super::shared::mostly(doc, is_message),
    }
}

/// Returns the list of messages in a file: the whole file, or the value of a usual key.
fn spoken(value: &Json) -> Option<(&'static str, &[Json])> {
    let good = |items: &[Json]| {
        !items.is_empty() && items.iter().filter(|item| is_message(item)).count() * 2 > items.len()
    };
    if let Some(items) = value.as_array() {
        return good(items).then_some(("", items));
    }
    ["messages", "items", "history", "conversation", "chat", "data"]
        .into_iter()
        .map(|key| (key, list(value, key)))
        .find(|(_, items)| good(items))
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let mut found: Vec<Message> = Vec::new();
        let mut masked = false;
        let mut base = Draft { origin: doc.whole(), ..Draft::default() };
        match doc.value() {
            Some(value) => {
                let Some((key, items)) = spoken(value) else { continue };
                let origin = if key.is_empty() { doc.whole() } else { doc.whole().at(key) };
                found = messages(items, &origin);
                masked = items
                    .iter()
                    .flat_map(|item| list(item, "parts"))
                    .any(|part| is_tool_part(part) && text(part, "errorText").is_some());
                if for_google(items) {
                    crate::import::parts::wrap_for_google(&mut found);
                    base.api = Some(crate::import::body::GEMINI);
                }
                for key in ["system", "instructions", "systemPrompt", "system_prompt"] {
                    if let Some(system) = some(value, key) {
                        base.system = crate::import::body::texts(system);
                    }
                }
                if let Some(defined) = some(value, "tools") {
                    base.tools = Some(crate::import::tools::tools(defined));
                }
                base.model = text(value, "model").map(str::to_owned);
            }
            None => {
                for row in doc.rows() {
                    found.extend(crate::import::message::message(&row.value, &doc.origin(row)));
                }
            }
        }
        let leads =
            found.first().is_some_and(|first| first.role == crate::import::model::Role::System);
        let tooled = base.tools.is_none() && history::uses_tools(&found);
        if leads {
            base.system.clear();
            base.lacks(UnknownSubject::Params, super::shared::HISTORY);
            if tooled {
                for what in [
                    UnknownSubject::Tools,
                    UnknownSubject::ToolDescriptions,
                    UnknownSubject::ToolSchemas,
                ] {
                    base.lacks(what, super::shared::ONLY_NAMES);
                }
            }
        } else {
            super::shared::history_lacks(&mut base, tooled);
        }
        if masked {
            base.lacks(
                UnknownSubject::ToolResults,
                "the text of a failed tool is masked for the user; the model saw another one",
            );
        }
        let mut session = Session::new("messages", doc.name.clone());
        history::read_messages(&mut session, found, base, |message| entry(doc, message));
        findings.sessions.push(session);
    }
}

/// Adds what a list has about an answer: the model, the usage and the time, as in Pydantic AI.
fn entry(doc: &Doc, message: Message) -> Entry {
    let mut entry = Entry::new(message);
    if entry.message.role != Role::Assistant {
        return entry;
    }
    let Origin { line, pointer, .. } = &entry.message.origin;
    let rows = doc.rows();
    let row = rows.get(rows.partition_point(|row| row.line < *line));
    let keys = pointer.split('/').skip(1).take_while(|key| *key != "parts");
    let held = keys.into_iter().try_fold(row.map(|row| &row.value), |value, key| {
        let value = value?;
        let inner = match key.parse::<usize>() {
            Ok(at) => value.as_array().and_then(|items| items.get(at)),
            Err(_) => value.get(key),
        };
        inner.map(Some)
    });
    let Some(held) = held.flatten() else { return entry };
    if let Some(usage) = some(held, "usage").filter(|_| text(held, "kind") == Some("response")) {
        entry.usage = pick::usage(usage);
        entry.model = first_text(held, &["model_name"]).map(str::to_owned);
        entry.at = first_time(held, &["timestamp"]);
    }
    entry
}

/// Returns true if a part has fields that the Google provider of the AI SDK adds.
fn for_google(items: &[Json]) -> bool {
    let parts =
        items.iter().flat_map(|item| list(item, "content").iter().chain(list(item, "parts")));
    let mut owners = parts.flat_map(|part| {
        ["providerOptions", "providerMetadata", "callProviderMetadata"]
            .iter()
            .filter_map(|key| part.get(key))
    });
    owners.any(|owner| some(owner, "google").or_else(|| some(owner, "vertex")).is_some())
}

#[cfg(test)]
mod tests {
    use crate::import::{SourceFile, import};

    #[test]
    fn usage_and_model_of_pydantic_ai_belong_to_the_answer() {
        let log = concat!(
            r#"[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"Hi"}]},"#,
            r#"{"kind":"response","model_name":"gpt-5","timestamp":"2026-03-01T10:00:00Z","parts":[{"part_kind":"text","content":"Yes."}],"#,
            r#""usage":{"input_tokens":50,"cache_read_tokens":20,"cache_write_tokens":5,"output_tokens":4}},"#,
            r#"{"kind":"request","parts":[{"part_kind":"user-prompt","content":"More"}]},"#,
            r#"{"kind":"response","model_name":"gpt-5","parts":[{"part_kind":"text","content":"No."}],"usage":{"request_tokens":60,"response_tokens":2}}]"#,
        );
        let found = import(&[SourceFile { name: "a.json", bytes: log.as_bytes() }]);
        let requests = &found.sessions.first().unwrap().requests;
        let facts = requests.iter().map(|one| {
            let usage = one.usage;
            (one.model.as_deref(), usage.input, usage.cached, usage.written, usage.output)
        });
        let model = Some("gpt-5");
        assert_eq!(
            facts.collect::<Vec<_>>(),
            [(model, Some(50), Some(20), Some(5), Some(4)), (model, Some(60), None, None, Some(2))]
        );
        assert!(requests.first().unwrap().at.is_some());
    }
}
