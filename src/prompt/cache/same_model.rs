//! Whether two requests are for one model.

use super::policy::find_claude;
use crate::prompt::provider::names_model;

/// Whether two names are of one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SameModel {
    Yes,
    No,
    /// A name and its dated form. The request does not state which model the name selects.
    Perhaps,
}

/// Compares the names of two models.
pub(super) fn same_model(before: &str, after: &str) -> SameModel {
    let plain = |name: &str| match name.rsplit('/').next().unwrap_or_default() {
        "gpt-5.6" => "gpt-5.6-sol".to_owned(),
        name => name.to_ascii_lowercase(),
    };
    let (before, after) = (plain(before), plain(after));
    if before == after {
        return SameModel::Yes;
    }
    let is_one = |short: &str, long: &str| names_model(short, long);
    let claude = |name: &str| find_claude(name).map(|(name, ..)| *name);
    let is_claude = claude(&before).is_some() && claude(&before) == claude(&after);
    match is_claude || is_one(&before, &after) || is_one(&after, &before) {
        true => SameModel::Perhaps,
        false => SameModel::No,
    }
}
