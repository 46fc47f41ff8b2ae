//! What is looked at: what a call would make, what stands in a box, or what a turn reads.

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
use crate::store::{BoxChange, Overlay, Snapshot, Writes};
use crate::value::card::Card;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Fields, Json};
use crate::{Error, Path, Result};
use std::sync::Arc;

/// What is looked at.
pub(super) enum Subject {
    /// What this call would make.
    Call { call: Call, path: Path },
    /// What stands in a box.
    Stored { box_id: BoxId, path: Path },
    /// What the model of a turn sees. The call is that of a `turn_view`, read by its name: whoever
    /// looks at boxes does not need what turns are made with. The view is there for whoever asks
    /// for more than its cards.
    Turn { call: Call, view: Option<Box<TurnView>>, path: Path },
}

impl Subject {
    /// Reads `call`, `box_id` or `turn`, and only one of them, of an object.
    pub fn read(fields: &Fields<'_>, setup: &Setup) -> Result<Self> {
        match (fields.optional("call"), fields.optional("box_id"), fields.optional("turn")) {
            (Some(call), None, None) => {
                let path = fields.path().key("call");
                let call = setup.read_call(call.json()).map_err(|error| error.within(&path))?;
                Ok(Self::Call { call, path })
            }
            (None, None, Some(turn)) => {
                let path = turn.path();
                let mut named = turn.object()?.json().clone();
                named.remove("after");
                named.insert("op".into(), "turn_view".into());
                let call = setup.read_call(&Json::Object(named));
                let call = call.map_err(|error| error.within(&path))?;
                Ok(Self::Turn { call, view: None, path })
            }
            (None, Some(box_id), None) => {
                Ok(Self::Stored { box_id: BoxId::parse(&box_id)?, path: box_id.path() })
            }
            (None, None, None) => {
                Err(Error::bad_request("`call`, `box_id` or `turn` is missing").at(fields.path()))
            }
            (_, Some(second), _) | (_, _, Some(second)) => {
                Err(second.error("give one of `call`, `box_id` and `turn`"))
            }
        }
    }

    /// As [`read`](Self::read), with the view of a turn: see [`Seen::reader`].
    pub fn read_with_view(fields: &Fields<'_>, setup: &Setup) -> Result<Self> {
        let mut subject = Self::read(fields, setup)?;
        if let Self::Turn { view, path, .. } = &mut subject
            && let Some(turn) = fields.optional("turn")
        {
            let read = TurnView::from_json(turn.json(), setup);
            *view = Some(Box::new(read.map_err(|error| error.within(path))?));
        }
        Ok(subject)
    }

    /// The boxes behind it, as soon as everything is known that they depend on.
    pub fn see(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Seen>> {
        match self {
            Self::Call { call, path } => {
                let seen = call.step(snapshot, env).map_err(|error| error.within(path))?;
                packed(ready!(seen)).map(Step::Done)
            }
            Self::Stored { box_id, path } => stored(box_id, path, snapshot, env),
            Self::Turn { call, path, .. } => {
                let seen = call.step(snapshot, env).map_err(|error| error.within(path))?;
                let AnyOutcome { value, lints, .. } = ready!(seen);
                let turn = value.into_any().downcast::<Turn>();
                let none = || Error::bad_request("this is no turn").at(path.clone());
                let turn = turn.map_err(|_| none())?;
                Ok(Step::Done(of_turn(*turn, lints, path)))
            }
        }
    }
}

/// The new cards and the account of each box.
pub(super) struct Seen {
    pub boxes: Vec<Seat>,
    pub dropped: Vec<Dropped>,
    pub lints: Vec<Lint>,
    pub content_hash: Option<ContentHash>,
    audit: Vec<Arc<Audit>>,
    writes: Option<Writes>,
    turn: Option<Turn>,
}

impl Seen {
    /// The cards that the call makes.
    pub fn made(&self) -> &[Card] {
        self.writes.as_ref().map_or(&[], |writes| &writes.cards)
    }

    /// The turn whose model gets a box: the one that was asked for, or that of whoever receives
    /// the box.
    pub fn turn(
        &mut self,
        shown: usize,
        frame: &TurnView,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Turn, Vec<Lint>)>> {
        // what was noticed about a turn that was asked for stands in `lints` already
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
            // a box by itself has no profile, and nobody asked for one
            lints.retain(|lint| !(is_anonymous && lint.code == AgentLint::MissingProfile));
            (value, lints)
        }))
    }

    /// True when a turn was asked for, and no box.
    pub fn is_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// The box at this place.
    ///
    /// # Errors
    /// `bad_request` when there are fewer.
    pub fn seat(&self, shown: usize) -> Result<&Seat> {
        self.boxes.get(shown).ok_or_else(|| {
            let count = self.boxes.len();
            Error::bad_request(format!("there is no context {shown}: the call packs {count}"))
                .at(Path::root().key("shown"))
        })
    }

    /// The view of the turn that reads a box, or of the turn that was asked for.
    pub fn reader(&self, shown: usize, subject: &Subject, frame: &TurnView) -> Result<TurnView> {
        match subject {
            Subject::Turn { view: Some(view), .. } => Ok(TurnView::clone(view)),
            Subject::Turn { view: None, .. } | Subject::Call { .. } | Subject::Stored { .. } => {
                self.receiver(shown, frame)
            }
        }
    }

    /// The view of the turn that reads a box. A receiver that goes on with no output starts with
    /// none, whatever its state still says.
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

/// One box that is looked at.
pub(super) struct Seat {
    pub box_id: BoxId,
    pub card_ids: CardIds,
    pub account: Option<BoxLedger>,
}

fn packed(outcome: AnyOutcome) -> Result<Seen> {
    let content_hash = Some(outcome.content_hash()?);
    let AnyOutcome { value: _, writes, ledger, lints } = outcome;
    let Ledger { boxes: accounts, dropped, audit, transitions: _ } = ledger;
    let mut boxes: Vec<Seat> = accounts
        .into_iter()
        .map(|account| Seat {
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
            boxes.push(Seat { box_id, card_ids, account: None });
        }
    }
    Ok(Seen { boxes, dropped, lints, content_hash, audit, writes: Some(writes), turn: None })
}

/// A turn as a list of cards; the account says which of its two boxes each stands in. A prompt and
/// tools that were recorded stand in none: they are the system prompt and the tools, as they are
/// while nothing is recorded.
fn of_turn(mut turn: Turn, lints: Vec<Lint>, path: &Path) -> Seen {
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
    Seen {
        boxes: vec![Seat { box_id, card_ids, account: Some(account) }],
        dropped: Vec::new(),
        lints: lints.into_iter().map(|lint| Lint { path: path.join(&lint.path), ..lint }).collect(),
        content_hash: None,
        audit: Vec::new(),
        writes: None,
        turn: Some(turn),
    }
}

fn stored(box_id: &BoxId, path: &Path, snapshot: &Snapshot, env: &Env) -> Result<Step<Seen>> {
    let absent = || {
        let project = snapshot.project_id();
        Error::not_found(format!("no box `{box_id}` in project `{project}`"))
            .at(path.clone())
            .detail("box_id", box_id.as_str())
    };
    match snapshot.card_box(box_id.as_str()).known()? {
        None => GetBoxes::new([box_id.clone()]).step(snapshot, env)?.and_then(|_| Err(absent())),
        Some(None) => Err(absent()),
        Some(Some(card_box)) => Ok(Step::Done(Seen {
            boxes: vec![Seat {
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
