//! Paths in the repository.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Returns the root of the repository.
///
/// `cargo run` sets the path of the checkout at run time. The path from compile time is wrong if
/// several checkouts share a target folder.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let is_root = |dir: &&Path| dir.join("Cargo.lock").is_file();
    manifest.ancestors().find(is_root).map_or(manifest.clone(), Path::to_path_buf)
}

/// Returns a path relative to the repository if it is inside it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Returns all files below a folder, sorted by name, without folders named in `except`.
pub fn files_below(dir: &Path, except: &[&str]) -> Result<Vec<PathBuf>> {
    let mut entries = std::fs::read_dir(dir)
        .and_then(|entries| entries.collect::<std::io::Result<Vec<_>>>())
        .with_context(|| format!("cannot list `{}`", shown(dir)))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.path();
        if !path.is_dir() {
            files.push(path);
        } else if !except.iter().any(|name| entry.file_name() == *name) {
            files.extend(files_below(&path, except)?);
        }
    }
    Ok(files)
}

/// Writes a file if its bytes differ. A reader never sees a part of it.
pub fn write_changed(to: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(to).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    if let Some(dir) = to.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let mut part = to.as_os_str().to_owned();
    part.push(format!(".{}", std::process::id()));
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, to))
        .with_context(|| format!("cannot write `{}`", shown(to)))
}
