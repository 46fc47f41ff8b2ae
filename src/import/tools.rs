//! Reads tool definitions of any provider or framework.

use super::model::Tool;
use super::pick::{first_text, list, opened, some, text};
use crate::value::json::Json;

/// Returns the tools of a list, or of an object of tools by name.
pub fn tools(value: &Json) -> Vec<Tool> {
    match value {
        Json::Array(items) => items.iter().flat_map(|item| tool(&opened(item), "")).collect(),
        Json::Object(entries) => entries
            .iter()
            .flat_map(|(name, entry)| {
                let mut found = tool(entry, "");
                for tool in &mut found {
                    tool.name.clone_from(name);
                }
                found
            })
            .collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Vec::new(),
    }
}

fn tool(value: &Json, prefix: &str) -> Vec<Tool> {
    if let Json::String(name) = value {
        return vec![Tool { name: format!("{prefix}{name}"), description: None, schema: None }];
    }
    if text(value, "type") == Some("namespace") {
        let name = text(value, "name").unwrap_or("");
        let inner = list(value, "tools");
        return inner.iter().flat_map(|inner| tool(inner, &format!("{prefix}{name}."))).collect();
    }
    let declared =
        some(value, "functionDeclarations").or_else(|| some(value, "function_declarations"));
    if let (Some(declared), Some(object)) = (declared, value.as_object()) {
        let mut found = tools(declared);
        let others = object.keys().filter(|key| !key.starts_with("function"));
        found.extend(others.map(|key| Tool { name: key.clone(), description: None, schema: None }));
        return found;
    }
    let inner =
        some(value, "function").filter(|inner| inner.as_object().is_some()).unwrap_or(value);
    let Some(name) = first_text(inner, &["name", "title"]).or_else(|| text(value, "type")) else {
        // built-in tools of Gemini are objects under their name
        return match value.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>()) {
            Some(names) => names
                .into_iter()
                .map(|name| Tool { name, description: None, schema: None })
                .collect(),
            None => Vec::new(),
        };
    };
    let schema = [
        "parameters",
        "input_schema",
        "inputSchema",
        "parametersJsonSchema",
        "parameters_json_schema",
        "schema",
        "args_schema",
        "format",
    ]
    .iter()
    .find_map(|key| some(inner, key))
    .map(|schema| opened(schema).into_owned())
    .map(|schema| {
        some(&schema, "jsonSchema").or_else(|| some(&schema, "json")).cloned().unwrap_or(schema)
    });
    vec![Tool {
        name: format!("{prefix}{name}"),
        description: text(inner, "description").map(str::to_owned),
        schema,
    }]
}
