"""Paths that go through directories outside of what may be read: nothing tells whether these exist, and no system call names them."""

# Promise (outside): No answer tells whether a directory outside exists, and no system call names
# one: 29 paths that go out and back (`/proc/self/root`, `/dev/fd/..`, links to `/` and up,
# alternates, `.git` files, `commondir`, `core.worktree`, URLs, `..` before and after a root),
# each through a directory that exists and through one that does not; `strace` sees each call that
# takes a path. With `no_answer_depends_on_whether_a_directory_outside_exists`,
# `random_ways_lead_where_the_system_has_them_and_tell_nothing_of_what_is_outside`.

import json
import re
import shutil
import subprocess
from typing import NamedTuple

import apart
import duckdb
import pytest
import repositories
from repositories import git

pytestmark = pytest.mark.own_database

# What takes a repository, and what takes a file.
REPOSITORY = [
    "SELECT count(*) FROM commits('HEAD', ?)",
    "SELECT file_content('a.txt', 'WORKTREE', ?)",
    "SELECT * EXCLUDE (tagged_at, committed_at) FROM refs(?)",
]
FILE = ["SELECT diff_files(?, 'ROOT/in/repo/a.txt').diff"]
# `DIR` is the absolute path of a directory that exists, or of one that does not; `ROOT` is the directory around both.
REPOSITORIES = [
    "/proc/self/rootDIR/../../..ROOT/in/repo", "/proc/self/cwd/../../../../../../../../..DIR/../in/repo", "DIR/../../in/repo",
    "ROOT/in/repo/LDIR", "ROOT/in/repo/LDIR/../../in/repo", "ROOT/in/repo/L/proc/self/rootDIR/../../in/repo",
    "ROOT/in/repo/up/outside/NAME/../../in/repo", "ROOT/in/repo/up/outside/NAME/L/in/repo", "ROOT/in/through-NAME", "ROOT/in/near-NAME",
    "ROOT/in/alternates-NAME", "ROOT/in/gitfile-NAME", "ROOT/in/commondir-NAME", "ROOT/in/worktree-NAME", "DIR",
    "/dev/fd/../..DIR/../../in/repo", "ROOT/in/repo/../../outside/NAME/../../in/repo",
]  # fmt: skip
FILES = [
    "DIR/../../in/repo/a.txt", "/proc/self/rootDIR/../../in/repo/a.txt", "file:DIR/../../in/repo/a.txt", "ROOT/in/repo/LDIR/../../in/repo/a.txt",
    "ROOT/in/repo/LDIR", "ROOT/in/repo/up/outside/NAME", "x://..DIR/../../in/repo/a.txt", "ROOT/in/file-NAME", "DIR/a.txt",
    "ROOT/in/repo/a.txt/../../..DIR", "file://LDIR/../../in/repo/a.txt", "ROOT/in/named-NAME",
]  # fmt: skip
NAMES = ["probe-there", "probe-none"]


@pytest.fixture
def world(tmp_path):
    """Returns a directory with `in`, which may be read, and `outside`, where one of the two names is a directory."""
    root = tmp_path.resolve()
    repo = root / "in/repo"
    (root / "outside/probe-there").mkdir(parents=True)
    (root / "outside/probe-there/L").symlink_to("/")
    git(root, "init", "-q", "-b", "main", str(repo))
    (repo / "a.txt").write_text("one\n")
    git(repo, "add", ".")
    git(repo, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first")
    (repo / "L").symlink_to("/")
    (repo / "up").symlink_to("../..")
    for name in NAMES:
        way = f"{repo}/L{root}/outside/{name}/../../in/repo"
        (root / f"in/through-{name}").symlink_to(f"../outside/{name}/../../in/repo")
        (root / f"in/near-{name}").symlink_to(f"{root}/outside/{name}/../../in/repo")
        (root / f"in/file-{name}").symlink_to(f"../outside/{name}/../../in/repo/a.txt")
        (root / f"in/named-{name}").symlink_to(f"../outside/{name}/../single")
        for kind in ("alternates", "gitfile", "commondir", "worktree"):
            shutil.copytree(repo / ".git", root / f"in/{kind}-{name}/.git")
        shutil.rmtree(root / f"in/alternates-{name}/.git/objects")
        (root / f"in/alternates-{name}/.git/objects/info").mkdir(parents=True)
        (root / f"in/alternates-{name}/.git/objects/info/alternates").write_text(
            f"{way}/.git/objects\n"
        )
        shutil.rmtree(root / f"in/gitfile-{name}/.git")
        (root / f"in/gitfile-{name}/.git").write_text(f"gitdir: {way}/.git\n")
        (root / f"in/commondir-{name}/.git/commondir").write_text(f"{way}/.git\n")
        git(root / f"in/worktree-{name}", "config", "core.worktree", way)
    (root / "outside/single").write_text("single\n")
    return root


class Question(NamedTuple):
    statement: str
    path: str
    name: str


def questions(root, *, files: bool) -> list[Question]:
    """Returns each question twice: through the directory that exists, and through the other."""
    asked = [(statement, path) for statement in REPOSITORY for path in REPOSITORIES]
    asked += [(statement, path) for statement in FILE for path in FILES] if files else []

    def filled(text: str, name: str) -> str:
        return (
            text.replace("DIR", f"{root}/outside/{name}")
            .replace("NAME", name)
            .replace("ROOT", str(root))
        )

    return [
        Question(filled(statement, name), filled(path, name), name)
        for statement, path in asked
        for name in NAMES
    ]


def limits(root) -> dict[str, list[str]]:
    """Returns the settings of the two ways to limit a host."""
    sandbox = json.dumps([{"name": "in", "root": f"{root}/in"}])
    return {
        "directories": [
            f"SET allowed_directories = ['{root}/in']", f"SET allowed_paths = ['{root}/outside/single']",
            "SET enable_external_access = false", "SET lock_configuration = true",
        ],
        "sandboxes": [f"SET GLOBAL redline_sandboxes = '{sandbox}'"],
    }  # fmt: skip


@pytest.mark.parametrize("limit", ["directories", "sandboxes"])
def test_no_answer_tells_whether_a_directory_outside_exists(con, world, limit):
    for setting in limits(world)[limit]:
        con.execute(setting)
    answers, codes = {}, set()
    for question in questions(world, files=True):
        try:
            answer = str(con.execute(question.statement, [question.path]).fetchall())
        except duckdb.Error as error:
            answer = str(error)
            codes.add(repositories.code_and_words(error)[0])
        key = (
            question.statement.replace(question.name, "NAME"),
            question.path.replace(question.name, "NAME"),
        )
        # A hint lists the repositories inside, those of both names.
        answers.setdefault(key, []).append(re.sub("|".join(NAMES), "NAME", answer))
    told = {key: pair for key, pair in answers.items() if pair[0] != pair[1]}
    assert not told, told
    # Some are answered: they are text outside, and lead back.
    assert any(pair[0].startswith("[") for pair in answers.values()) and codes <= {
        "fs_denied",
        "not_found",
        "invalid_args",
    }, codes


def test_without_limits_the_same_paths_tell(con, world):
    """The control: the system walks the paths, and only one of each pair is there."""
    told = 0
    for there, none in zip(*[iter(questions(world, files=True))] * 2):
        answers = []
        for question in (there, none):
            try:
                answers.append(str(con.execute(question.statement, [question.path]).fetchall()))
            except duckdb.Error as error:
                answers.append(str(error).replace(question.name, "NAME"))
        told += answers[0] != answers[1]
    assert told > 20, told


@pytest.mark.parametrize("limit", ["directories", "sandboxes"])
def test_no_system_call_names_a_path_outside(extension, world, tmp_path, limit):
    strace = shutil.which("strace")
    if (
        strace is None
        or subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True).returncode != 0
    ):
        pytest.skip("strace is not installed or may not trace here")
    log = tmp_path / "calls"
    # Names beneath `in` have the words too: the requested file is there under another name.
    asked = [(question.statement, [question.path]) for question in questions(world, files=True)]
    under = [*apart.STRACE, "-s", "4096", "-e", "trace=%file", "-o", str(log)]
    apart.run(extension, asked, settings=limits(world)[limit], seconds=300, under=under)
    calls = log.read_text(errors="replace").splitlines()
    assert any(f"{world}/in" in call for call in calls), "strace saw nothing"
    # The text of a link is what the call gives back, and not what it asks for.
    # Beneath a handle and through no link, a path is walked up to the first link and no further.
    calls = [call for call in calls if "RESOLVE_NO_SYMLINKS|RESOLVE_BENEATH" not in call]
    outside = [
        call for call in calls if "/probe-" in call.split(" = ")[0] and "readlinkat(" not in call
    ]
    outside += [
        call for call in calls if "readlinkat(" in call and "/probe-" in call.split(", ")[1]
    ]
    assert not outside, outside[:20]


def test_a_root_is_found_by_its_spelling_in_the_setting(con, world):
    (world / "spelled").symlink_to("in")
    con.execute(
        f"""SET GLOBAL redline_sandboxes = '[{{"name": "in", "root": "{world}/spelled"}}]'"""
    )
    for path in (f"{world}/spelled/repo", f"{world}/in/repo", "in/repo"):
        assert con.execute("SELECT count(*) FROM commits('HEAD', ?)", [path]).fetchone() == (1,), (
            path
        )


def test_relative_paths_start_at_the_current_directory(con, world, monkeypatch):
    for setting in limits(world)["directories"]:
        con.execute(setting)
    monkeypatch.chdir(world / "outside")
    assert con.execute("SELECT count(*) FROM commits('HEAD', '../in/repo')").fetchone() == (1,)
    assert (
        con.execute("SELECT diff_files('../in/repo/a.txt', 'single').diff")
        .fetchone()[0]
        .endswith("-one\n+single\n")
    )
    monkeypatch.chdir(world / "in/repo")
    assert con.execute("SELECT count(*) FROM commits('HEAD', '.')").fetchone() == (1,)
    assert con.execute("SELECT diff_files('a.txt', '../repo/./a.txt').identical").fetchone() == (
        True,
    )


def test_a_range_as_a_table_asks_nothing_through_a_link(con, world, monkeypatch):
    """A file of the name of a range is left to DuckDB; whether one is behind a link is not asked."""
    monkeypatch.chdir(world / "in/repo")
    (world / "outside/probe-there/x..y").write_text("")
    for setting in limits(world)["directories"]:
        con.execute(setting)
    told = set()
    for name in NAMES:
        with pytest.raises(duckdb.Error) as caught:
            con.execute(f"FROM 'up/outside/{name}/x..y'")
        told.add(str(caught.value).replace(name, "NAME"))
    assert len(told) == 1, told
