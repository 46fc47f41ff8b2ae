//! Comparing payloads as a rule.

use super::{CachePolicy, PayloadDiff, diff_payloads};
use crate::agents::Setup;
use crate::prompt::provider::{MakePayload, Payload};
use crate::prompt::tokens::{CounterInput, texts};
use crate::rule::{Cursor, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::Set as IndexSet;
use crate::value::env::Env;
use crate::value::json::{Field, Fields, Json, Object};
use crate::{Lint, Path, Result};

/// Compares two payloads.
///
/// ```
/// use tuckbox::prompt::diff::DiffPayloads;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let talk = json!([{"role": "user", "content": "Hello"}]);
/// let call = DiffPayloads::from_json(&json!({"provider": "neutral",
///     "before": {"messages": talk.clone()}, "after": {"messages": talk}}))?;
/// let Step::Done(diff) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert!(diff.value.first_difference.is_none());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DiffPayloads {
    before: MakePayload,
    after: MakePayload,
    policy: CachePolicy,
    counter: CounterInput,
}

impl DiffPayloads {
    /// Reads `provider`, `before` and `after`, each as the call of a payload without its
    /// `provider`, `cache?: {"least_tokens"?, "step"?, "whole_blocks"?}` and `counter?`, the
    /// counts of the texts of `before` and then those of `after` that were not among them.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_json_with(json, &Setup::default())
    }

    /// As [`DiffPayloads::from_json`], with what a call inside it leaves open.
    ///
    /// # Errors
    /// As there.
    pub fn from_json_with(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "provider", "before", "after", "cache", "counter"])?;
        let provider = call.required("provider")?.json().clone();
        let side = |key: &str| -> Result<MakePayload> {
            let mut given: Object = call.required(key)?.object()?.json().clone();
            given.get_or_insert_with("provider", || provider.clone());
            MakePayload::from_json_with(&Json::Object(given), setup)
                .map_err(|error| error.within(&Path::root().key(key)))
        };
        let (before, after) = (side("before")?, side("after")?);
        let model = after.options.known_model(after.provider);
        let policy = policy(&call, CachePolicy::of_model(after.provider, &model))?;
        Ok(Self { before, after, policy, counter: CounterInput::from_fields(&call)? })
    }
}

/// One of the two payloads; what is wrong with it is wrong below its key.
fn side(
    call: &MakePayload,
    key: &str,
    snapshot: &Snapshot,
    env: &Env,
) -> Result<Step<(Payload, Vec<Lint>)>> {
    let outer = Path::root().key(key);
    let mut made = call.make(snapshot, env).map_err(|error| error.within(&outer))?;
    if let Step::Done((_, lints)) = &mut made {
        for lint in lints {
            lint.path = outer.join(&lint.path);
        }
    }
    Ok(made)
}

fn policy(call: &Fields<'_>, default: CachePolicy) -> Result<CachePolicy> {
    let Some(cache) = call.optional("cache") else { return Ok(default) };
    let cache = cache.object()?;
    cache.only(&["least_tokens", "step", "whole_blocks"])?;
    let count = |key: &str, default: u64| -> Result<u64> {
        Ok(cache.optional(key).map(|field| field.count()).transpose()?.unwrap_or(default))
    };
    let whole = cache.optional("whole_blocks").map(|field| field.boolean()).transpose()?;
    Ok(CachePolicy {
        least_tokens: count("least_tokens", default.least_tokens)?,
        step: count("step", default.step)?,
        whole_blocks: whole.unwrap_or(default.whole_blocks),
        marked: default.marked,
    })
}

impl Rule for DiffPayloads {
    type Value = PayloadDiff;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<PayloadDiff>>> {
        let before = side(&self.before, "before", snapshot, env)?;
        let after = side(&self.after, "after", snapshot, env)?;
        let mut cursor = Cursor::new(snapshot);
        let sides = cursor.join(before).zip(cursor.join(after));
        let Some(((before, mut lints), (after, more))) = sides else { return Ok(cursor.need()) };
        lints.extend(more);
        let both = || {
            let both: IndexSet<String> = texts(&before).into_iter().chain(texts(&after)).collect();
            both.into_iter().collect()
        };
        let counter = self.counter.counter(after.provider(), both)?;
        let value = diff_payloads(&before, &after, counter.as_ref(), &self.policy)?;
        Ok(Step::Done(Outcome::answer(value, lints, snapshot, env)))
    }
}
