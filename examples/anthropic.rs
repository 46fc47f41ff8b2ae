//! Converts cards to an Anthropic request, with a report of each change.
//!
//! Run it with `cargo run --example anthropic`.

use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
use tuckbox::prompt::tokens::{Estimate, account};
use tuckbox::render::render_cards;
use tuckbox::value::json::{Field, to_json};
use tuckbox::{Card, Json, Result, json};

fn card(row: Json) -> Result<Card> {
    Card::from_row(&Field::root(&row))
}

fn main() -> Result<()> {
    let text = |text: &str| json!({"__type__": "TextContent", "text": text});
    let call = json!({"id": "call_1", "type": "function",
        "function": {"name": "search", "arguments": "{\"q\": \"clause 9\"}"}});
    let cards = [
        card(
            json!({"card_id": "c1", "metadata": {"role": "user"}, "content": text("Is clause 9 fine?")}),
        )?,
        card(json!({"card_id": "c2", "metadata": {"role": "assistant"}, "tool_calls": [call],
            "content": text("I look it up.")}))?,
        card(json!({"card_id": "c3", "metadata": {"role": "tool"}, "tool_call_id": "call_1",
            "content": {"__type__": "ToolResultContent", "status": "success",
                "after_execution": "suspend", "result": {"clause": 9, "days": 30}}}))?,
        card(
            json!({"card_id": "c4", "metadata": {"role": "system"}, "content": text("Answer in one word.")}),
        )?,
        card(json!({"card_id": "c5", "metadata": {"role": "user"}, "content": text("Well?")}))?,
    ];

    let prompt = Prompt::from(render_cards(&cards));
    let payload = payload(&prompt, Provider::Anthropic, &Options::model("some-model"))?;
    println!("{}", to_json(&payload)?);

    println!("\nwhat had to change:");
    for loss in payload.losses() {
        println!("  {} at message {:?}: {}", loss.code.as_str(), loss.position, loss.reason);
    }
    assert!(!payload.losses().is_empty(), "a system message inside a conversation has to move");

    let account = account(&payload, &Estimate);
    let buckets: u64 = account.buckets.iter().map(|bucket| bucket.tokens).sum();
    println!("\n{} tokens by estimate, in {} buckets", account.tokens, account.buckets.len());
    assert_eq!(buckets, account.tokens);
    Ok(())
}
