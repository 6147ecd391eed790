"""Texts and schemas that agents read, kept in test/snapshots for review; REDLINE_WRITE_SNAPSHOTS=1 writes them."""

import json
import os
import re

import pytest
import repositories

FOLDER = repositories.ROOT / "test/snapshots"
REVIEW = {"from": "main~1", "to": "main", "repo": "build/fixtures/review"}
CALLS = {
    "summary": ("GitDiffSummary", REVIEW),
    "summary_without_renames": ("GitDiffSummary", REVIEW | {"renames": False}),
    "diff_within_the_budget": ("GitDiff", REVIEW | {"paths": ["*.py", "run.sh", "logo.png"]}),
    "diff_over_the_budget": ("GitDiff", REVIEW | {"max_bytes": 3000}),
    "diff_continued": ("GitDiff", REVIEW | {"max_bytes": 3000, "cursor": "next"}),
    "file_diff": ("GitDiffFile", REVIEW | {"file": "src/orders.py"}),
    "file_diff_of_a_hunk_over_the_budget": (
        "GitDiffFile",
        REVIEW | {"file": "data/words.txt", "max_bytes": 2000},
    ),
    "work_tree": ("GitDiff", {"from": "HEAD", "repo": "build/fixtures/readme-edits"}),
    "nothing_changed": ("GitDiff", REVIEW | {"from": "main"}),
    "no_such_revision": ("GitDiff", REVIEW | {"from": "mian"}),
    "no_such_file": ("GitDiffFile", REVIEW | {"file": "src/order.py"}),
    "file_as_values": ("GitDiffFile", REVIEW | {"file": "src/util.py", "format": "json"}),
    "no_such_argument": ("GitDiffFile", REVIEW | {"files": "src/orders.py"}),
}


def text_of(con, tool, arguments) -> str:
    arguments = dict(arguments)
    if arguments.get("cursor") == "next":
        first = con.execute(
            "SELECT redline_call_text(?, ?)", [tool, json.dumps(arguments | {"cursor": None})]
        ).fetchone()[0]
        arguments["cursor"] = re.search(r"with cursor (\w+)", first)[1]
    return con.execute("SELECT redline_call_text(?, ?)", [tool, json.dumps(arguments)]).fetchone()[
        0
    ]


def assert_reviewed(name: str, text: str) -> None:
    path = FOLDER / name
    if os.environ.get("REDLINE_WRITE_SNAPSHOTS"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", CALLS)
def test_texts_are_those_that_were_reviewed(con, name):
    repositories.fixtures()
    tool, arguments = CALLS[name]
    text = f"{tool} {json.dumps(arguments)}\n\n{text_of(con, tool, arguments)}"
    assert_reviewed(f"{name}.txt", text)


def listed(con) -> dict:
    columns = "name, title, description, input_schema, output_schema, annotations"
    return {row[0]: row for row in con.execute(f"SELECT {columns} FROM redline_tools()").fetchall()}


def test_tools_are_listed_as_they_were_reviewed(con):
    for name, (_, title, description, *schemas) in listed(con).items():
        input_schema, output_schema, annotations = map(json.loads, schemas)
        tool = {
            "name": name,
            "title": title,
            "description": description,
            "annotations": annotations,
        }
        tool |= {"inputSchema": input_schema, "outputSchema": output_schema}
        assert_reviewed(f"tool_{name}.json", json.dumps(tool, indent=2, ensure_ascii=False) + "\n")


def test_every_snapshot_is_in_use(con):
    names = {f"{name}.txt" for name in CALLS} | {f"tool_{name}.json" for name in listed(con)}
    assert {path.name for path in FOLDER.iterdir()} == names
