//! A structured `todo` as text: the only default rendering of the collector.

use crate::value::json::{Json, Object, trim};

/// Returns the text of a structured todo; nothing for any other value.
///
/// A todo is a list of items, or an object with the list under `items`, `todos` or `tasks`. An item
/// is text or an object. The text of an object is its `content`, `title`, `description`, `text` or
/// `task`. Its state is its `status`, or `done` as a boolean.
pub(super) fn render(todo: &Json) -> Option<String> {
    let items = match todo {
        Json::Array(items) => items,
        Json::Object(object) => {
            ["items", "todos", "tasks"].iter().find_map(|key| match object.get(key) {
                Some(Json::Array(items)) => Some(items),
                Some(_) | None => None,
            })?
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
    };
    let lines: Vec<String> = items.iter().map(line).collect::<Option<_>>()?;
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn line(item: &Json) -> Option<String> {
    let (text, mark) = match item {
        Json::String(text) => (text.as_str(), " "),
        Json::Object(item) => (text(item)?, mark(item)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => return None,
    };
    let text = trim(text);
    (!text.is_empty()).then(|| format!("- [{mark}] {text}"))
}

fn text(item: &Object) -> Option<&str> {
    let keys = ["content", "title", "description", "text", "task"];
    keys.iter().find_map(|key| item.get(key).and_then(Json::as_str))
}

/// `x` for what is done, `~` for what is being done, `!` for what failed, a space for the rest.
fn mark(item: &Object) -> &'static str {
    if item.get("done") == Some(&Json::Bool(true)) {
        return "x";
    }
    match item.get("status").and_then(Json::as_str) {
        Some("done" | "completed" | "complete" | "finished") => "x",
        Some("in_progress" | "doing" | "running" | "active") => "~",
        Some("failed" | "blocked" | "cancelled") => "!",
        Some(_) | None => " ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> Option<String> {
        render(&Json::parse(text).unwrap())
    }

    #[test]
    fn items_keep_their_order_and_show_their_state() {
        let todo = r#"{"goal": "ship", "items": [
            {"id": 1, "title": " letters ", "status": "completed"},
            {"content": "log", "status": "in_progress"},
            {"description": "report", "done": false},
            {"task": "call", "status": "failed"},
            "think"]}"#;
        assert_eq!(
            rendered(todo).unwrap(),
            "- [x] letters\n- [~] log\n- [ ] report\n- [!] call\n- [ ] think"
        );
    }

    #[test]
    fn what_is_no_todo_is_not_guessed_at() {
        for other in [
            r#"{"a": 1}"#,
            "[]",
            "[1]",
            r#"[{"status": "done"}]"#,
            r#"["a", ""]"#,
            "null",
            r#""x""#,
        ] {
            assert_eq!(rendered(other), None, "{other}");
        }
    }
}
