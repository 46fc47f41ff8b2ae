//! The shortest history that still shows a failure.

use super::{Plan, Report, run};

/// Leaves steps out as long as the same law still fails; the shortest run that was found.
///
/// ```
/// use tuckbox::run::sim::{Plan, shrunk};
///
/// // of a run in which every law holds nothing is left out
/// let report = shrunk(&Plan { seed: 7, steps: 20, ..Plan::default() });
/// assert!(report.failure.is_none());
/// ```
pub fn shrunk(plan: &Plan) -> Report {
    let plan = &Plan { history: true, ..plan.clone() };
    let mut best = run(plan);
    let Some(law) = best.failure.as_ref().map(|failure| failure.law) else { return best };
    let mut without = vec![false; plan.steps];
    // what came after the failure does not count
    if let Some(step) = best.failure.as_ref().and_then(|failure| failure.step) {
        without.iter_mut().skip(step + 1).for_each(|left_out| *left_out = true);
    }
    let mut size = plan.steps.div_ceil(2);
    while size > 0 {
        let mut start = 0;
        while start < plan.steps {
            let mut fewer = without.clone();
            let mut changed = false;
            for left_out in fewer.iter_mut().skip(start).take(size) {
                changed |= !*left_out;
                *left_out = true;
            }
            if changed {
                let report = run(&Plan { without: fewer.clone(), ..plan.clone() });
                if report.failure.as_ref().is_some_and(|failure| failure.law == law) {
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
