//! The tokens of a package, compared with the estimate for its type.

use super::base::HandoffType;
use super::finding::{Findings, Kind, Weight};
use super::package::Package;
use crate::Path;
use crate::prompt::tokens::Counter;
use crate::value::json::{Json, Object};
use crate::value::sort::sort_by_key;
use serde::Serialize;

/// The number of fields that a size lists.
const NAMED: usize = 3;

/// The size of a package compared with its estimate.
///
/// Shown by the example of [`size`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// Below the estimate.
    Below,
    /// Within the estimate.
    Within,
    /// Over the estimate: the package may have content that belongs in a file.
    Above,
}

/// A field and its tokens.
///
/// Shown by the example of [`size`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contributor {
    /// The field, or the entry of a list.
    pub path: Path,
    /// The tokens.
    pub tokens: u64,
}

/// The tokens of a package.
///
/// Shown by the example of [`size`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Size {
    /// The tokens of the package as a model reads it.
    pub tokens: u64,
    /// True if the counter is the model's own.
    pub exact: bool,
    /// The lower end of the estimate.
    pub low: u64,
    /// The upper end of the estimate.
    pub high: u64,
    /// The comparison with the estimate.
    pub fit: Fit,
    /// The largest values, largest first.
    pub contributors: Vec<Contributor>,
}

impl HandoffType {
    /// Returns the estimate for a type: 200 to 300 tokens for the execution agent, 2,000 to 5,000
    /// for the design agent.
    pub const fn estimate(self) -> (u64, u64) {
        match self {
            Self::InitToExecute => (200, 300),
            Self::ExecuteToInit => (2_000, 5_000),
        }
    }
}

/// Counts the tokens of a package.
///
/// ```
/// use tuckbox::handoff::{Fit, size};
/// use tuckbox::prompt::tokens::Estimate;
/// # use tuckbox::handoff::{Package, example};
/// # use tuckbox::value::json::{Field, Json};
/// # let package = Package::from_json(&Field::root(&Json::parse(example::INIT_TO_EXECUTE)?))?;
/// let size = size(&package, &Estimate);
/// assert!(size.fit != Fit::Above && size.tokens <= size.high);
/// assert!(size.contributors[0].tokens <= size.tokens);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn size(package: &Package, counter: &dyn Counter) -> Size {
    let json = package.to_json();
    let tokens = counter.count(&json.spaced());
    let (low, high) = package.base().handoff_type.estimate();
    let fit = match tokens {
        tokens if tokens < low => Fit::Below,
        tokens if tokens <= high => Fit::Within,
        _ => Fit::Above,
    };
    let mut contributors = Vec::new();
    if let Some(object) = json.as_object() {
        contribute(object, counter, &mut contributors);
    }
    sort_by_key(&mut contributors, |contributor| std::cmp::Reverse(contributor.tokens));
    contributors.truncate(NAMED);
    Size { tokens, exact: counter.exact(), low, high, fit, contributors }
}

/// Returns the top-level values. A list or object whose largest entry is a large share is split
/// into entries, so that the path names the place to cut.
fn contribute(object: &Object, counter: &dyn Counter, into: &mut Vec<Contributor>) {
    for (key, value) in object {
        let path = Path::root().key(key);
        let whole = counter.count(&value.spaced());
        let entries: Vec<(Path, &Json)> = match value {
            Json::Array(items) => {
                items.iter().enumerate().map(|(at, item)| (path.index(at), item)).collect()
            }
            Json::Object(object) => object.iter().map(|(k, item)| (path.key(k), item)).collect(),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Vec::new(),
        };
        let costs = entries
            .into_iter()
            .map(|(path, item)| Contributor { path, tokens: counter.count(&item.spaced()) });
        match costs.max_by_key(|cost| cost.tokens).filter(|cost| cost.tokens * 2 > whole) {
            Some(entry) => into.push(entry),
            None => into.push(Contributor { path, tokens: whole }),
        }
    }
}

/// Adds a lint for a package over its estimate.
pub(super) fn check(size: &Size, findings: &mut Findings) {
    match size.fit {
        Fit::Below | Fit::Within => {}
        Fit::Above => {
            let named: Vec<String> = size
                .contributors
                .iter()
                .map(|contributor| format!("`{}` {}", contributor.path, contributor.tokens))
                .collect();
            let message = format!(
                "the package has {} tokens; expected {} to {}; the largest values are {}",
                size.tokens,
                size.low,
                size.high,
                named.join(", ")
            );
            let contributors = size.contributors.iter().map(|contributor| {
                Json::from([
                    ("path", Json::from(contributor.path.to_string())),
                    ("tokens", contributor.tokens.into()),
                ])
            });
            let details = Json::from([
                ("tokens", size.tokens.into()),
                ("high", size.high.into()),
                ("contributors", Json::Array(contributors.collect())),
            ]);
            findings.add(Weight::Lint, Kind::PackageTooLarge, Path::root(), message, details);
        }
    }
}
