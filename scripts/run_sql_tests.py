#!/usr/bin/env python3
"""Runs test/sql as the CI of DuckDB's registry does: with DuckDB's Python runner, or by the same rules where it is missing."""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run_ours(extension: Path) -> int:
    """Runs every file with our own runner and returns an exit code; like DuckDB's, it ends with the first failure."""
    sys.path.insert(0, str(ROOT / "test/python/support"))
    import sqllogic

    files = list(sqllogic.find_files(ROOT / "test/sql"))
    checks = 0
    for number, file in enumerate(files, 1):
        name = file.relative_to(ROOT)
        print(f"[{number}/{len(files)}] {name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                checks += sqllogic.run_file(name, {"redline": extension}, folder, relations=True)
            except sqllogic.SqlTestSkipped as skipped:
                print(f"skipped: {skipped}")
            except (sqllogic.SqlTestFailure, sqllogic.SqlTestError) as wrong:
                print(wrong, file=sys.stderr)
                return 1
    print(f"{len(files)} files, {checks} checks")
    return 0


def main() -> int:
    extension = Path(sys.argv[1]).resolve()
    if not extension.is_file():
        print(f"run_sql_tests: {sys.argv[1]} is not built", file=sys.stderr)
        return 1
    if importlib.util.find_spec("duckdb_sqllogictest"):
        command = [
            sys.executable,
            "-m",
            "duckdb_sqllogictest",
            "--test-dir",
            "test/sql",
            "--external-extension",
            str(extension),
        ]
        return subprocess.run(command, cwd=ROOT).returncode
    return run_ours(extension)


if __name__ == "__main__":
    sys.exit(main())
