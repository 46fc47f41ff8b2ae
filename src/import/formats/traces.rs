//! OpenTelemetry exports of spans and logs.

use crate::import::file::Doc;
use crate::import::model::{Findings, Session};
use crate::import::{otlp, requests, trace};

pub fn claims(doc: &Doc) -> bool {
    super::shared::some_row(doc, otlp::is_export)
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    let records = otlp::records(docs);
    let traced = trace::requests(&records);
    let id = docs.first().map(|doc| doc.name.clone()).unwrap_or_default();
    let mut session = Session::new("otlp", id);
    // retries have no span
    requests::add_some(&mut session, traced.into_iter().map(|traced| traced.draft).collect());
    findings.sessions.push(session);
}
