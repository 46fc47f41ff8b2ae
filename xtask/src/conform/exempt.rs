//! What the recordings of recipes hold of dispatch: not compared there.
//!
//! A recipe ends with dispatch requests as data. What the recorded systems made of them is in the
//! same recordings, and is left out here by its place, whatever the case. The dispatcher itself is
//! compared in the recordings of orchestration and batches.

use tuckbox::Path;
use tuckbox::value::error::Step;

/// File and place; `*` is any item of a list.
const EXEMPT: &[(&str, &str)] = &[
    // whether the calling turn waits
    ("recipes", "defer_resume"),
    // what the dispatcher answered; the context box is compared in the dispatch request
    ("recipes", "result.status"),
    ("recipes", "result.error_code"),
    ("recipes", "result.agent_turn_id"),
    ("recipes", "result.turn_epoch"),
    ("recipes", "result.context_box_id"),
    ("recipes", "result.output_box_id"),
    ("recipes", "result.batch_id"),
    // how the dispatcher counts depth where it does not come with the call
    ("recipes", "dispatch.depth_policy"),
    // rows of the batch table that every task starts with
    ("recipes", "task_specs.*.provision"),
    ("recipes", "task_specs.*.runtime_config"),
];

/// The exempt places of the files that are named, each as `file: place`.
pub fn places<'a>(files: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let among = |file: &str| files.clone().any(|name| name == file);
    let listed = EXEMPT.iter().filter(|(file, _)| among(file));
    listed.map(|(file, place)| format!("{file}: {place}")).collect()
}

/// True for a place that belongs to dispatch.
pub fn is_exempt(file: &str, path: &Path) -> bool {
    EXEMPT.iter().any(|(of, place)| *of == file && covers(place, path))
}

fn covers(place: &str, path: &Path) -> bool {
    let mut steps = path.steps().iter();
    place.split('.').all(|part| match steps.next() {
        Some(Step::Key(key)) => **key == *part,
        Some(Step::Index(_)) => part == "*",
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_places_are_left_out() {
        let place = |keys: &[&str]| keys.iter().fold(Path::root(), |path, key| path.key(*key));
        assert!(is_exempt("recipes", &place(&["result", "turn_epoch"])));
        assert!(!is_exempt("pack", &place(&["result", "turn_epoch"])));
        assert!(!is_exempt("recipes", &place(&["result", "agent_id"])));
        assert!(!is_exempt("recipes", &place(&["result"])));
        let spec = Path::root().key("task_specs").index(3);
        assert!(is_exempt("recipes", &spec.key("runtime_config").key("x")));
        assert!(!is_exempt("recipes", &spec.key("agent_id")));
    }
}
