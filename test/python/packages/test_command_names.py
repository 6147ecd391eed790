"""The command redline beside git, byte for byte: names in lists, the status of work trees; and arguments of all kinds."""

import itertools
import os
import pathlib
import random
import subprocess
import sys

import pytest
import repositories
from histories import Clock, write
from repositories import ROOT

pytest.importorskip("click", reason="`make test` installs the packages of the commands")
from click.testing import CliRunner
from commands import in_process

SEED = 20_261_127
# Names with every byte that git escapes, blanks, an arrow, letters, and bytes that are not UTF-8.
NAMES = [
    b"plain",
    b"a blank",
    b" first",
    b"last ",
    b"a -> b",
    b"a => b",
    b"tab\tx",
    b"line\nfeed",
    b"\x01\x07\x08\x0b\x0c\r\x1b[2J\x7f",
    b'quo"te',
    b"back\\slash",
    b"back\\nslash",
    b"pipe|",
    b"caf\xe9",
    b"caf\xe9 noir",
    b"dir/\xff/caf\xe9",
    "\u00e9t\u00e9 \u4e2d\u202e".encode(),
    b"-z",
    "dir/\u00fc/caf\u00e9".encode(),
]
STATUS = ["-c", "status.relativePaths=false", "status", "--short", "--untracked-files=all"]


@pytest.fixture(scope="module")
def ours(extension):
    with in_process(extension) as run:
        yield run


def make(folder: pathlib.Path) -> None:
    write(folder, "init --quiet --initial-branch=main .")
    for at, name in enumerate(NAMES):
        path = os.path.join(os.fsencode(folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.writelines(f"{at} {line}\n" for line in range(20))
    repositories.git(folder, "add", ".")
    Clock(folder).commit("root")


@pytest.fixture
def repo(tmp_path) -> pathlib.Path:
    return repositories.copied(tmp_path, make)


def assert_same_status(ours, repo: pathlib.Path, *paths: str) -> int:
    """Compares all forms of the status; returns how many lines there were."""
    after = ["--", *paths] if paths else []
    for options in ([], ["-z"], ["--ignored"], ["-z", "--ignored"]):
        wanted = repositories.git(repo, *STATUS, *options, *after)
        assert ours("status", "-C", repo, *options, *after) == wanted
    return wanted.count(b"\0")


def assert_same_lists(ours, repo: pathlib.Path, *sides: str) -> int:
    """Compares the lists of two sides; returns how many names there were."""
    git = ["-c", "diff.renames=true", "diff", *sides]
    for options in ([], ["-z"]):
        wanted = repositories.git(repo, *git, "--name-only", *options)
        assert ours("diff", "-C", repo, "--name-only", *options, *sides) == wanted
        statuses = repositories.git(repo, *git, "--name-status", *options)
        assert ours("diff", "-C", repo, "--name-status", *options, *sides) == statuses
    counts = ours("diff", "-C", repo, "--stat", "-z", *sides).split(b"\0")
    numstat = repositories.git(repo, *git, "--numstat", "-z").split(b"\0")
    # The status stands before the counts; the two names after a rename have none.
    assert [
        cell.partition(b"\t")[2] if cell.count(b"\t") >= 3 and theirs != cell else cell
        for cell, theirs in itertools.zip_longest(counts, numstat, fillvalue=b"")
    ] == numstat
    return wanted.count(b"\0")


def path_in(repo: pathlib.Path, name: bytes) -> bytes:
    return os.path.join(os.fsencode(repo), name)


def test_names_are_quoted_as_git_quotes_them(ours, repo):
    for name in NAMES:
        with open(path_in(repo, name), "a") as file:
            file.write("more\n")
        os.rename(path_in(repo, name), path_in(repo, name + b".moved"))
    assert assert_same_status(ours, repo) == 2 * len(NAMES)
    repositories.git(repo, "add", "--all")
    assert assert_same_lists(ours, repo, "--cached") == len(NAMES)
    assert assert_same_status(ours, repo) == 2 * len(NAMES)
    Clock(repo).commit("moved")
    assert assert_same_lists(ours, repo, "HEAD~1", "HEAD") == len(NAMES)
    git = repositories.git(repo, "show", "--format=", "--name-only", "HEAD")
    shown = ours("show", "-C", repo, "--name-only").split(b"\n")
    # Lists of commits have texts: a byte that is not UTF-8 is U+FFFD there.
    for byte in (b"\\351", b"\\377"):
        git = git.replace(byte, b"\\357\\277\\275")
    assert shown[-len(NAMES) - 1 :] == git.split(b"\n")
    # Without -z, tabs are between cells alone, and each name is on its line.
    lines = ours("stat", "-C", repo, "HEAD~1", "HEAD").split(b"\n")[:-1]
    assert len(lines) == len(NAMES) and {line.count(b"\t") for line in lines} == {3}
    assert b'renamed\t1\t0\t"tab\\tx" => "tab\\tx.moved"' in lines
    assert "-z is for lists" in ours("diff", "-C", repo, "-z", code=2)
    assert "--markdown cannot" in ours("stat", "-C", repo, "-z", "--markdown", code=2)


def test_names_are_readable_and_told_apart_on_a_terminal():
    from duckdb_redline.command.names import quoted

    for name, shown in [
        ("\u00e9t\u00e9".encode(), "\u00e9t\u00e9"),
        (b"back\\nslash", '"back\\\\nslash"'),
        (b"back\nslash", '"back\\nslash"'),
        (b"caf\xe9", '"caf\\351"'),
        ("a\u202eb".encode(), '"a\\342\\200\\256b"'),
        (b"\x1b[2J", '"\\033[2J"'),
    ]:
        assert quoted(name, readable=True) == shown
    assert quoted(b"a b") == "a b" and quoted(b"a b", blanks=True) == '"a b"'


def change(chance: random.Random, repo: pathlib.Path) -> None:
    """Changes a random file, or the index."""
    listed = repositories.git(repo, "ls-files", "-z").split(b"\0")[:-1]
    path = path_in(repo, chance.choice(listed))
    is_file = os.path.isfile(path) and not os.path.islink(path)
    action = chance.choice(["edit", "remove", "stage", "move", "link", "reset", "intend", "new"])
    if action == "edit" and is_file:
        with open(path, "a") as file:
            file.write(f"{chance.random()}\n")
    elif action == "remove" and os.path.lexists(path):
        os.unlink(path)
    elif action == "stage":
        repositories.git(repo, "add", "--all", "dir" if chance.random() < 0.3 else ".")
    elif action == "move" and is_file:
        os.rename(path, path_in(repo, chance.choice(NAMES) + b"%d" % chance.randrange(1000)))
    elif action == "link" and is_file:
        os.unlink(path)
        os.symlink("target", path)
    elif action == "reset":
        repositories.git(repo, "reset", "--quiet")
    elif action == "intend":
        repositories.git(repo, "add", "--intent-to-add", ".")
    elif action == "new":
        with open(path_in(repo, chance.choice(NAMES) + b".log"), "w") as file:
            file.write(f"{chance.random()}\n")


def test_the_status_of_random_work_trees_is_git_s(ours, repo):
    chance, compared = random.Random(SEED), 0
    (repo / ".gitignore").write_text("*.log\n")
    for _ in range(12):
        for _ in range(5):
            change(chance, repo)
        compared += assert_same_status(ours, repo)
        assert_same_lists(ours, repo, "--cached")
    assert compared > 100
    assert assert_same_status(ours, repo, ":(glob)**/caf?", "dir")


def test_conflicts_stand_among_the_other_files(ours, repo):
    blob = repositories.git(repo, "hash-object", "-w", "--stdin", stdin=b"1\n").decode().strip()
    lines = [
        f"100644 {blob} {stage}\tback {stages}"
        for stages in range(1, 8)
        for stage in (1, 2, 3)
        if stages & (1 << (stage - 1))
    ]
    repositories.git(repo, "update-index", "--index-info", stdin=("\n".join(lines) + "\n").encode())
    for name in (b"a blank", b"plain"):
        os.unlink(path_in(repo, name))
    assert assert_same_status(ours, repo) == 9


def test_a_submodule_has_git_s_letters(ours, repo, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    write(other, "init --quiet --initial-branch=main .")
    Clock(other).commit("one", files={"file": "1\n"})
    chance, kinds = random.Random(SEED), ["commit", "edit", "stage", "new", "removed"]
    chosen = [kind for size in range(4) for kind in itertools.combinations(kinds, size)]
    add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"]
    for kind in chance.sample(chosen, 9):
        name = "-".join(kind) or "clean"
        repositories.git(repo, *add, str(other), name)
    repositories.git(repo, "add", ".")
    Clock(repo).commit("submodules")
    for name in repositories.git_text(repo, "ls-files", "*").splitlines():
        kind, inside = name.split("-"), repo / name
        if not (inside / ".git").exists():
            continue
        if "commit" in kind:
            Clock(inside).commit("two", files={"more": "2\n"})
        if "edit" in kind:
            (inside / "file").write_text("edited\n")
        if "stage" in kind:
            (inside / "staged").write_text("staged\n")
            write(inside, "add staged")
        if "new" in kind:
            (inside / "new").write_text("new\n")
        if "removed" in kind:
            (inside / "file").unlink()
    # A file that became a repository, and a submodule in the index alone.
    os.unlink(repo / "plain")
    write(repo, "init --quiet plain")
    Clock(repo / "plain").commit("one", files={"file": "1\n"})
    repositories.git(repo, *add, str(other), "added")
    (repo / "added/new").write_text("new\n")
    assert assert_same_status(ours, repo) > 7
    letters = {line[:2] for line in ours("status", "-C", repo).split(b"\n")}
    assert {b" M", b" m", b" ?", b"A?"} <= letters


def test_an_argument_that_is_not_utf8_is_one_line(extension, repo):
    """In a process of its own, which gets bytes from the system."""
    command = [sys.executable, "-m", "duckdb_redline", "--extension", extension]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    for arguments in [
        [b"blame", b"caf\xe9"],
        [b"show", b"caf\xe9\n\x1b[2J"],
        [b"diff", b"--", b"\xff" * 5000],
        [b"caf\xe9"],
    ]:
        done = subprocess.run(
            [*command, *arguments], cwd=repo, capture_output=True, env=environment
        )
        assert done.returncode == 2 and done.stdout == b""
        said = done.stderr.decode()
        assert said.startswith("redline: '") and "is not UTF-8" in said and "write ?" in said
        assert said.count("\n") == 1 and len(said) < 400 and "\x1b" not in said


def test_a_question_mark_stands_for_a_byte_that_is_not_utf8(ours, repo):
    with open(path_in(repo, b"caf\xe9"), "a") as file:
        file.write("more\n")
    assert ours("diff", "-C", repo, "--name-only", "--", "caf?") == b'"caf\\351"\n'
    patch = ours("diff", "-C", repo, "--", "caf?")
    assert patch == repositories.git(repo, "diff", "--", "caf?") != b""
    assert ours("log", "-C", repo, "--name-only", "--", "caf?").endswith(
        b'\n"caf\\357\\277\\275"\n'
    )


# Words that an argument may be, beside random ones.
WORDS = [
    "diff", "stat", "log", "show", "blame", "status", "sql", "help", "review", "report", "approve", "setup",
    "shell", "--", "-", "", "-z", "-w", "-p", "-U", "-L", "-n", "-S", "-G", "-C", ".", "..", "...", "--stat",
    "--name-only", "--staged", "--since", "--until", "--author", "--grep", "--ignored", "--no-open",
    "--no-pager", "--color", "always", "--markdown", "--snapshots", "--format", "--database",
    "HEAD", "HEAD~1", "main", "INDEX", "WORKTREE", "EMPTY", "main..HEAD", "main...", "@{-1}", "HEAD^{/x}",
    ":/root", "HEAD:plain", "plain", "caf?", ":(glob)**", ":(nosuch)x", ":!", ":(", "dir", "/", "~",
    "1", "-1", "0", "1,2", "2,1", "\u00b2,\u00b2", "9" * 30, "9" * 5000, "1," + "9" * 4999, "1e9",
    "yesterday", "2020-13-45", "(", "[", "\\", "*", "a" * 5000, "a/" * 3000, "SELECT 1", "SELEC", ";",
    "FROM changes()", "\u202e", "\U0001f600", "\udce9", "caf\udce9", "\ud800", "a\udc80b", "\x01", "\n",
    "x\ny", "\x1b[2J", "-\udcff", "--\n", "--repo", "-x", "--nosuch=\t", "--context=\u0663",
    "-U" + "9" * 30, "-U2147483648", "-n" + "9" * 30, "-L1," + "9" * 18, "-L0,0", "--snapshots=61", "--completion",
]  # fmt: skip
SUBCOMMANDS = WORDS[:13]


def word(chance: random.Random) -> str:
    """Returns an argument: known, random, or with options in front."""
    if chance.random() < 0.75:
        return chance.choice(WORDS)
    letters = "".join(chr(chance.choice([*range(1, 128), 0xE9, 0x202E, 0xDCE9])) for _ in range(5))
    return chance.choice(["", "-", "--", "-U", "-L1,", "--since=", ":("]) + letters


@pytest.mark.parametrize("seed", range(2))
def test_no_argument_is_a_traceback(ours, repo, monkeypatch, seed):
    """Of 500 random lists of them: each ends with an exit code, and what is not UTF-8 in one line."""
    from duckdb_redline.command.main import main

    monkeypatch.chdir(repo)
    monkeypatch.setenv("HOME", str(repo))
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    monkeypatch.setattr("tempfile.tempdir", str(repo / "dir"))
    # Without the program duckdb, which would take the place of this process.
    monkeypatch.setenv("PATH", "")
    chance, seen = random.Random(SEED + seed), set()
    for number in range(250):
        first = [chance.choice(SUBCOMMANDS)] if chance.random() < 0.95 else []
        arguments = first + [word(chance) for _ in range(chance.randrange(5))]
        if "report" in arguments:
            arguments.append("--nosuch" if chance.random() < 0.9 else "-h")
        done = CliRunner().invoke(main, arguments)
        where = f"list {number}: {arguments!r}"
        assert done.exception is None or isinstance(done.exception, SystemExit), where
        assert done.exit_code in (0, 1, 2), where
        assert "Traceback" not in done.output, where
        if any("\ud800" <= c <= "\udfff" for c in "".join(arguments)):
            assert done.exit_code == 2 and done.stderr.count("\n") == 1, where
            assert "is not UTF-8" in done.stderr, where
        seen.add(done.exit_code)
    assert seen == {0, 1, 2}
