//! What is looked at: what a call would make, what stands in a box, or what a turn reads.

use crate::agents::Setup;
use crate::agents::turn::{Side, Turn, TurnView};
use crate::cards::GetBoxes;
use crate::rule::hash::ContentHash;
use crate::rule::ledger::{BoxLedger, Cause, Dropped, Ledger};
use crate::rule::lint::Lint;
use crate::rule::{AnyOutcome, Call};
use crate::rule::{Outcome, Rule, Step};
use crate::store::{BoxChange, Lookup, Snapshot, Writes};
use crate::value::card::Card;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::Fields;
use crate::{Error, Path, Result};

/// What is looked at.
pub(super) enum Subject {
    /// What this call would make.
    Call { call: Call, path: Path },
    /// What stands in a box.
    Stored { box_id: BoxId, path: Path },
    /// What the model of a turn sees.
    Turn { view: Box<TurnView>, path: Path },
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
                let view =
                    TurnView::from_json(turn.json(), setup).map_err(|error| error.within(&path))?;
                Ok(Self::Turn { view: Box::new(view), path })
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

    /// The boxes behind it, as soon as everything is known that they depend on.
    pub fn see(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Seen>> {
        match self {
            Self::Call { call, path } => {
                Ok(match call.step(snapshot, env).map_err(|error| error.within(path))? {
                    Step::Need(reads) => Step::Need(reads),
                    Step::Done(outcome) => Step::Done(packed(outcome)?),
                })
            }
            Self::Stored { box_id, path } => stored(box_id, path, snapshot, env),
            Self::Turn { view, path } => {
                Ok(match view.step(snapshot, env).map_err(|error| error.within(path))? {
                    Step::Need(reads) => Step::Need(reads),
                    Step::Done(outcome) => Step::Done(of_turn(outcome, path)),
                })
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
    writes: Option<Writes>,
}

impl Seen {
    /// The cards that the call makes.
    pub fn made(&self) -> &[Card] {
        self.writes.as_ref().map_or(&[], |writes| &writes.cards)
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
    let Ledger { boxes: accounts, dropped, audit: _, transitions: _ } = ledger;
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
    Ok(Seen { boxes, dropped, lints, content_hash, writes: Some(writes) })
}

/// A turn as a list of cards; the account says which of its two boxes each stands in.
fn of_turn(outcome: Outcome<Turn>, path: &Path) -> Seen {
    let Outcome { value: turn, lints, .. } = outcome;
    let box_of = |side: Side| match side {
        Side::Context => turn.context_box_id.clone(),
        Side::Output => turn.output_box_id.clone(),
    };
    let card_ids: CardIds = turn.source_card_ids.iter().map(|id| id.as_str()).collect();
    let box_id = box_of(Side::Context).or(box_of(Side::Output)).unwrap_or(BoxId::from(""));
    let mut account = BoxLedger::new(box_id.clone(), card_ids.clone());
    let causes = turn.entries.iter().map(|entry| match entry.seat {
        Some(seat) => Cause::Inherited {
            box_id: box_of(seat.side).unwrap_or(BoxId::from("")),
            position: u32::try_from(seat.position).unwrap_or(u32::MAX),
            path: path.key(match seat.side {
                Side::Context => "context_box_id",
                Side::Output => "output_box_id",
            }),
        },
        None => Cause::Parent { path: path.clone() },
    });
    account.made(causes.collect());
    Seen {
        boxes: vec![Seat { box_id, card_ids, account: Some(account) }],
        dropped: Vec::new(),
        lints: lints.into_iter().map(|lint| Lint { path: path.join(&lint.path), ..lint }).collect(),
        content_hash: None,
        writes: None,
    }
}

fn stored(box_id: &BoxId, path: &Path, snapshot: &Snapshot, env: &Env) -> Result<Step<Seen>> {
    let absent = || {
        let project = snapshot.project_id();
        Error::not_found(format!("no box `{box_id}` in project `{project}`"))
            .at(path.clone())
            .detail("box_id", box_id.as_str())
    };
    match snapshot.card_box(box_id.as_str()) {
        Lookup::NotRead => match GetBoxes::new([box_id.clone()]).step(snapshot, env)? {
            Step::Need(reads) => Ok(Step::Need(reads)),
            Step::Done(_) => Err(absent()),
        },
        Lookup::Failed(error) => Err(error.clone()),
        Lookup::Absent => Err(absent()),
        Lookup::Present(card_box) => Ok(Step::Done(Seen {
            boxes: vec![Seat {
                box_id: box_id.clone(),
                card_ids: card_box.card_ids.clone(),
                account: None,
            }],
            dropped: Vec::new(),
            lints: Vec::new(),
            content_hash: None,
            writes: None,
        })),
    }
}
