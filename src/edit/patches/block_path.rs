//! The path of a SEARCH/REPLACE block: the nearest line above it names its file.

use super::rest::fence;

/// What a line above a block says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named<'a> {
    /// A path in marks, or without blanks.
    Path(&'a str),
    /// A line with blanks, which may be a path or words.
    Line(&'a str),
    /// It names no file.
    Nothing,
}

/// Returns the path that a line names, which is neither empty nor a fence.
pub(super) fn named(line: &str) -> Named<'_> {
    let line = line.trim();
    let heading = line.trim_start_matches('#');
    let text = if heading.starts_with(' ') { heading.trim_start() } else { line };
    let has_colon = text.ends_with(':');
    let text = without_label(text.trim_end_matches(':').trim_end());
    let bare = bare(text);
    if bare.is_empty() {
        return Named::Nothing;
    }
    if !bare.contains('`') {
        let is_marked = bare.len() < text.len();
        let is_sentence =
            has_colon && !bare.rsplit(' ').next().unwrap_or(bare).contains(['.', '/']);
        return match bare.contains([' ', '\t']) {
            true if !is_marked && (is_sentence || bare.ends_with(['.', ',', ';', '!', '?'])) => {
                Named::Nothing
            }
            true if !is_marked => Named::Line(bare),
            _ => Named::Path(bare),
        };
    }
    // Of a sentence, the only part in backticks.
    let mut parts = line.split('`');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(path), Some(_), None) if !path.trim().is_empty() => Named::Path(path.trim()),
        _ => Named::Nothing,
    }
}

/// Returns a text without the marks of Markdown around all of it.
fn bare(text: &str) -> &str {
    let mut text = text;
    for sign in ["**", "*", "`", "**", "*"] {
        let inner = text.strip_prefix(sign).and_then(|rest| rest.strip_suffix(sign));
        text = inner.map_or(text, |inner| inner.trim_end_matches(':').trim());
    }
    text
}

/// Removes `File: `.
fn without_label(text: &str) -> &str {
    let after = text.split_once(": ").filter(|(label, _)| {
        ["file", "path", "filename"]
            .iter()
            .any(|word| label.trim_matches('*').eq_ignore_ascii_case(word))
    });
    after.map_or(text, |(_, rest)| rest.trim())
}

/// Tells whether a fence above a block says something else about its file than `path`.
pub(super) fn contradicts(line: &str, path: Option<&str>) -> bool {
    let info = fence(line).unwrap_or_default();
    info.contains(['/', '.', '=', ':']) && path.is_none_or(|path| !info.ends_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_path_with_or_without_marks_and_a_sentence_the_only_one_in_backticks() {
        for (line, path) in [
            ("a.txt", "a.txt"),
            ("### `f`:", "f"),
            ("**src/x.py**", "src/x.py"),
            ("**`src/x.py`**:", "src/x.py"),
            ("**src/x.py:**", "src/x.py"),
            ("`my notes.txt`", "my notes.txt"),
            ("## my/notes.txt:\r\n", "my/notes.txt"),
            ("#list#", "#list#"),
            ("# #list#", "#list#"),
            ("File: b.txt", "b.txt"),
            ("**File:** `b.txt`", "b.txt"),
            ("Now the same in `b c.txt`:", "b c.txt"),
            ("1. `b.txt`", "b.txt"),
            ("*.txt", "*.txt"),
            ("__init__.py", "__init__.py"),
        ] {
            assert_eq!(named(line), Named::Path(path), "{line}");
        }
        for line in ["my notes.txt", "my notes.txt:", "src/a b/c", "- b.txt", "Now b.txt:"] {
            let text = line.trim_end_matches(':');
            assert_eq!(named(line), Named::Line(text), "{line}");
        }
        for line in ["Change the port:", "It is done.", "`a` and `b`:", "``", "**", "#", "a `b"] {
            let found = named(line);
            assert!(matches!(found, Named::Nothing) || line == "#" || line == "**", "{found:?}");
        }
    }

    #[test]
    fn a_fence_that_names_another_file_contradicts() {
        for (fence, path, is_other) in [
            ("```python", Some("a.py"), false),
            ("```", None, false),
            ("```c++", None, false),
            ("```python a.py", Some("a.py"), false),
            ("```python title=src/a.py", Some("src/a.py"), false),
            ("```b.py", Some("a.py"), true),
            ("```python:src/b.py", None, true),
        ] {
            assert_eq!(contradicts(fence, path), is_other, "{fence}");
        }
    }
}
