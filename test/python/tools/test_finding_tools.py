"""Clients that show their model few tools at first: the list stays short, and a tool is found by the words of its task."""

import json
import math
import re
from collections import Counter

import pytest

# A task in an agent's words, and the tool that does it.
TASKS = [
    ("compare what changed between two revisions of the branch", {"GitDiff", "GitDiffSummary"}),
    ("list changed files with a stat of the diff", {"GitDiffSummary"}),
    ("show the commit history log, newest first", {"GitLog"}),
    ("which commit is each line of this file from, blame", {"GitBlame"}),
    ("search lines of files for a pattern, grep", {"search"}),
    ("list files of a directory", {"list_files"}),
    ("read lines of a text file", {"read_file"}),
    ("replace old_string in a file with new_string, edit", {"edit_file"}),
    ("apply a patch of several files", {"apply_patch"}),
    ("list branches and tags", {"GitRefs"}),
    ("status: staged, untracked and conflicting files", {"GitStatus"}),
    ("undo, take back the last change", {"undo"}),
    ("git add: stage files and hunks for a commit", {"GitStage"}),
    ("git commit what is staged with a message", {"GitCommit"}),
    ("create or overwrite a file with content", {"write_file"}),
    ("git range-diff of a rebased series", {"GitRangeDiff"}),
]
# What a search by words returns.
FOUND = 5
# Bytes of a list of all tools, as the clients send it to their model.
MOST_BYTES = 14_000


@pytest.fixture(scope="module")
def tools(con):
    rows = con.execute("SELECT name, description, input_schema FROM redline_tools()").fetchall()
    return [(name, description, json.loads(schema)) for name, description, schema in rows]


@pytest.fixture(scope="module")
def con(extension):
    import duckdb

    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{extension}'")
    return con


def words(text: str) -> list[str]:
    """Returns the words of a text, in small letters and without the ends of plurals; names in camel case are several."""
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return [word.rstrip("s") for word in re.findall(r"[a-z]+", split.lower().replace("_", " "))]


def ranked(tools, query: str) -> list[str]:
    """Returns the names of tools as a search ranks them that weighs words by how rare they are (BM25)."""
    texts = []
    for name, description, schema in tools:
        properties = schema["properties"]
        told = [name, description, *properties]
        told += [one.get("description", "") for one in properties.values()]
        texts.append(Counter(words(" ".join(told))))
    mean = sum(text.total() for text in texts) / len(texts)

    def score(text: Counter) -> float:
        total = 0.0
        for word in set(words(query)):
            holding = sum(word in other for other in texts)
            rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            count = text[word]
            total += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * text.total() / mean))
        return total

    order = sorted(range(len(tools)), key=lambda at: -score(texts[at]))
    return [tools[at][0] for at in order]


@pytest.mark.parametrize("task, wanted", TASKS, ids=[task for task, _ in TASKS])
def test_a_task_finds_its_tool(tools, task, wanted):
    assert wanted & set(ranked(tools, task)[:FOUND]), ranked(tools, task)


def compact(value) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


# How clients put the list before their model, as their requests were seen.
FORMS = {
    "anthropic": lambda name, told, schema: {"name": f"mcp__redline__{name}", "description": told, "input_schema": schema},
    "openai responses": lambda name, told, schema: {
        "type": "function", "name": name, "description": told, "parameters": schema, "strict": False,
    },
    "openai chat": lambda name, told, schema: {
        "type": "function", "function": {"name": f"redline_{name}", "description": told, "parameters": schema},
    },
    "gemini": lambda name, told, schema: {"name": name, "description": told, "parametersJsonSchema": schema},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_list_is_short_as_a_model_sees_it(tools, form):
    listed = [FORMS[form](name, told, schema) for name, told, schema in tools]
    assert 9_000 < compact(listed) < MOST_BYTES, compact(listed)
