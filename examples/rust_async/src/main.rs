//! Previews and commits on tokio, with a project in a file of SQLite.
//!
//! SQLite blocks its thread, so each access runs on a thread for blocking work. Eight tasks append to
//! one box at the same time. A task whose preview is outdated gets `conflict` and previews again.
//!
//! Run it in this folder with `cargo run -- project.db`. Without a file, it uses a temporary one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::task::{JoinSet, spawn_blocking};
use tuckbox::cards::{AppendToBox, CreateBox};
use tuckbox::rule::{Rule, commit_async, preview_async};
use tuckbox::store::{Answers, AsyncStore, Reads, Receipt, Snapshot, Store, Writes};
use tuckbox::{Code, Env, Error, Result, Timestamp, json};
use tuckbox_sqlite::SqliteStore;

const TASKS: usize = 8;

/// A file of SQLite that tasks share.
#[derive(Clone)]
struct Shared(Arc<Mutex<SqliteStore>>);

impl Shared {
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteStore) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = Arc::clone(&self.0);
        let done =
            spawn_blocking(move || work(&mut store.lock().unwrap_or_else(PoisonError::into_inner)));
        done.await
            .map_err(|error| Error::store(format!("the thread of the store ended: {error}")))?
    }
}

impl AsyncStore for Shared {
    async fn read(&self, reads: &Reads) -> Result<Answers> {
        let reads = reads.clone();
        self.blocking(move |store| store.read(&reads)).await
    }

    async fn commit(&self, writes: &Writes) -> Result<Receipt> {
        let writes = writes.clone();
        self.blocking(move |store| store.commit(&writes)).await
    }
}

/// Previews and commits a call. A conflict means that a row changed, so it previews again.
async fn committed<R: Rule>(store: &Shared, call: &R) -> Result<Receipt>
where
    R::Value: Sync,
{
    loop {
        let mut snapshot = Snapshot::new("demo".into());
        let preview = preview_async(call, &mut snapshot, &env()?, store).await?;
        match commit_async(&preview, &mut snapshot, store).await {
            Err(error) if error.code() == Code::Conflict => {}
            done => return done,
        }
    }
}

/// Returns the time and new random bytes: the core has neither.
fn env() -> Result<Env> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let mut entropy = [0; 32];
    getrandom::fill(&mut entropy).map_err(|error| Error::store(error.to_string()))?;
    Ok(Env::new(Timestamp::from_millis(i64::try_from(now).unwrap_or_default()), entropy))
}

#[tokio::main]
async fn main() -> Result<()> {
    let path = std::env::args_os().nth(1).map_or_else(
        || std::env::temp_dir().join(format!("tuckbox-{}.db", std::process::id())),
        Into::into,
    );
    let store = Shared(Arc::new(Mutex::new(SqliteStore::open(&path)?)));
    let box_id = format!("notes-{}", env()?.now);
    let create = CreateBox::from_json(&json!({"box_id": box_id.as_str(), "card_ids": []}))?;
    committed(&store, &create).await?;

    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let (store, box_id) = (store.clone(), box_id.clone());
        tasks.spawn(async move {
            let card = format!("n{task}");
            let append = AppendToBox::from_json(
                &json!({"box_id": box_id.as_str(), "card_ids": [card.as_str()]}),
            )?;
            committed(&store, &append).await
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.map_err(|error| Error::store(error.to_string()))??;
    }

    let mut reads = Reads::new("demo".into());
    reads.add(tuckbox::store::Kind::Boxes, box_id.as_str());
    let mut snapshot = Snapshot::new("demo".into());
    snapshot.absorb(&reads, AsyncStore::read(&store, &reads).await?)?;
    let Some(found) = snapshot.card_box(&box_id).found()? else {
        return Err(Error::not_found(format!("box `{box_id}` is missing")));
    };
    println!("{}: {} cards at version {}", found.box_id, found.card_ids.len(), found.version);
    if found.card_ids.len() != TASKS {
        return Err(Error::store("a commit is missing"));
    }
    Ok(())
}
