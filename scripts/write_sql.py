#!/usr/bin/env python3
"""Writes what the registries inside the extension say: sql/tools*.sql from redline_tools(), and the lists of functions in
docs/ from redline_help()."""

import argparse
import csv
import io
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent

HEADER = """\
-- {what}, for a server with the duckdb_mcp extension: run it after LOAD redline.
-- Made by `make sql` from redline_tools(); do not edit. docs/mcp.md says how it is used.
"""

# The files, what each publishes, and which tools those are.
FILES = {
    "tools.sql": ("The tools that only read", "annotations->>'$.readOnlyHint' = 'true'"),
    "tools_edit.sql": ("Every tool, those that change files included", "true"),
}


INDEX = """\
# Functions

Made by `make sql` from `redline_help()`; do not edit. [Options of the git functions](diff_options.md),
[macros](macros.md) and [measures of histories](../analytics.md) have pages of their own.

| function | what it returns or does |
|---|---|
"""


def page_of(function: str) -> str:
    """Returns the page that has the function's signature."""
    pages = ROOT / "docs" / "functions"
    named = [pages / f"{function}.md", *sorted(pages.glob("*.md"))]
    return next(page.name for page in named if page.exists() and f"`{function}(" in page.read_text())


def render_functions(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Returns the index of the functions, and the table that DuckDB's site of community extensions reads."""
    functions = con.execute("SELECT name, description, example FROM redline_help()").fetchall()
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["function", "description", "comment", "example"])
    writer.writerows([name, description, "", example] for name, description, example in functions)
    rows = [f"| [{name}]({page_of(name)}) | {description} |\n" for name, description, _ in functions]
    return {
        "docs/functions/README.md": INDEX + "".join(rows),
        "docs/function_descriptions.csv": table.getvalue(),
    }


def render(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Returns the files by their paths, as the loaded extension would have them."""
    texts = {}
    for name, (what, condition) in FILES.items():
        statements = con.execute(f"SELECT publish_sql FROM redline_tools() WHERE {condition}").fetchall()
        texts[f"sql/{name}"] = "\n".join([HEADER.format(what=what), *(f"{statement};\n" for (statement,) in statements)])
    return texts | render_functions(con)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extension", type=Path)
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{parser.parse_args().extension.resolve()}'")
    for name, text in render(con).items():
        (ROOT / name).write_text(text)
        print(f"{name}  {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
