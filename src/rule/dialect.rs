//! The rule dialects: three named presets of one value.

use crate::value::id::ProjectId;
use crate::value::json::{Field, listed, trim};
use crate::{Error, Path, Result};
use serde::Serialize;

/// The name of a [`Dialect`] on the wire.
///
/// ```
/// use tuckbox::rule::{Dialect, DialectName};
///
/// let name: DialectName = Dialect::V1R4.name;
/// assert_eq!(name, "v1r4");
/// ```
pub type DialectName = &'static str;

/// How the recorded systems differ. A dialect is a value, so that a preview can be made under two
/// of them and compared.
///
/// ```
/// use tuckbox::rule::Dialect;
///
/// assert_eq!(Dialect::default(), Dialect::V1R3);
/// assert!(Dialect::named("v1r4_hotfix").is_some_and(|dialect| dialect.inherited_first));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Dialect {
    /// The name on the wire.
    pub name: DialectName,
    /// Boxes can be inherited only when `handover.authorized_inherit_box_ids` lists them.
    pub checks_authority: bool,
    /// The project id and the source agent's id are trimmed, and may not be blank.
    pub trims_ids: bool,
    /// Inherited cards come before the cards made from arguments.
    pub inherited_first: bool,
    /// The turn view puts the output box before the context box.
    pub output_first: bool,
    /// The author of a recipe's cards is the recipe, whatever the caller's tool is called.
    pub recipe_is_author: bool,
    /// A recipe must be told how deep its caller stands.
    pub needs_depth: bool,
}

impl Dialect {
    /// The customer's documents: arguments, inherited, parent; any box may be inherited.
    pub const V1R3: Self = Self {
        name: "v1r3",
        checks_authority: false,
        trims_ids: false,
        inherited_first: false,
        output_first: false,
        recipe_is_author: false,
        needs_depth: true,
    };

    /// As [`Dialect::V1R3`], with authority over what is inherited.
    pub const V1R4: Self = Self {
        name: "v1r4",
        checks_authority: true,
        trims_ids: true,
        recipe_is_author: true,
        needs_depth: false,
        ..Self::V1R3
    };

    /// As [`Dialect::V1R4`], with inherited cards first and output before context.
    pub const V1R4_HOTFIX: Self =
        Self { name: "v1r4_hotfix", inherited_first: true, output_first: true, ..Self::V1R4 };

    /// The presets, oldest first.
    pub const ALL: [Self; 3] = [Self::V1R3, Self::V1R4, Self::V1R4_HOTFIX];

    /// The preset of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name == name)
    }

    /// Reads a dialect by name; absent means the default.
    ///
    /// # Errors
    /// `bad_request` for a name that is none of the presets.
    pub fn from_json(field: Option<Field<'_>>) -> Result<Self> {
        let Some(field) = field else { return Ok(Self::default()) };
        let name = field.string()?;
        Self::named(name).ok_or_else(|| {
            let known = listed(&Self::ALL.map(|dialect| dialect.name));
            field.error(format!("unknown dialect `{name}`; known are {known}"))
        })
    }

    /// The project that a caller's text names under this dialect.
    ///
    /// # Errors
    /// `bad_request` when it is empty: the oldest recorded system then files the cards under one
    /// project and their box under another, where nobody finds both.
    pub fn project_id(&self, text: &str) -> Result<ProjectId> {
        let id = self.id(text, "project_id")?;
        if id.is_empty() {
            return Err(blank("project_id"));
        }
        Ok(ProjectId::from(id))
    }

    /// An id under this dialect: trimmed and not blank where the dialect says so.
    pub(crate) fn id<'a>(&self, text: &'a str, name: &str) -> Result<&'a str> {
        if !self.trims_ids {
            return Ok(text);
        }
        let id = trim(text);
        if id.is_empty() {
            return Err(blank(name));
        }
        Ok(id)
    }
}

fn blank(name: &str) -> Error {
    Error::bad_request(format!("`{name}` is blank")).at(Path::root().key(name))
}

impl Default for Dialect {
    fn default() -> Self {
        Self::V1R3
    }
}
