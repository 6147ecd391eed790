//! Pages with texts that look like markup.

use super::*;
use redline_base::growth::assert_linear;

fn shown(path: &str, text: &str) -> String {
    let head = "diff --git a/f b/f\n--- a/f\n+++ b/f\n";
    let patch = format!("{head}@@ -1 +1 @@\n-x\n+{text}\n");
    let (lines, context) = ("a".repeat(40), "b".repeat(40));
    let id = HunkId { lines, context };
    let hunk = PageHunk { span: head.len()..patch.len(), old: 1, new: 1, id: Some(id) };
    let some = |text: &str| Some(text.to_owned());
    let cell = |column| PageCell {
        change: "changed",
        key: some(path),
        column,
        old: some(text),
        new: some(path),
    };
    let cells = vec![cell(some(path)), cell(None)];
    let beside = format!(" {text}\n").into_bytes();
    let lines = PageLines { before: 1, old: 2, new: 2, count: 1, text: beside };
    let file = PageFile {
        status: "modified",
        data: Some(PageData { words: path.to_owned(), cells, left_out: 1 }),
        path: path.into(),
        old_path: Some(path.into()),
        lines: Some((1, 1)),
        patch: patch.into_bytes(),
        hunks: vec![hunk],
        unchanged: vec![lines],
        ..PageFile::default()
    };
    let change = Page {
        repository: path.to_owned(),
        asked: path.to_owned(),
        ends: [path, "b"].map(str::to_owned),
        files: vec![file],
        are_moves_left_out: false,
    };
    String::from_utf8(page(&change, &CancelToken::never()).unwrap()).unwrap()
}

/// Returns the tags of a page; every `<` begins one.
fn tags(page: &str) -> Vec<&str> {
    let body = page.split_once("</style>").unwrap().1.rsplit_once("<script>").unwrap().0;
    body.split('<').skip(1).map(|rest| rest.split_once('>').unwrap().0).collect()
}

/// Returns the tags but those of the pieces of a line.
fn without_pieces(page: &str) -> Vec<&str> {
    let (mut found, mut is_piece) = (tags(page), false);
    found.retain(|tag| {
        let ends = *tag == "/span" && std::mem::take(&mut is_piece);
        is_piece |= matches!(*tag, "span class=\"mark\"" | "span class=\"number\"");
        !ends && !is_piece && !matches!(*tag, "mark" | "/mark")
    });
    found
}

#[test]
fn no_name_and_no_content_becomes_markup() {
    let names = |page: &str| -> Vec<String> {
        let name = |tag: &&str| tag.split([' ', '\n']).next().unwrap_or_default().to_owned();
        without_pieces(page).iter().map(name).collect()
    };
    // The list has directories.
    let [in_root, in_directory] =
        ["plain.txt", "a/plain.txt"].map(|path| names(&shown(path, "text")));
    for attack in [
        "<script>alert(1)</script>",
        "</pre></details></section><img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "' autofocus onfocus='alert(1)",
        "\"><svg onload=alert(1)>",
        "--><script>alert(1)</script><!--",
        "]]><x>",
        "&lt;script&gt;&#60;b&#x3e;",
        "<!DOCTYPE html><html><base href=//evil.example>",
        "</title><script>alert(1)</script>",
        "</style><script>alert(1)</script>",
        "<plaintext>",
        "<\0script>",
        "<meta http-equiv=refresh content=0;url=//evil.example>",
        "javascript:alert(1)",
        "\u{202e}<b>\u{2066}",
        "a\r\n<b>\r<i>",
        "data-moved=\"n,1,1,1,1,0\"",
    ] {
        let page = shown(attack, attack);
        let plain = if attack.contains('/') { &in_directory } else { &in_root };
        assert_eq!(&names(&page), plain, "{attack}");
        let is_open = |tag: &str| !tag.matches('"').count().is_multiple_of(2);
        assert!(!tags(&page).into_iter().any(is_open), "{attack}");
        // A text that looks like a handler is within the quotes of a value.
        for tag in tags(&page) {
            let outside: String = tag.split('"').step_by(2).collect();
            assert!(!outside.contains(" on"), "{attack}: {tag}");
        }
    }
}

#[test]
fn nothing_of_a_text_is_hidden() {
    for (text, expected) in [
        ("a\u{202e}b", "+a«number &lt;U+202E&gt;»b\n"),
        ("zero\u{200b}width", "+zero«number &lt;U+200B&gt;»width\n"),
        ("bell\u{7}", "+bell«number &lt;U+0007&gt;»\n"),
        ("<U+202E>", "+«mark &lt;U+003C&gt;»U+202E&gt;\n"),
        ("<E9>", "+«mark &lt;U+003C&gt;»E9&gt;\n"),
        ("crlf\r", "+crlf«mark ␍»\n"),
        ("cr\rmiddle", "+cr«number &lt;U+000D&gt;»middle\n"),
        ("the mark ␍", "+the mark «mark &lt;U+240D&gt;»\n"),
        ("blanks  end ", "+blanks  end«mark ␣»\n"),
        ("\ttab\tand é 日本\t", "+\ttab\tand é 日本«mark ⇥ »\n"),
    ] {
        let page = shown("f", text).replace("<span class=\"mark\">", "«mark ");
        let page = page.replace("<span class=\"number\">", "«number ").replace("</span>", "»");
        assert!(page.contains(expected), "{text:?}: {page}");
    }
    assert!(shown("a\nb\tc  d", "").contains("<h2>a&lt;U+000A&gt;b⇥ c␣␣d"));
    assert!(shown("f", "x").contains("<h2>f → f</h2>"));
}

#[test]
fn what_is_not_utf_8_is_shown_by_its_bytes() {
    let file = PageFile {
        path: b"a\xff".to_vec(),
        patch: b"Binary \xc3(\n".to_vec(),
        ..PageFile::default()
    };
    let change = Page { files: vec![file], ..Page::default() };
    let page = String::from_utf8(page(&change, &CancelToken::never()).unwrap()).unwrap();
    assert!(page.contains("<h2>a&lt;FF&gt;</h2>"), "{page}");
    assert!(page.contains("Binary <span class=\"number\">&lt;C3&gt;</span>(\n"), "{page}");
}

#[test]
fn words_that_differ_are_marked_within_the_bytes_of_a_page() {
    let same = "word ".repeat(limits::EMPHASIS_BYTES / 11);
    let patch = format!("@@ -1 +1 @@\n-one {same}\n+two {same}\n");
    let span = 0..patch.len();
    let count = limits::EMPHASIS_PATCH_BYTES / patch.len() + 2;
    let hunks = vec![PageHunk { span, old: 1, new: 1, id: None }];
    let file =
        PageFile { path: b"f".to_vec(), patch: patch.into_bytes(), hunks, ..PageFile::default() };
    let change = Page { files: vec![file; count], ..Page::default() };
    let page = String::from_utf8(page(&change, &CancelToken::never()).unwrap()).unwrap();
    let files: Vec<&str> = page.split("<section").skip(1).collect();
    for (file, marks) in [
        (files[0], ["del\">-<mark>one</mark>", "ins\">+<mark>two</mark>"]),
        (files[count - 1], ["del\">-one", "ins\">+two"]),
    ] {
        assert!(marks.iter().all(|mark| file.contains(&format!("{mark} word"))), "{file:.300}");
    }
}

#[test]
fn a_large_hunk_stands_in_parts_that_say_their_numbers() {
    let added: String = (1..=1000).map(|line| format!("+line {line}\n")).collect();
    let patch = format!("@@ -0,0 +1,1000 @@\n{added}");
    let hunk = PageHunk { span: 0..patch.len(), old: 0, new: 1, id: None };
    let file = PageFile { patch: patch.into_bytes(), hunks: vec![hunk], ..PageFile::default() };
    let change = Page { files: vec![file], ..Page::default() };
    let page = String::from_utf8(page(&change, &CancelToken::never()).unwrap()).unwrap();
    assert!(page.contains("<span class=\"h h4\">@@ -0,0"));
    assert!(page.contains(
        "<span class=\"g h4\" data-o=\"0\" data-n=\"400\"><span class=\"ins\">+line 400\n"
    ));
    assert!(page.contains(
        "<span class=\"g u1 h2\" data-o=\"0\" data-n=\"800\"><span class=\"ins\">+line 800\n"
    ));
}

#[test]
fn the_ids_of_hunks_are_anchors() {
    let page = shown("f", "x");
    let anchor = format!("id=\"{}\" data-c=\"{}\">@@ -1 +1 @@", "a".repeat(40), "b".repeat(40));
    assert!(page.contains(&anchor));
}

#[test]
fn moved_lines_say_where_they_came_from() {
    let run = MovedRun {
        is_added: true,
        lines: 3..=5,
        other_file: 1,
        other_first: 9,
        is_alternate: true,
    };
    let to =
        PageFile { path: b"to.c".to_vec(), moved: vec![run.clone(), run], ..PageFile::default() };
    let from = PageFile { path: b"<from>.c".to_vec(), ..PageFile::default() };
    let change = Page { files: vec![to, from], ..Page::default() };
    let page = String::from_utf8(page(&change, &CancelToken::never()).unwrap()).unwrap();
    assert!(page.contains("6 lines moved from <a href=\"#f2\">&lt;from&gt;.c</a></p>"));
    assert!(page.contains("data-moved=\"n,3,5,2,9,1 n,3,5,2,9,1\""));
}

#[test]
fn lines_from_many_files_are_counted_in_linear_time() {
    let page_of = |count: usize| {
        let run = |number: usize| MovedRun {
            is_added: true,
            lines: number as u32 + 1..=number as u32 + 1,
            other_file: number,
            other_first: 1,
            is_alternate: false,
        };
        (0..count).map(run).collect::<Vec<_>>()
    };
    assert_linear("lines from many files", 2_000, page_of, |moved| {
        let file = PageFile { path: b"f".to_vec(), moved: moved.clone(), ..PageFile::default() };
        let change = Page { files: vec![file], ..Page::default() };
        let text = String::from_utf8(page(&change, &CancelToken::never()).unwrap()).unwrap();
        assert_eq!(text.matches("1 line moved from").count(), moved.len());
    });
}

#[test]
fn lines_have_their_colour_without_script_and_headers_are_folded() {
    let head =
        "diff --git a/f b/f\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/f\n+++ b/f\n";
    let patch = format!("{head}@@ -1,3 +1,3 @@\n a\n-b\n-c\n+d\n e\n");
    let hunk = PageHunk { span: head.len()..patch.len(), old: 1, new: 1, id: None };
    let file = PageFile {
        path: b"d/f".to_vec(),
        patch: patch.into_bytes(),
        hunks: vec![hunk],
        ..PageFile::default()
    };
    let root = PageFile { path: b"g".to_vec(), ..PageFile::default() };
    let change = Page { asked: "v1..v2".to_owned(), files: vec![file, root], ..Page::default() };
    let page = String::from_utf8(page(&change, &CancelToken::never()).unwrap()).unwrap();
    assert!(page.contains(
        "@@\n a\n<span class=\"del\">-b\n-c\n</span><span class=\"ins\">+d\n</span> e\n</span>"
    ));
    assert!(
        page.contains("<summary>Header: old mode 100644, new mode 100755</summary><pre>diff --git")
    );
    assert!(page.contains("<title> v1..v2</title>"));
    let list = "<ul>\n<li><a href=\"#f2\">g</a></li>\n<li>d/<ul>\n<li><a href=\"#f1\">f</a></li>\n</ul></li>\n</ul>";
    assert!(page.contains(list), "{page}");
}
