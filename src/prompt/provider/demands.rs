//! The requirements of a provider for conversations and tools, as data.

use super::turn::Speaker;
use crate::value::str_map::StrMap;

/// The requirements of a provider. Only this table decides how turns become legal. The writers then
/// convert legal turns to the form of the provider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demands {
    /// Each call has one result, and each result has a call before it.
    pub paired: bool,
    /// Results directly follow the message that made the calls.
    pub adjacent: bool,
    /// The results of a message are in the order of its calls.
    pub call_order: bool,
    /// The length and the characters of call ids.
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
    /// Whether adjacent messages of one speaker are merged.
    pub alternate: Alternate,
    /// Results can answer calls of an earlier response.
    pub orphan_results: bool,
    /// The conversation begins with the user.
    pub user_first: bool,
    /// The conversation ends with the user, or with a result.
    pub user_last: bool,
    /// A result is followed by the assistant, never by the user.
    pub assistant_after_results: bool,
    /// An option makes the last message of the assistant the beginning of the answer.
    pub prefill: bool,
    /// The handling of empty text.
    pub blank: Blank,
    /// Messages can have the name of the speaker.
    pub names: bool,
    /// A refusal has its own field.
    pub refusals: bool,
    /// A result can state that its call failed.
    pub failures: bool,
    /// The maximum number of cache marks; `None` if a body has none.
    pub cache_marks: usize,
    /// Each text of an assistant and each call is a separate item.
    pub items: bool,
    /// The model is required.
    pub model: bool,
    /// Called tools must be defined.
    pub called_tools: bool,
    /// The maximum number of tools.
    pub most_tools: usize,
    /// The requirements for the schema of a tool.
    pub schema: SchemaRules,
}

/// The position of system messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// Anywhere in the conversation.
    Anywhere,
    /// In the conversation, before everything else.
    First,
    /// In a separate field.
    Apart,
}

/// Whether adjacent messages of one speaker are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alternate {
    /// They are separate.
    No,
    /// They are merged. Results are separate messages.
    Speakers,
    /// They are merged. Results belong to the user.
    Sides,
}

impl Alternate {
    /// Returns the speaker of a turn, with results as those of the user where the provider requires it.
    pub const fn side(self, speaker: Speaker) -> Speaker {
        match speaker {
            Speaker::Tool if matches!(self, Self::Speakers) => Speaker::Tool,
            Speaker::Tool | Speaker::User => Speaker::User,
            Speaker::Developer | Speaker::System => Speaker::System,
            Speaker::Assistant => Speaker::Assistant,
        }
    }

    /// Returns whether adjacent turns of this side are merged.
    pub const fn merges(self, side: Speaker) -> bool {
        !matches!(self, Self::No) && !matches!(side, Speaker::System | Speaker::Tool)
    }
}

/// The requirements of a provider for the schema of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemaRules {
    /// The provider checks schemas.
    pub checked: bool,
    /// Each object lists its properties, at any depth.
    pub deep_properties: bool,
    /// A tool without arguments has no schema.
    pub none_for_empty: bool,
    /// A `$ref` has no other keys.
    pub lone_refs: bool,
    /// The allowed names of properties.
    pub property: Option<Token>,
    /// The requirements of `strict`.
    pub strict: StrictRules,
}

/// The requirements of `strict` for a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrictRules {
    /// The provider has no `strict`.
    None,
    /// Closed objects, every property required, and a part of JSON Schema.
    AllRequired,
    /// Closed objects, and a smaller part of JSON Schema.
    Closed,
}

/// The allowed form of an id or a name.
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
    /// Any character.
    Any,
    /// Letters and digits.
    Alphanumeric,
    /// The above, `_` and `-`.
    Word,
    /// The above and `.`.
    Property,
    /// The above and `:`, with a letter or `_` first.
    Dotted,
}

/// The handling of empty text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blank {
    /// It is kept.
    Keep,
    /// Empty text is dropped.
    RefuseEmpty,
    /// White space is dropped too.
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

    /// Returns the first free one of `c00000001`, `c00000002` and so on.
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

/// The requirements of a provider that does not check schemas.
pub(crate) const ANY_SCHEMA: SchemaRules = SchemaRules {
    checked: false,
    deep_properties: false,
    none_for_empty: false,
    lone_refs: false,
    property: None,
    strict: StrictRules::None,
};

/// No requirements: the base of the others.
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
