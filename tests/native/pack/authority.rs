//! Authority is a setting of the project: a call can be stricter, never more permissive, and every
//! refusal can be audited.

use crate::property::hold;
use tuckbox::agents::Setup;
use tuckbox::agents::recipe::Recipes;
use tuckbox::rule::{AuthorityPolicy, Defaults, Dialect, GrantedBy, Step};
use tuckbox::store::{Agent, AgentPointers, MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::env::Env;
use tuckbox::value::time::Timestamp;
use tuckbox::{Code, Json, Result, Writes, json};

/// A project in which `ann` owns the box `own`, and another agent owns `foreign` and `shared`.
fn store() -> MemoryStore {
    let mut store = MemoryStore::new();
    let tables = store.project("p1");
    tables.add_box("foreign", ["c1"]).add_box("own", ["c2"]).add_box("shared", ["c3"]);
    tables.add_box("pb", []).add_profile(Profile::new("Writer", "pb"));
    let lead = Profile {
        delegation_policy: json!({"target_profiles": ["Writer"]}),
        ..Profile::new("Lead", "pb_lead")
    };
    let mut ann = Agent::new("ann", "pb_lead");
    ann.pointers =
        Some(AgentPointers { last_output_box_id: Some("own".into()), ..AgentPointers::default() });
    tables.add_profile(lead).add_profile(Profile::new("Judge", "pb_judge")).add_agent(ann);
    store
}

fn setup(dialect: Dialect, authority: AuthorityPolicy) -> Setup {
    Setup::new(Defaults { dialect, authority, ..Defaults::default() }, Recipes::default())
}

/// Previews a call, and returns its value and its writes.
fn outcome(store: &MemoryStore, setup: &Setup, call: &Json) -> Result<(Json, Writes)> {
    let call = setup.read_call(call)?;
    let env = Env { now: Timestamp::from_millis(1_767_522_600_000), entropy: [7; 32] };
    let mut snapshot = Snapshot::new("p1".into());
    loop {
        match call.step(&snapshot, &env)? {
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
            Step::Done(outcome) => return Ok((outcome.value.to_json()?, outcome.writes)),
        }
    }
}

/// Previews a call on a project of this dialect.
fn preview(project: Dialect, call: &str) -> Result<()> {
    let setup = setup(project, AuthorityPolicy::default());
    outcome(&store(), &setup, &Json::parse(call).unwrap()).map(|_| ())
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

/// The calls that name a box and grant it to themselves.
fn granting(box_id: &str, list: &[&str], dialect: Option<&str>) -> [Json; 3] {
    let list: Json = list.iter().copied().collect();
    let pack = json!({"op": "pack_context", "tool_suffix": "t", "source_agent_id": "ann",
        "arguments": {"profile_name": "Writer", "from": [box_id]}, "dialect": dialect,
        "handover": {"authorized_inherit_box_ids": list.clone(),
            "context_packing_config": {"inherit_context": {"include_boxes_from_args": ["from"]}}}});
    let instruct = json!({"op": "pack_context_with_instruction", "source_agent_id": "ann",
        "profile_name": "Writer", "instruction": "go", "inherit_box_ids": [box_id], "dialect": dialect});
    let validate = json!({"op": "validate_box_ids_exist", "source_agent_id": "ann", "box_ids": [box_id],
        "authorized_box_ids": list, "dialect": dialect});
    [pack, instruct, validate]
}

#[test]
fn a_call_cannot_grant_boxes_to_itself() {
    let store = store();
    for project in [Dialect::V1R4, Dialect::V1R4_HOTFIX] {
        let authority =
            AuthorityPolicy { box_ids: ["shared".into()].into(), ..AuthorityPolicy::default() };
        let strict = setup(project, authority);
        for call in granting("foreign", &["foreign"], None) {
            let error = outcome(&store, &strict, &call).unwrap_err();
            assert_eq!(
                (error.code(), error.details().get("box_id")),
                (Code::BadRequest, Some(&json!("foreign")))
            );
        }
        // the boxes of the sender, and those that the project grants
        for (box_id, authority) in [("own", "own"), ("shared", "granted")] {
            let [pack, instruct, validate] = granting(box_id, &[box_id], None);
            for call in [&pack, &instruct, &validate] {
                assert!(outcome(&store, &strict, call).is_ok(), "{call}");
            }
            let (_, writes) = outcome(&store, &strict, &pack).unwrap();
            let audit = writes.rows[0].row.as_ref().unwrap().get("data").unwrap().clone();
            let kind = audit
                .get("sources")
                .and_then(|sources| sources.as_array()?[0].get("authority")?.get("kind"));
            assert_eq!(kind, Some(&json!(authority)));
            assert!(
                writes.expects.iter().any(|row| row.first_key() == "ann"),
                "the sender is expected"
            );
        }
        // a call that lists other boxes is stricter
        let [pack, ..] = granting("own", &["shared"], None);
        assert!(outcome(&store, &strict, &pack).is_err());
        // a host whose own code makes the calls lets them decide
        let by_call = AuthorityPolicy { granted_by: GrantedBy::Call, ..AuthorityPolicy::default() };
        let by_call = setup(project, by_call);
        for call in granting("foreign", &["foreign"], None) {
            assert!(outcome(&store, &by_call, &call).is_ok(), "{call}");
        }
    }
}

#[test]
fn no_call_inherits_a_box_that_its_project_does_not_grant() {
    let store = store();
    hold("no call inherits a box that its project does not grant", |dice| {
        let boxes = ["foreign", "own", "shared"];
        let dialects = [None, Some("v1r3"), Some("v1r4"), Some("v1r4_hotfix")];
        let granted: Vec<&str> = boxes.into_iter().filter(|_| dice.below(3) == 0).collect();
        let listed: Vec<&str> = boxes.into_iter().filter(|_| dice.below(2) == 0).collect();
        let authority = AuthorityPolicy {
            box_ids: granted.iter().map(|id| (*id).into()).collect(),
            ..AuthorityPolicy::default()
        };
        let strict = setup([Dialect::V1R4, Dialect::V1R4_HOTFIX][dice.below(2)], authority);
        let asked = boxes[dice.below(3)];
        for call in granting(asked, &listed, dialects[dice.below(4)]) {
            let allowed = asked == "own" || granted.contains(&asked);
            let is_listed =
                listed.contains(&asked) || call.get("op") != Some(&json!("pack_context"));
            assert_eq!(outcome(&store, &strict, &call).is_ok(), allowed && is_listed, "{call}");
        }
        3_usize
    });
}

#[test]
fn a_refusal_is_audited_although_the_call_writes_nothing() {
    let mut store = store();
    let strict = setup(Dialect::V1R4, AuthorityPolicy::default());
    let [foreign, ..] = granting("foreign", &["foreign"], None);
    let [unlisted, ..] = granting("own", &["shared"], None);
    let judge = json!({"op": "delegate_async", "source_agent_id": "ann", "arguments": {
        "target_strategy": "new", "target_ref": "Judge", "instruction": "go"}});
    for (call, subject, policy) in [
        (foreign, "foreign", "own_boxes"),
        (unlisted, "own", "listed_boxes"),
        (judge, "Judge", "delegation"),
    ] {
        let error = outcome(&store, &strict, &call).unwrap_err();
        let op = call.get("op").cloned();
        let (value, writes) = outcome(
            &store,
            &strict,
            &json!({"op": "audit_refusal", "call": call, "operation_id": subject}),
        )
        .unwrap();
        let refusal = value.get("refusal").unwrap();
        assert_eq!(refusal.get("op"), op.as_ref());
        assert_eq!(refusal.get("source_agent_id"), Some(&json!("ann")));
        assert_eq!(refusal.get("subject"), Some(&json!(subject)));
        assert_eq!(refusal.get("message"), Some(&json!(error.message())));
        assert_eq!(
            refusal.get("policy").and_then(|policy| policy.get("kind")),
            Some(&json!(policy))
        );
        assert_eq!((writes.rows.len(), writes.boxes.len(), writes.cards.len()), (1, 0, 0));
        store.commit(&writes).unwrap();
        let (listed, _) =
            outcome(&store, &strict, &json!({"op": "list_audit", "box_id": subject})).unwrap();
        let rows = listed.get("rows").and_then(Json::as_array).unwrap();
        assert_eq!(rows.last().and_then(|row| row.get("data")), Some(refusal));
        assert_eq!(rows.last().and_then(|row| row.get("action")), Some(&json!("refused")));
    }
    // a call that is not refused leaves no entry
    let [own, ..] = granting("own", &["own"], None);
    let (value, writes) =
        outcome(&store, &strict, &json!({"op": "audit_refusal", "call": own})).unwrap();
    assert_eq!(value.get("refusal"), Some(&Json::Null));
    assert!(writes.is_empty());
}

#[test]
fn copies_of_boxes_leave_an_audit_entry() {
    let setup = setup(Dialect::V1R3, AuthorityPolicy::default());
    for (call, sources) in [
        (json!({"op": "fork_box", "box_id": "own", "source_agent_id": "ann"}), vec!["own"]),
        (
            json!({"op": "concat_boxes", "box_ids": ["own", "shared", "own"], "source_agent_id": "ann"}),
            vec!["own", "shared"],
        ),
    ] {
        let mut store = store();
        let (made, writes) = outcome(&store, &setup, &call).unwrap();
        store.commit(&writes).unwrap();
        let (listed, _) =
            outcome(&store, &setup, &json!({"op": "list_audit", "agent_id": "ann"})).unwrap();
        let rows = listed.get("rows").and_then(Json::as_array).unwrap();
        assert_eq!(rows.len(), 1, "{call}");
        assert_eq!(rows[0].get("action"), call.get("op"));
        assert_eq!(rows[0].get("subject"), made.get("box_id"));
        let found = rows[0].get("data").and_then(|data| data.get("sources")).unwrap();
        let found =
            found.as_array().unwrap().iter().filter_map(|source| source.get("box_id")?.as_str());
        assert_eq!(found.collect::<Vec<_>>(), sources);
    }
}
