//! Where things are in the repository.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The root of the repository.
///
/// `cargo run` says at run time which checkout it was started for; the path known at compile time
/// is only right while one target folder serves one checkout.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let is_root = |dir: &&Path| dir.join("Cargo.lock").is_file();
    manifest.ancestors().find(is_root).map_or(manifest.clone(), Path::to_path_buf)
}

/// The path as a person would name it: relative to the repository where it lies inside.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Every file below a folder in the order of their names, without what is below folders of the
/// names in `except`.
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
