//! `cargo xtask inspect`: builds and serves the inspector.

use crate::package::{self, Form};
use crate::process::{seconds, timed};
use crate::serve::{self, Mount, Port, Running};
use crate::{npm, tree};
use anyhow::{Result, anyhow, bail};
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Build the inspector in its quick form, serve it and open it in a browser. Press Ctrl-C to stop.
#[derive(Parser)]
pub struct Args {
    /// Port to listen on [default: 8825, or the next free one]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Print the URL without opening a browser
    #[arg(long)]
    pub no_open: bool,
}

/// `TUCK` on a phone keypad.
const DEFAULT_PORT: u16 = 8825;

/// Folders of `pkg/` that the page does not import. The build writes two of them.
const NOT_IMPORTED: [&str; 3] = ["binding", "extension", "inspector"];

/// Locked while the page or the inspector of the package is bundled, because several steps of a test
/// run need them. After a panic there is no stamp, so they are built again.
static BUNDLING: Mutex<()> = Mutex::new(());

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let started = Instant::now();
    let page = build(Form::Quick)?;
    eprintln!("[3/3] serve the inspector ({} since the start)", seconds(started.elapsed()));
    let port = args.port.map_or(Port::From(DEFAULT_PORT), Port::Exactly);
    let running = serve_page(port, page)?;
    println!("inspector: {}", running.url);
    println!("press Ctrl-C to stop");
    if !args.no_open && !open(&running.url) {
        println!("cannot open a browser; open the URL yourself");
    }
    running.wait();
    Ok(ExitCode::SUCCESS)
}

/// Builds the package and the page. Returns the folder to serve.
pub fn build(form: Form) -> Result<PathBuf> {
    let www = tree::root().join("www");
    if !www.join("package.json").is_file() {
        bail!("`www/package.json` is missing from this checkout");
    }
    thread::scope(|scope| {
        // npm downloads the dependencies of the page while cargo compiles the core
        let installing = scope.spawn(|| npm::install(&www));
        eprintln!("[1/3] build the package");
        let built = package::build(form);
        let installed = installing.join();
        built?;
        installed.unwrap_or_else(|_| Err(anyhow!("the thread that ran npm panicked")))
    })?;
    let _guard = BUNDLING.lock().unwrap_or_else(PoisonError::into_inner);
    eprintln!("[2/3] build the page");
    let dist = www.join("dist");
    let stamp = www.join("node_modules/.built");
    let mut sources = tree::files_below(&www, &["node_modules", "dist"])?;
    sources.extend(tree::files_below(&tree::root().join("pkg"), &NOT_IMPORTED)?);
    let wanted = npm::fingerprint(&sources)?;
    // a type-checked page can replace one that is not
    let good = |form: Form| format!("{form:?} {wanted}");
    let found = fs::read_to_string(&stamp).unwrap_or_default();
    if dist.join("index.html").is_file() && (found == good(form) || found == good(Form::Small)) {
        return Ok(dist);
    }
    let words: &[&str] = match form {
        Form::Small => &["build"],
        Form::Quick => &["build", "--minify", "false"],
    };
    timed("bundle the page", || tool(&www, "vite/bin/vite.js", words))?;
    fs::write(&stamp, good(form))?;
    Ok(dist)
}

/// Checks the types of the page.
///
/// # Errors
/// When npm cannot install the dependencies of the page, or a type is wrong.
pub fn check_types() -> Result<()> {
    let www = tree::root().join("www");
    npm::install(&www)?;
    timed("check the types of the page", || tool(&www, "typescript/bin/tsc", &["--noEmit"]))
}

/// Builds the page and the element of the npm package into `pkg/inspector`.
///
/// # Errors
/// When npm cannot install the dependencies of the page, or the page does not bundle.
pub fn bundle_into_package() -> Result<()> {
    let _guard = BUNDLING.lock().unwrap_or_else(PoisonError::into_inner);
    let www = tree::root().join("www");
    npm::install(&www)?;
    let stamp = www.join("node_modules/.packaged");
    let wanted = npm::fingerprint(&tree::files_below(&www, &["node_modules", "dist"])?)?;
    let there = tree::root().join("pkg/inspector/index.html").is_file();
    if there && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let words = ["build", "--config", "vite.package.config.ts"];
    timed("bundle the inspector into the package", || tool(&www, "vite/bin/vite.js", &words))?;
    fs::write(&stamp, wanted)?;
    Ok(())
}

/// Runs a tool that is installed with the page.
fn tool(www: &Path, script: &str, words: &[&str]) -> Result<()> {
    let mut command = npm::node();
    command.arg(www.join("node_modules").join(script)).args(words).current_dir(www);
    npm::program(command).succeed(&format!("`{script}` in `www`")).map(drop)
}

/// Serves the page at `/` and the package at `/pkg/`.
///
/// # Errors
/// When the port is in use.
pub fn serve_page(port: Port, page: PathBuf) -> Result<Running> {
    let pkg = tree::root().join("pkg");
    serve::start(port, vec![Mount { prefix: "/", dir: page }, Mount { prefix: "/pkg/", dir: pkg }])
}

fn open(url: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
