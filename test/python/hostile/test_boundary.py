"""The boundary under faults: memory that runs out, settings that change meanwhile, interrupts, deadlines.

Each runs in a process of its own that must go on answering. The samples take seconds; REDLINE_TORTURE makes a minute of each.
"""

# Promise (survival): No process ends because memory reaches the process's limit, settings change
# while functions read them, or interrupts arrive at random moments (`make torture`: a minute of
# each).

import fcntl
import json
import os
import pathlib
import subprocess
import sys
import time

import faults
import pytest
from answers import answer, assert_refused
from faults import SECONDS, TEXT
from sandboxes import configure

pytestmark = pytest.mark.slow


def world(root: pathlib.Path) -> None:
    """Makes a sandbox with texts that differ, one that is not UTF-8, and a repository."""
    root.mkdir()
    (root / "a").write_text(TEXT)
    (root / "b").write_text(TEXT.replace("7", "8"))
    (root / "bad").write_bytes(b"\xff\xfe line\n" * 40_000)
    git = ["git", "-C", root, "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
    (root / "a").write_text(TEXT.replace("3", "4"))
    subprocess.run([*git, "commit", "-q", "-a", "-m", "two"], check=True)


def child(extension, root, what: str) -> None:
    """Runs one method of a child, which must end by itself and without an error."""
    done = subprocess.run(
        [sys.executable, "-B", faults.__file__, extension, root, what],
        capture_output=True, text=True, timeout=60 + 10 * SECONDS,
    )  # fmt: skip
    assert (done.returncode, done.stdout.endswith("ended well\n")) == (0, True), (
        done.returncode,
        done.stdout[-500:],
        done.stderr[-3000:],
    )


@pytest.fixture
def root(tmp_path):
    world(tmp_path / "ws")
    return tmp_path / "ws"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the address space")
def test_a_process_without_memory_gets_an_error(extension, root):
    child(extension, root, "squeeze")


def test_settings_that_change_meanwhile_crash_nothing(extension, root):
    child(extension, root, "race")


def test_interrupts_at_random_moments_leave_a_working_database(extension, root):
    child(extension, root, "interrupt")


def test_the_wait_for_a_lock_ends_at_the_deadline(connect, root):
    con = configure(
        connect(),
        {
            "name": "ws",
            "root": str(root),
            "mode": "rw",
            "write_approval": False,
            "edit_approval": False,
        },
    )
    con.execute("SET redline_max_seconds = 1")
    directory = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        for sql in ("SELECT write_file('ws/new', 'y')", "SELECT edit_file('ws/a', 'line 7 ', 'x')"):
            assert_refused(answer(con, sql), "timeout")
        call = json.dumps({"path": "ws/new", "content": "y"})
        said = json.loads(answer(con, "SELECT redline_call('write_file', ?)", call).rows[0][0])
        assert said["isError"] and said["content"][0]["text"].startswith("timeout: ")
    finally:
        os.close(directory)
    assert (
        not (root / "new").exists()
        and answer(con, "SELECT write_file('ws/new', 'y')").error is None
    )


def test_a_deadline_ends_a_chunk_between_its_rows(connect, root):
    con = configure(
        connect(), {"name": "ws", "root": str(root), "mode": "rw", "write_approval": False}
    )
    con.execute("SET redline_max_seconds = 1")
    (root / "large").write_text(TEXT * 20)
    start = time.process_time()
    assert_refused(
        answer(con, "SELECT read_file('ws/large', i, 1).content FROM range(2000) t(i)"), "timeout"
    )
    # Of processor time, which a busy machine does not use up; all rows take many times as much.
    assert time.process_time() - start < 6
