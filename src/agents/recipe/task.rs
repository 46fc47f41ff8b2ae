//! One task of a recipe, and the call of `pack_context` that it comes down to.

use super::dispatch::Strategy;
use super::target::Target;
use crate::rule::audit::Authority;
use crate::value::error::Step as At;
use crate::value::id::BoxId;
use crate::value::json::{Json, Object};
use crate::value::str_map::StrMap;
use crate::{Error, Path};

/// One context to hand over.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task<'a> {
    pub strategy: Strategy,
    pub target_ref: String,
    /// The boxes that the arguments name, in order, each with its place.
    pub sources: Vec<(String, Path)>,
    /// The switch that asks for the sender's own output.
    pub history: Option<Path>,
    pub message: Message<'a>,
    /// Where the task stands in the arguments.
    pub path: Path,
    /// The argument that names the receiver.
    pub target_key: &'a str,
}

/// What the receiver is told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message<'a> {
    /// An instruction, from the argument of this name.
    Instruction { text: String, key: &'a str },
    /// Whatever a handover makes of the arguments.
    Handover { arguments: &'a Object, handover: &'a Object },
}

/// A task whose receiver and boxes are settled.
pub(super) struct Settled<'a> {
    pub target: Target<'a>,
    pub sources: StrMap<(BoxId, Authority, Path)>,
}

impl Task<'_> {
    /// The place of the value that names the receiver.
    pub fn target_path(&self) -> Path {
        self.path.key(self.target_key)
    }

    /// The caller's own name for a place in the call of `pack_context`.
    pub fn own_name(&self, settled: &Settled<'_>, path: &Path) -> Option<Path> {
        let (first, rest) = path.steps().split_first()?;
        let is = |at: &At, key: &str| matches!(at, At::Key(name) if name == key);
        match (&self.message, rest) {
            (_, [key]) if is(first, "arguments") && is(key, "profile_name") => {
                Some(self.target_path())
            }
            (Message::Instruction { key: own, .. }, [key]) if is(first, "arguments") => {
                is(key, "instruction").then(|| self.path.key(*own))
            }
            (Message::Instruction { .. }, [key, At::Index(index)]) if is(first, "arguments") => {
                let (_, _, path) = settled.sources.values().nth(*index)?;
                is(key, "input_box_ids").then(|| path.clone())
            }
            (Message::Instruction { key: own, .. }, [_, key, At::Index(_)]) => {
                is(key, "pack_arguments").then(|| self.path.key(*own))
            }
            (Message::Handover { .. }, rest) if is(first, "arguments") => {
                Some(self.path.join(&Path::from_steps(rest.to_vec())))
            }
            (Message::Instruction { .. } | Message::Handover { .. }, _) => None,
        }
    }

    pub fn relabelled(&self, settled: &Settled<'_>, error: Error) -> Error {
        match self.own_name(settled, error.path()) {
            Some(path) => error.at(path),
            None => error,
        }
    }
}

/// The arguments and the handover of an instruction with boxes.
pub(super) fn instructed(
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

/// Takes the boxes out of a handover: a call that names none hands none on, and so needs no list of
/// those it may.
pub(super) fn inherit_nothing(handover: &mut Object) {
    let Some(Json::Object(packing)) = handover.get_mut("context_packing_config") else { return };
    let Some(Json::Object(inherit)) = packing.get_mut("inherit_context") else { return };
    inherit.shift_remove("include_boxes_from_args");
}
