//! What a recipe leaves to the orchestrator: whom to wake with which context.

use crate::value::id::{AgentId, BoxId};
use crate::value::ids::CardIds;
use crate::value::lower::lower;
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
    /// A new agent of a profile.
    New,
    /// An agent that is in the roster, with the output it has.
    Reuse,
    /// A new agent like one in the roster, that knows what the other has put out.
    Clone,
}

impl Strategy {
    /// The strategy of this name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        match lower(name).as_str() {
            "new" => Some(Self::New),
            "reuse" => Some(Self::Reuse),
            "clone" => Some(Self::Clone),
            _ => None,
        }
    }
}

/// A request to start a turn of the receiver. It names everything but the turn itself.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DispatchRequest {
    /// The receiver.
    pub target_agent_id: AgentId,
    /// True when the commit puts the receiver into the roster.
    pub provision: bool,
    /// The receiver's profile.
    pub profile_box_id: BoxId,
    /// What the turn reads.
    pub context_box_id: BoxId,
    /// The output box that the turn goes on with; a new one is made when absent.
    pub output_box_id: Option<BoxId>,
    /// How people call the receiver.
    pub display_name: String,
    /// How deep the receiver stands below the first caller; absent when the caller's own depth is
    /// not known, and then it follows from the caller's turn.
    pub recursion_depth: Option<u64>,
}

/// One context that was handed over.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handed {
    /// How the receiver was found.
    pub target_strategy: Strategy,
    /// The profile or agent that the call named.
    pub target_ref: String,
    /// The name of the receiver's profile.
    pub profile_name: String,
    /// What the receiver is told.
    pub instruction: Option<String>,
    /// The boxes that were handed on, each once.
    pub inherit_box_ids: Vec<BoxId>,
    /// The cards of the new context, in order.
    pub card_ids: CardIds,
    /// What the orchestrator is asked to do.
    pub dispatch: DispatchRequest,
}
