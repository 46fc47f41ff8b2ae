//! The operation `import`: reads files, returns a report or a request, and writes the project.

use super::allowance::Allowance;
use super::model::Findings;
use super::project::{self, Project, RejectedCard};
use super::report::{self, SessionReport};
use super::{SourceFile, explain, import_within, neutral};
use crate::import::lint::ImportLint;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{BoxChange, Kind, Lookup, Presence, Snapshot, Writes};
use crate::value::arguments::{Argument, arguments, read_word};
use crate::value::env::Env;
use crate::value::hex::feed;
use crate::value::json::{Field, Json, raw};
use crate::{Card, Error, Limits, Lint, Path, ProjectId, Result, Timestamp};
use serde::Serialize;
use serde::ser::{Error as _, Serializer};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex};

/// The form of the answer.
///
/// Shown by the example of [`Import`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A report of what was read, what was omitted, and what the log does not have. The project is
    /// in the writes.
    Report,
    /// One request as system prompt, messages and tools.
    Neutral,
    /// The whole project as a snapshot.
    Snapshot,
    /// Why requests were not read from the provider's cache, by session.
    Cache,
    /// What compactions kept, covered and dropped, by session.
    Compaction,
}

impl Argument for Shape {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(
            field,
            &[
                ("report", Self::Report),
                ("neutral", Self::Neutral),
                ("snapshot", Self::Snapshot),
                ("cache", Self::Cache),
                ("compaction", Self::Compaction),
            ],
        )
    }
}

/// A request of an import.
///
/// Shown by the example of [`Import`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestChoice {
    /// The last request of the conversation.
    Last,
    /// The request with this number in the report.
    Number(usize),
}

impl Argument for RequestChoice {
    fn read(field: &Field<'_>) -> Result<Self> {
        match field.json().as_str() {
            Some("last") => Ok(Self::Last),
            _ => usize::read(field).map(Self::Number),
        }
    }
}

/// A file of a log.
///
/// Shown by the example of [`Import`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportFile {
    /// The name of the file.
    pub name: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

impl Argument for ImportFile {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["name", "text", "base64"])?;
        let name = String::read(&fields.required("name")?)?;
        let bytes = match (fields.optional("text"), fields.optional("base64")) {
            (Some(text), None) => text.string()?.as_bytes().to_vec(),
            (None, Some(data)) => super::base64::decode(data.string()?)
                .ok_or_else(|| data.error("`base64` must be valid base64"))?,
            (Some(_), Some(_)) | (None, None) => {
                return Err(field.error("a file must have either `text` or `base64`"));
            }
        };
        Ok(Self { name, bytes })
    }
}

shape! {
    #[serde(untagged)]
    pub enum RequestChoice {
        Number(usize),
        Last(Word<"last">),
    }

    /// A file of a log: its text, or its bytes as base64.
    #[serde(untagged)]
    pub enum ImportFile {
        Text { name: String, text: String, base64: Maybe<()> },
        Bytes { name: String, base64: Base64, text: Maybe<()> },
    }

    fn import() -> Answer;
}

arguments! {
    /// Imports logs of other tools as cards and boxes.
    ///
    /// ```
    /// use tuckbox::import::{Answer, FileImport, Import};
    /// use tuckbox::value::json::to_json;
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Limits, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let log = r#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
    /// // the `Shape` is `neutral`, the `RequestChoice` is a number in the report
    /// let call = json!({"files": [{"name": "request.json", "text": log}], "shape": "neutral", "request": 0});
    /// let rule: FileImport = Import::from_json(&call)?.read(&Limits::default())?;
    /// let Step::Done(read) = rule.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// let answer: Answer = read.value;
    /// assert!(to_json(&answer)?.get("messages").is_some());
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct Import {
        /// The files to read together.
        pub files: Vec<ImportFile>,
        /// The form of the answer. Only a report can be committed.
        pub shape: Shape = Shape::Report,
        /// The request of a `neutral` answer, by its number in the report.
        pub request: RequestChoice = RequestChoice::Last,
        /// Adds every request to a `neutral` answer.
        pub every: bool = false,
    }
}

/// An import whose files are read.
///
/// Shown by the example of [`Import`].
#[derive(Clone, Debug)]
pub struct FileImport {
    findings: Findings,
    shape: Shape,
    request: RequestChoice,
    every: bool,
    /// The hash of the files.
    key: [u8; 32],
    limits: Limits,
    project: ProjectCache,
}

/// The project of an earlier step, which read the boxes. It depends only on the call, the project id and
/// the time.
#[derive(Debug, Default)]
struct ProjectCache(Mutex<Option<(ProjectId, Timestamp, Project)>>);

impl Clone for ProjectCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl ProjectCache {
    fn take(&self, project_id: &ProjectId, now: Timestamp) -> Option<Project> {
        let (of, at, project) = self.0.lock().ok()?.take()?;
        (of == *project_id && at == now).then_some(project)
    }

    fn put(&self, project_id: &ProjectId, now: Timestamp, project: Project) {
        if let Ok(mut cache) = self.0.lock() {
            *cache = Some((project_id.clone(), now, project));
        }
    }
}

impl Import {
    /// Reads the files.
    ///
    /// # Errors
    /// `limit` for files with more values, requests or messages than allowed. The content of a file is
    /// never an error.
    pub fn read(self, limits: &Limits) -> Result<FileImport> {
        self.read_with(limits, &Arc::default())
    }

    /// As [`Import::read`], with the host's own table of models.
    pub(crate) fn read_with(self, limits: &Limits, models: &Arc<Json>) -> Result<FileImport> {
        let at_files = || Path::root().key("files");
        let sources =
            self.files.iter().map(|ImportFile { name, bytes }| SourceFile { name, bytes });
        let allowance = Allowance::of(limits.max_values);
        let mut findings = import_within(&sources.collect::<Vec<_>>(), allowance.clone());
        for session in &mut findings.sessions {
            session.own_models = models.clone();
        }
        if let Some(file) = allowance.spent_in() {
            return Err(too_many_values(limits).at(at_files().index(file)));
        }
        let requests = findings.sessions.iter().map(|session| session.requests.len()).sum();
        limits.check_requests(requests, &at_files())?;
        let messages = findings.sessions.iter().map(|session| session.all().count()).sum();
        limits.check_messages(messages, &at_files())?;
        Ok(FileImport {
            findings,
            shape: self.shape,
            request: self.request,
            every: self.every,
            key: hash_of(&self.files),
            limits: *limits,
            project: ProjectCache::default(),
        })
    }
}

/// Returns the error of files with more values than allowed.
pub(super) fn too_many_values(limits: &Limits) -> Error {
    let max = limits.max_values;
    Error::limit(format!("the files have more values than `max_values`, {max}"))
        .detail("max_values", max)
}

/// Returns the hash of files. Lengths have the same width on every machine.
fn hash_of(files: &[ImportFile]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for ImportFile { name, bytes } in files {
        hash.update((name.len() as u64).to_be_bytes());
        hash.update(name);
        hash.update((bytes.len() as u64).to_be_bytes());
        feed(&mut hash, bytes);
    }
    hash.finalize().into()
}

impl FileImport {
    fn neutral(&self) -> Result<Json> {
        match self.request {
            RequestChoice::Last => {
                if self.every {
                    let bytes = neutral::size_of_all(&self.findings, &self.limits);
                    self.limits.check_bytes(bytes, &Path::root().key("every"))?;
                }
                Ok(neutral::shape(&self.findings, self.every))
            }
            RequestChoice::Number(number) => {
                let all = self.findings.sessions.iter().flat_map(|session| {
                    session.requests.iter().map(move |request| (session, request))
                });
                let count = all.clone().count();
                let (session, request) = all.into_iter().nth(number).ok_or_else(|| {
                    Error::not_found(format!(
                        "no request `{number}`; the files have {count}, numbered from 0"
                    ))
                    .at(Path::root().key("request"))
                })?;
                Ok(Json::Object(neutral::request(session, request)))
            }
        }
    }

    /// Returns the explanations of all sessions.
    fn explained(&self) -> Result<Json> {
        if self.shape == Shape::Cache {
            return explain::caches(&self.findings);
        }
        // each request is compared with its whole history
        let bytes = neutral::size_of_all(&self.findings, &self.limits);
        self.limits.check_bytes(bytes, &Path::root().key("files"))?;
        explain::compactions(&self.findings)
    }

    /// Returns the writes of the project. Boxes that exist with the same cards are not written again, nor are cards that exist.
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
                Presence::Unread => {}
                Presence::Read(None) => {
                    writes.boxes.push(BoxChange::Create { card_box: card_box.clone() })
                }
                Presence::Read(Some(there))
                    if there.card_ids.iter().eq(card_box.card_ids.iter()) => {}
                Presence::Read(Some(_)) => {
                    return Err(Error::conflict(format!(
                        "box `{}` exists with other cards",
                        card_box.box_id
                    ))
                    .detail("box_id", card_box.box_id.as_str()));
                }
            }
        }
        ready!(cursor.step());
        if !writes.boxes.is_empty() {
            // the id of a card is the hash of its content: an earlier import of the same text made it
            cursor.want_all(Kind::Cards, project.cards.iter().map(|card| card.card_id.as_str()));
            ready!(cursor.step());
            let is_new =
                |card: &Card| !matches!(snapshot.card(card.card_id.as_str()), Lookup::Present(_));
            writes.cards = std::mem::take(&mut project.cards);
            writes.cards.retain(is_new);
            writes.agents = std::mem::take(&mut project.agents);
        }
        Ok(Step::Done(writes))
    }
}

/// The answer of an import, as JSON text: it is long, and hosts read it as text.
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
        Cache(explain::ImportedCache),
        Compaction(explain::ImportedCompaction),
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
        /// Every request, if the call has `every`.
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

impl Rule for FileImport {
    type Value = Answer;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Answer>>> {
        let answer = |text: String, lints| Outcome::answer(Answer(text), lints, snapshot, env);
        let lints = |sessions: &[SessionReport]| report::lints_of(&self.findings, sessions);
        let explained = match self.shape {
            Shape::Neutral => Some(self.neutral()?),
            Shape::Cache | Shape::Compaction => Some(self.explained()?),
            Shape::Report | Shape::Snapshot => None,
        };
        if let Some(explained) = explained {
            let lints = lints(&report::sessions_of(&self.findings));
            return Ok(Step::Done(answer(explained.to_string(), lints)));
        }
        let (id, now) = (snapshot.project_id(), env.now);
        let mut project = match self.project.take(id, now) {
            Some(project) => project,
            None => project::project(&self.findings, id, now, &self.limits)?,
        };
        let writes = match self.shape {
            Shape::Report => match self.writes(&mut project, snapshot, env)? {
                Step::Done(writes) => Some(writes),
                Step::Need(reads) => {
                    self.project.put(id, now, project);
                    return Ok(Step::Need(reads));
                }
            },
            Shape::Snapshot | Shape::Neutral | Shape::Cache | Shape::Compaction => None,
        };
        let sessions = report::sessions_of(&self.findings);
        let mut lints = lints(&sessions);
        lints.extend(project.refused.iter().map(refusal));
        let Some(writes) = writes else {
            return Ok(Step::Done(answer(project.snapshot(id).to_string(), lints)));
        };
        let mut outcome = answer(report::assemble(&self.findings, &sessions), lints);
        outcome.writes = writes;
        outcome.ledger.boxes = project.accounts;
        Ok(Step::Done(outcome))
    }
}

fn refusal(refused: &RejectedCard) -> Lint {
    let path = Path::root().key("files").index(refused.origin.file);
    let line = refused.origin.line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let message = format!("{}{line} is not a card: {}", refused.origin.pointer, refused.message);
    Lint::new(ImportLint::CardRefused, path, message)
}
