//! The common part of recipes: find the receivers, check the boxes that are passed on, then pack.
//!
//! Every task is checked before any context is packed, and all writes are one batch, so a rejected
//! task writes nothing. The reads of all tasks are requested together: at most three rounds,
//! regardless of the number of tasks.

use super::boxes::{existing, no_output};
use super::caller::Caller;
use super::dispatch::{DispatchRequest, Handed, Strategy};
use super::target::Sender;
use super::task::{Message, Settled, Task};
use crate::pack::{Merges, PackedBox, Packer, PlannedBox};
use crate::rule::audit::{self, Authority};
use crate::rule::ledger::Ledger;
use crate::rule::lint::Lint;
use crate::rule::{Cursor, Dependencies, Outcome, Step, Warrant, ready};
use crate::store::{Agent, BoxChange, Kind, Lookup, Presence, Snapshot, Writes};
use crate::value::env::{Env, Minter};
use crate::value::id::{AgentId, BoxId};
use crate::value::str_map::{Keys, StrMap};
use crate::{Error, Result};
use std::sync::Arc;

/// The tasks of a recipe.
pub(super) struct Execute<'a> {
    pub caller: &'a Caller,
    pub recipe: &'a str,
    /// The recipe that is the author of the cards: `delegate_async` for its other forms.
    pub author: &'a str,
    pub tasks: Vec<Task<'a>>,
    pub lints: Vec<Lint>,
}

impl Execute<'_> {
    pub fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Vec<Handed>>>> {
        let depth = self.caller.depth_below()?;
        let mut cursor = Cursor::new(snapshot);
        let sender = Sender::of(self.caller, env.now, &mut cursor)?;
        let Some(settled) = self.settle_all(&sender, &mut cursor)? else {
            return Ok(cursor.need());
        };

        let mut minter = env.minter();
        let operation_id = match &self.caller.operation_id {
            Some(operation_id) => operation_id.clone(),
            None => minter.operation_id(),
        };
        let mut batch = Batch {
            minter,
            depth,
            writes: Writes::new(snapshot.project_id().clone(), operation_id, env.now),
            relied: Dependencies::default(),
            ledger: Ledger::default(),
            lints: self.lints.clone(),
            handed: Vec::with_capacity(settled.len()),
            ids: 0,
            bytes: 0,
        };
        let packer = Packer {
            author: self.caller.author(self.author),
            agent_id: self.caller.agent_id()?,
            dialect: self.caller.dialect(),
            limits: self.caller.limits,
            check_liveness: self.caller.check_liveness,
            warrant: None,
        };
        let mut merges = Merges::default();
        batch.relied.on_all(sender.relied(snapshot, env.now));
        for (task, settled) in self.tasks.iter().zip(settled) {
            let plan = task.plan(&settled, packer)?;
            if cursor.join(plan.read(snapshot)).is_none() {
                continue;
            }
            let packed = plan.pack(snapshot, &mut batch.minter, env, Some(&mut merges))?;
            let Some(packed) = cursor.join(packed) else { continue };
            batch.ids += packed.card_box.card_ids.len();
            batch.bytes += packed.bytes;
            self.caller.limits.check_ids(batch.ids, &task.path)?;
            self.caller.limits.check_bytes(batch.bytes, &task.path)?;
            self.finish(task, settled, packed, &mut batch);
        }
        ready!(cursor.step());
        let Batch { mut writes, relied, ledger, lints, handed, .. } = batch;
        writes.expects = relied.into_expects();
        audit::keep(&ledger.audit, &mut writes);
        Ok(Step::Done(Outcome { value: handed, writes, ledger, lints }))
    }

    /// Settles every task, in order; `None` if something must be read first.
    fn settle_all<'s>(
        &self,
        sender: &Sender<'s>,
        cursor: &mut Cursor<'s>,
    ) -> Result<Option<Vec<Settled<'s>>>> {
        let mut all = Vec::with_capacity(self.tasks.len());
        let mut reused = Keys::default();
        for task in &self.tasks {
            let known_so_far = !cursor.waits();
            match self.settle(task, sender, cursor) {
                Ok(Some(settled)) => {
                    // by its id: for a dialect that trims, an agent has several spellings
                    if task.strategy == Strategy::Reuse
                        && let Some(Agent { agent_id, .. }) = settled.target.agent
                        && !reused.insert(agent_id.as_str().into())
                        && !cursor.waits()
                    {
                        return Err(Error::bad_request(format!(
                            "agent `{agent_id}` is reused twice; use it in one task only"
                        ))
                        .at(task.target_path())
                        .detail("agent_id", agent_id.as_str()));
                    }
                    all.push(settled);
                }
                Ok(None) => {}
                // an error counts only if everything before it is correct
                Err(error) if known_so_far => return Err(error),
                Err(_) => {}
            }
        }
        Ok((all.len() == self.tasks.len()).then_some(all))
    }

    fn settle<'s>(
        &self,
        task: &Task<'_>,
        sender: &Sender<'s>,
        cursor: &mut Cursor<'s>,
    ) -> Result<Option<Settled<'s>>> {
        let checks_authority = self.caller.dialect().checks_authority;
        self.name_boxes(task, sender, cursor);
        let mut sources = task.sources.clone();
        if let Some(path) = &task.history
            && let Presence::Read(agent) = sender.agent
        {
            let output = agent.and_then(Agent::current_output_box_id);
            let output = output.ok_or_else(|| no_output(sender.agent_id, path.clone()))?;
            sources.push((output.to_string(), path.clone()));
        }
        let Some(target) = sender.find(task, cursor)? else { return Ok(None) };
        let mut granted = None;
        if task.strategy == Strategy::Clone
            && let Some(agent) = target.agent
        {
            let path = task.target_path();
            let output = agent.current_output_box_id();
            let output = output.ok_or_else(|| no_output(agent.agent_id.as_str(), path.clone()))?;
            sources.push((output.to_string(), path));
            let agent_id = agent.agent_id.clone();
            granted = Some((output.clone(), Authority::CloneSource { agent_id }));
        }
        let warrant = match checks_authority {
            true => Warrant::own_and(&self.caller.grants, sender.agent.found(), granted),
            false => Warrant::Project,
        };
        let mut settled = StrMap::new();
        for (box_id, path) in sources {
            if settled.contains_key(&box_id) {
                continue;
            }
            let authority = warrant.check(&box_id, sender.agent_id, &path)?;
            existing(cursor, &box_id, &path)?;
            let settled_box = PlannedBox { box_id: BoxId::from(box_id.as_str()), path, authority };
            settled.insert(box_id, settled_box);
        }
        Ok((!cursor.waits()).then_some(Settled { target, boxes: settled }))
    }

    /// Requests every box of a task that is known, and the cards of boxes that are read if the caller
    /// checks liveness. This saves rounds of reads. In a dialect that checks authority, only boxes of
    /// the sender are requested.
    fn name_boxes(&self, task: &Task<'_>, sender: &Sender<'_>, cursor: &mut Cursor<'_>) {
        let snapshot = cursor.snapshot();
        let mut name = |box_id: &str| {
            cursor.want(Kind::Boxes, box_id);
            if self.caller.check_liveness
                && let Lookup::Present(card_box) = snapshot.card_box(box_id)
            {
                cursor.want_all(Kind::Cards, card_box.card_ids.iter());
            }
        };
        if task.history.is_some()
            && let Some(output) = sender.agent.found().and_then(Agent::current_output_box_id)
        {
            name(output.as_str());
        }
        for (box_id, _) in &task.sources {
            if !self.caller.dialect().checks_authority || sender.owns(box_id) {
                name(box_id);
            }
        }
        if task.strategy == Strategy::Clone
            && let Lookup::Present(agent) = snapshot.agent(&task.target_ref)
            && let Some(output) = agent.current_output_box_id()
        {
            name(output.as_str());
        }
    }

    fn finish(&self, task: &Task<'_>, settled: Settled<'_>, packed: PackedBox, batch: &mut Batch) {
        let PackedBox { packed, cards, card_box, expects, mut ledger, lints, bytes: _ } = packed;
        let Settled { target, boxes } = settled;
        let agent_id = match (task.strategy, target.agent) {
            (Strategy::Reuse, Some(agent)) => agent.agent_id.clone(),
            (Strategy::New | Strategy::Reuse | Strategy::Clone, _) => {
                let profile = target.profile_box_id.as_str().to_lowercase();
                AgentId::from(format!("{profile}_{}", batch.minter.card_id()))
            }
        };
        let (provision, output_box_id) = match (task.strategy, target.agent) {
            (Strategy::Reuse, agent) => {
                (false, agent.and_then(Agent::current_output_box_id).cloned())
            }
            (Strategy::New | Strategy::Clone, _) => {
                batch.writes.agents.push(target.new_agent(agent_id.clone()));
                (true, None)
            }
        };

        for audit in ledger.audit.iter_mut().map(Arc::make_mut) {
            audit.recipe = Some(self.recipe.to_owned());
            audit.target_agent_id = Some(agent_id.clone());
            audit.target_profile_box_id = target.profile_box_id.clone();
            audit.target_output_box_id.clone_from(&output_box_id);
            audit.target_display_name = Some(target.display_name.clone());
            audit.permission = Some(target.permission.clone());
        }
        batch.ledger.append(ledger);
        batch.lints.extend(lints);
        batch.relied.on_all(expects).on_all(target.relied);
        batch.writes.cards.extend(cards);
        batch.writes.boxes.push(BoxChange::Create { card_box });
        batch.handed.push(Handed {
            target_strategy: task.strategy,
            target_ref: task.target_ref.clone(),
            profile_name: target.profile_name.clone(),
            instruction: match &task.message {
                Message::Instruction { text, .. } => Some(text.clone()),
                Message::Handover { .. } => None,
            },
            inherit_box_ids: boxes
                .into_values()
                .into_iter()
                .map(|settled| settled.box_id)
                .collect(),
            card_ids: packed.attached_card_ids,
            dispatch: DispatchRequest {
                target_agent_id: agent_id,
                provision,
                profile_box_id: target.profile_box_id.clone(),
                context_box_id: packed.context_box_id,
                output_box_id,
                display_name: target.display_name.clone(),
                recursion_depth: batch.depth,
            },
        });
    }
}

/// The sum of the tasks so far.
struct Batch {
    minter: Minter,
    depth: Option<u64>,
    writes: Writes,
    relied: Dependencies,
    ledger: Ledger,
    lints: Vec<Lint>,
    handed: Vec<Handed>,
    /// The number of ids and the size of the content so far.
    ids: usize,
    bytes: usize,
}
