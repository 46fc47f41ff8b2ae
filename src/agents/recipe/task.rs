//! One task of a recipe, and the plan of the context that it comes down to.

use super::dispatch::Strategy;
use super::target::Target;
use crate::pack::{Argument, HandoverReader, Packer, Plan, PlannedBox};
use crate::value::json::{Json, Object};
use crate::value::str_map::StrMap;
use crate::{Path, Result};

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
    /// The boxes that are handed on, each once.
    pub boxes: StrMap<PlannedBox>,
}

impl<'a> Task<'a> {
    /// The place of the value that names the receiver.
    pub fn target_path(&self) -> Path {
        self.path.key(self.target_key)
    }

    /// The context that the task comes down to.
    pub fn plan(&'a self, settled: &'a Settled<'_>, packer: Packer<'a>) -> Result<Plan<'a>> {
        let profile_name = settled.target.profile_name.as_str();
        match &self.message {
            Message::Instruction { text, key } => {
                let mut plan = Plan::new(packer, self.path.clone(), self.target_key, profile_name)?;
                plan.parent = Some(Plan::parent_switch());
                plan.boxes.items.extend(settled.boxes.values().cloned());
                let argument = Argument {
                    arg_key: "instruction",
                    own_key: key,
                    card_type: "task.instruction".to_owned(),
                    metadata: Object::from_iter([("role".to_owned(), Json::from("user"))]),
                };
                let value = Json::from(text.as_str());
                let added = plan.add_argument(argument, &value, || self.path.key(*key));
                plan.cards.fault = added.err();
                Ok(plan)
            }
            Message::Handover { arguments, handover } => {
                let reader = HandoverReader::of(arguments, self.path.clone(), handover)?;
                let reader = reader.settled(profile_name, &settled.boxes);
                let mut plan = reader.outline(packer, self.target_key)?;
                reader.finish(&mut plan);
                Ok(plan)
            }
        }
    }
}
