"""Patches that try to write elsewhere, twice, over something, more than there is room for, or something else than a person saw."""

import json
import os
import subprocess
import time

import pytest
import repositories
from answers import answer, assert_refused
from approving import KEY, approvable
from sandboxes import configure, patched, snapshot, writable

FILES = {"a": "a\n", "b": "b\n", "d/c": "c\n", "with space": "s\n"}


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a").write_text("a\n")
    root = tmp_path / "root"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "link").symlink_to(root / "a")
    (root / ".git").mkdir()
    (root / ".git/config").write_text("[core]\n")
    return root


@pytest.fixture
def agent(connect, root):
    return configure(connect(), writable(root))


def envelope(*sections):
    return "\n".join(["*** Begin Patch", *sections, "*** End Patch", ""])


# -- paths -------------------------------------------------------------------------------------------

OUTSIDE = [
    "../x", "d/../../x", "/etc/redline-x", "//etc/redline-x", "out/x", "out/../../x", "link/x", "..", ".", "d/..", "./../x", "d//../..//x",
    "C:\\x", "C:x", "..\\x", "d\\..\\..\\x", "\\\\host\\x", "file:x/../../y",
]  # fmt: skip
GITS = [
    ".git/config", ".GIT/config", ".Git/hooks/x", "d/.git/config", "d/.git", ".git", ".git /x", ".git./x", ".git. /x", "git~1/x", "GIT~1/x",
    ".git::$INDEX_ALLOCATION/x", ".git:x", ".g\u200cit/x", ".gi\u200dt/config", "\ufeff.git/x", ".git\u2068/x", ".git\\config",
    "./.git/config", "d/../.git/config", ".gitmodules", ".GITMODULES", "d/.gitattributes/../../.git/x",
]  # fmt: skip
RESERVED = [
    ".redline-new", ".REDLINE-new", ".redline-patch/0", "d/.redline-patch/0", ".redline-patch", ".envrc", ".ssh/x", ".github/workflows/x.yml",
    "CLAUDE.md", "d/AGENTS.md", ".vscode/settings.json", "HEAD",
]  # fmt: skip
UNSEEN = [
    "a\nb",
    "a\rb",
    "a\x1b[2Jb",
    "a\u202eb",
    "a\u200bb",
    "a\0b",
    "\x7f",
    "x" * 300,
    "x/" * 3000 + "y",
]
FORMS = {
    "create": lambda path: f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n",
    "without git's header": lambda path: f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n",
    "change": lambda path: f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+x\n",
    "rename to": lambda path: f"diff --git a/a b/{path}\nsimilarity index 100%\nrename from a\nrename to {path}\n",
    "rename from": lambda path: f"diff --git a/{path} b/new\nsimilarity index 100%\nrename from {path}\nrename to new\n",
    "delete": lambda path: f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
    "mode": lambda path: f"diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n",
    "envelope": lambda path: envelope(f"*** Add File: {path}", "+x"),
    "envelope's move": lambda path: envelope("*** Update File: a", f"*** Move to: {path}", "-a", "+x"),
    "envelope's delete": lambda path: envelope(f"*** Delete File: {path}"),
    "block": lambda path: f"{path}\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
    "block's change": lambda path: f"{path}\n<<<<<<< SEARCH\na\n=======\nx\n>>>>>>> REPLACE\n",
    "list": lambda path: json.dumps([{"path": path, "old_string": "a", "new_string": "x"}]),
    "with the sandbox": lambda path: json.dumps([{"path": f"ws/{path}", "old_string": "a", "new_string": "x"}]),
}  # fmt: skip


# Promise (sandbox): In every format of a patch, a path outside, a name of `.git` in any spelling,
# a reserved name, and one that is not seen whole take no file of the patch with them; nor do
# changes in each other's way: the same file twice by any name, swaps, cycles, moves over
# something. With `test_changes_that_are_in_each_other_s_way_change_nothing`.
@pytest.mark.parametrize("form", FORMS)
def test_a_path_that_is_no_file_of_the_sandbox_s_own_takes_no_file_with_it(agent, root, form):
    before = snapshot(root.parent)
    kept = {name: what for name, what in before.items() if "state" not in name}
    assert {"outside", "root/a"} <= kept.keys()
    for path in [*OUTSIDE, *GITS, *RESERVED, *UNSEEN]:
        found = patched(agent, FORMS[form](path))
        # What a name with line breaks makes of the format may be a file of another name, which is then the one that is shown.
        wrote = found.error is None
        assert not wrote or (path in UNSEEN and found.rows[0][0]["files"][0]["path"] != path), path
        if wrote:
            for file in found.rows[0][0]["files"]:
                assert file["path"].isprintable() and ".." not in file["path"], file
            assert answer(agent, "SELECT revert_edit(?)", found.rows[0][0]["id"]).error is None
        after = snapshot(root.parent)
        assert {name: what for name, what in after.items() if "state" not in name} == kept, path


# -- the same file, and each other's ----------------------------------------------------------------

UPDATE = "*** Update File: {}\n-a\n+x"


def rename(old, new):
    return (
        f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
    )


COLLISIONS = {
    "the same file twice": envelope(UPDATE.format("a"), UPDATE.format("a")),
    "the same file, spelled otherwise": envelope(UPDATE.format("a"), UPDATE.format("./a")),
    "the same file through another directory": envelope(UPDATE.format("a"), UPDATE.format("d/../a")),
    "the same file with its sandbox": envelope(UPDATE.format("a"), UPDATE.format("ws/a")),
    "the same file through a link": envelope(UPDATE.format("a"), UPDATE.format("link")),
    "a file that is deleted and changed": envelope(UPDATE.format("a"), "*** Delete File: a"),
    "a file that is made twice": envelope("*** Add File: n", "+1", "*** Add File: n", "+2"),
    "a file that is made and moved to": envelope("*** Add File: n", "+1", "*** Update File: a", "*** Move to: n"),
    "two files that move to one": rename("a", "n") + rename("b", "n"),
    "a swap": rename("a", "b") + rename("b", "a"),
    "a cycle": rename("a", "b") + rename("b", "d/c") + rename("d/c", "a"),
    "a move over a file": rename("a", "b"),
    "a move into itself": rename("a", "a/a"),
    "a move of a directory": rename("d", "e"),
    "a file where a directory is": envelope("*** Add File: d", "+x"),
    "a directory where a file is": envelope("*** Add File: a/x", "+x"),
    "a directory where a file is made": envelope("*** Add File: n", "+x", "*** Add File: n/x", "+x"),
    "a deletion of what the patch does not show": "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
    "a file that is there": envelope("*** Add File: a", "+other"),
}  # fmt: skip


@pytest.mark.parametrize("patch", COLLISIONS.values(), ids=COLLISIONS)
def test_changes_that_are_in_each_other_s_way_change_nothing(agent, root, patch):
    before = snapshot(root)
    found = patched(agent, patch)
    assert found.error is not None, found.rows
    assert_refused(found, "invalid_args", "fs_denied", "not_found", "stale", "tool_failed")
    assert snapshot(root) == before


def test_a_move_to_another_case_is_made(agent, root):
    if (root / "A").exists():
        pytest.skip("the file system does not tell the cases apart")
    assert patched(agent, rename("a", "A")).error is None
    assert (root / "A").read_text() == "a\n" and not (root / "a").exists()


# -- sizes -----------------------------------------------------------------------------------------

LARGE = {
    "100 MB of one line": lambda: envelope("*** Add File: n", "+" + "x" * 100_000_000),
    "100 MB of lines": lambda: envelope("*** Add File: n", "+x\n" * 33_000_000),
    "100,000 files": lambda: envelope(*(f"*** Add File: n{n}\n+x" for n in range(100_000))),
    "100,000 files of a git diff": lambda: "".join(
        f"--- a/n{n}\n+++ b/n{n}\n@@ -1 +1 @@\n-a\n+b\n" for n in range(100_000)
    ),
    "100,000 edits": lambda: json.dumps([{"path": "a", "old_string": "a", "new_string": "b"}] * 100_000),
    "100,000 blocks": lambda: "a\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n" * 100_000,
    "100,000 hunks": lambda: "--- a/a\n+++ b/a\n" + "@@ -1 +1 @@\n-a\n+b\n" * 100_000,
}  # fmt: skip


# Promise (sandbox): A patch of 100 MB, of 100,000 files, edits, blocks or hunks ends soon, and
# changes nothing.
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=name, marks=pytest.mark.slow if name == "100 MB of lines" else ())
        for name, make in LARGE.items()
    ],
)
def test_a_patch_that_is_too_large_ends_soon_and_changes_nothing(agent, root, make):
    patch, before = make(), snapshot(root)
    start = time.process_time()
    found = patched(agent, patch)
    assert found.error is not None and time.process_time() - start < 60
    assert_refused(found, "too_large", "invalid_args", "not_found", "not_unique")
    assert snapshot(root) == before


# -- the journal -----------------------------------------------------------------------------------

JOURNALS = {
    "a link": lambda place, _: place.symlink_to(place.parent / "outside"),
    "in the sandbox": lambda place, root: place.symlink_to(root / "d"),
    "open to others": lambda place, _: place.mkdir(mode=0o777) or place.chmod(0o777),
    "a file": lambda place, _: place.write_text(""),
    "a log that is a link": lambda place, root: place.mkdir(mode=0o700) or (place / "log").symlink_to(root / "a"),
    "a log that is a FIFO": lambda place, _: place.mkdir(mode=0o700) or os.mkfifo(place / "log", 0o600),
    "contents that are a link": lambda place, root: place.mkdir(mode=0o700) or (place / "contents").symlink_to(root / "d"),
}  # fmt: skip


# Promise (journal): A patch is not applied where the journal is not redline's own; one is taken
# back, and that again, beside a torn line. With
# `test_a_torn_journal_keeps_what_is_whole_and_a_revert_is_reverted`.
@pytest.mark.parametrize("make", JOURNALS.values(), ids=JOURNALS)
def test_a_journal_that_is_not_redline_s_own_stops_a_patch(agent, root, make):
    make(root.parent / "journal", root)
    before = snapshot(root)
    agent.execute(f"SET GLOBAL redline_journal = '{root.parent / 'journal'}'")
    assert_refused(patched(agent, envelope(UPDATE.format("a"))), "fs_denied", "tool_failed")
    assert snapshot(root) == before


def test_a_torn_journal_keeps_what_is_whole_and_a_revert_is_reverted(agent, root):
    journal = root.parent / "journal"
    agent.execute(f"SET GLOBAL redline_journal = '{journal}'")
    before = snapshot(root)
    patch = envelope(UPDATE.format("a"), "*** Delete File: b", "*** Add File: n/n", "+n")
    name = patched(agent, patch).rows[0][0]["id"]
    after = snapshot(root)
    with (journal / "log").open("a") as log:
        log.write('{"id":"torn","at":1,')
    for wanted in (before, after, before):
        taken = answer(agent, "SELECT r.id FROM (SELECT revert_edit(?) AS r)", name)
        assert taken.error is None and snapshot(root) == wanted, taken.error
        name = taken.rows[0][0]
    kinds = answer(agent, "SELECT DISTINCT kind FROM redline_log()").rows
    assert ("unreadable",) in kinds


# -- what a person saw -------------------------------------------------------------------------------

APPROVED = envelope(
    UPDATE.format("a"), "*** Delete File: b", "*** Update File: d/c", "*** Move to: d/m", "-c", "+C", "*** Add File: n/n", "+n"
)  # fmt: skip
MEANWHILE = {
    "another content": lambda root: (root / "a").write_text("a\nmore\n"),
    "other permissions": lambda root: (root / "a").chmod(0o755),
    "another content of what goes": lambda root: (root / "b").write_text("B\n"),
    "permissions of what goes": lambda root: (root / "b").chmod(0o600),
    "another content of what moves": lambda root: (root / "d/c").write_text("c\nd\n"),
    "a file is gone": lambda root: (root / "b").unlink(),
    "a link in its place": lambda root: (root / "a").unlink() or (root / "a").symlink_to("b"),
    "a file where one moves": lambda root: (root / "d/m").write_text("m\n"),
    "a file where one is made": lambda root: (root / "n").mkdir() or (root / "n/n").write_text("o\n"),
    "a directory is a link": lambda root: (root / "d").rename(root / "e") or (root / "d").symlink_to("e"),
}  # fmt: skip
APPROVE = """SELECT count(approve(payload, 'once', $1, approval_pages(payload, 100, 100)[-1].proof))
    FROM pending_approvals($1)"""


def asking(connect, root):
    return approvable(configure(connect(), writable(root, edit_approval=True, read_approval=False)))


# Promise (approval): A yes to a patch ends where one of its files, its permissions, its directory
# or a place that it makes has changed.
@pytest.mark.parametrize("change", MEANWHILE.values(), ids=MEANWHILE)
def test_a_yes_ends_where_one_of_the_files_has_changed(connect, root, change):
    con = asking(connect, root)
    assert_refused(patched(con, APPROVED), "approval_required")
    assert con.execute(APPROVE, [KEY]).fetchall() == [(1,)]
    change(root)
    before = snapshot(root)
    found = patched(con, APPROVED)
    assert found.error is not None and snapshot(root) == before, found.rows
    assert_refused(found, "stale", "invalid_args", "fs_denied", "not_found")


TEXTS = [
    "\x1b[2K\x1b[1Ghidden\n", "one\rtwo\n", "lone\r\n", "a\u202eb\u202c\n", "zero\u200bwidth\n", "\ta \n", "trailing   \n", "no newline", "\n\n\n",
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "diff --git a/b b/b\ndeleted file mode 100644\n", "\\ No newline at end of file\n",
    "p\u0430ypal\n", "\x0c\x0b\n", "\u2028\u2029\x85\n", "[diff truncated at 10 bytes]\n", "Approve? (page 9 of 9)\n", "x" * 5000 + "\n", "\ufeffa\n",
]  # fmt: skip


NAMES = ["new", "with space", 'quo"te', "back\\slash", "\u00fc.txt", "-x"]


# Promise (approval): What is shown of a patch is what is written: git makes the same files of the
# shown diff, whatever its lines look like, and no page has a character that is not seen; of a
# large patch the chunks are the whole. With
# `test_a_large_patch_is_seen_in_chunks_which_are_the_whole`.
@pytest.mark.parametrize(
    ("number", "path"), [(number, NAMES[number % len(NAMES)]) for number in range(len(TEXTS))]
)
def test_the_shown_content_is_written(connect, root, tmp_path, number, path):
    """git makes of the diff in the payload what redline has written, and no page has a character that is not seen."""
    text, other = TEXTS[number], TEXTS[number - 1]
    con = asking(connect, root)
    (root / "a").write_bytes(f"first\n{other}".encode())
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(root), str(copy)], check=True)
    edits = [
        {"path": "a", "old_string": "first\n", "new_string": f"second\n{text}"},
        {"path": "b", "old_string": "b\n", "new_string": text},
        {"path": "d/c", "old_string": "c", "new_string": text.rstrip("\n") or "C"},
    ]
    patch = [json.dumps(edits)]
    if "\r" not in text:
        lines = [f"+{line}" for line in text.removesuffix("\n").split("\n")]
        patch.append(envelope(f"*** Add File: {path}", *lines) if path != "with space" else envelope(
            f"*** Update File: {path}", "*** Move to: d/n o", "-s", *lines))  # fmt: skip
    for one in patch:
        found = patched(con, one)
        if found.error and "approval_required" not in found.error:
            # A name that nobody could read is refused.
            assert_refused(found, "invalid_args", "fs_denied")
            continue
        query = "SELECT payload, list_transform(approval_pages(payload, 100, 60), lambda p: p.text) FROM pending_approvals(?)"
        (payload, pages), *others = con.execute(query, [KEY]).fetchall()
        assert not others and json.loads(payload)["type"] == "patch"
        hidden = {char for page in pages for char in page if not char.isprintable()} - {"\n"}
        assert not hidden, hidden
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn"],
            cwd=copy,
            input=json.loads(payload)["unified_diff"].encode(),
            env=repositories.environment(GIT_CEILING_DIRECTORIES=str(tmp_path)),
            check=True,
        )
        assert con.execute(APPROVE, [KEY]).fetchall() == [(1,)]
        assert patched(con, one).error is None
        assert snapshot(root) == snapshot(copy)


def test_a_large_patch_is_seen_in_chunks_which_are_the_whole(connect, root, tmp_path):
    con = asking(connect, root)
    patch = envelope(*("\n".join([f"*** Add File: n{n}", *(f"+line {n} {i}" for i in range(9_000))]) for n in range(12)))  # fmt: skip
    assert_refused(patched(con, patch), "approval_required")
    ((payload,),) = con.execute("SELECT payload FROM pending_approvals(?)", [KEY]).fetchall()
    shown = json.loads(payload)
    assert shown["type"] == "patch_large" and len(shown["files"]) == 12
    chunks = [
        con.execute("SELECT approval_chunk(?, ?)", [payload, n + 1]).fetchone()[0]
        for n in range(shown["total_chunks"])
    ]
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(root), str(copy)], check=True)
    subprocess.run(
        ["git", "apply"],
        cwd=copy,
        input="".join(chunks).encode(),
        env=repositories.environment(GIT_CEILING_DIRECTORIES=str(tmp_path)),
        check=True,
    )
    assert con.execute(
        "SELECT count(approve(payload, 'unread', $1)) FROM pending_approvals($1)", [KEY]
    ).fetchall() == [(1,)]
    assert patched(con, patch).error is None and snapshot(root) == snapshot(copy)
