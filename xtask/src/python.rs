//! Python: finds the interpreter, makes virtual environments, and builds the module of the package.

use crate::check::RUNNER;
use crate::process::{Installer, Program, installing, timed};
use crate::{cargo, tree};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate of the module.
pub const CRATE: &str = "tuckbox-python";

const REMEDY: &str = "install Python 3.10 or newer (https://www.python.org/downloads, or the package \
                      `python3` and `python3-venv` of the system), or name it in the environment: PYTHON";

/// The package that builds wheels.
pub const MATURIN: &str = "maturin>=1.16,<2";

/// The names of interpreters, in the order in which they are tried.
const NAMES: [&str; 8] = [
    "python3",
    "python3.14",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3.10",
    "python",
    "py",
];

/// Builds the module in the profile of the native tests, so that they share their compiled crates,
/// and puts it into the package. Returns the interpreter of a virtual environment.
pub fn built() -> Result<PathBuf> {
    let python = environment("python", false)?;
    let mut build = cargo::cargo(["build", "--workspace", "--exclude", RUNNER, "--lib"]);
    // the stable ABI needs no interpreter
    build.env("PYO3_NO_PYTHON", "1");
    let output = cargo::program(build).succeed("building the module of Python")?;
    if output.lines().any(|line| line.starts_with("warning: ")) {
        bail!("clippy reports lints\n{}", output.trim_end());
    }
    let (made, placed) = if cfg!(windows) {
        ("_native.dll", "_native.pyd")
    } else if cfg!(target_os = "macos") {
        ("lib_native.dylib", "_native.abi3.so")
    } else {
        ("lib_native.so", "_native.abi3.so")
    };
    let made = cargo::target_dir()?.join("debug").join(made);
    replace(&made, &tree::root().join("python/tuckbox").join(placed))?;
    Ok(python)
}

/// Builds a wheel without paths of this machine. Returns the wheel, which is alone in its folder.
pub fn wheel(python: &Path, is_verbose: bool) -> Result<PathBuf> {
    let wheels = cargo::scratch("wheels")?;
    for old in std::fs::read_dir(&wheels)? {
        std::fs::remove_file(old?.path())?;
    }
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--manifest-path", "python/Cargo.toml"]);
    // as in the release; smaller than the default
    maturin.args(["--compression-level", "9", "--out"]);
    maturin.arg(&wheels).current_dir(tree::root());
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let places = home.into_iter().chain([tree::root().to_path_buf()]);
    let flags = places.map(|place| format!("--remap-path-prefix={}=crates", place.display()));
    maturin.env("CARGO_ENCODED_RUSTFLAGS", flags.collect::<Vec<_>>().join("\x1f"));
    Program::new(maturin, "").stream(is_verbose).succeed("`maturin build`")?;
    Ok(std::fs::read_dir(&wheels)?.next().context("maturin wrote no wheel")??.path())
}

/// Installs a wheel into an environment without other packages. Returns its interpreter.
pub fn installed(wheel: &Path) -> Result<PathBuf> {
    let python = environment("python-wheel", true)?;
    let name = wheel.to_string_lossy().into_owned();
    install(&python, &["--force-reinstall", "--no-deps", &name])?;
    Ok(python)
}

/// Returns the interpreter of a virtual environment with wasmtime. It also finds the package.
pub fn with_wasmtime() -> Result<PathBuf> {
    built()?;
    let python = environment("python-component", true)?;
    install(&python, &["wasmtime==50.0.1"])?;
    Ok(python)
}

/// Copies a file if it is newer. A new file is used, because a running interpreter has the old one.
fn replace(from: &Path, to: &Path) -> Result<()> {
    let time = |path: &Path| std::fs::metadata(path).and_then(|of| of.modified());
    if time(to).is_ok_and(|old| time(from).is_ok_and(|new| new <= old)) {
        return Ok(());
    }
    let next = to.with_extension(format!("{}.new", std::process::id()));
    std::fs::copy(from, &next).with_context(|| format!("cannot copy `{}`", from.display()))?;
    std::fs::rename(&next, to).with_context(|| format!("cannot write `{}`", to.display()))
}

/// Returns the interpreter of a virtual environment below the target folder; makes it if needed.
pub fn environment(name: &str, has_pip: bool) -> Result<PathBuf> {
    let _guard = installing(Installer::Python);
    let folder = cargo::target_dir()?.join("xtask").join(name);
    let program = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let python = folder.join(program);
    if python.is_file() && is_new_enough(&python).is_ok_and(|found| found) {
        return Ok(python);
    }
    let mut make = Command::new(find()?);
    make.args(["-m", "venv", "--clear"]).arg(&folder);
    if !has_pip {
        make.arg("--without-pip");
    }
    timed("python -m venv", || Program::new(make, REMEDY).succeed("`python -m venv`"))?;
    Ok(python)
}

/// Installs packages into a virtual environment with pip, if a package is missing.
pub fn install(python: &Path, packages: &[&str]) -> Result<()> {
    let _guard = installing(Installer::Python);
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    let remedy = "pip needs network";
    timed("pip install", || Program::new(pip, remedy).succeed("`pip install`").map(drop))
}

/// Finds an interpreter of version 3.10 or newer.
fn find() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("PYTHON").map(PathBuf::from) {
        return match is_new_enough(&named) {
            Ok(true) => Ok(named),
            Ok(false) => bail!("PYTHON is `{}`, which is too old; {REMEDY}", named.display()),
            Err(error) => bail!("PYTHON is `{}`: {error:#}; {REMEDY}", named.display()),
        };
    }
    let mut old = Vec::new();
    for name in NAMES {
        match is_new_enough(Path::new(name)) {
            Ok(true) => return Ok(PathBuf::from(name)),
            Ok(false) => old.push(name),
            Err(_) => {}
        }
    }
    if old.is_empty() {
        bail!("Python is missing; {REMEDY}");
    }
    bail!("`{}` is older than Python 3.10; {REMEDY}", old.join("`, `"));
}

fn is_new_enough(python: &Path) -> Result<bool> {
    let check = "import sys; print(sys.version_info >= (3, 10))";
    let done = Command::new(python).args(["-c", check]).output()?;
    if !done.status.success() {
        bail!("it ended with {}", done.status);
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim() == "True")
}
