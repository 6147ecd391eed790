"""How the command draws patches: syntax colours, two columns, and keys of the pager."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys

import pytest
import repositories
from commands import in_process
from repositories import ROOT

pytest.importorskip("click", reason="`make test` installs the packages of the commands")

from duckdb_redline.command import screen as screens
from duckdb_redline.command import syntax

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
BEFORE = {
    "a.py": 'def one(x):\n    """Says\n    it."""\n    return "text" + str(1)  # last\n',
    "a.rs": "/// A thing.\nfn one() -> u32 {\n    1\n}\n",
    "a.c": "#include <a.h>\nint one(void) { return 1; }\n",
    "a.h": "int one(void);\n",
    "a.html": "<p class='a'>one</p>\n<script>let one = 1;</script>\n",
    "a.json": '{"one": 1}',
    "a.md": "# One\n\n```py\none = 1\n```\n",
    "a.txt": "one\n",
    "Makefile": "one:\n\techo 1\n",
    "no_language": "one\n",
    "wide.py": '漢字 = "漢字漢字漢字漢字漢字漢字漢字漢字漢字"  # cafe\u0301\n',
    "tabs.go": "func one() {\n\tif x {\n\t\ty()\n\t}\n}\n",
    "unseen.py": 'a = "\x1b[2J\u202e"\r\nb = 1\x0c\n',
    "empty": "",
}


def make(folder: pathlib.Path) -> None:
    git = lambda *words: repositories.git(
        folder, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", *words
    )
    git("init", "-q", "-b", "main")
    for number, before in enumerate(("", "one"), 1):
        for name, text in BEFORE.items():
            (folder / name).write_bytes(text.replace(before or "\0", "another").encode())
        if number == 2:
            (folder / "unseen.py").write_bytes('a = "\x1b[3J\u202d"\r\nb = 2\x0c\n'.encode())
            (folder / "wide.py").write_bytes(BEFORE["wide.py"].replace("漢字漢", "漢x字").encode())
            (folder / "empty").unlink()
            (folder / "empty").symlink_to("a.txt")
        git("add", "--all", ".")
        git("commit", "-qm", f"Version {number}")


@pytest.fixture(scope="module")
def repo(tmp_path_factory) -> pathlib.Path:
    return repositories.copied(tmp_path_factory.mktemp("drawn"), make)


@pytest.fixture(scope="module")
def ours(extension):
    with in_process(extension) as run:
        yield lambda *words: run("--color", "always", *words).decode()


def drawn(ours, repo, *words: str) -> str:
    return ours("diff", "-C", repo, "HEAD~1", "HEAD", *words)


def without_colour(text: str) -> str:
    return COLOUR.sub("", text)


def test_syntax_colours_change_no_text(ours, repo):
    theirs = subprocess.run(
        ["git", "-C", repo, "diff", "HEAD~1", "HEAD"], capture_output=True, check=True
    ).stdout.decode()
    shown = drawn(ours, repo, "--syntax")
    assert without_colour(shown) == without_colour(drawn(ours, repo))
    # Lines in which nothing would be unseen are git's.
    lines = [line for line in theirs.split("\n") if line.isascii() and line.isprintable()]
    assert set(lines) <= set(without_colour(shown).split("\n")) and len(lines) > 100
    assert shown != drawn(ours, repo, "--no-syntax") == drawn(ours, repo)
    # No sequence but those of colours is left of a file's own.
    assert "\x1b" not in without_colour(shown) and "<U+001B>" in without_colour(shown)


@pytest.mark.parametrize(
    "name, part, code",
    [
        ("a.py", "def", "35"),
        ("a.py", "str", "36"),
        # Words that differ keep the colour of their side.
        ("a.py", "another", "32;7"),
        ("a.py", '"text"', "33"),
        ("a.py", "# last", "2"),
        # A text that began in another line.
        ("a.py", '    it."""', "2"),
        ("a.rs", "u32", "34"),
        ("a.c", "return", "35"),
        ("a.h", "int", "34"),
        ("a.json", "another", "32;7"),
        ("a.html", "let", "35"),
        ("tabs.go", "func", "35"),
    ],
)
def test_words_of_a_language_have_its_colours(ours, repo, name, part, code):
    """The hue of a changed line is kept by what has none of its own."""
    shown = drawn(ours, repo, "--syntax", "--", name)
    begun = "".join(f"\x1b[{number}m" for number in code.split(";"))
    assert re.search(re.escape(begun) + r"[^\x1b]*" + re.escape(part), shown), shown
    assert "\x1b[32m+" in shown and "\x1b[31m-" in shown


def test_the_second_header_of_a_file_that_became_a_link_is_no_content(ours, repo):
    shown = drawn(ours, repo, "--", "empty")
    assert "\x1b[1m--- /dev/null" in shown and "\x1b[1m+++ b/empty" in shown


@pytest.mark.parametrize("width", [20, 41, 80, 200])
def test_two_columns_have_the_old_text_and_the_new_one(ours, repo, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for name in ("a.py", "wide.py", "unseen.py", "a.md", "a.rs"):
        shown = without_colour(drawn(ours, repo, "-y", "--syntax", "-U-1", "--", name))
        rows = [row for row in shown.split("\n") if "│" in row]
        whole = without_colour(drawn(ours, repo, "--syntax", "-U-1", "--", name)).split("\n")
        whole = whole[5:-1]
        assert all(screens.width_of(row) <= width for row in rows)
        column = (width - 3) // 2
        label = 1 if width < 51 else 6
        for side in (0, 1):
            joined: list[str] = []
            for row in rows:
                cell = half(row, side, column)
                # Where there is no room for numbers, the rows of a line are not told from the next line's.
                if cell[:label].strip(" -+") or not joined:
                    joined.append("")
                joined[-1] += cell[label:]
            # Each side of the patch in one column.
            expected = [line[1:] for line in whole if line[0] in (" ", "-+"[side])]
            expected = expected if label > 1 else ["".join(expected)]
            # Blanks at the end of a row fill its column.
            assert [line.replace(" ", "") for line in joined] == [
                line.replace(" ", "") for line in expected
            ], name


def half(row: str, side: int, column: int) -> str:
    """Returns what stands in a column of a row."""
    used = 0
    for at, c in enumerate(row):
        if used >= column and c == " ":
            return row[at + 3 :] if side else row[:at]
        used += screens.width_of(c)
    raise AssertionError(row)


def test_old_lines_stand_beside_new_ones_and_tabs_end_at_their_stops(ours, repo, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = without_colour(drawn(ours, repo, "-y", "--", "tabs.go"))
    rows = [row.split("│") for row in shown.split("\n")[5:-1]]
    assert [[cell.rstrip() for cell in row] for row in rows] == [
        ["   1 -func one() {", "    1 +func another() {"],
        ["   2          if x {", "    2          if x {"],
        ["   3                  y()", "    3                  y()"],
        ["   4          }", "    4          }"],
    ]


def test_an_expression_that_does_not_end_is_stopped(monkeypatch):
    class Endless:
        priority = 0

        def get_tokens_unprocessed(self, text):
            yield 0, "Token.Text", re.match("(a+)+$", "a" * 60 + "b")

    monkeypatch.setattr(syntax, "lexer_of", lambda path: Endless())
    language = syntax.Syntax("a")
    assert language.of_hunk(["+one"]) == [None] and language.lexer is None


def test_a_lexer_that_leaves_something_out_is_not_believed(monkeypatch):
    class Forgetful:
        def get_tokens_unprocessed(self, text):
            yield 0, "Token.Keyword", text[1:]

    monkeypatch.setattr(syntax, "lexer_of", lambda path: Forgetful())
    assert syntax.Syntax("a").of_hunk(["+one", "+two"]) == [None, None]


def version_of_less() -> int:
    if not shutil.which("less"):
        return 0
    said = subprocess.run(["less", "--version"], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"\d+", said)[0])


@pytest.mark.skipif(version_of_less() < 582, reason="less has no keys in a text before 582")
def test_keys_of_the_pager_lead_to_files_and_hunks(extension, repo, tmp_path):
    command = [sys.executable, "-m", "duckdb_redline", "--extension", str(extension)]
    environment = {
        "PYTHONPATH": str(ROOT / "python"),
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PAGER": "less",
        "TERM": "xterm",
        # So that each step draws the screen anew.
        "LINES": "4",
    }
    child, ours = pty.fork()
    if child == 0:
        os.chdir(repo)
        os.execve(sys.executable, [*command, "diff", "HEAD~1", "HEAD"], environment)
    shown = ""

    def until(text: str) -> None:
        nonlocal shown
        while text not in without_colour(shown):
            assert select.select([ours], [], [], 60)[0], shown
            shown += os.read(ours, 65536).decode(errors="replace")
        shown = ""

    try:
        until("a/Makefile")
        for key, found in [("n", "a/a.c"), ("]", "a/a.h"), ("[", "a/a.c"), (")", "@@ -1,2 +1,2")]:
            os.write(ours, key.encode())
            until(found)
        os.write(ours, b"q")
    finally:
        os.close(ours)
        os.waitpid(child, 0)
