//! Two projects, some agents, and everything that happens to them.

mod commits;
mod damage;
mod turns;

use super::dice::Dice;
use super::failure::{Failure, failure};
use super::model::Model;
use super::view::View;
use super::{Judges, Plan, check, compare};
use crate::Timestamp;
use crate::run::message::object;
use crate::run::settings::RunSettings;
use crate::run::words::BatchStatus;
use crate::store::table::PROJECT_AGENTS;
use crate::store::{MemoryStore, Writes};
use crate::value::json::{Json, Object};
use std::collections::{BTreeMap, BTreeSet};

const PROJECTS: [&str; 2] = ["p1", "p2"];
const AGENTS: [&str; 4] = ["boss", "w1", "w2", "w3"];
const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const CONTEXT: &str = "00000000-0000-4000-8000-0000000000c1";
const START: i64 = 1_767_225_600_000;
/// Ticks of five seconds, or thirty where nothing happens, in which everything must come to rest.
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

/// Something that a host is about to do.
#[derive(Clone, Debug)]
enum Job {
    Call(Made),
    /// Handles a message that was taken, or work that followed from one.
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
    /// Something on its way.
    Message {
        project: usize,
        subject: String,
        payload: Object,
    },
}

/// A decision that was made and not committed yet.
struct Held {
    made: Made,
    writes: Writes,
    value: Json,
}

/// What was seen of a project so far.
#[derive(Default)]
pub(super) struct Seen {
    pub epochs: BTreeMap<String, i64>,
    pub leases: BTreeMap<(String, i64), String>,
    pub ended_turns: BTreeMap<String, usize>,
    pub ended_batches: BTreeMap<String, (BatchStatus, Timestamp)>,
    /// Agents that lost rows: their counts cannot be right until their turn ends.
    pub torn: BTreeSet<String>,
    /// Turns whose message was lost.
    pub lost_rows: BTreeSet<String>,
}

pub(super) struct World {
    store: MemoryStore,
    settings: RunSettings,
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
    /// The projects whose rows changed since their laws were checked.
    changed: [bool; 2],
    healing: bool,
    made: u64,
    tells: bool,
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
            settings: RunSettings { bug: plan.bug, ..RunSettings::default() },
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
            healing: false,
            made: 0,
            tells: plan.history,
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

    /// Both phases; the first law that does not hold.
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

    /// Tells what happens, where somebody wants to know.
    fn note(&mut self, line: impl FnOnce() -> String) {
        if self.tells {
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
        self.laws()
    }

    fn laws(&mut self) -> Result<(), Failure> {
        let changed = std::mem::take(&mut self.changed);
        let projects = self.views.iter().zip(&self.models).zip(&mut self.seen).zip(changed);
        for (((view, model), seen), _) in projects.filter(|(_, changed)| *changed) {
            if self.judges != Judges::Model {
                check::project(view, seen)?;
            }
            if self.judges != Judges::Laws {
                compare::compare(view, model)?;
            }
        }
        Ok(())
    }

    /// Somebody asks for a turn, again for one that was asked for, or takes one back.
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

    /// The same turn is always asked for in the same words.
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

    /// Some host goes on with something, whichever comes first.
    fn work(&mut self) -> Result<(), Failure> {
        if self.jobs.is_empty() {
            return self.client();
        }
        let at = self.dice.below(self.jobs.len());
        let job = self.jobs.swap_remove(at);
        self.run(job)
    }

    /// Something that was under way is gone: a process ended, a message was lost.
    fn lose(&mut self) {
        if !self.jobs.is_empty() {
            let at = self.dice.below(self.jobs.len());
            let job = self.jobs.swap_remove(at);
            self.note(|| format!("lost: {}", told(&job)));
        } else if !self.held.is_empty() {
            let at = self.dice.below(self.held.len());
            let held = self.held.swap_remove(at);
            self.note(|| format!("a process ends before it commits {}", short(&held.made)));
        }
    }

    fn twice(&mut self) {
        if let Some(job) = self.dice.pick(&self.jobs).cloned() {
            self.note(|| format!("doubled: {}", told(&job)));
            self.jobs.push(job);
        }
    }

    /// Somebody who was asleep makes a call of long ago again.
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
        let Held { made, writes, value } = self.held.swap_remove(at);
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
            self.commit(held.made, &held.writes, held.value, true)?;
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
            self.laws()?;
            last = self.rest();
            if last.is_ok() {
                return Ok(());
            }
            // where nothing was to be done, nothing is for a while
            let quiet = rounds == 0;
            self.now += if quiet { 30_000 } else { 5000 };
            self.tick()?;
            // a healing that takes long is told in short
            if tick > 30 {
                self.history.truncate(lines);
            }
        }
        // what never comes to rest is a matter of the laws
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

/// A call in a few words.
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

fn told(job: &Job) -> String {
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
