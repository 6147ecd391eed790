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
    "read_file": {"path": "w/it's", "last_line": 1, "line_numbers": True},
    "write_file": {"path": "w/it's", "content": "it's $2\n"},
    "GitDiff": {"from": "v1", "to": "v2", "repo": "w/readme", "paths": ["*.md", "it's $x\\*"]},
    "GitDiffSummary": {"from": "v1..v2", "repo": "w/readme"},
    "GitDiffFile": {"from": "v1", "to": "v2", "repo": "w/readme", "file": "README.md"},
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
        schema = json.loads(tool["output_schema"])
        jsonschema.Draft202012Validator.check_schema(schema)
        for form in ("text", "json"):
            given = ARGUMENTS[tool["name"]] | {"format": form}
            answer = json.loads(call("SELECT redline_call(?, ?)", [tool["name"], json.dumps(given)])[0])
            assert answer["isError"] is False, answer
            structured = answer["structuredContent"]
            jsonschema.validate(structured, schema)
            assert set(structured) >= set(schema["properties"]) == set(schema["required"])
            if form == "text":
                assert set(structured) == set(schema["properties"]) and len(json.dumps(structured)) < 400
            else:
                assert "\n" not in answer["content"][0]["text"]


def test_the_list_of_tools_is_short(tools):
    listed = [
        {"name": tool["name"], "title": tool["title"], "description": tool["description"]}
        | {"inputSchema": json.loads(tool["input_schema"]), "outputSchema": json.loads(tool["output_schema"])}
        | {"annotations": json.loads(tool["annotations"])}
        for tool in tools
    ]
    assert len(json.dumps({"tools": listed}, separators=(",", ":"), ensure_ascii=False).encode()) < 12_000


def long_file(folder):
    (folder / "long").write_text("".join(f"line {number} \"\x01é\n" for number in range(5_000)))
    (folder / "other").write_text("".join(f"LINE {number} \"\x01é\n" for number in range(5_000)))


LONG = {
    "Diff": {"path_a": "w/long", "path_b": "w/other"},
    "read_file": {"path": "w/long"},
    "edit_file": {"path": "w/long", "old_string": "line", "new_string": "Line", "replace_all": True},
    "write_file": {"path": "w/long", "content": "x" * 100_000},
}


@pytest.mark.parametrize("tool", LONG)
@pytest.mark.parametrize("max_bytes", [None, 2_000, 60_000])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_long_answer_is_cut_and_the_file_is_not(call, tmp_path, tool, max_bytes, form):
    long_file(tmp_path)
    given = LONG[tool] | {"max_bytes": max_bytes, "format": form}
    (whole,) = call("SELECT redline_call(?, ?)", [tool, json.dumps(given)])
    answer, most = json.loads(whole), max_bytes or 25_000
    assert answer["isError"] is False and len(whole.encode()) <= most
    if tool != "write_file":
        assert answer["structuredContent"]["truncated"] is True and len(whole.encode()) > 0.9 * most - 200
    (tmp_path / "long").unlink()
    long_file(tmp_path)
    (text,) = call("SELECT redline_call_text(?, ?)", [tool, json.dumps(given)])
    assert len(text.encode()) <= most and (form == "text" or json.loads(text))
    if tool == "edit_file":
        assert (tmp_path / "long").read_text().count("Line") == 5_000
    if tool == "write_file":
        assert (tmp_path / "long").read_text() == "x" * 100_000


def test_an_error_keeps_the_budget(call):
    given = {"path": "w/it's", "old_string": "x" * 60_000, "new_string": "y", "max_bytes": 2_000}
    (whole,) = call("SELECT redline_call(?, ?)", ["edit_file", json.dumps(given)])
    assert json.loads(whole)["isError"] is True and len(whole.encode()) <= 2_000


def test_a_file_is_read_by_lines_page_by_page(call, tmp_path):
    long_file(tmp_path)
    read = lambda **given: json.loads(call("SELECT redline_call(?, ?)", ["read_file", json.dumps({"path": "w/long"} | given)])[0])
    few = read(first_line=4_999, line_numbers=True)
    assert '```\n4999\tline 4998 "\x01é\n5000\tline 4999 "\x01é\n```' in few["content"][0]["text"]
    assert few["structuredContent"]["truncated"] is False and few["structuredContent"]["lines"] == 5_000
    content, cursor, budgets = "", None, [3_000, 40_000]
    for number in range(100):
        page = read(format="json", cursor=cursor, max_bytes=budgets[number % 2])["structuredContent"]
        content += page["content"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert content == (tmp_path / "long").read_text() and number > 3
    cursor = read()["structuredContent"]["next_cursor"]
    code = lambda **given: read(**given)["content"][0]["text"].split(":")[0]
    assert code(cursor=cursor, first_line=2) == code(cursor=cursor[:-1]) == code(first_line=0) == "invalid_args"
    assert code(first_line=3, last_line=2) == code(offset=3) == code(limit=3) == "invalid_args"
    (tmp_path / "long").write_text("changed\n")
    assert code(cursor=cursor) == "stale"


def test_a_file_of_any_size_is_read(call, tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.write(b"first\n" + b"x" * (9 << 20) + b"\nlast \xff\n")
    read = lambda **given: call("SELECT redline_call_text('read_file', ?)", [json.dumps({"path": "w/huge"} | given)])[0]
    assert read(first_line=3).endswith("```\nlast \ufffd\n```")
    assert "[line 2 goes on after 24" in read(first_line=2)
    oid = repositories.git(tmp_path, "hash-object", "huge").decode().strip()
    assert f"(lines 1 to 1 of 3, {(9 << 20) + 14} bytes, base_oid {oid})" in read(last_line=1)


def test_what_was_read_guards_the_edit(call, tmp_path):
    # Each call starts with the same content again.
    read = json.loads(call("SELECT redline_call('read_file', ?)", ['{"path": "w/it\'s"}'])[0])["structuredContent"]
    edit = {"path": "w/it's", "old_string": "it", "new_string": "that", "base_oid": read["base_oid"]}
    assert call("SELECT redline_call_text('edit_file', ?)", [json.dumps(edit)])[0].startswith("Replaced 1 line")
    assert call("SELECT redline_call_text('edit_file', ?)", [json.dumps(edit | {"base_oid": "0" * 40})])[0].startswith("stale: ")


def test_templates_answer_as_the_call_does(call, tools):
    for tool in tools:
        given = ARGUMENTS[tool["name"]]
        properties = json.loads(tool["input_schema"])["properties"]
        bound = {name: given.get(name) for name in properties}
        bound = {name: json.dumps(value) if isinstance(value, list) else value for name, value in bound.items()}
        answer = call("SELECT redline_call_text(?, ?)", [tool["name"], json.dumps(given)])
        assert call(tool["sql_template"], bound) == answer and "Error" not in answer[0]
