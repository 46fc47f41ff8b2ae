//! Is everything where it should be? Dangling pointers, missing files, orphans.

use super::finding::{Findings, Kind as Found};
use super::layout::{FAILURE_SUMMARY, Part, Place};
use super::package::{ExecuteToInit, Package};
use super::path::ArtifactPath;
use super::refer::references;
use super::sample::{FailureSample, failure_samples};
use crate::rule::{Cursor, Step, ready};
use crate::store::{Kind, Snapshot};
use crate::value::json::Field;
use crate::value::{Map as IndexMap, Set as IndexSet};
use crate::{Path, Result};
use serde::Serialize;

/// Asks what is stored of a package.
///
/// ```
/// use tuckbox::handoff::Audit;
/// # use tuckbox::handoff::{Package, example};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::value::json::{Field, Json};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let package = Package::from_json(&Field::root(&Json::parse(example::INIT_TO_EXECUTE)?))?;
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// # let store = MemoryStore::new();
/// let audited = rule::preview(&Audit { package }, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert!(!audited.complete);
/// assert_eq!(audited.dangling.len(), 3, "nothing of it is stored");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// The package.
    pub package: Package,
}

/// What is not as it should be. All paths are from the package's root.
///
/// Shown by the example of [`audit`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Audited {
    /// True when nothing is wrong.
    pub complete: bool,
    /// Files that the package points to and that are not stored.
    pub dangling: Vec<ArtifactPath>,
    /// Files that the layout asks for and that are not stored.
    pub missing: Vec<ArtifactPath>,
    /// Stored files that belong to no sample and have no place in the layout.
    pub orphans: Vec<String>,
    /// The same, each with its place and a sentence.
    pub findings: Findings,
}

impl Audit {
    /// Reads `{package}`.
    ///
    /// # Errors
    /// `bad_request` for what is unknown, `invalid_content` for a package that cannot be read.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["op", "package"])?;
        Ok(Self { package: Package::from_json(&fields.required("package")?)? })
    }

    /// The next step: what has to be read, or the answer.
    ///
    /// # Errors
    /// `invalid_content` for a package whose paths are not safe.
    pub fn audit(&self, snapshot: &Snapshot) -> Result<Step<Audited>> {
        super::check::verify_call(&self.package, None)?;
        let mut cursor = Cursor::new(snapshot);
        match &self.package {
            Package::ExecuteToInit(package) => {
                cursor.want(Kind::Directories, &package.execution_output_dir);
            }
            Package::InitToExecute(_) => {
                for reference in references(&self.package)? {
                    cursor.want(Kind::Files, reference.file.as_str());
                }
            }
        }
        ready!(cursor.step());
        let stored = match &self.package {
            Package::ExecuteToInit(package) => {
                super::persist::listing(&package.execution_output_dir, snapshot)?
            }
            Package::InitToExecute(_) => {
                let mut stored = Vec::new();
                for reference in references(&self.package)? {
                    if let Some(file) = snapshot.file(reference.file.as_str()).found()? {
                        stored.push(file.path.clone());
                    }
                }
                stored
            }
        };
        let mut audited = audit(&self.package, &stored)?;
        audited.findings = super::check::in_call(audited.findings);
        Ok(Step::Done(audited))
    }
}

/// Compares a package with the paths that are stored, from the package's root.
///
/// ```
/// use tuckbox::handoff::{audit, example, Package};
/// use tuckbox::value::json::{Field, Json};
///
/// let given = Json::parse(example::INIT_TO_EXECUTE)?;
/// let package = Package::from_json(&Field::root(&given))?;
/// let audited = audit(&package, &["scenarios/leave_application/BusinessRules.md".to_owned()])?;
/// assert_eq!(audited.dangling.len(), 2);
/// # Ok::<(), tuckbox::Error>(())
/// ```
///
/// # Errors
/// `invalid_content` for a package whose paths are not safe.
pub fn audit(package: &Package, stored: &[String]) -> Result<Audited> {
    let known: IndexSet<&str> = stored.iter().map(String::as_str).collect();
    let mut audited = Audited::default();
    let references = references(package)?;
    for reference in &references {
        if !known.contains(reference.file.as_str()) {
            let message = format!("`{}` is not stored", reference.file);
            audited.findings.error(Found::Dangling, reference.path.clone(), message);
            audited.dangling.push(reference.file.clone());
        }
    }
    match package {
        Package::InitToExecute(_) => {}
        Package::ExecuteToInit(package) => {
            let pointed: IndexSet<&str> =
                references.iter().map(|reference| reference.file.as_str()).collect();
            layout(package, &known, &pointed, &mut audited)?;
        }
    }
    audited.complete = audited.findings.is_empty();
    Ok(audited)
}

/// What the layout asks for: the summary, and for every sample its files; an attribution only
/// where the sample is in the failure index.
fn layout(
    package: &ExecuteToInit,
    stored: &IndexSet<&str>,
    pointed: &IndexSet<&str>,
    audited: &mut Audited,
) -> Result<()> {
    let dir = ArtifactPath::new(&*package.execution_output_dir)?;
    let at = Path::root().key("execution_output_dir");
    let mut samples: IndexMap<String, Option<FailureSample>> = IndexMap::default();
    for sample in failure_samples(package)? {
        samples.insert(sample.sample_id.clone(), Some(sample));
    }
    let mut loose = Vec::new();
    for path in stored {
        let inside = ArtifactPath::new(*path).ok().and_then(|path| path.inside(&dir));
        match inside.as_ref().and_then(Place::of) {
            Some(Place::Sample(Part::Sample, id)) => {
                samples.entry(id).or_insert(None);
            }
            Some(Place::Sample(_, id)) => loose.push((*path, Some(id))),
            Some(Place::FailureSummary | Place::Report) => {}
            None => loose.push((*path, None)),
        }
    }
    for (path, id) in loose {
        let belongs = id.is_some_and(|id| samples.contains_key(&id));
        if !belongs && !pointed.contains(path) {
            let message = format!("`{}` belongs to nothing", super::path::shown(path));
            audited.findings.lint(Found::Orphan, at.clone(), message);
            audited.orphans.push(path.to_owned());
        }
    }
    let mut asked = vec![dir.join(&ArtifactPath::new(FAILURE_SUMMARY)?)?];
    for (id, failed) in &samples {
        for part in Part::ALL {
            let is_asked = match failed {
                // what the index points to has been looked at
                Some(sample) => sample.path(part).is_none(),
                None => part != Part::Attribution,
            };
            if is_asked {
                asked.push(dir.join(&part.path(id)?)?);
            }
        }
    }
    for path in asked {
        if !stored.contains(path.as_str()) {
            let message = format!("the layout asks for `{path}`, which is not stored");
            audited.findings.lint(Found::FileMissing, at.clone(), message);
            audited.missing.push(path);
        }
    }
    Ok(())
}
