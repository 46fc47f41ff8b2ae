//! Rows that are lost, and what nobody can run.

use super::{AGENTS, CONTEXT, Made, PROJECTS, Then, World};
use crate::Timestamp;
use crate::run::message::object;
use crate::run::rows::{Head, Inbox, Queue, Row};
use crate::run::sim::failure::Failure;
use crate::run::sim::model::Model;
use crate::run::words::{HeadStatus, InboxStatus};
use crate::store::RowKey;
use crate::store::table::{AGENT_QUEUES, HEADS, INBOX, WAITING_TOOLS};
use crate::value::json::Json;

impl World {
    /// Rows are lost, or somebody else writes what cannot run.
    pub(super) fn damage(&mut self) -> Result<(), Failure> {
        let project = self.dice.below(2);
        let Some(name) = PROJECTS.get(project).copied() else { return Ok(()) };
        self.touch(project);
        let agent = self.dice.pick(&AGENTS).copied().unwrap_or("w1");
        match self.dice.below(5) {
            0 => {
                let queue = self.row::<Queue>(name, agent);
                let there = self.row::<Head>(name, agent);
                if queue.is_some() && there.is_some() {
                    self.note(|| format!("{name}: the head of {agent} is lost"));
                    self.torn(project, agent);
                    self.remove(project, &RowKey::new(&HEADS, [agent]));
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
                                "{name}: {agent} forgets that it waits for {}",
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
                let queued = |row: &&Inbox| row.status == InboxStatus::Queued && of_task(row);
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
                // something that is still at work says so where an end is expected
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

    /// The laws of a project are checked after this step.
    pub(super) fn touch(&mut self, project: usize) {
        if let Some(changed) = self.changed.get_mut(project) {
            *changed = true;
        }
    }

    pub(super) fn torn(&mut self, project: usize, agent: &str) {
        if let Some(seen) = self.seen.get_mut(project) {
            seen.torn.insert(agent.to_owned());
        }
    }

    /// Somebody else's message with a box id that is none stands at the end of a queue.
    pub(super) fn poison(&mut self, project: usize, name: &'static str, agent: &'static str) {
        let Some(mut queue) = self.row::<Queue>(name, agent) else { return };
        let busy =
            self.row::<Head>(name, agent).is_some_and(|head| head.status != HeadStatus::Idle);
        if !busy {
            return;
        }
        let turn = format!("turn_foreign_{}", self.dice.below(1000));
        if self.models.get(project).is_some_and(|model| model.knows(&turn)) {
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
        self.note(|| format!("{name}: somebody else queues {turn} for {agent}"));
        let tables = self.store.project(name);
        tables.add_row(&AGENT_QUEUES, queue.write());
        let row = row.write();
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

    pub(super) fn row<R: Row>(&self, project: &str, key: &str) -> Option<R> {
        let tables = self.store.tables(project)?;
        let found =
            tables.rows(R::TABLE).find(|row| row.key.first().is_some_and(|first| first == key))?;
        R::read(&found.row).ok()
    }
}
