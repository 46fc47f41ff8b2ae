//! The receiver: found by name or in the roster, and allowed by the sender's policy.

use super::caller::Caller;
use super::dispatch::Strategy;
use super::policy::DelegationPolicy;
use super::task::Task;
use crate::agents::profile;
use crate::rule::audit::Permission;
use crate::rule::refusal::{Policy, refused};
use crate::rule::{Cursor, Dialect};
use crate::store::{Agent, Expectation, Kind, Lookup, Presence, Profile, Snapshot};
use crate::value::id::{AgentId, BoxId};
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use crate::value::time::Timestamp;
use crate::{Error, Path, Result};

/// The sender and its delegation policy.
pub(super) struct Sender<'a> {
    pub agent_id: &'a str,
    dialect: Dialect,
    /// The sender, if it exists.
    pub agent: Presence<&'a Agent>,
    own_boxes: StrMap<&'static str>,
    policy: Option<Result<(BoxId, DelegationPolicy)>>,
}

/// A receiver that the policy allows.
pub(super) struct Target<'a> {
    pub profile: &'a Profile,
    pub profile_box_id: BoxId,
    pub profile_name: String,
    pub display_name: String,
    /// The agent that is reused or cloned.
    pub agent: Option<&'a Agent>,
    pub permission: Permission,
    /// The rows that the choice depends on.
    pub relied: Vec<Expectation>,
}

impl<'a> Sender<'a> {
    /// Reads the sender.
    pub fn of(caller: &'a Caller, now: Timestamp, cursor: &mut Cursor<'a>) -> Result<Self> {
        let agent_id = caller.agent_id()?;
        let Presence::Read(agent) = cursor.agent(agent_id)? else {
            return Ok(Self {
                agent_id,
                dialect: caller.dialect(),
                agent: Presence::Unread,
                own_boxes: StrMap::new(),
                policy: None,
            });
        };
        let policy = policy_of(agent_id, agent, now, cursor).transpose();
        Ok(Self {
            agent_id,
            dialect: caller.dialect(),
            agent: Presence::Read(agent),
            own_boxes: agent.map(Agent::own_boxes).unwrap_or_default(),
            policy,
        })
    }

    /// Returns the rows that the policy depends on: the sender and its profile in the registry. If
    /// the registry has no policy, the card of the profile is one of them.
    pub fn relied(&self, snapshot: &Snapshot, now: Timestamp) -> Vec<Expectation> {
        let mut relied: Vec<_> =
            snapshot.expectation(Kind::Agents, self.agent_id).into_iter().collect();
        let profile = self.agent.found().and_then(|agent| named(agent.profile_box_id.as_ref()));
        let Some(box_id) = profile else { return relied };
        relied.extend(snapshot.expectation(Kind::ProfilesByBox, box_id.as_str()));
        if let Lookup::Present(profile) = snapshot.profile_of_box(box_id.as_str())
            && !profile.delegation_policy.is_null()
        {
            return relied;
        }
        relied.extend(profile::relied(snapshot, box_id.as_str(), now));
        relied
    }

    /// Returns true for a box of the sender.
    pub fn owns(&self, box_id: &str) -> bool {
        self.own_boxes.contains_key(box_id)
    }

    /// Returns the target's profile in the registry and the permission to choose it; `None` if
    /// something must be read first.
    fn permit(
        &self,
        name: &str,
        path: &Path,
        cursor: &mut Cursor<'a>,
    ) -> Result<Option<(&'a Profile, Permission)>> {
        let (policy_box, policy) = match &self.policy {
            None => return Ok(None),
            Some(Err(error)) => return Err(error.clone()),
            Some(Ok((policy_box, policy))) => (policy_box, policy),
        };
        let Presence::Read(target) = cursor.profile(name)? else { return Ok(None) };
        let target = target.ok_or_else(|| unknown_profile(name, cursor.snapshot(), path))?;
        if !policy.allows(name, &target.tags) {
            let error = Error::auth_failed(format!(
                "agent `{}` cannot delegate to profile `{name}`; its policy allows {}",
                self.agent_id,
                policy.describe()
            ))
            .at(path.clone())
            .detail("profile_name", name)
            .detail("tags", target.tags.clone());
            let allows = Some((policy.target_profiles.as_deref(), policy.target_tags.as_slice()));
            let policy = Policy::Delegation { profile_box_id: policy_box, allows };
            return Err(refused(error, &policy));
        }
        let permission = Permission {
            profile_box_id: policy_box.clone(),
            target_profiles: policy.target_profiles.clone(),
            target_tags: policy.target_tags.clone(),
        };
        Ok(Some((target, permission)))
    }

    /// Finds the receiver of a task.
    pub fn find(&self, task: &Task<'_>, cursor: &mut Cursor<'a>) -> Result<Option<Target<'a>>> {
        match task.strategy {
            Strategy::New => self.find_profile(task, cursor),
            Strategy::Reuse | Strategy::Clone => self.find_agent(task, cursor),
        }
    }

    fn find_profile(&self, task: &Task<'_>, cursor: &mut Cursor<'a>) -> Result<Option<Target<'a>>> {
        let name = &task.target_ref;
        let snapshot = cursor.snapshot();
        let Presence::Read(found) = cursor.profile(name)? else { return Ok(None) };
        let found = found.ok_or_else(|| unknown_profile(name, snapshot, &task.target_path()))?;
        let Some(profile_box_id) = named(found.profile_box_id.as_ref()) else {
            return Err(Error::bad_request(format!(
                "profile `{name}` has no profile box; set its `profile_box_id`"
            ))
            .at(task.target_path()));
        };
        let profile_name = match found.name.as_str() {
            "" => name.clone(),
            own => own.to_owned(),
        };
        let permitted = self.permit(&profile_name, &task.target_path(), cursor)?;
        let names = [name.as_str(), profile_name.as_str()];
        let relied = names.map(|name| snapshot.expectation(Kind::Profiles, name));
        Ok(permitted.map(|(profile, permission)| Target {
            relied: relied.into_iter().flatten().collect(),
            profile,
            profile_box_id,
            display_name: profile_name.clone(),
            profile_name,
            agent: None,
            permission,
        }))
    }

    fn find_agent(&self, task: &Task<'_>, cursor: &mut Cursor<'a>) -> Result<Option<Target<'a>>> {
        let snapshot = cursor.snapshot();
        let path = task.target_path();
        let agent_id = self.dialect.id(&task.target_ref, task.target_key);
        let agent_id = agent_id.map_err(|error| error.at(path.clone()))?;
        let Presence::Read(agent) = cursor.agent(agent_id)? else { return Ok(None) };
        let Some(agent) = agent.filter(|agent| agent.in_roster) else {
            return Err(unknown_agent(agent_id, snapshot, path));
        };
        let Some(profile_box_id) = named(agent.profile_box_id.as_ref()) else {
            return Err(without_profile(agent_id, path));
        };
        let registered = cursor.profile_of_box(profile_box_id.as_str())?;
        let Presence::Read(registered) = registered else { return Ok(None) };
        // a profile that is not registered has no name but its box
        let profile_name = registered
            .map(|profile| profile.name.as_str())
            .filter(|name| !name.is_empty())
            .unwrap_or(profile_box_id.as_str())
            .to_owned();
        // requested before the policy is known, so that both are read in one round
        cursor.want(Kind::Profiles, &profile_name);
        let permitted = self.permit(&profile_name, &path, cursor)?;
        let Some((profile, permission)) = permitted else { return Ok(None) };
        if agent_id == self.agent_id {
            return Err(Error::bad_request(format!(
                "agent `{agent_id}` cannot delegate to itself; name another agent, or a profile"
            ))
            .at(path)
            .detail("agent_id", agent_id));
        }
        let display_name = match (task.strategy, agent.display_name.as_deref()) {
            (Strategy::Reuse, Some(name)) if !name.is_empty() => name.to_owned(),
            (Strategy::New | Strategy::Reuse | Strategy::Clone, _) => profile_name.clone(),
        };
        let agent = Some(agent);
        let relied = [
            (Kind::Agents, agent_id),
            (Kind::ProfilesByBox, profile_box_id.as_str()),
            (Kind::Profiles, profile_name.as_str()),
        ];
        let relied =
            relied.iter().filter_map(|(kind, key)| snapshot.expectation(*kind, key)).collect();
        Ok(Some(Target {
            relied,
            profile,
            profile_box_id,
            profile_name,
            display_name,
            agent,
            permission,
        }))
    }
}

/// Returns the policy of the sender's profile; `None` if something must be read first. It is that of
/// the card of the profile if the registry has none.
fn policy_of(
    agent_id: &str,
    agent: Option<&Agent>,
    now: Timestamp,
    cursor: &mut Cursor<'_>,
) -> Result<Option<(BoxId, DelegationPolicy)>> {
    let path = Path::root().key("source_agent_id");
    let Some(agent) = agent.filter(|agent| agent.in_roster) else {
        return Err(unknown_agent(agent_id, cursor.snapshot(), path));
    };
    let Some(box_id) = named(agent.profile_box_id.as_ref()) else {
        return Err(without_profile(agent_id, path));
    };
    let Presence::Read(registered) = cursor.profile_of_box(box_id.as_str())? else {
        // requested together, so that a registry without policies needs no further round
        cursor.want(Kind::Boxes, box_id.as_str());
        return Ok(None);
    };
    let registered = registered.map_or(&Json::Null, |profile| &profile.delegation_policy);
    let policy = if registered.is_null() {
        let cards = profile::cards(cursor, box_id.as_str(), now)?;
        let Some(cards) = cards else { return Ok(None) };
        match profile::profile_card(&cards) {
            Some(card) => {
                let policy = profile::configuration(card)?.get("delegation_policy");
                policy.and_then(DelegationPolicy::read)
            }
            None if cards.is_empty() => None,
            None => {
                return Err(Error::bad_request(format!(
                    "profile box `{box_id}` has no `sys.profile` card"
                ))
                .at(path));
            }
        }
    } else {
        DelegationPolicy::read(registered)
    };
    match policy {
        Some(policy) => Ok(Some((box_id, policy))),
        None => {
            let error = Error::auth_failed(format!(
                "agent `{agent_id}` cannot delegate: its profile has no delegation policy; to allow \
                 every profile, set `\"delegation_policy\": {{\"target_profiles\": null}}` in its \
                 `sys.profile` card; a list of names instead of `null` allows only those"
            ))
            .at(path)
            .detail("profile_box_id", box_id.as_str());
            Err(refused(error, &Policy::Delegation { profile_box_id: &box_id, allows: None }))
        }
    }
}

fn named(box_id: Option<&BoxId>) -> Option<BoxId> {
    box_id.filter(|box_id| !box_id.as_str().is_empty()).cloned()
}

fn unknown_profile(name: &str, snapshot: &Snapshot, path: &Path) -> Error {
    Error::not_found(format!("no profile `{name}` in project `{}`", snapshot.project_id()))
        .at(path.clone())
        .detail("profile_name", name)
}

fn unknown_agent(agent_id: &str, snapshot: &Snapshot, path: Path) -> Error {
    Error::not_found(format!(
        "no agent `{agent_id}` in the roster of project `{}`",
        snapshot.project_id()
    ))
    .at(path)
    .detail("agent_id", agent_id)
}

fn without_profile(agent_id: &str, path: Path) -> Error {
    Error::bad_request(format!("agent `{agent_id}` has no profile; set its `profile_box_id`"))
        .at(path)
        .detail("agent_id", agent_id)
}

impl Target<'_> {
    /// Returns the roster entry of a new agent with this profile.
    pub fn new_agent(&self, agent_id: AgentId) -> Agent {
        Agent {
            display_name: Some(self.profile_name.clone()),
            tags: self.profile.tags.clone(),
            worker_target: self.profile.worker_target.clone(),
            ..Agent::new(agent_id, self.profile_box_id.clone())
        }
    }
}
