//! Explains sessions whose requests share messages. Each message is read and hashed once.

use super::answer::CacheExplanation;
use super::body::{Api, INSTRUCTIONS, Parameter, Parsed, Region, Unit, leads, text};
use super::given::Given;
use super::money::Money;
use super::parse::parse;
use super::policy::Surface;
use super::provider::CacheProvider;
use super::rule::explanation;
use super::usage;
use super::walk::Walk;
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
pub(super) struct Shared<'a> {
    units: Vec<Unit<'a>>,
    images: usize,
    /// True if a document of the message has citations.
    cites: bool,
}

impl<'a> Shared<'a> {
    /// Takes the units of a body with one message.
    pub fn of(mut parsed: Parsed<'a>) -> Self {
        for unit in &mut parsed.units {
            unit.tokens = Some(unit.estimate());
        }
        let cites = parsed.parameter(Parameter::Citations) > 0;
        Self { units: parsed.units, images: parsed.images, cites }
    }
}

/// Explains the requests of a session in order. `models` is the host's own table.
///
/// # Errors
/// If a body is not one of the provider.
pub(crate) fn explain_session<'a>(
    provider: &'a str,
    messages: &SessionMessages<'a>,
    requests: Vec<SessionRequest<'a>>,
    models: &Json,
) -> Result<CacheExplanation> {
    let named = CacheProvider::named(provider);
    let api = named.api();
    let parsed = |body: &'a Json| parse(api, &Field::root(body));
    let heads = messages.heads.iter().map(parsed).collect::<Result<Vec<_>>>()?;
    let shared = messages.bodies.iter().map(|body| Ok(Shared::of(parsed(body)?)));
    let shared = shared.collect::<Result<Vec<_>>>()?;
    let model_of = requests.iter().map(|request| {
        let version = match request.head {
            SessionHead::Body(body) => text(body, "anthropic_version"),
            SessionHead::Shared(_) => None,
        };
        (request.model, Surface::of(None, version, request.model))
    });
    let money = Money::of(models, provider, model_of);
    let mut walk = Walk::new(provider, &money, models);
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
pub(super) fn compose<'s, 'a: 's>(
    api: Api,
    head: &Parsed<'a>,
    messages: impl Iterator<Item = &'s Shared<'a>>,
) -> Parsed<'a> {
    let mut parsed = head.clone();
    let is_one_list = matches!(api, Api::Chat | Api::Responses);
    // instructions are not an item of the list
    let last = parsed.region(Region::System).iter().rfind(|unit| unit.role != INSTRUCTIONS);
    let first = last.filter(|_| is_one_list).map_or(0, |unit| unit.item + 1);
    let mut cites = parsed.parameter(Parameter::Citations) > 0;
    let mut is_leading = is_one_list;
    for (item, message) in messages.enumerate() {
        let has_system = parsed.system > parsed.tools;
        is_leading &=
            message.units.first().is_none_or(|unit| leads(unit.role, &message.units, has_system));
        let region = if is_leading { Region::System } else { Region::Messages };
        parsed.units.extend(message.units.iter().map(|unit| Unit {
            region,
            item: first + item,
            ..*unit
        }));
        parsed.system += if is_leading { message.units.len() } else { 0 };
        parsed.images += message.images;
        if message.cites && !cites {
            cites = true;
            parsed.parameters.push((Parameter::Citations, 1));
        }
    }
    parsed.complete(api);
    parsed
}

fn given<'a>(request: SessionRequest<'a>, parsed: Parsed<'a>) -> Given<'a> {
    let (usage, contradiction) = match request.usage.map(|own| usage::of_input(own, None)) {
        None => (None, None),
        Some(Ok(usage)) => (Some(usage), None),
        Some(Err(reason)) => (None, Some(reason)),
    };
    let model = request.model.or(parsed.model);
    Given {
        surface: Surface::of(None, parsed.version, model),
        model,
        parsed,
        at: request.at,
        first_token_at: None,
        usage,
        contradiction,
        scope: [None; 2],
        diagnostics: None,
        id: request.id,
        lacks: request.lacks,
    }
}
