//! The neutral form: the messages unchanged.

use super::body::Out;
use super::demands::{Demands, OPEN};
use super::draft::Draft;
use super::openai_chat;
use super::response::Reader;
use super::spec::Spec;
use crate::value::json::{Json, to_json};

pub(super) const SPEC: Spec = Spec {
    name: "neutral",
    family: "",
    demands: Demands { model: false, ..OPEN },
    media: |_, _, _| true,
    reasoning: |_, _| true,
    own_keys: &["model", "messages", "tools", "max_output_tokens"],
    options: &[],
    settle: |_| {},
    body,
    ..openai_chat::SPEC
};

/// No model answers in it.
pub(super) const READER: Option<Reader> = None;

fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let mut out = Out::new();
    out.put("model", draft.options.model.as_deref());
    // every message serializes to JSON
    let messages: Json =
        draft.neutral.iter().map(|message| to_json(message).unwrap_or_default()).collect();
    out.put("messages", Some(messages));
    let tools: Json = draft.neutral_tools.iter().cloned().collect();
    out.put("tools", Some(tools).filter(Json::is_truthy));
    out.put("max_output_tokens", draft.options.max_output_tokens);
    out
}
