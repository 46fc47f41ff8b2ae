//! While a turn runs, its context does not change, its output only grows, and no card of either is
//! deleted.

use crate::property::{Dice, hold};
use std::collections::BTreeMap;
use tuckbox::agents::Setup;
use tuckbox::rule::Step;
use tuckbox::store::{Agent, MemoryStore, Snapshot, Store, table};
use tuckbox::{Card, Code, Content, Env, Json, Limits, NewCard, Result, Timestamp, Writes, json};

const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const BOXES: [&str; 4] = [
    "00000000-0000-4000-8000-0000000000c1",
    "00000000-0000-4000-8000-0000000000c2",
    "00000000-0000-4000-8000-0000000000c3",
    "00000000-0000-4000-8000-0000000000c4",
];
const AGENTS: [&str; 3] = ["ann", "ben", "cem"];
const CARDS: [&str; 5] = ["n0", "n1", "n2", "n3", "n4"];

/// A project with three agents, and four boxes that share a card.
struct World {
    store: MemoryStore,
    now: i64,
}

impl World {
    fn new() -> Self {
        let mut store = MemoryStore::new();
        let tables = store.project("p1");
        let at = Timestamp::from_millis(0);
        for id in CARDS {
            let new = NewCard::new("note", "ann", Content::text(id));
            let card = Card::make(new, &"p1".into(), id.into(), at, &Limits::default());
            tables.add_card(card.unwrap());
        }
        for (index, box_id) in BOXES.iter().enumerate() {
            tables.add_box(*box_id, ["n0", CARDS[index + 1]]);
        }
        tables.add_box(PROFILE, []);
        for agent_id in AGENTS {
            let mut agent = Agent::new(agent_id, PROFILE);
            agent.worker_target = Some("worker".into());
            tables.add_agent(agent);
        }
        Self { store, now: 0 }
    }

    fn preview(&mut self, call: &Json) -> Result<(Json, Writes)> {
        self.now += 1;
        let mut entropy = [7; 32];
        entropy[..8].copy_from_slice(&self.now.to_le_bytes());
        let env = Env::new(Timestamp::from_millis(self.now), entropy);
        let call = Setup::default().read_call(call)?;
        let mut snapshot = Snapshot::new("p1".into());
        loop {
            match call.step(&snapshot, &env)? {
                Step::Need(reads) => snapshot.absorb(&reads, self.store.read(&reads)?)?,
                Step::Done(outcome) => return Ok((outcome.value.to_json()?, outcome.writes)),
            }
        }
    }

    fn run(&mut self, call: &Json) -> Result<Json> {
        let (value, writes) = self.preview(call)?;
        self.store.commit(&writes)?;
        Ok(value)
    }

    fn dispatch(&mut self, agent_id: &str, context: &str, output: Option<&str>) -> Json {
        let call = json!({"op": "dispatch", "agent_id": agent_id, "profile_box_id": PROFILE,
            "context_box_id": context, "output_box_id": output,
            "headers": {"CG-Recursion-Depth": "0"}});
        self.run(&call).unwrap()
    }

    /// Returns the columns of the head of an agent.
    fn head(&self, agent_id: &str) -> BTreeMap<String, Json> {
        let tables = self.store.tables("p1").unwrap();
        let row = tables.rows(&table::HEADS).find(|row| row.text("agent_id") == Some(agent_id));
        let columns = |row: &tuckbox::store::TableRow| {
            row.row.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
        };
        row.map(columns).unwrap_or_default()
    }

    /// Starts the turn that an agent was given, and completes it if `ends`.
    fn work(&mut self, agent_id: &str, ends: bool) {
        let head = self.head(agent_id);
        let get = |name: &str| head.get(name).cloned().unwrap_or_default();
        let work = |op: &str, more: Json| {
            let mut call = json!({"op": op, "agent_id": agent_id,
                "agent_turn_id": get("active_agent_turn_id"), "turn_epoch": get("turn_epoch"),
                "context_box_id": get("context_box_id"), "output_box_id": get("output_box_id"),
                "headers": {"CG-Recursion-Depth": "0"}});
            let Json::Object(call) = &mut call else { unreachable!() };
            call.extend(more.as_object().cloned().unwrap_or_default());
            Json::Object(call.clone())
        };
        match get("status").as_str() {
            Some("dispatched") => _ = self.run(&work("turn_start", json!({}))).unwrap(),
            Some("running") if ends => {
                let done = json!({"thought": {"text": "Done."}, "step_id": "s1"});
                self.run(&work("turn_complete", done)).unwrap();
            }
            _ => {}
        }
    }

    /// Returns what every running turn reads: the cards of its context and of its output, without
    /// deleted ones, by turn.
    fn reads(&self) -> BTreeMap<String, [Vec<String>; 2]> {
        let tables = self.store.tables("p1").unwrap();
        let alive =
            |id: &str| tables.cards().any(|card| card.card_id == *id && card.deleted_at.is_none());
        let cards = |box_id: Option<&str>| -> Vec<String> {
            let found = tables.boxes().find(|found| Some(found.box_id.as_str()) == box_id);
            let ids = found.into_iter().flat_map(|found| found.card_ids.iter());
            ids.filter(|id| alive(id)).map(str::to_owned).collect()
        };
        let heads = tables.rows(&table::HEADS).filter(|head| head.text("status") != Some("idle"));
        heads
            .map(|head| {
                let boxes = ["context_box_id", "output_box_id"].map(|name| cards(head.text(name)));
                (head.text("active_agent_turn_id").unwrap_or_default().to_owned(), boxes)
            })
            .collect()
    }
}

#[test]
fn a_card_that_a_running_turn_reads_cannot_be_deleted() {
    let mut world = World::new();
    let delete = |more: Json| {
        let mut call = json!({"op": "delete_cards", "card_ids": ["n4", "n1"]});
        let Json::Object(call) = &mut call else { unreachable!() };
        call.extend(more.as_object().cloned().unwrap_or_default());
        Json::Object(call.clone())
    };
    let (_, early) = world.preview(&delete(json!({}))).unwrap();
    let dispatched = world.dispatch("ann", BOXES[0], None);
    // the turn started after the deletion was decided
    assert_eq!(world.store.commit(&early).unwrap_err().code(), Code::Conflict);
    let refused = world.run(&delete(json!({}))).unwrap_err();
    assert_eq!(
        (refused.code(), refused.path().to_string().as_str()),
        (Code::Conflict, "card_ids[1]")
    );
    assert_eq!(refused.details().get("agent_turn_id"), dispatched.get("agent_turn_id"));
    // erasure is possible, and audited
    let mut erased = World { store: world.store.clone(), now: 100 };
    erased.run(&delete(json!({"even_during_turn": true, "source_agent_id": "dpo"}))).unwrap();
    let audit = erased.run(&json!({"op": "list_audit", "agent_id": "dpo"})).unwrap();
    let rows = audit.get("rows").and_then(Json::as_array).unwrap();
    assert_eq!(rows[0].get("data"), Some(&json!({"card_ids": ["n4", "n1"]})));
    // erasure for privacy is an operation of its own
    let erase = json!({"op": "erase_cards", "card_ids": ["n1", "n1", "n4"],
        "source_agent_id": "dpo", "reason": "request 17"});
    assert_eq!(erased.run(&erase), Ok(json!({"card_ids": ["n1", "n4"]})));
    let tables = erased.store.tables("p1").unwrap();
    let texts: Vec<String> = tables.cards().map(|card| card.row().to_string()).collect();
    assert!(!texts.iter().any(|text| text.contains(r#""text":"n1""#)), "{texts:?}");
    let audit = erased.run(&json!({"op": "list_audit", "agent_id": "dpo"})).unwrap();
    let rows = audit.get("rows").and_then(Json::as_array).unwrap();
    let row = rows.iter().find(|row| row.get("action") == Some(&"erase_cards".into())).unwrap();
    let data = json!({"card_ids": ["n1", "n4"], "reason": "request 17"});
    assert_eq!(row.get("data"), Some(&data));
    let unknown = erased.run(&json!({"op": "erase_cards", "card_ids": ["n0", "none"]}));
    let unknown = unknown.unwrap_err();
    assert_eq!(
        (unknown.code(), unknown.path().to_string().as_str()),
        (Code::NotFound, "card_ids[1]")
    );
    // after the turn the card can be deleted
    world.work("ann", false);
    world.work("ann", true);
    assert_eq!(world.run(&delete(json!({}))), Ok(json!({"card_ids": ["n4", "n1"]})));
}

#[test]
fn the_boxes_of_turns_are_distinct() {
    let refusal =
        |answer: &Json| answer.get("error_code").and_then(Json::as_str).map(str::to_owned);
    let mut world = World::new();
    let same = world.dispatch("ann", BOXES[0], Some(BOXES[0]));
    assert_eq!(refusal(&same).as_deref(), Some("same_box"));
    assert_eq!(refusal(&world.dispatch("ann", BOXES[0], Some(BOXES[1]))), None);
    // no other agent writes to what ann reads, reads what ann writes, or writes there too
    for (context, output) in
        [(BOXES[1], None), (BOXES[2], Some(BOXES[0])), (BOXES[2], Some(BOXES[1]))]
    {
        let answer = world.dispatch("ben", context, output);
        assert_eq!(refusal(&answer).as_deref(), Some("box_in_use"), "{answer}");
    }
    // the same context can be read twice
    assert_eq!(refusal(&world.dispatch("ben", BOXES[0], Some(BOXES[2]))), None);
    world.work("ann", false);
    world.work("ann", true);
    assert_eq!(refusal(&world.dispatch("cem", BOXES[1], None)), None);
}

#[test]
fn the_second_of_two_turns_that_exclude_each_other_is_a_conflict() {
    let mut world = World::new();
    let dispatch = |agent_id: &str, context: &str, output: &str| {
        json!({"op": "dispatch", "agent_id": agent_id, "profile_box_id": PROFILE, "context_box_id": context,
            "output_box_id": output, "headers": {"CG-Recursion-Depth": "0"}})
    };
    let (_, ann) = world.preview(&dispatch("ann", BOXES[0], BOXES[1])).unwrap();
    let (_, ben) = world.preview(&dispatch("ben", BOXES[1], BOXES[2])).unwrap();
    world.store.commit(&ann).unwrap();
    assert_eq!(world.store.commit(&ben).unwrap_err().code(), Code::Conflict);
}

/// Does something at random. Refusals and conflicts are fine.
fn act(world: &mut World, dice: &mut Dice) {
    let agent = AGENTS[dice.below(AGENTS.len())];
    let one = BOXES[dice.below(BOXES.len())];
    let other = BOXES[dice.below(BOXES.len())];
    let card = CARDS[dice.below(CARDS.len())];
    match dice.below(9) {
        0..=2 => {
            world.dispatch(agent, one, (dice.below(2) == 0).then_some(other));
        }
        3 | 4 => world.work(agent, dice.below(2) == 0),
        5 => _ = world.run(&json!({"op": "delete_cards", "card_ids": [card]})),
        6 => _ = world.run(&json!({"op": "append_to_box", "box_id": one, "card_ids": [card]})),
        7 => _ = world.run(&json!({"op": "replace_box", "box_id": one, "card_ids": [card]})),
        _ => _ = world.run(&json!({"op": "append_output", "agent_id": agent, "card_ids": [card]})),
    }
}

#[test]
fn what_a_running_turn_reads_does_not_change() {
    hold("what a running turn reads does not change", |dice| {
        let mut world = World::new();
        let mut before = world.reads();
        for _ in 0..12 {
            act(&mut world, dice);
            let now = world.reads();
            for (turn, [context, output]) in &now {
                let Some([context_before, output_before]) = before.get(turn) else { continue };
                assert_eq!(context, context_before, "the context of {turn} changed");
                assert!(output.starts_with(output_before), "the output of {turn} lost a card");
            }
            before = now;
        }
        12_usize
    });
}
