//! Where two values differ, in words.

use super::answer::{CachePlace, ChangedWords};
use super::hash::Content;
use crate::value::json::Json;

/// The maximum number of characters of an excerpt.
const MAX_EXCERPT: usize = 80;

/// Describes where two contents first differ.
pub(super) fn describe(before: &Content<'_>, after: &Content<'_>, place: &mut CachePlace) {
    match (before.text(), after.text()) {
        (Some(before), Some(after)) => describe_text(before, after, place),
        (_, _) => {
            let mut path = String::new();
            let found = match (before, after) {
                (Content::Block(before), Content::Block(after)) => {
                    difference_in(before, after, &mut path)
                }
                (Content::Value(before), Content::Value(after)) => {
                    difference(before, after, &mut path)
                }
                (_, _) => None,
            };
            let path = path.trim_start_matches('.').to_owned();
            place.path = Some(path).filter(|path| !path.is_empty());
            match found {
                Some(Difference::Text(before, after)) => describe_text(before, after, place),
                Some(Difference::KeyOrder) => place.change = Some("key_order"),
                Some(Difference::Value) | None => {}
            }
        }
    }
}

enum Difference<'a> {
    Text(&'a str, &'a str),
    KeyOrder,
    Value,
}

fn difference_in<'a>(
    before: &'a crate::value::json::Object,
    after: &'a crate::value::json::Object,
    path: &mut String,
) -> Option<Difference<'a>> {
    let mut sizes_differ = before.len() != after.len();
    for (key, old) in before {
        let mark = path.len();
        path.push('.');
        path.push_str(key);
        match after.get(key) {
            Some(new) => {
                if let Some(found) = difference(old, new, path) {
                    return Some(found);
                }
            }
            None if is_mark(key) => sizes_differ = before.len() - 1 != after.len(),
            None => return Some(Difference::Value),
        }
        path.truncate(mark);
    }
    if sizes_differ {
        let added = after.keys().find(|key| !before.contains_key(key) && !is_mark(key));
        if let Some(key) = added {
            path.push('.');
            path.push_str(key);
            return Some(Difference::Value);
        }
    }
    (!before.keys().eq(after.keys())).then_some(Difference::KeyOrder)
}

fn is_mark(key: &str) -> bool {
    matches!(key, "cache_control" | "prompt_cache_breakpoint")
}

fn difference<'a>(before: &'a Json, after: &'a Json, path: &mut String) -> Option<Difference<'a>> {
    match (before, after) {
        (Json::String(before), Json::String(after)) => {
            (before != after).then_some(Difference::Text(before, after))
        }
        (Json::Array(old), Json::Array(new)) => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                let mark = path.len();
                path.push_str(&format!("[{index}]"));
                if let Some(found) = difference(old, new, path) {
                    return Some(found);
                }
                path.truncate(mark);
            }
            (old.len() != new.len()).then_some(Difference::Value)
        }
        (Json::Object(before), Json::Object(after)) => difference_in(before, after, path),
        (before, after) => (before != after).then_some(Difference::Value),
    }
}

/// Returns the words that differ, and the kind of a value that changes with each request.
pub(crate) fn changed_words(
    before: &str,
    after: &str,
) -> (Option<ChangedWords>, Option<&'static str>) {
    let mut place = CachePlace::default();
    if before != after {
        describe_text(before, after, &mut place);
    }
    (place.words, place.volatile)
}

fn describe_text(before: &str, after: &str, place: &mut CachePlace) {
    let pairs = before.chars().zip(after.chars());
    let same = pairs.take_while(|(before, after)| before == after).count();
    let bytes = |text: &str| text.char_indices().nth(same).map_or(text.len(), |(at, _)| at);
    let (old, new) = (bytes(before), bytes(after));
    let tail = |text: &str, from: usize| {
        text.get(from..).unwrap_or_default().chars().rev().collect::<Vec<_>>()
    };
    let (old_tail, new_tail) = (tail(before, old), tail(after, new));
    let ends = old_tail.iter().zip(&new_tail).take_while(|(old, new)| old == new).count();
    let words = |text: &str, from: usize, tail: usize| {
        let to =
            text.len() - text.chars().rev().take(ends.min(tail)).map(char::len_utf8).sum::<usize>();
        word_range(text, from, to)
    };
    let (was, is) = (words(before, old, old_tail.len()), words(after, new, new_tail.len()));
    place.character = Some(same);
    place.volatile = volatile(&was).filter(|_| volatile(&is).is_some());
    place.words = Some(ChangedWords { before: excerpt(&was), after: excerpt(&is) });
}

/// Returns the whole words around a range.
fn word_range(text: &str, from: usize, to: usize) -> String {
    let is_edge =
        |c: char| c.is_whitespace() || matches!(c, '"' | ',' | ';' | '(' | ')' | '<' | '>');
    let start = text.get(..from).unwrap_or_default().rfind(is_edge).map_or(0, |at| {
        at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    let rest = text.get(to.max(from)..).unwrap_or_default();
    let end = to.max(from) + rest.find(is_edge).unwrap_or(rest.len());
    text.get(start..end).unwrap_or_default().to_owned()
}

fn excerpt(words: &str) -> String {
    let mut short: String = words.chars().take(MAX_EXCERPT).collect();
    if short.len() < words.len() {
        short.push('…');
    }
    short
}

/// Returns the kind of a value that changes with each request.
fn volatile(words: &str) -> Option<&'static str> {
    let words = words.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = words.bytes().filter(u8::is_ascii_digit).count();
    if words.is_empty() || words.len() > 48 {
        return None;
    }
    let all = |allowed: fn(char) -> bool| words.chars().all(allowed);
    let hex = words.chars().filter(char::is_ascii_hexdigit).count();
    let groups: Vec<usize> = words.split('-').map(str::len).collect();
    let lower = words.to_ascii_lowercase();
    let has_day =
        ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].iter().any(|day| lower.starts_with(day))
            && !lower.contains('_');
    let months =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let has_month = months.iter().any(|month| {
        lower
            .split(|c: char| !c.is_alphabetic())
            .any(|word| word.starts_with(month) && word.len() <= 9)
    });
    if groups == [8, 4, 4, 4, 12] || hex == words.len() && hex >= 16 && digits < words.len() {
        return Some("uuid");
    }
    if words.contains(':')
        && digits >= 3
        && all(|c| c.is_ascii_digit() || "-:TZ+. apmAPM".contains(c))
    {
        return Some("time");
    }
    let dashes = words.matches(['-', '/', '.']).count();
    if digits >= 4 && dashes >= 2 && all(|c| c.is_ascii_digit() || "-/.T".contains(c)) {
        return Some("date");
    }
    if (has_month || has_day) && (digits > 0 || !words.contains(' ')) && digits + 24 > words.len() {
        return (digits > 0).then_some("date");
    }
    if digits == words.len() {
        return Some(if digits >= 10 { "time" } else { "counter" });
    }
    // a counter with a name: `#12`, `step-12`, `turn=12`
    let number = words.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    (!number.is_empty() && digits == number.len()).then_some("counter")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(before: &str, after: &str) -> CachePlace {
        let mut place = CachePlace::default();
        describe_text(before, after, &mut place);
        place
    }

    #[test]
    fn words_that_differ_are_whole() {
        let found = place("Be brief. Today is 2026-11-17.", "Be brief. Today is 2026-11-18.");
        let words = found.words.unwrap();
        assert_eq!((words.before.as_str(), words.after.as_str()), ("2026-11-17.", "2026-11-18."));
        assert_eq!((found.volatile, found.character), (Some("date"), Some(28)));
    }

    #[test]
    fn values_of_each_request_are_recognized() {
        let kind = |before, after| place(before, after).volatile;
        assert_eq!(kind("at 10:31:22 UTC", "at 10:32:07 UTC"), Some("time"));
        assert_eq!(kind("2026-11-17T10:31:22Z", "2026-11-17T10:32:07Z"), Some("time"));
        let ids = ["0b6f3f0e-3a54-4c1d-9b0e-7f2a8a6f1c11", "9c1f3f0e-3a54-4c1d-9b0e-7f2a8a6f1c99"];
        assert_eq!(kind(ids[0], ids[1]), Some("uuid"));
        assert_eq!(kind("request 17 of today", "request 18 of today"), Some("counter"));
        assert_eq!(kind("Be brief.", "Be thorough."), None);
        assert_eq!(kind("It is 18 Nov 2026", "It is 19 Nov 2026"), Some("counter"));
    }
}
