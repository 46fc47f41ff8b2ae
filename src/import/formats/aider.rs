//! aider: the chat as text, and the optional log of sent messages.

use crate::import::file::Doc;
use crate::import::history::{Entry, History};
use crate::import::lint::ImportLint;
use crate::import::model::{
    Draft, Findings, Message, Note, Origin, Part, Role, Session, UnknownSubject,
};
use crate::value::time::read_micros;

pub fn claims(doc: &Doc) -> bool {
    doc.text().is_some_and(|text| is_sent(text) || is_chat(text))
}

fn is_sent(text: &str) -> bool {
    text.lines().take(5).any(|line| line.starts_with("TO LLM ")) && text.contains("\n-------\n")
}

fn is_chat(text: &str) -> bool {
    text.lines().take(20).any(|line| line.starts_with("# aider chat started at "))
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    let sent = docs.iter().any(|doc| doc.text().is_some_and(is_sent));
    for doc in docs {
        let Some(text) = doc.text() else { continue };
        if is_sent(text) {
            findings.sessions.push(read_sent(doc, text));
        } else if sent {
            let message =
                "the chat is omitted, because the log of sent messages has more".to_owned();
            findings.notes.push(Note { code: ImportLint::Repeated, origin: doc.whole(), message });
        } else {
            findings.sessions.push(read_chat(doc, text));
        }
    }
}

/// `TO LLM` blocks: every line starts with the role of its message.
fn read_sent(doc: &Doc, text: &str) -> Session {
    let mut session = Session::new("aider", doc.name.clone());
    let mut draft: Option<Draft> = None;
    let mut answering = false;
    let lines = text.lines().take_while(|_| doc.allows(1));
    for (at, line) in lines.enumerate() {
        let origin = Origin { file: doc.file, line: Some(at + 1), pointer: String::new() };
        if let Some(time) = line.strip_prefix("TO LLM ") {
            push(&mut session, draft.take());
            answering = false;
            draft = Some(Draft {
                origin,
                at: read_micros(time.trim()),
                tools: Some(Vec::new()),
                ..Draft::default()
            });
            continue;
        }
        if line.starts_with("LLM RESPONSE ") {
            answering = true;
            continue;
        }
        let Some(open) = &mut draft else { continue };
        if line == "-------" {
            open.messages.push(Message { role: Role::User, parts: Vec::new(), origin });
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let role = match word {
            "SYSTEM" | "USER" | "ASSISTANT" | "TOOL" => Role::read(word),
            _ => None,
        };
        let Some(role) = role else { continue };
        if answering {
            add_line(&mut open.output, rest);
            continue;
        }
        match open.messages.last_mut() {
            Some(last) if last.parts.is_empty() || last.role == role => {
                last.role = role;
                add_line(&mut last.parts, rest);
            }
            Some(_) | None => open.messages.push(Message::text(role, rest, origin)),
        }
    }
    push(&mut session, draft);
    session
}

fn add_line(parts: &mut Vec<Part>, line: &str) {
    match parts.last_mut() {
        Some(Part::Text(text)) => {
            text.push('\n');
            text.push_str(line);
        }
        _ => parts.push(Part::Text(line.to_owned())),
    }
}

fn push(session: &mut Session, draft: Option<Draft>) {
    if let Some(mut draft) = draft {
        draft.messages.retain(|message| !message.parts.is_empty());
        draft.lead_system();
        draft.lacks(UnknownSubject::Params, "aider does not log the settings of its requests");
        session.push(draft);
    }
}

/// The chat as text: `#### ` is the user, `> ` is aider itself, the rest is the model.
fn read_chat(doc: &Doc, text: &str) -> Session {
    let mut session = Session::new("aider", doc.name.clone());
    let why =
        "the chat has neither the system prompt nor the files nor the examples that aider sends";
    let mut base = Draft { origin: doc.whole(), tools: Some(Vec::new()), ..Draft::default() };
    base.lacks(UnknownSubject::System, why);
    base.lacks(UnknownSubject::Messages, why);
    base.lacks(UnknownSubject::Params, why);
    let mut history = History::default();
    let mut open: Option<(Role, String, Origin)> = None;
    let mut time = None;
    let mut close =
        |open: &mut Option<(Role, String, Origin)>, session: &mut Session, time: Option<i64>| {
            if let Some((role, text, origin)) = open.take()
                && !text.trim().is_empty()
            {
                let mut entry = Entry::new(Message::text(role, text.trim(), origin));
                entry.at = time;
                history.add(session, entry, &base);
            }
        };
    let lines = text.lines().take_while(|_| doc.allows(1));
    for (at, line) in lines.enumerate() {
        let origin = Origin { file: doc.file, line: Some(at + 1), pointer: String::new() };
        if let Some(started) = line.strip_prefix("# aider chat started at ") {
            close(&mut open, &mut session, time);
            time = read_micros(started.trim());
            continue;
        }
        let (role, words) = if let Some(words) = line.strip_prefix("#### ") {
            (Role::User, words.trim_end())
        } else if line.starts_with("> ") || line == ">" {
            close(&mut open, &mut session, time);
            continue;
        } else {
            (Role::Assistant, line)
        };
        match &mut open {
            Some((speaker, text, _)) if *speaker == role => {
                text.push('\n');
                text.push_str(words);
            }
            Some(_) if words.trim().is_empty() => {}
            Some(_) | None => {
                if words.trim().is_empty() && open.is_none() {
                    continue;
                }
                close(&mut open, &mut session, time);
                open = Some((role, words.to_owned(), origin));
            }
        }
    }
    close(&mut open, &mut session, time);
    history.end(&mut session, &base);
    session
}
