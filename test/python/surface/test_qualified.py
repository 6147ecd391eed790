"""Every shipped host calls functions by system.main.…, since an agent's macro could replace any other name."""

import ast
import pathlib
import re

import pytest
from repositories import ROOT

SERVER = ROOT / "python/duckdb_redline/server"
FILES = [
    ROOT / "python/duckdb_redline/approving.py",
    ROOT / "python/duckdb_redline/locked.py",
    *(
        SERVER / name
        for name in (
            "host.py",
            "change.py",
            "apps.py",
            "listed.py",
            "protocol.py",
            "querying.py",
            "web/question.py",
        )
    ),
    *sorted((ROOT / "sql").glob("*.sql")),
]
PAGES = [ROOT / "docs/approving.md"]
# SQL syntax that looks like a call.
SYNTAX = {
    "columns",
    "in",
    "as",
    "table",
    "and",
    "or",
    "not",
    "values",
    "over",
    "type",
    "exists",
    "any",
    "all",
    "then",
    "when",
    "else",
    "by",
    "from",
    "on",
    "select",
}
SYNTAX |= {"coalesce", "exclude", "filter", "materialized"}


def statements(path: pathlib.Path) -> list[str]:
    """Returns the texts of a file that are SQL, without comments and quoted text."""
    text = path.read_text()
    if path.suffix == ".py":
        parts = [
            node.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        found = [
            part
            for part in parts
            if re.match(r"\s*(SELECT|FROM|CALL|PRAGMA|SET|CREATE|WITH)\b", part)
        ]
    elif path.suffix == ".md":
        found = re.findall(r"^```sql\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    else:
        found = [re.sub(r"--.*", "", text)]
        # The templates that a server runs are literals within a statement.
        found += [
            template.replace("''", "'") for template in re.findall(r"'(SELECT (?:[^']|'')*)'", text)
        ]
    return [re.sub(r"'(?:[^']|'')*'", "''", statement) for statement in found]


def unqualified(statement: str) -> list[str]:
    rest = re.sub(r'system\.main\.(\w+|"[^"]+")', "@", statement)
    calls = re.findall(r"(?<![\w.$])([A-Za-z_]\w*)\s*\(", rest)
    defined = re.findall(r"MACRO\s+(\w+)\s*\(|PRAGMA\s+(\w+)\s*\(", statement)
    allowed = SYNTAX | {name for pair in defined for name in pair if name}
    # Operators are functions, which a macro can replace, unlike comparisons. `*` is one unless it means all columns.
    operators = re.findall(
        r"\|\||->>?|\bLIKE\b| [-+/%] |(?<=[\w)]) \* (?=[\w(@])",
        re.sub(r"\b(SELECT|DISTINCT) \* ", "@", rest),
    )
    return [name for name in calls if name.lower() not in allowed] + operators


@pytest.mark.parametrize("path", FILES + PAGES, ids=lambda path: path.name)
def test_every_call_has_its_full_name(path):
    found = {
        statement: calls for statement in statements(path) if (calls := unqualified(statement))
    }
    assert not found, found


def test_the_lint_finds_unqualified_names(tmp_path):
    assert unqualified("SELECT approval_paging(?)") == ["approval_paging"]
    assert unqualified("SELECT system.main.approve(needs_approval(?))") == ["needs_approval"]
    assert unqualified("SELECT payload->>'x' FROM t") == ["->>"]
    assert unqualified("SELECT * FROM t WHERE a + b > c * (d / 2)") == [" + ", " * ", " / "]
    assert unqualified('SELECT system.main."/"(a, coalesce(b, 1)) FROM t') == []
    assert unqualified("SELECT system.main.approve(?, ?, ?)") == []
    (tmp_path / "host.py").write_text('con.execute("SELECT needs_approval(?, ?)")')
    assert [unqualified(text) for text in statements(tmp_path / "host.py")] == [["needs_approval"]]
    assert all(statements(path) for path in FILES)


def test_every_module_of_the_server_with_sql_is_checked():
    with_sql = {path for path in SERVER.rglob("*.py") if statements(path)}
    assert with_sql == {path for path in FILES if SERVER in path.parents}
