"""Approvals: the display for a person, the scope of an approval, and that nothing is done without it."""

import hashlib
import json
import os
import re
import threading

import pytest
import waiting
from answers import answer, assert_refused
from approving import KEY, approvable, approve, listed, value, waits, yes
from repositories import ROOT
from sandboxes import configure, snapshot

EDIT = "SELECT edit_file('workspace/src/utils.py', E'import os\\nimport sys', E'import os\\nimport sys\\nimport json')"
ARGUMENTS = {
    "path": "workspace/src/utils.py",
    "old_string": "import os\nimport sys",
    "new_string": "import os\nimport sys\nimport json",
}
TOOLS = ["read_file", "write_file", "edit_file"]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root/src").mkdir(parents=True)
    helper = "\n".join(f"# {number}" for number in range(45))
    (tmp_path / "root/src/utils.py").write_text(
        f"import os\nimport sys\n\ndef helper():\n    pass\n{helper}\n"
    )
    (tmp_path / "root/f").write_text("x\n")
    return tmp_path / "root"


@pytest.fixture
def connections(connect, root):
    """Returns a function that gives the host's and the agent's connection to a new database."""

    def new(**flags):
        host = configure(connect(), {"name": "workspace", "root": str(root), "mode": "rw"} | flags)
        host.execute(f"SET GLOBAL redline_tool_grants = {TOOLS}")
        return approvable(host), host.cursor()

    return new


def asked(con, tool, **arguments):
    """Returns the payload of needs_approval as text; None when nobody has to be asked."""
    return value(con, "SELECT needs_approval(?, ?)", tool, json.dumps(arguments))


# Promise (approval): An overwrite is shown as what it changes, removed lines and line ends too;
# an approval is for that state of the file. With
# `test_a_content_that_a_diff_would_not_show_whole_is_shown_itself`.
def test_an_overwrite_is_shown_as_what_changes_in_the_file(connections, root):
    host, agent = connections(max_file_bytes=8 << 20)
    (root / "f").write_bytes(b"one\r\ntwo\nsecret\nlast\n")
    payload = asked(agent, "write_file", path="workspace/f", content="one\ntwo\nlast\n")
    shown = json.loads(payload)
    assert (
        shown["unified_diff"]
        == "--- a/f\n+++ b/f\n@@ -1,4 +1,3 @@\n-one\r\n+one\n two\n-secret\n last\n"
        and shown["diff_lines"] == 8
    )
    assert (
        shown["content"] == "one\ntwo\nlast\n"
        and shown["description"] == "Write 3 lines to workspace/f (overwrites 4 lines)"
    )
    (page,) = value(host, "SELECT approval_pages(?, 80, 40)", payload)
    assert (
        "(3 lines, existing file, +1 −2)" in page["text"]
        and "-one␍" in page["text"]
        and "-secret" in page["text"]
    )
    assert (
        value(host, "SELECT approval_paging(?, 7)", payload) == "pager"
        and value(host, "SELECT approval_paging(?, 8)", payload) == "inline"
    )
    # A yes is for the file as it was shown.
    approve(host, payload)
    (root / "f").write_bytes(b"one\r\ntwo\nsecret\nlast\nmore\n")
    assert_refused(
        answer(agent, "SELECT write_file('workspace/f', E'one\\ntwo\\nlast\\n')"),
        "stale",
        "approval_required",
    )
    (root / "f").write_bytes(b"one\r\ntwo\nsecret\nlast\n")
    yes(host, agent, "write_approval('workspace/f', E'one\\ntwo\\nlast\\n')")
    assert value(agent, "SELECT write_file('workspace/f', E'one\\ntwo\\nlast\\n').created") is False
    assert (root / "f").read_bytes() == b"one\ntwo\nlast\n"


@pytest.mark.parametrize(
    "old, new",
    [
        (b"a\0b\n", "text\n"),
        (b"text\n", "a\0b\n"),
        (b"x" * 600_000, "y" * 600_000),
    ],
)
def test_a_content_that_a_diff_would_not_show_whole_is_shown_itself(connections, root, old, new):
    host, agent = connections()
    (root / "f").write_bytes(old)
    payload = asked(agent, "write_file", path="workspace/f", content=new)
    assert json.loads(payload)["unified_diff"] is None and json.loads(payload)["content"] == new
    assert "⚠ The lines that it replaces are not shown" in value(
        host, "SELECT approval_display(?, 80)", payload
    )


def test_bytes_that_are_not_utf_8_are_shown_as_bytes_in_the_diff(connections, root):
    host, agent = connections()
    (root / "f").write_bytes(b"\xff\n")
    payload = asked(agent, "write_file", path="workspace/f", content="text\n")
    assert json.loads(payload)["not_utf8"] == [{"at": 29, "hex": "FF"}]
    box = value(host, "SELECT approval_display(?, 80)", payload)
    assert "-<FF>" in box and "+text" in box and "are not shown" not in box


def test_an_agent_that_may_only_write_is_not_shown_contents(connections, root):
    host, agent = connections()
    host.execute("SET GLOBAL redline_tool_grants = ['write_file']")
    payload = asked(agent, "write_file", path="workspace/f", content="new\n")
    shown = json.loads(payload)
    assert (shown["unified_diff"], shown["diff_lines"], shown["existing_lines"]) == (None, None, 1)
    assert "⚠ The lines that it replaces are not shown" in value(
        host, "SELECT approval_display(?, 80)", payload
    )


# Promise (approval): Before the approval nothing is written, or read if reading needs approval;
# then exactly what was shown is done, once. With
# `test_a_yes_is_good_for_the_shown_operation_once`, `test_one_of_eight_threads_uses_a_yes`,
# `test_a_file_that_asks_for_approval_is_read_only_after_a_yes`.
def test_the_example_of_the_specification_is_shown_approved_and_applied(connections, root):
    host, agent = connections()
    refused = assert_refused(answer(agent, EDIT), "approval_required")
    assert refused.startswith(
        '"Edit workspace/src/utils.py: add 1 line at line 1" waits for a person under the id '
    )
    before = (root / "src/utils.py").read_text()
    assert "json" not in before

    payload = asked(agent, "edit_file", **ARGUMENTS)
    shown = json.loads(payload)
    diff = "--- a/src/utils.py\n+++ b/src/utils.py\n@@ -1,5 +1,6 @@\n import os\n import sys\n+import json\n \n def helper():\n     pass\n"
    assert list(shown.items())[:-3] == [
        ("type", "edit"), ("description", "Edit workspace/src/utils.py: add 1 line at line 1"), ("path", "workspace/src/utils.py"),
        ("sandbox", "workspace"), ("old_string", "import os\nimport sys"), ("new_string", "import os\nimport sys\nimport json"),
        ("replace_all", False), ("unified_diff", diff), ("diff_lines", 9), ("match_line", 1), ("match_count", 1),
        ("context_before", ""), ("context_after", "\ndef helper():\n    pass"), ("file_lines", 50), ("file_bytes", len(before)),
    ]  # fmt: skip
    assert (
        list(shown)[-3:] == ["base_oid", "mode", "approval_id"] and shown["approval_id"] in refused
    )
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
    assert approve(host, payload) == shown["approval_id"]
    assert (root / "src/utils.py").read_text() == before

    result = value(agent, EDIT)
    assert [result[name] for name in ("path", "replacements_made", "lines_changed", "message", "unified_diff", "base_oid")] == [
        "workspace/src/utils.py", 1, 1, "Added 1 line at line 1 in workspace/src/utils.py", diff, shown["base_oid"],
    ]  # fmt: skip
    assert (root / "src/utils.py").read_text() == before.replace(
        "import sys\n", "import sys\nimport json\n", 1
    )
    assert (
        value(host, "SELECT apply_patch(?, ?)", before, shown["unified_diff"])
        == (root / "src/utils.py").read_text()
    )
    assert_refused(answer(agent, EDIT), "approval_required")


@pytest.mark.parametrize("query", [
    "SELECT approve(write_approval('workspace/f', 'y'), 'once', {key})",
    "SELECT approve(write_approval('workspace/f', 'y'), 'session', {key}, approval_pages(write_approval('workspace/f', 'y'), 80, 24)[1].proof)",
    "SELECT approve(NULL, 'once', {key})",
    "SELECT withdraw('x', {key})",
    "SELECT end_work(1, {key})",
    "SELECT approval_file(edit_approval('workspace/f', 'x', 'y'), {key})",
    "SELECT needs_approval('read_file', '{{\"path\": \"workspace/f\"}}', 'agent', {key})",
    "SELECT * FROM pending_approvals({key})",
    "SELECT * FROM approvals_given(key := {key})",
])  # fmt: skip
# Promise (approval): Without the key nobody approves or sees what is pending, whatever is
# granted. With `test_an_approver_of_one_connection_counts_for_nobody`.
def test_only_the_holder_of_the_key_approves_or_sees_what_waits(connections, query):
    for grants in (["*"], TOOLS):
        host, agent = connections()
        host.execute(f"SET GLOBAL redline_tool_grants = {grants}")
        digest = value(agent, "SELECT current_setting('redline_approver')")
        for key in ("wrong", "", digest, f"{KEY} ", KEY.upper()):
            assert_refused(answer(agent, query.format(key=f"'{key}'")), "permission_denied")
        for setting in ("''", "NULL"):
            host.execute(f"SET GLOBAL redline_approver = {setting}")
            for key in ("", KEY):
                assert_refused(answer(agent, query.format(key=f"'{key}'")), "permission_denied")


def test_an_approver_of_one_connection_counts_for_nobody(connections):
    host, agent = connections()
    agent.execute(f"SET SESSION redline_approver = '{hashlib.sha256(b'mine').hexdigest()}'")
    assert_refused(answer(agent, "SELECT * FROM pending_approvals('mine')"), "permission_denied")
    assert answer(host, "SELECT * FROM pending_approvals(?)", KEY).error is None
    host.execute("SET GLOBAL redline_approver = 'no digest'")
    assert_refused(answer(host, "SELECT * FROM pending_approvals(?)", KEY), "invalid_args")


def test_a_waiting_operation_is_listed_until_it_is_approved(connections):
    host, agent = connections()
    waiting = lambda: [
        name
        for (name,) in host.execute(
            "SELECT description FROM pending_approvals(?)", [KEY]
        ).fetchall()
    ]
    assert waiting() == []
    answer(agent, "SELECT edit_file('workspace/f', 'x', 'y')")
    answer(agent, "SELECT write_file('workspace/g', 'y')")
    answer(agent, "SELECT write_file('workspace/g', 'y')")
    assert waiting() == [
        "Edit workspace/f: replace 1 line at line 1",
        "Write 1 line to workspace/g",
    ]
    (payload,) = [payload for name, payload in listed(host) if name.startswith("Edit ")]
    approve(host, payload)
    assert waiting() == ["Write 1 line to workspace/g"]
    assert value(agent, "SELECT edit_file('workspace/f', 'x', 'y')")["replacements_made"] == 1


def test_a_yes_is_good_for_the_shown_operation_once(connections, root):
    host, agent = connections()
    approve(host, asked(agent, "write_file", path="workspace/f", content="y"))
    for query in (
        "SELECT write_file('workspace/f', 'z')",
        "SELECT write_file('workspace/g', 'y')",
        "SELECT edit_file('workspace/f', 'x', 'y')",
    ):
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
# Promise (approval): A file whose content, permissions or existence has changed since makes the
# approval void; a directory that was created again ends the approval for its sandbox. With
# `test_a_yes_ends_with_the_directory_that_it_was_given_for`.
def test_a_yes_is_stale_once_the_file_has_changed(connections, root, change):
    host, agent = connections()
    yes(host, agent, "write_approval('workspace/f', 'y')")
    change(root / "f")
    before = snapshot(root)
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "stale")
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")
    assert snapshot(root) == before


def test_a_yes_and_what_waits_expire(connections):
    host, agent = connections()
    payload = value(agent, "SELECT write_approval('workspace/f', 'y')")
    approve(host, payload)
    host.execute("SET GLOBAL redline_approval_ttl_seconds = 1")
    waiting.until(lambda: asked(agent, "write_file", path="workspace/f", content="y") is not None)
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")
    waiting.until(lambda: listed(host) == [])
    with pytest.raises(Exception, match="not_found: "):
        approve(host, payload)
    for never in ("0", "NULL"):
        host.execute(f"SET GLOBAL redline_approval_ttl_seconds = {never}")
        with pytest.raises(Exception, match="not_found: "):
            approve(host, value(agent, "SELECT write_approval('workspace/f', 'y')"))
        assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")


def test_a_yes_covers_exactly_its_scope(connections, root):
    (root / "g").write_text("x")
    for scope, done in (("once", 0), ("path", 1), ("sandbox", 2), ("session", 2)):
        host, agent = connections()
        yes(host, agent, "write_approval('workspace/f', 'y')", scope)
        assert answer(agent, "SELECT write_file('workspace/f', 'y')").error is None
        tried = [
            answer(agent, f"SELECT write_file('workspace/{name}', '{scope}')").error is None
            for name in ("f", "g")
        ]
        assert sum(tried) == done, scope
        assert asked(agent, "write_file", path="workspace/f", content="again") is None or done == 0
        assert_refused(
            answer(agent, "SELECT edit_file('workspace/f', 'y', 'z', true)"),
            "approval_required",
            "not_found",
        )
    with pytest.raises(Exception, match="invalid_args: there is no scope 'all'"):
        yes(host, agent, "write_approval('workspace/f', 'y')", "all")


def test_a_yes_counts_only_in_its_own_database(connections):
    (host, _), (_, agent) = connections(), connections()
    yes(host, host, "write_approval('workspace/f', 'y')", "session")
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")


# Promise (approval): A payload that was altered, has a duplicate key, is from another database or
# has expired is not approved. With `test_a_yes_counts_only_in_its_own_database`,
# `test_a_yes_and_what_waits_expire`.
def test_refuses_to_approve_a_payload_that_was_not_shown(connections, root):
    host, agent = connections()
    shown = json.loads(value(agent, "SELECT write_approval('workspace/f', 'y')"))
    for forged in (
        {"content": "z"},
        {"description": "Nothing"},
        {"path": "workspace/g"},
        {"base_oid": None},
        {"type": "read", "file_lines": 0, "file_bytes": 0},
    ):
        with pytest.raises(Exception, match="invalid_args: the payload is not the one"):
            approve(host, json.dumps(shown | forged))
    for forged in ({"approval_id": ""}, {"approval_id": "0" * 64}):
        with pytest.raises(Exception, match="not_found: "):
            approve(host, json.dumps(shown | forged))
    doubled = json.dumps(shown).replace('"content":', '"content": "harmless", "content":')
    for payload in ("", "{}", "[]", '{"type": "other", "description": "d"}', doubled):
        assert_refused(answer(host, "SELECT approve(?, 'once', ?)", payload, KEY), "invalid_args")
        assert_refused(answer(host, "SELECT approval_pages(?, 80, 24)", payload), "invalid_args")
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")


def test_a_wrong_proposal_is_an_error_and_a_read_needs_no_approval(connections):
    host, _ = connections()
    for query, code in [
        ("SELECT needs_approval(NULL, '{}')", "invalid_args"),
        ("SELECT needs_approval('edit_file', NULL)", "invalid_args"),
        ("SELECT needs_approval('edit_file', '{}')", "invalid_args"),
        ("SELECT needs_approval('edit', '{}')", "not_found"),
        (
            'SELECT needs_approval(\'write_file\', \'{"path": "workspace/../f", "content": ""}\')',
            "fs_denied",
        ),
        (
            'SELECT needs_approval(\'write_file\', \'{"path": "workspace/.git/hooks/x", "content": ""}\')',
            "fs_denied",
        ),
        ("SELECT edit_approval('workspace/f', 'absent', 'y')", "not_found"),
        ("SELECT edit_approval('workspace/f', 'x', NULL)", "invalid_args"),
        ("SELECT edit_approval(NULL, 'x', 'y')", "invalid_args"),
        ("SELECT write_approval('elsewhere/f', 'y')", "fs_denied"),
        ("SELECT write_approval('workspace/f', NULL)", "invalid_args"),
        ("SELECT read_approval(NULL)", "invalid_args"),
    ]:
        assert_refused(answer(host, query), code)
    assert value(host, "SELECT approve(NULL, 'once', ?)", KEY) is None
    assert asked(host, "Diff", text_a="", text_b="") is None
    assert asked(host, "read_file", path="workspace/f") is None
    host.execute("SET GLOBAL redline_sandboxes = ''")
    assert asked(host, "read_file", path="README.md") is None
    assert_refused(
        answer(host, 'SELECT needs_approval(\'write_file\', \'{"path": "f", "content": ""}\')'),
        "fs_denied",
    )
    assert_refused(answer(host, "SELECT read_approval('README.md')"), "fs_denied")


def test_a_file_that_asks_for_approval_is_read_only_after_a_yes(connections):
    host, agent = connections(read_approval=True)
    read = "SELECT read_file('workspace/f')"
    assert_refused(answer(agent, read), "approval_required")
    payload = waits(host, asked(agent, "read_file", path="workspace/f"))
    assert list(json.loads(payload)) == [
        "type",
        "description",
        "path",
        "sandbox",
        "file_lines",
        "file_bytes",
        "file_exists",
        "base_oid",
        "mode",
        "approval_id",
    ]
    approve(host, payload)
    assert value(agent, read)["content"] == "x\n"
    assert_refused(answer(agent, read), "approval_required")
    # A missing file waits too: whether it exists is a secret.
    assert_refused(answer(agent, "SELECT read_file('workspace/none')"), "approval_required")
    yes(host, agent, "read_approval('workspace/none')")
    assert_refused(answer(agent, "SELECT read_file('workspace/none')"), "not_found")
    assert_refused(
        answer(agent, "SELECT diff_files('workspace/f', 'workspace/f')"), "permission_denied"
    )
    yes(host, agent, "read_approval('workspace/f')", "path")
    assert value(agent, read)["lines"] == value(agent, read)["lines"] == 1


def test_an_edit_tells_nothing_of_what_may_not_be_read(connections, root):
    """Whoever learns whether a file contains a string can read the file, one character at a time."""
    (root / "f").write_text("token=abc\n")
    host, agent = connections(read_approval=True, edit_approval=False)
    base = "0" * 40
    told = set()
    for name in ("f", "none"):
        for arguments in (
            "'token=a', 'y'",
            "'token=b', 'y'",
            "'', 'y'",
            "'a', 'y'",
            f"'token=a', 'y', true, '{base}'",
            "'token=abx', 'y'",
        ):
            refused = assert_refused(
                answer(agent, f"SELECT edit_file('workspace/{name}', {arguments})"),
                "approval_required",
            )
            told.add(re.sub("[0-9a-f]{64}", "ID", refused).replace("none", "f"))
    assert len(told) == 1
    for call in (
        "edit_approval('workspace/{}', 'token=a', 'y')",
        "write_approval('workspace/{}', 'y')",
        "read_approval('workspace/{}')",
    ):
        shown = [json.loads(value(agent, f"SELECT {call.format(name)}")) for name in ("f", "none")]
        assert [list(one) for one in shown] == [
            ["type", "description", "path", "sandbox", "tool", "approval_id"]
        ] * 2
        one, two = ({**one, "approval_id": None} for one in shown)
        assert json.dumps(one) == json.dumps(two).replace("none", "f") and one["type"] == "hidden"
    assert (
        json.loads(
            asked(agent, "edit_file", path="workspace/f", old_string="token=a", new_string="y")
        )["type"]
        == "hidden"
    )
    assert_refused(
        answer(agent, "SELECT * FROM edit_explain('workspace/f', 'token=abx')"), "approval_required"
    )
    assert (root / "f").read_text() == "token=abc\n"
    # What the person says yes to is done.
    assert_refused(
        answer(agent, "SELECT edit_file('workspace/f', 'token=a', 'y')"), "approval_required"
    )
    (payload,) = [
        payload for _, payload in listed(host) if json.loads(payload).get("old_string") == "token=a"
    ]
    approve(host, payload)
    assert value(agent, "SELECT edit_file('workspace/f', 'token=a', 'y')")["replacements_made"] == 1
    # Once reading is approved, errors are plain again.
    yes(host, agent, "read_approval('workspace/f')", "path")
    assert_refused(answer(agent, "SELECT edit_file('workspace/f', 'absent', 'y')"), "not_found")


def test_no_chunk_has_unreadable_content_without_the_key(connections, root):
    """An edit of every line has the whole file in its diff."""
    (root / "f").write_text("token=abc\n" * 400)
    host, agent = connections(read_approval=True, edit_approval=False)
    shown = asked(
        agent, "edit_file", path="workspace/f", old_string="\n", new_string="\n#", replace_all=True
    )
    absent = asked(
        agent,
        "edit_file",
        path="workspace/none",
        old_string="\n",
        new_string="\n#",
        replace_all=True,
    )
    for payload in (shown, absent):
        for name in (payload, json.loads(payload)["approval_id"]):
            for con in (agent, host):
                refused = assert_refused(
                    answer(con, "SELECT approval_chunk(?, 1)", name), "not_found"
                )
                assert "token" not in refused
            assert_refused(
                answer(agent, "SELECT approval_chunk(?, 1, 'another key')", name),
                "permission_denied",
            )
    whole = waits(host, shown)
    assert "token=abc" in value(host, "SELECT approval_chunk(?, 1, ?)", whole, KEY)


# Promise (approval): A yes is for the permissions that were shown; an executable is named.
@pytest.mark.parametrize(
    "call",
    [
        "edit_approval('workspace/f', 'x', 'y')",
        "write_approval('workspace/f', 'y')",
        "read_approval('workspace/f')",
    ],
)
def test_a_yes_is_for_the_permissions_that_were_shown(connections, root, call):
    """The id is the same when the file has become a program, and what would be done is not."""
    host, agent = connections()
    os.chmod(root / "f", 0o644)
    before = value(agent, f"SELECT {call}")
    proof = value(host, "SELECT approval_pages(?, 80, 24)", before)[-1]["proof"]
    os.chmod(root / "f", 0o755)
    after = value(agent, f"SELECT {call}")
    assert (json.loads(before)["mode"], json.loads(after)["mode"]) == ("100644", "100755")
    assert json.loads(before)["approval_id"] == json.loads(after)["approval_id"]
    for payload in (before, after):
        assert_refused(
            answer(host, "SELECT approve(?, 'once', ?, ?)", payload, KEY, proof), "invalid_args"
        )
    box = value(host, "SELECT approval_display(?, 100)", after)
    assert ", executable)" in box and ("may be run as a program" in box) == (
        not call.startswith("read")
    )
    assert "executable" not in value(host, "SELECT approval_display(?, 100)", before)
    assert "executable" in value(host, "SELECT approval_pages(?, 80, 24)", after)[0]["text"]


def test_a_proposal_made_again_does_not_renew_a_yes(connections, root):
    host, agent = connections()
    write = ["write_file", json.dumps({"path": "workspace/f", "content": "y"})]
    payload = value(agent, "SELECT needs_approval(?, ?)", *write)
    approve(host, payload)
    host.execute("SET GLOBAL redline_approval_ttl_seconds = 1")
    # The agent asks again and again for what it was given once, until it is to ask a person again.
    asks = "SELECT needs_approval(?, ?), write_approval('workspace/f', 'y')"
    waiting.until(lambda: value(agent, asks, *write) is not None)
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")
    assert (root / "f").read_text() == "x\n"


def test_a_decline_covers_a_result_whatever_the_arguments(connections):
    host, agent = connections()
    utils = "workspace/src/utils.py"
    payload = value(agent, f"SELECT edit_approval('{utils}', 'import os', 'import io')")
    value(host, "SELECT system.main.decline(?, ?)", payload, KEY)
    # The same bytes by another context, by all of one occurrence, and as a whole file.
    text = value(agent, f"SELECT read_file('{utils}')")["content"]
    for call in (
        f"edit_file('{utils}', E'import os\\n', E'import io\\n')",
        f"edit_file('{utils}', 'import os', 'import io', true)",
    ):
        assert_refused(answer(agent, f"SELECT {call}"), "declined")
    assert_refused(
        answer(agent, "SELECT write_file(?, ?)", utils, text.replace("import os", "import io")),
        "declined",
    )
    assert_refused(
        answer(agent, f"SELECT edit_file('{utils}', 'import os', 'import re')"), "approval_required"
    )


def test_a_wide_yes_stands_once_and_is_withdrawn_in_any_case_of_letters(connections, root):
    host, agent = connections()
    for text in ("y", "z"):
        approve(host, value(agent, f"SELECT write_approval('workspace/f', '{text}')"), "path")
    rows = host.execute(
        "SELECT approval_id FROM system.main.approvals_given(key := ?)", [KEY]
    ).fetchall()
    for (name,) in rows:
        value(host, "SELECT system.main.withdraw(?, ?)", name.upper(), KEY)
    assert not host.execute("SELECT * FROM system.main.approvals_given(key := ?)", [KEY]).fetchall()
    for text in ("y", "z", "w"):
        assert_refused(
            answer(agent, f"SELECT write_file('workspace/f', '{text}')"), "approval_required"
        )
    assert (root / "f").read_text() == "x\n"


def test_several_edits_are_approved_together_as_they_are(connections, root):
    host, agent = connections()
    edits = "[{'old_string': 'import os', 'new_string': 'import io'}, {'old_string': 'pass', 'new_string': 'return 1'}]"
    query = f"SELECT edit_file('workspace/src/utils.py', {edits})"
    assert_refused(answer(agent, query), "approval_required")
    yes(host, agent, f"edit_approval('workspace/src/utils.py', {edits})")
    assert_refused(answer(agent, query.replace("import io", "import ast")), "approval_required")
    result = value(agent, query)
    assert (result["replacements_made"], result["lines_changed"]) == (2, 2)
    assert (
        (root / "src/utils.py")
        .read_text()
        .startswith("import io\nimport sys\n\ndef helper():\n    return 1\n")
    )


def test_one_of_eight_threads_uses_a_yes(connections, root):
    host, agent = connections()
    write = ["write_file", json.dumps({"path": "workspace/f", "content": "y"}), "client"]
    approve(host, value(host, "SELECT needs_approval(?, ?, ?)", *write))
    cursors, done = [agent.cursor() for _ in range(8)], []
    call = lambda con: done.append(value(con, "SELECT redline_call_text(?, ?, ?)", *write))
    threads = [threading.Thread(target=call, args=(con,)) for con in cursors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # What was written nobody has to be asked about again: it changes nothing.
    starts = [text.split()[0] for text in done]
    assert (
        starts.count("Overwrote") == 1
        and set(starts) <= {"Overwrote", "approval_required:", "workspace/f"}
        and (root / "f").read_text() == "y"
    )
    assert all(
        "holds this content already" in text for text in done if text.startswith("workspace/f")
    )


def test_a_write_that_changes_nothing_needs_no_approval_unless_that_would_reveal_the_file(
    connections, root
):
    host, agent = connections()
    write = "SELECT write_file('workspace/f', E'x\\n').message"
    assert asked(agent, "write_file", path="workspace/f", content="x\n") is None
    assert value(agent, write) == "workspace/f holds this content already (1 line)"
    assert "(the file holds this content already)" in value(
        host, "SELECT approval_display(write_approval('workspace/f', E'x\\n'), 80)"
    )
    host.execute("SET GLOBAL redline_tool_grants = ['write_file']")
    for content in ("x", "other"):
        assert asked(agent, "write_file", path="workspace/f", content=f"{content}\n") is not None
        assert_refused(
            answer(agent, f"SELECT write_file('workspace/f', E'{content}\\n')"), "approval_required"
        )
    host, agent = connections(read_approval=True)
    answers = {
        assert_refused(
            answer(agent, f"SELECT write_file('workspace/f', E'{content}\\n')"), "approval_required"
        ).split(" under ")[0]
        for content in ("x", "other")
    }
    assert len(answers) == 1


def test_a_large_content_is_seen_in_chunks_and_approved_only_as_unread(connections, root):
    host, agent = connections()
    content = "".join(f"line {number} äöü\n" for number in range(120_000))
    host.execute("SET GLOBAL redline_max_read_bytes = 10000000")
    payload = value(agent, "SELECT write_approval('workspace/large', ?)", content)
    shown = json.loads(payload)
    assert shown["type"] == "write_large" and len(payload) < 200_000
    chunks = [
        value(host, "SELECT approval_chunk(?, ?)", name, number + 1)
        for number in range(shown["total_chunks"])
        for name in [[payload, shown["fetch_url"], shown["approval_id"]][number % 3]]
    ]
    assert "".join(chunks) == content and shown["content_preview"] == chunks[0]
    assert max(len(chunk.encode()) for chunk in chunks) <= shown["chunk_size"]
    for number in (0, -1, shown["total_chunks"] + 1):
        assert_refused(answer(host, "SELECT approval_chunk(?, ?)", payload, number), "invalid_args")
    assert_refused(answer(host, "SELECT approval_chunk('no such', 1)"), "not_found")
    assert_refused(answer(host, "SELECT approval_pages(?, 80, 24)", payload), "too_large")
    for scope in ("once", "path", "sandbox", "session"):
        assert_refused(
            answer(host, "SELECT approve(?, ?, ?, ?)", payload, scope, KEY, f"80x24-{'0' * 64}"),
            "too_large",
        )
    small = value(agent, "SELECT write_approval('workspace/f', 'y')")
    assert_refused(answer(host, "SELECT approve(?, 'unread', ?)", small, KEY), "invalid_args")
    value(host, "SELECT approve(?, 'unread', ?)", payload, KEY)
    assert value(agent, "SELECT write_file('workspace/large', ?)", content)["bytes_written"] == len(
        content.encode()
    )
    assert (root / "large").read_text() == content


def test_planning_a_write_writes_nothing(connections, root):
    host, agent = connections()
    before = snapshot(root)
    yes(host, agent, "write_approval('workspace/f', 'y')", "session")
    write = "SELECT write_file('workspace/f', 'y')"
    for query in (
        f"EXPLAIN {write}",
        f"PREPARE p AS {write}",
        f"DESCRIBE {write}",
        f"CREATE VIEW v AS {write}",
        f"{write} WHERE false",
    ):
        agent.execute(query)
    assert snapshot(root) == before
    agent.execute("EXECUTE p").fetchall()
    assert (root / "f").read_text() == "y"


@pytest.mark.parametrize("query", [
    # The edit leaves the text that it looks for; each shape runs it twice per row.
    "SELECT edit_file('workspace/f', 'x', 'yx').oid IN ('a', 'b')",
    "SELECT unnest(edit_file('workspace/f', 'x', 'yx'))",
    "SELECT max(edit_file('workspace/f', 'x', 'yx')), min(edit_file('workspace/f', 'x', 'yx'))",
    "SELECT twice(edit_file('workspace/f', 'x', 'yx').oid)",
])  # fmt: skip
def test_an_edit_of_one_row_is_made_once(connections, root, query):
    _, agent = connections(edit_approval=False)
    agent.execute("CREATE MACRO twice(r) AS r || r")
    got = answer(agent, query)
    assert got.error is None or "stale: this statement has already made this edit" in got.error, (
        got.error
    )
    assert (root / "f").read_text() == "yx\n"
    # The next statement may make it again.
    (root / "f").write_text("x\n")
    assert value(agent, "SELECT edit_file('workspace/f', 'x', 'yx')")["replacements_made"] == 1


def test_a_base_keeps_an_edit_from_being_made_twice(connections, root):
    # The two parts of the plan start one after the other, as two statements would.
    _, agent = connections(edit_approval=False)
    base = value(agent, "SELECT edit_file('workspace/f', 'x', 'yx')")["oid"]
    twice = f"WITH e AS NOT MATERIALIZED (SELECT edit_file('workspace/f', 'x', 'yx', false, '{base}') AS r) SELECT a.r, b.r FROM e a, e b"
    assert_refused(answer(agent, twice), "stale")
    assert (root / "f").read_text() == "yyx\n"


def test_equal_edits_of_several_rows_are_all_made(connections, root):
    _, agent = connections(edit_approval=False)
    agent.execute("SELECT edit_file('workspace/f', 'x', 'yx') FROM range(3)").fetchall()
    assert (root / "f").read_text() == "yyyx\n"


# Promise (approval): An approval needs the proof that every page was shown; a box that omits
# something offers none, and the server pages or refuses. With
# `test_every_page_is_shown_before_a_yes`,
# `test_what_has_too_many_pages_is_refused_and_a_yes_to_a_page_is_none_to_all`.
def test_a_yes_wants_the_proof_of_the_last_page(connections, root):
    host, agent = connections()
    content = "".join(f"line {number} {'x' * 100}\n" for number in range(60))
    payload = value(agent, "SELECT write_approval('workspace/long', ?)", content)
    assert value(host, "SELECT approval_complete(?, 80, 24)", payload) is False
    assert "[n/v(iew all)]" in value(host, "SELECT approval_display(?, 80, 24)", payload)
    assert (
        value(host, "SELECT approval_complete(?, 200, 200)", payload) is False
    )  # a preview of 50 lines
    pages = value(host, "SELECT approval_pages(?, 80, 24)", payload)
    assert (
        [page["page"] for page in pages] == list(range(1, len(pages) + 1))
        and {page["pages"] for page in pages} == {len(pages)}
        and len(pages) > 5
    )
    assert all(len(page["text"].splitlines()) <= 24 for page in pages)
    text = "".join(page["text"] for page in pages)
    assert all(f"line {number} " in text for number in range(60)) and text.count("[y/n]") == 1
    other = value(
        host,
        "SELECT approval_pages(?, 80, 24)",
        value(agent, "SELECT write_approval('workspace/f', 'y')"),
    )[-1]["proof"]
    last = pages[-1]["proof"]
    for proof in (
        pages[0]["proof"],
        pages[-2]["proof"],
        other,
        last.replace("80x24", "80x25"),
        last[:-1] + ("0" if last[-1] != "0" else "1"),
        "",
        "80x24",
    ):
        assert_refused(
            answer(host, "SELECT approve(?, 'once', ?, ?)", payload, KEY, proof), "invalid_args"
        )
    assert_refused(answer(host, "SELECT approve(?, 'once', ?)", payload, KEY), "invalid_args")
    assert_refused(
        answer(agent, "SELECT write_file('workspace/long', ?)", content), "approval_required"
    )
    value(host, "SELECT approve(?, 'once', ?, ?)", payload, KEY, last)
    assert value(agent, "SELECT write_file('workspace/long', ?)", content)["created"]


# Promise (approval): An approval is for one session, can be listed and withdrawn, and names who
# gave it. With `test_approvals_are_listed_with_their_approver_and_withdrawn`.
def test_a_yes_is_for_one_session(connections, root):
    host, agent = connections(read_approval=True)
    other = host.cursor()
    call = lambda con, *session: json.loads(
        value(
            con,
            f"SELECT redline_call('read_file', '{{\"path\": \"workspace/f\"}}'{', ?' * len(session)})",
            *session,
        )
    )["isError"]
    for scope in ("once", "path", "sandbox", "session"):
        yes(host, agent, "read_approval('workspace/f')", scope)
        for con, session in ((other, ()), (host, ()), (agent, ("x",)), (agent, ("connection 1",))):
            assert call(con, *session), (scope, session)
        assert_refused(answer(other, "SELECT read_file('workspace/f')"), "approval_required")
        assert not call(agent)
        for (name,) in host.execute(
            "SELECT approval_id FROM approvals_given(key := ?)", [KEY]
        ).fetchall():
            value(host, "SELECT withdraw(?, ?)", name, KEY)
    # A session that a server has named is the same on every connection.
    payload = value(
        host,
        "SELECT needs_approval('read_file', '{\"path\": \"workspace/f\"}', 'client 1', ?)",
        KEY,
    )
    approve(host, payload)
    assert (
        call(agent, "client 2")
        and call(other)
        and not call(other, "client 1")
        and call(other, "client 1")
    )
    for name in ("", "x" * 257):
        assert call(agent, name)


def test_approvals_are_listed_with_their_approver_and_withdrawn(connections, root):
    host, agent = connections()
    hashes = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("ann", "bob")}
    host.execute(
        f"SET GLOBAL redline_approver = 'ann={hashes['ann']}, bob={hashes['bob']}, {hashlib.sha256(KEY.encode()).hexdigest()}'"
    )
    first = yes(host, agent, "write_approval('workspace/f', 'y')", "path")
    payload = value(agent, "SELECT edit_approval('workspace/f', 'x', 'y')")
    proof = value(host, "SELECT approval_pages(?, 80, 24)", payload)[-1]["proof"]
    second = value(host, "SELECT approve(?, 'once', 'bob', ?)", payload, proof)
    given = "SELECT approval_id, scope, tool, path, given_by, expires_at - given_at = INTERVAL 900 SECOND FROM approvals_given({})"
    rows = [
        (first, "path", "write_file", "workspace/f", "approver", True),
        (second, "once", "edit_file", "workspace/f", "bob", True),
    ]
    assert (
        agent.execute(given.format("")).fetchall()
        == host.execute(given.format("key := 'ann'")).fetchall()
        == rows
    )
    assert (
        host.execute(given.format("")).fetchall()
        == host.cursor().execute(given.format("")).fetchall()
        == []
    )
    assert value(host, "SELECT withdraw(?, 'ann')", first) == first
    assert_refused(answer(agent, "SELECT write_file('workspace/f', 'y')"), "approval_required")
    assert agent.execute(given.format("")).fetchall() == rows[1:]
    assert_refused(answer(host, "SELECT withdraw(?, 'ann')", "0" * 64), "not_found")


def test_no_answer_to_an_agent_depends_on_files_that_it_may_not_read(connections, root):
    (root / "bin").write_bytes(b"\0" * 99)
    (root / "large").write_bytes(b"x" * 5_000_000)
    host, agent = connections(read_approval=True, write_approval=False, edit_approval=False)
    for call in (
        "SELECT read_file('workspace/{}')",
        "SELECT write_file('workspace/{}', 'y')",
        "SELECT edit_file('workspace/{}', 'a', 'y')",
        "SELECT diff_files('workspace/{0}', 'workspace/{0}')",
    ):
        host.execute("SET GLOBAL redline_tool_grants = ['*']")
        refused = set()
        for content in (b"1234", b"12345\n\n\n", b"", None, b"\0" * 10, b"x" * 5_000_000):
            (root / "secret").unlink(missing_ok=True)
            if content is not None:
                (root / "secret").write_bytes(content)
            # Keyed ids: the same for the same call, whatever the file holds.
            refused.add(assert_refused(answer(agent, call.format("secret")), "approval_required"))
        assert len(refused) == 1, refused
        assert "line" not in refused.pop()


# Promise (approval): What a session may propose and call is bounded. With
# `test_sessions_that_a_connection_names_do_not_multiply_what_may_wait`,
# `proposals_take_linear_time`.
def test_quotas_bound_what_a_session_proposes_and_calls(connections, root):
    host, agent = connections()
    host.execute("SET GLOBAL redline_max_proposals = 3")
    write = lambda con, name: answer(con, f"SELECT write_file('workspace/{name}', 'y')")
    for name in "abc":
        assert_refused(write(agent, name), "approval_required")
    assert_refused(write(agent, "d"), "too_large")
    assert_refused(write(agent, "a"), "approval_required")
    assert_refused(write(host.cursor(), "d"), "approval_required")
    host.execute("SET GLOBAL redline_max_waiting_bytes = 1000")
    assert_refused(
        answer(host.cursor(), "SELECT write_file('workspace/e', ?)", "x" * 2000), "too_large"
    )
    host.execute("SET GLOBAL redline_max_calls = 2")
    call = lambda con: json.loads(
        value(con, "SELECT redline_call('read_file', '{\"path\": \"workspace/f\"}')")
    )
    assert [call(agent)["isError"] for _ in range(3)] == [False, False, True]
    assert call(agent)["content"][0]["text"].startswith(
        "too_large: this session has made 2 calls in a minute"
    )
    assert not call(host)["isError"]


# Promise (approval): An agent's macros with the names of all redline functions approve nothing
# when the host continues; the hosts that ship call nothing by a name that a macro can take. With
# `test_every_call_has_its_full_name`.
def test_macros_of_an_agent_approve_nothing(connections, root):
    """Every function of ours, and some of DuckDB's, is shadowed by a macro that would approve; the host goes on."""
    host, agent = connections()
    payload = value(agent, "SELECT write_approval('workspace/f', 'planted')").replace("'", "''")
    names = agent.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE regexp_matches(function_name, 'approv|redline_|withdraw|unified_diff|apply_patch|json_object|_file|struct_pack|list_')"
    ).fetchall()
    for (name,) in names:
        if not name.startswith("redline_debug"):
            proof = f"system.main.approval_pages('{payload}', 80, 24)[1].proof"
            body = f"system.main.approve('{payload}', 'session', '', {proof})"
            parameters = ("()", "(a)", "(a, b)", "(a, b, c)", "(a, b, c, d)")
            agent.execute(
                f"CREATE MACRO {name} {', '.join(f'{some} AS {body}' for some in parameters)}"
            )
    assert_refused(
        answer(host, "SELECT needs_approval('a', 'b')"), "permission_denied"
    )  # the macro runs, and approves nothing
    shown = value(
        host,
        "SELECT system.main.needs_approval(?, ?, ?, ?)",
        "write_file",
        json.dumps({"path": "workspace/f", "content": "z"}),
        "s",
        KEY,
    )
    assert json.loads(shown)["content"] == "z"
    approve(host, shown)
    assert value(host, "SELECT count(*) FROM system.main.approvals_given(key := ?)", KEY) == 1
    assert_refused(
        answer(agent, "SELECT system.main.write_file('workspace/f', 'planted')"),
        "approval_required",
    )
    assert (root / "f").read_text() == "x\n"


def test_a_yes_ends_with_the_directory_that_it_was_given_for(connections, root):
    host, agent = connections()
    yes(host, agent, "write_approval('workspace/f', 'y')", "session")
    yes(host, agent, "edit_approval('workspace/f', 'x', 'y')", "sandbox")
    assert answer(agent, "SELECT edit_file('workspace/f', 'x', 'z')").error is None
    # The sandbox under another name is another one.
    host.execute(
        "SET GLOBAL redline_sandboxes = ?".replace(
            "?", "'" + json.dumps([{"name": "other", "root": str(root), "mode": "rw"}]) + "'"
        )
    )
    assert_refused(answer(agent, "SELECT edit_file('other/f', 'z', 'w')"), "approval_required")
    host.execute(
        "SET GLOBAL redline_sandboxes = ?".replace(
            "?", "'" + json.dumps([{"name": "workspace", "root": str(root), "mode": "rw"}]) + "'"
        )
    )
    assert answer(agent, "SELECT edit_file('workspace/f', 'z', 'w')").error is None
    # A new directory at the path is another one, even where it is given the same inode.
    root.rename(root.with_name("old"))
    for _ in range(20):
        root.mkdir()
        (root / "f").write_text("w\n")
        assert_refused(
            answer(agent, "SELECT edit_file('workspace/f', 'w', 'v')"), "approval_required"
        )
        (root / "f").unlink()
        root.rmdir()


# Promise (approval): A no is final for each file with its result, by whatever tool and beside
# whatever other files it is asked for again, and tells nothing of a file that may not be read.
# With `test_a_no_is_one_to_the_result_by_whatever_tool`,
# `test_a_no_to_a_read_tells_nothing_of_the_file`.
def test_a_no_is_final_for_the_very_same_bytes(connections, root):
    host, agent = connections()
    (root / "f").write_text("x\n")
    edit = "SELECT edit_file('workspace/f', 'x', 'y')"
    payload = lambda: value(agent, "SELECT edit_approval('workspace/f', 'x', 'y')")
    shown = payload()
    for key in ("wrong", ""):
        assert_refused(answer(agent, "SELECT decline(?, ?)", shown, key), "permission_denied")
    assert_refused(answer(agent, edit), "approval_required")
    assert value(host, "SELECT decline(?, ?)", shown, KEY) == json.loads(shown)["approval_id"]
    assert value(host, "SELECT decline(NULL, ?)", KEY) is None
    # Nobody is asked again, by whatever way, and nothing waits.
    assert_refused(answer(agent, edit), "declined")
    assert_refused(answer(agent, "SELECT edit_approval('workspace/f', 'x', 'y')"), "declined")
    assert_refused(
        answer(
            agent,
            'SELECT needs_approval(\'edit_file\', \'{"path": "workspace/f", "old_string": "x", "new_string": "y"}\')',
        ),
        "declined",
    )
    assert host.execute("SELECT count(*) FROM pending_approvals(?)", [KEY]).fetchone() == (0,)
    assert_refused(answer(host, "SELECT decline(?, ?)", shown, KEY), "not_found")
    # Another change, another state of the file, another session: a question again.
    assert_refused(answer(agent, "SELECT edit_file('workspace/f', 'x', 'z')"), "approval_required")
    assert_refused(answer(host, edit), "approval_required")
    (root / "f").write_text("x\nmore\n")
    assert_refused(answer(agent, edit), "approval_required")
    (root / "f").write_text("x\n")
    assert_refused(answer(agent, edit), "declined")
    # The host takes it back, or allows more than one operation.
    value(host, "SELECT withdraw(?, ?)", json.loads(shown)["approval_id"], KEY)
    assert_refused(answer(agent, edit), "approval_required")
    value(host, "SELECT decline(?, ?)", payload(), KEY)
    yes(host, agent, "edit_approval('workspace/f', 'x', 'z')", "path")
    assert answer(agent, edit).error is None and (root / "f").read_text() == "y\n"


# Promise (approval): An answer is to the file, by whatever path it is named: one question, one
# yes, one no.
@pytest.mark.parametrize("name", ["workspace/f", "/workspace/f", "ROOT/f", "ROOT//f"])
@pytest.mark.parametrize("read_approval", [False, True])
def test_an_answer_is_to_the_file_by_whatever_path_it_is_named(
    connections, root, name, read_approval
):
    host, agent = connections(read_approval=read_approval)
    named = name.replace("ROOT", str(root))
    call = lambda path: answer(agent, "SELECT write_file(?, ?)", path, "other\n")
    refused = [assert_refused(call(path), "approval_required") for path in ("workspace/f", named)]
    # One question, by one name, whatever the agent calls the file.
    assert refused[0] == refused[1] and str(root) not in refused[0]
    ((description, payload),) = listed(host)
    assert "workspace/f" in description and str(root) not in payload
    value(host, "SELECT decline(?, ?)", payload, KEY)
    for path in ("workspace/f", named):
        assert_refused(call(path), "declined")
    value(host, "SELECT withdraw(?, ?)", json.loads(payload)["approval_id"], KEY)
    assert_refused(call(named), "approval_required")
    approve(host, listed(host)[0][1])
    assert call("workspace/f").error is None and (root / "f").read_text() == "other\n"
    (root / "f").write_text("x\n")
    assert_refused(call(named), "approval_required")


def test_a_no_to_a_read_tells_nothing_of_the_file(connections, root):
    host, agent = connections(read_approval=True)
    payload = value(
        host, "SELECT needs_approval('read_file', '{\"path\": \"workspace/f\"}', 'one', ?)", KEY
    )
    call = lambda: json.loads(
        value(agent, "SELECT redline_call('read_file', '{\"path\": \"workspace/f\"}', 'one')")
    )["content"][0]["text"]
    value(host, "SELECT decline(?, ?)", payload, KEY)
    said = call()
    (root / "f").write_text("changed since\n")
    assert said.startswith("declined: ") and call() == said


# Promise (approval): Where nobody can approve, nobody is waited for. With
# `test_no_change_is_made_without_a_yes`.
def test_where_nobody_can_approve_nobody_is_waited_for(connect, root):
    """An agent that is told to wait would wait for ever; while the configuration is open an approver can still be named."""
    for has_approver, is_locked, code in [
        (False, True, "permission_denied"),
        (False, False, "approval_required"),
        (True, True, "approval_required"),
    ]:
        for hidden in (False, True):
            con = connect()
            configure(
                con, {"name": "workspace", "root": root, "mode": "rw", "read_approval": hidden}
            )
            con.execute(f"SET GLOBAL redline_tool_grants = {TOOLS + ['Diff']}")
            if has_approver:
                approvable(con)
            con.execute(f"SET GLOBAL lock_configuration = {is_locked}")
            calls = [
                "edit_file('workspace/f', 'x', 'y')",
                "write_file('workspace/f', 'y')",
                "write_file('workspace/new', 'y')",
            ]
            calls += [
                "read_file('workspace/f')",
                "diff_files('workspace/f', 'workspace/src/utils.py')",
            ] * hidden
            for call in calls:
                words = assert_refused(answer(con, f"SELECT {call}"), code)
                assert ("redline_approver names no approver" in words) is (
                    code == "permission_denied"
                )
            said = json.loads(
                value(
                    con,
                    'SELECT redline_call(\'edit_file\', \'{"path": "workspace/f", "old_string": "x", "new_string": "y"}\')',
                )
            )
            assert said["isError"] and said["content"][0]["text"].startswith(f"{code}: ")
    assert (root / "f").read_text() == "x\n" and not (root / "new").exists()


# Promise (approval): A SQL host's yes is for what its `waiting()` has shown.
def test_the_yes_of_a_sql_host_is_for_what_its_waiting_has_shown(connections, root):
    """The macros of sql/mcp_http.sql: the id is the same when the file has changed, and what would be written is not."""
    host, agent = connections()
    script = (ROOT / "sql/mcp_http.sql").read_text()
    host.execute(f"SET VARIABLE redline_key = '{KEY}'")
    for statement in re.findall(r"^CREATE TEMP MACRO.*?;$", script, re.MULTILINE | re.DOTALL):
        host.execute(statement)
    edit = "SELECT edit_file('workspace/f', 'x', 'y', true)"
    waiting = lambda: host.execute("FROM waiting()").fetchall()
    assert_refused(answer(agent, edit), "approval_required")
    ((name, _, seen),) = waiting()
    # What was read had one line; three would be written.
    (root / "f").write_text("x\nx\nx\n")
    assert_refused(answer(agent, edit), "approval_required")
    for word in (seen, "", None, "0" * 12):
        assert (
            "what waits is not what was seen" in answer(host, "SELECT yes(?, ?)", name, word).error
        )
    assert_refused(answer(agent, edit), "approval_required")
    ((_, shown, seen),) = waiting()
    assert shown.count("+y") == 3
    assert value(host, "SELECT yes(?, ?)", name, seen) == name
    assert value(agent, edit)["replacements_made"] == 3
    # Of several pages only the last has the word.
    assert_refused(
        answer(agent, "SELECT write_file('workspace/new', repeat(E'a line\\n', 100))"),
        "approval_required",
    )
    words = [seen for _, _, seen in waiting()]
    assert len(words) == 3 and words[:-1] == [None] * 2 and len(words[-1]) == 12
    assert value(host, "SELECT no(?)", waiting()[0][0]) and waiting() == []
