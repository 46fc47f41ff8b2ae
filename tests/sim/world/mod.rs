//! Two projects with agents, and the hosts that work on them.

mod commits;
mod damage;
mod turns;

use super::dice::Dice;
use super::failure::{Failure, failure};
use super::model::Model;
use super::view::View;
use super::{Judges, Plan, check, compare};
use crate::sim::object;
use std::collections::{BTreeMap, BTreeSet};
use tuckbox::Timestamp;
use tuckbox::store::table::PROJECT_AGENTS;
use tuckbox::store::{MemoryStore, Writes};
use tuckbox::value::json::{Json, Object};

const PROJECTS: [&str; 2] = ["p1", "p2"];
const AGENTS: [&str; 4] = ["boss", "w1", "w2", "w3"];
const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const CONTEXT: &str = "00000000-0000-4000-8000-0000000000c1";
const START: i64 = 1_767_225_600_000;
/// The number of ticks in which all work must end. A tick is 5 s, or 30 s if no job was left.
const HEALING: usize = 600;

/// A call of an operation.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub project: usize,
    pub op: &'static str,
    pub args: Object,
    then: Then,
}

/// What a host does with an answer.
#[derive(Clone, Debug)]
enum Then {
    Nothing,
    Claimed,
    Started { item: Object },
    Worked { item: Object, forks: Vec<String>, calls: Vec<String> },
    Due,
    Pumped,
}

/// What a host does next.
#[derive(Clone, Debug)]
enum Job {
    Call(Made),
    /// Handles a claimed message, or work that follows from one.
    Item {
        project: usize,
        item: Object,
    },
    /// The model answers.
    Think {
        project: usize,
        item: Object,
    },
    /// A tool answers.
    Tool {
        project: usize,
        call: String,
        step: String,
        item: Object,
    },
    /// Delivers a message.
    Message {
        project: usize,
        subject: String,
        payload: Object,
    },
}

/// A decision that is not committed yet.
struct Held {
    made: Made,
    writes: Writes,
    value: Json,
    /// The number of changed heads before it.
    heads: usize,
}

/// What the checks remember of a project.
#[derive(Default)]
pub(super) struct Seen {
    pub epochs: BTreeMap<String, i64>,
    pub leases: BTreeMap<(String, i64), String>,
    pub ended_turns: BTreeMap<String, usize>,
    pub ended_batches: BTreeMap<String, (String, Json)>,
    /// Agents that lost rows; their counts are wrong until their turn ends.
    pub torn: BTreeSet<String>,
    /// Turns whose message was lost.
    pub lost_rows: BTreeSet<String>,
}

pub(super) struct World {
    store: MemoryStore,
    models: [Model; 2],
    views: [View; 2],
    judges: Judges,
    seen: [Seen; 2],
    now: i64,
    seed: u64,
    dice: Dice,
    jobs: Vec<Job>,
    held: Vec<Held>,
    past: Vec<Made>,
    /// The projects whose rows changed since the last check.
    changed: [bool; 2],
    /// The number of commits and losses that changed heads, in each project.
    heads: [usize; 2],
    healing: bool,
    made: u64,
    records: bool,
    pub history: Vec<String>,
    pub calls: usize,
    pub most_reads: BTreeMap<&'static str, usize>,
}

impl World {
    pub fn new(plan: &Plan) -> Self {
        let mut store = MemoryStore::new();
        for project in PROJECTS {
            let tables = store.project(project);
            tables.add_box(PROFILE, []).add_box(CONTEXT, []);
            for agent in AGENTS {
                let row = object! {
                    "agent_id" => agent, "worker_target" => "generic", "profile_box_id" => PROFILE,
                    "in_roster" => true, "status" => "active",
                };
                tables.add_row(&PROJECT_AGENTS, row);
            }
        }
        Self {
            store,
            models: Default::default(),
            views: Default::default(),
            judges: plan.judges,
            seen: Default::default(),
            now: START,
            seed: plan.seed,
            dice: Dice::of(plan.seed, 0),
            jobs: Vec::new(),
            held: Vec::new(),
            past: Vec::new(),
            changed: [true; 2],
            heads: [0; 2],
            healing: false,
            made: 0,
            records: plan.history,
            history: Vec::new(),
            calls: 0,
            most_reads: BTreeMap::new(),
        }
    }

    pub fn counts(&self) -> (usize, usize) {
        let turns = self.models.iter().map(|model| model.turns.len()).sum();
        let batches = self.seen.iter().map(|seen| seen.ended_batches.len()).sum();
        (turns, batches)
    }

    /// Runs both phases, and returns the first invariant that does not hold.
    pub fn play(
        &mut self,
        plan: &Plan,
        look: &mut dyn FnMut(&MemoryStore, Timestamp),
    ) -> Option<Failure> {
        for step in 0..plan.steps {
            if plan.without.get(step).copied().unwrap_or(false) {
                continue;
            }
            self.dice = Dice::of(plan.seed, step as u64 + 1);
            if let Err(failure) = self.step(step) {
                return Some(Failure { step: Some(step), ..failure });
            }
            look(&self.store, Timestamp::from_millis(self.now));
        }
        self.heal().err()
    }

    /// Adds a line to the history.
    fn note(&mut self, line: impl FnOnce() -> String) {
        if self.records {
            let seconds = (self.now - START) / 1000;
            self.history.push(format!("{seconds:>4} s  {}", line()));
        }
    }

    fn step(&mut self, step: usize) -> Result<(), Failure> {
        self.made = (step as u64 + 1) * 1000;
        match self.dice.below(100) {
            0..14 => self.client()?,
            14..60 => self.work()?,
            60..68 => self.pump()?,
            68..74 => self.tick()?,
            74..80 => {
                let seconds = [1, 2, 5, 11, 31, 61, 301];
                let jump = self.dice.pick(&seconds).copied().unwrap_or(1);
                self.now += jump * 1000;
                self.note(|| format!("{jump} s pass"));
            }
            80..86 => self.settle_held()?,
            86..90 => self.lose(),
            90..92 => self.twice(),
            92..96 => self.replay()?,
            _ => self.damage()?,
        }
        self.check()
    }

    fn check(&mut self) -> Result<(), Failure> {
        let changed = std::mem::take(&mut self.changed);
        let projects = self.views.iter().zip(&self.models).zip(&mut self.seen).zip(changed);
        for (((view, model), seen), _) in projects.filter(|(_, changed)| *changed) {
            if self.judges != Judges::Model {
                check::project(view, seen)?;
            }
            compare::compare(view, model)?;
        }
        Ok(())
    }

    /// Lets a user request a turn, repeat a request, or cancel a turn.
    fn client(&mut self) -> Result<(), Failure> {
        let project = self.dice.below(2);
        let agent = self.dice.pick(&AGENTS).copied().unwrap_or("w1");
        let number = self.dice.below(40);
        let turn = format!("turn_{agent}_{number}");
        let queued = self.models.get(project).and_then(|model| model.agents.get(agent));
        let waiting = queued.and_then(|agent| agent.queue.front().cloned());
        if self.dice.percent(12) {
            let turn = waiting.unwrap_or(turn);
            let args = object! { "target_agent_id" => agent, "agent_turn_id" => turn.as_str() };
            return self.call(Made { project, op: "cancel", args, then: Then::Nothing });
        }
        let args = self.turn_args(project, agent, &turn, number);
        self.call(Made { project, op: "enqueue", args, then: Then::Nothing })
    }

    /// Returns the arguments of a request; a turn always has the same ones.
    fn turn_args(&mut self, project: usize, agent: &str, turn: &str, number: usize) -> Object {
        let agent_number = AGENTS.iter().position(|known| *known == agent).unwrap_or(0);
        let output = format!("00000000-0000-4000-8000-{project:04x}{agent_number:04x}{number:04x}");
        let known = self.models.get(project).is_some_and(|model| model.knows(turn));
        let poison = number % 13 == 5;
        if !known
            && !poison
            && let Some(name) = PROJECTS.get(project)
        {
            self.store.project(*name).add_box(output.as_str(), []);
        }
        let mut payload = object! {
            "agent_id" => agent, "channel_id" => "public", "profile_box_id" => PROFILE,
            "context_box_id" => CONTEXT, "agent_turn_id" => turn,
        };
        if !poison {
            payload.insert("output_box_id".into(), output.into());
        }
        let promotes = !(poison && number.is_multiple_of(2));
        let mut args = object! {
            "target_agent_id" => agent, "message_type" => "turn", "payload" => payload,
            "channel_id" => "public", "headers" => object! { "CG-Recursion-Depth" => "1" },
            "wakeup" => promotes,
        };
        if number.is_multiple_of(3) {
            args.insert("correlation_id".into(), format!("ask_{agent}_{number}").into());
        }
        args
    }

    /// Lets a host do one of its jobs.
    fn work(&mut self) -> Result<(), Failure> {
        if self.jobs.is_empty() {
            return self.client();
        }
        let at = self.dice.below(self.jobs.len());
        let job = self.jobs.swap_remove(at);
        self.run(job)
    }

    /// Drops a job or a decision: a process ended, or a message was lost.
    fn lose(&mut self) {
        if !self.jobs.is_empty() {
            let at = self.dice.below(self.jobs.len());
            let job = self.jobs.swap_remove(at);
            self.note(|| format!("lost: {}", describe(&job)));
        } else if !self.held.is_empty() {
            let at = self.dice.below(self.held.len());
            let held = self.held.swap_remove(at);
            self.note(|| format!("a process ends before it commits {}", short(&held.made)));
        }
    }

    fn twice(&mut self) {
        if let Some(job) = self.dice.pick(&self.jobs).cloned() {
            self.note(|| format!("doubled: {}", describe(&job)));
            self.jobs.push(job);
        }
    }

    /// Lets a host repeat an earlier call.
    fn replay(&mut self) -> Result<(), Failure> {
        let Some(made) = self.dice.pick(&self.past).cloned() else { return Ok(()) };
        self.note(|| format!("late again: {}", short(&made)));
        self.call(Made { then: Then::Nothing, ..made })
    }

    fn tick(&mut self) -> Result<(), Failure> {
        for project in 0..PROJECTS.len() {
            self.call(Made { project, op: "due", args: Object::default(), then: Then::Due })?;
        }
        Ok(())
    }

    fn pump(&mut self) -> Result<(), Failure> {
        for project in 0..PROJECTS.len() {
            if self.views.get(project).is_none_or(|view| view.unsent == 0) {
                continue;
            }
            let args = object! { "limit" => 20_i64 };
            self.call(Made { project, op: "outbox", args, then: Then::Pumped })?;
        }
        Ok(())
    }

    fn settle_held(&mut self) -> Result<(), Failure> {
        if self.held.is_empty() {
            return self.work();
        }
        let at = self.dice.below(self.held.len());
        let held = self.held.swap_remove(at);
        self.commit_held(held)
    }

    /// Commits a decision that was held. The ends of turns are in the order of the decision, and in
    /// the model in the order of the commit. So a host decides on a batch again if a head changed
    /// since its decision.
    fn commit_held(&mut self, Held { made, writes, value, heads }: Held) -> Result<(), Failure> {
        let of_batch = matches!(made.op, "child_event" | "end_batch" | "reconcile_task");
        if of_batch && self.heads.get(made.project) != Some(&heads) {
            self.jobs.push(Job::Call(made));
            return Ok(());
        }
        self.commit(made, &writes, value, true)
    }

    fn run(&mut self, job: Job) -> Result<(), Failure> {
        match job {
            Job::Call(made) => self.call(made),
            Job::Item { project, item } => self.item(project, item),
            Job::Think { project, item } => self.think(project, &item),
            Job::Tool { project, call, step, item } => self.tool(project, &call, &step, &item),
            Job::Message { project, subject, payload } => self.deliver(project, &subject, &payload),
        }
    }

    fn heal(&mut self) -> Result<(), Failure> {
        self.healing = true;
        self.note(|| "nothing fails any more".into());
        for held in std::mem::take(&mut self.held) {
            self.commit_held(held)?;
        }
        let mut last = Ok(());
        for tick in 0..HEALING {
            self.made = 10_000_000 + (tick as u64) * 10_000;
            let lines = self.history.len();
            let mut rounds = 0;
            self.pump()?;
            while !self.jobs.is_empty() && rounds < 2000 {
                let job = self.jobs.remove(0);
                self.run(job)?;
                rounds += 1;
                if self.jobs.is_empty() {
                    self.pump()?;
                }
            }
            self.check()?;
            if let Some(Job::Call(made)) = self.jobs.first() {
                let found = format!("{} still runs after {rounds} jobs", made.op);
                last = Err(failure("every call ends", found));
                // the jobs repeat
                self.history.truncate(lines + 20);
                break;
            }
            last = self.rest();
            if last.is_ok() {
                return Ok(());
            }
            // without a job, no job follows for a while
            let quiet = rounds == 0;
            self.now += if quiet { 30_000 } else { 5000 };
            self.tick()?;
            // a long second phase records only its first lines
            if tick > 30 {
                self.history.truncate(lines);
            }
        }
        // only the invariants require that all work ends
        if self.judges == Judges::Model { Ok(()) } else { last }
    }

    fn rest(&self) -> Result<(), Failure> {
        let mut projects = self.views.iter().zip(&self.models).zip(&self.seen);
        projects.try_for_each(|((view, model), seen)| check::rest(view, model, seen))
    }
}

fn unsound(made: &Made, error: &str) -> Failure {
    failure("every call is answered", format!("{}: {error}", short(made)))
}

fn text(object: &Object, key: &str) -> String {
    object.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn list(value: &Json, key: &str) -> Vec<Object> {
    let items = value.get(key).and_then(Json::as_array).unwrap_or_default();
    items.iter().filter_map(Json::as_object).cloned().collect()
}

/// Describes a call in one line.
fn short(made: &Made) -> String {
    let of = |key: &str| text(&made.args, key);
    let who = [
        of("agent_id"),
        of("target_agent_id"),
        of("inbox_id"),
        of("batch_id"),
        of("batch_task_id"),
    ];
    let who = who.into_iter().find(|who| !who.is_empty()).unwrap_or_default();
    let payload = made.args.get("payload").and_then(Json::as_object);
    let turn =
        payload.map(|payload| text(payload, "agent_turn_id")).filter(|turn| !turn.is_empty());
    let turn = turn.unwrap_or_else(|| of("agent_turn_id"));
    let epoch = made.args.get("turn_epoch").map_or(String::new(), |epoch| format!("@{epoch}"));
    let more = ["message_type", "which", "status", "parent_tool_call_id", "correlation_id"].map(of);
    let more: Vec<String> = more.into_iter().filter(|text| !text.is_empty()).collect();
    let project = PROJECTS.get(made.project).copied().unwrap_or_default();
    format!("{project} {} {who} {turn}{epoch} {}", made.op, more.join(" ")).trim_end().to_owned()
}

fn describe(job: &Job) -> String {
    match job {
        Job::Call(made) => short(made),
        Job::Item { item, .. } => {
            format!("work on {} {}", text(item, "agent_turn_id"), text(item, "kind"))
        }
        Job::Think { item, .. } => {
            format!("the model's answer for {}", text(item, "agent_turn_id"))
        }
        Job::Tool { call, .. } => format!("the answer to {call}"),
        Job::Message { subject, payload, .. } => {
            format!(
                "{} {}",
                subject.rsplit('.').next().unwrap_or_default(),
                text(payload, "agent_turn_id")
            )
        }
    }
}
