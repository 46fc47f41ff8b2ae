//! Handovers made in Rust: the packing rules of a call, field by field.
//!
//! ```
//! use tuckbox::{Handover, Json};
//!
//! let handover = Handover::builder().argument("instruction").inherit("boxes").include_parent().build();
//! assert!(Json::from(handover).to_string().contains(r#""include_parent":true"#));
//! ```

use crate::Result;
use crate::value::arguments::Argument;
use crate::value::id::BoxId;
use crate::value::json::{Field, Json, Object};

/// The rules of one packing: which arguments become cards, and which boxes are inherited.
///
/// It holds the JSON of the call. [`PackContext::new`](super::PackContext::new) takes it, or any JSON.
///
/// ```
/// use tuckbox::{Handover, json};
///
/// let role = json!({"role": "user"}).as_object().cloned().unwrap();
/// let handover = Handover::builder()
///     .target_profile("reviewer")
///     .argument("instruction")
///     .argument_as("fields", "task.result_fields")
///     .argument_with("hint", "task.hint", role)
///     .inherit("boxes")
///     .include_parent()
///     .build();
/// assert_eq!(handover.json(), &json!({
///     "target_profile_config": {"profile_name": "reviewer"},
///     "context_packing_config": {
///         "pack_arguments": [
///             {"arg_key": "instruction"},
///             {"arg_key": "fields", "as_card_type": "task.result_fields"},
///             {"arg_key": "hint", "as_card_type": "task.hint", "card_metadata": {"role": "user"}}
///         ],
///         "inherit_context": {"include_boxes_from_args": ["boxes"], "include_parent": true}
///     }
/// }));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Handover(Json);

shape! {
    /// The rules of one packing: which arguments become cards, and which boxes are inherited. The
    /// reader also accepts values of other types; a value or a key that it ignores is a lint.
    pub type Handover = Loose<HandoverRules>;

    pub struct HandoverRules {
        /// The profile of the receiver, for calls whose arguments have no `profile_name`.
        pub target_profile_config: Maybe<TargetProfile>,
        /// What goes into the context.
        pub context_packing_config: Maybe<ContextPacking>,
        /// The boxes that can be inherited, in the dialects that check it.
        pub authorized_inherit_box_ids: Maybe<Vec<String>>,
        /// Data of the host. Packing ignores it.
        pub metadata: Maybe<Object>,
    }

    pub struct TargetProfile {
        /// The name of the profile.
        pub profile_name: Maybe<String>,
    }

    pub struct ContextPacking {
        /// One rule for each argument that becomes a card, in order.
        pub pack_arguments: Maybe<Vec<PackingRule>>,
        /// What the context takes over from the sender.
        pub inherit_context: Maybe<Inheritance>,
    }

    pub struct PackingRule {
        /// The argument. A rule for a missing argument makes no card.
        pub arg_key: String,
        /// The type of the card. `task.instruction` by default.
        pub as_card_type: Maybe<String>,
        /// The metadata of the card. The `role` is `user` by default.
        pub card_metadata: Maybe<Object>,
    }

    pub struct Inheritance {
        /// The arguments that name a box, or a list of boxes, whose cards are inherited.
        pub include_boxes_from_args: Maybe<Vec<String>>,
        /// Ends the context with a pointer to the agent that delegates.
        pub include_parent: Maybe<bool>,
    }
}

impl Argument for Handover {
    fn read(field: &Field<'_>) -> Result<Self> {
        Ok(Self(field.json().clone()))
    }
}

impl Handover {
    /// Returns a builder of a handover that packs nothing.
    pub fn builder() -> HandoverBuilder {
        HandoverBuilder::default()
    }

    /// Returns the JSON of the handover.
    pub fn json(&self) -> &Json {
        &self.0
    }
}

impl From<Json> for Handover {
    fn from(json: Json) -> Self {
        Self(json)
    }
}

impl From<Object> for Handover {
    fn from(object: Object) -> Self {
        Self(Json::Object(object))
    }
}

impl From<Handover> for Json {
    fn from(handover: Handover) -> Self {
        handover.0
    }
}

/// Builds a [`Handover`].
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct HandoverBuilder {
    target_profile: Option<String>,
    arguments: Vec<Object>,
    inherited: Vec<String>,
    include_parent: bool,
    authorized: Option<Vec<BoxId>>,
}

impl HandoverBuilder {
    /// Sets the receiver's profile, for calls whose arguments do not name one.
    pub fn target_profile(mut self, name: impl Into<String>) -> Self {
        self.target_profile = Some(name.into());
        self
    }

    /// Makes a card of type `task.instruction` from this argument, if the call has it.
    pub fn argument(self, key: impl Into<String>) -> Self {
        self.pack(key.into(), None, None)
    }

    /// Makes a card of another type from this argument.
    pub fn argument_as(self, key: impl Into<String>, card_type: impl Into<String>) -> Self {
        self.pack(key.into(), Some(card_type.into()), None)
    }

    /// Makes a card of another type, with metadata, from this argument.
    pub fn argument_with(
        self,
        key: impl Into<String>,
        card_type: impl Into<String>,
        metadata: Object,
    ) -> Self {
        self.pack(key.into(), Some(card_type.into()), Some(metadata))
    }

    fn pack(mut self, key: String, card_type: Option<String>, metadata: Option<Object>) -> Self {
        let mut rule = Object::default();
        rule.insert("arg_key".to_owned(), key.into());
        if let Some(card_type) = card_type {
            rule.insert("as_card_type".to_owned(), card_type.into());
        }
        if let Some(metadata) = metadata {
            rule.insert("card_metadata".to_owned(), metadata.into());
        }
        self.arguments.push(rule);
        self
    }

    /// Inherits the cards of the box, or the list of boxes, that this argument names.
    pub fn inherit(mut self, key: impl Into<String>) -> Self {
        self.inherited.push(key.into());
        self
    }

    /// Ends the context with a pointer to the agent that delegates.
    pub fn include_parent(mut self) -> Self {
        self.include_parent = true;
        self
    }

    /// Lists the boxes that can be inherited, for the dialects that check authority.
    pub fn authorize<I: Into<BoxId>>(mut self, boxes: impl IntoIterator<Item = I>) -> Self {
        let listed = self.authorized.get_or_insert_default();
        listed.extend(boxes.into_iter().map(Into::into));
        self
    }

    /// Returns the handover.
    pub fn build(self) -> Handover {
        let mut packing = Object::default();
        if !self.arguments.is_empty() {
            packing.insert("pack_arguments".to_owned(), self.arguments.into());
        }
        let mut inherit = Object::default();
        if !self.inherited.is_empty() {
            inherit.insert("include_boxes_from_args".to_owned(), self.inherited.into());
        }
        if self.include_parent {
            inherit.insert("include_parent".to_owned(), true.into());
        }
        if !inherit.is_empty() {
            packing.insert("inherit_context".to_owned(), inherit.into());
        }
        let mut whole = Object::default();
        if let Some(name) = self.target_profile {
            whole.insert("target_profile_config".to_owned(), [("profile_name", name)].into());
        }
        whole.insert("context_packing_config".to_owned(), packing.into());
        if let Some(boxes) = self.authorized {
            let boxes: Vec<Json> = boxes.iter().map(Json::from).collect();
            whole.insert("authorized_inherit_box_ids".to_owned(), boxes.into());
        }
        Handover::from(whole)
    }
}
