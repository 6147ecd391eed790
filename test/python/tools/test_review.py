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
from answers import next_cursor

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
    result = con.execute(
        f"SELECT * FROM diff_review($old, $new, $repo, {options})",
        {"old": old, "new": new, "repo": str(repo)} | given,
    )
    names = [column[0] for column in result.description]
    return [dict(zip(names, row)) for row in result.fetchall()]


def call(con, tool, **arguments):
    """Returns the CallToolResult and its bytes."""
    (answer,) = con.execute("SELECT redline_call(?, ?)", [tool, json.dumps(arguments)]).fetchone()
    return json.loads(answer), len(answer.encode())


def call_text(con, tool, **arguments) -> str:
    return con.execute("SELECT redline_call_text(?, ?)", [tool, json.dumps(arguments)]).fetchone()[
        0
    ]


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
    names = repositories.git(repo, "diff", "-z", "--no-renames", "--name-only", old, new).split(
        b"\0"
    )[:-1]
    patch = repositories.git(repo, "diff", "--no-renames", old, new)
    hunks, before, path, left = {}, None, None, iter(names)
    # No line within a hunk starts like a file or a hunk.
    for file in re.split(rb"^(?=diff --git )", patch, flags=re.MULTILINE)[1:]:
        first = file.split(b"\n", 1)[0]
        # A type change gives two patches of one path.
        path = path if first == before else next(left)
        before = first
        _, *texts = re.split(rb"^(?=@@ )", file, flags=re.MULTILINE)
        hunks.setdefault(path.decode(errors="replace"), []).extend(
            text.decode(errors="replace") for text in texts
        )
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
    names = [
        name
        for (name,) in con.execute(
            "SELECT file_path FROM file_changes(?, ?, ?)", [old, new, str(repo)]
        ).fetchall()
    ]
    assert sorted(listed) == sorted(names)
    assert len(totals) == 1
    assert {path: "".join(texts) for path, texts in shown.items()} == {
        path: "".join(texts) for path, texts in wanted.items()
    }


def hunks_of(patch: str) -> list[str]:
    """Returns the hunks of a patch, without the headers of files."""
    texts = re.split(
        r"^(?=@@ )",
        re.sub(r"^(?:diff --git .*\n(?:[^@].*\n)*)", "", patch, flags=re.MULTILINE),
        flags=re.MULTILINE,
    )
    return texts[1:]


def patch_in(answer) -> str:
    """Returns the patches within the text of an answer: the part between the list and the closing line."""
    text = answer["content"][0]["text"]
    start = re.search(r"^(?:diff --git |@@ |\[part of )", text, re.MULTILINE)
    if start is None:
        return ""
    end = text.rfind("\n\n", start.start()) if next_cursor(answer) else len(text)
    return text[start.start() : end].rstrip("\n") + "\n"


def check_calls(con, repo, old, new, budgets):
    """Checks that the answers of GitDiff keep their budgets and contain each file and hunk once, as text and as values."""
    wanted = git_hunks(repo, old, new)
    for form in ("text", "json"):
        listed, patch = [], ""

        def ask(max_bytes, cursor):
            given = {
                "from": old,
                "to": new,
                "repo": str(repo),
                "max_bytes": max_bytes,
                "cursor": cursor,
                "format": form,
                "renames": False,
            }
            answer, size = call(con, "GitDiff", **given)
            assert size <= max_bytes
            return answer, next_cursor(answer)

        for _, page in pages(ask, budgets):
            listed += [
                file["file_path"] for file in page.get("structuredContent", {}).get("files", [])
            ]
            patch += page["structuredContent"]["patch"] if form == "json" else patch_in(page)
        assert form == "text" or sorted(listed) == sorted(wanted)
        # Each part of a hunk has a header and a mark above it.
        if not PART.search(patch):
            assert sorted(hunks_of(patch)) == sorted(
                hunk for hunks in wanted.values() for hunk in hunks
            ), form


def random_pairs(repo, count):
    chosen = random.Random(SEED)
    history = repositories.history(repo)
    commits = [commit for _, commit in history]
    near = chosen.sample(history, count)
    far = [tuple(sorted(chosen.sample(range(len(commits)), 2))) for _ in range(count)]
    # Ranges of up to 100 commits.
    return near + [(commits[a], commits[min(b, a + 100)]) for a, b in far]


@pytest.mark.slow
@pytest.mark.parametrize("bundle", ["ripgrep", "cargo"])
def test_each_hunk_of_a_history_comes_once(con, tmp_path, bundle):
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set: it names the folder of the bundles")
    repo = repositories.clone_bundle(f"{bundle}.bundle", tmp_path / bundle)
    chosen = random.Random(SEED)
    for old, new in random_pairs(repo, 8):
        # Every page compares all files again, so there is time for about twenty pages.
        whole = len(repositories.git(repo, "diff", "--no-renames", old, new))
        check_sections(
            con, repo, old, new, [max(2_500, whole // chosen.choice([1, 5, 25])) for _ in range(3)]
        )
        check_calls(con, repo, old, new, [max(3_500, whole // chosen.choice([1, 5]))])


@pytest.mark.parametrize(
    "name, old, new, budgets",
    # Of the largest change the smallest pages are so many that they are for the night.
    [
        pytest.param(
            *change,
            budgets,
            marks=[pytest.mark.slow] * (change[0] == "basic" and budgets == [2_500]),
        )
        for change in [
            ("review", "main~1", "main"),
            ("basic", "before", "after"),
            ("readme", "v1", "v2"),
        ]
        for budgets in ([2_500], [4_000, 9_000], [1_000_000])
    ],
    ids=str,
)
def test_each_hunk_of_the_fixtures_comes_once(con, name, old, new, budgets):
    check_sections(con, repositories.fixture(name), old, new, budgets)


# -- the tools ---------------------------------------------------------------------------------


@pytest.fixture
def output_schemas(con):
    rows = con.execute("SELECT name, output_schema FROM redline_tools()").fetchall()
    return {name: jsonschema.Draft202012Validator(json.loads(schema)) for name, schema in rows}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("budgets", [[3_000], [5_000, 2_500], [48_000]])
def test_answers_keep_their_budgets_and_match_their_schemas(
    con, output_schemas, review, tool, budgets, form
):
    arguments = {
        "from": "main~1",
        "to": "main",
        "repo": str(review),
        "format": form,
        "renames": False,
    }
    if tool == "GitDiffFile":
        arguments["file"] = "data/words.txt"
    files, patch = [], ""

    def ask(max_bytes, cursor):
        given = arguments | {"max_bytes": max_bytes, "cursor": cursor}
        answer, size = call(con, tool, **given)
        assert answer["isError"] is False, answer
        assert size <= max_bytes
        text = call_text(con, tool, **given)
        assert len(text.encode()) <= max_bytes
        if form == "json":
            assert json.loads(text).keys() == answer["structuredContent"].keys()
        return answer, next_cursor(answer)

    facts = ["files_changed", "additions", "deletions", "truncated", "next_cursor"]
    for _, answer in pages(ask, budgets):
        if form == "text":
            # Clients of some agents show their model the values alone, where there are any.
            assert "structuredContent" not in answer
            patch += patch_in(answer)
            continue
        structured = answer["structuredContent"]
        output_schemas[tool].validate(structured)
        assert structured["truncated"] is (structured["next_cursor"] is not None)
        assert structured["files_changed"] == (1 if tool == "GitDiffFile" else 10)
        assert list(structured) == facts + ["files"] + ["patch", "hunks", "hunks_seen"] * (
            tool != "GitDiffSummary"
        )
        assert "\n" not in answer["content"][0]["text"]
        files += structured["files"]
        patch += structured.get("patch", "")
    if form == "json":
        columns = "file_path, status, old_size, new_size, old_path, similarity, additions, deletions, is_binary, old_mode, new_mode, old_oid, new_oid"
        rows = con.execute(
            f"SELECT {columns} FROM file_changes('main~1', 'main', ?)", [str(review)]
        ).fetchall()
        wanted = [
            dict(zip(columns.split(", "), row))
            for row in rows
            if tool != "GitDiffFile" or row[0] == "data/words.txt"
        ]
        assert sorted(files, key=lambda file: file["file_path"]) == wanted
    for path, hunks in git_hunks(review, "main~1", "main").items():
        for hunk in hunks:
            is_wanted = tool == "GitDiff" or (tool == "GitDiffFile" and path == "data/words.txt")
            assert (hunk in patch) == is_wanted or (is_wanted and "[part of " in patch)


@pytest.mark.slow
@pytest.mark.parametrize("count, pages_at_most", [(15, 1.1), (50, 1.1)])
def test_all_pages_of_a_large_change_cost_little_more_than_the_diff(
    con, tmp_path, count, pages_at_most
):
    """A change of about a hundred files and one of 300 to 400, in bytes as they go over the wire."""
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set: it names the folder of the bundles")
    repo = repositories.clone_bundle("cargo.bundle", tmp_path / "cargo")
    old, new = repositories.git(repo, "rev-parse", f"HEAD~{count}", "HEAD").decode().split()
    whole = len(
        json.dumps(
            repositories.git(repo, "diff", "-M", old, new).decode(errors="replace"),
            ensure_ascii=False,
        ).encode()
    )
    given = {"from": old, "to": new, "repo": str(repo), "max_bytes": 25_000}
    answer, size = call(con, "GitDiffSummary", **given)
    assert next_cursor(answer) is None, "the summary is one call"
    total, calls = 0, 0

    def ask(max_bytes, cursor):
        answer, size = call(con, "GitDiff", **given, cursor=cursor)
        return (answer, size), next_cursor(answer)

    for number, (_, (answer, size)) in enumerate(pages(ask, [25_000])):
        assert size <= 25_000
        total, calls = total + size, calls + 1
        if number == 0:
            assert len(json.dumps(patch_in(answer), ensure_ascii=False).encode()) >= 12_500
    assert total <= pages_at_most * whole and calls <= -(-int(pages_at_most * whole) // 25_000), (
        total,
        whole,
        calls,
    )


def test_a_cursor_goes_on_with_another_budget_and_in_another_form(con, review):
    given = {"from": "main~1", "to": "main", "repo": str(review)}
    first, _ = call(con, "GitDiff", **given, max_bytes=4_000)
    cursor = next_cursor(first)
    for form in ("text", "json"):
        rest, _ = call(con, "GitDiff", **given, max_bytes=100_000, cursor=cursor, format=form)
        assert rest["isError"] is False and next_cursor(rest) is None
    forged, _ = call(
        con, "GitDiff", **given, cursor=cursor[:-1] + ("0" if cursor[-1] != "0" else "1")
    )
    assert forged["isError"] and forged["content"][0]["text"].startswith("invalid_args: ")


def test_templates_answer_as_the_call_does(con, review):
    for name, template in con.execute("SELECT name, sql_template FROM redline_tools()").fetchall():
        if name not in TOOLS:
            continue
        given = {"from": "main~1", "to": "main", "repo": str(review)}
        given |= {"file": "src/util.py"} if name == "GitDiffFile" else {"paths": ["*.py", ":!api"]}
        bound = dict.fromkeys(re.findall(r"\$(\w+)", template)) | given
        text = call_text(con, name, **given)
        assert "util.py" in text and "api/" not in text
        assert con.execute(template, bound).fetchone() == (text,)
        # Some servers bind a list as its JSON text.
        if "paths" in given:
            assert con.execute(
                template, bound | {"paths": json.dumps(given["paths"])}
            ).fetchone() == (text,)


def test_arguments_take_effect(con, review):
    given = {"from": "main~1", "to": "main", "repo": str(review)}
    orders = {"file": "src/orders.py"}
    assert "D notes.md" in call_text(con, "GitDiff", **given, renames=False)
    assert "R docs/notes.md => docs/orders.md +1 -1 (" in call_text(con, "GitDiff", **given)
    assert "rename from docs/notes.md" in call_text(
        con, "GitDiffFile", **given, file="docs/orders.md"
    )
    assert call_text(con, "GitDiff", **given, file="src/util.py") == call_text(
        con, "GitDiffFile", **given, file="src/util.py"
    )
    assert "order.take(1)\n" in call_text(con, "GitDiffFile", **given, **orders, context_lines=-1)
    assert "@@ -8 +8 @@" in call_text(con, "GitDiffFile", **given, **orders, context_lines=0)
    assert call_text(
        con, "GitDiffSummary", **{"from": "main~1..main", "repo": str(review)}
    ) == call_text(con, "GitDiffSummary", **given)
    assert (
        call_text(con, "GitDiffSummary", **{"from": "main", "repo": str(review)}).strip()
        == "No file differs."
    )


def test_names_that_agents_try_are_taken_or_answered(con, review):
    given = {"from": "main~1", "to": "main", "repo": str(review)}
    summary, util = (
        call_text(con, "GitDiffSummary", **given),
        call_text(con, "GitDiffFile", **given, file="src/util.py"),
    )
    for tried in (
        ("from_rev", "to_rev", "path"),
        ("ref1", "ref2", "repo_path"),
        ("base", "head", "repo"),
    ):
        assert call_text(con, "GitDiffSummary", **dict(zip(tried, given.values()))) == summary
    assert call_text(con, "GitDiffSummary", range="main~1..main", repo=str(review)) == summary
    assert call_text(con, "GitDiffFile", **given, file_path="src/util.py") == util
    for arguments, words in [
        ({"repo": str(review), "path": str(review)}, "both repo and path"),
        ({"limit": 5}, "Give max_bytes, and cursor to go on"),
        ({"repos": "x"}, "has no argument 'repos'. Did you mean 'repo'? It takes from, to, repo"),
    ]:
        text = call_text(con, "GitDiff", **({"from": "main~1", "to": "main"} | arguments))
        assert text.startswith("invalid_args: ") and words in text


@pytest.mark.parametrize(
    "arguments, code",
    [
        ({}, "invalid_args"),
        ({"from": "main", "to": "main", "max_bytes": 1999}, "invalid_args"),
        ({"from": "main", "to": "main", "max_bytes": 1 << 40}, "invalid_args"),
        ({"from": "main", "to": "main", "context_lines": -2}, "invalid_args"),
        ({"from": "main", "to": "main", "ignore_whitespace": "some"}, "invalid_args"),
        ({"from": "main", "to": "main", "paths": "[src"}, "invalid_args"),
        ({"from": "main", "to": "main", "paths": [1]}, "invalid_args"),
        ({"from": "main", "to": "main", "paths": [":(attr:x)"]}, "invalid_args"),
        ({"from": "main", "to": "main", "paths": ["src"], "file": "run.sh"}, "invalid_args"),
        ({"from": "mian", "to": "main"}, "not_found"),
        ({"from": "main~1", "to": "main", "file": "src/orders"}, "not_found"),
        ({"from": "main~1", "to": "main", "repo": "build/no-such-folder"}, "not_found"),
    ],
)
def test_wrong_arguments_are_refused(con, review, arguments, code):
    answer, _ = call(con, "GitDiff", **({"repo": str(review)} | arguments))
    assert answer["isError"] is True and answer["content"][0]["text"].startswith(f"{code}: "), (
        answer
    )


def test_the_default_repository_is_the_sandbox(connect, review):
    con = connect()
    con.execute(f"""SET GLOBAL redline_sandboxes = '[{{"name": "work", "root": "{review}"}}]'""")
    assert call_text(con, "GitDiffSummary", **{"from": "main~1", "to": "main"}).startswith(
        "9 files changed"
    )
    assert call_text(
        con, "GitDiffSummary", **{"from": "main~1", "to": "main", "repo": "."}
    ).startswith("fs_denied: ")
    assert call_text(
        con, "GitDiffSummary", **{"from": "main~1", "to": "main", "repo": "work"}
    ).startswith("9 files changed")


def test_a_tool_that_is_not_granted_is_refused(connect, review):
    con = connect()
    for granted in TOOLS:
        con.execute(f"SET GLOBAL redline_tool_grants = ['{granted}']")
        for tool in TOOLS:
            text = call_text(
                con,
                tool,
                **{"from": "main~1", "to": "main", "repo": str(review)},
                **({"file": "run.sh"} if tool == "GitDiffFile" else {}),
            )
            assert text.startswith("permission_denied: ") == (tool != granted)
        if granted != "GitDiff":
            with pytest.raises(
                duckdb.Error, match="permission_denied: the tool GitDiff is not granted"
            ):
                sections(con, "main~1", "main", review)


# -- cursors -----------------------------------------------------------------------------------


def test_a_cursor_is_refused_for_another_change(con, copy):
    repositories.git(copy, "branch", "topic", "main")
    cursor = sections(con, "main~1", "topic", copy, 4_000)[0]["next_cursor"]
    assert cursor is not None
    ask = lambda old="main~1", new="topic", **named: sections(
        con, old, new, copy, 4_000, cursor, **named
    )
    assert ask()[0]["text"].endswith(" (continued)\n")
    assert ask(new="main")[0]["text"].endswith(" (continued)\n"), "the same trees by another name"
    for named in (
        {"context": 5},
        {"renames": True},
        {"paths": ["src"]},
        {"ignore_whitespace": "all"},
        {"algorithm": "patience"},
    ):
        with pytest.raises(
            duckdb.Error, match="invalid_args: this cursor belongs to a call with other options"
        ):
            ask(**named)
    with pytest.raises(duckdb.Error, match="stale: "):
        ask(old="main", new="main~1")
    repositories.git(copy, "branch", "--force", "topic", "main~1")
    with pytest.raises(
        duckdb.Error, match="stale: this cursor belongs to a different or changed comparison"
    ):
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
    lines = [
        row["text"] for row in sections(con, "main~1", "main", review) if row["kind"] == "file"
    ]
    assert [line.strip() for line in lines[-3:]] == [
        "M Cargo.lock  +30 -30  (1 hunk, lock file)",
        "M api/client.py  +1 -1  (1 hunk, generated)",
        "M web/site.js  +1 -1  (1 hunk, minified)",
    ]
    (copy / ".gitattributes").write_text(
        "Cargo.lock -linguist-generated\napi/* linguist-generated=false\ndata/* -diff\n"
    )
    lines = [row["text"] for row in sections(con, "main~1", "main", copy) if row["kind"] == "file"]
    assert [line.split()[1] for line in lines[-2:]] == ["data/words.txt", "web/site.js"]
    assert "(binary, -diff)" in lines[-2]
