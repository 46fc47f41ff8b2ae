//! Schemas that fulfill the requirements of `strict`.

use super::demands::StrictRules;
use crate::value::Set;
use crate::value::json::{Json, Object};

/// Returns a schema for `strict`, with objects closed; `None` if `strict` is impossible.
pub(super) fn strict(schema: &Json, rules: StrictRules) -> Option<Json> {
    match rules {
        StrictRules::None => None,
        StrictRules::AllRequired | StrictRules::Closed => closed(schema, rules, 0),
    }
}

/// Does the same as [`strict`], for a schema of an object.
pub(super) fn strict_object(schema: &Object, rules: StrictRules) -> Option<Object> {
    match strict(&Json::Object(schema.clone()), rules)? {
        Json::Object(closed) => Some(closed),
        _ => None,
    }
}

/// Keywords that no strict mode accepts.
const NEVER_STRICT: [&str; 12] = [
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "unevaluatedProperties",
];
/// Keywords that the smaller strict mode does not accept.
const NEVER_CLOSED: [&str; 9] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
];

fn closed(schema: &Json, rules: StrictRules, depth: usize) -> Option<Json> {
    // all providers accept five levels of objects
    if depth > 9 {
        return None;
    }
    let object = schema.as_object()?;
    let never = |key: &str| {
        NEVER_STRICT.contains(&key) || rules == StrictRules::Closed && NEVER_CLOSED.contains(&key)
    };
    if object.keys().any(|key| never(key)) || object.is_empty() {
        return None;
    }
    if rules == StrictRules::Closed && object.contains_key("$ref") {
        return None;
    }
    let mut out = Object::default();
    for (key, value) in object {
        let value = match key.as_str() {
            "properties" | "$defs" | "definitions" => {
                let named = value.as_object()?.iter();
                let named = named
                    .map(|(name, schema)| Some((name.clone(), closed(schema, rules, depth + 1)?)));
                Json::Object(named.collect::<Option<Object>>()?)
            }
            "items" => closed(value, rules, depth + 1)?,
            "anyOf" => {
                let list = value.as_array()?.iter();
                Json::Array(
                    list.map(|one| closed(one, rules, depth + 1)).collect::<Option<Vec<_>>>()?,
                )
            }
            _ => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    let is_object = match object.get("type") {
        Some(Json::String(word)) => word == "object",
        Some(Json::Array(words)) => words.contains(&"object".into()),
        Some(_) | None => false,
    };
    if !is_object {
        return Some(Json::Object(out));
    }
    match object.get("additionalProperties") {
        None => drop(out.insert("additionalProperties".into(), false.into())),
        Some(Json::Bool(false)) => {}
        Some(_) => return None,
    }
    let properties = out.get("properties").and_then(Json::as_object);
    let names: Vec<&String> = properties.into_iter().flat_map(Object::keys).collect();
    if rules == StrictRules::AllRequired {
        let required = object.get("required").and_then(Json::as_array).unwrap_or_default();
        let required: Set<String> =
            required.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        let all = names.iter().all(|name| required.contains(name.as_str()));
        if !all {
            return None;
        }
        if names.is_empty() && !object.contains_key("required") {
            out.insert("required".into(), Json::Array(Vec::new()));
        }
    }
    Some(Json::Object(out))
}
