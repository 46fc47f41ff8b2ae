//! Queues and turns.

use super::{
    ATTEMPTS, Command, DISPATCHED, Expected, Fate, LEASE, Model, SILENCE, STEPS, SUSPENSION, State,
    Turn, number,
};
use tuckbox::value::json::Json;

impl Model {
    pub(super) fn enqueue(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let agent = command.text("target_agent_id");
        let payload = command.args.get("payload");
        let text = |key: &str| payload.and_then(|payload| payload.get(key)).and_then(Json::as_str);
        let turn = text("agent_turn_id").unwrap_or_default();
        if !self.knows(turn) {
            let needs = ["channel_id", "profile_box_id", "context_box_id", "output_box_id"];
            if needs.into_iter().any(|key| text(key).is_none()) {
                let code = "missing_required_fields";
                expected.answer = Some((&["error_code"], code.into()));
                return;
            }
            let message = command.args.get("correlation_id").and_then(Json::as_str);
            self.queue(agent, turn, message.unwrap_or(turn), expected);
        }
        let mut epoch = Json::Null;
        if command.flag("wakeup") != Some(false) && self.promote(agent, command.now) {
            let agent = self.agent(agent);
            if agent.active.as_deref() == Some(turn) {
                epoch = agent.epoch.into();
            }
        }
        expected.answer = Some((&["payload", "turn_epoch"], epoch));
    }

    pub(super) fn queue(
        &mut self,
        agent: &str,
        turn: &str,
        message: &str,
        expected: &mut Expected,
    ) {
        self.turns.insert(
            turn.to_owned(),
            Turn { fate: Fate::Queued, can_run: true, message: message.to_owned(), ended: None },
        );
        self.agent(agent).queue.push_back(turn.to_owned());
        expected.said.queued.push((agent.to_owned(), turn.to_owned()));
    }

    /// Removes turns that cannot run from the front of the queue, and starts the first that can if the
    /// agent has no turn. Returns true if it started one.
    pub(super) fn promote(&mut self, name: &str, now: i64) -> bool {
        while let Some(turn) = self.agent(name).queue.front().cloned() {
            if !self.turns.get(&turn).is_some_and(|turn| turn.can_run) {
                self.agent(name).queue.pop_front();
                self.set(&turn, Fate::CannotRun);
                continue;
            }
            let agent = self.agent(name);
            if agent.active.is_some() {
                return false;
            }
            agent.queue.pop_front();
            agent.active = Some(turn.clone());
            agent.state = State::Dispatched;
            agent.epoch += 1;
            agent.since = now;
            agent.headless = false;
            agent.claimed = false;
            agent.released = None;
            self.set(&turn, Fate::Leased);
            return true;
        }
        false
    }

    pub(super) fn cancel(&mut self, agent: &str, turn: &str) -> bool {
        let queue = &mut self.agent(agent).queue;
        let Some(place) = queue.iter().position(|queued| queued == turn) else { return false };
        queue.remove(place);
        self.set(turn, Fate::Canceled);
        true
    }

    /// Ends a turn, and promotes the next one.
    fn end(&mut self, name: &str, status: &str, raise: bool, now: i64, expected: &mut Expected) {
        self.end_at(name, status, raise, (now, now), expected);
    }

    /// Ends a turn that was due to end at `at`.
    fn end_at(
        &mut self,
        name: &str,
        status: &str,
        raise: bool,
        (now, at): (i64, i64),
        expected: &mut Expected,
    ) {
        let agent = self.agent(name);
        let Some(turn) = agent.active.take() else { return };
        agent.state = State::Idle;
        agent.epoch += i64::from(raise);
        agent.waiting.clear();
        agent.lost_calls = false;
        agent.waits_for = 0;
        agent.deadline = None;
        agent.since = now;
        agent.headless = false;
        expected.said.ended.push((turn.clone(), status.to_owned()));
        self.set(&turn, Fate::Ended(status.to_owned()));
        if let Some(turn) = self.turns.get_mut(&turn) {
            turn.ended = Some(at);
        }
        self.promote(name, now);
    }

    /// Returns when and how the turn of an agent ends if no worker acts.
    pub(super) fn due_end(&self, name: &str) -> Option<(i64, &'static str)> {
        let agent = self.agents.get(name).filter(|agent| !agent.headless)?;
        let turn = agent.active.as_ref()?;
        let has_worker = match agent.state {
            State::Running => true,
            State::Dispatched => agent.claimed,
            State::Idle | State::Suspended => false,
        };
        if has_worker {
            let lost = agent.since + LEASE;
            let last = agent.losses.get(turn).copied().unwrap_or(0) + 1 >= ATTEMPTS;
            return Some(if last { (lost, "failed") } else { (lost + DISPATCHED, "timeout") });
        }
        Some(match agent.state {
            State::Suspended => {
                (agent.deadline.unwrap_or(agent.since).max(agent.since) + SILENCE, "failed")
            }
            _ => (agent.released.unwrap_or(agent.since) + DISPATCHED, "timeout"),
        })
    }

    /// Returns true if the call names the active turn and its epoch.
    fn holds(&mut self, command: &Command<'_>) -> bool {
        let (turn, epoch) = (command.text("agent_turn_id"), command.number("turn_epoch"));
        let agent = self.agent(command.text("agent_id"));
        !agent.headless && agent.active.as_deref() == Some(turn) && agent.epoch == epoch
    }

    pub(super) fn claim(&mut self, command: &Command<'_>) {
        let name = command.text("agent_id");
        let items = command.value.get("items").and_then(Json::as_array).unwrap_or_default();
        for item in items {
            let agent = self.agent(name);
            let same = item.get("kind").and_then(Json::as_str) == Some("turn")
                && item.get("agent_turn_id").and_then(Json::as_str) == agent.active.as_deref()
                && number(item.get("turn_epoch")) == Some(agent.epoch);
            // a claim that was decided without a head does not change one that was rebuilt since
            if same && command.touches_head {
                agent.since = command.now;
            }
            if same {
                agent.claimed = true;
                agent.released = None;
            }
        }
    }

    pub(super) fn start(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let name = command.text("agent_id");
        let continues = command.flag("continuation") == Some(true);
        let wanted = if continues { State::Running } else { State::Dispatched };
        let fits = self.holds(command) && self.agent(name).state == wanted;
        let enters = fits && command.number("step_count") < STEPS;
        expected.answer = Some((&["entered"], enters.into()));
        if enters {
            let agent = self.agent(name);
            agent.state = State::Running;
            agent.since = command.now;
        } else if fits {
            self.end(name, "failed", false, command.now, expected);
        }
    }

    pub(super) fn tools(&mut self, command: &Command<'_>, expected: &mut Expected) {
        if !self.holds(command) {
            return;
        }
        let name = command.text("agent_id");
        let calls = command.list("tool_calls").iter();
        let later =
            calls.filter(|call| call.get("outcome").and_then(Json::as_str) == Some("suspend"));
        let later = later.filter_map(|call| call.get("id").and_then(Json::as_str));
        let waiting = later.map(|id| (id.to_owned(), false)).collect();
        let agent = self.agent(name);
        agent.since = command.now;
        agent.waiting = waiting;
        agent.lost_calls = false;
        agent.waits_for = agent.waiting.len();
        if agent.waits_for > 0 {
            agent.state = State::Suspended;
            agent.deadline = Some(command.now + SUSPENSION);
        } else if command.number("step_count") + 1 < STEPS {
            agent.state = State::Running;
        } else {
            self.end(name, "failed", false, command.now, expected);
        }
    }

    pub(super) fn complete(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let name = command.text("agent_id");
        let fails = command.op == "turn_fail";
        let ends = self.holds(command) && (fails || self.agent(name).state == State::Running);
        expected.answer = Some((&["ended"], ends.into()));
        if ends {
            let status = if fails { "failed" } else { "success" };
            self.end(name, status, false, command.now, expected);
        }
    }

    pub(super) fn give_back(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let holds = self.holds(command);
        let agent = self.agent(command.text("agent_id"));
        let given = holds && matches!(agent.state, State::Running | State::Dispatched);
        expected.answer = Some((&["given_back"], given.into()));
        if given {
            agent.state = State::Dispatched;
            agent.epoch += 1;
            agent.since = command.now;
            agent.waiting.clear();
            agent.claimed = false;
            agent.released = None;
        }
    }

    pub(super) fn resume(&mut self, command: &Command<'_>) {
        if !self.holds(command) {
            return;
        }
        let payload = command.args.get("payload");
        let call = payload.and_then(|payload| payload.get("tool_call_id")).and_then(Json::as_str);
        let agent = self.agent(command.text("agent_id"));
        let waiting = agent.waiting.get_mut(call.unwrap_or_default());
        let Some(answered) = waiting.filter(|answered| !**answered) else { return };
        if agent.state != State::Suspended {
            return;
        }
        *answered = true;
        agent.since = command.now;
        agent.waits_for = agent.waiting.values().filter(|answered| !**answered).count();
        if agent.waits_for > 0 {
            agent.deadline = Some(command.now + SUSPENSION);
        } else {
            agent.state = State::Running;
            agent.epoch += 1;
            agent.deadline = None;
            agent.waiting.clear();
        }
    }

    pub(super) fn stop(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let name = command.text("agent_id");
        let agent = self.agent(name);
        let ends = !agent.headless
            && agent.active.as_deref() == Some(command.text("agent_turn_id"))
            && agent.epoch >= command.number("turn_epoch");
        expected.answer = Some((&["ended"], ends.into()));
        if ends {
            self.end(name, "failed", true, command.now, expected);
        }
    }

    pub(super) fn time_out(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let agent = self.agent(command.text("agent_id"));
        let late = agent.deadline.is_some_and(|deadline| deadline < command.now);
        let reported = command.value.as_bool() == Some(true);
        let open =
            agent.waiting.values().any(|answered| !*answered) || (agent.lost_calls && reported);
        let due = !agent.headless && agent.state == State::Suspended && late && open;
        expected.answer = Some((&[], due.into()));
        if due {
            agent.deadline = None;
            agent.since = command.now;
        }
    }

    /// A turn without its worker waits for another one, or fails after the last attempt.
    pub(super) fn recover(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let name = command.text("agent_id");
        let agent = self.agent(name);
        let is_late = !agent.headless && command.now - agent.since > LEASE;
        // the model does not know which messages are claimed
        let reported = command.value.as_bool() == Some(true);
        let is_claimed =
            agent.state == State::Running || (agent.state == State::Dispatched && reported);
        expected.answer = Some((&[], (is_late && is_claimed).into()));
        if !is_late || !is_claimed {
            return;
        }
        let lost = agent.since + LEASE;
        let losses = agent.losses.entry(agent.active.clone().unwrap_or_default()).or_default();
        *losses += 1;
        if *losses >= ATTEMPTS {
            self.end_at(name, "failed", true, (command.now, lost), expected);
        } else {
            agent.state = State::Dispatched;
            agent.epoch += 1;
            agent.since = command.now;
            agent.waiting.clear();
            agent.claimed = false;
            agent.released = Some(lost);
        }
    }

    pub(super) fn reap(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let name = command.text("agent_id");
        let end = self.due_end(name).map_or(command.now, |(at, _)| at.min(command.now));
        let agent = self.agent(name);
        let (state, limit, status) = match command.text("which") {
            "dispatched" => (State::Dispatched, DISPATCHED, "timeout"),
            "active" => (State::Running, SILENCE, "failed"),
            _ => (State::Suspended, SILENCE, "failed"),
        };
        let since = match agent.deadline {
            Some(deadline) if state == State::Suspended => deadline.max(agent.since),
            Some(_) | None => agent.since,
        };
        let due = !agent.headless && agent.state == state && command.now - since > limit;
        expected.answer = Some((&[], due.into()));
        if due {
            self.end_at(name, status, true, (command.now, end), expected);
        }
    }

    pub(super) fn reclaim(&mut self, command: &Command<'_>, expected: &mut Expected) {
        let name = command.text("agent_id");
        let agent = self.agent(name);
        let due = agent.headless && agent.active.is_some();
        expected.answer = Some((&[], due.into()));
        if due {
            // the turn goes on
            agent.headless = false;
            agent.since = command.now;
            if agent.state == State::Suspended {
                agent.deadline = Some(command.now + SUSPENSION);
            }
        }
    }
}
