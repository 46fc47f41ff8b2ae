//! What one context will hold: the value between whoever asks for a context and packing.
//!
//! [`PackContext`](super::PackContext) reads its JSON into a [`Plan`]; a recipe builds one from
//! what it has decided. Every path in a plan is a path of the caller's own value, so nothing is
//! renamed afterwards.

use super::{content, fault};
use crate::rule::audit::Authority;
use crate::rule::ledger::Dropped;
use crate::rule::lint::Lint;
use crate::rule::{Cursor, Dialect, Step};
use crate::store::{Kind, Snapshot};
use crate::value::card::{Content, NewCard};
use crate::value::id::BoxId;
use crate::value::json::{Json, Object, trim};
use crate::value::limits::Limits;
use crate::{Error, Path, Result};

/// One context to pack.
pub(crate) struct Plan<'a> {
    /// Who packs, and how.
    pub packer: Packer<'a>,
    /// The value that the arguments of this context stand in.
    pub path: Path,
    /// The name of the receiver's profile.
    pub target_name: String,
    /// The argument that names the receiver.
    pub target_key: &'a str,
    /// The cards that are made for the context.
    pub cards: Planned<PlannedCard<'a>>,
    /// The boxes whose cards it inherits.
    pub boxes: Planned<PlannedBox>,
    /// The switch that asks for a pointer to the parent.
    pub parent: Option<Path>,
    /// How much content the cards hold.
    pub bytes: usize,
}

/// Who packs, and how.
#[derive(Clone, Copy)]
pub(crate) struct Packer<'a> {
    /// The author of the new cards.
    pub author: &'a str,
    /// The agent that hands over.
    pub agent_id: &'a str,
    pub dialect: Dialect,
    pub limits: Limits,
    /// Whether to read every inherited card and report those that are gone.
    pub check_liveness: bool,
}

/// A list that was read up to its first fault.
pub(crate) struct Planned<T> {
    pub items: Vec<T>,
    /// What is wrong after the last item. It counts only once everything before it was right.
    pub fault: Option<Error>,
    pub dropped: Vec<Dropped>,
    pub lints: Vec<Lint>,
}

impl<T> Default for Planned<T> {
    fn default() -> Self {
        Self { items: Vec::new(), fault: None, dropped: Vec::new(), lints: Vec::new() }
    }
}

/// A card that will be made from an argument.
pub(crate) struct PlannedCard<'a> {
    pub card: NewCard,
    /// The argument's name in the ledger.
    pub arg_key: &'a str,
    /// The argument's name in the caller's value.
    pub own_key: &'a str,
    /// Why the card is made: the rule, or the argument itself.
    pub path: Path,
}

/// A box whose cards will be inherited.
#[derive(Clone)]
pub(crate) struct PlannedBox {
    pub box_id: BoxId,
    /// The value that names it.
    pub path: Path,
    /// Why it may be inherited.
    pub authority: Authority,
}

/// An argument that becomes a card.
pub(crate) struct Argument<'a> {
    pub arg_key: &'a str,
    pub own_key: &'a str,
    pub card_type: String,
    pub metadata: Object,
}

impl<'a> Plan<'a> {
    /// A context for the profile of this name that holds nothing yet.
    ///
    /// # Errors
    /// `bad_request` when the name is blank.
    pub fn new(
        packer: Packer<'a>,
        path: Path,
        target_key: &'a str,
        target_name: &str,
    ) -> Result<Self> {
        let target_name = trim(target_name);
        if target_name.is_empty() {
            return Err(Error::bad_request(
                "no target profile: neither `arguments.profile_name` nor \
                 `handover.target_profile_config.profile_name` names one",
            )
            .at(path.key(target_key)));
        }
        Ok(Self {
            packer,
            path,
            target_name: target_name.to_owned(),
            target_key,
            cards: Planned::default(),
            boxes: Planned::default(),
            parent: None,
            bytes: 0,
        })
    }

    /// Adds a card made from the value of an argument; `path` says why it is made.
    ///
    /// # Errors
    /// With the path of the value, when the call makes too much content or the card's type does not
    /// allow the value.
    pub fn add_argument(
        &mut self,
        argument: Argument<'a>,
        value: &Json,
        path: impl FnOnce() -> Path,
    ) -> Result<()> {
        let base = &self.path;
        let value_path = || base.key(argument.own_key);
        self.bytes += self.packer.limits.size(value);
        let within = self.packer.limits.check_bytes(self.bytes, &Path::root());
        within.map_err(|error| error.at(value_path()))?;
        let lints = &mut self.cards.lints;
        let content = content::of_value(&argument.card_type, value, value_path, lints)?;
        self.cards.items.push(PlannedCard {
            card: self.packer.card(argument.card_type, argument.metadata, content),
            arg_key: argument.arg_key,
            own_key: argument.own_key,
            path: path(),
        });
        Ok(())
    }

    /// The switch that asks for a pointer to the parent, where a recipe always asks for one.
    pub fn parent_switch() -> Path {
        fault::PARENT.clone()
    }

    /// Reads every row that packing looks up.
    pub fn read(&self, snapshot: &Snapshot) -> Step<()> {
        let box_ids = self.boxes.items.iter().map(|planned| planned.box_id.as_str());
        let mut cursor = Cursor::new(snapshot);
        cursor.want(Kind::Profiles, &self.target_name).want_all(Kind::Boxes, box_ids).step()
    }
}

impl Packer<'_> {
    fn card(&self, card_type: String, metadata: Object, content: Content) -> NewCard {
        NewCard { metadata, ..NewCard::new(card_type, self.author, content) }
    }
}
