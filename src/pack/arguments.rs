//! The rules of `pack_arguments`: one card for each rule whose argument exists.

use super::plan::{Plan, PlannedArgument};
use super::problem::{RULES, expected, ignored, lint_unknown_keys};
use crate::rule::ledger::{DropReason, Dropped};
use crate::value::card::RESERVED;
use crate::value::json::{Field, Json, Object};
use crate::value::limits::within;
use crate::{Code, Path, Result};

/// Plans the cards that `rules` make from the arguments.
pub(super) fn plan<'a, 'v>(
    plan: &mut Plan<'a>,
    rules: Option<&'a Json>,
    argument: &dyn Fn(&str) -> Option<&'v Json>,
) {
    plan.cards.error = walk(plan, rules, argument).err();
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

const RULE_KEYS: [&str; 3] = ["arg_key", "as_card_type", "card_metadata"];

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
    lint_unknown_keys(rule, &RULE_KEYS, path, &mut plan.cards.lints);
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
    let card = PlannedArgument { arg_key, own_key: arg_key, card_type, metadata };
    plan.add_argument(card, value, path)
}

/// Returns the rule's metadata with the default role. An explicit `null` is kept.
fn metadata(rule: &Object, path: impl Fn() -> Path) -> Result<Object> {
    let mut metadata = match rule.get("card_metadata") {
        Some(Json::Object(metadata)) => metadata.clone(),
        Some(other) if other.is_truthy() => {
            return Err(expected("an object", other, path().key("card_metadata")));
        }
        // room for the role and the keys that making a card adds
        Some(_) | None => Object::with_capacity(1 + RESERVED.len()),
    };
    metadata.get_or_insert_with("role", || Json::from("user"));
    Ok(metadata)
}

/// Returns the name of the argument, if the rule has a usable one.
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
