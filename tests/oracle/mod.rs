//! Random worlds and calls, and a naive packer that says what must come out.

use proptest::prelude::*;
use tuckbox::store::{Kind, MemoryStore, Profile, Reads};
use tuckbox::value::json::Object;
use tuckbox::{Dialect, Json, PackContext};

/// A project: profiles by name, boxes by id.
#[derive(Clone, Debug)]
pub struct World {
    profiles: Vec<(String, Option<String>)>,
    boxes: Vec<(String, Vec<String>)>,
}

/// A call, in the oracle's own words.
#[derive(Clone, Debug)]
pub struct Call {
    dialect: Dialect,
    profile: Option<String>,
    /// Instruction, then a note, then result fields; each may be absent.
    arguments: Vec<(String, Json)>,
    rules: Vec<String>,
    inherit: Vec<String>,
    authorized: Vec<String>,
    parent: bool,
}

impl World {
    pub fn store(&self) -> MemoryStore {
        let mut store = MemoryStore::new();
        let tables = store.project("p1");
        for (name, box_id) in &self.profiles {
            let mut profile = Profile::new(name, box_id.as_deref().unwrap_or_default());
            profile.profile_box_id = box_id.as_deref().map(Into::into);
            tables.add_profile(profile);
        }
        for (box_id, ids) in &self.boxes {
            tables.add_box(box_id.as_str(), ids.iter().map(String::as_str));
        }
        // what other projects hold must not matter
        let foreign = store.project("p2");
        foreign.add_profile(Profile::new("Ghost", "pb_ghost")).add_box("b_foreign", ["x"]);
        store
    }

    pub fn everything(&self) -> Reads {
        let mut reads = Reads::new("p1".into());
        for box_id in BOX_IDS {
            reads.add(Kind::Boxes, box_id);
        }
        for name in NAMES {
            reads.add(Kind::Profiles, name.trim());
        }
        reads.add(Kind::Cards, "a").add(Kind::Agents, "agent_x");
        reads
    }
}

impl Call {
    pub fn inheriting(inherit: Vec<String>) -> Self {
        Self {
            dialect: Dialect::V1R3,
            profile: Some("Writer".into()),
            arguments: Vec::new(),
            rules: Vec::new(),
            authorized: Vec::new(),
            inherit,
            parent: false,
        }
    }

    pub fn pack(&self) -> PackContext {
        let mut arguments: Object = self.arguments.iter().cloned().collect();
        if let Some(profile) = &self.profile {
            arguments.insert("profile_name".into(), profile.as_str().into());
        }
        arguments.insert("boxes".into(), self.inherit.clone().into());
        let rules: Vec<Json> = self
            .rules
            .iter()
            .map(|key| {
                let card_type = if key == "fields" { "task.result_fields" } else { "task.note" };
                Json::from([
                    ("arg_key", Json::from(key.as_str())),
                    ("as_card_type", card_type.into()),
                ])
            })
            .collect();
        let inherit = Json::from([
            ("include_boxes_from_args", Json::from(vec!["boxes"])),
            ("include_parent", self.parent.into()),
        ]);
        let packing =
            Json::from([("pack_arguments", Json::Array(rules)), ("inherit_context", inherit)]);
        let handover = Json::from([
            ("context_packing_config", packing),
            ("authorized_inherit_box_ids", self.authorized.clone().into()),
        ]);
        let mut call = PackContext::new("tool", "agent_a", Json::Object(arguments), handover);
        call.dialect = self.dialect;
        call
    }
}

const BOX_IDS: [&str; 6] = ["b1", "b2", "b3", "B1", "b_foreign", "b_gone"];
const NAMES: [&str; 6] = ["Writer", "wRITER", " Writer ", "作家", "Ghost", "Broken"];

pub fn world() -> impl Strategy<Value = World> {
    let ids = || prop::collection::vec("[a-e]", 0..5);
    (ids(), ids(), ids(), any::<bool>()).prop_map(|(one, two, three, has_third)| {
        let mut boxes = vec![("b1".to_owned(), one), ("b2".to_owned(), two)];
        if has_third {
            boxes.push(("b3".to_owned(), three));
        }
        let profiles = vec![
            ("Writer".to_owned(), Some("pb_writer".to_owned())),
            ("作家".to_owned(), Some("pb_zh".to_owned())),
            ("Broken".to_owned(), None),
        ];
        World { profiles, boxes }
    })
}

pub fn call() -> impl Strategy<Value = Call> {
    let dialect = prop::sample::select(Dialect::ALL.to_vec());
    let profile = prop_oneof![
        12 => Just(Some("Writer".to_owned())),
        3 => prop::sample::select(NAMES.to_vec()).prop_map(|name| Some(name.to_owned())),
        1 => Just(None),
        1 => Just(Some("  ".to_owned())),
    ];
    let value = prop_oneof![
        Just(Json::from("do it")),
        Just(Json::Null),
        Just(Json::from(5_i64)),
        Just(Json::from(vec!["x"])),
    ];
    let fields = prop_oneof![
        3 => Just(Json::parse(r#"[{"name": "a"}]"#).unwrap()),
        1 => Just(Json::from("not a list")),
        1 => Just(Json::parse(r#"[{"name": " "}]"#).unwrap()),
    ];
    let arguments =
        (prop::option::of(value.clone()), prop::option::of(value), prop::option::of(fields))
            .prop_map(|(instruction, note, fields)| {
                [("instruction", instruction), ("note", note), ("fields", fields)]
                    .into_iter()
                    .filter_map(|(key, value)| value.map(|value| (key.to_owned(), value)))
                    .collect()
            });
    let rules = prop::collection::vec(
        prop::sample::select(vec!["instruction", "note", "fields", "absent"]),
        0..4,
    )
    .prop_map(|rules| rules.into_iter().map(str::to_owned).collect());
    let some_box = || {
        prop_oneof![
            9 => prop::sample::select(vec!["b1", "b2"]),
            2 => prop::sample::select(BOX_IDS.to_vec()),
        ]
        .prop_map(str::to_owned)
    };
    let authorized = prop_oneof![
        3 => Just(BOX_IDS.map(str::to_owned).to_vec()),
        1 => prop::collection::vec(some_box(), 0..3),
    ];
    (
        dialect,
        profile,
        arguments,
        rules,
        prop::collection::vec(some_box(), 0..4),
        authorized,
        any::<bool>(),
    )
        .prop_map(|(dialect, profile, arguments, rules, inherit, authorized, parent)| Call {
            dialect,
            profile,
            arguments,
            rules,
            inherit,
            authorized,
            parent,
        })
}

/// What must come out: `None` is the next new card, `Some` an inherited one.
pub fn pack(world: &World, call: &Call) -> Result<Vec<Option<String>>, &'static str> {
    let name = call.profile.as_deref().map(str::trim).unwrap_or_default();
    if name.is_empty() {
        return Err("bad_request");
    }
    let found =
        world.profiles.iter().find(|(known, _)| known.to_lowercase() == name.to_lowercase());
    let (_, profile_box) = found.ok_or("not_found")?;

    let (made, inherited) = if call.dialect == Dialect::V1R4_HOTFIX {
        let inherited = inherit(world, call)?;
        (make(call)?, inherited)
    } else {
        let made = make(call)?;
        (made, inherit(world, call)?)
    };
    if profile_box.is_none() {
        return Err("bad_request");
    }
    let mut out = Vec::new();
    let new = std::iter::repeat_n(None, made);
    let old = inherited.into_iter().map(Some);
    if call.dialect == Dialect::V1R4_HOTFIX {
        out.extend(old.chain(new));
    } else {
        out.extend(new.chain(old));
    }
    if call.parent {
        out.push(None);
    }
    Ok(out)
}

fn make(call: &Call) -> Result<usize, &'static str> {
    let mut made = 0;
    for rule in &call.rules {
        let Some((_, value)) = call.arguments.iter().find(|(key, _)| key == rule) else { continue };
        if rule == "fields" {
            let Json::Array(fields) = value else { return Err("bad_request") };
            let names = fields.iter().map(|field| field.get("name").and_then(Json::as_str));
            if names.into_iter().any(|name| name.is_none_or(|name| name.trim().is_empty())) {
                return Err("invalid_content");
            }
        }
        made += 1;
    }
    Ok(made)
}

fn inherit(world: &World, call: &Call) -> Result<Vec<String>, &'static str> {
    let guarded = call.dialect != Dialect::V1R3;
    if guarded && call.authorized.is_empty() {
        return Err("bad_request");
    }
    let mut out: Vec<String> = Vec::new();
    for wanted in &call.inherit {
        if guarded && !call.authorized.contains(wanted) {
            return Err("bad_request");
        }
        let (_, ids) = world.boxes.iter().find(|(id, _)| id == wanted).ok_or("not_found")?;
        for id in ids {
            if !out.contains(id) {
                out.push(id.clone());
            }
        }
    }
    Ok(out)
}

/// The expected list with the new ids filled in, in the order they were made.
pub fn with_new_ids(expected: &[Option<String>], new: &[String]) -> Vec<String> {
    let mut new = new.iter();
    expected
        .iter()
        .map(|slot| match slot {
            Some(id) => id.clone(),
            None => new.next().expect("a new card for every new place").clone(),
        })
        .collect()
}
