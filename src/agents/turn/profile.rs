//! What a profile says about a turn.

use super::template::{self, Filled};
use crate::agents::lint::AgentLint;
use crate::agents::profile;
use crate::agents::recipe::DelegationPolicy;
use crate::rule::Cursor;
use crate::rule::lint::Lint;
use crate::store::Agent;
use crate::value::Set;
use crate::value::env::Env;
use crate::value::find::holds;
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
    /// The card that holds it.
    pub card_id: CardId,
    /// Its name.
    pub name: String,
    /// How people call the agent.
    pub display_name: Option<String>,
    /// The model and how it is called, as the profile says it.
    pub llm_config: Json,
    /// The tools it may use; absent when it may use all.
    pub allowed_tools: Option<Vec<String>>,
}

impl TurnProfile {
    /// Reads a profile that was recorded.
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

/// A profile that was read, with its prompt filled in.
pub(super) struct Loaded {
    pub profile: TurnProfile,
    pub prompt: String,
}

/// What loading a profile came to.
pub(super) enum Loading {
    /// Something is still to be read.
    Need,
    /// There is none that can be used.
    None,
    /// Here it is.
    Done(Box<Loaded>),
}

/// Which profile, for whom.
pub(super) struct Wanted<'a> {
    pub profile_box_id: Option<&'a BoxId>,
    pub agent_id: Option<&'a AgentId>,
    pub agent: Option<&'a Agent>,
    pub display_name: Option<&'a str>,
    pub downstream_desc: Option<&'a str>,
}

/// The names under which a prompt can ask whom its agent may hand over to.
const DOWNSTREAM: [&str; 3] = ["downstream_profiles_desc", "downstream_roster", "downstream_desc"];

/// What a prompt says where nobody may be handed over to.
const NOBODY: &str = "No downstream profiles available.";

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
            let message = format!("profile box `{box_id}` is not there, or holds no card");
            lints.push(Lint::new(AgentLint::MissingProfile, path, message));
            return Ok(Loading::None);
        };
        let said = match profile::configuration(card) {
            Ok(said) => said,
            Err(error) => {
                lints.push(Lint::new(AgentLint::UnreadableProfile, path, error.message()));
                return Ok(Loading::None);
            }
        };
        let template = text(said, "system_prompt_template").or_else(|| text(said, "system_prompt"));
        let template = template.unwrap_or_default();
        let name = text(said, "name")
            .or_else(|| text(said, "profile_id"))
            .or_else(|| text(&card.metadata, "name"))
            .or_else(|| self.agent_id.map(ToString::to_string))
            .unwrap_or_default();
        let display_name = self
            .display_name
            .or_else(|| self.agent.and_then(|agent| agent.display_name.as_deref()))
            .map(str::to_owned);
        let downstream = self.downstream(&template, said, cursor, lints)?;
        let Some(downstream) = downstream else { return Ok(Loading::Need) };
        let shown = display_name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&name);
        let mut values = vec![("display_name", shown)];
        if let Some(downstream) = &downstream {
            values.extend(DOWNSTREAM.map(|key| (key, downstream.as_str())));
        }
        let path = Path::root().key("profile").key("system_prompt_template");
        let Filled { text: prompt, unknown } = template::fill(&template, &values, &path)?;
        // that the host has to name the downstream profiles is said already
        for name in unknown.iter().filter(|name| !DOWNSTREAM.contains(&name.as_str())) {
            lints.push(Lint::new(
                AgentLint::UnfilledPlaceholder,
                path.clone(),
                format!("nobody fills in `{{{name}}}`: the model reads it as it stands"),
            ));
        }
        let allowed = said.get("allowed_tools").and_then(Json::as_array).map(|names| {
            names.iter().filter_map(Json::as_str).map(str::to_owned).collect::<Vec<_>>()
        });
        let profile = TurnProfile {
            profile_box_id: box_id.clone(),
            card_id: card.card_id.clone(),
            name,
            display_name,
            llm_config: said.get("llm_config").cloned().unwrap_or_default(),
            allowed_tools: allowed,
        };
        Ok(Loading::Done(Box::new(Loaded { profile, prompt })))
    }

    /// Whom the agent may hand over to, in words; the inner `None` when only the host could know,
    /// the outer one while something is still to be read.
    fn downstream(
        &self,
        template: &str,
        said: &Object,
        cursor: &mut Cursor<'_>,
        lints: &mut Vec<Lint>,
    ) -> Result<Option<Option<String>>> {
        if let Some(given) = self.downstream_desc {
            return Ok(Some(Some(given.to_owned())));
        }
        if !DOWNSTREAM.iter().any(|key| holds(template, key)) {
            return Ok(Some(Some(String::new())));
        }
        let policy = said.get("delegation_policy").and_then(DelegationPolicy::read);
        let names = match policy.map(|policy| policy.target_profiles) {
            None => Vec::new(),
            Some(Some(names)) => names,
            Some(None) => {
                lints.push(Lint::new(
                    AgentLint::DownstreamNotListed,
                    Path::root().key("downstream_desc"),
                    "the prompt lists every profile of the project; give `downstream_desc`",
                ));
                return Ok(Some(None));
            }
        };
        let mut lines = Vec::with_capacity(names.len());
        let mut unread = false;
        for name in &names {
            match cursor.profile(name)? {
                None => unread = true,
                Some(None) => lines.push(format!("- {name}")),
                Some(Some(found)) => {
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
        Ok(Some(Some(if lines.is_empty() { NOBODY.to_owned() } else { lines.join("\n") })))
    }
}

/// A value as text, where there is any.
fn text(object: &Object, key: &str) -> Option<String> {
    object.get(key).filter(|value| value.is_truthy()).map(Json::text_form)
}

/// The tools that a profile allows, and the names of the others.
pub(super) fn allowed(
    tools: &[Object],
    profile: Option<&TurnProfile>,
) -> (Vec<Object>, Vec<String>) {
    let Some(allowed) = profile.and_then(|profile| profile.allowed_tools.as_ref()) else {
        return (tools.to_vec(), Vec::new());
    };
    let allowed: Set<&str> = allowed.iter().map(|name| trim(name)).collect();
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for tool in tools {
        match tool_name(tool) {
            Some(name) if !allowed.contains(name) => {
                left_out.push(name.to_owned());
            }
            Some(_) | None => kept.push(tool.clone()),
        }
    }
    (kept, left_out)
}

/// The name that a model calls a tool by.
fn tool_name(tool: &Object) -> Option<&str> {
    let function = tool.get("function").and_then(|function| function.get("name"));
    function.or_else(|| tool.get("name")).and_then(Json::as_str)
}
