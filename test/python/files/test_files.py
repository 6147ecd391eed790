"""read_file and write_file: what they do, what they refuse, and what a crash or a full disk leaves."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from answers import answer, assert_refused
from sandboxes import configure, snapshot

pytestmark = pytest.mark.own_database


@pytest.fixture
def root(tmp_path) -> pathlib.Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def writer(con, root):
    return configure(con, {"name": "w", "root": str(root), "mode": "rw", "write_approval": False})


def write(con, path, content):
    # Not `unnest(write_file(…))`, nor a star: DuckDB makes one call for each field.
    return tuple(con.execute("SELECT write_file(?, ?)", [path, content]).fetchone()[0].values())


def test_a_write_says_what_it_wrote(writer, root):
    assert write(writer, "w/new/folder/f.txt", "one\ntwo") == (
        "w/new/folder/f.txt",
        7,
        2,
        True,
        "Created w/new/folder/f.txt (2 lines)",
    )
    assert (root / "new/folder/f.txt").read_bytes() == b"one\ntwo"
    assert write(writer, "w/new/folder/f.txt", "ünï\r\n")[1:] == (
        7,
        1,
        False,
        "Overwrote w/new/folder/f.txt (was 2 lines, now 1 line)",
    )
    assert (root / "new/folder/f.txt").read_bytes() == "ünï\r\n".encode()
    # A query that evaluates a row twice writes once.
    assert (
        write(writer, "w/new/folder/f.txt", "ünï\r\n")[4]
        == "w/new/folder/f.txt holds this content already (1 line)"
    )
    assert write(writer, "w/empty", "")[1:3] == (0, 0)


def test_a_part_of_a_file_is_the_part_asked_for(writer, root):
    (root / "f").write_bytes("aé\n漢字\n".encode())
    read = lambda *rest: writer.execute(
        f"SELECT unnest(read_file('w/f'{''.join(rest)}))"
    ).fetchone()
    assert read() == ("w/f", "aé\n漢字\n", 2, 11, False)
    assert read(", 1, 3") == ("w/f", "é\n漢", 2, 11, True)
    assert read(", 3, 3")[1::3] == ("漢字\n", False)
    assert read(", 99, 1")[1::3] == ("", False)
    assert read(", NULL, 0")[1::3] == ("", True)
    for call, code in [
        ("read_file('w/f', -1, 1)", "invalid_args"),
        ("read_file('w/missing')", "not_found"),
        ("read_file('')", "invalid_args"),
        ("read_file('w')", "fs_denied|invalid_args|tool_failed"),
    ]:
        assert_refused(answer(writer, f"SELECT {call}"), *code.split("|"))
    (root / "binary").write_bytes(b"a\0b")
    assert "binary file" in assert_refused(
        answer(writer, "SELECT read_file('w/binary')"), "invalid_args"
    )


@pytest.mark.parametrize("statement", [
    "EXPLAIN SELECT write_file('w/f', 'x')",
    "PREPARE p AS SELECT write_file('w/f', 'x')",
    "DESCRIBE SELECT write_file('w/f', 'x')",
    "CREATE VIEW v AS SELECT write_file('w/f', 'x')",
    "CREATE MACRO m() AS write_file('w/f', 'x')",
    "SELECT write_file('w/f', 'x') LIMIT 0",
    "SELECT write_file('w/f', 'x') WHERE false",
    "CREATE TABLE t AS SELECT write_file('w/f', 'x') WITH NO DATA",
    "SELECT CASE WHEN false THEN write_file('w/f', 'x') END",
])  # fmt: skip
def test_a_plan_writes_nothing(writer, root, statement):
    writer.execute(statement)
    assert list(root.iterdir()) == []


def test_an_execution_writes_once_per_row(writer, root):
    rows = 2100  # more than one chunk
    writer.execute("PREPARE p AS SELECT write_file('w/f' || i, i::VARCHAR) FROM range($1) t(i)")
    made = lambda rows: [
        row[0]["created"] for row in writer.execute(f"EXECUTE p({rows})").fetchall()
    ]
    assert made(rows) == [True] * rows
    assert len(list(root.iterdir())) == rows
    assert made(10) == [False] * 10


@pytest.mark.parametrize("call", ["write_file(NULL, 'x')", "write_file('w/f', NULL)"])
def test_a_write_with_a_null_is_an_error(writer, root, call):
    assert "NULL" in assert_refused(answer(writer, f"SELECT {call}"), "invalid_args")
    assert list(root.iterdir()) == []


def test_nothing_is_written_or_read_without_permission(con, root):
    assert "no sandbox" in assert_refused(
        answer(con, f"SELECT write_file('{root}/f', 'x')"), "fs_denied"
    )
    configure(con, {"name": "w", "root": str(root)})
    assert_refused(answer(con, "SELECT write_file('w/f', 'x')"), "fs_denied")
    configure(con, {"name": "w", "root": str(root), "mode": "rw"})
    assert_refused(answer(con, "SELECT write_file('w/f', 'x')"), "approval_required")
    configure(
        con,
        {
            "name": "w",
            "root": str(root),
            "mode": "rw",
            "write_approval": False,
            "suffixes": [".md"],
            "max_file_bytes": 3,
        },
    )
    assert_refused(answer(con, "SELECT write_file('w/f', 'x')"), "fs_denied")
    assert_refused(answer(con, "SELECT write_file('w/f.md', 'four')"), "too_large")
    assert list(root.iterdir()) == []
    con.execute("SET GLOBAL redline_tool_grants = ['read_file']")
    assert_refused(answer(con, "SELECT write_file('w/f.md', 'x')"), "permission_denied")
    configure(con, {"name": "w", "root": str(root), "read_approval": True})
    assert_refused(answer(con, "SELECT read_file('w/f.md')"), "approval_required")
    assert_refused(answer(con, "FROM edit_explain('w/f.md', 'x')"), "approval_required")


ATTACKS = [
    "w/../outside/secret", "w/a/../../outside/secret", "/etc/passwd", "w//etc/passwd", "w/./f", "w/f/", "w/", "w", "", "../w/f",
    "w/link", "w/folder-link/secret", "w/folder-link/new", "w/dangling", "w/dangling/new", "w/loop", "w/.git/config",
    "w/.git/hooks/post-checkout", "w/.GIT/config", "w/.git./config", "w/.git /config", "w/git~1/config", "w/.git::$INDEX_ALLOCATION/x",
    "w/sub/.git/config", "w/.g\u200cit/config", "w/.mcp.json", "w/.claude/settings.json", "w/.vscode/tasks.json", "w/.cursor/x",
    "w/.codex/x", "w/fifo", "w/hard", "w/setuid", "w/folder", "w/file/below", "w/a\nb", "w/a\tb", "w/\u202egpj.exe", "w/HEAD",
    "w/bare/config", "w/bare/hooks/post-update", "W/f", "w2/f", "w/" + "x" * 300, "w/" + "d/" * 3000 + "f", "w\\f", "w/c:\\f",
    "w/f:stream", "w/.redline-new",
]  # fmt: skip


@pytest.mark.parametrize("path", ATTACKS)
def test_refuses_a_write_outside_or_to_a_reserved_name(writer, root, path):
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("SECRET\n")
    (root / "link").symlink_to(outside / "secret")
    (root / "folder-link").symlink_to(outside)
    (root / "dangling").symlink_to(outside / "created")
    (root / "loop").symlink_to("loop")
    (root / "folder").mkdir()
    (root / "file").write_text("file\n")
    (root / "setuid").write_text("x")
    (root / "setuid").chmod(0o4755)
    (root / "one").write_text("x")
    os.link(root / "one", root / "hard")
    os.mkfifo(root / "fifo")
    subprocess.run(["git", "init", "-q", "--bare", root / "bare"], check=True)
    subprocess.run(["git", "init", "-q", root], check=True)
    before = snapshot(root.parent)
    got = answer(writer, "SELECT write_file(?, 'ATTACK')", path)
    words = assert_refused(got, "fs_denied", "invalid_args", "not_found", "tool_failed")
    assert "SECRET" not in words
    assert snapshot(root.parent) == before


def test_a_directory_that_is_swapped_for_a_link_leads_no_write_outside(writer, root):
    outside = root.parent / "outside"
    outside.mkdir()
    (root / "d").mkdir()
    stop, swapped = threading.Event(), 0

    def swap():
        nonlocal swapped
        while not stop.is_set():
            (root / "d").rename(root / "kept")
            try:
                (root / "d").symlink_to(outside)
                swapped += 1
                (root / "d").unlink()
            except FileExistsError:
                pass  # A write has made the directory anew.
            while (root / "kept").exists():
                try:
                    (root / "kept").rename(root / "d")
                except OSError:
                    shutil.rmtree(root / "d", ignore_errors=True)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        tried = written = 0
        while tried < 300 or (tried < 50_000 and not (written and swapped)):
            tried += 1
            got = answer(
                writer,
                "SELECT write_file(?, ?)",
                f"w/d/f{random.randrange(9)}",
                str(random.random()),
            )
            written += got.error is None
    finally:
        stop.set()
        thread.join()
    assert written > 0 and swapped > 0
    assert list(outside.iterdir()) == []


def test_eight_connections_tear_no_write(writer, root):
    versions = [str(number) * 200_000 for number in range(8)]
    wrong = []

    def work(number):
        con = writer.cursor()
        for _ in range(25):
            got = answer(con, "SELECT write_file('w/shared', ?)", versions[number])
            if got.error and "stale" not in got.error:
                wrong.append(got.error)
            seen = (root / "shared").read_text()
            if seen not in versions:
                wrong.append(f"torn: {len(seen)}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert [path.name for path in root.iterdir()] == ["shared"]


CHILD = """
import sys, _duckdb as duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": True})
con.execute(f"LOAD '{sys.argv[1]}'")
con.execute(f"SET GLOBAL redline_sandboxes = '{sys.argv[2]}'")
print("ready", flush=True)
number = 0
while True:
    con.execute("SELECT write_file('w/f', ?)", [str(number % 10) * 300_000]).fetchone()
    number += 1
"""


def test_a_killed_writer_leaves_a_whole_version(extension, root):
    sandboxes = json.dumps(
        [{"name": "w", "root": str(root), "mode": "rw", "write_approval": False}]
    )
    whole = {str(digit) * 300_000 for digit in range(10)}
    (root / "f").write_text("0" * 300_000)
    random.seed(11)
    for _ in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(extension), sandboxes], stdout=subprocess.PIPE
        )
        assert child.stdout.readline() == b"ready\n"
        time.sleep(random.uniform(0.001, 0.05))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        assert (root / "f").read_text() in whole
        assert {path.name for path in root.iterdir()} <= {"f", ".redline-new"}


EDITOR = """
import sys, _duckdb as duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": True})
con.execute(f"LOAD '{sys.argv[1]}'")
con.execute(f"SET GLOBAL redline_sandboxes = '{sys.argv[2]}'")
print("ready", flush=True)
pair = ("first " * 50_000, "second" * 50_000)
old, new = pair if open(sys.argv[3]).read() == pair[0] else pair[::-1]
while True:
    con.execute("SELECT edit_file('w/f', ?, ?)", [old, new]).fetchone()
    old, new = new, old
    print("edited", flush=True)
"""


@pytest.mark.slow
def test_a_killed_editor_leaves_a_whole_version(extension, root):
    """500 edits, with a kill at a random moment about once in every dozen."""
    sandboxes = json.dumps([{"name": "w", "root": str(root), "mode": "rw", "edit_approval": False}])
    versions = ("first " * 50_000, "second" * 50_000)
    (root / "f").write_text(versions[0])
    random.seed(12)
    edits = kills = 0
    while edits < 500:
        child = subprocess.Popen(
            [sys.executable, "-c", EDITOR, str(extension), sandboxes, str(root / "f")],
            stdout=subprocess.PIPE,
        )
        assert child.stdout.readline() == b"ready\n"
        for _ in range(random.randrange(40)):
            edits += child.stdout.readline() == b"edited\n"
        time.sleep(random.uniform(0, 0.02))
        child.send_signal(signal.SIGKILL)
        child.communicate()
        kills += 1
        assert (root / "f").read_text() in versions
        assert {path.name for path in root.iterdir()} <= {"f", ".redline-new"}
    assert kills >= 12


def test_a_full_disk_keeps_the_old_file(con, root):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", root], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("a file system cannot be mounted here")
    try:
        configure(con, {"name": "w", "root": str(root), "mode": "rw", "write_approval": False})
        write(con, "w/f", "old\n")
        words = assert_refused(
            answer(con, "SELECT write_file('w/f', ?)", "x" * 1_000_000), "tool_failed"
        )
        assert "the disk is full; the file is unchanged" in words
        assert [(path.name, path.read_text()) for path in root.iterdir()] == [("f", "old\n")]
        assert write(con, "w/f", "new\n")[3] is False
    finally:
        subprocess.run(["umount", root], check=True)


def test_a_write_waits_for_a_locked_directory(writer, root):
    import fcntl

    folder = os.open(root, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write, writer.cursor(), "w/f", "x")
        # Others are answered meanwhile.
        for _ in range(100):
            assert answer(writer, "SELECT read_file('w/f')").error is not None
            assert not written.done() and list(root.iterdir()) == []
        os.close(folder)
        assert written.result()[3] is True and (root / "f").read_text() == "x"


# -- edit_file ---------------------------------------------------------------------------------


@pytest.fixture
def editor(con, root):
    return configure(
        con, {"name": "workspace", "root": str(root), "mode": "rw", "edit_approval": False}
    )


def edit(con, *arguments):
    marks = ", ".join("?" * len(arguments))
    return con.execute(f"SELECT edit_file({marks})", list(arguments)).fetchone()[0]


def test_an_edit_says_what_it_did(editor, root):
    (root / "src").mkdir()
    (root / "src/utils.py").write_text("def a():\n    return 1\n\ndef b():\n    return 1\n")
    done = edit(
        editor, "workspace/src/utils.py", "def b():\n    return 1", "def b():\n    return 2"
    )
    assert (
        root / "src/utils.py"
    ).read_text() == "def a():\n    return 1\n\ndef b():\n    return 2\n"
    oid = lambda: subprocess.check_output(
        ["git", "hash-object", root / "src/utils.py"], text=True
    ).strip()
    assert (done["replacements_made"], done["lines_changed"], done["oid"]) == (1, 1, oid())
    assert done["message"] == "Replaced 1 line at line 4 in workspace/src/utils.py"
    assert done["unified_diff"].startswith("--- a/src/utils.py\n+++ b/src/utils.py\n@@ ")
    again = edit(editor, "workspace/src/utils.py", "return", "yield", True, done["oid"])
    assert (again["replacements_made"], again["base_oid"], again["oid"]) == (2, done["oid"], oid())


@pytest.mark.parametrize("arguments, code", [
    (("workspace/f", "x", "y"), "not_unique"),
    (("workspace/f", "absent", "y"), "not_found"),
    (("workspace/f", "x", "x"), "invalid_args"),
    (("workspace/f", "", "y"), "invalid_args"),
    (("workspace/g", "x", "y"), "not_found"),
    (("workspace/binary", "x", "y"), "invalid_args"),
    (("workspace/f", "x", "y", True, "0" * 40), "stale"),
    (("workspace/f", "x", "y", True, "no-id"), "invalid_args"),
    (("workspace/f", None, "y"), "invalid_args"),
    (("workspace/f", "x", None), "invalid_args"),
    ((None, "x", "y"), "invalid_args"),
    (("workspace/../f", "x", "y"), "fs_denied"),
    (("elsewhere/f", "x", "y"), "fs_denied"),
])  # fmt: skip
def test_refuses_an_edit_that_cannot_be_meant(editor, root, arguments, code):
    (root / "f").write_text("x\nx\n")
    (root / "binary").write_bytes(b"x\0")
    before = snapshot(root)
    got = answer(editor, f"SELECT edit_file({', '.join('?' * len(arguments))})", *arguments)
    assert_refused(got, code)
    assert snapshot(root) == before


def test_an_explanation_is_that_of_the_error(editor, root):
    (root / "f").write_bytes(b"if a:\r\n\tb()\r\n\tcaf\xe9()\r\nif A:\r\n\tb()\r\n")
    (root / "binary").write_bytes(b"x\0")
    old = "if a:\n    b()"
    error = answer(editor, "SELECT edit_file('workspace/f', ?, 'x')", old).error
    assert "not_found:" in error and "line 1 'if a:\\r\\n\\tb()' (tabs), line 4" in error
    rows = editor.execute("FROM edit_explain('workspace/f', ?)", [old]).fetchall()
    assert [(line, reason, old) for line, _, reason, old in rows] == [
        (1, "tabs", "if a:\n\tb()"),
        (4, "tabs, case", "if A:\n\tb()"),
    ]
    assert rows[0][1] > rows[1][1] > 0.5
    assert editor.execute("FROM edit_explain('workspace/f', ?)", ["caf\ufffd()"]).fetchall()[0][
        2:
    ] == ("not UTF-8", None)
    # What is said to match does match.
    assert edit(editor, "workspace/f", rows[1][3], "if B:\n\tb()")["replacements_made"] == 1
    assert editor.execute(
        "SELECT line, reason FROM edit_explain('workspace/f', 'b()')"
    ).fetchall() == [(2, "exact"), (5, "exact")]
    assert_refused(answer(editor, "FROM edit_explain('workspace/binary', 'x')"), "invalid_args")
    assert editor.execute(
        "SELECT line FROM edit_explain(?, 'b()')", [str(root / "f")]
    ).fetchall() == [(2,), (5,)]
    for path in (
        "workspace/../f",
        "elsewhere/f",
        str(root.parent / "f"),
        f"{root}/../f",
        f"{root}-evil/f",
    ):
        assert_refused(answer(editor, "FROM edit_explain(?, 'x')", path), "fs_denied")


def test_an_edit_equals_python_s_replace(editor, root):
    random.seed(5)
    word = lambda: "".join(random.choice("ab\n") for _ in range(random.randrange(1, 4)))
    made = 0
    for _ in range(300):
        text, old, new = "".join(word() for _ in range(random.randrange(1, 30))), word(), word()
        (root / "f").write_text(text)
        got = answer(editor, "SELECT edit_file('workspace/f', ?, ?, true)", old, new)
        if got.error is None:
            made += 1
            assert (root / "f").read_text() == text.replace(old, new)
        else:
            assert old == new or old not in text or text.replace(old, new) == text, (
                text,
                old,
                new,
                got.error,
            )
            assert (root / "f").read_text() == text
    assert made > 100


def test_a_list_of_edits_is_made_as_a_whole_or_not_at_all(editor, root):
    (root / "f").write_bytes(b"one\r\ntwo\nthree\n")
    one = lambda old, new, **more: {"old_string": old, "new_string": new} | more
    done = edit(editor, "workspace/f", [one("one\n", "1\nand\n"), one("three", "3")])
    assert (root / "f").read_bytes() == b"1\r\nand\r\ntwo\n3\n"
    assert (done["replacements_made"], done["lines_changed"]) == (2, 3)
    done = edit(
        editor,
        "workspace/f",
        [one("n", "N", replace_all=True), one("3", "three", replace_all=False)],
        done["oid"],
    )
    assert (root / "f").read_bytes() == b"1\r\naNd\r\ntwo\nthree\n" and done[
        "replacements_made"
    ] == 2
    before = snapshot(root)
    for edits, code in [
        ([one("two", "2"), one("absent", "x")], "not_found"),
        ([one("two", "2"), one("wo", "x")], "invalid_args"),
        ([one("two", "2"), one("\n", "x")], "not_unique"),
        ([one("two", "2"), None], "invalid_args"),
        ([one("two", None)], "invalid_args"),
        (None, "invalid_args"),
    ]:
        query = (
            "SELECT edit_file('workspace/f', ?::STRUCT(old_string VARCHAR, new_string VARCHAR)[])"
        )
        words = assert_refused(answer(editor, query, edits), code)
        assert "edit 2 of 2: " in words or code == "invalid_args"
        assert snapshot(root) == before
    assert_refused(
        answer(
            editor,
            "SELECT edit_file('workspace/f', []::STRUCT(old_string VARCHAR, new_string VARCHAR)[])",
        ),
        "invalid_args",
    )
    stale = (
        "SELECT edit_file('workspace/f', [{'old_string': 'two', 'new_string': '2'}], '"
        + "0" * 40
        + "')"
    )
    assert_refused(answer(editor, stale), "stale")
    assert snapshot(root) == before


def test_edits_of_different_lines_at_once_are_all_made(editor, root):
    names = [f"name{number:03}" for number in range(100)]
    (root / "many").write_text("".join(f"{name} = old\n" for name in names))
    wrong = []

    def work(mine):
        con = editor.cursor()
        for name in mine:
            got = answer(
                con, "SELECT edit_file('workspace/many', ?, ?)", f"{name} = old", f"{name} = new"
            )
            wrong.append(got.error) if got.error else None

    threads = [threading.Thread(target=work, args=(names[part::4],)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and (root / "many").read_text() == "".join(
        f"{name} = new\n" for name in names
    )


def test_of_equal_edits_at_once_one_is_made(editor, root):
    """What the others look for is gone, or not unique: they say so, and none is made twice."""
    for new, code in (("gone", "not_found: "), ("old old", "not_unique: ")):
        (root / "one").write_text("old\n")
        errors, start = [], threading.Barrier(4)

        def work():
            con = editor.cursor()
            start.wait()
            errors.append(answer(con, "SELECT edit_file('workspace/one', 'old', ?)", new).error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(error is None for error in errors) == [False, False, False, True], errors
        assert all(code in error for error in errors if error), errors
        assert (root / "one").read_text() == f"{new}\n"


def test_eight_editors_lose_no_edit(editor, root):
    (root / "count").write_text("count: 0 end\n")

    def work():
        con, done = editor.cursor(), 0
        while done < 10:
            number = int((root / "count").read_text().split()[1])
            got = answer(
                con, "SELECT edit_file('workspace/count', ?, ?)", f" {number} ", f" {number + 1} "
            )
            assert got.error is None or "stale: " in got.error or "not_found: " in got.error, (
                got.error
            )
            done += got.error is None

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (root / "count").read_text() == "count: 80 end\n"


def test_an_edit_that_needs_a_yes_is_not_made_without_it(con, root):
    (root / "f").write_text("x\n")
    configure(con, {"name": "workspace", "root": str(root), "mode": "rw"})
    assert_refused(answer(con, "SELECT edit_file('workspace/f', 'x', 'y')"), "approval_required")
    assert (root / "f").read_text() == "x\n"
