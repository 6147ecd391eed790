"""python -m duckdb_redline.server: the command redline-mcp."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
