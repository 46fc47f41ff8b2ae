//! Sessions of more than two requests, marks that move, times and rules of single models.

use super::talk::{Api, Marks, Said, Sent, Talk, prose, tool};
use super::{Dice, explain, explain_all, two};
use tuckbox::prompt::cache::{CacheRules, Cause, Region, RequestCache, fact};
use tuckbox::prompt::provider::{
    CacheLifetime, CachePlan, CacheStrategy, Options, Prompt, Provider, payload,
};
use tuckbox::value::json::Json;
use tuckbox::{Message, json};

fn talk(api: Api, seed: u64) -> (Talk, Dice) {
    let mut dice = Dice::of(seed);
    (Talk::new(api, &mut dice), dice)
}

fn last(api: Api, sent: &[Sent]) -> RequestCache {
    explain_all(api, sent).requests.last().unwrap().clone()
}

#[test]
fn an_edit_in_a_longer_session_is_found() {
    for api in Api::ALL {
        let (mut talk, mut dice) = talk(api, 30);
        talk.said.truncate(1);
        let mut sent = vec![Sent::new(talk.clone(), 0)];
        for at in 1..5 {
            talk = talk.next(&mut dice);
            sent.push(Sent::new(talk.clone(), at * 30));
        }
        // the answer to the first message: the first request is still a prefix
        talk = talk.next(&mut dice);
        talk.said[1] = Said::Assistant("Edited.".into());
        sent.push(Sent::new(talk, 150));
        let found = last(api, &sent);
        let place = if api == Api::Chat { 2 } else { 1 };
        assert_eq!(
            (found.cause, found.at.message),
            (Cause::MessagesChanged, Some(place)),
            "{api:?}"
        );
        assert_eq!(found.compared_with, Some(4), "{api:?}");
    }
}

#[test]
fn a_side_request_does_not_hide_the_conversation() {
    for api in Api::ALL {
        let (main, mut dice) = talk(api, 31);
        let mut side = Talk::new(api, &mut dice);
        side.tools = vec![tool(&mut dice, "title")];
        let next = main.next(&mut dice);
        let mut edited = next.clone();
        edited.said[0] = Said::User("Something else?".into());
        let first = [Sent::new(main, 0), Sent::new(side, 10)];
        let after = |talk: &Talk, at| {
            last(
                api,
                &first.iter().cloned().chain([Sent::new(talk.clone(), at)]).collect::<Vec<_>>(),
            )
        };
        let found = after(&next, 60);
        assert_eq!((found.cause, found.compared_with), (Cause::Appended, Some(0)), "{api:?}");
        let found = after(&edited, 60);
        assert_eq!(
            (found.cause, found.compared_with),
            (Cause::MessagesChanged, Some(0)),
            "{api:?}"
        );
        let found = after(&next, 2_400);
        let expected = if api == Api::Gemini { Cause::Unknown } else { Cause::Expired };
        assert_eq!((found.cause, found.region), (expected, Region::Time), "{api:?}");
    }
}

#[test]
fn a_conversation_continues_after_many_side_requests() {
    let (main, mut dice) = talk(Api::Chat, 32);
    let next = main.next(&mut dice);
    let mut sent = vec![Sent::new(main, 0)];
    for at in 1..14 {
        let mut side = Talk::new(Api::Chat, &mut dice);
        side.tools.truncate(1);
        side.said = vec![Said::User(format!("Title {at}?"))];
        sent.push(Sent::new(side, at * 5));
    }
    sent.push(Sent::new(next, 90));
    let found = last(Api::Chat, &sent);
    assert_eq!((found.cause, found.compared_with), (Cause::Appended, Some(0)));
    assert!(found.expected.read > 4_000);
}

#[test]
fn a_mark_that_moves_forward_changes_nothing() {
    let (mut talk, mut dice) = talk(Api::Anthropic, 33);
    let mut sent = Vec::new();
    for at in 0..6 {
        talk.marks = if at % 2 == 0 { Marks::Last } else { Marks::Both };
        sent.push(Sent::new(talk.clone(), at * 60));
        talk = talk.next(&mut dice);
    }
    for request in &explain_all(Api::Anthropic, &sent).requests[1..] {
        assert_eq!((request.cause, request.sure, request.lost_tokens), (Cause::Appended, true, 0));
    }
}

#[test]
fn a_long_lifetime_outlives_a_short_one() {
    let (talk, mut dice) = talk(Api::Anthropic, 34);
    // the system prompt for 1 hour, the messages for 5 minutes
    let body = |talk: &Talk| {
        let text = talk.body(Api::Anthropic).to_string();
        let short = r#""cache_control":{"type":"ephemeral"}"#;
        let long = r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#;
        Json::parse(&text.replacen(short, long, 1)).unwrap()
    };
    let at = |minutes: u64| format!("2026-11-18T10:{minutes:02}:00Z");
    let next = talk.next(&mut dice);
    let requests = vec![
        json!({"body": body(&talk), "at": at(0), "first_token_at": at(0)}),
        json!({"body": body(&next), "at": at(10), "first_token_at": at(10)}),
    ];
    let second = &explain("anthropic", requests).unwrap().requests[1];
    assert_eq!((second.cause, second.sure), (Cause::Expired, true));
    assert_eq!((second.at.found, second.at.limit), (Some(600), Some(300)));
    assert!(second.expected.read > 4_000, "the system prompt is still read");
    assert!(second.expected.write_1h.is_some() && second.expected.write > 0);
}

#[test]
fn an_entry_that_is_out_of_reach_and_expired_has_both_causes() {
    let (first, _) = talk(Api::Anthropic, 35);
    let mut second = first.clone();
    for at in 0..30 {
        second.said.push(Said::Assistant(format!("Step {at}.")));
        second.said.push(Said::User(format!("Go on {at}.")));
    }
    let mut sent = [Sent::new(first, 0), Sent::new(second, 400)];
    sent.iter_mut().for_each(|sent| sent.talk.marks = Marks::Last);
    let found = last(Api::Anthropic, &sent);
    assert_eq!(found.cause, Cause::LookbackExceeded);
    assert_eq!(found.also[0].cause, Cause::Expired);
}

#[test]
fn without_times_nothing_is_blamed_on_time() {
    for api in Api::ALL {
        let (talk, mut dice) = talk(api, 36);
        let (first, second) = (talk.body(api), talk.next(&mut dice).body(api));
        let model = talk.model.as_str();
        let usage = |cached: u64| match api {
            Api::Anthropic => json!({"input_tokens": 3, "cache_read_input_tokens": cached,
                "cache_creation_input_tokens": 12_000 - cached}),
            Api::Chat => {
                json!({"prompt_tokens": 12_003, "prompt_tokens_details": {"cached_tokens": cached}})
            }
            Api::Responses => {
                json!({"input_tokens": 12_003, "input_tokens_details": {"cached_tokens": cached}})
            }
            Api::Gemini => json!({"promptTokenCount": 12_003, "cachedContentTokenCount": cached}),
        };
        let sent = |usages: [Option<Json>; 2]| {
            let bodies = [first.clone(), second.clone()];
            let requests = bodies.into_iter().zip(usages).map(|(body, usage)| match usage {
                Some(usage) => json!({"body": body, "model": model, "usage": usage}),
                None => json!({"body": body, "model": model}),
            });
            explain(api.name(), requests.collect()).unwrap().requests[1].clone()
        };
        let found = sent([Some(usage(0)), Some(usage(0))]);
        assert_eq!((found.cause, found.sure), (Cause::Unknown, false), "{api:?}: {found:?}");
        let found = sent([None, None]);
        assert_eq!((found.cause, found.sure), (Cause::Appended, false), "{api:?}");
        assert_eq!(found.ttl.left_seconds, None);
        // a read is shown by the usage alone
        let found = sent([Some(usage(0)), Some(usage(11_500))]);
        assert_eq!((found.cause, found.sure), (Cause::Appended, true), "{api:?}: {found:?}");
    }
}

#[test]
fn a_usage_that_a_change_excludes_is_not_explained_by_it() {
    let (talk, mut dice) = talk(Api::Anthropic, 37);
    let mut second = talk.next(&mut dice);
    second.tools.reverse();
    let mut sent = [Sent::new(talk, 0), Sent::new(second, 60)];
    sent[0].usage = Some([0, 12_000, 3]);
    sent[1].usage = Some([12_000, 80, 3]);
    let found = last(Api::Anthropic, &sent);
    assert_eq!((found.cause, found.sure, found.lost_tokens), (Cause::Unknown, false, 0));
    assert!(found.reason.unwrap().contains("exclude"));
}

#[test]
fn a_change_after_all_that_was_cached_loses_nothing() {
    let (talk, mut dice) = talk(Api::Anthropic, 44);
    let mut other = talk.next(&mut dice);
    other.said[1] = Said::Assistant("Another answer.".into());
    let mut sent = [Sent::new(talk, 0), Sent::new(other, 60)];
    sent.iter_mut().for_each(|sent| sent.talk.marks = Marks::System);
    sent[0].usage = Some([0, 9_000, 400]);
    sent[1].usage = Some([9_000, 0, 450]);
    let found = last(Api::Anthropic, &sent);
    assert_eq!((found.cause, found.sure, found.lost_tokens), (Cause::Appended, true, 0));
}

#[test]
fn diagnostics_show_what_the_log_lacks() {
    let (talk, mut dice) = talk(Api::Anthropic, 38);
    let mut second = talk.next(&mut dice);
    second.said[0] = Said::User("Something else?".into());
    let mut sent = [Sent::new(talk, 0), Sent::new(second, 60)];
    let diagnostics = json!({"cache_miss_reason": {"type": "system_changed"}});
    sent[1].more = vec![("diagnostics", diagnostics)];
    // whole bodies show the cause themselves
    assert_eq!(last(Api::Anthropic, &sent).cause, Cause::MessagesChanged);
    for sent in &mut sent {
        sent.more.push(("lacks", json!(["system"])));
    }
    let found = last(Api::Anthropic, &sent);
    assert_eq!((found.cause, found.sure), (Cause::SystemChanged, true));
    assert_eq!(found.also[0].cause, Cause::MessagesChanged);
    // a pause comes after a change of content
    let mut sent = [sent[0].clone(), sent[0].clone()];
    sent[1].at = 900_000;
    sent[1].more =
        vec![("diagnostics", json!({"cache_miss_reason": {"type": "messages_changed"}}))];
    assert_eq!(last(Api::Anthropic, &sent).cause, Cause::MessagesChanged);
    for silent in ["previous_message_not_found", "unavailable"] {
        sent[1].more = vec![("diagnostics", json!({"cache_miss_reason": {"type": silent}}))];
        assert_eq!(last(Api::Anthropic, &sent).cause, Cause::Expired, "{silent}");
    }
    // the diagnostics of OpenAI
    let (talk, mut dice) = self::talk(Api::Responses, 38);
    let mut sent = [Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
    for (reason, cause) in [
        ("model_changed", Cause::ModelChanged),
        ("prompt_cache_key_changed", Cause::PromptCacheKeyChanged),
        ("service_tier_changed", Cause::ServiceTierChanged),
        ("tools_changed", Cause::ToolsChanged),
        ("text_format_changed", Cause::TextFormatChanged),
        ("reasoning_effort_changed", Cause::ReasoningEffortChanged),
        ("verbosity_changed", Cause::VerbosityChanged),
        ("context_compacted", Cause::ContextCompacted),
        ("input_changed", Cause::MessagesChanged),
    ] {
        let own = json!({"prompt_cache_diagnostics": {"type": "cache_miss", "reason": reason}});
        sent[1].more = vec![("diagnostics", own)];
        assert_eq!(last(Api::Responses, &sent).cause, cause);
    }
    let hit = json!({"prompt_cache_diagnostics": {"type": "cache_hit"}});
    sent[1].more = vec![("diagnostics", hit)];
    let found = last(Api::Responses, &sent);
    assert_eq!((found.cause, found.sure), (Cause::Appended, true));
}

#[test]
fn a_region_that_one_log_lacks_is_not_a_change() {
    let (talk, mut dice) = talk(Api::Anthropic, 39);
    let mut second = talk.next(&mut dice);
    second.tools.clear();
    let mut sent = [Sent::new(talk, 0), Sent::new(second, 60)];
    sent[1].more = vec![("lacks", json!(["tools"]))];
    let found = last(Api::Anthropic, &sent);
    assert!(!matches!(found.cause, Cause::ToolsChanged), "{found:?}");
    assert!(!found.sure && found.also.is_empty());
    // a log without settings does not have all marks
    let (mut talk, mut dice) = self::talk(Api::Anthropic, 39);
    talk.marks = Marks::None;
    let mut sent = [Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
    sent.iter_mut().for_each(|sent| sent.more = vec![("lacks", json!(["settings"]))]);
    let found = last(Api::Anthropic, &sent);
    assert_eq!(found.cause, Cause::Unknown);
    assert_eq!(found.reason.as_deref(), Some("the log does not have: settings"));
}

#[test]
fn rules_of_platforms() {
    let words = "Answer briefly. ".repeat(900);
    let nova = |points: [bool; 2]| {
        let point = json!({"cachePoint": {"type": "default"}});
        let mut tools = vec![json!({"toolSpec": {"name": "find", "inputSchema": {"json": {}}}})];
        let mut system = vec![json!({"text": words.as_str()})];
        for (list, has) in [&mut tools, &mut system].into_iter().zip(points) {
            list.extend(has.then(|| point.clone()));
        }
        json!({"body": {"modelId": "amazon.nova-pro-v1:0", "toolConfig": {"tools": Json::Array(tools)},
            "system": Json::Array(system), "messages": [{"role": "user", "content": [{"text": "Hi"}]}]}})
    };
    let causes = |points| {
        let answer = explain("bedrock", vec![nova(points), nova(points)]).unwrap();
        (answer.requests[1].cause, answer.requests[1].sure)
    };
    // tools of Nova have no points; Nova also caches without points
    assert_eq!(causes([true, false]), (Cause::NoBreakpoint, false));
    assert_eq!(causes([false, true]), (Cause::Appended, false));

    // one model under the ids of two platforms
    let (mut talk, mut dice) = talk(Api::Anthropic, 40);
    talk.model = "claude-opus-5-5".into();
    let mut other = talk.next(&mut dice);
    other.model = "us.anthropic.claude-opus-5-5-v1:0".into();
    let found = &two(Api::Anthropic, talk, other).requests[1];
    assert_eq!((found.cause, found.rule), (Cause::ScopeChanged, "A13"));

    // Google Cloud has its own minimum
    let (mut talk, mut dice) = self::talk(Api::Gemini, 40);
    talk.system = prose(&mut dice, 4_700);
    talk.said.truncate(1);
    talk.tools.clear();
    let mut sent = [Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
    assert_eq!(last(Api::Gemini, &sent).cause, Cause::Appended);
    sent.iter_mut().for_each(|sent| sent.more = vec![("surface", "vertex".into())]);
    let found = last(Api::Gemini, &sent);
    assert_eq!(
        (found.cause, found.at.limit, found.sure),
        (Cause::BelowMinimum, Some(6_144), false)
    );
}

#[test]
fn unknown_models_and_parameters_have_no_invented_rule() {
    let (mut talk, mut dice) = talk(Api::Chat, 41);
    talk.model = "my-deployment".into();
    let found = &two(Api::Chat, talk.clone(), talk.next(&mut dice)).requests[1];
    assert_eq!((found.cause, found.expected.read), (Cause::Unknown, 0));
    // a change of content is a change at every model of OpenAI
    let mut other = talk.next(&mut dice);
    other.system.push('!');
    assert_eq!(two(Api::Chat, talk, other).requests[1].cause, Cause::SystemChanged);

    let chat = |provider: &str, more: &str, value: Json| {
        let (talk, mut dice) = self::talk(Api::Chat, 41);
        let mut next = talk.next(&mut dice);
        next.more
            .push((if more == "tool_choice" { "tool_choice" } else { "response_format" }, value));
        let model = if provider == "mistral" { "mistral-large" } else { "deepseek-v4-pro" };
        let requests = [talk, next].map(|mut talk| {
            talk.model = model.into();
            json!({"body": talk.body(Api::Chat)})
        });
        explain(provider, requests.to_vec()).unwrap().requests[1].clone()
    };
    for provider in ["mistral", "deepseek"] {
        for (key, value) in [
            ("tool_choice", Json::from("required")),
            ("response_format", json!({"type": "json_object"})),
        ] {
            let found = chat(provider, key, value);
            assert_eq!((found.cause, found.sure), (Cause::Unknown, false), "{provider} {key}");
            assert!(found.reason.unwrap().contains("document"));
        }
    }
    // a parameter of a model on Bedrock that is neither thinking nor effort
    let (talk, mut dice) = self::talk(Api::Anthropic, 41);
    let mut next = talk.next(&mut dice);
    next.more.push(("additionalModelRequestFields", json!({"top_k": 5})));
    let requests = [talk, next].map(|mut talk| {
        talk.model = "us.anthropic.claude-opus-5-5-v1:0".into();
        json!({"body": talk.bedrock()})
    });
    let found = &explain("bedrock", requests.to_vec()).unwrap().requests[1];
    assert_eq!(found.cause, Cause::Unknown, "{found:?}");
}

#[test]
fn stored_conversations_and_prompts_are_not_compared() {
    let body = |more: (&str, Json), text: &str| {
        let mut body = json!({"model": "gpt-5.6-sol", "instructions": "Be brief. ".repeat(900),
            "input": [{"role": "user", "content": text}]});
        if let Json::Object(body) = &mut body {
            body.insert(more.0.into(), more.1);
        }
        body
    };
    let second = |requests: [Json; 2]| {
        explain("openai_responses", requests.to_vec()).unwrap().requests[1].clone()
    };
    let kept = |text| json!({"body": body(("conversation", "conv_1".into()), text)});
    let found = second([kept("One?"), kept("Two?")]);
    assert_eq!((found.cause, found.sure), (Cause::Appended, false), "{found:?}");
    let other = json!({"body": body(("conversation", json!({"id": "conv_2"})), "Two?")});
    assert_eq!(second([kept("One?"), other]).cause, Cause::Unknown);
    let stored = |version: &str| {
        let prompt = json!({"id": "pmpt_1", "version": version});
        json!({"body": body(("prompt", prompt), "One?")})
    };
    assert_eq!(second([stored("1"), stored("2")]).cause, Cause::Unknown);
    assert_eq!(second([stored("1"), stored("1")]).cause, Cause::Appended);
}

#[test]
fn the_most_expensive_cause_is_first() {
    let (talk, mut dice) = talk(Api::Anthropic, 42);
    let mut second = talk.next(&mut dice);
    second.system.push('!');
    let mut third = second.next(&mut dice);
    third.said[0] = Said::User("Something else?".into());
    let sent = [Sent::new(talk, 0), Sent::new(second, 60), Sent::new(third, 120)];
    let summary = explain_all(Api::Anthropic, &sent).summary;
    let causes: Vec<Cause> = summary.causes.iter().map(|total| total.cause).collect();
    assert_eq!(causes, [Cause::SystemChanged, Cause::MessagesChanged]);
    assert!(summary.causes[0].lost_price > summary.causes[1].lost_price);
    assert!(summary.causes[0].fix.as_ref().unwrap().contains("system message"));
    let lost: f64 = summary.causes.iter().filter_map(|total| total.lost_price).sum();
    assert!((summary.lost_price.unwrap() - lost).abs() < 1e-9);
    let (tokens, money) = (summary.hit_rate, summary.money_hit_rate.unwrap());
    assert!(tokens > 0.0 && tokens < 1.0 && money > 0.0 && money < 1.0, "{tokens} {money}");
}

#[test]
fn every_fact_has_a_source_and_a_date() {
    let ids = (1..=15).map(|at| format!("A{at}"));
    let ids = ids.chain((1..=11).map(|at| format!("O{at}")));
    for id in ids.chain(["G1", "G2", "B1", "M1", "D1"].map(str::to_owned)) {
        let fact = fact(&id).unwrap_or_else(|| panic!("{id} is missing"));
        assert!(fact.source.contains('.') && fact.seen.starts_with("2026"), "{id}");
        assert!(fact.text.ends_with('.'), "{id}");
    }
    for (provider, model) in [
        ("anthropic", "claude-opus-5-5"),
        ("openai_chat", "gpt-5.6"),
        ("gemini", "gemini-3.8-flash"),
        ("bedrock", "amazon.nova-pro-v1:0"),
        ("mistral", "mistral-large"),
        ("deepseek", "deepseek-v4-pro"),
    ] {
        assert!(fact(CacheRules::of(provider, Some(model)).rule).is_some(), "{provider}");
    }
}

#[test]
fn prices_are_those_of_the_model() {
    let of = |provider, model| {
        let rules = CacheRules::of(provider, Some(model));
        (rules.read, rules.write, rules.write_1h)
    };
    for (provider, model, read, write, write_1h) in [
        ("anthropic", "claude-opus-5-5", Some(0.05), Some(1.25), Some(2.0)),
        ("anthropic", "claude-sonnet-5-5", Some(0.05), Some(1.25), Some(2.0)),
        ("anthropic", "claude-fable-5-1", Some(0.025), Some(1.25), Some(2.0)),
        ("anthropic", "claude-mythos-5-1", Some(0.025), Some(1.25), Some(2.0)),
        ("anthropic", "claude-opus-4-5", Some(0.1), Some(1.25), Some(2.0)),
        ("openai_chat", "gpt-6-astra", Some(0.1), Some(1.25), None),
        ("openai_chat", "gpt-5", Some(0.1), Some(1.0), None),
        ("openai_chat", "gpt-4.1-mini", Some(0.25), Some(1.0), None),
        ("openai_chat", "gpt-4o", Some(0.5), Some(1.0), None),
        ("gemini", "gemini-4-argon", Some(0.05), Some(1.0), None),
        ("gemini", "gemini-2.5-flash", Some(0.1), Some(1.0), None),
        ("mistral", "mistral-large", Some(0.1), Some(1.0), None),
    ] {
        assert_eq!(of(provider, model), (read, write, write_1h), "{model}");
    }
    let above = |provider, model| {
        let rules = CacheRules::of(provider, Some(model));
        rules.threshold.zip(rules.threshold_times)
    };
    assert_eq!(above("anthropic", "claude-haiku-5-5"), Some((100_000, 5.0)));
    assert_eq!(above("openai_chat", "gpt-5.6"), Some((272_000, 2.0)));
    assert_eq!(above("openai_chat", "gpt-6-astra"), Some((272_000, 2.0)));
    assert_eq!(above("openai_chat", "gpt-6.1-sol"), None);
    assert_eq!(above("anthropic", "claude-opus-5-5"), None);
}

#[test]
fn the_marks_of_a_strategy_keep_every_prefix() {
    for (name, provider, model, strategy) in [
        ("anthropic", Provider::Anthropic, "claude-opus-5-5", CacheStrategy::Auto),
        ("anthropic", Provider::Anthropic, "claude-opus-5-5", CacheStrategy::System),
        ("bedrock", Provider::Bedrock, "us.anthropic.claude-opus-5-5-v1:0", CacheStrategy::Auto),
        ("openai_chat", Provider::OpenaiChat, "gpt-5.6-sol", CacheStrategy::Auto),
    ] {
        let mut dice = Dice::of(43);
        let rules = prose(&mut dice, 1_500);
        let mut list = vec![Message::system(rules.as_str())];
        let mut requests = Vec::new();
        let cache = CachePlan { strategy, ttl: Some(CacheLifetime::Hour) };
        let options = Options { cache: Some(cache), ..Options::model(model) };
        for at in 0..40_u64 {
            list.push(Message::user(format!("Question {at}: {}", prose(&mut dice, 9))));
            let prompt = Prompt::new(list.clone());
            let body = payload(&prompt, provider, &options).unwrap().body().clone();
            let text = body.to_string();
            let marks = text.matches("cache_control").count() + text.matches("cachePoint").count();
            assert!(marks <= 4, "{marks} marks on {name}");
            requests.push(json!({"body": body, "model": model, "at": at * 60_000}));
            list.push(Message::assistant(format!("Answer {at}.")));
        }
        for request in &explain(name, requests).unwrap().requests[1..] {
            assert_eq!(
                (request.cause, request.lost_tokens),
                (Cause::Appended, 0),
                "{name} {request:?}"
            );
        }
    }
}
