"""One change, one way: what was shown is what is done, a no is one to each file, and nothing hidden is told."""

import json

import pytest
from answers import answer, assert_refused
from approving import approvable, approve, listed, value, waits, yes
from sandboxes import configure

TOOLS = "['read_file', 'write_file', 'edit_file', 'apply_patch', 'undo']"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def connections(connect, root):
    """Returns a function that gives the host's and the agent's connection to a new database."""

    def new(**flags):
        host = configure(connect(), {"name": "ws", "root": str(root), "mode": "rw"} | flags)
        host.execute(f"SET GLOBAL redline_tool_grants = {TOOLS}")
        return approvable(host), host.cursor()

    return new


def asked(con, tool, **arguments):
    return value(con, "SELECT needs_approval(?, ?)", tool, json.dumps(arguments))


def said_yes(host, agent, tool, **arguments):
    """Says yes to a call once, and returns the payload that was shown."""
    payload = waits(host, asked(agent, tool, **arguments))
    approve(host, payload)
    return payload


def call(con, tool, **arguments):
    """Returns the values of a tool's answer."""
    answered = value(
        con, "SELECT redline_call(?, ?)", tool, json.dumps(arguments | {"format": "json"})
    )
    return json.loads(answered)


def told(con, tool, **arguments):
    return value(con, "SELECT redline_call_text(?, ?)", tool, json.dumps(arguments))


def last(con):
    return value(con, "SELECT arg_max(id, recorded_at) FROM redline_log() WHERE outcome = 'done'")


def box(host, payload):
    return value(host, "SELECT approval_display(?, 100, -1, false)", payload)


MODE_AWAY = "diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n"
MODE_BACK = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"


def without_right_to_run(connections, root):
    """Returns connections to a sandbox in which a program has lost that right, and has got another content."""
    host, agent = connections()
    path = root / "run.sh"
    path.write_text("#!/bin/sh\necho good\n")
    path.chmod(0o755)
    said_yes(host, agent, "apply_patch", patch=MODE_AWAY)
    assert call(agent, "apply_patch", patch=MODE_AWAY)["isError"] is False
    first = last(agent)
    edit = {"path": "ws/run.sh", "old_string": "good", "new_string": "evil"}
    said_yes(host, agent, "edit_file", **edit)
    assert call(agent, "edit_file", **edit)["isError"] is False
    return host, agent, path, first


# Promise (approval): An undo is shown as what it is: all of its files in one question, with modes
# and with programs named; a yes to one undo is none to another. With
# `test_a_deleted_program_that_comes_back_is_shown_as_one`,
# `test_a_yes_to_one_undo_is_none_to_another`,
# `test_an_undo_of_several_files_is_one_question_and_whole`.
def test_an_undo_that_makes_a_file_executable_says_so(connections, root):
    host, agent, path, first = without_right_to_run(connections, root)
    payload = waits(host, asked(agent, "undo", id=first))
    shown = json.loads(payload)
    assert shown["description"] == "Undo: ws (1 file)" and shown["unified_diff"] == MODE_BACK
    assert shown["files"][0]["executable"] and shown["files"][0]["kind"] == "mode"
    drawn = box(host, payload)
    assert "─ Undo: ws (1 file" in drawn and "new mode 100755" in drawn
    assert "may be run as a program" in drawn and "holds this content" not in drawn
    assert path.stat().st_mode & 0o111 == 0
    approve(host, payload)
    assert call(agent, "undo", id=first)["isError"] is False
    assert path.stat().st_mode & 0o777 == 0o755 and path.read_text() == "#!/bin/sh\necho evil\n"


def test_a_deleted_program_that_comes_back_is_shown_as_one(connections, root):
    host, agent = connections()
    path = root / "gone.sh"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    patch = "diff --git a/gone.sh b/gone.sh\ndeleted file mode 100755\n--- a/gone.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-#!/bin/sh\n"
    said_yes(host, agent, "apply_patch", patch=patch)
    assert call(agent, "apply_patch", patch=patch)["isError"] is False and not path.exists()
    payload = said_yes(host, agent, "undo")
    assert "new file mode 100755\n" in json.loads(payload)["unified_diff"]
    assert call(agent, "undo")["isError"] is False
    assert path.stat().st_mode & 0o777 == 0o755


def test_a_yes_to_one_undo_is_none_to_another(connections, root):
    """The second takes back the same bytes, and also gives the right to run."""
    host, agent, path, first = without_right_to_run(connections, root)
    said_yes(host, agent, "undo", id=last(agent))
    assert_refused(answer(agent, "SELECT revert_edit(?)", first), "approval_required")
    assert path.stat().st_mode & 0o111 == 0
    assert answer(agent, "SELECT revert_edit(?)", last(agent)).error is None
    assert path.read_text() == "#!/bin/sh\necho good\n" and path.stat().st_mode & 0o111 == 0


def test_an_undo_of_several_files_is_one_question_and_whole(connections, root):
    host, agent = connections()
    for name in "abc":
        (root / name).write_text("old\n1\n2\n3\n")
    patch = "".join(f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-old\n+new\n" for name in "abc")
    said_yes(host, agent, "apply_patch", patch=patch)
    assert call(agent, "apply_patch", patch=patch)["isError"] is False
    assert_refused(answer(agent, "SELECT revert_edits('ws')"), "approval_required")
    ((description, payload),) = listed(host)
    assert description == "Undo: ws (3 files)"
    assert [file["path"] for file in json.loads(payload)["files"]] == ["a", "b", "c"]
    approve(host, payload)
    (root / "c").write_text("new\n1\n2\n3\ntheirs\n")
    # The yes was for three files as they were.
    assert_refused(answer(agent, "SELECT revert_edits('ws')"), "stale")
    assert {(root / name).read_text() for name in "ab"} == {"new\n1\n2\n3\n"}
    assert_refused(answer(agent, "SELECT revert_edits('ws')"), "approval_required")
    ((_, payload),) = listed(host)
    approve(host, payload)
    assert answer(agent, "SELECT revert_edits('ws')").error is None
    texts = [(root / name).read_text() for name in "abc"]
    assert texts == ["old\n1\n2\n3\n", "old\n1\n2\n3\n", "old\n1\n2\n3\ntheirs\n"]


@pytest.mark.parametrize(
    "old, new", [(b"a\0b", b"c\0d"), (b"text\n", b"c\0d"), (b"a\0b", b"text\n")]
)
def test_an_undo_of_bytes_names_both_contents(connections, root, old, new):
    host, agent = connections(write_approval=False)
    (root / "f").write_bytes(old)
    assert answer(agent, "SELECT write_file('ws/f', ?)", new.decode()).error is None
    shown = json.loads(asked(agent, "undo"))
    oids = value(agent, "SELECT [oid, base_oid] FROM redline_log() WHERE outcome = 'done'")
    assert f"Binary files with the git blob ids {oids[0]} and {oids[1]}\n" in shown["unified_diff"]


# One result of f, asked for by each tool.
WAYS = {
    "write_file": ("write_file", {"path": "ws/f", "content": "one\nTWO\n"}),
    "edit_file": ("edit_file", {"path": "ws/f", "old_string": "two", "new_string": "TWO"}),
    "a git diff": ("apply_patch", {"patch": "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n"}),
    "an envelope": (
        "apply_patch",
        {"patch": "*** Begin Patch\n*** Update File: f\n@@\n one\n-two\n+TWO\n*** End Patch\n"},
    ),
    "blocks": (
        "apply_patch",
        {"patch": "ws/f\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n"},
    ),
    "beside another file": (
        "apply_patch",
        {"patch": "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-g\n+G\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("asked_again", WAYS)
@pytest.mark.parametrize("declined", WAYS)
def test_a_no_is_one_to_the_result_by_whatever_tool(connections, root, declined, asked_again):
    host, agent = connections()
    (root / "f").write_text("one\ntwo\n")
    (root / "g").write_text("g\n")
    (tool, arguments), (other, others) = WAYS[declined], WAYS[asked_again]
    value(
        host,
        "SELECT decline(?, ?)",
        waits(host, asked(agent, tool, **arguments)),
        "the-host-own-secret",
    )
    assert told(agent, other, **others).startswith("declined: ")
    assert "declined: " in (
        answer(agent, "SELECT needs_approval(?, ?)", other, json.dumps(others)).error or ""
    )
    assert listed(host) == [] and (root / "f").read_text() == "one\ntwo\n"
    # Another result is another question, and so is the same one once the file has changed.
    assert asked(agent, "write_file", path="ws/f", content="other\n") is not None
    (root / "f").write_text("zero\none\ntwo\n")
    assert asked(agent, "edit_file", path="ws/f", old_string="two", new_string="TWO") is not None


# Promise (approval): Whatever allowed a change, its answer and its errors tell a session that may
# not read the file counts and codes: no diff, line, blob id, near miss or name. With
# `test_a_yes_to_a_patch_of_hidden_files_is_answered_by_counts`,
# `test_a_read_of_no_file_names_no_other`.
def test_a_wide_yes_to_edits_shows_no_file_that_must_be_asked_for(connections, root):
    host, agent = connections(read_approval=True)
    (root / "seen").write_text("seen\n")
    (root / "other").write_text("secret = 1\nsecond = secret\n")
    assert_refused(answer(agent, "SELECT edit_file('ws/seen', 'seen', 'x')"), "approval_required")
    approve(host, listed(host)[0][1], "sandbox")
    done = call(agent, "edit_file", path="ws/other", old_string="second", new_string="third")
    values = done["structuredContent"]
    assert values["replacements_made"] == 1 and values["lines_changed"] == 1
    assert (values["oid"], values["base_oid"]) == ("", "")
    text = json.dumps(done)
    assert "secret" not in text and "line 2" not in text and "Replaced 1 line in ws/other" in text
    row = value(agent, "SELECT edit_file('ws/other', 'third', 'fourth')")
    assert row["unified_diff"] == "" and row["oid"] == "" and "line 2" not in row["message"]
    for wanted, code in (("secret = 2", "not_found"), ("secret", "not_unique")):
        refused = assert_refused(
            answer(agent, "SELECT edit_file('ws/other', ?, 'x')", wanted), code
        )
        assert "secret = 1" not in refused and "line" not in refused, refused
    assert_refused(answer(agent, "SELECT edit_file('ws/othre', 'x', 'y')"), "not_found")
    assert "other" not in answer(agent, "SELECT edit_file('ws/othre', 'x', 'y')").error.replace(
        "othre", ""
    )
    assert_refused(answer(agent, "SELECT read_file('ws/other')"), "approval_required")


def test_a_yes_to_a_patch_of_hidden_files_is_answered_by_counts(connections, root):
    host, agent = connections(read_approval=True)
    (root / "f").write_text("one\ntwo\n")
    arguments = WAYS["a git diff"][1]
    assert told(agent, "apply_patch", **arguments).startswith("approval_required: ")
    approve(host, listed(host)[0][1])
    (file,) = call(agent, "apply_patch", **arguments)["structuredContent"]["files"]
    assert (file["lines_added"], file["lines_removed"]) == (1, 1)
    assert (file["base_oid"], file["oid"], file["hunks"]) == (None, None, [])
    assert (root / "f").read_text() == "one\nTWO\n"


DRY = {
    "apply_patch": ("SELECT redline_call_text('apply_patch', ?)", json.dumps(WAYS["a git diff"][1] | {"dry_run": True})),
    "edit_files": ("SELECT edit_files('ws', ?, {'dry_run': true})", WAYS["a git diff"][1]["patch"]),
}  # fmt: skip


# Promise (approval): A dry run asks nobody, uses no approval and tells what the session may read.
# With `test_a_dry_run_of_what_may_be_read_tells_it_and_uses_no_yes`,
# `test_a_dry_run_of_an_undo_asks_nobody`.
@pytest.mark.parametrize("way", DRY)
def test_a_dry_run_asks_nobody_and_tells_what_may_be_read(connections, root, way):
    query, argument = DRY[way]
    host, agent = connections(read_approval=True)
    said = lambda: str(answer(agent, query, argument))
    (root / "f").write_text("one\ntwo\n")
    first = said()
    assert "approval_required: reading 'ws/f' must be approved" in first and listed(host) == []
    assert (
        value(
            agent,
            "SELECT needs_approval('apply_patch', ?)",
            json.dumps(WAYS["a git diff"][1] | {"dry_run": True}),
        )
        is None
    )
    # Nor does a yes to the patch itself, whatever the file holds then, and it is still there afterwards.
    assert told(agent, "apply_patch", **WAYS["a git diff"][1]).startswith("approval_required: ")
    approve(host, listed(host)[0][1])
    for content in ("one\ntwo\n", "other\n", None, "one\ntwo\n"):
        (root / "f").unlink(missing_ok=True)
        if content is not None:
            (root / "f").write_text(content)
        assert said() == first
    # The file is another one than that which was shown: the yes is void, and says no more.
    assert told(agent, "apply_patch", **WAYS["a git diff"][1]).startswith(
        ("Patched", "stale: the file has changed")
    )


@pytest.mark.parametrize("way", DRY)
def test_a_dry_run_of_what_may_be_read_tells_it_and_uses_no_yes(connections, root, way):
    query, argument = DRY[way]
    host, agent = connections()
    (root / "f").write_text("one\ntwo\n")
    said = lambda: str(answer(agent, query, argument))
    assert "would" in said() and listed(host) == []
    said_yes(host, agent, "apply_patch", **WAYS["a git diff"][1])
    assert "would" in said()
    assert told(agent, "apply_patch", **WAYS["a git diff"][1]).startswith("Patched")
    (root / "f").write_text("one\ntwo\n")
    payload = waits(host, asked(agent, "apply_patch", **WAYS["a git diff"][1]))
    value(host, "SELECT decline(?, ?)", payload, "the-host-own-secret")
    assert "declined: " in said()


def test_a_dry_run_of_an_undo_asks_nobody(connections, root):
    host, agent = connections()
    (root / "f").write_text("one\n")
    yes(host, agent, "write_approval('ws/f', 'two\n')")
    assert answer(agent, "SELECT write_file('ws/f', 'two\n')").error is None
    assert (
        value(agent, "SELECT revert_edit(?, {'dry_run': true}).outcome", last(agent))
        == "would_apply"
    )
    assert listed(host) == [] and (root / "f").read_text() == "two\n"


def test_a_read_of_no_file_names_no_other(connections, root):
    host, agent = connections(read_approval=True)
    (root / "d").mkdir()
    (root / "d/merger-with-acme.txt").write_text("x")
    assert_refused(answer(agent, "SELECT read_file('ws/d/merger.txt')"), "approval_required")
    approve(host, listed(host)[0][1])
    refused = assert_refused(answer(agent, "SELECT read_file('ws/d/merger.txt')"), "not_found")
    assert "acme" not in refused


BEYOND = {
    "a removal": "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-TWO\n",
    "a program": "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-one\n-TWO\n+#!/bin/sh\n",
    "a mode": "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n",
    "a move": "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n",
    "a new file": "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+new\n",
}


# Promise (approval): A yes of a wider scope than `once` covers contents of existing files that
# are not programs: no new file, removal, move or permission. With
# `test_a_wide_yes_to_writes_covers_no_new_file_and_no_program`.
@pytest.mark.parametrize("beyond", BEYOND)
def test_a_wide_yes_to_a_patch_is_one_to_contents(connections, root, beyond):
    host, agent = connections()
    (root / "f").write_text("one\ntwo\n")
    patch = WAYS["a git diff"][1]["patch"]
    approve(host, waits(host, asked(agent, "apply_patch", patch=patch)), "session")
    assert told(agent, "apply_patch", patch=patch).startswith("Patched")
    before = (root / "f").stat().st_mode
    assert told(agent, "apply_patch", patch=BEYOND[beyond]).startswith("approval_required: ")
    assert (root / "f").read_text() == "one\nTWO\n" and (root / "f").stat().st_mode == before
    assert not (root / "g").exists()
    # A change of its content is still covered.
    back = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-TWO\n+three\n"
    assert told(agent, "apply_patch", patch=back).startswith("Patched")


def test_a_wide_yes_to_writes_covers_no_new_file_and_no_program(connections, root):
    host, agent = connections()
    yes(host, agent, "write_approval('ws/new', 'x')", "sandbox")
    # What was shown is allowed once, and then contents of files that exist.
    assert answer(agent, "SELECT write_file('ws/new', 'x')").error is None
    assert answer(agent, "SELECT write_file('ws/new', 'y')").error is None
    assert_refused(answer(agent, "SELECT write_file('ws/newer', 'x')"), "approval_required")
    (root / "new").chmod(0o755)
    assert_refused(answer(agent, "SELECT write_file('ws/new', 'z')"), "approval_required")


def test_a_wide_yes_lets_a_hidden_file_be_changed_and_asks_about_what_it_does_not_cover(
    connections, root
):
    host, agent = connections(read_approval=True)
    (root / "f").write_text("one\n")
    (root / "run").write_text("one\n")
    (root / "run").chmod(0o755)
    assert_refused(answer(agent, "SELECT write_file('ws/f', 'x')"), "approval_required")
    approve(host, listed(host)[0][1], "sandbox")
    assert answer(agent, "SELECT write_file('ws/f', 'x')").error is None
    for path in ("ws/run", "ws/new"):
        assert_refused(answer(agent, "SELECT write_file(?, 'x')", path), "approval_required")
        payload = next(
            payload for _, payload in listed(host) if json.loads(payload)["path"] == path
        )
        approve(host, payload)
        assert answer(agent, "SELECT write_file(?, 'x')", path).error is None


def test_names_of_tools_elsewhere_lead_to_the_call_that_does_it(connections, root):
    host, agent = connections(write_approval=False, edit_approval=False)
    (root / "a.txt").write_text("x\n")

    def leads_to(name):
        error = told(agent, name, path="workspace/a.txt")
        assert error.startswith(f"not_found: there is no tool '{name}'. "), error
        tool, _, arguments = error.split(". ", 1)[1].removeprefix("Call ").partition(": ")
        return tool.split()[0], arguments.removesuffix(".").replace("workspace/", "ws/")

    for name, left in (("move_file", ["b.txt"]), ("delete_file", [])):
        tool, argument = leads_to(name)
        patch = argument.removeprefix("patch = ").replace("\\n", "\n")
        assert tool == "apply_patch" and told(agent, tool, patch=patch).startswith("Patched"), name
        assert [path.name for path in root.iterdir()] == left
        (root / "b.txt").unlink(missing_ok=True)
        (root / "a.txt").write_text("x\n") if left else None
    assert leads_to("create_file")[0] == "write_file"
    assert leads_to("copy_file")[0] == "read_file"
    # The tool that does the same is not granted here.
    error = told(agent, "Grep", path="workspace/a.txt")
    assert error.startswith("not_found: there is no tool 'Grep'. None does the same here."), error
