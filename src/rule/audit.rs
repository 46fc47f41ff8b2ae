//! Records of packed contexts: the sender, the receiver, the sources and their authority.
//!
//! The [ledger](crate::rule::ledger::Ledger) has one [`Audit`] for each context that a call packs.
//! A record names boxes and their versions, and why the call could use them. It copies no content.
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
use crate::value::id::{AgentId, BoxId, CardId};
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
/// assert!(audit.permission.is_none(), "no policy was checked");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// The packed context.
    pub context_box_id: BoxId,
    /// The agent that delegated.
    pub packed_by: String,
    /// The tool that packed. It is the author of the new cards.
    pub tool_suffix: String,
    /// The recipe of the call. `None` for `pack_context`.
    pub recipe: Option<String>,
    /// The rule dialect.
    pub dialect: crate::rule::DialectName,
    /// The profile of the receiver.
    pub target_profile: String,
    /// The box of that profile.
    pub target_profile_box_id: BoxId,
    /// The receiver, if the recipe has one.
    pub target_agent_id: Option<AgentId>,
    /// The output box that the receiver continues with, if any.
    pub target_output_box_id: Option<BoxId>,
    /// The display name of the receiver, if the recipe has one.
    pub target_display_name: Option<String>,
    /// The policy that allows the receiver. `None` if no policy was checked.
    pub permission: Option<Permission>,
    /// The inherited boxes, each once.
    pub sources: Vec<Source>,
}

impl Audit {
    /// Returns the inherited boxes: the parents of the context.
    pub(crate) fn parents(&self) -> Vec<BoxId> {
        self.sources.iter().map(|source| source.box_id.clone()).collect()
    }
}

/// The record as the ledger and its row contain it. Unknown members are omitted.
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
    /// The record of one packed context: the sender, the receiver, the sources and their authority.
    pub struct Audit {
        pub context_box_id: BoxId,
        /// The agent that delegated.
        pub packed_by: String,
        /// The tool that packed. It is the author of the new cards.
        pub tool_suffix: String,
        /// The recipe of the call. Missing for `pack_context`.
        pub recipe: Maybe<String>,
        pub dialect: crate::rule::DialectName,
        /// The profile of the receiver.
        pub target_profile: String,
        /// The box of that profile.
        pub target_profile_box_id: BoxId,
        /// The receiver, if the recipe has one.
        pub target_agent_id: Maybe<AgentId>,
        /// The output box that the receiver continues with, if any.
        pub target_output_box_id: Maybe<BoxId>,
        /// The display name of the receiver, if the recipe has one.
        pub target_display_name: Maybe<String>,
        /// The delegation policy of the sender's profile. Missing if no policy was checked.
        pub permission: Maybe<Permission>,
        /// The inherited boxes.
        pub sources: Vec<Source>,
    }

    /// An inherited box.
    pub struct Source {
        pub box_id: BoxId,
        pub version: u64,
        /// The number of its cards.
        pub cards: usize,
        pub authority: Authority,
        /// The path of the argument that names it.
        pub path: Path,
    }

    /// The reason why a call can inherit a box.
    #[serde(tag = "kind", rename_all = "snake_case")]
    pub enum Authority {
        /// The dialect allows every box of the project.
        Project,
        /// `authorized_inherit_box_ids` lists the box.
        Listed,
        /// The box belongs to the sender.
        Own {
            as_what: Word<
                "profile_box_id",
                "context_box_id",
                "output_box_id",
                "memory_context_box_id",
                "last_output_box_id",
            >,
        },
        /// The box is the output of the cloned agent.
        CloneSource { agent_id: AgentId },
        /// The project or the call grants the box.
        Granted,
    }

    /// The delegation policy of the sender's profile that allows the receiver.
    pub struct Permission {
        pub profile_box_id: BoxId,
        /// The profiles that the policy lists. Null if it allows every profile.
        pub target_profiles: Option<Vec<String>>,
        /// The tags of which the receiver's profile needs one. Empty if tags do not matter.
        pub target_tags: Vec<String>,
    }
}

impl Serialize for Audit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::from(self).serialize(serializer)
    }
}

/// Returns a row of the table [`audit`](table::AUDIT), in the batch that it is about.
pub(crate) fn entry(
    writes: &Writes,
    seq: usize,
    action: &str,
    actor: Option<String>,
    subject: String,
    data: impl FnOnce() -> Json + Send + 'static,
) -> RowChange {
    let (operation_id, at) = (writes.operation_id.clone(), writes.at);
    let audit_id = [operation_id.as_str(), itoa::Buffer::new().format(seq)].join("_");
    let of = RowKey { table: &table::AUDIT, key: vec![audit_id.clone()] };
    let action = action.to_owned();
    let row = NewRow::later(move || {
        let mut row = Object::with_capacity(8);
        let mut put = |key: &str, value: Json| row.insert(key.to_owned(), value);
        put("audit_id", audit_id.into());
        put("at", at.into());
        put("action", action.into());
        put("actor_id", actor.into());
        put("subject", subject.into());
        put("operation_id", operation_id.into());
        put("data", data());
        put("seq", seq.into());
        row
    });
    RowChange { of, before: Before::Any, row: Some(row) }
}

/// Adds one row for each record to the table [`audit`](table::AUDIT), in the batch that packs.
pub(crate) fn keep(records: &[Arc<Audit>], writes: &mut Writes) {
    for (seq, record) in records.iter().enumerate() {
        let record = Arc::clone(record);
        let action = record.recipe.as_deref().unwrap_or("pack_context").to_owned();
        let (actor, subject) = (record.packed_by.clone(), record.context_box_id.to_string());
        let data = move || Json::from(&*record);
        writes.rows.push(entry(writes, seq, &action, Some(actor), subject, data));
    }
}

/// Adds a row about a box that has the cards of other boxes.
pub(crate) fn keep_copy(
    action: &str,
    actor: Option<&str>,
    box_id: &BoxId,
    sources: Vec<Source>,
    writes: &mut Writes,
) {
    let (actor, made) = (actor.map(str::to_owned), box_id.clone());
    let data = move || {
        let sources = sources.iter().map(Json::from).collect::<Json>();
        Json::from([("box_id", Json::from(&made)), ("sources", sources)])
    };
    writes.rows.push(entry(writes, 0, action, actor, box_id.to_string(), data));
}

/// Adds a row about cards that were deleted although a turn can read them.
pub(crate) fn keep_deletion(actor: Option<&str>, card_ids: Vec<CardId>, writes: &mut Writes) {
    let subject = card_ids.first().map(CardId::to_string).unwrap_or_default();
    let data = move || Json::from([("card_ids", card_ids.iter().collect::<Json>())]);
    let actor = actor.map(str::to_owned);
    writes.rows.push(entry(writes, 0, "delete_cards", actor, subject, data));
}

/// Adds a row about cards whose content was overwritten.
pub(crate) fn keep_erasure(
    actor: Option<&str>,
    card_ids: Vec<CardId>,
    reason: Option<&str>,
    writes: &mut Writes,
) {
    let subject = card_ids.first().map(CardId::to_string).unwrap_or_default();
    let reason = Json::from(reason.map(str::to_owned));
    let data = move || {
        Json::from([("card_ids", card_ids.iter().collect::<Json>()), ("reason", reason.clone())])
    };
    let actor = actor.map(str::to_owned);
    writes.rows.push(entry(writes, 0, "erase_cards", actor, subject, data));
}

/// An inherited box.
///
/// Shown by the example of [`Audit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The id of the box.
    pub box_id: BoxId,
    /// Its version.
    pub version: u64,
    /// The number of its cards.
    pub cards: usize,
    /// The reason why the call could inherit it.
    pub authority: Authority,
    /// The path of the argument that names it.
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

/// The reason why a call can inherit a box.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Authority {
    /// The dialect allows every box of the project.
    Project,
    /// `authorized_inherit_box_ids` lists the box.
    Listed,
    /// The box belongs to the sender.
    Own {
        /// The pointer to the box: `output_box_id`, `memory_context_box_id`, ...
        as_what: &'static str,
    },
    /// The box is the output of the cloned agent.
    CloneSource {
        /// The cloned agent.
        agent_id: AgentId,
    },
    /// The project or the call grants the box.
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

/// The delegation policy of the sender's profile that allows the receiver.
///
/// Shown by the [example of recipes](crate::agents::recipe).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The box of the sender's profile.
    pub profile_box_id: BoxId,
    /// The profiles that the policy lists. `None` if it allows every profile.
    pub target_profiles: Option<Vec<String>>,
    /// The tags of which the receiver's profile needs one. Empty if tags do not matter.
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
