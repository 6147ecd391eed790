"""The questions of the bench, and how each contestant answers them."""

import difflib
import json
import os
import resource
import subprocess
import sys
import time
from typing import NamedTuple

import duckdb
import inputs
from inputs import ROOT

# compare.py names another build.
EXTENSION = os.environ.get(
    "REDLINE_EXTENSION", ROOT / "build" / "release" / "redline.duckdb_extension"
)
TEXT_PAIRS = ROOT / "target/bench/release/text_pairs"
# git prints what redline shows, and runs nothing of the repository.
PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-abbrev"]


def connect(**settings: int) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(config={"allow_unsigned_extensions": True, **settings})
    con.execute(f"LOAD '{EXTENSION}'")
    return con


class Taken(NamedTuple):
    """What an answer took: seconds, and of those of the processors what it, its threads and its processes used."""

    seconds: float
    processor: float


def processor() -> float:
    """Returns the seconds of the processors that this process and those it has waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measured(answer) -> tuple[Taken, object]:
    """Returns what an answer took, and the answer."""
    used, start = processor(), time.perf_counter()
    found = answer()
    return Taken(time.perf_counter() - start, processor() - used), found


def first(answer, **settings: int) -> tuple[Taken, object]:
    """Returns what an answer took on a connection that has answered nothing before, and the answer."""
    con = connect(**settings)
    return measured(lambda: answer(con))


def count(text: str) -> int | None:
    return None if text == "-" else int(text)


# -- two revisions -----------------------------------------------------------------------------

STATUS = {"A": "added", "D": "deleted", "M": "modified", "T": "type_changed", "R": "renamed"}


def changed(con, columns: str, old: str, new: str, repository, more: str = ""):
    return con.execute(
        f"SELECT {columns} FROM file_changes('{old}', '{new}', '{repository}'{more})"
    ).fetchall()


def added_up(con, query: str) -> tuple[int, int]:
    """Returns how many rows of two texts there are, and their bytes; DuckDB computes both columns."""
    return con.execute(
        f"SELECT count(*), sum(strlen(a) + strlen(b))::BIGINT FROM ({query}) AS asked(a, b)"
    ).fetchone()


def sizes(rows: list[tuple[str, str]]) -> tuple[int, int]:
    """Returns the same of rows in Python."""
    return len(rows), sum(len(a.encode()) + len(b.encode()) for a, b in rows)


def read_raw(printed: bytes) -> list[tuple]:
    """Returns path and status of each entry of `--raw -z`."""
    fields, found = iter(printed.decode().split("\0")), []
    for field in fields:
        if field.startswith(":"):
            kind = field.split(" ")[4]
            path = next(fields)
            found.append((next(fields) if kind[0] in "RC" else path, STATUS[kind[0]]))
    return found


def read_counts(printed: bytes) -> list[tuple]:
    """Returns path and counts of each entry of `--numstat -z`."""
    lines = printed.decode().split("\0")
    return [
        (path, count(a), count(d)) for a, d, path in (line.split("\t", 2) for line in lines if line)
    ]


def libgit2(repository):
    import pygit2

    return pygit2.Repository(str(repository))


def libgit2_diff(repository, old: str, new: str, renames: bool = False):
    opened = libgit2(repository)
    # No context lines are made where only files are asked for.
    diff = opened.diff(opened.revparse_single(old), opened.revparse_single(new), context_lines=3)
    if renames:
        diff.find_similar()
    return diff


def libgit2_names(repository, old: str, new: str, renames: bool = False) -> list[tuple]:
    deltas = libgit2_diff(repository, old, new, renames).deltas
    return [(delta.new_file.path, STATUS[delta.status_char()]) for delta in deltas]


def libgit2_counts(repository, old: str, new: str) -> list[tuple]:
    patches = libgit2_diff(repository, old, new)
    return [(patch.delta.new_file.path, *patch.line_stats[1:]) for patch in patches]


def gitpython(repository):
    from git import Repo

    return Repo(str(repository))


def gitpython_names(repository, old: str, new: str) -> list[tuple]:
    opened = gitpython(repository)
    found = opened.commit(old).diff(opened.commit(new), no_renames=True)
    return [(entry.b_path or entry.a_path, STATUS[entry.change_type]) for entry in found]


# -- history -----------------------------------------------------------------------------------


def history(con, columns: str, tip: str, repository, more: str = "") -> int:
    """Returns how many rows there are; DuckDB computes every column of them, and keeps none."""
    names = " + ".join(f"count({column})" for column in columns.split(", "))
    return con.execute(
        f"SELECT count(*), {names} FROM commit_changes('{tip}', '{repository}'{more})"
    ).fetchone()[0]


def git_history(repository, *arguments: str) -> int:
    """Returns how many changed files git log prints; what it prints is read and not kept."""
    command = inputs.git_command(
        repository, "log", "--format=%x00%H", "--no-renames", *PLAIN, *arguments
    )
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=inputs.ENVIRONMENT) as running:
        return sum(line not in (b"\n",) and line[:1] != b"\0" for line in running.stdout)


def read_newest(printed: bytes) -> list[tuple]:
    """Returns commit, path and status of the first five changes that git log -z prints, with a 1 before each id."""
    found = []
    for commit in printed.decode().split("\1")[1:]:
        commit_id, _, changes = commit.partition("\0")
        found += [
            (commit_id.strip(), *change) for change in read_raw(changes.lstrip("\0\n").encode())
        ]
    return found[:5]


def libgit2_history(repository, tip: str, counts: bool) -> int:
    import pygit2

    opened = libgit2(repository)
    rows = 0
    start, _, end = tip.partition("..") if ".." in tip else ("", "", tip)
    walk = opened.walk(opened.revparse_single(end).id, pygit2.enums.SortMode.TIME)
    if start:
        walk.hide(opened.revparse_single(start).id)
    for one in walk:
        if len(one.parents) > 1:
            continue
        diff = (
            one.parents[0].tree.diff_to_tree(one.tree)
            if one.parents
            else one.tree.diff_to_tree(swap=True)
        )
        rows += (
            sum(1 for patch in diff if patch.line_stats) if counts else sum(1 for _ in diff.deltas)
        )
    return rows


def gitpython_history(repository, tip: str) -> int:
    from git import NULL_TREE

    commits = gitpython(repository).iter_commits(tip, no_merges=True)
    return sum(
        len(one.parents[0].diff(one, no_renames=True) if one.parents else one.diff(NULL_TREE))
        for one in commits
    )


# -- the repository as tables ------------------------------------------------------------------


def counted(con, columns: str, table: str) -> int:
    """Returns how many rows a table function has; DuckDB computes every column named, and keeps none."""
    names = ", ".join(f"count({column})" for column in columns.split(", "))
    return con.execute(f"SELECT count(*), {names} FROM {table}").fetchone()[0]


def git_lines(repository, *arguments: str, starting: bytes = b"", end: bytes = b"\n") -> int:
    """Returns how many lines that start so git prints; all of them are read, and none kept."""
    found, rest = 0, b""
    with subprocess.Popen(
        inputs.git_command(repository, *arguments), stdout=subprocess.PIPE, env=inputs.ENVIRONMENT
    ) as running:
        while chunk := running.stdout.read(1 << 20):
            *lines, rest = (rest + chunk).split(end)
            found += sum(line.startswith(starting) for line in lines)
    return found


# -- texts -------------------------------------------------------------------------------------


def python_unified(a: str, b: str) -> str:
    return "".join(difflib.unified_diff(a.splitlines(True), b.splitlines(True), "a", "b"))


def with_pairs(con, path) -> None:
    """Puts the pairs of a file into a table, with difflib as a function of DuckDB beside ours."""
    con.execute(
        f"CREATE OR REPLACE TABLE pairs AS SELECT json[1] AS a, json[2] AS b FROM read_json('{path}', columns = {{json: 'VARCHAR[]'}})"
    )
    if (
        con.execute(
            "SELECT count(*) FROM duckdb_functions() WHERE function_name = 'difflib_diff'"
        ).fetchone()[0]
        == 0
    ):
        con.create_function("difflib_diff", python_unified, ["VARCHAR", "VARCHAR"], "VARCHAR")


def plain_pairs(engine: str, path) -> tuple[Taken, int]:
    """Returns what a loop in Rust, without DuckDB, takes to compare the pairs of a file, and the bytes it wrote."""
    done = subprocess.run([TEXT_PAIRS, engine, path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench: text_pairs failed: {done.stderr}")
    seconds, written = done.stdout.split()
    # One thread that computes.
    return Taken(float(seconds), float(seconds)), int(written)


# -- the Python package, from its start to its end ---------------------------------------------

PACKAGE = os.environ | {"PYTHONPATH": str(ROOT / "python")}
# That of the tests, which has what the package imports.
PYTHON = ROOT / "build" / "venv" / duckdb.__version__ / "bin" / "python"


def command(repository, *arguments: str) -> bytes:
    """Returns what the command `redline` prints."""
    line = [PYTHON, "-m", "duckdb_redline", "--extension", str(EXTENSION), *arguments]
    done = subprocess.run(line, check=True, capture_output=True, env=PACKAGE, cwd=repository)
    return done.stdout


def read_stat(printed: bytes) -> list[tuple]:
    """Returns path and counts of each line of `redline stat` in a pipe."""
    lines = (line.split("\t") for line in printed.decode().splitlines())
    return [(path, count(added), count(removed)) for _, added, removed, path in lines]


class NoAnswer(Exception):
    """The server refused the call: a build may lack what it needs."""


def server_call(repository, tool: str, **arguments: object) -> str:
    """Starts redline-mcp, asks one tool, and returns the text of its answer."""
    line = [PYTHON, "-m", "duckdb_redline.server", "--extension", EXTENSION, repository]
    client = {
        "protocolVersion": "2024-11-05",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    said = [
        {"id": 0, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=PACKAGE
    ) as server:
        server.stdin.write("".join(json.dumps({"jsonrpc": "2.0"} | each) + "\n" for each in said))
        server.stdin.flush()
        answers = map(json.loads, iter(server.stdout.readline, ""))
        answer = next(each for each in answers if each.get("id") == 1)
        server.stdin.close()
    if "result" not in answer:
        raise NoAnswer(answer)
    return answer["result"]["content"][0]["text"]
