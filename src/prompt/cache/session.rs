//! Explains sessions whose requests share messages. Each message is read and hashed once.

use super::answer::{CacheExplanation, RecordedTokens};
use super::body::{Api, Parsed, Region, Unit, is_system, parse};
use super::money::{Money, table_price};
use super::policy::CacheRules;
use super::provider::CacheProvider;
use super::rule::explanation;
use super::walk::{Given, Walk};
use crate::Result;
use crate::value::json::{Field, Json};

/// What comes before the messages of a request.
#[derive(Clone, Copy)]
pub(crate) enum SessionHead<'a> {
    /// The whole body, as it was sent.
    Body(&'a Json),
    /// The index of a body without messages. The messages are those up to `tail`.
    Shared(usize),
}

/// A request of a session, as an import knows it.
pub(crate) struct SessionRequest<'a> {
    pub head: SessionHead<'a>,
    /// The last message.
    pub tail: Option<usize>,
    pub model: Option<&'a str>,
    /// The start, in milliseconds.
    pub at: Option<i64>,
    /// The tokens of the input, those read from the cache and those written to it.
    pub usage: Option<(u64, u64, u64)>,
    pub id: Option<&'a str>,
    /// Regions that the log does not have.
    pub lacks: Vec<&'static str>,
}

/// The messages of a session.
pub(crate) struct SessionMessages<'a> {
    /// Bodies without messages.
    pub heads: &'a [Json],
    /// Bodies of one message each.
    pub bodies: &'a [Json],
    /// The message before each message.
    pub parents: &'a [Option<usize>],
}

/// The units of one message.
struct Shared<'a> {
    units: Vec<Unit<'a>>,
    images: usize,
}

/// Explains the requests of a session in order.
///
/// # Errors
/// If a body is not one of the provider.
pub(crate) fn explain_session<'a>(
    provider: &'a str,
    messages: &SessionMessages<'a>,
    requests: Vec<SessionRequest<'a>>,
) -> Result<CacheExplanation> {
    let named = CacheProvider::named(provider);
    let api = named.api();
    let parsed = |body: &'a Json| parse(api, &Field::root(body));
    let heads = messages.heads.iter().map(parsed).collect::<Result<Vec<_>>>()?;
    let shared = messages.bodies.iter().map(|body| {
        let Parsed { units, images, .. } = parsed(body)?;
        Ok(Shared { units, images })
    });
    let shared = shared.collect::<Result<Vec<_>>>()?;
    let has_price = |request: &SessionRequest<'_>| {
        let family = CacheRules::of(provider, request.model).family;
        table_price(&Json::Null, family, request.model, 0).is_some()
    };
    let none = Json::Null;
    // one currency for all requests
    let money = match requests.iter().all(has_price) {
        true => Money::Table(&none),
        false => Money::Multiples,
    };
    let mut walk = Walk::new(provider, &money);
    let mut path = Vec::new();
    let mut explained = Vec::with_capacity(requests.len());
    for request in requests {
        let parsed = match request.head {
            SessionHead::Body(body) => parsed(body)?,
            SessionHead::Shared(head) => {
                path.clear();
                let mut next = request.tail;
                while let Some(at) = next {
                    path.push(at);
                    next = messages.parents.get(at).copied().flatten();
                }
                let Some(head) = heads.get(head) else { continue };
                compose(api, head, path.iter().rev().filter_map(|at| shared.get(*at)))
            }
        };
        explained.push(walk.next(given(request, parsed)));
    }
    Ok(explanation(named, explained, walk.rules))
}

/// Joins a head and messages.
fn compose<'s, 'a: 's>(
    api: Api,
    head: &Parsed<'a>,
    messages: impl Iterator<Item = &'s Shared<'a>>,
) -> Parsed<'a> {
    let mut parsed = head.clone();
    let is_one_list = matches!(api, Api::Chat | Api::Responses);
    let last = parsed.region(Region::System).last();
    let first = last.filter(|_| is_one_list).map_or(0, |unit| unit.item + 1);
    let mut is_leading = is_one_list;
    for (item, message) in messages.enumerate() {
        is_leading &= message.units.first().is_none_or(|unit| is_system(unit.role));
        let region = if is_leading { Region::System } else { Region::Messages };
        parsed.units.extend(message.units.iter().map(|unit| Unit {
            region,
            item: first + item,
            ..*unit
        }));
        parsed.system += if is_leading { message.units.len() } else { 0 };
        parsed.images += message.images;
    }
    parsed.complete(api);
    parsed
}

fn given<'a>(request: SessionRequest<'a>, parsed: Parsed<'a>) -> Given<'a> {
    let mut lacks = request.lacks;
    if parsed.lacks_tools && !lacks.contains(&"tools") {
        lacks.push("tools");
    }
    let (usage, contradiction) = match request.usage {
        None => (None, None),
        Some((input, read, write)) => match input.checked_sub(read + write) {
            Some(fresh) => (Some(RecordedTokens { read, write, fresh }), None),
            None => {
                let message = format!(
                    "the usage contradicts itself: {read} tokens read and {write} written of {input}"
                );
                (None, Some(message))
            }
        },
    };
    Given {
        model: request.model.or(parsed.model),
        parsed,
        at: request.at,
        first_token_at: None,
        usage,
        contradiction,
        scope: 0,
        diagnostics: None,
        id: request.id,
        lacks,
    }
}
