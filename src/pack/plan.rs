//! A plan of one context: the receiver, the cards to make and the boxes to inherit.
//!
//! [`PackContext`](super::PackContext) reads its JSON into a [`Plan`]; a recipe builds one from its
//! own arguments. Every path in a plan is a path of the caller's value.

use super::{content, problem};
use crate::rule::audit::Authority;
use crate::rule::ledger::Dropped;
use crate::rule::lint::Lint;
use crate::rule::{Cursor, Dialect, Step, Warrant};
use crate::store::{Kind, Snapshot};
use crate::value::card::{Content, NewCard};
use crate::value::id::BoxId;
use crate::value::json::{Json, Object, trim};
use crate::value::limits::Limits;
use crate::{Error, Path, Result};

/// One context to pack.
pub(crate) struct Plan<'a> {
    /// The sender and its settings.
    pub packer: Packer<'a>,
    /// The path of the arguments of this context.
    pub path: Path,
    /// The name of the receiver's profile.
    pub target_name: String,
    /// The argument that names the receiver.
    pub target_key: &'a str,
    /// The cards to make.
    pub cards: Planned<PlannedCard<'a>>,
    /// The boxes to inherit.
    pub boxes: Planned<PlannedBox>,
    /// The path of the switch for a pointer to the parent, if it is on.
    pub parent: Option<Path>,
    /// The size of the content of the cards.
    pub bytes: usize,
}

/// The sender of a context and its settings.
#[derive(Clone, Copy)]
pub(crate) struct Packer<'a> {
    /// The author of the new cards.
    pub author: &'a str,
    /// The agent that delegates.
    pub agent_id: &'a str,
    pub dialect: Dialect,
    pub limits: Limits,
    /// Reads every inherited card and reports those that are missing, deleted or expired.
    pub check_liveness: bool,
    /// The boxes that the project lets the sender pass on; `None` for every box, or if a recipe has
    /// checked them.
    pub warrant: Option<&'a Warrant>,
}

/// A list that was read up to its first error.
pub(crate) struct Planned<T> {
    pub items: Vec<T>,
    /// The error after the last item. It counts only if everything before it is correct.
    pub error: Option<Error>,
    pub dropped: Vec<Dropped>,
    pub lints: Vec<Lint>,
}

impl<T> Default for Planned<T> {
    fn default() -> Self {
        Self { items: Vec::new(), error: None, dropped: Vec::new(), lints: Vec::new() }
    }
}

/// A card to make from an argument.
pub(crate) struct PlannedCard<'a> {
    pub card: NewCard,
    /// The argument's name in the ledger.
    pub arg_key: &'a str,
    /// The argument's name in the caller's value.
    pub own_key: &'a str,
    /// The path of the rule, or of the argument itself.
    pub path: Path,
}

/// A box to inherit.
#[derive(Clone)]
pub(crate) struct PlannedBox {
    pub box_id: BoxId,
    /// The path of the value that names it.
    pub path: Path,
    /// The authority over the box.
    pub authority: Authority,
}

/// An argument that becomes a card.
pub(crate) struct PlannedArgument<'a> {
    pub arg_key: &'a str,
    pub own_key: &'a str,
    pub card_type: String,
    pub metadata: Object,
}

impl<'a> Plan<'a> {
    /// Returns an empty plan for the profile of this name.
    ///
    /// # Errors
    /// `bad_request` if the name is blank.
    pub fn new(
        packer: Packer<'a>,
        path: Path,
        target_key: &'a str,
        target_name: &str,
    ) -> Result<Self> {
        let target_name = trim(target_name);
        if target_name.is_empty() {
            return Err(Error::bad_request(
                "no target profile; set `arguments.profile_name` or \
                 `handover.target_profile_config.profile_name`",
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

    /// Adds a card for the value of an argument. `path` is the path of the rule that makes it.
    ///
    /// # Errors
    /// With the path of the value, if the call makes too much content or the type of the card does
    /// not allow the value.
    pub fn add_argument(
        &mut self,
        argument: PlannedArgument<'a>,
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

    /// Returns the path of the switch for a pointer to the parent, for recipes that always add one.
    pub fn parent_switch() -> Path {
        problem::PARENT.clone()
    }

    /// Reads every row that packing needs.
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
