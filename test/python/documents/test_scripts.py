"""redline_sql() gives the scripts of sql/ as they are, and the lines that the documents show run them."""

import pathlib
import re
import shutil
import subprocess
import sys

import duckdb
import pytest
from repositories import ROOT

PAGE = (ROOT / "docs/functions/redline_sql.md").read_text()
SCRIPTS = sorted(path.stem for path in (ROOT / "sql").glob("*.sql"))
CHECK = "FROM diff_texts('a', 'a')"


def shown(language: str) -> str:
    return re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


def test_every_script_is_the_file(con):
    for name in SCRIPTS:
        (script,) = con.execute("SELECT redline_sql(?)", [name]).fetchone()
        assert script == (ROOT / "sql" / f"{name}.sql").read_text(), name


def test_the_scripts_listed_are_those_of_the_directory(con):
    with pytest.raises(duckdb.Error, match="not_found: ") as caught:
        con.execute("SELECT redline_sql('nothing')")
    assert (
        sorted(re.search(r"The scripts are ([\w, ]+)", str(caught.value))[1].split(", ")) == SCRIPTS
    )
    described = con.execute(
        "SELECT description FROM redline_help() WHERE name = 'redline_sql'"
    ).fetchone()[0]
    assert sorted(described.partition(": ")[2].split(", ")) == SCRIPTS and all(
        f"`{name}`" in PAGE for name in SCRIPTS
    )


def test_the_line_for_python_makes_the_macros(con):
    exec(shown("python"), {"con": con})
    assert con.execute(CHECK).fetchone()[5] is True


def test_the_lines_for_the_shell_make_the_macros(extension, tmp_path):
    shell = pathlib.Path(sys.executable).with_name("duckdb")
    if not shell.exists():
        pytest.skip("this host has no command line tool on PyPI")
    script = f"LOAD '{extension}';\n.mode csv\n{shown('text')}SELECT identical {CHECK};\n"
    done = subprocess.run(
        [shell, "-unsigned"], input=script, capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert done.returncode == 0 and done.stdout.splitlines()[-2:] == ["identical", "true"], (
        done.stdout + done.stderr
    )
    assert (tmp_path / "macros.sql").read_text() == (ROOT / "sql/macros.sql").read_text()


def test_the_line_for_node_is_javascript(tmp_path):
    node = shutil.which("node")
    if not node:
        pytest.skip("there is no node")
    # The client is not installed here: a stand-in records which query ran which.
    (tmp_path / "line.mjs").write_text(
        "const ran = [];\nconst connection = { run: async (sql) => ran.push(sql), runAndReadAll: async (sql) => ({ getRows: () => [['ran: ' + sql]] }) };\n"
        + shown("js") + "console.log(ran.join());\n"
    )  # fmt: skip
    done = subprocess.run([node, tmp_path / "line.mjs"], capture_output=True, text=True, timeout=60)
    assert done.stdout == "ran: SELECT redline_sql('macros')\n", done.stderr
