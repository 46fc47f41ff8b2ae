//! HAR files of a browser or a proxy: requests and responses with their bodies.

use crate::import::body;
use crate::import::file::Doc;
use crate::import::lint::ImportLint;
use crate::import::model::{Findings, Note, Session};
use crate::import::pick::{deep, deep_text, first_time, list, open, text};
use crate::import::{base64, requests};
use crate::value::json::Json;

pub fn claims(doc: &Doc) -> bool {
    doc.value().is_some_and(|value| {
        deep(value, &["log", "entries"]).is_some_and(|entries| entries.as_array().is_some())
    })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let Some(log) = doc.value().and_then(|value| value.get("log")) else { continue };
        let mut session = Session::new("har", doc.name.clone());
        let mut drafts = Vec::new();
        for (at, entry) in list(log, "entries").iter().enumerate() {
            let origin = doc.whole().at("log").at("entries").at(at);
            let sent = deep(entry, &["request", "postData"]);
            let is_packed = sent.is_some_and(is_packed);
            let Some(sent) = sent.and_then(held).filter(body::is_body) else {
                let message = if is_packed {
                    format!("the body of entry `{at}` is compressed; record it before compression")
                } else {
                    format!("entry `{at}` is not a request to a model")
                };
                findings.notes.push(Note { code: ImportLint::NotARequest, origin, message });
                continue;
            };
            let mut draft = body::draft(&sent, &origin.at("request").at("postData").at("text"));
            if let Some(url) = deep_text(entry, &["request", "url"]) {
                body::from_url(url, &mut draft);
            }
            let received = deep(entry, &["response", "content"]);
            if let Some(received) = received.and_then(|it| held(it).or_else(|| stream(it))) {
                body::answer(&received, &mut draft);
            }
            draft.at = first_time(entry, &["startedDateTime"]);
            drafts.push(draft);
        }
        requests::add(&mut session, drafts);
        findings.sessions.push(session);
    }
}

/// Returns the JSON of a body, stored as text or base64.
fn held(body: &Json) -> Option<Json> {
    let words = text(body, "text")?;
    open(words).or_else(|| open(std::str::from_utf8(&base64::decode(words)?).ok()?))
}

/// Returns the text of a stream, stored as text or base64.
fn stream(body: &Json) -> Option<Json> {
    let words = text(body, "text")?;
    let bytes = || String::from_utf8(base64::decode(words)?).ok();
    let is_base64 = text(body, "encoding") == Some("base64");
    Some(Json::from(if is_base64 { bytes()? } else { words.to_owned() }))
}

/// Returns true for a body that is still compressed.
fn is_packed(body: &Json) -> bool {
    // gzip in base64
    text(body, "text").is_some_and(|words| words.starts_with("H4sI"))
}
