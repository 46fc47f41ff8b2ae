//! Profiles, agents and files as rows of a store.

use super::table::column_text;
use super::version::implied_version;
use crate::Result;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Field, Fields, Json, to_json};
use serde::Serialize;

/// A profile in the registry.
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
    /// The name in its original case.
    pub name: String,
    /// The box with the cards of the profile; a damaged registry can lack it.
    pub profile_box_id: Option<BoxId>,
    /// The tags for delegation policies.
    pub tags: Vec<String>,
    /// The kind of worker that runs agents of this profile.
    pub worker_target: Option<String>,
    /// The policy for delegation by agents of this profile, in the format of the host.
    pub delegation_policy: Json,
    /// The version that the store reports for this row, if any.
    #[serde(skip)]
    pub stored_version: Option<String>,
}

impl Profile {
    /// Creates a profile with a name and a box.
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

    /// Returns the id of its box as a key; empty if it has none.
    pub(crate) fn box_key(&self) -> &str {
        self.profile_box_id.as_ref().map_or("", BoxId::as_str)
    }

    /// Reads a row.
    ///
    /// # Errors
    /// Returns an error if the row is not a profile row.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        Ok(Self {
            name: row.required("name")?.string()?.to_owned(),
            profile_box_id: text(&row, "profile_box_id")?.map(BoxId::from),
            tags: strings(&row, "tags")?,
            worker_target: text(&row, "worker_target")?.map(str::to_owned),
            delegation_policy: row.json().get("delegation_policy").cloned().unwrap_or_default(),
            stored_version: stored_version(&row),
        })
    }

    /// Returns the version of the row: the stored one, or a hash of the row.
    pub fn version(&self) -> String {
        version(&self.stored_version, self)
    }
}

/// An agent: its roster entry, its state during a turn, and its pointers between turns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agent {
    /// The id of the agent.
    pub agent_id: AgentId,
    /// Whether the agent is in the roster; its state can outlive the entry.
    pub in_roster: bool,
    /// The box of its profile.
    pub profile_box_id: Option<BoxId>,
    /// The display name.
    pub display_name: Option<String>,
    /// The tags for delegation policies.
    pub tags: Vec<String>,
    /// The kind of worker that runs the agent.
    pub worker_target: Option<String>,
    /// The current turn, if the store has one.
    pub state: Option<AgentState>,
    /// The boxes that the last turn left.
    pub pointers: Option<AgentPointers>,
    /// The version that the store reports for all of the above, if any.
    #[serde(skip)]
    pub stored_version: Option<String>,
}

/// The head of an agent's state.
///
/// The example of [`Agent`] shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentState {
    /// `idle`, `dispatched`, `running`, `suspended`, ...
    pub status: String,
    /// The profile of the turn.
    pub profile_box_id: Option<BoxId>,
    /// The box that the turn reads.
    pub context_box_id: Option<BoxId>,
    /// The box to which the turn appends.
    pub output_box_id: Option<BoxId>,
}

/// The pointers that an agent keeps between turns.
///
/// The example of [`Agent`] shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentPointers {
    /// The output box of the last turn.
    pub last_output_box_id: Option<BoxId>,
    /// The box of the agent's memory.
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
    /// Creates an agent in the roster with a profile.
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

    /// Creates an agent outside of the roster: only its state or its pointers are known.
    pub(super) fn unregistered(agent_id: &str) -> Self {
        Self { in_roster: false, profile_box_id: None, ..Self::new(agent_id, "") }
    }

    /// Reads a row.
    ///
    /// # Errors
    /// Returns an error if the row is not an agent row.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        Ok(Self {
            agent_id: AgentId::from(row.required("agent_id")?.string()?),
            in_roster: row.optional("in_roster").map_or(Ok(true), |value| value.boolean())?,
            profile_box_id: text(&row, "profile_box_id")?.map(BoxId::from),
            display_name: text(&row, "display_name")?.map(str::to_owned),
            tags: strings(&row, "tags")?,
            worker_target: text(&row, "worker_target")?.map(str::to_owned),
            state: row.optional("state").map(|row| AgentState::from_row(&row)).transpose()?,
            pointers: row
                .optional("pointers")
                .map(|row| AgentPointers::from_row(&row))
                .transpose()?,
            stored_version: stored_version(&row),
        })
    }

    /// Returns the version of the agent: the stored one, or a hash of the agent.
    pub fn version(&self) -> String {
        version(&self.stored_version, self)
    }
}

/// A file of a project. Files are immutable, like cards.
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
    /// The path from the project root, with `/` between names.
    pub path: String,
    /// The text of the file.
    pub text: String,
}

impl StoredFile {
    /// Creates a file.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// Reads a row.
    ///
    /// # Errors
    /// Returns an error if the row is not a file row.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        Ok(Self::new(row.required("path")?.string()?, row.required("text")?.string()?))
    }
}

/// The files in a directory, at any depth. A directory without files is absent.
///
/// ```
/// use tuckbox::store::Directory;
///
/// assert!(Directory::contains("out", "out/samples/a.json"));
/// assert!(!Directory::contains("out", "output.json"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Directory {
    /// The path of the directory from the project root.
    pub directory: String,
    /// The paths of its files from the project root.
    pub paths: Vec<String>,
}

impl Directory {
    /// Reads a row.
    ///
    /// # Errors
    /// Returns an error if the row is not a directory row.
    pub fn from_row(row: &Field<'_>) -> Result<Self> {
        let fields = row.object()?;
        let directory = fields.required("directory")?.string()?.to_owned();
        Ok(Self { directory, paths: strings(&fields, "paths")? })
    }

    /// Returns whether `path` is inside `directory`.
    pub fn contains(directory: &str, path: &str) -> bool {
        path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Returns the column `version` of a row, as text.
fn stored_version(row: &Fields<'_>) -> Option<String> {
    column_text(row.json(), "version")
}

fn version(stored: &Option<String>, row: &impl Serialize) -> String {
    stored.clone().unwrap_or_else(|| implied_version(&to_json(row).unwrap_or_default()))
}

fn text<'a>(row: &Fields<'a>, key: &str) -> Result<Option<&'a str>> {
    row.optional(key).map(|field| field.string()).transpose()
}

fn strings(row: &Fields<'_>, key: &str) -> Result<Vec<String>> {
    match row.optional(key) {
        Some(list) => Ok(list.strings()?.into_iter().map(str::to_owned).collect()),
        None => Ok(Vec::new()),
    }
}
