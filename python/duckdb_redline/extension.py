"""Where the extension is: in the package, or in the checkout that the package is used from."""

import pathlib
import re

FILE = "redline.duckdb_extension"
HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent


class ExtensionError(Exception):
    """The extension is missing, or the host cannot load it; the text is the whole message."""


def extension_path() -> pathlib.Path:
    """Returns the extension's file: the package's own, or in a checkout the one that was built last."""
    packaged = HERE / FILE
    if packaged.is_file():
        return packaged
    if not (CHECKOUT / "Cargo.toml").is_file():
        raise ExtensionError(f"the package has no {FILE}: install it again, or name the file")
    places = [CHECKOUT / "build" / profile / FILE for profile in ("release", "debug")]
    built = [path for path in places if path.is_file()]
    if not built:
        raise ExtensionError(
            f"the checkout has no build/*/{FILE}: run `make run` first, or name the file"
        )
    return max(built, key=lambda path: path.stat().st_mtime)


def version() -> str:
    """Returns the version of the package, which is that of the extension."""
    if (HERE / FILE).is_file() or not (CHECKOUT / "Cargo.toml").is_file():
        import importlib.metadata

        return importlib.metadata.version("duckdb-redline")
    found = re.search(r'^version = "(.*)"', (CHECKOUT / "Cargo.toml").read_text(), re.MULTILINE)
    if found is None:
        raise ExtensionError("the checkout's Cargo.toml names no version")
    return found[1]
