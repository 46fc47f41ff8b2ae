//! Follow-up reads in random worlds: the memory store answers what a search through all rows finds.
//! `tests/stores/follow.json` has the worlds with the answers. The stores in JavaScript and SQL
//! must give the same answers (`tests/stores/follow.test.mjs`).

use crate::property::times;
use std::collections::{BTreeMap, BTreeSet};
use tuckbox::Json;
use tuckbox::store::table::{self, ColumnType, Index, Table, column_text};
use tuckbox::store::{
    FollowSource, FollowTarget, FollowUp, KeyPart, Kind, List, Lookup, MemoryStore, Reads, RowKey,
    Snapshot, Store,
};
use tuckbox::value::json::{Object, to_json};

const BOXES: [&str; 3] = [
    "00000000-0000-4000-8000-0000000000b1",
    "00000000-0000-4000-8000-0000000000b2",
    "00000000-0000-4000-8000-0000000000b3",
];
const TEXTS: [&str; 6] = ["a", "b", "0", "2", "é \"q\" \\", "A"];

static TABLES: [&Table; 9] = [
    &table::HEADS,
    &table::BATCH_TASKS,
    &table::BATCHES,
    &table::INBOX,
    &table::WAITING_TOOLS,
    &table::AGENT_QUEUES,
    &table::PROJECT_AGENTS,
    &table::POINTERS,
    &table::STEP_CARDS,
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// Returns a value of a column, or nothing for some optional columns.
fn value(dice: &mut Dice, table: &Table, name: &str, of: ColumnType) -> Option<Json> {
    let is_key = table.key.contains(&name);
    match of {
        _ if !is_key && dice.below(5) == 0 => None,
        ColumnType::Text if !is_key && dice.below(8) == 0 => Some("".into()),
        ColumnType::Text if name.ends_with("_box_id") => Some(dice.pick(&BOXES).into()),
        ColumnType::Text => Some(dice.pick(&TEXTS).into()),
        ColumnType::Integer => Some(dice.below(3).into()),
        ColumnType::Boolean => Some((dice.below(2) == 0).into()),
        ColumnType::Json if name == "state" || name == "pointers" => Some(inner(dice)),
        ColumnType::Time => Some(format!("2026-01-0{}T00:00:00.000Z", 1 + dice.below(3)).into()),
        // a value that is not a string or a number refers to no row
        _ => None,
    }
}

/// Returns the value of a JSON column; some are not objects.
fn inner(dice: &mut Dice) -> Json {
    let box_id = Json::from(dice.pick(&BOXES));
    match dice.below(6) {
        0 => Json::Array(vec![box_id]),
        1 => Json::from([(INSIDE, Json::Null)]),
        2 => Json::from([(INSIDE, Json::from(""))]),
        _ => Json::from([(INSIDE, box_id), ("status", "idle".into())]),
    }
}

/// The member that is followed.
const INSIDE: &str = "output_box_id";

/// The rows of a world by table and key.
type World = BTreeMap<(&'static str, Vec<String>), Object>;

fn world(dice: &mut Dice) -> World {
    let mut world = World::new();
    let mut held = BTreeSet::new();
    for table in TABLES {
        for _ in 0..dice.below(7) {
            let mut row = Object::default();
            for column in table.columns {
                if let Some(value) = value(dice, table, column.name, column.column_type) {
                    row.insert(column.name.to_owned(), value);
                }
            }
            let unique = table.indexes.iter().filter(|index| index.unique);
            let values: Vec<_> = unique.filter_map(|index| index.values_of(&row)).collect();
            let key = (table.name, table.key_of(&row).unwrap());
            if !world.contains_key(&key)
                && values.iter().all(|values| !held.contains(&(table.name, values.clone())))
            {
                held.extend(values.into_iter().map(|values| (table.name, values)));
                world.insert(key, row);
            }
        }
    }
    world
}

fn part(dice: &mut Dice, from: &'static Table) -> KeyPart {
    let plain: Vec<_> =
        from.columns.iter().filter(|column| column.column_type != ColumnType::Json).collect();
    match dice.below(6) {
        0 => KeyPart::Text(dice.pick(&TEXTS)),
        _ => KeyPart::Column(dice.pick(&plain).name),
    }
}

fn named(dice: &mut Dice, from: &'static Table) -> FollowTarget {
    let table = dice.pick(&TABLES);
    match dice.below(5) {
        0 => {
            let boxes: Vec<_> =
                from.columns.iter().filter(|column| column.name.ends_with("_box_id")).collect();
            if from == &table::PROJECT_AGENTS && dice.below(2) == 0 {
                return FollowTarget::Box(KeyPart::Inside(
                    dice.pick(&["state", "pointers"]),
                    INSIDE,
                ));
            }
            match boxes.is_empty() {
                true => FollowTarget::Box(KeyPart::Text(dice.pick(&BOXES))),
                false => FollowTarget::Box(KeyPart::Column(dice.pick(&boxes).name)),
            }
        }
        1..4 if !table.indexes.is_empty() => {
            let index: &Index = &table.indexes[dice.below(table.indexes.len())];
            let of: Vec<KeyPart> = index.of.iter().map(|name| joined(dice, from, name)).collect();
            FollowTarget::list(table, index.name, &of, 1 + dice.below(3)).unwrap()
        }
        _ => {
            let key: Vec<KeyPart> = table.key.iter().map(|name| joined(dice, from, name)).collect();
            FollowTarget::row(table, &key)
        }
    }
}

/// Returns a part that probably finds a row: the column of the same name, if it exists.
fn joined(dice: &mut Dice, from: &'static Table, name: &str) -> KeyPart {
    let same = from.columns.iter().find(|column| column.name == name);
    match same {
        Some(column) if dice.below(4) > 0 => KeyPart::Column(column.name),
        _ => part(dice, from),
    }
}

fn reads(dice: &mut Dice, world: &World) -> Reads {
    let mut reads = Reads::new("p1".into());
    for _ in 0..2 + dice.below(4) {
        let keys: Vec<_> = world.keys().collect();
        if keys.is_empty() {
            return reads;
        }
        let (name, key) = dice.pick(&keys);
        let table = table::named(name).unwrap();
        let row = &world[&(*name, key.clone())];
        let index = (!table.indexes.is_empty()).then(|| dice.below(table.indexes.len()));
        let list = index.and_then(|at| {
            let index = &table.indexes[at];
            List::new(table, index.name, index.values_of(row)?, 1 + dice.below(4))
        });
        let from = match list.filter(|_| dice.below(2) == 0) {
            Some(list) => {
                reads.add_list(list.clone());
                FollowSource::List(list)
            }
            None => {
                let of = RowKey::new(table, key.clone());
                reads.add_row(of.clone());
                FollowSource::Row(of)
            }
        };
        let to = (0..1 + dice.below(3)).map(|_| named(dice, table)).collect();
        reads.add_follow(FollowUp { from, to });
    }
    reads
}

/// Returns the rows of a list, found by a search through all rows.
fn search<'w>(world: &'w World, list: &List) -> Vec<&'w Object> {
    let of_table = world.iter().filter(|((name, _), _)| *name == list.table.name);
    let mut rows: Vec<&Object> =
        of_table.map(|(_, row)| row).filter(|row| list.index.selects(row, &list.of)).collect();
    rows.sort_by(|a, b| list.index.compare(list.table, a, b));
    rows.truncate(list.limit);
    rows
}

/// Returns everything that is read and followed. This is a naive form of the rule.
fn whole(
    reads: &Reads,
    world: &World,
) -> (BTreeMap<String, RowKey>, BTreeMap<String, List>, BTreeSet<String>) {
    let mut rows: BTreeMap<String, RowKey> =
        reads.rows().map(|of| (of.to_string(), of.clone())).collect();
    let name = |list: &List| format!("{list} {}", list.limit);
    let mut lists: BTreeMap<String, List> =
        reads.lists().map(|list| (name(list), list.clone())).collect();
    let mut boxes = BTreeSet::new();
    for follow in reads.follows() {
        let from: Vec<&Object> = match &follow.from {
            FollowSource::Row(of) => {
                world.get(&(of.table.name, of.key.clone())).into_iter().collect()
            }
            FollowSource::List(list) => search(world, list),
        };
        for (row, named) in from.iter().flat_map(|row| follow.to.iter().map(move |to| (row, to))) {
            let texts = |parts: &[KeyPart]| -> Option<Vec<String>> {
                let text = |part: &KeyPart| match part {
                    KeyPart::Text(text) => Some((*text).to_owned()),
                    KeyPart::Column(name) => column_text(row, name).filter(|text| !text.is_empty()),
                    KeyPart::Inside(column, name) => {
                        let inner = row.get(column)?.get(name)?.as_str()?;
                        Some(inner.to_owned()).filter(|text| !text.is_empty())
                    }
                };
                parts.iter().map(text).collect()
            };
            match named {
                FollowTarget::Row(table, key) => {
                    if let Some(key) = texts(key) {
                        let of = RowKey::new(table, key);
                        rows.insert(of.to_string(), of);
                    }
                }
                FollowTarget::List(table, index, of, limit) => {
                    if let Some(of) = texts(of) {
                        let list = List::new(table, index.name, of, *limit).unwrap();
                        lists.insert(name(&list), list);
                    }
                }
                FollowTarget::Box(part) => {
                    boxes.extend(texts(&[*part]).and_then(|mut texts| texts.pop()));
                }
            }
        }
    }
    (rows, lists, boxes)
}

fn keys(list: impl IntoIterator<Item = Vec<String>>) -> Json {
    list.into_iter().map(Json::from).collect()
}

/// Runs one world. Returns its rows, the reads and the answers.
fn played(seed: u64) -> Json {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    dice.below(2);
    let world = world(&mut dice);
    let mut store = MemoryStore::new();
    let there = [BOXES[0], BOXES[1]];
    for box_id in there {
        store.project("p1").add_box(box_id, []);
    }
    for ((name, _), row) in &world {
        store.project("p1").add_row(table::named(name).unwrap(), row.clone());
    }
    let reads = reads(&mut dice, &world);
    let mut snapshot = Snapshot::new("p1".into());
    snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap();
    let (rows, lists, boxes) = whole(&reads, &world);

    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for of in rows.values() {
        let named =
            Json::from([("table", Json::from(of.table.name)), ("key", of.key.clone().into())]);
        let expected = world.get(&(of.table.name, of.key.clone()));
        match snapshot.row_of(of) {
            Lookup::Present(row) => {
                assert_eq!(Some(&*row.row), expected, "seed {seed}: {of}");
                found.push(named);
            }
            other => {
                assert!(
                    other == Lookup::Absent && expected.is_none(),
                    "seed {seed}: {of}: {other:?}"
                );
                missing.push(named);
            }
        }
    }
    let mut listed = Vec::new();
    for list in lists.values() {
        let Lookup::Present(rows) = snapshot.list(list) else { panic!("seed {seed}: {list}") };
        let expected: Vec<_> =
            search(&world, list).iter().map(|row| list.table.key_of(row).unwrap()).collect();
        let answered: Vec<_> = rows.iter().map(|row| row.key.clone()).collect();
        assert_eq!(answered, expected, "seed {seed}: {list}");
        let mut listed_as = to_json(list).unwrap().as_object().unwrap().clone();
        listed_as.insert("keys".into(), keys(answered));
        listed.push(Json::Object(listed_as));
    }
    // the snapshot has no other rows; a row of a list is also found by its key
    for (name, key) in world.keys() {
        let of = RowKey::new(table::named(name).unwrap(), key.clone());
        let listed = |list: &List| {
            list.table.name == *name
                && search(&world, list)
                    .iter()
                    .any(|row| list.table.key_of(row).as_ref() == Some(key))
        };
        let is_named = rows.contains_key(&of.to_string()) || lists.values().any(listed);
        assert_eq!(snapshot.row_of(&of) != Lookup::NotRead, is_named, "seed {seed}: {of}");
    }
    for box_id in BOXES {
        assert_eq!(snapshot.has_read(Kind::Boxes, box_id), boxes.contains(box_id), "seed {seed}");
    }
    let (here, gone): (Vec<_>, Vec<_>) =
        boxes.iter().map(String::as_str).partition(|box_id| there.contains(box_id));
    let rows: Vec<Json> = world
        .iter()
        .map(|((name, key), row)| {
            Json::from([
                ("table", Json::from(*name)),
                ("key", key.clone().into()),
                ("row", Json::Object(row.clone())),
            ])
        })
        .collect();
    let answers = Json::from([
        ("rows", Json::Array(found)),
        ("missing_rows", Json::Array(missing)),
        ("lists", Json::Array(listed)),
        ("boxes", here.into()),
        ("missing_boxes", gone.into()),
    ]);
    let boxes = Json::from(there.to_vec());
    Json::from([
        ("rows", rows.into()),
        ("boxes", boxes),
        ("reads", to_json(&reads).unwrap()),
        ("answers", answers),
    ])
}

#[test]
fn the_memory_store_answers_what_a_search_through_all_rows_finds() {
    for seed in 0..times(200, 2_000) {
        played(seed);
    }
}

#[test]
fn the_recorded_worlds_of_other_stores_are_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stores/follow.json");
    let worlds: Vec<String> = (0..24).map(|seed| played(seed).to_string()).collect();
    let expected = format!("[\n{}\n]\n", worlds.join(",\n"));
    if std::env::var_os("TUCKBOX_BLESS").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    let how = "run `TUCKBOX_BLESS=1 cargo test --test native store::follow` and commit the file";
    assert!(found == expected, "tests/stores/follow.json differs from the rule; {how}");
}
