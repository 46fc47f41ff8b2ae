//! The check of a recipe definition. It reports every error at once.

use super::custom::{Argument, ArgumentType, CustomRecipe};
use crate::agents::lint::AgentLint;
use crate::rule::lint::Lint;
use crate::value::Set;
use crate::value::card::RESERVED;
use crate::value::json::{Field, Fields, Json, Object, listed, trim};
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};

/// Collects errors instead of stopping at the first.
#[derive(Default)]
struct Problems(Vec<Error>);

impl Problems {
    fn note<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.0.push(error)).ok()
    }

    fn add(&mut self, field: &Field<'_>, message: impl Into<String>) {
        self.0.push(field.error(message));
    }

    /// Returns the first error, with all of them in its details.
    fn into_error(self) -> Option<Error> {
        let all: Vec<Json> = self
            .0
            .iter()
            .map(|problem| {
                Json::from([
                    ("path", Json::from(problem.path().to_string())),
                    ("message", Json::from(problem.message())),
                ])
            })
            .collect();
        self.0.into_iter().next().map(|first| first.detail("errors", all))
    }
}

/// Reads and checks a definition.
pub(super) fn read(field: &Field<'_>, is_reserved: fn(&str) -> bool) -> Result<CustomRecipe> {
    let fields = field.object()?;
    let mut problems = Problems::default();
    problems.note(fields.only(&["name", "description", "arguments", "handover"]));
    let name = problems.note(fields.required("name").and_then(|field| name(&field, is_reserved)));
    let description = match fields.optional("description") {
        Some(field) => problems.note(field.string()).unwrap_or_default().to_owned(),
        None => String::new(),
    };
    let arguments = match problems.note(fields.required("arguments").and_then(|f| f.list())) {
        Some(list) => arguments(&list, &mut problems),
        None => StrMap::new(),
    };
    let handover = problems.note(fields.required("handover").and_then(|f| f.object()));
    if let Some(handover) = &handover {
        check_handover(handover, &arguments, &mut problems);
    }
    match (problems.into_error(), name, handover) {
        (None, Some(name), Some(handover)) => {
            let (arguments, handover) = (arguments.into_values(), handover.json().clone());
            Ok(CustomRecipe { name, description, arguments, handover })
        }
        (Some(error), _, _) => Err(error),
        (None, _, _) => Err(field.error("the definition is incomplete")),
    }
}

fn name(field: &Field<'_>, is_reserved: fn(&str) -> bool) -> Result<String> {
    let name = field.string()?;
    let plain = name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    if !plain || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Err(field.error(format!(
            "`{name}` is not a recipe name; use `a` to `z`, `0` to `9` and `_`, starting with a \
             letter"
        )));
    }
    if is_reserved(name) {
        return Err(
            field.error(format!("`{name}` is the name of a built-in operation; choose another"))
        );
    }
    Ok(name.to_owned())
}

fn arguments(list: &[Field<'_>], problems: &mut Problems) -> StrMap<Argument> {
    let mut arguments: StrMap<Argument> = StrMap::new();
    for field in list {
        let Some(argument) = problems.note(argument(field)) else { continue };
        let name = argument.name.clone();
        if !arguments.insert_new(name.as_str(), argument) {
            problems.add(field, format!("argument `{name}` is declared twice"));
        }
    }
    arguments
}

fn argument(field: &Field<'_>) -> Result<Argument> {
    let fields = field.object()?;
    fields.only(&["name", "type", "required", "description"])?;
    let name = fields.required("name")?;
    if trim(name.string()?).is_empty() {
        return Err(name.error("`name` must not be blank"));
    }
    let kind = fields.required("type")?;
    let named = kind.string()?;
    let Some((_, found)) = ArgumentType::ALL.iter().find(|(known, _)| *known == named) else {
        let known = listed(&ArgumentType::ALL.map(|(name, _)| name));
        return Err(kind.error(format!("unknown type `{named}`; expected one of {known}")));
    };
    Ok(Argument {
        name: name.string()?.to_owned(),
        kind: *found,
        required: fields.optional("required").map_or(Ok(true), |field| field.boolean())?,
        description: fields.optional("description").map_or(Ok(""), |f| f.string())?.to_owned(),
    })
}

fn check_handover(handover: &Fields<'_>, arguments: &StrMap<Argument>, problems: &mut Problems) {
    let known = ["target_profile_config", "context_packing_config", "metadata"];
    problems.note(handover.only(&known));
    check_target(handover, arguments, problems);
    let Some(packing) = handover.optional("context_packing_config") else { return };
    let Some(packing) = problems.note(packing.object()) else { return };
    problems.note(packing.only(&["pack_arguments", "inherit_context"]));
    if let Some(rules) = packing.optional("pack_arguments") {
        for rule in problems.note(rules.list()).unwrap_or_default() {
            check_rule(&rule, arguments, problems);
        }
    }
    let Some(inherit) = packing.optional("inherit_context") else { return };
    let Some(inherit) = problems.note(inherit.object()) else { return };
    problems.note(inherit.only(&["include_boxes_from_args", "include_parent"]));
    if let Some(switch) = inherit.optional("include_parent") {
        problems.note(switch.boolean());
    }
    if let Some(names) = inherit.optional("include_boxes_from_args") {
        for name in problems.note(names.list()).unwrap_or_default() {
            let declared = problems.note(declared(&name, arguments));
            match declared.map(|argument| argument.kind) {
                None | Some(ArgumentType::BoxId | ArgumentType::BoxIds | ArgumentType::Any) => {}
                Some(_) => {
                    problems.add(&name, "the argument must have the type `box_id` or `box_ids`")
                }
            }
        }
    }
}

fn check_target(handover: &Fields<'_>, arguments: &StrMap<Argument>, problems: &mut Problems) {
    let by_argument = arguments.get("profile_name");
    let configured = match handover.optional("target_profile_config") {
        None => None,
        Some(target) => problems.note(target.object()).and_then(|target| {
            problems.note(target.only(&["profile_name"]));
            target.optional("profile_name")
        }),
    };
    let place = handover.path().key("target_profile_config").key("profile_name");
    let named = match &configured {
        None => false,
        Some(name) => problems.note(name.string()).is_some_and(|name| !trim(name).is_empty()),
    };
    if !named && !by_argument.is_some_and(|argument| argument.required) {
        problems.0.push(
            Error::bad_request(
                "no target profile; set it here, or declare a required argument `profile_name`",
            )
            .at(place),
        );
    }
    if by_argument.is_some_and(|argument| argument.kind != ArgumentType::Text) {
        let path = handover.path().key("target_profile_config");
        problems
            .0
            .push(Error::bad_request("argument `profile_name` must have the type `text`").at(path));
    }
}

fn check_rule(rule: &Field<'_>, arguments: &StrMap<Argument>, problems: &mut Problems) {
    let Some(fields) = problems.note(rule.object()) else { return };
    problems.note(fields.only(&["arg_key", "as_card_type", "card_metadata"]));
    let key = problems.note(fields.required("arg_key"));
    let argument = key.and_then(|key| problems.note(declared(&key, arguments)));
    if let Some(card_type) = fields.optional("as_card_type")
        && let Some(text) = problems.note(card_type.string())
    {
        let fits = argument.is_none_or(|argument| {
            matches!(
                argument.kind,
                ArgumentType::ResultFields | ArgumentType::List | ArgumentType::Any
            )
        });
        if trim(text).is_empty() {
            problems.add(&card_type, "`as_card_type` must not be blank");
        } else if text == "task.result_fields" && !fits {
            problems.add(&card_type, "the argument must have the type `result_fields`");
        }
    }
    if let Some(metadata) = fields.optional("card_metadata")
        && let Some(metadata) = problems.note(metadata.object())
    {
        for key in RESERVED {
            if let Some(field) = metadata.present(key) {
                problems
                    .add(&field, format!("`{key}` is reserved; remove it from `card_metadata`"));
            }
        }
    }
}

/// Returns the declared argument that a value names.
fn declared<'a>(field: &Field<'_>, arguments: &'a StrMap<Argument>) -> Result<&'a Argument> {
    let name = field.string()?;
    arguments.get(name).ok_or_else(|| field.error(format!("argument `{name}` is not declared")))
}

/// Returns the lints of a definition.
pub(super) fn lints(recipe: &CustomRecipe) -> Vec<Lint> {
    let path = Path::root().key("recipe");
    let packing = recipe.handover.get("context_packing_config").and_then(Json::as_object);
    let used = packing.map(used_names).unwrap_or_default();
    let mut lints = Vec::new();
    for (index, argument) in recipe.arguments.iter().enumerate() {
        if argument.name != "profile_name" && !used.contains(argument.name.as_str()) {
            lints.push(Lint::new(
                AgentLint::UnusedArgument,
                path.key("arguments").index(index),
                format!("argument `{}` is not used", argument.name),
            ));
        }
    }
    if used.is_empty() {
        let message = "the context is empty: no argument becomes a card or names a box";
        lints.push(Lint::new(AgentLint::EmptyHandover, path.key("handover"), message));
    }
    lints
}

fn used_names(packing: &Object) -> Set<&str> {
    let rules = packing.get("pack_arguments").and_then(Json::as_array).unwrap_or_default();
    let keys = rules.iter().filter_map(|rule| rule.get("arg_key")?.as_str());
    let inherit = packing.get("inherit_context");
    let boxes = inherit.and_then(|inherit| inherit.get("include_boxes_from_args"));
    let boxes = boxes.and_then(Json::as_array).unwrap_or_default();
    keys.chain(boxes.iter().filter_map(Json::as_str)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Vec<String> {
        let json = Json::parse(text).unwrap();
        let error = read(&Field::root(&json), |name| name == "fork_join").unwrap_err();
        let all = error.details().get("errors").and_then(Json::as_array).unwrap();
        all.iter()
            .map(|problem| {
                let text = |key| problem.get(key).and_then(Json::as_str).unwrap();
                format!("{}: {}", text("path"), text("message"))
            })
            .collect()
    }

    #[test]
    fn every_error_of_a_definition_is_reported_at_once() {
        let problems = refused(
            r#"{"name": "Review!", "extra": 1,
                "arguments": [
                    {"name": "a", "type": "text"},
                    {"name": "a", "type": "text"},
                    {"name": "b", "type": "blob"},
                    {"name": " ", "type": "text"}],
                "handover": {
                    "context_packing_config": {
                        "pack_arguments": [
                            {"arg_key": "zz"},
                            {"arg_key": "a", "as_card_type": "task.result_fields"},
                            {"arg_key": "a", "card_metadata": {"author_id": "me"}},
                            5],
                        "inherit_context": {
                            "include_boxes_from_args": ["a"], "include_parent": "yes"}}}}"#,
        );
        let expected = [
            "extra: unknown key `extra`; expected one of `name`, `description`, `arguments`, `handover`",
            "name: `Review!` is not a recipe name; use `a` to `z`, `0` to `9` and `_`, starting with a \
             letter",
            "arguments[1]: argument `a` is declared twice",
            "arguments[2].type: unknown type `blob`; expected one of `text`, `number`, `integer`, \
             `boolean`, `object`, `list`, `result_fields`, `box_id`, `box_ids`, `any`",
            "arguments[3].name: `name` must not be blank",
            "handover.target_profile_config.profile_name: no target profile; set it here, or declare \
             a required argument `profile_name`",
            "handover.context_packing_config.pack_arguments[0].arg_key: argument `zz` is not declared",
            "handover.context_packing_config.pack_arguments[1].as_card_type: the argument must \
             have the type `result_fields`",
            "handover.context_packing_config.pack_arguments[2].card_metadata.author_id: \
             `author_id` is reserved; remove it from `card_metadata`",
            "handover.context_packing_config.pack_arguments[3]: expected an object, found a number",
            "handover.context_packing_config.inherit_context.include_parent: expected a boolean, \
             found a string",
            "handover.context_packing_config.inherit_context.include_boxes_from_args[0]: the \
             argument must have the type `box_id` or `box_ids`",
        ];
        assert_eq!(problems, expected);
    }

    #[test]
    fn an_unused_argument_is_a_lint() {
        let json = Json::parse(
            r#"{"name": "r", "arguments": [{"name": "a", "type": "any"}],
                "handover": {"target_profile_config": {"profile_name": "W"}}}"#,
        );
        let recipe = read(&Field::root(&json.unwrap()), |name| name == "fork_join").unwrap();
        let codes: Vec<_> = lints(&recipe).iter().map(|lint| lint.code.as_str()).collect();
        assert_eq!(codes, ["unused_argument", "empty_handover"]);
    }
}
