//! The operations of the card store, on a store in memory.

use tuckbox::agents::Setup;
use tuckbox::store::{MemoryStore, Snapshot, Store};
use tuckbox::{Code, Env, Json, Result, Step, Timestamp};

/// A store, and a clock that advances one second with each call.
struct World {
    store: MemoryStore,
    project: &'static str,
    calls: u8,
}

impl World {
    fn new() -> Self {
        Self { store: MemoryStore::new(), project: "p1", calls: 0 }
    }

    fn call(&mut self, call: &str) -> Result<Json> {
        self.calls += 1;
        let now = Timestamp::from_millis(1_767_522_600_000 + 1_000 * i64::from(self.calls));
        let env = Env::new(now, [self.calls; 32]);
        let call = Setup::default().read_call(&Json::parse(call)?)?;
        let mut snapshot = Snapshot::new(self.project.into());
        loop {
            match call.step(&snapshot, &env)? {
                Step::Need(reads) => snapshot.absorb(&reads, self.store.read(&reads)?)?,
                Step::Done(outcome) => {
                    if !outcome.writes.is_empty() {
                        self.store.commit(&outcome.writes)?;
                    }
                    return outcome.value.to_json();
                }
            }
        }
    }

    fn card(&mut self, card_id: &str, extra: &str) -> Result<Json> {
        self.call(&format!(
            r#"{{"op": "put_cards", "cards": [{{"card_id": "{card_id}", "type": "task.note", "author_id": "a",
                "metadata": {{}}, "content": {{"__type__": "TextContent", "text": "text of {card_id}"}}{extra}}}]}}"#
        ))
    }

    fn text(&mut self, call: &str, key: &str) -> String {
        self.call(call).unwrap().get(key).cloned().unwrap_or_default().to_string()
    }
}

#[test]
fn a_box_is_created_appended_and_replaced_with_its_version() {
    let mut world = World::new();
    world.call(r#"{"op": "create_box", "box_id": "b1", "card_ids": ["c1", "c2", "c1"]}"#).unwrap();
    let grown =
        world.call(r#"{"op": "append_to_box", "box_id": "b1", "card_ids": ["c3"]}"#).unwrap();
    assert_eq!(grown.get("card_ids").unwrap().to_string(), r#"["c1","c2","c1","c3"]"#);
    assert_eq!(grown.get("version").unwrap().to_string(), "2");
    let call = r#"{"op": "replace_box", "box_id": "b1", "card_ids": ["sum", "c3"]}"#;
    assert_eq!(world.text(call, "version"), "3");
    assert_eq!(
        world.text(r#"{"op": "get_boxes", "box_ids": ["b1"]}"#, "boxes"),
        r#"[{"box_id":"b1","card_ids":["sum","c3"],"parent_ids":[],"version":3,"deleted_at":null}]"#
    );
    let taken = world.call(r#"{"op": "create_box", "box_id": "b1", "card_ids": []}"#).unwrap_err();
    assert_eq!((taken.code(), taken.path().to_string().as_str()), (Code::Conflict, "box_id"));
}

#[test]
fn forks_and_concatenations_have_parents() {
    let mut world = World::new();
    world.call(r#"{"op": "create_box", "box_id": "b1", "card_ids": ["c1", "c2", "c3"]}"#).unwrap();
    world.call(r#"{"op": "create_box", "box_id": "b2", "card_ids": ["c3", "c4"]}"#).unwrap();
    let fork = world.call(r#"{"op": "fork_box", "box_id": "b1", "take": 2}"#).unwrap();
    assert_eq!(fork.get("card_ids").unwrap().to_string(), r#"["c1","c2"]"#);
    assert_eq!(fork.get("parent_ids").unwrap().to_string(), r#"["b1"]"#);
    let both = world.call(r#"{"op": "concat_boxes", "box_ids": ["b2", "b1", "b2"]}"#).unwrap();
    assert_eq!(both.get("card_ids").unwrap().to_string(), r#"["c3","c4","c1","c2"]"#);
    assert_eq!(both.get("parent_ids").unwrap().to_string(), r#"["b2","b1"]"#);
    assert_eq!(
        world.call(r#"{"op": "fork_box", "box_id": "b9"}"#).unwrap_err().code(),
        Code::NotFound
    );
}

#[test]
fn batch_reads_keep_the_order_and_report_why_cards_are_missing() {
    let mut world = World::new();
    for (card_id, extra) in [("live", ""), ("gone", ""), ("brief", r#", "ttl_seconds": 2"#)] {
        world.card(card_id, extra).unwrap();
    }
    world.call(r#"{"op": "delete_cards", "card_ids": ["gone", "gone"]}"#).unwrap();
    let found = world.call(
        r#"{"op": "get_cards", "card_ids": ["brief", "nope", "live", "gone", "live", "é", "e\u0301"]}"#,
    ).unwrap();
    let cards = found.get("cards").unwrap().as_array().unwrap();
    assert_eq!(cards.len(), 1);
    assert_eq!(cards[0].get("card_id"), Some(&Json::from("live")));
    assert_eq!(
        found.get("missing_cards").unwrap().to_string(),
        concat!(
            r#"[{"id":"brief","reason":"expired"},{"id":"nope","reason":"absent"},"#,
            r#"{"id":"gone","reason":"deleted"},{"id":"é","reason":"absent"},{"id":"é","reason":"absent"}]"#
        ),
        "ids are compared as bytes, never normalized"
    );
}

#[test]
fn a_deleted_box_is_reported_as_deleted_and_its_id_is_not_reused() {
    let mut world = World::new();
    world.call(r#"{"op": "create_box", "box_id": "b1", "card_ids": []}"#).unwrap();
    world.call(r#"{"op": "delete_box", "box_id": "b1"}"#).unwrap();
    assert_eq!(
        world.text(r#"{"op": "get_boxes", "box_ids": ["b1", "b2"]}"#, "missing_boxes"),
        r#"[{"id":"b1","reason":"deleted"},{"id":"b2","reason":"absent"}]"#
    );
    for call in [
        r#"{"op": "append_to_box", "box_id": "b1", "card_ids": []}"#,
        r#"{"op": "delete_box", "box_id": "b1"}"#,
        r#"{"op": "get_box_cards", "box_id": "b1"}"#,
    ] {
        assert_eq!(world.call(call).unwrap_err().code(), Code::NotFound, "{call}");
    }
    let again = world.call(r#"{"op": "create_box", "box_id": "b1", "card_ids": []}"#);
    assert_eq!(again.unwrap_err().code(), Code::Conflict, "the id was reused");
}

#[test]
fn ids_of_another_project_are_absent_and_never_overwritten() {
    let mut world = World::new();
    world.card("c1", "").unwrap();
    world.call(r#"{"op": "create_box", "box_id": "b1", "card_ids": ["c1"]}"#).unwrap();
    let before = format!("{:?}", world.store.tables("p1"));
    world.project = "p2";
    assert_eq!(
        world.text(r#"{"op": "get_cards", "card_ids": ["c1"]}"#, "missing_cards"),
        r#"[{"id":"c1","reason":"absent"}]"#
    );
    for call in [
        r#"{"op": "append_to_box", "box_id": "b1", "card_ids": ["x"]}"#,
        r#"{"op": "replace_box", "box_id": "b1", "card_ids": []}"#,
        r#"{"op": "delete_box", "box_id": "b1"}"#,
        r#"{"op": "fork_box", "box_id": "b1"}"#,
        r#"{"op": "delete_cards", "card_ids": ["c1"]}"#,
    ] {
        let foreign = world.call(call).unwrap_err();
        let absent = world.call(&call.replace("b1", "b9").replace("c1", "c9")).unwrap_err();
        assert_eq!(foreign.code(), absent.code(), "{call}");
        assert_eq!(foreign.message().replace("b1", "b9").replace("c1", "c9"), absent.message());
    }
    world.call(r#"{"op": "create_box", "box_id": "b1", "card_ids": ["mine"]}"#).unwrap();
    assert_eq!(format!("{:?}", world.store.tables("p1")), before);
}

#[test]
fn invalid_ids_are_refused() {
    let mut world = World::new();
    for (call, path) in [
        (r#"{"op": "create_box", "box_id": "", "card_ids": []}"#, "box_id"),
        (r#"{"op": "fork_box", "box_id": 5}"#, "box_id"),
        (r#"{"op": "concat_boxes", "box_ids": ["b1", ""]}"#, "box_ids[1]"),
        (r#"{"op": "delete_cards", "card_ids": [null]}"#, "card_ids[0]"),
        (r#"{"op": "create_box", "card_ids": [], "bx_id": "typo"}"#, "bx_id"),
    ] {
        let error = world.call(call).unwrap_err();
        assert_eq!(
            (error.code(), error.path().to_string().as_str()),
            (Code::BadRequest, path),
            "{call}"
        );
    }
}
