//! The turn of an agent: where its boxes are, and what it puts out.

use super::{batch, done, need_box, operation_id};
use crate::rule::box_turns::{self, Act};
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::table;
use crate::store::{
    Agent, AgentState, Before, BoxChange, Kind, Lookup, RowChange, RowKey, Snapshot, Writes,
};
use crate::value::env::Env;
use crate::value::id::{AgentId, BoxId};
use crate::value::ids::CardIds;
use crate::value::json::{Field, Json, Object, to_json};
use crate::{Error, Path, Result};
use serde::Serialize;

/// The pointers of a turn, and those that outlive it.
const OF_TURN: [&str; 2] = ["context_box_id", "output_box_id"];
const OF_AGENT: [&str; 2] = ["memory_context_box_id", "last_output_box_id"];

/// Moves the pointers of an agent: the boxes of its turn, its memory and its last output.
///
/// Nothing moves unless the agent is registered, every box is there, what is `expected` is so, and
/// all of this still holds when it is committed.
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
    agent_id: AgentId,
    /// Column and box; `null` lets go of one.
    moves: Object,
    /// Columns of the agent's state as the caller knows them.
    expected: Object,
    operation_id: Option<String>,
}

/// Where the pointers of an agent stand after a move.
///
/// Shown by the example of [`MovePointers`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pointers {
    /// Whose they are.
    pub agent_id: AgentId,
    /// The row of its state.
    pub head: Object,
    /// The row of what it keeps between turns.
    pub pointers: Object,
}

impl MovePointers {
    /// Reads `{"agent_id", "context_box_id"?, "output_box_id"?, "memory_context_box_id"?,
    /// "last_output_box_id"?, "expected"?: {"status"?, "turn_epoch"?, "active_agent_turn_id"?,
    /// "context_box_id"?, "output_box_id"?}, "operation_id"?}`.
    ///
    /// # Errors
    /// `bad_request` with the path of what is missing, mistyped or unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        let names = [&OF_TURN[..], &OF_AGENT[..]].concat();
        call.only(&[&["op", "agent_id", "expected", "operation_id"], names.as_slice()].concat())?;
        let mut moves = Object::default();
        for name in names {
            if let Some(field) = call.present(name) {
                if !field.json().is_null() {
                    BoxId::parse(&field)?;
                }
                moves.insert(name.into(), field.json().clone());
            }
        }
        if moves.is_empty() {
            return Err(Field::root(json).error("name a pointer to move"));
        }
        let mut expected = Object::default();
        if let Some(field) = call.optional("expected") {
            let fields = field.object()?;
            let turn = ["status", "turn_epoch", "active_agent_turn_id"];
            fields.only(&[&turn[..], &OF_TURN[..]].concat())?;
            expected = fields.json().clone();
        }
        let agent_id = AgentId::from(call.required("agent_id")?.string()?);
        Ok(Self { agent_id, moves, expected, operation_id: operation_id(&call)? })
    }

    fn box_ids(&self) -> impl Iterator<Item = (&str, &str)> {
        self.moves.iter().filter_map(|(name, id)| Some((name.as_str(), id.as_str()?)))
    }
}

impl Rule for MovePointers {
    type Value = Pointers;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Pointers>>> {
        let id = self.agent_id.as_str();
        let [head, pointers] =
            [&table::HEADS, &table::POINTERS].map(|table| RowKey::new(table, [id]));
        let mut cursor = Cursor::new(snapshot);
        cursor.want(Kind::Agents, id).want_row(&head).want_row(&pointers);
        ready!(cursor.want_all(Kind::Boxes, self.box_ids().map(|(_, box_id)| box_id)).step());
        let agent = registered(snapshot, &self.agent_id)?;
        let mut writes = batch(self.operation_id.as_deref(), snapshot, env);
        for (name, box_id) in self.box_ids() {
            need_box(snapshot, box_id, Path::root().key(name), &mut writes)?;
        }
        writes.expects.extend(snapshot.expectation(Kind::Agents, id));
        let (mut head_row, head_before) = there(snapshot, &head)?;
        if head_before == Before::Absent {
            head_row = first_head(agent)?;
        }
        for (name, value) in &self.expected {
            let found = head_row.get(name).unwrap_or(&Json::Null);
            if found != value {
                let message = format!("`{name}` of agent `{id}` is {found}, and not {value}");
                return Err(Error::conflict(message)
                    .at(Path::root().key("expected").key(name.as_str()))
                    .detail("expected", value.clone())
                    .detail("found", found.clone()));
            }
        }
        let (mut pointers_row, pointers_before) = there(snapshot, &pointers)?;
        if pointers_before == Before::Absent
            && let Some(known) = &agent.pointers
            && let Json::Object(known) = to_json(known)?
        {
            pointers_row.extend(known);
        }
        let changes = [
            (&OF_TURN, &mut head_row, head, head_before),
            (&OF_AGENT, &mut pointers_row, pointers, pointers_before),
        ];
        for (names, row, of, before) in changes {
            row.insert("agent_id".into(), id.into());
            let moved: Vec<_> =
                names.iter().filter_map(|name| Some((*name, self.moves.get(name)?))).collect();
            if moved.is_empty() {
                continue;
            }
            for (name, value) in moved {
                row.insert(name.to_owned(), value.clone());
            }
            row.insert("updated_at".into(), env.now.into());
            writes.rows.push(RowChange { of, before, row: Some(row.clone().into()) });
        }
        box_turns::take(&mut writes, snapshot)?;
        let value =
            Pointers { agent_id: self.agent_id.clone(), head: head_row, pointers: pointers_row };
        done(value, writes)
    }
}

/// The agent, which must be in the roster.
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

/// A row as it is, and what must hold before it is changed.
fn there(snapshot: &Snapshot, of: &RowKey) -> Result<(Object, Before)> {
    match snapshot.row_of(of).found()? {
        Some(row) => Ok((Object::clone(&row.row), Before::At(row.version.clone()))),
        None => Ok((Object::default(), Before::Absent)),
    }
}

/// The state of an agent that has no row of its own yet.
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

/// Puts cards behind what an agent has put out: into the box of its turn, or of its last one. A last
/// output that another agent's running turn reads stays as it is.
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
    agent_id: AgentId,
    card_ids: CardIds,
    even_during_turn: bool,
    operation_id: Option<String>,
}

/// An output after an [`AppendOutput`].
///
/// Shown by the example of [`AppendOutput`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Appended {
    /// Whose output.
    pub agent_id: AgentId,
    /// The box.
    pub output_box_id: BoxId,
}

impl AppendOutput {
    /// Reads `{"agent_id", "card_ids": [..], "even_during_turn"?, "operation_id"?}`.
    ///
    /// # Errors
    /// `bad_request` with the path of what is missing, mistyped or unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "agent_id", "card_ids", "even_during_turn", "operation_id"])?;
        Ok(Self {
            agent_id: AgentId::from(call.required("agent_id")?.string()?),
            card_ids: call.required("card_ids")?.strings()?.into_iter().collect(),
            even_during_turn: call
                .optional("even_during_turn")
                .map_or(Ok(false), |field| field.boolean())?,
            operation_id: operation_id(&call)?,
        })
    }
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
            let message = format!("agent `{id}` has no output box; `move_pointers` gives it one");
            return Err(Error::bad_request(message).at(Path::root().key("agent_id")));
        };
        cursor.want(Kind::Boxes, box_id.as_str());
        if !self.even_during_turn {
            box_turns::want(&mut cursor, box_id.as_str());
        }
        ready!(cursor.step());
        let mut writes: Writes = batch(self.operation_id.as_deref(), snapshot, env);
        for (index, card_id) in self.card_ids.iter().enumerate() {
            if let Lookup::Absent = snapshot.card(card_id) {
                let message = format!("no card `{card_id}` in project `{}`", snapshot.project_id());
                return Err(Error::not_found(message)
                    .at(Path::root().key("card_ids").index(index))
                    .detail("card_id", card_id));
            }
        }
        let Lookup::Present(_) = snapshot.card_box(box_id.as_str()) else {
            let message = format!("the output box `{box_id}` of agent `{id}` is not there");
            return Err(Error::not_found(message).at(Path::root().key("agent_id")));
        };
        if !self.even_during_turn {
            let path = Path::root().key("agent_id");
            let turns = box_turns::check(snapshot, box_id.as_str(), Act::Append, path)?;
            writes.expects.extend(turns);
        }
        // others may append beside it, but the box must still be this agent's
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
