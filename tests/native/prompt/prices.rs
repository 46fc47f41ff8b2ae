//! Prices of the table of models, and of a project's own table.
use tuckbox::call::settings::Settings;
use tuckbox::import::report::report;
use tuckbox::import::{SourceFile, import};
use tuckbox::prompt::cache::ExplainCache;
use tuckbox::rule::{Rule, Step};
use tuckbox::store::Snapshot;
use tuckbox::value::json::Field;
use tuckbox::{Env, Json, Timestamp, json};

fn env() -> Env {
    Env::new(Timestamp::from_millis(0), [7; 32])
}

/// Returns the answer of a call in a project with these settings.
fn answer(settings: &Json, call: &Json) -> Json {
    let settings = Settings::from_json(&Field::root(settings)).unwrap();
    let call = settings.setup.read_call(call).unwrap();
    let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env()).unwrap() else {
        panic!("the call reads rows")
    };
    let mut text = String::new();
    done.value.write_text(&mut text).unwrap();
    Json::parse(&text).unwrap()
}

fn cost(settings: &Json, model: &str) -> Option<f64> {
    let call = json!({"op": "count_tokens", "provider": "anthropic", "model": model,
        "messages": [{"role": "user", "content": "Hello"}]});
    let counted = answer(settings, &call);
    assert!(counted.get("cost").is_some(), "`cost` is always there: {counted}");
    let tokens = counted.get("tokens").and_then(Json::as_number).unwrap().as_f64();
    let cost = counted.get("cost").and_then(Json::as_number)?.as_f64();
    Some(cost * 1e6 / tokens)
}

#[test]
fn the_cost_comes_from_the_project_then_from_the_table_and_is_null_without_a_price() {
    let plain = json!({"project_id": "p1"});
    let own = json!({"project_id": "p1", "models": {"version": "1", "models": [
        {"provider": "anthropic", "model": "claude-opus-4-5", "price": {"input": 3}},
        {"provider": "anthropic", "model": "house-*", "price": {"input": 7}}]}});
    let close = |found: Option<f64>, expected: f64| {
        assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?} is not {expected}");
    };
    close(cost(&plain, "claude-opus-4-5"), 5.0);
    close(cost(&plain, "claude-opus-4-5-20251101"), 5.0);
    close(cost(&own, "claude-opus-4-5"), 3.0);
    close(cost(&own, "house-blend"), 7.0);
    assert_eq!(cost(&plain, "house-blend"), None);
    assert_eq!(cost(&plain, "claude-opus-4-5-turbo"), None);
}

#[test]
fn a_table_with_a_mistake_is_refused_with_its_path() {
    let wrong = json!({"project_id": "p1", "models": {"version": "1", "models": [
        {"provider": "anthropic", "model": "m", "price": {"inputs": 3}}]}});
    let error = Settings::from_json(&Field::root(&wrong)).unwrap_err();
    assert_eq!(error.path().to_string(), "models.models[0].price.inputs");
}

#[test]
fn explain_cache_states_dollars_only_if_every_model_has_a_price() {
    let currency = |models: [&str; 2]| {
        let body = |model: &str| json!({"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]});
        let requests = json!([{"body": body(models[0])}, {"body": body(models[1])}]);
        let call = json!({"provider": "anthropic", "requests": requests});
        let call = ExplainCache::from_json(&call).unwrap();
        let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env()).unwrap() else {
            panic!("the call reads rows")
        };
        let prices = done.value.requests.iter().map(|request| request.price.clone());
        prices.map(|price| (price.currency, price.input)).collect::<Vec<_>>()
    };
    let dollars = |price: f64| ("USD".to_owned(), price / 1e6);
    assert_eq!(currency(["claude-opus-4-5", "claude-sonnet-4-5"]), [dollars(5.0), dollars(3.0)]);
    let tokens = ("input_tokens".to_owned(), 1.0);
    assert_eq!(currency(["claude-opus-4-5", "no-such-model"]), [tokens.clone(), tokens]);
}

#[test]
fn an_import_report_has_the_cost_of_each_request() {
    let usage = json!({"input": 100, "output": 10, "cacheRead": 2_000, "cacheWrite": 300});
    let message = |model: &str, usage: &Json| {
        json!({"type": "message", "id": "b", "parentId": "a",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "a"}], "model": model, "usage": usage.clone()}})
    };
    let cost = |answer: Json| {
        let log = [
            json!({"type": "session", "id": "s", "cwd": "/"}),
            json!({"type": "message", "id": "a", "parentId": null, "message": {"role": "user", "content": "q"}}),
            answer,
        ];
        let log: String = log.iter().map(|line| format!("{line}\n")).collect();
        let file = SourceFile { name: "s.jsonl", bytes: log.as_bytes() };
        let found = report(&import(&[file]));
        let session = &found.get("sessions").unwrap().as_array().unwrap()[0];
        let request = session.get("requests").unwrap().as_array().unwrap()[0].clone();
        request.get("cost").expect("`cost` is always there").as_number().map(|cost| cost.as_f64())
    };
    let expected = (100.0 * 3.0 + 10.0 * 15.0 + 2_000.0 * 0.3 + 300.0 * 3.75) / 1e6;
    let found = cost(message("claude-sonnet-4-5", &usage)).unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    assert_eq!(cost(message("no-such-model", &usage)), None);
    assert_eq!(cost(message("claude-sonnet-4-5", &Json::Null)), None);
}

#[test]
fn an_import_uses_the_table_of_the_project() {
    let log = json!({"model": "house-blend", "messages": [{"role": "user", "content": "Hello"}]});
    let file = json!({"name": "a.json", "text": log.to_string()});
    let call = json!({"op": "import", "files": [file], "shape": "cache"});
    let input = |settings: Json| {
        let found = answer(&settings, &call);
        let session = &found.get("sessions").unwrap().as_array().unwrap()[0];
        let explanation = session.get("explanation").unwrap();
        let request = explanation.get("requests").unwrap().as_array().unwrap()[0].clone();
        request.get("price").unwrap().get("input").unwrap().as_number().unwrap().as_f64()
    };
    assert_eq!(input(json!({"project_id": "p1"})), 1.0);
    let price = json!({"input": 7, "output": 8});
    let own = json!({"version": "1",
        "models": [{"provider": "openai", "model": "house-*", "price": price}]});
    assert_eq!(input(json!({"project_id": "p1", "models": own})), 7e-6);
}

#[test]
fn streams_and_timelines_use_a_table_of_the_host() {
    let log = [
        json!({"type": "session", "id": "s", "cwd": "/"}),
        json!({"type": "message", "id": "a", "parentId": null, "message": {"role": "user", "content": "q"}}),
        json!({"type": "message", "id": "b", "parentId": "a", "message": {"role": "assistant",
            "content": [{"type": "text", "text": "a"}], "model": "claude-house", "usage": {"input": 1_000, "output": 10}}}),
    ];
    let log: String = log.iter().map(|line| format!("{line}\n")).collect();
    let table = json!({"version": "1", "models": [{"provider": "anthropic", "model": "claude-house",
        "price": {"input": 2, "output": 10}}]});
    let cost = |json: &Json, list: &str| {
        let first = json.get(list).unwrap().as_array().unwrap()[0].clone();
        first.get("cost").unwrap().as_number().map(|cost| cost.as_f64())
    };
    let streamed = |models: Option<&str>| {
        let mut stream = tuckbox::call::import_stream(models).unwrap().unwrap();
        stream.begin("s.jsonl", log.len());
        stream.push(log.as_bytes()).unwrap();
        stream.end();
        stream.finish();
        cost(&Json::parse(&stream.piece().unwrap()).unwrap(), "requests")
    };
    let shown = |models: Option<&str>| {
        let mut timeline = tuckbox::call::timeline(models).unwrap().unwrap();
        timeline.begin("s.jsonl", log.len());
        timeline.push(log.as_bytes()).unwrap();
        cost(&Json::parse(&timeline.ask("{}").unwrap()).unwrap(), "steps")
    };
    let asked = |settings: &Json| {
        let file = json!({"name": "s.jsonl", "text": log.as_str()});
        cost(&answer(settings, &json!({"op": "timeline", "files": [file]})), "steps")
    };
    let text = table.to_string();
    assert_eq!((streamed(None), shown(None)), (None, None));
    assert_eq!((streamed(Some(&text)), shown(Some(&text))), (Some(0.0021), Some(0.0021)));
    assert_eq!(asked(&json!({"project_id": "p1"})), None);
    assert_eq!(asked(&json!({"project_id": "p1", "models": table})), Some(0.0021));
    let wrong = r#"{"version": "1", "models": [{"provider": "anthropic", "model": "m", "price": {"inputs": 3}}]}"#;
    let error = tuckbox::call::timeline(Some(wrong)).err().unwrap();
    assert_eq!(
        (error.code().as_str(), error.path().to_string().as_str()),
        ("bad_request", "models[0].price.inputs")
    );
    assert!(tuckbox::call::import_stream(Some("{")).is_err());
}

#[test]
fn an_imported_session_with_calls_is_explained_for_each_provider() {
    for model in ["gpt-5.6-sol", "claude-opus-5-5", "gemini-3.8-flash", "deepseek-v4-pro", "other"]
    {
        let row = |id: &str, parent: &str, message: Json| json!({"type": "message", "id": id, "parentId": parent, "message": message});
        let said = |content: Json| {
            json!({"role": "assistant", "content": [content], "model": model,
                "usage": {"input": 20, "output": 1}})
        };
        let result = json!({"role": "toolResult", "toolCallId": "c1", "toolName": "read",
            "content": [{"type": "text", "text": "x"}]});
        let log = [
            json!({"type": "session", "id": "s", "cwd": "/"}),
            row("a", "s", json!({"role": "user", "content": "q"})),
            row(
                "b",
                "a",
                said(json!({"type": "toolCall", "id": "c1", "name": "read", "arguments": {}})),
            ),
            row("c", "b", result),
            row("d", "c", said(json!({"type": "text", "text": "Done."}))),
        ];
        let log: String = log.iter().map(|line| format!("{line}\n")).collect();
        let files = json!([{"name": "s.jsonl", "text": log}]);
        let call = json!({"op": "import", "files": files, "shape": "cache"});
        let found = answer(&json!({"project_id": "p1"}), &call);
        let session = &found.get("sessions").unwrap().as_array().unwrap()[0];
        let requests = session.get("explanation").and_then(|found| found.get("requests")).unwrap();
        assert_eq!(requests.as_array().unwrap().len(), 2, "{model}");
    }
}

#[test]
fn explain_cache_uses_the_prices_and_the_minimum_of_the_project() {
    let system = json!([{"type": "text", "text": "Answer in one sentence. ".repeat(600),
        "cache_control": {"type": "ephemeral"}}]);
    let body = json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": system,
        "messages": [{"role": "user", "content": "Hello"}]});
    let requests = json!([{"body": body.clone()}, {"body": body}]);
    let call = json!({"op": "explain_cache", "provider": "anthropic", "requests": requests});
    let own = json!({"project_id": "p1", "models": {"version": "1", "models": [{"provider": "anthropic",
        "model": "claude-opus-5-5", "price": {"input": 2, "read": 0.5, "write": 3}, "cache": {"least_tokens": 90_000}}]}});
    let second = |settings: &Json| {
        let found = answer(settings, &call);
        found.get("requests").unwrap().as_array().unwrap()[1].clone()
    };
    let number = |found: &Json, key: &str| {
        found.get("price").unwrap().get(key).unwrap().as_number().map(|number| number.as_f64())
    };
    let plain = second(&json!({"project_id": "p1"}));
    assert_eq!(plain.get("cause").and_then(Json::as_str), Some("appended"));
    assert_eq!((number(&plain, "read"), number(&plain, "write")), (Some(0.05), Some(1.25)));
    let own = second(&own);
    assert_eq!(own.get("cause").and_then(Json::as_str), Some("below_minimum"));
    assert_eq!(
        (number(&own, "input"), number(&own, "read"), number(&own, "write")),
        (Some(2e-6), Some(0.25), Some(1.5))
    );
}

#[test]
fn writes_of_both_lifetimes_have_their_own_price() {
    let mark = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
    let body = json!({"model": "claude-opus-4-5", "max_tokens": 9,
        "system": [{"type": "text", "text": "Answer in one sentence. ".repeat(3_000), "cache_control": mark("1h")}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello", "cache_control": mark("5m")}]}]});
    let price = |usage: Json| {
        let requests = json!([{"body": body.clone(), "usage": usage}]);
        let call = json!({"op": "explain_cache", "provider": "anthropic", "requests": requests});
        let found = answer(&json!({"project_id": "p1"}), &call);
        let first = found.get("requests").unwrap().as_array().unwrap()[0].clone();
        first.get("price").unwrap().get("recorded").map(|price| price.as_number().unwrap().as_f64())
    };
    let split = json!({"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 9_000});
    let found = price(
        json!({"input_tokens": 10, "cache_creation_input_tokens": 9_100, "cache_creation": split}),
    );
    let expected = (10.0 + 100.0 * 1.25 + 9_000.0 * 2.0) * 5e-6;
    assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?} is not {expected}");
    // which part lives how long is not known
    assert_eq!(price(json!({"input_tokens": 10, "cache_creation_input_tokens": 9_100})), None);
}
