//! Handovers made in Rust: the packing rules of a call, field by field.
//!
//! ```
//! use tuckbox::{Handover, Json};
//!
//! let handover = Handover::builder().argument("instruction").inherit("boxes").include_parent().build();
//! assert!(Json::from(handover).to_string().contains(r#""include_parent":true"#));
//! ```

use crate::value::id::BoxId;
use crate::value::json::{Json, Object};

/// The rules of one packing: which arguments become cards, which boxes are inherited.
///
/// It is data: [`Json::from`] gives the handover as it stands on the wire, and
/// [`PackContext::new`](super::PackContext::new) takes it as it is.
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
/// assert_eq!(tuckbox::Json::from(handover), json!({
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
pub struct Handover {
    target_profile: Option<String>,
    arguments: Vec<Object>,
    inherited: Vec<String>,
    include_parent: bool,
    authorized: Option<Vec<BoxId>>,
}

impl Handover {
    /// Starts with a handover that packs nothing.
    pub fn builder() -> HandoverBuilder {
        HandoverBuilder { handover: Self::default() }
    }
}

/// Builds a [`Handover`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct HandoverBuilder {
    handover: Handover,
}

impl HandoverBuilder {
    /// Names the receiver's profile, for calls whose arguments name none.
    pub fn target_profile(mut self, name: impl Into<String>) -> Self {
        self.handover.target_profile = Some(name.into());
        self
    }

    /// Makes a card of type `task.instruction` from this argument, where it is given.
    pub fn argument(self, key: impl Into<String>) -> Self {
        self.pack(key.into(), None, None)
    }

    /// Makes a card of another type from this argument.
    pub fn argument_as(self, key: impl Into<String>, card_type: impl Into<String>) -> Self {
        self.pack(key.into(), Some(card_type.into()), None)
    }

    /// As [`argument_as`](Self::argument_as), with metadata for the card.
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
        self.handover.arguments.push(rule);
        self
    }

    /// Inherits the cards of the box, or the list of boxes, that this argument names.
    pub fn inherit(mut self, key: impl Into<String>) -> Self {
        self.handover.inherited.push(key.into());
        self
    }

    /// Ends the context with a pointer to the agent that hands over.
    pub fn include_parent(mut self) -> Self {
        self.handover.include_parent = true;
        self
    }

    /// Lists the boxes that may be inherited, for the dialects that check authority.
    pub fn authorize<I: Into<BoxId>>(mut self, boxes: impl IntoIterator<Item = I>) -> Self {
        let listed = self.handover.authorized.get_or_insert_default();
        listed.extend(boxes.into_iter().map(Into::into));
        self
    }

    /// The handover.
    pub fn build(self) -> Handover {
        self.handover
    }
}

impl From<Handover> for Json {
    fn from(handover: Handover) -> Self {
        let mut packing = Object::default();
        if !handover.arguments.is_empty() {
            packing.insert("pack_arguments".to_owned(), handover.arguments.into());
        }
        let mut inherit = Object::default();
        if !handover.inherited.is_empty() {
            inherit.insert("include_boxes_from_args".to_owned(), handover.inherited.into());
        }
        if handover.include_parent {
            inherit.insert("include_parent".to_owned(), true.into());
        }
        if !inherit.is_empty() {
            packing.insert("inherit_context".to_owned(), inherit.into());
        }
        let mut whole = Object::default();
        if let Some(name) = handover.target_profile {
            whole.insert("target_profile_config".to_owned(), [("profile_name", name)].into());
        }
        whole.insert("context_packing_config".to_owned(), packing.into());
        if let Some(boxes) = handover.authorized {
            let boxes: Vec<Json> = boxes.iter().map(Json::from).collect();
            whole.insert("authorized_inherit_box_ids".to_owned(), boxes.into());
        }
        Self::Object(whole)
    }
}
