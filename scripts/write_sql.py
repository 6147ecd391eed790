#!/usr/bin/env python3
"""Writes the files that repeat a declaration: sql/tools*.sql and the grants of the tools that only read in other scripts
from redline_tools(), the macros with all options in sql/macros.sql and the lists of functions in docs/ from
redline_help(), the tables of docs/settings.md from duckdb_settings() and a debug build, those of columns and parameters on the
pages of functions from a debug build, the copies of a query in sql/analytics.sql, and the tables of promises in
docs/security.md from the comments beside the tests that attack them."""

import argparse
import csv
import io
import re
import textwrap
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent

HEADER = """\
-- {what}, for a server with the duckdb_mcp extension: run it after {after}.
-- Made by `make sql` from redline_tools(); do not edit. docs/mcp.md says how it is used.
"""

# The files, the description of each, what is run before it, and whether its tools only read.
FILES = {
    "tools.sql": ("The tools that only read", "LOAD redline", "true"),
    "tools_edit.sql": ("The tools that change files", "tools.sql", "false"),
}


INDEX = """\
# Functions

Made by `make sql` from `redline_help()`; do not edit. [Options of the git functions](diff_options.md),
[list functions](lists.md), [macros](macros.md) and [measures of histories](../analytics.md) have pages of their own.

The examples ask small repositories, so that their answers can be shown. In a checkout of redline, `sh test/fixtures/make_repos.sh`
makes them in `build/fixtures`; then each runs there as it is printed, on a connection with the macros.

| function | what it returns or does |
|---|---|
"""


# The text after this line is written, the text before it is kept.
MADE = "-- Made by `make sql` from redline_help(), from here to the end; do not edit.\n"

# The macros that call a table function with defaults, and what each has a row for.
NATIVE = {
    "changes": (
        "file_changes",
        "changed file: FROM changes(); FROM changes('main', 'feature', paths := ['src'])",
    ),
    "patches": ("file_patches", "changed file, with its patch"),
    "git_diff": (
        "diff_lines",
        "line of the diff, of all files: FROM git_diff('main', 'feature', paths := ['src'])",
    ),
}

# The macros of sql/git.sql, named after git's commands: the table function of each, where its arguments start, options that
# differ from the function's, and what it has a row for.
GIT = {
    "git_log": ("commits", {"range": "'HEAD'"}, {}, "commit"),
    "git_show": (
        "commit_changes",
        {"range": "'HEAD'"},
        {"merges": "'first_parent'", "renames": "true"},
        "changed file of one commit",
    ),
    "git_status": ("file_status", {}, {}, "file that is not as HEAD has it"),
    "git_blame": ("file_blame", {"rev": "'WORKTREE'"}, {}, "line, with the commit that it is from"),
    "git_files": ("tree_files", {"rev": "'HEAD'"}, {}, "file of a revision"),
    "git_refs": ("refs", {}, {}, "reference"),
}

GIT_DOC = """\
-- Table macros named after git's commands, with their defaults in the current directory: FROM git_log(). They are the table
-- functions with defaults, and their arguments are constants or parameters. Another extension, duck_tails, has functions of
-- some of these names: do not run this script beside it.
-- Made by `make sql` from redline_help(); do not edit.
"""

# Words of SQL get another name, and common values are defaults.
NAMES = {"from": "from_rev", "to": "to_rev"}
DEFAULTS = {"from": "'HEAD'", "to": "'WORKTREE'", "repo": "'.'"}
# A reference that is named must exist, the default need not.
OPTIONAL = {"notes_ref": "NULL"}

NATIVE_DOC = """
-- The native functions with the defaults of `git diff HEAD` in the current directory. They read only what the query asks for;
-- their arguments are constants or parameters.
"""

EACH_DOC = """
-- The list functions as tables: arguments and options may be columns or subqueries, of a lateral join too. They compute every
-- column, and a NULL argument gives no row. Order by seq: DuckDB 1.5.6 reorders the rows of a lateral join.
"""

# A table on the page of a function, between two marks.
MADE_TABLE = re.compile(
    r"(<!-- (columns|parameters) of (\w+): made by `make sql` -->\n).*?(?=<!-- end -->)", re.DOTALL
)


def macro(name: str, parameters: list[str], body: str) -> str:
    """Returns the definition of a table macro, in lines of at most 140 characters."""
    width = {"width": 140, "break_long_words": False, "break_on_hyphens": False}
    # A name stays beside its value.
    whole = lambda text: text.replace(" := ", "\0:=\0")
    wrapped = lambda text, indent: "\n".join(
        textwrap.wrap(whole(text), subsequent_indent=indent, **width)
    ).replace("\0", " ")
    head = wrapped(f"CREATE OR REPLACE MACRO {name}({', '.join(parameters)}) AS TABLE", " " * 8)
    return f"{head}\n{wrapped('    ' + body, ' ' * 8)};\n"


def comment(name: str, said: str) -> str:
    """Returns what duckdb_functions() and redline_help() say of a macro."""
    said = said.replace("'", "''")
    return f"COMMENT ON MACRO TABLE {name} IS '{said}';\n"


def render_macros(con: duckdb.DuckDBPyConnection) -> str:
    """Returns sql/macros.sql with the macros of which the extension knows the parameters."""
    text = (ROOT / "sql/macros.sql").read_text().partition(MADE)[0] + MADE
    rows = con.execute(
        "SELECT name, kind, parameters FROM redline_help(function := 'ALL')"
    ).fetchall()
    functions = {name: (kind, parameters) for name, kind, parameters in rows}
    positional = lambda name: [p["name"] for p in functions[name][1] if p["default"] is None]
    named = lambda name: {
        p["name"]: OPTIONAL.get(p["name"], p["default"])
        for p in functions[name][1]
        if p["default"] is not None
    }
    text += NATIVE_DOC
    for name, (function, row) in NATIVE.items():
        parameters = [f"{NAMES.get(p, p)} := {DEFAULTS[p]}" for p in positional(function)]
        parameters += [f"{p} := {default}" for p, default in named(function).items()]
        given = [NAMES.get(p, p) for p in positional(function)] + [
            f"{p} := {p}" for p in named(function)
        ]
        text += f"\n-- A row per {row}.\n" + macro(
            name, parameters, f"SELECT * FROM system.main.{function}({', '.join(given)})"
        )
        text += comment(name, f"{function}() with defaults: a row per {row.partition(':')[0]}")
    text += EACH_DOC
    for name, (kind, _) in functions.items():
        if kind == "scalar" and name.endswith("_list"):
            function = name.removesuffix("_list")
            # An argument that is the only one must be given.
            parameters = [
                f"{p} := '.'" if p == "repo" and len(positional(function)) > 1 else NAMES.get(p, p)
                for p in positional(function)
            ]
            parameters += [f"{p} := {default}" for p, default in named(function).items()]
            given = [NAMES.get(p, p) for p in positional(function)]
            if named(function):
                given.append(
                    f"system.main.struct_pack({', '.join(f'{p} := {p}' for p in named(function))})"
                )
            body = (
                f"SELECT system.main.unnest(system.main.{name}({', '.join(given)}), max_depth := 2)"
            )
            text += "\n" + macro(f"{function}_each", parameters, body)
            text += comment(
                f"{function}_each", f"The rows of {function}(), whose arguments may be columns"
            )
    return text


def render_git(con: duckdb.DuckDBPyConnection) -> str:
    """Returns sql/git.sql, from the parameters that the extension declares."""
    helped = con.execute("SELECT name, parameters FROM redline_help(function := 'ALL')").fetchall()
    functions = dict(helped)
    text = GIT_DOC
    for name, (function, starts, options, row) in GIT.items():
        defaults = {
            p["name"]: starts.get(p["name"], DEFAULTS.get(p["name"]))
            for p in functions[function]
            if p["default"] is None
        }
        named = {
            p["name"]: OPTIONAL.get(p["name"], p["default"])
            for p in functions[function]
            if p["default"] is not None
        } | options
        parameters = [
            p if default is None else f"{p} := {default}"
            for p, default in (defaults | named).items()
        ]
        # git show is about one commit: it excludes its parents.
        given = [
            f"system.main.concat({p}, '^!')" if name == "git_show" and p == "range" else p
            for p in defaults
        ]
        given += [f"{p} := {p}" for p in named]
        text += f"\n-- A row per {row}.\n" + macro(
            name, parameters, f"SELECT * FROM system.main.{function}({', '.join(given)})"
        )
        text += comment(name, f"{function}() with defaults: a row per {row}")
    return text.replace("git_show(range", "git_show(rev").replace("concat(range", "concat(rev")


# The lines that follow renames, and a place for a copy of them; each ends at an empty line.
FOLLOWED = re.compile(r"(?<=make sql copies it\.\n).*?(?=\n\n)", re.DOTALL)
FOLLOWED_COPY = re.compile(r"(?<=    -- As in followed_changes\.\n).*?(?=\n\n)", re.DOTALL)


def render_analytics() -> str:
    """Returns sql/analytics.sql with the copies of the lines that follow renames.

    A macro cannot call another one by its full name, since it does not know its schema: so each of them has the lines.
    """
    text = (ROOT / "sql/analytics.sql").read_text()
    found = FOLLOWED.search(text)
    assert found is not None
    code = re.sub(r" +--.*\n", "", found[0]) + ","
    return FOLLOWED_COPY.sub(lambda _: code, text)


def page_of(function: str) -> str:
    """Returns the page that has the function's signature."""
    pages = ROOT / "docs" / "functions"
    named = [pages / f"{function}.md", *sorted(pages.glob("*.md"))]
    return next(
        page.name for page in named if page.exists() and f"`{function}(" in page.read_text()
    )


def render_functions(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Returns the index of the functions, and the table that DuckDB's site of community extensions reads."""
    functions = con.execute(
        "SELECT name, description, example FROM redline_help(function := 'ALL')"
    ).fetchall()
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["function", "description", "comment", "example"])
    writer.writerows([name, description, "", example] for name, description, example in functions)
    rows = [
        f"| [{name}]({page_of(name)}) | {description} |\n" for name, description, _ in functions
    ]
    return {
        "docs/functions/README.md": INDEX + "".join(rows),
        "docs/function_descriptions.csv": table.getvalue(),
    }


def markdown(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Returns a table; empty lines around it keep it apart from the marks."""
    line = lambda cells: f"| {' | '.join(cells)} |\n"
    return (
        "\n"
        + line(head)
        + line(("---",) * len(head)).replace(" ", "")
        + "".join(map(line, rows))
        + "\n"
    )


def columns_of(con: duckdb.DuckDBPyConnection, function: str) -> str:
    """Returns the table of the columns of a function, or of the fields of its result."""
    query = 'SELECT "column", type, description FROM redline_debug_columns() WHERE function = ?'
    rows = con.execute(query, [function]).fetchall()
    # A name that is a word of SQL is quoted in a type.
    kind = lambda kind: kind.replace(" default ", ' "default" ')
    return markdown(
        ("column", "type", "meaning"),
        [(f"`{name}`", kind(of), meaning) for name, of, meaning in rows],
    )


def parameters_of(con: duckdb.DuckDBPyConnection, function: str) -> str:
    """Returns the table of the parameters of a function."""
    query = "SELECT unnest(parameters, recursive := true) FROM redline_help(function := 'ALL') WHERE name = ?"
    rows = con.execute(query, [function]).fetchall()
    default = lambda default: "" if default is None else f"`{default}`"
    # DuckDB checks no parameter that is a text or a list of texts.
    kind = lambda kind: kind.replace("ANY", "VARCHAR or VARCHAR[]")
    return markdown(
        ("parameter", "type", "default", "meaning"),
        [(f"`{name}`", kind(of), default(value), meaning) for name, of, value, meaning in rows],
    )


def render_pages(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Returns the pages of functions, with the tables between the marks made from the declarations."""
    tables = {"columns": columns_of, "parameters": parameters_of}
    made = lambda found: found[1] + tables[found[2]](con, found[3])
    pages = sorted((ROOT / "docs/functions").glob("*.md"))
    texts = {f"docs/functions/{page.name}": page.read_text() for page in pages}
    return {
        name: MADE_TABLE.sub(made, text) for name, text in texts.items() if MADE_TABLE.search(text)
    }


def settings_of(con: duckdb.DuckDBPyConnection) -> str:
    """Returns the table of the settings that the extension registers."""
    query = """SELECT name, input_type, value, description FROM duckdb_settings() WHERE name LIKE 'redline%' ORDER BY name"""
    # A number stands by itself, a text or a list of texts as SQL writes it.
    quoted = lambda value: f"'{value}'" if not value.startswith("[") else f"['{value[1:-1]}']"
    default = lambda kind, value: value if kind == "UBIGINT" else f"`{quoted(value)}`"
    rows = [
        (f"`{name}`", kind, default(kind, value), meaning)
        for name, kind, value, meaning in con.execute(query).fetchall()
    ]
    return markdown(("setting", "type", "default", "meaning"), rows)


def grants_of(con: duckdb.DuckDBPyConnection) -> str:
    """Returns the table of the tools that open each function."""
    opened: dict[str, tuple[str, ...]] = {}
    for name, tool in con.execute("SELECT function, tool FROM redline_debug_grants()").fetchall():
        opened[name] = (*opened.get(name, ()), tool)
    functions: dict[tuple[str, ...], list[str]] = {}
    for name, tools in opened.items():
        functions.setdefault(tools, []).append(name)
    listed = [name for (name,) in con.execute("SELECT name FROM redline_tools()").fetchall()]
    shown = lambda names: ", ".join(f"`{name}`" for name in names)
    rows = [
        (shown(sorted(functions[tools])), shown(tools))
        for tools in sorted(functions, key=lambda tools: [listed.index(tool) for tool in tools])
    ]
    return markdown(("functions", "opened by one of"), rows)


MADE_OF_SETTINGS = re.compile(
    r"(<!-- (settings|grants): made by `make sql` -->\n).*?(?=<!-- end -->)", re.DOTALL
)


def render_settings(con: duckdb.DuckDBPyConnection) -> str:
    """Returns docs/settings.md with its two tables made from the declarations."""
    tables = {"settings": settings_of, "grants": grants_of}
    page = (ROOT / "docs/settings.md").read_text()
    return MADE_OF_SETTINGS.sub(lambda found: found[1] + tables[found[2]](con), page)


GRANTED = re.compile(r"(?<=SET GLOBAL redline_tool_grants = \[)[^]]*(?=\];)")


def render_grants(con: duckdb.DuckDBPyConnection, script: str) -> str:
    """Returns a script of sql/ whose grants are all tools that only read, and those that change files which it names."""
    rows = con.execute("SELECT name, annotations->>'$.readOnlyHint' FROM redline_tools()")
    reads = {name: hint == "true" for name, hint in rows.fetchall()}
    text = (ROOT / "sql" / script).read_text()
    found = GRANTED.search(text)
    assert found is not None
    names = [name for name, only in reads.items() if only]
    names += [name for name in re.findall(r"'(\w+)'", found[0]) if not reads.get(name)]
    line = ", ".join(f"'{name}'" for name in names)
    start = len("SET GLOBAL redline_tool_grants = [")
    lines = textwrap.wrap(line, 132, initial_indent=" " * start, subsequent_indent="    ")
    return GRANTED.sub("\n".join(lines).lstrip(), text)


# What a comment of a test begins with, and the test below it, where the comment is not one of its file.
PROMISE = re.compile(r"^ *(?:#|//) Promise \((\w+)\): (.*)$")
COMMENT = re.compile(r"^ *(?:#|//) (.*)$")
TEST = re.compile(r"^ *(?:async )?(?:def|fn) (\w+)", re.MULTILINE)
MADE_PROMISES = re.compile(
    r"(<!-- promises of (\w+): made by `make sql` -->\n).*?(?=<!-- end -->)", re.DOTALL
)


def promises_of(path: Path) -> list[tuple[str, str, str | None]]:
    """Returns the promises beside the tests of a file: the key of the table, the text, and the test below, if any."""
    found, open_ = [], False
    tests: list[str | None] = []
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        comment = COMMENT.match(line)
        if begun := PROMISE.match(line):
            found.append([begun[1], begun[2]])
            below = next(i for i in range(number, len(lines)) if not COMMENT.match(lines[i]))
            name = TEST.search("\n".join(lines[below:]))
            tests.append(name[1] if name and lines[below].strip() else None)
            if path.suffix == ".py" and not (tests[-1] or "test_").startswith("test_"):
                raise SystemExit(f"{path}:{number + 1}: the promise is above {tests[-1]}, no test")
            open_ = True
        elif comment and open_:
            found[-1][1] += f" {comment[1]}"
        else:
            open_ = False
    return [(key, text, test) for (key, text), test in zip(found, tests, strict=True)]


def render_promises() -> str:
    """Returns docs/security.md with the promises that the tests name, in the order of the files."""
    paths = [
        path
        for folder in ("test/python", "test/rust", "test/loom/src", "src")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".rs")
    ]
    homes: dict[str, Path] = {}
    for path in reversed(paths):
        homes |= dict.fromkeys(TEST.findall(path.read_text()), path)
    shown = lambda path: str(path.relative_to(ROOT)).removeprefix("test/python/")
    tables: dict[str, list[tuple[str, str]]] = {}
    for path in paths:
        for key, said, test in promises_of(path):
            text, _, others = said.removesuffix(".").partition(". With ")
            tests = {path: [test] if test else []}
            for name in re.findall(r"`(\w+)`", others):
                tests.setdefault(homes[name], []).append(name)
            cell = "; ".join(
                ": ".join([f"`{shown(home)}`", *filter(None, [", ".join(f"`{n}`" for n in names)])])
                for home, names in tests.items()
            )
            tables.setdefault(key, []).append((text, cell))
    page = (ROOT / "docs/security.md").read_text()
    made = lambda found: found[1] + markdown(("promise", "test"), tables.pop(found[2]))
    page = MADE_PROMISES.sub(made, page)
    if tables:
        raise SystemExit(f"docs/security.md has no table for the promises of {sorted(tables)}")
    return page


def render(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Returns the files by their paths, as the loaded extension would have them."""
    texts = {}
    for name, (what, after, reads_only) in FILES.items():
        statements = con.execute(
            "SELECT publish_sql FROM redline_tools() WHERE annotations->>'$.readOnlyHint' = ?",
            [reads_only],
        ).fetchall()
        texts[f"sql/{name}"] = "\n".join(
            [
                HEADER.format(what=what, after=after),
                *(f"{statement};\n" for (statement,) in statements),
            ]
        )
    return (
        texts
        | {"sql/macros.sql": render_macros(con), "sql/git.sql": render_git(con)}
        | {f"sql/{name}": render_grants(con, name) for name in ("lockdown.sql", "mcp_http.sql")}
        | {"sql/analytics.sql": render_analytics(), "docs/security.md": render_promises()}
        | {"docs/settings.md": render_settings(con)}
        | render_functions(con)
        | render_pages(con)
    )


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
