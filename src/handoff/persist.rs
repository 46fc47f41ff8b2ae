//! Persistence first: a package is valid only when everything it points to is stored, and all of
//! it is stored in one batch.

use super::build::ArtifactFile;
use super::check;
use super::finding::{Findings, Kind as Found};
use super::package::Package;
use super::path::ArtifactPath;
use super::refer::references;
use super::report::Report;
use crate::rule::{Cursor, Step, ready};
use crate::store::{Directory, Kind, Lookup, Snapshot, StoredFile};
use crate::value::Map as IndexMap;
use crate::value::json::{Field, Json};
use crate::{Code, Path, Result};
use serde::Serialize;

/// A package and the files that go to the store with it.
///
/// ```
/// use tuckbox::handoff::{ArtifactFile, ArtifactPath, InitToExecute, Package, Persist};
/// # use tuckbox::store::{MemoryStore, Snapshot, Store};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// # let mut store = MemoryStore::new();
/// let mut package = InitToExecute::new("2026-01-04T10:30:00", "leave requests");
/// package.design_artifacts.insert("rules".into(), "leave/BusinessRules.md".into());
/// let rules = ArtifactFile { path: ArtifactPath::new("leave/BusinessRules.md")?, text: "# Rules".into() };
/// let call = Persist { package: Package::InitToExecute(package), files: vec![rules], package_path: None, operation_id: None };
/// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
/// assert_eq!(preview.value.stored[0].as_str(), "leave/BusinessRules.md");
/// store.commit(&preview.writes)?;
/// assert_eq!(store.tables("p1").unwrap().files().count(), 1);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Persist {
    /// The package.
    pub package: Package,
    /// The files that are not stored yet.
    pub files: Vec<ArtifactFile>,
    /// Where to store the package itself, if it is to be stored.
    pub package_path: Option<ArtifactPath>,
    /// The id under which the commit applies once; minted when absent.
    pub operation_id: Option<String>,
}

/// What will be stored.
///
/// Shown by the example of [`Persist`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Persisted {
    /// The files of the batch, in order.
    pub stored: Vec<ArtifactPath>,
    /// What the package points to and was stored before.
    pub already_stored: Vec<ArtifactPath>,
    /// What a person should look at.
    pub findings: Findings,
}

impl Persist {
    /// Reads `{package, files: [{path, text}], package_path?, operation_id?}`.
    ///
    /// # Errors
    /// `bad_request` for what is unknown or mistyped, `invalid_content` for a package that cannot
    /// be read or a path that is not safe.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["op", "package", "files", "package_path", "operation_id"])?;
        let path = |field: &Field<'_>| {
            ArtifactPath::new(field.string()?).map_err(|error| error.at(field.path().clone()))
        };
        let mut files = Vec::new();
        for file in fields.required("files")?.list()? {
            let file = file.object()?;
            file.only(&["path", "text"])?;
            let text = file.required("text")?.string()?.to_owned();
            files.push(ArtifactFile { path: path(&file.required("path")?)?, text });
        }
        let operation_id = fields.optional("operation_id");
        Ok(Self {
            package: Package::from_json(&fields.required("package")?)?,
            files,
            package_path: fields.optional("package_path").as_ref().map(path).transpose()?,
            operation_id: operation_id.map(|id| id.string().map(str::to_owned)).transpose()?,
        })
    }

    /// The next step: what has to be known about the store, or the batch.
    ///
    /// # Errors
    /// `invalid_content` for a package, report or file that cannot be stored, `not_found` with
    /// every place in `details.errors` when something that the package points to is neither in the
    /// batch nor stored, `conflict` when a path is known to hold another text.
    pub fn persist(&self, snapshot: &Snapshot) -> Result<Step<(Persisted, Vec<StoredFile>)>> {
        let batch = self.batch()?;
        let report = self.report(&batch)?;
        let findings = check::verify_call(&self.package, report.as_ref())?;
        ready!(self.read(&batch, snapshot)?);
        let already_stored = self.already_stored(&batch, snapshot)?;
        for (path, text) in &batch {
            if let Lookup::Present(there) = snapshot.file(path.as_str())
                && there.text != *text
            {
                return Err(crate::store::other_text(path.as_str()));
            }
        }
        let stored = batch.keys().cloned().collect();
        let files = batch.into_iter().map(|(path, text)| StoredFile::new(path.as_str(), text));
        Ok(Step::Done((Persisted { stored, already_stored, findings }, files.collect())))
    }

    /// The files by path; the package itself last.
    fn batch(&self) -> Result<IndexMap<ArtifactPath, String>> {
        let mut batch =
            IndexMap::with_capacity_and_hasher(self.files.len() + 1, Default::default());
        for (at, file) in self.files.iter().enumerate() {
            let path = Path::root().key("files").index(at);
            crate::value::json::storable(&file.text, &path.key("text"))?;
            if let Some(first) = batch.insert(file.path.clone(), file.text.clone())
                && first != file.text
            {
                return Err(crate::store::other_text(file.path.as_str()).at(path.key("path")));
            }
        }
        if let Some(path) = &self.package_path {
            batch.insert(path.clone(), self.package.to_json().to_string());
        }
        Ok(batch)
    }

    /// The report, if it is in the batch.
    fn report(&self, batch: &IndexMap<ArtifactPath, String>) -> Result<Option<Report>> {
        let Package::ExecuteToInit(package) = &self.package else { return Ok(None) };
        let (Ok(dir), Ok(name)) = (
            ArtifactPath::new(&*package.execution_output_dir),
            ArtifactPath::new(&*package.layer1_problems_report_path),
        ) else {
            // the check of the package names both places
            return Ok(None);
        };
        let Some(text) = batch.get(&dir.join(&name)?) else { return Ok(None) };
        let at = Path::root().key("report");
        let json = Json::parse(text).map_err(|error| error.within(&at))?;
        Report::read(&json, at).map(Some)
    }

    /// Reads what has to be known: the directory that the package is about, or single files.
    fn read(
        &self,
        batch: &IndexMap<ArtifactPath, String>,
        snapshot: &Snapshot,
    ) -> Result<Step<()>> {
        let mut cursor = Cursor::new(snapshot);
        let open = references(&self.package)?;
        let mut open = open.iter().filter(|reference| !batch.contains_key(&reference.file));
        match &self.package {
            Package::ExecuteToInit(package) => {
                if open.next().is_some() {
                    cursor.want(Kind::Directories, &package.execution_output_dir);
                }
            }
            Package::InitToExecute(_) => {
                cursor.want_all(Kind::Files, open.map(|reference| reference.file.as_str()));
            }
        }
        Ok(cursor.step())
    }

    fn already_stored(
        &self,
        batch: &IndexMap<ArtifactPath, String>,
        snapshot: &Snapshot,
    ) -> Result<Vec<ArtifactPath>> {
        let listed = match &self.package {
            Package::InitToExecute(_) => Vec::new(),
            Package::ExecuteToInit(package) => listing(&package.execution_output_dir, snapshot)?,
        };
        let listed: crate::value::Set<&str> = listed.iter().map(String::as_str).collect();
        let mut findings = Findings::new();
        let mut stored = Vec::new();
        for reference in references(&self.package)? {
            if batch.contains_key(&reference.file) {
                continue;
            }
            let is_stored = listed.contains(reference.file.as_str())
                || matches!(snapshot.file(reference.file.as_str()), Lookup::Present(_));
            if is_stored {
                stored.push(reference.file);
            } else {
                let message = format!("`{}` is neither stored nor in the batch", reference.file);
                findings.error(Found::Dangling, reference.path, message);
            }
        }
        check::in_call(findings)
            .accepted("the package")
            .map_err(|error| error.as_code(Code::NotFound))?;
        Ok(stored)
    }
}

/// The paths inside a directory that was read; none when it was not asked for.
pub(super) fn listing(directory: &str, snapshot: &Snapshot) -> Result<Vec<String>> {
    match snapshot.directory(directory).found()? {
        None => Ok(Vec::new()),
        Some(Directory { paths, .. }) => Ok(paths.clone()),
    }
}
