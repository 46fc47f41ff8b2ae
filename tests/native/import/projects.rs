//! Property tests of the project of an import. The cards of a request do not depend on other
//! requests, its estimate is the count of its cards, and limits apply.

use crate::import::properties::{env, session};
use proptest::prelude::*;
use tuckbox::agents::Setup;
use tuckbox::import::Import;
use tuckbox::prompt::tokens::CountTokens;
use tuckbox::rule::preview;
use tuckbox::store::{BoxChange, MemoryStore, Snapshot, Store};
use tuckbox::value::json::{Field, to_json};
use tuckbox::{Code, Json, Limits, Settings};

fn import(arguments: &str, setup: &Setup) -> tuckbox::Result<Vec<(String, Vec<String>)>> {
    let rule = Import::from_json(&Json::parse(arguments)?)?.read(&setup.defaults.limits)?;
    let outcome = preview(&rule, &mut Snapshot::new("p".into()), &env(1), &MemoryStore::new())?;
    let boxes = outcome.writes.boxes.iter().filter_map(|change| match change {
        BoxChange::Create { card_box } => {
            let cards = card_box.card_ids.iter().map(str::to_owned).collect();
            Some((card_box.box_id.as_str().to_owned(), cards))
        }
        _ => None,
    });
    Ok(boxes.collect())
}

fn of_files(text: &str) -> String {
    let file = Json::from([("name", "log.jsonl"), ("text", text)]);
    Json::from([("files", Json::Array(vec![file]))]).to_string()
}

/// Returns the cards of the request boxes of a log.
fn listed(bodies: &[String]) -> Vec<Vec<String>> {
    let boxes = import(&of_files(&bodies.join("\n")), &Setup::default()).unwrap();
    let requests = boxes.into_iter().filter(|(id, _)| id.starts_with("raw-requests"));
    requests.map(|(_, cards)| cards).collect()
}

/// Messages that are often equal, with calls and results without ids.
fn talk() -> impl Strategy<Value = Vec<&'static str>> {
    let said = prop_oneof![
        Just(r#"{"role":"user","parts":[{"text":"a"}]}"#),
        Just(r#"{"role":"model","parts":[{"text":"a"}]}"#),
        Just(r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}"#),
        Just(r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}"#),
    ];
    prop::collection::vec(said, 1..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_request_lists_the_same_cards_as_in_a_separate_import(
        talks in prop::collection::vec(talk(), 1..4),
        sent in prop::collection::vec((0..4_usize, 1..9_usize), 1..9),
    ) {
        let body = |(at, (talk, length)): (usize, &(usize, usize))| {
            let said = &talks[talk % talks.len()];
            let said = said[..*length.min(&said.len())].join(",");
            // all requests differ
            format!(r#"{{"contents":[{said}],"seed":{at}}}"#)
        };
        let bodies: Vec<String> = sent.iter().enumerate().map(body).collect();
        let together = listed(&bodies);
        prop_assert_eq!(together.len(), bodies.len());
        for (body, cards) in bodies.iter().zip(together) {
            prop_assert_eq!(listed(std::slice::from_ref(body)), vec![cards]);
        }
    }
}

#[test]
fn boxes_that_list_more_cards_than_allowed_are_refused() {
    let turns: Vec<(String, bool)> = (0..40).map(|at| (format!("turn {at}"), false)).collect();
    let log = session(&turns).join("\n");
    let boxes = import(&of_files(&log), &Setup::default()).unwrap();
    let count: usize = boxes.iter().map(|(_, cards)| cards.len()).sum();
    // every request lists all earlier messages
    assert!(count > 40 * 40, "{count}");
    let allow = |name: &str, most: usize| {
        let settings = format!(r#"{{"project_id": "p", "limits": {{"{name}": {most}}}}}"#);
        Settings::from_json(&Field::root(&Json::parse(&settings).unwrap())).unwrap().setup
    };
    assert!(import(&of_files(&log), &allow("max_ids", count)).is_ok());
    let error = import(&of_files(&log), &allow("max_ids", count - 1)).unwrap_err();
    assert_eq!((error.code(), error.path().to_string()), (Code::Limit, "files".to_owned()));
    assert_eq!(error.details().get("max_ids"), Some(&Json::from(count - 1)));

    let every = of_files(&log).replacen('{', r#"{"shape":"neutral","every":true,"#, 1);
    assert!(import(&every, &Setup::default()).is_ok());
    let error = import(&every, &allow("max_bytes", 20_000)).unwrap_err();
    assert_eq!((error.code(), error.path().to_string()), (Code::Limit, "every".to_owned()));
    // the last request alone is as long as the log
    assert!(import(&every.replace(r#""every":true,"#, ""), &allow("max_bytes", 20_000)).is_ok());
}

/// A conversation that every provider accepts unchanged, and the API of a body.
fn body() -> impl Strategy<Value = (String, &'static str)> {
    // a question in one or two texts; parallel calls, with reasoning and text before them
    let turn = ("[a-z ]{1,9}[a-z]", 1..3_usize, 0..3_usize, any::<(bool, bool, bool)>());
    (prop::collection::vec(turn, 1..4), 0..4_usize).prop_map(|(turns, api)| {
        let mut said: Vec<String> = Vec::new();
        for (at, (words, questions, calls, (thinks, speaks, answers))) in turns.iter().enumerate() {
            let text = |kind: &str| format!(r#"{{"type":"{kind}","text":"{words}"}}"#);
            let several = |one: String| vec![one; *questions].join(",");
            let list = |make: &dyn Fn(usize) -> String| (0..*calls).map(make).collect::<Vec<_>>();
            let some = |is_there: bool, one: String| is_there.then_some(one);
            let mut push = |role: &str, key: &str, parts: Vec<String>| {
                if !parts.is_empty() {
                    said.push(format!(r#"{{"role":"{role}","{key}":[{}]}}"#, parts.join(",")));
                }
            };
            match api {
                0 => {
                    push("user", "content", vec![several(text("text"))]);
                    let words = if *speaks { format!(r#""{words}""#) } else { "null".to_owned() };
                    let called = list(&|n| format!(r#"{{"id":"c{at}_{n}","type":"function","function":{{"name":"look","arguments":"{{\"n\":{n}}}"}}}}"#));
                    if *calls > 0 {
                        said.push(format!(r#"{{"role":"assistant","content":{words},"tool_calls":[{}]}}"#, called.join(",")));
                    }
                    said.extend(list(&|n| format!(r#"{{"role":"tool","tool_call_id":"c{at}_{n}","content":"it is {n}"}}"#)));
                }
                1 => {
                    push("user", "content", vec![several(text("input_text"))]);
                    said.extend(some(*speaks, format!(r#"{{"role":"assistant","content":"{words}"}}"#)));
                    said.extend(list(&|n| format!(r#"{{"type":"function_call","call_id":"c{at}_{n}","name":"look","arguments":"{{\"n\":{n}}}"}}"#)));
                    said.extend(list(&|n| format!(r#"{{"type":"function_call_output","call_id":"c{at}_{n}","output":"it is {n}"}}"#)));
                }
                2 => {
                    push("user", "content", vec![several(text("text"))]);
                    let mut parts = Vec::from_iter(some(*thinks && *calls > 0, format!(r#"{{"type":"thinking","thinking":"{words}","signature":"s"}}"#)));
                    parts.extend(some(*speaks, text("text")));
                    parts.extend(list(&|n| format!(r#"{{"type":"tool_use","id":"c{at}_{n}","name":"look","input":{{"n":{n}}}}}"#)));
                    push("assistant", "content", parts);
                    push("user", "content", list(&|n| format!(r#"{{"type":"tool_result","tool_use_id":"c{at}_{n}","content":"it is {n}"}}"#)));
                }
                _ => {
                    let text = || format!(r#"{{"text":"{words}"}}"#);
                    push("user", "parts", vec![several(text())]);
                    let mut parts = Vec::from_iter(some(*speaks, text()));
                    parts.extend(list(&|n| format!(r#"{{"functionCall":{{"name":"look","args":{{"n":{n}}}}}}}"#)));
                    push("model", "parts", parts);
                    push("user", "parts", list(&|n| format!(r#"{{"functionResponse":{{"name":"look","response":{{"output":"it is {n}"}}}}}}"#)));
                }
            }
            // with or without text between the results and the next question
            if *answers && *calls > 0 {
                match api {
                    3 => said.push(r#"{"role":"model","parts":[{"text":"so it is"}]}"#.to_owned()),
                    _ => said.push(r#"{"role":"assistant","content":"so it is"}"#.to_owned()),
                }
            }
        }
        let last = if api == 3 { r#"{"role":"user","parts":[{"text":"go on"}]}"# } else { r#"{"role":"user","content":"go on"}"# };
        said.push(last.to_owned());
        let said = said.join(",");
        match api {
            0 => (format!(r#"{{"model":"m","messages":[{{"role":"system","content":"Be brief."}},{said}]}}"#), "openai_chat"),
            1 => (format!(r#"{{"model":"m","instructions":"Be brief.","input":[{said}]}}"#), "openai_responses"),
            2 => (format!(r#"{{"model":"m","max_tokens":9,"system":"Be brief.","messages":[{said}]}}"#), "anthropic"),
            _ => (format!(r#"{{"systemInstruction":{{"parts":[{{"text":"Be brief."}}]}},"contents":[{said}]}}"#), "gemini"),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_estimate_of_a_request_equals_the_payload_of_its_cards((body, provider) in body()) {
        let call = Import::from_json(&Json::parse(&of_files(&body)).unwrap()).unwrap();
        let rule = call.read(&Limits::default()).unwrap();
        let mut store = MemoryStore::new();
        let outcome = preview(&rule, &mut Snapshot::new("p".into()), &env(1), &store).unwrap();
        store.commit(&outcome.writes).unwrap();
        let report = to_json(&outcome.value).unwrap();
        let request = report.get("sessions").unwrap().as_array().unwrap()[0].get("requests");
        let request = &request.unwrap().as_array().unwrap()[0];
        let count = Json::from([
            ("provider", Json::from(provider)),
            ("model", Json::from("m")),
            ("box_id", request.get("box_id").unwrap().clone()),
        ]);
        let count = CountTokens::from_json(&count).unwrap();
        let account = preview(&count, &mut Snapshot::new("p".into()), &env(2), &store).unwrap();
        let estimated = request.get("estimated").unwrap().to_string();
        prop_assert_eq!(estimated, account.value.tokens.to_string(), "{}: {:?}", body, account.value);
    }
}
