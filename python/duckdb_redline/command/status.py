"""The sub-command status: the differences from the last commit."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .screen import Screen, harmless

if TYPE_CHECKING:
    import duckdb

LETTERS = {
    "added": "A",
    "deleted": "D",
    "modified": "M",
    "renamed": "R",
    "copied": "C",
    "type_changed": "T",
    "untracked": "?",
    "ignored": "!",
}
# As `git status --short` has them: ours, then theirs.
CONFLICTS = {
    "both_deleted": "DD",
    "added_by_us": "AU",
    "deleted_by_them": "UD",
    "added_by_them": "UA",
    "deleted_by_us": "DU",
    "both_added": "AA",
    "both_modified": "UU",
}


def show_status(
    con: "duckdb.DuckDBPyConnection", screen: Screen, paths: list[str], repo: str, ignored: bool
) -> None:
    """Prints a line per file, as `git status --short`: one letter for the index, one for the work tree."""
    query = "SELECT index_status, worktree_status, conflict, old_path, file_path FROM system.main.file_status(?, ignored := ?, paths := ?)"
    with screen.working("reading the work tree"):
        rows = con.execute(query, [repo, ignored, paths or None]).fetchall()
    if not rows:
        screen.note("Nothing to commit: the work tree and the index are as HEAD has them.")
        return
    screen.show(lines(rows, screen))


def lines(rows: list[tuple[str | None, ...]], screen: Screen) -> Iterator[str]:
    for index, worktree, conflict, old_path, file_path in rows:
        letters = (
            CONFLICTS[conflict]
            if conflict
            else LETTERS.get(index or "", " ") + LETTERS.get(worktree or "", " ")
        )
        staged, changed = letters[0], letters[1]
        if staged == " " and changed in "?!":
            staged = changed
        shown = screen.styled(
            staged, fg="red" if conflict or staged in "?!" else "green"
        ) + screen.styled(changed, fg="red")
        name = f"{old_path} -> {file_path}" if old_path else str(file_path)
        yield f"{shown} {harmless(name)}\n"
