//! Property tests of handovers in random worlds. The receiver sees what the preview shows, a
//! refused call writes nothing, and a batch of many tasks takes three reads.

use crate::pack::world::{World, handover};
use crate::property::hold;
use std::cell::Cell;
use std::ops::Range;
use tuckbox::agents::Setup;
use tuckbox::agents::recipe::{Caller, ForkJoin, ForkJoinArguments, Preview, PreviewHandover};
use tuckbox::agents::turn::TurnView;
use tuckbox::rule::AnyOutcome;
use tuckbox::rule::{self, Step};
use tuckbox::store::{Answers, MemoryStore, Reads, Receipt, Snapshot, Store, Writes};
use tuckbox::value::json::to_json;
use tuckbox::{Env, Json, Result, Timestamp};

fn env() -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [3; 32])
}

fn drive(call: &Json, setup: &Setup, store: &MemoryStore) -> Result<AnyOutcome> {
    let call = setup.read_call(call)?;
    let mut snapshot = Snapshot::new("p1".into());
    loop {
        match call.step(&snapshot, &env())? {
            Step::Done(outcome) => return Ok(outcome),
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
        }
    }
}

fn tasks(arguments: &Json) -> ForkJoinArguments {
    ForkJoinArguments::from_json(arguments).unwrap()
}

fn contents(store: &MemoryStore) -> String {
    format!("{store:?}")
}

/// The number of calls in one world.
const SHARED: usize = 8;

#[test]
fn the_receiver_sees_what_the_preview_shows() {
    hold("the receiver sees what the preview shows", |dice| {
        let World { store, setup, .. } = World::random(dice);
        let calls = (0..SHARED).map(|_| {
            let (call, tasks) = handover(dice);
            // each packed context is a case; some calls also name a context that does not exist
            let tasks = if dice.percent(4) { tasks..tasks + 1 } else { 0..tasks };
            check_contexts(store.clone(), &setup, &call, tasks)
        });
        calls.sum::<usize>()
    });
}

/// Checks the property for some contexts of a call. Returns their number.
fn check_contexts(
    mut store: MemoryStore,
    setup: &Setup,
    call: &Json,
    tasks: Range<usize>,
) -> usize {
    let outcome = drive(call, setup, &store);
    let count = tasks.len();
    let shown: Vec<Preview> = tasks
        .filter_map(|task| {
            let look = Json::from([("call", call.clone()), ("task", Json::from(task))]);
            let look = PreviewHandover::from_json(&look).and_then(|look| {
                let look = look.with_setup(setup);
                rule::preview(&look, &mut Snapshot::new("p1".into()), &env(), &store)
            });
            match (look, &outcome) {
                (Ok(seen), Ok(outcome)) => {
                    assert_eq!(seen.value.content_hash, outcome.content_hash().unwrap());
                    Some(seen.value)
                }
                (Err(shown), Err(real)) => {
                    // the preview and the call have the same error
                    assert_eq!((shown.code(), shown.message()), (real.code(), real.message()));
                    None
                }
                // only the preview fails if the prompt template of the receiver is invalid
                (Err(shown), Ok(_)) => {
                    let path = shown.path().to_string();
                    assert!(path.contains("system_prompt_template") || path == "task", "{shown}");
                    None
                }
                (Ok(_), Err(real)) => panic!("the preview succeeds, but the call fails: {real}"),
            }
        })
        .collect();
    let Ok(outcome) = outcome else { return count };
    store.commit(&outcome.writes).unwrap();

    let dialect = call.get("dialect").and_then(Json::as_str).unwrap();
    let frame =
        TurnView { dialect: tuckbox::Dialect::named(dialect).unwrap(), ..TurnView::default() };
    for seen in shown {
        let view = seen.receiver_is.turn_view(&frame);
        let after = rule::preview(&view, &mut Snapshot::new("p1".into()), &env(), &store).unwrap();
        assert_eq!(
            to_json(&after.value).unwrap().to_string(),
            to_json(&seen.receiver).unwrap().to_string()
        );

        // each card of the sender and the receiver is counted
        let sent = seen.sender.as_ref().map_or(0, distinct);
        assert_eq!(seen.shared.len() + seen.not_passed_on.len(), sent);
        assert_eq!(seen.shared.len() + seen.added.len(), distinct(&seen.receiver));
    }
    count
}

fn distinct(turn: &tuckbox::agents::turn::Turn) -> usize {
    let lifted = turn.result_fields.iter().map(|field| field.card_id.as_str());
    let cards = turn.source_card_ids().map(|id| id.as_str());
    cards.chain(lifted).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn a_batch_with_a_refused_task_writes_nothing() {
    hold("a batch with a refused task writes nothing", |dice| {
        let World { mut store, setup, .. } = World::random(dice);
        let before = contents(&store);
        for _ in 0..SHARED {
            let tasks = 2 + dice.below(6);
            let wrong = dice.below(tasks);
            let call = crate::pack::world::fork_join(dice, tasks, Some(wrong));
            let done = drive(&call, &setup, &store);
            let done = done.and_then(|outcome| store.commit(&outcome.writes));
            assert!(done.is_err(), "{call}");
        }
        assert_eq!(contents(&store), before);
        SHARED
    });
}

#[test]
fn the_path_names_the_first_invalid_task() {
    let store = World::plain();
    hold("the path names the first invalid task", |dice| {
        let tasks = 2 + dice.below(6);
        let wrong = dice.below(tasks);
        let mut call = crate::pack::world::fork_join(dice, tasks, Some(wrong));
        crate::pack::world::set(&mut call, "dialect", "v1r3".into());
        let error = drive(&call, &Setup::default(), &store).err().unwrap();
        assert!(error.path().to_string().starts_with(&format!("tasks[{wrong}].")), "{error}");
    });
}

/// Counts the reads and the commits of a store.
struct Counting<'a> {
    store: &'a mut MemoryStore,
    reads: Cell<usize>,
    commits: usize,
}

impl Store for Counting<'_> {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        self.reads.set(self.reads.get() + 1);
        self.store.read(reads)
    }

    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        self.commits += 1;
        self.store.commit(writes)
    }
}

#[test]
fn a_thousand_tasks_over_a_hundred_boxes_take_three_reads_and_one_commit() {
    for dialect in tuckbox::Dialect::ALL {
        let mut store = crate::pack::world::shared_boxes(100, 50);
        let mut counting = Counting { store: &mut store, reads: Cell::new(0), commits: 0 };
        let mut caller = Caller::new("lead");
        caller.dialect = Some(dialect);
        let arguments = crate::pack::world::shared_tasks(1_000, 100, dialect);
        let rule = ForkJoin::new(caller, tasks(&arguments)).with_max_tasks(1_000);
        let outcome =
            rule::preview(&rule, &mut Snapshot::new("p1".into()), &env(), &counting).unwrap();
        counting.commit(&outcome.writes).unwrap();
        assert!(counting.reads.get() <= 3, "{} reads under {}", counting.reads.get(), dialect.name);
        assert_eq!(counting.commits, 1);
        let indexes: Vec<usize> = outcome.value.tasks.iter().map(|task| task.task_index).collect();
        assert_eq!(indexes, (0..1_000).collect::<Vec<_>>());
        assert_eq!(outcome.writes.boxes.len(), 1_000);
    }
}

#[test]
fn a_box_that_changed_after_the_preview_is_a_conflict_and_nothing_is_written() {
    let mut store = crate::pack::world::shared_boxes(3, 4);
    let arguments = crate::pack::world::shared_tasks(6, 3, tuckbox::Dialect::V1R3);
    let rule = ForkJoin::new(Caller::new("lead"), tasks(&arguments));
    let outcome = rule::preview(&rule, &mut Snapshot::new("p1".into()), &env(), &store).unwrap();
    let append = Json::parse(r#"{"op": "append_to_box", "box_id": "shared_2", "card_ids": ["x"]}"#);
    let mut append = drive(&append.unwrap(), &Setup::default(), &store).unwrap();
    append.writes.operation_id = "another".to_owned();
    store.commit(&append.writes).unwrap();
    let before = contents(&store);
    assert_eq!(store.commit(&outcome.writes).unwrap_err().code(), tuckbox::Code::Conflict);
    assert_eq!(contents(&store), before);
}
