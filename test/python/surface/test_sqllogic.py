"""The runner of the SQL tests must be able to fail: one that passes everything would hide every defect."""

import pytest
import sqllogic


def run(text, tmp_path, env=None, extensions=None, relations=False):
    return sqllogic.run_text("sample.test", text, extensions or {}, tmp_path, env or {}, relations)


PASSING = {
    "values and types": """
query ITTTRI
SELECT 1, 'a b', NULL, '', 1.5, true
----
1	a b	NULL	(empty)	1.5	true
""",
    "one value per line": """
query II
SELECT i, i * 2 FROM range(2) t(i)
----
0
0
1
2
""",
    "no rows": """
query I
SELECT 1 WHERE false
----
""",
    "booleans as numbers": """
query II
SELECT true, false
----
1	0
""",
    "numbers by value": """
query RR
SELECT 0.5::DOUBLE, 2.50::DECIMAL(9, 2)
----
0.50	2.5
""",
    "nested values as DuckDB prints them": """
query TT
SELECT {'a': 1, 'b': [true, NULL]}, ['x', NULL]
----
{'a': 1, 'b': [true, NULL]}	[x, NULL]
""",
    "a NUL byte": """
query T
SELECT 'a' || chr(0) || 'b'
----
a\\0b
""",
    "regular expressions": """
query TT
SELECT 'abc', 'abc'
----
<REGEX>:a.c	<!REGEX>:x.*
""",
    "sorted rows": """
query IT rowsort
SELECT * FROM (VALUES (2, 'b'), (1, 'a')) t
----
1	a
2	b
""",
    "sorted values": """
query II valuesort
SELECT * FROM (VALUES (2, 3), (1, 4)) t
----
1
2
3
4
""",
    "an error, by part and by pattern": """
statement error
SELECT * FROM missing
----
Catalog Error: Table with name missing

statement error
SELECT * FROM missing
----
<REGEX>:Catalog Error.*missing.*
""",
    "loops": """
statement ok
CREATE TABLE t (i INTEGER, s VARCHAR)

loop i 0 3

foreach name,letter one,a two,b

statement ok
INSERT INTO t VALUES (${i}, '${name}{letter}')

endloop

endloop

query TI
SELECT s, count(*) FROM t GROUP BY s ORDER BY s
----
onea	3
twob	3
""",
    "a concurrent loop": """
statement ok
CREATE TABLE t (i INTEGER)

concurrentloop i 0 4

query I
SELECT ${i} BETWEEN 0 AND 3
----
true

endloop
""",
    "named connections": """
statement ok one
BEGIN TRANSACTION

statement ok one
CREATE TABLE only_one (i INTEGER)

statement error two
SELECT * FROM only_one
----
only_one

query I one
SELECT count(*) FROM only_one
----
0
""",
    "files": """
load __TEST_DIR__/file.db

statement ok
CREATE TABLE t AS SELECT 42 AS i

restart

query I
SELECT i FROM t
----
42

load __TEST_DIR__/file.db readonly

statement error
INSERT INTO t VALUES (1)
----
read-only

load

statement error
SELECT i FROM t
----
Catalog Error
""",
    "labels": """
query I nosort same
SELECT 1
----

query I nosort same
SELECT 2 - 1
----
""",
    "skipped parts and halt": """
mode skip

statement ok
this is not SQL

mode unskip

query I
SELECT 1
----
1

halt

statement ok
this is not SQL
""",
    "several statements in one, DuckDB's own result": """
query I
CREATE TABLE t AS SELECT 1 AS i; SELECT i FROM t
----
1

query II
EXPLAIN SELECT 1
----
physical_plan	<REGEX>:.*

statement ok
PREPARE p AS SELECT ?::INTEGER + 1

query I
EXECUTE p(41)
----
42
""",
    "require": """
require json

require notwindows

query T
SELECT '{"a": 1}'::JSON ->> 'a'
----
1
""",
}

FAILING = {
    "wrong value": ("query I\nSELECT 1\n----\n2\n", "`1` instead of `2`"),
    "wrong value in a later row": (
        "query II\nSELECT i, i FROM range(2) t(i)\n----\n0\t0\n1\t2\n",
        "row 2, column 2",
    ),
    "value instead of NULL": ("query I\nSELECT 0\n----\nNULL\n", "`0` instead of `NULL`"),
    "NULL instead of a value": (
        "query I\nSELECT NULL::INTEGER\n----\n0\n",
        "`NULL` instead of `0`",
    ),
    "NULL is not the empty string": (
        "query T\nSELECT NULL::VARCHAR\n----\n(empty)\n",
        "`NULL` instead of `(empty)`",
    ),
    "text that only looks equal": ("query T\nSELECT '1.0'\n----\n1\n", "`1.0` instead of `1`"),
    "leading space": ("query T\nSELECT ' a'\n----\na\n", "` a` instead of `a`"),
    "too few rows": ("query I\nSELECT 1 WHERE false\n----\n1\n", "0 rows instead of 1"),
    "too many rows": ("query I\nSELECT * FROM range(3)\n----\n0\n1\n", "3 rows instead of 2"),
    "rows where none are expected": ("query I\nSELECT 1\n----\n", "1 rows instead of 0"),
    "rows of several columns where none are expected": (
        "query II\nSELECT 1, 2\n----\n",
        "1 rows instead of 0",
    ),
    "wrong column count": ("query II\nSELECT 1\n----\n1\t1\n", "1 columns instead of 2"),
    "wrong order": ("query I\nSELECT i FROM range(2) t(i)\n----\n1\n0\n", "row 1, column 1"),
    "false instead of true": ("query I\nSELECT false\n----\ntrue\n", "`false` instead of `true`"),
    "pattern that matches a part only": (
        "query T\nSELECT 'abc'\n----\n<REGEX>:b\n",
        "instead of `<REGEX>:b`",
    ),
    "forbidden pattern that matches": (
        "query T\nSELECT 'abc'\n----\n<!REGEX>:a.*\n",
        "`abc` instead of",
    ),
    "a query that fails": ("query I\nSELECT * FROM missing\n----\n1\n", "the query failed"),
    "a statement that fails": ("statement ok\nSELECT * FROM missing\n", "the statement failed"),
    "a missing error": ("statement error\nSELECT 1\n----\nx\n", "should have failed"),
    "another error": (
        "statement error\nSELECT * FROM missing\n----\nfs_denied:\n",
        "failed in another way",
    ),
    "other rows under one label": (
        "query I nosort l\nSELECT 1\n----\n\nquery I nosort l\nSELECT 2\n----\n",
        "labelled l",
    ),
    "in a loop": ("loop i 0 2\n\nquery I\nSELECT ${i}\n----\n0\n\nendloop\n", "`1` instead of `0`"),
    "in a concurrent loop": (
        "concurrentloop i 0 2\n\nquery I\nSELECT ${i}\n----\n0\n\nendloop\n",
        "`1` instead of `0`",
    ),
}

MALFORMED = {
    "unknown directive": ("frobnicate\n", "unknown directive `frobnicate`"),
    "directive of other runners": ("hash-threshold 10\n", "unknown directive"),
    "unknown mode": ("mode output_hash\n", "mode output_hash"),
    "unknown outcome": ("statement maybe\nSELECT 1\n", "expected `statement ok`"),
    "unknown column type": ("query IX\nSELECT 1, 2\n----\n1\t2\n", "expected `query"),
    "no expected rows": ("query I\nSELECT 1\n", "no `----` line"),
    "no expected error": ("statement error\nSELECT 1\n", "the text of the error"),
    "expected text for ok": ("statement ok\nSELECT 1\n----\n1\n", "no expected text"),
    "no statement": ("statement ok\n\nSELECT 1\n", "the statement is empty"),
    "a variable in an expected row": (
        "foreach i 1 2\n\nquery I\nSELECT ${i}\n----\n${i}\n\nendloop\n",
        "${i} is not filled in",
    ),
    "a variable in an expected error": (
        "foreach i x\n\nstatement error\nSELECT ${i}\n----\n${i}\n\nendloop\n",
        "${i} is not filled in",
    ),
    "unset variable": ("query I\nSELECT ${missing}\n----\n1\n", "${missing} is not set"),
    "unknown keyword": (
        "query T\nSELECT '__BUILD_DIRECTORY__'\n----\nx\n",
        "__BUILD_DIRECTORY__ is not set",
    ),
    "open loop": ("loop i 0 2\n\nstatement ok\nSELECT 1\n", "no `endloop`"),
    "stray endloop": ("endloop\n", "without a loop"),
    "open skip": ("mode skip\n", "no `mode unskip`"),
    "glued directives": ("require json\nquery I\nSELECT 1\n----\n1\n", "followed by an empty line"),
    "rows beside a label": ("query I nosort l\nSELECT 1\n----\n1\n", "DuckDB ignores its rows"),
    "hash": (
        "query I\nSELECT 1\n----\n1 values hashing to 0123456789abcdef0123456789abcdef\n",
        "write them out",
    ),
    "restart in memory": ("restart\n", "opened with `load`"),
}


@pytest.mark.parametrize("text", PASSING.values(), ids=PASSING.keys())
def test_passes(text, tmp_path):
    assert run(text, tmp_path) > 0


@pytest.mark.parametrize(("text", "message"), FAILING.values(), ids=FAILING.keys())
def test_fails(text, message, tmp_path):
    with pytest.raises(sqllogic.SqlTestFailure) as failure:
        run(text, tmp_path)
    assert message in str(failure.value)
    assert str(failure.value).startswith("sample.test:")


@pytest.mark.parametrize(("text", "message"), MALFORMED.values(), ids=MALFORMED.keys())
def test_refuses(text, message, tmp_path):
    with pytest.raises(sqllogic.SqlTestError) as error:
        run(text, tmp_path)
    assert message in str(error.value)


def test_counts_what_it_checked(tmp_path):
    assert run(PASSING["loops"], tmp_path) == 1 + 3 * 2 + 1


def test_skips_only_for_a_requirement(tmp_path):
    with pytest.raises(sqllogic.SqlTestSkipped):
        run("require no_such_extension\n\nquery I\nSELECT 1\n----\n2\n", tmp_path)
    with pytest.raises(sqllogic.SqlTestSkipped):
        run("require-env NO_SUCH_VARIABLE\n\nquery I\nSELECT 1\n----\n2\n", tmp_path)
    text = "require-env WHERE\n\nquery T\nSELECT '${WHERE}'\n----\nhere\n"
    assert run(text, tmp_path, env={"WHERE": "here"}) == 1


def test_a_required_extension_that_does_not_load_fails(tmp_path):
    broken = tmp_path / "redline.duckdb_extension"
    broken.write_bytes(b"not an extension")
    with pytest.raises(Exception) as error:
        run(
            "require redline\n\nquery I\nSELECT 1\n----\n1\n",
            tmp_path,
            extensions={"redline": broken},
        )
    assert not isinstance(error.value, sqllogic.SqlTestSkipped)
