//! Profiles, agents and files as rows of a store.

use super::table::column_text;
use super::version::implied_version;
use crate::Result;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Field, Fields, Json, to_json};
use serde::Serialize;

/// A profile as it is found by name.
///
/// ```
/// use tuckbox::store::Profile;
/// use tuckbox::json;
///
/// let lead = Profile {
///     tags: vec!["research".into()],
///     delegation_policy: json!({"target_tags": ["research"]}),
///     ..Profile::new("Lead", "pb_lead")
/// };
/// assert_eq!((lead.name.as_str(), lead.profile_box_id.unwrap().as_str()), ("Lead", "pb_lead"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Profile {
    /// The name, in its own case.
    pub name: String,
    /// The box that holds the profile's cards; a damaged registry may lack it.
    pub profile_box_id: Option<BoxId>,
    /// Tags that a delegation policy can name.
    pub tags: Vec<String>,
    /// Which kind of worker runs agents of this profile.
    pub worker_target: Option<String>,
    /// Whom agents of this profile may hand over to, as the host keeps it.
    pub delegation_policy: Json,
    /// What the store calls this state of the row, if it says.
    #[serde(skip)]
    pub stored_version: Option<String>,
}

impl Profile {
    /// A profile with a name and a box.
    pub fn new(name: impl Into<String>, profile_box_id: impl Into<BoxId>) -> Self {
        Self {
            name: name.into(),
            profile_box_id: Some(profile_box_id.into()),
            tags: Vec::new(),
            worker_target: None,
            delegation_policy: Json::Null,
            stored_version: None,
        }
    }

    /// The id of its box as a key; empty when it has none.
    pub(crate) fn box_key(&self) -> &str {
        self.profile_box_id.as_ref().map_or("", BoxId::as_str)
    }

    /// Reads a row.
    ///
    /// # Errors
    /// When the row is not a profile row.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        Ok(Self {
            name: row.required("name")?.string()?.to_owned(),
            profile_box_id: text(&row, "profile_box_id")?.map(BoxId::from),
            tags: texts(&row, "tags")?,
            worker_target: text(&row, "worker_target")?.map(str::to_owned),
            delegation_policy: row.json().get("delegation_policy").cloned().unwrap_or_default(),
            stored_version: stored_version(&row),
        })
    }

    /// Tells this state of the row from others: what the store calls it, or a hash of it.
    pub fn version(&self) -> String {
        version(&self.stored_version, self)
    }
}

/// An agent: its roster entry, its state while a turn is on, and its pointers between turns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agent {
    /// Who it is.
    pub agent_id: AgentId,
    /// True when the agent is in the roster; state can outlive the entry.
    pub in_roster: bool,
    /// The box of its profile.
    pub profile_box_id: Option<BoxId>,
    /// The name a person gave it.
    pub display_name: Option<String>,
    /// Tags that a delegation policy can name.
    pub tags: Vec<String>,
    /// Which kind of worker runs it.
    pub worker_target: Option<String>,
    /// Its current turn, if the store has one.
    pub state: Option<AgentState>,
    /// What its last turn left behind.
    pub pointers: Option<AgentPointers>,
    /// What the store calls this state of everything above, if it says.
    #[serde(skip)]
    pub stored_version: Option<String>,
}

/// The head of an agent's state.
///
/// Shown by the example of [`Agent`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentState {
    /// `idle`, `dispatched`, `running`, `suspended`, ...
    pub status: String,
    /// The profile of the turn.
    pub profile_box_id: Option<BoxId>,
    /// What the turn reads.
    pub context_box_id: Option<BoxId>,
    /// What the turn appends to.
    pub output_box_id: Option<BoxId>,
}

/// What an agent keeps between turns.
///
/// Shown by the example of [`Agent`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentPointers {
    /// The output of the last turn.
    pub last_output_box_id: Option<BoxId>,
    /// The agent's own memory.
    pub memory_context_box_id: Option<BoxId>,
}

impl AgentState {
    pub(super) fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        Ok(Self {
            status: text(&row, "status")?.unwrap_or_default().to_owned(),
            profile_box_id: text(&row, "profile_box_id")?.map(BoxId::from),
            context_box_id: text(&row, "context_box_id")?.map(BoxId::from),
            output_box_id: text(&row, "output_box_id")?.map(BoxId::from),
        })
    }
}

impl AgentPointers {
    pub(super) fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        Ok(Self {
            last_output_box_id: text(&row, "last_output_box_id")?.map(BoxId::from),
            memory_context_box_id: text(&row, "memory_context_box_id")?.map(BoxId::from),
        })
    }
}

impl Agent {
    /// An agent in the roster with a profile.
    pub fn new(agent_id: impl Into<AgentId>, profile_box_id: impl Into<BoxId>) -> Self {
        Self {
            agent_id: agent_id.into(),
            in_roster: true,
            profile_box_id: Some(profile_box_id.into()),
            display_name: None,
            tags: Vec::new(),
            worker_target: None,
            state: None,
            pointers: None,
            stored_version: None,
        }
    }

    /// An agent that is in no roster: only its state or its pointers are known.
    pub(super) fn unregistered(agent_id: &str) -> Self {
        Self { in_roster: false, profile_box_id: None, ..Self::new(agent_id, "") }
    }

    /// Reads a row.
    ///
    /// # Errors
    /// When the row is not an agent row.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        Ok(Self {
            agent_id: AgentId::from(row.required("agent_id")?.string()?),
            in_roster: row.optional("in_roster").map_or(Ok(true), |value| value.boolean())?,
            profile_box_id: text(&row, "profile_box_id")?.map(BoxId::from),
            display_name: text(&row, "display_name")?.map(str::to_owned),
            tags: texts(&row, "tags")?,
            worker_target: text(&row, "worker_target")?.map(str::to_owned),
            state: row.optional("state").map(|row| AgentState::from_row(&row)).transpose()?,
            pointers: row
                .optional("pointers")
                .map(|row| AgentPointers::from_row(&row))
                .transpose()?,
            stored_version: stored_version(&row),
        })
    }

    /// Tells this state of the agent from others: what the store calls it, or a hash of it.
    pub fn version(&self) -> String {
        version(&self.stored_version, self)
    }
}

/// A file of a project. Like a card it never changes once it is stored.
///
/// ```
/// use tuckbox::store::{MemoryStore, StoredFile};
///
/// let mut store = MemoryStore::new();
/// let tables = store.project("p1").add_file(StoredFile::new("out/report.md", "# Findings"));
/// assert_eq!(tables.files().next().map(|file| file.text.as_str()), Some("# Findings"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredFile {
    /// Where it is, from the project's root, names separated by `/`.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl StoredFile {
    /// A file with a text.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// Reads a row.
    ///
    /// # Errors
    /// When the row is not a file row.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        Ok(Self::new(row.required("path")?.string()?, row.required("text")?.string()?))
    }
}

/// The files inside a directory, at any depth. A directory without files is absent.
///
/// ```
/// use tuckbox::store::Directory;
///
/// assert!(Directory::holds("out", "out/samples/a.json"));
/// assert!(!Directory::holds("out", "output.json"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Directory {
    /// Which directory, from the project's root.
    pub directory: String,
    /// The paths of its files, from the project's root.
    pub paths: Vec<String>,
}

impl Directory {
    /// Reads a row.
    ///
    /// # Errors
    /// When the row is not a directory row.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let fields = row.object()?;
        let directory = fields.required("directory")?.string()?.to_owned();
        Ok(Self { directory, paths: texts(&fields, "paths")? })
    }

    /// True when a file at `path` is inside `directory`.
    pub fn holds(directory: &str, path: &str) -> bool {
        path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// The column `version` of a row, as text.
fn stored_version(row: &Fields<'_>) -> Option<String> {
    column_text(row.json(), "version")
}

fn version(stored: &Option<String>, row: &impl Serialize) -> String {
    stored.clone().unwrap_or_else(|| implied_version(&to_json(row).unwrap_or_default()))
}

fn text<'a>(row: &Fields<'a>, key: &str) -> Result<Option<&'a str>> {
    row.optional(key).map(|field| field.string()).transpose()
}

fn texts(row: &Fields<'_>, key: &str) -> Result<Vec<String>> {
    match row.optional(key) {
        Some(list) => Ok(list.strings()?.into_iter().map(str::to_owned).collect()),
        None => Ok(Vec::new()),
    }
}
