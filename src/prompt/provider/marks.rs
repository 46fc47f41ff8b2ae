//! Cache marks: positions at which the cache of a provider can end.
//!
//! Marks of a prompt keep their blocks. A strategy adds marks at positions that are stable while a
//! conversation grows, and one at its end.

use super::loss::{Change, Losses};
use super::part::{CacheMark, Part};
use super::turn::{Block, Speaker, Turn};
use super::{Options, Origin, Provider, Tool};
use crate::Result;
use crate::prompt::cache::{CacheMode, CacheRules};
use crate::value::arguments::{Argument, arguments, read_word};
use crate::value::json::{Field, Json};

arguments! {
    /// How the cache of a provider is marked.
    ///
    /// ```
    /// use tuckbox::Message;
    /// use tuckbox::prompt::provider::{CacheLifetime, CachePlan, CacheStrategy, Options, Prompt, Provider, payload};
    ///
    /// let cache = CachePlan { strategy: CacheStrategy::Auto, ttl: None };
    /// let options = Options { cache: Some(cache), ..Options::model("claude-opus-5-5") };
    /// let prompt = Prompt::new(vec![Message::system("Be brief."), Message::user("Hello")]);
    /// let body = payload(&prompt, Provider::Anthropic, &options)?.body().to_string();
    /// assert_eq!(body.matches(r#""cache_control":{"type":"ephemeral"}"#).count(), 2);
    ///
    /// let cache = CachePlan { ttl: Some(CacheLifetime::Hour), ..cache };
    /// let options = Options { cache: Some(cache), ..options };
    /// let body = payload(&prompt, Provider::Anthropic, &options)?.body().to_string();
    /// assert_eq!(body.matches(r#""ttl":"1h""#).count(), 2);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CachePlan {
        /// Where marks are set.
        pub strategy: CacheStrategy = CacheStrategy::Manual,
        /// How long entries live. The shorter time of the provider by default.
        pub ttl: Option<CacheLifetime>,
    }
}

/// Where marks of a cache are set.
///
/// Shown by the example of [`CachePlan`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CacheStrategy {
    /// Only where the prompt has them.
    #[default]
    Manual,
    /// Also after the tools and the system prompt.
    System,
    /// Also at the end of the conversation, and where reads of a long one look back to.
    Auto,
}

/// How long an entry of a cache lives.
///
/// Shown by the example of [`CachePlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub enum CacheLifetime {
    /// 5 minutes.
    #[serde(rename = "5m")]
    Minutes,
    /// 1 hour.
    #[serde(rename = "1h")]
    Hour,
}

impl Argument for CacheStrategy {
    fn read(field: &Field<'_>) -> Result<Self> {
        let words = [("manual", Self::Manual), ("system", Self::System), ("auto", Self::Auto)];
        read_word(field, &words)
    }
}

impl Argument for CacheLifetime {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(field, &[("5m", Self::Minutes), ("1h", Self::Hour)])
    }
}

/// The distance of marks inside of a conversation, in blocks: below the 20 positions that a read looks
/// back.
const GRID: usize = 15;

/// Sets the marks of the layers and of the strategy. Drops those that the provider does not accept.
pub(super) fn set(
    turns: &mut [Turn],
    tools: &mut [Tool],
    (provider, options): (Provider, &Options),
    origins: &[Origin],
    losses: &mut Losses,
) {
    mark_layers(turns, origins, &options.cache_after);
    let rules = CacheRules::of(provider.as_str(), options.model.as_deref());
    let has_breakpoints = rules.mode == CacheMode::Breakpoints;
    if rules.mode == CacheMode::Marked
        && let Some(cache) = &options.cache
    {
        mark_by_strategy(turns, tools, cache);
    }
    let most = match provider.demands().cache_marks {
        0 if has_breakpoints => rules.max_marks.unwrap_or(0),
        most => most,
    };
    drop_extra(turns, tools, most, has_breakpoints, losses);
    if rules.mode == CacheMode::Marked {
        order_lifetimes(turns, tools, losses);
    }
}

/// Marks the last message of each layer with a mark.
fn mark_layers(turns: &mut [Turn], origins: &[Origin], layers: &[String]) {
    for layer in layers {
        let is_of = |origin: &Origin| origin.layer.as_ref() == Some(layer);
        let Some(position) = origins.iter().rposition(is_of) else { continue };
        let mut blocks = turns.iter_mut().flat_map(|turn| turn.blocks.iter_mut()).rev();
        if let Some(block) = blocks.find(|block| block.at == Some(position)) {
            mark(block, CacheMark::Default);
        }
    }
}

/// Marks a block without a mark.
fn mark(block: &mut Block, own: CacheMark) {
    let mark = block.item.cache().unwrap_or(own);
    block.item.metadata_mut().cache = Some(mark);
}

fn mark_by_strategy(turns: &mut [Turn], tools: &mut [Tool], cache: &CachePlan) {
    let own = match cache.ttl {
        Some(CacheLifetime::Hour) => CacheMark::Hour,
        Some(CacheLifetime::Minutes) | None => CacheMark::Default,
    };
    if cache.strategy == CacheStrategy::Manual {
        return;
    }
    let system = turns.iter().take_while(|turn| turn.speaker.is_system()).count();
    let (system, conversation) = turns.split_at_mut(system);
    let blocks = system.iter_mut().rev().flat_map(|turn| turn.blocks.iter_mut().rev());
    match blocks.into_iter().find(|block| carries(&block.item.part)) {
        Some(block) => mark(block, own),
        None => {
            if let Some(tool) = tools.last_mut() {
                tool.cache = Some(tool.cache.unwrap_or(own));
            }
        }
    }
    if cache.strategy == CacheStrategy::System {
        return;
    }
    // a block that cannot have a mark is a position too
    let mut blocks: Vec<&mut Block> =
        conversation.iter_mut().flat_map(|turn| turn.blocks.iter_mut()).collect();
    let Some(last) = blocks.iter().rposition(|block| carries(&block.item.part)) else { return };
    // a mark on the grid does not move until the conversation reaches the next one
    let grid = last / GRID * GRID;
    let on_grid = blocks.iter().take(grid + 1).rposition(|block| carries(&block.item.part));
    for at in on_grid.filter(|_| grid > 0).into_iter().chain([last]) {
        if let Some(block) = blocks.get_mut(at) {
            mark(block, own);
        }
    }
}

/// Returns true for a part that can have a mark.
fn carries(part: &Part) -> bool {
    match part {
        Part::Reasoning(_) => false,
        Part::Text(text) => !text.trim().is_empty(),
        Part::Media(_) | Part::ToolCall(_) | Part::ToolResult(_) | Part::Refusal(_) => true,
        // the part is sent verbatim, with its own mark
        Part::Own(_) => false,
    }
}

/// Returns true for a part that can have a breakpoint of OpenAI.
fn breaks(speaker: Speaker, part: &Part) -> bool {
    let is_block = matches!(part, Part::Text(_) | Part::Media(_));
    is_block && matches!(speaker, Speaker::System | Speaker::Developer | Speaker::User)
}

/// Keeps the last marks, up to the maximum of the provider, and drops those of blocks that cannot have one.
fn drop_extra(
    turns: &mut [Turn],
    tools: &mut [Tool],
    most: usize,
    has_breakpoints: bool,
    losses: &mut Losses,
) {
    let mut left = most;
    for (index, tool) in tools.iter_mut().enumerate().rev() {
        if tool.cache.is_some() && left == 0 {
            tool.cache = None;
            let reason = format!("`{}` accepts {most} cache marks", losses.provider());
            losses.tool(Change::CacheMarkDropped, index, reason);
        } else if tool.cache.is_some() {
            left -= 1;
        }
    }
    for turn in turns.iter_mut().rev() {
        let at = turn.at.unwrap_or_default();
        let speaker = turn.speaker;
        for block in turn.blocks.iter_mut().rev() {
            if block.item.cache().is_none() {
                continue;
            }
            let part = &block.item.part;
            let can = carries(part) && (!has_breakpoints || breaks(speaker, part));
            if can && left > 0 {
                left -= 1;
                continue;
            }
            block.item.metadata_mut().cache = None;
            let provider = losses.provider();
            let reason = match most {
                0 => format!("`{provider}` has no cache marks"),
                _ => format!("`{provider}` accepts {most} cache marks, on blocks with content"),
            };
            losses.message(Change::CacheMarkDropped, at, reason);
        }
    }
}

/// Shortens the lifetime of marks after a shorter one, because providers refuse a longer one there.
fn order_lifetimes(turns: &mut [Turn], tools: &mut [Tool], losses: &mut Losses) {
    let mut is_short = false;
    let reason = "a mark of 1 hour after a shorter one is shortened to 5 minutes";
    for (index, tool) in tools.iter_mut().enumerate() {
        is_short |= tool.cache == Some(CacheMark::Default);
        if is_short && tool.cache == Some(CacheMark::Hour) {
            tool.cache = Some(CacheMark::Default);
            losses.tool(Change::CacheMarkDropped, index, reason.to_owned());
        }
    }
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        for block in &mut turn.blocks {
            is_short |= block.item.cache() == Some(CacheMark::Default);
            if is_short && block.item.cache() == Some(CacheMark::Hour) {
                block.item.metadata_mut().cache = Some(CacheMark::Default);
                losses.message(Change::CacheMarkDropped, at, reason.to_owned());
            }
        }
    }
}

/// Anthropic's mark.
pub(super) fn cache_control(mark: CacheMark) -> Json {
    match mark {
        CacheMark::Default => Json::from([("type", "ephemeral")]),
        CacheMark::Hour => Json::from([("type", "ephemeral"), ("ttl", "1h")]),
    }
}

/// Adds OpenAI's mark to a content part.
pub(super) fn breakpoint(mut part: Json, mark: Option<CacheMark>) -> Json {
    if let (Json::Object(part), Some(_)) = (&mut part, mark) {
        part.insert("prompt_cache_breakpoint".into(), Json::from([("mode", "explicit")]));
    }
    part
}
