//! A second answer to every history: the commands in the order in which they were committed, worked
//! off one after the other on plain maps and queues.
//!
//! It is written from the documented behaviour and shares nothing with the rules: no rows, no typed
//! states, no settings, no guards. It is told what was called and when, and the ids that were made;
//! what must come of it, it works out by itself. Whatever differs is a [`Failure`].

mod batches;
mod turns;

use super::failure::{Failure, failure};
use crate::value::json::{Json, Object};
use batches::{Batch, Task};
use std::collections::{BTreeMap, VecDeque};

/// How long a suspended turn waits for its tools.
const SUSPENSION: i64 = 30_000;
/// A dispatched turn that nobody starts ends after this long.
const DISPATCHED: i64 = 30_000;
/// A turn that does nothing ends after this long.
const SILENCE: i64 = 300_000;
/// Steps of a turn.
const STEPS: i64 = 8;
/// A task whose turn nobody confirmed is looked at after this long.
const CONFIRMATION: i64 = 2_000;
/// A task that nobody heard of is looked after, after this long.
const UNHEARD: i64 = 60_000;

/// A call that was committed, or changed nothing.
pub(super) struct Command<'a> {
    pub op: &'a str,
    pub args: &'a Object,
    pub value: &'a Json,
    /// The time that the call was told, in milliseconds.
    pub now: i64,
}

impl Command<'_> {
    fn text(&self, key: &str) -> &str {
        self.args.get(key).and_then(Json::as_str).unwrap_or_default()
    }

    fn number(&self, key: &str) -> i64 {
        number(self.args.get(key)).unwrap_or(0)
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.args.get(key).and_then(Json::as_bool)
    }

    fn list(&self, key: &str) -> &[Json] {
        self.args.get(key).and_then(Json::as_array).unwrap_or_default()
    }
}

fn number(json: Option<&Json>) -> Option<i64> {
    json.and_then(Json::as_number).and_then(|number| number.whole())
}

/// What a commit made and said, where the names of things matter: told by the rows it wrote.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Said {
    /// Turns that were queued: agent and turn.
    pub queued: Vec<(String, String)>,
    /// Turns that ended, and how: one event each.
    pub ended: Vec<(String, String)>,
    /// Batches that were joined, and how.
    pub joined: Vec<(String, String)>,
}

/// Ids that a commit made for tasks: task, batch, agent.
pub(super) type NewTask = (String, String, String);

/// Where an agent stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum State {
    #[default]
    Idle,
    Dispatched,
    Running,
    Suspended,
}

impl State {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Dispatched => "dispatched",
            Self::Running => "running",
            Self::Suspended => "suspended",
        }
    }
}

/// One agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Agent {
    /// Turns that wait, first come first.
    pub queue: VecDeque<String>,
    /// The turn that it has.
    pub active: Option<String>,
    pub state: State,
    pub epoch: i64,
    /// Calls that its turn waits for; true when answered.
    waiting: BTreeMap<String, bool>,
    /// How many it says it waits for.
    pub waits_for: usize,
    deadline: Option<i64>,
    since: i64,
    /// Calls of its turn were lost: whoever read them before may still report them.
    lost_calls: bool,
    /// Its head was lost, and nobody made it again yet.
    pub headless: bool,
}

/// What became of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fate {
    Queued,
    Leased,
    Ended(String),
    Canceled,
    CannotRun,
    /// Its message was lost while it waited.
    Lost,
}

#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub fate: Fate,
    can_run: bool,
}

/// One project.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub agents: BTreeMap<String, Agent>,
    pub turns: BTreeMap<String, Turn>,
    pub batches: BTreeMap<String, Batch>,
    pub tasks: BTreeMap<String, Task>,
}

/// What the model expects of one command.
#[derive(Default)]
struct Expected {
    said: Said,
    /// Names for turns that are queued without the caller naming them, in order.
    names: VecDeque<(String, String)>,
    /// A part of the answer, and what it must be.
    answer: Option<(&'static [&'static str], Json)>,
}

impl Model {
    /// Works off one command, and compares.
    pub fn apply(
        &mut self,
        command: &Command<'_>,
        said: &Said,
        new_tasks: &[NewTask],
    ) -> Result<(), Failure> {
        let mut expected =
            Expected { names: said.queued.iter().cloned().collect(), ..Expected::default() };
        self.work_off(command, new_tasks, &mut expected);
        let differs = |what: &str, model: String, found: String| {
            Err(failure(
                "the model answers the same",
                format!("{}: {what}: {found}, the model has {model}", command.op),
            ))
        };
        if expected.said != *said {
            return differs("said", format!("{:?}", expected.said), format!("{said:?}"));
        }
        if let Some((path, wanted)) = expected.answer {
            let found = path.iter().try_fold(command.value, |value, key| value.get(key));
            let found = found.cloned().unwrap_or_default();
            if found != wanted {
                return differs(&path.join("."), wanted.to_string(), found.to_string());
            }
        }
        Ok(())
    }

    fn work_off(&mut self, command: &Command<'_>, new_tasks: &[NewTask], expected: &mut Expected) {
        match command.op {
            "enqueue" => self.enqueue(command, expected),
            "cancel" => {
                let canceled =
                    self.cancel(command.text("target_agent_id"), command.text("agent_turn_id"));
                expected.answer = Some((&["payload", "canceled"], canceled.into()));
            }
            "wakeup" => {
                let agent = command.text("target_agent_id");
                let promoted = self.promote(agent, command.now);
                let turn = promoted.then(|| self.agent(agent).active.clone()).flatten();
                expected.answer = Some((&["payload", "agent_turn_id"], turn.into()));
            }
            "claim_inbox" => self.claim(command),
            "turn_start" => self.start(command, expected),
            "turn_tools" => self.tools(command, expected),
            "turn_complete" | "turn_fail" => self.complete(command, expected),
            "turn_give_back" => self.give_back(command, expected),
            "resume" => self.resume(command),
            "stop" => self.stop(command, expected),
            "time_out_tools" => self.time_out(command, expected),
            "reap_turn" => self.reap(command, expected),
            "reclaim_agent" => self.reclaim(command, expected),
            "create_batch" => self.create_batch(command, new_tasks, expected),
            "dispatch_task" => self.dispatch_task(command, expected),
            "child_event" => {
                let (turn, status) = (command.text("agent_turn_id"), command.text("status"));
                let taken = self.child_event(turn, status, command.now, expected);
                expected.answer = Some((&[], taken.into()));
            }
            "reconcile_task" => self.reconcile(command, expected),
            "end_batch" => self.end_batch(command, expected),
            // doorbells, messages on their way and the outbox change nothing that is told here
            _ => {}
        }
    }

    fn agent(&mut self, agent: &str) -> &mut Agent {
        self.agents.entry(agent.to_owned()).or_default()
    }

    /// True when this turn was asked for.
    pub fn knows(&self, turn: &str) -> bool {
        self.turns.contains_key(turn)
    }

    // ---- what nobody called

    /// The row of an agent's lease was lost.
    pub fn lose_head(&mut self, agent: &str) {
        self.agent(agent).headless = true;
    }

    /// The rows were lost of the calls that an agent waits for.
    pub fn lose_waiting(&mut self, agent: &str) {
        let agent = self.agent(agent);
        agent.lost_calls |= !agent.waiting.is_empty();
        agent.waiting.clear();
    }

    /// The message was lost of a turn that waits.
    pub fn lose_message(&mut self, agent: &str, turn: &str) {
        self.agent(agent).queue.retain(|queued| queued != turn);
        self.set(turn, Fate::Lost);
    }

    /// Somebody else put a message into a queue that cannot run.
    pub fn foreign(&mut self, agent: &str, turn: &str) {
        self.turns.insert(turn.to_owned(), Turn { fate: Fate::Queued, can_run: false });
        self.agent(agent).queue.push_back(turn.to_owned());
    }

    fn set(&mut self, turn: &str, fate: Fate) {
        if let Some(turn) = self.turns.get_mut(turn) {
            turn.fate = fate;
        }
    }

    fn fate(&self, turn: &str) -> Option<&Fate> {
        self.turns.get(turn).map(|turn| &turn.fate)
    }
}
