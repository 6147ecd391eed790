"""Every recipe of docs/cookbook.md runs in a repository, in the directory where its reader would be, and answers something."""

import json
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import sys

import pytest
import repositories
from repositories import ROOT

sys.path.insert(0, str(ROOT / "python"))

import duckdb_redline

BOOK = (ROOT / "docs/cookbook.md").read_text()
RECIPES = re.split(r"^(?=\*\*\d+\. )", BOOK, flags=re.MULTILINE)[1:]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The last recipe, which is in other languages than SQL.
PROGRAMS = len(RECIPES)
# What the last commit of the repository below has changed.
CHANGED = [
    ("README.md", "modified", 1, 1),
    ("docs/moved.txt", "added", 2, 0),
    ("moved.txt", "deleted", 0, 2),
    ("src/lib.py", "modified", 2, 1),
]
# What a recipe must answer in the repository below, by its number.
ANSWERS = {
    1: CHANGED,
    2: [("README.md", "modified"), ("draft.txt", "added"), ("src/lib.py", "modified")],
    3: [("src/lib.py", "modified", 1, 0)],
    4: CHANGED,
    5: [row[:1] for row in CHANGED],
    6: [("moved.txt", "docs/moved.txt", 100)],
    7: [("src/lib.py", 3, "# TODO: more")],
    9: [(..., "Ann", "Work on it", ["HEAD", "refs/heads/main"])],
    10: [
        (..., "Work on it", "modified", None, "README.md"),
        (..., "Start", "added", None, "README.md"),
    ],
    11: [
        (1, "Ann", "Work on it", "# The project"),
        (2, None, None, ""),
        (3, None, None, "What it does."),
    ],
    13: [(..., "Ann", "Work on it", "src/lib.py")],
    14: [("v1",)],
    15: [("v1", "moved.txt", 18), ("v1", "src/lib.py", 12), ("v1", "README.md", 10)],
    16: [("v1", 0)],
    17: [("py", 1, 3), ("txt", 1, 2), ("md", 1, 1)],
    18: [("Ann", 2, 8, 2)],
    19: [("README.md", 2), ("docs/moved.txt", 2), ("src/lib.py", 2)],
    20: [
        (a, b, 2, 1.0)
        for a in ("README.md", "docs/moved.txt", "src/lib.py")
        for b in ("README.md", "docs/moved.txt", "src/lib.py")
        if a != b
    ],
    21: [("src/lib.py", 2, 3, 1.0), ("docs/moved.txt", 2, 2, 2 / 3)],
    22: [("src", 3, 1, 1, ["Ann"]), ("docs", 2, 1, 1, ["Ann"]), (".", 1, 1, 1, ["Ann"])],
    24: [(..., "Ann", 2, 1)],
    25: [("Tuesday", 23, 1), ("Wednesday", 13, 1)],
    26: [("Ben", 1)],
    27: [(..., ..., "Start", "Ann")],
    28: [("src", ..., 2, 1, 5), (".", ..., 2, 1, 5), ("docs", ..., 1, 1, 0)],
    29: [("v1", ..., 5, 1.0)],
    30: [(1, 1, 1, 0.5), (2, 0, 0, 1.0)],
    31: [("one\ntwo\n", "one\n2\n"), ("another", None)],
    33: [(2, "changed", ...), (3, "deleted", ...), (4, "added", ...)],
    34: [("--- a\n+++ b\n@@ -3 +3 @@\n-$.b.c[1] = 2\n+$.b.c[1] = 3\n",)],
    35: [(2,)],
    37: CHANGED,
    38: [
        (repo, *row)
        for repo in (".", "./")
        for row in (
            ("README.md", "modified"),
            ("docs/moved.txt", "renamed"),
            ("src/lib.py", "modified"),
        )
    ],
    40: [("changed", 2, ["stock"], ..., ...), ("added", 3, None, None, ...)],
    41: [(..., "0.70")],
    42: [("2", ...)],
    43: [
        ("1", "price", "0.50", "Prices"),
        ("1", "stock", "4", "Prices"),
        ("2", "price", "0.70", "Prices"),
        ("2", "stock", "0", "Sold"),
        ("3", "price", "0.90", "Sold"),
        ("3", "stock", "1", "Sold"),
    ],
}

# Trailers; a line of the same form within a message is none.
HELPERS = "Co-authored-by: Ben <ben@example.com>\nSigned-off-by: Ann <ann@example.com>"


def git(folder: pathlib.Path, *words: str) -> str:
    author = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
    return subprocess.run(
        ["git", "-C", folder, *author, *words], check=True, capture_output=True, text=True
    ).stdout


def make_project(folder: pathlib.Path) -> None:
    (folder / "src").mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "README.md").write_text("# Project\n")
    (folder / "src/lib.py").write_text("x = 1\ny = 2\n")
    (folder / "moved.txt").write_text("a file\nthat moves\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Start", "--date", "2026-03-03T23:10:00-0800")
    start = git(folder, "rev-parse", "HEAD").strip()
    git(folder, "tag", "v1")
    (folder / "README.md").write_text("# The project\n")
    (folder / "src/lib.py").write_text("x = 1\ny = 3\n# TODO: more\n")
    (folder / "docs").mkdir()
    (folder / "moved.txt").rename(folder / "docs/moved.txt")
    git(folder, "add", ".")
    said = ["-m", "Work on it", "-m", f"This reverts commit {start}.", "-m", HELPERS]
    git(folder, "commit", "-q", *said, "--date", "2026-03-04T13:00:00+0900")
    (folder / "src/lib.py").write_text("x = 1\ny = 3\n# TODO: more\nz = 3\n")
    git(folder, "add", ".")
    (folder / "README.md").write_text("# The project\n\nWhat it does.\n")
    (folder / "draft.txt").write_text("a draft\n")


def add_prices(folder: pathlib.Path, recipe: str) -> None:
    """Commits two versions of the file of data that some recipes read, whose times differ."""
    if "prices.csv" not in recipe or (folder / "prices.csv").exists():
        return
    for at, (subject, rows) in enumerate(
        [("Prices", "2,0.70,4\n"), ("Sold", "2,0.70,0\n3,0.90,1\n")]
    ):
        (folder / "prices.csv").write_text(f"id,price,stock\n1,0.50,4\n{rows}")
        git(folder, "add", "prices.csv")
        when = {"GIT_COMMITTER_DATE": f"2026-03-05T0{at}:00:00Z"}
        words = [
            "git",
            "-C",
            folder,
            "-c",
            "user.name=Ann",
            "-c",
            "user.email=ann@example.com",
            "commit",
            "-qm",
            subject,
            "--",
            "prices.csv",
        ]
        subprocess.run(words, check=True, capture_output=True, env=os.environ | when)


@pytest.fixture
def project(tmp_path, monkeypatch) -> pathlib.Path:
    """Returns a repository of two commits, whose work tree is edited."""
    folder = repositories.copied(tmp_path / "project", make_project)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def book(extension):
    with duckdb_redline.connect(extension=extension) as con:
        yield con


@pytest.fixture
def book_con(request, extension):
    """Returns a connection to a database with all macros."""
    if request.node.get_closest_marker("own_database"):
        database = duckdb_redline.connect(extension=extension)
    else:
        database = request.getfixturevalue("book").cursor()
    with database as con:
        yield con


# A recipe that keeps something in the database has one of its own.
IN_SQL = [
    pytest.param(
        number,
        marks=pytest.mark.own_database
        if re.search(r"^CREATE (TABLE|VIEW|MACRO)", recipe, re.MULTILINE)
        else (),
    )
    for number, recipe in enumerate(RECIPES[: PROGRAMS - 1], 1)
]


def test_the_recipes_are_in_order():
    numbers = list(range(1, PROGRAMS + 1))
    assert [int(re.match(r"\*\*(\d+)\.", recipe)[1]) for recipe in RECIPES] == numbers
    assert all(BLOCK.search(recipe) for recipe in RECIPES)
    assert set(ANSWERS) <= set(numbers)


@pytest.mark.parametrize("number", IN_SQL)
def test_a_recipe_in_sql_answers(book_con, project, number):
    blocks = [text for language, text in BLOCK.findall(RECIPES[number - 1]) if language == "sql"]
    assert len(blocks) == 1
    add_prices(project, RECIPES[number - 1])
    rows = book_con.execute(blocks[0]).fetchall()
    assert rows
    if number in ANSWERS:
        # `...` replaces text that depends on the time.
        assert [
            tuple(... if shown is ... else value for value, shown in zip(row, answer, strict=True))
            for row, answer in zip(rows, ANSWERS[number], strict=True)
        ] == ANSWERS[number]
    if number == 12:
        of_start = [row[3:] for row in rows if row[:2] == ("Start", "src/lib.py")]
        assert of_start == [("ADDED", "x = 1"), ("ADDED", "y = 2")]
    if number == 32:
        # Nothing was edited since in the files of the index.
        subprocess.run(
            ["git", "apply", "--check", "--cached"],
            cwd=project,
            input=rows[0][0],
            text=True,
            check=True,
        )
    if number == 36:
        assert (project / "last.patch").read_bytes() == subprocess.run(
            ["git", "diff", "--no-renames", "HEAD~1", "HEAD"],
            cwd=project,
            capture_output=True,
            check=True,
        ).stdout
    if number == 37:
        assert book_con.execute("SELECT count(*) FROM 'changes.parquet'").fetchone() == (4,)


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> pathlib.Path:
    """Returns a clone of this checkout, of its last commits."""
    folder = tmp_path_factory.mktemp("clone") / "redline"
    words = ["git", "clone", "-q", "--depth", "5", f"file://{ROOT}", folder]
    if subprocess.run(words, capture_output=True).returncode:
        pytest.skip("this is no checkout of git")
    if int(git(folder, "rev-list", "--count", "HEAD")) < 2:
        pytest.skip("this checkout has no history")
    yield folder
    shutil.rmtree(folder)


# Each has answered above, so that the merge gate runs every third one.
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(*one.values, marks=[*one.marks, *([pytest.mark.slow] if at % 3 else [])])
        for at, one in enumerate(IN_SQL)
    ],
)
def test_a_recipe_runs_in_any_clone_as_it_is_printed(book_con, clone, monkeypatch, number):
    monkeypatch.chdir(clone)
    add_prices(clone, RECIPES[number - 1])
    (query,) = [text for language, text in BLOCK.findall(RECIPES[number - 1]) if language == "sql"]
    assert book_con.execute(query).description


def test_the_recipe_for_a_terminal_writes_its_files(extension, project, tmp_path):
    pytest.importorskip("click", reason="`make test` installs the packages of the commands")
    command = tmp_path / "bin/redline"
    command.parent.mkdir()
    command.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m duckdb_redline --extension "{extension}" "$@"\n'
    )
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    environment = os.environ | {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
    }
    (script,) = [text for language, text in BLOCK.findall(RECIPES[-1]) if language == "sh"]
    subprocess.run(["sh", "-e", "-c", script], cwd=project, env=environment, check=True)
    assert len(json.loads((project / "changes.json").read_text())) == 4
    assert len((project / "changes.csv").read_text().splitlines()) == 5


def test_the_recipe_for_python_runs(extension, project, monkeypatch):
    monkeypatch.setattr("duckdb_redline.connection.extension_path", lambda: extension)
    (script,) = [text for language, text in BLOCK.findall(RECIPES[-1]) if language == "python"]
    names: dict = {}
    exec(script, names)
    names["con"].close()
    assert names["changes"][0] == ("README.md", 1)


def test_the_recipe_for_node_runs(extension, project, tmp_path):
    """With the client where `npm install @duckdb/node-api` has put it (REDLINE_TEST_NODE), else with a stand-in for it."""
    node = shutil.which("node")
    if not node:
        pytest.skip("there is no node")
    (script,) = [text for language, text in BLOCK.findall(RECIPES[-1]) if language == "js"]
    modules = os.environ.get("REDLINE_TEST_NODE")
    if modules:
        (tmp_path / "node_modules").symlink_to(pathlib.Path(modules) / "node_modules")
    else:
        client = tmp_path / "node_modules/@duckdb/node-api"
        client.mkdir(parents=True)
        (client / "package.json").write_text('{"type": "module", "main": "index.js"}')
        (client / "index.js").write_text(
            "const connection = { run: async () => {}, runAndReadAll: async (sql) => ({ getRows: () => [[sql, 'modified']] }) };\n"
            "export const DuckDBInstance = { create: async () => ({ connect: async () => connection }) };\n"
        )
    (tmp_path / "recipe.mjs").write_text(
        script.replace("/path/to/redline.duckdb_extension", str(extension))
    )
    done = subprocess.run(
        [node, tmp_path / "recipe.mjs"], cwd=project, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and "'modified'" in done.stdout, done.stdout + done.stderr


# ---------------------------------------------------------------- the README, whose tables test_docs.py reads

README = (ROOT / "README.md").read_text()


def test_the_first_lines_of_the_readme_run(extension, project, tmp_path, monkeypatch):
    pytest.importorskip("click", reason="`make test` installs the packages of the commands")
    lines = [
        line.partition("  #")[0].strip()
        for block in re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]
    commands = [line for line in lines if line.startswith("redline ")]
    assert len(commands) >= 2
    for command in commands:
        words = [
            sys.executable,
            "-m",
            "duckdb_redline",
            "--extension",
            str(extension),
            *shlex.split(command)[1:],
        ]
        done = subprocess.run(
            words,
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0 and "README.md" in done.stdout, f"{command}: {done.stderr}"
    (script,) = [shlex.split(line)[2] for line in lines if line.startswith("python -c ")]
    monkeypatch.setattr("duckdb_redline.connection.extension_path", lambda: extension)
    exec(script)


def test_the_queries_in_the_readme_s_sentences_run(book_con, project):
    queries = re.findall(r"`((?:FROM|SELECT) [^`]+)`", README)
    assert len(queries) >= 3
    for query in queries:
        add_prices(project, query)
        assert book_con.execute(query).fetchall(), query


def test_the_settings_for_a_client_in_the_readme_name_a_command():
    (settings,) = re.findall(r"^```json\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (server,) = json.loads(settings)["mcpServers"].values()
    assert (
        f"\n{server['command']} = " in (ROOT / "pyproject.toml").read_text()
        and len(server["args"]) == 1
    )
