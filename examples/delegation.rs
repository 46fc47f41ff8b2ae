//! A delegation, seen from both sides before anything is written.
//!
//! Run it with `cargo run --example delegation`.

use tuckbox::agents::Setup;
use tuckbox::agents::recipe::{Caller, DelegateAsync, PreviewHandover, Strategy, TaskArguments};
use tuckbox::agents::turn::TurnView;
use tuckbox::store::{Agent, AgentState, MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::json::Field;
use tuckbox::{Card, Env, Json, Result, Timestamp, json, rule};

/// A lead with notes and thoughts, and a writer that it may delegate to.
fn store() -> Result<MemoryStore> {
    let card = |row: Json| Card::from_row(&Field::root(&row));
    let text = |id: &str, role: &str, text: &str| {
        card(json!({
            "card_id": id,
            "metadata": {"role": role},
            "content": {"__type__": "TextContent", "text": text},
        }))
    };
    // a profile without a delegation policy cannot delegate
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy = json!({"target_profiles": ["Writer"]});
    let mut agent = Agent::new("lead", "pb_lead");
    agent.state = Some(AgentState {
        status: "running".into(),
        context_box_id: Some("notes".into()),
        output_box_id: Some("thoughts".into()),
        ..AgentState::default()
    });
    let mut store = MemoryStore::new();
    store
        .project("demo")
        .add_profile(lead)
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_agent(agent)
        .add_card(card(json!({
            "card_id": "writer",
            "metadata": {"type": "sys.profile"},
            "content": {"__type__": "JsonContent", "data": {
                "name": "Writer",
                "system_prompt_template": "You are {display_name}.",
            }},
        }))?)
        .add_box("pb_writer", ["writer"])
        .add_card(text("n1", "user", "Bees dance.")?)
        .add_card(text("t1", "assistant", "A writer should do this.")?)
        .add_box("notes", ["n1"])
        .add_box("thoughts", ["t1"]);
    Ok(store)
}

fn main() -> Result<()> {
    let mut store = store()?;
    let setup = Setup::default();
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
    let mut snapshot = Snapshot::new("demo".into());

    // both sides, from the call alone
    let call = json!({"call": {
        "op": "delegate_async",
        "source_agent_id": "lead",
        "arguments": {
            "target_strategy": "new",
            "target_ref": "Writer",
            "instruction": "Draft it.",
            "context_box_id": "notes",
        },
    }});
    let sides = PreviewHandover::from_json(&call)?.with_setup(&setup);
    let sides = rule::preview(&sides, &mut snapshot, &env, &store)?;
    println!("the receiver would see:");
    for message in &sides.value.receiver.request.messages {
        println!("  {}", tuckbox::value::json::to_json(message)?);
    }
    let ids = |cards: usize| format!("{cards} card(s)");
    println!("shared with the sender: {}", ids(sides.value.shared.len()));
    println!("kept from the receiver: {}", ids(sides.value.not_passed_on.len()));
    for lint in &sides.lints {
        println!("note: {lint}");
    }

    // the delegation itself, typed, and made real
    let task = TaskArguments::new(Strategy::New, "Writer", "Draft it.").with_context_box("notes");
    let delegation = DelegateAsync::new(Caller::new("lead"), task);
    let outcome = rule::preview(&delegation, &mut snapshot, &env, &store)?;
    store.commit(&outcome.writes)?;

    // the receiver's turn, as it is now
    let view = TurnView {
        context_box_id: Some(outcome.value.dispatch.context_box_id.clone()),
        profile_box_id: Some("pb_writer".into()),
        ..TurnView::default()
    };
    let turn = rule::preview(&view, &mut Snapshot::new("demo".into()), &env, &store)?.value;
    assert_eq!(turn.request.messages, sides.value.receiver.request.messages);
    println!("after the commit the receiver sees exactly that");
    Ok(())
}
