//! The cards of a message.

use crate::import::model::{Findings, Media, Message, Origin, Part, Role, part_key};
use crate::prompt::provider::turn::Speaker;
use crate::prompt::tokens::Held;
use crate::rule::ledger::Place;
use crate::value::card::{Content, NewCard};
use crate::value::json::{Json, Object};

/// Returns the place that a card was read from.
pub(super) fn located(origin: &Origin, findings: &Findings) -> Place {
    let file = findings.files.get(origin.file).map(|file| file.name.clone()).unwrap_or_default();
    let line = origin.line.and_then(|line| u32::try_from(line).ok());
    Place { file, line, pointer: origin.pointer.clone() }
}

/// Returns an origin as JSON: the name of the file, the line and the pointer.
///
/// ```
/// use tuckbox::import::model::Origin;
/// use tuckbox::import::{SourceFile, import, project};
/// use tuckbox::json;
///
/// let found = import(&[SourceFile { name: "log.jsonl", bytes: b"{}" }]);
/// let origin = Origin { line: Some(3), pointer: "/message".into(), ..Origin::default() };
/// assert_eq!(project::place(&origin, &found).get("line"), Some(&json!(3)));
/// ```
pub fn place(origin: &Origin, findings: &Findings) -> Json {
    located(origin, findings).to_json()
}

pub(super) fn text_card(role: &str, words: &str, origin: &Origin, findings: &Findings) -> NewCard {
    let mut new = NewCard::new("", "", Content::text(words));
    new.metadata.insert("role".into(), role.into());
    new.metadata.insert("origin".into(), place(origin, findings));
    new
}

/// Ids for calls without an id: the nth call has the nth result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallIds {
    made: usize,
    answered: usize,
}

impl CallIds {
    fn call(&mut self, id: Option<&str>) -> String {
        id.map_or_else(
            || {
                self.made += 1;
                format!("unnamed_call_{}", self.made)
            },
            str::to_owned,
        )
    }

    fn result(&mut self, id: Option<&str>) -> String {
        match id {
            Some(id) => id.to_owned(),
            None if self.answered < self.made => {
                self.answered += 1;
                format!("unnamed_call_{}", self.answered)
            }
            None => "unnamed_call".to_owned(),
        }
    }
}

pub(super) type DraftCard = (&'static str, String, NewCard);

/// Returns the cards of a message. Texts, images and results are separate cards; the last text, the
/// reasoning and the calls of an assistant are one.
pub(super) fn made(message: &Message, findings: &Findings, ids: &mut CallIds) -> Vec<DraftCard> {
    let role = message.role.as_str();
    let mut out: Vec<DraftCard> = Vec::new();
    let mut last_text: Option<String> = None;
    let mut thoughts: Vec<(String, Option<String>)> = Vec::new();
    let mut calls: Vec<Object> = Vec::new();
    let mut key = String::new();
    for part in &message.parts {
        match part {
            Part::Text(words) if message.role == Role::Assistant => {
                if let Some(before) = last_text.replace(words.clone()) {
                    out.push((
                        "import.message",
                        format!("{role}:t:{before}"),
                        text_card(role, &before, &message.origin, findings),
                    ));
                }
            }
            Part::Text(words) => {
                out.push((
                    "import.message",
                    format!("{role}:{}", part_key(part)),
                    text_card(role, words, &message.origin, findings),
                ));
            }
            Part::Reasoning { text, sealed } => {
                key.push_str(&part_key(part));
                thoughts.push((text.clone(), sealed.clone()));
            }
            Part::Call { id, name, arguments } => {
                let id = ids.call(id.as_deref());
                key.push_str(&format!("c:{id}:{name}:{arguments}"));
                calls.push(call(&id, name, arguments));
            }
            Part::Result { id, content, is_error } => {
                let id = ids.result(id.as_deref());
                let key = format!("o:{id}:{is_error}:{content}");
                let new = result_card(id, content, *is_error, &message.origin, findings);
                out.push(("import.result", key, new));
            }
            Part::Image(media) | Part::File(media) => {
                out.push((
                    "import.media",
                    format!("{role}:{}", part_key(part)),
                    media_card(role, media, &message.origin, findings),
                ));
            }
            Part::Unknown(value) => {
                let new = content_card(role, json_content(value), &message.origin, findings);
                out.push(("import.unknown", format!("{role}:{}", part_key(part)), new));
            }
        }
    }
    if last_text.is_some() || !thoughts.is_empty() || !calls.is_empty() {
        let words = last_text.unwrap_or_default();
        let mut new = text_card(role, &words, &message.origin, findings);
        add_reasoning(&mut new.metadata, &thoughts);
        new.tool_calls = (!calls.is_empty()).then_some(calls);
        out.push(("import.message", format!("{role}:t:{words}{key}"), new));
    }
    out
}

fn result_card(
    id: String,
    content: &Json,
    is_error: bool,
    origin: &Origin,
    findings: &Findings,
) -> NewCard {
    let body = match content {
        Json::String(words) => Content::text(words.as_str()),
        other => json_content(other),
    };
    let mut new = content_card("tool", body, origin, findings);
    if is_error {
        new.metadata.insert("is_error".into(), true.into());
    }
    new.tool_call_id = Some(id);
    new
}

/// Returns the content of a JSON value: lists and objects as data, anything else as JSON text.
fn json_content(value: &Json) -> Content {
    match value {
        Json::Array(_) | Json::Object(_) => Content::Json(value.clone()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            Content::text(value.to_string())
        }
    }
}

fn content_card(role: &str, content: Content, origin: &Origin, findings: &Findings) -> NewCard {
    let mut new = NewCard::new("", "", content);
    new.metadata.insert("role".into(), role.into());
    new.metadata.insert("origin".into(), place(origin, findings));
    new
}

/// Adds reasoning, as text and in its encrypted form.
fn add_reasoning(metadata: &mut Object, thoughts: &[(String, Option<String>)]) {
    let texts = thoughts.iter().map(|(text, _)| text.as_str()).filter(|text| !text.is_empty());
    let texts: Vec<&str> = texts.collect();
    if !texts.is_empty() {
        metadata.insert("reasoning_content".into(), texts.join("\n\n").into());
    }
    let sealed = thoughts.iter().filter_map(|(_, sealed)| sealed.as_deref().map(Json::from));
    let sealed: Vec<Json> = sealed.collect();
    if !sealed.is_empty() {
        metadata.insert("reasoning_sealed".into(), Json::Array(sealed));
    }
}

/// Returns the messages that the cards of [`made`] become, as far as a provider adds framing to
/// them.
pub(crate) fn held(message: &Message) -> Vec<Held> {
    let speaker = match message.role {
        Role::System => Speaker::System,
        Role::User => Speaker::User,
        Role::Assistant => Speaker::Assistant,
        Role::Tool => Speaker::Tool,
    };
    let is_assistant = speaker == Speaker::Assistant;
    let mut out = Vec::new();
    // the last text and the calls of an assistant; the text can be empty
    let mut last = Held { calls: 0, ..Held::text(speaker) };
    let (mut has_text, mut has_last) = (false, false);
    for part in &message.parts {
        match part {
            Part::Text(_) if is_assistant => {
                if has_text {
                    out.push(Held::text(speaker));
                }
                (has_text, has_last) = (true, true);
            }
            Part::Reasoning { .. } => has_last = true,
            Part::Call { .. } => {
                last.calls += 1;
                has_last = true;
            }
            Part::Result { .. } => {
                out.push(Held { speaker: Speaker::Tool, texts: 0, calls: 0, answers: 1 });
            }
            Part::Text(_) | Part::Image(_) | Part::File(_) | Part::Unknown(_) => {
                out.push(Held::text(speaker));
            }
        }
    }
    if has_last {
        out.push(last);
    }
    out
}

pub(super) fn call(id: &str, name: &str, arguments: &Json) -> Object {
    let text = match arguments {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut function = Object::default();
    function.insert("name".into(), name.into());
    function.insert("arguments".into(), text.into());
    let mut out = Object::default();
    out.insert("id".into(), id.into());
    out.insert("type".into(), "function".into());
    out.insert("function".into(), Json::Object(function));
    out
}

pub(super) fn media_card(
    role: &str,
    media: &Media,
    origin: &Origin,
    findings: &Findings,
) -> NewCard {
    match media {
        Media::Data { mime, base64 } => {
            let mut new = text_card(role, base64, origin, findings);
            new.metadata.insert(
                "mime_type".into(),
                mime.as_deref().unwrap_or("application/octet-stream").into(),
            );
            new.metadata.insert("encoding".into(), "base64".into());
            new
        }
        Media::Url { mime, url } => {
            let mut new = text_card(role, url, origin, findings);
            new.metadata.insert(
                "mime_type".into(),
                mime.as_deref().unwrap_or("application/octet-stream").into(),
            );
            new.metadata.insert("encoding".into(), "url".into());
            new
        }
    }
}
