//! The rules of `pack_arguments`: one card for each rule whose argument is there.

use super::fault::{RULES, expected, ignored};
use super::plan::{Argument, Plan};
use crate::rule::ledger::{DropReason, Dropped};
use crate::value::card::RESERVED;
use crate::value::json::{Field, Json, Object};
use crate::value::limits::within;
use crate::{Code, Path, Result};

/// Plans the cards that `rules` make of the arguments.
pub(super) fn plan<'a, 'v>(
    plan: &mut Plan<'a>,
    rules: Option<&'a Json>,
    argument: &dyn Fn(&str) -> Option<&'v Json>,
) {
    plan.cards.fault = walk(plan, rules, argument).err();
}

fn walk<'a, 'v>(
    plan: &mut Plan<'a>,
    rules: Option<&'a Json>,
    argument: &dyn Fn(&str) -> Option<&'v Json>,
) -> Result<()> {
    let path = || RULES.clone();
    let rules = match rules {
        None | Some(Json::Null) => return Ok(()),
        Some(Json::Array(rules)) => rules,
        Some(number @ Json::Number(_)) if number.is_truthy() => {
            return Err(expected("a list", number, path()));
        }
        Some(truth @ Json::Bool(true)) => return Err(expected("a list", truth, path())),
        Some(other) => {
            if other.is_truthy() {
                plan.cards.lints.push(ignored(path(), "a list of rules", other));
            }
            return Ok(());
        }
    };
    let most = plan.packer.limits.max_messages;
    within(rules.len(), most, "max_messages", "the handover has {} rules", &RULES)?;
    for (index, rule) in rules.iter().enumerate() {
        apply(plan, rule, index, argument)?;
    }
    Ok(())
}

fn apply<'a, 'v>(
    plan: &mut Plan<'a>,
    rule: &'a Json,
    index: usize,
    argument: &dyn Fn(&str) -> Option<&'v Json>,
) -> Result<()> {
    let path = || RULES.index(index);
    let Json::Object(rule) = rule else {
        plan.cards.dropped.push(Dropped { path: path(), reason: DropReason::NotAnObject });
        plan.cards.lints.push(ignored(path(), "a rule object", rule));
        return Ok(());
    };
    let metadata = metadata(rule, path)?;
    let Some(arg_key) = arg_key(rule, path, plan)? else {
        plan.cards.dropped.push(Dropped { path: path(), reason: DropReason::NoArgKey });
        return Ok(());
    };
    let Some(value) = argument(arg_key) else {
        plan.cards.dropped.push(Dropped { path: path(), reason: DropReason::ArgumentAbsent });
        return Ok(());
    };
    let card_type = card_type(rule, path)?;
    let card = Argument { arg_key, own_key: arg_key, card_type, metadata };
    plan.add_argument(card, value, path)
}

/// The rule's metadata with the default role; an explicit null stays.
fn metadata(rule: &Object, path: impl Fn() -> Path) -> Result<Object> {
    let mut metadata = match rule.get("card_metadata") {
        Some(Json::Object(metadata)) => metadata.clone(),
        Some(other) if other.is_truthy() => {
            return Err(expected("an object", other, path().key("card_metadata")));
        }
        // the role, and what making a card adds
        Some(_) | None => Object::with_capacity(1 + RESERVED.len()),
    };
    metadata.get_or_insert_with("role", || Json::from("user"));
    Ok(metadata)
}

/// The name of the argument, if the rule names one that could exist.
fn arg_key<'a>(
    rule: &'a Object,
    path: impl Fn() -> Path,
    plan: &mut Plan<'_>,
) -> Result<Option<&'a str>> {
    match rule.get("arg_key") {
        Some(Json::String(key)) if !key.is_empty() => Ok(Some(key)),
        Some(other @ (Json::Array(_) | Json::Object(_))) if other.is_truthy() => {
            Err(expected("a string", other, path().key("arg_key")))
        }
        Some(other) if other.is_truthy() => {
            let lint = ignored(path().key("arg_key"), "the name of an argument", other);
            plan.cards.lints.push(lint);
            Ok(None)
        }
        Some(_) | None => Ok(None),
    }
}

fn card_type(rule: &Object, path: impl Fn() -> Path) -> Result<String> {
    match rule.get("as_card_type") {
        None => Ok("task.instruction".to_owned()),
        Some(value) => Field::new(value, Code::InvalidContent)
            .string()
            .map(str::to_owned)
            .map_err(|error| error.within(&path().key("as_card_type"))),
    }
}
