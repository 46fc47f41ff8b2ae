//! `cargo xtask build`: the npm package.
//!
//! The core is compiled once for WebAssembly and cut into parts; wasm-bindgen writes one glue for
//! every runtime; the entries in `pkg/` are written by hand and only choose how a part arrives.

use crate::process::{say, timed};
use crate::{cargo, npm, split, tree};
use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Parser;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use tuckbox::Json;
use tuckbox::call::{Part, operations};
use wasm_bindgen_cli_support::Bindgen;

/// Build the npm package: the module in its parts, its glue and its inline forms, into
/// `pkg/generated`.
///
/// Installs the WebAssembly target and the Node tools where they are missing. What did not change
/// is not built again.
#[derive(Parser, Clone, Copy, Default)]
pub struct Args {
    /// Compile without optimisation and leave wasm-opt out: faster to build, larger, slower
    #[arg(long)]
    pub dev: bool,
}

/// The features every runtime we name supports. `--all-features` makes modules that some refuse.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
];

/// What we ask of wasm-opt. Stripping happens here and not in cargo: wasm-bindgen still needs the
/// section that names the target's features.
const OPTIMISE: [&str; 4] =
    ["-Oz", "--strip-debug", "--strip-producers", "--strip-target-features"];

/// Runs the command.
pub fn run(args: Args) -> Result<ExitCode> {
    let package = build(args)?;
    package.print_sizes()?;
    Ok(ExitCode::SUCCESS)
}

/// The generated part of the package.
pub struct Package {
    generated: PathBuf,
}

/// Held while the package is built: steps of a test run may ask for it at the same time.
static BUILDING: Mutex<()> = Mutex::new(());

/// Builds the package, or finds that the last build is still good.
pub fn build(args: Args) -> Result<Package> {
    // whoever panicked here left no stamp, so the folder is made again
    let _guard = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    cargo::need_wasm_target()?;
    npm::install(&tree::root().join("tests"))?;
    let wasm = timed("compile the core for WebAssembly", || compile(args))?;
    let package = Package { generated: tree::root().join("pkg/generated") };
    let stamp = package.generated.join(".stamp");
    let wanted = stamp_of(&wasm, args)?;
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) && package.is_whole() {
        say("the module did not change");
        return Ok(package);
    }
    // without its stamp a half-written folder is never taken for a finished one
    let _ = fs::remove_dir_all(&package.generated);
    fs::create_dir_all(&package.generated).context("cannot make `pkg/generated`")?;
    timed("cut the module into its parts", || package.write_parts(&wasm))?;
    timed("wasm-bindgen", || bind(&package.part("core"), &package.generated))?;
    fs::rename(package.generated.join("core_bg.wasm"), package.part("core"))
        .context("cannot replace the core by its bound form")?;
    for part in Part::ALL {
        let module = package.part(part.as_str());
        if !args.dev {
            timed(&format!("wasm-opt: {}", part.as_str()), || optimise(&module))?;
        }
        inline(&module)?;
    }
    package.write_operations()?;
    fs::write(&stamp, wanted).context("cannot write in `pkg/generated`")?;
    Ok(package)
}

fn compile(args: Args) -> Result<PathBuf> {
    // a crate of two types is compiled without link-time optimisation, so only the one is built
    let mut command = cargo::cargo(["rustc", "--package", "tuckbox-binding", "--lib"]);
    command.args(["--crate-type", "cdylib", "--target", cargo::WASM]);
    if !args.dev {
        command.args(["--profile", "wasm"]);
    }
    // the cut follows the references that the linker knows of
    command.args(["--", "-C", "link-arg=--emit-relocs"]);
    cargo::program(command).succeed("compiling for WebAssembly")?;
    let profile = if args.dev { "debug" } else { "wasm" };
    Ok(cargo::target_dir()?.join(cargo::WASM).join(profile).join("tuckbox_binding.wasm"))
}

/// Names everything the generated files depend on.
fn stamp_of(wasm: &Path, args: Args) -> Result<String> {
    let bytes = fs::read(wasm).with_context(|| format!("cannot read `{}`", wasm.display()))?;
    let lock = tree::root().join("tests/package-lock.json");
    let mut hash = Sha256::new();
    hash.update(&bytes);
    // the version of wasm-opt is in the lock, that of wasm-bindgen in the sections of the module
    hash.update(npm::fingerprint(&[lock])?);
    hash.update(split::SOURCE.concat());
    hash.update(format!("{FEATURES:?} {OPTIMISE:?} {} {INLINE_HEAD} reset", args.dev));
    Ok(npm::hex(&hash.finalize()))
}

fn bind(wasm: &Path, into: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name("core");
    // the public types are written by hand: the generated ones say `any` and need the DOM
    bindgen.web(true)?.omit_default_module_path(true).typescript(false);
    // after a trap the package starts a new instance and never touches the old one again
    bindgen.reset_state_function(true).generate(into)
}

fn optimise(module: &Path) -> Result<()> {
    let optimised = module.with_extension("opt");
    let mut command = npm::node();
    command.arg(npm::tool("binaryen/bin/wasm-opt")?);
    command.args(FEATURES).args(OPTIMISE).arg(module).arg("-o").arg(&optimised);
    npm::program(command).succeed("`wasm-opt`")?;
    fs::rename(&optimised, module).context("cannot replace the module by its optimised form")
}

const INLINE_HEAD: &str =
    "// Generated: the module in base64, for every runtime that has no better way to load it.\n";

fn inline(module: &Path) -> Result<()> {
    let bytes = fs::read(module).context("cannot read the module")?;
    let text = format!("{INLINE_HEAD}export default \"{}\";\n", STANDARD.encode(bytes));
    fs::write(module.with_extension("inline.js"), text).context("cannot write the inline form")
}

impl Package {
    /// The WebAssembly module of a part.
    pub fn part(&self, name: &str) -> PathBuf {
        self.generated.join(name).with_extension("wasm")
    }

    fn write_parts(&self, wasm: &Path) -> Result<()> {
        let pieces = split::split(&fs::read(wasm).context("cannot read the module")?)?;
        let found: BTreeSet<&str> = pieces.parts.iter().map(|(name, _)| name.as_str()).collect();
        let named = Part::ALL.iter().map(|part| part.as_str()).filter(|name| *name != "core");
        if found != named.collect() {
            bail!(
                "the module was cut into {found:?}, and not into the parts in `call::operations`"
            );
        }
        fs::write(self.part("core"), pieces.core)?;
        for (name, bytes) in pieces.parts {
            fs::write(self.part(&name), bytes)?;
        }
        Ok(())
    }

    /// Names every operation, so that a host need not ask the module.
    fn write_operations(&self) -> Result<()> {
        let names: Json = operations().collect();
        let text = format!("// Generated: the names of all operations.\nexport default {names};\n");
        fs::write(self.operations(), text).context("cannot write the names of the operations")
    }

    fn operations(&self) -> PathBuf {
        self.generated.join("operations.js")
    }

    fn glue(&self) -> PathBuf {
        self.generated.join("core.js")
    }

    fn is_whole(&self) -> bool {
        let parts = Part::ALL.iter().map(|part| self.part(part.as_str()));
        let inlined = parts.clone().map(|part| part.with_extension("inline.js"));
        parts.chain(inlined).chain([self.glue(), self.operations()]).all(|file| file.is_file())
    }

    /// Prints how large the parts are, as they lie and as they travel.
    pub fn print_sizes(&self) -> Result<()> {
        let parts = Part::ALL.iter().map(|part| self.part(part.as_str()));
        for file in parts.chain([self.glue()]) {
            let bytes = fs::read(&file)?;
            let gzip = gzip_size(&bytes)?;
            println!("{:<32}{:>12} bytes{:>12} gzip", tree::shown(&file), bytes.len(), gzip);
        }
        Ok(())
    }
}

fn gzip_size(bytes: &[u8]) -> Result<usize> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}
