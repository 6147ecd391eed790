"""Approvals: what a person is shown, what a yes is good for, and that nothing is done without it."""

import json
import threading
import time

import pytest
from test_files import configure, snapshot
from test_security import answer, assert_refused

EDIT = "SELECT edit_file('workspace/src/utils.py', E'import os\\nimport sys', E'import os\\nimport sys\\nimport json')"
ARGUMENTS = {"path": "workspace/src/utils.py", "old_string": "import os\nimport sys", "new_string": "import os\nimport sys\nimport json"}
TOOLS = ["read_file", "write_file", "edit_file"]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root/src").mkdir(parents=True)
    helper = "\n".join(f"# {number}" for number in range(45))
    (tmp_path / "root/src/utils.py").write_text(f"import os\nimport sys\n\ndef helper():\n    pass\n{helper}\n")
    (tmp_path / "root/f").write_text("x\n")
    return tmp_path / "root"


@pytest.fixture
def connections(connect, root):
    """Returns a function that gives the host's and the agent's connection to a new database."""

    def new(**flags):
        host = configure(connect(), {"name": "workspace", "root": str(root), "mode": "rw"} | flags)
        host.execute(f"SET GLOBAL redline_tool_grants = {TOOLS}")
        host.execute(f"SET SESSION redline_tool_grants = {[*TOOLS, 'Approve']}")
        return host, host.cursor()

    return new


def value(con, query, *arguments):
    return con.execute(query, list(arguments)).fetchone()[0]


def asked(con, tool, **arguments):
    """Returns the payload of needs_approval as text; None when nobody has to be asked."""
    return value(con, "SELECT needs_approval(?, ?)", tool, json.dumps(arguments))


def test_the_example_of_the_specification_goes_another_way(connections, root):
    host, agent = connections()
    refused = assert_refused(answer(agent, EDIT), "approval_required")
    assert refused.startswith('"Edit workspace/src/utils.py: add 1 line at line 1" waits for a person under the id ')
    before = (root / "src/utils.py").read_text()
    assert "json" not in before

    payload = asked(host, "edit_file", **ARGUMENTS)
    shown = json.loads(payload)
    diff = "--- a/src/utils.py\n+++ b/src/utils.py\n@@ -1,5 +1,6 @@\n import os\n import sys\n+import json\n \n def helper():\n     pass\n"
    assert list(shown.items())[:-2] == [
        ("type", "edit"), ("description", "Edit workspace/src/utils.py: add 1 line at line 1"), ("path", "workspace/src/utils.py"),
        ("sandbox", "workspace"), ("old_string", "import os\nimport sys"), ("new_string", "import os\nimport sys\nimport json"),
        ("replace_all", False), ("unified_diff", diff), ("diff_lines", 9), ("match_line", 1), ("match_count", 1),
        ("context_before", ""), ("context_after", "\ndef helper():\n    pass"), ("file_lines", 50), ("file_bytes", len(before)),
    ]  # fmt: skip
    assert list(shown)[-2:] == ["base_oid", "approval_id"] and shown["approval_id"] in refused
    # The box, as a person sees it.
    assert value(host, "SELECT approval_display(?, 64)", payload).splitlines() == [
        "┌─ Edit: workspace/src/utils.py (line 1) ──────────────────────┐",
        "│                                                              │",
        "│  @@ -1,5 +1,6 @@                                             │",
        "│   import os                                                  │",
        "│   import sys                                                 │",
        "│  +import json                                                │",
        "│                                                              │",
        "│   def helper():                                              │",
        "│       pass                                                   │",
        "│                                                              │",
        "└──────────────────────────────────────────────────────────────┘",
        "Apply this edit? [y/n/v(iew full file)]",
    ]
    assert value(host, "SELECT approve(?)", payload) == shown["approval_id"]
    assert (root / "src/utils.py").read_text() == before

    result = value(agent, EDIT)
    assert [result[name] for name in ("path", "replacements_made", "lines_changed", "message", "unified_diff", "base_oid")] == [
        "workspace/src/utils.py", 1, 1, "Added 1 line at line 1 in workspace/src/utils.py", diff, shown["base_oid"],
    ]  # fmt: skip
    assert (root / "src/utils.py").read_text() == before.replace("import sys\n", "import sys\nimport json\n", 1)
    assert value(host, "SELECT apply_patch(?, ?)", before, shown["unified_diff"]) == (root / "src/utils.py").read_text()
    assert_refused(answer(agent, EDIT), "approval_required")


@pytest.mark.parametrize("query", [
    "SELECT approve(edit_approval('workspace/f', 'x', 'y'))",
    "SELECT approve(write_approval('workspace/f', 'y'))",
    "SELECT approve(read_approval('workspace/f'), 'session')",
    "SELECT approve(NULL)",
    "SELECT * FROM approvals_waiting()",
])  # fmt: skip
def test_an_agent_says_yes_to_itself(connections, query):
    for grants in (TOOLS, ["*"], ["approve"], ["Approve "], []):
        _, agent = connections()
        agent.execute(f"SET SESSION redline_tool_grants = {grants or '[]'}")
        assert_refused(answer(agent, query), "permission_denied")
        agent.execute("SET SESSION redline_tool_grants = NULL")
        assert_refused(answer(agent, query), "permission_denied")


def test_what_waits_is_not_listed_or_is_listed_after_the_yes(connections):
    host, agent = connections()
    waiting = lambda: [name for (name,) in host.execute("SELECT description FROM approvals_waiting()").fetchall()]
    assert waiting() == []
    answer(agent, "SELECT edit_file('workspace/f', 'x', 'y')")
    answer(agent, "SELECT write_file('workspace/g', 'y')")
    answer(agent, "SELECT write_file('workspace/g', 'y')")
    assert waiting() == ["Edit workspace/f: replace 1 line at line 1", "Write 1 line to workspace/g"]
    host.execute("SELECT approve(payload) FROM approvals_waiting() WHERE description LIKE 'Edit %'").fetchall()
    assert waiting() == ["Write 1 line to workspace/g"]
    assert value(agent, "SELECT edit_file('workspace/f', 'x', 'y')")["replacements_made"] == 1


def test_a_yes_is_good_for_two_or_for_another_operation(connections, root):
    host, agent = connections()
    host.execute("SELECT approve(needs_approval('write_file', '{\"path\": \"workspace/f\", \"content\": \"y\"}'))").fetchall()
    for query in ("SELECT write_file('workspace/f', 'z')", "SELECT write_file('workspace/g', 'y')", "SELECT edit_file('workspace/f', 'x', 'y')"):
        assert_refused(answer(agent, query), "approval_required")
    assert (root / "f").read_text() == "x\n" and not (root / "g").exists()
    assert value(agent, "SELECT write_file('workspace/f', 'y')")["created"] is False
    (root / "f").write_text("x\n")
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")


@pytest.mark.parametrize("change", [
    lambda file: file.write_text("x\nmore\n"),
    lambda file: file.chmod(0o600),
    lambda file: file.unlink(),
    lambda file: (file.rename(file.with_name("old")), file.write_text("other\n")),
])  # fmt: skip
def test_a_yes_outlives_the_state_that_it_was_given_for(connections, root, change):
    host, agent = connections()
    host.execute("SELECT approve(write_approval('workspace/f', 'y'))").fetchall()
    change(root / "f")
    before = snapshot(root)
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "stale")
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")
    assert snapshot(root) == before


def test_a_yes_outlives_its_time(connections):
    host, agent = connections()
    host.execute("SET GLOBAL redline_approval_ttl_seconds = 1")
    payload = value(host, "SELECT write_approval('workspace/f', 'y')")
    host.execute("SELECT approve(?)", [payload]).fetchall()
    time.sleep(1.2)
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")
    time.sleep(1.2)
    assert_refused(answer(host, "SELECT approve(?)", payload), "not_found")
    for never in ("0", "NULL"):
        host.execute(f"SET GLOBAL redline_approval_ttl_seconds = {never}")
        answer(host, "SELECT approve(write_approval('workspace/f', 'y'))")
        time.sleep(0.01)
        assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")


def test_a_wider_yes_covers_less_or_more_than_it_says(connections, root):
    for scope, done in (("once", 0), ("path", 1), ("sandbox", 2), ("session", 2)):
        host, agent = connections()
        host.execute("SELECT approve(write_approval('workspace/f', 'y'), ?)", [scope]).fetchall()
        assert answer(agent, "SELECT write_file('workspace/f', 'y')").error is None
        tried = [answer(agent, f"SELECT write_file('workspace/{name}', '{scope}')").error is None for name in ("f", "g")]
        assert sum(tried) == done, scope
        assert asked(agent, "write_file", path="workspace/f", content="again") is None or done == 0
        assert_refused(answer(agent, "SELECT edit_file('workspace/f', 'y', 'z', true)"), "approval_required", "not_found")
    assert_refused(answer(host, "SELECT approve(write_approval('workspace/f', 'y'), 'all')"), "invalid_args")


def test_a_yes_in_one_database_is_one_in_another(connections):
    (host, _), (_, agent) = connections(), connections()
    host.execute("SELECT approve(write_approval('workspace/f', 'y'), 'session')").fetchall()
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")


def test_something_else_is_approved_than_was_shown(connections, root):
    host, agent = connections()
    shown = json.loads(value(host, "SELECT write_approval('workspace/f', 'y')"))
    for forged in ({"content": "z"}, {"description": "Nothing"}, {"path": "workspace/g"}, {"base_oid": None}, {"type": "read", "file_lines": 0, "file_bytes": 0}):
        assert_refused(answer(host, "SELECT approve(?)", json.dumps(shown | forged)), "invalid_args")
    for forged in ({"approval_id": ""}, {"approval_id": "0" * 64}):
        assert_refused(answer(host, "SELECT approve(?)", json.dumps(shown | forged)), "not_found")
    for payload in ("", "{}", "[]", '{"type": "other", "description": "d"}'):
        assert_refused(answer(host, "SELECT approve(?)", payload), "invalid_args")
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")


def test_a_null_or_a_wrong_call_needs_no_approval(connections):
    host, _ = connections()
    for query, code in [
        ("SELECT needs_approval(NULL, '{}')", "invalid_args"),
        ("SELECT needs_approval('edit_file', NULL)", "invalid_args"),
        ("SELECT needs_approval('edit_file', '{}')", "invalid_args"),
        ("SELECT needs_approval('edit', '{}')", "not_found"),
        ("SELECT needs_approval('write_file', '{\"path\": \"workspace/../f\", \"content\": \"\"}')", "fs_denied"),
        ("SELECT needs_approval('write_file', '{\"path\": \"workspace/.git/hooks/x\", \"content\": \"\"}')", "fs_denied"),
        ("SELECT edit_approval('workspace/f', 'absent', 'y')", "not_found"),
        ("SELECT edit_approval('workspace/f', 'x', NULL)", "invalid_args"),
        ("SELECT edit_approval(NULL, 'x', 'y')", "invalid_args"),
        ("SELECT write_approval('elsewhere/f', 'y')", "fs_denied"),
        ("SELECT write_approval('workspace/f', NULL)", "invalid_args"),
        ("SELECT read_approval(NULL)", "invalid_args"),
    ]:
        assert_refused(answer(host, query), code)
    assert value(host, "SELECT approve(NULL)") is None
    assert asked(host, "Diff", text_a="", text_b="") is None
    assert asked(host, "read_file", path="workspace/f") is None
    host.execute("SET GLOBAL redline_sandboxes = ''")
    assert asked(host, "read_file", path="README.md") is None
    assert_refused(answer(host, "SELECT needs_approval('write_file', '{\"path\": \"f\", \"content\": \"\"}')"), "fs_denied")
    assert_refused(answer(host, "SELECT read_approval('README.md')"), "fs_denied")


def test_a_file_is_read_without_the_yes_or_not_with_it(connections):
    host, agent = connections(read_approval=True)
    read = "SELECT read_file('workspace/f')"
    assert_refused(answer(agent, read), "approval_required")
    payload = asked(host, "read_file", path="workspace/f")
    assert list(json.loads(payload)) == ["type", "description", "path", "sandbox", "file_lines", "file_bytes", "file_exists", "base_oid", "approval_id"]
    host.execute("SELECT approve(?)", [payload]).fetchall()
    assert value(agent, read)["content"] == "x\n"
    assert_refused(answer(agent, read), "approval_required")
    # One that is not there waits as well: whether it is there is a secret too.
    assert_refused(answer(agent, "SELECT read_file('workspace/none')"), "approval_required")
    host.execute("SELECT approve(read_approval('workspace/none'))").fetchall()
    assert_refused(answer(agent, "SELECT read_file('workspace/none')"), "not_found")
    assert_refused(answer(agent, "SELECT diff_files('workspace/f', 'workspace/f')"), "permission_denied")
    host.execute("SELECT approve(read_approval('workspace/f'), 'path')").fetchall()
    assert value(agent, read)["lines"] == value(agent, read)["lines"] == 1


def test_an_edit_tells_what_may_not_be_read(connections, root):
    """Whoever is told whether a string stands in a file reads it, a character at a time."""
    (root / "f").write_text("token=abc\n")
    host, agent = connections(read_approval=True, edit_approval=False)
    base = "0" * 40
    told = set()
    for arguments in ("'token=a', 'y'", "'token=b', 'y'", "'', 'y'", "'a', 'y'", f"'token=a', 'y', true, '{base}'", "'token=abx', 'y'"):
        told.add(assert_refused(answer(agent, f"SELECT edit_file('workspace/f', {arguments})"), "approval_required"))
    told.add(assert_refused(answer(agent, "SELECT edit_file('workspace/none', 'a', 'b')"), "approval_required").replace("none", "f"))
    assert len(told) == 1
    for query in (
        "SELECT edit_approval('workspace/f', 'token=a', 'y')",
        "SELECT write_approval('workspace/f', 'y')",
        "SELECT read_approval('workspace/f')",
        "SELECT needs_approval('edit_file', '{\"path\": \"workspace/f\", \"old_string\": \"token=a\", \"new_string\": \"y\"}')",
    ):
        assert_refused(answer(agent, query), "permission_denied")
    assert_refused(answer(agent, "SELECT * FROM edit_explain('workspace/f', 'token=abx')"), "approval_required")
    assert (root / "f").read_text() == "token=abc\n"
    # What the person says yes to is done.
    assert_refused(answer(agent, "SELECT edit_file('workspace/f', 'token=a', 'y')"), "approval_required")
    host.execute("SELECT approve(payload) FROM approvals_waiting() WHERE payload->>'old_string' = 'token=a'").fetchall()
    assert value(agent, "SELECT edit_file('workspace/f', 'token=a', 'y')")["replacements_made"] == 1
    # Once reading is approved, errors are plain again.
    host.execute("SELECT approve(read_approval('workspace/f'), 'path')").fetchall()
    assert_refused(answer(agent, "SELECT edit_file('workspace/f', 'absent', 'y')"), "not_found")


def test_several_edits_are_approved_as_others(connections, root):
    host, agent = connections()
    edits = "[{'old_string': 'import os', 'new_string': 'import io'}, {'old_string': 'pass', 'new_string': 'return 1'}]"
    query = f"SELECT edit_file('workspace/src/utils.py', {edits})"
    assert_refused(answer(agent, query), "approval_required")
    host.execute(f"SELECT approve(edit_approval('workspace/src/utils.py', {edits}))").fetchall()
    assert_refused(answer(agent, query.replace("import io", "import ast")), "approval_required")
    result = value(agent, query)
    assert (result["replacements_made"], result["lines_changed"]) == (2, 2)
    assert (root / "src/utils.py").read_text().startswith("import io\nimport sys\n\ndef helper():\n    return 1\n")


def test_eight_threads_use_one_yes(connections, root):
    host, agent = connections()
    host.execute("SELECT approve(write_approval('workspace/f', 'y'))").fetchall()
    cursors, done = [agent.cursor() for _ in range(8)], []
    threads = [threading.Thread(target=lambda con=con: done.append(answer(con, "SELECT write_file('workspace/f', 'y')").error)) for con in cursors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.count(None) == 1 and (root / "f").read_text() == "y"


def test_a_large_content_cannot_be_seen_whole(connections, root):
    host, agent = connections()
    content = "".join(f"line {number} äöü\n" for number in range(120_000))
    host.execute("SET GLOBAL redline_max_read_bytes = 10000000")
    payload = value(host, "SELECT write_approval('workspace/large', ?)", content)
    shown = json.loads(payload)
    assert shown["type"] == "write_large" and len(payload) < 200_000
    chunks = [value(host, "SELECT approval_chunk(?, ?)", name, number + 1) for number in range(shown["total_chunks"]) for name in [[payload, shown["fetch_url"], shown["approval_id"]][number % 3]]]
    assert "".join(chunks) == content and shown["content_preview"] == chunks[0]
    assert max(len(chunk.encode()) for chunk in chunks) <= shown["chunk_size"]
    for number in (0, -1, shown["total_chunks"] + 1):
        assert_refused(answer(host, "SELECT approval_chunk(?, ?)", payload, number), "invalid_args")
    assert_refused(answer(host, "SELECT approval_chunk('no such', 1)"), "not_found")
    host.execute("SELECT approve(?)", [payload]).fetchall()
    assert value(agent, "SELECT write_file('workspace/large', ?)", content)["bytes_written"] == len(content.encode())
    assert (root / "large").read_text() == content


def test_planning_or_showing_does_something(connections, root):
    host, agent = connections()
    before = snapshot(root)
    host.execute("SELECT approve(write_approval('workspace/f', 'y'), 'session')").fetchall()
    write = "SELECT write_file('workspace/f', 'y')"
    for query in (f"EXPLAIN {write}", f"PREPARE p AS {write}", f"DESCRIBE {write}", f"CREATE VIEW v AS {write}", f"{write} WHERE false"):
        agent.execute(query)
    assert snapshot(root) == before
    agent.execute("EXECUTE p").fetchall()
    assert (root / "f").read_text() == "y"


@pytest.mark.parametrize("query", [
    # An edit that leaves what it looks for; each shape runs it twice for a row.
    "SELECT edit_file('workspace/f', 'x', 'yx').oid IN ('a', 'b')",
    "SELECT unnest(edit_file('workspace/f', 'x', 'yx'))",
    "SELECT max(edit_file('workspace/f', 'x', 'yx')), min(edit_file('workspace/f', 'x', 'yx'))",
    "SELECT twice(edit_file('workspace/f', 'x', 'yx').oid)",
])  # fmt: skip
def test_an_edit_of_one_row_is_made_twice(connections, root, query):
    _, agent = connections(edit_approval=False)
    agent.execute("CREATE MACRO twice(r) AS r || r")
    got = answer(agent, query)
    assert got.error is None or "stale: this statement has made this edit" in got.error, got.error
    assert (root / "f").read_text() == "yx\n"
    # The next statement is another one.
    (root / "f").write_text("x\n")
    assert value(agent, "SELECT edit_file('workspace/f', 'x', 'yx')")["replacements_made"] == 1


def test_a_base_does_not_keep_an_edit_from_being_made_twice(connections, root):
    # The two are parts of the plan that start one after the other: as two statements would.
    _, agent = connections(edit_approval=False)
    base = value(agent, "SELECT edit_file('workspace/f', 'x', 'yx')")["oid"]
    twice = f"WITH e AS NOT MATERIALIZED (SELECT edit_file('workspace/f', 'x', 'yx', false, '{base}') AS r) SELECT a.r, b.r FROM e a, e b"
    assert_refused(answer(agent, twice), "stale")
    assert (root / "f").read_text() == "yyx\n"


def test_rows_that_ask_for_the_same_are_taken_for_one(connections, root):
    _, agent = connections(edit_approval=False)
    agent.execute("SELECT edit_file('workspace/f', 'x', 'yx') FROM range(3)").fetchall()
    assert (root / "f").read_text() == "yyyx\n"
