"""Questions about files of data: what changed between two tables, and in every version of a file."""

import pathlib
import shutil
import subprocess
import sys

import contestants
import duckdb
import inputs
from inputs import ROOT
from work import Work

ROWS, CHANGED_PERCENT, VERSIONS = 2_000_000, 1, 300
SCRIPT = ROOT / "sql/data.sql"
# Both are installed beside this Python.
CSV_DIFF, GIT_HISTORY = (pathlib.Path(sys.executable).with_name(name) for name in ("csv-diff", "git-history"))  # fmt: skip
# `cargo install qsv --version 1.0.0 --locked --no-default-features --features lite --bin qsvlite`; 16.1.0 does not build from crates.io.
QSV = pathlib.Path(shutil.which("qsv") or shutil.which("qsvlite") or "qsv")


def make_tables(path: pathlib.Path) -> None:
    """Writes two versions of a table, the new one in another order."""
    path.mkdir()
    columns = f"""SELECT i AS id, 'item ' || (i * 7919 % 1000003) AS name, round((i * 31 % 99991) / 100.0, 2) AS price, i * 17 % 500 AS stock,
        ['red', 'green', 'blue', 'black'][1 + i % 4] AS colour, DATE '2020-01-01' + (i % 2000)::INT AS updated,
        'a note about ' || (i * 13 % 5003) AS note FROM range({ROWS}) AS numbers(i)"""
    changed = f"id % 100 < {CHANGED_PERCENT}"
    duckdb.execute(f"COPY ({columns}) TO '{path}/old.csv'")
    duckdb.execute(
        f"COPY (SELECT * REPLACE (CASE WHEN {changed} THEN price + 1 ELSE price END AS price) FROM ({columns}) ORDER BY hash(id)) TO '{path}/new.csv'"
    )


def make_versions(path: pathlib.Path) -> None:
    """Imports a file of 500 rows, of which each commit changes five."""
    rows = {number: [number, f"item {number}", number % 97, number % 13] for number in range(500)}
    stream = []
    for version in range(VERSIONS):
        for at in range(5):
            rows[(version * 7 + at * 101) % 500][2] += 1
        lines = [",".join(map(str, row)) + "\n" for row in rows.values()]
        stream.append(inputs.commit(version) + inputs.inline("prices.csv", "id,name,price,stock\n" + "".join(lines)))  # fmt: skip
    path.mkdir()
    inputs.imported(path / "bare.git", stream)
    # git-history reads a work tree.
    inputs.git(path, "clone", "--quiet", "bare.git", "tree")


def with_macros(con: duckdb.DuckDBPyConnection, query: str) -> list[tuple]:
    con.execute(SCRIPT.read_text())
    return con.execute(query).fetchall()


def lines_of(*command: object) -> bytes:
    return subprocess.run([*map(str, command)], check=True, stdout=subprocess.PIPE).stdout


def works() -> list[Work]:
    tables, versions = inputs.made("tables", make_tables), inputs.made("versions", make_versions)
    old, new, tree = tables / "old.csv", tables / "new.csv", versions / "tree"
    changes = f"SELECT count(*) FROM table_changes('{old}', '{new}', key := 'id')"
    reading = f"SELECT count(*) FROM (SELECT hash(t) AS h FROM (FROM '{old}' UNION ALL BY NAME FROM '{new}') t) WHERE h = 1"
    history = f"SELECT count(*) FROM data_history('prices.csv', key := 'id', repo := '{tree}')"
    peers = {
        "csv-diff": lambda: lines_of(CSV_DIFF, old, new, "--key=id", "--json"),
        # It has the new rows of a changed one, and those before it.
        "qsv": lambda: lines_of(QSV, "diff", "--key", "0", old, new),
        "git-history": lambda: lines_of(
            GIT_HISTORY, "file", ":memory:", tree / "prices.csv", "--repo", tree, "--id", "id", "--csv", "--silent"
        ),
    }  # fmt: skip
    tools = {"csv-diff": CSV_DIFF, "git-history": GIT_HISTORY, "qsv": QSV}
    there = {name for name, tool in tools.items() if tool.exists()}
    peer = lambda name: {name: peers[name]} if name in there else {}
    return [
        Work(
            f"changed rows of {ROWS:,}, {CHANGED_PERCENT} % of them",
            {
                "redline": lambda: contestants.first(lambda con: with_macros(con, changes)),
                "DuckDB reads both": lambda: contestants.first(
                    lambda con: con.execute(reading).fetchall()
                ),
                **peer("csv-diff"),
                **peer("qsv"),
            },
            {"DuckDB reads both": 0.5}
            | {name: goal for name, goal in (("csv-diff", 20.0), ("qsv", 3.0)) if name in there},
            apart=("csv-diff", "qsv"),
        ),
        Work(
            f"rows of {VERSIONS} versions of a file",
            {
                "redline": lambda: contestants.first(lambda con: with_macros(con, history)),
                **peer("git-history"),
            },
            {},
            apart=("git-history",),
        ),
    ]
