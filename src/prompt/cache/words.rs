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
    let end = |text: &str, tail: usize| {
        text.len() - text.chars().rev().take(ends.min(tail)).map(char::len_utf8).sum::<usize>()
    };
    let (old_end, new_end) = (end(before, old_tail.len()), end(after, new_tail.len()));
    let kind = |old_end: usize, new_end: usize| {
        let (was, is) = (word_range(before, old, old_end), word_range(after, new, new_end));
        let around = [(before, old, old_end), (after, new, new_end)]
            .map(|(text, from, to)| phrase_around(text, from, to));
        volatile_pair([&was, &is], around)
    };
    place.character = Some(same);
    match has_other_key_order(before, after) {
        true => place.change = Some("key_order"),
        // the first word that differs decides where several do
        false => place.volatile = kind(old_end, new_end).or_else(|| kind(old, new)),
    }
    place.words = Some(ChangedWords {
        before: excerpt(&word_range(before, old, old_end)),
        after: excerpt(&word_range(after, new, new_end)),
    });
}

/// Returns true for two texts of JSON that differ only in the order of keys.
fn has_other_key_order(before: &str, after: &str) -> bool {
    let parsed = |text: &str| {
        let is_json = text.trim_start().starts_with(['{', '[']);
        is_json.then(|| Json::parse(text).ok()).flatten()
    };
    before != after
        && parsed(before).zip(parsed(after)).is_some_and(|(was, is)| has_same_values(&was, &is))
}

fn has_same_values(before: &Json, after: &Json) -> bool {
    match (before, after) {
        (Json::Object(before), Json::Object(after)) => {
            let same = |(key, was): (&String, &Json)| {
                after.get(key).is_some_and(|is| has_same_values(was, is))
            };
            before.len() == after.len() && before.iter().all(same)
        }
        (Json::Array(before), Json::Array(after)) => {
            before.len() == after.len()
                && before.iter().zip(after).all(|(was, is)| has_same_values(was, is))
        }
        (before, after) => before == after,
    }
}

/// Returns the kind of a value that changes with each request, for two values and the words around.
fn volatile_pair(words: [&str; 2], around: [&str; 2]) -> Option<&'static str> {
    let [was, is] = without_name(words);
    let kind = volatile(was).filter(|_| volatile(is).is_some());
    if !matches!(kind, None | Some("counter")) {
        return kind;
    }
    let [was, is] = [(was, around[0]), (is, around[1])].map(|(words, around)| dated(words, around));
    was.filter(|_| is.is_some()).or(kind)
}

/// Removes the name that both values start with: `id=`, `session_`.
fn without_name(words: [&str; 2]) -> [&str; 2] {
    let [was, is] = words;
    let pairs = was.char_indices().zip(is.chars());
    let same = pairs.take_while(|((_, was), is)| was == is && !was.is_ascii_digit());
    let ends = same.filter(|((_, c), _)| matches!(c, '=' | ':' | '_' | '-' | '/' | '#'));
    match ends.last() {
        Some(((at, _), _)) => words.map(|text| text.get(at + 1..).unwrap_or_default()),
        None => words,
    }
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

fn is_month(word: &str) -> bool {
    const FULL: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    MONTHS.contains(&word) || FULL.contains(&word) || word == "sept"
}

fn is_day(word: &str) -> bool {
    let rest = DAYS.iter().find_map(|day| word.strip_prefix(day));
    matches!(rest, Some("" | "day" | "sday" | "nesday" | "rsday" | "urday" | "s" | "rs"))
}

/// Returns the kind of a date or a time in words: `November 17, 2026 at 10:31 AM`.
fn dated(words: &str, around: &str) -> Option<&'static str> {
    let split = |text: &str| -> Vec<String> {
        let is_edge = |c: char| !c.is_alphanumeric() && c != ':';
        let words = text.split(is_edge).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let is_number = |word: &str| {
        let number = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end));
        let number = number.unwrap_or(word);
        number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_clock = |word: &str| {
        word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()) || is_half(word)
    };
    let is_part = |word: &String| {
        is_number(word)
            || is_month(word)
            || is_day(word)
            || is_clock(word)
            || matches!(word.as_str(), "at" | "of" | "the" | "utc" | "gmt" | "z")
    };
    let (words, around) = (split(words), split(around));
    if words.is_empty() || !words.iter().all(is_part) {
        return None;
    }
    let in_words = words.iter().any(|word| is_clock(word));
    let is_hour = around.iter().any(|word| is_half(word));
    let has_date = around.iter().any(|word| is_month(word) || is_day(word));
    match () {
        () if in_words || is_hour && !has_date => Some("time"),
        () if has_date => Some("date"),
        () => None,
    }
}

fn is_half(word: &str) -> bool {
    matches!(word, "am" | "pm")
}

/// Returns the words of a range and two words on each side.
fn phrase_around(text: &str, from: usize, to: usize) -> &str {
    let before = text.get(..from).unwrap_or_default();
    let mut spaces = before.rmatch_indices(char::is_whitespace).map(|(at, _)| at);
    let start = spaces.nth(2).unwrap_or(0);
    let end = to.max(from);
    let after = text.get(end..).unwrap_or_default();
    let mut spaces = after.match_indices(char::is_whitespace).map(|(at, _)| at);
    let length = spaces.nth(2).unwrap_or(after.len());
    text.get(start..end + length).unwrap_or_default()
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
    let is_mixed = digits > 0 && digits < words.len();
    if groups == [8, 4, 4, 4, 12] || hex == words.len() && hex >= 16 && is_mixed {
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
    if digits == words.len() {
        return Some(if digits >= 10 { "time" } else { "counter" });
    }
    if is_mixed && (hex == words.len() && hex >= 8 || is_random(words)) {
        return Some("id");
    }
    // a counter with a name: `#12`, `step-12`, `turn=12`
    let number = words.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    (!number.is_empty() && digits == number.len()).then_some("counter")
}

/// Returns true for a word whose letters and digits alternate as in random ids.
fn is_random(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let bytes = word.as_bytes();
    let changes = bytes.windows(2).filter(|pair| match pair {
        [one, two] => one.is_ascii_digit() != two.is_ascii_digit(),
        _ => false,
    });
    word.len() >= 10 && word.chars().all(is_plain) && changes.count() >= 4
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
        for (before, after, expected) in [
            ("It is 18 Nov 2026", "It is 19 Nov 2026", "date"),
            ("It is Tuesday.", "It is Wednesday.", "date"),
            ("Today is November 17, 2026.", "Today is November 18, 2026.", "date"),
            ("Now: November 17, 2026 at 10:31 AM", "Now: November 18, 2026 at 9:02 AM", "time"),
            ("Tue Nov 17 2026 10:31:22 GMT", "Wed Nov 18 2026 10:31:22 GMT", "date"),
            ("It is 3 PM.", "It is 4 PM.", "time"),
            ("now=1790000000", "now=1790000061", "time"),
            ("session sess_8f7d6a5b ends", "session sess_1c2d3e4f ends", "id"),
            ("req_011CZkL9xQvR4", "req_044DWmK2yPbS8", "id"),
            ("trace=0b6f3f0e3a544c1d", "trace=9c1f3f0e3a544c1d", "uuid"),
            (
                "At 2026-11-17T10:31:22Z for user 17.",
                "At 2026-11-17T10:32:09Z for user 18.",
                "time",
            ),
        ] {
            assert_eq!(kind(before, after), Some(expected), "{before}");
        }
        assert_eq!(kind("You may search.", "You must search."), None);
        assert_eq!(place(r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":1}"#).change, Some("key_order"));
    }
}
