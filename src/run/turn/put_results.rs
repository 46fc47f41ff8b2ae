//! The results of tools that ran within a step, and the starts of tools that must not run twice.

use super::tool_results::{AnsweredCall, MAX_STORED_BYTES, ToolOutput, put_result, result_id};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Stop, Transaction};
use crate::run::values::object;
use crate::store::card_conflict;
use crate::value::arguments::arguments;
use crate::value::card::{AfterExecution, Content, NewCard, ToolResult};
use crate::value::json::Json;
use crate::{Code, Path};
use serde::Serialize;

arguments! {
    /// A call of a tool that ran, and its result.
    ///
    /// The example of [`PutToolResults`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RanTool {
        /// The id of the call.
        pub tool_call_id: String,
        /// The name of the tool.
        pub tool_name: String,
        shared output: ToolOutput,
    }

    /// A call of a tool that starts.
    ///
    /// The example of [`PutToolResults`] shows it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StartedTool {
        /// The id of the call.
        pub tool_call_id: String,
        /// The name of the tool.
        pub tool_name: String,
    }

    /// Stores the results of tools that ran, each as the card `result_<tool_call_id>`. Only the
    /// first result of a call counts. A result that cannot be stored fails only its call.
    ///
    /// ```
    /// use tuckbox::run::PutToolResults;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = PutToolResults::from_json(&json!({"agent_turn_id": "t1", "step_id": "s1",
    ///     "started": [{"tool_call_id": "c3", "tool_name": "pay"}],
    ///     "results": [{"tool_call_id": "c1", "tool_name": "search", "result": ["a hit"]},
    ///         {"tool_call_id": "c2", "tool_name": "fetch", "result_text": "no JSON"}]}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let stored = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?;
    /// let results = stored.value.results;
    /// assert_eq!(results[0].card_ids, ["result_c1"]);
    /// assert!(results[1].error.is_some());
    /// let ids: Vec<_> = stored.writes.cards.iter().map(|card| card.card_id.as_str()).collect();
    /// assert_eq!(ids, ["start_c3", "result_c1"]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct PutToolResults {
        /// The turn that made the calls.
        pub agent_turn_id: String,
        /// The step that made the calls.
        pub step_id: String,
        /// The calls that ran, in order.
        pub results: Vec<RanTool> = Vec::new(),
        /// The calls of tools that must not run twice, before they run. Each gets the card
        /// `start_<tool_call_id>`. A card of another step is a `conflict`: another worker started the tool.
        pub started: Vec<StartedTool> = Vec::new(),
        shared terms: RunTerms,
    }
}

/// The results that were stored.
///
/// The example of [`PutToolResults`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredToolResults {
    /// The first results of the call, in its order. One commit stores at most 32 MiB of JSON: a second call
    /// stores the others.
    pub results: Vec<StoredToolResult>,
}

/// A result that was stored, or why it cannot be stored.
///
/// The example of [`PutToolResults`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredToolResult {
    /// The id of the call.
    pub tool_call_id: String,
    /// The card with the result; empty if there is an error.
    pub card_ids: Vec<String>,
    /// Why the result cannot be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

perform! {
    PutToolResults -> StoredToolResults { |call, tx| call.run(tx) }
}

impl PutToolResults {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<StoredToolResults> {
        tx.check_tasks(self.results.len(), &Path::root().key("results"))?;
        tx.check_tasks(self.started.len(), &Path::root().key("started"))?;
        for ran in &self.results {
            tx.want_card(Some(&result_id(&ran.tool_call_id)));
        }
        for started in &self.started {
            tx.want_card(Some(&start_id(&started.tool_call_id)));
        }
        for started in &self.started {
            self.start(tx, started)?;
        }
        let (mut bytes, mut results) = (0, Vec::new());
        for ran in &self.results {
            bytes += ran.output.text().len();
            if bytes > MAX_STORED_BYTES && !results.is_empty() {
                break;
            }
            results.push(self.put(tx, ran)?);
        }
        Ok(StoredToolResults { results })
    }

    /// Makes the card of a tool that starts.
    fn start(&self, tx: &mut Transaction<'_>, started: &StartedTool) -> Run<()> {
        let data = object! {
            "tool_call_id" => started.tool_call_id.as_str(),
            "function_name" => started.tool_name.as_str(),
        };
        let metadata = object! {
            "step_id" => self.step_id.as_str(),
            "agent_turn_id" => self.agent_turn_id.as_str(),
        };
        let author_id = format!("tool.{}", started.tool_name);
        let content = Content::json(Json::Object(data))?;
        let new = NewCard { metadata, ..NewCard::new("tool.start", author_id, content) };
        let card_id = start_id(&started.tool_call_id);
        match tx.card(&card_id)? {
            None => tx.make_cards(vec![(card_id.into(), new)]),
            Some(known) => {
                let card = tx.checked_card(card_id.into(), new)?;
                if known.same_content(&card) { Ok(()) } else { Err(card_conflict(&card).into()) }
            }
        }
    }

    /// Stores a result. An error of its content is part of the answer.
    fn put(&self, tx: &mut Transaction<'_>, ran: &RanTool) -> Run<StoredToolResult> {
        let call = AnsweredCall {
            agent_turn_id: &self.agent_turn_id,
            step_id: &self.step_id,
            tool_call_id: &ran.tool_call_id,
            tool_name: &ran.tool_name,
        };
        let success = ToolResult {
            status: "success".into(),
            after_execution: AfterExecution::Suspend,
            result: Json::Null,
            error: None,
        };
        let tool_call_id = ran.tool_call_id.clone();
        match put_result(tx, &call, success, &ran.output) {
            Ok(()) => {
                let card_ids = vec![result_id(&tool_call_id)];
                Ok(StoredToolResult { tool_call_id, card_ids, error: None })
            }
            Err(Stop::Failed(error)) if is_of_content(error.code()) => {
                let error = Some(error.message().to_owned());
                Ok(StoredToolResult { tool_call_id, card_ids: Vec::new(), error })
            }
            Err(stop) => Err(stop),
        }
    }
}

/// Returns the id of the card of a tool that was started.
fn start_id(tool_call_id: &str) -> String {
    format!("start_{tool_call_id}")
}

/// Returns true for an error of the content of a card, which no later try can store.
const fn is_of_content(code: Code) -> bool {
    matches!(code, Code::Limit | Code::InvalidContent | Code::BadRequest)
}
