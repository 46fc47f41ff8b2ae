//! A preview of a delegation: what the receiver will see next to what the sender sees.
//!
//! [`PreviewHandover`] runs a recipe, or a plain `pack_context`, up to its commit. It returns the
//! sender's turn as it is and the receiver's turn as it will start. It lists the cards that both see,
//! those that only the receiver sees, and those that only the sender sees, with lints. It writes
//! nothing: the recipe is committed by a call of its own.
//!
//! ```
//! use tuckbox::agents::recipe::PreviewHandover;
//! use tuckbox::rule::preview;
//! use tuckbox::store::{Agent, AgentState, MemoryStore, Profile, Snapshot};
//! use tuckbox::{Env, Json, Timestamp};
//!
//! let mut lead = Profile::new("Lead", "pb_lead");
//! lead.delegation_policy = Json::parse("{}")?;
//! let mut agent = Agent::new("agent_a", "pb_lead");
//! agent.state = Some(AgentState { output_box_id: Some("out".into()), ..Default::default() });
//! let mut store = MemoryStore::new();
//! store
//!     .project("p1")
//!     .add_profile(lead)
//!     .add_profile(Profile::new("Writer", "pb_writer"))
//!     .add_agent(agent)
//!     .add_box("out", ["o1", "o2"])
//!     .add_box("notes", ["o1"]);
//!
//! let call = Json::parse(r#"{"call": {"op": "delegate_async", "source_agent_id": "agent_a",
//!     "arguments": {"target_strategy": "new", "target_ref": "Writer", "instruction": "go on",
//!                   "context_box_id": "notes"}}}"#)?;
//! let look = PreviewHandover::from_json(&call)?;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let seen = preview(&look, &mut Snapshot::new("p1".into()), &env, &store)?.value;
//! assert_eq!(seen.shared[0].card_id, "o1");
//! assert_eq!(seen.added.len(), 1); // the instruction
//! assert_eq!(seen.not_passed_on[0].card_id, "o2");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod lints;
mod secrets;
pub(crate) use secrets::find as find_secrets;
mod subject;

use crate::agents::Setup;
use crate::agents::setup::Resolved;
use crate::agents::turn::{Turn, TurnFrame, TurnView};
use crate::rule::audit::Audit;
use crate::rule::hash::ContentHash;
use crate::rule::ledger::Cause;
use crate::rule::lint::Lint;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Lookup, Overlay, Snapshot};
use crate::value::Map as IndexMap;
use crate::value::arguments::{Loose, OrText, arguments};
use crate::value::env::Env;
use crate::value::id::{AgentId, CardId};
use crate::value::json::Json;
use crate::{Error, Path, Result};
use serde::Serialize;
use std::sync::Arc;
pub use subject::Receiver;
use subject::Subject;

/// A call that delegates.
pub(crate) type HandoverCall = Json;

arguments! {
    /// Shows what the receiver of a delegation will see next to what the sender sees. It writes
    /// nothing.
    ///
    /// ```
    /// use tuckbox::agents::recipe::PreviewHandover;
    /// use tuckbox::agents::AgentLint;
    /// # use tuckbox::store::{Agent, AgentState, MemoryStore, Profile, Snapshot};
    /// # use tuckbox::{Card, Content, Env, Limits, NewCard, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let now = Timestamp::from_millis(0);
    /// # let card = |id: &str, text: &str| Card::make(NewCard::new("note", "ann", Content::text(text)), &"p1".into(), id.into(), now, &Limits::default()).unwrap();
    /// # let lead = Profile { delegation_policy: json!({"target_profiles": ["Writer"]}), ..Profile::new("Lead", "pb_lead") };
    /// # let mut ann = Agent::new("ann", "pb_lead");
    /// # ann.state = Some(AgentState { context_box_id: Some("ctx".into()), output_box_id: Some("out".into()), ..AgentState::default() });
    /// # store.project("p1").add_profile(lead).add_profile(Profile::new("Writer", "pb_writer")).add_agent(ann)
    /// #     .add_box("ctx", ["n1"]).add_box("out", ["n2"]).add_card(card("n1", "Clause 9")).add_card(card("n2", "My notes"));
    /// # let env = Env::new(now, [7; 32]);
    /// // Ann sees `n1` and has written `n2`; she passes on her output
    /// let delegate = json!({"op": "delegate_async", "source_agent_id": "ann", "arguments": {
    ///     "target_strategy": "new", "target_ref": "Writer", "instruction": "Draft it.", "context_box_id": "out"}});
    /// let call = PreviewHandover::from_json(&json!({"call": delegate}))?;
    /// let outcome = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// let preview = &outcome.value;
    /// assert_eq!(preview.shared[0].card_id, "n2");
    /// assert_eq!(preview.not_passed_on[0].card_id, "n1");
    /// assert!(preview.added[0].cause.is_some(), "the instruction");
    /// assert!(preview.receiver_is.agent_id.is_some());
    /// assert!(!outcome.lints.iter().any(|lint| lint.code == AgentLint::EmptyInstruction));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct PreviewHandover {
        /// The call that delegates. It is not committed.
        pub call: OrText<Loose<HandoverCall>>,
        /// The index of the context, from 0, if the call packs several.
        pub task: usize = 0,
        /// True if the model of the receiver takes files. The profile of the receiver decides by
        /// default.
        pub takes_files: Option<bool>,
        shared frame: TurnFrame,
        setting setup: Setup,
        setting subject: Resolved<Arc<Subject>>,
    }
}

/// Both sides of a delegation.
///
/// Shown by the example of [`PreviewHandover`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Preview {
    /// The index of the context, from 0.
    pub task: usize,
    /// The number of contexts that the call packs.
    pub tasks: usize,
    /// The receiver and its boxes.
    pub receiver_is: Receiver,
    /// The turn of the sender, if it is registered.
    pub sender: Option<Turn>,
    /// The turn of the receiver.
    pub receiver: Turn,
    /// The cards that both see, in the receiver's order.
    pub shared: Vec<Shared>,
    /// The cards that only the receiver sees, in its order.
    pub added: Vec<Added>,
    /// The cards that only the sender sees, in its order.
    pub not_passed_on: Vec<Seen>,
    /// The audit entry: the sender, the sources and the authority.
    pub audit: Option<Arc<Audit>>,
    /// The hash of everything that the call makes. It is the same after the commit.
    pub content_hash: ContentHash,
}

/// A card and its index among the cards of a turn, from 0.
///
/// Shown by the example of [`PreviewHandover`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The card.
    pub card_id: CardId,
    /// Its index.
    pub position: usize,
}

/// A card that both see.
///
/// Shown by the example of [`PreviewHandover`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shared {
    /// The card.
    pub card_id: CardId,
    /// Its index in the sender's turn.
    pub sender: usize,
    /// Its index in the receiver's turn.
    pub receiver: usize,
}

/// A card that only the receiver sees.
///
/// Shown by the example of [`PreviewHandover`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Added {
    /// The card.
    pub card_id: CardId,
    /// Its index in the receiver's turn.
    pub position: usize,
    /// Why it is in the new context; missing for a card of the receiver's own output.
    pub cause: Option<Cause>,
}

impl PreviewHandover {
    /// Returns the call with the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        Self { setup: setup.clone(), ..self }
    }

    fn subject(&self) -> Result<&Subject> {
        let read = || Subject::from_json(&self.call, &self.setup).map(Arc::new);
        self.subject.get_or_make(read).map(|subject| &**subject).map_err(below_call)
    }

    /// Returns the view that both turns start from.
    fn view(&self) -> Result<TurnView> {
        let (dialect, limits) = (self.subject()?.dialect(), self.setup.defaults.limits);
        Ok(TurnView { dialect, limits, ..TurnView::from(self.frame.clone()) })
    }
}

fn below_call(error: Error) -> Error {
    error.within(&Path::root().key("call"))
}

fn below(path: &Path, lints: Vec<Lint>) -> impl Iterator<Item = Lint> {
    lints.into_iter().map(|lint| Lint { path: path.join(&lint.path), ..lint })
}

impl Rule for PreviewHandover {
    type Value = Preview;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Preview>>> {
        let view = self.view()?;
        let packed = ready!(self.subject()?.step(snapshot, env).map_err(below_call)?);
        let content_hash = packed.content_hash()?;
        let Outcome { value: mut receivers, writes, ledger, lints } = packed;
        let tasks = receivers.len();
        if self.task >= tasks {
            return Err(Error::bad_request(format!(
                "`task` must be below {tasks}, the number of contexts, found `{}`",
                self.task
            ))
            .at(Path::root().key("task")));
        }
        let receiver_is = receivers.swap_remove(self.task);

        let now = Overlay::of(snapshot);
        let then = Overlay::after(snapshot, &writes);
        let mut cursor = Cursor::over(&now);
        let sender = self.sender(&view, &now, env, &mut cursor)?;
        let receiver = cursor.join(receiver_is.turn_view(&view).look(&then, env)?);
        let Some(receiver) = receiver.filter(|_| !cursor.waits()) else {
            return Ok(cursor.need());
        };

        let account =
            ledger.boxes.iter().find(|account| account.box_id() == &receiver_is.context_box_id);
        let causes: IndexMap<String, Cause> = account
            .map(|account| account.entries(0..account.len()))
            .unwrap_or_default()
            .into_iter()
            .map(|entry| (entry.card_id, entry.cause))
            .collect();
        let audit = ledger
            .audit
            .iter()
            .find(|audit| audit.context_box_id == receiver_is.context_box_id)
            .cloned();
        let (shared, added, not_passed_on) = compare(sender.as_ref(), &receiver.value, &causes);

        let mut all: Vec<Lint> = below(&Path::root().key("call"), lints).collect();
        all.extend(below(&Path::root().key("receiver"), receiver.lints));
        let input = lints::LintInput {
            turn: &receiver.value,
            cards: &then,
            causes: &causes,
            audit: audit.as_deref(),
            own_boxes: self.own_boxes(snapshot)?,
            takes_files: self.takes_files,
        };
        all.extend(input.lints());

        let value = Preview {
            task: self.task,
            tasks,
            receiver_is,
            sender,
            receiver: receiver.value,
            shared,
            added,
            not_passed_on,
            audit,
            content_hash,
        };
        Ok(Step::Done(Outcome::answer(value, all, snapshot, env)))
    }
}

impl PreviewHandover {
    /// Returns the sender's turn as it is, if the sender is registered.
    fn sender(
        &self,
        view: &TurnView,
        now: &Overlay<'_>,
        env: &Env,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<Turn>> {
        let agent_id = AgentId::from(self.subject()?.source_agent_id());
        if cursor.agent(agent_id.as_str())?.found().is_none() {
            return Ok(None);
        }
        let view = TurnView { agent_id: Some(agent_id), ..view.clone() };
        Ok(cursor.join(view.look(now, env)?).map(|outcome| outcome.value))
    }

    /// Returns the sender's own boxes.
    fn own_boxes(&self, snapshot: &Snapshot) -> Result<Vec<String>> {
        Ok(match snapshot.agent(self.subject()?.source_agent_id()) {
            Lookup::Present(agent) => agent.own_boxes().keys().map(ToOwned::to_owned).collect(),
            Lookup::NotRead | Lookup::Absent | Lookup::Failed(_) => Vec::new(),
        })
    }
}

/// Returns every card of a turn with its first index: those of the request, then those of the
/// prompt.
fn cards(turn: &Turn) -> IndexMap<&str, usize> {
    let mut cards = IndexMap::default();
    let lifted = turn.result_fields.iter().map(|field| &field.card_id);
    for (position, card_id) in turn.source_card_ids().chain(lifted).enumerate() {
        cards.entry(card_id.as_str()).or_insert(position);
    }
    cards
}

fn compare(
    sender: Option<&Turn>,
    receiver: &Turn,
    causes: &IndexMap<String, Cause>,
) -> (Vec<Shared>, Vec<Added>, Vec<Seen>) {
    let sent = sender.map(cards).unwrap_or_default();
    let received = cards(receiver);
    let mut shared = Vec::new();
    let mut added = Vec::new();
    for (&card_id, &position) in &received {
        match sent.get(card_id) {
            Some(&sender) => {
                shared.push(Shared { card_id: card_id.into(), sender, receiver: position });
            }
            None => added.push(Added {
                card_id: card_id.into(),
                position,
                cause: causes.get(card_id).cloned(),
            }),
        }
    }
    let kept = sent.iter().filter(|(card_id, _)| !received.contains_key(*card_id));
    let not_passed_on =
        kept.map(|(&card_id, &position)| Seen { card_id: card_id.into(), position }).collect();
    (shared, added, not_passed_on)
}
