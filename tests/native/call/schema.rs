//! The published JSON Schema and the readers of calls accept the same arguments.

use crate::declared::{self, Undeclared};
use crate::property::{Dice, hold};
use tuckbox::store::{MemoryStore, Profile, table};
use tuckbox::value::json::Object;
use tuckbox::{Code, Env, Error, Json, Timestamp, Workspace, json};

const DEPTH: usize = 6;

/// The schema, and the part of JSON Schema that it uses.
struct Schema {
    whole: &'static Json,
}

impl Schema {
    fn new() -> Self {
        Self { whole: declared::schema() }
    }

    /// Returns true for a schema of a value that the reader coerces or rejects.
    fn is_lenient(&self, schema: &Json) -> bool {
        let is_marked = |schema: &Json| schema.get("x-lenient").is_some();
        is_marked(schema) || is_marked(self.resolve(schema))
    }

    fn resolve<'a>(&'a self, mut schema: &'a Json) -> &'a Json {
        while let Some(name) = schema.get("$ref").and_then(Json::as_str) {
            let name = name.strip_prefix("#/$defs/").unwrap();
            schema = self.whole.get("$defs").and_then(|defs| defs.get(name)).unwrap();
        }
        schema
    }

    /// Makes a value that the schema accepts.
    fn make(&self, schema: &Json, dice: &mut Dice, depth: usize) -> Json {
        let schema = self.resolve(schema);
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(words) = schema.get("enum").and_then(Json::as_array) {
            return words[dice.below(words.len())].clone();
        }
        if let Some(ways) = schema.get("anyOf").and_then(Json::as_array) {
            return self.make(&ways[dice.below(ways.len())], dice, depth);
        }
        match schema.get("type").and_then(Json::as_str) {
            None => any_json(dice, depth),
            Some("null") => Json::Null,
            Some("boolean") => Json::from(dice.percent(50)),
            Some("integer") => {
                let bound = |key: &str, other: i64| {
                    let bound = schema.get(key).and_then(Json::as_number);
                    bound.and_then(|bound| bound.whole()).unwrap_or(other)
                };
                let least = bound("minimum", -3);
                let most = bound("maximum", least.saturating_add(9));
                Json::from(least + dice.below((most - least + 1).min(1000) as usize) as i64)
            }
            Some("number") => {
                let negative = if schema.get("minimum").is_some() { "2" } else { "-2" };
                Json::parse(dice.pick(&["0", "1.5", negative, "1e3"])).unwrap()
            }
            Some("string") if schema.get("contentEncoding").is_some() => {
                dice.pick(&["", "aGk=", "QQ=="]).into()
            }
            Some("string") if is_context_key(schema) => {
                dice.pick(&["todo__context", "k__context"]).into()
            }
            Some("string") => dice.pick(&["a", "b1", "é卡", "x y", "0"]).into(),
            Some("array") => {
                let fixed = schema.get("prefixItems").and_then(Json::as_array);
                if let Some(items) = fixed {
                    return items.iter().map(|item| self.make(item, dice, depth + 1)).collect();
                }
                let Some(items) = schema.get("items") else {
                    return Json::from(Vec::<Json>::new());
                };
                let count = if depth > DEPTH { 0 } else { dice.below(3) };
                (0..count).map(|_| self.make(items, dice, depth + 1)).collect()
            }
            Some("object") => self.make_object(schema, dice, depth),
            Some(other) => panic!("the schema has the type `{other}`"),
        }
    }

    fn make_object(&self, schema: &Json, dice: &mut Dice, depth: usize) -> Json {
        let mut made = Object::default();
        let required = names(schema.get("required"));
        let properties = schema.get("properties").and_then(Json::as_object);
        for (key, member) in properties.into_iter().flat_map(Object::iter) {
            let is_required = required.contains(&key.as_str());
            if is_required || (depth <= DEPTH && dice.percent(40)) {
                made.insert(key.clone(), self.make(member, dice, depth + 1));
            }
        }
        match schema.get("additionalProperties") {
            Some(Json::Bool(false)) => {}
            Some(member) if depth <= DEPTH && dice.percent(60) => {
                let is_context = schema.get("propertyNames").is_some_and(is_context_key);
                let key = if is_context { "k1__context" } else { "k1" };
                made.insert(key.into(), self.make(member, dice, depth + 1));
            }
            Some(_) => {}
            None if properties.is_none() && depth <= DEPTH && dice.percent(40) => {
                made.insert("k1".into(), any_json(dice, depth + 1));
            }
            None => {}
        }
        Json::Object(made)
    }

    /// Returns true if the schema accepts a value. A lenient one accepts anything if `coerces`.
    fn accepts(&self, schema: &Json, value: &Json, coerces: bool) -> bool {
        if coerces && self.is_lenient(schema) {
            return true;
        }
        let schema = self.resolve(schema);
        if let Some(constant) = schema.get("const") {
            return constant == value;
        }
        if let Some(words) = schema.get("enum").and_then(Json::as_array) {
            return words.contains(value);
        }
        if let Some(ways) = schema.get("anyOf").and_then(Json::as_array) {
            return ways.iter().any(|way| self.accepts(way, value, coerces));
        }
        let whole = || value.as_number().and_then(|number| number.whole());
        match schema.get("type").and_then(Json::as_str) {
            None => true,
            Some("null") => value.is_null(),
            Some("boolean") => value.as_bool().is_some(),
            Some("integer") => whole().is_some_and(|number| {
                let bound = |key| schema.get(key).and_then(Json::as_number)?.whole();
                bound("minimum").is_none_or(|least| number >= least)
                    && bound("maximum").is_none_or(|most| number <= most)
            }),
            Some("number") => value
                .as_number()
                .is_some_and(|number| schema.get("minimum").is_none() || number.as_f64() >= 0.0),
            Some("string") if schema.get("contentEncoding").is_some() => {
                value.as_str().is_some_and(|text| text.len() % 4 == 0 && text.is_ascii())
            }
            Some("string") => value.as_str().is_some_and(|text| {
                (!is_context_key(schema) || text.ends_with("__context"))
                    && (schema.get("minLength").is_none()
                        || (!text.is_empty() && !text.contains('\0')))
            }),
            Some("array") => value.as_array().is_some_and(|items| {
                match schema.get("prefixItems").and_then(Json::as_array) {
                    Some(parts) => {
                        parts.len() == items.len()
                            && parts
                                .iter()
                                .zip(items)
                                .all(|(part, item)| self.accepts(part, item, coerces))
                    }
                    None => schema.get("items").is_none_or(|held| {
                        items.iter().all(|item| self.accepts(held, item, coerces))
                    }),
                }
            }),
            Some("object") => value.as_object().is_some_and(|object| {
                let properties = schema.get("properties").and_then(Json::as_object);
                let more = schema.get("additionalProperties");
                let keys = schema.get("propertyNames");
                // an operation without a lenient argument refuses the value
                let is_optional = |key: &str| {
                    let member = properties.and_then(|known| known.get(key));
                    coerces && member.is_some_and(|member| self.is_lenient(member))
                };
                let required = names(schema.get("required"));
                required.iter().all(|key| object.get(key).is_some() || is_optional(key))
                    && object.keys().all(|key| {
                        keys.is_none_or(|keys| {
                            self.accepts(keys, &Json::from(key.as_str()), coerces)
                        })
                    })
                    && object.iter().all(|(key, item)| {
                        match (properties.and_then(|known| known.get(key)), more) {
                            (Some(member), _) => self.accepts(member, item, coerces),
                            (None, Some(Json::Bool(is))) => *is,
                            (None, Some(member)) => self.accepts(member, item, coerces),
                            (None, None) => true,
                        }
                    })
            }),
            Some(other) => panic!("the schema has the type `{other}`"),
        }
    }
}

/// Returns true for the schema of a key such as `todo__context`.
fn is_context_key(schema: &Json) -> bool {
    schema.get("pattern").and_then(Json::as_str) == Some("__context$")
}

/// Operations that check their arguments when the call is read. They refuse what a schema cannot
/// state, such as a message that covers itself or a process without a query.
const ANSWERED_AT_ONCE: [&str; 13] = [
    "change_memory",
    "compare_requests",
    "compose",
    "enter_query",
    "explain_cache",
    "explain_compaction",
    "explain_compactions",
    "explain_misses",
    "explain_request",
    "list_sessions",
    "read_response",
    "timeline",
    "write_back",
];

fn names(list: Option<&Json>) -> Vec<&str> {
    list.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
}

fn any_json(dice: &mut Dice, depth: usize) -> Json {
    match dice.below(if depth > DEPTH { 4 } else { 6 }) {
        0 => Json::Null,
        1 => Json::from(dice.percent(50)),
        2 => json!(7),
        3 => "text".into(),
        4 => Json::from(vec![any_json(dice, depth + 1)]),
        _ => Json::from([("k", any_json(dice, depth + 1))]),
    }
}

/// Changes a value in one place.
fn change(value: &mut Json, dice: &mut Dice) {
    match value {
        Json::Object(object) if !object.is_empty() && dice.percent(75) => {
            let keys: Vec<String> = object.keys().map(|key| key.as_str().to_owned()).collect();
            let key = keys[dice.below(keys.len())].clone();
            if dice.percent(25) {
                object.retain(|known, _| known.as_str() != key);
            } else if let Some(member) = object.get_mut(&key) {
                change(member, dice);
            }
        }
        Json::Object(object) => {
            object.insert("not_a_key".into(), json!(1));
        }
        Json::Array(items) if !items.is_empty() && dice.percent(75) => {
            let at = dice.below(items.len());
            change(&mut items[at], dice);
        }
        other => *other = any_json(dice, DEPTH - 1),
    }
}

fn call(name: &str, arguments: &Json) -> Json {
    let mut call = Json::from([("op", Json::from(name))]);
    if let (Json::Object(call), Some(arguments)) = (&mut call, arguments.as_object()) {
        call.extend(arguments.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    call
}

fn env() -> Env {
    Env::new(Timestamp::from_millis(0), [7; 32])
}

fn read(name: &str, arguments: &Json) -> tuckbox::Result<()> {
    Workspace::new("p1".into()).begin(call(name, arguments), env()).map(drop)
}

/// Returns true for an error of a rule that the schema cannot state. Contents and nested calls have
/// such rules.
fn has_rules_of_its_own(error: &Error) -> bool {
    let path = error.path().to_string();
    let is_in_call = path.split('.').any(|key| matches!(key, "call" | "turn"));
    error.code() == Code::InvalidContent || is_in_call
}

#[test]
fn calls_do_only_what_their_operation_declares() {
    let schema = Schema::new();
    let operations: Vec<(&str, &Json)> = declared::operations()
        .iter()
        .map(|(name, entry)| (name.as_str(), entry.get("arguments").unwrap()))
        .collect();
    let mut store = MemoryStore::new();
    let project = store.project("p1");
    project.add_profile(Profile::new("a", "b1")).add_box("b1", ["a"]).add_box("a", ["b1"]);
    let agent = json!({"agent_id": "a", "worker_target": "generic", "profile_box_id": "b1"});
    project.add_row(&table::PROJECT_AGENTS, agent.as_object().unwrap().clone());
    let mut undeclared = Undeclared::default();
    hold("calls do only what their operation declares", |dice| {
        let (name, arguments) = operations[dice.below(operations.len())];
        let mut value = schema.make(arguments, dice, 0);
        if dice.percent(20) {
            change(&mut value, dice);
        }
        undeclared.call(name, &call(name, &value), &store, &env());
    });
    assert!(undeclared.0.is_empty(), "{:#?}", undeclared.0);
}

#[test]
fn the_schema_and_the_readers_accept_the_same_arguments() {
    let schema = Schema::new();
    let operations: Vec<(&str, &Json)> = declared::operations()
        .iter()
        .map(|(name, entry)| (name.as_str(), entry.get("arguments").unwrap()))
        .collect();
    hold("the schema and the readers accept the same arguments", |dice| {
        let (name, arguments) = operations[dice.below(operations.len())];
        let mut value = schema.make(arguments, dice, 0);
        assert!(schema.accepts(arguments, &value, false), "{name}: {value}");
        let is_answered = ANSWERED_AT_ONCE.contains(&name);
        if let Err(error) = read(name, &value)
            && !has_rules_of_its_own(&error)
            && !is_answered
        {
            panic!("`{name}` does not read what its schema accepts: {error}\n{value}");
        }
        change(&mut value, dice);
        let accepts = schema.accepts(arguments, &value, true);
        if accepts != schema.accepts(arguments, &value, false) {
            return;
        }
        match (accepts, read(name, &value)) {
            (true, Ok(())) => {}
            (true, Err(error)) if has_rules_of_its_own(&error) => {}
            (true, Err(_)) if is_answered => {}
            (true, Err(error)) => panic!("`{name}` does not read: {error}\n{value}"),
            (false, Ok(())) => panic!("`{name}` reads what its schema refuses\n{value}"),
            (false, Err(error)) => {
                let is_root = value.as_object().is_none();
                assert!(is_root || !error.path().to_string().is_empty(), "{name}: {error}");
            }
        }
    });
}
