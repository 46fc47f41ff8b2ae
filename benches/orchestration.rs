//! Orchestration calls at several queue lengths: their cost, their reads and commits, and the
//! growth of a batch with its children. `cargo xtask bench orchestration` runs it.
//!
//! It fails if a call reads more than twice or commits more than once. It fails if a call takes
//! more than twice as long with 100,000 rows in the inbox as with 10. It fails if the time of a
//! batch is not linear.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;
use tuckbox::agents::Setup;
use tuckbox::rule::Step;
use tuckbox::store::{MemoryStore, Snapshot, Store, table};
use tuckbox::value::json::Object;
use tuckbox::{Env, Error, Json, Result, Timestamp};

/// The rows in the inbox.
const ROWS: [usize; 3] = [10, 1_000, 100_000];
/// The number of calls per measurement.
const TIMES: usize = 200;
/// The children of a batch.
const CHILDREN: [usize; 4] = [125, 250, 500, 1_000];
/// The maximum factor between the longest and the shortest queue, and between a child of the
/// largest and of the smallest batch.
const MAX_FACTOR: f64 = 2.0;

const PROFILE: &str = "00000000-0000-4000-8000-0000000000a1";
const CONTEXT: &str = "00000000-0000-4000-8000-0000000000c1";
const OUTPUT: &str = "00000000-0000-4000-8000-0000000000e1";

fn main() -> ExitCode {
    match measured() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measured() -> Result<bool> {
    let mut well = true;
    let mut measurements: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut most: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for rows in ROWS {
        let mut project = Project::new(rows)?;
        project.work()?;
        for (op, cost) in &project.costs {
            measurements.entry(op).or_default().push(cost.seconds / f64::from(cost.calls) * 1e6);
            let (reads, commits) = most.entry(op).or_default();
            (*reads, *commits) = ((*reads).max(cost.most_reads), (*commits).max(cost.most_commits));
        }
    }
    println!("CPU time of a call in microseconds, by rows in the inbox");
    println!("  {:<14}{:>10}{:>10}{:>10}   growth  reads  commits", "", ROWS[0], ROWS[1], ROWS[2]);
    for (op, costs) in measurements {
        let (first, last) = (costs.first().copied(), costs.last().copied());
        let growth = last.unwrap_or(0.0) / first.unwrap_or(1.0).max(1e-9);
        let cells: String = costs.iter().map(|cost| format!("{cost:>10.1}")).collect();
        let (reads, commits) = most.get(op).copied().unwrap_or_default();
        println!("  {op:<14}{cells}   {growth:>6.2}{reads:>7}{commits:>9}");
        well &= growth <= MAX_FACTOR && reads <= 2 && commits <= 1;
    }

    println!("CPU time of a batch from create to join in milliseconds");
    let mut each = Vec::new();
    for children in CHILDREN {
        let (seconds, reads) = batch(children)?;
        well &= reads <= 2;
        each.push(seconds / f64::from(u32::try_from(children).unwrap_or(1)));
        println!(
            "  {children:>5} children: {:>8.1} ms, {:.1} microseconds a child, at most {reads} reads a call",
            seconds * 1e3,
            each.last().copied().unwrap_or(0.0) * 1e6
        );
    }
    let growth = each.last().copied().unwrap_or(0.0) / each.first().copied().unwrap_or(1.0);
    println!(
        "  a child of {} takes {growth:.2} times the time of one of {}",
        CHILDREN[3], CHILDREN[0]
    );
    Ok(well && growth <= MAX_FACTOR)
}

/// The measurements of one operation.
#[derive(Default)]
struct Cost {
    seconds: f64,
    calls: u32,
    most_reads: usize,
    most_commits: usize,
}

/// A store and its calls.
struct Project {
    store: MemoryStore,
    made: u64,
    costs: BTreeMap<&'static str, Cost>,
}

/// Returns the CPU time of this thread in seconds, or the elapsed time.
fn processor_time(since: Instant) -> f64 {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedstat.and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| since.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn object(text: &str) -> Result<Object> {
    match Json::parse(text)? {
        Json::Object(object) => Ok(object),
        _ => Err(Error::bad_request("not an object")),
    }
}

fn turn(number: usize) -> String {
    format!("turn_{number}")
}

fn payload(number: usize) -> String {
    format!(
        r#"{{"agent_id": "a1", "channel_id": "public", "profile_box_id": "{PROFILE}",
            "context_box_id": "{CONTEXT}", "output_box_id": "{OUTPUT}", "agent_turn_id": "{}"}}"#,
        turn(number)
    )
}

impl Project {
    fn empty(agents: impl Iterator<Item = String>) -> Result<Self> {
        let mut store = MemoryStore::new();
        let tables = store.project("p1");
        tables.add_box(PROFILE, []).add_box(CONTEXT, []).add_box(OUTPUT, []);
        for agent in agents {
            let row = format!(
                r#"{{"agent_id": "{agent}", "worker_target": "generic", "in_roster": true,
                    "profile_box_id": "{PROFILE}", "status": "active"}}"#
            );
            tables.add_row(&table::PROJECT_AGENTS, object(&row)?);
        }
        Ok(Self { store, made: 0, costs: BTreeMap::new() })
    }

    /// Creates an agent with `rows` queued turns and one dispatched turn.
    fn new(rows: usize) -> Result<Self> {
        let children = (0..TIMES + 2).map(|number| format!("c{number}"));
        let mut project = Self::empty(["boss".into(), "a1".into()].into_iter().chain(children))?;
        project.enqueue(0)?;
        let tables = project.store.project("p1");
        for number in 1..=rows {
            let id = turn(number);
            let row = format!(
                r#"{{"inbox_id": "{id}", "agent_id": "a1", "message_type": "turn", "status": "queued",
                    "enqueue_mode": "call", "correlation_id": "{id}", "recursion_depth": 1,
                    "payload": {}, "created_at": "2026-01-01T00:00:00Z", "seq": {number},
                    "agent_turn_id": "{id}"}}"#,
                payload(number)
            );
            tables.add_row(&table::INBOX, object(&row)?);
        }
        project.costs.clear();
        Ok(project)
    }

    /// Makes a call: decides and commits.
    fn call(&mut self, name: &'static str, op: &str, args: &str) -> Result<Json> {
        self.made += 1;
        let mut entropy = [7; 32];
        for (to, from) in entropy.iter_mut().zip(self.made.to_be_bytes()) {
            *to = from;
        }
        let now = 1_767_225_600_000 + i64::try_from(self.made).unwrap_or(0);
        let env = Env::new(Timestamp::from_millis(now), entropy);
        let mut call = Json::parse(args)?;
        if let Json::Object(call) = &mut call {
            call.insert("op".into(), op.into());
        }
        let (mut reads, mut commits) = (0, 0);
        let begun = Instant::now();
        let start = processor_time(begun);
        let rule = Setup::default().read_call(&call)?;
        let mut snapshot = Snapshot::new("p1".into());
        let outcome = loop {
            match rule.step(&snapshot, &env)? {
                Step::Done(outcome) => break outcome,
                Step::Need(needs) => {
                    reads += 1;
                    let answers = self.store.read(&needs)?;
                    snapshot.absorb(&needs, answers)?;
                }
            }
        };
        if !outcome.writes.is_empty() {
            commits += 1;
            self.store.commit(&outcome.writes)?;
        }
        let cost = self.costs.entry(name).or_default();
        cost.seconds += processor_time(begun) - start;
        cost.calls += 1;
        cost.most_reads = cost.most_reads.max(reads);
        cost.most_commits = cost.most_commits.max(commits);
        outcome.value.to_json()
    }

    fn enqueue(&mut self, number: usize) -> Result<Json> {
        let args = format!(
            r#"{{"target_agent_id": "a1", "message_type": "turn", "payload": {},
                "headers": {{"CG-Recursion-Depth": "1"}}}}"#,
            payload(number)
        );
        self.call("enqueue", "enqueue", &args)
    }

    /// Makes every measured call, at a constant queue length.
    fn work(&mut self) -> Result<()> {
        let (batch, turns) = self.fork(TIMES + 2)?;
        drop(batch);
        for (number, child) in (0..TIMES).zip(&turns) {
            self.enqueue(1_000_000 + number)?;
            let head = self.head()?;
            self.call("start", "turn_start", &work_on(&head, ""))?;
            if number % 2 == 0 {
                // the next one is leased in the same commit
                self.call(
                    "finish",
                    "turn_complete",
                    &work_on(&head, r#", "thought": {"text": "done"}"#),
                )?;
            } else {
                self.call("free", "finish_idle", r#"{"agent_id": "a1"}"#)?;
                let next = r#"{"target_agent_id": "a1", "mode": "dispatch_next"}"#;
                self.call("lease", "wakeup", next)?;
            }
            let event = format!(r#"{{"agent_turn_id": "{child}", "status": "success"}}"#);
            self.call("child event", "child_event", &event)?;
        }
        Ok(())
    }

    /// Returns the turn and the epoch of the agent.
    fn head(&self) -> Result<(String, i64)> {
        let tables = self.store.tables("p1");
        let mut heads = tables.into_iter().flat_map(|tables| tables.rows(&table::HEADS));
        let head = heads.find(|head| head.text("agent_id") == Some("a1"));
        let turn = head.and_then(|head| head.text("active_agent_turn_id"));
        let epoch = head.and_then(|head| head.whole("turn_epoch"));
        match (turn, epoch) {
            (Some(turn), Some(epoch)) => Ok((turn.to_owned(), epoch)),
            _ => Err(Error::store("`a1` has no turn")),
        }
    }

    /// Creates and starts a batch. Returns the turns of its children.
    fn fork(&mut self, children: usize) -> Result<(String, Vec<String>)> {
        let specs: Vec<String> = (0..children)
            .map(|number| {
                format!(
                    r#"{{"agent_id": "c{number}", "profile_box_id": "{PROFILE}", "context_box_id": "{CONTEXT}"}}"#
                )
            })
            .collect();
        let args = format!(
            r#"{{"source_agent_id": "boss", "parent_agent_turn_id": "turn_boss", "parent_turn_epoch": 1,
                "parent_tool_call_id": "call_1", "recursion_depth": 1, "activate": true,
                "task_specs": [{}]}}"#,
            specs.join(", ")
        );
        let made = self.call("create batch", "create_batch", &args)?;
        let batch = made.get("batch_id").and_then(Json::as_str).unwrap_or_default().to_owned();
        let tables = self.store.tables("p1");
        let tasks = tables.into_iter().flat_map(|tables| tables.rows(&table::BATCH_TASKS));
        let turns = tasks.filter_map(|task| task.text("current_agent_turn_id").map(str::to_owned));
        Ok((batch, turns.collect()))
    }
}

fn work_on((turn, epoch): &(String, i64), more: &str) -> String {
    format!(
        r#"{{"agent_id": "a1", "agent_turn_id": "{turn}", "turn_epoch": {epoch}, "channel_id": "public",
            "headers": {{"CG-Recursion-Depth": "1"}}{more}}}"#
    )
}

/// Returns the CPU time of a batch from create to join, and the maximum reads of a call.
fn batch(children: usize) -> Result<(f64, usize)> {
    let agents = (0..children).map(|number| format!("c{number}"));
    let mut project = Project::empty(["boss".into()].into_iter().chain(agents))?;
    let (batch, turns) = project.fork(children)?;
    for turn in turns {
        let event = format!(r#"{{"agent_turn_id": "{turn}", "status": "success"}}"#);
        project.call("child event", "child_event", &event)?;
    }
    let joined = project.store.tables("p1").into_iter().flat_map(|t| t.rows(&table::BATCHES));
    let joined = joined.filter(|row| row.text("batch_id") == Some(&*batch));
    if joined.filter(|row| row.text("status") == Some("success")).count() != 1 {
        return Err(Error::store("the batch was not joined"));
    }
    let costs = project.costs.values();
    let reads = costs.clone().map(|cost| cost.most_reads).max().unwrap_or(0);
    Ok((costs.map(|cost| cost.seconds).sum(), reads))
}
