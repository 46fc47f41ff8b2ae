//! The progress report of a long simulation.

#[path = "../../simulate/progress.rs"]
mod progress;

use progress::{Goal, Progress};
use std::time::Duration;

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn a_log_gets_a_line_for_every_5_percent_of_the_runs() {
    let mut progress = Progress::new(Goal::Runs(100_000), false);
    let lines: Vec<String> =
        (1..=100_000).filter_map(|done| progress.line(done, seconds(done / 40))).collect();
    assert_eq!(lines.len(), 20);
    assert_eq!(lines[0], "5000 of 100000 runs (5 %), 125 s");
    assert_eq!(lines[19], "100000 of 100000 runs (100 %), 2500 s");

    let mut few = Progress::new(Goal::Runs(3), false);
    let lines: Vec<String> = (1..=3).filter_map(|done| few.line(done, seconds(0))).collect();
    assert_eq!(lines.len(), 3);
    assert!(Progress::new(Goal::Runs(0), false).line(1, seconds(0)).is_some());
}

#[test]
fn a_terminal_gets_a_line_every_ten_seconds() {
    let mut progress = Progress::new(Goal::Runs(1000), true);
    assert_eq!(progress.line(900, seconds(9)), None);
    assert_eq!(progress.line(901, seconds(10)).as_deref(), Some("901 of 1000 runs (90 %), 10 s"));
    assert_eq!(progress.line(902, seconds(19)), None);
    assert!(progress.line(903, seconds(25)).is_some());
}

#[test]
fn a_simulation_with_a_duration_reports_elapsed_time() {
    let mut progress = Progress::new(Goal::Time(seconds(600)), false);
    assert_eq!(progress.line(500, seconds(29)), None);
    assert_eq!(progress.line(501, seconds(30)).as_deref(), Some("501 runs, 30 of 600 s (5 %)"));
}
