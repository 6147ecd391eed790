//! What a payload shows, as a list: rows of pieces that a terminal, a form or a page only draws.

use super::approval::{card, unknown};
use super::card::Extent;
use super::diff;
use super::line::{Line, ShownPiece, Tone};
use redline_base::budget::{Gather, Grow, text_of};
use redline_base::limits;
use redline_edit::payload::{NotUtf8, Received};

/// A row of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRow {
    /// `title`, `header`, `hunk`, `context`, `removed`, `added`, `remark`, `warning`, `question`, or
    /// `cut` where the rest has more pieces than were wanted.
    pub kind: &'static str,
    /// The number of the line in the old file and in the new one.
    pub numbers: [Option<u64>; 2],
    /// The text.
    pub pieces: Vec<ShownPiece<'static>>,
}

/// Returns what a payload shows: title, body, warnings and question, with at most `most` pieces in
/// the body. Of an unknown type it is the description and the question.
pub fn rows(payload: &Received, most: usize) -> Vec<ShownRow> {
    let own = |kind, line: &Line<'_>| ShownRow {
        kind,
        numbers: [None; 2],
        pieces: pieces_of(line, usize::MAX).unwrap_or_default(),
    };
    let payload = match payload {
        Received::Known(payload) => payload,
        Received::Other { description } => {
            let asked = unknown(description);
            let named = [("title", description), ("question", &asked)];
            return named.map(|(kind, text)| own(kind, &Line::name(Tone::Title, text))).into();
        }
    };
    let mut card = card(payload, Extent::Whole);
    card.emphasise();
    let (title, at) = card.title_line();
    let mut rows = vec![own("title", &card.named(&title, at))];
    let mut left = most;
    for line in &card.body {
        let Some(pieces) = pieces_of(line, left) else {
            let said = "The rest is not shown here.";
            rows.add(own("cut", &Line::new(Tone::Note, said)));
            break;
        };
        // An empty line is drawn, too.
        left = left.saturating_sub(pieces.len().max(1));
        rows.add(row(line, pieces));
    }
    let warnings = card.warnings.iter().map(|text| own("warning", &Line::new(Tone::Warning, text)));
    rows.add_all(warnings);
    rows.add(own("question", &Line::new(Tone::Plain, card.question)));
    rows
}

/// Returns what git's patch of files shows: each of its lines, in order. Tabs stay tabs, as in
/// git's own output; what is not UTF-8 is shown by its bytes.
pub fn patch_rows(patch: &[u8]) -> Vec<ShownRow> {
    let (text, not_utf8) = (text_of(patch), NotUtf8::of(patch));
    let lines = diff::lines_of_patch(&text, &not_utf8);
    diff::emphasised(lines, &mut { limits::EMPHASIS_PATCH_BYTES })
        .map(|line| row(&line, pieces_of(&line, usize::MAX).unwrap_or_default()))
        .gather()
}

/// Returns the pieces of a name or a description of one line.
pub fn name_pieces(text: &str) -> Vec<ShownPiece<'static>> {
    pieces_of(&Line::name(Tone::Title, text), usize::MAX).unwrap_or_default()
}

fn row(line: &Line<'_>, pieces: Vec<ShownPiece<'static>>) -> ShownRow {
    ShownRow { kind: kind_of(line), numbers: line.numbers, pieces }
}

const fn kind_of(line: &Line<'_>) -> &'static str {
    match (line.tone, line.numbers) {
        (Tone::Added, _) | (Tone::Plain, [None, Some(_)]) => "added",
        (Tone::Removed, _) => "removed",
        (Tone::Plain, _) => "context",
        (Tone::Hunk, _) => "hunk",
        (Tone::Header, _) => "header",
        (Tone::Note, _) => "remark",
        (Tone::Warning, _) => "warning",
        (Tone::Title, _) => "title",
    }
}

/// Returns the pieces of a line; `None` if there are more than `most`, or no room for any.
fn pieces_of(line: &Line<'_>, most: usize) -> Option<Vec<ShownPiece<'static>>> {
    let mut found = Vec::new();
    for piece in line.shown() {
        if found.len() == most {
            return None;
        }
        found.add(piece.owned());
    }
    (most > 0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visible::Kind;

    fn shown(json: &serde_json::Value, most: usize) -> Vec<String> {
        let payload = Received::parse(&json.to_string()).unwrap();
        let row = |row: &ShownRow| {
            let mark = |piece: &ShownPiece<'_>| match (piece.kind, piece.is_changed) {
                (Kind::Plain, false) => piece.text.to_string(),
                (kind, is_changed) => {
                    let changed = if is_changed { "!" } else { "" };
                    format!("{{{}{changed} {}}}", kind.name(), piece.text)
                }
            };
            let text: String = row.pieces.iter().map(mark).collect();
            let [old, new] =
                row.numbers.map(|number| number.map_or("-".to_owned(), |n| n.to_string()));
            format!("{} {old} {new} {text}", row.kind)
        };
        rows(&payload, most).iter().map(row).collect()
    }

    fn edit() -> serde_json::Value {
        serde_json::json!({
            "type": "edit", "description": "Edit", "path": "w/a  b.sh", "sandbox": "w", "old_string": "", "new_string": "",
            "replace_all": false, "diff_lines": 6, "match_line": 1, "match_count": 1, "context_before": "", "context_after": "",
            "file_lines": 1, "file_bytes": 1, "run_by_tools": true, "mode": "100755",
            "unified_diff": "--- a/x\n+++ b/x\n@@ -7,2 +7,2 @@\n same\n-caf\u{fffd} one\u{1}\u{2} \n+caf\u{e9} two <E9>\n",
            "not_utf8": [{"at": 42, "hex": "E9"}],
        })
    }

    #[test]
    fn a_row_has_its_kind_its_numbers_and_its_pieces() {
        assert_eq!(
            shown(&edit(), 100),
            [
                "title - - Edit: w/a{mark ␣␣}b.sh (line 1, executable)",
                "hunk - - @@ -7,2 +7,2 @@",
                "context 7 7 same",
                "removed 8 - caf{number <E9>} one{number <U+0001><U+0002>}{mark ␣}",
                "added - 8 café two {mark <U+003C>}E9>",
                "warning - - ⚠ 3 hidden characters are shown by number",
                "warning - - ⚠ The file is executable: what is written may be run as a program",
                "warning - - ⚠ tools run this file",
                "question - - Apply this edit?",
            ]
        );
    }

    #[test]
    fn what_has_more_pieces_than_are_wanted_is_cut_before_the_row() {
        let cut = shown(&edit(), 2);
        assert_eq!(
            cut[1..4],
            ["hunk - - @@ -7,2 +7,2 @@", "context 7 7 same", "cut - - The rest is not shown here."]
        );
        assert!(cut.last().unwrap().starts_with("question"));
    }
}
