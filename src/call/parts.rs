//! Which parts of the product a call needs.

use super::operations::{OPERATIONS, Part};
use crate::agents::Setup;
use crate::value::json::Json;

/// A set of [`Part`]s.
///
/// Shown by the example of [`parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(u16);

impl Parts {
    /// The parts that reading these [settings](super::settings::Settings) needs.
    pub fn of_settings(settings: &Json) -> Self {
        match settings.get("recipes") {
            None | Some(Json::Null) => Self::CORE,
            Some(_) => Self::CORE.with(Part::Agents),
        }
    }

    /// The part that is always there.
    pub const CORE: Self = Self(1 << Part::Core as u16);

    /// These, and the parts of these names; names of nothing are passed over.
    #[must_use]
    pub fn and_named<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().fold(self, |parts, name| {
            match Part::ALL.iter().find(|part| part.as_str() == name) {
                Some(part) => parts.with(*part),
                None => parts,
            }
        })
    }

    /// These, and one more.
    #[must_use]
    pub const fn with(self, part: Part) -> Self {
        Self(self.0 | 1 << part as u16)
    }

    /// Those of these that are not in `other`, in the order of [`Part::ALL`].
    pub fn beyond(self, other: Self) -> impl Iterator<Item = Part> {
        let missing = Self(self.0 & !other.0);
        Part::ALL.iter().copied().filter(move |part| missing.has(*part))
    }

    const fn has(self, part: Part) -> bool {
        self.0 & 1 << part as u16 != 0
    }
}

/// The parts that a call and the calls inside it need: everything in it that names an operation
/// counts, so this may be one part too many and never one too few.
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
            // whoever looks at a turn, or makes a prompt of it, sees what `turn_view` shows
            let looks = [Part::Inspect, Part::Request, Part::Prompt];
            if looks.iter().any(|part| found.has(*part)) && object.contains_key("turn") {
                *found = found.with(Part::Agents);
            }
            object.values().for_each(|value| gather(value, setup, found));
        }
    }
}

/// The operation that a call by this name runs, and its part. A host's recipe is run under its own
/// name.
pub(super) fn operation(name: &str, setup: &Setup) -> Option<(&'static str, Part)> {
    match OPERATIONS.iter().find(|(known, _)| *known == name) {
        Some(found) => Some(*found),
        None => setup.recipes.get(name).map(|_| ("run_recipe", Part::Agents)),
    }
}
