"""Histories that tests make: commits an hour apart, and one repository with a commit of each kind."""

import pathlib
from collections.abc import Iterator

import repositories


def write(repo, *commands: str, **env: str) -> None:
    """Runs git commands, each a line of words."""
    for command in commands:
        repositories.git(repo, *command.split(" "), env=repositories.environment(**env))


def moment(raw: str) -> tuple[int, int]:
    """Reads git's raw form of a date: the seconds, and the time zone in minutes."""
    seconds, zone = raw.split()
    hours, minutes = divmod(int(zone[1:]), 100)
    minutes += hours * 60
    return int(seconds), -minutes if zone[0] == "-" else minutes


# git's arguments and redline's options for walks of all parents, and of the first ones.
PARENTS = [([], {}), (["--first-parent"], {"first_parent": True})]


def each_file(cases: pathlib.Path) -> Iterator[tuple[str, str]]:
    """Yields revisions and ranges of the repository of cases, each with every file at its end."""
    for rev in ("main", "orphan", "middle..main"):
        listed = repositories.git_text(cases, "ls-tree", "-r", "--name-only", rev.split("..")[-1])
        yield from ((rev, file) for file in listed.splitlines())


class Clock:
    """Commits one after the other, an hour apart."""

    def __init__(self, repo: pathlib.Path):
        self.repo, self.now = repo, 1_500_000_000

    def commit(
        self,
        message: str,
        *options: str,
        files: dict | None = None,
        author="A U Thor <author@example.com>",
        **env,
    ) -> str:
        for name, content in (files or {}).items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            repositories.git(self.repo, "add", "--", name)
        self.now += 3600
        name, _, email = author.rstrip(">").partition(" <")
        who = {
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": email,
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": email,
        }
        when = {
            "GIT_AUTHOR_DATE": f"{self.now - 60} +0200",
            "GIT_COMMITTER_DATE": f"{self.now} +0000",
        }
        repositories.git(
            self.repo, "commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", message, *options,
            env=repositories.environment(**who, **when | env),
        )  # fmt: skip
        return repositories.git_text(self.repo, "rev-parse", "HEAD")


def lines(start: int, end: int) -> str:
    return "".join(f"line {number}\n" for number in range(start, end))


def one_of_each(repo: pathlib.Path) -> pathlib.Path:
    """Makes a repository with one commit of each kind, and returns it."""
    write(repo, "init --quiet --initial-branch=main .")
    clock = Clock(repo)
    clock.commit(
        "root",
        files={
            "a/one.txt": lines(0, 30),
            "a/two.txt": "two\n",
            "b/data.bin": b"\0\1\2",
            "c.txt": "c\n",
        },
    )
    clock.commit("empty")
    clock.commit(
        "subject in\ntwo lines\n\nbody\n",
        files={"a/one.txt": lines(2, 30)},
        author="Old Name <OLD@example.com>",
    )
    write(repo, "tag middle", "branch side", "branch third", "branch fourth")
    repositories.git(repo, "mv", "a/one.txt", "b/moved.txt")
    clock.commit("rename", files={"b/moved.txt": lines(2, 31)})
    clock.commit("", files={"a/two.txt": "two\n\ntwo\n"})
    write(repo, "checkout --quiet side")
    clock.commit("on the side", files={"side.txt": "s\n"}, author="Someone <shared@example.com>")
    write(repo, "checkout --quiet third")
    clock.commit(
        "on the third",
        files={"third.txt": "3\n", "a/two.txt": "three\n"},
        author="Other <shared@example.com>",
    )
    write(repo, "checkout --quiet fourth")
    clock.commit(
        "same second", files={"fourth.txt": "4\n"}, GIT_COMMITTER_DATE=f"{clock.now} +0000"
    )
    write(repo, "checkout --quiet main")
    clock.now += 3600
    when = {"GIT_AUTHOR_DATE": f"{clock.now} +0000", "GIT_COMMITTER_DATE": f"{clock.now} +0000"}
    who = {
        f"GIT_{role}_{part}": "merger@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    write(repo, "merge --quiet --no-ff -m two side", **when, **who)
    clock.now += 3600
    when = {"GIT_AUTHOR_DATE": f"{clock.now} +0000", "GIT_COMMITTER_DATE": f"{clock.now} +0000"}
    write(
        repo, "merge --quiet --no-ff -m octopus fourth " + clock_branch(repo, clock), **when, **who
    )
    clock.commit(
        "caf\u00e9",
        "--cleanup=verbatim",
        files={"side.txt": "t\n"},
        author="Ren\u00e9 <rene@example.com>",
    )
    repositories.git(repo, "config", "i18n.commitEncoding", "ISO-8859-1")
    (repo / "latin.txt").write_bytes(b"caf\xe9\n")
    repositories.git(repo, "add", "latin.txt")
    latin = {
        "GIT_AUTHOR_NAME": b"Ren\xe9".decode(errors="surrogateescape"),
        "GIT_AUTHOR_EMAIL": "rene@example.com",
    }
    repositories.git(
        repo, "commit", "--quiet", "-m", b"caf\xe9 cr\xe8me".decode(errors="surrogateescape"),
        env=repositories.environment(**who | latin, **when),
    )  # fmt: skip
    repositories.git(repo, "config", "--unset", "i18n.commitEncoding")
    clock.now -= 40 * 3600
    clock.commit("a clock that went back", files={"c.txt": "d\n"})
    (repo / "c.txt").unlink()
    (repo / "c.txt").symlink_to("a")
    repositories.git(repo, "add", "c.txt")
    clock.commit("a link")
    mailmap = "New Name <new@example.com> <old@EXAMPLE.com>\nNo One <no.one@example.com> Someone <shared@example.com>\n"
    clock.commit("a mailmap", files={".mailmap": mailmap})
    write(repo, "checkout --quiet --orphan orphan", "rm -r -f --quiet .")
    clock.commit("another root", files={"orphan.txt": "o\n"})
    write(repo, "tag -m annotated v1", **who)
    write(repo, "checkout --quiet main", "tag a-tree main^{tree}")
    return repo


def clock_branch(repo, clock) -> str:
    """Returns a branch for the third parent of a merge."""
    write(repo, "checkout --quiet third")
    clock.commit("more on the third", files={"third.txt": "33\n"})
    write(repo, "checkout --quiet -b fifth middle")
    clock.commit("on the fifth", files={"fifth.txt": "5\n"})
    write(repo, "checkout --quiet main")
    return "fifth"
