//! Random prompts, most of them invalid in some way.

mod parts;
mod tools;

use tuckbox::Json;
use tuckbox::prompt::provider::{
    Effort, Options, Origin, Prompt, Quirk, ResponseSchema, ToolChoice,
};
use tuckbox::value::json::{Field, Object};
use tuckbox::value::message::Message;

/// A generator, and the number of marks so far.
pub struct Dice<'a>(&'a mut crate::property::Dice, u64);

impl<'a> Dice<'a> {
    pub fn new(dice: &'a mut crate::property::Dice) -> Self {
        Self(dice, 0)
    }

    /// Returns a unique word. A payload that lacks it must report a loss.
    pub fn mark(&mut self) -> String {
        self.1 += 1;
        format!("zq{}x", self.1)
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0.below(sides)
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    fn pick<'b>(&mut self, from: &[&'b str]) -> &'b str {
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
                format!("{} {}", words.join(" "), self.mark())
            }
        }
    }

    fn content(&mut self) -> Option<Json> {
        match self.roll(13) {
            0 => None,
            1 => Some(Json::Null),
            2..=5 => Some(Json::Array(self.many(4, Self::part))),
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
        match self.roll(26) {
            0 => return Json::from([("odd", 1_u64)]),
            1 => return Json::from([("name", Json::from(self.tool_name())), ("args", Json::Null)]),
            _ => {}
        }
        let arguments = match self.roll(9) {
            0 => Json::from(""),
            1 => Json::from("[1]"),
            2 => Json::from("not json"),
            3 => Json::from([("q", 1_u64)]),
            4 => Json::Null,
            _ => Json::from(format!(r#"{{"q": "{}"}}"#, self.mark())),
        };
        let function =
            Json::from([("name", Json::from(self.tool_name())), ("arguments", arguments)]);
        let (id, kind) = (Json::from(self.call_id()), Json::from("function"));
        if self.one_in(12) {
            return Json::from([("type", kind), ("function", function)]);
        }
        Json::from([("id", id), ("type", kind), ("function", function)])
    }

    fn message(&mut self) -> Json {
        let role = match self.roll(17) {
            0..=3 => "user",
            4..=7 => "assistant",
            8 | 9 => "system",
            10..=13 => "tool",
            14 => "developer",
            15 => self.pick(&["human", "function", "model"]),
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
            let name = self.pick(&["Ann Lee", "a", "a.b"]);
            out.insert("name".into(), Json::from(name));
        }
        if self.one_in(6) {
            let key = self.pick(&["reasoning_content", "score", "refusal", "status"]);
            let value = if key == "status" { "error".to_owned() } else { self.mark() };
            out.insert(key.into(), Json::from(value));
        }
        if self.one_in(12) {
            out.insert("is_error".into(), Json::from(true));
        }
        if self.one_in(15) {
            out.insert("cache_control".into(), Json::from([("type", "ephemeral")]));
        }
        Json::Object(out)
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

    /// Returns a prompt of a few messages. One prompt in four marks its query.
    pub fn prompt(&mut self) -> Prompt {
        let messages = self.many(7, Self::message);
        let read = |message: &Json| Message::from_json(&Field::root(message)).unwrap();
        let messages: Vec<Message> = messages.iter().map(read).collect();
        let mut origins: Vec<Origin> = messages.iter().map(|_| self.origin()).collect();
        if self.one_in(4) && !origins.is_empty() {
            let query = self.roll(origins.len());
            origins[query] = Origin { is_query: true, ..Origin::layer("query") };
        }
        let tools = if self.one_in(3) { self.many(4, Self::tool) } else { Vec::new() };
        Prompt { messages, origins, tools }
    }

    /// Returns random options, for a model of a provider or an unknown model.
    pub fn options(&mut self) -> Options {
        let models = [
            "some-model",
            "claude-opus-4-8",
            "claude-sonnet-4-5",
            "claude-opus-5",
            "gpt-5",
            "gpt-4o",
            "gemini-2.5-flash",
            "gemini-3-pro-preview",
        ];
        let mut options = Options::model(self.pick(&models));
        let number = |text: &str| Json::parse(text).unwrap().as_number().cloned();
        if self.one_in(4) {
            options.temperature = number(self.pick(&["0", "0.7", "1.5"]));
        }
        if self.one_in(6) {
            options.top_p = number("0.9");
        }
        if self.one_in(4) {
            options.tool_choice = Some(match self.roll(4) {
                0 => ToolChoice::Auto,
                1 => ToolChoice::None,
                2 => ToolChoice::Required,
                _ => ToolChoice::Tool(self.tool_name()),
            });
        }
        if self.one_in(6) {
            options.parallel_tool_calls = Some(self.one_in(2));
        }
        if self.one_in(6) {
            options.stop = self.many(7, |dice| dice.pick(&["END", " ", "stop"]).to_owned());
        }
        if self.one_in(5) {
            let schema = self.pick(&[
                r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#,
                r#"{"type":"object","properties":{"a":{"type":"integer","minimum":1}}}"#,
            ]);
            options.response_schema = Some(ResponseSchema {
                name: self.pick(&["answer", "an answer"]).to_owned(),
                schema: Json::parse(schema).unwrap().as_object().unwrap().clone(),
                strict: self.one_in(2).then_some(true),
            });
        }
        if self.one_in(4) {
            options.effort = Some(Effort::ALL[self.roll(Effort::ALL.len())]);
        }
        if self.one_in(8) {
            options.thinking_tokens = Some(self.roll(9_000) as u64);
        }
        if self.one_in(3) {
            options.max_output_tokens = Some(self.roll(9_000) as u64 + 1);
        }
        if self.one_in(8) {
            let key = self.pick(&["user_id", "trace"]);
            options.metadata.insert(key.to_owned(), Json::from(self.roll(9) as u64));
        }
        if self.one_in(6) {
            options.cache_after = vec!["system_prompt".to_owned(), "team__context".to_owned()];
        }
        if self.one_in(40) {
            options.quirks = vec![Quirk::SystemFirst];
        }
        options
    }
}
