//! `cargo xtask import`: what an import finds in a folder, natively.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tuckbox::import::{self, SourceFile};

/// Import the logs of other tools and print what was found.
#[derive(clap::Args)]
pub struct Args {
    /// Files or folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Every request, not only the last one.
    #[arg(long)]
    every: bool,
    /// Take each folder `SOURCE/CASE` below the path for a case of its own and write
    /// `SOURCE/CASE.json` below this folder.
    #[arg(long)]
    cases: Option<PathBuf>,
}

/// Files that describe a case and are not part of it.
const NOT_LOGS: [&str; 2] = ["truth.json", "meta.json"];

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let Some(out) = &args.cases else {
        println!("{}", shape(&args.paths, args.every)?);
        return Ok(ExitCode::SUCCESS);
    };
    for root in &args.paths {
        for source in folders(root)? {
            for case in folders(&source)? {
                let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
                let folder = out.join(name(&source));
                fs::create_dir_all(&folder)?;
                let mut file = name(&case);
                file.push(".json");
                fs::write(folder.join(file), shape(std::slice::from_ref(&case), args.every)?)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn shape(paths: &[PathBuf], every: bool) -> Result<String> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    let sources: Vec<SourceFile<'_>> =
        files.iter().map(|(name, bytes)| SourceFile { name, bytes }).collect();
    Ok(import::neutral::shape(&import::import(&sources), every).to_string())
}

fn collect(path: &Path, files: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    if path.is_dir() {
        for entry in sorted(path)? {
            collect(&entry, files)?;
        }
        return Ok(());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !NOT_LOGS.contains(&name.as_ref()) {
        let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        files.push((path.display().to_string(), bytes));
    }
    Ok(())
}

fn folders(path: &Path) -> Result<Vec<PathBuf>> {
    Ok(sorted(path)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn sorted(path: &Path) -> Result<Vec<PathBuf>> {
    let read = fs::read_dir(path).with_context(|| format!("reading {}", path.display()))?;
    let mut entries = read.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}
