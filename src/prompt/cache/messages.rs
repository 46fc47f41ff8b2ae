//! What changed in the conversation: a compaction, or an edited, inserted, removed or moved message.

use super::answer::Cause;
use super::body::{Kind, Parsed, Region, Unit};
use super::changes::{Found, common};
use super::hash::Hash;
use super::reading::{Reading, reading};
use super::words::describe;
use crate::value::Set;

/// A message: its units and the hash of all of them.
pub(super) struct Message<'p, 'a> {
    pub units: &'p [Unit<'a>],
    pub hash: u64,
}

impl Message<'_, '_> {
    /// Returns the position in the body.
    pub fn item(&self) -> usize {
        self.units.first().map_or(0, |unit| unit.item)
    }
}

/// Returns true if the second list replaces or removes messages of the first.
pub(super) fn compaction(old: &[Message<'_, '_>], new: &[Message<'_, '_>]) -> bool {
    let same = old.iter().zip(new).take_while(|(old, new)| old.hash == new.hash).count();
    let (was, is) = (old.get(same..).unwrap_or_default(), new.get(same..).unwrap_or_default());
    let is_shorter = !was.is_empty() && !is.is_empty() && kind_of(was, is) == "removed";
    compacted(was, is).is_some() || is_shorter
}

/// Returns the messages of a region of units.
pub(super) fn messages<'p, 'a>(units: &'p [Unit<'a>]) -> Vec<Message<'p, 'a>> {
    let mut list = Vec::new();
    let mut rest = units;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|unit| unit.item == first.item).count();
        let (units, more) = rest.split_at(count);
        let hash = units.iter().fold(1, |hash, unit| Hash::join(hash, unit.hash));
        list.push(Message { units, hash });
        rest = more;
    }
    list
}

/// Returns the change of the conversation. Adding to its end is not one.
pub(super) fn changed(before: &Parsed<'_>, after: &Parsed<'_>, is_claude: bool) -> Option<Found> {
    let (old_units, new_units) = (before.region(Region::Messages), after.region(Region::Messages));
    let same_units = common(old_units, new_units);
    if same_units == old_units.len() {
        return None;
    }
    let (old, new) = (messages(old_units), messages(new_units));
    let same = old.iter().zip(&new).take_while(|(old, new)| old.hash == new.hash).count();
    let (was, is) = (old.get(same..).unwrap_or_default(), new.get(same..).unwrap_or_default());
    let mut found = Found::new(Cause::MessagesChanged, before.system + same_units);
    let item = |list: &[Message<'_, '_>]| list.first()?.units.first().map(|unit| unit.item);
    found.at.message = item(is).or(item(was));
    if let Some(removed) = compacted(was, is) {
        found.cause = Cause::ContextCompacted;
        found.at.found = Some(removed as u64);
        return Some(found);
    }
    found.at.change = Some(kind_of(was, is));
    if found.at.change == Some("edited") {
        let at = &mut found.at;
        let unit = new_units.get(same_units).or(old_units.get(same_units));
        at.block = unit.map(|unit| unit.block);
        if let Some((was, is)) = old_units.get(same_units).zip(new_units.get(same_units))
            && was.item == is.item
        {
            describe(&was.content, &is.content, at);
            at.change = at.change.or(Some("edited"));
        }
    }
    // an image that left the conversation
    let lost_image = old_units.get(same_units).is_some_and(|unit| unit.kind == Kind::Image);
    if is_claude && lost_image && before.images != after.images {
        return None;
    }
    Some(found)
}

fn kind_of(was: &[Message<'_, '_>], is: &[Message<'_, '_>]) -> &'static str {
    let hashes = |list: &[Message<'_, '_>]| list.iter().map(|each| each.hash).collect::<Set<u64>>();
    let (old, new) = (hashes(was), hashes(is));
    let Some(first) = is.first() else { return "removed" };
    let Some(gone) = was.first() else { return "inserted" };
    match (old.contains(&first.hash), new.contains(&gone.hash)) {
        (true, true) => "reordered",
        (true, false) => "removed",
        (false, true) => "inserted",
        (false, false) => "edited",
    }
}

fn reading_of(unit: &Unit<'_>) -> Reading {
    match (unit.kind, unit.content.text()) {
        (Kind::Summary, _) => Reading::Summary,
        (_, Some(text)) => reading(text),
        (_, None) => Reading::Other,
    }
}

/// Returns true for a message that can replace others.
pub(super) fn is_summary(message: &Message<'_, '_>) -> bool {
    message.units.iter().any(|unit| reading_of(unit) > Reading::Other)
}

/// Returns the number of messages that a summary replaces.
fn compacted(was: &[Message<'_, '_>], is: &[Message<'_, '_>]) -> Option<usize> {
    let old: Set<u64> = was.iter().map(|each| each.hash).collect();
    let is_new = |each: &&Message<'_, '_>| !old.contains(&each.hash);
    // a summary is one new message, or one with an acknowledgement
    let added: Vec<_> = is.iter().filter(is_new).take(2).collect();
    let reads = added.iter().flat_map(|each| each.units).map(reading_of).max()?;
    let new = is.iter().take_while(is_new).count();
    let kept = is.get(new).and_then(|first| was.iter().position(|each| each.hash == first.hash));
    let later: Set<u64> = is.iter().map(|each| each.hash).collect();
    let gone = was.iter().filter(|each| !later.contains(&each.hash)).count();
    let removed = match new {
        0 => gone,
        _ => kept.unwrap_or(was.len()),
    };
    let is_compaction = match (reads, kept) {
        // kept messages can be before the summary
        (Reading::Summary, _) if new == 0 => true,
        (Reading::Summary, None) => true,
        (Reading::Summary | Reading::Perhaps, Some(_)) => new < removed && new <= 2,
        (Reading::Perhaps, None) | (Reading::Other, _) => false,
    };
    // a new message without the words of a summary
    let is_replaced = kept.is_some() && new == 1 && removed >= 3;
    (removed >= 2 && (is_compaction || is_replaced)).then_some(removed)
}
