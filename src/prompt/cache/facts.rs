//! The documented facts that the rules of caches refer to, with their sources.

use serde::Serialize;

/// A documented fact about a provider's cache.
///
/// ```
/// use tuckbox::prompt::cache::fact;
///
/// assert!(fact("A4").unwrap().text.contains("20 positions"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The name of the fact: the `rule` of an explanation.
    pub id: &'static str,
    /// The fact.
    pub text: &'static str,
    /// The page that documents it.
    pub source: &'static str,
    /// The date of the page that was read.
    pub seen: &'static str,
}

/// Returns the fact with this id.
///
/// ```
/// use tuckbox::prompt::cache::{CacheRules, fact};
///
/// let rules = CacheRules::of("anthropic", Some("claude-opus-4-7"));
/// let minimum = fact(rules.rule).unwrap();
/// assert_eq!((minimum.id, minimum.source.is_empty()), ("A6", false));
/// assert_eq!(fact("no such fact"), None);
/// ```
pub fn fact(id: &str) -> Option<&'static Fact> {
    FACTS.iter().find(|fact| fact.id == id)
}

const ANTHROPIC: &str = "platform.claude.com/docs/en/build-with-claude/prompt-caching";
const SKILLS: &str = "github.com/anthropics/skills skills/claude-api/shared/prompt-caching.md";
const OPENAI: &str = "developers.openai.com/api/docs/guides/prompt-caching";

macro_rules! facts {
    ($($id:literal $text:literal, $source:expr, $seen:literal;)*) => {
        const FACTS: &[Fact] = &[$(Fact { id: $id, text: $text, source: $source, seen: $seen },)*];
    };
}

facts! {
    "A1" "The prefix is tools, system, messages. A change invalidates its level and all that follows.",
        ANTHROPIC, "2026-07";
    "A2" "Nothing is cached without a mark. A request has at most 4 marks, the automatic one included.",
        ANTHROPIC, "2026-07";
    "A3" "Writes happen only at marks: each writes one entry, for the prefix that ends there.", ANTHROPIC, "2026-07";
    "A4" "A read looks back from each mark over 20 positions. A run of tool calls, or of tool results, is one position.",
        ANTHROPIC, "2026-09";
    "A5" "Marks are not content.", SKILLS, "2026-08";
    "A6" "A prefix below the minimum of the model is not cached: 512 to 4,096 tokens.", ANTHROPIC, "2026-10-08";
    "A7" "An entry lives 5 minutes or 1 hour from the start of the request that last wrote or read it. Longer lifetimes must precede shorter ones.",
        SKILLS, "2026-08";
    "A8" "A write costs 1.25 (5 minutes) or 2 (1 hour) times the input price, a read 0.1: 0.05 for Opus 5.5 and Sonnet 5.5, 0.025 for Fable 5.1 and Mythos 5.1. Haiku 5.5 costs 5 times as much above 100,000 tokens.",
        "platform.claude.com/docs/en/about-claude/pricing", "2026-10-08";
    "A9" "An entry can be read once the answer of the request that writes it begins.", ANTHROPIC, "2026-07";
    "A10" "Tools, model: all is lost. System text, web search, citations, speed: tools stay. Tool choice, thinking, effort, images: tools and system stay.",
        ANTHROPIC, "2026-07";
    "A11" "On models before Opus 4.5 and Sonnet 4.6, a user message that is not a tool result removes earlier thinking.",
        ANTHROPIC, "2026-07";
    "A12" "System messages inside of the conversation (Opus 4.8, 5, 5.5, Sonnet 5.5, Fable, Mythos), `tool_addition` and a system message with `output_config` keep the prefix.",
        SKILLS, "2026-10-02";
    "A13" "Caches are separate for each workspace, on Bedrock and Google Cloud for each organization.",
        ANTHROPIC, "2026-07";
    "A14" "The input is `input_tokens`, `cache_read_input_tokens` and `cache_creation_input_tokens` together. Server tools write entries of 5 minutes.",
        ANTHROPIC, "2026-07";
    "A15" "Diagnostics compare a request with an earlier one.",
        "platform.claude.com/docs/en/build-with-claude/cache-diagnostics", "2026-05";
    "O1" "The prefix is hidden instructions, tools, developer messages, conversation.", OPENAI, "2026-09-20";
    "O2" "GPT-5.6 and later match at breakpoints: the latest eligible message, up to 20 earlier ones, the first developer messages, and the first 2 and latest 50 explicit ones.",
        OPENAI, "2026-09-20";
    "O3" "The mode `explicit` without a breakpoint caches nothing. A request writes at most 4 breakpoints.",
        OPENAI, "2026-09-20";
    "O4" "The minimum is 1,024 tokens for GPT-5.6 and later. For earlier models it varies.", OPENAI, "2026-09-20";
    "O5" "GPT-5.6 and later keep entries at least 30 minutes. Earlier models: 5 to 10 minutes idle and 1 hour at most, or 24 hours at most.",
        OPENAI, "2026-09-20";
    "O6" "GPT-5.6 and later: a write costs 1.25 times the input price, a read 0.1. Earlier models have no write price. GPT-5.6 and 6 cost twice as much above 272,000 tokens.",
        "developers.openai.com/api/docs/pricing", "2026-09-23";
    "O7" "GPT-5.5 has a breakpoint every 2,048 tokens. Reported counts are multiples of 128.", OPENAI, "2026-09-20";
    "O8" "Model, tools, `parallel_tool_calls`, text format, effort, verbosity and context management change the prefix. The service tier and `prompt_cache_key` separate caches. `allowed_tools` and the tool choice `none` keep the prefix, and so does a `configuration_update` item on GPT-6.",
        OPENAI, "2026-09-20";
    "O9" "Entries are on single machines. Above about 15 requests a minute for a prefix, requests overflow.",
        OPENAI, "2026-09-20";
    "O10" "Read and written tokens are part of the input: `cached_tokens` and `cache_write_tokens`.",
        OPENAI, "2026-09-20";
    "O11" "Diagnostics name the first reason of a miss.",
        "developers.openai.com/api/docs/guides/prompt-caching/diagnostics", "2026-09";
    "G1" "Implicit caching has no guarantee and no documented lifetime. The minimum is 4,096 tokens for 3.x and 4, 2,048 for 2.5.",
        "ai.google.dev/gemini-api/docs/caching", "2026-10-13";
    "G2" "Explicit caches are named by `cachedContent` and have a lifetime of 1 hour by default. On Google Cloud the minimum is 6,144 tokens for 3.7 Flash, 3.8 Flash and 3.1 Pro.",
        "docs.cloud.google.com/gemini-enterprise-agent-platform/models/context-cache/context-cache-overview",
        "2026-10-07";
    "B1" "Cache points live 5 minutes or 1 hour. A request has at most 4. The minimum is 4,096 tokens for Opus 4.7 and 1,024 for Nova, whose tools have no points.",
        "docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html", "2026-10";
    "M1" "Blocks of 64 tokens are cached under `prompt_cache_key`. The lifetime is not documented.",
        "docs.mistral.ai/studio-api/conversations/advanced/prompt-caching", "2026-09-12";
    "D1" "Only whole prefix units are read: ends of requests and answers, and prefixes that two requests share. They live for hours to days.",
        "api-docs.deepseek.com/guides/kv_cache", "2026";
}
