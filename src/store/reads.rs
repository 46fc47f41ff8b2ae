//! The rows that a rule requests.

use super::table::Table;
use super::{FollowUp, List, RowKey};
use crate::value::id::ProjectId;
use crate::value::str_map::StrMap;
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::borrow::Cow;

/// A kind of row that is read by key.
///
/// The example of [`Reads`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Profiles, by name; case does not matter.
    Profiles,
    /// Profiles, by the id of their box. Used to find the profile of an agent.
    ProfilesByBox,
    /// Boxes, by box id.
    Boxes,
    /// Cards, by card id.
    Cards,
    /// Agents, by agent id: roster entry, state and pointers.
    Agents,
    /// Files of the project, by path from the project root.
    Files,
    /// Lists of files, by directory from the project root.
    Directories,
}

impl Kind {
    /// All kinds, in wire order.
    pub const ALL: [Self; 7] = [
        Self::Profiles,
        Self::ProfilesByBox,
        Self::Boxes,
        Self::Cards,
        Self::Agents,
        Self::Files,
        Self::Directories,
    ];

    /// Returns the wire name of the kind.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Profiles => "profiles",
            Self::ProfilesByBox => "profiles_by_box",
            Self::Boxes => "boxes",
            Self::Cards => "cards",
            Self::Agents => "agents",
            Self::Files => "files",
            Self::Directories => "directories",
        }
    }

    /// Returns the wire name of the list of missing keys of this kind.
    pub const fn missing(self) -> &'static str {
        match self {
            Self::Profiles => "missing_profiles",
            Self::ProfilesByBox => "missing_profiles_by_box",
            Self::Boxes => "missing_boxes",
            Self::Cards => "missing_cards",
            Self::Agents => "missing_agents",
            Self::Files => "missing_files",
            Self::Directories => "missing_directories",
        }
    }

    /// Returns the singular name of the kind, for messages.
    pub const fn singular(self) -> &'static str {
        match self {
            Self::Profiles => "profile",
            Self::ProfilesByBox => "profile of box",
            Self::Boxes => "box",
            Self::Cards => "card",
            Self::Agents => "agent",
            Self::Files => "file",
            Self::Directories => "directory",
        }
    }

    /// Returns the column that contains the key.
    pub(super) const fn column(self) -> &'static str {
        match self {
            Self::Profiles => "name",
            Self::ProfilesByBox => "profile_box_id",
            Self::Boxes => "box_id",
            Self::Cards => "card_id",
            Self::Agents => "agent_id",
            Self::Files => "path",
            Self::Directories => "directory",
        }
    }

    /// Returns the form of a key in which equal keys are identical.
    pub(crate) fn fold(self, key: &str) -> Cow<'_, str> {
        match self {
            // a lowercase ASCII name is already folded
            Self::Profiles
                if key.bytes().any(|byte| !byte.is_ascii() || byte.is_ascii_uppercase()) =>
            {
                key.to_lowercase().into()
            }
            Self::Profiles
            | Self::ProfilesByBox
            | Self::Boxes
            | Self::Cards
            | Self::Agents
            | Self::Files
            | Self::Directories => key.into(),
        }
    }

    /// Returns a folded key that is distinct across kinds.
    pub(super) fn folded(self, key: &str) -> String {
        self.prefixed(&self.fold(key))
    }

    fn prefixed(self, folded: &str) -> String {
        [self.as_str(), " ", folded].concat()
    }
}

/// A batch of keys to read, without duplicates, in insertion order.
///
/// ```
/// use tuckbox::store::{Kind, Reads};
///
/// let mut reads = Reads::new("p1".into());
/// reads.add(Kind::Boxes, "b1").add(Kind::Boxes, "b2").add(Kind::Boxes, "b1");
/// assert_eq!(reads.of(Kind::Boxes).collect::<Vec<_>>(), ["b1", "b2"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reads {
    project_id: ProjectId,
    /// By kind and folded key: the kind, and the first spelling of the key if it differs.
    keys: StrMap<(Kind, Option<Box<str>>)>,
    rows: Option<Box<RowReads>>,
}

/// The reads of declared tables, by ids. Most reads have none.
#[derive(Clone, Debug, Default, PartialEq)]
struct RowReads {
    rows: StrMap<RowKey>,
    lists: StrMap<List>,
    follows: Vec<FollowUp>,
}

impl Reads {
    /// Creates empty reads of a project.
    pub fn new(project_id: ProjectId) -> Self {
        Self { project_id, keys: StrMap::new(), rows: None }
    }

    /// Returns the project, the only one that these reads can access.
    pub fn project_id(&self) -> &ProjectId {
        &self.project_id
    }

    /// Adds a key, unless it is already in the reads.
    pub fn add(&mut self, kind: Kind, key: &str) -> &mut Self {
        let fold = kind.fold(key);
        let named = (*fold != *key).then(|| key.into());
        self.keys.insert_new(kind.prefixed(&fold), (kind, named));
        self
    }

    /// Adds a row of a declared table.
    pub fn add_row(&mut self, row: RowKey) -> &mut Self {
        self.rows.get_or_insert_default().rows.insert_new(row.id(), row);
        self
    }

    /// Adds a list of rows.
    pub fn add_list(&mut self, list: List) -> &mut Self {
        self.rows.get_or_insert_default().lists.insert_new(list.id(), list);
        self
    }

    /// Adds what is to be read of what rows of these reads name.
    pub fn add_follow(&mut self, follow: FollowUp) -> &mut Self {
        self.rows.get_or_insert_default().follows.push(follow);
        self
    }

    /// What is to be read of what rows name.
    pub fn follows(&self) -> impl Iterator<Item = &FollowUp> {
        self.rows.iter().flat_map(|more| &more.follows)
    }

    /// Returns whether rows of this table, or boxes for `None`, can follow from these reads.
    pub(super) fn may_follow(&self, table: Option<&Table>) -> bool {
        self.follows().flat_map(|follow| &follow.to).any(|named| named.table() == table)
    }

    /// Returns the rows of declared tables, in order.
    pub fn rows(&self) -> impl Iterator<Item = &RowKey> {
        self.rows.iter().flat_map(|more| more.rows.values())
    }

    /// Returns the lists of rows, in order.
    pub fn lists(&self) -> impl Iterator<Item = &List> {
        self.rows.iter().flat_map(|more| more.lists.values())
    }

    /// Returns whether this row is requested.
    pub(super) fn has_row(&self, id: &str) -> bool {
        self.rows.as_ref().is_some_and(|more| more.rows.contains_key(id))
    }

    /// Returns whether this list is requested.
    pub(super) fn has_list(&self, id: &str) -> bool {
        self.rows.as_ref().is_some_and(|more| more.lists.contains_key(id))
    }

    /// Adds all keys of other reads.
    pub fn extend(&mut self, other: &Self) -> &mut Self {
        for kind in Kind::ALL {
            for key in other.of(kind) {
                self.add(kind, key);
            }
        }
        for row in other.rows() {
            self.add_row(row.clone());
        }
        for list in other.lists() {
            self.add_list(list.clone());
        }
        for follow in other.follows() {
            self.add_follow(follow.clone());
        }
        self
    }

    /// Returns the keys of one kind, in order.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &str> {
        let of_kind = self.keys.iter().filter(move |(_, (of, _))| *of == kind);
        of_kind.map(move |(prefixed, (_, named))| match named {
            Some(named) => &**named,
            None => prefixed.get(kind.as_str().len() + 1..).unwrap_or_default(),
        })
    }

    /// Returns whether this key is requested.
    pub fn contains(&self, kind: Kind, key: &str) -> bool {
        self.keys.contains_key(&kind.folded(key))
    }

    /// Returns the number of keys, rows and lists.
    pub fn len(&self) -> usize {
        let more = self.rows.as_ref().map_or(0, |more| more.rows.len() + more.lists.len());
        self.keys.len() + more
    }

    /// Returns whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Serialize for Reads {
    /// Writes `{"project_id": .., "boxes": [..], .., "rows": [..], "lists": [..], "follow": [..]}`.
    ///
    /// Empty lists are omitted.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("project_id", &self.project_id)?;
        for kind in Kind::ALL {
            let keys: Vec<&str> = self.of(kind).collect();
            if !keys.is_empty() {
                map.serialize_entry(kind.as_str(), &keys)?;
            }
        }
        if self.rows().next().is_some() {
            map.serialize_entry("rows", &self.rows().collect::<Vec<_>>())?;
        }
        if self.lists().next().is_some() {
            map.serialize_entry("lists", &self.lists().collect::<Vec<_>>())?;
        }
        if self.follows().next().is_some() {
            map.serialize_entry("follow", &self.follows().collect::<Vec<_>>())?;
        }
        map.end()
    }
}
