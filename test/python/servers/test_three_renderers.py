"""A box, a form and a page say the same of a change: what the extension tells of it, piece by piece and in its order."""

import collections
import contextlib
import itertools
import json
import sys
import unicodedata

import drawn
import pytest
from approving import KEY, approvable, value
from chromium import BROWSER, Chromium, site
from odd_changes import changes
from repositories import ROOT

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.server.web import pages, question, seals

# Vowels and finals, which are drawn on the letter before them.
HANGUL = {*map(chr, [*range(0x1160, 0x1200), *range(0xD7B0, 0xD800)])}
# Sandboxes and the approver are the database's.
pytestmark = pytest.mark.own_database


def waiting(con, payload: str) -> question.Waiting:
    fields = json.loads(payload)
    said = question.pieces_of(
        value(con, "SELECT system.main.visible_pieces(?)", fields["description"])
    )
    return question.Waiting(fields["approval_id"], fields["description"], "client", payload, said)


def page_of(con, payload: str, rows) -> list[str]:
    asked = waiting(con, payload)
    view = question.made(
        asked.fields, rows, value(con, "SELECT system.main.visible_pieces(?)", asked.fields["path"])
    )
    assert view.problem is None
    return [
        pages.change(asked, view, seals.Seals(), part + 1, False).decode()
        for part in range(len(view.parts))
    ]


def columns(row: str) -> int:
    """Returns the columns of a row at least: marks have none, nor have characters that this Python does not know, and vowels of Hangul."""
    is_mark = lambda c: unicodedata.category(c) in ("Mn", "Me", "Mc", "Cn") or c in HANGUL
    return sum(1 for c in row if not is_mark(c))


def check(con, payload: str, rows) -> None:
    wanted, warned, (titled,) = (
        drawn.lines(rows),
        drawn.told(rows, "warning"),
        drawn.told(rows, "title"),
    )
    (boxed,) = value(con, "SELECT system.main.approval_pages(?, 100, 100000)", payload)
    lines, below = drawn.box(boxed["text"])
    # A wide character that does not fit leaves a blank at the end of its row.
    lines, packed = ([(own, text.replace(" ", "")) for own, text in one] for one in (lines, wanted))
    assert lines[len(lines) - len(packed) :] == packed, payload
    assert all(text.split() == [] or text in below.replace("\n", " ") for text in warned), payload
    (formed,) = value(con, "SELECT system.main.approval_pages(?, 72, 100000, false)", payload)
    assert max(map(columns, formed["text"].split("\n"))) <= 72, payload
    title, lines, below = drawn.form(formed["text"])
    assert (title, lines) == (titled, wanted), payload
    assert all(text in below.replace("\n", " ") for text in warned), payload
    tables = [drawn.Table(page) for page in page_of(con, payload, rows)]
    assert tables[0].heading == titled and tables[0].warnings[: len(warned)] == warned, payload
    assert [one for table in tables for one in drawn.from_table(table.rows)] == drawn.for_table(
        rows
    ), payload
    ends = sum(cell[0] == "end" for table in tables for row in table.rows for cell in row)
    assert bool(ends) == any(
        drawn.text(row) == drawn.NO_NEWLINE and row["kind"] == "remark" for row in rows
    )


# Promise (page): A box, a form and a page say the same of a change, piece by piece and in one
# order, and bytes that are not UTF-8 as bytes. With `test_a_browser_draws_what_the_extension_tells`,
# `test_a_line_that_is_not_utf_8_is_shown_by_its_bytes_and_never_as_unchanged`.
@pytest.mark.parametrize("seed, count", [(6, 100), pytest.param(2, 10_000, marks=pytest.mark.slow)])
def test_a_box_a_form_and_a_page_say_the_same_of_a_change(con, tmp_path, seed, count):
    kinds, bytes_shown = set(), 0
    seen: collections.Counter[str] = collections.Counter()
    for payload, rows in changes(con, tmp_path, seed, count):
        check(con, payload, rows)
        kinds |= {row["kind"] for row in rows}
        bytes_shown += "not_utf8" in payload
        fields = json.loads(payload)
        is_large = len(fields.get("files", [])) == 1000
        names = [fields["type"], fields.get("action"), "large" if is_large else None]
        seen.update(name for name in names if name)
        seen["taken back"] += fields.get("undoes") is not None
    wanted = {"write", "edit", "patch", "commit", "stage", "undo", "taken back"}
    assert wanted | ({"large"} if count >= 10_000 else set()) <= {
        name for name in seen if seen[name]
    }
    assert kinds >= {
        "title",
        "header",
        "hunk",
        "context",
        "removed",
        "added",
        "remark",
        "warning",
        "question",
    }
    assert bytes_shown > count / 50


def test_a_line_that_is_not_utf_8_is_shown_by_its_bytes_and_never_as_unchanged(con, tmp_path):
    """A client that reads a file with U+FFFD and writes it back replaces bytes that look the same."""
    approvable(con)
    sandbox = {"name": "workspace", "root": str(tmp_path), "mode": "rw"}
    con.execute(f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'")
    (tmp_path / "a.txt").write_bytes(b"caf\xe9\ntwo <E9>\n")
    call = {"path": "workspace/a.txt", "content": "caf\ufffd\n2 <E9>\n"}
    payload = value(
        con, "SELECT system.main.needs_approval('write_file', ?, 's', ?)", json.dumps(call), KEY
    )
    rows = value(con, "SELECT system.main.approval_pieces(?)", payload)
    check(con, payload, rows)
    shown = [
        (row["kind"], drawn.text(row))
        for row in rows
        if row["kind"] in ("removed", "added", "context")
    ]
    assert shown == [
        ("removed", "caf<E9>"), ("removed", "two <U+003C>E9>"), ("added", "caf\ufffd"), ("added", "2 <U+003C>E9>"),
    ]  # fmt: skip


def test_a_file_that_tools_run_is_named_by_all_three(con, tmp_path):
    approvable(con)
    sandbox = {"name": "workspace", "root": str(tmp_path), "mode": "rw", "warned": ["deploy/*.sql"]}
    con.execute(f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'")
    for name, is_run in [
        ("Makefile", True),
        ("deploy/x.sql", True),
        ("notes.txt", False),
        ("x.sql", False),
    ]:
        call = json.dumps({"path": f"workspace/{name}", "content": "x\n"})
        payload = value(
            con, "SELECT system.main.needs_approval('write_file', ?, 's', ?)", call, KEY
        )
        rows = value(con, "SELECT system.main.approval_pieces(?)", payload)
        check(con, payload, rows)
        assert ("⚠ tools run this file" in drawn.told(rows, "warning")) is is_run, name
        patch = f"*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\n"
        payload = value(
            con,
            "SELECT system.main.needs_approval('apply_patch', ?, 's', ?)",
            json.dumps({"patch": patch}),
            KEY,
        )
        rows = value(con, "SELECT system.main.approval_pieces(?)", payload)
        assert ("⚠ tools run some of these files" in drawn.told(rows, "warning")) is is_run, name


def test_names_that_differ_in_blanks_alone_look_different(con):
    shown = {
        "".join(piece["text"] for piece in value(con, "SELECT system.main.visible_pieces(?)", name))
        for name in ("a b", "a  b", " a b", "a b ")
    }
    assert shown == {"a b", "a␣␣b", "␣a b", "a b␣"}


def test_a_yes_to_a_form_counts_for_the_form_that_was_shown(con, tmp_path):
    for payload, _ in changes(con, tmp_path, 5, 3):
        (form,) = value(con, "SELECT system.main.approval_pages(?, 72, 100000, false)", payload)
        (box,) = value(con, "SELECT system.main.approval_pages(?, 72, 100000)", payload)
        assert form["proof"] != box["proof"] and form["proof"].startswith("72x100000p-")
        forged = form["proof"].replace("p-", "-")
        with pytest.raises(Exception, match="not from the last page"):
            value(con, "SELECT system.main.approve(?, 'once', ?, ?)", payload, KEY, forged)
        assert value(
            con, "SELECT system.main.approve(?, 'once', ?, ?)", payload, KEY, form["proof"]
        )


def test_a_change_is_drawn_within_a_budget_of_pieces(con):
    """Whatever its rows are: one line can have as many pieces as a file."""
    text = "a\x01" * 200_000
    payload = {
        "type": "write", "description": "Write", "path": "w/a", "sandbox": "w", "content": text + "\nend\n", "content_lines": 2,
        "content_bytes": len(text), "preview": "", "preview_truncated": True, "file_exists": False,
    }  # fmt: skip
    rows = value(con, "SELECT system.main.approval_pieces(?, 20000)", json.dumps(payload))
    assert sum(len(row["pieces"]) for row in rows) < 100 and "cut" in {row["kind"] for row in rows}
    assert question.made(payload, rows, []).problem == question.TOO_LARGE
    # Neighbours that are shown in the same way are one piece.
    payload["content"] = "\x01" * 200_000 + "\n"
    rows = value(con, "SELECT system.main.approval_pieces(?, 20000)", json.dumps(payload))
    assert [len(row["pieces"]) for row in rows] == [1] * 4


# Of each change its own part of a page: many are read at once.
READ = """[...document.querySelectorAll('main')].map(part => [...part.querySelectorAll('tbody tr')].map(row => [...row.querySelectorAll('td')]
  .filter(cell => cell.className !== 'none').map(cell => [
    cell.className, cell.previousElementSibling ? cell.previousElementSibling.textContent : '', (cell.querySelector('bdo') || cell).textContent])))"""
BATCH = 100


def in_browser(browser, pages: list[list[str]]) -> list[list]:
    """Returns the rows of changes as a browser has them, each change in its parts."""
    mains = [
        part.partition("<body>")[2].partition("</body>")[0] for parts in pages for part in parts
    ]
    head = pages[0][0].partition("<body>")[0]
    assert all(main.startswith("<main>") and main.endswith("</main>") for main in mains)
    with site({"/": f"{head}<body>{''.join(mains)}</body></html>"}) as address:
        browser.go(f"{address}/")
        read = iter(browser.value(READ))
    return [
        list(itertools.chain.from_iterable(itertools.islice(read, len(parts)))) for parts in pages
    ]


@pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium (Debian: apt-get install chromium)"
)
@pytest.mark.parametrize("seed, count", [(3, 100), pytest.param(4, 10_000, marks=pytest.mark.slow)])
def test_a_browser_draws_what_the_extension_tells(con, tmp_path, tmp_path_factory, seed, count):
    odd, seen = changes(con, tmp_path, seed, count), 0
    with contextlib.closing(Chromium(tmp_path_factory.mktemp("p"))) as browser:
        while batch := list(itertools.islice(odd, BATCH)):
            pages = [page_of(con, *change) for change in batch]
            for change, found in zip(batch, in_browser(browser, pages), strict=True):
                payload, rows = change
                assert drawn.from_table(found) == drawn.for_table(rows), payload
            seen += len(batch)
        style = (ROOT / "python/duckdb_redline/server/web/style.css").read_text()
        (page, *_) = pages[0]
        with site({"/": page.replace("</head>", f"<style>{style}</style></head>")}) as address:
            browser.go(f"{address}/")
            # A doubled blank keeps its width.
            space = "getComputedStyle(document.querySelector('h1 bdo')).whiteSpace"
            assert browser.value(space) == "pre-wrap"
    assert seen == count
