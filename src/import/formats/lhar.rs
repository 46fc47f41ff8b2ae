//! LHAR files of Context Lens: one entry for each exchange, as lines or in one object. The bodies
//! are there only if the user chose to record them.

use crate::import::file::Doc;
use crate::import::model::{Draft, Findings, Origin, Session, UnknownSubject, Usage};
use crate::import::pick::{deep, deep_text, first_count, first_time, list, opened, some, text};
use crate::import::{body, requests};
use crate::value::json::Json;

const NO_BODY: &str = "the recorder was set to keep no bodies";

pub fn claims(doc: &Doc) -> bool {
    doc.value().is_some_and(|value| deep(value, &["lhar", "entries"]).is_some())
        || super::shared::some_row(doc, is_entry)
}

fn is_entry(value: &Json) -> bool {
    text(value, "type") == Some("entry")
        && text(value, "trace_id").is_some()
        && value.get("gen_ai").is_some()
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        // the drafts of each trace, in the order of their first entries
        let mut traces: Vec<(String, Vec<Draft>)> = Vec::new();
        let mut add = |entry: &Json, origin: &Origin| {
            if !is_entry(entry) {
                return;
            }
            let id = text(entry, "trace_id").unwrap_or_default();
            let draft = draft(entry, origin);
            match traces.iter_mut().find(|(trace, _)| trace == id) {
                Some((_, drafts)) => drafts.push(draft),
                None => traces.push((id.to_owned(), vec![draft])),
            }
        };
        for row in doc.rows() {
            let origin = doc.origin(row);
            match some(&row.value, "lhar") {
                Some(archive) => {
                    let origin = origin.at("lhar").at("entries");
                    for (at, entry) in list(archive, "entries").iter().enumerate() {
                        add(entry, &origin.at(at));
                    }
                }
                None => add(&row.value, &origin),
            }
        }
        for (id, drafts) in traces {
            let mut session = Session::new("lhar", id);
            requests::add(&mut session, drafts);
            findings.sessions.push(session);
        }
    }
}

fn draft(entry: &Json, origin: &Origin) -> Draft {
    let sent = deep(entry, &["raw", "request_body"]).map(opened).filter(|sent| body::is_body(sent));
    let mut draft = match sent {
        Some(sent) => body::draft(&sent, &origin.at("raw").at("request_body")),
        None => {
            let mut draft = Draft { origin: origin.clone(), ..Draft::default() };
            for what in [UnknownSubject::System, UnknownSubject::Tools, UnknownSubject::Messages] {
                draft.lacks(what, NO_BODY);
            }
            draft.api = match deep_text(entry, &["http", "api_format"]) {
                Some("anthropic-messages") => Some(body::ANTHROPIC),
                Some("openai-chat" | "chat-completions") => Some(body::CHAT),
                Some(format) if format.contains("gemini") => Some(body::GEMINI),
                Some(_) | None => None,
            };
            draft
        }
    };
    if let Some(received) = deep(entry, &["raw", "response_body"]).map(opened) {
        body::answer(&received, &mut draft);
    }
    let model = || deep_text(entry, &["gen_ai", "request", "model"]).map(str::to_owned);
    draft.model = draft.model.take().or_else(model);
    draft.at = first_time(entry, &["timestamp"]);
    if draft.usage == Usage::default() {
        draft.usage = usage(entry);
    }
    draft
}

/// Returns the tokens of an entry. Its input does not include those of the cache.
fn usage(entry: &Json) -> Usage {
    let counted = deep(entry, &["gen_ai", "usage"]).unwrap_or(&Json::Null);
    let more = some(entry, "usage_ext").unwrap_or(&Json::Null);
    let cached = first_count(more, &["cache_read_tokens"]);
    let written = first_count(more, &["cache_write_tokens"]);
    let input = first_count(counted, &["input_tokens"]);
    Usage {
        input: input.map(|input| input + cached.unwrap_or(0) + written.unwrap_or(0)),
        output: first_count(counted, &["output_tokens"]),
        cached,
        written,
    }
}

#[cfg(test)]
mod tests {
    use crate::import::model::UnknownSubject;
    use crate::import::{SourceFile, import};

    #[test]
    fn entries_have_their_bodies_or_their_usage() {
        let log = concat!(
            r#"{"type":"session","trace_id":"t1","tool":"claude"}"#,
            "\n",
            r#"{"type":"entry","trace_id":"t1","timestamp":"2026-02-10T12:00:01Z","gen_ai":{"request":{"model":"m"},"#,
            r#""usage":{"input_tokens":10,"output_tokens":5}},"usage_ext":{"cache_read_tokens":90,"cache_write_tokens":7},"#,
            r#""http":{"api_format":"anthropic-messages"},"raw":{"request_body":null,"response_body":null}}"#,
            "\n",
            r#"{"type":"entry","trace_id":"t2","timestamp":"2026-02-10T12:00:02Z","gen_ai":{},"raw":{"request_body":{"model":"m","max_tokens":9,"#,
            r#""messages":[{"role":"user","content":"Hi"}]},"response_body":{"content":[{"type":"text","text":"Yes."}],"#,
            r#""usage":{"input_tokens":3,"output_tokens":1}}}}"#,
        );
        let found = import(&[SourceFile { name: "a.lhar", bytes: log.as_bytes() }]);
        let [first, second] = found.sessions.as_slice() else { panic!("{:?}", found.sessions) };
        assert_eq!((first.id.as_str(), second.id.as_str()), ("t1", "t2"));
        let request = first.requests.first().unwrap();
        assert_eq!((request.usage.input, request.usage.cached), (Some(107), Some(90)));
        assert_eq!((request.model.as_deref(), request.api), (Some("m"), Some("anthropic")));
        assert!(request.unknown.iter().any(|unknown| unknown.what == UnknownSubject::Messages));
        let request = second.requests.first().unwrap();
        assert_eq!((request.usage.input, request.output.len()), (Some(3), 1));
        assert_eq!(second.all().count(), 1);
    }
}
