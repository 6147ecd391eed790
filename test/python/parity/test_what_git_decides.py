"""What git decides before it compares: which directory is a repository, which names are one, what a number is, and where HEAD
leads before the first commit. Each kind by a generator, beside git."""

import itertools
import os
import pathlib
import random
import shutil

import duckdb
import pytest
import repositories

SEED = 20_261_127
OTHER_HASH = {"sha1": "sha256", "sha256": "sha1"}[repositories.HASH]


def new(path: pathlib.Path, *options: str) -> pathlib.Path:
    path.mkdir(parents=True, exist_ok=True)
    repositories.git(path, "init", "--quiet", "--initial-branch=main", *options)
    for key, value in {"user.name": "T", "user.email": "t@example.com"}.items():
        repositories.git(path, "config", key, value)
    return path


def write(repo: pathlib.Path, name: str, content: str = "x\n") -> None:
    path = repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def commit(repo: pathlib.Path) -> None:
    repositories.git(repo, "add", "--all")
    repositories.git(repo, "commit", "--quiet", "--allow-empty", "-m", "c")


def status_of_git(repo: pathlib.Path) -> list[str]:
    printed = repositories.git(repo, "status", "--porcelain=v1", "-uall", "--no-renames", "-z")
    return sorted(record.decode() for record in printed.split(b"\0") if record)


def status(con, repo: pathlib.Path) -> list[str]:
    rows = con.execute(
        "SELECT index_status, worktree_status, file_path FROM file_status(?, renames := false)",
        [str(repo)],
    ).fetchall()
    letters = {None: " ", "added": "A", "modified": "M", "deleted": "D", "type_changed": "T"}
    return sorted(
        f"?? {path}" if unstaged == "untracked" else f"{letters[staged]}{letters[unstaged]} {path}"
        for staged, unstaged, path in rows
    )


def uncommitted(con, repo: pathlib.Path) -> list[str]:
    rows = con.execute(
        "SELECT file_path FROM file_changes('HEAD', 'WORKTREE', ?, untracked := true)", [str(repo)]
    ).fetchall()
    return sorted(path for (path,) in rows)


# -- what is a repository ---------------------------------------------------------------------


def parts_of_a_git_directory(there: tuple[str, ...], head: str):
    def make(directory: pathlib.Path) -> None:
        git_dir = directory / ".git"
        git_dir.mkdir()
        for part in there:
            if part == "HEAD":
                (git_dir / "HEAD").write_text(head)
            else:
                (git_dir / part).mkdir()

    return make


def git_file(text: str):
    return lambda directory: (directory / ".git").write_text(text)


def repository(directory: pathlib.Path) -> None:
    new(directory)


def repository_with_a_commit(directory: pathlib.Path) -> None:
    new(directory)
    commit(directory)


def led_to(directory: pathlib.Path) -> None:
    """A `.git` file that leads to a git directory elsewhere."""
    new(directory)
    moved = directory.parent / f".moved-{directory.name}"
    (directory / ".git").rename(moved)
    (directory / ".git").write_text(f"gitdir: ../{moved.name}\n")


def linked(directory: pathlib.Path) -> None:
    """A `.git` that is a link to a git directory."""
    new(directory)
    moved = directory.parent / f".moved-{directory.name}"
    (directory / ".git").rename(moved)
    (directory / ".git").symlink_to(moved)


LEFT_OVER = {
    **{
        f"{' '.join(there) or 'nothing'}": parts_of_a_git_directory(there, "ref: refs/heads/main\n")
        for count in range(4)
        for there in itertools.combinations(["HEAD", "objects", "refs"], count)
    },
    "a HEAD with an id": parts_of_a_git_directory(("HEAD", "objects", "refs"), "1" * 40 + "\n"),
    "a HEAD with words": parts_of_a_git_directory(("HEAD", "objects", "refs"), "main\n"),
    "a HEAD outside of refs": parts_of_a_git_directory(("HEAD", "objects", "refs"), "ref: main\n"),
    "a HEAD without a blank": parts_of_a_git_directory(("HEAD", "objects", "refs"), "ref:refs/x"),
    "a file that leads nowhere": git_file("gitdir: /gone/.git/worktrees/n\n"),
    "a file that leads to a directory": git_file("gitdir: ..\n"),
    "a file of a former submodule": git_file("gitdir: ../.git/modules/n\n"),
    "other words": git_file("x\n"),
    "no path": git_file("gitdir: \n"),
    "an empty file": git_file(""),
    "a dangling link": lambda directory: (directory / ".git").symlink_to("/gone"),
    "a pipe": lambda directory: os.mkfifo(directory / ".git"),
    "a repository": repository,
    "a repository with a commit": repository_with_a_commit,
    "a file that leads to one": led_to,
    "a link to one": linked,
    ".GIT": lambda directory: (directory / ".GIT").write_text("x"),
}


@pytest.mark.parametrize("ignores_case", [False, True])
@pytest.mark.parametrize("kind", LEFT_OVER)
def test_a_repository_in_a_work_tree_is_what_git_takes_for_one(con, tmp_path, kind, ignores_case):
    repo = new(tmp_path / "r")
    write(repo, "a")
    commit(repo)
    repositories.git(repo, "config", "core.ignoreCase", str(ignores_case).lower())
    for directory in ("n", "deep/n"):
        write(repo, f"{directory}/f")
        write(repo, f"{directory}/sub/g")
        LEFT_OVER[kind](repo / directory)
    wanted = status_of_git(repo)
    assert status(con, repo) == wanted
    # What git lists is in a review; a repository without a commit has nothing to compare.
    listed = [record[3:] for record in wanted if not record.endswith("/")]
    if kind != "a pipe":
        assert [path for path in uncommitted(con, repo) if "/n/" in f"/{path}/"] == sorted(
            path for path in listed if "/n/" in f"/{path}/"
        ) or any(record.endswith("/") for record in wanted)


@pytest.mark.parametrize("kind", LEFT_OVER)
def test_a_submodule_with_a_left_over_git_counts_as_unchanged(con, tmp_path, kind):
    repo = new(tmp_path / "r")
    write(repo, "a")
    commit(repo)
    oid = repositories.git_text(repo, "rev-parse", "HEAD")
    repositories.git(repo, "update-index", "--add", "--cacheinfo", f"160000,{oid},n")
    repositories.git(repo, "commit", "--quiet", "-m", "s")
    (repo / "n").mkdir()
    LEFT_OVER[kind](repo / "n")
    try:
        wanted = [record for record in status_of_git(repo) if not record.startswith("??")]
    except repositories.GitFailed:
        pytest.skip("git ends with an error here")
    got = [record for record in status(con, repo) if not record.startswith("??")]
    assert got == wanted


# -- names in another case --------------------------------------------------------------------


def respelled(name: str, dice: random.Random) -> str:
    return "".join(dice.choice([letter.lower(), letter.upper()]) for letter in name)


@pytest.mark.parametrize("ignores_case", [True, False])
@pytest.mark.parametrize("number", range(12))
def test_where_case_is_ignored_a_tracked_name_is_untracked_in_no_spelling(
    con, tmp_path, number, ignores_case
):
    dice = random.Random(SEED + number)
    repo = new(tmp_path / "r")
    names = ["README.md", "Src/a.c", "Src/Deep/b.c", "docs/x", "é/Y"]
    for name in names:
        write(repo, name)
    commit(repo)
    repositories.git(repo, "config", "core.ignoreCase", str(ignores_case).lower())
    for name in [*names, "Src/new.c", "Other/n", "docs/X2"]:
        other = respelled(name, dice)
        if dice.random() < 0.4 and (repo / name).exists() and not (repo / other).exists():
            (repo / other).parent.mkdir(parents=True, exist_ok=True)
            (repo / name).rename(repo / other)
        elif dice.random() < 0.7:
            write(repo, other)
    if dice.random() < 0.3:
        shutil.copytree(repo / "docs", repo / "DOCS", dirs_exist_ok=True)
    wanted = status_of_git(repo)
    assert status(con, repo) == wanted
    untracked = {record[3:] for record in wanted if record.startswith("??")}
    changed = {record[3:] for record in wanted if not record.startswith("??")}
    assert set(uncommitted(con, repo)) == untracked | changed


# -- notes ------------------------------------------------------------------------------------


def test_notes_of_one_commit_are_joined_as_git_joins_them(con, tmp_path):
    repo = new(tmp_path / "r")
    commit(repo)
    oid = repositories.git_text(repo, "rev-parse", "HEAD")
    dice = random.Random(SEED)
    texts = ["one\n", "two\n", "one\n", "no end", "", "\n", "x\n\n\n", "a\0b\n", "\n\nlead"]

    def hashed(kind: str, content: str) -> str:
        if kind == "tree":
            return repositories.git(repo, "mktree", stdin=content.encode()).decode().strip()
        done = repositories.git(repo, "hash-object", "-w", "--stdin", stdin=content.encode())
        return done.decode().strip()

    def tree(names: dict) -> str:
        lines = []
        for name, there in names.items():
            if isinstance(there, dict):
                lines.append(f"040000 tree {tree(there)}\t{name}\n")
            else:
                lines.append(f"100644 blob {hashed('blob', there)}\t{name}\n")
        return hashed("tree", "".join(lines))

    layouts = [[], [2], [2, 2], [2, 2, 2], [4], [1], [3], [2, 1], [2, 4], [len(oid) - 2]]
    for _ in range(60):
        root: dict = {}
        for cuts in dice.sample(layouts, dice.randrange(1, 4)):
            names, at = root, 0
            for cut in cuts:
                names = names.setdefault(oid[at : at + cut], {})
                at += cut
                if not isinstance(names, dict):
                    break
            if isinstance(names, dict) and at < len(oid):
                names.setdefault(oid[at:], dice.choice(texts))
        made = repositories.git_text(repo, "commit-tree", "-m", "n", tree(root))
        repositories.git(repo, "update-ref", "refs/notes/commits", made)
        wanted = repositories.git(repo, "log", "-1", "--format=format:%N").decode()
        (got,) = con.execute("SELECT notes FROM commits('HEAD', ?)", [str(repo)]).fetchone()
        assert (got or "") == wanted, root


# -- numbers and booleans ---------------------------------------------------------------------

NUMBERS = [
    "", "auto", "AUTO", "no", "Off", "false", "4", "9", " 12", "0x9", "0XA", "010", "017", "1k", "+7", "40", "99", "0x28",
]  # fmt: skip
BOOLEANS = ["", "true", "TRUE", "yes", "on", "1", "-1", "0x1", "0", "00", "0x0", "off", "No", "1k", "0k", "2m"]  # fmt: skip


@pytest.mark.parametrize("value", NUMBERS)
def test_ids_have_the_length_that_core_abbrev_gives_them(con, tmp_path, value):
    repo = new(tmp_path / "r")
    write(repo, "a", "1\n")
    commit(repo)
    write(repo, "a", "2\n")
    repositories.git(repo, "config", "core.abbrev", value)
    wanted = repositories.git(repo, "diff").decode()
    (got,) = con.execute(
        "SELECT patch FROM file_patches('INDEX', 'WORKTREE', ?)", [str(repo)]
    ).fetchone()
    assert got == wanted


@pytest.mark.parametrize("value", [*BOOLEANS, None])
def test_booleans_are_those_of_git(con, tmp_path, value):
    repo = new(tmp_path / "r")
    write(repo, "a")
    write(repo, "b")
    commit(repo)
    (repo / "a").chmod(0o755)
    write(repo, "A")
    with (repo / ".git/config").open("a") as config:
        for key in ("fileMode", "ignoreCase"):
            config.write(f"[core]\n\t{key}{'' if value is None else f' = {value}'}\n")
    assert status(con, repo) == status_of_git(repo)


# -- before the first commit ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["HEAD", "@"])
def test_head_of_an_unborn_branch_is_the_empty_tree_beside_what_is_uncommitted(con, tmp_path, name):
    repo = new(tmp_path / "r")
    write(repo, "a", "1\n")
    repositories.git(repo, "add", "a")
    write(repo, "a", "2\n")
    write(repo, "b", "3\n")
    patches = lambda *sides: "".join(
        patch
        for (patch,) in con.execute(
            "SELECT patch FROM file_patches(?, ?, ?)", [*sides, str(repo)]
        ).fetchall()
    )
    assert patches(name, "INDEX") == repositories.git(repo, "diff", "--cached").decode()
    assert "+2\n" in patches(name, "WORKTREE") and "+1\n" not in patches(name, "WORKTREE")
    reverse = ("-R", "--src-prefix=b/", "--dst-prefix=a/")
    assert patches("INDEX", name) == repositories.git(repo, "diff", "--cached", *reverse).decode()
    assert uncommitted(con, repo) == ["a", "b"]
    for other in ("EMPTY", "HEAD"):
        with pytest.raises(duckdb.Error, match="branch 'main' has no commit yet"):
            patches(name, other)
    for call in ('{"from": "HEAD"}', '{"from": "HEAD", "to": "INDEX"}'):
        arguments = call.replace("}", f', "repo": "{repo}"}}')
        (told,) = con.execute("SELECT redline_call_text('GitDiff', ?)", [arguments]).fetchone()
        assert told.startswith("1 file changed, 1 insertion(+)"), told


# -- submodules with another hash ---------------------------------------------------------------


def test_a_submodule_with_another_hash_is_compared_as_git_pads_its_id(con, tmp_path):
    repo = new(tmp_path / "r")
    write(repo, "a")
    commit(repo)
    inner = repo / "n"
    inner.mkdir()
    repositories.git(inner, "init", "--quiet", f"--object-format={OTHER_HASH}")
    for key, value in {"user.name": "T", "user.email": "t@example.com"}.items():
        repositories.git(inner, "config", key, value)
    write(inner, "f", "1\n")
    commit(inner)
    repositories.git(repo, "add", "n")
    repositories.git(repo, "commit", "--quiet", "-m", "s")
    assert status(con, repo) == status_of_git(repo)
    write(inner, "f", "2\n")
    assert status(con, repo) == status_of_git(repo)
    commit(inner)
    assert status(con, repo) == status_of_git(repo)
    wanted = repositories.git(repo, "diff").decode()
    rows = con.execute(
        "SELECT patch FROM file_patches('INDEX', 'WORKTREE', ?)", [str(repo)]
    ).fetchall()
    assert "".join(patch for (patch,) in rows) == wanted
