//! Every error of a package, with its type and path.

use tuckbox::handoff::{
    AuditHandoff, CheckHandoff, ExecuteToInit, Iteration, LoadHandoff, MakeHandoffCards, Package,
    PlanHandoff, Report, StoreHandoff, example, verify,
};
use tuckbox::prompt::tokens::Estimate;
use tuckbox::rule::{Rule, Step};
use tuckbox::store::{MemoryStore, Snapshot, Store, StoredFile};
use tuckbox::value::json::{Field, Json, Object};
use tuckbox::{Code, Env, Error, Timestamp};

fn env() -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32])
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// Returns the second example with one value changed; `place` is a path of keys and indexes.
fn changed(text: &str, place: &[&str], value: Json) -> Json {
    let mut whole = json(text);
    let mut at = &mut whole;
    for step in place {
        at = match at {
            Json::Object(object) => object.get_or_insert_with(step, || Json::Null),
            Json::Array(items) => &mut items[step.parse::<usize>().unwrap()],
            other => panic!("{other} has no members"),
        };
    }
    *at = value;
    whole
}

fn package(value: &Json) -> Package {
    Package::from_json(&Field::root(value)).unwrap()
}

fn report(value: &Json) -> Report {
    Report::from_json(&Field::root(value)).unwrap()
}

/// Returns `type at path` for every error.
fn refusals(error: &Error) -> Vec<String> {
    assert_eq!(error.code(), Code::InvalidContent, "{error}");
    let errors = error.details()["errors"].as_array().unwrap();
    let text = |step: &Json| step.as_str().map_or_else(|| step.to_string(), str::to_owned);
    let line = |entry: &Json| {
        let loc: Vec<String> =
            entry.get("loc").unwrap().as_array().unwrap().iter().map(text).collect();
        format!("{} at {}", entry.get("type").unwrap().as_str().unwrap(), loc.join("."))
    };
    errors.iter().map(line).collect()
}

fn refused(package_value: &Json, report_value: Option<&Json>) -> Vec<String> {
    let report = report_value.map(report);
    let findings = verify(&package(package_value), report.as_ref());
    findings.accepted("the package").err().as_ref().map(refusals).unwrap_or_default()
}

#[test]
fn unsafe_paths_are_refused_in_every_field() {
    let bad = [
        "/etc/passwd",
        "../x",
        "a/../../x",
        "samples\\x",
        "C:/x",
        "C:\\x",
        "https://h/x",
        "file:///x",
        "~/x",
        "./x",
        "a//b",
        "",
        " ",
        "a\u{0}b",
        "a\nb",
        "%2e%2e/x",
        "．．/x",
        "a/.. /x",
        "\u{202e}x",
    ];
    for path in bad {
        let value = changed(example::INIT_TO_EXECUTE, &["design_artifacts", "evil"], path.into());
        assert_eq!(refused(&value, None), ["unsafe_path at design_artifacts.evil"], "{path:?}");
        for place in [
            vec!["execution_output_dir"],
            vec!["layer1_problems_report_path"],
            vec!["failure_samples_index", "1", "sample_path"],
            vec!["failure_samples_index", "1", "trace_path"],
            vec!["failure_samples_index", "0", "evaluation_path"],
            vec!["failure_samples_index", "0", "attribution_path"],
        ] {
            let value = changed(example::EXECUTE_TO_INIT, &place, path.into());
            let meant = format!("unsafe_path at {}", place.join("."));
            assert_eq!(refused(&value, None), [meant], "{path:?}");
        }
    }
}

#[test]
fn nothing_is_read_from_a_package_with_an_unsafe_path() {
    let value = changed(
        example::EXECUTE_TO_INIT,
        &["failure_samples_index", "0", "trace_path"],
        "../../secret".into(),
    );
    let place = "package.failure_samples_index[0].trace_path";
    let snapshot = Snapshot::new("p1".into());
    let package = package(&value);
    let plan = PlanHandoff::new(package.clone(), None).plan(&Estimate).unwrap_err();
    assert_eq!(plan.path().to_string(), place);
    let load = LoadHandoff::new(package.clone()).step(&snapshot, &env()).err().unwrap();
    assert_eq!(load.path().to_string(), place);
    let audit = AuditHandoff { package: package.clone() }.step(&snapshot, &env()).err().unwrap();
    assert_eq!(audit.path().to_string(), place);
    let call = Json::from([("package", value.clone()), ("author_id", "a".into())]);
    let cards = MakeHandoffCards::from_json(&call).unwrap().step(&snapshot, &env()).err().unwrap();
    assert_eq!(cards.path().to_string(), place);
    let call = Json::from([("package", value), ("files", Json::Array(vec![]))]);
    let persist = StoreHandoff::from_json(&call).unwrap().step(&snapshot, &env()).err().unwrap();
    assert_eq!(persist.path().to_string(), place);
}

#[test]
fn an_unsupported_version_is_reported_with_the_expected_one() {
    for version in ["1.0", "2", "2.1", "", "二"] {
        let value = changed(example::INIT_TO_EXECUTE, &["version"], version.into());
        assert_eq!(refused(&value, None), ["unsupported_version at version"]);
    }
    let value = changed(example::INIT_TO_EXECUTE, &["version"], "3.0".into());
    let error = verify(&package(&value), None).accepted("the package").unwrap_err();
    assert_eq!(
        error.message(),
        "the package is invalid: unsupported version `3.0`; expected `2.0`"
    );
}

#[test]
fn all_errors_of_a_package_are_reported_in_its_order() {
    let mut value = changed(example::EXECUTE_TO_INIT, &["version"], "9".into());
    for (place, wrong) in [
        (vec!["execution_output_dir"], Json::from("/abs")),
        (vec!["failure_samples_index", "0", "sample_id"], 5_u64.into()),
        (vec!["failure_samples_index", "0", "priority"], "urgent".into()),
        (vec!["failure_samples_index", "1", "checkers_failed"], "x".into()),
        (vec!["failure_samples_index", "1", "conversation_turns"], Json::from(-1_i64)),
        (vec!["iteration_summary", "failed_samples"], 28_u64.into()),
    ] {
        value = changed(&value.to_string(), &place, wrong);
    }
    assert_eq!(
        refused(&value, None),
        [
            "unsupported_version at version",
            "unsafe_path at execution_output_dir",
            "string_type at failure_samples_index.0.sample_id",
            "literal_error at failure_samples_index.0.priority",
            "greater_than_equal at failure_samples_index.1.conversation_turns",
            "list_type at failure_samples_index.1.checkers_failed",
            "count_mismatch at iteration_summary.failed_samples",
        ]
    );
}

#[test]
fn wrong_literals_are_refused_when_read() {
    let value = changed(example::EXECUTE_TO_INIT, &["handoff_type"], "EXECUTE_TO_INIT".into());
    let error = Package::from_json(&Field::root(&value)).unwrap_err();
    assert_eq!(refusals(&error), ["literal_error at handoff_type"]);
    let value = changed(
        example::LAYER1_PROBLEMS_REPORT,
        &["layer1_problems", "0", "severity"],
        "fatal".into(),
    );
    let error = Report::from_json(&Field::root(&value)).unwrap_err();
    assert_eq!(refusals(&error), ["literal_error at layer1_problems.0.severity"]);
}

#[test]
fn a_duplicate_sample_in_the_index_is_refused() {
    let place = ["failure_samples_index", "1", "sample_id"];
    let value = changed(example::EXECUTE_TO_INIT, &place, "BS_MT_001".into());
    assert_eq!(refused(&value, None), ["duplicate_sample at failure_samples_index.1.sample_id"]);
    let value = changed(example::EXECUTE_TO_INIT, &place, "../BS".into());
    assert_eq!(refused(&value, None), ["unsafe_name at failure_samples_index.1.sample_id"]);
}

#[test]
fn wrong_counts_are_refused() {
    let good = json(example::EXECUTE_TO_INIT);
    for (place, value, meant) in [
        (vec!["failure_rate"], json("0.7"), "rate_mismatch at report.failure_rate"),
        (vec!["failure_rate"], json("1"), "rate_mismatch at report.failure_rate"),
        (vec!["failure_rate"], json("0.6700"), "rate_mismatch at report.failure_rate"),
        (vec!["failed_samples"], json("28"), "count_mismatch at report.failed_samples"),
        (
            vec!["layer1_problems", "1", "affected_count"],
            json("4"),
            "count_mismatch at report.layer1_problems.1.affected_count",
        ),
        (
            vec!["layer1_problems", "0", "affected_count"],
            json("19"),
            "count_mismatch at report.layer1_problems.0.affected_count",
        ),
        (
            vec!["layer1_problems", "1", "typical_case_id"],
            json("\"X\""),
            "unknown_sample at report.layer1_problems.1.typical_case_id",
        ),
        (
            vec!["layer1_problems", "1", "problem_id"],
            json("\"L1P_001\""),
            "duplicate_problem at report.layer1_problems.1.problem_id",
        ),
        (
            vec!["modification_priority", "1", "problem_id"],
            json("\"L1P_009\""),
            "unknown_problem at report.modification_priority.1.problem_id",
        ),
        (
            vec!["modification_priority", "1", "problem_id"],
            json("\"L1P_001\""),
            "duplicate_problem at report.modification_priority.1.problem_id",
        ),
    ] {
        let report = changed(example::LAYER1_PROBLEMS_REPORT, &place, value);
        assert!(refused(&good, Some(&report)).contains(&meant.to_owned()), "{meant}");
    }
    for (rate, fits) in [
        ("0.67", true),
        ("0.667", true),
        ("0.6667", true),
        ("0.66666667", true),
        ("0.66", false),
        ("0.6", false),
    ] {
        let report = changed(example::LAYER1_PROBLEMS_REPORT, &["failure_rate"], json(rate));
        assert_eq!(refused(&good, Some(&report)).is_empty(), fits, "{rate}");
    }
    let value =
        changed(example::EXECUTE_TO_INIT, &["iteration_summary", "failed_samples"], json("1"));
    assert_eq!(refused(&value, None), ["count_mismatch at iteration_summary.failed_samples"]);
    let value =
        changed(example::EXECUTE_TO_INIT, &["iteration_summary", "layer3_iterations"], json("10"));
    assert_eq!(refused(&value, None), ["count_mismatch at iteration_summary.total_iterations"]);
    let value =
        changed(example::EXECUTE_TO_INIT, &["iteration_summary", "total_samples"], json("26"));
    assert_eq!(
        refused(&value, Some(&json(example::LAYER1_PROBLEMS_REPORT))),
        ["count_mismatch at report.total_samples"]
    );
}

#[test]
fn suggestions_other_than_three_to_five_are_a_lint() {
    for (count, linted) in [(0, true), (2, true), (3, false), (5, false), (6, true)] {
        let texts = vec![Json::from("do this"); count];
        let value =
            changed(example::EXECUTE_TO_INIT, &["modification_suggestions_summary"], texts.into());
        let findings = verify(&package(&value), None);
        assert!(findings.is_accepted());
        let found = findings.lints().any(|lint| lint.kind.as_str() == "suggestion_count");
        assert_eq!(found, linted, "{count}");
    }
}

#[test]
fn a_package_above_its_estimate_names_its_largest_parts() {
    let value =
        changed(example::INIT_TO_EXECUTE, &["design_rationale"], "because ".repeat(500).into());
    let call = Json::from([("package", value)]);
    let checked = CheckHandoff::from_json(&call).unwrap().check(&Estimate);
    assert!(checked.accepted && checked.size.tokens > 300);
    assert_eq!(checked.size.contributors[0].path.to_string(), "design_rationale");
    let lint =
        checked.findings.lints().find(|lint| lint.kind.as_str() == "package_too_large").unwrap();
    assert!(
        lint.message.contains("the largest values are `design_rationale` "),
        "{}",
        lint.message
    );
    let call = Json::from([("package", json(example::INIT_TO_EXECUTE))]);
    let checked = CheckHandoff::from_json(&call).unwrap().check(&Estimate);
    assert!(checked.findings.is_empty(), "{:?}", checked.findings);
}

#[test]
fn a_report_that_is_missing_or_unreadable_stops_the_load() {
    let load = LoadHandoff::new(package(&json(example::EXECUTE_TO_INIT)));
    let path =
        "scenarios/leave_application/execution_outputs/iteration_12/layer1_problems_report.json";
    let run = |store: &MemoryStore| {
        tuckbox::rule::preview(&load, &mut Snapshot::new("p1".into()), &env(), store).err().unwrap()
    };
    let mut store = MemoryStore::new();
    let error = run(&store);
    assert_eq!(
        (error.code(), error.path().to_string()),
        (Code::NotFound, "package.layer1_problems_report_path".into())
    );
    store.project("p1").add_file(StoredFile::new(path, "{\"report_version\": "));
    let error = run(&store);
    assert_eq!(
        (error.code(), error.path().to_string()),
        (Code::InvalidContent, "report.report_version".into())
    );
    store.project("p1").add_file(StoredFile::new(path, "{}"));
    let error = run(&store);
    assert_eq!(refusals(&error).len(), 8);
    assert_eq!(error.path().to_string(), "report.report_version");
}

#[test]
fn a_failed_read_is_an_error_and_not_a_missing_file() {
    let load = LoadHandoff::new(package(&json(example::EXECUTE_TO_INIT)));
    let mut snapshot = Snapshot::new("p1".into());
    let Step::Need(reads) = load.step(&snapshot, &env()).unwrap() else {
        panic!("the load does not read the report")
    };
    let key = reads.of(tuckbox::store::Kind::Files).next().unwrap().to_owned();
    let answers =
        tuckbox::store::Answers::new().failed(tuckbox::store::Kind::Files, key, "disk is on fire");
    snapshot.absorb(&reads, answers).unwrap();
    assert_eq!(load.step(&snapshot, &env()).err().unwrap().code(), Code::Store);
}

fn iteration(records: &str) -> Result<tuckbox::handoff::BuiltHandoff, Error> {
    let call = format!(
        r#"{{"execution_output_dir": "out", "timestamp": "t", "iteration": 1, "trigger_reason": "r",
            "modification_suggestions_summary": ["a", "b", "c"], "records": [{records}]}}"#
    );
    Iteration::from_json(&json(&call)).unwrap().build()
}

#[test]
fn the_builder_refuses_invalid_records() {
    let record = |id: &str, evaluation: &str| {
        format!(r#"{{"sample_id": "{id}", "sample": 1, "trace": [], "evaluation": {evaluation}}}"#)
    };
    let failed = r#"{"passed": false}"#;
    let error = iteration(&[record("a", failed), record("a", failed)].join(",")).unwrap_err();
    assert_eq!(error.path().to_string(), "records[1].sample_id");
    let error = iteration(&record("../a", failed)).unwrap_err();
    assert_eq!(refusals(&error)[0], "unsafe_name at records.0.sample_id");
    let error = iteration(&record("a", "{}")).unwrap_err();
    assert_eq!(refusals(&error), ["missing at records.0.evaluation.passed"]);
    let call = json(
        r#"{"execution_output_dir": "../out", "timestamp": "t", "iteration": 1, "trigger_reason": "r",
        "iteration_summary": {"total_samples": 7}, "records": []}"#,
    );
    let error = Iteration::from_json(&call).unwrap().build().unwrap_err();
    assert_eq!(
        refusals(&error),
        [
            "count_mismatch at iteration_summary.total_samples",
            "unsafe_path at execution_output_dir"
        ]
    );
}

#[test]
fn files_that_cannot_be_stored_are_refused_with_their_path() {
    let package = json(example::INIT_TO_EXECUTE);
    let call = |files: &str| Json::from([("package", package.clone()), ("files", json(files))]);
    let error = StoreHandoff::from_json(&call(r#"[{"path": "../x", "text": ""}]"#)).unwrap_err();
    assert_eq!(
        (error.code(), error.path().to_string()),
        (Code::InvalidContent, "files[0].path".into())
    );
    let twice = call(r#"[{"path": "x", "text": "1"}, {"path": "x", "text": "2"}]"#);
    let error = StoreHandoff::from_json(&twice)
        .unwrap()
        .step(&Snapshot::new("p1".into()), &env())
        .err()
        .unwrap();
    assert_eq!((error.code(), error.path().to_string()), (Code::Conflict, "files[1].path".into()));
    let mut persist = StoreHandoff::from_json(&call(r#"[{"path": "x", "text": ""}]"#)).unwrap();
    persist.files[0].text = "a\0b".into();
    let error = persist.step(&Snapshot::new("p1".into()), &env()).err().unwrap();
    assert_eq!(
        (error.code(), error.path().to_string()),
        (Code::InvalidContent, "files[0].text".into())
    );
}

#[test]
fn a_package_is_stored_only_with_all_its_files() {
    let call = Json::from([
        ("package", json(example::INIT_TO_EXECUTE)),
        (
            "files",
            json(r#"[{"path": "scenarios/leave_application/BusinessRules.md", "text": "rules"}]"#),
        ),
    ]);
    let persist = StoreHandoff::from_json(&call).unwrap();
    let mut store = MemoryStore::new();
    let path = "scenarios/leave_application/format_specifications.json";
    store.project("p1").add_file(StoredFile::new(path, "{}"));
    let error = tuckbox::rule::preview(&persist, &mut Snapshot::new("p1".into()), &env(), &store)
        .err()
        .unwrap();
    assert_eq!(error.code(), Code::NotFound);
    let places = error.details()["errors"].to_string();
    assert_eq!(
        places,
        r#"[{"loc":["package","design_artifacts","unified_scenario_design_path"],"type":"dangling"}]"#
    );
    let path = "scenarios/leave_application/unified_scenario_design.yaml";
    store.project("p1").add_file(StoredFile::new(path, "x: 1"));
    let outcome =
        tuckbox::rule::preview(&persist, &mut Snapshot::new("p1".into()), &env(), &store).unwrap();
    assert_eq!((outcome.value.stored.len(), outcome.value.already_stored.len()), (1, 2));
    store.commit(&outcome.writes).unwrap();
    assert_eq!(store.tables("p1").unwrap().files().count(), 3);
}

#[test]
fn unknown_keys_and_values_of_a_call_are_refused() {
    let package = json(example::INIT_TO_EXECUTE);
    let with = |key: &str, value: Json| {
        Json::Object(Object::from_iter([
            ("package".to_owned(), package.clone()),
            (key.to_owned(), value),
        ]))
    };
    let path = |error: Error| (error.code(), error.path().to_string());
    let call = with("budgets", 1_u64.into());
    assert_eq!(
        path(PlanHandoff::from_json(&call).unwrap_err()),
        (Code::BadRequest, "budgets".into())
    );
    let call = with("depth", "deep".into());
    assert_eq!(
        path(LoadHandoff::from_json(&call).unwrap_err()),
        (Code::BadRequest, "depth".into())
    );
    let call = with("budget", Json::from(-1_i64));
    assert_eq!(
        path(LoadHandoff::from_json(&call).unwrap_err()),
        (Code::BadRequest, "budget".into())
    );
    let call = with("content", "all".into());
    assert_eq!(
        path(MakeHandoffCards::from_json(&call).unwrap_err()),
        (Code::BadRequest, "content".into())
    );
    let call = with("package", Json::from([("handoff_type", "execute_to_init")]));
    assert_eq!(
        path(LoadHandoff::from_json(&call).unwrap_err()),
        (Code::InvalidContent, "package.timestamp".into())
    );
}

#[test]
fn a_built_package_with_blank_defaults_is_checked() {
    let package = ExecuteToInit::new("t", "out");
    let findings = verify(&Package::ExecuteToInit(package), None);
    assert!(findings.is_accepted());
    assert_eq!(
        findings.lints().map(|lint| lint.kind.as_str()).collect::<Vec<_>>(),
        ["suggestion_count"]
    );
}

/// Returns the kinds of the errors.
fn kinds_of(error: &Error) -> Vec<String> {
    refusals(error).iter().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn every_kind_of_finding_can_be_provoked() {
    let mut seen = std::collections::BTreeSet::new();
    let root = |value: &str| Package::from_json(&Field::root(&json(value))).unwrap_err();
    for error in [
        root("5"),
        root(r#"{"handoff_type": "init_to_execute", "timestamp": 5, "design_artifacts": [], "known_constraints": {}}"#),
        root(r#"{"handoff_type": "x"}"#),
        Report::from_json(&Field::root(&json(
            r#"{"iteration": "1", "failure_rate": "x", "total_samples": -1, "layer1_problems": [5]}"#,
        )))
        .unwrap_err(),
    ] {
        seen.extend(kinds_of(&error));
    }
    let mut odd = json(example::EXECUTE_TO_INIT);
    let mut odd_report = json(example::LAYER1_PROBLEMS_REPORT);
    for (place, value) in [
        (vec!["version"], Json::from("1")),
        (vec!["execution_output_dir"], "/".into()),
        (vec!["modification_suggestions_summary"], Json::Array(vec![])),
        (vec!["metadata"], Json::from([("log", "x".repeat(3_000))])),
        (vec!["failure_samples_index", "0", "sample_path"], "elsewhere/BS_MT_001.json".into()),
        (vec!["failure_samples_index", "1", "sample_id"], "BS_MT_001".into()),
    ] {
        odd = changed(&odd.to_string(), &place, value);
    }
    for (place, value) in [
        (vec!["failure_rate"], json("0.1")),
        (vec!["layer1_problems", "1", "affected_count"], json("2")),
        (vec!["layer1_problems", "1", "typical_case_id"], "X".into()),
        (vec!["layer1_problems", "1", "title"], "".into()),
        (vec!["modification_priority", "0", "problem_id"], "P".into()),
        (vec!["modification_priority", "1", "problem_id"], "P".into()),
    ] {
        odd_report = changed(&odd_report.to_string(), &place, value);
    }
    let call = Json::from([("package", odd), ("report", odd_report)]);
    let checked = CheckHandoff::from_json(&call).unwrap().check(&Estimate);
    seen.extend(checked.findings.iter().map(|found| found.kind.as_str().to_owned()));

    let value =
        changed(example::INIT_TO_EXECUTE, &["design_rationale"], "because ".repeat(500).into());
    let call = Json::from([("package", value)]);
    let checked = CheckHandoff::from_json(&call).unwrap().check(&Estimate);
    seen.extend(checked.findings.iter().map(|found| found.kind.as_str().to_owned()));

    let stored = ["notes.txt", "samples/S9.json"]
        .map(|name| format!("scenarios/leave_application/execution_outputs/iteration_12/{name}"));
    let audited =
        tuckbox::handoff::audit(&package(&json(example::EXECUTE_TO_INIT)), &stored).unwrap();
    seen.extend(audited.findings.iter().map(|found| found.kind.as_str().to_owned()));

    let record = r#"{"sample_id": "a", "sample": 1, "trace": 7, "evaluation": {"passed": false}}"#;
    let built = iteration(record).unwrap();
    seen.extend(built.findings.iter().map(|found| found.kind.as_str().to_owned()));
    let record =
        r#"{"sample_id": "a/b", "sample": 1, "trace": [], "evaluation": {"passed": false}}"#;
    seen.extend(kinds_of(&iteration(record).unwrap_err()));

    let all = tuckbox::handoff::Kind::ALL.iter().map(|kind| kind.as_str().to_owned());
    assert_eq!(seen, all.collect());
}
