"""The one type in which a column of two tables is compared: every type beside every other, alone and in STRUCTs, LISTs and MAPs."""

import re

import pytest
from repositories import ROOT

# Two values of each type.
TYPES = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": ("1", "-128"),
    "UTINYINT": ("1", "255"),
    "SMALLINT": ("1", "-32768"),
    "USMALLINT": ("1", "65535"),
    "INTEGER": ("1", "-2147483648"),
    "UINTEGER": ("1", "4294967295"),
    "BIGINT": ("1", "-9223372036854775808"),
    "UBIGINT": ("1", "18446744073709551615"),
    "HUGEINT": ("1", "-1000000000000000000000000000000"),
    "UHUGEINT": ("1", "1000000000000000000000000000000"),
    "BIGNUM": ("1", "123456789012345678901234567890123456789012345"),
    "FLOAT": ("1", "nan"),
    "DOUBLE": ("1", "1.5"),
    "DECIMAL(9,2)": ("1", "-9999999.99"),
    "VARCHAR": ("1", "it's"),
    "BLOB": ("1", "it"),
    "BIT": ("1", "101"),
    "UUID": ("550e8400-e29b-41d4-a716-446655440000", "00000000-0000-0000-0000-000000000001"),
    "DATE": ("2026-11-28", "1970-01-01"),
    "TIME": ("00:00:00", "24:00:00"),
    "TIMETZ": ("00:00:00+00", "12:00:00+15"),
    "TIME_NS": ("00:00:00", "12:00:00.123456789"),
    "TIMESTAMP": ("2026-11-28", "1970-01-01 00:00:00.000001"),
    "TIMESTAMP_S": ("2026-11-28", "1970-01-01"),
    "TIMESTAMP_MS": ("2026-11-28", "1970-01-01 00:00:00.001"),
    "TIMESTAMP_NS": ("2026-11-28", "1970-01-01 00:00:00.000000001"),
    "TIMESTAMPTZ": ("2026-11-28", "1970-01-01"),
    "INTERVAL": ("1 month", "30 days"),
    "JSON": ("1", '{"a": 1}'),
    "ENUM('1', 'it''s')": ("1", "it's"),
    "ENUM('it''s', '1')": ("1", "it's"),
    "VARIANT": ("1", "x"),
    "GEOMETRY": ("POINT (1 2)", "POINT (2 1)"),
}
INTEGERS = ["TINYINT", "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER", "UINTEGER", "BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"]  # fmt: skip
NUMBERS = [*INTEGERS, "FLOAT", "DOUBLE", "DECIMAL(9,2)"]
TIMES = ["DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"]

# What two other types become: of those that are named together, what DuckDB's UNION ALL makes of them, and else a text.
KINDS = [["BOOLEAN", *NUMBERS], TIMES]
# But for the integers of which DuckDB's union does not hold both.
NOT_HELD = {
    "BOOLEAN": ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    "UHUGEINT": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
}
# Two types with parts, and what they become.
PARTS = [
    ("STRUCT(a INTEGER)", "STRUCT(a BIGINT)", "STRUCT(a BIGINT)"),
    ("STRUCT(a INTEGER)", "STRUCT(b DATE, a BIGINT)", "STRUCT(a BIGINT, b DATE)"),
    ("STRUCT(a INTEGER)", "STRUCT(a DATE)", "VARCHAR"),
    ("STRUCT(a INTEGER)", "STRUCT(a VARCHAR, b DATE)", "STRUCT(a VARCHAR, b DATE)"),
    ("STRUCT(a INTEGER)", "STRUCT(a INTEGER[])", "VARCHAR"),
    ("STRUCT(a STRUCT(a INTEGER))", "STRUCT(a INTEGER)", "VARCHAR"),
    ("STRUCT(a STRUCT(a INTEGER))", "STRUCT(a INTEGER[])", "VARCHAR"),
    ("STRUCT(a STRUCT(a INTEGER)[])", "STRUCT(a STRUCT(b DATE)[], c UUID)", "STRUCT(a STRUCT(a INTEGER, b DATE)[], c UUID)"),
    ("STRUCT(a STRUCT(a INTEGER)[])", "STRUCT(a STRUCT(a DATE)[], c UUID)", "VARCHAR"),
    ("STRUCT(a DECIMAL(9,2), b UUID)", "STRUCT(a INTEGER)", "STRUCT(a DECIMAL(12,2), b UUID)"),
    ("STRUCT(a ENUM('x'), b UUID)", "STRUCT(a ENUM('x'))", "STRUCT(a ENUM('x'), b UUID)"),
    ("STRUCT(a ENUM('x\"', 'y'))", "STRUCT(a ENUM('x'))", "STRUCT(a VARCHAR)"),
    ("STRUCT(a ENUM('x'))", "STRUCT(a DATE)", "STRUCT(a VARCHAR)"),
    ("STRUCT(a JSON)", "STRUCT(a VARCHAR, b JSON)", "STRUCT(a VARCHAR, b VARCHAR)"),
    ("STRUCT(a JSON)", "STRUCT(a STRUCT(a INTEGER))", "VARCHAR"),
    ('STRUCT("my DATE, x" INTEGER, "TIMESTAMP" DATE)', 'STRUCT("TIMESTAMP" TIMESTAMP, "my DATE, x" BIGINT)',
        'STRUCT("my DATE, x" BIGINT, "TIMESTAMP" TIMESTAMP)'),
    ('STRUCT("a ""MAP(" INTEGER, ")" DATE)', 'STRUCT("a ""MAP(" BIGINT)', 'STRUCT("a ""MAP(" BIGINT, ")" DATE)'),
    ("INTEGER[]", "BIGINT[]", "BIGINT[]"),
    ("INTEGER[]", "DATE[]", "VARCHAR"),
    ("INTEGER[]", "INTEGER[][]", "VARCHAR"),
    ("INTEGER[]", "INTEGER", "VARCHAR"),
    ("INTEGER[]", "MAP(VARCHAR, INTEGER)", "VARCHAR"),
    ("INTEGER[2]", "INTEGER[3]", "VARCHAR"),
    ("INTEGER[2]", "INTEGER[]", "VARCHAR"),
    ("STRUCT(a INTEGER)[]", "STRUCT(b INTEGER)[]", "STRUCT(a INTEGER, b INTEGER)[]"),
    ("STRUCT(a INTEGER)[]", "STRUCT(a DATE)[]", "VARCHAR"),
    ("MAP(VARCHAR, INTEGER)", "MAP(VARCHAR, DOUBLE)", "MAP(VARCHAR, DOUBLE)"),
    ("MAP(VARCHAR, INTEGER)", "MAP(VARCHAR, DATE)", "VARCHAR"),
    ("MAP(DATE, STRUCT(a INTEGER))", "MAP(TIMESTAMP, STRUCT(a BIGINT, b UUID))", "MAP(TIMESTAMP, STRUCT(a BIGINT, b UUID))"),
    ("MAP(DATE, STRUCT(a INTEGER))", "MAP(DATE, STRUCT(a DATE))", "VARCHAR"),
    ("MAP(STRUCT(a INTEGER), DATE)", "MAP(STRUCT(a DATE), DATE)", "VARCHAR"),
    ("MAP(INTEGER[], DATE)", "MAP(DATE[], DATE)", "VARCHAR"),
    ("MAP(VARCHAR, INTEGER)", "STRUCT(a INTEGER)", "VARCHAR"),
    ("UNION(a INTEGER)", "UNION(a INTEGER, b VARCHAR)", "VARCHAR"),
    ("UNION(a INTEGER)", "STRUCT(a INTEGER)", "VARCHAR"),
    ("UNION(a INTEGER)", "INTEGER", "VARCHAR"),
]  # fmt: skip


@pytest.fixture
def data(con):
    con.execute((ROOT / "sql/data.sql").read_text())
    con.execute("SET TimeZone = 'UTC'")
    return con


def value(of: str, kind: str) -> str:
    return f"'{of.replace(chr(39), chr(39) * 2)}'::{'VARCHAR::' if kind == 'VARIANT' else ''}{kind}"


def together(con, lefts: list[str], rights: list[str]) -> list[str]:
    """Returns the type that UNION ALL makes of the columns of two tables."""
    sides = [
        ", ".join(f"NULL::{kind} AS c{at}" for at, kind in enumerate(kinds))
        for kinds in (lefts, rights)
    ]
    return [
        row[1]
        for row in con.execute(f"DESCRIBE SELECT {sides[0]} UNION ALL SELECT {sides[1]}").fetchall()
    ]


def kept_and_changed(con, lefts: list[str], rights: list[str], rows: list[list[list[str]]]):
    """Returns the types of the columns c0 to cN of both tables, and their changed cells; `rows` are the values of both sides."""
    sides = [
        "("
        + " UNION ALL ".join(
            f"SELECT {at} AS id, {', '.join(f'({one})::{kind} AS c{column}' for column, (one, kind) in enumerate(zip(row, kinds, strict=True)))}"
            for at, row in enumerate(side)
        )
        + ")"
        for side, kinds in zip(rows, (lefts, rights), strict=True)
    ]
    # The row with another number is on one side, so that its STRUCT is always there.
    columns = [f"c{at}" for at in range(len(lefts))]
    typed = con.execute(
        f"SELECT {', '.join(f'typeof(old.{name})' for name in columns)} FROM table_changes(?, ?, key := 'id') LIMIT 1",
        [sides[0], sides[1].replace("SELECT 0 AS id", "SELECT -1 AS id")],
    ).fetchone()
    cells = con.execute("SELECT id, column_name FROM cell_changes(?, ?, key := 'id')", sides)
    return list(typed), set(cells.fetchall())


def expected_cells(con, lefts, rights, types, rows) -> set[tuple[int, str]]:
    """Returns the cells that are distinct in the types."""
    found = set()
    for at, (olds, news) in enumerate(zip(*rows, strict=True)):
        conditions = []
        for old, new, left, right, kind in zip(olds, news, lefts, rights, types, strict=True):
            sides = [f"({old})::{left}", f"({new})::{right}"]
            if left != right:
                # JSON is the text of a string, or its own.
                sides = [
                    f"coalesce({side}->>'$', {side}::VARCHAR)" if kind_of == "JSON" else side
                    for side, kind_of in zip(sides, (left, right), strict=True)
                ]
            conditions.append(f"{sides[0]}::{kind} IS DISTINCT FROM {sides[1]}::{kind}")
        flags = con.execute("SELECT " + ", ".join(conditions)).fetchone()
        found |= {(at, f"c{column}") for column, flag in enumerate(flags) if flag}
    return found


def compare_with_every_type(con, left: str) -> None:
    rights = [*TYPES]
    lefts = [left] * len(rights)
    olds = [value(one, left) for one in TYPES[left]]
    news = [[value(one, kind) for one in TYPES[kind]] for kind in rights]
    pairs = [(0, 0), (1, 1), (0, 1), (None, 0), (1, None), (None, None)]
    rows = (
        [["NULL" if old is None else olds[old] for _ in rights] for old, _ in pairs],
        [["NULL" if new is None else each[new] for each in news] for _, new in pairs],
    )
    types, cells = kept_and_changed(con, lefts, rights, rows)
    of_union = together(con, lefts, rights)
    for right, found, union in zip(rights, types, of_union, strict=True):
        is_held = right not in NOT_HELD.get(left, ()) and left not in NOT_HELD.get(right, ())
        is_one_kind = is_held and any({left, right} <= set(kind) for kind in KINDS)
        (same,) = con.execute(f"SELECT typeof(NULL::{left})").fetchone()
        assert found == (same if left == right != "VARIANT" else union if is_one_kind else "VARCHAR"), (left, right)  # fmt: skip
    assert cells == expected_cells(con, lefts, rights, types, rows), left


@pytest.mark.parametrize("left", ["INTEGER", "DATE", "JSON", "ENUM('1', 'it''s')"])
def test_a_type_beside_every_other(data, left):
    compare_with_every_type(data, left)


@pytest.mark.slow
@pytest.mark.parametrize("left", TYPES)
def test_every_type_beside_every_other(data, left):
    compare_with_every_type(data, left)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["{{a: {0}}}", "{{a: {0}, b: 1}}", "[{0}, NULL]", "MAP {{'k': {0}}}"])  # fmt: skip
@pytest.mark.parametrize("left", TYPES)
def test_every_type_beside_every_other_in_a_part(data, left, form):
    """# A part beside one with another field, too: what is compared ends without an error, and NULLs are equal."""
    rights = [*TYPES]
    wrapped = lambda kind, at: form.format(value(TYPES[kind][at], kind))
    other = form.replace(", b: 1", "")
    olds = [wrapped(left, 0), wrapped(left, 1), form.format(f"NULL::{left}"), "NULL"]
    news = [[other.format(value(TYPES[kind][at], kind)) for at in (0, 1)] + [other.format(f"NULL::{kind}"), "NULL"] for kind in rights]  # fmt: skip
    sides = [
        "("
        + " UNION ALL ".join(
            f"SELECT {at} AS id, {', '.join(f'{one} AS c{column}' for column, one in enumerate(row))}"
            for at, row in enumerate(rows)
        )
        + ")"
        for rows in ([[old] * len(rights) for old in olds], zip(*news, strict=True))
    ]
    cells = data.execute(
        "SELECT id, column_name FROM cell_changes(?, ?, key := 'id')", sides
    ).fetchall()
    assert all(at != 3 for at, _ in cells)
    same = f"c{rights.index(left)}"
    assert "b: 1" in form or not any(name == same for _, name in cells), (left, form)


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("is_turned", [False, True])
def test_types_with_parts(data, part, is_turned):
    lefts, rights, expected = map(list, zip(*PARTS[part::4], strict=True))
    for old, new in [(rights, lefts) if is_turned else (lefts, rights)]:
        nulls = [["NULL"] * len(old)] * 2
        types, cells = kept_and_changed(data, old, new, [nulls, nulls])
        assert cells == set()
        # Of the fields, those of the old side come first.
        fields = lambda texts: [
            sorted(re.findall(r'"[^"]*"|[^(), ]+|[()]', text)) for text in texts
        ]
        assert fields(types) == fields(expected)


def test_values_with_parts_that_have_no_common_type_compare_as_texts(data):
    for old, new, changed in (
        ("{a: 1}", "{a: DATE '2026-11-28'}", [("{'a': 1}", "{'a': 2026-11-28}")]),
        ("{a: DATE '2026-11-28'}", "{a: 20261128}", [("{'a': 2026-11-28}", "{'a': 20261128}")]),
        ("[{a: 1}]", "[{a: UUID '00000000-0000-0000-0000-000000000001'}]",
            [("[{'a': 1}]", "[{'a': 00000000-0000-0000-0000-000000000001}]")]),
        ("MAP {'k': 1}", "MAP {'k': TIME '12:00:00'}", [("{k=1}", "{k='12:00:00'}")]),
        ("[1, 2]::INTEGER[2]", "[1, 2]", []),
        ("union_value(a := 1)", "1", []),
        ("{a: NULL::INTEGER}", "{a: NULL::DATE}", []),
    ):  # fmt: skip
        sides = [f"(SELECT 1 AS id, {one} AS v)" for one in (old, new)]
        found = data.execute("FROM cell_changes(?, ?, key := 'id')", sides).fetchall()
        assert [row[2:4] for row in found] == changed, (old, new)
        (whole,) = data.execute("SELECT count(*) FROM table_changes(?, ?)", sides).fetchone()
        assert whole == 2 * len(changed), (old, new)


def test_an_enum_stays_one(data):
    mood = "ENUM('low', 'high')"
    rows = lambda mood, word: f"(SELECT 1 AS id, 'low'::{mood} AS k, '{word}'::{mood} AS v)"
    for other, kind in ((mood, mood), ("ENUM('high', 'low')", "VARCHAR"), ("VARCHAR", "VARCHAR")):
        found = data.execute(
            "SELECT change, k, typeof(k), typeof(old.v), typeof(new.v), new.v FROM table_changes(?, ?, key := ['id', 'k'])",
            [rows(mood, "low"), rows(other, "high")],
        ).fetchall()
        assert found == [("changed", "low", kind, kind, kind, "high")]
    # Case is ignored in its values as in texts.
    sides = [f"(SELECT 1 AS id, '{word}'::ENUM('a', 'A') AS v)" for word in "aA"]
    for options, count in (("", 1), (", ignore_case := true", 0)):
        query = f"SELECT count(*) FROM cell_changes(?, ?, key := 'id'{options})"
        assert data.execute(query, sides).fetchone() == (count,)
