//! The answers of a host to [`Reads`].

use super::row::Row;
use super::{Agent, Directory, Kind, List, Profile, Reads, RowKey, StoredFile, TableRow};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::json::{Field, Fields, Json};
use crate::value::str_map::Keys;
use crate::{Code, Error, Path, Result};
use std::fmt;

/// The rows that the store found, the missing keys, and the keys whose lookup failed.
///
/// On the wire: `{"boxes": [row, ..], "missing_boxes": [id, ..], .., "failed": [{"kind", "key",
/// "message"}]}`. Declared tables have these keys:
///
/// - `"rows": [{"table", "key", "version", "row"}]`
/// - `"missing_rows": [{"table", "key"}]`
/// - `"lists": [{"table", "index", "of", "limit", "rows": [{"key", "version", "row"}]}]`
/// - in `failed`, the `table` and `key` (or `index`, `of` and `limit`) and the `error`
///
/// Each requested key must appear exactly once. Rows that [follow](super::FollowUp) from other rows
/// can appear too, once.
///
/// A row that exists and is unreadable is an answer about its own key. Examples are an unknown
/// content type and a mistyped column. The other rows are read as usual.
///
/// ```
/// use tuckbox::store::{Answers, Kind, Reads, Snapshot};
/// use tuckbox::CardBox;
///
/// let mut reads = Reads::new("p1".into());
/// reads.add(Kind::Boxes, "notes").add(Kind::Cards, "n1");
/// let answers = Answers::new()
///     .card_box(CardBox::new("notes", ["n1"].into_iter().collect()))
///     .missing(Kind::Cards, "n1");
/// let mut snapshot = Snapshot::new("p1".into());
/// snapshot.absorb(&reads, answers)?;
/// assert!(snapshot.card_box("notes").found()?.is_some() && snapshot.card("n1").found()?.is_none());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    pub(super) found: Vec<(Kind, Row)>,
    pub(super) missing: Vec<(Kind, String)>,
    pub(super) failed: Vec<(Kind, String, String)>,
    /// Rows that exist and are unreadable, with the error.
    pub(super) unreadable: Vec<(Kind, String, Error)>,
    /// The positions in the answer of the boxes that were found.
    box_rows: Vec<usize>,
    pub(super) rows: Vec<(RowKey, RowAnswer<TableRow>)>,
    pub(super) lists: Vec<(List, RowAnswer<Vec<TableRow>>)>,
}

/// The answer of a store about a row or a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RowAnswer<T> {
    Found(T),
    Missing,
    Failed(String),
}

impl Answers {
    /// Creates empty answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a profile.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.found.push((Kind::Profiles, profile.into()));
        self
    }

    /// Adds a profile that was looked up by its box.
    #[must_use]
    pub(crate) fn profile_of_box(mut self, profile: Profile) -> Self {
        self.found.push((Kind::ProfilesByBox, profile.into()));
        self
    }

    /// Adds a box.
    #[must_use]
    pub fn card_box(mut self, card_box: CardBox) -> Self {
        self.found.push((Kind::Boxes, card_box.into()));
        self
    }

    /// Adds a card.
    #[must_use]
    pub fn card(mut self, card: Card) -> Self {
        self.found.push((Kind::Cards, card.into()));
        self
    }

    /// Adds an agent.
    #[must_use]
    pub fn agent(mut self, agent: Agent) -> Self {
        self.found.push((Kind::Agents, agent.into()));
        self
    }

    /// Adds a file.
    #[must_use]
    pub fn file(mut self, file: StoredFile) -> Self {
        self.found.push((Kind::Files, file.into()));
        self
    }

    /// Adds a directory that contains files.
    #[must_use]
    pub fn directory(mut self, directory: Directory) -> Self {
        self.found.push((Kind::Directories, directory.into()));
        self
    }

    /// Adds a key that does not exist.
    #[must_use]
    pub fn missing(mut self, kind: Kind, key: impl Into<String>) -> Self {
        self.missing.push((kind, key.into()));
        self
    }

    /// Adds a key whose lookup failed.
    #[must_use]
    pub fn failed(mut self, kind: Kind, key: impl Into<String>, why: impl Into<String>) -> Self {
        self.failed.push((kind, key.into(), why.into()));
        self
    }

    /// Adds a row of a declared table.
    #[must_use]
    pub fn row(mut self, of: RowKey, row: TableRow) -> Self {
        self.rows.push((of, RowAnswer::Found(row)));
        self
    }

    /// Adds a row of a declared table that does not exist.
    #[must_use]
    pub(crate) fn missing_row(mut self, of: RowKey) -> Self {
        self.rows.push((of, RowAnswer::Missing));
        self
    }

    /// Adds a row whose lookup failed.
    #[must_use]
    pub fn failed_row(mut self, of: RowKey, why: impl Into<String>) -> Self {
        self.rows.push((of, RowAnswer::Failed(why.into())));
        self
    }

    /// Adds a list of rows.
    #[must_use]
    pub fn list(mut self, of: List, rows: Vec<TableRow>) -> Self {
        self.lists.push((of, RowAnswer::Found(rows)));
        self
    }

    /// Adds a list whose lookup failed.
    #[must_use]
    pub fn failed_list(mut self, of: List, why: impl Into<String>) -> Self {
        self.lists.push((of, RowAnswer::Failed(why.into())));
        self
    }

    /// Reads the answers to `reads` from a host's JSON.
    ///
    /// # Errors
    /// Returns `store` with the path inside the answer if it is malformed or contains a row of
    /// another project.
    pub fn from_json(json: &Json, reads: &Reads) -> Result<Self> {
        Self::read(json, reads).map_err(|error| error.within(&Path::root().key("answers")))
    }

    fn read(json: &Json, reads: &Reads) -> Result<Self> {
        let fields = Field::new(json, Code::Store).object()?;
        let mut answers = Self::new();
        for kind in Kind::ALL {
            if let Some(rows) = fields.optional(kind.as_str()) {
                for (index, row) in rows.list()?.into_iter().enumerate() {
                    own_project(&row, reads)?;
                    match Row::read(kind, &row) {
                        Ok(read) => {
                            if kind == Kind::Boxes {
                                answers.box_rows.push(index);
                            }
                            answers.found.push((kind, read));
                        }
                        Err(error) => {
                            let Some(key) = row.json().get(kind.column()).and_then(Json::as_str)
                            else {
                                return Err(error.as_code(Code::Store));
                            };
                            answers.unreadable.push((
                                kind,
                                key.to_owned(),
                                unreadable(kind, key, &error),
                            ));
                        }
                    }
                }
            }
            if let Some(keys) = fields.optional(kind.missing()) {
                for key in keys.strings()? {
                    answers.missing.push((kind, key.to_owned()));
                }
            }
        }
        answers.read_rows(&fields, reads)?;
        if let Some(failed) = fields.optional("failed") {
            for row in failed.list()? {
                let row = row.object()?;
                if row.present("table").is_some() {
                    answers.read_failed_row(&row)?;
                    continue;
                }
                let kind = row.required("kind")?;
                let name = kind.string()?;
                let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.as_str() == name) else {
                    return Err(kind.error(format!("unknown kind `{name}`")));
                };
                let key = row.required("key")?.string()?;
                let message = row.required("message")?.string()?;
                answers.failed.push((kind, key.to_owned(), message.to_owned()));
            }
        }
        Ok(answers)
    }

    fn read_rows(&mut self, fields: &Fields<'_>, reads: &Reads) -> Result<()> {
        for field in list(fields, "rows")? {
            let row = field.object()?;
            own_project(&row.required("row")?, reads)?;
            self.rows
                .push((RowKey::from_json(&row)?, RowAnswer::Found(TableRow::from_json(&row)?)));
        }
        for field in list(fields, "missing_rows")? {
            self.rows.push((RowKey::from_json(&field.object()?)?, RowAnswer::Missing));
        }
        for field in list(fields, "lists")? {
            let answered = field.object()?;
            let mut rows = Vec::new();
            for field in answered.required("rows")?.list()? {
                let row = field.object()?;
                own_project(&row.required("row")?, reads)?;
                rows.push(TableRow::from_json(&row)?);
            }
            self.lists.push((List::from_json(&answered)?, RowAnswer::Found(rows)));
        }
        Ok(())
    }

    fn read_failed_row(&mut self, row: &Fields<'_>) -> Result<()> {
        let error = row.required("error")?.string()?.to_owned();
        if row.present("index").is_some() {
            self.lists.push((List::from_json(row)?, RowAnswer::Failed(error)));
        } else {
            self.rows.push((RowKey::from_json(row)?, RowAnswer::Failed(error)));
        }
        Ok(())
    }

    /// Keeps the answers about some rows and lists, selected by their ids.
    pub(super) fn retain_rows(
        &mut self,
        keep_row: impl Fn(&str) -> bool,
        keep_list: impl Fn(&str) -> bool,
    ) {
        self.rows.retain(|(of, _)| keep_row(&of.id()));
        self.lists.retain(|(of, _)| keep_list(&of.id()));
    }

    /// Keeps the answers about some keys.
    pub(super) fn retain(&mut self, keep: impl Fn(Kind, &str) -> bool) {
        self.found.retain(|(kind, row)| keep(*kind, row.key(*kind)));
        self.missing.retain(|(kind, key)| keep(*kind, key));
        self.failed.retain(|(kind, key, _)| keep(*kind, key));
        self.unreadable.retain(|(kind, key, _)| keep(*kind, key));
    }

    /// Returns the boxes that were found, each with its position among the rows.
    pub(super) fn boxes_mut(&mut self) -> impl Iterator<Item = (usize, &mut CardBox)> {
        let boxes = self.found.iter_mut().filter_map(|(_, row)| match row {
            Row::Box(card_box) => Some(&mut **card_box),
            Row::Profile(_) | Row::Card(_) | Row::Agent(_) | Row::File(_) | Row::Directory(_) => {
                None
            }
        });
        self.box_rows.iter().copied().zip(boxes)
    }

    /// Returns every key with an answer of any kind.
    fn keys(&self) -> impl Iterator<Item = (Kind, &str)> {
        let found = self.found.iter().map(|(kind, row)| (*kind, row.key(*kind)));
        let missing = self.missing.iter().map(|(kind, key)| (*kind, key.as_str()));
        let failed = self.failed.iter().map(|(kind, key, _)| (*kind, key.as_str()));
        let unreadable = self.unreadable.iter().map(|(kind, key, _)| (*kind, key.as_str()));
        found.chain(missing).chain(failed).chain(unreadable)
    }

    /// Returns an error if the answers do not match `reads` exactly.
    pub(super) fn check(&self, reads: &Reads) -> Result<()> {
        let mut answered = Keys::default();
        for (kind, key) in self.keys() {
            let followed = || kind == Kind::Boxes && reads.may_follow(None);
            let problem = if !reads.contains(kind, key) && !followed() {
                "answered, but not requested"
            } else if !answered.insert(kind.folded(key).into()) {
                "answered more than once"
            } else {
                continue;
            };
            return Err(broken(kind, key, problem));
        }
        for kind in Kind::ALL {
            for key in reads.of(kind) {
                if !answered.contains(kind.folded(key).as_str()) {
                    return Err(broken(kind, key, "neither answered nor reported missing"));
                }
            }
        }
        self.check_rows(reads)
    }
}

fn list<'a>(fields: &Fields<'a>, key: &str) -> Result<Vec<Field<'a>>> {
    fields.optional(key).map_or(Ok(Vec::new()), |list| list.list())
}

/// Returns an error for duplicate, unrequested and missing answers.
fn check_once<T: fmt::Display>(
    answered: impl Iterator<Item = T>,
    asked: impl Iterator<Item = T>,
    id: impl Fn(&T) -> String,
    was_asked: impl Fn(&T, &str) -> bool,
    name: &str,
) -> Result<()> {
    let wrong = |what: T, problem: &str| {
        Err(Error::store(format!("the store's answer is wrong: {what} was {problem}"))
            .at(Path::root().key("answers").key(name)))
    };
    let mut seen = Keys::default();
    for what in answered {
        let id = id(&what);
        if !was_asked(&what, &id) {
            return wrong(what, "answered, but not requested");
        }
        if !seen.insert(id.into()) {
            return wrong(what, "answered more than once");
        }
    }
    for what in asked {
        if !seen.contains(id(&what).as_str()) {
            return wrong(what, "neither answered nor reported missing");
        }
    }
    Ok(())
}

impl Answers {
    fn check_rows(&self, reads: &Reads) -> Result<()> {
        for (of, answer) in &self.rows {
            if let RowAnswer::Found(row) = answer
                && row.key.len() != of.key.len()
            {
                return Err(Error::store(format!("the row for {of} has another key"))
                    .at(Path::root().key("answers").key("rows")));
            }
        }
        check_once(
            self.rows.iter().map(|(of, _)| of),
            reads.rows(),
            |of| of.id(),
            |of, id| reads.has_row(id) || reads.may_follow(Some(of.table)),
            "rows",
        )?;
        check_once(
            self.lists.iter().map(|(of, _)| of),
            reads.lists(),
            |of| of.id(),
            |of, id| reads.has_list(id) || reads.may_follow(Some(of.table)),
            "lists",
        )
    }
}

/// The detail that marks an error about a row that exists and is unreadable.
pub(super) const UNREADABLE: &str = "unreadable";

/// Creates the error about a row that exists and is unreadable.
fn unreadable(kind: Kind, key: &str, error: &Error) -> Error {
    // the first two steps are the kind and the position of the row in this answer
    let inside = Path::from_steps(error.path().steps().iter().skip(2).cloned().collect());
    let place = if inside.is_root() { String::new() } else { format!(" at `{inside}`") };
    let what = kind.singular();
    Error::store(format!("{what} `{key}` cannot be read{place}: {}", error.message()))
        .at(Path::root().key("answers").join(error.path()))
        .detail("kind", kind.as_str())
        .detail("key", key)
        .detail(UNREADABLE, true)
}

fn broken(kind: Kind, key: &str, problem: &str) -> Error {
    Error::store(format!("the store's answer is wrong: {} `{key}` was {problem}", kind.singular()))
        .at(Path::root().key("answers").key(kind.as_str()))
        .detail("key", key)
}

/// Returns an error if a row has another project in `tenant_id` or `project_id`.
fn own_project(row: &Field<'_>, reads: &Reads) -> Result<()> {
    let projects =
        ["tenant_id", "project_id"].map(|key| row.json().get(key).and_then(Json::as_str));
    if projects.into_iter().flatten().any(|project| project != reads.project_id().as_str()) {
        return Err(row.error("the store answered with a row of another project"));
    }
    Ok(())
}
