//! The boxes that a handover inherits, checked as the dialect requires.

use super::plan::{Plan, PlannedBox};
use super::problem::{INHERIT, expected, ignored};
use crate::rule::audit;
use crate::rule::ledger::{DropReason, Dropped};
use crate::rule::refusal::{Policy, refused};
use crate::value::id::BoxId;
use crate::value::json::{Json, Number};
use crate::value::str_map::{Keys, StrMap};
use crate::{Error, Path, Result};

/// The source of the authority over inherited boxes, for dialects that check it.
#[derive(Clone, Copy)]
pub(super) enum Grant<'a> {
    /// The list `authorized_inherit_box_ids` of the handover.
    Handover(Option<&'a Json>),
    /// The boxes that a recipe has checked.
    Settled(&'a StrMap<PlannedBox>),
}

/// Plans the boxes that these arguments name, up to the first error.
pub(super) fn plan<'v>(
    plan: &mut Plan<'_>,
    names: Option<&Json>,
    grant: Grant<'_>,
    argument: &dyn Fn(&str) -> Option<&'v Json>,
) {
    plan.boxes.error = walk(plan, names, grant, argument).err();
}

fn walk<'v>(
    plan: &mut Plan<'_>,
    names: Option<&Json>,
    grant: Grant<'_>,
    argument: &dyn Fn(&str) -> Option<&'v Json>,
) -> Result<()> {
    let checks_authority = plan.packer.dialect.checks_authority;
    if let Grant::Settled(boxes) = grant
        && boxes.len() == 0
        && checks_authority
    {
        // a call without boxes needs no list of authorized ones
        return Ok(());
    }
    let path = || INHERIT.key("include_boxes_from_args");
    let names = match names {
        Some(Json::Array(names)) if !names.is_empty() => names,
        Some(other) if other.is_truthy() => {
            plan.boxes.lints.push(ignored(path(), "a list of argument names", other));
            return Ok(());
        }
        Some(_) | None => return Ok(()),
    };
    let authority = if checks_authority { Authority::of(grant)? } else { Authority::Any };
    let mut named = 0;
    for (index, name) in names.iter().enumerate() {
        let at = || path().index(index);
        let Some(name) = name.as_str().filter(|name| !name.is_empty()) else {
            plan.boxes.dropped.push(Dropped { path: at(), reason: DropReason::NotAName });
            plan.boxes.lints.push(ignored(at(), "the name of an argument", name));
            continue;
        };
        match argument(name) {
            Some(value) => {
                named += value.as_array().map_or(1, <[Json]>::len);
                let within = plan.packer.limits.check_values(named, &Path::root());
                within.map_err(|error| error.at(at()))?;
                add_argument(plan, name, value, &authority)?;
            }
            None => {
                plan.boxes.dropped.push(Dropped { path: at(), reason: DropReason::ArgumentAbsent })
            }
        }
    }
    Ok(())
}

fn add_argument(
    plan: &mut Plan<'_>,
    name: &str,
    value: &Json,
    authority: &Authority<'_>,
) -> Result<()> {
    let path = plan.path.key(name);
    if let Json::Array(items) = value {
        plan.boxes.items.reserve(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = path.index(index);
            match box_id(item) {
                Some(box_id) => add_box(plan, box_id, at, authority)?,
                None => {
                    plan.boxes
                        .dropped
                        .push(Dropped { path: at.clone(), reason: DropReason::NotABoxId });
                    plan.boxes.lints.push(ignored(at, "a box id", item));
                }
            }
        }
        return Ok(());
    }
    match box_id(value) {
        Some(box_id) => add_box(plan, box_id, path, authority),
        None => Err(expected("a box id or a list of box ids", value, path)),
    }
}

fn add_box(
    plan: &mut Plan<'_>,
    box_id: BoxId,
    path: Path,
    authority: &Authority<'_>,
) -> Result<()> {
    let Some(of_call) = authority.over(box_id.as_str()) else {
        let error = Error::bad_request(format!(
            "box `{box_id}` cannot be inherited; add it to `authorized_inherit_box_ids`"
        ));
        let error = error.at(path).detail("box_id", box_id.as_str());
        return Err(refused(error, &Policy::ListedBoxes(authority.listed())));
    };
    let authority = match plan.packer.warrant {
        Some(warrant) => warrant.check(box_id.as_str(), plan.packer.agent_id, &path)?,
        None => of_call,
    };
    plan.boxes.items.push(PlannedBox { box_id, path, authority });
    Ok(())
}

/// Returns a box id: a string that is not empty, or an integer. The reference systems treat a
/// boolean as an integer.
fn box_id(value: &Json) -> Option<BoxId> {
    match value {
        Json::String(text) if !text.is_empty() => Some(BoxId::from(text.as_str())),
        Json::Number(number) if Number::is_integer(number) => {
            Some(number.text_form().into_owned().into())
        }
        Json::Bool(_) => Some(value.text_form().into()),
        Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// The boxes that can be inherited.
enum Authority<'a> {
    /// Any box of the project.
    Any,
    /// These boxes.
    Listed(Keys),
    /// These boxes, each with its own authority.
    Settled(&'a StrMap<PlannedBox>),
}

impl<'a> Authority<'a> {
    fn of(grant: Grant<'a>) -> Result<Self> {
        let listed = match grant {
            Grant::Settled(boxes) => return Ok(Self::Settled(boxes)),
            Grant::Handover(listed) => listed,
        };
        let path = || Path::root().key("handover").key("authorized_inherit_box_ids");
        let listed = match listed {
            Some(Json::Array(items)) => items.iter().map(|item| item.text_form().into()).collect(),
            Some(Json::Object(object)) => object.keys().map(|key| key.as_str().into()).collect(),
            Some(Json::String(text)) => text.chars().map(|c| String::from(c).into()).collect(),
            Some(other) if other.is_truthy() => return Err(expected("a list", other, path())),
            Some(_) | None => Keys::default(),
        };
        if listed.is_empty() {
            let message = "`authorized_inherit_box_ids` is empty; list the boxes to inherit";
            let error = Error::bad_request(message).at(path());
            return Err(refused(error, &Policy::ListedBoxes(Vec::new())));
        }
        Ok(Self::Listed(listed))
    }

    /// Returns the listed boxes.
    fn listed(&self) -> Vec<BoxId> {
        match self {
            Self::Any => Vec::new(),
            Self::Listed(listed) => listed.iter().map(|id| BoxId::from(&**id)).collect(),
            Self::Settled(boxes) => boxes.keys().map(BoxId::from).collect(),
        }
    }

    /// Returns the authority over this box, or `None` if it cannot be inherited.
    fn over(&self, box_id: &str) -> Option<audit::Authority> {
        match self {
            Self::Any => Some(audit::Authority::Project),
            Self::Listed(listed) => listed.contains(box_id).then_some(audit::Authority::Listed),
            Self::Settled(boxes) => boxes.get(box_id).map(|settled| settled.authority.clone()),
        }
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
        let call = PackContext {
            dialect: Some(dialect),
            ..PackContext::new("t", "a", arguments, handover)
        };
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
    fn a_dialect_that_checks_authority_inherits_only_listed_boxes() {
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
