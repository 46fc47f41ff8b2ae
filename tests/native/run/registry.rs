//! Operations set up a whole project: profiles, agents, tools, turns, boxes and the audit record.
use tuckbox::agents::Setup;
use tuckbox::rule::Step;
use tuckbox::store::{Answers, MemoryStore, Snapshot, Store};
use tuckbox::value::env::Env;
use tuckbox::value::time::Timestamp;
use tuckbox::{Code, Error, Json, Result};

/// A store and calls on it. Each call starts without cached rows, and commits.
struct Project {
    store: MemoryStore,
    calls: u8,
}

impl Project {
    fn new() -> Self {
        let mut store = MemoryStore::new();
        store.project("p1").add_box("pb", []).add_box("notes", ["c1", "c2"]).add_box("out", []);
        Self { store, calls: 0 }
    }

    fn preview(&mut self, call: &str) -> Result<(Json, tuckbox::store::Writes)> {
        self.calls += 1;
        let call = Setup::default().read_call(&Json::parse(call).unwrap())?;
        let env = Env { now: Timestamp::from_millis(1_767_522_600_000), entropy: [self.calls; 32] };
        let mut snapshot = Snapshot::new("p1".into());
        loop {
            match call.step(&snapshot, &env)? {
                Step::Need(reads) => snapshot.absorb(&reads, self.store.read(&reads)?)?,
                Step::Done(done) => {
                    return Ok((Json::parse(&done.value.to_text()?).unwrap(), done.writes));
                }
            }
        }
    }

    fn call(&mut self, call: &str) -> Result<Json> {
        let (value, writes) = self.preview(call)?;
        self.store.commit(&writes)?;
        Ok(value)
    }

    fn refused(&mut self, call: &str) -> Error {
        let before = format!("{:?}", self.store.tables("p1"));
        let error = self.call(call).unwrap_err();
        assert_eq!(
            format!("{:?}", self.store.tables("p1")),
            before,
            "a refused call wrote rows: {call}"
        );
        error
    }
}

fn text<'a>(json: &'a Json, path: &[&str]) -> &'a str {
    path.iter().try_fold(json, |json, key| json.get(key)).and_then(Json::as_str).unwrap()
}

fn started() -> Project {
    let mut project = Project::new();
    project
        .call(
            r#"{"op": "register_profile", "name": "Writer", "profile_box_id": "pb",
                "tags": ["text"], "delegation_policy": {"target_profiles": ["Writer"]}}"#,
        )
        .unwrap();
    project
        .call(r#"{"op": "register_agent", "agent_id": "ann", "profile_name": "WRITER"}"#)
        .unwrap();
    project
}

#[test]
fn profiles_agents_and_tools_are_registered_changed_listed_and_removed() {
    let mut project = started();
    let agents = project.call(r#"{"op": "list_agents"}"#).unwrap();
    assert_eq!(
        text(&agents.get("rows").unwrap().as_array().unwrap()[0], &["profile_box_id"]),
        "pb"
    );
    project.call(r#"{"op": "update_agent", "agent_id": "ann", "display_name": "Ann"}"#).unwrap();
    let agents = project.call(r#"{"op": "list_agents", "profile_box_id": "pb"}"#).unwrap();
    let [ann] = agents.get("rows").unwrap().as_array().unwrap() else { panic!("{agents}") };
    assert_eq!([text(ann, &["display_name"]), text(ann, &["status"])], ["Ann", "active"]);
    project.call(r#"{"op": "register_tool", "tool_name": "search", "parameters": {}}"#).unwrap();
    project.call(r#"{"op": "remove_tool", "tool_name": "search"}"#).unwrap();
    project.call(r#"{"op": "remove_agent", "agent_id": "ann"}"#).unwrap();
    assert_eq!(project.call(r#"{"op": "list_agents"}"#).unwrap().to_string(), r#"{"rows":[]}"#);
}

#[test]
fn every_error_has_a_path_and_writes_nothing() {
    let mut project = started();
    for (call, code, path) in [
        (
            r#"{"op": "register_agent", "agent_id": "bob", "profile_name": "Nobody"}"#,
            Code::NotFound,
            "profile_name",
        ),
        (
            r#"{"op": "register_agent", "agent_id": "bob", "profile_box_id": "notes"}"#,
            Code::NotFound,
            "profile_box_id",
        ),
        (r#"{"op": "register_agent", "agent_id": "bob"}"#, Code::BadRequest, "profile_box_id"),
        (
            r#"{"op": "register_agent", "agent_id": " ", "profile_name": "Writer"}"#,
            Code::BadRequest,
            "agent_id",
        ),
        (
            r#"{"op": "register_agent", "agent_id": "ann", "profile_name": "Writer"}"#,
            Code::Conflict,
            "agent_id",
        ),
        (
            r#"{"op": "register_agent", "agent_id": "bob", "profile_name": "Writer", "colour": 1}"#,
            Code::BadRequest,
            "colour",
        ),
        (
            r#"{"op": "register_agent", "agent_id": "bob", "profile_name": "Writer", "tags": "x"}"#,
            Code::BadRequest,
            "tags",
        ),
        (
            r#"{"op": "register_profile", "name": "Editor", "profile_box_id": "none"}"#,
            Code::NotFound,
            "profile_box_id",
        ),
        (
            r#"{"op": "register_profile", "name": "WRITER", "profile_box_id": "pb"}"#,
            Code::Conflict,
            "name",
        ),
        (r#"{"op": "update_profile", "name": "Editor"}"#, Code::NotFound, "name"),
        (r#"{"op": "remove_tool", "tool_name": "search"}"#, Code::NotFound, "tool_name"),
        (
            r#"{"op": "move_pointers", "agent_id": "ann", "context_box_id": "none"}"#,
            Code::NotFound,
            "context_box_id",
        ),
        (
            r#"{"op": "move_pointers", "agent_id": "bob", "context_box_id": "notes"}"#,
            Code::NotFound,
            "agent_id",
        ),
        (
            r#"{"op": "move_pointers", "agent_id": "ann", "context_box_id": "notes", "expected": {"turn_epoch": 4}}"#,
            Code::Conflict,
            "expected.turn_epoch",
        ),
        (
            r#"{"op": "append_output", "agent_id": "ann", "card_ids": []}"#,
            Code::BadRequest,
            "agent_id",
        ),
        (r#"{"op": "list_audit", "box_id": "a", "agent_id": "b"}"#, Code::BadRequest, "agent_id"),
        (r#"{"op": "list_agents", "limit": 99999}"#, Code::Limit, "limit"),
    ] {
        let error = project.refused(call);
        assert_eq!(
            (error.code(), error.path().to_string().as_str()),
            (code, path),
            "{call}: {error}"
        );
    }
}

#[test]
fn pointers_and_output_change_only_if_they_match_the_state_that_was_read() {
    let mut project = started();
    let (_, early) = project
        .preview(r#"{"op": "move_pointers", "agent_id": "ann", "output_box_id": "notes"}"#)
        .unwrap();
    let moved = project
        .call(
            r#"{"op": "move_pointers", "agent_id": "ann", "context_box_id": "notes",
                "last_output_box_id": "out", "expected": {"status": "idle", "context_box_id": null}}"#,
        )
        .unwrap();
    assert_eq!(text(&moved, &["head", "context_box_id"]), "notes");
    assert_eq!(text(&moved, &["pointers", "last_output_box_id"]), "out");
    assert_eq!(project.store.commit(&early).unwrap_err().code(), Code::Conflict);
    let card = r#"{"op": "put_cards", "cards": [{"card_id": "new", "type": "note", "author_id": "ann",
        "content": {"__type__": "TextContent", "text": "x"}}]}"#;
    project.call(card).unwrap();
    project.call(r#"{"op": "append_output", "agent_id": "ann", "card_ids": ["new"]}"#).unwrap();
    let out = project.call(r#"{"op": "get_boxes", "box_ids": ["out"]}"#).unwrap();
    assert!(out.to_string().contains(r#""card_ids":["new"]"#));
    assert_eq!(
        project
            .refused(r#"{"op": "append_output", "agent_id": "ann", "card_ids": ["none"]}"#)
            .code(),
        Code::NotFound
    );
}

#[test]
fn a_packed_box_has_parents_and_a_stored_audit_row() {
    let mut project = started();
    let handed = project
        .call(
            r#"{"op": "delegate_async", "source_agent_id": "ann", "tool_suffix": "t", "arguments":
                {"target_strategy": "new", "target_ref": "Writer", "instruction": "Go.", "context_box_id": "out"}}"#,
        );
    // this dialect lets the sender pass on any box of the project
    let handed = handed.unwrap();
    let box_id = text(&handed, &["dispatch", "context_box_id"]);
    let call = format!(r#"{{"op": "get_boxes", "box_ids": ["{box_id}"]}}"#);
    let boxes = project.call(&call).unwrap();
    assert!(boxes.to_string().contains(r#""parent_ids":["out"]"#), "{boxes}");
    for selection in [format!(r#""box_id": "{box_id}""#), r#""agent_id": "ann""#.to_owned()] {
        let audit = project.call(&format!(r#"{{"op": "list_audit", {selection}}}"#)).unwrap();
        let [row] = audit.get("rows").unwrap().as_array().unwrap() else { panic!("{audit}") };
        assert_eq!([text(row, &["action"]), text(row, &["actor_id"])], ["delegate_async", "ann"]);
        assert_eq!(text(row, &["data", "dialect"]), "current");
    }
    assert_eq!(
        project.call(r#"{"op": "list_audit", "agent_id": "bob"}"#).unwrap().to_string(),
        r#"{"rows":[]}"#
    );
}

#[test]
fn an_audit_row_of_another_project_is_not_listed_and_is_refused_in_answers() {
    let mut project = started();
    let delegate = r#"{"op": "delegate_async", "source_agent_id": "ann", "arguments":
        {"target_strategy": "new", "target_ref": "Writer", "instruction": "Go."}}"#;
    project.call(delegate).unwrap();
    let call = Json::parse(r#"{"op": "list_audit", "agent_id": "ann"}"#).unwrap();
    let call = Setup::default().read_call(&call).unwrap();
    let env = Env { now: Timestamp::from_millis(0), entropy: [1; 32] };
    let mut elsewhere = Snapshot::new("p2".into());
    let Step::Need(reads) = call.step(&elsewhere, &env).unwrap() else {
        panic!("the call does not read")
    };
    elsewhere.absorb(&reads, project.store.read(&reads).unwrap()).unwrap();
    let Step::Done(listed) = call.step(&elsewhere, &env).unwrap() else {
        panic!("the call reads twice")
    };
    assert_eq!(listed.value.to_text().unwrap(), r#"{"rows":[]}"#);
    // the answer of a store has a row of another project
    let mixed = r#"{"lists": [{"table": "audit", "index": "by_actor", "of": ["ann"], "limit": 100,
        "rows": [{"key": ["a1"], "version": "v", "row": {"audit_id": "a1", "project_id": "p1"}}]}]}"#;
    let error = Answers::from_json(&Json::parse(mixed).unwrap(), &reads).unwrap_err();
    assert_eq!(
        (error.code(), error.path().to_string().as_str()),
        (Code::Store, "answers.lists[0].rows[0].row")
    );
}

#[test]
fn a_workspace_sees_its_own_changes_to_the_registry_and_pointers() {
    let mut project = started();
    let mut snapshot = Snapshot::new("p1".into());
    let env = Env { now: Timestamp::from_millis(1_767_522_600_000), entropy: [99; 32] };
    let mut run = |call: &str, entropy: u8| -> Result<Json> {
        let call = Setup::default().read_call(&Json::parse(call).unwrap())?;
        let env = Env { entropy: [entropy; 32], ..env };
        loop {
            match call.step(&snapshot, &env)? {
                Step::Need(reads) => snapshot.absorb(&reads, project.store.read(&reads)?)?,
                Step::Done(done) => {
                    let receipt = project.store.commit(&done.writes)?;
                    snapshot.committed(&done.writes, &receipt);
                    return Ok(Json::parse(&done.value.to_text()?).unwrap());
                }
            }
        }
    };
    let output = r#"{"op": "append_output", "agent_id": "ann", "card_ids": []}"#;
    assert_eq!(run(output, 101).unwrap_err().code(), Code::BadRequest);
    run(r#"{"op": "move_pointers", "agent_id": "ann", "last_output_box_id": "out"}"#, 102).unwrap();
    run(output, 103).unwrap();
    run(r#"{"op": "move_pointers", "agent_id": "ann", "last_output_box_id": "notes"}"#, 104)
        .unwrap();
    let appended = run(output, 105).unwrap();
    assert_eq!(text(&appended, &["output_box_id"]), "notes");
    // two profiles share a box: a reference to the box selects the first by name
    run(r#"{"op": "register_profile", "name": "Xavier", "profile_box_id": "pb"}"#, 110).unwrap();
    for (agent, entropy) in [("bob", 111), ("cleo", 112)] {
        let agent =
            format!(r#"{{"op": "register_agent", "agent_id": "{agent}", "profile_box_id": "pb"}}"#);
        run(&agent, entropy).unwrap();
    }
    run(r#"{"op": "register_profile", "name": "Author", "profile_box_id": "pb"}"#, 113).unwrap();
    let dan = r#"{"op": "register_agent", "agent_id": "dan", "profile_box_id": "pb"}"#;
    run(dan, 114).unwrap();
    run(r#"{"op": "remove_agent", "agent_id": "ann"}"#, 106).unwrap();
    assert_eq!(run(output, 107).unwrap_err().code(), Code::NotFound);
    run(r#"{"op": "remove_profile", "name": "writer"}"#, 108).unwrap();
    let again = r#"{"op": "register_agent", "agent_id": "ann", "profile_name": "Writer"}"#;
    assert_eq!(run(again, 109).unwrap_err().code(), Code::NotFound);
}

#[test]
fn profile_names_match_in_any_unicode_case() {
    let mut project = Project::new();
    for (at, (name, other)) in
        [("AΣ", "aς"), ("Écrivain", "éCRIVAIN"), ("İ", "i\u{307}")].iter().enumerate()
    {
        let call =
            format!(r#"{{"op": "register_profile", "name": "{name}", "profile_box_id": "pb"}}"#);
        project.call(&call).unwrap();
        let call = format!(r#"{{"op": "update_profile", "name": "{other}", "tags": ["{at}"]}}"#);
        project.call(&call).unwrap();
    }
}
