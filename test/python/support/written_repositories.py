"""Repositories written for one test: through `git fast-import`, thousands of files in a second, or commit by commit."""

import os
import pathlib
import subprocess
from collections.abc import Iterable, Mapping

import repositories
from repositories import git

IDENTITY = (
    "-c",
    "user.name=n",
    "-c",
    "user.email=e",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
)


def write(
    path: pathlib.Path, commits: Iterable[Mapping[str, bytes | None]], branch: str = "main"
) -> pathlib.Path:
    """Makes a bare repository of the commits, each a map of paths to contents (None deletes); returns its path.

    Fewer than 100 objects are left loose, more in a pack; both quickly made rather than small.
    """
    environment = repositories.environment()
    if not path.exists():
        subprocess.run(
            ["git", "init", "--quiet", "--bare", f"--initial-branch={branch}", os.fspath(path)],
            check=True,
            env=environment,
        )
    process = subprocess.Popen(
        [
            "git",
            "-C",
            os.fspath(path),
            "-c",
            "fastimport.unpackLimit=100",
            "-c",
            "core.compression=1",
            "fast-import",
            "--quiet",
            "--force",
            "--depth=0",
            "--big-file-threshold=1m",
        ],
        stdin=subprocess.PIPE,
        env=environment,
    )
    put = process.stdin.write
    put(f"reset refs/heads/{branch}\n\n".encode())
    for number, files in enumerate(commits, 1):
        put(f"commit refs/heads/{branch}\nmark :{number}\n".encode())
        put(
            f"committer Test <test@example.com> {1_700_000_000 + number} +0000\ndata 4\ntest".encode()
        )
        if number > 1:
            put(f"\nfrom :{number - 1}".encode())
        put(b"\n")
        for name, content in files.items():
            if content is None:
                put(f"D {name}\n".encode())
            else:
                put(f"M 100644 inline {name}\ndata {len(content)}\n".encode())
                put(content)
                put(b"\n")
    process.stdin.close()
    if process.wait() != 0:
        raise AssertionError("git fast-import failed")
    return path


def grown(path: pathlib.Path, *init: str, commits: int = 12) -> pathlib.Path:
    """Makes a repository whose files grow from commit to commit, so that packs hold chains of deltas."""
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--initial-branch=main", *init)
    lines = [f"line {number} of a file that is long enough for a delta\n" for number in range(300)]
    for commit in range(commits):
        for line in range(commit, 300, 37):
            lines[line] = f"changed by {commit}\n"
        (path / "long.txt").write_text("".join(lines))
        (path / f"new-{commit}.txt").write_text(f"{commit}\n")
        git(path, "add", "--all")
        git(path, *IDENTITY, "commit", "--quiet", "-m", str(commit))
    return path
