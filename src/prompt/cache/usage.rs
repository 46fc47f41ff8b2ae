//! The usage and the diagnostics of an answer, in the words of any provider.

use super::answer::{Cause, RecordedTokens};
use super::body::text;
use crate::value::json::Json;

/// The maximum number of tokens of a request. Sums of smaller numbers do not overflow.
const MAX_TOKENS: u64 = 1 << 40;

/// Returns the tokens of an input that includes cached tokens, or an error if they are more than the
/// input.
pub(super) fn of_input(
    (total, read, write): (u64, u64, u64),
    write_1h: Option<u64>,
) -> Result<RecordedTokens, String> {
    match read.checked_add(write).and_then(|cached| total.checked_sub(cached)) {
        Some(fresh) => plausible(RecordedTokens { read, write, write_1h, fresh }),
        None => Err(format!(
            "the usage contradicts itself: {read} tokens read and {write} written of {total}"
        )),
    }
}

fn plausible(usage: RecordedTokens) -> Result<RecordedTokens, String> {
    let RecordedTokens { read, write, fresh, .. } = usage;
    match read.max(write).max(fresh) {
        most if most > MAX_TOKENS => {
            Err(format!("the usage has {most} tokens, more than a request"))
        }
        _ => Ok(usage),
    }
}

/// Reads the tokens of a usage. Returns nothing if it has none, and an error if it contradicts itself.
pub(super) fn read(usage: &Json) -> Result<Option<RecordedTokens>, String> {
    // the form of an explanation
    if let (Some(read), Some(fresh)) = (number(usage, &["read"]), number(usage, &["fresh"])) {
        let write = number(usage, &["write"]).unwrap_or(0);
        let write_1h = number(usage, &["write_1h"]).filter(|hour| *hour <= write);
        return plausible(RecordedTokens { read, write, write_1h, fresh }).map(Some);
    }
    let read = first(usage, &[&["cache_read_input_tokens"], &["cacheReadInputTokens"]]);
    let write = first(usage, &[&["cache_creation_input_tokens"], &["cacheWriteInputTokens"]]);
    if read.is_some() || write.is_some() || number(usage, &["inputTokens"]).is_some() {
        return with_separate_cache(usage, read, write);
    }
    with_cache_in_input(usage)
}

fn number(usage: &Json, path: &[&str]) -> Option<u64> {
    path.iter().try_fold(usage, |at, key| at.get(key))?.as_number()?.as_u64()
}

fn first(usage: &Json, paths: &[&[&str]]) -> Option<u64> {
    paths.iter().find_map(|path| number(usage, path))
}

/// Reads the usage of a provider whose input does not include cached tokens.
fn with_separate_cache(
    usage: &Json,
    read: Option<u64>,
    write: Option<u64>,
) -> Result<Option<RecordedTokens>, String> {
    let split = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"]
        .map(|key| number(usage, &["cache_creation", key]));
    let split =
        if split == [None, None] { ["5m", "1h"].map(|ttl| written_for(usage, ttl)) } else { split };
    let fresh = first(usage, &[&["input_tokens"], &["inputTokens"]]);
    let Some(fresh) = fresh else { return Ok(None) };
    let parts = split.iter().flatten().fold(0, |sum: u64, part| sum.saturating_add(*part));
    if let Some(write) = write.filter(|write| parts > *write) {
        return Err(format!(
            "the usage contradicts itself: {parts} tokens written by lifetime, {write} in all"
        ));
    }
    let write = write.unwrap_or(parts);
    let [short, hour] = split;
    let write_1h = hour.or_else(|| short.and_then(|short| write.checked_sub(short)));
    plausible(RecordedTokens { read: read.unwrap_or(0), write, write_1h, fresh }).map(Some)
}

/// Reads the usage of a provider whose input includes cached tokens.
fn with_cache_in_input(usage: &Json) -> Result<Option<RecordedTokens>, String> {
    let hit = number(usage, &["prompt_cache_hit_tokens"]);
    let miss = number(usage, &["prompt_cache_miss_tokens"]);
    let total = first(
        usage,
        &[
            &["prompt_tokens"],
            &["input_tokens"],
            &["promptTokenCount"],
            &["prompt_token_count"],
            &["total_input_tokens"],
        ],
    );
    let Some(total) = total.or_else(|| hit?.checked_add(miss?)) else { return Ok(None) };
    let read = first(
        usage,
        &[
            &["prompt_tokens_details", "cached_tokens"],
            &["input_tokens_details", "cached_tokens"],
            &["cachedContentTokenCount"],
            &["cached_content_token_count"],
            &["cache_read_tokens"],
            &["total_cached_tokens"],
        ],
    );
    let write = first(
        usage,
        &[
            &["prompt_tokens_details", "cache_write_tokens"],
            &["input_tokens_details", "cache_write_tokens"],
            &["cache_write_tokens"],
        ],
    );
    let write = write.unwrap_or(0);
    // the form of `read_response`
    let write_1h = number(usage, &["cache_write_1h_tokens"]).filter(|hour| *hour <= write);
    of_input((total, read.or(hit).unwrap_or(0), write), write_1h).map(Some)
}

/// Returns the tokens that Bedrock wrote for a lifetime.
fn written_for(usage: &Json, ttl: &str) -> Option<u64> {
    let details = usage.get("cacheDetails")?.as_array()?;
    let of = details.iter().filter(|detail| text(detail, "ttl") == Some(ttl));
    let counts = of.map(|detail| detail.get("inputTokens")?.as_number()?.as_u64());
    counts.reduce(|sum, count| sum?.checked_add(count?)).flatten()
}

/// The finding of a provider's diagnostics.
pub(super) enum Diagnosis {
    Hit,
    Miss(Cause),
    Silent,
}

/// Reads the diagnostics of Anthropic or OpenAI.
pub(super) fn diagnose(diagnostics: &Json) -> Diagnosis {
    // a whole answer has the diagnostics under a key
    let keys = ["prompt_cache_diagnostics", "diagnostics"];
    let inner = keys.iter().find_map(|key| diagnostics.get(key));
    let diagnostics = inner.unwrap_or(diagnostics);
    let reason = match diagnostics.get("cache_miss_reason") {
        Some(Json::String(reason)) => Some(reason.as_str()),
        Some(reason) => text(reason, "type"),
        None if text(diagnostics, "type") == Some("cache_hit") => return Diagnosis::Hit,
        None => text(diagnostics, "reason").or_else(|| text(diagnostics, "type")),
    };
    let cause = match reason.unwrap_or_default() {
        "model_changed" => Cause::ModelChanged,
        "system_changed" => Cause::SystemChanged,
        "tools_changed" => Cause::ToolsChanged,
        "messages_changed" | "input_changed" => Cause::MessagesChanged,
        "prompt_cache_key_changed" => Cause::PromptCacheKeyChanged,
        "service_tier_changed" => Cause::ServiceTierChanged,
        "text_format_changed" => Cause::TextFormatChanged,
        "reasoning_effort_changed" => Cause::ReasoningEffortChanged,
        "verbosity_changed" => Cause::VerbosityChanged,
        "context_compacted" => Cause::ContextCompacted,
        _ => return Diagnosis::Silent,
    };
    Diagnosis::Miss(cause)
}
