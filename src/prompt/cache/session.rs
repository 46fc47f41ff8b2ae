//! Explains sessions whose requests share messages. Each message is read and hashed once.

use super::answer::CacheExplanation;
use super::body::{Api, INSTRUCTIONS, Parameter, Parsed, Region, Unit, leads, text};
use super::given::Given;
use super::money::Money;
use super::parse::parse;
use super::policy::Surface;
use super::provider::CacheProvider;
use super::rule::explanation;
use super::units::Units;
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
    units: Units<'a>,
    images: usize,
    /// True if a document of the message has citations.
    cites: bool,
}

impl<'a> Shared<'a> {
    /// Takes the units of a body with one message.
    pub fn of(mut parsed: Parsed<'a>) -> Self {
        for unit in parsed.units.iter_mut() {
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
    let mut trunks = Trunks::of(&requests, messages.parents);
    let mut explained = Vec::with_capacity(requests.len());
    for (at, request) in requests.into_iter().enumerate() {
        let parsed = match request.head {
            SessionHead::Body(body) => parsed(body)?,
            SessionHead::Shared(head) => {
                let Some(head) = heads.get(head) else { continue };
                trunks.request(at, api, head, messages.parents, &shared)
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
    let trunk = Trunk::of(api, head, messages);
    trunk.request(api, trunk.after.len().saturating_sub(1))
}

/// A head and messages, whose units all requests with the first of these messages share.
struct Trunk<'a> {
    whole: Parsed<'a>,
    /// What is known after each number of messages.
    after: Vec<After>,
}

#[derive(Clone, Copy)]
struct After {
    units: usize,
    system: usize,
    images: usize,
    cites: bool,
    has_calls: bool,
}

impl<'a> Trunk<'a> {
    fn of<'s>(api: Api, head: &Parsed<'a>, messages: impl Iterator<Item = &'s Shared<'a>>) -> Self
    where
        'a: 's,
    {
        let is_one_list = matches!(api, Api::Chat | Api::Responses);
        // instructions are not an item of the list
        let last = head.region(Region::System).iter().rfind(|unit| unit.role != INSTRUCTIONS);
        let first = last.filter(|_| is_one_list).map_or(0, |unit| unit.item + 1);
        let mut units = head.units.to_vec();
        let mut state = After {
            units: units.len(),
            system: head.system,
            images: head.images,
            cites: head.parameter(Parameter::Citations) > 0,
            has_calls: head.region(Region::Messages).iter().any(Unit::is_call),
        };
        let mut after = vec![state];
        let mut is_leading = is_one_list;
        for (item, message) in messages.enumerate() {
            let has_system = state.system > head.tools;
            let leads = |unit: &Unit<'_>| leads(unit.role, &message.units, has_system);
            is_leading &= message.units.first().is_none_or(leads);
            let region = if is_leading { Region::System } else { Region::Messages };
            let own = message.units.iter();
            units.extend(own.map(|unit| Unit { region, item: first + item, ..*unit }));
            state.units = units.len();
            state.system += if is_leading { message.units.len() } else { 0 };
            state.images += message.images;
            state.cites |= message.cites;
            state.has_calls |= !is_leading && message.units.iter().any(Unit::is_call);
            after.push(state);
        }
        Self { whole: Parsed { units: units.into(), ..head.clone() }, after }
    }

    /// Returns the request with the first messages.
    fn request(&self, api: Api, messages: usize) -> Parsed<'a> {
        let mut parsed = self.whole.clone();
        let Some(after) = self.after.get(messages).copied() else { return parsed };
        parsed.units = parsed.units.start(after.units);
        (parsed.system, parsed.images) = (after.system, after.images);
        if after.cites && parsed.parameter(Parameter::Citations) == 0 {
            parsed.parameters.push((Parameter::Citations, 1));
        }
        parsed.finish(api, after.has_calls);
        parsed
    }
}

/// The trunks of a session: one for each path that no other request extends.
struct Trunks<'a> {
    /// The trunk of each request and the number of its messages.
    of_request: Vec<(usize, usize)>,
    /// The last message of each trunk, the last request on it, and the trunk while it is used.
    trunks: Vec<(Option<usize>, usize, Option<Trunk<'a>>)>,
}

impl<'a> Trunks<'a> {
    fn of(requests: &[SessionRequest<'a>], parents: &[Option<usize>]) -> Self {
        let mut depths: Vec<usize> = Vec::with_capacity(parents.len());
        for parent in parents {
            // a message comes after its parent
            let before = parent.and_then(|at| depths.get(at)).copied().unwrap_or_default();
            depths.push(before + 1);
        }
        let mut known: Vec<Option<(usize, usize)>> = vec![None; parents.len()];
        let mut trunks = Vec::new();
        let mut of_request = Vec::with_capacity(requests.len());
        for (at, request) in requests.iter().enumerate().rev() {
            let head = match request.head {
                SessionHead::Shared(head) => head,
                SessionHead::Body(_) => {
                    of_request.push((0, 0));
                    continue;
                }
            };
            let found = |node: usize, known: &[Option<(usize, usize)>]| {
                known.get(node).copied().flatten().filter(|(own, _)| *own == head)
            };
            let trunk = request.tail.and_then(|tail| found(tail, &known)).map(|(_, trunk)| trunk);
            let trunk = trunk.unwrap_or_else(|| {
                trunks.push((request.tail, at, None));
                let mut next = request.tail;
                while let Some(node) = next.filter(|node| found(*node, &known).is_none()) {
                    if let Some(own) = known.get_mut(node) {
                        *own = Some((head, trunks.len() - 1));
                    }
                    next = parents.get(node).copied().flatten();
                }
                trunks.len() - 1
            });
            let depth = request.tail.and_then(|tail| depths.get(tail)).copied();
            of_request.push((trunk, depth.unwrap_or_default()));
        }
        of_request.reverse();
        Self { of_request, trunks }
    }

    /// Returns the request with the index `at`.
    fn request(
        &mut self,
        at: usize,
        api: Api,
        head: &Parsed<'a>,
        parents: &[Option<usize>],
        shared: &[Shared<'a>],
    ) -> Parsed<'a> {
        let (trunk, messages) = self.of_request.get(at).copied().unwrap_or_default();
        let Some((tail, last, built)) = self.trunks.get_mut(trunk) else { return head.clone() };
        let trunk = built.get_or_insert_with(|| {
            let mut path = Vec::new();
            let mut next = *tail;
            while let Some(node) = next {
                path.push(node);
                next = parents.get(node).copied().flatten();
            }
            Trunk::of(api, head, path.iter().rev().filter_map(|node| shared.get(*node)))
        });
        let parsed = trunk.request(api, messages);
        if *last == at {
            *built = None;
        }
        parsed
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::value::json::to_json;

    /// Returns a random number below `below`.
    fn roll(seed: &mut u64, below: u64) -> u64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % below
    }

    fn message(provider: &str, seed: &mut u64) -> Json {
        let text = "word ".repeat(1 + roll(seed, 700) as usize);
        match roll(seed, 8) {
            0 => json!({"role": "system", "content": text}),
            1 => json!({"role": "user", "content": [{"type": "text", "text": text,
                "cache_control": {"type": "ephemeral"}}]}),
            2 => {
                json!({"role": "user", "content": [{"type": "image", "source": {"data": "QUJD"}}]})
            }
            3 => json!({"role": "assistant", "content": [{"type": "thinking", "thinking": text}]}),
            4 if provider == "anthropic" => {
                json!({"role": "assistant", "content": [{"type": "tool_use", "name": "read"}]})
            }
            4 => json!({"role": "assistant", "content": text,
                "tool_calls": [{"id": "c", "function": {"name": "read", "arguments": "{}"}}]}),
            _ => json!({"role": "user", "content": text}),
        }
    }

    /// Explains a session with branches, from shared messages or from whole bodies.
    fn explained(provider: &str, seed: u64, is_shared: bool) -> Json {
        let seed = &mut { seed };
        let heads = [json!({"messages": [], "system": "Be brief."}), json!({"messages": []})];
        let heads: Vec<Json> = match provider {
            "anthropic" => heads.to_vec(),
            _ => vec![json!({"messages": []}), json!({"messages": [], "service_tier": "flex"})],
        };
        let (mut messages, mut parents) = (Vec::new(), Vec::new());
        let mut tails: [Option<usize>; 3] = [None; 3];
        let mut sent = Vec::new();
        for at in 0..60 {
            let thread = roll(seed, 3) as usize;
            if roll(seed, 6) == 0 {
                // another request repeats a shorter path
                let back = tails[thread].and_then(|tail| parents.get(tail).copied().flatten());
                tails[thread] = back;
            }
            for _ in 0..roll(seed, 3) {
                messages.push(message(provider, seed));
                parents.push(tails[thread]);
                tails[thread] = Some(messages.len() - 1);
            }
            let read = roll(seed, 3) * 400;
            let usage = (roll(seed, 4) > 0).then(|| (read + 900, read, roll(seed, 2) * 500));
            sent.push((roll(seed, 30) as usize / 29, tails[thread], usage, at * 40_000));
        }
        let bodies: Vec<Json> = sent
            .iter()
            .map(|(head, tail, ..)| {
                let mut path = Vec::new();
                let mut next = *tail;
                while let Some(at) = next {
                    path.push(messages[at].clone());
                    next = parents[at];
                }
                path.reverse();
                let mut body = heads[*head].as_object().cloned().unwrap_or_default();
                body.insert("messages".into(), Json::Array(path));
                Json::Object(body)
            })
            .collect();
        let shared: Vec<Json> =
            messages.iter().map(|one| json!({"messages": [one.clone()]})).collect();
        let requests =
            sent.iter().zip(&bodies).map(|((head, tail, usage, at), body)| SessionRequest {
                head: if is_shared { SessionHead::Shared(*head) } else { SessionHead::Body(body) },
                tail: *tail,
                model: Some(if provider == "anthropic" { "claude-sonnet-4-5" } else { "gpt-5.6" }),
                at: Some(*at),
                usage: *usage,
                id: None,
                lacks: Vec::new(),
            });
        let all = SessionMessages { heads: &heads, bodies: &shared, parents: &parents };
        to_json(&explain_session(provider, &all, requests.collect(), &Json::Null).unwrap()).unwrap()
    }

    #[test]
    fn requests_that_share_messages_have_the_causes_of_their_bodies() {
        for seed in 0..8 {
            for provider in ["anthropic", "openai_chat"] {
                let (shared, whole) =
                    (explained(provider, seed, true), explained(provider, seed, false));
                assert_eq!(shared, whole, "{provider}, seed {seed}");
            }
        }
    }
}
