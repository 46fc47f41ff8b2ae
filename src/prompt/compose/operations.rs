//! The operations of the composer: JSON in, an immediate answer out.
//!
//! ```
//! use tuckbox::json;
//! use tuckbox::prompt::compose::operations::compose;
//! use tuckbox::rule::Defaults;
//!
//! let call = json!({"process": "react", "system_prompt": "You review.", "query": {"runtime": "And now?"}});
//! let answer = compose(&call, &Defaults::default())?;
//! assert_eq!(answer.value().messages.len(), 2);
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::{ComposeInput, Composed, Ledger, Process, lifecycle};
use crate::prompt::lint::PromptLint;
use crate::rule::{Composer, Defaults, Immediate};
use crate::value::json::{Field, Json, to_json};
use crate::value::message::Message;
use crate::{Lint, Result};
use serde::Serialize;

/// What `compose` answers.
///
/// Shown by the example of [`compose`](fn@compose).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prompt {
    /// What the model sees, in order.
    pub messages: Vec<Message>,
    /// Where each message came from, and what was left out.
    pub ledger: Ledger,
}

/// `compose`: a [`ComposeInput`], under the project's [policy](Composer).
///
/// # Errors
/// As [`ComposeInput::from_json`] and [`Composer::compose`]; `limit` for too many messages.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::compose::operations::compose;
/// use tuckbox::rule::Defaults;
///
/// let call = json!({"process": "react", "system_prompt": "You review.", "query": {"runtime": " "}});
/// let answer = compose(&call, &Defaults::default())?;
/// assert_eq!(answer.lints()[0].code.as_str(), "blank_query");
/// assert_eq!(answer.value().ledger.entries[0].layer.key(), "system_prompt");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn compose(call: &Json, defaults: &Defaults) -> Result<Immediate<Prompt>> {
    let input = ComposeInput::from_call(&Field::root(call).object()?, &defaults.limits)?;
    let Composed { messages, ledger, lints } = defaults.composer.compose(&input)?;
    Ok(Immediate::with_lints(Prompt { messages, ledger }, lints))
}

shape! {
    /// The blocks that a process sees.
    pub struct AllowedContexts {
        pub keys: Vec<ContextKey>,
    }

    /// The composer's two tables.
    pub struct PromptTables {
        pub processes: Vec<super::process::ProcessRule>,
        pub layers: Vec<super::layer::Lifecycle>,
    }

    fn allowed_contexts() -> AllowedContexts;
    fn prompt_tables() -> PromptTables;
}

/// `allowed_contexts`: which named blocks a `process` sees where the switch `enable_share_context`
/// stands so, or as the project has it.
///
/// # Errors
/// `bad_request` for an unknown process kind.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::compose::operations::allowed_contexts;
/// use tuckbox::rule::Composer;
///
/// let error = allowed_contexts(&json!({"process": "chat"}), &Composer::default()).unwrap_err();
/// assert_eq!(error.path().to_string(), "process");
/// let seen = allowed_contexts(&json!({"process": "react"}), &Composer::default())?;
/// assert!(seen.value().to_string().contains("knowledge__context"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn allowed_contexts(call: &Json, composer: &Composer) -> Result<Immediate> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "process", "enable_share_context"])?;
    let rule = Process::from_json(&fields.required("process")?)?.rule();
    let asked = fields.optional("enable_share_context");
    let switch = match &asked {
        None => composer.enable_share_context,
        Some(share) => Some(share.boolean()?),
    };
    let value = Json::from([("keys", to_json(&rule.allowed_contexts(rule.shares(switch)))?)]);
    let mut lints = Vec::new();
    if let (Some(asked), Some(true), false) = (asked, switch, rule.follows_switch) {
        let message = "this process sees the same blocks whichever way the switch stands";
        lints.push(Lint::new(PromptLint::SwitchWithoutEffect, asked.path(), message));
    }
    Ok(Immediate::with_lints(value, lints))
}

/// `prompt_tables`: what each kind of process sees, and how long each layer lives, as data.
///
/// # Errors
/// `bad_request` for a key too many.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::compose::operations::prompt_tables;
///
/// let tables = prompt_tables(&json!({}))?;
/// assert!(tables.value().to_string().contains("mapreduce_worker"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn prompt_tables(call: &Json) -> Result<Immediate> {
    Field::root(call).object()?.only(&["op"])?;
    let processes = Process::ALL.map(Process::rule);
    let value = Json::from([
        ("processes", to_json(&processes.as_slice())?),
        ("layers", to_json(&lifecycle())?),
    ]);
    Ok(Immediate::new(value))
}
