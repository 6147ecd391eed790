"""sql/macros.sql: table macros with defaults, whose arguments may be columns."""

import duckdb
import pytest
import repositories

ROOT = repositories.ROOT


@pytest.fixture
def con(con):
    con.execute((ROOT / "sql" / "macros.sql").read_text())
    return con


def test_the_rows_are_those_of_the_table_functions(con):
    repo = repositories.fixture("basic")
    macro = con.execute(
        f"FROM file_changes_each('before', 'after', repo := '{repo}') ORDER BY seq"
    ).fetchall()
    table = con.execute(f"FROM file_changes('before', 'after', '{repo}')").fetchall()
    assert [row[1:] for row in macro] == table
    assert [row[0] for row in macro] == list(range(1, len(table) + 1))
    for context in (0, 3, -1):
        macro = con.execute(
            f"FROM file_diff_each('hunks.txt', 'before', 'after', repo := '{repo}', context := {context}) ORDER BY seq"
        ).fetchall()
        table = con.execute(
            f"FROM file_diff('hunks.txt', 'before', 'after', '{repo}', context := {context})"
        ).fetchall()
        assert macro == table


def test_each_list_function_has_a_macro_with_all_options(con):
    helped = dict(
        con.execute("SELECT name, parameters FROM redline_help(function := 'ALL')").fetchall()
    )
    macros = dict(
        con.execute(
            "SELECT function_name, parameters FROM duckdb_functions() WHERE database_name = 'memory'"
        ).fetchall()
    )
    sql_name = lambda name: {"from": "from_rev", "to": "to_rev"}.get(name, name)
    lists = [name.removesuffix("_list") for name in helped if name.endswith("_list")]
    assert len(lists) > 12
    native = {"changes": "file_changes", "patches": "file_patches", "git_diff": "diff_lines"}
    for macro, function in ({f"{name}_each": name for name in lists} | native).items():
        assert macros[macro] == [sql_name(parameter["name"]) for parameter in helped[function]], (
            macro
        )


def test_the_rows_of_each_macro_are_those_of_the_table_function(con):
    repo = repositories.fixture("readme-edits")
    sides, rev, range_ = "'v1', 'v2'", "'README.md', 'v2'", "'v2'"
    arguments = dict.fromkeys(
        ["file_changes", "file_patches", "diff_hunks", "diff_lines"], sides
    ) | {"file_diff": f"'README.md', {sides}", "refs": "", "file_status": ""}
    arguments |= dict.fromkeys(["file_blame", "file_history"], rev) | dict.fromkeys(
        ["commits", "commit_changes", "tree_files", "tree_blame"], range_
    )
    arguments["file_outline"] = "'README.md', 'v2'"
    arguments["line_history"] = "'README.md', 1, 3, 'v2'"
    options = {
        "refs": "",
        "file_outline": "",
        "line_history": ", first_parent := true",
        "file_blame": ", lines := [2, 3]",
        "file_history": ", first_parent := true",
        "file_diff": ", context := 0",
        "commits": ", until := DATE '2100-01-01'",
    }
    for (name,) in con.execute(
        "SELECT replace(name, '_list', '') FROM redline_help(function := 'ALL') WHERE name LIKE '%\\_list' ESCAPE '\\'"
    ).fetchall():
        option, given = options.get(name, ", paths := ['*.md']"), arguments[name]
        as_text = "(SELECT columns(*)::VARCHAR FROM {})"
        table = con.execute(
            "FROM " + as_text.format(f"{name}({given}{', ' if given else ''}'{repo}'{option})")
        ).fetchall()
        numbered = "* EXCLUDE seq" if name not in ("file_diff", "diff_lines") else "*"
        place = f"{given}, repo := '{repo}'" if given else f"'{repo}'"
        query = f"SELECT COLUMNS({numbered})::VARCHAR FROM (FROM {name}_each({place}{option}))"
        assert table and con.execute(query).fetchall() == table, name


def test_options_of_a_lateral_join_are_columns(con):
    repo = repositories.fixture("readme")
    rows = con.execute(f"""
        SELECT o.path, o.context, count(*) FROM (VALUES ('*.md', 0), ('*.md', 3), ('*.py', 0)) o(path, context),
            diff_lines_each('v1', 'v2', repo := '{repo}', paths := o.path, context := o.context) l GROUP BY ALL ORDER BY ALL""").fetchall()
    assert rows == [("*.md", 0, 3), ("*.md", 3, 5), ("*.py", 0, 2)]


def test_defaults_are_this_folder_and_three_lines(con, monkeypatch):
    monkeypatch.chdir(repositories.fixture("basic"))
    assert con.execute(
        "SELECT count(*) > 100 FROM file_changes_each('before', 'after')"
    ).fetchone() == (True,)
    three = con.execute(
        "FROM file_diff('hunks.txt', 'before', 'after', '.', context := 3)"
    ).fetchall()
    assert (
        con.execute("FROM file_diff_each('hunks.txt', 'before', 'after') ORDER BY seq").fetchall()
        == three
    )


def test_columns_are_arguments(con):
    repo = repositories.fixture("basic")
    rows = con.execute(f"""
        SELECT f.file_path, l.seq, l.content
        FROM (VALUES ('added.txt'), ('modified.txt')) f(file_path),
            file_diff_each(f.file_path, 'before', 'after', repo := '{repo}') l
        WHERE l.line_type = 'ADDED' ORDER BY f.file_path, l.seq""").fetchall()
    assert rows == [
        ("added.txt", 1, "new"),
        ("added.txt", 2, "file"),
        ("modified.txt", 3, "2"),
        ("modified.txt", 5, "four"),
    ]
    rows = con.execute(f"""
        SELECT r.revision, count(*) FROM (VALUES ('before'), ('after')) r(revision),
            file_changes_each(r.revision, 'after', repo := '{repo}') c GROUP BY r.revision""").fetchall()
    assert len(rows) == 1 and rows[0][0] == "before" and rows[0][1] > 100


def test_macros_with_defaults_answer_as_the_functions(con, monkeypatch):
    monkeypatch.chdir(repositories.fixture("basic"))
    rows = lambda query: con.execute(query).fetchall()
    assert rows("FROM changes('before', 'after')") == rows(
        "FROM file_changes('before', 'after', '.')"
    )
    assert rows("FROM changes()") == rows("FROM file_changes('HEAD', 'WORKTREE', '.')")
    assert rows("FROM git_diff('before', 'after', context := 1)") == rows(
        "FROM diff_lines('before', 'after', '.', context := 1)"
    )
    only = "paths := 'hunks.txt', context := 1"
    one = rows("FROM file_diff('hunks.txt', 'before', 'after', '.', context := 1)")
    assert [row[:7] for row in rows(f"FROM git_diff('before', 'after', {only})")] == [
        ("hunks.txt", *row) for row in one
    ]
    assert rows("FROM diff_texts('a', 'b', label_b := 'new')") == rows(
        "SELECT unnest(diff_texts('a', 'b', 3, 'a', 'new'))"
    )
    assert rows("FROM diff_paths('hunks.txt', 'modified.txt', context_lines := 0)") == rows(
        "SELECT unnest(diff_files('hunks.txt', 'modified.txt', 0))"
    )
    named = con.execute("""
        SELECT t.a, d.identical, d.diff_lines FROM (VALUES ('a', 'a'), ('b', 'c'), ('b', 'c'), (NULL, 'd')) t(a, b),
            diff_texts(t.a, (SELECT t.b)) d ORDER BY ALL""").fetchall()
    assert named == [("a", True, 0), ("b", False, 7), ("b", False, 7), (None, None, None)]


def test_macros_named_after_commands_of_git_have_its_defaults(con, monkeypatch):
    monkeypatch.chdir(repositories.fixture("readme-edits"))
    con.execute((ROOT / "sql/git.sql").read_text())
    texts = lambda query: con.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({query})").fetchall()
    for macro, function in {
        "git_log()": "commits('HEAD', '.')",
        "git_log('v1', paths := '*.md')": "commits('v1', '.', paths := '*.md')",
        "git_show()": "commit_changes('HEAD^!', '.', merges := 'first_parent', renames := true)",
        "git_show('v1')": "commit_changes('v1^!', '.', merges := 'first_parent', renames := true)",
        "git_status()": "file_status('.')",
        "git_blame('README.md')": "file_blame('README.md', 'WORKTREE', '.')",
        "git_blame('README.md', 'v1', lines := [1, 2])": "file_blame('README.md', 'v1', '.', lines := [1, 2])",
        "git_files()": "tree_files('HEAD', '.')",
        "git_refs()": "refs('.')",
    }.items():
        found = texts(f"FROM {macro}")
        assert found and found == texts(f"FROM {function}"), macro


def test_macros_that_end_in_each_give_the_lists_of_their_functions(con):
    repo = repositories.fixture("readme")
    for macro, function in (
        (f"commits_each(r.rev, repo := '{repo}')", f"commits('v2', '{repo}')"),
        (f"tree_files_each(r.rev, repo := '{repo}')", f"tree_files('v2', '{repo}')"),
        (
            f"file_blame_each('README.md', r.rev, repo := '{repo}')",
            f"file_blame('README.md', 'v2', '{repo}')",
        ),
        (
            f"file_history_each('README.md', r.rev, repo := '{repo}')",
            f"file_history('README.md', 'v2', '{repo}')",
        ),
        ("refs_each(r.repo)", f"refs('{repo}')"),
        ("file_status_each(r.repo)", f"file_status('{repo}')"),
    ):
        # The Python client needs a package to fetch a TIMESTAMPTZ.
        texts = lambda query: con.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({query})").fetchall()
        found = texts(
            f"SELECT m.* FROM (VALUES ('v2', '{repo}')) r(rev, repo), {macro} m ORDER BY seq"
        )
        assert [row[1:] for row in found] == texts(f"FROM {function}"), macro
        assert [int(row[0]) for row in found] == list(range(1, len(found) + 1))


def test_the_file_can_be_read_again(con):
    con.execute((ROOT / "sql" / "macros.sql").read_text())


def test_errors_pass_through(con):
    with pytest.raises(duckdb.Error, match="not_found:"):
        con.execute("FROM file_changes_each('no-such-branch', 'HEAD')").fetchall()
