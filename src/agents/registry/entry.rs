//! The changes of the registry: an entry is added, changed or removed.

use super::arguments::{
    Columns, RegisterAgent, RegisterProfile, RegisterTool, RemoveAgent, RemoveProfile, RemoveTool,
    UpdateAgent, UpdateProfile, UpdateTool,
};
use super::{batch, done, need_box};
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::table::{self, Table};
use crate::store::{Before, Kind, RowChange, RowKey, Snapshot, TableRow, Writes};
use crate::value::env::Env;
use crate::value::json::{Json, Object, check_storable};
use crate::{Error, Path, Result};
use serde::Serialize;

/// The change that an operation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Adds an entry, which must not exist.
    Register,
    /// Changes an entry, which must exist.
    Update,
    /// Removes an entry, which must exist.
    Remove,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    Profile,
    Agent,
    Tool,
}

impl EntryKind {
    fn table(self) -> &'static Table {
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

    /// Returns the column of the key.
    const fn key(self) -> &'static str {
        match self {
            Self::Profile => "name",
            Self::Agent => "agent_id",
            Self::Tool => "tool_name",
        }
    }
}

/// One change of the registry.
#[derive(Default)]
struct Input<'a> {
    key: &'a str,
    profile_box_id: Option<Json>,
    profile_name: Option<&'a str>,
    columns: Columns,
    operation_id: Option<&'a str>,
}

macro_rules! entries {
    ($($name:ident: $change:ident $kind:ident = |$call:ident| $input:expr;)*) => {$(
        impl Rule for $name {
            type Value = Changed;

            fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Changed>>> {
                let $call = self;
                Entry::new(EntryKind::$kind, Change::$change, $input)?.step(snapshot, env)
            }
        }
    )*};
}

shape! {
    fn register_profile() -> Changed;
    fn update_profile() -> Changed;
    fn remove_profile() -> Changed;
    fn register_agent() -> Changed;
    fn update_agent() -> Changed;
    fn remove_agent() -> Changed;
    fn register_tool() -> Changed;
    fn update_tool() -> Changed;
    fn remove_tool() -> Changed;
}

entries! {
    RegisterProfile: Register Profile = |call| Input {
        key: &call.name,
        profile_box_id: Some(call.profile_box_id.as_str().into()),
        columns: call.columns.columns(),
        operation_id: call.columns.operation_id.as_deref(),
        ..Input::default()
    };
    UpdateProfile: Update Profile = |call| Input {
        key: &call.name,
        profile_box_id: call.profile_box_id.json(),
        columns: call.columns.columns(),
        operation_id: call.columns.operation_id.as_deref(),
        ..Input::default()
    };
    RemoveProfile: Remove Profile = |call| Input {
        key: &call.name,
        operation_id: call.operation_id.as_deref(),
        ..Input::default()
    };
    RegisterAgent: Register Agent = |call| Input {
        key: &call.agent_id,
        profile_box_id: call.profile_box_id.json(),
        profile_name: call.profile_name.as_deref(),
        columns: call.columns.columns(),
        operation_id: call.columns.operation_id.as_deref(),
    };
    UpdateAgent: Update Agent = |call| Input {
        key: &call.agent_id,
        profile_box_id: call.profile_box_id.json(),
        profile_name: call.profile_name.as_deref(),
        columns: call.columns.columns(),
        operation_id: call.columns.operation_id.as_deref(),
    };
    RemoveAgent: Remove Agent = |call| Input {
        key: &call.agent_id,
        operation_id: call.operation_id.as_deref(),
        ..Input::default()
    };
    RegisterTool: Register Tool = |call| Input {
        key: &call.tool_name,
        columns: call.columns.columns(),
        operation_id: call.columns.operation_id.as_deref(),
        ..Input::default()
    };
    UpdateTool: Update Tool = |call| Input {
        key: &call.tool_name,
        columns: call.columns.columns(),
        operation_id: call.columns.operation_id.as_deref(),
        ..Input::default()
    };
    RemoveTool: Remove Tool = |call| Input {
        key: &call.tool_name,
        operation_id: call.operation_id.as_deref(),
        ..Input::default()
    };
}

/// An entry of the registry after a change.
///
/// Shown by the example of [`RegisterTool`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// The name or id.
    pub key: String,
    /// The entry; missing after a removal.
    pub row: Option<Object>,
}

/// One change of the registry, checked.
struct Entry<'a> {
    kind: EntryKind,
    change: Change,
    key: &'a str,
    profile_name: Option<&'a str>,
    columns: Object,
    operation_id: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// Checks a change.
    ///
    /// # Errors
    /// With the path of a value that is blank, that a store cannot keep, or that is missing.
    fn new(kind: EntryKind, change: Change, input: Input<'a>) -> Result<Self> {
        let Input { key, profile_box_id, profile_name, columns: given, operation_id } = input;
        let path = Path::root().key(kind.key());
        if key.trim().is_empty() {
            let message = format!("`{}` must not be blank", kind.key());
            return Err(Error::bad_request(message).at(path));
        }
        check_storable(key, &path)?;
        let mut columns = Object::default();
        for (name, value) in [("profile_box_id", profile_box_id)].into_iter().chain(given) {
            let Some(value) = value else { continue };
            let value = value.into_canonical();
            let value = value.map_err(|error| error.within(&Path::root().key(name)))?;
            columns.insert(name.into(), value);
        }
        let profile_box = columns.get("profile_box_id");
        if profile_name.is_some() && profile_box.is_some() {
            let message = "`profile_name` cannot be combined with `profile_box_id`";
            return Err(Error::bad_request(message).at(Path::root().key("profile_name")));
        }
        let has_profile = profile_name.is_some() || profile_box.is_some_and(|id| !id.is_null());
        if change == Change::Register && kind == EntryKind::Agent && !has_profile {
            let message = "`profile_box_id` is missing; set it, or `profile_name`";
            return Err(Error::bad_request(message).at(Path::root().key("profile_box_id")));
        }
        Ok(Self { kind, change, key, profile_name, columns, operation_id })
    }

    fn row_key(&self) -> RowKey {
        RowKey::new(self.kind.table(), [self.key])
    }

    fn profile_box_id(&self) -> Option<&str> {
        self.columns.get("profile_box_id").and_then(Json::as_str)
    }

    /// Reads the row, and the rows that it refers to.
    fn read(&self, snapshot: &Snapshot) -> Step<()> {
        let mut cursor = Cursor::new(snapshot);
        cursor.want_row(&self.row_key());
        if let Some(box_id) = self.profile_box_id() {
            match self.kind {
                EntryKind::Profile => _ = cursor.want(Kind::Boxes, box_id),
                EntryKind::Agent => _ = cursor.want(Kind::ProfilesByBox, box_id),
                EntryKind::Tool => {}
            }
        }
        if let Some(name) = self.profile_name {
            cursor.want(Kind::Profiles, name);
        }
        cursor.step()
    }

    /// Returns the existing row, whose version the change expects.
    fn before<'s>(&self, snapshot: &'s Snapshot) -> Result<Option<&'s TableRow>> {
        snapshot.row_of(&self.row_key()).found()
    }

    /// Returns the columns to write. The name of a profile becomes its box; both must exist.
    fn checked(&self, snapshot: &Snapshot, writes: &mut Writes) -> Result<Object> {
        let mut columns = self.columns.clone();
        if let Some(name) = self.profile_name {
            let path = Path::root().key("profile_name");
            let profile = match snapshot.profile(name).found()? {
                Some(profile) => profile,
                None => return Err(no_profile(name, path)),
            };
            let Some(box_id) = &profile.profile_box_id else {
                let message =
                    format!("profile `{name}` has no profile box; set its `profile_box_id`");
                return Err(Error::bad_request(message).at(path));
            };
            columns.insert("profile_box_id".into(), box_id.into());
            writes.expects.extend(snapshot.expectation(Kind::Profiles, name));
        } else if let Some(box_id) = self.profile_box_id() {
            let path = Path::root().key("profile_box_id");
            match self.kind {
                EntryKind::Profile => need_box(snapshot, box_id, path, writes)?,
                EntryKind::Agent => match snapshot.profile_of_box(box_id).found()? {
                    Some(_) => {
                        let expected = snapshot.expectation(Kind::ProfilesByBox, box_id);
                        writes.expects.extend(expected);
                    }
                    None => return Err(no_profile(box_id, path)),
                },
                EntryKind::Tool => {}
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

impl Entry<'_> {
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Changed>>> {
        ready!(self.read(snapshot));
        let (word, key) = (self.kind.word(), self.key);
        let path = Path::root().key(self.kind.key());
        let mut writes = batch(self.operation_id, snapshot, env);
        let before = self.before(snapshot)?;
        let condition = before.map_or(Before::Absent, |row| Before::At(row.version.clone()));
        match (self.change, before) {
            (Change::Register, Some(_)) => {
                let message = format!("{word} `{key}` exists; use `update_{word}` to change it");
                return Err(Error::conflict(message).at(path).detail(self.kind.key(), key));
            }
            (Change::Update | Change::Remove, None) => {
                let project = snapshot.project_id();
                let message = format!("no {word} `{key}` in project `{project}`");
                return Err(Error::not_found(message).at(path).detail(self.kind.key(), key));
            }
            (Change::Register, None) | (Change::Update | Change::Remove, Some(_)) => {}
        }
        if self.change == Change::Remove {
            writes.rows.push(RowChange::delete(self.row_key(), condition));
            return done(Changed { key: key.to_owned(), row: None }, writes);
        }
        let given = self.checked(snapshot, &mut writes)?;
        let mut row = before.map_or_else(Object::default, |before| Object::clone(&before.row));
        row.insert(self.kind.key().into(), key.into());
        row.extend(given);
        match self.kind {
            EntryKind::Profile => drop(row.insert("updated_at".into(), env.now.into())),
            EntryKind::Agent => {
                if before.is_none() {
                    row.insert("created_at".into(), env.now.into());
                    let status = row.get("status").filter(|status| !status.is_null());
                    let status = status.cloned().unwrap_or_else(|| "active".into());
                    row.insert("status".into(), status);
                }
                row.insert("in_roster".into(), true.into());
            }
            EntryKind::Tool => {}
        }
        let change =
            RowChange { of: self.row_key(), before: condition, row: Some(row.clone().into()) };
        writes.rows.push(change);
        done(Changed { key: key.to_owned(), row: Some(row) }, writes)
    }
}
