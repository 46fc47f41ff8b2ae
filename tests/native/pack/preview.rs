//! The content of a handover preview: sender, receiver, lints and audit record.

use tuckbox::call::settings::Settings;
use tuckbox::rule::AnyOutcome;
use tuckbox::store::{Agent, AgentState, MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::json::Field;
use tuckbox::{Card, Env, Json, Result, Step, Timestamp};

fn card(text: &str) -> Card {
    Card::from_row(&Field::root(&Json::parse(text).unwrap())).unwrap()
}

fn text_card(card_id: &str, text: &str) -> Card {
    let text = Json::from(text);
    card(&format!(
        r#"{{"card_id": "{card_id}", "metadata": {{"role": "user"}},
            "content": {{"__type__": "TextContent", "text": {text}}}}}"#
    ))
}

fn store() -> MemoryStore {
    let mut store = MemoryStore::new();
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy =
        Json::parse(r#"{"target_profiles": ["Writer"], "target_tags": ["team"]}"#).unwrap();
    let mut writer = Profile::new("Writer", "pb_writer");
    writer.tags = vec!["team".into()];
    let mut agent = Agent::new("lead", "pb_lead");
    agent.state = Some(AgentState {
        status: "running".into(),
        output_box_id: Some("out".into()),
        context_box_id: Some("ctx".into()),
        ..AgentState::default()
    });
    let long: Vec<String> = (0..80).map(|index| format!("long_{index}")).collect();
    let tables = store.project("p1");
    tables
        .add_profile(lead)
        .add_profile(writer)
        .add_agent(agent)
        .add_box("ctx", ["task", "key"])
        .add_box("out", ["thought"])
        .add_box("foreign", ["key", "file", "gone"])
        .add_box("long", long.iter().map(String::as_str))
        .add_box("pb_writer", ["prof"])
        .add_card(text_card("task", "Write the report about bees."))
        .add_card(text_card("thought", "I should ask a writer"))
        .add_card(text_card("key", "use sk-abcdefghij0123456789 for it"))
        .add_card(card(
            r#"{"card_id": "file", "metadata": {"role": "user"}, "content": {
                "__type__": "FileContent", "uri": "s3://b/k", "checksum": "x"}}"#,
        ))
        .add_card(card(
            r#"{"card_id": "prof", "metadata": {"type": "sys.profile"}, "content": {
                "__type__": "JsonContent", "data": {"name": "Writer",
                "system_prompt_template": "You are {display_name}.",
                "allowed_tools": ["search"], "llm_config": {"takes_files": false}}}}"#,
        ));
    for id in &long {
        tables.add_card(text_card(id, "page"));
    }
    store
}

fn drive(call: &str, settings: &str) -> Result<AnyOutcome> {
    let settings = Json::parse(settings).unwrap();
    let settings = Settings::from_json(&Field::root(&settings))?;
    let call = settings.setup.read_call(&Json::parse(call).unwrap())?;
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [1; 32]);
    let store = store();
    let mut snapshot = Snapshot::new("p1".into());
    loop {
        match call.step(&snapshot, &env)? {
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
            Step::Done(outcome) => return Ok(outcome),
        }
    }
}

const PLAIN: &str = r#"{"project_id": "p1"}"#;

fn preview(instruction: &str, context: &str, more: &str) -> AnyOutcome {
    let instruction = Json::from(instruction);
    drive(
        &format!(
            r#"{{"op": "preview_handover", "call": {{"op": "delegate_async",
                "source_agent_id": "lead", "arguments": {{"target_strategy": "new",
                "target_ref": "Writer", "instruction": {instruction},
                "context_box_id": "{context}"}}}}{more}}}"#
        ),
        PLAIN,
    )
    .unwrap()
}

fn codes(outcome: &AnyOutcome) -> Vec<(&'static str, String)> {
    outcome.lints.iter().map(|lint| (lint.code.as_str(), lint.path.to_string())).collect()
}

#[test]
fn both_sides_are_shown_and_every_card_is_accounted_for() {
    let outcome = preview("Draft it.", "ctx", "");
    assert!(outcome.writes.is_empty(), "the preview has writes");
    let value = outcome.value.to_json().unwrap();
    let ids = |key: &str| -> Vec<String> {
        let list = value.get(key).and_then(Json::as_array).unwrap();
        list.iter().map(|item| item.get("card_id").unwrap().as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("shared"), ["task", "key"]);
    assert_eq!(ids("not_passed_on"), ["thought"]);
    let added = value.get("added").and_then(Json::as_array).unwrap();
    let kinds: Vec<&str> = added
        .iter()
        .map(|item| item.get("cause").unwrap().get("kind").unwrap().as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["argument"]);
    let messages = value.get("receiver").unwrap().get("request").unwrap().get("messages").unwrap();
    let first = messages.as_array().unwrap()[0].to_string();
    assert_eq!(first, r#"{"role":"system","content":"You are Writer."}"#);
}

#[test]
fn a_preview_reports_risky_content() {
    let outcome = preview("Use the key.", "foreign", "");
    let expected = [
        ("missing_card", "receiver.source_card_ids[3]"),
        ("unauthorised_box", "call.context_box_id"),
        ("secret_looking_text", "receiver.source_card_ids[1]"),
        ("file_not_taken", "receiver.source_card_ids[2]"),
    ];
    let found = codes(&outcome);
    for (code, path) in expected {
        assert!(found.contains(&(code, path.into())), "{code} at {path} in {found:?}");
    }
    assert!(!found.iter().any(|(code, _)| *code == "empty_instruction"), "{found:?}");
    // no message contains the secret
    assert!(outcome.lints.iter().all(|lint| !lint.message.contains("sk-abc")));
}

#[test]
fn a_repeated_or_blank_instruction_is_a_lint() {
    let found = codes(&preview("Write the report about bees.", "ctx", ""));
    assert!(found.iter().any(|(code, _)| *code == "repeated_instruction"), "{found:?}");
    let found = codes(&preview("  ", "ctx", ""));
    assert!(found.iter().any(|(code, _)| *code == "empty_instruction"), "{found:?}");
    assert!(found.iter().any(|(code, _)| *code == "blank_instruction"), "{found:?}");
}

#[test]
fn a_box_that_dominates_the_context_is_a_lint() {
    let found = codes(&preview("Draft it.", "long", ""));
    assert!(found.contains(&("lopsided_context", "call.context_box_id".into())), "{found:?}");
    let found = codes(&preview("Draft it.", "ctx", ""));
    assert!(!found.iter().any(|(code, _)| *code == "lopsided_context"), "{found:?}");
}

#[test]
fn takes_files_of_the_call_suppresses_the_file_lint() {
    let found = codes(&preview("Draft it.", "foreign", r#", "takes_files": true"#));
    assert!(!found.iter().any(|(code, _)| *code == "file_not_taken"), "{found:?}");
}

#[test]
fn a_missing_profile_is_a_lint() {
    let call = r#"{"op": "turn_view", "context_box_id": "ctx", "profile_box_id": "pb_lead"}"#;
    let outcome = drive(call, PLAIN).unwrap();
    assert_eq!(codes(&outcome)[0], ("missing_profile", "profile_box_id".into()));
    let value = outcome.value.to_json().unwrap();
    let messages = value.get("request").unwrap().get("messages").unwrap().as_array().unwrap();
    assert_eq!(messages.len(), 2, "a missing profile has no system prompt");
}

#[test]
fn the_audit_has_the_sender_the_sources_and_their_authority() {
    let outcome = drive(
        r#"{"op": "delegate_async", "source_agent_id": "lead", "tool_suffix": "t",
            "dialect": "v1r4", "arguments": {"target_strategy": "new", "target_ref": "Writer",
            "instruction": "go", "context_box_id": "ctx"}}"#,
        PLAIN,
    )
    .unwrap();
    let audit = &outcome.ledger.audit[0];
    let json = tuckbox::value::json::to_json(audit).unwrap();
    let at = |path: &[&str]| path.iter().try_fold(&json, |json, key| json.get(key)).unwrap();
    assert_eq!(at(&["packed_by"]), &Json::from("lead"));
    assert_eq!(at(&["recipe"]), &Json::from("delegate_async"));
    assert_eq!(at(&["tool_suffix"]), &Json::from("delegate_async"));
    assert_eq!(at(&["dialect"]), &Json::from("v1r4"));
    assert_eq!(
        at(&["permission"]).to_string(),
        r#"{"profile_box_id":"pb_lead","target_profiles":["Writer"],"target_tags":["team"]}"#
    );
    assert_eq!(
        at(&["sources"]).to_string(),
        r#"[{"box_id":"ctx","version":1,"cards":2,"authority":{"kind":"own","as_what":"context_box_id"},"path":"context_box_id"}]"#
    );
    // the paths of the ledger are arguments of the caller
    let entries = outcome.ledger.boxes[0].entries(0..4);
    let paths: Vec<String> = entries
        .iter()
        .map(|entry| {
            let cause = tuckbox::value::json::to_json(&entry.cause).unwrap();
            cause.get("path").unwrap().as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(paths[..3], ["instruction", "context_box_id", "context_box_id"]);
}

#[test]
fn every_task_of_a_batch_has_an_audit_record_and_lints() {
    let outcome = drive(
        r#"{"op": "fork_join", "source_agent_id": "lead", "tool_suffix": "t", "arguments": {"tasks": [
            {"target_strategy": "new", "target_ref": "Writer", "instruction": " "},
            {"target_strategy": "new", "target_ref": "Writer", "instruction": "  "},
            {"target_strategy": "new", "target_ref": "Writer", "instruction": "   "}]}}"#,
        PLAIN,
    )
    .unwrap();
    let agents = outcome.writes.agents.iter().map(|agent| Some(&agent.agent_id));
    let audited = outcome.ledger.audit.iter().map(|audit| audit.target_agent_id.as_ref());
    assert_eq!(audited.collect::<Vec<_>>(), agents.collect::<Vec<_>>());
    let blank = |index: usize| ("blank_instruction", format!("tasks[{index}].instruction"));
    assert_eq!(codes(&outcome), [blank(0), blank(1), blank(2)]);
}

#[test]
fn a_registered_recipe_is_an_operation_of_its_workspace() {
    let settings = r#"{"project_id": "p1", "recipes": [{
        "name": "ask_for_draft",
        "arguments": [{"name": "what", "type": "text"}, {"name": "from", "type": "box_id"}],
        "handover": {"target_profile_config": {"profile_name": "Writer"},
            "context_packing_config": {"pack_arguments": [{"arg_key": "what"}],
                "inherit_context": {"include_boxes_from_args": ["from"]}}}}]}"#;
    let call = r#"{"op": "ask_for_draft", "source_agent_id": "lead",
        "arguments": {"what": "Draft it.", "from": "ctx"}}"#;
    let outcome = drive(call, settings).unwrap();
    assert_eq!(outcome.writes.cards[0].author_id(), Some("ask_for_draft"));
    assert_eq!(outcome.ledger.boxes[0].len(), 3);
    assert_eq!(outcome.ledger.audit[0].recipe.as_deref(), Some("ask_for_draft"));

    let look = format!(r#"{{"op": "preview_handover", "call": {call}}}"#);
    assert!(drive(&look, settings).is_ok(), "a registered recipe has no preview");
    let wrong = call.replace("\"ctx\"", "[\"ctx\"]");
    let error = drive(&wrong, settings).err().unwrap();
    assert_eq!(error.to_string(), "bad_request at `from`: expected the id of a box, found a list");
    let unknown = drive(call, PLAIN).err().unwrap();
    assert!(unknown.message().starts_with("unknown operation `ask_for_draft`"), "{unknown}");
    let refused = drive(&call.replace("\"from\": \"ctx\"", "\"from\": \"b9\""), settings);
    assert_eq!(
        refused.err().unwrap().to_string(),
        "not_found at `from`: no box `b9` in project `p1`"
    );
}

#[test]
fn a_recipe_without_inherited_boxes_needs_no_authority() {
    let recipe = r#"{"name": "ask", "arguments": [
            {"name": "what", "type": "text"},
            {"name": "from", "type": "box_ids", "required": false}],
        "handover": {"target_profile_config": {"profile_name": "Writer"},
            "context_packing_config": {"pack_arguments": [{"arg_key": "what"}],
                "inherit_context": {"include_boxes_from_args": ["from"]}}}}"#;
    for dialect in ["v1r3", "v1r4", "v1r4_hotfix"] {
        for arguments in [r#"{"what": "go"}"#, r#"{"what": "go", "from": []}"#] {
            let call = format!(
                r#"{{"op": "run_recipe", "recipe": {recipe}, "source_agent_id": "lead",
                    "dialect": "{dialect}", "arguments": {arguments}}}"#
            );
            let outcome = drive(&call, PLAIN).unwrap();
            assert_eq!(outcome.ledger.boxes[0].len(), 1, "{dialect} {arguments}");
        }
    }
}

#[test]
fn a_turn_view_can_include_an_uncommitted_call() {
    let outcome = drive(
        r#"{"op": "turn_view", "agent_id": "lead", "profile_box_id": "pb_writer",
            "tools": [{"type": "function", "function": {"name": "search"}},
                      {"type": "function", "function": {"name": "delete"}}],
            "after": {"op": "append_to_box", "box_id": "out", "card_ids": ["task", "file"]}}"#,
        PLAIN,
    )
    .unwrap();
    let value = outcome.value.to_json().unwrap();
    let ids = value.get("source_card_ids").unwrap().to_string();
    assert_eq!(ids, r#"["task","key","thought","file"]"#);
    assert_eq!(value.get("tools_left_out").unwrap().to_string(), r#"["delete"]"#);
    let swallowed = value.get("swallowed").unwrap().to_string();
    assert_eq!(swallowed, r#"[{"card_id":"task","side":"output","position":1}]"#);
}
