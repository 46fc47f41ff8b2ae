//! Errors and lints about the values of a handover, and their paths.

use crate::pack::lint::PackLint;
use crate::rule::lint::Lint;
use crate::value::json::{Json, Object, listed};
use crate::{Error, Path};
use std::sync::LazyLock;

/// `handover`.
pub(super) static HANDOVER: LazyLock<Path> = LazyLock::new(|| Path::root().key("handover"));

/// `handover.context_packing_config`.
pub(super) static PACKING: LazyLock<Path> =
    LazyLock::new(|| HANDOVER.key("context_packing_config"));

/// Its list of rules. Every new card has the path of its rule.
pub(super) static RULES: LazyLock<Path> = LazyLock::new(|| PACKING.key("pack_arguments"));

/// Its settings for inherited boxes.
pub(super) static INHERIT: LazyLock<Path> = LazyLock::new(|| PACKING.key("inherit_context"));

/// The switch for a pointer to the parent.
pub(super) static PARENT: LazyLock<Path> = LazyLock::new(|| INHERIT.key("include_parent"));

/// Returns the error for a value of a type that packing cannot use.
pub(super) fn expected(what: &str, found: &Json, at: Path) -> Error {
    Error::bad_request(format!("expected {what}, found {}", found.kind())).at(at)
}

/// Returns the lint for a value that packing ignores.
pub(super) fn ignored(path: Path, what: &str, found: &Json) -> Lint {
    Lint::new(
        PackLint::IgnoredValue,
        path,
        format!("expected {what}, found {}; the value is ignored", found.kind()),
    )
}

/// Adds a lint for every key that packing does not know. The reference systems ignore such keys, so
/// they are not errors.
pub(super) fn lint_unknown_keys(
    object: &Object,
    known: &[&str],
    path: impl Fn() -> Path,
    lints: &mut Vec<Lint>,
) {
    for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
        let known = listed(known);
        let message = format!("unknown key `{key}` is ignored; expected one of {known}");
        lints.push(Lint::new(PackLint::UnknownKey, path().key(key.as_str()), message));
    }
}
