//! Detection of text that looks like a key or a password. Lints name its kind, never the text.

use crate::value::find::contains;

/// The prefix of a key, the least length of the rest, and the kind.
const PREFIXES: [(&str, usize, &str); 14] = [
    ("sk-", 20, "an API key"),
    ("sk_live_", 16, "an API key"),
    ("rk_live_", 16, "an API key"),
    ("ghp_", 30, "a GitHub token"),
    ("gho_", 30, "a GitHub token"),
    ("ghs_", 30, "a GitHub token"),
    ("github_pat_", 22, "a GitHub token"),
    ("glpat-", 18, "a GitLab token"),
    ("xoxb-", 20, "a Slack token"),
    ("xoxp-", 20, "a Slack token"),
    ("AKIA", 16, "an AWS access key"),
    ("ASIA", 16, "an AWS access key"),
    ("AIza", 30, "a Google API key"),
    ("npm_", 30, "an npm token"),
];

/// Names whose assigned value is a secret.
const NAMES: [&str; 9] = [
    "password",
    "passwd",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "access_token",
    "auth_token",
    "private_key",
];

/// The least length of a key.
const MIN_LENGTH: usize = 20;

/// The number of characters of a value that are searched. It bounds the work for many names before a
/// long value.
const MAX_VALUE: usize = 200;

/// Returns the kinds of secrets that a text seems to contain, each once.
pub(crate) fn find(text: &str) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    let mut note = |kind: &'static str| {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    };
    if contains(text, "-----BEGIN ") && contains(text, "PRIVATE KEY-----") {
        note("a private key");
    }
    for word in words(text) {
        for (prefix, least, kind) in PREFIXES {
            if let Some(rest) = word.strip_prefix(prefix)
                && rest.len() >= least
                && rest.bytes().any(|byte| byte.is_ascii_digit())
            {
                note(kind);
            }
        }
        if is_web_token(word) {
            note("a signed web token");
        }
    }
    if assigns(text) {
        note("a password or key with its value");
    }
    kinds
}

/// Returns the runs of characters that keys consist of, and that are long enough for a key. These are
/// ASCII, so bytes are read: long texts are searched, and characters take longer to decode.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let runs = text.as_bytes().split(move |byte| !is_key(byte));
    let long = runs.filter(|run| run.len() >= MIN_LENGTH);
    long.filter_map(|run| str::from_utf8(run).ok())
}

/// Returns true for three dotted parts of which the first two are encoded objects.
fn is_web_token(word: &str) -> bool {
    if !word.starts_with("eyJ") {
        return false;
    }
    let parts: Vec<&str> = word.split('.').take(4).collect();
    let [head, body, mark] = parts.as_slice() else { return false };
    body.starts_with("eyJ") && head.len() > 10 && mark.len() > 10
}

/// Returns true for text such as `password = hunter22` or `"api_key": "..."`.
fn assigns(text: &str) -> bool {
    let signs = text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b':' | b'='));
    signs.map(|(at, _)| at).any(|at| {
        let name = text.get(..at).unwrap_or_default().trim_end_matches(['"', '\'', ' ']);
        let is_named = |known: &str| {
            let start = name.len().checked_sub(known.len());
            start.and_then(|start| name.get(start..)).is_some_and(|n| n.eq_ignore_ascii_case(known))
        };
        if !NAMES.iter().any(|known| is_named(known)) {
            return false;
        }
        let rest = text.get(at + 1..).unwrap_or_default();
        let value = rest.trim_start_matches(['=', ' ']).trim_start_matches(['"', '\'']);
        let characters = value.chars().take(MAX_VALUE);
        let characters =
            characters.take_while(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | ','));
        let end = characters.map(char::len_utf8).sum();
        let value = value.get(..end).unwrap_or_default();
        // a placeholder or a plain word is not a secret
        value.chars().count() >= 8
            && !value.starts_with(['<', '{', '$', '*'])
            && value.bytes().any(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_detected() {
        for (text, kind) in [
            ("use sk-proj-abcdefghij0123456789xyz now", "an API key"),
            ("token=ghp_0123456789abcdefghijABCDEFGHIJ012345", "a GitHub token"),
            ("AKIAIOSFODNN7EXAMPLE1", "an AWS access key"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMII", "a private key"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLi4u", "a signed web token"),
            ("db password = hunter22x", "a password or key with its value"),
            (r#"{"api_key": "a1b2c3d4e5"}"#, "a password or key with its value"),
        ] {
            assert!(find(text).contains(&kind), "{text}: {:?}", find(text));
        }
    }

    #[test]
    fn ordinary_text_is_not_a_secret() {
        for text in [
            "",
            "the password: please ask for it",
            "api_key = <your key 1>",
            "password: ${SECRET_1_PATH}",
            "sk-learn and sk-image",
            "a.b.c and eyJ",
            "card 0199c0de0123456789abcdef01234567",
        ] {
            assert_eq!(find(text), Vec::<&str>::new(), "{text}");
        }
    }
}
