#!/usr/bin/env python3
"""What a machine with Linux can tell of redline on other systems.

    systems.py check                compiles everything for macOS and Windows, as far as it is compiled before it is linked
    systems.py windows DIRECTORY    makes redline for Windows there, and DuckDB for Windows that loads it, for Wine

The standard libraries of the systems come from rustup, DuckDB from PyPI, and MinGW and Wine from the system's packages.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from package import C_API_VERSION

ROOT = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO") or "cargo"
WINDOWS = "x86_64-pc-windows-gnu"
SYSTEMS = ["aarch64-apple-darwin", WINDOWS]

# In place of compilers and archivers of C for a system that is not here: nothing is linked, so that nobody looks into what
# they make.
STAND_IN = """#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    -o) : > "$2" ;;
    *.a) : > "$1" ;;
    esac
    shift
done
"""


def run(*command: object, **environment: str) -> None:
    print("+", *command, flush=True)
    subprocess.run(list(map(str, command)), cwd=ROOT, check=True, env=os.environ | environment)


def check() -> None:
    """Compiles the workspace with its tests for other systems."""
    with tempfile.TemporaryDirectory() as place:
        stand_in = Path(place) / "stand-in"
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        for system in SYSTEMS:
            run("rustup", "target", "add", system)
            name = system.replace("-", "_")
            tools = {f"{tool}_{name}": str(stand_in) for tool in ("CC", "CXX", "AR")}
            run(
                *(CARGO, "check", "--workspace", "--all-targets", "--target", system),
                *("--target-dir", "target/systems"),
                RUSTFLAGS="-D warnings",
                **tools,
            )


def windows(place: Path) -> None:
    """Makes the extension for Windows, and what loads it."""
    place.mkdir(parents=True, exist_ok=True)
    run("rustup", "target", "add", WINDOWS)
    target = ROOT / "target/windows"
    run(CARGO, "build", "--target", WINDOWS, "--target-dir", target)
    # DuckDB for Windows is compiled by MSVC; the C API is the same for both compilers.
    named = ["--target", WINDOWS, "--platform", "windows_amd64", "--output", place]
    run(sys.executable, "scripts/package.py", "debug", *named, CARGO_TARGET_DIR=str(target))
    version = C_API_VERSION.removeprefix("v")
    wanted = [f"duckdb-cli=={version}", "--platform", "win_amd64", "--only-binary", ":all:"]
    run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", place, *wanted)
    (wheel,) = place.glob(f"duckdb_cli-{version}-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [name for name in packed.namelist() if name.endswith("/duckdb.exe")]
        (place / "duckdb.exe").write_bytes(packed.read(name))
    library = place / "bcryptprimitives.dll"
    source = "test/windows/bcryptprimitives.c"
    run("x86_64-w64-mingw32-gcc", "-shared", "-o", library, source, "-ladvapi32")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    chosen = parser.add_subparsers(dest="chosen", required=True)
    chosen.add_parser("check")
    chosen.add_parser("windows").add_argument("directory", type=Path)
    arguments = parser.parse_args()
    if arguments.chosen == "check":
        check()
    else:
        windows(arguments.directory.resolve())


if __name__ == "__main__":
    main()
