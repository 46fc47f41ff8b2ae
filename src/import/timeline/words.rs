//! Calls, results and other parts in words that a person can read.

use super::answer::PartKind;
use crate::import::model::{Media, Message, Part, Role};
use crate::import::pick::opened;
use crate::prompt::tokens::estimate_by_table;
use crate::value::json::Json;

/// Names of arguments that are the path of a file.
const FILE_KEYS: [&str; 9] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "target_file",
    "filename",
    "file",
    "relative_path",
];
/// Names of arguments that describe a call best, in order.
const TARGET_KEYS: [&str; 17] = [
    "command",
    "cmd",
    "script",
    "pattern",
    "query",
    "regex",
    "url",
    "uri",
    "skill",
    "name",
    "description",
    "question",
    "prompt",
    "task",
    "text",
    "input",
    "message",
];
/// The maximum length of a target, in characters.
const MAX_TARGET: usize = 120;

/// The file and the target of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CallWords {
    /// The path of the file.
    pub file: Option<String>,
    /// The file, the command or the pattern.
    pub target: Option<String>,
}

/// Describes a call by its arguments.
pub(super) fn call_words(arguments: &Json) -> CallWords {
    let arguments = opened(arguments);
    let arguments = match &*arguments {
        Json::String(text) => {
            let file = patched_file(text);
            let target = file.clone().unwrap_or_else(|| one_line(text, MAX_TARGET));
            return CallWords { file, target: Some(target).filter(|text| !text.is_empty()) };
        }
        other => other,
    };
    let text_of = |key: &str| arguments.get(key).and_then(Json::as_str).filter(|it| !it.is_empty());
    // a search in a folder is known by its pattern
    let is_search = arguments.get("pattern").is_some() || arguments.get("query").is_some();
    let file = FILE_KEYS.iter().find_map(|key| text_of(key)).filter(|_| !is_search);
    let file = file.map(str::to_owned).or_else(|| text_of("input").and_then(patched_file));
    let target = match &file {
        Some(file) => Some(file.clone()),
        None => TARGET_KEYS.iter().find_map(|key| value_words(arguments.get(key)?)),
    };
    let first = || {
        let mut members = arguments.as_object()?.iter();
        members.find_map(|(_, value)| value_words(value))
    };
    let target = target.or_else(first).map(|target| one_line(&target, MAX_TARGET));
    CallWords { file, target }
}

/// Returns a string, or a list of words such as a command.
fn value_words(value: &Json) -> Option<String> {
    match value {
        Json::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Json::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Json::as_str).collect();
            match words.as_slice() {
                [] => None,
                // the shell around a command
                [shell, flag, command] if shell.ends_with("sh") && flag.starts_with('-') => {
                    Some((*command).to_owned())
                }
                words => Some(words.join(" ")),
            }
        }
        Json::Number(number) => Some(number.as_str().to_owned()),
        Json::String(_) | Json::Null | Json::Bool(_) | Json::Object(_) => None,
    }
}

/// Returns the first file of a patch.
fn patched_file(text: &str) -> Option<String> {
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let mut lines = text.lines().take(20);
    lines.find_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark))).map(str::to_owned)
}

/// Returns the last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the first characters of a text in one line.
pub(super) fn one_line(text: &str, max: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let space = usize::from(!out.is_empty());
        let length = word.chars().count();
        if count + space + length > max {
            if count == 0 {
                out.extend(word.chars().take(max));
            }
            out.push('…');
            return out;
        }
        out.push_str(if space > 0 { " " } else { "" });
        out.push_str(word);
        count += space + length;
    }
    out
}

/// Returns the first characters of a text, and whether there are more.
pub(super) fn cut(text: String, max: Option<usize>) -> (String, bool) {
    let end = max.and_then(|max| text.char_indices().nth(max)).map(|(at, _)| at);
    match end.and_then(|end| text.get(..end)) {
        Some(start) => (start.to_owned(), true),
        None => (text, false),
    }
}

/// Returns the content of a part as text.
pub(super) fn readable(part: &Part) -> String {
    match part {
        Part::Text(text) | Part::Reasoning { text, .. } => text.clone(),
        Part::Call { arguments, .. } => match &*opened(arguments) {
            Json::String(text) => text.clone(),
            Json::Object(members) => {
                let line = |(key, value): (&String, &Json)| match value {
                    Json::String(text) if text.contains('\n') => format!("{key}:\n{text}"),
                    Json::String(text) => format!("{key}: {text}"),
                    other => format!("{key}: {}", other.spaced()),
                };
                members.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            other => other.spaced(),
        },
        Part::Result { content, .. } => result_text(content),
        Part::Image(media) | Part::File(media) => match media {
            Media::Data { mime, base64 } => {
                let kind = mime.as_deref().unwrap_or("application/octet-stream");
                format!("{kind}, {} bytes", base64.len() / 4 * 3)
            }
            Media::Url { url, .. } => url.clone(),
        },
        Part::Unknown(value) => value.spaced(),
    }
}

/// Returns the text of a result. Lists of text blocks are joined.
fn result_text(content: &Json) -> String {
    let block = |block: &Json| -> Option<String> {
        match block {
            Json::String(text) => Some(text.clone()),
            block => block.get("text").and_then(Json::as_str).map(str::to_owned),
        }
    };
    match content {
        Json::String(text) => text.clone(),
        Json::Array(blocks) if !blocks.is_empty() => {
            let texts: Option<Vec<String>> = blocks.iter().map(block).collect();
            texts.map_or_else(|| content.spaced(), |texts| texts.join("\n"))
        }
        Json::Object(members) => {
            let output = members.get("output").and_then(Json::as_str);
            output.map_or_else(|| content.spaced(), str::to_owned)
        }
        other => other.spaced(),
    }
}

/// Returns true for a result of a tool that failed: by its mark, or by its recorded exit code.
pub(super) fn has_failed(part: &Part) -> bool {
    let Part::Result { content, is_error, .. } = part else { return false };
    let code = |value: &Json| {
        let inner = value.get("metadata").unwrap_or(value);
        let code = inner.get("exit_code").or_else(|| inner.get("exitCode"))?;
        Some(code.as_number()?.as_str() != "0")
    };
    let recorded = match content {
        Json::String(text) if text.contains("exit_code") => code(&opened(content)),
        Json::Object(_) => code(content),
        _ => None,
    };
    *is_error || recorded == Some(true)
}

/// Returns true for text that a program put between tags: `<system-reminder>…</system-reminder>`.
pub(super) fn is_wrapped(text: &str) -> bool {
    let text = text.trim();
    let Some(rest) = text.strip_prefix('<') else { return false };
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    let name = end.and_then(|end| rest.get(..end)).unwrap_or_default();
    !name.is_empty() && (text.ends_with(&format!("</{name}>")) || name == "system-reminder")
}

/// Returns the kind of a part of a message.
pub(super) fn kind_of(part: &Part, message: &Message, is_summary: bool) -> PartKind {
    match (part, message.role) {
        (Part::Text(_), _) if is_summary => PartKind::Summary,
        (Part::Text(text), Role::User) if is_wrapped(text) => PartKind::Attachment,
        (Part::Text(_), Role::System) => PartKind::System,
        (Part::Text(_), Role::User) => PartKind::User,
        (Part::Text(_), Role::Assistant) => PartKind::Assistant,
        (Part::Text(_), Role::Tool) | (Part::Result { .. }, _) => PartKind::ToolResult,
        (Part::Reasoning { .. }, _) => PartKind::Thinking,
        (Part::Call { .. }, _) => PartKind::ToolCall,
        (Part::Image(_) | Part::File(_), _) => PartKind::Attachment,
        (Part::Unknown(_), _) => PartKind::Other,
    }
}

/// Estimates the tokens of a part. Thinking counts: the log has it because it was sent.
pub(super) fn tokens_of(part: &Part) -> u64 {
    match part {
        Part::Text(text) | Part::Reasoning { text, .. } => estimate_by_table(text),
        Part::Call { name, arguments, .. } => {
            estimate_by_table(name) + estimate_by_table(&arguments.to_string())
        }
        Part::Result { .. } | Part::Unknown(_) => estimate_by_table(&readable(part)),
        // the tokens of an image are unknown
        Part::Image(_) | Part::File(_) => 0,
    }
}
