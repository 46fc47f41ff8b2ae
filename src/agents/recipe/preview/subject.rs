//! The calls that hand something over, seen as one.

use crate::agents::Setup;
use crate::agents::recipe::{DelegateAsync, ForkJoin, Handed, PackWithInstruction, RunRecipe};
use crate::agents::turn::TurnView;
use crate::pack::PackContext;
use crate::rule::Dialect;
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Field, Json};
use crate::{Error, Path, Result};
use serde::Serialize;

/// A call that packs contexts for somebody.
pub(super) enum Subject {
    Pack(Box<PackContext>),
    Instruct(Box<PackWithInstruction>),
    Delegate(Box<DelegateAsync>),
    Fork(Box<ForkJoin>),
    Custom(Box<RunRecipe>),
}

/// Who receives a context, and where.
///
/// Shown by the example of [`PreviewHandover`](super::PreviewHandover).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receiver {
    /// The agent; absent where only a profile is known.
    pub agent_id: Option<AgentId>,
    /// Its profile.
    pub profile_box_id: BoxId,
    /// What its turn reads.
    pub context_box_id: BoxId,
    /// The output it goes on with.
    pub output_box_id: Option<BoxId>,
    /// How people call it.
    pub display_name: Option<String>,
}

impl Receiver {
    /// The view of the receiver's turn. A turn that goes on with no output starts with none,
    /// whatever the agent's state still says.
    pub fn turn_view(&self, frame: &TurnView) -> TurnView {
        TurnView {
            agent_id: self.agent_id.clone(),
            context_box_id: Some(self.context_box_id.clone()),
            output_box_id: Some(self.output_box_id.clone().unwrap_or_else(|| BoxId::from(""))),
            profile_box_id: Some(self.profile_box_id.clone()),
            display_name: self.display_name.clone(),
            ..frame.clone()
        }
    }
}

impl From<&Handed> for Receiver {
    fn from(handed: &Handed) -> Self {
        let dispatch = &handed.dispatch;
        Self {
            agent_id: Some(dispatch.target_agent_id.clone()),
            profile_box_id: dispatch.profile_box_id.clone(),
            context_box_id: dispatch.context_box_id.clone(),
            output_box_id: dispatch.output_box_id.clone(),
            display_name: Some(dispatch.display_name.clone()),
        }
    }
}

/// A step with its value seen otherwise.
fn seen<V, W>(step: Step<Outcome<V>>, see: impl FnOnce(V) -> W) -> Step<Outcome<W>> {
    step.map(|outcome| outcome.map(see))
}

impl Subject {
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let op = Field::root(json).object()?.required("op")?;
        Ok(match op.string()? {
            "pack_context" => {
                Self::Pack(Box::new(PackContext::from_json_with(json, &setup.defaults)?))
            }
            "pack_context_with_instruction" => {
                Self::Instruct(Box::new(PackWithInstruction::from_json(json, setup)?))
            }
            "delegate_async" => Self::delegate(DelegateAsync::from_json(json, setup)?),
            "launch_principal" => {
                Self::delegate(DelegateAsync::launch_principal_from_json(json, setup)?)
            }
            "ask_expert" => Self::delegate(DelegateAsync::ask_expert_from_json(json, setup)?),
            "fork_join" => Self::Fork(Box::new(ForkJoin::from_json(json, setup)?)),
            "run_recipe" => Self::Custom(Box::new(RunRecipe::from_json(json, setup)?)),
            name if setup.recipes.get(name).is_some() => {
                Self::Custom(Box::new(RunRecipe::from_json(json, setup)?))
            }
            name => {
                return Err(Error::bad_request(format!("`{name}` hands nothing over"))
                    .at(Path::root().key("op")));
            }
        })
    }

    fn delegate(rule: DelegateAsync) -> Self {
        Self::Delegate(Box::new(rule))
    }

    /// The agent that hands over.
    pub fn source_agent_id(&self) -> &str {
        match self {
            Self::Pack(call) => &call.source_agent_id,
            Self::Instruct(rule) => &rule.call().source_agent_id,
            Self::Delegate(rule) => &rule.caller().source_agent_id,
            Self::Fork(rule) => &rule.caller().source_agent_id,
            Self::Custom(rule) => &rule.caller().source_agent_id,
        }
    }

    /// The dialect of the call.
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Pack(call) => call.dialect,
            Self::Instruct(rule) => rule.call().dialect,
            Self::Delegate(rule) => rule.caller().dialect,
            Self::Fork(rule) => rule.caller().dialect,
            Self::Custom(rule) => rule.caller().dialect,
        }
    }

    /// The next step of the call, seen as a list of receivers.
    pub fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Vec<Receiver>>>> {
        let packed = |packed: crate::pack::Packed| {
            vec![Receiver {
                agent_id: None,
                profile_box_id: packed.target_profile_box_id,
                context_box_id: packed.context_box_id,
                output_box_id: None,
                display_name: None,
            }]
        };
        Ok(match self {
            Self::Pack(call) => seen(call.step(snapshot, env)?, packed),
            Self::Instruct(rule) => {
                seen(rule.step(snapshot, env)?, |instructed| packed(instructed.packed))
            }
            Self::Delegate(rule) => {
                seen(rule.step(snapshot, env)?, |handed| vec![Receiver::from(&handed)])
            }
            Self::Custom(rule) => {
                seen(rule.step(snapshot, env)?, |handed| vec![Receiver::from(&handed)])
            }
            Self::Fork(rule) => seen(rule.step(snapshot, env)?, |forked| {
                forked.tasks.iter().map(|task| Receiver::from(&task.handed)).collect()
            }),
        })
    }
}
