//! Chromium and its driver: finds them, or installs them if possible.

use crate::process::{Installer, installing};
use crate::serve::{Port, Running};
use crate::{apt, cargo, inspect, npm, tree};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;
use tuckbox::Json;
use tuckbox::value::json::Object;

/// A browser and its driver.
pub struct Chromium {
    pub browser: PathBuf,
    pub driver: PathBuf,
}

const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The same engine without a window. It needs 2/3 of the time per page.
const SHELLS: [&str; 2] = ["chromium-headless-shell", "chrome-headless-shell"];

const REMEDY: &str = "install Chromium and its driver (Debian, Ubuntu: `apt-get install chromium \
                      chromium-driver`), or name them in the environment: CHROMIUM and CHROMEDRIVER";

/// Finds Chromium and its driver. Installs the system's packages without prompting if they are
/// missing.
pub fn need() -> Result<Chromium> {
    let _guard = installing(Installer::System);
    if let Some(found) = find()? {
        return Ok(found);
    }
    install()?;
    find()?.with_context(|| format!("Chromium is missing after its installation; {REMEDY}"))
}

/// Returns the variables with which tests find the browser, with a window and without one.
pub fn environment() -> Result<Vec<(&'static str, PathBuf)>> {
    let browser = need()?.browser;
    let headless = shell()?.unwrap_or_else(|| browser.clone());
    Ok(vec![("CHROMIUM", browser), ("CHROMIUM_HEADLESS", headless)])
}

/// Serves the page for a script that drives a browser, and passes both paths to the script. It
/// serves until the guard is dropped.
pub fn serve_to(command: &mut Command, page: PathBuf) -> Result<Running> {
    npm::install(&tree::root().join("tests"))?;
    let running = inspect::serve_page(Port::Any, page)?;
    command.envs(environment()?);
    command.env("TUCKBOX_PAGE", &running.url);
    Ok(running)
}

/// Returns the browser without a window. Installs it if the system offers the package.
fn shell() -> Result<Option<PathBuf>> {
    let _guard = installing(Installer::System);
    let there = || SHELLS.iter().find_map(|name| apt::on_path(name));
    let found = named("CHROMIUM_HEADLESS")?.or_else(there);
    Ok(found.or_else(|| SHELLS.iter().any(|name| apt::install_if_offered(name)).then(there)?))
}

fn find() -> Result<Option<Chromium>> {
    let browser =
        named("CHROMIUM")?.or_else(|| BROWSERS.iter().find_map(|name| apt::on_path(name)));
    let driver = named("CHROMEDRIVER")?.or_else(|| apt::on_path("chromedriver"));
    Ok(browser.zip(driver).map(|(browser, driver)| Chromium { browser, driver }))
}

fn named(variable: &str) -> Result<Option<PathBuf>> {
    let Some(path) = std::env::var_os(variable).map(PathBuf::from) else { return Ok(None) };
    if !path.is_file() {
        bail!("{variable} is `{}`, which does not exist", path.display());
    }
    Ok(Some(path))
}

fn install() -> Result<()> {
    apt::install(&["chromium", "chromium-driver"], REMEDY)
}

/// Writes the driver's configuration: this browser, with the flags of the page's tests.
pub fn driver_configuration(chromium: &Chromium) -> Result<PathBuf> {
    let flags = tree::root().join("tests/browser/chromium-flags.json");
    let text = std::fs::read_to_string(&flags)
        .with_context(|| format!("cannot read `{}`", tree::shown(&flags)))?;
    let mut options = Object::default();
    options.insert("args".into(), Json::parse(&text)?);
    options.insert("binary".into(), chromium.browser.display().to_string().into());
    let mut capabilities = Object::default();
    capabilities.insert("goog:chromeOptions".into(), Json::Object(options));
    let file = cargo::scratch("browser")?.join("webdriver.json");
    std::fs::write(&file, Json::Object(capabilities).to_string())?;
    Ok(file)
}
