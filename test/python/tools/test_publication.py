"""sql/tools.sql and the other scripts, with a stand-in for the extension duckdb_mcp: a table holds what its PRAGMA would
publish, and calls bind the arguments as it does, each on its own connection."""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import duckdb
import pytest
import repositories
from repositories import ROOT

SQL = ROOT / "sql"
COLUMNS = ["name", "description", "sql_template", "properties", "required", "format"]
PUBLISH, START, PROMPT = (
    "PRAGMA mcp_publish_tool(",
    "PRAGMA mcp_server_start(",
    "PRAGMA mcp_register_prompt_template(",
)
# Text that would end a literal, name a parameter or start a comment if templates were built by concatenation.
HOSTILE = """it's "$1" $path $$ $x$ '' ; -- /* \\ \n { ü\u202e"""


def standing_in(script: str) -> str:
    """Returns a script whose publications go to a table."""
    script = script.replace(PUBLISH, "INSERT INTO published VALUES (").replace(
        START, "INSERT INTO started VALUES ("
    )
    return script.replace(PROMPT, "INSERT INTO prompts VALUES (")


@pytest.fixture
def server(con):
    con.execute(f"CREATE TABLE published ({', '.join(f'{column} VARCHAR' for column in COLUMNS)})")
    return con


def published(con) -> dict[str, dict]:
    rows = con.execute("FROM published").fetchall()
    return {
        row[0]: dict(zip(COLUMNS, row))
        | {"properties": json.loads(row[3]), "required": json.loads(row[4])}
        for row in rows
    }


def bound(tool: dict, arguments: dict) -> dict:
    """Returns the parameters of a call: lists and objects as JSON text, NULL for what is missing."""
    values = {name: arguments.get(name) for name in tool["properties"]}
    return {
        name: json.dumps(value) if isinstance(value, (list, dict)) else value
        for name, value in values.items()
    }


def call(con, tool: dict, arguments: dict) -> str:
    """Returns the answer of a call, which is one text; what is wrong is raised, our code first."""
    cursor = con.cursor()
    try:
        [(answer,)] = cursor.execute(tool["sql_template"], bound(tool, arguments)).fetchall()
    except duckdb.InvalidInputException as error:
        return str(error).removeprefix("Invalid Input Error: ")
    assert isinstance(answer, str)
    return answer


def example(kind: str, text: str):
    return {
        "string": text,
        "integer": 2,
        "boolean": True,
        "array": [text, {text: text}],
        "object": {text: text},
    }[kind]


def test_written_files_are_what_the_registries_say(con):
    # `make sql` writes these files; run it when this fails.
    spec = importlib.util.spec_from_file_location("write_sql", SQL.parent / "scripts/write_sql.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name, text in script.render(con).items():
        assert (SQL.parent / name).read_text() == text, f"{name} is stale: run `make sql`"


def test_all_arguments_of_the_pragma_are_texts(con):
    for (statement,) in con.execute("SELECT publish_sql FROM redline_tools()").fetchall():
        assert statement.startswith(PUBLISH)
        types = con.execute("SELECT " + statement[len(PUBLISH) : -1]).description
        assert [str(column[1]) for column in types] == ["VARCHAR"] * 6


# Arguments that no list has, beside the format.
UNLISTED = {
    "Diff": {"label_a", "label_b", "context_lines", "max_bytes"}, "GitDiff": {"file", "renames"},
    "GitDiffSummary": {"ignore_whitespace", "renames"}, "GitDiffFile": {"ignore_whitespace", "renames", "ids"}, "GitShow": {"merges"},
    "search": {"include_ignored"}, "apply_patch": {"dry_run", "max_bytes"}, "GitStage": {"dry_run", "max_bytes"},
    "GitCommit": {"dry_run", "max_bytes"}, "write_file": {"max_bytes"}, "edit_file": {"max_bytes"}, "undo": {"max_bytes"},
    "redline_capabilities": {"max_bytes"},
}  # fmt: skip
WRITING = {"write_file", "edit_file", "apply_patch", "undo", "GitStage", "GitCommit"}


def test_each_profile_publishes_its_tools(server):
    server.execute(standing_in((SQL / "tools.sql").read_text()))
    reading = set(published(server))
    assert {"Diff", "read_file"} <= reading and not reading & WRITING
    server.execute(standing_in((SQL / "tools_edit.sql").read_text()))
    listed = {name for (name,) in server.execute("SELECT name FROM redline_tools()").fetchall()}
    assert set(published(server)) == listed == reading | WRITING


@pytest.fixture
def tools(server):
    for name in ("tools.sql", "tools_edit.sql"):
        server.execute(standing_in((SQL / name).read_text()))
    return published(server)


def test_every_argument_is_published_with_its_type_and_description(server, tools):
    schemas = dict(server.execute("SELECT name, input_schema FROM redline_tools()").fetchall())
    for name, tool in tools.items():
        schema = json.loads(schemas[name])
        # Programs alone need some, which are taken but not listed.
        unlisted = {"format"} | UNLISTED.get(name, set())
        assert not unlisted & set(schema["properties"])
        assert set(tool["properties"]) == set(schema["properties"]) | unlisted
        assert tool["required"] == schema.get("required", [])
        assert set(re.findall(r"\$(\w+)", tool["sql_template"])) == set(tool["properties"])
        assert tool["format"] == "text"
        for argument, said in tool["properties"].items():
            assert said["type"] in ("string", "integer", "boolean")
            is_list = (
                json.loads(schemas[name])["properties"].get(argument, {}).get("type") == "array"
            )
            shown = "JSON list or one value" if is_list else said["type"]
            need = "required" if argument in tool["required"] else "optional"
            assert (
                f"\n- {argument} ({shown}, {need}){said['description'] and ': ' + said['description']}"
                in tool["description"]
            )


@pytest.mark.parametrize("text", [HOSTILE, "README.md", ""])
def test_templates_answer_as_the_call_does(server, tools, text, monkeypatch):
    # Tools read the repository of the working directory, and others may commit to this one meanwhile.
    monkeypatch.chdir(repositories.fixture("readme"))
    for name, tool in tools.items():
        everything = {
            argument: example(said["type"], text) for argument, said in tool["properties"].items()
        }
        for arguments in (everything, {name: everything[name] for name in tool["required"]}, {}):
            called = server.execute(
                "SELECT redline_call_text(?, ?)", [name, json.dumps(arguments)]
            ).fetchone()[0]
            assert call(server, tool, arguments) == called, (name, arguments)


@pytest.mark.own_database
def test_calls_through_the_templates_take_effect(server, tools, tmp_path):
    sandbox = json.dumps(
        [
            {
                "name": "w",
                "root": str(tmp_path),
                "mode": "rw",
                "write_approval": False,
                "edit_approval": False,
            }
        ]
    )
    server.execute(f"SET GLOBAL redline_sandboxes = '{sandbox}'")
    assert call(server, tools["Diff"], {"text_a": "a\n", "text_b": "b\n"}).startswith(
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"
    )
    assert call(server, tools["Diff"], {"text_a": HOSTILE, "text_b": HOSTILE}).endswith(
        "are identical (2 lines)."
    )
    assert call(server, tools["write_file"], {"path": "w/f", "content": HOSTILE}).startswith(
        "Created w/f (2 lines)\n"
    )
    assert (tmp_path / "f").read_text() == HOSTILE
    assert call(server, tools["read_file"], {"path": "w/f"}).endswith(f"):\n```\n{HOSTILE}\n```")
    assert "\n```\n2\t" in call(
        server, tools["read_file"], {"path": "w/f", "first_line": 2, "line_numbers": True}
    )
    edits = [
        {"old_string": "it's", "new_string": "that's"},
        {"old_string": '"$1"', "new_string": "'$2'", "replace_all": True},
    ]
    assert call(server, tools["edit_file"], {"path": "w/f", "edits": edits}).startswith(
        "Replaced 1 line at line 1 and 1 other place in w/f\n"
    )
    assert (tmp_path / "f").read_text() == HOSTILE.replace("it's", "that's").replace('"$1"', "'$2'")
    assert call(
        server, tools["edit_file"], {"path": "w/f", "old_string": "nowhere", "new_string": ""}
    ).startswith("not_found: ")


def whole_server(folder: pathlib.Path, extension: pathlib.Path) -> pathlib.Path:
    """Writes sql/ into a directory, set up for that directory, with tables in place of duckdb_mcp; returns the server's file."""
    texts = ", ".join(f"{column} VARCHAR" for column in COLUMNS)
    tables = f"CREATE TABLE published ({texts}); CREATE TABLE started (transport VARCHAR, host VARCHAR, port INTEGER, config VARCHAR); CREATE TABLE prompts (name VARCHAR, description VARCHAR, template VARCHAR);"
    (folder / "sql").mkdir()
    for path in SQL.glob("*.sql"):
        script = standing_in(path.read_text()).replace("/srv/workspace", str(folder))
        script = script.replace("LOAD duckdb_mcp;", tables).replace(
            "LOAD redline;", f"LOAD '{extension}';"
        )
        # The stand-in has no setting of this name; test_lockdown.py tries it with the real one.
        script = script.replace("SET GLOBAL mcp_lock_servers = true;", "")
        (folder / "sql" / path.name).write_text(script)
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder / "sql/mcp_server.sql"


def test_the_whole_server_offers_nothing_but_its_tools(connect, extension, tmp_path):
    script = whole_server(tmp_path, extension).read_text()
    script = re.sub(
        r"^\.read (.*)$",
        lambda found: (tmp_path / found[1]).read_text(),
        script,
        flags=re.MULTILINE,
    )
    script = re.sub(r"^\.(bail|mode) .*$", "", script, flags=re.MULTILINE)
    con = connect(load=False)
    con.execute(script)
    transport, _, _, config = con.execute("FROM started").fetchone()
    assert transport == "stdio" and not any(json.loads(config).values())
    tools = published(con)
    assert {"Diff", "read_file"} <= set(tools) and "edit_file" not in tools
    assert call(con, tools["read_file"], {"path": "workspace/a.txt"}).endswith("```\none\ntwo\n```")
    assert call(con, tools["read_file"], {"path": "workspace/../a.txt"}).startswith("fs_denied: ")
    assert con.execute("SELECT name FROM prompts").fetchall() == [("review",)]
    assert con.execute("SELECT count(*) FROM diff_texts('a', 'b')").fetchone() == (1,)
    for name, value in [("lock_configuration", True), ("enable_external_access", False)]:
        assert con.execute(f"SELECT current_setting('{name}')").fetchone() == (value,)


DUCKDB = pathlib.Path(sys.executable).with_name("duckdb")


@pytest.mark.skipif(not DUCKDB.exists(), reason="this version has no command line tool on PyPI")
def test_the_script_prints_nothing_and_leaves_stdin_to_the_server(extension, tmp_path):
    with whole_server(tmp_path, extension).open("a") as script:
        # The output of the script is discarded, so that stdout carries nothing but the protocol.
        script.write(
            "\n.mode csv\n.headers off\nSELECT count(*) > 1, (SELECT transport FROM started) FROM published;\n"
        )
    command = [DUCKDB, "-unsigned", "-csv", "-noheader", "-f", "sql/mcp_server.sql"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        input="SELECT 'from stdin';\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("true,stdio\n", 0), done.stderr


def test_a_list_is_text_that_may_be_json_or_one_value(server, tools):
    given = {"from": "v1", "to": "v2", "repo": "build/fixtures/readme"}
    template = tools["GitDiffSummary"]["sql_template"]
    answers = set()
    for paths in ('["README.md"]', "README.md"):
        bound_values = (
            dict.fromkeys(tools["GitDiffSummary"]["properties"]) | given | {"paths": paths}
        )
        answers.add(server.execute(template, bound_values).fetchone()[0])
    assert len(answers) == 1 and "1 file changed" in answers.pop()


@pytest.mark.slow
def test_no_error_shows_the_template(server, tools):
    for name, tool in tools.items():
        for argument in tool["properties"]:
            for value in ("[1", "x", "{}", "", "3.5", None):
                text = call(server, tool, {argument: value})
                # An answer may be a file or a commit that holds anything.
                is_error = re.match("[a-z_]+: ", text)
                assert is_error or name.startswith("Git") or name == "redline_capabilities", (
                    name,
                    argument,
                    text,
                )
                assert not is_error or "SELECT" not in text and "$" not in text.replace("'$", ""), (
                    name,
                    argument,
                    text,
                )
