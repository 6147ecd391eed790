"""`redline diff` on a terminal and the page of `diff_html` draw a patch as the extension tells it, piece by piece and in its order."""

import contextlib
import html.parser
import random
import re
import sys
import unicodedata

import pytest
from approving import value
from chromium import BROWSER, Chromium
from odd_changes import changed, odd_bytes, put
from repositories import ROOT, git

pytest.importorskip("click", reason="`make test` installs the packages of the commands")
sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.command.painting import Drawing
from duckdb_redline.command.screen import Screen

SIGNS = {"added": "+", "removed": "-", "context": " "}
AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
BATCH = 200
UNSEEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
# How a character is shown: itself, its kind, and whether it is a changed word.
Shown = tuple[str, str, bool]


def odd_repository(chance: random.Random, folder, files: int):
    """Returns a repository whose last commit changes so many odd files, makes some and deletes some."""
    git(folder, "init", "-q")
    names = [f"d/{number:04} {chance.choice(['x', '  y', 'é'])}.txt" for number in range(files)]
    for name in names:
        if chance.random() < 0.9:
            put(chance, folder, name)
    git(folder, "add", "-A")
    git(folder, *AUTHOR, "commit", "-qm", "Before")
    for name in names:
        file = folder / name
        if not file.exists() or chance.random() < 0.2:
            put(chance, folder, name)
        elif chance.random() < 0.1:
            file.unlink()
        else:
            text = file.read_bytes().decode(errors="surrogateescape")
            new = changed(chance, text).encode(errors="surrogateescape")
            file.write_bytes(new + (odd_bytes(chance) if chance.random() < 0.2 else b""))
    git(folder, "add", "-A")
    git(folder, *AUTHOR, "commit", "-qm", "After")
    return folder


def drawn(con, patch, has_colour):
    """Returns the lines of a patch as the command draws them, without syntax colours."""
    screen = Screen("always" if has_colour else "never", pager=False)
    return Drawing().of(con, patch, "a.txt", screen)


def told(rows) -> list[tuple[str, list[Shown]]]:
    """Returns the lines that the extension tells: their kinds, and how each character of them is shown."""
    found = []
    for row in rows:
        line = [(c, "plain", False) for c in SIGNS.get(row["kind"], "")]
        for piece in row["pieces"]:
            line += [(c, piece["kind"], piece["changed"]) for c in piece["text"]]
        found.append((row["kind"], line))
    return found


def on_terminal(text: str) -> list[list[Shown]]:
    """Returns the cells of a coloured text: what is dim is a mark, what is yellow a number, and what is reversed a changed word."""
    lines, styles = [[]], set()
    for at, part in enumerate(re.split("\x1b\\[([0-9;]*)m", text)):
        if at % 2:
            styles = set() if part in ("", "0") else styles | set(part.split(";"))
            continue
        assert {*map(unicodedata.category, re.sub("[\n\t]", "", part))}.isdisjoint(UNSEEN), part
        kind = "mark" if "2" in styles else "number" if "33" in styles else "plain"
        for c in part:
            if c == "\n":
                lines.append([])
            else:
                lines[-1].append((c, kind, "7" in styles))
    assert lines.pop() == []
    return lines


class Patches(html.parser.HTMLParser):
    """The patches of a page by the shown paths of their files, as they are without script."""

    def __init__(self, page: str):
        super().__init__(convert_charrefs=True)
        self.files, self.lines, self.open = {}, None, []
        self.is_beside = False  # among the unchanged lines, which no patch has
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "section":
            self.lines = self.files.setdefault(given["data-path"], [[]])
        elif tag == "details":
            self.is_beside = given.get("class") == "more"
        elif tag == "pre" and not self.is_beside:
            self.open = [""]
        elif self.open:
            self.open.append("changed" if tag == "mark" else given.get("class", ""))

    def handle_endtag(self, tag):
        if tag == "details":
            self.is_beside = False
        if self.open:
            self.open.pop()

    def handle_data(self, data):
        if not self.open:
            return
        kind = next((kind for kind in ("mark", "number") if kind in self.open), "plain")
        for c in data:
            if c == "\n":
                self.lines.append([])
            else:
                self.lines[-1].append((c, kind, "changed" in self.open))


# The rows of a page with script: what a file has, its lines, and of each line its texts with their kinds.
ROWS = """[...document.querySelectorAll('.file')].map(file => [file.dataset.path, [...file.querySelectorAll('.rows > div')].map(row => {
  const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT), texts = [];
  while (walk.nextNode()) {
    const of = walk.currentNode.parentElement;
    if (!of.closest('.viewed, .from')) texts.push([walk.currentNode.data, of.closest('.number') ? 'number' : of.closest('.mark') ? 'mark' : 'plain', of.closest('mark') !== null]);
  }
  return [row.className.replace(/ moved.*/, ''), row.dataset.o ?? null, row.dataset.n ?? null, texts];
})])"""
CLASSES = {"del": "removed", "ins": "added", "": "context", "at": "hunk", "no": "remark"}


def in_browser(browser, page) -> dict[str, list]:
    """Returns the rows of a page with script: their kinds, their numbers and how each character is shown."""
    browser.go(page.as_uri())
    # All is near a screen that is high enough.
    browser.do("Emulation.setDeviceMetricsOverride", width=1200, height=400_000, deviceScaleFactor=1, mobile=False)  # fmt: skip
    browser.until("[...document.querySelectorAll('.h, .g')].every(one => one.matches('.rows'))")
    made = {}
    for path, rows in browser.value(ROWS):
        made[path] = [
            (CLASSES[kind], old, new, [(c, how, is_changed) for text, how, is_changed in texts for c in text])
            for kind, old, new, texts in rows
        ]  # fmt: skip
    return made


def numbered(rows) -> list:
    """Returns the rows of a patch as a page with script has them, but for remarks, which stand behind their block."""
    number = lambda given: None if given is None else str(given)
    return [
        (kind, number(row["old_line"]), number(row["new_line"]), line)
        for row, (kind, line) in zip(rows, told(rows), strict=True)
        if kind not in ("header", "remark")
    ]


# Promise (page): redline diff on a terminal and the page of diff_html, with script and without,
# draw the pieces of a patch that the extension tells, in its order.
@pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium (Debian: apt-get install chromium)"
)
@pytest.mark.parametrize("seed, count", [(1, 200), pytest.param(2, 10_000, marks=pytest.mark.slow)])
def test_a_terminal_and_a_page_draw_a_patch_as_it_is_told(con, tmp_path, tmp_path_factory, seed, count):  # fmt: skip
    chance, kinds, files = random.Random(seed), set(), 0
    with contextlib.closing(Chromium(tmp_path_factory.mktemp("p"))) as browser:
        for batch in range(count // BATCH):
            repo = odd_repository(chance, tmp_path_factory.mktemp(f"r{batch}"), BATCH)
            text = value(con, "SELECT diff_html('HEAD~1', 'HEAD', ?)", str(repo))
            page = tmp_path / "page.html"
            page.write_text(text)
            still, rows_of_page = Patches(text).files, in_browser(browser, page)
            patches = con.execute(
                "SELECT file_path, patch_bytes, patch_pieces(patch_bytes), visible_pieces(file_path) FROM file_patches('HEAD~1', 'HEAD', ?)",
                [str(repo)],
            ).fetchall()
            assert len(patches) > BATCH / 2
            for path, patch, rows, pieces in patches:
                shown = "".join(piece["text"] for piece in pieces)
                lines = told(rows)
                (*written, end) = still[shown]
                assert end == [] and written == [line for _, line in lines], path
                for (kind, line), cells in zip(lines, on_terminal("".join(drawn(con, patch, True))), strict=True):  # fmt: skip
                    if kind in ("header", "hunk"):
                        line, cells = [[c for c, *_ in one] for one in (line, cells)]
                    else:
                        # A number is reversed, whether it is a changed word or not.
                        line = [(c, how, is_changed or how == "number") for c, how, is_changed in line]  # fmt: skip
                    assert cells == line, (path, kind)
                plain = "".join(drawn(con, patch, False)).split("\n")
                assert plain == ["".join(c for c, *_ in line) for _, line in lines] + [""], path
                found = [row for row in rows_of_page[shown] if row[0] != "remark"]
                if any(kind == "hunk" for kind, _ in lines):
                    assert found == [
                        (kind, None, None, line) if kind == "hunk" else (kind, old, new, line)
                        for kind, old, new, line in numbered(rows)
                    ], path
                kinds |= {kind for kind, _ in lines} | {how for _, line in lines for _, how, _ in line}  # fmt: skip
                files += 1
    assert kinds >= {"header", "hunk", "context", "removed", "added", "remark", "plain", "mark", "number"}  # fmt: skip
    assert files > count * 0.7


def test_a_patch_that_is_not_utf_8_is_shown_by_its_bytes(con):
    patch = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ caf\xe9\n-caf\xe9 one\n+caf\xef\xbf\xbd one\n"
    lines = "".join(drawn(con, patch, False)).split("\n")
    assert lines[3:] == ["@@ -1 +1 @@ caf<E9>", "-caf<E9> one", "+caf\ufffd one", ""]
