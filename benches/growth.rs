//! Two gates that print their figures; `cargo xtask bench growth` runs them.
//!
//! Growth: each doubling of the input costs at most 2.5 times the CPU. Flooding: keys that collide
//! under the fixed seed are no slower than others under a seed that nobody knows.
#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::hash::BuildHasher;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tuckbox::rule::{MAX_ROUNDS, Step};
use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::Map;
use tuckbox::value::json::{Field, Hashing, Object};
use tuckbox::{Env, Error, Json, Result, Settings, Timestamp};

/// How much more work a doubled input may be.
const MOST: f64 = 2.5;

/// How much more work colliding keys may be.
const FLOODED: f64 = 3.0;

/// The keys of an object under attack.
const KEYS: usize = 16_000;

/// The operations, and the smallest size of each.
const OPERATIONS: [(&str, usize); 6] = [
    ("fork_join", 250),
    ("concat_boxes", 500),
    ("put_cards", 250),
    ("pack_context", 500),
    ("get_boxes", 500),
    ("text_form", 1_000),
];

/// How often every size is measured at least.
const ROUNDS: usize = 10;

/// The shortest time of `work`, in seconds, of as many runs as a tenth of a second holds.
fn shortest(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let (begun, mut best) = (Instant::now(), f64::MAX);
    while best == f64::MAX || begun.elapsed() < Duration::from_millis(100) {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn store(boxes: usize) -> MemoryStore {
    let mut store = MemoryStore::new();
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy = Json::Object(Object::default());
    let tables = store.project("p1");
    tables
        .add_profile(lead)
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_agent(Agent::new("lead", "pb_lead"));
    for index in 0..boxes {
        tables.add_box(format!("b{index}"), [format!("c{index}").as_str(), "shared"]);
    }
    store
}

fn list(size: usize, item: impl Fn(usize) -> String) -> String {
    (0..size).map(item).collect::<Vec<_>>().join(",")
}

/// A call of `size`, as text.
fn call(op: &str, size: usize) -> String {
    let body = match op {
        "fork_join" => {
            let tasks = list(size, |index| {
                format!(
                    r#"{{"target_strategy": "new", "target_ref": "Writer", "instruction": "part {index}", "context_box_id": "b{index}"}}"#
                )
            });
            format!(
                r#""source_agent_id": "lead", "recursion_depth": 0, "max_tasks": 1000000, "arguments": {{"tasks": [{tasks}]}}"#
            )
        }
        "concat_boxes" => {
            format!(r#""box_ids": [{}]"#, list(size, |index| format!(r#""b{index}""#)))
        }
        "put_cards" => format!(
            r#""cards": [{}]"#,
            list(size, |index| format!(
                r#"{{"card_id": "n{index}", "type": "note", "author_id": "a", "content": {{"__type__": "TextContent", "text": "t"}}}}"#
            ))
        ),
        "pack_context" => format!(
            r#""tool_suffix": "t", "source_agent_id": "lead", "arguments": {{"profile_name": "writer", "boxes": [{}]}},
                "handover": {{"context_packing_config": {{"inherit_context": {{"include_boxes_from_args": ["boxes"]}}}}}}"#,
            list(size, |index| format!(r#""b{index}""#))
        ),
        "get_boxes" => format!(r#""box_ids": [{}]"#, list(size, |index| format!(r#""b{index}""#))),
        _ => {
            format!(r#""value": [{}]"#, list(size, |index| format!("0.{index}1234567890123456789")))
        }
    };
    format!(r#"{{"op": "{op}", {body}}}"#)
}

fn run(text: &str, settings: &Settings, store: &MemoryStore) -> Result<()> {
    let call = settings.setup.read_call(&Json::parse(text)?)?;
    let mut snapshot = Snapshot::new("p1".into());
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [1; 32]);
    for _ in 0..=MAX_ROUNDS {
        match call.step(&snapshot, &env)? {
            Step::Done(outcome) => return outcome.value.to_text().map(drop),
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
        }
    }
    Err(Error::store("the call asks for more after the last round"))
}

/// Prints how every operation grows; gives back the names of those that grow too fast.
fn growth() -> Result<Vec<&'static str>> {
    let limits = r#"{"project_id": "p1", "limits": {"max_tasks": 1000000}}"#;
    let settings = Settings::from_json(&Field::root(&Json::parse(limits)?))?;
    let mut too_fast = Vec::new();
    println!("growth: the factor of each doubling, at most {MOST}");
    for (op, least) in OPERATIONS {
        let sizes = [least, least * 2, least * 4].map(|size| (size, call(op, size), store(size)));
        let mut times = sizes.each_ref().map(|(size, ..)| (*size, f64::MAX));
        // by turns: a machine that slows down for a second slows all of them. The shortest times
        // only get shorter, so what still grows too fast is measured on before it is said
        let mut worst = f64::MAX;
        for round in 0..4 * ROUNDS {
            if round >= ROUNDS && worst <= MOST {
                break;
            }
            for ((_, text, store), (_, best)) in sizes.iter().zip(&mut times) {
                *best = best.min(shortest(|| run(text, &settings, store))?);
            }
            let doublings = times.iter().zip(times.iter().skip(1));
            worst = doublings.map(|((_, less), (_, more))| more / less).fold(0.0, f64::max);
        }
        let shown: Vec<_> = times.iter().map(|(n, s)| format!("{n}: {:.2} ms", s * 1e3)).collect();
        println!("  {op:14} {:48} x{worst:.2}", shown.join(", "));
        if worst > MOST {
            too_fast.push(op);
        }
    }
    Ok(too_fast)
}

/// Keys whose hashes under the fixed seed end in the same eleven bits: one bucket of their table
/// for all of them.
fn colliding(count: usize) -> Vec<String> {
    let fixed = Hashing::fixed();
    let keys = (0_u64..).map(|number| format!("key {number:x}"));
    keys.filter(|key| fixed.hash_one(key.as_str()) & 0x7ff == 0).take(count).collect()
}

/// Prints what colliding keys cost; gives back how much more they cost than others.
fn flooding() -> Result<f64> {
    let fill = |keys: &[String]| {
        shortest(|| {
            let object: Object = keys.iter().map(|key| (key.clone(), Json::Null)).collect();
            black_box(object);
            Ok(())
        })
    };
    let fill_fixed = |keys: &[String]| {
        shortest(|| {
            let mut map = Map::with_hasher(Hashing::fixed());
            map.extend(keys.iter().map(|key| (key.clone(), Json::Null)));
            black_box(map);
            Ok(())
        })
    };
    let same = colliding(KEYS);
    let ordinary: Vec<String> = (0..KEYS).map(|n| format!("key {n:x}")).collect();
    let usual = fill(&ordinary)?;
    let (fixed, seeded) = (fill_fixed(&same)?, fill(&same)?);
    println!("flooding: {KEYS} keys of an object, {:.2} ms when nothing collides", usual * 1e3);
    println!("  colliding under the fixed seed: x{:.1}", fixed / usual);
    println!("  the same under a secret seed:   x{:.1}, at most {FLOODED}", seeded / usual);
    Ok(seeded / usual)
}

fn main() -> ExitCode {
    tuckbox::value::seed_hashing(&[42; 32]);
    let (too_fast, flooded) = match growth().and_then(|found| Ok((found, flooding()?))) {
        Ok(measured) => measured,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    if !too_fast.is_empty() {
        eprintln!("these grow too fast: {}", too_fast.join(", "));
    }
    if too_fast.is_empty() && flooded <= FLOODED { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
