//! The reader of a lockfile. Any text that `write` does not make is an error with its line.

use super::entry::{Content, Entry, Finding, FindingKind, List, Mark, Parameter, Position, Tool};
use super::entry::{is_hash, short_hash};
use super::write::{ANOTHER, END, HEADER, VERSION};
use crate::value::json::Json;
use crate::{Error, Path, Result};
use std::collections::BTreeSet;

/// An update never replaces a file that it cannot read.
const RESTORE: &str = "restore the file, or delete it and run `npx tuckbox lock update`";

/// Reads a lockfile. Line ends of Windows are accepted.
pub(super) fn file(text: &str) -> Result<Vec<Entry>> {
    let entry = |found| match found {
        Found::Read(entry) => Some(entry),
        Found::Known(_) => None,
    };
    Ok(file_with(text, |_| None)?.into_iter().filter_map(entry).collect())
}

/// An entry of a file.
pub(super) enum Found {
    /// A block that was known, with its number.
    Known(usize),
    Read(Entry),
}

/// As [`file`]. A block that `known` returns a number and a name for is not read.
pub(super) fn file_with<'a>(
    text: &str,
    known: impl Fn(&str) -> Option<(usize, &'a str)>,
) -> Result<Vec<Found>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    if let Some((at, line)) = lines.iter().enumerate().find(|(_, line)| is_conflict(line)) {
        let message = format!(
            "the merge conflict `{}` is not resolved; take one side with `git checkout --ours`, then run `npx tuckbox lock update`",
            shortened(line)
        );
        return Err(wrong(at, message));
    }
    header(lines.first().copied().unwrap_or_default())?;
    let mut entries: Vec<Found> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut block: Option<(usize, Vec<&str>)> = None;
    let mut is_complete = false;
    for (at, line) in lines.iter().enumerate().skip(1) {
        if is_complete && !line.is_empty() {
            return Err(wrong(at, format!("found text after `{END}`; {RESTORE}")));
        }
        if line.starts_with("entry ") {
            unfinished(block.as_ref())?;
            block = Some((at, vec![*line]));
        } else if let Some((start, own)) = &mut block {
            own.push(line);
            if line.starts_with("  end ") {
                let (found, name) = match known(&(own.join("\n") + "\n")) {
                    Some((number, name)) => (Found::Known(number), name.to_owned()),
                    None => {
                        let entry = entry(*start, own)?;
                        let name = entry.name.clone();
                        (Found::Read(entry), name)
                    }
                };
                if names.contains(&name) {
                    let message = format!("two entries have the name `{name}`; delete one of them");
                    return Err(wrong(*start, message));
                }
                names.insert(name);
                entries.push(found);
                block = None;
            }
        } else if *line == END {
            is_complete = true;
        } else if !line.is_empty() {
            return Err(wrong(at, format!("unexpected text `{}`; {RESTORE}", shortened(line))));
        }
    }
    unfinished(block.as_ref())?;
    if !is_complete {
        let message = format!("the file is truncated: the last line `{END}` is missing; {RESTORE}");
        return Err(wrong(lines.len(), message));
    }
    Ok(entries)
}

/// Reads one block.
pub(super) fn block(text: &str) -> Result<Entry> {
    entry(0, &text.lines().collect::<Vec<_>>())
}

fn header(line: &str) -> Result<()> {
    let Some(rest) = line.strip_prefix(HEADER) else {
        let message = format!("the first line must start with `{HEADER}`; {RESTORE}");
        return Err(wrong(0, message));
    };
    let version = rest.split('.').next().unwrap_or_default();
    if version != VERSION {
        let message = format!(
            "unsupported version `{}`; expected `{VERSION}`; use the release of tuckbox that wrote it, or delete the file and run `npx tuckbox lock update`",
            shortened(version)
        );
        return Err(wrong(0, message));
    }
    Ok(())
}

fn is_conflict(line: &&&str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| line.starts_with(mark))
        || **line == "======="
}

fn unfinished(block: Option<&(usize, Vec<&str>)>) -> Result<()> {
    match block {
        Some((at, _)) => {
            Err(wrong(*at, format!("the file is truncated: this entry has no `end`; {RESTORE}")))
        }
        None => Ok(()),
    }
}

/// Returns an error at a line, from 0.
fn wrong(at: usize, message: impl std::fmt::Display) -> Error {
    let line = at + 1;
    Error::invalid_content(format!("line {line}: {message}"))
        .at(Path::root().key("lock"))
        .detail("line", line)
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

fn entry(start: usize, lines: &[&str]) -> Result<Entry> {
    let Some(((last, body), (first, _))) = lines.split_last().zip(lines.split_first()) else {
        return Err(wrong(start, "the entry is empty"));
    };
    let mut whole = String::new();
    for line in body {
        whole.push_str(line.trim_end_matches('\r'));
        whole.push('\n');
    }
    let mut entry =
        Entry { name: Words::new(start, first).after("entry")?.text()?, ..Entry::default() };
    for (at, line) in body.iter().enumerate().skip(1) {
        part(&mut entry, Words::new(start + at, line.strip_prefix("  ").unwrap_or(line)))?;
    }
    let hash = last.strip_prefix("  end ").unwrap_or_default();
    if hash != short_hash(&whole) {
        let message = format!("the entry `{}` was edited by hand; {RESTORE}", entry.name);
        return Err(wrong(start, message));
    }
    if entry.provider.is_empty() {
        return Err(wrong(start, "the entry has no `provider`"));
    }
    Ok(entry)
}

/// Reads one line of an entry.
fn part(entry: &mut Entry, mut words: Words<'_>) -> Result<()> {
    match words.word()? {
        "from" => entry.from = Some(words.text()?),
        "provider" => {
            entry.provider = words.word()?.to_owned();
            entry.model = words.maybe_text()?;
        }
        "parameter" => {
            let name = words.text()?;
            entry.parameters.push(Parameter { name, value: words.rest().to_owned() });
            return Ok(());
        }
        "tool" => {
            let (name, tokens) = (words.text()?, words.number()?);
            let (hash, schema) = (words.hash()?, words.hash()?);
            entry.tools.push(Tool { name, tokens, hash, schema, mark: words.mark() });
        }
        word @ ("system" | "message" | ANOTHER) => {
            let list = if word == "system" { List::System } else { List::Messages };
            let is_another = word == ANOTHER;
            let (kind, role) = (words.name()?, words.name()?);
            let content = words.content()?;
            let (cause, mark) = (words.text()?, words.mark());
            let excerpt = words.maybe_text()?;
            let position = Position { list, is_another, kind, role, content, cause, mark, excerpt };
            entry.positions.push(position);
        }
        "tokens" => return Ok(()),
        "prefix" => entry.prefix = words.number()?,
        word => match FindingKind::ALL.iter().find(|(known, _)| *known == word) {
            Some((_, kind)) => {
                let (code, count) = (words.name()?, words.number()?);
                entry.findings.push(Finding { kind: *kind, code, count });
            }
            None => return Err(words.wrong(format!("unknown line `{}`", shortened(word)))),
        },
    }
    words.finish()
}

/// The words of a line.
struct Words<'a> {
    at: usize,
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn new(at: usize, line: &'a str) -> Self {
        Self { at, rest: line.trim_end_matches('\r') }
    }

    fn wrong(&self, message: impl std::fmt::Display) -> Error {
        wrong(self.at, format!("{message}; {RESTORE}"))
    }

    fn after(mut self, word: &str) -> Result<Self> {
        match self.word()? == word {
            true => Ok(self),
            false => Err(self.wrong(format!("`{word}` is missing"))),
        }
    }

    fn rest(&self) -> &'a str {
        self.rest
    }

    fn word(&mut self) -> Result<&'a str> {
        let (word, rest) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
        if word.is_empty() {
            return Err(self.wrong("a word is missing"));
        }
        self.rest = rest;
        Ok(word)
    }

    fn is_quoted(&self) -> bool {
        self.rest.starts_with('"')
    }

    fn text(&mut self) -> Result<String> {
        let end = self.text_end().ok_or_else(|| self.wrong("text in quotes is missing"))?;
        let (text, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        let text = match Json::parse(text) {
            Ok(Json::String(text)) => text,
            _ => return Err(self.wrong("text in quotes cannot be read")),
        };
        self.rest = rest.strip_prefix(' ').unwrap_or(rest);
        Ok(text)
    }

    /// Returns the number of bytes of the quoted text.
    fn text_end(&self) -> Option<usize> {
        let mut is_escaped = false;
        for (at, byte) in self.rest.bytes().enumerate() {
            match byte {
                b'"' if at == 0 => {}
                _ if at == 0 => return None,
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => return Some(at + 1),
                _ => {}
            }
        }
        None
    }

    fn maybe_text(&mut self) -> Result<Option<String>> {
        if self.is_quoted() { self.text().map(Some) } else { Ok(None) }
    }

    fn name(&mut self) -> Result<String> {
        if self.is_quoted() { self.text() } else { self.word().map(str::to_owned) }
    }

    fn number(&mut self) -> Result<u64> {
        let word = self.word()?;
        word.parse().map_err(|_| self.wrong(format!("expected a number, found `{word}`")))
    }

    fn hash(&mut self) -> Result<String> {
        let word = self.word()?;
        match is_hash(word) {
            true => Ok(word.to_owned()),
            false => Err(self.wrong(format!("expected a hash, found `{}`", shortened(word)))),
        }
    }

    fn content(&mut self) -> Result<Content> {
        let word = self.word()?;
        if let Some((least, most)) = word.split_once("..") {
            let number =
                |text: &str| text.parse().map_err(|_| self.wrong("expected a range of tokens"));
            let (least, most) = (number(least)?, number(most)?);
            return match self.word()? {
                "~" => Ok(Content::Volatile { least, most }),
                _ => Err(self.wrong("expected `~` after a range")),
            };
        }
        let tokens = word.parse().map_err(|_| self.wrong("expected a number of tokens"))?;
        Ok(Content::Fixed { tokens, hash: self.hash()? })
    }

    fn mark(&mut self) -> Option<Mark> {
        let (word, rest) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
        let (_, mark) = Mark::ALL.iter().find(|(known, _)| *known == word)?;
        self.rest = rest;
        Some(*mark)
    }

    fn finish(&self) -> Result<()> {
        match self.rest.is_empty() {
            true => Ok(()),
            false => Err(self.wrong(format!("unexpected text `{}`", shortened(self.rest)))),
        }
    }
}
