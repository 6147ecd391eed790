"""A sandbox with `refs`: what no reference of these reaches cannot be named, found, listed or guessed, in any way."""

import json
import pathlib
import random
import re

import duckdb
import pytest
import repositories
from reading_calls import CALLS, OTHER_CALLS
from repositories import EMPTY

CANARY = "CANARY"
OPEN = ["refs/heads/main", "refs/tags/open*"]


class Limited:
    """A repository of which main and the tags open* may be read, and its hidden commits."""

    def __init__(self, root: pathlib.Path):
        self.root, self.repo, self.now = root, root / "repo", 1_600_000_000
        self.git("init", "-q", "-b", "main", str(self.repo), where=root)
        self.commit("first", "a.txt", "one\n")
        self.git("tag", "open1")
        self.commit("second", "a.txt", "one\ntwo\n")
        self.hidden = {}
        self.git("checkout", "-q", "-b", f"{CANARY}-branch")
        self.hidden["branch"] = self.commit(
            f"{CANARY} subject", f"{CANARY}.txt", f"{CANARY} content\n"
        )
        self.git("tag", f"{CANARY}-light")
        self.git("tag", "-a", f"{CANARY}-tag", "-m", f"{CANARY} tag message")
        self.hidden["tag object"] = self.id(f"{CANARY}-tag")
        self.hidden["tree"] = self.id(f"{CANARY}-branch^{{tree}}")
        self.hidden["blob"] = self.id(f"{CANARY}-branch:{CANARY}.txt")
        (self.repo / "a.txt").write_text(f"{CANARY} stashed\n")
        self.git("stash", "push", "-q", "-m", f"{CANARY} stash message")
        self.hidden["stash"] = self.id("stash")
        self.git("checkout", "-q", "main")
        # What main was before it was taken back.
        self.hidden["amended"] = self.commit(f"{CANARY} taken back", "a.txt", f"{CANARY} amended\n")
        self.git("reset", "-q", "--hard", "HEAD~1")
        self.git("update-ref", f"refs/remotes/origin/{CANARY}-remote", self.hidden["branch"])
        self.git("update-ref", f"refs/notes/{CANARY}", self.hidden["branch"])
        self.git("symbolic-ref", "refs/tags/open-link", f"refs/heads/{CANARY}-branch")
        self.git("config", "branch.main.remote", ".")
        self.git("config", "branch.main.merge", f"refs/heads/{CANARY}-branch")
        self.git("worktree", "add", "-q", str(root / "other"), f"{CANARY}-branch")
        for name in ("FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", f"{CANARY}_HEAD"):
            (self.repo / ".git" / name).write_text(f"{self.hidden['branch']}\n")

    def git(self, *arguments: str, where=None) -> None:
        self.now += 3600
        who = {
            f"GIT_{role}_{part}": text
            for role in ("AUTHOR", "COMMITTER")
            for part, text in (("NAME", "A"), ("EMAIL", "a@example.com"))
        }
        when = {f"GIT_{role}_DATE": f"{self.now} +0000" for role in ("AUTHOR", "COMMITTER")}
        repositories.git(
            where or self.repo, *arguments, env=repositories.environment(**who, **when)
        )

    def commit(self, message: str, name: str, content: str) -> str:
        (self.repo / name).write_text(content)
        self.git("add", ".")
        self.git("commit", "-q", "-m", message)
        return self.id("HEAD")

    def id(self, revision: str) -> str:
        return repositories.git_text(self.repo, "rev-parse", revision).strip()

    def names(self) -> list[str]:
        """Returns every way to name what is hidden."""
        hidden = list(self.hidden.values())
        return [
            *hidden, *(oid[:10] for oid in hidden), *(f"{oid}~1^0~0" for oid in hidden if oid == self.hidden["branch"]), f"x-1-g{self.hidden['branch'][:12]}",
            f"{CANARY}-branch", f"refs/heads/{CANARY}-branch", f"heads/{CANARY}-branch", f"{CANARY}-branch~1", f"{CANARY}-branch^{{tree}}",
            f"{CANARY}-branch:{CANARY}.txt", f"{CANARY}-light", f"{CANARY}-tag", f"{CANARY}-tag^{{}}", f"refs/tags/{CANARY}-tag", "open-link",
            f"origin/{CANARY}-remote", f"refs/remotes/origin/{CANARY}-remote", f"refs/notes/{CANARY}", "stash", "refs/stash", "stash@{0}", "stash^2",
            "@{-1}", "@{-2}", "@{-1}~1", "@{-1}@{u}", "main@{1}", "HEAD@{1}", "@{1}", "@{2}", "@{3}", "main@{2}", f"{CANARY}-branch@{{0}}", f"{CANARY}-branch@{{u}}",
            "@{u}", "main@{upstream}", "@{push}", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", f"{CANARY}_HEAD", "AUTO_MERGE",
            "worktrees/other/HEAD", f":/{CANARY}", "HEAD^{/CANARY}", "main^{/CANARY}", f"main..{CANARY}-branch", f"{CANARY}-branch...main", f"{self.hidden['branch']}^!",
            f"{CANARY}-branc", "CANARY", "origin/CANAR",
        ]  # fmt: skip


@pytest.fixture(scope="module")
def limited(tmp_path_factory) -> Limited:
    return Limited(tmp_path_factory.mktemp("limited"))


@pytest.fixture
def agent(connect, limited):
    con = connect()
    sandboxes = [{"name": "w", "root": str(limited.root), "refs": OPEN}]
    con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps(sandboxes)])
    return con


def ask(con, sql: str, values: dict) -> str:
    used = {name: value for name, value in values.items() if f"${name}" in sql}
    try:
        shown = repr(con.execute(sql, used).fetchall())
    except duckdb.Error as error:
        shown = f"Error: {error}"
    # What was asked may be said again: the whole, and each end of a range.
    given = [end for value in used.values() for end in (value, *re.split(r"\.{2,3}", value)) if end]
    for value in sorted(given, key=len, reverse=True):
        shown = shown.replace(value, "<given>")
    return shown


def leaks(limited: Limited, shown: str) -> list[str]:
    found = [CANARY] if CANARY.lower() in shown.lower() else []
    return found + [oid for oid in limited.hidden.values() if oid[:10] in shown]


# Promise (sandbox): What no reference named by a sandbox's `refs` reaches cannot be named by any
# function or tool: by its name, id, abbreviation, log, `@{-1}`, `@{u}`, a symbolic reference, a
# range, `ALL`, `:/text`, or a suggestion. With `test_what_names_everything_names_no_more`,
# `test_the_index_and_the_work_tree_of_a_hidden_branch_are_hidden`.
@pytest.mark.parametrize(
    "most", [4, pytest.param(None, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_nothing_that_is_hidden_can_be_named(agent, limited, most):
    wrong, names = [], limited.names()
    for name in random.Random(1).sample(names, most or len(names)):
        for call, sql in CALLS.items():
            for old, new, file in ((EMPTY, name, f"{CANARY}.txt"), (name, "main", "a.txt")):
                shown = ask(agent, sql, {"old": old, "new": new, "file": file, "repo": "w/repo"})
                if found := leaks(limited, shown):
                    wrong.append(f"{name} in {call}: {found[0]}: {shown[:200]}")
        try:
            resolved = agent.execute("SELECT resolve_revision(?, 'w/repo')", [name]).fetchone()[0]
        except duckdb.Error as error:
            code, _ = repositories.code_and_words(str(error))
            assert code in ("not_found", "invalid_args"), (name, error)
        else:
            # Some places in a log are what may be read.
            assert resolved in (limited.id("main"), limited.id("main~1")) and "@{" in name, (
                name,
                resolved,
            )
    assert not wrong, f"{len(wrong)} ways:\n" + "\n".join(wrong[:20])


def test_without_the_limit_the_names_lead_to_hidden_commits(connect, limited):
    """The control: most of these ways are ways."""
    con = connect()
    resolved = set()
    for name in limited.names():
        try:
            resolved.add(
                con.execute("SELECT resolve_revision(?, ?)", [name, str(limited.repo)]).fetchone()[
                    0
                ]
            )
        except duckdb.Error:
            continue
    assert set(limited.hidden.values()) <= resolved


def test_what_names_everything_names_no_more(agent, limited):
    questions = [sql for sql in OTHER_CALLS if "side" not in sql] + [
        "SELECT * EXCLUDE (tagged_at, committed_at) FROM refs($repo)",
        "SELECT commit_id, refs, notes, subject FROM commits('ALL', $repo)",
        f"SELECT commit_id, notes FROM commits('main', $repo, notes_ref := 'refs/notes/{CANARY}')",
        "SELECT * EXCLUDE (author_date, committer_date) FROM commits('ALL', $repo, paths := ['CANARY*'])",
        "SELECT redline_call('GitRefs', json_object('repo', $repo, 'format', 'json'))",
        "SELECT redline_call('GitStatus', json_object('repo', $repo))",
        "SELECT redline_call('GitBlame', json_object('repo', $repo, 'file', 'a.txt', 'rev', 'WORKTREE'))",
        "SELECT * FROM file_status($repo, ignored := true)",
    ]
    for sql in questions:
        shown = ask(agent, sql, {"repo": "w/repo"})
        assert not leaks(limited, shown.replace(f"refs/notes/{CANARY}", "")), (sql, shown)
    names = [name for (name,) in agent.execute("SELECT name FROM refs('w/repo')").fetchall()]
    assert names == ["HEAD", "refs/heads/main", "refs/tags/open1"]
    assert agent.execute(
        "SELECT upstream, ahead FROM refs('w/repo') WHERE name = 'refs/heads/main'"
    ).fetchone() == (None, None)
    assert agent.execute("SELECT count(*) FROM commits('ALL', 'w/repo')").fetchone() == (2,)


def test_readable_references_are_resolved(agent, con, limited):
    for name in (
        "main",
        "HEAD",
        "open1",
        "main~1",
        "@",
        "main@{0}",
        limited.id("main"),
        limited.id("main~1"),
        limited.id("main")[:8],
        "main^{tree}",
        "HEAD:a.txt",
        ":/second",
        ":a.txt",
        "main^{/first}",
        "open1..main",
    ):
        resolve = (
            "SELECT commit_id FROM commits(?, ?)"
            if ".." in name
            else "SELECT resolve_revision(?, ?)"
        )
        assert (
            agent.execute(resolve, [name, "w/repo"]).fetchall()
            == con.execute(resolve, [name, str(limited.repo)]).fetchall()
        ), name
    assert (
        agent.execute(
            "SELECT file_content('a.txt', 'WORKTREE', 'w/repo'), file_content('a.txt', 'INDEX', 'w/repo')"
        ).fetchone()
        == ("one\ntwo\n",) * 2
    )
    assert agent.execute(
        "SELECT count(*) FROM file_blame('a.txt', 'WORKTREE', 'w/repo')"
    ).fetchone() == (2,)
    # Trees and contents are named by what holds them alone.
    with pytest.raises(duckdb.Error, match="not_found"):
        agent.execute("SELECT resolve_revision(?, 'w/repo')", [limited.id("main^{tree}")])


@pytest.mark.parametrize("state", ["another work tree", "a detached HEAD"])
def test_the_index_and_the_work_tree_of_a_hidden_branch_are_hidden(agent, limited, state):
    place = "w/other"
    if state == "a detached HEAD":
        detached = limited.root / "detached"
        if not detached.exists():
            limited.git("worktree", "add", "-q", "--detach", str(detached), "main")
        place = "w/detached"
    for sql in (
        "SELECT * FROM file_status($repo)",
        "SELECT * FROM tree_files('INDEX', $repo)",
        "SELECT * FROM tree_files('WORKTREE', $repo)",
        "SELECT file_content('a.txt', 'INDEX', $repo)",
        "SELECT * FROM file_changes('main', 'WORKTREE', $repo)",
        "SELECT * FROM file_changes('main', NULL, $repo)",
        "SELECT * EXCLUDE (author_date) FROM file_blame('a.txt', 'WORKTREE', $repo)",
        "SELECT lines FROM tree_blame('INDEX', $repo)",
        "SELECT resolve_revision(':a.txt', $repo)",
        "SELECT * FROM diff_review('INDEX', 'WORKTREE', $repo)",
    ):
        shown = ask(agent, sql, {"repo": place})
        assert "fs_denied: the checked-out reference may not be read" in shown and not leaks(
            limited, shown
        ), (sql, shown)
    for tool in ("GitStatus", "GitDiff"):
        shown = ask(
            agent,
            f"SELECT redline_call_text('{tool}', $args)",
            {"args": json.dumps({"repo": place} | ({"from": "main"} if tool == "GitDiff" else {}))},
        )
        assert "fs_denied: " in shown and not leaks(limited, shown), shown
    assert (
        ask(agent, "SELECT resolve_revision('HEAD', $repo)", {"repo": place}).count("not_found")
        == 1
    )
    assert agent.execute("SELECT resolve_revision('main', ?)", [place]).fetchone() == (
        limited.id("main"),
    )


def test_patterns_of_all_sandboxes_around_count_and_wrong_ones_are_refused(connect, limited):
    con = connect()

    def names(*sandboxes) -> list[str] | str:
        entries = [
            {"name": f"w{number}", "root": str(limited.root)} | sandbox
            for number, sandbox in enumerate(sandboxes)
        ]
        con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps(entries)])
        try:
            return [name for (name,) in con.execute("SELECT name FROM refs('w0/repo')").fetchall()]
        except duckdb.Error as error:
            return str(error)

    every = names({})
    assert len(every) > 8 and any(CANARY in name for name in every)
    assert names({"refs": ["refs/*"]}) == [
        name for name in every if name != "refs/tags/open-link"
    ] or set(names({"refs": ["refs/*"]})) == set(every)
    assert names({"refs": []}) == []
    assert names({"refs": ["refs/tags/open1"]}) == ["refs/tags/open1"]
    # The other sandbox of the same directory cannot be used to get around it.
    assert (
        names({}, {"refs": ["refs/tags/open1"]})
        == names({"refs": ["refs/tags/open1"]}, {})
        == ["refs/tags/open1"]
    )
    for wrong in ("main", "", "refs/", "refs/heads/[a]", "refs/a b", "refs/heads/../x"):
        assert "invalid_args: redline_sandboxes[0].refs[0] is" in names({"refs": [wrong]}), wrong
    inner = {"name": "inner", "root": str(limited.repo), "refs": ["refs/heads/main"]}
    assert "refs forbids what the sandbox" in names({}, inner)


def test_capabilities_name_the_references(agent):
    assert agent.execute(
        "SELECT s.refs FROM (SELECT unnest(sandboxes) AS s FROM redline_capabilities())"
    ).fetchone() == (OPEN,)
    text = agent.execute("SELECT redline_call_text('redline_capabilities', '{}')").fetchone()[0]
    assert "only refs/heads/main, refs/tags/open*" in text


class Twins:
    """Two repositories of the same commits: one of them has seen a hidden branch."""

    BRANCHES = ["main", "dev"]

    def __init__(self, root: pathlib.Path, format: str):
        self.root = root
        self.repos = [root / "open", root / "visited"]
        self.now = 1_600_000_000
        for repo in self.repos:
            repositories.git(root, "init", "-q", f"--ref-format={format}", "-b", "main", str(repo))
        self.commit("first")
        self.both("branch", "dev")

    def git(self, repo: pathlib.Path, *arguments: str) -> None:
        who = {
            f"GIT_{role}_{part}": text
            for role in ("AUTHOR", "COMMITTER")
            for part, text in (("NAME", "A"), ("EMAIL", "a@b"), ("DATE", f"{self.now} +0000"))
        }
        repositories.git(repo, *arguments, env=repositories.environment(**who))

    def both(self, *arguments: str) -> None:
        self.now += 3600
        for repo in self.repos:
            self.git(repo, *arguments)

    def commit(self, message: str) -> None:
        self.both("commit", "-q", "--allow-empty", "-m", message)

    def visit(self, commits: int, back: str) -> None:
        """Goes to the hidden branch of the one repository, commits there and comes back."""
        repo = self.repos[1]
        self.git(repo, "checkout", "-q", "-B", f"{CANARY}-branch")
        for _ in range(commits):
            self.now += 60
            self.git(repo, "commit", "-q", "--allow-empty", "-m", CANARY)
        self.now += 60
        self.git(repo, "checkout", "-q", back)


@pytest.mark.parametrize("format", ["files", "reftable"])
def test_a_symbolic_reference_to_a_hidden_one_is_not_suggested(connect, tmp_path, format):
    twins, con = Twins(tmp_path, format), connect()
    twins.visit(1, "main")
    sandbox = {"name": "w", "root": str(tmp_path), "refs": ["refs/heads/main", "refs/tags/open*"]}
    con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps([sandbox])])
    for target, is_near in (("main", True), (f"{CANARY}-branch", False)):
        repositories.git(
            twins.repos[1], "symbolic-ref", "refs/tags/openlink", f"refs/heads/{target}"
        )
        with pytest.raises(duckdb.Error) as error:
            con.execute("SELECT resolve_revision('openlin', 'w/visited')")
        assert ("'openlink'" in str(error.value)) == is_near


# Promise (sandbox): A log, its counts and messages, and `@{-1}` are as if no hidden branch had ever been checked out.
@pytest.mark.parametrize("format", ["files", "reftable"])
def test_a_log_is_as_if_no_hidden_branch_had_been_visited(connect, tmp_path, format):
    twins = Twins(tmp_path, format)
    con = connect()
    sandboxes = [
        {"name": "w", "root": str(tmp_path), "refs": [f"refs/heads/{b}" for b in Twins.BRANCHES]}
    ]
    con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps(sandboxes)])
    names = [
        *(f"HEAD@{{{number}}}" for number in range(7)), *(f"@{{-{number}}}" for number in range(1, 4)), "HEAD@{99}", "main@{99}", "dev@{1}", "@{0}",
        *(f"@{{{1_600_000_000 + hours * 3600}}}" for hours in range(1, 12, 2)), "HEAD@{2019-01-01}", "main@{yesterday}", "HEAD@{yesterday}", "@{-1}@{1}",
        "@{-1}~1", "HEAD@{3}..HEAD",
    ]  # fmt: skip
    logs = ["HEAD", "main", "dev", f"{CANARY}-branch"]

    def told() -> list[list[str]]:
        asked = []
        for repo in ("open", "visited"):
            shown = []
            for name in names:
                sql = "SELECT commit_id FROM commits($name, $repo)"
                shown.append(ask(con, sql, {"name": name, "repo": f"w/{repo}"}))
            for name in logs:
                sql = "SELECT position, old_oid, new_oid, message FROM reflog($name, $repo)"
                shown.append(ask(con, sql, {"name": name, "repo": f"w/{repo}"}))
            asked.append(shown)
        return asked

    def check(step: str) -> None:
        for name, *both in zip([*names, *logs], *told(), strict=True):
            assert both[0] == both[1] and CANARY not in both[1], (step, name, both)

    check("before")
    twins.visit(0, "main")
    check("a visit")
    twins.visit(3, "main")
    check("a visit with commits")
    twins.both("reset", "-q", "--hard", "HEAD")
    twins.both("checkout", "-q", "main")
    check("what does not move after a visit")
    twins.commit("second")
    twins.both("checkout", "-q", "dev")
    check("another branch")
    twins.visit(1, "dev")
    twins.commit("third")
    twins.visit(2, "dev")
    twins.visit(2, "dev")
    check("more visits")
    # From one branch to another by way of the hidden one.
    twins.git(twins.repos[1], "checkout", "-q", f"{CANARY}-branch")
    twins.both("checkout", "-q", "main")
    check("by way of it")
    # What was hidden is merged, so that its commits may be named; its visits stay hidden.
    repo = twins.repos[1]
    twins.git(repo, "checkout", "-q", f"{CANARY}-branch")
    twins.git(repo, "reset", "-q", "--hard", "main")
    twins.git(repo, "checkout", "-q", "main")
    check("at the same commit")
    assert "has only 7 entries" in told()[1][names.index("HEAD@{99}")]
