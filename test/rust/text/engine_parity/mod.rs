//! Holds the engine's hunks against those of the machine's git, byte by byte.
//!
//! Each of 94 combinations of options has random pairs of its own. `REDLINE_PAIRS` says how many
//! [50: 4,700 in all], and `REDLINE_SEED` which is the first [0]: another one gives other pairs.
//! `REDLINE_LARGE` is the number of large pairs of each kind [1]. A failure names the seed;
//! `REDLINE_PAIRS=1 REDLINE_SEED=<seed>` has that pair in all combinations. The last
//! `REDLINE_COMMITS` [100] commits are compared of ripgrep where `REDLINE_TEST_REPOS` names the
//! directory of its bundle, else of this checkout.

mod git;
mod history;
mod large;
pub mod random;

use std::fs;
use std::path::Path;
use std::process::Command;

use git::{Case, compare_trees};
use redline_text::engine::{Algorithm, Whitespace};

const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::Myers, Algorithm::Minimal, Algorithm::Patience, Algorithm::Histogram];
const WHITESPACE: [Whitespace; 5] =
    [Whitespace::Exact, Whitespace::All, Whitespace::Change, Whitespace::Eol, Whitespace::CrAtEol];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Returns a directory with the empty directories `a` and `b`.
fn two_directories() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for side in ["a", "b"] {
        fs::create_dir(dir.path().join(side)).unwrap();
    }
    dir
}

fn check(dir: &Path, case: &Case) {
    let (pairs, differing) = compare_trees(dir, case);
    eprintln!("{pairs} pairs, {} differ: {case:?}", differing.len());
    assert!(differing.is_empty(), "{case:?}: hunks differ from git's for {differing:?}");
}

/// Compares random pairs in each of the cases; the one at `place` of all cases has the pairs from
/// there on.
fn check_random(place: u64, cases: impl IntoIterator<Item = Case>) {
    let pairs = number("REDLINE_PAIRS", 50);
    for (case, place) in cases.into_iter().zip(place..) {
        let dir = two_directories();
        let first = number("REDLINE_SEED", 0) + if pairs > 1 { place * pairs } else { 0 };
        for seed in first..first + pairs {
            let (old, new) = random::pair(seed);
            fs::write(dir.path().join(format!("a/{seed}")), old).unwrap();
            fs::write(dir.path().join(format!("b/{seed}")), new).unwrap();
        }
        check(dir.path(), &case);
    }
}

fn case(algorithm: Algorithm, whitespace: Whitespace, context: u32) -> Case {
    Case { algorithm, whitespace, context, ..Case::default() }
}

#[test]
fn random_pairs_have_gits_hunks_with_each_algorithm_and_context() {
    let cases = ALGORITHMS.into_iter().flat_map(|algorithm| {
        [3, 0, 1, 10].map(|context| case(algorithm, Whitespace::Exact, context))
    });
    check_random(0, cases);
}

#[test]
fn random_pairs_have_gits_hunks_when_white_space_is_ignored() {
    let cases = WHITESPACE[1..].iter().flat_map(|&whitespace| {
        ALGORITHMS
            .into_iter()
            .flat_map(move |algorithm| [3, 0].map(|context| case(algorithm, whitespace, context)))
    });
    check_random(16, cases);
}

#[test]
fn random_pairs_have_gits_hunks_when_blank_lines_are_ignored() {
    let cases = WHITESPACE.into_iter().flat_map(|whitespace| {
        [0, 1, 3, 10].into_iter().flat_map(move |context| {
            [0, 4].map(|inter_hunk_context| Case {
                ignore_blank_lines: true,
                inter_hunk_context,
                ..case(Algorithm::Myers, whitespace, context)
            })
        })
    });
    check_random(48, cases);
}

#[test]
fn random_pairs_have_gits_hunks_when_hunks_are_joined() {
    let cases = [(0, 1), (0, 7), (3, 1), (3, 5), (1, 100), (100_000, 0)].map(
        |(context, inter_hunk_context)| Case {
            inter_hunk_context,
            ..case(Algorithm::Myers, Whitespace::Exact, context)
        },
    );
    check_random(88, cases);
}

#[test]
fn large_repetitive_files_have_gits_hunks() {
    let dir = two_directories();
    for kind in large::KINDS {
        for seed in 0..number("REDLINE_LARGE", 1) {
            let (old, new) = large::pair(kind, seed);
            fs::write(dir.path().join(format!("a/{kind}{seed}")), old).unwrap();
            fs::write(dir.path().join(format!("b/{kind}{seed}")), new).unwrap();
        }
    }
    for algorithm in [Algorithm::Myers, Algorithm::Patience, Algorithm::Histogram] {
        check(dir.path(), &case(algorithm, Whitespace::Exact, 3));
    }
    check(dir.path(), &case(Algorithm::Myers, Whitespace::Exact, 0));
    check(dir.path(), &case(Algorithm::Myers, Whitespace::All, 3));
}

#[test]
fn real_commits_have_gits_hunks() {
    let directory = tempfile::tempdir().unwrap();
    let repository = match std::env::var_os("REDLINE_TEST_REPOS") {
        Some(bundles) => {
            let clone = directory.path().join("ripgrep.git");
            let bundle = Path::new(&bundles).join("ripgrep.bundle");
            let cloned = Command::new("git")
                .args(["clone", "-q", "--bare"])
                .args([&bundle, &clone])
                .status()
                .unwrap();
            assert!(cloned.success(), "{} cannot be cloned", bundle.display());
            clone
        }
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
    };
    let commits = number("REDLINE_COMMITS", 100);
    for algorithm in ALGORITHMS {
        for context in [3, 0] {
            history::compare(&repository, commits, &case(algorithm, Whitespace::Exact, context));
        }
    }
    for whitespace in &WHITESPACE[1..] {
        history::compare(&repository, commits, &case(Algorithm::Myers, *whitespace, 3));
    }
}
