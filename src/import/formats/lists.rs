//! Lists of messages of a program: AI SDK model and UI messages, LangChain messages, items of the
//! Responses API, or plain `{role, content}`. A file has one list, or one message on each line.

use crate::import::file::Doc;
use crate::import::history;
use crate::import::message::{is_message, is_tool_part, messages};
use crate::import::model::{Draft, Findings, Message, Session, UnknownSubject};
use crate::import::pick::{list, some, text};
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
        history::read_messages(&mut session, found, base);
        findings.sessions.push(session);
    }
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
