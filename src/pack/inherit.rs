//! The boxes that a context inherits, under the dialect's authority.

use super::handover::{Handover, expected, ignored, inherit_path};
use crate::rule::audit;
use crate::rule::ledger::{Dropped, Inherited as Source};
use crate::rule::lint::Lint;
use crate::rule::merge::{Merged, Merger};
use crate::store::{Expectation, Lookup, Snapshot};
use crate::value::id::BoxId;
use crate::value::ids::Symbol;
use crate::value::json::{Json, Number};
use crate::value::str_map::{Keys, StrMap};
use crate::{Error, Path, Result};
use std::sync::Arc;

/// The boxes a call names, before any is looked up.
#[derive(Default)]
pub(super) struct InheritedIds {
    /// Every box id that may be looked up, and the value that names it.
    pub ids: Vec<(String, Path)>,
    /// The first thing that is wrong, if anything is. It counts only once every id before it was
    /// found.
    pub fault: Option<Error>,
    pub dropped: Vec<Dropped>,
    pub lints: Vec<Lint>,
}

/// What was inherited.
#[derive(Default)]
pub(super) struct Inherited {
    pub sources: Vec<Source>,
    pub merged: Arc<Merged>,
    pub expects: Vec<Expectation>,
    pub audit: Vec<audit::Source>,
    pub dropped: Vec<Dropped>,
    pub lints: Vec<Lint>,
}

/// The merges of one call. Contexts that inherit the same boxes share one, so that many of them
/// cost little more than one.
#[derive(Default)]
pub(crate) struct Merges {
    merger: Merger,
    made: StrMap<Arc<Merged>>,
}

impl Merges {
    /// The lists of these boxes as one.
    fn merge(&mut self, boxes: &[BoxId], lists: &[&[Symbol]], names: usize) -> Arc<Merged> {
        // with its length before it, no id can look like two
        let ids = boxes.iter().map(|id| format!("{}:{id}", id.as_str().len()));
        let key: String = ids.collect();
        if let Some(made) = self.made.get(&key) {
            return Arc::clone(made);
        }
        let merged = Arc::new(self.merger.merge(lists, names));
        self.made.insert(key, Arc::clone(&merged));
        merged
    }
}

impl InheritedIds {
    /// Walks the arguments in order and stops at the first fault.
    pub fn of(handover: &Handover<'_>) -> Self {
        let mut found = Self::default();
        found.fault = found.walk(handover).err();
        found
    }

    fn walk(&mut self, handover: &Handover<'_>) -> Result<()> {
        let path = inherit_path("include_boxes_from_args");
        let names = match handover.inherit.get("include_boxes_from_args") {
            Some(Json::Array(names)) if !names.is_empty() => names,
            Some(other) if other.is_truthy() => {
                self.lints.push(ignored(path, "a list of argument names", other));
                return Ok(());
            }
            Some(_) | None => return Ok(()),
        };
        let authority = Authority::of(handover)?;
        for (index, name) in names.iter().enumerate() {
            let at = path.index(index);
            let Some(name) = name.as_str().filter(|name| !name.is_empty()) else {
                self.dropped.push(Dropped { path: at.clone(), reason: "not_a_name" });
                self.lints.push(ignored(at, "the name of an argument", name));
                continue;
            };
            match handover.arguments.get(name) {
                Some(value) => self.argument(name, value, &authority)?,
                None => self.dropped.push(Dropped { path: at, reason: "argument_absent" }),
            }
        }
        Ok(())
    }

    fn argument(&mut self, name: &str, value: &Json, authority: &Authority) -> Result<()> {
        let path = Path::root().key("arguments").key(name);
        if let Json::Array(items) = value {
            for (index, item) in items.iter().enumerate() {
                let at = path.index(index);
                match box_id(item) {
                    Some(box_id) => self.name_box(box_id, at, authority)?,
                    None => {
                        self.dropped.push(Dropped { path: at.clone(), reason: "not_a_box_id" });
                        self.lints.push(ignored(at, "a box id", item));
                    }
                }
            }
            return Ok(());
        }
        match box_id(value) {
            Some(box_id) => self.name_box(box_id, path, authority),
            None => Err(expected("a box id or a list of box ids", value, &path)),
        }
    }

    fn name_box(&mut self, box_id: String, path: Path, authority: &Authority) -> Result<()> {
        authority.check(&box_id, &path)?;
        self.ids.push((box_id, path));
        Ok(())
    }
}

/// A box id is text that is not empty, or an integer; a boolean is an integer to the recorded
/// systems.
fn box_id(value: &Json) -> Option<String> {
    match value {
        Json::String(text) if !text.is_empty() => Some(text.clone()),
        Json::Number(number) if Number::is_integer(number) => Some(number.text_form()),
        Json::Bool(_) => Some(value.text_form()),
        Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Which boxes may be inherited.
enum Authority {
    /// Any box of the project.
    Any,
    /// Only these.
    Listed(Keys),
}

impl Authority {
    fn of(handover: &Handover<'_>) -> Result<Self> {
        if !handover.call.dialect.checks_authority {
            return Ok(Self::Any);
        }
        let path = Path::root().key("handover").key("authorized_inherit_box_ids");
        let listed = match handover.call.handover.get("authorized_inherit_box_ids") {
            Some(Json::Array(items)) => items.iter().map(|item| item.text_form().into()).collect(),
            Some(Json::Object(object)) => object.keys().map(|key| key.as_str().into()).collect(),
            Some(Json::String(text)) => text.chars().map(|c| String::from(c).into()).collect(),
            Some(other) if other.is_truthy() => return Err(expected("a list", other, &path)),
            Some(_) | None => Keys::default(),
        };
        if listed.is_empty() {
            return Err(Error::bad_request(
                "boxes are to be inherited, but `authorized_inherit_box_ids` is empty",
            )
            .at(path));
        }
        Ok(Self::Listed(listed))
    }

    fn check(&self, box_id: &str, path: &Path) -> Result<()> {
        match self {
            Self::Any => Ok(()),
            Self::Listed(listed) if listed.contains(box_id) => Ok(()),
            Self::Listed(_) => Err(Error::bad_request(format!(
                "box `{box_id}` may not be inherited: `authorized_inherit_box_ids` does not list it"
            ))
            .at(path.clone())
            .detail("box_id", box_id)),
        }
    }
}

impl Handover<'_> {
    /// The cards of every named box, each card once.
    pub fn inherit(&self, snapshot: &Snapshot, merges: &mut Merges) -> Result<Inherited> {
        let InheritedIds { ids, fault, dropped, lints } = self.inherited_ids();
        let mut inherited = Inherited { dropped, lints, ..Inherited::default() };
        let mut lists = Vec::with_capacity(ids.len());
        let mut boxes = Vec::with_capacity(ids.len());
        let mut expects = StrMap::new();
        let authority = match self.call.dialect.checks_authority {
            true => audit::Authority::Listed,
            false => audit::Authority::Project,
        };
        for (box_id, path) in ids {
            let card_box = match snapshot.card_box(&box_id) {
                Lookup::Present(card_box) => card_box,
                Lookup::Failed(error) => return Err(error.clone()),
                Lookup::Absent | Lookup::NotRead => {
                    return Err(Error::not_found(format!(
                        "no box `{box_id}` in project `{}`",
                        snapshot.project_id()
                    ))
                    .at(path)
                    .detail("box_id", box_id));
                }
            };
            lists.push(card_box.card_ids.symbols());
            boxes.push(card_box.box_id.clone());
            let expected = Expectation::of_box(card_box.box_id.as_str(), card_box.version);
            if expects.insert_new(card_box.box_id.as_str(), expected) {
                inherited.audit.push(audit::Source {
                    box_id: card_box.box_id.clone(),
                    version: card_box.version,
                    cards: card_box.card_ids.len(),
                    authority: authority.clone(),
                    path: path.clone(),
                });
            }
            inherited.sources.push(Source { box_id: card_box.box_id.clone(), path });
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        inherited.expects = expects.into_values();
        inherited.merged = merges.merge(&boxes, &lists, snapshot.names().len());
        Ok(inherited)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::{Kind, MemoryStore, Profile, Snapshot};
    use crate::{Code, Dialect, Env, Handover, Json, PackContext, Timestamp, json, rule};

    fn packed(
        arguments: Json,
        handover: Handover,
        dialect: Dialect,
    ) -> crate::Result<Vec<(String, usize)>> {
        let mut store = MemoryStore::new();
        let tables = store.project("p1");
        tables.add_profile(Profile::new("Writer", "pb_writer"));
        tables.add_box("b1", ["c1"]).add_box("b2", ["c2", "c1"]).add_box("b3", ["c3"]);
        let call = PackContext { dialect, ..PackContext::new("t", "a", arguments, handover) };
        let env = Env::new(Timestamp::from_millis(0), [7; 32]);
        let outcome = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
        let expects = outcome.writes.expects.iter();
        let boxes = expects.filter(|expected| expected.kind() == Some(Kind::Boxes));
        let sources = outcome.ledger.audit.iter().map(|audit| audit.sources.len()).sum();
        Ok(boxes.map(|expected| (expected.first_key().to_owned(), sources)).collect())
    }

    #[test]
    fn every_inherited_box_is_expected_and_audited_once() {
        let arguments = json!({"profile_name": "Writer", "boxes": ["b1", "b2", "b1", "b3"]});
        let handover = Handover::builder().inherit("boxes").build();
        let expected = packed(arguments, handover, Dialect::V1R3).unwrap();
        assert_eq!(expected, [("b1".to_owned(), 3), ("b2".to_owned(), 3), ("b3".to_owned(), 3)]);
    }

    #[test]
    fn a_dialect_that_checks_authority_inherits_what_is_listed_and_nothing_else() {
        let arguments = json!({"profile_name": "Writer", "boxes": ["b1", "b2"]});
        let inherit = || Handover::builder().inherit("boxes");
        let pack = |handover| packed(arguments.clone(), handover, Dialect::V1R4);
        assert_eq!(pack(inherit().authorize(["b2", "b1"]).build()).unwrap().len(), 2);
        for (handover, path) in [
            (inherit().authorize(["b1"]).build(), "arguments.boxes[1]"),
            (inherit().authorize([""; 0]).build(), "handover.authorized_inherit_box_ids"),
            (inherit().build(), "handover.authorized_inherit_box_ids"),
        ] {
            let error = pack(handover).unwrap_err();
            assert_eq!((error.code(), error.path().to_string().as_str()), (Code::BadRequest, path));
        }
    }
}
