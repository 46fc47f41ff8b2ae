//! Checking the definition of a recipe: everything that could go wrong later is said now.

use super::custom::{Argument, ArgumentType, CustomRecipe};
use crate::agents::lint::AgentLint;
use crate::rule::lint::Lint;
use crate::value::Set;
use crate::value::card::RESERVED;
use crate::value::json::{Field, Fields, Json, Object, listed, trim};
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};

/// Collects faults instead of stopping at the first.
#[derive(Default)]
struct Faults(Vec<Error>);

impl Faults {
    fn note<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.0.push(error)).ok()
    }

    fn add(&mut self, field: &Field<'_>, message: impl Into<String>) {
        self.0.push(field.error(message));
    }

    /// The first fault, with all of them in its details.
    fn into_error(self) -> Option<Error> {
        let all: Vec<Json> = self
            .0
            .iter()
            .map(|fault| {
                Json::from([
                    ("path", Json::from(fault.path().to_string())),
                    ("message", Json::from(fault.message())),
                ])
            })
            .collect();
        self.0.into_iter().next().map(|first| first.detail("errors", all))
    }
}

/// Reads and checks a definition.
pub(super) fn read(field: &Field<'_>, is_reserved: fn(&str) -> bool) -> Result<CustomRecipe> {
    let fields = field.object()?;
    let mut faults = Faults::default();
    faults.note(fields.only(&["name", "description", "arguments", "handover"]));
    let name = faults.note(fields.required("name").and_then(|field| name(&field, is_reserved)));
    let description = match fields.optional("description") {
        Some(field) => faults.note(field.string()).unwrap_or_default().to_owned(),
        None => String::new(),
    };
    let arguments = match faults.note(fields.required("arguments").and_then(|f| f.list())) {
        Some(list) => arguments(&list, &mut faults),
        None => StrMap::new(),
    };
    let handover = faults.note(fields.required("handover").and_then(|f| f.object()));
    if let Some(handover) = &handover {
        check_handover(handover, &arguments, &mut faults);
    }
    match (faults.into_error(), name, handover) {
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
            "`{name}` is no name for a recipe: use a to z, 0 to 9 and `_`, a letter first"
        )));
    }
    if is_reserved(name) {
        return Err(field.error(format!("`{name}` is the name of a built-in operation")));
    }
    Ok(name.to_owned())
}

fn arguments(list: &[Field<'_>], faults: &mut Faults) -> StrMap<Argument> {
    let mut arguments: StrMap<Argument> = StrMap::new();
    for field in list {
        let Some(argument) = faults.note(argument(field)) else { continue };
        let name = argument.name.clone();
        if !arguments.insert_new(name.as_str(), argument) {
            faults.add(field, format!("the argument `{name}` is declared twice"));
        }
    }
    arguments
}

fn argument(field: &Field<'_>) -> Result<Argument> {
    let fields = field.object()?;
    fields.only(&["name", "type", "required", "description"])?;
    let name = fields.required("name")?;
    if trim(name.string()?).is_empty() {
        return Err(name.error("the name is blank"));
    }
    let kind = fields.required("type")?;
    let named = kind.string()?;
    let Some((_, found)) = ArgumentType::ALL.iter().find(|(known, _)| *known == named) else {
        let known = listed(&ArgumentType::ALL.map(|(name, _)| name));
        return Err(kind.error(format!("unknown type `{named}`; known are {known}")));
    };
    Ok(Argument {
        name: name.string()?.to_owned(),
        kind: *found,
        required: fields.optional("required").map_or(Ok(true), |field| field.boolean())?,
        description: fields.optional("description").map_or(Ok(""), |f| f.string())?.to_owned(),
    })
}

fn check_handover(handover: &Fields<'_>, arguments: &StrMap<Argument>, faults: &mut Faults) {
    let known = ["target_profile_config", "context_packing_config", "metadata"];
    faults.note(handover.only(&known));
    check_target(handover, arguments, faults);
    let Some(packing) = handover.optional("context_packing_config") else { return };
    let Some(packing) = faults.note(packing.object()) else { return };
    faults.note(packing.only(&["pack_arguments", "inherit_context"]));
    if let Some(rules) = packing.optional("pack_arguments") {
        for rule in faults.note(rules.list()).unwrap_or_default() {
            check_rule(&rule, arguments, faults);
        }
    }
    let Some(inherit) = packing.optional("inherit_context") else { return };
    let Some(inherit) = faults.note(inherit.object()) else { return };
    faults.note(inherit.only(&["include_boxes_from_args", "include_parent"]));
    if let Some(switch) = inherit.optional("include_parent") {
        faults.note(switch.boolean());
    }
    if let Some(names) = inherit.optional("include_boxes_from_args") {
        for name in faults.note(names.list()).unwrap_or_default() {
            let declared = faults.note(declared(&name, arguments));
            match declared.map(|argument| argument.kind) {
                None | Some(ArgumentType::BoxId | ArgumentType::BoxIds | ArgumentType::Any) => {}
                Some(_) => faults.add(&name, "the argument must be a `box_id` or `box_ids`"),
            }
        }
    }
}

fn check_target(handover: &Fields<'_>, arguments: &StrMap<Argument>, faults: &mut Faults) {
    let by_argument = arguments.get("profile_name");
    let configured = match handover.optional("target_profile_config") {
        None => None,
        Some(target) => faults.note(target.object()).and_then(|target| {
            faults.note(target.only(&["profile_name"]));
            target.optional("profile_name")
        }),
    };
    let place = handover.path().key("target_profile_config").key("profile_name");
    let named = match &configured {
        None => false,
        Some(name) => faults.note(name.string()).is_some_and(|name| !trim(name).is_empty()),
    };
    if !named && !by_argument.is_some_and(|argument| argument.required) {
        faults.0.push(
            Error::bad_request(
                "there is no target profile: name one here, or declare a required argument \
                 `profile_name`",
            )
            .at(place),
        );
    }
    if by_argument.is_some_and(|argument| argument.kind != ArgumentType::Text) {
        let path = handover.path().key("target_profile_config");
        faults.0.push(
            Error::bad_request("the argument `profile_name` must be of type `text`").at(path),
        );
    }
}

fn check_rule(rule: &Field<'_>, arguments: &StrMap<Argument>, faults: &mut Faults) {
    let Some(fields) = faults.note(rule.object()) else { return };
    faults.note(fields.only(&["arg_key", "as_card_type", "card_metadata"]));
    let key = faults.note(fields.required("arg_key"));
    let argument = key.and_then(|key| faults.note(declared(&key, arguments)));
    if let Some(card_type) = fields.optional("as_card_type")
        && let Some(text) = faults.note(card_type.string())
    {
        let fits = argument.is_none_or(|argument| {
            matches!(
                argument.kind,
                ArgumentType::ResultFields | ArgumentType::List | ArgumentType::Any
            )
        });
        if trim(text).is_empty() {
            faults.add(&card_type, "the card type is blank");
        } else if text == "task.result_fields" && !fits {
            faults.add(&card_type, "the argument must be of type `result_fields`");
        }
    }
    if let Some(metadata) = fields.optional("card_metadata")
        && let Some(metadata) = faults.note(metadata.object())
    {
        for key in RESERVED {
            if let Some(field) = metadata.present(key) {
                faults.add(&field, format!("`{key}` is set when the card is made"));
            }
        }
    }
}

/// The declared argument that a value names.
fn declared<'a>(field: &Field<'_>, arguments: &'a StrMap<Argument>) -> Result<&'a Argument> {
    let name = field.string()?;
    arguments.get(name).ok_or_else(|| field.error(format!("no argument `{name}` is declared")))
}

/// What is allowed and probably not meant.
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
                format!("nothing is made of the argument `{}`", argument.name),
            ));
        }
    }
    if used.is_empty() {
        let message = "the receiver is told nothing: no argument becomes a card or names a box";
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
            .map(|fault| {
                let text = |key| fault.get(key).and_then(Json::as_str).unwrap();
                format!("{}: {}", text("path"), text("message"))
            })
            .collect()
    }

    #[test]
    fn every_fault_of_a_definition_is_named_at_once() {
        let faults = refused(
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
            "extra: unknown key `extra`; known are `name`, `description`, `arguments`, `handover`",
            "name: `Review!` is no name for a recipe: use a to z, 0 to 9 and `_`, a letter first",
            "arguments[1]: the argument `a` is declared twice",
            "arguments[2].type: unknown type `blob`; known are `text`, `number`, `integer`, \
             `boolean`, `object`, `list`, `result_fields`, `box_id`, `box_ids`, `any`",
            "arguments[3].name: the name is blank",
            "handover.target_profile_config.profile_name: there is no target profile: name one \
             here, or declare a required argument `profile_name`",
            "handover.context_packing_config.pack_arguments[0].arg_key: no argument `zz` is declared",
            "handover.context_packing_config.pack_arguments[1].as_card_type: the argument must be \
             of type `result_fields`",
            "handover.context_packing_config.pack_arguments[2].card_metadata.author_id: \
             `author_id` is set when the card is made",
            "handover.context_packing_config.pack_arguments[3]: expected an object, found a number",
            "handover.context_packing_config.inherit_context.include_parent: expected a boolean, \
             found a string",
            "handover.context_packing_config.inherit_context.include_boxes_from_args[0]: the \
             argument must be a `box_id` or `box_ids`",
        ];
        assert_eq!(faults, expected);
    }

    #[test]
    fn what_is_declared_and_not_used_is_a_lint() {
        let json = Json::parse(
            r#"{"name": "r", "arguments": [{"name": "a", "type": "any"}],
                "handover": {"target_profile_config": {"profile_name": "W"}}}"#,
        );
        let recipe = read(&Field::root(&json.unwrap()), |name| name == "fork_join").unwrap();
        let codes: Vec<_> = lints(&recipe).iter().map(|lint| lint.code.as_str()).collect();
        assert_eq!(codes, ["unused_argument", "empty_handover"]);
    }
}
