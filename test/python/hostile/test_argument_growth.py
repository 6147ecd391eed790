"""What the texts of arguments cost: a function or a tool takes about four times as long for four times as many lines.

Each text of each function and tool is n and 4n equal lines, lines that alternate, and one long line. Time is the processor's, and the
factor generous: what takes the square of its lines is sixteen times as long, the cube sixty-four.
"""

import re
import time

import duckdb
import pytest
import text_calls
from answers import answer, assert_refused
from repositories import code_and_words
from sandboxes import configure

LINES = 12_000
# Four times as much in proportion, three times that for caches and what else runs; less than this many seconds is no measure.
FACTOR, SECONDS = 12, 0.4
SHAPES = {
    "equal lines": lambda count: "x\n" * count,
    "lines that alternate": lambda count: "one\nother\n" * (count // 2),
    "closing braces": lambda count: "}\n" * count,
    "one long line": lambda count: "x " * count,
}


def hunk(text: str) -> str:
    """Returns a patch of one hunk with a text as its context, and a line added in the middle."""
    lines = text.removesuffix("\n").split("\n")
    half = len(lines) // 2
    body = (
        [f" {line}" for line in lines[:half]] + ["+added"] + [f" {line}" for line in lines[half:]]
    )
    return (
        f"--- a/file\n+++ b/file\n@@ -1,{len(lines)} +1,{len(lines) + 1} @@\n"
        + "\n".join(body)
        + "\n"
    )


# Each has one text `$text`, beside texts that are short, and that are as long: `$whole`, the patch of it, and a part of it. Functions of their
# arguments alone are called by their parameters, too.
CALLS = {name: f"SELECT {call}" for name, call in text_calls.calls("grown").items()} | {
    "unified_diff": "SELECT unified_diff($text, $whole || 'z')",
    "unified_diff of a part": "SELECT unified_diff($whole, $part)",
    "diff_texts": "SELECT diff_texts($text, 'z' || $whole)",
    "diff_stats": "SELECT diff_stats($text, $part)",
    "diff_rows": "SELECT len(diff_rows($text, $part))",
    "patch_files of no patch": "SELECT patch_files($text)",
    "merge_texts": "SELECT merge_texts($text, $part, $whole || 'z')",
    "merge_texts of conflicts": "SELECT merge_texts($text, 'a' || $text, 'b' || $text)",
    "merge_conflicts": "SELECT len(merge_conflicts($text, 'a' || $part, 'b' || $text))",
    "edit_explain": "FROM edit_explain('ws/file', left($text, 4000))",
    "edit_file": "SELECT edit_file('ws/file', $part, 'new')",
    "edit_file of many places": "SELECT edit_file('ws/file', left($text, 2), 'new')",
    "edit_file of all places": "SELECT edit_file('ws/file', left($text, 2), 'new', true)",
    "edit_file that misses": "SELECT edit_file('ws/file', left($text, 4000) || 'z', 'new')",
    "edit_lines": "SELECT edit_lines('ws/file', 1, 1, $text, '0123456789012345678901234567890123456789')",
    "edit_files": "SELECT edit_files('ws', $patch, {'dry_run': true})",
    "edit_files of a part": "SELECT edit_files('ws', $part_patch, {'dry_run': true, 'fuzz': true})",
    "edit_files that misses": "SELECT edit_files('ws', replace($part_patch, '@@' || chr(10), '@@' || chr(10) || ' z' || chr(10)), {'dry_run': true})",
    "edit_files in an envelope": "SELECT edit_files('ws', $envelope, {'dry_run': true})",
    "edit_files of a text": "SELECT edit_files('ws', $text)",
    "edit_files in a block": "SELECT edit_files('ws', 'file' || chr(10) || '<<<<<<< SEARCH' || chr(10) || $part || chr(10) || '=======' || chr(10) || 'z' || chr(10) || '>>>>>>> REPLACE' || chr(10), {'dry_run': true})",
    "write_file": "SELECT write_file('ws/other', $text)",
    "needs_approval": "SELECT needs_approval('write_file', json_object('path', 'ws/other', 'content', $text))",
    "write_approval": "SELECT write_approval('ws/other', $text)",
    "edit_approval": "SELECT edit_approval('ws/file', $part, 'new')",
    "patch_pieces of no patch": "SELECT len(patch_pieces($text))",
    "tool Diff": "SELECT redline_call('Diff', json_object('path_a', 'ws/file', 'path_b', 'ws/part'))",
    "tool read_file": "SELECT redline_call('read_file', json_object('path', 'ws/file'))",
    "tool search": "SELECT redline_call('search', json_object('path', 'ws', 'pattern', left($text, 200)))",
    "tool apply_patch": "SELECT redline_call('apply_patch', json_object('patch', replace($patch, '/file', '/ws/file'), 'dry_run', true))",
    "tool edit_file": "SELECT redline_call('edit_file', json_object('path', 'ws/file', 'old_string', $part, 'new_string', 'new'))",
    "tool of no JSON": "SELECT redline_call('read_file', $text)",
}


def given(root, text: str) -> dict[str, str]:
    """Returns the values of the calls for a text, and makes the files that they are about."""
    part = text[: len(text) // 2]
    (root / "file").write_text(text)
    (root / "part").write_text(part)
    envelope = "".join(f" {line}\n" for line in part.removesuffix("\n").split("\n"))
    return {
        "text": text,
        "whole": text,
        "part": part,
        "patch": hunk(text),
        "part_patch": hunk(part),
        "envelope": f"*** Begin Patch\n*** Update File: file\n@@\n{envelope}+z\n*** End Patch\n",
    }


@pytest.fixture
def world(connect, tmp_path):
    box = {"name": "ws", "root": str(tmp_path), "mode": "rw", "write_approval": False, "edit_approval": False}  # fmt: skip
    return configure(connect(), box), tmp_path


def asked(world, sql: str, text: str) -> float:
    """Asks, and returns the processor time that it took; an error has a code."""
    con, root = world
    values = given(root, text)
    used = {name: values[name] for name in set(re.findall(r"\$(\w+)", sql))}
    start = time.process_time()
    try:
        con.execute(sql, used).fetchall()
    except duckdb.Error as error:
        code_and_words(error)
    return time.process_time() - start


# Promise (survival): Four times as many lines in a text of an argument, equal, alternating or one
# long line, take about four times the processor's time in functions and tools that take texts.
@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_four_times_the_lines_take_about_four_times_as_long(world, name):
    wrong = []
    world[0].execute("SET redline_max_seconds = 0")
    for shape, text in SHAPES.items():
        for _attempt in range(3):
            small, large = (asked(world, CALLS[name], text(count)) for count in (LINES, 4 * LINES))
            if large <= FACTOR * small + SECONDS:
                break
        else:
            wrong.append(f"{shape}: {small:.2f} and {large:.2f} s")
    assert not wrong, wrong


# More than can be done in a second: hunks that each name their place among equal lines, and are compared with all of them.
LONG = 300_000


# Promise (survival): A search in a text that an argument gives looks at the deadline, whatever
# repeats in it.
@pytest.mark.parametrize("last", ["x", "z"], ids=["that fit", "that fit nowhere"])
def test_hunks_among_equal_lines_end_at_the_deadline(world, last):
    con, root = world
    (root / "file").write_text("x\n" * LONG)
    starts = range(1, LONG, 50)
    hunks = "".join(f"@@ -{at},4 +{at},5 @@\n x\n x\n x\n {last}\n+y\n" for at in starts)
    patch = f"--- a/file\n+++ b/file\n{hunks}"
    con.execute("SET redline_max_seconds = 1")
    start = time.process_time()
    got = answer(con, "SELECT edit_files('ws', ?, {'dry_run': true})", patch)
    assert time.process_time() - start < 2.5
    assert_refused(got, "timeout")
