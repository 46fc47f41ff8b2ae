//! `cargo xtask build`: the npm package.
//!
//! The core is compiled once for WebAssembly and cut into parts; wasm-bindgen writes one glue for
//! every runtime; the entries in `pkg/` are written by hand and only choose how a part arrives.
//! For a look at the page there is a quick form: the same package, with everything in the core.

use crate::process::{say, timed};
use crate::{alike, cargo, copies, inspect, npm, split, tree};
use anyhow::{Context, Result, anyhow, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Parser;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::thread;
use wasm_bindgen_cli_support::Bindgen;

/// Build the npm package: the module in its parts, its glue and its inline forms into
/// `pkg/generated`, the inspector into `pkg/inspector`.
///
/// Installs the WebAssembly target and the Node tools where they are missing. What did not change
/// is not built again.
#[derive(Parser, Clone, Copy)]
pub struct Args {
    /// Compile quickly: one large module that is several times as slow to load
    #[arg(long)]
    pub quick: bool,
}

/// How the package is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is published: in parts, each as small as can be.
    Small,
    /// In a fraction of the time: the module in one piece, hardly optimised.
    Quick,
}

impl Form {
    /// The profile in `Cargo.toml`.
    const fn profile(self) -> &'static str {
        match self {
            Self::Small => "wasm",
            Self::Quick => "wasm-quick",
        }
    }
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
const OPTIMISE: [&str; 5] =
    ["-Oz", alike::SORT, "--strip-debug", "--strip-producers", "--strip-target-features"];

/// Runs the command.
pub fn run(args: Args) -> Result<ExitCode> {
    let package = build(if args.quick { Form::Quick } else { Form::Small })?;
    inspect::bundle_into_package()?;
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
pub fn build(form: Form) -> Result<Package> {
    // whoever panicked here left no stamp, so the folder is made again
    let _guard = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let package = Package { generated: tree::root().join("pkg/generated") };
    if form == Form::Quick && package.is_small_and_current()? {
        say("the module is there already, in its small form");
        return Ok(package);
    }
    cargo::need_wasm_target()?;
    if form == Form::Small {
        npm::install(&tree::root().join("tests"))?;
    }
    let sources = sources()?;
    let wasm = timed("compile the core for WebAssembly", || compile(form))?;
    let stamp = package.stamp();
    let wanted = stamp_of(&wasm, form)?;
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        say("the module did not change");
        fs::write(package.source_stamp(), sources)?;
        return Ok(package);
    }
    // without its stamp a half-written folder is never taken for a finished one
    let _ = fs::remove_dir_all(&package.generated);
    fs::create_dir_all(&package.generated).context("cannot make `pkg/generated`")?;
    let cut = match form {
        Form::Small => timed("cut the module into its parts", || package.write_parts(&wasm))?,
        Form::Quick => {
            fs::copy(&wasm, package.part("core")).context("cannot copy the module")?;
            Vec::new()
        }
    };
    timed("wasm-bindgen", || bind(&package.part("core"), &package.generated))?;
    fs::rename(package.generated.join("core_bg.wasm"), package.part("core"))
        .context("cannot replace the core by its bound form")?;
    let catalogue = package.ask()?;
    match form {
        Form::Small => same_parts(&cut, &catalogue.parts)?,
        Form::Quick => package.write_empty(&catalogue.parts)?,
    }
    let modules = package.modules()?;
    if form == Form::Small {
        modules.iter().try_for_each(|module| shorten(module))?;
        timed("wasm-opt", || optimise_all(&modules))?;
    }
    for module in &modules {
        validate(module)?;
        inline(module)?;
    }
    package.write_operations(&catalogue.operations)?;
    package.write_tables(&catalogue.tables)?;
    fs::write(package.source_stamp(), sources)?;
    fs::write(&stamp, wanted).context("cannot write in `pkg/generated`")?;
    Ok(package)
}

fn same_parts(cut: &[String], named: &[String]) -> Result<()> {
    let cut: BTreeSet<&str> = cut.iter().map(String::as_str).collect();
    let named: BTreeSet<&str> =
        named.iter().map(String::as_str).filter(|name| *name != "core").collect();
    if cut != named {
        bail!("the module was cut into {cut:?}, and its operations are in {named:?}");
    }
    Ok(())
}

fn compile(form: Form) -> Result<PathBuf> {
    // the crate is a library, for its tests; the module is asked for here
    let mut command = cargo::cargo(["rustc", "--package", "tuckbox-binding", "--lib"]);
    command.args(["--crate-type", "cdylib"]);
    for_module(&mut command, form);
    if form == Form::Small {
        // the cut follows the references that the linker knows of
        command.args(["--", "-C", "link-arg=--emit-relocs"]);
    }
    cargo::program(command).succeed("compiling for WebAssembly")?;
    let dir = cargo::target_dir()?.join(cargo::WASM).join(form.profile());
    Ok(dir.join("tuckbox_binding.wasm"))
}

/// Has cargo compile for WebAssembly as the module is compiled, so that nothing is compiled twice.
pub fn for_module(command: &mut Command, form: Form) {
    command.args(["--target", cargo::WASM, "--profile", form.profile()]);
    // lints run natively: clippy would also change how the module is optimised
    command.env("RUSTC_WORKSPACE_WRAPPER", "");
    command.arg("--config").arg(format!("target.{}.rustflags={}", cargo::WASM, same_everywhere()));
}

/// Flags, as a list in TOML. Some keep the folders of this machine out of the module: panics name
/// the files of dependencies, and the same sources should give the same bytes everywhere. One asks
/// for SHA-256 without unrolled rounds, which is 6 KB smaller.
fn same_everywhere() -> Value {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let folders = registries.into_iter().flatten().flatten().map(|entry| entry.path());
    let remapped = folders.map(|folder| format!("--remap-path-prefix={}=crates", folder.display()));
    remapped.chain(["--cfg=sha2_backend_soft=\"compact\"".to_owned()]).collect()
}

/// Names everything the generated files depend on.
fn stamp_of(wasm: &Path, form: Form) -> Result<String> {
    let bytes = fs::read(wasm).with_context(|| format!("cannot read `{}`", wasm.display()))?;
    let lock = tree::root().join("tests/package-lock.json");
    let mut hash = Sha256::new();
    hash.update(&bytes);
    // the version of wasm-opt is in the lock, that of wasm-bindgen in the sections of the module
    hash.update(npm::fingerprint(&[lock])?);
    hash.update(split::SOURCE.concat());
    hash.update(copies::SOURCE);
    hash.update(alike::SOURCE);
    hash.update(format!("{FEATURES:?} {OPTIMISE:?} {INLINE_HEAD} {ASK} {LAYOUT} reset"));
    Ok(format!("{form:?} {}", npm::hex(&hash.finalize())))
}

/// Names everything that the module is compiled from.
fn sources() -> Result<String> {
    let root = tree::root();
    let mut files = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
    for folder in ["src", "pkg/binding"] {
        files.extend(tree::files_below(&root.join(folder), &["tests"])?);
    }
    Ok(format!("{} {LAYOUT}", npm::fingerprint(&files)?))
}

/// Goes up whenever other files are generated from the same module.
const LAYOUT: u8 = 3;

/// The name of a declared table, the columns of its key, and those among them that hold whole numbers.
fn keys_of(table: &Value) -> Value {
    let list = |name: &str| table.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let key = list("key");
    let is_integer =
        |column: &&Value| column.get("type").and_then(Value::as_str) == Some("integer");
    let mut integers: Vec<Value> = list("columns")
        .iter()
        .filter(is_integer)
        .filter_map(|column| column.get("name").cloned())
        .collect();
    integers.retain(|name| key.contains(name));
    serde_json::json!({ "name": table.get("name"), "key": key, "integers": integers })
}

fn bind(wasm: &Path, into: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name("core");
    // the public types are written by hand: the generated ones say `any` and need the DOM
    bindgen.web(true)?.omit_default_module_path(true).typescript(false);
    // after a trap the package starts a new instance and never touches the old one again
    bindgen.reset_state_function(true).generate(into)
}

fn shorten(module: &Path) -> Result<()> {
    let bytes = fs::read(module).context("cannot read the module")?;
    let bytes = copies::shorten(&bytes).with_context(|| format!("in `{}`", tree::shown(module)))?;
    fs::write(module, bytes).context("cannot write the module")
}

/// Makes all modules smaller, two at a time.
fn optimise_all(modules: &[PathBuf]) -> Result<()> {
    // npm installs once for both
    let tool = npm::tool("binaryen/bin/wasm-opt")?;
    let waiting = Mutex::new(modules.iter());
    let work = || -> Result<()> {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(module) => optimise(&tool, module)?,
                None => return Ok(()),
            }
        }
    };
    thread::scope(|scope| {
        let other = scope.spawn(work);
        let mine = work();
        let theirs = other.join().unwrap_or_else(|_| Err(anyhow!("a thread of wasm-opt panicked")));
        mine.and(theirs)
    })
}

fn optimise(tool: &Path, module: &Path) -> Result<()> {
    let named = alike::name(&fs::read(module).context("cannot read the module")?)?;
    fs::write(module, named).context("cannot write the module")?;
    let optimised = module.with_extension("opt");
    let mut command = npm::node();
    command.arg(tool);
    command.args(FEATURES).args(OPTIMISE).arg(module).arg("-o").arg(&optimised);
    npm::program(command).succeed("`wasm-opt`")?;
    fs::rename(&optimised, module).context("cannot replace the module by its optimised form")
}

/// Checks that a module is one, with no more than the features that every runtime has.
fn validate(module: &Path) -> Result<()> {
    let bytes = fs::read(module).context("cannot read the module")?;
    split::validate(&bytes).with_context(|| format!("`{}` is not valid", tree::shown(module)))
}

const INLINE_HEAD: &str =
    "// Generated: the module in base64, for every runtime that has no better way to load it.\n";

fn inline(module: &Path) -> Result<()> {
    let bytes = fs::read(module).context("cannot read the module")?;
    let text = format!("{INLINE_HEAD}export default \"{}\";\n", STANDARD.encode(bytes));
    fs::write(module.with_extension("inline.js"), text).context("cannot write the inline form")
}

/// Asks a module for its parts and operations, in Node.
const ASK: &str = "
    import { readFileSync } from 'node:fs';
    const [glue, module] = process.argv.slice(1);
    const { initSync, catalogue, tables } = await import(glue);
    initSync({ module: readFileSync(module) });
    console.log(JSON.stringify({ ...catalogue(), tables: JSON.parse(tables()) }));
";

/// The smallest module there is: what the quick form has for a part that is in the core already.
const EMPTY: [u8; 8] = *b"\0asm\x01\0\0\0";

/// What a module says about itself.
struct Catalogue {
    parts: Vec<String>,
    operations: Vec<String>,
    tables: Value,
}

impl Package {
    /// The WebAssembly module of a part.
    pub fn part(&self, name: &str) -> PathBuf {
        self.generated.join(name).with_extension("wasm")
    }

    /// Writes the pieces of the module; gives back the names of the parts beside the core.
    fn write_parts(&self, wasm: &Path) -> Result<Vec<String>> {
        let pieces = split::split(&fs::read(wasm).context("cannot read the module")?)?;
        fs::write(self.part("core"), pieces.core)?;
        for (name, bytes) in &pieces.parts {
            fs::write(self.part(name), bytes)?;
        }
        Ok(pieces.parts.into_iter().map(|(name, _)| name).collect())
    }

    /// Puts everything into the core, and nothing into the other parts.
    fn write_empty(&self, parts: &[String]) -> Result<()> {
        for part in parts.iter().filter(|part| *part != "core") {
            fs::write(self.part(part), EMPTY)?;
        }
        Ok(())
    }

    fn ask(&self) -> Result<Catalogue> {
        npm::need_node()?;
        let mut command = npm::node();
        command.args(["--input-type=module", "--eval", ASK, "--"]);
        command.arg(self.glue()).arg(self.part("core"));
        let answer = npm::program(command).succeed("asking the module for its operations")?;
        let answer: Value = serde_json::from_str(&answer).context("the module told no JSON")?;
        let names = |key: &str| {
            let list = answer.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let tables = answer.get("tables").cloned().context("the module told no tables")?;
        Ok(Catalogue { parts: names("parts"), operations: names("operations"), tables })
    }

    /// Names every operation, so that a host need not ask the module.
    fn write_operations(&self, names: &[String]) -> Result<()> {
        let names = Value::from(names);
        let text = format!("// Generated: the names of all operations.\nexport default {names};\n");
        fs::write(self.operations(), text).context("cannot write the names of the operations")
    }

    /// Describes every declared table, so that a store works from the same list as the core: whole for databases,
    /// and only the keys for stores that keep rows as they come, which every page loads.
    fn write_tables(&self, tables: &Value) -> Result<()> {
        let text = format!("// Generated: the declared tables.\nexport default {tables};\n");
        fs::write(self.generated.join("tables.js"), text)
            .context("cannot write the declared tables")?;
        let keys: Vec<Value> = tables.as_array().into_iter().flatten().map(keys_of).collect();
        let keys = Value::from(keys);
        let text =
            format!("// Generated: the keys of the declared tables.\nexport default {keys};\n");
        fs::write(self.generated.join("keys.js"), text)
            .context("cannot write the keys of the declared tables")
    }

    fn operations(&self) -> PathBuf {
        self.generated.join("operations.js")
    }

    fn glue(&self) -> PathBuf {
        self.generated.join("core.js")
    }

    /// Names the module that the folder was made from; written when everything else is there.
    fn stamp(&self) -> PathBuf {
        self.generated.join(".stamp")
    }

    /// Names the sources that the folder was made from.
    fn source_stamp(&self) -> PathBuf {
        self.generated.join(".sources")
    }

    /// True when the folder holds the small form of what the sources say now.
    fn is_small_and_current(&self) -> Result<bool> {
        let sources = sources()?;
        let is_current =
            fs::read_to_string(self.source_stamp()).is_ok_and(|found| found == sources);
        Ok(is_current && self.is_cut())
    }

    /// True when the module is cut into its parts, as its small form is.
    pub fn is_cut(&self) -> bool {
        fs::read_to_string(self.stamp())
            .is_ok_and(|stamp| stamp.starts_with(&format!("{:?} ", Form::Small)))
    }

    /// The modules in the folder, the core first.
    fn modules(&self) -> Result<Vec<PathBuf>> {
        let mut modules = tree::files_below(&self.generated, &[])?;
        modules.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
        modules.sort_by_key(|file| (file != &self.part("core"), file.clone()));
        Ok(modules)
    }

    /// Prints how large the parts are, as they lie and as they travel.
    pub fn print_sizes(&self) -> Result<()> {
        for file in self.modules()?.into_iter().chain([self.glue()]) {
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
