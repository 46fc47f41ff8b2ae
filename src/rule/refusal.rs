//! Refusals of authority: errors that name the policy, and their audit entries.
//!
//! A refused call writes nothing. A [`Refusal`] is made from its error: who asked for what, under
//! which policy, and why it was refused. `audit_refusal` stores it in the table
//! [`audit`](crate::store::table::AUDIT).
//!
//! ```
//! use tuckbox::rule::refusal::Refusal;
//! # use tuckbox::store::{MemoryStore, Profile, Snapshot};
//! use tuckbox::{Dialect, Env, Handover, PackContext, Timestamp, json, rule};
//! # let mut store = MemoryStore::new();
//! # store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("b1", ["n1"]);
//!
//! let handover = Handover::builder().inherit("boxes").authorize(["b2"]).build();
//! let arguments = json!({"profile_name": "writer", "boxes": ["b1"]});
//! let mut call = PackContext::new("delegate", "ann", arguments, handover);
//! call.dialect = Some(Dialect::V1R4);
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let error = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store).unwrap_err();
//!
//! let asked = json!({"op": "pack_context", "source_agent_id": "ann"});
//! let refusal = Refusal::of(&asked, &error).unwrap();
//! assert_eq!((refusal.source_agent_id.as_deref(), refusal.subject.as_str()), (Some("ann"), "b1"));
//! assert_eq!(refusal.policy, json!({"kind": "listed_boxes", "box_ids": ["b2"], "count": 1}));
//! ```

use super::audit::entry;
use crate::store::Writes;
use crate::value::id::BoxId;
use crate::value::json::Json;
use crate::{Error, Path};
use serde::Serialize;

/// The policy that refuses a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Policy<'a> {
    /// The sender can pass on these boxes.
    OwnBoxes(Vec<BoxId>),
    /// The call lists these boxes in `authorized_inherit_box_ids`.
    ListedBoxes(Vec<BoxId>),
    /// The delegation policy of the sender's profile; `None` if the profile has none.
    Delegation { profile_box_id: &'a BoxId, allows: Option<(Option<&'a [String]>, &'a [String])> },
}

/// The number of boxes that a policy in an error shows.
const MAX_SHOWN: usize = 100;

/// The policy that refused a call.
type RefusalPolicy = Json;

shape! {
    /// The policy that refused a call.
    #[serde(tag = "kind", rename_all = "snake_case")]
    pub enum RefusalPolicy {
        /// The sender can pass on its own boxes, and those that the project grants.
        OwnBoxes {
            /// The first 100 of them.
            box_ids: Vec<BoxId>,
            count: usize,
        },
        /// The list `authorized_inherit_box_ids` of the call.
        ListedBoxes {
            /// The first 100 of them.
            box_ids: Vec<BoxId>,
            count: usize,
        },
        /// The delegation policy of the sender's profile.
        Delegation {
            profile_box_id: BoxId,
            /// False if the profile has no policy. Then it cannot delegate.
            exists: bool,
            /// The profiles that the policy lists. Null if it lists none.
            target_profiles: Option<Vec<String>>,
            /// The tags of which the receiver's profile needs one.
            target_tags: Vec<String>,
        },
    }
}

impl From<&Policy<'_>> for Json {
    fn from(policy: &Policy<'_>) -> Self {
        let boxes = |kind: &str, box_ids: &[BoxId]| {
            let shown = box_ids.iter().take(MAX_SHOWN).collect();
            Self::from([
                ("kind", Self::from(kind)),
                ("box_ids", shown),
                ("count", box_ids.len().into()),
            ])
        };
        match policy {
            Policy::OwnBoxes(box_ids) => boxes("own_boxes", box_ids),
            Policy::ListedBoxes(box_ids) => boxes("listed_boxes", box_ids),
            Policy::Delegation { profile_box_id, allows } => {
                let (profiles, tags) = allows.unwrap_or_default();
                Self::from([
                    ("kind", Self::from("delegation")),
                    ("profile_box_id", (*profile_box_id).into()),
                    ("exists", allows.is_some().into()),
                    ("target_profiles", profiles.map(<[String]>::to_vec).into()),
                    ("target_tags", tags.to_vec().into()),
                ])
            }
        }
    }
}

/// The detail of an error that has the policy.
const POLICY: &str = "policy";

/// Marks an error as a refusal under this policy.
#[cold]
pub(crate) fn refused(error: Error, policy: &Policy<'_>) -> Error {
    error.detail(POLICY, policy)
}

/// A refused call.
///
/// Shown by the [example of the module](self).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// The operation.
    pub op: String,
    /// The agent that asked. Null if the call names none.
    pub source_agent_id: Option<String>,
    /// The box or the profile that the call asked for. Empty if the call lists no box.
    pub subject: String,
    /// The code of the error.
    pub code: crate::Code,
    /// The path of the value that was refused.
    pub path: Path,
    /// The message of the error.
    pub message: String,
    /// The policy.
    pub policy: RefusalPolicy,
}

impl Refusal {
    /// Returns the refusal of a call that failed with this error; `None` for other errors.
    pub fn of(call: &Json, error: &Error) -> Option<Self> {
        let details = error.details();
        let policy = details.get(POLICY)?.clone();
        // `hand_out` and `turn_view` contain the call that packs
        let inner = ["call", "after"]
            .iter()
            .find_map(|key| call.get(key).filter(|call| call.as_object().is_some()));
        let call = inner.unwrap_or(call);
        let text = |json: Option<&Json>| json.and_then(Json::as_str).map(str::to_owned);
        let subject = text(details.get("box_id")).or_else(|| text(details.get("profile_name")));
        Some(Self {
            op: text(call.get("op")).unwrap_or_default(),
            source_agent_id: text(call.get("source_agent_id")),
            subject: subject.unwrap_or_default(),
            code: error.code(),
            path: error.path().clone(),
            message: error.message().to_owned(),
            policy,
        })
    }

    /// Adds the audit entry to a batch.
    pub(crate) fn keep(&self, writes: &mut Writes) {
        let actor = self.source_agent_id.clone();
        let (subject, data) = (self.subject.clone(), Json::from(self));
        writes.rows.push(entry(writes, 0, "refused", actor, subject, move || data));
    }
}

impl From<&Refusal> for Json {
    fn from(refusal: &Refusal) -> Self {
        Self::from([
            ("op", Self::from(refusal.op.as_str())),
            ("source_agent_id", refusal.source_agent_id.clone().into()),
            ("subject", refusal.subject.as_str().into()),
            ("code", refusal.code.as_str().into()),
            ("path", refusal.path.to_string().into()),
            ("message", refusal.message.as_str().into()),
            ("policy", refusal.policy.clone()),
        ])
    }
}
