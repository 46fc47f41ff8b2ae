//! Entries of parts that are not operations: commits, streams of imports, and checks of settings.

use super::operations::Part;
use super::workspace::{Run, Workspace};
use crate::agents::{Setup, recipe};
use crate::import::timeline::{TimelineReader, TimelineReading};
use crate::import::{Stream, Streaming};
use crate::prompt::cache::ExplainCache;
use crate::prompt::provider::{GrowingBody, Models, ResidentBody};
use crate::rule::Call;
use crate::store::{Receipt, decide};
use crate::value::json::{Field, Json, ParseLimits};
use crate::{Error, Result};

/// Gates of parts, as in the table of operations. The build finds them by name.
mod gate {
    use super::*;

    #[inline(never)]
    pub(super) fn commit_touched(batch: &[u8]) -> Result<String> {
        decide::touched_text(batch)
    }

    #[inline(never)]
    pub(super) fn commit_decide(batch: &[u8], rows: &[u8]) -> Result<String> {
        decide::decide_text(batch, rows)
    }

    #[inline(never)]
    pub(super) fn commit_select(list: &[u8], rows: &[u8]) -> Result<String> {
        decide::select_text(list, rows)
    }

    #[inline(never)]
    pub(super) fn commit_committed(
        workspace: &mut Workspace,
        run: &Run,
        receipt: &[u8],
    ) -> Result<Receipt> {
        workspace.committed_text(run, receipt)
    }

    #[inline(never)]
    pub(super) fn commit_refused(workspace: &mut Workspace, run: &Run) -> Result<()> {
        workspace.refused(run)
    }

    #[inline(never)]
    pub(super) fn commit_after(workspace: &Workspace, run: &Run) -> Result<Workspace> {
        workspace.after(run)
    }

    #[inline(never)]
    pub(super) fn cache_explain(
        text: &[u8],
        limits: &ParseLimits,
        models: &Json,
        call: &mut Option<Call>,
    ) {
        *call = ExplainCache::from_text(text, limits, models).map(Call::new);
    }

    #[inline(never)]
    pub(super) fn import_stream(begun: &mut Option<Box<dyn Streaming + Send>>, models: Json) {
        *begun = Some(Box::new(Stream::new().with_models(models)));
    }

    #[inline(never)]
    pub(super) fn import_timeline(begun: &mut Option<Box<dyn TimelineReading>>, models: Json) {
        *begun = Some(Box::new(TimelineReader::new().with_models(models)));
    }

    #[inline(never)]
    pub(super) fn prompt_body(
        call: &Json,
        setup: &Setup,
        begun: &mut Option<Result<Box<dyn GrowingBody>>>,
    ) {
        let made = ResidentBody::from_json(call, setup);
        *begun = Some(made.map(|body| Box::new(body) as Box<dyn GrowingBody>));
    }

    #[inline(never)]
    pub(super) fn prompt_models(table: &Field<'_>) -> Result<()> {
        Models::from_json(table).map(drop)
    }

    #[inline(never)]
    pub(super) fn agents_recipes(list: &Field<'_>) -> Result<recipe::Recipes> {
        recipe::Recipes::from_json(list, crate::call::is_operation)
    }
}

/// Returns the rows that a store needs to decide a batch, as JSON text. See
/// [`touched_text`](decide::touched_text). It is part of [`Part::Commit`].
///
/// # Errors
/// `store` when the text is not a batch.
///
/// ```
/// let batch = br#"{"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z", "delete_cards": ["c1"]}"#;
/// assert_eq!(tuckbox::call::touched(batch)?, r#"{"project_id":"p1","cards":["c1"]}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn touched(batch: &[u8]) -> Result<String> {
    gate::commit_touched(batch)
}

/// Decides a commit: returns the rows to write and the receipt, as JSON text. See
/// [`decide_text`](decide::decide_text). It is part of [`Part::Commit`].
///
/// # Errors
/// Those of [`decide_text`](decide::decide_text).
///
/// ```
/// let batch = br#"{"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z",
///     "boxes": [{"change": "append", "box_id": "b1", "card_ids": ["c2"]}]}"#;
/// let rows = br#"{"boxes": [{"box_id": "b1", "card_ids": ["c1"], "version": 4}]}"#;
/// assert!(tuckbox::call::decide(batch, rows)?.contains(r#""version":5"#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn decide(batch: &[u8], rows: &[u8]) -> Result<String> {
    gate::commit_decide(batch, rows)
}

/// Selects the rows of a list from rows of its table, as JSON text. See
/// [`select_text`](decide::select_text). It is part of [`Part::Commit`].
///
/// # Errors
/// `store` when the text is not a list, or not rows.
///
/// ```
/// let list = br#"{"table": "heads", "index": "all", "of": [], "limit": 1}"#;
/// let rows = br#"[{"key": ["a2"], "version": "v", "row": {"agent_id": "a2"}},
///     {"key": ["a1"], "version": "v", "row": {"agent_id": "a1"}}]"#;
/// let first = tuckbox::call::select_rows(list, rows)?;
/// assert!(first.contains("a1") && !first.contains("a2"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn select_rows(list: &[u8], rows: &[u8]) -> Result<String> {
    gate::commit_select(list, rows)
}

/// Does the same as [`Workspace::committed_text`]. It is part of [`Part::Commit`].
///
/// # Errors
/// Those of [`Workspace::committed_text`].
///
/// ```
/// use tuckbox::{Env, Timestamp, Workspace, call, json};
///
/// let mut workspace = Workspace::new("p1".into());
/// let create = json!({"op": "create_box", "card_ids": ["c1"], "operation_id": "op_1"});
/// let mut run = workspace.begin(create, Env::new(Timestamp::from_millis(0), [7; 32]))?;
/// assert!(workspace.step(&mut run)?.is_none());
///
/// let box_id = run.outcome()?.writes.boxes[0].box_id().as_str();
/// let receipt = json!({"operation_id": "op_1", "repeated": false, "boxes": [{"box_id": box_id, "version": 1}]});
/// call::committed(&mut workspace, &run, receipt.to_string().as_bytes())?;
/// assert_eq!(workspace.snapshot().counts().boxes, 1);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn committed(workspace: &mut Workspace, run: &Run, receipt: &[u8]) -> Result<Receipt> {
    gate::commit_committed(workspace, run, receipt)
}

/// Does the same as [`Workspace::refused`]. It is part of [`Part::Commit`].
///
/// # Errors
/// Those of [`Workspace::refused`].
///
/// ```
/// use tuckbox::{Env, Timestamp, Workspace, call, json};
///
/// let mut workspace = Workspace::new("p1".into());
/// let fork = json!({"op": "fork_box", "box_id": "notes"});
/// let mut run = workspace.begin(fork, Env::new(Timestamp::from_millis(0), [7; 32]))?;
/// assert!(workspace.step(&mut run)?.is_some());
/// workspace.answer(&mut run, &json!({"boxes": [{"box_id": "notes", "card_ids": [], "version": 3}]}))?;
/// assert!(workspace.step(&mut run)?.is_none());
///
/// // another process changed the box, so the next call reads it again
/// call::refused(&mut workspace, &run)?;
/// assert_eq!(workspace.snapshot().counts().boxes, 0);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn refused(workspace: &mut Workspace, run: &Run) -> Result<()> {
    gate::commit_refused(workspace, run)
}

/// Does the same as [`Workspace::after`]. It is part of [`Part::Commit`].
///
/// # Errors
/// Those of [`Workspace::after`].
///
/// ```
/// use tuckbox::{Env, Timestamp, Workspace, call, json};
///
/// let mut workspace = Workspace::new("p1".into());
/// let create = json!({"op": "create_box", "card_ids": ["c1"]});
/// let mut run = workspace.begin(create, Env::new(Timestamp::from_millis(0), [7; 32]))?;
/// assert!(workspace.step(&mut run)?.is_none());
///
/// let later = call::after(&workspace, &run)?;
/// assert_eq!(later.snapshot().counts().boxes, 1);
/// assert_eq!(workspace.snapshot().counts().boxes, 0);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn after(workspace: &Workspace, run: &Run) -> Result<Workspace> {
    gate::commit_after(workspace, run)
}

/// Returns the part of an operation that reads the text of its arguments itself, because requests of a
/// session repeat most of it.
///
/// ```
/// use tuckbox::call::{Part, text_part};
/// assert_eq!(text_part("explain_cache"), Some(Part::Cache));
/// assert_eq!(text_part("pack_context"), None);
/// ```
pub fn text_part(op: &str) -> Option<Part> {
    (op == "explain_cache").then_some(Part::Cache)
}

/// Reads the text of a call's arguments, for an operation with a [`text_part`]. Returns nothing where
/// the JSON must be read instead.
pub(super) fn take_text(
    op: &str,
    text: &[u8],
    limits: &ParseLimits,
    setup: &Setup,
) -> Option<Call> {
    text_part(op)?;
    let mut call = None;
    gate::cache_explain(text, limits, &setup.models, &mut call);
    call
}

/// Begins an import, one file after another. It is part of [`Part::Import`]. `models` is the host's own
/// table of models as JSON text, as in the settings of a project. With one, it is part of
/// [`Part::Prompt`] too.
///
/// # Errors
/// `bad_request` with the path of the value in the table that is wrong.
///
/// ```
/// let mut stream = tuckbox::call::import_stream(None)?.unwrap();
/// let log = br#"[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]"#;
/// stream.begin("talk.json", log.len());
/// stream.push(log)?;
/// stream.end();
/// let [report, lints] = stream.finish();
/// assert!(report.starts_with('{') && lints.starts_with('['));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn import_stream(models: Option<&str>) -> Result<Option<Box<dyn Streaming + Send>>> {
    // an out parameter hides the type from the compiler, which otherwise links it into the core
    let mut begun = None;
    gate::import_stream(&mut begun, own_models(models)?);
    Ok(begun)
}

/// Begins a timeline, one file after another. It is part of [`Part::Import`]. `models` is the same as
/// for [`import_stream`].
///
/// # Errors
/// As [`import_stream`].
///
/// ```
/// let mut reader = tuckbox::call::timeline(None)?.unwrap();
/// let log = br#"{"model": "gpt-5", "messages": [{"role": "user", "content": "Hello"}]}"#;
/// reader.begin("request.json", log.len());
/// reader.push(log)?;
/// assert!(reader.ask(r#"{"find": "hello"}"#)?.contains(r#""count":1"#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn timeline(models: Option<&str>) -> Result<Option<Box<dyn TimelineReading>>> {
    let mut begun = None;
    gate::import_timeline(&mut begun, own_models(models)?);
    Ok(begun)
}

/// Reads the host's own table of models.
fn own_models(models: Option<&str>) -> Result<Json> {
    let Some(text) = models else { return Ok(Json::Null) };
    let table = Json::parse(text)?;
    check_models(&Field::root(&table))?;
    Ok(table)
}

/// Creates the body of a conversation that grows: see [`ResidentBody::from_json`]. It is part of
/// [`Part::Prompt`].
///
/// # Errors
/// Those of [`ResidentBody::from_json`].
///
/// ```
/// use tuckbox::{agents::Setup, call, json};
///
/// let terms = json!({"provider": "openai_chat", "model": "some-model"});
/// let mut body = call::resident_body(&terms, &Setup::default())?;
/// let change = body.append(r#"[{"role": "user", "content": "Hello"}]"#)?;
/// assert_eq!(change.items, r#"{"role":"user","content":"Hello"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn resident_body(call: &Json, setup: &Setup) -> Result<Box<dyn GrowingBody>> {
    // an out parameter hides the type from the compiler, which otherwise links it into the core
    let mut begun = None;
    gate::prompt_body(call, setup, &mut begun);
    begun.unwrap_or_else(|| Err(Error::bad_request("bodies are not available")))
}

/// Reads the recipes of a host. It is part of [`Part::Agents`].
pub(crate) fn read_recipes(list: &Field<'_>) -> Result<recipe::Recipes> {
    gate::agents_recipes(list)
}

/// Checks the host's own table of models. It is part of [`Part::Prompt`].
pub(crate) fn check_models(table: &Field<'_>) -> Result<()> {
    gate::prompt_models(table)
}
