"""Puts the extension into the wheel: hatchling calls this, for `pip install .` as for `make wheel`."""

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What `make wheel` has built for other machines than this one, and the platform that it is for.
EXTENSION, PLATFORM = "REDLINE_WHEEL_EXTENSION", "REDLINE_WHEEL_PLATFORM"
# The licences of the crates that are linked in, which ask for it.
NOTICES = "THIRD-PARTY.md"
# The oldest macOS that Rust's libraries run on, by processor.
MACOS = {"arm64": "11_0", "x86_64": "10_12"}


def platform() -> str:
    """Returns the wheel's platform for a library that was built here."""
    name = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if name.startswith("macosx"):
        machine = os.uname().machine
        return f"macosx_{MACOS[machine]}_{machine}"
    return name


class ExtensionHook(BuildHookInterface):
    """Adds one file, and says that the wheel is for one platform and for every Python."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # From a checkout the package takes what `make release` built.
        root = Path(self.root)
        extension = Path(
            os.environ.get(EXTENSION) or root / "build/release/redline.duckdb_extension"
        )
        if EXTENSION not in os.environ:
            subprocess.run(
                ["cargo", "rustc", "--release", "--lib", "--crate-type=cdylib", "--locked"],
                cwd=root,
                check=True,
            )
            subprocess.run([sys.executable, "scripts/package.py", "release"], cwd=root, check=True)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ.get(PLATFORM) or platform()}"
        notices = Path(tempfile.mkdtemp()) / NOTICES
        subprocess.run([sys.executable, root / "scripts/notices.py", notices], cwd=root, check=True)
        build_data["force_include"][str(notices)] = f"duckdb_redline/{NOTICES}"
        build_data["force_include"][str(extension.resolve())] = (
            "duckdb_redline/redline.duckdb_extension"
        )
