"""Random layouts of a repository against git: repositories inside a sandbox are read as by git, those outside are refused.

Each layout is made twice from the same seed: with its other half (a lender of objects, a common directory, a git
directory apart) inside the sandbox, and outside.
"""

# Promise (outside): Random layouts (packs, multi-pack-indexes, commit-graphs, split indexes,
# SHA-256, linked worktrees, submodules, separate git directories, alternates) give git's rows if
# everything is inside, and `fs_denied:` if a part is outside.

import json
import os
import pathlib
import random
import shutil
from typing import NamedTuple

import pytest
import repositories
import torture
from answers import answer, assert_refused
from repositories import Change

pytestmark = pytest.mark.slow

# `make torture` tries more.
LAYOUTS = 300 if os.environ.get("REDLINE_TORTURE") else 14
DATES = torture.DATES


class Layout(NamedTuple):
    """What was chosen for each part of a repository."""

    format: str
    objects: str
    references: str
    graph: str
    index: str
    lender: str
    form: str
    place: str

    @property
    def leads_elsewhere(self) -> bool:
        return self.lender != "none" or self.form in (
            "linked",
            "linked, relative",
            "git directory apart",
            "submodule",
        )


CHOICES = Layout(
    format=["sha1", "sha1", "sha1", "sha256"],
    objects=[
        "loose",
        "packed",
        "packs and loose",
        "two packs",
        "multi-pack-index",
        "multi-pack-index and a later pack",
    ],
    references=["loose", "packed", "packed and loose", "detached"],
    graph=["none", "single", "chain"],
    index=["plain", "version 4", "split", "untracked cache"],
    lender=["none", "none", "absolute", "relative", "nested"],
    form=["plain", "linked", "linked, relative", "bare", "git directory apart", "submodule"],
    place=["", "", "below", "git directory"],
)


class Maker:
    """Makes one layout: the repository in `inside`, its other half in `elsewhere`."""

    def __init__(self, layout: Layout, inside: pathlib.Path, elsewhere: pathlib.Path, seed: int):
        self.layout, self.inside, self.elsewhere = layout, inside, elsewhere
        self.chance = random.Random(seed)
        self.env = repositories.environment(**DATES)

    def git(self, repo: pathlib.Path, *arguments: str) -> str:
        return (
            repositories.git(
                repo,
                *torture.IDENTITY,
                "-c",
                "protocol.file.allow=always",
                *arguments,
                env=self.env,
            )
            .decode()
            .strip()
        )

    def commits(self, repo: pathlib.Path, count: int) -> None:
        for _ in range(count):
            for name in self.chance.sample(["a.txt", "below/b.txt", "below/c.txt", "d.bin"], 2):
                path = repo / name
                path.parent.mkdir(exist_ok=True)
                lines = path.read_text().splitlines() if path.exists() else []
                lines[self.chance.randrange(len(lines) + 1) : 0] = [
                    f"{self.chance.random()}"
                ] * self.chance.randrange(1, 30)
                path.write_text("\n".join(lines) + "\n")
            self.git(repo, "add", "-A")
            self.git(repo, "commit", "-qm", f"commit {self.chance.random()}")

    def make(self) -> pathlib.Path:
        """Returns the path to query."""
        lay = self.layout
        source = self.inside / "source"
        source.mkdir(parents=True)
        self.git(source, "init", "-q", "-b", "main", f"--object-format={lay.format}")
        self.commits(source, 4)
        self.git(source, "tag", "first", "HEAD~3")
        self.git(source, "branch", "side", "HEAD~1")
        repo = self.lent(source) if lay.lender != "none" else source
        self.commits(repo, 3)
        self.pack(repo)
        repo = self.shaped(repo)
        if lay.form != "bare":
            (repo / "a.txt").write_text("changed in the work tree\n")
            (repo / "below/b.txt").write_text("staged\n")
            self.git(repo, "add", "below/b.txt")
        if lay.place == "below" and lay.form != "bare":
            return repo / "below"
        if lay.place == "git directory" and lay.form != "bare":
            # A submodule's own directory has its work tree in core.worktree, which is not trusted.
            return (
                pathlib.Path(self.git(repo, "rev-parse", "--absolute-git-dir"))
                if lay.form == "plain"
                else repo
            )
        return repo

    def lent(self, source: pathlib.Path) -> pathlib.Path:
        """Moves the source away, and returns a repository that borrows its objects."""
        self.elsewhere.mkdir(parents=True, exist_ok=True)
        lender = self.elsewhere / "lender"
        source.rename(lender)
        self.git(lender, "gc", "-q") if self.chance.random() < 0.5 else None
        if self.layout.lender == "nested":
            middle = self.elsewhere / "middle"
            self.git(self.inside, "clone", "-q", "--shared", str(lender), str(middle))
            self.git(middle, "branch", "-q", "side", "origin/side")
            (middle / ".git/objects/info/alternates").write_text("../../../lender/.git/objects\n")
            lender = middle
        repo = self.inside / "repo"
        self.git(self.inside, "clone", "-q", "--shared", str(lender), str(repo))
        if self.layout.lender != "absolute":
            relative = os.path.relpath(lender / ".git/objects", repo / ".git/objects")
            (repo / ".git/objects/info/alternates").write_text(f"# lent\n{relative}\n")
        self.git(repo, "branch", "-q", "side", "origin/side")
        self.git(repo, "remote", "remove", "origin")
        return repo

    def borrow_by_path(self, repo: pathlib.Path) -> None:
        """Names the lender by an absolute path, since the repository is about to be moved."""
        alternates = repo / ".git/objects/info/alternates"
        if alternates.exists():
            lender = self.elsewhere / ("middle" if self.layout.lender == "nested" else "lender")
            alternates.write_text(f"{lender}/.git/objects\n")

    def pack(self, repo: pathlib.Path) -> None:
        lay = self.layout
        if lay.objects != "loose":
            self.git(repo, "repack", "-q", "-d", "-l")
        if lay.objects in (
            "two packs",
            "multi-pack-index",
            "multi-pack-index and a later pack",
            "packs and loose",
        ):
            self.commits(repo, 2)
            if lay.objects != "packs and loose":
                self.git(repo, "repack", "-q", "-d", "-l")
        if lay.objects.startswith("multi-pack-index"):
            self.git(repo, "multi-pack-index", "write")
        if lay.objects.endswith("later pack"):
            self.commits(repo, 1)
            self.git(repo, "repack", "-q", "-d", "-l")
        if lay.references in ("packed", "packed and loose"):
            self.git(repo, "pack-refs", "--all")
        if lay.references == "packed and loose":
            self.git(repo, "branch", "-qf", "side", "HEAD~1")
        if lay.graph != "none":
            self.git(
                repo,
                "commit-graph",
                "write",
                "--reachable",
                *(["--split"] if lay.graph == "chain" else []),
            )
        if lay.graph == "chain":
            self.commits(repo, 1)
            self.git(repo, "commit-graph", "write", "--reachable", "--split=no-merge")
        if lay.references == "detached":
            self.git(repo, "checkout", "-q", "--detach")

    def shaped(self, repo: pathlib.Path) -> pathlib.Path:
        lay = self.layout
        self.elsewhere.mkdir(parents=True, exist_ok=True)
        if lay.form == "bare":
            bare = self.inside / "bare.git"
            shutil.move(repo / ".git", bare)
            self.git(bare, "config", "core.bare", "true")
            alternates = bare / "objects/info/alternates"
            if alternates.exists() and lay.lender != "absolute":
                text = alternates.read_text()
                alternates.write_text(text.replace("../../../", "../../", 1))
            return bare
        if lay.form == "git directory apart":
            git_dir = self.elsewhere / "apart.git"
            self.borrow_by_path(repo)
            shutil.move(repo / ".git", git_dir)
            (repo / ".git").write_text(f"gitdir: {git_dir}\n")
        elif lay.form.startswith("linked"):
            # The work tree stays inside, the main repository goes.
            main = self.elsewhere / "main"
            self.borrow_by_path(repo)
            shutil.move(repo, main)
            repo = self.inside / "linked"
            self.git(main, "worktree", "add", "-q", "--detach", str(repo))
            if "relative" in lay.form:
                (repo / ".git").write_text(
                    f"gitdir: {os.path.relpath(main / '.git/worktrees/linked', repo)}\n"
                )
        elif lay.form == "submodule":
            top = self.elsewhere / "top"
            top.mkdir()
            self.git(top, "init", "-q", f"--object-format={lay.format}")
            (top / ".git/modules").mkdir()
            self.borrow_by_path(repo)
            shutil.move(repo / ".git", top / ".git/modules/m")
            (repo / ".git").write_text(f"gitdir: {top}/.git/modules/m\n")
            self.git(
                top,
                "config",
                "--file",
                str(top / ".git/modules/m/config"),
                "core.worktree",
                str(repo),
            )
        if lay.index == "version 4":
            self.git(repo, "update-index", "--index-version", "4")
        elif lay.index == "split":
            self.git(repo, "update-index", "--split-index")
        elif lay.index == "untracked cache":
            self.git(repo, "update-index", "--force-untracked-cache")
            self.git(repo, "status")
        return repo


def assert_as_git(con, repo: pathlib.Path, place: str, is_bare: bool) -> None:
    for pair in (("first", "main"), ("side", "HEAD"), (repositories.EMPTY, "main~1")):
        (wanted,) = repositories.changes(repo, [pair])
        got = answer(con, "SELECT * FROM file_changes(?, ?, ?)", *pair, place)
        assert got.error is None, got.error
        assert not repositories.first_differences([Change(*row) for row in got.rows], wanted), pair
    asked = ["log", "all"] if is_bare else ["log", "all", "index", "work tree"]
    for name in asked:
        got = answer(con, torture.QUESTIONS[name].sql, place)
        assert got.error is None, f"{name}: {got.error}"
        assert not repositories.first_differences(got.rows, torture.QUESTIONS[name].git(repo)), name


@pytest.mark.parametrize("seed", range(LAYOUTS))
def test_a_layout_is_read_inside_and_refused_outside(connect, tmp_path, seed):
    chance = random.Random(seed)
    layout = Layout(*(chance.choice(choices) for choices in CHOICES))
    for elsewhere in ("inside/elsewhere", "outside"):
        root = tmp_path / elsewhere.replace("/", "-")
        inside = root / "inside"
        inside.mkdir(parents=True)
        repo = Maker(layout, inside, root / elsewhere, seed).make()
        con = connect()
        assert_as_git(con, repo, str(repo), layout.form == "bare")
        sandbox = json.dumps([{"name": "inside", "root": str(inside)}])
        con.execute(f"SET GLOBAL redline_sandboxes = '{sandbox}'")
        place = f"inside/{repo.relative_to(inside)}"
        if elsewhere == "outside" and layout.leads_elsewhere:
            for sql in (
                "SELECT * FROM file_changes('first', 'main', ?)",
                torture.QUESTIONS["all"].sql,
            ):
                assert_refused(answer(con, sql, place), "fs_denied")
        else:
            assert_as_git(con, repo, place, layout.form == "bare")
