//! Calls and their results: each has the other, at the place and under the id that a provider
//! demands.

use super::demands::{Demands, Token};
use super::loss::{Change, Losses};
use super::turn::{Answer, Body, Speaker, Turn};
use crate::value::sort::sort_by_key;
use indexmap::{IndexMap, IndexSet};

/// One call and the turn that answers it.
#[derive(Clone, Copy, Debug)]
struct Link {
    call_turn: usize,
    call_block: usize,
    answer_turn: usize,
}

/// Pairs calls and results, drops calls without a result, turns results without a call into a
/// user's text, and puts results where they must stand.
pub(super) fn pair(mut turns: Vec<Turn>, demands: &Demands, losses: &mut Losses) -> Vec<Turn> {
    let (links, open) = link(&turns);
    let linked: IndexSet<usize> = links.iter().map(|link| link.answer_turn).collect();
    let mut answered: IndexSet<String> = IndexSet::new();
    for (index, turn) in turns.iter_mut().enumerate() {
        if linked.contains(&index) {
            answered.extend(turn.answer().map(|answer| answer.call_id.clone()));
        } else if turn.speaker == Speaker::Tool {
            adopt(turn, index, &answered, losses);
        }
    }
    name_answers(&mut turns, &links);
    if let Some(token) = demands.call_id {
        rewrite_ids(&mut turns, &links, token, demands.unique_calls, losses);
    }
    drop_calls(&mut turns, &open, losses);
    if demands.adjacent { gather(turns, links, demands.call_order, losses) } else { turns }
}

/// A result belongs to the nearest call before it that has its id and no result yet. What is left
/// over are the calls without one, as turn and block.
fn link(turns: &[Turn]) -> (Vec<Link>, IndexSet<(usize, usize)>) {
    let mut open: IndexMap<&str, Vec<(usize, usize)>> = IndexMap::new();
    let mut links = Vec::new();
    for (index, turn) in turns.iter().enumerate() {
        for (at, block) in turn.blocks.iter().enumerate() {
            match &block.body {
                Body::Call(call) => open.entry(&call.id).or_default().push((index, at)),
                Body::Answer(answer) => {
                    let calls = open.get_mut(answer.call_id.as_str());
                    if let Some((call_turn, call_block)) = calls.and_then(Vec::pop) {
                        links.push(Link { call_turn, call_block, answer_turn: index });
                    }
                }
                Body::Text(_) | Body::Media(_) | Body::Reasoning(_) => {}
            }
        }
    }
    sort_by_key(&mut links, |link| (link.call_turn, link.call_block));
    (links, open.into_values().flatten().collect())
}

/// For every turn the one that made its call, or itself.
pub(super) fn groups(turns: &[Turn]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..turns.len()).collect();
    for link in link(turns).0 {
        if let Some(group) = groups.get_mut(link.answer_turn) {
            *group = link.call_turn;
        }
    }
    groups
}

/// A result that no call waits for is told by the user.
fn adopt(turn: &mut Turn, index: usize, answered: &IndexSet<String>, losses: &mut Losses) {
    let at = turn.at.unwrap_or(index);
    turn.speaker = Speaker::User;
    let Some(position) = turn.blocks.iter().position(|block| matches!(block.body, Body::Answer(_)))
    else {
        let reason = "a tool's message names no call and goes as a user's text";
        losses.message(Change::OrphanResult, at, reason);
        return;
    };
    let block = turn.blocks.remove(position);
    let Body::Answer(Answer { call_id, blocks, .. }) = block.body else { return };
    let (change, why) = if answered.contains(&call_id) {
        (Change::DuplicateResult, "was answered already; this result")
    } else {
        (Change::OrphanResult, "is not there; its result")
    };
    losses.message(change, at, format!("the call `{call_id}` {why} goes as a user's text"));
    let mut label = format!("[result of tool call {call_id}]");
    let mut rest = blocks.into_iter().peekable();
    if let Some(Body::Text(text)) = rest.next_if(|body| matches!(body, Body::Text(_))) {
        label = format!("{label} {}", text.as_str());
    }
    let told = std::iter::once(Body::Text(label.into())).chain(rest);
    turn.blocks = told.map(|body| super::turn::Block { at: block.at, body }).collect();
}

fn name_answers(turns: &mut [Turn], links: &[Link]) {
    for link in links {
        let called = turns.get(link.call_turn).and_then(|turn| turn.blocks.get(link.call_block));
        let name = match called.map(|block| &block.body) {
            Some(Body::Call(call)) => call.name.clone(),
            Some(Body::Text(_) | Body::Media(_) | Body::Answer(_) | Body::Reasoning(_)) | None => {
                continue;
            }
        };
        if let Some(answer) = turns.get_mut(link.answer_turn).and_then(Turn::answer_mut) {
            answer.tool_name = name;
        }
    }
}

fn rewrite_ids(
    turns: &mut [Turn],
    links: &[Link],
    token: Token,
    unique: bool,
    losses: &mut Losses,
) {
    let given: IndexSet<String> =
        turns.iter().flat_map(Turn::calls).map(|call| call.id.clone()).collect();
    let mut used: IndexSet<(usize, String)> = IndexSet::new();
    for link in links {
        let scope = if unique { 0 } else { link.call_turn };
        let Some(turn) = turns.get_mut(link.call_turn) else { continue };
        let at = turn.at.unwrap_or_default();
        let Some(Body::Call(call)) =
            turn.blocks.get_mut(link.call_block).map(|block| &mut block.body)
        else {
            continue;
        };
        let mut id = call.id.clone();
        let is_used = |id: &str| used.contains(&(scope, id.to_owned()));
        if !token.allows(&id) || is_used(&id) {
            id = token.nearest(&id, |id| is_used(id) || given.contains(id));
            let reason = format!("the call `{}` goes under the id `{id}`", call.id);
            losses.message(Change::CallIdRewritten, at, reason);
            call.id.clone_from(&id);
            if let Some(answer) = turns.get_mut(link.answer_turn).and_then(Turn::answer_mut) {
                answer.call_id.clone_from(&id);
            }
        }
        used.insert((scope, id));
    }
}

fn drop_calls(turns: &mut [Turn], open: &IndexSet<(usize, usize)>, losses: &mut Losses) {
    for (index, turn) in turns.iter_mut().enumerate() {
        let position = turn.at.unwrap_or(index);
        let mut at = 0;
        turn.blocks.retain(|block| {
            let keep = !open.contains(&(index, at));
            at += 1;
            if let (false, Body::Call(call)) = (keep, &block.body) {
                let reason = format!("the call `{}` of `{}` has no result", call.id, call.name);
                losses.message(Change::UnansweredCall, position, reason);
            }
            keep
        });
    }
}

/// Puts results directly behind the turn that made the calls.
fn gather(turns: Vec<Turn>, links: Vec<Link>, call_order: bool, losses: &mut Losses) -> Vec<Turn> {
    let mut answers: IndexMap<usize, Vec<Link>> = IndexMap::new();
    for link in links {
        answers.entry(link.call_turn).or_default().push(link);
    }
    let mut waiting: IndexMap<usize, Turn> = IndexMap::new();
    let behind: IndexSet<usize> = answers.values().flatten().map(|link| link.answer_turn).collect();
    let mut rest = Vec::with_capacity(turns.len());
    for (index, turn) in turns.into_iter().enumerate() {
        if behind.contains(&index) {
            waiting.insert(index, turn);
        } else {
            rest.push((index, turn));
        }
    }
    let mut gathered = Vec::with_capacity(rest.len() + waiting.len());
    for (index, turn) in rest {
        gathered.push(turn);
        let Some(mut links) = answers.swap_remove(&index) else { continue };
        let in_call_order: Vec<_> = links.iter().map(|link| link.answer_turn).collect();
        sort_by_key(&mut links, |link| link.answer_turn);
        for (place, (link, ordered)) in links.iter().zip(&in_call_order).enumerate() {
            if link.answer_turn != index + 1 + place {
                let at = waiting.get(&link.answer_turn).and_then(|turn| turn.at);
                let reason = "the result stands directly behind its call";
                losses.message(Change::ResultMoved, at.unwrap_or(link.answer_turn), reason);
            } else if call_order && link.answer_turn != *ordered {
                let at = waiting.get(&link.answer_turn).and_then(|turn| turn.at);
                let reason = "the results stand in the order of their calls";
                losses.message(Change::ResultReordered, at.unwrap_or(link.answer_turn), reason);
            }
        }
        let order = if call_order {
            in_call_order
        } else {
            links.iter().map(|link| link.answer_turn).collect()
        };
        gathered.extend(order.iter().filter_map(|answer| waiting.swap_remove(answer)));
    }
    gathered
}
