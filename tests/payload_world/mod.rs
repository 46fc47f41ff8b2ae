//! Random prompts, most of them broken in some way.

use tuckbox::Json;
use tuckbox::prompt::provider::{Origin, Prompt};
use tuckbox::value::json::{Field, Object};
use tuckbox::value::message::Message;

/// A small generator: the same seed gives the same prompts everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn of(case: u64) -> Self {
        Self(case.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }

    fn many<T>(&mut self, below: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.roll(below)).map(|_| make(self)).collect()
    }

    fn words(&mut self) -> String {
        match self.roll(8) {
            0 => String::new(),
            1 => "  \n".to_owned(),
            2 => "一二三请假".to_owned(),
            3 => "a \"quoted\" \\ word ".to_owned(),
            _ => {
                let words = ["go", "see", "the", "otters", "again", "tomorrow", "quickly"];
                let words: Vec<_> = (0..=self.roll(6)).map(|_| self.pick(&words)).collect();
                format!("{} {}", words.join(" "), self.roll(1000))
            }
        }
    }

    fn part(&mut self) -> Json {
        let kind =
            |kind: &str, key: &str, value| Json::from([("type", Json::from(kind)), (key, value)]);
        match self.roll(9) {
            0..=3 => kind("text", "text", Json::from(self.words())),
            4 | 5 => {
                let uri =
                    self.pick(&["https://h/a.png", "https://h/a.pdf", "s3://b/k", "https://h/x"]);
                let format = match self.pick(&["", "image/png", "audio/mpeg", "application/zip"]) {
                    "" => Json::Null,
                    mime => Json::from(mime),
                };
                kind("file", "file", Json::from([("file_id", Json::from(uri)), ("format", format)]))
            }
            6 | 7 => {
                let mime = self.pick(&["image/png", "audio/wav", "application/pdf", "video/mp4"]);
                let encoding = self.pick(&["base64", "uri", "hex"]);
                let info = [("mime_type", mime), ("encoding", encoding), ("content", "AAAA")];
                kind("media_placeholder", "media_info", Json::from(info))
            }
            _ => Json::from([("type", "poem")]),
        }
    }

    fn content(&mut self) -> Option<Json> {
        match self.roll(13) {
            0 => None,
            1 => Some(Json::Null),
            2..=4 => Some(Json::Array(self.many(4, Self::part))),
            _ => Some(Json::from(self.words())),
        }
    }

    fn call_id(&mut self) -> String {
        match self.roll(9) {
            0 => "call:1/é".to_owned(),
            1 => "y".repeat(70),
            2 => String::new(),
            _ => format!("k{}", self.roll(4)),
        }
    }

    fn tool_name(&mut self) -> String {
        match self.roll(7) {
            0 => "a.b".to_owned(),
            1 => "a/b".to_owned(),
            2 => "9 é".repeat(40),
            _ => self.pick(&["a", "b", "c"]).to_owned(),
        }
    }

    fn call(&mut self) -> Json {
        if self.one_in(13) {
            return Json::from([("odd", 1_u64)]);
        }
        let arguments = match self.roll(9) {
            0 => Json::from(""),
            1 => Json::from("[1]"),
            2 => Json::from("not json"),
            3 => Json::from([("q", 1_u64)]),
            4 => Json::Null,
            _ => Json::from(r#"{"q": 1}"#),
        };
        let function =
            Json::from([("name", Json::from(self.tool_name())), ("arguments", arguments)]);
        let (id, kind) = (Json::from(self.call_id()), Json::from("function"));
        Json::from([("id", id), ("type", kind), ("function", function)])
    }

    fn message(&mut self) -> Json {
        let role = match self.roll(17) {
            0..=3 => "user",
            4..=7 => "assistant",
            8 | 9 => "system",
            10..=13 => "tool",
            14 => "developer",
            15 => "human",
            _ => "",
        };
        let mut out = Object::default();
        out.insert("role".into(), if role.is_empty() { Json::Null } else { Json::from(role) });
        if let Some(content) = self.content() {
            out.insert("content".into(), content);
        }
        if (role == "assistant" && self.roll(2) == 0) || self.one_in(20) {
            out.insert("tool_calls".into(), Json::Array(self.many(4, Self::call)));
        }
        if (role == "tool" && self.roll(5) > 0) || self.one_in(20) {
            out.insert("tool_call_id".into(), Json::from(self.call_id()));
        }
        if self.one_in(10) {
            out.insert("name".into(), Json::from("Ann Lee"));
        }
        if self.one_in(6) {
            out.insert(self.pick(&["reasoning_content", "score"]).into(), Json::from("why"));
        }
        Json::Object(out)
    }

    fn tool(&mut self) -> Object {
        let object = |json: Json| json.as_object().unwrap().clone();
        match self.roll(14) {
            0 => return object(Json::from([("type", "web_search")])),
            1 => return object(Json::from([("description", "nameless")])),
            _ => {}
        }
        let schema = self.pick(&[
            r#"{"type":"object","properties":{"q":{"type":"string"}}}"#,
            "{}",
            "null",
            r#"{"type":"string"}"#,
            r#"{"anyOf":[]}"#,
            "[1]",
        ]);
        let mut function = Object::default();
        function.insert("name".into(), Json::from(self.tool_name()));
        function.insert("parameters".into(), Json::parse(schema).unwrap());
        if self.one_in(2) {
            function.insert("strict".into(), self.one_in(2).into());
        }
        object(Json::from([("type", Json::from("function")), ("function", Json::Object(function))]))
    }

    fn origin(&mut self) -> Origin {
        match self.roll(8) {
            0..=1 => Origin::default(),
            2..=3 => Origin::layer("checkpoint_messages"),
            4 => Origin::layer("system_prompt"),
            5 => Origin::layer("team__context"),
            6 => Origin::card("c1".into()),
            _ => Origin {
                protected: self.one_in(2),
                priority: Some(self.roll(99) as u64),
                ..Origin::card("c2".into())
            },
        }
    }

    /// A prompt of a few messages; one in four names its query.
    pub fn prompt(&mut self) -> Prompt {
        let messages = self.many(7, Self::message);
        let read = |message: &Json| Message::from_json(&Field::root(message)).unwrap();
        let messages: Vec<Message> = messages.iter().map(read).collect();
        let mut origins: Vec<Origin> = messages.iter().map(|_| self.origin()).collect();
        if self.one_in(4) && !origins.is_empty() {
            let query = self.roll(origins.len());
            origins[query] = Origin { is_query: true, ..Origin::layer("query") };
        }
        let tools = if self.one_in(3) { self.many(3, Self::tool) } else { Vec::new() };
        Prompt { messages, origins, tools }
    }
}
