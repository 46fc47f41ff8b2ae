//! The authority check of a project holds for calls that name a more permissive dialect.

use tuckbox::agents::Setup;
use tuckbox::agents::recipe::Recipes;
use tuckbox::rule::{Defaults, Dialect, Step};
use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::env::Env;
use tuckbox::value::time::Timestamp;
use tuckbox::{Json, Result};

/// Previews a call on a project of this dialect, in which another agent owns the box `foreign`.
fn preview(project: Dialect, call: &str) -> Result<()> {
    let mut store = MemoryStore::new();
    store.project("p1").add_box("foreign", ["c1"]).add_box("pb", []);
    store.project("p1").add_profile(Profile::new("Writer", "pb"));
    let lead = Profile {
        delegation_policy: Json::parse(r#"{"target_profiles": ["Writer"]}"#).unwrap(),
        ..Profile::new("Lead", "pb_lead")
    };
    store.project("p1").add_profile(lead).add_agent(Agent::new("ann", "pb_lead"));
    let setup =
        Setup::new(Defaults { dialect: project, ..Defaults::default() }, Recipes::default());
    let call = setup.read_call(&Json::parse(call).unwrap())?;
    let env = Env { now: Timestamp::from_millis(1_767_522_600_000), entropy: [7; 32] };
    let mut snapshot = Snapshot::new("p1".into());
    loop {
        match call.step(&snapshot, &env)? {
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
            Step::Done(_) => return Ok(()),
        }
    }
}

const CALLS: [&str; 3] = [
    r#"{"op": "pack_context", "tool_suffix": "t", "source_agent_id": "ann", "arguments": {"profile_name": "Writer", "from": ["foreign"]},
        "handover": {"context_packing_config": {"inherit_context": {"include_boxes_from_args": ["from"]}}} DIALECT}"#,
    r#"{"op": "delegate_async", "source_agent_id": "ann", "tool_suffix": "t", "recursion_depth": 0,
        "arguments": {"target_strategy": "new", "target_ref": "Writer", "instruction": "go",
        "context_box_id": "foreign"} DIALECT}"#,
    r#"{"op": "validate_box_ids_exist", "source_agent_id": "ann", "box_ids": ["foreign"] DIALECT}"#,
];

#[test]
fn a_call_cannot_turn_off_the_authority_check_of_its_project() {
    for call in CALLS {
        let with = |dialect: &str| call.replace("DIALECT", dialect);
        let permissive = with(r#", "dialect": "v1r3""#);
        assert_eq!(preview(Dialect::V1R3, &permissive), Ok(()), "the call is valid: {call}");
        for project in [Dialect::V1R4, Dialect::V1R4_HOTFIX] {
            let refused = preview(project, &with("")).unwrap_err();
            let lowered = preview(project, &permissive).unwrap_err();
            assert_eq!(lowered.to_string(), refused.to_string(), "{call}");
        }
        // a call can be more restrictive than its project
        let strict = with(r#", "dialect": "v1r4""#);
        assert!(preview(Dialect::V1R3, &strict).is_err(), "{call}");
    }
}
