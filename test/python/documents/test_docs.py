"""The documents tell the truth: each SQL example gives the output that is shown below it."""

import re
import shutil
import subprocess
import sys

import duckdb
import pytest
import repositories

ROOT = repositories.ROOT
sys.path.insert(0, str(ROOT / "python"))

import duckdb_redline

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "docs/data.md",
    *sorted((ROOT / "docs/functions").glob("*.md")),
]
BLOCK = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"```sql\n([^`]*)```\n+(?:```\n([^`]*)```|((?:^[|][^\n]*\n)+))", re.MULTILINE)


# The scripts of macros, each with what finds their names: to run them takes longer than most examples.
MACRO = re.compile(r"MACRO (\w+)[(]")
SCRIPTS = [
    (re.compile(rf"\b({'|'.join(MACRO.findall(script))})\b"), script)
    for script in ((ROOT / f"sql/{name}.sql").read_text() for name in ("macros", "data"))
]


def examples():
    for document in DOCUMENTS:
        for number, found in enumerate(EXAMPLE.finditer(document.read_text()), 1):
            yield pytest.param(
                document.name == "README.md" and document.parent == ROOT,
                found[1],
                found[2] or found[3],
                id=f"{document.stem}-{number}",
                marks=pytest.mark.own_database
                if re.search(r"^SET ", found[1], re.MULTILINE)
                else (),
            )


def cells(line, mark):
    return [cell.strip() for cell in line.strip().strip(mark).split(mark)]


def rows_of(output):
    """Returns the rows of DuckDB's box, of a Markdown table, or of one text."""
    lines = output.splitlines()
    if re.fullmatch("┌[─┬]+┐", lines[0]):
        # Names and types are above the line that divides them from the rows.
        return [cells(line, "│") for line in lines[3:] if line.startswith("│")]
    if lines[0].startswith("|"):
        return [cells(line, "|") for line in lines[2:]]
    return [[output.strip()]]


def shown(value):
    return "NULL" if value is None else str(value).strip()


@pytest.mark.parametrize("is_readme, sql, output", list(examples()))
def test_an_example_prints_what_the_document_says(con, monkeypatch, is_readme, sql, output):
    repositories.fixture("readme")
    if is_readme:
        # The reader of the README is in a repository; the other pages name one.
        monkeypatch.chdir(repositories.fixture("readme-edits"))
    for macros, script in SCRIPTS:
        if macros.search(sql):
            con.execute(script)
    result = con.execute(sql)
    found = [[shown(value) for value in row] for row in result.fetchall()]
    assert found == rows_of(output)


@pytest.mark.slow
def test_the_examples_run_in_any_clone_after_the_command_that_the_index_prints(
    extension, tmp_path, monkeypatch
):
    """As a reader would: a fresh clone, the command, a connection with the macros, and each block of each page."""
    index = (ROOT / "docs/functions/README.md").read_text()
    (command,) = re.findall(r"`(sh test/fixtures/[^`]+)`", index)
    clone = tmp_path / "clone"
    words = ["git", "clone", "-q", "--depth", "2", f"file://{ROOT}", clone]
    if subprocess.run(words, capture_output=True).returncode:
        pytest.skip("this is no checkout of git")
    # A checkout of a commit has no branch; the pages name main.
    subprocess.run(["git", "checkout", "-q", "-B", "main"], cwd=clone, check=True)
    # What the checkout has besides its last commit.
    shutil.copytree(ROOT / "test/fixtures", clone / "test/fixtures", dirs_exist_ok=True)
    subprocess.run(command.split(), cwd=clone, check=True, capture_output=True)
    monkeypatch.chdir(clone)
    failed = []
    for page in DOCUMENTS[1:]:
        # A page may define sandboxes for what follows on it.
        with duckdb_redline.connect(extension=extension) as con:
            for sql in BLOCK.findall(page.read_text()):
                try:
                    con.execute(sql).fetchall()
                except duckdb.Error as error:
                    failed.append((page.name, str(error), sql))
    assert failed == []


def test_every_function_has_a_page_with_an_example(connect):
    named = lambda con: {
        name for (name,) in con.execute("SELECT function_name FROM duckdb_functions()").fetchall()
    }
    functions = named(connect()) - named(connect(load=False))
    pages = "\n".join(page.read_text() for page in DOCUMENTS[1:])
    missing = [
        name
        for name in functions
        if not name.startswith("redline_debug") and f"`{name}(" not in pages
    ]
    assert missing == []
    assert len(list(examples())) >= len(DOCUMENTS)


def page_of_each_function():
    """Returns the index of docs/functions: the page of each function."""
    index = (ROOT / "docs" / "functions" / "README.md").read_text()
    return dict(re.findall(r"^[|] \[(\w+)\]\((\w+[.]md)\) [|]", index, re.MULTILINE))


def made_table(kind, function, page=None):
    """Returns the rows of the table of columns or parameters that `make sql` writes on the page of a function."""
    text = (ROOT / "docs" / "functions" / (page or page_of_each_function()[function])).read_text()
    mark = f"<!-- {kind} of {function}: made by `make sql` -->"
    assert text.count(mark) == 1, (function, kind)
    table = text.split(mark)[1].split("<!-- end -->")[0].strip().splitlines()
    return [[cell.strip("`") for cell in cells(line, "|")] for line in table[2:]]


def test_the_table_of_grants_names_every_function(connect):
    found = connect().execute("SELECT name, kind FROM redline_help(function := 'ALL')").fetchall()
    names = {name for name, kind in found if "macro" not in kind and not name.endswith("_list")}
    page = (ROOT / "docs/settings.md").read_text()
    assert names - set(re.findall(r"\w+", page)) == set()


def test_the_page_of_the_tools_names_every_tool(con):
    page = (ROOT / "docs/functions/redline_call.md").read_text()
    tools = con.execute("SELECT name FROM redline_tools()").fetchall()
    assert {name for (name,) in tools} == set(
        re.findall(
            r"^\| `(\w+)` \| .* \| .* \|$", page.partition("\n\nAll tools take")[0], re.MULTILINE
        )
    )


def test_the_columns_of_a_table_function_are_those_of_its_page(con):
    described = lambda query: con.execute(
        f"SELECT column_name, column_type FROM (DESCRIBE {query})"
    ).fetchall()
    functions = con.execute(
        "SELECT name, signature, returns FROM redline_help(function := 'ALL') WHERE kind = 'table'"
    ).fetchall()
    assert len(functions) > 10
    for name, signature, returns in functions:
        parameters = signature.split("(", 1)[1].removesuffix(")").split(", ")
        positional = [parameter for parameter in parameters if parameter and ":=" not in parameter]
        values = ["1" if "BIGINT" in parameter else "$$x$$" for parameter in positional]
        columns = described(f"FROM {name}({', '.join(values)})")
        assert returns.replace('"', "") == f"TABLE({', '.join(map(' '.join, columns))})".replace(
            '"', ""
        )
        # DuckDB writes the types of the page as it writes those of the function.
        assert [
            (column, described(f"SELECT NULL::{kind}")[0][1])
            for column, kind, _ in made_table("columns", name)
        ] == columns, name


def test_the_parameters_of_a_git_function_are_those_of_its_page_or_of_the_options(con):
    shared = made_table("parameters", "file_patches", "diff_options.md")
    functions = con.execute(
        "SELECT name, parameters FROM redline_help(function := 'ALL') WHERE kind = 'table' AND parameters::VARCHAR LIKE '%repo%'"
    ).fetchall()
    assert len(functions) > 10
    for name, parameters in functions:
        kind = lambda parameter: parameter["type"].replace("ANY", "VARCHAR or VARCHAR[]")
        wanted = [[p["name"], kind(p), p["default"] or ""] for p in parameters]
        if name in ("file_changes", "file_patches", "diff_hunks", "diff_lines"):
            assert all(parameter in [row[:3] for row in shared] for parameter in wanted), name
        elif any(default for *_, default in wanted):
            assert [row[:3] for row in made_table("parameters", name)] == wanted, name


def test_the_page_of_the_tests_names_every_test_file_and_helper():
    page = (ROOT / "test/README.md").read_text()
    named = [cells(line, "|") for line in page.splitlines() if line.startswith("| `")]
    folders = {
        row[0].strip("`"): row[2] for row in named if len(row) == 3 and row[2].startswith("`test_")
    }
    for folder, files in folders.items():
        there = sorted(file.stem for file in (ROOT / "test/python" / folder).glob("test_*.py"))
        assert re.findall(r"`(\w+)`", files) == there, folder
    assert {f"{file.parent.name}/" for file in (ROOT / "test/python").rglob("test_*.py")} == set(
        folders
    )
    helpers = {file.stem for file in (ROOT / "test/python/support").glob("*.py")}
    assert helpers <= {row[0].strip("`") for row in named if len(row) == 2}


def test_the_supported_versions_are_those_that_are_built_and_tested():
    page = (ROOT / "docs/releases.md").read_text()
    supported = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", page, re.MULTILINE))
    read = lambda file, pattern: re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)[1]
    for what, file, pattern in (
        ("DuckDB", "Makefile", r"^STABLE := (.+)$"),
        ("DuckDB", "Makefile", r"^NEXT := (.+)$"),
        ("DuckDB", "scripts/package.py", r'^C_API_VERSION = "(.+)"$'),
        ("systems", "scripts/wheel.py", r'^GLIBC = "(.+)"$'),
        ("Python", "pyproject.toml", r'^requires-python = ">=(.+)"$'),
        ("Python", "pyproject.toml", r'^mcp = \["mcp>=(.+)"\]$'),
        ("Rust, to build", "Cargo.toml", r'^rust-version = "(.+)"$'),
    ):
        assert re.search(rf"\b{re.escape(read(file, pattern))}\b", supported[what]), (what, file)
