//! The boxes of a project that its rows name.

use crate::rule::{Cursor, Outcome, Rule, Step};
use crate::store::table::{self, Table};
use crate::store::{List, Presence, Snapshot};
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};
use serde::Serialize;

arguments! {
    /// Lists the boxes that profiles, agents and audit entries name. Stores have no list of boxes
    /// that nothing names.
    ///
    /// ```
    /// use tuckbox::agents::registry::{BoxUse, ListBoxes};
    /// # use tuckbox::store::{MemoryStore, Profile, Snapshot};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_profile(Profile::new("Writer", "pb_writer"));
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = ListBoxes::from_json(&json!({}))?;
    /// let listed = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(listed.boxes[0].box_id, "pb_writer");
    /// assert_eq!(listed.boxes[0].uses[0].kind, BoxUse::Profile);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListBoxes {
        /// The number of rows that are read of each kind, at most 10,000.
        pub limit: usize = 1_000,
    }
}

/// The boxes of a project.
///
/// Shown by the example of [`ListBoxes`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedBoxes {
    /// The boxes: of profiles, then of agents, then of audit entries. Each box is listed once.
    pub boxes: Vec<ListedBox>,
}

/// A box, and the rows that name it.
///
/// Shown by the example of [`ListBoxes`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedBox {
    /// The id of the box.
    pub box_id: String,
    /// The rows that name it.
    pub uses: Vec<NamedUse>,
}

/// A row that names a box.
///
/// Shown by the example of [`ListBoxes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedUse {
    /// How the row uses the box.
    pub kind: BoxUse,
    /// The name of the profile, the id of the agent, or the action of the audit entry.
    pub name: String,
}

/// How a row uses a box.
///
/// Shown by the example of [`ListBoxes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BoxUse {
    /// It is the box of a profile.
    Profile,
    /// It is the context of an agent's current turn.
    Context,
    /// It is the output of an agent's current turn.
    Output,
    /// An audit entry is about it.
    Audit,
}

/// The columns that name boxes: the table, the column, the column of the name, and the use.
const COLUMNS: [(&Table, &str, &str, BoxUse); 4] = [
    (&table::PROJECT_PROFILES, "profile_box_id", "name", BoxUse::Profile),
    (&table::HEADS, "context_box_id", "agent_id", BoxUse::Context),
    (&table::HEADS, "output_box_id", "agent_id", BoxUse::Output),
    (&table::AUDIT, "subject", "action", BoxUse::Audit),
];

/// The number of rows that one list can have.
const MAX_ROWS: usize = 10_000;

impl Rule for ListBoxes {
    type Value = ListedBoxes;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ListedBoxes>>> {
        let limit = self.limit;
        if limit > MAX_ROWS {
            let message = format!("`limit` must be at most {MAX_ROWS}, found `{limit}`");
            return Err(Error::limit(message).at(Path::root().key("limit")));
        }
        let mut cursor = Cursor::new(snapshot);
        let mut boxes: StrMap<ListedBox> = StrMap::new();
        let mut is_read = true;
        for (table, column, named, kind) in COLUMNS {
            let list = List::new(table, "all", Vec::<String>::new(), limit)
                .ok_or_else(|| Error::bad_request(format!("`{}` has no list", table.name)))?;
            let Presence::Read(rows) = cursor.list(&list)? else {
                is_read = false;
                continue;
            };
            for row in rows.into_iter().flatten() {
                let text = |key: &str| row.row.get(key).and_then(|value| value.as_str());
                let Some(box_id) = text(column).filter(|id| !id.is_empty()) else { continue };
                let using = NamedUse { kind, name: text(named).unwrap_or_default().to_owned() };
                let new = ListedBox { box_id: box_id.to_owned(), uses: Vec::new() };
                boxes.insert_new(box_id, new);
                if let Some(known) = boxes.get_mut(box_id)
                    && !known.uses.contains(&using)
                {
                    known.uses.push(using);
                }
            }
        }
        if !is_read {
            return Ok(cursor.need());
        }
        let boxes = ListedBoxes { boxes: boxes.into_values() };
        Ok(Step::Done(Outcome::answer(boxes, Vec::new(), snapshot, env)))
    }
}

shape! {
    fn list_boxes() -> ListedBoxes;
}
