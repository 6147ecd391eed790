"""Clients that show their model no list of tools but a search: each tool is found by the words of its task."""

import re
from collections import Counter
from math import log

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import mcp_types as types
from tool_calls import TOOLS

# What a model asks a search for, and the tool that does it.
TASKS = [(task, name) for name, calls in TOOLS.items() for task in calls.tasks]
TASKS += [("run a SQL query", "query")]
# A search shows a model this many tools.
SHOWN = 5


def words(text: str) -> list[str]:
    """Returns the words of a text, in small letters and without the ends of plurals; names in camel case are several."""
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return [word.rstrip("s") for word in re.findall(r"[a-z]+", split.lower().replace("_", " "))]


def ranked(documents: dict[str, list[str]], query: str) -> list[str]:
    """Returns the names of documents as a search ranks them that weighs words by how rare they are (BM25)."""
    count = len(documents)
    average = sum(map(len, documents.values())) / count
    holders = Counter(word for text in documents.values() for word in set(text))
    scores = {}
    for name, text in documents.items():
        frequency = Counter(text)
        scores[name] = sum(
            log(1 + (count - holders[word] + 0.5) / (holders[word] + 0.5))
            * frequency[word]
            * 2.2
            / (frequency[word] + 1.2 * (0.25 + 0.75 * len(text) / average))
            for word in set(words(query))
        )
    return sorted(scores, key=scores.get, reverse=True)


async def declined(context, parameters):
    return types.ElicitResult(action="decline")


def test_a_search_finds_each_tool_by_the_words_of_its_task(drive):
    async def conversation(client):
        return (await client.list_tools()).tools

    # Tools that ask a person are offered to clients with forms.
    tools = drive(conversation, options=("--query",), elicitation_callback=declined)
    documents = {}
    for tool in tools:
        told = [tool.name, tool.description or ""]
        for name, said in tool.input_schema["properties"].items():
            told += [name, said.get("description", "")]
        documents[tool.name] = words(" ".join(told))
    assert {tool for _, tool in TASKS} == set(documents)
    found = {(query, tool): ranked(documents, query)[:SHOWN] for query, tool in TASKS}
    assert {task: names for task, names in found.items() if task[1] not in names} == {}
