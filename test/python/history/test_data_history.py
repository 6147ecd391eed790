"""sql/data.sql: the rows of a file through its history, held against a loop over `git show`."""

import csv
import io
import json
import random

import duckdb
import pytest
import repositories
import written_repositories
from answers import answer, assert_refused
from repositories import ROOT

SEED = 20_261_128
SCRIPT = (ROOT / "sql/data.sql").read_text()


@pytest.fixture
def data(con):
    con.execute(SCRIPT)
    return con


def content(chance: random.Random, ending: str, rows: dict[int, dict]) -> bytes:
    """Returns a version of the file; some are not readable, and columns come and go."""
    if chance.random() < 0.08:
        return chance.choice([b"<html>\n<p>busy, try, later\n", b"", b'id,name\n1,"open\n', b"{"])
    names = ["id", *(name for name in ("price", "stock", "a/b") if chance.random() < 0.9)]
    chance.shuffle(names)
    listed = [{name: row[name] for name in names} for row in rows.values()]
    chance.shuffle(listed)
    if ending == "json":
        return json.dumps(listed, indent=chance.choice([None, 1])).encode()
    if ending == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in listed).encode()
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator=chance.choice(["\n", "\r\n"]))
    writer.writeheader()
    writer.writerows(listed)
    return out.getvalue().encode()


def repository(path, ending: str, versions: int):
    """Returns a repository whose file of rows changes in each commit, is renamed, deleted and added again."""
    chance = random.Random(f"{SEED} {ending}")
    rows = {number: {"id": number, "price": number, "stock": 1, "a/b": "é"} for number in range(8)}
    commits, name = [], f"one.{ending}"
    for number in range(versions):
        for one in chance.sample([*range(12)], 2):
            if one in rows and chance.random() < 0.3:
                del rows[one]
            else:
                rows.setdefault(one, {"id": one, "price": 0, "stock": 0, "a/b": ""})
                rows[one] = rows[one] | {
                    chance.choice(["price", "stock", "a/b"]): chance.choice([1, 2.5, "x, y", 'q"'])
                }
        files = {name: content(chance, ending, rows) + b"\n" * 0, "other.txt": str(number).encode()}
        commits.append(files)
    return written_repositories.write(path, commits)


def read(text: str, ending: str) -> list[dict] | None:
    """Returns the rows of a version as Python's readers have them; None where it is not readable."""
    try:
        if ending == "csv":
            found = [*csv.reader(io.StringIO(text, newline=""), strict=True)]
            rows = [dict(zip(found[0], row, strict=True)) for row in found[1:]] if found else []
        elif ending == "json":
            rows = json.loads(text) if text else []
        else:
            rows = [json.loads(line) for line in text.splitlines()]
        keys = [str(row["id"]) for row in rows]
    except (ValueError, KeyError, TypeError, csv.Error):
        return None
    return rows if len(set(keys)) == len(keys) else None


def expected(repo, name: str, ending: str) -> tuple[list, list]:
    """Returns the changes of rows and of cells, from the versions that `git show` prints."""
    commits = repositories.git(repo, "log", "--reverse", "--format=%H", "--", name).decode().split()
    before: dict = {}
    rows, cells = [], []
    for commit in commits:
        found = read(repositories.git(repo, "show", f"{commit}:{name}").decode(), ending)
        if found is None:
            rows.append((None, "unreadable", commit, None, None))
            continue
        after = {str(row["id"]): row for row in found}
        for key in before.keys() | after.keys():
            old, new = before.get(key), after.get(key)
            if old != new:
                change = "added" if old is None else "removed" if new is None else "changed"
                rows.append((key, change, commit, old, new))
                for column in (old or {}).keys() | (new or {}).keys():
                    values = [(side or {}).get(column) for side in (old, new)]
                    if column != "id" and values[0] != values[1]:
                        shown = [value if value is None else str(value) for value in values]
                        cells.append((key, column, *shown, change, commit))
        before = after
    return rows, cells


def compare(con, repo, ending: str) -> None:
    name = f"one.{ending}"
    rows, cells = expected(repo, name, ending)
    found = con.execute(
        "SELECT id, change, commit_id, old, new, error FROM data_history(?, key := 'id', repo := ?)",
        [name, str(repo)],
    ).fetchall()
    told = lambda side: None if side is None else json.loads(side)
    order = lambda row: (row[2], row[0] or "")
    assert sorted(((*row[:3], told(row[3]), told(row[4])) for row in found), key=order) == sorted(
        rows, key=order
    )
    assert all((row[5] is not None) == (row[1] == "unreadable") for row in found)
    assert {row[1] for row in found} == {"added", "removed", "changed", "unreadable"}
    found = con.execute(
        """SELECT id, column_name, old_value, new_value, change, commit_id
        FROM data_history_cells(?, key := 'id', repo := ?)""", [name, str(repo)]
    ).fetchall()  # fmt: skip
    assert sorted(found, key=str) == sorted(cells, key=str)


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl"])
def test_the_history_of_a_file_is_that_of_a_loop_over_its_versions(data, tmp_path, ending):
    compare(data, repository(tmp_path / "repo", ending, 50), ending)


@pytest.mark.slow
def test_the_history_of_two_thousand_versions_is_that_of_a_loop_over_them(data, tmp_path):
    compare(data, repository(tmp_path / "repo", "json", 2000), "json")


@pytest.mark.slow
@pytest.mark.own_database
def test_a_hundred_thousand_versions_are_answered_row_by_row(data, tmp_path):
    versions, stock = 100_000, [0] * 20

    def commits():
        for number in range(versions):
            stock[number % len(stock)] = number
            rows = "".join(f"{key},{count}\n" for key, count in enumerate(stock))
            yield {"a.csv": f"id,stock\n{rows}".encode()}

    repo = str(written_repositories.write(tmp_path / "repo", commits()))
    # The first version adds each row; each other one changes the row whose turn it is.
    wrong = """SELECT change, id, old ->> 'stock', new ->> 'stock', number FROM (
            SELECT *, row_number() OVER (ORDER BY committed_at) - 20 AS number FROM data_history('a.csv', key := 'id', repo := ?))
        WHERE number > 0 AND (change, id, (new ->> 'stock')::BIGINT, (old ->> 'stock')::BIGINT)
            IS DISTINCT FROM ('changed', (number % 20)::VARCHAR, number, greatest(number - 20, 0))"""
    assert data.execute(wrong, [repo]).fetchall() == []
    counts = "SELECT change, count(*) FROM data_history('a.csv', key := 'id', repo := ?) GROUP BY 1 ORDER BY 1"
    assert data.execute(counts, [repo]).fetchall() == [("added", 20), ("changed", versions - 1)]
    # Their copies are bounded before they are written.
    data.execute("SET redline_copies_bytes = 100_000")
    copies = answer(data, "SELECT len(file_versions_at('a.csv', 'HEAD', ?))", repo)
    assert_refused(copies, "too_large")


def test_a_file_that_is_renamed_and_deleted_keeps_the_history_of_its_rows(data, tmp_path):
    lines = b"id,price\n" + b"".join(b"%d,%d\n" % (number, number) for number in range(20))
    repo = written_repositories.write(
        tmp_path / "repo",
        [
            {"a.csv": lines},
            {"a.csv": None, "b.csv": lines.replace(b"7,7", b"7,8")},
            {"b.csv": None},
        ],
    )
    found = data.execute(
        "SELECT change, count(*) FROM data_history('b.csv', key := 'id', repo := ?) GROUP BY ALL ORDER BY ALL",
        [str(repo)],
    ).fetchall()
    assert found == [("added", 20), ("changed", 1), ("removed", 20)]


def test_without_a_key_each_row_has_its_own_history(data, tmp_path):
    repo = written_repositories.write(
        tmp_path / "repo",
        [{"a.csv": b"x\n1\n1\n2\n"}, {"a.csv": b"x\n2\n1\n"}, {"a.csv": b"x\n2\n1\n3\n"}],
    )
    found = data.execute(
        "SELECT change, old->>'x', new->>'x' FROM data_history('a.csv', repo := ?)", [str(repo)]
    ).fetchall()
    assert found == [
        ("added", None, "1"),
        ("added", None, "1"),
        ("added", None, "2"),
        ("removed", "1", None),
        ("added", None, "3"),
    ]
    with pytest.raises(duckdb.Error, match="invalid_args: data_history_cells needs a key"):
        data.execute("FROM data_history_cells('a.csv', repo := ?)", [str(repo)])


def test_versions_whose_rows_cannot_be_told_apart_say_so(data, tmp_path):
    repo = written_repositories.write(
        tmp_path / "repo",
        [
            {"a.csv": b"id,x\n1,1\n"},
            {"a.csv": b"id,x\n1,1\n1,2\n"},
            {"a.csv": b"name,x\n1,2\n"},
            {"a.csv": b"id,x\n1,3\n"},
        ],
    )
    found = data.execute(
        "SELECT change, new->>'x', error FROM data_history('a.csv', key := 'id', repo := ?)",
        [str(repo)],
    ).fetchall()
    assert [row[:2] for row in found] == [
        ("added", "1"),
        ("unreadable", None),
        ("unreadable", None),
        ("changed", "3"),
    ]
    assert found[1][2] == "not_unique: the key (id) names several rows or none: 1 (2 rows)"
    assert found[2][2] == "not_unique: the key (id) names several rows or none: NULL (1 rows)"


def parquet(con, path, rows: list[dict], names: list[str]) -> bytes:
    """Returns rows as a Parquet file with these columns."""
    types = {"id": "BIGINT", "price": "DOUBLE", "name": "VARCHAR", "tags": "VARCHAR[]"}
    columns = ", ".join(f"{name} {types[name]}" for name in names)
    con.execute(f"CREATE OR REPLACE TABLE written({columns})")
    values = [[row[name] for name in names] for row in rows]
    con.executemany(f"INSERT INTO written VALUES ({', '.join('?' * len(names))})", values)
    con.execute(f"COPY written TO '{path}' (FORMAT parquet)")
    return path.read_bytes()


def test_the_history_of_a_parquet_file_is_that_of_its_rows(data, tmp_path):
    chance = random.Random(SEED)
    versions, files, whole = [], [], {}
    for _ in range(12):
        for key in chance.sample(range(9), 3):
            row = {"id": key, "price": chance.choice([1.5, 2.0, None]), "name": chance.choice("ab")}
            whole[key] = row | {"tags": chance.choice([["x"], ["x", "y"], []])}
        if chance.random() < 0.5:
            del whole[chance.choice([*whole])]
        names = ["id", *(name for name in ("price", "name", "tags") if chance.random() < 0.8)]
        content = parquet(data, tmp_path / "a.parquet", [*whole.values()], names)
        files.append({"a.parquet": content})
        rows = {key: {name: row[name] for name in names} for key, row in whole.items()}
        versions.append(
            {
                key: {name: value for name, value in row.items() if value is not None}
                for key, row in rows.items()
            }
        )
    files.append({"a.parquet": None})
    repo = written_repositories.write(tmp_path / "repo", files)
    wanted, before = [], {}
    for at, after in enumerate([*versions, {}]):
        for key in sorted(before.keys() | after.keys()):
            old, new = before.get(key), after.get(key)
            if old != new:
                change = "added" if old is None else "removed" if new is None else "changed"
                wanted.append((at, change, old, new))
        before = after
    found = data.execute(
        """SELECT dense_rank() OVER (ORDER BY committed_at) - 1, change, old, new, error
        FROM data_history('a.parquet', key := 'id', repo := ?) ORDER BY 1, id""",
        [str(repo)],
    ).fetchall()
    told = lambda side: None if side is None else json.loads(side)
    assert [(at, change, told(old), told(new)) for at, change, old, new, _ in found] == wanted
    assert not any(row[4] for row in found)


def test_versions_of_another_format_say_what_is_read(data, tmp_path):
    text = b"id,x\n" + b"".join(b"%d,%d\n" % (number, number) for number in range(20))
    repo = written_repositories.write(
        tmp_path / "repo",
        [{"a.orc": b"ORC", "b.csv": text}, {"b.csv": None, "b.parquet": text}],
    )
    ask = "SELECT change, error FROM data_history(?, repo := ?)"
    ((change, error),) = data.execute(ask, ["a.orc", str(repo)]).fetchall()
    assert change == "unreadable" and "only those of .csv, .tsv, .json, .jsonl" in error
    with pytest.raises(duckdb.Error, match="b.parquet"):
        data.execute(ask, ["b.parquet", str(repo)]).fetchall()
