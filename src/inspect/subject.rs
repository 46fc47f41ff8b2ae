//! The subject of an inspection: a call, a box or a turn.

use crate::agents::AgentLint;
use crate::agents::Setup;
use crate::agents::turn::{Side, Turn, TurnView};
use crate::cards::GetBoxes;
use crate::rule::Dialect;
use crate::rule::audit::Audit;
use crate::rule::hash::ContentHash;
use crate::rule::ledger::{BoxLedger, Cause, Dropped, Ledger};
use crate::rule::lint::Lint;
use crate::rule::{AnyOutcome, Call, ready};
use crate::rule::{Outcome, Rule, Step};
use crate::store::{BoxChange, Overlay, Presence, Snapshot, Writes};
use crate::value::arguments::{Argument, Arguments};
use crate::value::card::Card;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Field, Fields, Json, Object};
use crate::{Error, Path, Result};
use std::sync::Arc;

/// A call, a stored box or a turn: the subject of an inspection.
///
/// ```
/// use tuckbox::inspect::{Inspect, Subject};
/// use tuckbox::json;
/// use tuckbox::value::arguments::Arguments;
///
/// let mut keys = Vec::new();
/// Subject::add_keys(&mut keys);
/// assert_eq!(keys, ["call", "box_id", "turn"]);
/// let two = json!({"box_id": "notes", "turn": {"agent_id": "ann"}});
/// assert_eq!(Inspect::from_json(&two).err().unwrap().path().to_string(), "box_id");
/// ```
pub struct Subject(Kind);

enum Kind {
    /// What a call packs.
    Call { call: NamedCall, path: Path },
    /// The content of a box.
    Stored { box_id: BoxId, path: Path },
    /// What the model of a turn sees. The call is read by its name, so that boxes do not load the code
    /// of turns. The view is read only where more than the cards is needed.
    Turn { call: NamedCall, view: Option<Box<TurnView>>, path: Path },
}

/// A call as JSON, and as it is read with the settings of the project.
struct NamedCall {
    json: Json,
    read: Option<Call>,
}

shape! {
    /// A call, a stored box or a turn: the subject of an inspection.
    #[serde(untagged)]
    pub enum Subject {
        Call {
            /// The call to preview, with its name under `op`.
            call: OrText<CallWithName>,
            box_id: Maybe<()>,
            turn: Maybe<()>,
        },
        Stored {
            /// The box to show.
            box_id: BoxId,
            call: Maybe<()>,
            turn: Maybe<()>,
        },
        Turn {
            /// The arguments of `turn_view`, without `after`.
            turn: Object,
            call: Maybe<()>,
            box_id: Maybe<()>,
        },
    }

    pub struct CallWithName {
        pub op: String,
        #[serde(flatten)]
        pub arguments: Object,
    }
}

const KEYS: [&str; 3] = ["call", "box_id", "turn"];

impl Arguments for Subject {
    fn has_key(key: &str) -> bool {
        KEYS.contains(&key)
    }

    fn add_keys(keys: &mut Vec<&'static str>) {
        keys.extend(KEYS);
    }

    fn from_fields(fields: &Fields<'_>) -> Result<Self> {
        let named = |field: &Field<'_>| {
            let json = Json::Object(Object::read(field)?);
            Ok(NamedCall { json, read: None })
        };
        match KEYS.map(|key| fields.optional(key)) {
            [Some(call), None, None] => {
                Ok(Self(Kind::Call { call: named(&call)?, path: call.path() }))
            }
            [None, Some(box_id), None] => {
                Ok(Self(Kind::Stored { box_id: BoxId::read(&box_id)?, path: box_id.path() }))
            }
            [None, None, Some(turn)] => {
                let mut call = named(&turn)?;
                if let Json::Object(named) = &mut call.json {
                    named.remove("after");
                    named.insert("op".into(), "turn_view".into());
                }
                Ok(Self(Kind::Turn { call, view: None, path: turn.path() }))
            }
            [None, None, None] => {
                let path = fields.path().key("box_id");
                Err(Error::bad_request("`call`, `box_id` or `turn` is missing").at(path))
            }
            [_, Some(second), _] | [_, _, Some(second)] => {
                Err(second.error("only one of `call`, `box_id` and `turn` can be given"))
            }
        }
    }
}

impl NamedCall {
    fn read(&mut self, setup: &Setup, path: &Path) -> Result<()> {
        let read = setup.read_call(&self.json).map_err(|error| error.within(path))?;
        self.read = Some(read);
        Ok(())
    }

    fn step(&self, path: &Path, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>> {
        let step = match &self.read {
            Some(call) => call.step(snapshot, env),
            None => {
                Setup::default().read_call(&self.json).and_then(|call| call.step(snapshot, env))
            }
        };
        step.map_err(|error| error.within(path))
    }
}

impl Subject {
    /// Reads the call with the settings of the project.
    ///
    /// # Errors
    /// Any error of the call, with a path below `call` or `turn`.
    pub(super) fn with_setup(mut self, setup: &Setup) -> Result<Self> {
        match &mut self.0 {
            Kind::Call { call, path } | Kind::Turn { call, path, .. } => call.read(setup, path)?,
            Kind::Stored { .. } => {}
        }
        Ok(self)
    }

    /// As [`with_setup`](Self::with_setup); also reads the view of a turn: see [`SubjectContent::reader`].
    pub(super) fn with_view(self, setup: &Setup) -> Result<Self> {
        let mut subject = self.with_setup(setup)?;
        if let Kind::Turn { call, view, path } = &mut subject.0 {
            let read = TurnView::from_json(&call.json, setup);
            *view = Some(Box::new(read.map_err(|error| error.within(path))?));
        }
        Ok(subject)
    }

    /// Returns the boxes of the subject, once everything that they depend on is read.
    pub(super) fn see(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<SubjectContent>> {
        match &self.0 {
            Kind::Call { call, path } => {
                packed(ready!(call.step(path, snapshot, env)?)).map(Step::Done)
            }
            Kind::Stored { box_id, path } => stored(box_id, path, snapshot, env),
            Kind::Turn { call, path, .. } => {
                let AnyOutcome { value, lints, .. } = ready!(call.step(path, snapshot, env)?);
                let turn = value.into_any().downcast::<Turn>();
                let other =
                    || Error::bad_request("the call does not return a turn").at(path.clone());
                let turn = turn.map_err(|_| other())?;
                Ok(Step::Done(of_turn(*turn, lints, path)))
            }
        }
    }
}

/// The boxes of a subject, with their ledgers.
pub(super) struct SubjectContent {
    pub boxes: Vec<SubjectBox>,
    pub dropped: Vec<Dropped>,
    pub lints: Vec<Lint>,
    pub content_hash: Option<ContentHash>,
    audit: Vec<Arc<Audit>>,
    writes: Option<Writes>,
    turn: Option<Turn>,
}

impl SubjectContent {
    /// The cards that the call makes.
    pub fn made(&self) -> &[Card] {
        self.writes.as_ref().map_or(&[], |writes| &writes.cards)
    }

    /// Returns the turn whose model gets a box: the turn of the subject, or that of the receiver.
    pub fn turn(
        &mut self,
        shown: usize,
        frame: &TurnView,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Turn, Vec<Lint>)>> {
        // the lints of a turn of the subject are in `lints` already
        if let Some(turn) = self.turn.take() {
            return Ok(Step::Done((turn, Vec::new())));
        }
        let view = self.receiver(shown, frame)?;
        let overlay = match &self.writes {
            Some(writes) => Overlay::after(snapshot, writes),
            None => Overlay::of(snapshot),
        };
        let is_anonymous = view.profile_box_id.is_none();
        Ok(view.look(&overlay, env)?.map(|Outcome { value, mut lints, .. }| {
            // a stored box has no profile, so its absence is not a problem
            lints.retain(|lint| !(is_anonymous && lint.code == AgentLint::MissingProfile));
            (value, lints)
        }))
    }

    /// Returns true if the subject is a turn.
    pub fn is_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// Returns the box with an index.
    ///
    /// # Errors
    /// `bad_request` if there is no such box.
    pub fn seat(&self, shown: usize) -> Result<&SubjectBox> {
        self.boxes.get(shown).ok_or_else(|| {
            let count = self.boxes.len();
            Error::bad_request(format!(
                "no context `{shown}`; the call packs {count}, numbered from 0"
            ))
            .at(Path::root().key("shown"))
        })
    }

    /// Returns the view of the turn that reads a box, or the turn of the subject.
    pub fn reader(&self, shown: usize, subject: &Subject, frame: &TurnView) -> Result<TurnView> {
        match &subject.0 {
            Kind::Turn { view: Some(view), .. } => Ok(TurnView::clone(view)),
            Kind::Turn { view: None, .. } | Kind::Call { .. } | Kind::Stored { .. } => {
                self.receiver(shown, frame)
            }
        }
    }

    /// Returns the view of the turn that reads a box. A receiver without an output box starts
    /// without output, regardless of its state.
    fn receiver(&self, shown: usize, frame: &TurnView) -> Result<TurnView> {
        let box_id = &self.seat(shown)?.box_id;
        let context_box_id = Some(box_id.clone());
        let packed = self.audit.iter().find(|audit| &audit.context_box_id == box_id);
        Ok(match packed {
            None => TurnView { context_box_id, ..frame.clone() },
            Some(audit) => TurnView {
                agent_id: audit.target_agent_id.clone(),
                context_box_id,
                output_box_id: audit.target_output_box_id.clone().or(Some(BoxId::from(""))),
                profile_box_id: Some(audit.target_profile_box_id.clone()),
                display_name: audit.target_display_name.clone(),
                dialect: Dialect::named(audit.dialect).unwrap_or(frame.dialect),
                ..frame.clone()
            },
        })
    }
}

/// A box of a subject.
pub(super) struct SubjectBox {
    pub box_id: BoxId,
    pub card_ids: CardIds,
    pub account: Option<BoxLedger>,
}

fn packed(outcome: AnyOutcome) -> Result<SubjectContent> {
    let content_hash = Some(outcome.content_hash()?);
    let AnyOutcome { value: _, writes, ledger, lints } = outcome;
    let Ledger { boxes: accounts, dropped, audit, transitions: _ } = ledger;
    let mut boxes: Vec<SubjectBox> = accounts
        .into_iter()
        .map(|account| SubjectBox {
            box_id: account.box_id().clone(),
            card_ids: account.card_ids().clone(),
            account: Some(account),
        })
        .collect();
    for change in &writes.boxes {
        if let BoxChange::Create { card_box } = change
            && !boxes.iter().any(|seat| seat.box_id == card_box.box_id)
        {
            let (box_id, card_ids) = (card_box.box_id.clone(), card_box.card_ids.clone());
            boxes.push(SubjectBox { box_id, card_ids, account: None });
        }
    }
    Ok(SubjectContent {
        boxes,
        dropped,
        lints,
        content_hash,
        audit,
        writes: Some(writes),
        turn: None,
    })
}

/// Returns a turn as a list of cards. The ledger names the box of each. A recorded prompt and
/// recorded tools are in no box.
fn of_turn(mut turn: Turn, lints: Vec<Lint>, path: &Path) -> SubjectContent {
    turn.entries.retain(|entry| entry.seat.is_some());
    let box_of = |side: Side| match side {
        Side::Context => turn.context_box_id.clone(),
        Side::Output => turn.output_box_id.clone(),
    };
    let card_ids: CardIds = turn.source_card_ids().map(|id| id.as_str()).collect();
    let box_id = box_of(Side::Context).or(box_of(Side::Output)).unwrap_or(BoxId::from(""));
    let mut account = BoxLedger::new(box_id.clone(), card_ids.clone());
    let seats = turn.entries.iter().filter_map(|entry| entry.seat);
    let causes = seats.map(|seat| Cause::Inherited {
        box_id: box_of(seat.side).unwrap_or(BoxId::from("")),
        position: u32::try_from(seat.position).unwrap_or(u32::MAX),
        path: path.key(match seat.side {
            Side::Context => "context_box_id",
            Side::Output => "output_box_id",
        }),
    });
    account.made(causes.collect());
    SubjectContent {
        boxes: vec![SubjectBox { box_id, card_ids, account: Some(account) }],
        dropped: Vec::new(),
        lints: lints.into_iter().map(|lint| Lint { path: path.join(&lint.path), ..lint }).collect(),
        content_hash: None,
        audit: Vec::new(),
        writes: None,
        turn: Some(turn),
    }
}

fn stored(
    box_id: &BoxId,
    path: &Path,
    snapshot: &Snapshot,
    env: &Env,
) -> Result<Step<SubjectContent>> {
    let absent = || {
        let project = snapshot.project_id();
        Error::not_found(format!("no box `{box_id}` in project `{project}`"))
            .at(path.clone())
            .detail("box_id", box_id.as_str())
    };
    match snapshot.card_box(box_id.as_str()).known()? {
        Presence::Unread => {
            GetBoxes::new([box_id.clone()]).step(snapshot, env)?.and_then(|_| Err(absent()))
        }
        Presence::Read(None) => Err(absent()),
        Presence::Read(Some(card_box)) => Ok(Step::Done(SubjectContent {
            boxes: vec![SubjectBox {
                box_id: box_id.clone(),
                card_ids: card_box.card_ids.clone(),
                account: None,
            }],
            dropped: Vec::new(),
            lints: Vec::new(),
            content_hash: None,
            audit: Vec::new(),
            writes: None,
            turn: None,
        })),
    }
}
