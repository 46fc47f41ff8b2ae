//! The body as the argument of the call of a client library. Most libraries take the body of the
//! request. Those of Gemini, Bedrock and Mistral take another form of it.

use super::Provider;
use crate::Result;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json, Object, listed};
use serde::Serialize;

/// The form of a body.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::provider::{BodyForm, Options, Prompt, Provider, payload};
///
/// let prompt = Prompt::new(vec![Message::system("Be brief."), Message::user("Hello")]);
/// let options = Options { form: BodyForm::Client, ..Options::model("gemini-2.5-flash") };
/// let argument = payload(&prompt, Provider::Gemini, &options)?.body();
/// assert_eq!(argument.get("model"), Some(&"gemini-2.5-flash".into()));
/// assert!(argument.get("config").unwrap().get("systemInstruction").is_some());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BodyForm {
    /// The body of the HTTP request.
    #[default]
    Http,
    /// The whole argument of the call of the provider's library.
    Client,
}

impl BodyForm {
    /// Every form.
    pub const ALL: [Self; 2] = [Self::Http, Self::Client];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Client => "client",
        }
    }
}

impl Argument for BodyForm {
    fn read(field: &Field<'_>) -> Result<Self> {
        let name = field.string()?;
        Self::ALL.into_iter().find(|form| form.as_str() == name).ok_or_else(|| {
            let known = listed(&Self::ALL.map(Self::as_str));
            field.error(format!("unknown form `{name}`; expected one of {known}"))
        })
    }
}

/// A value of the body that is not JSON in the client library. The binding converts it.
///
/// Shown by the example of [`Payload::native`](super::Payload::native).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NativeValue {
    /// The JSON pointer of the value in the body.
    pub pointer: String,
    /// The type in the library.
    pub kind: NativeKind,
}

/// The type of a [`NativeValue`].
///
/// Shown by the example of [`Payload::native`](super::Payload::native).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NativeKind {
    /// Bytes. The body has them as base64.
    Bytes,
    /// A schema object of the library. The body has its JSON Schema.
    Schema,
}

/// Returns the argument of the call for a body.
pub(super) fn argument(provider: Provider, model: Option<&str>, body: Object) -> Object {
    match provider {
        Provider::Gemini => gemini(model, body),
        Provider::Bedrock => {
            let mut out = Object::default();
            out.extend(model.map(|model| ("modelId".to_owned(), model.into())));
            out.extend(body);
            out
        }
        Provider::Mistral => camel_members(body),
        Provider::AiSdk => ai_sdk(body),
        Provider::Neutral
        | Provider::OpenaiChat
        | Provider::OpenaiResponses
        | Provider::Anthropic
        | Provider::OpenaiCompatible => body,
    }
}

/// The SDK refuses system messages among the others, unless an option allows them.
fn ai_sdk(mut body: Object) -> Object {
    let is_system = |message: &Json| message.get("role").and_then(Json::as_str) == Some("system");
    let messages = body.get("messages").and_then(Json::as_array).unwrap_or_default();
    if messages.iter().any(is_system) {
        body.insert("allowSystemInMessages".into(), true.into());
    }
    body
}

/// Everything but the contents is in `config`, next to the members of `generationConfig`.
fn gemini(model: Option<&str>, body: Object) -> Object {
    let mut out = Object::default();
    let mut config = Object::default();
    out.extend(model.map(|model| ("model".to_owned(), model.into())));
    for (key, value) in body {
        match (key.as_str(), value) {
            ("contents", value) => drop(out.insert(key, value)),
            ("generationConfig", Json::Object(members)) => config.extend(members),
            (_, value) => drop(config.insert(key, value)),
        }
    }
    if !config.is_empty() {
        out.insert("config".into(), Json::Object(config));
    }
    out
}

/// Members whose keys belong to the host or to a schema.
const VERBATIM: [&str; 4] = ["parameters", "schema", "arguments", "metadata"];

/// Returns the members with the keys of Mistral's library.
fn camel_members(object: Object) -> Object {
    let member = |(key, value): (String, Json)| {
        let value = if VERBATIM.contains(&key.as_str()) { value } else { camel(value) };
        let key = if key == "schema" { "schemaDefinition".to_owned() } else { camel_key(&key) };
        (key, value)
    };
    object.into_iter().map(member).collect()
}

fn camel(value: Json) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(camel).collect(),
        Json::Object(object) => Json::Object(camel_members(object)),
        other => other,
    }
}

fn camel_key(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut is_next_upper = false;
    for character in key.chars() {
        match character {
            '_' => is_next_upper = true,
            _ if is_next_upper => {
                out.push(character.to_ascii_uppercase());
                is_next_upper = false;
            }
            _ => out.push(character),
        }
    }
    out
}

/// Lists the values of an argument that the library does not take as JSON.
pub(super) fn native(provider: Provider, body: &Json) -> Vec<NativeValue> {
    let mut found = Vec::new();
    match provider {
        Provider::Bedrock => bytes(body, "", &mut String::new(), &mut found),
        Provider::AiSdk => {
            let tools = body.get("tools").and_then(Json::as_object).into_iter().flatten();
            for (name, _) in tools.filter(|(_, tool)| tool.get("inputSchema").is_some()) {
                let pointer = format!("/tools/{}/inputSchema", escaped(name));
                found.push(NativeValue { pointer, kind: NativeKind::Schema });
            }
        }
        Provider::Neutral
        | Provider::OpenaiChat
        | Provider::OpenaiResponses
        | Provider::Anthropic
        | Provider::Gemini
        | Provider::Mistral
        | Provider::OpenaiCompatible => {}
    }
    found
}

/// Members of a Bedrock request with JSON of the host, in which every key is possible.
const DOCUMENTS: [&str; 5] =
    ["input", "json", "inputSchema", "additionalModelRequestFields", "requestMetadata"];

fn bytes(value: &Json, parent: &str, pointer: &mut String, found: &mut Vec<NativeValue>) {
    let length = pointer.len();
    match value {
        Json::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                pointer.push('/');
                pointer.push_str(&at.to_string());
                bytes(item, parent, pointer, found);
                pointer.truncate(length);
            }
        }
        Json::Object(members) => {
            for (key, member) in members {
                if DOCUMENTS.contains(&key.as_str()) {
                    continue;
                }
                pointer.push('/');
                pointer.push_str(&escaped(key));
                let is_bytes = (key == "bytes" && parent == "source") || key == "redactedContent";
                if is_bytes && member.as_str().is_some() {
                    let kind = NativeKind::Bytes;
                    found.push(NativeValue { pointer: pointer.clone(), kind });
                }
                bytes(member, key, pointer, found);
                pointer.truncate(length);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Returns a key as a step of a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
