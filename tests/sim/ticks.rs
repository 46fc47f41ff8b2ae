//! The outcome of a batch does not depend on the times of the watchdog.
//!
//! The same events happen at the same times, and only the ticks move: a watchdog that looks every 5
//! seconds, and one that looks a few times. Both must end every task and the batch in the same way.

use super::dice::Dice;
use super::failure::{Failure, failure};
use super::object;
use tuckbox::agents::Setup;
use tuckbox::rule::Step;
use tuckbox::store::table::{BATCH_TASKS, BATCHES, PROJECT_AGENTS, Table};
use tuckbox::store::{MemoryStore, Snapshot, Store};
use tuckbox::value::json::{Json, Object};
use tuckbox::{Env, Error, Timestamp};

const PROFILE: &str = "pb_writer";
const CONTEXT: &str = "notes";
const AGENTS: [&str; 4] = ["w1", "w2", "w3", "w4"];
/// The ticks that every watchdog makes at the end, in seconds.
const LAST: [i64; 4] = [420, 490, 560, 630];

/// What the worker of a child does.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// No worker starts the turn.
    Never,
    Completes,
    Fails,
    /// The worker starts the turn, and stops.
    Silent,
}

/// Runs a batch under several watchdogs, and compares the outcomes.
pub fn check_ticks(seed: u64) -> Result<(), Failure> {
    let mut dice = Dice::of(seed, u64::MAX);
    let count = 1 + dice.below(AGENTS.len());
    let fates: Vec<Fate> = (0..count)
        .map(|_| match dice.below(4) {
            0 => Fate::Completes,
            1 => Fate::Fails,
            2 => Fate::Silent,
            _ => Fate::Never,
        })
        .collect();
    let often: Vec<i64> = (1..80).map(|at| at * 5 + 1).collect();
    let expected = outcome(&fates, &often)?;
    for _ in 0..3 {
        let mut rarely: Vec<i64> =
            (0..dice.below(4)).map(|_| 11 + i64::try_from(dice.below(390)).unwrap_or(0)).collect();
        rarely.sort_unstable();
        let found = outcome(&fates, &rarely)?;
        if found != expected {
            let text = format!("{fates:?} with ticks at {rarely:?}: {found:?}, not {expected:?}");
            return Err(failure("outcomes do not depend on ticks", text));
        }
    }
    Ok(())
}

/// Returns the statuses of the batch and of its tasks.
fn outcome(fates: &[Fate], ticks: &[i64]) -> Result<Vec<String>, Failure> {
    let mut host = Host::new();
    let specs: Vec<Json> = AGENTS
        .iter()
        .take(fates.len())
        .map(|agent| {
            Json::Object(object! {
                "agent_id" => *agent, "profile_box_id" => PROFILE, "context_box_id" => CONTEXT,
            })
        })
        .collect();
    host.call("tool_call", object! { "correlation_id" => "call", "recursion_depth" => 0_i64 })?;
    let batch = object! {
        "source_agent_id" => "boss", "parent_agent_turn_id" => "t_boss", "parent_turn_epoch" => 1_i64,
        "parent_tool_call_id" => "call", "recursion_depth" => 0_i64, "activate" => true,
        "task_specs" => specs,
    };
    host.call("create_batch", batch)?;
    let mut times: Vec<(i64, bool)> = ticks.iter().chain(&LAST).map(|at| (*at, true)).collect();
    times.extend([(5, false), (10, false)]);
    times.sort_unstable();
    for (at, is_tick) in times {
        host.seconds = at;
        if is_tick {
            host.tick()?;
        } else {
            host.events(fates)?;
        }
    }
    let mut found = host.column(&BATCHES, "status");
    found.extend(host.column(&BATCH_TASKS, "status"));
    Ok(found)
}

/// A host of one project, with its watchdog and its workers.
struct Host {
    store: MemoryStore,
    seconds: i64,
    calls: u64,
    /// The turns that workers started, with their agents.
    started: Vec<(usize, Object)>,
}

impl Host {
    fn new() -> Self {
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
        Self { store, seconds: 0, calls: 0, started: Vec::new() }
    }

    fn call(&mut self, op: &str, args: Object) -> Result<Json, Failure> {
        let broken = |error: Error| failure("no call fails", format!("{op}: {error}"));
        self.perform(op, args).map_err(broken)
    }

    fn perform(&mut self, op: &str, mut args: Object) -> tuckbox::Result<Json> {
        args.insert("op".into(), op.into());
        self.calls += 1;
        let mut entropy = [0; 32];
        entropy[..8].copy_from_slice(&self.calls.to_be_bytes());
        let env = Env::new(Timestamp::from_millis(self.seconds * 1000), entropy);
        let call = Setup::default().read_call(&Json::Object(args))?;
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

    /// Lets the workers act: they start at 5 seconds, and end at 10 seconds.
    fn events(&mut self, fates: &[Fate]) -> Result<(), Failure> {
        for (at, turn) in std::mem::take(&mut self.started) {
            let op = match fates.get(at) {
                Some(Fate::Completes) => "turn_complete",
                Some(Fate::Fails) => "turn_fail",
                _ => continue,
            };
            self.call(op, turn)?;
        }
        if self.seconds > 5 {
            return Ok(());
        }
        for (at, (fate, agent)) in fates.iter().zip(AGENTS).enumerate() {
            if matches!(fate, Fate::Never) {
                continue;
            }
            let claimed = self.call("claim_inbox", object! { "agent_id" => agent })?;
            for item in objects(&claimed, "items") {
                let started = self.call("turn_start", item.clone())?;
                let mut item = item;
                for key in ["step_id", "output_box_id"] {
                    item.insert(key.into(), started.get(key).cloned().unwrap_or_default());
                }
                self.started.push((at, item));
            }
        }
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

    fn column(&self, table: &'static Table, column: &str) -> Vec<String> {
        let rows = self.store.tables("p1").into_iter().flat_map(|tables| tables.rows(table));
        let text = |row: &Object| {
            let agent = row.get("agent_id").and_then(Json::as_str).unwrap_or_default();
            let value = row.get(column).and_then(Json::as_str).unwrap_or_default();
            format!("{agent} {value}")
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
