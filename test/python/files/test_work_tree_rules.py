"""A work tree in a sandbox has the sandbox's rules: a file of it is opened where a diff could show it and read_file would."""

# Promise (sandbox): Of a work tree `file_content`, `file_bytes` and `GitFile` open only what is
# tracked or listed as untracked, and what `read_file` would open: no reserved name, nothing
# ignored, no other suffix, nothing over `max_file_bytes`, nothing of a git directory of any name;
# of another repository inside nothing at all.

import json
import shutil

import duckdb
import pytest
import repositories
from repositories import git, git_text
from sandboxes import configure

CANARY = "CANARY"
AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")
SHOWN = ["a.txt", "sub/b.txt", "new.txt", "unicode-ü.txt", "[a]*.txt", "AGENTS.md"]
# Each with the code that it is refused by, whether it is asked as text, as bytes or by the tool.
REFUSED = {
    ".ssh/id_rsa": "fs_denied", ".netrc": "fs_denied", ".gitmodules": "fs_denied", "sub/.vscode/settings.json": "fs_denied",
    "ignored.txt": "fs_denied", "build/out.txt": "fs_denied", "data.bin": "fs_denied", "large.txt": "too_large", "tracked-large.txt": "too_large",
    "bare/config": "fs_denied", "bare/refs/heads/main.txt": "fs_denied", "inner/c.txt": "fs_denied", ".SSH/id_rsa": "fs_denied",
}  # fmt: skip
# Files that do not exist.
ABSENT = [
    ".git/config",
    "inner/.git/config",
    "module/.git",
    "module",
    "none.txt",
    "sub",
    "../x/a.txt",
    "bare/../a.txt",
    ".git/../a.txt",
]
# The sides of a repository that are not the work tree show all that was committed.
COMMITTED = [".gitmodules", "tracked-large.txt"]


@pytest.fixture
def root(tmp_path):
    """Returns a directory with the repository x, whose work tree has files of every kind, and the repository y."""
    root = tmp_path.resolve() / "root"
    x, y = root / "x", root / "y"
    for repo in (x, y):
        git(tmp_path, "init", "-q", "-b", "main", str(repo))
        (repo / "a.txt").write_text("a\n")
        git(repo, *AUTHOR, "add", ".")
        git(repo, *AUTHOR, "commit", "-q", "-m", "first")
    git(y, "config", "remote.origin.url", f"https://{CANARY}@example.com/y")
    git(x, *AUTHOR, "submodule", "--quiet", "add", str(y), "module")
    for name in ("sub/b.txt", "tracked-large.txt", "AGENTS.md"):
        (x / name).parent.mkdir(exist_ok=True)
        (x / name).write_text(name + " " * 2000 * ("large" in name))
    (x / ".gitignore").write_text("ignored.txt\nbuild/\n")
    git(x, *AUTHOR, "add", ".")
    git(x, *AUTHOR, "commit", "-q", "-m", "second")
    git(x, "init", "-q", "--bare", "bare")
    git(x, "init", "-q", "inner")
    shutil.copytree(x / "bare", x / "inner/bare")
    for name in [*SHOWN[1:], *REFUSED]:
        (x / name).parent.mkdir(parents=True, exist_ok=True)
        if name not in (".gitmodules", "tracked-large.txt"):
            (x / name).write_text(CANARY + " " * 2000 * ("large" in name))
    return root


def questions(file: str, repo: str, side: str = "WORKTREE"):
    """Returns each way to ask for a file of a side."""
    asked = json.dumps({"file": file, "rev": side, "repo": repo})
    yield "SELECT file_content(?, ?, ?)", [file, side, repo]
    yield "SELECT octet_length(file_bytes(?, ?, ?))::VARCHAR", [file, side, repo]
    yield "SELECT redline_call('GitFile', ?)", [asked]


def ask(con, sql: str, values: list) -> tuple[str | None, str | None]:
    """Returns the code of a refusal, or None, and what was said."""
    try:
        found = con.execute(sql, values).fetchone()[0]
    except duckdb.Error as error:
        return repositories.code_and_words(error)
    if "redline_call" in sql and json.loads(found)["isError"]:
        words = json.loads(found)["content"][0]["text"]
        return words.split(":")[0], words
    return None, found


@pytest.fixture
def agent(connect, root):
    suffixes = [".txt", ".md", ".json", ".config"]
    return configure(
        connect(), {"name": "w", "root": root, "suffixes": suffixes, "max_file_bytes": 1000}
    )


def test_files_that_a_diff_shows_and_read_file_reads_are_opened(agent, root):
    for name in SHOWN:
        for sql, values in questions(name, "w/x"):
            code, found = ask(agent, sql, values)
            assert code is None and found is not None, (name, sql, found)
    # By every name of the repository.
    for repo in ("w/x", str(root / "x"), "w/x/sub", "w/x/.git"):
        assert agent.execute(
            "SELECT file_content('new.txt', 'WORKTREE', ?)", [repo]
        ).fetchone() == (CANARY,), repo
    assert agent.execute("SELECT file_content('./b.txt', 'WORKTREE', 'w/x/sub')").fetchone() == (
        CANARY,
    )
    assert agent.execute("SELECT file_content('a.txt', 'WORKTREE', 'w/x/module')").fetchone() == (
        "a\n",
    )


def test_files_that_the_sandbox_withholds_are_refused(agent):
    for name, code in REFUSED.items():
        for sql, values in questions(name, "w/x"):
            got, words = ask(agent, sql, values)
            assert got == code and CANARY not in words, (name, sql, words)


def test_a_path_without_a_file_of_the_work_tree_is_not_found(agent):
    for name in ABSENT:
        for sql, values in questions(name, "w/x"):
            code, found = ask(agent, sql, values)
            assert code in ("fs_denied", "not_found", "invalid_args") or found is None, (
                name,
                sql,
                found,
            )


def test_committed_files_are_shown_as_in_a_diff(agent):
    for name in COMMITTED:
        for side in ("HEAD", "INDEX"):
            assert agent.execute("SELECT file_content(?, ?, 'w/x')", [name, side]).fetchone()[0], (
                name,
                side,
            )


def test_without_sandboxes_a_work_tree_has_all_of_its_files(con, root):
    for name in [*SHOWN, *REFUSED]:
        if name != ".SSH/id_rsa":
            assert con.execute(
                "SELECT file_content(?, 'WORKTREE', ?)", [name, str(root / "x")]
            ).fetchone()[0], name


def test_the_larger_of_two_limits_around_a_file_counts(connect, root):
    inner = {"name": "inner", "root": root / "x", "max_file_bytes": 5000}
    agent = configure(connect(), {"name": "w", "root": root, "max_file_bytes": 1000}, inner)
    for repo in ("w/x", "inner"):
        assert agent.execute("SELECT file_content('large.txt', 'WORKTREE', ?)", [repo]).fetchone()[
            0
        ], repo


# Promise (sandbox): A work tree that is a git directory, or is in one, is refused, whether
# `core.worktree` or the `gitdir` of a linked work tree names it. With
# `test_work_trees_within_a_bare_repository_are_read`.
@pytest.mark.own_database
@pytest.mark.parametrize("limit", ["sandboxes", "directories"])
def test_a_work_tree_that_is_a_git_directory_is_refused(con, root, limit):
    (root / "y/.git/plain").mkdir()
    bad = [
        "../../y/.git",
        f"{root}/y/.git",
        "../../y/.git/refs",
        "../../y/.git/plain",
        "../bare",
        "../bare/refs",
        ".",
        "../../x/.git/refs/heads",
    ]
    if limit == "sandboxes":
        configure(con, {"name": "w", "root": root})
    else:
        con.execute(f"SET allowed_directories = ['{root}']")
        con.execute("SET enable_external_access = false")
    x = str(root / "x")
    for value in bad:
        git(x, "config", "core.worktree", value)
        for sql in (
            "SELECT file_content('config', 'WORKTREE', ?)",
            "SELECT * FROM file_patches('HEAD', 'WORKTREE', ?, untracked := true)",
            "SELECT * FROM file_status(?)",
        ):
            with pytest.raises(duckdb.Error) as caught:
                con.execute(sql, [x])
            assert repositories.code_and_words(caught.value)[
                0
            ] == "fs_denied" and CANARY not in str(caught.value), (value, sql)
    # A linked work tree names its place, too.
    git(x, "config", "--unset", "core.worktree")
    git(x, "worktree", "add", "-q", str(root / "linked"))
    pointer = root / "x/.git/worktrees/linked"
    (pointer / "gitdir").write_text(f"{root}/y/.git/.git\n")
    with pytest.raises(duckdb.Error) as caught:
        con.execute("SELECT file_content('config', 'WORKTREE', ?)", [str(pointer)])
    assert repositories.code_and_words(caught.value)[0] == "fs_denied"


def test_work_trees_within_a_bare_repository_are_read(connect, root):
    """A bare repository with its linked work trees in it, and submodules in these, is a usual layout."""
    git(root, "clone", "-q", "--bare", str(root / "x"), str(root / "all.git"))
    git(root / "all.git", "worktree", "add", "-q", str(root / "all.git/main"), "main")
    git(root / "all.git/main", *AUTHOR, "submodule", "--quiet", "update", "--init")
    agent = configure(connect(), {"name": "w", "root": root})
    assert (
        git_text(root / "all.git/main/module", "rev-parse", "--git-dir")
        .strip()
        .endswith("modules/module")
    )
    for repo in ("w/all.git/main", "w/all.git/main/module", "w/all.git"):
        assert agent.execute("SELECT count(*) > 0 FROM commits('HEAD', ?)", [repo]).fetchone() == (
            True,
        ), repo
    for repo in ("w/all.git/main", "w/all.git/main/module"):
        assert agent.execute(
            "SELECT count(*) FROM file_changes('HEAD', 'WORKTREE', ?)", [repo]
        ).fetchone() == (0,), repo


def test_tracked_files_are_blamed_as_in_a_diff(agent, root):
    """A whole work tree is blamed, its reserved names too, and nothing that is not tracked by a path of its own."""
    for name in (".gitmodules", "tracked-large.txt", "sub/b.txt"):
        assert agent.execute(
            "SELECT count(*) > 0 FROM file_blame(?, 'WORKTREE', 'w/x')", [name]
        ).fetchone() == (True,), name
    blamed = agent.execute(
        "SELECT DISTINCT file_path FROM tree_blame('WORKTREE', 'w/x')"
    ).fetchall()
    assert {
        (name,) for name in git_text(root / "x", "ls-files").split() if name != "module"
    } == set(blamed)


def test_an_untracked_file_of_a_path_is_one_that_the_status_lists(agent):
    listed = {
        path
        for (path,) in agent.execute(
            "SELECT file_path FROM file_changes('HEAD', 'WORKTREE', 'w/x', untracked := true)"
        ).fetchall()
    }
    for name in ("new.txt", "ignored.txt", "build/out.txt", "inner/c.txt", ".netrc"):
        for sides in ("'HEAD', 'WORKTREE'", "'WORKTREE', 'HEAD'"):
            code, words = ask(
                agent,
                f"SELECT string_agg(content) FROM file_diff(?, {sides}, 'w/x', untracked := true)",
                [name],
            )
            assert (code is None) == (name in listed) and (code or "fs_denied") == "fs_denied", (
                name,
                words,
            )
            assert code is None or CANARY not in words
        code, words = ask(
            agent, "SELECT string_agg(content) FROM file_blame(?, 'WORKTREE', 'w/x')", [name]
        )
        assert code is None if name == "new.txt" else CANARY not in words, (name, words)


# The questions that show files of a work tree, and those of the tools.
SHOWING = {
    "file_patches": "SELECT * FROM file_patches('HEAD', 'WORKTREE', $repo, untracked := true)",
    "file_status": "SELECT * FROM file_status($repo, ignored := true)",
    "file_changes": "SELECT * FROM file_changes('HEAD', 'WORKTREE', $repo, untracked := true)",
    "diff_html": "SELECT diff_html('HEAD', 'WORKTREE', $repo, {'untracked': true})",
    "diff_review": "SELECT * FROM diff_review('HEAD', 'WORKTREE', $repo, untracked := true)",
    "tree_files": "SELECT * FROM tree_files('WORKTREE', $repo)",
    "file_content": "SELECT file_content('id_rsa', 'WORKTREE', $repo)",
    "GitStatus": "SELECT redline_call_text('GitStatus', json_object('repo', $repo))",
    "GitDiff": "SELECT redline_call_text('GitDiff', json_object('repo', $repo, 'from', 'HEAD'))",
}


# Promise (sandbox): A work tree or a repository of a reserved name, or in a directory of one, is refused, whatever leads to it,
# and so is a work tree that a clone names and that does not lead back to it. With
# `test_a_work_tree_that_leads_back_is_read_where_a_sandbox_has_it_by_no_reserved_name`,
# `test_a_repository_in_a_directory_of_a_reserved_name_is_refused`.
@pytest.mark.parametrize("depth", ["the directory", "below it", "above it"])
@pytest.mark.parametrize("way", ["core.worktree", "a gitfile", "gitdir"])
def test_a_work_tree_of_a_reserved_name_is_refused(connect, root, way, depth):
    agent = configure(connect(), {"name": "w", "root": root})
    clone, tree = root / "clone", root / ".ssh"
    if depth == "below it":
        tree = tree / "inner"
    tree.mkdir(parents=True)
    (tree / "id_rsa").write_text(f"{CANARY}\n")
    if depth == "above it":
        tree = root
    git(root, "clone", "-q", str(root / "y"), str(clone))
    asked = [str(clone), "w/clone", "w/clone/.git"]
    if way == "core.worktree":
        git(clone, "config", "core.worktree", str(tree))
    elif way == "gitdir":
        git(clone, "worktree", "add", "-q", str(root / "linked"))
        pointer = clone / ".git/worktrees/linked"
        (pointer / "gitdir").write_text(f"{tree}/.git\n")
        asked = [f"w/{pointer.relative_to(root)}"]
    elif depth == "above it":
        # Who may write there has made a repository of the root itself.
        pytest.skip("a gitfile of a directory leads back")
    else:
        (tree / ".git").write_text(f"gitdir: {clone}/.git\n")
        asked = [str(tree), f"w/{tree.relative_to(root)}"]
    for repo in asked:
        for name, sql in SHOWING.items():
            try:
                shown = str(agent.execute(sql, {"repo": repo}).fetchall())
            except duckdb.Error as error:
                shown = str(error)
            assert CANARY not in shown and "id_rsa" not in shown.replace("$repo", ""), (repo, name)
            why = "does not lead to it" if depth == "above it" else "which is reserved"
            assert "fs_denied" in shown and why in shown, (repo, name, shown)


@pytest.mark.parametrize("way", ["itself", "a bare one", "a gitfile", "commondir", "alternates"])
def test_a_repository_in_a_directory_of_a_reserved_name_is_refused(connect, root, way):
    agent = configure(connect(), {"name": "w", "root": root})
    keys, clone = root / ".gnupg/keys", root / "clone"
    keys.parent.mkdir()
    git(root, "clone", "-q", str(root / "y"), str(clone))
    git(
        root,
        "clone",
        "-q",
        *(["--bare"] if way == "a bare one" else []),
        str(root / "y"),
        str(keys),
    )
    repository = keys if way == "a bare one" else keys / ".git"
    tree = git(repository, "mktree").decode().strip()
    hidden = git(repository, *AUTHOR, "commit-tree", tree, stdin=CANARY.encode()).decode().strip()
    git(repository, "update-ref", "refs/heads/hidden", hidden)
    name, repo = "hidden", "w/clone"
    if way in ("itself", "a bare one"):
        repo = f"w/{keys.relative_to(root)}"
    elif way == "a gitfile":
        shutil.rmtree(clone / ".git")
        (clone / ".git").write_text(f"gitdir: {repository}\n")
    elif way == "commondir":
        git(clone, "worktree", "add", "-q", str(root / "linked"))
        (clone / ".git/worktrees/linked/commondir").write_text(f"{repository}\n")
        repo = "w/linked"
    else:
        (clone / ".git/objects/info/alternates").write_text(f"{repository}/objects\n")
        name = hidden
    with pytest.raises(duckdb.Error) as error:
        agent.execute("SELECT subject FROM commits(?, ?)", [name, repo])
    code, words = repositories.code_and_words(str(error.value))
    assert CANARY not in words
    assert code == "fs_denied", words


def test_a_work_tree_that_leads_back_is_read_where_a_sandbox_has_it_by_no_reserved_name(
    connect, root
):
    tree = root / ".claude/worktrees/t"
    git(root / "x", "worktree", "add", "-q", str(tree))
    (tree / "new.txt").write_text(f"{CANARY}\n")
    outer = {"name": "w", "root": root}
    question = "SELECT count(*) FROM file_changes('HEAD', 'WORKTREE', ?, untracked := true)"
    for sandboxes, repo in (
        ((outer, {"name": "t", "root": tree}), "t"),
        ((outer, {"name": "t", "root": tree.parent}), "t/t"),
    ):
        agent = configure(connect(), *sandboxes)
        assert agent.execute(question, [repo]).fetchone() == (1,)
    with pytest.raises(duckdb.Error, match="fs_denied"):
        configure(connect(), outer).execute(question, ["w/.claude/worktrees/t"])
    for repo in ("w/x", "w/x/.git", "w/x/module", "w/x/.git/modules/module"):
        agent = configure(connect(), outer)
        assert agent.execute(question, [repo]).fetchone()[0] >= 0
