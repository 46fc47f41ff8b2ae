//! The laws of packing, over random worlds, against an oracle that was written from the rules and
//! shares no code with the core.

use crate::law::{Dice, hold};
use crate::oracle::{Call, World, call, world};
use tuckbox::rule::hash::ContentHash;
use tuckbox::store::{Answers, Kind, Lookup, MemoryStore, Reads, Receipt, Snapshot, Store, Writes};
use tuckbox::{
    Code, Env, Error, Outcome, PackContext, Packed, Result, Rule, Step, Timestamp, rule,
    value::json,
};

fn env(seed: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000 + i64::from(seed)), [seed; 32])
}

fn preview(call: &PackContext, store: &MemoryStore, env: &Env) -> Result<Outcome<Packed>> {
    rule::preview(call, &mut Snapshot::new("p1".into()), env, store)
}

/// Everything an outcome says, as one text.
fn bytes(outcome: &Outcome<Packed>) -> String {
    let json = |value: &dyn Fn() -> Result<tuckbox::Json>| value().unwrap().to_string();
    [
        json(&|| json::to_json(&outcome.value)),
        json(&|| json::to_json(&outcome.writes)),
        json(&|| json::to_json(&outcome.ledger)),
        json(&|| json::to_json(&outcome.lints)),
        outcome.content_hash().unwrap().to_string(),
    ]
    .join("\n")
}

/// The whole store as text, to see whether anything changed.
fn contents(store: &MemoryStore) -> String {
    format!("{store:?}")
}

/// How many calls the oracle is asked about, and how many each of the other laws is held against.
const CALLS: u64 = 400_000;
const CASES: u64 = 20_000;

/// How many calls are made in one world.
const SHARED: u64 = 50;

fn build(dice: &mut Dice) -> (World, MemoryStore, PackContext) {
    let world = world(dice);
    let store = world.store();
    (world, store, call(dice).pack())
}

#[test]
fn packing_is_what_the_oracle_says() {
    let mut calls = 0;
    let mut place = None;
    hold("packing is what the oracle says", CALLS, |dice| {
        let (world, store) = match place.take() {
            Some(place) if calls % SHARED > 0 => place,
            _ => {
                let world = world(dice);
                let store = world.store();
                (world, store)
            }
        };
        calls += 1;
        let call = call(dice);
        match (preview(&call.pack(), &store, &env(1)), crate::oracle::pack(&world, &call)) {
            (Ok(outcome), Ok(expected)) => {
                let ids = outcome.value.attached_card_ids.iter();
                let new: Vec<&str> =
                    outcome.writes.cards.iter().map(|card| card.card_id.as_str()).collect();
                assert!(ids.eq(crate::oracle::with_new_ids(&expected, &new)), "{call:?}");
                let entries = outcome.ledger.boxes[0].entries(0..usize::MAX).len();
                assert_eq!(entries, outcome.value.attached_card_ids.len());
            }
            (Err(error), Err(code)) => assert_eq!(error.code().as_str(), code),
            (ours, expected) => {
                let ours = ours.map(|outcome| outcome.value);
                panic!("ours {ours:?}, expected {expected:?}");
            }
        }
        place = Some((world, store));
    });
}

#[test]
fn a_preview_writes_nothing_also_where_it_fails() {
    hold("a preview writes nothing", CASES, |dice| {
        let (_, store, pack) = build(dice);
        let before = contents(&store);
        let _ = preview(&pack, &store, &env(1));
        assert_eq!(contents(&store), before);
    });
}

#[test]
fn the_same_call_snapshot_and_env_give_the_same_bytes() {
    hold("the same call, snapshot and env give the same bytes", CASES, |dice| {
        let (_, store, pack) = build(dice);
        let Ok(first) = preview(&pack, &store, &env(9)) else { return };
        let second = preview(&pack, &store, &env(9)).unwrap();
        assert_eq!(bytes(&first), bytes(&second));
    });
}

#[test]
fn extra_reads_never_change_an_outcome() {
    hold("extra reads never change an outcome", CASES, |dice| {
        let (world, store, pack) = build(dice);
        let mut full = Snapshot::new("p1".into());
        let everything = world.everything();
        full.absorb(&everything, store.read(&everything).unwrap()).unwrap();
        let lean = preview(&pack, &store, &env(2));
        let rich = rule::preview(&pack, &mut full, &env(2), &Refusing);
        match (lean, rich) {
            (Ok(lean), Ok(rich)) => assert_eq!(bytes(&lean), bytes(&rich)),
            (Err(lean), Err(rich)) => assert_eq!(lean, rich),
            (lean, rich) => panic!("{:?} {:?}", lean.is_ok(), rich.is_ok()),
        }
    });
}

#[test]
fn the_hash_of_a_preview_is_the_hash_of_what_was_committed() {
    hold("the hash of a preview is that of what was committed", CASES, |dice| {
        let (_, mut store, pack) = build(dice);
        let Ok(outcome) = preview(&pack, &store, &env(3)) else { return };
        store.commit(&outcome.writes).unwrap();
        let tables = store.tables("p1").unwrap();
        let new = outcome.writes.cards.iter();
        let cards: Vec<_> = new
            .map(|new| tables.cards().find(|card| card.card_id == new.card_id).unwrap())
            .collect();
        let packed = tables.boxes().find(|row| row.box_id == outcome.value.context_box_id).unwrap();
        assert_eq!(ContentHash::of(cards, [packed]).unwrap(), outcome.content_hash().unwrap());
    });
}

#[test]
fn an_operation_applies_once() {
    hold("an operation applies once", CASES, |dice| {
        let (_, mut store, pack) = build(dice);
        let Ok(outcome) = preview(&pack, &store, &env(4)) else { return };
        let first = store.commit(&outcome.writes).unwrap();
        let after = contents(&store);
        let second = store.commit(&outcome.writes).unwrap();
        assert!(!first.repeated && second.repeated);
        assert_eq!(first.boxes, second.boxes);
        assert_eq!(contents(&store), after);
    });
}

#[test]
fn a_box_that_changed_since_it_was_read_is_a_conflict() {
    hold("a box that changed since it was read is a conflict", CASES, |dice| {
        let (_, mut store, pack) = build(dice);
        let Ok(outcome) = preview(&pack, &store, &env(5)) else { return };
        let expects = outcome.writes.expects.iter();
        let mut boxes = expects.filter(|expected| expected.kind() == Some(Kind::Boxes));
        let Some(box_id) = boxes.next_back().map(|read| read.first_key().to_owned()) else {
            return;
        };
        let append = tuckbox::cards::AppendToBox::new(box_id, ["late"].into_iter().collect());
        let late =
            rule::preview(&append, &mut Snapshot::new("p1".into()), &env(6), &store).unwrap();
        store.commit(&late.writes).unwrap();
        let before = contents(&store);
        let error = store.commit(&outcome.writes).unwrap_err();
        assert_eq!(error.code(), Code::Conflict);
        assert_eq!(contents(&store), before, "nothing of the batch was applied");
    });
}

/// A store that is not to be asked.
struct Refusing;

impl Store for Refusing {
    fn read(&self, _: &Reads) -> Result<Answers> {
        Err(Error::store("this store is not to be asked"))
    }
    fn commit(&mut self, _: &Writes) -> Result<Receipt> {
        Err(Error::store("this store is not to be asked"))
    }
}

/// A store that counts how often it is asked.
struct Counting(MemoryStore, std::cell::Cell<usize>);

impl Store for Counting {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        self.1.set(self.1.get() + 1);
        self.0.read(reads)
    }
    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        self.0.commit(writes)
    }
}

#[test]
fn packing_takes_at_most_two_reads_and_one_commit_for_one_or_a_thousand_boxes() {
    for boxes in [1, 1_000] {
        for check_liveness in [false, true] {
            let mut store = MemoryStore::new();
            let tables = store.project("p1");
            tables.add_profile(tuckbox::store::Profile::new("Writer", "pb"));
            let ids: Vec<String> = (0..boxes).map(|n| format!("b{n}")).collect();
            for id in &ids {
                tables.add_box(id.as_str(), [id.as_str(), "shared"]);
            }
            let mut call = Call::inheriting(ids.clone()).pack();
            call.check_liveness = check_liveness;
            let mut store = Counting(store, std::cell::Cell::new(0));
            let mut snapshot = Snapshot::new("p1".into());
            let outcome = rule::preview(&call, &mut snapshot, &env(7), &store).unwrap();
            assert_eq!(outcome.value.attached_card_ids.len(), boxes + 1);
            assert!(store.1.get() <= 2, "{} reads for {boxes} boxes", store.1.get());
            assert!(!store.commit(&outcome.writes).unwrap().repeated);
        }
    }
}

#[test]
fn not_read_and_absent_are_different() {
    let mut snapshot = Snapshot::new("p1".into());
    assert_eq!(snapshot.card_box("b"), Lookup::NotRead);
    let mut reads = Reads::new("p1".into());
    reads.add(Kind::Boxes, "b");
    snapshot.absorb(&reads, MemoryStore::new().read(&reads).unwrap()).unwrap();
    assert_eq!(snapshot.card_box("b"), Lookup::Absent);
}

#[test]
fn a_rule_asks_for_everything_it_can_name_at_once() {
    let call = Call::inheriting(vec!["b1".into(), "b2".into()]).pack();
    let Step::Need(reads) = call.step(&Snapshot::new("p1".into()), &env(1)).unwrap() else {
        panic!("nothing is known yet");
    };
    assert_eq!(reads.of(Kind::Boxes).collect::<Vec<_>>(), ["b1", "b2"]);
    assert_eq!(reads.of(Kind::Profiles).collect::<Vec<_>>(), ["Writer"]);
}
