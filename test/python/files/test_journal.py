"""The journal: what is recorded of operations on files, by several processes, under faults and under attack."""

import hashlib
import json
import os
import pathlib
import shutil
import threading

import apart
import pytest
from answers import answer, assert_refused
from approving import KEY, approvable, yes
from repositories import git_text
from sandboxes import configure

LOG = "SELECT tool, path, kind, outcome FROM redline_log()"
STRACE = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@pytest.fixture
def place(tmp_path):
    """Returns a directory with the root of a sandbox, and no journal yet."""
    (tmp_path / "root").mkdir()
    return tmp_path


def settings(place, **changed):
    sandbox = {
        "name": "ws",
        "root": str(place / "root"),
        "mode": "rw",
        "write_approval": False,
        "edit_approval": False,
        **changed,
    }
    return [
        f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'",
        f"SET GLOBAL redline_journal = '{place / 'journal'}'",
    ]


def hosted(connect, place):
    """Returns a new database with the sandbox and the journal."""
    con = connect()
    for setting in settings(place):
        con.execute(setting)
    return con


@pytest.fixture
def agent(connect, place):
    return hosted(connect, place)


def write(con, path, content="y"):
    return answer(con, "SELECT write_file(?, ?)", path, content)


def edit(con, path, old, new):
    return answer(con, "SELECT edit_file(?, ?, ?)", path, old, new)


def lines(place):
    return [json.loads(line) for line in (place / "journal/log").read_text().splitlines()]


def test_an_operation_is_two_lines_and_the_contents_once(agent, place):
    assert write(agent, "ws/a/f", "one\n").error is None
    assert edit(agent, "ws/a/f", "one", "two").error is None
    first, end, second, _ = lines(place)
    assert end == {"id": first["id"], "outcome": "done"}
    assert (first["tool"], first["outcome"], second["tool"]) == ("write_file", "begun", "edit_file")
    (file,) = second["files"]
    assert (file["sandbox"], file["root"], file["path"], file["kind"]) == (
        "ws",
        str(place / "root"),
        "a/f",
        "update",
    )
    for version, text in ((file["base"], "one\n"), (file["result"], "two\n")):
        digest = hashlib.sha256(text.encode()).hexdigest()
        assert version["sha256"] == digest
        assert (place / "journal/contents" / digest).read_text() == text
        (place / "text").write_text(text)
        assert version["oid"] == git_text(place, "hash-object", "text")
    assert len(list((place / "journal/contents").iterdir())) == 2
    modes = {
        path.stat().st_mode & 0o777 for path in (place / "journal").rglob("*") if path.is_file()
    }
    assert modes == {0o600}
    assert (place / "journal").stat().st_mode & 0o777 == 0o700


def test_the_log_tells_what_a_person_allowed_and_declined(connect, place):
    con = approvable(connect())
    for setting in settings(place, write_approval=True):
        con.execute(setting)
    call = 'needs_approval(\'write_file\', \'{"path": "ws/f", "content": "y"}\')'
    assert_refused(write(con, "ws/f"), "approval_required")
    approval = yes(con, con, call)
    assert write(con, "ws/f").error is None
    declined = 'needs_approval(\'write_file\', \'{"path": "ws/g", "content": "y"}\')'
    con.execute(f"SELECT decline({declined}, '{KEY}')").fetchall()
    assert_refused(write(con, "ws/g"), "declined")
    rows = con.execute(
        "SELECT path, outcome, approval_id, scope, given_by, reason FROM redline_log()"
    ).fetchall()
    assert rows == [
        ("ws/f", "done", approval, "once", rows[0][4], None),
        ("ws/g", "declined", None, None, None, "declined"),
    ]


# Promise (journal): The name of a session, with which any caller could call for it, is neither in
# the journal nor in the log.
def test_a_session_is_one_client_whose_name_is_not_shown(agent, place):
    call = 'SELECT redline_call(\'write_file\', \'{"path": "ws/%s", "content": "y"}\', \'%s\')'
    for name, session in (("a", "secret-1"), ("b", "secret-1"), ("c", "secret-2")):
        agent.execute(call % (name, session)).fetchall()
    write(agent, "ws/d")
    clients = [client for (client,) in agent.execute("SELECT client FROM redline_log()").fetchall()]
    assert clients[0] == clients[1] and len(set(clients)) == 3
    assert "secret" not in (place / "journal/log").read_text() + str(clients)


def test_processes_and_connections_append_to_one_journal(extension, place):
    count, writers = 12, 3
    hosts = [apart.Host(extension, settings=settings(place)) for _ in range(writers)]

    def work(host, number):
        for turn in range(count):
            got = host.ask("SELECT write_file(?, ?)", f"ws/{number}-{turn}", f"{number} {turn}\n")
            assert got.error is None, got.error
            # The same file: each writes over the state that it saw.
            host.ask("SELECT write_file('ws/shared', ?)", f"{number} {turn}\n")

    threads = [threading.Thread(target=work, args=each) for each in zip(hosts, range(writers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = hosts[0].ask("SELECT path, kind, outcome FROM redline_log()").rows
    for host in hosts:
        host.close()
    own = {path for path, kind, outcome in rows if outcome == "done" and path != "ws/shared"}
    assert len(own) == writers * count
    assert not [row for row in rows if row[1] in ("unreadable", "foreign")]
    # The id of the content that is there is the one that the log has last.
    done = [row for row in lines(place) if row.get("files", [{}])[0].get("path") == "shared"]
    ends = {line["id"]: line["outcome"] for line in lines(place) if "files" not in line}
    last = [line for line in done if ends[line["id"]] == "done"][-1]
    content = (place / "root/shared").read_bytes()
    assert last["files"][0]["result"]["sha256"] == hashlib.sha256(content).hexdigest()


# Promise (journal): A process that is killed at any step leaves the old file, or the new one with
# its record.
@STRACE
@pytest.mark.slow
@pytest.mark.parametrize("call", ["fsync", "fdatasync", "renameat,renameat2", "flock", "write"])
def test_a_process_that_is_killed_leaves_the_old_file_or_a_record_of_the_new(
    extension, place, call
):
    file = place / "root/f"
    outcomes = set()
    for number in range(1, 20):
        shutil.rmtree(place / "journal", ignore_errors=True)
        file.write_text("old\n")
        log = place / "calls"
        paths = [place / "root", file, place / "journal"]
        paths += [place / "journal" / name for name in ("log", "contents", "lock")]
        try:
            apart.run(
                extension,
                [("SELECT write_file('ws/f', 'new')", [])],
                settings=settings(place),
                under=[*apart.STRACE, "-o", str(log), "-e", f"trace={call}"]
                + ["-e", f"inject={call}:signal=SIGKILL:when={number}"]
                + [part for path in paths for part in ("-P", str(path))],
            )
            killed = False
        except AssertionError:
            killed = True
        content = file.read_text()
        (rows, after, done) = apart.run(
            extension,
            [
                ("SELECT outcome, kind FROM redline_log()", []),
                ("SELECT write_file('ws/f', 'after')", []),
                ("SELECT outcome FROM redline_log() WHERE outcome IS NOT NULL", []),
            ],
            settings=settings(place),
        )
        assert content in ("old\n", "new")
        recorded = [row for row in rows.rows if row[0] is not None]
        if content == "new":
            assert recorded in ([("begun", "update")], [("done", "update")])
        else:
            assert recorded in ([], [("begun", "update")])
        assert after.error is None and done.rows[-1] == ("done",)
        assert file.read_text() == "after"
        assert not [name for name in os.listdir(place / "root") if name != "f"]
        outcomes.add((content, bool(recorded)))
        if not killed:
            break
    assert not killed and len(outcomes) > 1, outcomes


# Promise (journal): No file is written unless its operation and both contents are on the disk: a
# full, failing or read-only disk, and a journal with links, FIFOs, hard links, directories,
# another owner or rights of others stop writing. With
# `test_a_hostile_journal_stops_writing`.
@STRACE
@pytest.mark.parametrize(
    "call, error",
    # Each call fails by two errors, and each error at two calls; by all of them at night.
    [
        pytest.param(call, error, marks=[pytest.mark.slow] * ((number + at) % 2))
        for number, call in enumerate(
            ["write", "fdatasync", "openat2,openat", "renameat,renameat2"]
        )
        for at, error in enumerate(["ENOSPC", "EIO", "EROFS", "EDQUOT"])
    ],
)
def test_an_operation_that_cannot_be_recorded_is_not_done(extension, connect, place, call, error):
    journal = place / "journal"
    (place / "root/f").write_text("old\n")
    assert write(hosted(connect, place), "ws/f", "once").error is None
    paths = [journal, *journal.rglob("*")]
    (got,) = apart.run(
        extension,
        [("SELECT write_file('ws/f', 'twice')", [])],
        settings=settings(place),
        under=[*apart.STRACE, "-o", str(place / "calls"), "-e", f"trace={call}"]
        + ["-e", f"inject={call}:error={error}:when=1+"]
        + [part for path in paths for part in ("-P", str(path))],
    )
    assert_refused(got, "tool_failed")
    assert (place / "root/f").read_text() == "once"
    other = hosted(connect, place)
    again, log = write(other, "ws/f", "twice"), answer(other, LOG)
    assert again.error is None and log.rows[-1] == ("write_file", "ws/f", "update", "done")
    assert "unreadable" not in str(log.rows)


def link(path, target):
    path.unlink(missing_ok=True) if not path.is_dir() else shutil.rmtree(path)
    path.symlink_to(target)


def replace(path, make):
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    make(path)


# What another program has done to a journal, and the code of every write and reading of it.
ATTACKS = {
    "others may read the directory": (lambda j: j.chmod(0o755), "fs_denied"),
    "others may write the log": (lambda j: (j / "log").chmod(0o622), "fs_denied"),
    "the log is a link": (lambda j: link(j / "log", j.parent / "secret"), "fs_denied"),
    "the log is a hard link": (lambda j: os.link(j / "log", j.parent / "name"), "fs_denied"),
    "the log is a FIFO": (lambda j: replace(j / "log", lambda p: os.mkfifo(p, 0o600)), "fs_denied"),
    "the log is a directory": (lambda j: replace(j / "log", pathlib.Path.mkdir), "fs_denied"),
    "the directory of contents is a link": (lambda j: link(j / "contents", j.parent), "fs_denied"),
    "the directory of contents is a file": (
        lambda j: replace(j / "contents", pathlib.Path.touch),
        "fs_denied",
    ),
    "the log belongs to another": (lambda j: os.chown(j / "log", 4711, -1), "fs_denied"),
    "the directory belongs to another": (lambda j: os.chown(j, 4711, -1), "fs_denied"),
}
WRITE_ATTACKS = {
    "the lock is a link": (lambda j: link(j / "lock", j.parent / "secret"), "fs_denied"),
    "the lock is a FIFO": (
        lambda j: replace(j / "lock", lambda p: os.mkfifo(p, 0o600)),
        "fs_denied",
    ),
}


@pytest.mark.parametrize("name", [*ATTACKS, *WRITE_ATTACKS])
def test_a_hostile_journal_stops_writing(connect, place, name):
    if "another" in name and os.getuid() != 0:
        pytest.skip("only root gives files away")
    (place / "secret").write_text("secret")
    (place / "secret").chmod(0o600)
    first = connect()
    for setting in settings(place):
        first.execute(setting)
    assert write(first, "ws/f", "old").error is None
    attack, code = (ATTACKS | WRITE_ATTACKS)[name]
    attack(place / "journal")
    other = connect()
    for setting in settings(place):
        other.execute(setting)
    for con in (first, other):
        if name in ATTACKS or name not in WRITE_ATTACKS:
            assert_refused(answer(con, LOG), code)
        assert "redline_journal" in assert_refused(write(con, "ws/f", "new"), code)
        assert_refused(edit(con, "ws/f", "old", "new"), code)
        assert (place / "root/f").read_text() == "old"
    assert (place / "secret").read_text() == "secret"


# Promise (journal): A torn line, another program's line, an id that occurs twice: told, and the
# other operations are listed. With `a_torn_journal_gives_its_whole_lines`.
@pytest.mark.parametrize(
    "torn",
    [
        b'{"id":"x","at":1,"cli',
        b"\0" * 100,
        b"\xff\n{}\n[]\n",
        b"[" * 100_000,
        b'{"id":"' + b"x" * 5_000_000,
        b'{"id":"x","outcome":"done"}\n{"id":"x","outcome":"no such"}',
    ],
    ids=range(6),
)
def test_a_torn_line_is_reported_and_the_others_are_read(agent, place, torn):
    assert write(agent, "ws/f", "1").error is None
    with (place / "journal/log").open("ab") as file:
        file.write(torn)
    assert write(agent, "ws/f", "2").error is None
    rows = agent.execute("SELECT kind, outcome, reason FROM redline_log()").fetchall()
    assert rows[0] == ("create", "done", None) and rows[-1] == ("update", "done", None)
    assert len(rows) > 2
    for kind, outcome, reason in rows[1:-1]:
        assert (kind, outcome) == ("unreadable", None) and "of the journal cannot be read" in reason


# Promise (journal): A record names no file outside of the sandboxes, and a session sees what
# became of files that it may read, and no other. With `test_unreadable_files_are_not_listed`.
def test_hostile_records_name_no_file_outside(agent, place):
    assert write(agent, "ws/f", "1").error is None
    record = lines(place)[0]
    with (place / "journal/log").open("a") as log:
        for number, path in enumerate(("../secret", "/etc/passwd", ".git/config", "a\0b", "")):
            file = {**record["files"][0], "path": path}
            log.write(json.dumps({**record, "id": f"x{number}", "files": [file]}) + "\n")
        for root in ("/", str(place), ""):
            file = {**record["files"][0], "root": root}
            log.write(json.dumps({**record, "id": f"x{root}", "files": [file]}) + "\n")
    assert agent.execute(LOG).fetchall() == [("write_file", "ws/f", "create", "done")]


def test_only_the_newest_operations_are_kept(connect, place):
    con = connect()
    for setting in (*settings(place), "SET GLOBAL redline_journal_max_bytes = 100000"):
        con.execute(setting)
    for number in range(60):
        assert write(con, f"ws/f{number}", f"{number}" + "x" * 8000).error is None
        # What a file system puts there is none of ours, and stops nothing.
        (place / "journal/contents/lost+found").mkdir(exist_ok=True)
    size = sum(path.stat().st_size for path in (place / "journal").rglob("*") if path.is_file())
    assert size < 120_000
    paths = [path for (path,) in con.execute("SELECT path FROM redline_log()").fetchall()]
    assert paths[-1] == "ws/f59" and 5 < len(paths) < 15
    assert_refused(write(con, "ws/g", "y" * 100_001), "too_large")
    assert not (place / "root/g").exists()
    con.execute("SET GLOBAL redline_journal_days = 0")
    assert con.execute(LOG).fetchall() == []


# Promise (journal): The journal is not in a sandbox, no sandbox is in it, and DuckDB's own limits
# do not let it be read; a directory that is refused is not made. With
# `a_directory_and_a_sandbox_never_lie_in_each_other`.
def test_a_directory_that_sessions_reach_is_refused_and_not_made(connect, place):
    for journal in (
        place / "root",
        place / "root/inner",
        place,
        pathlib.Path("/"),
        place / "link",
        place / "none/journal",
        place / "root/../root/inner",
    ):
        con = connect()
        (place / "link").unlink(missing_ok=True)
        (place / "link").symlink_to(place / "root")
        for setting in settings(place):
            con.execute(setting)
        con.execute(f"SET GLOBAL redline_journal = '{journal}'")
        words = assert_refused(write(con, "ws/f"), "fs_denied", "tool_failed")
        assert "redline_journal" in words
    assert list((place / "root").iterdir()) == []


def test_without_a_directory_a_database_keeps_its_own_operations(connect, place):
    one, other = connect(), connect()
    for con in (one, other):
        con.execute(settings(place)[0])
    assert write(one, "ws/f", "1").error is None
    assert len(one.execute(LOG).fetchall()) == 1
    assert len(one.cursor().execute(LOG).fetchall()) == 1
    assert other.execute(LOG).fetchall() == []
    assert not (place / "journal").exists()


def test_unreadable_files_are_not_listed(connect, place):
    con = connect()
    for setting in settings(place):
        con.execute(setting)
    assert write(con, "ws/f", "1").error is None
    configure(con, {"name": "ws", "root": place / "root", "read_approval": True})
    assert con.execute(LOG).fetchall() == []
