"""Lists of structs as arguments, as a scalar function sees them; a debug-only function prints them."""

import duckdb
import pytest

EDIT = "{'old_string': 'a', 'new_string': 'b'}"


def edits(con, argument: str, more: str = "", source: str = "") -> list[str]:
    """Returns what the function saw of `edits`, per row."""
    rows = con.execute(f"SELECT redline_debug_edits('p', {argument}{more}) {source}").fetchall()
    return [row[0].removeprefix("p|").removesuffix("|NULL") for row in rows]


@pytest.mark.parametrize(
    "argument, seen",
    [
        (f"[{EDIT}]", "a>b>None"),
        ("[{'old_string': 'a', 'new_string': 'b', 'replace_all': true}]", "a>b>Some(true)"),
        (
            f"[{EDIT}, {{'old_string': 'c', 'new_string': 'd', 'replace_all': false}}]",
            "a>b>None;c>d>Some(false)",
        ),
        ("[{'new_string': 'b', 'old_string': 'a'}]", "a>b>None"),
        ("[{'replace_all': true, 'new_string': 'b', 'old_string': 'a'}]", "a>b>Some(true)"),
        ("[{'OLD_STRING': 'a', 'New_String': 'b'}]", "a>b>None"),
        ("[('a', 'b')]", "a>b>None"),
        ("[row('a', 'b', true)]", "a>b>Some(true)"),
        (f"[{EDIT}, NULL]", "a>b>None;NULL"),
        ("[{'old_string': 'a', 'new_string': NULL}]", "a>NULL>None"),
        ("[{'old_string': 'a', 'new_string': 'b', 'replace_all': NULL}]", "a>b>None"),
        ("[{'old_string': 'it''s twelve+', 'new_string': chr(0)}]", "it's twelve+>\0>None"),
        ("[]::STRUCT(old_string VARCHAR, new_string VARCHAR)[]", ""),
        ("NULL::STRUCT(old_string VARCHAR, new_string VARCHAR)[]", "NULL"),
    ],
)
def test_an_edit_is_read_as_given(con, argument, seen):
    assert edits(con, argument) == [seen]


@pytest.mark.parametrize(
    "argument",
    [
        "NULL",
        "[]",
        EDIT,
        "[{'old': 'a', 'new': 'b'}]",
        "[{'old_string': 'a'}]",
        "[{'old_string': 'a', 'new_string': 'b', 'replace_all': 'yes'}]",
        "[{'old_string': 'a', 'new_string': 'b', 'all': true}]",
        "[MAP {'old_string': 'a', 'new_string': 'b'}]",
        "'[]'::JSON",
    ],
)
def test_refuses_an_argument_that_is_not_a_list_of_edits(con, argument):
    with pytest.raises(duckdb.BinderException):
        edits(con, argument)


def test_overloads_of_one_length_are_distinguished(con):
    assert edits(con, f"[{EDIT}]", ", 'c'") == ["a>b>None|c"]
    assert edits(con, "'a'", ", 'c'") == ["a|c"]
    assert edits(con, "NULL", ", 'c'") == ["NULL|c"]
    assert edits(con, "NULL::VARCHAR", ", NULL") == ["NULL"]
    assert con.execute(
        "SELECT redline_debug_edits(?, ?, ?)", ["p", [{"old_string": "a", "new_string": "b"}], "c"]
    ).fetchone() == ("p|a>b>None|c",)


def test_each_row_has_its_own_edits(con):
    rows = "FROM range(5000) r(i) ORDER BY i"
    lists = "CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN [{'old_string': i::VARCHAR, 'new_string': 'a constant text'}] ELSE [{'old_string': 'x', 'new_string': 'y'}, NULL, {'old_string': NULL, 'new_string': i::VARCHAR}] END"
    expected = [
        "NULL"
        if i % 3 == 0
        else f"{i}>a constant text>None"
        if i % 3 == 1
        else f"x>y>None;NULL;NULL>{i}>None"
        for i in range(5000)
    ]
    assert edits(con, lists, source=rows) == expected
    con.execute(f"CREATE TABLE stored AS SELECT i, {lists} AS edits {rows}")
    assert edits(con, "edits", source="FROM stored WHERE i > 4000 ORDER BY i") == expected[4001:]


def test_a_field_that_was_cast_to_null_is_null_in_a_list_that_repeats(con):
    # In a cross product all rows share one list, and the cast makes one NULL for the missing field.
    kind = "STRUCT(old_string VARCHAR, new_string VARCHAR, replace_all BOOLEAN)[]"
    lists = "(SELECT list({'old_string': i::VARCHAR, 'replace_all': true} ORDER BY i) AS edits FROM range(9) r(i))"
    seen = ";".join(f"{i}>NULL>Some(true)" for i in range(9))
    assert edits(con, f"edits::{kind}", source=f"FROM range(4), {lists}") == [seen] * 4
