//! How many tokens a package costs, against the estimate of its type, and what costs most.

use super::base::HandoffType;
use super::finding::{Findings, Kind, Weight};
use super::package::Package;
use crate::Path;
use crate::prompt::tokens::Counter;
use crate::value::json::{Json, Object};
use crate::value::sort::sort_by_key;
use serde::Serialize;

/// How many contributors a report names.
const NAMED: usize = 3;

/// Where a package lies against its estimate.
///
/// Shown by the example of [`size`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// Smaller than the estimate: a small case, nothing wrong.
    Below,
    /// As estimated.
    Within,
    /// Larger: something that belongs on disk may stand in the package.
    Above,
}

/// One field and what it costs.
///
/// Shown by the example of [`size`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contributor {
    /// Which field, or which entry of a list.
    pub path: Path,
    /// What it costs.
    pub tokens: u64,
}

/// What a package costs.
///
/// Shown by the example of [`size`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Size {
    /// The whole package as a model reads it.
    pub tokens: u64,
    /// True when the counter is the model's own.
    pub exact: bool,
    /// The lower end of the estimate for its type.
    pub low: u64,
    /// The upper end of the estimate for its type.
    pub high: u64,
    /// Where the package lies.
    pub fit: Fit,
    /// The most expensive values, largest first.
    pub contributors: Vec<Contributor>,
}

impl HandoffType {
    /// The tokens a package of this type should cost: 200 to 300 out, 2,000 to 5,000 back.
    pub const fn estimate(self) -> (u64, u64) {
        match self {
            Self::InitToExecute => (200, 300),
            Self::ExecuteToInit => (2_000, 5_000),
        }
    }
}

/// Measures a package.
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

/// Top-level values; those that are lists or objects by their entries when one of these is itself
/// a large share, so that the name leads to the place to cut.
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

/// Adds a lint when the package is larger than its estimate.
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
                "the package costs {} tokens where {} to {} are meant; the largest are {}",
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
