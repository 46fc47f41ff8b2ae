//! Arguments and answers as JSON Schema, draft 2020-12.

use super::Declarations;
use super::attributes::doc_of;
use super::macros::Operation;
use super::methods;
use super::shape::{Field, Results, Shape};
use anyhow::Result;
use tuckbox::prompt::provider::{Change, Provider};
use tuckbox::value::json::Object;
use tuckbox::{Json, json};

/// The error codes of every operation.
const COMMON_ERRORS: [&str; 3] = ["bad_request", "limit", "store"];

/// Returns the text of `pkg/schema/operations.json`.
pub fn file(of: &Declarations) -> Result<String> {
    let mut definitions = Object::default();
    let shared = super::typescript::all_shared_types(of);
    for results in [&of.results, &of.input] {
        for (name, typed) in &results.types {
            if typed.parameters.is_empty() {
                // a type of arguments and answers is strict
                let results = if shared.contains(name.as_str()) { &of.input } else { results };
                let schema = described(results.schema(&typed.shape), &typed.doc);
                definitions.insert(name.as_str().into(), schema);
            }
        }
    }
    let mut operations = Object::default();
    for operation in &of.operations {
        let name = operation.name.as_str();
        let mut entry = Object::default();
        entry.insert("description".into(), doc_of(&operation.doc).into());
        entry.insert("method".into(), methods::path(operation)?.into());
        entry.insert("part".into(), operation.part.as_str().into());
        entry.insert("reads".into(), list(operation.facts.reads.iter().map(String::as_str)));
        entry.insert("writes".into(), operation.facts.writes.into());
        entry.insert("errors".into(), list(errors(operation)));
        // an operation without declared arguments takes any object
        let arguments = of.input.shape_of(name).map(|shape| of.input.schema(shape));
        let arguments = arguments.unwrap_or_else(|| json!({"type": "object"}));
        entry.insert("arguments".into(), arguments);
        let result = of.results.shape_of(name).map(|shape| of.results.schema(shape));
        entry.insert("result".into(), result.unwrap_or_else(|| json!({})));
        if let Some(example) = of.examples.get(name) {
            entry.insert("example".into(), example.clone());
        }
        operations.insert(name.into(), Json::Object(entry));
    }
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The operations of Tuckbox",
        "operations": (Json::Object(operations)),
        "$defs": (Json::Object(definitions)),
    });
    Ok(indented(&whole, 0) + "\n")
}

/// Returns the error codes of an operation.
pub fn errors(operation: &Operation) -> Vec<&str> {
    let mut errors: Vec<&str> = COMMON_ERRORS.to_vec();
    errors.extend(operation.facts.errors.iter().map(String::as_str));
    if operation.facts.writes && !errors.contains(&"conflict") {
        errors.push("conflict");
    }
    errors.sort_unstable();
    errors
}

fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> Json {
    words.into_iter().map(Json::from).collect()
}

fn described(schema: Json, doc: &str) -> Json {
    let Json::Object(object) = schema else { return schema };
    if doc.is_empty() {
        return Json::Object(object);
    }
    let mut out = Object::default();
    out.insert("description".into(), doc.into());
    out.extend(object);
    Json::Object(out)
}

impl Results {
    /// Returns the schema of the arguments or the answer of an operation.
    pub fn shape_of(&self, operation: &str) -> Option<&Shape> {
        self.answers.iter().find(|(name, _)| name == operation).map(|(_, shape)| shape)
    }

    fn schema(&self, shape: &Shape) -> Json {
        match shape {
            Shape::Text => json!({"type": "string"}),
            Shape::Base64 => json!({"type": "string", "contentEncoding": "base64"}),
            Shape::Id if self.is_input => {
                json!({"type": "string", "minLength": 1, "pattern": "^[^\\u0000]*$"})
            }
            Shape::Id => json!({"type": "string"}),
            Shape::Number => json!({"type": "number"}),
            Shape::NonNegative => json!({"type": "number", "minimum": 0}),
            Shape::Whole(least, most) => {
                let mut schema = Object::default();
                schema.insert("type".into(), "integer".into());
                let bounds = [("minimum", least), ("maximum", most)];
                for (key, bound) in bounds {
                    bound.map(|bound| schema.insert(key.into(), bound.into()));
                }
                Json::Object(schema)
            }
            Shape::Bool => json!({"type": "boolean"}),
            Shape::Null => json!({"type": "null"}),
            Shape::Json | Shape::Parameter(_) | Shape::Outside("json", "Json" | "JsonInput") => {
                json!({})
            }
            // the documented schema; the reader coerces or rejects other values
            Shape::Loose(held) => {
                let mut schema = self.schema(held);
                if let Json::Object(schema) = &mut schema {
                    schema.insert("x-lenient".into(), true.into());
                }
                schema
            }
            Shape::Outside("arguments", name) => json!({"$ref": (format!("#/$defs/{name}"))}),
            Shape::Object | Shape::Outside(..) => json!({"type": "object"}),
            Shape::Code("codes", "Provider") => {
                let names = Provider::ALL.iter().map(|provider| provider.as_str());
                json!({"enum": (list(names))})
            }
            Shape::Code("codes", "ChangeCode") => {
                json!({"enum": (list(Change::ALL.iter().map(|change| change.as_str())))})
            }
            Shape::Code("compose", "ContextKey") => {
                json!({"type": "string", "pattern": "__context$"})
            }
            Shape::Code(..) => json!({"type": "string"}),
            Shape::Word(word) => json!({"const": (word.as_str())}),
            Shape::Is(is) => json!({"const": (*is)}),
            Shape::List(held) => json!({"type": "array", "items": (self.schema(held))}),
            Shape::Map(key, held) => {
                let values = self.schema(held);
                match self.schema(key) {
                    key if key.get("pattern").is_some() && self.is_input => json!({
                        "type": "object", "propertyNames": (key), "additionalProperties": (values),
                    }),
                    _ => json!({"type": "object", "additionalProperties": (values)}),
                }
            }
            Shape::Pair(parts) => {
                let items: Json = parts.iter().map(|part| self.schema(part)).collect();
                let count = parts.len();
                json!({"type": "array", "prefixItems": (items), "items": false, "minItems": (count)})
            }
            Shape::Named(name, generics) if generics.is_empty() => {
                json!({"$ref": (format!("#/$defs/{name}"))})
            }
            Shape::Named(name, generics) => match self.named(name, generics) {
                Some(shape) => self.schema(&shape),
                None => json!({}),
            },
            Shape::Any(shapes) => {
                let text = Shape::Outside("json", "JsonText");
                let shapes = shapes.iter().filter(|shape| **shape != text);
                any_of(shapes.map(|shape| self.schema(shape)).collect())
            }
            // later versions can add members to answers, so none is excluded
            Shape::All(shapes) if !self.is_input => {
                let parts: Json = shapes.iter().map(|shape| self.schema(shape)).collect();
                json!({"allOf": (parts)})
            }
            Shape::Fields(_) | Shape::All(_) => {
                let ways = self.members(shape);
                any_of(ways.iter().map(|way| self.object(&way.fields, way.is_open)).collect())
            }
        }
    }

    fn object(&self, fields: &[Field], is_open: bool) -> Json {
        let mut properties = Object::default();
        for field in fields {
            let mut schema = self.schema(&field.shape);
            if field.nullable && self.is_input {
                schema = or_null(schema);
            }
            let mut schema = described(schema, &field.doc);
            if let (Json::Object(schema), Some(default)) = (&mut schema, &field.default) {
                schema.insert("default".into(), Json::parse(default).unwrap_or_default());
            }
            properties.insert(field.key.as_str().into(), schema);
        }
        let required = fields.iter().filter(|field| !field.optional);
        let required: Vec<&str> = required.map(|field| field.key.as_str()).collect();
        let mut schema = Object::default();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), Json::Object(properties));
        if !required.is_empty() {
            schema.insert("required".into(), list(required));
        }
        if !is_open && self.is_input {
            schema.insert("additionalProperties".into(), false.into());
        }
        Json::Object(schema)
    }
}

/// Returns a schema that also accepts `null`, which counts as a missing argument.
fn or_null(schema: Json) -> Json {
    let is_any = schema.as_object().is_some_and(|schema| schema.is_empty());
    let null = json!({"type": "null"});
    let ways = schema.get("anyOf").and_then(Json::as_array).unwrap_or_default();
    let has_null = schema == null || ways.contains(&null);
    if is_any || has_null { schema } else { any_of(vec![schema, null]) }
}

/// Returns one schema for several. Constants become an `enum`.
fn any_of(schemas: Vec<Json>) -> Json {
    if let [one] = schemas.as_slice() {
        return one.clone();
    }
    if schemas.iter().any(|one| one.as_object().is_some_and(Object::is_empty)) {
        return json!({});
    }
    let constants: Vec<Json> = schemas.iter().filter_map(|one| one.get("const").cloned()).collect();
    if constants.len() == schemas.len() {
        return json!({"enum": (Json::from(constants))});
    }
    json!({"anyOf": (Json::from(schemas))})
}

/// Returns JSON with short values in one line.
pub fn indented(value: &Json, depth: usize) -> String {
    let whole = value.spaced();
    let space = "  ".repeat(depth + 1);
    let end = "  ".repeat(depth);
    if whole.len() + depth * 2 <= 100 && depth > 0 {
        return whole;
    }
    match value {
        Json::Object(object) if !object.is_empty() => {
            let line = |(key, item): (&_, &Json)| {
                let key: &str = AsRef::<str>::as_ref(key);
                format!("{space}{}: {}", Json::from(key), indented(item, depth + 1))
            };
            let lines: Vec<String> = object.iter().map(line).collect();
            format!("{{\n{}\n{end}}}", lines.join(",\n"))
        }
        Json::Array(items) if !items.is_empty() => {
            let lines = items.iter().map(|item| format!("{space}{}", indented(item, depth + 1)));
            format!("[\n{}\n{end}]", lines.collect::<Vec<_>>().join(",\n"))
        }
        _ => whole,
    }
}
