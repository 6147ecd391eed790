"""The documents tell the truth: each SQL example gives the output that is shown below it."""

import pathlib
import re

import pytest
import repositories

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs" / "functions").glob("*.md"))]
EXAMPLE = re.compile(r"```sql\n([^`]*)```\n+(?:```\n([^`]*)```|((?:^[|][^\n]*\n)+))", re.MULTILINE)


def examples():
    for document in DOCUMENTS:
        for number, found in enumerate(EXAMPLE.finditer(document.read_text()), 1):
            yield pytest.param(found[1], found[2] or found[3], id=f"{document.stem}-{number}")


def cells(line, mark):
    return [cell.strip() for cell in line.strip().strip(mark).split(mark)]


def rows_of(output):
    """Returns the rows of DuckDB's box, of a Markdown table, or of one text."""
    lines = output.splitlines()
    if re.fullmatch("┌[─┬]+┐", lines[0]):
        # Names and types stand above the line that divides them from the rows.
        return [cells(line, "│") for line in lines[3:] if line.startswith("│")]
    if lines[0].startswith("|"):
        return [cells(line, "|") for line in lines[2:]]
    return [[output.strip()]]


def shown(value):
    return "NULL" if value is None else str(value).strip()


@pytest.mark.parametrize("sql, output", list(examples()))
def test_an_example_prints_what_the_document_says(con, sql, output):
    repositories.fixture("readme")
    con.execute((ROOT / "sql" / "macros.sql").read_text())
    result = con.execute(sql)
    found = [[shown(value) for value in row] for row in result.fetchall()]
    assert found == rows_of(output)


def test_every_function_has_a_page_with_an_example(connect):
    named = lambda con: {name for (name,) in con.execute("SELECT function_name FROM duckdb_functions()").fetchall()}
    functions = named(connect()) - named(connect(load=False))
    pages = "\n".join(page.read_text() for page in DOCUMENTS[1:])
    missing = [name for name in functions if not name.startswith("redline_debug") and f"`{name}(" not in pages]
    assert missing == []
    assert len(list(examples())) >= 5 + len(DOCUMENTS) - 1
