//! Reading a handover as the recorded systems do: what is falsy is absent, what is odd is named.

use super::PackContext;
use super::inherit::InheritedIds;
use crate::rule::lint::Lint;
use crate::store::{Lookup, Profile, Snapshot};
use crate::value::error::Step::{Index, Key};
use crate::value::json::{Json, Object, trim};
use crate::{Error, Path, Result};

/// The parts of a handover that packing looks at.
pub(super) struct Handover<'a> {
    pub call: &'a PackContext,
    pub arguments: &'a Object,
    pub target: &'a Json,
    pub packing: &'a Object,
    pub inherit: &'a Object,
}

static EMPTY: Object = Object::with_hasher(crate::value::str_map::Hashing::fixed());

impl<'a> Handover<'a> {
    /// Reads the frame: everything that packing will look into must be an object or falsy.
    pub fn read(call: &'a PackContext) -> Result<Self> {
        let arguments = match &call.arguments {
            Json::Object(arguments) => arguments,
            other => return Err(expected("an object", other, &Path::root().key("arguments"))),
        };
        let at = Path::root().key("handover");
        let handover = match &call.handover {
            Json::Object(handover) if !handover.is_empty() => handover,
            falsy if !falsy.is_truthy() => {
                return Err(Error::bad_request(
                    "the handover is empty: there is no target profile",
                )
                .at(at));
            }
            other => return Err(expected("an object", other, &at)),
        };
        let packing = object_or_empty(handover, "context_packing_config", &at)?;
        let inherit = object_or_empty(packing, "inherit_context", &packing_path())?;
        Ok(Self {
            call,
            arguments,
            target: handover.get("target_profile_config").unwrap_or(&Json::Null),
            packing,
            inherit,
        })
    }

    /// The name of the target profile: the argument, else the configured one.
    pub fn target_name(&self) -> Result<String> {
        if let Some(name) = self.arguments.get("profile_name").and_then(named) {
            return Ok(name);
        }
        let at = Path::root().key("handover").key("target_profile_config");
        let configured = match self.target {
            Json::Object(target) => target.get("profile_name").and_then(named),
            falsy if !falsy.is_truthy() => None,
            other => return Err(expected("an object", other, &at)),
        };
        configured.ok_or_else(|| {
            Error::bad_request(
                "no target profile: neither `arguments.profile_name` nor \
                 `handover.target_profile_config.profile_name` names one",
            )
            .at(Path::root().key("arguments").key("profile_name"))
        })
    }

    /// The target profile.
    pub fn target<'s>(&self, snapshot: &'s Snapshot, name: &str) -> Result<&'s Profile> {
        match snapshot.profile(name) {
            Lookup::Present(profile) => Ok(profile),
            Lookup::Failed(error) => Err(error.clone()),
            Lookup::Absent | Lookup::NotRead => Err(Error::not_found(format!(
                "no profile `{name}` in project `{}`",
                snapshot.project_id()
            ))
            .at(Path::root().key("arguments").key("profile_name"))
            .detail("profile_name", name)),
        }
    }

    /// Every box id that will be looked up, with the path of the value that names it.
    pub fn inherited_ids(&self) -> InheritedIds {
        InheritedIds::of(self)
    }
}

/// The path of `handover.context_packing_config`.
pub(super) fn packing_path() -> Path {
    Path::root().key("handover").key("context_packing_config")
}

/// The path of a value inside `handover.context_packing_config.pack_arguments`.
pub(super) fn rule_path(index: usize) -> Path {
    Path::from_steps(vec![
        Key("handover".into()),
        Key("context_packing_config".into()),
        Key("pack_arguments".into()),
        Index(index),
    ])
}

/// The path of a value inside `handover.context_packing_config.inherit_context`.
pub(super) fn inherit_path(key: &str) -> Path {
    packing_path().key("inherit_context").key(key)
}

/// A name as text, trimmed; `None` when it is absent or blank.
fn named(value: &Json) -> Option<String> {
    if value.is_null() {
        return None;
    }
    let text = value.text_form();
    let name = trim(&text);
    (!name.is_empty()).then(|| name.to_owned())
}

fn object_or_empty<'a>(object: &'a Object, key: &str, at: &Path) -> Result<&'a Object> {
    match object.get(key) {
        None => Ok(&EMPTY),
        Some(Json::Object(object)) => Ok(object),
        Some(falsy) if !falsy.is_truthy() => Ok(&EMPTY),
        Some(other) => Err(expected("an object", other, &at.key(key))),
    }
}

/// The error for a value of a type that packing cannot use.
pub(super) fn expected(what: &str, found: &Json, at: &Path) -> Error {
    Error::bad_request(format!("expected {what}, found {}", found.kind())).at(at.clone())
}

/// The lint for a value that was passed over.
pub(super) fn ignored(path: Path, what: &str, found: &Json) -> Lint {
    Lint::new(
        "ignored_value",
        path,
        format!("expected {what}, found {}: it is ignored", found.kind()),
    )
}
