//! `pack_context`: the one way context goes from one agent to another.
//!
//! A call names a target profile, turns some of its arguments into cards, inherits the cards of
//! other boxes, and may add a pointer to the parent. Out comes a new context box. What the call
//! may say is a [`PackContext`]; what comes out is a [`Packed`] with a ledger that explains every
//! position. It takes at most two rounds of reads, however many boxes there are.
//!
//! *Architecture invariant:* nothing here knows about recipes. A recipe builds the arguments and
//! the handover, and comes through this door like everybody else.

mod arguments;
pub mod builder;
mod handover;
mod inherit;
mod liveness;

pub(crate) use inherit::Merges;

use crate::rule::Defaults;
use crate::rule::audit::{self, Audit};
use crate::rule::ledger::{BoxLedger, Ledger};
use crate::rule::lint::Lint;
use crate::rule::{Dialect, Outcome, Relied, Rule, Step};
use crate::store::{BoxChange, Expectation, Kind, Reads, Snapshot, Writes};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::env::{Env, Minter};
use crate::value::id::BoxId;
use crate::value::ids::CardIds;
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;
use crate::{Error, Path, Result};
use handover::Handover;
use serde::Serialize;

/// A call of `pack_context`.
#[derive(Clone, Debug, PartialEq)]
pub struct PackContext {
    /// Which tool packs: the author of the new cards.
    pub tool_suffix: String,
    /// Which agent hands over.
    pub source_agent_id: String,
    /// The arguments of the tool call.
    pub arguments: Json,
    /// The packing rules.
    pub handover: Json,
    /// The rule dialect.
    pub dialect: Dialect,
    /// Whether to read every inherited card and report those that are gone.
    pub check_liveness: bool,
    /// The id under which the commit applies once; minted when absent.
    pub operation_id: Option<String>,
    /// What a new card may hold.
    pub limits: Limits,
}

/// A packed context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Packed {
    /// The new box.
    pub context_box_id: BoxId,
    /// The target's profile.
    pub target_profile_box_id: BoxId,
    /// The target's profile name, in its own case.
    pub profile_name: String,
    /// The cards of the new box, in order.
    pub attached_card_ids: CardIds,
}

impl PackContext {
    /// A call with the default dialect and limits.
    pub fn new(
        tool_suffix: impl Into<String>,
        source_agent_id: impl Into<String>,
        arguments: impl Into<Json>,
        handover: impl Into<Json>,
    ) -> Self {
        Self {
            tool_suffix: tool_suffix.into(),
            source_agent_id: source_agent_id.into(),
            arguments: arguments.into(),
            handover: handover.into(),
            dialect: Dialect::default(),
            check_liveness: false,
            operation_id: None,
            limits: Limits::default(),
        }
    }

    /// Reads a call: `{"tool_suffix", "source_agent_id", "arguments", "handover", "dialect"?,
    /// "check_liveness"?, "operation_id"?}`.
    ///
    /// # Errors
    /// `bad_request` with the path of what is missing, mistyped or unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Defaults::default())
    }

    /// As [`PackContext::from_json`], where a call that names no dialect gets that of `defaults`.
    ///
    /// # Errors
    /// As [`PackContext::from_json`].
    pub fn from_json_with(json: &Json, defaults: &Defaults) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&[
            "op",
            "tool_suffix",
            "source_agent_id",
            "arguments",
            "handover",
            "dialect",
            "check_liveness",
            "operation_id",
        ])?;
        Ok(Self {
            dialect: match call.optional("dialect") {
                Some(dialect) => Dialect::from_json(Some(dialect))?,
                None => defaults.dialect,
            },
            limits: defaults.limits,
            check_liveness: call
                .optional("check_liveness")
                .map_or(Ok(false), |field| field.boolean())?,
            operation_id: call
                .optional("operation_id")
                .map(|field| field.string().map(str::to_owned))
                .transpose()?,
            ..Self::new(
                call.required("tool_suffix")?.string()?,
                call.required("source_agent_id")?.string()?,
                call.required("arguments")?.json().clone(),
                call.required("handover")?.json().clone(),
            )
        })
    }
}

/// One packed context before it is put into a batch: recipes collect several of these.
#[derive(Clone, Debug)]
pub(crate) struct PackedBox {
    pub packed: Packed,
    pub cards: Vec<Card>,
    pub card_box: CardBox,
    pub expects: Vec<Expectation>,
    pub ledger: Ledger,
    pub lints: Vec<Lint>,
    /// How much content its cards hold.
    pub bytes: usize,
}

/// Where a draft stands.
pub(crate) enum PackStep {
    /// It needs these reads first.
    Need(Reads),
    /// Here it is.
    Done(Box<PackedBox>),
}

impl PackContext {
    /// Names everything this call can name, as far as it is not known yet.
    pub(crate) fn requirements(&self, snapshot: &Snapshot) -> Reads {
        let mut reads = Reads::new(snapshot.project_id().clone());
        if let Ok(handover) = Handover::read(self) {
            if let Ok(name) = handover.target_name() {
                reads.add(Kind::Profiles, &name);
            }
            for (box_id, _) in handover.inherited_ids().ids {
                reads.add(Kind::Boxes, &box_id);
            }
        }
        snapshot.unread(&reads)
    }

    /// Packs, or says what is missing. Ids come from `minter` in the order they are made.
    pub(crate) fn draft(
        &self,
        snapshot: &Snapshot,
        minter: &mut Minter,
        env: &Env,
        merges: &mut Merges,
    ) -> Result<PackStep> {
        let source_agent_id = self.dialect.id(&self.source_agent_id, "source_agent_id")?;
        let handover = Handover::read(self)?;
        let name = handover.target_name()?;
        let reads = self.requirements(snapshot);
        if !reads.is_empty() {
            return Ok(PackStep::Need(reads));
        }
        let profile = handover.target(snapshot, &name)?;
        let mut relied = Relied::default();

        // which of the two fails first is part of the dialect
        let maker =
            arguments::Maker { call: self, project_id: snapshot.project_id(), now: env.now };
        let (inherited, mut made) = if self.dialect.inherited_first {
            let inherited = handover.inherit(snapshot, merges)?;
            (inherited, handover.make_cards(&maker, minter)?)
        } else {
            let made = handover.make_cards(&maker, minter)?;
            (handover.inherit(snapshot, merges)?, made)
        };
        let parent = handover.parent_pointer(&maker, minter, source_agent_id, &mut made.lints)?;
        let box_id = minter.box_id();
        let Some(profile_box_id) = profile.profile_box_id.clone() else {
            return Err(Error::bad_request(format!(
                "profile `{}` is registered without a profile box",
                profile.name
            ))
            .at(Path::root().key("arguments").key("profile_name")));
        };

        relied.on_all(inherited.expects.iter().cloned()).on(snapshot, Kind::Profiles, &name);

        let mut lints = made.lints;
        lints.extend(inherited.lints.iter().cloned());
        if self.check_liveness {
            match liveness::check(&inherited, snapshot, env)? {
                Step::Need(reads) => return Ok(PackStep::Need(reads)),
                Step::Done(found) => lints.extend(found),
            }
        }

        let new_ids = made.cards.iter().chain(parent.as_ref().map(|(card, _)| card));
        let (names, mut symbols) =
            snapshot.names().extended(new_ids.map(|card| card.card_id.as_str()));
        let parent_symbol = if parent.is_some() { symbols.pop() } else { None };
        let total = symbols.len() + inherited.merged.kept.len() + 1;
        self.limits.check_ids(total, &Path::root().key("arguments"))?;
        let mut order = Vec::with_capacity(total);
        if self.dialect.inherited_first {
            order.extend_from_slice(&inherited.merged.kept);
            order.append(&mut symbols);
        } else {
            order.append(&mut symbols);
            order.extend_from_slice(&inherited.merged.kept);
        }
        order.extend(parent_symbol);
        let card_ids = CardIds::new(names, order);

        let mut account = BoxLedger::new(box_id.clone(), card_ids.clone());
        if self.dialect.inherited_first {
            account.merged(inherited.sources, inherited.merged).made(made.causes);
        } else {
            account.made(made.causes).merged(inherited.sources, inherited.merged);
        }
        let mut cards = made.cards;
        if let Some((card, cause)) = parent {
            account.made(vec![cause]);
            cards.push(card);
        }
        let mut dropped = made.dropped;
        dropped.extend(inherited.dropped);
        let audit = Audit {
            context_box_id: box_id.clone(),
            packed_by: source_agent_id.to_owned(),
            tool_suffix: self.tool_suffix.clone(),
            recipe: None,
            dialect: self.dialect.name,
            target_profile: profile.name.clone(),
            target_profile_box_id: profile_box_id.clone(),
            target_agent_id: None,
            target_output_box_id: None,
            target_display_name: None,
            permission: None,
            sources: inherited.audit,
        };

        Ok(PackStep::Done(Box::new(PackedBox {
            packed: Packed {
                context_box_id: box_id.clone(),
                target_profile_box_id: profile_box_id,
                profile_name: profile.name.clone(),
                attached_card_ids: card_ids.clone(),
            },
            cards,
            card_box: CardBox::new(box_id, card_ids).with_parents(audit.parents()),
            expects: relied.into_expects(),
            ledger: Ledger {
                boxes: vec![account],
                dropped,
                audit: vec![audit],
                ..Ledger::default()
            },
            lints,
            bytes: made.bytes,
        })))
    }
}

impl Rule for PackContext {
    type Value = Packed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Packed>>> {
        let mut minter = env.minter();
        let operation_id = match &self.operation_id {
            Some(operation_id) => operation_id.clone(),
            None => minter.uuid().to_string(),
        };
        let draft = match self.draft(snapshot, &mut minter, env, &mut Merges::default())? {
            PackStep::Need(reads) => return Ok(Step::Need(reads)),
            PackStep::Done(draft) => draft,
        };
        let mut writes = Writes::new(snapshot.project_id().clone(), operation_id, env.now);
        writes.cards = draft.cards;
        writes.expects = draft.expects;
        writes.boxes.push(BoxChange::Create { card_box: draft.card_box });
        audit::keep(&draft.ledger.audit, &mut writes)?;
        Ok(Step::Done(Outcome {
            value: draft.packed,
            writes,
            ledger: draft.ledger,
            lints: draft.lints,
        }))
    }
}
