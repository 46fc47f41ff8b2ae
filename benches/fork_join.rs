//! `fork_join`: measures the growth from 100 to 1,000 tasks over 100 shared boxes. Linear growth is
//! 10.
//!
//! `cargo xtask bench fork_join` runs it.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::cell::Cell;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tuckbox::agents::recipe::{Caller, ForkJoin, ForkJoinArguments};
use tuckbox::rule;
use tuckbox::store::{
    Agent, AgentPointers, Answers, MemoryStore, Profile, Reads, Receipt, Snapshot, Store, Writes,
};
use tuckbox::{Env, Json, Result, Timestamp};

const SMALL: usize = 100;
const LARGE: usize = 1_000;
const BOXES: usize = 100;
const RUNS: usize = 7;

fn main() -> Result<()> {
    println!("fork_join: tasks over {BOXES} shared boxes, best of {RUNS}");
    for cards in [10, 1_000] {
        let small = measure(SMALL, cards)?;
        let large = measure(LARGE, cards)?;
        for (label, of) in [
            ("read and preview", (|m| m.preview) as fn(&Measurement) -> Duration),
            ("preview, resident", |m| m.resident),
            ("commit", |m| m.commit),
            ("look ahead", |m| m.apply),
        ] {
            let (small, large) = (of(&small).as_secs_f64(), of(&large).as_secs_f64());
            println!(
                "  {cards:>5} cards a box, {label:>17}: {SMALL} tasks {:8.2} ms, {LARGE} tasks {:8.2} ms, growth {:4.1} (linear is {})",
                small * 1e3,
                large * 1e3,
                large / small.max(1e-9),
                LARGE / SMALL,
            );
        }
        println!(
            "  {cards:>5} cards a box, rounds of reads: {} and {}, commits: 1 and 1",
            small.reads, large.reads
        );
    }
    Ok(())
}

/// The best times of some runs.
struct Measurement {
    preview: Duration,
    resident: Duration,
    commit: Duration,
    apply: Duration,
    reads: usize,
}

fn measure(tasks: usize, cards: usize) -> Result<Measurement> {
    let store = project(cards)?;
    let tasks = ForkJoinArguments::from_json(&arguments(tasks))?;
    let rule = ForkJoin::new(Caller::new("lead"), tasks).with_max_tasks(LARGE as u64);
    let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
    let longest = Duration::MAX;
    let mut best = Measurement {
        preview: longest,
        resident: longest,
        commit: longest,
        apply: longest,
        reads: 0,
    };
    for _ in 0..RUNS {
        let counting = CountingStore { store: &store, reads: Cell::new(0) };
        let mut snapshot = Snapshot::new("p1".into());
        let start = Instant::now();
        let outcome = rule::preview(&rule, &mut snapshot, &env, &counting)?;
        best.preview = best.preview.min(start.elapsed());
        best.reads = counting.reads.get();

        let start = Instant::now();
        black_box(rule::preview(&rule, &mut snapshot, &env, &counting)?);
        best.resident = best.resident.min(start.elapsed());

        let mut written = store.clone();
        let start = Instant::now();
        written.commit(&outcome.writes)?;
        best.commit = best.commit.min(start.elapsed());

        let start = Instant::now();
        snapshot.apply(&outcome.writes);
        best.apply = best.apply.min(start.elapsed());
        black_box(snapshot);
    }
    Ok(best)
}

/// A store that counts its reads.
struct CountingStore<'a> {
    store: &'a MemoryStore,
    reads: Cell<usize>,
}

impl Store for CountingStore<'_> {
    fn read(&self, reads: &Reads) -> Result<Answers> {
        self.reads.set(self.reads.get() + 1);
        self.store.read(reads)
    }

    fn commit(&mut self, _: &Writes) -> Result<Receipt> {
        Err(tuckbox::Error::store("this store only reads"))
    }
}

fn project(cards: usize) -> Result<MemoryStore> {
    let mut store = MemoryStore::new();
    let mut lead = Profile::new("Lead", "pb_lead");
    lead.delegation_policy = Json::parse("{}")?;
    let mut worker = Agent::new("worker", "pb_writer");
    worker.pointers = Some(AgentPointers {
        last_output_box_id: Some("shared_0".into()),
        ..AgentPointers::default()
    });
    let tables = store.project("p1");
    tables
        .add_profile(lead)
        .add_profile(Profile::new("Writer", "pb_writer"))
        .add_agent(Agent::new("lead", "pb_lead"))
        .add_agent(worker);
    for index in 0..BOXES {
        let ids: Vec<String> =
            (0..cards).map(|card| format!("0199c0de{index:08x}{card:016x}")).collect();
        tables.add_box(format!("shared_{index}"), ids.iter().map(String::as_str));
    }
    Ok(store)
}

fn arguments(tasks: usize) -> Json {
    let tasks: Vec<Json> = (0..tasks)
        .map(|index| {
            let clones = index % 3 == 2;
            Json::from([
                ("target_strategy", Json::from(if clones { "clone" } else { "new" })),
                ("target_ref", Json::from(if clones { "worker" } else { "Writer" })),
                ("instruction", Json::from(format!("part {index}"))),
                ("context_box_id", Json::from(format!("shared_{}", index % BOXES))),
            ])
        })
        .collect();
    Json::from([("tasks", tasks)])
}
