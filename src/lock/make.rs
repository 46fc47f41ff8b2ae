//! The operation `lock_entry`: makes the entry of a context.

use super::context::{Context, Manner, Seen, provider_of};
use super::entry::{Content, Entry, Finding, FindingKind, Position};
use super::slots::{Slots, Volatile};
use super::write::block;
use crate::agents::Setup;
use crate::agents::turn::Turn;
use crate::import::neutral;
use crate::prompt::cache::CacheProvider;
use crate::prompt::provider::{Loss, ModelInfo, Models, Payload, Provider};
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::{Json, Object};
use crate::{Error, Lint, Path, Result};
use serde::Serialize;
use std::collections::BTreeMap;

arguments! {
    /// Makes the entry of a context for a lockfile: one line for each position of its request.
    ///
    /// ```
    /// use tuckbox::lock::{LockEntry, LockedContext, Volatile};
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = LockEntry::from_json(&json!({"name": "greeting", "volatile": ["/messages/0"],
    ///     "context": {"provider": "openai_chat", "model": "gpt-5", "messages": [
    ///         {"role": "system", "content": "Be brief."}, {"role": "user", "content": "It is 10:31."}]}}))?;
    /// assert_eq!(call.volatile, [Volatile::Slot("/messages/0".into())]);
    /// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// let LockedContext { block, details, .. } = done.value;
    /// assert!(block.contains("system text system 3 "), "{block}");
    /// assert!(block.contains("message text user 3..14 ~ \"user message\"\n"), "{block}");
    /// assert_eq!(details.texts, ["Be brief.", "It is 10:31."]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct LockEntry {
        /// The name of the entry.
        pub name: String,
        /// The arguments of `payload`: messages, a box, cards, a turn or a composition, and a provider.
        pub context: Option<Object>,
        /// The body of a request, instead of `context`.
        pub request: Option<LockRequest>,
        /// The recorded request or the test that the entry comes from. Missing for the config.
        pub from: Option<String>,
        /// Slots whose content can change. One that matches nothing is a change.
        pub volatile: Vec<Volatile> = Vec::new(),
        /// Slots of many contexts whose content can change. A context need not have them.
        pub shared_volatile: Vec<Volatile> = Vec::new(),
        /// Omits the text of positions.
        pub redact: bool = false,
        /// Returns the texts of positions and their hashes. A check reads them only for words that differ
        /// and for assertions about text.
        pub texts: bool = true,
        /// Providers whose conversion changes an assertion needs.
        pub legal_for: Vec<Provider> = Vec::new(),
        setting setup: Setup,
    }

    /// The body of a request to a provider.
    ///
    /// Shown by the example of [`LockCheck`](super::LockCheck).
    #[derive(Clone, Debug)]
    pub struct LockRequest {
        /// The provider. By default, the keys of the body decide.
        pub provider: Option<CacheProvider>,
        /// The body, as it was sent.
        pub body: Object,
        /// The model, for bodies that do not name it.
        pub model: Option<String>,
    }

    /// What a check needs of a context and the lockfile does not keep.
    ///
    /// Shown by the example of [`LockEntry`].
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct LockDetails {
        /// The text of each position.
        pub texts: Vec<String> = Vec::new(),
        /// The hash of each position, for a cache of texts. Empty if the position is volatile, has a secret
        /// or is redacted.
        pub hashes: Vec<String> = Vec::new(),
        /// The tokens of each position.
        pub tokens: Vec<u64> = Vec::new(),
        /// The size of the model's window, if it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub window: Option<u64>,
        /// The agent of a turn.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub agent_id: Option<String>,
        /// The boxes that a turn or a box reads.
        pub boxes: Vec<String> = Vec::new(),
        /// Text that looks like a secret.
        pub secrets: Vec<LockSecret> = Vec::new(),
        /// The conversion changes of the providers of `legal_for`.
        pub losses: Vec<LockLosses> = Vec::new(),
        /// The declared volatile slots that match nothing.
        pub unmatched: Vec<String> = Vec::new(),
    }

    /// A context as an entry.
    ///
    /// Shown by the example of [`LockEntry`].
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct LockedContext {
        /// The name.
        pub name: String,
        /// The lines of the entry, as in the lockfile.
        pub block: String,
        /// What a check needs of the context.
        pub details: LockDetails = LockDetails::default(),
    }

    /// The position of text that looks like a secret.
    ///
    /// Shown by the example of [`LockEntry`].
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct LockSecret {
        /// The slot.
        pub slot: String,
        /// The kind of the secret. The text is never stated.
        pub kind: String,
    }

    /// The conversion changes for a provider.
    ///
    /// Shown by the example of [`LockEntry`].
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct LockLosses {
        /// The provider.
        pub provider: String,
        /// The codes of the changes.
        pub codes: Vec<String>,
        /// The first place of each change, such as `messages[2]`, and its reason.
        pub places: Vec<String> = Vec::new(),
    }
}

/// A request and what is known about it.
#[derive(Default)]
struct Made {
    provider: String,
    model: Option<String>,
    body: Json,
    window: Option<u64>,
    /// The blocks of the prompt with their causes, in order.
    blocks: Vec<Block>,
    losses: Vec<&'static str>,
    lints: Vec<Lint>,
    agent_id: Option<String>,
    boxes: Vec<String>,
}

/// A block of the prompt.
struct Block {
    is_system: bool,
    text: Option<String>,
    cause: String,
}

impl LockEntry {
    /// Applies the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        Self { setup: setup.clone(), ..self }
    }

    fn made(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Made>> {
        match (&self.context, &self.request) {
            (Some(context), None) => self.of_context(context, snapshot, env),
            (None, Some(request)) => self.of_request(request).map(Step::Done),
            (Some(_), Some(_)) | (None, None) => {
                Err(Error::bad_request("an entry must have either `context` or `request`")
                    .at(Path::root().key("context")))
            }
        }
    }

    fn of_request(&self, request: &LockRequest) -> Result<Made> {
        let body = Json::Object(request.body.clone());
        let name = request.provider.map_or_else(|| provider_of(&body), CacheProvider::name);
        let own = ["model", "modelId"].iter().find_map(|key| body.get(key)?.as_str());
        let model = request.model.as_deref().or(own).map(str::to_owned);
        let window = Provider::named(name).and_then(|provider| {
            let found = Models::shared().find(provider, model.as_deref(), &ModelInfo::default());
            found.context_window.filter(|_| found.known)
        });
        Ok(Made { provider: name.to_owned(), model, body, window, ..Made::default() })
    }

    fn of_context(&self, context: &Object, snapshot: &Snapshot, env: &Env) -> Result<Step<Made>> {
        let outer = Path::root().key("context");
        let named = |op: &str, call: &Object| {
            let mut call = call.clone();
            call.insert("op".into(), op.into());
            let call = self.setup.take_call(Json::Object(call));
            call.and_then(|call| call.step(snapshot, env)).map_err(|error| error.within(&outer))
        };
        let outcome = ready!(named("payload", context)?);
        let payload = outcome.value.into_any().downcast::<Payload>();
        let payload = payload.map_err(|_| Error::bad_request("`context` is not a request"))?;
        let turn = match context.get("turn").and_then(Json::as_object) {
            Some(call) => {
                let seen = ready!(named("turn_view", call)?);
                seen.value.into_any().downcast::<Turn>().ok()
            }
            None => None,
        };
        let mut boxes: Vec<String> = Vec::new();
        boxes.extend(context.get("box_id").and_then(Json::as_str).map(str::to_owned));
        let turn = turn.as_deref();
        let own = turn.map(|turn| [turn.context_box_id.as_ref(), turn.output_box_id.as_ref()]);
        boxes.extend(own.into_iter().flatten().flatten().map(|id| id.as_str().to_owned()));
        let profile = turn.and_then(|turn| turn.profile.as_ref()).map(|profile| &profile.name);
        let blocks = blocks(&payload, snapshot, profile.map(String::as_str));
        Ok(Step::Done(Made {
            provider: payload.provider().as_str().to_owned(),
            model: payload.model_name().map(str::to_owned),
            body: payload.body(),
            window: payload.model().context_window,
            blocks,
            losses: payload.losses().iter().map(|loss| loss.code.as_str()).collect(),
            lints: outcome.lints,
            agent_id: turn.and_then(|turn| turn.agent_id.as_ref()).map(|id| id.as_str().to_owned()),
            boxes,
        }))
    }

    /// Returns the conversion changes of the providers of `legal_for`. A body is converted from the
    /// messages and tools that it has; its own provider needs no conversion.
    fn other_losses(
        &self,
        made: &Made,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<Vec<LockLosses>>> {
        let mut all = Vec::new();
        let path = Path::root().key("legal_for");
        for (at, provider) in self.legal_for.iter().enumerate() {
            let mut call = match &self.context {
                Some(context) => context.clone(),
                None if made.provider == provider.as_str() => {
                    let provider = provider.as_str().to_owned();
                    all.push(LockLosses { provider, codes: Vec::new(), places: Vec::new() });
                    continue;
                }
                None => {
                    let mut call = neutral::arguments_of(&made.body);
                    // the model of another provider has no entry in the table, and a request needs one
                    let model = made.model.as_deref().unwrap_or("unknown");
                    call.insert("model".into(), model.into());
                    // a limit that a provider needs is not lost
                    let limit = output_limit(&made.body).unwrap_or_else(|| Json::from(1024_u64));
                    call.insert("max_output_tokens".into(), limit);
                    call
                }
            };
            call.insert("op".into(), "payload".into());
            call.insert("provider".into(), provider.as_str().into());
            let outcome = self.setup.take_call(Json::Object(call));
            let outcome = outcome.and_then(|call| call.step(snapshot, env));
            let outcome = ready!(outcome.map_err(|error| error.within(&path.index(at)))?);
            let payload = outcome.value.into_any().downcast::<Payload>().ok();
            let losses = payload.as_ref().map(|payload| payload.losses()).unwrap_or_default();
            let mut first: BTreeMap<&str, String> = BTreeMap::new();
            for loss in losses {
                first.entry(loss.code.as_str()).or_insert_with(|| place_of(loss));
            }
            let (codes, places) =
                first.into_iter().map(|(code, place)| (code.to_owned(), place)).unzip();
            all.push(LockLosses { provider: provider.as_str().to_owned(), codes, places });
        }
        Ok(Step::Done(all))
    }
}

/// Returns the place of a conversion change, and its reason.
fn place_of(loss: &Loss) -> String {
    match loss.path() {
        path if path.steps().is_empty() => loss.reason.clone(),
        path => format!("{path}: {}", loss.reason),
    }
}

/// Returns the maximum number of output tokens of a body.
fn output_limit(body: &Json) -> Option<Json> {
    let keys = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"];
    let nested = ["generationConfig", "inferenceConfig"].iter().find_map(|key| body.get(key));
    let places = [Some(body), nested].into_iter().flatten();
    let mut found = places.flat_map(|of| keys.iter().filter_map(|key| of.get(key)));
    found.find(|limit| limit.as_number().is_some_and(|limit| limit.as_u64().is_some())).cloned()
}

/// Returns the blocks of a payload with their causes.
fn blocks(payload: &Payload, snapshot: &Snapshot, profile: Option<&str>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for turn in payload.turns() {
        for block in &turn.blocks {
            let text = block.item.part.as_written().map(|text| text.as_str().to_owned());
            let cause = match block.at {
                Some(at) => cause(payload, at, snapshot, profile),
                None => "conversion".to_owned(),
            };
            blocks.push(Block { is_system: turn.speaker.is_system(), text, cause });
        }
    }
    blocks
}

/// Returns the cause of a neutral message; empty if only its role is known.
fn cause(payload: &Payload, at: usize, snapshot: &Snapshot, profile: Option<&str>) -> String {
    let origin = payload.origin(at);
    match (origin.card_id, origin.layer.as_deref(), profile) {
        (Some(id), ..) => {
            let card = snapshot.card(id.as_str()).found().ok().flatten();
            match card.and_then(|card| card.card_type()) {
                Some(card_type) => format!("card {card_type}"),
                None => "card".to_owned(),
            }
        }
        (None, Some("system_prompt"), Some(name)) => format!("system prompt of profile {name}"),
        (None, Some("system_prompt"), None) => "system prompt".to_owned(),
        (None, Some(layer), _) => format!("layer {layer}"),
        (None, None, _) => String::new(),
    }
}

/// Sets the cause of each position: that of its block, or its role.
fn set_causes(positions: &mut [Seen], blocks: &[Block]) {
    let (mut system, mut rest): (Vec<&Block>, Vec<&Block>) =
        blocks.iter().partition(|block| block.is_system);
    system.reverse();
    rest.reverse();
    for seen in positions {
        let waiting = if seen.is_system() { &mut system } else { &mut rest };
        let fits = |block: &&Block| match &block.text {
            Some(text) => *text == seen.text,
            None => seen.kind != "text",
        };
        // the writer of a body can omit or join blocks
        let found = waiting.iter().rposition(fits);
        if let Some(block) = found.and_then(|at| waiting.get(at)) {
            seen.cause.clone_from(&block.cause);
        }
        if let Some(at) = found {
            waiting.truncate(at);
        }
        if seen.cause.is_empty() {
            seen.cause = role_cause(seen);
        }
    }
}

fn role_cause(seen: &Seen) -> String {
    match (seen.kind.as_str(), seen.role.as_str()) {
        _ if seen.is_system() => "system prompt".to_owned(),
        ("tool_call", _) => "tool call".to_owned(),
        ("tool_result", _) => "tool result".to_owned(),
        (_, "none") => "message".to_owned(),
        (_, role) => format!("{role} message"),
    }
}

fn findings(made: &Made) -> Vec<Finding> {
    let mut counts: BTreeMap<(FindingKind, &str), u64> = BTreeMap::new();
    let lints = made.lints.iter().map(|lint| (FindingKind::Lint, lint.code.as_str()));
    for key in lints.chain(made.losses.iter().map(|code| (FindingKind::Loss, *code))) {
        *counts.entry(key).or_insert(0) += 1;
    }
    let finding = |((kind, code), count): ((FindingKind, &str), u64)| Finding {
        kind,
        code: code.to_owned(),
        count,
    };
    counts.into_iter().map(finding).collect()
}

impl Rule for LockEntry {
    type Value = LockedContext;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<LockedContext>>> {
        if self.name.trim().is_empty() {
            return Err(Error::bad_request("the name of an entry must not be empty")
                .at(Path::root().key("name")));
        }
        let mut made = ready!(self.made(snapshot, env)?);
        let losses = ready!(self.other_losses(&made, snapshot, env)?);
        let declared = [self.volatile.as_slice(), self.shared_volatile.as_slice()].concat();
        let mut slots = Slots::new(&declared);
        slots.replace_call_ids(&declared, &mut made.body);
        let path = Path::root().key(if self.context.is_some() { "context" } else { "request" });
        let context = Context::read(&made.provider, made.model.as_deref(), &made.body);
        let mut context = context.map_err(|error| error.within(&path.key("body")))?;
        set_causes(&mut context.positions, &made.blocks);
        let manner = Manner { volatile: &declared, redact: self.redact };
        let (entry, secrets) = context.entry(&self.name, &manner, &mut slots);
        let entry = Entry { from: self.from.clone(), findings: findings(&made), ..entry };
        let secret = |(slot, kind): (String, &str)| LockSecret { slot, kind: kind.to_owned() };
        let hash = |position: &Position| match &position.content {
            Content::Fixed { hash, .. } if position.is_shown() => hash.clone(),
            Content::Fixed { .. } | Content::Volatile { .. } => String::new(),
        };
        let details = LockDetails {
            hashes: match self.texts {
                true => entry.positions.iter().map(hash).collect(),
                false => Vec::new(),
            },
            tokens: context.positions.iter().map(|seen| seen.tokens).collect(),
            window: made.window,
            agent_id: made.agent_id.take(),
            boxes: std::mem::take(&mut made.boxes),
            secrets: secrets.into_iter().map(secret).collect(),
            losses,
            unmatched: slots.unmatched(&self.volatile),
            texts: match self.texts {
                true => context.positions.into_iter().map(|seen| seen.text).collect(),
                false => Vec::new(),
            },
        };
        let value = LockedContext { name: self.name.clone(), block: block(&entry), details };
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}
