//! Conversion changes of a payload: every merge, move, drop, rewrite and addition.

use super::prompt::Origin;
use crate::value::arguments::Argument;
use crate::value::code::codes;
use crate::value::json::{Field, Json, Object};
use crate::value::sort::sort_by_key;
use crate::{CardId, Error, Path, Result};
use serde::Serialize;

/// The kind of action on a message or a tool definition.
///
/// Shown by the example of [`Loss`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Two values were merged.
    Merge,
    /// A value was moved.
    Move,
    /// A value was dropped.
    Drop,
    /// A value was rewritten, with the same or nearly the same meaning.
    Rewrite,
    /// A value was added.
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
            /// The action.
            pub const fn action(self) -> Action {
                match self { $(Self::$name => Action::$action,)* }
            }

            /// True if the change affects what the model sees: the texts, their roles or their order.
            /// A strict payload refuses such changes.
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
    /// The role does not match the calls of the message, or the call that it answers.
    RoleRewritten "role_rewritten" Rewrite lossy;
    /// A message with calls also had the id of a call that it answers. The id was dropped.
    AnswerAndCalls "answer_and_calls" Drop lossy;
    /// A key that the provider does not accept.
    KeyDropped "key_dropped" Drop lossy;
    /// The provider does not accept the name of a speaker here.
    NameDropped "name_dropped" Drop lossy;
    /// The name of the speaker had characters that the provider refuses.
    NameRewritten "name_rewritten" Rewrite lossy;
    /// The provider does not accept reasoning as text.
    ReasoningDropped "reasoning_dropped" Drop lossy;
    /// A part of an unknown kind became its JSON text.
    UnknownPart "unknown_part" Rewrite lossy;
    /// A file or an image that the provider does not accept here became a line of text.
    MediaAsText "media_as_text" Rewrite lossy;
    /// A call that could not be read.
    MalformedCall "malformed_call" Drop lossy;
    /// A result without its call became text of the user.
    OrphanResult "orphan_result" Rewrite lossy;
    /// A second result of one call became text of the user.
    DuplicateResult "duplicate_result" Rewrite lossy;
    /// A call without a result.
    UnansweredCall "unanswered_call" Drop lossy;
    /// A result was moved directly after its call.
    ResultMoved "result_moved" Move lossy;
    /// The results of one message were put in the order of its calls.
    ResultReordered "result_reordered" Move harmless;
    /// A call and its result got another id.
    CallIdRewritten "call_id_rewritten" Rewrite harmless;
    /// Arguments as an object became text, or empty text an empty object.
    ArgumentsRewritten "arguments_rewritten" Rewrite harmless;
    /// Arguments that are not a JSON object were wrapped in one, under `arguments`.
    ArgumentsWrapped "arguments_wrapped" Rewrite lossy;
    /// A tool was renamed; the payload lists the names.
    ToolNameRewritten "tool_name_rewritten" Rewrite lossy;
    /// A system message was moved to the others at the start.
    SystemMoved "system_moved" Move lossy;
    /// A message was empty or had only white space.
    EmptyDropped "empty_dropped" Drop harmless;
    /// White space was removed at the end of a message that the model continues.
    SpaceTrimmed "space_trimmed" Rewrite harmless;
    /// Messages of one speaker were merged.
    TurnsMerged "turns_merged" Merge harmless;
    /// A user message was added that the provider requires at the start or the end.
    UserAdded "user_added" Add lossy;
    /// A tool definition that could not be read.
    MalformedTool "malformed_tool" Drop lossy;
    /// A tool of a kind that this provider does not have.
    ForeignTool "foreign_tool" Drop lossy;
    /// A repeated definition of a tool.
    DuplicateTool "duplicate_tool" Drop harmless;
    /// Another tool with the same name.
    ConflictingTool "conflicting_tool" Drop lossy;
    /// A schema without a type became the schema of an object.
    SchemaRewritten "schema_rewritten" Rewrite harmless;
    /// A schema that is not of an object was wrapped in one, under `value`.
    SchemaWrapped "schema_wrapped" Rewrite lossy;
    /// The provider requires a maximum length of the answer.
    LimitAdded "limit_added" Add harmless;
    /// A result was matched to a call by order or tool name, because the ids did not match.
    CallPaired "call_paired" Rewrite lossy;
    /// A failed call has a partial result, which is not shown with the error.
    PartialResultHidden "partial_result_hidden" Drop lossy;
    /// The provider has no field for a failed call, and the text does not state the failure.
    FailureUnmarked "failure_unmarked" Drop lossy;
    /// A part that only another provider has.
    ForeignPart "foreign_part" Drop lossy;
    /// The type of a file was changed to its registered name, or to that of its bytes.
    MediaTypeRewritten "media_type_rewritten" Rewrite harmless;
    /// The provider does not accept citations.
    CitationsDropped "citations_dropped" Drop lossy;
    /// The provider does not have this cache mark, or accepts fewer.
    CacheMarkDropped "cache_mark_dropped" Drop harmless;
    /// A signature that only another provider can read.
    SignatureDropped "signature_dropped" Drop harmless;
    /// The model requires a signature that is missing; the documented placeholder was added.
    SignatureAdded "signature_added" Add harmless;
    /// The provider has no field for a refusal, which became text.
    RefusalAsText "refusal_as_text" Rewrite harmless;
    /// There were more tools than the provider accepts.
    TooManyTools "too_many_tools" Drop lossy;
    /// The schema is not one that `strict` allows, or the provider has no `strict`.
    StrictDropped "strict_dropped" Drop lossy;
    /// A part of a schema that the provider does not accept was dropped.
    SchemaLoosened "schema_loosened" Rewrite lossy;
    /// A property of a tool was renamed; the payload lists the names.
    PropertyRenamed "property_renamed" Rewrite lossy;
    /// An option was dropped that the provider does not accept, alone or with the others.
    OptionDropped "option_dropped" Drop lossy;
    /// An option was changed to a value that the provider accepts.
    OptionRewritten "option_rewritten" Rewrite lossy;
    /// An assistant message was added that the provider requires after results.
    AssistantAdded "assistant_added" Add lossy;
    /// A definition was added that the provider requires for a called tool.
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
    /// The kind of the change.
    pub code: Change,
    /// The action.
    pub action: Action,
    /// True if the change affects what the model sees.
    pub lossy: bool,
    /// The changed neutral message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// The changed tool definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<usize>,
    /// The card of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<CardId>,
    /// The layer of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The reason, in one sentence.
    pub reason: String,
}

impl Loss {
    /// Returns the changed message or tool definition.
    pub(crate) fn path(&self) -> Path {
        match (self.position, self.tool) {
            (Some(position), _) => Path::root().key("messages").index(position),
            (None, Some(tool)) => Path::root().key("tools").index(tool),
            (None, None) => Path::root(),
        }
    }
}

/// The changes of a payload while it is made.
#[derive(Debug)]
pub(crate) struct Losses {
    provider: &'static str,
    found: Vec<Loss>,
}

impl Losses {
    /// Creates an empty report.
    pub fn of(provider: &'static str) -> Self {
        Self { provider, found: Vec::new() }
    }

    /// Returns the name of the provider.
    pub fn provider(&self) -> &'static str {
        self.provider
    }

    /// Records a change of the message at `position`.
    pub fn message(&mut self, change: Change, position: usize, reason: impl Into<String>) {
        self.push(change, Some(position), None, reason.into());
    }

    /// Records a change of a tool definition.
    pub fn tool(&mut self, change: Change, tool: usize, reason: impl Into<String>) {
        self.push(change, None, Some(tool), reason.into());
    }

    /// Records unknown keys of a part or call of a message.
    pub fn keys(&mut self, position: usize, of: &Json, known: &[&str], what: &str) {
        for key in unknown_keys(of.as_object(), known) {
            let reason = format!("`{}` does not take the key `{key}` of {what}", self.provider);
            self.message(Change::KeyDropped, position, reason);
        }
    }

    /// Records a change of the whole payload.
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

    /// Returns whether a change of the whole payload is recorded.
    pub fn has_whole(&self) -> bool {
        self.found.iter().any(|loss| loss.position.is_none() && loss.tool.is_none())
    }

    /// Discards changes that are not of one message.
    pub fn keep_messages(&mut self) {
        self.found.retain(|loss| loss.position.is_some());
    }

    /// Returns the report in the order of the messages, with the origins.
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
    let has_value = |value: &Json| match value {
        Json::Null => false,
        Json::String(_) | Json::Array(_) | Json::Object(_) => value.is_truthy(),
        Json::Bool(_) | Json::Number(_) => true,
    };
    let entries = object.into_iter().flatten();
    let unknown =
        entries.filter(move |(key, value)| !known.contains(&key.as_str()) && has_value(value));
    unknown.map(|(key, _)| key.as_str())
}

/// Returns an error for changes that a strict payload refuses.
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
