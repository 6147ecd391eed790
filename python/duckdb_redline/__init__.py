"""redline for Python: git diffs, edits and approvals as SQL in DuckDB.

    import duckdb_redline
    con = duckdb_redline.connect()
    con.sql("FROM file_changes('HEAD~1', 'HEAD', '.')").show()
"""

from .connection import connect, load
from .extension import ExtensionError, extension_path

__all__ = ["ExtensionError", "connect", "extension_path", "load"]

__version__: str


def __getattr__(name: str) -> str:
    # Read when it is asked for: the metadata of installed packages takes longer than all the rest.
    if name == "__version__":
        from .extension import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
