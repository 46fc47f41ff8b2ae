//! Conversion changes of a payload: every merge, move, drop, rewrite and addition.

use super::prompt::Origin;
use crate::value::arguments::Argument;
use crate::value::code::codes;
use crate::value::json::{Field, Json, Object};
use crate::value::sort::sort_by_key;
use crate::{CardId, Error, Path, Result};
use serde::Serialize;

/// What was done to a message or a tool definition.
///
/// Shown by the example of [`Loss`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Two became one.
    Merge,
    /// It moved.
    Move,
    /// It was dropped.
    Drop,
    /// It was rewritten, with the same or nearly the same meaning.
    Rewrite,
    /// It was added.
    Add,
}

macro_rules! changes {
    ($($(#[doc = $doc:literal])+ $name:ident $code:literal $action:ident $kind:ident;)*) => {
        codes! {
            /// Every kind of change, under a code that stays the same.
            ///
            /// Shown by the example of [`Loss`].
            pub enum Change { $($(#[doc = $doc])+ $name = $code,)* }
        }

        impl Change {
            /// What was done.
            pub const fn action(self) -> Action {
                match self { $(Self::$name => Action::$action,)* }
            }

            /// True when the model no longer sees the same words of the same speaker in the same
            /// order; a strict payload refuses these.
            pub const fn is_lossy(self) -> bool {
                match self { $(Self::$name => kind!($kind),)* }
            }
        }
    };
}

macro_rules! kind {
    (lossy) => {
        true
    };
    (harmless) => {
        false
    };
}

changes! {
    /// A role that no provider knows became `user`.
    UnknownRole "unknown_role" Rewrite lossy;
    /// Another spelling of a known role.
    RoleRenamed "role_renamed" Rewrite harmless;
    /// The role does not go with the message's calls or the call it answers.
    RoleRewritten "role_rewritten" Rewrite lossy;
    /// A message with calls also named a call that it answers; that id was dropped.
    AnswerAndCalls "answer_and_calls" Drop lossy;
    /// A key that the provider does not take.
    KeyDropped "key_dropped" Drop lossy;
    /// The provider takes no speaker's name here.
    NameDropped "name_dropped" Drop lossy;
    /// The speaker's name held characters that the provider refuses.
    NameRewritten "name_rewritten" Rewrite lossy;
    /// The provider takes no reasoning back as text.
    ReasoningDropped "reasoning_dropped" Drop lossy;
    /// A part of an unknown kind became its JSON text.
    UnknownPart "unknown_part" Rewrite lossy;
    /// A file or a picture that the provider cannot take here became a line of text.
    MediaAsText "media_as_text" Rewrite lossy;
    /// A call that could not be read.
    MalformedCall "malformed_call" Drop lossy;
    /// A result without its call became a user's text.
    OrphanResult "orphan_result" Rewrite lossy;
    /// A second result of one call became a user's text.
    DuplicateResult "duplicate_result" Rewrite lossy;
    /// A call without a result.
    UnansweredCall "unanswered_call" Drop lossy;
    /// A result moved up, directly after its call.
    ResultMoved "result_moved" Move lossy;
    /// The results of one message were put in the order of its calls.
    ResultReordered "result_reordered" Move harmless;
    /// A call and its result go under another id.
    CallIdRewritten "call_id_rewritten" Rewrite harmless;
    /// Arguments as an object became text, or empty text an empty object.
    ArgumentsRewritten "arguments_rewritten" Rewrite harmless;
    /// Arguments that are not a JSON object were wrapped in one, under `arguments`.
    ArgumentsWrapped "arguments_wrapped" Rewrite lossy;
    /// A tool was renamed; the payload lists the names.
    ToolNameRewritten "tool_name_rewritten" Rewrite lossy;
    /// A system message moved to the others at the front.
    SystemMoved "system_moved" Move lossy;
    /// A message was empty or had only white space.
    EmptyDropped "empty_dropped" Drop harmless;
    /// White space at the end of a beginning that the model continues.
    SpaceTrimmed "space_trimmed" Rewrite harmless;
    /// Messages of one speaker became one.
    TurnsMerged "turns_merged" Merge harmless;
    /// A user's message that the provider demands at the beginning or the end.
    UserAdded "user_added" Add lossy;
    /// A tool definition that could not be read.
    MalformedTool "malformed_tool" Drop lossy;
    /// A tool of a kind that this provider does not have.
    ForeignTool "foreign_tool" Drop lossy;
    /// The same tool once more.
    DuplicateTool "duplicate_tool" Drop harmless;
    /// Another tool under a name that is taken.
    ConflictingTool "conflicting_tool" Drop lossy;
    /// A schema without a type became one of an object.
    SchemaRewritten "schema_rewritten" Rewrite harmless;
    /// A schema that is not an object's was wrapped in one, under `value`.
    SchemaWrapped "schema_wrapped" Rewrite lossy;
    /// The provider demands a limit of the answer's length.
    LimitAdded "limit_added" Add harmless;
    /// A result was matched to a call by order or tool name, because the ids did not match.
    CallPaired "call_paired" Rewrite lossy;
    /// A failed call has a partial result, which is not shown with the error.
    PartialResultHidden "partial_result_hidden" Drop lossy;
    /// The provider has no mark for a failed call, and the text does not state the failure.
    FailureUnmarked "failure_unmarked" Drop lossy;
    /// A part that only another provider has.
    ForeignPart "foreign_part" Drop lossy;
    /// The type of a file goes under its registered name, or as what its bytes are.
    MediaTypeRewritten "media_type_rewritten" Rewrite harmless;
    /// The provider takes no citations back.
    CitationsDropped "citations_dropped" Drop lossy;
    /// The provider has no such mark of where its cache may end, or takes fewer.
    CacheMarkDropped "cache_mark_dropped" Drop harmless;
    /// A signature that only another provider can read.
    SignatureDropped "signature_dropped" Drop harmless;
    /// The model requires a signature that is missing; the documented placeholder was added.
    SignatureAdded "signature_added" Add harmless;
    /// The provider has no place of its own for a refusal, which goes as text.
    RefusalAsText "refusal_as_text" Rewrite harmless;
    /// More tools than the provider takes.
    TooManyTools "too_many_tools" Drop lossy;
    /// The schema is not one that `strict` allows, or the provider has no `strict`.
    StrictDropped "strict_dropped" Drop lossy;
    /// A part of a schema that the provider does not accept was dropped.
    SchemaLoosened "schema_loosened" Rewrite lossy;
    /// A property of a tool was renamed; the payload lists the names.
    PropertyRenamed "property_renamed" Rewrite lossy;
    /// An option was dropped that the provider does not accept, alone or with the others.
    OptionDropped "option_dropped" Drop lossy;
    /// An option goes with another value that the provider takes.
    OptionRewritten "option_rewritten" Rewrite lossy;
    /// An assistant's message that the provider demands after results.
    AssistantAdded "assistant_added" Add lossy;
    /// A definition that the provider demands of a tool that was called.
    ToolAdded "tool_added" Add lossy;
}

impl Argument for Change {
    fn read(field: &Field<'_>) -> Result<Self> {
        let code = field.string()?;
        let found = Self::ALL.iter().find(|change| change.as_str() == code);
        found.copied().ok_or_else(|| {
            field.error(format!("unknown change `{code}`; expected a code of a conversion change"))
        })
    }
}

/// One change.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::provider::{Action, Change, Options, Prompt, Provider, payload};
///
/// let prompt = Prompt::new(vec![Message::user("Hello"), Message::user("Well?")]);
/// let made = payload(&prompt, Provider::Anthropic, &Options { max_output_tokens: Some(100), ..Options::model("m") })?;
/// let loss = &made.losses()[0];
/// assert_eq!((loss.code, loss.action, loss.position), (Change::TurnsMerged, Action::Merge, Some(1)));
/// assert!(!loss.lossy, "the model still sees the same words");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// What kind of change.
    pub code: Change,
    /// What was done.
    pub action: Action,
    /// True when the model no longer sees the same.
    pub lossy: bool,
    /// The neutral message it happened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// The tool definition it happened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<usize>,
    /// The card that the message came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<CardId>,
    /// The layer that the message came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Why, in one sentence.
    pub reason: String,
}

impl Loss {
    fn path(&self) -> Path {
        match (self.position, self.tool) {
            (Some(position), _) => Path::root().key("messages").index(position),
            (None, Some(tool)) => Path::root().key("tools").index(tool),
            (None, None) => Path::root(),
        }
    }
}

/// The report of one payload while it is made.
#[derive(Debug)]
pub(crate) struct Losses {
    provider: &'static str,
    found: Vec<Loss>,
}

impl Losses {
    /// An empty report.
    pub fn of(provider: &'static str) -> Self {
        Self { provider, found: Vec::new() }
    }

    /// The name of the provider.
    pub fn provider(&self) -> &'static str {
        self.provider
    }

    /// Takes note of a change to the message at `position`.
    pub fn message(&mut self, change: Change, position: usize, reason: impl Into<String>) {
        self.push(change, Some(position), None, reason.into());
    }

    /// Takes note of a change to a tool definition.
    pub fn tool(&mut self, change: Change, tool: usize, reason: impl Into<String>) {
        self.push(change, None, Some(tool), reason.into());
    }

    /// Takes note of keys of a message's part or call that are read nowhere.
    pub fn keys(&mut self, position: usize, of: &Json, known: &[&str], what: &str) {
        for key in unknown_keys(of.as_object(), known) {
            let reason = format!("`{}` does not take the key `{key}` of {what}", self.provider);
            self.message(Change::KeyDropped, position, reason);
        }
    }

    /// Takes note of a change to the payload as a whole.
    pub fn whole(&mut self, change: Change, reason: impl Into<String>) {
        self.push(change, None, None, reason.into());
    }

    fn push(&mut self, code: Change, position: Option<usize>, tool: Option<usize>, reason: String) {
        self.found.push(Loss {
            code,
            action: code.action(),
            lossy: code.is_lossy(),
            position,
            tool,
            card_id: None,
            layer: None,
            reason,
        });
    }

    /// The report, in the order of the messages, with where each came from.
    pub fn finish(mut self, origins: &[Origin]) -> Vec<Loss> {
        for loss in &mut self.found {
            if let Some(origin) = loss.position.and_then(|position| origins.get(position)) {
                loss.card_id = origin.card_id.clone();
                loss.layer = origin.layer.clone();
            }
        }
        sort_by_key(&mut self.found, |loss| (loss.tool, loss.position));
        self.found
    }
}

/// Returns the keys that would be lost. Empty values do not count.
pub(super) fn unknown_keys<'a>(
    object: Option<&'a Object>,
    known: &'a [&str],
) -> impl Iterator<Item = &'a str> {
    let says = |value: &Json| match value {
        Json::Null => false,
        Json::String(_) | Json::Array(_) | Json::Object(_) => value.is_truthy(),
        Json::Bool(_) | Json::Number(_) => true,
    };
    let entries = object.into_iter().flatten();
    let unknown = entries.filter(move |(key, value)| !known.contains(&key.as_str()) && says(value));
    unknown.map(|(key, _)| key.as_str())
}

/// Refuses what a strict payload must not do.
pub(super) fn refuse(losses: &[Loss], provider: &str, allow: &[Change]) -> Result<()> {
    let refused = |loss: &&Loss| loss.lossy && !allow.contains(&loss.code);
    let Some(first) = losses.iter().find(refused) else { return Ok(()) };
    let count = losses.iter().filter(refused).count();
    let all = losses
        .iter()
        .filter(refused)
        .map(crate::value::json::to_json)
        .collect::<Result<Vec<_>>>()?;
    let more = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
    Err(Error::bad_request(format!(
        "`{provider}` cannot accept this unchanged: {}{more}; `strict` does not allow changes",
        first.reason
    ))
    .at(first.path())
    .detail("losses", Json::Array(all)))
}
