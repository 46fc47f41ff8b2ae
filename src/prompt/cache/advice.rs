//! The region, the rule and the fix of each cause.

use super::answer::{CachePlace, Cause};
use super::body::Region;
use super::policy::CacheRules;

impl Cause {
    /// Returns the region that a cause is in.
    pub(super) fn region(self) -> Region {
        match self {
            Self::ToolsChanged => Region::Tools,
            Self::SystemChanged => Region::System,
            Self::ToolChoiceChanged
            | Self::EffortChanged
            | Self::ImagesChanged
            | Self::ThinkingStripped
            | Self::ContextCompacted
            | Self::MessagesChanged
            | Self::LookbackExceeded => Region::Messages,
            Self::NoBreakpoint
            | Self::TooManyBreakpoints
            | Self::TtlOrder
            | Self::ScopeChanged
            | Self::ModelChanged
            | Self::ServiceTierChanged
            | Self::PromptCacheKeyChanged
            | Self::BelowMinimum
            | Self::ReasoningEffortChanged
            | Self::TextFormatChanged
            | Self::VerbosityChanged
            | Self::ParallelToolCallsChanged
            | Self::ContextManagementChanged => Region::Request,
            Self::Expired | Self::NotYetWritten => Region::Time,
            Self::First | Self::Appended | Self::UnexplainedMiss | Self::Unknown => Region::None,
        }
    }

    /// Returns true for a cause that one request shows, without the request before it.
    pub(super) fn is_of_one_request(self) -> bool {
        matches!(
            self,
            Self::NoBreakpoint | Self::TooManyBreakpoints | Self::TtlOrder | Self::BelowMinimum
        )
    }

    /// Returns true if the provider refuses the request.
    pub(super) fn refuses(self) -> bool {
        matches!(self, Self::TooManyBreakpoints | Self::TtlOrder)
    }

    /// Returns true for a cause that a usage which reads everything does not exclude.
    pub(super) fn is_of_content(self) -> bool {
        matches!(
            self,
            Self::NoBreakpoint
                | Self::TooManyBreakpoints
                | Self::TtlOrder
                | Self::ModelChanged
                | Self::ToolsChanged
                | Self::SystemChanged
                | Self::ContextCompacted
                | Self::MessagesChanged
        )
    }

    /// Returns the id of the fact that decides a cause at a family of providers.
    pub(super) fn rule(self, family: &str, minimum_rule: &'static str) -> &'static str {
        let of = |anthropic: &'static str, openai: &'static str| match family {
            "anthropic" | "bedrock" => anthropic,
            "openai" => openai,
            "google" => "G1",
            "mistral" => "M1",
            "deepseek" => "D1",
            _ => "",
        };
        match self {
            Self::First | Self::Unknown => "",
            Self::NoBreakpoint => of("A2", "O3"),
            Self::TooManyBreakpoints => of("A2", "O3"),
            Self::TtlOrder | Self::Expired => of("A7", "O5"),
            Self::ScopeChanged => of("A13", "O9"),
            Self::ModelChanged | Self::ToolsChanged => of("A10", "O8"),
            Self::ServiceTierChanged
            | Self::PromptCacheKeyChanged
            | Self::ReasoningEffortChanged
            | Self::TextFormatChanged
            | Self::VerbosityChanged
            | Self::ParallelToolCallsChanged
            | Self::ContextManagementChanged => of("A10", "O8"),
            Self::BelowMinimum => minimum_rule,
            Self::SystemChanged => of("A10", "O1"),
            Self::ToolChoiceChanged | Self::EffortChanged | Self::ImagesChanged => of("A10", "O8"),
            Self::ThinkingStripped => of("A11", "O1"),
            Self::ContextCompacted | Self::MessagesChanged => of("A1", "O1"),
            Self::LookbackExceeded => of("A4", "O2"),
            Self::NotYetWritten => of("A9", "O9"),
            Self::Appended => of("A3", "O1"),
            Self::UnexplainedMiss => of("A13", "O9"),
        }
    }

    /// Returns how to keep the prefix.
    pub(super) fn fix(self, rules: &CacheRules, at: &CachePlace) -> Option<String> {
        let family = rules.family;
        let is_openai = family == "openai";
        let text = match self {
            Self::First | Self::Appended | Self::Unknown => return None,
            Self::NoBreakpoint if is_openai => {
                "add `prompt_cache_breakpoint` to a content block, or leave the mode implicit"
            }
            Self::NoBreakpoint => {
                "mark the last stable block with `cache_control`, or set automatic caching at the top of the body"
            }
            Self::TooManyBreakpoints => "remove marks until 4 are left, the automatic one included",
            Self::TtlOrder => {
                "put marks with `ttl: \"1h\"` before marks of 5 minutes, and give the last block the lifetime of automatic caching"
            }
            Self::ScopeChanged => {
                "send the requests of one session to one workspace, region and surface"
            }
            Self::ModelChanged => "keep one model for a session; start a new session to change it",
            Self::ServiceTierChanged => "keep one `service_tier` for a session",
            Self::PromptCacheKeyChanged => "keep one `prompt_cache_key` for a session",
            Self::BelowMinimum => "no fix needed: this model does not cache a prefix this short",
            Self::ToolsChanged => fix_of_tools(at, is_openai),
            Self::ReasoningEffortChanged => {
                "keep one effort for a session; on GPT-6 send a `configuration_update` item"
            }
            Self::TextFormatChanged => "keep one text format for a session",
            Self::VerbosityChanged => "keep one verbosity for a session",
            Self::ParallelToolCallsChanged => {
                "keep one value of `parallel_tool_calls` for a session"
            }
            Self::ContextManagementChanged => "keep one `context_management` for a session",
            Self::SystemChanged => fix_of_system(rules, at),
            Self::ToolChoiceChanged => "keep one tool choice for a session",
            Self::EffortChanged if rules.system_messages == Some(true) => {
                "keep thinking and effort unchanged; change the effort by a system message with `output_config`"
            }
            Self::EffortChanged => {
                "keep thinking and effort unchanged; change the effort by a system message with `output_config` where the model accepts one"
            }
            Self::ImagesChanged => {
                "send images from the start, or pass them as text or by a tool that returns text"
            }
            Self::ThinkingStripped => {
                "use a model that keeps earlier thinking, or mark a block before the thinking"
            }
            Self::ContextCompacted => "no fix needed: the summary is written to the cache once",
            Self::MessagesChanged => match (at.volatile, at.change) {
                (Some(_), _) => MOVE_VOLATILE,
                (None, Some("key_order")) => "write JSON with a fixed order of keys",
                (None, _) => "append to the conversation; do not change earlier messages",
            },
            Self::LookbackExceeded if at.change == Some("mark_moved") => {
                "keep a mark where the last request had one, or set one at the end of the conversation"
            }
            Self::LookbackExceeded if is_openai => {
                "set an explicit breakpoint at least every 20 messages"
            }
            Self::LookbackExceeded => "set a second mark at most 20 positions after the last entry",
            Self::Expired if family == "anthropic" || family == "bedrock" => {
                "use `ttl: \"1h\"` for pauses of this length, or send a request before the lifetime ends"
            }
            Self::Expired => "send a request before the lifetime ends",
            Self::NotYetWritten => {
                "wait until the first answer begins before sending parallel requests"
            }
            Self::UnexplainedMiss => {
                "nothing in the log explains it: eviction, overflow to another machine, or a change outside of the log"
            }
        };
        Some(text.to_owned())
    }
}

const MOVE_VOLATILE: &str =
    "move the value that changes with each request to the end of the last user message";

/// Returns how to keep the definitions of tools.
fn fix_of_tools(at: &CachePlace, is_openai: bool) -> &'static str {
    if at.volatile.is_some() {
        return "move the value that changes with each request out of the definition of the tool";
    }
    match at.change {
        Some("reordered") => "send tools in a fixed order, for example sorted by name",
        Some("key_order") => "write the schema with a fixed order of keys",
        Some("added" | "removed") if is_openai => {
            "define all tools from the start, and restrict them by `allowed_tools`"
        }
        Some("added" | "removed") => {
            "define all tools from the start, or add them by `tool_addition`"
        }
        Some(_) | None => "keep the definition of a tool unchanged for a session",
    }
}

/// Returns how to keep the system prompt.
fn fix_of_system(rules: &CacheRules, at: &CachePlace) -> &'static str {
    match (at.volatile, at.parameter, rules.system_messages) {
        (Some(_), ..) => MOVE_VOLATILE,
        (None, Some(_), _) => "keep this parameter unchanged for a session",
        (None, None, _) if rules.family == "openai" => {
            "keep the first developer messages unchanged; append new instructions at the end"
        }
        (None, None, Some(true)) => {
            "keep the system prompt unchanged; append a system message to the conversation"
        }
        (None, None, Some(false)) => {
            "keep the system prompt unchanged; put new instructions into the last user message"
        }
        (None, None, None) => {
            "keep the system prompt unchanged; append a system message to the conversation where the model accepts one"
        }
    }
}
