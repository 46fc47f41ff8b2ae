//! Schedules the steps. Several run at once.

use super::Finished;
use super::steps::{BUILD, COMPILE, Step, When};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The steps of a run and its progress.
pub struct Plan {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: Vec<&'static Step>,
    started: usize,
    cargo_is_busy: bool,
    is_compiled: bool,
    is_built: bool,
    finished: Vec<Finished>,
}

impl Plan {
    pub fn new(steps: Vec<&'static Step>) -> Self {
        // without the steps that compile and build, every other step builds its own inputs
        let has = |name: &str| steps.iter().any(|step| step.name == name);
        let (is_compiled, is_built) = (!has(COMPILE), !has(BUILD));
        let state = State {
            waiting: steps,
            started: 0,
            cargo_is_busy: false,
            is_compiled,
            is_built,
            finished: Vec::new(),
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns the next step and its number; waits while every remaining step must wait.
    pub fn next(&self) -> Option<(usize, &'static Step)> {
        let mut state = self.state();
        loop {
            if state.waiting.is_empty() {
                return None;
            }
            if let Some(at) = state.waiting.iter().position(|step| state.allows(step)) {
                let step = state.waiting.remove(at);
                state.started += 1;
                state.cargo_is_busy |= step.when == When::Cargo;
                return Some((state.started, step));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that a step has ended.
    pub fn finish(&self, finished: Finished) {
        let mut state = self.state();
        state.cargo_is_busy &= finished.step.when != When::Cargo;
        state.is_compiled |= finished.step.name == COMPILE;
        state.is_built |= finished.step.name == BUILD;
        state.finished.push(finished);
        self.changed.notify_all();
    }

    /// Returns the steps that have run.
    pub fn finished(self) -> Vec<Finished> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).finished
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn allows(&self, step: &Step) -> bool {
        match step.when {
            When::Anytime => true,
            When::Cargo => !self.cargo_is_busy,
            When::Compiled => self.is_compiled,
            When::Built => self.is_built,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Counts, STEPS};
    use super::*;
    use std::time::Duration;

    fn named(names: &[&str]) -> Plan {
        Plan::new(STEPS.iter().filter(|step| names.contains(&step.name)).collect())
    }

    fn end(plan: &Plan, step: &'static Step) {
        plan.finish(Finished { step, took: Duration::ZERO, counts: Counts::default() });
    }

    #[test]
    fn steps_wait_for_the_package_and_for_compiled_code() {
        let plan = named(&["build", "fmt", "lints", "rust", "page", "order"]);
        let begin = || plan.next().map(|(_, step)| step).unwrap();
        let (build, fmt, order) = (begin(), begin(), begin());
        assert_eq!([build.name, fmt.name, order.name], ["build", "fmt", "order"]);
        end(&plan, fmt);
        let lints = begin();
        assert_eq!(lints.name, "lints");
        end(&plan, build);
        assert_eq!(begin().name, "page");
        end(&plan, lints);
        assert_eq!(begin().name, "rust");
        assert!(plan.next().is_none());
    }

    #[test]
    fn without_the_step_build_no_step_waits_for_it() {
        assert_eq!(named(&["types"]).next().map(|(number, _)| number), Some(1));
    }
}
