//! Lost rows, and messages that no worker can run.

use super::{AGENTS, CONTEXT, Made, PROJECTS, Then, World};
use crate::sim::failure::Failure;
use crate::sim::model::Model;
use crate::sim::object;
use crate::sim::rows::{Head, Inbox, Row};
use tuckbox::Timestamp;
use tuckbox::store::RowKey;
use tuckbox::store::table::{AGENT_QUEUES, HEADS, INBOX, Table, WAITING_TOOLS};
use tuckbox::value::json::{Json, Object};

impl World {
    /// Deletes rows, or writes a message that cannot run.
    pub(super) fn damage(&mut self) -> Result<(), Failure> {
        let project = self.dice.below(2);
        let Some(name) = PROJECTS.get(project).copied() else { return Ok(()) };
        self.touch(project);
        let agent = self.dice.pick(&AGENTS).copied().unwrap_or("w1");
        // the state of a turn shows in its head or in its calls: only one of them is lost
        let whole = !self.models.get(project).is_some_and(|model| model.lacks_rows(agent));
        match self.dice.below(5) {
            0 | 1 if !whole => {}
            0 => {
                let queue = self.row(name, &AGENT_QUEUES, agent);
                if queue.is_some() && self.row(name, &HEADS, agent).is_some() {
                    self.note(|| format!("{name}: the head of {agent} is lost"));
                    self.torn(project, agent);
                    self.remove(project, &RowKey::new(&HEADS, [agent]));
                    self.heads_changed(project);
                    self.model(project, |model| model.lose_head(agent));
                }
            }
            1 => {
                let rows = self.views.get(project).map(|view| view.waiting.clone());
                self.model(project, |model| model.lose_waiting(agent));
                for row in rows.unwrap_or_default().into_values() {
                    if row.agent_id == agent {
                        self.note(|| {
                            format!(
                                "{name}: the row is lost in which {agent} waits for {}",
                                row.tool_call_id
                            )
                        });
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
                        self.remove(project, &key);
                    }
                }
            }
            2 => {
                let Some(view) = self.views.get(project) else { return Ok(()) };
                let of_task = |row: &Inbox| {
                    let mut turns = view.tasks.values().map(|task| &task.current_agent_turn_id);
                    row.agent_turn_id.is_some() && turns.any(|turn| *turn == row.agent_turn_id)
                };
                let queued = |row: &&Inbox| row.status == "queued" && of_task(row);
                if let Some(row) = view.inbox.values().find(queued).cloned() {
                    let turn = row.agent_turn_id.clone().unwrap_or_default();
                    self.note(|| format!("{name}: the message of {turn} is lost"));
                    self.remove(project, &RowKey::new(&INBOX, [row.inbox_id]));
                    self.model(project, |model| model.lose_message(&row.agent_id, &turn));
                    if let Some(seen) = self.seen.get_mut(project) {
                        seen.lost_rows.insert(turn);
                    }
                }
            }
            3 => self.poison(project, name, agent),
            _ => {
                // an event reports a task that still runs
                let tasks =
                    self.views.get(project).into_iter().flat_map(|view| view.tasks.values());
                let turns: Vec<_> =
                    tasks.filter_map(|task| task.current_agent_turn_id.clone()).collect();
                if let Some(turn) = turns.into_iter().next() {
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

    /// Marks a project for the checks after this step.
    pub(super) fn touch(&mut self, project: usize) {
        if let Some(changed) = self.changed.get_mut(project) {
            *changed = true;
        }
    }

    pub(super) fn heads_changed(&mut self, project: usize) {
        if let Some(heads) = self.heads.get_mut(project) {
            *heads += 1;
        }
    }

    pub(super) fn torn(&mut self, project: usize, agent: &str) {
        if let Some(seen) = self.seen.get_mut(project) {
            seen.torn.insert(agent.to_owned());
        }
    }

    /// Appends a message to a queue that lacks the box of its profile.
    pub(super) fn poison(&mut self, project: usize, name: &'static str, agent: &'static str) {
        let Some(mut queue) = self.row(name, &AGENT_QUEUES, agent) else { return };
        let busy = self.row(name, &HEADS, agent).is_some_and(|head| !Head::read(&head).is_idle());
        if !busy {
            return;
        }
        let turn = format!("turn_foreign_{}", self.dice.below(1000));
        if self.models.get(project).is_some_and(|model| model.knows(&turn)) {
            return;
        }
        let last = queue.get("last_seq").and_then(Json::as_number);
        let seq = last.and_then(|last| last.whole()).unwrap_or(0) + 1;
        queue.insert("last_seq".into(), seq.into());
        let payload = object! {
            "agent_id" => agent, "channel_id" => "public",
            "context_box_id" => CONTEXT, "output_box_id" => CONTEXT, "agent_turn_id" => turn.as_str(),
        };
        let row = object! {
            "inbox_id" => turn.as_str(), "agent_id" => agent, "message_type" => "turn",
            "correlation_id" => turn.as_str(), "recursion_depth" => 0_i64, "payload" => payload,
            "status" => "queued", "created_at" => Timestamp::from_millis(self.now), "seq" => seq,
            "agent_turn_id" => turn.as_str(),
        };
        self.note(|| format!("{name}: another process queues {turn} for {agent}"));
        let tables = self.store.project(name);
        tables.add_row(&AGENT_QUEUES, queue);
        tables.add_row(&INBOX, row.clone());
        if let Some(view) = self.views.get_mut(project) {
            view.set(&RowKey::new(&INBOX, [turn.as_str()]), Some(&row));
        }
        self.model(project, |model| model.foreign(agent, &turn));
    }

    fn remove(&mut self, project: usize, of: &RowKey) {
        let (Some(name), Some(view)) = (PROJECTS.get(project), self.views.get_mut(project)) else {
            return;
        };
        self.store.project(*name).remove_row(of);
        view.set(of, None);
    }

    fn model(&mut self, project: usize, change: impl FnOnce(&mut Model)) {
        if let Some(model) = self.models.get_mut(project) {
            change(model);
        }
    }

    fn row(&self, project: &str, table: &'static Table, key: &str) -> Option<Object> {
        let mut rows = self.store.tables(project)?.rows(table);
        let found = rows.find(|row| row.key.first().is_some_and(|first| first == key))?;
        Some((*found.row).clone())
    }
}
