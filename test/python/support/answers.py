"""What a connection answers to a query: rows, or an error that has a code."""

import pathlib
import re

import apart
import duckdb
import repositories


def answer(con, query, *parameters) -> apart.Answer:
    """Runs a query, and checks after an error that the connection still works."""
    try:
        return apart.Answer(
            con.execute(
                query, [str(p) if isinstance(p, pathlib.Path) else p for p in parameters]
            ).fetchall(),
            None,
        )
    except duckdb.Error as error:
        assert con.execute("SELECT 42").fetchone() == (42,)
        return apart.Answer(None, str(error))


def assert_refused(got: apart.Answer, *codes: str) -> str:
    """Checks that an answer is an error with one of the codes (any, when none is named), and returns its words."""
    assert got.error is not None, f"{len(got.rows)} rows instead of an error: {got.rows[:3]}"
    code, words = repositories.code_and_words(got.error)
    assert not codes or code in codes, got.error
    return words


def as_text(query: str) -> str:
    """Returns a query for the same rows as texts, which need no module for their times."""
    rows = query if query.startswith("SELECT") else f"SELECT * {query}"
    return f"SELECT CAST(answer AS VARCHAR) FROM ({rows}) AS answer"


def next_cursor(answer: dict) -> str | None:
    """Returns the cursor of a tool's answer: of its values, or of its text, which ends with it."""
    if "structuredContent" in answer:
        return answer["structuredContent"]["next_cursor"]
    return next_cursor_of_text(answer["content"][0]["text"])


def next_cursor_of_text(text: str) -> str | None:
    found = re.findall(r"with cursor (\w+)", text)
    return found[-1] if found else None
