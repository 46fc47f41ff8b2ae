//! The rule dialects: named presets.

use crate::value::arguments::Argument;
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

/// The rules of new projects, and those of the reference systems. A dialect is a value, so a caller can
/// preview under two of them and compare.
///
/// ```
/// use tuckbox::rule::Dialect;
///
/// assert_eq!(Dialect::default(), Dialect::CURRENT);
/// assert!(!Dialect::CURRENT.adds_parent && Dialect::V1R3.adds_parent);
/// assert!(Dialect::named("v1r4_hotfix").is_some_and(|dialect| dialect.inherited_first));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Dialect {
    /// The name on the wire.
    pub name: DialectName,
    /// A call can inherit a box only if `handover.authorized_inherit_box_ids` lists it.
    pub checks_authority: bool,
    /// The project id and the source agent's id are trimmed and must not be blank.
    pub trims_ids: bool,
    /// Inherited cards come before the cards made from arguments.
    pub inherited_first: bool,
    /// The turn view puts the output box before the context box.
    pub output_first: bool,
    /// The author of a recipe's cards is the recipe, regardless of the caller's tool.
    pub recipe_is_author: bool,
    /// The caller of a recipe must pass its depth.
    pub needs_depth: bool,
    /// Recipes add a pointer to the parent, which the model sees as a system message.
    pub adds_parent: bool,
    /// The deliverable of a turn without an explicit one has only the last text of the model, or the
    /// error of the turn.
    pub plain_deliverables: bool,
}

impl Dialect {
    /// The published rules: arguments, inherited, parent. A call can inherit every box.
    pub const V1R3: Self = Self {
        name: "v1r3",
        checks_authority: false,
        trims_ids: false,
        inherited_first: false,
        output_first: false,
        recipe_is_author: false,
        needs_depth: true,
        adds_parent: true,
        plain_deliverables: false,
    };

    /// [`Dialect::V1R3`] with authority checks for inherited boxes.
    pub const V1R4: Self = Self {
        name: "v1r4",
        checks_authority: true,
        trims_ids: true,
        recipe_is_author: true,
        needs_depth: false,
        ..Self::V1R3
    };

    /// [`Dialect::V1R4`] with inherited cards first and output before context.
    pub const V1R4_HOTFIX: Self =
        Self { name: "v1r4_hotfix", inherited_first: true, output_first: true, ..Self::V1R4 };

    /// The rules of new projects: those of the reference systems without what only people or programs
    /// read. A model sees neither the pointer to the parent nor the reason for a deliverable that the
    /// rules write.
    pub const CURRENT: Self = Self {
        name: "current",
        trims_ids: true,
        needs_depth: false,
        adds_parent: false,
        plain_deliverables: true,
        ..Self::V1R3
    };

    /// The presets of the reference systems, oldest first.
    pub const REFERENCE: [Self; 3] = [Self::V1R3, Self::V1R4, Self::V1R4_HOTFIX];

    /// The presets: those of the reference systems, oldest first, then that of new projects.
    pub const ALL: [Self; 4] = [Self::V1R3, Self::V1R4, Self::V1R4_HOTFIX, Self::CURRENT];

    /// Returns the preset of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name == name)
    }

    /// Reads a dialect by name. Returns the default if it is missing.
    ///
    /// # Errors
    /// `bad_request` for an unknown name.
    pub fn from_json(field: Option<Field<'_>>) -> Result<Self> {
        let Some(field) = field else { return Ok(Self::default()) };
        let name = field.string()?;
        Self::named(name).ok_or_else(|| {
            let known = listed(&Self::ALL.map(|dialect| dialect.name));
            field.error(format!("unknown dialect `{name}`; expected one of {known}"))
        })
    }

    /// Returns the project id of a caller's string under this dialect.
    ///
    /// # Errors
    /// `bad_request` when it is empty. With an empty id the oldest reference system stores cards
    /// and their box under different projects.
    pub fn project_id(&self, text: &str) -> Result<ProjectId> {
        let id = self.id(text, "project_id")?;
        if id.is_empty() {
            return Err(blank("project_id"));
        }
        Ok(ProjectId::from(id))
    }

    /// Returns an id under this dialect, trimmed and not blank if the dialect requires that.
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

shape! {
    /// A rule dialect: that of new projects, or one of the reference systems.
    pub type Dialect = Word<"v1r3", "v1r4", "v1r4_hotfix", "current">;
}

impl Argument for Dialect {
    fn read(field: &Field<'_>) -> Result<Self> {
        Self::from_json(Some(*field))
    }
}

fn blank(name: &str) -> Error {
    Error::bad_request(format!("`{name}` must not be blank")).at(Path::root().key(name))
}

impl Default for Dialect {
    fn default() -> Self {
        Self::CURRENT
    }
}
