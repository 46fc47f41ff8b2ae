//! Property tests of imports: the result depends only on the files, other files do not change it,
//! and a truncated log gives its first part.

use proptest::prelude::*;
use tuckbox::import::model::Part;
use tuckbox::import::{FileImport, Import, SourceFile, Stream, import, neutral, report};
use tuckbox::inspect::Inspect;
use tuckbox::prompt::provider::MakePayload;
use tuckbox::prompt::tokens::CountTokens;
use tuckbox::rule::ledger::{Cause, Place};
use tuckbox::rule::preview;
use tuckbox::store::{BoxChange, MemoryStore, Snapshot, Store};
use tuckbox::value::json::to_json;
use tuckbox::{Env, Json, Limits, Timestamp};

pub(crate) fn env(seed: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000 + i64::from(seed)), [seed; 32])
}

/// Returns a session of a coding agent with some turns, as lines.
pub(crate) fn session(turns: &[(String, bool)]) -> Vec<String> {
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
    // texts with role names, quotes, line breaks, and characters of 1 to 4 bytes
    let text = prop_oneof![
        "[a-z ]{1,12}",
        "system: [a-z]{0,4}",
        "\\PC{1,20}",
        Just("</s>\n\"\\".to_owned()),
        Just("中文 🌊\u{200b}\u{2028}".to_owned())
    ];
    prop::collection::vec((text, any::<bool>()), 1..6)
}

/// Returns the report of files that are read one by one.
pub(crate) fn streamed(files: &[(&str, &[u8])]) -> (String, Vec<String>) {
    let mut stream = Stream::new();
    for (name, bytes) in files {
        stream.file(name, bytes.to_vec());
    }
    let (report, lints) = stream.finish();
    (report, lints.iter().map(|lint| lint.message.clone()).collect())
}

fn shape(files: &[(&str, &[u8])]) -> String {
    let sources: Vec<SourceFile<'_>> =
        files.iter().map(|(name, bytes)| SourceFile { name, bytes }).collect();
    neutral::shape(&import(&sources), true).to_string()
}

fn call(files: &[(&str, &str)]) -> FileImport {
    let list: Vec<Json> =
        files.iter().map(|(name, text)| Json::from([("name", *name), ("text", *text)])).collect();
    let call = Import::from_json(&Json::from([("files", Json::Array(list))])).unwrap();
    call.read(&Limits::default()).unwrap()
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
        // at another time, with other entropy, over existing rows
        let again = preview(&rule, &mut Snapshot::new("p".into()), &env(2), &store).unwrap();
        prop_assert!(again.writes.is_empty());
        prop_assert_eq!(&again.value, &first.value);
        let other = preview(&rule, &mut Snapshot::new("p".into()), &env(3), &MemoryStore::new()).unwrap();
        prop_assert_eq!(other.content_hash().unwrap(), first.content_hash().unwrap());
    }

    #[test]
    fn logs_with_the_same_messages_are_imported_one_after_the_other(turns in turns()) {
        let log = session(&turns).join("\n");
        let mut store = MemoryStore::new();
        for (number, name) in ["a.jsonl", "b.jsonl"].into_iter().enumerate() {
            let log = log.replacen(r#""id":"s""#, &format!(r#""id":"{name}""#), 1);
            let rule = call(&[(name, &log)]);
            let made = preview(&rule, &mut Snapshot::new("p".into()), &env(number as u8), &store).unwrap();
            let committed = store.commit(&made.writes);
            prop_assert!(!made.writes.boxes.is_empty());
            prop_assert!(committed.is_ok(), "{}: {:?}", name, committed);
        }
    }

    #[test]
    fn an_unrelated_file_changes_nothing(turns in turns(), noise in "\\PC{0,80}") {
        let log = session(&turns).join("\n");
        let alone = shape(&[("s.jsonl", log.as_bytes())]);
        prop_assert_eq!(&shape(&[("s.jsonl", log.as_bytes()), ("notes.txt", noise.as_bytes())]), &alone);
        prop_assert_eq!(&shape(&[("a.bin", &[0xff, 0, 1]), ("s.jsonl", log.as_bytes())]), &alone);
    }

    #[test]
    fn a_truncated_log_gives_its_first_part_and_a_position(turns in turns(), cut in 0.0..1.0_f64) {
        let lines = session(&turns);
        let whole = import(&[SourceFile { name: "s", bytes: lines.join("\n").as_bytes() }]);
        for kept in 2..lines.len() {
            let start = lines[..kept].join("\n");
            // the next line is incomplete
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
fn cyclic_parents_and_duplicate_ids_do_not_loop() {
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
fn every_card_has_its_source() {
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
fn an_invalid_call_has_a_path() {
    let error =
        |call: &str| Import::from_json(&Json::parse(call).unwrap()).unwrap_err().to_string();
    assert_eq!(error("{}"), "bad_request at `files`: `files` is missing");
    assert_eq!(
        error(r#"{"files":[{"name":"a"}]}"#),
        "bad_request at `files[0]`: a file must have either `text` or `base64`"
    );
    assert_eq!(
        error(r#"{"files":[{"name":"a","base64":"?"}]}"#),
        "bad_request at `files[0].base64`: `base64` must be valid base64"
    );
    assert_eq!(
        error(r#"{"files":[],"shape":"x"}"#),
        "bad_request at `shape`: unknown value `x`; expected one of `report`, `neutral`, `snapshot`, `cache`, `compaction`"
    );
}

#[test]
fn an_imported_body_is_unchanged_for_its_own_provider() {
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
        // another provider gets a body made from the cards
        let other = if provider == "anthropic" { "gemini" } else { "anthropic" };
        assert!(
            !payload(&box_id, other, Some("m2")).body().same_value(&Json::parse(body).unwrap())
        );
    }
}

#[test]
fn a_log_with_many_lines_is_read_completely() {
    // more lines than the detection of the format reads
    let turns: Vec<(String, bool)> = (0..300).map(|at| (format!("turn {at}"), false)).collect();
    let mut lines = session(&turns);
    lines.push("{\"type\":".to_owned());
    let log = lines.join("\n");
    let found = import(&[SourceFile { name: "s", bytes: log.as_bytes() }]);
    assert_eq!(found.sessions[0].requests.len(), 300);
    let places: Vec<_> = found.notes.iter().map(|note| note.origin.line).collect();
    assert_eq!(places, [Some(602)]);
}

#[test]
fn the_ledger_has_the_source_of_every_card() {
    let log = [
        r#"{"model":"m","messages":[{"role":"user","content":"one"}]}"#,
        r#"{"model":"m","messages":[{"role":"user","content":"one"},{"role":"assistant","content":"ok"},{"role":"user","content":"two"}]}"#,
    ];
    let outcome = preview(
        &call(&[("log.jsonl", &log.join("\n"))]),
        &mut Snapshot::new("p".into()),
        &env(1),
        &MemoryStore::new(),
    )
    .unwrap();
    let causes = |at: &str| {
        let account =
            outcome.ledger.boxes.iter().find(|account| account.box_id().as_str().ends_with(at));
        let account = account.unwrap();
        assert_eq!(account.entries(0..account.len()).len(), account.len());
        account.entries(0..3).into_iter().map(|entry| entry.cause).collect::<Vec<_>>()
    };
    let read = |line, pointer: &str| {
        Cause::Imported(Place {
            file: "log.jsonl".into(),
            line: Some(line),
            pointer: pointer.into(),
        })
    };
    assert_eq!(causes("_1")[0], read(1, "/messages/0"));
    let second = causes("_2");
    assert!(
        matches!(&second[0], Cause::Inherited { box_id, position: 0, .. } if box_id.as_str().ends_with("_1"))
    );
    assert_eq!(second[1..], [read(2, "/messages/1"), read(2, "/messages/2")]);
    assert_eq!(outcome.ledger.boxes.len(), outcome.writes.boxes.len());

    // a stored box has the same causes
    let mut store = MemoryStore::new();
    store.commit(&outcome.writes).unwrap();
    let box_id =
        outcome.ledger.boxes.iter().find(|account| account.box_id().as_str().ends_with("_2"));
    let call = Json::from([("box_id", Json::from(box_id.unwrap().box_id().as_str()))]);
    let look = Inspect::from_json(&call).unwrap();
    let view = preview(&look, &mut Snapshot::new("p".into()), &env(2), &store).unwrap().value;
    assert_eq!(view.rows[2].cause, Some(read(2, "/messages/2")));
}

#[test]
fn the_box_of_a_compaction_has_the_covered_boxes_as_parents() {
    let mut lines = session(&[("one".into(), false), ("two".into(), false)]);
    lines.push(r#"{"type":"compaction","id":"k","parentId":"e4","summary":"They counted.","firstKeptEntryId":"e4"}"#.to_owned());
    lines.push(r#"{"type":"message","id":"e6","parentId":"k","message":{"role":"user","content":"three"}}"#.to_owned());
    let rule = call(&[("s.jsonl", &lines.join("\n"))]);
    let outcome =
        preview(&rule, &mut Snapshot::new("p".into()), &env(1), &MemoryStore::new()).unwrap();
    let boxes: Vec<_> = outcome
        .writes
        .boxes
        .iter()
        .filter_map(|change| match change {
            BoxChange::Create { card_box } => Some(card_box),
            _ => None,
        })
        .collect();
    let named =
        |end: &str| *boxes.iter().find(|card_box| card_box.box_id.as_str().ends_with(end)).unwrap();
    let summary = named("_summary_1");
    let parents = |card_box: &tuckbox::CardBox| {
        card_box.parent_ids.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>()
    };
    let covered = [named("_1"), named("_2")].map(|card_box| card_box.box_id.as_str().to_owned());
    assert!(parents(summary).iter().zip(&covered).all(|(a, b)| a == b), "{:?}", parents(summary));
    assert_eq!(parents(summary).len(), 2);
    assert_eq!(summary.card_ids.len(), 1);
    // the next request continues from the summary
    assert_eq!(parents(named("_3")), [summary.box_id.as_str()]);
    let report = outcome.value.to_string();
    assert!(report.contains(&format!(r#""summary_box_id":"{}""#, summary.box_id)), "{report}");
}

#[test]
fn two_sessions_with_the_same_id_are_separate() {
    let log = session(&[("one".into(), false)]).join("\n");
    let other = session(&[("two".into(), false)]).join("\n");
    let rule = call(&[("a.jsonl", &log), ("b.jsonl", &other)]);
    let mut store = MemoryStore::new();
    let outcome = preview(&rule, &mut Snapshot::new("p".into()), &env(1), &store).unwrap();
    store.commit(&outcome.writes).unwrap();
    let ids: Vec<_> = outcome.ledger.boxes.iter().map(|account| account.box_id().clone()).collect();
    let once: std::collections::BTreeSet<_> = ids.iter().map(|id| id.as_str()).collect();
    assert_eq!(once.len(), ids.len());
}

#[test]
fn recorded_tokens_calibrate_the_estimate_of_their_model() {
    // complete requests of one model, recorded at twice the estimate
    let whole = |words: &str, tokens: u64| {
        format!(
            r#"{{"request":{{"model":"m","messages":[{{"role":"user","content":"{words}"}}]}},"response":{{"model":"m","choices":[{{"message":{{"role":"assistant","content":"ok"}}}}],"usage":{{"prompt_tokens":{tokens},"completion_tokens":1}}}}}}"#
        )
    };
    let log = format!(
        "{}\n{}",
        whole("one two three four", 22),
        whole("one two three four five six", 26)
    );
    let found = import(&[SourceFile { name: "log.jsonl", bytes: log.as_bytes() }]);
    let report = report::report(&found);
    let calibration = report.get("calibration").unwrap();
    assert_eq!(
        calibration.to_string(),
        r#"[{"model":"m","requests":2,"recorded":48,"estimated":24,"factor_percent":200,"off_percent":50,"off_percent_scaled":0}]"#
    );
    assert!(report.to_string().contains(r#""estimated":11,"calibrated":22,"residual":null"#));

    // and the estimate of every other request is scaled
    let count = |counter: Option<&Json>, model: &str| {
        let mut call = Json::parse(&format!(
            r#"{{"provider":"openai_chat","model":"{model}","messages":[{{"role":"user","content":"one two three four"}}]}}"#
        ))
        .unwrap();
        if let (Some(counter), Json::Object(call)) = (counter, &mut call) {
            call.insert("counter".into(), Json::from([("calibration", counter.clone())]));
        }
        let call = CountTokens::from_json(&call).unwrap();
        let account = preview(&call, &mut Snapshot::new("p".into()), &env(1), &MemoryStore::new());
        let account = account.unwrap().value;
        (account.buckets[0].tokens, account.tokens)
    };
    // the message alone, and the whole request as the log recorded it
    assert_eq!(count(None, "m"), (4, 11));
    assert_eq!(count(Some(calibration), "m"), (8, 22));
    assert_eq!(count(Some(calibration), "another"), (4, 11));
}

#[test]
fn decreasing_timestamps_do_not_change_the_order_of_a_session() {
    let mut lines =
        session(&[("one".into(), false), ("two".into(), false), ("three".into(), false)]);
    let forwards = shape(&[("s.jsonl", lines.join("\n").as_bytes())]);
    for (at, line) in lines.iter_mut().enumerate().skip(1) {
        *line = line.replace(&format!("00:00:{at:02}Z"), &format!("00:00:{:02}Z", 50 - at));
    }
    assert_eq!(shape(&[("s.jsonl", lines.join("\n").as_bytes())]), forwards);
}

#[test]
fn a_line_of_ten_megabytes_is_read() {
    let long = "long \\n ".repeat(10 << 20 >> 3);
    let log = session(&[("one".into(), false), ("LONG".into(), false)]).join("\n");
    let log = log.replacen("LONG", &long, 1);
    assert!(log.len() > 10 << 20);
    let found = import(&[SourceFile { name: "s.jsonl", bytes: log.as_bytes() }]);
    assert!(found.notes.is_empty());
    assert_eq!(found.sessions[0].requests.len(), 2);
    let path = found.sessions[0].messages(found.sessions[0].requests[1].tail);
    assert!(matches!(&path[2].parts[0], Part::Text(text) if text.len() > 7 << 20));
}

#[test]
fn hostile_strings_are_plain_text_in_every_field() {
    const HOSTILE: [&str; 6] = [
        "</script><img src=x onerror=alert(1)>",
        "'; drop table cards; --",
        "../../etc/passwd\\u0000",
        "__proto__",
        "\\u202e\\u2028${7*7}{{7*7}}",
        "$(touch /tmp/x)`id`",
    ];
    let logs: [Vec<String>; 3] = [
        session(&[("TEXT".into(), true), ("TEXT".into(), false)]),
        vec![
            r#"{"uuid":"TEXT1","parentUuid":null,"sessionId":"TEXT","type":"user","timestamp":"TEXT","message":{"role":"user","content":"TEXT"}}"#.into(),
            r#"{"uuid":"2","parentUuid":"TEXT1","sessionId":"TEXT","agentId":"TEXT","type":"assistant","timestamp":"TEXT","message":{"id":"TEXT","role":"assistant","model":"TEXT","content":[{"type":"TEXT","text":"TEXT"},{"type":"tool_use","id":"TEXT","name":"TEXT","input":{"TEXT":"TEXT"}}],"usage":{"input_tokens":"TEXT"}}}"#.into(),
        ],
        vec![
            r#"{"model":"TEXT","messages":[{"role":"TEXT","content":"TEXT"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"TEXT"}},{"type":"text","text":"TEXT"}]},{"role":"assistant","tool_calls":[{"id":"TEXT","function":{"name":"TEXT","arguments":"TEXT"}}]},{"role":"tool","tool_call_id":"TEXT","content":"TEXT"}],"tools":[{"type":"function","function":{"name":"TEXT","description":"TEXT","parameters":{"TEXT":"TEXT"}}}]}"#.into(),
        ],
    ];
    for text in HOSTILE {
        for log in &logs {
            let log = log.join("\n").replace("TEXT", text);
            let rule = call(&[(text, &log)]);
            let mut store = MemoryStore::new();
            let first = preview(&rule, &mut Snapshot::new("p".into()), &env(1), &store).unwrap();
            store.commit(&first.writes).unwrap();
            let again = preview(&rule, &mut Snapshot::new("p".into()), &env(2), &store).unwrap();
            assert!(again.writes.is_empty(), "{text}");
            assert_eq!(streamed(&[(text, log.as_bytes())]).0, first.value.to_string());
        }
    }
}

/// Returns a body of one of the four providers with messages of every kind, and the provider.
fn body() -> impl Strategy<Value = (String, &'static str)> {
    let words = || prop_oneof!["[a-z ]{1,12}", "\\PC{1,16}", Just("{\"a\": 1.0}".to_owned())];
    let turn = (words(), words(), 0..4_u8);
    (prop::collection::vec(turn, 1..5), 0..4_usize, any::<bool>()).prop_map(|(turns, api, more)| {
        let text = |words: &str| Json::from(words).to_string();
        let mut said: Vec<String> = Vec::new();
        for (at, (asked, answered, kind)) in turns.iter().enumerate() {
            let (asked, answered) = (text(asked), text(answered));
            said.push(match api {
                0 => format!(r#"{{"role":"user","content":{asked}}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{at}","type":"function","function":{{"name":"f","arguments":"{{\"n\": {kind}.0}}"}}}}]}},{{"role":"tool","tool_call_id":"c{at}","content":{answered}}}"#),
                1 => format!(r#"{{"role":"user","content":[{{"type":"input_text","text":{asked}}}]}},{{"type":"function_call","call_id":"c{at}","name":"f","arguments":"{{}}"}},{{"type":"function_call_output","call_id":"c{at}","output":{answered}}}"#),
                2 => format!(r#"{{"role":"user","content":{asked}}},{{"role":"assistant","content":[{{"type":"thinking","thinking":{answered},"signature":"s"}},{{"type":"tool_use","id":"c{at}","name":"f","input":{{"n":{kind}}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{at}","content":{answered},"is_error":{}}}]}}"#, kind % 2 == 0),
                _ => format!(r#"{{"role":"user","parts":[{{"text":{asked}}}]}},{{"role":"model","parts":[{{"functionCall":{{"name":"f","args":{{"n":{kind}}}}}}}]}},{{"role":"user","parts":[{{"functionResponse":{{"name":"f","response":{{"output":{answered}}}}}}}]}}"#),
            });
        }
        let said = said.join(",");
        let settings = if more { r#","temperature":0.70,"metadata":{"big":123456789012345678901}"# } else { "" };
        match api {
            0 => (format!(r#"{{"model":"m","messages":[{{"role":"system","content":"S"}},{said}]{settings}}}"#), "openai_chat"),
            1 => (format!(r#"{{"model":"m","instructions":"S","input":[{said}]{settings}}}"#), "openai_responses"),
            2 => (format!(r#"{{"model":"m","max_tokens":9,"system":"S","messages":[{said}]{settings}}}"#), "anthropic"),
            _ => (format!(r#"{{"systemInstruction":{{"parts":[{{"text":"S"}}]}},"contents":[{said}]{settings}}}"#), "gemini"),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_body_is_unchanged_for_its_provider((body, provider) in body()) {
        let mut store = MemoryStore::new();
        let outcome =
            preview(&call(&[("b.json", &body)]), &mut Snapshot::new("p".into()), &env(1), &store).unwrap();
        store.commit(&outcome.writes).unwrap();
        let report = outcome.value.to_string();
        let box_id = report.split_once(r#""box_id":""#).unwrap().1.split_once('"').unwrap().0;
        let call = Json::from([("provider", provider), ("box_id", box_id)]);
        let call = MakePayload::from_json(&call).unwrap();
        let made = preview(&call, &mut Snapshot::new("p".into()), &env(2), &store).unwrap().value;
        let given = Json::parse(&body).unwrap();
        prop_assert_eq!(made.body().canonical().unwrap().to_string(), given.canonical().unwrap().to_string());
    }
}
