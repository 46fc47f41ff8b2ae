//! The calls that delegate, as one type.

use crate::agents::Setup;
use crate::agents::recipe::{
    AskExpert, Caller, DelegateAsync, ForkJoin, Handed, LaunchPrincipal, PackWithInstruction,
    RunRecipe,
};
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

/// A call that packs contexts for other agents.
#[derive(Debug)]
pub enum Subject {
    Pack(Box<PackContext>),
    Instruct(Box<PackWithInstruction>),
    Delegate(Box<DelegateAsync>),
    Launch(Box<LaunchPrincipal>),
    Ask(Box<AskExpert>),
    Fork(Box<ForkJoin>),
    Custom(Box<RunRecipe>),
}

/// The receiver of a context and its boxes.
///
/// Shown by the example of [`PreviewHandover`](super::PreviewHandover).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receiver {
    /// The agent; missing if the call names only a profile.
    pub agent_id: Option<AgentId>,
    /// The box of its profile.
    pub profile_box_id: BoxId,
    /// The box that its turn reads.
    pub context_box_id: BoxId,
    /// The output box that it continues.
    pub output_box_id: Option<BoxId>,
    /// Its display name.
    pub display_name: Option<String>,
}

impl Receiver {
    /// Returns the view of the receiver's turn. A turn that continues no output starts without one,
    /// regardless of the agent's state.
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

/// Returns a step with another value.
fn mapped<V, W>(step: Step<Outcome<V>>, map: impl FnOnce(V) -> W) -> Step<Outcome<W>> {
    step.map(|outcome| outcome.map(map))
}

impl Subject {
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let op = Field::root(json).object()?.required("op")?;
        let defaults = &setup.defaults;
        Ok(match op.string()? {
            "pack_context" => {
                Self::Pack(Box::new(PackContext::from_json(json)?.with_defaults(defaults)))
            }
            "pack_context_with_instruction" => Self::Instruct(Box::new(
                PackWithInstruction::from_json(json)?.with_defaults(defaults),
            )),
            "delegate_async" => {
                Self::Delegate(Box::new(DelegateAsync::from_json(json)?.with_defaults(defaults)))
            }
            "launch_principal" => {
                Self::Launch(Box::new(LaunchPrincipal::from_json(json)?.with_defaults(defaults)))
            }
            "ask_expert" => {
                Self::Ask(Box::new(AskExpert::from_json(json)?.with_defaults(defaults)))
            }
            "fork_join" => Self::Fork(Box::new(ForkJoin::from_json(json)?.with_defaults(defaults))),
            name if name == "run_recipe" || setup.recipes.get(name).is_some() => {
                Self::Custom(Box::new(RunRecipe::read(json, setup)?))
            }
            name => {
                return Err(Error::bad_request(format!("`{name}` does not delegate"))
                    .at(Path::root().key("op")));
            }
        })
    }

    /// Returns the agent that delegates.
    pub fn source_agent_id(&self) -> &str {
        match self {
            Self::Pack(call) => &call.source_agent_id,
            _ => self.caller().map_or("", |caller| &caller.source_agent_id),
        }
    }

    /// Returns the dialect of the call.
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Pack(call) => call.dialect.unwrap_or_default(),
            _ => self.caller().map(Caller::dialect).unwrap_or_default(),
        }
    }

    /// Returns the sender of a recipe.
    fn caller(&self) -> Option<&Caller> {
        match self {
            Self::Pack(_) => None,
            Self::Instruct(rule) => Some(&rule.caller),
            Self::Delegate(rule) => Some(&rule.caller),
            Self::Launch(rule) => Some(&rule.caller),
            Self::Ask(rule) => Some(&rule.caller),
            Self::Fork(rule) => Some(&rule.caller),
            Self::Custom(rule) => Some(&rule.caller),
        }
    }

    /// Steps the call, and returns its receivers.
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
        let handed = |handed: Handed| vec![Receiver::from(&handed)];
        Ok(match self {
            Self::Pack(call) => mapped(call.step(snapshot, env)?, packed),
            Self::Instruct(rule) => {
                mapped(rule.step(snapshot, env)?, |instructed| packed(instructed.packed))
            }
            Self::Delegate(rule) => mapped(rule.step(snapshot, env)?, handed),
            Self::Launch(rule) => mapped(rule.step(snapshot, env)?, handed),
            Self::Ask(rule) => mapped(rule.step(snapshot, env)?, handed),
            Self::Custom(rule) => mapped(rule.step(snapshot, env)?, handed),
            Self::Fork(rule) => mapped(rule.step(snapshot, env)?, |forked| {
                forked.tasks.iter().map(|task| Receiver::from(&task.handed)).collect()
            }),
        })
    }
}
