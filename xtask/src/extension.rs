//! `cargo xtask extension`: builds the DevTools panel as a folder that a browser can load.

use crate::package::Form;
use crate::{inspect, tree};
use anyhow::{Context, Result};
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Build the extension with the DevTools panel into `www/extension/dist`, for "Load unpacked".
#[derive(Parser)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args) -> Result<ExitCode> {
    let folder = assemble(&inspect::build(Form::Small)?)?;
    println!("extension: {}", tree::shown(&folder));
    println!(
        "open chrome://extensions, switch on \"Developer mode\", choose \"Load unpacked\" and this folder"
    );
    Ok(ExitCode::SUCCESS)
}

/// Assembles the extension from its own files and the built page, without the page's entry.
pub fn assemble(page: &Path) -> Result<PathBuf> {
    let source = tree::root().join("www/extension");
    let folder = source.join("dist");
    let _ = fs::remove_dir_all(&folder);
    copy(&source, &folder, &["dist"])?;
    copy(page, &folder, &["index.html"])?;
    Ok(folder)
}

fn copy(from: &Path, to: &Path, except: &[&str]) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create `{}`", tree::shown(to)))?;
    let entries =
        fs::read_dir(from).with_context(|| format!("cannot list `{}`", tree::shown(from)))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if except.iter().any(|except| name == *except) {
            continue;
        }
        let (path, place) = (entry.path(), to.join(&name));
        if path.is_dir() {
            copy(&path, &place, &[])?;
        } else {
            fs::copy(&path, &place)
                .with_context(|| format!("cannot copy `{}`", tree::shown(&path)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_copies_a_folder_without_excluded_files() {
        let root = std::env::temp_dir().join(format!("tuckbox-copy-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("from/deep")).unwrap();
        fs::write(root.join("from/a.js"), "a").unwrap();
        fs::write(root.join("from/index.html"), "b").unwrap();
        fs::write(root.join("from/deep/index.html"), "c").unwrap();
        copy(&root.join("from"), &root.join("to"), &["index.html"]).unwrap();
        assert_eq!(fs::read_to_string(root.join("to/a.js")).unwrap(), "a");
        assert!(!root.join("to/index.html").exists());
        assert_eq!(fs::read_to_string(root.join("to/deep/index.html")).unwrap(), "c");
        assert!(copy(&root.join("absent"), &root.join("to"), &[]).is_err());
    }
}
