//! Reads the requests of a session from the text of a call.
//!
//! The requests of a session repeat the messages before them. This reader compares the text of a body
//! with the text of the body before it, and parses only what follows. Every other message is parsed
//! once for each distinct text. A text with an unusual form gives nothing: the caller then parses the
//! whole text, which has the same result or a typed error.

use crate::value::Map;
use crate::value::json::{Hashing, Json, ParseLimits, parse_counted, plain_length};
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

/// A session whose messages are shared.
pub(super) struct RawSession {
    /// The arguments of the call, with an empty list of requests.
    pub call: Json,
    /// Bodies with an empty list of messages.
    pub heads: Vec<Json>,
    /// Bodies with one message each.
    pub messages: Vec<Json>,
    pub requests: Vec<RawRequest>,
    /// The messages of all requests.
    order: Vec<u32>,
}

pub(super) struct RawRequest {
    /// The request with an empty body.
    pub rest: Json,
    pub head: usize,
    messages: Range<usize>,
}

impl RawSession {
    /// Reads the text of a call. Returns nothing for an unusual one.
    pub fn read(text: &[u8], limits: &ParseLimits) -> Option<Self> {
        if text.len() > limits.max_bytes {
            return None;
        }
        let reader = Reader {
            text,
            at: 0,
            // bodies are three levels deep in a call
            limits: ParseLimits { max_depth: limits.max_depth.checked_sub(3)?, ..*limits },
            values_left: limits.max_values,
            known: Map::default(),
            scratch: Vec::new(),
            last: None,
            found: Self {
                call: Json::Null,
                heads: Vec::new(),
                messages: Vec::new(),
                requests: Vec::new(),
                order: Vec::new(),
            },
        };
        reader.call()
    }

    /// Returns the indexes of the messages of a request.
    pub fn messages_of(&self, request: &RawRequest) -> impl Iterator<Item = usize> {
        let list = self.order.get(request.messages.clone()).unwrap_or_default();
        list.iter().map(|at| *at as usize)
    }
}

/// The keys of the list of messages.
const LISTS: [&[u8]; 3] = [b"messages", b"input", b"contents"];

/// The text of a body. Positions are relative to its start.
struct Body {
    start: usize,
    end: usize,
    head: usize,
    list: Option<List>,
}

struct List {
    key: &'static [u8],
    /// The position after the bracket that opens the list, and of the one that closes it.
    open: usize,
    close: usize,
    /// The end and the index of each message.
    messages: Vec<(usize, u32)>,
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    limits: ParseLimits,
    values_left: usize,
    /// The text and the index of messages and heads, by a hash of the text.
    known: Map<u64, ([Range<usize>; 2], usize)>,
    scratch: Vec<u8>,
    last: Option<Body>,
    found: RawSession,
}

impl<'t> Reader<'t> {
    fn call(mut self) -> Option<RawSession> {
        let mut list = None;
        self.space();
        self.members(|reader, key| {
            if key != b"requests" {
                return reader.value().map(drop);
            }
            let start = reader.at;
            reader.items(Self::request)?;
            list.replace(start..reader.at).is_none().then_some(())
        })?;
        self.space();
        if self.at != self.text.len() {
            return None;
        }
        let list = list?;
        self.found.call = self.parse([0..list.start, list.end..self.text.len()], b"[]")?;
        Some(self.found)
    }

    /// Reads the members of an object. `member` reads a value.
    fn members(&mut self, mut member: impl FnMut(&mut Self, &'t [u8]) -> Option<()>) -> Option<()> {
        self.eat(b'{')?;
        self.space();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            let key = self.key()?;
            member(self, key)?;
            self.space();
            if self.eat(b'}').is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }

    /// Reads a key and its colon. Stops at the value.
    fn key(&mut self) -> Option<&'t [u8]> {
        self.space();
        let text = self.string()?;
        let key = self.text.get(text.start + 1..text.end - 1)?;
        // an escaped key is unusual
        if plain_length(key) != key.len() {
            return None;
        }
        self.space();
        self.eat(b':')?;
        self.space();
        Some(key)
    }

    /// Reads the items of a list.
    fn items(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eat(b'[')?;
        self.space();
        if self.eat(b']').is_some() {
            return Some(());
        }
        self.more_items(item)
    }

    fn more_items(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        loop {
            self.space();
            item(self)?;
            self.space();
            if self.eat(b']').is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }

    fn request(&mut self) -> Option<()> {
        let start = self.at;
        let mut body = None;
        self.members(|reader, key| {
            if key != b"body" {
                return reader.value().map(drop);
            }
            let found = reader.body()?;
            body.replace(found).is_none().then_some(())
        })?;
        let body = body?;
        let rest = self.parse([start..body.start, body.end..self.at], b"{}")?;
        let first = self.found.order.len();
        let messages = body.list.as_ref().map_or(&[][..], |list| &list.messages);
        self.found.order.extend(messages.iter().map(|(_, at)| *at));
        let messages = first..self.found.order.len();
        self.found.requests.push(RawRequest { rest, head: body.head, messages });
        self.last = Some(body);
        Some(())
    }

    fn body(&mut self) -> Option<Body> {
        let start = self.at;
        let last = self.last.take();
        let mut list = None;
        let mut same = None;
        if let Some(Body { start: from, end, head, list: Some(mut known) }) = last {
            let before = self.text.get(from..end)?;
            let equal = common(before, self.text.get(start..)?);
            if equal >= known.open {
                same = self.text.get(from + known.close..end).map(|rest| (head, rest));
                let kept = known.messages.partition_point(|(end, _)| *end <= equal);
                known.messages.truncate(kept);
                self.at = start + known.messages.last().map_or(known.open, |(end, _)| *end);
                self.more_messages(start, &mut known)?;
                known.close = self.at - 1 - start;
                list = Some(known);
                self.space();
                if self.eat(b'}').is_none() {
                    self.eat(b',')?;
                    self.at -= 1;
                    self.rest_of_body(start, &mut list)?;
                }
            }
        }
        if list.is_none() {
            self.members(|reader, key| reader.body_member(start, key, &mut list))?;
        }
        let end = self.at;
        let head = match (&list, same) {
            (Some(list), Some((head, rest)))
                if self.text.get(start + list.close..end) == Some(rest) =>
            {
                head
            }
            (Some(list), _) => self.head([start..start + list.open, start + list.close..end])?,
            (None, _) => self.head([start..end, end..end])?,
        };
        Some(Body { start, end, head, list })
    }

    /// Reads the members after the list, from the comma on.
    fn rest_of_body(&mut self, start: usize, list: &mut Option<List>) -> Option<()> {
        while self.eat(b',').is_some() {
            let key = self.key()?;
            self.body_member(start, key, list)?;
            self.space();
        }
        self.eat(b'}')
    }

    fn body_member(&mut self, start: usize, key: &[u8], list: &mut Option<List>) -> Option<()> {
        let known = LISTS.iter().find(|known| **known == key);
        let is_list = self.text.get(self.at) == Some(&b'[');
        match (known, list.as_ref()) {
            // of two members with one name the last counts
            (Some(_), Some(other)) if other.key == key => None,
            (Some(key), None) if is_list => {
                let open = self.at + 1 - start;
                let mut found = List { key, open, close: 0, messages: Vec::new() };
                self.at += 1;
                self.more_messages(start, &mut found)?;
                found.close = self.at - 1 - start;
                *list = Some(found);
                Some(())
            }
            (_, _) => self.value().map(drop),
        }
    }

    /// Reads the messages that follow, up to the end of the list.
    fn more_messages(&mut self, start: usize, list: &mut List) -> Option<()> {
        self.space();
        if self.eat(b']').is_some() {
            return Some(());
        }
        if !list.messages.is_empty() {
            self.eat(b',')?;
        }
        let key = list.key;
        let messages = &mut list.messages;
        self.more_items(|reader| {
            // the end of a number depends on what follows
            if !matches!(reader.text.get(reader.at), Some(b'{' | b'"')) {
                return None;
            }
            let text = reader.value()?;
            let index = reader.message(key, text)?;
            messages.push((reader.at - start, index));
            Some(())
        })
    }

    /// Returns the index of a message.
    fn message(&mut self, key: &[u8], text: Range<usize>) -> Option<u32> {
        let parts = [text.clone(), text.end..text.end];
        let hash = self.hash(key, &parts);
        if let Some(found) = self.find(hash, &parts) {
            return u32::try_from(found).ok();
        }
        self.scratch.clear();
        for part in [b"{\"", key, b"\":[", self.text.get(text)?, b"]}"] {
            self.scratch.extend_from_slice(part);
        }
        let json = parse_counted(&self.scratch, &self.limits, &mut self.values_left).ok()?;
        let index = self.found.messages.len();
        self.found.messages.push(json);
        self.known.insert(hash, (parts, index));
        u32::try_from(index).ok()
    }

    /// Returns the index of a body without its messages.
    fn head(&mut self, parts: [Range<usize>; 2]) -> Option<usize> {
        let hash = self.hash(b"", &parts);
        if let Some(found) = self.find(hash, &parts) {
            return Some(found);
        }
        let json = self.parse(parts.clone(), b"")?;
        let index = self.found.heads.len();
        self.found.heads.push(json);
        self.known.insert(hash, (parts, index));
        Some(index)
    }

    /// Parses two parts of the text with `between` them.
    fn parse(&mut self, [before, after]: [Range<usize>; 2], between: &[u8]) -> Option<Json> {
        self.scratch.clear();
        self.scratch.extend_from_slice(self.text.get(before)?);
        self.scratch.extend_from_slice(between);
        self.scratch.extend_from_slice(self.text.get(after)?);
        parse_counted(&self.scratch, &self.limits, &mut self.values_left).ok()
    }

    fn hash(&self, key: &[u8], parts: &[Range<usize>; 2]) -> u64 {
        let mut hasher = Hashing::default().build_hasher();
        hasher.write(key);
        for part in parts {
            hasher.write(self.text.get(part.clone()).unwrap_or_default());
        }
        hasher.finish()
    }

    fn find(&self, hash: u64, parts: &[Range<usize>; 2]) -> Option<usize> {
        let (known, index) = self.known.get(&hash)?;
        let same = |(left, right): (&Range<usize>, &Range<usize>)| {
            self.text.get(left.clone()) == self.text.get(right.clone())
        };
        known.iter().zip(parts).all(same).then_some(*index)
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        if self.text.get(self.at) != Some(&byte) {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// Skips a value and returns its text. A later parse checks it.
    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.text.get(self.at)? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' if depth == 0 => return None,
                _ if depth == 0 => {
                    let rest = self.text.get(self.at..)?;
                    let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']') || *byte <= b' ';
                    self.at += rest.iter().position(is_end)?;
                }
                _ => self.at += 1,
            }
            if depth == 0 {
                return Some(start..self.at);
            }
        }
    }

    /// Skips a string and returns its text with the quotes.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        self.eat(b'"')?;
        loop {
            self.at += plain_length(self.text.get(self.at..)?);
            match self.text.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(start..self.at);
                }
                b'\\' => self.at += 2,
                _ => return None,
            }
        }
    }
}

/// Returns the number of equal bytes at the start.
fn common(left: &[u8], right: &[u8]) -> usize {
    let (wide_left, wide_right) = (left.as_chunks::<32>().0, right.as_chunks::<32>().0);
    let differs = |left: &[u8; 32], right: &[u8; 32]| {
        let word = |bytes: &[u8; 32], at: usize| {
            let (words, _) = bytes.as_chunks::<8>();
            words.get(at).map_or(0, |word| u64::from_le_bytes(*word))
        };
        (0..4).fold(0, |all, at| all | word(left, at) ^ word(right, at)) != 0
    };
    let pairs = wide_left.iter().zip(wide_right);
    let same = pairs.take_while(|(left, right)| !differs(left, right)).count() * 32;
    let rest = left.iter().skip(same).zip(right.iter().skip(same));
    same + rest.take_while(|(left, right)| left == right).count()
}
