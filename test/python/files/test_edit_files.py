"""Changes of several files: whole or not at all, within the sandbox, and with one approval for the whole."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

import apart
import pytest
from answers import answer, assert_refused
from sandboxes import configure, patched, writable

KILLED = """
import json, sys, _duckdb as duckdb
extension, sandboxes, patch = sys.argv[1:]
con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
con.execute(f"LOAD '{extension}'")
con.execute("SET GLOBAL redline_sandboxes = ?", [sandboxes])
con.execute("SELECT edit_files('ws', ?)", [patch])
"""
PATCH = """*** Begin Patch
*** Update File: a
-a
+A
*** Update File: d/b
-b
+B
*** Add File: n/m/c
+c
*** Delete File: gone/d
*** Update File: e
*** Move to: moved/e
-e
+E
*** End Patch
"""


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    fill(root)
    return root


def fill(root):
    for path, text in (("a", "a\n"), ("d/b", "b\n"), ("gone/d", "d\n"), ("e", "e\n")):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.fixture
def agent(connect, root):
    return configure(connect(), writable(root))


def files(root):
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if ".git" in path.relative_to(root).parts:
            continue
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[name] = (path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return found


def edits(*paths):
    return json.dumps([{"path": path, "old_string": "a", "new_string": "b"} for path in paths])


ADD = "*** Begin Patch\n*** Add File: ok\n+ok\n*** Add File: {}\n+x\n*** End Patch\n"
MOVE = (
    "*** Begin Patch\n*** Add File: ok\n+ok\n*** Update File: a\n*** Move to: {}\n*** End Patch\n"
)
PATHS = [
    "../x",
    "d/../../x",
    "/etc/x",
    "out/x",
    ".git/config",
    ".GIT/hooks/x",
    "d/.git/x",
    ".git ",
    ".gitmodules",
    ".redline-patch/0",
    "d/.Redline-Patch/0",
    ".redline-new",
    "HEAD",
    "a/below",
    "d",
]


# Promise (sandbox): A change of several files is made whole or not at all: where one path may not
# be written or does not fit, where a file changed, and where the process is killed at any step.
# What is left is taken back by what is recorded outside of the sandboxes, in a directory that
# only this user can write. With `test_a_patch_that_cannot_be_applied_whole_changes_nothing`,
# `test_a_process_that_is_killed_at_any_step_leaves_all_or_nothing`,
# `test_a_state_directory_that_others_could_write_is_not_trusted`.
@pytest.mark.parametrize("patch", [ADD, MOVE], ids=["created", "moved to"])
@pytest.mark.parametrize("path", PATHS)
def test_no_path_that_is_never_written_takes_any_file_with_it(agent, root, patch, path):
    (root / "out").symlink_to(root.parent)
    before = files(root)
    assert patched(agent, patch.format(path)).error
    assert files(root) == before
    assert not (root.parent / "x").exists()
    assert not list(root.rglob(".redline-patch"))


@pytest.mark.parametrize(
    "patch",
    [
        edits("a", "missing"),
        "*** Begin Patch\n*** Delete File: a\n*** Update File: a\n-a\n+b\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: a\n*** Move to: e\n*** Update File: e\n*** Move to: a\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: a\n*** Move to: d/b\n*** End Patch\n",
        "*** Begin Patch\n*** Add File: a\n+other\n*** End Patch\n",
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n",
        "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit 0123\n",
        "diff --git a/a b/a\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZ\n\n",
        "",
        "{}",
    ],
)
def test_a_patch_that_cannot_be_applied_whole_changes_nothing(agent, root, patch):
    before = files(root)
    assert patched(agent, patch).error
    assert files(root) == before


def test_a_file_that_another_name_or_owner_s_rights_protect_stops_the_whole(agent, root):
    os.link(root / "d/b", root / "second")
    before = files(root)
    assert_refused(patched(agent, PATCH), "fs_denied")
    assert files(root) == before


def test_permissions_stay_and_the_executable_bit_changes_as_the_patch_says(agent, root):
    (root / "a").chmod(0o640)
    (root / "e").chmod(0o755)
    assert patched(agent, PATCH).error is None
    assert (root / "a").stat().st_mode & 0o777 == 0o640
    assert (root / "moved/e").stat().st_mode & 0o777 == 0o755
    change = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"
    assert patched(agent, change).error is None
    assert (root / "a").stat().st_mode & 0o777 == 0o750
    assert answer(agent, "SELECT edit_files('ws', ?).outcome", change).rows == [
        ("already_applied",)
    ]


def ended_at_step(extension, root, step):
    """Returns whether a process that applies the patch was killed at a step of it, or had fewer steps."""
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(extension), json.dumps([writable(root)]), PATCH],
        env={**os.environ, "REDLINE_DIE_AT_STEP": str(step)},
        capture_output=True,
        timeout=60,
    )
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode != 0


def left_intent(extension, root, state):
    """Has a process killed between two files of the patch, and returns the intent that it leaves."""
    if not ended_at_step(extension, root, 6):
        pytest.skip("only a debug build can be ended at a step")
    (intent,) = (state / "redline").glob("*.intent")
    return intent


def test_a_process_that_is_killed_at_any_step_leaves_all_or_nothing(connect, extension, tmp_path):
    whole, untouched = tmp_path / "whole", tmp_path / "untouched"
    fill(whole)
    fill(untouched)
    assert patched(configure(connect(), writable(whole)), PATCH).error is None
    outcomes = set()
    for step in range(100):
        root = tmp_path / f"root{step}"
        fill(root)
        if not ended_at_step(extension, root, step):
            break
        agent = configure(connect(), writable(root))
        assert answer(agent, "SELECT write_file('ws/next', 'x')").error is None
        (root / "next").unlink()
        assert files(root) in (files(whole), files(untouched)), step
        assert not list(root.rglob(".redline-patch"))
        outcomes.add(files(root) == files(whole))
    if step == 0:
        pytest.skip("only a debug build can be ended at a step")
    assert outcomes == {True, False}


def test_two_patches_of_other_lines_of_the_same_files_both_land(connect, root):
    lines = "".join(f"line {number}\n" for number in range(40))
    (root / "a").write_text(lines)
    (root / "d/b").write_text(lines)
    errors = []

    def work(con, numbers):
        for number in numbers:
            change = [
                {"path": path, "old_string": f"line {number}\n", "new_string": f"LINE {number}\n"}
                for path in ("a", "d/b")
            ]
            errors.append(patched(con, json.dumps(change)).error)

    agents = [configure(connect(), writable(root)) for _ in range(2)]
    parts = [range(10, 20), range(30, 40)]
    threads = [threading.Thread(target=work, args=pair) for pair in zip(agents, parts, strict=True)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert errors == [None] * 20
    for path in ("a", "d/b"):
        assert (root / path).read_text().count("LINE") == 20


def test_what_a_killed_process_left_is_read_in_its_own_sandbox_alone(extension, root, state, tmp_path):  # fmt: skip
    whole, other = tmp_path / "whole", tmp_path / "other"
    fill(whole)
    fill(other)
    intent = left_intent(extension, root, state)
    padding = 4 << 20  # bytes, in lines before the last, which counts
    intent.write_bytes(b"\n" * padding + intent.read_bytes())

    def read_while_written(root):
        host = apart.Host(
            extension, settings=[f"SET GLOBAL redline_sandboxes = '{json.dumps([writable(root)])}'"]
        )
        host.ask("SELECT write_file('ws/first', 'x')")
        before = host.read_bytes()
        assert host.ask("SELECT write_file('ws/next', 'x')").error is None
        read = host.read_bytes() - before
        host.close()
        return read

    assert read_while_written(other) < padding and intent.exists()
    read_while_written(root)
    assert not intent.exists()
    for path in ("first", "next"):
        (root / path).unlink()
    assert files(root) == files(whole)


def test_a_state_directory_that_others_could_write_is_not_trusted(extension, agent, root, state):
    intent = left_intent(extension, root, state)
    assert answer(agent, "SELECT write_file('ws/next', 'x')").error is None
    assert not intent.exists()
    (state / "redline").chmod(0o777)
    intent.write_text(json.dumps({"stage": "done", "made": [], "files": []}) + "\n")
    assert patched(agent, PATCH).error is None
    assert [file.name for file in (state / "redline").iterdir()] == [intent.name]


# Promise (approval): A patch of several files is approved as a whole: the approval covers every
# byte, permission and path of every file, and each file is named and shown.
def test_one_yes_is_for_every_byte_of_every_file(connect, root):
    con = configure(connect(), writable(root, edit_approval=True, read_approval=False))
    key = "secret"
    digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
    con.execute(f"SET GLOBAL redline_approver = '{digest}'")
    approve = """SELECT count(approve(payload, 'once', $1, approval_pages(payload, 100, 100)[-1].proof))
        FROM pending_approvals($1)"""
    before = files(root)
    assert_refused(patched(con, PATCH), "approval_required")
    assert con.execute(approve, [key]).fetchall() == [(1,)]
    (root / "d/b").chmod(0o755)
    assert_refused(patched(con, PATCH), "stale")
    (root / "d/b").chmod(0o644)
    assert files(root) == before
    assert_refused(patched(con, PATCH), "approval_required")
    pages = "SELECT unnest(approval_pages(payload, 100, 100)).text FROM pending_approvals($1)"
    shown = "\n".join(text for (text,) in con.execute(pages, [key]).fetchall())
    for word in ("a/d/b", "n/m/c", "deleted file", "rename to moved/e", "+ B", "- b"):
        assert word.replace(" b", "").replace(" B", "") in shown, word
    assert con.execute(approve, [key]).fetchall() == [(1,)]
    assert patched(con, PATCH).error is None
    assert pathlib.Path(root / "moved/e").read_text() == "E\n"


# Promise (approval): Where reading needs an approval, a patch is recorded and no file is opened.
def test_a_file_that_must_not_be_read_unseen_is_not_opened_before_its_approval(connect, root):
    con = configure(connect(), writable(root, read_approval=True))
    there, missing = edits("a"), edits("missing")
    found = [patched(con, patch).error for patch in (there, missing)]
    assert all("approval_required" in error for error in found)
