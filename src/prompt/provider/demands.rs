//! What a provider demands of a conversation and of tools, as data.

use super::turn::Speaker;
use crate::value::str_map::StrMap;

/// What a provider demands. The legaliser reads this table and nothing else; the writers then
/// only put legal turns into the provider's shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demands {
    /// Every call has one result and every result a call before it.
    pub paired: bool,
    /// Results directly follow the message that made the calls.
    pub adjacent: bool,
    /// The results of one message have the order of its calls.
    pub call_order: bool,
    /// Call ids: how long, and which characters.
    pub call_id: Option<Token>,
    /// A call id occurs only once in the conversation.
    pub unique_calls: bool,
    /// Tool names.
    pub tool_name: Option<Token>,
    /// Arguments are an object, not text.
    pub object_arguments: bool,
    /// The position of system messages.
    pub system: System,
    /// The role `developer` is known.
    pub developer: bool,
    /// Whether messages of one speaker that follow one another become one.
    pub alternate: Alternate,
    /// Results may answer calls that an earlier response made.
    pub orphan_results: bool,
    /// The conversation begins with the user.
    pub user_first: bool,
    /// The conversation ends with the user, or with a result.
    pub user_last: bool,
    /// A result is followed by the assistant, never by the user.
    pub assistant_after_results: bool,
    /// An option lets the assistant's last message be the beginning of the answer.
    pub prefill: bool,
    /// What happens to text without a word.
    pub blank: Blank,
    /// Messages may carry a speaker's name.
    pub names: bool,
    /// A refusal has a place of its own.
    pub refusals: bool,
    /// A result can state that its call failed.
    pub failures: bool,
    /// How many places the cache may end at; none where a body has no marks.
    pub cache_marks: usize,
    /// Every text of an assistant and every call is an item of its own.
    pub items: bool,
    /// The model has to be named.
    pub model: bool,
    /// Tools that were called have to be defined.
    pub called_tools: bool,
    /// The most tools.
    pub most_tools: usize,
    /// What it demands of a tool's schema.
    pub schema: SchemaRules,
}

/// The position of system messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// Anywhere in the conversation.
    Anywhere,
    /// In the conversation, before everything else.
    First,
    /// Apart, before the conversation.
    Apart,
}

/// Whether messages of one speaker that follow one another become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alternate {
    /// They stay apart.
    No,
    /// They become one; results are messages of their own.
    Speakers,
    /// They become one, and results are the user's.
    Sides,
}

impl Alternate {
    /// Who holds a turn, once results count as the user's where they do.
    pub const fn side(self, speaker: Speaker) -> Speaker {
        match speaker {
            Speaker::Tool if matches!(self, Self::Speakers) => Speaker::Tool,
            Speaker::Tool | Speaker::User => Speaker::User,
            Speaker::Developer | Speaker::System => Speaker::System,
            Speaker::Assistant => Speaker::Assistant,
        }
    }

    /// Whether turns of this side that follow one another become one.
    pub const fn merges(self, side: Speaker) -> bool {
        !matches!(self, Self::No) && !matches!(side, Speaker::System | Speaker::Tool)
    }
}

/// What a provider demands of a tool's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemaRules {
    /// Schemas are checked at all.
    pub checked: bool,
    /// Every object lists its properties, at every depth.
    pub deep_properties: bool,
    /// A tool that takes nothing has no schema.
    pub none_for_empty: bool,
    /// A `$ref` has no other keys.
    pub lone_refs: bool,
    /// The names of properties.
    pub property: Option<Token>,
    /// What `strict` demands.
    pub strict: StrictRules,
}

/// What `strict` demands of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrictRules {
    /// The provider has no `strict`.
    None,
    /// Closed objects, every property required, and a part of JSON Schema.
    AllRequired,
    /// Closed objects, and a smaller part of JSON Schema.
    Closed,
}

/// What an id or a name may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub max: usize,
    pub charset: Charset,
    /// It has exactly `max` characters.
    pub exact: bool,
}

/// The characters of an id or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    /// Any.
    Any,
    /// Letters and digits.
    Alphanumeric,
    /// Those and `_`, `-`.
    Word,
    /// Those and `.`.
    Property,
    /// Those and `:`, beginning with a letter or `_`.
    Dotted,
}

/// What happens to text without a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blank {
    /// It may stay.
    Keep,
    /// Empty text goes.
    RefuseEmpty,
    /// White space goes too.
    Refuse,
}

/// The next number after a prefix: see [`Token::nearest`].
pub(crate) type Tried = StrMap<usize>;

impl Token {
    pub(crate) const fn new(max: usize, charset: Charset) -> Self {
        Self { max, charset, exact: false }
    }

    pub(crate) fn allows(self, text: &str) -> bool {
        let first = match self.charset {
            Charset::Any | Charset::Alphanumeric | Charset::Word | Charset::Property => true,
            Charset::Dotted => text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
        };
        let length = text.chars().count();
        !text.is_empty()
            && length <= self.max
            && (!self.exact || length == self.max)
            && first
            && text.chars().all(|c| self.character(c))
    }

    fn character(self, c: char) -> bool {
        let word = c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match self.charset {
            Charset::Any => true,
            Charset::Alphanumeric => c.is_ascii_alphanumeric(),
            Charset::Word => word,
            Charset::Property => word || c == '.',
            Charset::Dotted => word || c == '.' || c == ':',
        }
    }

    /// Returns the nearest string that is allowed and not `taken`. `tried` caches earlier attempts, so
    /// that no string is tried twice with the same list.
    pub(crate) fn nearest(
        self,
        text: &str,
        tried: &mut Tried,
        taken: impl Fn(&str) -> bool,
    ) -> String {
        if self.exact {
            return self.numbered(tried, taken);
        }
        let mut base: String =
            text.chars().map(|c| if self.character(c) { c } else { '_' }).collect();
        if base.is_empty() || !self.allows(&base.chars().take(1).collect::<String>()) {
            base.insert(0, '_');
        }
        let cut = |keep: usize| base.chars().take(keep).collect::<String>();
        let plain = cut(self.max);
        if !taken(&plain) {
            return plain;
        }
        let mut count = 2;
        loop {
            let tail = format!("_{count}");
            let head = cut(self.max.saturating_sub(tail.len()));
            // a longer number leaves fewer characters before it: each length has its own count
            let key = format!("{} {head}", tail.len());
            if let Some(next) = tried.get(&key).filter(|next| **next > count) {
                count = *next;
                continue;
            }
            count += 1;
            tried.insert(key, count);
            let named = head + &tail;
            if !taken(&named) {
                return named;
            }
        }
    }

    /// The first free one of `c00000001`, `c00000002` and so on.
    fn numbered(self, tried: &mut Tried, taken: impl Fn(&str) -> bool) -> String {
        let mut count = tried.get("").copied().unwrap_or(1);
        loop {
            let digits = self.max.saturating_sub(1);
            let named = format!("c{count:0digits$}");
            count += 1;
            if !taken(&named) {
                tried.insert("", count);
                return named;
            }
        }
    }
}

/// Characters `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`, at most 64.
pub(crate) const WORD_64: Token = Token::new(64, Charset::Word);

/// A schema without checks.
pub(crate) const ANY_SCHEMA: SchemaRules = SchemaRules {
    checked: false,
    deep_properties: false,
    none_for_empty: false,
    lone_refs: false,
    property: None,
    strict: StrictRules::None,
};

/// No demands at all: what others begin with.
pub(crate) const OPEN: Demands = Demands {
    paired: false,
    adjacent: false,
    call_order: false,
    call_id: None,
    unique_calls: false,
    tool_name: None,
    object_arguments: false,
    system: System::Anywhere,
    developer: true,
    alternate: Alternate::No,
    orphan_results: false,
    user_first: false,
    user_last: false,
    assistant_after_results: false,
    prefill: false,
    blank: Blank::Keep,
    names: true,
    refusals: false,
    failures: false,
    cache_marks: 0,
    items: false,
    model: true,
    called_tools: false,
    most_tools: usize::MAX,
    schema: ANY_SCHEMA,
};
