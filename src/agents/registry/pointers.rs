//! The turn of an agent: its pointers to boxes, and its output.

use super::{batch, done, need_box};
use crate::cards::BoxChangeOptions;
use crate::rule::box_turns::{self, Act, runs as is_running};
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::table;
use crate::store::{
    Agent, AgentState, Before, BoxChange, Kind, Lookup, RowChange, RowKey, Snapshot, Writes,
};
use crate::value::arguments::{Nullable, arguments};
use crate::value::env::Env;
use crate::value::id::{AgentId, BoxId};
use crate::value::ids::CardIds;
use crate::value::json::{Json, Object, to_json};
use crate::{Error, Path, Result};
use serde::Serialize;

arguments! {
    /// Points an agent to other boxes: those of its turn, its memory and its last output.
    ///
    /// Nothing moves unless the agent is registered, every box exists and the state is as `expected`,
    /// also at the time of the commit.
    ///
    /// ```
    /// use tuckbox::agents::registry::MovePointers;
    /// # use tuckbox::store::{Agent, MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_agent(Agent::new("ann", "pb_lead")).add_box("notes", ["n1"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = MovePointers::from_json(&json!({"agent_id": "ann", "memory_context_box_id": "notes"}))?;
    /// let moved = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(moved.pointers.get("memory_context_box_id"), Some(&json!("notes")));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct MovePointers {
        /// The agent.
        pub agent_id: AgentId,
        /// The box that the turn reads. `null` clears the pointer.
        pub context_box_id: Nullable<BoxId>,
        /// The box that the turn writes to. `null` clears the pointer.
        pub output_box_id: Nullable<BoxId>,
        /// The box of the agent's memory. `null` clears the pointer.
        pub memory_context_box_id: Nullable<BoxId>,
        /// The last output of the agent. `null` clears the pointer.
        pub last_output_box_id: Nullable<BoxId>,
        /// The state that the agent must have. Another one is a `conflict`.
        pub expected: Option<ExpectedState>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }

    /// The expected state of an agent.
    ///
    /// ```
    /// use tuckbox::agents::registry::{ExpectedState, MovePointers};
    /// use tuckbox::json;
    ///
    /// let call = MovePointers::from_json(&json!({
    ///     "agent_id": "ann", "context_box_id": null, "expected": {"turn_epoch": 4}}))?;
    /// assert!(call.expected.is_some_and(|ExpectedState { turn_epoch, .. }| turn_epoch.value() == Some(&4)));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ExpectedState {
        /// The status.
        pub status: Nullable<String>,
        /// The epoch of the turn.
        pub turn_epoch: Nullable<u64>,
        /// The running turn.
        pub active_agent_turn_id: Nullable<String>,
        /// The box that the turn reads.
        pub context_box_id: Nullable<String>,
        /// The box that the turn writes to.
        pub output_box_id: Nullable<String>,
    }
}

/// The pointers of an agent after a move.
///
/// Shown by the example of [`MovePointers`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pointers {
    /// The agent.
    pub agent_id: AgentId,
    /// The row of its state.
    pub head: Object,
    /// The row of the pointers that outlive a turn.
    pub pointers: Object,
}

/// A column and its JSON, if the call has it.
type Column = (&'static str, Option<Json>);

impl MovePointers {
    /// Returns the pointers of the turn.
    fn of_turn(&self) -> [Column; 2] {
        [
            ("context_box_id", self.context_box_id.json()),
            ("output_box_id", self.output_box_id.json()),
        ]
    }

    /// Returns the pointers that outlive the turn.
    fn of_agent(&self) -> [Column; 2] {
        [
            ("memory_context_box_id", self.memory_context_box_id.json()),
            ("last_output_box_id", self.last_output_box_id.json()),
        ]
    }

    /// Returns the boxes of the call and the arguments that name them.
    fn box_ids(&self) -> impl Iterator<Item = (&'static str, &BoxId)> {
        let boxes = [
            ("context_box_id", &self.context_box_id),
            ("output_box_id", &self.output_box_id),
            ("memory_context_box_id", &self.memory_context_box_id),
            ("last_output_box_id", &self.last_output_box_id),
        ];
        boxes.into_iter().filter_map(|(name, box_id)| Some((name, box_id.value()?)))
    }
}

impl ExpectedState {
    fn columns(&self) -> [Column; 5] {
        [
            ("status", self.status.json()),
            ("turn_epoch", self.turn_epoch.json()),
            ("active_agent_turn_id", self.active_agent_turn_id.json()),
            ("context_box_id", self.context_box_id.json()),
            ("output_box_id", self.output_box_id.json()),
        ]
    }

    /// Rejects another state.
    fn check(&self, agent_id: &str, state: &Object) -> Result<()> {
        for (name, value) in self.columns() {
            let Some(value) = value else { continue };
            let found = state.get(name).unwrap_or(&Json::Null);
            if *found != value {
                let message = format!(
                    "expected `{name}` of agent `{agent_id}` to be `{value}`, found `{found}`"
                );
                return Err(Error::conflict(message)
                    .at(Path::root().key("expected").key(name))
                    .detail("expected", value)
                    .detail("found", found.clone()));
            }
        }
        Ok(())
    }
}

impl Rule for MovePointers {
    type Value = Pointers;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Pointers>>> {
        let id = self.agent_id.as_str();
        let (of_turn, of_agent) = (self.of_turn(), self.of_agent());
        if of_turn.iter().chain(&of_agent).all(|(_, value)| value.is_none()) {
            return Err(Error::bad_request(
                "expected `context_box_id`, `output_box_id`, `memory_context_box_id` or \
                 `last_output_box_id`",
            ));
        }
        let [head, pointers] =
            [&table::HEADS, &table::POINTERS].map(|table| RowKey::new(table, [id]));
        let mut cursor = Cursor::new(snapshot);
        cursor.want(Kind::Agents, id).want_row(&head).want_row(&pointers);
        ready!(
            cursor.want_all(Kind::Boxes, self.box_ids().map(|(_, box_id)| box_id.as_str())).step()
        );
        let agent = registered(snapshot, &self.agent_id)?;
        let mut writes = batch(self.operation_id.as_deref(), snapshot, env);
        for (name, box_id) in self.box_ids() {
            need_box(snapshot, box_id.as_str(), Path::root().key(name), &mut writes)?;
        }
        writes.expects.extend(snapshot.expectation(Kind::Agents, id));
        let (mut head_row, head_before) = there(snapshot, &head)?;
        if head_before == Before::Absent {
            head_row = first_head(agent)?;
        }
        if let Some(expected) = &self.expected {
            expected.check(id, &head_row)?;
        }
        let (mut pointers_row, pointers_before) = there(snapshot, &pointers)?;
        if pointers_before == Before::Absent
            && let Some(known) = &agent.pointers
            && let Json::Object(known) = to_json(known)?
        {
            pointers_row.extend(known);
        }
        let moves_turn = of_turn.iter().any(|(_, value)| value.is_some());
        let changes = [
            (of_turn, &mut head_row, head, head_before),
            (of_agent, &mut pointers_row, pointers, pointers_before),
        ];
        for (columns, row, of, before) in changes {
            row.insert("agent_id".into(), id.into());
            if set_columns(row, columns) {
                row.insert("updated_at".into(), env.now.into());
                writes.rows.push(RowChange { of, before, row: Some(row.clone().into()) });
            }
        }
        if moves_turn && is_running(&head_row) {
            ready!(check_turn_boxes(id, &head_row, snapshot, cursor)?);
        }
        box_turns::take(&mut writes, snapshot)?;
        let value =
            Pointers { agent_id: self.agent_id.clone(), head: head_row, pointers: pointers_row };
        done(value, writes)
    }
}

/// Sets the columns of a row that the call has. Returns false if it has none of them.
fn set_columns(row: &mut Object, columns: [Column; 2]) -> bool {
    let moved = columns.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let moved: Vec<_> = moved.collect();
    let is_changed = !moved.is_empty();
    row.extend(moved);
    is_changed
}

/// Checks that no other running turn has the boxes of this one.
fn check_turn_boxes(
    agent_id: &str,
    head: &Object,
    snapshot: &Snapshot,
    mut cursor: Cursor<'_>,
) -> Result<Step<()>> {
    let [context, output] = ["context_box_id", "output_box_id"]
        .map(|name| head.get(name).and_then(Json::as_str).filter(|box_id| !box_id.is_empty()));
    for box_id in [context, output].into_iter().flatten() {
        box_turns::want(&mut cursor, box_id);
    }
    ready!(cursor.step());
    box_turns::check_pair(snapshot, agent_id, context, output)?;
    Ok(Step::Done(()))
}

/// Returns the agent, which must be in the roster.
fn registered<'a>(snapshot: &'a Snapshot, agent_id: &AgentId) -> Result<&'a Agent> {
    match snapshot.agent(agent_id.as_str()).found()? {
        Some(agent) if agent.in_roster => Ok(agent),
        Some(_) | None => Err(Error::not_found(format!(
            "no agent `{agent_id}` in project `{}`",
            snapshot.project_id()
        ))
        .at(Path::root().key("agent_id"))
        .detail("agent_id", agent_id.as_str())),
    }
}

/// Returns a row, and the precondition of a change to it.
fn there(snapshot: &Snapshot, of: &RowKey) -> Result<(Object, Before)> {
    match snapshot.row_of(of).found()? {
        Some(row) => Ok((Object::clone(&row.row), Before::At(row.version.clone()))),
        None => Ok((Object::default(), Before::Absent)),
    }
}

/// Returns the state of an agent that has no row yet.
fn first_head(agent: &Agent) -> Result<Object> {
    let state = match &agent.state {
        Some(state) => state.clone(),
        None => AgentState { status: "idle".to_owned(), ..AgentState::default() },
    };
    let mut row = match to_json(&state)? {
        Json::Object(row) => row,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            Object::default()
        }
    };
    row.insert("turn_epoch".into(), 0_u64.into());
    Ok(row)
}

arguments! {
    /// Appends cards to the output box of an agent: that of its running turn, or that of its last one.
    /// The last output is not changed while a running turn of another agent reads it.
    ///
    /// ```
    /// use tuckbox::agents::registry::AppendOutput;
    /// # use tuckbox::store::{Agent, AgentPointers, MemoryStore, Snapshot};
    /// # use tuckbox::{Card, Content, Env, Limits, NewCard, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let mut ann = Agent::new("ann", "pb_lead");
    /// # ann.pointers = Some(AgentPointers { last_output_box_id: Some("out".into()), ..AgentPointers::default() });
    /// # let card = Card::make(NewCard::new("note", "a", Content::text("Hi")), &"p1".into(), "n2".into(), Timestamp::from_millis(0), &Limits::default())?;
    /// # store.project("p1").add_agent(ann).add_box("out", ["n1"]).add_card(card);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = AppendOutput::from_json(&json!({"agent_id": "ann", "card_ids": ["n2"]}))?;
    /// let appended = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!((appended.agent_id.as_str(), appended.output_box_id.as_str()), ("ann", "out"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct AppendOutput {
        /// The agent.
        pub agent_id: AgentId,
        /// The ids of the cards to append, in order.
        pub card_ids: CardIds,
        shared change: BoxChangeOptions,
    }
}

/// The output of an agent after an [`AppendOutput`].
///
/// Shown by the example of [`AppendOutput`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Appended {
    /// The agent.
    pub agent_id: AgentId,
    /// The output box.
    pub output_box_id: BoxId,
}

impl Rule for AppendOutput {
    type Value = Appended;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Appended>>> {
        let id = self.agent_id.as_str();
        let mut cursor = Cursor::new(snapshot);
        cursor.want(Kind::Agents, id).want_all(Kind::Cards, self.card_ids.iter());
        ready!(cursor.step());
        let agent = registered(snapshot, &self.agent_id)?;
        let Some(box_id) = agent.current_output_box_id() else {
            let message = format!("agent `{id}` has no output box; set one with `move_pointers`");
            return Err(Error::bad_request(message).at(Path::root().key("agent_id")));
        };
        cursor.want(Kind::Boxes, box_id.as_str());
        if !self.change.even_during_turn {
            box_turns::want(&mut cursor, box_id.as_str());
        }
        ready!(cursor.step());
        let mut writes: Writes = batch(self.change.operation_id.as_deref(), snapshot, env);
        for (index, card_id) in self.card_ids.iter().enumerate() {
            if let Lookup::Absent = snapshot.card(card_id) {
                let message = format!("no card `{card_id}` in project `{}`", snapshot.project_id());
                return Err(Error::not_found(message)
                    .at(Path::root().key("card_ids").index(index))
                    .detail("card_id", card_id));
            }
        }
        let Lookup::Present(_) = snapshot.card_box(box_id.as_str()) else {
            let message = format!("the output box `{box_id}` of agent `{id}` does not exist");
            return Err(Error::not_found(message).at(Path::root().key("agent_id")));
        };
        if !self.change.even_during_turn {
            let path = Path::root().key("agent_id");
            let turns = box_turns::check(snapshot, box_id.as_str(), Act::Append, path)?;
            writes.expects.extend(turns);
        }
        // others can append at the same time, but the box must still be this agent's
        writes.expects.extend(snapshot.expectation(Kind::Agents, id));
        writes.boxes.push(BoxChange::Append {
            box_id: box_id.clone(),
            card_ids: self.card_ids.clone(),
            version: None,
        });
        let value = Appended { agent_id: self.agent_id.clone(), output_box_id: box_id.clone() };
        done(value, writes)
    }
}
