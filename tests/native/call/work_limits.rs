//! Limits of the work of one call, which are settings, and the limits of a workspace.
use tuckbox::rule::{AnyOutcome, MAX_ROUNDS, Step};
use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::json::{Field, to_json};
use tuckbox::{Code, Env, Json, Settings, Timestamp, Workspace, json};

pub(crate) fn env(number: u8) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000), [number; 32])
}

pub(crate) fn settings(limits: &str) -> Settings {
    let json = Json::parse(&format!(r#"{{"project_id": "p1", "limits": {limits}}}"#)).unwrap();
    Settings::from_json(&Field::root(&json)).unwrap()
}

pub(crate) fn run(
    call: &Json,
    settings: &Settings,
    store: &MemoryStore,
) -> tuckbox::Result<AnyOutcome> {
    let call = settings.setup.read_call(call)?;
    let mut snapshot = Snapshot::new("p1".into());
    for _ in 0..=MAX_ROUNDS {
        match call.step(&snapshot, &env(1))? {
            Step::Done(outcome) => return Ok(outcome),
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
        }
    }
    Err(tuckbox::rule::too_many_rounds())
}

/// Returns a project whose lead can delegate a box of many cards to every profile.
pub(crate) fn project(cards: usize) -> MemoryStore {
    let mut store = MemoryStore::new();
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy = Json::parse("{}").unwrap();
    let ids: Vec<String> = (0..cards).map(|index| format!("card_{index}")).collect();
    store
        .project("p1")
        .add_profile(lead)
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_agent(Agent::new("lead", "pb_lead"))
        .add_box("large", ids.iter().map(String::as_str));
    store
}

pub(crate) fn fork_join(tasks: usize) -> Json {
    let task = r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": "a", "context_box_id": "large"}"#;
    let tasks = vec![task; tasks].join(",");
    let text = format!(
        r#"{{"op": "fork_join", "source_agent_id": "lead", "recursion_depth": 0, "max_tasks": 1000000,
            "arguments": {{"tasks": [{tasks}]}}}}"#
    );
    Json::parse(&text).unwrap()
}

pub(crate) fn limit(outcome: tuckbox::Result<AnyOutcome>) -> (Code, String, Option<Json>) {
    let error = outcome.map(|_| "an outcome").unwrap_err();
    let name = error.details().keys().last().unwrap().clone();
    (error.code(), error.path().to_string(), Some(Json::from(name)))
}

#[test]
fn many_tasks_with_a_large_box_exceed_max_ids() {
    let store = project(200_000);
    let found = limit(run(&fork_join(1_000), &settings("{}"), &store));
    assert_eq!(found, (Code::Limit, "tasks[5]".to_owned(), Some("max_ids".into())));
    assert!(run(&fork_join(4), &settings("{}"), &store).is_ok());
}

#[test]
fn a_call_cannot_raise_the_max_tasks_setting() {
    let found = limit(run(&fork_join(6), &settings(r#"{"max_tasks": 5}"#), &project(3)));
    assert_eq!(found, (Code::Limit, "tasks".to_owned(), Some("max_tasks".into())));
}

#[test]
fn a_call_with_too_many_values_is_refused_at_the_first_excess_value() {
    let workspace = Workspace::with_settings(settings(r#"{"max_values": 6}"#));
    let read = |text: &str| workspace.read_call(text.as_bytes());
    assert!(read(r#"{"op": "text_form", "value": [1, {"a": 2}, []]}"#).is_ok());
    let error = read(r#"{"op": "text_form", "value": [1, {"a": 2}, [3]]}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "limit at `value[2][0]`: the JSON has too many values; `max_values` allows 6"
    );
    assert_eq!(error.details().get("max_values"), Some(&Json::from(6_usize)));
    // a string is one value of any length; answers of a store are not counted
    assert!(read(&format!(r#"{{"op": "{}"}}"#, "[".repeat(1_000))).is_ok());
}

#[test]
fn one_argument_that_becomes_many_cards_exceeds_max_bytes() {
    let rules = vec![r#"{"arg_key": "text"}"#; 200].join(",");
    let text = "x".repeat(1_000_000);
    let call = Json::parse(&format!(
        r#"{{"op": "pack_context", "tool_suffix": "t", "source_agent_id": "lead",
            "arguments": {{"profile_name": "writer", "text": "{text}"}},
            "handover": {{"context_packing_config": {{"pack_arguments": [{rules}]}}}}}}"#
    ))
    .unwrap();
    let found = limit(run(&call, &settings("{}"), &project(1)));
    assert_eq!(found, (Code::Limit, "arguments.text".to_owned(), Some("max_bytes".into())));
}

#[test]
fn boxes_with_too_many_cards_in_total_are_refused() {
    let call = Json::parse(r#"{"op": "concat_boxes", "box_ids": ["large"]}"#).unwrap();
    let found = limit(run(&call, &settings(r#"{"max_ids": 9}"#), &project(10)));
    assert_eq!(found, (Code::Limit, "box_ids".to_owned(), Some("max_ids".into())));
}

#[test]
fn every_reference_to_a_box_counts() {
    let named = [r#""large""#; 11].join(",");
    let call = format!(r#"{{"op": "concat_boxes", "box_ids": [{named}]}}"#);
    let limits = settings(r#"{"max_ids": 100}"#);
    let found = limit(run(&Json::parse(&call).unwrap(), &limits, &project(10)));
    assert_eq!(found, (Code::Limit, "box_ids".to_owned(), Some("max_ids".into())));

    let pack = |names: usize| {
        let names = vec![r#""boxes""#; names].join(",");
        let call = format!(
            r#"{{"op": "pack_context", "tool_suffix": "t", "source_agent_id": "lead",
                "arguments": {{"profile_name": "writer", "boxes": [{named}]}},
                "handover": {{"context_packing_config": {{"inherit_context": {{"include_boxes_from_args": [{names}]}}}}}}}}"#
        );
        Json::parse(&call).unwrap()
    };
    let found = limit(run(&pack(1), &limits, &project(10)));
    assert_eq!(found, (Code::Limit, "arguments.boxes[10]".to_owned(), Some("max_ids".into())));
    let found = limit(run(&pack(3), &settings(r#"{"max_values": 30}"#), &project(10)));
    let path = "handover.context_packing_config.inherit_context.include_boxes_from_args[2]";
    assert_eq!(found, (Code::Limit, path.to_owned(), Some("max_values".into())));
    assert!(run(&pack(2), &settings(r#"{"max_values": 30}"#), &project(10)).is_ok());
}

#[test]
fn a_filled_template_is_limited_by_max_bytes() {
    let call = r#"{"op": "collect_contexts", "state": {"goal": "0123456789"},
        "retrieved": {"a__context": {"template": "{goal}"}, "b__context": {"template": "{goal}{goal}"}}}"#;
    let call = Json::parse(call).unwrap();
    let found = limit(run(&call, &settings(r#"{"max_bytes": 29}"#), &project(1)));
    let path = "retrieved.b__context.template".to_owned();
    assert_eq!(found, (Code::Limit, path, Some("max_bytes".into())));
    assert!(run(&call, &settings(r#"{"max_bytes": 30}"#), &project(1)).is_ok());
}

#[test]
fn changes_that_each_visit_all_messages_are_limited() {
    let add = r#"{"op": "add_results", "results": [{"task_id": "t"}]}"#;
    let changes = vec![add; 82].join(",");
    let call = format!(r#"{{"op": "change_memory", "state": {{}}, "changes": [{changes}]}}"#);
    let call = Json::parse(&call).unwrap();
    let found = limit(run(&call, &settings(r#"{"max_messages": 1}"#), &project(1)));
    assert_eq!(found, (Code::Limit, "changes[81]".to_owned(), Some("max_messages".into())));
    assert!(run(&call, &settings(r#"{"max_messages": 2}"#), &project(1)).is_ok());
}

#[test]
fn every_occurrence_of_a_card_counts() {
    let text = json!({"card_id": "c", "metadata": {}, "content": {"__type__": "TextContent", "text": "0123456789"}});
    let tools = json!({"card_id": "c", "metadata": {}, "content": {"__type__": "ToolContent", "tools": [{"name": "0123456789"}]}});
    let fields = json!({"card_id": "c", "metadata": {"type": "task.result_fields"}, "content":
        {"__type__": "FieldsSchemaContent", "fields": [{"name": "0123456789"}]}});
    for (card, bytes) in [(&text, 10), (&tools, 26), (&fields, 10)] {
        let mut store = project(1);
        let read = tuckbox::Card::from_row(&Field::root(card)).unwrap();
        store.project("p1").add_card(read).add_box("b", ["c", "c", "c"]);
        for (call, path) in [
            (json!({"op": "render", "box_id": "b"}), "card_ids[2]"),
            (json!({"op": "render", "card_ids": ["c", "c", "c"]}), "card_ids[2]"),
            (
                json!({"op": "render", "cards": [card.clone()], "card_ids": ["c", "c", "c"]}),
                "card_ids[2]",
            ),
            (
                json!({"op": "budget", "provider": "neutral", "limit": 9, "card_ids": ["c", "c", "c"]}),
                "card_ids[2]",
            ),
            (json!({"op": "turn_view", "context_box_id": "b"}), "source_card_ids[2]"),
        ] {
            let is_turn = call.get("context_box_id").is_some();
            if card == &fields && !is_turn {
                continue;
            }
            let path = if card == &fields { "source_card_ids[0]" } else { path };
            let limits = settings(&format!(r#"{{"max_read_bytes": {}}}"#, 3 * bytes - 1));
            let found = limit(run(&call, &limits, &store));
            assert_eq!(found, (Code::Limit, path.to_owned(), Some("max_read_bytes".into())));
            let limits = settings(&format!(r#"{{"max_read_bytes": {}}}"#, 3 * bytes));
            let found = run(&call, &limits, &store);
            assert!(found.is_ok() || call.get("limit").is_some(), "{call}");
            let found = limit(run(&call, &settings(r#"{"max_messages": 2}"#), &store));
            let list = path.split('[').next().unwrap_or_default();
            assert_eq!(found, (Code::Limit, list.to_owned(), Some("max_messages".into())));
        }
    }
}

#[test]
fn the_bytes_that_a_call_reads_are_limited() {
    let live = r#"{"cards": [{"card_id": "c", "content": {"__type__": "TextContent", "text": "a text that is long enough for its values"}}]}"#;
    let step = |limits: &str| {
        let mut workspace = Workspace::with_settings(settings(limits));
        let call = br#"{"op": "get_cards", "card_ids": ["c"]}"#;
        let mut run = workspace.begin_text(call, env(1)).unwrap();
        while workspace.step(&mut run)?.is_some() {
            workspace.answer_text(&mut run, live.as_bytes())?;
        }
        let mut text = String::new();
        run.write_value(&mut text)?;
        run.write_writes(&mut text).map(|()| text)
    };
    let length = live.len();
    let error = step(&format!(r#"{{"max_read_bytes": {}}}"#, length - 1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("limit: the call reads {length} bytes; `max_read_bytes` allows {}", length - 1)
    );
    assert!(step(&format!(r#"{{"max_read_bytes": {length}}}"#)).is_ok());
    let many = format!(
        r#"{{"cards": [{{"card_id": "c", "content": {{"__type__": "JsonContent", "data": [{}0]}}}}]}}"#,
        "0,".repeat(100)
    );
    let mut workspace = Workspace::with_settings(settings(r#"{"max_read_bytes": 1600}"#));
    let call = br#"{"op": "get_cards", "card_ids": ["c"]}"#;
    let mut read = workspace.begin_text(call, env(1)).unwrap();
    workspace.step(&mut read).unwrap();
    assert_eq!(
        workspace.answer_text(&mut read, many.as_bytes()).unwrap_err().to_string(),
        "limit: the call reads more than 100 values: each counts as 16 bytes, and `max_read_bytes` allows 1600"
    );
    let error = step(r#"{"max_answer_bytes": 20}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.details().keys().last().unwrap().as_str()),
        (Code::Limit, "max_answer_bytes")
    );
}

#[test]
fn a_long_name_is_shortened_in_lints_and_reports() {
    let name = "k".repeat(100_000);
    let odd = vec!["[1]"; 2_000].join(",");
    let call = format!(
        r#"{{"op": "pack_context", "tool_suffix": "t", "source_agent_id": "lead",
            "arguments": {{"profile_name": "writer", "{name}": [{odd}]}},
            "handover": {{"context_packing_config": {{"inherit_context": {{"include_boxes_from_args": ["{name}"]}}}}}}}}"#
    );
    let outcome = run(&Json::parse(&call).unwrap(), &settings("{}"), &project(1)).unwrap();
    assert_eq!(outcome.lints.len(), 2_000);
    assert!(to_json(&outcome.lints).unwrap().to_string().len() < 1_500_000);

    let parts = (0..2_000).map(|at| format!(r#""p{at}": {{"type": "odd"}}"#));
    let parts = parts.collect::<Vec<_>>().join(",");
    let call = format!(
        r#"{{"op": "payload", "provider": "anthropic", "model": "m", "messages": [{{"role": "user", "content": "x"}}],
            "tools": [{{"name": "{name}", "parameters": {{"type": "object", "properties": {{{parts}}}}}}}]}}"#
    );
    let outcome = run(&Json::parse(&call).unwrap(), &settings("{}"), &project(1)).unwrap();
    assert!(outcome.value.to_text().unwrap().len() < 2_000_000);
}

#[test]
fn expanded_schema_references_are_limited() {
    let parts =
        (0..200).map(|at| format!(r##""p{at}": {{"$ref": "#/$defs/d", "description": "x"}}"##));
    let parts = parts.collect::<Vec<_>>().join(",");
    let long = "x".repeat(500_000);
    let call = format!(
        r#"{{"op": "payload", "provider": "gemini", "model": "m", "messages": [{{"role": "user", "content": "x"}}],
            "tools": [{{"name": "t", "parameters": {{"type": "object", "properties": {{{parts}}}, "$defs": {{"d": {{"enum": ["{long}"]}}}}}}}}]}}"#
    );
    let outcome = run(&Json::parse(&call).unwrap(), &settings("{}"), &project(1)).unwrap();
    assert!(outcome.value.to_text().unwrap().len() < 6_000_000);
}

#[test]
fn calls_with_too_many_messages_are_refused() {
    let two = r#"[{"id": "a", "role": "user", "content": "x"}, {"id": "b", "role": "user", "content": "y"}]"#;
    let composition = format!(
        r#""process": "react", "system_prompt": "x", "query": {{"runtime": "go"}}, "checkpoint_messages": {two}"#
    );
    let calls = [
        (
            format!(
                r#"{{"op": "payload", "provider": "anthropic", "model": "m", "messages": {two}}}"#
            ),
            "messages",
        ),
        (
            format!(
                r#"{{"op": "budget", "provider": "anthropic", "model": "m", "limit": 90000, "messages": {two}}}"#
            ),
            "messages",
        ),
        (format!(r#"{{"op": "compose", {composition}}}"#), "checkpoint_messages"),
        (
            format!(
                r#"{{"op": "count_tokens", "provider": "anthropic", "model": "m", "compose": {{{composition}}}}}"#
            ),
            "compose.checkpoint_messages",
        ),
        (
            format!(
                r#"{{"op": "change_memory", "state": {{}}, "changes": [{{"op": "append", "messages": {two}}}]}}"#
            ),
            "changes[0].messages",
        ),
        (format!(r#"{{"op": "write_back", "state": {{"messages": {two}}}}}"#), "state.messages"),
    ];
    for (call, path) in calls {
        let call = Json::parse(&call).unwrap();
        let found = limit(run(&call, &settings(r#"{"max_messages": 1}"#), &project(1)));
        assert_eq!(found, (Code::Limit, path.to_owned(), Some("max_messages".into())), "{call}");
        assert!(run(&call, &settings(r#"{"max_messages": 2}"#), &project(1)).is_ok(), "{call}");
    }
}

#[test]
fn an_import_of_too_many_requests_is_refused_at_its_file() {
    let line = |at: usize| {
        format!(
            r#"{{\"model\": \"m\", \"messages\": [{{\"role\": \"user\", \"content\": \"{at}\"}}]}}"#
        )
    };
    let lines: Vec<String> = (0..3).map(line).collect();
    let files = format!(r#"[{{"name": "log.jsonl", "text": "{}"}}]"#, lines.join("\\n"));
    let call = Json::parse(&format!(r#"{{"op": "import", "files": {files}}}"#)).unwrap();
    let found = limit(run(&call, &settings(r#"{"max_requests": 2}"#), &project(1)));
    assert_eq!(found, (Code::Limit, "files".to_owned(), Some("max_requests".into())));
    assert!(run(&call, &settings(r#"{"max_requests": 3}"#), &project(1)).is_ok());
    let found = limit(run(&call, &settings(r#"{"max_messages": 2}"#), &project(1)));
    assert_eq!(found, (Code::Limit, "files".to_owned(), Some("max_messages".into())));
    assert!(run(&call, &settings(r#"{"max_messages": 3}"#), &project(1)).is_ok());
}

/// Returns the call that imports a file.
fn import_of(text: &str) -> Json {
    json!({"op": "import", "files": [{"name": "empty.json", "text": "{}"}, {"name": "log", "text": text}]})
}

#[test]
fn an_import_counts_values_and_names_the_file_that_exceeds_the_limit() {
    let one = r#"{"model": "m", "messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}"#;
    // each compaction keeps everything before it
    let kept = |at: usize| {
        format!(
            r#"{{"type": "compaction", "id": "c{at}", "parentId": "c{}", "firstKeptEntryId": "m"}}"#,
            at - 1
        )
    };
    let pi = format!(
        "{}\n{}\n{}\n{}",
        r#"{"type": "session", "cwd": "/", "id": "s"}"#,
        r#"{"type": "message", "id": "m", "parentId": null, "message": {"role": "user", "content": "a"}}"#,
        r#"{"type": "compaction", "id": "c0", "parentId": "m", "firstKeptEntryId": "m"}"#,
        (1..40).map(kept).collect::<Vec<_>>().join("\n"),
    );
    let aider = format!("# aider chat started at 2026-01-01 00:00:00\n{}", "#### a\n\n".repeat(20));
    for (text, values) in [
        // each object, each of its members and each item of a list
        (one.to_owned(), 1 + 2 + 2 + 4),
        // the whole text and each line
        (format!("{one}\n{one}\n"), 1 + 2 * 9),
        // lines that are not JSON
        (format!("{}{}", "{}\n".repeat(4), "{\n".repeat(9)), 1 + 4 + 9),
        // lines of a chat
        (aider, 1 + 40),
        // each row, and each entry that each compaction keeps
        (pi, 1 + 4 + 7 + 5 * 40 + 40 * 41 / 2),
    ] {
        let empty = 1;
        let run = |values: usize| {
            run(
                &import_of(&text),
                &settings(&format!(r#"{{"max_values": {values}}}"#)),
                &project(1),
            )
        };
        assert_eq!(
            limit(run(empty + values - 1)),
            (Code::Limit, "files[1]".to_owned(), Some("max_values".into())),
            "{text}"
        );
        if let Err(error) = run(empty + values) {
            panic!("{error}: {text}");
        }
    }
}

#[test]
fn the_first_lines_that_are_not_json_are_listed_and_the_others_counted() {
    let good = r#"{"model": "m", "messages": [{"role": "user", "content": "a"}]}"#;
    let text = format!("{}{}", format!("{good}\n").repeat(1_000), "{x\n".repeat(2_300));
    let outcome = run(&import_of(&text), &settings("{}"), &project(1)).unwrap();
    let broken: Vec<_> =
        outcome.lints.iter().filter(|lint| lint.code.as_str() == "broken_line").collect();
    assert_eq!(broken.len(), 2_001);
    assert_eq!(broken[2_000].message, "log:3001: 300 more lines from line 3001 are not JSON");
}

#[test]
fn a_call_that_requests_too_many_rows_is_refused_before_it_reads() {
    let mut workspace = Workspace::with_settings(settings(r#"{"max_rows": 2}"#));
    let call = br#"{"op": "get_cards", "card_ids": ["a", "b", "c"]}"#;
    let mut run = workspace.begin_text(call, env(1)).unwrap();
    let error = workspace.step(&mut run).unwrap_err();
    assert_eq!(error.to_string(), "limit: the call reads 3 rows; `max_rows` allows 2");
}

/// Returns the answers of an empty store.
fn nothing(reads: &Json) -> Json {
    let of = |kind: &str| reads.get(kind).cloned().unwrap_or_else(|| json!([]));
    let asked = of("lists");
    let lists = asked.as_array().unwrap().iter().map(|list| {
        let mut list = list.as_object().unwrap().clone();
        list.insert("rows".to_owned(), json!([]));
        Json::Object(list)
    });
    json!({
        "missing_boxes": of("boxes"),
        "missing_rows": of("rows"),
        "lists": Json::Array(lists.collect())
    })
}

#[test]
fn a_commit_is_applied_once() {
    let mut workspace = Workspace::new("p1".into());
    let mut go = |call: &str, receipt: &str, number: u8| {
        let mut run = workspace.begin_text(call.as_bytes(), env(number)).unwrap();
        while let Some(reads) = workspace.step(&mut run).unwrap() {
            let answers = nothing(&to_json(&reads).unwrap());
            workspace.answer(&mut run, &answers).unwrap();
        }
        let operation = run.outcome().unwrap().writes.operation_id.clone();
        let receipt = receipt.replace("OP", &operation);
        workspace.committed_text(&run, receipt.as_bytes()).unwrap();
        let seen = workspace.after(&run).unwrap();
        let tuckbox::store::Lookup::Present(card_box) = seen.snapshot().card_box("b") else {
            panic!("the box is not in the workspace");
        };
        (card_box.version, card_box.card_ids.iter().collect::<Vec<_>>().join(" "))
    };
    let created = go(
        r#"{"op": "create_box", "box_id": "b", "card_ids": ["x"]}"#,
        r#"{"operation_id": "OP", "repeated": false, "boxes": [{"box_id": "b", "version": 1}]}"#,
        1,
    );
    assert_eq!(created, (1, "x".to_owned()));
    let appended = go(
        r#"{"op": "append_to_box", "box_id": "b", "card_ids": ["y"]}"#,
        r#"{"operation_id": "OP", "repeated": false, "boxes": [{"box_id": "b", "version": 2}]}"#,
        2,
    );
    assert_eq!(appended, (2, "x y".to_owned()));
}

fn at(seconds: i64) -> Env {
    Env::new(Timestamp::from_millis(1_767_522_600_000).plus_seconds(seconds), [4; 32])
}

/// Runs `get_cards` for one card. Returns the number of reads and the result.
fn get_card(workspace: &mut Workspace, seconds: i64, answer: &str) -> (usize, Json) {
    let call = br#"{"op": "get_cards", "card_ids": ["c"]}"#;
    let mut run = workspace.begin_text(call, at(seconds)).unwrap();
    let mut asked = 0;
    while workspace.step(&mut run).unwrap().is_some() {
        asked += 1;
        workspace.answer_text(&mut run, answer.as_bytes()).unwrap();
    }
    (asked, run.outcome().unwrap().value.to_json().unwrap())
}

#[test]
fn a_remote_delete_is_seen_after_the_cache_time_or_a_refresh() {
    let live =
        r#"{"cards": [{"card_id": "c", "content": {"__type__": "TextContent", "text": "x"}}]}"#;
    let deleted =
        live.replace(r#""card_id""#, r#""deleted_at": "2026-01-01T00:00:00Z", "card_id""#);
    let is_deleted = |(asked, value): (usize, Json)| {
        let missing = value.get("missing_cards").and_then(Json::as_array).unwrap().len();
        (asked, missing == 1)
    };
    let mut workspace = Workspace::with_settings(settings(r#"{"max_card_age_seconds": 30}"#));
    assert_eq!(is_deleted(get_card(&mut workspace, 0, live)), (1, false));
    assert_eq!(
        is_deleted(get_card(&mut workspace, 29, &deleted)),
        (0, false),
        "the row is still cached"
    );
    assert_eq!(is_deleted(get_card(&mut workspace, 30, &deleted)), (1, true));
    let mut workspace = Workspace::new("p1".into());
    assert_eq!(is_deleted(get_card(&mut workspace, 0, live)), (1, false));
    workspace.refresh();
    assert_eq!(is_deleted(get_card(&mut workspace, 1, &deleted)), (1, true));
}

#[test]
fn resident_rows_are_limited() {
    let live =
        r#"{"cards": [{"card_id": "c", "content": {"__type__": "TextContent", "text": "x"}}]}"#;
    let asked = |limits: &str| {
        let mut workspace = Workspace::with_settings(settings(limits));
        let asked = [0, 1, 2].map(|round| get_card(&mut workspace, round, live).0);
        assert_eq!(workspace.snapshot().counts().cards, 1);
        asked
    };
    assert_eq!(asked("{}"), [1, 0, 0]);
    assert_eq!(asked(r#"{"max_resident_bytes": 10}"#), [1, 1, 1]);
}

#[test]
fn a_receipt_that_does_not_match_its_batch_is_refused() {
    let mut workspace = Workspace::new("p1".into());
    let call = br#"{"op": "create_box", "card_ids": [], "operation_id": "op"}"#;
    let mut run = workspace.begin_text(call, env(3)).unwrap();
    assert!(workspace.step(&mut run).unwrap().is_none());
    for (boxes, shown) in [
        ("[]", "the receipt has 0 boxes, the batch changes 1"),
        (r#"[{"box_id": "other", "version": 1}]"#, "the batch does not change box `other`"),
    ] {
        let receipt = format!(r#"{{"operation_id": "op", "repeated": false, "boxes": {boxes}}}"#);
        let error = workspace.committed_text(&run, receipt.as_bytes()).unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::Store, shown));
    }
}

#[test]
fn json_inside_a_string_counts_when_it_is_parsed() {
    let arguments = r#"{"a": [1, 2, 3]}"#;
    let chat = json!({"choices": [{"message": {"content": "x", "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}]}, "finish_reason": "tool_calls"}]});
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": arguments}});
    let events = json!([
        {"type": "message_start", "message": {"content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}},
        delta, {"type": "message_stop"}]);
    for (call, path) in [
        (
            json!({"op": "read_response", "provider": "openai_chat", "response": chat.clone()}),
            "response",
        ),
        (json!({"op": "read_response", "provider": "anthropic", "events": events}), "events"),
        (
            json!({"op": "restore_call", "provider": "anthropic", "tools": [], "name": "f", "arguments": arguments}),
            "arguments",
        ),
    ] {
        let found = limit(run(&call, &settings(r#"{"max_values": 3}"#), &project(1)));
        assert_eq!(found, (Code::Limit, path.to_owned(), Some("max_values".into())));
        assert!(run(&call, &settings(r#"{"max_values": 4}"#), &project(1)).is_ok());
    }
    let log = format!(
        r#"{{"messages": [{{"role": "user", "content": {:?}}}]}}"#,
        format!("[{}0]", "0,".repeat(98))
    );
    let call = json!({"op": "import", "files": [{"name": "log.json", "text": log}]});
    assert!(run(&call, &settings(r#"{"max_values": 110}"#), &project(1)).is_ok());
    let found = limit(run(&call, &settings(r#"{"max_values": 100}"#), &project(1)));
    assert_eq!(found, (Code::Limit, "files[0]".to_owned(), Some("max_values".into())));
}
