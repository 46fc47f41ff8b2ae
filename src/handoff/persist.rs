//! Stores a package and its files in one batch. A package is valid only if every file that it
//! refers to is stored.

use super::audit::audit;
use super::build::ArtifactFile;
use super::check;
use super::finding::{Findings, Kind as FindingKind};
use super::layout::{Part, Place};
use super::package::{ExecuteToInit, Package};
use super::path::ArtifactPath;
use super::refer::references;
use super::report::Report;
use crate::rule::{Cursor, Step, ready};
use crate::store::{Directory, Kind, Lookup, Snapshot, StoredFile};
use crate::value::Map as IndexMap;
use crate::value::arguments::arguments;
use crate::value::json::{Json, Number};
use crate::{Code, Path, Result};
use serde::Serialize;

arguments! {
    /// Stores a handoff package and its files in one batch. Every file that the package refers to must be
    /// in the call or in the store.
    ///
    /// ```
    /// use tuckbox::handoff::{ArtifactFile, ArtifactPath, InitToExecute, Package, StoreHandoff};
    /// # use tuckbox::store::{MemoryStore, Snapshot, Store};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// # let mut store = MemoryStore::new();
    /// let mut package = InitToExecute::new("2026-01-04T10:30:00", "leave requests");
    /// package.design_artifacts.insert("rules".into(), "leave/BusinessRules.md".into());
    /// let rules = ArtifactFile { path: ArtifactPath::new("leave/BusinessRules.md")?, text: "# Rules".into() };
    /// let call = StoreHandoff { package: Package::InitToExecute(package), files: vec![rules], package_path: None, operation_id: None };
    /// let preview = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(preview.value.stored[0].as_str(), "leave/BusinessRules.md");
    /// store.commit(&preview.writes)?;
    /// assert_eq!(store.tables("p1").unwrap().files().count(), 1);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct StoreHandoff {
        /// The package.
        pub package: Package,
        /// The files to store.
        pub files: Vec<ArtifactFile>,
        /// The path at which to store the package itself. It is not stored by default.
        pub package_path: Option<ArtifactPath>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }
}

/// The files of a stored package.
///
/// Shown by the example of [`StoreHandoff`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredHandoff {
    /// The files of the batch, in order.
    pub stored: Vec<ArtifactPath>,
    /// The files that the package refers to and the store already has.
    pub already_stored: Vec<ArtifactPath>,
    /// The findings.
    pub findings: Findings,
}

impl StoreHandoff {
    /// Returns the reads that are missing, or the batch.
    ///
    /// # Errors
    /// `invalid_content` for a package, report or file that cannot be stored. `not_found` with
    /// every path in `details.errors` for a reference that is neither in the batch nor stored.
    /// `conflict` for a path that is stored with other text.
    pub fn persist(&self, snapshot: &Snapshot) -> Result<Step<(StoredHandoff, Vec<StoredFile>)>> {
        let batch = self.batch()?;
        let report = self.report(&batch)?;
        let mut findings = check::verify_call(&self.package, report.as_ref())?;
        ready!(self.read(&batch, snapshot)?);
        let already_stored = self.already_stored(&batch, snapshot)?;
        for (path, text) in &batch {
            if let Lookup::Present(there) = snapshot.file(path.as_str())
                && there.text != *text
            {
                return Err(crate::store::file_conflict(path.as_str()));
            }
        }
        if let Package::ExecuteToInit(package) = &self.package {
            self.lint_layout(package, &batch, snapshot, &mut findings)?;
        }
        let stored = batch.keys().cloned().collect();
        let files = batch.into_iter().map(|(path, text)| StoredFile::new(path.as_str(), text));
        Ok(Step::Done((StoredHandoff { stored, already_stored, findings }, files.collect())))
    }

    /// Returns the files by path, the package itself last.
    fn batch(&self) -> Result<IndexMap<ArtifactPath, String>> {
        let mut batch =
            IndexMap::with_capacity_and_hasher(self.files.len() + 1, Default::default());
        for (at, file) in self.files.iter().enumerate() {
            let path = Path::root().key("files").index(at);
            crate::value::json::check_storable(&file.text, &path.key("text"))?;
            if let Some(first) = batch.insert(file.path.clone(), file.text.clone())
                && first != file.text
            {
                return Err(crate::store::file_conflict(file.path.as_str()).at(path.key("path")));
            }
        }
        if let Some(path) = &self.package_path {
            batch.insert(path.clone(), self.package.to_json().to_string());
        }
        Ok(batch)
    }

    /// Returns the report, if it is in the batch.
    fn report(&self, batch: &IndexMap<ArtifactPath, String>) -> Result<Option<Report>> {
        let Package::ExecuteToInit(package) = &self.package else { return Ok(None) };
        let (Ok(dir), Ok(name)) = (
            ArtifactPath::new(&*package.execution_output_dir),
            ArtifactPath::new(&*package.layer1_problems_report_path),
        ) else {
            // the check of the package reports both paths
            return Ok(None);
        };
        let Some(text) = batch.get(&dir.join(&name)?) else { return Ok(None) };
        let at = Path::root().key("report");
        let json = Json::parse(text).map_err(|error| error.within(&at))?;
        Report::read(&json, at).map(Some)
    }

    /// Adds a lint for every file that the layout requires and that is neither stored nor in the
    /// batch. Also adds one if fewer samples are stored than the package counts.
    fn lint_layout(
        &self,
        package: &ExecuteToInit,
        batch: &IndexMap<ArtifactPath, String>,
        snapshot: &Snapshot,
        findings: &mut Findings,
    ) -> Result<()> {
        let mut paths = listing(&package.execution_output_dir, snapshot)?;
        paths.extend(batch.keys().map(|path| path.as_str().to_owned()));
        let audited = audit(&self.package, &paths)?;
        let mut layout = Findings::new();
        for finding in
            audited.findings.iter().filter(|found| found.kind == FindingKind::FileMissing)
        {
            layout.lint(finding.kind, finding.path.clone(), finding.message.clone());
        }
        let dir = ArtifactPath::new(&*package.execution_output_dir)?;
        let is_sample = |path: &&ArtifactPath| {
            let place = path.inside(&dir).as_ref().and_then(Place::of);
            matches!(place, Some(Place::Sample(Part::Sample, _)))
        };
        let paths: Vec<ArtifactPath> =
            paths.iter().filter_map(|path| ArtifactPath::new(path.as_str()).ok()).collect();
        let samples: crate::value::Set<&str> =
            paths.iter().filter(is_sample).map(ArtifactPath::as_str).collect();
        let total = package.iteration_summary.get("total_samples").and_then(Json::as_number);
        let total = total.and_then(Number::whole).unwrap_or_default();
        if i64::try_from(samples.len()).is_ok_and(|stored| stored < total) {
            let path = Path::root().key("iteration_summary").key("total_samples");
            let message = format!("`{}` of `{total}` samples are stored", samples.len());
            layout.lint(FindingKind::CountMismatch, path, message);
        }
        findings.absorb(check::in_call(layout), &Path::root());
        Ok(())
    }

    /// Reads the directory of the package, or its single files.
    fn read(
        &self,
        batch: &IndexMap<ArtifactPath, String>,
        snapshot: &Snapshot,
    ) -> Result<Step<()>> {
        let mut cursor = Cursor::new(snapshot);
        let open = references(&self.package)?;
        let open = open.iter().filter(|reference| !batch.contains_key(&reference.file));
        match &self.package {
            Package::ExecuteToInit(package) => {
                cursor.want(Kind::Directories, &package.execution_output_dir);
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
                findings.error(FindingKind::Dangling, reference.path, message);
            }
        }
        check::in_call(findings)
            .accepted("the package")
            .map_err(|error| error.as_code(Code::NotFound))?;
        Ok(stored)
    }
}

/// Returns the paths of a directory; none if it was not read.
pub(super) fn listing(directory: &str, snapshot: &Snapshot) -> Result<Vec<String>> {
    match snapshot.directory(directory).found()? {
        None => Ok(Vec::new()),
        Some(Directory { paths, .. }) => Ok(paths.clone()),
    }
}
