//! `import` as a rule: files in, a report or a request out, and the project as writes.

use super::allowance::Allowance;
use super::model::Findings;
use super::project::{self, Project, Refused};
use super::report::{self, Told};
use super::{SourceFile, import_within, neutral};
use crate::agents::Setup;
use crate::import::lint::ImportLint;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Snapshot, Writes};
use crate::value::env::Env;
use crate::value::hex::feed;
use crate::value::json::{Field, Json, raw};
use crate::{Error, Limits, Lint, Path, ProjectId, Result, Timestamp};
use serde::ser::{Error as _, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::sync::Mutex;

/// What comes out.
///
/// Shown by the example of [`Import`].
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
///
/// Shown by the example of [`Import`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The last one of the conversation.
    Last,
    /// The one with this number in the report.
    Number(usize),
}

/// Reads logs of other tools.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::import::{Answer, Import};
/// use tuckbox::value::json::to_json;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let log = r#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
/// // `neutral` is the `Shape`; which request is `Wanted` is its number in the report, or the last one
/// let call = json!({"files": [{"name": "request.json", "text": log}], "shape": "neutral", "request": 0});
/// let call = Import::from_json(&call, &Setup::default())?;
/// let Step::Done(read) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// let answer: Answer = read.value;
/// assert!(to_json(&answer)?.get("messages").is_some());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Import {
    findings: Findings,
    shape: Shape,
    wanted: Wanted,
    every: bool,
    key: [u8; 32],
    limits: Limits,
    kept: Kept,
}

/// The project that was made to know which boxes to ask for. It is a function of the call, of whose
/// it is and of the moment.
#[derive(Debug, Default)]
struct Kept(Mutex<Option<(ProjectId, Timestamp, Project)>>);

impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Kept {
    fn take(&self, project_id: &ProjectId, now: Timestamp) -> Option<Project> {
        let kept = self.0.lock().ok()?.take()?;
        (kept.0 == *project_id && kept.1 == now).then_some(kept.2)
    }

    fn put(&self, project_id: &ProjectId, now: Timestamp, project: Project) {
        if let Ok(mut kept) = self.0.lock() {
            *kept = Some((project_id.clone(), now, project));
        }
    }
}

impl Import {
    /// Reads `{"files": [{"name", "text" | "base64"}], "shape"?, "request"?, "every"?}`.
    ///
    /// # Errors
    /// `bad_request` with the path of whatever is wrong with the call; `limit` where the files hold
    /// more values, requests or messages than allowed; nothing else that stands in a file is an error.
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
            feed(&mut hash, bytes);
        }
        let sources: Vec<SourceFile<'_>> =
            files.iter().map(|(name, bytes)| SourceFile { name, bytes }).collect();
        let limits = setup.defaults.limits;
        let allowance = Allowance::of(limits.max_values);
        let findings = import_within(&sources, allowance.clone());
        if let Some(file) = allowance.spent_in() {
            let max = limits.max_values;
            let why = format!("the files hold more values than `max_values` allows, {max}");
            let at = Path::root().key("files").index(file);
            return Err(Error::limit(why).at(at).detail("max_values", max));
        }
        let requests = findings.sessions.iter().map(|session| session.requests.len()).sum();
        limits.check_requests(requests, &Path::root().key("files"))?;
        let messages = findings.sessions.iter().map(|session| session.all().count()).sum();
        limits.check_messages(messages, &Path::root().key("files"))?;
        Ok(Self {
            findings,
            shape,
            wanted,
            every,
            key: hash.finalize().into(),
            limits,
            kept: Kept::default(),
        })
    }

    fn neutral(&self) -> Result<Json> {
        match self.wanted {
            Wanted::Last => {
                if self.every {
                    let bytes = neutral::size_of_all(&self.findings, &self.limits);
                    self.limits.check_bytes(bytes, &Path::root().key("every"))?;
                }
                Ok(neutral::shape(&self.findings, self.every))
            }
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
    fn writes(
        &self,
        project: &mut Project,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<Writes>> {
        let mut cursor = Cursor::new(snapshot);
        let operation =
            uuid::Builder::from_random_bytes(self.key.first_chunk().copied().unwrap_or_default());
        let mut writes =
            Writes::new(snapshot.project_id().clone(), operation.into_uuid().to_string(), env.now);
        for card_box in &project.boxes {
            match cursor.card_box_row(card_box.box_id.as_str())? {
                None => {}
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
        ready!(cursor.step());
        if !writes.boxes.is_empty() {
            writes.cards = std::mem::take(&mut project.cards);
            writes.agents = std::mem::take(&mut project.agents);
        }
        Ok(Step::Done(writes))
    }
}

/// What an import answers: JSON, as text, because it is long and is only looked at as text.
///
/// Shown by the example of [`Import`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer(String);

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

shape! {
    #[serde(untagged)]
    pub enum Answer {
        Report(report::ImportReport),
        Neutral(NeutralRequest),
        Snapshot(ImportedSnapshot),
    }

    /// The project of an import, as a snapshot.
    pub struct ImportedSnapshot {
        pub projects: Vec<Json>,
    }

    /// A request in the neutral shape.
    pub struct NeutralRequest {
        pub system: Vec<String>,
        pub messages: Vec<NeutralMessage>,
        pub tools: Vec<NeutralTool>,
        pub unknown: Vec<report::ImportUnknown>,
        pub output: Maybe<Vec<Json>>,
        /// Every request, where `every` was asked for.
        pub requests: Maybe<Vec<NumberedRequest>>,
    }

    pub struct NumberedRequest {
        #[serde(flatten)]
        pub request: NeutralRequest,
        pub index: Maybe<u64>,
    }

    pub struct NeutralMessage {
        pub role: Word<"system", "user", "assistant", "tool">,
        pub parts: Vec<Json>,
    }

    pub struct NeutralTool {
        pub name: String,
        pub description: Maybe<String>,
        pub schema: Maybe<Json>,
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return Json::parse(&self.0).map_err(S::Error::custom)?.serialize(serializer);
        }
        raw(&self.0, serializer)
    }
}

impl Rule for Import {
    type Value = Answer;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Answer>>> {
        let answer = |text: String, lints| Outcome::answer(Answer(text), lints, snapshot, env);
        let lints = |told: &[Told]| report::lints_of(&self.findings, told);
        if self.shape == Shape::Neutral {
            let lints = lints(&report::told(&self.findings));
            return Ok(Step::Done(answer(self.neutral()?.to_string(), lints)));
        }
        let (id, now) = (snapshot.project_id(), env.now);
        let mut project = match self.kept.take(id, now) {
            Some(kept) => kept,
            None => project::project(&self.findings, id, now, &self.limits)?,
        };
        let writes = match self.shape {
            Shape::Report => match self.writes(&mut project, snapshot, env)? {
                Step::Done(writes) => Some(writes),
                Step::Need(reads) => {
                    self.kept.put(id, now, project);
                    return Ok(Step::Need(reads));
                }
            },
            Shape::Snapshot | Shape::Neutral => None,
        };
        let told = report::told(&self.findings);
        let mut lints = lints(&told);
        lints.extend(project.refused.iter().map(refusal));
        let Some(writes) = writes else {
            return Ok(Step::Done(answer(project.snapshot(id).to_string(), lints)));
        };
        let mut outcome = answer(report::assemble(&self.findings, &told), lints);
        outcome.writes = writes;
        outcome.ledger.boxes = project.accounts;
        Ok(Step::Done(outcome))
    }
}

fn refusal(refused: &Refused) -> Lint {
    let path = Path::root().key("files").index(refused.origin.file);
    let line = refused.origin.line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let message = format!("{}{line} became no card: {}", refused.origin.pointer, refused.message);
    Lint::new(ImportLint::CardRefused, path, message)
}
