//! What the recordings of recipes hold of dispatch: not compared there.
//!
//! They were made with a dispatcher that was replaced: it answers `turn_child`, `box_child_out` and
//! `batch_1` whatever it is asked, and the worlds name boxes that no dispatcher accepts (`PB_Writer` is no
//! uuid). What it said is left out here by its place, whatever the case. The dispatcher itself is compared
//! in the recordings of orchestration and batches, and recipes that are dispatched (`hand_out`) in
//! `tests/run_recipes.rs`.

use tuckbox::Path;
use tuckbox::value::error::Step;

/// File and place; `*` is any item of a list.
const EXEMPT: &[(&str, &str)] = &[
    // a recipe only packs: whether the calling turn waits is answered by `hand_out`
    ("recipes", "defer_resume"),
    // the answer of the replaced dispatcher, which the world tells it (`dispatch_status`, else accepted):
    // handed in and taken out again it would be compared with itself
    ("recipes", "result.status"),
    // likewise (`dispatch_error_code`)
    ("recipes", "result.error_code"),
    // the constant `turn_child`: ours is the turn that is queued, which `tests/run_recipes.rs` holds
    ("recipes", "result.agent_turn_id"),
    // the constant 1: ours is that of the lease, which the recordings of orchestration hold
    ("recipes", "result.turn_epoch"),
    // the box of the dispatch request once more, which is compared there
    ("recipes", "result.context_box_id"),
    // the constant `box_child_out`, or the box of the dispatch request, which is compared there
    ("recipes", "result.output_box_id"),
    // the constant `batch_1`: ours is made for each batch, and `batch.json` holds batches
    ("recipes", "result.batch_id"),
    // a name for how a newer system counts depth: the depth itself is compared
    ("recipes", "dispatch.depth_policy"),
    // no task of a recipe is provisioned: its agent was made when it was packed
    ("recipes", "task_specs.*.provision"),
    // no recipe has a configuration: the column's default
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
