"""The budget of a query: each function ends soon after its deadline and within its memory, whatever it is given."""

# Promise (survival): Long work ends soon after an interrupt, and at its deadline with `timeout:`:
# comparisons, histories, patches as data, large files of the work tree and their conversions.
# With `test_a_hostile_file_is_answered_in_time`.

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import zlib

import apart
import duckdb
import pytest
import repositories

# Each query begins without what another one has kept.
pytestmark = [pytest.mark.slow, pytest.mark.own_database]

DEADLINE = 1


def slack() -> float:
    """Returns how late an answer may be, in seconds: a busy machine is slower."""
    return 1 + 0.5 * max(1, os.getloadavg()[0] / os.cpu_count())


def ended(con, query: str, parameters=(), codes=("timeout", "too_large")) -> str | None:
    """Runs a query under the deadline, checks that it is back in time, and returns the code of its error if it has one.

    One that is late is asked again: a machine may stand still for seconds, but not twice for the same query.
    """
    con.execute(f"SET GLOBAL redline_max_seconds = {DEADLINE}")
    late = []
    while True:
        start = time.monotonic()
        try:
            con.execute(query, parameters).fetchall()
            code = None
        except duckdb.Error as error:
            code, _ = repositories.code_and_words(str(error))
            assert code in codes, error
        seconds = time.monotonic() - start
        if seconds < DEADLINE + slack():
            break
        late.append(f"{code} after {seconds:.1f} s")
        assert len(late) < 2, late
    assert con.execute("SELECT 42").fetchone() == (42,)
    return code


# -- texts -------------------------------------------------------------------------------------

TEXTS = {
    "30M empty lines": "repeat(chr(10), 30_000_000), 'first' || repeat(chr(10), 15_000_000) || 'middle' || repeat(chr(10), 15_000_000)",
    "400,000 lines, shuffled": "string_agg(hash(i)::VARCHAR, chr(10) ORDER BY i), string_agg(hash(i)::VARCHAR, chr(10) ORDER BY hash(i)) FROM range(400_000) t(i)",
    "one line of 100 MB": "repeat('x', 100_000_000), repeat('x', 100_000_000) || 'y'",
    "100,000 pairs": "repeat(hash(i)::VARCHAR || chr(10), 200), repeat(hash(i + 1)::VARCHAR || chr(10), 200) FROM range(100_000) t(i)",
}
CALLS = [
    "length(unified_diff(a, b))",
    "diff_stats(a, b)",
    "len(diff_rows(a, b))",
    "length(diff_texts(a, b).diff)",
    "length(merge_texts(a, b, b || 'z').text)",
    "len(merge_conflicts(a, b, 'z' || b))",
]


@pytest.fixture(scope="module")
def texts(extension):
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{extension}'")
    for number, texts in enumerate(TEXTS.values()):
        con.execute(f"CREATE TABLE texts_{number} AS SELECT {texts}")
        names = [
            name
            for (name,) in con.execute(
                f"SELECT column_name FROM (DESCRIBE texts_{number})"
            ).fetchall()
        ]
        for old, new in zip(names, "ab"):
            con.execute(f'ALTER TABLE texts_{number} RENAME COLUMN "{old}" TO {new}')
    yield con
    con.close()


@pytest.mark.parametrize(
    "call", CALLS, ids=lambda call: call.replace("length(", "").replace("len(", "").split("(")[0]
)
@pytest.mark.parametrize("number", range(len(TEXTS)), ids=list(TEXTS))
def test_a_function_of_texts_is_back_soon_after_its_deadline(texts, number, call):
    ended(texts, f"SELECT max({call}) FROM texts_{number}")


def test_words_are_compared_within_the_deadline(texts):
    words = "SELECT string_agg(hash(i)::VARCHAR, ' ' ORDER BY i), string_agg(hash(i)::VARCHAR, ' ' ORDER BY hash(i)) FROM range(50_000) t(i)"
    ended(texts, f"SELECT len(inline_diff(a, b)) FROM ({words}) t(a, b)")


def test_the_message_names_the_setting_and_the_seconds(texts):
    texts.execute("SET GLOBAL redline_max_seconds = 1")
    with pytest.raises(
        duckdb.Error,
        match=r"timeout: .* 1 seconds that redline_max_seconds allows\. .+ raise the setting\.",
    ):
        texts.execute("SELECT max(length(unified_diff(a, b))) FROM texts_3").fetchall()


def test_0_and_null_leave_the_default_times(con):
    for none in ["0", "NULL"]:
        con.execute(f"SET GLOBAL redline_max_seconds = {none}")
        assert con.execute("SELECT diff_stats('a', 'b').additions").fetchone() == (1,)
        assert con.execute("SELECT limits.max_seconds FROM redline_capabilities()").fetchone() == (
            None,
        )
    con.execute("SET GLOBAL redline_max_seconds = 7")
    assert con.execute("SELECT limits.max_seconds FROM redline_capabilities()").fetchone() == (7,)


# -- patches -----------------------------------------------------------------------------------

# A patch and the text that it is for. What is read from a patch is far larger than the patch.
PATCHES = {
    "a hunk of 10M lines": """'@@ -0,0 +1,10000000 @@' || chr(10) || repeat('+' || chr(10), 10_000_000), ''""",
    "500,000 hunks": """'--- x' || chr(10) || '+++ x' || chr(10) || (SELECT string_agg(format('@@ -{0} +{0} @@' || chr(10) || '-a' || chr(10) || '+b', i), chr(10) ORDER BY i) FROM range(1, 500_001) t(i)), repeat('a' || chr(10), 500_000)""",
    "a hunk that is not there, 20M empty lines later": """'--- x' || chr(10) || '+++ x' || chr(10) || '@@ -1 +1 @@' || chr(10) || '-a' || chr(10) || '+b' || chr(10) || repeat(chr(10), 20_000_000), repeat('a' || chr(10), 10_000_000)""",
    "names of 40 MB": """'diff --git ' || repeat('a ', 20_000_000) || chr(10) || 'rename from ' || repeat('a ', 10_000_000), ''""",
    "400,000 files": """repeat('diff --git a/x b/x' || chr(10) || 'old mode 100644' || chr(10) || 'new mode 100755' || chr(10), 400_000), ''""",
}  # fmt: skip
PATCH_CALLS = [
    "len(patch_files(patch))",
    "len(patch_hunks(patch))",
    "length(apply_patch(text, patch))",
    "length(reverse_patch(patch))",
]


@pytest.fixture(scope="module")
def patches(extension):
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{extension}'")
    for number, texts in enumerate(PATCHES.values()):
        con.execute(
            f"CREATE TABLE patches_{number} AS SELECT * FROM (SELECT {texts}) t(patch, text)"
        )
    yield con
    con.close()


@pytest.mark.parametrize(
    "call", PATCH_CALLS, ids=lambda call: call.partition("(")[2].partition("(")[0]
)
@pytest.mark.parametrize("number", range(len(PATCHES)), ids=list(PATCHES))
def test_a_patch_is_read_and_applied_within_the_deadline(patches, number, call):
    ended(
        patches,
        f"SELECT {call} FROM patches_{number}",
        codes=("timeout", "too_large", "invalid_args"),
    )


# -- repositories ------------------------------------------------------------------------------


def commit(repo: pathlib.Path, tree: str, *parents: str) -> str:
    parents = [part for parent in parents for part in ("-p", parent)]
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "a"), ("EMAIL", "a@b"))
    }
    return (
        repositories.git(repo, "commit-tree", "-m", "m", *parents, tree, env=identity)
        .decode()
        .strip()
    )


def store(repo: pathlib.Path, blob: bytes) -> str:
    return repositories.git(repo, "hash-object", "-w", "--stdin", stdin=blob).decode().strip()


def tree_of(repo: pathlib.Path, entries: list[tuple[str, str, str, str]]) -> str:
    lines = "".join(f"{mode} {kind} {oid}\t{name}\n" for mode, kind, oid, name in entries)
    return repositories.git(repo, "mktree", stdin=lines.encode()).decode().strip()


@pytest.fixture(scope="module")
def repos(tmp_path_factory) -> dict[str, pathlib.Path]:
    """Returns repositories whose commits `before` and `after` are hard to compare."""
    root = tmp_path_factory.mktemp("repos")

    def make(name: str, trees) -> pathlib.Path:
        repo = root / name
        repo.mkdir()
        repositories.git(repo, "init", "-q", "-b", "main")
        before, after = (trees(repo, side) for side in range(2))
        first = commit(repo, before)
        second = commit(repo, after, first)
        for tag, oid in (("before", first), ("after", second)):
            repositories.git(repo, "tag", tag, oid)
        return repo

    def file(*sides: bytes):
        return lambda repo, side: tree_of(
            repo, [("100644", "blob", store(repo, sides[side]), "file.txt")]
        )

    def bomb(repo: pathlib.Path, side: int) -> str:
        if side == 0:
            return tree_of(repo, [])
        entry = ("100644", "blob", store(repo, b"x\n"), "f")
        for _level in range(10):
            entries = [(*entry[:3], f"{entry[3]}{number}") for number in range(10)]
            entry = ("040000", "tree", tree_of(repo, entries), "d")
        return entry[2]

    newlines = b"\n" * (200 << 20)
    lines = [f"{number * 2654435761 % 2**32}\n" for number in range(400_000)]
    return {
        "newlines": make(
            "newlines",
            file(
                newlines, b"first\n" + newlines[: 100 << 20] + b"middle\n" + newlines[: 100 << 20]
            ),
        ),
        "shuffled": make(
            "shuffled", file("".join(lines).encode(), "".join(sorted(lines)).encode())
        ),
        "bomb": make("bomb", bomb),
    }


SIDES = "'before', 'after', ?"
QUERIES = [
    f"SELECT count(*), sum(additions) FROM file_changes({SIDES})",
    f"SELECT count(*) FROM file_changes({SIDES}, renames := true)",
    f"SELECT len(file_changes_list({SIDES}))",
    f"SELECT count(*) FROM diff_lines({SIDES}, algorithm := 'minimal')",
    f"SELECT len(diff_lines_list({SIDES}))",
    f"SELECT sum(length(patch)) FROM file_patches({SIDES})",
    f"SELECT count(*) FROM diff_hunks({SIDES}, algorithm := 'histogram')",
    f"SELECT * FROM diff_review({SIDES})",
    "SELECT count(*), sum(additions) FROM commit_changes('before..after', ?)",
    "SELECT count(*), sum(additions) FROM commit_changes('after', ?, renames := true)",
]  # fmt: skip


@pytest.mark.parametrize(
    "query",
    QUERIES,
    ids=lambda query: (
        query.partition("(")[2].partition("FROM ")[2].partition("(")[0] or query[11:30]
    ),
)
@pytest.mark.parametrize("name", ["newlines", "shuffled", "bomb"])
def test_a_function_of_a_repository_is_back_soon_after_its_deadline(con, repos, name, query):
    code = ended(con, query, [str(repos[name])])
    assert name != "bomb" or code is not None


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM file_diff('file.txt', 'before', 'after', ?)",
        "SELECT len(file_diff_list('file.txt', 'before', 'after', ?))",
    ],
)
@pytest.mark.parametrize("name", ["newlines", "shuffled"])
def test_one_file_is_compared_within_the_deadline(con, repos, name, query):
    ended(con, query, [str(repos[name])])


@pytest.mark.parametrize("tool", ["GitDiff", "GitDiffSummary"])
@pytest.mark.parametrize("name", ["newlines", "shuffled", "bomb"])
def test_a_tool_answers_soon_after_its_deadline(con, repos, name, tool, monkeypatch):
    monkeypatch.chdir(repos[name])
    con.execute(f"SET GLOBAL redline_max_seconds = {DEADLINE}")
    arguments = json.dumps({"from_rev": "before", "to_rev": "after"})
    start = time.monotonic()
    (answer,) = con.execute("SELECT redline_call(?, ?)", [tool, arguments]).fetchone()
    seconds = time.monotonic() - start
    assert seconds < DEADLINE + slack(), seconds
    answer = json.loads(answer)
    text = answer["content"][0]["text"]
    assert not answer.get("isError") or text.startswith(("timeout: ", "too_large: ")), text
    assert name != "bomb" or answer["isError"], text


CONVERSIONS = [
    "-text",
    "text",
    "text=auto",
    "text ident",
    "working-tree-encoding=SHIFT_JIS",
    "working-tree-encoding=latin1",
    "working-tree-encoding=UTF-16LE",
]


@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_a_large_file_of_the_work_tree_is_read_within_the_deadline(con, tmp_path, conversion):
    repositories.git(tmp_path, "init", "-q", "-b", "main", ".")
    (tmp_path / "large").write_text("small\n")
    repositories.git(tmp_path, "add", ".")
    (tmp_path / ".gitattributes").write_text(f"large {conversion}\n")
    with open(tmp_path / "large", "wb") as file:
        file.write(b"$Id: \n\r\n" * 1000)
        file.truncate(1000 << 20)
    for query in [
        "SELECT count(*) FROM file_changes('INDEX', 'WORKTREE', ?)",
        "SELECT sum(length(patch)) FROM file_patches('INDEX', 'WORKTREE', ?)",
    ]:
        ended(con, query, [str(tmp_path)])


@pytest.mark.parametrize("name", [".gitattributes", ".gitignore"])
def test_a_file_of_many_patterns_is_read_within_the_deadline(con, tmp_path, name):
    repositories.git(tmp_path, "init", "-q")
    for number in range(50):
        (tmp_path / f"file{number}.txt").write_text("text\n")
    repositories.git(tmp_path, "add", ".")
    lines = "".join(f"*n{number}*[ab] -diff\n" for number in range(400_000))
    (tmp_path / name).write_text(lines[: 4 << 20].rpartition("\n")[0])
    for number in range(50):
        (tmp_path / f"file{number}.txt").write_text("other\n")
        (tmp_path / f"new{number}.txt").write_text("other\n")
    ended(
        con,
        "SELECT sum(additions) FROM file_changes('INDEX', 'WORKTREE', ?, untracked := true)",
        [str(tmp_path)],
    )


# -- what the system gives ---------------------------------------------------------------------

LIMITED = """
    import os, resource, sys, _duckdb as duckdb
    con = duckdb.connect(config={{"allow_unsigned_extensions": True}})
    con.execute("LOAD '{extension}'")
    {limit}
    try:
        print(con.execute({query!r}).fetchall())
    except duckdb.Error as error:
        print(error)
    # Not the figure of getrusage, which counts what the process was started by.
    print(con.execute("SELECT 'alive'").fetchall(), open('/proc/self/status').read().split('VmHWM:')[1].split()[0])
"""


def under(extension, limit: str, query: str) -> tuple[str, int]:
    """Runs a query in a process of its own; returns what it said and the most memory it held, in KiB."""
    script = textwrap.dedent(LIMITED.format(extension=extension, limit=limit, query=query))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    said, _, end = done.stdout.rpartition("[('alive',)] ")
    return said.strip(), int(end)


@pytest.mark.parametrize("megabytes", [300, 700, 1200])
@pytest.mark.parametrize(
    "query",
    [
        f"SELECT count(*) FROM diff_lines({SIDES})",
        f"SELECT sum(length(patch)) FROM file_patches({SIDES})",
        f"SELECT sum(additions) FROM file_changes({SIDES})",
    ],
)
def test_memory_that_the_system_refuses_is_an_error_and_no_end_of_the_process(
    extension, repos, query, megabytes
):
    used = "int(open('/proc/self/statm').read().split()[0]) * os.sysconf('SC_PAGE_SIZE')"
    limit = f"resource.setrlimit(resource.RLIMIT_AS, ({used} + ({megabytes} << 20),) * 2); con.execute('SET threads = 1')"
    said, _ = under(extension, limit, query.replace("?", f"'{repos['newlines']}'"))
    assert (
        said.startswith("[(")
        or "too_large: " in said
        or "tool_failed: " in said
        or "Out of Memory" in said
    ), said


def test_a_query_holds_little_more_than_it_may(extension, repos):
    said, kilobytes = under(
        extension,
        "",
        f"SELECT count(*) FROM diff_lines({SIDES}, context := -1)".replace(
            "?", f"'{repos['newlines']}'"
        ),
    )
    assert "too_large: the query needs more than 2147483648 bytes of memory" in said, said
    assert kilobytes < 3 << 20, kilobytes


@pytest.fixture(scope="module")
def readable(tmp_path_factory):
    """Returns a repository that other users may read, and git's rows for it: each kind of scan has work for several workers."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        repo = pathlib.Path(directory) / "repo"
        repo.mkdir()
        repositories.git(repo, "init", "-q", "-b", "main")
        stream = []
        for number in range(40):
            stream.append(
                f"commit refs/heads/main\ncommitter a <b> {1_700_000_000 + number} +0000\ndata 2\nx\n\n"
            )
            for file in range(30):
                text = "".join(f"{line * (number + file)}\n" for line in range(40))
                stream.append(f"M 644 inline d{file % 3}/{file:02}\ndata {len(text)}\n{text}\n")
        repositories.git(repo, "fast-import", "--quiet", stdin="".join(stream).encode())
        for path in [repo, *repo.rglob("*")]:
            os.chmod(path, 0o755)
        changes = repositories.git_text(repo, "diff", "--numstat", "main~39", "main").splitlines()
        rows = [
            (path, int(added), int(deleted))
            for added, deleted, path in (line.split("\t") for line in changes)
        ]
        patch = repositories.git(repo, "diff", "main~39", "main").decode()
        history = [
            (commit,)
            for commit in repositories.git_text(
                repo, "log", "--format=%H", "--follow", "main", "--", "d0/03"
            ).split()
        ]
        log = repositories.git(
            repo, "log", "--format=%H", "--numstat", "--no-renames", "main~30..main"
        ).decode()
        commits, commit = [], None
        for line in filter(None, log.splitlines()):
            if "\t" in line:
                commits.append((commit, line.split("\t")[2]))
            else:
                commit = line
        yield (
            repo,
            {
                "SELECT file_path, additions, deletions FROM file_changes('main~39', 'main', ?)": rows,
                "SELECT string_agg(patch, '') FROM file_patches('main~39', 'main', ?)": [(patch,)],
                "SELECT commit_id, file_path FROM commit_changes('main~30..main', ?) WHERE additions IS NOT NULL": commits,
                "SELECT commit_id FROM file_history('d0/03', 'main', ?) WHERE additions IS NOT NULL": history,
            },
        )


# Promise (survival): A thread that the system cannot start means fewer workers, never fewer rows.
@pytest.mark.parametrize("limited", [False, True], ids=["free", "limited"])
@pytest.mark.parametrize("more", range(5))
def test_a_thread_that_cannot_start_means_fewer_workers_and_never_fewer_rows(
    extension, readable, more, limited
):
    """One more thread does the work of all where access is free; where it is limited, two do."""
    repo, wanted = readable
    settings = (
        [f"SET allowed_directories = ['{repo}']", "SET enable_external_access = false"]
        if limited
        else []
    )
    with apart.Host(extension, settings=settings, threads=4, more_threads=more) as host:
        for query, rows in wanted.items():
            got = host.ask(query, repo)
            if more > limited:
                assert got.rows == rows, (query, got.error)
            else:
                assert got.rows == rows or "tool_failed: no " in str(got.error), (query, got.error)
                assert (
                    "ulimit" in str(got.error)
                    or "limit of its processes" in str(got.error)
                    or got.rows == rows
                )


def test_interrupting_a_range_while_it_is_walked_ends_it_soon(connect, tmp_path):
    """What `a..b` leaves out is known only when the walk has ended, and rows are held back until then."""
    repositories.git(tmp_path, "init", "-q", "-b", "main", ".")
    count, stream = 5_000, []
    for number in range(count):
        stream.append(
            f"commit refs/heads/main\ncommitter a <b> {1_700_000_000 + number} +0000\ndata 2\nx\n\nM 644 inline f\ndata 8\n{number:07}\n\n"
        )
        if number == 9:
            stream.append("reset refs/heads/old\nfrom refs/heads/main\n\n")
    repositories.git(tmp_path, "fast-import", "--quiet", stdin="".join(stream).encode())
    con = connect(threads=2)
    query = "SELECT count(*), sum(additions) FROM commit_changes('old..main', ?)"
    right = con.execute(query, [str(tmp_path)]).fetchone()
    assert right == (count - 10, count - 10)
    interrupted = 0
    for delay in [0.0, 0.005, 0.02, 0.1, 0.3]:
        asked = []
        timer = threading.Timer(delay, lambda: (asked.append(time.monotonic()), con.interrupt()))
        timer.start()
        try:
            assert con.execute(query, [str(tmp_path)]).fetchone() == right
        except duckdb.InterruptException:
            interrupted += 1
            # While the walk itself lasts, no rows can be handed over.
            assert time.monotonic() - asked[0] < 1 + slack()
        timer.join()
        for _ in range(3):  # a late interrupt may meet this one
            try:
                assert con.execute(query, [str(tmp_path)]).fetchone() == right
                break
            except duckdb.InterruptException:
                continue
        else:
            pytest.fail("three interrupts came of one")
    assert interrupted > 0


def peak_bytes(host: apart.Host) -> int:
    """Returns the most memory that a process has had."""
    status = pathlib.Path(f"/proc/{host.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) << 10


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_large_objects_of_many_threads_stay_within_the_bytes_of_a_query(extension, tmp_path):
    path = tmp_path / "repository"
    path.mkdir()
    repositories.git(path, "init", "--quiet", "--initial-branch=main")
    repositories.git(path, "config", "core.bigFileThreshold", "2g")
    size, pairs = 400 << 20, 8
    for side in ("one", "two"):
        entries = []
        for number in range(pairs):
            # Each is another blob, and of lines, so that none is binary and all are compared.
            packer, oid = zlib.compressobj(1), hashlib.sha1()
            line = f"{side} {number}\n".encode().ljust(1 << 20, b"x")[:-1] + b"\n"
            head = f"blob {size}\0".encode()
            data = [packer.compress(head)]
            oid.update(head)
            for _ in range(size >> 20):
                oid.update(line)
                data.append(packer.compress(line))
            name = oid.hexdigest()
            file = path / ".git/objects" / name[:2] / name[2:]
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(b"".join(data) + packer.flush())
            entries.append(f"100644 blob {name}\tf{number}\n")
        tree = repositories.git(path, "mktree", stdin="".join(entries).encode()).decode().strip()
        commit = (
            repositories.git(
                path, "-c", "user.name=n", "-c", "user.email=e", "commit-tree", "-m", side, tree
            )
            .decode()
            .strip()
        )
        repositories.git(path, "update-ref", f"refs/heads/{side}", commit)
    with apart.Host(extension, threads=8, memory_bytes=16 << 30) as host:
        idle = peak_bytes(host)
        answer = host.ask(
            "SELECT sum(additions) FROM file_changes('one', 'two', ?)", str(path), seconds=120
        )
        assert answer.error is None or "too_large: " in answer.error
        # 2 GiB and what the threads hold beside large objects.
        assert peak_bytes(host) - idle < 2.5 * (1 << 30)


MANY_STATES = "[ab]*a[ab]{1500}c"
# The same as a basic regular expression, as git's are.
BASIC = MANY_STATES.replace("{", r"\{").replace("}", r"\}")


def processor_seconds(host: apart.Host) -> float:
    """Returns the processor time that a process has used."""
    fields = pathlib.Path(f"/proc/{host.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="processor time is read from /proc")
@pytest.mark.parametrize(
    "question",
    [
        f'SELECT redline_call_text(\'search\', \'{{"path": "w", "pattern": "{MANY_STATES}", "regex": true}}\')',
        f'SELECT redline_call_text(\'search\', \'{{"repo": "w", "rev": "HEAD", "pattern": "{MANY_STATES}", "regex": true}}\')',
        f"SELECT resolve_revision(':/{BASIC}', $repo)",
        f"SELECT count(*) FROM line_history(':{BASIC}:long', NULL, NULL, 'HEAD', $repo)",
        f"SELECT count(*) FROM commit_changes('HEAD', $repo, changed_lines := '{BASIC}')",
    ],
    ids=["search", "search in a revision", "message", "function", "changed lines"],
)
def test_an_expression_of_many_states_ends_on_a_long_line(extension, tmp_path, question):
    path = tmp_path / "repository"
    path.mkdir()
    git = lambda *arguments, **options: repositories.git(
        path, "-c", "user.name=n", "-c", "user.email=e", *arguments, **options
    )
    git("init", "--quiet", "--initial-branch=main")
    (path / "long").write_bytes(b"ab" * (8 << 20))
    git("add", "long")
    git("commit", "--quiet", "--file=-", stdin=b"subject\n\n" + b"ab" * (8 << 20))
    sandbox = json.dumps([{"name": "w", "root": str(path), "mode": "ro"}])
    settings = [
        f"SET GLOBAL redline_sandboxes = '{sandbox}'",
        f"SET GLOBAL redline_max_seconds = {DEADLINE}",
    ]
    with apart.Host(extension, settings=settings) as host:
        before = processor_seconds(host)
        answer = host.ask(question.replace("$repo", "'w'"), seconds=120)
        # It may be answered in time, and no message matches; what is not answered ends at the deadline, on each thread.
        assert answer.error is None or answer.error.partition(": ")[2].startswith(
            ("timeout: ", "invalid_args: ", "not_found: ")
        ), answer.error
        assert processor_seconds(host) - before < 3 * (DEADLINE + 1)
