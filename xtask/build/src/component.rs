//! `cargo xtask component`: builds the core as WebAssembly components.
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

/// Build the core as WebAssembly components into `target/component`: `tuckbox.component.wasm`, and
/// `tuckbox-full.component.wasm` with all operations.
///
/// Installs the WebAssembly target and the Node tools if they are missing.
#[derive(Parser, Clone, Copy)]
pub struct Args {
    /// Compile quickly: large components that take several times as long to load
    #[arg(long)]
    pub quick: bool,
}

/// The operations of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operations {
    /// Those of contexts, prompts and teams: without the feature `logs`.
    Core,
    /// All.
    Full,
}

impl Operations {
    /// Returns the name of the file without its end.
    const fn name(self) -> &'static str {
        match self {
            Self::Core => "tuckbox",
            Self::Full => "tuckbox-full",
        }
    }

    /// Returns the maximum size of the component after gzip.
    const fn max_gzip_bytes(self) -> usize {
        match self {
            Self::Core => 900_000,
            Self::Full => 1_300_000,
        }
    }
}

/// Makes a component of a module, in Node.
const COMPONENT_NEW: &str = "
    import { readFileSync, writeFileSync } from 'node:fs';
    import { componentNew } from '@bytecodealliance/jco-transpile/wasm-tools';
    const [module, component] = process.argv.slice(1);
    writeFileSync(component, await componentNew(readFileSync(module)));
";

/// Runs the command.
pub fn run(args: Args) -> Result<ExitCode> {
    let form = if args.quick { Form::Quick } else { Form::Small };
    for operations in [Operations::Core, Operations::Full] {
        let component = build(form, operations)?;
        let bytes = fs::read(&component).context("cannot read the component")?;
        let gzip = package::gzip_bytes(&bytes)?;
        println!("{}: {} bytes, {gzip} bytes after gzip", tree::shown(&component), bytes.len());
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds a component unless the last build is current. Returns its path.
pub fn build(form: Form, operations: Operations) -> Result<PathBuf> {
    cargo::need_wasm_target()?;
    let tools = tree::root().join("tests/component");
    npm::install(&tools)?;
    let name = operations.name();
    let wasm = timed(&format!("compile {name}"), || compile(form, operations))?;
    let mut folder = cargo::target_dir()?.join("component");
    if form == Form::Quick {
        folder.push("quick");
    }
    fs::create_dir_all(&folder).context("cannot create `target/component`")?;
    let path = |end: &str| folder.join(format!("{name}.{end}"));
    let (module, component) = (path("module.wasm"), path("component.wasm"));
    let (stamp, wanted) = (path("stamp"), stamp_of(&wasm, form)?);
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
    let max = operations.max_gzip_bytes();
    if form == Form::Small && gzip > max {
        bail!("`{name}` has {gzip} bytes after gzip; at most {max} are allowed");
    }
    fs::write(&stamp, wanted).context("cannot write in `target/component`")?;
    Ok(component)
}

fn compile(form: Form, operations: Operations) -> Result<PathBuf> {
    // the crate is empty on other targets; this builds it as a module
    let mut command = cargo::cargo(["rustc", "--package", "tuckbox-component", "--lib"]);
    command.args(["--crate-type", "cdylib"]);
    if operations == Operations::Core {
        command.arg("--no-default-features");
    }
    let profile = match form {
        Form::Small => "component",
        Form::Quick => form.profile(),
    };
    package::for_profile(&mut command, profile);
    cargo::program(command).succeed("compiling the component")?;
    let dir = cargo::target_dir()?.join(cargo::WASM).join(profile);
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
