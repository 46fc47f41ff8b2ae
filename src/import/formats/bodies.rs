//! Request bodies as they were sent, one in a file or one on each line, optionally with the
//! recorded answer.

use crate::import::body;
use crate::import::conversations::conversations;
use crate::import::file::Doc;
use crate::import::model::{Draft, Findings, Origin, Session};
use crate::import::pick::{first_count, first_time, opened, some, text, yes};
use crate::import::requests;
use crate::value::json::Json;
use std::borrow::Cow;

pub fn claims(doc: &Doc) -> bool {
    super::shared::mostly(doc, |value| found(value).is_some())
        || doc.value().and_then(Json::as_array).is_some_and(|items| {
            !items.is_empty() && items.iter().all(|item| found(item).is_some())
        })
}

/// Returns the body in a value: the value itself, or a member of a recorder's wrapper, also as JSON
/// text.
fn found(value: &Json) -> Option<Cow<'_, Json>> {
    if body::is_body(value) {
        return Some(Cow::Borrowed(value));
    }
    ["body", "request", "request_body", "json", "json_data", "payload", "kwargs"]
        .iter()
        .filter_map(|key| some(value, key))
        .find_map(|inner| {
            let inner = opened(inner);
            if body::is_body(&inner) {
                return Some(inner);
            }
            match inner {
                Cow::Borrowed(inner) => some(inner, "body").map(opened),
                Cow::Owned(inner) => {
                    some(&inner, "body").map(|body| Cow::Owned(opened(body).into_owned()))
                }
            }
            .filter(|body| body::is_body(body))
        })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let mut drafts = Vec::new();
        // a recorder can see several conversations
        let is_recording =
            |value: &Json| text(value, "url").is_some() && some(value, "at").is_some();
        let is_recording = doc.rows().iter().all(|row| is_recording(&row.value));
        for row in doc.rows() {
            let origin = doc.origin(row);
            match row.value.as_array() {
                Some(items) => {
                    for (at, item) in items.iter().enumerate() {
                        drafts.extend(draft(item, &origin.at(at)));
                    }
                }
                None => drafts.extend(draft(&row.value, &origin)),
            }
        }
        let all = if is_recording { conversations(drafts) } else { vec![drafts] };
        for (at, drafts) in all.into_iter().enumerate() {
            let id = if at == 0 { doc.name.clone() } else { format!("{}#{}", doc.name, at + 1) };
            let mut session = Session::new("raw-requests", id);
            requests::add(&mut session, drafts);
            findings.sessions.push(session);
        }
    }
}

fn draft(value: &Json, origin: &Origin) -> Option<Draft> {
    let sent = found(value)?;
    let mut draft = body::draft(&sent, origin);
    if !std::ptr::eq(&*sent, value) {
        let inner = some(value, "request");
        let url = ["url", "path"]
            .iter()
            .find_map(|key| text(value, key).or_else(|| inner.and_then(|inner| text(inner, key))));
        if let Some(url) = url {
            body::from_url(url, &mut draft);
        }
        for key in ["response", "response_body", "output", "result"] {
            if let Some(answer) = some(value, key) {
                let answer = opened(answer);
                // a stream is stored as text
                let inner = some(&answer, "body").or_else(|| some(&answer, "body_raw")).map(opened);
                body::answer(inner.as_deref().unwrap_or(&answer), &mut draft);
                break;
            }
        }
        let times = ["at", "timestamp", "time", "started_at", "created_at", "startTime"];
        draft.at =
            first_time(value, &times).or_else(|| inner.and_then(|it| first_time(it, &times)));
        let received = some(value, "response");
        let status = ["status", "status_code"].iter().find_map(|key| {
            let nested = received.and_then(|it| first_count(it, &[key]));
            first_count(value, &[key]).or(nested)
        });
        body::failed(status, &mut draft);
        if yes(value, "aborted") && draft.error.is_none() {
            draft.error = Some("the connection ended early".to_owned());
        }
    }
    Some(draft)
}
