//! `import` as a rule: files in, a report or a request out, and the project as writes.

use super::model::Findings;
use super::project::{self, Project};
use super::{SourceFile, import, neutral, report};
use crate::agents::Setup;
use crate::import::lint::ImportLint;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Kind, Reads, Snapshot, Writes};
use crate::value::env::Env;
use crate::value::json::{Field, Json};
use crate::{Error, Limits, Lint, Path, Result};
use sha2::{Digest, Sha256};

/// What comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// What was recognised, left out and cannot be known; the project as writes.
    Report,
    /// One request as system prompt, messages and tools.
    Neutral,
    /// The whole project as a snapshot.
    Snapshot,
}

/// Which request of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The last one of the conversation.
    Last,
    /// The one with this number in the report.
    Number(usize),
}

/// Reads logs of other tools.
#[derive(Clone, Debug)]
pub struct Import {
    findings: Findings,
    shape: Shape,
    wanted: Wanted,
    every: bool,
    key: [u8; 32],
    limits: Limits,
}

impl Import {
    /// Reads `{"files": [{"name", "text" | "base64"}], "shape"?, "request"?, "every"?}`.
    ///
    /// # Errors
    /// `bad_request` with the path of whatever is wrong with the call; nothing that stands in a
    /// file is an error.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "files", "shape", "request", "every"])?;
        let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
        for file in call.required("files")?.list()? {
            let fields = file.object()?;
            fields.only(&["name", "text", "base64"])?;
            let name = fields.required("name")?.string()?;
            let bytes = match (fields.optional("text"), fields.optional("base64")) {
                (Some(text), None) => text.string()?.as_bytes().to_vec(),
                (None, Some(data)) => super::base64::decode(data.string()?)
                    .ok_or_else(|| data.error("`base64` is not base64"))?,
                (Some(_), Some(_)) | (None, None) => {
                    return Err(file.error("a file has either `text` or `base64`"));
                }
            };
            files.push((name, bytes));
        }
        let shape = match call.optional("shape") {
            None => Shape::Report,
            Some(shape) => match shape.string()? {
                "report" => Shape::Report,
                "neutral" => Shape::Neutral,
                "snapshot" => Shape::Snapshot,
                other => {
                    return Err(shape.error(format!(
                        "`shape` is `report`, `neutral` or `snapshot`, found `{other}`"
                    )));
                }
            },
        };
        let wanted = match call.optional("request") {
            None => Wanted::Last,
            Some(request) if request.json().as_str() == Some("last") => Wanted::Last,
            Some(request) => {
                Wanted::Number(usize::try_from(request.count()?).unwrap_or(usize::MAX))
            }
        };
        let every =
            call.optional("every").map(|every| every.boolean()).transpose()?.unwrap_or_default();
        let mut hash = Sha256::new();
        for (name, bytes) in &files {
            // of one width on every machine
            hash.update((name.len() as u64).to_be_bytes());
            hash.update(name);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        let sources: Vec<SourceFile<'_>> =
            files.iter().map(|(name, bytes)| SourceFile { name, bytes }).collect();
        Ok(Self {
            findings: import(&sources),
            shape,
            wanted,
            every,
            key: hash.finalize().into(),
            limits: setup.defaults.limits,
        })
    }

    fn neutral(&self) -> Result<Json> {
        match self.wanted {
            Wanted::Last => Ok(neutral::shape(&self.findings, self.every)),
            Wanted::Number(number) => {
                let all = self.findings.sessions.iter().flat_map(|session| {
                    session.requests.iter().map(move |request| (session, request))
                });
                let count = all.clone().count();
                let (session, request) = all.into_iter().nth(number).ok_or_else(|| {
                    Error::not_found(format!(
                        "there is no request {number}; there are {count}, from 0"
                    ))
                    .at(Path::root().key("request"))
                })?;
                Ok(Json::Object(neutral::request(session, request)))
            }
        }
    }

    /// The writes that make the project real: boxes that are there already with the same cards
    /// are left alone.
    fn writes(&self, project: &Project, snapshot: &Snapshot, env: &Env) -> Result<Step<Writes>> {
        let mut needs = Reads::new(snapshot.project_id().clone());
        let operation =
            uuid::Builder::from_random_bytes(self.key.first_chunk().copied().unwrap_or_default());
        let mut writes =
            Writes::new(snapshot.project_id().clone(), operation.into_uuid().to_string(), env.now);
        for card_box in &project.boxes {
            match snapshot.card_box_row(card_box.box_id.as_str()).known()? {
                None => {
                    needs.add(Kind::Boxes, card_box.box_id.as_str());
                }
                Some(None) => writes.boxes.push(BoxChange::Create { card_box: card_box.clone() }),
                Some(Some(there)) if there.card_ids.iter().eq(card_box.card_ids.iter()) => {}
                Some(Some(_)) => {
                    return Err(Error::conflict(format!(
                        "box `{}` is there already with other cards",
                        card_box.box_id
                    ))
                    .detail("box_id", card_box.box_id.as_str()));
                }
            }
        }
        if !needs.is_empty() {
            return Ok(Step::Need(needs));
        }
        if !writes.boxes.is_empty() {
            writes.cards.clone_from(&project.cards);
            writes.agents.clone_from(&project.agents);
        }
        Ok(Step::Done(writes))
    }
}

impl Rule for Import {
    type Value = Json;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Json>>> {
        let mut lints = report::lints(&self.findings);
        if self.shape == Shape::Neutral {
            return Ok(Step::Done(Outcome::answer(self.neutral()?, lints, snapshot, env)));
        }
        let project =
            project::project(&self.findings, snapshot.project_id(), env.now, &self.limits);
        for refused in &project.refused {
            let path = Path::root().key("files").index(refused.origin.file);
            let line =
                refused.origin.line.map(|line| format!(" (line {line})")).unwrap_or_default();
            lints.push(Lint::new(
                ImportLint::CardRefused,
                path,
                format!("{}{line} became no card: {}", refused.origin.pointer, refused.message),
            ));
        }
        if self.shape == Shape::Snapshot {
            let value = project.snapshot(snapshot.project_id());
            return Ok(Step::Done(Outcome::answer(value, lints, snapshot, env)));
        }
        let writes = ready!(self.writes(&project, snapshot, env)?);
        let mut outcome = Outcome::answer(report::report(&self.findings), lints, snapshot, env);
        outcome.writes = writes;
        outcome.ledger.boxes = project.accounts;
        Ok(Step::Done(outcome))
    }
}
