//! The profile of a turn.

use super::template::{self, Filled};
use crate::agents::lint::AgentLint;
use crate::agents::profile;
use crate::agents::recipe::DelegationPolicy;
use crate::rule::Cursor;
use crate::rule::lint::Lint;
use crate::store::{Agent, Presence};
use crate::value::Set;
use crate::value::env::Env;
use crate::value::find::contains;
use crate::value::id::{AgentId, BoxId, CardId};
use crate::value::json::{Field, Json, Object, trim};
use crate::{Path, Result};
use serde::Serialize;

/// The profile of a turn.
///
/// Shown by the example of [`TurnView`](super::TurnView).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnProfile {
    /// Its box.
    pub profile_box_id: BoxId,
    /// The card with its configuration.
    pub card_id: CardId,
    /// Its name.
    pub name: String,
    /// The display name of the agent.
    pub display_name: Option<String>,
    /// The model and its options, from the profile.
    pub llm_config: Json,
    /// The tools that it can use; missing if it can use all.
    pub allowed_tools: Option<Vec<String>>,
}

impl TurnProfile {
    /// Reads a recorded profile.
    pub(super) fn from_row(row: &Field<'_>) -> Result<Self> {
        let row = row.object()?;
        let text = |name: &str| row.required(name)?.string().map(str::to_owned);
        let names = row.optional("allowed_tools").map(|names| names.strings()).transpose()?;
        Ok(Self {
            profile_box_id: BoxId::from(text("profile_box_id")?.as_str()),
            card_id: CardId::from(text("card_id")?.as_str()),
            name: text("name")?,
            display_name: match row.optional("display_name") {
                Some(name) => Some(name.string()?.to_owned()),
                None => None,
            },
            llm_config: row.optional("llm_config").map(|of| of.json().clone()).unwrap_or_default(),
            allowed_tools: names.map(|names| names.into_iter().map(str::to_owned).collect()),
        })
    }
}

/// A profile with its prompt.
pub(super) struct Loaded {
    pub profile: TurnProfile,
    pub prompt: String,
}

/// The result of loading a profile.
pub(super) enum Loading {
    /// Something must be read first.
    Need,
    /// There is no usable profile.
    None,
    /// The profile.
    Done(Box<Loaded>),
}

/// The profile to load, and its agent.
pub(super) struct Wanted<'a> {
    pub profile_box_id: Option<&'a BoxId>,
    pub agent_id: Option<&'a AgentId>,
    pub agent: Option<&'a Agent>,
    pub display_name: Option<&'a str>,
    pub downstream_desc: Option<&'a str>,
}

/// The placeholders for the profiles that an agent can delegate to.
const DOWNSTREAM: [&str; 3] = ["downstream_profiles_desc", "downstream_roster", "downstream_desc"];

/// The text of a prompt whose agent cannot delegate.
const NO_DOWNSTREAM: &str = "No downstream profiles available.";

/// Returns the system prompt of a template, with lints about placeholders without a value.
fn fill_template(
    template: &str,
    display_name: &str,
    downstream: Option<&str>,
    lints: &mut Vec<Lint>,
) -> Result<String> {
    let mut values = vec![("display_name", display_name)];
    if let Some(downstream) = downstream {
        values.extend(DOWNSTREAM.map(|key| (key, downstream)));
    }
    let path = Path::root().key("profile").key("system_prompt_template");
    let Filled { text, unknown } = template::fill(template, &values, &path)?;
    // the placeholders for downstream profiles have their own lint
    for name in unknown.iter().filter(|name| !DOWNSTREAM.contains(&name.as_str())) {
        lints.push(Lint::new(
            AgentLint::UnfilledPlaceholder,
            path.clone(),
            format!("placeholder `{{{name}}}` has no value; the model sees it verbatim"),
        ));
    }
    Ok(text)
}

impl Wanted<'_> {
    pub fn load(
        &self,
        cursor: &mut Cursor<'_>,
        env: &Env,
        lints: &mut Vec<Lint>,
    ) -> Result<Loading> {
        let path = Path::root().key("profile_box_id");
        let Some(box_id) = self.profile_box_id.filter(|id| !id.as_str().is_empty()) else {
            lints.push(Lint::new(AgentLint::MissingProfile, path, "the turn has no profile"));
            return Ok(Loading::None);
        };
        let cards = profile::cards(cursor, box_id.as_str(), env.now)?;
        let Some(cards) = cards else { return Ok(Loading::Need) };
        let Some(card) = profile::profile_card(&cards).or_else(|| cards.first().copied()) else {
            let message = format!("profile box `{box_id}` does not exist or has no card");
            lints.push(Lint::new(AgentLint::MissingProfile, path, message));
            return Ok(Loading::None);
        };
        let config = match profile::configuration(card) {
            Ok(config) => config,
            Err(error) => {
                lints.push(Lint::new(AgentLint::UnreadableProfile, path, error.message()));
                return Ok(Loading::None);
            }
        };
        let template =
            text(config, "system_prompt_template").or_else(|| text(config, "system_prompt"));
        let template = template.unwrap_or_default();
        let name = text(config, "name")
            .or_else(|| text(config, "profile_id"))
            .or_else(|| text(&card.metadata, "name"))
            .or_else(|| self.agent_id.map(ToString::to_string))
            .unwrap_or_default();
        let display_name = self
            .display_name
            .or_else(|| self.agent.and_then(|agent| agent.display_name.as_deref()))
            .map(str::to_owned);
        let downstream = self.downstream(&template, config, cursor, lints)?;
        let Some(downstream) = downstream else { return Ok(Loading::Need) };
        let shown = display_name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&name);
        let prompt = fill_template(&template, shown, downstream.as_deref(), lints)?;
        let allowed = config.get("allowed_tools").and_then(Json::as_array).map(|names| {
            names.iter().filter_map(Json::as_str).map(str::to_owned).collect::<Vec<_>>()
        });
        let profile = TurnProfile {
            profile_box_id: box_id.clone(),
            card_id: card.card_id.clone(),
            name,
            display_name,
            llm_config: config.get("llm_config").cloned().unwrap_or_default(),
            allowed_tools: allowed,
        };
        Ok(Loading::Done(Box::new(Loaded { profile, prompt })))
    }

    /// Returns the description of the profiles that the agent can delegate to. The inner `None` means
    /// that only the host knows them, the outer one that something must be read first.
    fn downstream(
        &self,
        template: &str,
        config: &Object,
        cursor: &mut Cursor<'_>,
        lints: &mut Vec<Lint>,
    ) -> Result<Option<Option<String>>> {
        if let Some(given) = self.downstream_desc {
            return Ok(Some(Some(given.to_owned())));
        }
        if !DOWNSTREAM.iter().any(|key| contains(template, key)) {
            return Ok(Some(Some(String::new())));
        }
        let policy = config.get("delegation_policy").and_then(DelegationPolicy::read);
        let names = match policy.map(|policy| policy.target_profiles) {
            None => Vec::new(),
            Some(Some(names)) => names,
            Some(None) => {
                lints.push(Lint::new(
                    AgentLint::DownstreamNotListed,
                    Path::root().key("downstream_desc"),
                    "the prompt lists every profile of the project; set `downstream_desc`",
                ));
                return Ok(Some(None));
            }
        };
        let mut lines = Vec::with_capacity(names.len());
        let mut unread = false;
        for name in &names {
            match cursor.profile(name)? {
                Presence::Unread => unread = true,
                Presence::Read(None) => lines.push(format!("- {name}")),
                Presence::Read(Some(found)) => {
                    let tags: Vec<_> = found.tags.iter().filter(|tag| !tag.is_empty()).collect();
                    let tags = tags.into_iter().cloned().collect::<Vec<_>>().join(", ");
                    lines.push(match tags.as_str() {
                        "" => format!("- {}", found.name),
                        tags => format!("- {} ({tags})", found.name),
                    });
                }
            }
        }
        if unread {
            return Ok(None);
        }
        Ok(Some(Some(if lines.is_empty() { NO_DOWNSTREAM.to_owned() } else { lines.join("\n") })))
    }
}

/// Returns a truthy value as a string.
fn text(object: &Object, key: &str) -> Option<String> {
    object.get(key).filter(|value| value.is_truthy()).map(Json::text_form)
}

/// Returns the tools that a profile allows, and the names of the others.
pub(super) fn allowed(
    tools: &[Object],
    profile: Option<&TurnProfile>,
) -> (Vec<Object>, Vec<String>) {
    let Some(allowed) = profile.and_then(|profile| profile.allowed_tools.as_ref()) else {
        return (tools.to_vec(), Vec::new());
    };
    let allowed: Set<&str> = allowed.iter().map(|name| trim(name)).collect();
    let (mut kept, mut omitted) = (Vec::new(), Vec::new());
    for tool in tools {
        match tool_name(tool) {
            Some(name) if !allowed.contains(name) => {
                omitted.push(name.to_owned());
            }
            Some(_) | None => kept.push(tool.clone()),
        }
    }
    (kept, omitted)
}

/// Returns a lint for each tool without a description.
pub(super) fn undescribed(tools: &[Object]) -> impl Iterator<Item = Lint> {
    let path = |at: usize| Path::root().key("tools").index(at);
    tools.iter().enumerate().filter_map(move |(at, tool)| {
        let function = tool.get("function").and_then(Json::as_object).unwrap_or(tool);
        let text = function.get("description").and_then(Json::as_str);
        let name = tool_name(tool).filter(|_| text.is_none_or(|text| trim(text).is_empty()))?;
        let message = format!("tool `{name}` has no description, so the model sees only its name");
        Some(Lint::new(AgentLint::ToolWithoutDescription, path(at), message))
    })
}

/// Returns the name by which a model calls a tool.
fn tool_name(tool: &Object) -> Option<&str> {
    let function = tool.get("function").and_then(|function| function.get("name"));
    function.or_else(|| tool.get("name")).and_then(Json::as_str)
}
