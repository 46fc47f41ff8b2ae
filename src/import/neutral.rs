//! The neutral shape: a request as system prompt, messages and tools, with what is unknown.
//!
//! ```
//! use tuckbox::import::{SourceFile, import, neutral};
//!
//! let log = br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
//! let found = import(&[SourceFile { name: "request.json", bytes: log }]);
//! let (session, request) = neutral::last(&found).unwrap();
//! assert!(neutral::request(session, request).contains_key("messages"));
//! ```

use super::model::{Findings, Kind, Media, Message, Origin, Part, Request, Session, Tool, Unknown};
use crate::Limits;
use crate::value::json::{Json, Object};

/// Returns the last request of the newest session that is not of a sub-agent.
///
/// ```
/// use tuckbox::import::{SourceFile, import, neutral};
///
/// let body = |text| format!(r#"{{"model":"gpt-5","messages":[{{"role":"user","content":"{text}"}}]}}"#);
/// let found = import(&[SourceFile { name: "request.json", bytes: body("Hi").as_bytes() }]);
/// assert!(neutral::last(&found).is_some());
/// assert!(neutral::last(&import(&[])).is_none());
/// ```
pub fn last(findings: &Findings) -> Option<(&Session, &Request)> {
    let mut sessions =
        findings.sessions.iter().rev().filter(|session| !session.requests.is_empty());
    let newest = sessions.clone().next();
    let session = sessions.find(|session| last_of(session).0).or(newest)?;
    last_of(session).1.map(|request| (session, request))
}

/// Returns the last request of a session that is part of the conversation, otherwise its last
/// request; and whether it is part of the conversation.
///
/// ```
/// use tuckbox::import::model::{Draft, Session};
/// use tuckbox::import::neutral::last_of;
///
/// let mut session = Session::new("my_tool", "s1");
/// assert!(last_of(&session).1.is_none());
/// session.push(Draft { model: Some("gpt-5".into()), ..Draft::default() });
/// let (is_main, request) = last_of(&session);
/// assert!(is_main && request.unwrap().model.as_deref() == Some("gpt-5"));
/// ```
pub fn last_of(session: &Session) -> (bool, Option<&Request>) {
    let main = session.requests.iter().rev().find(|request| request.kind == Kind::Main);
    (main.is_some(), main.or(session.requests.last()))
}

/// Returns a request in the neutral shape.
///
/// ```
/// use tuckbox::import::model::{Draft, Session};
/// use tuckbox::import::neutral;
/// use tuckbox::json;
///
/// let mut session = Session::new("my_tool", "s1");
/// session.push(Draft { system: vec!["Be brief.".into()], ..Draft::default() });
/// let shape = neutral::request(&session, &session.requests[0]);
/// assert_eq!(shape.get("system"), Some(&json!(["Be brief."])));
/// ```
pub fn request(session: &Session, request: &Request) -> Object {
    let mut out = Object::default();
    out.insert("system".into(), request.system.iter().map(String::as_str).collect());
    let messages = session.messages(request.tail);
    out.insert("messages".into(), messages.into_iter().map(message).collect());
    out.insert("tools".into(), request.tools.iter().map(tool).collect());
    out.insert("unknown".into(), request.unknown.iter().map(unknown).collect());
    out.insert("output".into(), request.output.iter().map(part).collect());
    out
}

/// Returns the messages and tools of a request body as arguments of the operation `payload`.
pub(crate) fn arguments_of(body: &Json) -> Object {
    let draft = super::body::draft(body, &Origin::default());
    let text = |text: &String| Json::from([("role", "system"), ("content", text.as_str())]);
    let written = |message: &Message| {
        let content: Json = message.parts.iter().map(sent_part).collect();
        Json::from([("role", Json::from(message.role.as_str())), ("content", content)])
    };
    let messages = draft.system.iter().map(text).chain(draft.messages.iter().map(written));
    let mut out = Object::default();
    out.insert("messages".into(), messages.collect());
    let tools = draft.tools.unwrap_or_default();
    if !tools.is_empty() {
        let tools = tools.iter().map(|tool| Json::Object(super::project::definition(tool)));
        out.insert("tools".into(), tools.collect());
    }
    out
}

/// As [`part`], with what only a provider needs: signatures and the types of files.
fn sent_part(given: &Part) -> Json {
    let mut out = part(given);
    match (given, &mut out) {
        (Part::Reasoning { text, sealed: Some(sealed) }, _) if !text.is_empty() => {
            let (text, sealed) = (text.as_str(), sealed.as_str());
            return Json::from([("type", "thinking"), ("thinking", text), ("signature", sealed)]);
        }
        (
            Part::Image(Media::Data { mime: Some(mime), .. } | Media::Url { mime: Some(mime), .. })
            | Part::File(Media::Data { mime: Some(mime), .. } | Media::Url { mime: Some(mime), .. }),
            Json::Object(out),
        ) => {
            out.insert("mime_type".into(), mime.as_str().into());
        }
        _ => {}
    }
    out
}

/// Returns the last request, and all requests if `every` is true.
///
/// ```
/// use tuckbox::import::{SourceFile, import, neutral};
///
/// let log = br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
/// let found = import(&[SourceFile { name: "request.json", bytes: log }]);
/// assert!(neutral::shape(&found, false).get("requests").is_none());
/// assert!(neutral::shape(&found, true).get("requests").is_some());
/// ```
pub fn shape(findings: &Findings, every: bool) -> Json {
    let mut out = match last(findings) {
        Some((session, found)) => request(session, found),
        None => {
            let mut out = Object::default();
            for key in ["system", "messages", "tools", "unknown"] {
                out.insert(key.into(), Json::Array(Vec::new()));
            }
            out
        }
    };
    if every {
        let mut all = Vec::new();
        for session in &findings.sessions {
            for found in &session.requests {
                let mut entry = request(session, found);
                if let Some(index) = found.index {
                    entry.insert("index".into(), Json::from(index));
                }
                all.push(Json::Object(entry));
            }
        }
        out.insert("requests".into(), Json::Array(all));
    }
    Json::Object(out)
}

/// Returns the approximate bytes of the messages of all requests. Each has its whole history.
pub(super) fn size_of_all(findings: &Findings, limits: &Limits) -> usize {
    findings.sessions.iter().map(|session| size_of(session, limits)).sum()
}

/// The same for one session.
pub(super) fn size_of(session: &Session, limits: &Limits) -> usize {
    let size = |part: &Part| match part {
        Part::Text(text) | Part::Reasoning { text, .. } => text.len(),
        Part::Call { arguments: value, .. }
        | Part::Result { content: value, .. }
        | Part::Unknown(value) => limits.size(value),
        Part::Image(Media::Data { base64: text, .. } | Media::Url { url: text, .. })
        | Part::File(Media::Data { base64: text, .. } | Media::Url { url: text, .. }) => text.len(),
    };
    let mut upto: Vec<usize> = Vec::new();
    for (message, parent) in session.all() {
        let before = parent.and_then(|at| upto.get(at)).copied().unwrap_or_default();
        upto.push(before + MESSAGE + message.parts.iter().map(size).sum::<usize>());
    }
    let tails = session.requests.iter().filter_map(|request| request.tail);
    tails.filter_map(|tail| upto.get(tail)).sum::<usize>()
}

/// The minimum JSON around a message, in bytes.
const MESSAGE: usize = 30;

/// Returns a message in the neutral shape.
///
/// ```
/// use tuckbox::import::model::{Message, Origin, Role};
/// use tuckbox::import::neutral;
/// use tuckbox::json;
///
/// let hello = neutral::message(&Message::text(Role::User, "Hi", Origin::default()));
/// assert_eq!(hello.get("role"), Some(&json!("user")));
/// ```
pub fn message(message: &Message) -> Json {
    let parts: Json = message.parts.iter().map(part).collect();
    Json::from([("role", Json::from(message.role.as_str())), ("parts", parts)])
}

fn tool(tool: &Tool) -> Json {
    let mut out = Object::default();
    out.insert("name".into(), tool.name.as_str().into());
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    if let Some(schema) = &tool.schema {
        out.insert("schema".into(), schema.clone());
    }
    Json::Object(out)
}

fn unknown(unknown: &Unknown) -> Json {
    Json::from([("what", unknown.what.as_str()), ("why", unknown.why)])
}

/// Returns a part in the neutral shape.
///
/// ```
/// use tuckbox::import::model::Part;
/// use tuckbox::import::neutral;
/// use tuckbox::json;
///
/// assert_eq!(neutral::part(&Part::Text("Hi".into())).get("text"), Some(&json!("Hi")));
/// ```
pub fn part(part: &Part) -> Json {
    let mut out = Object::default();
    let mut put = |key: &str, value: Json| out.insert(key.to_owned(), value);
    match part {
        Part::Text(text) => {
            put("type", "text".into());
            put("text", text.as_str().into());
        }
        Part::Reasoning { text, sealed } => {
            put("type", "reasoning".into());
            put("text", text.as_str().into());
            if let Some(sealed) = sealed {
                put("encrypted", sealed.as_str().into());
            }
        }
        Part::Call { id, name, arguments } => {
            put("type", "tool_call".into());
            put("id", id.as_deref().into());
            put("name", name.as_str().into());
            put("arguments", arguments.clone());
        }
        Part::Result { id, content, is_error } => {
            put("type", "tool_result".into());
            put("id", id.as_deref().into());
            put("content", content.clone());
            if *is_error {
                put("is_error", true.into());
            }
        }
        Part::Image(media) | Part::File(media) => {
            let kind = if matches!(part, Part::Image(_)) { "image" } else { "file" };
            put("type", kind.into());
            match media {
                Media::Data { base64, .. } => put("data", base64.as_str().into()),
                Media::Url { url, .. } => put("url", url.as_str().into()),
            };
        }
        Part::Unknown(value) => {
            put("type", "other".into());
            put("text", value.to_string().into());
        }
    }
    Json::Object(out)
}
