//! Small cases; `test/rust/text/engine_parity` compares with git.

mod cancel;

use super::*;
use redline_base::budget::Budget;

const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::Myers, Algorithm::Minimal, Algorithm::Patience, Algorithm::Histogram];

fn changes(old: &str, new: &str, options: Options) -> Vec<(Range<u32>, Range<u32>)> {
    let cancel = CancelToken::never();
    let [old, new] = [old, new].map(|text| Lines::split(text.as_bytes(), &cancel).unwrap());
    let changes = Engine::default().diff(&old, &new, &options, &cancel).unwrap();
    changes.into_iter().map(|change| (change.old, change.new)).collect()
}

#[test]
fn empty_and_equal_sides_are_no_special_case() {
    for algorithm in ALGORITHMS {
        let options = Options { algorithm, ..Options::default() };
        assert_eq!(changes("", "", options), []);
        assert_eq!(changes("a\nb\n", "a\nb\n", options), []);
        assert_eq!(changes("a\nb\n", "", options), [(0..2, 0..0)]);
        assert_eq!(changes("", "a\nb", options), [(0..0, 0..2)]);
        assert_eq!(changes("a\n", "a", options), [(0..1, 0..1)]);
    }
}

#[test]
fn an_inserted_block_slides_to_its_natural_start() {
    let old = "f {\n  x\n}\n\ng {\n  x\n}\n";
    let new = "f {\n  x\n}\n\nh {\n  x\n}\n\ng {\n  x\n}\n";
    assert_eq!(changes(old, new, Options::default()), [(4..4, 4..8)]);
}

#[test]
fn an_engine_forgets_the_last_pair() {
    let cancel = CancelToken::never();
    let mut engine = Engine::default();
    let texts = ["a\nb\nc\n", "c\nb\na\n", "", "b\n", "x\ny\nx\ny\n", "y\nx\n"];
    for algorithm in ALGORITHMS {
        let options = Options { algorithm, ..Options::default() };
        for (old, new) in texts.iter().flat_map(|old| texts.iter().map(move |new| (old, new))) {
            let [old, new] = [old, new].map(|text| Lines::split(text.as_bytes(), &cancel).unwrap());
            let fresh = Engine::default().diff(&old, &new, &options, &cancel).unwrap();
            assert_eq!(engine.diff(&old, &new, &options, &cancel).unwrap(), fresh);
        }
    }
}

#[test]
fn a_stopped_diff_has_no_result_and_the_engine_stays_usable() {
    let budget = Budget::default();
    budget.cancel();
    let [old, new] = ["a\nb\nc\n", "c\nb\na\n"]
        .map(|text| Lines::split(text.as_bytes(), &CancelToken::never()).unwrap());
    let mut engine = Engine::default();
    for algorithm in ALGORITHMS {
        let options = Options { algorithm, ..Options::default() };
        assert_eq!(
            engine.diff(&old, &new, &options, &CancelToken::of(&budget)),
            Err(Stopped::Cancelled)
        );
        let fresh = Engine::default().diff(&old, &new, &options, &CancelToken::never());
        assert_eq!(engine.diff(&old, &new, &options, &CancelToken::never()), fresh);
    }
}
