//! The laws of handing over: what the receiver will see is what it sees, and a batch with one bad
//! task leaves nothing behind.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use proptest::prelude::*;
use tuckbox::door::Call;
use tuckbox::json::Field;
use tuckbox::settings::Defaults;
use tuckbox::store::{
    Agent, AgentPointers, AgentState, Answers, MemoryStore, Profile, Reads, Receipt, Snapshot,
    Store, Writes,
};
use tuckbox::{Card, Code, Env, Json, Result, Step, Timestamp};

fn env() -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [5; 32])
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// A store that counts how often it is asked.
#[derive(Default)]
struct Counting {
    store: MemoryStore,
    reads: std::cell::Cell<usize>,
    commits: usize,
}

impl Store for Counting {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        self.reads.set(self.reads.get() + 1);
        self.store.read(reads)
    }
    fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
        self.commits += 1;
        self.store.commit(writes)
    }
}

/// Drives a call; with `commit` its writes are applied.
fn drive(store: &mut impl Store, call: &Json, commit: bool) -> Result<Json> {
    let call = Call::from_json(call, &Defaults::default())?;
    let mut snapshot = Snapshot::new("p1".into());
    loop {
        match call.step(&snapshot, &env())? {
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
            Step::Done(outcome) => {
                if commit {
                    store.commit(&outcome.writes)?;
                }
                return outcome.value.to_json();
            }
        }
    }
}

fn card(card_id: &str, rest: &str) -> Card {
    let row = format!(r#"{{"card_id": "{card_id}", {rest}}}"#);
    Card::from_row(&Field::root(&json(&row))).unwrap()
}

/// A project with two profiles and three agents; some of its cards are gone.
fn store(boxes: &[Vec<String>]) -> MemoryStore {
    let mut store = MemoryStore::new();
    let tables = store.project("p1");
    for name in ["Caller", "Writer"] {
        let pb = format!("pb_{}", name.to_lowercase());
        let mut profile = Profile::new(name, pb.as_str());
        profile.delegation_policy = json(r#"{"target_profiles": null}"#);
        tables.add_profile(profile).add_box(pb.as_str(), [name]);
        tables.add_card(card(
            name,
            &format!(
                r#""metadata": {{"type": "sys.profile"}}, "content": {{"__type__": "JsonContent",
                    "data": {{"name": "{name}", "system_prompt_template": "You are {{display_name}}."}}}}"#
            ),
        ));
    }
    for (at, ids) in boxes.iter().enumerate() {
        tables.add_box(format!("b{at}").as_str(), ids.iter().map(String::as_str));
    }
    for id in ["a", "b", "c"] {
        let text = format!(
            r#""metadata": {{"role": "assistant", "type": "agent.thought"}},
                "content": {{"__type__": "TextContent", "text": "thought {id}"}}"#
        );
        tables.add_card(card(id, &text));
    }
    let fields = r#""metadata": {"role": "user", "type": "task.result_fields"}, "content":
        {"__type__": "FieldsSchemaContent", "fields": [{"name": "summary", "description": "short"}]}"#;
    tables.add_card(card("d", fields));
    tables.add_card(card(
        "e",
        r#""metadata": {"role": "user"}, "deleted_at": "2026-01-01T00:00:00Z",
        "content": {"__type__": "TextContent", "text": "deleted"}"#,
    ));
    for (name, profile) in
        [("agent_a", "pb_caller"), ("agent_w", "pb_writer"), ("agent_v", "pb_writer")]
    {
        let mut agent = Agent::new(name, profile);
        agent.state = Some(AgentState {
            status: "running".into(),
            output_box_id: Some("b0".into()),
            context_box_id: Some("b1".into()),
            profile_box_id: Some(profile.into()),
        });
        let last_output_box_id = Some("b1".into());
        agent.pointers = Some(AgentPointers { last_output_box_id, ..AgentPointers::default() });
        tables.add_agent(agent);
    }
    store
}

fn task() -> impl Strategy<Value = Json> {
    let target = prop::sample::select(vec![
        ("new", "Writer"),
        ("new", "caller"),
        ("clone", "agent_w"),
        ("clone", "agent_v"),
        ("new", "Nobody"),
    ]);
    let target = (0..40_u8, target).prop_map(|(dice, target)| {
        if dice == 0 {
            target
        } else {
            match target {
                ("new", "Nobody") => ("new", "Writer"),
                other => other,
            }
        }
    });
    let boxes = prop::sample::select(vec![None, Some("b0"), Some("b1"), Some("b2")]);
    let instruction = prop::sample::select(vec!["go on", " 做完 ", "x"]);
    (target, boxes, instruction).prop_map(|((strategy, target), context, instruction)| {
        let mut task = tuckbox::json::Object::new();
        task.insert("target_strategy".into(), strategy.into());
        task.insert("target_ref".into(), target.into());
        task.insert("instruction".into(), instruction.into());
        if let Some(context) = context {
            task.insert("context_box_id".into(), context.into());
        }
        Json::Object(task)
    })
}

fn fork(tasks: &[Json], dialect: &str) -> Json {
    Json::from([
        ("op", Json::from("fork_join")),
        ("source_agent_id", "agent_a".into()),
        ("dialect", dialect.into()),
        ("recursion_depth", 0_u64.into()),
        ("max_tasks", 1_000_u64.into()),
        ("arguments", Json::from([("tasks", Json::Array(tasks.to_vec()))])),
    ])
}

/// What the receiver of a dispatch sees, as a call; `after` is a call that is not committed yet.
fn view(dispatch: &Json, dialect: &str, after: Option<&Json>) -> Json {
    let mut call = tuckbox::json::Object::new();
    call.insert("op".into(), "turn_view".into());
    call.insert("dialect".into(), dialect.into());
    for key in ["context_box_id", "output_box_id", "profile_box_id", "display_name"] {
        call.insert(key.into(), dispatch.get(key).cloned().unwrap_or_default());
    }
    if let Some(after) = after {
        call.insert("after".into(), after.clone());
    }
    Json::Object(call)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_receivers_preview_is_its_view_after_the_commit(
        boxes in prop::collection::vec(prop::collection::vec("[a-f]", 0..4), 3),
        tasks in prop::collection::vec(task(), 1..3),
        dialect in prop::sample::select(vec!["v1r3", "v1r4", "v1r4_hotfix"]),
    ) {
        let mut store = store(&boxes);
        let call = fork(&tasks, dialect);
        let forked = match drive(&mut store, &call, false) {
            Ok(forked) => forked,
            Err(error) => {
                let untouched = format!("{store:?}");
                prop_assert!(drive(&mut store, &call, true).is_err());
                prop_assert_eq!(format!("{store:?}"), untouched, "a refused batch writes nothing");
                let path = error.path().to_string();
                prop_assert!(path.contains("tasks["), "{} has no task", error);
                return Ok(());
            }
        };
        let dispatches: Vec<Json> = forked.get("tasks").unwrap().as_array().unwrap().iter()
            .map(|task| task.get("handed").unwrap().get("dispatch").unwrap().clone()).collect();
        let before: Vec<Json> = dispatches.iter()
            .map(|dispatch| drive(&mut store, &view(dispatch, dialect, Some(&call)), false).unwrap())
            .collect();
        drive(&mut store, &call, true).unwrap();
        for (dispatch, before) in dispatches.iter().zip(before) {
            let after = drive(&mut store, &view(dispatch, dialect, None), false).unwrap();
            prop_assert_eq!(before.to_string(), after.to_string());
        }
    }
}

fn many(tasks: usize) -> (Counting, Vec<Json>) {
    let boxes: Vec<Vec<String>> =
        (0..100).map(|at| vec![format!("c{at}"), "shared".into()]).collect();
    let tasks = (0..tasks)
        .map(|at| {
            Json::from([
                ("target_strategy", Json::from("new")),
                ("target_ref", "Writer".into()),
                ("instruction", format!("task {at}").into()),
                ("context_box_id", format!("b{}", at % 100).into()),
            ])
        })
        .collect();
    (Counting { store: store(&boxes), ..Counting::default() }, tasks)
}

#[test]
fn a_thousand_tasks_over_a_hundred_boxes_take_three_reads_and_one_commit() {
    let (mut store, tasks) = many(1_000);
    let forked = drive(&mut store, &fork(&tasks, "v1r3"), true).unwrap();
    assert_eq!(forked.get("tasks").unwrap().as_array().unwrap().len(), 1_000);
    assert!(store.reads.get() <= 3, "{} reads", store.reads.get());
    assert_eq!(store.commits, 1);
}

#[test]
fn one_bad_task_among_a_thousand_leaves_nothing_written() {
    let (mut store, mut tasks) = many(1_000);
    let Json::Object(task) = &mut tasks[700] else { panic!("a task is an object") };
    task.insert("target_ref".into(), "Nobody".into());
    let before = format!("{:?}", store.store);
    let error = drive(&mut store, &fork(&tasks, "v1r3"), true).unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    assert!(error.path().to_string().ends_with("tasks[700].target_ref"), "{error}");
    assert_eq!(format!("{:?}", store.store), before);
}
