//! The reasoning of an assistant: text, or the parts of its provider.

use crate::Json;

/// The key of reasoning, in a card's metadata and in a message.
///
/// ```
/// use tuckbox::render::{REASONING, THINKING_BLOCKS};
///
/// // where a host finds what a model thought, in cards and in messages
/// assert_eq!((REASONING, THINKING_BLOCKS), ("reasoning_content", "thinking_blocks"));
/// ```
pub const REASONING: &str = "reasoning_content";

/// The key of reasoning in the parts of its provider, with their signatures. The next request to
/// that provider contains these parts.
///
/// Shown by the example of [`REASONING`].
pub const THINKING_BLOCKS: &str = "thinking_blocks";

/// Returns the text of `reasoning_content`, if it has one.
///
/// Text is returned verbatim. Of an object it is the `text`, or the `content` if it has no `text`.
/// The texts and objects of a list are joined. Any other value is in its text form.
pub(super) fn reasoning(value: &Json) -> Option<String> {
    let words = match value {
        Json::Null => return None,
        Json::Array(items) => {
            let words = items.iter().filter_map(|item| match item {
                Json::String(text) => Some(text.clone()),
                Json::Object(_) => words(item),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => None,
            });
            words.collect()
        }
        Json::Object(_) => words(value)?,
        Json::Bool(_) | Json::Number(_) | Json::String(_) => value.text_form(),
    };
    Some(words).filter(|words| !words.is_empty())
}

fn words(part: &Json) -> Option<String> {
    let given = |key| part.get(key).filter(|value| !value.is_null());
    given("text").or_else(|| given("content")).map(Json::text_form)
}
