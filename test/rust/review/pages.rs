//! Pages of a change: within the budget, fair, and nothing twice or never.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use redline_base::error::{Error, ErrorKind};
use redline_base::form::Form;
use redline_review::{Binding, File, Kind, Layout, Noise, Page, Patch, Rank, Review};

const TEXT: Layout = Layout::Text(Form::Text);
const JSON: Layout = Layout::Text(Form::Json);

/// A changed file as a test knows it.
#[derive(Debug, Clone)]
struct Sample {
    name: String,
    is_noise: bool,
    head: String,
    hunks: Vec<String>,
}

impl Sample {
    fn patch(&self) -> Patch {
        let mut bytes = self.head.clone().into_bytes();
        let mut spans = Vec::new();
        for hunk in &self.hunks {
            let start = bytes.len();
            bytes.extend(hunk.bytes());
            spans.push(start..bytes.len());
        }
        Patch::new(&bytes, &spans)
    }

    fn file(&self, layout: Layout) -> File {
        File {
            letter: 'M',
            name: self.name.clone(),
            lines: Some((1, 1)),
            notes: Vec::new(),
            rank: Rank::of(self.name.as_bytes()),
            noise: self.is_noise.then_some(Noise::LockFile),
            is_shown_by_list: false,
            extra: if layout == Layout::Data { EXTRA } else { 0 },
            piece_extra: Vec::new(),
            patch: self.patch().measures(layout.form()),
        }
    }
}

fn review(samples: &[Sample], layout: Layout) -> Review {
    Review::new(
        samples.iter().map(|sample| sample.file(layout)).collect(),
        layout,
        Binding::new(b"options", b"state"),
    )
}

const OVERHEAD: usize = 150;
const EXTRA: usize = 10;

fn page(
    samples: &[Sample],
    layout: Layout,
    max_bytes: usize,
    cursor: Option<&str>,
) -> Result<Page, Error> {
    review(samples, layout).page(max_bytes, OVERHEAD, cursor, |file| Ok(samples[file].patch()))
}

/// Returns every page, the next one with the next budget.
fn pages(samples: &[Sample], layout: Layout, budgets: &[usize]) -> Vec<(usize, Page)> {
    let mut all = Vec::new();
    let mut cursor: Option<String> = None;
    let review = review(samples, layout);
    loop {
        let max_bytes = budgets[all.len() % budgets.len()];
        let page = review
            .page(max_bytes, OVERHEAD, cursor.as_deref(), |file| Ok(samples[file].patch()))
            .unwrap();
        cursor = page.next_cursor.clone();
        all.push((max_bytes, page));
        assert!(all.len() < 10_000, "the pages have no end");
        if cursor.is_none() {
            return all;
        }
    }
}

fn json_bytes(text: &str) -> usize {
    serde_json::to_string(text).unwrap().len() - 2
}

/// Returns what an answer with the page measures.
fn answer_bytes(page: &Page, layout: Layout) -> usize {
    let listed = page.sections.iter().filter(|section| section.kind == Kind::File).count();
    OVERHEAD
        + match layout {
            Layout::Rows => page.sections.iter().map(|section| section.text.len()).sum(),
            Layout::Text(Form::Text) => page.text().len(),
            Layout::Text(Form::Json) => json_bytes(&page.text()),
            Layout::Data => listed * EXTRA + json_bytes(&page.patch()),
        }
}

/// Returns the text of a hunk's section without head and mark.
fn body<'a>(text: &'a str, sample: &Sample) -> &'a str {
    let text = text.strip_prefix(&sample.head[..]).unwrap_or(text);
    let Some(part) = text.strip_prefix("[part of @@ ") else { return text };
    let (mark, rest) = part.split_once("]\n").unwrap();
    let (from, to) = mark
        .split_once(": bytes ")
        .unwrap()
        .1
        .split_once(" of ")
        .unwrap()
        .0
        .split_once(" to ")
        .unwrap();
    let bytes = to.parse::<usize>().unwrap() - from.parse::<usize>().unwrap();
    assert!(rest.len() == bytes || &rest[bytes..] == "\n", "{text}");
    &rest[..bytes]
}

/// Checks all that holds for the pages of any change.
fn check(samples: &[Sample], layout: Layout, budgets: &[usize]) {
    let mut listed = vec![0; samples.len()];
    let mut texts: HashMap<usize, String> = HashMap::new();
    for (number, (max_bytes, page)) in pages(samples, layout, budgets).into_iter().enumerate() {
        let bytes = answer_bytes(&page, layout);
        assert!(bytes <= max_bytes, "{max_bytes}: {bytes}\n{}", page.text());
        assert_eq!(page.sections[0].kind, Kind::Summary);
        let of = |kind| page.sections.iter().filter(move |section| section.kind == kind);
        for section in of(Kind::File) {
            listed[section.file.unwrap()] += 1;
        }
        for section in of(Kind::Hunk) {
            let file = section.file.unwrap();
            texts.entry(file).or_default().push_str(body(&section.text, &samples[file]));
        }
        let is_whole = |file: usize| {
            texts.get(&file).map_or(0, String::len) == samples[file].hunks.concat().len()
        };
        for section in of(Kind::File) {
            let file = section.file.unwrap();
            let is_marked = section.text.trim_end_matches('\n').ends_with(" *");
            assert_eq!(is_marked, !is_whole(file), "{}", page.text());
        }
        for section in of(Kind::Hunk) {
            let file = section.file.unwrap();
            let people_wait =
                (0..samples.len()).any(|other| !samples[other].is_noise && !is_whole(other));
            assert!(
                !samples[file].is_noise || !people_wait,
                "noise comes before what people wrote"
            );
        }
        // Behind the first page no file waits while one behind it is begun, but for one piece.
        if number > 0 && of(Kind::Omitted).next().is_some() {
            let begun: Vec<usize> = of(Kind::Hunk).filter_map(|section| section.file).collect();
            let wait = begun.iter().filter(|&&file| !is_whole(file)).collect::<HashSet<_>>();
            assert!(wait.len() <= 2, "{}", page.text());
        }
        assert_eq!(
            page.next_cursor.is_some(),
            page.text().contains("[more: call again with cursor")
        );
    }
    assert!(listed.iter().all(|&times| times == 1), "{listed:?}");
    for (file, sample) in samples.iter().enumerate() {
        assert_eq!(
            texts.remove(&file).unwrap_or_default(),
            sample.hunks.concat(),
            "{}",
            sample.name
        );
    }
}

fn hunk() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => "[ +-][a-z\"\\\\é😀]{0,60}",
        1 => "[ +-][a-z]{200,900}",
    ];
    let lines = prop_oneof![8 => 1_usize..8, 1 => 100_usize..300];
    lines
        .prop_flat_map(move |count| prop::collection::vec(line.clone(), count))
        .prop_map(|lines| format!("@@ -1 +1 @@\n{}\n", lines.join("\n")))
}

fn sample() -> impl Strategy<Value = Sample> {
    let hunks = prop_oneof![1 => Just(0..1), 6 => Just(1..4), 1 => Just(10..40)];
    let hunks = hunks.prop_flat_map(|count| prop::collection::vec(hunk(), count));
    ("[a-zé/]{1,40}", prop::bool::weighted(0.2), hunks).prop_map(|(name, is_noise, hunks)| {
        let head = format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n");
        Sample { head: if hunks.is_empty() { String::new() } else { head }, name, is_noise, hunks }
    })
}

fn layout() -> impl Strategy<Value = Layout> {
    prop_oneof![Just(Layout::Rows), Just(TEXT), Just(JSON), Just(Layout::Data)]
}

/// The number of random lists of files: 16, or as many as `REDLINE_PAGES` says.
fn cases() -> u32 {
    std::env::var("REDLINE_PAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn no_page_is_too_large_and_every_hunk_comes_once(
        samples in prop::collection::vec(sample(), 0..60),
        layout in layout(),
        budgets in prop::collection::vec(2_500_usize..30_000, 1..4),
    ) {
        check(&samples, layout, &budgets);
    }
}

fn files(hunks: &[(&str, usize, usize)]) -> Vec<Sample> {
    let sample = |(name, count, lines): &(&str, usize, usize)| Sample {
        name: (*name).to_owned(),
        is_noise: name.ends_with(".lock"),
        head: format!("--- a/{name}\n+++ b/{name}\n"),
        hunks: (0..*count)
            .map(|hunk| format!("@@ -{hunk} +{hunk} @@\n{}", "+line\n".repeat(*lines)))
            .collect(),
    };
    hunks.iter().map(sample).collect()
}

#[test]
fn a_huge_file_does_not_hide_the_small_ones() {
    let samples =
        files(&[("a.huge", 500, 20), ("b", 3, 5), ("c", 1, 5), ("d.lock", 1, 1), ("e", 2, 50)]);
    let page = page(&samples, TEXT, 4_000, None).unwrap();
    let shown = |file: usize| {
        page.sections.iter().filter(|s| s.kind == Kind::Hunk && s.file == Some(file)).count()
    };
    assert_eq!([shown(1), shown(2), shown(4)], [3, 1, 2], "{}", page.text());
    assert!(shown(0) > 5 && shown(3) == 0, "{}", page.text());
    assert!(page.text().len() > 3_500, "room is left: {}", page.text().len());
}

#[test]
fn a_hunk_that_fits_on_a_page_is_not_cut() {
    let samples = files(&[("a", 1, 400), ("b", 1, 400)]);
    for (_, page) in pages(&samples, TEXT, &[4_000]) {
        assert!(!page.text().contains("[part"), "{}", page.text());
    }
}

#[test]
fn a_huge_hunk_fills_the_first_page() {
    let samples = files(&[("a", 1, 4_000)]);
    let page = page(&samples, TEXT, 4_000, None).unwrap();
    assert!(
        page.text().len() > 3_500 && page.text().contains("[part of @@ -0 +0 @@: bytes 0 to "),
        "{}",
        page.text()
    );
}

#[test]
fn a_line_longer_than_a_page_is_cut_between_characters() {
    let mut samples = files(&[("a", 1, 1)]);
    samples[0].hunks[0].push_str(&format!("+{}", "é😀".repeat(5_000)));
    for layout in [TEXT, JSON, Layout::Rows, Layout::Data] {
        check(&samples, layout, &[2_001, 2_500]);
    }
}

#[test]
fn a_list_longer_than_a_page_hides_no_file() {
    let samples: Vec<Sample> = (0..1_000)
        .flat_map(|n| files(&[(&format!("some/directory/file-{n}")[..], 1, n % 7)]))
        .collect();
    check(&samples, TEXT, &[5_000]);
    check(&samples, JSON, &[10_000]);
}

#[test]
fn a_path_that_has_no_room_is_an_error_that_tells_how_much_is_enough() {
    let samples = files(&[("a", 1, 1), (&"b".repeat(5_000)[..], 1, 1)]);
    let first = page(&samples, TEXT, 2_000, None).unwrap();
    let error = page(&samples, TEXT, 2_000, first.next_cursor.as_deref()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    let enough =
        error.to_string().split("at least ").nth(1).unwrap().trim_end_matches('.').parse().unwrap();
    assert!(page(&samples, TEXT, enough, first.next_cursor.as_deref()).is_ok(), "{error}");
}

#[test]
fn a_begun_hunk_goes_on_in_the_room_that_the_error_tells() {
    let name = "n".repeat(900);
    let samples = files(&[(&name[..], 1, 4_000), (&name[1..], 1, 4_000), (&name[2..], 1, 4_000)]);
    let first = page(&samples, JSON, 10_000, None).unwrap();
    let next = |max_bytes| page(&samples, JSON, max_bytes, first.next_cursor.as_deref());
    let error = next(2_000).unwrap_err();
    let enough =
        error.to_string().split("at least ").nth(1).unwrap().trim_end_matches('.').parse().unwrap();
    assert!(next(enough).is_ok_and(|page| page.text().contains("[part of")), "{error}");
}

#[test]
fn a_patch_that_is_not_the_measured_one_is_stale() {
    let samples = files(&[("a", 2, 1)]);
    let changed = files(&[("a", 2, 2)]);
    let error =
        review(&samples, TEXT).page(2_000, 0, None, |_| Ok(changed[0].patch())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stale);
}

#[test]
fn a_type_change_keeps_its_second_head() {
    let text = b"HEAD1\n@@ one\n-x\nHEAD2\n@@ two\n+y\n";
    let patch = || Patch::new(text, &[6..16, 22..32]);
    let file = File { patch: patch().measures(Form::Text), ..files(&[("a", 0, 0)])[0].file(TEXT) };
    let review = Review::new(vec![file], TEXT, Binding::new(b"", b""));
    let page = review.page(2_000, 0, None, |_| Ok(patch())).unwrap();
    assert_eq!(page.patch().as_bytes(), text);
}

#[test]
fn the_first_page_has_hunks_however_many_files_there_are() {
    let names: Vec<String> = (0..4_000).map(|n| format!("dir-{}/file-{n}", n / 900)).collect();
    let samples: Vec<Sample> = names.iter().flat_map(|name| files(&[(name, 1, 9)])).collect();
    let page = page(&samples, JSON, 25_000, None).unwrap();
    let hunks: usize = page.patch().len();
    assert!(hunks > 12_500, "{hunks} bytes of hunks");
    for directory in ["dir-0/ 900 files +900 -900\n", "dir-4/ 400 files +400 -400\n"] {
        assert!(page.text().contains(directory), "{}", page.text());
    }
    assert!(page.text().contains("paths = dir-0 shows that part"), "{}", page.text());
}

#[test]
fn a_list_says_once_what_its_files_share() {
    let samples = files(&[
        ("a/b/c", 0, 0),
        ("a/b/d", 0, 0),
        ("a/e", 0, 0),
        ("x.lock", 0, 0),
        ("y.lock", 0, 0),
    ]);
    let list = "a/b/\n M c +1 -1\n M d +1 -1\nM a/e +1 -1\nLock files and generated files, shown last: \
                x.lock +1 -1, y.lock +1 -1\n";
    let text = page(&samples, TEXT, 2_000, None).unwrap().text();
    assert!(text.contains(list), "{text}");
}

#[test]
fn later_pages_go_file_by_file() {
    let samples = files(&[("a", 30, 20), ("b", 30, 20), ("c", 30, 20)]);
    let heads: usize = pages(&samples, TEXT, &[6_000])
        .iter()
        .map(|(_, page)| page.patch().matches("--- a/").count())
        .sum();
    assert!(heads <= 3 + 3 + 2, "{heads} heads");
}

#[test]
fn what_matters_most_is_shown_first() {
    let samples = files(&[
        ("README.md", 1, 300),
        ("deps/x.c", 3, 1_200),
        ("src/large.c", 3, 290),
        ("src/small.c", 1, 2),
        ("tests/a.tcl", 1, 300),
        ("y.lock", 1, 300),
    ]);
    let mut shown = Vec::new();
    for (_, page) in pages(&samples, TEXT, &[4_000]) {
        let hunks = page.sections.iter().filter(|section| section.kind == Kind::Hunk);
        shown.extend(hunks.filter_map(|section| section.file));
    }
    shown.dedup();
    let first = |file: usize| shown.iter().position(|&one| one == file).unwrap();
    let order = [2, 4, 0, 1, 5].map(first);
    assert!(order.is_sorted() && first(3) < first(4), "{shown:?}");
}

#[test]
fn a_rename_alone_is_one_line() {
    let names: Vec<String> = (0..300).map(|n| format!("old/{n}.txt => new/{n}.txt")).collect();
    let head = "diff --git a/x b/x\nsimilarity index 100%\nrename from x\nrename to x\n";
    let patch = || Patch::new(head.as_bytes(), &[]);
    let file = |name: &String| File {
        letter: 'R',
        name: name.clone(),
        notes: vec!["100% similar".to_owned()],
        is_shown_by_list: true,
        patch: patch().measures(Form::Text),
        ..files(&[("a", 0, 0)])[0].file(TEXT)
    };
    let review = Review::new(names.iter().map(file).collect(), TEXT, Binding::new(b"", b""));
    let page = review.page(64_000, 0, None, |_| panic!("no patch is asked for")).unwrap();
    assert!(page.next_cursor.is_none() && !page.text().contains("rename from"));
    assert_eq!(page.text().lines().count(), 1 + names.len(), "{}", page.text());
}

#[test]
fn the_end_says_that_generated_files_alone_are_left() {
    let samples = files(&[("a", 1, 5), ("uv.lock", 300, 20)]);
    let text = page(&samples, TEXT, 4_000, None).unwrap().text();
    assert!(text.contains("Only a generated file is left, uv.lock: stop here"), "{text}");
    let samples = files(&[("uv.lock", 300, 20)]);
    let text = page(&samples, TEXT, 4_000, None).unwrap().text();
    assert!(!text.contains("stop here"), "{text}");
}
