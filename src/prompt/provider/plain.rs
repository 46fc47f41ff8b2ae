//! Reads plain messages from JSON text as turns, without a JSON value of each.
//!
//! Most messages of a long conversation are plain: a role, one text, calls and the id of a call. Reading
//! them takes a fifth of the time of parsing values and converting them. Any other text gives nothing,
//! and the caller parses it. The turns equal those of [`read`](super::read).

use super::part::{Arguments, CallPart, Part, ResultPart};
use super::turn::{Block, Speaker, Turn};
use crate::value::json::string_at;
use std::borrow::Cow;

/// The turns of plain messages.
pub(super) struct Plain {
    pub turns: Vec<Turn>,
    /// The number of list items and object members.
    pub values: usize,
}

/// Reads the text of a list of plain messages. `first` is the position of the first one. Returns nothing
/// for any other text.
pub(super) fn read(text: &str, first: usize) -> Option<Plain> {
    let mut reader = Reader { text, at: 0, buffer: String::new(), values: 0 };
    let mut turns = Vec::new();
    reader.items(|reader| {
        let turn = reader.message(first + turns.len())?;
        turns.push(turn);
        Some(())
    })?;
    reader.space();
    (reader.at == text.len()).then_some(Plain { turns, values: reader.values })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The buffer of strings with escapes.
    buffer: String,
    values: usize,
}

/// A value of a member that occurs once.
fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn items(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.list((b'[', b']'), item)
    }

    /// Reads the members of an object. `member` reads the value of a key without escapes.
    fn members(&mut self, mut member: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        let text: &'t str = self.text;
        self.list((b'{', b'}'), |reader| {
            reader.eat(b'"')?;
            let start = reader.at;
            while reader.peek()?.is_ascii_lowercase() || reader.peek()? == b'_' {
                reader.at += 1;
            }
            let key = text.get(start..reader.at)?;
            reader.eat(b'"')?;
            reader.space();
            reader.eat(b':')?;
            reader.space();
            member(reader, key)
        })
    }

    /// Reads what is between two brackets.
    fn list(
        &mut self,
        (open, close): (u8, u8),
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.space();
        self.eat(open)?;
        self.space();
        if self.eat(close).is_some() {
            return Some(());
        }
        loop {
            self.space();
            self.values += 1;
            item(self)?;
            self.space();
            if self.eat(close).is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }

    fn string<T>(&mut self, make: impl FnOnce(Cow<'_, str>) -> T) -> Option<T> {
        let (value, end) = string_at(self.text, self.at, &mut self.buffer)?;
        let made = make(value);
        self.at = end;
        Some(made)
    }

    fn owned(&mut self) -> Option<String> {
        self.string(|text| text.into_owned())
    }

    fn message(&mut self, at: usize) -> Option<Turn> {
        let (mut role, mut content, mut answers) = (None, None, None);
        let mut calls: Vec<Block> = Vec::new();
        self.members(|reader, key| match key {
            "role" => {
                let found = reader.string(|role| speaker(&role))??;
                once(&mut role, found)
            }
            "content" if reader.peek() == Some(b'"') => {
                let text = reader.string(|text| Part::Text(text.into_owned().into()))?;
                once(&mut content, Some(text))
            }
            "content" => {
                reader.null()?;
                once(&mut content, None)
            }
            "tool_call_id" => {
                let id = reader.owned()?;
                once(&mut answers, id)
            }
            "tool_calls" if calls.is_empty() => reader.items(|reader| {
                let call = reader.call()?;
                calls.push(Block::new(Some(at), Part::ToolCall(call)));
                Some(())
            }),
            _ => None,
        })?;
        let text = content.flatten();
        let (speaker, blocks) = match (role?, answers) {
            (Speaker::Tool, Some(call_id)) if calls.is_empty() && !call_id.is_empty() => {
                let parts = text.into_iter().collect();
                let answer = ResultPart { call_id, tool_name: String::new(), parts, failed: false };
                (Speaker::Tool, vec![Block::new(Some(at), Part::ToolResult(answer))])
            }
            (Speaker::Assistant, None) => {
                let mut blocks = Vec::with_capacity(calls.len() + 1);
                blocks.extend(text.map(|part| Block::new(Some(at), part)));
                blocks.append(&mut calls);
                (Speaker::Assistant, blocks)
            }
            (speaker @ (Speaker::User | Speaker::System | Speaker::Developer), None)
                if calls.is_empty() =>
            {
                (speaker, text.map(|part| Block::new(Some(at), part)).into_iter().collect())
            }
            (
                Speaker::Tool
                | Speaker::Assistant
                | Speaker::User
                | Speaker::System
                | Speaker::Developer,
                _,
            ) => return None,
        };
        Some(Turn { at: Some(at), speaker, name: None, blocks })
    }

    fn null(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        rest.starts_with("null").then(|| self.at += 4)
    }

    fn call(&mut self) -> Option<CallPart> {
        let (mut id, mut kind, mut function) = (None, None, None);
        self.members(|reader, key| match key {
            "id" => {
                let found = reader.owned()?;
                once(&mut id, found)
            }
            "type" => {
                reader.string(|_| ())?;
                once(&mut kind, ())
            }
            "function" => {
                let found = reader.function()?;
                once(&mut function, found)
            }
            _ => None,
        })?;
        let (name, arguments) = function?;
        Some(CallPart { id: id?, name, arguments })
    }

    fn function(&mut self) -> Option<(String, Arguments)> {
        let (mut name, mut arguments) = (None, None);
        self.members(|reader, key| match key {
            "name" => {
                let found = reader.owned()?;
                once(&mut name, found)
            }
            "arguments" => {
                let found = reader.string(|text| Arguments::Text(text.into_owned().into()))?;
                once(&mut arguments, found)
            }
            _ => None,
        })?;
        Some((name.filter(|name: &String| !name.is_empty())?, arguments?))
    }
}

fn speaker(role: &str) -> Option<Speaker> {
    match role {
        "system" => Some(Speaker::System),
        "developer" => Some(Speaker::Developer),
        "user" => Some(Speaker::User),
        "assistant" => Some(Speaker::Assistant),
        "tool" => Some(Speaker::Tool),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::prompt::provider::{Provider, loss::Losses, read};
    use crate::value::arguments::Argument;
    use crate::value::json::{Field, Json};
    use crate::value::message::Message;

    #[test]
    fn plain_messages_are_read_as_all_others() {
        let mut plain = 0;
        for text in [
            r#"[]"#,
            r#" [ {"role" : "user", "content": "a \"b\" \u00e9 \n"} ] "#,
            r#"[{"role":"system","content":""},{"role":"developer","content":null},{"role":"user"}]"#,
            r#"[{"role":"assistant","content":"x","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"y"}]"#,
            r#"[{"tool_calls":[{"function":{"arguments":"","name":"f"},"id":""}],"role":"assistant"},{"content":null,"role":"tool","tool_call_id":"c"}]"#,
            // the other reader reads these
            r#"[{"role":"user","content":"a","name":"b"}]"#,
            r#"[{"role":"user","content":[{"type":"text","text":"a"}]}]"#,
            r#"[{"role":"user","content":"a","content":"b"}]"#,
            r#"[{"role":"user","content":"a","tool_call_id":"c"}]"#,
            r#"[{"role":"tool","content":"a"}]"#,
            r#"[{"role":"tool","content":"a","tool_call_id":""}]"#,
            r#"[{"role":"user","content":"a","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]"#,
            r#"[{"role":"assistant","content":"a","tool_calls":[{"id":"c","function":{"name":"","arguments":"{}"}}]}]"#,
            r#"[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":{}}}]}]"#,
            r#"[{"type":"human","content":"a"}]"#,
            r#"[{"role":"human","content":"a"}]"#,
        ] {
            let json = Json::parse(text).unwrap();
            let messages = Message::read_list(&Field::root(&json)).unwrap_or_default();
            let mut losses = Losses::of(Provider::Neutral.as_str());
            let expected = read::read(&messages.iter().collect::<Vec<_>>(), &mut losses);
            if let Some(found) = super::read(text, 0) {
                assert_eq!(found.turns, expected, "{text}");
                assert!(losses.finish(&[]).is_empty(), "{text}");
                plain += 1;
            }
        }
        assert_eq!(plain, 5);
    }

    #[test]
    fn text_that_is_not_json_is_not_plain() {
        for text in [
            "",
            "[",
            "[{}",
            "[{}]x",
            "[,]",
            "[{\"role\":\"user\",}]",
            "[{\"role\":\"user\"},]",
            "{}",
        ] {
            assert!(super::read(text, 0).is_none(), "{text}");
        }
    }
}
