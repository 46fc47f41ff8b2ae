//! The rows of the roster: what an agent gets from its spec, its profile and its present row.

use super::identity::{AgentDetails, AgentKind, AgentRequest, AgentSpec, Ready, Tags};
use crate::run::rows::{Head, IdentityEdge, Roster};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::trace;
use crate::store::Profile;
use crate::value::json::{Json, Object};
use crate::value::str_map::StrMap;

/// Puts an agent into the roster with the wanted properties, and gives it a head.
pub(crate) fn make_ready(
    tx: &mut Transaction<'_>,
    agent: &str,
    request: &AgentRequest,
    kind: AgentKind,
    spec: &AgentSpec,
) -> Run<Ready> {
    let is_derived = kind == AgentKind::Derived;
    let trace_id = trace::optional_trace_id(request.trace_id.as_deref())?;
    tx.want::<Roster>(&[agent]);
    tx.want::<Head>(&[agent]);
    tx.want_profile_of_box(spec.profile_box_id.as_deref());
    let named = match present(spec.details.profile_name.as_deref()).filter(|_| is_derived) {
        Some(name) => match tx.profile(name)? {
            Some(profile) if profile.profile_box_id.is_none() => {
                return Ok(Ready::refused("profile_box_missing"));
            }
            Some(profile) => Some(profile),
            None => return Ok(Ready::refused("profile_not_found")),
        },
        None => None,
    };
    let roster = tx.get::<Roster>(&[agent])?;
    let before = roster.as_ref();
    let wanted = match is_derived {
        true => derived(tx, spec, named.as_ref(), before)?,
        false => created(tx, spec, before)?,
    };
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(code) => return Ok(Ready::refused(code)),
    };
    let changed = before.is_none_or(|before| differs(before, &wanted, spec, is_derived));
    if is_derived && before.is_some() && !changed {
        return Ok(Ready::UNCHANGED);
    }
    // an existing derived agent keeps the channel of its turns
    let channel = &spec.details.active_channel_id;
    let of_head = channel.clone().filter(|_| !is_derived || before.is_none());
    let box_id = wanted.profile_box_id.clone();
    if changed {
        let action = if before.is_none() { "provision" } else { "update" };
        put_roster(tx, agent, roster, &wanted)?;
        let channel_id = present(request.channel_id.as_deref()).or(channel.as_deref());
        let request =
            AgentRequest { channel_id: channel_id.map(str::to_owned), trace_id, ..request.clone() };
        put_edge(tx, agent, &request, action, wanted)?;
    }
    if tx.get::<Head>(&[agent])?.is_none() {
        let head = Head {
            agent_id: agent.to_owned(),
            active_channel_id: of_head,
            profile_box_id: Some(box_id),
            updated_at: tx.now(),
            ..Head::default()
        };
        tx.put(&head, "provision", "no head")?;
    }
    Ok(Ready { roster_updated: changed, error_code: None })
}

/// The properties that a roster row gets.
pub(super) struct Wanted {
    pub profile_box_id: String,
    pub worker_target: String,
    pub tags: Vec<String>,
    pub display_name: Option<String>,
    pub owner_agent_id: Option<String>,
    pub metadata: Object,
}

/// The wanted properties, or the code of a refusal.
type Resolved = Result<Wanted, &'static str>;

fn text(value: Option<&String>) -> Option<&str> {
    present(value.map(String::as_str))
}

/// Returns the worker target: that of the spec, of the profile or of the present row.
fn worker_target(
    spec: &AgentSpec,
    profile: Option<&str>,
    before: Option<&Roster>,
) -> Result<String, &'static str> {
    let known = before.and_then(|before| text(before.worker_target.as_ref()));
    let target = text(spec.worker_target.as_ref()).or(present(profile)).or(known);
    target.map(str::to_owned).ok_or("worker_target_missing")
}

/// Combines the spec of an agent with its profile and the present row.
fn created(tx: &mut Transaction<'_>, spec: &AgentSpec, before: Option<&Roster>) -> Run<Resolved> {
    let own = text(spec.profile_box_id.as_ref());
    if own.is_none() && before.is_none() {
        return Ok(Err("missing_profile_name"));
    }
    let known = before.and_then(|before| text(before.profile_box_id.as_ref()));
    let Some(box_id) = own.or(known).map(str::to_owned) else {
        return Ok(Err("profile_box_missing"));
    };
    let profile = tx.profile_of_box(&box_id)?;
    let profile = profile.as_ref();
    let mut metadata = before.map(|before| before.metadata.clone()).unwrap_or_default();
    metadata.extend(spec.details.metadata.clone());
    if let Some(profile) = profile {
        metadata.insert("profile_name".into(), profile.name.as_str().into());
    }
    let of_profile = profile.and_then(|profile| profile.worker_target.as_deref());
    let worker_target = match worker_target(spec, of_profile, before) {
        Ok(target) => target,
        Err(code) => return Ok(Err(code)),
    };
    let details = &spec.details;
    Ok(Ok(Wanted {
        profile_box_id: box_id,
        worker_target,
        tags: tags(details, profile.map(|profile| profile.tags.as_slice()), before),
        display_name: details
            .display_name
            .clone()
            .or_else(|| before.and_then(|before| before.display_name.clone())),
        owner_agent_id: details
            .owner_agent_id
            .clone()
            .or_else(|| before.and_then(|before| before.owner_agent_id.clone())),
        metadata,
    }))
}

/// Combines the spec of a derived agent with its profile and the present row.
fn derived(
    tx: &mut Transaction<'_>,
    spec: &AgentSpec,
    named: Option<&Profile>,
    before: Option<&Roster>,
) -> Run<Resolved> {
    let details = &spec.details;
    let own = text(spec.profile_box_id.as_ref());
    let of_name = named.and_then(|named| named.profile_box_id.as_ref()).map(|id| id.as_str());
    let known = before.and_then(|before| text(before.profile_box_id.as_ref()));
    if before.is_none() && own.or(of_name).is_none() {
        return Ok(Err("missing_derived_profile_name"));
    }
    if known.zip(of_name).is_some_and(|(known, of_name)| known != of_name) {
        return Ok(Err("profile_mismatch"));
    }
    let Some(box_id) = own.or(of_name).or(known).map(str::to_owned) else {
        return Ok(Err("profile_box_missing"));
    };
    let mut metadata = before.map(|before| before.metadata.clone()).unwrap_or_default();
    let source = text(details.derived_from.as_ref());
    if text_of(&metadata, "derived_from").is_some_and(|known| Some(known.as_str()) != source) {
        return Ok(Err("derived_agent_conflict"));
    }
    metadata.extend(details.metadata.clone());
    if let Some(source) = source {
        metadata.get_or_insert_with("derived_from", || source.into());
    }
    if before.is_none() {
        metadata.remove("display_name");
    }
    let named_target = named.and_then(|named| text(named.worker_target.as_ref()));
    let named_tags = named.map(|named| named.tags.as_slice()).filter(|tags| !tags.is_empty());
    let cached = match (named_target, named_tags) {
        (Some(_), Some(_)) => None,
        _ => tx.profile_of_box(&box_id)?,
    };
    let cached = cached.as_ref();
    let name = cached.map(|cached| cached.name.as_str()).or(text(details.profile_name.as_ref()));
    if let Some(name) = name {
        metadata.insert("profile_name".into(), name.into());
    }
    let of_profile = cached.and_then(|cached| cached.worker_target.as_deref());
    let worker_target = match worker_target(spec, named_target.or(of_profile), before) {
        Ok(target) => target,
        Err(code) => return Ok(Err(code)),
    };
    let of_profile = named_tags.or(cached.map(|cached| cached.tags.as_slice()));
    let known_owner = before.and_then(|before| text(before.owner_agent_id.as_ref()));
    let own_name = text(details.display_name.as_ref()).or(text(details.profile_name.as_ref()));
    Ok(Ok(Wanted {
        profile_box_id: box_id,
        worker_target,
        tags: tags(details, of_profile, before),
        display_name: match before {
            Some(before) => before.display_name.clone(),
            None => own_name.map(str::to_owned),
        },
        owner_agent_id: known_owner.or(source).map(str::to_owned),
        metadata,
    }))
}

/// Returns the tags: those of the spec, of the profile or of the present row.
fn tags(
    details: &AgentDetails,
    profile: Option<&[String]>,
    before: Option<&Roster>,
) -> Vec<String> {
    if let Some(Tags(tags)) = &details.tags {
        return tags.clone();
    }
    match profile {
        Some(tags) => tags.iter().filter(|tag| !tag.is_empty()).cloned().collect(),
        None => Tags::of(before.and_then(|before| before.tags.as_ref())).0,
    }
}

/// Returns true if the row must change.
fn differs(before: &Roster, wanted: &Wanted, spec: &AgentSpec, is_derived: bool) -> bool {
    let details = &spec.details;
    !Json::Object(before.metadata.clone()).same_value(&Json::Object(wanted.metadata.clone()))
        || (spec.profile_box_id.is_some()
            && before.profile_box_id.as_deref() != Some(&*wanted.profile_box_id))
        || before.worker_target.as_deref() != Some(&*wanted.worker_target)
        || !same_set(&wanted.tags, &Tags::of(before.tags.as_ref()).0)
        || (details.display_name.is_some() && before.display_name != wanted.display_name)
        || (!is_derived
            && details.owner_agent_id.is_some()
            && before.owner_agent_id != wanted.owner_agent_id)
}

fn same_set(a: &[String], b: &[String]) -> bool {
    let set = |tags: &[String]| tags.iter().map(|tag| (tag.as_str(), ())).collect::<StrMap<()>>();
    let (in_a, in_b) = (set(a), set(b));
    in_a.len() == in_b.len() && a.iter().all(|tag| in_b.contains_key(tag))
}

/// Writes the roster row.
pub(super) fn put_roster(
    tx: &mut Transaction<'_>,
    agent: &str,
    before: Option<Roster>,
    wanted: &Wanted,
) -> Run<()> {
    let before = before.unwrap_or_else(|| Roster {
        agent_id: agent.to_owned(),
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
    tx.put(&row, "provision", "asked for")
}

/// Writes the edge that records a change of the roster, and returns its id.
pub(super) fn put_edge(
    tx: &mut Transaction<'_>,
    agent: &str,
    request: &AgentRequest,
    action: &str,
    wanted: Wanted,
) -> Run<String> {
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
        action: action.to_owned(),
        source_agent_id: request.source_agent_id.clone(),
        target_agent_id: Some(agent.to_owned()),
        trace_id: request.trace_id.clone(),
        parent_step_id: request.parent_step_id.clone(),
        metadata,
        created_at: tx.now(),
        seq: tx.rank(),
    };
    tx.put(&edge, "provision", "asked for")?;
    Ok(edge.edge_id)
}
