//! The errors of recipes as callers get them: the code, the path of the value, the message.

use tuckbox::agents::Setup;
use tuckbox::rule::AnyOutcome;
use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot, Store};
use tuckbox::{Env, Json, Result, Step, Timestamp};

fn store() -> MemoryStore {
    let mut store = MemoryStore::new();
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy = Json::parse(r#"{"target_profiles": ["Writer", "Lead"]}"#).unwrap();
    let mut unregistered = Agent::new("orphan", "pb_nobody");
    unregistered.display_name = Some("Olga".into());
    let mut bare = Agent::new("bare", "pb_writer");
    bare.profile_box_id = None;
    let mut left = Agent::new("left", "pb_writer");
    left.in_roster = false;
    let mut closed = Profile::new("Closed", "pb_closed");
    closed.delegation_policy = Json::parse(r#"{"target_profiles": []}"#).unwrap();
    let mut tagged = Profile::new("Choosy", "pb_choosy");
    tagged.delegation_policy = Json::parse(r#"{"target_tags": ["team"]}"#).unwrap();
    store
        .project("p1")
        .add_profile(lead)
        .add_profile(closed)
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_profile(Profile::new("Solo", "pb_solo"))
        .add_profile(Profile::new("Nomad", "pb_nomad"))
        .add_profile(tagged)
        .add_agent(Agent::new("choosy", "pb_choosy"))
        .add_agent(Agent::new("lead", "pb_lead"))
        .add_agent(Agent::new("shut", "pb_closed"))
        .add_agent(Agent::new("mute", "pb_solo"))
        .add_agent(Agent::new("w", "pb_writer"))
        .add_agent(unregistered)
        .add_agent(bare)
        .add_agent(left)
        .add_box("b1", ["c1"]);
    store
}

fn drive(call: &str) -> Result<AnyOutcome> {
    let store = store();
    let call = Setup::default().read_call(&Json::parse(call).unwrap())?;
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [1; 32]);
    let mut snapshot = Snapshot::new("p1".into());
    loop {
        match call.step(&snapshot, &env)? {
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
            Step::Done(outcome) => return Ok(outcome),
        }
    }
}

/// Returns the error of a call, as `code at path: message`.
fn refused(call: &str) -> String {
    drive(call).err().unwrap().to_string()
}

fn forked(tasks: &str) -> String {
    format!(
        r#"{{"op": "fork_join", "source_agent_id": "lead", "arguments": {{"tasks": [
            {{"target_strategy": "new", "target_ref": "Writer", "instruction": "a"}}, {tasks}]}}}}"#
    )
}

#[test]
fn the_error_of_a_task_has_its_path() {
    for (task, shown) in [
        (
            r#"{"target_strategy": "clone", "target_ref": "lead", "instruction": "a"}"#,
            "bad_request at `tasks[1].target_ref`: agent `lead` cannot delegate to itself; name another agent, or a profile",
        ),
        (
            r#"{"target_strategy": "reuse", "target_ref": "w", "instruction": "a"},
               {"target_strategy": "reuse", "target_ref": "w", "instruction": "b"}"#,
            "bad_request at `tasks[2].target_ref`: agent `w` is reused twice; use it in one task only",
        ),
        (
            r#"{"target_strategy": "new", "target_ref": "Nobody", "instruction": "a"}"#,
            "not_found at `tasks[1].target_ref`: no profile `Nobody` in project `p1`",
        ),
        (
            r#"{"target_strategy": "reuse", "target_ref": "ghost", "instruction": "a"}"#,
            "not_found at `tasks[1].target_ref`: no agent `ghost` in the roster of project `p1`",
        ),
        (
            r#"{"target_strategy": "reuse", "target_ref": "left", "instruction": "a"}"#,
            "not_found at `tasks[1].target_ref`: no agent `left` in the roster of project `p1`",
        ),
        (
            r#"{"target_strategy": "clone", "target_ref": "bare", "instruction": "a"}"#,
            "bad_request at `tasks[1].target_ref`: agent `bare` has no profile; set its `profile_box_id`",
        ),
        (
            r#"{"target_strategy": "clone", "target_ref": "w", "instruction": "a"}"#,
            "bad_request at `tasks[1].target_ref`: agent `w` has no output box to pass on",
        ),
        (
            r#"{"target_strategy": "reuse", "target_ref": "orphan", "instruction": "a"}"#,
            "not_found at `tasks[1].target_ref`: no profile `pb_nobody` in project `p1`",
        ),
        (
            r#"{"target_strategy": "new", "target_ref": "Solo", "instruction": "a"}"#,
            "auth_failed at `tasks[1].target_ref`: agent `lead` cannot delegate to profile `Solo`; its policy allows the profiles `Writer`, `Lead`",
        ),
        (
            r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": "a", "context_box_id": "b9"}"#,
            "not_found at `tasks[1].context_box_id`: no box `b9` in project `p1`",
        ),
        (
            r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": {"a": 1}}"#,
            "bad_request at `tasks[1].instruction`: expected a string, found an object",
        ),
        (
            r#"{"target_strategy": "new", "target_ref": "Writer"}"#,
            "bad_request at `tasks[1].instruction`: `instruction` is required",
        ),
        (
            r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": "a", "x": 1}"#,
            "bad_request at `tasks[1].x`: unknown key `x`; expected one of `target_strategy`, `target_ref`, `instruction`, `context_box_id`",
        ),
        (
            r#"{"target_strategy": "new", "target_ref": "Nomad", "instruction": "a"}"#,
            "auth_failed at `tasks[1].target_ref`: agent `lead` cannot delegate to profile `Nomad`; its policy allows the profiles `Writer`, `Lead`",
        ),
        (
            r#"{"target_strategy": "fork", "target_ref": "Writer", "instruction": "a"}"#,
            "bad_request at `tasks[1].target_strategy`: unknown strategy `fork`; expected one of `new`, `reuse`, `clone`",
        ),
        (
            r#"{"target_strategy": "reuse", "target_ref": "lead", "instruction": "a"}"#,
            "bad_request at `tasks[1].target_ref`: agent `lead` cannot delegate to itself; name another agent, or a profile",
        ),
        ("5", "bad_request at `tasks[1]`: expected an object, found a number"),
    ] {
        assert_eq!(refused(&forked(task)), shown);
    }
}

#[test]
fn agent_ids_are_compared_as_the_dialect_reads_them() {
    let call = forked(
        r#"{"target_strategy": "reuse", "target_ref": "w", "instruction": "a"},
           {"target_strategy": "reuse", "target_ref": " w ", "instruction": "b"}"#,
    );
    let exact = call.replacen("\"arguments\"", "\"dialect\": \"v1r3\", \"arguments\"", 1);
    assert_eq!(
        refused(&call),
        "bad_request at `tasks[2].target_ref`: agent `w` is reused twice; use it in one task only"
    );
    assert_eq!(
        refused(&exact),
        "not_found at `tasks[2].target_ref`: no agent ` w ` in the roster of project `p1`"
    );
}

#[test]
fn a_batch_is_rejected_as_a_whole() {
    let call = |arguments: &str, more: &str| {
        refused(&format!(
            r#"{{"op": "fork_join", "source_agent_id": "lead", "arguments": {arguments}{more}}}"#
        ))
    };
    let task = r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": "a"}"#;
    let nine = [task; 9].join(", ");
    for (arguments, more, shown) in [
        ("\"x\"", "", "bad_request at `arguments`: expected an object, found a string"),
        ("{}", "", "bad_request at `tasks`: `tasks` is missing"),
        (r#"{"tasks": []}"#, "", "bad_request at `tasks`: `tasks` must have at least one task"),
        (
            &format!(r#"{{"tasks": [{nine}]}}"#),
            "",
            "bad_request at `tasks`: expected at most 8 tasks, found 9; split the batch, or raise `max_tasks`",
        ),
        (
            &format!(r#"{{"tasks": [{task}, {task}]}}"#),
            r#", "max_tasks": 1"#,
            "bad_request at `tasks`: expected at most 1 tasks, found 2; split the batch, or raise `max_tasks`",
        ),
        (
            &format!(r#"{{"tasks": [{task}], "fail_fast": "maybe"}}"#),
            "",
            "bad_request at `fail_fast`: expected a boolean, found the string `maybe`",
        ),
        (
            &format!(r#"{{"tasks": [{task}], "deadline_seconds": "nan"}}"#),
            "",
            "bad_request at `deadline_seconds`: `deadline_seconds` must be a finite number greater than 0, found `NaN`",
        ),
        (
            &format!(r#"{{"tasks": [{task}], "deadline_seconds": "Infinity"}}"#),
            "",
            "bad_request at `deadline_seconds`: `deadline_seconds` must be a finite number greater than 0, found `inf`",
        ),
        (
            &format!(r#"{{"tasks": [{task}], "fail_fast": null, "deadline_seconds": 1e999}}"#),
            "",
            "bad_request at `deadline_seconds`: `deadline_seconds` must be a finite number greater than 0, found `inf`",
        ),
        (
            &format!(r#"{{"tasks": [{task}], "fail_fast": [true]}}"#),
            "",
            "bad_request at `fail_fast`: expected a boolean, found a list",
        ),
        (
            &format!(r#"{{"tasks": [{task}], "deadline_seconds": 0}}"#),
            "",
            "bad_request at `deadline_seconds`: `deadline_seconds` must be a finite number greater than 0, found `0`",
        ),
        (
            &format!(r#"{{"tasks": [{task}], "deadline_seconds": true}}"#),
            "",
            "bad_request at `deadline_seconds`: expected a number of seconds, found a boolean",
        ),
        (
            &format!(r#"{{"tasks": [{task}], "label": "x"}}"#),
            "",
            "bad_request at `label`: unknown key `label`; expected one of `tasks`, `fail_fast`, `deadline_seconds`",
        ),
        (
            &format!(r#"{{"tasks": [{task}]}}"#),
            r#", "recursion_depth": "-1", "dialect": "v1r3""#,
            "bad_request at `recursion_depth`: `recursion_depth` must be a whole number from 0, found `-1`",
        ),
        (
            &format!(r#"{{"tasks": [{task}]}}"#),
            r#", "colour": "red""#,
            "bad_request at `colour`: unknown key `colour`; expected one of `op`, `arguments`, `max_tasks`, `default_deadline_seconds`, `source_agent_id`, `tool_name`, `tool_suffix`, `dialect`, `recursion_depth`, `check_liveness`, `operation_id`",
        ),
    ] {
        assert_eq!(call(arguments, more), shown);
    }
}

#[test]
fn a_recipe_is_called_under_its_own_name_or_without_one() {
    let tasks =
        r#"{"tasks": [{"target_strategy": "new", "target_ref": "Writer", "instruction": "go"}]}"#;
    let one = r#"{"target_strategy": "new", "target_ref": "Writer", "instruction": "go"}"#;
    for (op, arguments) in [
        ("delegate_async", one),
        ("launch_principal", r#"{"profile_name": "Writer", "instruction": "go"}"#),
        ("ask_expert", r#"{"expert_profile": "Writer", "question": "why?"}"#),
        ("fork_join", tasks),
    ] {
        let call = |named: &str| {
            format!(
                r#"{{"op": "{op}", "source_agent_id": "lead", {named} "arguments": {arguments}}}"#
            )
        };
        drive(&call("")).unwrap();
        drive(&call(&format!(r#""tool_name": "{op}","#))).unwrap();
        for (given, shown) in [(r#""search""#, "search"), ("null", "null"), (r#""""#, "")] {
            assert_eq!(
                refused(&call(&format!(r#""tool_name": {given},"#))),
                format!("bad_request at `tool_name`: `tool_name` must be `{op}`, found `{shown}`")
            );
        }
    }
}

#[test]
fn the_sender_must_be_registered_and_have_a_policy() {
    let call = |agent: &str, dialect: &str, more: &str| {
        refused(&format!(
            r#"{{"op": "delegate_async", "source_agent_id": "{agent}", "dialect": "{dialect}",
                "arguments": {{"target_strategy": "new", "target_ref": "Writer",
                               "instruction": "a"{more}}}}}"#
        ))
    };
    for (agent, dialect, more, shown) in [
        (
            "ghost",
            "v1r3",
            "",
            "not_found at `source_agent_id`: no agent `ghost` in the roster of project `p1`",
        ),
        (
            "bare",
            "v1r3",
            "",
            "bad_request at `source_agent_id`: agent `bare` has no profile; set its `profile_box_id`",
        ),
        (
            "mute",
            "v1r3",
            "",
            "auth_failed at `source_agent_id`: agent `mute` cannot delegate: its profile has no delegation policy; to allow every profile, set `\"delegation_policy\": {\"target_profiles\": null}` in its `sys.profile` card; a list of names instead of `null` allows only those",
        ),
        (
            "shut",
            "v1r3",
            "",
            "auth_failed at `target_ref`: agent `shut` cannot delegate to profile `Writer`; its policy allows no profile",
        ),
        (
            "choosy",
            "v1r3",
            "",
            "auth_failed at `target_ref`: agent `choosy` cannot delegate to profile `Writer`; its policy allows every profile with one of the tags `team`",
        ),
        ("  ", "v1r4", "", "bad_request at `source_agent_id`: `source_agent_id` must not be blank"),
        (
            "lead",
            "v1r4",
            r#", "context_box_id": "b1""#,
            "bad_request at `context_box_id`: agent `lead` cannot pass on box `b1`, which is not its own",
        ),
    ] {
        assert_eq!(call(agent, dialect, more), shown);
    }
}

#[test]
fn errors_of_every_delegation_name_its_own_arguments() {
    for (call, shown) in [
        (
            r#"{"op": "ask_expert", "source_agent_id": "lead", "arguments": {"expert_profile": "Nobody", "question": "q"}}"#,
            "not_found at `expert_profile`: no profile `Nobody` in project `p1`",
        ),
        (
            r#"{"op": "ask_expert", "source_agent_id": "lead", "arguments": {"expert_profile": "Writer", "question": "q", "include_history": true}}"#,
            "bad_request at `include_history`: agent `lead` has no output box to pass on",
        ),
        (
            r#"{"op": "launch_principal", "source_agent_id": "lead", "arguments": {"instruction": "q"}}"#,
            "bad_request at `profile_name`: `profile_name` is required",
        ),
        (
            r#"{"op": "launch_principal", "source_agent_id": "lead", "arguments": {"profile_name": "Solo", "instruction": "q"}}"#,
            "auth_failed at `profile_name`: agent `lead` cannot delegate to profile `Solo`; its policy allows the profiles `Writer`, `Lead`",
        ),
        (
            r#"{"op": "preview_handover", "call": {"op": "get_cards", "card_ids": []}}"#,
            "bad_request at `call.op`: `get_cards` does not delegate",
        ),
        (
            r#"{"op": "preview_handover", "task": 1, "call": {"op": "launch_principal", "source_agent_id": "lead", "arguments": {"profile_name": "Writer", "instruction": "q"}}}"#,
            "bad_request at `task`: `task` must be below 1, the number of contexts, found `1`",
        ),
        (
            r#"{"op": "turn_view", "agent_id": "ghost"}"#,
            "not_found at `agent_id`: no agent `ghost` in project `p1`",
        ),
        (
            &format!(
                r#"{{"op": "preview_handover", "call": {}}}"#,
                forked(r#"{"target_strategy": "clone", "target_ref": "w", "instruction": "a"}"#)
            ),
            "bad_request at `call.tasks[1].target_ref`: agent `w` has no output box to pass on",
        ),
        (
            &format!(
                r#"{{"op": "turn_view", "agent_id": "w", "after": {}}}"#,
                forked(r#"{"target_strategy": "new", "target_ref": "Solo", "instruction": "a"}"#)
            ),
            "auth_failed at `after.tasks[1].target_ref`: agent `lead` cannot delegate to profile `Solo`; its policy allows the profiles `Writer`, `Lead`",
        ),
        (
            r#"{"op": "turn_view"}"#,
            "bad_request at `agent_id`: expected `agent_id`, `context_box_id`, `output_box_id` or `profile_box_id`",
        ),
        (
            r#"{"op": "turn_view", "agent_id": "w", "record": true, "after": {"op": "create_box", "card_ids": []}}"#,
            "bad_request at `record`: `record` must be `false` with `after`: the turn cannot start yet",
        ),
        (
            r#"{"op": "run_recipe", "source_agent_id": "lead", "arguments": {}}"#,
            "bad_request at `recipe`: `recipe` is missing",
        ),
        (
            r#"{"op": "run_recipe", "recipe": "review", "source_agent_id": "lead", "arguments": {}}"#,
            "bad_request at `recipe`: unknown recipe `review`; the project has no recipes",
        ),
    ] {
        assert_eq!(refused(call), shown);
    }
}

#[test]
fn a_coerced_or_ignored_value_is_a_lint() {
    let outcome = drive(
        r#"{"op": "delegate_async", "source_agent_id": "lead", "arguments": {
            "target_strategy": "new", "target_ref": "Writer", "instruction": 5, "colour": "red"}}"#,
    )
    .unwrap();
    let lints: Vec<String> = outcome.lints.iter().map(ToString::to_string).collect();
    assert_eq!(
        lints,
        [
            "ignored_argument at `colour`: unknown argument `colour` is ignored; expected one of `target_strategy`, `target_ref`, `instruction`, `context_box_id`",
            "coerced_value at `instruction`: a number becomes the string `5`",
        ]
    );
    let outcome = drive(
        r#"{"op": "delegate_async", "source_agent_id": "lead", "arguments": {
            "target_strategy": "new", "target_ref": "Writer", "instruction": " "}}"#,
    )
    .unwrap();
    assert_eq!(
        outcome.lints[0].to_string(),
        "blank_instruction at `instruction`: the instruction is blank"
    );
}
