//! Packing: a plan and a snapshot become a box, its new cards and their ledger.

use super::liveness;
use super::merges::Merges;
use super::plan::{Packer, Plan, Planned, PlannedBox, PlannedCard};
use crate::rule::audit::{self, Audit};
use crate::rule::ledger::{BoxLedger, Cause, Dropped, Inherited as Source, Ledger};
use crate::rule::lint::Lint;
use crate::rule::merge::{MergeResult, merge};
use crate::rule::{Step, ready};
use crate::store::{Expectation, Kind, Profile, Snapshot};
use crate::value::boxes::CardBox;
use crate::value::card::{Card, Content, NewCard};
use crate::value::env::{Env, Minter};
use crate::value::error::Step as At;
use crate::value::id::BoxId;
use crate::value::ids::{CardIds, Symbol};
use crate::value::json::{Json, Object};
use crate::value::limits::Limits;
use crate::value::str_map::Places;
use crate::{Error, Path, Result};
use serde::Serialize;
use std::sync::Arc;

/// A packed context.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Packed {
    /// The new box.
    pub context_box_id: BoxId,
    /// The box of the target's profile.
    pub target_profile_box_id: BoxId,
    /// The name of the target's profile, in its own case.
    pub profile_name: String,
    /// The cards of the new box, in order.
    pub attached_card_ids: CardIds,
}

/// One packed context. A recipe collects several of them in one batch.
#[derive(Clone, Debug)]
pub(crate) struct PackedBox {
    pub packed: Packed,
    pub cards: Vec<Card>,
    pub card_box: CardBox,
    pub expects: Vec<Expectation>,
    pub ledger: Ledger,
    pub lints: Vec<Lint>,
    /// The size of the content of its cards.
    pub bytes: usize,
}

/// New cards, with their causes in the same order.
#[derive(Default)]
struct Made {
    cards: Vec<Card>,
    causes: Vec<Cause>,
    dropped: Vec<Dropped>,
    lints: Vec<Lint>,
}

/// The inherited cards.
struct Inherited {
    sources: Vec<Source>,
    merged: Arc<MergeResult>,
    expects: Vec<Expectation>,
    audit: Vec<audit::Source>,
    dropped: Vec<Dropped>,
    lints: Vec<Lint>,
}

impl Plan<'_> {
    /// Packs the plan, or returns the reads that it needs first. Ids come from `minter`, in order;
    /// `merges` are those of the other contexts of a call.
    pub(crate) fn pack(
        self,
        snapshot: &Snapshot,
        minter: &mut Minter,
        env: &Env,
        merges: Option<&mut Merges>,
    ) -> Result<Step<PackedBox>> {
        let profile = self.target(snapshot)?;
        let Self { packer, path, target_name, target_key, cards, boxes, parent, bytes } = self;
        let maker = Maker { packer, snapshot, env };

        // the dialect determines which of the two fails first
        let (inherited, made) = if packer.dialect.inherited_first {
            let inherited = inherit(boxes, &packer.limits, snapshot, merges)?;
            (inherited, maker.make_all(cards, &path, minter)?)
        } else {
            let made = maker.make_all(cards, &path, minter)?;
            (inherit(boxes, &packer.limits, snapshot, merges)?, made)
        };
        let parent = parent.map(|path| maker.parent(path, minter)).transpose()?;
        let box_id = minter.box_id();
        let profile_box_id =
            profile_box(profile).map_err(|error| error.at(path.key(target_key)))?;

        let mut lints = made.lints;
        lints.extend(inherited.lints);
        if packer.check_liveness {
            let sources = &inherited.sources;
            lints.extend(ready!(liveness::check(&inherited.merged, sources, snapshot, env)?));
        }
        // each row once: boxes and profiles are different kinds
        let mut expects = inherited.expects;
        expects.extend(snapshot.expectation(Kind::Profiles, &target_name));

        let parent_card = parent.as_ref().map(|(card, _)| card);
        let total = made.cards.len() + inherited.merged.kept.len() + 1;
        packer.limits.check_ids(total, &path)?;
        let card_ids = maker.order(&made.cards, &inherited.merged.kept, parent_card);
        let mut account = BoxLedger::new(box_id.clone(), card_ids.clone());
        if packer.dialect.inherited_first {
            account.merged(inherited.sources, inherited.merged).made(made.causes);
        } else {
            account.made(made.causes).merged(inherited.sources, inherited.merged);
        }
        let mut cards = made.cards;
        if let Some((card, cause)) = parent {
            account.made(vec![cause]);
            cards.push(card);
        }
        let mut dropped = made.dropped;
        dropped.extend(inherited.dropped);
        let packed = Packed {
            context_box_id: box_id.clone(),
            target_profile_box_id: profile_box_id,
            profile_name: profile.name.clone(),
            attached_card_ids: card_ids.clone(),
        };
        let audit = packer.audit(&packed, inherited.audit);

        Ok(Step::Done(PackedBox {
            packed,
            cards,
            card_box: CardBox::new(box_id, card_ids).with_parents(audit.parents()),
            expects,
            ledger: Ledger {
                boxes: vec![account],
                dropped,
                audit: vec![Arc::new(audit)],
                ..Ledger::default()
            },
            lints,
            bytes,
        }))
    }

    /// Returns the target profile.
    fn target<'s>(&self, snapshot: &'s Snapshot) -> Result<&'s Profile> {
        let name = &self.target_name;
        match snapshot.profile(name).found()? {
            Some(profile) => Ok(profile),
            None => Err(Error::not_found(format!(
                "no profile `{name}` in project `{}`",
                snapshot.project_id()
            ))
            .at(self.path.key(self.target_key))
            .detail("profile_name", name.as_str())),
        }
    }
}

impl Packer<'_> {
    /// Returns the audit entry of a context.
    fn audit(&self, packed: &Packed, sources: Vec<audit::Source>) -> Audit {
        Audit {
            context_box_id: packed.context_box_id.clone(),
            packed_by: self.agent_id.to_owned(),
            tool_suffix: self.author.to_owned(),
            recipe: None,
            dialect: self.dialect.name,
            target_profile: packed.profile_name.clone(),
            target_profile_box_id: packed.target_profile_box_id.clone(),
            target_agent_id: None,
            target_output_box_id: None,
            target_display_name: None,
            permission: None,
            sources,
        }
    }
}

/// Returns the box of a profile, which every context needs.
fn profile_box(profile: &Profile) -> Result<BoxId> {
    profile.profile_box_id.clone().ok_or_else(|| {
        let name = &profile.name;
        Error::bad_request(format!("profile `{name}` has no profile box; set its `profile_box_id`"))
    })
}

/// Returns the id of the box at an index that exists.
fn id_at<'a>(sources: &'a [audit::Source]) -> impl Fn(usize) -> &'a str {
    |place| sources.get(place).map_or("", |source| source.box_id.as_str())
}

/// Merges the cards of every planned box, each card once.
fn inherit(
    planned: Planned<PlannedBox>,
    limits: &Limits,
    snapshot: &Snapshot,
    merges: Option<&mut Merges>,
) -> Result<Inherited> {
    let Planned { items, error, dropped, lints } = planned;
    let mut lists = Vec::with_capacity(items.len());
    let mut sources = Vec::with_capacity(items.len());
    let mut audit = Vec::with_capacity(items.len());
    let mut expects = Vec::with_capacity(items.len());
    let mut places = Places::new();
    let mut listed = 0;
    for PlannedBox { box_id, path, authority } in items {
        let card_box = match snapshot.card_box(box_id.as_str()).found()? {
            Some(card_box) => card_box,
            None => {
                return Err(Error::not_found(format!(
                    "no box `{box_id}` in project `{}`",
                    snapshot.project_id()
                ))
                .at(path)
                .detail("box_id", box_id.as_str()));
            }
        };
        lists.push(card_box.card_ids.symbols());
        listed += card_box.card_ids.len();
        limits.check_merged(listed, &path)?;
        if places.find(card_box.box_id.as_str(), audit.len(), id_at(&audit)).is_none() {
            expects.push(Expectation::of_box(card_box.box_id.as_str(), card_box.version));
            audit.push(audit::Source {
                box_id: card_box.box_id.clone(),
                version: card_box.version,
                cards: card_box.card_ids.len(),
                authority,
                path: path.clone(),
            });
            places.record_push(audit.len(), id_at(&audit));
        }
        sources.push(Source { box_id: card_box.box_id.clone(), path });
    }
    if let Some(error) = error {
        return Err(error);
    }
    let names = snapshot.names().len();
    let merged = match merges {
        Some(merges) => merges.merge(&sources, &lists, names),
        None => Arc::new(merge(&lists, names)),
    };
    Ok(Inherited { sources, merged, expects, audit, dropped, lints })
}

/// The input of a new card, except its content.
struct Maker<'a> {
    packer: Packer<'a>,
    snapshot: &'a Snapshot,
    env: &'a Env,
}

impl Maker<'_> {
    fn make(&self, card: NewCard, minter: &mut Minter) -> Result<Card> {
        let project_id = self.snapshot.project_id();
        Card::make(card, project_id, minter.card_id(), self.env.now, &self.packer.limits)
    }

    fn make_all(
        &self,
        planned: Planned<PlannedCard<'_>>,
        path: &Path,
        minter: &mut Minter,
    ) -> Result<Made> {
        let Planned { items, error, dropped, lints } = planned;
        let mut made = Made { dropped, lints, ..Made::default() };
        for planned in items {
            let card = self.make(planned.card, minter).map_err(|error| {
                in_caller_value(error, &path.key(planned.own_key), &planned.path)
            })?;
            made.cards.push(card);
            let arg_key = planned.arg_key.to_owned();
            made.causes.push(Cause::Argument { arg_key, path: planned.path });
        }
        error.map_or(Ok(made), Err)
    }

    /// Returns the ids of a context in the order of the dialect; the pointer to the parent is last.
    fn order(&self, made: &[Card], inherited: &[Symbol], parent: Option<&Card>) -> CardIds {
        let new_ids = made.iter().chain(parent).map(|card| card.card_id.as_str());
        let (names, symbols) = self.snapshot.names().with_ids(new_ids);
        let (made, parent) = symbols.split_at_checked(made.len()).unwrap_or((&symbols, &[]));
        let mut order = Vec::with_capacity(symbols.len() + inherited.len());
        let parts = match self.packer.dialect.inherited_first {
            true => [inherited, made, parent],
            false => [made, inherited, parent],
        };
        parts.iter().for_each(|part| order.extend_from_slice(part));
        CardIds::new(names, order)
    }

    /// Makes the pointer to the parent.
    fn parent(&self, path: Path, minter: &mut Minter) -> Result<(Card, Cause)> {
        let agent_id = self.packer.agent_id;
        let content = Content::json(Json::from([("parent_agent_id", agent_id)]))?;
        let card = NewCard {
            metadata: Object::from_iter([("role".to_owned(), Json::from("system"))]),
            ..NewCard::new("meta.parent_pointer", agent_id, content)
        };
        Ok((self.make(card, minter)?, Cause::Parent { path }))
    }
}

/// Returns an error about a card with the path of the caller's value that the card comes from.
fn in_caller_value(error: Error, value_path: &Path, rule_path: &Path) -> Error {
    let (source, inside) = match error.path().steps() {
        [At::Key(part), inside @ ..] if **part == *"metadata" => {
            (rule_path.key("card_metadata"), inside)
        }
        [At::Key(part), At::Key(_), inside @ ..] if **part == *"content" => {
            (value_path.clone(), inside)
        }
        _ => (value_path.clone(), &[][..]),
    };
    let inside = Path::from_steps(inside.to_vec());
    error.at(source.join(&inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Answers, Reads};
    use crate::{Code, Limits, PackContext, Rule, Timestamp};

    #[test]
    fn an_error_about_a_card_has_the_path_of_its_value_in_the_call() {
        let mut reads = Reads::new("p1".into());
        reads.add(Kind::Profiles, "w");
        let mut snapshot = Snapshot::new("p1".into());
        snapshot.absorb(&reads, Answers::new().profile(Profile::new("w", "pb"))).unwrap();
        let env = Env::new(Timestamp::from_millis(0), [7; 32]);
        let deep = (0..9).fold(Json::Array(Vec::new()), |inner, _| Json::from([("a", inner)]));
        for (value, metadata, shown) in [
            (Json::from("x".repeat(200)), Json::Null, "arguments.value"),
            (Json::from([("b", deep.clone())]), Json::Null, "arguments.value.b.a.a.a.a.a.a.a"),
            (
                Json::from("x"),
                Json::from([("m", deep)]),
                "handover.context_packing_config.pack_arguments[0].card_metadata.m.a.a.a.a.a.a.a",
            ),
        ] {
            let arguments = Json::from([("profile_name", Json::from("w")), ("value", value)]);
            let rule = Json::from([("arg_key", Json::from("value")), ("card_metadata", metadata)]);
            let rules = Json::from([("pack_arguments", Json::from(vec![rule]))]);
            let handover = Json::from([("context_packing_config", rules)]);
            let mut call = PackContext::new("t", "a", arguments, handover);
            call.limits = Limits { max_depth: 8, max_content_bytes: 150, ..Limits::default() };
            let error = call.step(&snapshot, &env).unwrap_err();
            assert_eq!((error.code(), error.path().to_string().as_str()), (Code::Limit, shown));
        }
    }
}
