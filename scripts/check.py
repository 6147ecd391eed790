#!/usr/bin/env python3
"""The inner loop: the tests that a change has to do with. Of the crates that differ from HEAD (or, where none does, that the
last commit changed) the unit tests run, and of their other Rust tests those whose name holds the word; the rules of the
sources; then the files of test/python and test/sql whose name holds the word, or else the tests that do.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO") or "cargo"


def printed(*command: str) -> list[str]:
    """Returns the lines that a program prints."""
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()


def crates(paths: list[str]) -> list[str]:
    """Returns the crates that files belong to: those of `src` by their directory, and the extension itself."""
    found = set()
    for path in paths:
        parts = Path(path).parts
        below = parts[1] if parts[0] == "src" else parts[2] if parts[:2] == ("test", "rust") else ""
        if (ROOT / "src" / below / "Cargo.toml").is_file() and below:
            found.add(f"redline-{below}")
        elif parts[0] == "src":
            found.add("redline")
    return sorted(found)


def changed() -> list[str]:
    """Returns the crates of the change at hand."""
    now = printed("git", "diff", "--name-only", "HEAD")
    now += printed("git", "ls-files", "--others", "--exclude-standard")
    return crates(now) or crates(printed("git", "show", "--name-only", "--format=", "HEAD"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extension", type=Path, required=True)
    parser.add_argument("--python", required=True, help="a Python that has DuckDB and pytest")
    parser.add_argument("word", nargs="?", default="", help="a part of the name of a file or test")
    arguments = parser.parse_args()
    word = arguments.word

    packages = [flag for crate in changed() for flag in ("-p", crate)]
    steps = [[CARGO, "test", "-q", "-p", "redline", "--test", "house"]]
    if packages:
        steps.append([CARGO, "test", "-q", *packages, "--lib"])
    if packages and word:
        steps.append([CARGO, "test", "-q", *packages, "--test", "*", word])
    pytest = [
        arguments.python,
        *["-B", "-m", "pytest", "-q", "--one-thread", "-p", "no:cacheprovider"],
    ]
    if word:
        files = sorted(str(path) for path in (ROOT / "test/python").glob(f"*/test_*{word}*.py"))
        has_sql = any((ROOT / "test/sql").glob(f"*{word}*.test"))
        if has_sql:
            steps.append([*pytest, "test/python/surface/test_sql.py", "-k", word])
        if files:
            steps.append([*pytest, *files])
        elif not has_sql:
            steps.append([*pytest, "test/python", "-k", word])

    environment = os.environ | {"REDLINE_EXTENSION": str(arguments.extension)}
    start, failed = time.monotonic(), []
    for step in steps:
        shown = " ".join(Path(part).name if part == arguments.python else part for part in step)
        print(f"\n==> {shown}", flush=True)
        if subprocess.run(step, cwd=ROOT, env=environment).returncode:
            failed.append(shown)
    print(f"\n{time.monotonic() - start:.0f} s", *(f"FAILED: {step}" for step in failed), sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
