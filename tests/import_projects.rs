//! Laws of the project of an import: what a request lists does not depend on the requests around it,
//! and more work than the project allows is refused.

use crate::import_laws::{env, session};
use proptest::prelude::*;
use tuckbox::agents::Setup;
use tuckbox::import::Import;
use tuckbox::rule::preview;
use tuckbox::store::{BoxChange, MemoryStore, Snapshot};
use tuckbox::value::json::Field;
use tuckbox::{Code, Json, Settings};

fn import(arguments: &str, setup: &Setup) -> tuckbox::Result<Vec<(String, Vec<String>)>> {
    let rule = Import::from_json(&Json::parse(arguments)?, setup)?;
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

/// The cards that the request boxes of a log list.
fn listed(bodies: &[String]) -> Vec<Vec<String>> {
    let boxes = import(&of_files(&bodies.join("\n")), &Setup::default()).unwrap();
    let requests = boxes.into_iter().filter(|(id, _)| id.starts_with("raw-requests"));
    requests.map(|(_, cards)| cards).collect()
}

/// Messages that are often the same, with calls and results that have no id.
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
    fn a_request_lists_the_cards_that_it_would_list_alone(
        talks in prop::collection::vec(talk(), 1..4),
        sent in prop::collection::vec((0..4_usize, 1..9_usize), 1..9),
    ) {
        let body = |(at, (talk, length)): (usize, &(usize, usize))| {
            let said = &talks[talk % talks.len()];
            let said = said[..*length.min(&said.len())].join(",");
            // no two are the same request
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
    // every request lists everything before it
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
    // the last request alone is no more than the log
    assert!(import(&every.replace(r#""every":true,"#, ""), &allow("max_bytes", 20_000)).is_ok());
}
