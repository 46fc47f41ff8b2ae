//! The check of inherited cards. It runs on request, because it reads every card.

use crate::pack::lint::PackLint;
use crate::rule::ledger::Inherited;
use crate::rule::lint::Lint;
use crate::rule::merge::MergeResult;
use crate::rule::{Cursor, Step, ready};
use crate::store::{Kind, Lookup, Snapshot};
use crate::value::card::Liveness;
use crate::value::env::Env;
use crate::{Path, Result};

/// Returns a lint for every inherited card that is missing, deleted, expired or unreadable. Such a
/// card is packed all the same.
pub(super) fn check(
    merged: &MergeResult,
    sources: &[Inherited],
    snapshot: &Snapshot,
    env: &Env,
) -> Result<Step<Vec<Lint>>> {
    let card_ids = merged.kept.iter().map(|&symbol| snapshot.names().get(symbol));
    ready!(Cursor::new(snapshot).want_all(Kind::Cards, card_ids).step());
    let mut lints = Vec::new();
    for (&symbol, origin) in merged.kept.iter().zip(&merged.origins) {
        let card_id = snapshot.names().get(symbol);
        let found = snapshot.card(card_id);
        let (code, state) = match found {
            Lookup::Failed(_) if found.unreadable().is_some() => {
                (PackLint::InheritedCardUnreadable, "cannot be read")
            }
            Lookup::Failed(error) => return Err(error.clone()),
            Lookup::Absent | Lookup::NotRead => (PackLint::InheritedCardAbsent, "does not exist"),
            Lookup::Present(card) => match card.liveness(env.now) {
                Liveness::Live => continue,
                Liveness::Deleted => (PackLint::InheritedCardDeleted, "was deleted"),
                Liveness::Expired => (PackLint::InheritedCardExpired, "has expired"),
            },
        };
        let source = sources.get(origin.list as usize);
        let path = source.map_or_else(Path::root, |source| source.path.clone());
        let place = source.map_or_else(String::new, |source| {
            format!(" (box `{}`, position {})", source.box_id, origin.position)
        });
        let message = format!("inherited card `{card_id}` {state}{place}");
        lints.push(Lint::new(code, path, message).about_card(card_id));
    }
    Ok(Step::Done(lints))
}
