"""How the page of approvals shows text: nothing is unseen, and nothing of a change is left out."""

import json
import random
import sys
import unicodedata

import pytest
from repositories import ROOT

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

sys.path.insert(0, str(ROOT / "python"))

import xml.etree.ElementTree as ElementTree

import anyio
import anyio.lowlevel

from duckdb_redline.pieces import rows_of
from duckdb_redline.server.web import pages, question, seals, site
from duckdb_redline.server.web.elements import drawn

TAB, SPACE, RETURN, NUMBER = "⇥", "␣", "␍", "<U+"

ALPHABET = [
    "a",
    "é",
    "e\u0301",
    " ",
    "  ",
    "\t",
    "\r",
    "⇥",
    "␣",
    "␍",
    "<U+",
    "<U+202E>",
    "\u202e",
    "\u200b",
    "\u00a0",
    "\ufeff",
    "א",
    "漢",
    "\U000e0041",
    "\x00",
    "\x1b",
    "-",
    "+",
    "@@ -1 +1 @@",
    "\\ No newline at end of file",
]


def columns(c: str) -> int:
    """Returns the columns of a character of the alphabet."""
    return 0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")


def read_back(text: str) -> str:
    """Returns the line that a text was shown for, which is possible only when nothing of it is lost."""
    found, column = "", 0
    while text:
        if text.startswith(NUMBER):
            number, _, rest = text.removeprefix(NUMBER).partition(">")
            found += chr(int(number, 16))
            taken = len(text) - len(rest)
            column += taken
        elif text[0] == TAB:
            taken = 4 - column % 4
            found += "\t"
            column += taken
        else:
            found += {SPACE: " ", RETURN: "\r"}.get(text[0], text[0])
            taken = 1
            column += columns(text[0])
        text = text[taken:]
    return found


# Promise (page): What is shown can be read back; what the box shows by number the page does too;
# nothing is drawn out of its order. With
# `test_a_box_a_form_and_a_page_say_the_same_of_a_change`,
# `test_the_texts_are_in_the_order_in_which_they_are_stored`.
def test_every_line_can_be_read_back_from_what_is_shown(con):
    chance = random.Random(7)
    texts = ["".join(chance.choices(ALPHABET, k=chance.randrange(8))) for _ in range(3000)]
    content = "".join(f"{text}\n" for text in texts)
    payload = {
        "type": "write", "description": "Write", "path": "w/a", "sandbox": "w", "content": content, "content_lines": len(texts),
        "content_bytes": len(content.encode()), "preview": "", "preview_truncated": True, "file_exists": False,
    }  # fmt: skip
    query = "SELECT system.main.approval_pieces(?)"
    (found,) = con.execute(query, [json.dumps(payload)]).fetchone()
    rows = [row for row in rows_of(found) if row.kind == "added"]
    assert [row.new for row in rows] == [*range(1, len(texts) + 1)]
    for row, text in zip(rows, texts):
        html = ElementTree.tostring(drawn(row.pieces), encoding="unicode", method="text")
        assert read_back(html) == text and all(c.isprintable() for c in html), text


def test_a_change_that_cannot_be_shown_whole_cannot_be_approved():
    fields = {
        "type": "write_large",
        "path": "w/a",
        "sandbox": "w",
        "content_lines": 1,
        "content_bytes": 9,
        "file_exists": False,
        "content_truncated": True,
    }
    waiting = question.Waiting("id", "Write w/a", "client", json.dumps(fields))
    for problem in (question.TOO_LARGE, question.UNKNOWN):
        page = pages.change(
            waiting, question.View(problem=problem), seals.Seals(), 1, False
        ).decode()
        assert 'value="no"' in page and 'value="yes"' not in page and problem[:30] in page


def test_a_list_that_comes_late_voids_no_form_of_one_that_was_asked_for_after_it(monkeypatch):
    """Two requests look at what waits, and the answer to the first, of before the question, takes longer."""
    asked = question.Waiting("id", "Edit w/f", "session", "{}")
    answers = [([], 20), ([asked], 1)]

    async def waiting(*_):
        found, turns = answers.pop(0)
        for _ in range(turns):
            await anyio.lowlevel.checkpoint()
        return found

    async def seals_of_both():
        served = site.Site(None, "token")
        async with anyio.create_task_group() as group:
            group.start_soon(served.waiting)
            await anyio.lowlevel.checkpoint()
            (shown,) = await served.waiting()
            before = served.seals.answer(shown, "yes")
        return before, served.seals.answer(shown, "yes")

    monkeypatch.setattr(site, "waiting", waiting)
    before, after = anyio.run(seals_of_both)
    assert before == after
