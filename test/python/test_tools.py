"""The registry of tools: what is listed, what is published, and what a call answers."""

import json
import shutil

import jsonschema
import pytest
import repositories


@pytest.fixture
def tools(con):
    columns = "name, title, description, input_schema, output_schema, annotations, sql_template, publish_sql"
    rows = con.execute(f"SELECT {columns} FROM redline_tools()").fetchall()
    return [dict(zip(columns.split(", "), row)) for row in rows]


ARGUMENTS = {
    "Diff": {"text_a": "it's $1\n", "text_b": 'it"s $2\n', "context_lines": 0},
    "read_file": {"path": "w/it's", "max_chars": 3},
    "write_file": {"path": "w/it's", "content": "it's $2\n"},
    "GitDiff": {"from_rev": "v1", "to_rev": "v2", "path": "w/readme", "paths": ["*.md", "it's $x\\*"]},
    "GitDiffSummary": {"from_rev": "v1..v2", "path": "w/readme"},
    "GitDiffFile": {"from_rev": "v1", "to_rev": "v2", "path": "w/readme", "file_path": "README.md"},
    "edit_file": {"path": "w/it's", "edits": [{"old_string": "it's", "new_string": "$1"}]},
}


@pytest.fixture
def call(con, tmp_path):
    """Returns a function that runs a query about a tool, each time in the same directory with the same files."""
    sandbox = {"name": "w", "root": str(tmp_path), "mode": "rw", "write_approval": False, "edit_approval": False}
    con.execute(f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'")
    shutil.copytree(repositories.fixture("readme"), tmp_path / "readme")

    def run(query, arguments):
        (tmp_path / "it's").write_text("it's $1\n")
        return con.execute(query, arguments).fetchone()

    return run


def test_the_tool_diff_is_listed(tools):
    assert "Diff" in [tool["name"] for tool in tools]


def test_answers_match_their_schemas(call, tools):
    for tool in tools:
        answer = json.loads(call("SELECT redline_call(?, ?)", [tool["name"], json.dumps(ARGUMENTS[tool["name"]])])[0])
        assert answer["isError"] is False
        schema = json.loads(tool["output_schema"])
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(answer["structuredContent"], schema)
        assert set(answer["structuredContent"]) == set(schema["properties"]) == set(schema["required"])


def test_templates_answer_as_the_call_does(call, tools):
    for tool in tools:
        given = ARGUMENTS[tool["name"]]
        properties = json.loads(tool["input_schema"])["properties"]
        bound = {name: given.get(name) for name in properties}
        bound = {name: json.dumps(value) if isinstance(value, list) else value for name, value in bound.items()}
        answer = call("SELECT redline_call_text(?, ?)", [tool["name"], json.dumps(given)])
        assert call(tool["sql_template"], bound) == answer and "Error" not in answer[0]
