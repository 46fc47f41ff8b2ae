//! Messages in the forms of frameworks: LangChain's messages as JSON, and items of OpenAI Responses.
//!
//! A list of messages can contain them. LangChain writes a message with its class (`toJSON`), with its
//! data (`toDict`), or with its fields. Calls and reasoning of Responses are items of their own; they
//! become one message of the assistant.

use super::message::Message;
use crate::value::json::{Field, Json, Object};
use crate::value::tool_blocks;
use crate::{Error, Result};

/// Reads a list of messages in any of the forms.
pub(crate) fn read(field: &Field<'_>) -> Result<Vec<Message>> {
    let items = field.list()?;
    let mut out = Vec::with_capacity(items.len());
    // the items of one answer, at the position of the first
    let mut answer: Option<(usize, Object)> = None;
    for (at, item) in items.iter().enumerate() {
        let mut push = |json: Json| -> Result<()> {
            let message = Message::from_json(&Field::root(&json));
            out.push(message.map_err(|error| error.within(&item.path()))?);
            Ok(())
        };
        match form(item.json()) {
            Some(Form::Item) => {
                let (_, message) = answer.get_or_insert_with(|| (at, assistant()));
                add_item(message, item.json());
            }
            Some(Form::Message) if answer.as_ref().is_some_and(|(_, open)| is_thought(open)) => {
                // the reasoning before a message belongs to it
                if let Some((_, open)) = &mut answer {
                    add_message(open, without(item.json(), &["type", "status"]));
                }
            }
            other => {
                if let Some((_, message)) = answer.take() {
                    push(Json::Object(message))?;
                }
                match other {
                    None => out.push(Message::from_json(item)?),
                    Some(Form::Output) => push(output(item.json()))?,
                    Some(Form::Message) => {
                        let message = without(item.json(), &["type", "status"]);
                        // an answer continues with its calls
                        if message.get("role").and_then(Json::as_str) == Some("assistant") {
                            answer = Some((at, message));
                        } else {
                            push(Json::Object(message))?;
                        }
                    }
                    Some(Form::LangChain(class, fields)) => {
                        let message = langchain(class, fields, item)?;
                        push(Json::Object(message))?;
                    }
                    Some(Form::Item) => {}
                }
            }
        }
    }
    if let Some((at, message)) = answer {
        let message = Message::from_json(&Field::root(&Json::Object(message)));
        let at = items.get(at).map(Field::path).unwrap_or_default();
        out.push(message.map_err(|error| error.within(&at))?);
    }
    Ok(out)
}

/// The form of a message that is not a neutral one.
enum Form<'a> {
    /// A message of LangChain: its class or type, and its fields.
    LangChain(&'a str, &'a Object),
    /// A message of Responses.
    Message,
    /// An item of Responses that is a part of an answer.
    Item,
    /// An item of Responses that answers a call.
    Output,
}

fn form(value: &Json) -> Option<Form<'_>> {
    let text = |key: &str| value.get(key).and_then(Json::as_str);
    if value.get("role").is_some() {
        return (text("type") == Some("message")).then_some(Form::Message);
    }
    if value.get("lc").is_some() {
        let class = value.get("id").and_then(Json::as_array)?.last()?.as_str()?;
        return Some(Form::LangChain(class, value.get("kwargs")?.as_object()?));
    }
    let kind = text("type")?;
    if is_output(kind) {
        return Some(Form::Output);
    }
    if kind == "reasoning" || kind == "item_reference" || kind.ends_with("_call") {
        return Some(Form::Item);
    }
    if ["mcp_list_tools", "mcp_approval_request", "mcp_approval_response"].contains(&kind) {
        return Some(Form::Item);
    }
    let fields = value.get("data").unwrap_or(value).as_object()?;
    let spoken = fields.contains_key("content") || fields.contains_key("tool_calls");
    (spoken && role_of(kind, fields).is_some()).then_some(Form::LangChain(kind, fields))
}

/// Returns true for the items that answer a call.
fn is_output(kind: &str) -> bool {
    kind.ends_with("_call_output")
}

/// Returns the role of a class or type of LangChain.
fn role_of(class: &str, fields: &Object) -> Option<Json> {
    let name = class.strip_suffix("Chunk").unwrap_or(class);
    Some(Json::from(match name.strip_suffix("Message").unwrap_or(name) {
        "Human" | "human" => "user",
        "AI" | "ai" => "assistant",
        "System" | "system" => "system",
        "Tool" | "tool" => "tool",
        "Function" | "function" => "function",
        "Chat" | "chat" | "generic" => return fields.get("role").cloned(),
        _ => return None,
    }))
}

fn langchain(class: &str, fields: &Object, at: &Field<'_>) -> Result<Object> {
    let Some(role) = role_of(class, fields) else {
        let text = format!(
            "a message of the class `{class}` has no role; expected one of `HumanMessage`, \
             `AIMessage`, `SystemMessage`, `ToolMessage`, `FunctionMessage`, `ChatMessage`"
        );
        return Err(Error::bad_request(text).at(at.path()));
    };
    let mut out = Object::from_iter([("role".to_owned(), role)]);
    let present = |key: &str| fields.get(key).filter(|value| value.is_truthy());
    let calls = present("tool_calls").and_then(Json::as_array).unwrap_or_default();
    out.insert("content".into(), content(fields.get("content"), calls));
    for key in ["name", "id", "tool_call_id", "status", "invalid_tool_calls"] {
        // a status is only news if the call failed
        let is_news = key != "status" || present(key).and_then(Json::as_str) == Some("error");
        if let Some(value) = present(key).filter(|_| is_news) {
            out.insert(key.into(), value.clone());
        }
    }
    if !calls.is_empty() {
        out.insert("tool_calls".into(), calls.iter().map(call).collect());
    }
    let more = present("additional_kwargs");
    for key in ["reasoning_content", "function_call", "refusal"] {
        if let Some(value) = more.and_then(|more| more.get(key)).filter(|value| value.is_truthy()) {
            out.insert(key.into(), value.clone());
        }
    }
    Ok(out)
}

/// Returns the content without the calls that the message also lists.
fn content(content: Option<&Json>, calls: &[Json]) -> Json {
    let listed = |part: &Json| {
        let id = tool_blocks::IDS.iter().find_map(|key| part.get(key));
        let kind = part.get("type").and_then(Json::as_str).unwrap_or_default();
        (tool_blocks::is_call(kind) || kind == "input_json_delta")
            && (id.is_none() || calls.iter().any(|call| call.get("id") == id))
    };
    match content {
        Some(Json::Array(parts)) if !calls.is_empty() => {
            parts.iter().filter(|part| !listed(part)).cloned().collect()
        }
        Some(content) => content.clone(),
        None => Json::Null,
    }
}

/// Returns a call of LangChain, `{name, args, id}`, with its arguments as text.
fn call(call: &Json) -> Json {
    let Some(arguments) = call.get("args").filter(|args| args.as_object().is_some()) else {
        return call.clone();
    };
    let function = Json::from([
        ("name", call.get("name").cloned().unwrap_or_default()),
        ("arguments", arguments.to_string().into()),
    ]);
    let mut out = Object::from_iter([("type".to_owned(), Json::from("function"))]);
    if let Some(id) = call.get("id").filter(|id| !id.is_null()) {
        out.insert("id".into(), id.clone());
    }
    out.insert("function".into(), function);
    Json::Object(out)
}

/// Returns true for an answer that has only reasoning so far.
fn is_thought(answer: &Object) -> bool {
    let parts = answer.get("content").and_then(Json::as_array).unwrap_or_default();
    let kind = |part: &Json| part.get("type").and_then(Json::as_str) == Some("reasoning");
    !answer.contains_key("tool_calls") && !parts.is_empty() && parts.iter().all(kind)
}

/// Adds the parts of a message to its reasoning.
fn add_message(answer: &mut Object, message: Object) {
    for (key, value) in message {
        match (key.as_str(), value, answer.get_mut("content")) {
            ("content", Json::Array(more), Some(Json::Array(parts))) => parts.extend(more),
            ("content", Json::String(text), Some(Json::Array(parts))) => {
                parts.push(Json::from([("type", "text"), ("text", text.as_str())]));
            }
            (_, value, _) => drop(answer.insert(key, value)),
        }
    }
}

fn assistant() -> Object {
    Object::from_iter([("role".to_owned(), Json::from("assistant"))])
}

/// Adds an item to an answer: a call, or a part.
fn add_item(message: &mut Object, item: &Json) {
    let kind = item.get("type").and_then(Json::as_str);
    let (key, value) = match kind {
        Some("function_call") => {
            let function = Json::from([
                ("name", item.get("name").cloned().unwrap_or_default()),
                ("arguments", item.get("arguments").cloned().unwrap_or_default()),
            ]);
            let id = item.get("call_id").cloned().unwrap_or_default();
            let kind = Json::from("function");
            ("tool_calls", Json::from([("id", id), ("type", kind), ("function", function)]))
        }
        Some(_) | None => ("content", item.clone()),
    };
    match message.get_mut(key) {
        Some(Json::Array(list)) => list.push(value),
        Some(Json::String(text)) => {
            let text = Json::from([("type", "text"), ("text", text.as_str())]);
            message.insert(key.into(), Json::Array(vec![text, value]));
        }
        Some(_) | None => {
            message.insert(key.into(), Json::Array(vec![value]));
        }
    }
}

/// Returns the result of a call as a message.
fn output(item: &Json) -> Json {
    if item.get("type").and_then(Json::as_str) != Some("function_call_output") {
        return Json::from([
            ("role", Json::from("user")),
            ("content", Json::Array(vec![item.clone()])),
        ]);
    }
    let mut out = Object::from_iter([("role".to_owned(), Json::from("tool"))]);
    out.insert("tool_call_id".into(), item.get("call_id").cloned().unwrap_or_default());
    out.insert(
        "content".into(),
        match item.get("output") {
            Some(value @ (Json::String(_) | Json::Array(_))) => value.clone(),
            Some(other) => other.spaced().into(),
            None => Json::Null,
        },
    );
    Json::Object(out)
}

fn without(value: &Json, keys: &[&str]) -> Object {
    let fields = value.as_object().cloned().unwrap_or_default();
    fields.into_iter().filter(|(key, _)| !keys.contains(&key.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(list: &str) -> String {
        let json = Json::parse(list).unwrap();
        let read = read(&Field::root(&json)).map(|messages| {
            let texts =
                messages.iter().map(|message| crate::value::json::to_json(message).unwrap());
            texts.map(|json| json.to_string()).collect::<Vec<_>>().join("\n")
        });
        read.unwrap_or_else(|error| error.to_string())
    }

    /// One conversation in the three forms of LangChain.
    #[test]
    fn the_forms_of_langchain_are_the_same_messages() {
        let class = |name: &str, fields: &str| {
            format!(
                r#"{{"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "{name}"], "kwargs": {fields}}}"#
            )
        };
        let data = |kind: &str, fields: &str| format!(r#"{{"type": "{kind}", "data": {fields}}}"#);
        let flat =
            |kind: &str, fields: &str| fields.replacen('{', &format!(r#"{{"type": "{kind}", "#), 1);
        let all = [
            ("SystemMessage", "system", r#"{"content": "Be brief.", "additional_kwargs": {}}"#),
            ("HumanMessage", "human", r#"{"content": [{"type": "text", "text": "Rain?"}]}"#),
            (
                "AIMessageChunk",
                "ai",
                r#"{"content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1", "name": "weather", "input": {}}],
                    "tool_calls": [{"name": "weather", "args": {"city": "Oslo"}, "id": "c1", "type": "tool_call"}],
                    "usage_metadata": {"input_tokens": 1}, "response_metadata": {"model": "m"}}"#,
            ),
            (
                "ToolMessage",
                "tool",
                r#"{"content": "rain", "tool_call_id": "c1", "name": "weather", "status": "success", "artifact": [1]}"#,
            ),
        ];
        let expected = concat!(
            r#"{"role":"system","content":"Be brief."}"#,
            "\n",
            r#"{"role":"user","content":[{"type":"text","text":"Rain?"}]}"#,
            "\n",
            r#"{"role":"assistant","content":[{"type":"text","text":"I look."}],"tool_calls":[{"type":"function","id":"c1","#,
            r#""function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]}"#,
            "\n",
            r#"{"role":"tool","tool_call_id":"c1","content":"rain","name":"weather"}"#,
        );
        let list = |items: Vec<String>| messages(&format!("[{}]", items.join(",")));
        assert_eq!(
            list(all.iter().map(|(name, _, fields)| class(name, fields)).collect()),
            expected
        );
        assert_eq!(
            list(all.iter().map(|(_, kind, fields)| data(kind, fields)).collect()),
            expected
        );
        assert_eq!(
            list(all.iter().map(|(_, kind, fields)| flat(kind, fields)).collect()),
            expected
        );
    }

    #[test]
    fn items_of_one_answer_become_one_message() {
        let read = messages(
            r#"[{"role": "user", "content": "Rain?"},
                {"type": "reasoning", "id": "r1", "summary": []},
                {"type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "I look."}]},
                {"type": "function_call", "id": "f1", "call_id": "c1", "name": "weather", "arguments": "{}", "status": "completed"},
                {"type": "function_call", "call_id": "c2", "name": "weather", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": "rain"},
                {"type": "function_call_output", "call_id": "c2", "output": {"wind": 3}}]"#,
        );
        let call = |id: &str| {
            format!(
                r#"{{"id":"{id}","type":"function","function":{{"name":"weather","arguments":"{{}}"}}}}"#
            )
        };
        assert_eq!(
            read.lines().collect::<Vec<_>>(),
            [
                r#"{"role":"user","content":"Rain?"}"#.to_owned(),
                format!(
                    r#"{{"role":"assistant","content":[{{"type":"reasoning","id":"r1","summary":[]}},{{"type":"output_text","text":"I look."}}],"tool_calls":[{},{}]}}"#,
                    call("c1"),
                    call("c2")
                ),
                r#"{"role":"tool","tool_call_id":"c1","content":"rain"}"#.to_owned(),
                r#"{"role":"tool","tool_call_id":"c2","content":"{\"wind\": 3}"}"#.to_owned(),
            ]
        );
    }

    #[test]
    fn an_error_has_the_position_of_the_item() {
        let removed = r#"{"lc": 1, "type": "constructor", "id": ["x", "RemoveMessage"], "kwargs": {"id": "m1"}}"#;
        let found = messages(&format!(r#"[{{"role": "user", "content": "a"}}, {removed}]"#));
        assert!(
            found.starts_with("bad_request at `[1]`: a message of the class `RemoveMessage`"),
            "{found}"
        );
        let found = messages(r#"[{"type": "message", "role": "user", "content": 3}]"#);
        assert!(found.starts_with("bad_request at `[0].content`"), "{found}");
    }
}
