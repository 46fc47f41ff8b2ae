//! Logs that are read in chunks give the same report as whole files.

use crate::import::properties::{session, streamed};
use proptest::prelude::*;
use tuckbox::import::{SourceFile, Stream, import, report};

#[test]
fn a_stream_of_files_gives_the_same_report_as_one_import() {
    let talk = session(&[("one".into(), true), ("two".into(), false)]).join("\n");
    let body = r#"{"model":"m","messages":[{"role":"user","content":"q"}]}"#;
    let claude = |session: &str, id: &str, parent: &str, at: &str| {
        format!(
            r#"{{"uuid":"{id}","parentUuid":{parent},"sessionId":"{session}","type":"user","timestamp":"2026-02-0{at}T00:00:00Z","message":{{"role":"user","content":"q{id}"}}}}"#
        )
    };
    // the second file is a fork of the first
    let first = [claude("s1", "a", "null", "1"), claude("s1", "b", "\"a\"", "2")].join("\n");
    let fork = [claude("s2", "a", "null", "1"), claude("s2", "c", "\"a\"", "3")].join("\n");
    let batch = format!(
        r#"{{"custom_id":"x","method":"POST","url":"/v1/chat/completions","body":{body}}}"#
    );
    let broken = format!("{body}\n{{\"model\":\n{body}");
    let files: Vec<(&str, &[u8])> = vec![
        ("fork/1.jsonl", first.as_bytes()),
        ("notes.txt", b"hello"),
        ("batch/a.jsonl", batch.as_bytes()),
        ("talk.jsonl", talk.as_bytes()),
        ("fork/2.jsonl", fork.as_bytes()),
        ("broken.jsonl", broken.as_bytes()),
        ("batch/b.jsonl", batch.as_bytes()),
    ];
    let sources: Vec<SourceFile<'_>> =
        files.iter().map(|(name, bytes)| SourceFile { name, bytes }).collect();
    let found = import(&sources);
    let (report, lints) = streamed(&files);
    assert_eq!(report, report::report(&found).to_string());
    let together: Vec<String> =
        report::lints(&found).iter().map(|lint| lint.message.clone()).collect();
    assert_eq!(lints, together);
    assert!(report.contains(r#""id":"s2","source":"claude-code","parent":"s1""#), "{report}");
    assert!(lints.iter().any(|lint| lint.starts_with("broken.jsonl:2: line 2 is not JSON")));
}

/// Lines of two coding agents that are read in chunks, some of them broken.
fn long_log(agent: usize, lines: usize, broken: usize) -> Vec<u8> {
    let mut log = Vec::new();
    for at in 0..lines {
        let words = "é\\n".repeat(at % 400);
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        if broken > 0 && at % broken == broken - 1 {
            log.extend([b'{', 0xff, b'\n', b'\n', b'}']);
        } else if agent == 0 {
            let parent = at.checked_sub(1).map_or("null".to_owned(), |at| format!("\"u{at}\""));
            log.extend(format!(r#"{{"uuid":"u{at}","parentUuid":{parent},"sessionId":"s","type":"{role}","toolUseResult":[1],"message":{{"role":"{role}","content":"{at} {words}"}}}}"#).bytes());
        } else {
            log.extend(format!(r#"{{"type":"response_item","payload":{{"type":"message","role":"{role}","content":[{{"type":"input_text","text":"{at} {words}"}}]}}}}"#).bytes());
        }
        log.extend(if at % 3 == 0 { &b"\r\n"[..] } else { b"\n" });
    }
    log
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn a_file_in_chunks_gives_the_report_of_the_file(agent in 0..2_usize, lines in 0..900_usize, broken in 0..60_usize, piece in 1..400_000_usize, size in 0..2_000_000_usize) {
        let log = long_log(agent, lines, broken);
        let body = br#"{"model":"m","messages":[{"role":"user","content":"q"}]}"#;
        let mut stream = Stream::new();
        for (name, bytes) in [("a.json", &body[..]), ("log.jsonl", &log), ("b.json", &body[..])] {
            stream.begin(name, size);
            for piece in bytes.chunks(piece) {
                stream.push(piece).unwrap();
            }
            stream.end();
        }
        let (sessions, requests) = stream.counts();
        let (report, _) = stream.finish();
        prop_assert_eq!(&report, &streamed(&[("a.json", body), ("log.jsonl", &log), ("b.json", body)]).0);
        prop_assert!(sessions > 1 && requests > 1);
    }
}

#[test]
fn requests_of_a_large_file_are_counted_while_it_is_read() {
    let log = long_log(0, 2_000, 0);
    let mut stream = Stream::new();
    assert!(stream.push(&log).is_err(), "a chunk before the first file is accepted");
    stream.begin("log.jsonl", log.len());
    let (start, rest) = log.split_at(log.len() / 2);
    stream.push(start).unwrap();
    let (_, half) = stream.counts();
    assert!((200..999).contains(&half), "{half}");
    stream.push(rest).unwrap();
    stream.end();
    assert_eq!(stream.counts(), (1, 1_000));
}
