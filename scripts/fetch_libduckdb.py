#!/usr/bin/env python3
"""Puts libduckdb.so and duckdb.h into build/libduckdb, for the C host of the memory tests.

The library comes from DuckDB's npm package (npm itself is not needed), the header from the sources
inside the libduckdb-sys crate, which cargo has already fetched and which does the same version.
"""

import argparse
import base64
import hashlib
import io
import json
import os
import platform
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The platform's package and npm's own checksum of it, for the version the tests are pinned to.
VERSION = "1.5.6-r.1"
PACKAGES = {
    ("Linux", "x86_64"): (
        "linux-x64",
        "IXcrZJE6kEqM0Z4wwdVnGBHX/frOS33VPNAwDXQ/Q+Fs84b058Qe94chrCCIcNJlG8Y3UHIUU4eBeCQxW5mN1Q==",
    ),
}


class FetchError(Exception):
    """Something the caller has to mend; its text is the whole message."""


def library() -> bytes:
    """Returns libduckdb.so of this platform, its package checked against the known checksum."""
    here = (platform.system(), platform.machine())
    if here not in PACKAGES:
        raise FetchError(f"the memory tests run on Linux x86_64 only, not on {' '.join(here)}")
    name, checksum = PACKAGES[here]
    registry = os.environ.get("npm_config_registry", "https://registry.npmjs.org").rstrip("/")  # noqa: SIM112
    url = f"{registry}/@duckdb/node-bindings-{name}/-/node-bindings-{name}-{VERSION}.tgz"
    print(f"fetching {url}", flush=True)
    try:
        with urllib.request.urlopen(url, timeout=300) as answer:
            data = answer.read()
    except (urllib.error.URLError, TimeoutError) as error:
        raise FetchError(f"{url} could not be fetched: {error}") from None
    if base64.b64encode(hashlib.sha512(data).digest()).decode() != checksum:
        raise FetchError(f"{url} is not the package that was expected: its checksum differs")
    return member(data, "package/libduckdb.so")


def header(name: str = "duckdb.h") -> bytes:
    """Returns duckdb.h from the bundled sources of libduckdb-sys."""
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1"], cwd=ROOT, capture_output=True, text=True
    )
    if metadata.returncode:
        raise FetchError(f"`cargo metadata` failed:\n{metadata.stderr.strip()}")
    for crate in json.loads(metadata.stdout)["packages"]:
        if crate["name"] == "libduckdb-sys":
            sources = Path(crate["manifest_path"]).with_name("duckdb.tar.gz")
            return member(sources.read_bytes(), f"duckdb/src/include/{name}")
    raise FetchError("libduckdb-sys is not among the dependencies")


def member(archive: bytes, name: str) -> bytes:
    """Returns one file of a .tar.gz."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        try:
            return tar.extractfile(name).read()
        except KeyError:
            raise FetchError(f"{name} is not in the archive") from None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the two files go, such as build/libduckdb")
    folder = parser.parse_args().folder
    try:
        files = {"duckdb.h": header(), "libduckdb.so": library()}
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            temporary = folder / f"{name}.new"
            temporary.write_bytes(data)
            temporary.replace(folder / name)
    except (FetchError, OSError) as error:
        print(f"fetch_libduckdb: {error}", file=sys.stderr)
        return 1
    print(f"{folder}: {', '.join(files)} ({VERSION})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
