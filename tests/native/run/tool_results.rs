//! The results of tools: which one counts, what is stored, and what the model sees of a large one.

use tuckbox::agents::Setup;
use tuckbox::rule::Step;
use tuckbox::store::{MemoryStore, Snapshot, Store, table};
use tuckbox::value::json::to_text;
use tuckbox::{Card, Code, Env, Error, Json, Timestamp, json};

/// The maximum size of a result on its own card.
const MAX_RESULT: usize = 256 << 10;
/// The maximum size of the results of one commit.
const MAX_STORED: usize = 32 << 20;

/// A store with the agent `ann`, and calls on it.
struct World {
    store: MemoryStore,
    calls: u8,
}

/// The answer of a call, and what it commits.
struct Done {
    value: Json,
    writes: Json,
    reads: usize,
}

impl World {
    fn new() -> Self {
        let mut store = MemoryStore::new();
        let agent = json!({"agent_id": "ann", "worker_target": "generic", "in_roster": true});
        store.project("p1").add_row(&table::PROJECT_AGENTS, agent.as_object().cloned().unwrap());
        Self { store, calls: 0 }
    }

    fn try_call(&mut self, op: &str, args: &Json) -> tuckbox::Result<Done> {
        self.calls += 1;
        let mut call = args.as_object().cloned().unwrap();
        call.insert("op".into(), op.into());
        let call = Setup::default().read_call(&Json::Object(call))?;
        let env = Env::new(Timestamp::from_millis(i64::from(self.calls)), [self.calls; 32]);
        let mut snapshot = Snapshot::new("p1".into());
        for reads in 0.. {
            match call.step(&snapshot, &env)? {
                Step::Need(needed) => snapshot.absorb(&needed, self.store.read(&needed)?)?,
                Step::Done(done) => {
                    self.store.commit(&done.writes)?;
                    let value = done.value.to_json()?;
                    return Ok(Done {
                        value,
                        writes: Json::parse(&to_text(&done.writes)?)?,
                        reads,
                    });
                }
            }
        }
        Err(Error::store("the call reads too often"))
    }

    /// Answers the call `c1` with these arguments, which replace the usual ones.
    fn try_answer(&mut self, more: Json) -> tuckbox::Result<Done> {
        let mut args = json!({"agent_id": "ann", "agent_turn_id": "t1", "turn_epoch": 2,
            "step_id": "s1", "tool_call_id": "c1", "tool_name": "search"});
        if let Json::Object(args) = &mut args {
            args.extend(more.as_object().cloned().unwrap());
        }
        self.try_call("answer_tool_call", &args)
    }

    fn answer(&mut self, more: Json) -> Done {
        self.try_answer(more).unwrap()
    }

    /// Returns the JSON of a card.
    fn card(&self, card_id: &str) -> Json {
        let mut cards = self.store.tables("p1").unwrap().cards();
        cards.find(|card| card.card_id == card_id).map(Card::to_wire).unwrap_or_default()
    }
}

impl Done {
    fn list(&self, key: &str) -> &[Json] {
        self.writes.get(key).and_then(Json::as_array).unwrap_or_default()
    }

    /// Returns the rows of a table that the call wrote.
    fn rows(&self, name: &str) -> Vec<Json> {
        let of_table = |row: &&Json| row.get("table") == Some(&name.into());
        self.list("rows").iter().filter(of_table).map(|row| at(row, "row")).collect()
    }

    fn is_empty(&self) -> bool {
        self.list("rows").is_empty() && self.list("cards").is_empty()
    }
}

/// Returns the value at a path of keys, or `null`.
fn at(json: &Json, path: &str) -> Json {
    path.split('.').try_fold(json, |json, key| json.get(key)).cloned().unwrap_or_default()
}

/// Returns the values of an object under these keys.
fn pick(object: &Json, keys: &[&str]) -> Vec<Json> {
    keys.iter().map(|key| object.get(key).cloned().unwrap_or_default()).collect()
}

/// Returns the text of the cards that hold a large result, in order.
fn text_of(world: &World, shown: &Json) -> String {
    let ids = at(shown, "card_ids");
    let texts = ids.as_array().unwrap().iter().map(|id| {
        let card = world.card(id.as_str().unwrap());
        assert_eq!(at(&card, "metadata.type"), json!("tool.file"));
        at(&card, "content.text").as_str().unwrap().to_owned()
    });
    texts.collect()
}

#[test]
fn an_answer_is_one_commit_with_its_card_its_note_and_its_report() {
    let mut world = World::new();
    let error = json!({"code": "closed", "message": "the shop is closed"});
    let done = world.answer(json!({"result": {"n": 1}, "status": "failed", "error": error.clone(),
        "after_execution": "terminate", "recursion_depth": 3, "channel_id": "ch"}));
    assert_eq!((done.value.clone(), done.reads), (json!({"accepted": true}), 1));

    let [card] = done.list("cards") else { panic!("{:?}", done.writes) };
    assert_eq!(at(card, "card_id"), json!("result_c1"));
    assert_eq!(at(card, "tool_call_id"), json!("c1"));
    assert_eq!(
        at(card, "content"),
        json!({"error": error, "result": {"n": 1}, "status": "failed",
            "__type__": "ToolResultContent", "after_execution": "terminate"})
    );
    let keys =
        ["type", "role", "author_id", "step_id", "agent_turn_id", "tool_call_id", "function_name"];
    assert_eq!(
        pick(&at(card, "metadata"), &keys),
        ["tool.result", "tool", "tool.search", "s1", "t1", "c1", "search"].map(Json::from)
    );

    let edges = done.rows("execution_edges");
    let keys = ["primitive", "edge_phase", "correlation_id", "recursion_depth", "source_agent_id"];
    let note = vec!["tool_call".into(), "request".into(), "c1".into(), 3.into(), "ann".into()];
    let report =
        vec!["report".into(), "response".into(), "c1".into(), 3.into(), "tool.search".into()];
    let found: Vec<_> = edges.iter().map(|edge| pick(edge, &keys)).collect();
    assert_eq!(found, [note, report]);
    let keys = ["channel_id", "source_agent_turn_id", "source_step_id"];
    assert_eq!(pick(&edges[0], &keys), ["ch", "t1", "s1"].map(Json::from));

    let [message] = &done.rows("inbox")[..] else { panic!("{:?}", done.writes) };
    let keys = ["agent_id", "message_type", "correlation_id", "status", "source_agent_id"];
    assert_eq!(
        pick(message, &keys),
        ["ann", "tool_result", "c1", "pending", "tool.search"].map(Json::from)
    );
    let payload = json!({"tool_call_id": "c1", "agent_turn_id": "t1", "turn_epoch": 2,
        "agent_id": "ann", "status": "failed", "after_execution": "terminate",
        "tool_result_card_id": "result_c1", "step_id": "s1"});
    assert!(at(message, "payload").same_value(&payload), "{message}");
    let sent: Vec<_> = done.rows("outbox").iter().map(|row| at(row, "subject")).collect();
    assert_eq!(sent, [json!("cg.v1r3.p1.ch.cmd.agent.generic.wakeup")]);
}

#[test]
fn the_first_answer_of_a_call_wins() {
    let mut world = World::new();
    assert_eq!(world.answer(json!({"result": "first"})).value, json!({"accepted": true}));
    // the turn has a report with the same status and card
    let again = world.answer(json!({"result": "x".repeat(MAX_RESULT)}));
    assert_eq!(again.value, json!({"accepted": true}));
    assert!(again.list("cards").is_empty() && again.rows("inbox").is_empty());
    let other = json!({"status": "failed", "error": {"code": "c", "message": "m"}});
    let refused = world.answer(other);
    assert_eq!(refused.value, json!({"accepted": false, "error_code": "conflict"}));
    assert!(refused.is_empty());
    assert_eq!(at(&world.card("result_c1"), "content.result"), json!("first"));
}

#[test]
fn a_refused_answer_writes_nothing() {
    let mut world = World::new();
    let noted = json!({"correlation_id": "c2", "recursion_depth": 1});
    world.try_call("tool_call", &noted).unwrap();
    // the report of another answer, whose note is deleted
    let report = json!({"inbox_id": "m1", "agent_id": "ann", "message_type": "tool_result",
        "correlation_id": "c3", "status": "pending", "payload": {"status": "timeout"}});
    world.store.project("p1").add_row(&table::INBOX, report.as_object().cloned().unwrap());
    for (more, code) in [
        (json!({"tool_call_id": "c3"}), "conflict"),
        (json!({"channel_id": ""}), "protocol_violation"),
        (json!({"project_id": ""}), "protocol_violation"),
        (json!({"tool_call_id": ""}), "protocol_violation"),
        (json!({"tool_call_id": "c2"}), "protocol_violation"),
        (json!({"recursion_depth": 20}), "recursion_depth_exceeded"),
    ] {
        let refused = world.answer(more);
        assert_eq!(refused.value, json!({"accepted": false, "error_code": code}));
        assert!(refused.is_empty(), "{:?}", refused.writes);
    }
    assert_eq!(
        world.answer(json!({"tool_call_id": "c2", "recursion_depth": 1})).value,
        json!({"accepted": true})
    );
}

#[test]
fn a_large_result_is_stored_as_text_and_shown_as_an_excerpt() {
    // the quotes of a string count
    let fits = "x".repeat(MAX_RESULT - 2);
    let mut world = World::new();
    let done = world.answer(json!({"result": fits.as_str()}));
    assert_eq!(done.list("cards").len(), 1);
    assert_eq!(at(&world.card("result_c1"), "content.result"), json!(fits.as_str()));

    let rows =
        Json::from((0..30_000).map(|at| format!("row {at} \u{1f30a}\u{1}")).collect::<Vec<_>>());
    let string = Json::from(format!("{}\"end\"", "tide \u{1f30a} ".repeat(40_000)));
    for (result, text) in [
        (json!(format!("{fits}y")), format!("{fits}y")),
        (rows.clone(), rows.to_string()),
        (string.clone(), string.as_str().unwrap().to_owned()),
    ] {
        let bytes = result.to_string().len();
        for more in [json!({"result": result.clone()}), json!({"result_text": result.to_string()})]
        {
            let mut world = World::new();
            let done = world.answer(more);
            let shown = at(&world.card("result_c1"), "content.result");
            let excerpt: String = text.chars().take(4_000).collect();
            assert_eq!(
                pick(&shown, &["excerpt", "is_excerpt", "bytes"]),
                [Json::from(excerpt), true.into(), bytes.into()]
            );
            assert!(text_of(&world, &shown) == text, "the parts are the text");
            let [first, .., card] = done.list("cards") else { panic!("cards") };
            let keys = ["role", "author_id", "step_id", "tool_call_id", "part", "parts"];
            let count = done.list("cards").len() - 1;
            assert_eq!(
                pick(&at(first, "metadata"), &keys),
                [
                    "tool".into(),
                    "tool.search".into(),
                    "s1".into(),
                    "c1".into(),
                    0.into(),
                    count.into()
                ]
            );
            assert_eq!(at(card, "card_id"), json!("result_c1"));
        }
    }
}

#[test]
fn a_result_that_cannot_be_stored_is_an_error_with_its_path() {
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let nested = Json::parse(&deep(140)).unwrap();
    for (more, path, code) in [
        (json!({"result": "x".repeat(MAX_STORED)}), "result", Code::Limit),
        (json!({"result": nested}), "result[0][0][0][0][0][0][0][0]", Code::Limit),
        (json!({"result_text": deep(140)}), "result_text[0][0][0][0][0][0][0][0]", Code::Limit),
        (json!({"result_text": "{\"a\": [1, tru]}"}), "result_text.a[1]", Code::InvalidContent),
        (
            json!({"result_text": format!("\"{}", "x".repeat(MAX_RESULT))}),
            "result_text",
            Code::InvalidContent,
        ),
        (json!({"status": "done"}), "status", Code::BadRequest),
        (json!({"status": "failed"}), "error", Code::InvalidContent),
        (json!({"error": {"code": "c", "message": "m"}}), "error", Code::InvalidContent),
        (json!({"after_execution": "stop"}), "after_execution", Code::BadRequest),
    ] {
        let mut world = World::new();
        let error = world.try_answer(more).err().unwrap();
        assert_eq!((error.path().to_string().as_str(), error.code()), (path, code));
        assert!(world.card("result_c1").is_null());
    }
}

/// Stores results of the step `s1`.
fn put(world: &mut World, results: Json, started: Json) -> tuckbox::Result<Done> {
    let args =
        json!({"agent_turn_id": "t1", "step_id": "s1", "results": results, "started": started});
    world.try_call("put_tool_results", &args)
}

/// Returns the ids of the cards that a call makes.
fn made(done: &Done) -> Vec<Json> {
    done.list("cards").iter().map(|card| at(card, "card_id")).collect()
}

#[test]
fn a_result_that_cannot_be_stored_fails_only_its_call() {
    let mut world = World::new();
    let ran = |id: &str, text: &str| json!({"tool_call_id": id, "tool_name": "search", "result_text": text});
    let deep = format!("{}{}", "[".repeat(600), "]".repeat(600));
    let bad = [deep.as_str(), "\"\\u0000\"", "{", "{\"a\": \"\\ud800\"}"];
    let mut results = vec![ran("c0", "{\"n\": 1}")];
    results.extend(bad.iter().enumerate().map(|(at, text)| ran(&format!("b{at}"), text)));
    let large = format!("[\"{}\"]", "x".repeat(MAX_RESULT));
    results.push(ran("c1", &large));
    let done = put(&mut world, json!(results), json!([])).unwrap();
    assert_eq!(done.reads, 1);
    let answers = at(&done.value, "results");
    for answer in answers.as_array().unwrap() {
        let id = at(answer, "tool_call_id");
        let id = id.as_str().unwrap();
        let is_bad = id.starts_with('b');
        assert_eq!(answer.get("error").is_some(), is_bad, "{answer}");
        let card_ids = if is_bad { vec![] } else { vec![format!("result_{id}")] };
        assert_eq!(at(answer, "card_ids"), json!(card_ids));
    }
    assert_eq!(answers.as_array().unwrap().len(), 6);
    // no part of a result that failed
    let parts = large.len().div_ceil(MAX_RESULT / 6);
    assert_eq!(made(&done).len(), 2 + parts);

    let card = world.card("result_c0");
    assert_eq!(
        at(&card, "content"),
        json!({"error": null, "result": {"n": 1}, "status": "success",
            "__type__": "ToolResultContent", "after_execution": "suspend"})
    );
    let keys =
        ["type", "role", "author_id", "step_id", "agent_turn_id", "tool_call_id", "function_name"];
    assert_eq!(
        pick(&at(&card, "metadata"), &keys),
        ["tool.result", "tool", "tool.search", "s1", "t1", "c0", "search"].map(Json::from)
    );
    let shown = at(&world.card("result_c1"), "content.result");
    assert!(text_of(&world, &shown) == large);
}

#[test]
fn a_part_that_no_card_can_hold_leaves_no_other_part() {
    let mut world = World::new();
    // only the last part has the character that no store supports
    let text = format!("\"{}\\u0000\"", "x".repeat(MAX_RESULT));
    let results = json!([{"tool_call_id": "c1", "tool_name": "search", "result_text": text}]);
    let done = put(&mut world, results, json!([])).unwrap();
    assert!(at(&done.value, "results").as_array().unwrap()[0].get("error").is_some());
    assert!(done.is_empty());
}

#[test]
fn the_first_result_of_a_call_wins() {
    let mut world = World::new();
    let result =
        |text: &str| json!([{"tool_call_id": "c1", "tool_name": "search", "result": text}]);
    put(&mut world, result("first"), json!([])).unwrap();
    let again = put(&mut world, result("second"), json!([])).unwrap();
    assert!(again.is_empty());
    assert_eq!(
        again.value,
        json!({"results": [{"tool_call_id": "c1", "card_ids": ["result_c1"]}]})
    );
    assert_eq!(at(&world.card("result_c1"), "content.result"), json!("first"));
}

#[test]
fn one_commit_stores_results_up_to_its_maximum() {
    let mut world = World::new();
    let ran = |id: &str, bytes: usize| {
        json!({"tool_call_id": id, "tool_name": "search",
        "result_text": format!("\"{}\"", "x".repeat(bytes - 2))})
    };
    let mut left = vec![
        ran("c1", MAX_STORED - MAX_RESULT),
        ran("c2", MAX_RESULT),
        ran("c3", 3),
        ran("c4", MAX_STORED + 1),
        ran("c5", 3),
    ];
    let mut calls = Vec::new();
    while !left.is_empty() {
        let done = put(&mut world, json!(left.clone()), json!([])).unwrap();
        let answers = at(&done.value, "results");
        let ids: Vec<String> = answers
            .as_array()
            .unwrap()
            .iter()
            .map(|one| at(one, "tool_call_id").text_form())
            .collect();
        left.drain(..ids.len());
        calls.push(ids);
    }
    assert_eq!(calls, [vec!["c1", "c2"], vec!["c3"], vec!["c4"], vec!["c5"]]);
    let stored =
        ["c1", "c2", "c3", "c4", "c5"].map(|id| !world.card(&format!("result_{id}")).is_null());
    assert_eq!(stored, [true, true, true, false, true]);
}

#[test]
fn a_tool_that_must_not_run_twice_is_started_by_one_step() {
    let mut world = World::new();
    let started = json!([{"tool_call_id": "c1", "tool_name": "pay"}]);
    let done = put(&mut world, json!([]), started.clone()).unwrap();
    assert_eq!(made(&done), [json!("start_c1")]);
    let card = world.card("start_c1");
    assert_eq!(at(&card, "content.data"), json!({"tool_call_id": "c1", "function_name": "pay"}));
    assert_eq!(
        pick(&at(&card, "metadata"), &["type", "author_id", "step_id", "agent_turn_id", "role"]),
        [json!("tool.start"), json!("tool.pay"), json!("s1"), json!("t1"), Json::Null]
    );
    // the commit can be repeated, but another step cannot start the tool
    assert!(put(&mut world, json!([]), started.clone()).unwrap().is_empty());
    let other = json!({"agent_turn_id": "t1", "step_id": "s2", "started": started});
    let error = world.try_call("put_tool_results", &other).err().unwrap();
    assert_eq!(error.code(), Code::Conflict);
}
