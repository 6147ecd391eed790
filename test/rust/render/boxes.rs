//! The boxes of `test/fixtures/approvals/*.json` as they stand in the text files beside them, and
//! what holds of every box.
//!
//! A colour sequence stands in the files as its parameters in `«»`. `REDLINE_BLESS=1` writes the
//! files anew: read the difference before it is committed.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use redline_edit::payload::Received;
use redline_render::visible::Pieces;
use redline_render::{Extent, Layout, Paging, paging, shown};
use unicode_width::UnicodeWidthChar;

/// Each golden file's sections: a name, and how the box is laid out.
const SECTIONS: &[(&str, Layout)] = &[
    ("40 columns", Layout { width: 40, extent: Extent::Preview, color: false, is_framed: true }),
    ("80 columns", Layout { width: 80, extent: Extent::Preview, color: false, is_framed: true }),
    ("120 columns", Layout { width: 120, extent: Extent::Preview, color: false, is_framed: true }),
    (
        "80 columns, colours",
        Layout { width: 80, extent: Extent::Preview, color: true, is_framed: true },
    ),
    (
        "80 columns, 12 lines",
        Layout { width: 80, extent: Extent::Lines(12), color: false, is_framed: true },
    ),
    (
        "60 columns, whole",
        Layout { width: 60, extent: Extent::Whole, color: false, is_framed: true },
    ),
];

fn cases() -> Vec<(PathBuf, Received)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/fixtures/approvals");
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: &PathBuf| {
        Received::parse(&fs::read_to_string(file).expect("a file")).expect("a payload")
    };
    files.iter().map(|file| (file.clone(), read(file))).collect()
}

/// Returns the text without its colour sequences; fails on any other control character than a line
/// feed.
fn uncoloured(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        let (parameters, after) = sequence.split_once('m').expect("an end of the sequence");
        assert!(parameters.chars().all(|c| c.is_ascii_digit() || c == ';'), "{parameters:?}");
        rest = after;
    }
    plain.push_str(rest);
    assert!(!plain.contains(|c: char| c.is_control() && c != '\n'), "{plain:?}");
    plain
}

/// Characters that hide, that are blank or that turn the direction of a line.
const UNSEEN: &[char] = &[
    '\u{a0}',
    '\u{ad}',
    '\u{61c}',
    '\u{2003}',
    '\u{200b}',
    '\u{200d}',
    '\u{200e}',
    '\u{2028}',
    '\u{202e}',
    '\u{2066}',
    '\u{2069}',
    '\u{3164}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{e0041}',
];

/// Fails when a box is wider than its layout says, or holds what must not reach a terminal.
fn check(shown: &str, layout: &Layout) -> Result<(), TestCaseError> {
    prop_assert!(layout.color || !shown.contains('\x1b'));
    for line in uncoloured(shown).split('\n') {
        let columns: usize = line.chars().map(|c| c.width().expect("it prints")).sum();
        prop_assert!(columns <= layout.width, "{columns} columns of {}: {line:?}", layout.width);
        prop_assert!(
            line.starts_with('│') <= (columns == layout.width && line.ends_with('│')),
            "{line:?}"
        );
        prop_assert!(!line.contains(UNSEEN), "{line:?}");
    }
    for line in shown.split('\n') {
        prop_assert!(
            line.matches("\x1b[0m").count() * 2 == line.matches("\x1b[").count(),
            "{line:?}"
        );
    }
    Ok(())
}

fn display(payload: &Received, layout: &Layout) -> String {
    shown(payload, layout).text
}

// Promise (display): A path is never cut.
#[test]
fn every_box_is_the_one_in_its_file() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 15);
    for (file, payload) in cases {
        let mut text = String::new();
        for (name, layout) in SECTIONS {
            let shown = display(&payload, layout);
            check(&shown, layout)
                .unwrap_or_else(|error| panic!("{}, {name}: {error}", file.display()));
            let shown = shown.replace("\x1b[0m", "«»").replace("\x1b[", "«");
            // The `m` that ends a sequence.
            let readable: Vec<String> = shown
                .split('«')
                .map(|part| match part.split_once('m') {
                    Some((number, rest))
                        if !number.is_empty()
                            && number.chars().all(|c| c.is_ascii_digit() || c == ';') =>
                    {
                        format!("{number}»{rest}")
                    }
                    _ => part.to_owned(),
                })
                .collect();
            text.push_str(&format!("==== {name}\n{}\n", readable.join("«")));
        }
        let golden = file.with_extension("txt");
        if std::env::var_os("REDLINE_BLESS").is_some() {
            fs::write(&golden, &text).expect("the file is written");
        }
        if fs::read_to_string(&golden).ok().as_ref() != Some(&text) {
            wrong.push(format!("{}:\n{text}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_payload_is_paged_as_the_specification_says() {
    let payload = |kind: &str, lines: u64| {
        let more = match kind {
            "edit" => format!(
                r#""old_string":"","new_string":"","replace_all":false,"unified_diff":"","diff_lines":{lines},"match_line":1,
                   "match_count":1,"context_before":"","context_after":"","file_lines":1,"file_bytes":1"#
            ),
            _ => format!(
                r#""content":"","content_lines":{lines},"content_bytes":1,"preview":"","preview_truncated":false,"file_exists":false,
                   "existing_lines":null,"existing_bytes":null"#
            ),
        };
        let json =
            format!(r#"{{"type":"{kind}","description":"d","path":"p","sandbox":"s",{more}}}"#);
        Received::parse(&json).expect("a payload")
    };
    use Paging::{Inline, Pager, Preview};
    for (kind, lines, height, expected) in [
        ("write", 0, None, Inline),
        ("write", 29, None, Inline),
        ("write", 30, None, Preview),
        ("write", 100, None, Preview),
        ("write", 101, None, Pager),
        ("write", 90, Some(24), Preview),
        ("edit", 29, None, Inline),
        ("edit", 30, None, Preview),
        ("edit", 100, None, Preview),
        ("edit", 101, None, Pager),
        ("edit", 24, Some(24), Inline),
        ("edit", 25, Some(24), Pager),
        ("edit", 60, Some(60), Preview),
        ("edit", 101, Some(500), Pager),
    ] {
        assert_eq!(
            paging(&payload(kind, lines), height),
            expected,
            "{kind} of {lines} lines, height {height:?}"
        );
    }
    for (file, payload) in cases() {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let expected = match name.as_str() {
            "write_of_a_new_file" | "write_large" | "edit_large" => Pager,
            _ => Inline,
        };
        assert_eq!(paging(&payload, Some(40)), expected, "{name}");
    }
}

fn write(path: &str, content: &str, old: Option<u64>) -> Received {
    let json = serde_json::json!({
        "type": "write", "description": "d", "path": path, "sandbox": "s", "content": content, "content_lines": 1, "content_bytes": 1,
        "preview": "", "preview_truncated": false, "file_exists": old.is_some(), "existing_lines": old, "existing_bytes": 7,
    });
    Received::parse(&json.to_string()).expect("a payload")
}

fn edit(path: &str, diff: &str) -> Received {
    let json = serde_json::json!({
        "type": "edit", "description": "d", "path": path, "sandbox": "s", "old_string": "", "new_string": "", "replace_all": true,
        "unified_diff": diff, "diff_lines": 1, "match_line": 3, "match_count": 2, "context_before": "", "context_after": "",
        "file_lines": 1, "file_bytes": 1,
    });
    Received::parse(&json.to_string()).expect("a payload")
}

/// Texts of many kinds of characters, some lines of which look like those of a diff.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => "[-+ @\\\\]?[a-c ]{0,40}",
        2 => "[-+ ]?([\t\r ⇥␣日本🇩🇪👍e\u{301}\u{200d}\u{202e}\u{2066}\u{2028}\u{feff}\u{a0}\x1b\u{9b}<U+]|word ){0,40}",
        1 => "[-+ ]?.{0,60}",
        1 => Just("--- a/x".to_owned()),
        1 => Just("@@ -1 +1 @@".to_owned()),
    ];
    (prop::collection::vec(line, 0..80), any::<bool>()).prop_map(|(lines, is_ended)| {
        let mut text = lines.join("\n");
        if is_ended {
            text.push('\n');
        }
        text
    })
}

fn layout() -> impl Strategy<Value = Layout> {
    let extent = prop_oneof![
        Just(Extent::Preview),
        (0usize..60).prop_map(Extent::Lines),
        Just(Extent::Whole)
    ];
    (20usize..140, extent, any::<bool>()).prop_map(|(width, extent, color)| Layout {
        width,
        extent,
        color,
        is_framed: true,
    })
}

#[test]
fn the_answers_are_not_broken_over_two_rows() {
    for before in 0..60 {
        let description = format!("{} abc\t", "a".repeat(before));
        let json = serde_json::json!({"description": description});
        let payload = Received::parse(&json.to_string()).expect("a payload");
        for width in 20..60 {
            let layout = Layout { width, extent: Extent::Preview, color: false, is_framed: true };
            let shown = display(&payload, &layout);
            check(&shown, &layout).unwrap_or_else(|error| panic!("{error}"));
            assert!(shown.ends_with("[y/n]"), "{shown}");
        }
    }
}

proptest! {
    // Promise (display): No control, direction or zero-width character of a payload reaches the
    // terminal; the only escape sequences are colours, and only on request.
    // Promise (display): No line is wider than the terminal, in any script; a cut line is marked
    // in a column that text never uses, and omitted lines are counted. With
    // `every_box_is_the_one_in_its_file`.
    #[test]
    fn no_line_is_too_wide_or_moves_the_cursor(
        path in "\\PC{0,60}|.{0,60}|[a-z/]{1,30}", text in text(), old in any::<Option<u64>>(), layout in layout(),
    ) {
        for payload in [
            write(&path, &text, old),
            edit(&path, &text),
            Received::parse(&serde_json::json!({"description": text}).to_string()).expect("a payload"),
        ] {
            let shown = display(&payload, &layout);
            check(&shown, &layout)?;
            // Colours add nothing but colours.
            let plain = display(&payload, &Layout { color: false, ..layout });
            prop_assert_eq!(&uncoloured(&shown), &plain);
            let asks = layout.extent != Extent::Whole || matches!(payload, Received::Other { .. });
            prop_assert_eq!(asks, plain.ends_with("n]") || plain.ends_with(")]"), "{}", plain);
        }
    }

    #[test]
    fn no_display_is_higher_than_the_terminal(text in text(), height in 12usize..60, width in 80usize..140) {
        let layout = Layout { width, extent: Extent::Lines(height), color: false, is_framed: true };
        for payload in [write("s/a", &text, Some(3)), edit("s/a", &text)] {
            prop_assert!(display(&payload, &layout).split('\n').count() <= height);
        }
    }

    // Promise (display): The view of everything omits nothing.
    #[test]
    fn the_whole_view_loses_no_character(text in text(), width in 20usize..100) {
        let shown = display(&write("s/a", &text, None), &Layout { width, extent: Extent::Whole, color: false, is_framed: true });
        let mut lines: Vec<String> = Vec::new();
        for row in shown.split('\n').filter_map(|row| row.strip_prefix("│ ")?.strip_suffix('│')) {
            let row = row.strip_suffix([' ', '…']).expect("the column before the border").trim_end_matches(' ');
            match (row.strip_prefix('…'), lines.last_mut()) {
                (Some(more), Some(line)) => line.push_str(more),
                _ => lines.push(row.strip_prefix(' ').unwrap_or(row).to_owned()),
            }
        }
        let expected: String = text.split_terminator('\n').flat_map(|line| Pieces::of(line).map(|piece| piece.text.trim_end().to_owned()).chain([String::new()])).collect();
        let squeezed = |text: &str| text.replace(' ', "");
        let found: String = lines.concat();
        prop_assert!(squeezed(&found).contains(&squeezed(&expected)), "{found:?} {expected:?}");
    }
}
