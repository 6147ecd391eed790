"""git_commit, git_stage, git_unstage and git_restore in a sandbox that allows commits: what is asked, refused, written and recorded."""

import json
import os
import re

import pytest
from answers import answer, assert_refused
from approving import KEY, approvable, approve, listed
from repositories import GitFailed, git, git_text
from sandboxes import configure, snapshot, writable

DATE = "{'date': '1700000000 +0100'}"


@pytest.fixture
def repo(tmp_path):
    """A repository with one commit and a change of two lines far apart."""
    made = tmp_path / "root" / "repo"
    made.mkdir(parents=True)
    git(made, "init", "-q", "-b", "main")
    git(made, "config", "user.name", "A. U. Thor")
    git(made, "config", "user.email", "a@example.com")
    text = "".join(f"{line}\n" for line in range(40))
    (made / "a.txt").write_text(text)
    (made / "b.txt").write_text("b\n")
    git(made, "add", ".")
    git(made, "commit", "-q", "-m", "first")
    (made / "a.txt").write_text(text.replace("3\n", "three\n", 1).replace("37\n", "last\n"))
    return made


def opened(connect, repo, **fields):
    con = configure(connect(), writable(repo.parent, **{"git": "commit"} | fields))
    con.execute(f"SET GLOBAL redline_journal = '{repo.parent.parent / 'journal'}'")
    return con


def head(repo):
    return git_text(repo, "rev-parse", "HEAD")


def commit(con, *arguments):
    marks = ", ".join("?" for _ in arguments)
    return answer(con, f"SELECT git_commit('ws/repo', {marks})", *arguments)


def test_a_hunk_is_committed_and_the_rest_stays_to_the_byte(connect, repo):
    con = opened(connect, repo)
    before = (repo / "a.txt").read_bytes()
    (first, _) = con.execute(
        "SELECT hunk_id FROM diff_hunks('HEAD', 'WORKTREE', 'ws/repo')"
    ).fetchall()
    ((made,),) = commit(con, "Say three", [first[0]]).rows
    assert made["outcome"] == "applied" and made["branch"] == "main"
    assert made["commit_id"] == head(repo) and made["left_out"] == ["a.txt"]
    assert "+three" in git_text(repo, "show", "HEAD") and "+last" not in git_text(
        repo, "show", "HEAD"
    )
    assert (repo / "a.txt").read_bytes() == before
    assert git_text(repo, "status", "--porcelain") == " M a.txt"
    # The same hunk is gone.
    assert_refused(commit(con, "Again", [first[0]]), "stale")
    ((row,),) = con.execute(
        "SELECT (tool, outcome, path) FROM redline_log() WHERE tool = 'git_commit' AND outcome = 'done'"
    ).fetchall()
    assert tuple(row) == ("git_commit", "done", "ws/repo/a.txt")


def test_a_patch_is_committed_as_git_apply_takes_it(connect, repo):
    con = opened(connect, repo)
    patch = git_text(repo, "diff") + "\n"
    ((made,),) = commit(con, "By a patch", patch).rows
    assert made["files"][0]["lines_added"] == 2 and git_text(repo, "status", "--porcelain") == ""
    assert_refused(commit(con, "Again", patch), "stale")
    for wrong in (
        "--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n",
        "--- a/.git/x\n+++ b/.git/x\n@@ -1 +1 @@\n-a\n+x\n",
    ):
        assert_refused(commit(con, "Out", wrong), "invalid_args")


def test_what_is_staged_is_committed_whole(connect, repo):
    con = opened(connect, repo)
    (repo / "new").write_text("new\n")
    assert answer(con, "SELECT git_stage('ws/repo', ['new', 'a.txt'])").error is None
    assert git_text(repo, "status", "--porcelain") == "M  a.txt\nA  new"
    assert answer(con, "SELECT git_unstage('ws/repo', 'a.txt')").error is None
    assert git_text(repo, "status", "--porcelain") == " M a.txt\nA  new"
    ((made,),) = commit(con, "New", "staged").rows
    assert [file["path"] for file in made["files"]] == ["new"]
    assert git_text(repo, "status", "--porcelain") == " M a.txt"


def test_a_dry_run_writes_nothing(connect, repo):
    con = opened(connect, repo)
    before = snapshot(repo)
    for call in (
        "git_commit('ws/repo', 'm', 'a.txt', {'dry_run': true})",
        "git_stage('ws/repo', ['a.txt'], {'dry_run': true})",
        "git_restore('ws/repo', 'a.txt', 'HEAD', {'dry_run': true})",
    ):
        assert answer(con, f"SELECT ({call}).outcome").rows == [("would_apply",)]
    assert snapshot(repo) == before


def test_files_are_restored_as_at_a_revision_in_one_change(connect, repo):
    con = opened(connect, repo)
    (repo / "b.txt").unlink()
    (repo / "c.txt").write_text("c\n")
    git(repo, "add", "c.txt")
    ((made,),) = answer(con, "SELECT git_restore('ws/repo', ['.'], 'HEAD')").rows
    assert [file["kind"] for file in made["files"]] == ["update", "create", "delete"]
    assert git_text(repo, "status", "--porcelain") == "AD c.txt"
    assert answer(con, "SELECT (revert_edit(?)).outcome", made["id"]).rows == [("applied",)]
    assert (repo / "c.txt").read_text() == "c\n" and not (repo / "b.txt").exists()
    assert_refused(answer(con, "SELECT git_restore('ws/repo', 'nothing', 'HEAD')"), "not_found")


def test_hunks_that_an_answer_shows_as_one_are_committed_by_its_name(connect, repo):
    con = opened(connect, repo)
    given = json.dumps({"from": "HEAD", "repo": "ws/repo", "ids": True, "context_lines": -1})
    ((text,),) = answer(con, "SELECT redline_call_text('GitDiff', ?)", given).rows
    (both,) = re.findall(r"^@@ .* \[(\w{40}\+\w{40})\]$", text, re.MULTILINE)
    ((made,),) = commit(con, "Say all", [both]).rows
    assert made["outcome"] == "applied"
    shown = git_text(repo, "show", "HEAD")
    assert "+three" in shown and "+last" in shown


def test_hunks_are_restored_and_the_others_stay(connect, repo):
    con = opened(connect, repo)
    (_, last) = con.execute(
        "SELECT hunk_id FROM diff_hunks('HEAD', 'WORKTREE', 'ws/repo')"
    ).fetchall()
    assert answer(con, "SELECT (git_restore('ws/repo', ?, 'HEAD')).outcome", last[0]).rows == [
        ("applied",)
    ]
    diff = git_text(repo, "diff")
    assert "+three" in diff and "+last" not in diff
    assert_refused(answer(con, "SELECT git_restore('ws/repo', ?, 'HEAD')", last[0]), "stale")
    (repo / "a.txt").unlink()
    (whole,) = con.execute(
        "SELECT hunk_id FROM diff_hunks('HEAD', 'WORKTREE', 'ws/repo')"
    ).fetchall()
    assert (
        answer(con, "SELECT (git_restore('ws/repo', [?], 'HEAD')).outcome", whole[0]).error is None
    )
    assert git_text(repo, "status", "--porcelain") == ""


# Fields of the sandbox, what is done before, what is committed, and the code and a word of the refusal.
REFUSED = {
    "a sandbox without the right": ({"git": "read"}, None, "a.txt", "fs_denied", "does not let git be written"),
    "a sandbox that is only read": ({"mode": "ro"}, None, "a.txt", "fs_denied", "does not let git be written"),
    "a branch that is not allowed": ({"git_branches": ["agents/*"]}, None, "a.txt", "permission_denied", "'main' may not be committed to"),
    "a detached HEAD, where branches are named": ({"git_branches": ["*"]}, "detach", "a.txt", "permission_denied", "on no branch"),
    "a hook": ({}, "hook", "a.txt", "permission_denied", "hook commit-msg"),
    "hooks elsewhere": ({}, "hooks elsewhere", "a.txt", "permission_denied", "core.hooksPath"),
    "a signature": ({}, "sign", "a.txt", "permission_denied", "commit.gpgSign"),
    "a filter": ({}, "filter", "a.txt", "permission_denied", "has the filter 'lfs'"),
    "a filter, by its hunks": ({}, "filter", "patch", "permission_denied", "has the filter 'lfs'"),
    "a path that is none": ({}, None, "nothing", "not_found", "'nothing' names no file"),
    "a path outside": ({}, None, "../x", "invalid_args", "leads out of the repository"),
    "nothing that changes": ({}, None, "b.txt", "invalid_args", "nothing would change"),
    "nothing staged": ({}, None, "staged", "invalid_args", "nothing would change"),
    "a hunk that is gone": ({}, None, "0" * 40, "stale", "no hunk"),
    "a lock of git": ({}, "lock", "a.txt", "stale", "index.lock"),
    "a lock of the branch": ({}, "branch lock", "a.txt", "stale", "main.lock"),
    "a conflict": ({}, "conflict", "staged", "stale", "'a.txt'"),
    "a part of a merge": ({}, "merge", "a.txt", "invalid_args", "as a whole"),
    "a rebase": ({}, "rebase", "a.txt", "stale", "rebase-merge"),
    "nobody": ({}, "nobody", "a.txt", "invalid_args", "names no committer"),
}  # fmt: skip


def without_objects(found):
    """Returns files without objects: what nothing names is left behind by git, too."""
    return {name: state for name, state in found.items() if not name.startswith(".git/objects")}


def prepare(repo, what):
    hooks = repo / ".git" / "hooks"
    if what == "detach":
        git(repo, "checkout", "-q", "--detach")
    elif what == "hook":
        hooks.mkdir(exist_ok=True)
        (hooks / "commit-msg").write_text("#!/bin/sh\ntouch ../../ran\n")
        (hooks / "commit-msg").chmod(0o755)
    elif what == "hooks elsewhere":
        git(repo, "config", "core.hooksPath", "/etc")
    elif what == "sign":
        git(repo, "config", "commit.gpgsign", "true")
    elif what == "filter":
        (repo / ".git" / "info").mkdir(exist_ok=True)
        (repo / ".git" / "info" / "attributes").write_text("*.txt filter=lfs\n")
    elif what == "lock":
        (repo / ".git" / "index.lock").write_text("")
    elif what == "branch lock":
        (repo / ".git" / "refs/heads/main.lock").write_text("")
    elif what in ("conflict", "merge"):
        git(repo, "commit", "-q", "-a", "-m", "ours")
        git(repo, "checkout", "-q", "-b", "other", "HEAD~1")
        text = (repo / "a.txt").read_text() if what == "merge" else "theirs\n"
        (repo / ("new" if what == "merge" else "a.txt")).write_text(text)
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "theirs")
        git(repo, "checkout", "-q", "main")
        merge = ("-c", "merge.conflictStyle=merge", "merge", "-q", "--no-commit", "other")
        if what == "merge":
            git(repo, *merge)
            (repo / "a.txt").write_text("more\n")
        else:
            with pytest.raises(Exception, match="CONFLICT|exit 1"):
                git(repo, *merge)
    elif what == "rebase":
        (repo / ".git" / "rebase-merge").mkdir()
    elif what == "nobody":
        git(repo, "config", "--unset", "user.name")


# Promise (commits): No commit is made without the sandbox's right, on a branch that it does not name, or where git
# would run a hook, sign or filter, unless the host says to skip hooks; then the answer names them. With
# `test_a_hook_that_the_host_skips_is_named_and_not_run`, `test_a_hook_that_appears_after_the_yes_is_refused`.
@pytest.mark.parametrize("case", REFUSED)
def test_what_may_not_be_committed_is_refused_and_nothing_changes(connect, repo, case):
    fields, before, what, code, word = REFUSED[case]
    patch = git_text(repo, "diff") + "\n"
    prepare(repo, before)
    con = opened(connect, repo, **fields)
    was = without_objects(snapshot(repo))
    refused = assert_refused(commit(con, "Refused", patch if what == "patch" else what), code)
    assert word in refused
    assert without_objects(snapshot(repo)) == was


def test_a_hook_that_the_host_skips_is_named_and_not_run(connect, repo):
    prepare(repo, "hook")
    con = opened(connect, repo, git_hooks="skip")
    ((made,),) = commit(con, "Without the hook", "a.txt").rows
    assert made["message"] == "Committed 1 file to main; not run: hook commit-msg"
    assert not (repo.parent / "ran").exists() and not list(repo.parent.glob("**/ran"))
    git(repo, "checkout", "-q", "-b", "agents/one")
    (repo / "b.txt").write_text("more\n")
    con = opened(connect, repo, git_hooks="skip", git_branches=["agents/*"])
    assert commit(con, "On the branch of agents", "b.txt").error is None


def test_a_merge_and_a_pick_end_as_git_ends_them(connect, repo):
    prepare(repo, "conflict")
    con = opened(connect, repo)
    (repo / "a.txt").write_text("both\n")
    assert answer(con, "SELECT git_stage('ws/repo', 'a.txt')").error is None
    assert git_text(repo, "ls-files", "-u") == ""
    theirs = git_text(repo, "rev-parse", "other")
    assert commit(con, "Merge other", "staged").error is None
    assert git_text(repo, "rev-parse", "HEAD^2") == theirs
    assert git_text(repo, "reflog", "-1", "--format=%gs") == "commit (merge): Merge other"
    assert not [name for name in os.listdir(repo / ".git") if name.startswith(("MERGE", "AUTO"))]
    (repo / "b.txt").write_text("ours\n")
    git(repo, "commit", "-q", "-a", "-m", "ours")
    git(repo, "checkout", "-q", "other")
    (repo / "b.txt").write_text("picked\n")
    git(repo, "-c", "user.name=Other", "commit", "-q", "-a", "-m", "picked")
    git(repo, "checkout", "-q", "main")
    with pytest.raises(Exception, match="exit 1"):
        git(repo, "cherry-pick", "other")
    (repo / "b.txt").write_text("resolved\n")
    assert answer(con, "SELECT git_stage('ws/repo', 'b.txt')").error is None
    assert commit(con, "Picked", "staged").error is None
    said = git_text(repo, "log", "-1", "--format=%an %cn")
    assert said == "Other A. U. Thor"
    assert git_text(repo, "reflog", "-1", "--format=%gs") == "commit (cherry-pick): Picked"
    assert git_text(repo, "status", "--porcelain") == ""
    assert not (repo / ".git" / "CHERRY_PICK_HEAD").exists()
    git(repo, "fsck", "--strict")


@pytest.fixture
def asked(connect, repo):
    """A connection whose commits a person approves."""
    return approvable(opened(connect, repo, write_approval=True, edit_approval=True))


def proposed(con, *arguments):
    assert_refused(commit(con, *arguments), "approval_required")
    (payload,) = [payload for _, payload in listed(con)]
    return payload


# Promise (commits): A commit is shown whole and approved once, by no wider yes, for HEAD, the index, the files and the
# people as they were shown. With `test_no_wide_yes_covers_a_commit`, `test_a_yes_is_stale_once_what_was_shown_has_changed`.
def test_a_commit_is_shown_whole_and_approved_once(asked, repo):
    was = snapshot(repo)
    payload = proposed(asked, "Say three\n\nIt is better.", "a.txt")
    shown = json.loads(payload)
    assert (shown["type"], shown["action"], shown["branch"]) == ("commit", "commit", "main")
    assert shown["parents"] == [head(repo)] and shown["author"] == "A. U. Thor <a@example.com>"
    assert shown["description"] == "Commit 1 file to main of ws/repo: Say three"
    assert shown["unified_diff"].startswith("Commit to the branch main\nParent: ")
    assert "\n    It is better.\ndiff --git a/a.txt b/a.txt\n" in shown["unified_diff"]
    assert snapshot(repo) == was
    box = answer(asked, "SELECT approval_display(?, 80)", payload).rows[0][0]
    assert "It is better." in box and "Make this commit?" in box
    approve(asked, payload)
    ((made,),) = commit(asked, "Say three\n\nIt is better.", "a.txt").rows
    assert made["commit_id"] == head(repo)


def test_no_wide_yes_covers_a_commit(asked, repo):
    for scope in ("path", "sandbox", "session"):
        (repo / "a.txt").write_text(f"{scope}\n")
        approve(asked, proposed(asked, scope, "a.txt"), scope)
        assert commit(asked, scope, "a.txt").error is None
        (repo / "a.txt").write_text(f"more {scope}\n")
        assert_refused(commit(asked, scope, "a.txt"), "approval_required")
        (payload,) = [payload for _, payload in listed(asked)]
        assert answer(asked, "SELECT decline(?, ?)", payload, KEY).error is None
        assert_refused(commit(asked, scope, "a.txt"), "declined")


def change_file(repo):
    (repo / "a.txt").write_text("changed\n")


def change_index(repo):
    (repo / "b.txt").write_text("staged\n")
    git(repo, "add", "b.txt")


def change_head(repo):
    git(repo, "commit", "-q", "--allow-empty", "-m", "another")


def change_branch(repo):
    git(repo, "checkout", "-q", "-b", "other")


def change_person(repo):
    git(repo, "config", "user.name", "Somebody Else")


@pytest.mark.parametrize(
    "change", [change_file, change_index, change_head, change_branch, change_person]
)
def test_a_yes_is_stale_once_what_was_shown_has_changed(asked, repo, change):
    approve(asked, proposed(asked, "Say three", "a.txt"))
    change(repo)
    was = head(repo)
    assert_refused(commit(asked, "Say three", "a.txt"), "stale", "approval_required")
    assert head(repo) == was


def test_a_hook_that_appears_after_the_yes_is_refused(asked, repo):
    approve(asked, proposed(asked, "Say three", "a.txt"))
    prepare(repo, "hook")
    was = head(repo)
    assert_refused(commit(asked, "Say three", "a.txt"), "permission_denied")
    assert head(repo) == was


def test_what_a_pack_has_is_written_as_git_may_be_about_to_delete_the_pack(connect, repo):
    con = opened(connect, repo)
    (repo / "c.txt").write_text("in a pack\n")
    git(repo, "add", "c.txt")
    git(repo, "repack", "-q", "-a", "-d")
    git(repo, "rm", "-q", "--cached", "c.txt")
    blob = git_text(repo, "hash-object", "c.txt")
    # The pack is kept open, as it is by a process that has read from it.
    assert con.execute("SELECT file_content('c.txt', 'WORKTREE', 'ws/repo')").fetchall()
    assert commit(con, "Add c", ["c.txt"]).error is None
    git(repo, "repack", "-q", "-a", "-d")
    assert git_text(repo, "cat-file", "-p", blob) == "in a pack"
    loose = repo / ".git/objects" / blob[:2] / blob[2:]
    (repo / "d.txt").write_text("in a pack\n")
    assert commit(con, "Add d", ["d.txt"]).error is None and loose.exists()


def test_a_change_within_the_second_of_the_index_is_seen_by_git_afterwards(connect, repo):
    """Most builds of git compare whole seconds, and take a file for changed if the index is no younger."""
    con = opened(connect, repo)
    git(repo, "config", "core.trustctime", "false")
    second = (os.stat(repo / "b.txt").st_mtime_ns // 1_000_000_000 - 100) * 1_000_000_000
    at = lambda path, part: os.utime(path, ns=(second + part, second + part))
    at(repo / "b.txt", 100)
    git(repo, "add", "b.txt")
    at(repo / ".git/index", 200)
    (repo / "b.txt").write_text("c\n")
    at(repo / "b.txt", 300)
    assert commit(con, "Change a", ["a.txt"]).error is None
    assert git_text(repo, "status", "--porcelain") == " M b.txt"


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
def test_commits_in_tables_are_read_and_gone_on_with_by_git(connect, tmp_path, hash_name):
    root = tmp_path / "root"
    root.mkdir()
    options = ("--ref-format", "reftable", "--object-format", hash_name)
    git(root, "init", "-q", "-b", "main", *options, "repo")
    repo = root / "repo"
    git(repo, "config", "user.name", "A. U. Thor")
    git(repo, "config", "user.email", "a@b")
    con = opened(connect, repo)
    wanted = []
    for number in range(12):
        (repo / "a").write_text(f"{number}\n")
        if number % 4 == 3:
            git(repo, "commit", "-q", "-a", "-m", f"git {number}")
            wanted.append(f"commit: git {number}")
        else:
            ((made,),) = commit(con, f"ours {number}\n\n" + "long " * 2000, ["a"]).rows
            assert made["commit_id"] == head(repo)
            wanted.append(f"commit{'' if number else ' (initial)'}: ours {number}")
        for name in ("HEAD", "main"):
            said = git_text(repo, "reflog", "show", "--format=%gs", name).splitlines()
            assert said == wanted[::-1]
    assert (
        git_text(repo, "fsck", "--strict") == "" and git_text(repo, "status", "--porcelain") == ""
    )
    assert con.execute("SELECT count(*) FROM reflog('HEAD', 'ws/repo')").fetchall() == [(12,)]
    # A subject of any length fits: git cuts it in the log, too.
    (repo / "a").write_text("more\n")
    assert commit(con, "s" * 5000, ["a"]).error is None
    assert git_text(repo, "log", "-1", "--format=%s") == "s" * 5000
    assert len(git_text(repo, "reflog", "show", "-1", "--format=%gs", "HEAD")) == 2047
    git(repo, "pack-refs", "--all")
    git(repo, "fsck", "--strict")


def test_a_table_that_others_lock_or_write_is_not_overwritten(connect, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--ref-format", "reftable", "repo")
    repo = root / "repo"
    git(repo, "config", "user.name", "A. U. Thor")
    git(repo, "config", "user.email", "a@b")
    (repo / "a").write_text("a\n")
    con = opened(connect, repo)
    lock = repo / ".git/reftable/tables.list.lock"
    lock.write_text("")
    was = without_objects(snapshot(repo))
    assert "tables.list" in assert_refused(commit(con, "m", ["a"]), "stale")
    assert without_objects(snapshot(repo)) == was
    lock.unlink()
    assert commit(con, "m", ["a"]).error is None
    git(repo, "checkout", "-q", "-b", "agents/one")
    (repo / "a").write_text("more\n")
    con = opened(connect, repo, git_branches=["agents/*"])
    assert commit(con, "On a branch of agents", ["a"]).error is None
    git(repo, "checkout", "-q", "main")
    (repo / "a").write_text("more\n")
    assert_refused(commit(con, "Not on main", ["a"]), "permission_denied")


# Texts of an agent, and a part of what git then stores.
TEXTS = {
    "a message like a diff": ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "diff --git a/x b/x"),
    "a message like a header": ("subject\n\nparent 0000000000000000000000000000000000000000", "parent 00000"),
    "a message with moving characters": ("\u202egnp.exe\u200b", "gnp.exe"),
    "a message with controls": ("\x1b[31mred\x07\r\nnext", "\x1b[31mred"),
}  # fmt: skip


# Promise (commits): A message or an author is stored as text, and no line of it passes for a line of a diff or for a
# field of the commit. With `test_a_hostile_author_stays_in_its_field`.
@pytest.mark.parametrize("case", TEXTS)
def test_a_hostile_message_is_stored_as_text_and_shown_as_such(asked, repo, case):
    message, part = TEXTS[case]
    payload = proposed(asked, message, "a.txt")
    head_of, _, diff = json.loads(payload)["unified_diff"].partition("\ndiff --git a/a.txt")
    assert diff and all(line[:4] in ("    ", "") for line in head_of.split("\n")[4:])
    box = answer(asked, "SELECT approval_display(?, 80, -1)", payload).rows[0][0]
    assert "\x1b" not in box and "\u202e" not in box and "\x07" not in box
    approve(asked, payload)
    assert commit(asked, message, "a.txt").error is None
    assert part in git_text(repo, "log", "-1", "--format=%B")
    git(repo, "fsck", "--strict")


def test_a_hostile_author_stays_in_its_field(connect, repo):
    con = opened(connect, repo)
    for author in ("", "x", "x <y", "<y>", "\n<y>"):
        got = answer(con, "SELECT git_commit('ws/repo', 'm', 'a.txt', {'author': ?})", author)
        assert_refused(got, "invalid_args")
    got = answer(
        con,
        "SELECT git_commit('ws/repo', 'm', 'a.txt', {'author': ?})",
        "x\nparent <y\ncommitter z>",
    )
    assert got.error is None
    assert git_text(repo, "log", "-1", "--format=%an|%ae|%P").count("|") == 2
    assert len(git_text(repo, "rev-list", "--parents", "-1", "HEAD").split()) == 2
    git(repo, "fsck", "--strict")


# Ways of a repository to lead a write elsewhere.
WAYS = [
    "HEAD",
    "index",
    "objects",
    "refs",
    "refs/heads",
    "refs/heads/main",
    "logs",
    "logs/HEAD",
    "logs/refs/heads/main",
]


# Promise (commits): No link in a git directory and no `.git` file leads a commit outside. With
# `test_a_git_directory_outside_is_refused`.
@pytest.mark.parametrize("way", WAYS)
def test_no_link_leads_a_commit_outside(connect, repo, way):
    outside = repo.parent.parent / "outside"
    path = repo / ".git" / way
    os.rename(path, outside)
    path.symlink_to(outside)
    was = snapshot(outside) if outside.is_dir() else outside.read_bytes()
    con = opened(connect, repo)
    got = commit(con, "Out", "a.txt")
    assert got.error is not None, got.rows
    assert was == (snapshot(outside) if outside.is_dir() else outside.read_bytes())


def test_a_git_directory_outside_is_refused(connect, repo, tmp_path):
    os.rename(repo / ".git", tmp_path / "outside.git")
    (repo / ".git").write_text(f"gitdir: {tmp_path / 'outside.git'}\n")
    assert_refused(commit(opened(connect, repo), "Out", "a.txt"), "fs_denied")


# Promise (commits): Nothing but objects, the index, the branch and the logs of it and of HEAD is written, or their tables; no file of
# the work tree changes. With `test_a_hunk_is_committed_and_the_rest_stays_to_the_byte`.
def test_only_objects_index_branch_and_logs_are_written(connect, repo):
    con = opened(connect, repo)
    before = snapshot(repo)
    assert commit(con, "Say three", "a.txt").error is None
    after = snapshot(repo)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    allowed = {".git/index", ".git/refs/heads/main", ".git/logs/HEAD", ".git/logs/refs/heads/main"}
    assert {name for name in changed if not name.startswith(".git/objects/")} == allowed
    assert not [name for name in after if name.endswith(".lock") or "tmp_obj" in name]


def ids(con, old, new):
    query = "SELECT hunk_id FROM diff_hunks(?, ?, 'ws/repo')"
    return [one for (one,) in con.execute(query, [old, new]).fetchall()]


def staged(con, function, what):
    return answer(con, f"SELECT {function}('ws/repo', ?)", what)


def test_a_hunk_is_unstaged_by_its_id_or_patch_as_git_apply_reverses_it(connect, repo):
    con = opened(connect, repo)
    (repo / "new").write_text("new\n")
    git(repo, "add", ".")
    disk = snapshot(repo)["a.txt"]
    whole = git_text(repo, "diff", "--cached", "a.txt") + "\n"
    first, last, new = ids(con, "HEAD", "INDEX")
    for what in ([last], whole[: whole.index("@@")] + whole[whole.rindex("\n@@") + 1 :]):
        assert staged(con, "git_unstage", what).error is None
        # The other hunk stays, as git takes the same one back.
        cached = git_text(repo, "diff", "--cached")
        assert "+three" in cached and "+last" not in cached and "+new" in cached
        assert "+last" in git_text(repo, "diff") and snapshot(repo)["a.txt"] == disk
        assert_refused(staged(con, "git_unstage", what), "stale")
        # The hunk has the id that it had before it was staged.
        assert ids(con, "INDEX", "WORKTREE") == [last]
        assert staged(con, "git_stage", [last]).error is None
    assert staged(con, "git_unstage", [new, "a.txt"]).error is None
    assert git_text(repo, "status", "--porcelain") == " M a.txt\n?? new"
    assert_refused(staged(con, "git_unstage", [first]), "stale")


@pytest.mark.parametrize("kind", ["removed", "renamed", "mode", "link", "no newline"])
def test_any_staged_patch_is_unstaged_as_git_reverses_it(connect, repo, kind):
    con = opened(connect, repo)
    git(repo, "checkout", "-q", "a.txt")
    if kind == "removed":
        git(repo, "rm", "-q", "a.txt")
    elif kind == "renamed":
        git(repo, "mv", "a.txt", "z.txt")
    elif kind == "mode":
        (repo / "a.txt").chmod(0o755)
    elif kind == "link":
        (repo / "b.txt").unlink()
        (repo / "b.txt").symlink_to("a.txt")
    else:
        (repo / "b.txt").write_text("b")
    git(repo, "add", "-A")
    patch = git_text(repo, "diff", "--cached", "-M") + "\n"
    assert staged(con, "git_unstage", patch).error is None
    assert git_text(repo, "diff", "--cached") == ""
    assert git_text(repo, "ls-files", "-s") == git_text(repo, "ls-tree", "-r", "HEAD").replace(
        " blob", ""
    ).replace("\t", " 0\t")


def test_the_first_commit_s_hunks_are_unstaged(connect, tmp_path):
    root = tmp_path / "root" / "repo"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "a").write_text("a\n")
    git(root, "add", "a")
    con = opened(connect, root)
    assert staged(con, "git_unstage", ids(con, "EMPTY", "INDEX")).error is None
    assert git_text(root, "ls-files") == ""


# A file of HEAD, what is staged of it, and what is on disk: the hunk of the index fits it alone.
def test_a_hunk_is_staged_where_it_fits_the_index_alone(connect, repo):
    con = opened(connect, repo)
    (repo / "b.txt").write_text("B\n")
    git(repo, "add", "b.txt")
    (repo / "b.txt").write_text("B\nmore\n")
    (hunk,) = [
        one for one in ids(con, "INDEX", "WORKTREE") if one not in ids(con, "HEAD", "INDEX")
    ][-1:]
    assert staged(con, "git_stage", [hunk]).error is None
    assert git_text(repo, "show", ":b.txt") == "B\nmore"


# Messages of which `git commit --trailer` makes the same.
MESSAGES = [
    "subject", "subject\n\nbody", "subject\n\nbody\n\nSigned-off-by: A <a@b>", "subject\n\nAssisted-by: an agent",
    "subject\n\nAssisted-by: an agent\nB: 2", "subject\n\nB: 2\n---\nnote", "subject\n\nassisted-by: an agent", "a: b",
    "subject\n\nB: 2\n more of it", "subject\n\n\n\nbody  \n\n", "subject\n\nwords\nB: 2", "subject\n\nB: 2\n# note",
]  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES)
def test_a_trailer_is_added_as_git_adds_it(connect, repo, message):
    con = opened(connect, repo)
    git(repo, "add", "a.txt")
    line = "Assisted-by: an agent"
    options = "{'trailer': ?, 'date': '1700000000 +0000'}"
    query = f"SELECT git_commit('ws/repo', ?, 'staged', {options})"
    ((made,),) = answer(con, query, message, line).rows
    ours = git(repo, "log", "-1", "--format=%B", made["commit_id"])
    git(repo, "reset", "-q", "--soft", "HEAD~1")
    git(repo, "commit", "-q", "-m", message, "--trailer", line)
    assert git(repo, "log", "-1", "--format=%B") == ours


def test_the_host_s_trailer_is_shown_and_added_to_each_commit(connect, repo):
    con = approvable(
        opened(connect, repo, git_trailer="Assisted-by: an agent", write_approval=True)
    )
    payload = proposed(con, "Say three", "a.txt")
    assert json.loads(payload)["message"] == "Say three\n\nAssisted-by: an agent\n"
    approve(con, payload)
    assert commit(con, "Say three", "a.txt").error is None
    assert git_text(repo, "log", "-1", "--format=%B") == "Say three\n\nAssisted-by: an agent"
    # Another trailer is another commit, which nobody has seen.
    (repo / "b.txt").write_text("more\n")
    approve(con, proposed(con, "More", "b.txt"))
    configure(con, writable(repo.parent, git="commit", git_trailer="B: 2", write_approval=True))
    assert_refused(commit(con, "More", "b.txt"), "stale", "approval_required")


@pytest.mark.parametrize("wrong", ["", "x", "a b: c", "A:", ": x", "A: x\nB: y", "A: x\0", "é: x"])
def test_what_is_no_trailer_is_refused(connect, repo, wrong):
    con = opened(connect, repo)
    was = head(repo)
    query = "SELECT git_commit('ws/repo', 'm', 'a.txt', {'trailer': ?})"
    assert_refused(answer(con, query, wrong), "invalid_args")
    if "\n" not in wrong and "\0" not in wrong:
        con = opened(connect, repo, git_trailer=wrong)
        assert "git_trailer" in assert_refused(commit(con, "m", "a.txt"), "invalid_args")
    assert head(repo) == was


@pytest.fixture
def sparse(repo):
    """A sparse checkout of one directory, with a file outside that is there and changed."""
    for name in ("in/a", "out/a", "out/b"):
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("old\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "directories")
    git(repo, "sparse-checkout", "set", "--cone", "in")
    (repo / "out").mkdir()
    for name in ("in/a", "out/a", "in/new"):
        (repo / name).write_text("new\n")
    return repo


def named(repo):
    return git_text(repo, "show", "--format=", "--name-only", "HEAD").split()


# Promise (commits): What `git add` leaves to a sparse checkout is refused if it alone is named or is new, and left otherwise; a
# file marked as skip-worktree is never taken from the disk. With `test_random_commits_are_those_of_git`.
@pytest.mark.parametrize("what", ["out/a", "out/b", "out", ["in/a", "out/a"], ["in/a", "out/*"]])
def test_files_outside_of_a_sparse_checkout_are_refused(connect, sparse, what):
    con, was = opened(connect, sparse), snapshot(sparse)
    for done in (commit(con, "Second", what), answer(con, "SELECT git_stage('ws/repo', ?)", what)):
        assert "names only files" in assert_refused(done, "invalid_args")
    assert snapshot(sparse) == was
    with pytest.raises(GitFailed, match="outside of your sparse-checkout"):
        git(sparse, "add", "-n", "--", *([what] if isinstance(what, str) else what))


def test_new_files_outside_of_a_sparse_checkout_are_refused(connect, sparse):
    (sparse / "out" / "new").write_text("new\n")
    con, was = opened(connect, sparse), snapshot(sparse)
    said = assert_refused(commit(con, "Second", "."), "invalid_args")
    assert said.startswith("1 new file outside of the sparse checkout: 'out/new'.")
    assert snapshot(sparse) == was
    assert commit(con, "Second", [".", ":!out/new"]).error is None
    assert named(sparse) == ["in/a", "in/new", "out/a"]


def test_a_directory_is_staged_without_what_is_outside_of_the_sparse_checkout(connect, sparse):
    con = opened(connect, sparse)
    assert answer(con, "SELECT git_stage('ws/repo', '.')").error is None
    assert git_text(sparse, "status", "--porcelain").split("\n") == [
        "M  in/a",
        "A  in/new",
        " M out/a",
    ]


def test_a_file_marked_as_skip_worktree_stays_as_it_is_staged(connect, repo):
    git(repo, "update-index", "--skip-worktree", "b.txt")
    (repo / "b.txt").write_text("mine\n")
    con = opened(connect, repo)
    assert "skip-worktree" in assert_refused(commit(con, "Second", "b.txt"), "invalid_args")
    assert commit(con, "Second", ".").error is None
    assert named(repo) == ["a.txt"]
    assert git_text(repo, "ls-files", "-v").splitlines() == ["H a.txt", "S b.txt"]


def test_a_file_assumed_to_be_unchanged_is_committed_by_its_path_as_git_does(connect, repo):
    git(repo, "update-index", "--assume-unchanged", "b.txt")
    (repo / "b.txt").write_text("mine\n")
    con = opened(connect, repo)
    staged = answer(con, "SELECT git_stage('ws/repo', 'b.txt')")
    assert "nothing would change" in assert_refused(staged, "invalid_args")
    assert commit(con, "Second", "b.txt").error is None
    assert named(repo) == ["b.txt"] and git_text(repo, "show", "HEAD:b.txt") == "mine"


def test_an_index_that_is_to_be_split_and_sparse_is_refused(connect, sparse):
    git(sparse, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    git(sparse, "config", "core.splitIndex", "true")
    con, was = opened(connect, sparse), snapshot(sparse)
    assert "core.splitIndex" in assert_refused(commit(con, "Second", "in/a"), "stale")
    assert snapshot(sparse) == was
