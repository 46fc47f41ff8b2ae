//! Compares a package with the files in the store: dangling references, missing files, orphans.

use super::finding::{Findings, Kind as FindingKind};
use super::layout::{FAILURE_SUMMARY, Part, Place};
use super::package::{ExecuteToInit, Package};
use super::path::ArtifactPath;
use super::refer::references;
use super::sample::{FailureSample, failure_samples};
use crate::rule::{Cursor, Step, ready};
use crate::store::{Kind, Snapshot};
use crate::value::arguments::arguments;
use crate::value::{Map as IndexMap, Set as IndexSet};
use crate::{Path, Result};
use serde::Serialize;

arguments! {
    /// Compares a handoff package with the files in the store.
    ///
    /// ```
    /// use tuckbox::handoff::AuditHandoff;
    /// # use tuckbox::handoff::{Package, example};
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::value::json::{Field, Json};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let package = Package::from_json(&Field::root(&Json::parse(example::INIT_TO_EXECUTE)?))?;
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// # let store = MemoryStore::new();
    /// let call = AuditHandoff { package };
    /// let audit = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert!(!audit.complete);
    /// assert_eq!(audit.dangling.len(), 3, "the store has none of its files");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct AuditHandoff {
        /// The package.
        pub package: Package,
    }
}

/// The result of an audit. All paths are relative to the root of the package.
///
/// Shown by the example of [`audit`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HandoffAudit {
    /// True if there are no findings.
    pub complete: bool,
    /// Files that the package refers to and the store does not have.
    pub dangling: Vec<ArtifactPath>,
    /// Files that the layout requires and the store does not have.
    pub missing: Vec<ArtifactPath>,
    /// Stored files that belong to no sample and are not part of the layout.
    pub orphans: Vec<String>,
    /// A finding for each of these files.
    pub findings: Findings,
}

impl AuditHandoff {
    /// Returns the reads that are missing, or the answer.
    ///
    /// # Errors
    /// `invalid_content` for a package with unsafe paths.
    pub fn audit(&self, snapshot: &Snapshot) -> Result<Step<HandoffAudit>> {
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

/// Compares a package with stored paths, which are relative to the root of the package.
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
/// `invalid_content` for a package with unsafe paths.
pub fn audit(package: &Package, stored: &[String]) -> Result<HandoffAudit> {
    let known: IndexSet<&str> = stored.iter().map(String::as_str).collect();
    let mut audited = HandoffAudit::default();
    let references = references(package)?;
    for reference in &references {
        if !known.contains(reference.file.as_str()) {
            let message = format!("`{}` is not stored", reference.file);
            audited.findings.error(FindingKind::Dangling, reference.path.clone(), message);
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

/// Checks the files that the layout requires: the summary, and the files of every sample. Only
/// samples in the failure index require an attribution.
fn layout(
    package: &ExecuteToInit,
    stored: &IndexSet<&str>,
    pointed: &IndexSet<&str>,
    audited: &mut HandoffAudit,
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
            let message = format!(
                "`{}` belongs to no sample and is not part of the layout",
                super::path::shown(path)
            );
            audited.findings.lint(FindingKind::Orphan, at.clone(), message);
            audited.orphans.push(path.to_owned());
        }
    }
    let mut asked = vec![dir.join(&ArtifactPath::new(FAILURE_SUMMARY)?)?];
    for (id, failed) in &samples {
        for part in Part::ALL {
            let is_asked = match failed {
                // paths of the index are checked already
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
            let message = format!("the layout requires `{path}`, which is not stored");
            audited.findings.lint(FindingKind::FileMissing, at.clone(), message);
            audited.missing.push(path);
        }
    }
    Ok(())
}
