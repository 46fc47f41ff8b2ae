//! AI SDK DevTools: one file of runs and steps. Each step has the body as it was sent.

use crate::import::body;
use crate::import::file::Doc;
use crate::import::message::messages;
use crate::import::model::{Draft, Findings, Session, Usage};
use crate::import::pick::{first_time, list, opened, some, text, usage};
use crate::import::requests;
use crate::import::tools::tools;
use crate::value::json::Json;

pub fn claims(doc: &Doc) -> bool {
    doc.value().is_some_and(|value| {
        value.get("runs").is_some()
            && list(value, "steps").iter().all(|step| step.get("input").is_some())
            && value.get("steps").is_some()
    })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let Some(value) = doc.value() else { continue };
        let mut session = Session::new("ai-sdk-devtools", doc.name.clone());
        let mut drafts = Vec::new();
        for (at, step) in list(value, "steps").iter().enumerate() {
            let origin = doc.whole().at("steps").at(at);
            let raw = some(step, "raw_request").map(opened);
            let mut draft = match raw.as_deref() {
                Some(body) if body.as_object().is_some() => {
                    body::draft(body, &origin.at("raw_request"))
                }
                _ if some(step, "error").is_some() => continue,
                _ => from_input(step, &origin),
            };
            if let Some(response) = some(step, "raw_response").map(opened)
                && response.as_object().is_some()
            {
                body::answer(&response, &mut draft);
            }
            if draft.output.is_empty()
                && let Some(output) = some(step, "output").map(opened)
            {
                let content = output.get("content").unwrap_or(&Json::Null);
                draft.output = crate::import::parts::parts(content);
            }
            if draft.usage == Usage::default()
                && let Some(tokens) = some(step, "usage").map(opened)
            {
                draft.usage = usage(&tokens);
            }
            draft.model = draft.model.or_else(|| text(step, "model_id").map(str::to_owned));
            draft.at = first_time(step, &["started_at"]);
            draft.origin = origin;
            drafts.push(draft);
        }
        drafts.sort_by_key(|draft| draft.at);
        requests::add_some(&mut session, drafts);
        findings.sessions.push(session);
    }
}

fn from_input(step: &Json, origin: &crate::import::model::Origin) -> Draft {
    let input = some(step, "input").map(opened);
    let input = input.as_deref().unwrap_or(&Json::Null);
    let mut draft = Draft {
        messages: messages(list(input, "prompt"), &origin.at("input").at("prompt")),
        tools: Some(input.get("tools").map(tools).unwrap_or_default()),
        ..Draft::default()
    };
    draft.lead_system();
    draft
}
