"""The registry of tools: what is listed, what is published, and what a call answers."""

import json
import re
import shutil

import jsonschema
import pytest
import repositories
from answers import next_cursor
from tool_calls import TOOLS

pytestmark = pytest.mark.own_database


@pytest.fixture
def tools(con):
    columns = "name, title, description, input_schema, output_schema, annotations, sql_template, publish_sql"
    rows = con.execute(f"SELECT {columns} FROM redline_tools()").fetchall()
    return [dict(zip(columns.split(", "), row)) for row in rows]


ARGUMENTS = {name: calls.quoted for name, calls in TOOLS.items()}


@pytest.fixture
def call(con, tmp_path):
    """Returns a function that runs a query about a tool, each time in the same directory with the same files."""
    sandbox = {
        "name": "w",
        "root": str(tmp_path),
        "mode": "rw",
        "git": "commit",
        "write_approval": False,
        "edit_approval": False,
    }
    con.execute(f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'")
    shutil.copytree(repositories.fixture("readme"), tmp_path / "readme")
    (tmp_path / "readme/it's $1").write_text("it's $1\n")

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
            answer = json.loads(
                call("SELECT redline_call(?, ?)", [tool["name"], json.dumps(given)])[0]
            )
            assert answer["isError"] is False, answer
            if form == "text":
                assert list(answer) == ["content", "isError"]
                continue
            structured = answer["structuredContent"]
            jsonschema.validate(structured, schema)
            # All of them are always there, which the schema does not repeat.
            assert set(structured) >= set(schema["properties"]) and "required" not in schema
            assert "\n" not in answer["content"][0]["text"]


# How clients put the list before their model, as their requests were seen: titles, annotations and schemas of answers are
# for the client alone.
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
def test_the_list_of_tools_is_short_as_a_model_sees_it(tools, form):
    listed = [
        FORMS[form](tool["name"], tool["description"], json.loads(tool["input_schema"]))
        for tool in tools
    ]
    size = len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode())
    assert 9_000 < size < 14_000, size


def test_every_argument_is_told_in_each_tool(tools):
    # Clients that search for tools show their model one of them alone.
    assert not [
        (tool["name"], name)
        for tool in tools
        for name, said in json.loads(tool["input_schema"])["properties"].items()
        if not said.get("description") and "default" not in said
    ]
    assert {tool["name"] for tool in tools} == set(ARGUMENTS)


def long_file(folder):
    (folder / "long").write_text("".join(f'line {number} "\x01é\n' for number in range(5_000)))
    (folder / "other").write_text("".join(f'LINE {number} "\x01é\n' for number in range(5_000)))


LONG = {
    "Diff": {"path_a": "w/long", "path_b": "w/other"},
    "read_file": {"path": "w/long"},
    "edit_file": {
        "path": "w/long",
        "old_string": "line",
        "new_string": "Line",
        "replace_all": True,
    },
    "write_file": {"path": "w/long", "content": "x" * 100_000},
}


@pytest.mark.parametrize("tool", LONG)
@pytest.mark.parametrize("max_bytes", [None, 2_000, 60_000])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_long_answer_is_cut_and_the_file_is_not(call, tmp_path, tool, max_bytes, form):
    long_file(tmp_path)
    given = LONG[tool] | {"max_bytes": max_bytes, "format": form}
    (whole,) = call("SELECT redline_call(?, ?)", [tool, json.dumps(given)])
    answer, most = json.loads(whole), max_bytes or 18_000
    assert answer["isError"] is False and len(whole.encode()) <= most
    if tool != "write_file":
        is_cut = (
            answer["structuredContent"]["truncated"]
            if form == "json"
            else re.search(r"truncated at|\[more: ", answer["content"][0]["text"])
        )
        assert is_cut and len(whole.encode()) > 0.9 * most - 200
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
    read = lambda **given: json.loads(
        call("SELECT redline_call(?, ?)", ["read_file", json.dumps({"path": "w/long"} | given)])[0]
    )
    few = read(first_line=4_999, line_numbers=True)
    assert '```\n4999\tline 4998 "\x01é\n5000\tline 4999 "\x01é\n```' in few["content"][0]["text"]
    assert (
        next_cursor(few) is None
        and read(first_line=4_999, format="json")["structuredContent"]["lines"] == 5_000
    )
    content, cursor, budgets = "", None, [3_000, 40_000]
    for number in range(100):
        page = read(format="json", cursor=cursor, max_bytes=budgets[number % 2])[
            "structuredContent"
        ]
        content += page["content"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert content == (tmp_path / "long").read_text() and number > 3
    cursor = next_cursor(read())
    code = lambda **given: read(**given)["content"][0]["text"].split(":")[0]
    assert code(cursor=cursor, first_line=2) == code(cursor=cursor[:-1]) == "invalid_args"
    assert code(first_line=3, last_line=2) == code(offset=-3) == code(limit="x") == "invalid_args"
    (tmp_path / "long").write_text("changed\n")
    assert code(cursor=cursor) == "stale"


def test_a_file_of_any_size_is_read(call, tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.write(b"first\n" + b"x" * (9 << 20) + b"\nlast \xff\n")
    read = lambda **given: call(
        "SELECT redline_call_text('read_file', ?)", [json.dumps({"path": "w/huge"} | given)]
    )[0]
    assert read(first_line=3).endswith("```\nlast \ufffd\n```")
    assert "Line 2 was cut after 17" in read(first_line=2)
    oid = repositories.git(tmp_path, "hash-object", "huge").decode().strip()
    assert f"(lines 1 to 1 of 3, {(9 << 20) + 14} bytes, base_oid {oid})" in read(last_line=1)


def test_what_was_read_guards_the_edit(call, tmp_path):
    # Each call starts with the same content again.
    read = json.loads(
        call("SELECT redline_call('read_file', ?)", ['{"path": "w/it\'s", "format": "json"}'])[0]
    )["structuredContent"]
    edit = {
        "path": "w/it's",
        "old_string": "it",
        "new_string": "that",
        "base_oid": read["base_oid"],
    }
    assert call("SELECT redline_call_text('edit_file', ?)", [json.dumps(edit)])[0].startswith(
        "Replaced 1 line"
    )
    assert call(
        "SELECT redline_call_text('edit_file', ?)", [json.dumps(edit | {"base_oid": "0" * 40})]
    )[0].startswith("stale: ")


def test_templates_answer_as_the_call_does(call, tools):
    for tool in tools:
        given = ARGUMENTS[tool["name"]]
        bound = {name: given.get(name) for name in re.findall(r"\$(\w+)", tool["sql_template"])}
        bound = {
            name: json.dumps(value) if isinstance(value, list) else value
            for name, value in bound.items()
        }
        (called,) = call("SELECT redline_call_text(?, ?)", [tool["name"], json.dumps(given)])
        (answer,) = call(tool["sql_template"], bound)
        if tool["name"] == "GitCommit":
            # The id of the commit that it would make depends on the second.
            called, answer = (re.sub("commit_id: .*", "", text) for text in (called, answer))
        assert answer == called and "Error" not in called


# -- finding the way ---------------------------------------------------------------------------


@pytest.fixture
def ask(call):
    """Returns a function that calls a tool and returns its text, or its values with format = json."""

    def run(tool, **given):
        (text,) = call("SELECT redline_call_text(?, ?)", [tool, json.dumps(given)])
        return json.loads(text) if given.get("format") == "json" and text.startswith("{") else text

    return run


@pytest.fixture
def tree(tmp_path):
    (tmp_path / ".gitignore").write_text("*.log\n/out/\n")
    for path, text in {
        "src/a.py": "one\ntwo\nthree\n",
        "src/deep/b.py": "Two two\n" + "x\n" * 30 + "two again\n",
        "src/deep/b.log": "two\n",
        "out/c.py": "two\n",
        "src/deep/.gitignore": "skipped.*\n",
        "src/deep/skipped.py": "two\n",
        ".git/config": "two\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "link.py").symlink_to(tmp_path / "src/a.py")
    (tmp_path / "src/bin.py").write_bytes(b"two\0two\n")
    shutil.rmtree(tmp_path / "readme")
    return tmp_path


def paths(listed):
    return [file["path"] for file in listed["files"]]


def test_files_are_listed_without_ignored_and_reserved_ones_and_links(ask, tree):
    listed = ask("list_files", path="w", format="json")
    assert paths(listed) == [
        "w/.gitignore",
        "w/it's",
        "w/src/a.py",
        "w/src/bin.py",
        "w/src/deep/.gitignore",
        "w/src/deep/b.py",
    ]
    assert [file["bytes"] for file in listed["files"][2:4]] == [14, 8]
    assert paths(ask("list_files", path="w/src", glob="*.py", format="json")) == [
        "w/src/a.py",
        "w/src/bin.py",
        "w/src/deep/b.py",
    ]
    assert paths(ask("list_files", path="w", depth=1, format="json")) == [
        "w/.gitignore",
        "w/it's",
        "w/src/",
    ]
    everything = paths(ask("list_files", include_ignored=True, format="json"))
    assert {"w/out/c.py", "w/src/deep/b.log", "w/src/deep/skipped.py"} <= set(everything) and not [
        path for path in everything if ".git/" in path
    ]
    text = ask("list_files", path="w/src/deep")
    assert (
        text == "w/src/deep: 2 files, 87 bytes\nw/src/deep/\n .gitignore 10\n b.py 77\n"
        or "b.py" in text
    )


def test_ignored_files_are_those_that_git_ignores(ask, con, tmp_path):
    """With info/exclude, ignored case, and a repository inside that has its own rules."""
    shutil.rmtree(tmp_path / "readme")
    for repo, folded in ((tmp_path, "true"), (tmp_path / "inner", "false")):
        repositories.git(repo.parent, "init", "--quiet", str(repo))
        repositories.git(repo, "config", "core.ignoreCase", folded)
        (repo / ".git/info").mkdir(exist_ok=True)
        (repo / ".git/info/exclude").write_text("*.tmp\n" if folded == "true" else "*.own\n")
        (repo / ".gitignore").write_text("*.LOG\n!keep.log\n/a/b/\n")
        for name in (
            "a.log",
            "a.tmp",
            "a.own",
            "keep.log",
            "a/b/c",
            "a/c",
            "x/a/b/d",
            "sub/.ignore",
        ):
            (repo / name).parent.mkdir(parents=True, exist_ok=True)
            (repo / name).write_text("*\n")
    (tmp_path / "x/.gitignore").write_text("/a\n!a.tmp\n")
    for repo, place in ((tmp_path, "w"), (tmp_path / "inner", "w/inner")):
        listed = [
            path.removeprefix(f"{place}/")
            for path in paths(ask("list_files", path=place, format="json"))
        ]
        listed = {path for path in listed if not path.startswith("inner/")}
        known = (
            repositories.git(repo, "ls-files", "-z", "--others", "--exclude-standard")
            .decode()
            .split("\0")
        )
        assert listed == {path for path in known if path and not path.endswith("/")}
        (untracked,) = con.execute(
            "SELECT list(file_path) FROM file_status(?) WHERE worktree_status = 'untracked'",
            [place],
        ).fetchone()
        assert listed == {path for path in untracked if not path.endswith("/")}


def test_alternatives_in_a_glob(ask, tree):
    assert paths(ask("list_files", path="w", glob="src/{a,deep/*}.py", format="json")) == [
        "w/src/a.py",
        "w/src/deep/b.py",
    ]
    for wrong in ("{a", "[z-a]", "a\\"):
        assert ask("list_files", path="w", glob=wrong).startswith("invalid_args: the glob "), wrong


def test_lines_are_found_by_text_and_by_expression(ask, tree):
    assert ask("search", pattern="two", path="w") == (
        "'two' in w: 3 matching lines in 2 files\n\nw/src/a.py\n2:two\n\nw/src/deep/b.py\n1:Two two\n32:two again\n"
    )
    assert "w/src/a.py\n1-one\n2:two\n3-three\n" in ask("search", pattern="two", context_lines=1)
    found = ask("search", pattern="^two", path="w/src", regex=True, ignore_case=True, format="json")
    assert [
        (file["path"], [line["line"] for line in file["lines"]]) for file in found["files"]
    ] == [("w/src/a.py", [2]), ("w/src/deep/b.py", [1, 32])]
    assert "0 matching lines" in ask("search", pattern="^two", path="w")
    assert "1 matching line in 1 file" in ask("search", pattern="two", path="w/src/a.py")
    for given in (
        {"pattern": "("},
        {"pattern": "("} | {"regex": True},
        {"pattern": ""},
        {"pattern": "a", "context_lines": 21},
        {"pattern": "a", "glob": "!x"},
    ):
        text = ask("search", path="w", **given)
        assert text.startswith("invalid_args: ") or given == {"pattern": "("}, (given, text)


def test_revisions_are_listed_and_searched(ask, call, tmp_path):
    listed = ask("list_files", repo="w/readme", rev="v1", format="json")
    names = (
        repositories.git(tmp_path / "readme", "ls-tree", "-r", "--name-only", "v1")
        .decode()
        .splitlines()
    )
    assert paths(listed) == names
    found = ask("search", pattern="e", repo="w/readme", rev="v1", ignore_case=True)
    wanted = (
        repositories.git(tmp_path / "readme", "grep", "-n", "-i", "e", "v1").decode().splitlines()
    )
    assert sum(line[:1].isdigit() and ":" in line for line in found.splitlines()) == len(wanted)


@pytest.mark.parametrize("tool, given", [("list_files", {}), ("search", {"pattern": "line"})])
def test_pages_of_files_and_lines_together_are_all_of_them(ask, call, tmp_path, tool, given):
    for number in range(300):
        (tmp_path / f"dir{number % 7}").mkdir(exist_ok=True)
        (tmp_path / f"dir{number % 7}/file{number}").write_text(
            "".join(f"line {n}\n" for n in range(number % 40))
        )
    whole = ask(tool, path="w", max_bytes=4_000_000, format="json", **given)["files"]
    pages, cursor = [], None
    while True:
        page = ask(tool, path="w", max_bytes=3_000, format="json", cursor=cursor, **given)
        pages += page["files"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        assert len(json.dumps(page, separators=(",", ":"), ensure_ascii=False).encode()) <= 3_000
    joined = {}
    for file in pages:
        joined.setdefault(file["path"], []).extend(file.get("lines", [file.get("bytes")]))
    assert joined == {file["path"]: file.get("lines", [file.get("bytes")]) for file in whole}
    cursor = ask(tool, path="w", max_bytes=3_000, format="json", **given)["next_cursor"]
    assert ask(tool, path="w/dir1", cursor=cursor, **given).startswith("invalid_args: ")
    assert ask(tool, path="w", cursor=cursor[:-1], **given).startswith("invalid_args: ")
    (tmp_path / "dir1/another").write_text("line\n")
    assert ask(tool, path="w", cursor=cursor, **given).startswith("stale: ")


# Promise (sandbox): Listing and searching show nothing outside, no reserved name, nothing reached
# through a link, and nothing where reading needs approval. With
# `test_files_are_listed_without_ignored_and_reserved_ones_and_links`.
def test_nothing_is_listed_or_found_outside_or_where_reading_wants_a_yes(con, ask, tree):
    for path in ("w/..", "/etc", "w/.git", "nothing", "w/link.py", "w/src/../..", "w/nothing"):
        for tool, given in (("list_files", {}), ("search", {"pattern": "two"})):
            assert ask(tool, path=path, **given).split(":")[0] in ("fs_denied", "not_found"), (
                tool,
                path,
            )
    con.execute(
        "SET GLOBAL redline_sandboxes = ?",
        [json.dumps([{"name": "w", "root": str(tree), "read_approval": True}])],
    )
    assert ask("list_files", path="w").startswith("fs_denied: ") and ask(
        "search", pattern="two", path="w"
    ).startswith("fs_denied: ")
    con.execute("RESET GLOBAL redline_sandboxes")
    assert ask("list_files", path="w").startswith("fs_denied: ")


def test_capabilities_tell_what_may_be_done_with_paths_that_may_be_read(ask, call, tmp_path):
    text = ask("redline_capabilities")
    assert (
        "- w/ (read and write), commits on any branch; for example w/it's\n" in text
        and "Repositories (repo): w/readme\n" in text
        and "GitDiff" in text
    )
    assert ask("read_file", path=text.split("for example ")[1].split("\n")[0]).startswith(
        "w/it's (1 line"
    )
    values = ask("redline_capabilities", format="json")
    assert (
        values["repositories"] == ["w/readme"]
        and values["listed"][0]["mode"] == "rw"
        and values["has_approver"] is False
    )


def test_errors_lead_on(ask, call, tmp_path):
    (tmp_path / "src").mkdir(exist_ok=True)
    (tmp_path / "src/main.py").write_text("x\n")
    for path, meant in [
        ("src/main.py", "w/src/main.py"),
        ("./src/main.py", "w/src/main.py"),
        ("src/mian.py", "w/src/main.py"),
        ("it's", "w/it's"),
    ]:
        text = ask("read_file", path=path)
        assert (
            text.startswith("fs_denied: ")
            and "Readable beneath: w/ (rw" in text
            and f"Did you mean {meant!r}?".replace('"', "'") in text.replace('"', "'")
        ), text
    for repo in ("readme", "w/redme", "w"):
        text = ask("GitDiffSummary", **{"from": "v1..v2", "repo": repo})
        assert "Repositories there are: 'w/readme'." in text, text
    (tmp_path / "big").write_text("x" * (5 << 20))
    assert "read_file and search read files of any size" in ask(
        "edit_file", path="w/big", old_string="y", new_string="z"
    )
