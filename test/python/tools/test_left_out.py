"""Arguments that are left out by an empty value: a strict mode makes a client send all of them, and some models do so by themselves."""

import copy
import json
import re

import duckdb
import pytest
import sandboxes
from tool_calls import GOOD, fill

EMPTY = [None, "", [], {}, [""]]
# Of these 0 is none, as they count from 1.
FROM_ONE = {"first_line", "last_line", "limit", "depth", "max_bytes"}
# Texts of which an empty one is a value, and what is given instead of them.
TEXTS = {"old_string": "edits", "new_string": "edits", "text_a": "path_a", "text_b": "path_a"}
CHANGES = {"write_file", "edit_file", "apply_patch", "undo", "GitStage", "GitCommit"}
EDITS = {"path": "workspace/a.txt", "edits": [{"old_string": "two", "new_string": ""}]}
CALLS = [(tool, arguments) for tool, (arguments, _) in GOOD.items()] + [
    ("edit_file", EDITS),
    ("Diff", {"text_a": "a\n", "text_b": "b\n"}),
    ("list_files", {"repo": "workspace/repo", "rev": "v1"}),
    ("GitLog", {"file": "README.md", "repo": "workspace/repo"}),
]


def strict(schema: dict) -> dict:
    """Returns a schema as the Agents SDKs of OpenAI send it in strict mode; raises for one that they refuse."""
    if schema.get("type") == "object":
        if schema.get("additionalProperties"):
            raise ValueError("a strict object has no additional properties")
        schema = schema | {
            "additionalProperties": False,
            "required": list(schema.get("properties", {})),
            "properties": {name: strict(one) for name, one in schema.get("properties", {}).items()},
        }
    if schema.get("type") == "array":
        schema = schema | {"items": strict(schema["items"])}
    if "default" in schema and schema["default"] is None:
        del schema["default"]
    return schema


def filled_in(schema: dict, given: dict) -> dict:
    """Returns a call with every argument: those that are given, and an empty value of the type of each other one."""
    empty = {"string": "", "array": [], "integer": 0, "boolean": False}
    # Of these what looks empty is a value, and not the default.
    others = {"renames": True} | ({"context_lines": 3} if "pattern" not in given else {})
    return {
        name: given.get(name, others.get(name, empty[one["type"]]))
        for name, one in schema["properties"].items()
    }


class Host:
    """A database with one sandbox, in which no change has to be approved."""

    def __init__(self, extension, folder):
        self.folder = folder
        self.con = duckdb.connect(config={"allow_unsigned_extensions": True})
        self.con.execute(f"LOAD '{extension}'")
        free = {f"{what}_approval": False for what in ("read", "write", "edit")}
        sandboxes.configure(
            self.con, {"name": "workspace", "root": folder, "mode": "rw", "git": "commit", **free}
        )
        listed = "SELECT name, input_schema FROM redline_tools()"
        self.schemas = {
            name: json.loads(schema) for name, schema in self.con.execute(listed).fetchall()
        }

    def call(self, tool: str, arguments: dict) -> dict:
        """Makes a call on the files as they were before all calls."""
        if tool in CHANGES:
            fill(self.folder)
        if tool == "undo":
            self.call(*CALLS[[name for name, _ in CALLS].index("edit_file")])
        if tool == "GitCommit":
            self.con.execute(
                "SELECT redline_call('GitStage', ?)", [json.dumps(GOOD["GitStage"][0])]
            ).fetchall()
        asked = [tool, json.dumps(arguments)]
        answer = self.con.execute("SELECT redline_call(?, ?)", asked).fetchone()[0]
        # The name of an operation or a commit is another one each time.
        return json.loads(
            re.sub(r"(?<=id = )[0-9a-f]{16}|(?<=commit_id: )[0-9a-f]{40}", "…", answer)
        )


@pytest.fixture(scope="module")
def host(extension, tmp_path_factory):
    return Host(extension, fill(tmp_path_factory.mktemp("workspace")))


# At night also the optional arguments of the first GitLog once more, beside a file.
@pytest.mark.parametrize(
    "number",
    [*range(len(CALLS) - 1), pytest.param(len(CALLS) - 1, marks=pytest.mark.slow)],
    ids=lambda number: CALLS[number][0],
)
def test_an_optional_argument_that_is_empty_is_left_out(host, number):
    tool, given = CALLS[number]
    schema, tried = host.schemas[tool], 0
    for name in sorted(set(schema["properties"]) - set(schema.get("required", []))):
        without = {other: value for other, value in given.items() if other != name}
        if name in TEXTS and TEXTS[name] not in given:
            continue
        left_out = host.call(tool, without)
        for empty in EMPTY + [0, "0"] * (name in FROM_ONE):
            assert host.call(tool, without | {name: empty}) == left_out, (name, empty)
            tried += 1
    assert tried >= len(EMPTY) or tool in ("write_file", "redline_capabilities")


def test_an_empty_text_is_a_value_where_it_can_be_one(host):
    def text(tool, arguments):
        return host.call(tool, arguments)["content"][0]["text"]

    assert "-a\n" in text("Diff", {"text_a": "a\n", "text_b": ""})
    assert "+b\n" in text("Diff", {"text_a": "", "text_b": "b\n"})
    assert "identical" in text("Diff", {"text_a": "", "text_b": "", "path_a": "", "path_b": ""})
    both = {"path": "workspace/a.txt", "old_string": "two", "new_string": "", "edits": []}
    assert "-two" in text("edit_file", both)
    assert "-two" in text("edit_file", EDITS | {"old_string": "", "new_string": ""})
    text("write_file", {"path": "workspace/a.txt", "content": ""})
    assert (host.folder / "a.txt").read_bytes() == b""
    assert "old_string" in text("edit_file", both | {"old_string": ""})


def test_every_schema_is_taken_in_strict_mode(host):
    def check(schema):
        assert schema.get("type") in ("object", "array", "string", "integer", "boolean"), schema
        for one in schema.get("properties", {}).values():
            check(one)
        if schema["type"] == "object":
            assert schema["required"] == list(schema["properties"])
        if schema["type"] == "array":
            check(schema["items"])

    for schema in host.schemas.values():
        check(strict(copy.deepcopy(schema)))


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda number: CALLS[number][0])
def test_a_call_with_every_argument_is_taken(host, number):
    tool, given = CALLS[number]
    arguments = filled_in(host.schemas[tool], given)
    answer, whole = host.call(tool, given), host.call(tool, arguments)
    assert not whole["isError"], whole
    assert whole == answer, arguments


def test_a_server_takes_empty_arguments(drive_writing):
    async def conversation(client):
        for tool in (await client.list_tools()).tools:
            given = {"sql": "SELECT 1"} if tool.name == "query" else GOOD[tool.name][0]
            result = await client.call_tool(tool.name, filled_in(tool.input_schema, given))
            assert not result.is_error, (tool.name, result.content[0].text)

    drive_writing(conversation)


@pytest.fixture
def drive_writing(extension, tmp_path):
    """Returns a function that runs a coroutine function with a client of a new server, whose person approves all."""
    pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")
    import anyio
    import in_memory
    import mcp_types as types
    from mcp import Client

    async def accept(context, params):
        return types.ElicitResult(action="accept", content={"approve": True})

    def run(conversation):
        async def main():
            server = in_memory.server(
                extension, str(fill(tmp_path)), "--write", "--commit", "--query"
            )
            with anyio.fail_after(180):
                async with Client(server, elicitation_callback=accept) as client:
                    return await conversation(client)

        return anyio.run(main)

    return run
