//! Property test: view, messages and payload of the same context have the same cost, in random
//! projects and for every provider.
//!
//! The view is `inspect_request`, the messages are `count_tokens` of its turn. The payload is the
//! body, counted by independent code.
use crate::pack::world::World;
use crate::prompt::provider_rules::walked;
use crate::property::{hold, is_deep};
use std::cell::RefCell;
use tuckbox::agents::Setup;
use tuckbox::inspect::{Fate, InspectRequest, RequestView};
use tuckbox::prompt::provider::{MakePayload, Payload, Provider};
use tuckbox::prompt::tokens::{BucketKind, CountTokens, TokenTexts};
use tuckbox::rule::{Rule, preview};
use tuckbox::store::{MemoryStore, Snapshot};
use tuckbox::value::json::to_json;
use tuckbox::{Env, Error, Json, Result, Timestamp};

/// The providers whose bodies the independent counter supports.
const WALKED: [Provider; 4] =
    [Provider::OpenaiChat, Provider::OpenaiResponses, Provider::Anthropic, Provider::Gemini];

struct Project<'a> {
    store: &'a MemoryStore,
    setup: &'a Setup,
    /// The rows that were read so far. Another property test shows that they do not change results.
    known: RefCell<Snapshot>,
}

impl Project<'_> {
    fn answer<R: Rule>(&self, rule: &R) -> Result<R::Value> {
        let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
        Ok(preview(rule, &mut self.known.borrow_mut(), &env, self.store)?.value)
    }

    fn look(&self, about: &str, provider: Provider, more: &str) -> Result<RequestView> {
        let provider = provider.as_str();
        let call = format!(r#"{{{about}, "provider": "{provider}", "model": "some-model"{more}}}"#);
        self.answer(
            &InspectRequest::from_json(&Json::parse(&call).unwrap())?.with_setup(self.setup)?,
        )
    }
}

/// Returns the arguments of the prompt: the turn of the view.
fn prompt(view: &RequestView, after: Option<&Json>, more: &str) -> Json {
    let turn = to_json(&view.turn).unwrap().to_string();
    let after = after.map_or_else(String::new, |call| format!(r#""after": {call}, "#));
    let provider = view.provider.as_str();
    let text = format!(
        r#"{{"provider": "{provider}", "model": "some-model", "turn": {{{after}{}{more}}}"#,
        turn.strip_prefix('{').unwrap()
    );
    Json::parse(&text).unwrap()
}

/// Counts one token for each character, in the host.
fn count_characters(project: &Project<'_>, call: &Json) -> Result<String> {
    let texts = project.answer(&TokenTexts::from_json(call)?.with_setup(project.setup)?)?.texts;
    let counts: Vec<String> = texts.iter().map(|text| text.chars().count().to_string()).collect();
    Ok(format!(r#", "counter": {{"counts": [{}], "exact": true}}"#, counts.join(",")))
}

fn nothing_to_send(error: &Error) -> bool {
    error.path().to_string() == "messages"
}

/// Checks one subject and one provider. Returns false if there is nothing to send.
fn same(
    project: &Project<'_>,
    (about, after): &(String, Option<&Json>),
    provider: Provider,
) -> bool {
    let Ok(view) = project.look(about, provider, "") else { return false };
    adds_up(&view);
    let counted = match count_characters(project, &prompt(&view, *after, "")) {
        Ok(counted) => counted,
        Err(error) => {
            assert!(nothing_to_send(&error), "{error}");
            assert_eq!(view.tokens, 0);
            return false;
        }
    };
    let bar = project.look(about, provider, &counted).unwrap();
    adds_up(&bar);
    let call = prompt(&view, *after, &counted);
    let messages = CountTokens::from_json(&call).unwrap().with_setup(project.setup).unwrap();
    let messages = project.answer(&messages).unwrap();
    assert_eq!(bar.tokens, messages.tokens);
    assert_eq!(bar.sections, messages.sections);
    let framing = |kind: &BucketKind| matches!(kind, BucketKind::Tools | BucketKind::Framing);
    let beside = messages.buckets.iter().filter(|bucket| framing(&bucket.kind));
    let said: u64 = messages.messages.iter().map(|message| message.tokens).sum();
    assert_eq!(said + beside.map(|bucket| bucket.tokens).sum::<u64>(), bar.tokens);
    if WALKED.contains(&provider) {
        let payload = MakePayload::from_json(&prompt(&view, *after, ""))
            .and_then(|call| call.with_setup(project.setup));
        let payload: Payload = project.answer(&payload.unwrap()).unwrap();
        assert_eq!(walked(provider, &payload.body()), bar.tokens, "{}", payload.body());
    }
    true
}

/// Checks that sections and parts add up to the whole, and that cards that are not sent cost
/// nothing.
fn adds_up(view: &RequestView) {
    assert_eq!(view.sections.iter().map(|section| section.tokens).sum::<u64>(), view.tokens);
    assert_eq!(view.parts.iter().map(|part| part.tokens).sum::<u64>(), view.tokens);
    let unsent = view.cards.iter().filter(|card| matches!(card.fate, Fate::Nothing { .. }));
    assert!(unsent.clone().all(|card| card.tokens == 0));
    assert_eq!(unsent.count(), view.never_sent);
}

#[test]
fn view_messages_and_payload_have_the_same_cost() {
    // the number of providers for each subject
    let shared = if is_deep() { 4 } else { 2 };
    hold("view, messages and payload have the same cost", |dice| {
        let world = World::random(dice);
        let known = RefCell::new(Snapshot::new("p1".into()));
        let project = Project { store: &world.store, setup: &world.setup, known };
        let call = format!(r#""call": {}, "shown": {}"#, world.call, world.task);
        let subjects = [
            (call, Some(&world.call)),
            (r#""box_id": "b0""#.to_owned(), None),
            (r#""turn": {"agent_id": "lead"}"#.to_owned(), None),
        ];
        let held = subjects.iter().flat_map(|subject| {
            let first = dice.below(Provider::ALL.len());
            let providers = Provider::ALL.iter().cycle().skip(first).take(shared);
            providers.filter(|provider| same(&project, subject, **provider)).collect::<Vec<_>>()
        });
        held.count()
    });
}
