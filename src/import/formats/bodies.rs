//! Request bodies as they were sent, one in a file or one on each line, optionally with the
//! recorded answer.

use crate::import::body;
use crate::import::file::Doc;
use crate::import::model::{Draft, Findings, Origin, Session};
use crate::import::pick::{first_moment, opened, some};
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
        let mut session = Session::new("raw-requests", doc.name.clone());
        let mut drafts = Vec::new();
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
        requests::add(&mut session, drafts);
        findings.sessions.push(session);
    }
}

fn draft(value: &Json, origin: &Origin) -> Option<Draft> {
    let sent = found(value)?;
    let mut draft = body::draft(&sent, origin);
    if !std::ptr::eq(&*sent, value) {
        for key in ["response", "response_body", "output", "result"] {
            if let Some(answer) = some(value, key) {
                let answer = opened(answer);
                let inner = answer.get("body").map(opened);
                body::answer(inner.as_deref().unwrap_or(&answer), &mut draft);
                break;
            }
        }
        draft.at = first_moment(
            value,
            &["at", "timestamp", "time", "started_at", "created_at", "startTime"],
        );
    }
    Some(draft)
}
