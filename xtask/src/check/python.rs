//! Tests of the Python package.

use super::log::{Runner, counted};
use super::{Args, Counts, rust};
use crate::process::Program;
use crate::{cargo, npm, package, python, tree};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The maximum size of a wheel, in bytes.
const MAX_WHEEL_BYTES: u64 = 4_000_000;

/// The maximum time of `import tuckbox`, in milliseconds.
const MAX_IMPORT_MS: u128 = 100;

/// The packages of the long checks. Type checkers have fixed versions, because their rules change. The
/// versions of all packages are in [`VERSIONS`].
const DEEP_PACKAGES: [&str; 18] = [
    python::MATURIN,
    "mypy==2.4.1",
    "pyright==1.1.414",
    "openai>=2,<4",
    "pydantic>=2,<3",
    "pytest>=8,<10",
    "anthropic>=1,<3",
    "google-genai>=2,<4",
    "openai-agents<0.25",
    "pydantic-ai-slim[openai]>=2,<3",
    "langchain>=1,<2",
    "langchain-openai>=1,<2",
    "litellm<2",
    "claude-agent-sdk<0.3",
    "psycopg[binary]>=3.2,<4",
    "psycopg-pool>=3.2,<4",
    "asyncpg>=0.30,<1",
    "typing-extensions",
];

/// The versions of the packages and of what they need, from `pip freeze`. Without them, pip takes half an
/// hour to find versions that fit. To update them, empty the file and run the step.
const VERSIONS: &str = "tests/python/constraints.txt";

/// Builds the package and runs its tests; with `--deep` also the wheel and the types.
pub fn test(args: &Args) -> Result<Counts> {
    let python = python::built()?;
    let mut command = tests(args, &python);
    if !args.deep {
        return counted(args, "python", Program::new(command, ""), Runner::Python);
    }
    let deep = python::environment("python-deep", true)?;
    let versions = tree::root().join(VERSIONS).display().to_string();
    python::install(&deep, &[&DEEP_PACKAGES[..], &["--constraint", &versions]].concat())?;
    // PostgreSQL, and a Node process that shares a project
    npm::install(&tree::root().join("tests"))?;
    package::build(args.form())?;
    // the driver of SQLite for versions of Node without their own
    npm::install(&tree::root().join("tests/consumers/deep"))?;
    command = tests(args, &deep);
    command.env("TUCKBOX_DEEP", "1").env("TUCKBOX_RUST_WRITER", rust::sqlite_writer()?);
    let mut counts = counted(args, "python", Program::new(command, ""), Runner::Python)?;
    for checker in ["mypy", "pyright"] {
        counts.add(check_types(args, &deep, checker)?);
    }
    counts.add(Counts::holds(check_wheel(args, &deep)?));
    Ok(counts)
}

fn tests(args: &Args, python: &Path) -> Command {
    let mut command = Command::new(python);
    // no files next to the sources, and warnings about unclosed files are failures
    command.args(["-B", "-W", "error", "-m", "unittest", "discover", "-v"]);
    command.args(["--start-directory", "tests/python"]);
    args.name.iter().for_each(|name| _ = command.args(["-k", name]));
    command.current_dir(tree::root()).env("PYTHONPATH", "python");
    command
}

fn check_types(args: &Args, python: &Path, checker: &str) -> Result<Counts> {
    let mut command = Command::new(python);
    command.args(["-m", checker]).current_dir(tree::root()).env("MYPYPATH", "python");
    match checker {
        "mypy" => {
            command.args(["--config-file", "tests/python/mypy.ini"]);
            let cache = cargo::scratch("mypy")?;
            command.arg("--cache-dir").arg(cache);
            command.args(["python/tuckbox", "tests/python/typed.py"]);
        }
        _ => {
            command.args(["--project", "tests/python/pyright.json", "--pythonpath"]).arg(python);
        }
    }
    counted(args, checker, Program::new(command, ""), Runner::Whole)
}

/// Builds a wheel, installs it into an empty environment and imports it.
fn check_wheel(args: &Args, python: &Path) -> Result<String> {
    let wheel = python::wheel(python, args.verbose)?;
    let bytes = std::fs::metadata(&wheel)?.len();
    if bytes > MAX_WHEEL_BYTES {
        bail!("the wheel has {bytes} bytes; at most {MAX_WHEEL_BYTES} are allowed");
    }
    let clean = python::installed(&wheel)?;
    let milliseconds = import_time(&clean)?;
    if milliseconds > MAX_IMPORT_MS {
        bail!("`import tuckbox` takes {milliseconds} ms; at most {MAX_IMPORT_MS} are allowed");
    }
    Ok(format!("a wheel of {} KB, imported in {milliseconds} ms", bytes >> 10))
}

/// Returns the shortest of several times of `import tuckbox` above an empty program.
fn import_time(python: &Path) -> Result<u128> {
    let time = |code: &str| -> Result<u128> {
        let started = Instant::now();
        // not at the root of the repository, where the sources are
        let done =
            Command::new(python).args(["-c", code]).current_dir(std::env::temp_dir()).status()?;
        if !done.success() {
            bail!("`{code}` failed in the installed package");
        }
        Ok(started.elapsed().as_millis())
    };
    let least = |code: &str| -> Result<u128> {
        let mut all = (0..10).map(|_| time(code)).collect::<Result<Vec<_>>>()?;
        all.sort_unstable();
        Ok(all.first().copied().unwrap_or_default())
    };
    Ok(least("import tuckbox")?.saturating_sub(least("pass")?))
}
