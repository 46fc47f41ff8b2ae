//! Google Gemini: the body of `generateContent`.

use super::body::Out;
use super::choice::ToolChoice;
use super::demands::{
    Alternate, Blank, Charset, Demands, OPEN, SchemaRules, StrictRules, System, Token,
};
use super::draft::{Draft, Settle};
use super::legal::error_of;
use super::media::SECURE;
use super::models::{Model, Thinking};
use super::response::{self, Reader};
use super::spec::{Spec, Spot};
use super::tools::Tool;
use super::part::{FileSource, Media, MediaKind, Part, Proof, ResultPart};
use super::turn::{Block, Speaker, Turn};
use super::{Change, Effort, Options, object};
use crate::prompt::diff::CachePolicy;
use crate::prompt::tokens::Framing;
use crate::value::json::Json;

pub(super) const SPEC: Spec = Spec {
    name: "gemini",
    family: "google",
    demands: Demands {
        paired: true,
        adjacent: true,
        call_order: true,
        tool_name: Some(Token::new(128, Charset::Dotted)),
        object_arguments: true,
        system: System::Apart,
        developer: false,
        alternate: Alternate::Sides,
        user_first: true,
        user_last: true,
        blank: Blank::RefuseEmpty,
        names: false,
        failures: true,
        most_tools: 512,
        schema: SchemaRules {
            checked: true,
            deep_properties: false,
            none_for_empty: true,
            lone_refs: true,
            property: None,
            strict: StrictRules::None,
        },
        ..OPEN
    },
    framing: Framing { reply: 0, message: 1, call: 4, answer: 4, tools: 0, tool: 4 },
    image_tokens: 258,
    cache: CachePolicy { least_tokens: 1_024, step: 1, whole_blocks: false, marked: false },
    media: takes,
    about: &[],
    reasoning: |thought, _| matches!(thought.proof, Proof::Thought),
    own_keys: &["contents", "systemInstruction", "tools"],
    options: &[
        "tool_choice",
        "temperature",
        "top_p",
        "stop",
        "response_schema",
        "effort",
        "thinking_tokens",
    ],
    settle,
    looks_back: |_, model| model.call_signatures,
    body,
    tool,
};

pub(super) const READER: Option<Reader> = Some(response::gemini::READER);

/// The placeholder for the signature of a call from another provider.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

const IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
const AUDIO: [&str; 7] = [
    "audio/wav",
    "audio/mpeg",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
    "audio/mp4",
];
const VIDEO: [&str; 10] = [
    "video/mp4",
    "video/mpeg",
    "video/mov",
    "video/quicktime",
    "video/avi",
    "video/x-flv",
    "video/mpg",
    "video/webm",
    "video/wmv",
    "video/3gpp",
];

fn takes(spot: Spot, media: &Media, model: &Model) -> bool {
    let mime = media.mime();
    let known = match media.kind() {
        MediaKind::Image => IMAGES.contains(&mime),
        MediaKind::Audio => AUDIO.contains(&mime),
        MediaKind::Video => VIDEO.contains(&mime),
        MediaKind::Pdf | MediaKind::Text => true,
        MediaKind::Other => false,
    };
    match (spot, &media.source) {
        (_, FileSource::Text(_) | FileSource::Id { .. } | FileSource::Opaque { .. }) => false,
        (Spot::User, FileSource::Data(_)) => known,
        (Spot::User, FileSource::Url(_)) => {
            known && (media.is_at(SECURE) || media.is_at(&["gs://"]))
        }
        // the third generation accepts files in results
        (Spot::Answer, FileSource::Data(_)) => {
            let taken = ["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"];
            model.call_signatures && taken.contains(&mime)
        }
        (Spot::Answer, FileSource::Url(_)) | (Spot::Elsewhere, _) => false,
    }
}

fn settle(settle: &mut Settle<'_>) {
    settle.most_stops(5);
    if settle.options.temperature.as_ref().is_some_and(|number| number.as_f64() > 2.0) {
        settle.options.temperature = Some(2_u64.into());
        settle.rewritten("temperature", "the maximum is 2");
    }
    match (settle.model.thinking, settle.options.effort) {
        (Thinking::Budget, Some(effort)) => {
            if settle.options.thinking_tokens.is_none() {
                settle.options.thinking_tokens = Some(budget(effort));
            }
            settle.options.effort = None;
        }
        (_, Some(Effort::None)) => {
            settle.options.effort = Some(Effort::Minimal);
            settle.rewritten("effort", "the model cannot turn thinking off");
        }
        (_, Some(Effort::Xhigh | Effort::Max)) => {
            settle.options.effort = Some(Effort::High);
            settle.rewritten("effort", "the maximum is `high`");
        }
        (_, Some(Effort::Minimal | Effort::Low | Effort::Medium | Effort::High) | None) => {}
    }
    if settle.options.effort.is_some() && settle.options.thinking_tokens.take().is_some() {
        settle.gone("thinking_tokens", "it cannot be combined with `effort`");
    }
    let old = settle.model.known && !settle.model.call_signatures;
    if old && !settle.tools.is_empty() && settle.options.response_schema.take().is_some() {
        settle.gone("response_schema", "the model does not accept it together with tools");
    }
    if settle.options.response_schema.as_ref().is_some_and(|response| response.strict.is_some()) {
        settle.rewritten("response_schema", "the provider has no `strict`");
    }
    if settle.model.call_signatures {
        sign(settle);
    }
}

const fn budget(effort: Effort) -> u64 {
    match effort {
        Effort::None => 0,
        Effort::Minimal => 512,
        Effort::Low => 1_024,
        Effort::Medium => 8_192,
        Effort::High => 16_384,
        Effort::Xhigh | Effort::Max => 24_576,
    }
}

/// Adds a signature to the first call of each step after the last message of the user.
fn sign(settle: &mut Settle<'_>) {
    let speaks = |turn: &Turn| {
        let answers = turn.blocks.iter().all(|block| matches!(block.item.part, Part::ToolResult(_)));
        turn.speaker == Speaker::User && !answers
    };
    let start = settle.turns.iter().rposition(speaks).map_or(0, |at| at + 1);
    for turn in settle.turns.iter_mut().skip(start) {
        let at = turn.at.unwrap_or_default();
        let mut calls = turn.blocks.iter_mut();
        let Some(first) = calls.find(|block| matches!(block.item.part, Part::ToolCall(_))) else { continue };
        if first.item.signature().is_none() {
            first.item.metadata_mut().signature = Some(NO_SIGNATURE.to_owned());
            let reason = "the call has no signature, which the model requires";
            settle.losses.message(Change::SignatureAdded, at, reason);
        }
    }
}

fn body<'a>(draft: &Draft<'a>) -> Out<'a> {
    let options = draft.options;
    let mut out = Out::new();
    out.put("systemInstruction", system_instruction(draft.turns));
    out.put("contents", Some(contents(draft.turns)));
    out.put("tools", tools(draft));
    out.put("toolConfig", tool_config(options));
    let mut config = Out::new();
    config.put("maxOutputTokens", options.max_output_tokens);
    config.put("temperature", options.temperature.clone());
    config.put("topP", options.top_p.clone());
    config.put("stopSequences", Some(options.stop.clone()).filter(|stop| !stop.is_empty()));
    if let Some(response) = &options.response_schema {
        config.put("responseMimeType", Some("application/json"));
        config.put("responseJsonSchema", Some(response.schema.clone()));
    }
    let mut thinking = Out::new();
    thinking.put("thinkingLevel", options.effort.map(|effort| effort.as_str().to_ascii_uppercase()));
    thinking.put("thinkingBudget", options.thinking_tokens);
    config.put_object("thinkingConfig", thinking);
    out.put_object("generationConfig", config);
    out
}

/// Returns the functions in one entry, and each tool that Google runs in a separate one.
fn tools(draft: &Draft<'_>) -> Option<Json> {
    let (own, functions): (Vec<&Tool>, Vec<&Tool>) =
        draft.tools.iter().partition(|tool| tool.own.is_some());
    let functions: Vec<Json> = functions.into_iter().map(|one| draft.tool(one)).collect();
    let functions = Some(Json::Array(functions)).filter(Json::is_truthy);
    let functions = functions.map(|list| Json::from([("functionDeclarations", list)]));
    let own = own.into_iter().map(|one| draft.tool(one));
    let all: Vec<Json> = functions.into_iter().chain(own).collect();
    Some(Json::Array(all)).filter(Json::is_truthy)
}

fn tool_config(options: &Options) -> Option<Json> {
    let mut config = match options.tool_choice.as_ref()? {
        ToolChoice::Auto => object([("mode", "AUTO".into())]),
        ToolChoice::None => object([("mode", "NONE".into())]),
        ToolChoice::Required => object([("mode", "ANY".into())]),
        ToolChoice::Tool(name) => object([
            ("mode", "ANY".into()),
            ("allowedFunctionNames", Json::from(vec![name.as_str()])),
        ]),
    };
    Some(Json::from([("functionCallingConfig", Json::Object(std::mem::take(&mut config)))]))
}

/// Returns the separate system instruction, if there is one.
fn system_instruction(turns: &[Turn]) -> Option<Json> {
    let systems = turns.iter().filter(|turn| turn.speaker.is_system());
    let parts: Vec<Json> = systems.flat_map(|turn| &turn.blocks).filter_map(part).collect();
    (!parts.is_empty()).then(|| Json::from([("parts", Json::Array(parts))]))
}

fn contents(turns: &[Turn]) -> Json {
    turns.iter().filter(|turn| !turn.speaker.is_system()).map(content).collect()
}

fn content(turn: &Turn) -> Json {
    let role = match turn.speaker {
        Speaker::Assistant => "model",
        Speaker::User | Speaker::Tool | Speaker::System | Speaker::Developer => "user",
    };
    let parts: Vec<Json> = turn.blocks.iter().filter_map(part).collect();
    Json::from([("role", Json::from(role)), ("parts", Json::Array(parts))])
}

fn part(block: &Block) -> Option<Json> {
    let mut json = part_of(&block.item.part)?;
    if let (Json::Object(out), Some(signature)) = (&mut json, block.item.signature()) {
        out.insert("thoughtSignature".into(), signature.into());
    }
    Some(json)
}

/// Calls and results have no id in this form. Their order pairs them.
fn part_of(part: &Part) -> Option<Json> {
    Some(match part {
        Part::Text(text) | Part::Refusal(text) => Json::from([("text", text.as_str())]),
        Part::Media(media) => media_part(media),
        Part::ToolCall(call) => {
            let name = Json::from(call.name.as_str());
            let call = Json::from([("name", name), ("args", call.arguments.object())]);
            Json::from([("functionCall", call)])
        }
        Part::ToolResult(answer) => {
            let mut out = object([
                ("name", answer.tool_name.as_str().into()),
                ("response", response(answer)),
            ]);
            let files = |part: &Part| match part {
                Part::Media(media) => Some(media_part(media)),
                Part::Text(_)
                | Part::ToolCall(_)
                | Part::ToolResult(_)
                | Part::Reasoning(_)
                | Part::Refusal(_)
                | Part::Own(_) => None,
            };
            let files: Vec<Json> = answer.parts.iter().filter_map(files).collect();
            if !files.is_empty() {
                out.insert("parts".into(), Json::Array(files));
            }
            Json::from([("functionResponse", Json::Object(out))])
        }
        Part::Reasoning(thought) => Json::from([
            ("text", Json::from(thought.text.as_str())),
            ("thought", Json::from(true)),
        ]),
        Part::Own(own) => own.value.clone(),
    })
}

fn response(answer: &ResultPart) -> Json {
    if !answer.failed {
        return Json::from([("output", output(&answer.parts))]);
    }
    let error = error_of(answer).unwrap_or_else(|| output(&answer.parts));
    Json::from([("error", error)])
}

/// Returns one text as a string, several as a list.
fn output(parts: &[Part]) -> Json {
    let texts: Vec<Json> = parts.iter().filter_map(Part::as_text).map(Json::from).collect();
    match <[Json; 1]>::try_from(texts) {
        Ok([text]) => text,
        Err(texts) if texts.is_empty() => Json::from(""),
        Err(texts) => Json::Array(texts),
    }
}

fn media_part(media: &Media) -> Json {
    let mime = media.mime();
    match &media.source {
        FileSource::Url(uri) => {
            let file = Json::from([("mimeType", mime), ("fileUri", uri)]);
            Json::from([("fileData", file)])
        }
        FileSource::Data(data) => {
            let blob = Json::from([("mimeType", mime), ("data", data)]);
            Json::from([("inlineData", blob)])
        }
        FileSource::Text(_) | FileSource::Id { .. } | FileSource::Opaque { .. } => {
            Json::from([("text", media.line())])
        }
    }
}

fn tool(tool: &Tool) -> Json {
    let mut out = object([("name", tool.name.as_str().into())]);
    if let Some(description) = &tool.description {
        out.insert("description".into(), description.as_str().into());
    }
    if let Some(schema) = &tool.schema {
        out.insert("parametersJsonSchema".into(), schema.clone());
    }
    Json::Object(out)
}
