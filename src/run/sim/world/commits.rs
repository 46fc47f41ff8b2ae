//! Calls that are decided, held back, committed and learned from.

use super::{Held, Job, Made, PROJECTS, Then, World, list, short, text, unsound};
use crate::rule::{Rule, Step};
use crate::run::message::object;
use crate::run::operations::RunCall;
use crate::run::rows::Head;
use crate::run::sim::{Failure, check};
use crate::store::table::{HEADS, INBOX, OUTBOX};
use crate::store::{Snapshot, Store, Writes};
use crate::value::json::Json;
use crate::{Env, Timestamp};

impl World {
    /// Makes a call: decides, and commits at once or later.
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

    pub(super) fn commit(
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
    pub(super) fn learn(
        &mut self,
        made: &Made,
        value: &Json,
        writes: &Writes,
    ) -> Result<(), Failure> {
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
    pub(super) fn answered(&mut self, made: Made, value: Json, _: &Writes) -> Result<(), Failure> {
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
}
