//! The authority over inherited boxes: which boxes a project lets its calls pass on.
//!
//! A box is inherited only if the project and the call both allow it. So a call can be stricter than
//! its project, but never more permissive.
//!
//! | setting | allowed boxes |
//! |---|---|
//! | a project whose dialect checks no authority | every box of the project |
//! | a project whose dialect checks authority | the boxes of the sender, and `authority.box_ids` |
//! | the same with `authority.granted_by: "call"` | every box: each call brings its own list |
//! | a call whose dialect checks authority | the boxes in `authorized_inherit_box_ids`; none if the list is empty or missing |
//!
//! ```
//! use tuckbox::rule::{AuthorityPolicy, Defaults, Dialect, GrantedBy, Grants};
//!
//! let strict = Defaults { dialect: Dialect::V1R4, ..Defaults::default() };
//! assert_eq!(strict.grants(), Grants::OwnAnd([].into()));
//! let authority = AuthorityPolicy { granted_by: GrantedBy::Call, ..AuthorityPolicy::default() };
//! assert_eq!(Defaults { authority, ..strict }.grants(), Grants::Every);
//! assert_eq!(Defaults::default().grants(), Grants::Every);
//! ```

use super::Defaults;
use super::audit::Authority;
use super::refusal::{Policy, refused};
use crate::store::Agent;
use crate::value::arguments::read_word;
use crate::value::id::BoxId;
use crate::value::json::Field;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};
use std::sync::Arc;

/// The source of the authority over boxes, in a project whose dialect checks it.
///
/// Shown by the example of [`AuthorityPolicy`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrantedBy {
    /// The project: the boxes of the sender, and those of the policy.
    #[default]
    Project,
    /// Each call, as in the reference systems. It is for hosts whose own code makes the calls.
    Call,
}

/// The setting of a project for the authority over inherited boxes. A call cannot override it.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::rule::{AuthorityPolicy, GrantedBy};
/// use tuckbox::value::json::Field;
///
/// let given = json!({"granted_by": "call"});
/// assert_eq!(AuthorityPolicy::from_json(&Field::root(&given))?.granted_by, GrantedBy::Call);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorityPolicy {
    /// The source of the authority.
    pub granted_by: GrantedBy,
    /// The boxes that every agent of the project can pass on.
    pub box_ids: Arc<[BoxId]>,
}

impl AuthorityPolicy {
    /// Reads `{"granted_by"?: "project" | "call", "box_ids"?: [id, ..]}`.
    ///
    /// # Errors
    /// `bad_request` for an unknown key or value.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["granted_by", "box_ids"])?;
        let words = [("project", GrantedBy::Project), ("call", GrantedBy::Call)];
        let granted_by = fields.optional("granted_by").map(|field| read_word(&field, &words));
        let box_ids = match fields.optional("box_ids") {
            Some(list) => list.list()?.iter().map(BoxId::parse).collect::<Result<_>>()?,
            None => Arc::default(),
        };
        Ok(Self { granted_by: granted_by.transpose()?.unwrap_or_default(), box_ids })
    }
}

/// The boxes that a project lets its calls pass on.
///
/// Shown by the example of [`Defaults::grants`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Grants {
    /// Every box of the project. A call can be stricter.
    #[default]
    Every,
    /// The boxes of the sender, and these.
    OwnAnd(Arc<[BoxId]>),
}

impl Defaults {
    /// Returns the boxes that the project lets its calls pass on.
    ///
    /// ```
    /// use tuckbox::rule::{Defaults, Dialect, Grants};
    ///
    /// let strict = Defaults { dialect: Dialect::V1R4, ..Defaults::default() };
    /// assert_eq!(strict.grants(), Grants::OwnAnd([].into()));
    /// assert_eq!(Defaults::default().grants(), Grants::Every);
    /// ```
    pub fn grants(&self) -> Grants {
        match self.authority.granted_by {
            GrantedBy::Project if self.dialect.checks_authority => {
                Grants::OwnAnd(Arc::clone(&self.authority.box_ids))
            }
            GrantedBy::Project | GrantedBy::Call => Grants::Every,
        }
    }
}

impl Agent {
    /// Returns the agent's own boxes and the names of their columns.
    pub(crate) fn own_boxes(&self) -> StrMap<&'static str> {
        let state = self.state.as_ref();
        let pointers = self.pointers.as_ref();
        let mut own = StrMap::new();
        for (as_what, id) in [
            ("profile_box_id", state.and_then(|state| state.profile_box_id.as_ref())),
            ("context_box_id", state.and_then(|state| state.context_box_id.as_ref())),
            ("output_box_id", state.and_then(|state| state.output_box_id.as_ref())),
            ("memory_context_box_id", pointers.and_then(|p| p.memory_context_box_id.as_ref())),
            ("last_output_box_id", pointers.and_then(|p| p.last_output_box_id.as_ref())),
        ] {
            if let Some(id) = id.filter(|id| !id.as_str().is_empty()) {
                own.insert_new(id.as_str(), as_what);
            }
        }
        own
    }
}

/// The boxes that one sender can pass on, with the authority over each.
#[derive(Clone, Debug)]
pub(crate) enum Warrant {
    /// Any box of the project.
    Project,
    /// These boxes.
    Only(StrMap<Authority>),
}

impl Warrant {
    /// Returns the warrant of an agent in a project with these grants.
    pub fn of(grants: &Grants, agent: Option<&Agent>) -> Self {
        match grants {
            Grants::Every => Self::Project,
            Grants::OwnAnd(_) => Self::own_and(grants, agent, None),
        }
    }

    /// Returns the warrant of an agent under a dialect that checks authority: its own boxes and
    /// those of the project. If the project allows it, boxes that the call grants are added.
    pub(crate) fn own_and(
        grants: &Grants,
        agent: Option<&Agent>,
        more: impl IntoIterator<Item = (BoxId, Authority)>,
    ) -> Self {
        let own = agent.map(Agent::own_boxes).unwrap_or_default();
        let own = own.iter().map(|(box_id, as_what)| (box_id, Authority::Own { as_what }));
        let mut only: StrMap<_> = own.collect();
        if let Grants::OwnAnd(box_ids) = grants {
            for box_id in box_ids.iter() {
                only.insert_new(box_id.as_str(), Authority::Granted);
            }
        }
        for (box_id, authority) in more {
            only.insert_new(box_id.as_str(), authority);
        }
        Self::Only(only)
    }

    /// Returns the authority over a box.
    ///
    /// # Errors
    /// `bad_request` if the agent cannot pass it on, with the policy in its details.
    pub fn check(&self, box_id: &str, agent_id: &str, path: &Path) -> Result<Authority> {
        match self {
            Self::Project => Ok(Authority::Project),
            Self::Only(boxes) => boxes.get(box_id).cloned().ok_or_else(|| {
                let error = Error::bad_request(format!(
                    "agent `{agent_id}` cannot pass on box `{box_id}`, which is not its own"
                ));
                let allowed = boxes.keys().map(BoxId::from).collect();
                refused(error.at(path.clone()).detail("box_id", box_id), &Policy::OwnBoxes(allowed))
            }),
        }
    }
}
