//! One task of a recipe, and the plan of its context.

use super::dispatch::Strategy;
use super::target::Target;
use super::text;
use crate::pack::{HandoverReader, Packer, Plan, PlannedArgument, PlannedBox};
use crate::value::json::{Json, Object};
use crate::value::str_map::StrMap;
use crate::{Path, Result};

/// One context to delegate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task<'a> {
    pub strategy: Strategy,
    pub target_ref: String,
    /// The boxes that the arguments name, in order, each with its path.
    pub sources: Vec<(String, Path)>,
    /// The path of the switch that passes on the sender's output, if it is on.
    pub history: Option<Path>,
    pub message: Message<'a>,
    /// The path of the task in the arguments.
    pub path: Path,
    /// The argument that names the receiver.
    pub target_key: &'a str,
}

/// The message for the receiver.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message<'a> {
    /// An instruction, from the argument of this name.
    Instruction { text: String, key: &'a str },
    /// The cards that a handover makes from the arguments.
    Handover { arguments: &'a Object, handover: &'a Object },
}

/// A task with its receiver and its boxes.
pub(super) struct Settled<'a> {
    pub target: Target<'a>,
    /// The boxes that are passed on, each once.
    pub boxes: StrMap<PlannedBox>,
}

impl<'a> Task<'a> {
    /// Returns a task with an instruction. `keys` are the arguments that name the receiver and the
    /// instruction.
    ///
    /// # Errors
    /// `bad_request` if one of the two is empty.
    pub fn new(
        strategy: Strategy,
        keys: [&'a str; 2],
        target_ref: &str,
        instruction: &str,
        path: Path,
    ) -> Result<Self> {
        let [target_key, key] = keys;
        for (key, text) in [(target_key, target_ref), (key, instruction)] {
            if text.is_empty() {
                return Err(text::missing(&path, key));
            }
        }
        Ok(Self {
            strategy,
            target_ref: target_ref.to_owned(),
            sources: Vec::new(),
            history: None,
            message: Message::Instruction { text: instruction.to_owned(), key },
            path,
            target_key,
        })
    }

    /// Returns the path of the value that names the receiver.
    pub fn target_path(&self) -> Path {
        self.path.key(self.target_key)
    }

    /// Plans the context of the task.
    pub fn plan(&'a self, settled: &'a Settled<'_>, packer: Packer<'a>) -> Result<Plan<'a>> {
        let profile_name = settled.target.profile_name.as_str();
        match &self.message {
            Message::Instruction { text, key } => {
                let mut plan = Plan::new(packer, self.path.clone(), self.target_key, profile_name)?;
                plan.parent = packer.dialect.adds_parent.then(Plan::parent_switch);
                plan.boxes.items.extend(settled.boxes.values().cloned());
                let argument = PlannedArgument {
                    arg_key: "instruction",
                    own_key: key,
                    card_type: "task.instruction".to_owned(),
                    metadata: Object::from_iter([("role".to_owned(), Json::from("user"))]),
                };
                let value = Json::from(text.as_str());
                let added = plan.add_argument(argument, &value, || self.path.key(*key));
                plan.cards.error = added.err();
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
