"""The registry of tools: what is listed, what is published, and what a call answers."""

import json

import pytest


@pytest.fixture
def tools(con):
    columns = "name, title, description, input_schema, output_schema, annotations, sql_template, publish_sql"
    rows = con.execute(f"SELECT {columns} FROM redline_tools()").fetchall()
    return [dict(zip(columns.split(", "), row)) for row in rows]


ARGUMENTS = {"Diff": {"text_a": "it's $1\n", "text_b": 'it"s $2\n', "context_lines": 0}}


def test_a_tool_is_not_listed(tools):
    assert "Diff" in [tool["name"] for tool in tools]


def test_an_answer_does_not_have_the_shape_of_its_schema(con, tools):
    for tool in tools:
        answer = json.loads(con.execute("SELECT redline_call(?, ?)", [tool["name"], json.dumps(ARGUMENTS[tool["name"]])]).fetchone()[0])
        assert answer["isError"] is False
        schema = json.loads(tool["output_schema"])
        kinds = {"string": str, "integer": int, "boolean": bool}
        assert set(answer["structuredContent"]) == set(schema["properties"]) == set(schema["required"])
        for name, value in answer["structuredContent"].items():
            assert type(value) is kinds[schema["properties"][name]["type"]], name


def test_a_template_does_not_answer_as_the_call_does(con, tools):
    for tool in tools:
        given = ARGUMENTS[tool["name"]]
        properties = json.loads(tool["input_schema"])["properties"]
        bound = {name: given.get(name) for name in properties}
        assert con.execute(tool["sql_template"], bound).fetchone() == con.execute(
            "SELECT redline_call_text(?, ?)", [tool["name"], json.dumps(given)]
        ).fetchone()


def test_the_statement_that_publishes_is_not_that_of_the_pragma(con, tools):
    for tool in tools:
        # The extension cannot be had here; a table macro of its parameters' number and order stands in.
        prefix = "PRAGMA mcp_publish_tool("
        assert tool["publish_sql"].startswith(prefix)
        name, description, template, properties, required, form = con.execute(
            "SELECT " + tool["publish_sql"][len(prefix) : -1]
        ).fetchone()
        assert (name, description, template, form) == (tool["name"], tool["description"], tool["sql_template"], "text")
        assert set(json.loads(properties)) == set(json.loads(tool["input_schema"])["properties"])
        assert json.loads(required) == json.loads(tool["input_schema"]).get("required", [])
