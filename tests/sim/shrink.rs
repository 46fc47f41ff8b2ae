//! The shortest history that still shows a failure.

use super::{Plan, Report};

/// Omits steps as long as the same invariant fails, and returns the shortest run; `run` runs a plan.
pub fn shrunk(plan: &Plan, run: impl Fn(&Plan) -> Report) -> Report {
    let plan = &Plan { history: true, ..plan.clone() };
    let mut best = run(plan);
    let Some(invariant) = best.failure.as_ref().map(|failure| failure.invariant) else {
        return best;
    };
    let mut without = vec![false; plan.steps];
    // steps after the failure do not count
    if let Some(step) = best.failure.as_ref().and_then(|failure| failure.step) {
        without.iter_mut().skip(step + 1).for_each(|omitted| *omitted = true);
    }
    let mut size = plan.steps.div_ceil(2);
    while size > 0 {
        let mut start = 0;
        while start < plan.steps {
            let mut fewer = without.clone();
            let mut changed = false;
            for omitted in fewer.iter_mut().skip(start).take(size) {
                changed |= !*omitted;
                *omitted = true;
            }
            if changed {
                let report = run(&Plan { without: fewer.clone(), ..plan.clone() });
                if report.failure.as_ref().is_some_and(|failure| failure.invariant == invariant) {
                    without = fewer;
                    best = report;
                }
            }
            start += size;
        }
        size /= 2;
    }
    best
}
