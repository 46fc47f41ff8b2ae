//! Where things are in the repository.

use std::path::{Path, PathBuf};

/// The root of the repository.
///
/// `cargo run` says at run time which checkout it was started for; the path known at compile time
/// is only right while one target folder serves one checkout.
pub fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map_or(manifest.clone(), Path::to_path_buf)
}

/// The path as a person would name it: relative to the repository where it lies inside.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
