//! Cards: the smallest pieces of information, immutable once made.
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

/// A card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Its id, unique in every project.
    pub card_id: CardId,
    /// What it holds.
    pub content: Content,
    /// `type`, `role`, `author_id`, `project_id`, `created_at`, and anything else.
    pub metadata: Object,
    /// The tool calls of an assistant's card.
    pub tool_calls: Option<Vec<Object>>,
    /// The call that a tool's card answers.
    pub tool_call_id: Option<String>,
    /// How long it lives.
    pub ttl_seconds: Option<i64>,
    /// The project it is stored under; a card on the wire has none.
    pub tenant_id: Option<ProjectId>,
    /// From when on it counts as gone.
    pub expires_at: Option<Timestamp>,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

/// Everything about a card that its maker decides.
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
    /// Its semantic type, such as `task.instruction`.
    pub card_type: String,
    /// Who made it; for audit only.
    pub author_id: String,
    /// What it holds.
    pub content: Content,
    /// Anything else; [reserved keys](RESERVED) in it are overwritten.
    pub metadata: Object,
    /// The tool calls of an assistant's card.
    pub tool_calls: Option<Vec<Object>>,
    /// The call that a tool's card answers.
    pub tool_call_id: Option<String>,
    /// How long it lives.
    pub ttl_seconds: Option<i64>,
}

/// The metadata that only the maker of a card sets: it always wins over what else is given.
///
/// ```
/// use tuckbox::value::card::RESERVED;
/// use tuckbox::{Card, Content, Json, Limits, NewCard, ProjectId, Timestamp, json};
///
/// let mut new = NewCard::new("task.instruction", "agent_a", Content::text("Draft it."));
/// new.metadata.insert("author_id".into(), json!("somebody else"));
/// let card = Card::make(new, &ProjectId::from("p1"), "c1".into(), Timestamp::from_millis(0), &Limits::default())?;
/// assert!(RESERVED.contains(&"author_id"));
/// assert_eq!(card.metadata.get("author_id"), Some(&Json::from("agent_a")));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub const RESERVED: [&str; 4] = ["project_id", "type", "author_id", "created_at"];

/// Whether a card can be read at some moment.
///
/// ```
/// use tuckbox::{Card, Content, Limits, Liveness, NewCard, ProjectId, Timestamp};
///
/// let made = Timestamp::from_millis(0);
/// let new = NewCard { ttl_seconds: Some(60), ..NewCard::new("note", "agent_a", Content::text("soon gone")) };
/// let card = Card::make(new, &ProjectId::from("p1"), "c1".into(), made, &Limits::default())?;
/// assert_eq!(card.liveness(made.plus_seconds(59)), Liveness::Live);
/// assert_eq!(card.liveness(made.plus_seconds(61)), Liveness::Expired);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Liveness {
    /// It can.
    Live,
    /// It was deleted.
    Deleted,
    /// Its time is over.
    Expired,
}

impl NewCard {
    /// A card with nothing but type, author and content.
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
    /// Makes a card: content, metadata and tool calls are held to `limits` and brought into
    /// canonical form, so that a preview, a commit and every later reading give the same bytes.
    ///
    /// # Errors
    /// `limit` when something is too deep or too long, `invalid_content` for what no store can
    /// keep. Paths start at `content`, `metadata`, `tool_calls`, `tool_call_id`, `type` or
    /// `author_id`.
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
            crate::value::json::storable(id, &path)?;
        }
        Ok(Self {
            content: new.content.made(limits).map_err(|error| error.under("content"))?,
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
            card_id,
        })
    }

    /// Its semantic type, such as `task.instruction`.
    pub fn card_type(&self) -> Option<&str> {
        self.metadata_text("type")
    }

    /// True where the card says which fields a result must have. A turn lifts them into its prompt.
    pub(crate) fn is_contract(&self) -> bool {
        self.card_type() == Some("task.result_fields")
    }

    /// The role a model sees.
    pub fn role(&self) -> Option<&str> {
        self.metadata_text("role")
    }

    /// Who made it; for audit only.
    pub fn author_id(&self) -> Option<&str> {
        self.metadata_text("author_id")
    }

    /// Who made it, in a word for people: `unknown` where nobody is named.
    pub fn author(&self) -> &str {
        self.author_id().filter(|author| !author.is_empty()).unwrap_or("unknown")
    }

    /// The project its metadata names: `public` where it names none or the empty one.
    ///
    /// The project that a card is stored under is its `tenant_id`; this is what a reader of the
    /// documented system sees.
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

    /// When it was made, if its metadata says so.
    pub fn created_at(&self) -> Option<Timestamp> {
        self.metadata_text("created_at").and_then(Timestamp::parse)
    }

    /// Whether it can be read at `now`.
    pub fn liveness(&self, now: Timestamp) -> Liveness {
        if self.deleted_at.is_some() {
            Liveness::Deleted
        } else if self.expires_at.is_some_and(|end| end <= now) {
            Liveness::Expired
        } else {
            Liveness::Live
        }
    }

    /// True when both hold the same content under the same id: deletion does not count, nor does
    /// the time at which the card was made.
    pub fn same_content(&self, other: &Self) -> bool {
        let mut mine = self.clone();
        mine.deleted_at = other.deleted_at;
        mine.expires_at = other.expires_at;
        if let Some(created_at) = other.metadata.get("created_at") {
            mine.metadata.insert("created_at".into(), created_at.clone());
        }
        mine.row().same_value(&other.row())
    }

    fn metadata_text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Json::as_str)
    }
}
