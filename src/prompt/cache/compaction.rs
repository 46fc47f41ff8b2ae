//! The account of compactions: what happened to each message of the request before.
//!
//! It is an account of messages, not a claim about what a model still remembers.

use super::body::{Api, Kind, Parsed, Region};
use super::messages::{Message, compaction as is_compaction, is_summary, messages};
use super::parse::parse;
use super::provider::CacheProvider;
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::{arguments, read_word};
use crate::value::env::Env;
use crate::value::json::{Field, Json};
use crate::value::{Map, Set};
use crate::{Error, Result};
use serde::Serialize;
use std::sync::Arc;

/// Accounts for the messages of every compaction between the requests of a session.
///
/// ```
/// use tuckbox::prompt::cache::{CompactionLoss, ExplainCompaction, MessageFate};
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let say = |role: &str, text: &str| json!({"role": role, "content": text});
/// let [one, two, three] = [say("user", "One?"), say("assistant", "1"), say("user", "Two?")];
/// let before = json!([one.clone(), two.clone(), three.clone()]);
/// let after = json!([say("user", "Summary of the conversation so far: 1."), three]);
/// let call = json!({"provider": "anthropic", "requests": [
///     {"body": {"messages": before.clone()}},
///     {"body": {"messages": [one, two, say("user", "Summarize.")]}, "kind": "compaction"},
///     {"body": {"messages": after.clone()}}]});
/// let call = ExplainCompaction::from_json(&call)?;
/// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// let fates: Vec<_> = done.value.compactions[0].messages.iter().map(|message| message.fate).collect();
/// assert_eq!(fates, [MessageFate::Covered, MessageFate::Covered, MessageFate::Kept]);
///
/// // a summary that is made from the first message only loses the second
/// let call = json!({"provider": "anthropic", "requests": [
///     {"body": {"messages": before}}, {"body": {"messages": after}, "covered": [0, 1]}]});
/// let call = ExplainCompaction::from_json(&call)?;
/// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// let lost = &done.value.findings[0];
/// assert_eq!((lost.loss, lost.message), (CompactionLoss::Dropped, 1));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainCompaction(Immediate<CompactionAccount>);

arguments! {
    /// Accounts for the messages of every compaction between the requests of a session.
    struct ExplainCompactionArguments {
        /// The provider, as for `explain_cache`.
        pub provider: CacheProvider,
        shared requests: CompactionRequests,
    }
}

/// The requests, which are read in place.
struct CompactionRequests;

shape! {
    pub struct CompactionRequests {
        /// The requests of one session, oldest first.
        pub requests: Vec<CompactionRequest>,
    }

    /// A request of a session.
    pub struct CompactionRequest {
        /// The body, as it was sent.
        pub body: Object,
        /// `compaction` for the request whose answer is the next summary.
        pub kind: Maybe<Word<"main", "compaction">>,
        /// The messages of the request before that the summary was made from: the first, and the one
        /// after the last.
        pub covered: Maybe<Vec<usize>>,
        /// The position of the summary in this request, for a summary without the words of one.
        pub summary: Maybe<usize>,
    }

    fn explain_compaction(arguments: ExplainCompactionArguments) -> CompactionAccount;
}

requests_in_place!(CompactionRequests);

/// What happened to a message.
///
/// Shown by the example of [`ExplainCompaction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageFate {
    /// The request after has the same message.
    Kept,
    /// It was in the input of the summary.
    Covered,
    /// Neither.
    Dropped,
    /// The input of the summary is not known.
    Unknown,
}

/// The account of the compactions of a session.
///
/// Shown by the example of [`ExplainCompaction`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CompactionAccount {
    /// The compactions, in order.
    pub compactions: Vec<Compaction>,
    /// The totals of all compactions.
    pub totals: FateTotals,
    /// Messages and summaries that were lost.
    pub findings: Vec<CompactionFinding>,
}

/// The account of one compaction.
///
/// Shown by the example of [`ExplainCompaction`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compaction {
    /// The request before.
    pub before: usize,
    /// The request after.
    pub after: usize,
    /// The summaries: messages of the request after. Empty if messages were only removed.
    pub summaries: Vec<usize>,
    /// Every message of the request before.
    pub messages: Vec<AccountedMessage>,
    /// The totals.
    pub totals: FateTotals,
}

/// A message of the request before a compaction.
///
/// Shown by the example of [`ExplainCompaction`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AccountedMessage {
    /// The position in the body.
    pub message: usize,
    /// The role.
    pub role: String,
    /// What happened to it.
    pub fate: MessageFate,
    /// The position of a kept message in the request after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_at: Option<usize>,
    /// The summary that covers it: a message of the request after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<usize>,
    /// True for the summary of an earlier compaction.
    pub summary: bool,
    /// The tokens, estimated.
    pub tokens: u64,
}

/// Numbers of messages and their tokens, by fate.
///
/// Shown by the example of [`ExplainCompaction`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FateTotals {
    /// All messages.
    pub messages: usize,
    /// Kept messages.
    pub kept: usize,
    /// Covered messages.
    pub covered: usize,
    /// Dropped messages.
    pub dropped: usize,
    /// Messages of which it is not known.
    pub unknown: usize,
    /// Tokens of kept messages, estimated.
    pub kept_tokens: u64,
    /// Tokens of covered messages, estimated.
    pub covered_tokens: u64,
    /// Tokens of dropped messages, estimated.
    pub dropped_tokens: u64,
    /// Tokens of the others, estimated.
    pub unknown_tokens: u64,
}

impl FateTotals {
    fn add(&mut self, fate: MessageFate, tokens: u64) {
        self.messages += 1;
        let (count, sum) = match fate {
            MessageFate::Kept => (&mut self.kept, &mut self.kept_tokens),
            MessageFate::Covered => (&mut self.covered, &mut self.covered_tokens),
            MessageFate::Dropped => (&mut self.dropped, &mut self.dropped_tokens),
            MessageFate::Unknown => (&mut self.unknown, &mut self.unknown_tokens),
        };
        *count += 1;
        *sum += tokens;
    }
}

/// The kind of a loss.
///
/// Shown by the example of [`ExplainCompaction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionLoss {
    /// A message is neither kept nor covered.
    Dropped,
    /// An earlier compaction kept the message; this one neither keeps nor covers it.
    LostAfterSecond,
    /// The new summary is not made from the one before it, and that one is not kept.
    SummaryNotContinued,
}

/// A message or a summary that was lost.
///
/// Shown by the example of [`ExplainCompaction`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompactionFinding {
    /// The kind of loss.
    pub loss: CompactionLoss,
    /// The index of the compaction.
    pub compaction: usize,
    /// The position in the request before.
    pub message: usize,
    /// The tokens, estimated.
    pub tokens: u64,
}

/// The input of a summary, as far as it is known.
enum Input {
    Messages(Set<u64>),
    Range(usize, usize),
    Unknown,
}

/// The walk over the requests.
#[derive(Default)]
struct Accounts {
    account: CompactionAccount,
    /// Messages that an earlier compaction kept.
    kept: Set<u64>,
    /// Summaries of earlier compactions.
    summaries: Set<u64>,
}

impl Accounts {
    fn compare(
        &mut self,
        indexes: (usize, usize),
        before: &Parsed<'_>,
        after: &Parsed<'_>,
        input: &Input,
        stated: Option<usize>,
    ) {
        let old = messages(before.region(Region::Messages));
        let new = messages(after.region(Region::Messages));
        let known: Set<u64> = old.iter().map(|message| message.hash).collect();
        let is_new = |message: &&Message<'_, '_>| !known.contains(&message.hash);
        // a summary that the request before has belongs to an earlier compaction
        let stated = new.iter().find(|message| stated == Some(message.item())).filter(is_new);
        if stated.is_none() && !is_compaction(&old, &new) {
            return;
        }
        let summaries = match stated {
            Some(stated) => vec![stated],
            None => summaries(&old, &new, &known),
        };
        let covering = Covering {
            input,
            summary: summaries.first().map(|summary| summary.item()),
            is_sealed: summaries
                .iter()
                .flat_map(|summary| summary.units)
                .any(|unit| unit.kind == Kind::Summary && unit.content.text().is_none()),
        };
        let mut totals = FateTotals::default();
        let list = self.fates(&old, &new, &covering, &mut totals);
        self.summaries.extend(summaries.iter().map(|summary| summary.hash));
        self.account.compactions.push(Compaction {
            before: indexes.0,
            after: indexes.1,
            summaries: summaries.iter().map(|summary| summary.item()).collect(),
            messages: list,
            totals,
        });
    }

    /// Returns what happened to each message of the request before.
    fn fates(
        &mut self,
        old: &[Message<'_, '_>],
        new: &[Message<'_, '_>],
        covering: &Covering<'_>,
        totals: &mut FateTotals,
    ) -> Vec<AccountedMessage> {
        let mut places: Map<u64, Vec<usize>> = Map::default();
        for message in new.iter().rev() {
            places.entry(message.hash).or_default().push(message.item());
        }
        let mut list = Vec::with_capacity(old.len());
        let mut kept = Set::default();
        for message in old {
            let kept_at = places.get_mut(&message.hash).and_then(Vec::pop);
            let fate = if kept_at.is_some() { MessageFate::Kept } else { covering.fate(message) };
            let tokens = message.units.iter().map(|unit| unit.content.tokens() + 3).sum();
            totals.add(fate, tokens);
            self.account.totals.add(fate, tokens);
            match fate {
                MessageFate::Kept => {
                    kept.insert(message.hash);
                }
                MessageFate::Dropped => self.add_loss(message, tokens),
                MessageFate::Covered | MessageFate::Unknown => {}
            }
            list.push(AccountedMessage {
                message: message.item(),
                role: message.units.first().map_or("", |unit| unit.role).to_owned(),
                fate,
                kept_at,
                covered_by: covering.summary.filter(|_| fate == MessageFate::Covered),
                summary: self.summaries.contains(&message.hash),
                tokens,
            });
        }
        self.kept = kept;
        list
    }

    /// Adds a dropped message of the request before.
    fn add_loss(&mut self, message: &Message<'_, '_>, tokens: u64) {
        let loss = if self.summaries.contains(&message.hash) {
            CompactionLoss::SummaryNotContinued
        } else if self.kept.contains(&message.hash) {
            CompactionLoss::LostAfterSecond
        } else {
            CompactionLoss::Dropped
        };
        let compaction = self.account.compactions.len();
        let message = message.item();
        self.account.findings.push(CompactionFinding { loss, compaction, message, tokens });
    }
}

/// Returns the summaries among the first new messages. Without a text that marks one, the only new
/// message before kept ones is the summary.
fn summaries<'m, 'p, 'a>(
    old: &[Message<'p, 'a>],
    new: &'m [Message<'p, 'a>],
    known: &Set<u64>,
) -> Vec<&'m Message<'p, 'a>> {
    let same = old.iter().zip(new).take_while(|(old, new)| old.hash == new.hash).count();
    let added = new.iter().skip(same).take_while(|message| !known.contains(&message.hash));
    let added: Vec<_> = added.collect();
    let marked: Vec<_> = added.iter().copied().filter(|message| is_summary(message)).collect();
    if marked.is_empty() && added.len() == 1 && same + 1 < new.len() { added } else { marked }
}

/// What the summary of a compaction covers.
struct Covering<'i> {
    input: &'i Input,
    /// The position of the summary.
    summary: Option<usize>,
    /// True if only the provider can read the summary.
    is_sealed: bool,
}

impl Covering<'_> {
    /// Returns what happened to a message that is not kept.
    fn fate(&self, message: &Message<'_, '_>) -> MessageFate {
        if self.summary.is_none() {
            return MessageFate::Dropped;
        }
        match self.input {
            Input::Messages(given) if given.contains(&message.hash) => MessageFate::Covered,
            Input::Range(from, to) if (*from..*to).contains(&message.item()) => {
                MessageFate::Covered
            }
            Input::Unknown => MessageFate::Unknown,
            Input::Messages(_) | Input::Range(..) if self.is_sealed => MessageFate::Unknown,
            Input::Messages(_) | Input::Range(..) => MessageFate::Dropped,
        }
    }
}

impl ExplainCompaction {
    /// Returns the account.
    pub(crate) fn into_account(self) -> Arc<CompactionAccount> {
        self.0.into_value()
    }

    /// Reads a call from JSON.
    ///
    /// # Errors
    /// With the path of the value that is wrong, such as a body of another provider.
    pub fn from_json(json: &Json) -> Result<Self> {
        let ExplainCompactionArguments { provider, requests: CompactionRequests } =
            ExplainCompactionArguments::from_json(json)?;
        let call = Field::root(json).object()?;
        let api = provider.api();
        let mut accounts = Accounts::default();
        let mut before: Option<(usize, Parsed<'_>)> = None;
        let mut input = Input::Unknown;
        for (index, field) in call.required("requests")?.list()?.iter().enumerate() {
            let Given { parsed, is_input, range, summary } = given(api, field)?;
            if is_input {
                let given = messages(parsed.region(Region::Messages));
                input = Input::Messages(given.iter().map(|message| message.hash).collect());
                continue;
            }
            if let Some((from, to)) = range {
                input = Input::Range(from, to);
            }
            if let Some((last, before)) = &before {
                accounts.compare((*last, index), before, &parsed, &input, summary);
            }
            before = Some((index, parsed));
            input = Input::Unknown;
        }
        Ok(Self(Immediate::new(accounts.account)))
    }
}

struct Given<'a> {
    parsed: Parsed<'a>,
    is_input: bool,
    range: Option<(usize, usize)>,
    summary: Option<usize>,
}

fn given<'a>(api: Api, field: &Field<'a>) -> Result<Given<'a>> {
    let request = field.object()?;
    request.only(&["body", "kind", "covered", "summary"])?;
    let parsed = parse(api, &request.required("body")?)?;
    let kind = request.optional("kind");
    let kind = kind.map(|kind| read_word(&kind, &[("main", false), ("compaction", true)]));
    let range = match request.optional("covered") {
        None => None,
        Some(field) => {
            let ends: Vec<u64> = field.list()?.iter().map(Field::count).collect::<Result<_>>()?;
            let [from, to] = ends.as_slice() else {
                return Err(field.error("expected the first position and the one after the last"));
            };
            let position = |end: &u64| usize::try_from(*end).unwrap_or(usize::MAX);
            if from > to {
                let path = field.path();
                return Err(Error::bad_request("the first position is after the last").at(path));
            }
            Some((position(from), position(to)))
        }
    };
    let summary = request.optional("summary").map(|field| field.count()).transpose()?;
    let summary = summary.and_then(|at| usize::try_from(at).ok());
    Ok(Given { parsed, is_input: kind.transpose()?.unwrap_or(false), range, summary })
}

impl Rule for ExplainCompaction {
    type Value = Arc<CompactionAccount>;

    fn step(
        &self,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<Outcome<Arc<CompactionAccount>>>> {
        self.0.step(snapshot, env)
    }
}
