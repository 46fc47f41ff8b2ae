//! Why a request was not read from the provider's cache, by the documented rules of providers.
//!
//! [`CacheRules`] has the rules of each provider and model, with their [sources](fact).
//! [`ExplainCache`] compares the requests of a session and names the cause of each miss, its position
//! and its price. A rule that no provider documents is not assumed: the answer is then `unknown`, or not
//! `sure`. [`ExplainCompaction`] accounts for each message that a compaction replaces.
//!
//! ```
//! use tuckbox::prompt::cache::{CacheRules, fact};
//!
//! let rules = CacheRules::of("openai_chat", Some("gpt-5.6-sol"));
//! assert_eq!((rules.minimum, rules.read, rules.write), (Some(1024), Some(0.1), Some(1.25)));
//! assert_eq!(fact(rules.rule).unwrap().seen, "2026-09-20");
//! ```

/// Reads the member `requests` in place: the walk over the session borrows it from the call.
macro_rules! requests_in_place {
    ($list:ty) => {
        impl crate::value::arguments::Arguments for $list {
            fn has_key(key: &str) -> bool {
                key == "requests"
            }

            fn add_keys(keys: &mut Vec<&'static str>) {
                keys.push("requests");
            }

            fn from_fields(call: &crate::value::json::Fields<'_>) -> crate::Result<Self> {
                call.required("requests").map(|_| Self)
            }
        }
    };
}

mod advice;
mod answer;
mod body;
mod changes;
mod checks;
mod compaction;
mod entries;
mod facts;
mod foreign;
mod gemini;
mod given;
mod hash;
mod messages;
mod money;
mod openai;
mod parse;
mod policy;
mod prefix_tokens;
mod prefixes;
mod provider;
mod raw;
mod reading;
mod remember;
mod reply;
mod rule;
mod same_model;
mod session;
mod step;
mod summary;
mod track;
mod units;
mod usage;
mod walk;
mod words;

pub use answer::{
    AlsoCause, CacheExplanation, CachePlace, CachePrice, CacheTtl, Cause, ChangedWords,
    ExpectedTokens, RecordedTokens, RequestCache,
};
pub use body::Region;
pub(crate) use body::{Api, Kind, Ttl, Unit};
pub(crate) use checks::minimum;
pub use compaction::{
    AccountedMessage, Compaction, CompactionAccount, CompactionFinding, CompactionLoss,
    ExplainCompaction, FateTotals, MessageFate,
};
pub use facts::{Fact, fact};
pub(crate) use hash::{Content, tool_name};
pub(crate) use money::table_price;
pub(crate) use parse::parse;
pub use policy::{CacheMode, CacheRules, Lifetime};
pub use provider::CacheProvider;
pub use rule::{ExplainCache, InputPrice};
pub(crate) use session::{SessionHead, SessionMessages, SessionRequest, explain_session};
pub use summary::{CacheSummary, CauseTotal};
pub(crate) use words::changed_words;
