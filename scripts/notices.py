"""Writes the licences of the crates that the extension links, with the texts that they come with.

Usage: notices.py FILE
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
# Files of a crate with what its licence asks to be passed on.
NAMES = ("licen", "copying", "copyright", "notice", "unlicense")


def linked() -> list[dict]:
    """Returns the crates of other people that are linked in, on any platform: neither tests nor build scripts need them."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", str(ROOT / "Cargo.toml")]  # fmt: skip
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in told["packages"]}
    needs = {
        node["id"]: [
            dep["pkg"]
            for dep in node["deps"]
            if any(kind["kind"] is None for kind in dep["dep_kinds"])
        ]
        for node in told["resolve"]["nodes"]
    }
    found: set[str] = set()
    waiting = [told["resolve"]["root"]]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs[name]
    others = [packages[name] for name in found if packages[name]["source"] is not None]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts_of(package: dict) -> list[str]:
    """Returns the texts of licences and notices in a crate's own directory."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(NAMES))  # fmt: skip
    return [path.read_text(errors="replace").strip() for path in files]


def notices() -> str:
    """Returns a line for each crate, then each text once, with the crates that have it."""
    crates = linked()
    lines = ["# Crates in redline's extension", "", "By name, version and licence; the texts follow.", ""]  # fmt: skip
    # Texts that differ only in their line breaks are one.
    owners: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for package in crates:
        name = f"{package['name']} {package['version']}"
        authors = ", ".join(package["authors"])
        licence = package["license"] or "see its text"
        lines.append(f"- {name}: {licence}{f', by {authors}' if authors else ''}")
        for text in texts_of(package):
            text = first.setdefault(" ".join(text.split()), text)
            owners.setdefault(text, []).append(name)
    for text, names in owners.items():
        lines += ["", "---", "", f"Of {', '.join(dict.fromkeys(names))}:", "", text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_text(notices())
