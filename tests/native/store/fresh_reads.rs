//! A commit succeeds only if the same call on a fresh read would have the same outcome.
//!
//! One workspace previews a call. Then another process changes the project, and the workspace
//! commits the preview. A second workspace without cached rows decides whether the commit must
//! succeed.

#[allow(dead_code, reason = "the worlds are shared with other properties")]
use crate::pack::world::{World, handover};
use crate::property::{Dice, hold};
use tuckbox::rule::{AnyOutcome, MAX_ROUNDS, Step, box_turns};
use tuckbox::store::{
    Agent, Before, BoxChange, MemoryStore, Profile, RowChange, RowKey, Snapshot, Store, Writes,
    table,
};
use tuckbox::{BoxId, CardId, Code, Env, Json, Timestamp};

const BOXES: [&str; 10] =
    ["b0", "b1", "b2", "b3", "lead_out", "lead_ctx", "w_out", "pb_lead", "pb_writer", "pb_solo"];
const CARDS: [&str; 7] = ["c0", "c1", "c2", "gone", "prof_Lead", "prof_Writer", "prof_Solo"];
const AGENTS: [&str; 3] = ["lead", "w", "s"];
const PROFILES: [(&str, &str); 3] =
    [("Lead", "pb_lead"), ("Writer", "pb_writer"), ("Solo", "pb_solo")];

fn env(number: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000 + i64::from(number)), [number; 32])
}

/// Returns the outcome of a call in a workspace without cached rows.
fn fresh(world: &World, call: &Json, store: &MemoryStore) -> tuckbox::Result<AnyOutcome> {
    let call = world.setup.read_call(call)?;
    let mut snapshot = Snapshot::new("p1".into());
    for _ in 0..=MAX_ROUNDS {
        match call.step(&snapshot, &env(1))? {
            Step::Done(outcome) => return Ok(outcome),
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
        }
    }
    Err(tuckbox::rule::too_many_rounds())
}

/// Returns the value and the writes of an outcome, without its expectations.
fn shown(outcome: &AnyOutcome) -> (Json, Writes) {
    let writes = Writes { expects: Vec::new(), ..outcome.writes.clone() };
    (outcome.value.to_json().unwrap(), writes)
}

/// Returns a call of the card store, or a handover.
fn call(dice: &mut Dice) -> Json {
    let mut pick = |from: &[&str]| Json::from(from[dice.below(from.len())]);
    let (one, two, card, other) = (pick(&BOXES), pick(&BOXES), pick(&CARDS), pick(&CARDS));
    let ids = |a: &Json, b: &Json| Json::Array(vec![a.clone(), b.clone()]);
    let parts: Vec<(&str, Json)> = match dice.below(16) {
        0 => vec![
            ("op", "create_box".into()),
            ("card_ids", ids(&card, &other)),
            ("parent_ids", ids(&one, &two)),
        ],
        1 => vec![("op", "fork_box".into()), ("box_id", one), ("take", 2_u64.into())],
        2 => vec![("op", "concat_boxes".into()), ("box_ids", ids(&one, &two))],
        3 => {
            vec![("op", "append_to_box".into()), ("box_id", one), ("card_ids", ids(&card, &other))]
        }
        4 => vec![("op", "replace_box".into()), ("box_id", one), ("card_ids", ids(&card, &other))],
        5 => vec![("op", "delete_cards".into()), ("card_ids", ids(&card, &other))],
        6 => vec![("op", "delete_box".into()), ("box_id", one)],
        _ => return handover(dice).0,
    };
    Json::Object(parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Changes the project as another process would.
fn change(store: &mut MemoryStore, dice: &mut Dice) {
    let box_id = BOXES[dice.below(BOXES.len())];
    let card_id = CARDS[dice.below(CARDS.len())];
    let agent_id = AGENTS[dice.below(AGENTS.len())];
    let (name, profile_box_id) = PROFILES[dice.below(PROFILES.len())];
    let mut writes = Writes::new("p1".into(), format!("other {}", dice.below(1 << 30)), env(9).now);
    match dice.below(12) {
        0 => {
            let card_ids = [card_id].into_iter().collect();
            writes.boxes.push(BoxChange::Append { box_id: box_id.into(), card_ids, version: None });
        }
        1 => writes.delete_cards.push(CardId::from(card_id)),
        2 => {
            let version = store.tables("p1").unwrap().boxes().find(|row| row.box_id == box_id);
            if let Some(version) = version.map(|row| row.version) {
                writes.boxes.push(BoxChange::Delete { box_id: box_id.into(), version });
            }
        }
        3 => _ = store.project("p1").remove_agent(agent_id),
        4 => _ = store.project("p1").remove_profile(name),
        5 => {
            let policy = [r#"{"target_profiles": []}"#, "null", "{}", r#"{"target_tags": ["x"]}"#];
            let mut profile = Profile::new(name, profile_box_id);
            profile.delegation_policy = Json::parse(policy[dice.below(4)]).unwrap();
            store.project("p1").add_profile(profile);
        }
        6 => {
            let tags = vec![["team", "other"][dice.below(2)].to_owned()];
            store.project("p1").add_profile(Profile { tags, ..Profile::new(name, profile_box_id) });
        }
        7 => writes.agents.push(Agent::new(agent_id, ["pb_lead", "pb_solo"][dice.below(2)])),
        8 => {
            let status = ["running", "idle"][dice.below(2)];
            let head =
                Json::from([("agent_id", agent_id), ("status", status), ("output_box_id", box_id)]);
            let head = head.as_object().unwrap().clone();
            writes.rows.push(RowChange::put(&table::HEADS, head, Before::Any).unwrap());
            box_turns::take(&mut writes, &Snapshot::new("p1".into())).unwrap();
        }
        9 => {
            let pointers = Json::from([("agent_id", agent_id), ("last_output_box_id", box_id)]);
            let pointers = pointers.as_object().unwrap().clone();
            writes.rows.push(RowChange::put(&table::POINTERS, pointers, Before::Any).unwrap());
        }
        10 => {
            let of = RowKey::new(&table::PROJECT_AGENTS, [agent_id]);
            writes.rows.push(RowChange::delete(of, Before::Any));
        }
        // another card sets the policy of the profile
        _ => {
            let card = r#"{"card_id": "new_policy", "metadata": {"type": "sys.profile"}, "content":
                {"__type__": "JsonContent", "data": {"delegation_policy": {"target_profiles": ["Solo"]}}}}"#;
            let card = Json::parse(card).unwrap();
            let card = tuckbox::Card::from_row(&tuckbox::value::json::Field::root(&card)).unwrap();
            store.project("p1").add_card(card);
            let (box_id, card_ids) = (BoxId::from("pb_lead"), ["new_policy"].into_iter().collect());
            writes.boxes.push(BoxChange::Replace { box_id, card_ids, version: 1 });
        }
    }
    // a change that the store refuses changes nothing
    let _ = store.commit(&writes);
}

/// The number of calls in one world. Creating a world takes longer than most calls.
const SHARED: usize = 4;

/// Returns whether a preview commits after changes, or nothing if the preview fails.
fn commits(world: &World, dice: &mut Dice) -> Option<bool> {
    let call = call(dice);
    let mut store = world.store.clone();
    let held = fresh(world, &call, &store).ok()?;
    let changes = dice.below(4);
    for _ in 0..changes {
        change(&mut store, dice);
    }
    let now = fresh(world, &call, &store);
    match store.commit(&held.writes) {
        Ok(_) => {
            let now = now.unwrap_or_else(|error| panic!("{call}: {error}"));
            assert_eq!(shown(&held), shown(&now), "{call}");
        }
        Err(error) => {
            assert_eq!(error.code(), Code::Conflict, "{call}");
            assert!(changes > 0, "the store refused a commit without changes: {error}: {call}");
            return Some(false);
        }
    }
    Some(true)
}

#[test]
fn a_commit_succeeds_only_if_a_fresh_read_has_the_same_outcome() {
    let (mut committed, mut refused) = (0, 0);
    let property = "a commit succeeds only if a fresh read has the same outcome";
    let cases = hold(property, |dice| {
        let world = World::random(dice);
        for _ in 0..SHARED {
            match commits(&world, dice) {
                Some(true) => committed += 1,
                Some(false) => refused += 1,
                None => {}
            }
        }
        SHARED
    });
    let enough = cases / 12;
    assert!(committed > enough && refused > enough, "{committed} committed, {refused} refused");
}

#[test]
fn rows_that_a_refused_commit_reads_or_writes_are_read_again() {
    let (mut asked, mut throws) = (0, 0);
    while asked < 300 {
        let dice = &mut Dice::of(throws);
        throws += 1;
        let world = World::random(dice);
        let call = call(dice);
        let Ok(read) = world.setup.read_call(&call) else { continue };
        let mut snapshot = Snapshot::new("p1".into());
        let outcome = loop {
            match read.step(&snapshot, &env(1)) {
                Ok(Step::Done(outcome)) => break Some(outcome),
                Ok(Step::Need(reads)) => {
                    snapshot.absorb(&reads, world.store.read(&reads).unwrap()).unwrap();
                }
                Err(_) => break None,
            }
        };
        let Some(outcome) = outcome.filter(|outcome| !outcome.writes.expects.is_empty()) else {
            continue;
        };
        snapshot.evict_touched(&outcome.writes);
        assert!(matches!(read.step(&snapshot, &env(1)), Ok(Step::Need(_))), "{call}");
        asked += 1;
    }
}

#[test]
fn a_delegation_does_not_commit_after_its_policy_is_removed() {
    let call = Json::parse(
        r#"{"op": "delegate_async", "source_agent_id": "lead", "recursion_depth": 0, "arguments":
            {"target_strategy": "reuse", "target_ref": "w", "instruction": "go on"}}"#,
    )
    .unwrap();
    let withdrawn = |store: &mut MemoryStore| {
        let mut lead = Profile::new("Lead", "pb_lead");
        lead.delegation_policy = Json::parse(r#"{"target_profiles": []}"#).unwrap();
        store.project("p1").add_profile(lead);
    };
    let removed = |store: &mut MemoryStore| {
        store.project("p1").remove_agent("lead");
    };
    let receiver = |store: &mut MemoryStore| {
        store.project("p1").remove_agent("w");
    };
    for (what, revoke) in [
        ("profile", &withdrawn as &dyn Fn(&mut MemoryStore)),
        ("agent", &removed),
        ("agent", &receiver),
    ] {
        let mut dice = Dice::of(1);
        let mut world = World::random(&mut dice);
        world.store = World::plain();
        let mut store = world.store.clone();
        let held = fresh(&world, &call, &store).unwrap();
        revoke(&mut store);
        let error = store.commit(&held.writes).unwrap_err();
        assert_eq!(error.code(), Code::Conflict);
        assert!(error.message().starts_with(what), "{error}");
        let before = store.tables("p1").unwrap().cards().count();
        assert_eq!(before, 0, "the refused commit wrote rows");
    }
}
