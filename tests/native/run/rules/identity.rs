//! The roster.

use super::{CONTEXT, PROFILE, Profile, TRACE, World, at, list, text};
use tuckbox::store::table;
use tuckbox::{Code, Json, json};

fn with_profile() -> World {
    let mut world = World::new();
    let mut profile = Profile::new("Writer", PROFILE);
    profile.worker_target = Some("of_profile".into());
    profile.tags = vec!["a".into()];
    world.store.project("p1").add_profile(profile);
    world
}

#[test]
fn created_agent_takes_profile_before_roster() {
    let mut world = with_profile();
    let spec = json!({"tags": ["x", null, "", 5], "active_channel_id": "of_spec"});
    let done = world.call("ensure_agent", json!({"agent_id": "a1", "spec": spec.clone()}));
    let row = world.row(&table::PROJECT_AGENTS, "a1");
    assert_eq!(text(&row, "worker_target"), "of_profile");
    assert_eq!(list(&row, "tags"), ["x", "5"]);
    assert_eq!(text(&done.rows("identity_edges")[0], "channel_id"), "of_spec");
    let call = json!({"agent_id": "new", "channel_id": "given",
        "spec": {"profile_box_id": PROFILE, "active_channel_id": "of_spec"}});
    let done = world.call("ensure_agent", call);
    assert_eq!(text(&done.rows("identity_edges")[0], "channel_id"), "given");
}

#[test]
fn derived_agent_needs_a_profile_box_only() {
    let mut world = with_profile();
    let spec = json!({"profile_box_id": PROFILE, "derived_from": "a1", "metadata":
        {"display_name": "drop", "k": 1}});
    let call =
        json!({"agent_id": "d1", "kind": "derived", "source_agent_id": "other", "spec": spec});
    let done = world.call("ensure_agent", call);
    assert_eq!(done.value, json!({"roster_updated": true}));
    let row = world.row(&table::PROJECT_AGENTS, "d1");
    assert_eq!((text(&row, "owner_agent_id"), text(&row, "worker_target")), ("a1", "of_profile"));
    assert_eq!(at(&row, "metadata.display_name"), Json::Null);
    assert_eq!(text(&at(&row, "metadata"), "derived_from"), "a1");

    let spec = json!({"derived_from": "a1", "metadata": {"k": 2}});
    let done = world
        .call("ensure_agent", json!({"agent_id": "d1", "kind": "derived", "spec": spec.clone()}));
    assert_eq!(done.value, json!({"roster_updated": true}), "an agent with changes is updated");
    assert_eq!(text(&done.rows("identity_edges")[0], "action"), "update");
    let done =
        world.call("ensure_agent", json!({"agent_id": "d1", "kind": "derived", "spec": spec}));
    assert_eq!(done.value, json!({"roster_updated": false}));
}

#[test]
fn provisioned_identity_writes_its_action_always() {
    let mut world = with_profile();
    let call = json!({"target_agent_id": "n1", "action": "adopt", "profile_box_id": PROFILE,
        "worker_target": "w", "tags": ["t"], "metadata": {"k": 1},
        "traceparent": format!("00-{TRACE}-2222222222222222-01")});
    for _ in 0..2 {
        let done = world.call("provision_identity", call.clone());
        assert_eq!(text(&done.value, "action"), "adopt");
        assert_eq!(
            (text(&done.value, "target_agent_id"), text(&done.value, "trace_id")),
            ("n1", TRACE)
        );
        let [edge] = &done.rows("identity_edges")[..] else { panic!("{}", done.writes) };
        assert_eq!(
            (text(edge, "action"), text(edge, "edge_id")),
            ("adopt", text(&done.value, "edge_id"))
        );
        assert_eq!(at(edge, "metadata.profile_name"), Json::Null);
        assert!(done.rows("heads").is_empty());
    }
    let row = world.row(&table::PROJECT_AGENTS, "n1");
    assert_eq!(text(&at(&row, "metadata"), "profile_name"), "Writer");
}

#[test]
fn provisioned_identity_refuses_another_trace_and_a_blank_project() {
    let call = |more: Json| {
        let mut call = json!({"target_agent_id": "n1", "action": "adopt", "profile_box_id": CONTEXT,
            "worker_target": "w"});
        if let Json::Object(call) = &mut call {
            call.extend(more.as_object().unwrap().clone());
        }
        call
    };
    for (more, path) in [
        (
            json!({"trace_id": "22222222222222222222222222222222",
                "traceparent": format!("00-{TRACE}-2222222222222222-01")}),
            "traceparent",
        ),
        (json!({"project_id": ""}), "project_id"),
    ] {
        let error = World::new().try_call("provision_identity", call(more)).err().unwrap();
        assert_eq!((error.code(), error.path().to_string()), (Code::BadRequest, path.to_owned()));
    }
}
