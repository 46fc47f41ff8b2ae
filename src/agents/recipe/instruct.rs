//! An instruction with boxes: the simplest recipe.

use super::caller::Caller;
use super::text;
use crate::Result;
use crate::pack::{PackContext, Packed};
use crate::rule::{Defaults, Dialect, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::json::{Json, Object};
use serde::Serialize;

arguments! {
    /// Packs an instruction, the cards of some boxes and the pointer to the parent.
    ///
    /// No delegation policy is checked: it is for hosts that choose the receiver themselves. A project
    /// whose dialect checks authority inherits only boxes that the sender can pass on.
    ///
    /// ```
    /// use tuckbox::agents::recipe::{Caller, PackWithInstruction};
    /// # use tuckbox::store::{MemoryStore, Profile, Snapshot};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let caller = Caller { tool_suffix: Some("brief".into()), ..Caller::new("ann") };
    /// let call = PackWithInstruction::new(caller, "Writer", "Draft it.", &["notes".into()]);
    /// let instructed = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(instructed.packed.attached_card_ids.get(1), Some("n1"));
    /// assert_eq!(instructed.recipe.arguments.get("instruction"), Some(&json!("Draft it.")));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct PackWithInstruction {
        /// The profile of the receiver. A value that is not a string becomes one.
        pub profile_name: Json,
        /// The instruction. A value that is not a string becomes one.
        pub instruction: Json,
        /// The boxes whose cards are inherited. A value that is not a string becomes one.
        pub inherit_box_ids: Vec<Json> = Vec::new(),
        shared caller: Caller,
    }
}

/// A packed context and the `pack_context` call that packed it.
///
/// Shown by the example of [`PackWithInstruction`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instructed {
    /// The arguments of `pack_context`.
    pub recipe: PackCall,
    /// The context.
    pub packed: Packed,
}

/// The arguments and the handover of a `pack_context`.
///
/// Shown by the example of [`PackWithInstruction`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PackCall {
    /// The arguments.
    pub arguments: Json,
    /// The packing rules.
    pub handover: Json,
}

impl PackWithInstruction {
    /// Packs `instruction` for `profile_name`, with the cards of these boxes.
    pub fn new(
        caller: Caller,
        profile_name: impl Into<Json>,
        instruction: impl Into<Json>,
        inherit_box_ids: &[BoxId],
    ) -> Self {
        Self {
            profile_name: profile_name.into(),
            instruction: instruction.into(),
            inherit_box_ids: inherit_box_ids.iter().map(Json::from).collect(),
            caller,
        }
    }

    /// Returns the call with the limits of a project, and with its dialect where the call has none.
    #[must_use]
    pub fn with_defaults(self, defaults: &Defaults) -> Self {
        Self { caller: self.caller.with_defaults(defaults), ..self }
    }

    /// Returns the `pack_context` call that packs the context.
    fn call(&self) -> PackContext {
        let caller = &self.caller;
        let ids = self.inherit_box_ids.iter().filter_map(|id| text::text(Some(id)));
        let ids: Vec<BoxId> = ids.map(BoxId::from).collect();
        let dialect = caller.dialect();
        let (arguments, handover) = pack_call(&self.profile_name, &self.instruction, &ids, dialect);
        let author = caller.tool_suffix.as_deref().unwrap_or("delegate_async");
        PackContext {
            dialect: caller.dialect,
            check_liveness: caller.check_liveness,
            operation_id: caller.operation_id.clone(),
            limits: caller.limits,
            grants: caller.grants.clone(),
            ..PackContext::new(author, &caller.source_agent_id, arguments, handover)
        }
    }
}

impl Rule for PackWithInstruction {
    type Value = Instructed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Instructed>>> {
        self.caller.check_tool_name("pack_context_with_instruction")?;
        let call = self.call();
        let step = call.step(snapshot, env)?;
        let recipe = PackCall { arguments: call.arguments.into(), handover: call.handover.into() };
        let instructed = |packed| Instructed { recipe, packed };
        Ok(step.map(|outcome| outcome.map(instructed)))
    }
}

/// Returns the arguments and the handover of an instruction with boxes.
fn pack_call(
    profile_name: &Json,
    instruction: &Json,
    boxes: &[BoxId],
    dialect: Dialect,
) -> (Json, Json) {
    let mut arguments = Object::default();
    arguments.insert("profile_name".into(), profile_name.clone());
    arguments.insert("instruction".into(), instruction.clone());
    let ids: Json = boxes.iter().collect();
    let mut from = Vec::new();
    if !boxes.is_empty() {
        arguments.insert("input_box_ids".into(), ids.clone());
        from.push("input_box_ids");
    }
    let rule = Json::from([("arg_key", "instruction"), ("as_card_type", "task.instruction")]);
    let mut inherit = Object::from_iter([("include_boxes_from_args".to_owned(), Json::from(from))]);
    if dialect.adds_parent {
        inherit.insert("include_parent".into(), true.into());
    }
    let packing =
        [("pack_arguments", Json::from(vec![rule])), ("inherit_context", Json::from(inherit))];
    let mut handover = Object::default();
    let target = Json::from([("profile_name", profile_name.clone())]);
    handover.insert("target_profile_config".into(), target);
    handover.insert("context_packing_config".into(), Json::from(packing));
    if dialect.checks_authority {
        handover.insert("authorized_inherit_box_ids".into(), ids);
    }
    let function = [("internal", Json::from(true)), ("function", Json::from("delegate_async"))];
    handover.insert("metadata".into(), Json::from(function));
    (Json::Object(arguments), Json::Object(handover))
}
