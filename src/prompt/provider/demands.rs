//! What each provider demands of a conversation, as data.

use super::Provider;

/// What a provider demands. The legaliser reads this table and nothing else; the writers then
/// only put legal turns into the provider's shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demands {
    /// Every call has one result and every result a call before it.
    pub paired: bool,
    /// Results stand directly behind the message that made the calls.
    pub adjacent: bool,
    /// The results of one message stand in the order of its calls.
    pub call_order: bool,
    /// Call ids: how long, and whether only letters, digits, `_` and `-`.
    pub call_id: Option<Token>,
    /// A call id may stand only once in the whole conversation.
    pub unique_calls: bool,
    /// Tool names.
    pub tool_name: Option<Token>,
    /// Arguments are an object, not text.
    pub object_arguments: bool,
    /// System messages stand apart, before the conversation.
    pub system_apart: bool,
    /// Messages of one speaker that follow one another become one.
    pub alternate: bool,
    /// The conversation begins and ends with the user.
    pub user_bounds: bool,
    /// What happens to text without a word.
    pub blank: Blank,
    /// Messages may carry a speaker's name.
    pub names: bool,
}

/// What an id or a name may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub max: usize,
    pub charset: Charset,
}

/// Which charset may stand in an id or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    /// Any.
    Any,
    /// Letters, digits, `_`, `-`.
    Word,
    /// Those and `.` and `:`, beginning with a letter or `_`.
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

impl Token {
    pub(crate) fn allows(self, text: &str) -> bool {
        let first = match self.charset {
            Charset::Any | Charset::Word => true,
            Charset::Dotted => text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
        };
        !text.is_empty()
            && text.chars().count() <= self.max
            && first
            && text.chars().all(|c| self.sign(c))
    }

    fn sign(self, c: char) -> bool {
        let word = c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match self.charset {
            Charset::Any => true,
            Charset::Word => word,
            Charset::Dotted => word || c == '.' || c == ':',
        }
    }

    /// The nearest text that is allowed and not `taken`.
    pub(crate) fn nearest(self, text: &str, taken: impl Fn(&str) -> bool) -> String {
        let mut base: String = text.chars().map(|c| if self.sign(c) { c } else { '_' }).collect();
        if base.is_empty() || !self.allows(&base.chars().take(1).collect::<String>()) {
            base.insert(0, '_');
        }
        let cut = |keep: usize| base.chars().take(keep).collect::<String>();
        let plain = cut(self.max);
        if !taken(&plain) {
            return plain;
        }
        let mut count: u64 = 2;
        loop {
            let tail = format!("_{count}");
            let named = cut(self.max.saturating_sub(tail.len())) + &tail;
            if !taken(&named) {
                return named;
            }
            count += 1;
        }
    }
}

const WORD_64: Token = Token { max: 64, charset: Charset::Word };

impl Provider {
    pub(crate) const fn demands(self) -> Demands {
        let open = Demands {
            paired: false,
            adjacent: false,
            call_order: false,
            call_id: None,
            unique_calls: false,
            tool_name: None,
            object_arguments: false,
            system_apart: false,
            alternate: false,
            user_bounds: false,
            blank: Blank::Keep,
            names: true,
        };
        match self {
            Self::Neutral => open,
            Self::OpenaiChat => Demands {
                paired: true,
                adjacent: true,
                call_id: Some(Token { max: 40, charset: Charset::Any }),
                tool_name: Some(WORD_64),
                ..open
            },
            Self::OpenaiResponses => Demands {
                paired: true,
                call_id: Some(Token { max: 64, charset: Charset::Any }),
                unique_calls: true,
                tool_name: Some(WORD_64),
                names: false,
                ..open
            },
            Self::Anthropic => Demands {
                paired: true,
                adjacent: true,
                call_id: Some(WORD_64),
                unique_calls: true,
                tool_name: Some(Token { max: 128, charset: Charset::Word }),
                object_arguments: true,
                system_apart: true,
                alternate: true,
                user_bounds: true,
                blank: Blank::Refuse,
                names: false,
                ..open
            },
            Self::Gemini => Demands {
                paired: true,
                adjacent: true,
                call_order: true,
                tool_name: Some(Token { max: 128, charset: Charset::Dotted }),
                object_arguments: true,
                system_apart: true,
                alternate: true,
                user_bounds: true,
                blank: Blank::RefuseEmpty,
                names: false,
                ..open
            },
        }
    }
}
