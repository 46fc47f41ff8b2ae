//! The operation that stores cards.

use super::{CardLint, batch};
use crate::rule::ledger::Ledger;
use crate::rule::lint::Lint;
use crate::rule::{Cursor, Defaults, Outcome, Rule, Step, ready};
use crate::store::{Kind, Lookup, Snapshot, card_conflict};
use crate::value::arguments::{Argument, arguments};
use crate::value::card::{Card, NewCard, role_of_type};
use crate::value::env::Env;
use crate::value::id::CardId;
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::{Path, Result};
use serde::Serialize;

arguments! {
    /// Stores cards. A card without an id gets a new one. A card of a standard type without a role gets
    /// the role of its type. Storing an id again with the same content changes nothing. With other
    /// content it is a `conflict`, because cards never change.
    ///
    /// ```
    /// use tuckbox::cards::PutCards;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Content, Env, NewCard, Timestamp, rule};
    /// # let store = MemoryStore::new();
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let note = |text| NewCard::new("note", "agent_a", Content::text(text));
    /// let call = PutCards::new(vec![(None, note("gets an id")), (Some("n1".into()), note("brings its own"))]);
    /// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(preview.writes.cards.len(), 2);
    /// assert_eq!(preview.writes.cards[1].card_id, "n1");
    /// // a role that is not the role of the type is a lint
    /// # use tuckbox::cards::CardLint;
    /// let mut thought = NewCard::new("agent.thought", "agent_a", Content::text("Hm."));
    /// thought.metadata.insert("role".into(), "user".into());
    /// let call = PutCards::new(vec![(None, thought)]);
    /// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(preview.lints[0].code, CardLint::RoleMismatch);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct PutCards {
        /// The cards, in order.
        pub cards: Vec<CardToPut>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
        setting limits: Limits,
        setting reference_behavior: bool,
    }
}

/// A card to store, with its id if it has one.
///
/// Shown by the example of [`PutCards`].
#[derive(Clone, Debug, PartialEq)]
pub struct CardToPut {
    /// The id of the card. A new id by default.
    pub card_id: Option<CardId>,
    /// The card.
    pub card: NewCard,
}

shape! {
    /// A card that a call stores.
    pub struct CardToPut {
        /// The id of the card. A new id by default.
        pub card_id: Maybe<Option<CardId>>,
        /// The semantic type, such as `task.instruction`.
        pub r#type: String,
        /// The author, for audit only.
        pub author_id: String,
        pub content: OrText<NewContent>,
        /// Anything else, such as `role`.
        pub metadata: Maybe<Object>,
        pub tool_calls: Maybe<Option<Vec<Json>>>,
        pub tool_call_id: Maybe<Option<String>>,
        /// How long the card lives.
        pub ttl_seconds: Maybe<Loose<Option<i64>>>,
        /// Ignored: a card belongs to the project of the call.
        pub project_id: Maybe<String>,
        /// Ignored: a card is created at the time of the call.
        pub created_at: Maybe<Json>,
    }

    /// The content that a call can store. Files and tool definitions come from stores.
    #[serde(tag = "__type__")]
    pub enum NewContent {
        TextContent { text: String },
        JsonContent { data: Json },
        FieldsSchemaContent { fields: Vec<NewField> },
        ToolCallContent {
            tool_name: String,
            arguments: Json,
            status: String,
            target_subject: Maybe<Option<String>>,
        },
        ToolResultContent {
            status: String,
            after_execution: Word<"suspend", "terminate">,
            result: Maybe<Json>,
            error: Maybe<Json>,
        },
    }

    /// A field that a result must have.
    pub struct NewField {
        pub name: String,
        pub description: Maybe<String>,
    }
}

impl Argument for CardToPut {
    fn read(field: &Field<'_>) -> Result<Self> {
        let card_id = Option::read_member(&field.object()?, "card_id")?;
        Ok(Self { card_id, card: NewCard::from_wire(field)? })
    }
}

/// The result of `put_cards`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PutResult {
    /// The ids of the cards, in order.
    pub card_ids: Vec<CardId>,
}

impl PutCards {
    /// Creates a call that stores these cards under these ids.
    pub fn new(cards: Vec<(Option<CardId>, NewCard)>) -> Self {
        let cards = cards.into_iter().map(|(card_id, card)| CardToPut { card_id, card });
        let cards = cards.collect();
        let limits = Limits::default();
        Self { cards, operation_id: None, limits, reference_behavior: false }
    }

    /// Returns the call with the settings of a project.
    #[must_use]
    pub fn with_defaults(mut self, defaults: &Defaults) -> Self {
        self.limits = defaults.limits;
        self.reference_behavior = defaults.reference_behavior;
        self
    }
}

impl Rule for PutCards {
    type Value = PutResult;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<PutResult>>> {
        let named = self.cards.iter().filter_map(|put| put.card_id.as_ref()).map(CardId::as_str);
        ready!(Cursor::new(snapshot).want_all(Kind::Cards, named).step());
        let (mut writes, mut minter) = batch(self.operation_id.as_deref(), snapshot, env);
        let mut card_ids = Vec::with_capacity(self.cards.len());
        let mut put: StrMap<usize> = StrMap::new();
        let mut lints = Vec::new();
        for (index, CardToPut { card_id, card }) in self.cards.iter().enumerate() {
            let path = Path::root().key("cards").index(index);
            let card_id = card_id.clone().unwrap_or_else(|| minter.card_id());
            let card = match self.reference_behavior {
                true => card.clone(),
                false => with_role(card.clone(), &path, &mut lints),
            };
            let card = Card::make(card, snapshot.project_id(), card_id, env.now, &self.limits)
                .map_err(|error| error.within(&path))?;
            card_ids.push(card.card_id.clone());
            let in_batch = put.get(card.card_id.as_str()).and_then(|at| writes.cards.get(*at));
            let there = match (in_batch, snapshot.card(card.card_id.as_str())) {
                (Some(other), _) => Some(other),
                (None, Lookup::Present(there)) => Some(there),
                (None, Lookup::Failed(error)) => return Err(error.clone()),
                (None, Lookup::Absent | Lookup::NotRead) => None,
            };
            match there {
                None => {
                    put.insert(card.card_id.as_str(), writes.cards.len());
                    writes.cards.push(card);
                }
                Some(there) if there.same_content(&card) => {}
                Some(_) => return Err(card_conflict(&card).at(path)),
            }
        }
        let value = PutResult { card_ids };
        Ok(Step::Done(Outcome { value, writes, ledger: Ledger::default(), lints }))
    }
}

/// Returns the card with the role of its type, if it has none. Another role is a lint.
fn with_role(mut card: NewCard, path: &Path, lints: &mut Vec<Lint>) -> NewCard {
    let Some(role) = role_of_type(&card.card_type) else { return card };
    match card.metadata.get("role") {
        None => _ = card.metadata.insert("role".to_owned(), role.into()),
        Some(Json::String(own)) if own == role => {}
        Some(own) => {
            let message = format!(
                "expected the role `{role}` of type `{}`, found `{}`; the model sees the role",
                card.card_type,
                own.text_form()
            );
            let path = path.key("metadata").key("role");
            lints.push(Lint::new(CardLint::RoleMismatch, path, message));
        }
    }
    card
}
