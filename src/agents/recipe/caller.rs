//! Who hands over, and how: the part of a call that all recipes share.

use super::text;
use crate::agents::Setup;
use crate::rule::Dialect;
use crate::value::json::{Fields, Json};
use crate::value::limits::Limits;
use crate::{Error, Path, Result};

/// The sender of a handover.
///
/// ```
/// use tuckbox::Dialect;
/// use tuckbox::agents::recipe::{Caller, DelegateAsync, Strategy, TaskArguments};
///
/// let caller = Caller { dialect: Dialect::V1R4, check_liveness: true, ..Caller::new("ann") };
/// let task = TaskArguments::new(Strategy::New, "Writer", "Draft it.");
/// assert!(DelegateAsync::with_task(caller, &task)?.caller().check_liveness);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// The agent that hands over.
    pub source_agent_id: String,
    /// The tool that was called: the author of the new cards where the dialect says so.
    pub tool_suffix: Option<String>,
    /// The rule dialect.
    pub dialect: Dialect,
    /// How deep the agent stands below the first caller, as its transport tells it: a number, or
    /// text. The oldest dialect insists on it.
    pub recursion_depth: Json,
    /// Whether to read every inherited card and report those that are gone.
    pub check_liveness: bool,
    /// The id under which the commit applies once; minted when absent.
    pub operation_id: Option<String>,
    /// What a new card may hold.
    pub limits: Limits,
}

/// The keys of a call that say who hands over.
pub(super) const KEYS: [&str; 8] = [
    "op",
    "source_agent_id",
    "tool_name",
    "tool_suffix",
    "dialect",
    "recursion_depth",
    "check_liveness",
    "operation_id",
];

impl Caller {
    /// An agent at the top, under the default dialect.
    pub fn new(source_agent_id: impl Into<String>) -> Self {
        Self {
            source_agent_id: source_agent_id.into(),
            tool_suffix: None,
            dialect: Dialect::default(),
            recursion_depth: Json::from(0_u64),
            check_liveness: false,
            operation_id: None,
            limits: Limits::default(),
        }
    }

    /// Reads the caller's part of a call.
    pub(super) fn read(call: &Fields<'_>, setup: &Setup) -> Result<Self> {
        let text = |key| call.optional(key).map(|field| field.string().map(str::to_owned));
        Ok(Self {
            tool_suffix: text("tool_suffix").transpose()?,
            dialect: match call.optional("dialect") {
                Some(dialect) => Dialect::from_json(Some(dialect))?,
                None => setup.defaults.dialect,
            },
            limits: setup.defaults.limits,
            recursion_depth: call
                .present("recursion_depth")
                .map_or(Json::from(0_u64), |field| field.json().clone()),
            check_liveness: call
                .optional("check_liveness")
                .map_or(Ok(false), |field| field.boolean())?,
            operation_id: text("operation_id").transpose()?,
            ..Self::new(call.required("source_agent_id")?.string()?)
        })
    }

    /// Refuses a call that a model made under another tool's name: a host that routes calls to
    /// recipes passes the name on as `tool_name`.
    pub(super) fn check_tool_name(call: &Fields<'_>, recipe: &str) -> Result<()> {
        match call.present("tool_name") {
            Some(name) if name.json().as_str() != Some(recipe) => {
                let given = name.json().text_form();
                Err(name.error(format!("this is `{recipe}`, and the tool called is `{given}`")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The agent's id under the dialect.
    pub(super) fn agent_id(&self) -> Result<&str> {
        self.dialect.id(&self.source_agent_id, "source_agent_id")
    }

    /// The author of the cards that `recipe` makes.
    pub(super) fn author<'a>(&'a self, recipe: &'a str) -> &'a str {
        match &self.tool_suffix {
            Some(suffix) if !self.dialect.recipe_is_author => suffix,
            Some(_) | None => recipe,
        }
    }

    /// How deep the receiver stands.
    pub(super) fn depth_below(&self) -> Result<Option<u64>> {
        let depth = text::depth(&self.recursion_depth).and_then(|depth| depth.checked_add(1));
        if depth.is_none() && self.dialect.needs_depth {
            return Err(Error::bad_request(format!(
                "`{}` is not a recursion depth",
                self.recursion_depth.text_form()
            ))
            .at(Path::root().key("recursion_depth")));
        }
        Ok(depth)
    }
}
