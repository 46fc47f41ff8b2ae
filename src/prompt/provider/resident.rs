//! The bodies of a conversation that grows.
//!
//! Each request of a conversation repeats the messages before it. A [`ResidentBody`] stays in memory, so
//! that a host passes only new messages, and the unchanged start of a body is not written again.
//! **The text is the one that [`payload`](super::payload()) writes for all messages.** If new
//! messages can change how earlier ones are sent, the whole text is written again.

use super::body::Out;
use super::draft::{Draft, Settle};
use super::legal::{self, PartOf};
use super::loss::{self, Losses};
use super::marks::CacheStrategy;
use super::options::Options;
use super::part::Part;
use super::prompt::Shown;
use super::tools::Names;
use super::turn::{Speaker, Turn};
use super::{
    BodyForm, Loss, Model, Payload, Provider, System, check_model, drafted, pair, plain, read,
};
use crate::agents::Setup;
use crate::prompt::cache::{CacheMode, CacheRules};
use crate::value::Set as IndexSet;
use crate::value::arguments::{Argument, arguments};
use crate::value::json::{Field, Json, Object, ParseLimits, to_text, write_text};
use crate::value::limits::Limits;
use crate::value::message::Message;
use crate::{Path, Result};
use std::borrow::Cow;

arguments! {
    /// The prompt of a conversation without its messages.
    #[derive(Clone, Debug, PartialEq)]
    struct Terms {
        /// The provider that the requests are for.
        pub provider: Provider,
        /// Tool definitions.
        pub tools: Vec<Object> = Vec::new(),
        shared options: Options,
    }
}

/// The body of a conversation that grows.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::prompt::provider::{Options, Provider, ResidentBody};
///
/// let options = Options::model("some-model");
/// let mut body = ResidentBody::new(Provider::OpenaiChat, Vec::new(), options, &Setup::default())?;
/// let first = body.append(r#"[{"role": "user", "content": "Hello"}]"#)?;
/// assert_eq!(first.head.as_deref(), Some(r#"{"model":"some-model","messages":["#));
/// assert_eq!(first.items, r#"{"role":"user","content":"Hello"}"#);
/// assert_eq!(first.end.as_deref(), Some("]}"));
///
/// let next = body.append(r#"[{"role": "assistant", "content": "Hi"}, {"role": "user", "content": "Well?"}]"#)?;
/// assert_eq!(next.head, None);
/// assert_eq!(next.items, r#",{"role":"assistant","content":"Hi"},{"role":"user","content":"Well?"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Debug)]
pub struct ResidentBody {
    terms: Terms,
    limits: Limits,
    parse: ParseLimits,
    /// The text of all messages, with commas between them.
    given: String,
    count: usize,
    values: usize,
    end: String,
    losses: Vec<Loss>,
    open: Option<Open>,
}

/// What messages that are appended to a body depend on.
#[derive(Debug)]
struct Open {
    options: Options,
    model: Model,
    names: Names,
    /// The names of the tools in the body.
    tools: IndexSet<String>,
    call_ids: IndexSet<String>,
    last: Speaker,
    /// True if the list in the body has items.
    has_items: bool,
}

/// What a request changes in the text of the body before it.
///
/// Shown by the example of [`ResidentBody`].
#[derive(Clone, Debug, PartialEq)]
pub struct BodyChange<L = Vec<Loss>> {
    /// The text before the first message. If there is none, `items` follows the messages before it.
    pub head: Option<String>,
    /// The text of messages, with commas between them.
    pub items: String,
    /// The text after the last message, if it changed.
    pub end: Option<String>,
    /// The changes that the provider's format forces on all messages, if they changed.
    pub losses: Option<L>,
}

/// A body that grows, for hosts that do not name its type.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::{call, json};
///
/// let terms = json!({"provider": "openai_chat", "model": "some-model"});
/// let mut body = call::resident_body(&terms, &Setup::default())?;
/// let first = body.append(r#"[{"role": "user", "content": "Hello"}]"#)?;
/// assert_eq!(first.losses.as_deref(), Some("[]"));
/// let next = body.append(r#"[{"role": "assistant", "content": "Hi"}]"#)?;
/// assert_eq!(next.items, r#",{"role":"assistant","content":"Hi"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait GrowingBody {
    /// Appends messages, as the JSON text of a list. The losses of the answer are JSON text too.
    ///
    /// # Errors
    /// Those of [`ResidentBody::append`].
    fn append(&mut self, messages: &str) -> Result<BodyChange<String>>;
}

impl GrowingBody for ResidentBody {
    fn append(&mut self, messages: &str) -> Result<BodyChange<String>> {
        let BodyChange { head, items, end, losses } = Self::append(self, messages)?;
        let losses = losses.map(|losses| to_text(&losses)).transpose()?;
        Ok(BodyChange { head, items, end, losses })
    }
}

/// The keys of the list of messages in bodies.
const LISTS: [&str; 3] = ["messages", "input", "contents"];

impl ResidentBody {
    /// Creates the body of a conversation without messages.
    ///
    /// # Errors
    /// `bad_request` without a model that the provider requires.
    pub fn new(
        provider: Provider,
        tools: Vec<Object>,
        options: Options,
        setup: &Setup,
    ) -> Result<Self> {
        Self::of(Terms { provider, tools, options }, setup)
    }

    /// Reads the arguments of `payload` without a prompt: `provider`, `tools` and options.
    ///
    /// # Errors
    /// Those of [`ResidentBody::new`], and `bad_request` for invalid arguments.
    pub fn from_json(call: &Json, setup: &Setup) -> Result<Self> {
        Self::of(Terms::from_json(call)?, setup)
    }

    fn of(mut terms: Terms, setup: &Setup) -> Result<Self> {
        check_model(terms.provider, &terms.options)?;
        terms.options = terms.options.with_setup(terms.provider, setup)?;
        let limits = setup.defaults.limits;
        let parse = ParseLimits { max_values: limits.max_values, ..ParseLimits::default() };
        Ok(Self {
            terms,
            limits,
            parse,
            given: String::new(),
            count: 0,
            values: 0,
            end: String::new(),
            losses: Vec::new(),
            open: None,
        })
    }

    /// Appends messages, as the JSON text of a list, and returns what changes in the text of the body.
    ///
    /// # Errors
    /// Those of [`payload`](super::payload()), and `invalid_content` or `limit` for text that is not a
    /// list of messages. Then the messages are not appended.
    pub fn append(&mut self, messages: &str) -> Result<BodyChange> {
        let list = trim(messages);
        let Some(inside) = list.strip_prefix('[').and_then(|list| list.strip_suffix(']')) else {
            // the error of the parser or of the reader
            let json = Json::parse_bytes(list.as_bytes(), &self.parse)?;
            return Err(Field::root(&json).expected("a list"));
        };
        let inside = trim(inside);
        if let Some(open) = self.open.take()
            && let Some(change) = self.continued(open, list)
        {
            self.add(inside);
            return Ok(change);
        }
        let before = self.given.len();
        self.add(inside);
        let all = ["[", &self.given, "]"].concat();
        self.whole(&all).inspect_err(|_| self.given.truncate(before))
    }

    fn add(&mut self, messages: &str) {
        if !self.given.is_empty() && !messages.is_empty() {
            self.given.push(',');
        }
        self.given.push_str(messages);
    }

    /// Writes the whole body.
    fn whole(&mut self, all: &str) -> Result<BodyChange> {
        let Terms { provider, tools, options } = &self.terms;
        let mut losses = Losses::of(provider.as_str());
        let within = Path::root().key("messages");
        let (turns, messages) = match plain::read(all, 0) {
            Some(read) if self.takes(all, read.values) && *provider != Provider::Neutral => {
                self.values = read.values;
                self.count = read.turns.len();
                (read.turns, Vec::new())
            }
            Some(_) | None => {
                let json = Json::parse_bytes(all.as_bytes(), &self.parse)
                    .map_err(|error| error.within(&within))?;
                let messages = Message::read_list(&Field::root(&json))
                    .map_err(|error| error.within(&within))?;
                // the next messages are counted from here
                self.values = 0;
                self.count = messages.len();
                let turns = read::read(&messages.iter().collect::<Vec<_>>(), &mut losses);
                (turns, messages)
            }
        };
        self.limits.check_messages(self.count, &within)?;
        let mut call_ids = IndexSet::default();
        let is_closed = self.is_closed(&turns, &mut call_ids);
        let shown =
            Shown { messages: messages.iter().collect(), origins: Cow::Borrowed(&[]), tools };
        let (payload, names) = drafted((turns, losses), shown, *provider, options)?;
        // the options as they were given: a conversation can decide that one is dropped
        let looks_back = (provider.spec().looks_back)(options, &payload.model);
        let (mut head, mut text) = (String::new(), String::new());
        self.end.clear();
        let items = self.write(&payload, &mut head, &mut text)?;
        self.losses.clone_from(&payload.losses);
        self.open = items
            .filter(|_| is_closed && !looks_back)
            .and_then(|items| open(payload, names, items));
        if let Some(open) = &mut self.open {
            open.call_ids = call_ids;
        }
        Ok(BodyChange {
            head: Some(head),
            items: text,
            end: Some(self.end.clone()),
            losses: Some(self.losses.clone()),
        })
    }

    /// Returns true for text within the limits.
    fn takes(&self, text: &str, values: usize) -> bool {
        text.len() <= self.parse.max_bytes && values <= self.parse.max_values
    }

    /// Returns true if nothing that follows can change the pairs of calls and results in these turns.
    fn is_closed(&self, turns: &[Turn], call_ids: &mut IndexSet<String>) -> bool {
        let Terms { provider, options, .. } = &self.terms;
        let demands = options.demands(*provider);
        let is_own = |part: &Part| part.as_own().is_some();
        let mut blocks = turns.iter().flat_map(|turn| &turn.blocks);
        let has_own = blocks.any(|block| {
            let inside = block.item.part.as_result().map_or(&[][..], |answer| &answer.parts);
            is_own(&block.item.part) || inside.iter().any(is_own)
        });
        !has_own && pair::is_closed(turns, &demands, call_ids)
    }

    /// Writes a body in three parts. Returns the number of items in its list, if it has one.
    fn write(
        &mut self,
        payload: &Payload,
        head: &mut String,
        items: &mut String,
    ) -> Result<Option<usize>> {
        if !payload.body.is_empty() || payload.options.form == BodyForm::Client {
            head.push_str(&to_text(&payload.body())?);
            return Ok(None);
        }
        write_around(&payload.written(), [head, items, &mut self.end])
    }

    /// Writes only new messages. Returns nothing if they can change the body before them.
    fn continued(&mut self, mut open: Open, list: &str) -> Option<BodyChange> {
        let provider = self.terms.provider;
        let read = plain::read(list, self.count)?;
        let (bytes, values) = (self.given.len() + list.len(), self.values + read.values);
        let count = self.count + read.turns.len();
        let path = Path::root();
        if bytes > self.parse.max_bytes
            || values > self.parse.max_values
            || self.limits.check_messages(count, &path).is_err()
            || read.turns.is_empty()
            || !self.is_closed(&read.turns, &mut open.call_ids)
        {
            return None;
        }
        let (turns, losses) = self.later(read.turns, &mut open)?;
        let mut text = String::new();
        let draft = Draft {
            provider,
            options: &open.options,
            turns: &turns,
            tools: &[],
            neutral: &[],
            neutral_tools: &[],
        };
        let out = (provider.spec().body)(&draft);
        let (_, list, _) = out.around(&LISTS)?;
        let items = list.write_items(&mut text).ok()??;
        if items > 0 && open.has_items {
            text.insert(0, ',');
        }
        open.has_items |= items > 0;
        self.count = count;
        self.values = values;
        let losses = (!losses.is_empty()).then(|| {
            let tools = self.losses.partition_point(|loss| loss.tool.is_none());
            self.losses.splice(tools..tools, losses);
            self.losses.clone()
        });
        self.open = turns.last().and_then(|last| {
            open.last = last.speaker;
            can_follow(last).then_some(open)
        });
        Some(BodyChange { head: None, items: text, end: None, losses })
    }

    /// Returns new turns as the provider accepts them, with what was lost. Returns nothing if they can
    /// change the body before them.
    fn later(&self, turns: Vec<Turn>, open: &mut Open) -> Option<(Vec<Turn>, Vec<Loss>)> {
        let provider = self.terms.provider;
        let demands = self.terms.options.demands(provider);
        let has_system = turns.iter().any(|turn| turn.speaker.is_system());
        if has_system && demands.system != System::Anywhere {
            return None;
        }
        let mut losses = Losses::of(provider.as_str());
        let given = (&open.options, &open.model);
        let mut turns = legal::legalise(turns, provider, given, PartOf::Later, &mut losses);
        let first = turns.first()?.speaker;
        let is_merged =
            demands.alternate.merges(first) && demands.alternate.side(open.last) == first;
        let is_parted =
            demands.assistant_after_results && open.last == Speaker::Tool && first == Speaker::User;
        if is_merged || is_parted || losses.has_whole() {
            return None;
        }
        open.names.name_calls(&mut turns, &mut losses);
        let is_defined = |turn: &Turn| turn.calls().all(|call| open.tools.contains(&call.name));
        if demands.called_tools && !turns.iter().all(is_defined) {
            return None;
        }
        (provider.spec().settle)(&mut Settle {
            options: &mut open.options.clone(),
            model: &open.model,
            turns: &mut turns,
            tools: &mut Vec::new(),
            losses: &mut losses,
        });
        // changes of options are those of the first body
        losses.keep_messages();
        let losses = losses.finish(&[]);
        let allow = &self.terms.options.allow;
        if self.terms.options.strict && loss::refuse(&losses, provider.as_str(), allow).is_err() {
            return None;
        }
        Some((turns, losses))
    }
}

/// Removes the white space of JSON at both ends.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

/// Returns true for a last turn that further turns cannot change. Some providers change the end of a
/// conversation.
fn can_follow(last: &Turn) -> bool {
    match last.speaker {
        Speaker::User | Speaker::Tool => last.at.is_some(),
        Speaker::Assistant | Speaker::System | Speaker::Developer => false,
    }
}

/// Returns what messages that are appended to a payload depend on; nothing if they can change it.
fn open(payload: Payload, names: Names, items: usize) -> Option<Open> {
    let Payload { provider, options, model, turns, tools, .. } = payload;
    let rules = CacheRules::of(provider.as_str(), options.model.as_deref());
    let moves_marks = rules.mode == CacheMode::Marked
        && options.cache.is_some_and(|cache| cache.strategy == CacheStrategy::Auto);
    let last = turns.last().filter(|last| can_follow(last))?.speaker;
    // the neutral form is written from the messages themselves
    if moves_marks || provider == Provider::Neutral {
        return None;
    }
    Some(Open {
        options,
        model,
        names,
        tools: tools.into_iter().map(|tool| tool.name).collect(),
        call_ids: IndexSet::default(),
        last,
        has_items: items > 0,
    })
}

/// Writes a body in three parts: before its list, the items, and after them. Returns the number of items,
/// or nothing for a body without a list, which is then in the first part.
fn write_around(out: &Out<'_>, [start, items, end]: [&mut String; 3]) -> Result<Option<usize>> {
    let Some((before, list, after)) = out.around(&LISTS) else {
        write_text(out, start)?;
        return Ok(None);
    };
    let member = |key: &str, out: &mut String| -> Result<()> {
        write_text(key, out)?;
        out.push(':');
        Ok(())
    };
    start.push('{');
    for (key, value) in before {
        member(key, start)?;
        write_text(value, start)?;
        start.push(',');
    }
    member(out.key(before.len()).unwrap_or_default(), start)?;
    start.push('[');
    let count = list.write_items(items)?;
    end.push(']');
    for (key, value) in after {
        end.push(',');
        member(key, end)?;
        write_text(value, end)?;
    }
    end.push('}');
    Ok(count)
}
