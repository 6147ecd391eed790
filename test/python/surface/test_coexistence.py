"""Other extensions and macros beside redline, loaded before and after it: stand-ins with the names of duck_tails and of
fledgling, and with names of redline's own."""

import importlib.util
import pathlib
import re
import shutil
import subprocess

import duckdb
import pytest
import repositories

ROOT = repositories.ROOT
SOURCE = ROOT / "test/host/standin.c"
# What duck_tails registers.
TAILS = [
    "log",
    "branches",
    "tags",
    "tree",
    "parents",
    "blame",
    "blame_hunks",
    "diff_tree",
    "status",
]
TAILS_TABLES = [f"git_{name}{each}" for name in TAILS for each in ("", "_each")] + [
    "read_git_diff",
    "text_diff_lines",
]
TAILS_SCALARS = ["diff_text", "text_diff", "text_diff_stats", "git_uri"]
# What fledgling defines, of the same shape as redline's functions.
FLEDGLING = """
CREATE OR REPLACE MACRO file_changes(from_rev, to_rev, repo := '.') AS TABLE SELECT 'theirs' AS whose;
CREATE OR REPLACE MACRO file_diff(file, from_rev, to_rev, repo := '.') AS TABLE SELECT 'theirs' AS whose;
"""


def script(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def headers(tmp_path_factory) -> pathlib.Path:
    """Returns a directory with DuckDB's headers, from the crate that cargo has fetched."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("headers")
    for name in ("duckdb.h", "duckdb_extension.h"):
        (folder / name).write_bytes(script("fetch_libduckdb").header(name))
    return folder


@pytest.fixture
def standin(headers, tmp_path):
    """Returns a function that builds an extension with scalar and table functions of given names."""
    package = script("package")

    def build(scalars: list[str], tables: list[str]) -> pathlib.Path:
        texts = lambda names: "".join(f'"{name}",' for name in names)
        names = [
            f"-DSCALARS={texts(scalars)}",
            f"-DTABLES={texts(tables)}",
            "-DDUCKDB_EXTENSION_NAME=standin",
        ]
        library = tmp_path / "standin.library"
        subprocess.run(
            ["cc", "-shared", "-fPIC", *names, "-I", headers, "-o", library, SOURCE], check=True
        )
        footer = package.footer(
            "0", package.platform_of(package.host_triple()), c_api_version="v1.2.0"
        )
        path = tmp_path / "standin.duckdb_extension"
        path.write_bytes(library.read_bytes() + footer)
        return path

    return build


def rows(con, query: str) -> list:
    return con.execute(query).fetchall()


@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_both_answer_beside_the_functions_of_duck_tails(connect, extension, standin, first):
    theirs = standin(TAILS_SCALARS, TAILS_TABLES)
    con = connect(load=False)
    for path in (theirs, extension) if first == "theirs" else (extension, theirs):
        con.execute(f"LOAD '{path}'")
    con.execute((ROOT / "sql/macros.sql").read_text())
    readme = repositories.fixture("readme")
    assert rows(con, "SELECT diff_text('a', 'b'), text_diff('a', 'b')") == [("theirs", "theirs")]
    assert rows(con, "FROM git_log('.')") == rows(con, "FROM read_git_diff('.')") == []
    assert rows(con, "SELECT diff_texts('a', 'a').identical") == [(True,)]
    assert len(rows(con, f"FROM file_changes('v1', 'v2', '{readme}')")) == 3
    assert len(rows(con, f"FROM changes('v1', 'v2', repo := '{readme}')")) == 3
    # Each name of theirs is theirs alone.
    registered = "SELECT count(*) FROM duckdb_functions() WHERE function_name = ?"
    assert {
        con.execute(registered, [name]).fetchone() for name in TAILS_SCALARS + TAILS_TABLES
    } == {(1,)}


def test_no_function_or_macro_has_a_name_of_duck_tails(con):
    ours = [
        name
        for (name,) in rows(con, "SELECT DISTINCT name FROM redline_help() WHERE kind <> 'macro'")
    ]
    macros = [
        re.findall(
            r"^CREATE OR REPLACE MACRO (\w+)", (ROOT / f"sql/{name}.sql").read_text(), re.MULTILINE
        )
        for name in ("macros", "analytics")
    ]
    assert all(macros) and not set(macros[0]) & set(macros[1])
    # A macro is a table beside the scalar function of its name (diff_texts), never beside a table function.
    assert not set(macros[1]) & set(ours)
    assert not {*ours, *macros[0], *macros[1]} & set(TAILS_SCALARS + TAILS_TABLES)


@pytest.mark.parametrize(
    "scalars, tables",
    [(["diff_stats", "unified_diff"], []), ([], ["file_changes"])],
    ids=["scalar", "table"],
)
def test_a_name_that_is_taken_is_refused_by_name(connect, extension, standin, scalars, tables):
    con = connect(load=False)
    con.execute(f"LOAD '{standin(scalars, tables)}'")
    with pytest.raises(
        duckdb.Error,
        match="redline cannot be loaded: another extension has functions of the same name: "
        + ", ".join(scalars + tables),
    ):
        con.execute(f"LOAD '{extension}'")
    # The database is as it was.
    assert rows(con, "SELECT 1") == [(1,)]
    assert rows(
        con, "SELECT count(*) FROM duckdb_functions() WHERE function_name = 'diff_texts'"
    ) == [(0,)]
    if scalars:
        assert rows(con, "SELECT diff_stats('a', 'b')") == [("theirs",)]


@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_ours_are_reached_by_full_name_beside_macros_of_the_same_name(connect, extension, first):
    con = connect(load=False)
    if first == "theirs":
        con.execute(FLEDGLING)
    con.execute(f"LOAD '{extension}'")
    con.execute((ROOT / "sql/macros.sql").read_text())
    if first == "ours":
        con.execute(FLEDGLING)
    readme = repositories.fixture("readme")
    assert rows(con, "FROM file_changes('v1', 'v2')") == [("theirs",)]
    assert len(rows(con, f"FROM system.main.file_changes('v1', 'v2', '{readme}')")) == 3
    # Our macros call by full name, so theirs do not reach them.
    assert len(rows(con, f"FROM file_changes_each('v1', 'v2', repo := '{readme}')")) == 3
    con.execute("DROP MACRO TABLE file_changes")
    assert len(rows(con, f"FROM file_changes('v1', 'v2', '{readme}')")) == 3
