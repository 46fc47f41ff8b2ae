//! A handover before it happens, in an answer of a limited size.

use crate::Result;
use crate::agents::Setup;
use crate::agents::recipe::{HandoverCall, Preview, PreviewHandover};
use crate::import::sessions::{MAX_TOKENS, excerpt, page};
use crate::prompt::tokens::estimate_by_table;
use crate::render::Became;
use crate::rule::hash::ContentHash;
use crate::rule::ledger::Cause;
use crate::rule::lint::Lint;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::{Loose, OrText, arguments};
use crate::value::env::Env;
use crate::value::id::CardId;
use crate::value::json::{Json, to_json};
use crate::value::str_map::StrMap;
use serde::Serialize;

arguments! {
    /// Lists what the receiver of a delegation will see and what it will not see. It writes nothing.
    ///
    /// ```
    /// use tuckbox::inspect::BriefHandover;
    /// # use tuckbox::store::{MemoryStore, Profile, Snapshot};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_profile(Profile::new("Writer", "pb_writer")).add_box("notes", ["n1"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let pack = json!({"op": "pack_context_with_instruction", "tool_suffix": "demo", "source_agent_id": "ann",
    ///     "profile_name": "Writer", "instruction": "Draft it.", "inherit_box_ids": ["notes"]});
    /// let call = BriefHandover::from_json(&json!({"call": pack}))?;
    /// let brief = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert!(brief.cards.iter().any(|card| card.text.as_deref() == Some("Draft it.")));
    /// // the store has the box `notes`, but not its card
    /// assert!(brief.lints.iter().any(|lint| lint.code == "missing_card"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct BriefHandover {
        /// The call that delegates. It is not committed.
        pub call: OrText<Loose<HandoverCall>>,
        /// The index of the context, from 0, if the call packs several.
        pub task: usize = 0,
        /// The first card of the list, from 0.
        pub from: usize = 0,
        /// The maximum size of the answer in tokens.
        pub max_tokens: u64 [200..=100_000] = MAX_TOKENS,
        setting setup: Setup,
    }
}

/// What the receiver of a delegation will see.
///
/// Shown by the example of [`BriefHandover`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandoverBrief {
    /// The box that the receiver's turn reads.
    pub context_box_id: String,
    /// The number of contexts that the call packs.
    pub tasks: usize,
    /// The tokens of the receiver's messages and tools, estimated.
    pub tokens: u64,
    /// The number of cards that both see.
    pub shared: usize,
    /// The number of cards that only the receiver sees.
    pub added: usize,
    /// The number of cards that only the sender sees.
    pub not_passed_on: usize,
    /// The hash of everything that the call makes. It is the same after the commit.
    pub content_hash: ContentHash,
    /// Likely mistakes.
    pub lints: Vec<HandoverLint>,
    /// The cards of the receiver in order, then those that are not passed on.
    pub cards: Vec<HandoverCard>,
    /// The `from` of the next page. Missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
}

/// A likely mistake.
///
/// Shown by the example of [`BriefHandover`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandoverLint {
    /// The code.
    pub code: String,
    /// A sentence.
    pub message: String,
}

/// A card of a handover.
///
/// Shown by the example of [`BriefHandover`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandoverCard {
    /// The card.
    pub card_id: CardId,
    /// `shared`, `added` or `not_passed_on`.
    pub seen: &'static str,
    /// Why the receiver gets it: `argument`, `inherited`, `parent` or `imported`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    /// The box that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub box_id: Option<String>,
    /// The tokens of its message, estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// An excerpt of its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The maximum number of lints of an answer.
const MAX_LINTS: usize = 8;

impl BriefHandover {
    /// Returns the call with the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        Self { setup: setup.clone(), ..self }
    }
}

impl Rule for BriefHandover {
    type Value = HandoverBrief;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<HandoverBrief>>> {
        let call = Json::from([("call", self.call.clone()), ("task", self.task.into())]);
        let preview = PreviewHandover::from_json(&call)?.with_setup(&self.setup);
        let Outcome { value: preview, lints, .. } = ready!(preview.step(snapshot, env)?);
        let brief = self.brief(&preview, &lints)?;
        Ok(Step::Done(Outcome::answer(brief, lints, snapshot, env)))
    }
}

impl BriefHandover {
    fn brief(&self, preview: &Preview, lints: &[Lint]) -> Result<HandoverBrief> {
        let request = &preview.receiver.request;
        let tokens = |value: &dyn Fn() -> Result<Json>| -> Result<u64> {
            Ok(estimate_by_table(&value()?.to_string()))
        };
        let mut texts = Vec::new();
        let mut sum = 0;
        for message in &request.messages {
            let cost = tokens(&|| to_json(message))?;
            sum += cost;
            texts.push((cost, message.content.words().map(|text| excerpt(&text))));
        }
        for tool in &request.tools {
            sum += tokens(&|| to_json(tool))?;
        }
        let mut known: StrMap<(Option<u64>, Option<String>)> = StrMap::default();
        for entry in &preview.receiver.entries {
            let shown = match entry.became {
                Became::Message { position } => texts.get(position),
                Became::Tools { .. } | Became::Nothing { .. } => None,
            };
            let shown = shown.map(|(cost, text)| (Some(*cost), text.clone())).unwrap_or_default();
            known.insert(entry.card_id.as_str(), shown);
        }
        let mut cards = Vec::new();
        for card in &preview.shared {
            cards.push((card.receiver, of(&card.card_id, "shared", None, &known)));
        }
        for card in &preview.added {
            cards.push((card.position, of(&card.card_id, "added", card.cause.as_ref(), &known)));
        }
        cards.sort_by_key(|(position, _)| *position);
        let kept_back = preview
            .not_passed_on
            .iter()
            .map(|card| of(&card.card_id, "not_passed_on", None, &StrMap::default()));
        let lint = |lint: &Lint| HandoverLint {
            code: lint.code.as_str().to_owned(),
            message: excerpt(&lint.message),
        };
        let mut brief = HandoverBrief {
            context_box_id: preview.receiver_is.context_box_id.as_str().to_owned(),
            tasks: preview.tasks,
            tokens: sum,
            shared: preview.shared.len(),
            added: preview.added.len(),
            not_passed_on: preview.not_passed_on.len(),
            content_hash: preview.content_hash,
            lints: lints.iter().take(MAX_LINTS).map(lint).collect(),
            cards: Vec::new(),
            next: None,
        };
        let cards = cards.into_iter().map(|(_, card)| card).chain(kept_back);
        (brief.cards, brief.next) = page(&brief, cards, self.from, self.max_tokens)?;
        Ok(brief)
    }
}

fn of(
    card_id: &CardId,
    seen: &'static str,
    cause: Option<&Cause>,
    known: &StrMap<(Option<u64>, Option<String>)>,
) -> HandoverCard {
    let (tokens, text) = known.get(card_id.as_str()).cloned().unwrap_or_default();
    let (why, box_id) = match cause {
        None => (None, None),
        Some(Cause::Argument { .. }) => (Some("argument"), None),
        Some(Cause::Inherited { box_id, .. }) => {
            (Some("inherited"), Some(box_id.as_str().to_owned()))
        }
        Some(Cause::Parent { .. }) => (Some("parent"), None),
        Some(Cause::Imported(_)) => (Some("imported"), None),
    };
    HandoverCard { card_id: card_id.clone(), seen, why, box_id, tokens, text }
}
