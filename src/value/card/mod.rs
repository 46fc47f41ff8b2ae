//! Cards: the smallest units of information, immutable after creation.
//!
//! ```
//! use tuckbox::{Card, Content, Env, Limits, NewCard, ProjectId, Timestamp};
//!
//! let env = Env::new(Timestamp::parse("2026-01-04T10:30:00Z").unwrap(), [7; 32]);
//! let new = NewCard {
//!     ttl_seconds: Some(60),
//!     ..NewCard::new("task.instruction", "agent_parent", Content::text("write the report"))
//! };
//! let id = env.minter().card_id();
//! let card = Card::make(new, &ProjectId::from("p1"), id, env.now, &Limits::default())?;
//! assert_eq!(card.card_type(), Some("task.instruction"));
//! assert_eq!(card.expires_at, Timestamp::parse("2026-01-04T10:31:00Z"));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod coerce;
mod content;
mod file;
#[cfg(test)]
mod tests;
mod tool;
mod uri;
mod wire;

pub use content::{Content, FieldSchema};
pub use file::{FileKind, FileRef, Preview};
pub use tool::{AfterExecution, ToolCall, ToolResult};

use crate::value::json::{Json, Object};
use crate::{CardId, Limits, Path, ProjectId, Result, Timestamp};

/// An immutable unit of information.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The id, unique across all projects.
    pub card_id: CardId,
    /// The content of the card.
    pub content: Content,
    /// `type`, `role`, `author_id`, `project_id`, `created_at`, and any other keys.
    pub metadata: Object,
    /// The tool calls of an assistant's card.
    pub tool_calls: Option<Vec<Object>>,
    /// The call that a tool's card answers.
    pub tool_call_id: Option<String>,
    /// The lifetime in seconds.
    pub ttl_seconds: Option<i64>,
    /// The project that stores the card; absent on the wire.
    pub tenant_id: Option<ProjectId>,
    /// The time at which the card expires.
    pub expires_at: Option<Timestamp>,
    /// The time of deletion, if the card is deleted.
    pub deleted_at: Option<Timestamp>,
    /// True for a row of other software whose content has no `__type__`.
    pub untyped: bool,
}

/// The properties of a new card that its author sets.
///
/// ```
/// use tuckbox::{Content, NewCard};
///
/// let answer = NewCard {
///     tool_call_id: Some("call_1".into()),
///     ..NewCard::new("tool.result", "agent_a", Content::text("12 degrees"))
/// };
/// assert_eq!((answer.card_type.as_str(), answer.ttl_seconds), ("tool.result", None));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NewCard {
    /// The semantic type, such as `task.instruction`.
    pub card_type: String,
    /// The author, for audit only.
    pub author_id: String,
    /// The content of the card.
    pub content: Content,
    /// Any other metadata; [reserved keys](RESERVED) in it are overwritten.
    pub metadata: Object,
    /// The tool calls of an assistant's card.
    pub tool_calls: Option<Vec<Object>>,
    /// The call that a tool's card answers.
    pub tool_call_id: Option<String>,
    /// The lifetime in seconds.
    pub ttl_seconds: Option<i64>,
}

/// The metadata keys that [`Card::make`] sets; it overwrites other values.
///
/// ```
/// use tuckbox::value::card::RESERVED;
/// use tuckbox::{Card, Content, Json, Limits, NewCard, ProjectId, Timestamp, json};
///
/// let mut new = NewCard::new("task.instruction", "agent_a", Content::text("Draft it."));
/// new.metadata.insert("author_id".into(), json!("agent_b"));
/// let card = Card::make(new, &ProjectId::from("p1"), "c1".into(), Timestamp::from_millis(0), &Limits::default())?;
/// assert!(RESERVED.contains(&"author_id"));
/// assert_eq!(card.metadata.get("author_id"), Some(&Json::from("agent_a")));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub const RESERVED: [&str; 4] = ["project_id", "type", "author_id", "created_at"];

/// Returns the role of a standard card type; `None` for other types.
///
/// ```
/// use tuckbox::value::card::role_of_type;
///
/// assert_eq!(role_of_type("agent.thought"), Some("assistant"));
/// assert_eq!(role_of_type("note"), None);
/// ```
pub fn role_of_type(card_type: &str) -> Option<&'static str> {
    match card_type {
        "task.instruction" => Some("user"),
        "agent.thought" | "tool.call" | "task.deliverable" => Some("assistant"),
        "tool.result" => Some("tool"),
        "sys.profile" | "sys.rendered_prompt" | "sys.tools" | "meta.parent_pointer" => {
            Some("system")
        }
        _ => None,
    }
}

/// The state of a card at a given time.
///
/// ```
/// use tuckbox::{Card, Content, Limits, Liveness, NewCard, ProjectId, Timestamp};
///
/// let made = Timestamp::from_millis(0);
/// let new = NewCard { ttl_seconds: Some(60), ..NewCard::new("note", "agent_a", Content::text("temporary")) };
/// let card = Card::make(new, &ProjectId::from("p1"), "c1".into(), made, &Limits::default())?;
/// assert_eq!(card.liveness(made.plus_seconds(59)), Liveness::Live);
/// assert_eq!(card.liveness(made.plus_seconds(61)), Liveness::Expired);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Liveness {
    /// The card can be read.
    Live,
    /// The card is deleted.
    Deleted,
    /// The card is expired.
    Expired,
}

impl NewCard {
    /// Creates a card with only a type, an author and content.
    pub fn new(
        card_type: impl Into<String>,
        author_id: impl Into<String>,
        content: Content,
    ) -> Self {
        Self {
            card_type: card_type.into(),
            author_id: author_id.into(),
            content,
            metadata: Object::default(),
            tool_calls: None,
            tool_call_id: None,
            ttl_seconds: None,
        }
    }
}

impl Card {
    /// Creates a card: checks the limits and converts its JSON to canonical form.
    ///
    /// So a preview, a commit and every later read have the same bytes.
    ///
    /// # Errors
    /// Returns `limit` if a part is too deep or too long.
    /// Returns `invalid_content` for text that stores do not support.
    /// Paths start at `content`, `metadata`, `tool_calls`, `tool_call_id`, `type` or `author_id`.
    pub fn make(
        new: NewCard,
        project: &ProjectId,
        card_id: CardId,
        now: Timestamp,
        limits: &Limits,
    ) -> Result<Self> {
        let mut metadata = new.metadata;
        metadata.reserve(4);
        metadata.insert("project_id".into(), project.into());
        metadata.insert("type".into(), new.card_type.into());
        metadata.insert("author_id".into(), new.author_id.into());
        metadata.insert("created_at".into(), now.into());
        if let Some(id) = &new.tool_call_id {
            let path = Path::root().key("tool_call_id");
            limits.check_text(id, &path)?;
            crate::value::json::check_storable(id, &path)?;
        }
        Ok(Self {
            content: new.content.into_canonical(limits).map_err(|error| error.under("content"))?,
            metadata: content::canonical_object(metadata, limits)
                .map_err(|error| error.under("metadata"))?,
            tool_calls: new
                .tool_calls
                .map(|calls| content::canonical_objects(calls, limits))
                .transpose()
                .map_err(|error| error.under("tool_calls"))?,
            tool_call_id: new.tool_call_id,
            ttl_seconds: new.ttl_seconds,
            tenant_id: Some(project.clone()),
            expires_at: new.ttl_seconds.map(|seconds| now.plus_seconds(seconds)),
            deleted_at: None,
            untyped: false,
            card_id,
        })
    }

    /// Returns the semantic type, such as `task.instruction`.
    pub fn card_type(&self) -> Option<&str> {
        self.metadata_text("type")
    }

    /// Returns whether the card lists the fields that a result must have.
    ///
    /// Turns add them to the prompt.
    pub(crate) fn is_contract(&self) -> bool {
        self.card_type() == Some("task.result_fields")
    }

    /// Returns the role that a model sees.
    pub fn role(&self) -> Option<&str> {
        self.metadata_text("role")
    }

    /// Returns the author, for audit only.
    pub fn author_id(&self) -> Option<&str> {
        self.metadata_text("author_id")
    }

    /// Returns the author for display: `unknown` if it is missing.
    pub fn author(&self) -> &str {
        self.author_id().filter(|author| !author.is_empty()).unwrap_or("unknown")
    }

    /// Returns the project in the metadata: `public` if it is missing or empty.
    ///
    /// The `tenant_id` is the project that stores the card. This is the project that readers of the
    /// reference system see.
    ///
    /// ```
    /// use tuckbox::{Card, Json, value::json::Field};
    ///
    /// let row = Json::parse(r#"{"card_id": "c1", "metadata": {"project_id": ""},
    ///     "content": {"__type__": "TextContent", "text": "x"}}"#)?;
    /// assert_eq!(Card::from_row(&Field::root(&row))?.project(), "public");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub fn project(&self) -> &str {
        self.metadata_text("project_id").filter(|id| !id.is_empty()).unwrap_or("public")
    }

    /// Returns the time of creation, if the metadata has it.
    pub fn created_at(&self) -> Option<Timestamp> {
        self.metadata_text("created_at").and_then(Timestamp::parse)
    }

    /// Returns the state of the card at `now`.
    pub fn liveness(&self, now: Timestamp) -> Liveness {
        if self.deleted_at.is_some() {
            Liveness::Deleted
        } else if self.expires_at.is_some_and(|end| end <= now) {
            Liveness::Expired
        } else {
            Liveness::Live
        }
    }

    /// Returns whether both cards have the same id and content.
    ///
    /// Deletion and creation time do not count.
    pub(crate) fn same_content(&self, other: &Self) -> bool {
        let mut mine = self.clone();
        mine.deleted_at = other.deleted_at;
        mine.expires_at = other.expires_at;
        if let Some(created_at) = other.metadata.get("created_at") {
            mine.metadata.insert("created_at".into(), created_at.clone());
        }
        mine.row().same_value(&other.row())
    }

    /// Returns the card without its content and author, deleted at `at` unless it was deleted before.
    ///
    /// Its id, type, role, project and time of creation stay, so that boxes and audits can name it.
    ///
    /// ```
    /// use tuckbox::{Card, Content, Limits, NewCard, Timestamp};
    ///
    /// let now = Timestamp::from_millis(0);
    /// let new = NewCard::new("note", "ann", Content::text("a name"));
    /// let card = Card::make(new, &"p1".into(), "n1".into(), now, &Limits::default())?;
    /// let erased = card.erased(now);
    /// assert_eq!((erased.content.text_view().as_str(), erased.author_id()), ("", None));
    /// assert_eq!((erased.card_type(), erased.deleted_at), (Some("note"), Some(now)));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[must_use]
    pub fn erased(&self, at: Timestamp) -> Self {
        let mut metadata = self.metadata.clone();
        let kept = ["type", "role", "project_id", "created_at"];
        metadata.retain(|key, _| kept.contains(&key.as_str()));
        metadata.insert("erased".into(), true.into());
        Self {
            content: Content::text(""),
            metadata,
            tool_calls: None,
            tool_call_id: None,
            deleted_at: self.deleted_at.or(Some(at)),
            untyped: false,
            ..self.clone()
        }
    }

    fn metadata_text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Json::as_str)
    }
}
