//! Batches of independent requests for a provider.

use crate::import::body;
use crate::import::file::Doc;
use crate::import::lint::ImportLint;
use crate::import::model::{Findings, Note, Session};
use crate::import::pick::{list, some, text};
use crate::value::json::Json;
use crate::value::str_map::StrMap;

pub fn claims(doc: &Doc) -> bool {
    super::shared::mostly(doc, |value| entry(value).is_some())
        || doc.value().is_some_and(|value| {
            let entries = list(value, "requests");
            !entries.is_empty() && entries.iter().all(|value| entry(value).is_some())
        })
}

/// Returns the name and the body of an entry.
fn entry(value: &Json) -> Option<(&str, &Json)> {
    let name = text(value, "custom_id").or_else(|| text(value, "key"))?;
    let body = ["body", "params", "request"].iter().find_map(|key| some(value, key))?;
    body::api(body).map(|_| (name, body))
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    // by their text, for any order of keys
    let mut seen: StrMap<()> = StrMap::new();
    for doc in docs {
        let mut session = Session::new("provider-batch", doc.name.clone());
        for row in doc.rows() {
            let origin = doc.origin(row);
            let entries: Vec<(&Json, crate::import::model::Origin)> =
                match list(&row.value, "requests") {
                    [] => vec![(&row.value, origin)],
                    many => many
                        .iter()
                        .enumerate()
                        .map(|(at, value)| (value, origin.at("requests").at(at)))
                        .collect(),
                };
            for (value, origin) in entries {
                let Some((name, sent)) = entry(value) else {
                    let message = "the line is not an entry of a batch".to_owned();
                    findings.notes.push(Note { code: ImportLint::NotARequest, origin, message });
                    continue;
                };
                let words = value.canonical().as_ref().unwrap_or(value).to_string();
                if !seen.insert_new(words, ()) {
                    let message = format!("the entry `{name}` is also in another file");
                    findings.notes.push(Note { code: ImportLint::Repeated, origin, message });
                    continue;
                }
                let mut draft = body::draft(sent, &origin);
                draft.agent = None;
                session.push(draft);
                let at = session.requests.len() - 1;
                if let Some(request) = session.requests.last_mut() {
                    request.index = Some(at);
                }
            }
        }
        if !session.requests.is_empty() {
            findings.sessions.push(session);
        }
    }
}
