//! What the model of a step saw can be shown again.

use super::{CONTEXT, OUTPUT, PROFILE, World, at, text, time};
use tuckbox::store::table;
use tuckbox::{Json, json};

/// A world with a claimed turn. Returns the work.
fn world(template: &str) -> (World, Json) {
    let mut world = World::new();
    let profile = json!({"name": "Writer", "system_prompt_template": template});
    for (id, of, content) in [
        ("prof", "sys.profile", json!({"__type__": "JsonContent", "data": profile})),
        ("n1", "task.instruction", json!({"__type__": "TextContent", "text": "Draft it."})),
    ] {
        world.card(json!({"card_id": id, "content": content, "metadata": {"type": of,
            "role": "user", "author_id": "a", "project_id": "p1", "created_at": time(0)}}));
    }
    world.store.project("p1").add_box(PROFILE, ["prof"]).add_box(CONTEXT, ["n1"]);
    let work = claimed(&mut world, "t1");
    (world, work)
}

/// Queues a turn and claims it. Returns the work.
fn claimed(world: &mut World, turn: &str) -> Json {
    let payload = json!({"agent_id": "a1", "agent_turn_id": turn, "channel_id": "public",
        "profile_box_id": PROFILE, "context_box_id": CONTEXT, "output_box_id": OUTPUT});
    world.call(
        "enqueue",
        json!({"target_agent_id": "a1", "message_type": "turn", "payload": payload,
            "headers": {"CG-Recursion-Depth": "0"}}),
    );
    let claimed = world.call("claim_inbox", json!({"agent_id": "a1"}));
    at(&claimed.value, "items").as_array().unwrap()[0].clone()
}

/// Starts the turn with a recorded view, and returns the answer.
fn start(world: &mut World, work: &Json) -> Json {
    let mut call = work.as_object().unwrap().clone();
    let tool = json!({"type": "function", "function": {"name": "search", "description": "d"}});
    call.insert("record".into(), json!({"tools": [tool], "system_append": "Be brief."}));
    world.call("turn_start", Json::Object(call)).value
}

fn views(world: &World) -> usize {
    world.store.tables("p1").unwrap().rows(&table::TURN_VIEWS).count()
}

#[test]
fn view_of_a_step_has_its_id_and_stays_as_it_was() {
    let (mut world, work) = world("You write.");
    let started = start(&mut world, &work);
    let step = text(&started, "step_id");
    assert_eq!(text(&started, "view_id"), step);
    let seen = |world: &mut World| world.call("turn_view", json!({"recorded": step})).value;
    let before = seen(&mut world);
    let messages = at(&before, "request.messages").to_string();
    assert!(
        messages.contains("You write.\\n\\nBe brief.") && messages.contains("Draft it."),
        "{messages}"
    );
    let live = json!({"agent_id": "a1", "system_append": "Be brief.", "context_box_id": CONTEXT});
    let live = world.call("turn_view", live).value;
    assert_eq!(at(&live, "request.messages"), at(&before, "request.messages"));
    let row = world.row(&table::TURN_VIEWS, step);
    assert_eq!((text(&row, "agent_turn_id"), text(&row, "agent_id")), ("t1", "a1"));
    // the turn ends, and its boxes and cards change
    let mut end = work.as_object().unwrap().clone();
    end.insert("step_id".into(), step.into());
    end.insert("thought".into(), json!({"text": "Done."}));
    world.call("turn_complete", Json::Object(end));
    world.call("append_to_box", json!({"box_id": CONTEXT, "card_ids": ["n2"]}));
    world.call("delete_cards", json!({"card_ids": ["n1"]}));
    assert_eq!(seen(&mut world), before);
}

#[test]
fn step_that_cannot_be_shown_starts_without_a_view() {
    let (mut world, work) = world("{name!q}");
    let started = start(&mut world, &work);
    assert_eq!(at(&started, "entered"), true.into());
    assert_eq!((started.get("view_id"), views(&world)), (None, 0));
}

#[test]
fn old_views_of_an_agent_are_deleted() {
    let (mut world, work) = world("You write.");
    let first = text(&start(&mut world, &work), "step_id").to_owned();
    let prompt = at(&world.row(&table::TURN_VIEWS, &first), "prompt_card_id");
    let mut end = work.as_object().unwrap().clone();
    end.insert("step_id".into(), first.as_str().into());
    world.call("turn_complete", Json::Object(end));
    for (days, kept) in [(6, 2), (2, 2)] {
        world.now += days * 86_400_000;
        let turn = format!("t{days}");
        let work = claimed(&mut world, &turn);
        let started = start(&mut world, &work);
        assert_eq!(views(&world), kept, "{days}");
        let mut end = work.as_object().unwrap().clone();
        end.insert("step_id".into(), at(&started, "step_id"));
        world.call("turn_complete", Json::Object(end));
    }
    let gone = world.try_call("turn_view", json!({"recorded": first})).err().unwrap();
    assert_eq!(gone.code(), tuckbox::Code::NotFound);
    let read = world.call("get_cards", json!({"card_ids": [prompt]})).value;
    assert_eq!(text(&at(&read, "missing_cards").as_array().unwrap()[0], "reason"), "deleted");
}
