"""diff_review and the git tools: pages within a budget, every hunk once, and git's own hunks.

ripgrep and cargo are compared too when REDLINE_TEST_REPOS names the directory of their bundles.
"""

import json
import pathlib
import random
import re
import shutil

import duckdb
import jsonschema
import pytest
import repositories

SEED = 20_000_102
TOOLS = ["GitDiff", "GitDiffSummary", "GitDiffFile"]
PART = re.compile(r"^\[part of [^\n]*: bytes (\d+) to (\d+) of \d+\]\n", re.MULTILINE)


@pytest.fixture
def review() -> pathlib.Path:
    return repositories.fixture("review")


@pytest.fixture
def copy(review, tmp_path) -> pathlib.Path:
    """Returns a copy of the fixture that a test may change."""
    shutil.copytree(review, tmp_path / "review")
    return tmp_path / "review"


# -- asking ------------------------------------------------------------------------------------


def sections(con, old, new, repo, max_bytes=None, cursor=None, **named):
    """Returns a page of diff_review as dictionaries."""
    given = {"max_bytes": max_bytes, "cursor": cursor} | named
    options = ", ".join(f"{name} := ${name}" for name in given)
    result = con.execute(f"SELECT * FROM diff_review($old, $new, $repo, {options})", {"old": old, "new": new, "repo": str(repo)} | given)
    names = [column[0] for column in result.description]
    return [dict(zip(names, row)) for row in result.fetchall()]


def call(con, tool, **arguments):
    """Returns the CallToolResult and its bytes."""
    (answer,) = con.execute("SELECT redline_call(?, ?)", [tool, json.dumps(arguments)]).fetchone()
    return json.loads(answer), len(answer.encode())


def call_text(con, tool, **arguments) -> str:
    return con.execute("SELECT redline_call_text(?, ?)", [tool, json.dumps(arguments)]).fetchone()[0]


def pages(ask, budgets):
    """Follows the cursors from page to page; `ask` returns a page and its next cursor."""
    cursor, number = None, 0
    while True:
        page, cursor = ask(budgets[number % len(budgets)], cursor)
        yield budgets[number % len(budgets)], page
        number += 1
        if cursor is None:
            return
        assert number < 20_000, "the pages have no end"


# -- git as the oracle -------------------------------------------------------------------------


def git_hunks(repo, old, new) -> dict[str, list[str]]:
    """Returns the hunks of `git diff` by path; the list of a patch without hunks is empty."""
    names = repositories.git(repo, "diff", "-z", "--no-renames", "--name-only", old, new).split(b"\0")[:-1]
    patch = repositories.git(repo, "diff", "--no-renames", old, new)
    hunks, before, left = {}, None, iter(names)
    # No line within a hunk starts like a file or a hunk.
    for file in re.split(rb"^(?=diff --git )", patch, flags=re.MULTILINE)[1:]:
        first = file.split(b"\n", 1)[0]
        # A type change gives two patches of one path.
        path = path if first == before else next(left)
        before = first
        _, *texts = re.split(rb"^(?=@@ )", file, flags=re.MULTILINE)
        hunks.setdefault(path.decode(errors="replace"), []).extend(text.decode(errors="replace") for text in texts)
    assert next(left, None) is None
    return hunks


def hunk_of(text: str) -> str:
    """Returns the hunk of a section, or the part of one, without header and mark; '' for a patch without hunks."""
    # A line of a hunk starts with a sign, so neither pattern matches within a hunk.
    if part := PART.search(text):
        bytes_of_part = int(part[2]) - int(part[1])
        rest = text[part.end() :].encode()
        assert rest[bytes_of_part:] in (b"", b"\n")
        return rest[:bytes_of_part].decode()
    found = re.search(r"^@@ ", text, re.MULTILINE)
    return text[found.start() :] if found else ""


def check_sections(con, repo, old, new, budgets, **named):
    """Checks that all pages of a comparison keep their budgets and contain each file and hunk of git once."""
    listed, shown, totals = [], {}, set()

    def ask(max_bytes, cursor):
        page = sections(con, old, new, repo, max_bytes, cursor, **named)
        return page, page[0]["next_cursor"]

    for max_bytes, page in pages(ask, budgets):
        assert [row["bytes"] for row in page] == [len(row["text"].encode()) for row in page]
        assert sum(row["bytes"] for row in page) <= max_bytes
        assert page[0]["kind"] == "summary" and all(row["kind"] != "summary" for row in page[1:])
        totals.add(page[0]["text"].removesuffix(" (continued)\n").removesuffix("\n"))
        listed += [row["file_path"] for row in page if row["kind"] == "file"]
        for row in page:
            if row["kind"] == "hunk":
                shown.setdefault(row["file_path"], []).append(hunk_of(row["text"]))
    wanted = git_hunks(repo, old, new)
    names = [name for (name,) in con.execute("SELECT file_path FROM file_changes(?, ?, ?)", [old, new, str(repo)]).fetchall()]
    assert sorted(listed) == sorted(names)
    assert len(totals) == 1
    assert {path: "".join(texts) for path, texts in shown.items()} == {path: "".join(texts) for path, texts in wanted.items()}


def check_calls(con, repo, old, new, budgets):
    """Checks that the answers of GitDiff keep their budgets and contain each file and hunk once."""
    listed, patch = [], ""

    def ask(max_bytes, cursor):
        answer, size = call(con, "GitDiff", from_rev=old, to_rev=new, path=str(repo), max_bytes=max_bytes, cursor=cursor)
        assert size <= max_bytes
        return answer["structuredContent"], answer["structuredContent"]["next_cursor"]

    for _, page in pages(ask, budgets):
        listed += [file["file_path"] for file in page["files"]]
        patch += page["patch"]
    wanted = git_hunks(repo, old, new)
    assert sorted(listed) == sorted(wanted)
    # Each part of a hunk has a header and a mark above it.
    if not PART.search(patch):
        texts = re.split(r"^(?=@@ )", re.sub(r"^(?:diff --git .*\n(?:[^@].*\n)*)", "", patch, flags=re.MULTILINE), flags=re.MULTILINE)
        assert sorted(texts[1:]) == sorted(hunk for hunks in wanted.values() for hunk in hunks)


def random_pairs(repo, count):
    chosen = random.Random(SEED)
    history = repositories.history(repo)
    commits = [commit for _, commit in history]
    near = chosen.sample(history, count)
    far = [tuple(sorted(chosen.sample(range(len(commits)), 2))) for _ in range(count)]
    # Ranges of up to 100 commits.
    return near + [(commits[a], commits[min(b, a + 100)]) for a, b in far]


@pytest.mark.parametrize("bundle", ["ripgrep", "cargo"])
def test_each_hunk_of_a_history_comes_once(con, tmp_path, bundle):
    if repositories.test_repositories() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set: it names the folder of the bundles")
    repo = repositories.clone_bundle(f"{bundle}.bundle", tmp_path / bundle)
    chosen = random.Random(SEED)
    for old, new in random_pairs(repo, 8):
        # Every page compares all files again, so there is time for about twenty pages.
        whole = len(repositories.git(repo, "diff", "--no-renames", old, new))
        check_sections(con, repo, old, new, [max(2_500, whole // chosen.choice([1, 5, 25])) for _ in range(3)])
        check_calls(con, repo, old, new, [max(3_500, whole // chosen.choice([1, 5]))])


def test_each_hunk_of_the_fixtures_comes_once(con):
    for name, old, new in (("review", "main~1", "main"), ("basic", "before", "after"), ("readme", "v1", "v2")):
        repo = repositories.fixture(name)
        for budgets in ([2_500], [4_000, 9_000], [1_000_000]):
            check_sections(con, repo, old, new, budgets)


# -- the tools ---------------------------------------------------------------------------------


@pytest.fixture
def output_schemas(con):
    rows = con.execute("SELECT name, output_schema FROM redline_tools()").fetchall()
    return {name: jsonschema.Draft202012Validator(json.loads(schema)) for name, schema in rows}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("budgets", [[3_000], [5_000, 2_500], [48_000]])
def test_answers_keep_their_budgets_and_match_their_schemas(con, output_schemas, review, tool, budgets):
    arguments = {"from_rev": "main~1", "to_rev": "main", "path": str(review)}
    if tool == "GitDiffFile":
        arguments["file_path"] = "data/words.txt"
    files, patch = [], ""

    def ask(max_bytes, cursor):
        given = arguments | {"max_bytes": max_bytes, "cursor": cursor}
        answer, size = call(con, tool, **given)
        assert answer["isError"] is False, answer
        assert size <= max_bytes
        text = call_text(con, tool, **given)
        assert len(text.encode()) <= max_bytes
        return answer, answer["structuredContent"]["next_cursor"]

    for _, answer in pages(ask, budgets):
        structured = answer["structuredContent"]
        output_schemas[tool].validate(structured)
        assert structured["truncated"] is (structured["next_cursor"] is not None)
        assert structured["files_changed"] == (1 if tool == "GitDiffFile" else 10)
        files += structured["files"]
        patch += structured.get("patch", "")
        if structured["truncated"]:
            assert structured["next_cursor"] in answer["content"][0]["text"]
    columns = "file_path, status, old_size, new_size, old_path, similarity, additions, deletions, is_binary, old_mode, new_mode, old_oid, new_oid"
    rows = con.execute(f"SELECT {columns} FROM file_changes('main~1', 'main', ?)", [str(review)]).fetchall()
    wanted = [dict(zip(columns.split(", "), row)) for row in rows if tool != "GitDiffFile" or row[0] == "data/words.txt"]
    assert sorted(files, key=lambda file: file["file_path"]) == wanted
    for path, hunks in git_hunks(review, "main~1", "main").items():
        for hunk in hunks:
            is_shown = hunk in patch or "[part of " in patch
            assert is_shown == (tool == "GitDiff" or (tool == "GitDiffFile" and path == "data/words.txt")) or is_shown


def test_templates_answer_as_the_call_does(con, review):
    for name, template, schema in con.execute("SELECT name, sql_template, input_schema FROM redline_tools()").fetchall():
        if name not in TOOLS:
            continue
        given = {"from_rev": "main~1", "to_rev": "main", "path": str(review)}
        given |= {"file_path": "src/util.py"} if name == "GitDiffFile" else {"paths": ["*.py", ":!api"]}
        bound = dict.fromkeys(json.loads(schema)["properties"]) | given
        text = call_text(con, name, **given)
        assert "src/util.py" in text and "api/" not in text
        assert con.execute(template, bound).fetchone() == (text,)
        # Some servers bind a list as its JSON text.
        if "paths" in given:
            assert con.execute(template, bound | {"paths": json.dumps(given["paths"])}).fetchone() == (text,)


def test_arguments_take_effect(con, review):
    given = {"from_rev": "main~1", "to_rev": "main", "path": str(review)}
    whole = call_text(con, "GitDiff", **given)
    assert "D docs/notes.md" in whole
    assert "R docs/notes.md => docs/orders.md  +1 -1  (1 hunk, 88% similar)" in call_text(con, "GitDiff", **given, renames=True) or "similar" in call_text(con, "GitDiff", **given, renames=True)
    assert "rename from docs/notes.md" in call_text(con, "GitDiffFile", **given, renames=True, file_path="docs/orders.md")
    assert call_text(con, "GitDiff", **given, file_path="src/util.py") == call_text(con, "GitDiffFile", **given, file_path="src/util.py")
    assert "order.take(1)\n" in call_text(con, "GitDiffFile", **given, file_path="src/orders.py", context_lines=-1)
    assert "@@ -10 +10 @@" in call_text(con, "GitDiffFile", **given, file_path="src/orders.py", context_lines=0) or "@@ -8 +8 @@" in call_text(con, "GitDiffFile", **given, file_path="src/orders.py", context_lines=0)
    assert call_text(con, "GitDiffSummary", from_rev="main~1..main", path=str(review)) == call_text(con, "GitDiffSummary", **given)
    assert "No file differs." == call_text(con, "GitDiffSummary", from_rev="main", path=str(review)).strip()


@pytest.mark.parametrize(
    "arguments, code",
    [
        ({}, "invalid_args"),
        ({"from_rev": "main", "to_rev": "main", "max_bytes": 1999}, "invalid_args"),
        ({"from_rev": "main", "to_rev": "main", "max_bytes": 1 << 40}, "invalid_args"),
        ({"from_rev": "main", "to_rev": "main", "cursor": ""}, "invalid_args"),
        ({"from_rev": "main", "to_rev": "main", "context_lines": -2}, "invalid_args"),
        ({"from_rev": "main", "to_rev": "main", "ignore_whitespace": "some"}, "invalid_args"),
        ({"from_rev": "main", "to_rev": "main", "paths": "src"}, "invalid_args"),
        ({"from_rev": "main", "to_rev": "main", "paths": [":(attr:x)"]}, "invalid_args"),
        ({"from_rev": "main", "to_rev": "main", "paths": ["src"], "file_path": "run.sh"}, "invalid_args"),
        ({"from_rev": "mian", "to_rev": "main"}, "not_found"),
        ({"from_rev": "main~1", "to_rev": "main", "file_path": "src/orders"}, "not_found"),
        ({"from_rev": "main~1", "to_rev": "main", "path": "build/no-such-folder"}, "not_found"),
    ],
)
def test_wrong_arguments_are_refused(con, review, arguments, code):
    answer, _ = call(con, "GitDiff", **({"path": str(review)} | arguments))
    assert answer["isError"] is True and answer["content"][0]["text"].startswith(f"{code}: "), answer


def test_the_default_repository_is_the_sandbox(connect, review):
    con = connect()
    con.execute(f"""SET GLOBAL redline_sandboxes = '[{{"name": "work", "root": "{review}"}}]'""")
    assert call_text(con, "GitDiffSummary", from_rev="main~1", to_rev="main").startswith("10 files changed")
    assert call_text(con, "GitDiffSummary", from_rev="main~1", to_rev="main", path=".").startswith("fs_denied: ")
    assert call_text(con, "GitDiffSummary", from_rev="main~1", to_rev="main", path="work").startswith("10 files changed")


def test_a_tool_that_is_not_granted_is_refused(connect, review):
    con = connect()
    for granted in TOOLS:
        con.execute(f"SET GLOBAL redline_tool_grants = ['{granted}']")
        for tool in TOOLS:
            text = call_text(con, tool, from_rev="main~1", to_rev="main", path=str(review), **({"file_path": "run.sh"} if tool == "GitDiffFile" else {}))
            assert text.startswith("permission_denied: ") == (tool != granted)
        if granted != "GitDiff":
            with pytest.raises(duckdb.Error, match="permission_denied: the tool GitDiff is not granted"):
                sections(con, "main~1", "main", review)


# -- cursors -----------------------------------------------------------------------------------


def test_a_cursor_is_refused_for_another_change(con, copy):
    repositories.git(copy, "branch", "topic", "main")
    cursor = sections(con, "main~1", "topic", copy, 4_000)[0]["next_cursor"]
    assert cursor is not None
    ask = lambda old="main~1", new="topic", **named: sections(con, old, new, copy, 4_000, cursor, **named)
    assert ask()[0]["text"].endswith(" (continued)\n")
    assert ask(new="main")[0]["text"].endswith(" (continued)\n"), "the same trees by another name"
    for named in ({"context": 5}, {"renames": True}, {"paths": ["src"]}, {"ignore_whitespace": "all"}, {"algorithm": "patience"}):
        with pytest.raises(duckdb.Error, match="invalid_args: this cursor belongs to a call with other options"):
            ask(**named)
    with pytest.raises(duckdb.Error, match="stale: "):
        ask(old="main", new="main~1")
    repositories.git(copy, "branch", "--force", "topic", "main~1")
    with pytest.raises(duckdb.Error, match="stale: this cursor belongs to a different or changed comparison"):
        ask()


def test_a_cursor_is_stale_when_the_work_tree_or_the_index_has_changed(con, copy):
    for path in ("src/orders.py", "data/words.txt"):
        (copy / path).write_text("changed\n" * 300)
    for new in ("WORKTREE", None):
        cursor = sections(con, "HEAD", new, copy, 3_000)[0]["next_cursor"]
        assert sections(con, "HEAD", new, copy, 3_000, cursor)
        (copy / "run.sh").write_text(f"changed for {new}\n")
        with pytest.raises(duckdb.Error, match="stale: "):
            sections(con, "HEAD", new, copy, 3_000, cursor)
    cursor = sections(con, "HEAD~1", "INDEX", copy, 3_000)[0]["next_cursor"]
    repositories.git(copy, "add", "run.sh")
    with pytest.raises(duckdb.Error, match="stale: "):
        sections(con, "HEAD~1", "INDEX", copy, 3_000, cursor)


def test_a_cursor_is_stale_when_an_attribute_appears_between_pages(con, copy):
    cursor = sections(con, "main~1", "main", copy, 4_000)[0]["next_cursor"]
    (copy / ".gitattributes").write_text("*.txt -diff\n")
    with pytest.raises(duckdb.Error, match="stale: "):
        sections(con, "main~1", "main", copy, 4_000, cursor)


# -- generated files -----------------------------------------------------------------------------


def test_generated_files_come_last_and_are_marked(con, review, copy):
    lines = [row["text"] for row in sections(con, "main~1", "main", review) if row["kind"] == "file"]
    assert [line.strip() for line in lines[-3:]] == [
        "M Cargo.lock  +30 -30  (1 hunk, lock file)",
        "M api/client.py  +1 -1  (1 hunk, generated)",
        "M web/site.js  +1 -1  (1 hunk, minified)",
    ]
    (copy / ".gitattributes").write_text("Cargo.lock -linguist-generated\napi/* linguist-generated=false\ndata/* -diff\n")
    lines = [row["text"] for row in sections(con, "main~1", "main", copy) if row["kind"] == "file"]
    assert [line.split()[1] for line in lines[-2:]] == ["data/words.txt", "web/site.js"]
    assert "(binary, -diff)" in lines[-2]
