"""redline for Python: git diffs, edits and approvals as SQL in DuckDB."""

__version__ = "0.1.0"
