//! Comparing payloads as a rule.

use super::{CacheOptions, CachePolicy, PayloadDiff, diff_payloads};
use crate::agents::Setup;
use crate::prompt::provider::{Options, Payload, Provider, Source, make};
use crate::prompt::tokens::{CounterInput, texts};
use crate::rule::{Cursor, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::Set as IndexSet;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::{Lint, Path, Result};

arguments! {
    /// Compares two requests: where they first differ, why, and what a prefix cache can reuse.
    ///
    /// ```
    /// use tuckbox::prompt::diff::{CacheOptions, DiffPayloads};
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let talk = json!([{"role": "user", "content": "Hello"}]);
    /// let mut call = DiffPayloads::from_json(&json!({"provider": "neutral",
    ///     "before": {"messages": talk.clone()}, "after": {"messages": talk}}))?;
    /// call.cache = Some(CacheOptions { step: Some(1), ..CacheOptions::default() });
    /// let Step::Done(diff) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// assert!(diff.value.first_difference.is_none());
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct DiffPayloads {
        /// The provider of both requests.
        pub provider: Provider,
        /// The earlier request.
        pub before: PayloadSide,
        /// The later request.
        pub after: PayloadSide,
        /// The prefix cache.
        pub cache: Option<CacheOptions>,
        /// The counter: counts of the strings of `before`, then of those that only `after` has.
        pub counter: Option<CounterInput>,
    }

    /// One of two requests that are compared.
    ///
    /// Shown by the example of [`DiffPayloads`].
    #[derive(Clone, Debug, PartialEq)]
    pub struct PayloadSide {
        /// The provider of this request. That of the call by default.
        pub provider: Option<Provider>,
        shared source: Source,
        shared options: Options,
    }
}

impl DiffPayloads {
    /// Applies the settings of a project.
    ///
    /// # Errors
    /// As [`Source::with_setup`], below `before` or `after`.
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        let side = |side: PayloadSide, key: &str| -> Result<PayloadSide> {
            let source = side.source.with_setup(setup);
            let source = source.map_err(|error| error.within(&Path::root().key(key)))?;
            let options = side.options.with_setup(side.provider.unwrap_or(self.provider), setup)?;
            Ok(PayloadSide { source, options, ..side })
        };
        let before = side(self.before, "before")?;
        Ok(Self { before, after: side(self.after, "after")?, ..self })
    }

    /// Returns one of the two payloads. The path of an error or a lint is below its key.
    fn side(
        &self,
        side: &PayloadSide,
        key: &str,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<(Payload, Vec<Lint>)>> {
        let outer = Path::root().key(key);
        let provider = side.provider.unwrap_or(self.provider);
        let made = make(&side.source, provider, &side.options, snapshot, env);
        let mut made = made.map_err(|error| error.within(&outer))?;
        if let Step::Done((_, lints)) = &mut made {
            for lint in lints {
                lint.path = outer.join(&lint.path);
            }
        }
        Ok(made)
    }

    fn policy(&self) -> CachePolicy {
        let provider = self.after.provider.unwrap_or(self.provider);
        let model = self.after.options.known_model(provider);
        CachePolicy::of_model(provider, &model).with(self.cache.unwrap_or_default())
    }
}

impl Rule for DiffPayloads {
    type Value = PayloadDiff;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<PayloadDiff>>> {
        let before = self.side(&self.before, "before", snapshot, env)?;
        let after = self.side(&self.after, "after", snapshot, env)?;
        let mut cursor = Cursor::new(snapshot);
        let sides = cursor.join(before).zip(cursor.join(after));
        let Some(((before, mut lints), (after, more))) = sides else { return Ok(cursor.need()) };
        lints.extend(more);
        let both = || {
            let both: IndexSet<String> = texts(&before).into_iter().chain(texts(&after)).collect();
            both.into_iter().collect()
        };
        let counter = CounterInput::counter(self.counter.as_ref(), after.provider(), None, both)?;
        let value = diff_payloads(&before, &after, counter.as_ref(), &self.policy())?;
        Ok(Step::Done(Outcome::answer(value, lints, snapshot, env)))
    }
}
