//! Calls that read and commit through the store of the host.

use crate::bindings::exports::tuckbox::core::project as exported;
use crate::bindings::exports::tuckbox::core::steps::{Run as RunHandle, RunBorrow};
use crate::bindings::tuckbox::core::{store, types};
use crate::steps::{Run, Workspace};
use crate::{Component, Exported, env};
use tuckbox::{Error, Json};

impl exported::Guest for Component {
    type Project = Project;
}

/// A project in the store of the host.
pub struct Project(Workspace);

impl Project {
    /// Parses JSON text under the limits of this project.
    pub fn parse(&self, text: &str) -> tuckbox::Result<Json> {
        self.0.parse(text)
    }

    /// Runs a call without its writes.
    fn preview(&self, call: Json, env: tuckbox::Env) -> Exported<Run> {
        let run = self.0.begin(call, env)?;
        while let Some(reads) = run.step()? {
            run.answer(&store::read(&reads)?)?;
        }
        Ok(run)
    }

    /// Runs a call and commits its writes. Returns its value.
    pub fn call(&self, call: Json, env: tuckbox::Env) -> Exported<String> {
        let run = self.preview(call, env)?;
        commit(&run)?;
        Ok(run.value()?)
    }
}

/// Sends the writes of a run to the store. Returns the receipt.
fn commit(run: &Run) -> Exported<String> {
    let (is_empty, operation_id) =
        run.outcome(|of| Ok((of.writes.is_empty(), of.writes.operation_id.as_str().to_owned())))?;
    if is_empty {
        let boxes = Json::Array(Vec::new());
        let receipt = [
            ("operation_id", Json::from(operation_id)),
            ("repeated", false.into()),
            ("boxes", boxes),
        ];
        return Ok(Json::from(receipt).to_string());
    }
    let receipt = store::commit(&run.writes()?).and_then(|text| Ok(run.committed(&text)?));
    if receipt.is_err() {
        run.refused()?;
    }
    receipt
}

impl exported::GuestProject for Project {
    fn open(settings: String) -> Exported<exported::Project> {
        Ok(exported::Project::new(Self(Workspace::open(&settings)?)))
    }

    fn preview(&self, call: String, of: types::Env) -> Exported<RunHandle> {
        let env = env(of)?;
        Ok(RunHandle::new(self.preview(self.parse(&call)?, env)?))
    }

    fn commit(&self, preview: RunBorrow<'_>) -> Exported<String> {
        let run = preview.get::<Run>();
        if !run.is_on(&self.0) {
            return Err(Error::bad_request("the preview belongs to another project").into());
        }
        commit(run)
    }

    fn call(&self, call: String, of: types::Env) -> Exported<String> {
        let env = env(of)?;
        self.call(self.parse(&call)?, env)
    }

    fn refresh(&self) -> Exported<()> {
        self.0.rows()?.refresh();
        Ok(())
    }
}
