//! Random worlds and calls, and a naive packer that computes the expected result.

use crate::property::Dice;
use tuckbox::store::{Kind, MemoryStore, Profile, Reads};
use tuckbox::value::json::Object;
use tuckbox::{Dialect, Json, PackContext};

/// A project: profiles by name, boxes by id.
#[derive(Clone, Debug)]
pub struct World {
    profiles: Vec<(String, Option<String>)>,
    boxes: Vec<(String, Vec<String>)>,
}

/// A call in the form of the oracle.
#[derive(Clone, Debug)]
pub struct Call {
    pub dialect: Dialect,
    profile: Option<String>,
    /// The instruction, a note and the result fields. Each can be absent.
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
        // rows of other projects have no effect
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

    pub fn inherits(&self, box_id: &str) -> bool {
        self.inherit.iter().any(|inherited| inherited == box_id)
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
        call.dialect = Some(self.dialect);
        call
    }
}

const BOX_IDS: [&str; 6] = ["b1", "b2", "b3", "B1", "b_foreign", "b_gone"];
const NAMES: [&str; 6] = ["Writer", "wRITER", " Writer ", "作家", "Ghost", "Broken"];

pub fn world(dice: &mut Dice) -> World {
    let mut ids = || dice.fewer(5, |dice| dice.pick(&["a", "b", "c", "d", "e"]).to_owned());
    let mut boxes = vec![("b1".to_owned(), ids()), ("b2".to_owned(), ids())];
    let third = ids();
    if dice.percent(50) {
        boxes.push(("b3".to_owned(), third));
    }
    let profiles = vec![
        ("Writer".to_owned(), Some("pb_writer".to_owned())),
        ("作家".to_owned(), Some("pb_zh".to_owned())),
        ("Broken".to_owned(), None),
    ];
    World { profiles, boxes }
}

pub fn call(dice: &mut Dice) -> Call {
    let profile = match dice.below(17) {
        0 => None,
        1 => Some("  "),
        2..=4 => Some(dice.pick(&NAMES)),
        _ => Some("Writer"),
    };
    let mut arguments = Vec::new();
    for (key, make) in
        [("instruction", value as fn(&mut Dice) -> Json), ("note", value), ("fields", fields)]
    {
        if dice.percent(50) {
            arguments.push((key.to_owned(), make(dice)));
        }
    }
    let rule = |dice: &mut Dice| dice.pick(&["instruction", "note", "fields", "absent"]).to_owned();
    let authorized = match dice.below(4) {
        0 => dice.fewer(3, some_box),
        _ => BOX_IDS.map(str::to_owned).to_vec(),
    };
    Call {
        dialect: Dialect::ALL[dice.below(Dialect::ALL.len())],
        profile: profile.map(str::to_owned),
        arguments,
        rules: dice.fewer(4, rule),
        inherit: dice.fewer(4, some_box),
        authorized,
        parent: dice.percent(50),
    }
}

fn value(dice: &mut Dice) -> Json {
    match dice.below(4) {
        0 => Json::from("do it"),
        1 => Json::Null,
        2 => Json::from(5_i64),
        _ => Json::from(vec!["x"]),
    }
}

fn fields(dice: &mut Dice) -> Json {
    match dice.below(5) {
        0 => Json::from("not a list"),
        1 => Json::from(vec![Json::from([("name", Json::from(" "))])]),
        _ => Json::from(vec![Json::from([("name", Json::from("a"))])]),
    }
}

fn some_box(dice: &mut Dice) -> String {
    let odd = dice.percent(18);
    dice.pick(if odd { &BOX_IDS } else { &BOX_IDS[..2] }).to_owned()
}

/// Returns the expected list. `None` is the next new card, `Some` is an inherited card.
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
    let guarded = ![Dialect::V1R3, Dialect::CURRENT].contains(&call.dialect);
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

/// Returns the expected list with the ids of the new cards, in the order of their creation.
pub fn with_new_ids<'a>(expected: &'a [Option<String>], new: &[&'a str]) -> Vec<&'a str> {
    let mut new = new.iter();
    let mut next = || new.next().copied().expect("there are fewer new cards than new places");
    expected.iter().map(|slot| slot.as_deref().unwrap_or_else(&mut next)).collect()
}
