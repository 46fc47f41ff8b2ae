//! Lists of the rows of a project.

use crate::rule::{Cursor, Outcome, Rule, Step};
use crate::store::table::{self, Table};
use crate::store::{List, Presence, Snapshot};
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::Object;
use crate::{Error, Path, Result};
use serde::Serialize;

arguments! {
    /// Lists the profiles of the project, by name.
    ///
    /// ```
    /// use tuckbox::agents::registry::ListProfiles;
    /// use tuckbox::json;
    ///
    /// assert_eq!(ListProfiles::from_json(&json!({}))?.limit, 100);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListProfiles {
        /// The number of rows, at most 10,000.
        pub limit: usize = 100,
    }

    /// Lists the agents of the project, by id.
    ///
    /// ```
    /// use tuckbox::agents::registry::ListAgents;
    /// # use tuckbox::store::{Agent, MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_agent(Agent::new("ann", "pb_lead")).add_agent(Agent::new("bob", "pb_writer"));
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = ListAgents::from_json(&json!({"profile_box_id": "pb_writer"}))?;
    /// let listed = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(listed.rows[0].get("agent_id"), Some(&json!("bob")));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListAgents {
        /// Only agents with this profile.
        pub profile_box_id: Option<String>,
        /// The number of rows, at most 10,000.
        pub limit: usize = 100,
    }

    /// Lists the tools of the project, by name.
    ///
    /// ```
    /// use tuckbox::agents::registry::ListTools;
    /// use tuckbox::json;
    ///
    /// assert_eq!(ListTools::from_json(&json!({"limit": 5}))?.limit, 5);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListTools {
        /// The number of rows, at most 10,000.
        pub limit: usize = 100,
    }

    /// Lists audit entries, newest last: all of them, those of one box, or those of one agent.
    ///
    /// ```
    /// use tuckbox::agents::registry::ListAudit;
    /// use tuckbox::json;
    ///
    /// let call = ListAudit::from_json(&json!({"agent_id": "ann"}))?;
    /// assert_eq!(call.agent_id.as_deref(), Some("ann"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListAudit {
        /// Only entries about this box. It excludes `agent_id`.
        pub box_id: Option<String>,
        /// Only entries of this agent.
        pub agent_id: Option<String>,
        /// The number of rows, at most 10,000.
        pub limit: usize = 100,
    }

    /// Lists recorded turn views, oldest first: all of them, those of one agent, or those of one turn.
    ///
    /// ```
    /// use tuckbox::agents::registry::ListTurnViews;
    /// use tuckbox::json;
    ///
    /// let call = ListTurnViews::from_json(&json!({"agent_turn_id": "t1"}))?;
    /// assert_eq!(call.agent_turn_id.as_deref(), Some("t1"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListTurnViews {
        /// Only views of this agent. It excludes `agent_turn_id`.
        pub agent_id: Option<String>,
        /// Only views of this turn.
        pub agent_turn_id: Option<String>,
        /// The number of rows, at most 10,000.
        pub limit: usize = 100,
    }
}

/// The rows of a list.
///
/// Shown by the example of [`ListAgents`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// The rows.
    pub rows: Vec<Object>,
}

/// The number of rows that one list can have.
const MAX_ROWS: usize = 10_000;

/// A selection: the argument, its index of the table, and its value.
type Selection<'a> = (&'a str, &'static str, Option<&'a String>);

/// Reads the first rows of a table, or those of one selection.
fn list(
    table: &'static Table,
    limit: usize,
    selections: &[Selection<'_>],
    snapshot: &Snapshot,
    env: &Env,
) -> Result<Step<Outcome<Listed>>> {
    if limit > MAX_ROWS {
        let message = format!("`limit` must be at most {MAX_ROWS}, found `{limit}`");
        return Err(Error::limit(message).at(Path::root().key("limit")));
    }
    let given: Vec<_> = selections.iter().filter(|(_, _, of)| of.is_some()).collect();
    let (index, of) = match given.as_slice() {
        [] => ("all", Vec::new()),
        [(_, index, of)] => (*index, of.iter().copied().cloned().collect()),
        [(first, ..), (second, ..), ..] => {
            let message = format!("`{second}` cannot be combined with `{first}`");
            return Err(Error::bad_request(message).at(Path::root().key(*second)));
        }
    };
    let list = List::new(table, index, of, limit)
        .ok_or_else(|| Error::bad_request(format!("`{}` has no index `{index}`", table.name)))?;
    let mut cursor = Cursor::new(snapshot);
    let Presence::Read(rows) = cursor.list(&list)? else { return Ok(cursor.need()) };
    let rows = rows.into_iter().flatten().map(|row| Object::clone(&row.row)).collect();
    Ok(Step::Done(Outcome::answer(Listed { rows }, Vec::new(), snapshot, env)))
}

macro_rules! lists {
    ($($name:ident of $table:ident $([$($key:ident: $index:literal),*])?;)*) => {$(
        impl Rule for $name {
            type Value = Listed;

            fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Listed>>> {
                let selections = [$($((stringify!($key), $index, self.$key.as_ref()),)*)?];
                list(&table::$table, self.limit, &selections, snapshot, env)
            }
        }
    )*};
}

shape! {
    fn list_profiles() -> Listed;
    fn list_agents() -> Listed;
    fn list_tools() -> Listed;
    fn list_audit() -> Listed;
    fn list_turn_views() -> Listed;
}

lists! {
    ListProfiles of PROJECT_PROFILES;
    ListAgents of PROJECT_AGENTS [profile_box_id: "by_profile"];
    ListTools of PROJECT_TOOLS;
    ListAudit of AUDIT [box_id: "by_subject", agent_id: "by_actor"];
    ListTurnViews of TURN_VIEWS [agent_id: "by_agent", agent_turn_id: "by_turn"];
}
