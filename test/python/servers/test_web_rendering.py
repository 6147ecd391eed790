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

from duckdb_redline.server.web import pages, question, seals, site
from duckdb_redline.server.web.elements import visible
from duckdb_redline.server.web.rows import of_diff, of_text, ranges
from duckdb_redline.server.web.visible import NUMBER, RETURN, SPACE, TAB, pieces, shown

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


def read_back(text: str) -> str:
    """Returns the line that a text was shown for, which is possible only when nothing of it is lost."""
    found = ""
    while text:
        if text.startswith(NUMBER):
            number, _, text = text.removeprefix(NUMBER).partition(">")
            found += chr(int(number, 16))
        else:
            found += {TAB: "\t", SPACE: " ", RETURN: "\r"}.get(text[0], text[0])
            text = text[1:]
    return found


def lines(random_one: random.Random, most: int) -> str:
    count = random_one.randrange(most)
    text = "".join(
        "".join(random_one.choices(ALPHABET, k=random_one.randrange(6))) + "\n"
        for _ in range(count)
    )
    return text if random_one.random() < 0.7 else text.rstrip("\n")


# Promise (page): What is shown can be read back; what the box shows by number the page does too;
# nothing is drawn out of its order. With
# `test_what_the_box_of_a_terminal_shows_by_number_the_page_does_too`,
# `test_the_texts_are_in_the_order_in_which_they_are_stored`.
def test_every_line_can_be_read_back_from_what_is_shown():
    chance = random.Random(7)
    for _ in range(3000):
        line = "".join(chance.choices(ALPHABET, k=chance.randrange(8)))
        assert read_back(shown(line)) == line
        assert "".join(line[piece.start : piece.end] for piece in pieces(line)) == line
        words = tuple(
            sorted(
                (at, at + chance.randrange(1, 4))
                for at in chance.sample(range(len(line) + 1), k=min(2, len(line)))
            )
        )
        html = ElementTree.tostring(visible(line, words), encoding="unicode", method="text")
        assert read_back(html) == line and all(c.isprintable() for c in html), (line, words)


def test_what_the_box_of_a_terminal_shows_by_number_the_page_does_too(con):
    """The box is redline's own, in Rust; both follow the same table of docs/functions/approval_display.md."""
    # All but Han and Hangul, private use and the characters after the last tag.
    points = [
        point
        for point in [
            *range(0x3400),
            *range(0xA000, 0xAC00),
            *range(0xD700, 0xD800),
            *range(0xE000, 0x20000),
            *range(0xE0000, 0xE0200),
            0xF0000,
            0x10FFFF,
        ]
        if point != 10
    ]
    content = "".join(f"x{chr(point)}x\n" for point in points)
    payload = {
        "type": "write", "description": "Write", "path": "w/a", "sandbox": "w", "content": content, "content_lines": len(points),
        "content_bytes": len(content.encode()), "preview": "", "preview_truncated": True, "file_exists": False,
    }  # fmt: skip
    box = con.execute(
        "SELECT system.main.approval_display(?, 100, -1)", [json.dumps(payload)]
    ).fetchone()[0]
    numbered = {line.split(NUMBER)[1].split(">")[0] for line in box.split("\n") if NUMBER in line}
    ours = {f"{point:04X}" for point in points if NUMBER in shown(f"x{chr(point)}x")}
    # They differ at most in what one of their two versions of Unicode has given a meaning and the other has not.
    assert len(numbered) > 6000 and numbered <= ours, sorted(numbered - ours)[:20]
    assert all(unicodedata.category(chr(int(number, 16))) == "Cn" for number in ours - numbered), (
        sorted(ours - numbered)[:20]
    )
    hidden = [
        *range(0x600, 0x606),
        0x6DD,
        0x70F,
        0x890,
        0x891,
        0x8E2,
        0x110BD,
        0x110CD,
        0x16FE4,
        0x2D7F,
        0xFFFC,
        0x378,
        0xE001,
    ]
    assert {f"{point:04X}" for point in hidden} <= numbered


def test_both_sides_of_a_diff_are_there_whole(con):
    chance = random.Random(11)
    for _ in range(400):
        old, new = lines(chance, 12), lines(chance, 12)
        (diff,) = con.execute("SELECT system.main.unified_diff(?, ?, -1)", [old, new]).fetchone()
        if old == new:
            assert diff == "" and of_diff("") == []
            continue
        rows = of_diff(diff)
        sides = [
            "".join(
                cell.text + "\n" * cell.has_newline
                for row in rows
                if (cell := row.old if side else row.new)
            )
            for side in (True, False)
        ]
        assert sides == [old, new]
        assert [row.new.number for row in rows if row.new] == list(
            range(1, 1 + sum(row.new is not None for row in rows))
        )


def test_with_less_context_every_changed_line_is_there(con):
    chance = random.Random(13)
    for _ in range(200):
        old = "".join(f"{number % 7} {chance.choice(ALPHABET)}\n" for number in range(60))
        kept = old.split("\n")
        for at in chance.sample(range(60), 4):
            kept[at] = chance.choice(["changed", "", kept[at] + " "])
        (diff,) = con.execute(
            "SELECT system.main.unified_diff(?, ?, 3)", [old, "\n".join(kept)]
        ).fetchone()
        rows = of_diff(diff)
        changed = [("-", row.old.text) for row in rows if row.old and row.old.is_changed] + [
            ("+", row.new.text) for row in rows if row.new and row.new.is_changed
        ]
        wanted = [(line[0], line[1:]) for line in diff.split("\n")[2:] if line[:1] in ("-", "+")]
        assert sorted(changed) == sorted(wanted)


@pytest.mark.parametrize(
    "diff",
    [
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\nmore\n", "--- a\n+++ b\n@@ -1 +1,2 @@\n-a\n+b\n",
        "--- a\n+++ b\n@@ -1,2 +1 @@\n-a\n+b\n", "--- a\n+++ b\nhidden\n@@ -1 +1 @@\n-a\n+b\n", "--- a\n+++ b\n@@ -1 +1 @@\n-a\nb\n",
        "nothing\n\n\n", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n+c\n@@ -5 +5 @@\n-x\n+y\n",
    ],
)  # fmt: skip
def test_a_diff_of_which_a_line_would_not_be_shown_is_refused(diff):
    with pytest.raises(ValueError):
        of_diff(diff)


def test_a_new_file_has_all_its_lines():
    for text in ("", "a", "a\n", "\n", "\n\n", "a\n\nb", "a\r\nb\r\n"):
        assert "".join(row.new.text + "\n" * row.new.has_newline for row in of_text(text)) == text


def test_the_words_that_differ_are_marked_in_their_lines():
    assert ranges([("same ", False), ("other\nline", True), (" end\n", False)]) == [
        ((5, 10),),
        ((0, 4),),
        (),
    ]


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
    for problem in (question.TOO_LARGE, question.UNKNOWN, question.UNREADABLE):
        page = pages.change(
            waiting, question.View(problem=problem), seals.Seals(), 1, False
        ).decode()
        assert 'value="no"' in page and 'value="yes"' not in page and problem[:30] in page


def test_a_list_that_comes_late_voids_no_form_of_one_that_was_asked_for_after_it(monkeypatch):
    """Two requests look at what waits, and the answer to the first, of before the question, takes longer."""
    asked = question.Waiting("id", "Edit w/f", "session", "{}")
    answers = [([], 20), ([asked], 1)]

    async def waiting(_):
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
