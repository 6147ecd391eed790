"""Random rebases: a series of commits, written again on another base."""

import pathlib
import random

import pytest
import repositories

FILES = ["a.txt", "b.txt", "src/c.rs", "src/d with space.rs"]
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "return",
    "true",
    ";",
    "{",
    "}",
]


def empty_world(tmp_path_factory) -> pathlib.Path:
    """Returns a bare repository without a commit, for series."""
    repo = tmp_path_factory.mktemp("rebases") / "repo"
    repo.mkdir()
    repositories.git(repo, "init", "--quiet", "--bare", ".")
    return repo


def clone_of_ripgrep(tmp_path_factory) -> pathlib.Path:
    """Returns a bare clone of ripgrep."""
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    clone = repositories.clone_bundle(
        "ripgrep.bundle", tmp_path_factory.mktemp("rebase") / "ripgrep.git", "--bare"
    )
    # Beside a multi-pack-index the length of git's ids depends on what the command has read before.
    repositories.git(clone, "config", "core.abbrev", "9")
    return clone


class Series:
    """Writes commits as trees, without a work tree."""

    def __init__(self, repo: pathlib.Path, seed: int):
        self.repo, self.dice, self.now = repo, random.Random(seed), 1_600_000_000
        self.stream: list[str] = []
        self.mark = 0

    def text(self, lines: int) -> list[str]:
        return [" ".join(self.dice.choices(WORDS, k=self.dice.randint(1, 4))) for _ in range(lines)]

    def edit(self, files: dict) -> dict:
        """Returns the files with some lines of one or two of them changed."""
        files = dict(files)
        for name in self.dice.sample(FILES, self.dice.choice([1, 1, 2])):
            lines = list(files.get(name, []))
            for _ in range(self.dice.randint(1, 3)):
                at = self.dice.randint(0, len(lines))
                lines[at : at + self.dice.randint(0, 3)] = self.text(self.dice.randint(0, 6))
            if self.dice.random() < 0.05:
                files.pop(name, None)
            else:
                files[name] = lines
        if self.dice.random() < 0.08 and "a.txt" in files:
            files[f"moved{self.dice.randint(0, 3)}.txt"] = files.pop("a.txt")
        return files

    def message(self) -> str:
        body = "\n".join(self.text(self.dice.randint(0, 3)))
        odd = self.dice.choice(["", "", "\n\tindented\tline", "\n\n\n  two blank lines above  \n"])
        return f"{' '.join(self.text(1))}\n\n{body}{odd}"

    def commit(self, files: dict, message: str, parent: int | None) -> int:
        """Adds a commit to those that are to be written, and returns its mark."""
        self.now += self.dice.randint(0, 2)
        self.mark += 1
        self.stream += [
            "" if parent else "reset refs/heads/written\n",
            f"commit refs/heads/written\nmark :{self.mark}\n",
            f"author A U Thor <a@b> {self.now} +0000\ncommitter C <c@d> {self.now} +0000\n",
            f"data {len(message.encode())}\n{message}\n",
            f"from :{parent}\n" if parent else "",
            "deleteall\n",
        ]
        for name, lines in files.items():
            content = "".join(f"{line}\n" for line in lines)
            if len(lines) % 7 == 3:
                content = content.removesuffix("\n")
            self.stream.append(f'M 644 inline "{name}"\ndata {len(content.encode())}\n{content}\n')
        return self.mark

    def write(self) -> dict[int, str]:
        """Writes the commits; returns their ids by their marks."""
        stream, self.stream = "".join(self.stream).encode(), []
        marks = self.repo / "marks"
        repositories.git(
            self.repo, "fast-import", "--quiet", "--force", f"--export-marks={marks}", stdin=stream
        )
        lines = marks.read_text().split()
        return {int(mark[1:]): id_ for mark, id_ in zip(lines[::2], lines[1::2])}

    def rebase(self, commits: list) -> list:
        """Returns the states and messages of a series with some reworded, split, squashed, moved, dropped or edited."""
        new = [[dict(files), message] for files, message in commits]
        for _ in range(self.dice.randint(0, 4)):
            at = self.dice.randrange(len(new)) if new else 0
            match self.dice.choice(["reword", "split", "squash", "move", "drop", "edit", "add"]):
                case "reword" if new:
                    new[at][1] = self.message() if self.dice.random() < 0.5 else new[at][1] + " x"
                case "split" if new:
                    new.insert(at, [self.edit(new[at][0]), self.message()])
                case "squash" | "drop" if len(new) > 1:
                    del new[at]
                case "move" if len(new) > 1:
                    moved = new.pop(at)
                    new.insert(self.dice.randrange(len(new) + 1), moved)
                case "edit" if new:
                    new[at][0] = self.edit(new[at][0])
                case _:
                    new.insert(at, [self.edit(new[at][0] if new else {}), self.message()])
        return new

    def ranges(self) -> tuple[str, str]:
        """Writes a series and its rebased version; returns both ranges."""
        base = {name: self.text(self.dice.randint(0, 40)) for name in FILES}
        commits, files = [], base
        for _ in range(self.dice.randint(1, 6)):
            files = self.edit(files)
            if commits and self.dice.random() < 0.1:
                files = commits[0][0] if self.dice.random() < 0.5 else base
            commits.append(
                [files, commits[0][1] if self.dice.random() < 0.05 and commits else self.message()]
            )
        root = self.commit(base, "base", None)
        onto = root
        new = self.rebase(commits)
        if self.dice.random() < 0.4:
            moved = {**base, "b.txt": self.text(3) + base["b.txt"]}
            onto = self.commit(moved, "moved", root)
            new = [
                [{**f, "b.txt": moved["b.txt"][:3] + f["b.txt"]} if "b.txt" in f else f, m]
                for f, m in new
            ]
        ends = [root, self.chain(commits, root), onto, self.chain(new, onto)]
        ids = self.write()
        return f"{ids[ends[0]]}..{ids[ends[1]]}", f"{ids[ends[2]]}..{ids[ends[3]]}"

    def chain(self, commits: list, parent: int) -> int:
        for files, message in commits:
            parent = self.commit(files, message, parent)
        return parent
