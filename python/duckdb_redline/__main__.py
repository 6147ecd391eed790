"""python -m duckdb_redline: the command redline."""

from .command.interrupts import run

if __name__ == "__main__":
    run()
