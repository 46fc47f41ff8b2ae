//! Two checks that print their measurements. `cargo xtask bench growth` runs them.
//!
//! Growth: each doubling of the input takes at most 2.5 times the CPU time. Flooding: keys that
//! collide under the fixed seed are not slower under a secret seed.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

mod growth_calls;

use growth_calls::{CALLS, MeasuredCall};
use std::hash::BuildHasher;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use tuckbox::rule::{MAX_ROUNDS, Step};
use tuckbox::store::{MemoryStore, Snapshot, Store};
use tuckbox::value::Map;
use tuckbox::value::json::{Field, Hashing, Object};
use tuckbox::{Env, Error, Json, Result, Settings, Timestamp};

/// The maximum factor of a doubled input.
const MAX_FACTOR: f64 = 2.5;

/// The maximum factor of colliding keys.
const MAX_FLOOD_FACTOR: f64 = 3.0;

/// The number of keys of an object under attack.
const KEYS: usize = 16_000;

/// The minimum size of a call with all arguments.
const EVERYTHING: usize = 400;

/// The minimum number of rounds for every size.
const ROUNDS: usize = 2;

/// Returns the CPU time of this thread in seconds, or the elapsed time if the system does not
/// report it.
fn processor_time(since: Instant) -> f64 {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedstat.and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| since.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// Returns the CPU seconds of one `work`: the mean over 0.1 s, because systems count in ticks of
/// some milliseconds.
fn cost(mut work: impl FnMut()) -> f64 {
    let begun = Instant::now();
    let start = processor_time(begun);
    for runs in 1_u32.. {
        work();
        let spent = processor_time(begun) - start;
        if spent >= 0.1 {
            return spent / f64::from(runs);
        }
    }
    f64::MAX
}

/// Makes a call. A refusal counts as an answer.
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
    Err(Error::store("the call needs more reads after the last round"))
}

/// Returns the largest factor between two sizes, and the time of each.
fn doublings(calls: &[(usize, String, MemoryStore)], settings: &Settings) -> (f64, String) {
    let mut times = vec![f64::MAX; calls.len()];
    // alternate the sizes, so that load affects all of them; repeat while the minimum still grows
    // too fast
    let mut worst = f64::MAX;
    for round in 0..6 * ROUNDS {
        if round >= ROUNDS && worst <= MAX_FACTOR {
            break;
        }
        for ((_, text, store), best) in calls.iter().zip(&mut times) {
            *best = best.min(cost(|| drop(black_box(run(text, settings, store)))));
        }
        worst = times
            .iter()
            .zip(times.iter().skip(1))
            .map(|(less, more)| more / less)
            .fold(0.0, f64::max);
    }
    let shown = calls.iter().zip(&times).map(|((n, ..), s)| format!("{n}: {:.2} ms", s * 1e3));
    (worst, shown.collect::<Vec<_>>().join(", "))
}

/// Prints the growth of every operation. Returns the operations that grow too fast or are refused.
fn growth() -> Result<Vec<String>> {
    let limits = r#"{"project_id": "p1", "limits": {"max_tasks": 1000000, "max_requests": 1000000,
        "max_values": 10000000, "max_messages": 1000000}}"#;
    let settings = Settings::from_json(&Field::root(&Json::parse(limits)?))?;
    let others = tuckbox::call::operations().filter(|op| CALLS.iter().all(|call| call.op != *op));
    let others = others.map(|op| MeasuredCall {
        what: "all arguments",
        op,
        least: EVERYTHING,
        arguments: growth_calls::everything,
    });
    let others: Vec<MeasuredCall> = others.collect();
    let mut bad = Vec::new();
    println!("growth: the factor of each doubling, at most {MAX_FACTOR}");
    for (call, must_answer) in
        CALLS.iter().map(|call| (call, true)).chain(others.iter().map(|call| (call, false)))
    {
        let MeasuredCall { what, op, least, arguments } = call;
        let made: Result<Vec<_>> = [*least, least * 2, least * 4]
            .into_iter()
            .map(|n| {
                Ok((n, format!(r#"{{"op": "{op}", {}}}"#, arguments(n)), growth_calls::project(n)?))
            })
            .collect();
        let made = made?;
        let name = format!("{op} {what}");
        if let Some(Err(error)) =
            made.first().filter(|_| must_answer).map(|(_, text, store)| run(text, &settings, store))
        {
            println!("  {name:46} refused: {error}");
            bad.push(name);
            continue;
        }
        let (worst, times) = doublings(&made, &settings);
        println!("  {name:46} {times:50} x{worst:.2}");
        if worst > MAX_FACTOR {
            bad.push(name);
        }
    }
    Ok(bad)
}

/// Returns keys whose hashes under the fixed seed share 11 bits, so that all are in one bucket.
fn colliding(count: usize) -> Vec<String> {
    let fixed = Hashing::fixed();
    let keys = (0_u64..).map(|number| format!("key {number:x}"));
    keys.filter(|key| fixed.hash_one(key.as_str()) & 0x7ff == 0).take(count).collect()
}

/// Prints the cost of colliding keys. Returns its ratio to other keys.
fn flooding() -> f64 {
    let fill = |keys: &[String]| {
        cost(|| {
            let object: Object = keys.iter().map(|key| (key.clone(), Json::Null)).collect();
            black_box(object);
        })
    };
    let fill_fixed = |keys: &[String]| {
        cost(|| {
            let mut map = Map::with_hasher(Hashing::fixed());
            map.extend(keys.iter().map(|key| (key.clone(), Json::Null)));
            black_box(map);
        })
    };
    let same = colliding(KEYS);
    let ordinary: Vec<String> = (0..KEYS).map(|n| format!("key {n:x}")).collect();
    let usual = fill(&ordinary);
    let (fixed, seeded) = (fill_fixed(&same), fill(&same));
    println!("flooding: {KEYS} keys of an object, {:.2} ms when nothing collides", usual * 1e3);
    println!("  colliding under the fixed seed: x{:.1}", fixed / usual);
    println!(
        "  the same under a secret seed:   x{:.1}, at most {MAX_FLOOD_FACTOR}",
        seeded / usual
    );
    seeded / usual
}

fn main() -> ExitCode {
    tuckbox::value::seed_hashing(&[42; 32]);
    let bad = match growth() {
        Ok(bad) => bad,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    if !bad.is_empty() {
        eprintln!("these grow too fast or were refused: {}", bad.join(", "));
    }
    let flooded = flooding();
    if bad.is_empty() && flooded <= MAX_FLOOD_FACTOR {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
