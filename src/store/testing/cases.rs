//! The test of each case.

use super::super::table;
use super::super::{
    Before, BoxChange, BoxVersion, Expectation, Kind, List, Lookup, Profile, RowChange, RowKey,
    StoredFile, Version, Writes,
};
use super::Outcome;
use super::trial::{AT, Trial, append, create, ids_of, object, present, put, same};
use crate::value::id::{BoxId, CardId};
use crate::value::json::{Json, to_json};

pub(super) fn refused(trial: &mut Trial<'_>) -> Outcome {
    let there = trial.card("there", "one")?;
    let other = trial.card("there", "two")?;
    trial.commit(|writes| {
        writes.cards = vec![there];
        writes.boxes = vec![create("b", &["x"])];
        writes.files = vec![StoredFile::new("kept", "one")];
    })?;
    type Mistake = Box<dyn Fn(&mut Writes)>;
    let mistakes: Vec<(&str, Mistake)> = vec![
        ("a stale expectation", Box::new(|w| w.expects.push(Expectation::of_box("b", 9)))),
        ("a stale append", Box::new(|w| w.boxes.push(append("b", &["y"], Some(9))))),
        ("an append to a missing box", Box::new(|w| w.boxes.push(append("none", &["y"], None)))),
        ("a box that exists", Box::new(|w| w.boxes.push(create("b", &[])))),
        ("a card with other content", Box::new(move |w| w.cards.push(other.clone()))),
        ("a file with other text", Box::new(|w| w.files.push(StoredFile::new("kept", "two")))),
        (
            "a row that does not exist",
            Box::new(|w| {
                let of = RowKey::new(&table::HEADS, ["none"]);
                w.rows.push(RowChange::delete(of, Before::At("op".into())));
            }),
        ),
    ];
    for (what, mistake) in mistakes {
        let new = trial.card("new", "new")?;
        let head = put(&table::HEADS, object(&[("agent_id", "a".into())]), Before::Any)?;
        trial.refuses(what, |writes| {
            writes.cards = vec![new];
            writes.delete_cards = vec![CardId::from("there")];
            writes.boxes = vec![create("new", &["new"]), append("b", &["z"], None)];
            writes.files = vec![StoredFile::new("dir/new", "")];
            writes.rows = vec![head];
            mistake(writes);
        })?;
        let head = RowKey::new(&table::HEADS, ["a"]);
        let snapshot = trial.read(|reads| {
            reads.add(Kind::Cards, "new").add(Kind::Cards, "there").add(Kind::Boxes, "new");
            reads.add(Kind::Files, "dir/new").add(Kind::Directories, "dir").add_row(head.clone());
        })?;
        same(snapshot.card("new"), Lookup::Absent, what)?;
        same(snapshot.card_box("new"), Lookup::Absent, what)?;
        same(snapshot.file("dir/new"), Lookup::Absent, what)?;
        same(snapshot.directory("dir"), Lookup::Absent, what)?;
        same(snapshot.row_of(&head), Lookup::Absent, what)?;
        same(present(snapshot.card("there"), "there")?.deleted_at, None, what)?;
        let card_box = trial.read_box("b")?;
        same((ids_of(&card_box), card_box.version), (vec!["x".to_owned()], 1), what)?;
    }
    Ok(())
}

pub(super) fn tried_again(trial: &mut Trial<'_>) -> Outcome {
    let mut writes = trial.batch();
    writes.boxes = vec![append("b", &["x"], None)];
    trial.refuses_batch("an append to a missing box", &writes)?;
    trial.commit(|writes| writes.boxes = vec![create("b", &[])])?;
    let receipt = trial.send(&writes)?;
    let boxes = vec![BoxVersion { box_id: "b".into(), version: 2 }];
    same((receipt.repeated, receipt.boxes), (false, boxes), "the receipt")
}

pub(super) fn versions(trial: &mut Trial<'_>) -> Outcome {
    let replace = BoxChange::Replace {
        box_id: "b".into(),
        card_ids: ["d"].into_iter().collect(),
        version: 3,
    };
    let steps = [
        (create("b", &["a"]), vec!["a"]),
        (append("b", &["b", "a"], Some(1)), vec!["a", "b", "a"]),
        (append("b", &["c"], None), vec!["a", "b", "a", "c"]),
        (replace, vec!["d"]),
        (append("b", &[], Some(4)), vec!["d"]),
    ];
    for (index, (change, card_ids)) in steps.into_iter().enumerate() {
        let version = index as u64 + 1;
        let receipt = trial.commit(|writes| writes.boxes = vec![change])?;
        same(receipt.boxes, vec![BoxVersion { box_id: "b".into(), version }], "the receipt")?;
        let card_box = trial.read_box("b")?;
        let expected = card_ids.iter().map(|id| (*id).to_owned()).collect();
        same((card_box.version, ids_of(&card_box)), (version, expected), "the box")?;
    }
    let error = trial.refuses("an old version", |writes| {
        writes.boxes = vec![append("b", &["x"], Some(4))];
    })?;
    same(error.details().get("found"), Some(&Json::from(5_u64)), "the `found` of the conflict")
}

pub(super) fn in_order(trial: &mut Trial<'_>) -> Outcome {
    let receipt = trial.commit(|writes| {
        writes.boxes = vec![create("a", &["1"]), append("a", &["2"], Some(1)), create("b", &["x"])];
        writes.boxes.push(append("a", &["3"], None));
    })?;
    let version = |box_id: &str, version| BoxVersion { box_id: box_id.into(), version };
    same(receipt.boxes, vec![version("a", 3), version("b", 1)], "the receipt")?;
    same(ids_of(&trial.read_box("a")?).join(" "), "1 2 3".to_owned(), "the box")?;
    trial.refuses("a version before another change of the batch", |writes| {
        writes.boxes = vec![append("b", &["y"], Some(1)), append("b", &["z"], Some(1))];
    })?;
    same(trial.read_box("b")?.version, 1, "the other box")
}

pub(super) fn second(trial: &mut Trial<'_>) -> Outcome {
    trial.commit(|writes| writes.boxes = vec![create("a", &[]), create("b", &[])])?;
    trial.commit(|writes| writes.boxes = vec![append("b", &["x"], None)])?;
    let note = trial.card("note", "n")?;
    for expects in [[("a", 1), ("b", 1)], [("b", 2), ("a", 2)]] {
        let note = note.clone();
        trial.refuses("a stale second expectation", |writes| {
            writes.expects = expects.map(|(id, version)| Expectation::of_box(id, version)).into();
            writes.cards = vec![note];
        })?;
    }
    trial.commit(|writes| {
        writes.expects = vec![Expectation::of_box("a", 1), Expectation::of_box("b", 2)];
        writes.cards = vec![note];
    })?;
    Ok(())
}

pub(super) fn once(trial: &mut Trial<'_>) -> Outcome {
    trial.commit(|writes| writes.boxes = vec![create("b", &["a"])])?;
    trial.refuses("the same box again", |w| w.boxes = vec![create("b", &["a"])])?;
    trial.refuses("one box twice", |w| w.boxes = vec![create("t", &[]), create("t", &[])])?;
    let delete = BoxChange::Delete { box_id: "b".into(), version: 1 };
    trial.commit(|writes| writes.boxes = vec![delete])?;
    trial.refuses("the id of a deleted box", |w| w.boxes = vec![create("b", &["a"])])?;
    Ok(())
}

pub(super) fn absent(trial: &mut Trial<'_>) -> Outcome {
    let nothing = |kind| Expectation::of_kind(kind, "k", None);
    let expects = || Kind::ALL.map(nothing).to_vec();
    trial.commit(|writes| {
        writes.expects = expects();
        writes.boxes = vec![create("first", &[])];
    })?;
    let card = trial.card("k", "x")?;
    trial.commit(|writes| {
        writes.cards = vec![card];
        writes.boxes = vec![create("k", &[])];
        writes.files = vec![StoredFile::new("k", ""), StoredFile::new("k/in", "")];
    })?;
    for kind in [Kind::Boxes, Kind::Cards, Kind::Files, Kind::Directories] {
        trial.refuses(kind.as_str(), |writes| {
            writes.expects = vec![nothing(kind)];
            writes.boxes = vec![create("second", &[])];
        })?;
    }
    Ok(())
}

pub(super) fn profile_row(trial: &mut Trial<'_>, profile: &Profile) -> Outcome {
    let row = match to_json(profile) {
        Ok(Json::Object(row)) => row,
        Ok(_) | Err(_) => return Err("a profile must be an object".to_owned()),
    };
    let change = put(&table::PROJECT_PROFILES, row, Before::Any)?;
    trial.commit(|writes| writes.rows = vec![change])?;
    Ok(())
}

pub(super) fn kinds(trial: &mut Trial<'_>) -> Outcome {
    let card = trial.card("c", "x")?;
    trial.commit(|writes| {
        writes.cards = vec![card];
        writes.agents = vec![crate::store::Agent::new("a", "pb")];
        writes.files = vec![StoredFile::new("d/1", "")];
    })?;
    profile_row(trial, &Profile::new("Writer", "pb"))?;
    let keys = [
        (Kind::Profiles, "wRITER"),
        (Kind::ProfilesByBox, "pb"),
        (Kind::Agents, "a"),
        (Kind::Cards, "c"),
        (Kind::Directories, "d"),
    ];
    let mut expects = Vec::new();
    for (kind, key) in keys {
        let version = trial.version(kind, key)?;
        if version.is_none() {
            return Err(format!("{} `{key}` has no version", kind.singular()));
        }
        expects.push(Expectation::of_kind(kind, key, version));
    }
    let all = expects.clone();
    trial.commit(|writes| {
        writes.expects = all;
        writes.boxes = vec![create("b1", &[])];
    })?;
    trial.commit(|writes| {
        writes.delete_cards = vec![CardId::from("c")];
        writes.agents = vec![crate::store::Agent::new("a", "pb2")];
        writes.files = vec![StoredFile::new("d/2", "")];
    })?;
    profile_row(trial, &Profile { tags: vec!["t".into()], ..Profile::new("writer", "pb") })?;
    for expected in expects {
        let what = format!("{} that changed", expected.table);
        trial.refuses(&what, |writes| {
            writes.expects = vec![expected];
            writes.boxes = vec![create("b2", &[])];
        })?;
    }
    Ok(())
}

pub(super) fn deleted_card(trial: &mut Trial<'_>) -> Outcome {
    let card = trial.card("c", "a text")?;
    let again = card.clone();
    trial.commit(|writes| writes.cards = vec![card])?;
    let first = AT.plus_seconds(60);
    for at in [first, AT.plus_seconds(120)] {
        trial.commit(|writes| {
            writes.delete_cards = vec![CardId::from("c"), CardId::from("unknown")];
            writes.at = at;
        })?;
    }
    trial.commit(|writes| writes.cards = vec![again])?;
    let snapshot = trial.read(|reads| {
        reads.add(Kind::Cards, "c");
    })?;
    same(present(snapshot.card("c"), "c")?.deleted_at, Some(first), "the time of the delete")
}

pub(super) fn erased_card(trial: &mut Trial<'_>) -> Outcome {
    let card = trial.card("c", "a text")?;
    let again = card.clone();
    trial.commit(|writes| writes.cards = vec![card])?;
    for at in [AT, AT.plus_seconds(60)] {
        trial.commit(|writes| {
            writes.erase_cards = vec![CardId::from("c"), CardId::from("unknown")];
            writes.at = at;
        })?;
    }
    let snapshot = trial.read(|reads| {
        reads.add(Kind::Cards, "c");
        reads.add(Kind::Cards, "unknown");
    })?;
    let found = present(snapshot.card("c"), "c")?;
    same(found.deleted_at, Some(AT), "the time of the erasure")?;
    same(found.same_content(&again.erased(AT)), true, "the erased card is without content")?;
    trial.refuses("the content of an erased card", |writes| writes.cards = vec![again])?;
    Ok(())
}

pub(super) fn deleted_box(trial: &mut Trial<'_>) -> Outcome {
    trial.commit(|writes| writes.boxes = vec![create("b", &["a"])])?;
    let delete = || BoxChange::Delete { box_id: "b".into(), version: 1 };
    trial.commit(|writes| writes.boxes = vec![delete()])?;
    let card_box = trial.read_box("b")?;
    same((card_box.version, card_box.deleted_at), (2, Some(AT)), "the box")?;
    for change in [append("b", &["x"], None), append("b", &["x"], Some(2)), delete()] {
        trial.refuses("a change to a deleted box", |writes| writes.boxes = vec![change])?;
    }
    let note = trial.card("note", "n")?;
    trial.refuses("an expectation of a deleted box", |writes| {
        writes.expects = vec![Expectation::of_box("b", 2)];
        writes.cards = vec![note];
    })?;
    Ok(())
}

pub(super) fn applies_once(trial: &mut Trial<'_>) -> Outcome {
    trial.commit(|writes| writes.boxes = vec![create("b", &[])])?;
    let card = trial.card("c", "x")?;
    let mut writes = trial.batch();
    writes.cards = vec![card];
    writes.boxes = vec![append("b", &["x"], None)];
    let first = trial.send(&writes)?;
    trial.commit(|writes| writes.boxes = vec![append("b", &["y"], None)])?;
    let second = trial.send(&writes)?;
    same((first.repeated, second.repeated), (false, true), "repeated")?;
    same(second.boxes, first.boxes, "the second receipt")?;
    same(ids_of(&trial.read_box("b")?).join(" "), "x y".to_owned(), "the box")
}

pub(super) fn other_batch(trial: &mut Trial<'_>) -> Outcome {
    let mut writes = trial.batch();
    writes.boxes = vec![create("b", &[])];
    trial.send(&writes)?;
    writes.boxes = vec![create("other", &[])];
    trial.refuses_batch("another batch", &writes)?;
    let snapshot = trial.read(|reads| {
        reads.add(Kind::Boxes, "other");
    })?;
    same(snapshot.card_box("other"), Lookup::Absent, "the box of the other batch")
}

pub(super) fn twice_in_a_batch(trial: &mut Trial<'_>) -> Outcome {
    let (card, other) = (trial.card("c", "x")?, trial.card("c", "y")?);
    let both = vec![card.clone(), card.clone()];
    trial.refuses("two contents", |w| w.cards = vec![card, other])?;
    trial.commit(|writes| writes.cards = both)?;
    Ok(())
}

pub(super) fn rows(trial: &mut Trial<'_>) -> Outcome {
    let of = RowKey::new(&table::HEADS, ["a1"]);
    let head = |status: &str| object(&[("agent_id", "a1".into()), ("status", status.into())]);
    let (idle, running) = (head("idle"), head("running"));
    let change = put(&table::HEADS, idle.clone(), Before::Absent)?;
    let first = trial.commit(|writes| writes.rows = vec![change.clone()])?.operation_id;
    same(trial.row_version(&of)?, Some(first.clone()), "the version of a new row")?;
    trial.refuses("a row that must be absent", |writes| writes.rows = vec![change])?;
    let change = put(&table::HEADS, running.clone(), Before::At(first.clone()))?;
    let second = trial.commit(|writes| writes.rows = vec![change.clone()])?.operation_id;
    trial.refuses("an old version", |writes| writes.rows = vec![change])?;
    let snapshot = trial.read(|reads| {
        reads.add_row(of.clone());
    })?;
    let row = present(snapshot.row_of(&of), "the row")?;
    // a store with columns answers those without a value as `null`
    let mut found = (*row.row).clone();
    found.retain(|_, value| !value.is_null());
    same((&row.version, &found), (&second, &running), "the row")?;
    let (one, two) =
        (put(&table::HEADS, idle, Before::Any)?, put(&table::HEADS, running, Before::Any)?);
    trial.refuses("two changes to one row", |writes| writes.rows = vec![one, two])?;
    let expected = |version| Expectation {
        table: table::HEADS.name,
        key: of.key.clone(),
        version: Some(Version::Text(version)),
    };
    let note = trial.card("note", "n")?;
    let (stale, holds, again) = (expected(first), expected(second.clone()), note.clone());
    trial.refuses("an expectation of a row that changed", |writes| {
        (writes.expects, writes.cards) = (vec![stale], vec![note]);
    })?;
    trial.commit(|writes| (writes.expects, writes.cards) = (vec![holds], vec![again]))?;
    let gone = RowChange::delete(of.clone(), Before::At(second));
    trial.commit(|writes| writes.rows = vec![gone])?;
    same(trial.row_version(&of)?, None, "the deleted row")
}

pub(super) fn lists(trial: &mut Trial<'_>) -> Outcome {
    let mut changes = Vec::new();
    for (id, agent, status, at, seq) in [
        ("i1", "a1", "queued", "2026-01-01T00:00:02.000Z", 1_u64),
        ("i2", "a1", "queued", "2026-01-01T00:00:01.000Z", 10),
        ("i3", "a1", "queued", "2026-01-01T00:00:01.000Z", 9),
        ("i4", "a1", "pending", "2026-01-01T00:00:00.000Z", 3),
        ("i5", "a2", "queued", "2026-01-01T00:00:00.000Z", 4),
    ] {
        let row = object(&[
            ("inbox_id", id.into()),
            ("agent_id", agent.into()),
            ("status", status.into()),
            ("created_at", at.into()),
            ("seq", seq.into()),
        ]);
        changes.push(put(&table::INBOX, row, Before::Absent)?);
    }
    trial.commit(|writes| writes.rows = changes)?;
    let list = |of: [&str; 2], limit| {
        List::new(&table::INBOX, "by_agent", of, limit).ok_or("the inbox has no such index")
    };
    same(trial.keys(&list(["a1", "queued"], 9)?)?.join(" "), "i3 i2 i1".to_owned(), "the list")?;
    same(
        trial.keys(&list(["a1", "queued"], 2)?)?.join(" "),
        "i3 i2".to_owned(),
        "the first two rows",
    )?;
    same(trial.keys(&list(["a3", "queued"], 9)?)?.len(), 0, "an empty list")
}

pub(super) fn unique(trial: &mut Trial<'_>) -> Outcome {
    let row = |id: &str, correlation: Json| {
        object(&[
            ("inbox_id", id.into()),
            ("message_type", "turn".into()),
            ("correlation_id", correlation),
        ])
    };
    let change =
        |id: &str, correlation: Json| put(&table::INBOX, row(id, correlation), Before::Any);
    let (one, two) = (change("i1", "c".into())?, change("i2", "c".into())?);
    let both = vec![one.clone(), two.clone()];
    trial.refuses("two rows of one batch", |writes| writes.rows = both)?;
    trial.commit(|writes| writes.rows = vec![one.clone()])?;
    trial.refuses("a second row", |writes| writes.rows = vec![two.clone()])?;
    trial.commit(|writes| writes.rows = vec![one])?;
    let nulls = vec![change("i3", Json::Null)?, change("i4", Json::Null)?];
    trial.commit(|writes| writes.rows = nulls)?;
    let moved = vec![change("i1", "d".into())?, two];
    trial.commit(|writes| writes.rows = moved)?;
    Ok(())
}

pub(super) fn joined(trial: &mut Trial<'_>) -> Outcome {
    trial.commit(|writes| writes.agents = vec![crate::store::Agent::new("a1", "pb")])?;
    let before = trial.version(Kind::Agents, "a1")?;
    let head = object(&[
        ("agent_id", "a1".into()),
        ("status", "running".into()),
        ("output_box_id", "out".into()),
    ]);
    let change = put(&table::HEADS, head, Before::Absent)?;
    trial.commit(|writes| writes.rows = vec![change])?;
    let snapshot = trial.read(|reads| {
        reads.add(Kind::Agents, "a1");
    })?;
    let agent = present(snapshot.agent("a1"), "a1")?;
    let output = agent.state.as_ref().and_then(|state| state.output_box_id.clone());
    same(output, Some(BoxId::from("out")), "the output box of the turn")?;
    trial.refuses("an agent whose turn changed", |writes| {
        writes.expects = vec![Expectation::of_kind(Kind::Agents, "a1", before)];
        writes.boxes = vec![create("b", &[])];
    })?;
    Ok(())
}

pub(super) fn answered(trial: &mut Trial<'_>) -> Outcome {
    trial.commit(|writes| writes.boxes = vec![create("b2", &["x"]), create("b1", &[])])?;
    let snapshot = trial.read(|reads| {
        reads.add(Kind::Boxes, "b1").add(Kind::Boxes, "none").add(Kind::Boxes, "b2");
        reads.add(Kind::Agents, "none").add(Kind::Profiles, "none").add(Kind::Cards, "none");
        reads.add_row(RowKey::new(&table::BATCHES, ["none"]));
    })?;
    same(present(snapshot.card_box("b2"), "b2")?.card_ids.len(), 1, "the cards of `b2`")?;
    same(snapshot.card_box("none"), Lookup::Absent, "a missing box")?;
    same(snapshot.row(&table::BATCHES, &["none"]), Lookup::Absent, "a missing row")
}

pub(super) fn apart(trial: &mut Trial<'_>) -> Outcome {
    let card = trial.card("c", "x")?;
    let head = put(&table::HEADS, object(&[("agent_id", "a".into())]), Before::Any)?;
    trial.commit(|writes| {
        writes.cards = vec![card];
        writes.boxes = vec![create("b", &["c"])];
        writes.files = vec![StoredFile::new("f/1", "x")];
        writes.agents = vec![crate::store::Agent::new("a", "pb")];
        writes.rows = vec![head];
    })?;
    let own = trial.project_id.clone();
    trial.project_id = format!("{own} other").into();
    let head = RowKey::new(&table::HEADS, ["a"]);
    let snapshot = trial.read(|reads| {
        reads.add(Kind::Cards, "c").add(Kind::Boxes, "b").add(Kind::Agents, "a");
        reads.add(Kind::Files, "f/1").add(Kind::Directories, "f").add_row(head.clone());
    })?;
    same(snapshot.card("c"), Lookup::Absent, "a card of another project")?;
    same(snapshot.card_box("b"), Lookup::Absent, "a box of another project")?;
    same(snapshot.agent("a"), Lookup::Absent, "an agent of another project")?;
    same(snapshot.file("f/1"), Lookup::Absent, "a file of another project")?;
    same(snapshot.directory("f"), Lookup::Absent, "a directory of another project")?;
    same(snapshot.row_of(&head), Lookup::Absent, "a row of another project")?;
    trial.refuses("an expectation of a box of another project", |writes| {
        writes.expects = vec![Expectation::of_box("b", 1)];
        writes.boxes = vec![create("new", &[])];
    })?;
    trial.project_id = own;
    Ok(())
}

pub(super) fn large(trial: &mut Trial<'_>) -> Outcome {
    let ids: Vec<String> = (0..500).map(|index| format!("c{index}")).collect();
    let cards = ids.iter().map(|id| trial.card(id, "x")).collect::<Result<Vec<_>, _>>()?;
    let many: Vec<&str> = ids.iter().map(String::as_str).cycle().take(5_000).collect();
    trial.commit(|writes| {
        writes.cards = cards;
        writes.boxes = vec![create("b", &many)];
    })?;
    trial.commit(|writes| writes.boxes = vec![append("b", &["last"], Some(1))])?;
    let card_box = trial.read_box("b")?;
    same((card_box.card_ids.len(), card_box.card_ids.get(5_000)), (5_001, Some("last")), "the box")
}
