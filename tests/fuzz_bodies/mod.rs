//! The body of every fuzz target. `fuzz/` runs the bodies under libFuzzer. `tests/fuzz.rs` runs
//! them a bounded number of times on a stable compiler.
//!
//! A body panics if a guarantee is broken. Examples are a trap, an answer that cannot be written,
//! an error without a message, and a difference from an independent reader.

use tuckbox::agents::Setup;
use tuckbox::handoff::ArtifactPath;
use tuckbox::prompt::collect::fill;
use tuckbox::rule::MAX_ROUNDS;
use tuckbox::store::{Agent, MemoryStore, Profile, Store};
use tuckbox::value::json::{Field, ParseLimits, to_json};
use tuckbox::{Card, Env, Error, Json, Path, Snapshot, Step, Timestamp, Workspace};

/// Runs one case of a target.
pub type Body = fn(&[u8]);

/// The bodies by the names of their targets.
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

/// Returns a small project with one row of each kind that calls can name.
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

/// Checks that an error has a message and can be printed.
fn usable(error: &Error) {
    assert!(!error.message().is_empty(), "an error has no message: {error:?}");
    assert!(error.to_string().contains(error.message()));
}

/// Runs any bytes as a call on a store. The outcome can be written and committed.
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
        assert!(rounds <= MAX_ROUNDS + 1, "the call reads too often");
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
    assert_eq!(
        Json::parse(&value.to_string()).unwrap(),
        value,
        "the value changed when it was read back"
    );
    to_json(&outcome.ledger).unwrap();
    let (mut once, mut twice) = (store.clone(), store.clone());
    match (once.commit(&outcome.writes), twice.commit(&outcome.writes)) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first, second);
            assert!(once.commit(&outcome.writes).is_ok_and(|again| again.repeated));
        }
        (Err(error), Err(_)) => usable(&error),
        (first, second) => panic!("the same commit has two results: {first:?}, {second:?}"),
    }
}

/// Reads any bytes as the answer of a store. They never cause a panic.
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

/// Reads any bytes as the receipt of a commit.
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

/// Reads any bytes as JSON text. The result equals that of `serde_json`, except for values that are
/// refused on purpose.
pub fn json(data: &[u8]) {
    let ours = Json::parse_bytes(data, &ParseLimits::default());
    let theirs: Result<serde_json::Value, _> = serde_json::from_slice(data);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert!(same(ours, theirs), "the values differ: {ours} and {theirs}");
            let text = ours.to_string();
            assert_eq!(
                Json::parse(&text).unwrap(),
                *ours,
                "the value changed when it was read back: {text}"
            );
        }
        (Err(error), Ok(theirs)) => {
            usable(error);
            assert!(refused_on_purpose(theirs), "refused `{theirs}`: {error}");
        }
        (Ok(ours), Err(error)) => {
            // a double that is out of range, or nesting beyond the limit of serde_json
            let text = error.to_string();
            assert!(
                text.contains("number out of range") || text.contains("recursion limit"),
                "accepted `{ours}`, which serde_json refuses: {error}"
            );
        }
        (Err(error), Err(_)) => usable(error),
    }
}

/// Returns true for a value with U+0000, which cannot be stored.
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
            // serde_json can differ in the last bit, because its exact mode is off
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

/// Reads any text as a path of a handoff package. An accepted path stays below its root, even if a
/// host decodes, folds or splits it in another way.
pub fn handoff_path(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(path) = ArtifactPath::new(text) else { return };
    let path = path.as_str();
    assert_eq!(path, text, "the path was changed");
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
        assert!(!seen.starts_with('/'), "the path is absolute: `{path}`");
        assert!(
            !seen.split('/').any(|part| part.trim() == ".."),
            "the path leaves its root: `{path}`"
        );
        let drive = seen.as_bytes().get(1) == Some(&b':');
        assert!(!drive, "the path names a drive: `{path}`");
        assert!(!seen.contains("://"), "the path is a URL: `{path}`");
    }
    assert!(!path.chars().any(char::is_control), "the path has a control character: `{path}`");
}

/// Fills any text as a template. The result is not filled again.
pub fn template(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let values = Json::parse(r#"{"a": "{b}", "b": "x", "goal": [1, "é"]}"#).unwrap();
    let values = values.as_object().unwrap();
    match fill(text, values, &Path::root()) {
        Err(error) => usable(&error),
        Ok(filled) if !text.contains(['{', '}']) => assert_eq!(filled, text),
        Ok(_) => {
            // doubled braces become single braces
            let doubled = text.replace('{', "{{").replace('}', "}}");
            assert_eq!(fill(&doubled, values, &Path::root()).unwrap(), text);
        }
    }
}
