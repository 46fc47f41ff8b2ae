//! Provokes every error code once, and checks its path and message.

use tuckbox::agents::Setup;
use tuckbox::store::{Agent, Answers, Kind, MemoryStore, Profile, Reads, Snapshot, Store};
use tuckbox::{Code, Env, Error, Json, Result, Rule, Step, Timestamp, cards, rule};

fn env(seed: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [seed; 32])
}

fn store() -> MemoryStore {
    let mut store = MemoryStore::new();
    let tables = store.project("p1");
    tables.add_profile(Profile::new("Writer", "pb_writer")).add_box("b1", ["c1"]);
    tables.add_agent(Agent::new("agent_a", "pb_writer"));
    store
}

/// Runs a call on a store, and commits it.
fn run(store: &mut MemoryStore, call: &str, seed: u8) -> Result<Json> {
    let call = Setup::default().read_call(&Json::parse(call)?)?;
    let mut snapshot = Snapshot::new("p1".into());
    loop {
        match call.step(&snapshot, &env(seed))? {
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
            Step::Done(outcome) => {
                store.commit(&outcome.writes)?;
                return outcome.value.to_json();
            }
        }
    }
}

fn refused(call: &str) -> Error {
    run(&mut store(), call, 1).unwrap_err()
}

const PACK: &str = r#"{"op": "pack_context", "tool_suffix": "t", "source_agent_id": "agent_a",
    "arguments": ARGUMENTS, "handover": {"context_packing_config": {
        "pack_arguments": [{"arg_key": "instruction"}, {"arg_key": "rf", "as_card_type": "task.result_fields"}],
        "inherit_context": {"include_boxes_from_args": ["boxes"]}}}}"#;

fn pack(arguments: &str) -> Error {
    refused(&PACK.replace("ARGUMENTS", arguments))
}

fn shown(error: &Error) -> (Code, String, &str) {
    (error.code(), error.path().to_string(), error.message())
}

#[test]
fn the_error_codes_are_complete() {
    let codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(
        codes,
        [
            "bad_request",
            "not_found",
            "invalid_content",
            "auth_failed",
            "conflict",
            "limit",
            "store"
        ]
    );
}

#[test]
fn bad_request_names_the_argument() {
    assert_eq!(
        shown(&pack(r#"{"profile_name": "Writer", "boxes": {"a": 1}}"#)),
        (
            Code::BadRequest,
            "arguments.boxes".into(),
            "expected a box id or a list of box ids, found an object"
        )
    );
    assert_eq!(
        shown(&refused(r#"{"op": "append_to_box", "box_id": "b1", "card_ids": ["c", 5]}"#)),
        (Code::BadRequest, "card_ids[1]".into(), "expected a string, found a number")
    );
    assert_eq!(refused(r#"{"op": "pack_contxt"}"#).path().to_string(), "op");
    assert_eq!(refused(r#"["op"]"#).code(), Code::BadRequest);
}

#[test]
fn not_found_names_the_missing_item() {
    assert_eq!(
        shown(&pack(r#"{"profile_name": "Writer", "boxes": ["b1", "b9"]}"#)),
        (Code::NotFound, "arguments.boxes[1]".into(), "no box `b9` in project `p1`")
    );
    assert_eq!(
        shown(&pack(r#"{"profile_name": "Nobody"}"#)),
        (Code::NotFound, "arguments.profile_name".into(), "no profile `Nobody` in project `p1`")
    );
}

#[test]
fn invalid_content_names_the_place_inside_the_card() {
    let error =
        pack(r#"{"profile_name": "Writer", "rf": [{"name": "ok"}, {"name": "x", "type": "int"}]}"#);
    assert_eq!(error.code(), Code::InvalidContent);
    assert_eq!(error.path().to_string(), "arguments.rf[1].type");
    let error = refused(
        r#"{"op": "put_cards", "cards": [{"type": "t", "author_id": "a", "metadata": {},
            "content": {"__type__": "Nope"}}]}"#,
    );
    assert_eq!(
        (error.code(), error.path().to_string().as_str()),
        (Code::InvalidContent, "cards[0].content.__type__")
    );
}

#[test]
fn a_card_cannot_be_changed() {
    let mut store = store();
    let put = |text: &str| {
        format!(
            r#"{{"op": "put_cards", "cards": [{{"card_id": "c9", "type": "task.note", "author_id": "a",
                "metadata": {{}}, "content": {{"__type__": "TextContent", "text": "{text}"}}}}]}}"#
        )
    };
    run(&mut store, &put("one"), 1).unwrap();
    run(&mut store, &put("one"), 2).unwrap();
    let error = run(&mut store, &put("two"), 3).unwrap_err();
    assert_eq!((error.code(), error.path().to_string().as_str()), (Code::Conflict, "cards[0]"));
    assert_eq!(store.tables("p1").unwrap().cards().count(), 1);
}

#[test]
fn limit_stops_deep_and_large_content_before_it_is_made() {
    let deep = format!("{}{}", "[".repeat(140), "]".repeat(140));
    let error = pack(&format!(r#"{{"profile_name": "Writer", "instruction": {deep}}}"#));
    assert_eq!(error.code(), Code::Limit);
    assert!(error.path().to_string().starts_with("arguments.instruction"), "{error}");
    let large = "x".repeat(1 << 20);
    let error = pack(&format!(r#"{{"profile_name": "Writer", "instruction": "{large}"}}"#));
    assert_eq!(error.code(), Code::Limit);
    // ten bytes of input that become 100 kB each
    let wide = vec!["1e100000"; 50].join(",");
    let error = pack(&format!(r#"{{"profile_name": "Writer", "instruction": [{wide}]}}"#));
    assert_eq!(error.code(), Code::Limit);
}

#[test]
fn limit_stops_a_rule_that_reads_forever() {
    struct ReadsForever;
    impl Rule for ReadsForever {
        type Value = ();
        fn step(&self, snapshot: &Snapshot, _: &Env) -> Result<Step<tuckbox::Outcome<()>>> {
            let mut reads = Reads::new(snapshot.project_id().clone());
            reads.add(Kind::Boxes, "b1");
            Ok(Step::Need(reads))
        }
    }
    let error = rule::preview(&ReadsForever, &mut Snapshot::new("p1".into()), &env(1), &store())
        .unwrap_err();
    assert_eq!(error.code(), Code::Limit);
}

fn reads() -> Reads {
    let mut reads = Reads::new("p1".into());
    reads.add(Kind::Boxes, "b1").add(Kind::Boxes, "b2");
    reads
}

#[test]
fn invalid_answers_of_a_store_are_store_errors() {
    for (answers, path) in [
        (r#"[]"#, "answers"),
        (r#"{"boxes": {}}"#, "answers.boxes"),
        (r#"{"boxes": [null]}"#, "answers.boxes[0]"),
        (r#"{"boxes": [{"box_id": 1, "card_ids": []}]}"#, "answers.boxes[0].box_id"),
        (r#"{"boxes": [{"card_ids": []}]}"#, "answers.boxes[0].box_id"),
        (r#"{"boxes": [{"box_id": "b1", "tenant_id": "p2"}]}"#, "answers.boxes[0]"),
        (r#"{"missing_boxes": [1]}"#, "answers.missing_boxes[0]"),
        (
            r#"{"failed": [{"kind": "boxen", "key": "b1", "message": "m"}]}"#,
            "answers.failed[0].kind",
        ),
        (r#"{"missing_boxes": ["b1"]}"#, "answers.boxes"),
        (r#"{"missing_boxes": ["b1", "b2", "b3"]}"#, "answers.boxes"),
        (r#"{"missing_boxes": ["b1", "b2", "b1"]}"#, "answers.boxes"),
        (r#"{"missing_boxes": ["b1", "b2"], "boxes": [{"box_id": "b1"}]}"#, "answers.boxes"),
    ] {
        let mut snapshot = Snapshot::new("p1".into());
        let error = Answers::from_json(&Json::parse(answers).unwrap(), &reads())
            .and_then(|answers| snapshot.absorb(&reads(), answers))
            .unwrap_err();
        assert_eq!(
            (error.code(), error.path().to_string().as_str()),
            (Code::Store, path),
            "{answers}"
        );
        assert!(
            !snapshot.has_read(Kind::Boxes, "b1"),
            "the snapshot absorbed invalid answers: {answers}"
        );
    }
}

#[test]
fn a_failed_lookup_fails_the_call_that_needs_it() {
    let mut snapshot = Snapshot::new("p1".into());
    let answers =
        Answers::new().missing(Kind::Boxes, "b2").failed(Kind::Boxes, "b1", "disk is on fire");
    snapshot.absorb(&reads(), answers).unwrap();
    let call = cards::GetBoxes::new(["b1".into()]);
    let error = call.step(&snapshot, &env(1)).unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::Store, "disk is on fire"));
    assert!(cards::GetBoxes::new(["b2".into()]).step(&snapshot, &env(1)).is_ok());
}

#[test]
fn an_error_keeps_all_fields_as_json() {
    let error = pack(r#"{"profile_name": "Writer", "boxes": "b9"}"#);
    assert_eq!(
        error.to_json().to_string(),
        r#"{"code":"not_found","path":"arguments.boxes","message":"no box `b9` in project `p1`","details":{"box_id":"b9"}}"#
    );
}
