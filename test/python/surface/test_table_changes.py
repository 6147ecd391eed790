"""sql/data.sql: what changed between two tables, held against a comparison written out in Python, and the forms of a table."""

import collections
import csv
import dataclasses
import json
import math
import random

import duckdb
import pytest
import written_repositories
from repositories import ROOT, git

SEED = 20_261_128
PERSON = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
SCRIPT = (ROOT / "sql/data.sql").read_text()
# Names that must be quoted.
COLUMNS = ["price", "It's", 'a "b"', "ä x", "Ä x"]
VALUES = {
    "INTEGER": [None, 0, 1, 2, -7],
    "DOUBLE": [None, 0.0, -0.0, 1.0, 1.5, math.nan, math.inf],
    "VARCHAR": [None, "", "a", "A", "1", "1.0", "nan"],
}


@pytest.fixture
def data(con):
    con.execute(SCRIPT)
    return con


def text(value) -> str | None:
    """Returns a value as DuckDB casts it to VARCHAR."""
    return value if value is None or isinstance(value, str) else str(value)


def known(value, kind: str):
    """Returns a value of a unified type, so that what is equal in DuckDB is equal in Python."""
    if value is None:
        return None
    if kind == "VARCHAR":
        return text(value)
    value = float(value) + 0.0
    return "not a number" if math.isnan(value) else value


def unified(old: str | None, new: str | None) -> str:
    kinds = {old, new} - {None}
    return "VARCHAR" if "VARCHAR" in kinds else "DOUBLE" if "DOUBLE" in kinds else "INTEGER"


class Side:
    """A random table: its columns with their types, and its rows by column."""

    def __init__(self, random: random.Random, key: list[str], keys: list[tuple]):
        kept = [name for name in COLUMNS if random.random() < 0.8]
        random.shuffle(kept)
        self.types = {name: random.choice([*VALUES]) for name in kept}
        self.types |= dict.fromkeys(key, "INTEGER")
        names = [*self.types]
        random.shuffle(names)
        self.types = {name: self.types[name] for name in names}
        self.rows = []
        for values in keys:
            row = {name: random.choice(VALUES[kind][:4]) for name, kind in self.types.items()}
            self.rows.append(row | dict(zip(key, values, strict=True)))

    def changed(self, random: random.Random, keys: list[tuple], key: list[str]) -> "Side":
        """Returns another version: some columns have other types, come or go, and some rows have other values."""
        new = Side(random, key, keys)
        if random.random() < 0.6:
            new.types = dict(self.types)
        before = {tuple(row[name] for name in key): row for row in self.rows}
        for row, values in zip(new.rows, keys, strict=True):
            for name, kind in new.types.items():
                same = before.get(values, {}).get(name)
                if name in key:
                    continue
                is_kept = (
                    self.types.get(name) == kind and values in before and random.random() < 0.8
                )
                row[name] = same if is_kept else random.choice(VALUES[kind])
        new.rows = [{name: row[name] for name in new.types} for row in new.rows]
        random.shuffle(new.rows)
        return new

    def sql(self) -> str:
        """Returns the table as a query in parentheses."""
        literal = lambda value: (
            "NULL"
            if value is None
            else f"'{value}'"
            if isinstance(value, str | float)
            else str(value)
        )
        columns = ", ".join(
            f'c{at}::{kind} AS "{name.replace(chr(34), chr(34) * 2)}"'
            for at, (name, kind) in enumerate(self.types.items())
        )
        rows = self.rows or [dict.fromkeys(self.types)]
        values = ", ".join(
            f"({', '.join(literal(row[name]) for name in self.types)})" for row in rows
        )
        names = ", ".join(f"c{at}" for at in range(len(self.types)))
        none = "" if self.rows else " WHERE false"
        return f"(SELECT {columns} FROM (VALUES {values}) t({names}){none})"


def compared(old: Side, new: Side, key: list[str]):
    """Returns the changed rows and cells, written out."""
    kinds = {
        name: unified(old.types.get(name), new.types.get(name)) for name in old.types | new.types
    }
    of = lambda row, name: known(row.get(name), kinds[name])
    sides = [
        {tuple(of(row, name) for name in key): row for row in side.rows} for side in (old, new)
    ]
    common = [name for name in old.types if name in new.types and name not in key]
    rows, cells = set(), set()
    for values in sides[0].keys() | sides[1].keys():
        before, after = (side.get(values) for side in sides)
        if before is None or after is None:
            rows.add(("added" if before is None else "removed", *values, None))
            continue
        differ = [name for name in common if of(before, name) != of(after, name)]
        if differ:
            rows.add(("changed", *values, frozenset(differ)))
        shown = lambda row, name: (
            text(float(row[name]))
            if kinds[name] == "DOUBLE" and row[name] is not None
            else text(row[name])
        )
        cells |= {(*values, name, shown(before, name), shown(after, name)) for name in differ}
    return rows, cells


@dataclasses.dataclass
class Pair:
    """Two versions of a table, and what has changed by a comparison here."""

    key: list[str]
    old: Side
    new: Side
    rows: set[tuple]
    cells: set[tuple]

    @property
    def asked(self) -> list:
        return [self.old.sql(), self.new.sql(), self.key]


def random_pair(number: int) -> Pair:
    chance = random.Random(number)
    key = chance.choice([["id"], ["id", 'Two "keys"']])
    one_key = lambda: tuple(chance.choice([None, *range(4 if len(key) == 2 else 9)]) for _ in key)
    keys = list(dict.fromkeys(one_key() for _ in range(chance.randrange(9))))
    old = Side(chance, key, keys)
    kept = [values for values in keys if chance.random() < 0.8]
    more = [one_key() for _ in range(chance.randrange(3))]
    new = old.changed(chance, list(dict.fromkeys(kept + more)), key)
    return Pair(key, old, new, *compared(old, new, key))


def changed_rows(con, pair: Pair, number: int) -> None:
    found = con.execute("FROM table_changes(?, ?, key := ?)", pair.asked).fetchall()
    width = 1 + len(pair.key)
    assert {
        (*row[:width], None if row[width] is None else frozenset(row[width])) for row in found
    } == pair.rows, number
    assert len(found) == len(pair.rows), number
    sides = {row[:width]: row[width + 1 :] for row in found}
    for (change, *_), (before, after) in sides.items():
        assert (before is None) == (change == "added"), number
        assert (after is None) == (change == "removed"), number


def changed_cells(con, pair: Pair, number: int) -> None:
    found = con.execute("FROM cell_changes(?, ?, key := ?)", pair.asked).fetchall()
    assert {row[: len(pair.key) + 3] for row in found} == pair.cells, number
    assert len(found) == len(pair.cells), number


def summed_up(con, pair: Pair, number: int) -> None:
    counts = collections.Counter(row[0] for row in pair.rows)
    summary = con.execute("FROM table_change_summary(?, ?, key := ?)", pair.asked).fetchone()
    unchanged = len(pair.old.rows) - counts["removed"] - counts["changed"]
    assert summary[:5] == (
        counts["added"], counts["removed"], counts["changed"], unchanged, len(pair.cells),
    ), number  # fmt: skip
    per_column = collections.Counter(cell[-3] for cell in pair.cells)
    assert {one["column_name"]: one["cells_changed"] for one in summary[5]} == per_column, number
    assert set(summary[6]) == pair.new.types.keys() - pair.old.types.keys(), number
    assert set(summary[7]) == pair.old.types.keys() - pair.new.types.keys(), number


def changed_without_a_key(con, pair: Pair, number: int) -> None:
    """Rows as a multiset."""
    sides = (pair.old, pair.new)
    kinds = {
        name: unified(*(side.types.get(name) for side in sides))
        for name in pair.old.types | pair.new.types
    }
    bags = [
        collections.Counter(
            tuple(known(row.get(name), kinds[name]) for name in kinds) for row in side.rows
        )
        for side in sides
    ]
    found = con.execute("FROM table_changes(?, ?)", pair.asked[:2]).fetchall()
    for change, bag in (("removed", bags[0] - bags[1]), ("added", bags[1] - bags[0])):
        one = collections.Counter(
            tuple(known(side[name], kinds[name]) for name in kinds)
            for side in (row[2 if change == "removed" else 3] for row in found if row[0] == change)
        )
        assert one == bag, number


QUESTIONS = (changed_rows, changed_cells, summed_up, changed_without_a_key)


# To bind one of these questions takes DuckDB 50 ms: where a merge waits, each pair is asked one of them, in turns.
@pytest.mark.parametrize("part", range(40))
def test_changes_are_those_of_a_comparison_in_python(data, part):
    for number in range(SEED + 5 * part, SEED + 5 * part + 5):
        QUESTIONS[number % len(QUESTIONS)](data, random_pair(number), number)


@pytest.mark.slow
def test_changes_of_more_tables_are_those_of_a_comparison_in_python(data):
    for number in range(SEED, SEED + 2000):
        pair = random_pair(number)
        for question in QUESTIONS:
            question(data, pair, number)


# What a column of a file may hold: the values of a kind, of which DuckDB infers one type if the first ones are there.
KINDS_OF_VALUES = {
    "nothing": ([], []),
    "whole": ([7], [1, 2]),
    "number": ([1.5], [1.0, 2.25]),
    "truth": ([True], [False]),
    "day": (["2026-01-02"], ["2026-11-28"]),
    "text": (["z"], ["1", "1.0", "2026-11-28", "true"]),
    "list": ([["a"]], [["b", "c"], []]),
    "empty": ([[]], []),
    "row": ([{"a": 1}], [{"a": 2}]),
    "other row": ([{"a": "x", "b": 2.5}], [{"a": "y", "b": 1.5}]),
    "mixed": ([{"x": 1}, "z"], ["1", {"x": 2}]),
}
OF_CSV = ("nothing", "whole", "number", "truth", "day", "text")


def are_equal(old, new) -> bool:
    """Tells whether two values of JSON are equal in the type that their columns have in common."""
    if isinstance(old, list | dict) or isinstance(new, list | dict) or None in (old, new):
        return old == new
    if isinstance(old, str) == isinstance(new, str):
        return old == new
    texts = [value if isinstance(value, str) else json.dumps(value) for value in (old, new)]
    return texts[0] == texts[1]


def compare_files_of_other_types(con, path, number: int, ending: str) -> None:
    """Holds one random pair of files, whose columns have other types, against a comparison in Python."""
    chance = random.Random(number)
    kinds = OF_CSV if ending == "csv" else [*KINDS_OF_VALUES]
    sides, olds = [], {}
    for name in ("old", "new"):
        of = {column: chance.choice(kinds) for column in "abcd" if chance.random() < 0.9}
        ids = list(range(2)) + chance.sample(range(2, 9), 4)
        rows = {one: {} for one in ids}
        for column, kind in of.items():
            first, more = KINDS_OF_VALUES[kind]
            for at, one in enumerate(ids):
                value = first[at] if at < len(first) else chance.choice([None, *first, *more])
                is_kept = kind == olds.get(column) and one in sides[0] and chance.random() < 0.7
                rows[one][column] = sides[0][one][column] if is_kept else value
        olds = of
        sides.append(rows)
        spelt = {column: column.upper() if chance.random() < 0.2 else column for column in of}
        listed = [
            {"id": one} | {spelt[column]: value for column, value in row.items()}
            for one, row in rows.items()
        ]
        chance.shuffle(listed)
        file = path / f"{name}.{ending}"
        if ending == "csv":
            with file.open("w", newline="") as out:
                writer = csv.DictWriter(out, [*listed[0]])
                writer.writeheader()
                plain = lambda value: json.dumps(value) if isinstance(value, bool) else value
                writer.writerows(
                    {name: plain(value) for name, value in row.items()} for row in listed
                )
        else:
            file.write_text(json.dumps(listed))
    old, new = sides
    expected = {("removed", one, None) for one in old.keys() - new.keys()} | {
        ("added", one, None) for one in new.keys() - old.keys()
    }
    for one in old.keys() & new.keys():
        differ = {
            column
            for column in old[one].keys() & new[one].keys()
            if not are_equal(old[one][column], new[one][column])
        }
        if differ:
            expected.add(("changed", one, frozenset(differ)))
    files = [str(path / f"{name}.{ending}") for name in ("old", "new")]
    found = con.execute(
        "SELECT change, ID, changed_columns FROM table_changes(?, ?, key := 'Id')", files
    ).fetchall()
    named = {
        (change, one, None if names is None else frozenset(map(str.lower, names)))
        for change, one, names in found
    }
    assert named == expected and len(found) == len(expected), (number, old, new)
    cells = con.execute(
        "SELECT cells_changed FROM table_change_summary(?, ?, key := 'id')", files
    ).fetchone()
    assert cells == (sum(len(names or ()) for *_, names in expected),), number


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_columns_of_other_types_compare_as_in_python(data, tmp_path, ending):
    for number in range(SEED, SEED + 5):
        compare_files_of_other_types(data, tmp_path, number, ending)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_many_columns_of_other_types_compare_as_in_python(data, tmp_path, ending):
    for number in range(SEED + 5, SEED + 300):
        compare_files_of_other_types(data, tmp_path, number, ending)


def test_values_compare_as_is_distinct_from_does(data):
    cases = (
        ("NULL::INTEGER", "NULL::INTEGER", False),
        ("'nan'::DOUBLE", "'nan'::DOUBLE", False),
        ("0.0::DOUBLE", "-0.0::DOUBLE", False),
        ("1.50::DECIMAL(9,2)", "1.5::DECIMAL(9,1)", False),
        ("TIMESTAMPTZ '2026-01-01 00:00:00+00:00'", "TIMESTAMPTZ '2026-01-01 02:00:00+02:00'", False),
        ("INTERVAL '1 month'", "INTERVAL '30 days'", False),
        ("[1, NULL]", "[1, NULL]", False),
        ("[1, NULL]", "[1, 2]", True),
        ("{a: 1, b: 'x'}", "{a: 1, b: 'y'}", True),
        ("'1'", "'1.0'", True),
        ("1", "'1'", False),
        ("1", "'1.0'", True),
        ("1", "1.0::DOUBLE", False),
        ("'a'", "'A'", True),
        ("''", "NULL", True),
        ("NULL", "NULL", False),
        ("NULL", "'x'", True),
        ("NULL::JSON", "'x'", True),
        ("'\"x\"'::JSON", "'x'", False),
        ("'1'::JSON", "1", False),
        ("[]::JSON[]", "[]::VARCHAR[]", False),
        ("[NULL]::JSON[]", "['x']", True),
        ("5", "DATE '2026-11-28'", True),
        ("'2026-11-28'", "DATE '2026-11-28'", False),
        ("DATE '2026-11-28'", "TIMESTAMP '2026-11-28 00:00:00'", False),
        ("'x'", "{a: 1}", True),
        ("'x'", "['x']", True),
        ("{a: 1}", "{a: 1, b: NULL::VARCHAR}", False),
        ("'x'::ENUM('x')", "'x'", False),
        ("'x'", "uuid()", True),
        ("1::DECIMAL(4,1)", "1.0::DOUBLE", False),
        ("9007199254740993", "9007199254740992::HUGEINT", True),
    )  # fmt: skip
    # A column for each: to bind a comparison takes 50 ms.
    sides = [
        f"(SELECT 1 AS id, {', '.join(f'{values[at]} AS v{number}' for number, values in enumerate(cases))})"
        for at in range(2)
    ]
    cells = data.execute("FROM cell_changes(?, ?, key := 'id')", sides).fetchall()
    changed = {name for _, name, *_ in cells}
    for number, (old, new, is_changed) in enumerate(cases):
        assert (f"v{number}" in changed) == is_changed, (old, new)
    assert len(cells) == len(changed)


def test_options_decide_what_is_equal(data):
    old = "(FROM (VALUES (1, 100.0::DOUBLE, 'Abc', NULL), (2, 'nan', 'x', 'n')) t(id, n, t, z))"
    new = "(FROM (VALUES (1, 100.5::DOUBLE, 'aBC', NULL), (2, 1.0, 'y', 'n')) t(id, n, t, z))"
    cells = lambda **options: {
        row[:2]
        for row in data.execute(
            f"FROM cell_changes(?, ?, key := 'id', {', '.join(f'{k} := {v}' for k, v in options.items())})",
            [old, new],
        ).fetchall()
    }
    everything = {(1, "n"), (1, "t"), (2, "n"), (2, "t")}
    for options, gone in (
        ({"tolerance": "0.5"}, {(1, "n")}),
        ({"tolerance": "0.49"}, set()),
        ({"relative_tolerance": "0.005"}, {(1, "n")}),
        ({"relative_tolerance": "0.004"}, set()),
        ({"ignore_case": "true"}, {(1, "t")}),
        ({"ignore": "'t'"}, {(1, "t"), (2, "t")}),
        ({"ignore": "['T', 'n']"}, everything),
    ):
        assert cells(**options) == everything - gone, options
    assert cells(nulls_equal="false") == everything | {(1, "z")}


def test_a_key_that_is_not_unique_is_an_error_with_three_of_its_values(data):
    twice = "(SELECT i // 2 AS id, 'it''s' AS two FROM range(20) t(i))"
    for old, new in (
        (twice, "(SELECT 1 AS id, '' AS two)"),
        ("(SELECT 1 AS id, '' AS two)", twice),
        (twice, twice),
    ):
        for macro in ("table_changes", "cell_changes", "table_change_summary"):
            with pytest.raises(
                duckdb.Error, match="not_unique: rows of one side share a key"
            ) as caught:
                data.execute(
                    f"SELECT count(*) FROM {macro}(?, ?, key := ['id', 'two'])", [old, new]
                ).fetchall()
            assert str(caught.value).count(", it's (") == 3, caught.value


def test_each_form_of_a_table_is_taken(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data.execute("""CREATE TABLE "odd ""name.t" AS SELECT 1 AS id, 2 AS v; CREATE VIEW w AS FROM "odd ""name.t";
        CREATE MACRO made(n) AS TABLE SELECT n AS id, 2 AS v""")
    data.execute("COPY w TO 'w.csv'; COPY w TO 'w-1.parquet'; COPY w TO 'a.b.c.json'")
    (schema,) = data.execute("SELECT current_schema()").fetchone()
    forms = ['"odd ""name.t"', f'{schema}."odd ""name.t"', "w", f"memory.{schema}.w", "w.csv", "w-1.parquet", "a.b.c.json",
        str(tmp_path / "w.csv"), "(SELECT 1 AS id, 2 AS v)", "made(1)", "read_csv('*.csv')", "(FROM w -- a comment )\n)"]  # fmt: skip
    for old in forms:
        for new in ("w", "made(2)"):
            found = data.execute("FROM table_changes(?, ?, key := 'id')", [old, new]).fetchall()
            assert len(found) == (0 if new == "w" else 2), (old, new)
    for wrong in ("SELECT 1 AS id", "", " "):
        with pytest.raises(duckdb.Error, match="invalid_args: .* names no table"):
            data.execute("FROM table_changes('w', ?)", [wrong])
    for wrong in ("t; DROP VIEW w", "w WHERE false", "(FROM w); DROP VIEW w; (FROM w)"):
        with pytest.raises(duckdb.Error):
            data.execute("FROM table_changes('w', ?)", [wrong])
    assert data.execute("FROM w").fetchall() == [(1, 2)]


# Names that would be something else in SQL, or in a template of it.
AS_SQL = ["'); DROP TABLE kept; --", '"); DROP TABLE kept; --', "{key}", "{key_text}", "{sides}", "(SELECT s FROM kept)", "COLUMNS(*)", "*", "$1", "a\n--"]  # fmt: skip


# Promise (arguments): No name of a column, a file or a revision is read as SQL by the macros that compare tables and follow files of
# data. With `test_no_name_of_a_file_is_read_as_sql`.
@pytest.mark.parametrize("name", AS_SQL)
def test_no_name_of_a_column_is_read_as_sql(data, name):
    data.execute("CREATE TABLE kept AS SELECT 'kept' AS s")
    quoted = '"' + name.replace('"', '""') + '"'
    for table, rows in (("o", "(1, 'a'), (2, 'b')"), ("n", "(1, 'z'), (3, 'c')")):
        data.execute(f"CREATE TABLE {table} AS FROM (VALUES {rows}) AS t ({quoted}, v)")
        data.execute(f"CREATE TABLE {table}_value AS FROM (VALUES {rows}) AS t (id, {quoted})")
    found = data.execute("FROM table_changes('o', 'n', key := [?])", [name]).fetchall()
    values = data.execute("FROM table_changes('o_value', 'n_value', key := 'id')").fetchall()
    assert len(found) == len(values) == 3
    cells = data.execute("FROM cell_changes('o_value', 'n_value', key := 'id')").fetchall()
    assert len(cells) == 1 and name in cells[0]
    ignored = "FROM table_changes('o_value', 'n_value', key := 'id', ignore := [?])"
    assert len(data.execute(ignored, [name]).fetchall()) == 2
    assert data.execute("FROM kept").fetchall() == [("kept",)]


def test_no_name_of_a_file_is_read_as_sql(data, tmp_path):
    data.execute("CREATE TABLE kept AS SELECT 'kept' AS s")
    repo = tmp_path / "it's"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    names = [f"{name.replace('/', '')}.csv" for name in AS_SQL if name != "*"]
    for content in ("id,v\n1,a\n", "id,v\n1,b\n2,c\n"):
        for name in names:
            (repo / name).write_text(content)
        git(repo, "add", ".")
        git(repo, *PERSON, "commit", "-q", "-m", "'); DROP TABLE kept; --")
    for name in names:
        history = "SELECT change FROM data_history(?, key := 'id', repo := ?)"
        assert len(data.execute(history, [name, str(repo)]).fetchall()) == 3, name
        sides = [f"HEAD~1:{name}", f"HEAD:{name}"]
        compared = "FROM table_changes(?, ?, key := 'id', repo := ?)"
        assert len(data.execute(compared, [*sides, str(repo)]).fetchall()) == 2, name
    with pytest.raises(duckdb.Error, match="not_found"):
        data.execute("FROM data_history('a.csv', range := ?, repo := ?)", [AS_SQL[0], str(repo)])
    assert data.execute("FROM kept").fetchall() == [("kept",)]


def test_arguments_that_are_wrong_say_what_to_give(data):
    for arguments, words in (
        ("NULL, 't'", "invalid_args: the argument 'old' of table_changes_sql is NULL"),
        ("'t', 't', key := ''", "invalid_args: key has no name in it"),
        ("'t', 't', key := 'id', ignore := 'ID'", "invalid_args: 'ID' is in key and in ignore"),
        ("'t', 't', key := 'id', tolerance := -1", "invalid_args: tolerance is -1"),
        ("'t', 't', key := 'id', tolerance := 'x'", "invalid_args: tolerance is 'x'"),
        ("'t', 't', tolerance := 1", "invalid_args: tolerance needs a key"),
        ("'t', 't', key := 7", "invalid_args: the option key is of type INTEGER"),
    ):
        with pytest.raises(duckdb.Error) as caught:
            data.execute(f"FROM table_changes({arguments})")
        assert words in str(caught.value), caught.value


@pytest.mark.parametrize(
    "ending", ["csv", "json", pytest.param("ndjson", marks=pytest.mark.slow), "parquet"]
)
def test_the_files_of_ten_versions_change_as_python_reads_them(data, tmp_path, ending):
    """At two revisions of a repository, and in turns at one and as a file."""
    chance = random.Random(SEED)
    made = lambda: [
        {"id": number, "name": chance.choice(["a, b", 'say "x"', "ä", "line\nline", "z"]), "n": chance.randrange(3)}
        for number in range(20) if chance.random() < 0.9
    ]  # fmt: skip
    versions = [made() for _ in range(11)]
    for version, rows in enumerate(versions):
        with (tmp_path / f"{version}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "name", "n"])
            writer.writeheader()
            writer.writerows(rows)
        (tmp_path / f"{version}.json").write_text(json.dumps(rows))
        (tmp_path / f"{version}.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
        data.execute(f"COPY (FROM '{tmp_path}/{version}.json') TO '{tmp_path}/{version}.parquet'")
    commits = [
        {f"d/a.{ending}": (tmp_path / f"{version}.{ending}").read_bytes()} for version in range(11)
    ]
    repo = written_repositories.write(tmp_path / "repo", commits)
    for version in range(10):
        before, after = ({row["id"]: row for row in versions[at]} for at in (version, version + 1))
        expected = {
            ("added" if one not in before else "removed" if one not in after else "changed", one,
             tuple(name for name in ("name", "n") if one in before and one in after and before[one][name] != after[one][name]))
            for one in before.keys() | after.keys() if before.get(one) != after.get(one)
        }  # fmt: skip
        names = [f"main~{10 - at}:d/a.{ending}" for at in (version, version + 1)]
        files = [f"{tmp_path}/{at}.{ending}" for at in (version, version + 1)]
        sides = names if version % 2 else [names[0], files[1]]
        found = data.execute(
            "SELECT change, id, changed_columns FROM table_changes(?, ?, key := 'id', repo := ?)",
            [*sides, str(repo)],
        ).fetchall()
        assert {(*row[:2], tuple(row[2] or ())) for row in found} == expected, (version, sides)


def test_a_file_that_a_revision_lacks_is_named(data, tmp_path):
    repo = written_repositories.write(tmp_path / "repo", [{"a.csv": b"id\n1\n"}])
    with pytest.raises(duckdb.Error, match="not_found: 'main' has no file 'b.csv'"):
        data.execute("FROM table_changes('main:a.csv', 'main:b.csv', repo := ?)", [str(repo)])


def test_the_example_of_csv_diff_has_its_changes(data):
    """The rows that the page of csv-diff compares by id: one added, one removed, one whose age changed."""
    old = "(FROM (VALUES (1, 'Cleo', 4), (2, 'Pancakes', 2)) t(id, name, age))"
    new = "(FROM (VALUES (1, 'Cleo', 5), (3, 'Bailey', 1)) t(id, name, age))"
    found = data.execute(
        "SELECT change, id, changed_columns FROM table_changes(?, ?, key := 'id')", [old, new]
    ).fetchall()
    assert found == [("changed", 1, ["age"]), ("removed", 2, None), ("added", 3, None)]
    assert data.execute("FROM cell_changes(?, ?, key := 'id')", [old, new]).fetchall() == [
        (1, "age", "4", "5", None, None)
    ]


def test_columns_that_come_go_move_or_get_another_name_or_type_are_listed(data):
    changes = lambda old, new: [
        row[:3] for row in data.execute("FROM schema_changes(?, ?)", [old, new]).fetchall()
    ]
    rows = lambda columns: f"(SELECT {columns} FROM range(5) t(i))"
    for old, new, expected in (
        ("i AS a, i * 2 AS b", "i AS a, i * 2 AS b", []),
        ("i AS a, i * 2 AS b", "i * 2 AS b, i AS a", [("moved", "b", "b")]),
        ("i AS a, i * 2 AS b, i * 3 AS c", "i * 3 AS c, i AS a, i * 2 AS b", [("moved", "c", "c")]),
        ("i AS a, i * 2 AS b", "i AS a, i * 2 AS cost", [("renamed", "b", "cost")]),
        ("i AS a, i * 2 AS b", "i AS a, i * 3 AS cost", [("added", None, "cost"), ("removed", "b", None)]),
        ("i AS a", "i::VARCHAR AS a", [("retyped", "a", "a")]),
        ("i AS a", "i AS A", [("renamed", "a", "A")]),
        ("i AS a, 1 AS b, 1 AS c", "i AS a, 1 AS d, 1 AS e", [("renamed", "b", "d"), ("renamed", "c", "e")]),
        ("NULL AS b, i AS a", "i AS a, NULL AS c", [("added", None, "c"), ("removed", "b", None)]),
    ):  # fmt: skip
        assert changes(rows(old), rows(new)) == expected, (old, new)


@pytest.mark.own_database
def test_a_comparison_that_exceeds_its_memory_spills(connect, tmp_path):
    """# Tables of more bytes than the limit."""
    con = connect(memory_limit="200MB", temp_directory=str(tmp_path), threads=2)
    con.execute(SCRIPT)
    rows = lambda more: (
        f"(SELECT i AS id, repeat('x', 200) || i AS v, i % 7 + ({more}) AS n FROM range(400_000) t(i))"
    )
    found = con.execute(
        "FROM table_change_summary(?, ?, key := 'id')", [rows("0"), rows("(i % 100 = 0)::INT")]
    ).fetchone()
    assert found[:5] == (0, 0, 4000, 396_000, 4000)


# The kinds of change that csv-diff and daff show in their examples, on tables of our own: rows and their changes, the columns of
# changed rows, columns added and removed, and changes of columns.
RIVERS = "(VALUES (1, 'Rhine', 1233), (2, 'Elbe', 1094), (3, 'Oder', 840)) AS t(id, river, km)"
KINDS = [
    ("a row changed, one added, one removed", "SELECT * FROM (VALUES (1, 'Rhine', 1230), (2, 'Elbe', 1094), (4, 'Main', 527)) AS t(id, river, km)",
     {("changed", 1, ("km",)), ("added", 4, None), ("removed", 3, None)}, []),
    ("rows in another order", f"SELECT * FROM {RIVERS} ORDER BY id DESC", set(), []),
    ("columns in another order", f"SELECT km, id, river FROM {RIVERS}", set(), ["moved"]),
    ("a column added", f"SELECT *, 'Europe' AS place FROM {RIVERS}", set(), ["added"]),
    ("a column removed", f"SELECT id, river FROM {RIVERS}", set(), ["removed"]),
    ("a column renamed", f"SELECT id, river AS name, km FROM {RIVERS}", set(), ["renamed"]),
    ("a value removed", f"SELECT id, river, CASE WHEN id <> 2 THEN km END AS km FROM {RIVERS}", {("changed", 2, ("km",))}, []),
    ("an empty text for a value", f"SELECT id, CASE WHEN id = 2 THEN '' ELSE river END AS river, km FROM {RIVERS}", {("changed", 2, ("river",))}, []),
]  # fmt: skip


@pytest.mark.parametrize("kind, new, changed, schema", KINDS, ids=[kind for kind, *_ in KINDS])
def test_the_kinds_of_change_of_other_tools(data, kind, new, changed, schema):
    given = {"old": f"(SELECT * FROM {RIVERS})", "new": f"({new})"}
    rows = data.execute(
        "SELECT change, id, changed_columns FROM table_changes($old, $new, key := 'id')", given
    ).fetchall()
    found = {(change, key, columns and tuple(columns)) for change, key, columns in rows}
    assert found == changed and len(rows) == len(changed)
    kinds = data.execute("SELECT change FROM schema_changes($old, $new)", given).fetchall()
    assert sorted({change for (change,) in kinds}) == schema
