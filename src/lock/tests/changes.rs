//! Each change of a context has its kind, slot and cause.

use super::*;

#[test]
fn each_mutation_has_its_change_slot_and_cause() {
    let none: [&str; 0] = [];
    assert_eq!(changes(body()), none);
    let cases: [(Json, &[&str]); 18] = [
        (with("claude-opus-5-5", "claude-sonnet-5-5"), &["model /model model"]),
        (with("0.5", "0.7"), &["parameter /parameters/temperature parameter temperature"]),
        (
            with("\"temperature\":0.5,", ""),
            &["parameter /parameters/temperature parameter temperature"],
        ),
        (
            with("You write reports.", "You write good reports."),
            &["edited /system/0 system prompt"],
        ),
        (with("2026-11-17", "2026-11-18"), &["edited /system/1 system prompt"]),
        (with("Finds pages.", "Finds all pages."), &["tool_edited /tools/search tool search"]),
        (
            with("\"q\":{\"type\":\"string\"}", "\"q\":{\"type\":\"number\"}"),
            &["schema_edited /tools/search tool search"],
        ),
        (
            with("\"name\":\"read\"", "\"name\":\"fetch\""),
            &["tool_removed /tools/read tool read", "tool_added /tools/fetch tool fetch"],
        ),
        (
            with(",\"cache_control\":{\"type\":\"ephemeral\"}", ""),
            &["mark_changed /system/0 system prompt"],
        ),
        (
            with("{\"type\":\"ephemeral\"}", "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}"),
            &["mark_changed /system/0 system prompt"],
        ),
        (with("\"tides\"", "\"waves\""), &["edited /messages/1 tool call"]),
        (with("Two a day.", "One a day."), &["edited /messages/2 tool result"]),
        (messages(|list| drop(list.pop())), &["removed /messages/4 user message"]),
        (
            messages(|list| list.push(json!({"role": "user", "content": "And now?"}))),
            &["added /messages/5 user message"],
        ),
        (
            messages(|list| list.insert(0, json!({"role": "user", "content": "Hello"}))),
            &["added /messages/0 user message"],
        ),
        (
            messages(|list| list.swap(0, 4)),
            &["moved /messages/0 user message", "moved /messages/4 user message"],
        ),
        (
            with(
                "{\"role\":\"user\",\"content\":\"Shorter.\"}",
                "{\"role\":\"assistant\",\"content\":\"Shorter.\"}",
            ),
            &["retyped /messages/4 assistant message"],
        ),
        (
            with("\"Shorter.\"", "\"Shorter! key sk-abcdefghij0123456789xyz\""),
            &["edited /messages/4 user message"],
        ),
    ];
    for (after, expected) in cases {
        assert_eq!(changes(after.clone()), expected, "{after}");
    }
}

#[test]
fn changes_of_the_cause_the_conversion_and_the_slots_are_named() {
    let make = |model: &str, layer: &str, audio: bool, volatile: Json| {
        let mut messages = vec![
            json!({"role": "system", "content": "Be brief."}),
            json!({"role": "user", "content": "Hello"}),
        ];
        if audio {
            let audio =
                json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}});
            messages.push(json!({"role": "user", "content": [audio]}));
        }
        let origins = vec![json!({"layer": layer}); messages.len()];
        run(&LockEntry::from_json(&json!({"name": "a", "volatile": volatile, "context": {
            "provider": "anthropic", "model": model, "max_output_tokens": 100,
            "messages": Json::Array(messages), "origins": Json::Array(origins)}}))
        .unwrap())
        .unwrap()
    };
    let model = "claude-opus-5-5";
    let lock = lock_of(&[make(model, "rules", false, json!([]))]);
    let changes = |context| changes_of(&check(&lock, &[context], json!({})));
    assert_eq!(
        changes(make(model, "policy", false, json!([]))),
        ["recaused /system/0 layer policy", "recaused /messages/0 layer policy"]
    );
    assert_eq!(
        changes(make(model, "rules", false, json!(["/messages/0"]))),
        ["volatility_changed /messages/0 layer rules"]
    );
    assert_eq!(
        changes(make(model, "rules", true, json!([]))),
        [
            "added /messages/1 layer rules",
            "loss_added /loss/media_as_text loss media_as_text",
            "loss_added /loss/turns_merged loss turns_merged"
        ]
    );
    let back = lock_of(&[make(model, "rules", true, json!([]))]);
    let verdict = check(&back, &[make(model, "rules", false, json!([]))], json!({}));
    assert!(
        changes_of(&verdict)
            .contains(&"loss_removed /loss/media_as_text loss media_as_text".to_owned())
    );
}

#[test]
fn tools_in_another_order_are_one_change() {
    let mut after = body();
    if let Json::Object(object) = &mut after
        && let Some(Json::Array(list)) = object.get_mut("tools")
    {
        list.reverse();
    }
    let lock = lock_of(&[entry("a", body(), json!([]))]);
    let verdict = check(&lock, &[entry("a", after, json!([]))], json!({}));
    assert_eq!(changes_of(&verdict), ["tools_reordered /tools tools"]);
    assert_eq!(verdict.groups[0].prefix_lost_from.as_deref(), Some("/tools"));
}

#[test]
fn a_long_prefix_that_is_lost_was_cached() {
    let long = |end: &str| {
        with("You write reports.", &format!("{} {end}", "You write reports. ".repeat(900)))
    };
    let lock = lock_of(&[entry("a", long("One."), json!([]))]);
    let verdict = check(&lock, &[entry("a", long("Two."), json!([]))], json!({}));
    let title = &verdict.groups[0].title;
    assert!(title.contains(", cached prefix lost from /system/0 ("), "{title}");
}

#[test]
fn rows_pair_the_lines_of_two_entries() {
    let (old, new) =
        (entry("a", body(), json!([])), entry("a", with("Shorter.", "Longer."), json!([])));
    let (before, after) = (old.block, new.block);
    let call = json!({"before": before.as_str(), "after": after.as_str()});
    let shown = run(&LockCompare::from_json(&call).unwrap()).unwrap();
    assert_eq!(shown.changed, 1);
    let row = shown.rows.iter().find(|row| !row.changes.is_empty()).unwrap();
    assert_eq!(row.after.as_ref().unwrap().slot, row.changes[0].slot);
    assert_eq!(row.before.as_ref().unwrap().text.as_deref(), Some("Shorter."));
    let added = run(&LockCompare::from_json(&json!({"after": after.as_str()})).unwrap()).unwrap();
    assert!(added.rows.iter().all(|row| row.before.is_none() && row.changes.is_empty()));
    assert_eq!(added.changed, added.rows.len());
    let broken = LockCompare::from_json(&json!({"before": "entry"})).unwrap();
    assert_eq!(run(&broken).unwrap_err().path().to_string(), "before");
}

/// The paths of all values of a body, but those of cache marks.
fn paths(json: &Json, at: &[String], out: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Json)> = match json {
        Json::Object(object) => object.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Json::Array(items) => {
            items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Vec::new(),
    };
    for (key, value) in children {
        let path = [at, std::slice::from_ref(&key)].concat();
        if !matches!(key.as_str(), "cache_control" | "cachePoint") {
            out.push(path.clone());
            paths(value, &path, out);
        }
    }
}

/// Returns a body with another value at a path, or without it.
fn edited(json: &Json, path: &[String], is_removed: bool) -> Json {
    let Some((first, rest)) = path.split_first() else {
        return match json {
            Json::String(text) => Json::from(format!("{text}!")),
            Json::Bool(flag) => Json::from(!flag),
            Json::Null | Json::Number(_) => Json::from(7777_u64),
            Json::Array(_) | Json::Object(_) => Json::from("other"),
        };
    };
    let is_gone = is_removed && rest.is_empty();
    match json {
        Json::Object(object) => {
            let mut copy = object.clone();
            match is_gone {
                true => drop(copy.remove(first.as_str())),
                false => {
                    let value = edited(object.get(first.as_str()).unwrap(), rest, is_removed);
                    drop(copy.insert(first.clone(), value));
                }
            }
            Json::Object(copy)
        }
        Json::Array(items) => {
            let at: usize = first.parse().unwrap();
            let mut copy = items.clone();
            match is_gone {
                true => drop(copy.remove(at)),
                false => copy[at] = edited(&items[at], rest, is_removed),
            }
            Json::Array(copy)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => json.clone(),
    }
}

#[test]
fn every_value_of_a_body_is_locked() {
    let chat = json!({"model": "gpt-5", "temperature": 0.5, "response_format": {"type": "json_object"},
        "tools": [{"type": "function", "function": {"name": "search", "strict": true, "parameters": {"type": "object"}}}],
        "messages": [
            {"role": "system", "content": "Be brief.", "name": "rules"},
            {"role": "user", "content": [{"type": "text", "text": "Hi"},
                {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}}]},
            {"role": "user", "content": "More", "weight": 1},
            {"role": "assistant", "content": "Yes", "reasoning_content": "hm", "tool_calls": [{"id": "c1", "type": "function",
                "function": {"name": "search", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "2 pages"}]});
    let responses = json!({"model": "gpt-5", "instructions": "Be brief.", "reasoning": {"effort": "low"},
        "tools": [{"type": "function", "name": "search", "parameters": {"type": "object"}}],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
            {"type": "reasoning", "id": "r1", "encrypted_content": "abc", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "2 pages"}]});
    let gemini = json!({"systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"temperature": 0.5, "responseSchema": {"type": "OBJECT"}},
        "tools": [{"functionDeclarations": [{"name": "search", "parameters": {"type": "OBJECT"}}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
            {"role": "model", "parts": [{"functionCall": {"name": "search", "args": {"q": "a"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "search", "response": {"pages": 2}}}]}]});
    let bedrock = json!({"modelId": "anthropic.claude-opus-5-5", "system": [{"text": "Be brief."}],
        "inferenceConfig": {"maxTokens": 100},
        "toolConfig": {"toolChoice": {"any": {}}, "tools": [{"toolSpec": {"name": "search", "inputSchema": {"json": {"type": "object"}}}}]},
        "messages": [
            {"role": "user", "content": [{"text": "Hi"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "search", "input": {"q": "a"}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "2 pages"}]}}]}]});
    let make = |provider: &str, body: &Json| {
        let call = json!({"name": "a", "request": {"provider": provider, "body": body.clone()}});
        run(&LockEntry::from_json(&call).unwrap()).map(|made| made.block)
    };
    let (mut tried, mut missed) = (0, Vec::new());
    for (provider, body) in [
        ("anthropic", body()),
        ("openai_chat", chat),
        ("openai_responses", responses),
        ("gemini", gemini),
        ("bedrock", bedrock),
    ] {
        let locked = make(provider, &body).unwrap();
        let mut all = Vec::new();
        paths(&body, &[], &mut all);
        for path in all {
            for is_removed in [false, true] {
                tried += 1;
                // a body that is not one of this provider is an error
                let found = make(provider, &edited(&body, &path, is_removed));
                if found.is_ok_and(|block| block == locked) {
                    let what = if is_removed { "without" } else { "edited" };
                    missed.push(format!("{provider} {what} {}", path.join("/")));
                }
            }
        }
    }
    assert!(tried > 300, "{tried}");
    // a missing role is that of the user
    missed.retain(|what| !what.starts_with("gemini without contents/") || !what.ends_with("/role"));
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn a_message_that_is_split_is_a_change() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let one = messages(|list| {
        list[4] = json!({"role": "user", "content": [text("Shorter."), text("Now.")]})
    });
    let two = messages(|list| {
        list[4] = json!({"role": "user", "content": [text("Shorter.")]});
        list.push(json!({"role": "user", "content": [text("Now.")]}));
    });
    let lock = lock_of(&[entry("a", one.clone(), json!([]))]);
    assert!(!lock.contains("  another "), "{lock}");
    let split = entry("a", two, json!([]));
    assert!(split.block.contains("\n  another text user "), "{}", split.block);
    let verdict = check(&lock, &[split], json!({}));
    assert_eq!(changes_of(&verdict), ["regrouped /messages/5 user message"]);
    assert!(verdict.groups[0].title.starts_with("user message is in another message: 1 context"));
    // the message before it is gone: the position is another one of its role, and nothing else changed
    let lock = lock_of(&[entry("a", body(), json!([]))]);
    let shorter = entry("a", messages(|list| drop(list.remove(3))), json!([]));
    assert_eq!(
        changes_of(&check(&lock, &[shorter], json!({}))),
        ["removed /messages/3 assistant message"]
    );
}
