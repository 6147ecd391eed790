"""moved_lines compared with the colours of `git diff --color-moved`.

`REDLINE_MOVED` sets how many pairs of commits the slow test compares, 150 by default; `make torture` compares 2,000.
"""

import itertools
import json
import os
import random
import re

import pytest
import repositories
from answers import answer, assert_refused
from rebases import clone_of_ripgrep

MODES = ["plain", "blocks", "zebra", "dimmed-zebra"]
WHITESPACE = {
    "none": "no",
    "all": "ignore-all-space",
    "change": "ignore-space-change",
    "eol": "ignore-space-at-eol",
    "indentation": "allow-indentation-change",
}
# Each colour of a moved line, and what it says: the second colour, dimmed.
COLOURS = {
    f"{side}Moved{suffix}": (number + first, is_alternate, is_dimmed)
    for side, first in (("old", 200), ("new", 210))
    for number, (suffix, is_alternate, is_dimmed) in enumerate(
        [("", False, False), ("Alternative", True, False), ("Dimmed", False, True), ("AlternativeDimmed", True, True)]
    )
}  # fmt: skip
CODES = {f"\x1b[38;5;{code}m".encode(): (alt, dim) for code, alt, dim in COLOURS.values()}
ESCAPE = re.compile(rb"\x1b\[[0-9;]*m")
HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory):
    return clone_of_ripgrep(tmp_path_factory)


def git_marks(repo, old: str, new: str, mode: str, whitespace: str) -> list[tuple]:
    """Returns the lines that git colours as moved: path, type, number, second colour, dimmed."""
    colours = [f"color.diff.{name}={code}" for name, (code, *_) in COLOURS.items()]
    colours = [word for colour in [*colours, "core.quotePath=false"] for word in ("-c", colour)]
    text = repositories.git(
        repo, *colours, "diff", "--no-renames", "--no-ext-diff", "--color=always",
        "--ws-error-highlight=none", f"--color-moved={mode}", f"--color-moved-ws={whitespace}", old, new,
    )  # fmt: skip
    marks, path, left, numbers = [], None, [0, 0], [0, 0]
    for line in text.split(b"\n"):
        plain = ESCAPE.sub(b"", line)
        if left == [0, 0]:
            if plain.startswith((b"--- a/", b"+++ b/")):
                path = plain[6:].rstrip(b"\t").decode()
            elif found := HUNK.match(plain):
                counts = [int(count or 1) for count in found.group(2, 4)]
                left, numbers = counts, [int(start) for start in found.group(1, 3)]
            continue
        sign = plain[:1]
        if sign == b"\\":
            continue
        code = ESCAPE.match(line)
        if code and code.group() in CODES and sign in b"+-":
            side = int(sign == b"+")
            kind = ["REMOVED", "ADDED"][side]
            marks.append((path, kind, numbers[side], *CODES[code.group()]))
        for side, signs in enumerate((b"- ", b"+ ")):
            if sign in signs:
                left[side] -= 1
                numbers[side] += 1
    return marks


def our_marks(con, repo, old: str, new: str, mode: str, whitespace: str) -> list[tuple]:
    return con.execute(
        "SELECT file_path, line_type, line, is_alternate, is_dimmed"
        " FROM moved_lines(?, ?, ?, mode := ?, whitespace := ?)",
        [old, new, str(repo), mode, whitespace],
    ).fetchall()


def assert_same(con, repo, old, new, mode, whitespace) -> int:
    theirs = git_marks(repo, old, new, mode, WHITESPACE[whitespace])
    ours = our_marks(con, repo, old, new, mode, whitespace)
    first = next((pair for pair in zip(ours, theirs) if pair[0] != pair[1]), None)
    assert ours == theirs, f"{old} {new} {mode} {whitespace}: {len(ours)} of {len(theirs)}, {first}"
    return len(ours)


def pairs_of(repo, count: int, seed: int) -> list[tuple[str, str]]:
    dice = random.Random(seed)
    commits = repositories.git_text(repo, "rev-list", "--no-merges", "HEAD").split()
    pairs = []
    for _ in range(count):
        at = dice.randrange(len(commits) - 40)
        pairs.append((commits[at + dice.choice([1, 1, 5, 30])], commits[at]))
    return pairs


@pytest.mark.parametrize("whitespace", WHITESPACE)
def test_moved_lines_of_ripgrep_are_those_that_git_colours(con, ripgrep, whitespace):
    moved = sum(
        assert_same(con, ripgrep, old, new, MODES[number % 4], whitespace)
        for number, (old, new) in enumerate(pairs_of(ripgrep, 16, 5))
    )
    assert moved > 100


@pytest.mark.slow
def test_moved_lines_of_many_commits_are_those_that_git_colours(con, ripgrep):
    combinations = list(itertools.product(MODES, WHITESPACE))
    pairs = int(os.environ.get("REDLINE_MOVED", "150"))
    for number, (old, new) in enumerate(pairs_of(ripgrep, pairs, 6)):
        # Each pair in all ways, or, of many pairs, each in some.
        for mode, whitespace in combinations if pairs <= 150 else combinations[number % 5 :: 5]:
            assert_same(con, ripgrep, old, new, mode, whitespace)


def random_text(dice: random.Random, words: list[str]) -> str:
    line = lambda: (
        dice.choice(["", " ", "  ", "\t", "    "])
        + dice.choice(words)
        + dice.choice(["", "", " ", "\r"])
    )
    return "\n".join(line() for _ in range(dice.randint(0, 60))) + dice.choice(["", "\n"])


def test_random_texts_are_marked_as_git_marks_them(con, tmp_path):
    """Few different lines, so that blocks overlap, repeat and touch."""
    repositories.git(tmp_path, "init", "--quiet", ".")
    dice = random.Random(9)
    words = [
        "",
        "}",
        "return true;",
        "let first_value = 1;",
        "let another_value_is_long_enough = 2;",
        "x",
        "a  b",
    ]
    trees = []
    for _ in range(40):
        for name in ("a", "b"):
            (tmp_path / name).write_bytes(random_text(dice, words).encode())
        repositories.git(tmp_path, "add", "a", "b")
        trees.append(repositories.git_text(tmp_path, "write-tree"))
    for number, (old, new) in enumerate(zip(trees, trees[1:])):
        for mode in MODES:
            assert_same(con, tmp_path, old, new, mode, list(WHITESPACE)[number % 5])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_texts_of_three_lines_are_marked_as_git_marks_them(con, tmp_path, seed):
    """Runs of equal lines of many lengths, most of them with few letters."""
    repositories.git(tmp_path, "init", "--quiet", ".")
    dice = random.Random(100 + seed)
    words = ["}", "  }", "abcdefghij"]
    trees = []
    for _ in range(80):
        for name in ("a", "b"):
            runs: list[str] = []
            for _ in range(dice.randint(0, 12)):
                runs += [dice.choice(words) + "\n"] * dice.randint(1, 9)
            (tmp_path / name).write_text("".join(runs))
        repositories.git(tmp_path, "add", "a", "b")
        trees.append(repositories.git_text(tmp_path, "write-tree"))
    for number, (old, new) in enumerate(zip(trees, trees[1:])):
        for mode in MODES:
            assert_same(con, tmp_path, old, new, mode, list(WHITESPACE)[number % 5])


# Lines that are moved from one file to another: equal ones with few letters, whose block is rejected; with a line that ends it
# elsewhere; two in turns; with letters.
LONG = "a_line_with_many_letters_of_its_own();\n"
MOVED = {
    "equal": lambda n: ["}\n" * n] * 2,
    "ended": lambda n: [LONG + "}\n" * n, "}\n" * n + LONG],
    "in_turns": lambda n: ["}\n{\n" * (n // 2)] * 2,
    "with_letters": lambda n: ["x\n" * n] * 2,
}


def moved_repository(folder, removed: str, added: str) -> None:
    repositories.git(folder, "init", "-q", ".")
    author = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for files in (
        {"a": "first\n" + removed, "b": "second\n"},
        {"a": "first\n", "b": "second\n" + added},
    ):
        for name, content in files.items():
            (folder / name).write_text(content)
        repositories.git(folder, "add", ".")
        repositories.git(folder, *author, "commit", "-qm", "Change")


ANSWERS = [
    "SELECT redline_call_text('GitDiff', json_object('repo', $repo, 'from', 'HEAD~1', 'to', 'HEAD'))",
    "SELECT redline_call_text('GitShow', json_object('repo', $repo, 'rev', 'HEAD'))",
    "SELECT diff_html('HEAD~1', 'HEAD', $repo)",
]


# Promise (survival): A remark never costs the answer: moved lines are searched by one step for each pair of
# equal lines, and left out of an answer or page with a word where these are too many.
# With `test_a_search_for_moved_lines_that_is_long_is_left_out_with_a_word`.
@pytest.mark.own_database
@pytest.mark.parametrize("kind", MOVED)
def test_thousands_of_equal_lines_that_were_moved_are_found_in_time(con, tmp_path, kind):
    """A search that grows with their cube takes minutes for these; the limit of 20 s is for busy machines."""
    moved_repository(tmp_path, *MOVED[kind](2000))
    con.execute("SET redline_max_seconds = 20")
    for query in ANSWERS:
        [(text,)] = con.execute(query, {"repo": str(tmp_path)}).fetchall()
        assert "timeout" not in text and "not searched" not in text, query
    query = "SELECT count(*) FROM moved_lines('HEAD~1', 'HEAD', ?)"
    [(found,)] = con.execute(query, [str(tmp_path)]).fetchall()
    assert found == {"equal": 0, "ended": 2, "in_turns": 0, "with_letters": 4000}[kind]


@pytest.mark.own_database
def test_a_search_for_moved_lines_that_is_long_is_left_out_with_a_word(con, tmp_path):
    moved_repository(tmp_path, "}\n" * 6000, "}\n" * 6000)
    con.execute("SET redline_max_seconds = 20")
    for query in ANSWERS:
        [(text,)] = con.execute(query, {"repo": str(tmp_path)}).fetchall()
        assert text.count("Moved lines were not searched: too many lines are equal.") == 1, query


def test_the_line_on_the_other_side_has_the_same_text(con, ripgrep):
    for old, new in pairs_of(ripgrep, 10, 8):
        for mode in ("plain", "zebra"):
            found = con.execute(
                """SELECT count(*) FROM moved_lines($old, $new, $repo, mode := $mode) moved
                   LEFT JOIN diff_lines($old, $new, $repo) lines
                     ON lines.file_path = moved_file AND lines.content = moved.content
                    AND lines.line_type <> moved.line_type
                    AND moved_line = CASE moved.line_type WHEN 'ADDED' THEN old_line ELSE new_line END
                   WHERE lines.content IS NULL OR candidates < 1""",
                {"old": old, "new": new, "repo": str(ripgrep), "mode": mode},
            ).fetchone()
            assert found == (0,)


def test_unknown_modes_are_refused(con, cases):
    for option in ("mode := 'stripes'", "whitespace := 'some'"):
        got = answer(con, f"SELECT * FROM moved_lines('HEAD~1', 'HEAD', ?, {option})", cases)
        assert_refused(got, "invalid_args")


def said(con, repo, **more):
    given = json.dumps({"repo": str(repo), "from": "HEAD~1", "to": "HEAD"} | more)
    return con.execute("SELECT redline_call_text('GitDiff', ?)", [given]).fetchone()[0]


def test_git_diff_says_once_what_was_moved(con, tmp_path):
    block = "".join(f"let value_{number} = compute({number});\n" for number in range(38))
    few = "".join(f"let other_{number} = compute({number});\n" for number in range(4))
    author = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
    repositories.git(tmp_path, "init", "-q", ".")
    for files in (
        {"b.c": "int b;\n" + block + few, "a.c": "int a;\n"},
        {"b.c": "int b;\n", "a.c": "int a;\n" + block, "few.c": few},
    ):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        repositories.git(tmp_path, "add", ".")
        repositories.git(tmp_path, *author, "commit", "-qm", "Change")
    sentence = "38 lines moved from 'b.c' to 'a.c'.\n"
    assert said(con, tmp_path).count(" moved ") == said(con, tmp_path).count(sentence) == 1
    # The few lines of the third file are seen at once; what shows no hunks says nothing of lines.
    assert "moved" not in said(con, tmp_path, paths=["a.c", "few.c"])
    given = json.dumps({"repo": str(tmp_path), "from": "HEAD~1", "to": "HEAD"})
    query = "SELECT redline_call_text('GitDiffSummary', ?)"
    assert "moved" not in con.execute(query, [given]).fetchone()[0]
    # Values have no sentences.
    assert sentence not in said(con, tmp_path, format="json")
    # A short answer has no room for it.
    for max_bytes in (2_000, 2_100, 3_000):
        assert len(said(con, tmp_path, max_bytes=max_bytes).encode()) <= max_bytes
