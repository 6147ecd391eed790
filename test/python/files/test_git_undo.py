"""revert_edit of commits and of what was staged: the branch and the index as they were, or the reverse commit, beside git."""

import json
import shutil

import pytest
from answers import answer, assert_refused
from approving import approvable, approve, listed
from repositories import git, git_text
from sandboxes import configure, snapshot, writable

PERSON = {"user.name": "A. U. Thor", "user.email": "a@example.com"}
LINES = "".join(f"{line}\n" for line in range(40))


def made(root, *options):
    """Returns a repository with a commit of two files."""
    repo = root / "repo"
    repo.mkdir(parents=True)
    git(repo, "init", "-q", "-b", "main", *options)
    for name, setting in PERSON.items():
        git(repo, "config", name, setting)
    (repo / "a.txt").write_text(LINES)
    (repo / "b.txt").write_text("b\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "first")
    return repo


@pytest.fixture
def repo(tmp_path):
    """A repository with a commit, a file that is partly staged, a new file and an untracked one."""
    repo = made(tmp_path / "root", "--ref-format", "files")
    (repo / "a.txt").write_text(LINES.replace("3\n", "three\n", 1))
    (repo / "new").write_text("new\n")
    git(repo, "add", ".")
    (repo / "a.txt").write_text(LINES.replace("3\n", "three\n", 1).replace("37\n", "last\n"))
    (repo / "other").write_text("other\n")
    return repo


def opened(connect, repo, **fields):
    con = configure(connect(), writable(repo.parent, **{"git": "commit"} | fields))
    con.execute(f"SET GLOBAL redline_journal = '{repo.parent.parent / 'journal'}'")
    return con


def commit(con, message, what):
    """Commits; returns the answer."""
    ((found,),) = answer(con, "SELECT git_commit('ws/repo', ?, ?)", message, what).rows
    return found


def undo(con, operation, **options):
    given = ", ".join(f"'{name}': {value!r}" for name, value in options.items())
    return answer(con, f"SELECT revert_edit(?{', {' + given + '}' if given else ''})", operation)


def undone(con, operation):
    ((found,),) = undo(con, operation).rows
    return found


def state(repo):
    """Returns HEAD, index, status and files."""
    files = {name: one for name, one in snapshot(repo).items() if not name.startswith(".git/")}
    said = ("rev-parse", "HEAD"), ("ls-files", "-s", "-v"), ("status", "--porcelain=v2", "-b")
    return [git_text(repo, *words) for words in said], files


def logs(repo):
    return [(repo / ".git/logs" / name).read_text() for name in ("HEAD", "refs/heads/main")]


def sound(repo):
    assert git_text(repo, "fsck", "--strict", "--no-dangling") == ""
    assert not list((repo / ".git").rglob("*.lock"))


# Promise (commits): A commit that is taken back while the branch is at it leaves HEAD, the index and the files as they
# were before it, and a line in the logs; no commit of others is lost. With `test_a_branch_that_moved_on_gets_the_reverse_commit`,
# `test_the_work_of_others_is_not_taken_back`.
@pytest.mark.parametrize("what", [["a.txt"], ["new", "b.txt", "other"], "staged"], ids=str)
@pytest.mark.parametrize(
    "form",
    [("sha1", "files"), ("sha256", "files"), ("sha1", "reftable"), ("sha256", "reftable")],
    ids="-".join,
)
def test_head_and_index_are_as_before_the_commit(connect, tmp_path, form, what):
    repo = made(tmp_path / "root", "--object-format", form[0], "--ref-format", form[1])
    (repo / "a.txt").write_text("staged\n")
    (repo / "new").write_text("new\n")
    git(repo, "add", ".")
    (repo / "a.txt").write_text("staged and more\n")
    (repo / "b.txt").unlink()
    (repo / "other").write_text("other\n")
    con = opened(connect, repo)
    before, parent = state(repo), git_text(repo, "rev-parse", "HEAD")
    done = commit(con, "Second", what)
    after = state(repo)
    assert after != before
    found = undone(con, done["id"])
    assert found["outcome"] == "applied" and found["message"].startswith(
        f"Moved main back to {parent}"
    )
    assert {one["path"] for one in found["files"]} == {
        f"ws/repo/{one['path']}" for one in done["files"]
    }
    assert state(repo) == before
    for name in ("HEAD", "main"):
        said = git_text(repo, "reflog", "show", "--format=%H %gs", name).splitlines()
        assert said[:2] == [
            f"{parent} reset: moving to {parent}",
            f"{done['commit_id']} commit: Second",
        ]
    # An undo is taken back, too.
    undone(con, found["id"])
    assert state(repo) == after
    sound(repo)


def test_the_logs_are_those_of_a_soft_reset(connect, repo, tmp_path):
    con = opened(connect, repo)
    done = commit(con, "Second", "staged")
    twin = tmp_path / "twin"
    shutil.copytree(repo, twin, symlinks=True)
    git(twin, "reset", "-q", "--soft", git_text(repo, "rev-parse", "HEAD~1"))
    undone(con, done["id"])
    assert state(repo) == state(twin)
    without_times = lambda text: [
        [line.split()[:4], line.split("\t")[1]] for line in text.splitlines()
    ]
    assert [without_times(text) for text in logs(repo)] == [
        without_times(text) for text in logs(twin)
    ]


def test_what_was_staged_since_stays(connect, repo):
    con = opened(connect, repo)
    done = commit(con, "Second", ["a.txt"])
    (repo / "a.txt").write_text("later\n")
    (repo / "b.txt").write_text("later\n")
    git(repo, "add", "a.txt", "b.txt")
    undone(con, done["id"])
    assert git_text(repo, "show", ":a.txt") == git_text(repo, "show", ":b.txt") == "later"
    assert git_text(repo, "rev-list", "--count", "HEAD") == "1"


@pytest.mark.parametrize("others", ["git", "redline"])
def test_a_branch_that_moved_on_gets_the_reverse_commit(connect, repo, tmp_path, others):
    con = opened(connect, repo)
    done = commit(con, "Second\n\nA body.", ["a.txt", "new"])
    (repo / "a.txt").write_text((repo / "a.txt").read_text().replace("20\n", "twenty\n"))
    if others == "git":
        git(repo, "commit", "-q", "-a", "-m", "third")
    else:
        commit(con, "third", ["a.txt"])
    twin = tmp_path / "twin"
    git(tmp_path, "clone", "-q", repo, "twin")
    git(twin, "-c", "user.name=x", "-c", "user.email=y", "revert", "--no-edit", done["commit_id"])
    files = state(repo)[1]
    found = undone(con, done["id"])
    assert found["message"] == "Committed the reverse of 2 files to main"
    for field in ("%T", "%B"):
        said = [git_text(one, "log", "-1", f"--format={field}") for one in (repo, twin)]
        assert said[0] == said[1]
    assert state(repo)[1] == files
    assert git_text(repo, "diff", "--cached", "--name-only") == ""
    assert git_text(repo, "show", "HEAD:a.txt").count("twenty") == 1
    # The reverse is a commit as any other: it is taken back by moving the branch.
    assert undone(con, found["id"])["message"].startswith("Moved main back")
    sound(repo)


def test_the_reverse_of_a_reverse_is_named_as_git_names_it(connect, repo):
    con = opened(connect, repo)
    done = commit(con, "Second", ["a.txt", "new"])
    git(repo, "commit", "-q", "--allow-empty", "-m", "third")
    reverse = undone(con, done["id"])
    git(repo, "commit", "-q", "--allow-empty", "-m", "fourth")
    undone(con, reverse["id"])
    assert git_text(repo, "log", "-1", "--format=%s") == 'Reapply "Second"'
    assert git_text(repo, "diff", "HEAD", done["commit_id"]) == ""


def test_the_first_commit_is_reversed(connect, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--ref-format", "files", "repo")
    repo = root / "repo"
    for name, setting in PERSON.items():
        git(repo, "config", name, setting)
    (repo / "a").write_text("a\n")
    con = opened(connect, repo)
    done = commit(con, "First", ["a"])
    undone(con, done["id"])
    assert git_text(repo, "ls-tree", "HEAD") == "" and (repo / "a").exists()
    assert git_text(repo, "status", "--porcelain") == "?? a"
    sound(repo)


def test_what_was_staged_is_put_back(connect, repo):
    con = opened(connect, repo)
    before = state(repo)
    for call in ("git_stage('ws/repo', ['.'])", "git_unstage('ws/repo', 'staged')"):
        ((done,),) = answer(con, f"SELECT {call}").rows
        changed = state(repo)
        assert changed != before
        found = undone(con, done["id"])
        assert found["message"].startswith("Put back what was staged of ")
        assert state(repo) == before
        undone(con, found["id"])
        assert state(repo) == changed
        undone(con, done["id"])
        assert_refused(undo(con, done["id"]), "invalid_args")


def test_a_conflict_that_was_resolved_is_put_back(connect, repo):
    git(repo, "commit", "-q", "-a", "-m", "ours")
    git(repo, "checkout", "-q", "-b", "theirs", "HEAD~1")
    (repo / "a.txt").write_text("theirs\n")
    git(repo, "commit", "-q", "-a", "-m", "theirs")
    with pytest.raises(Exception, match="CONFLICT|exit 1"):
        git(repo, "merge", "-q", "main")
    con = opened(connect, repo)
    before = git_text(repo, "ls-files", "-s")
    ((done,),) = answer(con, "SELECT git_stage('ws/repo', 'a.txt')").rows
    assert git_text(repo, "ls-files", "-u") == ""
    undone(con, done["id"])
    assert git_text(repo, "ls-files", "-s") == before


def test_a_merge_is_taken_back_while_it_is_the_last_commit(connect, repo):
    git(repo, "commit", "-q", "-a", "-m", "ours")
    git(repo, "checkout", "-q", "-b", "theirs", "HEAD~1")
    git(repo, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(repo, "merge", "-q", "--no-commit", "--no-ff", "main")
    con = opened(connect, repo)
    parent = git_text(repo, "rev-parse", "HEAD")
    done = commit(con, "Merge", "staged")
    git(repo, "commit", "-q", "--allow-empty", "-m", "more")
    words = assert_refused(undo(con, done["id"]), "invalid_args")
    assert "is a merge" in words
    git(repo, "reset", "-q", "--soft", "HEAD~1")
    undone(con, done["id"])
    assert git_text(repo, "rev-parse", "HEAD") == parent
    sound(repo)


# What is done after a commit of `a.txt`, the fields of the sandbox then, and the code and a word of the refusal.
REFUSED = {
    "the same line was changed": ("change", {}, "stale", "'a.txt'"),
    "the same line is staged otherwise": ("stage", {}, "stale", "'a.txt'"),
    "the branch was rewound": ("rewind", {}, "stale", "not at"),
    "the commit was amended": ("amend", {}, "stale", "not at"),
    "another branch is checked out": ("switch", {}, "stale", "HEAD is on"),
    "HEAD is detached": ("detach", {}, "stale", "HEAD is on"),
    "a merge has begun": ("merge", {}, "stale", "has begun since"),
    "a rebase has begun": ("rebase", {}, "stale", "rebase-merge"),
    "a lock of git": ("lock", {}, "stale", "index.lock"),
    "a hook": ("hook", {}, "permission_denied", "hook reference-transaction"),
    "a branch that is not allowed": ("", {"git_branches": ["agents/*"]}, "permission_denied", "'main'"),
    "a sandbox without the right": ("", {"git": "read"}, "fs_denied", "does not let git be written"),
    "a sandbox of another name": ("", {"name": "else"}, "fs_denied", "ws/repo"),
}  # fmt: skip


def interfere(repo, what):
    if what == "change":
        (repo / "a.txt").write_text(LINES.replace("3\n", "drei\n", 1))
        git(repo, "commit", "-q", "-a", "-m", "theirs")
    elif what == "stage":
        git(repo, "commit", "-q", "--allow-empty", "-m", "theirs")
        (repo / "a.txt").write_text(LINES.replace("3\n", "drei\n", 1))
        git(repo, "add", "a.txt")
    elif what == "rewind":
        git(repo, "reset", "-q", "--hard", "HEAD~1")
    elif what == "amend":
        git(repo, "commit", "-q", "--amend", "-m", "Another")
    elif what == "switch":
        git(repo, "checkout", "-q", "-b", "another")
    elif what == "detach":
        git(repo, "checkout", "-q", "--detach")
    elif what == "merge":
        (repo / ".git/MERGE_HEAD").write_text(git_text(repo, "rev-parse", "HEAD~1") + "\n")
    elif what == "rebase":
        (repo / ".git/rebase-merge").mkdir()
    elif what == "lock":
        (repo / ".git/index.lock").write_text("")
    elif what == "hook":
        (repo / ".git/hooks").mkdir(exist_ok=True)
        (repo / ".git/hooks/reference-transaction").write_text("#!/bin/sh\n")
        (repo / ".git/hooks/reference-transaction").chmod(0o755)


@pytest.mark.parametrize("case", REFUSED)
def test_the_work_of_others_is_not_taken_back(connect, repo, case):
    what, fields, code, word = REFUSED[case]
    con = opened(connect, repo)
    done = commit(con, "Second", ["a.txt"])
    interfere(repo, what)
    configure(con, writable(repo.parent, **{"git": "commit"} | fields))
    was = snapshot(repo)
    assert word in assert_refused(undo(con, done["id"]), code)
    now = snapshot(repo)
    assert {name: one for name, one in now.items() if "/objects" not in name} == {
        name: one for name, one in was.items() if "/objects" not in name
    }


# Promise (commits): An operation on a repository is taken back in its own sandbox, as a whole, and asked as a
# commit is, whichever session made it. With `test_an_undo_is_shown_whole_and_asked`.
def test_an_operation_is_taken_back_in_its_sandbox_by_any_session(connect, repo, tmp_path):
    con = opened(connect, repo)
    done = commit(con, "Second", ["a.txt"])
    was = snapshot(repo)
    assert_refused(undo(con, done["id"], path="ws/repo/a.txt"), "invalid_args")
    assert_refused(undo(con, git_text(repo, "rev-parse", "HEAD")), "not_found")
    shutil.copytree(repo.parent, tmp_path / "copy", symlinks=True)
    configure(con, writable(tmp_path / "copy", git="commit"))
    copied = snapshot(tmp_path / "copy")
    assert "another sandbox" in assert_refused(undo(con, done["id"]), "fs_denied")
    assert snapshot(repo) == was and snapshot(tmp_path / "copy") == copied
    # What a session did to files is no commit.
    configure(con, writable(repo.parent, git="commit"))
    assert answer(con, "SELECT (revert_edits('ws')).outcome").rows == [("already_applied",)]
    # As an edit, by its id.
    assert undo(con.cursor(), done["id"]).error is None
    assert git_text(repo, "rev-list", "--count", "HEAD") == "1"


def test_an_undo_is_shown_whole_and_asked(connect, repo):
    con = approvable(opened(connect, repo, write_approval=True, edit_approval=True))

    def asked(call, *arguments):
        assert_refused(answer(con, call, *arguments), "approval_required")
        (payload,) = [payload for _, payload in listed(con)]
        return payload

    call = "SELECT git_commit('ws/repo', 'Second', 'a.txt')"
    approve(con, asked(call))
    ((done,),) = answer(con, call).rows
    assert git_text(repo, "rev-list", "--count", "HEAD") == "2"
    call = "SELECT revert_edit(?)"
    payload = asked(call, done["id"])
    shown = json.loads(payload)
    parent = git_text(repo, "rev-parse", "HEAD~1")
    assert (shown["type"], shown["action"], shown["branch"]) == ("commit", "undo", "main")
    assert (shown["leaves"], shown["parents"]) == (done["commit_id"], [parent])
    assert shown["description"] == "Move main of ws/repo back: 1 file"
    assert shown["unified_diff"].startswith(
        f"Move the branch main\nFrom: {done['commit_id']}\nTo: {parent}\ndiff --git "
    )
    assert "Undo this?" in answer(con, "SELECT approval_display(?, 80)", payload).rows[0][0]
    # The same payload comes from the tool.
    arguments = json.dumps({"id": done["id"]})
    assert answer(con, "SELECT needs_approval('undo', ?)", arguments).rows == [(payload,)]
    approve(con, payload, "sandbox")
    (repo / "b.txt").write_text("theirs\n")
    git(repo, "commit", "-q", "-m", "theirs", "--", "b.txt")
    assert_refused(answer(con, call, done["id"]), "stale", "approval_required")
    payloads = [json.loads(payload) for _, payload in listed(con)]
    if not payloads:
        assert_refused(answer(con, call, done["id"]), "approval_required")
        payloads = [json.loads(payload) for _, payload in listed(con)]
    (shown,) = payloads
    assert (shown["action"], shown["message"].splitlines()[0]) == ("commit", 'Revert "Second"')
    approve(con, json.dumps(shown))
    assert answer(con, call, done["id"]).error is None
    assert git_text(repo, "log", "--format=%s") == 'Revert "Second"\ntheirs\nSecond\nfirst'
    assert_refused(answer(con, call, done["id"]), "invalid_args")


def test_a_dry_run_of_an_undo_writes_nothing(connect, repo):
    con = opened(connect, repo)
    done = commit(con, "Second", ["a.txt"])
    was = snapshot(repo)
    ((found,),) = undo(con, done["id"], dry_run=True).rows
    assert found["outcome"] == "would_apply" and found["message"].startswith(
        "Would move main back to "
    )
    assert snapshot(repo) == was


def test_the_tool_takes_the_last_commit_of_its_session_back(connect, repo):
    con = opened(connect, repo)
    before = state(repo)
    commit(con, "Second", ["a.txt"])
    said = json.loads(answer(con, "SELECT redline_call('undo', '{}')").rows[0][0])
    assert not said.get("isError"), said
    assert state(repo) == before
    rows = con.execute("SELECT DISTINCT tool, outcome FROM redline_log()").fetchall()
    assert set(rows) == {("git_commit", "done"), ("undo", "done")}


def test_a_detached_head_and_a_linked_work_tree_go_back(connect, repo):
    git(repo, "stash", "-q", "-u")
    git(repo, "worktree", "add", "-q", "--detach", "../linked")
    linked = repo.parent / "linked"
    con = opened(connect, repo)
    before = state(linked)
    (linked / "a.txt").write_text("linked\n")
    ((done,),) = answer(con, "SELECT git_commit('ws/linked', 'On no branch', 'a.txt')").rows
    undone(con, done["id"])
    (linked / "a.txt").write_text(LINES)
    assert state(linked) == before
    log = (repo / ".git/worktrees/linked/logs/HEAD").read_text().splitlines()
    assert log[-1].endswith("\treset: moving to " + git_text(linked, "rev-parse", "HEAD"))
