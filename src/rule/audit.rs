//! Who packed what, from where, under which authority.
//!
//! One [`Audit`] stands in the [ledger](crate::rule::ledger::Ledger) for every context that a call packs.
//! It repeats nothing that a store keeps: it names boxes at their versions, and why they could be
//! used.
//!
//! ```
//! use tuckbox::rule::audit::Authority;
//! use tuckbox::Json;
//!
//! let own = Authority::Own { as_what: "output_box_id" };
//! assert_eq!(Json::from(&own).to_string(), r#"{"kind":"own","as_what":"output_box_id"}"#);
//! ```

use crate::store::{Before, NewRow, RowChange, RowKey, Writes, table};
use crate::value::error::Path;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Json, Object};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The record of one packed context.
///
/// ```
/// use tuckbox::rule::audit::Authority;
/// # use tuckbox::store::{MemoryStore, Profile, Snapshot};
/// # use tuckbox::{Env, Handover, PackContext, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1", "n2"]);
/// # let handover = Handover::builder().inherit("boxes").build();
/// # let arguments = json!({"profile_name": "writer", "boxes": ["notes"]});
/// # let call = PackContext::new("delegate", "agent_a", arguments, handover);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
/// let audit = &preview.ledger.audit[0];
/// assert_eq!((audit.packed_by.as_str(), audit.target_profile.as_str()), ("agent_a", "Writer"));
/// assert_eq!((audit.sources[0].box_id.as_str(), audit.sources[0].cards), ("notes", 2));
/// assert_eq!(audit.sources[0].authority, Authority::Project);
/// assert!(audit.permission.is_none(), "no policy was asked");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// The context that was packed.
    pub context_box_id: BoxId,
    /// The agent that handed over.
    pub packed_by: String,
    /// The tool that packed: the author of the new cards.
    pub tool_suffix: String,
    /// The recipe that asked for it; absent for a plain `pack_context`.
    pub recipe: Option<String>,
    /// The rule dialect.
    pub dialect: crate::rule::DialectName,
    /// The profile of the receiver.
    pub target_profile: String,
    /// The box of that profile.
    pub target_profile_box_id: BoxId,
    /// The receiver, where the recipe knows it.
    pub target_agent_id: Option<AgentId>,
    /// The output that the receiver goes on with, where there is one.
    pub target_output_box_id: Option<BoxId>,
    /// How people call the receiver, where the recipe knows it.
    pub target_display_name: Option<String>,
    /// Why the receiver could be chosen; absent where no policy was asked.
    pub permission: Option<Permission>,
    /// The boxes that were handed on, each once.
    pub sources: Vec<Source>,
}

impl Audit {
    /// The boxes that were handed on: the parents of the context.
    pub(crate) fn parents(&self) -> Vec<BoxId> {
        self.sources.iter().map(|source| source.box_id.clone()).collect()
    }
}

/// The record as it stands in a ledger and in its row; what is not known is left out.
impl From<&Audit> for Json {
    fn from(audit: &Audit) -> Self {
        let mut record = Object::with_capacity(12);
        let mut put = |key: &str, value: Json| record.insert(key.to_owned(), value);
        put("context_box_id", audit.context_box_id.as_str().into());
        put("packed_by", audit.packed_by.as_str().into());
        put("tool_suffix", audit.tool_suffix.as_str().into());
        if let Some(recipe) = &audit.recipe {
            put("recipe", recipe.as_str().into());
        }
        put("dialect", audit.dialect.into());
        put("target_profile", audit.target_profile.as_str().into());
        put("target_profile_box_id", audit.target_profile_box_id.as_str().into());
        if let Some(agent_id) = &audit.target_agent_id {
            put("target_agent_id", agent_id.as_str().into());
        }
        if let Some(box_id) = &audit.target_output_box_id {
            put("target_output_box_id", box_id.as_str().into());
        }
        if let Some(name) = &audit.target_display_name {
            put("target_display_name", name.as_str().into());
        }
        if let Some(permission) = &audit.permission {
            put("permission", permission.into());
        }
        put("sources", audit.sources.iter().map(Self::from).collect());
        Self::Object(record)
    }
}

shape! {
    /// The record of one packed context: who packed what, from where, under which authority.
    pub struct Audit {
        pub context_box_id: BoxId,
        /// The agent that handed over.
        pub packed_by: String,
        /// The tool that packed: the author of the new cards.
        pub tool_suffix: String,
        /// The recipe that asked for it; absent for a plain `pack_context`.
        pub recipe: Maybe<String>,
        pub dialect: crate::rule::DialectName,
        /// The profile of the receiver.
        pub target_profile: String,
        /// The box of that profile.
        pub target_profile_box_id: BoxId,
        /// The receiver, where the recipe knows it.
        pub target_agent_id: Maybe<AgentId>,
        /// The output that the receiver goes on with, where there is one.
        pub target_output_box_id: Maybe<BoxId>,
        /// How people call the receiver, where the recipe knows it.
        pub target_display_name: Maybe<String>,
        /// What the delegation policy of the sender's profile says; absent where no policy was asked.
        pub permission: Maybe<Permission>,
        /// The boxes that were handed on.
        pub sources: Vec<Source>,
    }

    /// A box that was handed on.
    pub struct Source {
        pub box_id: BoxId,
        pub version: u64,
        /// How many cards stood in it.
        pub cards: usize,
        pub authority: Authority,
        /// The value that named it.
        pub path: Path,
    }

    /// Why a box could be handed on.
    #[serde(tag = "kind", rename_all = "snake_case")]
    pub enum Authority {
        /// The dialect lets any box of the project be inherited.
        Project,
        /// `authorized_inherit_box_ids` lists it.
        Listed,
        /// It is one of the sender's own boxes.
        Own {
            as_what: Word<
                "profile_box_id",
                "context_box_id",
                "output_box_id",
                "memory_context_box_id",
                "last_output_box_id",
            >,
        },
        /// It is the output of the agent that is cloned.
        CloneSource { agent_id: AgentId },
        /// The host granted it in the call.
        Granted,
    }

    /// Why a receiver could be chosen: what the delegation policy of the sender's profile says.
    pub struct Permission {
        pub profile_box_id: BoxId,
        /// The profiles it lists; null when it allows every one.
        pub target_profiles: Option<Vec<String>>,
        /// The tags of which the receiver's profile has one; empty when tags do not count.
        pub target_tags: Vec<String>,
    }
}

impl Serialize for Audit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::from(self).serialize(serializer)
    }
}

/// Puts the records among what a batch writes: they are kept with what they speak of, one row for
/// each context in the table [`audit`](table::AUDIT).
pub(crate) fn keep(records: &[Arc<Audit>], writes: &mut Writes) {
    for (seq, record) in records.iter().enumerate() {
        let (operation_id, at) = (writes.operation_id.clone(), writes.at);
        let audit_id = [operation_id.as_str(), itoa::Buffer::new().format(seq)].join("_");
        let of = RowKey { table: &table::AUDIT, key: vec![audit_id.clone()] };
        let record = Arc::clone(record);
        let row = NewRow::later(move || {
            let mut row = Object::with_capacity(8);
            let mut put = |key: &str, value: Json| row.insert(key.to_owned(), value);
            put("audit_id", audit_id.into());
            put("at", at.into());
            put("action", record.recipe.as_deref().unwrap_or("pack_context").into());
            put("actor_id", record.packed_by.as_str().into());
            put("subject", record.context_box_id.as_str().into());
            put("operation_id", operation_id.into());
            put("data", (&*record).into());
            put("seq", seq.into());
            row
        });
        writes.rows.push(RowChange { of, before: Before::Any, row: Some(row) });
    }
}

/// A box that was handed on.
///
/// Shown by the example of [`Audit`].
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl From<&Source> for Json {
    fn from(source: &Source) -> Self {
        Self::from([
            ("box_id", Self::from(source.box_id.as_str())),
            ("version", source.version.into()),
            ("cards", source.cards.into()),
            ("authority", (&source.authority).into()),
            ("path", source.path.to_string().into()),
        ])
    }
}

/// Why a box could be handed on.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl From<&Authority> for Json {
    fn from(authority: &Authority) -> Self {
        match authority {
            Authority::Project => Self::from([("kind", "project")]),
            Authority::Listed => Self::from([("kind", "listed")]),
            Authority::Own { as_what } => Self::from([("kind", "own"), ("as_what", as_what)]),
            Authority::CloneSource { agent_id } => {
                Self::from([("kind", "clone_source"), ("agent_id", agent_id.as_str())])
            }
            Authority::Granted => Self::from([("kind", "granted")]),
        }
    }
}

/// Why a receiver could be chosen: what the delegation policy of the sender's profile says.
///
/// Shown by the [example of recipes](crate::agents::recipe).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The box of the sender's profile.
    pub profile_box_id: BoxId,
    /// The names that the policy lists; absent when it allows every profile.
    pub target_profiles: Option<Vec<String>>,
    /// The tags of which the receiver's profile has one; empty when tags do not count.
    pub target_tags: Vec<String>,
}

impl From<&Permission> for Json {
    fn from(permission: &Permission) -> Self {
        Self::from([
            ("profile_box_id", Self::from(permission.profile_box_id.as_str())),
            ("target_profiles", permission.target_profiles.clone().into()),
            ("target_tags", permission.target_tags.clone().into()),
        ])
    }
}
