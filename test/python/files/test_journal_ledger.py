"""The journal as a ledger: what is written is counted and bounded, failures push out nothing that was done, and no
operation is forgotten before it ends."""

import json
import os
import random
import threading

import apart
import pytest
from answers import answer, assert_refused
from repositories import git, git_text

LINE_BYTES = 64 << 10


def settings(place, directory, **more):
    sandbox = {
        "name": "ws",
        "root": str(place / "root"),
        "mode": "rw",
        "git": "commit",
        "write_approval": False,
        "edit_approval": False,
    }
    return [
        f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'",
        *([f"SET GLOBAL redline_journal = '{place / 'journal'}'"] if directory else []),
        *(f"SET GLOBAL {name} = {value}" for name, value in more.items()),
    ]


def opened(connect, place, directory=True, **more):
    (place / "root").mkdir(exist_ok=True)
    con = connect()
    for setting in settings(place, directory, **more):
        con.execute(setting)
    return con


def patch_of(paths):
    """Returns a patch that changes a line of each file."""
    return "".join(f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new\n" for path in paths)


def long_names(count, depth=2):
    return [f"missing/{number}/" + "/".join(["n" * 200] * depth) for number in range(count)]


def fail(con, paths):
    assert_refused(answer(con, "SELECT edit_files('ws', ?)", patch_of(paths)), "not_found")


@pytest.mark.parametrize("directory", [True, False], ids=["directory", "memory"])
def test_a_failed_call_is_recorded_by_its_first_files_and_their_number(
    connect, tmp_path, directory
):
    con = opened(connect, tmp_path, directory)
    fail(con, long_names(500))
    if directory:
        (line,) = (tmp_path / "journal/log").read_bytes().splitlines()
        assert len(line) <= LINE_BYTES
    rows = con.execute("SELECT path, reason, outcome FROM redline_log()").fetchall()
    listed = [path for path, _, _ in rows if path is not None]
    assert 50 < len(listed) < 200
    assert rows[-1] == (None, f"and {500 - len(listed)} more files", "failed")


# Promise (journal): Calls that fail or are declined never push out what was done. With
# `test_in_memory_calls_that_fail_push_out_nothing_that_was_done`.
def test_calls_that_fail_push_out_nothing_that_was_done(connect, tmp_path):
    con = opened(connect, tmp_path, redline_journal_max_bytes=300_000)
    (tmp_path / "root/f").write_text("old\n")
    assert answer(con, "SELECT edit_files('ws', ?)", patch_of(["f"])).error is None
    (id,) = con.execute("SELECT id FROM redline_log()").fetchone()
    for _ in range(6):
        fail(con, long_names(40, depth=10))
    sizes = [path.stat().st_size for path in (tmp_path / "journal").rglob("*") if path.is_file()]
    assert sum(sizes) < 400_000
    other = opened(connect, tmp_path, redline_journal_max_bytes=300_000)
    assert answer(other, "SELECT write_file('ws/g', 'y')").error is None
    assert answer(other, "SELECT revert_edit(?)", id).error is None
    assert (tmp_path / "root/f").read_text() == "old\n"


@pytest.mark.slow
def test_in_memory_calls_that_fail_push_out_nothing_that_was_done(connect, tmp_path):
    con = opened(connect, tmp_path, directory=False)
    (tmp_path / "root/f").write_text("old\n")
    assert answer(con, "SELECT edit_files('ws', ?)", patch_of(["f"])).error is None
    (id,) = con.execute("SELECT id FROM redline_log()").fetchone()
    for _ in range(18):
        fail(con, long_names(1000, depth=17))
    assert answer(con, "SELECT revert_edit(?)", id).error is None
    assert (tmp_path / "root/f").read_text() == "old\n"


@pytest.mark.slow
def test_a_log_beyond_the_limit_is_read_and_repaired(connect, tmp_path):
    con = opened(connect, tmp_path)
    (tmp_path / "root/f").write_text("old\n")
    assert answer(con, "SELECT edit_files('ws', ?)", patch_of(["f"])).error is None
    (id,) = con.execute("SELECT id FROM redline_log()").fetchone()
    log = tmp_path / "journal/log"
    record = json.loads(log.read_text().splitlines()[0])
    file = {key: record["files"][0][key] for key in ("sandbox", "root")}
    files = [file | {"path": path} for path in long_names(1000, depth=17)]
    with log.open("a") as appended:
        for number in range(20):
            failed = record | {"id": f"{number}", "outcome": "failed", "files": files}
            appended.write(json.dumps(failed) + "\n")
    assert log.stat().st_size > 70_000_000
    other = opened(connect, tmp_path)
    done = "SELECT count(DISTINCT id) FROM redline_log() WHERE outcome = 'done'"
    assert other.execute(done).fetchone() == (1,)
    assert answer(other, "SELECT write_file('ws/g', 'y')").error is None
    assert log.stat().st_size < 4_000_000
    assert answer(other, "SELECT revert_edit(?)", id).error is None
    assert (tmp_path / "root/f").read_text() == "old\n"


# Promise (journal): Nobody's calls fill the log beyond reading: lines and reasons are bounded, and a log of any length is
# read and shortened. With `test_a_failed_call_is_recorded_by_its_first_files_and_their_number`,
# `test_a_log_beyond_the_limit_is_read_and_repaired` and `test_a_reason_has_a_kibibyte_at_most`.
def test_a_log_without_end_stops_neither_reading_nor_writing(connect, tmp_path):
    con = opened(connect, tmp_path)
    assert answer(con, "SELECT write_file('ws/f', 'y')").error is None
    os.truncate(tmp_path / "journal/log", 1 << 40)
    for content, again in (("1", con), ("2", opened(connect, tmp_path))):
        assert answer(again, "SELECT kind FROM redline_log()").rows == [("unreadable",)]
        assert answer(again, "SELECT write_file('ws/g', ?)", content).error is None
        rows = answer(again, "SELECT path, outcome FROM redline_log()").rows
        assert rows == [("ws/g", "done")]
        os.truncate(tmp_path / "journal/log", 1 << 40)


def test_a_reason_has_a_kibibyte_at_most(connect, tmp_path):
    con = opened(connect, tmp_path)
    (tmp_path / "root/f").write_text("old\n")
    call = "SELECT edit_files('ws', ?, {'reason': ?})"
    for reason in ("x" * 1025, "é" * 513):
        told = assert_refused(answer(con, call, patch_of(["f"]), reason), "invalid_args")
        assert "reason" in told and "1024" in told
    assert not (tmp_path / "journal/log").exists()
    assert answer(con, call, patch_of(["f"]), "é" * 512).error is None
    assert con.execute("SELECT reason FROM redline_log()").fetchall() == [("é" * 512,)]


# Promise (journal): What is in flight is kept until it ends, whoever shortens the journal, and a change of many files is
# reverted whole. With `what_is_in_flight_is_kept_until_it_ends` and
# `an_end_without_its_beginning_writes_the_record_whole`.
@pytest.mark.parametrize("directory", [True, False], ids=["directory", "memory"])
def test_a_change_of_many_files_is_taken_back_whole(connect, tmp_path, directory):
    con = opened(connect, tmp_path, directory)
    paths = [f"{number}-{'n' * 150}" for number in range(300)]
    for path in paths:
        (tmp_path / "root" / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / "root" / path).write_text("old\n")
    assert answer(con, "SELECT edit_files('ws', ?)", patch_of(paths)).error is None
    if directory:
        lines = (tmp_path / "journal/log").read_bytes().splitlines()
        assert len(lines) > 2 and max(map(len, lines)) <= LINE_BYTES
    (id,) = con.execute("SELECT DISTINCT id FROM redline_log()").fetchone()
    assert con.execute("SELECT count(path), count(*) FROM redline_log()").fetchone() == (300, 300)
    assert answer(con, "SELECT revert_edit(?)", id).error is None
    assert {(tmp_path / "root" / path).read_text() for path in paths} == {"old\n"}


class Writer(threading.Thread):
    """Works on files and commits of a repository of its own by processes of which some are killed, and checks each answer."""

    def __init__(self, extension, place, seed: int, number: int, operations: int):
        super().__init__()
        self.extension, self.place, self.number, self.left = extension, place, number, operations
        self.random = random.Random(1000 * seed + number)
        self.repo = place / f"root/{number}"
        self.repo.mkdir()
        git(self.repo, "init", "-q", "-b", "main")
        for name in ("name", "email"):
            git(self.repo, "config", f"user.{name}", "a@example.com")
        (self.repo / "tracked").write_text("first\n")
        git(self.repo, "add", "tracked")
        git(self.repo, "commit", "-q", "-m", "first")
        self.kills = self.reverts = self.commits = 0
        self.wrong: list[object] = []

    def run(self) -> None:
        while self.left > 0 and not self.wrong:
            host = apart.Host(self.extension, settings=settings(self.place, True, **TINY))
            try:
                lives = self.random.randrange(3, 12)
                for _ in range(min(lives, self.left)):
                    self.left -= 1
                    self.step(host)
                self.kill(host)
            except Exception as error:  # the test tells it, where the thread would not
                self.wrong.append(error)
            finally:
                host.close()
                # As a person does, once the process is gone.
                for lock in (self.repo / ".git").rglob("*.lock"):
                    lock.unlink()

    def kill(self, host) -> None:
        """Ends the process somewhere within an operation."""
        text = "x" * self.random.randrange(1, 9000)
        (self.repo / "tracked").write_text(text)
        sql, *parameters = self.random.choice(
            [
                ("SELECT write_file(?, ?)", f"ws/{self.number}/killed", text),
                ("SELECT git_commit(?, 'killed', ['tracked'])", f"ws/{self.number}"),
                ("SELECT git_stage(?, ['tracked'])", f"ws/{self.number}"),
            ]
        )
        host._send({"sql": sql, "parameters": parameters, "interrupt_after": None})
        for _ in range(self.random.randrange(200_000)):
            pass
        host.process.kill()
        self.kills += 1

    def step(self, host) -> None:
        kinds = [self.use_git, self.fail, self.write, self.write, self.patch]
        self.random.choice(kinds if self.commits else kinds[:1])(host)

    def fail(self, host) -> None:
        paths = long_names(self.random.randrange(1, 30), depth=self.random.randrange(2, 12))
        got = host.ask("SELECT edit_files('ws', ?)", patch_of(paths))
        self.check(got.error is not None and "not_found" in got.error, got)

    def names(self, count: int) -> list[str]:
        return [f"{self.number}/{self.random.randrange(20)}-{place}" for place in range(count)]

    def text(self) -> str:
        return f"{self.left} {self.random.random()}\n" * 20

    def write(self, host) -> None:
        (name,) = self.names(1)
        before = {name: self.content(name)}
        got = host.ask("SELECT write_file(?, ?)", f"ws/{name}", self.text())
        self.done(host, got, [name], lambda: {name: self.content(name)} == before)

    def patch(self, host) -> None:
        names = self.names(5)
        for name in names:
            (self.place / "root" / name).unlink(missing_ok=True)
        patch = "".join(
            f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,20 @@\n"
            + "".join(f"+{line}\n" for line in self.text().splitlines())
            for name in names
        )
        got = host.ask("SELECT edit_files('ws', ?)", patch)
        self.done(host, got, names, lambda: not any(map(self.content, names)))

    def state(self) -> list[str]:
        """Returns HEAD, what is staged, and the content of the file that is tracked."""
        said = [("rev-parse", "HEAD"), ("ls-files", "-s", "tracked")]
        return [
            *(git_text(self.repo, *words) for words in said),
            (self.repo / "tracked").read_text(),
        ]

    def use_git(self, host) -> None:
        (self.repo / "tracked").write_text(self.text())
        before = self.state()
        calls = [
            "SELECT git_commit(?, 'a message', ['tracked'])",
            "SELECT git_stage(?, ['tracked'])",
            "SELECT git_restore(?, ['tracked'], 'HEAD')",
        ]
        sql = self.random.choice(calls if self.commits else calls[:1])
        got = host.ask(sql, f"ws/{self.number}")
        self.commits += "git_commit" in sql
        self.done(host, got, [f"{self.number}/tracked"], lambda: self.state() == before)

    def done(self, host, got, names, is_as_before) -> None:
        """Checks that an operation is recorded with all of its files, and sometimes takes it back."""
        self.check(got.error is None, got)
        client = "(SELECT arg_max(client, recorded_at) FROM redline_log() WHERE path = ?)"
        found = host.ask(
            f"SELECT id, count(*) FROM redline_log() WHERE outcome = 'done' AND client = {client} "
            "GROUP BY id ORDER BY max(recorded_at) DESC LIMIT 1",
            f"ws/{names[0]}",
        )
        self.check(found.rows is not None and len(found.rows) == 1, found)
        id, files = found.rows[0]
        self.check(files == len(names), (found, names))
        if self.random.random() < 0.5:
            got = host.ask("SELECT revert_edit(?).outcome", id)
            self.check(got.rows == [("applied",)], got)
            self.check(is_as_before(), (names, id))
            self.reverts += 1

    def content(self, name: str) -> str | None:
        path = self.place / "root" / name
        return path.read_text() if path.exists() else None

    def check(self, holds: bool, told: object) -> None:
        if not holds:
            raise AssertionError(str(told)[:2000])


# Room for some dozens of operations, and for a few that fail.
TINY = {"redline_journal_max_bytes": 200_000}


# Promise (journal): Whatever is answered as `applied` has its row and can be reverted, and writing never stops, while
# processes are killed and limits are tiny: files, patches, commits, what is staged and restored.
@pytest.mark.parametrize(
    "seed, writers, operations",
    [
        pytest.param(1, 2, 7, id="some"),
        *(pytest.param(seed, 4, 250, id=f"many-{seed}", marks=pytest.mark.slow) for seed in (2, 3)),
    ],
)
def test_what_is_answered_applied_is_recorded_and_writing_never_stops(
    extension, tmp_path, seed, writers, operations
):
    (tmp_path / "root").mkdir()
    running = [Writer(extension, tmp_path, seed, number, operations) for number in range(writers)]
    for writer in running:
        writer.start()
    for writer in running:
        writer.join()
    assert not [wrong for writer in running for wrong in writer.wrong]
    for count in ("kills", "reverts", "commits"):
        assert any(getattr(writer, count) for writer in running), count
    with apart.Host(extension, settings=settings(tmp_path, True, **TINY)) as host:
        rows = host.ask("SELECT kind, outcome FROM redline_log()").rows
    # A process that is killed leaves a torn line or an operation without an end.
    kills = sum(writer.kills for writer in running)
    odd = [row for row in rows if row[0] == "unreadable" or row[1] == "begun"]
    assert len(odd) <= kills and ("update", "done") in rows or ("create", "done") in rows
    held = [path.stat().st_size for path in (tmp_path / "journal").rglob("*") if path.is_file()]
    assert sum(held) < 2 * TINY["redline_journal_max_bytes"]
