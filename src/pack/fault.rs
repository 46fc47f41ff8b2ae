//! What is wrong or odd about a value of a handover, and where it stands.

use crate::pack::lint::PackLint;
use crate::rule::lint::Lint;
use crate::value::json::Json;
use crate::{Error, Path};
use std::sync::LazyLock;

/// `handover.context_packing_config`.
pub(super) static PACKING: LazyLock<Path> =
    LazyLock::new(|| Path::root().key("handover").key("context_packing_config"));

/// Its list of rules: every card that is made names its place there.
pub(super) static RULES: LazyLock<Path> = LazyLock::new(|| PACKING.key("pack_arguments"));

/// Its part about what is inherited.
pub(super) static INHERIT: LazyLock<Path> = LazyLock::new(|| PACKING.key("inherit_context"));

/// The switch for a pointer to the parent.
pub(super) static PARENT: LazyLock<Path> = LazyLock::new(|| INHERIT.key("include_parent"));

/// The error for a value of a type that packing cannot use.
pub(super) fn expected(what: &str, found: &Json, at: Path) -> Error {
    Error::bad_request(format!("expected {what}, found {}", found.kind())).at(at)
}

/// The lint for a value that was passed over.
pub(super) fn ignored(path: Path, what: &str, found: &Json) -> Lint {
    Lint::new(
        PackLint::IgnoredValue,
        path,
        format!("expected {what}, found {}: it is ignored", found.kind()),
    )
}
