"""The Python package as a library: connections with redline loaded, and the reasons why one has not."""

import subprocess
import sys

import duckdb
import pytest
from repositories import ROOT

sys.path.insert(0, str(ROOT / "python"))

import duckdb_redline
from duckdb_redline import connection as opening

MACRO = "FROM diff_texts('a', 'a')"


def macros(con) -> dict[str, int]:
    found = "SELECT database_name, count(*) FROM duckdb_functions() WHERE function_type LIKE '%macro' AND NOT internal GROUP BY ALL"
    return dict(con.execute(found).fetchall())


def test_a_connection_has_functions_and_macros(extension):
    with duckdb_redline.connect(extension=extension) as con:
        assert con.execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)
        assert con.execute(MACRO).fetchone()[5] is True
        # Of a database in memory, the macros are those of every connection.
        assert con.cursor().execute(MACRO).fetchone()[5] is True
    with duckdb_redline.connect(extension=extension, macros=False) as con:
        assert macros(con) == {}


def test_nothing_is_written_to_a_database_on_disk(extension, tmp_path):
    for read_only in (False, True):
        with duckdb_redline.connect(
            tmp_path / "a.duckdb", read_only=read_only, extension=extension
        ) as con:
            assert con.execute(MACRO).fetchone()[5] is True
            assert set(macros(con)) == {"temp"}
    with duckdb.connect(tmp_path / "a.duckdb") as con:
        assert macros(con) == {}


def test_the_settings_of_the_caller_are_kept(extension):
    with duckdb_redline.connect(config={"threads": 1}, extension=extension) as con:
        assert con.execute("SELECT current_setting('threads')").fetchone() == (1,)


def test_an_open_connection_is_loaded_where_it_allows_unsigned_extensions(extension):
    with duckdb.connect(config={"allow_unsigned_extensions": True}) as con:
        duckdb_redline.load(con, extension=extension)
        duckdb_redline.load(con, extension=extension)
        assert con.execute(MACRO).fetchone()[5] is True
    with (
        duckdb.connect() as con,
        pytest.raises(
            duckdb_redline.ExtensionError,
            match=r"signed extensions only.*duckdb_redline\.connect\(\)",
        ),
    ):
        duckdb_redline.load(con, extension=extension)


def test_an_old_host_is_told_both_versions():
    for version in ("1.5.5", "v1.4.0", "0.10.2"):
        with pytest.raises(
            duckdb_redline.ExtensionError,
            match=rf"needs DuckDB 1\.5\.6 or newer, and this is {version}",
        ):
            opening.check_version(version)
    for version in ("1.5.6", "v1.5.10", "2.0.0", "v2.1.0-dev12", duckdb.__version__):
        opening.check_version(version)


def test_a_file_that_is_no_extension_is_named(tmp_path):
    path = tmp_path / "other.duckdb_extension"
    path.write_bytes(b"nothing")
    with pytest.raises(duckdb_redline.ExtensionError, match=rf"DuckDB v[\d.]+ cannot load {path}"):
        duckdb_redline.connect(extension=path)


def test_the_version_is_that_of_the_extension(extension):
    with duckdb_redline.connect(extension=extension) as con:
        found = con.execute(
            "SELECT extension_version FROM duckdb_extensions() WHERE extension_name = 'redline'"
        ).fetchone()
    assert found == (duckdb_redline.__version__,)


def test_importing_the_package_imports_duckdb_alone():
    code = "import sys, duckdb_redline; print(sorted({'click', 'rich', 'mcp', 'anyio'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT / "python"
    )
    assert done.stdout == "[]\n", done.stderr
