//! What every fuzz target does with its bytes. `fuzz/` runs these under libFuzzer, `tests/fuzz.rs`
//! runs them a bounded number of times on a stable compiler.
//!
//! A body panics when a promise is broken: a trap, an answer that cannot be written, an error
//! without a message, a difference to an independent reader.

use tuckbox::agents::Setup;
use tuckbox::handoff::ArtifactPath;
use tuckbox::prompt::collect::fill;
use tuckbox::rule::MAX_ROUNDS;
use tuckbox::store::{Agent, MemoryStore, Profile, Store};
use tuckbox::value::json::{Field, ParseLimits, to_json};
use tuckbox::{Card, Env, Error, Json, Path, Snapshot, Step, Timestamp, Workspace};

/// What a target does with the bytes of a case.
pub type Body = fn(&[u8]);

/// A body, by the name of its target.
pub const BODIES: [(&str, Body); 6] = [
    ("call", call),
    ("answers", answers),
    ("receipt", receipt),
    ("json", json),
    ("handoff_path", handoff_path),
    ("template", template),
];

fn env() -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32])
}

/// A small project with one of everything that calls can name.
fn store() -> &'static MemoryStore {
    static STORE: std::sync::OnceLock<MemoryStore> = std::sync::OnceLock::new();
    STORE.get_or_init(make_store)
}

fn make_store() -> MemoryStore {
    let card = |text: &str| Card::from_row(&Field::root(&Json::parse(text).unwrap())).unwrap();
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy = Json::parse(r#"{"target_profiles": null}"#).unwrap();
    let mut store = MemoryStore::new();
    store
        .project("p1")
        .add_profile(lead)
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_agent(Agent::new("agent_parent", "pb_lead"))
        .add_agent(Agent::new("agent_a", "pb_lead"))
        .add_card(card(
            r#"{"card_id": "c1", "metadata": {"role": "user"}, "content": {"__type__": "TextContent", "text": "x"}}"#,
        ))
        .add_card(card(
            r#"{"card_id": "c2", "metadata": {"role": "assistant"}, "content": {"__type__": "JsonContent", "data": {"a": [1, 2.5, null]}}}"#,
        ))
        .add_box("b1", ["c1", "c2", "c1"])
        .add_box("ctx", ["c2", "gone"]);
    store
}

/// An error that a person can use: it has words, and its path can be printed.
fn usable(error: &Error) {
    assert!(!error.message().is_empty(), "an error without a message: {error:?}");
    assert!(error.to_string().contains(error.message()));
}

/// Any bytes as a call, on a store that answers; what comes back can be written and committed.
pub fn call(data: &[u8]) {
    let store = store();
    let read = Json::parse_bytes(data, &ParseLimits::default())
        .and_then(|call| Setup::default().read_call(&call));
    let call = match read {
        Ok(call) => call,
        Err(error) => return usable(&error),
    };
    let (env, mut snapshot) = (env(), Snapshot::new("p1".into()));
    let mut rounds = 0;
    let outcome = loop {
        rounds += 1;
        assert!(rounds <= MAX_ROUNDS + 1, "a call keeps asking");
        let reads = match call.step(&snapshot, &env) {
            Ok(Step::Done(outcome)) => break outcome,
            Ok(Step::Need(reads)) => reads,
            Err(error) => return usable(&error),
        };
        let taken = store.read(&reads).and_then(|answers| snapshot.absorb(&reads, answers));
        if let Err(error) = taken {
            return usable(&error);
        }
    };
    let value = outcome.value.to_json().unwrap();
    assert_eq!(Json::parse(&value.to_string()).unwrap(), value, "a value reads back");
    to_json(&outcome.ledger).unwrap();
    let (mut once, mut twice) = (store.clone(), store.clone());
    match (once.commit(&outcome.writes), twice.commit(&outcome.writes)) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first, second);
            assert!(once.commit(&outcome.writes).is_ok_and(|again| again.repeated));
        }
        (Err(error), Err(_)) => usable(&error),
        (first, second) => panic!("one commit, two answers: {first:?}, {second:?}"),
    }
}

/// Any bytes as the answer of a store; they never trap, and never show a row that was not asked for.
pub fn answers(data: &[u8]) {
    let call = Json::parse(r#"{"op": "render", "box_id": "b1"}"#).unwrap();
    let mut workspace = Workspace::new("p1".into());
    let mut run = workspace.begin(call, env()).unwrap();
    for _ in 0..4 {
        match workspace.step(&mut run) {
            Ok(Some(_)) => {}
            Ok(None) => {
                run.outcome().unwrap().value.to_json().unwrap();
                return;
            }
            Err(error) => return usable(&error),
        }
        if let Err(error) = workspace.answer_text(&mut run, data) {
            return usable(&error);
        }
    }
}

/// Any bytes as the receipt of a commit.
pub fn receipt(data: &[u8]) {
    let call = Json::parse(
        r#"{"op": "create_box", "box_id": "n", "card_ids": ["c1"], "operation_id": "op1"}"#,
    );
    let mut workspace = Workspace::new("p1".into());
    let mut run = workspace.begin(call.unwrap(), env()).unwrap();
    while workspace.step(&mut run).unwrap().is_some() {
        workspace.answer_text(&mut run, br#"{"missing_boxes": ["n"]}"#).unwrap();
    }
    match workspace.committed_text(&run, data) {
        Ok(receipt) => assert_eq!(receipt.operation_id, "op1"),
        Err(error) => usable(&error),
    }
}

/// Any bytes as JSON text: accepted exactly where `serde_json` accepts them, with the same value,
/// apart from what is refused on purpose.
pub fn json(data: &[u8]) {
    let ours = Json::parse_bytes(data, &ParseLimits::default());
    let theirs: Result<serde_json::Value, _> = serde_json::from_slice(data);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert!(same(ours, theirs), "read differently: {ours} and {theirs}");
            let text = ours.to_string();
            assert_eq!(Json::parse(&text).unwrap(), *ours, "does not read back: {text}");
        }
        (Err(error), Ok(theirs)) => {
            usable(error);
            assert!(refused_on_purpose(theirs), "refused `{theirs}`: {error}");
        }
        (Ok(ours), Err(error)) => {
            // a double that is out of range, and nesting deeper than serde_json goes
            let text = error.to_string();
            assert!(
                text.contains("number out of range") || text.contains("recursion limit"),
                "accepted `{ours}`, which serde_json refuses: {error}"
            );
        }
        (Err(error), Err(_)) => usable(error),
    }
}

/// U+0000 cannot be stored.
fn refused_on_purpose(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => text.contains('\0'),
        serde_json::Value::Array(items) => items.iter().any(refused_on_purpose),
        serde_json::Value::Object(members) => {
            members.iter().any(|(key, value)| key.contains('\0') || refused_on_purpose(value))
        }
        _ => false,
    }
}

fn same(ours: &Json, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Json::Null, serde_json::Value::Null) => true,
        (Json::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Json::Number(a), serde_json::Value::Number(b)) => {
            let b = b.as_f64().unwrap_or(f64::NAN);
            let a = a.as_f64();
            // without its slow mode serde_json may be off by the last bit
            a == b || ((a - b) / b).abs() < 1e-15 || (a - b).abs() < f64::MIN_POSITIVE
        }
        (Json::String(a), serde_json::Value::String(b)) => a == b,
        (Json::Array(a), serde_json::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), serde_json::Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => false,
    }
}

/// Any text as a path of a handoff package: what is accepted stays below its root, also for a host
/// that decodes it, folds it or splits it otherwise.
pub fn handoff_path(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(path) = ArtifactPath::new(text) else { return };
    let path = path.as_str();
    assert_eq!(path, text, "a path is never repaired");
    let folded: String = path
        .chars()
        .map(|c| match c {
            '\\' | '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{ff0f}' | '\u{ff3c}' => '/',
            '\u{2024}' | '\u{ff0e}' | '\u{fe52}' => '.',
            other => other,
        })
        .collect::<String>()
        .replace('\u{2025}', "..")
        .replace('\u{2026}', "...");
    let lower = folded.to_lowercase();
    let decoded =
        lower.replace("%2e", ".").replace("%2f", "/").replace("%5c", "/").replace("%3a", ":");
    for seen in [path, &folded, &decoded] {
        assert!(!seen.starts_with('/'), "absolute: `{path}`");
        assert!(!seen.split('/').any(|part| part.trim() == ".."), "climbs: `{path}`");
        let drive = seen.as_bytes().get(1) == Some(&b':');
        assert!(!drive, "names a drive: `{path}`");
        assert!(!seen.contains("://"), "is an address: `{path}`");
    }
    assert!(!path.chars().any(char::is_control), "holds a control character: `{path}`");
}

/// Any text as a template: what it becomes is never read as a template again.
pub fn template(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let values = Json::parse(r#"{"a": "{b}", "b": "x", "goal": [1, "é"]}"#).unwrap();
    let values = values.as_object().unwrap();
    match fill(text, values, &Path::root()) {
        Err(error) => usable(&error),
        Ok(filled) if !text.contains(['{', '}']) => assert_eq!(filled, text),
        Ok(_) => {
            // braces that are doubled come out single, whatever else there is
            let doubled = text.replace('{', "{{").replace('}', "}}");
            assert_eq!(fill(&doubled, values, &Path::root()).unwrap(), text);
        }
    }
}
