use super::*;
use crate::Error;
use crate::value::json::to_json;

fn read(text: &str) -> Result<ComposeInput> {
    ComposeInput::from_json(&Json::parse(text).unwrap())
}

fn input(process: Process) -> ComposeInput {
    let mut input = ComposeInput::new(process, "SYS", Query::Runtime("Q".to_owned()));
    for (key, text) in [
        ("b__context", "B"),
        ("compression__context", "CM"),
        ("B__context", "BB"),
        ("todo__context", "TD"),
        ("knowledge__context", "KN"),
        ("experience__context", "EX"),
        ("framework__context", "FW"),
    ] {
        input = input.with_context(key, text);
    }
    input.with_checkpoint(vec![
        Message::user("hello").with_id("m1"),
        Message::assistant("hi").with_id("m2"),
    ])
}

fn texts(composed: &Composed) -> Vec<String> {
    composed.messages.iter().map(|message| message.content.words().unwrap().into_owned()).collect()
}

fn refused(input: &ComposeInput) -> Error {
    compose(input).unwrap_err()
}

fn codes(composed: &Composed) -> Vec<(&str, String)> {
    composed.lints.iter().map(|lint| (lint.code.as_str(), lint.path.to_string())).collect()
}

#[test]
fn the_order_is_fixed_whatever_the_order_of_the_input() {
    let order = ["SYS", "FW", "EX", "KN", "TD", "CM", "BB", "B", "hello", "hi", "Q"];
    let mut given = input(Process::Hierarchical);
    assert_eq!(texts(&compose(&given).unwrap()), order);
    let reversed = given.contexts.iter().rev().map(|(key, text)| (key.clone(), text.clone()));
    *given.contexts = reversed.collect();
    assert_eq!(texts(&compose(&given).unwrap()), order);
}

#[test]
fn only_the_composer_moves_the_summary_after_the_checkpoint() {
    let composer =
        Composer { compression: CompressionPlace::AfterCheckpoint, ..Composer::default() };
    let mut given = input(Process::React);
    given.human_message = Some("now act".to_owned());
    given.query = Query::None;
    assert_eq!(
        texts(&composer.compose(&given).unwrap()),
        ["SYS", "FW", "EX", "KN", "TD", "BB", "B", "hello", "hi", "CM", "now act"]
    );
    let error =
        read(r#"{"process":"react","system_prompt":"","query":"q","compression":"behind"}"#);
    assert_eq!(error.unwrap_err().path().to_string(), "compression");
}

#[test]
fn each_process_sees_what_its_row_says_and_the_rest_is_accounted_for() {
    let seen = |process, share| {
        let given = input(process);
        let composer = Composer { enable_share_context: share, ..Composer::default() };
        let composed = composer.compose(&given).unwrap();
        let given_count = given.contexts.len() + given.checkpoint_messages.len() + 2;
        assert_eq!(composed.ledger.entries.len() + composed.ledger.left_out.len(), given_count);
        texts(&composed)
    };
    for process in [Process::Sequential, Process::Dynamic, Process::Hierarchical, Process::React] {
        assert_eq!(seen(process, None).len(), 11);
        assert_eq!(seen(process, Some(true)).len(), 11);
        assert_eq!(seen(process, Some(false)), ["SYS", "hello", "hi", "Q"]);
    }
    for share in [None, Some(false), Some(true)] {
        assert_eq!(seen(Process::MapreduceWorker, share), ["SYS", "FW", "KN", "Q"]);
    }
    for process in [Process::MapreducePlanner, Process::MapreduceReducer] {
        assert_eq!(seen(process, None), ["SYS", "FW", "EX", "KN", "Q"]);
        assert_eq!(seen(process, Some(false)), ["SYS", "FW", "Q"]);
    }
}

#[test]
fn what_is_left_out_says_by_which_rule() {
    let mut given = input(Process::MapreducePlanner)
        .with_context("knowledge__context", " \n")
        .with_context("experience__context", true);
    given.human_message = Some(String::new());
    let composed = compose(&given).unwrap();
    let left: Vec<_> =
        composed.ledger.left_out.iter().map(|left| (left.from.to_string(), left.rule)).collect();
    assert_eq!(
        left,
        [
            ("contexts.experience__context".to_owned(), Rule::NotText),
            ("contexts.knowledge__context".to_owned(), Rule::Blank),
            ("contexts.todo__context".to_owned(), Rule::NotInProcess),
            ("contexts.compression__context".to_owned(), Rule::NotInProcess),
            ("contexts.B__context".to_owned(), Rule::NotInProcess),
            ("contexts.b__context".to_owned(), Rule::NotInProcess),
            ("checkpoint_messages[0]".to_owned(), Rule::NoCheckpointInProcess),
            ("checkpoint_messages[1]".to_owned(), Rule::NoCheckpointInProcess),
            ("human_message".to_owned(), Rule::Blank),
        ]
    );
    assert_eq!(composed.ledger.left_out[7].message_id.as_deref(), Some("m2"));
    let composer = Composer { enable_share_context: Some(false), ..Composer::default() };
    let composed = composer.compose(&given).unwrap();
    assert_eq!(composed.ledger.left_out[0].rule, Rule::SharingOff);
    assert_eq!(codes(&composed), [("block_not_text", "contexts.experience__context".to_owned())]);
}

#[test]
fn the_ledger_names_the_place_of_every_message() {
    let mut given = input(Process::Sequential).with_context("todo__context", " TD\n");
    given.contexts.retain(|key, _| key == "todo__context");
    given.query = Query::InCheckpoint(None);
    let ledger = to_json(&compose(&given).unwrap().ledger).unwrap().to_string();
    assert_eq!(
        ledger,
        concat!(
            r#"{"entries":[{"position":0,"layer":"system_prompt","from":"system_prompt","is_query":false,"trimmed":false},"#,
            r#"{"position":1,"layer":"todo__context","from":"contexts.todo__context","is_query":false,"trimmed":true},"#,
            r#"{"position":2,"layer":"checkpoint_messages","from":"checkpoint_messages[0]","message_id":"m1","checkpoint_position":0,"is_query":true,"trimmed":false},"#,
            r#"{"position":3,"layer":"checkpoint_messages","from":"checkpoint_messages[1]","message_id":"m2","checkpoint_position":1,"is_query":false,"trimmed":false}],"#,
            r#""left_out":[]}"#
        )
    );
}

#[test]
fn a_query_on_two_paths_is_refused_with_both_places() {
    let places = |error: &Error| error.details().get("places").unwrap().to_string();
    let error = read(
        r#"{"process":"react","system_prompt":"","query":{"runtime":"q","in_checkpoint":true}}"#,
    )
    .unwrap_err();
    assert_eq!(places(&error), r#"["query.runtime","query.in_checkpoint"]"#);

    let mut given = input(Process::React);
    given.query = Query::Runtime(" hello\n".to_owned());
    // a query that was answered can be asked again
    assert!(compose(&given).is_ok());
    given.checkpoint_messages.truncate(1);
    let error = refused(&given);
    assert_eq!(
        error.to_string(),
        "bad_request at `query`: the query is given twice, at `query` and at \
         `checkpoint_messages[0]`; give it in one place"
    );
    assert_eq!(places(&error), r#"["query","checkpoint_messages[0]"]"#);

    // as parts, or with the role `human`, it is the same query
    given.checkpoint_messages = vec![Message::new(
        crate::value::message::Role::Other("human".into()),
        vec![Json::from([("type", "text"), ("text", "hello")])],
    )];
    assert_eq!(places(&refused(&given)), r#"["query","checkpoint_messages[0]"]"#);

    // a process that sees no checkpoint sees the query once
    given.process = Process::MapreduceWorker;
    assert!(compose(&given).is_ok());

    let mut given = input(Process::React);
    given.human_message = Some("Q ".to_owned());
    assert_eq!(places(&refused(&given)), r#"["query","human_message"]"#);
    given.query = Query::InCheckpoint(None);
    given.human_message = Some("hello".to_owned());
    assert_eq!(places(&refused(&given)), r#"["human_message","checkpoint_messages[0]"]"#);

    // another instruction is another query
    for words in ["now act", "Q?"] {
        given.human_message = Some(words.to_owned());
        given.query = Query::InCheckpoint(None);
        assert_eq!(places(&refused(&given)), r#"["human_message","checkpoint_messages[0]"]"#);
        given.query = Query::Runtime("Q".to_owned());
        assert_eq!(places(&refused(&given)), r#"["query","human_message"]"#);
        given.query = Query::None;
        let composed = compose(&given).unwrap();
        assert_eq!(composed.ledger.entries.iter().filter(|entry| entry.is_query).count(), 1);
    }
    // white space asks nothing
    given.human_message = Some(" ".to_owned());
    given.query = Query::Runtime("Q".to_owned());
    assert!(compose(&given).is_ok());
}

#[test]
fn a_prompt_without_a_query_is_refused_unless_its_process_goes_on_by_itself() {
    for process in Process::ALL {
        for query in [Query::None, Query::Runtime(" ".to_owned())] {
            let mut given = input(process);
            given.query = query;
            let needed = process.rule().needs_query;
            match compose(&given) {
                Ok(_) => assert!(!needed, "{process:?}"),
                Err(error) => {
                    assert!(needed, "{process:?}: {error}");
                    assert_eq!(error.path().to_string(), "query");
                }
            }
            given.human_message = Some("work on part 3".to_owned());
            assert!(compose(&given).is_ok(), "{process:?}");
        }
    }
    let mut given = input(Process::Sequential);
    given.query = Query::InCheckpoint(None);
    given.checkpoint_messages.remove(0);
    assert!(refused(&given).message().starts_with("no query, and"));
}

#[test]
fn a_query_in_the_checkpoint_must_be_seen_and_be_a_humans() {
    let mut given = input(Process::React);
    given.query = Query::InCheckpoint(Some("m1".to_owned()));
    assert!(compose(&given).unwrap().ledger.entries[8].is_query);
    given.query = Query::InCheckpoint(Some("m2".to_owned()));
    assert_eq!(
        refused(&given).message(),
        "the message `m2` at `checkpoint_messages[1]` must have the role `user`"
    );
    given.query = Query::InCheckpoint(Some("m3".to_owned()));
    assert_eq!(refused(&given).message(), "no message `m3` in `checkpoint_messages`");
    given.query = Query::InCheckpoint(None);
    given.process = Process::MapreduceReducer;
    assert_eq!(
        refused(&given).details().get("places").unwrap().to_string(),
        r#"["query","process"]"#
    );
    given.process = Process::React;
    given.checkpoint_messages.remove(0);
    assert_eq!(codes(&compose(&given).unwrap()), [("no_query", "query".to_owned())]);
}

#[test]
fn wrong_input_is_refused_at_its_place() {
    for (text, error) in [
        (
            r#"{"process":"swarm","system_prompt":"","query":"q"}"#,
            "bad_request at `process`: unknown process `swarm`; expected one of `sequential`, `dynamic`, \
             `hierarchical`, `react`, `mapreduce_worker`, `mapreduce_planner`, `mapreduce_reducer`",
        ),
        (
            r#"{"process":"react","system_prompt":"","query":5}"#,
            "bad_request at `query`: expected a string, `{\"runtime\": text}` or `{\"in_checkpoint\": true}`, found a number",
        ),
        (
            r#"{"process":"react","system_prompt":"","query":{}}"#,
            "bad_request at `query`: no query; pass `runtime` with its text, or `in_checkpoint`",
        ),
        (
            r#"{"process":"react","system_prompt":"","query":{"in_checkpoint":false}}"#,
            "bad_request at `query.in_checkpoint`: expected true or a message id, found a boolean",
        ),
        (
            r#"{"process":"react","system_prompt":"","query":"q","checkpoint_messages":[{"role":"user"},{}]}"#,
            "bad_request at `checkpoint_messages[1].role`: `role` is missing",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), error);
    }
    let state = read(r#"{"process":"react","system_prompt":"","query":"q","state":{}}"#);
    assert_eq!(state.unwrap_err().path().to_string(), "state");

    let given = input(Process::React).with_context("memory", "x");
    assert_eq!(
        refused(&given).to_string(),
        "bad_request at `contexts.memory`: the key `memory` must end in `__context`"
    );
    let mut given = input(Process::React);
    given.checkpoint_messages.push(Message::user("again").with_id("m1"));
    assert_eq!(
        refused(&given).to_string(),
        "bad_request at `checkpoint_messages[2].id`: the message id `m1` occurs twice, at \
         `checkpoint_messages[0].id` and at `checkpoint_messages[2].id`"
    );
}

#[test]
fn odd_input_is_followed_and_remarked_on() {
    let given = read(
        r#"{"process": "react", "system_prompt": " ", "query": "",
            "contexts": {" framework__context": "x", "FRAMEWORK__context": "y", "todo__context": ["x"]},
            "checkpoint_messages": [
                {"role": "system", "content": "s"},
                {"role": "tool", "content": "res"},
                {"role": "tool", "content": "res", "tool_call_id": "c0"},
                {"role": "assistant", "content": null, "tool_calls": [{"id": "c1"}, {"id": "c2"}]},
                {"role": "tool", "content": "res", "tool_call_id": "c1"},
                {"role": "ai", "content": "x", "internal": true},
                {"role": "assistant"}
            ]}"#,
    )
    .unwrap();
    let composed = compose(&given).unwrap();
    assert_eq!(composed.messages.len(), 11);
    let expected = [
        ("blank_system_prompt", "system_prompt"),
        ("lookalike_key", r#"contexts[" framework__context"]"#),
        ("lookalike_key", "contexts.FRAMEWORK__context"),
        ("block_not_text", "contexts.todo__context"),
        ("system_in_checkpoint", "checkpoint_messages[0].role"),
        ("orphan_tool_result", "checkpoint_messages[1]"),
        ("orphan_tool_result", "checkpoint_messages[2]"),
        ("unknown_role", "checkpoint_messages[5].role"),
        ("internal_in_checkpoint", "checkpoint_messages[5].internal"),
        ("empty_message", "checkpoint_messages[6]"),
        ("unanswered_tool_call", "checkpoint_messages[3].tool_calls[1]"),
        ("blank_query", "query"),
    ];
    let found = codes(&composed);
    let found: Vec<_> = found.iter().map(|(code, path)| (*code, path.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_tables_are_data() {
    let rows = to_json(&lifecycle()).unwrap();
    let row = |n: usize| rows.as_array().unwrap()[n].to_string();
    assert_eq!(row(0), r#"{"layer":"system_prompt","lifetime":"call_only","shared":false}"#);
    assert_eq!(row(4), r#"{"layer":"todo__context","lifetime":"runtime_only","shared":true}"#);
    assert_eq!(row(5), r#"{"layer":"compression__context","lifetime":"persistent","shared":true}"#);
    assert_eq!(row(6), r#"{"layer":"*__context","lifetime":"runtime_only","shared":true}"#);
    let worker = to_json(&Process::MapreduceWorker.rule()).unwrap().to_string();
    assert_eq!(
        worker,
        concat!(
            r#"{"process":"mapreduce_worker","checkpoint":false,"share_by_default":false,"#,
            r#""always":["framework__context","knowledge__context"],"when_sharing":[],"other_blocks":false,"needs_query":true,"follows_switch":false}"#
        )
    );
}

#[test]
fn the_switch_of_the_project_does_not_reach_a_worker() {
    let rule = Process::MapreduceWorker.rule();
    assert_eq!([None, Some(false), Some(true)].map(|switch| rule.shares(switch)), [false; 3]);
    let rule = Process::MapreducePlanner.rule();
    assert_eq!(
        [None, Some(false), Some(true)].map(|switch| rule.shares(switch)),
        [true, false, true]
    );
}
