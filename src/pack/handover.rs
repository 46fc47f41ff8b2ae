//! Reads a handover as the reference systems do. A falsy value counts as missing; a value or a key
//! that is ignored is a lint.

use super::arguments;
use super::inherit::{self, Grant};
use super::plan::{Packer, Plan, PlannedBox};
use super::problem::{HANDOVER, INHERIT, PACKING, PARENT, expected, lint_unknown_keys};
use crate::pack::lint::PackLint;
use crate::rule::lint::Lint;
use crate::value::json::{Json, Object, trim};
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Reads arguments and a handover into a [`Plan`].
pub(crate) struct HandoverReader<'a> {
    arguments: &'a Object,
    /// The path of the arguments in the caller's value.
    path: Path,
    /// The receiver's profile, if a recipe sets it. It replaces the argument `profile_name`.
    profile_name: Option<Json>,
    handover: &'a Object,
    packing: &'a Object,
    inherit: &'a Object,
    grant: Grant<'a>,
}

static EMPTY: Object = Object::new();

const HANDOVER_KEYS: [&str; 4] =
    ["target_profile_config", "context_packing_config", "authorized_inherit_box_ids", "metadata"];
const PACKING_KEYS: [&str; 2] = ["pack_arguments", "inherit_context"];
const INHERIT_KEYS: [&str; 2] = ["include_boxes_from_args", "include_parent"];

impl<'a> HandoverReader<'a> {
    /// Reads the objects that packing reads members of. Each must be an object or falsy.
    ///
    /// # Errors
    /// `bad_request` with the path of a value that is neither.
    pub fn new(arguments: &'a Json, handover: &'a Json) -> Result<Self> {
        let path = Path::root().key("arguments");
        let Json::Object(arguments) = arguments else {
            return Err(expected("an object", arguments, path));
        };
        let at = || HANDOVER.clone();
        match handover {
            Json::Object(handover) if !handover.is_empty() => Self::of(arguments, path, handover),
            falsy if !falsy.is_truthy() => {
                Err(Error::bad_request("`handover` is empty, so there is no target profile")
                    .at(at()))
            }
            other => Err(expected("an object", other, at())),
        }
    }

    /// As [`HandoverReader::new`], for arguments that have another path in the caller's value.
    ///
    /// # Errors
    /// As [`HandoverReader::new`].
    pub fn of(arguments: &'a Object, path: Path, handover: &'a Object) -> Result<Self> {
        let packing = object_or_empty(handover, "context_packing_config", &PACKING)?;
        let inherit = object_or_empty(packing, "inherit_context", &INHERIT)?;
        let grant = Grant::Handover(handover.get("authorized_inherit_box_ids"));
        Ok(Self { arguments, path, profile_name: None, handover, packing, inherit, grant })
    }

    /// Sets the receiver's profile and the boxes that can be inherited, regardless of the arguments
    /// and the handover.
    #[must_use]
    pub fn settled(mut self, profile_name: &str, boxes: &'a StrMap<PlannedBox>) -> Self {
        self.profile_name = Some(Json::from(profile_name));
        self.grant = Grant::Settled(boxes);
        self
    }

    /// Plans the receiver and the boxes, which determine the reads. [`HandoverReader::finish`] adds
    /// the rest.
    ///
    /// # Errors
    /// `bad_request` if there is no receiver.
    pub fn outline(&self, packer: Packer<'a>, target_key: &'a str) -> Result<Plan<'a>> {
        let mut plan = Plan::new(packer, self.path.clone(), target_key, &self.target_name()?)?;
        let names = self.inherit.get("include_boxes_from_args");
        inherit::plan(&mut plan, names, self.grant, &|key| self.argument(key));
        Ok(plan)
    }

    /// Adds the cards and the pointer to the parent.
    pub fn finish(&self, plan: &mut Plan<'a>) {
        self.lint_keys(&mut plan.cards.lints);
        let rules = self.packing.get("pack_arguments");
        arguments::plan(plan, rules, &|key| self.argument(key));
        plan.parent = parent(self.inherit.get("include_parent"), &mut plan.cards.lints);
    }

    /// Adds a lint for every unknown key, except those of rules.
    fn lint_keys(&self, lints: &mut Vec<Lint>) {
        let handover = || HANDOVER.clone();
        lint_unknown_keys(self.handover, &HANDOVER_KEYS, handover, lints);
        if let Some(Json::Object(target)) = self.handover.get("target_profile_config") {
            let path = || HANDOVER.key("target_profile_config");
            lint_unknown_keys(target, &["profile_name"], path, lints);
        }
        lint_unknown_keys(self.packing, &PACKING_KEYS, || PACKING.clone(), lints);
        lint_unknown_keys(self.inherit, &INHERIT_KEYS, || INHERIT.clone(), lints);
    }

    fn argument(&self, key: &str) -> Option<&Json> {
        match &self.profile_name {
            Some(name) if key == "profile_name" => Some(name),
            Some(_) | None => self.arguments.get(key),
        }
    }

    /// Returns the name of the target profile: the argument, or the configured one. It is empty if
    /// there is neither.
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
            Some(other) => Err(expected("an object", other, HANDOVER.key("target_profile_config"))),
        }
    }
}

/// Returns the path of the switch for a pointer to the parent, if it is on.
fn parent(value: Option<&Json>, lints: &mut Vec<Lint>) -> Option<Path> {
    let value = value.filter(|value| value.is_truthy())?;
    let path = PARENT.clone();
    if let Json::String(text) = value
        && matches!(trim(text).to_lowercase().as_str(), "false" | "no" | "off" | "0" | "")
    {
        lints.push(Lint::new(
            PackLint::TruthyText,
            path.clone(),
            format!("the string `{text}` counts as true; use `false`"),
        ));
    }
    Some(path)
}

/// Returns a name as a string, or `None` if it is missing or blank.
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

#[cfg(test)]
mod tests {
    use crate::store::{MemoryStore, Profile, Snapshot};
    use crate::{Dialect, Env, Json, PackContext, Timestamp, json, rule};

    fn lints(handover: Json, dialect: Dialect) -> Vec<String> {
        let mut store = MemoryStore::new();
        store.project("p1").add_profile(Profile::new("Writer", "pb_writer"));
        let arguments = json!({"profile_name": "Writer", "instruction": "Draft it."});
        let mut call = PackContext::new("t", "a", arguments, handover);
        call.dialect = Some(dialect);
        let env = Env::new(Timestamp::from_millis(0), [7; 32]);
        let outcome = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store).unwrap();
        outcome.lints.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_unknown_key_of_a_handover_is_a_lint_with_its_path() {
        let handover = json!({
            "context_packing_confg": {},
            "metadata": {"any": "key"},
            "target_profile_config": {"profile_nam": "Writer"},
            "context_packing_config": {
                "pack_argments": [],
                "pack_arguments": [{"arg_key": "instruction", "card_type": "note"}],
                "inherit_context": {"include_boxs_from_args": [], "include_parnt": true}
            }
        });
        let expected = [
            "unknown_key at `handover.context_packing_confg`: unknown key `context_packing_confg` is \
             ignored; expected one of `target_profile_config`, `context_packing_config`, \
             `authorized_inherit_box_ids`, `metadata`",
            "unknown_key at `handover.target_profile_config.profile_nam`: unknown key `profile_nam` \
             is ignored; expected one of `profile_name`",
            "unknown_key at `handover.context_packing_config.pack_argments`: unknown key \
             `pack_argments` is ignored; expected one of `pack_arguments`, `inherit_context`",
            "unknown_key at `handover.context_packing_config.inherit_context.include_boxs_from_args`: \
             unknown key `include_boxs_from_args` is ignored; expected one of \
             `include_boxes_from_args`, `include_parent`",
            "unknown_key at `handover.context_packing_config.inherit_context.include_parnt`: unknown \
             key `include_parnt` is ignored; expected one of `include_boxes_from_args`, \
             `include_parent`",
            "unknown_key at `handover.context_packing_config.pack_arguments[0].card_type`: unknown \
             key `card_type` is ignored; expected one of `arg_key`, `as_card_type`, `card_metadata`",
        ];
        for dialect in Dialect::ALL {
            assert_eq!(lints(handover.clone(), dialect), expected, "{}", dialect.name);
        }
    }
}
