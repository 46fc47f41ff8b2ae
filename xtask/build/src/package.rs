//! `cargo xtask build`: builds the npm package.
//!
//! Cargo compiles the core for WebAssembly, and the build splits it into parts. wasm-bindgen writes
//! one glue for all runtimes. The handwritten entries in `pkg/` select how a part is loaded. The
//! quick form is the same package with everything in the core.

use crate::process::{report, timed};
use crate::{alike, cargo, inspect, npm, split, tree};
use anyhow::{Context, Result, anyhow, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Parser;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::thread;
use wasm_bindgen_cli_support::Bindgen;

/// Build the npm package: the module in parts, its glue and its inline forms into `pkg/generated`,
/// the inspector into `pkg/inspector`.
///
/// Installs the WebAssembly target and the Node tools if they are missing. Unchanged files are not
/// built again.
#[derive(Parser, Clone, Copy)]
pub struct Args {
    /// Compile quickly: one large module that takes several times as long to load
    #[arg(long)]
    pub quick: bool,
}

/// The form of the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The published form: in parts, optimized for size.
    Small,
    /// The quick form: one module with few optimizations.
    Quick,
}

impl Form {
    /// Returns the profile in `Cargo.toml`.
    pub(crate) const fn profile(self) -> &'static str {
        match self {
            Self::Small => "wasm",
            Self::Quick => "wasm-quick",
        }
    }
}

/// The features that all supported runtimes have. `--all-features` makes modules that some reject.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
];

/// The options of wasm-opt. Stripping happens here and not in cargo, because wasm-bindgen reads the
/// section of target features.
const OPTIMIZE: [&str; 5] =
    ["-Oz", alike::SORT, "--strip-debug", "--strip-producers", "--strip-target-features"];

/// Runs the command.
pub fn run(args: Args) -> Result<ExitCode> {
    let package = build(if args.quick { Form::Quick } else { Form::Small })?;
    inspect::bundle_into_package()?;
    package.print_sizes()?;
    Ok(ExitCode::SUCCESS)
}

/// The generated files of the package.
pub struct Package {
    generated: PathBuf,
}

/// Locked while the package is built, because steps of a test run build it at the same time.
static BUILDING: Mutex<()> = Mutex::new(());

/// Builds the package unless the last build is current.
pub fn build(form: Form) -> Result<Package> {
    let package = build_module(form)?;
    package.write_schema()?;
    Ok(package)
}

fn build_module(form: Form) -> Result<Package> {
    // after a panic there is no stamp, so the folder is built again
    let _guard = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let package = Package { generated: tree::root().join("pkg/generated") };
    if form == Form::Quick && package.is_small_and_current()? {
        report("the small form of the module is up to date");
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
        report("the module is up to date");
        fs::write(package.source_stamp(), sources)?;
        return Ok(package);
    }
    // remove the stamp first, so that a half-written folder is never taken for a finished one
    let _ = fs::remove_dir_all(&package.generated);
    fs::create_dir_all(&package.generated).context("cannot create `pkg/generated`")?;
    let cut = match form {
        Form::Small => timed("split the module into parts", || package.write_parts(&wasm))?,
        Form::Quick => {
            fs::copy(&wasm, package.part("core")).context("cannot copy the module")?;
            Vec::new()
        }
    };
    timed("wasm-bindgen", || bind(&package.part("core"), &package.generated))?;
    fs::rename(package.generated.join("core_bg.wasm"), package.part("core"))
        .context("cannot replace the core with its bound form")?;
    let catalogue = package.ask()?;
    match form {
        Form::Small => same_parts(&cut, &catalogue.parts)?,
        Form::Quick => package.write_empty(&catalogue.parts)?,
    }
    let modules = package.modules()?;
    if form == Form::Small {
        timed("wasm-opt", || optimize_all(&modules))?;
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
        bail!("the module was split into {cut:?}, but its operations are in {named:?}");
    }
    Ok(())
}

fn compile(form: Form) -> Result<PathBuf> {
    // the crate is a library for its tests; this builds it as a module
    let mut command = cargo::cargo(["rustc", "--package", "tuckbox-binding", "--lib"]);
    command.args(["--crate-type", "cdylib"]);
    for_module(&mut command, form);
    if form == Form::Small {
        // the split follows the relocations of the linker
        command.args(["--", "-C", "link-arg=--emit-relocs"]);
    }
    cargo::program(command).succeed("compiling for WebAssembly")?;
    let dir = cargo::target_dir()?.join(cargo::WASM).join(form.profile());
    Ok(dir.join("tuckbox_binding.wasm"))
}

/// Sets the options under which the module is compiled, so that nothing is compiled twice.
pub fn for_module(command: &mut Command, form: Form) {
    for_profile(command, form.profile());
}

/// Sets the options of every module of WebAssembly, with a profile of `Cargo.toml`.
pub(crate) fn for_profile(command: &mut Command, profile: &str) {
    command.args(["--target", cargo::WASM, "--profile", profile]);
    // clippy runs natively, because its wrapper changes how the module is optimized
    command.env("RUSTC_WORKSPACE_WRAPPER", "");
    command.arg("--config").arg(format!("target.{}.rustflags={}", cargo::WASM, portable_flags()));
}

/// Returns compiler flags as a list in TOML. Some remove local paths from the module, so that the
/// same sources produce the same bytes on every machine. One selects SHA-256 without unrolled
/// rounds, which is 6 KB smaller.
fn portable_flags() -> Value {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let folders = registries.into_iter().flatten().flatten().map(|entry| entry.path());
    let remapped = folders.map(|folder| format!("--remap-path-prefix={}=crates", folder.display()));
    remapped.chain(["--cfg=sha2_backend_soft=\"compact\"".to_owned()]).collect()
}

/// Returns the hash of everything that the generated files depend on.
fn stamp_of(wasm: &Path, form: Form) -> Result<String> {
    let bytes = fs::read(wasm).with_context(|| format!("cannot read `{}`", wasm.display()))?;
    let lock = tree::root().join("tests/package-lock.json");
    let mut hash = Sha256::new();
    hash.update(&bytes);
    // the lock has the version of wasm-opt, a section of the module that of wasm-bindgen
    hash.update(npm::fingerprint(&[lock])?);
    hash.update(split::SOURCE.concat());
    hash.update(alike::SOURCE);
    hash.update(format!("{FEATURES:?} {OPTIMIZE:?} {INLINE_HEAD} {ASK} {LAYOUT} reset"));
    Ok(format!("{form:?} {}", npm::hex(&hash.finalize())))
}

/// Returns the hash of the sources of the module.
fn sources() -> Result<String> {
    let root = tree::root();
    let mut files = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
    for folder in ["src", "pkg/binding"] {
        files.extend(tree::files_below(&root.join(folder), &["tests"])?);
    }
    Ok(format!("{} {LAYOUT}", npm::fingerprint(&files)?))
}

/// Incremented when the same module produces other files.
const LAYOUT: u8 = 4;

/// Returns the name of a declared table, the columns of its key, and its integer columns.
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
    // the public types are handwritten: the generated ones use `any` and need the DOM
    bindgen.web(true)?.omit_default_module_path(true).typescript(false);
    // after a trap the package starts a new instance and never touches the old one again
    bindgen.reset_state_function(true).generate(into)?;
    // the type check reads the types of the glue and leaves its code alone
    let glue = into.join("core.js");
    let text = fs::read_to_string(&glue).context("cannot read the glue")?;
    fs::write(glue, format!("// @ts-nocheck\n{text}")).context("cannot write the glue")
}

/// Optimizes one module for size.
pub(crate) fn shrink(module: &Path) -> Result<()> {
    optimize(&npm::tool("binaryen/bin/wasm-opt")?, module)?;
    validate(module)
}

/// Optimizes all modules, two at a time.
fn optimize_all(modules: &[PathBuf]) -> Result<()> {
    // npm installs once for both threads
    let tool = npm::tool("binaryen/bin/wasm-opt")?;
    let waiting = Mutex::new(modules.iter());
    let work = || -> Result<()> {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(module) => optimize(&tool, module)?,
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

fn optimize(tool: &Path, module: &Path) -> Result<()> {
    let named = alike::name(&fs::read(module).context("cannot read the module")?)?;
    fs::write(module, named).context("cannot write the module")?;
    let optimized = module.with_extension("opt");
    let mut command = npm::node();
    command.arg(tool);
    command.args(FEATURES).args(OPTIMIZE).arg(module).arg("-o").arg(&optimized);
    npm::program(command).succeed("`wasm-opt`")?;
    fs::rename(&optimized, module).context("cannot replace the module with its optimized form")
}

/// Checks that a file is a module that uses only features of all supported runtimes.
fn validate(module: &Path) -> Result<()> {
    let bytes = fs::read(module).context("cannot read the module")?;
    split::validate(&bytes).with_context(|| format!("`{}` is not valid", tree::shown(module)))
}

const INLINE_HEAD: &str =
    "// Generated: the module in base64, for runtimes that cannot load it from a file.\n";

fn inline(module: &Path) -> Result<()> {
    let bytes = fs::read(module).context("cannot read the module")?;
    let text = format!("{INLINE_HEAD}export default \"{}\";\n", STANDARD.encode(bytes));
    fs::write(module.with_extension("inline.js"), text).context("cannot write the inline form")
}

/// Prints the parts, operations and tables of a module, in Node.
const ASK: &str = "
    import { readFileSync } from 'node:fs';
    const [glue, module] = process.argv.slice(1);
    const { initSync, catalogue, tables } = await import(glue);
    initSync({ module: readFileSync(module) });
    console.log(JSON.stringify({ ...catalogue(), tables: JSON.parse(tables()) }));
";

/// The smallest module. In the quick form it replaces parts that are in the core.
const EMPTY: [u8; 8] = *b"\0asm\x01\0\0\0";

/// The content of a module.
struct Catalogue {
    parts: Vec<String>,
    operations: Vec<String>,
    tables: Value,
}

impl Package {
    /// Returns the path of the WebAssembly module of a part.
    pub fn part(&self, name: &str) -> PathBuf {
        self.generated.join(name).with_extension("wasm")
    }

    /// Writes the parts of the module. Returns the names of the parts other than the core.
    fn write_parts(&self, wasm: &Path) -> Result<Vec<String>> {
        let pieces = split::split(&fs::read(wasm).context("cannot read the module")?)?;
        fs::write(self.part("core"), pieces.core)?;
        for (name, bytes) in &pieces.parts {
            fs::write(self.part(name), bytes)?;
        }
        Ok(pieces.parts.into_iter().map(|(name, _)| name).collect())
    }

    /// Writes empty modules for all parts other than the core.
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
        let answer = npm::program(command).succeed("reading the operations of the module")?;
        let answer: Value =
            serde_json::from_str(&answer).context("the module did not print JSON")?;
        let names = |key: &str| {
            let list = answer.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let tables =
            answer.get("tables").cloned().context("the module did not print its tables")?;
        Ok(Catalogue { parts: names("parts"), operations: names("operations"), tables })
    }

    /// Writes the schema of the operations as a module, because not every runtime imports JSON. The
    /// module does not depend on it. While tests use the package, nothing is written.
    fn write_schema(&self) -> Result<()> {
        let schema = fs::read_to_string(tree::root().join("pkg/schema/operations.json"))?;
        let schema: Value = serde_json::from_str(&schema).context("the schema is not JSON")?;
        fs::create_dir_all(&self.generated)?;
        let text =
            format!("// Generated: the schema of the operations.\nexport default {schema};\n");
        tree::write_changed(&self.generated.join("schema.js"), text.as_bytes())?;
        self.write_methods(&schema)
    }

    /// Writes the operation of each method by namespace. Methods of the project itself have none.
    fn write_methods(&self, schema: &Value) -> Result<()> {
        let operations = schema.get("operations").and_then(Value::as_object);
        let mut spaces: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
        for (name, entry) in operations.into_iter().flatten() {
            let method = entry.get("method").and_then(Value::as_str).context("no method")?;
            let (space, method) = method.split_once('.').unwrap_or(("", method));
            spaces.entry(space).or_default().insert(method, name);
        }
        let methods = serde_json::to_string(&spaces)?;
        let text = format!(
            "// Generated: the operation of each method, by namespace.\nexport default {methods};\n"
        );
        tree::write_changed(&self.generated.join("methods.js"), text.as_bytes())
    }

    /// Writes the names of all operations, so that a host need not load the module.
    fn write_operations(&self, names: &[String]) -> Result<()> {
        let names = Value::from(names);
        let text = format!("// Generated: the names of all operations.\nexport default {names};\n");
        fs::write(self.operations(), text).context("cannot write the names of the operations")
    }

    /// Writes the declared tables, so that stores and the core use the same list. Databases need
    /// the whole tables. Other stores need only the keys, and every page loads those.
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

    /// Returns the path of the stamp with the hash of the module. It is written last.
    fn stamp(&self) -> PathBuf {
        self.generated.join(".stamp")
    }

    /// Returns the path of the stamp with the hash of the sources.
    fn source_stamp(&self) -> PathBuf {
        self.generated.join(".sources")
    }

    /// Returns true if the folder has the small form of the current sources.
    fn is_small_and_current(&self) -> Result<bool> {
        let sources = sources()?;
        let is_current =
            fs::read_to_string(self.source_stamp()).is_ok_and(|found| found == sources);
        Ok(is_current && self.is_split())
    }

    /// Returns true if the module is split into parts, as in its small form.
    pub fn is_split(&self) -> bool {
        fs::read_to_string(self.stamp())
            .is_ok_and(|stamp| stamp.starts_with(&format!("{:?} ", Form::Small)))
    }

    /// Returns the modules in the folder, the core first.
    fn modules(&self) -> Result<Vec<PathBuf>> {
        let mut modules = tree::files_below(&self.generated, &[])?;
        modules.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
        modules.sort_by_key(|file| (file != &self.part("core"), file.clone()));
        Ok(modules)
    }

    /// Prints the sizes of the parts, raw and compressed.
    pub fn print_sizes(&self) -> Result<()> {
        for file in self.modules()?.into_iter().chain([self.glue()]) {
            let bytes = fs::read(&file)?;
            let gzip = gzip_bytes(&bytes)?;
            println!("{:<32}{:>12} bytes{:>12} gzip", tree::shown(&file), bytes.len(), gzip);
        }
        Ok(())
    }
}

/// Returns the size of bytes after gzip.
pub(crate) fn gzip_bytes(bytes: &[u8]) -> Result<usize> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}
