//! The files that a package refers to, and the paths of the references.

use super::layout::Part;
use super::order::HandoffPart;
use super::package::Package;
use super::path::ArtifactPath;
use super::sample::failure_samples;
use crate::{Path, Result};

/// A reference from a package to a file.
///
/// Shown by the example of [`references`].
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The part that the file has.
    pub what: HandoffPart,
    /// The sample or artifact that it belongs to; for the report, its file name.
    pub name: String,
    /// The path of the reference in the package.
    pub path: Path,
    /// The path of the file, relative to the root of the package.
    pub file: ArtifactPath,
}

/// Returns every file that a package refers to, in the order of the package.
///
/// # Errors
/// `invalid_content` for an unsafe path or an index that cannot be read.
///
/// ```
/// use tuckbox::handoff::{HandoffPart, references};
/// # use tuckbox::handoff::{Package, example};
/// # use tuckbox::value::json::{Field, Json};
/// # let package = Package::from_json(&Field::root(&Json::parse(example::INIT_TO_EXECUTE)?))?;
/// let files = references(&package)?;
/// assert_eq!((files.len(), files[1].what), (3, HandoffPart::Artifact));
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
                    what: HandoffPart::Artifact,
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
                what: HandoffPart::Report,
                name: report.name().to_owned(),
                path: root.key("layer1_problems_report_path"),
                file: dir.join(&report)?,
            });
            Ok(references)
        }
    }
}
