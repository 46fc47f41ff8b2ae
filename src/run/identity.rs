//! Who there is: agents are made, changed and derived.

use super::desk::{Desk, Run, present, text_of};
use super::message::object;
use super::rows::{Head, IdentityEdge, Roster};
use super::trace;
use crate::value::json::{Json, Object};
use crate::value::str_map::StrMap;
use crate::{Error, Path};
use serde::Serialize;

/// What an agent is to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spec {
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

/// Who asks, and where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub agent_id: String,
    pub channel_id: Option<String>,
    pub source_agent_id: Option<String>,
    pub parent_step_id: Option<String>,
    pub trace_id: Option<String>,
}

/// What was done about an agent.
///
/// ```
/// use tuckbox::run::Ready;
/// use tuckbox::value::json::to_text;
///
/// // as `ensure_agent` answers it
/// let ready = Ready { roster_updated: false, error_code: Some("profile_not_found") };
/// assert_eq!(to_text(&ready)?, r#"{"roster_updated":false,"error_code":"profile_not_found"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ready {
    /// True when the roster changed.
    pub roster_updated: bool,
    /// Why not, as a stable word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'static str>,
}

fn refused(code: &'static str) -> Run<Ready> {
    Ok(Ready { roster_updated: false, error_code: Some(code) })
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

/// Makes an agent ready: in the roster as it is to be, with a head.
pub(crate) fn make_ready(desk: &mut Desk<'_>, asked: &Asked, spec: &Spec) -> Run<Ready> {
    let agent = asked.agent_id.as_str();
    let trace_id = match present(asked.trace_id.as_deref()) {
        None => None,
        Some(text) => Some(trace::trace_id(text).ok_or_else(|| {
            Error::bad_request(format!("`{text}` is no trace id")).at(Path::root().key("trace_id"))
        })?),
    };
    desk.want::<Roster>(&[agent]);
    desk.want::<Head>(&[agent]);
    let mut spec = spec.clone();
    let named = match present(spec.profile_name.as_deref()).filter(|_| spec.derived) {
        Some(name) => match desk.profile(name)? {
            Some(profile) => Some(profile),
            None => return refused("profile_not_found"),
        },
        None => None,
    };
    let roster = desk.get::<Roster>(&[agent])?;
    if let Some(profile) = &named {
        spec.profile_box_id = profile.profile_box_id.as_ref().map(|id| id.as_str().to_owned());
    }
    if spec.derived {
        match &roster {
            None if named.is_none() => return refused("missing_derived_profile_name"),
            None => {
                let name = present(spec.display_name.as_deref());
                spec.display_name = name.map(str::to_owned).or(spec.profile_name.clone());
            }
            Some(roster) => {
                if named.is_some() && roster.profile_box_id != spec.profile_box_id {
                    return refused("profile_mismatch");
                }
                let known = text_of(&roster.metadata, "derived_from");
                if known.is_some() && known != spec.derived_from {
                    return refused("derived_agent_conflict");
                }
                if known.is_some() && named.is_none_or(|_| true) && known == spec.derived_from {
                    return Ok(Ready { roster_updated: false, error_code: None });
                }
            }
        }
        spec.owner_agent_id = spec.owner_agent_id.or_else(|| asked.source_agent_id.clone());
        if let Some(source) = &spec.derived_from {
            spec.metadata.insert("derived_from".into(), source.as_str().into());
        }
    }
    let box_id = present(spec.profile_box_id.as_deref())
        .or(roster.as_ref().and_then(|roster| roster.profile_box_id.as_deref()));
    let Some(box_id) = present(box_id).map(str::to_owned) else {
        return refused("missing_profile_name");
    };
    let profile = desk.profile_of_box(&box_id)?;
    let mut metadata = roster.as_ref().map(|roster| roster.metadata.clone()).unwrap_or_default();
    metadata.extend(spec.metadata.clone());
    let name = match &spec.profile_name {
        Some(name) if spec.derived && named_box(&spec, &box_id) => Some(name.clone()),
        Some(_) | None => profile.as_ref().map(|profile| profile.name.clone()),
    };
    if let Some(name) = name {
        metadata.insert("profile_name".into(), name.into());
    }
    let explicit_profile = present(spec.profile_box_id.as_deref()).is_some();
    let of_profile = profile.as_ref().filter(|_| explicit_profile || roster.is_none());
    let target = present(spec.worker_target.as_deref())
        .or(of_profile.and_then(|profile| profile.worker_target.as_deref()))
        .or(roster.as_ref().and_then(|roster| roster.worker_target.as_deref()))
        .or(profile.as_ref().and_then(|profile| profile.worker_target.as_deref()));
    let Some(target) = present(target).map(str::to_owned) else {
        return refused("worker_target_missing");
    };
    let tags = spec
        .tags
        .clone()
        .or_else(|| of_profile.map(|profile| profile.tags.clone()))
        .or_else(|| roster.as_ref().map(|roster| tags_of(roster.tags.as_ref())))
        .unwrap_or_default();
    let display_name = present(spec.display_name.as_deref())
        .or(roster.as_ref().and_then(|roster| roster.display_name.as_deref()))
        .map(str::to_owned);
    let owner = present(spec.owner_agent_id.as_deref())
        .or(roster.as_ref().and_then(|roster| roster.owner_agent_id.as_deref()))
        .map(str::to_owned);

    let changed = match &roster {
        None => true,
        Some(roster) => {
            !Json::Object(roster.metadata.clone()).same_value(&Json::Object(metadata.clone()))
                || (explicit_profile && roster.profile_box_id.as_deref() != Some(&*box_id))
                || roster.worker_target.as_deref() != Some(&*target)
                || !same_set(&tags, &tags_of(roster.tags.as_ref()))
                || (spec.display_name.is_some() && roster.display_name != display_name)
                || (spec.owner_agent_id.is_some() && roster.owner_agent_id != owner)
        }
    };
    if changed {
        let action = if roster.is_none() { "provision" } else { "update" };
        let before = roster.unwrap_or_else(|| Roster {
            agent_id: agent.to_owned(),
            status: Some("active".into()),
            in_roster: Some(true),
            created_at: Some(desk.now()),
            ..Roster::default()
        });
        let row = Roster {
            profile_box_id: Some(box_id.clone()),
            worker_target: Some(target.clone()),
            tags: Some(Json::from(tags.clone())),
            display_name: display_name.clone(),
            owner_agent_id: owner.clone(),
            metadata: metadata.clone(),
            ..before
        };
        desk.put(&row, "provision", "something changed")?;
        let mut told = object! {
            "profile_box_id" => box_id.as_str(),
            "worker_target" => target.as_str(),
            "tags" => tags,
            "display_name" => display_name,
            "owner_agent_id" => owner,
        };
        told.extend(metadata);
        let edge = IdentityEdge {
            edge_id: desk.mint("edge_"),
            channel_id: asked.channel_id.clone(),
            action: action.into(),
            source_agent_id: asked.source_agent_id.clone(),
            target_agent_id: Some(agent.to_owned()),
            trace_id,
            parent_step_id: asked.parent_step_id.clone(),
            metadata: told,
            created_at: desk.now(),
            seq: desk.rank(),
        };
        desk.put(&edge, "provision", "something changed")?;
    }
    if desk.get::<Head>(&[agent])?.is_none() {
        let head = Head {
            agent_id: agent.to_owned(),
            active_channel_id: spec.active_channel_id.clone(),
            profile_box_id: Some(box_id),
            updated_at: desk.now(),
            ..Head::default()
        };
        desk.put(&head, "provision", "no head")?;
    }
    Ok(Ready { roster_updated: changed, error_code: None })
}

fn named_box(spec: &Spec, box_id: &str) -> bool {
    spec.profile_box_id.as_deref() == Some(box_id)
}
