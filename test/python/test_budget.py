"""The budget of a query: each function ends soon after its deadline and within its memory, whatever it is given."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import textwrap
import time

import duckdb
import pytest
import repositories

DEADLINE = 1

def slack() -> float:
    """Returns how late an answer may be, in seconds: a machine with other work to do is as much slower."""
    return 1 + 0.5 * max(1, os.getloadavg()[0] / os.cpu_count())


def ended(con, query: str, parameters=(), codes=("timeout", "too_large")) -> str | None:
    """Runs a query under the deadline, checks that it is back in time, and returns the code of its error if it has one."""
    con.execute(f"SET GLOBAL redline_max_seconds = {DEADLINE}")
    start = time.monotonic()
    try:
        con.execute(query, parameters).fetchall()
        code = None
    except duckdb.Error as error:
        code, _ = repositories.code_and_words(str(error))
        assert code in codes, error
    seconds = time.monotonic() - start
    assert seconds < DEADLINE + slack(), f"{code} after {seconds:.1f} s"
    assert con.execute("SELECT 42").fetchone() == (42,)
    return code


# -- texts -------------------------------------------------------------------------------------

TEXTS = {
    "30M empty lines": "repeat(chr(10), 30_000_000), 'first' || repeat(chr(10), 15_000_000) || 'middle' || repeat(chr(10), 15_000_000)",
    "400,000 lines, shuffled": "string_agg(hash(i)::VARCHAR, chr(10) ORDER BY i), string_agg(hash(i)::VARCHAR, chr(10) ORDER BY hash(i)) FROM range(400_000) t(i)",
    "one line of 100 MB": "repeat('x', 100_000_000), repeat('x', 100_000_000) || 'y'",
    "100,000 pairs": "repeat(hash(i)::VARCHAR || chr(10), 200), repeat(hash(i + 1)::VARCHAR || chr(10), 200) FROM range(100_000) t(i)",
}
CALLS = ["length(unified_diff(a, b))", "diff_stats(a, b)", "len(diff_rows(a, b))", "length(diff_text(a, b).diff)"]


@pytest.fixture(scope="module")
def texts(extension):
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{extension}'")
    for number, texts in enumerate(TEXTS.values()):
        con.execute(f"CREATE TABLE texts_{number} AS SELECT {texts}")
        names = [name for (name,) in con.execute(f"SELECT column_name FROM (DESCRIBE texts_{number})").fetchall()]
        for old, new in zip(names, "ab"):
            con.execute(f'ALTER TABLE texts_{number} RENAME COLUMN "{old}" TO {new}')
    yield con
    con.close()


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.replace("length(", "").replace("len(", "").split("(")[0])
@pytest.mark.parametrize("number", range(len(TEXTS)), ids=list(TEXTS))
def test_a_function_of_texts_is_back_soon_after_its_deadline(texts, number, call):
    ended(texts, f"SELECT max({call}) FROM texts_{number}")


def test_words_are_compared_within_the_deadline(texts):
    words = "SELECT string_agg(hash(i)::VARCHAR, ' ' ORDER BY i), string_agg(hash(i)::VARCHAR, ' ' ORDER BY hash(i)) FROM range(50_000) t(i)"
    ended(texts, f"SELECT len(inline_diff(a, b)) FROM ({words}) t(a, b)")


def test_the_message_names_the_setting_and_the_seconds(texts):
    texts.execute("SET GLOBAL redline_max_seconds = 1")
    with pytest.raises(duckdb.Error, match=r"timeout: .* 1 seconds that redline_max_seconds allows\. .+ raise the setting\."):
        texts.execute("SELECT max(length(unified_diff(a, b))) FROM texts_3").fetchall()


def test_no_deadline_is_set_by_0_or_null(con):
    for none in ["0", "NULL"]:
        con.execute(f"SET GLOBAL redline_max_seconds = {none}")
        assert con.execute("SELECT diff_stats('a', 'b').additions").fetchone() == (1,)
        assert con.execute("SELECT limits.max_seconds FROM redline_capabilities()").fetchone() == (None,)
    con.execute("SET GLOBAL redline_max_seconds = 7")
    assert con.execute("SELECT limits.max_seconds FROM redline_capabilities()").fetchone() == (7,)


# -- repositories ------------------------------------------------------------------------------


def commit(repo: pathlib.Path, tree: str, *parents: str) -> str:
    parents = [part for parent in parents for part in ("-p", parent)]
    identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@b"))}
    return repositories.git(repo, "commit-tree", "-m", "m", *parents, tree, env=identity).decode().strip()


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
        return lambda repo, side: tree_of(repo, [("100644", "blob", store(repo, sides[side]), "file.txt")])

    def bomb(repo: pathlib.Path, side: int) -> str:
        if side == 0:
            return tree_of(repo, [])
        entry = ("100644", "blob", store(repo, b"x\n"), "f")
        for level in range(10):
            entries = [(*entry[:3], f"{entry[3]}{number}") for number in range(10)]
            entry = ("040000", "tree", tree_of(repo, entries), "d")
        return entry[2]

    newlines = b"\n" * (200 << 20)
    lines = [f"{number * 2654435761 % 2**32}\n" for number in range(400_000)]
    return {
        "newlines": make("newlines", file(newlines, b"first\n" + newlines[: 100 << 20] + b"middle\n" + newlines[: 100 << 20])),
        "shuffled": make("shuffled", file("".join(lines).encode(), "".join(sorted(lines)).encode())),
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


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.partition("(")[2].partition("FROM ")[2].partition("(")[0] or query[11:30])
@pytest.mark.parametrize("name", ["newlines", "shuffled", "bomb"])
def test_a_function_of_a_repository_is_back_soon_after_its_deadline(con, repos, name, query):
    code = ended(con, query, [str(repos[name])])
    assert name != "bomb" or code is not None


@pytest.mark.parametrize("query", ["SELECT count(*) FROM file_diff('file.txt', 'before', 'after', ?)", "SELECT len(file_diff_list('file.txt', 'before', 'after', ?))"])
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


# -- what the system gives ---------------------------------------------------------------------

LIMITED = """
    import os, resource, sys, duckdb
    con = duckdb.connect(config={{"allow_unsigned_extensions": True}})
    con.execute("LOAD '{extension}'")
    {limit}
    try:
        print(con.execute({query!r}).fetchall())
    except duckdb.Error as error:
        print(error)
    print(con.execute("SELECT 'alive'").fetchall(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def under(extension, limit: str, query: str) -> tuple[str, int]:
    """Runs a query in a process of its own; returns what it said and the most memory it held, in KiB."""
    script = textwrap.dedent(LIMITED.format(extension=extension, limit=limit, query=query))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    said, _, end = done.stdout.rpartition("[('alive',)] ")
    return said.strip(), int(end)


@pytest.mark.parametrize("megabytes", [300, 700, 1200])
@pytest.mark.parametrize("query", [f"SELECT count(*) FROM diff_lines({SIDES})", f"SELECT sum(length(patch)) FROM file_patches({SIDES})", f"SELECT sum(additions) FROM file_changes({SIDES})"])
def test_memory_that_the_system_refuses_is_an_error_and_no_end_of_the_process(extension, repos, query, megabytes):
    used = "int(open('/proc/self/statm').read().split()[0]) * os.sysconf('SC_PAGE_SIZE')"
    limit = f"resource.setrlimit(resource.RLIMIT_AS, ({used} + ({megabytes} << 20),) * 2); con.execute('SET threads = 1')"
    said, _ = under(extension, limit, query.replace("?", f"'{repos['newlines']}'"))
    assert said.startswith("[(") or "too_large: " in said or "tool_failed: " in said or "Out of Memory" in said, said


def test_a_query_holds_little_more_than_it_may(extension, repos):
    said, kilobytes = under(extension, "", f"SELECT count(*) FROM diff_lines({SIDES}, context := -1)".replace("?", f"'{repos['newlines']}'"))
    assert "too_large: the query needs more than 2147483648 bytes of memory" in said, said
    assert kilobytes < 3 << 20, kilobytes
