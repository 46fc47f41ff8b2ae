//! The roster: agents are created, changed and derived.

use crate::run::rows::{Head, IdentityEdge, Roster};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present, text_of};
use crate::run::wire::trace;
use crate::store::Profile;
use crate::value::arguments::{Argument, arguments, read_word};
use crate::value::json::{Field, Json, Object};
use crate::value::str_map::StrMap;
use crate::{Error, Path};
use serde::Serialize;

/// How an agent gets its profile.
///
/// The example of [`EnsureAgent`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// From its box.
    Create,
    /// By name, from another agent.
    Derived,
}

impl Argument for AgentKind {
    fn read(field: &Field<'_>) -> crate::Result<Self> {
        read_word(field, &[("create", Self::Create), ("derived", Self::Derived)])
    }
}

arguments! {
    /// The properties of an agent other than its profile box and its worker.
    ///
    /// The example of [`EnsureAgent`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct AgentDetails {
        /// The name of its profile, for a derived agent.
        pub profile_name: Option<String>,
        /// The agent that a derived one comes from.
        pub derived_from: Option<String>,
        /// Its tags. Those of the profile by default.
        pub tags: Option<Vec<String>>,
        /// Its name for people.
        pub display_name: Option<String>,
        /// The agent that owns it.
        pub owner_agent_id: Option<String>,
        /// More about it. Present keys that are not given stay.
        pub metadata: Object = Object::default(),
        /// The channel of a new agent.
        pub active_channel_id: Option<String>,
    }

    /// The wanted properties of an agent.
    ///
    /// The example of [`EnsureAgent`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct AgentSpec {
        /// The box of its profile.
        pub profile_box_id: Option<String>,
        /// The kind of worker that runs it.
        pub worker_target: Option<String>,
        shared details: AgentDetails,
    }

    /// The source of a change of the roster.
    ///
    /// The example of [`EnsureAgent`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct AgentRequest {
        /// The channel of the change.
        pub channel_id: Option<String>,
        /// The agent that asks for the change.
        pub source_agent_id: Option<String>,
        /// The step that asks for the change.
        pub parent_step_id: Option<String>,
        /// The trace of the change.
        pub trace_id: Option<String>,
    }

    /// Makes an agent ready: in the roster, with a head.
    ///
    /// ```
    /// use tuckbox::run::{AgentKind, EnsureAgent};
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = EnsureAgent::from_json(&json!({"agent_id": "ann", "kind": "derived", "spec": {"profile_name": "Writer"}}))?;
    /// assert_eq!(call.kind, AgentKind::Derived);
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let ready = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!(ready.error_code, Some("profile_not_found"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct EnsureAgent {
        /// The agent.
        pub agent_id: String,
        /// How the agent gets its profile.
        pub kind: AgentKind = AgentKind::Create,
        /// The wanted properties.
        pub spec: AgentSpec = AgentSpec::default(),
        shared request: AgentRequest,
        shared terms: RunTerms,
    }

    /// Makes an agent ready as `ensure_agent` does, with every value given.
    ///
    /// The example of [`EnsureAgent`] shows a similar call.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ProvisionIdentity {
        /// The agent.
        pub target_agent_id: String,
        /// The reason, for logs.
        pub action: String,
        /// The box of its profile.
        pub profile_box_id: String,
        /// The kind of worker that runs it.
        pub worker_target: String,
        shared details: AgentDetails,
        shared request: AgentRequest,
        shared terms: RunTerms,
    }
}

perform! {
    EnsureAgent -> Ready {
        |call, tx| make_ready(tx, &call.agent_id, &call.request, call.kind, &call.spec)
    }
    ProvisionIdentity -> Ready { |call, tx| call.run(tx) }
}

impl ProvisionIdentity {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<Ready> {
        for (key, text) in [
            ("target_agent_id", &self.target_agent_id),
            ("action", &self.action),
            ("profile_box_id", &self.profile_box_id),
            ("worker_target", &self.worker_target),
        ] {
            if text.is_empty() {
                let error = Error::bad_request(format!("`{key}` is empty"));
                return Err(error.at(Path::root().key(key)).into());
            }
        }
        let spec = AgentSpec {
            profile_box_id: Some(self.profile_box_id.clone()),
            worker_target: Some(self.worker_target.clone()),
            details: self.details.clone(),
        };
        make_ready(tx, &self.target_agent_id, &self.request, AgentKind::Create, &spec)
    }
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

shape! {
    /// Whether the roster changed, or why not.
    pub struct Ready {
        pub roster_updated: bool,
        pub error_code: Maybe<Word<
            "missing_profile_name",
            "missing_derived_profile_name",
            "profile_not_found",
            "profile_mismatch",
            "derived_agent_conflict",
            "worker_target_missing",
        >>,
    }
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
    agent: &str,
    request: &AgentRequest,
    kind: AgentKind,
    spec: &AgentSpec,
) -> Run<Ready> {
    let is_derived = kind == AgentKind::Derived;
    let trace_id = trace::optional_trace_id(request.trace_id.as_deref())?;
    tx.want::<Roster>(&[agent]);
    tx.want::<Head>(&[agent]);
    let named = match present(spec.details.profile_name.as_deref()).filter(|_| is_derived) {
        Some(name) => match tx.profile(name)? {
            Some(profile) => Some(profile),
            None => return Ok(Ready::refused("profile_not_found")),
        },
        None => None,
    };
    let roster = tx.get::<Roster>(&[agent])?;
    let mut spec = spec.clone();
    if is_derived && let Err(ready) = derive(&mut spec, named.as_ref(), roster.as_ref(), request) {
        return Ok(ready);
    }
    let before = roster.as_ref();
    let box_id = present(spec.profile_box_id.as_deref())
        .or(before.and_then(|roster| roster.profile_box_id.as_deref()));
    let Some(box_id) = present(box_id).map(str::to_owned) else {
        return Ok(Ready::refused("missing_profile_name"));
    };
    let profile = tx.profile_of_box(&box_id)?;
    let Some(wanted) = wanted(&spec, is_derived, before, profile.as_ref(), &box_id) else {
        return Ok(Ready::refused("worker_target_missing"));
    };
    let changed = before.is_none_or(|before| differs(before, &wanted, &spec));
    if changed {
        put_roster(tx, agent, request, roster, wanted, trace_id)?;
    }
    if tx.get::<Head>(&[agent])?.is_none() {
        let head = Head {
            agent_id: agent.to_owned(),
            active_channel_id: spec.details.active_channel_id.clone(),
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
            let details = &mut spec.details;
            let name = present(details.display_name.as_deref()).map(str::to_owned);
            details.display_name = name.or(details.profile_name.clone());
        }
        Some(roster) => {
            if named.is_some() && roster.profile_box_id != spec.profile_box_id {
                return Err(Ready::refused("profile_mismatch"));
            }
            if let Some(known) = text_of(&roster.metadata, "derived_from") {
                let same = Some(known) == spec.details.derived_from;
                return Err(if same {
                    Ready::UNCHANGED
                } else {
                    Ready::refused("derived_agent_conflict")
                });
            }
        }
    }
    let details = &mut spec.details;
    details.owner_agent_id =
        details.owner_agent_id.take().or_else(|| request.source_agent_id.clone());
    if let Some(source) = &details.derived_from {
        details.metadata.insert("derived_from".into(), source.as_str().into());
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
    is_derived: bool,
    before: Option<&Roster>,
    profile: Option<&Profile>,
    box_id: &str,
) -> Option<Wanted> {
    let mut metadata = before.map(|before| before.metadata.clone()).unwrap_or_default();
    metadata.extend(spec.details.metadata.clone());
    let name = match &spec.details.profile_name {
        Some(name) if is_derived && spec.profile_box_id.as_deref() == Some(box_id) => {
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
        .details
        .tags
        .clone()
        .or_else(|| of_profile.map(|profile| profile.tags.clone()))
        .or_else(|| before.map(|before| tags_of(before.tags.as_ref())))
        .unwrap_or_default();
    let display_name = present(spec.details.display_name.as_deref())
        .or(before.and_then(|before| before.display_name.as_deref()));
    let owner = present(spec.details.owner_agent_id.as_deref())
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
        || (spec.details.display_name.is_some() && before.display_name != wanted.display_name)
        || (spec.details.owner_agent_id.is_some() && before.owner_agent_id != wanted.owner_agent_id)
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
    agent: &str,
    request: &AgentRequest,
    before: Option<Roster>,
    wanted: Wanted,
    trace_id: Option<String>,
) -> Run<()> {
    let action = if before.is_none() { "provision" } else { "update" };
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
        target_agent_id: Some(agent.to_owned()),
        trace_id,
        parent_step_id: request.parent_step_id.clone(),
        metadata,
        created_at: tx.now(),
        seq: tx.rank(),
    };
    tx.put(&edge, "provision", "something changed")
}
