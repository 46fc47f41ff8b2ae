//! The timeline of a session: its requests as they were recorded, one step each.
//!
//! Nothing is converted. What a log does not have is `null`, and listed as unknown. The time is linear
//! in the size of the log, apart from hashes of messages that requests share.
//!
//! ```
//! use tuckbox::import::timeline::{ReadTimeline, TimelineAnswer};
//! # use tuckbox::rule::{Rule, Step};
//! # use tuckbox::{Env, Limits, Snapshot, Timestamp, json};
//! # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let log = json!({"model": "gpt-5", "messages": [{"role": "user", "content": "Where is the gate?"}]});
//! let call = json!({"files": [{"name": "request.json", "text": log.to_string()}]});
//! let call = ReadTimeline::from_json(&call)?.read(&Limits::default())?;
//! let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
//! let TimelineAnswer::Overview(all) = &*done.value else { panic!() };
//! assert_eq!(all.sessions[0].title.as_deref(), Some("Where is the gate?"));
//! assert!(all.steps[0].unanswered && all.steps[0].cost.is_none(), "the log has no answer");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod answer;
mod detail;
mod find;
mod index;
mod overview;
mod words;

pub use answer::{
    FileTokens, MessageDetail, MessagePart, MessageRow, PartKind, StepAction, StepCache,
    StepChange, StepCompaction, StepDetail, StepParameter, StepTool, StepTools, StepUnknown,
    StepUsage, TimelineAgent, TimelineHit, TimelineHits, TimelineOrigin, TimelineOverview,
    TimelinePrompt, TimelineSession, TimelineStep, TimelineTotals, TokenGroup,
};

use super::allowance::Allowance;
use super::arriving::Arriving;
use super::model::{Findings, Session};
use super::reading::Reading;
use super::rule::{ImportFile, too_many_values};
use super::{SourceFile, import_within};
use crate::rule::Immediate;
use crate::value::arguments::arguments;
use crate::value::json::{Json, to_text};
use crate::{Error, Limits, Path, Result};
use index::{Index, roots};
use serde::Serialize;
use std::sync::Arc;

arguments! {
    /// Shows the requests of a log as steps of a timeline.
    ///
    /// Shown by the example of [`Timeline`].
    #[derive(Clone, Debug)]
    pub struct ReadTimeline {
        /// The files to read together.
        pub files: Vec<ImportFile>,
        shared question: TimelineQuestion,
    }

    /// What to show of a timeline: by default all steps.
    ///
    /// Shown by the example of [`Timeline`].
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct TimelineQuestion {
        /// The index of the session in `sessions`. By default it is the newest.
        pub session: Option<usize>,
        /// Shows one step, by its number.
        pub step: Option<usize>,
        /// Shows one message, by its id.
        pub message: Option<String>,
        /// Finds messages with this text, ignoring case.
        pub find: Option<String>,
        /// Omits the messages of a step.
        pub brief: bool = false,
    }
}

shape! {
    fn timeline(arguments: ReadTimeline) -> TimelineAnswer;
}

/// The answer to a [`TimelineQuestion`].
///
/// Shown by the example of [`Timeline`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "one answer exists at a time")]
pub enum TimelineAnswer {
    /// All steps.
    Overview(TimelineOverview),
    /// One step.
    Step(StepDetail),
    /// One message.
    Message(MessageDetail),
    /// The matches of a search.
    Found(TimelineHits),
}

impl ReadTimeline {
    /// Reads the files and answers the question.
    ///
    /// # Errors
    /// `limit` for files with more values or requests than allowed; `not_found` for an unknown session,
    /// step or message.
    pub fn read(self, limits: &Limits) -> Result<Immediate<TimelineAnswer>> {
        self.read_with(limits, &Arc::default())
    }

    /// As [`ReadTimeline::read`], with the host's own table of models.
    pub(crate) fn read_with(
        self,
        limits: &Limits,
        models: &Arc<Json>,
    ) -> Result<Immediate<TimelineAnswer>> {
        let sources = self.files.iter();
        let sources = sources.map(|ImportFile { name, bytes }| SourceFile { name, bytes });
        let allowance = Allowance::of(limits.max_values);
        let mut findings = import_within(&sources.collect::<Vec<_>>(), allowance.clone());
        for session in &mut findings.sessions {
            session.own_models = models.clone();
        }
        let at_files = Path::root().key("files");
        if let Some(file) = allowance.spent_in() {
            return Err(too_many_values(limits).at(at_files.index(file)));
        }
        let requests = findings.sessions.iter().map(|session| session.requests.len()).sum();
        limits.check_requests(requests, &at_files)?;
        Timeline::new(findings).ask(&self.question).map(Immediate::new)
    }
}

/// The timelines of imported files. It stays in memory, so that each question is answered quickly.
///
/// ```
/// use tuckbox::import::timeline::{PartKind, Timeline, TimelineAnswer, TimelineQuestion};
/// use tuckbox::import::{SourceFile, import};
/// use tuckbox::json;
/// use tuckbox::prompt::cache::{Cause, MessageFate};
///
/// // a question, a tool call with its result, and a request in which a summary replaces both
/// let ask = json!({"role": "user", "content": "Where is the gate?"});
/// let call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
///     "function": {"name": "read_file", "arguments": r#"{"path": "gate.md"}"#}}]});
/// let result = json!({"role": "tool", "tool_call_id": "c1", "content": "In the east."});
/// let summary = json!({"role": "user", "content": "Summary of the conversation so far: look east."});
/// let next = json!({"role": "user", "content": "And the well?"});
/// let tools = json!([{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}]);
/// let line = |messages, answer| {
///     let usage = json!({"prompt_tokens": 40, "completion_tokens": 9});
///     let request = json!({"model": "gpt-5", "tools": tools.clone(), "messages": messages});
///     let response = json!({"choices": [{"message": answer}], "usage": usage});
///     json!({"request": request, "response": response}).to_string()
/// };
/// let say = |text: &str| json!({"role": "assistant", "content": text});
/// let log = [
///     line(json!([ask.clone()]), call.clone()),
///     line(json!([ask, call, result]), say("In the east.")),
///     line(json!([summary, next]), say("No file has it.")),
/// ].join("\n");
/// let mut timeline = Timeline::new(import(&[SourceFile { name: "log.jsonl", bytes: log.as_bytes() }]));
///
/// let TimelineAnswer::Overview(all) = timeline.ask(&TimelineQuestion::default())? else { panic!() };
/// let first = &all.steps[0];
/// assert_eq!((first.step, all.prompts[0].text.as_str()), (1, "Where is the gate?"));
/// let did = &first.did[0];
/// assert_eq!((did.tool.as_deref(), did.target.as_deref()), (Some("read_file"), Some("gate.md")));
/// assert_eq!((first.recorded.input, first.recorded.cached), (Some(40), None));
/// let cache = first.cache.as_ref().unwrap();
/// assert!(cache.cause == Cause::First && !cache.is_break);
///
/// let mut ask = |question| timeline.ask(&question);
/// let one = TimelineQuestion { step: Some(2), ..TimelineQuestion::default() };
/// let TimelineAnswer::Step(second) = ask(one)? else { panic!() };
/// assert_eq!(second.messages[0].parts[0].kind, PartKind::User);
/// assert_eq!((second.files[0].file.as_str(), second.files[0].times), ("gate.md", 1));
/// assert!(second.tools.known && second.tools.unused == 0);
/// let brief = TimelineQuestion { step: Some(2), brief: true, ..TimelineQuestion::default() };
/// let TimelineAnswer::Step(brief) = ask(brief)? else { panic!() };
/// assert_eq!((brief.messages.len(), brief.message_count), (0, second.messages.len()));
/// assert_eq!(brief.groups, second.groups);
/// assert_eq!((second.origin.file.as_str(), second.origin.line), ("log.jsonl", Some(2)));
/// let one = TimelineQuestion { step: Some(3), ..TimelineQuestion::default() };
/// let TimelineAnswer::Step(third) = ask(one)? else { panic!() };
/// let compaction = third.compaction.as_ref().unwrap();
/// assert_eq!((compaction.summaries.len(), compaction.replaced.len()), (1, 3));
/// assert_ne!(compaction.account.messages[0].fate, MessageFate::Kept);
///
/// let one = TimelineQuestion { message: Some("m0".into()), ..TimelineQuestion::default() };
/// let TimelineAnswer::Message(message) = ask(one)? else { panic!() };
/// assert_eq!((message.times, message.dropped_step, message.reason), (2, Some(3), "prompt"));
/// let find = TimelineQuestion { find: Some("EAST".into()), ..TimelineQuestion::default() };
/// let TimelineAnswer::Found(found) = ask(find)? else { panic!() };
/// assert_eq!((found.hits[0].found.as_str(), found.hits.len()), ("east", found.count));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct Timeline {
    sessions: Vec<Arc<Session>>,
    /// The sessions that have a timeline of their own.
    roots: Vec<usize>,
    /// The names of the files.
    files: Vec<String>,
    /// The session that was asked for last.
    built: Option<(usize, Arc<Index>)>,
}

impl Timeline {
    /// Starts with the findings of an import.
    pub fn new(findings: Findings) -> Self {
        let sessions: Vec<Arc<Session>> = findings.sessions.into_iter().map(Arc::new).collect();
        Self {
            roots: roots(&sessions),
            files: findings.files.into_iter().map(|file| file.name).collect(),
            sessions,
            built: None,
        }
    }

    /// Answers a question.
    ///
    /// # Errors
    /// `not_found` for an unknown session, step or message; `bad_request` for two questions at once.
    pub fn ask(&mut self, question: &TimelineQuestion) -> Result<TimelineAnswer> {
        let TimelineQuestion { session, step, message, find, brief } = question;
        let count = usize::from(step.is_some())
            + usize::from(message.is_some())
            + usize::from(find.is_some());
        if count > 1 {
            let text = "`step`, `message` and `find` are alternatives; pass one of them";
            return Err(Error::bad_request(text));
        }
        let shown = session.or(self.roots.len().checked_sub(1));
        let missing = |what: &str, value: &str, key: &str, count: usize| {
            let text = format!("no {what} `{value}`; the timeline has {count}");
            Err(Error::not_found(text).at(Path::root().key(key)))
        };
        let root = match shown {
            None => None,
            Some(shown) => match self.roots.get(shown) {
                Some(root) => Some(*root),
                None => return missing("session", &shown.to_string(), "session", self.roots.len()),
            },
        };
        let index = self.index(root);
        if let Some(number) = step {
            let found = number.checked_sub(1).and_then(|at| self.detail(&index, at, *brief));
            return match found {
                Some(found) => Ok(TimelineAnswer::Step(found)),
                None => missing("step", &number.to_string(), "step", index.steps.len()),
            };
        }
        if let Some(id) = message {
            let messages = index.members.iter().map(|member| member.nodes.len()).sum();
            return match self.message(&index, id) {
                Some(found) => Ok(TimelineAnswer::Message(found)),
                None => missing("message", id, "message", messages),
            };
        }
        if let Some(text) = find {
            return Ok(TimelineAnswer::Found(self.find(&index, text)));
        }
        Ok(TimelineAnswer::Overview(self.overview(shown, &index)))
    }

    fn index(&mut self, root: Option<usize>) -> Arc<Index> {
        let Some(root) = root else { return Arc::new(Index::default()) };
        match &self.built {
            Some((known, index)) if *known == root => Arc::clone(index),
            Some(_) | None => {
                let index = Arc::new(Index::of(&self.sessions, root));
                self.built = Some((root, Arc::clone(&index)));
                index
            }
        }
    }
}

/// Reads files in chunks, and then answers questions about their timeline.
///
/// ```
/// use tuckbox::import::timeline::{TimelineReader, TimelineReading};
///
/// let mut reader = TimelineReader::new();
/// reader.begin("a.json", 62);
/// reader.push(br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#)?;
/// reader.end();
/// assert!(reader.ask("{}")?.starts_with(r#"{"sessions":[{"id":"#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Default)]
pub struct TimelineReader {
    reading: Reading,
    arriving: Option<Arriving>,
    timeline: Option<Timeline>,
}

impl TimelineReader {
    /// Starts without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the host's own table of models, whose facts replace those of the shared table.
    #[must_use]
    pub fn with_models(mut self, models: Json) -> Self {
        self.reading.set_models(Arc::new(models));
        self
    }
}

/// The interface of a [`TimelineReader`] for hosts, without its type.
///
/// ```
/// use tuckbox::import::timeline::{TimelineReader, TimelineReading};
///
/// let mut reading: Box<dyn TimelineReading> = Box::new(TimelineReader::new());
/// reading.begin("a.json", 62);
/// let body = br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
/// for chunk in body.chunks(20) {
///     reading.push(chunk)?;
/// }
/// reading.end();
/// assert!(reading.ask(r#"{"find": "hi"}"#)?.ends_with(r#""count":1}"#));
/// let error = reading.ask(r#"{"step": 2}"#).unwrap_err();
/// assert_eq!(error.path().to_string(), "step");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub trait TimelineReading {
    /// Starts a file of about this many bytes.
    fn begin(&mut self, name: &str, size: usize);
    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// `limit` if there is not enough memory; `bad_request` if no file was started.
    fn push(&mut self, bytes: &[u8]) -> Result<()>;
    /// Ends the file.
    fn end(&mut self);
    /// Answers a [`TimelineQuestion`], both as JSON text. The first question ends the input.
    ///
    /// # Errors
    /// Those of [`Timeline::ask`].
    fn ask(&mut self, question: &str) -> Result<String>;
}

impl TimelineReading for TimelineReader {
    fn begin(&mut self, name: &str, size: usize) {
        self.end();
        self.arriving = Some(Arriving::new(name, size));
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.arriving {
            Some(arriving) => arriving.push(&mut self.reading, bytes),
            None => Err(Error::bad_request("no file was started")),
        }
    }

    fn end(&mut self) {
        if let Some(arriving) = self.arriving.take() {
            arriving.end(&mut self.reading);
        }
    }

    fn ask(&mut self, question: &str) -> Result<String> {
        let question = TimelineQuestion::from_json(&Json::parse(question)?)?;
        self.end();
        let reading = &mut self.reading;
        let timeline = self.timeline.get_or_insert_with(|| {
            reading.end();
            Timeline::new(std::mem::take(reading).finish())
        });
        to_text(&timeline.ask(&question)?)
    }
}
