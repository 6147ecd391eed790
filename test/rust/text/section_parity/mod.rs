//! Holds the headings behind `@@` against those of the machine's git, driver by driver.
//!
//! `REDLINE_SECTION_LINES` is the number of random lines of each driver [2000], `REDLINE_SEED` the
//! first seed [0]. The last `REDLINE_SECTION_COMMITS` [20] commits of ripgrep and cargo are
//! compared under every driver where `REDLINE_TEST_REPOS` names the directory of their bundles.
//! `REDLINE_SECTION_FILES` may name a list of files, one a line, that are edited and compared under
//! the driver of their language.

mod lines;
mod oracle;
mod samples;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::engine_parity::random::Random;
use lines::{each_character_everywhere, each_word, edited, line, one_by_one};
use oracle::{Attributes, Case, Tally, compare_commits, compare_trees};
use redline_text::section::Sections;

const CASES: [Case; 7] = [
    case(0, 0, false),
    case(3, 0, false),
    case(1, 2, false),
    case(10, 0, false),
    case(0, 0, true),
    case(1, 0, true),
    case(3, 1, true),
];

const fn case(context: u32, inter_hunk_context: u32, ignore_blank_lines: bool) -> Case {
    Case { context, inter_hunk_context, ignore_blank_lines }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Returns a directory with the pairs below `a` and `b`.
fn two_directories(
    pairs: impl IntoIterator<Item = (String, Vec<u8>, Vec<u8>)>,
) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for side in ["a", "b"] {
        fs::create_dir(dir.path().join(side)).unwrap();
    }
    for (name, old, new) in pairs {
        fs::write(dir.path().join("a").join(&name), old).unwrap();
        fs::write(dir.path().join("b").join(&name), new).unwrap();
    }
    dir
}

/// Returns the names of the drivers, and two that have no rules of their own.
fn drivers() -> impl Iterator<Item = &'static str> {
    samples::drivers().chain(["default", "unheard-of"])
}

fn check(tallies: impl IntoIterator<Item = (String, Tally)>) {
    let mut sum = Tally::default();
    for (what, tally) in tallies {
        eprintln!("{what}: {tally}");
        sum.add(tally);
    }
    eprintln!("all: {sum}");
    assert!(
        sum.differing.is_empty(),
        "headings differ from git's: {:#?}",
        &sum.differing[..sum.differing.len().min(40)]
    );
}

#[test]
fn each_driver_takes_the_lines_that_git_takes() {
    let count = number("REDLINE_SECTION_LINES", 2000) as usize;
    check(drivers().map(|driver| {
        let r = &mut Random::new(number("REDLINE_SEED", 0) * 1000 + driver.len() as u64);
        let (old, new) = one_by_one((0..count).map(|_| line(r, driver)));
        let dir = two_directories([("0".to_owned(), old, new)]);
        (driver.to_owned(), compare_trees(dir.path(), &Attributes::All(driver), CASES[0]))
    }));
}

#[test]
fn each_character_at_each_place_of_the_samples_counts_as_it_does_with_git() {
    check(samples::drivers().map(|driver| {
        let (old, new) = one_by_one(each_character_everywhere(driver));
        let dir = two_directories([("0".to_owned(), old, new)]);
        (driver.to_owned(), compare_trees(dir.path(), &Attributes::All(driver), CASES[0]))
    }));
}

#[test]
fn each_word_counts_with_each_driver_as_it_does_with_git() {
    let (old, new) = one_by_one(each_word());
    let dir = two_directories([("0".to_owned(), old, new)]);
    check(drivers().map(|driver| {
        (driver.to_owned(), compare_trees(dir.path(), &Attributes::All(driver), CASES[0]))
    }));
}

#[test]
fn each_driver_keeps_and_finds_headings_across_hunks_as_git_does() {
    let files = number("REDLINE_SECTION_LINES", 2000) as usize / 40;
    check(drivers().map(|driver| {
        let r = &mut Random::new(number("REDLINE_SEED", 0) * 1000 + 77 + driver.len() as u64);
        let dir = two_directories((0..files).map(|file| {
            let mut old = Vec::new();
            for _ in 0..1 + r.below(150) {
                old.extend_from_slice(&if r.one_in(4) {
                    line(r, driver)
                } else {
                    b" }".repeat(r.below(9))
                });
                old.push(b'\n');
            }
            if r.one_in(4) {
                old.pop();
            }
            let every = 3 + r.below(20);
            let new = edited(r, &old, every);
            (file.to_string(), old, new)
        }));
        let mut sum = Tally::default();
        for case in CASES {
            sum.add(compare_trees(dir.path(), &Attributes::All(driver), case));
        }
        (driver.to_owned(), sum)
    }));
}

#[test]
fn real_commits_have_gits_headings_under_every_driver() {
    let Some(bundles) = std::env::var_os("REDLINE_TEST_REPOS") else { return };
    let commits = number("REDLINE_SECTION_COMMITS", 20);
    let directory = tempfile::tempdir().unwrap();
    for name in ["ripgrep", "cargo"] {
        let clone = directory.path().join(name);
        let bundle = Path::new(&bundles).join(name).with_extension("bundle");
        let cloned = Command::new("git")
            .args(["clone", "-q", "--bare"])
            .args([&bundle, &clone])
            .status()
            .unwrap();
        assert!(cloned.success(), "{} cannot be cloned", bundle.display());
        check([CASES[0], CASES[1]].map(|case| {
            let tally = compare_commits(&clone, commits * 10, &Attributes::ByLanguage, case);
            (format!("{name} by language, -U{}", case.context), tally)
        }));
        check(drivers().map(|driver| {
            (
                format!("{name} {driver}"),
                compare_commits(&clone, commits, &Attributes::All(driver), CASES[1]),
            )
        }));
    }
}

#[test]
fn listed_files_have_gits_headings_under_their_languages_drivers() {
    let Some(list) = std::env::var_os("REDLINE_SECTION_FILES") else { return };
    let list = fs::read_to_string(list).unwrap();
    let r = &mut Random::new(number("REDLINE_SEED", 0));
    let pairs = list.lines().enumerate().filter_map(|(index, path)| {
        let old = fs::read(path).ok()?;
        let extension = Path::new(path).extension()?.to_str()?;
        let new = edited(r, &old, 8);
        Some((format!("{index}.{extension}"), old, new))
    });
    let dir = two_directories(pairs);
    check(CASES.map(|case| {
        (format!("{case:?}"), compare_trees(dir.path(), &Attributes::ByLanguage, case))
    }));
}

#[test]
fn the_samples_are_of_the_drivers_that_there_are() {
    for name in samples::drivers() {
        assert!(Sections::driver(name.as_bytes()).is_some(), "{name}");
    }
}
