//! Invalid prompt input: every kind is an error or a lint with the path of the value.
use tuckbox::agents::Setup;
use tuckbox::rule::AnyOutcome;
use tuckbox::rule::Step;
use tuckbox::{Env, Error, Json, Result, Snapshot, Timestamp};

fn run(call: &str) -> Result<AnyOutcome> {
    let call = Setup::default().read_call(&Json::parse(call).unwrap())?;
    let env = Env::new(Timestamp::from_millis(0), [0; 32]);
    match call.step(&Snapshot::new("p1".into()), &env)? {
        Step::Done(outcome) => Ok(outcome),
        Step::Need(_) => panic!("the call reads"),
    }
}

fn refused(call: &str) -> Error {
    match run(call) {
        Err(error) => error,
        Ok(_) => panic!("the call succeeds: {call}"),
    }
}

/// Returns the code and the path of an error.
fn error_of(call: &str) -> (&'static str, String) {
    let error = refused(call);
    (error.code().as_str(), error.path().to_string())
}

/// Returns the codes and the paths of the lints.
fn lints(call: &str) -> Vec<(&'static str, String)> {
    run(call)
        .unwrap()
        .lints
        .iter()
        .map(|lint| (lint.code.as_str(), lint.path.to_string()))
        .collect()
}

/// Returns the codes and the positions of the losses.
fn losses(call: &str) -> Vec<(String, String)> {
    let value = run(call).unwrap().value.to_json().unwrap();
    let losses = value.get("losses").and_then(Json::as_array).unwrap();
    let text = |loss: &Json, key: &str| loss.get(key).map(Json::text_form).unwrap_or_default();
    losses.iter().map(|loss| (text(loss, "code"), text(loss, "position"))).collect()
}

fn at(found: &[(impl AsRef<str>, String)]) -> Vec<(&str, &str)> {
    found.iter().map(|(code, place)| (code.as_ref(), place.as_str())).collect()
}

#[test]
fn unknown_layer_keys_are_errors_or_lints() {
    let compose = |contexts: &str| {
        format!(
            r#"{{"op":"compose","process":"react","system_prompt":"s","query":"q","contexts":{contexts}}}"#
        )
    };
    let path_of = |contexts: &str| error_of(&compose(contexts)).1;
    assert_eq!(path_of(r#"{"todo__context":"t","todo_context":"t"}"#), "contexts.todo_context");
    assert_eq!(path_of(r#"{"":"t"}"#), r#"contexts[""]"#);
    let near = lints(&compose(r#"{"Todo__context":"t"}"#));
    assert_eq!(at(&near), [("lookalike_key", "contexts.Todo__context")]);
    let collect = r#"{"op":"collect_contexts","state":{},"retrieved":{"knowledge":"k"}}"#;
    assert_eq!(error_of(collect), ("bad_request", "retrieved.knowledge".to_owned()));
    let write = r#"{"op":"write_back","state":{},"contexts":{"notes":"n"}}"#;
    assert_eq!(error_of(write), ("bad_request", "contexts.notes".to_owned()));
    let budget = r#"{"op":"budget","provider":"neutral","messages":[],"limit":9,"priorities":{"system_prompt":1}}"#;
    assert_eq!(error_of(budget).1, "priorities.system_prompt");
}

#[test]
fn a_query_in_two_places_is_an_error() {
    let places = |call: &str| refused(call).details().get("places").unwrap().to_string();
    assert_eq!(
        places(
            r#"{"op":"compose","process":"react","system_prompt":"s","query":"why?",
                "checkpoint_messages":[{"role":"user","content":"why?"}]}"#
        ),
        r#"["query","checkpoint_messages[0]"]"#
    );
    assert_eq!(
        places(
            r#"{"op":"payload","provider":"neutral",
                "messages":[{"role":"user","content":"a"},{"role":"user","content":"a"}],
                "origins":[{"is_query":true},{"is_query":true}]}"#
        ),
        r#"["origins[0].is_query","origins[1].is_query"]"#
    );
}

#[test]
fn unknown_processes_and_providers_are_errors() {
    let compose = r#"{"op":"compose","process":"swarm","system_prompt":"","query":"q"}"#;
    for call in [compose, r#"{"op":"allowed_contexts","process":"swarm"}"#] {
        let error = refused(call);
        assert!(error.message().contains("`swarm`") && error.message().contains("`react`"));
    }
    let error = refused(r#"{"op":"payload","provider":"acme","messages":[]}"#);
    assert_eq!(error.path().to_string(), "provider");
    assert!(error.message().contains("`acme`") && error.message().contains("`gemini`"));
}

#[test]
fn unknown_roles_and_orphan_results_are_reported() {
    const TALK: &str = r#""messages":[{"role":"wizard","content":"x"},
        {"role":"tool","tool_call_id":"k9","content":"r"},
        {"role":"assistant","tool_calls":[{"id":"k1","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"user","content":"q"}]"#;
    for provider in ["openai_chat", "openai_responses", "anthropic", "gemini"] {
        let found =
            losses(&format!(r#"{{"op":"payload","model":"m","provider":"{provider}",{TALK}}}"#));
        for loss in [("unknown_role", "0"), ("orphan_result", "1"), ("unanswered_call", "2")] {
            assert!(at(&found).contains(&loss), "{provider} {found:?}");
        }
        let error = refused(&format!(
            r#"{{"op":"payload","model":"m","provider":"{provider}","strict":true,{TALK}}}"#
        ));
        assert_eq!(error.path().to_string(), "messages[0]");
    }
    // the neutral form changes nothing, so lints report them
    let said = [
        ("unknown_role", "messages[0].role"),
        ("orphan_tool_result", "messages[1]"),
        ("unanswered_tool_call", "messages[2].tool_calls[0]"),
    ];
    for op in [r#""payload""#, r#""count_tokens""#, r#""budget","limit":99"#] {
        let found = lints(&format!(r#"{{"op":{op},"provider":"neutral",{TALK}}}"#));
        assert_eq!(at(&found), said);
    }
    let found = lints(&format!(
        r#"{{"op":"diff_payloads","provider":"neutral","before":{{"messages":[]}},"after":{{{TALK}}}}}"#
    ));
    assert_eq!(at(&found)[0], ("unknown_role", "after.messages[0].role"));
    // in checkpoint messages
    let found = lints(&format!(
        r#"{{"op":"compose","process":"react","system_prompt":"s","query":"now?",{}}}"#,
        TALK.replacen("messages", "checkpoint_messages", 1)
    ));
    assert_eq!(at(&found)[1], ("orphan_tool_result", "checkpoint_messages[1]"));
}

#[test]
fn duplicate_message_ids_and_cyclic_compactions_are_reported() {
    const TWICE: &str =
        r#"[{"id":"m1","role":"user","content":"a"},{"id":"m1","role":"user","content":"b"}]"#;
    let compose = format!(
        r#"{{"op":"compose","process":"react","system_prompt":"s","query":"q","checkpoint_messages":{TWICE}}}"#
    );
    assert_eq!(error_of(&compose), ("bad_request", "checkpoint_messages[1].id".to_owned()));
    let memory = format!(r#"{{"op":"change_memory","state":{{"messages":{TWICE}}},"changes":[]}}"#);
    assert_eq!(error_of(&memory), ("bad_request", "state.messages[1].id".to_owned()));
    let append = format!(
        r#"{{"op":"change_memory","state":{{}},"changes":[{{"op":"append","messages":{TWICE}}}]}}"#
    );
    assert_eq!(error_of(&append), ("conflict", "changes[0].messages[1].id".to_owned()));
    let payload = format!(
        r#"{{"op":"payload","model":"claude-opus-4-8","provider":"anthropic","messages":{TWICE}}}"#
    );
    assert_eq!(at(&lints(&payload)), [("duplicate_message_id", "messages[1].id")]);
    let circle = r#"{"op":"change_memory","changes":[],"state":{"compression__context":"s","memory_records":{
        "compactions":[{"id":"c1","covers":["a"],"replaces":"c2"},{"id":"c2","covers":["b"],"replaces":"c1"}]}}}"#;
    let error = refused(circle);
    assert_eq!(error.path().to_string(), "state.memory_records.compactions[0].replaces");
    assert!(error.message().contains("is not older"));
}

#[test]
fn a_budget_below_the_protected_messages_is_an_error() {
    let error = refused(
        r#"{"op":"budget","provider":"openai_chat","limit":10,"messages":[
            {"role":"system","content":"You review what others wrote."},
            {"role":"user","content":"an old question"},
            {"role":"user","content":"What do you say about this one?"}]}"#,
    );
    assert_eq!((error.code().as_str(), error.path().to_string().as_str()), ("limit", "limit"));
    assert_eq!(error.details().get("protected_positions").unwrap().to_string(), "[0,2]");
    assert!(error.message().contains("the budget is 10"));
}

#[test]
fn unsupported_keys_are_reported_as_losses() {
    let found = losses(
        r#"{"op":"payload","model":"m","provider":"openai_chat","messages":[
            {"role":"user","mood":"good","annotations":[],"content":[
                {"type":"text","text":"see","cache_control":{"type":"ephemeral"}},
                {"type":"image_url","image_url":{"url":"https://h/a.png","detail":"high"}}]},
            {"role":"assistant","tool_calls":[{"id":"k","index":0,"extra_content":{"a":1},"function":{"name":"f"}}]},
            {"role":"tool","tool_call_id":"k","content":"r"}],
            "tools":[{"type":"function","function":{"name":"f","examples":[1],"strict":"yes"}}]}"#,
    );
    assert_eq!(
        at(&found),
        [
            ("key_dropped", "0"),
            ("cache_mark_dropped", "0"),
            ("arguments_rewritten", "1"),
            ("key_dropped", "1"),
            ("key_dropped", ""),
            ("key_dropped", ""),
        ]
    );
}
