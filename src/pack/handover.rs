//! Reading a handover as the recorded systems do: what is falsy is absent, what is odd is named.

use super::arguments;
use super::fault::{INHERIT, PACKING, PARENT, expected};
use super::inherit::{self, Grant};
use super::plan::{Packer, Plan, PlannedBox};
use crate::pack::lint::PackLint;
use crate::rule::lint::Lint;
use crate::value::json::{Json, Object, trim};
use crate::value::lower::lower;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Arguments and a handover, to be read into a [`Plan`].
pub(crate) struct HandoverReader<'a> {
    arguments: &'a Object,
    /// The arguments, seen from the caller.
    path: Path,
    /// The receiver's profile, where somebody else than the arguments has chosen it. It stands for
    /// the argument `profile_name`.
    profile_name: Option<Json>,
    handover: &'a Object,
    packing: &'a Object,
    inherit: &'a Object,
    grant: Grant<'a>,
}

static EMPTY: Object = Object::new();

impl<'a> HandoverReader<'a> {
    /// Reads the frame: everything that packing will look into must be an object or falsy.
    ///
    /// # Errors
    /// `bad_request` with the path of what is neither.
    pub fn new(arguments: &'a Json, handover: &'a Json) -> Result<Self> {
        let path = Path::root().key("arguments");
        let Json::Object(arguments) = arguments else {
            return Err(expected("an object", arguments, path));
        };
        let at = || Path::root().key("handover");
        match handover {
            Json::Object(handover) if !handover.is_empty() => Self::of(arguments, path, handover),
            falsy if !falsy.is_truthy() => {
                Err(Error::bad_request("the handover is empty: there is no target profile")
                    .at(at()))
            }
            other => Err(expected("an object", other, at())),
        }
    }

    /// As [`HandoverReader::new`], for arguments that the caller knows under another path.
    ///
    /// # Errors
    /// As [`HandoverReader::new`].
    pub fn of(arguments: &'a Object, path: Path, handover: &'a Object) -> Result<Self> {
        let packing = object_or_empty(handover, "context_packing_config", &PACKING)?;
        let inherit = object_or_empty(packing, "inherit_context", &INHERIT)?;
        let grant = Grant::Handover(handover.get("authorized_inherit_box_ids"));
        Ok(Self { arguments, path, profile_name: None, handover, packing, inherit, grant })
    }

    /// Sets the receiver's profile and the boxes that may be inherited, whatever the arguments and
    /// the handover say.
    #[must_use]
    pub fn settled(mut self, profile_name: &str, boxes: &'a StrMap<PlannedBox>) -> Self {
        self.profile_name = Some(Json::from(profile_name));
        self.grant = Grant::Settled(boxes);
        self
    }

    /// The plan of receiver and boxes: enough to say what must be read. [`HandoverReader::finish`]
    /// adds the rest.
    ///
    /// # Errors
    /// `bad_request` when there is no receiver.
    pub fn outline(&self, packer: Packer<'a>, target_key: &'a str) -> Result<Plan<'a>> {
        let mut plan = Plan::new(packer, self.path.clone(), target_key, &self.target_name()?)?;
        let names = self.inherit.get("include_boxes_from_args");
        inherit::plan(&mut plan, names, self.grant, &|key| self.argument(key));
        Ok(plan)
    }

    /// Adds the cards and the pointer to the parent.
    pub fn finish(&self, plan: &mut Plan<'a>) {
        let rules = self.packing.get("pack_arguments");
        arguments::plan(plan, rules, &|key| self.argument(key));
        plan.parent = parent(self.inherit.get("include_parent"), &mut plan.cards.lints);
    }

    fn argument(&self, key: &str) -> Option<&Json> {
        match &self.profile_name {
            Some(name) if key == "profile_name" => Some(name),
            Some(_) | None => self.arguments.get(key),
        }
    }

    /// The name of the target profile: the argument, else the configured one; empty where there is
    /// neither.
    fn target_name(&self) -> Result<Cow<'_, str>> {
        if let Some(name) = self.argument("profile_name").and_then(named) {
            return Ok(name);
        }
        match self.handover.get("target_profile_config") {
            None => Ok("".into()),
            Some(Json::Object(target)) => {
                Ok(target.get("profile_name").and_then(named).unwrap_or_default())
            }
            Some(falsy) if !falsy.is_truthy() => Ok("".into()),
            Some(other) => {
                let at = Path::root().key("handover").key("target_profile_config");
                Err(expected("an object", other, at))
            }
        }
    }
}

/// The switch that asks for a pointer to the parent.
fn parent(value: Option<&Json>, lints: &mut Vec<Lint>) -> Option<Path> {
    let value = value.filter(|value| value.is_truthy())?;
    let path = PARENT.clone();
    if let Json::String(text) = value
        && matches!(lower(trim(text)).as_str(), "false" | "no" | "off" | "0" | "")
    {
        lints.push(Lint::new(
            PackLint::TruthyText,
            path.clone(),
            format!("`{text}` is text, and text counts as true; use `false`"),
        ));
    }
    Some(path)
}

/// A name as text; `None` when it is absent or blank.
fn named(value: &Json) -> Option<Cow<'_, str>> {
    let text = match value {
        Json::Null => return None,
        Json::String(text) => Cow::Borrowed(text.as_str()),
        Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            Cow::Owned(value.text_form())
        }
    };
    (!trim(&text).is_empty()).then_some(text)
}

fn object_or_empty<'a>(object: &'a Object, key: &str, at: &LazyLock<Path>) -> Result<&'a Object> {
    match object.get(key) {
        None => Ok(&EMPTY),
        Some(Json::Object(object)) => Ok(object),
        Some(falsy) if !falsy.is_truthy() => Ok(&EMPTY),
        Some(other) => Err(expected("an object", other, Path::clone(at))),
    }
}
