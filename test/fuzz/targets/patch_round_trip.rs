//! Two texts and options: the diff, read as a patch and applied to the old text, is the new text, and undone the
//! old one.
#![no_main]

mod texts;

use libfuzzer_sys::fuzz_target;
use redline_text::patch::{apply, parse, reverse};
use redline_text::section::{Finder, Sections};
use redline_text::unified::{write_hunk, write_labels};
use redline_text::{CancelToken, Diff, DiffOptions, Engine, LineKind};
use texts::{ALGORITHMS, Input};

const DRIVERS: [&str; 8] = ["cpp", "css", "html", "markdown", "perl", "python", "rust", "tex"];

fuzz_target!(|data: &[u8]| {
    let Some(input) = Input::new(data) else { return };
    let algorithm = ALGORITHMS[if input.is_short() { usize::from(input.option(1)) % 4 } else { 0 }];
    let options = DiffOptions {
        // Every sixteenth context is the whole text.
        context: (input.option(2) % 16 != 15).then_some(u32::from(input.option(2) % 16)),
        inter_hunk_context: u32::from(input.option(3) % 8),
        algorithm,
        ..DiffOptions::default()
    };
    let (old, new) = (&input.old[..], &input.new[..]);
    let diff = Diff::new(&mut Engine::default(), old, new, &options, &CancelToken::never())
        .expect("short texts");
    if diff.hunks().is_empty() {
        assert_eq!(old, new, "a change is not shown");
        return;
    }

    let default_rule = Sections::default_rule();
    let driver = DRIVERS
        .get(usize::from(input.option(4)))
        .and_then(|name| Sections::driver(name.as_bytes()));
    let cancel = CancelToken::never();
    let mut headings = Finder::new(driver.unwrap_or(&default_rule), diff.old_lines(), &cancel);
    let mut pace = cancel.pace();
    let name = input.name();
    let mut patch = Vec::new();
    write_labels(
        &mut patch,
        &[b"a/", &name[..]].concat(),
        &[b"b/", &name[..]].concat(),
        input.option(5) % 2 == 0,
    );
    let mut sections = Vec::new();
    for hunk in diff.hunks() {
        let heading = headings.heading(hunk).expect("nobody stops it");
        write_hunk(&mut patch, &diff, hunk, heading, &mut pace).expect("nobody stops it");
        sections.push(heading.unwrap_or_default());
    }

    let files = parse(&patch).expect("a patch");
    let [file] = &files[..] else { panic!("{} files", files.len()) };
    assert_eq!(
        (file.old_path.as_deref(), file.new_path.as_deref()),
        (Some(&name[..]), Some(&name[..]))
    );
    assert!(
        file.hunks.iter().map(|hunk| hunk.section).eq(sections),
        "a heading was read otherwise"
    );
    let lines = || file.hunks.iter().flat_map(|hunk| &hunk.lines);
    let count = |kind| lines().filter(|line| line.kind == kind).count() as u64;
    assert_eq!(
        (count(LineKind::Added), count(LineKind::Removed)),
        (diff.additions(), diff.deletions())
    );
    assert_eq!(apply(old, file).as_deref(), Ok(new));

    let undo = reverse(&patch).expect("it can be undone");
    let back = parse(&undo).expect("a patch");
    assert_eq!(back.len(), 1);
    assert_eq!(apply(new, &back[0]).as_deref(), Ok(old));
    assert_eq!(reverse(&undo).expect("twice"), patch);
});
