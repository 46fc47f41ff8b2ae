//! Flows of mitmproxy: requests and responses with their bodies.

use crate::import::file::Doc;
use crate::import::lint::ImportLint;
use crate::import::model::{Findings, Note, Session};
use crate::import::pick::{deep_text, first_count, first_time, open, opened, some, text};
use crate::import::{body, requests};
use crate::value::json::Json;

pub fn claims(doc: &Doc) -> bool {
    let flows = doc.value().and_then(Json::as_array);
    flows.and_then(<[Json]>::first).is_some_and(|flow| {
        flow.get("type").is_some()
            && flow.get("version").is_some()
            && flow.get("server_conn").is_some()
    })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let mut session = Session::new("mitmproxy", doc.name.clone());
        let mut drafts = Vec::new();
        let flows = doc.value().and_then(Json::as_array).unwrap_or_default();
        for (at, flow) in flows.iter().enumerate() {
            let origin = doc.whole().at(at);
            let sent = some(flow, "request");
            let content = sent.and_then(|sent| open(text(sent, "content")?));
            let (Some(sent), Some(content)) = (sent, content.filter(body::is_body)) else {
                let message = format!("flow `{at}` is not a request to a model, or is compressed");
                findings.notes.push(Note { code: ImportLint::NotARequest, origin, message });
                continue;
            };
            let mut draft = body::draft(&content, &origin.at("request").at("content"));
            if let Some(path) = text(sent, "path") {
                body::from_url(path, &mut draft);
            }
            if let Some(received) = some(flow, "response") {
                if let Some(content) = some(received, "content").map(opened) {
                    body::answer(&content, &mut draft);
                }
                body::failed(first_count(received, &["status_code"]), &mut draft);
            } else {
                let reason = deep_text(flow, &["error", "msg"]).unwrap_or("no response");
                draft.error = Some(reason.to_owned());
            }
            draft.at = first_time(sent, &["timestamp_start"]);
            drafts.push(draft);
        }
        requests::add(&mut session, drafts);
        findings.sessions.push(session);
    }
}
