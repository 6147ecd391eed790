#!/usr/bin/env python3
"""Makes build/<profile>/redline.duckdb_extension from the library that cargo built.

A DuckDB extension is the library followed by a footer of 534 bytes: DuckDB reads from it, before it
maps the file, for which platform and which API the library was built, and refuses others by name.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ABI = "C_STRUCT"
# The C API the extension asks for in its entry point: loads in this version of DuckDB and in newer ones.
C_API_VERSION = "v1.5.6"
FOOTER_BYTES = 534

# Rust's host triples and DuckDB's names for the same platforms.
PLATFORMS = {
    "x86_64-unknown-linux-gnu": "linux_amd64",
    "aarch64-unknown-linux-gnu": "linux_arm64",
    "x86_64-unknown-linux-musl": "linux_amd64_musl",
    "aarch64-unknown-linux-musl": "linux_arm64_musl",
    "x86_64-apple-darwin": "osx_amd64",
    "aarch64-apple-darwin": "osx_arm64",
    "x86_64-pc-windows-msvc": "windows_amd64",
    "aarch64-pc-windows-msvc": "windows_arm64",
    "x86_64-pc-windows-gnu": "windows_amd64_mingw",
}


class PackageError(Exception):
    """Something the caller has to mend; its text is the whole message."""


def run(*command: str) -> str:
    """Returns what a program printed."""
    try:
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise PackageError(f"`{command[0]}` is not installed or not on PATH") from None
    except subprocess.CalledProcessError as error:
        raise PackageError(f"`{' '.join(command)}` failed:\n{error.stderr.strip()}") from None
    return done.stdout


def host_triple() -> str:
    """Returns the triple rustc builds for by default."""
    for line in run("rustc", "-vV").splitlines():
        if line.startswith("host: "):
            return line.removeprefix("host: ").strip()
    raise PackageError("`rustc -vV` printed no `host:` line")


def platform_of(triple: str) -> str:
    """Returns DuckDB's name of a platform."""
    try:
        return PLATFORMS[triple]
    except KeyError:
        raise PackageError(
            f"no DuckDB platform is known for {triple}; known: {', '.join(sorted(PLATFORMS))}"
        ) from None


def library_name(triple: str, crate: str) -> str:
    """Returns the file name rustc gives the cdylib of a crate."""
    if "windows" in triple:
        return f"{crate}.dll"
    if "apple" in triple:
        return f"lib{crate}.dylib"
    return f"lib{crate}.so"


def field(text: str) -> bytes:
    """Returns one 32-byte field: ASCII, padded with zeros."""
    raw = text.encode("ascii")
    if len(raw) > 32:
        raise PackageError(f"`{text}` is longer than a footer field (32 bytes)")
    return raw.ljust(32, b"\0")


def footer(extension_version: str, platform: str, *, c_api_version: str = C_API_VERSION) -> bytes:
    """Returns the metadata footer: a WebAssembly custom section, so that the same layout serves every host."""
    section = bytes([0, 147, 4, 16]) + b"duckdb_signature" + bytes([128, 4])
    # DuckDB reads the fields from the last to the first; "4" is the version of the layout.
    fields = ["", "", "", ABI, extension_version, c_api_version, platform, "4"]
    signature = bytes(256)  # none: an unsigned extension
    data = section + b"".join(field(text) for text in fields) + signature
    assert len(data) == FOOTER_BYTES
    return data


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces a file in one step: a process that has the old one mapped keeps the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o755)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def package(
    profile: str, target: str | None, output: Path | None = None, platform: str | None = None
) -> Path:
    """Writes the extension of one profile, by default to build/<profile>, and returns its path."""
    metadata = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1"))
    (root,) = metadata["workspace_default_members"]
    crate = next(package for package in metadata["packages"] if package["id"] == root)
    name = crate["name"]
    triple = target or host_triple()

    folder = Path(metadata["target_directory"])
    if target:
        folder /= target
    library = folder / profile / library_name(triple, name)
    if not library.is_file():
        flag = "" if profile == "debug" else " --release"
        raise PackageError(
            f"{library.name} is not in {profile}: run `cargo build{flag}` (or `make {profile}`) first"
        )

    out = (output or ROOT / "build" / profile).resolve() / f"{name}.duckdb_extension"
    write_atomically(
        out, library.read_bytes() + footer(crate["version"], platform or platform_of(triple))
    )
    # Where the CI of DuckDB's registry looks for it.
    listed = out.parent / "extension" / name / out.name
    write_atomically(listed, out.read_bytes())
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("profile", choices=["debug", "release"])
    parser.add_argument("--target", help="the triple that was given to cargo, when it was")
    parser.add_argument(
        "--output", type=Path, help="the directory to write to (default: build/<profile>)"
    )
    parser.add_argument(
        "--platform",
        choices=sorted(PLATFORMS.values()),
        help="DuckDB's name of the platform (default: from the triple)",
    )
    arguments = parser.parse_args()
    try:
        out = package(arguments.profile, arguments.target, arguments.output, arguments.platform)
    except (PackageError, OSError) as error:
        print(f"package: {error}", file=sys.stderr)
        return 1
    shown = out.relative_to(ROOT) if out.is_relative_to(ROOT) else out
    print(f"{shown}  {out.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
