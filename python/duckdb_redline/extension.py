"""Where the extension is: in the package, or in the checkout that the package is used from."""

import pathlib

FILE = "redline.duckdb_extension"
HERE = pathlib.Path(__file__).resolve().parent


class ExtensionError(Exception):
    """The extension is missing, or the host cannot load it; the text is the whole message."""


def extension_path() -> pathlib.Path:
    """Returns the extension's file: the package's own, or in a checkout what `make release` built."""
    packaged, checkout = HERE / FILE, HERE.parent.parent
    if packaged.is_file():
        return packaged
    if not (checkout / "Cargo.toml").is_file():
        raise ExtensionError(f"the package has no {FILE}: install it again, or name the file")
    built = checkout / "build" / "release" / FILE
    if not built.is_file():
        raise ExtensionError(f"the checkout has no {built.relative_to(checkout)}: run `make release` first")
    return built
