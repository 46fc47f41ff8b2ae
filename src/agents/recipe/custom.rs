//! Recipes that a host defines as data.
//!
//! A [`CustomRecipe`] is a handover under a name. It declares its arguments, and states which of
//! them become cards, which boxes are inherited, and whether the context has a pointer to the
//! parent. It is checked once, when it is registered, and every error is reported. Then it runs
//! like a built-in recipe, under the same authority, in one batch, with the same ledger.

use super::template;
use crate::value::json::{Field, Json, Object, trim};
use crate::value::str_map::StrMap;
use crate::{Error, Result};
use serde::Serialize;
use std::sync::Arc;

/// A handover under a name.
///
/// ```
/// use tuckbox::value::json::Field;
/// use tuckbox::agents::recipe::{Caller, CustomRecipe, RunRecipe};
/// use tuckbox::rule::preview;
/// use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot};
/// use tuckbox::{Env, Json, Timestamp};
///
/// let review = CustomRecipe::from_json(&Field::root(&Json::parse(r#"{
///     "name": "ask_for_review",
///     "arguments": [
///         {"name": "what", "type": "text"},
///         {"name": "drafts", "type": "box_ids"},
///         {"name": "verdict", "type": "result_fields", "required": false}],
///     "handover": {
///         "target_profile_config": {"profile_name": "Reviewer"},
///         "context_packing_config": {
///             "pack_arguments": [
///                 {"arg_key": "what"},
///                 {"arg_key": "verdict", "as_card_type": "task.result_fields"}],
///             "inherit_context": {"include_boxes_from_args": ["drafts"], "include_parent": true}}}
/// }"#)?), tuckbox::call::is_operation)?;
///
/// let mut lead = Profile::new("Lead", "pb_lead");
/// lead.delegation_policy = Json::parse(r#"{"target_profiles": ["Reviewer"]}"#)?;
/// let mut store = MemoryStore::new();
/// store
///     .project("p1")
///     .add_profile(lead)
///     .add_profile(Profile::new("Reviewer", "pb_reviewer"))
///     .add_agent(Agent::new("agent_a", "pb_lead"))
///     .add_box("d1", ["c1"]);
///
/// let arguments = Json::parse(r#"{"what": "Is it true?", "drafts": ["d1"]}"#)?;
/// let rule = RunRecipe::new(Caller::new("agent_a"), review.clone(), &arguments)?;
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let outcome = preview(&rule, &mut Snapshot::new("p1".into()), &env, &store)?;
/// assert_eq!(outcome.value.profile_name, "Reviewer");
/// assert_eq!(outcome.ledger.audit[0].recipe.as_deref(), Some("ask_for_review"));
///
/// // wrong arguments are rejected before anything is read
/// let error = RunRecipe::new(Caller::new("agent_a"), review, &Json::parse(r#"{"what": 1}"#)?);
/// assert_eq!(error.unwrap_err().path().to_string(), "what");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CustomRecipe {
    /// The name of the operation.
    pub name: String,
    /// The purpose of the recipe, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// The packing rules.
    pub handover: Object,
}

shape! {
    /// A handover under a name. The project checks it when it is opened and lists every error in
    /// `details.errors`. Then it runs like a built-in recipe, in one batch, with the same ledger.
    #[input]
    pub struct CustomRecipe {
        /// The name of the operation: `a` to `z`, `0` to `9` and `_`, starting with a letter.
        pub name: String,
        /// The purpose of the recipe, for people.
        pub description: Maybe<String>,
        /// The arguments.
        pub arguments: Vec<Argument>,
        /// The packing rules. The caller's own authority applies to inherited boxes.
        pub handover: RecipeHandover,
    }

    /// An argument of a recipe.
    #[input]
    pub struct Argument {
        /// The name.
        pub name: String,
        /// The type of the value.
        pub r#type: ArgumentType,
        /// Rejects a call without the argument. `true` by default.
        pub required: Maybe<bool>,
        /// The purpose of the argument, for people.
        pub description: Maybe<String>,
    }

    pub struct RecipeHandover {
        /// The profile of the receiver. The argument `profile_name` replaces it.
        pub target_profile_config: Maybe<RecipeTarget>,
        /// What goes into the context.
        pub context_packing_config: Maybe<RecipePacking>,
        /// Data of the host. Packing ignores it.
        pub metadata: Maybe<Json>,
    }

    pub struct RecipeTarget {
        /// The name of the profile.
        pub profile_name: Maybe<String>,
    }

    pub struct RecipePacking {
        /// One rule for each argument that becomes a card, in order.
        pub pack_arguments: Maybe<Vec<RecipeRule>>,
        /// What the context takes over from the sender.
        pub inherit_context: Maybe<RecipeInheritance>,
    }

    pub struct RecipeRule {
        /// The argument.
        pub arg_key: String,
        /// The type of the card. `task.instruction` by default.
        pub as_card_type: Maybe<String>,
        /// The metadata of the card. The `role` is `user` by default.
        pub card_metadata: Maybe<Object>,
    }

    pub struct RecipeInheritance {
        /// The arguments that name a box, or a list of boxes, whose cards are inherited.
        pub include_boxes_from_args: Maybe<Vec<String>>,
        /// Ends the context with a pointer to the agent that delegates.
        pub include_parent: Maybe<bool>,
    }
}

/// An argument of a recipe.
///
/// Shown by the example of [`CheckRecipe`](super::CheckRecipe).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// The name.
    pub name: String,
    /// The type of the value.
    #[serde(rename = "type")]
    pub kind: ArgumentType,
    /// Rejects a call without the argument.
    pub required: bool,
    /// The purpose of the argument, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// The type of an argument.
///
/// Shown by the example of [`CheckRecipe`](super::CheckRecipe).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentType {
    /// A string that is not blank.
    Text,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// An object.
    Object,
    /// A list.
    List,
    /// A list of the fields that the result must have, each `{"name", "description"?}`.
    ResultFields,
    /// The id of a box.
    BoxId,
    /// A list of ids of boxes.
    BoxIds,
    /// Anything but `null`.
    Any,
}

impl ArgumentType {
    /// Every type with its name in JSON.
    pub const ALL: [(&'static str, Self); 10] = [
        ("text", Self::Text),
        ("number", Self::Number),
        ("integer", Self::Integer),
        ("boolean", Self::Boolean),
        ("object", Self::Object),
        ("list", Self::List),
        ("result_fields", Self::ResultFields),
        ("box_id", Self::BoxId),
        ("box_ids", Self::BoxIds),
        ("any", Self::Any),
    ];

    pub(super) fn check(self, field: &Field<'_>) -> Result<()> {
        let is_box = |value: &Json| match value {
            Json::String(text) => !text.is_empty(),
            Json::Number(number) => number.is_integer(),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => false,
        };
        let value = field.json();
        let (fits, what) = match self {
            Self::Text => {
                let blank = value.as_str().is_some_and(|text| trim(text).is_empty());
                if blank {
                    return Err(field.error("expected a string that is not blank"));
                }
                (value.as_str().is_some(), "a string")
            }
            Self::Number => (value.as_number().is_some(), "a number"),
            Self::Integer => {
                (value.as_number().is_some_and(|number| number.is_integer()), "a whole number")
            }
            Self::Boolean => (value.as_bool().is_some(), "a boolean"),
            Self::Object => (value.as_object().is_some(), "an object"),
            Self::List | Self::ResultFields => (value.as_array().is_some(), "a list"),
            Self::BoxId => (is_box(value), "the id of a box"),
            Self::BoxIds => {
                for item in field.list()? {
                    Self::BoxId.check(&item)?;
                }
                (true, "a list of ids")
            }
            Self::Any => (!value.is_null(), "a value"),
        };
        if fits { Ok(()) } else { Err(field.expected(what)) }
    }
}

impl CustomRecipe {
    /// Reads and checks a definition. `is_reserved` returns true for a name that it cannot have.
    ///
    /// # Errors
    /// `bad_request` for the first error; `details.errors` lists all of them.
    pub fn from_json(field: &Field<'_>, is_reserved: fn(&str) -> bool) -> Result<Self> {
        template::read(field, is_reserved)
    }

    pub(super) fn inherits(&self) -> impl Iterator<Item = &str> {
        let inherit = self.handover.get("context_packing_config");
        let inherit = inherit.and_then(|packing| packing.get("inherit_context"));
        let names = inherit.and_then(|inherit| inherit.get("include_boxes_from_args"));
        names.and_then(Json::as_array).unwrap_or_default().iter().filter_map(Json::as_str)
    }

    pub(super) fn configured_profile(&self) -> Option<&str> {
        let target = self.handover.get("target_profile_config");
        target.and_then(|target| target.get("profile_name")).and_then(Json::as_str)
    }
}

/// The registered recipes of a host, by name.
///
/// ```
/// use tuckbox::value::json::{Field, Json};
/// use tuckbox::agents::recipe::Recipes;
///
/// let twice = Json::parse(r#"[{"name": "fork_join", "arguments": [], "handover": {}}]"#)?;
/// let error = Recipes::from_json(&Field::root(&twice), |name| name == "fork_join").unwrap_err();
/// assert_eq!(error.message(), "`fork_join` is the name of a built-in operation; choose another");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recipes(Arc<StrMap<CustomRecipe>>);

impl Recipes {
    /// Reads and checks a list of definitions.
    ///
    /// # Errors
    /// As [`CustomRecipe::from_json`], and for a name that occurs twice.
    pub fn from_json(list: &Field<'_>, is_reserved: fn(&str) -> bool) -> Result<Self> {
        let mut recipes = StrMap::new();
        for field in list.list()? {
            let recipe = CustomRecipe::from_json(&field, is_reserved)?;
            if recipes.contains_key(&recipe.name) {
                return Err(Error::bad_request(format!(
                    "another recipe has the name `{}`; choose a different one",
                    recipe.name
                ))
                .at(field.path().key("name")));
            }
            let name = recipe.name.clone();
            recipes.insert(name, recipe);
        }
        Ok(Self(Arc::new(recipes)))
    }

    /// Returns the recipe of this name.
    pub fn get(&self, name: &str) -> Option<&CustomRecipe> {
        self.0.get(name)
    }

    /// Returns the names, in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys()
    }
}
