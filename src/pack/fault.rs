//! What is wrong or odd about a value of a handover, and where it stands.

use crate::pack::lint::PackLint;
use crate::rule::lint::Lint;
use crate::value::error::Step::{Index, Key};
use crate::value::json::Json;
use crate::{Error, Path};

/// The path of a value inside `handover.context_packing_config`.
pub(super) fn packing_path() -> Path {
    Path::root().key("handover").key("context_packing_config")
}

/// The path of a rule in `handover.context_packing_config.pack_arguments`.
pub(super) fn rule_path(index: usize) -> Path {
    Path::from_steps(vec![
        Key("handover".into()),
        Key("context_packing_config".into()),
        Key("pack_arguments".into()),
        Index(index),
    ])
}

/// The path of a value inside `handover.context_packing_config.inherit_context`.
pub(super) fn inherit_path(key: &str) -> Path {
    Path::from_steps(vec![
        Key("handover".into()),
        Key("context_packing_config".into()),
        Key("inherit_context".into()),
        Key(key.into()),
    ])
}

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
