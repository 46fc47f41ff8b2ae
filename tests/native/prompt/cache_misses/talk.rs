//! A conversation and its body for each API.

use crate::property::Dice;
use tuckbox::value::json::{Json, Object};
use tuckbox::{Timestamp, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

impl Api {
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Chat, Self::Responses, Self::Gemini];

    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Chat => "openai_chat",
            Self::Responses => "openai_responses",
            Self::Gemini => "gemini",
        }
    }

    fn model(self) -> &'static str {
        match self {
            Self::Anthropic => "claude-opus-5-5",
            Self::Chat | Self::Responses => "gpt-5.6-sol",
            Self::Gemini => "gemini-3.8-flash",
        }
    }

    pub fn other_model(self) -> &'static str {
        match self {
            Self::Anthropic => "claude-sonnet-5-5",
            Self::Chat | Self::Responses => "gpt-6-sol",
            Self::Gemini => "gemini-3.7-flash",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub description: String,
    pub schema: Json,
}

/// A message. A call has a result in the next message.
#[derive(Clone, Debug)]
pub enum Said {
    User(String),
    Assistant(String),
    Thought(String, String),
    Call(String, String),
    Result(String, String),
    Picture(String),
}

/// The cache marks of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    None,
    /// The system prompt and the last message.
    Both,
    /// Only the last message.
    Last,
    /// Only the system prompt.
    System,
    /// The system prompt and the last message, for 1 hour.
    Hour,
    Automatic,
    Five,
    FourAndAutomatic,
    /// An automatic mark on a block that has a mark with another lifetime.
    OtherAutomatic,
    ShortBeforeLong,
}

#[derive(Clone, Debug)]
pub struct Talk {
    pub model: String,
    pub tools: Vec<Tool>,
    pub system: String,
    pub said: Vec<Said>,
    pub marks: Marks,
    /// Further keys of the body.
    pub more: Vec<(&'static str, Json)>,
}

const WORDS: [&str; 12] = [
    "orders",
    "refunds",
    "customers",
    "search",
    "results",
    "account",
    "invoice",
    "shipping",
    "policy",
    "region",
    "agent",
    "ticket",
];

pub fn prose(dice: &mut Dice, words: usize) -> String {
    let words: Vec<&str> = (0..words).map(|_| dice.pick(&WORDS)).collect();
    words.join(" ")
}

impl Talk {
    /// Creates a conversation that is long enough for the cache of every model.
    pub fn new(api: Api, dice: &mut Dice) -> Self {
        let tools = (0..3 + dice.below(3)).map(|at| tool(dice, &format!("tool_{at}"))).collect();
        let mut talk = Self {
            model: api.model().into(),
            tools,
            system: format!("You help with {}. {}", prose(dice, 3), prose(dice, 5_000)),
            said: Vec::new(),
            marks: Marks::Both,
            more: Vec::new(),
        };
        for turn in 0..2 + dice.below(3) {
            talk.turn(dice, turn);
        }
        talk.said.push(Said::User(format!("And now? {}", prose(dice, 20))));
        talk
    }

    fn turn(&mut self, dice: &mut Dice, turn: usize) {
        self.said.push(Said::User(format!("Question {turn}: {}", prose(dice, 30))));
        if dice.below(2) == 0 {
            self.said.push(Said::Call(format!("call_{turn}"), prose(dice, 5)));
            self.said.push(Said::Result(format!("call_{turn}"), prose(dice, 40)));
        }
        self.said.push(Said::Assistant(format!("Answer {turn}: {}", prose(dice, 30))));
    }

    /// Returns the next request of the conversation.
    pub fn next(&self, dice: &mut Dice) -> Self {
        let mut next = self.clone();
        next.said.push(Said::Assistant(format!("Done. {}", prose(dice, 25))));
        next.said.push(Said::User(format!("Thanks. {}", prose(dice, 15))));
        next
    }

    pub fn body(&self, api: Api) -> Json {
        let mut body = match api {
            Api::Anthropic => self.anthropic(),
            Api::Chat => self.chat(),
            Api::Responses => self.responses(),
            Api::Gemini => self.gemini(),
        };
        if let Json::Object(body) = &mut body {
            for (key, value) in &self.more {
                body.insert((*key).to_owned(), value.clone());
            }
        }
        body
    }

    fn anthropic(&self) -> Json {
        let mark = |ttl: &str| match ttl {
            "" => json!({"type": "ephemeral"}),
            ttl => json!({"type": "ephemeral", "ttl": ttl}),
        };
        let mut messages: Vec<Json> = self.said.iter().map(|said| match said {
            Said::User(text) => json!({"role": "user", "content": text.as_str()}),
            Said::Assistant(text) => json!({"role": "assistant", "content": [{"type": "text", "text": text.as_str()}]}),
            Said::Thought(thought, text) => json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": thought.as_str(), "signature": "sig"},
                {"type": "tool_use", "id": text.as_str(), "name": "tool_0", "input": {}}]}),
            Said::Call(id, text) => json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": id.as_str(), "name": "tool_0", "input": {"q": text.as_str()}}]}),
            Said::Result(id, text) => json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id.as_str(), "content": text.as_str()}]}),
            Said::Picture(data) => json!({"role": "user", "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data.as_str()}}]}),
        }).collect();
        let mut system = json!({"type": "text", "text": self.system.as_str()});
        let (of_system, of_last) = match self.marks {
            Marks::None | Marks::Automatic => (None, None),
            Marks::Last => (None, Some("")),
            Marks::System => (Some(""), None),
            Marks::Hour => (Some("1h"), Some("1h")),
            Marks::OtherAutomatic => (None, Some("1h")),
            Marks::Both | Marks::Five => (Some(""), Some("")),
            Marks::FourAndAutomatic => (Some(""), None),
            Marks::ShortBeforeLong => (Some(""), Some("1h")),
        };
        if let (Some(ttl), Json::Object(block)) = (of_system, &mut system) {
            block.insert("cache_control".into(), mark(ttl));
        }
        if let Some(ttl) = of_last {
            mark_last(messages.last_mut().unwrap(), &mark(ttl));
        }
        if self.marks == Marks::Five {
            messages.iter_mut().take(3).for_each(|message| mark_last(message, &mark("")));
        }
        if self.marks == Marks::FourAndAutomatic {
            messages.iter_mut().take(3).for_each(|message| mark_last(message, &mark("")));
        }
        let tools = self.tools.iter().map(|tool| {
            json!({"name": tool.name.as_str(), "description": tool.description.as_str(), "input_schema": tool.schema.clone()})
        });
        let mut body = json!({"model": self.model.as_str(), "max_tokens": 1000, "system": [system],
            "tools": tools.collect::<Json>(), "messages": Json::Array(messages)});
        let is_automatic = matches!(
            self.marks,
            Marks::Automatic | Marks::FourAndAutomatic | Marks::OtherAutomatic
        );
        if let (true, Json::Object(body)) = (is_automatic, &mut body) {
            body.insert("cache_control".into(), mark(""));
        }
        body
    }

    /// Returns a body of Bedrock Converse, with points after the system prompt and the last message.
    pub fn bedrock(&self) -> Json {
        let point = || json!({"cachePoint": {"type": "default"}});
        let mut messages: Vec<Json> = self.said.iter().map(|said| match said {
            Said::User(text) => json!({"role": "user", "content": [{"text": text.as_str()}]}),
            Said::Assistant(text) | Said::Thought(_, text) => {
                json!({"role": "assistant", "content": [{"text": text.as_str()}]})
            }
            Said::Call(id, text) => json!({"role": "assistant", "content": [
                {"toolUse": {"toolUseId": id.as_str(), "name": "tool_0", "input": {"q": text.as_str()}}}]}),
            Said::Result(id, text) => json!({"role": "user", "content": [
                {"toolResult": {"toolUseId": id.as_str(), "content": [{"text": text.as_str()}]}}]}),
            Said::Picture(data) => json!({"role": "user", "content": [
                {"image": {"format": "png", "source": {"bytes": data.as_str()}}}]}),
        }).collect();
        if let Some(Json::Object(last)) = messages.last_mut() {
            let content = last.remove("content").unwrap();
            let blocks = content.as_array().unwrap().iter().cloned();
            last.insert("content".into(), blocks.chain([point()]).collect());
        }
        let tools = self.tools.iter().map(|tool| {
            json!({"toolSpec": {"name": tool.name.as_str(), "description": tool.description.as_str(),
                "inputSchema": {"json": tool.schema.clone()}}})
        });
        let mut body = json!({"modelId": self.model.as_str(), "system": [{"text": self.system.as_str()}, point()],
            "toolConfig": {"tools": tools.collect::<Json>()}, "messages": Json::Array(messages)});
        if let Json::Object(body) = &mut body {
            for (key, value) in &self.more {
                body.insert((*key).to_owned(), value.clone());
            }
        }
        body
    }

    fn chat(&self) -> Json {
        let mut messages = vec![json!({"role": "developer", "content": self.system.as_str()})];
        messages.extend(self.said.iter().map(|said| match said {
            Said::User(text) => json!({"role": "user", "content": text.as_str()}),
            Said::Assistant(text) | Said::Thought(_, text) => json!({"role": "assistant", "content": text.as_str()}),
            Said::Call(id, text) => json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id.as_str(), "type": "function", "function": {"name": "tool_0", "arguments": text.as_str()}}]}),
            Said::Result(id, text) => json!({"role": "tool", "tool_call_id": id.as_str(), "content": text.as_str()}),
            Said::Picture(data) => json!({"role": "user", "content": [
                {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}}]}),
        }));
        let tools = self.tools.iter().map(|tool| {
            json!({"type": "function", "function": {"name": tool.name.as_str(),
                "description": tool.description.as_str(), "parameters": tool.schema.clone()}})
        });
        json!({"model": self.model.as_str(), "tools": tools.collect::<Json>(), "messages": Json::Array(messages)})
    }

    fn responses(&self) -> Json {
        let input = self.said.iter().map(|said| match said {
            Said::User(text) => json!({"role": "user", "content": [{"type": "input_text", "text": text.as_str()}]}),
            Said::Assistant(text) | Said::Thought(_, text) => json!({"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": text.as_str()}]}),
            Said::Call(id, text) => json!({"type": "function_call", "call_id": id.as_str(), "name": "tool_0", "arguments": text.as_str()}),
            Said::Result(id, text) => json!({"type": "function_call_output", "call_id": id.as_str(), "output": text.as_str()}),
            Said::Picture(data) => json!({"role": "user", "content": [
                {"type": "input_image", "image_url": format!("data:image/png;base64,{data}")}]}),
        });
        let tools = self.tools.iter().map(|tool| {
            json!({"type": "function", "name": tool.name.as_str(),
                "description": tool.description.as_str(), "parameters": tool.schema.clone()})
        });
        json!({"model": self.model.as_str(), "instructions": self.system.as_str(),
            "tools": tools.collect::<Json>(), "input": input.collect::<Json>()})
    }

    fn gemini(&self) -> Json {
        let contents = self.said.iter().map(|said| match said {
            Said::User(text) => json!({"role": "user", "parts": [{"text": text.as_str()}]}),
            Said::Assistant(text) | Said::Thought(_, text) => json!({"role": "model", "parts": [{"text": text.as_str()}]}),
            Said::Call(_, text) => json!({"role": "model", "parts": [{"functionCall": {"name": "tool_0", "args": {"q": text.as_str()}}}]}),
            Said::Result(_, text) => json!({"role": "user", "parts": [{"functionResponse": {"name": "tool_0", "response": {"output": text.as_str()}}}]}),
            Said::Picture(data) => json!({"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": data.as_str()}}]}),
        });
        let tools = self.tools.iter().map(|tool| {
            json!({"name": tool.name.as_str(), "description": tool.description.as_str(), "parameters": tool.schema.clone()})
        });
        json!({"systemInstruction": {"parts": [{"text": self.system.as_str()}]},
            "tools": [{"functionDeclarations": tools.collect::<Json>()}], "contents": contents.collect::<Json>()})
    }
}

fn mark_last(message: &mut Json, mark: &Json) {
    let Json::Object(message) = message else { return };
    let content = message.remove("content").unwrap();
    let mut blocks = match content {
        Json::String(text) => vec![json!({"type": "text", "text": text})],
        Json::Array(blocks) => blocks,
        other => panic!("{other:?}"),
    };
    if let Some(Json::Object(block)) = blocks.last_mut() {
        block.insert("cache_control".into(), mark.clone());
    }
    message.insert("content".into(), Json::Array(blocks));
}

pub fn tool(dice: &mut Dice, name: &str) -> Tool {
    let schema = json!({"type": "object", "properties": {
        "q": {"type": "string", "description": prose(dice, 8)}, "limit": {"type": "integer"}}, "required": ["q"]});
    Tool { name: name.into(), description: format!("Finds {}.", prose(dice, 12)), schema }
}

/// A request: the body and its recorded facts.
#[derive(Clone, Debug)]
pub struct Sent {
    pub talk: Talk,
    pub at: i64,
    pub first_token_after: i64,
    pub usage: Option<[u64; 3]>,
    pub more: Vec<(&'static str, Json)>,
}

impl Sent {
    pub fn new(talk: Talk, seconds: i64) -> Self {
        Self { talk, at: seconds * 1000, first_token_after: 2_000, usage: None, more: Vec::new() }
    }

    pub fn json(&self, api: Api) -> Json {
        let time = |millis: i64| Json::from(Timestamp::from_millis(1_790_000_000_000 + millis));
        let mut request = Object::new();
        request.insert("body".into(), self.talk.body(api));
        request.insert("model".into(), self.talk.model.as_str().into());
        request.insert("at".into(), time(self.at));
        if self.first_token_after >= 0 {
            request.insert("first_token_at".into(), time(self.at + self.first_token_after));
        }
        if let Some([read, write, fresh]) = self.usage {
            let total = read + write + fresh;
            let usage = match api {
                Api::Anthropic => {
                    json!({"input_tokens": fresh, "cache_read_input_tokens": read, "cache_creation_input_tokens": write})
                }
                Api::Chat => {
                    json!({"prompt_tokens": total, "prompt_tokens_details": {"cached_tokens": read, "cache_write_tokens": write}})
                }
                Api::Responses => {
                    json!({"input_tokens": total, "input_tokens_details": {"cached_tokens": read, "cache_write_tokens": write}})
                }
                Api::Gemini => json!({"promptTokenCount": total, "cachedContentTokenCount": read}),
            };
            request.insert("usage".into(), usage);
        }
        for (key, value) in &self.more {
            request.insert((*key).to_owned(), value.clone());
        }
        Json::Object(request)
    }
}
