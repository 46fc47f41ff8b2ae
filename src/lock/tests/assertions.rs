//! Assertions about contexts, and contexts of tests.

use super::*;

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
#[allow(clippy::disallowed_methods, reason = "a test is a host")]
fn a_rust_test_adds_and_compares_its_context() {
    // a process of its own, because a server of tests sets the variables that are tested here
    if std::env::var("TUCKBOX_TEST_CHILD").is_err() {
        let run = |ci: Option<&str>| {
            let mut test = std::process::Command::new(std::env::current_exe().unwrap());
            test.args([
                "--exact",
                "lock::tests::assertions::a_rust_test_adds_and_compares_its_context",
            ])
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
