use super::*;
use crate::prompt::compose::{ComposeInput, Process, Query, compose};
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json, to_json};
use crate::value::message::Role;
use crate::{Error, Result};

fn user(id: &str, text: &str) -> Message {
    Message::user(text).with_id(id)
}

fn assistant(id: &str, text: &str) -> Message {
    Message::assistant(text).with_id(id)
}

/// Two answered questions, and one that is open.
fn talk() -> Memory {
    let messages = vec![
        user("m1", "one?"),
        assistant("m2", "one."),
        user("m3", "two?"),
        assistant("m4", "two."),
        user("m5", "three?"),
    ];
    reduce(Memory::new(), &Change::Append(messages)).unwrap().memory
}

fn ids(memory: &Memory) -> Vec<&str> {
    memory.messages().map(|message| message.id.as_deref().unwrap()).collect()
}

fn refused(memory: Memory, change: &Change) -> String {
    reduce(memory, change).unwrap_err().to_string()
}

fn back(text: &str) -> Result<Restored> {
    restore(&Field::root(&Json::parse(text).unwrap()))
}

fn not_back(text: &str) -> String {
    back(text).unwrap_err().to_string()
}

#[test]
fn an_append_sent_twice_appends_once() {
    let delta = Change::Append(vec![user("m5", "three?"), assistant("m6", "three.")]);
    let reduced = reduce(talk(), &delta).unwrap();
    assert_eq!(
        to_json(&reduced.ledger).unwrap().to_string(),
        r#"[{"id":"m5","effect":"already_there","position":4},{"id":"m6","effect":"appended","position":5}]"#
    );
    let again = reduce(reduced.memory, &delta).unwrap();
    assert_eq!(ids(&again.memory), ["m1", "m2", "m3", "m4", "m5", "m6"]);
}

#[test]
fn the_open_query_in_the_same_words_is_a_repeat_and_an_answered_one_is_not() {
    let repeat = Change::Append(vec![user("m9", " three?\n")]);
    let reduced = reduce(talk(), &repeat).unwrap();
    assert_eq!(reduced.ledger[0].effect, Effect::Repeat { of: "m5".to_owned() });
    assert_eq!(
        reduced.lints[0].to_string(),
        "repeated_query at `messages[0]`: `m9` repeats the open query `m5`"
    );
    // known as a repeat for good, also once the question was answered
    let answered = reduce(reduced.memory, &Change::Append(vec![assistant("m6", "3")])).unwrap();
    let late = reduce(answered.memory, &repeat).unwrap();
    assert_eq!(late.memory.messages().count(), 6);
    let anew = reduce(late.memory, &Change::Append(vec![user("m10", "three?")])).unwrap();
    assert_eq!(anew.memory.messages().count(), 7);
}

#[test]
fn an_answered_query_is_not_open_again_when_a_later_answer_is_compacted() {
    let mut call = assistant("m6", "I look it up.");
    call.tool_calls = Some(vec![Json::from([("id", "t6")])]);
    let said = Change::Append(vec![call, assistant("m7", "three.")]);
    let memory = reduce(talk(), &said).unwrap().memory;
    let compact = Change::Compact(Compaction::new("c1", ["m5", "m7"], "three"));
    let memory = reduce(memory, &compact).unwrap().memory;
    assert_eq!((ids(&memory), memory.open_query()), (vec!["m1", "m2", "m3", "m4", "m6"], None));
    let anew = reduce(memory, &Change::Append(vec![user("m8", "two?")])).unwrap().memory;
    assert_eq!(anew.open_query().and_then(|message| message.id.as_deref()), Some("m8"));
}

#[test]
fn a_replacement_stays_in_place_and_survives_the_older_version_arriving_again() {
    let newer = Change::Replace(vec![assistant("m2", "One!")]);
    let memory = reduce(talk(), &newer).unwrap().memory;
    let older = Change::Append(vec![assistant("m2", "one.")]);
    let memory = reduce(memory, &older).unwrap().memory;
    assert_eq!(ids(&memory), ["m1", "m2", "m3", "m4", "m5"]);
    assert_eq!(memory.messages().nth(1), Some(&assistant("m2", "One!")));
}

#[test]
fn what_memory_cannot_take_is_refused_at_its_place() {
    let append =
        |message: Message| refused(talk(), &Change::Append(vec![user("m5", "three?"), message]));
    assert_eq!(
        append(Message::user("x")),
        "bad_request at `messages[1].id`: a remembered message must have an id"
    );
    assert_eq!(
        append(user(" ", "x")),
        "bad_request at `messages[1].id`: a remembered message must have an id"
    );
    assert_eq!(
        append(Message::system("x").with_id("m9")),
        "bad_request at `messages[1].role`: a system message is never remembered; a summary goes into \
         `compression__context`"
    );
    assert_eq!(
        append(user("m9", "x").with_extra("internal", true)),
        "bad_request at `messages[1].internal`: an internal message is for one call only"
    );
    assert_eq!(
        append(assistant("m2", "other")),
        "conflict at `messages[1].id`: another message has the id `m2`; to change a remembered message, \
         replace it"
    );
    let replace = |message: Message| refused(talk(), &Change::Replace(vec![message]));
    assert_eq!(
        replace(user("m9", "x")),
        "not_found at `messages[0].id`: no message `m9` to replace"
    );
    assert_eq!(
        replace(user("m2", "x")),
        "bad_request at `messages[0].role`: the message `m2` has the role `assistant` and keeps it"
    );
    let odd = Message::new(Role::Other("ai".into()), "x").with_id("m9");
    let reduced = reduce(talk(), &Change::Append(vec![odd])).unwrap();
    assert_eq!(
        reduced.lints[0].to_string(),
        "unknown_role at `messages[0].role`: unknown role `ai`"
    );
}

#[test]
fn a_compaction_moves_messages_into_the_summary_once() {
    let compact = Change::Compact(Compaction::new("c1", ["m2", "m1"], "one"));
    let reduced = reduce(talk(), &compact).unwrap();
    assert_eq!(ids(&reduced.memory), ["m3", "m4", "m5"]);
    assert_eq!(
        to_json(&reduced.ledger).unwrap().to_string(),
        r#"[{"id":"m1","effect":"left","by":"c1"},{"id":"m2","effect":"left","by":"c1"}]"#
    );
    let again = reduce(reduced.memory, &compact).unwrap();
    assert_eq!(again.ledger[0].effect, Effect::AlreadyCovered { by: "c1".to_owned() });
    let late = reduce(again.memory, &Change::Replace(vec![user("m1", "ONE?")])).unwrap();
    assert_eq!(late.lints[0].code, "replaced_too_late");
    let next = Compaction::new("c2", ["m3", "m4"], "one, two").replacing("c1");
    let memory = reduce(late.memory, &Change::Compact(next)).unwrap().memory;
    assert_eq!(
        to_json(&memory).unwrap().to_string(),
        concat!(
            r#"{"messages":[{"role":"user","content":"three?","id":"m5"}],"compression__context":"one, two","#,
            r#""memory_records":{"compactions":[{"id":"c1","covers":["m1","m2"]},"#,
            r#"{"id":"c2","covers":["m3","m4"],"replaces":"c1"}]}}"#
        )
    );
}

#[test]
fn a_compaction_that_would_lose_something_is_refused() {
    let at_first = |compaction: Compaction| refused(talk(), &Change::Compact(compaction));
    let first = || Compaction::new("c1", ["m1"], "s");
    for (compaction, error) in [
        (
            Compaction::new("c1", ["m1"], " \n"),
            "bad_request at `summary`: the summary must not be blank",
        ),
        (
            Compaction::new("c1", Vec::<String>::new(), "s"),
            "bad_request at `covers`: a compaction must cover at least one message",
        ),
        (
            Compaction::new("c1", ["m1", "m2", "m1"], "s"),
            "bad_request at `covers[2]`: `m1` is covered twice, at `covers[0]` and at `covers[2]`",
        ),
        (
            Compaction::new("c1", ["m1", "m9"], "s"),
            "not_found at `covers[1]`: no message `m9` to cover",
        ),
        (
            Compaction::new("c1", ["m5"], "s"),
            "bad_request at `covers[0]`: `m5` is the open query; it stays until it is answered",
        ),
        (
            Compaction::new("c1", ["m1", "c1"], "s"),
            "bad_request at `covers[1]`: `c1` covers itself",
        ),
        (first().replacing("c1"), "bad_request at `replaces`: `c1` covers itself"),
        (first().replacing("c0"), "not_found at `replaces`: the summary `c0` does not exist"),
        (Compaction::new("m2", ["m1"], "s"), "conflict at `id`: the id `m2` is taken"),
        (Compaction::new("", ["m1"], "s"), "bad_request at `id`: a compaction must have an id"),
    ] {
        assert_eq!(at_first(compaction), error);
    }

    let once = || reduce(talk(), &Change::Compact(first())).unwrap().memory;
    let then = |compaction: Compaction| refused(once(), &Change::Compact(compaction));
    assert_eq!(
        then(Compaction::new("c2", ["m2"], "s")),
        "conflict at `replaces`: the current summary `c1` would be lost; write the new one from it and name \
         it in `replaces`"
    );
    assert_eq!(
        then(Compaction::new("c2", ["m2"], "s").replacing("c0")),
        "conflict at `replaces`: `c0` is not the current summary; expected `c1`"
    );
    assert_eq!(
        then(Compaction::new("c2", ["m1"], "s").replacing("c1")),
        "conflict at `covers[0]`: `c1` covers `m1` already"
    );
    assert_eq!(
        then(Compaction::new("c2", ["c1"], "s").replacing("c1")),
        "bad_request at `covers[0]`: `c1` is a compaction; name it in `replaces`"
    );
    assert_eq!(
        then(Compaction::new("c1", ["m2"], "s")),
        "conflict at `id`: another compaction has the id `c1`"
    );
}

#[test]
fn odd_covers_are_remarked_on() {
    let json = Json::parse(
        r#"{"messages": [{"id": "m1", "role": "user", "content": "?"},
            {"id": "m2", "role": "assistant", "content": null, "tool_calls": [{"id": "t1"}]},
            {"id": "m3", "role": "tool", "content": "r", "tool_call_id": "t1"}]}"#,
    )
    .unwrap();
    let memory = restore(&Field::root(&json)).unwrap().memory;
    let torn = Change::Compact(Compaction::new("c1", ["m2"], "s"));
    let lints = reduce(memory, &torn).unwrap().lints;
    let codes: Vec<_> = lints.iter().map(|lint| lint.code.as_str()).collect();
    assert_eq!(codes, ["covers_with_gap", "call_without_result"]);
}

#[test]
fn a_query_enters_once_and_the_composer_sees_it_once() {
    let first = enter(Memory::new(), user("m1", "why?")).unwrap();
    let again = enter(first.memory, user("m2", "why?")).unwrap();
    assert_eq!(to_json(&again.query).unwrap().to_string(), r#"{"in_checkpoint":"m1"}"#);
    let checkpoint = again.memory.messages().cloned().collect();
    let input = ComposeInput::new(Process::React, "s", again.query).with_checkpoint(checkpoint);
    let composed = compose(&input).unwrap();
    assert_eq!(composed.ledger.entries.iter().filter(|entry| entry.is_query).count(), 1);
    assert_eq!(composed.messages.len(), 2);

    let error = |message: Message| enter(talk(), message).unwrap_err().to_string();
    assert_eq!(
        error(assistant("m9", "x")),
        "bad_request at `role`: a query must have the role `user`"
    );
    assert_eq!(
        error(Message::user("x")),
        "bad_request at `id`: a remembered message must have an id"
    );
    let compact = Change::Compact(Compaction::new("c1", ["m1"], "s"));
    let memory = reduce(talk(), &compact).unwrap().memory;
    assert_eq!(
        enter(memory, user("m1", "one?")).unwrap_err().to_string(),
        "conflict at `id`: the query `m1` was asked before and is covered by the summary of `c1`"
    );
    let known = enter(talk(), user("m5", "three?")).unwrap();
    assert_eq!(known.query, Query::InCheckpoint(Some("m5".to_owned())));
}

#[test]
fn a_checkpoint_of_another_system_comes_back_clean() {
    let restored = back(
        r#"{"goal": "g", "todo__context": "t", "compression__context": "before", "messages": [
            {"id": "s", "role": "system", "content": "private"},
            {"id": "m1", "role": "user", "content": "go"},
            {"role": "user", "content": "do X", "internal": true},
            {"id": "m2", "role": "user", "content": "go "}]}"#,
    )
    .unwrap();
    assert_eq!(ids(&restored.memory), ["m1"]);
    let codes: Vec<_> =
        restored.lints.iter().map(|lint| (lint.code.as_str(), lint.path.to_string())).collect();
    assert_eq!(
        codes,
        [
            ("summary_without_record", "compression__context".to_owned()),
            ("not_memory", "messages[0].role".to_owned()),
            ("not_memory", "messages[2].internal".to_owned()),
            ("repeated_query", "messages[3]".to_owned()),
        ]
    );
    assert_eq!(restored.ledger.len(), 3);
    assert_eq!(restored.memory.rest().keys().collect::<Vec<_>>(), ["goal", "todo__context"]);
    // its summary can be built on
    let answer = Change::Append(vec![assistant("m3", "done")]);
    let memory = reduce(restored.memory, &answer).unwrap().memory;
    let next = Compaction::new("c1", ["m1", "m3"], "all").replacing("compression__context");
    let memory = reduce(memory, &Change::Compact(next)).unwrap().memory;
    let text = to_json(&memory).unwrap().to_string();
    assert_eq!(to_json(&back(&text).unwrap().memory).unwrap().to_string(), text);
}

#[test]
fn equal_neighbours_of_a_kept_checkpoint_both_come_back() {
    let messages = vec![user("m1", "go"), assistant("m2", "went"), user("m3", "go")];
    let memory = reduce(Memory::new(), &Change::Append(messages)).unwrap().memory;
    let compact = Change::Compact(Compaction::new("c1", ["m2"], "it went"));
    let memory = reduce(memory, &compact).unwrap().memory;
    let text = to_json(&memory).unwrap().to_string();
    assert_eq!(ids(&back(&text).unwrap().memory), ["m1", "m3"]);
}

#[test]
fn a_broken_checkpoint_is_refused_at_its_place() {
    for (state, error) in [
        (r#"[]"#, "bad_request: expected an object, found a list"),
        (
            r#"{"messages": [{"role": "user", "content": "x"}]}"#,
            "bad_request at `messages[0].id`: a remembered message must have an id",
        ),
        (
            r#"{"messages": [{"id": "a", "role": "user"}, {"id": "b", "role": "tool"}, {"id": "a", "role": "user"}]}"#,
            "bad_request at `messages[2].id`: the message id `a` occurs twice, at `messages[0].id` and at `messages[2].id`",
        ),
        (
            r#"{"memory_records": {"compactions": [{"id": "c1", "covers": ["a"]}]}}"#,
            "bad_request at `compression__context`: the summary of `c1` is missing; its messages would be lost",
        ),
        (
            r#"{"compression__context": 5}"#,
            "bad_request at `compression__context`: expected a string, found a number",
        ),
    ] {
        assert_eq!(not_back(state), error);
    }
    let records = |records: &str, messages: &str| {
        not_back(&format!(
            r#"{{"compression__context": "s", "memory_records": {records}, "messages": [{messages}]}}"#
        ))
    };
    let message = r#"{"id": "a", "role": "user", "content": "x"}"#;
    for (given, messages, error) in [
        (
            r#"{"compactions": [{"id": "c1", "covers": ["a"]}]}"#,
            message,
            "bad_request at `messages[0].id`: the message `a` is remembered, but `c1` covers it",
        ),
        (
            r#"{"compactions": [{"id": "a", "covers": ["b"]}]}"#,
            message,
            "bad_request at `messages[0].id`: the id `a` belongs to a compaction",
        ),
        (
            r#"{"repeats": [{"id": "a", "of": "b"}]}"#,
            message,
            "bad_request at `messages[0].id`: the message `a` is remembered, but repeats `b`",
        ),
        (
            r#"{"compactions": [{"id": "c1", "covers": ["a"], "replaces": "c2"}, {"id": "c2", "covers": ["b"], "replaces": "c1"}]}"#,
            "",
            "bad_request at `memory_records.compactions[0].replaces`: `c1` includes `c2`, which is not older",
        ),
        (
            r#"{"compactions": [{"id": "c1", "covers": ["a"], "replaces": "c1"}]}"#,
            "",
            "bad_request at `memory_records.compactions[0].replaces`: `c1` includes `c1`, which is not older",
        ),
        (
            r#"{"compactions": [{"id": "c1", "covers": ["a"], "replaces": "c0"}]}"#,
            "",
            "bad_request at `memory_records.compactions[0].replaces`: `c0` was not the summary when `c1` was written",
        ),
        (
            r#"{"compactions": [{"id": "c1", "covers": ["a"]}, {"id": "c2", "covers": ["b"]}]}"#,
            "",
            "bad_request at `memory_records.compactions[1].id`: `c2` must include `c1`; set `replaces`",
        ),
        (
            r#"{"compactions": [{"id": "c1", "covers": ["a"]}, {"id": "c1", "covers": ["b"]}]}"#,
            "",
            "bad_request at `memory_records.compactions[1].id`: the compaction `c1` occurs twice",
        ),
        (
            r#"{"compactions": [{"id": "c1", "covers": ["a"]}, {"id": "c2", "covers": ["a"], "replaces": "c1"}]}"#,
            "",
            "bad_request at `memory_records.compactions[1].covers[0]`: `a` is covered twice, by `c1` and by `c2`",
        ),
        (
            r#"{"compactions": [{"id": "c1", "covers": ["c1"]}]}"#,
            "",
            "bad_request at `memory_records.compactions[0].covers[0]`: `c1` is a compaction, not a message",
        ),
        (
            r#"{"repeats": [{"id": "a", "of": "a"}]}"#,
            "",
            "bad_request at `memory_records.repeats[0].of`: `a` repeats itself",
        ),
        (
            r#"{"repeats": [{"id": "a", "of": "b"}]}"#,
            "",
            "bad_request at `memory_records.repeats`: `a` repeats `b`, which does not exist",
        ),
    ] {
        assert_eq!(records(given, messages), error);
    }
}

#[test]
fn changes_are_read_from_json() {
    let read =
        |text: &str| -> Result<Change> { Change::read(&Field::root(&Json::parse(text).unwrap())) };
    assert_eq!(
        read(r#"{"op": "append", "messages": [{"id": "m1", "role": "user", "content": "x"}]}"#)
            .unwrap(),
        Change::Append(vec![user("m1", "x")])
    );
    assert_eq!(
        read(
            r#"{"op": "compact", "id": "c2", "covers": ["m1"], "replaces": "c1", "summary": "s"}"#
        )
        .unwrap(),
        Change::Compact(Compaction::new("c2", ["m1"], "s").replacing("c1"))
    );
    let error = |text: &str| -> Error { read(text).unwrap_err() };
    assert_eq!(
        error(r#"{"op": "forget"}"#).to_string(),
        "bad_request at `op`: unknown change `forget`; expected one of `append`, `replace`, `compact`, `add_results`, `clear_results`"
    );
    assert_eq!(error(r#"{"op": "append", "transcript": []}"#).path().to_string(), "transcript");
}

#[test]
fn the_lifecycle_table_decides_what_is_written_back() {
    let state = r#"{"messages": [], "compression__context": "s", "todo__context": "old", "team__context": "kept",
        "knowledge__context": "stale", "goal": "g"}"#;
    let memory = back(state).unwrap().memory;
    let contexts = Json::parse(
        r#"{"framework__context": "f", "todo__context": "new", "experience__context": " ", "compression__context": "other"}"#,
    )
    .unwrap();
    let policy = Json::parse(
        r#"{"reproducible": ["todo__context", "team__context", "experience__context"]}"#,
    )
    .unwrap();
    let policy = WritePolicy::read(&Field::root(&policy)).unwrap();
    let written = write_back(&memory, contexts.as_object().unwrap(), &policy).unwrap();
    assert_eq!(
        Json::from(written.state).to_string(),
        r#"{"messages":[],"compression__context":"s","team__context":"kept","goal":"g","todo__context":"new"}"#
    );
    let left: Vec<_> =
        written.left_out.iter().map(|left| (left.from.to_string(), left.rule)).collect();
    assert_eq!(
        left,
        [
            ("todo__context".to_owned(), WriteRule::Overridden),
            ("knowledge__context".to_owned(), WriteRule::RuntimeOnly),
            ("contexts.framework__context".to_owned(), WriteRule::CallOnly),
            ("contexts.experience__context".to_owned(), WriteRule::NotText),
            ("contexts.compression__context".to_owned(), WriteRule::KeptByMemory),
        ]
    );
    assert_eq!(written.lints[0].code, "summary_not_remembered");

    let policy = Json::parse(r#"{"reproducible": ["framework__context"]}"#).unwrap();
    assert_eq!(
        WritePolicy::read(&Field::root(&policy)).unwrap_err().to_string(),
        "bad_request at `reproducible[0]`: `framework__context` is for one call only and cannot be stored"
    );
    let wrong = Json::parse(r#"{"memory": "x"}"#).unwrap();
    let error = write_back(&memory, wrong.as_object().unwrap(), &WritePolicy::new()).unwrap_err();
    assert_eq!(error.path().to_string(), "contexts.memory");
}
