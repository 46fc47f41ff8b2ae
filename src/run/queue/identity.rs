//! The roster: agents are created, changed and derived.

use crate::run::rows::{Head, IdentityEdge, Roster};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::trace;
use crate::store::Profile;
use crate::value::json::{Json, Object};
use crate::value::str_map::StrMap;
use serde::Serialize;

/// The wanted properties of an agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct AgentSpec {
    pub derived: bool,
    pub derived_from: Option<String>,
    pub profile_box_id: Option<String>,
    pub profile_name: Option<String>,
    pub worker_target: Option<String>,
    pub tags: Option<Vec<String>>,
    pub display_name: Option<String>,
    pub owner_agent_id: Option<String>,
    pub metadata: Object,
    pub active_channel_id: Option<String>,
}

/// The agent to change, and the source of the change.
#[derive(Clone, Debug, Default)]
pub(crate) struct AgentRequest {
    pub agent_id: String,
    pub channel_id: Option<String>,
    pub source_agent_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub trace_id: Option<String>,
}

/// The answer to a change of the roster.
///
/// ```
/// use tuckbox::run::Ready;
/// use tuckbox::value::json::to_text;
///
/// // an answer of `ensure_agent`
/// let ready = Ready { roster_updated: false, error_code: Some("profile_not_found") };
/// assert_eq!(to_text(&ready)?, r#"{"roster_updated":false,"error_code":"profile_not_found"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ready {
    /// True if the roster changed.
    pub roster_updated: bool,
    /// The stable code of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'static str>,
}

impl Ready {
    const UNCHANGED: Self = Self { roster_updated: false, error_code: None };

    fn refused(code: &'static str) -> Self {
        Self { error_code: Some(code), ..Self::UNCHANGED }
    }
}

/// Puts an agent into the roster with the wanted properties, and gives it a head.
pub(crate) fn make_ready(
    tx: &mut Transaction<'_>,
    request: &AgentRequest,
    spec: &AgentSpec,
) -> Run<Ready> {
    let agent = request.agent_id.as_str();
    let trace_id = trace::optional_trace_id(request.trace_id.as_deref())?;
    tx.want::<Roster>(&[agent]);
    tx.want::<Head>(&[agent]);
    let named = match present(spec.profile_name.as_deref()).filter(|_| spec.derived) {
        Some(name) => match tx.profile(name)? {
            Some(profile) => Some(profile),
            None => return Ok(Ready::refused("profile_not_found")),
        },
        None => None,
    };
    let roster = tx.get::<Roster>(&[agent])?;
    let mut spec = spec.clone();
    if spec.derived
        && let Err(ready) = derive(&mut spec, named.as_ref(), roster.as_ref(), request)
    {
        return Ok(ready);
    }
    let before = roster.as_ref();
    let box_id = present(spec.profile_box_id.as_deref())
        .or(before.and_then(|roster| roster.profile_box_id.as_deref()));
    let Some(box_id) = present(box_id).map(str::to_owned) else {
        return Ok(Ready::refused("missing_profile_name"));
    };
    let profile = tx.profile_of_box(&box_id)?;
    let Some(wanted) = wanted(&spec, before, profile.as_ref(), &box_id) else {
        return Ok(Ready::refused("worker_target_missing"));
    };
    let changed = before.is_none_or(|before| differs(before, &wanted, &spec));
    if changed {
        put_roster(tx, request, roster, wanted, trace_id)?;
    }
    if tx.get::<Head>(&[agent])?.is_none() {
        let head = Head {
            agent_id: agent.to_owned(),
            active_channel_id: spec.active_channel_id.clone(),
            profile_box_id: Some(box_id),
            updated_at: tx.now(),
            ..Head::default()
        };
        tx.put(&head, "provision", "no head")?;
    }
    Ok(Ready { roster_updated: changed, error_code: None })
}

/// Completes the spec of a derived agent from its profile. `Err` is the answer if there is nothing to do
/// or the spec contradicts the roster.
fn derive(
    spec: &mut AgentSpec,
    named: Option<&Profile>,
    roster: Option<&Roster>,
    request: &AgentRequest,
) -> Result<(), Ready> {
    if let Some(profile) = named {
        spec.profile_box_id = profile.profile_box_id.as_ref().map(|id| id.as_str().to_owned());
    }
    match roster {
        None if named.is_none() => return Err(Ready::refused("missing_derived_profile_name")),
        None => {
            let name = present(spec.display_name.as_deref());
            spec.display_name = name.map(str::to_owned).or(spec.profile_name.clone());
        }
        Some(roster) => {
            if named.is_some() && roster.profile_box_id != spec.profile_box_id {
                return Err(Ready::refused("profile_mismatch"));
            }
            if let Some(known) = text_of(&roster.metadata, "derived_from") {
                let same = Some(known) == spec.derived_from;
                return Err(if same {
                    Ready::UNCHANGED
                } else {
                    Ready::refused("derived_agent_conflict")
                });
            }
        }
    }
    spec.owner_agent_id = spec.owner_agent_id.take().or_else(|| request.source_agent_id.clone());
    if let Some(source) = &spec.derived_from {
        spec.metadata.insert("derived_from".into(), source.as_str().into());
    }
    Ok(())
}

/// The properties that a roster row gets.
struct Wanted {
    profile_box_id: String,
    worker_target: String,
    tags: Vec<String>,
    display_name: Option<String>,
    owner_agent_id: Option<String>,
    metadata: Object,
}

/// Combines the spec with the present row and the profile; `None` without a worker target.
fn wanted(
    spec: &AgentSpec,
    before: Option<&Roster>,
    profile: Option<&Profile>,
    box_id: &str,
) -> Option<Wanted> {
    let mut metadata = before.map(|before| before.metadata.clone()).unwrap_or_default();
    metadata.extend(spec.metadata.clone());
    let name = match &spec.profile_name {
        Some(name) if spec.derived && spec.profile_box_id.as_deref() == Some(box_id) => {
            Some(name.clone())
        }
        Some(_) | None => profile.map(|profile| profile.name.clone()),
    };
    if let Some(name) = name {
        metadata.insert("profile_name".into(), name.into());
    }
    // the profile counts for a new agent and for a new profile, else the present row
    let explicit = present(spec.profile_box_id.as_deref()).is_some();
    let of_profile = profile.filter(|_| explicit || before.is_none());
    let target = present(spec.worker_target.as_deref())
        .or(of_profile.and_then(|profile| profile.worker_target.as_deref()))
        .or(before.and_then(|before| before.worker_target.as_deref()))
        .or(profile.and_then(|profile| profile.worker_target.as_deref()));
    let tags = spec
        .tags
        .clone()
        .or_else(|| of_profile.map(|profile| profile.tags.clone()))
        .or_else(|| before.map(|before| tags_of(before.tags.as_ref())))
        .unwrap_or_default();
    let display_name = present(spec.display_name.as_deref())
        .or(before.and_then(|before| before.display_name.as_deref()));
    let owner = present(spec.owner_agent_id.as_deref())
        .or(before.and_then(|before| before.owner_agent_id.as_deref()));
    Some(Wanted {
        profile_box_id: box_id.to_owned(),
        worker_target: present(target)?.to_owned(),
        tags,
        display_name: display_name.map(str::to_owned),
        owner_agent_id: owner.map(str::to_owned),
        metadata,
    })
}

/// Returns true if the row must change.
fn differs(before: &Roster, wanted: &Wanted, spec: &AgentSpec) -> bool {
    let explicit = present(spec.profile_box_id.as_deref()).is_some();
    !Json::Object(before.metadata.clone()).same_value(&Json::Object(wanted.metadata.clone()))
        || (explicit && before.profile_box_id.as_deref() != Some(&*wanted.profile_box_id))
        || before.worker_target.as_deref() != Some(&*wanted.worker_target)
        || !same_set(&wanted.tags, &tags_of(before.tags.as_ref()))
        || (spec.display_name.is_some() && before.display_name != wanted.display_name)
        || (spec.owner_agent_id.is_some() && before.owner_agent_id != wanted.owner_agent_id)
}

fn tags_of(json: Option<&Json>) -> Vec<String> {
    let items = json.and_then(Json::as_array).unwrap_or_default();
    items.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn same_set(a: &[String], b: &[String]) -> bool {
    let set = |tags: &[String]| tags.iter().map(|tag| (tag.as_str(), ())).collect::<StrMap<()>>();
    let (in_a, in_b) = (set(a), set(b));
    in_a.len() == in_b.len() && a.iter().all(|tag| in_b.contains_key(tag))
}

/// Writes the roster row, and the edge that records the change.
fn put_roster(
    tx: &mut Transaction<'_>,
    request: &AgentRequest,
    before: Option<Roster>,
    wanted: Wanted,
    trace_id: Option<String>,
) -> Run<()> {
    let action = if before.is_none() { "provision" } else { "update" };
    let before = before.unwrap_or_else(|| Roster {
        agent_id: request.agent_id.clone(),
        status: Some("active".into()),
        in_roster: Some(true),
        created_at: Some(tx.now()),
        ..Roster::default()
    });
    let row = Roster {
        profile_box_id: Some(wanted.profile_box_id.clone()),
        worker_target: Some(wanted.worker_target.clone()),
        tags: Some(Json::from(wanted.tags.clone())),
        display_name: wanted.display_name.clone(),
        owner_agent_id: wanted.owner_agent_id.clone(),
        metadata: wanted.metadata.clone(),
        ..before
    };
    tx.put(&row, "provision", "something changed")?;
    let mut metadata = object! {
        "profile_box_id" => wanted.profile_box_id,
        "worker_target" => wanted.worker_target,
        "tags" => wanted.tags,
        "display_name" => wanted.display_name,
        "owner_agent_id" => wanted.owner_agent_id,
    };
    metadata.extend(wanted.metadata);
    let edge = IdentityEdge {
        edge_id: tx.mint("edge_"),
        channel_id: request.channel_id.clone(),
        action: action.into(),
        source_agent_id: request.source_agent_id.clone(),
        target_agent_id: Some(request.agent_id.clone()),
        trace_id,
        parent_step_id: request.parent_step_id.clone(),
        metadata,
        created_at: tx.now(),
        seq: tx.rank(),
    };
    tx.put(&edge, "provision", "something changed")
}
