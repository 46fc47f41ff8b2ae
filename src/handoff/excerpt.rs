//! Excerpts of long texts: start, end and key turns are kept, and every gap is marked.
//!
//! Each level is about twice as large as the one below and keeps everything that it keeps.

use super::record::turns;
use crate::prompt::tokens::Counter;
use crate::value::json::{Json, Object};
use serde::Serialize;
use std::collections::BTreeSet;

/// The tokens of a text, and of one turn, at the lowest level.
pub(super) const TEXT_TOKENS: u64 = 512;
pub(super) const TURN_TOKENS: u64 = 256;
/// The turns at the lowest level.
pub(super) const TURNS: u64 = 8;
/// The highest level, which keeps everything.
pub(super) const MAX_LEVEL: u32 = 20;
/// The maximum number of characters of one token, for every counter.
const CHARS_PER_TOKEN: u64 = 16;

/// The part of an item that is kept.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "keep", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Excerpt {
    /// All of it.
    Whole,
    /// All except the index, whose entries are read case by case.
    Head,
    /// The numbers of the report and its first problems, without lists of samples.
    Summary {
        /// The number of problems.
        problems: u64,
        /// The number of all problems.
        of: u64,
    },
    /// The start and the end of a text.
    HeadAndTail {
        /// The maximum number of tokens.
        tokens: u64,
    },
    /// Some turns of a conversation.
    Turns {
        /// The number of turns at the start.
        head: u64,
        /// The number of turns at the end.
        tail: u64,
        /// The number of turns between them: first those that name a failed checker, then those
        /// that call a tool.
        key: u64,
        /// The maximum number of tokens of one turn.
        turn_tokens: u64,
    },
}

impl Excerpt {
    pub(super) fn text(level: u32) -> Self {
        Self::HeadAndTail { tokens: TEXT_TOKENS << level.min(MAX_LEVEL) }
    }

    pub(super) fn turns(level: u32) -> Self {
        let level = level.min(MAX_LEVEL);
        let turns = TURNS << level;
        let (head, tail) = (turns / 4, turns * 3 / 8);
        Self::Turns { head, tail, key: turns - head - tail, turn_tokens: TURN_TOKENS << level }
    }
}

/// Returns a text within `tokens`: the longest start and end that fit, and a mark of the gap.
pub(super) fn text(text: &str, tokens: u64, counter: &dyn Counter) -> String {
    let chars = text.chars().count();
    let most = chars.min(usize::try_from(tokens * CHARS_PER_TOKEN).unwrap_or(usize::MAX));
    if most == chars && counter.count(text) <= tokens {
        return text.to_owned();
    }
    let fits = |kept: usize| counter.count(&head_and_tail(text, chars, kept)) <= tokens;
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    head_and_tail(text, chars, low)
}

fn head_and_tail(text: &str, chars: usize, kept: usize) -> String {
    if kept >= chars {
        return text.to_owned();
    }
    let tail = kept * 2 / 5;
    let end = text.char_indices().nth(kept - tail).map_or(text.len(), |(at, _)| at);
    let start = text.char_indices().nth(chars - tail).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (text.get(..end).unwrap_or_default(), text.get(start..).unwrap_or_default());
    format!("{head}[... {} characters left out ...]{tail}", chars - kept)
}

/// A conversation that can be cut at any level.
pub(super) struct Conversation {
    turns: Vec<String>,
    /// The key turns between start and end, the most important first.
    key: Vec<usize>,
    /// The trace without its turns.
    rest: Option<String>,
}

impl Conversation {
    /// Reads a trace. `None` if it has no turns.
    pub(super) fn read(trace: &Json, checkers: &[String]) -> Option<Self> {
        let turns = turns(trace)?;
        let texts: Vec<String> = turns.iter().map(Json::spaced).collect();
        let names = |text: &String| {
            checkers.iter().any(|name| !name.is_empty() && text.contains(name.as_str()))
        };
        let named = texts.iter().map(names).collect::<Vec<_>>();
        let numbered = || named.iter().zip(turns).enumerate();
        let checked = numbered().filter(|(_, (named, _))| **named);
        let called = numbered().filter(|(_, (named, turn))| !**named && calls_tool(turn));
        let key = checked.chain(called).map(|(at, _)| at).collect();
        let rest = trace.as_object().map(|object| {
            let rest = object.iter().filter(|(key, _)| *key != "conversation_history");
            rest.map(|(key, value)| (key.clone(), value.clone())).collect::<Object>()
        });
        let rest = rest.filter(|rest| !rest.is_empty()).map(|rest| Json::Object(rest).spaced());
        Some(Self { turns: texts, key, rest })
    }

    /// Returns the text at one level, and whether something is omitted.
    pub(super) fn cut(&self, level: u32, counter: &dyn Counter) -> (String, bool) {
        let Excerpt::Turns { head, tail, key, turn_tokens } = Excerpt::turns(level) else {
            return (String::new(), true);
        };
        let kept = self.kept(head, tail, key);
        let mut lines = Vec::with_capacity(kept.len() + 2);
        let mut is_cut = kept.len() < self.turns.len();
        let mut line = |whole: &str, tokens: u64| {
            let line = text(whole, tokens, counter);
            is_cut |= line.len() != whole.len() || line != whole;
            line
        };
        if let Some(rest) = &self.rest {
            lines.push(line(rest, turn_tokens * 2));
        }
        let mut next = 0;
        for at in kept {
            lines.extend(gap(next, at));
            let turn = self.turns.get(at).map(String::as_str).unwrap_or_default();
            lines.push(format!("turn {}: {}", at + 1, line(turn, turn_tokens)));
            next = at + 1;
        }
        lines.extend(gap(next, self.turns.len()));
        (lines.join("\n"), is_cut)
    }

    fn kept(&self, head: u64, tail: u64, key: u64) -> BTreeSet<usize> {
        let count = self.turns.len();
        let bound = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(count);
        let (head, tail) = (bound(head), count - bound(tail));
        let mut kept: BTreeSet<usize> = (0..head).chain(tail..count).collect();
        let between = self.key.iter().copied().filter(|at| (head..tail).contains(at));
        kept.extend(between.take(bound(key)));
        kept
    }
}

fn gap(from: usize, to: usize) -> Option<String> {
    match to.saturating_sub(from) {
        0 => None,
        1 => Some(format!("[... turn {to} left out ...]")),
        _ => Some(format!("[... turns {} to {to} left out ...]", from + 1)),
    }
}

fn calls_tool(turn: &Json) -> bool {
    let given = |key| turn.get(key).is_some_and(Json::is_truthy);
    turn.get("role").and_then(Json::as_str) == Some("tool")
        || given("tool_calls")
        || given("tool_call_id")
        || given("tool_name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::tokens::Estimate;

    #[test]
    fn a_text_keeps_as_much_head_and_tail_as_fits() {
        let long: String = (0..2_000).map(|n| format!("{n} ")).collect();
        let mut last = 0;
        for tokens in [20, 40, 80, 160, 1_000] {
            let cut = text(&long, tokens, &Estimate);
            assert!(Estimate.count(&cut) <= tokens);
            assert!(cut.starts_with("0 1 2") && cut.ends_with("1999 "), "{cut}");
            assert!(cut.len() > last);
            last = cut.len();
        }
        assert_eq!(text("short", 512, &Estimate), "short");
        assert_eq!(text("", 512, &Estimate), "");
    }

    fn conversation(turns: usize) -> Conversation {
        let turn = |at: usize| match at {
            20 => r#"{"role": "assistant", "content": "balance is wrong"}"#.to_owned(),
            30 => r#"{"role": "tool", "content": "42"}"#.to_owned(),
            at => format!(r#"{{"role": "user", "content": "turn number {at}"}}"#),
        };
        let turns: Vec<String> = (0..turns).map(turn).collect();
        let trace = format!(r#"{{"states": [1], "conversation_history": [{}]}}"#, turns.join(","));
        Conversation::read(&Json::parse(&trace).unwrap(), &["balance".to_owned()]).unwrap()
    }

    #[test]
    fn a_conversation_keeps_head_tail_and_key_turns_and_names_its_gaps() {
        let (text, is_cut) = conversation(50).cut(0, &Estimate);
        assert!(is_cut);
        let lines: Vec<&str> = text.lines().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(
            lines,
            [
                "{\"states\"",
                "turn 1",
                "turn 2",
                "[... turns 3 to 20 left out ...]",
                "turn 21",
                "[... turns 22 to 30 left out ...]",
                "turn 31",
                "[... turns 32 to 47 left out ...]",
                "turn 48",
                "turn 49",
                "turn 50",
            ]
        );
    }

    #[test]
    fn a_deeper_level_keeps_all_that_the_level_below_kept() {
        let conversation = conversation(200);
        let mut below = BTreeSet::new();
        for level in 0..7 {
            let Excerpt::Turns { head, tail, key, .. } = Excerpt::turns(level) else { panic!() };
            let kept = conversation.kept(head, tail, key);
            assert!(kept.is_superset(&below));
            below = kept;
        }
        assert_eq!(below.len(), 200);
        assert!(!conversation.cut(6, &Estimate).1);
    }
}
