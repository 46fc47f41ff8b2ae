//! Batches and their tasks.

use super::{CONFIRMATION, Command, Expected, Fate, Model, NewTask, Turn, UNHEARD, number};
use tuckbox::value::json::Json;

/// Tasks that are dispatched together.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Batch {
    /// The tool call that created it: agent, turn, call, epoch.
    requested_by: [String; 4],
    fail_fast: bool,
    deadline: Option<i64>,
    /// The final status.
    pub outcome: Option<String>,
}

/// One task.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Task {
    batch: String,
    agent: String,
    /// `pending`, `dispatched`, or the final status.
    pub status: String,
    turn: Option<String>,
    /// True once the turn is known to have an epoch.
    confirmed: bool,
    since: i64,
    warned: bool,
    rung: bool,
}

impl Task {
    fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "pending" | "dispatched")
    }
}

impl Model {
    pub(super) fn create_batch(
        &mut self,
        command: &Command<'_>,
        new_tasks: &[NewTask],
        expected: &mut Expected,
    ) {
        let requested_by = [
            command.text("source_agent_id").to_owned(),
            command.text("parent_agent_turn_id").to_owned(),
            command.text("parent_tool_call_id").to_owned(),
            command.number("parent_turn_epoch").to_string(),
        ];
        // a tool call creates one batch, even if it is repeated
        let known = self.batches.iter().find(|(_, batch)| batch.requested_by == requested_by);
        let batch = match known {
            Some((id, _)) => Json::from(id.as_str()),
            None => command.value.get("batch_id").cloned().unwrap_or_default(),
        };
        let is_new = known.is_none();
        let id = batch.as_str().unwrap_or_default().to_owned();
        expected.answer = Some((&["batch_id"], batch));
        if !is_new {
            return;
        }
        let seconds = number(command.args.get("deadline_seconds"));
        let deadline = seconds.map(|seconds| command.now + seconds * 1000);
        let fail_fast = command.flag("fail_fast") == Some(true);
        self.batches.insert(id.clone(), Batch { requested_by, fail_fast, deadline, outcome: None });
        let mut ids = Vec::new();
        for spec in command.list("task_specs") {
            let agent = spec.get("agent_id").and_then(Json::as_str).unwrap_or_default();
            let named = new_tasks.iter().find(|(_, of, of_agent)| *of == id && of_agent == agent);
            let Some((task, _, _)) = named else { continue };
            let new = Task {
                batch: id.clone(),
                agent: agent.to_owned(),
                status: "pending".into(),
                turn: None,
                confirmed: false,
                since: command.now,
                warned: false,
                rung: false,
            };
            self.tasks.insert(task.clone(), new);
            ids.push(task.clone());
        }
        for task in ids {
            self.dispatch(&task, command.now, expected);
        }
    }

    /// Dispatches a task as a turn of its agent.
    fn dispatch(&mut self, id: &str, now: i64, expected: &mut Expected) {
        let Some(agent) = self.tasks.get(id).map(|task| task.agent.clone()) else { return };
        let Some((_, turn)) = expected.names.pop_front() else { return };
        self.queue(&agent, &turn, &turn, expected);
        self.promote(&agent, now);
        let confirmed = self.fate(&turn) == Some(&Fate::Leased);
        if let Some(task) = self.tasks.get_mut(id) {
            task.status = "dispatched".into();
            task.turn = Some(turn);
            task.confirmed = confirmed;
            task.since = now;
        }
    }

    fn is_running(&self, batch: &str) -> bool {
        self.batches.get(batch).is_some_and(|batch| batch.outcome.is_none())
    }

    pub(super) fn dispatch_task(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let id = command.text("batch_task_id");
        // the clocks of hosts differ, so the time of a retry can be in the future
        let waits = self.tasks.get(id);
        let waits = waits.filter(|task| task.status == "pending" && task.since <= command.now);
        let due = waits.is_some_and(|task| self.is_running(&task.batch));
        expected.answer = Some((&[], due.into()));
        if due {
            self.dispatch(id, command.now, expected);
        }
    }

    /// Handles the end of a child; returns true if a task waited for it.
    pub(super) fn child_event(
        &mut self,
        turn: &str,
        status: &str,
        now: i64,
        expected: &mut Expected,
    ) -> bool {
        let status = match status {
            "pending" | "dispatched" => return false,
            "success" | "canceled" | "timeout" | "partial" => status,
            _ => "failed",
        };
        let of_turn =
            |(_, task): &(&String, &Task)| task.is_open() && task.turn.as_deref() == Some(turn);
        let Some((id, task)) = self.tasks.iter().find(of_turn) else { return false };
        let (id, name, agent) = (id.clone(), task.batch.clone(), task.agent.clone());
        let Some(batch) = self.batches.get(&name) else { return false };
        let (deadline, fail_fast) = (batch.deadline, batch.fail_fast);
        let late = deadline.is_some_and(|deadline| deadline < now);
        if late || fail_fast {
            let ended = self.turns.get(turn).and_then(|turn| turn.ended).unwrap_or(now);
            if late && deadline.is_some_and(|deadline| deadline < ended) {
                self.end_at_deadline(&name, now, expected);
                return true;
            }
            if fail_fast {
                self.catch_up(&name, |end| end < (ended, &agent), now, expected);
            }
        }
        self.take_end(&id, status, now, expected);
        true
    }

    /// Ends a task, unless its batch ended before.
    fn take_end(&mut self, id: &str, status: &str, now: i64, expected: &mut Expected) {
        let Some(task) = self.tasks.get_mut(id).filter(|task| task.is_open()) else { return };
        task.status = status.to_owned();
        task.since = now;
        let batch = task.batch.clone();
        self.settle(&batch, expected);
    }

    /// Ends the tasks of a batch whose turns ended or were due to end, in the order of these times.
    fn catch_up(
        &mut self,
        batch: &str,
        until: impl Fn((i64, &str)) -> bool,
        now: i64,
        expected: &mut Expected,
    ) {
        let mut ends = Vec::new();
        for (id, task) in &self.tasks {
            if task.batch != batch || task.status != "dispatched" {
                continue;
            }
            let Some(turn) = &task.turn else { continue };
            let Some(agent) = self.agents.get(&task.agent).filter(|agent| !agent.headless) else {
                continue;
            };
            let end = if agent.active.as_ref() == Some(turn) {
                self.due_end(&task.agent).map(|(at, status)| (at, status.to_owned()))
            } else {
                match self.turns.get(turn) {
                    Some(Turn { fate: Fate::Ended(status), ended: Some(at), .. }) => {
                        Some((*at, status.clone()))
                    }
                    _ => None,
                }
            };
            if let Some((at, status)) = end.filter(|(at, _)| until((*at, &task.agent))) {
                ends.push((at, task.agent.clone(), id.clone(), status));
            }
        }
        ends.sort();
        for (_, _, id, status) in ends {
            self.take_end(&id, &status, now, expected);
        }
    }

    /// Ends a batch whose deadline passed.
    fn end_at_deadline(&mut self, id: &str, now: i64, expected: &mut Expected) {
        let Some(deadline) = self.batches.get(id).and_then(|batch| batch.deadline) else { return };
        self.catch_up(id, |(at, _)| at <= deadline, now, expected);
        let open =
            self.statuses(id).iter().any(|status| matches!(*status, "pending" | "dispatched"));
        let outcome = if open { "timeout" } else { self.outcome(id) };
        self.join(id, outcome, expected);
    }

    fn statuses(&self, batch: &str) -> Vec<&str> {
        let mine = self.tasks.values().filter(|task| task.batch == batch);
        mine.map(|task| task.status.as_str()).collect()
    }

    /// Returns the status of a batch whose tasks all ended.
    fn outcome(&self, batch: &str) -> &'static str {
        let statuses = self.statuses(batch);
        let any = |word: &str| statuses.contains(&word);
        if statuses.iter().all(|status| *status == "success") {
            "success"
        } else if any("success") {
            "partial"
        } else if any("failed") {
            "failed"
        } else if any("timeout") {
            "timeout"
        } else if any("partial") {
            "partial"
        } else {
            "failed"
        }
    }

    /// Ends a batch if its tasks allow it.
    fn settle(&mut self, id: &str, expected: &mut Expected) {
        let Some(batch) = self.batches.get(id) else { return };
        let statuses = self.statuses(id);
        let open = statuses.iter().any(|status| matches!(*status, "pending" | "dispatched"));
        let bad =
            statuses.iter().any(|status| matches!(*status, "failed" | "timeout" | "canceled"));
        if batch.fail_fast && bad {
            self.join(id, "failed", expected);
        } else if !open {
            let outcome = self.outcome(id);
            self.join(id, outcome, expected);
        }
    }

    /// Ends a batch: cancels open tasks, and answers the parent once.
    fn join(&mut self, id: &str, outcome: &str, expected: &mut Expected) {
        let Some(batch) = self.batches.get_mut(id).filter(|batch| batch.outcome.is_none()) else {
            return;
        };
        batch.outcome = Some(outcome.to_owned());
        expected.said.joined.push((id.to_owned(), outcome.to_owned()));
        let mut back = Vec::new();
        for task in self.tasks.values_mut().filter(|task| task.batch == id && task.is_open()) {
            task.status = "canceled".into();
            back.extend(task.turn.clone().map(|turn| (task.agent.clone(), turn)));
        }
        for (agent, turn) in back {
            self.cancel(&agent, &turn);
        }
    }

    pub(super) fn end_batch(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let id = command.text("batch_id");
        let Some(batch) = self.batches.get(id) else { return };
        if batch.outcome.is_some() {
            return;
        }
        if batch.deadline.is_some_and(|deadline| deadline < command.now) {
            self.end_at_deadline(id, command.now, expected);
        } else {
            self.settle(id, expected);
        }
    }

    /// Reconciles a task without an event.
    pub(super) fn reconcile(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let (id, now) = (command.text("batch_task_id"), command.now);
        let Some(task) = self.tasks.get(id).filter(|task| task.status == "dispatched") else {
            expected.answer = Some((&[], false.into()));
            return;
        };
        let (age, turn) = (now - task.since, task.turn.clone().unwrap_or_default());
        let (agent, batch) = (task.agent.clone(), task.batch.clone());
        if task.confirmed {
            let ended = match self.fate(&turn) {
                Some(Fate::Ended(status)) => Some(status.clone()),
                _ => None,
            };
            let ended = ended.filter(|_| age >= UNHEARD);
            let taken = ended.is_some_and(|status| self.child_event(&turn, &status, now, expected));
            expected.answer = Some((&[], taken.into()));
            return;
        }
        expected.answer = Some((&[], (age >= CONFIRMATION).into()));
        if age < CONFIRMATION || !self.is_running(&batch) {
            return;
        }
        let fate = self.fate(&turn).cloned();
        if matches!(fate, Some(Fate::Leased | Fate::Ended(_))) {
            self.task(id, |task| {
                task.confirmed = true;
                task.since = now;
            });
            return;
        }
        if age < UNHEARD {
            return;
        }
        let (since, of) = (now - age, self.batches.get(&batch));
        if of.is_some_and(|of| of.deadline.is_some_and(|deadline| deadline < now)) {
            self.end_at_deadline(&batch, now, expected);
            return;
        }
        if of.is_some_and(|of| of.fail_fast) {
            self.catch_up(&batch, |end| end < (since + UNHEARD, &agent), now, expected);
            if !self.is_running(&batch) {
                return;
            }
        }
        let queued = fate == Some(Fate::Queued);
        let mut noted = false;
        self.task(id, |task| {
            noted = !task.warned || (queued && !task.rung);
            task.warned = true;
        });
        if queued && self.tasks.get(id).is_some_and(|task| !task.rung) {
            self.task(id, |task| task.rung = true);
            self.promote(&agent, now);
        }
        let of = self.batches.get(&batch);
        let hurries = of.is_some_and(|batch| batch.fail_fast);
        if hurries {
            self.task(id, |task| {
                task.status = "failed".into();
                task.since = now;
            });
            self.settle(&batch, expected);
        } else if noted {
            self.task(id, |task| task.since = now);
        } else if fate == Some(Fate::Canceled) {
            self.child_event(&turn, "canceled", now, expected);
        } else if fate == Some(Fate::CannotRun) {
            self.child_event(&turn, "failed", now, expected);
        } else if fate == Some(Fate::Lost) {
            self.task(id, |task| {
                task.status = "pending".into();
                task.turn = None;
                task.since = now;
            });
        }
    }

    fn task(&mut self, id: &str, change: impl FnOnce(&mut Task)) {
        if let Some(task) = self.tasks.get_mut(id) {
            change(task);
        }
    }
}
