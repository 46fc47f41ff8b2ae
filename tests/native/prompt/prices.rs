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
