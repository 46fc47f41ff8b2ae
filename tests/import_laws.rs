//! Laws of importing: it is a function of the files alone, other files do not change it, and a
//! log that breaks off gives what stood before.

use proptest::prelude::*;
use tuckbox::agents::Setup;
use tuckbox::import::{Import, SourceFile, import, neutral, report};
use tuckbox::prompt::provider::MakePayload;
use tuckbox::rule::preview;
use tuckbox::store::{MemoryStore, Snapshot, Store};
use tuckbox::value::json::to_json;
use tuckbox::{Env, Json, Timestamp};

fn env(seed: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000 + i64::from(seed)), [seed; 32])
}

/// A session of a coding agent with some turns, as lines.
fn session(turns: &[(String, bool)]) -> Vec<String> {
    let mut lines = vec![
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}"#
            .to_owned(),
    ];
    let mut parent = "null".to_owned();
    let mut put = |message: String, lines: &mut Vec<String>| {
        let id = lines.len();
        lines.push(format!(r#"{{"type":"message","id":"e{id}","parentId":{parent},"timestamp":"2026-01-01T00:00:{:02}Z","message":{message}}}"#, id % 60));
        parent = format!("\"e{id}\"");
    };
    for (at, (text, tool)) in turns.iter().enumerate() {
        let text = Json::from(text.as_str());
        put(
            format!(r#"{{"role":"user","content":[{{"type":"text","text":{text}}}]}}"#),
            &mut lines,
        );
        if *tool {
            put(
                format!(
                    r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"c{at}","name":"f","arguments":{{"n":{at}}}}}]}}"#
                ),
                &mut lines,
            );
            put(
                format!(
                    r#"{{"role":"toolResult","toolCallId":"c{at}","content":[{{"type":"text","text":{text}}}]}}"#
                ),
                &mut lines,
            );
        }
        put(
            format!(r#"{{"role":"assistant","content":[{{"type":"text","text":{text}}}]}}"#),
            &mut lines,
        );
    }
    lines
}

fn turns() -> impl Strategy<Value = Vec<(String, bool)>> {
    // texts that look like roles, quotes, line ends, signs of every width
    let text = prop_oneof![
        "[a-z ]{1,12}",
        "system: [a-z]{0,4}",
        "\\PC{1,20}",
        Just("</s>\n\"\\".to_owned()),
        Just("中文 🌊\u{200b}\u{2028}".to_owned())
    ];
    prop::collection::vec((text, any::<bool>()), 1..6)
}

fn shape(files: &[(&str, &[u8])]) -> String {
    let sources: Vec<SourceFile<'_>> =
        files.iter().map(|(name, bytes)| SourceFile { name, bytes }).collect();
    neutral::shape(&import(&sources), true).to_string()
}

fn call(files: &[(&str, &str)]) -> Import {
    let list: Vec<Json> =
        files.iter().map(|(name, text)| Json::from([("name", *name), ("text", *text)])).collect();
    Import::from_json(&Json::from([("files", Json::Array(list))]), &Setup::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn importing_twice_gives_the_same_project(turns in turns()) {
        let log = session(&turns).join("\n");
        let rule = call(&[("s.jsonl", &log)]);
        let mut store = MemoryStore::new();
        let first = preview(&rule, &mut Snapshot::new("p".into()), &env(1), &store).unwrap();
        store.commit(&first.writes).unwrap();
        // at another time, with other randomness, over what is there already
        let again = preview(&rule, &mut Snapshot::new("p".into()), &env(2), &store).unwrap();
        prop_assert!(again.writes.is_empty());
        prop_assert_eq!(&again.value, &first.value);
        let other = preview(&rule, &mut Snapshot::new("p".into()), &env(3), &MemoryStore::new()).unwrap();
        prop_assert_eq!(other.content_hash().unwrap(), first.content_hash().unwrap());
    }

    #[test]
    fn an_unrelated_file_changes_nothing(turns in turns(), noise in "\\PC{0,80}") {
        let log = session(&turns).join("\n");
        let alone = shape(&[("s.jsonl", log.as_bytes())]);
        prop_assert_eq!(&shape(&[("s.jsonl", log.as_bytes()), ("notes.txt", noise.as_bytes())]), &alone);
        prop_assert_eq!(&shape(&[("a.bin", &[0xff, 0, 1]), ("s.jsonl", log.as_bytes())]), &alone);
    }

    #[test]
    fn a_log_that_breaks_off_gives_a_beginning_and_says_where(turns in turns(), cut in 0.0..1.0_f64) {
        let lines = session(&turns);
        let whole = import(&[SourceFile { name: "s", bytes: lines.join("\n").as_bytes() }]);
        for kept in 2..lines.len() {
            let start = lines[..kept].join("\n");
            // the next line is there in part
            let next = &lines[kept];
            let mut length = 1 + (cut * (next.len() - 2) as f64) as usize;
            while !next.is_char_boundary(length) {
                length += 1;
            }
            let part = format!("{start}\n{}", &next[..length]);
            let found = import(&[SourceFile { name: "s", bytes: part.as_bytes() }]);
            prop_assert_eq!(found.notes.iter().map(|note| (note.code.as_str(), note.origin.line)).collect::<Vec<_>>(), vec![("broken_line", Some(kept + 1))]);
            let session = &found.sessions[0];
            let (mine, all) = (session.messages(session.requests.last().unwrap().tail), &whole.sessions[0]);
            let longest = all.messages(all.requests.last().unwrap().tail);
            prop_assert!(mine.len() <= longest.len());
            prop_assert!(mine.iter().zip(&longest).all(|(a, b)| a.parts == b.parts));
        }
    }

    #[test]
    fn any_bytes_are_read_without_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400), head in 0..6_usize) {
        let heads: [&[u8]; 6] = [b"", b"SQLite format 3\0\x10\0\x01\x01\0", b"{\"messages\":[", b"TO LLM x\n-------\n", b"[{\"role\":\"user\",\"content\":", b"Request options: {'a': "];
        let mut all = heads[head].to_vec();
        all.extend(bytes);
        let found = import(&[SourceFile { name: "x", bytes: &all }]);
        report::report(&found);
        neutral::shape(&found, true);
    }
}

#[test]
fn parents_in_a_circle_and_ids_twice_end() {
    let circle = [
        r#"{"type":"session","version":3,"id":"s","cwd":"/x"}"#,
        r#"{"type":"message","id":"a","parentId":"b","message":{"role":"user","content":"q"}}"#,
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":"r"}}"#,
    ];
    assert!(!shape(&[("s", circle.join("\n").as_bytes())]).is_empty());
    let same = r#"{"uuid":"1","parentUuid":"1","sessionId":"s","type":"user","message":{"role":"user","content":"q"}}"#;
    assert!(
        shape(&[("a", same.as_bytes()), ("b", format!("{same}\n{same}").as_bytes())])
            .contains("\"q\"")
    );
    let qwen = r#"{"uuid":"1","parentUuid":"1","sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"q"}]}}"#;
    assert!(shape(&[("a", qwen.as_bytes())]).contains("\"q\""));
}

#[test]
fn every_card_says_where_it_was_read() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"one"},{"role":"user","content":"two"}]}"#;
    let rule = call(&[("dir/log.jsonl", &format!("{body}\n{body} \n"))]);
    let outcome =
        preview(&rule, &mut Snapshot::new("p".into()), &env(1), &MemoryStore::new()).unwrap();
    let origins: Vec<String> = outcome
        .writes
        .cards
        .iter()
        .filter(|card| card.role() == Some("user"))
        .map(|card| card.metadata.get("origin").unwrap().to_string())
        .collect();
    assert_eq!(
        origins,
        [
            r#"{"file":"dir/log.jsonl","line":1,"pointer":"/messages/0"}"#,
            r#"{"file":"dir/log.jsonl","line":1,"pointer":"/messages/1"}"#
        ]
    );
}

#[test]
fn a_bad_call_names_its_place() {
    let error = |call: &str| {
        Import::from_json(&Json::parse(call).unwrap(), &Setup::default()).unwrap_err().to_string()
    };
    assert_eq!(error("{}"), "bad_request at `files`: `files` is missing");
    assert_eq!(
        error(r#"{"files":[{"name":"a"}]}"#),
        "bad_request at `files[0]`: a file has either `text` or `base64`"
    );
    assert_eq!(
        error(r#"{"files":[{"name":"a","base64":"?"}]}"#),
        "bad_request at `files[0].base64`: `base64` is not base64"
    );
    assert_eq!(
        error(r#"{"files":[],"shape":"x"}"#),
        "bad_request at `shape`: `shape` is `report`, `neutral` or `snapshot`, found `x`"
    );
}

#[test]
fn an_imported_body_goes_to_its_own_provider_as_it_was_sent() {
    let bodies = [
        r#"{"model":"m","temperature":0.2,"messages":[{"role":"developer","content":[{"type":"text","text":"S"}]},{"role":"user","content":"q","name":"ana"}],"tool_choice":"auto"}"#,
        r#"{"model":"m","input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},{"role":"user","content":"q"}],"store":false,"tools":[]}"#,
        r#"{"model":"m","max_tokens":7,"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"q","cache_control":{"type":"ephemeral"}}]}]}"#,
        r#"{"contents":[{"parts":[{"text":"q"}]}],"generationConfig":{"temperature":1}}"#,
    ];
    for (body, provider) in
        bodies.iter().zip(["openai_chat", "openai_responses", "anthropic", "gemini"])
    {
        let mut store = MemoryStore::new();
        let outcome =
            preview(&call(&[("b.json", body)]), &mut Snapshot::new("p".into()), &env(1), &store)
                .unwrap();
        store.commit(&outcome.writes).unwrap();
        let report = to_json(&outcome.value).unwrap();
        let box_id = report.get("sessions").unwrap().as_array().unwrap()[0]
            .get("requests")
            .unwrap()
            .as_array()
            .unwrap()[0]
            .get("box_id")
            .unwrap()
            .clone();
        let payload = |box_id: &Json, provider: &str, model: Option<&str>| {
            let call = Json::from([
                ("provider", Json::from(provider)),
                ("box_id", box_id.clone()),
                ("model", Json::from(model)),
            ]);
            let call = MakePayload::from_json(&call).unwrap();
            preview(&call, &mut Snapshot::new("p".into()), &env(2), &store).unwrap().value
        };
        let made = payload(&box_id, provider, None);
        assert!(made.body().same_value(&Json::parse(body).unwrap()), "{provider}: {}", made.body());
        // for anybody else it is made from the cards
        let other = if provider == "anthropic" { "gemini" } else { "anthropic" };
        assert!(
            !payload(&box_id, other, Some("m2")).body().same_value(&Json::parse(body).unwrap())
        );
    }
}
