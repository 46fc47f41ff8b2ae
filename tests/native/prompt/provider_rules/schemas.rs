//! The rules of JSON Schema and of providers for the schema of a tool.

use super::{Check, demand, word};
use tuckbox::Json;

/// The provider whose rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Openai,
    Anthropic,
    Gemini,
}

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

/// Checks the schema of a tool. OpenAI's error "schema must have type 'object' and not have
/// 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"; Anthropic's error "input_schema does not
/// support oneOf, allOf, or anyOf at the top level"; Gemini's reference of `FunctionDeclaration`:
/// "the schema must describe an object".
pub fn schema(value: &Json, dialect: Dialect) -> Check {
    demand(
        value.get("type").and_then(Json::as_str) == Some("object"),
        "the schema is not of type `object`",
        value,
    )?;
    demand(value.get("properties").is_some(), "an object schema has no properties", value)?;
    let alternatives = ["anyOf", "oneOf", "allOf", "enum", "not", "const", "$ref"];
    demand(
        alternatives.iter().all(|key| value.get(key).is_none()),
        "the top level has alternatives",
        value,
    )?;
    below(value, value, dialect)
}

fn below(value: &Json, root: &Json, dialect: Dialect) -> Check {
    let object = value.as_object().ok_or_else(|| format!("a schema is not an object: {value}"))?;
    // the meta schema of JSON Schema, draft 2020-12, `type`
    let is = |word: &str| {
        let kind = object.get("type");
        kind.and_then(Json::as_str) == Some(word)
            || kind.and_then(Json::as_array).is_some_and(|kinds| kinds.contains(&word.into()))
    };
    match object.get("type") {
        None => {}
        Some(Json::String(kind)) => {
            demand(TYPES.contains(&kind.as_str()), "a type is invalid", value)?
        }
        Some(Json::Array(kinds)) => {
            let known = |kind: &Json| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
            demand(!kinds.is_empty() && kinds.iter().all(known), "types", value)?;
        }
        Some(_) => return Err(format!("a type is not a name: {value}")),
    }
    // OpenAI's error "array schema missing items"; Gemini's error "items: missing field"
    demand(!is("array") || object.get("items").is_some(), "array schema missing items", value)?;
    // OpenAI's error "object schema missing properties"
    let listed = dialect != Dialect::Openai || !is("object") || object.get("properties").is_some();
    demand(listed, "object schema missing properties", value)?;
    if let Some(reference) = object.get("$ref") {
        let pointer = reference.as_str().unwrap_or_default();
        demand(resolves(root, pointer), "a reference does not resolve", value)?;
        // Gemini's reference of `responseJsonSchema`: next to `$ref`, only `$` keys are allowed
        let alone = object.keys().all(|key| key.starts_with('$'));
        demand(dialect != Dialect::Gemini || alone, "a reference has other keys", value)?;
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        let Some(list) = object.get(key) else { continue };
        let list = list.as_array().ok_or_else(|| format!("`{key}` is not a list: {value}"))?;
        demand(!list.is_empty(), "a list of schemas is empty", value)?;
        for one in list {
            below(one, root, dialect)?;
        }
    }
    for key in ["properties", "$defs", "definitions", "patternProperties"] {
        let Some(named) = object.get(key) else { continue };
        let named =
            named.as_object().ok_or_else(|| format!("`{key}` is not an object: {value}"))?;
        for (name, one) in named {
            // Anthropic's error "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
            let legal = dialect != Dialect::Anthropic || key != "properties" || word(name, 64, ".");
            demand(legal, "the name of a property is invalid", value)?;
            below(one, root, dialect)?;
        }
    }
    for key in ["items", "not", "contains", "if", "then", "else"] {
        if let Some(one) = object.get(key) {
            below(one, root, dialect)?;
        }
    }
    if let Some(more) = object.get("additionalProperties").filter(|m| m.as_bool().is_none()) {
        below(more, root, dialect)?;
    }
    if let Some(required) = object.get("required") {
        let names =
            required.as_array().ok_or_else(|| format!("`required` is not a list: {value}"))?;
        demand(
            names.iter().all(|name| name.as_str().is_some()),
            "a required name is not a string",
            value,
        )?;
        demand(super::unique(names), "a name is required twice", value)?;
    }
    if let Some(values) = object.get("enum") {
        demand(values.as_array().is_some_and(|v| !v.is_empty()), "an enum is empty", value)?;
    }
    Ok(())
}

fn resolves(root: &Json, reference: &str) -> bool {
    let Some(pointer) = reference.strip_prefix('#') else { return false };
    let mut at = Some(root);
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        at = at.and_then(|at| match at {
            Json::Array(items) => items.get(step.parse::<usize>().ok()?),
            other => other.get(&step),
        });
    }
    at.is_some()
}

/// Checks a `strict` schema. OpenAI's guide to structured outputs: closed objects, every field
/// required, no `allOf`, `not`, `if` and similar. Anthropic's guide to structured outputs: closed
/// objects, no numeric or length limits, no recursion.
pub fn strict(value: &Json, all_required: bool) -> Check {
    let object = value.as_object().ok_or_else(|| format!("a schema is not an object: {value}"))?;
    for never in ["allOf", "oneOf", "not", "if", "patternProperties", "prefixItems"] {
        demand(object.get(never).is_none(), never, value)?;
    }
    if !all_required {
        for never in ["minimum", "maximum", "minLength", "maxLength", "multipleOf", "$ref"] {
            demand(object.get(never).is_none(), never, value)?;
        }
    }
    if object.get("type").and_then(Json::as_str) == Some("object") {
        let closed = object.get("additionalProperties") == Some(&Json::Bool(false));
        demand(closed, "a strict object is not closed", value)?;
        let properties = object.get("properties").and_then(Json::as_object);
        let required = object.get("required").and_then(Json::as_array).unwrap_or_default();
        let mut names = properties.into_iter().flat_map(|properties| properties.keys());
        let all = names.all(|name| required.contains(&Json::from(name.as_str())));
        demand(!all_required || all, "a strict object has optional properties", value)?;
    }
    for key in ["properties", "$defs"] {
        for one in object.get(key).and_then(Json::as_object).into_iter().flat_map(|o| o.values()) {
            strict(one, all_required)?;
        }
    }
    for one in object.get("anyOf").and_then(Json::as_array).unwrap_or_default() {
        strict(one, all_required)?;
    }
    object.get("items").map_or(Ok(()), |items| strict(items, all_required))
}
