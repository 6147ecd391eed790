#!/usr/bin/env python3
"""Writes sql/tools.sql and sql/tools_edit.sql from redline_tools(), the registry inside the extension."""

import argparse
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


def render(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Returns the files by their names, as the loaded extension would have them."""
    texts = {}
    for name, (what, condition) in FILES.items():
        statements = con.execute(f"SELECT publish_sql FROM redline_tools() WHERE {condition}").fetchall()
        texts[name] = "\n".join([HEADER.format(what=what), *(f"{statement};\n" for (statement,) in statements)])
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extension", type=Path)
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{parser.parse_args().extension.resolve()}'")
    for name, text in render(con).items():
        (ROOT / "sql" / name).write_text(text)
        print(f"sql/{name}  {text.count('PRAGMA')} tools")


if __name__ == "__main__":
    main()
