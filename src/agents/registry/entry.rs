//! Registering, changing and removing.

use super::{batch, done, need_box, operation_id};
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::table::{self, Table};
use crate::store::{Before, Kind, RowChange, RowKey, Snapshot, TableRow, Writes};
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object, storable};
use crate::{Error, Path, Result};
use serde::Serialize;

/// What is registered.
///
/// Shown by the example of [`Entry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A profile, by its name in any case.
    Profile,
    /// An agent, by its id.
    Agent,
    /// A tool, by its name.
    Tool,
}

/// What is done with it.
///
/// Shown by the example of [`Entry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It must be new.
    Register,
    /// It must be there; columns that are not given stay as they are.
    Update,
    /// It must be there.
    Remove,
}

/// What a column of a call holds.
#[derive(Clone, Copy)]
enum Holds {
    Text,
    Texts,
    Any,
}

impl Kept {
    /// The table that it is kept in.
    pub fn table(self) -> &'static Table {
        match self {
            Self::Profile => &table::PROJECT_PROFILES,
            Self::Agent => &table::PROJECT_AGENTS,
            Self::Tool => &table::PROJECT_TOOLS,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }

    /// The column of its key.
    const fn key(self) -> &'static str {
        match self {
            Self::Profile => "name",
            Self::Agent => "agent_id",
            Self::Tool => "tool_name",
        }
    }

    /// The other columns that a caller can give.
    const fn columns(self) -> &'static [(&'static str, Holds)] {
        match self {
            Self::Profile => &[
                ("profile_box_id", Holds::Text),
                ("tags", Holds::Texts),
                ("worker_target", Holds::Text),
                ("delegation_policy", Holds::Any),
                ("system_prompt_compiled", Holds::Text),
            ],
            Self::Agent => &[
                ("profile_box_id", Holds::Text),
                ("display_name", Holds::Text),
                ("tags", Holds::Texts),
                ("worker_target", Holds::Text),
                ("owner_agent_id", Holds::Text),
                ("status", Holds::Text),
                ("metadata", Holds::Any),
            ],
            Self::Tool => &[
                ("description", Holds::Text),
                ("parameters", Holds::Any),
                ("target_subject", Holds::Text),
                ("after_execution", Holds::Text),
                ("options", Holds::Any),
            ],
        }
    }
}

/// One change to what is registered.
///
/// ```
/// use tuckbox::agents::registry::{Change, Entry, Kept};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, json, rule};
/// # let store = MemoryStore::new();
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let tool = json!({"tool_name": "search", "target_subject": "tools.search"});
/// let call = Entry::from_json(&tool, Kept::Tool, Change::Register)?;
/// let changed = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(changed.key, "search");
/// assert!(changed.row.is_some());
/// assert_eq!(Kept::Tool.table().name, "project_tools");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    kept: Kept,
    change: Change,
    key: String,
    columns: Object,
    operation_id: Option<String>,
}

/// A row of the registry after a change.
///
/// Shown by the example of [`Entry`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// The name or id.
    pub key: String,
    /// What is registered from now on; nothing after a removal.
    pub row: Option<Object>,
}

impl Entry {
    /// Reads the columns of a row: `{"name", "profile_box_id", "tags"?, "worker_target"?,
    /// "delegation_policy"?}` for a profile, `{"agent_id", "profile_box_id" or "profile_name", ..}` for an
    /// agent, `{"tool_name", "description"?, "parameters"?, ..}` for a tool; the key alone to remove one.
    ///
    /// # Errors
    /// `bad_request` with the path of what is missing, mistyped or unknown.
    pub fn from_json(json: &Json, kept: Kept, change: Change) -> Result<Self> {
        let call = Field::root(json).object()?;
        let known = kept.columns().iter().map(|(name, _)| *name);
        let named: Vec<&str> = match (change, kept) {
            (Change::Remove, _) => Vec::new(),
            (Change::Register | Change::Update, Kept::Agent) => {
                known.chain(["profile_name"]).collect()
            }
            (Change::Register | Change::Update, Kept::Profile | Kept::Tool) => known.collect(),
        };
        call.only(&[&["op", "operation_id", kept.key()], named.as_slice()].concat())?;
        let key = call.required(kept.key())?;
        let text = key.string()?;
        if text.trim().is_empty() {
            return Err(key.error(format!("`{}` is blank", kept.key())));
        }
        storable(text, &key.path())?;
        let mut columns = Object::default();
        for (name, holds) in kept.columns() {
            let Some(field) = call.present(name) else { continue };
            if !field.json().is_null() {
                match holds {
                    Holds::Text => drop(field.string()?),
                    Holds::Texts => drop(field.strings()?),
                    Holds::Any => {}
                }
            }
            let value = field.json().canonical().map_err(|error| error.within(&field.path()))?;
            columns.insert((*name).into(), value);
        }
        if let Some(profile) = call.optional("profile_name") {
            if columns.contains_key("profile_box_id") {
                return Err(
                    profile.error("`profile_name` and `profile_box_id` both name the profile")
                );
            }
            columns.insert("profile_name".into(), profile.string()?.into());
        }
        if change == Change::Register && kept != Kept::Tool {
            let profile = ["profile_box_id", "profile_name"];
            if !profile.iter().any(|name| columns.get(name).is_some_and(|id| !id.is_null())) {
                return Err(call.required("profile_box_id").err().unwrap_or_else(|| {
                    Error::bad_request("`profile_box_id` is missing")
                        .at(Path::root().key("profile_box_id"))
                }));
            }
        }
        Ok(Self { kept, change, key: text.to_owned(), columns, operation_id: operation_id(&call)? })
    }

    fn row_key(&self) -> RowKey {
        RowKey::new(self.kept.table(), [self.key.as_str()])
    }

    fn text(&self, column: &str) -> Option<&str> {
        self.columns.get(column).and_then(Json::as_str)
    }

    /// Reads the row, and what is named in it.
    fn read(&self, snapshot: &Snapshot) -> Step<()> {
        let mut cursor = Cursor::new(snapshot);
        cursor.want_row(&self.row_key());
        if let Some(box_id) = self.text("profile_box_id") {
            match self.kept {
                Kept::Profile => _ = cursor.want(Kind::Boxes, box_id),
                Kept::Agent => _ = cursor.want(Kind::ProfilesByBox, box_id),
                Kept::Tool => {}
            }
        }
        if let Some(name) = self.text("profile_name") {
            cursor.want(Kind::Profiles, name);
        }
        cursor.step()
    }

    /// The row that is there. Which one a batch rests on is part of its change.
    fn before<'a>(&self, snapshot: &'a Snapshot) -> Result<Option<&'a TableRow>> {
        snapshot.row_of(&self.row_key()).found()
    }

    /// The columns as they are written: a profile that is named becomes its box, and what is named
    /// must be there.
    fn checked(&self, snapshot: &Snapshot, writes: &mut Writes) -> Result<Object> {
        let mut columns = self.columns.clone();
        columns.remove("profile_name");
        if let Some(name) = self.text("profile_name") {
            let path = Path::root().key("profile_name");
            let profile = match snapshot.profile(name).found()? {
                Some(profile) => profile,
                None => return Err(no_profile(name, path)),
            };
            let Some(box_id) = &profile.profile_box_id else {
                let message = format!("profile `{name}` is registered without a profile box");
                return Err(Error::bad_request(message).at(path));
            };
            columns.insert("profile_box_id".into(), box_id.into());
            writes.expects.extend(snapshot.expectation(Kind::Profiles, name));
        } else if let Some(box_id) = self.text("profile_box_id") {
            let path = Path::root().key("profile_box_id");
            match self.kept {
                Kept::Profile => need_box(snapshot, box_id, path, writes)?,
                Kept::Agent => match snapshot.profile_of_box(box_id).found()? {
                    Some(_) => {
                        let expected = snapshot.expectation(Kind::ProfilesByBox, box_id);
                        writes.expects.extend(expected);
                    }
                    None => return Err(no_profile(box_id, path)),
                },
                Kept::Tool => {}
            }
        }
        Ok(columns)
    }
}

fn no_profile(named: &str, path: Path) -> Error {
    Error::not_found(format!("no profile `{named}` in this project; register it first"))
        .at(path)
        .detail("profile", named)
}

impl Rule for Entry {
    type Value = Changed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Changed>>> {
        ready!(self.read(snapshot));
        let (word, key) = (self.kept.word(), &self.key);
        let path = Path::root().key(self.kept.key());
        let mut writes = batch(self.operation_id.as_deref(), snapshot, env);
        let before = self.before(snapshot)?;
        let condition = before.map_or(Before::Absent, |row| Before::At(row.version.clone()));
        match (self.change, before) {
            (Change::Register, Some(_)) => {
                let message =
                    format!("there is a {word} `{key}` already; `update_{word}` changes it");
                return Err(Error::conflict(message)
                    .at(path)
                    .detail(self.kept.key(), key.as_str()));
            }
            (Change::Update | Change::Remove, None) => {
                let project = snapshot.project_id();
                let message = format!("no {word} `{key}` in project `{project}`");
                return Err(Error::not_found(message)
                    .at(path)
                    .detail(self.kept.key(), key.as_str()));
            }
            (Change::Register, None) | (Change::Update | Change::Remove, Some(_)) => {}
        }
        if self.change == Change::Remove {
            writes.rows.push(RowChange::delete(self.row_key(), condition));
            return done(Changed { key: key.clone(), row: None }, writes);
        }
        let given = self.checked(snapshot, &mut writes)?;
        let mut row = before.map_or_else(Object::default, |before| Object::clone(&before.row));
        row.insert(self.kept.key().into(), key.as_str().into());
        row.extend(given);
        match self.kept {
            Kept::Profile => drop(row.insert("updated_at".into(), env.now.into())),
            Kept::Agent => {
                if before.is_none() {
                    row.insert("created_at".into(), env.now.into());
                    let status = row.get("status").filter(|status| !status.is_null());
                    let status = status.cloned().unwrap_or_else(|| "active".into());
                    row.insert("status".into(), status);
                }
                row.insert("in_roster".into(), true.into());
            }
            Kept::Tool => {}
        }
        let change =
            RowChange { of: self.row_key(), before: condition, row: Some(row.clone().into()) };
        writes.rows.push(change);
        done(Changed { key: key.clone(), row: Some(row) }, writes)
    }
}
