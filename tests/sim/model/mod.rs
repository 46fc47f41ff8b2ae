//! A second implementation of orchestration: it applies the committed commands in their order to plain
//! maps and queues.
//!
//! It follows the documented behavior and shares nothing with the rules: no rows, no typed states, no
//! settings, no guards. It receives the calls, their times and the new ids, and computes the effects. A
//! difference is a [`Failure`].

mod batches;
mod turns;

use super::failure::{Failure, failure};
use batches::{Batch, Task};
use std::collections::{BTreeMap, VecDeque};
use tuckbox::value::json::{Json, Object};

/// How long a suspended turn waits for its tools, in milliseconds like all times here.
const SUSPENSION: i64 = 30_000;
/// A dispatched turn that no worker starts ends after this time.
const DISPATCHED: i64 = 30_000;
/// A turn without progress ends after this time.
const SILENCE: i64 = 300_000;
/// A turn whose worker does not renew its lease for longer is run again.
const LEASE: i64 = 15_000;
/// The attempts of a turn.
const ATTEMPTS: i64 = 3;
/// The maximum number of steps of a turn.
const STEPS: i64 = 8;
/// A task whose turn has no epoch is checked after this time.
const CONFIRMATION: i64 = 2_000;
/// A task without an event is reconciled after this time.
const UNHEARD: i64 = 60_000;

/// A call that was committed, or changed nothing.
pub(super) struct Command<'a> {
    pub op: &'a str,
    pub args: &'a Object,
    pub value: &'a Json,
    /// The time of the call, in milliseconds.
    pub now: i64,
    /// True if the batch writes the head of an agent.
    pub touches_head: bool,
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

/// What a commit created and reported, read from the rows that it wrote.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Said {
    /// Turns that were queued: agent and turn.
    pub queued: Vec<(String, String)>,
    /// Turns that ended, with their status.
    pub ended: Vec<(String, String)>,
    /// Batches that ended, with their status.
    pub joined: Vec<(String, String)>,
}

/// A task that a commit created: task, batch, agent.
pub(super) type NewTask = (String, String, String);

/// The state of an agent.
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
    /// Turns that wait, the oldest first.
    pub queue: VecDeque<String>,
    /// The active turn.
    pub active: Option<String>,
    pub state: State,
    pub epoch: i64,
    /// Calls that the turn waits for; true when answered.
    waiting: BTreeMap<String, bool>,
    /// The number of calls that the head waits for.
    pub waits_for: usize,
    deadline: Option<i64>,
    since: i64,
    /// Rows of open calls were lost; a host that read them before can still report them.
    lost_calls: bool,
    /// The head was lost and not rebuilt yet.
    pub headless: bool,
    /// The workers that each turn lost.
    losses: BTreeMap<String, i64>,
    /// A worker has the message of the active turn.
    claimed: bool,
    /// When the turn lost its worker; it waits for another one since then.
    released: Option<i64>,
}

/// The outcome of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fate {
    Queued,
    Leased,
    Ended(String),
    Canceled,
    CannotRun,
    /// The message was lost while the turn waited.
    Lost,
}

#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub fate: Fate,
    can_run: bool,
    /// The id of its message.
    message: String,
    /// When it ended, or was due to end.
    ended: Option<i64>,
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
    /// Ids of the turns that the rules named, in order.
    names: VecDeque<(String, String)>,
    /// A path in the answer, and its expected value.
    answer: Option<(&'static [&'static str], Json)>,
}

impl Model {
    /// Applies one command, and compares the effects.
    pub fn apply(
        &mut self,
        command: &Command<'_>,
        said: &Said,
        new_tasks: &[NewTask],
    ) -> Result<(), Failure> {
        let mut expected =
            Expected { names: said.queued.iter().cloned().collect(), ..Expected::default() };
        self.execute(command, new_tasks, &mut expected);
        self.release_message(command);
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

    fn execute(&mut self, command: &Command<'_>, new_tasks: &[NewTask], expected: &mut Expected) {
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
            "recover_turn" => self.recover(command, expected),
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
            // wakeups and the outbox do not change the model
            _ => {}
        }
    }

    fn agent(&mut self, agent: &str) -> &mut Agent {
        self.agents.entry(agent.to_owned()).or_default()
    }

    /// Returns true if this turn was requested.
    pub fn knows(&self, turn: &str) -> bool {
        self.turns.contains_key(turn)
    }

    // ---- changes without a call

    /// Loses the head of an agent.
    pub fn lose_head(&mut self, agent: &str) {
        self.agent(agent).headless = true;
    }

    /// Returns true if rows of an agent are lost and not rebuilt.
    pub fn lacks_rows(&self, agent: &str) -> bool {
        self.agents.get(agent).is_some_and(|agent| agent.headless || agent.lost_calls)
    }

    /// Loses the rows of the calls that an agent waits for.
    pub fn lose_waiting(&mut self, agent: &str) {
        let agent = self.agent(agent);
        agent.lost_calls |= !agent.waiting.is_empty();
        agent.waiting.clear();
    }

    /// Loses the message of a turn that waits.
    pub fn lose_message(&mut self, agent: &str, turn: &str) {
        self.agent(agent).queue.retain(|queued| queued != turn);
        self.set(turn, Fate::Lost);
    }

    /// Adds a turn of another process that cannot run.
    pub fn foreign(&mut self, agent: &str, turn: &str) {
        self.turns.insert(
            turn.to_owned(),
            Turn { fate: Fate::Queued, can_run: false, message: turn.to_owned(), ended: None },
        );
        self.agent(agent).queue.push_back(turn.to_owned());
    }

    /// Notes that no worker has the message of a turn any more.
    fn release_message(&mut self, command: &Command<'_>) {
        let inbox_id = command.text("inbox_id");
        let moves = match command.op {
            "requeue_inbox" => command.value.as_bool() == Some(true),
            "consume_inbox" => true,
            _ => command.flag("consume") == Some(true),
        };
        if !moves || inbox_id.is_empty() {
            return;
        }
        for agent in self.agents.values_mut() {
            let turn = agent.active.as_deref().and_then(|turn| self.turns.get(turn));
            let epoch = number(command.args.get("turn_epoch"));
            if turn.is_some_and(|turn| turn.message == inbox_id)
                && (command.flag("consume").is_none() || epoch == Some(agent.epoch))
            {
                agent.claimed = false;
            }
        }
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
