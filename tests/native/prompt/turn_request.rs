//! The request of a turn is what its profile sets: the same as the calls that a host made by hand.
use tuckbox::agents::Setup;
use tuckbox::prompt::budget::FitBudget;
use tuckbox::prompt::provider::MakePayload;
use tuckbox::prompt::request::TurnRequest;
use tuckbox::rule::{Rule, preview};
use tuckbox::store::{MemoryStore, Snapshot};
use tuckbox::value::json::{Field, Json, to_json};
use tuckbox::{Card, Env, Result, Timestamp, json};

/// Returns a store with a conversation, and a profile with this configuration.
fn store(llm_config: Json) -> MemoryStore {
    let card = |row: Json| Card::from_row(&Field::root(&row)).unwrap();
    let ids: Vec<String> = (0..6).map(|n| format!("c{n}")).collect();
    let mut store = MemoryStore::new();
    let project = store.project("p1");
    project.add_box("profile", ["prof"]).add_box("talk", ids.iter().map(String::as_str));
    project.add_card(card(json!({"card_id": "prof", "metadata": {"type": "sys.profile"},
        "content": {"__type__": "JsonContent", "data": {"name": "Writer",
            "system_prompt_template": "You write.", "llm_config": llm_config}}})));
    for (n, id) in ids.iter().enumerate() {
        let role = if n % 2 == 0 { "user" } else { "assistant" };
        let text = format!("Sentence {n} of a conversation that goes on and on.");
        project.add_card(card(json!({"card_id": id.as_str(), "metadata": {"role": role},
            "content": {"__type__": "TextContent", "text": text}})));
    }
    store
}

fn answer<R: Rule<Value: serde::Serialize>>(rule: &R, store: &MemoryStore) -> Result<Json> {
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
    to_json(&preview(rule, &mut Snapshot::new("p1".into()), &env, store)?.value)
}

fn turn() -> Json {
    json!({"context_box_id": "talk", "profile_box_id": "profile", "system_append": "Be brief."})
}

fn request(llm_config: Json, more: &str) -> Result<Json> {
    let call = Json::parse(&format!(r#"{{"turn": {}{more}}}"#, turn())).unwrap();
    let rule = TurnRequest::from_json(&call)?.with_setup(&Setup::default());
    answer(&rule, &store(llm_config))
}

#[test]
fn it_is_the_payload_with_the_options_of_the_profile() {
    let config = json!({"provider": "anthropic", "model": "claude-opus-4-8", "temperature": null,
        "max_output_tokens": 900, "stop": ["END"], "extra": {"service_tier": "auto"}, "form": "client", "owner": "team a"});
    let made = request(config.clone(), "").unwrap();
    let call = json!({"turn": turn(), "provider": "anthropic", "model": "claude-opus-4-8",
        "max_output_tokens": 900, "stop": ["END"], "extra": {"service_tier": "auto"}});
    let by_hand = MakePayload::from_json(&call).unwrap().with_setup(&Setup::default()).unwrap();
    assert_eq!(made.get("payload"), Some(&answer(&by_hand, &store(config.clone())).unwrap()));
    assert_eq!(made.get("dropped"), Some(&json!([])));
    let turn = made.get("turn").unwrap();
    assert_eq!(turn.get("profile").unwrap().get("llm_config"), Some(&config));

    let provider_of = |made: Json| made.get("payload").unwrap().get("provider").cloned();
    assert_eq!(provider_of(request(Json::Null, "").unwrap()), Some("openai_chat".into()));
    let other = request(config, r#", "provider": "gemini""#).unwrap();
    assert_eq!(provider_of(other), Some("gemini".into()), "the call decides");
}

#[test]
fn a_maximum_drops_the_messages_that_a_budget_drops() {
    let config = json!({"provider": "openai_chat", "model": "gpt-5", "max_input_tokens": 60});
    let made = request(config.clone(), "").unwrap();
    let call = json!({"turn": turn(), "provider": "openai_chat", "model": "gpt-5", "limit": 60});
    let by_hand = FitBudget::from_json(&call).unwrap().with_setup(&Setup::default()).unwrap();
    let fitted = answer(&by_hand, &store(config)).unwrap();
    assert_eq!(made.get("dropped"), fitted.get("dropped"));
    let dropped = made.get("dropped").and_then(Json::as_array).unwrap().len();
    assert!((1..6).contains(&dropped), "{dropped}");
    let messages = made.get("payload").and_then(|payload| payload.get("body")).unwrap();
    let messages = messages.get("messages").and_then(Json::as_array).unwrap();
    assert_eq!(messages.len(), 7 - dropped);
}

#[test]
fn an_invalid_configuration_is_an_error_with_its_path() {
    for (config, path) in [
        (json!({"provider": "openia"}), "llm_config.provider"),
        (json!({"temperature": "hot"}), "llm_config.temperature"),
        (json!({"max_input_tokens": -1}), "llm_config.max_input_tokens"),
        (json!({"extra": []}), "llm_config.extra"),
        (json!("gpt-5"), "llm_config"),
    ] {
        let error = request(config, "").unwrap_err();
        assert_eq!(
            (error.code().as_str(), error.path().to_string().as_str()),
            ("bad_request", path)
        );
    }
    let call = TurnRequest::from_json(&json!({"turn": {"context_box_id": 7}})).unwrap();
    let error = answer(&call, &store(Json::Null)).unwrap_err();
    assert_eq!(error.path().to_string(), "turn.context_box_id");
}
