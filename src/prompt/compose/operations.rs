//! The operations of the composer. They read nothing from a store.
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

use super::{ComposeInput, Composed, Layer, Ledger, Lifecycle, Process, ProcessRule, lifecycle};
use crate::prompt::lint::PromptLint;
use crate::rule::{Composer, Defaults, Immediate};
use crate::value::arguments::arguments;
use crate::value::json::{Field, Json};
use crate::value::message::Message;
use crate::{Lint, Path, Result};
use serde::Serialize;

/// The answer of `compose`.
///
/// Shown by the example of [`compose`](fn@compose).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prompt {
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// The origin of each message, and what was omitted.
    pub ledger: Ledger,
}

/// Composes a prompt under the project's [policy](Composer).
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
    let input = ComposeInput::read_call(&Field::root(call))?;
    let path = Path::root().key("checkpoint_messages");
    defaults.limits.check_messages(input.checkpoint_messages.len(), &path)?;
    let Composed { messages, ledger, lints } = defaults.composer.compose(&input)?;
    Ok(Immediate::with_lints(Prompt { messages, ledger }, lints))
}

shape! {
    /// The blocks that a process sees.
    pub struct AllowedKeys {
        /// The keys of the blocks, in the order of the composer.
        pub keys: Vec<ContextKey>,
    }

    fn compose(arguments: ComposeInput);
    fn allowed_contexts(arguments: AllowedContexts);
    fn prompt_tables(arguments: ListPromptTables);
}

arguments! {
    /// Lists the blocks that a kind of process sees.
    ///
    /// Shown by the example of [`allowed_contexts`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AllowedContexts {
        /// The kind of process.
        pub process: Process,
        /// The switch for shared blocks. That of the project by default.
        pub enable_share_context: Option<bool>,
    }

    /// Returns the tables of layers, processes and lifecycles.
    struct ListPromptTables {}
}

/// The blocks that a process sees.
///
/// Shown by the example of [`allowed_contexts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AllowedKeys {
    /// The keys of the blocks, in the order of the composer.
    pub keys: Vec<Layer>,
}

/// Lists the blocks that a `process` sees with the switch `enable_share_context`, or with that of the
/// project.
///
/// # Errors
/// `bad_request` for an unknown process.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::compose::Layer;
/// use tuckbox::prompt::compose::operations::allowed_contexts;
/// use tuckbox::rule::Composer;
///
/// let error = allowed_contexts(&json!({"process": "chat"}), &Composer::default()).unwrap_err();
/// assert_eq!(error.path().to_string(), "process");
/// let seen = allowed_contexts(&json!({"process": "react"}), &Composer::default())?;
/// assert!(seen.value().keys.contains(&Layer::Knowledge));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn allowed_contexts(call: &Json, composer: &Composer) -> Result<Immediate<AllowedKeys>> {
    let AllowedContexts { process, enable_share_context } = AllowedContexts::from_json(call)?;
    let rule = process.rule();
    let switch = enable_share_context.or(composer.enable_share_context);
    let value = AllowedKeys { keys: rule.allowed_contexts(rule.shares(switch)) };
    let mut lints = Vec::new();
    if enable_share_context == Some(true) && !rule.follows_switch {
        let path = Path::root().key("enable_share_context");
        let message =
            "`enable_share_context` has no effect; this process always sees the same blocks";
        lints.push(Lint::new(PromptLint::SwitchWithoutEffect, path, message));
    }
    Ok(Immediate::with_lints(value, lints))
}

/// The tables of the composer.
///
/// Shown by the example of [`prompt_tables`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptTables {
    /// The blocks that each kind of process sees.
    pub processes: Vec<ProcessRule>,
    /// The lifetime of each layer.
    pub layers: Vec<Lifecycle>,
}

/// Returns the blocks that each kind of process sees, and the lifetime of each layer.
///
/// # Errors
/// `bad_request` for an unknown key.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::compose::Process;
/// use tuckbox::prompt::compose::operations::prompt_tables;
///
/// let tables = prompt_tables(&json!({}))?;
/// assert!(tables.value().processes.iter().any(|row| row.process == Process::MapreduceWorker));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn prompt_tables(call: &Json) -> Result<Immediate<PromptTables>> {
    ListPromptTables::from_json(call)?;
    let processes = Process::ALL.map(Process::rule).to_vec();
    Ok(Immediate::new(PromptTables { processes, layers: lifecycle() }))
}
