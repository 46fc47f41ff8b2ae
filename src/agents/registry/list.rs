//! Listing what a project keeps in its tables.

use crate::rule::{Cursor, Outcome, Rule, Step};
use crate::store::table::Table;
use crate::store::{List, Snapshot};
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object};
use crate::{Error, Result};
use serde::Serialize;

/// The first rows of a table, in the order of an index.
///
/// ```
/// use tuckbox::agents::registry::ListRows;
/// use tuckbox::store::table;
/// # use tuckbox::store::{Agent, MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_agent(Agent::new("ann", "pb_lead")).add_agent(Agent::new("bob", "pb_writer"));
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let selectors = [("profile_box_id", "by_profile")];
/// let call = ListRows::from_json(&json!({"profile_box_id": "pb_writer"}), &table::PROJECT_AGENTS, &selectors)?;
/// let listed = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(listed.rows[0].get("agent_id"), Some(&json!("bob")));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ListRows {
    list: List,
}

/// The rows of a [`ListRows`].
///
/// Shown by the example of [`ListRows`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// The rows.
    pub rows: Vec<Object>,
}

/// How many rows a list has where the call does not say.
const USUAL: u64 = 100;

/// The most rows of one list.
const MOST: u64 = 10_000;

impl ListRows {
    /// Reads `{"limit"?}` for all rows of a table, or with one of `selectors` (argument and index) for
    /// some of them.
    ///
    /// # Errors
    /// `bad_request` with the path of what is mistyped or unknown, or when two selectors are given.
    pub fn from_json(
        json: &Json,
        table: &'static Table,
        selectors: &[(&'static str, &'static str)],
    ) -> Result<Self> {
        let call = Field::root(json).object()?;
        let names = selectors.iter().map(|(argument, _)| *argument);
        call.only(&["op", "limit"].into_iter().chain(names).collect::<Vec<_>>())?;
        let limit = call.optional("limit").map_or(Ok(USUAL), |limit| limit.count())?;
        if limit > MOST {
            return Err(Error::limit(format!("a list holds at most {MOST} rows"))
                .at(crate::Path::root().key("limit")));
        }
        let mut given = Vec::new();
        for (argument, index) in selectors {
            if let Some(field) = call.optional(argument) {
                given.push((*index, field.string()?.to_owned(), field));
            }
        }
        let (index, of) = match given.as_slice() {
            [] => ("all", Vec::new()),
            [(index, value, _)] => (*index, vec![value.clone()]),
            [_, (_, _, second), ..] => return Err(second.error("one selection is enough")),
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let list = List::new(table, index, of, limit).ok_or_else(|| {
            Error::bad_request(format!("`{}` has no index `{index}`", table.name))
        })?;
        Ok(Self { list })
    }
}

impl Rule for ListRows {
    type Value = Listed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Listed>>> {
        let mut cursor = Cursor::new(snapshot);
        let Some(rows) = cursor.list(&self.list)? else { return Ok(cursor.need()) };
        let rows = rows.into_iter().flatten().map(|row| Object::clone(&row.row)).collect();
        Ok(Step::Done(Outcome::answer(Listed { rows }, Vec::new(), snapshot, env)))
    }
}
