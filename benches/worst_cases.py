"""Times redline and git on pairs of texts that are hard to compare, in turns, in one run. README.md states the method.

Run by `make bench-worst`. Arguments: the names of cases, to have only those; `--cancel`, to learn instead how long a
comparison goes on after it was cancelled.
"""

import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
ONE_PAIR = ROOT / "target/bench/release/one_pair"
ROUNDS = 3
# Seconds of both together after which no further round begins.
ENOUGH = 30

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}
MILLION = 1_000_000


class Case(NamedTuple):
    """Two texts, made from a seeded generator, and the algorithm that compares them."""

    texts: Callable[[random.Random], tuple[bytes, bytes]]
    algorithm: str = "myers"


def lines(numbers) -> bytes:
    return b"".join(b"%d\n" % number for number in numbers)


def inserted(count: int):
    return lambda chosen: (
        lines(range(count)),
        b"".join(b"%d\nnew %d\n" % (n, n) for n in range(count)),
    )


def halved(count: int):
    return lambda chosen: (lines(range(count)), lines(range(0, count, 2)))


def symbols(kinds: int, count: int):
    return lambda chosen: tuple(lines(chosen.choices(range(kinds), k=count)) for _ in range(2))


def shuffled(count: int):
    return lambda chosen: (lines(range(count)), lines(chosen.sample(range(count), count)))


def edited(count: int):
    changed = lambda chosen, n: -n if chosen.random() < 0.01 else n
    return lambda chosen: (lines(range(count)), lines(changed(chosen, n) for n in range(count)))


def among_blanks(count: int):
    side = lambda name: b"".join(b"\n%s %d\n" % (name, n) for n in range(count // 2))
    return lambda chosen: (side(b"old"), side(b"new"))


def one_line(count: int):
    return lambda chosen: (b"x" * count + b"\n", b"x" * (count - 1) + b"y\n")


def blank(count: int):
    return lambda chosen: (
        b"\n" * count,
        b"first\n" + b"\n" * (count // 2) + b"middle\n" + b"\n" * (count // 2),
    )


CASES = {
    "a line after every line, 1M": Case(inserted(MILLION)),
    "every second line deleted, 1M": Case(halved(MILLION)),
    "random of 2 symbols, 1M": Case(symbols(2, MILLION)),
    "random of 256 symbols, 1M": Case(symbols(256, MILLION)),
    "shuffled, 1M": Case(shuffled(MILLION)),
    "1 in 100 lines changed, 1M": Case(edited(MILLION)),
    "unique lines among blanks, 1M": Case(among_blanks(MILLION)),
    "minimal: shuffled, 20k": Case(shuffled(20_000), "minimal"),
    "patience: shuffled, 1M": Case(shuffled(MILLION), "patience"),
    "histogram: a line after every line, 100k": Case(inserted(100_000), "histogram"),
    "one line of 200 MB": Case(one_line(200 * MILLION)),
    "empty lines, 30M": Case(blank(30 * MILLION)),
}


def user_seconds(command: list[str]) -> tuple[float, str]:
    """Runs a command and returns the processor time that it took outside the kernel, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    # `git diff --no-index` says with 1 that there are differences.
    if done.returncode not in (0, 1):
        sys.exit(f"bench: {command[0]} failed with {done.returncode}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done.stdout


def compare(name: str, case: Case, folder: pathlib.Path, cancel: bool) -> None:
    pair = [folder / "old", folder / "new"]
    for path, text in zip(pair, case.texts(random.Random(name))):
        path.write_bytes(text)
    if cancel:
        print(
            f"  {name:42} {user_seconds([ONE_PAIR, '--cancel', case.algorithm, *pair])[1].splitlines()[1]}",
            flush=True,
        )
        return
    git = [
        "git",
        "diff",
        "--no-index",
        "--numstat",
        "--no-ext-diff",
        "--no-textconv",
        f"--diff-algorithm={case.algorithm}",
    ]
    ours, theirs = [], []
    while len(ours) < ROUNDS and sum(ours + theirs) < ENOUGH:
        seconds, counts = user_seconds([ONE_PAIR, case.algorithm, *pair])
        ours.append(seconds)
        seconds, printed = user_seconds([*git, *pair])
        theirs.append(seconds)
        if counts.split() != printed.split("\t")[:2]:
            sys.exit(f"bench: {name}: redline counts {counts!r}, git {printed!r}")
    print(
        f"  {name:42} redline {min(ours):7.2f} s   git {min(theirs):7.2f} s   git / redline {min(theirs) / min(ours):5.2f}"
        f"   (best of {len(ours)})",
        flush=True,
    )


def main() -> None:
    cancel = "--cancel" in sys.argv[1:]
    chosen = [name for name in sys.argv[1:] if name != "--cancel"]
    unknown = [name for name in chosen if name not in CASES]
    if unknown:
        sys.exit(f"bench: no case {unknown[0]!r}; there are:\n  " + "\n  ".join(CASES))
    version = subprocess.run(
        ["git", "--version"], check=True, capture_output=True, text=True
    ).stdout.strip()
    print(
        "how long a cancelled comparison goes on, at worst"
        if cancel
        else f"user CPU time, {version}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen or CASES:
            compare(name, CASES[name], pathlib.Path(folder), cancel)


if __name__ == "__main__":
    main()
