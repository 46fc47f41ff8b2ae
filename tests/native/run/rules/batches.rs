//! Batches and their results.

use super::{CONTEXT, OUTPUT, PROFILE, World, at, text, time};
use tuckbox::store::table;
use tuckbox::{Code, Json, json};

fn batch(task: Json) -> Json {
    json!({"source_agent_id": "boss", "parent_agent_turn_id": "tp", "parent_turn_epoch": 1,
        "parent_tool_call_id": "cp", "recursion_depth": 0, "task_specs": [task]})
}

fn task(args: Json) -> Json {
    json!({"agent_id": "a1", "provision": false, "profile_box_id": PROFILE,
        "context_box_id": CONTEXT, "task_args": args})
}

/// Returns the result of a task whose view has these fields.
fn result(fields: Json) -> Json {
    let tasks =
        json!([{"status": "success", "metadata": {"result_view": {"result_fields": fields}}}]);
    let done =
        World::new().call("build_batch_result", json!({"status": "success", "tasks": tasks}));
    at(&done.value, "results").as_array().unwrap()[0].clone()
}

#[test]
fn first_field_named_summary_decides() {
    let second = json!({"name": "summary", "value": "later"});
    let summary = |first: Json| result(json!([first, second.clone()])).get("summary").cloned();
    assert_eq!(summary(json!({"name": " Summary ", "value": " first "})), Some("first".into()));
    assert_eq!(summary(json!({"name": "summary", "value": null})), None);
    assert_eq!(summary(json!({"name": "summary", "value": "  "})), None);
    let tasks = json!([{"status": ""}]);
    let done = World::new().call("build_batch_result", json!({"status": "failed", "tasks": tasks}));
    assert_eq!(
        at(&done.value, "results").as_array().unwrap()[0],
        json!({"task_index": 0, "status": "failed"})
    );
}

#[test]
fn fields_of_a_deliverable_have_names_and_text() {
    let mut world = World::with_turn("running");
    let data = json!({"fields": [{"name": " a ", "value": "x"}, {"name": " ", "value": "y"},
        {"name": "b", "value": null}, {"name": "c", "value": [1]}]});
    world.card(json!({"card_id": "d1", "content": {"__type__": "JsonContent", "data": data},
        "metadata": {"type": "task.deliverable", "role": "assistant", "author_id": "a1",
        "project_id": "p1", "created_at": time(0)}}));
    world.call("create_batch", batch(task(json!({}))));
    let id =
        world.store.tables("p1").unwrap().rows(&table::BATCH_TASKS).next().unwrap().key[0].clone();
    let mut row = world.row(&table::BATCH_TASKS, &id);
    if let Json::Object(row) = &mut row {
        row.insert("status".into(), "dispatched".into());
        row.insert("current_agent_turn_id".into(), "t1".into());
    }
    world.add(&table::BATCH_TASKS, row);
    let end = json!({"agent_turn_id": "t1", "status": "success", "deliverable_card_id": "d1"});
    world.call("child_event", end);
    let view = at(&world.row(&table::BATCH_TASKS, &id), "metadata.result_view");
    assert_eq!(text(&view, "digest"), "a: x | b: null | c: [1]");
    let names = at(&view, "result_fields").as_array().unwrap().len();
    assert_eq!(names, 3);
}

#[test]
fn task_index_that_is_not_an_index_is_refused() {
    for wrong in [json!(-1), json!("x"), json!(1.5), json!([])] {
        let mut world = World::new();
        let call = batch(task(json!({"task_index": wrong.clone()})));
        let error = world.try_call("create_batch", call).err().unwrap();
        assert_eq!(error.code(), Code::BadRequest, "{wrong}");
    }
    for fine in [json!(0), json!("7"), Json::Null] {
        World::new().call("create_batch", batch(task(json!({"task_index": fine}))));
    }
}

#[test]
fn canceled_turn_of_a_batch_names_the_batch_only() {
    let mut world = World::with_turn("running");
    let mut call = batch(task(json!({})));
    if let Json::Object(call) = &mut call {
        call.insert("deadline_seconds".into(), 5_i64.into());
        call.insert("activate".into(), true.into());
    }
    let made = world.call("create_batch", call);
    let id = text(&made.value, "batch_id").to_owned();
    world.now += 10_000;
    let done = world.call("end_batch", json!({"batch_id": id.as_str()}));
    let skipped = done.rows("inbox").into_iter().find(|row| text(row, "status") == "skipped");
    let payload = at(&skipped.unwrap(), "payload.cancel_metadata");
    assert_eq!(payload, json!({"batch_id": id}));
    assert_eq!(text(&world.row(&table::HEADS, "a1"), "output_box_id"), OUTPUT);
}
