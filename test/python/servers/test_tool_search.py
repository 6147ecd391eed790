"""Clients that show their model no list of tools but a search: each tool is found by the words of its task."""

import collections
import math
import re

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import mcp_types as types

# What a model asks a search for, and the tool that does it.
TASKS = [
    ("review what a branch changed compared to main", "GitDiff"),
    ("git diff staged changes with hunks", "GitDiff"),
    ("list files changed in pull request diff stat", "GitDiffSummary"),
    ("what changed in one file", "GitDiffFile"),
    ("commit history of a file by author and date", "GitLog"),
    ("find the commit that added or removed a text", "GitLog"),
    ("show a commit message and its diff", "GitShow"),
    ("git blame which commit a line is from", "GitBlame"),
    ("read a file at an old revision", "GitFile"),
    ("uncommitted and untracked files status", "GitStatus"),
    ("list branches and tags", "GitRefs"),
    ("which tags contain a commit", "GitRefs"),
    ("compare two versions of a rebased series range-diff", "GitRangeDiff"),
    ("list directory files by glob", "list_files"),
    ("grep search for a regex pattern in code", "search"),
    ("read lines of a file", "read_file"),
    ("create or overwrite a whole file", "write_file"),
    ("replace a string in a file edit", "edit_file"),
    ("apply a patch to several files", "apply_patch"),
    ("undo revert an earlier edit", "undo"),
    ("stage hunks for a commit git add", "GitStage"),
    ("commit staged changes with a message", "GitCommit"),
    ("compare two texts or files outside of git diff", "Diff"),
    ("run a SQL query", "query"),
    ("what may this server read and write sandboxes permissions", "redline_capabilities"),
]
# A search shows a model this many tools.
SHOWN = 5


def words(text: str) -> list[str]:
    """Returns the words of a text; those of a name that is written as one are also words."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", text)
    return [part.lower() for part in parts]


def ranked(documents: dict[str, list[str]], query: str) -> list[str]:
    """Returns the names of documents by BM25, the best first."""
    count = len(documents)
    average = sum(map(len, documents.values())) / count
    holders = collections.Counter(word for text in documents.values() for word in set(text))
    scores = {}
    for name, text in documents.items():
        frequency = collections.Counter(text)
        scores[name] = sum(
            math.log(1 + (count - holders[word] + 0.5) / (holders[word] + 0.5))
            * frequency[word]
            * 2.2
            / (frequency[word] + 1.2 * (0.25 + 0.75 * len(text) / average))
            for word in words(query)
        )
    return sorted(scores, key=scores.get, reverse=True)


async def declined(context, parameters):
    return types.ElicitResult(action="decline")


def test_a_search_finds_each_tool_by_the_words_of_its_task(drive):
    async def conversation(client):
        return (await client.list_tools()).tools

    # Tools that ask a person are offered to clients with forms.
    tools = drive(conversation, options=("--query",), elicitation_callback=declined)
    described = {
        tool.name: " ".join(
            [tool.name, tool.title or "", tool.description or ""]
            + [
                f"{name} {said.get('description', '')}"
                for name, said in tool.input_schema["properties"].items()
            ]
        )
        for tool in tools
    }
    assert {tool for _, tool in TASKS} == set(described)
    documents = {name: words(text) for name, text in described.items()}
    found = {(query, tool): ranked(documents, query)[:SHOWN] for query, tool in TASKS}
    assert {task: names for task, names in found.items() if task[1] not in names} == {}
