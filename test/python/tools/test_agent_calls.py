"""Calls that agents are likely to get wrong: each is taken, or answered by an error that names the right call."""

import json

import duckdb
import pytest
import repositories
from histories import Clock, write
from tool_calls import LIKELY, TAKEN

CALLS = [(tool, *call) for tool, calls in LIKELY.items() for call in calls]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Returns a checkout with two branches, a staged rename, an added and an untracked file."""
    root = tmp_path_factory.mktemp("checkout")
    write(root, "init --quiet --initial-branch=main .")
    clock = Clock(root)
    (root / "src").mkdir()
    code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    clock.commit(
        "first",
        files={
            "src/app.py": code,
            "kept.txt": "kept\n" * 20,
            "kept2.txt": "x\n",
            "edit.txt": "one\ntwo\nthree\nfour\nseven\nsame\nsame\n",
        },
    )
    clock.commit(
        "second", files={"src/app.py": code.replace("return 1", "return 11"), "docs.md": "words\n"}
    )
    write(root, "branch topic")
    write(root, "tag v1.0")
    clock.commit("third", files={"src/app.py": code.replace("return 1", "return 111")})
    repositories.git(root, "mv", "kept.txt", "moved.txt")
    (root / "added.txt").write_text("added\n")
    write(root, "add added.txt")
    (root / "untracked.txt").write_text("untracked\n")
    return root


@pytest.fixture(scope="module")
def ask(extension, checkout):
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{extension}'")
    sandbox = {
        "name": "workspace",
        "root": str(checkout),
        "mode": "rw",
        "git": "commit",
        "read_approval": False,
        "write_approval": False,
        "edit_approval": False,
    }
    con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps([sandbox])])
    return lambda tool, text: json.loads(
        con.execute("SELECT redline_call(?, ?)", [tool, text]).fetchone()[0]
    )


@pytest.mark.parametrize(
    "number", range(len(CALLS)), ids=lambda number: f"{number}-{CALLS[number][0]}"
)
def test_a_likely_call_is_taken_or_led_to_the_right_one(ask, checkout, number):
    tool, arguments, words = CALLS[number]
    answer = ask(tool, json.dumps(arguments).replace("{root}", str(checkout)))
    text = answer["content"][0]["text"]
    if words is TAKEN:
        assert not answer["isError"], text
        return
    # An empty answer that says why leads on as an error does.
    assert words in text, text
    assert len(text) < 1_500
    for words_of_rust in ("u64", "i64", "expected", "invalid type", "struct ", "serde"):
        assert words_of_rust not in text, text


def test_the_table_has_the_calls_of_every_tool(con):
    tools = {name for (name,) in con.execute("SELECT name FROM redline_tools()").fetchall()}
    assert {tool for tool, _, _ in CALLS} == tools and len(CALLS) >= 230
