"""The command redline-mcp, from a checkout: python examples/mcp_server.py DIRECTORY [--write]. Needs: pip install mcp duckdb"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

from duckdb_redline.server.command import main

if __name__ == "__main__":
    sys.exit(main())
