//! A handoff from end to end: records become a package, which is stored with its files and audited.
//! Then it is planned, loaded within a budget, and made into cards.

use std::collections::BTreeMap;
use tuckbox::agents::Setup;
use tuckbox::handoff::{
    AuditHandoff, BuiltHandoff, Depth, Excerpt, HandoffPart, Iteration, LoadHandoff, LoadedHandoff,
    Package, StoreHandoff,
};
use tuckbox::prompt::tokens::{Counter, Estimate};
use tuckbox::rule::AnyOutcome;
use tuckbox::rule::{Rule, Step, preview};
use tuckbox::store::{Kind, MemoryStore, Profile, Snapshot, Store, StoredFile};
use tuckbox::value::json::{Json, Object, to_json};
use tuckbox::{Code, Env, Timestamp};

fn env(seed: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [seed; 32])
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// Returns a run of `count` samples. Every third passes, every fifth has a very long conversation.
fn iteration(count: usize) -> Iteration {
    let records: Vec<Json> = (0..count).map(record).collect();
    let call = Json::from([
        ("execution_output_dir", Json::from("leave/execution_outputs/iteration_12")),
        ("timestamp", "2026-01-04T15:30:00".into()),
        ("iteration", 12_u64.into()),
        ("trigger_reason", "too many failures".into()),
        ("iteration_summary", json(r#"{"final_quality": 0.67}"#)),
        ("modification_suggestions_summary", json(r#"["a", "b", "c"]"#)),
        ("records", Json::Array(records)),
    ]);
    Iteration::from_json(&call).unwrap()
}

fn record(at: usize) -> Json {
    let turns = if at.is_multiple_of(5) { 120 } else { 4 };
    let turn = |turn: usize| match turn {
        60 => json(r#"{"role": "assistant", "content": "the balance_deducted check fails here"}"#),
        70 => json(r#"{"role": "tool", "content": "balance 7"}"#),
        turn => Json::from([
            ("role", "user".to_owned()),
            ("content", format!("turn {turn} of sample {at}")),
        ]),
    };
    let trace = Json::from([
        ("conversation_history", Json::Array((0..turns).map(turn).collect())),
        ("states", json("[]")),
    ]);
    let has_passed = at % 3 == 2;
    let evaluation = if has_passed {
        json(r#"{"passed": true}"#)
    } else {
        json(r#"{"checkers_failed": ["balance_deducted"]}"#)
    };
    let mut record = Object::from_iter([
        ("sample_id".to_owned(), Json::from(format!("BS_{at:03}"))),
        ("sample".to_owned(), json(r#"{"ask": "leave"}"#)),
        ("trace".to_owned(), trace),
        ("evaluation".to_owned(), evaluation),
    ]);
    if !has_passed {
        let (kind, severity) =
            if at.is_multiple_of(2) { ("BusinessRule", "critical") } else { ("Checker", "medium") };
        let attribution = Json::from([
            ("failure_type", format!("Layer1_{kind}")),
            ("severity", severity.to_owned()),
        ]);
        record.insert("attribution".to_owned(), attribution);
    }
    Json::Object(record)
}

/// Returns a built iteration, and a store that has it.
fn stored(count: usize) -> (BuiltHandoff, MemoryStore) {
    let built = iteration(count).build().unwrap();
    let persist = StoreHandoff {
        package: Package::ExecuteToInit(built.package.clone()),
        files: built.files.clone(),
        package_path: None,
        operation_id: Some("op1".into()),
    };
    let mut store = MemoryStore::new();
    let outcome = preview(&persist, &mut Snapshot::new("p1".into()), &env(1), &store).unwrap();
    assert_eq!(outcome.value.stored.len(), built.files.len());
    store.commit(&outcome.writes).unwrap();
    assert!(store.commit(&outcome.writes).unwrap().repeated);
    (built, store)
}

fn load(built: &BuiltHandoff, store: &MemoryStore, budget: u64) -> LoadedHandoff {
    let load =
        LoadHandoff { budget, ..LoadHandoff::new(Package::ExecuteToInit(built.package.clone())) };
    preview(&load, &mut Snapshot::new("p1".into()), &env(2), store).unwrap().value
}

#[test]
fn records_become_a_consistent_package() {
    let built = iteration(9).build().unwrap();
    assert_eq!(built.package.failure_samples_index.len(), 6);
    assert_eq!(built.package.iteration_summary["failed_samples"].to_string(), "6");
    assert_eq!(built.report.failure_rate.as_str(), "0.67");
    let problems: Vec<(&str, u64, &str)> = built
        .report
        .layer1_problems
        .iter()
        .map(|problem| {
            (problem.problem_id.as_str(), problem.affected_count, problem.typical_case_id.as_str())
        })
        .collect();
    // the typical case is the shortest conversation of the group
    assert_eq!(problems, [("L1P_001", 3, "BS_004"), ("L1P_002", 3, "BS_001")]);
    assert_eq!(built.report.modification_priority[0].estimated_improvement, "+33%");
    let entry = Json::Object(built.package.failure_samples_index[0].clone());
    assert_eq!(
        entry.to_string(),
        r#"{"sample_id":"BS_000","sample_path":"samples/BS_000.json","trace_path":"execution_traces/BS_000_trace.json","evaluation_path":"evaluation_results/BS_000_eval.json","attribution_path":"attribution_analysis/BS_000_attribution.json","failure_type":"Layer1_BusinessRule","conversation_turns":120,"checkers_failed":["balance_deducted"],"priority":"high"}"#
    );
    // blank fields have a lint
    let blank = built.findings.lints().filter(|lint| lint.kind.as_str() == "blank_field").count();
    assert_eq!(blank, 10);
}

#[test]
fn a_stored_package_passes_the_audit_and_the_audit_detects_damage() {
    let (built, mut store) = stored(6);
    let audit = AuditHandoff { package: Package::ExecuteToInit(built.package.clone()) };
    let audited = preview(&audit, &mut Snapshot::new("p1".into()), &env(2), &store).unwrap().value;
    assert!(audited.complete, "{:?}", audited.findings);

    let dir = "leave/execution_outputs/iteration_12";
    let files: Vec<StoredFile> = store.tables("p1").unwrap().files().cloned().collect();
    let mut damaged = MemoryStore::new();
    let gone = [
        "execution_traces/BS_000_trace.json",
        "failure_summary.json",
        "evaluation_results/BS_002_eval.json",
    ];
    for file in files.iter().filter(|file| !gone.iter().any(|name| file.path.ends_with(name))) {
        damaged.project("p1").add_file(file.clone());
    }
    for extra in ["notes.txt", "execution_traces/BS_777_trace.json"] {
        damaged.project("p1").add_file(StoredFile::new(format!("{dir}/{extra}"), ""));
    }
    let audited =
        preview(&audit, &mut Snapshot::new("p1".into()), &env(2), &damaged).unwrap().value;
    let texts = |paths: &[tuckbox::handoff::ArtifactPath]| {
        paths.iter().map(|path| path.as_str().replace(&format!("{dir}/"), "")).collect::<Vec<_>>()
    };
    assert_eq!(texts(&audited.dangling), ["execution_traces/BS_000_trace.json"]);
    assert_eq!(
        texts(&audited.missing),
        ["failure_summary.json", "evaluation_results/BS_002_eval.json"]
    );
    assert_eq!(
        audited.orphans,
        [format!("{dir}/execution_traces/BS_777_trace.json"), format!("{dir}/notes.txt")]
    );
    assert_eq!(
        audited.findings.errors().next().unwrap().path.to_string(),
        "package.failure_samples_index[0].trace_path"
    );

    // stored files never change: another text for a stored path is a conflict
    let mut files = built.files.clone();
    files[0].text = "other".into();
    let persist = StoreHandoff {
        package: Package::ExecuteToInit(built.package),
        files,
        package_path: None,
        operation_id: None,
    };
    let outcome = preview(&persist, &mut Snapshot::new("p1".into()), &env(3), &store).unwrap();
    assert_eq!(store.commit(&outcome.writes).unwrap_err().code(), Code::Conflict);
}

#[test]
fn loading_takes_few_rounds_of_reads_and_uses_its_budget() {
    let (built, store) = stored(300);
    let load = LoadHandoff::new(Package::ExecuteToInit(built.package));
    let mut snapshot = Snapshot::new("p1".into());
    let mut rounds = Vec::new();
    let loaded = loop {
        match load.step(&snapshot, &env(2)).unwrap() {
            Step::Done(outcome) => break outcome.value,
            Step::Need(reads) => {
                rounds.push(reads.of(Kind::Files).count());
                snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap();
            }
        }
    };
    assert!(rounds.len() <= 3, "{rounds:?}");
    assert_eq!(rounds[0], 1);
    assert!((35_000..=40_000).contains(&loaded.spent), "{} {rounds:?}", loaded.spent);
    assert!(loaded.missing.is_empty());
}

#[test]
fn a_small_budget_reads_the_report_then_typical_cases_and_lists_omissions() {
    let (built, store) = stored(30);
    let loaded = load(&built, &store, 2_500);
    assert!(loaded.spent <= 2_500);
    let read: Vec<(HandoffPart, Option<&str>)> =
        loaded.pieces.iter().map(|piece| (piece.step.read, piece.step.name.as_deref())).collect();
    assert_eq!(read[..2], [(HandoffPart::Package, None), (HandoffPart::Report, None)]);
    assert_eq!(read[2], (HandoffPart::Entry, Some("BS_004")));
    assert_eq!(loaded.pieces[2].step.reason.typical_of.as_deref(), Some("L1P_001"));
    let total = 2 + built.package.failure_samples_index.len() * 5;
    let left: usize = loaded.left_out.iter().map(|left| left.parts.len()).sum();
    assert_eq!(loaded.pieces.len() + left, total);
    assert!(loaded.left_out.iter().all(|left| left.tokens > 0));
}

#[test]
fn a_long_conversation_keeps_its_head_tail_and_key_turns() {
    let (built, store) = stored(4);
    let loaded = load(&built, &store, 2_000);
    let trace = loaded
        .pieces
        .iter()
        .find(|piece| {
            piece.step.read == HandoffPart::Trace && piece.step.name.as_deref() == Some("BS_000")
        })
        .unwrap();
    assert!(matches!(trace.step.cut, Excerpt::Turns { .. }), "{:?}", trace.step);
    assert!(trace.step.tokens < trace.step.whole_tokens);
    assert_eq!(trace.step.tokens, Estimate.count(&trace.text));
    for kept in ["turn 1: ", "turn 61: ", "turn 71: ", "turn 120: ", "left out ...]"] {
        assert!(trace.text.contains(kept), "{kept}\n{}", trace.text);
    }
    assert!(!trace.text.contains("turn 40: "));
    let whole = load(&built, &store, 1_000_000);
    let trace = whole
        .pieces
        .iter()
        .find(|piece| {
            piece.step.read == HandoffPart::Trace && piece.step.name.as_deref() == Some("BS_000")
        })
        .unwrap();
    let file =
        built.files.iter().find(|file| file.path.as_str().ends_with("BS_000_trace.json")).unwrap();
    assert_eq!(trace.text.split_once('\n').unwrap().1, file.text);
}

#[test]
fn a_larger_budget_never_loads_less_of_a_case() {
    let (built, store) = stored(24);
    let mut below: BTreeMap<(HandoffPart, Option<String>), (u64, usize)> = BTreeMap::new();
    for budget in (0..20).map(|step| step * 2_100).chain([100_000, 1_000_000]) {
        let loaded = load(&built, &store, budget);
        assert!(loaded.spent <= budget);
        assert_eq!(loaded.pieces.iter().map(|piece| piece.step.tokens).sum::<u64>(), loaded.spent);
        let now: BTreeMap<_, _> = loaded
            .pieces
            .iter()
            .map(|piece| {
                ((piece.step.read, piece.step.name.clone()), (piece.step.tokens, piece.text.len()))
            })
            .collect();
        for (what, had) in &below {
            assert!(now.get(what).is_some_and(|has| has >= had), "{what:?} at {budget}");
        }
        below = now;
    }
    assert_eq!(below.len(), 2 + 16 * 5);
}

#[test]
fn a_depth_limits_what_is_loaded() {
    let (built, store) = stored(12);
    for (depth, most) in
        [(Depth::ReportSummary, 2), (Depth::TypicalCases, 12), (Depth::AllCases, 42)]
    {
        let load = LoadHandoff {
            depth,
            ..LoadHandoff::new(Package::ExecuteToInit(built.package.clone()))
        };
        let loaded =
            preview(&load, &mut Snapshot::new("p1".into()), &env(2), &store).unwrap().value;
        assert_eq!(loaded.pieces.len(), most, "{depth:?}");
    }
}

#[test]
fn a_missing_file_is_reported_and_the_rest_is_loaded() {
    let (built, store) = stored(4);
    let mut damaged = MemoryStore::new();
    for file in
        store.tables("p1").unwrap().files().filter(|file| !file.path.ends_with("BS_001_eval.json"))
    {
        damaged.project("p1").add_file(file.clone());
    }
    let loaded = load(&built, &damaged, 40_000);
    assert_eq!(loaded.missing.len(), 1);
    assert_eq!(
        (loaded.missing[0].read, loaded.missing[0].name.as_str()),
        (HandoffPart::Evaluation, "BS_001")
    );
    let lint = loaded.findings.lints().find(|lint| lint.kind.as_str() == "dangling").unwrap();
    assert_eq!(lint.path.to_string(), "package.failure_samples_index[1].evaluation_path");
    assert!(loaded.left_out.is_empty());
}

fn call(text: &Json, snapshot: &mut Snapshot, store: &MemoryStore, seed: u8) -> AnyOutcome {
    let call = Setup::default().read_call(text).unwrap();
    loop {
        match call.step(snapshot, &env(seed)).unwrap() {
            Step::Done(outcome) => return outcome,
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap(),
        }
    }
}

#[test]
fn a_handoff_is_previewed_as_the_receivers_prompt_before_anything_is_stored() {
    let (built, mut store) = stored(6);
    store.project("p1").add_profile(Profile::new("Designer", "pb_designer"));
    let mut snapshot = Snapshot::new("p1".into());
    let package = to_json(&built.package).unwrap();
    let request = Json::from([
        ("op", Json::from("make_handoff_cards")),
        ("package", package),
        ("author_id", "execute_agent".into()),
        ("content", "loaded".into()),
        ("budget", 6_000_u64.into()),
    ]);
    let handoff = call(&request, &mut snapshot, &store, 3);
    assert!(handoff.lints.iter().all(|lint| lint.code == "blank_field"));
    let value = handoff.value.to_json().unwrap();
    let box_id = value.get("box_id").unwrap().as_str().unwrap().to_owned();
    let entries = handoff.ledger.boxes[0].entries(0..3);
    assert_eq!(entries.len(), 3);
    assert_eq!(
        to_json(&entries[1].cause).unwrap().get("path").unwrap().as_str(),
        Some("package.layer1_problems_report_path")
    );

    // the next step uses the preview, because nothing was committed
    snapshot.apply(&handoff.writes);
    let pack = Json::from([
        ("op", Json::from("pack_context")),
        ("tool_suffix", "handoff".into()),
        ("source_agent_id", "execute_agent".into()),
        (
            "arguments",
            Json::from([
                ("profile_name", Json::from("designer")),
                ("instruction", "fix the design".into()),
                ("boxes", vec![box_id].into()),
            ]),
        ),
        (
            "handover",
            json(
                r#"{"context_packing_config": {"pack_arguments": [{"arg_key": "instruction"}],
            "inherit_context": {"include_boxes_from_args": ["boxes"]}}}"#,
            ),
        ),
    ]);
    let packed = call(&pack, &mut snapshot, &store, 4);
    let cards = packed.value.to_json().unwrap();
    let count = cards
        .get("card_ids")
        .or_else(|| cards.get("attached_card_ids"))
        .unwrap()
        .as_array()
        .unwrap()
        .len();
    assert_eq!(count, 1 + value.get("card_ids").unwrap().as_array().unwrap().len());
    assert_eq!(store.tables("p1").unwrap().cards().count(), 0);
}

#[test]
fn each_reference_becomes_a_card() {
    let (built, store) = stored(4);
    let request = Json::from([
        ("op", Json::from("make_handoff_cards")),
        ("package", to_json(&built.package).unwrap()),
        ("author_id", "execute_agent".into()),
    ]);
    let outcome = call(&request, &mut Snapshot::new("p1".into()), &store, 3);
    let types: Vec<&str> =
        outcome.writes.cards.iter().filter_map(|card| card.card_type()).collect();
    assert_eq!(types[0], "handoff.package");
    assert_eq!(types.len(), 1 + 3 * 4 + 1);
    assert!(types[1..].iter().all(|kind| *kind == "handoff.artifact"));
}

#[test]
fn every_handoff_operation_works_as_a_call() {
    let (built, store) = stored(4);
    let package = to_json(&built.package).unwrap();
    let report = to_json(&built.report).unwrap();
    for (op, more) in [
        ("check_handoff", vec![("report", report.clone())]),
        (
            "plan_handoff",
            vec![
                ("report", report),
                ("budget", 9_000_u64.into()),
                ("depth", "typical_cases".into()),
            ],
        ),
        ("load_handoff", vec![("budget", 9_000_u64.into())]),
        ("audit_handoff", vec![]),
        (
            "store_handoff",
            vec![("files", Json::Array(vec![])), ("package_path", "leave/handoff.json".into())],
        ),
        ("make_handoff_cards", vec![("author_id", "a".into())]),
    ] {
        let mut request = Object::from_iter([
            ("op".to_owned(), Json::from(op)),
            ("package".to_owned(), package.clone()),
        ]);
        request.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
        let request = Json::Object(request);
        let first = call(&request, &mut Snapshot::new("p1".into()), &store, 5);
        let again = call(&request, &mut Snapshot::new("p1".into()), &store, 5);
        assert_eq!(first.value.to_json().unwrap(), again.value.to_json().unwrap(), "{op}");
        assert_eq!(first.writes, again.writes, "{op}");
    }
    let request = Json::from([("op", Json::from("read_handoff")), ("data", package)]);
    call(&request, &mut Snapshot::new("p1".into()), &store, 5);
}

#[test]
fn a_package_without_its_summary_or_with_fewer_samples_is_stored_with_lints() {
    let built = iteration(6).build().unwrap();
    let lints = |dropped: &[&str]| -> Vec<(String, String)> {
        let mut files = built.files.clone();
        files.retain(|file| !dropped.iter().any(|name| file.path.as_str().ends_with(name)));
        let package = Package::ExecuteToInit(built.package.clone());
        let call = StoreHandoff { package, files, package_path: None, operation_id: None };
        let store = MemoryStore::new();
        let outcome = preview(&call, &mut Snapshot::new("p1".into()), &env(1), &store).unwrap();
        let shown = outcome.lints.iter().map(|lint| (lint.code.to_string(), lint.path.to_string()));
        shown.collect()
    };
    let whole = lints(&[]);
    let has = |lints: &[(String, String)], code: &str, path: &str| {
        let expected = (code.to_owned(), path.to_owned());
        lints.contains(&expected) && !whole.contains(&expected)
    };
    let summary = lints(&["failure_summary.json"]);
    assert!(has(&summary, "file_missing", "package.execution_output_dir"), "{summary:?}");
    // a sample that passed is in no index, but the package counts it
    let sample = lints(&["BS_002.json", "BS_002_trace.json", "BS_002_eval.json"]);
    let count = "package.iteration_summary.total_samples";
    assert!(has(&sample, "count_mismatch", count), "{sample:?}");
}
