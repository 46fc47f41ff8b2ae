//! Pairs calls and results, in the order and with the ids that a provider requires.

use super::demands::{Demands, Token, Tried};
use super::loss::{Change, Losses};
use super::part::{CallPart, Part, ResultPart};
use super::turn::{Block, Speaker, Turn};
use crate::value::sort::sort_by_key;
use crate::value::{Map as IndexMap, Set as IndexSet};
use std::cell::Cell;

/// A call and the turn that answers it.
#[derive(Clone, Copy, Debug)]
struct Link {
    call_turn: usize,
    call_block: usize,
    answer_turn: usize,
    /// How the pair was found.
    by: By,
}

/// The reason for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// An id that is used once.
    Id,
    /// An id that two open calls have.
    SharedId,
    /// The name of the tool.
    Name,
    /// The order of calls and results.
    Order,
}

/// Pairs calls and results, drops calls without a result, turns results without a call into a
/// user's text, and moves results to their required positions.
pub(super) fn pair(mut turns: Vec<Turn>, demands: &Demands, losses: &mut Losses) -> Vec<Turn> {
    let (links, open) = link(&turns);
    for link in &links {
        note(&turns, *link, losses);
    }
    let tools = turns.iter().filter(|turn| turn.speaker == Speaker::Tool).count();
    if tools > links.len() {
        adopt_orphans(&mut turns, &links, demands, losses);
    }
    name_answers(&mut turns, &links);
    if let Some(token) = demands.call_id {
        rewrite_ids(&mut turns, &links, token, demands.unique_calls, losses);
    }
    drop_calls(&mut turns, &open, losses);
    if demands.adjacent { gather(turns, links, demands.call_order, losses) } else { turns }
}

/// Returns true if every call has its own id, which the provider takes, and exactly one result after
/// it. Then other turns cannot change its pair. Adds the ids to `ids`.
pub(super) fn is_closed(turns: &[Turn], demands: &Demands, ids: &mut IndexSet<String>) -> bool {
    let mut waiting: Vec<&str> = Vec::new();
    for block in turns.iter().flat_map(|turn| &turn.blocks) {
        match &block.item.part {
            Part::ToolCall(call) => {
                let is_legal = demands.call_id.is_none_or(|token| token.allows(&call.id));
                if call.id.is_empty() || !is_legal || !ids.insert(call.id.clone()) {
                    return false;
                }
                waiting.push(&call.id);
            }
            Part::ToolResult(answer) => {
                let place = waiting.iter().position(|id| *id == answer.call_id);
                let Some(place) = place else { return false };
                waiting.remove(place);
            }
            Part::Text(_)
            | Part::Media(_)
            | Part::Reasoning(_)
            | Part::Refusal(_)
            | Part::Own(_) => {}
        }
    }
    waiting.is_empty()
}

/// Turns results without a call into text of the user.
fn adopt_orphans(turns: &mut [Turn], links: &[Link], demands: &Demands, losses: &mut Losses) {
    let linked = answers(links, turns.len());
    let mut answered: IndexSet<String> = IndexSet::default();
    for (index, turn) in turns.iter_mut().enumerate() {
        if linked.get(index) == Some(&true) {
            answered.extend(turn.answer().map(|answer| answer.call_id.clone()));
        } else if turn.speaker == Speaker::Tool && !continues(turn, demands, &answered) {
            adopt(turn, index, &answered, losses);
        }
    }
}

/// Returns true for a result of a call of an earlier response.
fn continues(turn: &Turn, demands: &Demands, answered: &IndexSet<String>) -> bool {
    let id = turn.answer().map(|answer| answer.call_id.as_str()).unwrap_or_default();
    let legal = demands.call_id.is_none_or(|token| token.allows(id));
    demands.orphan_results && !id.is_empty() && legal && !answered.contains(id)
}

/// The calls without a result, as turn and block, in order.
type Open = Vec<(usize, usize)>;

/// Finds the call of each result, and the calls without a result.
///
/// - A result with an id belongs to the nearest message before it that has an open call of that id.
///   Of several calls in one message, it belongs to the first.
/// - Without a matching id, a result belongs to an open call of the nearest message before it that
///   has one. A result with a name belongs to a call of that tool, any other result to the first
///   open call.
fn link(turns: &[Turn]) -> (Vec<Link>, Open) {
    let (mut links, open, unclear) = link_by_id(turns);
    let open =
        if unclear.is_empty() { open } else { link_by_name(turns, open, unclear, &mut links) };
    sort_by_key(&mut links, |link| (link.call_turn, link.call_block));
    (links, open)
}

/// A result that no id assigns to a call, and its turn.
type Unclear<'a> = (usize, &'a ResultPart);

/// Finds the call of each result by its id. Returns the links, the open calls and the other results.
fn link_by_id(turns: &[Turn]) -> (Vec<Link>, Open, Vec<Unclear<'_>>) {
    // the messages with open calls, by id: the turn, its calls, and the number of answered ones
    let mut open: IndexMap<&str, Vec<(usize, Open, usize)>> = IndexMap::default();
    let mut links = Vec::new();
    let mut unclear: Vec<Unclear<'_>> = Vec::new();
    for (index, turn) in turns.iter().enumerate() {
        for (at, block) in turn.blocks.iter().enumerate() {
            match &block.item.part {
                Part::ToolCall(call) => {
                    let messages = open.entry(&call.id).or_default();
                    match messages.last_mut().filter(|(turn, ..)| *turn == index) {
                        Some((_, calls, _)) => calls.push((index, at)),
                        None => messages.push((index, vec![(index, at)], 0)),
                    }
                }
                Part::ToolResult(answer) => {
                    let id = Some(answer.call_id.as_str()).filter(|id| !id.is_empty());
                    let messages = id.and_then(|id| open.get_mut(id));
                    let found = messages.and_then(|messages| {
                        let several = messages.len() > 1;
                        let (_, calls, answered) = messages.last_mut()?;
                        let (call_turn, call_block) = *calls.get(*answered)?;
                        *answered += 1;
                        let is_last = *answered == calls.len();
                        let by = if several || !is_last { By::SharedId } else { By::Id };
                        if is_last {
                            messages.pop();
                        }
                        Some(Link { call_turn, call_block, answer_turn: index, by })
                    });
                    match found {
                        Some(link) => links.push(link),
                        None => unclear.push((index, answer)),
                    }
                }
                Part::Text(_)
                | Part::Media(_)
                | Part::Reasoning(_)
                | Part::Refusal(_)
                | Part::Own(_) => {}
            }
        }
    }
    let left = open.into_values().flatten();
    let mut open: Open =
        left.flat_map(|(_, calls, answered)| calls.into_iter().skip(answered)).collect();
    sort_by_key(&mut open, |place| *place);
    (links, open, unclear)
}

/// Finds calls of results by the name of the tool or their order. Returns the calls that stay open.
fn link_by_name(
    turns: &[Turn],
    open: Open,
    unclear: Vec<Unclear<'_>>,
    links: &mut Vec<Link>,
) -> Open {
    let call = |(turn, block): (usize, usize)| -> Option<&CallPart> {
        turns.get(turn)?.blocks.get(block)?.item.part.as_call()
    };
    // a result with an unknown id can only belong to a call without an id
    let is_free = |place: &(usize, usize)| call(*place).is_some_and(|call| call.id.is_empty());
    let mut every = Waiting::of(open.iter().map(|_| true));
    let mut free = Waiting::of(open.iter().map(is_free));
    // the position in a message to search from: skipped calls are skipped again
    let mut from = Tried::new();
    for (answer_turn, answer) in unclear {
        let (is_any, name) = (answer.call_id.is_empty(), answer.tool_name.as_str());
        let waiting = if is_any { &mut every } else { &mut free };
        let nearest = waiting.last(begin(&open, answer_turn)).and_then(|at| open.get(at));
        let Some(&(nearest, _)) = nearest else { continue };
        let end = begin(&open, nearest + 1);
        let key = format!("{nearest} {is_any} {name}");
        let first = from.get(&key).copied().unwrap_or_else(|| begin(&open, nearest));
        let named = |at: usize| {
            let called = open.get(at).and_then(|place| call(*place));
            name.is_empty() || called.is_some_and(|call| call.name == name)
        };
        let found = (first..end).find(|at| waiting.has(*at) && named(*at));
        from.insert(key, found.unwrap_or(end));
        if let Some((at, &(call_turn, call_block))) = found.and_then(|at| Some((at, open.get(at)?)))
        {
            every.remove(at);
            free.remove(at);
            let by = if name.is_empty() { By::Order } else { By::Name };
            links.push(Link { call_turn, call_block, answer_turn, by });
        }
    }
    let left = open.into_iter().enumerate().filter(|(at, _)| every.has(*at));
    left.map(|(_, place)| place).collect()
}

/// Returns the first position of a turn, or where it would be.
fn begin(open: &Open, turn: usize) -> usize {
    open.partition_point(|place| place.0 < turn)
}

/// The open positions of a list, with a fast search for the last one before a position.
struct Waiting(Vec<usize>);

impl Waiting {
    /// Maps each position to the last open position up to it, counted from 1, or to a link to it.
    fn of(waits: impl Iterator<Item = bool>) -> Self {
        let links = waits.enumerate().map(|(at, waits)| if waits { at + 1 } else { at });
        Self(std::iter::once(0).chain(links).collect())
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at + 1) == Some(&(at + 1))
    }

    fn remove(&mut self, at: usize) {
        if self.has(at)
            && let Some(link) = self.0.get_mut(at + 1)
        {
            *link = at;
        }
    }

    /// Returns the last open position before `end`.
    fn last(&mut self, end: usize) -> Option<usize> {
        let mut at = end;
        while let Some(&next) = self.0.get(at).filter(|next| **next != at) {
            // shorten the path for later lookups
            let over = self.0.get(next).copied().unwrap_or(next);
            if let Some(link) = self.0.get_mut(at) {
                *link = over;
            }
            at = over;
        }
        at.checked_sub(1)
    }
}

/// Records a result that was not found by its id alone.
fn note(turns: &[Turn], link: Link, losses: &mut Losses) {
    let Some(turn) = turns.get(link.answer_turn) else { return };
    let id = turn.answer().map(|answer| answer.call_id.as_str()).unwrap_or_default();
    let why = match link.by {
        By::Id => return,
        By::SharedId => {
            format!("several open calls have the id `{id}`; the result belongs to the first")
        }
        By::Name => "the result has no call id; it is matched by the name of the tool".into(),
        By::Order => "the result has no call id; it is matched by its position".into(),
    };
    losses.message(Change::CallPaired, turn.at.unwrap_or(link.answer_turn), why);
}

/// Returns for each message the one that made its call, or itself.
pub(super) fn groups(turns: &[Turn], messages: usize) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..messages).collect();
    let at = |turn: usize| turns.get(turn).and_then(|turn| turn.at);
    for link in link(turns).0 {
        if let (Some(answer), Some(call)) = (at(link.answer_turn), at(link.call_turn))
            && let Some(group) = groups.get_mut(answer)
        {
            *group = call;
        }
    }
    // a message with results of several messages is not split
    for position in 0..messages {
        let mut first = position;
        while let Some(&next) = groups.get(first).filter(|next| **next < first) {
            first = next;
        }
        if let Some(group) = groups.get_mut(position) {
            *group = first;
        }
    }
    groups
}

/// Turns a result without a call into text of the user.
fn adopt(turn: &mut Turn, index: usize, answered: &IndexSet<String>, losses: &mut Losses) {
    let at = turn.at.unwrap_or(index);
    turn.speaker = Speaker::User;
    let Some(position) =
        turn.blocks.iter().position(|block| matches!(block.item.part, Part::ToolResult(_)))
    else {
        return;
    };
    let block = turn.blocks.remove(position);
    let Part::ToolResult(ResultPart { call_id, parts, .. }) = block.item.part else { return };
    if call_id.is_empty() {
        let reason = "a tool message has no call and is sent as text of the user";
        losses.message(Change::OrphanResult, at, reason);
        turn.blocks = parts.into_iter().map(|part| Block::new(block.at, part)).collect();
        return;
    }
    let (change, why) = if answered.contains(&call_id) {
        (Change::DuplicateResult, "already has a result; this one")
    } else {
        (Change::OrphanResult, "does not exist; its result")
    };
    losses.message(change, at, format!("the call `{call_id}` {why} is sent as text of the user"));
    let mut label = format!("[result of tool call {call_id}]");
    let mut rest = parts.into_iter().peekable();
    if let Some(Part::Text(text)) = rest.next_if(|part| matches!(part, Part::Text(_))) {
        label = format!("{label} {}", text.as_str());
    }
    let parts = std::iter::once(Part::Text(label.into())).chain(rest);
    turn.blocks = parts.map(|part| Block::new(block.at, part)).collect();
}

fn name_answers(turns: &mut [Turn], links: &[Link]) {
    for link in links {
        let called = turns.get(link.call_turn).and_then(|turn| turn.blocks.get(link.call_block));
        let Some(Part::ToolCall(call)) = called.map(|block| &block.item.part) else { continue };
        let (name, id) = (call.name.clone(), call.id.clone());
        if let Some(answer) = turns.get_mut(link.answer_turn).and_then(Turn::answer_mut) {
            answer.tool_name = name;
            answer.call_id = id;
        }
    }
}

/// The number of attempts after which later turns continue the numbers of earlier ones.
const MAX_TRIES: usize = 100_000;

fn rewrite_ids(
    turns: &mut [Turn],
    links: &[Link],
    token: Token,
    unique: bool,
    losses: &mut Losses,
) {
    let mut given: Option<IndexSet<String>> = None;
    let mut used: IndexSet<String> = IndexSet::default();
    let (mut tried, mut last, tries) = (Tried::new(), 0, Cell::new(0));
    for link in links {
        let scope = if unique { 0 } else { link.call_turn };
        if scope != last {
            used.clear();
            // each turn starts its numbers again until the attempts are used up
            if tries.get() < MAX_TRIES {
                tried = Tried::new();
            }
        }
        last = scope;
        let turn = turns.get(link.call_turn);
        let block = turn.and_then(|turn| turn.blocks.get(link.call_block));
        let Some(call) = block.and_then(|block| block.item.part.as_call()) else { continue };
        let mut id = call.id.clone();
        let is_used = |id: &str| used.contains(id);
        if !token.allows(&id) || is_used(&id) {
            // all ids are unchanged before the first one that must change
            let ids = || turns.iter().flat_map(Turn::calls).map(|call| call.id.clone()).collect();
            let given = given.get_or_insert_with(ids);
            let base = if id.is_empty() { "call" } else { &id };
            id = token.nearest(base, &mut tried, |id| {
                tries.set(tries.get() + 1);
                is_used(id) || given.contains(id)
            });
            let reason = format!("the call `{}` is sent with the id `{id}`", call.id);
            let at = turn.and_then(|turn| turn.at).unwrap_or_default();
            losses.message(Change::CallIdRewritten, at, reason);
            set_id(turns, *link, &id);
        }
        used.insert(id);
    }
}

/// Sets the id of a call and its result.
fn set_id(turns: &mut [Turn], link: Link, id: &str) {
    let turn = turns.get_mut(link.call_turn);
    let block = turn.and_then(|turn| turn.blocks.get_mut(link.call_block));
    if let Some(Part::ToolCall(call)) = block.map(|block| &mut block.item.part) {
        call.id = id.to_owned();
    }
    if let Some(answer) = turns.get_mut(link.answer_turn).and_then(Turn::answer_mut) {
        answer.call_id = id.to_owned();
    }
}

fn drop_calls(turns: &mut [Turn], open: &Open, losses: &mut Losses) {
    if open.is_empty() {
        return;
    }
    for (index, turn) in turns.iter_mut().enumerate() {
        let position = turn.at.unwrap_or(index);
        let mut at = 0;
        turn.blocks.retain(|block| {
            let keep = open.binary_search(&(index, at)).is_err();
            at += 1;
            if let (false, Part::ToolCall(call)) = (keep, &block.item.part) {
                let reason = format!("the call `{}` of `{}` has no result", call.id, call.name);
                losses.message(Change::UnansweredCall, position, reason);
            }
            keep
        });
    }
}

/// For each turn, whether it has the result of a call.
fn answers(links: &[Link], turns: usize) -> Vec<bool> {
    let mut linked = vec![false; turns];
    for link in links {
        if let Some(is_answer) = linked.get_mut(link.answer_turn) {
            *is_answer = true;
        }
    }
    linked
}

/// Returns true if every result directly follows its call, in the order of the calls.
fn are_in_place(links: &[Link]) -> bool {
    let (mut call, mut place) = (usize::MAX, 0);
    links.iter().all(|link| {
        place = if link.call_turn == call { place + 1 } else { link.call_turn + 1 };
        call = link.call_turn;
        link.answer_turn == place
    })
}

/// Moves results directly after the turn that made the calls.
fn gather(turns: Vec<Turn>, links: Vec<Link>, call_order: bool, losses: &mut Losses) -> Vec<Turn> {
    if are_in_place(&links) {
        return turns;
    }
    let linked = answers(&links, turns.len());
    let mut waiting: Vec<Option<Turn>> = turns.into_iter().map(Some).collect();
    let mut gathered = Vec::with_capacity(waiting.len());
    let mut links = links.into_iter().peekable();
    for (index, is_answer) in linked.into_iter().enumerate() {
        let mut links: Vec<Link> =
            std::iter::from_fn(|| links.next_if(|link| link.call_turn == index)).collect();
        if is_answer {
            continue;
        }
        gathered.extend(waiting.get_mut(index).and_then(Option::take));
        let place_of = |waiting: &[Option<Turn>], turn: usize| {
            waiting.get(turn).and_then(Option::as_ref).and_then(|turn| turn.at).unwrap_or(turn)
        };
        let in_call_order: Vec<_> = links.iter().map(|link| link.answer_turn).collect();
        sort_by_key(&mut links, |link| link.answer_turn);
        for (place, (link, ordered)) in links.iter().zip(&in_call_order).enumerate() {
            if link.answer_turn != index + 1 + place {
                let reason = "the result moves directly after its call";
                losses.message(Change::ResultMoved, place_of(&waiting, link.answer_turn), reason);
            } else if call_order && link.answer_turn != *ordered {
                let reason = "the results move into the order of their calls";
                losses.message(
                    Change::ResultReordered,
                    place_of(&waiting, link.answer_turn),
                    reason,
                );
            }
        }
        let order = if call_order {
            in_call_order
        } else {
            links.iter().map(|link| link.answer_turn).collect()
        };
        gathered.extend(order.iter().filter_map(|answer| waiting.get_mut(*answer)?.take()));
    }
    gathered
}
