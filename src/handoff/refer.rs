//! Every file that a package points to, and where in the package it does.

use super::layout::Part;
use super::order::What;
use super::package::Package;
use super::path::ArtifactPath;
use super::sample::failure_samples;
use crate::{Path, Result};

/// One pointer from a package to a file.
///
/// Shown by the example of [`references`].
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What the file is.
    pub what: What,
    /// The sample or artefact it belongs to; for the report, its file name.
    pub name: String,
    /// Where the package says so.
    pub path: Path,
    /// Where the file is, from the package's root.
    pub file: ArtifactPath,
}

/// Every file that a package points to, in the order of the package.
///
/// # Errors
/// `invalid_content` for a path that is not safe or an index that cannot be read.
///
/// ```
/// use tuckbox::handoff::{What, references};
/// # use tuckbox::handoff::{Package, example};
/// # use tuckbox::value::json::{Field, Json};
/// # let package = Package::from_json(&Field::root(&Json::parse(example::INIT_TO_EXECUTE)?))?;
/// let files = references(&package)?;
/// assert_eq!((files.len(), files[1].what), (3, What::Artifact));
/// assert_eq!(files[1].file.as_str(), "scenarios/leave_application/BusinessRules.md");
/// assert_eq!(files[1].path.to_string(), "design_artifacts.business_rules_path");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn references(package: &Package) -> Result<Vec<Reference>> {
    let root = Path::root();
    match package {
        Package::InitToExecute(package) => {
            let artifacts = package.design_artifacts.iter().map(|(name, file)| {
                Ok(Reference {
                    what: What::Artifact,
                    name: name.clone(),
                    path: root.key("design_artifacts").key(name),
                    file: ArtifactPath::new(file.as_str())?,
                })
            });
            artifacts.collect()
        }
        Package::ExecuteToInit(package) => {
            let dir = ArtifactPath::new(&*package.execution_output_dir)?;
            let index = root.key("failure_samples_index");
            let mut references = Vec::new();
            for (at, sample) in failure_samples(package)?.iter().enumerate() {
                for part in Part::ALL {
                    if let Some(path) = sample.path(part) {
                        references.push(Reference {
                            what: part.into(),
                            name: sample.sample_id.clone(),
                            path: index.index(at).key(part.path_field()),
                            file: dir.join(path)?,
                        });
                    }
                }
            }
            let report = ArtifactPath::new(&*package.layer1_problems_report_path)?;
            references.push(Reference {
                what: What::Report,
                name: report.name().to_owned(),
                path: root.key("layer1_problems_report_path"),
                file: dir.join(&report)?,
            });
            Ok(references)
        }
    }
}
