//! The operations that need no reads, from call to answer.

use crate::Result;
use crate::agents::Setup;
use crate::rule::Step;
use crate::rule::lint::Lint;
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::Json;

/// A call as JSON: its answer as text, and its lints.
fn answer(call: &str) -> Result<(String, Vec<String>)> {
    let call = Setup::default().read_call(&Json::parse(call)?)?;
    let env = Env::new(crate::Timestamp::from_millis(0), [7; 32]);
    match call.step(&Snapshot::new("p1".into()), &env)? {
        Step::Need(_) => Err(crate::Error::bad_request("a plain call needs nothing")),
        Step::Done(outcome) => {
            assert!(outcome.writes.is_empty());
            let lints = outcome.lints.iter().map(Lint::to_string).collect();
            Ok((outcome.value.to_json()?.to_string(), lints))
        }
    }
}

fn refused(call: &str) -> String {
    answer(call).unwrap_err().to_string()
}

#[test]
fn a_question_goes_in_is_composed_and_written_back() {
    let (entered, lints) = answer(
        r#"{"op": "enter_query", "state": {"messages": [], "compression__context": "before"},
            "query": {"id": "m1", "role": "user", "content": "go"}}"#,
    )
    .unwrap();
    assert_eq!(
        entered,
        concat!(
            r#"{"state":{"messages":[{"role":"user","content":"go","id":"m1"}],"compression__context":"before"},"#,
            r#""query":{"in_checkpoint":"m1"},"restored":[],"ledger":[{"id":"m1","effect":"appended","position":0}]}"#
        )
    );
    assert_eq!(
        lints,
        [
            "summary_without_record at `state.compression__context`: no record states which messages the summary covers"
        ]
    );
    let (collected, _) =
        answer(r#"{"op": "collect_contexts", "state": {"compression__context": "before"}}"#)
            .unwrap();
    assert!(collected.starts_with(r#"{"contexts":{"compression__context":"before"}"#));
    let (composed, lints) = answer(
        r#"{"op": "compose", "process": "react", "system_prompt": "s", "query": {"in_checkpoint": "m1"},
            "contexts": {"compression__context": "before", "todo__context": 1},
            "checkpoint_messages": [{"role": "user", "content": "go", "id": "m1"}]}"#,
    )
    .unwrap();
    assert!(composed.starts_with(concat!(
        r#"{"messages":[{"role":"system","content":"s"},{"role":"system","content":"before"},"#,
        r#"{"role":"user","content":"go","id":"m1"}],"ledger":{"entries":[{"position":0,"#
    )));
    assert_eq!(lints.len(), 1);
    let (written, _) = answer(
        r#"{"op": "write_back", "state": {"messages": [], "goal": "g"}, "contexts": {"todo__context": "t"},
            "policy": {"reproducible": ["todo__context"]}}"#,
    )
    .unwrap();
    assert_eq!(
        written,
        r#"{"state":{"messages":[],"goal":"g","todo__context":"t"},"written":["todo__context"],"left_out":[],"restored":[]}"#
    );
    let (allowed, _) =
        answer(r#"{"op": "allowed_contexts", "process": "mapreduce_worker"}"#).unwrap();
    assert_eq!(allowed, r#"{"keys":["framework__context","knowledge__context"]}"#);
    let (tables, _) = answer(r#"{"op": "prompt_tables"}"#).unwrap();
    assert!(tables.starts_with(r#"{"processes":[{"process":"sequential","checkpoint":true,"#));
    let lasting = r#"{"layer":"compression__context","lifetime":"persistent","shared":true}"#;
    assert!(tables.contains(lasting));
}

#[test]
fn places_are_those_of_the_call() {
    for (call, error) in [
        (
            r#"{"op": "compose", "process": "react", "system_prompt": "s", "query": "q", "composer": {"compression": "first"}}"#,
            "bad_request at `composer`: `composer` is a setting of the project; set `composer` there",
        ),
        (
            r#"{"op": "compose", "process": "react", "system_prompt": "s", "query": "q", "contexts": {"memory": "x"}}"#,
            "bad_request at `contexts.memory`: the key `memory` must end in `__context`",
        ),
        (
            r#"{"op": "change_memory", "state": {}, "changes": [{"op": "append", "messages": [{"role": "user"}]}]}"#,
            "bad_request at `changes[0].messages[0].id`: a remembered message must have an id",
        ),
        (
            r#"{"op": "change_memory", "state": {"messages": [{"role": "user"}]}, "changes": []}"#,
            "bad_request at `state.messages[0].id`: a remembered message must have an id",
        ),
        (
            r#"{"op": "enter_query", "state": {}, "query": {"role": "tool", "id": "m1"}}"#,
            "bad_request at `query.role`: a query must have the role `user`",
        ),
        (
            r#"{"op": "write_back", "state": {}, "policy": {"reproducible": ["x"]}}"#,
            "bad_request at `policy.reproducible[0]`: the key `x` must end in `__context`",
        ),
    ] {
        assert_eq!(refused(call), error);
    }
    let (_, lints) = answer(
        r#"{"op": "change_memory", "state": {}, "changes": [{"op": "append", "messages": [
            {"role": "ai", "id": "m1", "content": "x"}]}]}"#,
    )
    .unwrap();
    assert_eq!(lints, ["unknown_role at `changes[0].messages[0].role`: unknown role `ai`"]);
}

#[test]
fn the_table_of_models_says_what_fits_and_that_a_model_is_not_in_it() {
    let answer_of = |op: &str, model: &str, more: &str| {
        answer(&format!(
            r#"{{"op":"{op}","provider":"anthropic","messages":[{{"role":"user","content":"Hello"}}],"model":"{model}"{more}}}"#
        ))
    };
    let unknown =
        "`model`: the model `later` is not in the table of models; the rules of `anthropic` apply";
    for op in ["payload", "token_texts", "count_tokens"] {
        let (_, lints) = answer_of(op, "later", "").unwrap();
        assert!(lints.iter().any(|lint| lint.contains(unknown)), "{op}: {lints:?}");
        assert_eq!(answer_of(op, "claude-opus-4-8", "").unwrap().1, Vec::<String>::new());
    }
    // a budget without a limit is what the window leaves
    let (fitted, lints) =
        answer_of("budget", "claude-opus-4-8", r#","max_output_tokens":1000"#).unwrap();
    assert!(fitted.contains(r#""limit":999000"#) && lints.is_empty(), "{fitted} {lints:?}");
    let error = refused(
        r#"{"op":"budget","provider":"anthropic","messages":[{"role":"user","content":"Hello"}],"model":"later"}"#,
    );
    assert!(error.contains("`limit` is missing, and the window of `later` is unknown"), "{error}");
    // a host knows a model better than the table
    let (fitted, lints) = answer_of(
        "budget",
        "later",
        r#","model_info":{"context_window":500},"max_output_tokens":100"#,
    )
    .unwrap();
    assert!(fitted.contains(r#""limit":400"#) && lints.is_empty(), "{fitted} {lints:?}");
    let small = r#","model_info":{"context_window":50},"max_output_tokens":100"#;
    let (_, lints) = answer_of("count_tokens", "later", small).unwrap();
    assert!(lints.iter().any(|lint| lint.contains("the window of `later` is 50")), "{lints:?}");
}
