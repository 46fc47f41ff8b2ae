//! Appends cards to the box `log` of the project `p1` until the process ends.
//!
//! Processes in other languages can append to the same file meanwhile. Each committed card is printed.
//!
//! Run it with `cargo run --example append -- project.db NAME`.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};
use tuckbox::cards::AppendToBox;
use tuckbox::store::Snapshot;
use tuckbox::{Code, Env, Error, Result, Store, Timestamp, json, rule};
use tuckbox_sqlite::SqliteStore;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err(Error::bad_request("pass a file and the name of this process"));
    };
    let mut store = SqliteStore::open(path)?;
    for number in 0_u64.. {
        let card = format!("{name}-{number}");
        let call = json!({"box_id": "log", "card_ids": [card.as_str()]});
        let append = AppendToBox::from_json(&call)?;
        loop {
            let mut snapshot = Snapshot::new("p1".into());
            let preview = rule::preview(&append, &mut snapshot, &env()?, &store)?;
            match store.commit(&preview.writes) {
                // another process was first
                Err(error) if error.code() == Code::Conflict => {}
                Err(error) => return Err(error),
                Ok(_) => break,
            }
        }
        let mut out = std::io::stdout();
        let printed = writeln!(out, "{card}").and_then(|()| out.flush());
        printed.map_err(|error| Error::store(error.to_string()))?;
    }
    Ok(())
}

/// Returns the time and new random bytes: the core has neither.
fn env() -> Result<Env> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let mut entropy = [0; 32];
    getrandom::fill(&mut entropy).map_err(|error| Error::store(error.to_string()))?;
    Ok(Env::new(Timestamp::from_millis(i64::try_from(now).unwrap_or_default()), entropy))
}
