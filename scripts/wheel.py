#!/usr/bin/env python3
"""Makes the wheel of the Python package in build/dist: for any Linux of glibc 2.28 or newer, or for this macOS.

On Linux the library is linked by cargo-zigbuild against the old glibc, and auditwheel checks the result. Where zig is
not installed, the wheel is for Linuxes like this one alone, and its name says so (linux_x86_64).
"""

import argparse
import importlib.util
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build/wheel"
GLIBC = "2.28"


def run(*command: str, **environment: str) -> None:
    """Runs a program, and ends with its exit code where it fails."""
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment)
    if done.returncode:
        sys.exit(done.returncode)


def build_for_old_linux() -> dict[str, str]:
    """Builds the extension for glibc 2.28 and returns what the wheel's hook must know."""
    machine = platform.machine()
    triple = f"{machine}-unknown-linux-gnu"
    tools = Path(sys.executable).parent
    run(str(tools / "cargo-zigbuild"), "rustc", "--release", "--lib", "--crate-type=cdylib", "--locked", "--target", f"{triple}.{GLIBC}",
        PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")  # fmt: skip
    run(sys.executable, "scripts/package.py", "release", "--target", triple, "--output", str(BUILT))
    return {
        "REDLINE_WHEEL_EXTENSION": str(BUILT / "redline.duckdb_extension"),
        "REDLINE_WHEEL_PLATFORM": f"manylinux_{GLIBC.replace('.', '_')}_{machine}",
    }


def audit(wheel: Path) -> None:
    """Ends with an error where auditwheel finds that the wheel needs more than its name says."""
    text = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", str(wheel)], capture_output=True, text=True
    ).stdout
    found = re.search(r'platform\s+tag:\s+"(\w+)"', text)
    named = wheel.stem.rpartition("-")[2]
    version = lambda tag: (
        tuple(map(int, re.findall(r"_(\d+)_(\d+)_", tag)[0]))
        if tag.startswith("manylinux_")
        else (99,)
    )
    if not found or version(found[1]) > version(named):
        sys.exit(f"wheel: auditwheel does not agree with the name {wheel.name}:\n{text}")
    print(f"auditwheel: {found[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--extension", type=Path, help="package this one; it is for machines like this one"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "build/dist",
        help="the wheel's directory (default: build/dist)",
    )
    given = parser.parse_args()
    output = given.output.resolve()
    for old in output.glob("*.whl"):
        old.unlink()
    environment: dict[str, str] = {}
    if given.extension:
        environment = {"REDLINE_WHEEL_EXTENSION": str(given.extension.resolve())}
    elif sys.platform == "linux" and importlib.util.find_spec("ziglang"):
        environment = build_for_old_linux()
    run(
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(output),
        **environment,
    )
    (wheel,) = output.glob("*.whl")
    if "manylinux" in wheel.name:
        audit(wheel)
    print(f"{os.path.relpath(wheel)}  {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
