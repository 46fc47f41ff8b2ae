//! The entries that earlier requests wrote, and which of them a request can read.

use super::body::{Kind, Parsed, Region, Ttl, Unit};
use super::policy::{CacheMode, CacheRules, Lifetime};
use crate::value::Map;

/// An entry of a cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The start of the request that last wrote or read it, in milliseconds.
    pub used_at: Option<i64>,
    /// When the answer of the request that wrote it began.
    pub readable_at: Option<i64>,
    pub lifetime: Lifetime,
}

/// The state of an entry at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Live,
    /// The lifetime passed; `sure` if it is documented as the longest.
    Expired {
        sure: bool,
    },
    NotYet,
    /// Times are missing or run backwards, or the lifetime is not documented.
    Unknown(&'static str),
}

/// The time after which an undocumented lifetime is a question, in seconds.
const SHORT: u64 = 300;

/// No answer begins within this time, in milliseconds.
const TOGETHER: i64 = 200;

impl Entry {
    pub fn idle(&self, now: Option<i64>) -> Option<u64> {
        u64::try_from(now? - self.used_at?).ok().map(|millis| millis / 1000)
    }

    pub fn state(&self, now: Option<i64>) -> State {
        let (Some(used), Some(now)) = (self.used_at, now) else {
            return State::Unknown("the times of the requests are missing");
        };
        if now < used {
            return State::Unknown("the times of the requests run backwards");
        }
        // without the time of the answer, only requests that start together are sure
        let readable = self.readable_at.unwrap_or(used + TOGETHER);
        if now < readable {
            return State::NotYet;
        }
        let idle = u64::try_from(now - used).unwrap_or(0);
        let beyond = |seconds: u64| idle >= seconds.saturating_mul(1000);
        match (self.lifetime.least, self.lifetime.most) {
            (_, Some(most)) if beyond(most) => State::Expired { sure: true },
            (Some(least), _) if beyond(least) => State::Expired { sure: false },
            (None, None) if beyond(SHORT) => State::Unknown("the lifetime is not documented"),
            (_, _) => State::Live,
        }
    }
}

/// A mark: the position after its unit, and its lifetime.
pub(super) type Mark = (usize, Ttl);

/// Returns the last unit that can have a mark.
pub(super) fn last_markable(parsed: &Parsed<'_>) -> Option<usize> {
    let is_empty = |unit: &Unit<'_>| unit.content.text().is_some_and(str::is_empty);
    parsed.units.iter().rposition(|unit| unit.kind != Kind::Thinking && !is_empty(unit))
}

/// Returns the marks of a request, in order, the automatic one included.
pub(super) fn marks(parsed: &Parsed<'_>, rules: &CacheRules) -> Vec<Mark> {
    // some models have no marks on tools
    let first = if rules.marks_tools == Some(false) { parsed.tools } else { 0 };
    let own = parsed.units.marks().iter().copied();
    let mut marks: Vec<Mark> = own.filter(|(at, _)| *at > first).collect();
    if let Some(ttl) = parsed.automatic
        && let Some(last) = last_markable(parsed)
        && marks.last().is_none_or(|(at, _)| *at != last + 1)
    {
        marks.push((last + 1, ttl));
    }
    marks
}

/// Returns the ends of messages at which GPT-5.6 and later look for entries.
fn boundaries(parsed: &Parsed<'_>) -> Vec<usize> {
    let mut ends = Vec::new();
    if parsed.system > parsed.tools {
        ends.push(parsed.system);
    }
    let units = parsed.region(Region::Messages);
    for (index, unit) in units.iter().enumerate() {
        let next = units.get(index + 1);
        let is_end = next.is_none_or(|next| next.item != unit.item);
        let is_eligible = match unit.kind {
            Kind::ToolResult => next.is_none_or(|next| next.kind != Kind::ToolResult),
            _ => unit.role == "user",
        };
        if is_end && is_eligible {
            ends.push(parsed.system + index + 1);
        }
    }
    ends
}

/// The positions of a request at which it reads and writes.
pub(super) struct Positions {
    /// Positions at which an entry can be read, the longest first.
    pub reads: Vec<usize>,
    /// Positions that a longer window would reach, the longest first.
    pub beyond: Vec<usize>,
    /// The position of the last mark, after which nothing is looked up; filled for marks only.
    pub last_mark: Option<usize>,
    /// Positions that become readable, and their lifetime.
    pub writes: Vec<(usize, Lifetime)>,
    /// The end of what is written.
    pub written: usize,
    /// The distance from the last mark, by position; filled for marks only.
    pub distances: Vec<(usize, usize)>,
}

impl Positions {
    /// Returns the end of what a request with `end` units asks to write.
    pub fn end(&self, rules: &CacheRules, end: usize) -> usize {
        match rules.mode {
            CacheMode::Marked | CacheMode::Breakpoints => self.written,
            CacheMode::Prefix | CacheMode::Units | CacheMode::Unknown => end,
        }
    }
}

pub(super) fn positions(
    parsed: &Parsed<'_>,
    rules: &CacheRules,
    marks: &[Mark],
    shared: usize,
) -> Positions {
    let end = parsed.units.len();
    let mut found = Positions {
        reads: Vec::new(),
        beyond: Vec::new(),
        last_mark: None,
        writes: Vec::new(),
        written: 0,
        distances: Vec::new(),
    };
    match rules.mode {
        CacheMode::Marked => marked(parsed, rules, marks, &mut found),
        CacheMode::Breakpoints => {
            let mut ends = if parsed.is_explicit { Vec::new() } else { boundaries(parsed) };
            let explicit = marks.iter().map(|(at, _)| *at);
            let latest = ends.iter().rev().take(1 + rules.lookback.unwrap_or(usize::MAX));
            let skipped = marks.len().saturating_sub(LATEST_EXPLICIT);
            let looked_up =
                marks.iter().enumerate().filter(|(at, _)| *at < FIRST_EXPLICIT || *at >= skipped);
            found.reads = latest.copied().chain(looked_up.map(|(_, (at, _))| *at)).collect();
            if !parsed.is_explicit && parsed.system > parsed.tools {
                found.reads.push(parsed.system);
            }
            ends.extend(explicit);
            ends.sort_unstable();
            ends.dedup();
            found.written = ends.last().copied().unwrap_or(0);
            // an entry can be read at a boundary inside of it
            found.writes = (1..=found.written).map(|at| (at, rules.lifetime)).collect();
            ends.reverse();
            found.beyond = ends;
        }
        CacheMode::Prefix => {
            // GPT-5.5, which has steps of 2,048 tokens, has only the longer retention
            let can_be_short = rules.step != Some(2_048);
            let lifetime = match (rules.family, parsed.retention) {
                ("openai", Some("in_memory" | "in-memory")) if can_be_short => {
                    Lifetime { least: Some(300), most: Some(3_600) }
                }
                ("openai", _) => Lifetime { least: Some(1_800), most: Some(86_400) },
                (_, _) => rules.lifetime,
            };
            found.reads = (1..=end).rev().collect();
            found.writes = (1..=end).map(|at| (at, lifetime)).collect();
        }
        CacheMode::Units => {
            found.reads = (1..=end).rev().collect();
            found.writes = [shared, end].map(|at| (at, rules.lifetime)).to_vec();
        }
        CacheMode::Unknown => {}
    }
    found.reads.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
    found.reads.dedup();
    found
}

/// Marks: each looks back over a window of positions, in which a run of calls or results is one.
fn marked(parsed: &Parsed<'_>, rules: &CacheRules, marks: &[Mark], found: &mut Positions) {
    let window = rules.lookback.unwrap_or(usize::MAX);
    for (mark, ttl) in marks {
        let lifetime = match ttl {
            Ttl::Hour => Lifetime { least: Some(3_600), most: Some(3_600) },
            Ttl::Default => rules.lifetime,
        };
        found.writes.push((*mark, lifetime));
        found.written = found.written.max(*mark);
    }
    let Some((last, _)) = marks.last() else { return };
    found.last_mark = Some(*last);
    let mut position = 0;
    let mut run = None;
    let mut start = 1;
    for at in (1..=*last).rev() {
        let kind = parsed.units.get(at - 1).map(|unit| unit.kind);
        let is_run = matches!(kind, Some(Kind::ToolUse | Kind::ToolResult));
        if !is_run || run != kind {
            position += 1;
        }
        run = kind.filter(|_| is_run);
        if marks.binary_search_by_key(&at, |(mark, _)| *mark).is_ok() {
            start = position;
        }
        found.distances.push((at, position));
        if position - start < window {
            found.reads.push(at);
        }
        found.beyond.push(at);
    }
}

/// What a request can read.
#[derive(Default)]
pub(super) struct Reach {
    /// The longest prefix that can be read now.
    pub live: usize,
    /// The longest prefix with an entry at a position that is looked up, and its entry.
    pub any: Option<(usize, Entry)>,
    /// The longest prefix with an entry anywhere up to the last mark, and its entry.
    pub beyond: Option<(usize, Entry)>,
    /// The longest prefix with an entry after the last mark.
    pub moved: usize,
}

/// The numbers of explicit breakpoints that are looked up: the first and the latest.
const FIRST_EXPLICIT: usize = 2;
const LATEST_EXPLICIT: usize = 50;

/// Finds entries. `limit` is the longest prefix that can match.
pub(super) fn reach(
    entries: &Map<u64, Entry>,
    prefixes: &[u64],
    positions: &Positions,
    now: Option<i64>,
    limit: usize,
) -> Reach {
    let entry = |at: usize| entries.get(prefixes.get(at)?).copied();
    let mut reach = Reach::default();
    for at in positions.reads.iter().copied().filter(|at| *at <= limit) {
        let Some(entry) = entry(at) else { continue };
        if reach.any.is_none() {
            reach.any = Some((at, entry));
        }
        // unknown times do not exclude a read
        if matches!(entry.state(now), State::Live | State::Unknown(_)) {
            reach.live = at;
            break;
        }
    }
    let mut further = positions.beyond.iter().copied().filter(|at| *at <= limit);
    reach.beyond = further.find_map(|at| Some((at, entry(at)?)));
    if let Some(last) = positions.last_mark {
        let mut after = (last + 1..=limit.min(prefixes.len().saturating_sub(1))).rev();
        let is_live = |at: &usize| entry(*at).is_some_and(|entry| entry.state(now) == State::Live);
        reach.moved = after.find(is_live).unwrap_or(0);
    }
    reach
}
