//! Property tests of packing in random worlds. The expected results come from an oracle that shares
//! no code with the core.

use crate::pack::oracle::{Call, World, call, world};
use crate::property::{Dice, hold};
use tuckbox::rule::hash::ContentHash;
use tuckbox::store::{Answers, Kind, Lookup, MemoryStore, Reads, Receipt, Snapshot, Store, Writes};
use tuckbox::{
    Code, Dialect, Env, Error, Outcome, PackContext, Packed, Result, Rule, Step, Timestamp, rule,
    value::json,
};

fn env(seed: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000 + i64::from(seed)), [seed; 32])
}

fn preview(call: &PackContext, store: &MemoryStore, env: &Env) -> Result<Outcome<Packed>> {
    rule::preview(call, &mut Snapshot::new("p1".into()), env, store)
}

/// Returns everything in an outcome as JSON text.
fn bytes(outcome: &Outcome<Packed>) -> String {
    let Outcome { value, writes, ledger, lints } = outcome;
    json::to_text(&(value, writes, ledger, lints)).unwrap()
}

/// The whole store as text, to detect changes. One world in four has it, because writing the text
/// takes longer than all calls.
struct Contents(Option<String>);

impl Contents {
    fn of(store: &MemoryStore, dice: &mut Dice) -> Self {
        Self(dice.percent(25).then(|| format!("{store:?}")))
    }

    fn are_still_those_of(&self, store: &MemoryStore) {
        if let Some(before) = &self.0 {
            assert_eq!(&format!("{store:?}"), before);
        }
    }
}

/// The number of calls in one world. Creating a world takes longer than a call.
const SHARED: usize = 16;

fn build(dice: &mut Dice) -> (World, MemoryStore, Vec<Call>) {
    let world = world(dice);
    let store = world.store();
    let calls = (0..SHARED).map(|_| call(dice)).collect();
    (world, store, calls)
}

/// Returns the calls that succeed, with their outcomes. Each has its own environment.
fn outcomes<'a>(store: &MemoryStore, calls: &'a [Call]) -> Vec<(&'a Call, Outcome<Packed>)> {
    let mut snapshot = Snapshot::new("p1".into());
    let made = calls.iter().zip(0..).map(|(call, seed)| {
        let made = rule::preview(&call.pack(), &mut snapshot, &env(seed), store);
        made.ok().map(|outcome| (call, outcome))
    });
    made.flatten().collect()
}

#[test]
fn packing_equals_the_oracle() {
    hold("packing equals the oracle", |dice| {
        let (world, store, calls) = build(dice);
        let mut snapshot = Snapshot::new("p1".into());
        for mut call in calls {
            let mut pack = call.pack();
            for dialect in Dialect::ALL {
                call.dialect = dialect;
                pack.dialect = Some(dialect);
                let ours = rule::preview(&pack, &mut snapshot, &env(1), &store);
                equals_the_oracle(&world, &call, ours);
            }
        }
        SHARED * Dialect::ALL.len()
    });
}

fn equals_the_oracle(world: &World, call: &Call, ours: Result<Outcome<Packed>>) {
    match (ours, crate::pack::oracle::pack(world, call)) {
        (Ok(outcome), Ok(expected)) => {
            let ids = outcome.value.attached_card_ids.iter();
            let new: Vec<&str> =
                outcome.writes.cards.iter().map(|card| card.card_id.as_str()).collect();
            assert!(
                ids.eq(crate::pack::oracle::with_new_ids(&expected, &new)),
                "{:?}, expected {expected:?}: {call:?} in {world:?}",
                outcome.value.attached_card_ids
            );
            for card in &outcome.writes.cards {
                let is_pointer = card.card_type() == Some("meta.parent_pointer");
                assert_eq!(card.author_id(), Some(if is_pointer { "agent_a" } else { "tool" }));
            }
            let entries = outcome.ledger.boxes[0].entries(0..usize::MAX).len();
            assert_eq!(entries, outcome.value.attached_card_ids.len());
        }
        (Err(error), Err(code)) => {
            assert_eq!(error.code().as_str(), code, "{error}: {call:?} in {world:?}");
        }
        (ours, expected) => {
            let ours = ours.map(|outcome| outcome.value);
            panic!("ours {ours:?}, expected {expected:?}: {call:?} in {world:?}");
        }
    }
}

#[test]
fn the_same_call_and_env_give_the_same_bytes_and_write_nothing() {
    let property = "the same call and env give the same bytes and write nothing";
    hold(property, |dice| {
        let (world, store, calls) = build(dice);
        let before = Contents::of(&store, dice);
        let mut full = Snapshot::new("p1".into());
        let everything = world.everything();
        full.absorb(&everything, store.read(&everything).unwrap()).unwrap();
        for (call, seed) in calls.iter().zip(0..) {
            let pack = call.pack();
            let lean = preview(&pack, &store, &env(seed));
            let rich = rule::preview(&pack, &mut full, &env(seed), &Refusing);
            match (lean, rich) {
                (Ok(lean), Ok(rich)) => {
                    assert_eq!(lean.value, rich.value, "{call:?}");
                    assert_eq!(lean.writes, rich.writes, "{call:?}");
                    assert_eq!(lean.lints, rich.lints, "{call:?}");
                    // equal values can differ in order; only some are written as text, which is
                    // slow
                    if seed % 4 == 0 {
                        assert_eq!(bytes(&lean), bytes(&rich), "{call:?}");
                    }
                }
                (Err(lean), Err(rich)) => assert_eq!(lean, rich, "{call:?}"),
                (lean, rich) => panic!("{:?} {:?}: {call:?}", lean.is_ok(), rich.is_ok()),
            }
        }
        before.are_still_those_of(&store);
        SHARED
    });
}

#[test]
fn a_commit_has_the_hash_of_its_preview_and_applies_once() {
    hold("a commit has the hash of its preview and applies once", |dice| {
        let (_, mut store, calls) = build(dice);
        let outcomes = outcomes(&store, &calls);
        let mut commit = |made: &Outcome<Packed>| store.commit(&made.writes).unwrap();
        let first: Vec<Receipt> = outcomes.iter().map(|(_, made)| commit(made)).collect();
        let tables = store.tables("p1").unwrap();
        for (call, outcome) in &outcomes {
            let new = outcome.writes.cards.iter();
            let cards: Vec<_> = new
                .map(|new| tables.cards().find(|card| card.card_id == new.card_id).unwrap())
                .collect();
            let packed = tables.boxes().find(|row| row.box_id == outcome.value.context_box_id);
            let committed = ContentHash::of(cards, packed).unwrap();
            assert_eq!(committed, outcome.content_hash().unwrap(), "{call:?}");
        }
        let after = Contents::of(&store, dice);
        for ((call, outcome), first) in outcomes.iter().zip(first) {
            let second = store.commit(&outcome.writes).unwrap();
            assert!(!first.repeated && second.repeated, "{call:?}");
            assert_eq!(first.boxes, second.boxes, "{call:?}");
        }
        after.are_still_those_of(&store);
        SHARED
    });
}

#[test]
fn a_box_that_changed_after_it_was_read_is_a_conflict() {
    hold("a box that changed after it was read is a conflict", |dice| {
        let (_, mut store, calls) = build(dice);
        let outcomes = outcomes(&store, &calls);
        // only one box changes, so each box of a call is tested alone
        let box_id = dice.pick(&["b1", "b2"]);
        let append = tuckbox::cards::AppendToBox::new(box_id, ["late"].into_iter().collect());
        let late =
            rule::preview(&append, &mut Snapshot::new("p1".into()), &env(99), &store).unwrap();
        store.commit(&late.writes).unwrap();
        let before = Contents::of(&store, dice);
        for (call, outcome) in outcomes.iter().filter(|(call, _)| call.inherits(box_id)) {
            let error = store.commit(&outcome.writes).err();
            assert_eq!(error.map(|error| error.code()), Some(Code::Conflict), "{box_id}: {call:?}");
        }
        before.are_still_those_of(&store);
        for (_, outcome) in outcomes.iter().filter(|(call, _)| !call.inherits(box_id)) {
            store.commit(&outcome.writes).unwrap();
        }
        SHARED
    });
}

/// A store that must not be used.
struct Refusing;

impl Store for Refusing {
    fn read(&self, _: &Reads) -> Result<Answers> {
        Err(Error::store("this store must not be used"))
    }
    fn commit(&mut self, _: &Writes) -> Result<Receipt> {
        Err(Error::store("this store must not be used"))
    }
}

/// A store that counts its reads.
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
fn a_rule_requests_all_known_keys_in_its_first_read() {
    let call = Call::inheriting(vec!["b1".into(), "b2".into()]).pack();
    let Step::Need(reads) = call.step(&Snapshot::new("p1".into()), &env(1)).unwrap() else {
        panic!("the rule does not read");
    };
    assert_eq!(reads.of(Kind::Boxes).collect::<Vec<_>>(), ["b1", "b2"]);
    assert_eq!(reads.of(Kind::Profiles).collect::<Vec<_>>(), ["Writer"]);
}
