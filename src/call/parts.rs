//! The parts of the module that a call needs.

use super::operations::{OPERATIONS, Part};
use crate::agents::Setup;
use crate::value::json::Json;

impl Part {
    /// Returns true if this build has the operations of the part: see the feature `logs`.
    pub(super) const fn is_included(self) -> bool {
        match self {
            Self::Import | Self::Request | Self::Cache | Self::Lock => cfg!(feature = "logs"),
            Self::Core
            | Self::Pack
            | Self::Commit
            | Self::Agents
            | Self::Prompt
            | Self::Memory
            | Self::Response
            | Self::Handoff
            | Self::Run
            | Self::Inspect => true,
        }
    }
}

/// A set of [`Part`]s.
///
/// Shown by the example of [`parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(u16);

impl Parts {
    /// Returns the parts that reading these [settings](super::settings::Settings) needs.
    pub fn of_settings(settings: &Json) -> Self {
        let needed = [("recipes", Part::Agents), ("models", Part::Prompt)];
        needed.into_iter().fold(Self::CORE, |parts, (key, part)| match settings.get(key) {
            None | Some(Json::Null) => parts,
            Some(_) => parts.with(part),
        })
    }

    /// The core, which is always loaded.
    pub const CORE: Self = Self(1 << Part::Core as u16);

    /// Adds the parts with these names. Unknown names are ignored.
    #[must_use]
    pub fn and_named<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().fold(self, |parts, name| {
            match Part::ALL.iter().find(|part| part.as_str() == name) {
                Some(part) => parts.with(*part),
                None => parts,
            }
        })
    }

    /// Adds a part.
    #[must_use]
    pub const fn with(self, part: Part) -> Self {
        Self(self.0 | 1 << part as u16)
    }

    /// Returns the parts that are not in `other`, in the order of [`Part::ALL`].
    pub fn beyond(self, other: Self) -> impl Iterator<Item = Part> {
        let missing = Self(self.0 & !other.0);
        Part::ALL.iter().copied().filter(move |part| missing.has(*part))
    }

    const fn has(self, part: Part) -> bool {
        self.0 & 1 << part as u16 != 0
    }
}

/// Returns the parts that a call and its nested calls need. Every nested object with the name of an
/// operation counts. The result can have a part too many but never too few.
///
/// ```
/// use tuckbox::Json;
/// use tuckbox::call::{Part, Parts, parts};
///
/// let call = Json::parse(r#"{"op": "turn_view", "after": {"op": "pack_context"}}"#)?;
/// let needed = parts(&call, &Default::default());
/// assert_eq!(needed, Parts::CORE.with(Part::Pack).with(Part::Agents));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn parts(call: &Json, setup: &Setup) -> Parts {
    let mut found = Parts::CORE;
    gather(call, setup, &mut found);
    found
}

fn gather(json: &Json, setup: &Setup, found: &mut Parts) {
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        Json::Array(items) => items.iter().for_each(|item| gather(item, setup, found)),
        Json::Object(object) => {
            let name = object.get("op").and_then(Json::as_str);
            if let Some((_, part)) = name.and_then(|name| operation(name, setup)) {
                *found = found.with(part);
            }
            // the entry of a context uses `payload`, and so does a conversion to other providers
            let is_payload = ["context", "legal_for"].iter().any(|key| object.contains_key(key));
            if found.has(Part::Lock) && is_payload {
                *found = found.with(Part::Prompt);
            }
            // views and prompts of a turn use `turn_view`
            let looks = [Part::Inspect, Part::Request, Part::Prompt];
            if looks.iter().any(|part| found.has(*part)) && object.contains_key("turn") {
                *found = found.with(Part::Agents);
            }
            // a recorded step uses `turn_view`
            if found.has(Part::Run) && object.contains_key("record") {
                *found = found.with(Part::Agents);
            }
            object.values().for_each(|value| gather(value, setup, found));
        }
    }
}

/// Returns the operation of a call with this name, and its part. A host's recipe runs under its own
/// name.
pub(super) fn operation(name: &str, setup: &Setup) -> Option<(&'static str, Part)> {
    match OPERATIONS.iter().find(|(known, _)| *known == name) {
        Some(found) => Some(*found),
        None => setup.recipes.get(name).map(|_| ("run_recipe", Part::Agents)),
    }
}
