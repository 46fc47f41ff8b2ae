//! Recipes that run: the batch that packs a handover also dispatches it, a `fork_join` runs to its
//! join, and `run_state` shows both.
use tuckbox::agents::Setup;
use tuckbox::rule::{AnyOutcome, MAX_ROUNDS, Step, too_many_rounds};
use tuckbox::store::{MemoryStore, Snapshot, Store};
use tuckbox::{Code, Env, Error, Json, Result, Timestamp};

const PROFILE: &str = "00000000-0000-7000-8000-000000000001";

/// A store and calls on it. Each call starts without cached rows, and commits.
struct Project {
    store: MemoryStore,
    setup: Setup,
    calls: u8,
    seconds: i64,
}

impl Project {
    /// Creates a project with a lead that can delegate to runners.
    fn new() -> Self {
        let mut store = MemoryStore::new();
        store.project("p1").add_box(PROFILE, []).add_box("pb", []);
        let mut project = Self { store, setup: Setup::default(), calls: 0, seconds: 0 };
        for call in [
            format!(
                r#"{{"op": "register_profile", "name": "Runner", "profile_box_id": "{PROFILE}",
                "worker_target": "generic", "delegation_policy": {{"target_profiles": ["Runner", "Stray"]}}}}"#
            ),
            r#"{"op": "register_profile", "name": "Stray", "profile_box_id": "pb"}"#.to_owned(),
            r#"{"op": "register_agent", "agent_id": "lead", "profile_name": "Runner", "worker_target": "generic"}"#
                .to_owned(),
        ] {
            project.call(&call);
        }
        project
    }

    fn preview(&mut self, call: &str) -> Result<AnyOutcome> {
        self.calls += 1;
        let call = self.setup.read_call(&Json::parse(call).unwrap())?;
        let now = Timestamp::from_millis(1_767_522_600_000 + self.seconds * 1000);
        let env = Env { now, entropy: [self.calls; 32] };
        let mut snapshot = Snapshot::new("p1".into());
        for _ in 0..=MAX_ROUNDS {
            match call.step(&snapshot, &env)? {
                Step::Need(reads) => snapshot.absorb(&reads, self.store.read(&reads)?)?,
                Step::Done(done) => return Ok(done),
            }
        }
        Err(too_many_rounds())
    }

    fn call(&mut self, call: &str) -> Json {
        let done = self.preview(call).unwrap();
        self.store.commit(&done.writes).unwrap();
        done.value.to_json().unwrap()
    }

    fn refused(&mut self, call: &str) -> Error {
        match self.preview(call) {
            Ok(done) => panic!("{call} answers {:?}", done.value.to_json()),
            Err(error) => error,
        }
    }

    fn agent(&mut self, agent: &str) -> Json {
        self.call(&format!(r#"{{"op": "run_state", "agent_id": "{agent}"}}"#))
    }

    fn batch(&mut self, batch: &str) -> Json {
        self.call(&format!(r#"{{"op": "run_state", "batch_id": "{batch}"}}"#))
    }

    /// Starts a turn of the lead that waits for a tool call. Returns the step id.
    fn lead_waits(&mut self, tool_call: &str) -> String {
        self.call(
            r#"{"op": "lease", "agent_id": "lead", "agent_turn_id": "t1", "active_channel_id": "public"}"#,
        );
        let started = self.call(
            r#"{"op": "turn_start", "agent_id": "lead", "agent_turn_id": "t1", "turn_epoch": 1,
                "headers": {"CG-Recursion-Depth": "0"}}"#,
        );
        let (step, output) = (text(&started, &["step_id"]), text(&started, &["output_box_id"]));
        self.call(&format!(
            r#"{{"op": "turn_tools", "agent_id": "lead", "agent_turn_id": "t1", "turn_epoch": 1,
                "step_id": "{step}", "output_box_id": "{output}",
                "tool_calls": [{{"id": "{tool_call}", "name": "fork_join"}}],
                "thought": {{"text": "I share it out.", "tool_calls": [{{"id": "{tool_call}"}}]}}}}"#
        ));
        step.to_owned()
    }
}

fn at<'a>(json: &'a Json, path: &[&str]) -> Option<&'a Json> {
    path.iter().try_fold(json, |json, key| match key.parse::<usize>() {
        Ok(index) => json.as_array()?.get(index),
        Err(_) => json.get(key),
    })
}

fn text<'a>(json: &'a Json, path: &[&str]) -> &'a str {
    at(json, path).and_then(Json::as_str).unwrap_or_else(|| panic!("{path:?} of {json}"))
}

fn count(json: &Json, key: &str) -> usize {
    at(json, &[key]).and_then(Json::as_array).unwrap_or_else(|| panic!("{key} of {json}")).len()
}

fn delegate(profile: &str) -> String {
    format!(
        r#"{{"op": "hand_out", "parent_agent_turn_id": "t1", "call": {{
            "op": "delegate_async", "source_agent_id": "lead", "tool_suffix": "demo",
            "arguments": {{"target_strategy": "new", "target_ref": "{profile}", "instruction": "go"}}}}}}"#
    )
}

fn fork(parent: &str) -> String {
    fork_of(parent, 2)
}

fn fork_of(parent: &str, tasks: usize) -> String {
    let task = r#"{"target_strategy": "new", "target_ref": "Runner", "instruction": "your part"}"#;
    let list = vec![task; tasks].join(", ");
    format!(
        r#"{{"op": "hand_out", {parent} "call": {{
            "op": "fork_join", "source_agent_id": "lead", "tool_suffix": "demo", "max_tasks": 1000,
            "arguments": {{"tasks": [{list}], "deadline_seconds": 60}}}}}}"#
    )
}

fn of_lead(step: &str) -> String {
    format!(
        r#""parent_agent_turn_id": "t1", "parent_turn_epoch": 1, "parent_tool_call_id": "k1", "parent_step_id": "{step}","#
    )
}

#[test]
fn a_recipe_packs_and_dispatches_in_one_batch() {
    let mut project = Project::new();
    let preview = project.preview(&delegate("Runner")).unwrap();
    let value = preview.value.to_json().unwrap();
    assert_eq!(text(&value, &["result", "status"]), "accepted");
    assert_eq!(at(&value, &["defer_resume"]), Some(&Json::from(false)));
    let context = text(&value, &["result", "context_box_id"]);
    assert_eq!(text(&value, &["handed", "dispatch", "context_box_id"]), context);
    assert!(!preview.ledger.transitions.is_empty(), "the ledger has no transitions");

    let agent = text(&value, &["result", "agent_id"]);
    assert_eq!(count(&project.agent(agent), "agents"), 0, "the preview wrote an agent");
    project.store.commit(&preview.writes).unwrap();
    let state = project.agent(agent);
    assert_eq!(text(&state, &["agents", "0", "status"]), "dispatched");
    assert_eq!(text(&state, &["agents", "0", "context_box_id"]), context);
    assert_eq!(
        text(&state, &["queued", "0", "inbox_id"]),
        text(&value, &["result", "agent_turn_id"])
    );
    let work = project.call(&format!(r#"{{"op": "claim_inbox", "agent_id": "{agent}"}}"#));
    let mut start = at(&work, &["items", "0"]).unwrap().as_object().unwrap().clone();
    start.insert("op".into(), "turn_start".into());
    let started = project.call(&Json::Object(start).to_string());
    assert_eq!(at(&started, &["entered"]), Some(&Json::from(true)));
    assert_eq!(text(&project.agent(agent), &["steps", "0", "status"]), "started");
}

#[test]
fn a_child_without_a_given_depth_is_one_level_below_its_caller() {
    let mut project = Project::new();
    project.call(
        r#"{"op": "lease", "agent_id": "lead", "agent_turn_id": "t1", "active_channel_id": "public"}"#,
    );
    project.call(
        r#"{"op": "turn_start", "agent_id": "lead", "agent_turn_id": "t1", "turn_epoch": 1,
            "headers": {"CG-Recursion-Depth": "4"}}"#,
    );
    let task = r#"{"target_strategy": "new", "target_ref": "Runner", "instruction": "go"}"#;
    for (recipe, arguments) in
        [("delegate_async", task), ("fork_join", &format!(r#"{{"tasks": [{task}]}}"#))]
    {
        let depth_of_child = |project: &mut Project, depth: &str| {
            let call = format!(
                r#"{{"op": "hand_out", {} "call": {{"op": "{recipe}", "source_agent_id": "lead",
                    "dialect": "v1r4", "recursion_depth": {depth}, "arguments": {arguments}}}}}"#,
                of_lead("s1")
            );
            let done = project.preview(&call).unwrap();
            let rows = done.writes.rows.iter();
            let inbox = rows.filter(|change| change.of.table.name == "inbox");
            let depths = inbox.filter_map(|change| {
                change.row.as_ref()?.get("recursion_depth")?.as_number()?.whole()
            });
            depths.collect::<Vec<_>>()
        };
        assert_eq!(depth_of_child(&mut project, "1"), [2], "{recipe}");
        assert_eq!(depth_of_child(&mut project, "null"), [5], "{recipe}");
        assert_eq!(depth_of_child(&mut project, r#""abc""#), [5], "{recipe}");
    }
}

#[test]
fn a_refused_call_writes_nothing() {
    let mut project = Project::new();
    project.setup.defaults.reference_behavior = true;
    let done = project.preview(&delegate("Stray")).unwrap();
    let value = done.value.to_json().unwrap();
    let result = at(&value, &["result"]).unwrap();
    assert_eq!(text(result, &["status"]), "rejected");
    assert_eq!(text(result, &["error_code"]), "invalid_box_id");
    assert_eq!(
        text(result, &["agent_id"]),
        text(&value, &["handed", "dispatch", "target_agent_id"])
    );
    let named: Vec<_> = result.as_object().unwrap().iter().map(|(key, _)| key).collect();
    assert!(
        named
            .iter()
            .all(|key| ["status", "error_code", "agent_id", "trace_id"].contains(&key.as_str())),
        "{named:?}"
    );
    assert!(done.writes.is_empty(), "{:?}", done.writes);

    let unknown = project.refused(r#"{"op": "hand_out", "call": {"op": "put_cards"}}"#);
    assert_eq!(
        (unknown.code(), unknown.path().to_string().as_str()),
        (Code::BadRequest, "call.op")
    );
    let orphan = project.refused(&fork(""));
    assert_eq!(
        (orphan.code(), orphan.path().to_string().as_str()),
        (Code::BadRequest, "parent_tool_call_id")
    );
    let rule = project.refused(r#"{"op": "due", "rule": "everything"}"#);
    assert_eq!((rule.code(), rule.path().to_string().as_str()), (Code::BadRequest, "rule"));
    for op in ["run_state", "outbox", "dispatch_pending"] {
        let limit = project.refused(&format!(r#"{{"op": "{op}", "limit": -1}}"#));
        assert_eq!((limit.code(), limit.path().to_string().as_str()), (Code::BadRequest, "limit"));
    }
}

#[test]
fn a_fork_join_runs_to_its_join() {
    let mut project = Project::new();
    let step = project.lead_waits("k1");
    let value = project.call(&fork(&of_lead(&step)));
    assert_eq!(at(&value, &["defer_resume"]), Some(&Json::from(true)));
    assert_eq!(at(&value, &["result", "task_count"]), Some(&Json::from(2)));
    let batch = text(&value, &["result", "batch_id"]);
    let state = project.batch(batch);
    assert_eq!(text(&state, &["batches", "0", "status"]), "running");
    assert_eq!((count(&state, "tasks"), count(&state, "edges")), (2, 1));
    for task in ["0", "1"] {
        assert_eq!(text(&state, &["tasks", task, "status"]), "dispatched");
        assert_eq!(
            text(&state, &["tasks", task, "context_box_id"]),
            text(&value, &["handed", "tasks", task, "handed", "dispatch", "context_box_id"])
        );
    }
    let all = project.call(r#"{"op": "run_state"}"#);
    assert_eq!((count(&all, "agents"), count(&all, "batches")), (3, 1));
    let limited = project.call(r#"{"op": "run_state", "limit": 1}"#);
    // rows of each status: a dispatched child, and the lead that waits
    assert_eq!(count(&limited, "agents"), 2);

    for task in ["0", "1"] {
        let turn = text(&state, &["tasks", task, "current_agent_turn_id"]);
        let event =
            format!(r#"{{"op": "child_event", "agent_turn_id": "{turn}", "status": "success"}}"#);
        assert_eq!(project.call(&event), Json::from(true));
    }
    let joined = project.batch(batch);
    assert_eq!(text(&joined, &["batches", "0", "status"]), "success");
    assert_eq!(count(&joined, "edges"), 2, "the request and one response");
    let lead = project.agent("lead");
    assert_eq!(text(&lead, &["agents", "0", "status"]), "suspended");
    assert_eq!(text(&lead, &["waiting", "0", "tool_call_id"]), "k1");
    assert_eq!(text(&lead, &["queued", "0", "message_type"]), "tool_result");

    let work = project.call(r#"{"op": "claim_inbox", "agent_id": "lead"}"#);
    let mut resume = at(&work, &["items", "0"]).unwrap().as_object().unwrap().clone();
    resume.insert("op".into(), "resume".into());
    let resumed = project.call(&Json::Object(resume).to_string());
    assert_eq!(count(&resumed, "queued"), 1);
    assert_eq!(text(&project.agent("lead"), &["agents", "0", "status"]), "running");
}

#[test]
fn a_fork_join_of_300_tasks_does_not_exceed_the_read_rounds() {
    let mut project = Project::new();
    let step = project.lead_waits("k1");
    let value = project.call(&fork_of(&of_lead(&step), 300));
    assert_eq!(at(&value, &["result", "task_count"]), Some(&Json::from(300)));
}

#[test]
fn repeated_calls_for_one_tool_call_create_one_batch() {
    let mut project = Project::new();
    let step = project.lead_waits("k1");
    let first = project.call(&fork(&of_lead(&step)));
    let again = project.preview(&fork(&of_lead(&step))).unwrap();
    assert!(again.writes.is_empty(), "{:?}", again.writes);
    let value = again.value.to_json().unwrap();
    assert_eq!(at(&value, &["result"]), at(&first, &["result"]));
    assert_eq!(at(&value, &["handed"]), Some(&Json::Null));
}

#[test]
fn the_run_state_of_an_unknown_agent_or_batch_is_empty() {
    let mut project = Project::new();
    for (state, lists) in [
        (project.agent("nobody"), ["agents", "queued", "waiting", "steps"].as_slice()),
        (project.batch("none"), ["batches", "tasks", "edges"].as_slice()),
    ] {
        for list in lists {
            assert_eq!(count(&state, list), 0, "{state}");
        }
    }
}
