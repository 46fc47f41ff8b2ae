//! Rules of orchestration that recordings of the reference system show, one test per rule.

mod batches;
mod identity;
mod inbox;
mod leases;
mod promises;
mod recording;
mod state;
mod tools;
mod turns;

use tuckbox::agents::Setup;
use tuckbox::agents::recipe::Recipes;
use tuckbox::rule::{Defaults, Dialect, Step};
use tuckbox::store::table::{self, Table};
use tuckbox::store::{MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::card::{AfterExecution, Card, Content, ToolResult};
use tuckbox::value::json::{Field, to_text};
use tuckbox::{Env, Json, Result, Timestamp, json};

const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const CONTEXT: &str = "00000000-0000-4000-8000-0000000000c1";
const OUTPUT: &str = "00000000-0000-4000-8000-0000000000b1";
const TRACE: &str = "11111111111111111111111111111111";
const START: i64 = 1_767_225_600_000;

/// A store with the agent `a1`, and calls on it.
struct World {
    store: MemoryStore,
    setup: Setup,
    calls: u8,
    now: i64,
}

/// The answer of a call, and what it commits.
struct Done {
    value: Json,
    writes: Json,
}

impl World {
    fn new() -> Self {
        let mut store = MemoryStore::new();
        let project = store.project("p1");
        for box_id in [PROFILE, CONTEXT, OUTPUT] {
            project.add_box(box_id, []);
        }
        let defaults = Defaults { dialect: Dialect::V1R3, ..Defaults::default() };
        let setup = Setup::new(defaults, Recipes::default());
        let mut world = Self { store, setup, calls: 0, now: START + 1000 };
        world.add(
            &table::PROJECT_AGENTS,
            json!({"agent_id": "a1", "worker_target": "w", "profile_box_id": PROFILE, "in_roster": true}),
        );
        world
    }

    /// Returns a world whose agent has the turn `t1` at epoch 3.
    fn with_turn(status: &str) -> Self {
        let mut world = Self::new();
        world.add(
            &table::HEADS,
            json!({"agent_id": "a1", "status": status, "active_agent_turn_id": "t1", "turn_epoch": 3,
                "active_channel_id": "public", "active_recursion_depth": 0, "updated_at": time(0),
                "profile_box_id": PROFILE, "context_box_id": CONTEXT, "output_box_id": OUTPUT,
                "trace_id": TRACE, "waiting_tool_count": 0}),
        );
        world
    }

    /// Returns a world whose turn waits for the calls of the step `s1`.
    fn waiting(calls: &[&str]) -> Self {
        let mut world = Self::with_turn("suspended");
        let asked: Vec<Json> = calls
            .iter()
            .map(|id| json!({"id": *id, "type": "function", "function": {"name": "search", "arguments": "{}"}}))
            .collect();
        world.card(
            json!({"card_id": "thought", "content": {"__type__": "TextContent", "text": "t"},
            "tool_calls": asked, "metadata": {"type": "agent.thought", "role": "assistant",
            "step_id": "s1", "author_id": "a1", "project_id": "p1", "created_at": time(0)}}),
        );
        world.index(
            "thought",
            json!({"step_id": "s1", "card_type": "agent.thought", "calls": true}),
            0,
        );
        for (at, call) in calls.iter().enumerate() {
            world.add(
                &table::WAITING_TOOLS,
                json!({"agent_id": "a1", "agent_turn_id": "t1", "turn_epoch": 3, "step_id": "s1",
                    "tool_call_id": *call, "tool_name": "search", "wait_status": "waiting",
                    "created_at": time(0), "updated_at": time(0), "seq": at}),
            );
        }
        world
    }

    fn add(&mut self, table: &'static Table, row: Json) {
        self.store.project("p1").add_row(table, row.as_object().unwrap().clone());
    }

    fn card(&mut self, card: Json) {
        let card = Card::from_row(&Field::root(&card)).unwrap();
        self.store.project("p1").add_card(card);
    }

    fn index(&mut self, card_id: &str, columns: Json, seq: i64) {
        let mut row = columns.as_object().unwrap().clone();
        row.insert("card_id".into(), card_id.into());
        row.insert("created_at".into(), time(seq).into());
        row.insert("seq".into(), seq.into());
        self.add(&table::STEP_CARDS, Json::Object(row));
    }

    /// Follows the reference systems from now on.
    fn follow_reference(&mut self) {
        self.setup.defaults.reference_behavior = true;
    }

    /// Stores the result of a call of the step `s1`.
    fn result(&mut self, card_id: &str, call: &str, content: Json, seq: i64) {
        let part = |key: &str| content.get(key).cloned().unwrap_or_default();
        let (status, after) = (part("status"), part("after_execution"));
        let text = json!({"__type__": "TextContent", "text": ""});
        let row = json!({"card_id": card_id, "tool_call_id": call, "content": text, "metadata":
            {"type": "tool.result", "role": "tool", "step_id": "s1", "tool_call_id": call,
            "function_name": "search", "author_id": "tool", "project_id": "p1", "created_at": time(seq)}});
        let mut card = Card::from_row(&Field::root(&row)).unwrap();
        // a store can have results that no reader accepts
        card.content = Content::ToolResult(ToolResult {
            status: status.as_str().unwrap().to_owned(),
            after_execution: match after.as_str() {
                Some("terminate") => AfterExecution::Terminate,
                _ => AfterExecution::Suspend,
            },
            result: part("result"),
            error: part("error").as_object().cloned(),
        });
        self.store.project("p1").add_card(card);
        let columns = json!({"step_id": "s1", "tool_call_id": call, "card_type": "tool.result",
            "status": status, "after_execution": after});
        self.index(card_id, columns, seq);
    }

    fn try_call(&mut self, op: &str, args: Json) -> Result<Done> {
        self.calls += 1;
        let mut call = args.as_object().unwrap().clone();
        call.insert("op".into(), op.into());
        let call = self.setup.read_call(&Json::Object(call))?;
        let env = Env::new(Timestamp::from_millis(self.now), [self.calls; 32]);
        let mut snapshot = Snapshot::new("p1".into());
        loop {
            match call.step(&snapshot, &env)? {
                Step::Need(reads) => snapshot.absorb(&reads, self.store.read(&reads)?)?,
                Step::Done(done) => {
                    self.store.commit(&done.writes)?;
                    let value = Json::parse(&done.value.to_text()?).unwrap();
                    let writes = Json::parse(&to_text(&done.writes)?).unwrap();
                    return Ok(Done { value, writes });
                }
            }
        }
    }

    fn call(&mut self, op: &str, args: Json) -> Done {
        self.try_call(op, args).unwrap()
    }

    /// Makes a call on the turn `t1` at epoch 3.
    fn work(&mut self, op: &str, more: Json) -> Done {
        let mut args = json!({"agent_id": "a1", "agent_turn_id": "t1", "turn_epoch": 3,
            "step_id": "s1", "output_box_id": OUTPUT, "headers": {"CG-Recursion-Depth": "0"}});
        if let Json::Object(args) = &mut args {
            args.extend(more.as_object().unwrap().clone());
        }
        self.call(op, args)
    }

    /// Reports the result of a call to the turn.
    fn resume(&mut self, call: &str, card_id: &str) -> Done {
        let payload = json!({"tool_call_id": call, "tool_result_card_id": card_id,
            "status": "success", "after_execution": "suspend"});
        self.work("resume", json!({"payload": payload}))
    }

    fn row(&self, table: &'static Table, key: &str) -> Json {
        let rows = self.store.tables("p1").unwrap().rows(table);
        let mut rows = rows.filter(|row| row.key.iter().any(|part| part == key));
        rows.next().map(|row| Json::Object((*row.row).clone())).unwrap_or_default()
    }

    fn count(&self, table: &'static Table) -> usize {
        self.store.tables("p1").map_or(0, |tables| tables.rows(table).count())
    }
}

impl Done {
    /// Returns the rows of a table that the call wrote.
    fn rows(&self, table: &str) -> Vec<Json> {
        let rows = self.writes.get("rows").and_then(Json::as_array).unwrap_or_default();
        let of_table = rows.iter().filter(|row| text(row, "table") == table);
        of_table.map(|row| at(row, "row")).collect()
    }

    /// Returns the payloads of the messages whose subjects end in `tail`.
    fn sent(&self, tail: &str) -> Vec<Json> {
        let messages = self.rows("outbox").into_iter();
        let of_tail = messages.filter(|message| text(message, "subject").ends_with(tail));
        of_tail.map(|message| at(&message, "payload")).collect()
    }

    /// Returns the cards of a type that the call made.
    fn cards(&self, card_type: &str) -> Vec<Json> {
        let cards = self.writes.get("cards").and_then(Json::as_array).unwrap_or_default();
        let of_type = |card: &&Json| text(&at(card, "metadata"), "type") == card_type;
        cards.iter().filter(of_type).cloned().collect()
    }
}

fn time(seconds: i64) -> String {
    Timestamp::from_millis(START + seconds * 1000).to_string()
}

/// Returns the value at a path of keys, or `null`.
fn at(json: &Json, path: &str) -> Json {
    path.split('.').try_fold(json, |json, key| json.get(key)).cloned().unwrap_or_default()
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// Returns the strings of a list.
fn list(json: &Json, path: &str) -> Vec<String> {
    let list = at(json, path);
    list.as_array()
        .unwrap_or_default()
        .iter()
        .map(|item| item.as_str().unwrap_or_default().to_owned())
        .collect()
}
