//! Dispatch requests: the agent to start, and its context.

use crate::value::id::{AgentId, BoxId};
use crate::value::ids::CardIds;
use serde::Serialize;

/// How the receiver is found.
///
/// ```
/// use tuckbox::agents::recipe::Strategy;
///
/// assert_eq!(Strategy::named("reuse"), Some(Strategy::Reuse));
/// assert_eq!(Strategy::named("spawn"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Strategy {
    /// A new agent with a profile.
    New,
    /// An agent of the roster, which continues its output.
    Reuse,
    /// A new agent with the profile and the output of an agent of the roster.
    Clone,
}

impl Strategy {
    /// Returns the strategy of this name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_lowercase().as_str() {
            "new" => Some(Self::New),
            "reuse" => Some(Self::Reuse),
            "clone" => Some(Self::Clone),
            _ => None,
        }
    }

    /// Returns the name of the strategy.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Reuse => "reuse",
            Self::Clone => "clone",
        }
    }
}

/// A request to start a turn of the receiver. Orchestration makes the id of the turn.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DispatchRequest {
    /// The receiver.
    pub target_agent_id: AgentId,
    /// True if the commit adds the receiver to the roster.
    pub provision: bool,
    /// The receiver's profile.
    pub profile_box_id: BoxId,
    /// The box that the turn reads.
    pub context_box_id: BoxId,
    /// The output box that the turn continues. Without it, the turn gets a new one.
    pub output_box_id: Option<BoxId>,
    /// The display name of the receiver.
    pub display_name: String,
    /// The depth of the receiver below the first caller. Without it, orchestration derives the depth
    /// from the caller's turn.
    pub recursion_depth: Option<u64>,
}

/// One delegated context.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handed {
    /// How the receiver was found.
    pub target_strategy: Strategy,
    /// The profile or agent of the call.
    pub target_ref: String,
    /// The name of the receiver's profile.
    pub profile_name: String,
    /// The instruction, if the recipe has one.
    pub instruction: Option<String>,
    /// The inherited boxes, each once.
    pub inherit_box_ids: Vec<BoxId>,
    /// The cards of the new context, in order.
    pub card_ids: CardIds,
    /// The request to the orchestrator.
    pub dispatch: DispatchRequest,
}
