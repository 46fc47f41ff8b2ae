//! Which step begins next, when several hands work at once.

use super::{BUILD, Counts, Step, When};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The steps that are to run, and how far they are.
pub struct Plan {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: Vec<&'static Step>,
    begun: usize,
    is_one_alone: bool,
    is_built: bool,
    done: Vec<(&'static str, Counts)>,
}

impl Plan {
    pub fn new(steps: Vec<&'static Step>) -> Self {
        // without that step every other builds what it needs itself
        let is_built = !steps.iter().any(|step| step.name == BUILD);
        let state =
            State { waiting: steps, begun: 0, is_one_alone: false, is_built, done: Vec::new() };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The next step and its number; waits while every step that is left has to wait.
    pub fn next(&self) -> Option<(usize, &'static Step)> {
        let mut state = self.state();
        loop {
            if state.waiting.is_empty() {
                return None;
            }
            if let Some(at) = state.waiting.iter().position(|step| state.lets(step)) {
                let step = state.waiting.remove(at);
                state.begun += 1;
                state.is_one_alone |= step.when == When::Alone;
                return Some((state.begun, step));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes in that a step is done, well or badly.
    pub fn finished(&self, step: &'static Step, counts: Counts) {
        let mut state = self.state();
        state.is_one_alone &= step.when != When::Alone;
        state.is_built |= step.name == BUILD;
        state.done.push((step.name, counts));
        self.changed.notify_all();
    }

    /// What every step counted.
    pub fn done(self) -> Vec<(&'static str, Counts)> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).done
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn lets(&self, step: &Step) -> bool {
        match step.when {
            When::Anytime => true,
            When::Alone => !self.is_one_alone,
            When::Built => self.is_built,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::STEPS;
    use super::*;

    fn named(names: &[&str]) -> Plan {
        Plan::new(STEPS.iter().filter(|step| names.contains(&step.name)).collect())
    }

    #[test]
    fn what_needs_the_package_waits_for_it_and_cargo_builds_once_at_a_time() {
        let plan = named(&["build", "fmt", "clippy", "page", "conform"]);
        let begin = || plan.next().map(|(_, step)| step).unwrap();
        let (build, fmt, conform) = (begin(), begin(), begin());
        assert_eq!([build.name, fmt.name, conform.name], ["build", "fmt", "conform"]);
        plan.finished(fmt, Counts::default());
        assert_eq!(begin().name, "clippy");
        plan.finished(build, Counts::default());
        assert_eq!(begin().name, "page");
        assert!(plan.next().is_none());
    }

    #[test]
    fn without_the_step_that_builds_nobody_waits_for_it() {
        assert_eq!(named(&["types"]).next().map(|(number, _)| number), Some(1));
    }
}
