"""GitLog, GitShow, GitFile, GitBlame, GitStatus and GitRefs: what git says of the same, page by page and within the budget."""

import json
import pathlib
import re
import shutil

import pytest
import repositories

pytestmark = pytest.mark.own_database


class Clock:
    """Times of commits, an hour apart."""

    def __init__(self):
        self.now = 1_500_000_000

    def tick(self) -> dict:
        self.now += 3_600
        who = {
            f"GIT_{role}_{part}": text
            for role in ("AUTHOR", "COMMITTER")
            for part, text in (("NAME", "A U Thor"), ("EMAIL", "a@example.com"))
        }
        return repositories.environment(
            **who, GIT_AUTHOR_DATE=f"{self.now} +0000", GIT_COMMITTER_DATE=f"{self.now} +0000"
        )


TOOLS = ["GitLog", "GitShow", "GitFile", "GitBlame", "GitStatus", "GitRefs"]


@pytest.fixture
def ask(con):
    """Returns a function that calls a tool and returns its text, or its values with format = json."""

    def run(tool, repo, **given):
        (answer,) = con.execute(
            "SELECT redline_call(?, ?)", [tool, json.dumps({"repo": str(repo)} | given)]
        ).fetchone()
        assert len(answer.encode()) <= given.get("max_bytes", 18_000)
        answer = json.loads(answer)
        text = answer["content"][0]["text"]
        return (
            answer["structuredContent"]
            if given.get("format") == "json" and not answer["isError"]
            else text
        )

    return run


@pytest.fixture(scope="module")
def busy(tmp_path_factory) -> pathlib.Path:
    """Returns a repository with many commits, a merge, a rename, tags and a work tree with changes of every kind."""
    repo = tmp_path_factory.mktemp("busy")
    clock = Clock()
    git = lambda *arguments, env=None: repositories.git(repo, *arguments, env=env or clock.tick())
    git("init", "-q", "-b", "main", ".")
    lines = [f'line {number} of the "file"\n' for number in range(120)]
    for number in range(60):
        lines[number * 2] = f"changed by {number}\té\n"
        path = "old name.txt" if number < 30 else "src/new.txt"
        if number == 30:
            (repo / "src").mkdir()
            git("mv", "old name.txt", path)
        (repo / path).write_text("".join(lines))
        (repo / f"other{number % 3}").write_text(f"{number}\n")
        git("add", ".")
        git("commit", "-q", "-m", f"Change {number}\n\nWith a body,\n    indented {number}.\n")
        if number % 20 == 5:
            git("tag", "-a", f"v{number}", "-m", f"Version {number}")
    git("checkout", "-q", "-b", "side", "HEAD~3")
    (repo / "side").write_text("side\n")
    git("add", ".")
    git("commit", "-q", "-m", "On the side")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "Join the side", "side")
    git("config", "branch.side.remote", ".")
    git("config", "branch.side.merge", "refs/heads/main")
    (repo / "staged").write_text("staged\n")
    git("add", "staged")
    git("mv", "other0", "moved")
    (repo / "other1").write_text("other\n")
    (repo / "other2").unlink()
    (repo / "untracked é").write_text("x\n")
    return repo


def pages(ask, tool, repo, key, budgets=(2_000, 5_000), **given):
    """Returns the rows of all pages as values, and checks that the pages of the text are those of the same budget."""
    rows, cursor = [], None
    for number in range(500):
        page = ask(
            tool,
            repo,
            format="json",
            cursor=cursor,
            max_bytes=budgets[number % len(budgets)],
            **given,
        )
        assert page["truncated"] is (page["next_cursor"] is not None)
        rows += page[key]
        cursor = page["next_cursor"]
        if cursor is None:
            return rows, number + 1
    raise AssertionError("no last page")


def texts(ask, tool, repo, **given):
    """Returns the texts of all pages."""
    found, cursor = [], None
    for _ in range(500):
        text = ask(tool, repo, cursor=cursor, **given)
        goes_on = re.search(r"with cursor (\w+)", text)
        found.append(text)
        if goes_on is None:
            return found
        cursor = goes_on[1]
    raise AssertionError("no last page")


@pytest.mark.parametrize(
    "options, given",
    [
        ([], {}),
        (["v5..main"], {"range": "v5..main"}),
        (["--all"], {"range": "ALL"}),
        (["main", "--", "other1"], {"paths": ["other1"]}),
    ],
)
def test_commits_are_those_of_git_log(ask, busy, options, given):
    printed = repositories.git_text(
        busy, "log", "--format=%H%x09%P%x09%an%x09%s", *options
    ).splitlines()
    wanted = [line.split("\t") for line in printed]
    rows, count = pages(ask, "GitLog", busy, "commits", **given)
    assert [
        [row["commit_id"], " ".join(row["parent_ids"]), row["author_name"], row["subject"]]
        for row in rows
    ] == wanted
    assert count > 1
    text = "".join(texts(ask, "GitLog", busy, max_bytes=2_000, **given))
    assert re.findall("^([0-9a-f]{12}) ", text, re.M) == [line[0][:12] for line in wanted]


def test_a_commit_of_a_list_tells_its_day_its_names_and_that_it_merges(ask, busy):
    tip, day = repositories.git_text(busy, "log", "-1", "--format=%h %as", "--abbrev=12").split()
    author = repositories.git_text(busy, "log", "-1", "--format=%an").strip()
    assert f"\n{tip} (merge) [HEAD, main] {day} {author}: Join the side\n" in ask("GitLog", busy)
    rows = ask("GitLog", busy, range="v25", format="json")["commits"]
    assert (
        rows[0]["refs"] == ["v25"]
        and rows[0]["author_date"].endswith("Z")
        and "file_path" not in rows[0]
    )


def test_the_commits_of_a_file_are_followed_through_its_rename(ask, busy):
    wanted = repositories.git_text(
        busy, "log", "--follow", "--format=%H", "--", "src/new.txt"
    ).splitlines()
    rows, _ = pages(ask, "GitLog", busy, "commits", file="src/new.txt")
    assert [row["commit_id"] for row in rows] == wanted
    assert {row["file_path"] for row in rows} == {"src/new.txt", "old name.txt"}
    assert "(renamed: old name.txt => src/new.txt)" in ask("GitLog", busy, file="src/new.txt")


def test_dates_are_read_as_git_reads_them(ask, busy):
    middle = repositories.git_text(busy, "log", "-1", "--format=%cI", "v25").strip()
    rows = ask("GitLog", busy, since=middle, format="json", max_bytes=60_000)["commits"]
    assert len(rows) == len(
        repositories.git_text(busy, "rev-list", f"--since={middle}", "HEAD").splitlines()
    )
    rows = ask("GitLog", busy, until=middle, format="json", max_bytes=60_000)["commits"]
    assert len(rows) == len(
        repositories.git_text(busy, "rev-list", f"--until={middle}", "HEAD").splitlines()
    )
    assert ask("GitLog", busy, since="qqq").startswith("invalid_args: since is 'qqq'")


@pytest.mark.parametrize("rev", ["HEAD~5", "v5", "HEAD", "side"])
def test_a_commit_is_shown_with_its_message_and_what_git_show_has(ask, busy, rev):
    shown = ask("GitShow", busy, rev=rev)
    oid, message = repositories.git_text(busy, "log", "-1", "--format=%H%n%B", rev, "--").split(
        "\n", 1
    )
    assert shown.startswith(f"commit {oid}\n")
    indented = "".join(
        f"    {line}\n" if line else "\n" for line in message.rstrip("\n").split("\n")
    )
    assert f"\n\n{indented}\n" in shown
    patch = repositories.git(busy, "diff", "-M", f"{rev}^1", rev, "--").decode()
    values = ask("GitShow", busy, rev=rev, format="json")
    assert values["patch"] == patch and values["commit"]["message"] == message.rstrip("\n")
    assert (
        values["commit"]["parent_ids"]
        == repositories.git_text(busy, "log", "-1", "--format=%P", rev, "--").split()
    )


def test_the_pages_of_a_commit_are_its_patch(ask):
    repo = repositories.fixture("review")
    patch, cursor, count = "", None, 0
    while True:
        page = ask(
            "GitShow",
            repo,
            rev="main",
            format="json",
            cursor=cursor,
            max_bytes=2_500,
            paths=["data", "src"],
        )
        assert ("commit" in page) is (cursor is None)
        patch += page["patch"]
        cursor, count = page["next_cursor"], count + 1
        if cursor is None:
            break
    wanted = repositories.git(repo, "diff", "-M", "main^", "main", "--", "data", "src").decode()
    added = lambda text: sorted(
        line
        for line in text.splitlines()
        if line.startswith(("+", "-")) and not line.startswith(("+++", "---"))
    )
    assert added(patch) == added(wanted) and count > 2
    first, *later = texts(ask, "GitShow", repo, rev="main", max_bytes=3_000)
    assert "    Take orders in larger steps\n" in first and later
    assert all(re.match("commit [0-9a-f]{40}, continued\n", text) for text in later)
    root = ask("GitShow", repo, rev="main~1")
    assert "parents: none\n" in root and "util.py +1" in root


def test_a_long_message_leaves_room_for_the_change(ask, tmp_path):
    repo, clock = tmp_path, Clock()
    repositories.git(repo, "init", "-q", "-b", "main", ".")
    (repo / "f").write_text("one\n")
    repositories.git(repo, "add", ".")
    repositories.git(
        repo,
        "commit",
        "-q",
        "-F",
        "-",
        stdin=("Long \x1b[31m\n\n" + 'words \u202e "\n' * 20_000).encode(),
        env=clock.tick(),
    )
    for form in ("text", "json"):
        for max_bytes in (2_000, 3_000, 25_000):
            shown = ask("GitShow", repo, max_bytes=max_bytes, format=form)
            text = shown if form == "text" else shown["commit"]["message"] + shown["patch"]
            assert (
                "[message cut at " in text
                and "+one\n" in text
                and not set(text) & set("\x1b\u202e")
            )


@pytest.mark.parametrize("rev", ["HEAD", "v5", "INDEX", "WORKTREE"])
def test_a_file_is_read_as_it_is_at_a_revision(ask, busy, rev):
    path = "old name.txt" if rev == "v5" else "src/new.txt"
    content = (
        (busy / path).read_text()
        if rev == "WORKTREE"
        else repositories.git(busy, "show", f"{'' if rev == 'INDEX' else rev}:{path}").decode()
    )
    read, cursor = "", None
    while True:
        page = ask(
            "GitFile", busy, file=path, rev=rev, format="json", cursor=cursor, max_bytes=2_000
        )
        read += page["content"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert read == content and page["lines"] == content.count("\n")
    lines = content.splitlines(keepends=True)
    text = ask("GitFile", busy, file=path, rev=rev, first_line=3, last_line=4, line_numbers=True)
    assert (
        text.startswith(f"{path} at {rev} (lines 3 to 4 of 120, ")
        and f"```\n3\t{lines[2]}4\t{lines[3]}```" in text
    )


@pytest.mark.parametrize("rev", ["HEAD", "v25", "WORKTREE"])
def test_lines_are_blamed_on_the_commits_of_git(ask, busy, rev):
    path = "old name.txt" if rev == "v25" else "src/new.txt"
    printed = repositories.git_text(
        busy, "blame", "--porcelain", *([] if rev == "WORKTREE" else [rev]), "--", path
    )
    wanted = [
        (line.split()[0], int(line.split()[2]))
        for line in printed.splitlines()
        if re.match("[0-9a-f]{40} ", line)
    ]
    runs, count = pages(ask, "GitBlame", busy, "runs", file=path, rev=rev)
    got = [
        (run["commit_id"], run["first_line"] + at)
        for run in runs
        for at in range(len(run["lines"]))
    ]
    assert got == wanted and count > 1
    lines = [line for run in runs for line in run["lines"]]
    assert (
        lines
        == repositories.git(busy, "show", f"{'HEAD' if rev == 'WORKTREE' else rev}:{path}")
        .decode()
        .splitlines()
    )
    some = "".join(
        texts(
            ask, "GitBlame", busy, file=path, rev=rev, first_line=10, last_line=60, max_bytes=2_000
        )
    )
    assert [int(number) for number in re.findall(r"^(\d+)\t", some, re.M)] == list(range(10, 61))
    # A line's commit is the last that was named above it.
    commit, shown = None, []
    for line in some.splitlines():
        if found := re.match("([0-9a-f]{12}) ", line):
            commit = found[1]
        elif found := re.match(r"(\d+)\t", line):
            shown.append((commit, int(found[1])))
    assert shown == [(oid[:12], line) for oid, line in wanted if 10 <= line <= 60]


def test_uncommitted_lines_are_marked(ask, busy):
    assert (
        ask("GitBlame", busy, file="other1", rev="WORKTREE")
        == "other1 at WORKTREE, lines 1 to 1 of 1\nnot committed\n1\tother\n"
    )
    assert " (in old name.txt) 2017-07-14 A U Thor: " in ask("GitBlame", busy, file="src/new.txt")


def test_the_status_is_that_of_git(ask, busy, tmp_path):
    short = lambda *options: (
        repositories.git(
            busy,
            "-c",
            "core.quotePath=false",
            "status",
            "--short",
            "--untracked-files=all",
            "-z",
            *options,
        )
        .decode()
        .split("\0")[:-1]
    )
    rows = ask("GitStatus", busy)
    head, *lines = rows.splitlines()
    entries, wanted = iter(short()), []
    for entry in entries:
        old = f"{next(entries)} => " if "R" in entry[:2] else ""
        wanted.append(f"{entry[:2]} {old}{entry[3:]}")
    assert lines == wanted and len(wanted) == 5
    assert re.fullmatch(rf"{re.escape(str(busy))} on main at [0-9a-f]{{12}}: 5 files", head)
    assert ask("GitStatus", busy, paths=["src"]).endswith(
        ": nothing to commit, nothing untracked\n"
    )
    repositories.git(tmp_path, "init", "-q", "-b", "trunk", ".")
    assert (
        ask("GitStatus", tmp_path)
        == f"{tmp_path} on trunk, which has no commit yet: nothing to commit, nothing untracked\n"
    )


def test_references_are_those_of_git(ask, busy):
    wanted = dict(
        line.split()
        for line in repositories.git_text(
            busy,
            "for-each-ref",
            "--format=%(refname:short) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)",
        ).splitlines()
    )
    rows = ask("GitRefs", busy, format="json")["refs"]
    assert {row["name"]: row["commit_id"] for row in rows if row["name"] != "HEAD"} == wanted
    text = ask("GitRefs", busy)
    tip = wanted["main"][:12]
    assert (
        f"HEAD {tip} -> main | Join the side\n" in text
        and f"\nmain {tip} (HEAD) | Join the side\n" in text
    )
    assert f"\nside {wanted['side'][:12]} [main: ahead 0, behind 4] | On the side\n" in text
    assert [
        row["name"] for row in ask("GitRefs", busy, glob="refs/tags/v*", format="json")["refs"]
    ] == ["v25", "v45", "v5"]


def test_pages_of_many_references_are_all_of_them(ask, tmp_path):
    repo = tmp_path / "many"
    shutil.copytree(repositories.fixture("readme"), repo)
    tip = repositories.git_text(repo, "rev-parse", "HEAD").strip()
    names = "".join(f"create refs/heads/branch/{number:04} {tip}\n" for number in range(300))
    repositories.git(repo, "update-ref", "--stdin", stdin=names.encode())
    rows, count = pages(ask, "GitRefs", repo, "refs", glob="refs/heads/branch/*")
    assert [row["name"] for row in rows] == [
        f"branch/{number:04}" for number in range(300)
    ] and count > 5
    # One commit with many names says how many more there are.
    assert ", and 29" in ask("GitLog", repo, range="HEAD", max_bytes=2_000)


ARGUMENTS = {
    "GitLog": {},
    "GitShow": {"rev": "v5"},
    "GitFile": {"file": "src/new.txt"},
    "GitBlame": {"file": "src/new.txt"},
    "GitStatus": {},
    "GitRefs": {},
}


@pytest.mark.parametrize("tool", TOOLS)
def test_cursors_hold_for_one_question_and_one_state(ask, busy, tool, tmp_path):
    repo = tmp_path / "copy"
    shutil.copytree(busy, repo, symlinks=True)
    for number in range(80):
        (repo / f"new{number}").write_text("x\n" * 200)
    given = ARGUMENTS[tool]
    if tool == "GitShow":
        repositories.git(repo, "add", "new1", "new2", "new3", "new4", "new5", "new6")
        repositories.git(repo, "commit", "-q", "-m", "Much", env=Clock().tick())
        given = {"rev": "HEAD"}
    if tool == "GitRefs":
        names = "".join(f"create refs/heads/b{number:04} HEAD\n" for number in range(100))
        repositories.git(repo, "update-ref", "--stdin", stdin=names.encode())
    cursor = ask(tool, repo, max_bytes=2_000, format="json", **given)["next_cursor"]
    assert cursor
    code = lambda **more: ask(tool, repo, **(given | {"cursor": cursor} | more)).split(":")[0]
    assert code(max_bytes=9_000) not in ("invalid_args", "stale")
    assert (
        code(cursor=cursor[:-1] + ("0" if cursor[-1] != "0" else "1"))
        == code(cursor="x")
        == "invalid_args"
    )
    other = {
        "GitLog": {"range": "side"},
        "GitShow": {"context_lines": 1},
        "GitFile": {"rev": "v45"},
        "GitBlame": {"rev": "v45"},
        "GitStatus": {"paths": ["new*"]},
        "GitRefs": {"glob": "b*"},
    }
    assert code(**other[tool]) in ("invalid_args", "stale")
    (repo / "src/new.txt").write_text("changed\n")
    repositories.git(repo, "add", ".")
    repositories.git(repo, "commit", "-q", "-m", "Changed", env=Clock().tick())
    assert code() == "stale"


@pytest.mark.parametrize("tool", TOOLS)
def test_wrong_calls_are_answered_with_what_to_do(ask, con, busy, tool):
    given = ARGUMENTS[tool]
    said = lambda **more: ask(tool, busy, **(given | more))
    assert "It takes " in said(nothing=1) and said(nothing=1).startswith("invalid_args: ")
    assert ask(tool, "/nowhere", **given).startswith(("not_found: ", "fs_denied: "))
    if tool in ("GitLog", "GitShow", "GitFile", "GitBlame"):
        name = "range" if tool == "GitLog" else "rev"
        assert said(**{name: "mian"}).startswith("not_found: ") and "Did you mean 'main'" in said(
            **{name: "mian"}
        )
    if tool in ("GitFile", "GitBlame"):
        assert "Did you mean 'src/new.txt'?" in said(file="src/new.tx") and said(
            file="src/new.tx"
        ).startswith("not_found: ")
        assert said(file="src").startswith("not_found: ")
        assert said(first_line=9, last_line=3).startswith(
            "invalid_args: "
        ) and "needs the argument 'file'" in ask(tool, busy)
    if tool == "GitBlame":
        assert said(first_line=121).startswith("invalid_args: ")
    if tool == "GitShow":
        assert "GitLog lists the commits of a range" in said(
            rev="v5..main"
        ) and "GitLog lists" in said(rev="ALL")
    if tool == "GitLog":
        assert said(file="x", paths=["y"]).startswith("invalid_args: ") and said(skip=3).startswith(
            "invalid_args: GitLog has no argument 'skip'"
        )
        assert said(file="no such file").startswith("not_found: ")
    con.execute("SET redline_tool_grants = ['GitDiff']")
    assert said().startswith("permission_denied: ")


def test_names_that_agents_try_are_taken(ask, busy):
    assert ask("GitLog", busy, rev="v5") == ask("GitLog", busy, range="v5")
    assert ask("GitShow", busy, commit="v5") == ask("GitShow", busy, rev="v5")
    assert ask("GitFile", busy, file_path="other1", ref="v5", start_line=1) == ask(
        "GitFile", busy, file="other1", rev="v5", first_line=1
    )
    assert ask("GitRefs", busy, pattern="v*") == ask("GitRefs", busy, glob="v*")


@pytest.mark.parametrize("tool", TOOLS)
def test_they_keep_to_the_sandbox(con, busy, tool, tmp_path):
    outside = tmp_path / "outside"
    shutil.copytree(busy, outside, symlinks=True)
    inside = tmp_path / "inside"
    shutil.copytree(busy, inside / "repo", symlinks=True)
    con.execute(
        f"SET GLOBAL redline_sandboxes = '{json.dumps([{'name': 'w', 'root': str(inside)}])}'"
    )
    ask = lambda repo: con.execute(
        "SELECT redline_call_text(?, ?)", [tool, json.dumps(ARGUMENTS[tool] | {"repo": repo})]
    ).fetchone()[0]
    assert not re.match("[a-z_]+: ", ask("w/repo"))
    for repo in (str(outside), "w/../outside", "outside", "w/repo/../../outside"):
        assert ask(repo).startswith(("fs_denied: ", "not_found: ")), repo


def test_references_are_meant_by_globs_names_and_beginnings_of_names(ask, busy):
    def named(glob):
        return [
            line.split(" ")[0] for line in ask("GitRefs", busy, glob=glob).splitlines()[1:] if line
        ]

    tags = named("refs/tags/*")
    assert len(tags) > 1 and named("tags") == named("refs/tags") == named("tags/") == tags
    assert named("v*")[: len(tags)] == tags and named("main") == ["main"] == named(
        "refs/heads/main"
    ) == named("heads/main")
    nothing = ask("GitRefs", busy, glob="releases/*")
    assert re.search(
        r": 0 references\. None of \d+ matches the glob: \d+ below refs/heads/, 3 below refs/tags/, 0 below refs/remotes/$",
        nothing.splitlines()[0],
    ), nothing


def test_a_search_that_finds_nothing_says_why(ask, con, busy):
    def first(**given):
        return (
            con.execute(
                "SELECT redline_call_text('search', ?)",
                [json.dumps({"repo": str(busy), "rev": "main"} | given)],
            )
            .fetchone()[0]
            .splitlines()[0]
        )

    assert first(pattern="changed by (1|2)\t").endswith(
        ": 0 matching lines in 0 files. As an expression it matches 2 lines: regex = true"
    )
    assert first(pattern="changed|nowhere").endswith(" lines: regex = true")
    assert first(pattern="no.where|at all").endswith(": 0 matching lines in 0 files") and first(
        pattern="("
    ).endswith(" 0 files")
    assert first(pattern="x", glob="main/src/**").endswith(
        "0 files. No file matches the glob 'main/src/**'; globs match paths from the directory that is searched on"
    )
    assert (
        "regex = true" not in first(pattern="changed by")
        and first(pattern="changed by 1.", regex=True).count("matching lines") == 1
    )


def test_a_comparison_or_a_history_without_a_row_says_why(ask, busy):
    assert ask("GitDiff", busy, **{"from": "main~3", "to": "main", "paths": ["workspace/src"]}) == (
        "No file that paths names differs, and 4 others do. 'workspace/src' names no file. Paths start at the root of the repository, without the name of its sandbox.\n"
    )
    assert ask(
        "GitDiffSummary", busy, **{"from": "main~3", "to": "main", "paths": ["absent.py"]}
    ).startswith("No file that paths names differs, and 4 others do.")
    assert (
        ask("GitDiff", busy, **{"from": "main", "to": "main", "paths": ["src"]})
        == "No file differs.\n"
    )
    first = lambda **given: ask("GitLog", busy, **given).splitlines()[0]
    assert ": 0 commits change what paths names. 'absent.py' names no file. " in first(
        paths=["absent.py"]
    )
    assert first(range="main..main~2").endswith(
        ": 0 commits: all that the range leads to is left out by its start"
    )
    assert (
        first(until="1999-01-01").endswith(": 0 commits of that time")
        and "0 commits" not in first()
    )


def test_a_cursor_of_a_symmetric_range_goes_on(ask, busy):
    given = {"range": "main~40...main", "max_bytes": 2_000, "format": "json"}
    page, seen = ask("GitLog", busy, **given), []
    while page["next_cursor"]:
        seen += page["commits"]
        page = ask("GitLog", busy, **given, cursor=page["next_cursor"])
    ids = [commit["commit_id"] for commit in [*seen, *page["commits"]]]
    assert (
        len(seen) > 5
        and ids == repositories.git(busy, "log", "--format=%H", "main~40...main").decode().split()
    )


def test_a_log_has_so_many_commits_as_are_asked_for(ask, busy):
    ids = repositories.git(busy, "log", "--format=%H", "main").decode().split()
    for name in ("limit", "max_count", "n"):
        found = ask("GitLog", busy, format="json", **{name: 3})
        assert [commit["commit_id"] for commit in found["commits"]] == ids[:3] and found[
            "next_cursor"
        ] is None
    page, seen = ask("GitLog", busy, format="json", limit=12, max_bytes=2_000), []
    while page["next_cursor"]:
        seen += page["commits"]
        page = ask(
            "GitLog", busy, format="json", limit=12, max_bytes=2_000, cursor=page["next_cursor"]
        )
    assert [commit["commit_id"] for commit in [*seen, *page["commits"]]] == ids[:12] and seen
    assert len(ask("GitLog", busy, format="json", file="src/new.txt", limit=2)["commits"]) == 2
