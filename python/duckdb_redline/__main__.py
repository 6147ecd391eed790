"""python -m duckdb_redline: the command redline."""

from .command.main import main

if __name__ == "__main__":
    main(prog_name="redline")
