//! Who packed what, from where, under which authority.
//!
//! One [`Audit`] stands in the [ledger](crate::rule::ledger::Ledger) for every context that a call packs.
//! It repeats nothing that a store keeps: it names boxes at their versions, and why they could be
//! used.
//!
//! ```
//! use tuckbox::rule::audit::Authority;
//! use tuckbox::value::json::to_json;
//!
//! let own = Authority::Own { as_what: "output_box_id" };
//! assert_eq!(to_json(&own)?.to_string(), r#"{"kind":"own","as_what":"output_box_id"}"#);
//! # Ok::<(), tuckbox::Error>(())
//! ```

use crate::value::error::Path;
use crate::value::id::{AgentId, BoxId};
use serde::Serialize;

/// The record of one packed context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The context that was packed.
    pub context_box_id: BoxId,
    /// The agent that handed over.
    pub packed_by: String,
    /// The tool that packed: the author of the new cards.
    pub tool_suffix: String,
    /// The recipe that asked for it; absent for a plain `pack_context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// The rule dialect.
    pub dialect: &'static str,
    /// The profile of the receiver.
    pub target_profile: String,
    /// The box of that profile.
    pub target_profile_box_id: BoxId,
    /// The receiver, where the recipe knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_agent_id: Option<AgentId>,
    /// The output that the receiver goes on with, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_output_box_id: Option<BoxId>,
    /// How people call the receiver, where the recipe knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_display_name: Option<String>,
    /// Why the receiver could be chosen; absent where no policy was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// The boxes that were handed on.
    pub sources: Vec<Source>,
}

/// A box that was handed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Which box.
    pub box_id: BoxId,
    /// At which version.
    pub version: u64,
    /// How many cards stood in it.
    pub cards: usize,
    /// Why it could be handed on.
    pub authority: Authority,
    /// The value that named it.
    pub path: Path,
}

/// Why a box could be handed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Authority {
    /// The dialect lets any box of the project be inherited.
    Project,
    /// `authorized_inherit_box_ids` lists it.
    Listed,
    /// It is one of the sender's own boxes.
    Own {
        /// Which of them: `output_box_id`, `memory_context_box_id`, ...
        as_what: &'static str,
    },
    /// It is the output of the agent that is cloned.
    CloneSource {
        /// That agent.
        agent_id: AgentId,
    },
    /// The host granted it in the call.
    Granted,
}

/// Why a receiver could be chosen: what the delegation policy of the sender's profile says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Permission {
    /// The box of the sender's profile.
    pub profile_box_id: BoxId,
    /// The names that the policy lists; absent when it allows every profile.
    pub target_profiles: Option<Vec<String>>,
    /// The tags of which the receiver's profile has one; empty when tags do not count.
    pub target_tags: Vec<String>,
}
