//! An instruction with boxes: the handover that every other recipe comes down to.

use super::caller::{Caller, KEYS};
use super::text;
use crate::Result;
use crate::agents::Setup;
use crate::pack::{PackContext, Packed};
use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::json::{Field, Json, Object};
use serde::Serialize;

/// Packs an instruction, the cards of some boxes and the pointer to the parent.
///
/// It is what a host calls that has decided everything else itself: no policy is asked, and the
/// boxes it names are those it authorises.
///
/// ```
/// use tuckbox::agents::recipe::{Caller, PackWithInstruction};
/// # use tuckbox::store::{MemoryStore, Profile, Snapshot};
/// # use tuckbox::{Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let caller = Caller { tool_suffix: Some("brief".into()), ..Caller::new("ann") };
/// let call = PackWithInstruction::new(&caller, "Writer", "Draft it.", &["notes".into()]);
/// let instructed = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(instructed.packed.attached_card_ids.get(1), Some("n1"));
/// assert_eq!(instructed.recipe.arguments.get("instruction"), Some(&json!("Draft it.")));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PackWithInstruction {
    call: PackContext,
}

/// A packed context and the call of `pack_context` that it came down to.
///
/// Shown by the example of [`PackWithInstruction`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instructed {
    /// What `pack_context` was called with.
    pub recipe: PackCall,
    /// What it packed.
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
    /// The call of `pack_context` that it comes down to.
    pub fn call(&self) -> &PackContext {
        &self.call
    }

    /// Packs `instruction` for `profile_name`, with the cards of these boxes.
    pub fn new(
        caller: &Caller,
        profile_name: impl Into<Json>,
        instruction: impl Into<Json>,
        inherit_box_ids: &[BoxId],
    ) -> Self {
        let boxes: Vec<&BoxId> = inherit_box_ids.iter().collect();
        let with_authority = caller.dialect.checks_authority;
        let (arguments, handover) =
            pack_call(&profile_name.into(), &instruction.into(), &boxes, with_authority);
        let author = caller.tool_suffix.as_deref().unwrap_or("delegate_async");
        Self {
            call: PackContext {
                dialect: caller.dialect,
                check_liveness: caller.check_liveness,
                operation_id: caller.operation_id.clone(),
                limits: caller.limits,
                ..PackContext::new(author, &caller.source_agent_id, arguments, handover)
            },
        }
    }

    /// Reads a call: the caller's part, `"profile_name"`, `"instruction"`, `"inherit_box_ids"?`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&[&KEYS[..], &["profile_name", "instruction", "inherit_box_ids"]].concat())?;
        Caller::check_tool_name(&call, "pack_context_with_instruction")?;
        let listed = match call.optional("inherit_box_ids") {
            Some(list) => list.list()?,
            None => Vec::new(),
        };
        let boxes = listed.iter().filter_map(|item| text::text(Some(item.json())));
        Ok(Self::new(
            &Caller::read(&call, setup)?,
            call.required("profile_name")?.json().clone(),
            call.required("instruction")?.json().clone(),
            &boxes.map(BoxId::from).collect::<Vec<_>>(),
        ))
    }
}

impl Rule for PackWithInstruction {
    type Value = Instructed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Instructed>>> {
        let instructed = |packed| Instructed {
            recipe: PackCall {
                arguments: self.call.arguments.clone(),
                handover: self.call.handover.clone(),
            },
            packed,
        };
        Ok(self.call.step(snapshot, env)?.map(|outcome| outcome.map(instructed)))
    }
}

/// The arguments and the handover of an instruction with boxes.
fn pack_call(
    profile_name: &Json,
    instruction: &Json,
    boxes: &[&BoxId],
    with_authority: bool,
) -> (Json, Json) {
    let mut arguments = Object::default();
    arguments.insert("profile_name".into(), profile_name.clone());
    arguments.insert("instruction".into(), instruction.clone());
    let ids: Json = boxes.iter().copied().collect();
    let mut from = Vec::new();
    if !boxes.is_empty() {
        arguments.insert("input_box_ids".into(), ids.clone());
        from.push("input_box_ids");
    }
    let rule = Json::from([("arg_key", "instruction"), ("as_card_type", "task.instruction")]);
    let inherit =
        [("include_boxes_from_args", Json::from(from)), ("include_parent", Json::from(true))];
    let packing =
        [("pack_arguments", Json::from(vec![rule])), ("inherit_context", Json::from(inherit))];
    let mut handover = Object::default();
    let target = Json::from([("profile_name", profile_name.clone())]);
    handover.insert("target_profile_config".into(), target);
    handover.insert("context_packing_config".into(), Json::from(packing));
    if with_authority {
        handover.insert("authorized_inherit_box_ids".into(), ids);
    }
    let function = [("internal", Json::from(true)), ("function", Json::from("delegate_async"))];
    handover.insert("metadata".into(), Json::from(function));
    (Json::Object(arguments), Json::Object(handover))
}
