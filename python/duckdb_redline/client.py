"""DuckDB's client: its compiled module, where there is one, which is all that is needed of it here.

The package around that module imports as much again, such as what reads the metadata of packages.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
else:
    try:
        import _duckdb as duckdb
    except ImportError:
        import duckdb

__all__ = ["duckdb"]
