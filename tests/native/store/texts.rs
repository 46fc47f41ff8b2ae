//! Commits of JSON text, which stores in other languages use, and lists of a snapshot after a
//! commit.

use tuckbox::store::decide::{decide_text, touched_text};
use tuckbox::store::table::HEADS;
use tuckbox::store::{
    Answers, Before, Expectation, Kind, List, Lookup, Reads, Receipt, RowChange, RowKey, Snapshot,
    Writes,
};
use tuckbox::{Code, Json, Timestamp, json};

fn with(base: &Json, key: &str, value: Json) -> Json {
    let mut members = base.as_object().unwrap().clone();
    members.insert(key.into(), value);
    Json::Object(members)
}

fn batch(key: &str, value: Json) -> Json {
    let base = json!({"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z"});
    with(&base, key, value)
}

fn card(card_id: &str, text: &str) -> Json {
    json!({"card_id": card_id, "content": {"__type__": "TextContent", "text": text},
        "metadata": {"type": "task.instruction", "role": "user"}})
}

/// Returns the puts of a batch, each as JSON text.
fn puts(batch: &Json, rows: &Json) -> Vec<String> {
    let text = decide_text(batch.to_string().as_bytes(), rows.to_string().as_bytes()).unwrap();
    let decided = Json::parse(&text).unwrap();
    decided.get("puts").unwrap().as_array().unwrap().iter().map(Json::to_string).collect()
}

#[test]
fn every_change_of_a_batch_is_a_put() {
    let there = |box_id: &str| json!({"box_id": box_id, "card_ids": ["c1"], "version": 3});
    let head = json!({"agent_id": "a1", "status": "idle"});
    for (name, changes, rows, expected) in [
        // a card that is created and deleted in one batch is put as deleted
        (
            "cards",
            json!({"cards": [(card("c2", "two"))], "delete_cards": ["c1", "c2", "gone"]}),
            json!({"cards": [(card("c1", "one"))], "missing_cards": ["c2", "gone"]}),
            vec![
                r#""key":["c2"],"row":{"card_id":"c2""#,
                r#""key":["c1"],"set":{"deleted_at":"2026-01-01T00:00:00"#,
            ],
        ),
        (
            "cards",
            json!({"cards": [(card("c2", "two"))], "delete_cards": ["c1"], "erase_cards": ["c1", "c2", "gone"]}),
            json!({"cards": [(card("c1", "one"))], "missing_cards": ["c2", "gone"]}),
            vec![r#""key":["c2"],"row":{"card_id":"c2""#, r#""key":["c1"],"row":{"card_id":"c1""#],
        ),
        (
            "files",
            json!({"files": [{"path": "a.txt", "text": "new"}, {"path": "b.txt", "text": "same"}]}),
            json!({"files": [{"path": "b.txt", "text": "same"}], "missing_files": ["a.txt"]}),
            vec![r#""key":["a.txt"],"row":{"path":"a.txt","text":"new"}"#],
        ),
        (
            "agents",
            json!({"agents": [{"agent_id": "a1"}], "expects": [{"table": "agents", "key": ["a1"], "version": null}]}),
            json!({"missing_agents": ["a1"]}),
            vec![r#""key":["a1"],"row":{"agent_id":"a1","in_roster":true,"profile_box_id":null"#],
        ),
        (
            "boxes",
            json!({"boxes": [
                {"change": "create", "box": {"box_id": "b0", "card_ids": ["c1"], "version": 1}},
                {"change": "append", "box_id": "b1", "card_ids": ["c2"]},
                {"change": "append", "box_id": "b1", "card_ids": ["c3"]},
                {"change": "replace", "box_id": "b2", "card_ids": [], "version": 3},
                {"change": "delete", "box_id": "b3", "version": 3}]}),
            json!({"boxes": [(there("b1")), (there("b2")), (there("b3"))], "missing_boxes": ["b0"]}),
            vec![
                r#""key":["b0"],"row":{"box_id":"b0","card_ids":["c1"]"#,
                r#""key":["b1"],"set":{"card_ids":["c1","c2","c3"],"version":5}"#,
                r#""key":["b2"],"set":{"card_ids":[],"version":4}"#,
                r#""key":["b3"],"set":{"version":4,"deleted_at":"2026-01-01T00:00:00"#,
            ],
        ),
        (
            "rows",
            json!({"rows": [
                {"table": "heads", "key": ["a1"], "version": "op_0", "row": (head.clone())},
                {"table": "heads", "key": ["a2"], "version": null, "row": {"agent_id": "a2"}},
                {"table": "heads", "key": ["a3"], "row": null}]}),
            json!({"rows": [{"table": "heads", "key": ["a1"], "version": "op_0", "row": (head)}],
                "missing_rows": [{"table": "heads", "key": ["a2"]}, {"table": "heads", "key": ["a3"]}]}),
            vec![
                r#""key":["a1"],"row":{"agent_id":"a1","status":"idle"},"version":"op_1""#,
                r#""key":["a2"],"row":{"agent_id":"a2"},"version":"op_1""#,
                r#""key":["a3"],"row":null,"version":"op_1""#,
            ],
        ),
    ] {
        let mut whole = batch("cards", json!([]));
        for (key, value) in changes.as_object().unwrap() {
            whole = with(&whole, key, value.clone());
        }
        let found = puts(&whole, &rows);
        assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
        for (put, expected) in found.iter().zip(expected) {
            let table = if name == "rows" { "heads" } else { name };
            assert!(put.starts_with(&format!(r#"{{"table":"{table}","#)), "{put}");
            assert!(put.contains(expected), "{put} does not contain {expected}");
        }
    }
}

#[test]
fn an_applied_operation_puts_nothing_and_another_batch_with_its_id_is_a_conflict() {
    let writes = batch("files", json!([{"path": "a.txt", "text": "x"}]));
    let rows = json!({"missing_files": ["a.txt"]});
    let text = |writes: &Json, rows: &Json| {
        decide_text(writes.to_string().as_bytes(), rows.to_string().as_bytes())
    };
    let first = Json::parse(&text(&writes, &rows).unwrap()).unwrap();
    let receipt =
        with(first.get("receipt").unwrap(), "boxes", json!([{"box_id": "b1", "version": 4}]));
    let applied =
        json!({"batch_hash": (first.get("batch_hash").unwrap().clone()), "receipt": receipt});
    let rows = with(&rows, "operation", applied);
    let again = Json::parse(&text(&writes, &rows).unwrap()).unwrap();
    assert_eq!(
        (again.get("puts").unwrap().to_string(), again.get("receipt").unwrap().to_string()),
        (
            "[]".to_owned(),
            r#"{"operation_id":"op_1","repeated":true,"boxes":[{"box_id":"b1","version":4}]}"#
                .to_owned()
        )
    );
    let other = batch("files", json!([{"path": "a.txt", "text": "y"}]));
    assert_eq!(text(&other, &rows).unwrap_err().code(), Code::Conflict);
}

#[test]
fn an_invalid_batch_is_refused_with_the_path_of_the_error() {
    for (key, value, path, words) in [
        (
            "boxes",
            json!([{"change": "fold", "box_id": "b"}]),
            "writes.boxes[0].change",
            "unknown change `fold`; expected `create`, `append`, `replace` or `delete`",
        ),
        (
            "boxes",
            json!([{"change": "replace", "box_id": "b", "card_ids": []}]),
            "writes.boxes[0].version",
            "version",
        ),
        (
            "rows",
            json!([{"table": "heads", "key": ["a1"], "row": {"agent_id": "a2"}}]),
            "writes.rows[0].row",
            "the key columns of the row do not match the key heads `a1`",
        ),
        (
            "rows",
            json!([{"table": "heads", "key": [], "row": null}]),
            "writes.rows[0].key",
            "the key of `heads` must have the columns `agent_id`",
        ),
        (
            "rows",
            json!([{"table": "beds", "key": ["a1"], "row": null}]),
            "writes.rows[0].table",
            "beds",
        ),
        (
            "expects",
            json!([{"table": "boxes", "key": ["a", "b"], "version": 1}]),
            "writes.expects[0].key",
            "the key of `boxes` must be one string",
        ),
        (
            "expects",
            json!([{"table": "boxes", "key": ["a"], "version": true}]),
            "writes.expects[0].version",
            "a version: text or a whole number",
        ),
        (
            "expects",
            json!([{"table": "heads", "key": ["a"], "version": -1}]),
            "writes.expects[0].version",
            "a whole number that is not negative",
        ),
    ] {
        let error = touched_text(batch(key, value.clone()).to_string().as_bytes()).unwrap_err();
        assert_eq!(
            (error.code(), error.path().to_string().as_str()),
            (Code::Store, path),
            "{value}"
        );
        assert!(error.message().contains(words), "{}", error.message());
    }
    let expects = json!([{"table": "heads", "key": ["a1"], "version": "op_0"}, {"table": "boxes", "key": ["b1"], "version": 3}]);
    let asked = touched_text(batch("expects", expects).to_string().as_bytes()).unwrap();
    assert_eq!(
        asked,
        r#"{"project_id":"p1","boxes":["b1"],"rows":[{"table":"heads","key":["a1"]}]}"#
    );
}

fn head(agent_id: &str, status: &str) -> Json {
    json!({"table": "heads", "key": [agent_id], "version": "op_0", "row": {"agent_id": agent_id, "status": status}})
}

/// Returns reads of one row and of at most two idle heads.
fn asked() -> (Reads, List) {
    let list = List::new(&HEADS, "by_status", ["idle"], 2).unwrap();
    let mut reads = Reads::new("p1".into());
    reads.add_row(RowKey::new(&HEADS, ["a1"])).add_list(list.clone());
    (reads, list)
}

fn listed(rows: Json) -> Json {
    json!({"table": "heads", "index": "by_status", "of": ["idle"], "limit": 2, "rows": rows})
}

#[test]
fn answers_must_match_the_requested_rows() {
    let (reads, _) = asked();
    let row = head("a1", "idle");
    let good = json!({"rows": [(row.clone())], "lists": [(listed(json!([])))]});
    let wrong = "the store's answer is wrong: ";
    for (answers, words) in [
        (with(&good, "rows", json!([])), "heads `a1` was neither answered nor reported missing"),
        (
            with(&good, "rows", json!([(row.clone()), (row.clone())])),
            "heads `a1` was answered more than once",
        ),
        (
            with(&good, "missing_rows", json!([{"table": "heads", "key": ["a7"]}])),
            "heads `a7` was answered, but not requested",
        ),
        (
            with(&good, "lists", json!([])),
            "heads by_status of `idle` was neither answered nor reported missing",
        ),
    ] {
        let read = Answers::from_json(&answers, &reads).unwrap();
        let error = Snapshot::new("p1".into()).absorb(&reads, read).unwrap_err();
        assert_eq!(
            (error.code(), error.message()),
            (Code::Store, format!("{wrong}{words}").as_str())
        );
    }
    for (answers, path, words) in [
        (
            with(
                &good,
                "lists",
                json!([{"table": "heads", "index": "by_hat", "of": [], "limit": 1, "rows": []}]),
            ),
            "answers.lists[0].index",
            "`heads` has no index `by_hat`",
        ),
        (
            with(
                &good,
                "lists",
                json!([{"table": "heads", "index": "by_status", "of": [], "limit": 1, "rows": []}]),
            ),
            "answers.lists[0].of",
            "index `by_status` needs values for `status`",
        ),
        (
            with(&good, "failed", json!([{"kind": "hats", "key": "x", "message": "m"}])),
            "answers.failed[0].kind",
            "unknown kind `hats`",
        ),
        (
            with(
                &good,
                "rows",
                json!([{"table": "heads", "key": ["a1"], "version": "v", "row": {"agent_id": "a1", "project_id": "p2"}}]),
            ),
            "answers.rows[0].row",
            "a row of another project",
        ),
    ] {
        let error = Answers::from_json(&answers, &reads).unwrap_err();
        assert_eq!((error.code(), error.path().to_string().as_str()), (Code::Store, path));
        assert!(error.message().contains(words), "{}", error.message());
    }
    let mut other = Snapshot::new("p2".into());
    let error = other.absorb(&reads, Answers::from_json(&good, &reads).unwrap()).unwrap_err();
    assert_eq!(error.message(), "the answers are for project `p1`, expected `p2`");
}

#[test]
fn a_failed_row_is_an_error_for_everything_that_depends_on_it() {
    let (reads, list) = asked();
    let failed = json!({"failed": [{"table": "heads", "key": ["a1"], "error": "torn"}, (with(&listed(json!(null)), "error", "worn".into()))]});
    let from_rust = Answers::new()
        .failed_row(RowKey::new(&HEADS, ["a1"]), "torn")
        .failed_list(list.clone(), "worn");
    for answers in [Answers::from_json(&failed, &reads).unwrap(), from_rust] {
        let mut snapshot = Snapshot::new("p1".into());
        snapshot.absorb(&reads, answers).unwrap();
        let Lookup::Failed(error) = snapshot.row(&HEADS, &["a1"]) else { panic!("failed") };
        assert_eq!(
            (error.code(), error.message(), error.path().to_string().as_str()),
            (Code::Store, "torn", "heads")
        );
        let Lookup::Failed(error) = snapshot.list(&list) else { panic!("failed") };
        assert_eq!(error.message(), "worn");
        let expected = Expectation { table: "heads", key: vec!["a1".into()], version: None };
        assert_eq!(snapshot.version_of(&expected).unwrap_err().message(), "torn");
        assert_eq!(snapshot.row_expectation(&RowKey::new(&HEADS, ["a1"])), None);
        // the next call reads them again
        snapshot.evict_unsettled();
        assert_eq!(snapshot.row(&HEADS, &["a1"]), Lookup::NotRead);
        assert_eq!(snapshot.list(&list), Lookup::NotRead);
    }
}

#[test]
fn a_change_updates_every_list_that_is_complete() {
    let (reads, list) = asked();
    let change =
        |row: Json| RowChange::put(&HEADS, row.as_object().unwrap().clone(), Before::Any).unwrap();
    let taken = RowChange::delete(RowKey::new(&HEADS, ["a2"]), Before::Any);
    let a3 = change(json!({"agent_id": "a3", "status": "idle"}));
    let busy = change(json!({"agent_id": "a2", "status": "running"}));
    for (there, changes, expected) in [
        (vec!["a2"], vec![a3.clone()], Some("a2 a3")),
        (vec!["a2"], vec![taken.clone()], Some("")),
        (vec!["a2"], vec![busy.clone(), a3.clone()], Some("a3")),
        // the list is at its limit: more rows can follow
        (vec!["a2", "a4"], vec![a3], Some("a2 a3")),
        (vec!["a2", "a4"], vec![busy], None),
        (vec!["a2", "a4"], vec![taken], None),
    ] {
        let rows: Json = there.iter().map(|agent_id| head(agent_id, "idle")).collect();
        let answers =
            json!({"missing_rows": [{"table": "heads", "key": ["a1"]}], "lists": [(listed(rows))]});
        let mut snapshot = Snapshot::new("p1".into());
        snapshot.absorb(&reads, Answers::from_json(&answers, &reads).unwrap()).unwrap();
        let writes =
            Writes { rows: changes, ..Writes::new("p1".into(), "op_1", Timestamp::from_millis(0)) };
        snapshot.apply(&writes);
        let known = match snapshot.list(&list) {
            Lookup::Present(rows) => {
                Some(rows.iter().map(|row| row.key[0].clone()).collect::<Vec<_>>().join(" "))
            }
            _ => None,
        };
        assert_eq!(known.as_deref(), expected, "{there:?} {:?}", writes.rows);
        let changed = &writes.rows[0];
        match snapshot.row_of(&changed.of) {
            Lookup::Present(row) => assert_eq!(row.version, "op_1"),
            found => assert!(changed.row.is_none() && found == Lookup::Absent),
        }
    }
    let error = RowChange::put(&HEADS, Default::default(), Before::Any).unwrap_err();
    assert_eq!(error.message(), "a row of `heads` must have `agent_id`");
}

#[test]
fn the_version_in_a_receipt_counts_every_change_of_a_box() {
    let writes = batch(
        "boxes",
        json!([
        {"change": "append", "box_id": "b1", "card_ids": ["c2"], "version": 3},
        {"change": "append", "box_id": "b1", "card_ids": ["c3"]}]),
    );
    let writes = Writes::from_json(&writes).unwrap();
    let receipt = |version: u64| json!({"operation_id": "op_1", "repeated": false, "boxes": [{"box_id": "b1", "version": version}]});
    assert_eq!(Receipt::from_json(&receipt(5), &writes).unwrap().boxes[0].version, 5);
    let error = Receipt::from_json(&receipt(4), &writes).unwrap_err();
    assert_eq!(
        (error.path().to_string().as_str(), error.message()),
        ("receipt.boxes", "box `b1` must be at version 5, found 4")
    );
    // keys of more than 255 bytes stay distinct
    let long = |end: char| RowKey::new(&HEADS, [format!("{}{end}", "x".repeat(300))]);
    let mut reads = Reads::new("p1".into());
    reads.add_row(long('a')).add_row(long('b')).add_row(long('a'));
    assert_eq!(reads.rows().count(), 2);
    assert_eq!(reads.of(Kind::Cards).count(), 0);
}
