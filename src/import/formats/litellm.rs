//! LiteLLM's log of successful calls: rows in any order, messages in OpenAI's form for every
//! provider.

use crate::import::file::Doc;
use crate::import::message::messages;
use crate::import::model::{Draft, Findings, Media, Part, Session, UnknownSubject};
use crate::import::pick::{deep, first_count, first_time, list, some, text};
use crate::import::tools::tools;
use crate::import::{body, requests};
use crate::value::json::Json;

pub fn claims(doc: &Doc) -> bool {
    super::shared::mostly(doc, |value| {
        value.get("litellm_call_id").is_some()
            || value.get("call_type").is_some()
                && value.get("model_parameters").is_some()
                && value.get("messages").is_some()
    })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let mut session = Session::new("litellm", doc.name.clone());
        let mut drafts = Vec::new();
        for row in doc.rows() {
            let value = &row.value;
            if text(value, "status").is_some_and(|status| status != "success") {
                continue;
            }
            let origin = doc.origin(row);
            let mut draft = Draft {
                messages: messages(list(value, "messages"), &origin.at("messages")),
                tools: Some(
                    deep(value, &["model_parameters", "tools"]).map(tools).unwrap_or_default(),
                ),
                at: first_time(value, &["startTime"]),
                model: text(value, "model").map(str::to_owned),
                api: match text(value, "custom_llm_provider") {
                    Some("openai" | "azure") => Some(body::CHAT),
                    Some("anthropic") => Some(body::ANTHROPIC),
                    Some("gemini" | "vertex_ai") => Some(body::GEMINI),
                    Some(_) | None => None,
                },
                origin,
                ..Draft::default()
            };
            if let Some(instructions) = deep(value, &["model_parameters", "instructions"]) {
                draft.system = body::texts(instructions);
            }
            if let Some(words) = value.get("messages").and_then(Json::as_str) {
                let origin = draft.origin.at("messages");
                draft.messages.push(crate::import::model::Message::text(
                    crate::import::model::Role::User,
                    words,
                    origin,
                ));
            }
            draft.lead_system();
            cut_media(&mut draft);
            if let Some(response) = some(value, "response") {
                let (model, at) = (draft.model.take(), draft.at);
                body::answer(response, &mut draft);
                draft.model = model;
                draft.at = at;
            }
            draft.usage.input = first_count(value, &["prompt_tokens"]).or(draft.usage.input);
            draft.usage.output = first_count(value, &["completion_tokens"]).or(draft.usage.output);
            drafts.push(draft);
        }
        drafts.sort_by_key(|draft| draft.at);
        requests::add_some(&mut session, drafts);
        findings.sessions.push(session);
    }
}

/// The log omits images and has only their length.
fn cut_media(draft: &mut Draft) {
    let mut cut = false;
    for message in &mut draft.messages {
        message.parts.retain(|part| {
            let gone = match part {
                Part::Image(Media::Data { base64, .. })
                | Part::File(Media::Data { base64, .. }) => base64.contains("truncated"),
                Part::Image(Media::Url { url, .. }) | Part::File(Media::Url { url, .. }) => {
                    url.contains("truncated")
                }
                _ => false,
            };
            cut |= gone;
            !gone
        });
    }
    if cut {
        draft.lacks(UnknownSubject::Images, "the log omits the bytes of images");
    }
}
