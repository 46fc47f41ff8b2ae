//! `cargo xtask import`: imports a folder natively and prints the result.

use crate::cargo;
use crate::conform::{self, adaptors::imports};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tuckbox::Json;
use tuckbox::import::{self, SourceFile};

/// Import logs of other tools and print a report.
#[derive(clap::Args)]
pub struct Args {
    /// Files or folders
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Print every request, not only the last one
    #[arg(long)]
    every: bool,
    /// Treat each folder `SOURCE/CASE` below the path as a case and write `SOURCE/CASE.json` below
    /// this folder
    #[arg(long)]
    cases: Option<PathBuf>,
    /// Treat each folder `SOURCE/CASE` below the path as a case and import it natively and in every
    /// runtime; all results must have the same bytes
    #[arg(long, conflicts_with_all = ["cases", "every"])]
    everywhere: bool,
}

/// Files that describe a case and are not logs.
const NOT_LOGS: [&str; 2] = ["truth.json", "meta.json"];

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> Result<ExitCode> {
    if args.everywhere {
        return everywhere(&args.paths);
    }
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

/// Writes the cases with their native results to a file, and runs it with `cargo xtask conform` in
/// every runtime.
fn everywhere(paths: &[PathBuf]) -> Result<ExitCode> {
    let mut cases = Vec::new();
    for root in paths {
        for source in folders(root)? {
            for case in folders(&source)? {
                let mut files = Vec::new();
                collect(&case, &mut files)?;
                let files = files.iter().map(|(name, bytes)| as_call(name, bytes)).collect();
                let input = Json::from([("files", Json::Array(files))]);
                cases.push(Json::from([
                    ("name", Json::from(case.display().to_string())),
                    ("input", input.clone()),
                    ("expect", imports::expected(&input)),
                ]));
            }
        }
    }
    let dir = cargo::scratch(&format!("imports-{}", std::process::id()))?;
    let text = Json::from([("cases", Json::Array(cases))]).to_string();
    fs::write(dir.join("imports.json"), text)?;
    let through = conform::Through::All;
    let done =
        conform::run(&conform::Args { dir: Some(dir.clone()), through, json: false, show: 10 });
    fs::remove_dir_all(dir)?;
    done
}

/// Returns a file as an argument of `import`.
fn as_call(name: &str, bytes: &[u8]) -> Json {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Json::from([("name", name), ("text", text)]),
        Ok(_) | Err(_) => Json::from([("name", name), ("base64", &base64(bytes))]),
    }
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit =
                ALPHABET.get((bits >> (18 - 6 * at) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if at > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    out
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
