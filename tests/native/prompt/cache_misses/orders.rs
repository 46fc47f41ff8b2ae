//! Two causes at once, for each provider. The first in the order of the provider is the cause; the
//! other one is listed after it.

use super::talk::{Api, Said, Talk};
use super::{Dice, explain, times};
use tuckbox::prompt::cache::{Cause, Region, RequestCache};
use tuckbox::value::json::{Json, Object};
use tuckbox::{Timestamp, json};

/// A provider with a model, and another model.
#[derive(Clone, Copy, Debug)]
struct Target {
    provider: &'static str,
    model: &'static str,
    other: &'static str,
    api: Option<Api>,
}

const fn target(
    provider: &'static str,
    model: &'static str,
    other: &'static str,
    api: Option<Api>,
) -> Target {
    Target { provider, model, other, api }
}

const TARGETS: [Target; 9] = [
    target("anthropic", "claude-opus-5-5", "claude-sonnet-5-5", Some(Api::Anthropic)),
    target("openai_chat", "gpt-5.6-sol", "gpt-6-sol", Some(Api::Chat)),
    target("openai_chat", "gpt-4.1", "gpt-5.4", Some(Api::Chat)),
    target("openai_responses", "gpt-6.1-sol", "gpt-6-luna", Some(Api::Responses)),
    target("openai_responses", "gpt-5.5", "gpt-5.4-mini", Some(Api::Responses)),
    target("gemini", "gemini-3.8-flash", "gemini-2.5-pro", Some(Api::Gemini)),
    target("mistral", "mistral-large-latest", "codestral-latest", Some(Api::Chat)),
    target("deepseek", "deepseek-v4-pro", "deepseek-v4-flash", Some(Api::Chat)),
    target(
        "bedrock",
        "us.anthropic.claude-opus-5-5-v1:0",
        "us.anthropic.claude-opus-4-8-v1:0",
        None,
    ),
];

/// A request as it is sent.
struct Request {
    talk: Talk,
    at: i64,
    first_token_after: i64,
    more: Vec<(&'static str, Json)>,
}

impl Request {
    fn json(&self, target: Target) -> Json {
        let time = |millis: i64| Json::from(Timestamp::from_millis(1_790_000_000_000 + millis));
        let mut request = Object::new();
        let body = match target.api {
            Some(api) => self.talk.body(api),
            None => self.talk.bedrock(),
        };
        request.insert("body".into(), body);
        request.insert("model".into(), self.talk.model.as_str().into());
        request.insert("at".into(), time(self.at));
        request.insert("first_token_at".into(), time(self.at + self.first_token_after));
        for (key, value) in &self.more {
            request.insert((*key).to_owned(), value.clone());
        }
        Json::Object(request)
    }
}

/// A change, in the order in which providers evaluate them.
struct Change {
    name: &'static str,
    cause: Cause,
    region: Region,
    /// Changes the second request. Returns false if the provider does not have it.
    plant: fn(Target, &mut [Request; 2]) -> bool,
}

fn is_openai(target: Target) -> bool {
    target.provider.starts_with("openai")
}

fn is_claude(target: Target) -> bool {
    matches!(target.provider, "anthropic" | "bedrock")
}

/// Sets a parameter of OpenAI that the two APIs write in different places.
fn set(
    target: Target,
    sent: &mut [Request; 2],
    chat: (&'static str, Json),
    of: (&'static str, Json),
) -> bool {
    let own = if target.api == Some(Api::Chat) { chat } else { of };
    // `text` has two parameters
    let merged = sent[1].talk.more.iter_mut().find(|(key, _)| *key == own.0);
    match (merged, own) {
        (Some((_, Json::Object(known))), (_, Json::Object(more))) => known.extend(more),
        (_, own) => sent[1].talk.more.push(own),
    }
    is_openai(target)
}

const CHANGES: [Change; 15] = [
    Change {
        name: "scope",
        cause: Cause::ScopeChanged,
        region: Region::Request,
        plant: |_, sent| {
            sent[0].more.push(("scope", "a".into()));
            sent[1].more.push(("scope", "b".into()));
            true
        },
    },
    Change {
        name: "model",
        cause: Cause::ModelChanged,
        region: Region::Request,
        plant: |target, sent| {
            sent[1].talk.model = target.other.into();
            true
        },
    },
    Change {
        name: "tier",
        cause: Cause::ServiceTierChanged,
        region: Region::Request,
        plant: |target, sent| {
            set(target, sent, ("service_tier", "flex".into()), ("service_tier", "flex".into()))
        },
    },
    Change {
        name: "key",
        cause: Cause::PromptCacheKeyChanged,
        region: Region::Request,
        plant: |target, sent| {
            set(target, sent, ("prompt_cache_key", "k2".into()), ("prompt_cache_key", "k2".into()))
                || target.provider == "mistral"
        },
    },
    Change {
        name: "tools",
        cause: Cause::ToolsChanged,
        region: Region::Tools,
        plant: |_, sent| {
            sent[1].talk.tools[1].description.push_str(" Now.");
            true
        },
    },
    Change {
        name: "effort of OpenAI",
        cause: Cause::ReasoningEffortChanged,
        region: Region::Request,
        plant: |target, sent| {
            set(
                target,
                sent,
                ("reasoning_effort", "high".into()),
                ("reasoning", json!({"effort": "high"})),
            )
        },
    },
    Change {
        name: "format",
        cause: Cause::TextFormatChanged,
        region: Region::Request,
        plant: |target, sent| {
            let format = json!({"type": "json_object"});
            set(
                target,
                sent,
                ("response_format", format.clone()),
                ("text", json!({"format": format})),
            )
        },
    },
    Change {
        name: "verbosity",
        cause: Cause::VerbosityChanged,
        region: Region::Request,
        plant: |target, sent| {
            set(target, sent, ("verbosity", "low".into()), ("text", json!({"verbosity": "low"})))
        },
    },
    Change {
        name: "parallel calls",
        cause: Cause::ParallelToolCallsChanged,
        region: Region::Request,
        plant: |target, sent| {
            set(
                target,
                sent,
                ("parallel_tool_calls", false.into()),
                ("parallel_tool_calls", false.into()),
            )
        },
    },
    Change {
        name: "system",
        cause: Cause::SystemChanged,
        region: Region::System,
        plant: |_, sent| {
            sent[1].talk.system.insert_str(12, "kindly ");
            true
        },
    },
    Change {
        name: "tool choice",
        cause: Cause::ToolChoiceChanged,
        region: Region::Messages,
        plant: |target, sent| {
            if target.provider == "bedrock" {
                let body = sent[1].talk.bedrock();
                let tools =
                    body.get("toolConfig").and_then(|config| config.get("tools")).unwrap().clone();
                sent[1]
                    .talk
                    .more
                    .push(("toolConfig", json!({"tools": tools, "toolChoice": {"any": {}}})));
            } else {
                sent[1].talk.more.push(("tool_choice", json!({"type": "any"})));
            }
            is_claude(target)
        },
    },
    Change {
        name: "thinking",
        cause: Cause::EffortChanged,
        region: Region::Messages,
        plant: |target, sent| {
            let thinking = json!({"type": "enabled", "budget_tokens": 2_000});
            sent[1].talk.more.push(match target.provider {
                "bedrock" => ("additionalModelRequestFields", json!({"thinking": thinking})),
                _ => ("thinking", thinking),
            });
            is_claude(target)
        },
    },
    Change {
        name: "image",
        cause: Cause::ImagesChanged,
        region: Region::Messages,
        plant: |target, sent| {
            sent[1].talk.said.push(Said::Picture("iVBORw0KGgo=".into()));
            is_claude(target)
        },
    },
    Change {
        name: "message",
        cause: Cause::MessagesChanged,
        region: Region::Messages,
        plant: |_, sent| {
            sent[1].talk.said[0] = Said::User("Something else?".into());
            true
        },
    },
    Change {
        name: "pause",
        cause: Cause::Expired,
        region: Region::Time,
        plant: |target, sent| {
            sent[1].at = 4_000_000;
            !matches!(target.provider, "gemini" | "mistral")
        },
    },
];

/// Explains a conversation of two requests with these changes.
fn second(target: Target, changes: &[&Change]) -> Option<RequestCache> {
    let mut dice = Dice::of(21);
    let mut first = Talk::new(target.api.unwrap_or(Api::Anthropic), &mut dice);
    first.model = target.model.into();
    // the minimum of Gemini is larger
    if target.provider != "gemini" {
        first.system.truncate(14_000);
    }
    let next = first.next(&mut dice);
    let request = |talk, at| Request { talk, at, first_token_after: 2_000, more: Vec::new() };
    let mut sent = [request(first, 0), request(next, 60_000)];
    // the choice of a tool writes the tools again, so it comes last
    let mut order: Vec<_> = changes.iter().collect();
    order.sort_by_key(|change| change.name == "tool choice");
    if !order.into_iter().all(|change| (change.plant)(target, &mut sent)) {
        return None;
    }
    let requests = sent.iter().map(|request| request.json(target)).collect();
    let answer = explain(target.provider, requests).unwrap();
    answer.requests.last().cloned()
}

#[test]
fn each_cause_alone_has_its_name_at_each_provider() {
    let (mut cases, stride) = (0, times(3, 1) as usize);
    for (nth, target) in TARGETS.into_iter().enumerate() {
        for change in CHANGES.iter().skip(nth % stride).step_by(stride) {
            let Some(second) = second(target, &[change]) else { continue };
            cases += 1;
            let name = format!("{} on {target:?}: {second:?}", change.name);
            assert_eq!((second.cause, second.region), (change.cause, change.region), "{name}");
            assert!(second.also.is_empty(), "{name}");
            let documented = !matches!(target.provider, "gemini" | "mistral");
            assert!(documented || !second.sure, "{name}");
            assert!(second.fix.is_some() && !second.rule.is_empty(), "{name}");
        }
        assert_eq!(second(target, &[]).unwrap().cause, Cause::Appended, "{target:?}");
    }
    assert!(cases * stride >= 70, "{cases} cases");
}

#[test]
fn of_two_causes_the_first_is_named_and_the_other_listed() {
    let (mut cases, mut number, stride) = (0, 0, times(7, 1));
    for target in TARGETS {
        for (at, one) in CHANGES.iter().enumerate() {
            for other in CHANGES.iter().skip(at + 1) {
                number += 1;
                if number % stride > 0 {
                    continue;
                }
                let Some(second) = second(target, &[one, other]) else { continue };
                cases += 1;
                let name = format!("{} and {} on {target:?}: {second:?}", one.name, other.name);
                assert_eq!((second.cause, second.region), (one.cause, one.region), "{name}");
                let also: Vec<Cause> = second.also.iter().map(|also| also.cause).collect();
                assert_eq!(also, [other.cause], "{name}");
            }
        }
    }
    assert!(cases * stride >= 300, "{cases} cases");
}

#[test]
fn a_request_during_the_first_answer_is_named_after_the_changes() {
    for target in TARGETS.into_iter().filter(|target| target.provider != "gemini") {
        let pause = Change {
            name: "during the answer",
            cause: Cause::NotYetWritten,
            region: Region::Time,
            plant: |_, sent| {
                sent[1].at = 1_000;
                sent[0].first_token_after = 5_000;
                true
            },
        };
        let alone = second(target, &[&pause]).unwrap();
        assert_eq!((alone.cause, alone.sure), (pause.cause, is_claude(target)), "{target:?}");
        let both = second(target, &[&CHANGES[9], &pause]).unwrap();
        assert_eq!((both.cause, both.also[0].cause), (Cause::SystemChanged, pause.cause));
    }
}
