"""The page of diff_html in a real browser without a window: its policy, its rows, its keys, and what it remembers."""

import base64
import hashlib
import json
import pathlib
import re
import time

import pytest
from axe import needs_axe, violations
from chromium import BROWSER, Chromium
from repositories import git

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium (Debian: apt-get install chromium)"
)
AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
ATTACKS = [
    "<script>window.pwned=1</script>", "</pre></details><script>window.pwned=1</script>", "<img src=x onerror=window.pwned=1>",
    '" onmouseover="window.pwned=1', "' autofocus onfocus='window.pwned=1", '"><svg onload=window.pwned=1>',
    "<iframe srcdoc='<script>parent.pwned=1</script>'>", "</title><script>window.pwned=1</script>", "<style>*{display:none}</style>",
    "<meta http-equiv=refresh content='0; url=http://evil.example'>", "<base href=http://evil.example>", "<plaintext>", "<!--", "]]>",
    "&lt;b&gt;&#60;b&#62;", "javascript:window.pwned=1", "<form action=http://evil.example><input name=x></form>", "<a href=x id=f1>",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Chromium(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture
def repo(tmp_path) -> pathlib.Path:
    made = tmp_path / "project"
    made.mkdir()
    git(made, "init", "-q", "-b", "main")
    return made


def commit(repo: pathlib.Path, files: dict[str, str], subject: str = "Change") -> None:
    for name, text in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(repo, "add", "-A")
    git(repo, *AUTHOR, "commit", "-qm", subject)


def numbered(first: int, last: int) -> str:
    return "".join(f"the line number {number}\n" for number in range(first, last + 1))


@pytest.fixture
def changed(repo) -> pathlib.Path:
    """Returns a repository whose last commit changes four hunks in three files and moves a block."""
    block = "".join(f"let value_{name} = compute({name});\n" for name in "abcdef")
    commit(repo, {"src/a.rs": numbered(1, 60) + block, "src/b.rs": "fn main() {}\n", "tests/t.rs": "assert!(one);\n", "Cargo.lock": "1\n"})  # fmt: skip
    text = (
        numbered(1, 60)
        .replace("number 5\n", "number five\n")
        .replace("number 40\n", "number 40 \n")
    )
    commit(repo, {"src/a.rs": text, "src/b.rs": "fn main() {}\n" + block, "tests/t.rs": "assert!(two);\n", "Cargo.lock": "2\n"})  # fmt: skip
    return repo


@pytest.fixture
def opened(con, browser, tmp_path):
    """Returns a function that opens the page of a change."""

    def show(repo, old="HEAD~1", new="HEAD", keeps=False) -> Chromium:
        page = tmp_path / "page.html"
        (text,) = con.execute("SELECT diff_html(?, ?, ?)", [old, new, str(repo)]).fetchone()
        page.write_text(text)
        browser.go(page.as_uri())
        if not keeps:
            browser.value("localStorage.clear()")
            browser.go(page.as_uri())
        return browser

    return show


def complaints(browser: Chromium) -> list[str]:
    """Returns what the browser says against the page: refusals of its policy, and errors of its script."""
    browser.value("1")
    wrong = ("Log.entryAdded", "Runtime.exceptionThrown")
    return [json.dumps(one["params"]) for one in browser.events if one["method"] in wrong]


def press(browser: Chromium, *keys: str) -> None:
    for key in keys:
        browser.press(key, ord(key.upper()), key)


def current(browser: Chromium) -> str:
    return browser.value("document.querySelector('.current > .at')?.textContent ?? ''")


def test_the_policy_names_the_style_and_the_script_and_nothing_else(con, changed):
    (page,) = con.execute("SELECT diff_html('HEAD~1', 'HEAD', ?)", [str(changed)]).fetchone()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    digest = lambda tag: base64.b64encode(
        hashlib.sha256(re.search(f"<{tag}>(.*?)</{tag}>", page, re.S)[1].encode()).digest()
    ).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest('style')}'; script-src 'sha256-{digest('script')}'; base-uri 'none'; form-action 'none'"
    )
    assert not re.search(
        r"\bstyle=|<link|<img|https?://", page.split("</style>")[1].split("<script>")[0]
    )


def test_rows_are_made_without_a_complaint(changed, opened):
    browser = opened(changed)
    browser.until("document.querySelectorAll('.rows .ins').length > 5")
    assert complaints(browser) == []
    assert browser.value("[...document.querySelectorAll('.file h2')].map(e => e.textContent)") == [
        "src/a.rs", "src/b.rs", "tests/t.rs", "Cargo.lock"
    ]  # fmt: skip
    first = "document.querySelector('.rows .del').textContent"
    assert browser.value(first) == "-the line number 5"
    numbers = "[...document.querySelectorAll('#f1 .h:nth-of-type(1) > [data-n]')].map(e => [e.dataset.o ?? '', e.dataset.n])"
    assert browser.value(numbers)[:4] == [["2", "2"], ["3", "3"], ["4", "4"], ["", "5"]]
    marked = browser.value(
        "[...document.querySelectorAll('mark')].slice(0, 2).map(e => e.textContent)"
    )
    assert marked == ["5", "five"]
    # A blank at the end of a line is shown.
    assert browser.value("document.querySelector('.ins .mark').textContent") == "␣"
    style = "getComputedStyle(document.querySelector('.ins')).backgroundColor"
    assert browser.value(style) not in ("", "rgba(0, 0, 0, 0)")
    assert browser.requested() == [browser.value("location.href")]


def test_side_by_side_shows_what_was_replaced_beside_what_replaced_it(changed, opened):
    browser = opened(changed)
    press(browser, "s")
    browser.until("document.querySelectorAll('.pair').length > 5")
    pairs = "[...document.querySelectorAll('.pair')].map(e => [...e.children].map(one => one.textContent))"
    assert ["-the line number 5", "+the line number five"] in browser.value(pairs)
    assert ["-assert!(one);", "+assert!(two);"] in browser.value(pairs)
    press(browser, "s")
    browser.until("document.querySelectorAll('.pair').length === 0")


def test_a_moved_block_leads_to_where_it_came_from(changed, opened):
    browser = opened(changed)
    browser.until("document.querySelectorAll('.ins.moved').length === 6")
    assert (
        browser.value("document.querySelector('#f2 .moves').textContent")
        == "6 lines moved from src/a.rs"
    )
    browser.value("document.querySelector('#f2 .from').click()")
    assert browser.value("document.querySelector('.target').textContent").endswith(
        "let value_a = compute(a);"
    )
    assert browser.value("document.querySelector('.target').closest('.file').id") == "f1"


def test_everything_is_reached_by_keys(changed, opened):
    browser = opened(changed)
    press(browser, "j")
    first = current(browser)
    assert "@@ -2,7 +2,7 @@" in first
    press(browser, "j")
    assert "@@ -37,7 +37,7 @@" in current(browser)
    press(browser, "k")
    assert current(browser) == first
    press(browser, "n")
    assert browser.value("document.activeElement.closest('.file').id") == "f2"
    press(browser, "n")
    assert browser.value("document.activeElement.closest('.file').id") == "f3"
    press(browser, "p")
    assert browser.value("document.activeElement.closest('.file').id") == "f2"
    press(browser, "?")
    assert browser.value("document.querySelector('dialog').open")
    press(browser, "j")
    press(browser, "?")
    assert not browser.value("document.querySelector('dialog').open")
    press(browser, "/")
    assert browser.value("document.activeElement.type") == "search"
    browser.do("Input.insertText", text="ASSERT!(tw")
    browser.press("Enter", 13, "\r")
    browser.until("document.querySelector('[role=status]').textContent === '1 of 1 places'")
    assert browser.value("document.activeElement.type") == "search"
    assert complaints(browser) == []


def test_viewed_hunks_are_remembered_after_a_rebase(changed, opened):
    browser = opened(changed)
    press(browser, "j", "v")
    progress = "document.querySelector('.progress').textContent"
    assert browser.value(progress) == "1 of 6 viewed"
    # The next one that is not viewed is current.
    assert "@@ -37,7 +37,7 @@" in current(browser)
    # Others change the file above, and the commit is made again on top of that.
    git(changed, "branch", "feature")
    git(changed, "reset", "-q", "--hard", "HEAD~1")
    commit(changed, {"src/new.rs": "new\n", "src/b.rs": "// A remark.\nfn main() {}\n"})
    git(changed, *AUTHOR, "cherry-pick", "feature")
    opened(changed, "HEAD~1", "HEAD", keeps=True)
    assert browser.value(progress) == "1 of 6 viewed"
    assert browser.value("document.querySelector('#f1 .h').classList.contains('seen')")
    browser.until("document.querySelector('#f1 .seen .viewed input')?.checked")
    assert browser.value("document.querySelectorAll('#f1 .seen > div').length") == 1
    # Once more, and it is not viewed.
    press(browser, "j", "v")
    assert browser.value(progress) == "0 of 6 viewed"


def test_the_same_lines_in_another_place_are_shown_and_said_to_be_known(repo, opened):
    commit(repo, {"a.rs": numbered(1, 30)})
    commit(repo, {"a.rs": numbered(1, 30).replace("number 5\n", "number 5\nreturn true;\n")})
    browser = opened(repo)
    press(browser, "j", "v")
    commit(repo, {"a.rs": numbered(1, 30)})
    commit(repo, {"a.rs": numbered(1, 30).replace("number 20\n", "number 20\nreturn true;\n")})
    opened(repo, keeps=True)
    assert browser.value("document.querySelector('.progress').textContent") == "0 of 1 viewed"
    browser.until("document.querySelector('.known') !== null")
    assert browser.value("document.querySelector('.rows .ins').textContent") == "+return true;"


def test_viewed_hunks_are_exported_and_imported(con, changed, opened, tmp_path):
    browser = opened(changed)
    browser.value(
        "window.blobs = []; URL.createObjectURL = (blob) => { blobs.push(blob); return 'blob:none'; }"
    )
    press(browser, "j", "v")
    browser.value(
        "[...document.querySelectorAll('button')].find(e => e.textContent === 'Export viewed').click()"
    )
    text = browser.value("blobs[0].text()")
    (entry,) = map(json.loads, text.splitlines())
    assert entry["file_path"] == "src/a.rs" and entry["repository"] == "project"
    query = "SELECT hunk_id, context_id FROM diff_hunks('HEAD~1', 'HEAD', ?) ORDER BY file_path DESC, hunk LIMIT 3"
    ids = con.execute(query, [str(changed)]).fetchall()
    assert (entry["hunk_id"], entry["context_id"]) in ids
    opened(changed)
    assert browser.value("document.querySelector('.progress').textContent") == "0 of 6 viewed"
    kept = tmp_path / "kept.jsonl"
    kept.write_text(text + 'no JSON\n{"hunk_id": "<b>", "context_id": 5}\nnull\n[]\n')
    root = browser.do("DOM.getDocument")["root"]["nodeId"]
    node = browser.do("DOM.querySelector", nodeId=root, selector="input[type=file]")["nodeId"]
    browser.do("DOM.setFileInputFiles", nodeId=node, files=[str(kept)])
    browser.until("document.querySelector('.progress').textContent === '1 of 6 viewed'")
    assert (
        browser.value("document.querySelector('[role=status]').textContent") == "1 of 5 lines taken"
    )


@pytest.mark.parametrize(
    "kept", ["no JSON", "5", "null", '[null, 5, {"hunk_id": 1}]', '{"a": 1}', '["<script>"]']
)
def test_an_entry_that_others_put_under_a_key_is_ignored(changed, opened, kept):
    browser = opened(changed)
    browser.value(f"localStorage.setItem('redline viewed: project', {json.dumps(kept)})")
    opened(changed, keeps=True)
    assert browser.value("document.querySelector('.progress').textContent") == "0 of 6 viewed"
    assert complaints(browser) == []


def test_no_name_and_no_content_becomes_markup(repo, opened):
    names = {f"{number} {text.replace('/', '∕')}": "\n".join(ATTACKS) + "\n" for number, text in enumerate(ATTACKS)}  # fmt: skip
    commit(repo, {"README": "x\n"})
    commit(repo, names)
    browser = opened(repo)
    press(browser, "s", "j", "v", "n")
    browser.until("document.querySelectorAll('#f2 .rows .ins').length > 0")
    assert browser.value("window.pwned") is None
    assert browser.value("document.scripts.length") == 1
    strange = "img, svg, iframe, object, base, form, link, plaintext, [onmouseover], [onfocus], style ~ style"
    assert browser.value(f"document.querySelectorAll('{strange}').length") == 0
    assert sorted(
        browser.value("[...document.querySelectorAll('.file h2')].map(e => e.textContent)")
    ) == sorted(names)
    rows = browser.value("[...document.querySelectorAll('#f2 .rows .ins')].map(e => e.textContent)")
    assert rows == [f"+{text}" for text in ATTACKS]
    assert complaints(browser) == [] and browser.requested() == [browser.value("location.href")]


def test_an_injection_would_not_run(changed, opened):
    """The control for the test before: were markup to get in, it would still not run or load."""
    browser = opened(changed)
    browser.value(
        """window.stopped = []; document.addEventListener('securitypolicyviolation', e => stopped.push(e.effectiveDirective));
        const add = (tag, given) => document.body.append(Object.assign(document.createElement(tag), given));
        add('script', {text: 'window.pwned = 1'}); add('img', {src: 'http://evil.example/x'});
        add('div', {innerHTML: '<b style="color: red" onclick="window.pwned = 1">x</b>'}); add('iframe', {src: 'http://evil.example'});
        document.querySelector('div > b[style]').click(); fetch('http://evil.example').catch(() => 0); undefined"""
    )
    for directive in ["script-src-elem", "script-src-attr", "style-src-attr", "img-src", "frame-src", "connect-src"]:  # fmt: skip
        browser.until(f"stopped.includes('{directive}')")
    assert browser.value("window.pwned") is None


def test_the_page_is_read_without_script(changed, opened, browser):
    browser.do("Emulation.setScriptExecutionDisabled", value=True)
    try:
        opened(changed, keeps=True)
        text = browser.value("document.body.textContent")
        assert browser.value("document.querySelectorAll('.rows, button, input').length") == 0
    finally:
        browser.do("Emulation.setScriptExecutionDisabled", value=False)
    assert (
        "-the line number 5\n+the line number five" in text
        and "6 lines moved from src/a.rs" in text
    )


# What the folded lines of a file are: their summaries, and their texts.
BESIDE = "[...document.querySelectorAll('#f1 .more')].map(one => [one.querySelector('summary').textContent, one.querySelector('.c').textContent])"


def test_unchanged_lines_beside_hunks_are_folded_and_have_their_numbers(changed, opened, browser):
    page = opened(changed)
    beside = lambda first, last: "".join(
        f" {line}" for line in numbered(first, last).splitlines(True)
    )
    folded = page.value(BESIDE)
    assert folded == [
        ["1 unchanged line", beside(1, 1)],
        ["28 unchanged lines", beside(9, 36)],
        ["14 unchanged lines", beside(44, 57)],
    ]
    page.value("document.querySelectorAll('#f1 .more')[2].open = true")
    page.until("document.querySelectorAll('#f1 .more')[2].querySelector('.c.rows') !== null")
    rows = "[...document.querySelectorAll('#f1 .more .c.rows > div')].map(row => [row.dataset.o, row.dataset.n, row.textContent])"
    assert page.value(rows) == [
        [str(number), str(number), f" the line number {number}"] for number in range(44, 58)
    ]


def test_lines_have_their_colours_and_headers_are_folded_without_script(changed, opened, browser):
    browser.do("Emulation.setScriptExecutionDisabled", value=True)
    try:
        opened(changed, keeps=True)
        shown = browser.value(
            "[...document.querySelectorAll('#f1 .h > span')].slice(0, 2).map(e => [e.textContent, getComputedStyle(e).backgroundColor])"
        )
        folded = browser.value("document.querySelectorAll('.patch-header:not([open])').length")
    finally:
        browser.do("Emulation.setScriptExecutionDisabled", value=False)
    assert [text for text, _ in shown] == ["-the line number 5\n", "+the line number five\n"]
    assert len({colour for _, colour in shown} - {"rgba(0, 0, 0, 0)"}) == 2
    assert folded == 4


def test_a_mode_is_told_where_the_header_is_folded(repo, opened):
    commit(repo, {"run.sh": "one\n"})
    (repo / "run.sh").chmod(0o755)
    commit(repo, {"run.sh": "two\n"})
    said = opened(repo).value("document.querySelector('.patch-header summary').textContent")
    assert said == "Header: old mode 100644, new mode 100755"


def test_revisions_are_named_as_they_were_typed(changed, opened):
    git(changed, "tag", "v1", "HEAD~1")
    browser = opened(changed, "v1", "main")
    assert browser.value("document.title") == "project v1..main"
    ids = [git(changed, "rev-parse", name).decode()[:12] for name in ("v1", "main")]
    assert browser.value("document.querySelector('.ends').textContent") == "..".join(ids)
    assert opened(changed, "v1..main", None).value("document.title") == "project v1..main"
    assert opened(changed, "v1", None).value("document.title") == "project v1..WORKTREE"


def test_files_are_listed_by_their_directories_beside_the_change(changed, opened, browser):
    listed = "[...document.querySelectorAll('nav > details > ul > li')].map(e => e.innerText.replaceAll('\\n', ' '))"
    try:
        for width, is_open in ((1400, True), (800, False)):
            browser.do(
                "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
            )  # fmt: skip
            opened(changed)
            assert browser.value("document.querySelector('nav details').open") == is_open
            browser.value("document.querySelector('nav details').open = true")
            assert browser.value(listed) == [
                "Cargo.lock +1 −1", "src/ a.rs +2 −8 b.rs +6 −0", "tests/ t.rs +1 −1"
            ]  # fmt: skip
            left = "document.querySelector('main').getBoundingClientRect().left"
            assert (browser.value(left) > 200) == is_open
        browser.value("document.querySelector('nav a[href=\"#f3\"]').click()")
        browser.until("document.querySelector('#f3').getBoundingClientRect().top < innerHeight")
    finally:
        browser.do("Emulation.clearDeviceMetricsOverride")


COLOURED = """Object.fromEntries(['comment', 'string', 'number', 'keyword'].map(kind =>
    [kind, [...CSS.highlights.get(kind)].map(range => range.startContainer.data.slice(range.startOffset, range.endOffset))]))"""


def test_words_of_a_language_have_colours_over_the_text(repo, opened):
    commit(repo, {"README": "x\n"})
    commit(
        repo,
        {
            "a.rs": '/* of\ntwo "lines" */ let a: &\'a str = \'x\' + "fn // \\" in"; // fn\nlet b = 0x1f;\n',
            "b.py": "def f(): # it's\n    return 'a' + 1\n",
            "c.txt": "let two = 2;\n",
        },
    )
    browser = opened(repo)
    browser.until("document.querySelectorAll('#f3 .rows').length > 0")
    found = browser.value(COLOURED)
    assert found == {
        "comment": ["/* of", 'two "lines" */', "// fn", "# it's"],
        "string": ["'x'", '"fn // \\" in"', "'a'"],
        "number": ["0x1f", "1"],
        "keyword": ["let", "let", "def", "return"],
    }
    assert complaints(browser) == []


def test_colours_are_taken_back_with_the_rows(repo, opened):
    commit(repo, {"README": "x\n"})
    commit(repo, {f"{number:03}.rs": "let a = 1;\n" * 300 for number in range(60)})
    browser = opened(repo)
    sizes = "['number', 'keyword'].map(kind => CSS.highlights.get(kind).size)"
    for part in (0, 0.5, 1, 0):
        browser.value(f"scrollTo(0, document.documentElement.scrollHeight * {part})")
        browser.until("[...document.querySelectorAll('.rows')].some(e => e.getBoundingClientRect().bottom > 0 && e.getBoundingClientRect().top < innerHeight)")  # fmt: skip
        number, keyword = browser.value(sizes)
        assert 0 < number == keyword < 3000


def test_only_what_is_near_the_screen_has_rows(repo, opened):
    commit(repo, {"README": "x\n"})
    commit(repo, {f"src/{number:03}.rs": numbered(1, 300) for number in range(100)} | {"src/large.rs": numbered(1, 20_000)})  # fmt: skip
    browser = opened(repo)
    browser.until("document.querySelectorAll('.rows').length > 0")
    most = browser.value("document.querySelectorAll('.rows > div').length")
    assert most < 3000, most
    for part in (0.25, 0.5, 0.75, 1):
        browser.value(f"scrollTo(0, document.documentElement.scrollHeight * {part})")
        browser.until("[...document.querySelectorAll('.rows')].some(e => e.getBoundingClientRect().bottom > 0 && e.getBoundingClientRect().top < innerHeight)")  # fmt: skip
        assert browser.value("document.querySelectorAll('.rows > div').length") < 3000
    # Numbers go on from part to part.
    assert browser.value("[...document.querySelectorAll('.g.rows > div')].every(e => e.textContent === '+the line number ' + e.dataset.n)")  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_background(changed, opened, scheme):
    browser = opened(changed)
    browser.do(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
    )
    browser.until("document.querySelectorAll('.rows .ins').length > 5")
    contrast = """(() => {
        const light = (c) => c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
        const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        const over = (colours) => { canvas.clearRect(0, 0, 1, 1); colours.forEach(c => { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }); return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
        const behind = (e) => { const all = []; for (; e; e = e.parentElement) all.unshift(getComputedStyle(e).backgroundColor); return all; };
        return ['.ins', '.del', '.ins mark', '.del mark', '.ins .mark', '.ins.moved', '.del.moved', '.at', '.what', '.count', '.moves', '.from', '.h > div', 'h1', '.progress', 'nav a'].map(one => {
            const e = document.querySelector(one);
            if (!e) return [one, 0];
            const [a, b] = [light(over(behind(e))), light(over([...behind(e), getComputedStyle(e).color]))];
            return [one, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
        });
    })()"""
    try:
        low = [(one, ratio) for one, ratio in browser.value(contrast) if ratio < 4.5]
    finally:
        browser.do("Emulation.setEmulatedMedia", features=[])
    assert low == []
    colours = "(() => { const all = getComputedStyle(document.documentElement); return Object.fromEntries(['keyword', 'string', 'comment', 'number', 'paper', 'new', 'old', 'moved-old', 'moved-new', 'other-old', 'other-new'].map(name => [name, all.getPropertyValue('--' + name).trim()])); })()"
    browser.do(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
    )
    known = browser.value(colours)
    browser.do("Emulation.setEmulatedMedia", features=[])
    texts = {name: known.pop(name) for name in ("keyword", "string", "comment", "number")}
    for name, text in texts.items():
        for behind, paper in known.items():
            assert contrast_of(text, paper) >= 4.5, (name, behind)


def contrast_of(*colours: str) -> float:
    lights = sorted(map(light_of, colours))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def light_of(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))


@pytest.mark.parametrize("columns", [20, 80, 200])
def test_no_page_is_wider_than_its_window(repo, opened, columns):
    name = f"src/a  {'long' * 20}.rs"
    commit(repo, {name: "x" * 500 + "\n" + "words " * 100 + "\n"})
    commit(repo, {name: "y" * 500 + "\n" + "words  " * 100 + "\n"})
    browser = opened(repo)
    browser.until("document.querySelector('.rows .ins') !== null")
    assert browser.wider_than(columns) == 0


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("is_without_script", [False, True])
def test_changed_lines_begin_where_the_others_do(
    changed, opened, browser, width, is_without_script
):
    """So that the numbers, which stand before the lines, are on the screen."""
    wanted = "#f1 .h span.ins, #f1 .h span.del" if is_without_script else "#f1 .rows > div"
    try:
        browser.do(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )  # fmt: skip
        browser.do("Emulation.setScriptExecutionDisabled", value=is_without_script)
        opened(changed, keeps=True)
        if not is_without_script:
            browser.until("document.querySelectorAll('#f1 .rows .ins').length > 0")
        found = browser.value(
            f"[...document.querySelectorAll('{wanted}')].map(e => "
            "[e.getBoundingClientRect().left - e.parentElement.getBoundingClientRect().left, getComputedStyle(e).paddingLeft])"
        )
    finally:
        browser.do("Emulation.setScriptExecutionDisabled", value=False)
        browser.do("Emulation.clearDeviceMetricsOverride")
    assert len(found) > 2 and all(left == 0 for left, _ in found), found
    assert len({padding for _, padding in found}) == 1, found


@pytest.mark.slow
def test_half_a_million_lines_neither_freeze_nor_fill_the_page(repo, opened):
    commit(repo, {"README": "x\n"})
    commit(repo, {f"src/{number:04}.rs": numbered(1, 250) for number in range(2000)})
    began = time.monotonic()
    browser = opened(repo)
    print("opened twice", time.monotonic() - began)
    paint = browser.value(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
    )
    print("first paint", paint)
    assert paint < 3000
    longest = """(async () => { let longest = 0, last = performance.now(); const height = document.documentElement.scrollHeight;
        for (let step = 0; step < 60; step += 1) { scrollTo(0, height * step / 60); await new Promise(requestAnimationFrame); const now = performance.now(); longest = Math.max(longest, now - last); last = now; }
        return [longest, document.querySelectorAll('*').length]; })()"""
    worst, nodes = browser.value(longest)
    print("longest frame", worst, "nodes", nodes)
    assert worst < 1500 and nodes < 60_000


@needs_axe
def test_axe_finds_nothing_in_the_page(changed, opened):
    browser = opened(changed)
    browser.until("document.querySelectorAll('.rows').length > 2")
    assert violations(browser) == []
    browser.press("v", 86, "v")
    browser.press("s", 83, "s")
    browser.until("document.querySelector('.pair') !== null")
    assert violations(browser) == []
    browser.press("?", 191, "?")
    browser.until("document.querySelector('dialog').open")
    assert violations(browser) == []


@needs_axe
def test_axe_finds_nothing_in_the_page_without_script(changed, opened, con, tmp_path):
    (text,) = con.execute("SELECT diff_html('HEAD~1', 'HEAD', ?)", [str(changed)]).fetchone()
    page = tmp_path / "still.html"
    head, _, rest = text.rpartition("<script>")
    page.write_text(head + rest.partition("</script>")[2])
    browser = opened(changed)
    browser.go(page.as_uri())
    assert browser.value("document.querySelectorAll('.rows, button').length") == 0
    assert violations(browser) == []


@pytest.fixture
def of_data(repo) -> pathlib.Path:
    """Returns a repository whose last commit changes two files of data and one of code."""
    rows = lambda price: (
        "id,price\n" + "".join(f"{n},{price if n == 7 else 1}\n" for n in range(40))
    )
    commit(repo, {"a.csv": rows(1), "b.csv": rows(1), "c.rs": "fn one() {}\n"})
    commit(repo, {"a.csv": rows(2), "b.csv": rows(3), "c.rs": "fn two() {}\n"})
    return repo


# What is shown of each file, from its first to its last: its table of cells, its lines, those beside them.
SHOWN = """[...document.querySelectorAll('.file')].map(file =>
    ['.data', ':scope > details > pre:has(.h)', '.more'].map(name => file.querySelector(name)?.checkVisibility() ?? null))"""
CODE, CELLS, LINES = [None, True, None], [True, False, False], [False, True, True]


def test_a_file_of_data_shows_its_cells_or_its_lines(of_data, opened, con, tmp_path):
    (text,) = con.execute("SELECT diff_html('HEAD~1', 'HEAD', ?)", [str(of_data)]).fetchone()
    page = tmp_path / "still.html"
    head, _, rest = text.rpartition("<script>")
    page.write_text(head + rest.partition("</script>")[2])
    browser = opened(of_data)
    pages = [lambda: browser.go(page.as_uri()), lambda: opened(of_data)]
    for has_script, show in enumerate(pages):
        show()
        assert browser.value("document.querySelectorAll('button').length > 0") is bool(has_script)
        order = browser.value(
            "[...document.querySelectorAll('.file')].map(file => file.dataset.path)"
        )
        first, second = (order.index(name) for name in ("a.csv", "b.csv"))
        shown = browser.value(SHOWN)
        assert [shown[first], shown[second], shown[order.index("c.rs")]] == [CELLS, CELLS, CODE]
        # The keys of a radio, as anyone without a mouse presses them; each file has its own.
        browser.value("document.querySelector('[data-path=\"a.csv\"] .cells').focus()")
        browser.press("ArrowRight", 39)
        shown = browser.value(SHOWN)
        assert [shown[first], shown[second]] == [LINES, CELLS]
        browser.press("ArrowLeft", 37)
        assert browser.value(SHOWN)[first] == CELLS
    assert complaints(browser) == []


def test_what_leads_to_a_line_shows_the_lines(of_data, opened):
    browser = opened(of_data)
    at = browser.value(
        "[...document.querySelectorAll('.file')].findIndex(file => file.dataset.path === 'b.csv')"
    )
    browser.value("document.querySelector('input[type=search]').value = '7,3'")
    browser.value("document.querySelector('input[type=search]').focus()")
    browser.press("Enter", 13)
    browser.until("document.querySelector('[role=status]').textContent === '1 of 1 places'")
    shown = browser.value(SHOWN)
    assert shown[at] == LINES and shown.count(CELLS) == 1
    # Keys that step through hunks leave out those that are not shown.
    browser.value("document.activeElement.blur()")
    for _ in range(4):
        browser.press("k", 75, "k")
    for _ in range(4):
        browser.press("j", 74, "j")
    assert browser.value(SHOWN).count(CELLS) == 1


@needs_axe
def test_axe_finds_nothing_in_cells_and_lines(of_data, opened):
    browser = opened(of_data)
    browser.until("document.querySelectorAll('.rows').length > 0")
    assert browser.value(SHOWN).count(CELLS) == 2 and violations(browser) == []
    browser.value("document.querySelector('.shows .lines').click()")
    browser.until("document.querySelectorAll('.rows').length > 1")
    assert violations(browser) == []


@needs_axe
def test_axe_finds_what_is_wrong(changed, opened):
    browser = opened(changed)
    browser.value(
        "document.querySelector('main').append(Object.assign(document.createElement('img'), {src: 'x'}))"
    )
    browser.value(
        "document.querySelector('h1').style.color = getComputedStyle(document.body).backgroundColor"
    )
    assert {said.split(": ")[1] for said in violations(browser)} >= {"image-alt"}
