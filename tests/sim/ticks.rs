//! The outcome of a batch does not depend on the times of the watchdog.
//!
//! The same events happen at the same times; only the ticks differ. One watchdog looks every few
//! seconds, another one a few times. A tick also sends the messages. Both must end every task and
//! the batch in the same way, with and without `fail_fast`, a deadline, leases and a dispatch
//! timeout.

use super::dice::Dice;
use super::failure::{Failure, failure};
use super::object;
use std::collections::BTreeMap;
use tuckbox::agents::Setup;
use tuckbox::rule::Step;
use tuckbox::store::table::{BATCH_TASKS, BATCHES, PROJECT_AGENTS, Table};
use tuckbox::store::{MemoryStore, Snapshot, Store};
use tuckbox::value::json::{Json, Object};
use tuckbox::{Env, Error, Timestamp};

const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const CONTEXT: &str = "00000000-0000-4000-8000-0000000000c1";
const AGENTS: [&str; 4] = ["w1", "w2", "w3", "w4"];
/// The ticks that every watchdog makes at the end, in milliseconds.
const LAST: [i64; 4] = [420_000, 490_000, 560_000, 630_000];

/// What the worker of a child does, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// No worker starts the turn.
    Never,
    /// The worker claims the turn, and stops.
    Claimed(i64),
    /// The worker starts the turn, and stops.
    Silent(i64),
    Completes(i64, i64),
    Fails(i64, i64),
}

impl Fate {
    fn of(dice: &mut Dice) -> Self {
        let start = 200 + time(dice, 12_000);
        let end = start + 1 + time(dice, 14_000);
        match dice.below(6) {
            0 => Self::Never,
            1 => Self::Claimed(start),
            2 => Self::Silent(start),
            3 => Self::Fails(start, end),
            _ => Self::Completes(start, end),
        }
    }

    /// Returns the times at which the worker acts.
    fn times(self) -> Vec<i64> {
        match self {
            Self::Never => Vec::new(),
            Self::Claimed(start) | Self::Silent(start) => vec![start],
            Self::Completes(start, end) | Self::Fails(start, end) => vec![start, end],
        }
    }
}

/// A batch and what happens to its children.
#[derive(Clone, Debug)]
struct Story {
    fates: Vec<Fate>,
    fail_fast: bool,
    deadline_seconds: Option<i64>,
    settings: Object,
}

impl Story {
    fn of(dice: &mut Dice) -> Self {
        let count = 1 + dice.below(AGENTS.len());
        let fates = (0..count).map(|_| Fate::of(dice)).collect();
        let deadline = [4, 9, 17, 29, 31, 38, 44, 52, 58, 90, 200, 320];
        let deadline_seconds =
            dice.percent(60).then(|| dice.pick(&deadline).copied().unwrap_or(31));
        let mut settings = Object::default();
        for (name, values) in [
            ("lease_seconds", [15_i64, 15, 0]),
            ("dispatched_timeout_seconds", [30, 30, 0]),
            ("max_attempts", [3, 3, 1]),
        ] {
            settings.insert(name.to_owned(), dice.pick(&values).copied().unwrap_or(1).into());
        }
        Self { fates, fail_fast: dice.percent(50), deadline_seconds, settings }
    }
}

fn time(dice: &mut Dice, below: usize) -> i64 {
    i64::try_from(dice.below(below)).unwrap_or(0)
}

/// Runs a batch under several watchdogs, and compares the outcomes.
pub fn check_ticks(seed: u64) -> Result<(), Failure> {
    check_ticks_of(&Setup::default(), seed)
}

/// As [`check_ticks`], with the settings of a project.
pub fn check_ticks_of(setup: &Setup, seed: u64) -> Result<(), Failure> {
    let mut dice = Dice::of(seed, u64::MAX);
    let story = Story::of(&mut dice);
    let often: Vec<i64> =
        (1..26).map(|at| at * 3000 + 7).chain([90_007, 210_007, 330_007]).collect();
    let expected = outcome(setup, &story, &often)?;
    for _ in 0..3 {
        let count = dice.below(6);
        let longest = if dice.percent(50) { 60_000 } else { 400_000 };
        let mut rarely: Vec<i64> = (0..count).map(|_| 100 + time(&mut dice, longest)).collect();
        rarely.sort_unstable();
        let found = outcome(setup, &story, &rarely)?;
        if found != expected {
            let text = format!("{story:?} with ticks at {rarely:?}: {found:?}, not {expected:?}");
            return Err(failure("outcomes do not depend on ticks", text));
        }
    }
    Ok(())
}

/// Returns the outcome of the batch and of its tasks.
fn outcome(setup: &Setup, story: &Story, ticks: &[i64]) -> Result<Vec<String>, Failure> {
    let mut host = Host::new(setup.clone(), story.settings.clone());
    let specs: Vec<Json> = AGENTS
        .iter()
        .take(story.fates.len())
        .map(|agent| {
            Json::Object(object! {
                "agent_id" => *agent, "profile_box_id" => PROFILE, "context_box_id" => CONTEXT,
            })
        })
        .collect();
    host.call("tool_call", object! { "correlation_id" => "call", "recursion_depth" => 0_i64 })?;
    let mut batch = object! {
        "source_agent_id" => "boss", "parent_agent_turn_id" => "t_boss", "parent_turn_epoch" => 1_i64,
        "parent_tool_call_id" => "call", "recursion_depth" => 0_i64, "activate" => true,
        "fail_fast" => story.fail_fast, "task_specs" => specs,
    };
    if let Some(seconds) = story.deadline_seconds {
        batch.insert("deadline_seconds".into(), seconds.into());
    }
    host.call("create_batch", batch)?;
    // at one time, workers act before the watchdog
    let mut times: Vec<(i64, Option<usize>)> = Vec::new();
    for (at, fate) in story.fates.iter().enumerate() {
        times.extend(fate.times().into_iter().map(|time| (time, Some(at))));
    }
    times.extend(ticks.iter().chain(&LAST).map(|at| (*at, None)));
    times.sort_by_key(|(time, who)| (*time, who.is_none(), *who));
    for (millis, who) in times {
        host.millis = millis;
        match who.and_then(|at| Some((at, *story.fates.get(at)?))) {
            Some((at, fate)) => host.act(at, fate)?,
            None => host.tick()?,
        }
    }
    let mut found = host.column(&BATCHES, &["status"]);
    found.extend(host.column(&BATCH_TASKS, &["status", "error_detail"]));
    Ok(found)
}

/// A host of one project, with its watchdog and its workers.
struct Host {
    store: MemoryStore,
    setup: Setup,
    settings: Object,
    millis: i64,
    calls: u64,
    /// The turns that workers started, by their agents.
    started: BTreeMap<usize, Object>,
}

impl Host {
    fn new(setup: Setup, settings: Object) -> Self {
        let mut store = MemoryStore::new();
        let project = store.project("p1");
        project.add_box(PROFILE, []);
        project.add_box(CONTEXT, []);
        for agent in AGENTS.into_iter().chain(["boss"]) {
            let row = object! {
                "agent_id" => agent, "worker_target" => "generic", "profile_box_id" => PROFILE,
                "in_roster" => true,
            };
            project.add_row(&PROJECT_AGENTS, row);
        }
        Self { store, setup, settings, millis: 0, calls: 0, started: BTreeMap::new() }
    }

    fn call(&mut self, op: &str, args: Object) -> Result<Json, Failure> {
        let broken = |error: Error| failure("no call fails", format!("{op}: {error}"));
        self.perform(op, args).map_err(broken)
    }

    fn perform(&mut self, op: &str, mut args: Object) -> tuckbox::Result<Json> {
        args.insert("op".into(), op.into());
        args.insert("settings".into(), Json::Object(self.settings.clone()));
        self.calls += 1;
        let mut entropy = [0; 32];
        entropy[..8].copy_from_slice(&self.calls.to_be_bytes());
        let env = Env::new(Timestamp::from_millis(self.millis), entropy);
        let call = self.setup.read_call(&Json::Object(args))?;
        let mut snapshot = Snapshot::new("p1".into());
        loop {
            match call.step(&snapshot, &env)? {
                Step::Need(reads) => snapshot.absorb(&reads, self.store.read(&reads)?)?,
                Step::Done(done) => {
                    self.store.commit(&done.writes)?;
                    return done.value.to_json();
                }
            }
        }
    }

    /// Lets the worker of a child start its turn, or end it.
    fn act(&mut self, at: usize, fate: Fate) -> Result<(), Failure> {
        if let Some(turn) = self.started.remove(&at) {
            let op = if matches!(fate, Fate::Fails(..)) { "turn_fail" } else { "turn_complete" };
            self.call(op, turn)?;
            return Ok(());
        }
        let agent = AGENTS.get(at).copied().unwrap_or_default();
        let claimed = self.call("claim_inbox", object! { "agent_id" => agent })?;
        if matches!(fate, Fate::Claimed(_)) {
            return Ok(());
        }
        let items = objects(&claimed, "items");
        // a stop of its batch can wait too
        let turn = items.into_iter().find(|item| item.get("kind") == Some(&"turn".into()));
        let Some(mut item) = turn else { return Ok(()) };
        let started = self.call("turn_start", item.clone())?;
        for key in ["step_id", "output_box_id"] {
            item.insert(key.into(), started.get(key).cloned().unwrap_or_default());
        }
        self.started.insert(at, item);
        Ok(())
    }

    /// Does what is due, and delivers the messages.
    fn tick(&mut self) -> Result<(), Failure> {
        let due = self.call("due", Object::default())?;
        for mut call in objects(&due, "calls") {
            let op = call.remove("op").unwrap_or_default();
            self.call(op.as_str().unwrap_or_default(), call)?;
        }
        let sent = self.call("outbox", Object::default())?;
        let mut ids = Vec::new();
        for message in objects(&sent, "messages") {
            ids.push(message.get("message_id").cloned().unwrap_or_default());
            let subject = message.get("subject").and_then(Json::as_str).unwrap_or_default();
            if subject.ends_with(".task") {
                let payload = message.get("payload").and_then(Json::as_object);
                let keys =
                    ["agent_turn_id", "status", "output_box_id", "deliverable_card_id", "error"];
                let event = keys
                    .iter()
                    .filter_map(|key| Some(((*key).to_owned(), payload?.get(key)?.clone())));
                let event = event.collect();
                self.call("child_event", event)?;
            }
        }
        if !ids.is_empty() {
            self.call("mark_sent", object! { "message_ids" => ids })?;
        }
        Ok(())
    }

    fn column(&self, table: &'static Table, columns: &[&str]) -> Vec<String> {
        let rows = self.store.tables("p1").into_iter().flat_map(|tables| tables.rows(table));
        let text = |row: &Object| {
            let columns = ["agent_id"].iter().chain(columns);
            let text = columns.map(|key| row.get(key).and_then(Json::as_str).unwrap_or_default());
            text.collect::<Vec<_>>().join(" ")
        };
        let mut found: Vec<String> = rows.map(|row| text(&row.row)).collect();
        found.sort_unstable();
        found
    }
}

fn objects(json: &Json, key: &str) -> Vec<Object> {
    let items = json.get(key).and_then(Json::as_array).unwrap_or_default();
    items.iter().filter_map(|item| item.as_object().cloned()).collect()
}
