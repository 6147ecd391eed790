#!/usr/bin/env python3
"""Writes what is submitted to DuckDB's community registry, for the commit that is checked out: build/registry/extensions/redline."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build/registry/extensions/redline"
# The licences of the crates that are linked in, as in the wheel.
NOTICES = "THIRD-PARTY.md"
DESCRIPTION = ROOT / "docs/registry/description.yml"


def git(*words: str) -> str | None:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def repository_of_origin() -> str | None:
    """Returns owner/name of the remote `origin`, where that is on GitHub."""
    found = re.search(
        r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?$", git("remote", "get-url", "origin") or ""
    )
    return found and found[1]


def filled(text: str, repository: str, ref: str) -> str:
    """Returns the description with what only the commit and its remote can tell."""
    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    values = {"VERSION": version, "REPOSITORY": repository, "REF": ref}
    return re.sub(
        r"\b(VERSION|REPOSITORY|REF)$", lambda word: values[word[1]], text, flags=re.MULTILINE
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--repository",
        default=repository_of_origin(),
        help="owner/name on GitHub (default: that of origin)",
    )
    given = parser.parse_args()
    ref = git("rev-parse", "HEAD")
    if not given.repository or not ref:
        sys.exit(
            "registry: the origin of this checkout is not on GitHub: name the repository (REPOSITORY=owner/name)"
        )
    (TARGET / "docs").mkdir(parents=True, exist_ok=True)
    (TARGET / "description.yml").write_text(filled(DESCRIPTION.read_text(), given.repository, ref))
    shutil.copy(ROOT / "docs/function_descriptions.csv", TARGET / "docs")
    notices = [sys.executable, ROOT / "scripts/notices.py", TARGET / "docs" / NOTICES]
    subprocess.run(notices, check=True)
    files = f"description.yml, docs/function_descriptions.csv and docs/{NOTICES}"
    print(f"{TARGET}: {files}, for {given.repository} at {ref[:10]}")


if __name__ == "__main__":
    main()
