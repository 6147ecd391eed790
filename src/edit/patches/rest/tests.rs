use super::super::{Decision, FileChange, FitOptions, decide, fit, read};
use crate::FileName;
use proptest::prelude::*;
use proptest::test_runner::Config;
use redline_base::growth::assert_linear;
use redline_text::CancelToken;

fn changes(patch: &str) -> Result<Vec<FileChange>, String> {
    read(patch, &CancelToken::never()).map_err(|error| error.to_string())
}

const BLOCK: &str = "b.txt\n<<<<<<< SEARCH\n2\n=======\ntwo\n>>>>>>> REPLACE\n";
const UNIFIED: &str = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-2\n+two\n";
const ENVELOPE: &str = "*** Begin Patch\n*** Update File: b.txt\n@@\n-2\n+two\n*** End Patch\n";
const JSON: &str = "[{\"path\": \"b.txt\", \"old_string\": \"2\", \"new_string\": \"two\"}]\n";

#[test]
fn a_patch_of_two_forms_is_refused_by_the_line_where_the_second_begins() {
    for (one, lines) in [(BLOCK, 6), (UNIFIED, 5), (ENVELOPE, 6)] {
        let one = one.replace("b.txt", "a.txt");
        for other in [BLOCK, UNIFIED, ENVELOPE, JSON] {
            let found = changes(&format!("{one}\nThen:\n\n{other}"));
            let mark = |text: &str| text.lines().next().map(|line| line[..5].to_owned());
            if mark(&one) == mark(&other.replace("b.txt", "a.txt")) {
                assert_eq!(found.map(|changes| changes.len()), Ok(2), "{one}{other}");
                continue;
            }
            let error = found.unwrap_err();
            // The mark of a block is below its path.
            let line = lines + if other == BLOCK { 5 } else { 4 };
            assert!(
                error.contains(&format!("line {line} of the patch: ")),
                "{error}\n{one}{other}"
            );
        }
    }
}

#[test]
fn a_line_that_looks_like_a_part_and_belongs_to_none_is_refused_by_its_number() {
    for (line, patch) in [
        (1, format!("*** Update File: a\n{ENVELOPE}")),
        (1, format!("*** Delete File: a\n{UNIFIED}")),
        (1, format!("*** Delete File: a\n{BLOCK}")),
        (7, format!("{ENVELOPE}*** End Patch\n")),
        (7, format!("{ENVELOPE}*** Add File: x\n+x\n")),
        (3, format!("*** Begin Patch\n*** Delete File: a\n{ENVELOPE}")),
        (7, format!("{ENVELOPE}  diff --git a/x b/x\n")),
        (7, format!("{UNIFIED}```\n--- a/x\n+++ b/x\n")),
        (7, format!("{UNIFIED}```\n+++ b/x\n")),
        (8, format!("{UNIFIED}oops\n\n-c\n")),
        (7, format!("{UNIFIED}oops\n- c\n")),
        (8, format!("{UNIFIED}```\n```diff\n- c\n")),
        (2, format!("```diff\n-c\n```\n{UNIFIED}")),
        (7, format!("{UNIFIED}-- \n+c\n")),
        (7, format!("{UNIFIED}Only in x: y\n context\n")),
        (6, format!("{UNIFIED}new file mode 100644\n")),
        (4, "diff --git a/x b/y\nrename from x\nrename to y\n-c\n+d\n".to_owned()),
        (7, format!("{BLOCK}>>>>>>> REPLACE\n")),
        (7, format!("{BLOCK}<<<<<<< SEARCH:\n")),
        (8, format!("{BLOCK}c.txt\n------- SEARCH\n2\n")),
        (7, format!("{BLOCK}***************\n")),
        (7, format!("{BLOCK}{}", UNIFIED.replace('\n', "\r\n"))),
    ] {
        let error = changes(&patch).expect_err(&patch);
        assert!(error.starts_with(&format!("invalid_args: line {line} of")), "{error}\n{patch}");
    }
}

#[test]
fn words_fences_and_signatures_around_a_patch_are_no_part_of_it() {
    for (above, below) in [
        ("I change two files:\n\n- a\n+ b\n--\n", "\n- bullets\n+ of both kinds\n\nDone.\n"),
        ("```diff\n", "```\n"),
        ("apply_patch <<'EOF'\n", "EOF\n"),
        ("Title\n=======\n\n---\n\n", "\n---\n\n> quoted\n\n***\n"),
        (
            "From 1234 Mon Sep 17\nSubject: [PATCH] x\n\n-Wall is on\n---\n a | 2 +-\n\n",
            "-- \n2.47.3\n\n",
        ),
        ("", "\n```sh\nmake -j +x\n```\nUse `*** Begin Patch`, `<<<<<<<` and `@@`.\n"),
    ] {
        for patch in [BLOCK, UNIFIED, ENVELOPE] {
            if patch == BLOCK && above.contains("--") {
                continue;
            }
            let patch = format!("{above}{patch}{below}");
            assert_eq!(changes(&patch).map(|changes| changes.len()), Ok(1), "{patch}");
        }
    }
}

#[test]
fn several_envelopes_are_one_patch() {
    let other = "```\n*** Begin Patch\n*** Add File: n\n+1\n*** End Patch\n```\n";
    let found = changes(&format!("{ENVELOPE}\nThen the other:\n{other}")).unwrap();
    let lines: Vec<_> = found.iter().map(|change| (change.path.as_str(), change.line)).collect();
    assert_eq!(lines, [("b.txt", 2), ("n", 11)]);
    let error = changes(&format!("{ENVELOPE}*** Begin Patch\n@@\n-3\n+4\n*** End Patch\n"));
    assert!(error.unwrap_err().contains("line 8 of the patch: '@@' starts no file"));
}

#[test]
fn a_block_goes_to_the_file_that_the_nearest_line_above_names() {
    let other = BLOCK.strip_prefix("b.txt\n").unwrap();
    let first = BLOCK.replace("b.txt", "a.txt");
    for (between, path) in [
        ("", "a.txt"),
        ("\n```\n\n```python\n", "a.txt"),
        ("b.txt\n", "b.txt"),
        ("my notes.txt\n", "my notes.txt"),
        ("Now the same in `b.txt`:\n\n```\n", "b.txt"),
        ("c.txt\nFile: b.txt\n", "b.txt"),
        ("#list#\n", "#list#"),
        ("b.txt\r\n", "b.txt"),
        ("Now in b.txt\n", "Now in b.txt"),
    ] {
        let found = changes(&format!("{first}{between}{other}")).unwrap();
        assert_eq!(found.last().unwrap().path, path, "{between}");
    }
    for (between, words) in [
        ("Now the port:\n", "line 7 of the patch: 'Now the port:' names no file"),
        ("`a` or `b`\n", "names no file"),
        ("```python b.txt\n", "'```python b.txt' may name another file"),
        ("b.txt\n```c.txt\n", "line 8 of the patch: '```c.txt' may name another file"),
    ] {
        let error = changes(&format!("{first}{between}{other}")).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
    let create = "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n";
    assert!(changes(&format!("Now add b.txt\n{create}")).unwrap_err().contains("may be no path"));
    assert_eq!(changes(&format!("`my b.txt`\n{create}")).unwrap()[0].path, "my b.txt");
}

#[test]
fn reading_takes_linear_time() {
    for line in [
        "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
        "f\n<<<<<<< SEARCH\na\n=======\nx\n>>>>>>> REPLACE\n```\n",
        "```diff\n",
        "--- a\n",
        "---\n\n",
        "`",
        "*",
        "*** Begin Patch\n*** Delete File: a\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: a\n\n",
        "@@ -1 +1 @@\n-a\n+b\n\n",
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
    ] {
        assert_linear(
            line,
            1 << 7,
            |size| format!("f\n{}", line.repeat(size)),
            |patch| drop(changes(patch)),
        );
    }
}

/// The forms: a diff, an envelope, blocks, OF_JSON.
const OF_BLOCKS: usize = 2;
const OF_JSON: usize = 3;
/// What becomes of a file: it is changed, made, removed, or moved and changed.
const UPDATE: usize = 0;
const CREATE: usize = 1;
const DELETE: usize = 2;

/// A change of one file in one form.
#[derive(Debug, Clone)]
struct Part {
    form: usize,
    name: usize,
    kind: usize,
    prose: usize,
    crlf: bool,
    blank: &'static str,
}

const NAMES: [&str; 6] = ["a.txt", "my notes.txt", "src/deep/b.py", "#list#", "é", "Makefile"];
const PROSE: [&str; 9] = [
    "",
    "\n",
    "Now the other file:\n\n",
    "```\n\n```diff\n",
    "EOF\n",
    "- first\n- second\n\n",
    "See `@@` and\n`+x`.\n\n",
    "---\n",
    "  \n\t\n",
];

fn old(name: usize) -> String {
    format!("top {name}\n\none {name}\n\nend {name}\n")
}

fn new(name: usize) -> String {
    old(name).replace("one", "two")
}

impl Part {
    fn text(&self) -> String {
        let (path, n, blank) = (NAMES[self.name], self.name, self.blank);
        let hunk = format!("{blank}\n-one {n}\n+two {n}\n{blank}\n");
        let numbered = format!("@@ -2,3 +2,3 @@\n{hunk}");
        let text = match (self.form, self.kind()) {
            (0, UPDATE) => format!("--- a/{path}\n+++ b/{path}\n{numbered}"),
            (0, CREATE) => format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,3 @@\n+x\n+\n+y\n"),
            (0, DELETE) => format!(
                "--- a/{path}\n+++ /dev/null\n@@ -1,5 +0,0 @@\n-top {n}\n-\n-one {n}\n-\n-end {n}\n"
            ),
            (0, _) => format!(
                "diff --git a/{path} b/{path}.new\nrename from {path}\nrename to {path}.new\n--- a/{path}\n+++ b/{path}.new\n\
                 {numbered}"
            ),
            (1, kind) => {
                let body = match kind {
                    UPDATE => format!("*** Update File: {path}\n@@\n{hunk}"),
                    CREATE => format!("*** Add File: {path}\n+x\n{blank}\n+y\n"),
                    DELETE => format!("*** Delete File: {path}\n"),
                    _ => format!("*** Update File: {path}\n*** Move to: {path}.new\n@@\n{hunk}"),
                };
                format!("*** Begin Patch\n{body}*** End Patch\n")
            }
            (OF_BLOCKS, UPDATE) => format!(
                "{path}\n<<<<<<< SEARCH\n\none {n}\n\n=======\n\ntwo {n}\n\n>>>>>>> REPLACE\n"
            ),
            (OF_BLOCKS, _) => {
                format!("`{path}`\n<<<<<<< SEARCH\n=======\nx\n\ny\n>>>>>>> REPLACE\n")
            }
            _ => format!(
                "[{{\"path\": \"{path}\", \"old_string\": \"one {n}\", \"new_string\": \"two {n}\"}}]\n"
            ),
        };
        let text = format!("{}{text}", PROSE[self.prose]);
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }

    /// What becomes of the file: blocks remove and move none, OF_JSON only changes it.
    fn kind(&self) -> usize {
        match self.form {
            OF_BLOCKS => self.kind % 2,
            OF_JSON => UPDATE,
            _ => self.kind,
        }
    }

    fn before(&self) -> Option<String> {
        (self.kind() != CREATE).then(|| old(self.name))
    }

    /// The files afterwards, `None` for one that is gone.
    fn after(&self) -> Vec<(String, Option<String>)> {
        let name = NAMES[self.name].to_owned();
        match self.kind() {
            UPDATE => vec![(name, Some(new(self.name)))],
            CREATE => vec![(name, Some("x\n\ny\n".to_owned()))],
            DELETE => vec![(name, None)],
            _ => vec![(format!("{name}.new"), Some(new(self.name))), (name, None)],
        }
    }
}

prop_compose! {
    fn part()(form in 0..4_usize, name in 0..NAMES.len(), kind in 0..4_usize, prose in 0..PROSE.len(),
              crlf in prop::bool::weighted(0.1), blank in prop::sample::select(vec!["", " "])) -> Part {
        Part { form, name, kind, prose, crlf, blank }
    }
}

/// Applies a patch to files in memory; `None` if it is refused.
fn applied(parts: &[Part], patch: &str) -> Option<Vec<(String, Option<String>)>> {
    let read = changes(patch).ok()?;
    let options = FitOptions { fuzz: false, unidiff_zero: false, max_bytes: 1 << 20 };
    let name = FileName { sandbox: "w", relative: "f" };
    let mut files = Vec::new();
    let mut made = Vec::new();
    for change in &read {
        let now = parts.iter().find(|part| NAMES[part.name] == change.path).and_then(Part::before);
        let now = now.as_deref().map(str::as_bytes);
        let fitted = fit(name, change, now, None, &options, &CancelToken::never()).ok()?;
        let content = fitted.content.clone().map(|content| String::from_utf8(content).unwrap());
        if let Some(moved) = change.new_path().filter(|path| *path != change.path) {
            files.push((change.path.clone(), None));
            files.push((moved.to_owned(), content));
        } else {
            files.push((change.path.clone(), content));
        }
        made.push(fitted);
    }
    assert_eq!(decide(&made).ok()?, Decision::Apply);
    files.sort();
    Some(files)
}

proptest! {
    #![proptest_config(Config { cases: 2000, failure_persistence: None, ..Config::default() })]

    /// Every part of a mixture of forms is applied, or the text is refused: never a part of it.
    #[test]
    fn every_part_of_a_mixture_is_applied_or_none(
        parts in prop::collection::vec(part(), 1..4),
        is_uniform in prop::bool::weighted(0.6),
        words in 0..PROSE.len(),
    ) {
        let mut parts = parts;
        let mut names = std::collections::HashSet::new();
        parts.retain(|part| names.insert(part.name));
        if is_uniform {
            let form = parts[0].form;
            parts.iter_mut().for_each(|part| part.form = form);
        }
        let patch: String = parts.iter().map(Part::text).chain([PROSE[words].to_owned()]).collect();
        let mut wanted: Vec<_> = parts.iter().flat_map(Part::after).collect();
        wanted.sort();
        if let Some(found) = applied(&parts, &patch) {
            let plain = |text: Option<String>| text.map(|text| text.replace('\r', ""));
            let found: Vec<_> = found.into_iter().map(|(path, text)| (path, plain(text))).collect();
            prop_assert_eq!(found, wanted, "{}", patch);
        } else {
            // Of one form and with line ends of the file, only words above a block are refused.
            let is_plain = parts.iter().all(|part| {
                let is_alone = parts.len() == 1 && part.prose < 2 && words < 2;
                part.form == parts[0].form
                    && !part.crlf
                    && (part.form != OF_BLOCKS || part.prose < 2)
                    && (part.form != OF_JSON || is_alone)
            });
            let ends_open = |part: &Part| matches!(part.prose, 3 | 5..);
            prop_assert!(!is_plain || parts.iter().any(ends_open) || matches!(words, 3 | 5..), "{}", patch);
        }
    }
}
