//! The totals of a session.

use super::answer::{Cause, RequestCache};
use serde::Serialize;

/// The totals of a session.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheSummary {
    /// The number of requests.
    pub requests: usize,
    /// The number of requests that lost tokens.
    pub misses: usize,
    /// True if all numbers are from usage, false if some are predictions.
    pub recorded: bool,
    /// Tokens of the input of all requests.
    pub input_tokens: u64,
    /// Tokens read from the cache.
    pub read_tokens: u64,
    /// Tokens written to the cache.
    pub write_tokens: u64,
    /// Tokens that were in the cache and were not read.
    pub lost_tokens: u64,
    /// The share of the input that was read from the cache, from 0 to 1.
    pub hit_rate: f64,
    /// The hit rate by money: what reads saved, of what they would have saved without misses. Missing
    /// without prices, and if nothing could be saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money_hit_rate: Option<f64>,
    /// The share of the input price that the cache saved, from 0 to 1. Missing without prices; negative
    /// if writes cost more than reads saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_rate: Option<f64>,
    /// The price of all requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// What the session would have saved without misses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_price: Option<f64>,
    /// The causes of lost tokens, the most expensive first.
    pub causes: Vec<CauseTotal>,
}

/// The total of one cause.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CauseTotal {
    /// The cause.
    pub cause: Cause,
    /// The number of requests.
    pub requests: usize,
    /// Tokens that were lost.
    pub lost_tokens: u64,
    /// The price of what was lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_price: Option<f64>,
    /// How to keep the prefix: the fix of the first such request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

fn add(sum: Option<f64>, more: Option<f64>) -> Option<f64> {
    Some(sum? + more?)
}

impl CacheSummary {
    /// Adds up requests.
    pub(super) fn of(requests: &[RequestCache]) -> Self {
        let mut sum = Self {
            requests: requests.len(),
            misses: 0,
            recorded: !requests.is_empty(),
            input_tokens: 0,
            read_tokens: 0,
            write_tokens: 0,
            lost_tokens: 0,
            hit_rate: 0.0,
            money_hit_rate: None,
            saved_rate: None,
            price: Some(0.0),
            lost_price: Some(0.0),
            causes: Vec::new(),
        };
        let (mut plain, mut reads_saved) = (0.0, Some(0.0));
        for request in requests {
            let (read, write, fresh, price) = match &request.recorded {
                Some(tokens) => (tokens.read, tokens.write, tokens.fresh, request.price.recorded),
                None => {
                    let tokens = &request.expected;
                    (tokens.read, tokens.write, tokens.fresh, request.price.expected)
                }
            };
            sum.recorded &= request.recorded.is_some();
            sum.input_tokens += read + write + fresh;
            plain += (read + write + fresh) as f64 * request.price.input;
            let saved = request.price.read.map(|times| 1.0 - times);
            let saved = if read == 0 { Some(0.0) } else { saved };
            let saved = saved.map(|saved| read as f64 * saved * request.price.input);
            reads_saved = add(reads_saved, saved);
            sum.read_tokens += read;
            sum.write_tokens += write;
            sum.lost_tokens += request.lost_tokens;
            sum.price = add(sum.price, price);
            sum.lost_price = add(sum.lost_price, request.price.lost);
            if request.lost_tokens > 0 {
                sum.misses += 1;
                sum.count(request);
            }
        }
        if sum.input_tokens > 0 {
            sum.hit_rate = sum.read_tokens as f64 / sum.input_tokens as f64;
            sum.saved_rate = sum.price.map(|price| 1.0 - price / plain);
            let rate = reads_saved.zip(sum.lost_price).map(|(saved, lost)| saved / (saved + lost));
            sum.money_hit_rate = rate.filter(|rate| rate.is_finite());
        }
        // without prices the most tokens count
        let is_priced = sum.lost_price.is_some();
        let weight = |total: &CauseTotal| match total.lost_price {
            Some(price) if is_priced => price,
            Some(_) | None => total.lost_tokens as f64,
        };
        sum.causes.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
        sum
    }

    fn count(&mut self, request: &RequestCache) {
        let known = self.causes.iter_mut().find(|total| total.cause == request.cause);
        match known {
            Some(total) => {
                total.requests += 1;
                total.lost_tokens += request.lost_tokens;
                total.lost_price = add(total.lost_price, request.price.lost);
            }
            None => self.causes.push(CauseTotal {
                cause: request.cause,
                requests: 1,
                lost_tokens: request.lost_tokens,
                lost_price: request.price.lost,
                fix: request.fix.clone(),
            }),
        }
    }
}
