//! Calls: decisions, commits, and what a host does with the answer.

use super::{Held, Job, Judges, Made, PROJECTS, Then, World, failure, list, short, text, unsound};
use crate::sim::check;
use crate::sim::failure::Failure;
use crate::sim::model::{Command, Said};
use crate::sim::object;
use tuckbox::agents::Setup;
use tuckbox::rule::{MAX_ROUNDS, Step};
use tuckbox::store::table::{BATCH_TASKS, EXECUTION_EDGES, HEADS, INBOX, OUTBOX};
use tuckbox::store::{Before, Snapshot, Store, Writes};
use tuckbox::value::json::Json;
use tuckbox::{Env, Timestamp};

impl World {
    /// Makes a call: decides, then commits now or later.
    pub(super) fn call(&mut self, made: Made) -> Result<(), Failure> {
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
        // the clocks of hosts differ
        let skew =
            if self.healing { 0 } else { i64::try_from(self.dice.below(3)).unwrap_or(0) * 700 };
        let env = Env::new(Timestamp::from_millis(self.now + skew), entropy);
        let mut call = made.args.clone();
        call.insert("op".into(), made.op.into());
        let rule = match Setup::default().read_call(&Json::Object(call)) {
            Ok(rule) => rule,
            Err(error) => return Err(unsound(&made, &error.to_string())),
        };
        let mut snapshot = Snapshot::new(name.into());
        let mut rounds = 0;
        let outcome = loop {
            match rule.step(&snapshot, &env) {
                Err(error) if error.code() == tuckbox::Code::NotFound => return Ok(()),
                Err(error) => return Err(unsound(&made, &error.to_string())),
                Ok(Step::Done(outcome)) => {
                    let Ok(value) = outcome.value.to_json() else {
                        return Err(unsound(&made, "the answer has no JSON"));
                    };
                    break outcome.map(|_| value);
                }
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
            if rounds > MAX_ROUNDS {
                return Err(unsound(&made, "it is not decided"));
            }
        };
        let most = self.most_reads.entry(made.op).or_default();
        *most = rounds.max(*most);
        if !self.healing && !outcome.writes.is_empty() && self.dice.percent(15) {
            self.note(|| format!("{} is decided", short(&made)));
            let heads = self.heads.get(made.project).copied().unwrap_or_default();
            self.held.push(Held { made, writes: outcome.writes, value: outcome.value, heads });
            return Ok(());
        }
        self.commit(made, &outcome.writes, outcome.value, false)
    }

    pub(super) fn commit(
        &mut self,
        made: Made,
        writes: &Writes,
        value: Json,
        late: bool,
    ) -> Result<(), Failure> {
        let now = writes.at.as_millis();
        if writes.is_empty() {
            self.learn(&made, &value, writes, now)?;
            return self.answered(made, value);
        }
        let agent = writes.rows.iter().find(|change| change.of.table == &HEADS);
        let agent = agent.and_then(|change| change.of.key.first().cloned());
        let view = self.views.get(made.project);
        let before = agent.and_then(|agent| view?.head(&agent).cloned());
        match self.store.commit(writes) {
            Err(error) if error.code() == tuckbox::Code::Conflict => {
                self.note(|| format!("{}: conflict", short(&made)));
                // after a conflict the host decides again, unless its process ended
                if self.healing || self.dice.percent(80) {
                    self.jobs.push(Job::Call(made));
                }
                return Ok(());
            }
            Err(error) => return Err(unsound(&made, &error.to_string())),
            Ok(_) => self.touch(made.project),
        }
        if writes.rows.iter().any(|change| change.of.table == &HEADS) {
            self.heads_changed(made.project);
        }
        let Some(view) = self.views.get_mut(made.project) else { return Ok(()) };
        for change in &writes.rows {
            view.set(&change.of, change.row.as_deref());
        }
        self.note(|| format!("{}{}", short(&made), if late { " is committed" } else { "" }));
        if let Some(view) = self.views.get(made.project)
            && self.judges != Judges::Model
        {
            check::commit(&made, before.as_ref(), writes, view)?;
        }
        if !self.healing && self.dice.percent(5) {
            // the answer of the commit is lost, and the host commits again
            match self.store.commit(writes) {
                Ok(receipt) if receipt.repeated => {}
                Ok(_) => return Err(failure("an operation applies once", short(&made))),
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
        self.learn(&made, &value, writes, now)?;
        if !self.healing && self.dice.percent(5) {
            self.note(|| format!("{}: the answer is lost", short(&made)));
            return Ok(());
        }
        self.answered(made, value)
    }

    /// Passes the call to the model, and checks the messages of the commit.
    fn learn(
        &mut self,
        made: &Made,
        value: &Json,
        writes: &Writes,
        now: i64,
    ) -> Result<(), Failure> {
        let Some(name) = PROJECTS.get(made.project).copied() else { return Ok(()) };
        let (Some(model), Some(seen)) =
            (self.models.get_mut(made.project), self.seen.get_mut(made.project))
        else {
            return Ok(());
        };
        let (mut said, mut new_tasks) = (Said::default(), Vec::new());
        for change in writes.rows.iter().filter(|change| change.before == Before::Absent) {
            let Some(row) = &change.row else { continue };
            let of = |key: &str| text(row, key);
            if change.of.table == &INBOX && of("message_type") == "turn" {
                said.queued.push((of("agent_id"), of("agent_turn_id")));
            } else if change.of.table == &BATCH_TASKS {
                new_tasks.push((of("batch_task_id"), of("batch_id"), of("agent_id")));
            } else if change.of.table == &EXECUTION_EDGES {
                if of("primitive") == "join" && of("edge_phase") == "response" {
                    let metadata = row.get("metadata").and_then(Json::as_object);
                    let status = metadata.map(|metadata| text(metadata, "status"));
                    said.joined.push((of("correlation_id"), status.unwrap_or_default()));
                }
            } else if change.of.table == &OUTBOX {
                if self.judges != Judges::Model {
                    check::message(row, name, seen)?;
                }
                let subject = of("subject");
                if let Some(payload) = row.get("payload").and_then(Json::as_object)
                    && subject.ends_with(".task")
                {
                    seen.torn.remove(subject.split('.').nth(6).unwrap_or_default());
                    said.ended.push((text(payload, "agent_turn_id"), text(payload, "status")));
                }
            }
        }
        let touches_head = writes.rows.iter().any(|change| change.of.table == &HEADS);
        let command = Command { op: made.op, args: &made.args, value, now, touches_head };
        model.apply(&command, &said, &new_tasks)
    }

    /// Lets a host use an answer.
    pub(super) fn answered(&mut self, made: Made, value: Json) -> Result<(), Failure> {
        let project = made.project;
        let consumed = made.args.contains_key("consume");
        match made.then {
            Then::Nothing => {}
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
                    let Some(op) = tuckbox::call::operations().find(|op| *op == text(&call, "op"))
                    else {
                        continue;
                    };
                    call.remove("op");
                    let then = match op {
                        "take_up_results" => {
                            let view = self.views.get(project);
                            let head = view.and_then(|view| view.head(&text(&call, "agent_id")));
                            let Some(head) = head.cloned() else { continue };
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
}
