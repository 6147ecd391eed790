"""The works of a review: ids of hunks, and versions of a series."""

import re

import contestants
import inputs
from work import AGAIN, Work, asked


def hunk_ids(con, cargo, name: str, old: str, new: str) -> list[Work]:
    """Returns rows with the ids of their hunks, beside the same rows without."""
    tables = {
        "diff_hunks": "file_path, new_start, section, patch",
        "diff_lines": "file_path, line_type, content, old_line, new_line",
    }

    def work(table: str, columns: str) -> Work:
        rows = lambda asked, columns: contestants.counted(
            asked, columns, f"{table}('{old}', '{new}', '{cargo}')"
        )
        with_ids = f"{columns}, hunk_id, context_id"
        return Work(
            f"{table} with ids of hunks, {name}",
            {
                **asked(con, lambda asked: rows(asked, with_ids)),
                "without ids": lambda: contestants.first(lambda asked: rows(asked, columns)),
            },
            {"processor, without ids": 1 / 1.1},
            {"without ids": int},
        )

    return [work(table, columns) for table, columns in tables.items()]


def rebases(con, cargo, recent: str) -> list[Work]:
    """Returns versions of a series beside each other: rebased ones, and two series that have little in common."""
    rebased = inputs.rebased()
    within = lambda first, last: f"{recent}~{first}..{recent}~{last}"
    ranges = {
        "rebased, upstream elsewhere": (rebased, "base..series", "elsewhere..series-elsewhere"),
        "rebased, upstream in 40 files": (rebased, "base..series", "near..series-near"),
        "other commits": (cargo, within(60, 30), within(30, 0)),
    }
    signs = {"=": "equal", "!": "changed", "<": "dropped", ">": "added"}
    header = re.compile(r" *(?:\d+|-):  (?:[0-9a-f]+|-+) ([=!<>]) ")

    def read(printed: bytes) -> list[str]:
        lines = map(header.match, printed.decode(errors="replace").splitlines())
        return [signs[line[1]] for line in lines if line]

    def work(name: str, repository, old: str, new: str) -> Work:
        query = f"SELECT status, encode(patch) FROM range_diff('{old}', '{new}', '{repository}')"
        statuses = lambda rows: [status for status, _ in rows]
        return Work(
            f"range_diff, {name}",
            {
                **asked(con, lambda asked: asked.execute(query).fetchall()),
                "git": lambda: inputs.git_bytes(repository, "range-diff", "--no-color", old, new),
            },
            {"git": 3.0},
            {"redline": statuses, AGAIN: statuses, "git": read},
        )

    return [work(name, *given) for name, given in ranges.items()]
