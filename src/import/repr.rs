//! Python's `repr` of a value: single quotes, `None`, `True`. Objects without another form, such as
//! `<function f at 0x7f>`, become `null`.

use crate::value::json::{Json, Number, Object, read_double};

/// Reads the value at the start of a text, if there is one.
pub fn read(text: &str) -> Option<Json> {
    let mut reader = Reader { text, at: 0 };
    reader.value(0)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > 120 {
            return None;
        }
        self.space();
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.list('[', ']', depth),
            '(' => self.list('(', ')', depth),
            '\'' | '"' => self.string().map(Json::from),
            '<' => self.skip_angle(),
            sign if sign == '-' || sign.is_ascii_digit() => self.number(),
            _ => self.word(depth),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        self.next();
        let mut out = Object::default();
        loop {
            self.space();
            if self.eat("}") {
                return Some(Json::Object(out));
            }
            let key = match self.value(depth + 1)? {
                Json::String(key) => key,
                other => other.to_string(),
            };
            self.space();
            if self.eat(":") {
                let item = self.value(depth + 1)?;
                out.insert(key, item);
            }
            self.space();
            if !self.eat(",") && self.peek() != Some('}') {
                return None;
            }
        }
    }

    fn list(&mut self, open: char, close: char, depth: usize) -> Option<Json> {
        debug_assert_eq!(self.peek(), Some(open));
        self.next();
        let mut items = Vec::new();
        loop {
            self.space();
            if self.peek() == Some(close) {
                self.next();
                return Some(Json::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.space();
            if !self.eat(",") && self.peek() != Some(close) {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.next()?;
        let mut out = String::new();
        loop {
            let next = self.next()?;
            if next == quote {
                return Some(out);
            }
            if next != '\\' {
                out.push(next);
                continue;
            }
            match self.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                'x' => self.code(2, &mut out)?,
                'u' => self.code(4, &mut out)?,
                'U' => self.code(8, &mut out)?,
                other => out.push(other),
            }
        }
    }

    fn code(&mut self, digits: usize, out: &mut String) -> Option<()> {
        let hex = self.text.get(self.at..self.at + digits)?;
        let code = u32::from_str_radix(hex, 16).ok()?;
        self.at += digits;
        out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
        Some(())
    }

    fn number(&mut self) -> Option<Json> {
        let rest = self.rest();
        let end = rest
            .find(|sign: char| !(sign.is_ascii_alphanumeric() || "+-.".contains(sign)))
            .unwrap_or(rest.len());
        let digits = rest.get(..end)?.to_owned();
        self.at += end;
        if let Ok(whole) = digits.parse::<i64>() {
            return Some(Json::from(whole));
        }
        read_double(&digits).and_then(Number::from_f64).map(Json::Number)
    }

    /// `<function f at 0x7f>`: skips to the closing bracket.
    fn skip_angle(&mut self) -> Option<Json> {
        let mut depth = 0_usize;
        loop {
            match self.next()? {
                '<' => depth += 1,
                '>' if depth <= 1 => return Some(Json::Null),
                '>' => depth -= 1,
                '\n' => return None,
                _ => {}
            }
        }
    }

    /// A constant, or a class with its arguments: `Timeout(connect=5.0)`.
    fn word(&mut self, depth: usize) -> Option<Json> {
        let rest = self.rest();
        let end = rest
            .find(|sign: char| !(sign.is_alphanumeric() || "_.".contains(sign)))
            .unwrap_or(rest.len());
        let name = rest.get(..end)?.to_owned();
        if name.is_empty() {
            return None;
        }
        self.at += end;
        match self.peek() {
            Some('\'' | '"') if matches!(name.as_str(), "b" | "r" | "u" | "f") => {
                return self.string().map(Json::from);
            }
            Some('(') => return self.arguments(depth),
            _ => {}
        }
        match name.as_str() {
            "True" | "true" => Some(Json::Bool(true)),
            "False" | "false" => Some(Json::Bool(false)),
            _ => Some(Json::Null),
        }
    }

    /// The arguments of a class: the single argument without a name, otherwise an object of the
    /// named ones.
    fn arguments(&mut self, depth: usize) -> Option<Json> {
        self.next();
        let mut named = Object::default();
        let mut plain = Vec::new();
        loop {
            self.space();
            if self.eat(")") {
                break;
            }
            let rest = self.rest();
            let end = rest.find(|sign: char| !(sign.is_alphanumeric() || sign == '_')).unwrap_or(0);
            let name = rest.get(..end).unwrap_or("").to_owned();
            let follows = rest.get(end..).unwrap_or("");
            if !name.is_empty() && follows.starts_with('=') {
                self.at += end + 1;
                let item = self.value(depth + 1)?;
                named.insert(name, item);
            } else {
                plain.push(self.value(depth + 1)?);
            }
            self.space();
            if !self.eat(",") && self.peek() != Some(')') {
                return None;
            }
        }
        Some(if plain.len() == 1 && named.is_empty() {
            plain.pop().unwrap_or_default()
        } else if named.is_empty() {
            Json::Array(plain)
        } else {
            Json::Object(named)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_constants_and_objects_without_a_form() {
        let text = r#"{'a': "it's", 'b': [None, True, 1.5, -3], 'f': <function g at 0x7f>, 't': ('x',), 'c': Timeout(connect=5.0, read=<object <inner>>), 'é': 'a\n\u4e2d\x41\'', 'h': Headers({'k': 'v'})} tail"#;
        assert_eq!(
            read(text).map(|json| json.to_string()).as_deref(),
            Some(
                r#"{"a":"it's","b":[null,true,1.5,-3],"f":null,"t":["x"],"c":{"connect":5.0,"read":null},"é":"a\n中A'","h":{"k":"v"}}"#
            )
        );
    }

    #[test]
    fn a_value_that_is_cut_off_is_none() {
        for text in ["{'a': ", "{'a': 'b", "[1, 2", "<function", "{'a' 1}", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
