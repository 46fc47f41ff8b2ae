//! The kinds of planted misses.

use super::talk::{Api, Marks, Said, Sent, Talk, prose, tool};
use crate::property::Dice;
use tuckbox::json;
use tuckbox::prompt::cache::{Cause, Region};

/// A session whose last request has a known cause.
pub struct Planted {
    pub sent: Vec<Sent>,
    pub cause: Cause,
    pub region: Region,
}

pub struct Kind {
    pub name: &'static str,
    /// Plants the miss. Returns nothing if it does not exist in the API.
    pub plant: fn(Api, &mut Dice) -> Option<Planted>,
}

macro_rules! kinds {
    ($($name:literal => |$api:ident, $dice:ident| $plant:expr;)*) => {
        pub const KINDS: &[Kind] = &[$(Kind { name: $name, plant: |$api, $dice| $plant },)*];
    };
}

/// Plants a session of two requests with a change in the second.
fn pair(
    api: Api,
    dice: &mut Dice,
    cause: Cause,
    region: Region,
    change: impl FnOnce(&mut Talk, &mut Dice),
) -> Option<Planted> {
    let first = Talk::new(api, dice);
    let mut second = first.next(dice);
    change(&mut second, dice);
    Some(Planted { sent: vec![Sent::new(first, 0), Sent::new(second, 60)], cause, region })
}

/// Plants a session of two requests and changes how they are sent.
fn sent(
    api: Api,
    dice: &mut Dice,
    cause: Cause,
    region: Region,
    change: impl FnOnce(&mut [Sent; 2]),
) -> Option<Planted> {
    let first = Talk::new(api, dice);
    let second = first.next(dice);
    let mut sent = [Sent::new(first, 0), Sent::new(second, 60)];
    change(&mut sent);
    Some(Planted { sent: sent.into(), cause, region })
}

/// Plants a session whose system prompt has a value that changes.
fn volatile(api: Api, dice: &mut Dice, values: [&str; 2]) -> Option<Planted> {
    let mut first = Talk::new(api, dice);
    let mut second = first.next(dice);
    first.system.push_str(&format!(" Session {}.", values[0]));
    second.system.push_str(&format!(" Session {}.", values[1]));
    let sent = vec![Sent::new(first, 0), Sent::new(second, 60)];
    Some(Planted { sent, cause: Cause::SystemChanged, region: Region::System })
}

/// Plants a change of an OpenAI parameter that invalidates the whole cache.
fn setting(
    api: Api,
    dice: &mut Dice,
    cause: Cause,
    chat: (&'static str, tuckbox::Json),
    responses: (&'static str, tuckbox::Json),
) -> Option<Planted> {
    let value = match api {
        Api::Chat => chat,
        Api::Responses => responses,
        Api::Anthropic | Api::Gemini => return None,
    };
    pair(api, dice, cause, Region::Request, |talk, _| talk.more.push(value))
}

fn only(of: Api, api: Api) -> Option<()> {
    (of == api).then_some(())
}

use Cause::*;

kinds! {
    "model" => |api, dice| pair(api, dice, ModelChanged, Region::Request, |talk, _| talk.model = api.other_model().into());
    "tool added first" => |api, dice| pair(api, dice, ToolsChanged, Region::Tools, |talk, dice| talk.tools.insert(0, tool(dice, "new_tool")));
    "tool added last" => |api, dice| pair(api, dice, ToolsChanged, Region::Tools, |talk, dice| talk.tools.push(tool(dice, "new_tool")));
    "tool removed" => |api, dice| pair(api, dice, ToolsChanged, Region::Tools, |talk, _| drop(talk.tools.remove(1)));
    "tools reordered" => |api, dice| pair(api, dice, ToolsChanged, Region::Tools, |talk, _| talk.tools.reverse());
    "tool text" => |api, dice| pair(api, dice, ToolsChanged, Region::Tools, |talk, _| talk.tools[0].description.push('!'));
    "tool schema" => |api, dice| pair(api, dice, ToolsChanged, Region::Tools, |talk, _| {
        talk.tools[2].schema = json!({"type": "object", "properties": {}});
    });
    "key order of a schema" => |api, dice| pair(api, dice, ToolsChanged, Region::Tools, |talk, _| {
        let mut pairs: Vec<_> = talk.tools[1].schema.as_object().unwrap().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        pairs.reverse();
        talk.tools[1].schema = tuckbox::Json::Object(pairs.into_iter().collect());
    });
    "system text" => |api, dice| pair(api, dice, SystemChanged, Region::System, |talk, dice| talk.system.insert_str(40, &prose(dice, 2)));
    "system at its end" => |api, dice| pair(api, dice, SystemChanged, Region::System, |talk, _| talk.system.push_str(" Be kind."));
    "date in the system prompt" => |api, dice| volatile(api, dice, ["2026-11-17", "2026-11-18"]);
    "time in the system prompt" => |api, dice| volatile(api, dice, ["10:31:22", "10:32:25"]);
    "uuid in the system prompt" => |api, dice| volatile(api, dice, ["0b6f3f0e-3a54-4c1d-9b0e-7f2a8a6f1c11", "11111111-3a54-4c1d-9b0e-7f2a8a6f1c12"]);
    "counter in the system prompt" => |api, dice| volatile(api, dice, ["17", "18"]);
    "message edited" => |api, dice| pair(api, dice, MessagesChanged, Region::Messages, |talk, _| talk.said[0] = Said::User("Something else?".into()));
    "message inserted" => |api, dice| pair(api, dice, MessagesChanged, Region::Messages, |talk, _| {
        talk.said.insert(0, Said::Assistant("Welcome.".into()));
        talk.said.insert(0, Said::User("Hello.".into()));
    });
    "message removed" => |api, dice| pair(api, dice, MessagesChanged, Region::Messages, |talk, _| drop(talk.said.remove(0)));
    "messages reordered" => |api, dice| pair(api, dice, MessagesChanged, Region::Messages, |talk, _| {
        let last = talk.said.len() - 3;
        talk.said.swap(0, last);
    });
    "oldest messages dropped" => |api, dice| pair(api, dice, MessagesChanged, Region::Messages, |talk, _| drop(talk.said.drain(..2)));
    "compaction" => |api, dice| pair(api, dice, ContextCompacted, Region::Messages, |talk, dice| {
        talk.said = vec![Said::User(format!("This session is continued from a previous conversation. Summary: {}", prose(dice, 60)))];
    });
    "compaction that keeps the end" => |api, dice| pair(api, dice, ContextCompacted, Region::Messages, |talk, dice| {
        let kept = talk.said.split_off(talk.said.len() - 3);
        talk.said = vec![Said::User(format!("Summary of the conversation so far: {}", prose(dice, 60)))];
        talk.said.extend(kept);
    });
    "appended" => |api, dice| pair(api, dice, Appended, Region::None, |_, _| {});
    "scope" => |api, dice| sent(api, dice, ScopeChanged, Region::Request, |sent| {
        sent[0].more.push(("scope", json!({"workspace": "a"})));
        sent[1].more.push(("scope", json!({"workspace": "b"})));
    });
    "below the minimum" => |api, dice| sent(api, dice, BelowMinimum, Region::Request, |sent| {
        for sent in sent.iter_mut() {
            sent.talk.system = "Be brief.".into();
            sent.talk.tools.truncate(1);
            sent.talk.said = vec![Said::User("Hello.".into())];
        }
        sent[1].talk.said.push(Said::Assistant("Yes.".into()));
        sent[1].talk.said.push(Said::User("Good.".into()));
    });
    "lifetime passed" => |api, dice| {
        let (cause, region) = if api == Api::Gemini { (Unknown, Region::Time) } else { (Expired, Region::Time) };
        sent(api, dice, cause, region, |sent| sent[1].at = 2_000_000)
    };
    "parallel request" => |api, dice| sent(api, dice, NotYetWritten, Region::Time, |sent| {
        sent[0].first_token_after = 5_000;
        sent[1].at = 1_000;
    });
    "requests that start together" => |api, dice| sent(api, dice, NotYetWritten, Region::Time, |sent| {
        sent[1].at = 0;
        sent.iter_mut().for_each(|sent| sent.first_token_after = -1);
    });
    "unexplained miss" => |api, dice| sent(api, dice, UnexplainedMiss, Region::None, |sent| {
        sent[0].usage = Some([0, if api == Api::Gemini { 0 } else { 12_000 }, 20]);
        sent[1].usage = Some([0, if api == Api::Gemini { 0 } else { 12_050 }, 20]);
        if api == Api::Gemini {
            sent[0].usage = Some([0, 0, 12_020]);
            sent[1].usage = Some([0, 0, 12_070]);
        }
    });
    "effort" => |api, dice| match api {
        Api::Anthropic => pair(api, dice, EffortChanged, Region::Messages, |talk, _| talk.more.push(("output_config", json!({"effort": "low"})))),
        Api::Gemini => pair(api, dice, Unknown, Region::None, |talk, _| talk.more.push(("generationConfig", json!({"thinkingConfig": {"thinkingLevel": "low"}})))),
        Api::Chat | Api::Responses => setting(api, dice, ReasoningEffortChanged, ("reasoning_effort", json!("high")), ("reasoning", json!({"effort": "high"}))),
    };
    "default effort" => |api, dice| {
        only(Api::Anthropic, api)?;
        pair(api, dice, Appended, Region::None, |talk, _| talk.more.push(("output_config", json!({"effort": "high"}))))
    };
    "thinking" => |api, dice| {
        only(Api::Anthropic, api)?;
        pair(api, dice, EffortChanged, Region::Messages, |talk, _| talk.more.push(("thinking", json!({"type": "enabled", "budget_tokens": 2000}))))
    };
    "text format" => |api, dice| setting(api, dice, TextFormatChanged, ("response_format", json!({"type": "json_object"})), ("text", json!({"format": {"type": "json_object"}})));
    "verbosity" => |api, dice| setting(api, dice, VerbosityChanged, ("verbosity", json!("low")), ("text", json!({"verbosity": "low"})));
    "parallel tool calls" => |api, dice| setting(api, dice, ParallelToolCallsChanged, ("parallel_tool_calls", json!(false)), ("parallel_tool_calls", json!(false)));
    "service tier" => |api, dice| setting(api, dice, ServiceTierChanged, ("service_tier", json!("flex")), ("service_tier", json!("flex")));
    "cache key" => |api, dice| setting(api, dice, PromptCacheKeyChanged, ("prompt_cache_key", json!("k2")), ("prompt_cache_key", json!("k2")));
    "tool choice" => |api, dice| match api {
        Api::Anthropic => pair(api, dice, ToolChoiceChanged, Region::Messages, |talk, _| talk.more.push(("tool_choice", json!({"type": "any"})))),
        Api::Gemini => pair(api, dice, Unknown, Region::None, |talk, _| talk.more.push(("toolConfig", json!({"functionCallingConfig": {"mode": "ANY"}})))),
        Api::Chat | Api::Responses => pair(api, dice, Appended, Region::None, |talk, _| talk.more.push(("tool_choice", json!("none")))),
    };
    "forced tool" => |api, dice| {
        let function = match api {
            Api::Chat => json!({"type": "function", "function": {"name": "search"}}),
            Api::Responses => json!({"type": "function", "name": "search"}),
            Api::Anthropic | Api::Gemini => return None,
        };
        pair(api, dice, Unknown, Region::None, |talk, _| talk.more.push(("tool_choice", function.clone())))
    };
    "speed" => |api, dice| {
        only(Api::Anthropic, api)?;
        pair(api, dice, SystemChanged, Region::System, |talk, _| talk.more.push(("speed", json!("fast"))))
    };
    "web search" => |api, dice| {
        only(Api::Anthropic, api)?;
        let first = Talk::new(api, dice);
        let mut second = first.next(dice);
        let body = second.body(api);
        let mut tools = body.get("tools").unwrap().as_array().unwrap().to_vec();
        tools.push(json!({"type": "web_search_20250305", "name": "web_search"}));
        second.more.push(("tools", tuckbox::Json::Array(tools)));
        let sent = vec![Sent::new(first, 0), Sent::new(second, 60)];
        Some(Planted { sent, cause: SystemChanged, region: Region::System })
    };
    "first image" => |api, dice| {
        only(Api::Anthropic, api)?;
        pair(api, dice, ImagesChanged, Region::Messages, |talk, _| talk.said.push(Said::Picture("iVBORw0KGgo=".into())))
    };
    "lookback" => |api, dice| {
        if api == Api::Gemini { return None; }
        let first = Talk::new(api, dice);
        let mut second = first.clone();
        for at in 0..30 {
            second.said.push(Said::Assistant(format!("Step {at}.")));
            second.said.push(Said::User(format!("Go on {at}.")));
        }
        let mut sent = vec![Sent::new(first, 0), Sent::new(second, 60)];
        for sent in &mut sent {
            sent.talk.marks = Marks::Last;
        }
        Some(Planted { sent, cause: LookbackExceeded, region: Region::Messages })
    };
    "many tool results are few positions" => |api, dice| {
        only(Api::Anthropic, api)?;
        let first = Talk::new(api, dice);
        let mut second = first.clone();
        for at in 0..8 {
            second.said.push(Said::Call(format!("more_{at}"), prose(dice, 3)));
            second.said.push(Said::Result(format!("more_{at}"), prose(dice, 3)));
        }
        let mut sent = vec![Sent::new(first, 0), Sent::new(second, 60)];
        for sent in &mut sent {
            sent.talk.marks = Marks::Last;
        }
        Some(Planted { sent, cause: Appended, region: Region::None })
    };
    "no mark" => |api, dice| match api {
        Api::Gemini => None,
        Api::Anthropic => sent(api, dice, NoBreakpoint, Region::Request, |sent| sent.iter_mut().for_each(|sent| sent.talk.marks = Marks::None)),
        Api::Chat | Api::Responses => sent(api, dice, NoBreakpoint, Region::Request, |sent| {
            sent.iter_mut().for_each(|sent| sent.talk.more.push(("prompt_cache_options", json!({"mode": "explicit"}))));
        }),
    };
    "automatic caching" => |api, dice| {
        only(Api::Anthropic, api)?;
        sent(api, dice, Appended, Region::None, |sent| sent.iter_mut().for_each(|sent| sent.talk.marks = Marks::Automatic))
    };
    "moved mark" => |api, dice| {
        only(Api::Anthropic, api)?;
        sent(api, dice, Appended, Region::None, |sent| sent[1].talk.marks = Marks::Last)
    };
    "five marks" => |api, dice| {
        only(Api::Anthropic, api)?;
        pair(api, dice, TooManyBreakpoints, Region::Request, |talk, _| talk.marks = Marks::Five)
    };
    "short lifetime before a long one" => |api, dice| {
        only(Api::Anthropic, api)?;
        pair(api, dice, TtlOrder, Region::Request, |talk, _| talk.marks = Marks::ShortBeforeLong)
    };
    "stripped thinking" => |api, dice| {
        only(Api::Anthropic, api)?;
        let mut first = Talk::new(api, dice);
        first.model = "claude-sonnet-4-5".into();
        first.said.push(Said::Thought(prose(dice, 20), "call_9".into()));
        first.said.push(Said::Result("call_9".into(), prose(dice, 20)));
        let second = first.next(dice);
        let sent = vec![Sent::new(first, 0), Sent::new(second, 60)];
        Some(Planted { sent, cause: ThinkingStripped, region: Region::Messages })
    };
}
