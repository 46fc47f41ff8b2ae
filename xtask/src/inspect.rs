//! `cargo xtask inspect`: the page, built and served.

use crate::process::timed;
use crate::serve::{self, Mount, Port, Running};
use crate::{chromium, npm, package, tree};
use anyhow::{Result, bail};
use clap::Parser;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// Build everything, serve the inspector and open it in the browser. Ctrl-C ends it.
#[derive(Parser)]
pub struct Args {
    /// Listen on exactly this port [default: 8825, or the next free one]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Only print the address, open no browser
    #[arg(long)]
    pub no_open: bool,
}

/// `TUCK` on a telephone.
const DEFAULT_PORT: u16 = 8825;

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let page = build()?;
    let port = args.port.map_or(Port::From(DEFAULT_PORT), Port::Exactly);
    let running = serve_page(port, page)?;
    println!("the inspector is at {}", running.address);
    println!("Ctrl-C ends it");
    if !args.no_open && !open(&running.address) {
        println!("no browser could be opened: open the address yourself");
    }
    running.wait();
    Ok(ExitCode::SUCCESS)
}

/// Builds the package and the page; gives back the folder to serve.
pub fn build() -> Result<PathBuf> {
    package::build(package::Args::default())?;
    let www = tree::root().join("www");
    if www.join("package.json").is_file() {
        npm::install(&www)?;
        let dist = www.join("dist");
        let stamp = www.join("node_modules/.built");
        let mut sources = tree::files_below(&www, &["node_modules", "dist"])?;
        sources.extend(tree::files_below(&tree::root().join("pkg"), &[])?);
        let wanted = npm::fingerprint(&sources)?;
        let found = std::fs::read_to_string(&stamp);
        if dist.join("index.html").is_file() && found.is_ok_and(|found| found == wanted) {
            return Ok(dist);
        }
        timed("build the page", || {
            let mut command = Command::new(npm::npm());
            command.args(["run", "--silent", "build"]).current_dir(&www);
            npm::program(command).succeed("`npm run build` in `www`")
        })?;
        std::fs::write(&stamp, wanted)?;
        return Ok(dist);
    }
    if !www.join("index.html").is_file() {
        bail!("there is no page: `www/index.html` is missing from this checkout");
    }
    Ok(www)
}

/// Serves the page at `/` and the package at `/pkg/`.
fn serve_page(port: Port, page: PathBuf) -> Result<Running> {
    let pkg = tree::root().join("pkg");
    serve::start(port, vec![Mount { prefix: "/", dir: page }, Mount { prefix: "/pkg/", dir: pkg }])
}

/// Serves the page for a script that drives a browser, and tells the script where both are. The
/// page is there until the guard is dropped.
pub fn serve_to(command: &mut Command, page: PathBuf) -> Result<Running> {
    let chromium = chromium::need()?;
    npm::install(&tree::root().join("tests"))?;
    let running = serve_page(Port::Any, page)?;
    command.env("CHROMIUM", &chromium.browser).env("TUCKBOX_PAGE", &running.address);
    Ok(running)
}

fn open(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
