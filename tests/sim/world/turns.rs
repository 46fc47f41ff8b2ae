//! What hosts do with messages: claim them, call models, run tools.

use super::{AGENTS, CONTEXT, Job, Made, PROFILE, PROJECTS, Then, World, text};
use crate::sim::Failure;
use crate::sim::object;
use tuckbox::value::card::{AfterExecution, Card, Content, NewCard, ToolResult};
use tuckbox::value::json::{Json, Object};
use tuckbox::{CardId, Limits, Timestamp};

impl World {
    pub(super) fn deliver(
        &mut self,
        project: usize,
        subject: &str,
        payload: &Object,
    ) -> Result<(), Failure> {
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

    pub(super) fn item(&mut self, project: usize, item: Object) -> Result<(), Failure> {
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

    /// Adds `consume` for most hosts: they consume a message with the commit that ends the work on it.
    pub(super) fn consuming(&mut self, args: &mut Object) {
        if self.dice.percent(70) {
            args.insert("consume".into(), true.into());
        }
    }

    pub(super) fn think(&mut self, project: usize, item: &Object) -> Result<(), Failure> {
        let mut args = item.clone();
        let step = text(item, "step_id");
        let mut thought = object! { "text" => "thinking" };
        let roll = if self.healing { 0 } else { self.dice.below(100) };
        let (mut forks, mut calls) = (Vec::new(), Vec::new());
        let op = match roll {
            0..38 => "turn_complete",
            // the worker shuts down, at any step of its turn
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
                let mut requested = Vec::new();
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
                    requested
                        .push(object! { "id" => id, "name" => "search", "outcome" => outcome });
                }
                let named = requested.iter().map(|call| object! { "id" => call.get("id").cloned().unwrap_or_default(), "type" => "function" });
                thought.insert("tool_calls".into(), Json::Array(named.map(Json::Object).collect()));
                args.insert(
                    "tool_calls".into(),
                    Json::Array(requested.into_iter().map(Json::Object).collect()),
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

    /// Lets a tool answer: it writes its card, then reports.
    pub(super) fn tool(
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

    pub(super) fn consume(&mut self, project: usize, item: &Object) {
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

    /// Returns the call with which the agent `boss` dispatches tasks.
    pub(super) fn fork(&mut self, project: usize, item: &Object, step: &str, call: String) -> Made {
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
}
