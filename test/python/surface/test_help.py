"""What redline_help() says of every function is true: its examples run, its parameters are the ones that count."""

import hashlib
import json
import re
import subprocess

import pytest
import repositories

ROOT = repositories.ROOT
FAMILIES_OF_SANDBOXES = ("workspace", "approv", "redline_log()", "getvariable('key')")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Returns a repository with a few commits, in which the process runs."""
    git = lambda *words: subprocess.run(
        ["git", "-C", tmp_path, *words], check=True, capture_output=True
    )
    git("init", "-q", "-b", "main")
    for number in range(4):
        # The last commit moves a line, for moved_lines.
        moved = "A sentence that is long enough to be found again elsewhere.\n"
        (tmp_path / "README.md").write_text(
            f"# A project\n\nVersion {number}\n" + moved * (number < 3)
        )
        (tmp_path / "app.py").write_text(f"x = 1\ny = {number}\n")
        (tmp_path / "a.txt").write_text("text\n" + moved * (number == 3))
        git("add", ".")
        git(
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.com",
            "commit",
            "-qm",
            f"Change {number}",
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def help_rows(con):
    return con.execute(
        "SELECT name, kind, signature, example, parameters FROM redline_help(function := 'ALL')"
    ).fetchall()


def test_every_example_runs(connect, checkout):
    plain = connect()
    examples = {name: example for name, _, _, example, _ in help_rows(plain)}
    for name, example in examples.items():
        is_plain = not any(word in example for word in FAMILIES_OF_SANDBOXES)
        con = plain.cursor() if is_plain else connect()
        (checkout / "app.py").write_text("x = 1\n")
        (checkout / "notes.txt").unlink(missing_ok=True)
        if not is_plain:
            asks = "approv" in example or name == "decline"
            root = {
                "name": "workspace",
                "root": str(checkout),
                "mode": "rw",
                "read_approval": False,
            }
            root |= {"write_approval": asks, "edit_approval": asks}
            con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps([root])])
            con.execute("SET GLOBAL redline_approver = ?", [hashlib.sha256(b"the key").hexdigest()])
            con.execute("SET VARIABLE key = 'the key'")
        if name in ("redline_log", "revert_edit", "revert_edits"):
            con.execute(examples["write_file"]).fetchall()
        if name.startswith("git_"):
            root["git"] = "commit"
            con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps([root])])
            repositories.git(checkout, "config", "user.name", "A")
            repositories.git(checkout, "config", "user.email", "a@example.com")
            if name == "git_unstage":
                repositories.git(checkout, "add", "app.py")
        if "approvals" in example:
            proposed = "edit_approval('workspace/app.py', 'x = 1', 'x = 2')"
            if name == "approval_chunk":
                proposed = (
                    "write_approval('workspace/large.txt', repeat('a line' || chr(10), 500000))"
                )
            con.execute(f"SELECT {proposed}").fetchall()
            # What the person has seen, for `approve`.
            con.execute(
                "SET VARIABLE seen = (SELECT approval_pages(payload, 100, 40)[-1].proof FROM pending_approvals('the key'))"
            ) if name in ("approve", "withdraw") else None
        if name == "withdraw":
            con.execute(examples["approve"]).fetchall()
        rows = con.execute(example).fetchall()
        assert rows or name == "approvals_given", f"{name}: {example}"
        assert f"{name}(" in example, example


def test_signatures_and_types_are_those_that_duckdb_has_registered(con):
    registered = "SELECT function_name, parameter_types FROM duckdb_functions() WHERE function_name IN (SELECT name FROM redline_help(function := 'ALL'))"
    for name, types in con.execute(registered).fetchall():
        kind, signature, parameters = next(
            (row[1], row[2], row[4]) for row in help_rows(con) if row[0] == name
        )
        if kind == "table":
            # Positional parameters come first, the named ones in an order of DuckDB's.
            assert sorted(types) == sorted(parameter["type"] for parameter in parameters), name
        else:
            forms = [form.split("(", 1)[1].removesuffix(")") for form in signature.splitlines()]
            assert any(all(kind in form for kind in types) for form in forms), (name, types, forms)


def test_every_function_is_tested_from_sql(con):
    tests = "\n".join(path.read_text() for path in (ROOT / "test" / "sql").glob("*.test"))
    assert [row[0] for row in help_rows(con) if f"{row[0]}(" not in tests] == []


def test_every_parameter_and_column_is_described(con):
    for name, _, _, _, parameters in help_rows(con):
        for parameter in parameters:
            assert parameter["description"] and not parameter["description"].endswith("."), (
                name,
                parameter,
            )
        assert len({parameter["name"] for parameter in parameters}) == len(parameters), name


MACROS = ("macros", "git", "analytics", "data")


def test_the_short_list_has_the_macros_and_duckdb_says_the_same_of_them(con):
    for script in MACROS:
        con.execute((ROOT / f"sql/{script}.sql").read_text())
    query = "SELECT function_name, comment FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal"
    comments = dict(con.execute(query).fetchall())
    rows = con.execute("SELECT name, kind, description FROM redline_help()").fetchall()
    told = {name: description for name, kind, description in rows if kind == "macro"}
    assert len(rows) == len({name for name, *_ in rows})
    # The scripts define scalar functions of the names of two macros, which stand for themselves.
    assert set(comments) - set(told) <= {"diff_texts"} and set(told) <= set(comments)
    for name, description in told.items():
        assert comments[name] and description.startswith(comments[name]), name
    found = con.execute("SELECT name FROM redline_help() WHERE name LIKE '%churn%'").fetchall()
    assert len(found) == 5


def test_everything_of_a_macro_is_what_its_script_says(con):
    for script in MACROS:
        con.execute((ROOT / f"sql/{script}.sql").read_text())
    query = "SELECT name FROM redline_help() WHERE kind = 'macro'"
    for (name,) in con.execute(query).fetchall():
        (row,) = con.execute(
            "SELECT kind, signature, parameters, returns, example FROM redline_help(function := ?)",
            [name],
        ).fetchall()
        kind, signature, parameters, returns, example = row
        assert kind == "macro" and returns is None
        defined = con.execute(
            "SELECT parameters FROM duckdb_functions() WHERE function_name = ?", [name]
        ).fetchone()[0]
        assert [parameter["name"] for parameter in parameters] == defined
        assert all(parameter["description"] for parameter in parameters), (name, parameters)
        assert signature.startswith(f"{name}(") and (example is None) == any(
            parameter["default"] is None for parameter in parameters
        )
        if example:
            con.execute(f"DESCRIBE {example}")


def test_no_column_and_no_named_parameter_needs_quotes(con):
    columns = con.execute(
        "SELECT DISTINCT \"column\" FROM redline_debug_columns() WHERE function NOT LIKE 'redline_debug%'"
    ).fetchall()
    named = {name for row in help_rows(con) for name in re.findall(r"(\w+) :=", row[2])}
    assert len(columns) > 100 and len(named) > 30
    for (name,) in columns:
        con.execute(f"SELECT {name} FROM (SELECT 1 AS {name}) GROUP BY {name} ORDER BY {name}")
    for name in named:
        con.execute(f"SELECT struct_pack({name} := 1)")
