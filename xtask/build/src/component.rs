//! `cargo xtask component`: builds the core as a WebAssembly component.
//!
//! Cargo compiles the crate `component/`, and wasm-opt optimizes the module with the options of the
//! npm package. The tools of the component model come from `tests/component`.

use crate::package::{self, Form};
use crate::process::{report, timed};
use crate::{cargo, npm, tree};
use anyhow::{Context, Result, bail};
use clap::Parser;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Build `tuckbox.component.wasm`, the core as a WebAssembly component, into `target/component`.
///
/// Installs the WebAssembly target and the Node tools if they are missing.
#[derive(Parser, Clone, Copy)]
pub struct Args {
    /// Compile quickly: a large component that takes several times as long to load
    #[arg(long)]
    pub quick: bool,
}

/// The maximum size of the component after gzip. It has all operations in one module; without wasm-opt
/// the same module of the npm package has 1,593,547 bytes.
const MAX_GZIP_BYTES: usize = 1_600_000;

/// Makes a component of a module, in Node.
const COMPONENT_NEW: &str = "
    import { readFileSync, writeFileSync } from 'node:fs';
    import { componentNew } from '@bytecodealliance/jco-transpile/wasm-tools';
    const [module, component] = process.argv.slice(1);
    writeFileSync(component, await componentNew(readFileSync(module)));
";

/// Runs the command.
pub fn run(args: Args) -> Result<ExitCode> {
    let component = build(if args.quick { Form::Quick } else { Form::Small })?;
    let bytes = fs::read(&component).context("cannot read the component")?;
    let gzip = package::gzip_bytes(&bytes)?;
    println!("{}: {} bytes, {gzip} bytes after gzip", tree::shown(&component), bytes.len());
    Ok(ExitCode::SUCCESS)
}

/// Builds the component unless the last build is current. Returns its path.
pub fn build(form: Form) -> Result<PathBuf> {
    cargo::need_wasm_target()?;
    let tools = tree::root().join("tests/component");
    npm::install(&tools)?;
    let wasm = timed("compile the component", || compile(form))?;
    let mut folder = cargo::target_dir()?.join("component");
    if form == Form::Quick {
        folder.push("quick");
    }
    fs::create_dir_all(&folder).context("cannot create `target/component`")?;
    let (module, component) = (folder.join("module.wasm"), folder.join("tuckbox.component.wasm"));
    let (stamp, wanted) = (folder.join("stamp"), stamp_of(&wasm, form)?);
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        report("the component is up to date");
        return Ok(component);
    }
    // remove the stamp first, so that an unfinished file is never taken for a finished one
    let _ = fs::remove_file(&stamp);
    fs::copy(&wasm, &module).context("cannot copy the module")?;
    if form == Form::Small {
        timed("wasm-opt", || package::shrink(&module))?;
    }
    let mut command = npm::node();
    command.current_dir(&tools).args(["--input-type=module", "--eval", COMPONENT_NEW, "--"]);
    command.args([&module, &component]);
    npm::program(command).succeed("making the component")?;
    let gzip = package::gzip_bytes(&fs::read(&component).context("cannot read the component")?)?;
    if form == Form::Small && gzip > MAX_GZIP_BYTES {
        bail!("the component has {gzip} bytes after gzip; at most {MAX_GZIP_BYTES} are allowed");
    }
    fs::write(&stamp, wanted).context("cannot write in `target/component`")?;
    Ok(component)
}

fn compile(form: Form) -> Result<PathBuf> {
    // the crate is empty on other targets; this builds it as a module
    let mut command = cargo::cargo(["rustc", "--package", "tuckbox-component", "--lib"]);
    command.args(["--crate-type", "cdylib"]);
    package::for_module(&mut command, form);
    cargo::program(command).succeed("compiling the component")?;
    let dir = cargo::target_dir()?.join(cargo::WASM).join(form.profile());
    Ok(dir.join("tuckbox_component.wasm"))
}

/// Returns the hash of everything that the component depends on.
fn stamp_of(wasm: &Path, form: Form) -> Result<String> {
    let bytes = fs::read(wasm).with_context(|| format!("cannot read `{}`", wasm.display()))?;
    let tests = tree::root().join("tests");
    let locks = ["package-lock.json", "component/package-lock.json"].map(|name| tests.join(name));
    let mut hash = Sha256::new();
    hash.update(&bytes);
    hash.update(npm::fingerprint(&locks)?);
    Ok(format!("{form:?} {}", npm::hex(&hash.finalize())))
}
