//! A prompt has one source: messages, cards, a turn or the composer. A budget never drops a pinned
//! message.
use tuckbox::agents::Setup;
use tuckbox::agents::turn::TurnAfter;
use tuckbox::prompt::budget::FitBudget;
use tuckbox::prompt::provider::MakePayload;
use tuckbox::rule::{Rule, preview};
use tuckbox::store::{MemoryStore, Profile, Snapshot};
use tuckbox::value::json::{Field, to_json};
use tuckbox::{Card, Env, Json, Result, Timestamp};

fn store() -> MemoryStore {
    let card = |text: &str| Card::from_row(&Field::root(&Json::parse(text).unwrap())).unwrap();
    let mut store = MemoryStore::new();
    store
        .project("p1")
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_box("pb_writer", ["prof"])
        .add_box("b1", ["c1", "c2"])
        .add_card(card(
            r#"{"card_id": "prof", "metadata": {"type": "sys.profile"}, "content": {"__type__":
            "JsonContent", "data": {"name": "Writer", "system_prompt_template": "You write."}}}"#,
        ))
        .add_card(card(
            r#"{"card_id": "c1", "metadata": {"type": "agent.thought", "role": "assistant"},
            "content": {"__type__": "TextContent", "text": "an older thought"}}"#,
        ))
        .add_card(card(
            r#"{"card_id": "c2", "metadata": {"type": "agent.thought", "role": "assistant"},
            "content": {"__type__": "TextContent", "text": "a newer thought"}}"#,
        ));
    store
}

fn answer<R: Rule>(rule: &R) -> Result<R::Value> {
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
    Ok(preview(rule, &mut Snapshot::new("p1".into()), &env, &store())?.value)
}

const CALL: &str = r#"{"op": "pack_context_with_instruction", "source_agent_id": "agent_a",
    "profile_name": "Writer", "instruction": "go on", "inherit_box_ids": ["b1"], "dialect": "v1r3"}"#;

/// Returns the turn that starts after the commit of the call.
fn turn() -> String {
    let pack = format!(r#"{{"call": {CALL}}}"#);
    let look = tuckbox::inspect::Inspect::from_json(&Json::parse(&pack).unwrap()).unwrap();
    let box_id = answer(&look).unwrap().boxes[0].box_id.clone();
    format!(r#"{{"after": {CALL}, "context_box_id": "{box_id}", "profile_box_id": "pb_writer"}}"#)
}

fn payload(source: &str) -> Result<Json> {
    let call = format!(r#"{{"provider": "openai_chat", "model": "gpt-5", {source}}}"#);
    to_json(&answer(&MakePayload::from_json(&Json::parse(&call).unwrap())?)?)
}

#[test]
fn the_payload_of_a_turn_equals_the_payload_of_its_messages() {
    let turn = turn();
    let view = TurnAfter::from_json(&Json::parse(&turn).unwrap(), &Setup::default()).unwrap();
    let seen = to_json(&answer(&view).unwrap().request.messages).unwrap();
    let of_turn = payload(&format!(r#""turn": {turn}"#)).unwrap();
    let of_messages = payload(&format!(r#""messages": {seen}"#)).unwrap();
    assert_eq!(of_turn.get("body"), of_messages.get("body"));
    assert!(of_turn.to_string().contains("You write."), "{of_turn}");
}

#[test]
fn the_composer_is_a_source() {
    let composed = payload(
        r#""compose": {"process": "react", "system_prompt": "s", "contexts": {"todo__context": "t"},
            "query": "q"}"#,
    )
    .unwrap();
    assert_eq!(composed.get("body").unwrap().get("messages").unwrap().as_array().unwrap().len(), 3);
}

#[test]
fn every_source_takes_tools() {
    let tools = r#""tools": [{"name": "search", "parameters": {"type": "object"}}]"#;
    let compose = r#"{"process": "react", "system_prompt": "s", "query": "q"}"#;
    let names = |made: &Json| {
        let tools =
            made.get("body").unwrap().get("tools").and_then(Json::as_array).unwrap().to_vec();
        let name = |tool: &Json| tool.get("function").unwrap().get("name").unwrap().to_string();
        tools.iter().map(name).collect::<Vec<_>>()
    };
    for source in [
        r#""messages": [{"role": "user", "content": "q"}]"#,
        r#""box_id": "b1""#,
        r#""card_ids": ["c1"]"#,
        &format!(r#""turn": {}"#, turn()),
        &format!(r#""compose": {compose}"#),
    ] {
        let made = payload(&format!("{source}, {tools}")).unwrap();
        assert_eq!(names(&made), [r#""search""#], "{source}");
    }
    // the card has the same definition
    let card = r#"{"card_id": "t1", "content": {"__type__": "ToolContent", "tools": [
        {"name": "search", "parameters": {"type": "object"}}, {"name": "fetch"}]}}"#;
    let text = r#"{"card_id": "c3", "content": {"__type__": "TextContent", "text": "hi"}}"#;
    let made = payload(&format!(r#""cards": [{card}, {text}], {tools}"#)).unwrap();
    assert_eq!(names(&made), [r#""search""#, r#""fetch""#]);
}

#[test]
fn origins_must_come_with_messages() {
    let error = payload(r#""box_id": "b1", "origins": []"#).unwrap_err();
    assert_eq!(error.path().to_string(), "origins");
    assert_eq!(error.message(), "`origins` must come with `messages`");
}

#[test]
fn a_second_source_is_refused() {
    let error = payload(r#""messages": [], "turn": {"agent_id": "a"}"#).unwrap_err();
    assert_eq!(error.path().to_string(), "turn");
    let error = payload(r#""box_id": "b1", "compose": {}"#).unwrap_err();
    assert_eq!(error.path().to_string(), "compose");
}

#[test]
fn an_error_inside_a_source_has_its_whole_path() {
    let error = payload(r#""turn": {"after": {"op": "nothing"}, "agent_id": "a"}"#).unwrap_err();
    assert_eq!(error.path().to_string(), "turn.after.op");
    let error = payload(r#""compose": {"process": "react", "query": "q"}"#).unwrap_err();
    assert_eq!(error.path().to_string(), "compose.system_prompt");
}

#[test]
fn a_budget_keeps_a_pinned_message_and_drops_another() {
    let fit = |pinned: &str| {
        let turn = turn();
        let call = format!(r#"{{"provider": "openai_chat", "limit": 40, "turn": {turn}{pinned}}}"#);
        answer(&FitBudget::from_json(&Json::parse(&call).unwrap()).unwrap()).unwrap()
    };
    let free = fit("");
    let first = free.dropped[0].position;
    let pinned = fit(&format!(r#", "pinned": [{first}, 900]"#));
    assert!(pinned.kept.contains(&first), "{pinned:?}");
    assert_ne!(pinned.dropped[0].position, first);
    let brief = fit(r#", "brief": true"#);
    assert_eq!((brief.prompt.messages.len(), brief.kept), (0, free.kept));
}
