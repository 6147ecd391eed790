"""Changes of several files whose process is killed, whose disk is full, or whose directories others change meanwhile: all files or
none, and nothing is left. REDLINE_KILLS says how many kills and failing calls the slow tests try."""

# Promise (sandbox): A patch whose process is killed at any system call, or of which any call
# fails once or from then on, leaves all files or none, nothing else, and a record that takes it
# back; so do a full disk, a directory that may not be written, eight writers of overlapping
# patches, and a directory that is swapped for a link or a file whose permissions change
# meanwhile.

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

import apart
import pytest
from answers import answer
from sandboxes import configure, writable

FEW = 6
MANY = int(os.environ.get("REDLINE_KILLS", "60"))
amounts = pytest.mark.parametrize(
    "count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"]
)
traced = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

BEFORE = {"a": "a\n", "d/b": "b\n", "gone/d": "d\n", "e": "e\n", "x": "x\n"}
AFTER = {"a": "A\n", "d/b": "B\n", "n/m/c": "c\n", "moved/e": "E\n", "x": "x\n"}
PATCH = """diff --git a/a b/a
--- a/a
+++ b/a
@@ -1 +1 @@
-a
+A
diff --git a/d/b b/d/b
--- a/d/b
+++ b/d/b
@@ -1 +1 @@
-b
+B
diff --git a/n/m/c b/n/m/c
new file mode 100644
--- /dev/null
+++ b/n/m/c
@@ -0,0 +1 @@
+c
diff --git a/gone/d b/gone/d
deleted file mode 100644
--- a/gone/d
+++ /dev/null
@@ -1 +0,0 @@
-d
diff --git a/e b/moved/e
rename from e
rename to moved/e
--- a/e
+++ b/moved/e
@@ -1 +1 @@
-e
+E
diff --git a/x b/x
old mode 100644
new mode 100755
"""
# What changes, makes durable, locks or opens something: the steps at which a process can stop with something begun.
CALLS = (
    "openat", "openat2", "write", "fsync", "fdatasync", "renameat", "renameat2", "unlinkat", "mkdirat", "mkdir", "fchmod", "fchown",
    "flock", "ftruncate", "fsetxattr", "getdents64",
)  # fmt: skip
ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EACCES", "EROFS")
PROGRAM = """
import json, sys, _duckdb as duckdb
extension, sandboxes, journal, *patch = sys.argv[1:]
patch = patch or list(filter(None, [sys.stdin.read()]))
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
con.execute(f"LOAD '{extension}'")
con.execute("SET GLOBAL redline_sandboxes = ?", [sandboxes])
con.execute("SET GLOBAL redline_journal = ?", [journal])
for one in patch:
    con.execute("SELECT edit_files('ws', ?)", [one]).fetchall()
"""


def sandbox(root):
    return writable(root, reserved=[])


def fill(root, files=BEFORE):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def files(root):
    found = {
        str(path.relative_to(root)): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and ".redline-patch" not in path.parts
    }
    if "x" in found:
        found["x"] += "+" if (root / "x").stat().st_mode & 0o100 else ""
    return found


WHOLE, NONE = AFTER | {"x": "x\n+"}, BEFORE


class Trials:
    """Patches in processes of their own beneath strace, each in a sandbox of its own."""

    def __init__(self, extension, folder):
        self.extension, self.folder, self.number = extension, folder, 0
        self.log = folder / "calls"
        of_start, of_all = self.calls(), self.calls(PATCH)
        self.steps = [
            (call, number)
            for call in CALLS
            for number in range(of_start.get(call, 0) + 1, of_all.get(call, 0) + 1)
        ]

    def run(self, *patch, options=()):
        self.number += 1
        place = self.folder / str(self.number)
        self.root, self.state, self.journal = (place / name for name in ("root", "state", "log"))
        fill(self.root)
        self.state.mkdir()
        given = [str(self.extension), json.dumps([sandbox(self.root)]), str(self.journal), *patch]
        traced = [*apart.STRACE, "-o", str(self.log), *options] if options else []
        return subprocess.run(
            [*traced, sys.executable, "-c", PROGRAM, *given],
            env={**os.environ, "XDG_STATE_HOME": str(self.state)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def calls(self, *patch):
        """Returns how often the thread that patches makes each call."""
        done = self.run(*patch, options=["-e", f"trace=execve,{','.join(CALLS)}"])
        assert done.returncode == 0, done.stderr
        lines = [line.split(maxsplit=1) for line in self.log.read_text().splitlines()]
        main = lines[0][0]
        made = [said.split("(")[0] for pid, said in lines if pid == main]
        return {call: made.count(call) for call in set(made)}

    def chosen(self, count, seed):
        """Returns all steps, in random order, as often as that makes the count, or a part of them."""
        steps = random.Random(seed).sample(self.steps, len(self.steps))
        return (steps * (count // len(steps) + 1))[:count]

    def recover(self, connect, monkeypatch):
        """Makes the next operation in the sandbox, and checks that all is as before or after; returns the connection."""
        monkeypatch.setenv("XDG_STATE_HOME", str(self.state))
        con = configure(connect(), sandbox(self.root))
        con.execute(f"SET GLOBAL redline_journal = '{self.journal}'")
        assert answer(con, "SELECT write_file('ws/next', 'x')").error is None
        (self.root / "next").unlink()
        self.check()
        return con

    def check(self):
        found = files(self.root)
        assert found in (WHOLE, NONE), found
        assert not list(self.root.rglob(".redline*")) and not list(self.state.rglob("*.intent"))
        directories = {str(path.relative_to(self.root)) for path in self.root.rglob("*/")}
        assert directories == ({"d", "n", "n/m", "moved"} if found == WHOLE else {"d", "gone"})
        return found == WHOLE

    def take_back(self, con):
        """Takes back what the journal says was done or begun: then all is as before."""
        log = "SELECT DISTINCT id, outcome FROM redline_log() WHERE tool = 'edit_files'"
        # A try that found a file changed has failed, and is followed by another one.
        rows = [row for row in answer(con, log).rows if row[1] != "failed"]
        assert len(rows) == 1 or files(self.root) == NONE and not rows, rows
        for name, outcome in rows:
            assert outcome in ("done", "begun"), rows
            taken = answer(con, "SELECT revert_edit(?).outcome", name)
            assert taken.error is None or files(self.root) == NONE, taken.error
        assert files(self.root) == NONE


@pytest.fixture
def trials(extension, tmp_path):
    return Trials(extension, tmp_path)


@traced
@amounts
def test_a_process_that_is_killed_at_any_call_leaves_all_or_nothing(
    trials, connect, monkeypatch, count
):
    outcomes = []
    for call, number in trials.chosen(count, 1):
        options = ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
        ended = trials.run(PATCH, options=options)
        assert ended.returncode in (0, 128 + signal.SIGKILL, -signal.SIGKILL), ended.stderr
        con = trials.recover(connect, monkeypatch)
        outcomes.append((ended.returncode != 0, files(trials.root) == WHOLE))
        trials.take_back(con)
    print(len(trials.steps), "steps;", {each: outcomes.count(each) for each in set(outcomes)})
    assert sum(killed for killed, _ in outcomes) >= count // 2


@traced
@amounts
def test_a_call_that_fails_leaves_all_or_nothing_at_once(trials, connect, monkeypatch, count):
    outcomes = []
    for index, (call, number) in enumerate(trials.chosen(count, 2)):
        error, onwards = ERRORS[index % len(ERRORS)], index % 3 == 2
        when = f"{number}+" if onwards else str(number)
        options = ["-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}"]
        ended = trials.run(PATCH, options=options)
        at = (call, number, error, onwards, ended.stderr[-500:])
        is_whole = files(trials.root) == WHOLE
        assert ended.returncode in (0, 1), at
        is_told = "tool_failed:" in ended.stderr or "_denied:" in ended.stderr
        # A process that can write nothing says nothing.
        assert is_told or is_whole or (call == "write" and onwards), at
        if ended.returncode == 0:
            assert is_whole, at
            # An answer is given once what it says is on the disk.
            assert call not in ("fsync", "fdatasync", "write"), at
        elif "some of it could not be taken back" not in ended.stderr and not onwards:
            assert files(trials.root) in (WHOLE, NONE), at
        try:
            trials.take_back(trials.recover(connect, monkeypatch))
        except AssertionError:
            raise AssertionError(at) from None
        outcomes.append((ended.returncode == 0, is_whole))
    print({each: outcomes.count(each) for each in set(outcomes)})


def test_a_file_that_the_disk_does_not_take_changes_nothing(extension, tmp_path):
    """The system refuses the large file of three: by a limit of the process, and by a file system that is full."""
    place = tmp_path / "root"
    fill(place)
    large = "*** Add File: large\n" + "+0123456789abcdef\n" * 20_000
    patch = PATCH_OF_THREE.format(large=large)
    given = [str(extension), json.dumps([sandbox(place)]), ""]
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
    done = subprocess.run(
        [sys.executable, "-c", limited + PROGRAM, *given],
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
        input=patch,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and "tool_failed:" in done.stderr, done.stderr
    assert files(place) == BEFORE and not list(place.rglob(".redline*"))


PATCH_OF_THREE = """*** Begin Patch
*** Update File: a
-a
+A
{large}*** Delete File: gone/d
*** End Patch
"""


def test_a_file_system_that_is_full_changes_nothing(connect, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("only root mounts a file system")
    try:
        fill(place)
        con = configure(connect(), sandbox(place))
        large = "*** Add File: large\n" + "+0123456789abcdef\n" * 20_000
        found = answer(con, "SELECT edit_files('ws', ?)", PATCH_OF_THREE.format(large=large))
        assert found.error and "tool_failed:" in found.error
        assert files(place) == BEFORE and not list(place.rglob(".redline*"))
        fitting = PATCH_OF_THREE.format(large="*** Add File: small\n+x\n")
        assert answer(con, "SELECT edit_files('ws', ?)", fitting).error is None
    finally:
        subprocess.run(["umount", str(place)], check=True)


# -- others ----------------------------------------------------------------------------------------

WRITER = """
import json, random, sys, _duckdb as duckdb
extension, sandboxes, name, count = sys.argv[1:]
con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
con.execute(f"LOAD '{extension}'")
con.execute("SET GLOBAL redline_sandboxes = ?", [sandboxes])
con.execute("SET enable_progress_bar = false")
chosen = random.Random(name)
for number in range(int(count)):
    line = f"{name}-{number}"
    paths = chosen.sample(["a", "d/b", "gone/d", "e", "x"], chosen.randint(2, 4))
    patch = [{"path": path, "old_string": "head\\n", "new_string": f"head\\n{line}\\n"} for path in paths]
    refusals, is_done = [], False
    while not is_done and len(refusals) < 100:
        try:
            con.execute("SELECT edit_files('ws', ?)", [json.dumps(patch)]).fetchall()
            is_done = True
        except duckdb.Error as error:
            refusals.append(str(error))
    print(json.dumps([line, paths, is_done, refusals]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("count", [6, 60])
def test_eight_writers_of_overlapping_patches_lose_and_halve_none(extension, tmp_path, count):
    root = tmp_path / "root"
    fill(root, dict.fromkeys(BEFORE, "head\n"))
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(extension), json.dumps([sandbox(root)]), f"w{number}", str(count)],
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]  # fmt: skip
    said = [json.loads(line) for one in writers for line in one.communicate()[0].splitlines()]
    assert len(said) == 8 * count and all(one.returncode == 0 for one in writers)
    left = {path: (root / path).read_text().split("\n") for path in BEFORE}
    for line, paths, is_done, refusals in said:
        # As a client does, each tries again until it is its turn: how often depends on the machine alone.
        assert is_done, (line, refusals[-1])
        assert all("stale:" in why or "tool_failed:" in why for why in refusals), refusals
        there = [path for path in BEFORE if left[path].count(line) == 1]
        assert there == [path for path in BEFORE if path in paths], (line, paths, refusals)
        assert not any(left[path].count(line) > 1 for path in BEFORE), (line, refusals)
    assert not list(root.rglob(".redline*"))


def persistently(step) -> None:
    """Does what another writer keeps from being done for a moment."""
    while True:
        try:
            return step()
        except OSError:
            time.sleep(0.001)


@pytest.mark.parametrize("attack", ["link", "permissions"])
@pytest.mark.parametrize("rounds", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_no_change_of_a_directory_by_others_halves_a_patch(
    connect, tmp_path, monkeypatch, attack, rounds
):
    """A directory is swapped for a link to another one, or a file's permissions change, all the time."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root, outside = tmp_path / "root", tmp_path / "outside"
    fill(root, {"a": "0\n", "d/b": "0\n"})
    fill(outside, {"b": "0\n"})
    stop = threading.Event()

    def disturb():
        mine, kept = root / "d", root / "kept"
        while not stop.is_set():
            if attack == "permissions":
                (mine / "b").chmod(random.choice([0o600, 0o644, 0o755]))
                time.sleep(random.random() / 100)
                continue
            mine.rename(kept)
            # Where nothing is, a patch may make a directory, and removes it again.
            persistently(lambda: mine.symlink_to(outside))
            mine.unlink()
            persistently(lambda: kept.rename(mine))
            time.sleep(random.random() / 100)

    con = configure(connect(), sandbox(root))
    thread = threading.Thread(target=disturb)
    thread.start()
    applied = 0
    try:
        for number in range(rounds):
            patch = [
                {"path": path, "old_string": f"{applied}\n", "new_string": f"{applied + 1}\n"}
                for path in ("a", "d/b")
            ]
            found = answer(con, "SELECT edit_files('ws', ?)", json.dumps(patch))
            applied += found.error is None
            assert (root / "a").read_text() == f"{applied}\n", (number, found.error)
    finally:
        stop.set()
        thread.join()
    assert answer(con, "SELECT write_file('ws/next', 'x')").error is None
    assert files(root) == {"a": f"{applied}\n", "d/b": f"{applied}\n", "next": "x"}
    assert files(outside) == {"b": "0\n"} and applied
    assert not list(tmp_path.rglob(".redline*"))


def test_one_file_that_cannot_be_replaced_takes_back_all(extension, tmp_path):
    """A directory that this user may not write, below a root that it may: as another user than root, who may write everywhere."""
    if os.geteuid() != 0:
        pytest.skip("only root becomes another user")
    # A path that others may go through, as those of pytest are not.
    place = pathlib.Path("/tmp") / f"redline-patch-{os.getpid()}"
    place.mkdir(mode=0o755)
    try:
        fill(place / "root")
        subprocess.run(["chown", "-R", "65534:65534", str(place)], check=True)
        os.chown(place / "root/d", 0, 0)
        (place / "root/d").chmod(0o755)
        shutil.copy(extension, place / extension.name)
        # Modules are loaded before, from directories that the other user may not read.
        drop = (
            "import decimal, json, os, sys, _duckdb as duckdb\n"
            "duckdb.connect().execute('SELECT ?', ['x']).fetchall()\n"
            "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        )
        given = [str(place / extension.name), json.dumps([sandbox(place / "root")]), "", PATCH]
        done = subprocess.run(
            [sys.executable, "-c", drop + PROGRAM, *given],
            env={**os.environ, "XDG_STATE_HOME": str(place / "state")},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 1 and ("tool_failed:" in done.stderr or "fs_denied:" in done.stderr), done.stderr  # fmt: skip
        assert files(place / "root") == BEFORE and not list(place.rglob(".redline*"))
        directories = {path.name for path in (place / "root").rglob("*/")}
        assert directories == {"d", "gone"}
    finally:
        shutil.rmtree(place)
