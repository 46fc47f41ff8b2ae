//! Stores that keep rows as JSON text under a key: a file of SQLite, a key-value database, a map.
//!
//! A project has shelves. `cards`, `boxes` and `files` have rows under their ids. Each declared
//! [`table`] is a shelf of `{"key", "version", "row"}` under the JSON text of the key.
//! `operations` has the applied batches. A store looks rows up with [`Shelves`]. [`read_text`]
//! answers reads from them, and [`commit_text`] decides a batch.
//!
//! ```
//! use std::collections::BTreeMap;
//! use tuckbox::Result;
//! use tuckbox::store::shelves::{Shelves, commit_text, read_text};
//!
//! #[derive(Default)]
//! struct Map(BTreeMap<(String, String), String>);
//!
//! impl Shelves for Map {
//!     fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
//!         Ok(self.0.get(&(shelf.to_owned(), key.to_owned())).cloned())
//!     }
//!     fn all(&self, shelf: &str) -> Result<Vec<String>> {
//!         Ok(self.0.iter().filter(|((of, _), _)| of == shelf).map(|(_, row)| row.clone()).collect())
//!     }
//!     fn paths(&self) -> Result<Vec<String>> {
//!         Ok(self.0.keys().filter(|(of, _)| of == "files").map(|(_, path)| path.clone()).collect())
//!     }
//! }
//!
//! let mut map = Map::default();
//! let batch = br#"{"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z",
//!     "boxes": [{"change": "create", "box": {"box_id": "notes", "card_ids": ["n1"]}}]}"#;
//! for change in commit_text(batch, &map)?.changes {
//!     match change.text {
//!         Some(text) => _ = map.0.insert((change.shelf, change.key), text),
//!         None => _ = map.0.remove(&(change.shelf, change.key)),
//!     }
//! }
//! let answers = read_text(br#"{"project_id": "p1", "boxes": ["notes", "other"]}"#, &map)?;
//! assert!(answers.contains(r#""card_ids":["n1"]"#) && answers.contains(r#""missing_boxes":["other"]"#));
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::decide::{decide_text, parse_limits, touched_text};
use super::rows::{List, RowKey, TableRow, fold};
use super::table::{self, Table};
use super::{Directory, Kind, Reads, store_error};
use crate::value::json::{Field, Json, Object, to_text};
use crate::{Code, Error, Path, Result};

/// The shelf of the applied batches.
const OPERATIONS: &str = "operations";

/// The columns of an agent that come from its head, and those that come from its pointers.
const STATE: [&str; 4] = ["status", "profile_box_id", "context_box_id", "output_box_id"];
const POINTERS: [&str; 2] = ["last_output_box_id", "memory_context_box_id"];

/// The rows of one project.
///
/// ```
/// use tuckbox::Result;
/// use tuckbox::store::shelves::{Shelves, read_text};
///
/// /// One box, and nothing else.
/// struct OneBox(String);
///
/// impl Shelves for OneBox {
///     fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
///         Ok((shelf == "boxes" && key == "notes").then(|| self.0.clone()))
///     }
///     fn all(&self, shelf: &str) -> Result<Vec<String>> {
///         Ok(self.find(shelf, "notes")?.into_iter().collect())
///     }
///     fn paths(&self) -> Result<Vec<String>> {
///         Ok(Vec::new())
///     }
/// }
///
/// let store = OneBox(r#"{"box_id":"notes","card_ids":["n1"]}"#.into());
/// let answers = read_text(br#"{"project_id": "p1", "boxes": ["notes"], "cards": ["n1"]}"#, &store)?;
/// assert!(answers.contains(r#""card_ids":["n1"]"#) && answers.contains(r#""missing_cards":["n1"]"#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait Shelves {
    /// Returns the text of a row.
    ///
    /// # Errors
    /// `store` when the row cannot be read.
    fn find(&self, shelf: &str, key: &str) -> Result<Option<String>>;

    /// Returns the texts of all rows of a shelf, in any order.
    ///
    /// # Errors
    /// `store` when the rows cannot be read.
    fn all(&self, shelf: &str) -> Result<Vec<String>>;

    /// Returns the paths of all files, in any order.
    ///
    /// # Errors
    /// `store` when the paths cannot be read.
    fn paths(&self) -> Result<Vec<String>>;
}

/// A change to a shelf.
///
/// The [module](self) has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfChange {
    /// The shelf.
    pub shelf: String,
    /// The key of the row.
    pub key: String,
    /// The new text; `None` deletes the row.
    pub text: Option<String>,
}

/// A decided batch. The store writes all changes, or none of them.
///
/// The [module](self) has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfCommit {
    /// The JSON text of the receipt.
    pub receipt: String,
    /// The changes. A repeated batch has none.
    pub changes: Vec<ShelfChange>,
}

/// Answers the JSON text of [`Reads`] with the JSON text of [`Answers`](super::Answers). It ignores
/// reads that follow from rows; the core then reads again.
///
/// # Errors
/// `store` when the text is not reads, and the errors of the shelves.
///
/// ```
/// use tuckbox::store::shelves::{place, read_text};
/// # use std::collections::BTreeMap;
/// # use tuckbox::Result;
/// # use tuckbox::store::shelves::Shelves;
/// # #[derive(Default)]
/// # struct Map(BTreeMap<(String, String), String>);
/// # impl Shelves for Map {
/// #     fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
/// #         Ok(self.0.get(&(shelf.to_owned(), key.to_owned())).cloned())
/// #     }
/// #     fn all(&self, shelf: &str) -> Result<Vec<String>> {
/// #         Ok(self.0.iter().filter(|((of, _), _)| of == shelf).map(|(_, row)| row.clone()).collect())
/// #     }
/// #     fn paths(&self) -> Result<Vec<String>> {
/// #         Ok(self.0.keys().filter(|(of, _)| of == "files").map(|(_, path)| path.clone()).collect())
/// #     }
/// # }
///
/// let mut map = Map::default();
/// let put = place("cards", br#"{"card_id": "n1", "text": "Clause 9"}"#, "v1")?;
/// map.0.insert((put.shelf, put.key), put.text.unwrap());
/// let answers = read_text(br#"{"project_id": "p1", "cards": ["n1", "n2"]}"#, &map)?;
/// assert!(answers.contains("Clause 9") && answers.contains(r#""missing_cards":["n2"]"#));
/// assert_eq!(read_text(b"[]", &map).unwrap_err().code(), tuckbox::Code::Store);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn read_text(reads: &[u8], shelves: &dyn Shelves) -> Result<String> {
    let reads = parse(reads, "reads")?;
    let reads = read_reads(&reads).map_err(|error| store_error(error, "reads"))?;
    Ok(answers(&reads, shelves)?.closed())
}

/// Decides the JSON text of [`Writes`](super::Writes). The store must call this inside its write
/// transaction.
///
/// # Errors
/// `conflict` when a row has another version than the batch expects. `store` when the text is not a
/// batch. Also the errors of the shelves.
///
/// ```
/// use tuckbox::store::shelves::commit_text;
/// # use std::collections::BTreeMap;
/// # use tuckbox::Result;
/// # use tuckbox::store::shelves::Shelves;
/// # #[derive(Default)]
/// # struct Map(BTreeMap<(String, String), String>);
/// # impl Shelves for Map {
/// #     fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
/// #         Ok(self.0.get(&(shelf.to_owned(), key.to_owned())).cloned())
/// #     }
/// #     fn all(&self, shelf: &str) -> Result<Vec<String>> {
/// #         Ok(self.0.iter().filter(|((of, _), _)| of == shelf).map(|(_, row)| row.clone()).collect())
/// #     }
/// #     fn paths(&self) -> Result<Vec<String>> {
/// #         Ok(self.0.keys().filter(|(of, _)| of == "files").map(|(_, path)| path.clone()).collect())
/// #     }
/// # }
///
/// let mut map = Map::default();
/// let batch = br#"{"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z",
///     "boxes": [{"change": "create", "box": {"box_id": "notes", "card_ids": ["n1"]}}]}"#;
/// let decided = commit_text(batch, &map)?;
/// let shelves: Vec<&str> = decided.changes.iter().map(|change| change.shelf.as_str()).collect();
/// assert_eq!(shelves, ["boxes", "operations"]);
/// for change in decided.changes {
///     map.0.insert((change.shelf, change.key), change.text.unwrap());
/// }
/// // a repeated batch changes nothing
/// assert!(commit_text(batch, &map)?.changes.is_empty());
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn commit_text(batch: &[u8], shelves: &dyn Shelves) -> Result<ShelfCommit> {
    let reads = parse(touched_text(batch)?.as_bytes(), "reads")?;
    let mut rows = answers(&read_reads(&reads)?, shelves)?;
    let writes = parse(batch, "writes")?;
    let operation_id = text_of(&writes, "operation_id");
    if let Some(operation) = shelves.find(OPERATIONS, operation_id)? {
        rows.add("operation", &operation);
    }
    let decision = decide_text(batch, rows.closed().as_bytes())?;
    let decision = parse(decision.as_bytes(), "decision")?;
    let receipt = decision.get("receipt").cloned().unwrap_or_default();
    let mut changes = Vec::new();
    for put in decision.get("puts").and_then(Json::as_array).unwrap_or_default() {
        changes.push(change(put, shelves)?);
    }
    if receipt.get("repeated").and_then(Json::as_bool) != Some(true) {
        let hash = decision.get("batch_hash").cloned().unwrap_or_default();
        let operation = Json::from([("batch_hash", hash), ("receipt", receipt.clone())]);
        changes.push(ShelfChange {
            shelf: OPERATIONS.to_owned(),
            key: operation_id.to_owned(),
            text: Some(operation.to_string()),
        });
    }
    Ok(ShelfCommit { receipt: receipt.to_string(), changes })
}

/// Returns the change that puts a row verbatim: a card, a box, a file, or a row of a declared table.
///
/// # Errors
/// `bad_request` when the row is not an object, has no key, or the table does not exist.
///
/// ```
/// use tuckbox::store::shelves::place;
///
/// let put = place("project_profiles", br#"{"name": "Writer", "profile_box_id": "pb"}"#, "v1")?;
/// assert_eq!(put.key, r#"["writer"]"#, "names of profiles ignore case");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn place(shelf: &str, row: &[u8], version: &str) -> Result<ShelfChange> {
    let mut row = Json::parse_bytes(row, &parse_limits())?;
    let Json::Object(columns) = &mut row else {
        return Err(Error::bad_request("a row must be an object"));
    };
    let kind = [Kind::Boxes, Kind::Cards, Kind::Files].into_iter().find(|of| of.as_str() == shelf);
    if let Some(kind) = kind {
        if kind == Kind::Boxes {
            columns.get_or_insert_with("card_ids", || Json::Array(Vec::new()));
            columns.get_or_insert_with("parent_ids", || Json::Array(Vec::new()));
            columns.get_or_insert_with("version", || 1.into());
            columns.get_or_insert_with("deleted_at", || Json::Null);
        }
        let key = columns.get(kind.column()).and_then(Json::as_str);
        let key = key.ok_or_else(|| without_key(kind.column()))?.to_owned();
        return Ok(ShelfChange { shelf: shelf.to_owned(), key, text: Some(row.to_string()) });
    }
    let Some(table) = table::named(shelf) else {
        let path = Path::root().key("table");
        return Err(Error::bad_request(format!("`{shelf}` is not a table")).at(path));
    };
    let Some(key) = table.key_of(columns) else {
        let column = table.key.iter().find(|column| table::column_text(columns, column).is_none());
        return Err(without_key(column.copied().unwrap_or_default()));
    };
    Ok(ShelfChange {
        shelf: shelf.to_owned(),
        key: key_text(table, &key)?,
        text: Some(table_row(key.iter().map(String::as_str).collect(), version, row)),
    })
}

fn without_key(column: &str) -> Error {
    Error::bad_request(format!("the row has no `{column}`")).at(Path::root().key(column))
}

/// The text of an object that grows by members.
#[derive(Default)]
struct Members(String);

impl Members {
    fn add(&mut self, name: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.extend(["\"", name, "\":", value]);
    }

    /// Adds a list of texts.
    fn add_list(&mut self, name: &str, items: &[String]) {
        self.add(name, &format!("[{}]", items.join(",")));
    }

    fn closed(self) -> String {
        if self.0.is_empty() { "{}".to_owned() } else { self.0 + "}" }
    }
}

fn parse(text: &[u8], name: &str) -> Result<Json> {
    Json::parse_bytes(text, &parse_limits()).map_err(|error| store_error(error, name))
}

fn text_of<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn read_reads(json: &Json) -> Result<Reads> {
    let fields = Field::new(json, Code::Store).object()?;
    let mut reads = Reads::new(fields.required("project_id")?.string()?.into());
    for kind in Kind::ALL {
        let keys = fields.optional(kind.as_str()).map(|keys| keys.strings()).transpose()?;
        for key in keys.unwrap_or_default() {
            reads.add(kind, key);
        }
    }
    let listed = |name| fields.optional(name).map_or(Ok(Vec::new()), |list| list.list());
    for row in listed("rows")? {
        reads.add_row(RowKey::from_json(&row.object()?)?);
    }
    for list in listed("lists")? {
        reads.add_list(List::from_json(&list.object()?)?);
    }
    Ok(reads)
}

fn answers(reads: &Reads, shelves: &dyn Shelves) -> Result<Members> {
    let mut out = Members::default();
    for kind in Kind::ALL {
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for key in reads.of(kind) {
            match look(kind, key, shelves)? {
                Some(row) => found.push(row),
                None => missing.push(key),
            }
        }
        if !found.is_empty() {
            out.add_list(kind.as_str(), &found);
        }
        if !missing.is_empty() {
            out.add(kind.missing(), &to_text(&missing)?);
        }
    }
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for of in reads.rows() {
        match shelves.find(of.table.name, &key_text(of.table, &of.key)?)? {
            Some(row) => found.push(with_table(of.table, &row)?),
            None => missing.push(of),
        }
    }
    if !found.is_empty() {
        out.add_list("rows", &found);
    }
    if !missing.is_empty() {
        out.add("missing_rows", &to_text(&missing)?);
    }
    let mut lists = Vec::new();
    for list in reads.lists() {
        let mut answer = Members(to_text(list)?);
        answer.0.pop();
        answer.add("rows", &to_text(&selected(list, shelves)?)?);
        lists.push(answer.closed());
    }
    if !lists.is_empty() {
        out.add_list("lists", &lists);
    }
    Ok(out)
}

fn look(kind: Kind, key: &str, shelves: &dyn Shelves) -> Result<Option<String>> {
    let row_of = |table: &Table, key: &str| -> Result<Option<Object>> {
        let found = shelves.find(table.name, &key_text(table, &[key.to_owned()])?)?;
        found.map(|text| columns(&text)).transpose()
    };
    let text = |row: Option<Object>| row.map(|row| Json::Object(row).to_string());
    Ok(match kind {
        Kind::Boxes | Kind::Cards | Kind::Files => shelves.find(kind.as_str(), key)?,
        Kind::Profiles => text(row_of(&table::PROJECT_PROFILES, key)?),
        Kind::ProfilesByBox => {
            let name = |row: &Object| row.get("name").and_then(Json::as_str).map(str::to_owned);
            let mut first: Option<Object> = None;
            for row in shelves.all(table::PROJECT_PROFILES.name)? {
                let row = columns(&row)?;
                let is_earlier = first.as_ref().is_none_or(|first| name(&row) < name(first));
                if is_earlier && row.get("profile_box_id").and_then(Json::as_str) == Some(key) {
                    first = Some(row);
                }
            }
            text(first)
        }
        Kind::Agents => {
            let registered = row_of(&table::PROJECT_AGENTS, key)?;
            let (head, pointers) = (row_of(&table::HEADS, key)?, row_of(&table::POINTERS, key)?);
            if registered.is_none() && head.is_none() && pointers.is_none() {
                return Ok(None);
            }
            let mut agent = registered.unwrap_or_else(|| {
                let unknown = [("agent_id", Json::from(key)), ("in_roster", false.into())];
                unknown.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            });
            for (name, row, names) in
                [("state", head, STATE.as_slice()), ("pointers", pointers, &POINTERS)]
            {
                if let Some(mut row) = row {
                    row.retain(|name, _| names.contains(&name.as_str()));
                    agent.insert(name.to_owned(), Json::Object(row));
                }
            }
            text(Some(agent))
        }
        Kind::Directories => {
            let inside = |path: &String| Directory::contains(key, path);
            let mut paths: Vec<String> = shelves.paths()?.into_iter().filter(inside).collect();
            paths.sort_unstable();
            let row = [("directory", Json::from(key)), ("paths", paths.iter().cloned().collect())];
            (!paths.is_empty()).then(|| Json::from(row).to_string())
        }
    })
}

fn selected(list: &List, shelves: &dyn Shelves) -> Result<Vec<TableRow>> {
    let mut rows = Vec::new();
    for text in shelves.all(list.table.name)? {
        let row = parse(text.as_bytes(), list.table.name)?;
        rows.push(TableRow::from_json(&Field::new(&row, Code::Store).object()?)?);
    }
    Ok(list.select(rows.iter()))
}

/// Returns the key of a row of a table as one string.
fn key_text(table: &Table, key: &[String]) -> Result<String> {
    to_text(&key.iter().map(|part| fold(table, part)).collect::<Vec<_>>())
}

fn table_row(key: Json, version: &str, row: Json) -> String {
    Json::from([("key", key), ("version", version.into()), ("row", row)]).to_string()
}

/// Returns the columns of a row of a table.
fn columns(text: &str) -> Result<Object> {
    match parse(text.as_bytes(), "row")? {
        Json::Object(mut row) => match row.remove("row") {
            Some(Json::Object(columns)) => Ok(columns),
            Some(_) | None => Err(Error::store("a row of a table has no columns")),
        },
        _ => Err(Error::store("a row of a table is not an object")),
    }
}

fn with_table(table: &Table, row: &str) -> Result<String> {
    let mut named = Object::default();
    named.insert("table".to_owned(), table.name.into());
    if let Json::Object(row) = parse(row.as_bytes(), "row")? {
        named.extend(row);
    }
    Ok(Json::Object(named).to_string())
}

/// Returns the change of a put of [`decide_text`].
fn change(put: &Json, shelves: &dyn Shelves) -> Result<ShelfChange> {
    let keys = put.get("key").and_then(Json::as_array).unwrap_or_default();
    let keys: Vec<String> = keys.iter().filter_map(Json::as_str).map(str::to_owned).collect();
    let row = put.get("row").filter(|row| !row.is_null()).cloned();
    let named = match text_of(put, "table") {
        "agents" => table::PROJECT_AGENTS.name,
        name => name,
    };
    let Some(table) = table::named(named) else {
        let key = keys.first().cloned().unwrap_or_default();
        let text = match put.get("set").and_then(Json::as_object) {
            Some(set) => {
                let before = shelves.find(named, &key)?.unwrap_or_else(|| "{}".to_owned());
                let mut after = parse(before.as_bytes(), "row")?;
                if let Json::Object(after) = &mut after {
                    set.iter()
                        .for_each(|(name, value)| _ = after.insert(name.clone(), value.clone()));
                }
                Some(after.to_string())
            }
            None => row.map(|row| row.to_string()),
        };
        return Ok(ShelfChange { shelf: named.to_owned(), key, text });
    };
    let version = text_of(put, "version");
    let text = row.map(|row| table_row(keys.iter().map(String::as_str).collect(), version, row));
    Ok(ShelfChange { shelf: named.to_owned(), key: key_text(table, &keys)?, text })
}

#[cfg(test)]
mod tests {
    use super::super::{Answers, Receipt, Store, Writes, testing};
    use super::*;
    use std::collections::BTreeMap;

    type Rows = BTreeMap<(String, String), String>;

    /// A store of shelves in memory.
    #[derive(Default)]
    struct Projects(BTreeMap<String, Rows>);

    impl Shelves for Rows {
        fn find(&self, shelf: &str, key: &str) -> Result<Option<String>> {
            Ok(self.get(&(shelf.to_owned(), key.to_owned())).cloned())
        }

        fn all(&self, shelf: &str) -> Result<Vec<String>> {
            let of_shelf = self.iter().filter(|((of, _), _)| of == shelf);
            Ok(of_shelf.map(|(_, row)| row.clone()).collect())
        }

        fn paths(&self) -> Result<Vec<String>> {
            Ok(self.keys().filter(|(of, _)| of == "files").map(|(_, path)| path.clone()).collect())
        }
    }

    impl Store for Projects {
        fn read(&self, reads: &Reads) -> Result<Answers> {
            let rows = self.0.get(reads.project_id().as_str()).cloned().unwrap_or_default();
            let answers = read_text(to_text(reads)?.as_bytes(), &rows)?;
            Answers::from_json(&Json::parse(&answers)?, reads)
        }

        fn commit(&mut self, writes: &Writes) -> Result<Receipt> {
            let rows = self.0.entry(writes.project_id.as_str().to_owned()).or_default();
            let decided = commit_text(to_text(writes)?.as_bytes(), rows)?;
            for change in decided.changes {
                match change.text {
                    Some(text) => _ = rows.insert((change.shelf, change.key), text),
                    None => _ = rows.remove(&(change.shelf, change.key)),
                }
            }
            Receipt::from_json(&Json::parse(&decided.receipt)?, writes)
        }
    }

    #[test]
    fn a_store_of_shelves_keeps_the_contract() {
        for case in testing::CASES {
            case.run(&mut Projects::default(), "p1").unwrap();
        }
    }

    #[test]
    fn rows_without_a_key_and_unknown_tables_are_refused() {
        for (shelf, row, path) in [
            ("cards", "{}", "card_id"),
            ("boxes", r#"{"box_id": 1}"#, "box_id"),
            ("heads", r#"{"agent_id": null}"#, "agent_id"),
            ("tails", "{}", "table"),
            ("cards", "[]", ""),
        ] {
            let error = place(shelf, row.as_bytes(), "v").unwrap_err();
            assert_eq!((error.code(), error.path().to_string()), (Code::BadRequest, path.into()));
        }
    }

    #[test]
    fn the_first_profile_of_a_box_by_name_is_read_and_an_agent_has_its_head() {
        let mut rows = Rows::new();
        for (table, row) in [
            ("project_profiles", r#"{"name": "b", "profile_box_id": "pb"}"#),
            ("project_profiles", r#"{"name": "A", "profile_box_id": "pb"}"#),
            ("heads", r#"{"agent_id": "a1", "status": "idle", "turn_epoch": 3}"#),
        ] {
            let put = place(table, row.as_bytes(), "v").unwrap();
            rows.insert((put.shelf, put.key), put.text.unwrap());
        }
        let reads = br#"{"project_id": "p", "profiles_by_box": ["pb"], "agents": ["a1", "a2"]}"#;
        assert_eq!(
            read_text(reads, &rows).unwrap(),
            r#"{"profiles_by_box":[{"name":"A","profile_box_id":"pb"}],"agents":[{"agent_id":"a1","in_roster":false,"state":{"status":"idle"}}],"missing_agents":["a2"]}"#
        );
    }
}
