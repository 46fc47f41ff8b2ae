//! HAR files of a browser or a proxy: requests and responses with their bodies.

use crate::import::body;
use crate::import::file::Doc;
use crate::import::lint::ImportLint;
use crate::import::model::{Findings, Note, Session};
use crate::import::pick::{deep, deep_text, first_moment, list, open};
use crate::import::requests;

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
            let sent = deep_text(entry, &["request", "postData", "text"]).and_then(open);
            let Some(sent) = sent.filter(body::is_body) else {
                let message = format!("entry {at} is no request to a model");
                findings.notes.push(Note { code: ImportLint::NotARequest, origin, message });
                continue;
            };
            let mut draft = body::draft(&sent, &origin.at("request").at("postData").at("text"));
            if let Some(received) =
                deep_text(entry, &["response", "content", "text"]).and_then(open)
            {
                body::answer(&received, &mut draft);
            }
            draft.at = first_moment(entry, &["startedDateTime"]);
            drafts.push(draft);
        }
        requests::add(&mut session, drafts);
        findings.sessions.push(session);
    }
}
