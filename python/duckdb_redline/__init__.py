"""redline for Python: git diffs, edits and approvals as SQL in DuckDB.

import duckdb_redline
con = duckdb_redline.connect()
con.sql("FROM file_changes('HEAD~1', 'HEAD', '.')").show()
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .connection import connect, load
    from .extension import ExtensionError, extension_path

__all__ = ["ExtensionError", "connect", "extension_path", "load"]

__version__: str
HOMES = {
    "connect": "connection",
    "load": "connection",
    "ExtensionError": "extension",
    "extension_path": "extension",
}


def __getattr__(name: str) -> Any:
    # Imported when it is asked for: DuckDB's client and the metadata of packages take longer than `redline --help`.
    if name == "__version__":
        from .extension import version

        return version()
    if name in HOMES:
        import importlib

        # The command does with the compiled module; the package around it adds methods to a connection.
        importlib.import_module("duckdb")
        return getattr(importlib.import_module(f".{HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
