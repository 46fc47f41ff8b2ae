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

use crate::Result;
use crate::store::{Before, RowChange, Writes, table};
use crate::value::error::Path;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Json, to_json};
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

impl Audit {
    /// The boxes that were handed on, each once: the parents of the context.
    pub(crate) fn parents(&self) -> Vec<BoxId> {
        let mut parents: Vec<BoxId> = Vec::with_capacity(self.sources.len());
        let mut seen = crate::value::str_map::Keys::default();
        for source in &self.sources {
            if seen.insert(source.box_id.as_str().into()) {
                parents.push(source.box_id.clone());
            }
        }
        parents
    }
}

/// Puts the records among what a batch writes: they are kept with what they speak of, one row for
/// each context in the table [`audit`](table::AUDIT).
///
/// # Errors
/// When a record is not JSON.
pub(crate) fn keep(records: &[Audit], writes: &mut Writes) -> Result<()> {
    for (index, record) in records.iter().enumerate() {
        let operation_id = writes.operation_id.as_str();
        let action = record.recipe.as_deref().unwrap_or("pack_context");
        let row = Json::from([
            ("audit_id", Json::from(format!("{operation_id}_{index}"))),
            ("at", writes.at.into()),
            ("action", action.into()),
            ("actor_id", record.packed_by.as_str().into()),
            ("subject", record.context_box_id.as_str().into()),
            ("operation_id", operation_id.into()),
            ("data", to_json(record)?),
            ("seq", index.into()),
        ]);
        if let Json::Object(row) = row {
            writes.rows.push(RowChange::put(&table::AUDIT, row, Before::Any)?);
        }
    }
    Ok(())
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
