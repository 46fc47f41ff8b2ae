//! The rows that a workspace keeps between calls, and when it reads them again.

use tuckbox::call::workspace::Run;
use tuckbox::call::{Part, Parts, parts};
use tuckbox::store::decide::touched;
use tuckbox::store::table::HEADS;
use tuckbox::store::{Answers, Kind, Lookup, Reads, Receipt, Snapshot, Writes};
use tuckbox::{Code, Env, Json, Result, Timestamp, Workspace, json};

fn env() -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32])
}

/// Answers any reads. The box has the given version, or is missing. Everything else is missing.
fn answer(reads: &Reads, version: Option<u64>) -> Json {
    let box_id = reads.of(Kind::Boxes).next();
    let row = |version| json!({"box_id": "b", "card_ids": ["c"], "version": version});
    let mut answers = match (box_id, version) {
        (None, _) => json!({}),
        (Some(_), Some(version)) => json!({"boxes": [(row(version))]}),
        (Some(_), None) => json!({"missing_boxes": ["b"]}),
    };
    if let Json::Object(answers) = &mut answers {
        let rows =
            reads.rows().map(|row| json!({"table": (row.table.name), "key": (row.key.clone())}));
        answers.insert("missing_rows".into(), rows.collect());
        let lists = reads.lists().map(|list| {
            json!({"table": (list.table.name), "index": (list.index.name), "of": (list.of.clone()),
                "limit": (list.limit as u64), "rows": []})
        });
        answers.insert("lists".into(), lists.collect());
    }
    answers
}

/// Runs a call against a store that has the box at `version`. Returns how often the call read the
/// box, and its result.
fn finish(workspace: &mut Workspace, run: &mut Run, version: Option<u64>) -> (usize, Result<()>) {
    let mut asked = 0;
    loop {
        match workspace.step(run) {
            Err(error) => return (asked, Err(error)),
            Ok(None) => return (asked, Ok(())),
            Ok(Some(reads)) => {
                asked += reads.of(Kind::Boxes).count();
                let answers = answer(reads, version);
                workspace.answer(run, &answers).unwrap();
            }
        }
    }
}

fn drive(workspace: &mut Workspace, call: &Json, version: Option<u64>) -> (usize, Result<()>) {
    let mut run = workspace.begin(call.clone(), env()).unwrap();
    finish(workspace, &mut run, version)
}

#[test]
fn an_error_on_cached_rows_is_checked_again_on_fresh_rows() {
    let append = json!({"op": "append_to_box", "box_id": "b", "card_ids": ["d"]});
    let create = json!({"op": "create_box", "box_id": "b", "card_ids": []});
    for (now, code) in [(None, None), (Some(3), Some(Code::Conflict))] {
        let mut workspace = Workspace::new("p1".into());
        assert_eq!(drive(&mut workspace, &append, Some(3)).0, 1);
        // the workspace has the box in its cache; only a fresh read shows whether it still exists
        let (asked, ended) = drive(&mut workspace, &create, now);
        assert_eq!((asked, ended.err().map(|error| error.code())), (1, code));
    }
}

#[test]
fn rows_of_a_refused_batch_are_read_again_and_old_answers_are_ignored() {
    let append = json!({"op": "append_to_box", "box_id": "b", "card_ids": ["d"]});
    let mut workspace = Workspace::new("p1".into());
    assert_eq!(drive(&mut workspace, &append, Some(3)).0, 1);
    assert_eq!(drive(&mut workspace, &append, Some(4)).0, 0, "resident");

    let mut run = workspace.begin(append.clone(), env()).unwrap();
    assert_eq!(finish(&mut workspace, &mut run, Some(4)).0, 0);
    assert!(workspace.step(&mut run).unwrap().is_none(), "the finished run continues");
    workspace.refused(&run).unwrap();
    let mut slow = workspace.begin(append.clone(), env()).unwrap();
    let reads = workspace.step(&mut slow).unwrap().unwrap().clone();
    assert_eq!(reads.of(Kind::Boxes).collect::<Vec<_>>(), ["b"]);
    workspace.refresh();
    workspace.answer(&mut slow, &answer(&reads, Some(3))).unwrap();
    assert_eq!(finish(&mut workspace, &mut slow, Some(4)).0, 1, "the run must read again");
    let error = workspace.answer(&mut run, &json!({})).unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        (Code::Store, "unexpected answers: the call has no pending reads")
    );
}

/// A batch that touches a box, a card, a file and a row.
fn batch() -> Writes {
    Writes::from_json(&json!({"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z",
        "delete_cards": ["c"], "files": [{"path": "a.txt", "text": "x"}],
        "boxes": [{"change": "append", "box_id": "b", "card_ids": ["d"], "version": 3}],
        "rows": [{"table": "heads", "key": ["a1"], "version": "op_0", "row": {"agent_id": "a1", "status": "running"}}]}))
    .unwrap()
}

#[test]
fn rows_of_a_repeated_operation_are_read_again() {
    let writes = batch();
    let reads = touched(&writes);
    let there = json!({"missing_files": ["a.txt"], "boxes": [{"box_id": "b", "card_ids": ["c"], "version": 3}],
        "cards": [{"card_id": "c", "content": {"__type__": "TextContent", "text": "x"}}],
        "rows": [{"table": "heads", "key": ["a1"], "version": "op_0", "row": {"agent_id": "a1", "status": "idle"}}]});
    let receipt = |repeated: bool| {
        let receipt = json!({"operation_id": "op_1", "repeated": repeated, "boxes": [{"box_id": "b", "version": 4}]});
        Receipt::from_json(&receipt, &writes).unwrap()
    };
    let after = |repeated: bool| {
        let mut snapshot = Snapshot::new("p1".into());
        snapshot.absorb(&reads, Answers::from_json(&there, &reads).unwrap()).unwrap();
        snapshot.committed(&writes, &receipt(repeated));
        snapshot
    };
    let applied = after(false);
    assert!(
        matches!(applied.row(&HEADS, &["a1"]), Lookup::Present(row) if row.text("status") == Some("running"))
    );
    assert!(matches!(applied.card("c"), Lookup::Present(card) if card.deleted_at.is_some()));
    assert!(matches!(applied.card_box("b"), Lookup::Present(found) if found.version == 4));
    // the operation was applied earlier, so its rows can have changed since
    let repeated = after(true);
    assert_eq!(repeated.row(&HEADS, &["a1"]), Lookup::NotRead);
    assert_eq!(repeated.card("c"), Lookup::NotRead);
    assert_eq!(repeated.card_box("b"), Lookup::NotRead);
    assert_eq!(repeated.file("a.txt"), Lookup::NotRead);
}

#[test]
fn a_call_needs_the_parts_of_all_nested_calls() {
    let setup = Default::default();
    let named =
        |parts: Parts| parts.beyond(Parts::CORE).map(Part::as_str).collect::<Vec<_>>().join(" ");
    let inside = |call: Json| named(parts(&call, &setup));
    assert_eq!(inside(json!({"op": "get_cards", "card_ids": []})), "");
    assert_eq!(
        inside(json!({"op": "nothing", "calls": [{"op": "turn_view"}, {"op": "handoff_plan"}, 7]})),
        inside(json!([{"op": "handoff_plan"}, {"op": "turn_view"}]))
    );
    // an inspection of a turn needs the parts of the turn
    let looked = inside(json!({"op": "inspect", "turn": {}}));
    assert!(looked.split(' ').any(|part| part == Part::Agents.as_str()), "{looked}");
    assert_eq!(named(Parts::of_settings(&json!({"recipes": null}))), "");
    assert_eq!(named(Parts::of_settings(&json!({"recipes": []}))), Part::Agents.as_str());
    let known = Parts::CORE.and_named([Part::Agents.as_str(), "attic"]);
    assert_eq!(named(known), Part::Agents.as_str());
    assert_eq!(known.beyond(known).count(), 0);
}
