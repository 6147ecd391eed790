"""The options of the list functions: a struct with the names, the types and the meaning of the table functions' named parameters."""

import pathlib
import subprocess

import duckdb
import pytest
from answers import answer

SINCE = "TIMESTAMPTZ '2020-01-02 00:00:00+00'"
# Arguments of each list function as SQL, for the repository {repo}.
SIDES = "'v1', 'v2', {repo}"
ARGUMENTS = {
    "file_changes": SIDES,
    "file_patches": SIDES,
    "diff_hunks": SIDES,
    "diff_lines": SIDES,
    "file_diff": "'src/lib.py', 'v1', 'v2', {repo}",
    "commit_changes": "'main', {repo}",
    "commits": "'main', {repo}",
    "refs": "{repo}",
    "tree_files": "'v2', {repo}",
    "file_outline": "'notes.txt', 'v2', {repo}",
    "file_status": "{repo}",
    "file_blame": "'src/lib.py', 'v2', {repo}",
    "tree_blame": "'v2', {repo}",
    "file_history": "'src/lib.py', 'main', {repo}",
    "line_history": "'src/lib.py', 1, 3, 'main', {repo}",
}
# A value of each option that changes some answer, as SQL.
VALUES = {
    "merge_base": "true", "untracked": "true", "algorithm": "'histogram'", "ignore_whitespace": "'all'", "ignore_blank_lines": "true",
    "context": "0", "inter_hunk_context": "20", "renames": "true", "copies": "true", "similarity": "100", "rename_limit": "1",
    "paths": "['src', ':!*.txt']", "merges": "'all_parents'", "since": SINCE, "until": SINCE, "mailmap": "false", "contains": "['x = 1', 'beta']",
    "changed_lines": "'y = .'", "first_parent": "true", "notes_ref": "'refs/notes/review'", "lines": "[2, 3]", "ignore_revs": "['v1']",
    "moves": "true", "ignored": "true", "mailmap_file": "'test/fixtures/team.mailmap'",
}  # fmt: skip
# Of functions for which the value above is not the one that changes something.
OWN = {
    ("file_blame", "copies"): "1", ("tree_blame", "copies"): "1", ("file_status", "renames"): "false", ("file_status", "untracked"): "false",
    ("file_patches", "merges"): "'combined'", ("diff_lines", "merges"): "'combined'",
}  # fmt: skip
# What none of the answers below depends on: the repository would have to be made for it, or the parameter only refuses.
SAME = {
    "rename_limit",
    "merge_base",
    "algorithm",
    "ignore_blank_lines",
    "ignore_revs",
    "moves",
    "inter_hunk_context",
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("options") / "repo"
    (folder / "src").mkdir(parents=True)

    def git(*words: str, day: int = 1) -> None:
        date = f"2020-01-0{day}T12:00:00+00:00"
        environment = {
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "HOME": str(folder),
        }
        author = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
        subprocess.run(
            ["git", "-C", folder, *author, *words], check=True, capture_output=True, env=environment
        )

    git("init", "-q", "-b", "main")
    body = [f"line {number}\n" for number in range(30)]
    (folder / "src/lib.py").write_text("x = 1\n" + "".join(body) + "y = 1\n")
    (folder / "moved.txt").write_text("".join(body))
    (folder / "notes.txt").write_text("alpha\n")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / ".mailmap").write_text("Anna <anna@example.com> <ann@example.com>\n")
    git("add", ".")
    git("commit", "-qm", "Start")
    git("tag", "v1")
    (folder / "src/lib.py").write_text(
        "x  =  1\n" + "".join(body[:15]) + "\nbeta\n" + "".join(body[15:]) + "y = 2\n"
    )
    (folder / "moved.txt").rename(folder / "src/moved.py")
    (folder / "src/copy.txt").write_text((folder / "src/lib.py").read_text() + "more\n")
    git("add", ".")
    git("commit", "-qm", "Change", day=2)
    git("checkout", "-qb", "side", "v1")
    (folder / "side.txt").write_text("x = 1\n")
    git("add", ".")
    git("commit", "-qm", "Side", day=3)
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "Merge", "side", day=4)
    git("tag", "v2")
    git("notes", "--ref", "review", "add", "-m", "seen", "v2")
    (folder / "notes.txt").write_text("alpha\nomega\n")
    git("add", ".")
    git("mv", "side.txt", "edge.txt")
    (folder / "draft.md").write_text("a draft\n")
    (folder / "noise.log").write_text("noise\n")
    return folder


def listed(con) -> dict[str, dict[str, str]]:
    """Returns each table function that has a list, and its named parameters with their types."""
    rows = con.execute(
        "SELECT name, parameters FROM redline_help(function := 'ALL') WHERE kind = 'table'"
    ).fetchall()
    lists = {
        name
        for (name,) in con.execute(
            "SELECT name FROM redline_help(function := 'ALL') WHERE kind = 'scalar'"
        ).fetchall()
    }
    return {
        name: {p["name"]: p["type"] for p in parameters if p["default"] is not None}
        for name, parameters in rows
        if f"{name}_list" in lists
    }


def table_rows(con, function: str, repo, options: str = "") -> list[tuple]:
    arguments = ARGUMENTS[function].format(repo=f"'{repo}'")
    return con.execute(
        f"SELECT to_json(t)::VARCHAR FROM {function}({arguments}{options}) t"
    ).fetchall()


def list_rows(con, function: str, repo, options: str = "", more: str = "") -> list[tuple]:
    arguments = ARGUMENTS[function].format(repo=f"'{repo}'")
    numbered = (
        "l"
        if function in ("file_diff", "diff_lines")
        else "struct_pack("
        + ", ".join(f"{column} := l.{column}" for column in columns(con, function))
        + ")"
    )
    query = f"SELECT to_json(unnest(list_transform({function}_list({arguments}{options}), lambda l: {numbered})))::VARCHAR {more}"
    return con.execute(query).fetchall()


def columns(con, function: str) -> list[str]:
    arguments = ARGUMENTS[function].format(repo="'.'")
    return [row[0] for row in con.execute(f"DESCRIBE FROM {function}({arguments})").fetchall()]


def test_every_list_function_and_every_option_is_tried(con):
    functions = listed(con)
    assert set(functions) == set(ARGUMENTS)
    assert {option for options in functions.values() for option in options} == set(VALUES)


@pytest.mark.parametrize("function", ARGUMENTS)
def test_each_option_means_what_the_named_parameter_means(con, repo, function):
    plain = table_rows(con, function, repo)
    assert plain and list_rows(con, function, repo) == plain
    changed = set()
    for option in listed(con)[function]:
        value = OWN.get((function, option), VALUES[option])
        # The last two mean nothing without the others.
        also = {"similarity": "renames", "rename_limit": "renames"}.get(option)
        named = f", {option} := {value}" + (f", {also} := true" if also else "")
        struct = f", {{'{option}': {value}" + (f", '{also}': true" if also else "") + "}"
        wanted = table_rows(con, function, repo, named)
        assert list_rows(con, function, repo, struct) == wanted, option
        if wanted != plain:
            changed.add(option)
    # Options that change no answer show nothing here, so most of them must.
    left = set(listed(con)[function]) - changed - SAME
    # Between two revisions there is no merge; test/sql/combined.test has a list with one.
    left -= {"merges"} if function in ("file_patches", "diff_lines") else set()
    assert left <= {
        "untracked",
        "similarity",
        "copies",
        "context",
        "until",
        "first_parent",
        "ignore_whitespace",
        "renames",
        "since",
        "mailmap",
    }, left


def test_together_and_in_any_case(con, repo):
    wanted = table_rows(
        con, "file_changes", repo, ", renames := true, similarity := 90, paths := 'src'"
    )
    assert (
        list_rows(
            con,
            "file_changes",
            repo,
            ", {'PATHS': 'src', 'similarity': 90::UTINYINT, 'Renames': true}",
        )
        == wanted
    )


def test_no_options_are_none(con, repo):
    plain = table_rows(con, "file_changes", repo)
    for none in (
        "NULL",
        "NULL::STRUCT(renames BOOLEAN)",
        "{'renames': NULL}",
        "{'paths': NULL, 'context': NULL}",
        "{'paths': []}",
        "{'paths': []::VARCHAR[]}",
    ):
        assert list_rows(con, "file_changes", repo, f", {none}") == plain, none
    # A NULL argument is still NULL, with options and without.
    assert con.execute(
        "SELECT file_changes_list('v1', 'v2', NULL, {'renames': true}), file_changes_list('v1', NULL, '.', NULL)"
    ).fetchone() == (None, None)


@pytest.mark.parametrize(
    "kind",
    ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"],
)
def test_an_integer_of_any_size_is_a_number(con, repo, kind):
    wanted = table_rows(con, "diff_lines", repo, ", context := 1")
    assert list_rows(con, "diff_lines", repo, f", {{'context': 1::{kind}}}") == wanted
    lines = list_rows(con, "file_blame", repo, f", {{'lines': [2::{kind}, 3::{kind}]}}")
    assert lines == table_rows(con, "file_blame", repo, ", lines := [2, 3]") and len(lines) == 2


MOMENTS = [
    SINCE, "TIMESTAMP '2020-01-02'", "DATE '2020-01-02'", "'2020-01-02'", "'2020-01-02 14:00:00+02'", "'2020-01-02 12:00:01'", "'infinity'",
    "'epoch'", "'1970-01-01'", "'1969-12-31 22:00:00-02'", "DATE 'infinity'", "DATE '-infinity'", "TIMESTAMPTZ '-infinity'", "NULL::DATE",
]  # fmt: skip


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_moment_is_read_as_the_named_parameter_reads_it(con, repo, moment, zone):
    # The zone is ICU's, which is not always there.
    try:
        con.execute(f"SET TimeZone = '{zone}'")
    except duckdb.Error:
        pytest.skip("this host has no time zones")
    subjects = "SELECT subject FROM commits('main', ?, since := {0})"
    wanted = con.execute(subjects.format(moment), [str(repo)]).fetchall()
    query = f"SELECT unnest(list_transform(commits_list('main', ?, {{'since': {moment}}}), lambda c: c.subject))"
    assert con.execute(query, [str(repo)]).fetchall() == wanted
    # As a column of several rows, too.
    query = f"SELECT DISTINCT len(commits_list('main', ?, {{'since': m}})) FROM (SELECT {moment} AS m FROM range(3))"
    assert con.execute(query, [str(repo)]).fetchall() == [(len(wanted),)]


def test_options_of_each_row(con, repo):
    """Options differ from row to row: columns, structs of a table, NULL between them, in vectors of every kind."""
    con.execute("""
        CREATE TEMP TABLE asked AS SELECT i, CASE WHEN i % 5 = 4 THEN NULL ELSE {
            'context': CASE i % 3 WHEN 0 THEN NULL ELSE i % 7 END,
            'paths': CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN ['src'] WHEN 2 THEN [] ELSE ['*.txt', ':!notes.txt'] END,
            'ignore_whitespace': CASE WHEN i % 2 = 0 THEN 'all' END} END AS options
        FROM range(2500) r(i)""")
    wanted = {}

    def counted(context, paths, whitespace) -> int:
        key = (context, tuple(paths or ()), whitespace)
        if key not in wanted:
            query = "SELECT count(*) FROM diff_lines('v1', 'v2', ?, context := ?, paths := ?, ignore_whitespace := ?)"
            wanted[key] = con.execute(query, [str(repo), context, paths, whitespace]).fetchone()[0]
        return wanted[key]

    rows = con.execute("""
        SELECT i, options.context, options.paths, options.ignore_whitespace, len(diff_lines_list('v1', 'v2', ?, options))
        FROM asked WHERE i < 120 OR i > 2440 ORDER BY i""", [str(repo)]).fetchall()  # fmt: skip
    assert len(rows) == 179
    for i, context, paths, whitespace, found in rows:
        assert found == counted(context, paths, whitespace), i
    assert len(set(wanted.values())) > 5
    # Constants beside columns, and a constant for all rows.
    rows = con.execute("""
        SELECT i, len(diff_lines_list('v1', 'v2', ?, {'context': i % 3, 'ignore_whitespace': 'all', 'paths': ['src', 'notes.txt'], 'renames': NULL}))
        FROM range(9) r(i) ORDER BY i""", [str(repo)]).fetchall()  # fmt: skip
    assert rows == [(i, counted(i % 3, ["src", "notes.txt"], "all")) for i in range(9)]
    rows = con.execute(
        "SELECT len(diff_lines_list('v1', 'v2', ?, {'context': 1, 'paths': ['src']})) FROM range(5)",
        [str(repo)],
    ).fetchall()
    assert rows == [(counted(1, ["src"], None),)] * 5
    # One list for all rows of a cross product, and a struct made in the query.
    rows = con.execute("""
        SELECT n.context, len(diff_lines_list('v1', 'v2', ?, {'context': n.context, 'paths': p.paths}))
        FROM (VALUES (0), (2), (NULL)) n(context), (SELECT list(x ORDER BY x) AS paths FROM (VALUES ('src'), ('notes.txt')) t(x)) p
        ORDER BY n.context NULLS LAST""", [str(repo)]).fetchall()  # fmt: skip
    assert rows == [
        (context, counted(context, ["notes.txt", "src"], None)) for context in (0, 2, None)
    ]


def test_options_are_parameters_of_a_statement(con, repo):
    query = "SELECT len(file_changes_list('v1', 'v2', $repo, $options))"
    ask = lambda options: con.execute(query, {"repo": str(repo), "options": options}).fetchone()[0]
    assert ask(None) == len(table_rows(con, "file_changes", repo))
    assert ask({"renames": True}) == ask(None) - 1
    assert ask({"paths": ["src"], "renames": False}) == len(
        table_rows(con, "file_changes", repo, ", paths := 'src'")
    )
    con.execute(
        f"PREPARE asked AS SELECT len(file_changes_list('v1', 'v2', '{repo}', {{'paths': $1}}))"
    )
    assert (
        con.execute("EXECUTE asked(['src'])").fetchone()
        == con.execute("EXECUTE asked('src')").fetchone()
        == (ask({"paths": "src"}),)
    )


REFUSED = {
    "{'rename': true}": "file_changes_list has no option 'rename'. Did you mean 'renames'? Its options are merge_base, untracked,",
    "{'nonsense': 1}": "file_changes_list has no option 'nonsense'. Its options are merge_base,",
    "{'merges': 'skip'}": "file_changes_list has no option 'merges'. Did you mean",
    "{'renames': true, 'path': 'src'}": "file_changes_list has no option 'path'. Did you mean 'paths'? ",
    "{'renames': 'yes'}": "the option renames is of type VARCHAR: 'yes'. Give BOOLEAN",
    "{'renames': 1}": "the option renames is of type INTEGER: 1. Give BOOLEAN",
    "{'context': 1.5}": "the option context is of type DECIMAL. Give INTEGER",
    "{'context': 1e0}": "the option context is of type DOUBLE. Give INTEGER",
    "{'context': '3'}": "the option context is of type VARCHAR: '3'. Give INTEGER",
    "{'context': 3000000000}": "context is 3000000000. Give -2147483648 to 2147483647",
    "{'context': 170141183460469231731687303715884105727}": "the option context is of type HUGEINT. Give INTEGER",
    "{'context': 18446744073709551615::UBIGINT}": "context is 9223372036854775807. Give -2147483648 to 2147483647",
    "{'context': -2}": "context is -2. Give 0 or more lines",
    "{'rename_limit': -1}": "rename_limit is -1. Give 0 to 4294967295",
    "{'similarity': 101}": "similarity is 101. Give 0 to 100 percent",
    "{'similarity': -1}": "similarity is -1. Give 0 to 100 percent",
    "{'algorithm': 'quick'}": "algorithm is 'quick'. Give myers, minimal, patience, histogram",
    "{'algorithm': true}": "the option algorithm is of type BOOLEAN. Give VARCHAR",
    "{'algorithm': ['myers']}": "the option algorithm is of type LIST of VARCHAR. Give VARCHAR",
    "{'paths': 3}": "the option paths is of type INTEGER: 3. Give VARCHAR or VARCHAR[]",
    "{'paths': [1]}": "the option paths is of type LIST of INTEGER. Give VARCHAR or VARCHAR[]",
    "{'paths': ['src', NULL]}": "paths contains a NULL",
    "{'paths': [['src']]}": "the option paths is of type LIST of LIST. Give VARCHAR or VARCHAR[]",
    "{'paths': {'a': 'src'}}": "the option paths is of type STRUCT. Give VARCHAR or VARCHAR[]",
    "{'paths': 'src'::BLOB}": "the option paths is of type BLOB. Give VARCHAR or VARCHAR[]",
    "{'paths': 'a' || chr(0)}": "the option paths contains a NUL character",
    "{'paths': [':(nonsense)src']}": "nonsense",
    "row(true)": "the options of file_changes_list have no names",
    "MAP {'renames': true}": "the options of file_changes_list are of type MAP. Give a STRUCT, such as {'merge_base': false}",
    "[{'renames': true}]": "the options of file_changes_list are of type LIST. Give a STRUCT",
    "3": "the options of file_changes_list are of type INTEGER. Give a STRUCT",
    "'renames'": "the options of file_changes_list are of type VARCHAR. Give a STRUCT",
    """'{"renames": true}'::JSON""": "the options of file_changes_list are of type VARCHAR. Give a STRUCT",
}


@pytest.mark.parametrize("options", REFUSED)
def test_wrong_arguments_are_refused_by_name(con, repo, options):
    got = answer(con, f"SELECT file_changes_list('v1', 'v2', ?, {options})", str(repo))
    assert (
        got.error
        and f"invalid_args: {REFUSED[options]}" in got.error
        or REFUSED[options] == "nonsense"
        and "nonsense" in got.error
    ), got.error
    # As a column, too.
    got = answer(
        con,
        f"SELECT file_changes_list('v1', 'v2', ?, o) FROM (SELECT {options} AS o FROM range(3))",
        str(repo),
    )
    assert got.error and "invalid_args: " in got.error
    assert con.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("function, options, words", [
    ("file_blame", "{'lines': ['1', '2']}", "the option lines is of type LIST of VARCHAR. Give BIGINT[]"),
    ("file_blame", "{'lines': [0, 2]}", "lines is [0, 2]"),
    ("file_blame", "{'ignore_revs': 'v1'}", "the option ignore_revs is of type VARCHAR: 'v1'. Give VARCHAR[]"),
    ("file_blame", "{'copies': true}", "the option copies is of type BOOLEAN. Give INTEGER"),
    ("commits", "{'since': 'garbage'}", "since is 'garbage'. Give a date, such as 2026-01-31 or '2 weeks ago'"),
    ("commits", "{'since': ''}", "since is ''. Give a date"),
    ("commits", "{'since': 3}", "the option since is of type INTEGER: 3. Give TIMESTAMPTZ"),
    ("commits", "{'renames': true}", "commits_list has no option 'renames'"),
    ("file_diff", "{'paths': 'src'}", "file_diff_list has no option 'paths'"),
    ("file_diff", "3", "the options of file_diff_list are of type INTEGER. Give a STRUCT, such as {'merge_base': false}"),
    ("commit_changes", "{'contains': 'x', 'changed_lines': 'y'}", "contains and changed_lines are given together"),
    ("tree_files", "{'path': 'src'}", "tree_files_list has no option 'path'. Did you mean 'paths'? Its options are paths."),
])  # fmt: skip
def test_each_function_knows_its_own_options(con, repo, function, options, words):
    got = answer(
        con, f"SELECT {function}_list({ARGUMENTS[function].format(repo='?')}, {options})", str(repo)
    )
    assert got.error and f"invalid_args: {words}" in got.error, got.error


def test_a_function_without_options_takes_none(con, repo):
    with pytest.raises(duckdb.BinderException, match="refs_list"):
        con.execute("SELECT refs_list(?, {'paths': 'x'})", [str(repo)])
