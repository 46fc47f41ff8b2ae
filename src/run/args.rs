//! The arguments of the operations of orchestration, read from a call.

use crate::Result;
use crate::run::batch::create::{BatchRequest, TaskSpec};
use crate::run::batch::dispatch::HostDispatch;
use crate::run::keys;
use crate::run::queue::dispatch::Dispatch;
use crate::run::queue::edge::Join;
use crate::run::queue::identity::{AgentRequest, AgentSpec};
use crate::run::queue::send::Send;
use crate::run::rows::status::{HeadStatus, InboxStatus};
use crate::run::transaction::Transaction;
use crate::run::turn::complete::Thought;
use crate::run::turn::state;
use crate::run::turn::tools::{ToolCall, ToolOutcome};
use crate::run::turn::work::Work;
use crate::run::wire::trace;
use crate::value::json::{Field, Fields, Json, Object};
use crate::value::limits::within;

/// The arguments of a call.
pub(super) struct Args<'a>(pub(super) Fields<'a>);

impl<'a> Args<'a> {
    /// Returns the arguments inside an argument. Other keys are errors.
    pub(super) fn only(field: &Field<'a>, known: &[&str]) -> Result<Self> {
        let fields = field.object()?;
        fields.only(known)?;
        Ok(Self(fields))
    }
}

impl Args<'_> {
    pub(super) fn json(&self, key: &str) -> Option<&Json> {
        self.0.json().get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>> {
        self.0.optional(key).map(|field| field.string().map(str::to_owned)).transpose()
    }

    pub(super) fn need(&self, key: &str) -> Result<String> {
        Ok(self.0.required(key)?.string()?.to_owned())
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<i64>> {
        self.0
            .optional(key)
            .map(|field| {
                let whole = field.json().as_number().and_then(|number| number.whole());
                whole.ok_or_else(|| field.expected("a whole number"))
            })
            .transpose()
    }

    /// Returns the maximum number of rows: the argument `limit` or `usual`, within the limits of the project.
    pub(super) fn limit(&self, tx: &Transaction<'_>, usual: usize) -> Result<usize> {
        let Some(field) = self.0.optional("limit") else { return Ok(usual.min(tx.row_limit())) };
        let whole = field.json().as_number().and_then(|number| number.whole());
        let limit = whole.and_then(|limit| usize::try_from(limit).ok());
        let limit = limit.ok_or_else(|| field.expected("a whole number that is not negative"))?;
        Ok(limit.min(tx.row_limit()))
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>> {
        self.0.optional(key).map(|field| field.boolean()).transpose()
    }

    pub(super) fn object(&self, key: &str) -> Result<Object> {
        match self.0.optional(key) {
            Some(field) => Ok(field.object()?.json().clone()),
            None => Ok(Object::default()),
        }
    }

    pub(super) fn project(&self, tx: &Transaction<'_>) -> Result<String> {
        Ok(self.text("project_id")?.unwrap_or_else(|| tx.project()))
    }

    pub(super) fn channel(&self) -> Result<String> {
        Ok(self.text("channel_id")?.unwrap_or_else(|| "public".into()))
    }

    pub(super) fn send(&self, tx: &Transaction<'_>) -> Result<Send> {
        Ok(Send {
            project_id: self.project(tx)?,
            channel_id: self.channel()?,
            target_agent_id: self.text("target_agent_id")?.unwrap_or_default(),
            target_agent_turn_id: self.text("target_agent_turn_id")?,
            message_type: self.text("message_type")?.unwrap_or_default(),
            payload: self.json("payload").cloned().unwrap_or_default(),
            mode: self.text("enqueue_mode")?,
            correlation_id: self.text("correlation_id")?,
            depth: self.json("recursion_depth").cloned(),
            headers: trace::headers_of(self.json("headers")),
            trace_id: self.text("trace_id")?,
            source_agent_id: self.text("source_agent_id")?,
            source_agent_turn_id: self.text("source_agent_turn_id")?,
            source_step_id: self.text("source_step_id")?,
            parent_step_id: self.text("parent_step_id")?,
            wakeup: self.flag("wakeup")?.unwrap_or(true),
        })
    }

    pub(super) fn join(&self, tx: &Transaction<'_>) -> Result<Join> {
        Ok(Join {
            phase: self.text("phase")?.unwrap_or_default(),
            project_id: self.project(tx)?,
            channel_id: self.text("channel_id")?,
            source_agent_id: self.text("source_agent_id")?,
            source_agent_turn_id: self.text("source_agent_turn_id")?,
            source_step_id: self.text("source_step_id")?,
            target_agent_id: self.text("target_agent_id")?,
            target_agent_turn_id: self.text("target_agent_turn_id")?,
            correlation_id: self.text("correlation_id")?,
            depth: self.json("recursion_depth").cloned(),
            trace_id: self.text("trace_id")?,
            parent_step_id: self.text("parent_step_id")?,
            metadata: self.object("metadata")?,
        })
    }

    pub(super) fn dispatch(&self, tx: &Transaction<'_>) -> Result<Dispatch> {
        Ok(Dispatch {
            project_id: self.project(tx)?,
            channel_id: self.channel()?,
            agent_id: self.text("agent_id")?.unwrap_or_default(),
            profile_box_id: self.text("profile_box_id")?,
            context_box_id: self.text("context_box_id")?,
            output_box_id: self.text("output_box_id")?,
            agent_turn_id: self.text("agent_turn_id")?,
            headers: trace::headers_of(self.json("headers")),
            trace_id: self.text("trace_id")?,
            parent_agent_turn_id: self.text("parent_agent_turn_id")?,
            parent_tool_call_id: self.text("parent_tool_call_id")?,
            parent_step_id: self.text("parent_step_id")?,
            source_agent_id: self.text("source_agent_id")?,
            display_name: self.text("display_name")?,
            runtime_config: self.json("runtime_config").and_then(Json::as_object).cloned(),
            emit_state_event: self.flag("emit_state_event")?.unwrap_or(false),
            publish_turn: self.flag("publish_turn")?.unwrap_or(true),
        })
    }

    pub(super) fn work(&self) -> Result<Work> {
        Ok(Work {
            agent_id: self.need("agent_id")?,
            agent_turn_id: self.need("agent_turn_id")?,
            turn_epoch: self.number("turn_epoch")?.unwrap_or(0),
            channel_id: self.text("channel_id")?,
            profile_box_id: self.text("profile_box_id")?,
            context_box_id: self.text("context_box_id")?,
            output_box_id: self.text("output_box_id")?,
            headers: trace::headers_of(self.json("headers")),
            trace_id: self.text("trace_id")?,
            parent_step_id: self.text("parent_step_id")?,
            step_id: self.text("step_id")?,
            step_count: self.number("step_count")?.unwrap_or(0),
            continuation: self.flag("continuation")?.unwrap_or(false),
            consumes: match self.flag("consume")? {
                Some(true) => self.text("inbox_id")?,
                Some(false) | None => None,
            },
        })
    }

    pub(super) fn calls(&self, tx: &Transaction<'_>) -> Result<Vec<ToolCall>> {
        let Some(list) = self.0.optional("tool_calls") else { return Ok(Vec::new()) };
        let mut calls = Vec::new();
        let found = list.list()?;
        let what = "the turn makes {} calls";
        within(found.len(), tx.row_limit(), "max_tasks", what, &list.path())?;
        for call in found {
            let args = Args::only(&call, keys::TOOL_CALL)?;
            let error = args.text("error")?.unwrap_or_else(|| "tool failed".into());
            let cards = match args.0.optional("card_ids") {
                Some(cards) => cards.strings()?.into_iter().map(str::to_owned).collect(),
                None => Vec::new(),
            };
            let outcome = args.text("outcome")?.unwrap_or_else(|| "suspend".into());
            calls.push(ToolCall {
                id: args.need("id")?,
                name: args.text("name")?.unwrap_or_default(),
                outcome: match outcome.as_str() {
                    "suspend" => ToolOutcome::Suspend,
                    "result" if cards.is_empty() => ToolOutcome::Nothing,
                    "result" => ToolOutcome::Cards(cards),
                    "error" => ToolOutcome::Error(error),
                    "deliver" => ToolOutcome::Deliver(cards.into_iter().next()),
                    other => {
                        return Err(call.error(format!(
                            "unknown outcome `{other}`; expected one of `suspend`, `result`, `error`, `deliver`"
                        )));
                    }
                },
            });
        }
        Ok(calls)
    }

    pub(super) fn thought(&self) -> Result<Option<Thought>> {
        let Some(thought) = self.0.optional("thought") else { return Ok(None) };
        let args = Args::only(&thought, keys::THOUGHT)?;
        let tool_calls = match args.0.optional("tool_calls") {
            Some(list) => list
                .list()?
                .iter()
                .map(|call| Ok(call.object()?.json().clone()))
                .collect::<Result<Vec<_>>>()?,
            None => Vec::new(),
        };
        let thinking_blocks = match args.0.optional("thinking_blocks") {
            Some(list) => list.list()?.iter().map(|block| block.json().clone()).collect(),
            None => Vec::new(),
        };
        let text = args.text("text")?.unwrap_or_default();
        Ok(Some(Thought { text, tool_calls, thinking_blocks }))
    }

    /// Returns the worker targets of a claim; `None` if it is for all.
    pub(super) fn worker_targets(&self) -> Result<Option<Vec<String>>> {
        let Some(list) = self.0.optional("worker_targets") else { return Ok(None) };
        Ok(Some(list.strings()?.into_iter().map(str::to_owned).collect()))
    }

    pub(super) fn host_dispatch(&self) -> Result<Option<Vec<HostDispatch>>> {
        let Some(list) = self.0.optional("dispatch_results") else { return Ok(None) };
        let mut results = Vec::new();
        for result in list.list()? {
            let args = Args::only(&result, keys::HOST_DISPATCH)?;
            results.push(HostDispatch {
                status: args.need("status")?,
                error_code: args.text("error_code")?,
                turn_epoch: args.number("turn_epoch")?,
            });
        }
        Ok(Some(results))
    }
}

pub(super) fn agent_request(args: &Args<'_>, key: &str) -> Result<AgentRequest> {
    Ok(AgentRequest {
        agent_id: args.need(key)?,
        channel_id: args.text("channel_id")?,
        source_agent_id: args.text("source_agent_id")?,
        parent_step_id: args.text("parent_step_id")?,
        trace_id: args.text("trace_id")?,
    })
}

pub(super) fn agent_spec(args: &Args<'_>) -> Result<AgentSpec> {
    let tags = match args.0.optional("tags") {
        Some(tags) => Some(tags.strings()?.into_iter().map(str::to_owned).collect()),
        None => None,
    };
    Ok(AgentSpec {
        derived: false,
        derived_from: args.text("derived_from")?,
        profile_box_id: args.text("profile_box_id")?,
        profile_name: args.text("profile_name")?,
        worker_target: args.text("worker_target")?,
        tags,
        display_name: args.text("display_name")?,
        owner_agent_id: args.text("owner_agent_id")?,
        metadata: args.object("metadata")?,
        active_channel_id: args.text("active_channel_id")?,
    })
}

pub(super) fn head_guard(args: &Args<'_>) -> Result<state::HeadGuard> {
    let status = match args.0.optional("expect_status") {
        None => None,
        Some(field) => Some(
            HeadStatus::named(field.string()?)
                .ok_or_else(|| field.error("`expect_status` must be a status of an agent"))?,
        ),
    };
    Ok(state::HeadGuard {
        agent_id: args.need("agent_id")?,
        agent_turn_id: args.text("expect_agent_turn_id")?,
        turn_epoch: args.number("expect_turn_epoch")?,
        status,
    })
}

pub(super) fn status_of(args: &Args<'_>, key: &str) -> Result<Option<InboxStatus>> {
    match args.0.optional(key) {
        None => Ok(None),
        Some(field) => InboxStatus::named(field.string()?)
            .map(Some)
            .ok_or_else(|| field.error(format!("`{key}` must be a status of a message"))),
    }
}

pub(super) fn batch_request(args: &Args<'_>) -> Result<BatchRequest> {
    let mut tasks = Vec::new();
    if let Some(list) = args.0.optional("task_specs") {
        for task in list.list()? {
            let args = Args::only(&task, keys::TASK)?;
            tasks.push(TaskSpec {
                agent_id: args.text("agent_id")?,
                provision: args.flag("provision")?.unwrap_or(false),
                profile_box_id: args.text("profile_box_id")?,
                context_box_id: args.text("context_box_id")?,
                output_box_id: args.text("output_box_id")?,
                task_args: args.json("task_args").cloned().unwrap_or_default(),
                runtime_config: args.json("runtime_config").cloned(),
                metadata: args.json("metadata").cloned(),
            });
        }
    }
    Ok(BatchRequest {
        channel_id: args.text("channel_id")?,
        source_agent_id: args.text("source_agent_id")?.unwrap_or_default(),
        parent_agent_turn_id: args.text("parent_agent_turn_id")?.unwrap_or_default(),
        parent_turn_epoch: args.number("parent_turn_epoch")?.unwrap_or(0),
        parent_tool_call_id: args.text("parent_tool_call_id")?.unwrap_or_default(),
        parent_step_id: args.text("parent_step_id")?,
        lineage_parent_step_id: args.text("lineage_parent_step_id")?,
        parent_after_execution: args.text("parent_after_execution")?,
        tool_suffix: args.text("tool_suffix")?,
        structured_output: args.text("structured_output")?,
        fail_fast: args.flag("fail_fast")?.unwrap_or(false),
        deadline_seconds: args.number("deadline_seconds")?,
        trace_id: args.text("trace_id")?,
        parent_traceparent: args.text("parent_traceparent")?,
        recursion_depth: args.number("recursion_depth")?,
        tasks,
    })
}
