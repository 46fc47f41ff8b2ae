//! What a recipe reads of the agents that it names.

use crate::run::values::text_of;
use crate::store::KeyPart::{Column, Inside};
use crate::store::table::{HEADS, POINTERS, PROJECT_AGENTS, PROJECT_PROFILES};
use crate::store::{
    FollowSource, FollowTarget, FollowUp, Kind, List, Lookup, Reads, RowKey, Snapshot,
};
use crate::value::json::Json;

/// Adds an agent of a recipe: its rows, its boxes and its profile. The row of the roster can hold the
/// state and the pointers, too.
pub(super) fn add_agent(reads: &mut Reads, agent: &str) {
    let profile = Column("profile_box_id");
    let turn = ["profile_box_id", "context_box_id", "output_box_id"];
    let kept = ["last_output_box_id", "memory_context_box_id"];
    let profiles = FollowTarget::list(&PROJECT_PROFILES, "by_box", &[profile], 1);
    let mut roster: Vec<FollowTarget> = profiles.into_iter().collect();
    roster.push(FollowTarget::Box(profile));
    roster.extend(turn.map(|name| FollowTarget::Box(Inside("state", name))));
    roster.extend(kept.map(|name| FollowTarget::Box(Inside("pointers", name))));
    let head = turn.map(|name| FollowTarget::Box(Column(name))).into();
    let pointers = kept.map(|name| FollowTarget::Box(Column(name))).into();
    for (table, to) in [(&PROJECT_AGENTS, roster), (&HEADS, head), (&POINTERS, pointers)] {
        let of = RowKey::new(table, [agent]);
        reads.add_row(of.clone());
        reads.add_follow(FollowUp { from: FollowSource::Row(of), to });
    }
}

/// Adds the profile of an agent whose row was read. For the sender also adds the cards that can hold its
/// policy, if the registry has none.
pub(super) fn add_profile(reads: &mut Reads, snapshot: &Snapshot, agent: &str, sends: bool) {
    let Lookup::Present(row) = snapshot.row_of(&RowKey::new(&PROJECT_AGENTS, [agent])) else {
        return;
    };
    let Some(box_id) = text_of(&row.row, "profile_box_id") else { return };
    let list = List::new(&PROJECT_PROFILES, "by_box", [box_id.as_str()], 1);
    let profile = list.and_then(|list| match snapshot.list(&list) {
        Lookup::Present(rows) => rows.first(),
        Lookup::Absent | Lookup::Failed(_) | Lookup::NotRead => None,
    });
    if let Some(name) = profile.and_then(|profile| text_of(&profile.row, "name")) {
        reads.add(Kind::Profiles, &name);
    }
    let policy = profile.and_then(|profile| profile.row.get("delegation_policy"));
    if sends
        && policy.is_none_or(Json::is_null)
        && let Lookup::Present(card_box) = snapshot.card_box(&box_id)
    {
        for card_id in card_box.card_ids.iter() {
            reads.add(Kind::Cards, card_id);
        }
    }
}
