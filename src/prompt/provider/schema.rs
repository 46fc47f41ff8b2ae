//! Makes schemas of tools legal. A change of their meaning is reported.

use super::demands::{SchemaRules, Token, Tried};
use super::loss::Change;
use crate::Path;
use crate::value::find::replace;
use crate::value::json::{Json, Object};
use crate::value::limits::Limits;
use crate::value::str_map::StrMap;
use crate::value::{Map as IndexMap, Set as IndexSet};

/// A legal schema, and the conversion of arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Legal {
    /// `None` if the tool has no arguments.
    pub schema: Option<Json>,
    pub shape: Shape,
}

/// How the arguments of a call differ from those of the original tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// They are wrapped in an object, under `value`.
    pub wrapped: bool,
    /// Renamed properties: the original and the sent name.
    pub properties: IndexMap<String, String>,
}

impl Shape {
    /// Returns true if arguments are not converted.
    pub fn is_plain(&self) -> bool {
        !self.wrapped && self.properties.is_empty()
    }

    /// Returns arguments as the provider sees them.
    pub fn sent(&self, arguments: Json) -> Json {
        let renamed = renamed(arguments, &|key| self.properties.get(key).cloned());
        if self.wrapped { Json::from([("value", renamed)]) } else { renamed }
    }

    /// Returns the arguments of the original tool, from those of a model.
    pub fn restored(&self, arguments: Json) -> Json {
        let inner = match arguments {
            Json::Object(mut object) if self.wrapped && object.len() == 1 => {
                match object.remove("value") {
                    Some(inner) => inner,
                    None => Json::Object(object),
                }
            }
            other => other,
        };
        let mut known = StrMap::new();
        for (place, sent) in self.properties.values().enumerate() {
            known.insert_new(sent.as_str(), place);
        }
        let given = |key: &str| {
            let (given, _) = self.properties.get_index(*known.get(key)?)?;
            Some(given.clone())
        };
        if self.properties.is_empty() { inner } else { renamed(inner, &given) }
    }
}

fn renamed(value: Json, name: &dyn Fn(&str) -> Option<String>) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(|item| renamed(item, name)).collect(),
        Json::Object(object) => Json::Object(
            object
                .into_iter()
                .map(|(key, value)| (name(&key).unwrap_or(key), renamed(value, name)))
                .collect(),
        ),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value,
    }
}

/// The maximum depth of a schema.
const DEEPEST: usize = 120;
/// The maximum number of times that a reference is replaced by its schema.
const MAX_INLINED: usize = 200;
/// The maximum bytes of schemas that replace references, in all tools together.
pub(super) const MAX_INLINED_BYTES: usize = 4 << 20;
/// Keywords of the schema of an object.
const ALTERNATIVES: [&str; 6] = ["anyOf", "oneOf", "allOf", "enum", "not", "const"];
/// Keywords that hold one schema.
const ONE: [&str; 12] = [
    "items",
    "additionalItems",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contains",
    "propertyNames",
    "if",
    "then",
    "else",
    "not",
    "contentSchema",
];
/// Keywords that hold a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords that hold schemas by name.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords without an effect on validation.
const NOTES: [&str; 6] = ["title", "description", "default", "examples", "deprecated", "$comment"];

/// Makes the schema of a tool legal.
pub(super) fn legal(
    given: &Object,
    rules: &SchemaRules,
    room: &mut usize,
    note: &mut dyn FnMut(Change, &str),
) -> Legal {
    if !rules.checked {
        return Legal { schema: Some(Json::Object(given.clone())), shape: Shape::default() };
    }
    let mut shape = Shape::default();
    let root = Json::Object(top(given.clone(), &mut shape, note));
    if let Some(token) = rules.property {
        shape.properties = renames(&root, token);
        if !shape.properties.is_empty() {
            note(Change::PropertyRenamed, "has properties that are sent under other names");
        }
    }
    let mut walk =
        Walk { root: &root, rules, shape: &shape, inlined: 0, room, rewritten: false, note };
    let mut schema = walk.schema(&root, 0, &mut Vec::new());
    if let Json::Object(schema) = &mut schema
        && schema.get("properties").and_then(Json::as_object).is_none()
    {
        schema.insert("properties".into(), Json::Object(Object::default()));
        walk.rewritten = true;
    }
    if walk.rewritten {
        note(
            Change::SchemaRewritten,
            "is written in the form that the provider reads, with the same meaning",
        );
    }
    let empty = |schema: &Json| {
        let has = |key: &str| schema.get(key).is_some_and(Json::is_truthy);
        !has("properties") && !has("additionalProperties") && !has("patternProperties")
    };
    let schema = Some(schema).filter(|schema| !(rules.none_for_empty && empty(schema)));
    Legal { schema, shape }
}

/// Returns a schema of an object without alternatives: the schema itself, the one that it refers
/// to, or an object that has it under `value`.
fn top(mut schema: Object, shape: &mut Shape, note: &mut dyn FnMut(Change, &str)) -> Object {
    for _ in 0..32 {
        let Some(inner) = inner(&schema) else { break };
        note(Change::SchemaRewritten, "is replaced by the schema that it refers to");
        schema = inner;
    }
    let kind = schema.get("type");
    let word = kind.and_then(Json::as_str).map(|word| type_name(word).unwrap_or(word));
    let among = kind.and_then(Json::as_array).is_some_and(|kinds| kinds.contains(&"object".into()));
    let alternatives = ALTERNATIVES.iter().any(|key| schema.contains_key(key));
    let refers = schema.contains_key("$ref");
    if word == Some("object") && !alternatives && !refers {
        schema.insert("type".into(), "object".into());
        return schema;
    }
    if !alternatives && !refers && (kind.is_none() || among) {
        note(Change::SchemaRewritten, "is for an object and gets `type: object`");
        let mut typed = Object::default();
        typed.insert("type".into(), "object".into());
        typed.extend(schema.into_iter().filter(|(key, _)| key != "type"));
        return typed;
    }
    note(Change::SchemaWrapped, "is not for an object and is wrapped in one, under `value`");
    shape.wrapped = true;
    let mut outer = Object::default();
    outer.insert("type".into(), "object".into());
    let mut value = Object::default();
    for (key, part) in schema {
        let hoisted = ["$defs", "definitions", "$schema", "$id"].contains(&key.as_str());
        let part = moved(part);
        if hoisted {
            outer.insert(key, part)
        } else {
            value.insert(key, part)
        };
    }
    outer.insert("properties".into(), Json::from([("value", Json::Object(value))]));
    outer.insert("required".into(), Json::from(vec!["value"]));
    outer
}

/// Returns the target of a schema that is only a reference, or a union of one.
fn inner(schema: &Object) -> Option<Object> {
    let is_note = |key: &str| {
        NOTES.contains(&key) || ["$defs", "definitions", "$schema", "$id"].contains(&key)
    };
    let alone = |only: &str| schema.keys().all(|key| key == only || is_note(key));
    let target = if alone("$ref") {
        let reference = schema.get("$ref")?.as_str()?;
        if reference == "#" {
            return None;
        }
        resolve(&Json::Object(schema.clone()), reference)?.as_object()?.clone()
    } else {
        let list = ["allOf", "anyOf", "oneOf"].iter().find(|key| alone(key))?;
        match schema.get(list)?.as_array()? {
            [only] => only.as_object()?.clone(),
            _ => return None,
        }
    };
    let notes = schema.iter().filter(|(key, _)| is_note(key));
    let mut merged = target;
    merged.extend(notes.map(|(key, value)| (key.clone(), value.clone())));
    Some(merged)
}

/// Adjusts references of a schema that was moved under `value`.
fn moved(value: Json) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(moved).collect(),
        Json::Object(object) => {
            let entry = |(key, value): (String, Json)| match (&*key, &value) {
                ("$ref", Json::String(to)) => {
                    let stays = to.starts_with("#/$defs/") || to.starts_with("#/definitions/");
                    match to.strip_prefix('#').filter(|_| !stays) {
                        Some(rest) => (key, Json::from(format!("#/properties/value{rest}"))),
                        None => (key, value),
                    }
                }
                (_, _) => (key, moved(value)),
            };
            Json::Object(object.into_iter().map(entry).collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value,
    }
}

/// Returns a step of a pointer without its escapes.
fn plain_step(step: &str) -> String {
    replace(&replace(step, "~1", "/"), "~0", "~")
}

/// Returns the value of a reference within `root`.
fn resolve<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut at = root;
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = replace(&plain_step(step), "%24", "$");
        at = match at {
            Json::Object(object) => object.get(&step)?,
            Json::Array(items) => items.get(step.parse::<usize>().ok()?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
        };
    }
    Some(at)
}

/// Returns the JSON Schema name of a type with another common name.
fn type_name(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "string" | "str" => "string",
        "integer" | "int" => "integer",
        "number" | "float" | "double" => "number",
        "boolean" | "bool" => "boolean",
        "object" | "dict" | "map" => "object",
        "array" | "list" | "tuple" => "array",
        "null" | "none" => "null",
        _ => return None,
    })
}

/// New names for properties that the provider would refuse. A property has the same name everywhere.
fn renames(root: &Json, token: Token) -> IndexMap<String, String> {
    let mut names = IndexSet::default();
    collect(root, 0, &mut names);
    let mut renames: IndexMap<String, String> = IndexMap::default();
    let mut sent: IndexSet<String> = IndexSet::default();
    let mut tried = Tried::new();
    for name in names.iter().filter(|name| !token.allows(name)) {
        let taken = |one: &str| names.contains(one) || sent.contains(one);
        let found = token.nearest(name, &mut tried, taken);
        sent.insert(found.clone());
        renames.insert(name.clone(), found);
    }
    renames
}

fn collect(schema: &Json, depth: usize, names: &mut IndexSet<String>) {
    if depth > DEEPEST {
        return;
    }
    let Some(object) = schema.as_object() else { return };
    for (key, value) in object {
        match key.as_str() {
            "properties" => {
                for (name, schema) in value.as_object().into_iter().flatten() {
                    names.insert(name.clone());
                    collect(schema, depth + 1, names);
                }
            }
            key if NAMED.contains(&key) => {
                for schema in value.as_object().into_iter().flat_map(Object::values) {
                    collect(schema, depth + 1, names);
                }
            }
            key if LISTS.contains(&key) || key == "items" && value.as_array().is_some() => {
                for schema in value.as_array().unwrap_or_default() {
                    collect(schema, depth + 1, names);
                }
            }
            key if ONE.contains(&key) => collect(value, depth + 1, names),
            _ => {}
        }
    }
}

struct Walk<'a, 'n> {
    root: &'a Json,
    rules: &'a SchemaRules,
    shape: &'a Shape,
    inlined: usize,
    /// The number of bytes that can still be inlined.
    room: &'n mut usize,
    rewritten: bool,
    note: &'n mut dyn FnMut(Change, &str),
}

impl Walk<'_, '_> {
    fn loosen(&mut self, why: &str) -> Json {
        (self.note)(Change::SchemaLoosened, why);
        Json::Object(Object::default())
    }

    /// Converts a schema and everything below it. `within` lists the references on the path.
    fn schema(&mut self, schema: &Json, depth: usize, within: &mut Vec<String>) -> Json {
        if depth > DEEPEST {
            return self.loosen("is deeper than the provider allows; the rest accepts any value");
        }
        let object = match schema {
            Json::Object(object) => object,
            Json::Bool(true) => {
                self.rewritten = true;
                return Json::Object(Object::default());
            }
            Json::Bool(false) => {
                self.rewritten = true;
                return Json::from([("not", Json::Object(Object::default()))]);
            }
            Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                return self.loosen("has a part that is not a schema; the part accepts any value");
            }
        };
        match object.get("$ref") {
            None => self.object(object, depth, within),
            Some(Json::String(reference)) => self.reference(object, reference, depth, within),
            Some(_) => {
                self.loosen("has a reference that is not a string; the part accepts any value")
            }
        }
    }

    fn reference(
        &mut self,
        object: &Object,
        reference: &str,
        depth: usize,
        within: &mut Vec<String>,
    ) -> Json {
        let Some(target) = resolve(self.root, reference) else {
            return self
                .loosen("refers to a schema that does not exist; the part accepts any value");
        };
        let is_annotation = |key: &String| !key.starts_with('$');
        if !self.rules.lone_refs || !object.keys().any(is_annotation) {
            let mut out = self.object(object, depth, within);
            if let Json::Object(out) = &mut out {
                out.insert("$ref".into(), self.pointer(reference).into());
            }
            return out;
        }
        let cyclic = within.iter().any(|seen| seen == reference) || self.inlined >= MAX_INLINED;
        let limits = Limits {
            max_content_bytes: *self.room,
            max_depth: Limits::MAX_DEPTH,
            ..Limits::default()
        };
        let size = limits.check(target, &Path::root()).map(|()| limits.size(target));
        if cyclic || size.is_err() {
            (self.note)(Change::SchemaLoosened, "refers to itself; its other keys are removed");
            let alone = object.iter().filter(|(key, _)| !is_annotation(key));
            let mut out: Object = alone.map(|(key, value)| (key.clone(), value.clone())).collect();
            out.insert("$ref".into(), self.pointer(reference).into());
            return Json::Object(out);
        }
        self.inlined += 1;
        *self.room -= size.unwrap_or_default();
        self.rewritten = true;
        let mut merged = target.as_object().cloned().unwrap_or_default();
        merged.extend(
            object.iter().filter(|(key, _)| *key != "$ref").map(|(k, v)| (k.clone(), v.clone())),
        );
        within.push(reference.to_owned());
        let out = self.schema(&Json::Object(merged), depth + 1, within);
        within.pop();
        out
    }

    /// Converts a reference through renamed properties.
    fn pointer(&self, reference: &str) -> String {
        if self.shape.properties.is_empty() {
            return reference.to_owned();
        }
        let mut after_properties = false;
        let steps = reference.split('/').map(|step| {
            let plain = plain_step(step);
            let sent = self.shape.properties.get(&plain).filter(|_| after_properties);
            after_properties = step == "properties" && !after_properties;
            sent.map_or_else(|| step.to_owned(), Clone::clone)
        });
        steps.collect::<Vec<_>>().join("/")
    }

    fn object(&mut self, object: &Object, depth: usize, within: &mut Vec<String>) -> Json {
        let mut out = Object::default();
        for (key, value) in object {
            match key.as_str() {
                "type" => {
                    if let Some(kind) = self.kind(value) {
                        out.insert(key.clone(), kind);
                    }
                }
                "items" => self.items(value, object, depth, within, &mut out),
                "prefixItems" | "anyOf" | "oneOf" | "allOf" => match value.as_array() {
                    Some(list) if !list.is_empty() => {
                        let list = list.iter().map(|one| self.schema(one, depth + 1, within));
                        let list: Vec<Json> = list.collect();
                        out.insert(key.clone(), Json::Array(list));
                    }
                    Some(_) | None => drop(self.loosen("has an empty list of schemas")),
                },
                "enum" if value.as_array().is_none_or(<[Json]>::is_empty) => {
                    self.loosen("has an empty list of values");
                }
                "enum" | "const" | "default" | "examples" => {
                    let sent = |key: &str| self.shape.properties.get(key).cloned();
                    let value = match self.shape.properties.is_empty() {
                        true => value.clone(),
                        false => renamed(value.clone(), &sent),
                    };
                    out.insert(key.clone(), value);
                }
                "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems"
                    if matches!(value, Json::Bool(_)) =>
                {
                    out.insert(key.clone(), value.clone());
                }
                "required" | "propertyOrdering" => self.required(key, value, &mut out),
                key if NAMED.contains(&key) => self.named(key, value, depth, within, &mut out),
                key if ONE.contains(&key) => {
                    let one = self.schema(value, depth + 1, within);
                    out.insert(key.to_owned(), one);
                }
                _ => {
                    out.insert(key.clone(), value.clone());
                }
            }
        }
        self.complete(&mut out);
        Json::Object(out)
    }

    /// Adds the keywords that arrays and objects omit.
    fn complete(&mut self, out: &mut Object) {
        let is = |out: &Object, word: &str| {
            let kind = out.get("type");
            kind.and_then(Json::as_str) == Some(word)
                || kind.and_then(Json::as_array).is_some_and(|kinds| kinds.contains(&word.into()))
        };
        if is(out, "array") && !out.contains_key("items") {
            out.insert("items".into(), Json::Object(Object::default()));
            self.rewritten = true;
        }
        if self.rules.deep_properties && is(out, "object") && !out.contains_key("properties") {
            out.insert("properties".into(), Json::Object(Object::default()));
            self.rewritten = true;
        }
    }

    fn kind(&mut self, value: &Json) -> Option<Json> {
        let mut word = |word: &str| -> Option<Json> {
            let known = type_name(word);
            match known {
                Some(known) if known == word => {}
                Some(_) => self.rewritten = true,
                None => drop(self.loosen("has a type that JSON Schema does not know")),
            }
            known.map(Json::from)
        };
        match value {
            Json::String(name) if name == "any" => {
                self.rewritten = true;
                None
            }
            Json::String(name) => word(name),
            Json::Array(names) if !names.is_empty() => {
                let mut known: Vec<Json> = Vec::new();
                for name in names.iter().filter_map(|name| word(name.as_str().unwrap_or("?"))) {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
                Some(Json::Array(known)).filter(Json::is_truthy)
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                self.loosen("has a type that is not a string");
                None
            }
        }
    }

    /// Renames a list of schemas under `items` to `prefixItems`, its current name.
    fn items(
        &mut self,
        value: &Json,
        object: &Object,
        depth: usize,
        within: &mut Vec<String>,
        out: &mut Object,
    ) {
        let Some(list) = value.as_array() else {
            let one = self.schema(value, depth + 1, within);
            out.insert("items".into(), one);
            return;
        };
        self.rewritten = true;
        let list: Vec<Json> = list.iter().map(|one| self.schema(one, depth + 1, within)).collect();
        if !list.is_empty() {
            out.insert("prefixItems".into(), Json::Array(list));
        }
        let rest = match object.get("additionalItems") {
            Some(rest) => self.schema(rest, depth + 1, within),
            None => Json::Object(Object::default()),
        };
        out.insert("items".into(), rest);
    }

    fn required(&mut self, key: &str, value: &Json, out: &mut Object) {
        let names = value.as_array().map(|names| names.iter().map(Json::as_str).collect());
        let Some(Some(names)) = names as Option<Option<Vec<&str>>> else {
            self.loosen("has a `required` that is not a list of names; it is removed");
            return;
        };
        let renamed =
            |name: &str| self.shape.properties.get(name).map_or(name, String::as_str).to_owned();
        let sent: IndexSet<String> = names.into_iter().map(renamed).collect();
        out.insert(key.to_owned(), sent.into_iter().collect());
    }

    fn named(
        &mut self,
        key: &str,
        value: &Json,
        depth: usize,
        within: &mut Vec<String>,
        out: &mut Object,
    ) {
        let Some(schemas) = value.as_object() else {
            self.loosen("has named schemas that are not an object; they accept any value");
            out.insert(key.to_owned(), Json::Object(Object::default()));
            return;
        };
        let mut named = Object::default();
        for (name, schema) in schemas {
            let schema = self.schema(schema, depth + 1, within);
            let sent = self.shape.properties.get(name).filter(|_| key == "properties");
            named.insert(sent.unwrap_or(name).clone(), schema);
        }
        out.insert(key.to_owned(), Json::Object(named));
    }
}
