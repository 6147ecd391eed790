"""Lines that fingers know from git, typed for redline: git's bytes, an answer of redline's own, or the line for git."""

import os
import pathlib
import subprocess

import pytest
import repositories
from commands import in_process

pytest.importorskip("click", reason="`make test` installs the packages of the commands")

WHO = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")

# What redline prints is what git prints.
SAME = """
diff
diff HEAD
diff HEAD~1 HEAD
diff HEAD~2..HEAD
diff main...topic
diff --cached
diff --staged HEAD~1
diff -w HEAD~1
diff -b HEAD~1
diff --ignore-space-change HEAD~1
diff --ignore-all-space HEAD~1
diff --ignore-blank-lines HEAD~3
diff -M HEAD~3 HEAD
diff -M90% HEAD~3 HEAD
diff -M9 HEAD~3 HEAD
diff --find-renames=100% HEAD~3 HEAD
diff --no-renames HEAD~3 HEAD
diff -R HEAD~3 HEAD
diff -R HEAD~1..HEAD
diff -R
diff -R --cached
diff --numstat HEAD~3 HEAD
diff --numstat -z HEAD~3 HEAD
diff --shortstat HEAD~3 HEAD
diff --name-only HEAD~3
diff --diff-filter=A HEAD~3 HEAD
diff --diff-filter=d HEAD~3 HEAD
diff --diff-filter=MR --name-only HEAD~3 HEAD
diff -U1 HEAD~3
diff --unified=0 HEAD~3
diff -p HEAD~3
diff --patience HEAD~3
diff --histogram HEAD~3
diff --minimal HEAD~3
diff --diff-algorithm=patience HEAD~3
diff --no-color HEAD~3
diff HEAD~3 -- src
diff --exit-code HEAD HEAD
diff --quiet HEAD~1
diff --quiet HEAD HEAD
diff --exit-code HEAD~1
log --oneline
log --oneline -3
log --oneline -n 2
log --oneline -n2
log --oneline --max-count=2
log -1 --oneline HEAD~1
log --oneline --all
log --oneline --reverse
log --oneline --reverse -2
log --oneline --no-merges
log --oneline --merges
log --oneline --first-parent
log --oneline main..topic
log --oneline --author=Ann
log --oneline --grep=second
log --oneline -S three
log --oneline -G thr
log --oneline --since=2001-01-01
log --oneline --until=2001-01-01
log --oneline -- src
log --oneline --follow new/a.txt
log --format=%H
log --format=%h%x09%an%x20%ae%x20%as%x20%s
log --pretty=%P%n%p%n%t%n%T%n%b%n%D%d
log --pretty=format:%s
log --format=tformat:%ad%n%ai%n%at%n%ct%n%cn%n%ce%%
show -s --format=%s
show --no-patch --oneline
show -s --format=%an HEAD~1
show HEAD:src/b.txt
show HEAD
show HEAD~1
status -s
status --short
status --porcelain
status --porcelain=v1
status -s -z
status -s -uall
status -s -uno
status -s --untracked-files=normal
""".strip().split("\n")
# What git has and redline leaves to it, with the answer's line.
LEFT = """
log --graph
log --graph --oneline
log --oneline --decorate
log --date=short
log --format=%ar
log --oneline -p
log -L 1,2:src/b.txt
log --numstat
diff --word-diff
diff --word-diff=color HEAD~1
diff --no-index a b
diff --check
diff --raw HEAD~1
show --format=%s
show --word-diff
blame --porcelain src/b.txt
blame -s src/b.txt
status -b
status -sb
""".strip().split("\n")
# What redline prints in its own form.
OWN = """
log
log -3
log -p -1
log --stat
log --all
log --no-merges
log --first-parent
log --reverse
stat
stat HEAD~1
diff --stat HEAD~1
diff --color HEAD~1
diff --name-status HEAD~1
show
show --stat
blame src/b.txt
blame -L 2,+2 src/b.txt
blame -L2,+2 src/b.txt
blame -L 2 src/b.txt
blame -L ,2 src/b.txt
blame -L 3,-2 src/b.txt
blame -w src/b.txt
blame src/b.txt HEAD~1
status
""".strip().split("\n")


@pytest.fixture(scope="module")
def ours(extension):
    with in_process(extension) as run:
        yield run


def make(folder: pathlib.Path) -> None:
    git = lambda *words: repositories.git(folder, *WHO, *words)

    def commit(subject: str, number: int) -> None:
        date = f"2001-02-0{number}T10:00:00 +0330"
        git("add", "--all", ".")
        os.environ["GIT_AUTHOR_DATE"] = os.environ["GIT_COMMITTER_DATE"] = date
        git("commit", "-q", "-m", subject, "-m", "A body.\n\nIn two parts.")

    git("init", "-q", "-b", "main", ".")
    (folder / "src/deep").mkdir(parents=True)
    (folder / "src/a.txt").write_text("".join(f"line {at}\n" for at in range(20)))
    (folder / "src/b.txt").write_text("one\ntwo\nthree\n")
    (folder / "src/deep/c d.txt").write_text("".join(f"other {at}\n" for at in range(20)))
    (folder / "b.bin").write_bytes(b"\0\1")
    try:
        commit("first", 1)
        git("checkout", "-q", "-b", "topic")
        (folder / "topic.txt").write_text("topic\n")
        commit("on topic", 2)
        git("checkout", "-q", "main")
        (folder / "src/b.txt").write_text("one\n\ntwo\nthree\nfour\n")
        (folder / "new").mkdir()
        (folder / "src/a.txt").rename(folder / "new/a.txt")
        (folder / "src/deep/c d.txt").rename(folder / "src/c d.txt")
        (folder / "gone.txt").write_text("to go\n")
        commit("second", 3)
        git("merge", "-q", "--no-ff", "-m", "merged", "topic")
        (folder / "src/b.txt").write_text("one\n\ntwo\nthree  3\nfour\n")
        (folder / "b.bin").write_bytes(b"\0\2")
        commit("third", 5)
        (folder / "src/b.txt").write_text("one\n\n two\nthree 3\nfour\n")
        (folder / "gone.txt").unlink()
        (folder / "é.txt").write_text("é\n")
        commit("fourth", 6)
        git("tag", "v1")
    finally:
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            os.environ.pop(name, None)
    (folder / "src/b.txt").write_text("staged\n")
    git("add", ".")
    (folder / "src/b.txt").write_text("not staged\nof\nfour\nlines\n")
    (folder / "src/new").mkdir()
    (folder / "src/new/x").write_text("x\n")
    (folder / "fresh/deep").mkdir(parents=True)
    (folder / "fresh/deep/y z").write_text("y\n")
    (folder / "loose.txt").write_text("l\n")


@pytest.fixture
def repo(tmp_path, monkeypatch) -> pathlib.Path:
    repo = repositories.copied(tmp_path, make)
    monkeypatch.chdir(repo)
    return repo


def split(line: str) -> list[str]:
    return line.split(" ")


@pytest.mark.parametrize("line", SAME)
def test_a_line_of_git_s_prints_git_s_bytes(ours, repo, line):
    words = split(line)
    git = subprocess.run(
        ["git", "-c", "diff.renames=true", *words],
        cwd=repo,
        env=repositories.environment(),
        capture_output=True,
        check=False,
    )
    assert git.returncode in (0, 1), git.stderr
    if git.returncode:
        assert ours(*words, code=1) == ""
    else:
        assert ours(*words) == git.stdout, line
    # As git's -C, before the command and from elsewhere.
    os.chdir("/")
    if git.returncode == 0:
        assert ours("-C", repo, *words) == git.stdout


@pytest.mark.parametrize("line", LEFT)
def test_what_is_left_to_git_is_answered_by_its_line(ours, repo, line):
    assert ours(*split(line), code=2) == f"redline: use git for this: git {line}\n"
    assert f"git -C src {line}\n" in ours("-C", "src", *split(line), code=2)


@pytest.mark.parametrize("line", OWN)
def test_a_line_is_answered_in_redline_s_own_form(ours, repo, line):
    assert ours(*split(line))


def test_of_git_s_lines_hardly_one_is_unknown():
    assert len(SAME) + len(OWN) + len(LEFT) >= 83


def test_lines_of_a_blame_are_those_of_git_s(ours, repo):
    for lines in ("2,+2", "2", ",2", "3,-2", "2,3", "4,2", "1,+1"):
        git = repositories.git(repo, "blame", "-p", "-L", lines, "src/b.txt", "HEAD")
        theirs = [line[1:] for line in git.split(b"\n") if line.startswith(b"\t")]
        shown = ours("blame", "-L", lines, "src/b.txt", "HEAD").split(b"\n")[:-1]
        assert [line.split(b"\t")[4] for line in shown] == theirs, lines
    assert "for a pattern or a function use git blame" in ours("blame", "-L", "/x/", "src/b.txt", code=2)  # fmt: skip


def test_a_log_in_the_table_has_the_commits_that_git_lists(ours, repo):
    for words in ([], ["--no-merges"], ["--merges"], ["--first-parent"], ["--reverse"], ["--all"]):
        git = repositories.git(repo, "log", "--format=%h", "--abbrev=10", *words).split()
        assert [line[:10] for line in ours("log", *words).splitlines()] == git, words


def test_a_suggestion_is_never_another_option_s_meaning(ours, repo):
    for words, near in (
        (["diff", "--stagd"], "Did you mean '--staged'?"),
        (["log", "--sinse", "x"], "Did you mean '--since'?"),
        (["stat", "--no-index"], None),
        (["stat", "--oneline"], None),
        (["review", "--format"], None),
    ):
        said = ours(*words, code=2)
        assert "No such option" in said
        assert (near in said) if near else ("Did you mean" not in said), said


def test_a_directory_before_a_command_is_where_the_other_starts(ours, repo):
    assert ours("-C", "src", "show", "HEAD:./b.txt") == repositories.git(repo / "src", "show", "HEAD:./b.txt")  # fmt: skip
    os.chdir("/")
    assert ours("-C", repo, "stat", "-C", "src", "HEAD~1") == ours("stat", "-C", repo, "HEAD~1")
