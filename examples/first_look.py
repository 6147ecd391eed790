"""A first look at redline: what the last commits of this checkout changed, asked from DuckDB.

`make run` builds the extension and runs this, with its path, in the Python of build/venv. It prints each query before
its answer, so that all of it can be typed into `make shell` as well.
"""

import os
import pathlib
import subprocess
import sys
import unicodedata

import duckdb

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXTENSION = sys.argv[1] if len(sys.argv) > 1 else "build/release/redline.duckdb_extension"
MOST_COMMITS = 5
MOST_LINES = 40

COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ
PAINT = {"ADDED": "32", "REMOVED": "31", "BINARY": "33", "SQL": "36", "DIM": "2", "TITLE": "1"}


def painted(text: str, kind: str) -> str:
    return f"\x1b[{PAINT[kind]}m{text}\x1b[0m" if COLOUR and kind in PAINT else text


def title(text: str) -> None:
    print(f"\n{painted(text, 'TITLE')}")


def show_sql(query: str) -> None:
    print(
        "\n".join(
            painted(f"D {line}" if i == 0 else f"  {line}", "SQL")
            for i, line in enumerate(query.splitlines())
        )
    )


def harmless(text: str) -> str:
    """Returns a line of a file without what would move the cursor or hide text."""
    return "".join(
        c if c == "\t" or unicodedata.category(c)[0] != "C" else repr(c)[1:-1] for c in text
    )


def git(*arguments: str) -> str | None:
    """Returns what git says, or None when it refuses."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, errors="replace"
    )
    return done.stdout if done.returncode == 0 else None


def last_commits() -> list[tuple[str, str, str]]:
    """Returns (parent, commit, subject) of the last commits, as revisions; a first commit is compared with EMPTY."""
    log = git("log", "--first-parent", f"-{MOST_COMMITS}", "--format=%P%x09%s")
    if log is None:
        where = (
            "is no git checkout" if git("rev-parse", "--git-dir") is None else "has no commit yet"
        )
        sys.exit(
            f"{ROOT.name}/ {where}, so there is nothing to compare: commit something and run this again."
        )
    commits = []
    for back, line in enumerate(log.splitlines()):
        parents, _, subject = line.partition("\t")
        commit = f"HEAD~{back}" if back else "HEAD"
        # In a shallow clone the last commit that is here shows as one without parents.
        commits.append((f"HEAD~{back + 1}" if parents else "EMPTY", commit, subject))
    return commits


def show_changes(con: duckdb.DuckDBPyConnection, commits: list[tuple[str, str, str]]) -> None:
    parent, commit, subject = commits[0]
    title(f"What the last commit changed  ({harmless(subject)})")
    if parent == "EMPTY" and (git("rev-parse", "--is-shallow-repository") or "").strip() == "true":
        print(
            "This clone is shallow: what came before is not here, so all its files count as added."
        )
    query = (
        "SELECT file_path, status, old_size, new_size, additions, deletions\n"
        f"FROM file_changes('{parent}', '{commit}', '.');"
    )
    show_sql(query)
    con.sql(query).show(max_rows=20)

    title("The last commits, side by side  (table macros of sql/macros.sql take columns)")
    pairs = ",\n             ".join(
        f"({n}, '{old}', '{new}')" for n, (old, new, _) in enumerate(commits, 1)
    )
    query = (
        "SELECT c.new AS revision, count(*) AS files, sum(f.additions) AS additions, sum(f.deletions) AS deletions,\n"
        "       arg_max(f.file_path, coalesce(f.additions, 0) + coalesce(f.deletions, 0)) AS most_changed\n"
        f"FROM (VALUES {pairs}) c(n, old, new),\n"
        "     file_changes_each(c.old, c.new) f\n"
        "GROUP BY c.n, c.new ORDER BY c.n;"
    )
    show_sql(query)
    con.sql(query).show()


def changed_text_file(
    con: duckdb.DuckDBPyConnection, commits: list[tuple[str, str, str]]
) -> tuple[str, str, str] | None:
    """Returns (file, old, new) of the newest change that has lines to show: rather an edit than a new file."""
    for old, new, _ in commits:
        row = con.execute(
            """SELECT file_path FROM file_changes(?, ?, '.')
               WHERE NOT is_binary AND additions + deletions > 0
               ORDER BY status <> 'modified', abs(additions + deletions - 12), file_path LIMIT 1""",
            [old, new],
        ).fetchone()
        if row:
            return row[0], old, new
    return None


def show_diff(con: duckdb.DuckDBPyConnection, file: str, old: str, new: str) -> None:
    title("Line by line, what one of them changed")
    quoted = file.replace("'", "''")
    query = f"SELECT * FROM file_diff('{quoted}', '{old}', '{new}', '.');"
    show_sql(query)
    rows = con.execute(query).fetchall()
    print(
        painted(
            f"{'seq':>5} {'line_type':9} {'old_line':>8} {'new_line':>8} {'hunk':>4}  content",
            "DIM",
        )
    )
    for seq, line_type, content, old_line, new_line, hunk in rows[:MOST_LINES]:
        numbers = f"{old_line or '':>8} {new_line or '':>8} {hunk or '':>4}"
        print(painted(f"{seq:>5} {line_type:9} {numbers}  {harmless(content)}", line_type))
    if len(rows) > MOST_LINES:
        print(painted(f"      … and {len(rows) - MOST_LINES} rows more", "DIM"))


def main() -> None:
    os.chdir(ROOT)
    commits = last_commits()
    con = duckdb.connect(config={"allow_unsigned_extensions": True})
    title(f"DuckDB {duckdb.__version__} with redline, in {ROOT.name}/")
    load = f"LOAD '{EXTENSION}';"
    show_sql(load)
    con.execute(load)
    con.execute(pathlib.Path("sql/macros.sql").read_text())
    show_changes(con, commits)
    changed = changed_text_file(con, commits)
    if changed:
        show_diff(con, *changed)
    else:
        print("\nNone of these commits changed a text file, so there is no diff to show.")
    print(
        f"\nNext: {painted('make shell', 'TITLE')} opens a DuckDB shell in which all of this can be typed."
    )


if __name__ == "__main__":
    main()
