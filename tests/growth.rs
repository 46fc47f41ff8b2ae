//! Two gates that print their figures: `cargo test --test growth -- --nocapture`.
//!
//! Growth: each doubling of the input costs at most 2.5 times the CPU. Flooding: keys that collide
//! under the fixed seed are no slower than others under a seed that nobody knows.

use std::hash::BuildHasher;
use std::time::Instant;
use tuckbox::rule::{MAX_ROUNDS, Step};
use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::json::{Field, Hashing, Object};
use tuckbox::{Env, Json, Settings, Timestamp};

/// Seconds of CPU of this thread where the system tells, else of the clock.
fn seconds(work: impl FnOnce()) -> f64 {
    let cpu = || -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
    };
    let (before, start) = (cpu(), Instant::now());
    work();
    match (before, cpu()) {
        (Some(before), Some(after)) => after - before,
        (None, _) | (_, None) => start.elapsed().as_secs_f64(),
    }
}

fn store(boxes: usize) -> MemoryStore {
    let mut store = MemoryStore::new();
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy = Json::parse("{}").unwrap();
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

fn run(text: &str, settings: &Settings, store: &MemoryStore) {
    let call = Json::parse(text).and_then(|json| settings.setup.read_call(&json)).unwrap();
    let mut snapshot = Snapshot::new("p1".into());
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [1; 32]);
    for _ in 0..=MAX_ROUNDS {
        match call.step(&snapshot, &env).unwrap() {
            Step::Done(outcome) => return drop(outcome.value.to_text().unwrap()),
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap(),
        }
    }
    panic!("the call is not done");
}

#[test]
fn each_doubling_of_the_input_costs_at_most_two_and_a_half_times_the_cpu() {
    let limits = r#"{"project_id": "p1", "limits": {"max_tasks": 1000000}}"#;
    let settings = Settings::from_json(&Field::root(&Json::parse(limits).unwrap())).unwrap();
    let mut slow = Vec::new();
    for (op, least) in [
        ("fork_join", 250),
        ("concat_boxes", 500),
        ("put_cards", 250),
        ("pack_context", 500),
        ("get_boxes", 500),
        ("text_form", 1_000),
    ] {
        let times = [least, least * 2, least * 4].map(|size| {
            let (text, store) = (call(op, size), store(size));
            let best = (0..2).map(|_| seconds(|| run(&text, &settings, &store)));
            (size, best.fold(f64::MAX, f64::min))
        });
        let [(_, first), .., (_, last)] = times;
        let doubling = (last / first).sqrt();
        let shown: Vec<_> = times.iter().map(|(n, s)| format!("{n}: {:.1} ms", s * 1e3)).collect();
        println!("{op:14} {}  x{doubling:.2} a doubling", shown.join(", "));
        if doubling > 2.5 {
            slow.push(op);
        }
    }
    assert!(slow.is_empty(), "{slow:?} grow too fast");
}

/// Keys whose hashes under the fixed seed end in the same eleven bits: one bucket of their table for all
/// of them.
fn colliding(count: usize) -> Vec<String> {
    let fixed = Hashing::fixed();
    let keys = (0_u64..).map(|number| format!("key {number:x}"));
    keys.filter(|key| fixed.hash_one(key.as_str()) & 0x7ff == 0).take(count).collect()
}

#[test]
fn keys_that_collide_under_the_fixed_seed_cost_no_more_under_a_secret_one() {
    const KEYS: usize = 1_000;
    tuckbox::value::seed_hashing(&[42; 32]);
    let (same, other) = (colliding(KEYS), (0..KEYS).map(|n| format!("key {n:x}")).collect());
    let fill = |keys: &[String], hashing: Hashing| {
        // many times: the system counts CPU in steps
        let often = || {
            for _ in 0..100 {
                let mut object = Object::with_hasher(hashing);
                for key in keys {
                    object.insert(key.clone(), Json::Null);
                }
                assert_eq!(object.len(), keys.len());
            }
        };
        (0..2).map(|_| seconds(often)).fold(f64::MAX, f64::min)
    };
    let ordinary: Vec<String> = other;
    let usual = fill(&ordinary, Hashing::default());
    let (fixed, seeded) = (fill(&same, Hashing::fixed()), fill(&same, Hashing::default()));
    println!(
        "{KEYS} ordinary keys a hundred times {:.1} ms; colliding: x{:.1} under the fixed seed, x{:.1} under a secret one",
        usual * 1e3,
        fixed / usual,
        seeded / usual
    );
    assert!(seeded < usual * 3.0, "{seeded} s against {usual} s");
}
