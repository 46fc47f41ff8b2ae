//! Entries, lockfiles and verdicts. Each mutation of a context has the right change, cause and slot.

use super::*;
use crate::rule::{Rule, Step};
use crate::{Env, Error, Json, Result, Snapshot, Timestamp, json};

fn run<R: Rule>(rule: &R) -> Result<R::Value> {
    let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    match rule.step(&Snapshot::new("p1".into()), &env)? {
        Step::Done(done) => Ok(done.value),
        Step::Need(_) => Err(Error::bad_request("the rule reads rows")),
    }
}

fn entry(name: &str, body: Json, volatile: Json) -> LockedContext {
    let call = json!({"name": name, "volatile": volatile,
        "request": {"provider": "anthropic", "body": body}});
    run(&LockEntry::from_json(&call).unwrap()).unwrap()
}

fn lock_of(entries: &[LockedContext]) -> String {
    let mut call = LockUpdate::from_json(&json!({"entries": []})).unwrap();
    call.entries = entries.to_vec();
    run(&call).unwrap().lock
}

fn check(lock: &str, entries: &[LockedContext], more: Json) -> LockVerdict {
    let mut call = json!({"lock": lock, "entries": [],
        "formats": ["text", "markdown", "junit", "annotations", "sarif"]});
    if let (Json::Object(call), Json::Object(more)) = (&mut call, more) {
        more.iter().for_each(|(key, value)| drop(call.insert(key.clone(), value.clone())));
    }
    let mut call = LockCheck::from_json(&call).unwrap();
    call.entries = entries.to_vec();
    run(&call).unwrap()
}

fn body() -> Json {
    json!({"model": "claude-opus-5-5", "max_tokens": 1000, "temperature": 0.5,
        "system": [
            {"type": "text", "text": "You write reports.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "Today is 2026-11-17."}],
        "tools": [
            {"name": "search", "description": "Finds pages.", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}},
            {"name": "read", "description": "Reads a page.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Write about tides."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "tides"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Two a day."}]},
            {"role": "assistant", "content": "Tides come twice a day."},
            {"role": "user", "content": "Shorter."}]})
}

/// Returns the body with other text.
fn with(from: &str, to: &str) -> Json {
    let text = body().to_string();
    assert!(text.contains(from), "{from}");
    Json::parse(&text.replacen(from, to, 1)).unwrap()
}

/// Returns the body with a changed list of messages.
fn messages(change: impl FnOnce(&mut Vec<Json>)) -> Json {
    let mut body = body();
    if let Json::Object(object) = &mut body
        && let Some(Json::Array(list)) = object.get_mut("messages")
    {
        change(list);
    }
    body
}

/// Returns the changes from the sample to a body, as `kind slot cause`.
fn changes(after: Json) -> Vec<String> {
    let lock = lock_of(&[entry("a", body(), json!([]))]);
    changes_of(&check(&lock, &[entry("a", after, json!([]))], json!({})))
}

fn changes_of(verdict: &LockVerdict) -> Vec<String> {
    let all = verdict.entries.iter().flat_map(|entry| &entry.changes);
    let text = |change: &LockChange| {
        let kind = crate::value::json::to_json(&change.change).unwrap();
        format!("{} {} {}", kind.as_str().unwrap(), change.slot, change.cause)
    };
    all.map(text).collect()
}

#[test]
fn a_lockfile_has_one_line_for_each_position() {
    let lock = lock_of(&[entry("a", body(), json!([]))]);
    let expected = r#"entry "a"
  provider anthropic "claude-opus-5-5"
  parameter "max_tokens" 1000
  parameter "temperature" 0.5
"#;
    assert!(lock.contains(expected), "{lock}");
    let lines: Vec<&str> = lock.lines().filter(|line| line.starts_with("  message")).collect();
    assert_eq!(lines.len(), 5, "{lock}");
    assert!(lines[1].starts_with("  message tool_call assistant "), "{}", lines[1]);
    assert!(lines[1].ends_with(r#" "tool call" "search {\"q\": \"tides\"}""#), "{}", lines[1]);
    assert!(lock.contains(r#""system prompt" cache "You write reports.""#), "{lock}");
    assert!(lock.ends_with("\n\n# end\n"));
    // the tools and the marked block
    let file = run(&LockRead { lock: lock.clone() }).unwrap();
    let tokens = file.entries[0].tokens;
    assert!(tokens.prefix > tokens.tools && tokens.prefix < tokens.tools + tokens.system);
    assert_eq!(tokens.all, tokens.tools + tokens.system + tokens.messages);
}

#[test]
fn reading_and_writing_are_inverse() {
    let names = ["b", "a\"quote", "ü/\u{202e}x", "c d"];
    let entries = names.map(|name| entry(name, body(), json!(["/messages/0"])));
    let lock = lock_of(&entries);
    let mut call = LockUpdate::from_json(&json!({"lock": lock.clone(), "entries": []})).unwrap();
    assert_eq!(run(&call).unwrap().lock, lock);
    call.entries = entries.to_vec();
    let again = run(&call).unwrap();
    assert_eq!((again.lock, again.changed), (lock.clone(), Vec::<String>::new()));
    assert!(!lock.contains('\u{202e}'), "hidden characters are escaped");
    // line ends of Windows
    assert_eq!(run(&LockRead { lock: lock.replace('\n', "\r\n") }).unwrap().entries.len(), 4);
}

#[test]
fn a_broken_lockfile_is_an_error_with_its_line() {
    let lock = lock_of(&[entry("a", body(), json!([])), entry("b", body(), json!([]))]);
    let second = lock.find("entry \"b\"").unwrap();
    let (first, last) = lock.split_at(second);
    let cases = [
        (String::new(), 1, "the first line must start with"),
        (lock.replacen("v1", "v2", 1), 1, "unsupported version `2`"),
        (lock.replacen("# end\n", "", 1), lock.lines().count(), "truncated"),
        (first.to_owned(), first.lines().count() + 1, "truncated"),
        (lock.get(..second + 40).unwrap().to_owned(), first.lines().count() + 1, "has no `end`"),
        (format!("{first}<<<<<<< HEAD\n{last}"), first.lines().count() + 1, "merge conflict"),
        (format!("{first}=======\n{last}"), first.lines().count() + 1, "merge conflict"),
        (lock.replacen("You write", "We write", 1), 3, "edited by hand"),
        (
            lock.replacen("entry \"b\"", "entry \"a\"", 1),
            first.lines().count() + 1,
            "edited by hand",
        ),
        (lock.replacen("# end", "note\n# end", 1), lock.lines().count(), "unexpected text `note`"),
        (format!("{lock}more\n"), lock.lines().count() + 1, "after `# end`"),
        (
            format!("{first}{}{last}", first.get(first.find("entry").unwrap()..).unwrap()),
            first.lines().count() + 1,
            "two entries have the name `a`",
        ),
    ];
    for (text, line, message) in cases {
        let error = run(&LockRead { lock: text }).unwrap_err();
        assert!(error.message().contains(message), "{message}: {error}");
        assert_eq!(error.details().get("line"), Some(&Json::from(line)), "{error}");
        assert_eq!(
            (error.code(), error.path().to_string().as_str()),
            (crate::Code::InvalidContent, "lock")
        );
    }
}

#[test]
fn no_cut_or_edited_character_of_a_lockfile_is_read() {
    let all = [entry("a", body(), json!(["/messages/0"])), entry("b", body(), json!([]))];
    let lock = lock_of(&all);
    let read = |text: &str| run(&LockRead { lock: text.to_owned() });
    for end in (0..lock.trim_end().len()).filter(|end| lock.is_char_boundary(*end)) {
        assert!(read(lock.get(..end).unwrap()).is_err(), "the first {end} bytes were read");
    }
    let hint = lock.find("v1").unwrap() + 2..lock.find("\n\n").unwrap();
    for (at, c) in lock.char_indices().filter(|(at, _)| !hint.contains(at)) {
        let (head, tail) = lock.split_at(at);
        let rest = tail.get(c.len_utf8()..).unwrap();
        for text in [format!("{head}{rest}"), format!("{head}x{tail}"), format!("{head}#{rest}")] {
            // a blank line more or less between two entries is no edit of one
            let is_same = |file: LockFile| {
                let blocks: Vec<String> = file.entries.into_iter().map(|each| each.block).collect();
                assert_eq!(blocks, all.each_ref().map(|entry| entry.block.clone()), "{text}");
            };
            _ = read(&text).map(is_same);
        }
    }
}

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
fn a_volatile_slot_is_checked_for_presence_and_size() {
    let slots = json!(["/system/1"]);
    let lock = lock_of(&[entry("a", body(), slots.clone())]);
    let same = check(&lock, &[entry("a", with("11-17", "11-18"), slots.clone())], json!({}));
    assert_eq!((same.status, same.exit_code), (LockStatus::Same, 0));
    let missing = with(",{\"type\":\"text\",\"text\":\"Today is 2026-11-17.\"}", "");
    let missing = check(&lock, &[entry("a", missing, slots.clone())], json!({}));
    assert_eq!(changes_of(&missing), ["volatile_missing /system/1 system prompt"]);
    assert_eq!(missing.unmatched[0].slot, "/system/1");
    let long = with("Today is", &"Today is a day ".repeat(20));
    let long = check(&lock, &[entry("a", long, slots)], json!({}));
    assert_eq!(changes_of(&long), ["volatile_range /system/1 system prompt"]);
    let other = check(&lock, &[entry("a", body(), json!([]))], json!({}));
    assert_eq!(changes_of(&other), ["volatility_changed /system/1 system prompt"]);
}

#[test]
fn a_shared_volatile_slot_need_not_exist() {
    let call = json!({"name": "a", "volatile": ["/system/9"], "shared_volatile": ["/system/1", "/system/8"],
        "request": {"provider": "anthropic", "body": body()}});
    let made = run(&LockEntry::from_json(&call).unwrap()).unwrap();
    assert!(made.block.contains(" ~ \"system prompt\""), "{}", made.block);
    assert_eq!(made.details.unmatched, ["/system/9"]);
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
fn volatile_text_is_cut_between_two_strings() {
    let slots =
        json!([{"slot": "/system/1", "after": "Today is ", "before": "."}, "tool_call_ids"]);
    let lock = lock_of(&[entry("a", body(), slots.clone())]);
    assert!(lock.contains("\"Today is ~.\""), "{lock}");
    let other = body().to_string().replace("11-17", "11-18").replace("\"t1\"", "\"t2\"");
    let other = Json::parse(&other).unwrap();
    let same = check(&lock, &[entry("a", other, slots.clone())], json!({}));
    assert_eq!(same.status, LockStatus::Same, "{}", same.reports[0].text);
    let edited = check(&lock, &[entry("a", with("Today is", "Now is"), slots)], json!({}));
    assert_eq!((changes_of(&edited).len(), edited.unmatched.len()), (1, 1));
}

#[test]
fn slots_that_differ_between_two_builds_are_unstable() {
    let lock = lock_of(&[entry("a", body(), json!([]))]);
    let (first, second) = (with("11-17", "11-18"), with("11-17", "11-19"));
    let mut call = LockCheck::from_json(&json!({"lock": lock, "entries": []})).unwrap();
    call.entries = vec![entry("a", first, json!([]))];
    call.again = vec![entry("a", second, json!([]))];
    let verdict = run(&call).unwrap();
    let slot = &verdict.unstable[0];
    assert_eq!((slot.slot.as_str(), slot.kind), ("/system/1", Some("date")));
    assert_eq!(slot.suggestion, r#"volatile: ["/system/1"]"#);
}

#[test]
fn a_shared_edit_is_one_group_of_few_lines() {
    let name = |at: usize| format!("writer/{at:03}");
    let entries = |system: &str| -> Vec<LockedContext> {
        let named = |at: usize| {
            let body = with("Shorter.", &format!("Question {at}."));
            let body = body.to_string().replacen("You write reports.", system, 1);
            entry(&name(at), Json::parse(&body).unwrap(), json!([]))
        };
        (0..100).map(named).collect()
    };
    let lock = lock_of(&entries("You write reports."));
    let verdict = check(&lock, &entries("You write short reports for a board."), json!({}));
    assert_eq!((verdict.groups.len(), verdict.entries.len()), (1, 100));
    let group = &verdict.groups[0];
    assert_eq!((group.entries.len(), group.cause.as_str()), (100, "system prompt"));
    assert!(group.price_per_1000.unwrap() > 0.0);
    let start = "system prompt edited: 100 contexts, +";
    assert!(group.title.starts_with(start), "{}", group.title);
    assert!(group.title.contains(", prefix lost from /system/0 ("), "{}", group.title);
    assert!(group.title.contains(" tokens, too few for a cache)"), "{}", group.title);
    assert!(group.title.contains(" per 1,000 turns"), "{}", group.title);
    let [text, markdown, junit, annotations] =
        [0, 1, 2, 3].map(|at| verdict.reports[at].text.as_str());
    assert!(markdown.lines().count() <= 40, "{markdown}");
    assert!(text.contains("short reports"), "{text}");
    assert!(junit.contains("tests=\"100\" failures=\"100\" errors=\"0\""), "{junit}");
    assert_eq!(annotations.lines().count(), 1);
    assert!(annotations.starts_with("::warning file=tuckbox.lock,line=3,title=Context::"));
    let sarif = Json::parse(&verdict.reports[4].text).unwrap();
    let run = sarif.get("runs").and_then(Json::as_array).unwrap()[0].clone();
    let results = run.get("results").and_then(Json::as_array).unwrap().to_vec();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].get("ruleId"), Some(&json!("edited")));
    assert!(results[0].to_string().contains(r#""startLine":3"#), "{}", results[0]);
}

#[test]
fn no_report_and_no_cache_has_the_text_of_a_secret() {
    let secret = "sk-abcdefghij0123456789xyz";
    let plain = entry("a", body(), json!([]));
    let keyed = entry("a", with("Shorter.", &format!("Shorter {secret}.")), json!([]));
    assert_eq!(keyed.details.hashes.last().unwrap(), "");
    for [before, after] in [[&plain, &keyed], [&keyed, &plain]] {
        let verdict =
            check(&lock_of(std::slice::from_ref(before)), std::slice::from_ref(after), json!({}));
        assert_eq!(changes_of(&verdict), ["edited /messages/4 user message"]);
        let report = |report: &LockReport| assert!(!report.text.contains("sk-"), "{}", report.text);
        verdict.reports.iter().for_each(report);
        assert!(verdict.reports[0].text.contains("[secret]"), "{}", verdict.reports[0].text);
    }
    // and with `redact`, none has any text
    let redacted = |text: &str| {
        let call = json!({"name": "a", "redact": true,
            "request": {"provider": "anthropic", "body": with("Shorter.", text)}});
        run(&LockEntry::from_json(&call).unwrap()).unwrap()
    };
    let (before, after) = (redacted("Shorter."), redacted("Longer."));
    assert!(before.details.hashes.iter().all(String::is_empty));
    let verdict = check(&lock_of(&[before]), &[after], json!({}));
    assert_eq!(changes_of(&verdict), ["edited /messages/4 user message"]);
    assert!(!verdict.reports.iter().any(|report| report.text.contains("Longer")));
}

#[test]
fn the_words_after_an_excerpt_need_the_locked_text() {
    let long = |end: &str| {
        with("Write about tides.", &format!("{} {end}", "Write about tides.".repeat(9)))
    };
    let context = entry("a", long("Be brief."), json!([]));
    let lock = lock_of(std::slice::from_ref(&context));
    let edited = entry("a", long("Be long."), json!([]));
    let words = |more: Json| {
        check(&lock, std::slice::from_ref(&edited), more).entries[0].changes[0].words.clone()
    };
    assert_eq!(words(json!({})), None);
    let texts =
        Json::from([(context.details.hashes[2].as_str(), context.details.texts[2].as_str())]);
    assert_eq!(words(Json::from([("texts", texts)])).unwrap().after, "long.");
}

#[test]
fn a_context_that_cannot_be_built_is_never_the_same() {
    let context = entry("a", body(), json!([]));
    let lock = lock_of(&[context.clone(), entry("b", body(), json!([]))]);
    let errors = json!({"errors": [{"name": "b", "message": "boom"}]});
    let verdict = check(&lock, std::slice::from_ref(&context), errors);
    assert_eq!((verdict.status, verdict.exit_code), (LockStatus::Undecided, 2));
    assert!(verdict.removed.is_empty() && verdict.reports[0].text.contains("b: boom"));
    let gone = check(&lock, std::slice::from_ref(&context), json!({}));
    assert_eq!((gone.removed, gone.exit_code), (vec!["b".to_owned()], 1));
    let partial = check(&lock, &[context], json!({"complete": false}));
    assert_eq!(partial.status, LockStatus::Same);
}

#[test]
fn assertions_name_the_position() {
    let secret = with("Two a day.", "password = hunter22x");
    let context = entry("writer/a", secret, json!([]));
    assert!(context.block.contains("\"[secret]\"") && !context.block.contains("hunter22x"));
    let lock = lock_of(std::slice::from_ref(&context));
    let failures = |assertion: Json| -> Vec<String> {
        let verdict =
            check(&lock, std::slice::from_ref(&context), json!({"assertions": [assertion]}));
        assert_eq!(verdict.exit_code, u8::from(!verdict.failures.is_empty()));
        let text = |failure: &LockFailure| {
            format!("{} {}", failure.assertion, failure.slot.clone().unwrap_or_default())
        };
        verdict.failures.iter().map(text).collect()
    };
    let none: [&str; 0] = [];
    assert_eq!(failures(json!({"max_tokens": 10_000, "max_window_percent": 50})), none);
    assert_eq!(failures(json!({"max_tokens": 60})), ["max_tokens /system/1"]);
    assert_eq!(failures(json!({"entries": ["other/*"], "max_tokens": 1})), none);
    assert_eq!(failures(json!({"entries": ["wr*a"], "max_tokens": 1})), ["max_tokens /system/0"]);
    assert_eq!(failures(json!({"excludes": [{"secret": true}]})), ["excludes /messages/2"]);
    assert_eq!(failures(json!({"excludes": [{"text": "tides"}]})), ["excludes /messages/0"]);
    assert_eq!(failures(json!({"contains": [{"role": "user", "text": "Shorter"}]})), none);
    assert_eq!(failures(json!({"contains": [{"cause": "layer x"}]})), ["contains "]);
    assert_eq!(failures(json!({"tools": ["search"]})), ["tools /tools/read"]);
    assert_eq!(failures(json!({"min_prefix_tokens": 100_000})), ["min_prefix_tokens "]);
    assert_eq!(
        failures(json!({"visible_boxes": ["b"], "hidden_boxes": ["c"]})),
        ["visible_boxes "]
    );
    assert_eq!(failures(json!({"legal_for": ["gemini"]})), ["legal_for "]);
}

#[test]
fn a_context_has_the_causes_of_its_layers() {
    let call = json!({"name": "a", "legal_for": ["gemini"], "context": {"provider": "anthropic",
        "model": "claude-opus-5-5", "messages": [
            {"role": "system", "content": "You write."}, {"role": "system", "content": "It is Monday."},
            {"role": "user", "content": "Go."}],
        "origins": [{"layer": "system_prompt"}, {"layer": "date"}, null]}, "volatile": ["/system/date"]});
    let made = run(&LockEntry::from_json(&call).unwrap()).unwrap();
    assert!(made.block.contains("\"system prompt\" \"You write.\""), "{}", made.block);
    assert!(made.block.contains(" ~ \"layer date\"\n"), "{}", made.block);
    assert!(made.block.contains("\"user message\""), "{}", made.block);
    assert_eq!((made.details.losses.len(), made.details.unmatched.len()), (1, 0));
}

#[test]
fn a_body_is_legal_for_providers_that_can_represent_it() {
    let tool = json!({"type": "function", "function": {"name": "search", "parameters":
        {"type": "object", "properties": {"q": {"type": "string"}}}}});
    let body = json!({"model": "gpt-5", "tools": [tool], "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Find it."},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
            "function": {"name": "search", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "nothing"}]});
    let losses = |body: &Json, provider: &str| {
        let body = body.clone();
        let call = json!({"name": "a", "legal_for": [provider],
            "request": {"provider": "openai_chat", "body": body}});
        let made = run(&LockEntry::from_json(&call).unwrap()).unwrap();
        made.details.losses[0].codes.clone()
    };
    let none: [&str; 0] = [];
    assert_eq!(losses(&body, "openai_chat"), none);
    assert!(!losses(&body, "anthropic").is_empty(), "Anthropic has no audio");
    let text = body
        .to_string()
        .replace("input_audio", "text")
        .replace(r#"{"data":"AAAA","format":"wav"}"#, r#""Now.""#);
    assert_eq!(losses(&Json::parse(&text).unwrap(), "anthropic"), none);
    assert_eq!(losses(&Json::parse(&text).unwrap(), "gemini"), none);
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

#[test]
fn reports_escape_what_contexts_contain() {
    let name = "x\n::error::boom <b> `@team` %";
    let context = entry(name, body(), json!([]));
    let lock = lock_of(std::slice::from_ref(&context));
    let edited = entry(name, with("Shorter.", "Longer `@team` <script>"), json!([]));
    let verdict =
        check(&lock, &[edited], json!({"errors": [{"name": "y", "message": "a\n::error::b"}]}));
    let [text, markdown, junit, annotations] =
        [0, 1, 2, 3].map(|at| verdict.reports[at].text.as_str());
    for report in [text, annotations, markdown] {
        assert!(!report.contains("\n::error::b"), "{report}");
    }
    assert!(!markdown.contains("`@team`"), "{markdown}");
    assert!(!junit.contains("<b>") && !junit.contains("<script>"), "{junit}");
}

#[test]
fn redacted_entries_have_no_text() {
    let call =
        json!({"name": "a", "redact": true, "request": {"provider": "anthropic", "body": body()}});
    let made = run(&LockEntry::from_json(&call).unwrap()).unwrap();
    assert!(!made.block.contains("tides") && !made.block.contains("reports"), "{}", made.block);
    assert_eq!(check(&lock_of(std::slice::from_ref(&made)), &[made], json!({})).exit_code, 0);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a test is a host")]
fn a_rust_test_adds_and_compares_its_context() {
    // a process of its own, because a server of tests sets the variables that are tested here
    if std::env::var("TUCKBOX_TEST_CHILD").is_err() {
        let run = |ci: Option<&str>| {
            let mut test = std::process::Command::new(std::env::current_exe().unwrap());
            test.args(["--exact", "lock::tests::a_rust_test_adds_and_compares_its_context"])
                .env("TUCKBOX_TEST_CHILD", "1")
                .env_remove("TUCKBOX_LOCK")
                .env_remove("CI");
            let out = test.envs(ci.map(|ci| ("CI", ci))).output().unwrap();
            (
                out.status.success(),
                String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned(),
            )
        };
        let (is_ok, text) = run(None);
        assert!(is_ok, "{text}");
        let (is_ok, text) = run(Some("true"));
        assert!(!is_ok && text.contains("the context `t0/0` is not in the lockfile"), "{text}");
        return;
    }
    let folder = std::env::temp_dir().join(format!("tuckbox-lock-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("tuckbox.lock");
    let missing = compare_context("a", body(), file!(), None, false).unwrap();
    let Comparison::Write(text) = missing else { panic!("a missing entry is added") };
    std::fs::write(&path, text).unwrap();
    crate::assert_context!("a", body(), &path);
    let edited = with("Shorter.", "Longer.");
    let failed = std::panic::catch_unwind(|| crate::assert_context!("a", edited, &path));
    let message = failed.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("user message edited at /messages/4"), "{message}");
    // tests of many threads add their entries at once
    std::thread::scope(|threads| {
        for thread in 0..8 {
            let path = &path;
            threads.spawn(move || {
                for at in 0..8 {
                    crate::assert_context!(&format!("t{thread}/{at}"), body(), path);
                }
            });
        }
    });
    let lock = std::fs::read_to_string(&path).unwrap();
    assert_eq!(run(&LockRead { lock }).unwrap().entries.len(), 65);
    std::fs::remove_dir_all(&folder).unwrap();
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

#[test]
fn secrets_of_tools_and_parameters_are_found() {
    let secret = "sk-abcdefghij0123456789xyz";
    for (from, slot) in
        [("Finds pages.", "/tools/search"), ("\"max_tokens\":1000", "/parameters/user")]
    {
        let to = if slot == "/parameters/user" {
            format!("\"user\":\"{secret}\"")
        } else {
            secret.to_owned()
        };
        let context = entry("a", with(from, &to), json!([]));
        assert!(!context.block.contains(secret), "{}", context.block);
        let assertions = json!({"assertions": [{"excludes": [{"secret": true}]}]});
        let verdict = check(&lock_of(std::slice::from_ref(&context)), &[context], assertions);
        let [failure] = verdict.failures.as_slice() else { panic!("{:?}", verdict.failures) };
        assert_eq!((failure.assertion, failure.slot.as_deref()), ("excludes", Some(slot)));
    }
}
