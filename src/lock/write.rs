//! The text of entries and of a lockfile.

use super::entry::{Content, Entry, short_hash};
use crate::value::json::write_string;
use std::fmt::Write;

/// The version of the format.
pub(super) const VERSION: &str = "1";
/// The start of the first line; the version follows.
pub(super) const HEADER: &str = "# tuckbox.lock v";
const HINT: &str = "Written by `tuckbox lock update`. Do not edit.";
/// The first word of a position that starts another message of the same role.
pub(super) const ANOTHER: &str = "another";
/// The last line. It shows that the file is complete.
pub(super) const END: &str = "# end";

/// Returns the text of a lockfile. The entries are sorted by name.
pub(super) fn file(entries: &[Entry]) -> String {
    let mut out = format!("{HEADER}{VERSION}. {HINT}\n\n");
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    for entry in sorted {
        out.push_str(&block(entry));
        out.push('\n');
    }
    out.push_str(END);
    out.push('\n');
    out
}

/// Returns the first line of an entry.
pub(super) fn first_line(name: &str) -> String {
    let mut out = String::from("entry ");
    quote(name, &mut out);
    out.push('\n');
    out
}

/// Returns the lines of an entry. The last one has the hash of the others.
pub(super) fn block(entry: &Entry) -> String {
    let mut out = first_line(&entry.name);
    if let Some(from) = &entry.from {
        Line::new("from", &mut out).text(from).end();
    }
    let mut line = Line::new("provider", &mut out);
    line.word(&entry.provider);
    if let Some(model) = &entry.model {
        line.text(model);
    }
    line.end();
    for parameter in &entry.parameters {
        Line::new("parameter", &mut out).text(&parameter.name).word(&parameter.value).end();
    }
    for tool in &entry.tools {
        let mut line = Line::new("tool", &mut out);
        line.text(&tool.name).number(tool.tokens).word(&tool.hash).word(&tool.schema);
        if let Some(mark) = tool.mark {
            line.word(mark.as_str());
        }
        line.end();
    }
    for position in &entry.positions {
        let first = if position.is_another { ANOTHER } else { position.list.as_str() };
        let mut line = Line::new(first, &mut out);
        line.name(&position.kind).name(&position.role);
        match &position.content {
            Content::Fixed { tokens, hash } => line.number(*tokens).word(hash),
            Content::Volatile { least, most } => line.word(&format!("{least}..{most}")).word("~"),
        };
        line.text(&position.cause);
        if let Some(mark) = position.mark {
            line.word(mark.as_str());
        }
        if let Some(excerpt) = &position.excerpt {
            line.text(excerpt);
        }
        line.end();
    }
    for finding in &entry.findings {
        let mut line = Line::new(finding.kind.as_str(), &mut out);
        line.name(&finding.code).number(finding.count).end();
    }
    let totals = entry.totals();
    let mut line = Line::new("tokens", &mut out);
    line.number(totals.all());
    line.word("tools").number(totals.tools).word("system").number(totals.system);
    line.word("messages").number(totals.messages);
    if entry.is_volatile() {
        line.word("~");
    }
    line.end();
    Line::new("prefix", &mut out).number(entry.prefix).end();
    let hash = short_hash(&out);
    Line::new("end", &mut out).word(&hash).end();
    out
}

/// A line: words that are separated by one space.
struct Line<'a>(&'a mut String);

impl<'a> Line<'a> {
    fn new(first: &str, out: &'a mut String) -> Self {
        out.push_str("  ");
        out.push_str(first);
        Self(out)
    }

    fn word(&mut self, word: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(word);
        self
    }

    /// Adds text in quotes.
    fn text(&mut self, text: &str) -> &mut Self {
        self.0.push(' ');
        quote(text, self.0);
        self
    }

    /// Adds a word without quotes where that is possible.
    fn name(&mut self, name: &str) -> &mut Self {
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        match !name.is_empty() && name.bytes().all(is_plain) {
            true => self.word(name),
            false => self.text(name),
        }
    }

    fn number(&mut self, number: u64) -> &mut Self {
        // writing to a string cannot fail
        let _ = write!(self.0, " {number}");
        self
    }

    fn end(&mut self) {
        self.0.push('\n');
    }
}

/// Writes a JSON string. Characters that hide or reorder text on a screen are escaped.
fn quote(text: &str, out: &mut String) {
    if !has_hidden(text) {
        return write_string(text, out);
    }
    let mut quoted = String::new();
    write_string(text, &mut quoted);
    for c in quoted.chars() {
        match is_hidden(c) {
            true => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            false => out.push(c),
        }
    }
}

/// Returns true for text with hidden characters. Most text is ASCII, of which one is hidden.
pub(super) fn has_hidden(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0x7f) && text.chars().any(is_hidden)
}

/// Returns true for characters that a reader of a diff does not see.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
