//! Two projects, some agents, and everything that happens to them.

use super::dice::Dice;
use super::model::Model;
use super::{Failure, Plan, check};
use crate::rule::{Rule, Step};
use crate::run::message::object;
use crate::run::operations::RunCall;
use crate::run::rows::{Head, Inbox, Queue, Row, Task, Waiting};
use crate::run::settings::RunSettings;
use crate::run::words::{BatchStatus, HeadStatus, InboxStatus};
use crate::store::table::{AGENT_QUEUES, HEADS, INBOX, OUTBOX, PROJECT_AGENTS, WAITING_TOOLS};
use crate::store::{MemoryStore, RowKey, Snapshot, Store, Writes};
use crate::value::card::{AfterExecution, Card, Content, NewCard, ToolResult};
use crate::value::json::{Json, Object};
use crate::{CardId, Env, Limits, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

const PROJECTS: [&str; 2] = ["p1", "p2"];
const AGENTS: [&str; 4] = ["boss", "w1", "w2", "w3"];
const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const CONTEXT: &str = "00000000-0000-4000-8000-0000000000c1";
const START: i64 = 1_767_225_600_000;
/// Ticks of five seconds in which everything must come to rest.
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
    Enqueued { agent: &'static str, turn: String, poison: bool, promotes: bool },
    Canceled { agent: &'static str, turn: String },
    Promoted { agent: String },
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
    pub history: Vec<String>,
    pub calls: usize,
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
            history: Vec::new(),
            calls: 0,
        }
    }

    pub fn counts(&self) -> (usize, usize) {
        let turns = self.models.iter().map(|model| model.accepted.len()).sum();
        let batches = self.seen.iter().map(|seen| seen.ended_batches.len()).sum();
        (turns, batches)
    }

    /// Both phases; the first law that does not hold.
    pub fn play(&mut self, plan: &Plan) -> Option<Failure> {
        for step in 0..plan.steps {
            if plan.without.get(step).copied().unwrap_or(false) {
                continue;
            }
            self.dice = Dice::of(plan.seed, step as u64 + 1);
            if let Err(failure) = self.step(step) {
                return Some(Failure { step: Some(step), ..failure });
            }
        }
        self.heal().err()
    }

    fn note(&mut self, line: String) {
        let seconds = (self.now - START) / 1000;
        self.history.push(format!("{seconds:>4} s  {line}"));
    }

    // ---- the first phase

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
                self.note(format!("{jump} s pass"));
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
        let projects = PROJECTS.iter().zip(&self.models).zip(&mut self.seen).zip(changed);
        for (((name, model), seen), _) in projects.filter(|(_, changed)| *changed) {
            check::project(&self.store, name, model, seen)?;
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
            return self.call(Made {
                project,
                op: "cancel",
                args,
                then: Then::Canceled { agent, turn },
            });
        }
        let (args, poison, promotes) = self.turn_args(project, agent, &turn, number);
        let then = Then::Enqueued { agent, turn, poison, promotes };
        self.call(Made { project, op: "enqueue", args, then })
    }

    /// The same turn is always asked for in the same words.
    fn turn_args(
        &mut self,
        project: usize,
        agent: &str,
        turn: &str,
        number: usize,
    ) -> (Object, bool, bool) {
        let agent_number = AGENTS.iter().position(|known| *known == agent).unwrap_or(0);
        let output = format!("00000000-0000-4000-8000-{project:04x}{agent_number:04x}{number:04x}");
        let known = self.models.get(project).is_some_and(|model| model.accepted.contains(turn));
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
        (args, poison, promotes)
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
            self.note(format!("lost: {}", told(&job)));
        } else if !self.held.is_empty() {
            let at = self.dice.below(self.held.len());
            let held = self.held.swap_remove(at);
            self.note(format!("a process ends before it commits {}", short(&held.made)));
        }
    }

    fn twice(&mut self) {
        if let Some(job) = self.dice.pick(&self.jobs.clone()) {
            self.note(format!("doubled: {}", told(job)));
            self.jobs.push(job.clone());
        }
    }

    /// Somebody who was asleep makes a call of long ago again.
    fn replay(&mut self) -> Result<(), Failure> {
        let Some(made) = self.dice.pick(&self.past.clone()).cloned() else { return Ok(()) };
        self.note(format!("late again: {}", short(&made)));
        let then = match made.then {
            Then::Enqueued { .. } | Then::Canceled { .. } | Then::Promoted { .. } => {
                made.then.clone()
            }
            _ => Then::Nothing,
        };
        self.call(Made { then, ..made })
    }

    /// Rows are lost, or somebody else writes what cannot run.
    fn damage(&mut self) -> Result<(), Failure> {
        let project = self.dice.below(2);
        let Some(name) = PROJECTS.get(project).copied() else { return Ok(()) };
        self.touch(project);
        let agent = self.dice.pick(&AGENTS).copied().unwrap_or("w1");
        match self.dice.below(5) {
            0 => {
                let queue = self.row::<Queue>(name, agent);
                let there = self.row::<Head>(name, agent);
                if queue.is_some() && there.is_some() {
                    self.note(format!("{name}: the head of {agent} is lost"));
                    self.torn(project, agent);
                    self.store.project(name).remove_row(&RowKey::new(&HEADS, [agent]));
                }
            }
            1 => {
                for row in check::rows::<Waiting>(&self.store, name) {
                    if row.agent_id == agent {
                        self.note(format!(
                            "{name}: {agent} forgets that it waits for {}",
                            row.tool_call_id
                        ));
                        self.torn(project, agent);
                        let key = RowKey::new(
                            &WAITING_TOOLS,
                            [
                                row.agent_id.clone(),
                                row.agent_turn_id.clone(),
                                row.turn_epoch.to_string(),
                                row.tool_call_id.clone(),
                            ],
                        );
                        self.store.project(name).remove_row(&key);
                    }
                }
            }
            2 => {
                let children = check::rows::<Task>(&self.store, name);
                let rows = check::rows::<Inbox>(&self.store, name);
                let lost = rows.into_iter().find(|row| {
                    row.status == InboxStatus::Queued
                        && children.iter().any(|task| {
                            task.current_agent_turn_id == row.agent_turn_id
                                && task.current_agent_turn_id.is_some()
                        })
                });
                if let Some(row) = lost {
                    let turn = row.agent_turn_id.clone().unwrap_or_default();
                    self.note(format!("{name}: the message of {turn} is lost"));
                    self.store.project(name).remove_row(&RowKey::new(&INBOX, [row.inbox_id]));
                    if let (Some(model), Some(seen)) =
                        (self.models.get_mut(project), self.seen.get_mut(project))
                    {
                        model.cancel(&row.agent_id, &turn);
                        seen.lost_rows.insert(turn);
                    }
                }
            }
            3 => self.poison(project, name, agent),
            _ => {
                // something that is still at work says so where an end is expected
                let children = check::rows::<Task>(&self.store, name);
                if let Some(turn) =
                    children.iter().find_map(|task| task.current_agent_turn_id.clone())
                {
                    let args = object! { "agent_turn_id" => turn, "status" => "dispatched" };
                    return self.call(Made {
                        project,
                        op: "child_event",
                        args,
                        then: Then::Nothing,
                    });
                }
            }
        }
        Ok(())
    }

    /// The laws of a project are checked after this step.
    fn touch(&mut self, project: usize) {
        if let Some(changed) = self.changed.get_mut(project) {
            *changed = true;
        }
    }

    fn torn(&mut self, project: usize, agent: &str) {
        if let Some(seen) = self.seen.get_mut(project) {
            seen.torn.insert(agent.to_owned());
        }
    }

    /// Somebody else's message with a box id that is none stands at the end of a queue.
    fn poison(&mut self, project: usize, name: &'static str, agent: &'static str) {
        let Some(mut queue) = self.row::<Queue>(name, agent) else { return };
        let busy =
            self.row::<Head>(name, agent).is_some_and(|head| head.status != HeadStatus::Idle);
        if !busy {
            return;
        }
        let turn = format!("turn_foreign_{}", self.dice.below(1000));
        if self.models.get(project).is_some_and(|model| model.accepted.contains(&turn)) {
            return;
        }
        queue.last_seq += 1;
        let payload = object! {
            "agent_id" => agent, "channel_id" => "public", "profile_box_id" => "no box",
            "context_box_id" => CONTEXT, "output_box_id" => CONTEXT, "agent_turn_id" => turn.as_str(),
        };
        let row = Inbox {
            inbox_id: turn.clone(),
            agent_id: agent.to_owned(),
            message_type: "turn".into(),
            correlation_id: Some(turn.clone()),
            payload: Json::Object(payload),
            status: InboxStatus::Queued,
            created_at: Timestamp::from_millis(self.now),
            seq: queue.last_seq,
            agent_turn_id: Some(turn.clone()),
            ..Inbox::default()
        };
        self.note(format!("{name}: somebody else queues {turn} for {agent}"));
        let tables = self.store.project(name);
        tables.add_row(&AGENT_QUEUES, queue.write());
        tables.add_row(&INBOX, row.write());
        if let Some(model) = self.models.get_mut(project) {
            model.enqueue(agent, &turn, true, false);
        }
    }

    fn row<R: Row>(&self, project: &str, key: &str) -> Option<R> {
        let tables = self.store.tables(project)?;
        let found =
            tables.rows(R::TABLE).find(|row| row.key.first().is_some_and(|first| first == key))?;
        R::read(&found.row).ok()
    }

    // ---- hosts

    fn tick(&mut self) -> Result<(), Failure> {
        for project in 0..PROJECTS.len() {
            self.call(Made { project, op: "due", args: Object::default(), then: Then::Due })?;
        }
        Ok(())
    }

    fn pump(&mut self) -> Result<(), Failure> {
        for project in 0..PROJECTS.len() {
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

    fn deliver(&mut self, project: usize, subject: &str, payload: &Object) -> Result<(), Failure> {
        if subject.ends_with(".wakeup") {
            let args = object! { "agent_id" => text(payload, "agent_id") };
            return self.call(Made { project, op: "claim_inbox", args, then: Then::Claimed });
        }
        if subject.ends_with(".task") {
            let mut args = Object::default();
            for key in [
                "agent_turn_id",
                "status",
                "output_box_id",
                "deliverable_card_id",
                "tool_result_card_id",
                "error",
            ] {
                args.insert(key.to_owned(), payload.get(key).cloned().unwrap_or_default());
            }
            return self.call(Made { project, op: "child_event", args, then: Then::Nothing });
        }
        Ok(())
    }

    fn item(&mut self, project: usize, item: Object) -> Result<(), Failure> {
        let worked = |item: &Object| Then::Worked {
            item: item.clone(),
            forks: Vec::new(),
            calls: Vec::new(),
        };
        if let Some(resume) = item.get("resume") {
            let mut args = item.clone();
            args.insert("payload".into(), resume.clone());
            return self.call(Made { project, op: "resume", then: worked(&item), args });
        }
        let op = match text(&item, "kind").as_str() {
            "stop" => "stop",
            "resume" => "resume",
            _ => {
                let then = Then::Started { item: item.clone() };
                let mut args = item;
                self.consuming(&mut args);
                return self.call(Made { project, op: "turn_start", args, then });
            }
        };
        let mut args = item.clone();
        self.consuming(&mut args);
        self.call(Made { project, op, then: worked(&item), args })
    }

    /// Some hosts consume a message with the commit that ends the work on it; others do so afterwards.
    fn consuming(&mut self, args: &mut Object) {
        if self.dice.percent(70) {
            args.insert("consume".into(), true.into());
        }
    }

    fn think(&mut self, project: usize, item: &Object) -> Result<(), Failure> {
        let mut args = item.clone();
        let step = text(item, "step_id");
        let mut thought = object! { "text" => "thinking" };
        let roll = if self.healing { 0 } else { self.dice.below(100) };
        let (mut forks, mut calls) = (Vec::new(), Vec::new());
        let op = match roll {
            0..38 => "turn_complete",
            // the worker is shut down; some of the steps that it gives up come from further on
            38..45 => {
                args.insert(
                    "step_count".into(),
                    i64::try_from(self.dice.below(4)).unwrap_or(0).into(),
                );
                return self.call(Made {
                    project,
                    op: "turn_give_back",
                    args,
                    then: Then::Nothing,
                });
            }
            45..55 => {
                args.insert("error".into(), "boom".into());
                "turn_fail"
            }
            _ => {
                let count = 1 + self.dice.below(2);
                let mut asked = Vec::new();
                for at in 0..count {
                    let id = format!(
                        "call_{}_{at}",
                        step.get(step.len().saturating_sub(12)..).unwrap_or_default()
                    );
                    let fork = text(item, "agent_id") == "boss" && at == 0 && roll >= 70;
                    let outcome = if roll < 60 && at > 0 { "result" } else { "suspend" };
                    if fork {
                        forks.push(id.clone());
                    } else if outcome == "suspend" {
                        calls.push(id.clone());
                    }
                    asked.push(object! { "id" => id, "name" => "search", "outcome" => outcome });
                }
                let told = asked.iter().map(|call| object! { "id" => call.get("id").cloned().unwrap_or_default(), "type" => "function" });
                thought.insert("tool_calls".into(), Json::Array(told.map(Json::Object).collect()));
                args.insert(
                    "tool_calls".into(),
                    Json::Array(asked.into_iter().map(Json::Object).collect()),
                );
                "turn_tools"
            }
        };
        args.insert("thought".into(), Json::Object(thought));
        self.consuming(&mut args);
        self.call(Made {
            project,
            op,
            args,
            then: Then::Worked { item: item.clone(), forks, calls },
        })
    }

    /// A tool's answer: its card, then its report.
    fn tool(
        &mut self,
        project: usize,
        call: &str,
        step: &str,
        item: &Object,
    ) -> Result<(), Failure> {
        let Some(name) = PROJECTS.get(project).copied() else { return Ok(()) };
        let card_id = format!("card_{call}");
        let content = Content::ToolResult(ToolResult {
            status: "success".into(),
            after_execution: AfterExecution::Suspend,
            result: Json::from("found"),
            error: None,
        });
        let metadata = object! {
            "role" => "tool", "step_id" => step, "tool_call_id" => call, "function_name" => "search",
        };
        let new = NewCard {
            metadata,
            tool_call_id: Some(call.to_owned()),
            ..NewCard::new("tool.result", "tool.search", content)
        };
        let now = Timestamp::from_millis(self.now);
        if let Ok(card) =
            Card::make(new, &name.into(), CardId::from(card_id.as_str()), now, &Limits::default())
        {
            self.store.project(name).add_card(card);
        }
        let payload = object! {
            "tool_call_id" => call, "status" => "success", "after_execution" => "suspend",
            "tool_result_card_id" => card_id, "agent_id" => text(item, "agent_id"),
            "agent_turn_id" => text(item, "agent_turn_id"),
            "turn_epoch" => item.get("turn_epoch").cloned().unwrap_or_default(), "step_id" => step,
        };
        let args = object! {
            "target_agent_id" => text(item, "agent_id"), "message_type" => "tool_result",
            "payload" => payload, "correlation_id" => call, "channel_id" => "public",
            "headers" => object! { "CG-Recursion-Depth" => "1" },
        };
        self.call(Made { project, op: "report", args, then: Then::Nothing })
    }

    // ---- calls

    /// Makes a call: decides, and commits at once or later.
    fn call(&mut self, made: Made) -> Result<(), Failure> {
        self.made += 1;
        self.calls += 1;
        let Some(name) = PROJECTS.get(made.project).copied() else { return Ok(()) };
        let mut entropy = [0; 32];
        for (to, from) in entropy
            .iter_mut()
            .zip(self.seed.to_be_bytes().into_iter().chain(self.made.to_be_bytes()))
        {
            *to = from;
        }
        // hosts do not agree on the time
        let skew =
            if self.healing { 0 } else { i64::try_from(self.dice.below(3)).unwrap_or(0) * 700 };
        let env = Env::new(Timestamp::from_millis(self.now + skew), entropy);
        let rule = match RunCall::from_json(made.op, &Json::Object(made.args.clone())) {
            Ok(rule) => rule.with_settings(self.settings.clone()),
            Err(error) => return Err(unsound(&made, &error.to_string())),
        };
        let mut snapshot = Snapshot::new(name.into());
        let mut rounds = 0;
        let outcome = loop {
            match rule.step(&snapshot, &env) {
                Err(error) if error.code() == crate::Code::NotFound => return Ok(()),
                Err(error) => return Err(unsound(&made, &error.to_string())),
                Ok(Step::Done(outcome)) => break outcome,
                Ok(Step::Need(reads)) => {
                    let answers = self
                        .store
                        .read(&reads)
                        .map_err(|error| unsound(&made, &error.to_string()))?;
                    snapshot
                        .absorb(&reads, answers)
                        .map_err(|error| unsound(&made, &error.to_string()))?;
                }
            }
            rounds += 1;
            if rounds > 6 {
                return Err(unsound(&made, "it keeps asking"));
            }
        };
        if !self.healing && !outcome.writes.is_empty() && self.dice.percent(15) {
            self.note(format!("{} is decided", short(&made)));
            self.held.push(Held { made, writes: outcome.writes, value: outcome.value });
            return Ok(());
        }
        self.commit(made, &outcome.writes, outcome.value, false)
    }

    fn commit(
        &mut self,
        made: Made,
        writes: &Writes,
        value: Json,
        late: bool,
    ) -> Result<(), Failure> {
        let Some(name) = PROJECTS.get(made.project).copied() else { return Ok(()) };
        if writes.is_empty() {
            return self.answered(made, value, writes);
        }
        let agent = writes.rows.iter().find(|change| change.of.table == &HEADS);
        let agent = agent.and_then(|change| change.of.key.first().cloned());
        let before = agent.and_then(|agent| self.row::<Head>(name, &agent));
        match self.store.commit(writes) {
            Err(error) if error.code() == crate::Code::Conflict => {
                self.note(format!("{}: conflict", short(&made)));
                // whoever meets a conflict decides again, unless its process ended
                if self.healing || self.dice.percent(80) {
                    self.jobs.push(Job::Call(made));
                }
                return Ok(());
            }
            Err(error) => return Err(unsound(&made, &error.to_string())),
            Ok(_) => self.touch(made.project),
        }
        self.note(format!("{}{}", short(&made), if late { " is committed" } else { "" }));
        check::commit(&made, before.as_ref(), writes, &self.store)?;
        if !self.healing && self.dice.percent(5) {
            // the answer to the commit was lost, and it is sent again
            match self.store.commit(writes) {
                Ok(receipt) if receipt.repeated => {}
                Ok(_) => {
                    return Err(Failure {
                        law: "an operation applies once",
                        found: short(&made),
                        step: None,
                    });
                }
                Err(error) => return Err(unsound(&made, &error.to_string())),
            }
        }
        if self.past.len() < 64 {
            self.past.push(made.clone());
        } else {
            let at = self.dice.below(64);
            if let Some(place) = self.past.get_mut(at) {
                *place = made.clone();
            }
        }
        self.learn(&made, &value, writes)?;
        if !self.healing && self.dice.percent(5) {
            self.note(format!("{}: the answer is lost", short(&made)));
            return Ok(());
        }
        self.answered(made, value, writes)
    }

    /// Tells the model what was committed.
    fn learn(&mut self, made: &Made, value: &Json, writes: &Writes) -> Result<(), Failure> {
        let Some(name) = PROJECTS.get(made.project).copied() else { return Ok(()) };
        let (Some(model), Some(seen)) =
            (self.models.get_mut(made.project), self.seen.get_mut(made.project))
        else {
            return Ok(());
        };
        match &made.then {
            Then::Enqueued { agent, turn, poison, promotes }
                if value.get("status").and_then(Json::as_str) == Some("accepted") =>
            {
                model.enqueue(agent, turn, *poison, *promotes);
            }
            Then::Canceled { agent, turn } => {
                let canceled = value
                    .get("payload")
                    .and_then(|payload| payload.get("canceled"))
                    .and_then(Json::as_bool);
                if canceled == Some(true) {
                    model.cancel(agent, turn);
                }
            }
            Then::Promoted { agent } => model.promote(agent),
            _ => {}
        }
        let mut ended = Vec::new();
        for change in &writes.rows {
            let Some(row) = &change.row else { continue };
            if change.of.table == &OUTBOX && change.before == crate::store::Before::Absent {
                check::message(row, name, seen)?;
                let subject = text(row, "subject");
                if subject.ends_with(".task") {
                    let agent = subject.split('.').nth(6).unwrap_or_default().to_owned();
                    let payload =
                        row.get("payload").and_then(Json::as_object).cloned().unwrap_or_default();
                    ended.push((agent, text(&payload, "agent_turn_id")));
                }
            }
            let of_batch = matches!(
                made.op,
                "create_batch" | "dispatch_task" | "reconcile_task" | "child_event" | "end_batch"
            );
            if of_batch && change.of.table == &INBOX && text(row, "message_type") == "turn" {
                let (agent, turn) = (text(row, "agent_id"), text(row, "agent_turn_id"));
                match text(row, "status").as_str() {
                    "skipped" => model.cancel(&agent, &turn),
                    _ if change.before == crate::store::Before::Absent => {
                        model.enqueue(&agent, &turn, false, true)
                    }
                    _ => model.promote(&agent),
                }
            }
        }
        for (agent, turn) in ended {
            seen.torn.remove(&agent);
            model.end(&agent, &turn);
        }
        Ok(())
    }

    /// A host goes on with an answer.
    fn answered(&mut self, made: Made, value: Json, _: &Writes) -> Result<(), Failure> {
        let project = made.project;
        let consumed = made.args.contains_key("consume");
        match made.then {
            Then::Nothing | Then::Enqueued { .. } | Then::Promoted { .. } => {}
            Then::Canceled { agent, turn } => {
                let canceled = value
                    .get("payload")
                    .and_then(|payload| payload.get("canceled"))
                    .and_then(Json::as_bool);
                let waits =
                    self.models.get(project).is_some_and(|model| model.is_queued(agent, &turn));
                if canceled == Some(false) && waits {
                    return Err(Failure {
                        law: "a turn that waits can be canceled",
                        found: turn,
                        step: None,
                    });
                }
            }
            Then::Claimed => {
                for item in list(&value, "items") {
                    self.jobs.push(Job::Item { project, item });
                }
            }
            Then::Started { item } => {
                if value.get("entered").and_then(Json::as_bool) == Some(true) {
                    let mut item = item;
                    for key in ["step_id", "output_box_id"] {
                        item.insert(key.to_owned(), value.get(key).cloned().unwrap_or_default());
                    }
                    self.jobs.push(Job::Think { project, item });
                } else if !consumed {
                    self.consume(project, &item);
                }
            }
            Then::Worked { item, forks, calls } => {
                let step = text(&item, "step_id");
                let noted: Vec<String> = forks.iter().chain(&calls).cloned().collect();
                for call in noted {
                    let args = object! { "correlation_id" => call, "recursion_depth" => 1_i64, "channel_id" => "public" };
                    self.jobs.push(Job::Call(Made {
                        project,
                        op: "tool_call",
                        args,
                        then: Then::Nothing,
                    }));
                }
                for call in calls {
                    self.jobs.push(Job::Tool {
                        project,
                        call,
                        step: step.clone(),
                        item: item.clone(),
                    });
                }
                for call in forks {
                    let made = self.fork(project, &item, &step, call);
                    self.jobs.push(Job::Call(made));
                }
                for follow in list(&value, "queued") {
                    let mut whole = item.clone();
                    for gone in ["inbox_id", "payload", "kind", "step_id", "resume"] {
                        whole.remove(gone);
                    }
                    whole.extend(follow);
                    self.jobs.push(Job::Item { project, item: whole });
                }
                if !consumed {
                    self.consume(project, &item);
                }
            }
            Then::Due => {
                for mut call in list(&value, "calls") {
                    let Some(op) = crate::run::operations::OPERATIONS
                        .iter()
                        .find(|op| **op == text(&call, "op"))
                    else {
                        continue;
                    };
                    call.remove("op");
                    let then = match *op {
                        "wakeup" => Then::Promoted { agent: text(&call, "target_agent_id") },
                        "take_up_results" => {
                            let head = PROJECTS
                                .get(project)
                                .and_then(|name| self.row::<Head>(name, &text(&call, "agent_id")));
                            let Some(head) = head else { continue };
                            let item = object! {
                                "agent_id" => head.agent_id, "agent_turn_id" => head.active_agent_turn_id.unwrap_or_default(),
                                "turn_epoch" => head.turn_epoch, "output_box_id" => head.output_box_id,
                                "headers" => object! { "CG-Recursion-Depth" => "1" },
                            };
                            Then::Worked { item, forks: Vec::new(), calls: Vec::new() }
                        }
                        _ => Then::Nothing,
                    };
                    self.jobs.push(Job::Call(Made { project, op, args: call, then }));
                }
            }
            Then::Pumped => {
                let mut ids = Vec::new();
                for message in list(&value, "messages") {
                    ids.push(message.get("message_id").cloned().unwrap_or_default());
                    let subject = text(&message, "subject");
                    if subject.ends_with(".wakeup") || subject.ends_with(".task") {
                        let payload = message
                            .get("payload")
                            .and_then(Json::as_object)
                            .cloned()
                            .unwrap_or_default();
                        self.jobs.push(Job::Message { project, subject, payload });
                    }
                }
                if !ids.is_empty() {
                    let args = object! { "message_ids" => ids };
                    self.jobs.push(Job::Call(Made {
                        project,
                        op: "mark_sent",
                        args,
                        then: Then::Nothing,
                    }));
                }
            }
        }
        Ok(())
    }

    fn consume(&mut self, project: usize, item: &Object) {
        if let Some(inbox_id) = item.get("inbox_id") {
            let args = object! { "inbox_id" => inbox_id.clone() };
            self.jobs.push(Job::Call(Made {
                project,
                op: "consume_inbox",
                args,
                then: Then::Nothing,
            }));
        }
    }

    /// The boss hands out tasks and waits for them.
    fn fork(&mut self, project: usize, item: &Object, step: &str, call: String) -> Made {
        let mut specs = Vec::new();
        for agent in AGENTS.iter().skip(1) {
            if self.dice.percent(60) || specs.is_empty() {
                specs.push(object! { "agent_id" => *agent, "profile_box_id" => PROFILE, "context_box_id" => CONTEXT });
            }
        }
        let mut args = object! {
            "source_agent_id" => "boss", "parent_agent_turn_id" => text(item, "agent_turn_id"),
            "parent_turn_epoch" => item.get("turn_epoch").cloned().unwrap_or_default(),
            "parent_tool_call_id" => call, "parent_step_id" => step, "channel_id" => "public",
            "recursion_depth" => 1_i64, "fail_fast" => self.dice.percent(40), "activate" => true,
            "task_specs" => Json::Array(specs.into_iter().map(Json::Object).collect()),
        };
        if self.dice.percent(40) {
            args.insert("deadline_seconds".into(), 40_i64.into());
        }
        Made { project, op: "create_batch", args, then: Then::Nothing }
    }

    // ---- the second phase

    fn heal(&mut self) -> Result<(), Failure> {
        self.healing = true;
        self.note("nothing fails any more".into());
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
            self.now += 5000;
            self.tick()?;
            // a healing that takes long is told in short
            if tick > 30 {
                self.history.truncate(lines);
            }
        }
        last
    }

    fn rest(&self) -> Result<(), Failure> {
        for (at, name) in PROJECTS.iter().enumerate() {
            if let (Some(model), Some(seen)) = (self.models.get(at), self.seen.get(at)) {
                check::rest(&self.store, name, model, seen)?;
            }
        }
        Ok(())
    }
}

fn unsound(made: &Made, error: &str) -> Failure {
    Failure {
        law: "every call is answered",
        found: format!("{}: {error}", short(made)),
        step: None,
    }
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
