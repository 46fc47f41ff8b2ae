//! Whether a text is a summary of a conversation.

/// Words that summaries of conversations have, in lower case.
const SUMMARY: [&str; 22] = [
    "summary of the conversation",
    "summary of our conversation",
    "summary of the session",
    "summary of the earlier",
    "summary of the previous",
    "summary of earlier",
    "summary of previous",
    "conversation summary",
    "context summary",
    "session summary",
    "conversation so far",
    "conversation history",
    "previous conversation",
    "earlier conversation",
    "earlier messages",
    "summarized below",
    "following summary",
    "produced a summary",
    "<summary",
    "state_snapshot",
    "compacted",
    "condensed",
];
/// Words that summaries start with.
const SUMMARY_START: [&str; 3] = ["summary", "here is a summary", "here's a summary"];
/// Words that summaries and requests for one have.
const ABOUT_SUMMARY: [&str; 4] = ["summary", "summariz", "summaris", "recap"];
/// The number of characters that are searched for these words.
const HEAD: usize = 400;

/// How a text reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reading {
    Other,
    /// A summary, or a request for one.
    Perhaps,
    Summary,
}

/// Returns how a text reads.
pub(super) fn reading(text: &str) -> Reading {
    let head: String = text.chars().take(HEAD).collect();
    let head = head.to_lowercase();
    let start = head.trim_start_matches(|c: char| !c.is_alphabetic());
    let has = |words: &[&str]| words.iter().any(|word| head.contains(word));
    match () {
        () if has(&SUMMARY) || SUMMARY_START.iter().any(|word| start.starts_with(word)) => {
            Reading::Summary
        }
        () if has(&ABOUT_SUMMARY) => Reading::Perhaps,
        () => Reading::Other,
    }
}
